//! Running the program, for the tests.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

pub mod attacks;
pub mod outside;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;
use tempfile::TempDir;

/// An empty folder whose name holds no letter and no digit after `desk`: tests look for short
/// values in what a command prints, and a command prints the names of its files.
pub fn folder() -> TempDir {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let signs: String = format!("{:b} {number:b}", std::process::id())
            .chars()
            .map(|digit| match digit {
                '0' => '-',
                '1' => '_',
                _ => '.',
            })
            .collect();
        let made = tempfile::Builder::new().prefix(&format!("desk{signs}")).rand_bytes(0).tempdir();
        match made {
            // Left by a process of the same number.
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            made => return made.expect("a folder can be made"),
        }
    }
}

/// A folder for what a test writes.
pub struct Desk(TempDir);

impl Desk {
    /// An empty one.
    pub fn new() -> Self {
        Self(folder())
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        self.0.path()
    }

    /// The name of a file in it.
    pub fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    /// Writes a file and answers its name.
    pub fn write(&self, name: &str, content: &str) -> String {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path
    }

    /// What a file holds.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }
}

/// Runs marginswap in the repository's root.
pub fn marginswap<A: AsRef<OsStr>>(arguments: &[A]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_marginswap"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("the program starts")
}

/// Runs marginswap and reads its JSON; it must end well.
pub fn json<A: AsRef<OsStr>>(arguments: &[A]) -> Value {
    let output = marginswap(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    serde_json::from_slice(&output.stdout).expect("the answer is JSON")
}

/// Runs a command that may end with 0 or 1; its JSON and how it ended.
pub fn answer(arguments: &[&str]) -> (Value, i32) {
    let output = marginswap(&[arguments, &["--json"]].concat());
    let code = output.status.code().unwrap();
    assert!(code == 0 || code == 1, "{arguments:?}: {}", err(&output));
    (serde_json::from_slice(&output.stdout).unwrap(), code)
}

/// The JSON alone of a command that may end with 0 or 1.
pub fn answered(arguments: &[&str]) -> Value {
    answer(arguments).0
}

/// A file as rows of fields; no test file of ours quotes anything.
pub fn rows(path: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// Writes rows of fields as a Parquet file of texts, by its own library; the first row has the
/// names.
pub fn write_parquet(path: &str, rows: &[Vec<String>]) {
    use arrow_array::{ArrayRef, RecordBatch, StringArray};

    let column = |place: usize| -> ArrayRef {
        let values = rows[1..].iter().map(|row| &row[place]);
        std::sync::Arc::new(StringArray::from_iter_values(values))
    };
    let columns = rows[0].iter().enumerate().map(|(place, name)| (name, column(place)));
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let file = fs::File::create(path).unwrap();
    let mut writer = parquet::arrow::ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

/// A Parquet file of texts as rows of fields, read by its own library.
pub fn read_parquet(path: &str) -> Vec<Vec<String>> {
    use arrow_array::cast::AsArray;
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

    let file = fs::File::open(path).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
    let mut rows = Vec::new();
    for batch in reader.map(|batch| batch.unwrap()) {
        if rows.is_empty() {
            let schema = batch.schema();
            rows.push(schema.fields().iter().map(|field| field.name().clone()).collect());
        }
        rows.extend((0..batch.num_rows()).map(|row| {
            let values = batch.columns().iter();
            values.map(|column| column.as_string::<i32>().value(row).to_owned()).collect()
        }));
    }
    rows
}

/// An independent recount: how often each combination of the named columns occurs.
pub fn table(rows: &[Vec<String>], names: &[&str]) -> BTreeMap<Vec<String>, usize> {
    let columns: Vec<usize> =
        names.iter().map(|name| rows[0].iter().position(|other| other == name).unwrap()).collect();
    let mut table = BTreeMap::new();
    for row in &rows[1..] {
        *table.entry(columns.iter().map(|&column| row[column].clone()).collect()).or_default() += 1;
    }
    table
}

/// What an intruder learns about those who are alone with their keys, counted by the definitions
/// from the contents of two files: how many are gone, shared and matched, and how many are
/// matched with every sensitive value true.
pub fn learned(
    before: &[Vec<String>],
    after: &[Vec<String>],
    keys: &[&str],
    sensitive: &[&str],
) -> [u64; 4] {
    let on = |rows: &[Vec<String>], row: &[String], names: &[&str]| -> Vec<String> {
        let place = |name: &&str| rows[0].iter().position(|other| other == name).unwrap();
        names.iter().map(|name| row[place(name)].clone()).collect()
    };
    let alone = table(before, keys);
    let mut found = [0; 4];
    for person in &before[1..] {
        let known = on(before, person, keys);
        if alone[&known] != 1 {
            continue;
        }
        let matches: Vec<_> =
            after[1..].iter().filter(|row| on(after, row, keys) == known).collect();
        match matches[..] {
            [] => found[0] += 1,
            [row] => {
                found[2] += 1;
                let truth = on(before, person, sensitive);
                found[3] += u64::from(on(after, row, sensitive) == truth);
            }
            _ => found[1] += 1,
        }
    }
    found
}

/// The same four numbers, as an answer tells them.
pub fn told_learned(answer: &Value) -> [u64; 4] {
    ["gone", "shared", "matched", "matched_right"].map(|field| answer[field].as_u64().unwrap())
}

/// What was printed as a result.
pub fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// What was printed next to it.
pub fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The folder of real data, or a word that its tests are skipped.
pub fn real_data(what: &str) -> Option<PathBuf> {
    match std::env::var_os("MARGINSWAP_REAL_DATA") {
        Some(folder) => Some(PathBuf::from(folder)),
        None => {
            // Written past the test harness, which keeps what passing tests print.
            let _ =
                writeln!(std::io::stderr(), "skipped: {what} (MARGINSWAP_REAL_DATA is not set)");
            None
        }
    }
}

/// Tables of a scenario as one formula.
pub fn formula(tables: &Value) -> String {
    let table = |table: &Value| {
        let names: Vec<String> = table
            .as_array()
            .unwrap()
            .iter()
            .map(|name| format!("`{}`", name.as_str().unwrap().replace('`', "``")))
            .collect();
        names.join("*")
    };
    tables.as_array().unwrap().iter().map(table).collect::<Vec<_>>().join(" + ")
}

/// The reasons that two files alone give: without those that need the plan.
pub fn reasons_of_files(said: &Value) -> Vec<&Value> {
    let by_plan =
        |reason: &Value| reason["reason"] == "not_hidden" || reason["reason"] == "cannot_be_hidden";
    said["reasons"].as_array().unwrap().iter().filter(|reason| !by_plan(reason)).collect()
}
