//! Files of other programs, known by their first bytes.
//!
//! A file that is no text would be refused for its first NUL byte or an unreadable header,
//! which says nothing to the person who exported it. Here it gets its name, and a way to a
//! file that can be read.
//!
//! Trap: a CSV file may begin with any text. Only marks that no header line holds are
//! asked for: control bytes, or a text of several words.
//!
//! Way in: [`check`]. Sources: the specifications of the formats, and for SPSS, Stata and SAS
//! those that the ReadStat library documents.

use crate::refusal::Code;
use marginswap_core::diagnostic::Diagnostic;

/// As many bytes as are looked at.
pub(crate) const ENOUGH: usize = 1024;

/// What a file is, and how its data get out of it.
struct Foreign {
    what: &'static str,
    remedy: &'static str,
}

const EXPORT: &str = "export the data as CSV or Parquet from the program that wrote it";
const PLAIN: &str = "unpack it first; it is read where it is not packed with gzip";
const UNPACK: &str = "unpack it first; of packed files only gzip is read";

/// Refuses a file that begins as one of another program, or as text in UTF-16.
pub(crate) fn check(first: &[u8]) -> Result<(), Diagnostic> {
    let first = &first[..first.len().min(ENOUGH)];
    if is_utf_16(first) {
        return Err(Diagnostic::new(
            Code::Utf16,
            "the file is text in UTF-16, two bytes for each character",
            "convert it to UTF-8, for example with `iconv -f UTF-16 -t UTF-8`",
        )
        .at(1, 0));
    }
    match recognised(first) {
        Some(Foreign { what, remedy }) => {
            Err(Diagnostic::new(Code::ForeignFile, format!("this is {what}"), remedy))
        }
        None => Ok(()),
    }
}

/// With its byte order mark, or without it when the first two characters are ASCII.
fn is_utf_16(first: &[u8]) -> bool {
    first.starts_with(b"\xff\xfe")
        || first.starts_with(b"\xfe\xff")
        || matches!(first, [low @ 1..=127, 0, next @ 1..=127, 0, ..] if is_text(*low) && is_text(*next))
        || matches!(first, [0, low @ 1..=127, 0, next @ 1..=127, ..] if is_text(*low) && is_text(*next))
}

fn is_text(byte: u8) -> bool {
    byte >= b' ' || matches!(byte, b'\t' | b'\n' | b'\r')
}

fn recognised(first: &[u8]) -> Option<Foreign> {
    let export = |what| Some(Foreign { what, remedy: EXPORT });
    let plain = |what| Some(Foreign { what, remedy: PLAIN });
    let unpack = |what| Some(Foreign { what, remedy: UNPACK });
    match first {
        // These are read where they are not packed.
        [b'$', b'F', b'L', b'2' | b'3', b'@', b'(', b'#', b')', ..] => plain("an SPSS file"),
        [113..=115, 1 | 2, 1, _, ..] => plain("a Stata file"),
        _ if first.starts_with(b"<stata_dta>") => plain("a Stata file"),
        _ if first.starts_with(b"HEADER RECORD*******LIB") => plain("a SAS transport file"),
        // The release, the byte order, a kind that is always 1; newer ones are read.
        [102..=112, 1 | 2, 1, _, ..] => Some(Foreign {
            what: "a file of Stata 7 or older",
            remedy: "open it in a newer Stata and save it, or export the data as CSV or Parquet",
        }),
        _ if first.get(12..16) == Some(b"\xc2\xea\x81\x60") && is_zero(&first[..12]) => {
            export("a SAS file")
        }
        _ if first.get(12..16) == Some(b"\xc2\xea\x81\x63") && is_zero(&first[..12]) => {
            export("a SAS catalog, which holds formats and no records")
        }
        _ if first.starts_with(b"**COMPRESSED** **COMPRESSED**") => {
            export("a packed SAS transport file (CPORT)")
        }
        _ if is_portable(first) => export("an SPSS portable file"),
        _ if first.starts_with(b"PK\x03\x04") => zipped(first),
        _ if first.starts_with(b"PK\x05\x06") => unpack("an empty zip archive"),
        _ if first.starts_with(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") => {
            export("an Excel file of the old kind (.xls), or another file of Microsoft Office")
        }
        _ if first.starts_with(b"\xfd7zXZ\0") => unpack("a file packed with xz"),
        _ if first.starts_with(b"\x28\xb5\x2f\xfd") => unpack("a file packed with Zstandard"),
        _ if first.starts_with(b"\x04\x22\x4d\x18") => unpack("a file packed with LZ4"),
        _ if first.starts_with(b"7z\xbc\xaf\x27\x1c") => unpack("a 7-Zip archive"),
        [b'B', b'Z', b'h', b'1'..=b'9', b'1', b'A', b'Y', b'&', b'S', b'Y', ..] => {
            unpack("a file packed with bzip2")
        }
        _ if first.starts_with(b"ARROW1\0") => export("an Arrow or Feather file"),
        [b'R', b'D', b'X', b'2' | b'3', b'\n', b'X', b'\n', ..] => {
            export("an R data file (.RData)")
        }
        [b'X', b'\n', 0, 0, 0, 2 | 3, ..] => export("an R data file (.rds)"),
        _ if first.starts_with(b"SQLite format 3\0") => export("an SQLite database"),
        _ => None,
    }
}

fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|&byte| byte == 0)
}

/// A portable file names its kind after 456 signs, in lines of 80.
fn is_portable(first: &[u8]) -> bool {
    let signs: Vec<u8> = first.iter().copied().filter(|byte| !b"\r\n".contains(byte)).collect();
    signs.get(456..464) == Some(b"SPSSPORT")
}

/// What an archive holds, by the name of its first file.
fn zipped(first: &[u8]) -> Option<Foreign> {
    let holds = |name: &[u8]| first.windows(name.len()).any(|window| window == name);
    if holds(b"[Content_Types].xml") || holds(b"xl/") || holds(b"_rels/") {
        return Some(Foreign { what: "an Excel file (.xlsx)", remedy: EXPORT });
    }
    if holds(b"opendocument.spreadsheet") {
        return Some(Foreign { what: "a LibreOffice file (.ods)", remedy: EXPORT });
    }
    Some(Foreign { what: "a zip archive", remedy: UNPACK })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(bytes: &[u8]) -> Option<(marginswap_core::diagnostic::Kind, String)> {
        check(bytes).err().map(|refusal| (refusal.code, refusal.detail))
    }

    #[test]
    fn each_format_is_known_by_its_first_bytes() {
        let portable = [&[b'*'; 80][..], b"\r\n"].concat().repeat(5);
        let portable = [&portable[..], &[b'*'; 56], b"SPSSPORT"].concat();
        let sas = [&[0; 12][..], b"\xc2\xea\x81\x60\xb3\x14"].concat();
        let catalog = [&[0; 12][..], b"\xc2\xea\x81\x63\xb3\x14"].concat();
        let files: [(&[u8], &str); 18] = [
            (&portable, "SPSS portable"),
            (b"\x69\x01\x01\x1c\x01", "Stata 7"),
            (&sas, "SAS file"),
            (&catalog, "SAS catalog"),
            (b"PK\x03\x04\x14\0\x06\0[Content_Types].xml", ".xlsx"),
            (b"PK\x03\x04mimetypeapplication/vnd.oasis.opendocument.spreadsheet", ".ods"),
            (b"PK\x03\x04\x14\0\0\0survey.csv", "zip"),
            (b"PK\x05\x06\0\0\0\0", "zip"),
            (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0", ".xls"),
            (b"\xfd7zXZ\0\0", "xz"),
            (b"\x28\xb5\x2f\xfd\x04", "Zstandard"),
            (b"\x04\x22\x4d\x18\x40", "LZ4"),
            (b"7z\xbc\xaf\x27\x1c\0", "7-Zip"),
            (b"BZh91AY&SY", "bzip2"),
            (b"ARROW1\0\0", "Arrow"),
            (b"RDX3\nX\n\0\0\0\x03", ".RData"),
            (b"X\n\0\0\0\x03\0\x04", ".rds"),
            (b"SQLite format 3\0", "SQLite"),
        ];
        for (bytes, name) in files {
            let (code, detail) = answer(bytes).unwrap_or_else(|| panic!("{name} is not known"));
            assert_eq!(code, Code::ForeignFile);
            assert!(detail.contains(name), "{detail} is no {name}");
        }
    }

    #[test]
    fn utf_16_is_known_with_its_mark_and_without() {
        for bytes in [&b"\xff\xfea\0"[..], b"\xfe\xff\0a", b"a\0,\0b\0", b"\0a\0,\0b"] {
            assert_eq!(answer(bytes).map(|(code, _)| code), Some(Code::Utf16), "{bytes:?}");
        }
    }

    #[test]
    fn text_is_text_however_it_begins() {
        for text in [
            "",
            "a",
            "$FL2,b\n",
            "PK,b\n",
            "BZh9,b\n",
            "RDX2\n1\n",
            "X\n1\n",
            "s,m\n",
            "ARROW1,b\n",
            "<stata>,b\n",
            "HEADER RECORD,b\n",
            "7z,b\n",
            "a\0b",
            "\0",
            "ASCII SPSS PORT FILE\n",
        ] {
            assert_eq!(answer(text.as_bytes()), None, "{text:?}");
        }
    }
}
