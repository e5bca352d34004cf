//! How often a whole job reads its input: for the columns, and once more for the released file.
//!
//! Counted by the operating system, over everything that this process reads; so there is one
//! test in this file.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stderr, reason = "a test says what it skips")]
#![cfg(target_os = "linux")]

use std::fmt::Write;
use std::fs;

use marginswap_pipeline::answer::Reveal;
use marginswap_pipeline::notes::Run;
use marginswap_pipeline::pages;
use marginswap_pipeline::pipeline::protect;
use marginswap_pipeline::project::{Project, ReleaseOrder};
use marginswap_pipeline::release::{Overwrite, ReleaseAs};
use marginswap_pipeline::seed::SeedFrom;

/// The bytes that this process has read, by any system call.
fn bytes_read() -> Option<u64> {
    let told = fs::read_to_string("/proc/self/io").ok()?;
    told.lines().find_map(|line| line.strip_prefix("rchar: ")?.parse().ok())
}

#[test]
fn a_job_with_both_pages_reads_its_input_twice() {
    if bytes_read().is_none() {
        eprintln!("skipped: this system does not tell how many bytes a process reads");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let [data, out] = ["data.csv", "released.csv"].map(|name| folder.path().join(name));
    let mut text = "region,sex,age,job\n".to_owned();
    for record in 0..200_000u32 {
        let mixed = record.wrapping_mul(2_654_435_761) >> 8;
        let (region, sex, age, job) = (mixed % 7, mixed % 2, mixed / 7 % 80, mixed / 560 % 9);
        writeln!(text, "region {region},sex {sex},age {age},job {job}").unwrap();
    }
    // Somebody is alone with region and age.
    text.push_str("region 0,sex 1,age 99,job 3\nregion 1,sex 0,age 98,job 4\n");
    fs::write(&data, &text).unwrap();
    let input = text.len() as u64;
    let mut project = Project { data: Some(data), ..Project::default() };
    project.keep.tables = vec!["region*sex + age".to_owned()];
    project.risk.keys = vec!["region".to_owned(), "age".to_owned()];
    let order = ReleaseOrder::Random;
    let to = ReleaseAs { target: &out, overwrite: Overwrite::Refuse, order };
    let before = bytes_read().unwrap();
    let job = protect(project, &SeedFrom::Demo(1), &to, &mut Run::silent()).unwrap();
    let comparison = &job.certified.comparison;
    let internal = pages::internal(comparison, None, Reveal::Counts).unwrap();
    let external = pages::external(comparison, true).unwrap();
    assert!(internal.html().len() + external.html().len() > 1_000);
    job.certified.publish(vec![]).unwrap();
    let read = bytes_read().unwrap() - before;
    // Once for the columns and once for the new order; the released file, which is as long, is
    // read back once. Beginnings are looked at more often.
    let [least, most] = [3 * input, 3 * input + input / 2];
    assert!((least..most).contains(&read), "{read} bytes for an input of {input}");
}
