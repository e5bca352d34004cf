//! Laws of weighted tables whose counts need not stay exact: how far they move, by definition, and
//! that no plan moves them further than it may.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support::setting;

use std::collections::BTreeMap;

use marginswap_core::oracle::World;
use marginswap_core::plan::{Constraints, NeverNew, Pairing, Prices, WeightBound};
use marginswap_core::random::{Random, Seed};
use marginswap_core::varset::VarSet;
use marginswap_core::verify::{Pooled, Weights, weighted};
use setting::Setting;

/// The weight of each code of the last variable.
const WEIGHTS: [u128; 4] = [100, 103, 120, 250];

/// The weighted table of a world whose last variable is the weight.
fn weighted_table(world: &World, margin: VarSet) -> BTreeMap<Vec<u32>, u128> {
    let mut table = BTreeMap::new();
    for record in &world.records {
        let cell = margin.iter().map(|variable| record[variable]).collect();
        *table.entry(cell).or_default() += WEIGHTS[*record.last().unwrap() as usize];
    }
    table
}

/// A random file of four variables and a weight, which stays, with two or three tables to keep.
fn setting(number: u64) -> Setting {
    let mut random = Random::new(Seed([31; 32]), number);
    let variables = 4;
    let levels: Vec<usize> = (0..variables).map(|_| 2 + random.below(2)).chain([4]).collect();
    let records = (0..30 + random.below(40))
        .map(|_| levels.iter().map(|&of| u32::try_from(random.below(of)).unwrap()).collect())
        .collect();
    let tables = (0..2 + random.below(2)).map(|_| {
        let first = random.below(variables);
        VarSet::from([first, (first + 1 + random.below(variables - 1)) % variables])
    });
    Setting {
        world: World { levels, records },
        tables: tables.collect(),
        keys: VarSet::first(variables),
        sensitive: VarSet::EMPTY,
        rounds: 2,
        prices: Prices { staying: VarSet::single(variables), weights: vec![1; variables + 1] },
        constraints: Constraints {
            matches: vec![VarSet::EMPTY],
            forbidden: vec![],
            never_new: NeverNew::Nowhere,
            drift: None,
            gone: Vec::new(),
            most_changed: None,
            least_changed: (random.below(2) == 0).then_some(20),
        },
        limit: usize::MAX,
        marked: None,
    }
}

fn bound(setting: &Setting, share: [u64; 2]) -> WeightBound {
    let (variable, tables) = (setting.variables() - 1, setting.tables.clone());
    WeightBound { variable, weights: WEIGHTS.to_vec(), tables, share }
}

/// The largest drift of any weighted cell over its bound, and whether any cell moved.
fn keeps_bound(before: &World, after: &World, tables: &[VarSet], share: [u64; 2]) -> (bool, bool) {
    let [part, whole] = share.map(u128::from);
    let (mut within, mut moved) = (true, false);
    for &table in tables {
        let (before, after) = (weighted_table(before, table), weighted_table(after, table));
        for (cell, sum) in before {
            let drift = sum.abs_diff(after[&cell]);
            within &= drift * whole <= sum * part;
            moved |= drift > 0;
        }
    }
    (within, moved)
}

/// With a bound no weighted cell of a kept table moves further, and with a bound of nothing none
/// moves at all; without one some do.
#[test]
fn law_weighted_cells_stay_within_their_bound() {
    let (mut swaps, mut bounded_moves, mut free_beyond, mut still) = (0, 0, 0, 0);
    for number in 0..250 {
        let mut setting = setting(number);
        let free = setting.after(&setting.made(Pairing::Greedy, 2, 5));
        for share in [[0, 1], [1, 50], [1, 10]] {
            setting.constraints.drift = Some(bound(&setting, share));
            let made = setting.made(Pairing::Greedy, 2, 5);
            let after = setting.after(&made);
            for &table in &setting.tables {
                assert_eq!(after.margin_table(table), setting.world.margin_table(table));
            }
            let (within, moved) = keeps_bound(&setting.world, &after, &setting.tables, share);
            assert!(within, "file {number}, {share:?}");
            swaps += made.swaps().len();
            bounded_moves += usize::from(moved);
            still += usize::from(share == [0, 1] && !made.swaps().is_empty());
        }
        let (within, _) = keeps_bound(&setting.world, &free, &setting.tables, [1, 50]);
        free_beyond += usize::from(!within);
    }
    assert!(
        swaps > 1_000 && bounded_moves > 100 && free_beyond > 100 && still > 50,
        "{swaps} {bounded_moves} {free_beyond} {still}"
    );
}

/// What is reported of weighted tables is what counting record by record gives.
#[test]
fn law_weighted_drift_by_definition() {
    for number in 0..200 {
        let setting = setting(number);
        let after = setting.after(&setting.made(Pairing::Greedy, 2, 7));
        let (left, right) = (setting.world.packed(), after.packed());
        let pooled = Pooled::of(&left, &right);
        let weights = Weights { variable: setting.variables() - 1, of_code: WEIGHTS.to_vec() };
        let share = [1, 50];
        let found = weighted(&pooled, &weights, &setting.tables, Some(share));
        let free = weighted(&pooled, &weights, &setting.tables, None);
        assert!(free.iter().all(|table| table.beyond == 0), "nothing is beyond no bound");
        assert!(free.iter().zip(&found).all(|(free, found)| free.moved == found.moved));
        for (found, &table) in found.iter().zip(&setting.tables) {
            let before = weighted_table(&setting.world, table);
            let after = weighted_table(&after, table);
            let drifts: Vec<(u128, u128)> =
                before.iter().map(|(cell, &sum)| (sum.abs_diff(after[cell]), sum)).collect();
            assert_eq!((found.margin, found.cells), (table, before.len()));
            assert_eq!(found.moved, drifts.iter().filter(|(drift, _)| *drift > 0).count());
            let beyond = |(drift, sum): &&(u128, u128)| drift * 50 > *sum;
            assert_eq!(found.beyond, drifts.iter().filter(beyond).count());
            let largest = drifts.iter().map(|&(drift, sum)| drift as f64 / sum as f64);
            assert!((found.largest - largest.fold(0.0, f64::max)).abs() < 1e-12);
        }
    }
}
