//! Which records are still without a swap, cell by cell.
//!
//! The records of a cell are alike in everything the plan looks at, except that some may
//! be at risk and others not. Taking one is a random choice among those alike.

use crate::encode::RecordId;
use crate::random::Random;
use crate::table::JointTable;

/// The records without a swap.
pub(super) struct Pool {
    /// The records, cell by cell: of each cell first those at risk that are free, then
    /// the other free ones, then those that are taken.
    records: Vec<u32>,
    starts: Vec<u32>,
    free: Vec<u32>,
    free_risky: Vec<u32>,
}

impl Pool {
    /// Every record is free.
    pub(super) fn new(joint: &JointTable, risky: &[bool]) -> Self {
        let cells = joint.len();
        let mut starts = vec![0u32; cells + 1];
        let mut free_risky = vec![0u32; cells];
        let records = 0..u32::try_from(joint.records()).expect("there are fewer than 2^32 records");
        for record in records.clone() {
            let cell = joint.cell_of(RecordId(record)).position();
            starts[cell + 1] += 1;
            free_risky[cell] += u32::from(risky[record as usize]);
        }
        for cell in 0..cells {
            starts[cell + 1] += starts[cell];
        }
        let mut next_risky = starts.clone();
        let mut next_other: Vec<u32> =
            (0..cells).map(|cell| starts[cell] + free_risky[cell]).collect();
        let mut sorted = vec![0u32; joint.records()];
        for record in records {
            let cell = joint.cell_of(RecordId(record)).position();
            let next =
                if risky[record as usize] { &mut next_risky[cell] } else { &mut next_other[cell] };
            sorted[*next as usize] = record;
            *next += 1;
        }
        let free = joint.counts().to_vec();
        Self { records: sorted, starts, free, free_risky }
    }

    /// Has the cell a free record?
    pub(super) fn is_free(&self, cell: usize) -> bool {
        self.free[cell] > 0
    }

    /// Has the cell a free record at risk?
    pub(super) fn is_open(&self, cell: usize) -> bool {
        self.free_risky[cell] > 0
    }

    /// How many free records the cell has.
    pub(super) fn free(&self, cell: usize) -> usize {
        self.free[cell] as usize
    }

    /// How many of these are at risk.
    pub(super) fn open(&self, cell: usize) -> usize {
        self.free_risky[cell] as usize
    }

    /// Takes a free record that is not at risk, at random.
    pub(super) fn take_other(&mut self, cell: usize, random: &mut Random) -> RecordId {
        let start = self.starts[cell] as usize;
        let (free, risky) = (self.free(cell), self.open(cell));
        assert!(free > risky, "a record is taken from a cell that has a free one");
        let last = start + free - 1;
        self.records.swap(start + risky + random.below(free - risky), last);
        self.free[cell] -= 1;
        RecordId(self.records[last])
    }

    /// Takes a free record, one at risk if there is one, at random among those alike.
    pub(super) fn take(&mut self, cell: usize, random: &mut Random) -> RecordId {
        let start = self.starts[cell] as usize;
        let (free, risky) = (self.free[cell] as usize, self.free_risky[cell] as usize);
        assert!(free > 0, "a record is taken from a cell that has a free one");
        let chosen = if risky > 0 {
            let chosen = start + random.below(risky);
            // The last one at risk takes its place, and the last other one takes that place.
            self.records.swap(chosen, start + risky - 1);
            self.records.swap(start + risky - 1, start + free - 1);
            self.free_risky[cell] -= 1;
            start + free - 1
        } else {
            self.records.swap(start + random.below(free), start + free - 1);
            start + free - 1
        };
        self.free[cell] -= 1;
        RecordId(self.records[chosen])
    }

    /// Takes one record that is free.
    pub(super) fn take_record(&mut self, cell: usize, record: RecordId, is_risky: bool) {
        let start = self.starts[cell] as usize;
        let (free, risky) = (self.free(cell), self.open(cell));
        let mut place = (start..start + free)
            .find(|&place| self.records[place] == record.0)
            .expect("a record that is taken was free");
        if is_risky {
            self.records.swap(place, start + risky - 1);
            place = start + risky - 1;
            self.free_risky[cell] -= 1;
        }
        self.records.swap(place, start + free - 1);
        self.free[cell] -= 1;
    }

    /// Sets a record free that was taken.
    pub(super) fn give_back(&mut self, cell: usize, record: RecordId, is_risky: bool) {
        let range = self.starts[cell] as usize..self.starts[cell + 1] as usize;
        let taken = range.start + self.free[cell] as usize..range.end;
        let place = taken
            .clone()
            .find(|&place| self.records[place] == record.0)
            .expect("a record that is given back was taken");
        self.records.swap(place, taken.start);
        self.free[cell] += 1;
        if is_risky {
            let first_other = range.start + self.free_risky[cell] as usize;
            self.records.swap(taken.start, first_other);
            self.free_risky[cell] += 1;
        }
    }

    /// The free records of a cell that are at risk.
    pub(super) fn open_records(&self, cell: usize) -> impl Iterator<Item = RecordId> {
        let start = self.starts[cell] as usize;
        self.records[start..start + self.open(cell)].iter().map(|&record| RecordId(record))
    }

    /// The records of a cell that have a swap.
    pub(super) fn taken(&self, cell: usize) -> impl Iterator<Item = RecordId> {
        let start = self.starts[cell] as usize + self.free[cell] as usize;
        let end = self.starts[cell + 1] as usize;
        self.records[start..end].iter().map(|&record| RecordId(record))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::Records;
    use crate::random::Seed;

    use std::collections::BTreeSet;

    /// Whatever is taken and given back, in any order: risky ones come first, none comes
    /// twice, and the counts are right.
    #[test]
    fn records_are_taken_once_and_those_at_risk_first() {
        let codes: Vec<[u32; 1]> = (0..60).map(|record| [record % 3]).collect();
        let joint = JointTable::count(&Records::from_codes(&[3], &codes));
        let risky: Vec<bool> = (0..60).map(|record| record % 4 == 0).collect();
        let mut pool = Pool::new(&joint, &risky);
        let mut random = Random::new(Seed([1; 32]), 0);
        let mut taken: BTreeSet<RecordId> = BTreeSet::new();
        for _ in 0..2000 {
            let cell = random.below(3);
            let free = 20 - taken.iter().filter(|record| record.position() % 3 == cell).count();
            assert_eq!(pool.is_free(cell), free > 0);
            let open = (0..60).any(|record| {
                record as usize % 3 == cell
                    && risky[record as usize]
                    && !taken.contains(&RecordId(record))
            });
            assert_eq!(pool.is_open(cell), open);
            assert_eq!(pool.taken(cell).collect::<BTreeSet<_>>().len(), 20 - free);
            if free > 0 && random.below(5) > 1 {
                let record = pool.take(cell, &mut random);
                assert_eq!(record.position() % 3, cell);
                assert_eq!(risky[record.position()], open, "those at risk come first");
                assert!(taken.insert(record), "no record comes twice");
            } else if let Some(record) =
                taken.iter().copied().find(|record| record.position() % 3 == cell)
            {
                pool.give_back(cell, record, risky[record.position()]);
                taken.remove(&record);
            }
        }
    }
}
