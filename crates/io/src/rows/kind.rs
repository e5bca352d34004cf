//! What a cell says: numbers as people write them, missing codes by name, text without its padding.
//!
//! Different cells of one column say different things, but for the kinds of [`Kind::has_twins`]:
//! the padding of a text is cut at its end alone, and the shortest decimal number that is read back
//! as the same bits is written.
//!
//! Trap: a missing code of Stata is a number above the largest one; other numbers up there, and
//! those that are none, are written as their bits in hexadecimal digits.

use std::ops::Range;

use super::cursor::Order;

/// What the bytes of a cell mean.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    /// A whole number of Stata, of one, two or four bytes.
    StataInteger(Order),
    /// A number of Stata in four bytes.
    StataFloat(Order),
    /// A number of Stata in eight bytes.
    StataDouble(Order),
    /// A place where Stata holds a text.
    StataReference,
    /// A number of SPSS.
    SpssNumber(Order),
    /// A number of SAS in a transport file, of two to eight bytes.
    SasNumber,
    /// Text.
    Text(Text),
}

/// How a text lies in its cell.
#[derive(Debug, Clone)]
pub(crate) struct Text {
    /// The parts of the cell that hold it, where it is not the whole cell.
    pub(crate) parts: Vec<Range<usize>>,
    /// What fills the cell up.
    pub(crate) padding: u8,
    pub(crate) encoding: Encoding,
}

/// How the signs of a text are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Its bytes are its category.
    Bytes,
    /// One byte for each sign, as in Western Europe.
    Windows1252,
}

/// The signs that Windows-1252 has in place of control characters.
const WINDOWS_1252: [char; 32] = [
    '\u{20ac}', '\u{81}', '\u{201a}', '\u{192}', '\u{201e}', '\u{2026}', '\u{2020}', '\u{2021}',
    '\u{2c6}', '\u{2030}', '\u{160}', '\u{2039}', '\u{152}', '\u{8d}', '\u{17d}', '\u{8f}',
    '\u{90}', '\u{2018}', '\u{2019}', '\u{201c}', '\u{201d}', '\u{2022}', '\u{2013}', '\u{2014}',
    '\u{2dc}', '\u{2122}', '\u{161}', '\u{203a}', '\u{153}', '\u{9d}', '\u{17e}', '\u{178}',
];

impl Encoding {
    /// Adds text in UTF-8; bytes that are none stay as they are.
    pub(crate) fn decode(self, bytes: &[u8], out: &mut Vec<u8>) {
        if self == Self::Bytes || bytes.is_ascii() {
            return out.extend_from_slice(bytes);
        }
        for &byte in bytes {
            let sign = match byte {
                0x80..=0x9f => WINDOWS_1252[usize::from(byte - 0x80)],
                _ => char::from(byte),
            };
            out.extend_from_slice(sign.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }

    /// A name or a label, which is text.
    pub(crate) fn text(self, bytes: &[u8]) -> String {
        let mut text = Vec::new();
        self.decode(bytes, &mut text);
        String::from_utf8_lossy(&text).into_owned()
    }
}

impl Kind {
    /// May two cells of different bytes say the same?
    pub(crate) fn has_twins(&self) -> bool {
        matches!(self, Self::SasNumber | Self::StataReference)
            || matches!(self, Self::Text(text) if !text.parts.is_empty())
    }

    /// Adds what a cell says.
    pub(crate) fn say(&self, cell: &[u8], out: &mut Vec<u8>) {
        match self {
            Self::StataInteger(order) => {
                let largest: i64 = match cell.len() {
                    1 => 100,
                    2 => 32_740,
                    _ => 2_147_483_620,
                };
                let number = order.signed(cell);
                match u64::try_from(number - largest - 1) {
                    Ok(code) => put_missing(code, out),
                    Err(_) => out.extend_from_slice(number.to_string().as_bytes()),
                }
            }
            Self::StataFloat(order) => {
                let bits = order.unsigned(cell);
                match bits.checked_sub(0x7f00_0000).filter(|_| bits < 0x8000_0000) {
                    Some(above) => put_above(above, 0x800, bits, out),
                    None => put_single(bits, out),
                }
            }
            Self::StataDouble(order) => {
                let bits = order.unsigned(cell);
                match bits.checked_sub(0x7fe0 << 48).filter(|_| bits >> 63 == 0) {
                    Some(above) => put_above(above, 1 << 40, bits, out),
                    None => put_double(bits, out),
                }
            }
            Self::SpssNumber(order) => match order.unsigned(cell) {
                // The lowest number there is.
                0xffef_ffff_ffff_ffff => out.push(b'.'),
                bits => put_double(bits, out),
            },
            Self::SasNumber => put_ibm(cell, out),
            Self::Text(text) => text.say(cell, out),
            Self::StataReference => unreachable!("its text is asked for"),
        }
    }

    /// Is this one of the names of a missing number?
    pub(crate) fn is_number(&self) -> bool {
        !matches!(self, Self::Text(_) | Self::StataReference)
    }
}

impl Text {
    /// The bytes of a cell that says all in one part, without the padding.
    pub(crate) fn plain<'a>(&self, cell: &'a [u8]) -> Option<&'a [u8]> {
        let is_plain =
            self.parts.is_empty() && (self.encoding == Encoding::Bytes || cell.is_ascii());
        is_plain.then(|| without_padding(cell, self.padding))
    }

