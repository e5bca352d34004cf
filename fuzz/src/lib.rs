//! What the fuzz targets share: bytes as a file, read as the program reads it.
//!
//! A target fails when the reader panics, when a rewriting without swaps does not give the same
//! records, or when a reading's sum is not that of the bytes.

#![forbid(unsafe_code)]

use std::fs;
use std::path::{Path, PathBuf};

use marginswap_core::plan::Plan;
use marginswap_io::{
    FileDigest, InputFile, ReadOptions, ReleaseOptions, Source, rewrite_same, sha256_hex,
};

/// Writes the bytes to a file of this process and hands its path on.
pub fn with_file(bytes: &[u8], work: impl FnOnce(&Path)) {
    thread_local! {
        static FILE: (tempfile::TempDir, PathBuf) = {
            let folder = tempfile::tempdir().expect("a folder can be made");
            let path = folder.path().join("input");
            (folder, path)
        };
    }
    FILE.with(|(_, path)| {
        fs::write(path, bytes).expect("the file can be written");
        work(path);
    });
}

/// The same with a second file, while the first is in use.
pub fn with_another_file(bytes: &[u8], work: impl FnOnce(&Path)) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("input");
    fs::write(&path, bytes).expect("the file can be written");
    work(&path);
}

/// Reads a data file of any format, rewrites it without a swap and reads that too.
pub fn read_and_rewrite(bytes: &[u8]) {
    with_file(bytes, |path| {
        let options = ReadOptions::default();
        let file = InputFile::open(path).expect("the file is there");
        let Ok(source) = Source::of(&file, &options) else { return };
        let wanted = vec![true; source.columns().len()];
        let Ok(table) = source.read(&wanted) else { return };
        let digest = FileDigest { sha256: sha256_hex(bytes), bytes: bytes.len() as u64 };
        assert_eq!(table.digest.as_ref(), Some(&digest), "the sum is that of the bytes");
        let mut copy = Vec::new();
        let release = ReleaseOptions::default();
        let counts =
            rewrite_same(&file, &digest, &options, &Plan::default(), &release, &mut copy)
                .expect("a file that can be read can be rewritten");
        assert_eq!(counts.records, table.records as u64);
        assert_eq!(counts.cells_changed, 0);
    });
}
