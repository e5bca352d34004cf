//! The keyed seal of a plan: HMAC-SHA-256 (RFC 2104) over its bytes.
//!
//! The sum on a plan's last line tells a damaged plan from a sound one; anyone who may write
//! the file may write a sum. A seal needs a key, so that a plan which was changed on its way
//! from the one who planned to the one who applies is refused.
//!
//! Trap: a seal is compared in full, whatever its first bytes are, so that the time it takes
//! tells nothing about it.
//!
//! Way in: [`SealKey::new`], then [`plan_bytes_sealed`](crate::plan_bytes_sealed) and
//! [`read_plan_sealed`](crate::read_plan_sealed).

use std::fmt;

use sha2::{Digest, Sha256};

use crate::digest::hex;

/// The length of a block of SHA-256.
const BLOCK: usize = 64;

/// A secret of 256 bits.
#[derive(Clone, PartialEq, Eq)]
pub struct SealKey([u8; 32]);

impl SealKey {
    /// The key of these bytes.
    #[must_use]
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The seal of these bytes, as 64 digits.
    #[must_use]
    pub fn seal(&self, bytes: &[u8]) -> String {
        hex(&hmac(&self.0, bytes))
    }

    /// Is this the seal of these bytes?
    #[must_use]
    pub fn is_seal(&self, bytes: &[u8], seal: &[u8]) -> bool {
        let right = self.seal(bytes);
        let differing =
            right.as_bytes().iter().zip(seal).fold(0, |all, (one, other)| all | (one ^ other));
        right.len() == seal.len() && differing == 0
    }
}

impl fmt::Debug for SealKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SealKey(secret)")
    }
}

/// H((K ⊕ opad) ‖ H((K ⊕ ipad) ‖ text)), for a key no longer than a block.
fn hmac(key: &[u8], text: &[u8]) -> [u8; 32] {
    assert!(key.len() <= BLOCK, "a longer key would have to be hashed first");
    let padded = |pad: u8| {
        let mut block = [pad; BLOCK];
        block.iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
        block
    };
    let inner = Sha256::new().chain_update(padded(0x36)).chain_update(text).finalize();
    Sha256::new().chain_update(padded(0x5c)).chain_update(inner).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test cases of RFC 4231 whose keys fit a block.
    #[test]
    fn known_seals() {
        for (key, text, seal) in [
            (
                vec![0x0b; 20],
                b"Hi There".to_vec(),
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            ),
            (
                b"Jefe".to_vec(),
                b"what do ya want for nothing?".to_vec(),
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (
                vec![0xaa; 20],
                vec![0xdd; 50],
                "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
            ),
            (
                (1..=25).collect(),
                vec![0xcd; 50],
                "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
            ),
        ] {
            assert_eq!(hex(&hmac(&key, &text)), seal);
        }
    }

    #[test]
    fn only_the_whole_seal_is_one() {
        let key = SealKey::new([7; 32]);
        let seal = key.seal(b"plan");
        assert!(key.is_seal(b"plan", seal.as_bytes()));
        assert!(!key.is_seal(b"plan", &seal.as_bytes()[..63]));
        assert!(!key.is_seal(b"plan", b""));
        assert!(!key.is_seal(b"plan", format!("{seal}0").as_bytes()));
        assert!(!key.is_seal(b"plam", seal.as_bytes()));
        assert!(!SealKey::new([8; 32]).is_seal(b"plan", seal.as_bytes()));
        assert!(!format!("{key:?}").contains('7'));
    }
}
