//! Laws about what a plan must respect besides the tables: rules, match lists, budgets.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support::setting;

use std::collections::{BTreeMap, BTreeSet};

use marginswap_core::encode::RecordId;
use marginswap_core::oracle::World;
use marginswap_core::partner::Exempt;
use marginswap_core::plan::{
    Constraints, Disobeyed, Forbidden, NeverNew, Pairing, Plan, PlannedGroup, PlannedSwap, Prices,
    Term,
};
use marginswap_core::random::{Random, Seed};
use marginswap_core::swap::apply_to_records;
use marginswap_core::table::JointTable;
use marginswap_core::varset::VarSet;
use setting::Setting;

/// A random file with random constraints of every kind.
fn setting(number: u64) -> Setting {
    let mut random = Random::new(Seed([11; 32]), number);
    let (world, tables) = setting::file_and_tables(&mut random, 2, [10, 30]);
    let variables = world.levels.len();
    let everything = VarSet::first(variables);
    let mut some_of = |least: usize| -> VarSet {
        let set: VarSet = everything.iter().filter(|_| random.below(3) == 0).collect();
        if set.len() < least { VarSet::from([0, 1]) } else { set }
    };
    let matches = match number % 3 {
        0 => vec![VarSet::EMPTY],
        1 => vec![some_of(0)],
        _ => vec![some_of(1), some_of(1), some_of(0)],
    };
    let mut forbidden = Vec::new();
    for _ in 0..number % 4 {
        let terms = some_of(1).iter().map(|variable| Term {
            variable,
            codes: if variable % 2 == 0 { vec![0] } else { vec![0, 1] },
            negated: variable % 3 == 1,
        });
        forbidden.push(Forbidden { terms: terms.collect() });
    }
    let never_new = match number % 5 {
        0 => NeverNew::Everywhere,
        1 => NeverNew::Pairs(vec![[0, 1], [1, 2]]),
        _ => NeverNew::Nowhere,
    };
    Setting {
        world,
        tables,
        keys: some_of(1),
        sensitive: VarSet::EMPTY,
        rounds: 1,
        prices: Prices { staying: VarSet::EMPTY, weights: vec![1; variables] },
        constraints: Constraints {
            drift: None,
            gone: Vec::new(),
            matches,
            forbidden,
            never_new,
            most_changed: number.is_multiple_of(3).then_some(number % 11),
            least_changed: number.is_multiple_of(4).then_some(number % 9),
        },
        limit: usize::MAX,
        marked: None,
    }
}

/// Everything that a plan disobeys, by the definitions, on plain records.
fn disobeyed(setting: &Setting, plan: &Plan, largest: usize) -> BTreeSet<&'static str> {
    let packed = setting.world.packed();
    let before = &setting.world.records;
    let after = setting::codes(&apply_to_records(plan, &setting.schema(), &packed));
    let constraints = &setting.constraints;
    let mut found = BTreeSet::new();
    let changed = before.iter().zip(&after).filter(|(old, new)| old != new).count() as u64;
    if constraints.most_changed.is_some_and(|most| changed > most) {
        found.insert("Budget");
    }
    if largest <= 2 && !plan.groups().is_empty() {
        found.insert("Groups");
    }
    let pairs = plan.swaps().iter().map(|swap| vec![swap.left, swap.right]);
    let groups = plan.groups().iter().map(|group| group.records.clone());
    for members in pairs.chain(groups) {
        let agrees = |list: &VarSet| {
            list.iter().all(|variable| {
                let first = before[members[0].position()][variable];
                members.iter().all(|member| before[member.position()][variable] == first)
            })
        };
        if !constraints.matches.iter().any(agrees) {
            found.insert("Partners");
        }
    }
    for rule in &constraints.forbidden {
        // How many records have each combination that the rule forbids.
        let count = |records: &[Vec<u32>]| {
            let mut counts: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
            for record in records {
                let holds = |term: &Term| {
                    let listed = term.codes.contains(&record[term.variable]);
                    if term.negated { !listed } else { listed }
                };
                if rule.terms.iter().all(holds) {
                    let codes = rule.terms.iter().map(|term| record[term.variable]).collect();
                    *counts.entry(codes).or_default() += 1;
                }
            }
            counts
        };
        let (old, new) = (count(before), count(&after));
        if new
            .iter()
            .any(|(combination, &count)| count > old.get(combination).copied().unwrap_or(0))
        {
            found.insert("Rule");
        }
    }
    let variables = setting.variables();
    for left in 0..variables {
        for right in left + 1..variables {
            let told = match &constraints.never_new {
                NeverNew::Nowhere => false,
                NeverNew::Pairs(pairs) => pairs.contains(&[left, right]),
                NeverNew::Among(variables) => variables.contains(left) && variables.contains(right),
                NeverNew::Everywhere => true,
            };
            let had = |new: &Vec<u32>| {
                before.iter().any(|old| (old[left], old[right]) == (new[left], new[right]))
            };
            if told && !after.iter().all(had) {
                found.insert("NeverNew");
            }
        }
    }
    found
}

