//! Laws about groups: swaps of more than two records in a plan.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support::setting;

use marginswap_core::encode::RecordId;
use marginswap_core::graph::GeneratingClass;
use marginswap_core::moves::MoveSearch;
use marginswap_core::oracle::World;
use marginswap_core::plan::{
    CellGroup, Constraints, Detach, Forbidden, Intruder, Larger, NeverNew, Pairing, Prices, Taken,
    Term, freed_by_larger,
};
use marginswap_core::random::{Random, Seed};
use marginswap_core::swap::apply;
use marginswap_core::table::Located;
use marginswap_core::varset::VarSet;
use setting::{Made, Setting, columns};

/// A random file over a few variables, with random tables and constraints.
fn setting(number: u64) -> Setting {
    let mut random = Random::new(Seed([5; 32]), number);
    let variables = 3 + random.below(3);
    let levels = 2 + random.below(2);
    let count = 12 + random.below(50);
    let record = |random: &mut Random| {
        (0..variables).map(|_| u32::try_from(random.below(levels)).unwrap()).collect()
    };
    let records = (0..count).map(|_| record(&mut random)).collect();
    let everything = VarSet::first(variables);
    // Mostly all two-way tables, where no pair can be swapped.
    let mut tables: Vec<VarSet> = everything.subsets().filter(|set| set.len() == 2).collect();
    if random.below(3) == 0 {
        let dropped = random.below(tables.len());
        tables.remove(dropped);
    }
    // What stays is a margin.
    let staying = if random.below(3) == 0 { VarSet::from([0, 1]) } else { VarSet::EMPTY };
    let keys = if random.below(2) == 0 { everything } else { everything - VarSet::single(0) };
    let agree = if random.below(3) == 0 { VarSet::single(variables - 1) } else { VarSet::EMPTY };
    let term = |variable| Term { variable, codes: vec![0], negated: false };
    let forbidden = match random.below(3) {
        0 => vec![Forbidden { terms: vec![term(0), term(1), term(2)] }],
        _ => Vec::new(),
    };
    Setting {
        world: World { levels: vec![levels; variables], records },
        tables,
        prices: Prices { staying, weights: vec![1; variables] },
        keys,
        sensitive: VarSet::EMPTY,
        rounds: 0,
        constraints: Constraints {
            matches: if random.below(3) == 0 {
                vec![agree, VarSet::single(1)]
            } else {
                vec![agree]
            },
            forbidden,
            never_new: NeverNew::Nowhere,
            drift: None,
            gone: Vec::new(),
            most_changed: (random.below(4) == 0).then(|| random.below(20) as u64),
            least_changed: (random.below(6) == 0).then(|| random.below(20) as u64),
        },
        limit: usize::MAX,
        marked: (random.below(3) == 0)
            .then(|| (0..1 + random.below(9)).map(|_| random.below(3) == 0).collect()),
    }
}

impl Setting {
    fn plan_up_to(&self, records: usize, seed: u8) -> Made {
        self.made(Pairing::Greedy, records, seed)
    }
}

/// Somebody who is found free for a larger swap is parted from their keys by a plan that is
/// made for them alone.
#[test]
fn law_freed_is_parted() {
    let (mut freed, mut larger) = (0, 0);
    for number in 0..150 {
        let setting = setting(number);
        let records = setting.world.records.len();
        let person = usize::try_from(number).unwrap() % records;
        let marked: Vec<bool> = (0..records).map(|record| record == person).collect();
        let constraints =
            Constraints { most_changed: None, least_changed: None, ..setting.constraints.clone() };
        let setting = Setting { marked: Some(marked.clone()), constraints, ..setting };
        let joint = Located::count(&setting.world.packed());
        let class = setting.class();
        let at_risk = joint.marked(&marked);
        let intruder = Intruder {
            keys: setting.keys,
            sensitive: setting.sensitive,
            detach: Detach::Every,
            at_risk: &at_risk,
            screening: None,
            members: None,
            blank: &[],
            roughly: &[],
        };
        let search = MoveSearch::new(&joint, &class, &setting.prices.weights).unwrap();
        let cell = joint.cell_of(RecordId::at(person));
        let found = freed_by_larger(
            Larger { search: &search, records: 4 },
            &[intruder],
            &setting.constraints,
            setting.prices.staying,
            &[cell],
        );
        let Some(size) = found[0] else { continue };
        freed += 1;
        larger += usize::from(size > 2);
        let made = setting.plan_up_to(size, 1);
        let row = made.planned.protection.iter().find(|row| row.cell == cell).unwrap();
        assert_eq!(row.parted, 1, "{number}: found free with {size} records");
    }
    assert!(freed > 40 && larger > 20, "{freed} {larger}");
}

