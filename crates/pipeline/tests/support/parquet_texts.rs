//! Columns of texts as a Parquet file.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

/// Writes the columns with these names, plain and without dictionaries.
pub fn write_parquet(path: &Path, columns: &[(&str, Vec<String>)]) {
    let fields = columns.iter().map(|(name, _)| format!("required binary {name} (UTF8);"));
    let schema = format!("message records {{ {} }}", fields.collect::<String>());
    let schema = Arc::new(parse_message_type(&schema).unwrap());
    let properties = WriterProperties::builder().set_dictionary_enabled(false).build();
    let file = File::create(path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for (_, values) in columns {
        let values: Vec<ByteArray> = values.iter().map(|value| value.as_str().into()).collect();
        let mut open = group.next_column().unwrap().unwrap();
        let ColumnWriter::ByteArrayColumnWriter(typed) = open.untyped() else {
            unreachable!("the column has texts")
        };
        typed.write_batch(&values, None, None).unwrap();
        open.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
}
