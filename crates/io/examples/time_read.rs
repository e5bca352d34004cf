//! How long does it take to read all columns of a file?
//!
//! `cargo run --release -p marginswap-io --example time_read FILE [TIMES]`
#![allow(clippy::print_stdout)]

use std::path::Path;
use std::time::Instant;

use marginswap_io::{ReadOptions, Source};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().expect("the first argument names a file");
    let times: usize = arguments.next().map_or(5, |times| times.parse().expect("a number"));
    for _ in 0..times {
        let start = Instant::now();
        let source = Source::open(Path::new(&path), &ReadOptions::default())
            .unwrap_or_else(|refusal| panic!("{refusal}"));
        let wanted = vec![true; source.columns().len()];
        let table = source.read(&wanted).unwrap_or_else(|refusal| panic!("{refusal}"));
        let levels: usize = table.columns.iter().flatten().map(|c| c.dictionary().levels()).sum();
        let elapsed = start.elapsed();
        println!("{} records, {levels} levels in all, {elapsed:.1?}", table.records);
    }
}