/// A plan with groups keeps every table, gives whom it covers other keys, moves nothing that
/// stays, respects rules, matches and the cap, brings no emptied cell back, and covers no
/// fewer than pairs alone.
#[test]
fn law_groups_protect_and_keep() {
    let (mut groups, mut tied, mut covered_more, mut proved) = (0, 0, 0, 0);
    for number in 0..200 {
        let setting = setting(number);
        let made = setting.plan_up_to(if number % 10 == 0 { 8 } else { 4 }, 1);
        let after = setting.after(&made);
        for &table in &setting.tables {
            assert_eq!(setting.world.margin_table(table), after.margin_table(table), "{number}");
        }
        let risky = setting.risky();
        let keys = |codes: &Vec<u32>| -> Vec<u32> {
            setting.keys.iter().map(|variable| codes[variable]).collect()
        };
        let mut changed = 0;
        let pairs = zip(&setting.world.records, &after.records);
        for rule in &setting.constraints.forbidden {
            let broken = |records: &[Vec<u32>]| {
                let breaks = |codes: &&Vec<u32>| {
                    let mut terms = rule.terms.iter();
                    terms.all(|term| term.codes.contains(&codes[term.variable]) != term.negated)
                };
                records.iter().filter(breaks).count()
            };
            let before = broken(&setting.world.records);
            assert!(broken(&after.records) <= before, "{number}: a rule is broken once more");
        }
        for (record, (old, new)) in pairs.enumerate() {
            changed += u64::from(old != new);
            for variable in setting.prices.staying {
                assert_eq!(old[variable], new[variable], "{number}: what stays moves");
            }
            if let [agree] = setting.constraints.matches[..] {
                for variable in agree {
                    assert_eq!(old[variable], new[variable], "{number}: a match is not respected");
                }
            }
            if old != new {
                let has_left = |person: usize| keys(&after.records[person]) != keys(new);
                let mut parted = (0..risky.len())
                    .filter(|&person| keys(&setting.world.records[person]) == keys(new));
                let somebody = parted.clone().any(|person| risky[person]);
                let comes_back = somebody && parted.all(has_left);
                assert!(!comes_back, "{number}: a parted combination comes back");
            }
            let in_group = made
                .plan
                .groups()
                .iter()
                .any(|group| group.records.contains(&RecordId::at(record)));
            if in_group && risky[record] {
                assert_ne!(keys(old), keys(new), "{number}: who is in a group is covered");
            }
        }
        assert_eq!(made.records_changed(), changed, "{number}");
        for group in made.plan.groups() {
            let first = group.records[0].position();
            let differing = group.records.iter().fold(VarSet::EMPTY, |all, record| {
                all | setting.world.differing(first, record.position())
            });
            let mut lists = setting.constraints.matches.iter();
            assert!(lists.any(|agree| !differing.meets(agree)), "{number}: no list is respected");
        }
        assert!(setting.constraints.most_changed.is_none_or(|most| changed <= most), "{number}");
        let covered = |after: &World| {
            let pairs = zip(&setting.world.records, &after.records);
            pairs
                .zip(&risky)
                .filter(|((old, new), risky)| **risky && keys(old) != keys(new))
                .count()
        };
        let pairs_only = setting.after(&setting.plan_up_to(2, 1));
        assert!(covered(&after) >= covered(&pairs_only), "{number}");
        covered_more += usize::from(covered(&after) > covered(&pairs_only));
        groups += made.plan.groups().len();
        tied += made.plan.groups().iter().filter(|group| group.records.len() > 8).count();
        let joint = Located::count(&setting.world.packed());
        for left in &made.planned.impossible {
            proved += left.records;
            let there = |&record: &usize| joint.cell_of(RecordId::at(record)) == left.cell;
            for record in (0..risky.len()).filter(there).filter(|&record| risky[record]) {
                let (old, new) = (&setting.world.records[record], &after.records[record]);
                assert_eq!(old, new, "{number}: a proof is wrong");
            }
        }
    }
    assert!(
        groups > 100 && tied > 10 && covered_more > 40 && proved > 10,
        "{groups} {tied} {covered_more} {proved}"
    );
}

