//! The labels of an SPSS file, and what it calls missing.

use marginswap_core::diagnostic::Diagnostic;

use super::dictionary::{Dictionary, What, trimmed};
use crate::rows::Field;
use crate::rows::labels::Labels;

/// The labels of columns and values.
pub(super) fn labels(dictionary: &Dictionary, fields: &[Field]) -> Result<Labels, Diagnostic> {
    let encoding = dictionary.encoding;
    let mut labels = Labels::none(fields.len());
    let said = |column: usize, value: &[u8]| {
        let mut text = Vec::new();
        match fields[column].kind.is_number() {
            true => fields[column].kind.say(value, &mut text),
            false => encoding.decode(trimmed(value), &mut text),
        }
        text
    };
    for (column, variable) in dictionary.variables.iter().enumerate() {
        let raw = &dictionary.raw[variable.raw.start];
        let own = &mut labels.columns[column];
        own.label = raw.label.as_ref().map(|label| encoding.text(trimmed(label)));
        let range = if raw.missing < 0 { 2 } else { 0 };
        let (range, single) = raw.missing_values.split_at(range);
        own.missing = single.iter().map(|value| said(column, value)).collect();
        if let [low, high] = range {
            own.missing_range = Some((said(column, low), said(column, high)));
        }
    }
    for entry in &dictionary.entries {
        match &entry.what {
            What::ValueLabels { texts, elements } => {
                let columns: Vec<usize> =
                    elements.iter().filter_map(|&one| dictionary.column_of(one)).collect();
                let mut rest = &texts[4..];
                while let [_, _, _, _, _, _, _, _, length, ..] = rest {
                    let (value, label) = (&rest[..8], &rest[9..9 + usize::from(*length)]);
                    for &column in &columns {
                        let values = &mut labels.columns[column].values;
                        values.insert(said(column, value), encoding.text(trimmed(label)));
                    }
                    rest = &rest[8 + (usize::from(*length) + 1).next_multiple_of(8)..];
                }
            }
            What::Documents => labels.notes += 1,
            What::Extension { kind: 17 | 18, .. } => labels.notes += 1,
            What::Extension { kind: 21, .. } => {
                long_texts(dictionary, &entry.bytes[16..], &mut labels)
            }
            _ => {}
        }
    }
    Ok(labels)
}

/// The labels of long texts; what does not fit is none.
fn long_texts(dictionary: &Dictionary, bytes: &[u8], labels: &mut Labels) {
    let encoding = dictionary.encoding;
    for (name, labelled) in long_labels(dictionary, bytes) {
        let found = dictionary.variables.iter().position(|one| one.name == name);
        let Some(column) = found else { continue };
        for (value, label) in labelled {
            let mut text = Vec::new();
            encoding.decode(trimmed(value), &mut text);
            labels.columns[column].values.insert(text, encoding.text(trimmed(label)));
        }
    }
}

/// Values with their labels.
type Pairs<'a> = Vec<(&'a [u8], &'a [u8])>;

/// For each variable its name and its labels.
fn long_labels<'a>(dictionary: &Dictionary, mut rest: &'a [u8]) -> Vec<(&'a [u8], Pairs<'a>)> {
    let mut found = Vec::new();
    let number = |rest: &mut &'a [u8]| {
        let (word, behind) = rest.split_at_checked(4)?;
        *rest = behind;
        usize::try_from(dictionary.order.unsigned(word)).ok()
    };
    let text = |rest: &mut &'a [u8]| {
        let length = number(rest)?;
        let (text, behind) = rest.split_at_checked(length)?;
        *rest = behind;
        Some(text)
    };
    let mut one = || {
        let name = text(&mut rest)?;
        number(&mut rest)?;
        let labels = number(&mut rest)?;
        let mut pairs = Vec::new();
        for _ in 0..labels {
            pairs.push((text(&mut rest)?, text(&mut rest)?));
        }
        Some((name, pairs))
    };
    while let Some(variable) = one() {
        found.push(variable);
    }
    found
}
