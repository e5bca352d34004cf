//! Which columns of a CSV file show by their quotes where a value comes from, and the form that all
//! their fields get instead.
//!
//! A file that was joined from two sources, one of which quotes, is quoted line by line. A value
//! that is exchanged takes its raw bytes along, and a line of both kinds is one that was changed.
//! So where quotes do not follow from the value, the fields of the column are released with quotes
//! where they are needed and without them elsewhere.
//!
//! Quotes follow from the value where all numbers have them or none has, and so all empty fields,
//! all that begin or end with a blank, all with a quote inside, and all other texts. One text may do
//! without them where all others have them, as R writes NA and databases NULL. What cannot be
//! written without quotes says nothing.
//!
//! Law: `quotes-betray-nothing`.
//!
//! Way in: [`differs_by_more_than_value`], [`put_as_needed`].

use marginswap_core::decimal::Decimal;

use crate::scan::content_of;

const QUOTE: u8 = b'"';

/// What quotes may follow from.
#[derive(Clone, Copy)]
enum Kind {
    Empty,
    Number,
    Blank,
    Quote,
    Text,
}

/// The kind of what a field says; `None` where it cannot be written without quotes.
fn kind(content: &[u8], delimiter: u8) -> Option<Kind> {
    let breaks = |byte: &u8| [delimiter, b'\n', b'\r'].contains(byte);
    let is_blank = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_whitespace);
    match content {
        [] => Some(Kind::Empty),
        [QUOTE, ..] => None,
        _ if content.iter().any(breaks) => None,
        _ if content.contains(&QUOTE) => Some(Kind::Quote),
        _ if is_blank(content.first()) || is_blank(content.last()) => Some(Kind::Blank),
        _ if Decimal::read(content).is_some() => Some(Kind::Number),
        _ => Some(Kind::Text),
    }
}

/// Is a field with these raw bytes between quotes?
fn is_quoted(raw: &[u8]) -> bool {
    raw.first() == Some(&QUOTE)
}

/// Do the quotes of these raw fields, each named once or more often, tell more than their values
/// do?
pub(crate) fn differs_by_more_than_value<'r>(
    raw: impl Iterator<Item = &'r [u8]> + Clone,
    delimiter: u8,
) -> bool {
    // For each kind: is one bare, is one quoted?
    let mut seen = [[false; 2]; 5];
    let mut bare_texts: Option<&[u8]> = None;
    let mut several = false;
    for raw in raw.clone() {
        let Some(kind) = kind(&content_of(raw), delimiter) else { continue };
        seen[kind as usize][usize::from(is_quoted(raw))] = true;
        if matches!(kind, Kind::Text) && !is_quoted(raw) {
            several |= *bare_texts.get_or_insert(raw) != raw;
        }
    }
    let both = |kind: Kind| seen[kind as usize] == [true, true];
    if [Kind::Empty, Kind::Number, Kind::Blank, Kind::Quote].into_iter().any(both) {
        return true;
    }
    let is_quoted_too =
        |bare: &[u8]| raw.clone().any(|raw| is_quoted(raw) && content_of(raw) == bare);
    both(Kind::Text) && (several || bare_texts.is_some_and(is_quoted_too))
}

/// Can a quoted field that says this be written without its quotes?
pub(crate) fn is_needless(inner: &[u8], delimiter: u8) -> bool {
    !inner.iter().any(|byte| [delimiter, b'\n', b'\r', QUOTE].contains(byte))
}

/// Adds what a raw field says, with quotes where they are needed. A quote inside needs them too:
/// not every program takes it for an ordinary sign.
pub(crate) fn put_as_needed(raw: &[u8], delimiter: u8, out: &mut Vec<u8>) {
    match raw {
        [QUOTE, inner @ .., QUOTE] if is_needless(inner, delimiter) => out.extend_from_slice(inner),
        [QUOTE, ..] => out.extend_from_slice(raw),
        bare if bare.contains(&QUOTE) => crate::as_written::put_quoted(bare, out),
        bare => out.extend_from_slice(bare),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differs(fields: &[&str]) -> bool {
        differs_by_more_than_value(fields.iter().map(|field| field.as_bytes()), b',')
    }

    /// The ways in which programs write a column are left alone.
    #[test]
    fn quotes_that_follow_from_the_value_stay() {
        for fields in [
            // Nowhere, everywhere, where they are needed.
            &["a", "b", "1", ""][..],
            &["\"a\"", "\"1\"", "\"\""],
            &["a", "\"b,c\"", "\"\"\"b\"\"\"", "\"c\nd\"", "d"],
            // Texts and no numbers; empty fields and no others; blanks at the ends.
            &["\"a\"", "1", "\"b\"", "2.5"],
            &["\"\"", "a", "\"\"", "b"],
            &["\" a\"", "b", "\"b \""],
            // Both at once, as where quotes are written where they are needed.
            &[" a", "\"a\"\"b\"", "b"],
            // NA among quoted texts.
            &["\"a\"", "NA", "\"b\"", "NA", "\"c,d\""],
        ] {
            assert!(!differs(fields), "{fields:?}");
        }
    }

    /// A witness for each kind.
    #[test]
    fn quotes_that_follow_from_nothing_are_told() {
        for fields in [
            &["\"a\"", "b", "c"][..],
            &["\"a\"", "\"b\"", "c", "d"],
            &["\"a\"", "\"NA\"", "NA"],
            &["\"1\"", "2"],
            &["\"\"", "", "a"],
            &["\" a\"", " b"],
            &["\"a\"\"b\"", "a\"b"],
        ] {
            assert!(differs(fields), "{fields:?}");
        }
    }

    #[test]
    fn quotes_stay_where_they_are_needed() {
        for (raw, expected) in [
            ("\"a\"", "a"),
            ("a", "a"),
            ("\"\"", ""),
            ("\" a\"", " a"),
            ("\"a,b\"", "\"a,b\""),
            ("\"a\r\"", "\"a\r\""),
            ("\"a\n\"", "\"a\n\""),
            ("\"a\"\"b\"", "\"a\"\"b\""),
            ("a\"b", "\"a\"\"b\""),
        ] {
            let mut out = Vec::new();
            put_as_needed(raw.as_bytes(), b',', &mut out);
            assert_eq!(out, expected.as_bytes(), "{raw}");
        }
    }
}
