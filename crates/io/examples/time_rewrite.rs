//! How long does it take to write a file with its swaps done, and where does the time go?
//!
//! `cargo run --release -p marginswap-io --example time_rewrite FILE PERCENT [TIMES]`
//!
//! Every record that lies at the given spacing is swapped with one far away, in half of the
//! columns. The output goes to a file next to the input, which is removed at the end.
#![allow(clippy::print_stdout)]

use std::path::Path;
use std::time::Instant;

use marginswap_core::encode::RecordId;
use marginswap_core::plan::{Plan, PlannedSwap};
use marginswap_io::{
    Compression, Overwrite, ReadOptions, ReleaseOptions, Secrecy, Source, Staged, digest_file,
    rewrite,
};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().expect("the first argument names a file");
    let path = Path::new(&path);
    let percent: u32 = arguments.next().map_or(2, |percent| percent.parse().expect("a number"));
    let times: usize = arguments.next().map_or(5, |times| times.parse().expect("a number"));
    let options = ReadOptions::default();
    let source = Source::open(path, &options).unwrap_or_else(|refusal| panic!("{refusal}"));
    let columns = source.columns().len();
    let table = source.read(&vec![false; columns]).unwrap_or_else(|refusal| panic!("{refusal}"));
    let records = u32::try_from(table.records).expect("a file has fewer than 2^32 records");
    let exchanged: std::sync::Arc<[usize]> = (0..columns).step_by(2).collect();
    let swaps: Vec<PlannedSwap> = (0..records / 2)
        .step_by(100 / percent.clamp(1, 100) as usize)
        .map(|record| PlannedSwap {
            left: RecordId(record),
            right: RecordId(records - 1 - record),
            exchanged: exchanged.clone(),
        })
        .collect();
    let plan = Plan::new(swaps, Vec::new()).expect("no record is swapped twice");
    // A step that is coprime to the number of records meets them all.
    let step = (0..).map(|n| 7_919 + n).find(|&step| greatest_divisor(step, records) == 1);
    let step = u64::from(step.expect("some step is coprime"));
    let order: Vec<u32> = (0..u64::from(records))
        .map(|place| u32::try_from(place * step % u64::from(records)).expect("a record"))
        .collect();
    let plain = ReleaseOptions::default();
    let shuffled = ReleaseOptions { order: Some(order), ..ReleaseOptions::default() };
    let dropped = ReleaseOptions { drop: vec![1], ..ReleaseOptions::default() };
    let packed = ReleaseOptions { packing: Compression::Gzip, ..ReleaseOptions::default() };
    println!("{records} records, {} swaps", plan.swaps().len());
    for _ in 0..times {
        let start = Instant::now();
        let digest = digest_file(path).unwrap_or_else(|refusal| panic!("{refusal}"));
        print!("digest {:.1?} ({} bytes)", start.elapsed(), digest.bytes);
        for (name, release) in
            [("plain", &plain), ("order", &shuffled), ("drop", &dropped), ("gzip", &packed)]
        {
            let start = Instant::now();
            let target = path.with_extension("rewritten");
            let written = Staged::create(&target, Overwrite::Force, Secrecy::Plain)
                .and_then(|mut staged| {
                    staged.fill(|out| rewrite(path, &options, &plan, release, out))?;
                    Ok((staged, start.elapsed()))
                })
                .and_then(|(staged, rewritten)| staged.finish().map(|_| rewritten));
            let rewritten = written.unwrap_or_else(|refusal| panic!("{refusal}"));
            print!(", {name} {rewritten:.1?} ({:.1?} with fsync)", start.elapsed());
        }
        println!();
    }
}

fn greatest_divisor(one: u32, other: u32) -> u32 {
    if other == 0 { one } else { greatest_divisor(other, one % other) }
}
