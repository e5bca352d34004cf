//! How often a whole job reads its input: for the columns, and once more for the released file;
//! twice more where that is a Parquet file, whose sum is taken during the writing.
//!
//! Counted by the operating system, over everything that this process reads; so the tests of this
//! file take turns.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stderr, reason = "a test says what it skips")]
#![cfg(target_os = "linux")]

#[cfg(feature = "parquet")]
#[path = "support/parquet_texts.rs"]
mod parquet_texts;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use marginswap_pipeline::answer::Reveal;
use marginswap_pipeline::job::protect;
use marginswap_pipeline::notes::Run;
use marginswap_pipeline::outputs::Outputs;
use marginswap_pipeline::pages;
use marginswap_pipeline::project::{Project, ReleaseOrder};
use marginswap_pipeline::seed::SeedFrom;
#[cfg(feature = "parquet")]
use parquet_texts::write_parquet;

/// The bytes that this process has read, by any system call.
fn bytes_read() -> Option<u64> {
    let told = fs::read_to_string("/proc/self/io").ok()?;
    told.lines().find_map(|line| line.strip_prefix("rchar: ")?.parse().ok())
}

/// One test at a time.
static TURN: Mutex<()> = Mutex::new(());

/// Records of four columns; two of them are alone with region and age.
fn records() -> impl Iterator<Item = [String; 4]> {
    let usual = (0..200_000u32).map(|record| {
        let mixed = record.wrapping_mul(2_654_435_761) >> 8;
        [mixed % 7, mixed % 2, mixed / 7 % 80, mixed / 560 % 9]
    });
    let all = usual.chain([[0, 1, 99, 3], [1, 0, 98, 4]]);
    all.map(|[region, sex, age, job]| {
        [("region", region), ("sex", sex), ("age", age), ("job", job)]
            .map(|(name, code)| format!("{name} {code}"))
    })
}

/// How many bytes a job with both pages reads: data file, released file.
fn read_by_a_job(data: PathBuf, out: &Path) -> u64 {
    let mut project = Project { data: Some(data), ..Project::default() };
    project.keep.tables = vec!["region*sex + age".to_owned()];
    project.risk.keys = vec!["region".to_owned(), "age".to_owned()];
    let outputs = Outputs::released(out, ReleaseOrder::Random);
    let before = bytes_read().unwrap();
    let run = &mut Run::silent();
    let mut release = protect(&project, &SeedFrom::Demo(1), &outputs, run).unwrap();
    let comparison = &release.comparison;
    let internal = pages::internal(comparison, None, Reveal::Counts).unwrap();
    let external = pages::external(comparison, true).unwrap();
    assert!(internal.html().len() + external.html().len() > 1_000);
    release.publish(run).unwrap();
    bytes_read().unwrap() - before
}

fn can_be_counted() -> bool {
    let can = bytes_read().is_some();
    if !can {
        eprintln!("skipped: this system does not tell how many bytes a process reads");
    }
    can
}

#[test]
fn a_job_with_both_pages_reads_its_input_twice() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    if !can_be_counted() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let [data, out] = ["data.csv", "released.csv"].map(|name| folder.path().join(name));
    let mut text = "region,sex,age,job\n".to_owned();
    for record in records() {
        writeln!(text, "{}", record.join(",")).unwrap();
    }
    fs::write(&data, &text).unwrap();
    let input = text.len() as u64;
    let read = read_by_a_job(data, &out);
    // Once for the columns and once for the new order; the released file, which is as long, is
    // read back once. Beginnings are looked at more often.
    let [least, most] = [3 * input, 3 * input + input / 2];
    assert!((least..most).contains(&read), "{read} bytes for an input of {input}");
}

/// The sum of a Parquet file and the columns are one reading; for the release its sum is taken
/// again, and then it is copied.
#[cfg(feature = "parquet")]
#[test]
fn a_job_with_both_pages_reads_a_parquet_input_three_times() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    if !can_be_counted() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let [data, out] = ["data.parquet", "released.parquet"].map(|name| folder.path().join(name));
    let values = |column: usize| records().map(|record| record[column].clone()).collect();
    let names = ["region", "sex", "age", "job"];
    write_parquet(&data, &[0, 1, 2, 3].map(|column| (names[column], values(column))));
    let input = fs::metadata(&data).unwrap().len();
    let read = read_by_a_job(data, &out);
    let output = fs::metadata(&out).unwrap().len();
    // The released file is read back once.
    let [least, most] = [3 * input + output, 3 * input + output + input / 2];
    assert!((least..most).contains(&read), "{read} bytes for {input} and {output}");
}
