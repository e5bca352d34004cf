//! Who is found, against looking everybody up by hand; and each way to fool the measure.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use marginswap_core::oracle::{PlainLook, PlainPerson, PlainQuestion, World};
use marginswap_core::random::{Random, Seed};
use marginswap_core::table::Located;
use marginswap_core::varset::VarSet;
use marginswap_core::verify::{
    AtRisk, Beside, Found, FoundByAny, Guess, Listed, Pooled, Question, Rough, Scenario, found,
    found_by_any,
};
use proptest::prelude::*;

fn set(bits: u32, variables: usize) -> VarSet {
    (0..variables).filter(|variable| bits >> variable & 1 == 1).collect()
}

fn world(levels: &[usize], records: &[Vec<u32>]) -> World {
    World { levels: levels.to_vec(), records: records.to_vec() }
}

/// Two files over the same variables of few levels; most records of the second are exchanges of
/// those of the first.
fn two_files() -> impl Strategy<Value = (World, World)> {
    proptest::collection::vec(1usize..=4, 2..=5).prop_flat_map(|levels| {
        let codes: Vec<_> = levels.iter().map(|&most| 0..u32::try_from(most).unwrap()).collect();
        let records = proptest::collection::vec(codes, 1..12);
        let exchanges = proptest::collection::vec((0usize..12, 0usize..12, 0u32..32), 0..6);
        let dropped = 0usize..3;
        (records, exchanges, dropped).prop_map(move |(before, exchanges, dropped)| {
            let before = world(&levels, &before);
            let mut after = before.clone();
            let size = before.records.len();
            for (left, right, part) in exchanges {
                after = after.swapped(left % size, right % size, set(part, levels.len()));
            }
            after.records.truncate(size - dropped.min(size) / 2);
            (before, after)
        })
    })
}

/// Classes of two codes, in two positions.
fn classes(levels: usize) -> Vec<Vec<u32>> {
    let levels = u32::try_from(levels).unwrap();
    (0..2).map(|shift| (0..levels).map(|code| (code + shift) / 2).collect()).collect()
}

fn beside(people: &[PlainPerson], holds: impl Fn(&PlainLook) -> bool) -> Beside {
    let mut beside = Beside::default();
    for person in people {
        let (so, by_chance) = (holds(&person.after), holds(&person.absent));
        beside.people += u64::from(so);
        beside.by_chance += u64::from(by_chance);
        beside.only_so += u64::from(so && !by_chance);
        beside.only_by_chance += u64::from(by_chance && !so);
    }
    beside
}

/// Every number of `Found`, from everybody looked up by hand.
fn check(before: &World, after: &World, question: &PlainQuestion, at_risk: &[bool], found: &Found) {
    let all: Vec<PlainPerson> =
        (0..before.records.len()).map(|record| before.found(after, record, question)).collect();
    let risky = all.iter().zip(at_risk).filter(|(_, at_risk)| **at_risk);
    let risky: Vec<PlainPerson> = risky.map(|(person, _)| person.clone()).collect();
    let size = question.sensitive.len();
    let is_found = |look: &PlainLook| look.smallest.is_some();
    assert_eq!(found.at_risk, risky.len() as u64);
    assert_eq!(found.exact_up_to, question.keys.len());
    let found_before = risky.iter().filter(|person| is_found(&person.before)).count();
    assert_eq!(found.found_before, found_before as u64);
    assert_eq!(found.found, beside(&risky, is_found));
    let hidden: Vec<PlainPerson> =
        all.iter().filter(|person| !is_found(&person.before)).cloned().collect();
    assert_eq!(found.newly_found, beside(&hidden, is_found));
    let at_least: Vec<Beside> =
        (1..=size).map(|values| beside(&risky, |look| look.most_true >= values)).collect();
    assert_eq!(found.true_at_least, at_least);
    let roughly = (!question.roughly.is_empty()).then(|| beside(&risky, |look| look.roughly));
    assert_eq!(found.roughly, roughly);
    for keys in 0..=question.keys.len() {
        let known = |look: fn(&PlainPerson) -> &PlainLook| {
            risky.iter().filter(|person| look(person).smallest == Some(keys)).count() as u64
        };
        let counts = [known(|one| &one.before), known(|one| &one.after), known(|one| &one.absent)];
        assert_eq!(found.by_keys_known[keys], counts, "{keys} keys");
    }
    for (alone, variable) in found.alone.iter().zip(question.sensitive) {
        let claims = |look: fn(&PlainPerson) -> &PlainLook| {
            let told = || risky.iter().flat_map(|person| &look(person).told);
            let right = told().filter(|told| told.contains(variable)).count() as u64;
            [told().count() as u64, right]
        };
        assert_eq!(alone.variable, variable);
        assert_eq!(alone.claims, claims(|one| &one.after));
        assert_eq!(alone.claims_by_chance, claims(|one| &one.absent));
        let told = |look: &PlainLook| look.told.iter().any(|told| told.contains(variable));
        // Nobody's value is had by twenty people here.
        assert_eq!(alone.levels.len(), usize::from(!risky.is_empty()));
        for level in &alone.levels {
            assert_eq!((level.code, level.at_risk), (None, risky.len() as u64));
            assert_eq!(level.told, beside(&risky, told));
        }
    }
    assert_eq!(found.alone.len(), size);
}

