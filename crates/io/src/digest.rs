//! The SHA-256 of files, by which a plan knows its input.
//!
//! Way in: [`digest_file`].

use std::fmt::Write;
use std::io::Read;
use std::path::Path;

use marginswap_core::diagnostic::Diagnostic;
use sha2::{Digest, Sha256};

use crate::source::{not_opened, open_file};

/// What is known of a file by its bytes alone, as they lie on disk (packed, if it is).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDigest {
    /// The SHA-256, as 64 digits.
    pub sha256: String,
    /// The length.
    pub bytes: u64,
}

/// Reads a file through, a piece at a time.
///
/// # Errors
/// A file that is missing, a folder, or not readable.
pub fn digest_file(path: &Path) -> Result<FileDigest, Diagnostic> {
    let digest = || {
        let mut file = open_file(path)?;
        let mut hasher = Sha256::new();
        let mut piece = vec![0; 1 << 16];
        let mut bytes = 0;
        loop {
            match file.read(&mut piece) {
                Ok(0) => break,
                Ok(length) => {
                    hasher.update(&piece[..length]);
                    bytes += length as u64;
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(not_opened(&error)),
            }
        }
        Ok(FileDigest { sha256: hex(&hasher.finalize()), bytes })
    };
    digest().map_err(|refusal: Diagnostic| refusal.in_file(path))
}

/// The SHA-256 of bytes, as 64 digits.
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string takes text");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    use marginswap_core::diagnostic::Code;

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
        }
        assert_eq!(digest_file(folder.path()).unwrap_err().code, Code::IsDirectory);
        let missing = digest_file(&folder.path().join("none")).unwrap_err();
        assert_eq!(missing.code, Code::FileMissing);
        assert!(missing.place.file.is_some());
    }
}
