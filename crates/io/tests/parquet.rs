//! Parquet: what each kind of column becomes, what is refused, and what damaged and hostile
//! files do.
//!
//! A damaged file gives a refusal, or the table that its bytes still describe; it never
//! aborts, hangs or panics through. Whether a file asks for much memory is seen when these
//! tests run under a limit: `ulimit -v 4000000; cargo test -p marginswap-io --test all parquet::`.
#![cfg(feature = "parquet")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, DictionaryArray,
    FixedSizeBinaryArray, Float64Array, Int8Array, Int64Array, ListArray, NullArray, RecordBatch,
    StringArray, StringViewArray, TimestampMillisecondArray, UInt64Array,
};
use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::refusal::Code;
use marginswap_io::{Format, ReadOptions, Sample, Source, Table};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding};
use parquet::file::properties::{WriterProperties, WriterVersion};

/// Writes over the same file again and again without making it empty first, which would
/// have some file systems wait for the disk each time.
fn open(bytes: &[u8], path: &Path) -> Result<Source, Diagnostic> {
    let mut file = File::options().create(true).truncate(false).write(true).open(path).unwrap();
    file.write_all(bytes).unwrap();
    file.set_len(bytes.len() as u64).unwrap();
    Source::open(path, &ReadOptions::default())
}

fn read(bytes: &[u8]) -> Result<Table, Diagnostic> {
    let folder = tempfile::tempdir().unwrap();
    read_at(bytes, &folder.path().join("data.parquet"))
}

fn read_at(bytes: &[u8], path: &Path) -> Result<Table, Diagnostic> {
    let source = open(bytes, path)?;
    let wanted = vec![true; source.columns().len()];
    source.read(&wanted)
}

fn write(columns: Vec<(&str, ArrayRef)>, properties: WriterProperties) -> Vec<u8> {
    let columns = columns.into_iter().map(|(name, array)| (name, array, true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn plain(columns: Vec<(&str, ArrayRef)>) -> Vec<u8> {
    write(columns, WriterProperties::default())
}

/// The categories of a column, record by record; `None` for a null.
fn categories(table: &Table, position: usize) -> Vec<Option<String>> {
    let column = table.columns[position].as_ref().unwrap();
    (0..table.records)
        .map(|record| {
            let category = column.dictionary().category(column.code(record))?;
            Some(String::from_utf8(category.to_vec()).unwrap())
        })
        .collect()
}

fn kinds() -> Vec<(&'static str, ArrayRef, [Option<&'static str>; 3])> {
    let words = [Some("x"), None, Some("")];
    let fixed = [Some(b"ab".as_slice()), None, Some(b"cd")].into_iter();
    let keyed: DictionaryArray<Int32Type> = words.into_iter().collect();
    vec![
        ("text", Arc::new(StringArray::from(words.to_vec())), words),
        ("view", Arc::new(StringViewArray::from(words.to_vec())), words),
        ("keyed", Arc::new(keyed), words),
        ("binary", Arc::new(BinaryArray::from(vec![Some(&b"x"[..]), None, Some(b"")])), words),
        (
            "fixed",
            Arc::new(FixedSizeBinaryArray::try_from_sparse_iter_with_size(fixed, 2).unwrap()),
            [Some("ab"), None, Some("cd")],
        ),
        (
            "tiny",
            Arc::new(Int8Array::from(vec![Some(-7), None, Some(7)])),
            [Some("-7"), None, Some("7")],
        ),
        (
            "long",
            Arc::new(Int64Array::from(vec![Some(i64::MIN), None, Some(0)])),
            [Some("-9223372036854775808"), None, Some("0")],
        ),
        (
            "unsigned",
            Arc::new(UInt64Array::from(vec![Some(u64::MAX), None, Some(0)])),
            [Some("18446744073709551615"), None, Some("0")],
        ),
        (
            "flag",
            Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)])),
            [Some("true"), None, Some("false")],
        ),
        (
            "day",
            Arc::new(Date32Array::from(vec![Some(-1), None, Some(20_000)])),
            [Some("-1"), None, Some("20000")],
        ),
        (
            "moment",
            Arc::new(TimestampMillisecondArray::from(vec![Some(1), None, Some(2)])),
            [Some("1"), None, Some("2")],
        ),
        (
            "decimal",
            Arc::new(Decimal128Array::from(vec![Some(1), None, Some(-250)])),
            [Some("1"), None, Some("-250")],
        ),
        ("nothing", Arc::new(NullArray::new(3)), [None, None, None]),
    ]
}

