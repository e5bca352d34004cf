//! What an intruder learns, against looking everybody up by hand; new pairs; and the gate.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;

use marginswap_core::encode::RecordId;
use marginswap_core::oracle::World;
use marginswap_core::random::{Random, Seed};
use marginswap_core::varset::VarSet;
use marginswap_core::verdict::{Answer, Reason};
use marginswap_core::verify::{
    Against, AtRisk, BeyondChance, Checks, Fate, Findings, HiddenFindings, Learned, Outcome,
    Pooled, PublishedFindings, Scenario, Share, Thresholds, Triples, WorstCase, compare_pairs,
    judge, learned, new_pairs, verify, worst_case,
};
use proptest::prelude::*;

fn set(bits: u32, variables: usize) -> VarSet {
    (0..variables).filter(|variable| bits >> variable & 1 == 1).collect()
}

fn world(levels: &[usize], records: &[Vec<u32>]) -> World {
    World { levels: levels.to_vec(), records: records.to_vec() }
}

/// Two files over the same variables of few levels, of the same length or not.
fn two_files() -> impl Strategy<Value = (World, World)> {
    proptest::collection::vec(1usize..=3, 1..=5).prop_flat_map(|levels| {
        let codes: Vec<_> = levels.iter().map(|&most| 0..u32::try_from(most).unwrap()).collect();
        let records = proptest::collection::vec(codes, 0..10);
        let same = proptest::collection::vec(proptest::bool::weighted(0.6), 10);
        (records.clone(), records, same).prop_map(move |(before, fresh, same)| {
            let after: Vec<Vec<u32>> = fresh
                .into_iter()
                .enumerate()
                .map(|(place, record)| match before.get(place) {
                    Some(original) if same[place] => original.clone(),
                    _ => record,
                })
                .collect();
            (world(&levels, &before), world(&levels, &after))
        })
    })
}

fn shuffled(world: &World, seed: u8) -> World {
    let mut records = world.records.clone();
    Random::new(Seed([seed; 32]), 0).shuffle(&mut records);
    World { levels: world.levels.clone(), records }
}

/// Every number of `Learned`, looked up by hand.
fn check(before: &World, after: &World, scenario: &Scenario<'_>, found: &Learned) {
    let Scenario { keys, sensitive, needed, at_risk } = *scenario;
    let size = sensitive.len();
    let (mut gone, mut shared, mut matched) = (0u64, 0u64, 0u64);
    let (mut shared_right, mut matched_right) = (0u64, 0u64);
    let (mut unchanged, mut too_much, mut protected) = (0u64, 0u64, 0u64);
    let mut values = [[0u64; 2]; 2];
    let mut chance = [0u128; 2];
    let mut by_correct = vec![0u64; size + 1];
    let mut exposed = Vec::new();
    let having = |record: usize, variable: usize| {
        let own = before.records[record][variable];
        after.records.iter().filter(|other| other[variable] == own).count() as u128
    };
    for record in 0..before.records.len() {
        let met = before.met(after, record, keys, sensitive);
        let alike = before.met(before, record, keys, sensitive).records;
        if alike >= 2 && met.records == 1 && met.correct == sensitive {
            exposed.push(RecordId::at(record));
        }
        let wanted = match at_risk {
            AtRisk::Alone => alike == 1,
            AtRisk::Listed(list) => list[record],
        };
        let fate = found.fate(RecordId::at(record));
        if !wanted {
            assert_eq!(fate, None);
            continue;
        }
        let place = match met.records {
            0 => {
                gone += 1;
                protected += 1;
                assert_eq!(fate, Some(Fate::Gone));
                continue;
            }
            1 => {
                matched += 1;
                matched_right += u64::from(met.correct == sensitive);
                by_correct[met.correct.len()] += 1;
                assert_eq!(met.agreed, sensitive);
                assert_eq!(fate, Some(Fate::Matched { correct: met.correct }));
                1
            }
            records => {
                shared += 1;
                let hidden = size - met.correct.len();
                match (hidden, met.as_before) {
                    (0, _) => shared_right += 1,
                    (_, true) => unchanged += 1,
                    (hidden, false) if hidden < needed => too_much += 1,
                    _ => protected += 1,
                }
                let records = u32::try_from(records).unwrap();
                let (agreed, correct, as_before) = (met.agreed, met.correct, met.as_before);
                assert_eq!(fate, Some(Fate::Shared { records, agreed, correct, as_before }));
                0
            }
        };
        values[place][0] += met.agreed.len() as u64;
        values[place][1] += met.correct.len() as u64;
        chance[place] += met.agreed.iter().map(|variable| having(record, variable)).sum::<u128>();
    }
    assert_eq!([found.gone, found.shared, found.matched], [gone, shared, matched]);
    assert_eq!(found.at_risk, gone + shared + matched);
    assert_eq!([found.shared_right, found.matched_right], [shared_right, matched_right]);
    assert_eq!([found.shared_unchanged, found.shared_learned], [unchanged, too_much]);
    assert_eq!(found.protected(), protected);
    assert_eq!(found.matched_by_correct, by_correct);
    assert_eq!(found.newly_exposed_records(), exposed);
    assert_eq!(found.newly_exposed, exposed.len() as u64);
    for (place, of) in [found.shared_values, found.matched_values].iter().enumerate() {
        assert_eq!([of.learned, of.correct], values[place]);
        assert_eq!(of.by_chance.numerator, chance[place]);
        let denominator = u128::from(of.learned) * after.records.len() as u128;
        assert_eq!(of.by_chance.denominator, denominator);
    }
    assert_eq!(found.matched_values.learned, matched * size as u64);
}

