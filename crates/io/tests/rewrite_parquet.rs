//! The released Parquet file: the schema, the row groups and all that is not swapped stay.
#![cfg(feature = "parquet")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crate::support;

use std::collections::HashMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, Decimal256Array,
    DictionaryArray, FixedSizeBinaryArray, Float64Array, Int8Array, Int64Array, LargeStringArray,
    ListArray, NullArray, RecordBatch, StringArray, StringViewArray, TimestampMillisecondArray,
    UInt64Array,
};
use arrow_schema::{DataType as ArrowType, Field, Schema};
use marginswap_core::columns::{Column, Households};
use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::encode::RecordId;
use marginswap_core::plan::{Plan, PlannedGroup, PlannedSwap};
use marginswap_io::refusal::Code;
use marginswap_io::{ReadOptions, ReleaseOptions, Renamed, RewriteCounts, Source, rewrite};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, PageType};
use parquet::data_type::{ByteArrayType, Int96, Int96Type};
use parquet::file::metadata::{KeyValue, ParquetMetaData};
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder, WriterVersion};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::record::Row;
use parquet::schema::parser::parse_message_type;
use proptest::prelude::*;
use support::{plan_of, swap};

struct Files {
    folder: tempfile::TempDir,
}

impl Files {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Rewrites `before` to `after`.
    fn rewrite(
        &self,
        swaps: &[PlannedSwap],
        release: &ReleaseOptions,
    ) -> Result<RewriteCounts, Diagnostic> {
        let mut out = File::create(self.path("after")).unwrap();
        let plan = plan_of(swaps, &[]);
        rewrite(&self.path("before"), &ReadOptions::default(), &plan, release, &mut out)
    }

    /// The same with groups.
    fn rewrite_all(
        &self,
        swaps: &[PlannedSwap],
        groups: &[PlannedGroup],
        release: &ReleaseOptions,
    ) -> Result<RewriteCounts, Diagnostic> {
        let mut out = File::create(self.path("after")).unwrap();
        let plan = plan_of(swaps, groups);
        rewrite(&self.path("before"), &ReadOptions::default(), &plan, release, &mut out)
    }

    fn write(&self, columns: Vec<(&str, ArrayRef)>, properties: WriterPropertiesBuilder) {
        let columns = columns.into_iter().map(|(name, array)| {
            let is_nullable = name != "required";
            (name, array, is_nullable)
        });
        let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
        let file = File::create(self.path("before")).unwrap();
        let mut writer =
            ArrowWriter::try_new(file, batch.schema(), Some(properties.build())).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
    }
}

fn metadata(path: &Path) -> ParquetMetaData {
    SerializedFileReader::new(File::open(path).unwrap()).unwrap().metadata().clone()
}

fn rows(path: &Path) -> Vec<Row> {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    reader.get_row_iter(None).unwrap().map(Result::unwrap).collect()
}

fn arrow(path: &Path) -> RecordBatch {
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    let batches: Vec<RecordBatch> =
        builder.with_batch_size(1 << 20).build().unwrap().map(Result::unwrap).collect();
    assert_eq!(batches.len(), 1, "the tests read in one piece");
    batches.into_iter().next().unwrap()
}

