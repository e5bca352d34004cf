//! Laws of protecting people from intruders who know their keys: counted on the released
//! records, never on lines.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support::setting;

use std::collections::BTreeMap;

use marginswap_core::graph::{GeneratingClass, minimal_separators};
use marginswap_core::oracle::World;
use marginswap_core::partner::screen;
use marginswap_core::plan::{
    Constraints, Detach, Forbidden, Intruder, Level, NeverNew, Pairing, Prices, Task, Term, draw,
    plan,
};
use marginswap_core::random::{Random, Seed};
use marginswap_core::swap::apply_to_records;
use marginswap_core::table::Located;
use marginswap_core::varset::VarSet;
use marginswap_core::verify::{AtRisk, Pooled, Scenario, learned};
use setting::{Setting, codes, schema};

/// A random file with keys and sensitive variables, sparse tables and some constraints.
fn setting(number: u64) -> Setting {
    let mut random = Random::new(Seed([8; 32]), number);
    let variables = 4 + random.below(3);
    let levels = 2 + random.below(3);
    let records = (0..6 + random.below(30))
        .map(|_| (0..variables).map(|_| u32::try_from(random.below(levels)).unwrap()).collect())
        .collect();
    let everything = VarSet::first(variables);
    let mut tables: Vec<VarSet> = everything.subsets().filter(|set| set.len() == 2).collect();
    random.shuffle(&mut tables);
    tables.truncate(1 + random.below(variables));
    let keys = VarSet::first(2 + random.below(variables - 2));
    let term = |variable, code| Term { variable, codes: vec![code], negated: false };
    Setting {
        world: World { levels: vec![levels; variables], records },
        tables,
        prices: Prices { staying: VarSet::EMPTY, weights: vec![1; variables] },
        keys,
        sensitive: everything - keys,
        rounds: 4,
        constraints: Constraints {
            matches: vec![VarSet::EMPTY],
            forbidden: match random.below(4) {
                0 => vec![Forbidden { terms: vec![term(0, 0), term(2, 1)] }],
                _ => Vec::new(),
            },
            never_new: NeverNew::Nowhere,
            drift: None,
            gone: Vec::new(),
            most_changed: None,
            least_changed: (random.below(3) == 0).then(|| random.below(30) as u64),
        },
        limit: usize::MAX,
        marked: (random.below(4) == 0)
            .then(|| (0..1 + random.below(7)).map(|_| random.below(2) == 0).collect()),
    }
}

impl Setting {
    /// Has another file two values together that this one never has?
    fn makes_new(&self, after: &World) -> bool {
        let all = || 0..self.variables();
        all().any(|one| {
            all().any(|two| one != two && !self.world.new_pairs(after, [one, two]).is_empty())
        })
    }

    fn with_key(&self, world: &World) -> BTreeMap<Vec<u32>, Vec<Vec<u32>>> {
        let mut found: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for record in &world.records {
            found.entry(self.key(record)).or_default().push(record.clone());
        }
        found
    }
}

/// A combination of keys that everybody who had it was parted from is gone, whatever else the
/// plan does, random swaps and groups included.
#[test]
fn law_parted_combinations_stay_gone() {
    let (mut gone, mut fewer) = (0, 0);
    for number in 0..400 {
        let setting = setting(number);
        let made = setting.made(Pairing::Greedy, if number % 5 == 0 { 4 } else { 2 }, 1);
        let after = setting.after(&made);
        for &table in &setting.tables {
            assert_eq!(setting.world.margin_table(table), after.margin_table(table), "{number}");
        }
        let joint = Located::count(&setting.world.packed());
        let mut parted: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
        for row in &made.planned.protection {
            let key = setting.key(&joint.cells().codes(row.cell.position()));
            *parted.entry(key).or_default() += row.parted as usize;
        }
        let (before, now) = (setting.with_key(&setting.world), setting.with_key(&after));
        for (key, parted) in parted {
            let count = now.get(&key).map_or(0, Vec::len);
            let all = parted == before[&key].len();
            assert!(!all || count == 0, "{number}: a combination comes back");
            gone += usize::from(count == 0);
            fewer += usize::from(parted > 0 && count > 0);
        }
    }
    assert!(gone > 1000 && fewer > 20, "{gone} {fewer}");
}

