//! Where the bytes are that mean something to a CSV scanner.
//!
//! Five bytes are *special*: the delimiter, LF, CR, the double quote and NUL. Everything
//! between two of them is passed over sixty-four bytes at a time: a block of 64 bytes
//! becomes a word with one bit per byte, and the scanner walks over the bits that are set.
//!
//! Trap: the blocks begin wherever the walk begins, not at multiples of 64; a block that
//! reaches past the bytes is filled up with a byte that is not special.
//!
//! Way in: [`Specials`]. Slow twin: the definition, in the tests below.

/// A walk over the special bytes, in rising order.
pub(crate) struct Specials<'a> {
    bytes: &'a [u8],
    delimiter: u8,
    /// The special bytes of the present block that are still to come.
    ahead: u64,
    /// Where the present block begins.
    block: u32,
    /// Where the next block begins.
    next: u32,
}

impl<'a> Specials<'a> {
    /// The special bytes from `from` on.
    ///
    /// # Panics
    /// When there are 4 GiB of bytes: a window is never longer than 1 GiB.
    pub(crate) fn new(bytes: &'a [u8], from: u32, delimiter: u8) -> Self {
        assert!(u32::try_from(bytes.len() + 64).is_ok(), "a window is shorter than 4 GiB");
        Self { bytes, delimiter, ahead: 0, block: from, next: from }
    }

    /// The place of the next special byte.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Option<u32> {
        while self.ahead == 0 {
            self.next_block()?;
        }
        let at = self.block + self.ahead.trailing_zeros();
        self.ahead &= self.ahead - 1;
        Some(at)
    }

    #[inline(never)]
    fn next_block(&mut self) -> Option<()> {
        let rest = self.bytes.get(self.next as usize..).filter(|rest| !rest.is_empty())?;
        self.block = self.next;
        self.next += 64;
        self.ahead = match rest.first_chunk::<64>() {
            Some(block) => marks(block, self.delimiter),
            None => {
                // The delimiter is no letter.
                let mut block = [b'a'; 64];
                block[..rest.len()].copy_from_slice(rest);
                marks(&block, self.delimiter)
            }
        };
        Some(())
    }
}

/// One bit for each byte of the block that is special.
///
/// In two steps that a compiler turns into vector instructions and multiplications: a byte
/// 0 or 1 for each byte of the block, then eight such bytes to eight bits.
#[inline]
fn marks(block: &[u8; 64], delimiter: u8) -> u64 {
    let mut special = [0u8; 64];
    for (mark, &byte) in special.iter_mut().zip(block) {
        *mark = u8::from(byte == delimiter)
            | u8::from(byte == b'\n')
            | u8::from(byte == b'\r')
            | u8::from(byte == b'"')
            | u8::from(byte == 0);
    }
    let mut marks = 0;
    for (position, eight) in special.as_chunks::<8>().0.iter().enumerate() {
        // The multiplication moves the lowest bit of each byte to the top byte.
        let gathered = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        marks |= gathered << (8 * position);
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_special_byte_is_met_once(
            bytes in proptest::collection::vec(
                prop_oneof![any::<u8>(), prop::sample::select(&b",;\"\n\r\0\x01\x80"[..])], 0..300),
            from in 0usize..300,
            delimiter in prop::sample::select(&b",;\t|\x1f"[..]),
        ) {
            let from = from.min(bytes.len());
            let by_definition: Vec<u32> = (0..)
                .zip(&bytes)
                .skip(from)
                .filter(|(_, byte)| [delimiter, b'\n', b'\r', b'"', 0].contains(byte))
                .map(|(at, _)| at)
                .collect();
            let mut specials = Specials::new(&bytes, u32::try_from(from).unwrap(), delimiter);
            let met: Vec<u32> = std::iter::from_fn(|| specials.next()).collect();
            prop_assert_eq!(met, by_definition);
        }
    }
}
