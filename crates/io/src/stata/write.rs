//! A Stata file once more, around other records.
//!
//! Everything is copied but what would be false: the list of variables by which the records are
//! sorted ends before the first one that was exchanged (and is empty in a new order); entries,
//! characteristics and value labels of columns that are left out are left out too; the map follows.
//! The references of long texts are given out again where they would tell where a record was.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};

use marginswap_core::diagnostic::Diagnostic;

use super::Stata;
use super::header::{Header, LISTS, List};
use super::strls::{LongText, bytes_of_head};
use crate::atomic::unwritable;
use crate::input_file::{InputFile, changed_meanwhile, not_read};
use crate::rows::cursor::until_nul;
use crate::rows::kind::Kind;
use crate::rows::{Change, Layout, RowFile, RowWriter};

/// Takes the records of the new file.
pub(super) struct Writer<'a> {
    stata: &'a Stata,
    file: &'a InputFile,
    out: &'a mut (dyn Write + Send),
    texts: Option<Renaming>,
    /// The value labels that are written.
    labels: Vec<(u64, u64)>,
}

/// New references for long texts.
struct Renaming {
    /// Where the cells with references are in a new record, and the column each is in.
    cells: Vec<(usize, u64)>,
    width: usize,
    record: u64,
    given: BTreeMap<(u64, u64), (u64, u64)>,
    /// The texts in the order of their new references.
    order: Vec<((u64, u64), LongText)>,
}

impl<'a> Writer<'a> {
    pub(super) fn begin(
        stata: &'a Stata,
        rows: &'a RowFile,
        change: &'a Change,
        out: &'a mut (dyn Write + Send),
    ) -> Result<Self, Diagnostic> {
        let texts = Renaming::new(stata, rows, change)?;
        let strls = match &texts {
            Some(_) => length_of_texts(stata, rows, change)?,
            None => stata.sections.strls.1,
        };
        let labels = labels(stata, change);
        let head = description(stata, rows, change, strls, &labels);
        let mut writer = Self { stata, file: &rows.file, out, texts, labels };
        writer.write(&head)?;
        Ok(writer)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Diagnostic> {
        self.out.write_all(bytes).map_err(|error| unwritable(&error))
    }

    fn copy(&mut self, at: u64, length: u64) -> Result<(), Diagnostic> {
        let mut bytes = self.file.bytes_from(at).take(length);
        let mut buffer = vec![0; 1 << 16];
        let mut left = length;
        while left > 0 {
            let read = bytes.read(&mut buffer).map_err(|error| not_read(&error))?;
            if read == 0 {
                return Err(changed_meanwhile());
            }
            left -= read as u64;
            self.write(&buffer[..read])?;
        }
        Ok(())
    }

    fn write_long_texts(&mut self) -> Result<(), Diagnostic> {
        let Some(texts) = self.texts.take() else {
            let (at, length) = self.stata.sections.strls;
            return self.copy(at, length);
        };
        let header = &self.stata.header;
        let long = if header.version == 117 { 4 } else { 8 };
        for ((variable, observation), text) in texts.order {
            let head = [
                b"GSO",
                &header.order.bytes(variable, 4)[..],
                &header.order.bytes(observation, long),
                &[text.kind],
                &header.order.bytes(text.length, 4),
            ];
            self.write(&head.concat())?;
            self.copy(text.at, text.length)?;
        }
        Ok(())
    }
}

impl RowWriter for Writer<'_> {
    fn put(&mut self, rows: &[u8]) -> Result<(), Diagnostic> {
        match &mut self.texts {
            None => self.out.write_all(rows).map_err(|error| unwritable(&error)),
            Some(texts) => {
                let mut rows = rows.to_vec();
                texts.rename(self.stata, self.file, &mut rows)?;
                self.write(&rows)
            }
        }
    }

