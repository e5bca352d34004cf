//! A CSV file cut into pieces of whole records, for all cores at once.
//!
//! One thread reads, takes the sum and unpacks, and cuts what it has read after a record; the
//! others scan the pieces meanwhile. What they find is taken in the order of the file, so the
//! number of threads plays no part in the answer.
//!
//! Trap: a line break may be inside quotes. A piece begins with a record, so without a quote in
//! it every line break ends one, and the last is found from the end; with a quote the records are
//! scanned to find where the last one ends.
//!
//! Edge case: whatever is not as usual (a fault, a line with more or fewer fields, an empty line,
//! a line that is longer than a piece, a failure of the disk) ends the cutting. What was read from
//! there on is given back, and the reader goes on line by line: so there is one place that refuses
//! files, and it gives line and byte.
//!
//! Way in: [`Cutter::new`], [`in_order`].

use std::io::{self, Read};

use rayon::prelude::*;

use crate::csv::Lines;
use crate::scan::{Batch, Stop, Tail, scan};

/// How the file is cut.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cut {
    /// About how long a piece is.
    pub(crate) piece: usize,
    /// The byte between two fields.
    pub(crate) delimiter: u8,
    /// How many fields a record has.
    pub(crate) columns: usize,
    /// About how many fields are scanned before they are looked at.
    pub(crate) fields: usize,
    /// The most records that are taken.
    pub(crate) records: u64,
}

/// What becomes of the records.
pub(crate) trait Gather: Sync {
    /// What is made of a piece.
    type Part: Send;

    /// Begins a piece.
    fn begin(&self) -> Self::Part;

    /// Adds lines of a piece, which are all records.
    fn lines(&self, part: &mut Self::Part, lines: &Lines<'_>);

    /// Takes what was made of these bytes; they come in the order of the file, and are settled
    /// before anything else is asked.
    fn take(&mut self, part: Self::Part, bytes: &[u8], found: &Found);

    /// Some pieces were taken, and no other is begun.
    fn settle(&mut self) {}
}

/// Whole records.
pub(crate) struct Piece {
    bytes: Vec<u8>,
    found: Found,
}

/// What is known of a piece that was scanned.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// How many records it has.
    pub(crate) records: u64,
    /// How many line breaks.
    pub(crate) breaks: u64,
    /// Where each record begins.
    pub(crate) starts: Vec<u32>,
}

/// How far the pieces went.
#[derive(Debug, Default)]
pub(crate) struct Passed {
    /// How many bytes were taken.
    pub(crate) bytes: u64,
    /// How many records.
    pub(crate) records: u64,
    /// How many line breaks.
    pub(crate) breaks: u64,
    /// Was everything taken?
    pub(crate) all: bool,
}

/// Cuts pieces off the bytes of a file.
pub(crate) struct Cutter<'r, R> {
    input: &'r mut Returned<R>,
    cut: Cut,
    /// What comes next and was read already.
    rest: Vec<u8>,
    tail: Tail,
    /// Is there anything left to cut?
    goes_on: bool,
    /// Used buffers, to be used again.
    spare: Vec<Vec<u8>>,
}

impl<'r, R: Read + Send> Cutter<'r, R> {
    /// Cuts what follows these bytes; `tail` says whether anything does.
    pub(crate) fn new(input: &'r mut Returned<R>, first: Vec<u8>, tail: Tail, cut: Cut) -> Self {
        Self { input, cut, rest: first, tail, goes_on: true, spare: Vec::new() }
    }

    /// The next pieces, at most this many; none after the last.
    fn next(&mut self, most: usize) -> Vec<Piece> {
        let mut pieces = Vec::new();
        while self.goes_on && pieces.len() < most {
            self.fill();
            let length = match self.tail {
                Tail::Nothing if self.rest.len() <= self.cut.piece => self.rest.len(),
                _ => self.last_border(),
            };
            if length == 0 {
                // Nothing is left, or a line is longer than a piece.
                self.goes_on = false;
                break;
            }
            let mut behind = self.spare.pop().unwrap_or_default();
            behind.clear();
            behind.extend_from_slice(&self.rest[length..]);
            let mut bytes = std::mem::replace(&mut self.rest, behind);
            bytes.truncate(length);
            pieces.push(Piece { bytes, found: Found::default() });
        }
        pieces
    }

    /// Reads until there is enough for a piece.
    fn fill(&mut self) {
        let missing = self.cut.piece.saturating_sub(self.rest.len());
        if self.tail == Tail::Nothing || missing == 0 {
            return;
        }
        self.rest.reserve(missing);
        match (&mut *self.input).take(missing as u64).read_to_end(&mut self.rest) {
            Ok(read) if read < missing => self.tail = Tail::Nothing,
            Ok(_) => {}
            Err(error) => {
                // Who reads on meets it where it is.
                self.input.failed = Some(error);
                self.goes_on = false;
            }
        }
    }