/// A person alone with their keys who is detached meets a record that is false in every
/// sensitive value; one who is parted is gone, and one who is left is as before.
#[test]
fn law_detached_means_false() {
    let (mut parted, mut detached) = (0, 0);
    for number in 0..400 {
        let setting = Setting { marked: None, ..setting(number) };
        let made = setting.made(Pairing::Greedy, 2, 2);
        let after = setting.with_key(&setting.after(&made));
        let joint = Located::count(&setting.world.packed());
        for row in &made.planned.protection {
            let person = joint.cells().codes(row.cell.position());
            let met = after.get(&setting.key(&person)).map_or(&[][..], Vec::as_slice);
            assert_eq!(row.parted + row.detached + row.left, 1, "everybody is alone");
            if row.parted == 1 {
                assert!(met.is_empty(), "{number}: who is parted is gone");
                parted += 1;
            } else if row.detached == 1 {
                let hidden = setting.sensitive.iter();
                let is_false =
                    |variable: usize| met.iter().any(|r| r[variable] != person[variable]);
                assert!(!met.is_empty() && hidden.clone().all(is_false), "{number}");
                let is_true = |record: &&Vec<u32>| hidden.clone().all(|v| record[v] == person[v]);
                assert!(met.len() > 1 || !met.iter().any(|record| is_true(&record)), "{number}");
                detached += 1;
            } else {
                assert!(met.contains(&person), "{number}: who is left is there");
            }
        }
    }
    assert!(parted > 1000 && detached > 30, "{parted} {detached}");
}

/// Whom the plan exposes is whom the comparison of the two files finds newly exposed.
#[test]
fn law_newly_exposed_are_listed() {
    let (mut listed, mut without_rounds) = (0, 0);
    for number in 0..400 {
        for rounds in [0, 4] {
            let setting = Setting { rounds, ..setting(number) };
            let records = if number % 5 == 0 { 4 } else { 2 };
            let made = setting.made(Pairing::Greedy, records, 3);
            let before = setting.world.packed();
            let pooled = Pooled::of(&before, &setting.after(&made).packed());
            let risky = setting.risky();
            let scenario = Scenario {
                keys: setting.keys,
                sensitive: setting.sensitive,
                needed: 1,
                at_risk: AtRisk::Listed(&risky),
            };
            let joint = Located::count(&before);
            let mut expected: BTreeMap<_, u32> = BTreeMap::new();
            for &record in learned(&pooled, &scenario).newly_exposed_records() {
                *expected.entry(joint.cell_of(record)).or_default() += 1;
            }
            let found: BTreeMap<_, u32> =
                made.planned.exposed.iter().map(|one| (one.cell, one.records)).collect();
            assert_eq!(found, expected, "{number}");
            *(if rounds == 0 { &mut without_rounds } else { &mut listed }) += found.len();
        }
    }
    assert!(listed * 2 < without_rounds && without_rounds > 50, "{listed} {without_rounds}");
}

/// `0-4, single` and `5-9, married`, who breaks the rule before: only marital status may be
/// exchanged, and the release must not hold a married child of 0 to 4.
#[test]
fn law_a_rule_is_a_rule() {
    // Age 0-4, 5-9, 10-14; single, married; region N, S.
    let world = World { levels: vec![3, 2, 2], records: vec![vec![0, 0, 0], vec![1, 1, 1]] };
    let rule = Forbidden {
        terms: vec![
            Term { variable: 0, codes: vec![0, 1], negated: false },
            Term { variable: 1, codes: vec![0], negated: true },
        ],
    };
    let setting = Setting {
        world,
        tables: vec![VarSet::from([0, 2])],
        prices: Prices { staying: VarSet::from([0, 2]), weights: vec![1; 3] },
        keys: VarSet::first(3),
        sensitive: VarSet::EMPTY,
        rounds: 0,
        constraints: Constraints { forbidden: vec![rule.clone()], ..Constraints::default() },
        limit: usize::MAX,
        marked: None,
    };
    assert!(setting.made(Pairing::Greedy, 2, 1).swaps().is_empty());
    // Who broke the rule before may keep both values while the region changes.
    let region = Setting {
        tables: vec![VarSet::from([0, 1])],
        prices: Prices { staying: VarSet::from([0, 1]), weights: vec![1; 3] },
        ..setting.clone()
    };
    let made = region.made(Pairing::Greedy, 2, 1);
    assert_eq!(region.after(&made).records, [[0, 0, 1], [1, 1, 0]]);
    // Without the rule they would be swapped.
    let free = Setting { constraints: Constraints::default(), ..setting };
    assert_eq!(free.made(Pairing::Greedy, 2, 1).swaps().len(), 1);
}

