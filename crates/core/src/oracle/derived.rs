//! Slow twins for derived variables: a small file in which they are written out, record by
//! record.

use std::collections::BTreeSet;

use super::World;
use crate::varset::VarSet;

/// A small file and variables that follow from its columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DerivedWorld {
    /// The columns of the file.
    pub own: World,
    /// The derived variables, in their order after the columns.
    pub derived: Vec<Follows>,
}

/// How a variable follows from columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Follows {
    /// The columns.
    pub sources: BTreeSet<usize>,
    /// How many levels it has.
    pub levels: usize,
    /// Its code for each combination of their codes, the last column fastest.
    pub codes: Vec<u32>,
}

impl DerivedWorld {
    /// The derived codes of a record.
    #[must_use]
    pub fn derived_codes(&self, record: &[u32]) -> Vec<u32> {
        let code = |follows: &Follows| {
            let place = follows
                .sources
                .iter()
                .fold(0, |place, &one| place * self.own.levels[one] + record[one] as usize);
            follows.codes[place]
        };
        self.derived.iter().map(code).collect()
    }

    /// The file with the derived variables written into it.
    #[must_use]
    pub fn written(&self) -> World {
        let mut written = self.own.clone();
        written.levels.extend(self.derived.iter().map(|follows| follows.levels));
        for record in &mut written.records {
            let codes = self.derived_codes(record);
            record.extend(codes);
        }
        written
    }

    /// The file after an exchange of columns between two records.
    #[must_use]
    pub fn swapped(&self, left: usize, right: usize, exchanged: VarSet) -> Self {
        Self { own: self.own.swapped(left, right, exchanged), derived: self.derived.clone() }
    }

    /// Are all these tables the same when columns are exchanged, derived again and counted?
    #[must_use]
    pub fn keeps(&self, left: usize, right: usize, exchanged: VarSet, tables: &[VarSet]) -> bool {
        let (before, after) = (self.written(), self.swapped(left, right, exchanged).written());
        tables.iter().all(|&table| before.margin_table(table) == after.margin_table(table))
    }

    /// The files, as counts of their columns, that an exchange between two records leads to when
    /// the derived variables are columns like any other, each linked with what it follows from.
    /// Tries every set of columns.
    #[must_use]
    pub fn reachable_when_written(
        &self,
        left: usize,
        right: usize,
        tables: &[VarSet],
    ) -> BTreeSet<Vec<(Vec<u32>, u64)>> {
        let written = self.written();
        let own = VarSet::first(self.own.levels.len());
        let mut kept = tables.to_vec();
        for (place, follows) in self.derived.iter().enumerate() {
            let mut linked: VarSet = follows.sources.iter().copied().collect();
            linked.insert(self.own.levels.len() + place);
            kept.push(linked);
        }
        VarSet::first(written.levels.len())
            .subsets()
            .filter(|&exchanged| written.keeps(left, right, exchanged, &kept))
            .map(|exchanged| written.swapped(left, right, exchanged).margin_table(own))
            .map(|table| table.into_iter().collect())
            .collect()
    }
}