/// One column of every kind, six records.
fn kinds() -> Vec<(&'static str, ArrayRef)> {
    let words = vec![Some("x"), None, Some(""), Some("y"), Some("z"), Some("x")];
    let bytes: Vec<Option<&[u8]>> = words.iter().map(|word| word.map(str::as_bytes)).collect();
    let fixed = [Some(b"ab"), None, Some(b"cd"), Some(b"ef"), Some(b"ab"), Some(b"xy")];
    let keyed: DictionaryArray<Int32Type> = words.iter().copied().collect();
    let lists = [Some(vec![Some(1), None]), None, Some(vec![]), Some(vec![Some(4)]), None, None];
    vec![
        ("text", Arc::new(StringArray::from(words.clone()))),
        ("view", Arc::new(StringViewArray::from(words.clone()))),
        ("large", Arc::new(LargeStringArray::from(words.clone()))),
        ("keyed", Arc::new(keyed)),
        ("binary", Arc::new(BinaryArray::from(bytes))),
        (
            "fixed",
            Arc::new(
                FixedSizeBinaryArray::try_from_sparse_iter_with_size(fixed.into_iter(), 2).unwrap(),
            ),
        ),
        ("tiny", Arc::new(Int8Array::from(vec![Some(-7), None, Some(7), Some(1), Some(2), None]))),
        (
            "long",
            Arc::new(Int64Array::from(vec![
                Some(i64::MIN),
                None,
                Some(0),
                Some(1),
                Some(2),
                Some(3),
            ])),
        ),
        (
            "unsigned",
            Arc::new(UInt64Array::from(vec![
                Some(u64::MAX),
                None,
                Some(0),
                Some(1),
                Some(2),
                Some(3),
            ])),
        ),
        (
            "flag",
            Arc::new(BooleanArray::from(vec![
                Some(true),
                None,
                Some(false),
                Some(true),
                None,
                Some(false),
            ])),
        ),
        (
            "day",
            Arc::new(Date32Array::from(vec![
                Some(-1),
                None,
                Some(20_000),
                Some(1),
                Some(2),
                Some(3),
            ])),
        ),
        (
            "moment",
            Arc::new(
                TimestampMillisecondArray::from(vec![
                    Some(1),
                    None,
                    Some(2),
                    Some(3),
                    Some(4),
                    Some(5),
                ])
                .with_timezone("Europe/Vienna"),
            ),
        ),
        (
            "decimal",
            Arc::new(
                Decimal128Array::from(vec![Some(1), None, Some(-250), Some(3), Some(4), Some(5)])
                    .with_precision_and_scale(7, 2)
                    .unwrap(),
            ),
        ),
        (
            "wide",
            Arc::new(
                Decimal256Array::from_iter(
                    [Some(1i128), None, Some(-250), Some(3), Some(4), Some(5)]
                        .map(|n| n.map(arrow_buffer_i256)),
                )
                .with_precision_and_scale(60, 2)
                .unwrap(),
            ),
        ),
        ("nothing", Arc::new(NullArray::new(6))),
        (
            "float",
            Arc::new(Float64Array::from(vec![
                Some(0.5),
                None,
                Some(-0.0),
                Some(f64::INFINITY),
                Some(1.0),
                Some(2.0),
            ])),
        ),
        ("required", Arc::new(StringArray::from(vec!["a", "b", "c", "d", "e", "f"]))),
        ("list", Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists))),
    ]
}

fn arrow_buffer_i256(
    number: i128,
) -> <arrow_array::types::Decimal256Type as arrow_array::ArrowPrimitiveType>::Native {
    number.into()
}

fn every_writer() -> Vec<WriterPropertiesBuilder> {
    let mut all = Vec::new();
    for compression in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::ZSTD(Default::default()),
        Compression::GZIP(Default::default()),
        Compression::LZ4_RAW,
    ] {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            for dictionary in [true, false] {
                all.push(
                    WriterProperties::builder()
                        .set_compression(compression)
                        .set_writer_version(version)
                        .set_dictionary_enabled(dictionary)
                        .set_max_row_group_row_count(Some(4))
                        .set_key_value_metadata(Some(vec![KeyValue::new(
                            "survey".to_owned(),
                            "2026".to_owned(),
                        )])),
                );
            }
        }
    }
    all
}

/// The values of a column at these records.
fn taken(array: &ArrayRef, records: &[usize]) -> Vec<ArrayRef> {
    records.iter().map(|&record| array.slice(record, 1)).collect()
}

/// The values of a dictionary stand in the order in which released records have them first. The
/// order of the original would tell that a value which comes late once came early.
#[test]
fn a_dictionary_is_in_the_order_of_the_release() {
    let files = Files::new();
    let words: ArrayRef = Arc::new(StringArray::from(vec!["b", "a", "c", "a", "b", "d"]));
    let swaps = [swap(0, 2, &[0])];
    let reversed = ReleaseOptions { order: Some(vec![5, 4, 3, 2, 1, 0]), ..Default::default() };
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        for (release, expected) in [
            (ReleaseOptions::default(), ["c", "a", "b", "d"]),
            (reversed.clone(), ["d", "b", "a", "c"]),
        ] {
            let properties = WriterProperties::builder().set_writer_version(version);
            files.write(vec![("text", Arc::clone(&words))], properties);
            files.rewrite(&swaps, &release).unwrap();
            assert_eq!(dictionary(&files.path("after")), expected);
        }
    }
}

