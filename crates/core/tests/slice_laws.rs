//! Laws about permutations in slices: as many people parted from their keys as can be, and
//! everything else a plan must respect.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support::setting;

use marginswap_core::oracle::World;
use marginswap_core::partner::Exempt;
use marginswap_core::plan::{Constraints, Forbidden, NeverNew, Obstacle, Pairing, Prices, Term};
use marginswap_core::random::{Random, Seed};
use marginswap_core::table::Located;
use marginswap_core::varset::VarSet;
use setting::{Made, Setting};

fn plain(levels: Vec<usize>, records: Vec<Vec<u32>>, tables: Vec<VarSet>) -> Setting {
    let variables = levels.len();
    Setting {
        world: World { levels, records },
        tables,
        prices: Prices { staying: VarSet::EMPTY, weights: vec![1; variables] },
        keys: VarSet::first(variables),
        sensitive: VarSet::EMPTY,
        rounds: 0,
        constraints: Constraints::default(),
        limit: usize::MAX,
        marked: None,
    }
}

fn parted(made: &Made) -> u64 {
    made.planned.protection.iter().map(|row| u64::from(row.parted)).sum()
}

/// Three records of one slice with three values on both sides: a cycle frees all of them.
#[test]
fn witness_three_in_a_slice() {
    let records = (0..3).map(|code| vec![code, 0, code]).collect();
    let tables = vec![VarSet::from([0, 1]), VarSet::from([1, 2])];
    let setting = plain(vec![3, 1, 3], records, tables);
    assert_eq!(parted(&setting.made(Pairing::Greedy, 2, 1)), 2);
    let made = setting.made(Pairing::Slices, 2, 1);
    assert_eq!((parted(&made), made.planned.most_separated), (3, Some(3)));
    assert_eq!(made.plan.groups().len(), 1);
    assert_eq!(made.plan.groups()[0].records.len(), 3);
    let after = setting.after(&made);
    assert!(after.records.iter().all(|record| !setting.world.records.contains(record)));
}

/// Every possible record once: whatever is exchanged makes the keys of somebody.
#[test]
fn witness_every_possible_record() {
    let empty = World { levels: vec![2, 3, 2], records: Vec::new() };
    let tables = vec![VarSet::from([0, 1]), VarSet::from([1, 2])];
    let setting = plain(empty.levels.clone(), empty.all_cells(), tables.clone());
    let made = setting.made(Pairing::Slices, 2, 1);
    assert_eq!(parted(&made), 0);
    assert_eq!(made.planned.left_over.len(), 12);
    assert!(made.planned.left_over.iter().all(|left| left.obstacle == Obstacle::Rules));
    assert_eq!(setting.world.most_separated(&tables, setting.keys, 1), [0, 0]);
    // Where others may come to have their keys, some are parted and the others get company.
    let company = Setting { rounds: 1, ..setting };
    let made = company.made(Pairing::Slices, 2, 1);
    let [most, _] = company.world.most_separated(&tables, company.keys, usize::MAX);
    assert!(parted(&made) > 0 && parted(&made) <= most, "{} of {most}", parted(&made));
}