/// Code 0 of each of these variables says nothing, and sometimes code 1 as well.
fn nothing(variables: VarSet) -> BTreeMap<usize, BTreeSet<u32>> {
    let codes = |key: usize| if key % 3 == 1 { vec![0, 1] } else { vec![0] };
    variables.iter().map(|key| (key, codes(key).into_iter().collect())).collect()
}

/// The same, by variable.
fn blank(plain: &PlainQuestion, variables: usize) -> Vec<Vec<u32>> {
    let codes = |key| plain.blank.get(&key).into_iter().flatten().copied().collect();
    (0..variables).map(codes).collect()
}

fn question<'a>(plain: &PlainQuestion, roughly: &'a [Rough], at_risk: &'a [bool]) -> Question<'a> {
    let PlainQuestion { keys, sensitive, k, .. } = *plain;
    let scenario = Scenario { keys, sensitive, needed: 1, at_risk: AtRisk::Listed(at_risk) };
    Question { k: u32::try_from(k).unwrap(), roughly, ..Question::of(scenario) }
}

fn rough(plain: &PlainQuestion) -> Vec<Rough> {
    let roughly = plain.roughly.iter();
    roughly.map(|(&key, classes)| Rough { key, classes: classes.clone() }).collect()
}

fn pooled(before: &World, after: &World) -> Pooled {
    Pooled::of(&before.packed(), &after.packed())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn law_found_by_definition(
        (before, after) in two_files(),
        keys in 0u32..32,
        sensitive in 0u32..32,
        k in prop_oneof![3 => Just(2usize), 1 => 3usize..6],
        roughly in 0u32..32,
        blanks in prop_oneof![Just(0u32), 0u32..32],
        list in proptest::collection::vec(any::<bool>(), 12),
    ) {
        let variables = before.levels.len();
        let keys = set(keys, variables);
        let mut sensitive = set(sensitive, variables) - keys;
        if sensitive.is_empty() {
            sensitive = VarSet::first(variables) - keys;
        }
        let roughly: BTreeMap<usize, Vec<Vec<u32>>> = (set(roughly, variables) & keys)
            .iter()
            .map(|key| (key, classes(before.levels[key])))
            .collect();
        let blanks = nothing(set(blanks, variables) & keys);
        let plain = PlainQuestion { keys, sensitive, k, roughly, blank: blanks };
        let at_risk = &list[..before.records.len()];
        let rough = rough(&plain);
        let blank = blank(&plain, variables);
        let asked = Question { blank: &blank, ..question(&plain, &rough, at_risk) };
        match found(&pooled(&before, &after), &asked) {
            None => prop_assert!(sensitive.is_empty()),
            Some(found) => check(&before, &after, &plain, at_risk, &found),
        }
        // Who is alone is at risk.
        let alone = Scenario { at_risk: AtRisk::Alone, ..asked.scenario };
        if let Some(found) = found(&pooled(&before, &after), &Question { scenario: alone, ..asked }) {
            let counts = before.margin_table(keys);
            let own = |record: &Vec<u32>| keys.iter().map(|key| record[key]).collect::<Vec<_>>();
            let alone: Vec<bool> = before.records.iter().map(|one| counts[&own(one)] == 1).collect();
            check(&before, &after, &plain, &alone, &found);
            if k == 2 {
                prop_assert_eq!(found.found_before, found.at_risk);
            }
        }
    }

    #[test]
    fn law_reached_through_some_part((before, after) in two_files(), keys in 0u32..32, k in 2usize..5) {
        let keys = set(keys, before.levels.len());
        for own in &before.records {
            prop_assert_eq!(after.reached(own, keys, k), after.led_to(own, keys, k));
        }
    }

    /// Somebody's chance is what a release that leaves just their record out betrays.
    #[test]
    fn law_chance_is_the_file_without_the_person((before, _) in two_files(), keys in 0u32..32) {
        let variables = before.levels.len();
        let keys = set(keys, variables);
        let sensitive = VarSet::first(variables) - keys;
        for record in 0..before.records.len() {
            let mut after = before.clone();
            after.records.remove(record);
            let mut at_risk = vec![false; before.records.len()];
            at_risk[record] = true;
            let scenario = Scenario { keys, sensitive, needed: 1, at_risk: AtRisk::Listed(&at_risk) };
            let Some(found) = found(&pooled(&before, &after), &Question::of(scenario)) else {
                continue;
            };
            prop_assert_eq!(found.found.people, found.found.by_chance);
            for beside in &found.true_at_least {
                prop_assert_eq!((beside.only_so, beside.only_by_chance), (0, 0));
            }
            for alone in &found.alone {
                prop_assert_eq!(alone.claims, alone.claims_by_chance);
            }
            prop_assert_eq!(found.linked.unwrap().discordant(), [0.0, 0.0]);
        }
    }

    #[test]
    fn law_linked_by_definition(
        (before, after) in two_files(),
        keys in 0u32..32,
        list in proptest::collection::vec(any::<bool>(), 12),
    ) {
        let variables = before.levels.len();
        let keys = set(keys, variables);
        let sensitive = VarSet::first(variables) - keys;
        let plain = PlainQuestion { keys, sensitive, k: 2, roughly: BTreeMap::new(), blank: BTreeMap::new() };
        let at_risk = &list[..before.records.len()];
        let Some(found) = found(&pooled(&before, &after), &question(&plain, &[], at_risk)) else {
            return Ok(());
        };
        let (mut sums, mut discordant) = ([0.0; 2], [0.0; 2]);
        for record in (0..at_risk.len()).filter(|&record| at_risk[record]) {
            let person = before.found(&after, record, &plain);
            let [so, by_chance] = [person.after, person.absent].map(|look| match look.linked {
                [_, 0] => 0.0,
                [right, all] => right as f64 / all as f64,
            });
            sums[0] += so;
            sums[1] += by_chance;
            discordant[0] += f64::max(so - by_chance, 0.0);
            discordant[1] += f64::max(by_chance - so, 0.0);
        }
        let linked = found.linked.unwrap();
        let told = [linked.people(), linked.by_chance()];
        for (told, expected) in told.into_iter().chain(linked.discordant()).zip(sums.into_iter().chain(discordant)) {
            prop_assert!((told - expected).abs() < 1e-6, "{} instead of {}", told, expected);
        }
    }

    #[test]
    fn law_found_is_blind_to_threads_and_order(
        (before, after) in two_files(),
        keys in 0u32..32,
        seed in any::<u8>(),
    ) {
        let variables = before.levels.len();
        let keys = set(keys, variables);
        let scenario = Scenario { keys, sensitive: VarSet::first(variables) - keys, needed: 1, at_risk: AtRisk::Alone };
        let expected = found(&pooled(&before, &after), &Question::of(scenario));
        let mut other = after.clone();
        Random::new(Seed([seed; 32]), 0).shuffle(&mut other.records);
        prop_assert_eq!(&found(&pooled(&before, &other), &Question::of(scenario)), &expected);
    }

    #[test]
    fn law_found_by_any_is_the_union(
        (before, after) in two_files(),
        asked in proptest::collection::vec((0u32..32, proptest::collection::vec(any::<bool>(), 12)), 1..4),
    ) {
        let variables = before.levels.len();
        let pooled = pooled(&before, &after);
        let mut questions = Vec::new();
        for (keys, list) in &asked {
            let keys = set(*keys, variables);
            let plain = PlainQuestion { keys, sensitive: VarSet::first(variables) - keys, k: 2, roughly: BTreeMap::new(), blank: BTreeMap::new() };
            if !plain.sensitive.is_empty() {
                questions.push((plain, &list[..before.records.len()]));
            }
        }
        let all: Vec<Option<Found>> = questions
            .iter()
            .map(|(plain, list)| found(&pooled, &question(plain, &[], list)))
            .collect();
        let any = found_by_any(&all);
        let mut expected = FoundByAny::default();
        for record in 0..before.records.len() {
            let people: Vec<(PlainPerson, bool)> = questions
                .iter()
                .map(|(plain, list)| (before.found(&after, record, plain), list[record]))
                .collect();
            let among = |risky: bool, look: fn(&PlainPerson) -> &PlainLook| {
                people.iter().any(|(one, at_risk)| (*at_risk || !risky) && look(one).smallest.is_some())
            };
            let mut add = |beside: fn(&mut FoundByAny) -> &mut Beside, risky: bool| {
                let (so, by_chance) = (among(risky, |one| &one.after), among(risky, |one| &one.absent));
                let beside = beside(&mut expected);
                beside.people += u64::from(so);
                beside.by_chance += u64::from(by_chance);
                beside.only_so += u64::from(so && !by_chance);
                beside.only_by_chance += u64::from(by_chance && !so);
            };
            let at_risk = people.iter().any(|(_, at_risk)| *at_risk);
            if at_risk {
                add(|any| &mut any.found, true);
            }
            if !among(false, |one| &one.before) {
                add(|any| &mut any.newly_found, false);
            }
            expected.at_risk += u64::from(at_risk);
            expected.found_before += u64::from(among(true, |one| &one.before));
        }
        prop_assert_eq!(any, (!all.is_empty()).then_some(expected));
    }
}