/// The dictionary of the first column in the first row group.
fn dictionary(path: &Path) -> Vec<String> {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let group = reader.get_row_group(0).unwrap();
    let page = group.get_column_page_reader(0).unwrap().get_next_page().unwrap().unwrap();
    assert_eq!(page.page_type(), PageType::DICTIONARY_PAGE);
    let (mut rest, mut values) = (&page.buffer()[..], Vec::new());
    while let Some((length, behind)) = rest.split_first_chunk::<4>() {
        let length = usize::try_from(u32::from_le_bytes(*length)).unwrap();
        values.push(String::from_utf8(behind[..length].to_vec()).unwrap());
        rest = &behind[length..];
    }
    values
}

#[test]
fn every_kind_is_swapped_and_the_schema_stays() {
    let files = Files::new();
    let columns = kinds();
    let all_but_list: Vec<usize> = (0..columns.len() - 1).collect();
    for properties in every_writer() {
        files.write(columns.clone(), properties);
        let before = metadata(&files.path("before"));
        let swaps = [swap(0, 5, &all_but_list), swap(1, 3, &[0, 6, 13])];
        let counts = files.rewrite(&swaps, &ReleaseOptions::default()).unwrap();
        assert_eq!(counts.records, 6);
        assert_eq!(counts.records_changed, 4);
        let after = metadata(&files.path("after"));
        let (old, new) = (before.file_metadata(), after.file_metadata());
        assert_eq!(old.schema(), new.schema());
        let keys = |all: Option<&Vec<KeyValue>>| -> Vec<String> {
            all.into_iter().flatten().map(|entry| entry.key.clone()).collect()
        };
        assert_eq!(keys(old.key_value_metadata()), ["survey", "ARROW:schema"]);
        assert_eq!(keys(new.key_value_metadata()), ["ARROW:schema"]);
        assert_eq!(after.num_row_groups(), 2);
        for (old, new) in before.row_groups().iter().zip(after.row_groups()) {
            assert_eq!(old.num_rows(), new.num_rows());
            for (old, new) in old.columns().iter().zip(new.columns()) {
                assert_eq!(old.compression(), new.compression(), "{}", old.column_path());
                assert_eq!(
                    old.dictionary_page_offset().is_some(),
                    new.dictionary_page_offset().is_some(),
                    "{}",
                    old.column_path()
                );
            }
        }
        let found = arrow(&files.path("after"));
        assert_eq!(found.schema(), arrow(&files.path("before")).schema());
        for (position, (name, array)) in columns.iter().enumerate() {
            let mut order = [0, 1, 2, 3, 4, 5];
            if swaps[0].exchanged.contains(&position) {
                order.swap(0, 5);
            }
            if swaps[1].exchanged.contains(&position) {
                order.swap(1, 3);
            }
            let expected = taken(array, &order);
            assert_eq!(taken(found.column(position), &[0, 1, 2, 3, 4, 5]), expected, "{name}");
        }
        // Once more, and the values are back.
        fs::rename(files.path("after"), files.path("before")).unwrap();
        files.rewrite(&swaps, &ReleaseOptions::default()).unwrap();
        let back = arrow(&files.path("after"));
        for (position, (name, array)) in columns.iter().enumerate() {
            assert_eq!(back.column(position), array, "{name}");
        }
    }
}

#[test]
fn an_untouched_column_keeps_its_bytes() {
    let files = Files::new();
    for properties in every_writer() {
        files.write(kinds(), properties);
        files.rewrite(&[swap(0, 3, &[0, 7])], &ReleaseOptions::default()).unwrap();
        let chunk = |name: &str, position: usize| {
            let path = files.path(name);
            let bytes = fs::read(&path).unwrap();
            let metadata = metadata(&path);
            let groups = metadata.row_groups().iter();
            let ranges = groups.map(|group| group.column(position).byte_range());
            let chunks = ranges.map(|(start, length)| {
                let start = usize::try_from(start).unwrap();
                bytes[start..start + usize::try_from(length).unwrap()].to_vec()
            });
            chunks.collect::<Vec<_>>()
        };
        for position in 0..kinds().len() {
            let is_same = chunk("before", position) == chunk("after", position);
            assert_eq!(is_same, ![0, 7].contains(&position), "{position}");
        }
    }
}

