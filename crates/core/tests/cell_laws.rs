//! Laws of planning on cells: a plan depends on the counts of a file's cells alone, in
//! whatever order and parts they arrive, and which records take part is drawn fairly.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support::setting;

use std::collections::{BTreeMap, BTreeSet};

use marginswap_core::columns::{Column, ColumnBuilder, Columns, Dictionary, Role, Roles};
use marginswap_core::encode::{PackedCells, RecordId, Records, Schema};
use marginswap_core::graph::GeneratingClass;
use marginswap_core::oracle::World;
use marginswap_core::plan::{
    CellPlan, CellSwap, Constraints, Forbidden, NeverNew, Pairing, Place, Plan, Planned,
    PlannedGroup, PlannedSwap, Prices, Taken, Term, Unproved, draw,
};
use marginswap_core::random::{Random, Seed};
use marginswap_core::swap::{apply, apply_to_records};
use marginswap_core::table::{CellId, JointTable, Located};
use marginswap_core::varset::VarSet;
use proptest::prelude::*;
use setting::{Setting, columns, names};

/// A random file of a few variables with everything a plan needs; some records of a cell
/// may be at risk and others not.
fn setting(number: u64) -> Setting {
    let mut random = Random::new(Seed([8; 32]), number);
    let (world, tables) = setting::file_and_tables(&mut random, 3, [8, 60]);
    let variables = world.levels.len();
    let everything = VarSet::first(variables);
    let term = |variable| Term { variable, codes: vec![0], negated: false };
    Setting {
        world,
        tables,
        keys: everything - VarSet::single(random.below(variables)),
        sensitive: VarSet::EMPTY,
        rounds: 0,
        prices: Prices {
            staying: VarSet::EMPTY,
            weights: (0..variables).map(|_| 1 + random.below(3) as u64).collect(),
        },
        constraints: Constraints {
            matches: vec![VarSet::EMPTY],
            forbidden: (random.below(3) == 0)
                .then(|| Forbidden { terms: vec![term(0), term(1)] })
                .into_iter()
                .collect(),
            never_new: NeverNew::Nowhere,
            drift: None,
            gone: Vec::new(),
            most_changed: (random.below(4) == 0).then(|| random.below(20) as u64),
            least_changed: (random.below(4) == 0).then(|| random.below(20) as u64),
        },
        limit: usize::MAX,
        marked: (random.below(2) == 0)
            .then(|| (0..1 + random.below(7)).map(|_| random.below(2) == 0).collect()),
    }
}

/// Categories whose order is not that of the codes, one of them a prefix of another.
fn category(code: u32) -> String {
    ["b", "abcdefghij", "", "abcdefgh"][code as usize].to_owned()
}

/// The table of a file and how many of each cell are at risk, from its columns.
fn counted(columns: &Columns, risky: &[bool]) -> (JointTable, Vec<u32>) {
    let schema = schema_of(columns);
    let located = Located::count(&Records::of(&schema, columns));
    let at_risk = located.marked(risky);
    (located.table().clone(), at_risk)
}

fn schema_of(columns: &Columns) -> Schema {
    Schema::new(columns.names(), columns.roles(), &BTreeSet::new())
}

/// What an engine's GROUP BY gives: the distinct rows in some order, and how many records
/// and how many at risk each has.
fn grouped(columns: &Columns, risky: &[bool], order: u64) -> (Columns, Vec<u32>, Vec<u32>) {
    let mut rows: BTreeMap<Vec<u32>, (usize, u32, u32)> = BTreeMap::new();
    for (record, &is_risky) in risky.iter().enumerate() {
        let codes: Vec<u32> = columns.iter().map(|(_, _, column)| column.code(record)).collect();
        let row = rows.entry(codes).or_insert((record, 0, 0));
        row.1 += 1;
        row.2 += u32::from(is_risky);
    }
    let mut rows: Vec<(usize, u32, u32)> = rows.into_values().collect();
    Random::new(Seed([3; 32]), order).shuffle(&mut rows);
    let firsts: Vec<usize> = rows.iter().map(|row| row.0).collect();
    (
        columns.of_records(&firsts),
        rows.iter().map(|row| row.1).collect(),
        rows.iter().map(|row| row.2).collect(),
    )
}