/// Every possible record once, and others may come to have keys: as many are parted as in the
/// best of all files with the same tables, the bound says so, and who is left stays with others.
#[test]
fn law_gathered_in_few_cells() {
    let tables = vec![VarSet::from([0, 1]), VarSet::from([1, 2])];
    for (levels, most) in [
        ([2, 1, 2], 2),
        ([2, 1, 3], 2),
        ([2, 1, 4], 4),
        ([3, 1, 3], 6),
        ([2, 2, 2], 4),
        ([4, 1, 2], 4),
    ] {
        let empty = World { levels: levels.to_vec(), records: Vec::new() };
        let strict = plain(empty.levels.clone(), empty.all_cells(), tables.clone());
        // Nobody was parted by an earlier step.
        let constraints = Constraints { gone: vec![Vec::new()], ..Constraints::default() };
        let setting = Setting { rounds: 1, constraints, ..strict };
        let made = setting.made(Pairing::Slices, 2, 1);
        let [best, others] = setting.world.most_separated(&tables, setting.keys, usize::MAX);
        assert_eq!((best, others, parted(&made)), (most, 0, most), "{levels:?}");
        assert_eq!(made.planned.most_separated, Some(most));
        let after = setting.after(&made);
        let gone = |record: &&Vec<u32>| !after.records.contains(record);
        assert_eq!(setting.world.records.iter().filter(gone).count() as u64, most);
        for left in &made.planned.left_over {
            let person =
                Located::count(&setting.world.packed()).cells().codes(left.cell.position());
            let there = after.records.iter().filter(|record| **record == person).count();
            let reason = if there > 1 { Obstacle::Company } else { Obstacle::Taken };
            assert_eq!(left.obstacle, reason, "{levels:?}");
        }
    }
    // All 12,960 records of eight variables, whose tables share two, four and six of them.
    let empty = World { levels: vec![3, 5, 4, 4, 3, 2, 3, 3], records: Vec::new() };
    for (first, second, most) in [(5, 3, 12_096), (6, 2, 10_944), (7, 1, 8_640)] {
        let tables = vec![VarSet::first(first), VarSet::first(8) - VarSet::first(second)];
        let strict = plain(empty.levels.clone(), empty.all_cells(), tables);
        let made = Setting { rounds: 1, ..strict }.made(Pairing::Slices, 2, 1);
        assert_eq!((parted(&made), made.planned.most_separated), (most, Some(most)));
        assert!(made.planned.left_over.iter().all(|left| left.obstacle == Obstacle::Company));
    }
    // The order of rows and columns is drawn, and nothing else decides.
    let empty = World { levels: vec![3, 2, 4], records: Vec::new() };
    let strict = plain(empty.levels.clone(), empty.all_cells(), tables);
    let setting = Setting { rounds: 1, ..strict };
    let [one, other] = [1, 2].map(|seed| setting.made(Pairing::Slices, 2, seed));
    assert_eq!((parted(&one), parted(&other)), (12, 12));
    assert_ne!(one.plan.groups(), other.plan.groups());
}

/// Two tables, the whole fibre: no more are parted than can be, the bound is never below that,
/// and hardly anybody is missed.
#[test]
fn law_slices_free_as_many_as_can_be() {
    let (mut pairs, mut slices, mut most, mut proved) = (0, 0, 0, 0);
    for number in 0..400 {
        let mut random = Random::new(Seed([14; 32]), number);
        let levels = vec![2 + random.below(3), 1 + random.below(2), 2 + random.below(3)];
        let count = 4 + random.below(6);
        let records: Vec<Vec<u32>> = (0..count)
            .map(|_| {
                levels.iter().map(|&most| u32::try_from(random.below(most)).unwrap()).collect()
            })
            .collect();
        let tables = vec![VarSet::from([0, 1]), VarSet::from([1, 2])];
        let mut setting = plain(levels, records, tables.clone());
        if random.below(3) == 0 {
            setting.keys = VarSet::from([0, 2]);
        }
        let [best, others] = setting.world.most_separated(&tables, setting.keys, 1);
        let greedy = parted(&setting.made(Pairing::Greedy, 2, 1));
        let made = setting.made(Pairing::Slices, 2, 1);
        let found = parted(&made);
        assert!(greedy <= found && found <= best + others, "{number}: {greedy} {found} {best}");
        let [any, others] = setting.world.most_separated(&tables, setting.keys, usize::MAX);
        let bound = made.planned.most_separated.unwrap();
        assert!(bound >= any.max(found) && any >= best, "{number}: {bound} {any} {others}");
        assert!(found <= any + others, "{number}: {found} {any} {others}");
        proved += u64::from(bound == found);
        if setting.keys == VarSet::first(3) {
            pairs += greedy;
            slices += found;
            most += best;
        }
    }
    assert!(100 * slices >= 99 * most && pairs < slices, "{pairs} {slices} {most}");
    assert!(proved > 150, "{proved}");
}

#[test]
fn law_no_more_than_can_be_parted() {
    // Room for one of two: the left value 1 is everywhere, so only one 0 can be placed.
    let records = vec![vec![0, 0, 0], vec![1, 0, 1], vec![1, 0, 2], vec![1, 0, 3]];
    let tables = vec![VarSet::from([0, 1]), VarSet::from([1, 2])];
    let setting = plain(vec![2, 1, 4], records, tables.clone());
    let made = setting.made(Pairing::Slices, 2, 1);
    assert_eq!(setting.world.most_separated(&tables, setting.keys, usize::MAX), [2, 0]);
    assert_eq!((made.planned.most_separated, parted(&made)), (Some(2), 2));
    // Three tables: nothing is claimed.
    let three = Setting {
        tables: vec![VarSet::from([0]), VarSet::from([1]), VarSet::from([2])],
        ..setting
    };
    assert_eq!(three.made(Pairing::Slices, 2, 1).planned.most_separated, None);
}