#[test]
fn a_new_order_and_columns_left_out() {
    let files = Files::new();
    let mut columns = kinds();
    columns.pop();
    let order = vec![4u32, 0, 5, 3, 1, 2];
    for properties in every_writer() {
        files.write(columns.clone(), properties);
        let drop = vec![0, 5, 13];
        let release =
            ReleaseOptions { order: Some(order.clone()), drop: drop.clone(), ..Default::default() };
        files.rewrite(&[swap(2, 3, &[0, 1, 5, 6])], &release).unwrap();
        let after = metadata(&files.path("after"));
        let groups: Vec<i64> = after.row_groups().iter().map(|group| group.num_rows()).collect();
        assert_eq!(groups, [4, 2]);
        let found = arrow(&files.path("after"));
        let kept: Vec<usize> = (0..columns.len()).filter(|column| !drop.contains(column)).collect();
        assert_eq!(found.num_columns(), kept.len());
        for (place, &position) in kept.iter().enumerate() {
            let (name, array) = &columns[position];
            let mut records: Vec<usize> = (0..6).collect();
            if [1, 6].contains(&position) {
                records.swap(2, 3);
            }
            let records: Vec<usize> =
                order.iter().map(|&record| records[record as usize]).collect();
            assert_eq!(found.schema().field(place).name(), name);
            assert_eq!(found.column(place).data_type(), array.data_type());
            assert_eq!(
                taken(found.column(place), &[0, 1, 2, 3, 4, 5]),
                taken(array, &records),
                "{name}"
            );
        }
    }
}

/// What is left out must not be heard of again, in no metadata either.
#[test]
fn a_column_left_out_leaves_no_trace() {
    let files = Files::new();
    let entries = vec![KeyValue::new("pandas".to_owned(), "{\"columns\": [\"keyed\"]}".to_owned())];
    files.write(kinds(), WriterProperties::builder().set_key_value_metadata(Some(entries)));
    let release = ReleaseOptions { drop: vec![3], ..Default::default() };
    files.rewrite(&[swap(0, 3, &[0, 3])], &release).unwrap();
    let bytes = fs::read(files.path("after")).unwrap();
    assert!(!bytes.windows(5).any(|window| window == b"keyed"));
    let names: Vec<String> = arrow(&files.path("after"))
        .schema()
        .fields()
        .iter()
        .map(|field| field.name().clone())
        .collect();
    assert!(!names.contains(&"keyed".to_owned()) && names.contains(&"view".to_owned()));
    // The Arrow types that Parquet does not know are still there.
    assert_eq!(arrow(&files.path("after")).column(1).data_type(), kinds()[1].1.data_type());
}

/// Metadata of fields and of the file may hold anything; they are not released unseen.
#[test]
fn metadata_of_fields_are_not_released() {
    let files = Files::new();
    let secret = |field: Field| {
        field.with_metadata(HashMap::from([("note".to_owned(), "CANARY".to_owned())]))
    };
    let inner = Arc::new(secret(Field::new("item", ArrowType::Int32, true)));
    let schema = Schema::new_with_metadata(
        vec![
            secret(Field::new("a", ArrowType::Utf8, false)),
            secret(Field::new("list", ArrowType::List(Arc::clone(&inner)), true)),
        ],
        HashMap::from([("author".to_owned(), "CANARY".to_owned())]),
    );
    let lists = [Some(vec![Some(1)]), Some(vec![])];
    let (_, offsets, values, nulls) =
        ListArray::from_iter_primitive::<Int32Type, _, _>(lists).into_parts();
    let lists = ListArray::new(inner, offsets, values, nulls);
    let names: ArrayRef = Arc::new(StringArray::from(vec!["x", "y"]));
    let batch =
        RecordBatch::try_new(Arc::new(schema.clone()), vec![names, Arc::new(lists)]).unwrap();
    let file = File::create(files.path("before")).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    files.rewrite(&[swap(0, 1, &[0])], &ReleaseOptions::default()).unwrap();
    let released = arrow(&files.path("after")).schema();
    assert!(released.metadata().is_empty(), "{released:?}");
    assert!(!format!("{released:?}").contains("CANARY"), "{released:?}");
    assert!(format!("{:?}", arrow(&files.path("before")).schema()).contains("CANARY"));
    let kinds = |schema: &Schema| -> Vec<bool> {
        schema
            .fields()
            .iter()
            .map(|field| matches!(field.data_type(), ArrowType::List(_)))
            .collect()
    };
    assert_eq!(kinds(&released), kinds(&schema));
    let entries = metadata(&files.path("after")).file_metadata().key_value_metadata().cloned();
    let keys: Vec<String> = entries.into_iter().flatten().map(|entry| entry.key).collect();
    assert_eq!(keys, ["ARROW:schema"]);
}