/// Files large enough that all threads take part, and counted cells: the same numbers.
#[test]
fn many_records_on_one_thread_or_on_all() {
    let levels = [7, 9, 5, 30, 4, 3];
    let mut random = Random::new(Seed([3; 32]), 0);
    let mut before = world(&levels, &[]);
    for _ in 0..9000 {
        let code = |&levels: &usize| {
            u32::try_from(random.below(levels).min(random.below(levels))).unwrap()
        };
        before.records.push(levels.iter().map(code).collect());
    }
    let mut after = before.clone();
    for _ in 0..2000 {
        let [left, right] = [(); 2].map(|()| random.below(before.records.len()));
        after = {
            let mut next = after;
            for variable in [1, 3] {
                let own = next.records[left][variable];
                next.records[left][variable] = next.records[right][variable];
                next.records[right][variable] = own;
            }
            next
        };
    }
    let keys = VarSet::from([0, 1, 2, 3]);
    let scenario =
        Scenario { keys, sensitive: VarSet::from([4, 5]), needed: 1, at_risk: AtRisk::Alone };
    let roughly = [Rough { key: 3, classes: classes(30) }];
    let asked = Question { roughly: &roughly, ..Question::of(scenario) };
    let lines = pooled(&before, &after);
    let all = found(&lines, &asked).unwrap();
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(one.install(|| found(&lines, &asked)).unwrap(), all);
    assert!(all.at_risk > 500 && all.found.people > 50, "{all:?}", all = all.found);
    assert!(all.roughly.unwrap().people >= all.found.people);

    // The same people as counted cells: one line for each cell.
    let everything = VarSet::first(6);
    let counted = |world: &World| {
        let table = world.margin_table(everything);
        let cells =
            World { levels: world.levels.clone(), records: table.keys().cloned().collect() };
        (cells, table.values().map(|&count| u32::try_from(count).unwrap()).collect::<Vec<u32>>())
    };
    let ((cells_before, count_before), (cells_after, count_after)) =
        (counted(&before), counted(&after));
    let located = Located::count(&cells_before.packed());
    let listed = Listed::of_records(&located, &cells_after.packed(), Guess::Position);
    let cells = Pooled::listed(&located, &listed, [Some(&count_before), Some(&count_after)]);
    let by_cells = found(&cells, &asked).unwrap();
    assert_eq!(by_cells.found, all.found);
    assert_eq!(by_cells.newly_found, all.newly_found);
    assert_eq!(
        (by_cells.linked, by_cells.alone, by_cells.roughly),
        (all.linked, all.alone, all.roughly)
    );
}