    fn finish(mut self: Box<Self>) -> Result<(), Diagnostic> {
        let tagged = self.stata.header.version >= 117;
        if tagged {
            self.write(b"</data><strls>")?;
            self.write_long_texts()?;
            self.write(b"</strls><value_labels>")?;
        }
        for (at, length) in std::mem::take(&mut self.labels) {
            self.copy(at, length)?;
        }
        if tagged {
            self.write(b"</value_labels></stata_dta>")?;
        }
        Ok(())
    }
}

impl Renaming {
    /// `None` where the references can stay.
    fn new(stata: &Stata, rows: &RowFile, change: &Change) -> Result<Option<Self>, Diagnostic> {
        let is_long = |column: &usize| matches!(rows.fields[*column].kind, Kind::StataReference);
        let columns = || (0..rows.fields.len()).filter(is_long);
        let stays = !change.reordered
            && change.keeps_all()
            && columns().all(|column| !change.exchanged[column]);
        if columns().next().is_none() || stays {
            return Ok(None);
        }
        stata.long_texts(&rows.file)?;
        let (mut cells, mut at) = (Vec::new(), 0);
        for (place, &column) in change.kept.iter().enumerate() {
            if is_long(&column) {
                cells.push((at, place as u64 + 1));
            }
            at += rows.fields[column].span.len();
        }
        let (given, order) = (BTreeMap::new(), Vec::new());
        Ok(Some(Self { cells, width: at, record: 0, given, order }))
    }

    fn rename(
        &mut self,
        stata: &Stata,
        file: &InputFile,
        rows: &mut [u8],
    ) -> Result<(), Diagnostic> {
        for row in rows.chunks_exact_mut(self.width) {
            self.record += 1;
            for &(at, variable) in &self.cells {
                let cell = &mut row[at..at + 8];
                let old = stata.header.reference(cell);
                if old == (0, 0) {
                    continue;
                }
                let new = match self.given.get(&old) {
                    Some(&new) => new,
                    None => {
                        let text = stata.long_texts(file)?.find(old)?;
                        let new = (variable, self.record);
                        self.given.insert(old, new);
                        self.order.push((new, text));
                        new
                    }
                };
                cell.copy_from_slice(&stata.header.referring(new));
            }
        }
        Ok(())
    }
}

/// How long the texts are that columns which are written refer to.
fn length_of_texts(stata: &Stata, rows: &RowFile, change: &Change) -> Result<u64, Diagnostic> {
    let kept = change.kept.iter().map(|&column| &rows.fields[column]);
    let spans: Vec<_> = kept
        .filter(|field| matches!(field.kind, Kind::StataReference))
        .map(|field| field.span.clone())
        .collect();
    let mut reading = stata.rows(rows)?;
    let (mut block, mut met, mut length) = (Vec::new(), BTreeSet::new(), 0);
    loop {
        block.clear();
        reading.next(&mut block)?;
        if block.is_empty() {
            return Ok(length);
        }
        for row in block.chunks_exact(rows.width) {
            for span in &spans {
                let key = stata.header.reference(&row[span.clone()]);
                if key != (0, 0) && met.insert(key) {
                    let text = stata.long_texts(&rows.file)?.find(key)?;
                    length += bytes_of_head(stata.header.version) + text.length;
                }
            }
        }
    }
}

/// The value labels that are written: all but those that only left out columns use.
fn labels(stata: &Stata, change: &Change) -> Vec<(u64, u64)> {
    let Stata { header, sections, .. } = stata;
    let of = |column: usize| until_nul(header.entry(List::LabelNames, column));
    let left_out: BTreeSet<&[u8]> =
        (0..header.variables).filter(|&column| !change.keeps(column)).map(of).collect();
    let used: BTreeSet<&[u8]> = change.kept.iter().map(|&column| of(column)).collect();
    let is_written = |name: &[u8]| !left_out.contains(name) || used.contains(name);
    let written = sections.labels.iter().filter(|(name, ..)| is_written(name));
    written.map(|&(_, at, length)| (at, length)).collect()
}