fn small_file(compression: Compression, version: WriterVersion, dictionary: bool) -> Vec<u8> {
    let columns = kinds().into_iter().map(|(name, array, _)| (name, array)).collect();
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .set_writer_version(version)
        .set_dictionary_enabled(dictionary)
        .build();
    write(columns, properties)
}

#[test]
fn every_kind_becomes_categories() {
    for compression in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::ZSTD(Default::default()),
        Compression::GZIP(Default::default()),
        Compression::LZ4_RAW,
    ] {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            for dictionary in [true, false] {
                let table = read(&small_file(compression, version, dictionary)).unwrap();
                assert_eq!(table.records, 3);
                for (position, (name, _, expected)) in kinds().into_iter().enumerate() {
                    let expected = expected.map(|word| word.map(str::to_owned));
                    assert_eq!(categories(&table, position), expected, "{name}, {compression}");
                }
            }
        }
    }
}

/// Witness for several batches, several row groups with dictionaries of their own, a
/// dictionary that is given up for plain or delta-encoded values half way, and lengths that
/// are looked through before.
#[test]
fn long_columns_come_back() {
    let word = |record: u32| match record {
        record if record % 13 == 0 => None,
        record if record < 30_000 => Some(format!("word {}", record % 7)),
        record => Some(format!("a word of its own {record}")),
    };
    let records = 50_000;
    let words: StringArray = (0..records).map(word).collect();
    let numbers: Int64Array =
        (0..records).map(|record| Some(i64::from(record / 5 % 300))).collect();
    let columns = || -> Vec<(&str, ArrayRef)> {
        vec![("words", Arc::new(words.clone())), ("numbers", Arc::new(numbers.clone()))]
    };
    let row_groups = || WriterProperties::builder().set_max_row_group_row_count(Some(20_000));
    let version_2 = || row_groups().set_writer_version(WriterVersion::PARQUET_2_0);
    let mut first = Vec::new();
    for properties in [
        row_groups().set_dictionary_page_size_limit(10_000),
        version_2().set_dictionary_page_size_limit(10_000),
        version_2().set_dictionary_enabled(false),
        version_2()
            .set_dictionary_enabled(false)
            .set_compression(Compression::SNAPPY)
            .set_column_encoding("words".into(), Encoding::DELTA_LENGTH_BYTE_ARRAY),
    ] {
        let table = read(&write(columns(), properties.build())).unwrap();
        let expected: Vec<Option<String>> = (0..records).map(word).collect();
        assert_eq!(categories(&table, 0), expected);
        let number = |record: u32| Some((record / 5 % 300).to_string());
        assert_eq!(categories(&table, 1), (0..records).map(number).collect::<Vec<_>>());
        // Codes count from 0 in the order of first appearance, whatever the dictionary's.
        let column = table.columns[0].as_ref().unwrap();
        first.push([0, 1, 2, 3].map(|record| column.code(record)));
    }
    assert!(first.iter().all(|codes| *codes == [0, 1, 2, 3]));
}