/// A file in which everybody is alone: two keys of `side` levels each, and sensitive values that
/// follow from a number.
fn grid(side: u32, values: impl Fn(u32) -> Vec<u32>, levels: &[usize]) -> World {
    let side_levels = side as usize;
    let mut records = Vec::new();
    for one in 0..side {
        for other in 0..side {
            records.push([vec![one, other], values(one * side + other)].concat());
        }
    }
    World { levels: [&[side_levels, side_levels], levels].concat(), records }
}

fn everybody_alone(before: &World, after: &World, keys: usize) -> Found {
    let variables = before.levels.len();
    let keys = VarSet::first(keys);
    let scenario = Scenario {
        keys,
        sensitive: VarSet::first(variables) - keys,
        needed: 1,
        at_risk: AtRisk::Alone,
    };
    found(&pooled(before, after), &Question::of(scenario)).unwrap()
}

/// Beyond chance, as a gate asks.
fn exceeds(beside: Beside) -> bool {
    let excess = beside.people as f64 - beside.by_chance as f64;
    excess > 3.0 * ((beside.only_so + beside.only_by_chance) as f64).sqrt()
}

fn falls_short(beside: Beside) -> bool {
    let excess = beside.people as f64 - beside.by_chance as f64;
    excess < -3.0 * ((beside.only_so + beside.only_by_chance) as f64).sqrt()
}

