//! How far the tables that nobody promised to keep are from what they were.
//!
//! | letter | meaning |
//! |---|---|
//! | f, g | counts of a cell in the first and in the second file |
//! | n, m | records of the first and of the second file |
//! | r, c | the cell's row and column totals, in one file |
//!
//! Total variation ½Σ|f/n − g/m|: the share of records one would have to move. Hellinger
//! √(½Σ(√(f/n) − √(g/m))²): the same question with more weight on rare cells. Cramér's V
//! √(χ²/(n·(min(rows, columns) − 1))): how strongly two variables hang together; there is
//! none when one of them has a single value.
//!
//! Trap: a floating-point sum depends on its order, and the order of cells on that of the
//! records. Sums are therefore of whole numbers, the terms in units of 2⁻⁶²: any order gives
//! the same bits. Whether a table is unchanged is decided on the counts alone.
//!
//! Way in: [`compare_pairs`], [`compare_triples`], [`compare_tables`].

use rayon::prelude::*;

use super::pooled::PairCell;
use super::{NewCells, Pooled};
use crate::varset::VarSet;

/// One two-way table, in two files.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TwoWay {
    /// Its two variables, the lower number first.
    pub pair: [usize; 2],
    /// Does a kept table hold both?
    pub kept: bool,
    /// Cells whose counts differ: none when a kept table that holds both is unchanged.
    ///
    /// Law: `pairs-inside-a-kept-table-are-exact`.
    pub changed: usize,
    /// Combinations that only the second file has, and its records that have one.
    pub new: NewCells,
    /// ½Σ|f/n − g/m|: 0 is the same, 1 is nothing in common.
    pub total_variation: f64,
    /// The same as a number of records of the first file, rounded up.
    pub moved: u64,
    /// √(½Σ(√(f/n) − √(g/m))²), between 0 and 1 too.
    pub hellinger: f64,
    /// Cramér's V in the first file; `None` when a variable has a single value there.
    pub cramers_v_before: Option<f64>,
    /// Cramér's V in the second file.
    pub cramers_v_after: Option<f64>,
}

/// One table of any number of variables, in two files.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TableDistance {
    /// Its variables.
    pub margin: VarSet,
    /// Cells whose counts differ.
    pub changed: usize,
    /// ½Σ|f/n − g/m|.
    pub total_variation: f64,
    /// √(½Σ(√(f/n) − √(g/m))²).
    pub hellinger: f64,
}

/// Distances of several tables, summed up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Distances {
    /// How many tables.
    pub tables: usize,
    /// How many of them have changed.
    pub changed: usize,
    /// The table with the greatest total variation, the first of them; `None` when no table
    /// has changed.
    pub worst: Option<VarSet>,
    /// The greatest total variation.
    pub total_variation_max: f64,
    /// The mean total variation, 0 of no tables.
    pub total_variation_mean: f64,
    /// The greatest Hellinger distance.
    pub hellinger_max: f64,
    /// The mean Hellinger distance, 0 of no tables.
    pub hellinger_mean: f64,
}

/// Compares the table of every two of the variables. `kept` are the tables that should not
/// have changed.
///
/// Law: `distances-by-definition`.
#[must_use]
pub fn compare_pairs(pooled: &Pooled, variables: VarSet, kept: &[VarSet]) -> Vec<TwoWay> {
    let members: Vec<usize> = variables.iter().collect();
    let pairs: Vec<VarSet> = (0..members.len())
        .flat_map(|row| {
            let members = &members;
            (row + 1..members.len())
                .map(move |column| VarSet::from([members[row], members[column]]))
        })
        .collect();
    pooled.tables(&pairs, |margin, table| {
        let mut ends = margin.iter();
        let pair = [(); 2].map(|()| ends.next().expect("a pair has two variables"));
        let cells = pooled.pair_cells(pair, table);
        let distance = Distance::of(pooled, &table.counts);
        let rows = totals(&cells, |cell| cell.row);
        let columns = totals(&cells, |cell| cell.column);
        let association = |file| cramers_v(&cells, &rows, &columns, file);
        TwoWay {
            pair,
            kept: kept.iter().any(|table| margin.is_subset(table)),
            changed: distance.changed,
            new: NewCells::of(&cells, &rows, &columns),
            total_variation: distance.total_variation,
            moved: distance.moved,
            hellinger: distance.hellinger,
            cramers_v_before: association(0),
            cramers_v_after: association(1),
        }
    })
}

/// Compares these tables.
///
/// Law: `distances-by-definition`.
#[must_use]
pub fn compare_tables(pooled: &Pooled, tables: &[VarSet]) -> Vec<TableDistance> {
    let compare = |&margin: &VarSet| {
        let distance = Distance::of(pooled, &pooled.table(margin).counts);
        TableDistance {
            margin,
            changed: distance.changed,
            total_variation: distance.total_variation,
            hellinger: distance.hellinger,
        }
    };
    tables.par_iter().map(compare).collect()
}

/// Compares the table of every three of the variables that no kept table holds.
///
/// Law: `distances-by-definition`.
#[must_use]
pub fn compare_triples(pooled: &Pooled, variables: VarSet, kept: &[VarSet]) -> Distances {
    let members: Vec<usize> = variables.iter().collect();
    let mut triples = Vec::new();
    for (first, &low) in members.iter().enumerate() {
        for (second, &middle) in members.iter().enumerate().skip(first + 1) {
            for &high in &members[second + 1..] {
                let triple = VarSet::from([low, middle, high]);
                if !kept.iter().any(|table| triple.is_subset(table)) {
                    triples.push(triple);
                }
            }
        }
    }
    let distances = pooled.tables(&triples, |_, table| Distance::of(pooled, &table.counts));
    Distances::sum_up(triples.into_iter().zip(distances))
}