#[test]
fn lists_are_copied_or_left_out_and_never_moved() {
    let files = Files::new();
    files.write(kinds(), WriterProperties::builder());
    let list = kinds().len() - 1;
    let order = || ReleaseOptions { order: Some(vec![0, 1, 2, 3, 5, 4]), ..Default::default() };
    for (swaps, release) in
        [(vec![], order()), (vec![swap(0, 1, &[list])], ReleaseOptions::default())]
    {
        let refusal = files.rewrite(&swaps, &release).unwrap_err();
        assert_eq!(refusal.code, Code::UnsupportedColumn);
        assert_eq!(refusal.place.column.as_deref(), Some("18 `list`"));
        assert_eq!(refusal.place.file, Some(files.path("before")));
    }
    files.rewrite(&[], &ReleaseOptions { drop: vec![list], ..order() }).unwrap();
    files.rewrite(&[swap(0, 1, &[0])], &ReleaseOptions::default()).unwrap();
    assert_eq!(arrow(&files.path("after")).column(list), &kinds()[list].1);
}

/// Kinds that no Arrow type represents come back as they were: timestamps of 96 bits, and
/// texts that are marked as JSON or as one of an enumeration.
#[test]
fn legacy_kinds_stay_what_they_are() {
    let files = Files::new();
    let schema = "message survey { required int96 moment; optional binary note (JSON); \
                  required binary class (ENUM); }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let file = File::create(files.path("before")).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, Default::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let moments: Vec<Int96> = (0..3).map(|n| Int96::from(vec![n, n + 1, n + 2_440_588])).collect();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<Int96Type>().write_batch(&moments, None, None).unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<ByteArrayType>().write_batch(&["{}".into()], Some(&[0, 1, 0]), None).unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let classes = ["p".into(), "q".into(), "r".into()];
    column.typed::<ByteArrayType>().write_batch(&classes, None, None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();

    let counts = files.rewrite(&[swap(0, 1, &[0, 1, 2])], &ReleaseOptions::default()).unwrap();
    assert_eq!(counts, RewriteCounts { records: 3, records_changed: 2, cells_changed: 6 });
    let (before, after) = (metadata(&files.path("before")), metadata(&files.path("after")));
    assert_eq!(before.file_metadata().schema(), after.file_metadata().schema());
    let (mut before, after) = (rows(&files.path("before")), rows(&files.path("after")));
    before.swap(0, 1);
    assert_eq!(before, after);
}

/// Witness for several row groups with more values than are decoded at once.
#[test]
fn a_long_file_is_rewritten() {
    let files = Files::new();
    let records: u32 = 50_000;
    let word =
        |record: u32| (!record.is_multiple_of(13)).then(|| format!("word {}", record % 1_009));
    let words: StringArray = (0..records).map(word).collect();
    let numbers: Int64Array = (0..records).map(|record| Some(i64::from(record))).collect();
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(20_000));
    files.write(
        vec![("words", Arc::new(words.clone())), ("numbers", Arc::new(numbers.clone()))],
        properties,
    );
    let swaps: Vec<PlannedSwap> = (0..records / 2)
        .step_by(7)
        .map(|record| {
            swap(record, records - 1 - record, if record % 2 == 0 { &[0] } else { &[0, 1] })
        })
        .collect();
    let counts = files.rewrite(&swaps, &ReleaseOptions::default()).unwrap();
    let mut order: [Vec<u32>; 2] = [(0..records).collect(), (0..records).collect()];
    let mut changed = 0;
    for swap in &swaps {
        for &column in swap.exchanged.iter() {
            order[column].swap(swap.left.position(), swap.right.position());
            let differs = column == 1 || word(swap.left.0) != word(swap.right.0);
            changed += if differs { 2 } else { 0 };
        }
    }
    assert_eq!(counts.cells_changed, changed);
    let expected: StringArray = order[0].iter().map(|&record| word(record)).collect();
    let expected_numbers: Int64Array =
        order[1].iter().map(|&record| Some(i64::from(record))).collect();
    let after =
        ParquetRecordBatchReaderBuilder::try_new(File::open(files.path("after")).unwrap()).unwrap();
    let groups: Vec<i64> =
        after.metadata().row_groups().iter().map(|group| group.num_rows()).collect();
    assert_eq!(groups, [20_000, 20_000, 10_000]);
    let mut start = 0;
    for batch in after.build().unwrap().map(Result::unwrap) {
        let rows = batch.num_rows();
        assert_eq!(batch.column(0).as_ref(), &expected.slice(start, rows) as &dyn Array);
        assert_eq!(batch.column(1).as_ref(), &expected_numbers.slice(start, rows) as &dyn Array);
        start += rows;
    }
    assert_eq!(start, 50_000);
}