/// Pseudo-random codes for a number.
fn code(number: u32, salt: u32, levels: u32) -> u32 {
    let mixed = (number ^ salt.wrapping_mul(0x85eb_ca6b)).wrapping_mul(0x9e37_79b9);
    ((mixed ^ mixed >> 15).wrapping_mul(0xc2b2_ae35) >> 13) % levels
}

/// All keys stay, two of four sensitive values are exchanged: nobody is found, and two
/// values of everybody are learned.
#[test]
fn split_values_show_in_the_number_of_true_values() {
    let values = |number| (0..4).map(|salt| code(number, salt, 6)).collect();
    let before = grid(12, values, &[6; 4]);
    let size = before.records.len();
    let mut after = before.clone();
    for record in 0..size {
        // Somebody else's last two values, none of them the own ones.
        let other = (1..size).map(|step| &before.records[(record + step) % size]).find(|other| {
            (4..6).all(|variable| other[variable] != before.records[record][variable])
        });
        after.records[record][4..].copy_from_slice(&other.unwrap()[4..]);
    }
    let found = everybody_alone(&before, &after, 2);
    assert_eq!((found.at_risk, found.found_before, found.found.people), (144, 144, 0));
    assert_eq!(found.true_at_least[1].people, 144);
    assert!(exceeds(found.true_at_least[1]), "{:?}", found.true_at_least);
    assert!(!exceeds(found.true_at_least[3]));
    // And in the variables that were left.
    let [right, wrong] = [&found.alone[0], &found.alone[2]];
    assert_eq!((right.claims, wrong.claims), ([144, 144], [144, 0]));
    assert!(right.levels.iter().all(|level| exceeds(level.told)));
}

