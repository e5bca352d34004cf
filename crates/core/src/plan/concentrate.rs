//! Every possible record once: people concentrated in as few cells as two tables allow.
//!
//! Where each combination of keys that values can make is somebody's, whatever is exchanged
//! gives a record the keys of a person at risk. Nobody is parted unless others get company, and
//! as many are parted as cells are left empty.
//!
//! Two tables meet in S. A slice on S holds a values of one side with b of the other, each two
//! once, so every row of a × b cells adds up to b and every column to a. A file with the same
//! tables joins rows and columns by its occupied cells. If some of the rows and columns are
//! joined among themselves and to no others, a of them are to b as all are, so there are no
//! more such parts than gcd(a, b), and at least a + b − gcd(a, b) cells are occupied. Filling
//! the cells from one corner on, row by row and column by column, takes no more.
//!
//! Rows keep what they have; only the values of the columns go round, in cycles. The order of
//! rows and columns is drawn.
//!
//! Way in: `Planner::concentrate`.

use super::{Planner, Taken};
use crate::table::{CellId, Grouping};
use crate::varset::VarSet;

/// A record that gives up the value of one column for that of another.
struct Moving {
    cell: usize,
    from: usize,
    to: usize,
}

impl Planner<'_> {
    /// Empties as many cells as can be, where every possible record occurs once and nothing but
    /// two tables is to be respected.
    ///
    /// Law: `gathered-in-few-cells`.
    pub(super) fn concentrate(&mut self) {
        let constraints = self.task.constraints;
        let is_free = constraints.matches == [VarSet::EMPTY]
            && constraints.forbidden.is_empty()
            && !constraints.never_new.forbids_any()
            && constraints.most_changed.is_none()
            && constraints.gone.iter().all(Vec::is_empty)
            && self.drift.is_none()
            && self.task.prices.staying.is_empty();
        let Some([left, right]) = self.two_full_tables() else { return };
        if !is_free || self.task.rounds == 0 {
            return;
        }
        let cells = self.task.joint.cells();
        let slices = Grouping::of(cells, left & right);
        let (members, starts) = slices.sorted();
        let (rows, columns) = (Grouping::of(cells, left), Grouping::of(cells, right));
        let moving = cells.layout().mask(right - left);
        self.exhausted.forget();
        for slice in starts.windows(2) {
            let slice = &members[slice[0]..slice[1]];
            let table = self.few_cells(slice, rows.group_of(), columns.group_of());
            for &cell in &table.occupied {
                let keys = &mut self.combinations[0];
                keys.open_to_others(cell, cells.get(cell));
            }
            for cycle in cycles(table.moving, table.first_of_column.len()) {
                let group: Vec<(Taken, Vec<u64>)> = cycle
                    .iter()
                    .map(|record| {
                        let own = cells.get(record.cell);
                        let other = cells.get(table.first_of_column[record.to]);
                        let words = own.iter().zip(other).zip(moving.words());
                        let new = words.map(|((own, other), mask)| own & !mask | other & mask);
                        (Taken { cell: CellId::at(record.cell), at_risk: true }, new.collect())
                    })
                    .collect();
                for (taken, new) in &group {
                    self.pool.take_as(*taken);
                    let cell = taken.cell.position();
                    self.combinations[0].leave(cell, cells.get(cell));
                    self.combinations[0].arrive(new);
                }
                self.groups.made.push(group);
            }
        }
        self.close_cells();
    }

    /// The fewest cells that one slice can be gathered in, and who moves for it.
    fn few_cells(&mut self, slice: &[u32], row_of: &[u32], column_of: &[u32]) -> Gathered {
        let numbers = |of: &[u32]| -> Vec<u32> {
            let mut numbers: Vec<u32> = slice.iter().map(|&cell| of[cell as usize]).collect();
            numbers.sort_unstable();
            numbers.dedup();
            numbers
        };
        let (mut rows, mut columns) = (numbers(row_of), numbers(column_of));
        self.random.shuffle(&mut rows);
        self.random.shuffle(&mut columns);
        let mut cell_at = vec![usize::MAX; rows.len() * columns.len()];
        for &cell in slice {
            let place = |all: &[u32], of: &[u32]| {
                all.iter().position(|&number| number == of[cell as usize]).expect("it is there")
            };
            cell_at[place(&rows, row_of) * columns.len() + place(&columns, column_of)] =
                cell as usize;
        }
        let mut gathered = Gathered {
            occupied: Vec::new(),
            moving: Vec::new(),
            first_of_column: cell_at[..columns.len()].to_vec(),
        };
        // What is left of the column that is being filled.
        let (mut column, mut room) = (0, rows.len());
        for row in cell_at.chunks(columns.len()) {
            let mut taking: Vec<usize> = Vec::new();
            let mut left = columns.len();
            let mut kept = vec![false; columns.len()];
            while left > 0 {
                let count = left.min(room);
                kept[column] = true;
                taking.extend(std::iter::repeat_n(column, count - 1));
                (left, room) = (left - count, room - count);
                if room == 0 {
                    (column, room) = (column + 1, rows.len());
                }
            }
            let mut taking = taking.into_iter();
            for (from, &cell) in row.iter().enumerate() {
                if kept[from] {
                    gathered.occupied.push(cell);
                } else {
                    let to = taking.next().expect("a row has as many places as records");
                    gathered.moving.push(Moving { cell, from, to });
                }
            }
        }
        gathered
    }

    /// In how many cells at least people are left, where every possible record occurs once.
    pub(super) fn fewest_cells(&self) -> Option<u64> {
        let [left, right] = self.two_full_tables()?;
        let groups = |set: VarSet| Grouping::of(self.task.joint.cells(), set).groups();
        let slices = groups(left & right);
        let (rows, columns) = (groups(left) / slices, groups(right) / slices);
        let common = (1..=rows).rev().find(|n| rows % n == 0 && columns % n == 0)?;
        Some((slices * (rows + columns - common)) as u64)
    }

    /// The two kept tables, where every possible record occurs once and is at risk, and the one
    /// intruder knows all variables.
    fn two_full_tables(&self) -> Option<[VarSet; 2]> {
        let [intruder] = self.task.intruders else { return None };
        let (joint, class) = (self.task.joint, self.task.class);
        let is_once = joint.counts().iter().zip(self.task.at_risk).all(|pair| pair == (&1, &1));
        if intruder.keys != class.delta() || intruder.members.is_some() || !is_once {
            return None;
        }
        let levels = |key| Grouping::of(joint.cells(), VarSet::single(key)).groups();
        let possible = intruder.keys.iter().map(levels).try_fold(1usize, usize::checked_mul);
        let uncovered = class.uncovered().iter().map(VarSet::single);
        let tables: Vec<VarSet> = class.margins().iter().copied().chain(uncovered).collect();
        let tables: [VarSet; 2] = tables.try_into().ok()?;
        (possible == Some(joint.len())).then_some(tables)
    }
}

/// One slice in few cells.
struct Gathered {
    /// The cells that stay occupied.
    occupied: Vec<usize>,
    moving: Vec<Moving>,
    /// A cell of each column.
    first_of_column: Vec<usize>,
}

/// Records that take the values of each other, in cycles that meet no column twice.
fn cycles(moving: Vec<Moving>, columns: usize) -> Vec<Vec<Moving>> {
    let mut from: Vec<Vec<Moving>> = (0..columns).map(|_| Vec::new()).collect();
    for record in moving {
        from[record.from].push(record);
    }
    let mut cycles = Vec::new();
    for start in 0..columns {
        let (mut path, mut at): (Vec<Moving>, usize) = (Vec::new(), start);
        while let Some(record) = from[at].pop() {
            at = record.to;
            path.push(record);
            if let Some(place) = path.iter().position(|record| record.from == at) {
                cycles.push(path.split_off(place));
            }
        }
        assert!(path.is_empty(), "as many give up the value of a column as take it");
    }
    cycles
}