fn answer(setting: &Setting, plan: &Plan, largest: usize) -> Result<(), Disobeyed> {
    let packed = setting.world.packed();
    let joint = JointTable::count(&packed);
    plan.obey(&setting.schema(), &packed, &joint, &setting.constraints, largest, Exempt::Nothing)
}

/// Plans that are made obey; plans that are drawn at random are judged as by the
/// definitions. Over a single swap or group both speak of the same records, so they agree exactly;
/// with several, two combinations may make up for one another, and only the refusal is stricter.
#[test]
fn law_a_plan_obeys_its_settings() {
    let (mut moved, mut groups) = (0, 0);
    for number in 0..2000 {
        let setting = setting(number);
        for (pairing, largest) in
            [(Pairing::Greedy, 2), (Pairing::Optimal, 2), (Pairing::Greedy, 5)]
        {
            // The best pairing knows no budget.
            if pairing == Pairing::Optimal && setting.constraints.most_changed.is_some() {
                continue;
            }
            let made = setting.made(pairing, largest, 3);
            moved += made.plan.records().count();
            groups += made.plan.groups().len();
            let found = disobeyed(&setting, &made.plan, largest);
            assert!(found.is_empty(), "{number} {pairing:?} {largest}: {found:?}");
            assert_eq!(answer(&setting, &made.plan, largest), Ok(()), "{number}");
        }
    }
    assert!(moved > 3000 && groups > 10, "{moved} records in plans, {groups} groups");
}

#[test]
fn a_plan_that_disobeys_is_known_by_the_definitions() {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for number in 0..3000 {
        let setting = setting(number);
        let mut random = Random::new(Seed([12; 32]), number);
        let variables = setting.variables();
        let mut lines: Vec<usize> = (0..setting.world.records.len()).collect();
        random.shuffle(&mut lines);
        let some: Vec<usize> = (0..variables).filter(|_| random.below(2) == 0).collect();
        if some.is_empty() {
            continue;
        }
        let record = |place: usize| RecordId::at(lines[place]);
        let plan = if number % 2 == 0 {
            let swap =
                PlannedSwap { left: record(0), right: record(1), exchanged: some.clone().into() };
            Plan::new(vec![swap], Vec::new())
        } else {
            let mut records: Vec<RecordId> = (0..3).map(record).collect();
            records.sort_unstable();
            let from = some.iter().map(|_| vec![1, 2, 0]).collect();
            Plan::new(Vec::new(), vec![PlannedGroup { records, columns: some.clone(), from }])
        };
        let largest = if random.below(3) == 0 { 2 } else { 3 };
        let plan = plan.unwrap();
        let found = disobeyed(&setting, &plan, largest);
        match answer(&setting, &plan, largest) {
            Ok(()) => assert!(found.is_empty(), "{number}: {found:?}"),
            Err(why) => {
                assert!(found.contains(format!("{why:?}").as_str()), "{number}: {why:?} {found:?}");
                *seen.entry(format!("{why:?}")).or_default() += 1;
            }
        }
        if found.is_empty() {
            *seen.entry("obeyed".to_owned()).or_default() += 1;
        }
    }
    assert_eq!(seen.len(), 6, "{seen:?}");
    assert!(seen.values().all(|&count| count > 10), "{seen:?}");
}

