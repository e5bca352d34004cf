//! Iterative proportional fitting, for blocks of a model without a closed form.
//!
//! The fitted table has the margins of the data and no more structure than the model allows.
//! It can be positive only in *reachable* cells: those whose projection on every generator
//! holds a record. These are listed, and fitted one generator after the other until all
//! margins agree.
//!
//! Trap: there may be far too many reachable cells. Then the fit runs on the cells that hold
//! records, as if no other could. Its fitted counts are too high there, and risks computed
//! from them too low; [`Fitting::on_observed_cells`] says so and nobody may leave it out.
//!
//! Way in: [`fit`]. Reference: Deming & Stephan (1940); Bishop, Fienberg & Holland (1975).

use crate::encode::PackedCells;
use crate::hash::{STATE, Set};
use crate::table::{CellIndex, Grouping};
use crate::varset::VarSet;

/// How a fit went.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fitting {
    /// Rounds over all generators.
    pub iterations: u32,
    /// The largest difference between a fitted and an observed marginal count at the end.
    pub deviation: f64,
    /// Is it as small as was asked for?
    pub converged: bool,
    /// The cells that carry fitted counts.
    pub cells: u64,
    /// Are these only the cells that hold records, because the reachable ones are too many?
    pub on_observed_cells: bool,
}

/// The largest fit: cells times generators.
pub const MOST_ENTRIES: usize = 1 << 26;

/// Rounds at least, and more while they are cheap: where the estimate lies at the edge of the
/// model, the deviation falls only as one over the number of rounds.
const ITERATIONS: u32 = 1000;
const MOST_ITERATIONS: u32 = 20_000;
const CHEAP: usize = 400_000_000;

/// Fitted margins may be off by this part of all records.
const TOLERANCE: f64 = 1e-6;

/// Fits a block: the cells that hold records first, with their counts. Answers all cells that
/// carry fitted counts, those given first.
///
/// Law: `fitting-agrees-with-the-closed-form`.
#[must_use]
pub fn fit(
    observed: &PackedCells,
    counts: &[u64],
    generators: &[VarSet],
    most_entries: usize,
) -> (PackedCells, Vec<f64>, Fitting) {
    let reachable = reachable(observed, generators, most_entries / generators.len().max(1));
    let on_observed_cells = reachable.is_none();
    let cells = reachable.unwrap_or_else(|| observed.clone());
    let groupings: Vec<Grouping> =
        generators.iter().map(|&generator| Grouping::of(&cells, generator)).collect();
    let targets: Vec<Vec<f64>> = groupings
        .iter()
        .map(|grouping| {
            let mut target = vec![0.0; grouping.groups()];
            for (&group, &count) in grouping.group_of().iter().zip(counts) {
                target[group as usize] += count as f64;
            }
            target
        })
        .collect();
    let mut fitted = vec![1.0; cells.len()];
    let mut fitting = Fitting {
        iterations: 0,
        deviation: f64::INFINITY,
        converged: false,
        cells: cells.len() as u64,
        on_observed_cells,
    };
    let total: u64 = counts.iter().sum();
    let cheap = CHEAP / (cells.len() * generators.len()).max(1);
    let most = u32::try_from(cheap).unwrap_or(u32::MAX).clamp(ITERATIONS, MOST_ITERATIONS);
    while fitting.iterations < most && !fitting.converged {
        fitting.iterations += 1;
        fitting.deviation = 0.0;
        for (grouping, target) in groupings.iter().zip(&targets) {
            let mut sums = vec![0.0; target.len()];
            for (&group, &value) in grouping.group_of().iter().zip(&fitted) {
                sums[group as usize] += value;
            }
            for (sum, target) in sums.iter_mut().zip(target) {
                fitting.deviation = fitting.deviation.max((*sum - target).abs());
                *sum = if *sum > 0.0 { target / *sum } else { 0.0 };
            }
            for (&group, value) in grouping.group_of().iter().zip(&mut fitted) {
                *value *= sums[group as usize];
            }
        }
        fitting.converged = fitting.deviation <= total as f64 * TOLERANCE;
    }
    (cells, fitted, fitting)
}