/// A key moved to the next class: nobody is found by the class, and who knows it roughly finds
/// them.
#[test]
fn a_neighbouring_class_shows_when_keys_are_known_roughly() {
    // Even ages alone occur, and are released as the odd ones above them.
    let people =
        (0..60u32).map(|one| vec![one * 2 % 40, one / 20, code(one, 1, 50), code(one, 2, 50)]);
    let before = world(&[41, 3, 50, 50], &people.collect::<Vec<_>>());
    let mut after = before.clone();
    after.records.iter_mut().for_each(|record| record[0] += 1);
    let keys = VarSet::first(2);
    let scenario =
        Scenario { keys, sensitive: VarSet::from([2, 3]), needed: 1, at_risk: AtRisk::Alone };
    let roughly = [Rough { key: 0, classes: classes(41) }];
    let found =
        found(&pooled(&before, &after), &Question { roughly: &roughly, ..Question::of(scenario) })
            .unwrap();
    assert_eq!((found.at_risk, found.found.people), (60, 0));
    let roughly = found.roughly.unwrap();
    assert_eq!(roughly.people, 60);
    assert!(exceeds(roughly));
}

/// Somebody's key was exchanged with that of a record that is blank there. Of the five records with
/// their other keys four have another value: who knows all keys is left with the blank one.
#[test]
fn a_blank_key_shows_where_all_others_have_another_value() {
    let mut before = world(&[2, 5, 40], &[vec![0, 4, 0], vec![1, 0, 9]]);
    before.records.extend((1..5).map(|one| vec![0, one % 3 + 1, one + 10]));
    before.records.extend((0..8).map(|one| vec![1, one % 3 + 1, one + 20]));
    let after = before.swapped(0, 1, VarSet::from([1]));
    assert_eq!(after.records[0], [0, 0, 0]);
    let (keys, sensitive) = (VarSet::first(2), VarSet::from([2]));
    let at_risk: Vec<bool> = (0..before.records.len()).map(|one| one == 0).collect();
    let scenario = Scenario { keys, sensitive, needed: 1, at_risk: AtRisk::Listed(&at_risk) };
    let question = Question::of(scenario);
    let pooled = pooled(&before, &after);
    assert_eq!(found(&pooled, &question).unwrap().found, Beside::default());
    let blank = [vec![], vec![0], vec![]];
    let past = found(&pooled, &Question { blank: &blank, ..question }).unwrap();
    assert_eq!((past.found_before, past.found.people, past.found.by_chance), (1, 1, 0));
    assert_eq!((past.true_at_least[0].people, past.alone[0].claims), (1, [2, 1]));
    assert_eq!(past.by_keys_known[2], [0, 1, 0]);
}

/// People found by chance who are no longer pay in the totals for people left as they are. Person
/// by person, and within a level, they do not.
#[test]
fn others_cannot_pay() {
    // Pairs who share one key and all their values: each is found by chance, by the other. Ten
    // more have a rare value and no such company.
    let mut people = Vec::new();
    for pair in 0..30u32 {
        people.push(vec![pair, 2 * pair, 0]);
        people.push(vec![pair, 2 * pair + 1, 0]);
    }
    for rare in 0..30u32 {
        people.push(vec![30 + rare, 60 + rare, 1]);
    }
    let before = world(&[120, 120, 2], &people);
    // The pairs get new keys altogether; the rare stay as they are.
    let mut after = before.clone();
    for record in &mut after.records[..60] {
        record[0] = 60 + record[1] % 60;
        record[1] = 119;
    }
    let found = everybody_alone(&before, &after, 2);
    assert_eq!(found.at_risk, 90);
    // In total fewer than by chance.
    assert_eq!((found.found.people, found.found.by_chance), (30, 60));
    assert_eq!((found.found.only_so, found.found.only_by_chance), (30, 60));
    let [common, rare] = found.alone[0].levels[..] else { panic!("two levels") };
    assert_eq!((common.code, rare.code), (Some(0), Some(1)));
    assert!(falls_short(common.told) && exceeds(rare.told));
    assert_eq!((rare.told.people, rare.told.by_chance), (30, 0));
}

