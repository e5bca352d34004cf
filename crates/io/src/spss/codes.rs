//! Packed records of SPSS: a byte for each element of eight bytes, in groups of eight.
//!
//! 1 to 251 is a small whole number, 253 an element that follows in full, 254 eight spaces, 255 the
//! missing number, 252 the end, 0 nothing. In a `.zsav` file the bytes are packed again with zlib,
//! in blocks that a trailer lists.
//!
//! Trap: some programs begin a new group of eight for every record. What they fill up is written
//! again, so that a file differs from its input in what was exchanged alone.

use std::collections::VecDeque;
use std::io::{self, BufReader, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use marginswap_core::diagnostic::Diagnostic;

use super::dictionary::{Dictionary, HEADER};
use crate::input_file::{InputFile, not_read};
use crate::refusal::Code;
use crate::rows::cursor::{Cursor, Order};
use crate::rows::{Rows, damaged};

const NOTHING: u8 = 0;
const LARGEST: u8 = 251;
const END: u8 = 252;
const LITERAL: u8 = 253;
const SPACES: u8 = 254;
const MISSING: u8 = 255;

/// The bits of the missing number.
const MISSING_BITS: u64 = 0xffef_ffff_ffff_ffff;

/// How many bytes a block of a `.zsav` file holds unpacked.
const BLOCK: usize = 0x003f_f000;

/// About as many bytes of records are unpacked together.
const AT_ONCE: usize = 1 << 20;

/// What was met while records were unpacked.
#[derive(Debug, Default)]
pub(super) struct Style {
    /// A record begins inside a group of eight that holds another one.
    is_dense: AtomicBool,
    /// The end is written as a code.
    has_end: AtomicBool,
}

/// Records that are being unpacked.
pub(super) struct PackedRows<'a> {
    bytes: Box<dyn Read + Send + 'a>,
    dictionary: &'a Dictionary,
    style: &'a Style,
    records: u64,
    /// The codes of this group that were not used yet.
    codes: VecDeque<u8>,
    ended: bool,
}

impl<'a> PackedRows<'a> {
    pub(super) fn new(
        bytes: Box<dyn Read + Send + 'a>,
        dictionary: &'a Dictionary,
        style: &'a Style,
    ) -> Self {
        let bytes = Box::new(BufReader::with_capacity(1 << 16, bytes));
        Self { bytes, dictionary, style, records: 0, codes: VecDeque::new(), ended: false }
    }

    /// The next code; none at the end.
    fn code(&mut self) -> Result<Option<u8>, Diagnostic> {
        if let Some(code) = self.codes.pop_front() {
            return Ok(Some(code));
        }
        let mut group = [0; 8];
        let mut length = 0;
        while length < 8 {
            match self.bytes.read(&mut group[length..]) {
                Ok(0) => break,
                Ok(read) => length += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(unpacked(&error)),
            }
        }
        self.codes.extend(&group[..length]);
        Ok(self.codes.pop_front())
    }

    /// Adds one record; answers whether there was one.
    fn record(&mut self, buffer: &mut Vec<u8>) -> Result<bool, Diagnostic> {
        let start = buffer.len();
        let width = self.dictionary.width;
        if self.codes.iter().any(|&code| code != NOTHING && code != END) {
            self.style.is_dense.store(true, Ordering::Relaxed);
        }
        while buffer.len() - start < width {
            let Some(code) = self.code()? else { break };
            match code {
                NOTHING => {}
                END => {
                    self.style.has_end.store(true, Ordering::Relaxed);
                    break;
                }
                LITERAL => {
                    let mut element = [0; 8];
                    self.bytes.read_exact(&mut element).map_err(|error| unpacked(&error))?;
                    buffer.extend_from_slice(&element);
                }
                SPACES => buffer.extend_from_slice(b"        "),
                MISSING => self.put_bits(MISSING_BITS, buffer),
                code => {
                    let number = f64::from(code) - self.dictionary.bias;
                    self.put_bits(number.to_bits(), buffer);
                }
            }
        }
        if buffer.len() - start == width {
            return Ok(true);
        }
        let is_cut =
            buffer.len() > start || self.dictionary.cases.is_some_and(|cases| self.records < cases);
        match is_cut {
            true => Err(cut()),
            false => Ok(false),
        }
    }

    /// An end that is written is part of the style.
    fn note_end(&mut self) -> Result<(), Diagnostic> {
        while let Some(code) = self.code()? {
            match code {
                NOTHING if !self.codes.is_empty() => {}
                END => {
                    self.style.has_end.store(true, Ordering::Relaxed);
                    break;
                }
                _ => break,
            }
        }
        Ok(())
    }