/// The table of counts that arrive row by row.
fn from_rows(rows: &Columns, counts: &[u32], at_risk: &[u32]) -> (JointTable, Vec<u32>) {
    let records = Records::of(&schema_of(rows), rows);
    let joint = JointTable::from_counts(&records.packed(), counts);
    let mut at_risk_of: BTreeMap<Vec<u64>, u32> = BTreeMap::new();
    for (cell, &at_risk) in records.cells().iter().zip(at_risk) {
        *at_risk_of.entry(cell.to_vec()).or_default() += at_risk;
    }
    let at_risk = joint.cells().iter().map(|cell| at_risk_of[cell]).collect();
    (joint, at_risk)
}

fn planned(setting: &Setting, joint: &JointTable, at_risk: &[u32], records: usize) -> Planned {
    setting.plan_cells(joint, at_risk, Pairing::Greedy, records, 4)
}

/// The same file as records and as counts, in any order, gives the same plan.
#[test]
fn law_counts_plan_like_records() {
    let mut made = 0;
    for number in 0..60 {
        let setting = setting(number);
        let risky = setting.risky();
        let file = columns(&setting.world, category);
        let (joint, at_risk) = counted(&file, &risky);
        let largest = if number % 3 == 0 { 4 } else { 2 };
        let expected = planned(&setting, &joint, &at_risk, largest);
        for order in 0..3 {
            let (rows, counts, risks) = grouped(&file, &risky, order);
            let (joint, at_risk) = from_rows(&rows, &counts, &risks);
            assert_eq!(planned(&setting, &joint, &at_risk, largest), expected, "{number}");
        }
        made += expected.plan.swaps().len() + expected.plan.groups().len();
    }
    assert!(made > 80, "{made}");
}

/// The plan on the cells of a file is the same in whatever order its records are.
#[test]
fn law_plans_ignore_record_order() {
    let mut made = 0;
    for number in 100..160 {
        let mut setting = setting(number);
        let mut risky = setting.risky();
        let largest = if number % 3 == 0 { 4 } else { 2 };
        let plan = |setting: &Setting, risky: &[bool]| {
            let (joint, at_risk) = counted(&columns(&setting.world, category), risky);
            planned(setting, &joint, &at_risk, largest)
        };
        let expected = plan(&setting, &risky);
        for order in 0..3 {
            let mut random = Random::new(Seed([2; 32]), order);
            let mut lines: Vec<(Vec<u32>, bool)> =
                setting.world.records.iter().cloned().zip(risky.iter().copied()).collect();
            random.shuffle(&mut lines);
            (setting.world.records, risky) = lines.into_iter().unzip();
            assert_eq!(plan(&setting, &risky), expected, "{number}");
        }
        made += expected.plan.swaps().len() + expected.plan.groups().len();
    }
    assert!(made > 80, "{made}");
}