    fn say(&self, cell: &[u8], out: &mut Vec<u8>) {
        if self.parts.is_empty() {
            return self.encoding.decode(without_padding(cell, self.padding), out);
        }
        let parts = self.parts.iter().flat_map(|part| &cell[part.clone()]);
        let whole: Vec<u8> = parts.copied().collect();
        self.encoding.decode(without_padding(&whole, self.padding), out);
    }
}

fn without_padding(cell: &[u8], padding: u8) -> &[u8] {
    let end = cell.iter().rposition(|&byte| byte != padding).map_or(0, |last| last + 1);
    &cell[..end]
}

/// `.` and then `.a` to `.z`.
fn put_missing(code: u64, out: &mut Vec<u8>) {
    out.push(b'.');
    if let Some(letter) = u8::try_from(code).ok().filter(|&code| code > 0) {
        out.push(b'a' + letter - 1);
    }
}

fn put_above(above: u64, step: u64, bits: u64, out: &mut Vec<u8>) {
    match above.is_multiple_of(step) && above / step <= 26 {
        true => put_missing(above / step, out),
        false => put_bits(bits, out),
    }
}

fn put_bits(bits: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("bits {bits:x}").as_bytes());
}

fn put_single(bits: u64, out: &mut Vec<u8>) {
    let number = f32::from_bits(u32::try_from(bits).expect("it has four bytes"));
    let text = match number.abs() {
        0.0 | 1e-5..1e16 => format!("{number}"),
        _ if number.is_finite() => format!("{number:e}"),
        _ => return put_bits(bits, out),
    };
    out.extend_from_slice(text.as_bytes());
}

fn put_double(bits: u64, out: &mut Vec<u8>) {
    let number = f64::from_bits(bits);
    let text = match number.abs() {
        0.0 | 1e-5..1e16 => format!("{number}"),
        _ if number.is_finite() => format!("{number:e}"),
        _ => return put_bits(bits, out),
    };
    out.extend_from_slice(text.as_bytes());
}