    fn put_bits(&self, bits: u64, buffer: &mut Vec<u8>) {
        match self.dictionary.order {
            Order::Little => buffer.extend_from_slice(&bits.to_le_bytes()),
            Order::Big => buffer.extend_from_slice(&bits.to_be_bytes()),
        }
    }
}

impl Rows for PackedRows<'_> {
    fn next(&mut self, buffer: &mut Vec<u8>) -> Result<(), Diagnostic> {
        while !self.ended && buffer.len() < AT_ONCE {
            if self.dictionary.cases == Some(self.records) {
                self.ended = true;
                self.note_end()?;
                break;
            }
            match self.record(buffer)? {
                true => self.records += 1,
                false => self.ended = true,
            }
        }
        Ok(())
    }
}

fn cut() -> Diagnostic {
    Diagnostic::new(
        Code::BadSpss,
        "the packed records end before the last one is complete",
        "write or fetch the file again",
    )
}

fn unpacked(error: &io::Error) -> Diagnostic {
    match error.raw_os_error() {
        Some(_) => not_read(error),
        None => cut(),
    }
}

/// Packs records again.
pub(super) struct Packer {
    order: Order,
    bias: f64,
    /// For each element of a record: is it text?
    is_text: Vec<bool>,
    dense: bool,
    has_end: bool,
    codes: Vec<u8>,
    literals: Vec<u8>,
}

impl Packer {
    pub(super) fn new(dictionary: &Dictionary, style: &Style, is_text: Vec<bool>) -> Self {
        Self {
            order: dictionary.order,
            bias: dictionary.bias,
            is_text,
            dense: style.is_dense.load(Ordering::Relaxed),
            has_end: style.has_end.load(Ordering::Relaxed),
            codes: Vec::with_capacity(8),
            literals: Vec::with_capacity(64),
        }
    }

    pub(super) fn pack(&mut self, rows: &[u8], out: &mut Vec<u8>) {
        for row in rows.chunks_exact(8 * self.is_text.len()) {
            if !self.dense {
                self.fill(out);
            }
            for (nth, element) in row.chunks_exact(8).enumerate() {
                let code = self.code(element, self.is_text[nth]);
                if code == LITERAL {
                    self.literals.extend_from_slice(element);
                }
                self.put(code, out);
            }
        }
    }

    pub(super) fn finish(&mut self, out: &mut Vec<u8>) {
        if self.has_end {
            self.put(END, out);
        }
        self.fill(out);
    }

    fn put(&mut self, code: u8, out: &mut Vec<u8>) {
        self.codes.push(code);
        if self.codes.len() == 8 {
            out.append(&mut self.codes);
            out.append(&mut self.literals);
        }
    }

    fn fill(&mut self, out: &mut Vec<u8>) {
        if !self.codes.is_empty() {
            self.codes.resize(8, NOTHING);
            out.append(&mut self.codes);
            out.append(&mut self.literals);
        }
    }

    fn code(&self, element: &[u8], is_text: bool) -> u8 {
        if is_text {
            return if element == b"        " { SPACES } else { LITERAL };
        }
        let bits = self.order.unsigned(element);
        if bits == MISSING_BITS {
            return MISSING;
        }
        let code = f64::from_bits(bits) + self.bias;
        let small = (1..=LARGEST).contains(&small_code(code));
        match small && (f64::from(small_code(code)) - self.bias).to_bits() == bits {
            true => small_code(code),
            false => LITERAL,
        }
    }
}

/// The whole number that a code is; 0 where it is none.
fn small_code(code: f64) -> u8 {
    match (1.0..=f64::from(LARGEST)).contains(&code) && code.fract() == 0.0 {
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is in range"
        )]
        true => code as u8,
        false => 0,
    }
}

/// The blocks of a `.zsav` file, one after the other.
pub(super) struct Blocks<'a> {
    file: &'a InputFile,
    /// First byte and length of each, and its length unpacked.
    blocks: VecDeque<(u64, u64, u64)>,
    unpacked: io::Cursor<Vec<u8>>,
}