/// Every two files of up to three records on two by two cells, every scenario.
#[test]
fn every_small_world_is_looked_up() {
    let levels = [2, 2];
    let cells = world(&levels, &[]).all_cells();
    let mut files: Vec<Vec<Vec<u32>>> = vec![Vec::new()];
    let mut last = files.clone();
    for _ in 0..3 {
        last = last
            .iter()
            .flat_map(|file| cells.iter().map(|cell| [file.clone(), vec![cell.clone()]].concat()))
            .collect();
        files.extend(last.clone());
    }
    for before in &files {
        for after in &files {
            let (before, after) = (world(&levels, before), world(&levels, after));
            let pooled = Pooled::of(&before.packed(), &after.packed());
            for bits in 0..9 {
                let part = |wanted| (0..2).filter(|&v| bits / [1, 3][v] % 3 == wanted).collect();
                let (keys, sensitive) = (part(1), part(2));
                let everybody = vec![true; before.records.len()];
                for at_risk in [AtRisk::Alone, AtRisk::Listed(&everybody)] {
                    let scenario = Scenario { keys, sensitive, needed: 1, at_risk };
                    check(&before, &after, &scenario, &learned(&pooled, &scenario));
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn law_learned_by_definition(
        (before, after) in two_files(),
        keys in 0u32..32,
        sensitive in 0u32..32,
        needed in 1usize..4,
        list in proptest::collection::vec(any::<bool>(), 10),
        others in any::<bool>(),
    ) {
        let variables = before.levels.len();
        let keys = set(keys, variables);
        let sensitive = if others { VarSet::first(variables) - keys } else { set(sensitive, variables) };
        let pooled = Pooled::of(&before.packed(), &after.packed());
        for at_risk in [AtRisk::Alone, AtRisk::Listed(&list[..before.records.len()])] {
            let scenario = Scenario { keys, sensitive, needed, at_risk };
            check(&before, &after, &scenario, &learned(&pooled, &scenario));
        }
    }

    #[test]
    fn law_learned_is_blind_to_order(
        (before, after) in two_files(),
        keys in 0u32..32,
        list in proptest::collection::vec(any::<bool>(), 10),
        seed in any::<u8>(),
    ) {
        let variables = before.levels.len();
        let keys = set(keys, variables);
        let at_risk = AtRisk::Listed(&list[..before.records.len()]);
        let scenarios = [
            Scenario { keys, sensitive: VarSet::first(variables) - keys, needed: 1, at_risk },
            Scenario { keys: VarSet::first(variables), sensitive: VarSet::EMPTY, needed: 1, at_risk: AtRisk::Alone },
        ];
        let asked = Checks {
            tables: &[],
            scenarios: &scenarios, questions: &[],
            link: None,
            compared: VarSet::first(variables),
            combined: VarSet::first(variables),
            triples: Triples::Skipped,
        };
        let packed = before.packed();
        let found = verify(&packed, &after.packed(), &asked);
        prop_assert_eq!(found.learned.len(), 2);
        prop_assert_eq!(&found, &verify(&packed, &shuffled(&after, seed).packed(), &asked));
    }

    #[test]
    fn law_the_worst_of_all_scenarios(
        (before, after) in two_files(),
        asked in proptest::collection::vec((0u32..32, 0u32..32, proptest::collection::vec(any::<bool>(), 10)), 0..4),
    ) {
        let variables = before.levels.len();
        let pooled = Pooled::of(&before.packed(), &after.packed());
        let found: Vec<Learned> = asked
            .iter()
            .map(|(keys, sensitive, list)| {
                let at_risk = AtRisk::Listed(&list[..before.records.len()]);
                let (keys, sensitive) = (set(*keys, variables), set(*sensitive, variables));
                learned(&pooled, &Scenario { keys, sensitive, needed: 2, at_risk })
            })
            .collect();
        let Some(worst) = worst_case(&found) else {
            prop_assert!(asked.is_empty());
            return Ok(());
        };
        let (mut counts, mut right, mut exposed) = ([0u64; 3], [0u64; 2], 0u64);
        let (mut protected, mut too_much) = (0u64, 0u64);
        for record in (0..before.records.len()).map(RecordId::at) {
            let fates: Vec<(Fate, VarSet)> =
                found.iter().filter_map(|one| Some((one.fate(record)?, one.sensitive))).collect();
            let any = |wanted: &dyn Fn(&Fate) -> bool| fates.iter().any(|(fate, _)| wanted(fate));
            let matched = any(&|fate| matches!(fate, Fate::Matched { .. }));
            let shared = any(&|fate| matches!(fate, Fate::Shared { .. }));
            let expected = if fates.is_empty() {
                None
            } else if matched {
                Some(Outcome::Matched)
            } else if shared {
                Some(Outcome::Shared)
            } else {
                Some(Outcome::Gone)
            };
            prop_assert_eq!(worst.outcome(record), expected);
            if let Some(outcome) = expected {
                counts[outcome as usize] += 1;
            }
            let is_protected = |fate: &Fate, sensitive: VarSet| match fate {
                Fate::Gone => true,
                Fate::Shared { correct, as_before, .. } => {
                    !as_before && sensitive.len() - correct.len() >= 2
                }
                Fate::Matched { .. } => false,
            };
            let safe = fates.iter().all(|(fate, sensitive)| is_protected(fate, *sensitive));
            protected += u64::from(safe && !fates.is_empty());
            too_much += u64::from(fates.iter().any(|(fate, sensitive)| {
                matches!(fate, Fate::Shared { correct, .. } if correct != sensitive)
                    && !is_protected(fate, *sensitive)
            }));
            right[0] += u64::from(fates.iter().any(|(fate, sensitive)| {
                matches!(fate, Fate::Shared { correct, .. } if correct == sensitive)
            }));
            right[1] += u64::from(fates.iter().any(|(fate, sensitive)| {
                matches!(fate, Fate::Matched { correct } if correct == sensitive)
            }));
            exposed += u64::from(found.iter().any(|one| one.newly_exposed_records().contains(&record)));
        }
        prop_assert_eq!([worst.gone, worst.shared, worst.matched], counts);
        prop_assert_eq!(worst.at_risk, counts.iter().sum::<u64>());
        prop_assert_eq!([worst.shared_right, worst.matched_right], right);
        prop_assert_eq!(worst.newly_exposed, exposed);
        prop_assert_eq!([worst.protected, worst.shared_learned], [protected, too_much]);
    }

    #[test]
    fn law_new_pairs_by_definition(
        (before, after) in two_files(),
        compared in 0u32..32,
        combined in 0u32..32,
    ) {
        let variables = before.levels.len();
        let (all, compared) = (set(compared, variables), set(compared & combined, variables));
        let pooled = Pooled::of(&before.packed(), &after.packed());
        let found = new_pairs(&pooled, &compare_pairs(&pooled, all, &[]), compared);
        let mut records = BTreeSet::new();
        let mut by_pair = found.by_pair.iter();
        let (mut combinations, mut occurring, mut impossible) = (0, 0, 0);
        for low in compared {
            for high in compared.iter().filter(|&high| low < high) {
                occurring += after.margin_table(VarSet::from([low, high])).len() as u64;
                let new = before.new_pairs(&after, [low, high]);
                if new.is_empty() {
                    continue;
                }
                let having: Vec<usize> = (0..after.records.len())
                    .filter(|&record| new.contains(&[low, high].map(|v| after.records[record][v])))
                    .collect();
                let listed = by_pair.next().unwrap();
                prop_assert_eq!(listed.pair, [low, high]);
                prop_assert_eq!(listed.new.combinations, new.len() as u64);
                prop_assert_eq!(listed.new.records, having.len() as u64);
                combinations += new.len() as u64;
                let having_value = |variable: usize, code: u32| {
                    before.records.iter().filter(|record| record[variable] == code).count()
                };
                impossible += new
                    .iter()
                    .filter(|[one, other]| {
                        let expected = having_value(low, *one) * having_value(high, *other);
                        expected >= 5 * before.records.len()
                    })
                    .count() as u64;
                records.extend(having);
            }
        }
        prop_assert_eq!(by_pair.next(), None);
        prop_assert_eq!((found.combinations, found.impossible), (combinations, impossible));
        prop_assert_eq!(found.occurring, occurring);
        prop_assert_eq!(found.records, records.len() as u64);
    }

    #[test]
    fn law_replaced_by_definition((before, after) in two_files()) {
        let mut left = after.records.clone();
        let mut replaced = 0;
        for record in &before.records {
            match left.iter().position(|other| other == record) {
                Some(place) => { left.swap_remove(place); }
                None => replaced += 1,
            }
        }
        prop_assert_eq!(Pooled::of(&before.packed(), &after.packed()).replaced(), replaced);
    }
}

/// An exchange that carries all keys and leaves one value where it is moves the whole person to
/// another line: still matched, with one value false.
#[test]
fn witness_moving_a_person_to_another_line_protects_nobody() {
    let levels = [2, 2, 2, 2];
    let before = world(&levels, &[vec![0, 0, 0, 0], vec![1, 1, 0, 1]]);
    let [keys, sensitive] = [VarSet::from([0, 1]), VarSet::from([2, 3])];
    let scenario = Scenario { keys, sensitive, needed: 1, at_risk: AtRisk::Alone };
    let after = |exchanged| before.swapped(0, 1, exchanged).packed();
    let found = |exchanged| learned(&Pooled::of(&before.packed(), &after(exchanged)), &scenario);
    let moved = found(keys);
    assert_eq!([moved.gone, moved.matched, moved.matched_right], [0, 2, 0]);
    assert_eq!(moved.matched_by_correct, [0, 2, 0]);
    // Of variable 2 all records have the person's value, of variable 3 half of them.
    assert_eq!(moved.matched_values.by_chance, Share { numerator: 6, denominator: 8 });
    assert_eq!(moved.matched_values.by_chance.value(), Some(0.75));
    let parted = found(VarSet::single(0));
    assert_eq!([parted.gone, parted.matched], [2, 0]);
    assert_eq!(parted.matched_values.share().value(), None);
}

/// The one who is left with keys that two people had.
#[test]
fn witness_a_bystander_is_newly_exposed() {
    let levels = [2, 2, 3];
    let before = world(&levels, &[vec![0, 0, 0], vec![0, 0, 1], vec![1, 1, 2]]);
    let after = before.swapped(0, 2, VarSet::single(0));
    let keys = VarSet::from([0, 1]);
    let scenario =
        Scenario { keys, sensitive: VarSet::single(2), needed: 1, at_risk: AtRisk::Alone };
    let found = learned(&Pooled::of(&before.packed(), &after.packed()), &scenario);
    assert_eq!(found.newly_exposed_records(), [RecordId::at(1)]);
    assert_eq!([found.at_risk, found.gone], [1, 1]);
}

/// What the worst case of a file says; nothing else makes one.
fn worst(before: &[[u32; 2]], after: &[[u32; 2]]) -> WorstCase {
    let file = |records: &[[u32; 2]]| {
        world(&[9, 9], &records.iter().map(|record| record.to_vec()).collect::<Vec<_>>()).packed()
    };
    let scenario = Scenario {
        keys: VarSet::single(0),
        sensitive: VarSet::single(1),
        needed: 1,
        at_risk: AtRisk::Alone,
    };
    worst_case(&[learned(&Pooled::of(&file(before), &file(after)), &scenario)]).unwrap()
}

/// Everything was looked at, and nothing speaks against a release.
fn clean() -> Findings {
    Findings {
        published: PublishedFindings::default(),
        records: [2, 2],
        households: [0, 0],
        tables: 1,
        tables_changed: 0,
        one_way_changed: 0,
        linked_changed: 0,
        staying_changed: false,
        ids_differ: false,
        plan_differs: false,
        torn_households: 0,
        weights_drift: 0,
        demo_seed: false,
        replaced: 2,
        learned: Some(worst(&[[0, 0], [1, 1]], &[[2, 0], [3, 1]])),
        alone_not_counted: 0,
        released_ids: 0,
        telling_columns: 0,
        unchecked_columns: 0,
        disclosed: 0,
        disclosed_is_exact: true,
        not_separable: 0,
        hiding_not_counted: false,
        hidden: Some(HiddenFindings::default()),
        beyond_chance: Some(BeyondChance::default()),
        rules_broken: [0, 0],
        new_pairs: 0,
        new_pairs_impossible: 0,
        dependencies_broken: 0,
        dependencies_broken_records: 0,
        moved: vec![0, 0],
    }
}

/// Findings with one thing wrong, and the reason that must come of it alone.
fn faults() -> Vec<(Findings, Thresholds, Vec<Reason>)> {
    let strict = Thresholds::default();
    let tolerant = Thresholds { matched: 9, ..strict };
    let against = Against { by: 8, people: 9, by_chance: 1 };
    let nothing = BeyondChance::default();
    let with = |change: &dyn Fn(&mut Findings)| {
        let mut findings = clean();
        change(&mut findings);
        findings
    };
    let people = |before: &[[u32; 2]], after: &[[u32; 2]]| {
        let learned = Some(worst(before, after));
        with(&|findings| findings.learned = learned.clone())
    };
    let two = [[0, 0], [1, 1]];
    vec![
        (
            with(&|f| f.records = [2, 3]),
            strict,
            vec![Reason::RecordsDiffer { before: 2, after: 3 }],
        ),
        (
            with(&|f| f.households = [2, 3]),
            strict,
            vec![Reason::HouseholdsDiffer { before: 2, after: 3 }],
        ),
        (with(&|f| f.tables_changed = 1), strict, vec![Reason::TablesDiffer { tables: 1, of: 1 }]),
        (
            with(&|f| {
                let found = PublishedFindings { tables: 3, changed_tables: 2, ..f.published };
                f.published = PublishedFindings { changed_cells: 5, ..found };
            }),
            strict,
            vec![Reason::PublishedChanged { tables: 2, of: 3, cells: 5 }],
        ),
        (
            with(&|f| {
                f.published = PublishedFindings { tables: 3, unchecked: 1, ..f.published };
            }),
            strict,
            vec![Reason::PublishedUnchecked { tables: 1 }],
        ),
        (
            with(&|f| {
                f.published = PublishedFindings { tables: 3, moved_cells: 4, ..f.published };
            }),
            strict,
            vec![Reason::PublishedAlsoChanged { cells: 4 }],
        ),
        (
            with(&|f| f.one_way_changed = 2),
            strict,
            vec![Reason::OneWayTablesDiffer { variables: 2 }],
        ),
        (with(&|f| f.linked_changed = 1), strict, vec![Reason::LinkedColumnsDiffer { groups: 1 }]),
        (with(&|f| f.staying_changed = true), strict, vec![Reason::StayingColumnsDiffer {}]),
        (with(&|f| f.ids_differ = true), strict, vec![Reason::IdsDiffer {}]),
        (with(&|f| f.plan_differs = true), strict, vec![Reason::PlanDiffers {}]),
        (with(&|f| f.torn_households = 3), strict, vec![Reason::TornHouseholds { households: 3 }]),
        (with(&|f| f.weights_drift = 2), strict, vec![Reason::WeightsDrift { tables: 2 }]),
        (
            with(&|f| {
                let found = PublishedFindings { tables: 3, missing_in: 2, ..f.published };
                f.published = PublishedFindings { missing_categories: 5, ..found };
            }),
            strict,
            vec![Reason::PublishedCategoriesMissing { categories: 5, tables: 2 }],
        ),
        (with(&|f| f.demo_seed = true), strict, vec![Reason::DemoSeed {}]),
        (with(&|f| f.replaced = 0), strict, vec![Reason::NothingExchanged { at_risk: 2 }]),
        (
            people(&two, &[[0, 0], [3, 1]]),
            tolerant,
            vec![Reason::MatchedRight { people: 1, tolerated: 0 }],
        ),
        (with(&|f| f.hiding_not_counted = true), tolerant, vec![Reason::HidingNotCounted {}]),
        (
            with(&|f| f.hidden = Some(HiddenFindings { at_risk: 2, left: 1, cannot: 0 })),
            tolerant,
            vec![Reason::NotHidden { people: 1, at_risk: 2, tolerated: 0 }],
        ),
        (
            with(&|f| f.hidden = Some(HiddenFindings { at_risk: 2, left: 0, cannot: 1 })),
            tolerant,
            vec![Reason::CannotBeHidden { people: 1, at_risk: 2, tolerated: 0 }],
        ),
        (
            with(&|f| {
                f.beyond_chance = Some(BeyondChance { counts: 7, above: (2, against), ..nothing })
            }),
            tolerant,
            vec![Reason::FoundBeyondChance { people: 9, by_chance: 1, counts: 2, of: 7 }],
        ),
        (
            with(&|f| f.beyond_chance = Some(BeyondChance { newly_found: against, ..nothing })),
            tolerant,
            vec![Reason::NewlyFound { people: 9, by_chance: 1 }],
        ),
        (
            with(&|f| {
                f.beyond_chance = Some(BeyondChance { counts: 7, below: (2, against), ..nothing })
            }),
            tolerant,
            vec![Reason::FoundBelowChance { people: 9, by_chance: 1, counts: 2, of: 7 }],
        ),
        (with(&|f| f.learned = None), strict, vec![Reason::NoKeys {}]),
        (people(&[[0, 0], [0, 1]], &[[1, 0], [1, 1]]), strict, vec![Reason::NobodyChecked {}]),
        (with(&|f| f.released_ids = 1), tolerant, vec![Reason::IdsReleased { columns: 1 }]),
        (with(&|f| f.telling_columns = 2), strict, vec![Reason::ColumnsTell { columns: 2 }]),
        (
            with(&|f| f.unchecked_columns = 3),
            tolerant,
            vec![Reason::ColumnsUnchecked { columns: 3 }],
        ),
        (with(&|f| f.alone_not_counted = 4), strict, vec![Reason::AloneNotCounted { people: 4 }]),
        (with(&|f| f.tables = 0), strict, vec![Reason::NoTables {}]),
        (people(&two, &[[0, 1], [1, 0]]), tolerant, vec![Reason::NobodyProtected { at_risk: 2 }]),
        (
            people(&two, &[[0, 0], [0, 0]]),
            strict,
            vec![Reason::SharedRight { people: 1, tolerated: 0 }],
        ),
        (
            with(&|f| f.learned.as_mut().expect("keys were named").shared_learned = 1),
            strict,
            vec![Reason::SharedLearned { people: 1, tolerated: 0 }],
        ),
        (
            people(&two, &[[0, 1], [3, 0]]),
            strict,
            vec![Reason::Matched { people: 1, at_risk: 2, tolerated: 0 }],
        ),
        (
            people(&[[0, 0], [0, 1], [1, 1]], &[[0, 0], [3, 1], [4, 1]]),
            strict,
            vec![Reason::NewlyExposed { people: 1, tolerated: 0 }],
        ),
        (
            with(&|f| f.disclosed = 1),
            strict,
            vec![Reason::NotSeparable { disclosed: 1, others: 0, undecided: 0, tolerated: 0 }],
        ),
        (
            with(&|f| f.not_separable = 1),
            strict,
            vec![Reason::NotSeparable { disclosed: 0, others: 1, undecided: 0, tolerated: 0 }],
        ),
        (
            with(&|f| (f.not_separable, f.disclosed_is_exact) = (3, false)),
            strict,
            vec![Reason::NotSeparable { disclosed: 0, others: 3, undecided: 3, tolerated: 0 }],
        ),
        (
            with(&|f| f.rules_broken = [1, 3]),
            strict,
            vec![Reason::RulesBroken { before: 1, after: 3, tolerated: 0 }],
        ),
        (
            with(&|f| (f.new_pairs, f.new_pairs_impossible) = (3, 1)),
            strict,
            vec![Reason::NewPairs { combinations: 3, impossible: 1, tolerated: 0 }],
        ),
        (
            with(&|f| (f.dependencies_broken, f.dependencies_broken_records) = (2, 7)),
            Thresholds { dependencies_broken: 6, ..strict },
            vec![Reason::DependenciesBroken { dependencies: 2, records: 7, tolerated: 6 }],
        ),
        (
            with(&|f| f.moved = vec![1, 0, 2]),
            Thresholds { moved: 1, ..strict },
            vec![Reason::TablesMoved { tables: 1, of: 3, largest: 2, records: 2, tolerated: 1 }],
        ),
    ]
}

/// A yes needs tables, keys, people who were looked up and something exchanged, and nothing
/// against it; every fault alone takes it away, whatever is tolerated of the others.
#[test]
fn law_a_yes_is_earned() {
    let strict = Thresholds::default();
    let verdict = judge(&clean(), &strict);
    assert_eq!((verdict.answer, verdict.reasons.len()), (Answer::Release, 0));
    let mut met = BTreeSet::new();
    for (findings, thresholds, reasons) in faults() {
        let verdict = judge(&findings, &thresholds);
        assert_eq!(verdict.reasons, reasons);
        assert_eq!(verdict.answer, reasons[0].answer());
        assert_ne!(verdict.answer, Answer::Release);
        met.extend(reasons.iter().map(std::mem::discriminant).map(|kind| format!("{kind:?}")));
    }
    assert_eq!(met.len(), 40, "each reason is reached");
    // Nothing checked, nobody at risk, nothing exchanged: no threshold makes it a yes.
    let anything = Thresholds {
        matched_right: u64::MAX,
        shared_right: u64::MAX,
        shared_learned: u64::MAX,
        matched: u64::MAX,
        newly_exposed: u64::MAX,
        not_separable: u64::MAX,
        not_hidden: u64::MAX,
        rules_broken: u64::MAX,
        new_pairs: u64::MAX,
        dependencies_broken: u64::MAX,
        moved: u64::MAX,
    };
    for findings in [
        Findings { learned: None, ..clean() },
        Findings { tables: 0, ..clean() },
        Findings { alone_not_counted: 1, ..clean() },
        Findings { unchecked_columns: 1, ..clean() },
        Findings { replaced: 0, ..clean() },
        Findings { learned: Some(worst(&[], &[])), ..clean() },
        Findings { learned: Some(worst(&[[0, 0]], &[[0, 0]])), ..clean() },
    ] {
        assert_ne!(judge(&findings, &anything).answer, Answer::Release);
    }
}

/// Where nobody is at risk nobody waits for an exchange.
#[test]
fn witness_nothing_exchanged_for_nobody() {
    let findings = Findings { replaced: 0, learned: Some(worst(&[], &[])), ..clean() };
    let verdict = judge(&findings, &Thresholds::default());
    assert_eq!(verdict.reasons, [Reason::NobodyChecked {}]);
}

/// A file compared with itself: the first reasons say so.
#[test]
fn witness_the_same_file_again_is_not_released() {
    let same = [[0, 0], [1, 1]];
    let findings = Findings { replaced: 0, learned: Some(worst(&same, &same)), ..clean() };
    let verdict = judge(&findings, &Thresholds::default());
    assert_eq!(verdict.answer, Answer::DoNotRelease);
    assert_eq!(
        verdict.reasons,
        [
            Reason::NothingExchanged { at_risk: 2 },
            Reason::MatchedRight { people: 2, tolerated: 0 },
            Reason::NobodyProtected { at_risk: 2 },
            Reason::Matched { people: 2, at_risk: 2, tolerated: 0 },
        ]
    );
    // Those that say something new are reported.
    let told =
        [Reason::NothingExchanged { at_risk: 2 }, Reason::MatchedRight { people: 2, tolerated: 0 }];
    assert_eq!(verdict.told(), told);
}

/// Rules that were broken before are no reason; nor is what is tolerated.
#[test]
fn what_is_tolerated_is_no_reason() {
    let thresholds = Thresholds { rules_broken: 2, newly_exposed: 1, ..Thresholds::default() };
    let findings = Findings { rules_broken: [5, 7], ..clean() };
    assert_eq!(judge(&findings, &thresholds).answer, Answer::Release);
    let findings = Findings { rules_broken: [5, 8], ..findings };
    assert_eq!(judge(&findings, &thresholds).answer, Answer::Review);
    let asked = Thresholds { new_pairs: 9, moved: 5, ..thresholds };
    assert_eq!(judge(&Findings { new_pairs: 9, ..clean() }, &asked).answer, Answer::Release);
    assert_eq!(judge(&Findings { new_pairs: 10, ..clean() }, &asked).answer, Answer::Review);
    assert_eq!(judge(&Findings { moved: vec![5; 3], ..clean() }, &asked).answer, Answer::Release);
    assert_eq!(judge(&Findings { moved: vec![5, 6], ..clean() }, &asked).answer, Answer::Review);
}

proptest! {
    #[test]
    fn law_more_tolerance_is_never_stricter(
        kind in 0usize..38,
        other in 0usize..38,
        tolerated in proptest::array::uniform11(0u64..4),
        more in proptest::array::uniform11(0u64..4),
    ) {
        let faults = faults();
        // Two faults at once: the people of the one, the rest of the other.
        let findings = Findings { learned: faults[kind].0.learned.clone(), ..faults[other].0.clone() };
        let thresholds = |most: [u64; 11]| Thresholds {
            matched_right: most[0],
            shared_right: most[1],
            matched: most[2],
            newly_exposed: most[3],
            not_separable: most[4],
            rules_broken: most[5],
            shared_learned: most[6],
            new_pairs: most[7],
            moved: most[8],
            not_hidden: most[9],
            dependencies_broken: most[10],
        };
        let strict = judge(&findings, &thresholds(tolerated));
        let mut wider = tolerated;
        wider.iter_mut().zip(more).for_each(|(most, more)| *most += more);
        let wide = judge(&findings, &thresholds(wider));
        prop_assert!(wide.answer <= strict.answer);
        prop_assert!(strict.reasons.is_sorted() && wide.reasons.is_sorted());
        let kinds = |reasons: &[Reason]| -> Vec<_> { reasons.iter().map(std::mem::discriminant).collect() };
        let allowed = kinds(&strict.reasons);
        prop_assert!(kinds(&wide.reasons).iter().all(|kind| allowed.contains(kind)));
        prop_assert!(strict.reasons.iter().map(Reason::answer).is_sorted_by(|one, two| one >= two));
    }
}