/// A tight file over a few variables, with constraints of every kind.
fn restricted(number: u64) -> Setting {
    let mut random = Random::new(Seed([41; 32]), number);
    let variables = 3 + random.below(3);
    let levels = 2 + random.below(2);
    let count = 8 + random.below(40);
    let records = (0..count)
        .map(|_| (0..variables).map(|_| u32::try_from(random.below(levels)).unwrap()).collect())
        .collect();
    let tables = match random.below(3) {
        0 => (1..variables).map(|last| VarSet::from([last - 1, last])).collect(),
        1 => vec![VarSet::first(variables - 1), VarSet::from([variables - 2, variables - 1])],
        _ => vec![VarSet::from([0, 1]), VarSet::from([0, 2])],
    };
    let term = |variable| Term { variable, codes: vec![0], negated: false };
    let everything = VarSet::first(variables);
    let mut setting = plain(vec![levels; variables], records, tables);
    setting.keys = if random.below(2) == 0 { everything } else { everything - VarSet::single(0) };
    setting.prices.staying = if random.below(3) == 0 { VarSet::single(0) } else { VarSet::EMPTY };
    setting.rounds = random.below(3);
    setting.constraints = Constraints {
        matches: match random.below(4) {
            0 => vec![VarSet::single(variables - 1)],
            1 => vec![VarSet::single(variables - 1), VarSet::single(1)],
            _ => vec![VarSet::EMPTY],
        },
        forbidden: match random.below(3) {
            0 => vec![Forbidden { terms: vec![term(0), term(1), term(2)] }],
            _ => Vec::new(),
        },
        never_new: if random.below(4) == 0 { NeverNew::Everywhere } else { NeverNew::Nowhere },
        most_changed: (random.below(4) == 0).then(|| random.below(20) as u64),
        ..Constraints::default()
    };
    setting
}

#[test]
fn law_slices_respect_everything() {
    let (mut more, mut groups) = (0, 0);
    for number in 0..400 {
        let setting = restricted(number);
        let made = setting.made(Pairing::Slices, 2, 1);
        let greedy = setting.made(Pairing::Greedy, 2, 1);
        assert_eq!(made, setting.made(Pairing::Slices, 2, 1), "{number}: a plan repeats");
        let after = setting.after(&made);
        for &table in &setting.tables {
            assert_eq!(setting.world.margin_table(table), after.margin_table(table), "{number}");
        }
        let packed = setting.world.packed();
        let joint = marginswap_core::table::JointTable::count(&packed);
        let constraints = &setting.constraints;
        made.plan
            .obey(&setting.schema(), &packed, &joint, constraints, 8, Exempt::Nothing)
            .unwrap();
        for (old, new) in setting.world.records.iter().zip(&after.records) {
            for variable in setting.prices.staying {
                assert_eq!(old[variable], new[variable], "{number}: what stays moves");
            }
        }
        // Who was alone with their keys and is parted is gone.
        let (before, now) =
            (setting.world.margin_table(setting.keys), after.margin_table(setting.keys));
        let alone = before.iter().filter(|(_, count)| **count == 1);
        let gone = alone.filter(|(key, _)| !now.contains_key(*key)).count() as u64;
        assert!(parted(&made) <= gone, "{number}: {} parted, {gone} gone", parted(&made));
        let net = |made: &Made| {
            let exposed = made.planned.exposed.iter().map(|exposed| i64::from(exposed.records));
            i64::try_from(parted(made)).unwrap() - exposed.sum::<i64>()
        };
        assert!(net(&made) >= net(&greedy), "{number}: more are left or exposed");
        more += u64::from(parted(&made) > parted(&greedy));
        groups += made.plan.groups().len();
    }
    assert!(more > 10 && groups > 10, "{more} {groups}");
}

/// The number of threads plays no part.
#[test]
fn slices_are_the_same_for_every_number_of_threads() {
    let setting = restricted(7);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| setting.made(Pairing::Slices, 2, 3))
    };
    assert_eq!(with(1), with(4));
}