/// Keys that end in the middle of a chunk, and dictionaries that have more than 65,536 values
/// together: such a column is held as its values, and comes out like one without a dictionary.
#[test]
fn dictionaries_that_were_given_up_or_are_long_are_followed() {
    let files = Files::new();
    let records: u32 = 70_000;
    let number = |record: u32| i64::from(record % 69_000);
    let numbers: Int64Array = (0..records).map(|one| Some(number(one))).collect();
    let text =
        |record: u32| (!record.is_multiple_of(5)).then(|| format!("text {}", number(record)));
    let texts: StringArray = (0..records).map(text).collect();
    let columns: Vec<(&str, ArrayRef)> =
        vec![("numbers", Arc::new(numbers)), ("texts", Arc::new(texts))];
    let order: Vec<u32> = (0..records).map(|place| place * 3 % records).collect();
    let release = ReleaseOptions { order: Some(order.clone()), ..Default::default() };
    for limit in [1 << 10, 1 << 24] {
        let properties = WriterProperties::builder()
            .set_max_row_group_row_count(Some(30_000))
            .set_dictionary_page_size_limit(limit);
        files.write(columns.clone(), properties);
        let before = metadata(&files.path("before"));
        assert!(before.row_group(0).column(0).dictionary_page_offset().is_some());
        files.rewrite(&[swap(1, 69_999, &[0, 1])], &release).unwrap();
        let found = arrow(&files.path("after"));
        let source = |record: u32| match record {
            1 => 69_999,
            69_999 => 1,
            record => record,
        };
        let expected: Int64Array =
            order.iter().map(|&record| Some(number(source(record)))).collect();
        assert_eq!(found.column(0).as_ref(), &expected as &dyn Array, "{limit}");
        let expected: StringArray = order.iter().map(|&record| text(source(record))).collect();
        assert_eq!(found.column(1).as_ref(), &expected as &dyn Array, "{limit}");
    }
}

