//! Slow twins for records: a handful of them, as plain codes.

use std::collections::BTreeMap;

use crate::encode::Records;
use crate::varset::VarSet;

/// A file so small that everything about it can be tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct World {
    /// How many levels each variable has.
    pub levels: Vec<usize>,
    /// Each record's codes.
    pub records: Vec<Vec<u32>>,
}

impl World {
    /// The same file, packed.
    #[must_use]
    pub fn packed(&self) -> Records {
        Records::from_codes(&self.levels, &self.records)
    }

    /// n_D: for each combination of codes on D its number of records.
    #[must_use]
    pub fn margin_table(&self, margin: VarSet) -> BTreeMap<Vec<u32>, u64> {
        let mut table = BTreeMap::new();
        for record in &self.records {
            *table.entry(project(record, margin)).or_default() += 1;
        }
        table
    }

    /// Δ̄.
    #[must_use]
    pub fn differing(&self, left: usize, right: usize) -> VarSet {
        (0..self.levels.len())
            .filter(|&variable| self.records[left][variable] != self.records[right][variable])
            .collect()
    }

    /// The file after an E-swapping of two records.
    #[must_use]
    pub fn swapped(&self, left: usize, right: usize, exchanged: VarSet) -> World {
        let mut after = self.clone();
        for variable in exchanged {
            after.records[left][variable] = self.records[right][variable];
            after.records[right][variable] = self.records[left][variable];
        }
        after
    }

    /// Is the set of records another one after the swapping?
    #[must_use]
    pub fn is_effective(&self, left: usize, right: usize, exchanged: VarSet) -> bool {
        let everything = VarSet::first(self.levels.len());
        self.margin_table(everything)
            != self.swapped(left, right, exchanged).margin_table(everything)
    }

    /// Are all these tables the same after the swapping?
    #[must_use]
    pub fn keeps(&self, left: usize, right: usize, exchanged: VarSet, tables: &[VarSet]) -> bool {
        let after = self.swapped(left, right, exchanged);
        tables.iter().all(|table| self.margin_table(*table) == after.margin_table(*table))
    }

    /// Can the two be swapped, with an effect and all tables kept? Tries every E.
    #[must_use]
    pub fn are_swappable(&self, left: usize, right: usize, tables: &[VarSet]) -> bool {
        VarSet::first(self.levels.len()).subsets().any(|exchanged| {
            self.is_effective(left, right, exchanged) && self.keeps(left, right, exchanged, tables)
        })
    }

    /// All records that one can be swapped with.
    #[must_use]
    pub fn partners(&self, record: usize, tables: &[VarSet]) -> Vec<usize> {
        (0..self.records.len())
            .filter(|&other| other != record && self.are_swappable(record, other, tables))
            .collect()
    }

    /// The fewest records, up to `most`, that free a record: they leave their cells, as many
    /// others are made, the record's own is not among these, and every table and every
    /// variable's own counts stay. Tries every choice of records and of cells.
    #[must_use]
    pub fn least_degree(&self, record: usize, tables: &[VarSet], most: usize) -> Option<usize> {
        let single = (0..self.levels.len()).map(VarSet::single);
        let kept: Vec<VarSet> = tables.iter().copied().chain(single).collect();
        let cells = self.all_cells();
        let others: Vec<usize> = (0..self.records.len()).filter(|&other| other != record).collect();
        let projections = |chosen: &[&Vec<u32>]| -> Vec<Vec<Vec<u32>>> {
            kept.iter()
                .map(|&table| {
                    let mut list: Vec<_> =
                        chosen.iter().map(|codes| project(codes, table)).collect();
                    list.sort_unstable();
                    list
                })
                .collect()
        };
        let own = &self.records[record];
        let makeable: Vec<&Vec<u32>> = cells.iter().filter(|cell| *cell != own).collect();
        (2..=most.min(self.records.len())).find(|&degree| {
            let mut reachable = std::collections::BTreeSet::new();
            each_choice(others.len(), degree - 1, Repeats::Never, &mut |chosen| {
                let mut leaving: Vec<&Vec<u32>> = vec![own];
                leaving.extend(chosen.iter().map(|&place| &self.records[others[place]]));
                reachable.insert(projections(&leaving));
            });
            let mut found = false;
            each_choice(makeable.len(), degree, Repeats::Allowed, &mut |chosen| {
                if !found {
                    let made: Vec<&Vec<u32>> =
                        chosen.iter().map(|&place| makeable[place]).collect();
                    found = reachable.contains(&projections(&made));
                }
            });
            found
        })
    }