/// No two values come together for the first time where that is forbidden; and fewer do than
/// would by chance where it is not.
#[test]
fn law_never_seen_by_definition() {
    let (mut forbidden_somewhere, mut made_swaps) = (0, 0);
    for number in 0..300 {
        let mut setting = setting(number);
        setting.world.levels.fill(5);
        let mut random = Random::new(Seed([3; 32]), number);
        for code in setting.world.records.iter_mut().flatten() {
            *code = u32::try_from(random.below(5)).unwrap();
        }
        let free = setting.made(Pairing::Greedy, 2, 1);
        forbidden_somewhere += usize::from(setting.makes_new(&setting.after(&free)));
        let groups = if number % 4 == 0 { 4 } else { 2 };
        setting.constraints.never_new = NeverNew::Everywhere;
        let made = setting.made(Pairing::Greedy, groups, 1);
        made_swaps += made.swaps().len();
        assert!(!setting.makes_new(&setting.after(&made)), "{number}");
        setting.constraints.never_new = NeverNew::Pairs(vec![[0, 1], [1, 3]]);
        let after = setting.after(&setting.made(Pairing::Greedy, groups, 1));
        for pair in [[0, 1], [1, 3]].map(VarSet::from) {
            let (old, new) = (setting.world.margin_table(pair), after.margin_table(pair));
            assert!(new.keys().all(|combination| old.contains_key(combination)), "{number}");
        }
    }
    assert!(forbidden_somewhere > 100 && made_swaps > 100, "{forbidden_somewhere} {made_swaps}");
}

/// Two intruders with other keys: who is parted is gone for each of them, and who is detached
/// is gone or false.
#[test]
fn law_protected_from_every_intruder() {
    let (mut in_both, mut protected) = (0, 0);
    for number in 0..300 {
        let setting = Setting { marked: None, ..setting(number) };
        let variables = setting.variables();
        let everything = VarSet::first(variables);
        let other: VarSet = (1..variables).rev().take(setting.keys.len()).collect();
        let scenarios = [setting.keys, other].map(|keys| (keys, everything - keys));
        let packed = setting.world.packed();
        let joint = Located::count(&packed);
        let risky = scenarios.map(|(keys, _)| Setting { keys, ..setting.clone() }.risky());
        let at_risk = risky.clone().map(|risky| joint.marked(&risky));
        let some: Vec<bool> = risky[0].iter().zip(&risky[1]).map(|(one, two)| one | two).collect();
        let intruder = |place: usize| Intruder {
            keys: scenarios[place].0,
            sensitive: scenarios[place].1,
            detach: Detach::Half,
            at_risk: &at_risk[place],
            screening: None,
            members: None,
            blank: &[],
            roughly: &[],
        };
        let class = GeneratingClass::new(everything, setting.tables.iter().copied());
        let separators = minimal_separators(&class.margin_graph(), usize::MAX);
        let screening = screen(&joint, &class, &separators).unwrap();
        let task = Task {
            derived: &[],
            joint: &joint,
            class: &class,
            separators: &separators,
            screening: &screening,
            prices: &setting.prices,
            constraints: &setting.constraints,
            intruders: &[intruder(0), intruder(1)],
            at_risk: &joint.marked(&some),
            rounds: 4,
            larger: None,
            crowd: None,
            effort: Level::default(),
        };
        let pairing = if number % 2 == 0 { Pairing::Greedy } else { Pairing::Slices };
        let planned = plan(task, pairing, Seed([1; 32])).unwrap();
        let drawn = draw(&planned.plan, &joint, task.at_risk, Seed([1; 32]));
        let columns = schema(variables);
        let released = drawn.on_records(&joint, &some, &columns);
        let after = apply_to_records(&released, &columns, &packed);
        let after = World { levels: setting.world.levels.clone(), records: codes(&after) };
        for row in &planned.protection {
            let cell = row.cell.position();
            let person = joint.cells().codes(cell);
            in_both += usize::from(at_risk[0][cell] > 0 && at_risk[1][cell] > 0);
            protected += row.parted + row.detached;
            if row.left > 0 {
                continue;
            }
            for (place, (keys, sensitive)) in scenarios.iter().enumerate() {
                let agrees = |record: &&Vec<u32>| keys.iter().all(|v| record[v] == person[v]);
                let met: Vec<&Vec<u32>> = after.records.iter().filter(agrees).collect();
                if at_risk[place][cell] == 0 {
                    continue;
                }
                assert!(row.detached > 0 || met.is_empty(), "{number}: who is parted is gone");
                let is_false = |v: &usize| met[0][*v] != person[*v];
                let hidden = || sensitive.iter().filter(is_false).count() * 2 >= sensitive.len();
                assert!(met.len() != 1 || hidden(), "{number}");
            }
        }
    }
    assert!(in_both > 300 && protected > 1000, "{in_both} {protected}");
}

