//! A swap of several records: who takes which value from whom.
//!
//! For each variable that changes the values only change places between the records, so a
//! group is a permutation for each such variable. A pair swap is the group of two.

use crate::encode::{Layout, RecordId, Records};
use crate::graph::GeneratingClass;
use crate::moves::sources;
use crate::swap;
use crate::varset::VarSet;

/// Records that exchange values among each other with every table kept. Only a constructor
/// that counts every table makes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    records: Vec<RecordId>,
    takes: Vec<Take>,
}

/// Where the values of one variable come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Take {
    /// The variable.
    pub variable: usize,
    /// For each record of the group, by position, the record whose value it takes; its own
    /// where it keeps it.
    pub from: Vec<usize>,
}

impl Group {
    /// The group that gives these records these cells, in the order of the records.
    ///
    /// Law: `a-group-keeps-every-table`.
    ///
    /// # Panics
    /// When a record stands there twice, a kept table would change, or the values of a
    /// variable do not only change places: a planner that does that is broken.
    #[must_use]
    pub fn new(
        records: &Records,
        class: &GeneratingClass,
        mut members: Vec<(RecordId, Vec<u64>)>,
    ) -> Self {
        members.sort_unstable();
        let (group, after): (Vec<RecordId>, Vec<Vec<u64>>) = members.into_iter().unzip();
        assert!(group.is_sorted_by(|one, next| one < next), "a record stands in a group once");
        let layout = records.cells().layout();
        for &margin in class.margins() {
            let mut before: Vec<Vec<u64>> = group
                .iter()
                .map(|&record| projected(layout, margin, records.get(record)))
                .collect();
            let mut then: Vec<Vec<u64>> =
                after.iter().map(|cell| projected(layout, margin, cell)).collect();
            before.sort_unstable();
            then.sort_unstable();
            assert_eq!(before, then, "a group keeps every table");
        }
        let takes = sources(records, &group, &after)
            .into_iter()
            .map(|(variable, from)| Take { variable, from })
            .collect();
        Self { records: group, takes }
    }

    /// Its records, in the order of the file.
    #[must_use]
    pub fn records(&self) -> &[RecordId] {
        &self.records
    }

    /// Where the values come from, for each variable that changes.
    #[must_use]
    pub fn takes(&self) -> &[Take] {
        &self.takes
    }

    /// The cells of its records afterwards, in their order.
    #[must_use]
    pub fn after(&self, records: &Records) -> Vec<Vec<u64>> {
        swap::taken(records, &self.records, &self.takes)
    }

    /// How many of its records have another cell afterwards.
    #[must_use]
    pub fn records_changed(&self) -> u64 {
        let changes = |place: usize| self.takes.iter().any(|take| take.from[place] != place);
        (0..self.records.len()).filter(|&place| changes(place)).count() as u64
    }

    /// How many values it changes.
    #[must_use]
    pub fn cells_changed(&self) -> u64 {
        let moved = |take: &Take| {
            take.from.iter().enumerate().filter(|(place, from)| place != *from).count() as u64
        };
        self.takes.iter().map(moved).sum()
    }
}

fn projected(layout: &Layout, margin: VarSet, cell: &[u64]) -> Vec<u64> {
    let mask = layout.mask(margin);
    cell.iter().zip(mask.words()).map(|(word, mask)| word & mask).collect()
}