    /// The end of the last record that is complete; 0 where none is.
    fn last_border(&self) -> usize {
        let bytes = &self.rest;
        if !self.goes_on {
            return 0;
        }
        if memchr::memchr(b'"', bytes).is_none() {
            return memchr::memrchr(b'\n', bytes).map_or(0, |at| at + 1);
        }
        let (mut border, mut batch) = (0, Batch::default());
        loop {
            batch.clear();
            let Cut { delimiter, fields, .. } = self.cut;
            let stop = scan(bytes, border, Tail::More, delimiter, fields, &mut batch);
            border = batch.lines.last().map_or(border, |line| line.next as usize);
            if stop != Stop::Full {
                return border;
            }
        }
    }

    /// Gives back what was cut and not taken, and what was not cut.
    fn give_back(self, pieces: Vec<Piece>) {
        let mut bytes: Vec<u8> = pieces.into_iter().flat_map(|piece| piece.bytes).collect();
        bytes.extend_from_slice(&self.rest);
        self.input.back = io::Cursor::new(bytes);
    }
}

/// The pieces for each thread that are scanned in a round, and the fewest in all: the last ones of
/// a round do not keep every thread busy.
const PIECES: usize = 4;
const AT_LEAST: usize = 16;

/// Takes the pieces in the order of the file, as far as they are as usual; the rest is given back.
pub(crate) fn in_order<R: Read + Send, G: Gather>(
    mut cutter: Cutter<'_, R>,
    gather: &mut G,
) -> Passed {
    let mut passed = Passed::default();
    let most = (PIECES * rayon::current_num_threads()).max(AT_LEAST);
    let cut = cutter.cut;
    // While the first pieces are scanned, the next ones are read: few, so that nobody waits.
    let mut many = 1;
    let mut round = cutter.next(many);
    while !round.is_empty() {
        let known: &G = gather;
        many = most.min(2 * many);
        let (scanned, next) = match cutter.goes_on || round.len() > 1 {
            true => rayon::join(
                || {
                    let pieces = round.into_par_iter().with_max_len(1);
                    pieces.map(|piece| scanned(piece, known, cut)).collect()
                },
                || cutter.next(many),
            ),
            // A short file needs no other thread.
            false => (round.into_iter().map(|piece| scanned(piece, known, cut)).collect(), vec![]),
        };
        let scanned: Vec<(Piece, Option<G::Part>)> = scanned;
        let mut pieces = scanned.into_iter();
        while let Some((piece, part)) = pieces.next() {
            let fits = passed.records + piece.found.records <= cut.records;
            let Some(part) = part.filter(|_| fits) else {
                let left = [piece].into_iter().chain(pieces.map(|(piece, _)| piece)).chain(next);
                cutter.give_back(left.collect());
                gather.settle();
                return passed;
            };
            passed.bytes += piece.bytes.len() as u64;
            passed.records += piece.found.records;
            passed.breaks += piece.found.breaks;
            gather.take(part, &piece.bytes, &piece.found);
            cutter.spare.push(piece.bytes);
        }
        gather.settle();
        round = next;
    }
    passed.all = cutter.rest.is_empty() && cutter.input.failed.is_none();
    cutter.give_back(Vec::new());
    passed
}

/// What is made of a piece; nothing where something in it is not as usual.
fn scanned<G: Gather>(mut piece: Piece, gather: &G, cut: Cut) -> (Piece, Option<G::Part>) {
    let mut part = gather.begin();
    let (mut batch, mut from, mut found) = (Batch::default(), 0, Found::default());
    while from < piece.bytes.len() {
        batch.clear();
        let stop = scan(&piece.bytes, from, Tail::Nothing, cut.delimiter, cut.fields, &mut batch);
        let usual = batch
            .lines
            .iter()
            .zip(1..)
            .all(|(line, number): (_, usize)| line.fields as usize == number * cut.columns);
        let Some(last) = batch.lines.last().filter(|_| usual && !matches!(stop, Stop::Fault(_)))
        else {
            return (piece, None);
        };
        from = last.next as usize;
        let lines = Lines {
            window: &piece.bytes,
            lines: &batch.lines,
            fields: &batch.fields,
            first: found.records,
        };
        gather.lines(&mut part, &lines);
        found.records += batch.lines.len() as u64;
        found.breaks += batch.lines.iter().map(|line| u64::from(line.breaks)).sum::<u64>();
        found.starts.extend(batch.lines.iter().map(|line| line.start));
    }
    piece.found = found;
    (piece, Some(part))
}

/// Bytes to some of which a reader returns.
pub(crate) struct Returned<R> {
    /// What was given back, to be read first.
    back: io::Cursor<Vec<u8>>,
    /// What happened after it.
    failed: Option<io::Error>,
    pub(crate) input: R,
}

impl<R> Returned<R> {
    pub(crate) fn new(input: R) -> Self {
        Self { back: io::Cursor::new(Vec::new()), failed: None, input }
    }

    /// The same with another input after what was given back.
    pub(crate) fn map(self, change: impl FnOnce(R) -> R) -> Self {
        Self { input: change(self.input), ..self }
    }
}

impl<R: Read> Read for Returned<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.back.read(buffer)? {
            0 if !buffer.is_empty() => match self.failed.take() {
                Some(error) => Err(error),
                None => self.input.read(buffer),
            },
            read => Ok(read),
        }
    }
}