/// With second thoughts no fewer people are gone over many files, and of those who are left
/// some are shared.
#[test]
fn law_company_takes_nothing_away() {
    let (mut plain, mut gone, mut shared) = (0, 0, 0);
    for number in 0..400 {
        for rounds in [0, 4] {
            let setting = Setting { marked: None, rounds, ..setting(number) };
            let made = setting.made(Pairing::Greedy, 2, 3);
            let after = setting.with_key(&setting.after(&made));
            let before = setting.with_key(&setting.world);
            let alone = || before.iter().filter(|(_, records)| records.len() == 1);
            let now = |key: &Vec<u32>| after.get(key).map_or(0, Vec::len);
            let here = alone().filter(|(key, _)| now(key) == 0).count();
            *(if rounds == 0 { &mut plain } else { &mut gone }) += here;
            shared += usize::from(rounds > 0) * alone().filter(|(key, _)| now(key) > 1).count();
        }
    }
    assert!(gone >= plain && shared > 50, "{plain} {gone} {shared}");
}

/// The most people that any disjoint exchanges part from their keys: tries all of them.
fn most_gone(setting: &Setting, world: &World, used: &mut Vec<bool>, from: usize) -> usize {
    let before = setting.with_key(&setting.world);
    let after = setting.with_key(world);
    let alone = before.iter().filter(|(_, records)| records.len() == 1);
    let mut best = alone.filter(|(key, _)| !after.contains_key(*key)).count();
    for left in from..used.len() {
        for right in left + 1..used.len() {
            if used[left] || used[right] {
                continue;
            }
            let everything = VarSet::first(setting.variables());
            for exchanged in everything.subsets().filter(|set| !set.contains(0)) {
                if setting.world.is_effective(left, right, exchanged)
                    && setting.world.keeps(left, right, exchanged, &setting.tables)
                {
                    (used[left], used[right]) = (true, true);
                    let mut next = world.clone();
                    for variable in exchanged {
                        next.records[left][variable] = setting.world.records[right][variable];
                        next.records[right][variable] = setting.world.records[left][variable];
                    }
                    best = best.max(most_gone(setting, &next, used, left + 1));
                    (used[left], used[right]) = (false, false);
                }
            }
        }
    }
    best
}

/// Over many tiny files nearly as many people are gone as any disjoint exchanges could part,
/// although these care neither for bystanders nor for who is left.
#[test]
fn parting_comes_near_the_best() {
    let (mut found, mut most) = (0, 0);
    for number in 0..250 {
        let mut setting = Setting { marked: None, ..setting(number) };
        setting.world.records.truncate(4 + usize::try_from(number % 2).unwrap());
        setting.constraints = Constraints::default();
        let after = setting.with_key(&setting.after(&setting.made(Pairing::Greedy, 2, 1)));
        let before = setting.with_key(&setting.world);
        let alone = before.iter().filter(|(_, records)| records.len() == 1);
        found += alone.filter(|(key, _)| !after.contains_key(*key)).count();
        let mut used = vec![false; setting.world.records.len()];
        most += most_gone(&setting, &setting.world, &mut used, 0);
    }
    assert!(most > 300 && found <= most && found * 100 >= most * 90, "{found} of {most}");
}
