//! Everything a plan needs, over a small world, and the plan on its records.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;

use marginswap_core::columns::{Column, Columns, Roles};
use marginswap_core::encode::{Records, Schema};
use marginswap_core::graph::{GeneratingClass, minimal_separators};
use marginswap_core::moves::MoveSearch;
use marginswap_core::oracle::World;
use marginswap_core::partner::swap::Swap;
use marginswap_core::partner::{screen, screen_keys};
use marginswap_core::plan::{
    Constraints, Detach, Drawn, Intruder, Larger, Level, Pairing, Plan, Planned, Prices, Task,
    draw, plan,
};
use marginswap_core::random::{Random, Seed};
use marginswap_core::swap::apply_to_records;
use marginswap_core::table::{JointTable, Located};
use marginswap_core::varset::VarSet;

/// A file, the tables to keep, and everything else a plan must respect.
#[derive(Debug, Clone)]
pub struct Setting {
    pub world: World,
    pub tables: Vec<VarSet>,
    pub prices: Prices,
    /// What the intruder knows, and wants to learn.
    pub keys: VarSet,
    pub sensitive: VarSet,
    /// The rounds in which bystanders are protected.
    pub rounds: usize,
    pub constraints: Constraints,
    /// The most separators that are listed.
    pub limit: usize,
    /// Who is at risk; who is unique on the keys, where nobody says.
    pub marked: Option<Vec<bool>>,
}

/// A plan, on cells and on records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    pub planned: Planned,
    pub drawn: Drawn,
    pub plan: Plan,
    pub swaps: Vec<Swap>,
}

impl Made {
    /// The swaps on records, with variables.
    pub fn swaps(&self) -> &[Swap] {
        &self.swaps
    }

    pub fn records_changed(&self) -> u64 {
        self.planned.plan.records_changed()
    }
}

impl Setting {
    pub fn variables(&self) -> usize {
        self.world.levels.len()
    }

    pub fn class(&self) -> GeneratingClass {
        GeneratingClass::new(VarSet::first(self.variables()), self.tables.iter().copied())
    }

    /// A column for each variable.
    pub fn schema(&self) -> Schema {
        schema(self.variables())
    }

    pub fn key(&self, record: &[u32]) -> Vec<u32> {
        self.keys.iter().map(|variable| record[variable]).collect()
    }

    /// The records at risk.
    pub fn risky(&self) -> Vec<bool> {
        if let Some(marked) = &self.marked {
            let records = self.world.records.len();
            return marked.iter().copied().cycle().take(records).collect();
        }
        let table = self.world.margin_table(self.keys);
        self.world.records.iter().map(|record| table[&self.key(record)] == 1).collect()
    }

    /// A plan on cells alone: the table, and how many of each cell are at risk.
    pub fn plan_cells(
        &self,
        joint: &JointTable,
        at_risk: &[u32],
        pairing: Pairing,
        records: usize,
        seed: u8,
    ) -> Planned {
        let class = self.class();
        let separators = minimal_separators(&class.margin_graph(), self.limit);
        let screening = screen(joint, &class, &separators).unwrap();
        let search = MoveSearch::new(joint, &class, &self.prices.weights).unwrap();
        let parted = screen_keys(joint, &class, &separators, self.keys).unwrap();
        let intruder = Intruder {
            keys: self.keys,
            sensitive: self.sensitive,
            detach: Detach::Every,
            at_risk,
            screening: Some(&parted),
            members: None,
            blank: &[],
            roughly: &[],
        };
        let task = Task {
            derived: &[],
            intruders: &[intruder],
            rounds: self.rounds,
            joint,
            class: &class,
            separators: &separators,
            screening: &screening,
            prices: &self.prices,
            constraints: &self.constraints,
            at_risk,
            larger: (records > 2).then_some(Larger { search: &search, records }),
            crowd: None,
            effort: Level::default(),
        };
        plan(task, pairing, Seed([seed; 32])).unwrap()
    }

    /// A plan with swaps of up to `records` records.
    pub fn made(&self, pairing: Pairing, records: usize, seed: u8) -> Made {
        let packed = self.world.packed();
        let joint = Located::count(&packed);
        let risky = self.risky();
        let at_risk = joint.marked(&risky);
        let planned = self.plan_cells(&joint, &at_risk, pairing, records, seed);
        let drawn = draw(&planned.plan, &joint, &at_risk, Seed([seed; 32]));
        let schema = self.schema();
        let plan = drawn.on_records(&joint, &risky, &schema);
        plan.prove(&schema, &packed, &self.class()).unwrap();
        let swaps = plan.swaps().iter().map(|swap| Swap {
            left: swap.left,
            right: swap.right,
            exchanged: schema.variables_of(&swap.exchanged),
        });
        Made { swaps: swaps.collect(), planned, drawn, plan }
    }

    /// The world after a plan.
    pub fn after(&self, made: &Made) -> World {
        let after = apply_to_records(&made.plan, &self.schema(), &self.world.packed());
        World { levels: self.world.levels.clone(), records: codes(&after) }
    }
}

/// Each record's codes.
pub fn codes(records: &Records) -> Vec<Vec<u32>> {
    (0..records.len()).map(|record| records.cells().codes(record)).collect()
}

/// One column for each of `variables` variables.
pub fn schema(variables: usize) -> Schema {
    Schema::new(&names(variables), &Roles::all_variables(variables), &BTreeSet::new())
}

pub fn names(variables: usize) -> Vec<String> {
    (0..variables).map(|variable| format!("v{variable}")).collect()
}

/// The records of a world as columns; the category of a code is what `category` says.
pub fn columns(world: &World, category: impl Fn(u32) -> String) -> Columns {
    let variables = world.levels.len();
    let column = |variable: usize| -> Column {
        let texts: Vec<String> =
            world.records.iter().map(|record| category(record[variable])).collect();
        texts.iter().map(|text| text.as_bytes()).collect()
    };
    let columns = (0..variables).map(|variable| Some(column(variable))).collect();
    Columns::new(names(variables), Roles::all_variables(variables), columns)
}

/// A random file of three to five variables with two levels or more each, and all its two-way
/// tables but a few.
pub fn file_and_tables(
    random: &mut Random,
    more_levels: usize,
    records: [usize; 2],
) -> (World, Vec<VarSet>) {
    let variables = 3 + random.below(3);
    let levels = 2 + random.below(more_levels);
    let [least, more] = records;
    let code = |random: &mut Random| u32::try_from(random.below(levels)).unwrap();
    let records = (0..least + random.below(more))
        .map(|_| (0..variables).map(|_| code(random)).collect())
        .collect();
    let everything = VarSet::first(variables);
    let mut tables: Vec<VarSet> = everything.subsets().filter(|set| set.len() == 2).collect();
    for _ in 0..random.below(4) {
        let dropped = random.below(tables.len());
        tables.remove(dropped);
    }
    (World { levels: vec![levels; variables], records }, tables)
}