fn categories(path: &Path) -> Vec<Vec<Vec<u8>>> {
    let source = Source::open(path, &ReadOptions::default()).unwrap();
    let wanted = vec![true; source.columns().len()];
    let table = source.read(&wanted).unwrap();
    let columns = table.columns.iter().flatten().map(|column| {
        let category = |record| column.dictionary().category(column.code(record)).unwrap().to_vec();
        (0..table.records).map(category).collect()
    });
    columns.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn law_the_release_in_parquet_is_the_same(
        cells in proptest::collection::vec(proptest::collection::vec(0u8..3, 3), 2..9),
        pairs in Just((0..8u32).collect::<Vec<_>>()).prop_shuffle(),
        sets in proptest::collection::vec(1usize..8, 4),
        place in any::<u32>(),
        shuffled in any::<bool>(),
        left_out in 0usize..4,
        group in 1usize..5,
    ) {
        let records = u32::try_from(cells.len()).unwrap();
        let pairs: Vec<u32> = pairs.into_iter().filter(|&record| record < records).collect();
        let swaps: Vec<PlannedSwap> = pairs.chunks_exact(2).zip(sets).map(|(pair, set)| {
            let exchanged: Vec<usize> = (0..3).filter(|column| set >> column & 1 == 1).collect();
            swap(pair[0], pair[1], &exchanged)
        }).collect();
        // Half of the pairs stay pairs; the other records are one group.
        let (swaps, rest) = swaps.split_at(swaps.len() / 2);
        let mut members: Vec<RecordId> = rest.iter().flat_map(|swap| [swap.left, swap.right]).collect();
        members.sort_unstable();
        let turned = |by: usize| (0..members.len()).map(|place| (place + by) % members.len()).collect();
        let groups = if members.len() < 3 { Vec::new() } else {
            vec![PlannedGroup { columns: vec![0, 2], from: vec![turned(1), turned(2)], records: members.clone() }]
        };
        let order = (0..records).map(|record| (record + place % records) % records).collect();
        let release = ReleaseOptions {
            order: shuffled.then_some(order),
            drop: if left_out < 3 { vec![left_out] } else { Vec::new() },
            ..Default::default()
        };
        let files = Files::new();
        let column = |column: usize| -> ArrayRef {
            Arc::new(StringArray::from_iter_values(cells.iter().map(|record| record[column].to_string())))
        };
        let properties = WriterProperties::builder().set_max_row_group_row_count(Some(group));
        files.write(vec![("a", column(0)), ("b", column(1)), ("c", column(2))], properties);
        let parquet_counts = files.rewrite_all(swaps, &groups, &release).unwrap();
        let parquet = categories(&files.path("after"));
        let lines = cells.iter().map(|record| format!("{},{},{}\n", record[0], record[1], record[2]));
        fs::write(files.path("before"), format!("a,b,c\n{}", lines.collect::<String>())).unwrap();
        let csv_counts = files.rewrite_all(swaps, &groups, &release).unwrap();
        prop_assert_eq!(categories(&files.path("after")), parquet);
        prop_assert_eq!(csv_counts, parquet_counts);
    }
}

/// Households, their new names and persons after them come out of Parquet as they come out of CSV.
#[test]
fn households_in_parquet_are_released_alike() {
    let cells =
        [["7", "N", "31"], ["3", "S", "8"], ["7", "N", "64"], ["9", "W", "40"], ["3", "S", "35"]];
    let files = Files::new();
    let column = |at: usize| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(cells.iter().map(|row| row[at])))
    };
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(2));
    files.write(vec![("hid", column(0)), ("region", column(1)), ("age", column(2))], properties);
    let names: Column = cells.iter().map(|row| row[0].as_bytes()).collect();
    let households = Arc::new(Households::by(&names));
    let release = ReleaseOptions {
        order: Some(vec![3, 0, 2, 1, 4]),
        households: Some(households),
        renamed: Some(Renamed { column: 0, from: vec![1, 2, 0] }),
        then: Some(Plan::new(vec![swap(0, 4, &[2])], vec![]).unwrap()),
        ..Default::default()
    };
    let swaps = [swap(0, 1, &[1])];
    let parquet_counts = files.rewrite_all(&swaps, &[], &release).unwrap();
    let parquet = categories(&files.path("after"));
    let lines: String = cells.iter().map(|row| row.join(",") + "\n").collect();
    fs::write(files.path("before"), format!("hid,region,age\n{lines}")).unwrap();
    let csv_counts = files.rewrite_all(&swaps, &[], &release).unwrap();
    assert_eq!(categories(&files.path("after")), parquet);
    assert_eq!(csv_counts, parquet_counts);
    let text = fs::read_to_string(files.path("after")).unwrap();
    assert_eq!(text, "hid,region,age\n7,W,40\n3,S,35\n3,S,64\n9,N,8\n9,N,31\n");
}
