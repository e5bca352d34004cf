//! A gzip file of one member or several, decompressed.
//!
//! A few kilobytes can unpack to more than fits a disk. So no file unpacks to more than 1 GiB and
//! 200 times its own length: what is held of it is in proportion to the file.
//!
//! Trap: bytes that follow the last member are no damaged member. They have an error of their own,
//! so that a user is not sent to look for a file cut short.
//!
//! Way in: [`Gunzip::new`]; [`is_trailing`] and [`is_too_much`] on what it
//! says.

use std::error::Error;
use std::fmt;
use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

/// The members of a gzip file, one after the other.
pub(crate) struct Gunzip<R> {
    member: Option<GzDecoder<Counted<R>>>,
    /// What is left of the input after the last member.
    ended: Option<Counted<R>>,
    is_first: bool,
    gave: bool,
    /// How many bytes were unpacked.
    unpacked: u64,
    /// How many every file may unpack to.
    always: u64,
}

/// What every file may unpack to, and how many times its own length.
const ALWAYS: u64 = 1 << 30;
const TIMES: u64 = 200;

/// Packed bytes, counted as they are used.
struct Counted<R> {
    input: R,
    used: u64,
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.used += read as u64;
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.input.fill_buf()
    }

    fn consume(&mut self, bytes: usize) {
        self.used += bytes as u64;
        self.input.consume(bytes);
    }
}

impl<R: BufRead> Gunzip<R> {
    pub(crate) fn new(input: R) -> Self {
        let member = Some(GzDecoder::new(Counted { input, used: 0 }));
        Self { member, ended: None, is_first: true, gave: false, unpacked: 0, always: ALWAYS }
    }

    /// What the members came from, once all of it was read.
    pub(crate) fn ended(&self) -> Option<&R> {
        self.ended.as_ref().map(|ended| &ended.input)
    }
}

impl<R: BufRead> Read for Gunzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        while let Some(member) = &mut self.member {
            // Where the header is not that of a member, nothing has been decompressed of it.
            let in_header = !self.is_first && !self.gave && member.header().is_none();
            match member.read(buffer) {
                Ok(0) => {}
                Ok(read) => {
                    self.gave = true;
                    self.unpacked += read as u64;
                    if self.unpacked > self.always.max(member.get_ref().used * TIMES) {
                        return Err(io::Error::other(TooMuch));
                    }
                    return Ok(read);
                }
                Err(error) if in_header && error.raw_os_error().is_none() => {
                    return Err(match error.kind() {
                        io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock => error,
                        _ => io::Error::other(TrailingBytes),
                    });
                }
                Err(error) => return Err(error),
            }
            let Some(member) = self.member.take() else { break };
            let mut input = member.into_inner();
            let has_ended = loop {
                match input.fill_buf() {
                    Ok(bytes) => break bytes.is_empty(),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            };
            if has_ended {
                self.ended = Some(input);
            } else {
                self.member = Some(GzDecoder::new(input));
                (self.is_first, self.gave) = (false, false);
            }
        }
        Ok(0)
    }
}

/// Bytes after the last member that begin no other one.
#[derive(Debug)]
struct TrailingBytes;

impl fmt::Display for TrailingBytes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("bytes follow the end of the compressed data")
    }
}

impl Error for TrailingBytes {}

/// Does an error say that bytes follow the end of the compressed data?
pub(crate) fn is_trailing(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<TrailingBytes>())
}

/// More than a file of this length may unpack to.
#[derive(Debug)]
struct TooMuch;

impl fmt::Display for TooMuch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the data unpack to far more than the file is long")
    }
}

impl Error for TooMuch {}

/// Does an error say that the file unpacks to more than it may?
pub(crate) fn is_too_much(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<TooMuch>())
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::io::Write;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        packed.write_all(bytes).unwrap();
        packed.finish().unwrap()
    }

    /// Unpacks several members, of which this much is always taken.
    fn unpack(members: &[Vec<u8>], always: u64) -> io::Result<usize> {
        let all = members.concat();
        Gunzip { always, ..Gunzip::new(&all[..]) }.read_to_end(&mut Vec::new())
    }

    /// Witness for both limits, alone and over several members.
    #[test]
    fn what_is_unpacked_is_in_proportion_to_the_file() {
        let bomb = packed(&[b'1'; 1_000_000]);
        assert!(is_too_much(&unpack(std::slice::from_ref(&bomb), 0).unwrap_err()));
        assert!(is_too_much(&unpack(std::slice::from_ref(&bomb), 999_999).unwrap_err()));
        assert_eq!(unpack(std::slice::from_ref(&bomb), 1_000_000).unwrap(), 1_000_000);
        assert!(is_too_much(&unpack(&[bomb.clone(), bomb], 1_000_000).unwrap_err()));
        let mixed: Vec<u8> = (0..100_000u32).flat_map(u32::to_le_bytes).collect();
        assert_eq!(unpack(&[packed(&mixed), packed(&mixed)], 0).unwrap(), 800_000);
    }
}