/// A file of several columns of which some stay together and one has nulls.
fn file_of(records: &[(Option<u32>, u32, u32)]) -> Columns {
    let mut with_nulls = ColumnBuilder::default();
    for (value, ..) in records {
        match value {
            Some(value) => with_nulls.push(category(*value).as_bytes()),
            None => with_nulls.push_null(),
        }
    }
    let of = |value: fn(&(Option<u32>, u32, u32)) -> u32| -> Column {
        let texts: Vec<String> = records.iter().map(|record| category(value(record))).collect();
        texts.iter().map(|text| text.as_bytes()).collect()
    };
    let columns = vec![Some(with_nulls.finish()), Some(of(|r| r.1)), Some(of(|r| r.2))];
    let stay = names(3)[1..].to_vec();
    let roles = Roles::assign(&names(3), &[], &stay, &[], None).unwrap();
    assert_eq!(roles.of(2), Role::Stay);
    Columns::new(names(3), roles, columns)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// The parts of a file, merged, are the file: records, dictionaries and tables; in 1, 3
    /// or 17 parts, of which some may be empty.
    #[test]
    fn law_parts_merge_to_the_whole(
        records in proptest::collection::vec((proptest::option::of(0u32..4), 0u32..3, 0u32..4), 1..40),
        cuts in proptest::collection::vec(0usize..17, 40),
        parts in prop_oneof![Just(1usize), Just(3), Just(17)],
    ) {
        let whole = file_of(&records);
        let mut of_part: Vec<Vec<usize>> = vec![Vec::new(); parts];
        for record in 0..records.len() {
            of_part[cuts[record] % parts].push(record);
        }
        let part_of = |list: &Vec<usize>| {
            file_of(&list.iter().map(|&record| records[record]).collect::<Vec<_>>())
        };
        let files: Vec<Columns> = of_part.iter().map(part_of).collect();
        let merged = Columns::merged(&files.iter().collect::<Vec<_>>());
        let order: Vec<usize> = of_part.concat();
        for ((_, _, left), (_, _, right)) in merged.iter().zip(whole.iter()) {
            prop_assert_eq!(left.dictionary().levels(), right.dictionary().levels());
            for (place, &record) in order.iter().enumerate() {
                let category = |column: &Column, record| {
                    column.dictionary().category(column.code(record)).map(<[u8]>::to_vec)
                };
                prop_assert_eq!(left.code(place), right.code(record));
                prop_assert_eq!(category(left, place), category(right, record));
            }
        }
        let schema = schema_of(&whole);
        let table = |columns: &Columns| Located::count(&Records::of(&schema, columns));
        let (expected, found) = (table(&whole), table(&merged));
        prop_assert!(expected.cells().iter().eq(found.cells().iter()));
        prop_assert_eq!(expected.counts(), found.counts());
        // Tables of parts over one coding merge to the same.
        let packed = Records::of(&schema, &merged);
        let mut start = 0;
        let tables: Vec<JointTable> = of_part.iter().map(|list| {
            let mut cells = PackedCells::new(packed.cells().layout().clone());
            (start..start + list.len()).for_each(|record| cells.push(packed.cells().get(record)));
            start += list.len();
            JointTable::from_counts(&cells, &vec![1; list.len()])
        }).collect();
        let joined = JointTable::merged(&tables.iter().collect::<Vec<_>>());
        prop_assert!(expected.cells().iter().eq(joined.cells().iter()));
        prop_assert_eq!(expected.counts(), joined.counts());
    }

    /// Records and columns by cell, whatever is asked of them, are those by record.
    #[test]
    fn law_counted_records_are_the_same(
        records in proptest::collection::vec((proptest::option::of(0u32..4), 0u32..3, 0u32..4), 6..40),
        places in proptest::collection::vec(0u32..6, 0..9),
    ) {
        let file = file_of(&records);
        let schema = schema_of(&file);
        let packed = Records::of(&schema, &file);
        let located = Located::count(&packed);
        let by_cell = located.records_by_cell(packed.levels());
        let same = |one: &Records, other: &Records| {
            one.levels() == other.levels()
                && one.len() == other.len()
                && one.cells().iter().eq(other.cells().iter())
        };
        prop_assert!(same(&packed, &by_cell));
        prop_assert!(same(&packed.reordered(&places), &by_cell.reordered(&places)));
        prop_assert!(packed.packed().words() == by_cell.packed().words());
        for record in 0..packed.len() {
            prop_assert_eq!(packed.cells().codes(record), by_cell.cells().codes(record));
            let (one, other) = (RecordId(0), RecordId::at(record));
            prop_assert_eq!(packed.differing(one, other), by_cell.differing(one, other));
        }
        let again = Located::count(&by_cell);
        prop_assert_eq!(located.counts(), again.counts());
        let swap = PlannedSwap { left: RecordId(0), right: RecordId(1), exchanged: [0].into() };
        let plan = Plan::new(vec![swap], vec![]).unwrap();
        let after = |records: &Records| apply_to_records(&plan, &schema, records);
        prop_assert!(same(&after(&packed), &after(&by_cell)));
        prop_assert!(same(&packed, &by_cell), "the original is as it was");
        let folded = located.folded(file.clone(), &(0..3).collect());
        prop_assert!(same(&packed, &Records::of(&schema, &folded)));
        let moved = apply(&plan, &folded);
        prop_assert!(same(&after(&packed), &Records::of(&schema, &moved)));
    }

    /// A table of counts is what counting the records one by one gives.
    #[test]
    fn law_counts_make_the_table(
        rows in proptest::collection::vec((proptest::collection::vec(0u32..3, 3), 0u32..4), 0..20),
    ) {
        let levels = [3; 3];
        let codes: Vec<Vec<u32>> = rows.iter().map(|row| row.0.clone()).collect();
        let counts: Vec<u32> = rows.iter().map(|row| row.1).collect();
        let joint = JointTable::from_counts(&PackedCells::from_codes(&levels, &codes), &counts);
        let records: Vec<Vec<u32>> = rows
            .iter()
            .flat_map(|(codes, count)| std::iter::repeat_n(codes.clone(), *count as usize))
            .collect();
        let world = World { levels: levels.to_vec(), records };
        let expected = world.margin_table(VarSet::first(3));
        let found: BTreeMap<Vec<u32>, u64> = (0..joint.len())
            .map(|cell| (joint.cells().codes(cell), joint.n(CellId::at(cell))))
            .collect();
        prop_assert_eq!(found, expected);
        prop_assert_eq!(joint.records(), world.records.len());
    }

    /// The packed records after a plan are those of the columns after it, also where columns
    /// are one variable together.
    #[test]
    fn law_packed_records_follow_the_columns(
        records in proptest::collection::vec((proptest::option::of(0u32..4), 0u32..3, 0u32..4), 5..12),
        turn in 1usize..3,
    ) {
        let file = file_of(&records);
        let schema = schema_of(&file);
        let swap = PlannedSwap { left: RecordId(0), right: RecordId(1), exchanged: [0].into() };
        let from = (0..3).map(|place| (place + turn) % 3).collect::<Vec<_>>();
        let group = PlannedGroup {
            records: (2..5).map(RecordId).collect(),
            columns: vec![1, 2],
            from: vec![from.clone(), from],
        };
        let plan = Plan::new(vec![swap], vec![group]).unwrap();
        let after = apply(&plan, &file);
        let packed = apply_to_records(&plan, &schema, &Records::of(&schema, &file));
        let expected = Records::of(&schema, &after);
        prop_assert!(packed.cells().iter().eq(expected.cells().iter()));
        for ((_, _, before), (_, _, then)) in file.iter().zip(after.iter()) {
            prop_assert!(std::ptr::eq(before.dictionary(), then.dictionary()));
        }
    }
}

