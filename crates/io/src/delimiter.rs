//! The byte between two fields: given, or found in the header line.
//!
//! The header line decides between comma, semicolon and tab: the one that is in it
//! most often outside quotes. A tie goes to the tab, then to the semicolon: a tab hardly
//! ever occurs in a name, and files with semicolons are those whose values hold commas.
//! A header without any of them is one column, and the delimiter is the comma.
//!
//! Trap: where a quote opens depends on the delimiter, which is not known yet. Here a
//! quote opens at the start of the line and after any of the three candidates.
//!
//! Way in: [`Delimiter::parse`], and `Delimiter::detect` for the reader.

use std::fmt;

use crate::refusal::Code;
use marginswap_core::diagnostic::Diagnostic;

/// The byte between two fields.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Delimiter(u8);

impl Delimiter {
    /// The comma.
    pub const COMMA: Self = Self(b',');
    /// The semicolon.
    pub const SEMICOLON: Self = Self(b';');
    /// The tab.
    pub const TAB: Self = Self(b'\t');

    /// What a header line is searched for; the first wins a tie.
    const CANDIDATES: [Self; 3] = [Self::TAB, Self::SEMICOLON, Self::COMMA];

    /// The delimiter a user names: one of the words `comma`, `semicolon`, `tab` and
    /// `pipe`, the two characters `\t`, or the byte itself. A space is a delimiter too (R's
    /// `write.table` writes it).
    ///
    /// # Errors
    /// [`Code::BadDelimiter`] for more than one byte, for a quote, a line end, a NUL, a
    /// letter, a digit, or anything outside ASCII.
    pub fn parse(text: &str) -> Result<Self, Diagnostic> {
        let byte = match (text, text.as_bytes()) {
            ("comma", _) => b',',
            ("semicolon", _) => b';',
            ("tab" | "\\t", _) => b'\t',
            ("pipe", _) => b'|',
            (_, &[byte]) => byte,
            _ => {
                return Err(Diagnostic::new(
                    Code::BadDelimiter,
                    format!("a delimiter is one byte, this is {}", text.len()),
                    "name one of comma, semicolon, tab, pipe, or one ASCII sign",
                ));
            }
        };
        let what = match byte {
            b'"' => "a double quote encloses fields",
            b'\r' | b'\n' => "a line end separates records",
            0 => "a NUL byte does not occur in CSV files",
            byte if byte.is_ascii_alphanumeric() => "letters and digits occur in values",
            _ => return Ok(Self(byte)),
        };
        Err(Diagnostic::new(
            Code::BadDelimiter,
            format!("{what} and cannot separate fields"),
            "name one of comma, semicolon, tab, pipe, or one ASCII sign",
        ))
    }

    /// The byte.
    #[must_use]
    pub fn byte(self) -> u8 {
        self.0
    }

    /// The delimiter of the line that `bytes` begin with; `None` when the line does not end
    /// in them.
    pub(crate) fn detect(bytes: &[u8]) -> Option<Self> {
        Self::count(bytes).1
    }

    /// As [`Delimiter::detect`], when no bytes follow.
    pub(crate) fn detect_last(bytes: &[u8]) -> Self {
        Self::count(bytes).0
    }

    /// The delimiter that bytes beginning with Excel's line `sep=;` give, and the length of
    /// that line. The line may be between quotes.
    pub(crate) fn in_sep_line(bytes: &[u8]) -> Option<(Self, usize)> {
        let is_quoted = bytes.first() == Some(&b'"');
        let line = &bytes[usize::from(is_quoted)..];
        let (&sign, behind) = strip_word(line, b"sep=")?.split_first()?;
        let behind = if is_quoted { behind.strip_prefix(b"\"")? } else { behind };
        let rest = behind.strip_prefix(b"\r\n").or_else(|| behind.strip_prefix(b"\n"))?;
        let sign = char::from(sign).to_string();
        Some((Self::parse(&sign).ok()?, bytes.len() - rest.len()))
    }

    /// Another delimiter that the header of a file of one column holds, and every record below
    /// as often; `None` without records.
    pub(crate) fn other_meant<'l>(
        self,
        header: &[u8],
        records: impl Iterator<Item = &'l [u8]> + Clone,
    ) -> Option<(Self, usize)> {
        let others = [Self::TAB, Self::SEMICOLON, Self::COMMA, Self(b'|')];
        others.into_iter().filter(|other| *other != self).find_map(|other| {
            let times = other.times_in(header);
            let mut all = records.clone().peekable();
            let is_meant = times > 0
                && all.peek().is_some()
                && all.all(|record| other.times_in(record) == times);
            is_meant.then_some((other, times))
        })
    }

    /// How often it occurs in a line outside quotes.
    fn times_in(self, line: &[u8]) -> usize {
        let mut quoted = false;
        let is_delimiter = |&&byte: &&u8| {
            quoted ^= byte == b'"';
            byte == self.0 && !quoted
        };
        line.iter().filter(is_delimiter).count()
    }

    /// The winner so far, and the winner of the line if the line ends.
    fn count(bytes: &[u8]) -> (Self, Option<Self>) {
        let mut counts = [0usize; 3];
        let mut quoted = false;
        let mut may_open = true;
        let mut ends = false;
        for &byte in bytes {
            let was_quoted = quoted;
            match byte {
                b'"' if quoted || may_open => quoted = !quoted,
                // A NUL or a lone return is refused later; no line goes on after them.
                b'\n' | b'\r' | 0 if !quoted => {
                    ends = true;
                    break;
                }
                _ => {}
            }
            let candidate = Self::CANDIDATES.iter().position(|candidate| candidate.0 == byte);
            if let (Some(candidate), false) = (candidate, quoted) {
                counts[candidate] += 1;
            }
            // A quote after a closing quote is the second of a pair: it opens again.
            may_open = !quoted && (candidate.is_some() || was_quoted);
        }
        let most = counts.into_iter().max().unwrap_or(0);
        let winner = match counts.iter().position(|&count| count == most) {
            Some(candidate) if most > 0 => Self::CANDIDATES[candidate],
            _ => Self::COMMA,
        };
        (winner, ends.then_some(winner))
    }
}

