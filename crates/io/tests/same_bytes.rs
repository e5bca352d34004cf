//! What was read is what is rewritten: the sum of a file comes with its table, and a later
//! reading that finds other bytes is refused.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::Compression as Level;
use flate2::write::GzEncoder;
use marginswap_core::columns::Column;
use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::plan::Plan;
use marginswap_io::refusal::Code;
use marginswap_io::{
    FileDigest, InputFile, ReadOptions, ReleaseOptions, RewriteCounts, Source, Table, rewrite_same,
    sha256_hex,
};

const TEXT: &[u8] = b"\xef\xbb\xbfa,b\r\n1,x\r\n2,\"y\"\r\n\r\n";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Level::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A long file: reading it takes many windows, and packed it takes many buffers.
fn long() -> Vec<u8> {
    let mut text = b"a,b\n".to_vec();
    for record in 0u32..200_000 {
        writeln!(text, "{},{}", record.wrapping_mul(2_654_435_761), record % 7).unwrap();
    }
    text
}

#[cfg(feature = "parquet")]
fn parquet() -> Vec<u8> {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, RecordBatch, StringArray};
    use parquet::arrow::ArrowWriter;
    let column = |values: Vec<&str>| -> ArrayRef { Arc::new(StringArray::from(values)) };
    let batch =
        RecordBatch::try_from_iter([("a", column(vec!["1", "2"])), ("b", column(vec!["x", "y"]))]);
    let batch = batch.unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

#[cfg(not(feature = "parquet"))]
fn parquet() -> Vec<u8> {
    TEXT.to_vec()
}

fn files() -> Vec<Vec<u8>> {
    let members = [gzip(b"a,b\n1,"), gzip(b"x\n")].concat();
    vec![TEXT.to_vec(), gzip(TEXT), members, long(), gzip(&long()), parquet()]
}

fn digest_of(bytes: &[u8]) -> FileDigest {
    FileDigest { sha256: sha256_hex(bytes), bytes: bytes.len() as u64 }
}

fn read(file: &InputFile, wanted: bool) -> Table {
    Source::of(file, &ReadOptions::default()).unwrap().read(&[wanted; 2]).unwrap()
}

fn rewrite(file: &InputFile, expected: &FileDigest) -> Result<RewriteCounts, Diagnostic> {
    let options = ReadOptions::default();
    let release = ReleaseOptions::default();
    rewrite_same(file, expected, &options, &Plan::default(), &release, &mut Vec::new())
}

/// Writes over a file without making a new one.
fn write_into(path: &Path, bytes: &[u8]) {
    let mut file = fs::File::options().write(true).truncate(true).open(path).unwrap();
    file.write_all(bytes).unwrap();
}

#[test]
fn the_sum_comes_with_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    for bytes in files() {
        fs::write(&path, &bytes).unwrap();
        let file = InputFile::open(&path).unwrap();
        for wanted in [true, false, true] {
            assert_eq!(read(&file, wanted).digest, Some(digest_of(&bytes)));
        }
        assert_eq!(rewrite(&file, &digest_of(&bytes)).unwrap().records, {
            read(&file, true).records as u64
        });
    }
}

/// Of packed files it is taken all the same.
#[test]
fn a_sum_that_nobody_asks_for_changes_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    for bytes in files() {
        let is_packed = bytes.starts_with(&[0x1f, 0x8b]) || bytes.starts_with(b"PAR1");
        fs::write(&path, &bytes).unwrap();
        let file = InputFile::open(&path).unwrap();
        let source = Source::of(&file, &ReadOptions::default()).unwrap().without_sum();
        let (table, twin) = (source.read(&[true; 2]).unwrap(), read(&file, true));
        assert_eq!(table.records, twin.records);
        for (one, other) in table.columns.iter().flatten().zip(twin.columns.iter().flatten()) {
            for record in 0..table.records {
                let category = |column: &Column| {
                    column.dictionary().category(column.code(record)).map(<[u8]>::to_vec)
                };
                assert_eq!(category(one), category(other));
            }
        }
        assert_eq!(table.digest, is_packed.then(|| digest_of(&bytes)));
    }
}

#[test]
fn a_file_put_in_its_place_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let (path, other) = (folder.path().join("data"), folder.path().join("other"));
    for bytes in files() {
        fs::write(&path, &bytes).unwrap();
        fs::write(&other, b"a,b\n7,z\n").unwrap();
        let file = InputFile::open(&path).unwrap();
        let digest = read(&file, true).digest.unwrap();
        fs::rename(&other, &path).unwrap();
        rewrite(&file, &digest).unwrap();
        assert_eq!(read(&file, true).digest, Some(digest_of(&bytes)));
        // By its name it is the other one, and is refused.
        let refusal = rewrite(&InputFile::open(&path).unwrap(), &digest).unwrap_err();
        assert_eq!(refusal.code, Code::InputChanged);
    }
}

/// Whatever the file holds now, the refusal says that it changed, and not what is wrong with
/// the new bytes.
#[test]
fn a_file_that_was_written_over_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    for bytes in files() {
        let mut turned = bytes.clone();
        let last = turned.len() - 9;
        turned[last] ^= 1;
        for new in [&turned[..], b"a,b\n7,z\n", b"a,b\n7\n", b"", &gzip(TEXT)[..20], &[0; 64]] {
            fs::write(&path, &bytes).unwrap();
            let file = InputFile::open(&path).unwrap();
            let digest = read(&file, true).digest.unwrap();
            write_into(&path, new);
            let refusal = rewrite(&file, &digest).unwrap_err();
            assert_eq!(refusal.code, Code::InputChanged);
            assert_eq!(refusal.place.file.as_deref(), Some(path.as_path()));
        }
    }
}

/// A decoder of Parquet reads the file after its sum was taken.
#[cfg(feature = "parquet")]
#[test]
fn a_parquet_file_that_is_written_to_after_opening_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    fs::write(&path, parquet()).unwrap();
    let source = Source::open(&path, &ReadOptions::default()).unwrap();
    let written = fs::metadata(&path).unwrap().modified().unwrap();
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(written + std::time::Duration::from_secs(1)).unwrap();
    assert_eq!(source.read(&[true; 2]).unwrap_err().code, Code::InputChanged);
}