/// The dictionaries of two parts, merged: a null comes first, and both find their way.
#[test]
fn dictionaries_merge() {
    let mut left = Dictionary::default();
    let mut right = Dictionary::default();
    left.code(b"b");
    right.code(b"c");
    right.code(b"b");
    right.null_code();
    right.code(b"a");
    let (merged, codes) = Dictionary::merged(&[&left, &right]);
    assert_eq!(codes, [vec![2], vec![3, 2, 0, 1]]);
    let categories: Vec<Option<&[u8]>> = (0..4).map(|code| merged.category(code)).collect();
    assert_eq!(categories, [None, Some(&b"a"[..]), Some(b"b"), Some(b"c")]);
}

/// Every choice of records of a cell is drawn equally often, those at risk among themselves,
/// and no record twice.
#[test]
fn law_records_of_a_cell_are_drawn_uniformly() {
    // Two cells of five records; of the first two are at risk.
    let joint =
        JointTable::from_counts(&PackedCells::from_codes(&[2, 2], &[[0, 0], [1, 1]]), &[5, 5]);
    let class = GeneratingClass::new(VarSet::first(2), [VarSet::single(0)]);
    let taken = |cell, at_risk| Taken { cell: CellId(cell), at_risk };
    let swap = |at_risk| CellSwap {
        left: taken(0, at_risk),
        right: taken(1, false),
        exchanged: VarSet::single(0),
    };
    let at_risk = [2, 0];
    let swaps = vec![swap(true), swap(false), swap(false)];
    let plan = CellPlan::new(&joint, &at_risk, &class, swaps, Vec::new());
    let mut chosen: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
    let mut partners: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
    const DRAWS: u32 = 12_000;
    for number in 0..DRAWS {
        let mut seed = [0; 32];
        seed[..4].copy_from_slice(&number.to_le_bytes());
        let drawn = draw(&plan, &joint, &at_risk, Seed(seed));
        let places: BTreeSet<Place> =
            drawn.swaps().iter().flat_map(|swap| [swap.left, swap.right]).collect();
        assert_eq!(places.len(), 6, "no record is drawn twice");
        let numbers = |cell: u32| -> Vec<u32> {
            let here = drawn.swaps().iter().flat_map(|swap| [swap.left, swap.right]);
            here.filter(|place| place.cell.0 == cell).map(|place| place.number).collect()
        };
        *chosen.entry(numbers(0)).or_default() += 1;
        *partners.entry(numbers(1)).or_default() += 1;
    }
    // The other two come in either order of the plan: 2 of 3 in order, and 1 of 2 at risk.
    assert_eq!(chosen.len(), 12);
    assert_eq!(partners.len(), 60);
    for (choices, expected) in [(&chosen, DRAWS / 12), (&partners, DRAWS / 60)] {
        // Five standard deviations.
        let most = 5.0 * f64::from(expected).sqrt();
        for &count in choices.values() {
            assert!((f64::from(count) - f64::from(expected)).abs() < most, "{choices:?}");
        }
    }
    assert!(chosen.keys().all(|numbers| numbers.iter().filter(|&&number| number < 2).count() == 1));
}