impl Distances {
    /// Sums up the tables that no kept table implies.
    #[must_use]
    pub fn of_pairs(pairs: &[TwoWay]) -> Self {
        Self::sum_up(pairs.iter().filter(|table| !table.kept).map(|table| {
            let distance = Distance {
                changed: table.changed,
                total_variation: table.total_variation,
                moved: table.moved,
                hellinger: table.hellinger,
            };
            (VarSet::from(table.pair), distance)
        }))
    }

    fn sum_up(tables: impl Iterator<Item = (VarSet, Distance)>) -> Self {
        let mut all = Self {
            tables: 0,
            changed: 0,
            worst: None,
            total_variation_max: 0.0,
            total_variation_mean: 0.0,
            hellinger_max: 0.0,
            hellinger_mean: 0.0,
        };
        for (table, distance) in tables {
            all.tables += 1;
            all.changed += usize::from(distance.changed > 0);
            if distance.total_variation > all.total_variation_max {
                all.worst = Some(table);
                all.total_variation_max = distance.total_variation;
            }
            all.hellinger_max = all.hellinger_max.max(distance.hellinger);
            all.total_variation_mean += distance.total_variation;
            all.hellinger_mean += distance.hellinger;
        }
        if all.tables > 0 {
            all.total_variation_mean /= all.tables as f64;
            all.hellinger_mean /= all.tables as f64;
        }
        all
    }
}

/// How far a table is from what it was.
#[derive(Debug, Clone, Copy)]
struct Distance {
    changed: usize,
    total_variation: f64,
    moved: u64,
    hellinger: f64,
}

impl Distance {
    fn of(pooled: &Pooled, cells: &[[u32; 2]]) -> Self {
        let [n, m] = pooled.records().map(|records| records as u64);
        if n == 0 || m == 0 {
            let apart = if n == m { 0.0 } else { 1.0 };
            let changed = cells.iter().filter(|[f, g]| f != g).count();
            return Self { changed, total_variation: apart, moved: n, hellinger: apart };
        }
        let both = n as f64 * m as f64;
        let (mut changed, mut moved, mut squares) = (0, 0u128, Units::default());
        for &[f, g] in cells {
            changed += usize::from(f != g);
            let apart = (u64::from(f) * m).abs_diff(u64::from(g) * n);
            if apart == 0 {
                continue;
            }
            moved += u128::from(apart);
            // (√p − √q)² = ((p − q)/(√p + √q))², without the loss of a difference of roots.
            let roots = (f64::from(f) / n as f64).sqrt() + (f64::from(g) / m as f64).sqrt();
            let root_difference = apart as f64 / both / roots;
            squares.add(root_difference * root_difference);
        }
        Self {
            changed,
            total_variation: moved as f64 / both / 2.0,
            moved: u64::try_from(moved.div_ceil(2 * u128::from(m))).expect("at most all records"),
            hellinger: (squares.total() / 2.0).sqrt(),
        }
    }
}

/// The counts of each level of one of a table's variables.
fn totals(cells: &[PairCell], level: impl Fn(&PairCell) -> u32) -> Vec<[u32; 2]> {
    let levels = cells.iter().map(|cell| level(cell) as usize + 1).max().unwrap_or(0);
    let mut totals = vec![[0; 2]; levels];
    for cell in cells {
        let total = &mut totals[level(cell) as usize];
        total[0] += cell.counts[0];
        total[1] += cell.counts[1];
    }
    totals
}

/// Cramér's V of one file. Each cell adds (f − rc/n)²/(rc/n)/n to χ²/n; the cells without
/// a record add rc/n² each, which is what the others leave of 1.
fn cramers_v(
    cells: &[PairCell],
    row_totals: &[[u32; 2]],
    column_totals: &[[u32; 2]],
    file: usize,
) -> Option<f64> {
    let levels = |totals: &[[u32; 2]]| totals.iter().filter(|counts| counts[file] > 0).count();
    let smaller = levels(row_totals).min(levels(column_totals));
    if smaller < 2 {
        return None;
    }
    let n: u64 = row_totals.iter().map(|counts| u64::from(counts[file])).sum();
    let mut occupied = 0u64;
    let mut terms = Units::default();
    for cell in cells {
        let f = u64::from(cell.counts[file]);
        if f == 0 {
            continue;
        }
        let r = u64::from(row_totals[cell.row as usize][file]);
        let c = u64::from(column_totals[cell.column as usize][file]);
        occupied += r * c;
        let apart = (f * n).abs_diff(r * c) as f64 / n as f64;
        terms.add(apart * apart / (r * c) as f64);
    }
    let empty = (n * n - occupied) as f64 / (n * n) as f64;
    Some(((terms.total() + empty) / (smaller - 1) as f64).sqrt().min(1.0))
}

/// A sum of terms between 0 and 1 that no order changes.
#[derive(Debug, Default)]
struct Units(u128);

impl Units {
    const ONE: f64 = (1u64 << 62) as f64;

    #[allow(
        clippy::cast_possible_truncation,
        reason = "a term is between 0 and 1; what is cut off is below 2⁻⁶²"
    )]
    fn add(&mut self, term: f64) {
        self.0 += u128::from((term * Self::ONE) as u64);
    }

    fn total(&self) -> f64 {
        self.0 as f64 / Self::ONE
    }
}
