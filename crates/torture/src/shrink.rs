//! A failing case made smaller, while it fails.
//!
//! Settings go one by one, then records by halves and one by one, then what is odd about the
//! bytes. The reason may become another one on the way: any failure is worth showing.

use std::path::Path;

use crate::{Case, attack};

/// The smallest case that was found, and what it says.
#[must_use]
pub fn shrink(case: Case, why: String, program: &Path) -> (Case, String) {
    let (mut case, mut why) = (case, why);
    while let Some((smaller, reason)) = step(&case, program) {
        (case, why) = (smaller, reason);
    }
    (case, why)
}

/// A smaller case that fails too.
fn step(case: &Case, program: &Path) -> Option<(Case, String)> {
    let fails = |smaller: Case| attack(&smaller, program).err().map(|why| (smaller, why));
    candidates(case).into_iter().find_map(fails)
}

fn candidates(case: &Case) -> Vec<Case> {
    let mut all = Vec::new();
    for place in 0..case.told.len() {
        let mut smaller = case.clone();
        smaller.told.remove(place);
        all.push(smaller);
    }
    let records = case.world.rows.len();
    let mut size = records / 2;
    while size > 0 {
        for start in (0..records).step_by(size) {
            all.push(without_records(case, start..(start + size).min(records)));
        }
        size /= 2;
    }
    let plain: [fn(&mut Case); 4] = [
        |case| case.world.mark = false,
        |case| case.world.end = "\n",
        |case| case.world.last_ends = true,
        |case| case.listed.clear(),
    ];
    for change in plain {
        let mut smaller = case.clone();
        change(&mut smaller);
        let is_new = smaller.world.bytes() != case.world.bytes() || smaller.listed != case.listed;
        all.extend(is_new.then_some(smaller));
    }
    all.retain(|smaller| !smaller.world.rows.is_empty());
    all
}

fn without_records(case: &Case, gone: std::ops::Range<usize>) -> Case {
    let mut smaller = case.clone();
    let fewer = gone.len();
    smaller.world.rows.drain(gone.clone());
    smaller.listed.retain(|record| !gone.contains(record));
    for record in &mut smaller.listed {
        if *record >= gone.end {
            *record -= fewer;
        }
    }
    smaller
}