/// A plan that is proved keeps every table; one that would change a table, move what stays,
/// or speak of what is not there is not proved.
#[test]
fn law_a_proved_plan_keeps_every_table() {
    let (mut proved, mut refused) = (0, 0);
    for number in 0..400 {
        let setting = setting(number);
        let mut random = Random::new(Seed([6; 32]), number);
        let (records, variables) = (setting.world.records.len(), setting.variables());
        let mut lines: Vec<usize> = (0..records).collect();
        random.shuffle(&mut lines);
        let exchanged: Vec<usize> = (0..variables).filter(|_| random.below(2) == 0).collect();
        let swaps = lines[..2].chunks_exact(2).map(|pair| PlannedSwap {
            left: RecordId::at(pair[0]),
            right: RecordId::at(pair[1]),
            exchanged: exchanged.clone().into(),
        });
        let mut members: Vec<RecordId> = lines[2..6].iter().map(|&at| RecordId::at(at)).collect();
        members.sort_unstable();
        let group = PlannedGroup {
            records: members,
            columns: vec![random.below(variables)],
            from: vec![vec![1, 0, 3, 2]],
        };
        let groups = if random.below(2) == 0 { vec![group] } else { Vec::new() };
        let Ok(plan) = Plan::new(swaps.collect(), groups) else { continue };
        let packed = setting.world.packed();
        let schema = setting.schema();
        let answer = plan.prove(&schema, &packed, &setting.class());
        let after = World {
            levels: setting.world.levels.clone(),
            records: setting::codes(&apply_to_records(&plan, &schema, &packed)),
        };
        let kept =
            |table: &VarSet| setting.world.margin_table(*table) == after.margin_table(*table);
        match answer {
            Ok(()) => {
                assert!(setting.tables.iter().all(kept), "{number}");
                proved += 1;
            }
            Err(error) => {
                assert_eq!(error, Unproved::Table);
                refused += 1;
            }
        }
    }
    assert!(proved > 30 && refused > 30, "{proved} {refused}");
    let file = file_of(&[(None, 0, 0), (Some(1), 1, 1)]);
    let schema = schema_of(&file);
    let class = GeneratingClass::new(schema.all(), [VarSet::single(0)]);
    let answer = |left, exchanged: &[usize]| {
        let swap =
            PlannedSwap { left: RecordId(left), right: RecordId(1), exchanged: exchanged.into() };
        let plan = Plan::new(vec![swap], Vec::new()).unwrap();
        plan.prove(&schema, &Records::of(&schema, &file), &class)
    };
    assert_eq!(answer(0, &[0]), Ok(()));
    assert_eq!(answer(0, &[1, 2]), Err(Unproved::Column), "it stays");
    assert_eq!(answer(2, &[0]), Err(Unproved::OutOfRange));
    assert_eq!(answer(0, &[3]), Err(Unproved::OutOfRange));
}