/// Whom a group detaches meets only records that are false in every sensitive value, every
/// table is kept, and no more are left than by pairs alone.
#[test]
fn law_groups_detach_too() {
    let (mut by_groups, mut parted) = (0, 0);
    for number in 0..300 {
        let mut random = Random::new(Seed([8; 32]), number);
        let count = 8 + random.below(14);
        let record = |_| (0..4).map(|_| u32::try_from(random.below(3)).unwrap()).collect();
        let records = (0..count).map(record).collect();
        let world = World { levels: vec![3; 4], records };
        // The keys are in one kept table, or in none.
        let keys = VarSet::from(if number % 3 == 0 { [0, 2] } else { [0, 1] });
        let tables: Vec<VarSet> =
            [[0, 1], [1, 2], [2, 3], [0, 3]].into_iter().map(VarSet::from).collect();
        let setting = setting(0);
        let constraints = Constraints {
            matches: vec![VarSet::EMPTY],
            forbidden: Vec::new(),
            most_changed: None,
            least_changed: None,
            ..setting.constraints.clone()
        };
        let prices = Prices { staying: VarSet::EMPTY, weights: vec![1; 4] };
        let sensitive = if number % 2 == 0 { VarSet::single(3) } else { VarSet::first(4) - keys };
        let setting = Setting {
            world,
            tables,
            keys,
            sensitive,
            constraints,
            prices,
            rounds: 4,
            marked: None,
            ..setting
        };
        let [pairs, made] = [2, 6].map(|records| setting.plan_up_to(records, 1));
        let after = setting.after(&made);
        for &table in &setting.tables {
            assert_eq!(setting.world.margin_table(table), after.margin_table(table), "{number}");
        }
        let left = |made: &Made| made.planned.protection.iter().map(|row| row.left).sum::<u32>();
        assert!(left(&made) <= left(&pairs), "{number}: pairs alone protect more");
        let joint = Located::count(&setting.world.packed());
        let same = |left: &[u32], right: &[u32], on: VarSet| on.iter().all(|v| left[v] == right[v]);
        for (row, before) in zip(&made.planned.protection, &pairs.planned.protection) {
            let person = joint.cells().codes(row.cell.position());
            let mut met = after.records.iter().filter(|record| same(record, &person, keys));
            if row.parted == 1 {
                assert!(met.next().is_none(), "{number}: who is parted is gone");
                parted += 1;
            } else if row.detached == 1 {
                let is_false = |record: &Vec<u32>| sensitive.iter().all(|v| record[v] != person[v]);
                assert!(met.all(is_false), "{number}");
                by_groups += usize::from(before.left == 1);
            }
        }
    }
    assert!(by_groups > 20 && parted > 100, "{by_groups} {parted}");
}

fn zip<'a, L, R>(left: &'a [L], right: &'a [R]) -> impl Iterator<Item = (&'a L, &'a R)> {
    left.iter().zip(right)
}

/// The same seed makes the same plan, on any number of threads.
#[test]
fn law_groups_repeat() {
    for number in 0..40 {
        let setting = setting(number);
        let plans: Vec<Made> = [1, 2, 7]
            .into_iter()
            .map(|threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| setting.plan_up_to(4, 9))
            })
            .collect();
        assert!(plans.windows(2).all(|pair| pair[0] == pair[1]), "{number}");
    }
}

/// Applying a plan gives each record of a group the values that the group says, and leaves
/// all others alone.
#[test]
fn law_applying_a_plan_is_making_its_groups() {
    let mut moved = 0;
    for number in 0..100 {
        let setting = setting(number);
        let made = setting.plan_up_to(4, 2);
        let mut expected = setting.world.records.clone();
        for swap in made.swaps() {
            let world =
                setting.world.swapped(swap.left.position(), swap.right.position(), swap.exchanged);
            for record in [swap.left, swap.right] {
                expected[record.position()] = world.records[record.position()].clone();
            }
        }
        for group in made.plan.groups() {
            for (&column, from) in group.columns.iter().zip(&group.from) {
                for (place, &from) in from.iter().enumerate() {
                    let (to, from) = (group.records[place], group.records[from]);
                    expected[to.position()][column] =
                        setting.world.records[from.position()][column];
                    moved += 1;
                }
            }
        }
        assert_eq!(setting.after(&made).records, expected, "{number}");
        let after = apply(&made.plan, &columns(&setting.world, |code| format!("c{code}")));
        for (record, codes) in expected.iter().enumerate() {
            for (variable, code) in codes.iter().enumerate() {
                let column = after.get(variable).unwrap();
                let found = column.dictionary().category(column.code(record));
                assert_eq!(found, Some(format!("c{code}").as_bytes()), "{number}");
            }
        }
    }
    assert!(moved > 100, "{moved}");
}

/// Cells that change a kept table make no group.
#[test]
fn law_a_group_keeps_every_table() {
    let world = World {
        levels: vec![2; 3],
        records: vec![vec![0, 0, 0], vec![0, 1, 1], vec![1, 0, 1], vec![1, 1, 0]],
    };
    let joint = Located::count(&world.packed());
    let tables = [[0, 1], [0, 2], [1, 2]].map(VarSet::from);
    let class = GeneratingClass::new(VarSet::first(3), tables);
    let flipped = |bits: [u32; 4]| {
        let mut world = world.clone();
        for (record, bit) in world.records.iter_mut().zip(bits) {
            record[2] ^= bit;
        }
        let cells = world.packed();
        let taken = |record| Taken { cell: joint.cell_of(record), at_risk: false };
        (0..4).map(RecordId::at).map(|r| (taken(r), cells.get(r).to_vec())).collect::<Vec<_>>()
    };
    let group = CellGroup::new(&joint, &class, flipped([1; 4]));
    assert_eq!(group.records_changed(), 4);
    assert_eq!(group.takes()[0].variable, 2);
    let made = |members: Vec<(Taken, Vec<u64>)>| {
        std::panic::catch_unwind(|| CellGroup::new(&joint, &class, members)).is_ok()
    };
    assert!(!made(flipped([1, 1, 0, 0])), "two of them change a table");
}