/// A number of IBM's mainframes: a sign, an exponent of 16, and a fraction. A first byte that is
/// `.`, `_` or a letter before zeros is a missing number.
fn put_ibm(cell: &[u8], out: &mut Vec<u8>) {
    let (&first, fraction) = cell.split_first().expect("a cell has a byte");
    if fraction.iter().all(|&byte| byte == 0) {
        match first {
            b'.' => return out.push(b'.'),
            b'_' | b'A'..=b'Z' => return out.extend_from_slice(&[b'.', first]),
            _ => return out.push(b'0'),
        }
    }
    let digits = Order::Big.unsigned(fraction);
    let places = 8 * i32::try_from(fraction.len()).expect("a number is short");
    let power = 4 * (i32::from(first & 0x7f) - 64) - places;
    // Up to 56 bits do not all fit into 53: what is cut would make two numbers one.
    let exact = digits >> digits.trailing_zeros() < 1 << 53;
    #[allow(clippy::cast_precision_loss, reason = "what does not fit is shown as bits")]
    let number = digits as f64 * f64::powi(2.0, power);
    match exact {
        true => {
            let signed = if first & 0x80 == 0 { number } else { -number };
            put_double(signed.to_bits(), out);
        }
        false => put_bits(Order::Big.unsigned(cell), out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(kind: &Kind, cell: &[u8]) -> String {
        let mut out = Vec::new();
        kind.say(cell, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn numbers_of_stata_read_as_people_write_them() {
        let byte = Kind::StataInteger(Order::Big);
        for (cell, text) in [(100, "100"), (101, "."), (102, ".a"), (127, ".z"), (0x81, "-127")] {
            assert_eq!(said(&byte, &[cell]), text);
        }
        assert_eq!(said(&byte, &32_740i16.to_be_bytes()), "32740");
        assert_eq!(said(&byte, &32_767i16.to_be_bytes()), ".z");
        assert_eq!(said(&byte, &2_147_483_621i32.to_be_bytes()), ".");
        let float = Kind::StataFloat(Order::Little);
        for (number, text) in [(0.1, "0.1"), (-2.0, "-2"), (1e20, "1e20"), (-0.0, "-0")] {
            assert_eq!(said(&float, &f32::to_le_bytes(number)), text);
        }
        assert_eq!(said(&float, &0x7f00_0000u32.to_le_bytes()), ".");
        assert_eq!(said(&float, &0x7f00_0800u32.to_le_bytes()), ".a");
        assert_eq!(said(&float, &0x7f00_0001u32.to_le_bytes()), "bits 7f000001");
        let double = Kind::StataDouble(Order::Big);
        assert_eq!(said(&double, &1234.5f64.to_be_bytes()), "1234.5");
        assert_eq!(said(&double, &0x7fe0_1a00_0000_0000u64.to_be_bytes()), ".z");
        assert_eq!(said(&double, &f64::NEG_INFINITY.to_be_bytes()), "bits fff0000000000000");
    }

    #[test]
    fn numbers_of_the_mainframe_are_exact() {
        let said = |cell: &[u8]| said(&Kind::SasNumber, cell);
        assert_eq!(said(&[0x41, 0x10, 0, 0, 0, 0, 0, 0]), "1");
        assert_eq!(said(&[0xc2, 0x76, 0xa0, 0, 0, 0, 0, 0]), "-118.625");
        assert_eq!(said(&[0x41, 0x10]), "1");
        assert_eq!(said(b".\0\0\0\0\0\0\0"), ".");
        assert_eq!(said(b"B\0\0\0\0\0\0\0"), ".B");
        assert_eq!(said(b"_\0\0\0\0\0\0\0"), "._");
        assert_eq!(said(&[0; 8]), "0");
        assert!(said(&[0x4e, 0xff, 0, 0, 0, 0, 0, 1]).starts_with("bits "));
    }

    #[test]
    fn text_loses_its_padding_and_nothing_else() {
        let text = |padding, encoding| Kind::Text(Text { parts: Vec::new(), padding, encoding });
        let stata = text(0, Encoding::Windows1252);
        assert_eq!(said(&stata, b" a \0\0"), " a ");
        assert_eq!(said(&stata, b"a\0b\0"), "a\0b");
        assert_eq!(said(&stata, b"M\xe4rz\x80"), "März€");
        assert_eq!(said(&text(b' ', Encoding::Bytes), b" a   "), " a");
    }

    /// No byte is lost: every one has a sign of its own.
    #[test]
    fn different_bytes_are_different_signs() {
        let signs: std::collections::BTreeSet<String> =
            (0..=255).map(|byte: u8| Encoding::Windows1252.text(&[byte])).collect();
        assert_eq!(signs.len(), 256);
    }
}