    /// Gives every file with the same tables and the same counts of each variable, as the places
    /// of its records in [`Self::all_cells`]. Puts the records into cells one after the other,
    /// wherever every table has one left.
    pub fn each_file_with(&self, tables: &[VarSet], give: &mut dyn FnMut(&[usize])) {
        fn go(
            first: usize,
            cells: &[Vec<u32>],
            left: &mut [(VarSet, BTreeMap<Vec<u32>, u64>)],
            made: &mut Vec<usize>,
            records: usize,
            give: &mut dyn FnMut(&[usize]),
        ) {
            if made.len() == records {
                return give(made);
            }
            for cell in first..cells.len() {
                let key = |table: VarSet| project(&cells[cell], table);
                if left.iter().all(|(table, counts)| counts.get(&key(*table)) > Some(&0)) {
                    for (table, counts) in left.iter_mut() {
                        *counts.get_mut(&key(*table)).expect("it was just there") -= 1;
                    }
                    made.push(cell);
                    go(cell, cells, left, made, records, give);
                    made.pop();
                    for (table, counts) in left.iter_mut() {
                        *counts.get_mut(&key(*table)).expect("it was just there") += 1;
                    }
                }
            }
        }
        let cells = self.all_cells();
        let single = (0..self.levels.len()).map(VarSet::single);
        let mut left: Vec<_> =
            tables.iter().copied().chain(single).map(|set| (set, self.margin_table(set))).collect();
        go(0, &cells, &mut left, &mut Vec::new(), self.records.len(), give);
    }

    /// For each record the fewest that its cell holds in any file with the same tables.
    #[must_use]
    pub fn fewest_in_cells(&self, tables: &[VarSet]) -> Vec<u64> {
        let cells = self.all_cells();
        let mut fewest = vec![u64::MAX; self.records.len()];
        self.each_file_with(tables, &mut |made| {
            for (record, fewest) in self.records.iter().zip(&mut fewest) {
                let here = made.iter().filter(|&&cell| cells[cell] == *record).count() as u64;
                *fewest = here.min(*fewest);
            }
        });
        fewest
    }

    /// Of the people who are alone with their keys and whom a pair can part from them: the most
    /// whose keys nobody has in one file with the same tables, where at most `company` records
    /// have any of these keys. And how many people no pair can part.
    #[must_use]
    pub fn most_separated(&self, tables: &[VarSet], keys: VarSet, company: usize) -> [u64; 2] {
        let before = self.margin_table(keys);
        let own = |record: usize| project(&self.records[record], keys);
        let (alone, others): (Vec<usize>, Vec<usize>) = (0..self.records.len())
            .filter(|&record| before[&own(record)] == 1)
            .partition(|&record| !self.parting_partners(record, tables, keys).is_empty());
        let cells = self.all_cells();
        let mut most = 0;
        self.each_file_with(tables, &mut |made| {
            let has = |record: usize| {
                made.iter().filter(|&&cell| project(&cells[cell], keys) == own(record)).count()
            };
            if alone.iter().all(|&record| has(record) <= company) {
                let gone = alone.iter().filter(|&&record| has(record) == 0).count() as u64;
                most = gone.max(most);
            }
        });
        [most, others.len() as u64]
    }

    /// Every file of as many records over the same levels, as a table of counts: as many as
    /// there are ways to put the records into cells. Only for very few cells.
    pub fn all_tables(&self) -> impl Iterator<Item = Vec<u64>> + use<> {
        let cells = self.levels.iter().product();
        let mut tables = vec![(Vec::new(), self.records.len() as u64)];
        for _ in 0..cells {
            tables = tables
                .into_iter()
                .flat_map(|(table, left): (Vec<u64>, u64)| {
                    (0..=left).map(move |count| {
                        let mut longer = table.clone();
                        longer.push(count);
                        (longer, left - count)
                    })
                })
                .collect();
        }
        tables.into_iter().filter(|(_, left)| *left == 0).map(|(table, _)| table)
    }

    /// The codes of every cell, the last variable fastest: the order of [`Self::all_tables`].
    #[must_use]
    pub fn all_cells(&self) -> Vec<Vec<u32>> {
        let mut cells = vec![Vec::new()];
        for &levels in &self.levels {
            let levels = u32::try_from(levels).expect("a small world has few levels");
            cells = cells
                .into_iter()
                .flat_map(|cell: Vec<u32>| {
                    (0..levels).map(move |code| {
                        let mut longer = cell.clone();
                        longer.push(code);
                        longer
                    })
                })
                .collect();
        }
        cells
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Repeats {
    Never,
    Allowed,
}

/// Every choice of `size` places out of `count`, in rising order.
fn each_choice(count: usize, size: usize, repeats: Repeats, give: &mut dyn FnMut(&[usize])) {
    fn go(
        from: usize,
        count: usize,
        size: usize,
        repeats: Repeats,
        chosen: &mut Vec<usize>,
        give: &mut dyn FnMut(&[usize]),
    ) {
        if chosen.len() == size {
            return give(chosen);
        }
        for place in from..count {
            chosen.push(place);
            let next = if repeats == Repeats::Allowed { place } else { place + 1 };
            go(next, count, size, repeats, chosen, give);
            chosen.pop();
        }
    }
    go(0, count, size, repeats, &mut Vec::new(), give);
}

fn project(record: &[u32], margin: VarSet) -> Vec<u32> {
    margin.iter().map(|variable| record[variable]).collect()
}