/// Where combinations among some variables are watched, a plan makes only those that are absent by
/// rarity, and none where everybody is covered without.
#[test]
fn law_rare_pairs_come_last() {
    let (mut covered, mut made, mut not_needed) = ([0, 0], 0, 0);
    for number in 0..1500 {
        let watched = |never_new: NeverNew| {
            let mut setting = setting(number);
            setting.constraints.never_new = never_new;
            setting
        };
        let strict = watched(NeverNew::Everywhere);
        let all = VarSet::first(strict.variables());
        let lenient = watched(NeverNew::Among(all));
        let plans = [&strict, &lenient].map(|setting| setting.made(Pairing::Greedy, 2, 3));
        let packed = lenient.world.packed();
        let joint = JointTable::count(&packed);
        let constraints = &lenient.constraints;
        let obeyed =
            plans[1].plan.obey(&lenient.schema(), &packed, &joint, constraints, 2, Exempt::Rare);
        assert_eq!(obeyed, Ok(()), "{number}");
        for (place, made) in plans.iter().enumerate() {
            covered[place] += made.planned.plan.covered();
        }
        if plans[0].planned.left_over.is_empty() {
            not_needed += 1;
            assert_eq!(plans[0].plan, plans[1].plan, "{number}");
        }
        let nothing =
            plans[1].plan.obey(&lenient.schema(), &packed, &joint, constraints, 2, Exempt::Nothing);
        made += usize::from(nothing == Err(Disobeyed::NeverNew));
    }
    assert!(
        covered[1] > covered[0] && made > 10 && not_needed > 50,
        "{covered:?} {made} {not_needed}"
    );
}

/// What is absent by rarity may be new where that is exempt; what looks impossible may not.
#[test]
fn rare_combinations_may_be_exempt() {
    // The exchange makes (0, 1), which nobody has. Ten of twenty have 0; ten have 1, or one has.
    for (frequent, allowed) in [(true, false), (false, true)] {
        let mut records = vec![vec![0, 0]; 10];
        records.extend(vec![vec![1, if frequent { 1 } else { 0 }]; 9]);
        records.push(vec![1, 1]);
        let world = World { levels: vec![2, 2], records };
        let prices = Prices { staying: VarSet::EMPTY, weights: vec![1; 2] };
        let setting = Setting { world, prices, ..setting(0) };
        let packed = setting.world.packed();
        let joint = JointTable::count(&packed);
        let swap = PlannedSwap {
            left: RecordId::at(0),
            right: RecordId::at(19),
            exchanged: vec![0].into(),
        };
        let plan = Plan::new(vec![swap], Vec::new()).unwrap();
        let constraints = Constraints { never_new: NeverNew::Everywhere, ..Constraints::default() };
        let schema = setting.schema();
        let obeys = |exempt| plan.obey(&schema, &packed, &joint, &constraints, 2, exempt).is_ok();
        assert!(!obeys(Exempt::Nothing));
        assert_eq!(obeys(Exempt::Rare), allowed);
    }
}

/// A plan that disobeys is refused in words that name what it breaks.
#[test]
fn disobedience_is_named() {
    for (disobeyed, word) in [
        (Disobeyed::Budget, "budget"),
        (Disobeyed::Rule, "rules"),
        (Disobeyed::NeverNew, "keep apart"),
        (Disobeyed::Partners, "match lists or strata"),
        (Disobeyed::Groups, "more than two records"),
    ] {
        assert!(disobeyed.to_string().contains(word), "{disobeyed}");
    }
}