#[test]
fn a_column_without_categories_is_refused_when_it_is_wanted() {
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>([Some([Some(1)]), None]);
    let bytes = plain(vec![
        ("list", Arc::new(lists)),
        ("float", Arc::new(Float64Array::from(vec![71.5, 72.5]))),
        ("text", Arc::new(StringArray::from(vec!["x", "y"]))),
    ]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    let read = |wanted: [bool; 3]| {
        let source = open(&bytes, &path).unwrap();
        assert_eq!(source.columns(), ["list", "float", "text"]);
        assert_eq!(source.format(), Format::Parquet);
        source.read(&wanted)
    };
    let table = read([false, false, true]).unwrap();
    assert!(table.columns[0].is_none() && table.columns[1].is_none());
    assert_eq!(categories(&table, 2), [Some("x".to_owned()), Some("y".to_owned())]);
    assert_eq!(read([false; 3]).unwrap().records, 2);

    for (wanted, code, column) in [
        ([false, true, true], Code::FloatColumn, "2 `float`"),
        ([true, false, true], Code::UnsupportedColumn, "1 `list`"),
    ] {
        let refusal = read(wanted).unwrap_err();
        assert_eq!(refusal.code, code);
        assert_eq!(refusal.place.column.as_deref(), Some(column));
        assert_eq!(refusal.place.file.as_deref(), Some(path.as_path()));
        // The name of the folder is drawn at random and may hold these digits.
        let said = format!("{refusal} {refusal:?}").replace(path.to_str().unwrap(), "FILE");
        assert!(!said.contains("71"), "{said}");
    }
}

/// A codec that is not read is no damage; the description is patched to claim one.
#[test]
fn an_unsupported_compression_is_named() {
    let array: ArrayRef = Arc::new(StringArray::from(vec!["Zq", "Zr"]));
    let bytes = plain(vec![("packed", array)]);
    // The path of the column, then its codec: a field of kind 5, uncompressed.
    let place = bytes.windows(8).rposition(|window| window == b"packed\x15\x00").unwrap() + 7;
    for (codec, name) in [(4, "Brotli"), (3, "LZO")] {
        let mut patched = bytes.clone();
        patched[place] = zigzag(codec)[0];
        let refusal = read(&patched).unwrap_err();
        assert_eq!(refusal.code, Code::UnsupportedCompression);
        assert!(refusal.detail.contains(&format!("compressed with {name},")), "{refusal}");
        assert_eq!(refusal.place.column.as_deref(), Some("1 `packed`"));
    }
}

#[test]
fn names_and_records_are_checked_as_in_csv() {
    let column = || -> ArrayRef { Arc::new(StringArray::from(vec!["x"])) };
    let empty: ArrayRef = Arc::new(StringArray::from(Vec::<&str>::new()));
    let code = |columns| read(&plain(columns)).unwrap_err().code;
    assert_eq!(code(vec![("a", column()), ("", column())]), Code::EmptyName);
    assert_eq!(code(vec![("a", column()), ("a", column())]), Code::DuplicateName);
    assert_eq!(code(vec![("a", empty)]), Code::NoRecords);
}

/// The file holds its text in the clear; no refusal may show it, nor the decoder's words.
#[test]
fn every_damaged_byte_gives_an_answer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    let files = [
        (Compression::UNCOMPRESSED, WriterVersion::PARQUET_1_0, true),
        (Compression::SNAPPY, WriterVersion::PARQUET_2_0, true),
        (Compression::ZSTD(Default::default()), WriterVersion::PARQUET_1_0, false),
    ];
    let start = Instant::now();
    let (mut accepted, mut refused) = (0, 0);
    let mut answer = |bytes: &[u8]| match read_at(bytes, &path) {
        Ok(_) => accepted += 1,
        Err(refusal) => {
            assert_eq!(refusal.place.file.as_deref(), Some(path.as_path()));
            refused += 1;
        }
    };
    for (compression, version, dictionary) in files {
        let whole = small_file(compression, version, dictionary);
        for position in 0..whole.len() {
            let mut damaged = whole.clone();
            let byte = whole[position];
            for other in [byte ^ 1, byte ^ 0x80, 0xff, 0x00] {
                damaged[position] = other;
                answer(&damaged);
            }
            answer(&whole[..position]);
        }
    }
    assert!(accepted > 0 && refused > 0);
    assert!(start.elapsed() < Duration::from_secs(300), "no file keeps the reader busy");
}

/// A file whose description is these bytes.
fn described(description: &[u8]) -> Vec<u8> {
    let length = u32::try_from(description.len()).unwrap();
    [b"PAR1", description, &length.to_le_bytes(), b"PAR1"].concat()
}

