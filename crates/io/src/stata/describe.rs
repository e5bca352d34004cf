//! The labels of a Stata file.

use std::collections::BTreeMap;

use marginswap_core::diagnostic::Diagnostic;

use super::header::{Header, List, Sections};
use crate::input_file::InputFile;
use crate::refusal::Code;
use crate::rows::Field;
use crate::rows::cursor::{Cursor, until_nul};
use crate::rows::kind::Kind;
use crate::rows::labels::{ColumnLabels, Labels};

/// The labels of columns and values, and how many notes there are.
pub(super) fn labels(
    file: &InputFile,
    header: &Header,
    sections: &Sections,
    fields: &[Field],
) -> Result<Labels, Diagnostic> {
    let mut tables: BTreeMap<&[u8], BTreeMap<i64, String>> = BTreeMap::new();
    for (name, at, _) in &sections.labels {
        tables.insert(name, table(file, header, *at)?);
    }
    let encoding = header.encoding();
    let columns = fields.iter().enumerate().map(|(position, field)| {
        let label = until_nul(header.entry(List::Labels, position));
        let label = (!label.is_empty()).then(|| encoding.text(label));
        let of = until_nul(header.entry(List::LabelNames, position));
        let values = tables.get(of).filter(|_| !of.is_empty()).into_iter().flatten();
        let values = values.map(|(number, label)| (category(*number, &field.kind), label.clone()));
        ColumnLabels { label, values: values.collect(), ..ColumnLabels::default() }
    });
    let columns = columns.collect();
    Ok(Labels { columns, notes: header.characteristics.len() })
}

/// The category that a number of a value label is in a column: from 2,147,483,621 on it is a
/// missing code.
fn category(number: i64, kind: &Kind) -> Vec<u8> {
    let missing = number - 2_147_483_621;
    match (kind.is_number(), u8::try_from(missing)) {
        (true, Ok(0)) => b".".to_vec(),
        (true, Ok(code @ 1..=26)) => vec![b'.', b'a' + code - 1],
        _ => number.to_string().into_bytes(),
    }
}

/// The numbers and texts of one value label.
fn table(file: &InputFile, header: &Header, at: u64) -> Result<BTreeMap<i64, String>, Diagnostic> {
    let tag = if header.version >= 117 { 5 } else { 0 };
    let mut cursor = Cursor { file, at: at + tag, order: header.order, code: Code::BadStata };
    let length = cursor.unsigned(4, "the length of a value label")?;
    cursor.skip(header.long_name() as u64 + 3, "the name of a value label")?;
    let begin = cursor.at;
    let table = cursor.take(length, "a value label")?;
    let bad = |cursor: &mut Cursor<'_>| {
        cursor.at = begin;
        cursor.bad("a value label whose parts fit its length was expected here")
    };
    let word = |at: usize| table.get(at..at + 4).map(|word| header.order.unsigned(word));
    let size = |at: usize| word(at).and_then(|number| usize::try_from(number).ok());
    let (Some(entries), Some(texts)) = (size(0), size(4)) else { return Err(bad(&mut cursor)) };
    let fits = entries.checked_mul(8).and_then(|all| all.checked_add(8)?.checked_add(texts));
    if fits.is_none_or(|all| all > table.len()) {
        return Err(bad(&mut cursor));
    }
    let text = &table[8 + 8 * entries..8 + 8 * entries + texts];
    let mut found = BTreeMap::new();
    for entry in 0..entries {
        let (Some(from), Some(_)) = (size(8 + 4 * entry), word(8 + 4 * (entries + entry))) else {
            return Err(bad(&mut cursor));
        };
        let value = 8 + 4 * (entries + entry);
        let value = header.order.signed(&table[value..value + 4]);
        let Some(label) = text.get(from..) else { return Err(bad(&mut cursor)) };
        found.insert(value, header.encoding().text(until_nul(label)));
    }
    Ok(found)
}
