//! The SHA-256 of files, by which a plan knows its input.
//!
//! A sum is taken on the way: [`Hashed`] passes bytes on and hashes them, so that what was
//! read or written is what the sum is of. [`digest_file`] reads a file for its sum alone.
//!
//! Way in: [`digest_file`]; the sum of a table's file comes with
//! [`Table`](crate::Table).

use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::path::Path;

use marginswap_core::diagnostic::Diagnostic;
use sha2::{Digest, Sha256};

use crate::input_file::InputFile;

/// What is known of a file by its bytes alone, as they lie on disk (packed, if it is).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDigest {
    /// The SHA-256, as 64 digits.
    pub sha256: String,
    /// The length.
    pub bytes: u64,
}

/// Bytes that are hashed as they are read or written.
pub struct Hashed<R> {
    through: R,
    hasher: Sha256,
    bytes: u64,
}

impl<R> Hashed<R> {
    /// Hashes what goes through it from now on.
    pub fn new(through: R) -> Self {
        Self { through, hasher: Sha256::new(), bytes: 0 }
    }

    /// What it goes through, without a sum from here on.
    pub(crate) fn into_inner(self) -> R {
        self.through
    }

    /// The sum of what was read or written so far.
    pub fn digest(&self) -> FileDigest {
        FileDigest { sha256: hex(&self.hasher.clone().finalize()), bytes: self.bytes }
    }
}

impl<R: Read> Read for Hashed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.through.read(buffer)?;
        self.hasher.update(&buffer[..read]);
        self.bytes += read as u64;
        Ok(read)
    }
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let written = self.through.write(buffer)?;
        self.hasher.update(&buffer[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.through.flush()
    }
}

/// Reads a file through for its sum.
///
/// # Errors
/// A file that is missing, a folder, or not readable.
pub fn digest_file(path: &Path) -> Result<FileDigest, Diagnostic> {
    InputFile::open(path)?.digest()
}

/// The SHA-256 of bytes, as 64 digits.
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Bytes as digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string takes text");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::refusal::Code;

    /// The examples of FIPS 180-2, appendix B.
    #[test]
    fn known_sums() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data");
        for (bytes, sha256) in [
            (&b"abc"[..], "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                &[b'a'; 1_000_000],
                "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
            ),
        ] {
            std::fs::write(&path, bytes).unwrap();
            let digest = digest_file(&path).unwrap();
            assert_eq!(digest, FileDigest { sha256: sha256.into(), bytes: bytes.len() as u64 });
            assert_eq!(sha256_hex(bytes), sha256);
            let mut out = Hashed::new(Vec::new());
            bytes.chunks(7).for_each(|some| out.write_all(some).unwrap());
            assert_eq!(out.digest(), digest);
            assert_eq!(out.through, bytes);
        }
        assert_eq!(digest_file(folder.path()).unwrap_err().code, Code::IsDirectory);
        let missing = digest_file(&folder.path().join("none")).unwrap_err();
        assert_eq!(missing.code, Code::FileMissing);
        assert!(missing.place.file.is_some());
    }
}