/// A number as thrift's compact protocol writes it: seven bits a byte, the lowest first.
fn number(mut rest: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let [low, ..] = rest.to_le_bytes();
        rest >>= 7;
        if rest == 0 {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}

/// A number that may be negative: its sign in the lowest bit.
fn zigzag(signed: i64) -> Vec<u8> {
    number((signed << 1 ^ signed >> 63).cast_unsigned())
}

/// A column `a`: the number of its physical type, the length of its values if it is fixed, and
/// the number of its codec.
#[derive(Clone, Copy)]
struct Kind {
    number: i64,
    fixed: Option<i64>,
    codec: i64,
    nulls: Nulls,
}

/// May a value be missing?
#[derive(Clone, Copy)]
enum Nulls {
    Impossible,
    Possible,
}

const INTEGER: Kind = Kind { number: 1, fixed: None, codec: 0, nulls: Nulls::Impossible };
const TEXT: Kind = Kind { number: 6, fixed: None, codec: 0, nulls: Nulls::Impossible };

/// A description with one column, this many records, and these bytes as the list of row
/// groups.
fn description(kind: Kind, records: i64, row_groups: &[u8]) -> Vec<u8> {
    let fixed = match kind.fixed {
        Some(length) => [b"\x15", &zigzag(length)[..], b"\x15"].concat(),
        None => vec![0x25],
    };
    [
        &b"\x15\x02\x19\x2c\x48\x01r\x15\x02\x00\x15"[..],
        &zigzag(kind.number),
        &fixed,
        &zigzag(i64::from(matches!(kind.nulls, Nulls::Possible))),
        b"\x18\x01a\x00\x16",
        &zigzag(records),
        b"\x19",
        row_groups,
        b"\x00",
    ]
    .concat()
}

/// A list of one row group with one chunk: its records, where it begins, its length.
fn row_group(kind: Kind, records: i64, start: i64, length: i64) -> Vec<u8> {
    [
        &b"\x1c\x19\x1c\x26\x00\x1c\x15"[..],
        &zigzag(kind.number),
        b"\x19\x15\x00\x19\x18\x01a\x15",
        &zigzag(kind.codec),
        b"\x16",
        &zigzag(records),
        b"\x16",
        &zigzag(length),
        b"\x16",
        &zigzag(length),
        b"\x26",
        &zigzag(start),
        b"\x00\x00\x16",
        &zigzag(length),
        b"\x16",
        &zigzag(records),
        b"\x00",
    ]
    .concat()
}

/// A file with one row group that holds these pages.
fn paged(kind: Kind, records: i64, pages: &[u8]) -> Vec<u8> {
    let group = row_group(kind, records, 4, i64::try_from(pages.len()).unwrap());
    let description = description(kind, records, &group);
    let tail = u32::try_from(description.len()).unwrap().to_le_bytes();
    [b"PAR1", pages, &description, &tail, b"PAR1"].concat()
}

/// What a page is, and what its header claims.
#[derive(Clone, Copy)]
enum PageKind {
    Data,
    Dictionary,
}

fn page(kind: PageKind, unpacked: i64, packed: i64, values: i64, encoding: i64) -> Vec<u8> {
    let (number, header, rest): (_, &[u8], &[u8]) = match kind {
        PageKind::Data => (0, b"\x2c\x15", b"\x15\x06\x15\x06\x00\x00"),
        PageKind::Dictionary => (2, b"\x4c\x15", b"\x00\x00"),
    };
    [
        &b"\x15"[..],
        &zigzag(number),
        b"\x15",
        &zigzag(unpacked),
        b"\x15",
        &zigzag(packed),
        header,
        &zigzag(values),
        b"\x15",
        &zigzag(encoding),
        rest,
    ]
    .concat()
}

/// A page of this many nulls: the length of the levels, one run of level 0.
fn nulls(records: i64) -> Vec<u8> {
    let run = [number((records << 1).cast_unsigned()), vec![0]].concat();
    let length = u32::try_from(run.len()).unwrap().to_le_bytes();
    let size = i64::try_from(run.len() + 4).unwrap();
    [&page(PageKind::Data, size, size, records, 0)[..], &length, &run].concat()
}

#[test]
fn hostile_descriptions_give_an_answer() {
    let mut files: Vec<Vec<u8>> = vec![
        b"PAR1\x15".to_vec(),
        b"PAR1\x15\x00\x00\x00PAR1".to_vec(),
        b"PAR1\x15\x02\x00\x00\xff\xff\xff\x7fPAR1".to_vec(),
        b"PAR1\x15\x02\x00\x00\xff\xff\xff\xffPAR1".to_vec(),
        described(b""),
        described(&[0xff; 24]),
    ];
    // Lists that announce up to 2^31 or 2^63 entries, for each field and kind of entry.
    for field in [0x19, 0x29, 0x39, 0x49, 0x59, 0x69, 0x79] {
        for kind in [0xf5, 0xf6, 0xf8, 0xf9, 0xfc] {
            for size in [&b"\xff\xff\xff\x07"[..], b"\xff\xff\xff\xff\x07", &[0xff; 9]] {
                let list = [&[field, kind][..], size, b"\x01"].concat();
                files.push(described(&[b"\x15\x02", &list[..]].concat()));
                files.push(described(&list));
                files.push(described(&description(INTEGER, 1, &list[1..])));
            }
        }
    }
    // Texts that announce any length.
    for size in [&b"\xff\xff\xff\x07"[..], b"\xff\xff\xff\xff\x07", b"\xff\xff\xff\xff\xff\x07"] {
        files.push(described(&[b"\x15\x02\x19\x2c\x48", size, b"r"].concat()));
    }
    // Claims of records and places that no file of this length has.
    let numbers = [-1, 0, 1, 1000, 1 << 31, 1 << 32, 1 << 40, 1 << 62, i64::MAX, i64::MIN];
    for records in numbers {
        files.push(described(&description(INTEGER, records, b"\x0c")));
        for start in [0, 4, 30, 1 << 40, i64::MAX, -1] {
            for length in [0, 1, 8, 1 << 31, 1 << 40, i64::MAX, -1] {
                let group = row_group(INTEGER, records, start, length);
                files.push(described(&description(INTEGER, records, &group)));
            }
        }
    }
    // Values of any fixed length, all of them or none there.
    for length in [0, 1, 1 << 16, (1 << 16) + 1, (1 << 31) - 1, -1] {
        let kind = Kind { number: 7, fixed: Some(length), ..INTEGER };
        files.push(paged(kind, 8, &[page(PageKind::Data, 8, 8, 8, 0), vec![b'x'; 8]].concat()));
        let kind = Kind { nulls: Nulls::Possible, ..kind };
        files.push(paged(kind, 8, &nulls(8)));
    }
    // A few bytes of nothing but nulls, up to 2^31 of them.
    for records in [1, 1 << 20, (1 << 31) - 1] {
        for kind in [INTEGER, TEXT] {
            let kind = Kind { nulls: Nulls::Possible, ..kind };
            files.push(paged(kind, records, &nulls(records)));
        }
    }
    // Pages that claim any size and any number of values, alone and before a sound one.
    let data = b"\x20\xff\xff\xff\xff\x0f\x01\x01";
    let sound = [page(PageKind::Data, 8, 8, 2, 0), data.to_vec()].concat();
    for unpacked in [0, 1, 8, 1 << 20, (1 << 31) - 1, -1] {
        for values in [0, 1, 2, 1000, 1 << 20, (1 << 31) - 1, -1] {
            for kind in [PageKind::Data, PageKind::Dictionary] {
                for encoding in [0, 2, 3, 5, 6, 7, 8] {
                    for codec in [0, 1, 2, 6, 7] {
                        let packed = if codec == 0 { unpacked } else { 8 };
                        let page = [&page(kind, unpacked, packed, values, encoding), &data[..]];
                        for column in [INTEGER, TEXT] {
                            let column = Kind { codec, ..column };
                            files.push(paged(column, values, &page.concat()));
                            files.push(paged(column, 2, &page.concat()));
                            files.push(paged(column, 2, &[&page.concat(), &sound[..]].concat()));
                        }
                    }
                }
            }
        }
    }
    // Lengths of texts that claim to be any number: blocks of 128 in 4 parts, the number,
    // the first one.
    for claim in [0, 1, 2, 1000, 1 << 31, 1 << 40, 1 << 61, u64::MAX] {
        let lengths = [b"\x80\x01\x04", &number(claim)[..], b"\x02\x00\x00\x00\x00\x00"].concat();
        let good = b"\x80\x01\x04\x02\x02\x00\x00\x00\x00\x00";
        for body in [lengths.clone(), [good, &lengths[..]].concat(), [&lengths[..], good].concat()]
        {
            let body = [&body[..], b"xxxx"].concat();
            let size = i64::try_from(body.len()).unwrap();
            for encoding in [5, 6, 7] {
                let page = [page(PageKind::Data, size, size, 2, encoding), body.clone()].concat();
                files.push(paged(TEXT, 2, &page));
                files.push(paged(INTEGER, 2, &page));
            }
        }
    }
    // Columns within columns, a hundred thousand deep.
    let deep =
        [b"\x48\x01r\x15\x02\x00".repeat(100_000), b"\x15\x02\x25\x00\x18\x01a\x00".to_vec()];
    let list = [&[0xfc][..], &number(100_001)].concat();
    files.push(described(
        &[b"\x15\x02\x19", &list[..], &deep.concat(), b"\x16\x02\x19\x0c\x00"].concat(),
    ));

    // Structures within structures and lists within lists, as deep.
    files.push(described(&[0x1c; 100_000]));
    files.push(described(&[0x19; 100_000]));
    // An element that claims more children than there are elements.
    for children in [2, 1000, (1 << 31) - 1, -1] {
        let root = [b"\x48\x01r\x15", &zigzag(children)[..], b"\x00"].concat();
        let leaf = b"\x15\x02\x25\x00\x18\x01a\x00";
        files.push(described(
            &[b"\x15\x02\x19\x2c", &root[..], leaf, b"\x16\x02\x19\x0c\x00"].concat(),
        ));
    }

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    let (mut understood, mut in_column) = (0, 0);
    for file in &files {
        let start = Instant::now();
        match read_at(file, &path) {
            Ok(_) => understood += 1,
            Err(refusal) if refusal.place.column.is_some() => in_column += 1,
            Err(_) => {}
        }
        assert!(start.elapsed() < Duration::from_secs(20), "no file keeps the reader busy");
    }
    // The descriptions are written well enough to reach the decoder.
    assert!(in_column > 100, "{understood} {in_column} of {}", files.len());
}

/// A sample has the records at equal distances, in both formats; what has no categories is not
/// sampled, and nothing else is read of a sampled column.
#[test]
fn samples_are_the_records_at_equal_distances() {
    let value = |record: usize| format!("v{}", record * 7_919 % 1_000);
    let values: Vec<String> = (0..5_000).map(value).collect();
    let texts: ArrayRef = Arc::new(StringArray::from(values.clone()));
    let floats: ArrayRef = Arc::new(Float64Array::from(vec![0.5; 5_000]));
    let parquet = plain(vec![("a", Arc::clone(&texts)), ("b", texts), ("c", floats)]);
    let lines: String = values.iter().map(|value| format!("{value},{value},0.5\n")).collect();
    let csv = format!("a,b,c\n{lines}").into_bytes();
    let folder = tempfile::tempdir().unwrap();
    for (bytes, name, is_parquet) in [(parquet, "data.parquet", true), (csv, "data.csv", false)] {
        for step in [1, 2, 7, 999, 5_000, 9_999] {
            let source = open(&bytes, &folder.path().join(name)).unwrap();
            let sample = Sample { columns: vec![false, true, true], step };
            let table = source.read_sampling(&[true, false, false], &sample).unwrap();
            assert_eq!(table.columns[0].as_ref().unwrap().len(), 5_000);
            assert!(table.columns[1].is_none() && table.samples[0].is_none());
            let found = table.samples[1].as_ref().unwrap();
            let expected: Vec<&String> = values.iter().step_by(step).collect();
            assert_eq!(found.len(), expected.len(), "{name}, {step}");
            for (place, value) in expected.into_iter().enumerate() {
                let category = found.dictionary().category(found.code(place));
                assert_eq!(category, Some(value.as_bytes()), "{name}, {step}");
            }
            assert_eq!(table.samples[2].is_none(), is_parquet, "numbers have no categories");
        }
    }
}