/// What follows a word, in capitals or not.
fn strip_word<'b>(bytes: &'b [u8], word: &[u8]) -> Option<&'b [u8]> {
    let (begin, rest) = bytes.split_at_checked(word.len())?;
    begin.eq_ignore_ascii_case(word).then_some(rest)
}

impl fmt::Display for Delimiter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            b',' => formatter.write_str("comma"),
            b';' => formatter.write_str("semicolon"),
            b'\t' => formatter.write_str("tab"),
            b'|' => formatter.write_str("pipe"),
            b' ' => formatter.write_str("space"),
            byte => write!(formatter, "`{}`", byte.escape_ascii()),
        }
    }
}

impl fmt::Debug for Delimiter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Delimiter({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_bytes_are_understood() {
        for (text, byte) in [
            ("comma", b','),
            (",", b','),
            ("semicolon", b';'),
            ("tab", b'\t'),
            ("\\t", b'\t'),
            ("\t", b'\t'),
            ("pipe", b'|'),
            ("|", b'|'),
            (" ", b' '),
            ("\x1f", 0x1f),
        ] {
            assert_eq!(Delimiter::parse(text).unwrap().byte(), byte);
        }
        for text in ["", "a", "7", "\"", "\n", "\r", "\0", "||", "é", "colon"] {
            assert_eq!(Delimiter::parse(text).unwrap_err().code, Code::BadDelimiter, "{text:?}");
        }
    }

    #[test]
    fn excel_says_it_on_a_line_of_its_own() {
        for (bytes, delimiter, length) in [
            ("sep=;\na;b\n", ";", 6),
            ("SEP=,\r\na,b\n", ",", 7),
            ("\"sep=\t\"\na\tb\n", "\t", 8),
            ("sep=|\n", "|", 6),
        ] {
            let delimiter = Delimiter::parse(delimiter).unwrap();
            assert_eq!(Delimiter::in_sep_line(bytes.as_bytes()), Some((delimiter, length)));
        }
        for bytes in
            ["sep=", "sep=;", "sep=;;\n", "sep=a\n", "sep;\n", "\"sep=;\n", "sep=\n", "a\n"]
        {
            assert_eq!(Delimiter::in_sep_line(bytes.as_bytes()), None, "{bytes:?}");
        }
    }

    #[test]
    fn another_delimiter_is_meant_when_every_line_has_it_as_often() {
        let meant = |header: &str, records: &[&str]| {
            let records = records.iter().map(|record| record.as_bytes());
            Delimiter::SEMICOLON.other_meant(header.as_bytes(), records)
        };
        assert_eq!(meant("a,b,c\n", &["1,2,3\n", "1,\",\",3\n"]), Some((Delimiter::COMMA, 2)));
        assert_eq!(meant("a|b\n", &["1|2\n"]), Some((Delimiter(b'|'), 1)));
        for (header, records) in [
            ("a,b\n", &["1,2\n", "1\n"][..]),
            ("a,b\n", &[]),
            ("a\n", &["1,2\n"]),
            ("\"a,b\"\n", &["1,2\n"]),
            ("a;b\n", &["1;2\n"]),
        ] {
            assert_eq!(meant(header, records), None, "{header:?}");
        }
    }

    #[test]
    fn the_header_decides() {
        for (line, delimiter) in [
            ("a,b\n", Delimiter::COMMA),
            ("a;b,c;d\n", Delimiter::SEMICOLON),
            ("a\tb,c\n", Delimiter::TAB),
            ("a;b,c\n", Delimiter::SEMICOLON),
            ("a\n1;2;3\n", Delimiter::COMMA),
            ("\"a;;;\"\"\n;;\",b\n", Delimiter::COMMA),
            ("5\" pipe;a,b;c\n", Delimiter::SEMICOLON),
            ("5\"\" pipe;a,b;c\n", Delimiter::SEMICOLON),
            ("a,b\r;;;", Delimiter::COMMA),
        ] {
            assert_eq!(Delimiter::detect(line.as_bytes()), Some(delimiter), "{line:?}");
        }
        assert_eq!(Delimiter::detect(b"a;b"), None);
        assert_eq!(Delimiter::detect_last(b"a;b"), Delimiter::SEMICOLON);
        assert_eq!(Delimiter::detect(b"\"a\n"), None);
    }
}
