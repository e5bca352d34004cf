//! The work of planning follows the size of the file: counted for every kind of setting.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use marginswap_core::graph::{GeneratingClass, minimal_separators};
use marginswap_core::moves::MoveSearch;
use marginswap_core::oracle::World;
use marginswap_core::partner::screen;
use marginswap_core::plan::{
    Constraints, Detach, Effort, Intruder, Larger, Level, NeverNew, Pairing, Planned, Prices, Task,
    plan,
};
use marginswap_core::random::{Random, Seed};
use marginswap_core::table::{CellId, JointTable, MarginTable};
use marginswap_core::varset::VarSet;

/// The variables of every file here.
const VARIABLES: usize = 12;

/// A file in which nearly everybody is alone, and what is asked of its plan.
#[derive(Debug, Clone)]
struct Job {
    records: usize,
    max_records: usize,
    constraints: Constraints,
    /// Those whose keys fewer people than this share are at risk.
    k: u32,
    crowd: Option<u32>,
}

impl Job {
    fn planned(&self) -> Planned {
        let mut random = Random::new(Seed([29; 32]), self.records as u64);
        let levels = [5, 4, 6, 9, 8, 4, 5, 3, 4, 6, 3, 5];
        let code = |random: &mut Random, levels| u32::try_from(random.below(levels)).unwrap();
        let record = |_| levels.map(|levels| code(&mut random, levels)).to_vec();
        let records = (0..self.records).map(record).collect();
        let joint = JointTable::count(&World { levels: levels.to_vec(), records }.packed());
        let everything = VarSet::first(VARIABLES);
        let tables = [vec![0, 1, 5], vec![6, 1], vec![6, 7], vec![3, 8], vec![5, 7, 9]];
        let tables = tables.into_iter().chain([vec![10, 11, 9]]);
        let tables = tables.map(|table| {
            table.into_iter().map(VarSet::single).fold(VarSet::EMPTY, |all, one| all | one)
        });
        let class = GeneratingClass::new(everything, tables);
        let separators = minimal_separators(&class.margin_graph(), usize::MAX);
        let screening = screen(&joint, &class, &separators).unwrap();
        let keys = [VarSet::first(5), VarSet::from([3, 4, 11])];
        // About as many people in every file: what they may take does not depend on its size.
        let apart = self.records / 40;
        let at_risk = keys.map(|keys| {
            let table = MarginTable::count(&joint, keys);
            let rare = |cell| table.n(CellId::at(cell)) < u64::from(self.k);
            let of_cell = |(cell, &count)| if cell % apart == 0 && rare(cell) { count } else { 0 };
            joint.counts().iter().enumerate().map(of_cell).collect::<Vec<u32>>()
        });
        let both: Vec<u32> =
            at_risk[0].iter().zip(&at_risk[1]).map(|(one, other)| *one.max(other)).collect();
        let sensitive = everything - keys[0] - keys[1];
        let intruders: Vec<Intruder<'_>> = keys
            .iter()
            .zip(&at_risk)
            .map(|(&keys, at_risk)| Intruder {
                keys,
                sensitive,
                detach: Detach::Half,
                at_risk,
                screening: None,
                members: None,
                blank: &[],
                roughly: &[],
            })
            .collect();
        let prices = Prices { staying: VarSet::EMPTY, weights: vec![1; VARIABLES] };
        let search = MoveSearch::new(&joint, &class, &prices.weights).unwrap();
        let larger = Larger { search: &search, records: self.max_records };
        let task = Task {
            derived: &[],
            joint: &joint,
            class: &class,
            separators: &separators,
            screening: &screening,
            prices: &prices,
            constraints: &self.constraints,
            intruders: &intruders,
            at_risk: &both,
            rounds: 2,
            larger: (self.max_records > 2).then_some(larger),
            crowd: self.crowd,
            effort: Level::Quick,
        };
        let planned = plan(task, Pairing::Slices, Seed([1; 32])).unwrap();
        let people = both.iter().map(|&records| u64::from(records)).sum();
        let expected = Effort::new(Level::Quick, self.records, VARIABLES, people);
        assert_eq!(planned.effort.most(), expected.most());
        planned
    }
}

/// No kind of setting takes more work than its size allows, and one that would is cut short and tells.
#[test]
fn law_work_follows_the_size() {
    let asked = [(VarSet::EMPTY, 0, 2), (VarSet::single(9), 56, 5)];
    let never_new = [NeverNew::Nowhere, NeverNew::Among(VarSet::first(VARIABLES))];
    let (mut short, mut covered) = (0, 0);
    for records in [126, 500, 2_000] {
        for max_records in [2, 4, 16] {
            for (never_new, (agree, rate, k)) in
                never_new.iter().flat_map(|one| asked.map(|other| (one, other)))
            {
                for crowd in [None, Some(5)] {
                    let constraints = Constraints {
                        matches: vec![agree],
                        never_new: never_new.clone(),
                        least_changed: (rate > 0).then_some(records as u64 * rate / 100),
                        ..Constraints::default()
                    };
                    let job = Job { records, max_records, constraints, k, crowd };
                    let planned = job.planned();
                    let (spent, most) = (planned.effort.spent(), planned.effort.most());
                    assert!(spent <= most, "{job:?}: {spent} of {most}");
                    short += usize::from(!planned.effort.short().is_empty());
                    covered += planned.plan.covered();
                }
            }
        }
    }
    assert!(short > 0 && covered > 500, "{short} cut short, {covered} people covered");
}
