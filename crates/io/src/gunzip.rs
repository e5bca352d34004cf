//! A gzip file of one member or several, decompressed.
//!
//! Trap: bytes that follow the last member are no damaged member. They are told apart, so
//! that a user is not sent to look for a file cut short.
//!
//! Way in: [`Gunzip::new`]; [`is_trailing`] on what it says.

use std::error::Error;
use std::fmt;
use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

/// The members of a gzip file, one after the other.
pub(crate) struct Gunzip<R> {
    member: Option<GzDecoder<R>>,
    /// What the members came from, behind the last one.
    ended: Option<R>,
    is_first: bool,
    gave: bool,
}

impl<R: BufRead> Gunzip<R> {
    pub(crate) fn new(input: R) -> Self {
        Self { member: Some(GzDecoder::new(input)), ended: None, is_first: true, gave: false }
    }

    /// What the members came from, once all of it was read.
    pub(crate) fn ended(&self) -> Option<&R> {
        self.ended.as_ref()
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

/// Bytes behind the last member that begin no other one.
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