impl<'a> Blocks<'a> {
    /// Reads the trailer that lists the blocks.
    pub(super) fn open(file: &'a InputFile, dictionary: &Dictionary) -> Result<Self, Diagnostic> {
        let (order, at) = (dictionary.order, dictionary.rows_start);
        let mut cursor = Cursor { file, at, order, code: Code::BadSpss };
        let own = cursor.unsigned(8, "the head of packed records")?;
        let trailer = cursor.unsigned(8, "the place of the trailer")?;
        let length = cursor.unsigned(8, "the length of the trailer")?;
        if own != at || trailer < cursor.at || length < 24 {
            cursor.at = at;
            return Err(cursor.bad("the head of packed records was expected here"));
        }
        let begin = cursor.at;
        cursor.at = trailer;
        let list = cursor.take(length, "the trailer of packed records")?;
        let blocks = order.unsigned(&list[20..24]);
        let bad = |cursor: &Cursor<'_>| {
            damaged(
                Code::BadSpss,
                cursor.at,
                "a trailer that lists its blocks was expected before this place",
            )
        };
        if blocks.checked_mul(24).and_then(|all| all.checked_add(24)) != Some(length) {
            return Err(bad(&cursor));
        }
        let mut found = VecDeque::new();
        let mut next = begin;
        for block in list[24..].chunks_exact(24) {
            let place = order.unsigned(&block[8..16]);
            let [unpacked, packed] = [16..20, 20..24].map(|at| order.unsigned(&block[at]));
            // zlib packs to no less than a thousandth.
            let is_sound = place == next
                && packed <= trailer - next
                && unpacked <= 1 << 26
                && unpacked <= packed.saturating_mul(1040);
            if !is_sound {
                return Err(bad(&cursor));
            }
            next += packed;
            found.push_back((place, packed, unpacked));
        }
        Ok(Self { file, blocks: found, unpacked: io::Cursor::default() })
    }
}

impl Read for Blocks<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.unpacked.read(buffer)?;
            if read > 0 {
                return Ok(read);
            }
            let Some((at, packed, length)) = self.blocks.pop_front() else { return Ok(0) };
            let bytes = self.file.piece(at, packed)?;
            let mut unpacked = Vec::new();
            let mut decoder = ZlibDecoder::new(&bytes[..]).take(length + 1);
            decoder.read_to_end(&mut unpacked)?;
            if unpacked.len() as u64 != length {
                return Err(io::ErrorKind::InvalidData.into());
            }
            self.unpacked = io::Cursor::new(unpacked);
        }
    }
}

/// Packed blocks of a new `.zsav` file, held until their number is known.
#[derive(Default)]
pub(super) struct NewBlocks {
    waiting: Vec<u8>,
    /// Each with its length unpacked.
    blocks: Vec<(usize, Vec<u8>)>,
}

impl NewBlocks {
    pub(super) fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.waiting.extend_from_slice(bytes);
        while self.waiting.len() >= BLOCK {
            let rest = self.waiting.split_off(BLOCK);
            self.pack()?;
            self.waiting = rest;
        }
        Ok(())
    }

    fn pack(&mut self) -> io::Result<()> {
        let mut encoder = ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(&self.waiting)?;
        self.blocks.push((self.waiting.len(), encoder.finish()?));
        self.waiting.clear();
        Ok(())
    }

    /// Head, blocks and trailer, after a dictionary of this length.
    pub(super) fn finish(
        mut self,
        dictionary: &Dictionary,
        at: u64,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        if !self.waiting.is_empty() {
            self.pack()?;
        }
        let order = dictionary.order;
        let packed: u64 = self.blocks.iter().map(|(_, block)| block.len() as u64).sum();
        let trailer = 24 + 24 * self.blocks.len() as u64;
        let mut head = order.bytes(at, 8);
        head.extend(order.bytes(at + 24 + packed, 8));
        head.extend(order.bytes(trailer, 8));
        out.write_all(&head)?;
        #[allow(clippy::cast_possible_truncation, reason = "a bias is a small whole number")]
        let bias = (dictionary.bias as i64).saturating_neg();
        let mut list = order.bytes(bias.cast_unsigned(), 8);
        list.extend(order.bytes(0, 8));
        list.extend(order.bytes(BLOCK as u64, 4));
        list.extend(order.bytes(self.blocks.len() as u64, 4));
        let (mut unpacked_at, mut packed_at) = (at, at + 24);
        for (unpacked, block) in &self.blocks {
            list.extend(order.bytes(unpacked_at, 8));
            list.extend(order.bytes(packed_at, 8));
            list.extend(order.bytes(*unpacked as u64, 4));
            list.extend(order.bytes(block.len() as u64, 4));
            out.write_all(block)?;
            unpacked_at += *unpacked as u64;
            packed_at += block.len() as u64;
        }
        debug_assert!(at >= HEADER);
        out.write_all(&list)
    }
}
