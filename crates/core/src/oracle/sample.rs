//! Slow twins for drawn files: every permutation, every file with the same tables.

use std::collections::BTreeMap;

use super::World;
use crate::varset::VarSet;

/// All permutations of the numbers below a length.
#[must_use]
pub fn permutations(length: usize) -> Vec<Vec<usize>> {
    let Some(last) = length.checked_sub(1) else { return vec![Vec::new()] };
    let shorter = permutations(last);
    let places = (0..length).rev();
    places
        .flat_map(|place| {
            shorter.iter().map(move |shorter| {
                let mut longer = shorter.clone();
                longer.insert(place, last);
                longer
            })
        })
        .collect()
}

/// The records of which each has, on some variables, the values of the record with this number.
#[must_use]
pub fn far_side_moved(records: &[Vec<u32>], far: VarSet, from: &[usize]) -> Vec<Vec<u32>> {
    let record = |(own, &from): (&Vec<u32>, &usize)| {
        let value = |variable| if far.contains(variable) { &records[from] } else { own }[variable];
        (0..own.len()).map(value).collect()
    };
    records.iter().zip(from).map(record).collect()
}

/// Every file with the same tables, as counts of its cells in the order of `World::cells`, with
/// 1 / Π n(i)! as its weight in the hypergeometric law.
#[must_use]
pub fn fibre(world: &World, margins: &[VarSet]) -> BTreeMap<Vec<Vec<u32>>, f64> {
    let mut cells: Vec<Vec<u32>> = vec![Vec::new()];
    for &levels in &world.levels {
        let codes = 0..u32::try_from(levels).expect("a small world");
        let longer = |cell: &Vec<u32>| {
            codes.clone().map(|code| [&cell[..], &[code]].concat()).collect::<Vec<_>>()
        };
        cells = cells.iter().flat_map(longer).collect();
    }
    let mut left: Vec<BTreeMap<Vec<u32>, u64>> =
        margins.iter().map(|&margin| world.margin_table(margin)).collect();
    let mut found = BTreeMap::new();
    extend(&cells, margins, &mut left, (&mut Vec::new(), 1.0), world.records.len(), &mut found);
    found
}

/// Tries every count for the first of these cells, and goes on.
fn extend(
    cells: &[Vec<u32>],
    margins: &[VarSet],
    left: &mut [BTreeMap<Vec<u32>, u64>],
    (records, weight): (&mut Vec<Vec<u32>>, f64),
    missing: usize,
    found: &mut BTreeMap<Vec<Vec<u32>>, f64>,
) {
    if missing == 0 {
        found.insert(records.clone(), weight);
        return;
    }
    let Some((cell, others)) = cells.split_first() else { return };
    let on = |margin: &VarSet| -> Vec<u32> { margin.iter().map(|one| cell[one]).collect() };
    let room = |(margin, table): (&VarSet, &BTreeMap<Vec<u32>, u64>)| {
        table.get(&on(margin)).copied().unwrap_or(0)
    };
    let most = margins.iter().zip(left.iter()).map(room).min().unwrap_or(u64::MAX);
    let take = |left: &mut [BTreeMap<Vec<u32>, u64>], count: u64| {
        for (margin, table) in margins.iter().zip(left.iter_mut()) {
            if let Some(there) = table.get_mut(&on(margin)) {
                *there -= count;
            }
        }
    };
    let mut weight = weight;
    extend(others, margins, left, (records, weight), missing, found);
    let mut taken = 0;
    while taken < missing && most > taken as u64 {
        take(left, 1);
        taken += 1;
        records.push(cell.clone());
        #[allow(clippy::cast_precision_loss, reason = "a small number")]
        let divisor = taken as f64;
        weight /= divisor;
        extend(others, margins, left, (records, weight), missing - taken, found);
    }
    for (margin, table) in margins.iter().zip(left.iter_mut()) {
        if let Some(there) = table.get_mut(&on(margin)) {
            *there += taken as u64;
        }
    }
    records.truncate(records.len() - taken);
}
