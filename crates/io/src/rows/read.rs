//! The columns of a file of records of one width.
//!
//! Records are unpacked block by block; within a block the columns are encoded side by side. A cell
//! is looked up by its bytes, and what it says is worked out once.

use marginswap_core::columns::{Column, ColumnBuilder, Dictionary};
use marginswap_core::diagnostic::Diagnostic;
use rayon::prelude::*;

use super::kind::Kind;
use super::{Field, RowFile, check_number};
use crate::header;
use crate::refusal::Code;
use crate::source::{Sample, Table};

impl RowFile {
    /// Encodes the wanted columns.
    pub(crate) fn read(
        self,
        wanted: &[bool],
        sample: &Sample,
        with_sum: bool,
    ) -> Result<Table, Diagnostic> {
        assert_eq!(wanted.len(), self.names.len(), "one entry of `wanted` for each column");
        let (digest, read) = rayon::join(
            || with_sum.then(|| self.file.digest()).transpose(),
            || self.encode(wanted, sample),
        );
        let (columns, samples, records) =
            read.map_err(|refusal| refusal.in_file(self.file.path()))?;
        let digest = digest?;
        self.file.check_unchanged()?;
        let (looks_like_a_record, written) = (false, None);
        Ok(Table { columns, samples, records, digest, looks_like_a_record, written })
    }

    fn encode(&self, wanted: &[bool], sample: &Sample) -> Result<Encoded, Diagnostic> {
        let coder = |(column, (&wanted, &sampled)): (usize, (&bool, &bool))| {
            let step = match (wanted, sampled) {
                (true, _) => 1,
                (false, true) => sample.step,
                (false, false) => return None,
            };
            Some(Coder::new(self, column, step))
        };
        let columns = wanted.iter().zip(&sample.columns).enumerate();
        let mut coders: Vec<Option<Coder<'_>>> = columns.map(coder).collect();
        let mut rows = self.layout.rows(self)?;
        let mut buffer = Vec::new();
        let mut records = 0u64;
        loop {
            buffer.clear();
            rows.next(&mut buffer)?;
            if buffer.is_empty() {
                break;
            }
            let first = records;
            records += (buffer.len() / self.width) as u64;
            check_number(records)?;
            // All are waited for, so that the first of several refusals is reported.
            let added: Vec<Result<(), Diagnostic>> =
                coders.par_iter_mut().flatten().map(|coder| coder.add(&buffer, first)).collect();
            added.into_iter().collect::<Result<(), Diagnostic>>()?;
        }
        if records == 0 {
            return Err(Diagnostic::new(
                Code::NoRecords,
                "the file has columns but no records",
                "name a file that has records",
            ));
        }
        let mut columns = Vec::with_capacity(coders.len());
        let mut samples = Vec::with_capacity(coders.len());
        for (coder, &wanted) in coders.into_iter().zip(wanted) {
            let column = coder.map(|coder| coder.column.finish());
            let (column, sampled) = if wanted { (column, None) } else { (None, column) };
            columns.push(column);
            samples.push(sampled);
        }
        Ok((columns, samples, usize::try_from(records).expect("a machine counts 2^32 records")))
    }
}

/// Columns, sampled columns, and how many records there are.
type Encoded = (Vec<Option<Column>>, Vec<Option<Column>>, usize);

/// A column that is being read.
struct Coder<'a> {
    rows: &'a RowFile,
    position: usize,
    field: &'a Field,
    /// The distance of two records that are read.
    step: u64,
    /// The cells that were met, by their bytes, and the code of what each says.
    cells: Dictionary,
    codes: Vec<u32>,
    /// The same for cells of one byte.
    single: [Option<u32>; 256],
    column: ColumnBuilder,
    said: Vec<u8>,
}

impl<'a> Coder<'a> {
    fn new(rows: &'a RowFile, position: usize, step: usize) -> Self {
        Self {
            rows,
            position,
            field: &rows.fields[position],
            step: step as u64,
            cells: Dictionary::default(),
            codes: Vec::new(),
            single: [None; 256],
            column: ColumnBuilder::default(),
            said: Vec::new(),
        }
    }

    /// Adds the cells of a block whose first record has this number.
    fn add(&mut self, block: &[u8], first: u64) -> Result<(), Diagnostic> {
        let width = self.rows.width;
        let mut record = first.next_multiple_of(self.step);
        let records = (block.len() / width) as u64;
        while record < first + records {
            let row = usize::try_from(record - first).expect("a block is short") * width;
            let span = row + self.field.span.start..row + self.field.span.end;
            let added = self.cell(block, span);
            added.map_err(|refusal| {
                refusal.in_column(header::titled(self.position, &self.rows.names))
            })?;
            record += self.step;
        }
        Ok(())
    }

    #[inline]
    fn cell(&mut self, block: &[u8], span: std::ops::Range<usize>) -> Result<(), Diagnostic> {
        if let Kind::Text(text) = &self.field.kind
            && let Some(plain) = text.plain(&block[span.clone()])
        {
            let (start, length) = (span.start, plain.len());
            self.column.push_within(block, start..start + length);
            return Ok(());
        }
        let cell = &block[span.clone()];
        let code = match cell {
            [byte] => match self.single[usize::from(*byte)] {
                Some(code) => code,
                None => {
                    let code = self.new_code(cell)?;
                    self.single[usize::from(*byte)] = Some(code);
                    code
                }
            },
            _ => {
                let known = self.cells.code_within(block, span.clone()) as usize;
                if known == self.codes.len() {
                    let code = self.new_code(&block[span])?;
                    self.codes.push(code);
                }
                self.codes[known]
            }
        };
        self.column.push_code(code);
        Ok(())
    }

    #[cold]
    fn new_code(&mut self, cell: &[u8]) -> Result<u32, Diagnostic> {
        self.said.clear();
        match &self.field.kind {
            Kind::StataReference => {
                self.said = self.rows.layout.long_text(self.rows, cell)?;
            }
            kind => kind.say(cell, &mut self.said),
        }
        Ok(self.column.intern(&self.said))
    }
}