/// All that comes before the records.
fn description(
    stata: &Stata,
    rows: &RowFile,
    change: &Change,
    strls: u64,
    labels: &[(u64, u64)],
) -> Vec<u8> {
    let header = &stata.header;
    let mut head = header.head.clone();
    let length = if header.version == 119 { 4 } else { 2 };
    let kept = header.order.bytes(change.kept.len() as u64, length);
    head[header.variables_at..header.variables_at + length].copy_from_slice(&kept);
    let tagged = header.version >= 117;
    let map_at = head.len();
    let mut places = vec![0, map_at as u64];
    if tagged {
        head.extend_from_slice(b"<map>");
        head.extend_from_slice(&[0; 8 * 14]);
        head.extend_from_slice(b"</map>");
    }
    for list in LISTS {
        places.push(head.len() as u64);
        let entries = entries(header, list, change);
        match tagged {
            true => {
                let tag = list.tag();
                head.extend_from_slice(format!("<{tag}>").as_bytes());
                head.extend_from_slice(&entries);
                head.extend_from_slice(format!("</{tag}>").as_bytes());
            }
            false => head.extend_from_slice(&entries),
        }
    }
    places.push(head.len() as u64);
    let names = header.names();
    let left_out: BTreeSet<&[u8]> = (0..names.len())
        .filter(|&column| !change.keeps(column))
        .map(|column| names[column])
        .collect();
    if tagged {
        head.extend_from_slice(b"<characteristics>");
    }
    for one in &header.characteristics {
        if !left_out.contains(&one.variable[..]) {
            head.extend_from_slice(&one.bytes);
        }
    }
    head.extend_from_slice(&header.end_of_characteristics);
    if !tagged {
        return head;
    }
    head.extend_from_slice(b"</characteristics>");
    places.push(head.len() as u64);
    head.extend_from_slice(b"<data>");
    let width: usize = change.kept.iter().map(|&column| rows.fields[column].span.len()).sum();
    let long_texts = head.len() as u64 + header.records * width as u64 + b"</data>".len() as u64;
    let value_labels = long_texts + strls + b"<strls></strls>".len() as u64;
    let of_labels: u64 = labels.iter().map(|(_, length)| length).sum();
    let end = value_labels + of_labels + b"<value_labels></value_labels>".len() as u64;
    places.extend([long_texts, value_labels, end, end + b"</stata_dta>".len() as u64]);
    let told =
        places.iter().zip(&header.map).map(|(&place, &old)| if old == 0 { 0 } else { place });
    let map: Vec<u8> = told.flat_map(|place| header.order.bytes(place, 8)).collect();
    head[map_at + 5..map_at + 5 + map.len()].copy_from_slice(&map);
    head
}

/// The entries of a list for the columns that are written.
fn entries(header: &Header, list: List, change: &Change) -> Vec<u8> {
    if list == List::Sorted {
        return sorted(header, change);
    }
    change.kept.iter().flat_map(|&column| header.entry(list, column)).copied().collect()
}

/// The variables by which the new file is sorted.
fn sorted(header: &Header, change: &Change) -> Vec<u8> {
    let width = List::Sorted.width(header.version);
    let all = &header.lists[List::Sorted as usize];
    let mut numbers = Vec::new();
    for entry in all.chunks_exact(width) {
        let number = header.order.unsigned(entry);
        let column = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        let column = column.filter(|&column| column < header.variables && !change.reordered);
        let Some(column) = column.filter(|&column| !change.exchanged[column]) else { break };
        let Some(place) = change.place(column) else { break };
        numbers.push(place as u64 + 1);
    }
    let untouched = all.chunks_exact(width).take_while(|entry| header.order.unsigned(entry) > 0);
    if change.keeps_all() && untouched.count() == numbers.len() {
        return all.clone();
    }
    numbers.resize(change.kept.len() + 1, 0);
    numbers.iter().flat_map(|&number| header.order.bytes(number, width)).collect()
}