/// Every piece of a person's keys is shared with just one other record: k = 2 finds nobody,
/// linkage half of them.
#[test]
fn one_companion_shows_in_linkage() {
    // Three keys with a level for everybody; the first is exchanged in a ring, and a decoy next to
    // everybody shares the other two.
    let size = 40u32;
    let mut before = Vec::new();
    for one in 0..size {
        before.push(vec![one, one, one, one % 37, one % 31]);
        before.push(vec![size + one, size + one, size + one, 36 - one % 37, 30 - one % 31]);
    }
    let levels = [2 * size as usize, 2 * size as usize, 2 * size as usize, 37, 31];
    let before = world(&levels, &before);
    let mut after = before.clone();
    for one in 0..size as usize {
        let next = (one + 1) % size as usize;
        let [own, decoy] = [2 * one, 2 * one + 1];
        after.records[own][0] = before.records[2 * next][0];
        after.records[decoy] = after.records[own].clone();
        after.records[decoy][3..].copy_from_slice(&before.records[decoy][3..]);
        after.records[decoy][0] = before.records[2 * next][0];
    }
    let at_risk: Vec<bool> = (0..2 * size).map(|record| record % 2 == 0).collect();
    let plain = PlainQuestion {
        keys: VarSet::first(3),
        sensitive: VarSet::from([3, 4]),
        k: 2,
        roughly: BTreeMap::new(),
        blank: BTreeMap::new(),
    };
    let found = found(&pooled(&before, &after), &question(&plain, &[], &at_risk)).unwrap();
    assert_eq!((found.at_risk, found.found.people), (40, 0));
    let linked = found.linked.unwrap();
    assert!((linked.people() - 20.0).abs() < 1e-6, "{linked:?}");
    assert!(linked.by_chance() < 1.0 && linked.discordant()[0] > 19.0);
}

/// Where a plan keeps people away from everybody with true values, the opposite is read of them,
/// less often truly than by chance.
#[test]
fn inversion_shows_on_the_low_side() {
    let before = grid(20, |number| vec![code(number, 7, 2)], &[2]);
    let mut after = before.clone();
    after.records.iter_mut().for_each(|record| record[2] = 1 - record[2]);
    // By chance: somebody else with one of the two keys; nobody is alone with one, so no chance
    // through it. A third key makes pairs.
    let with_pairs = |world: &World| {
        let mut made =
            World { levels: [world.levels.clone(), vec![200]].concat(), records: Vec::new() };
        for (number, record) in world.records.iter().enumerate() {
            let pair = u32::try_from(number / 2).unwrap();
            made.records.push([record.clone(), vec![pair]].concat());
        }
        made
    };
    let (before, after) = (with_pairs(&before), with_pairs(&after));
    let keys = VarSet::from([0, 1, 3]);
    let scenario =
        Scenario { keys, sensitive: VarSet::single(2), needed: 1, at_risk: AtRisk::Alone };
    let found = found(&pooled(&before, &after), &Question::of(scenario)).unwrap();
    assert_eq!((found.at_risk, found.found_before), (400, 400));
    assert_eq!(found.found.people, 0);
    assert!(falls_short(found.found), "{:?}", found.found);
    assert!(found.alone[0].levels.iter().all(|level| falls_short(level.told)));
    let [claims, right] = found.alone[0].claims;
    assert_eq!((claims, right), (400, 0));
}

/// What is beyond chance is so by the definition: more than three times the root of the people of
/// whom only one of the two holds.
#[test]
fn law_beyond_chance_is_three_errors() {
    for only_so in 0..40_u64 {
        for only_by_chance in 0..40_u64 {
            let both = 5;
            let counted = Beside {
                people: both + only_so,
                by_chance: both + only_by_chance,
                only_so,
                only_by_chance,
            };
            let difference = only_so as f64 - only_by_chance as f64;
            let errors = 3.0 * ((only_so + only_by_chance) as f64).sqrt();
            let expected = match () {
                () if difference > errors => Ordering::Greater,
                () if -difference > errors => Ordering::Less,
                () => Ordering::Equal,
            };
            assert_eq!(counted.against_chance(), expected, "{only_so} {only_by_chance}");
        }
    }
    // The witnesses: nine more than chance are within it, ten are not.
    let so = |people| Beside { people, only_so: people, ..Beside::default() };
    assert_eq!(so(9).against_chance(), Ordering::Equal);
    assert_eq!(so(10).against_chance(), Ordering::Greater);
}