/// The cells whose projection on every generator holds a record, those that hold records
/// themselves first; `None` when they are more than `most`.
fn reachable(observed: &PackedCells, generators: &[VarSet], most: usize) -> Option<PackedCells> {
    let layout = observed.layout();
    let words = layout.words();
    let mut partial = PackedCells::new(layout.clone());
    partial.push(&vec![0; words]);
    let mut assigned = VarSet::EMPTY;
    let mut left: Vec<VarSet> = generators.to_vec();
    while !left.is_empty() {
        // Next the generator that brings the fewest new variables.
        let next = (0..left.len())
            .min_by_key(|&place| ((left[place] - assigned).len(), place))
            .expect("a generator is left");
        let generator = left.swap_remove(next);
        let margin = distinct(observed, generator);
        let shared = generator & assigned;
        let known = CellIndex::new(&margin, shared, vec![1; margin.len()]);
        let (members, starts) = Grouping::of(&margin, shared).sorted();
        let mut longer = PackedCells::new(layout.clone());
        let mut joined = vec![0; words];
        for cell in partial.iter() {
            let Some(group) = known.find(cell) else { continue };
            for &member in &members[starts[group as usize]..starts[group as usize + 1]] {
                let more = margin.get(member as usize);
                for (word, (own, more)) in joined.iter_mut().zip(cell.iter().zip(more)) {
                    *word = own | more;
                }
                longer.push(&joined);
                if longer.len() > most {
                    return None;
                }
            }
        }
        partial = longer;
        assigned |= generator;
    }
    let seen: Set<&[u64]> = {
        let mut seen = Set::with_hasher(STATE);
        seen.extend(observed.iter());
        seen
    };
    let mut all = observed.clone();
    for cell in partial.iter().filter(|cell| !seen.contains(cell)) {
        all.push(cell);
    }
    Some(all)
}

/// The distinct cells on a set of variables, without the bits of the others.
pub(super) fn distinct(cells: &PackedCells, variables: VarSet) -> PackedCells {
    let grouping = Grouping::of(cells, variables);
    representatives(cells, grouping.group_of(), variables)
}

/// The first cell of each group, without the bits of other variables. Groups are numbered as
/// they first appear.
pub(super) fn representatives(
    cells: &PackedCells,
    group_of: &[u32],
    variables: VarSet,
) -> PackedCells {
    let mask = cells.layout().mask(variables);
    let mut found = PackedCells::new(cells.layout().clone());
    let mut masked = vec![0; mask.words().len()];
    for (cell, &group) in cells.iter().zip(group_of) {
        if group as usize == found.len() {
            for (word, (own, mask)) in masked.iter_mut().zip(cell.iter().zip(mask.words())) {
                *word = own & mask;
            }
            found.push(&masked);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::World;
    use proptest::prelude::*;

    /// The chain 01, 12, 23 has a closed form; fitted by rounds it must come out the same, on
    /// reachable cells alone.
    fn closed(world: &World, cell: &[u32]) -> f64 {
        let n = |set: VarSet| {
            let key: Vec<u32> = set.iter().map(|variable| cell[variable]).collect();
            world.margin_table(set).get(&key).map_or(0.0, |&count| count as f64)
        };
        let over = n(VarSet::single(1)) * n(VarSet::single(2));
        let product = n(VarSet::from([0, 1])) * n(VarSet::from([1, 2])) * n(VarSet::from([2, 3]));
        if over > 0.0 { product / over } else { 0.0 }
    }

    proptest! {
        #[test]
        fn law_fitting_agrees_with_the_closed_form(
            records in proptest::collection::vec(
                (0u32..3, 0u32..2, 0u32..3, 0u32..2).prop_map(|(a, b, c, d)| vec![a, b, c, d]),
                1..25,
            ),
        ) {
            let world = World { levels: vec![3, 2, 3, 2], records };
            let chain = [[0, 1], [1, 2], [2, 3]].map(VarSet::from);
            let packed = world.packed();
            let cells = distinct(&packed.packed(), VarSet::first(4));
            let mut counts = vec![0u64; cells.len()];
            for &group in Grouping::of(&packed.packed(), VarSet::first(4)).group_of() {
                counts[group as usize] += 1;
            }
            let (all, fitted, fitting) = fit(&cells, &counts, &chain, 1 << 20);
            prop_assert!(fitting.converged && !fitting.on_observed_cells);
            prop_assert!(fitting.iterations <= 3, "{fitting:?}");
            let mut reached = 0;
            for codes in world.all_cells() {
                let expected = closed(&world, &codes);
                let own = PackedCells::from_codes(&world.levels, &[&codes]);
                let place = all.iter().position(|cell| cell == own.get(0));
                let found = place.map_or(0.0, |place| fitted[place]);
                prop_assert!((found - expected).abs() < 1e-6, "{found} {expected}");
                reached += usize::from(expected > 0.0);
            }
            prop_assert_eq!(reached, all.len());
            // Where they are too many, the cells that hold records are fitted alone.
            let (few, _, fitting) = fit(&cells, &counts, &chain, 3);
            prop_assert!(fitting.on_observed_cells || few.len() <= 1);
        }
    }
}
