//! Households, counted through: every two small households, every exchange of what their members
//! have in common, every table of persons and of households.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;

use marginswap_core::columns::{Column, Columns, Households, Level, Roles};
use marginswap_core::encode::{RecordId, Records, Schema};
use marginswap_core::oracle::{HouseholdWorld, PlainHousehold};
use marginswap_core::partner::pair;
use marginswap_core::varset::VarSet;

/// Every multiset of one or two members with two values each.
fn all_members() -> Vec<Vec<Vec<u32>>> {
    let one: Vec<Vec<u32>> = (0..4).map(|code| vec![code / 2, code % 2]).collect();
    let mut all: Vec<Vec<Vec<u32>>> = one.iter().map(|member| vec![member.clone()]).collect();
    for left in 0..4 {
        all.extend((left..4).map(|right| vec![one[left].clone(), one[right].clone()]));
    }
    all
}

/// The lines of a file: household, two columns of households, two of persons. The members of
/// different households alternate.
fn lines(world: &HouseholdWorld) -> Columns {
    let longest = world.households.iter().map(|one| one.members.len()).max().unwrap_or(0);
    let mut lines: Vec<[u32; 5]> = Vec::new();
    for place in 0..longest {
        for (number, household) in (0u32..).zip(&world.households) {
            if let Some(member) = household.members.get(place) {
                let own = &household.own;
                lines.push([number, own[0], own[1], member[0], member[1]]);
            }
        }
    }
    let column = |at: usize| -> Option<Column> {
        let values: Vec<String> = lines.iter().map(|line| line[at].to_string()).collect();
        Some(values.iter().map(String::as_bytes).collect())
    };
    let names: Vec<String> = ["hid", "a", "b", "x", "y"].map(str::to_owned).to_vec();
    let roles = Roles::assign(&names, &[], &[], &names[..1], None).unwrap();
    Columns::new(names, roles, (0..5).map(column).collect())
}

const LEVELS: [Level; 5] =
    [Level::Person, Level::Household, Level::Household, Level::Person, Level::Person];

/// The subsets of two columns.
const SUBSETS: [&[usize]; 4] = [&[], &[0], &[1], &[0, 1]];

fn households(lines: &Columns) -> Households {
    Households::by(lines.get(0).unwrap())
}

/// The table of households with the multiset on every subset of the columns of persons.
fn table(lines: &Columns) -> Columns {
    let households = households(lines);
    let together = SUBSETS.iter().map(|set| {
        let columns: Vec<&Column> = set.iter().map(|&one| lines.get(3 + one).unwrap()).collect();
        (format!("members {set:?}"), households.multiset(&columns))
    });
    lines.of_households(&households, &LEVELS, 0, together.collect())
}

fn for_each_two(mut check: impl FnMut(&HouseholdWorld)) {
    let members = all_members();
    let mut all = Vec::new();
    for own in 0..4u32 {
        for members in &members {
            all.push(PlainHousehold { own: vec![own / 2, own % 2], members: members.clone() });
        }
    }
    for left in &all {
        for right in &all {
            check(&HouseholdWorld { households: vec![left.clone(), right.clone()] });
        }
    }
}

#[test]
fn law_person_tables_are_tables_of_households() {
    let (mut kept, mut broken) = (0, 0);
    for_each_two(|world| {
        let table = table(&lines(world));
        let schema = Schema::new(table.names(), table.roles(), &(0..table.names().len()).collect());
        let records = Records::of(&schema, &table);
        let differing = records.differing(RecordId::at(0), RecordId::at(1));
        let variable = |column: usize| schema.variable_of(column).unwrap();
        for exchanged in SUBSETS {
            let after = world.swapped(0, 1, exchanged);
            let moved: VarSet = exchanged.iter().map(|&one| variable(1 + one)).collect();
            for own in SUBSETS {
                for (place, of_persons) in SUBSETS.iter().enumerate() {
                    let mut margin: VarSet = own.iter().map(|&one| variable(1 + one)).collect();
                    margin.insert(variable(5 + place));
                    let keeps = pair::why_kept(differing, moved, margin).is_some();
                    let same = world.persons(own, of_persons) == after.persons(own, of_persons);
                    assert_eq!(keeps, same, "{world:?}, {exchanged:?}, {own:?}, {of_persons:?}");
                    if same { kept += 1 } else { broken += 1 }
                }
            }
        }
    });
    assert_eq!((kept, broken), (164_792, 35_912), "both answers are common");
}

/// Two persons, of one household or of two, exchange what is theirs: every household keeps who
/// lives there on some columns exactly when the table of persons by household and these columns
/// stays, and then every table of households by them stays, whatever the households have.
#[test]
fn law_persons_keep_what_is_counted() {
    let (mut kept, mut broken, mut inside) = (0, 0, 0);
    for_each_two(|world| {
        let columns = lines(world);
        let households = households(&columns);
        let all: std::collections::BTreeSet<usize> = (0..5).collect();
        let schema = Schema::of_columns(columns.names(), &all);
        let records = Records::of(&schema, &columns);
        let place = |line: usize| {
            let household = households.of(line);
            let members = households.members(household).iter();
            [household, members.into_iter().position(|&one| one as usize == line).unwrap()]
        };
        for left in 0..records.len() {
            for right in left + 1..records.len() {
                let differing = records.differing(RecordId::at(left), RecordId::at(right));
                for exchanged in &SUBSETS[1..] {
                    let after = world.persons_swapped(place(left), place(right), exchanged);
                    let moved: VarSet = exchanged.iter().map(|&one| 3 + one).collect();
                    for counted in SUBSETS {
                        let mut margin: VarSet = counted.iter().map(|&one| 3 + one).collect();
                        margin.insert(0);
                        let keeps = pair::why_kept(differing, moved, margin).is_some();
                        let same =
                            |one| world.multiset(one, counted) == after.multiset(one, counted);
                        assert_eq!(
                            keeps,
                            same(0) && same(1),
                            "{world:?} {exchanged:?} {counted:?}"
                        );
                        for own in SUBSETS.iter().filter(|_| keeps) {
                            let [old, new] =
                                [world, &after].map(|file| file.compositions(own, counted));
                            assert_eq!(old, new);
                        }
                        if keeps {
                            kept += 1
                        } else {
                            broken += 1
                        }
                        let changed = after != *world && !counted.is_empty();
                        let at_home = place(left)[0] == place(right)[0];
                        inside +=
                            u32::from(keeps && changed && at_home && differing.meets(&margin));
                    }
                }
            }
        }
    });
    assert!(kept > 50_000 && broken > 20_000, "{kept} {broken}");
    assert!(inside > 0, "members of one household may exchange what is counted");
}

#[test]
fn law_multisets_by_definition() {
    for_each_two(|world| {
        let columns = lines(world);
        let households = households(&columns);
        // The other file has the members of each household the other way round.
        let mut turned = world.clone();
        turned.households.iter_mut().for_each(|one| one.members.reverse());
        let turned_columns = lines(&turned);
        let others = self::households(&turned_columns);
        for set in SUBSETS {
            let of = |lines: &Columns, households: &Households| {
                let columns: Vec<&Column> =
                    set.iter().map(|&one| lines.get(3 + one).unwrap()).collect();
                households.multiset(&columns)
            };
            let (found, other) = (of(&columns, &households), of(&turned_columns, &others));
            let value = |column: &Column, one: usize| {
                column.dictionary().category(column.code(one)).unwrap().to_vec()
            };
            let same = world.multiset(0, set) == world.multiset(1, set);
            assert_eq!(value(&found, 0) == value(&found, 1), same);
            assert_eq!([0, 1].map(|one| value(&found, one)), [0, 1].map(|one| value(&other, one)));
        }
    });
}

/// Bytes that look like lengths or like two values in one do not make two households alike.
#[test]
fn values_with_odd_bytes_are_told_apart() {
    let hid: Column = ["1", "1", "2", "2"].iter().map(|value| value.as_bytes()).collect();
    let households = Households::by(&hid);
    let odd: [&[u8]; 4] = [b"a\0", b"", b"a", b"\0"];
    let odd: Column = odd.into_iter().collect();
    let found = households.multiset(&[&odd]);
    assert_ne!(found.code(0), found.code(1));
    let joined: Column = [&b"ab"[..], b"c", b"a", b"bc"].into_iter().collect();
    let plain: Column = [&b"x"[..], b"x", b"x", b"x"].into_iter().collect();
    let found = households.multiset(&[&joined, &plain]);
    assert_ne!(found.code(0), found.code(1));
}

#[test]
fn what_varies_is_found_with_its_line() {
    let column = |values: &[&str]| -> Column { values.iter().map(|one| one.as_bytes()).collect() };
    let hid = column(&["7", "3", "7", "3", "9", "7"]);
    let households = Households::by(&hid);
    assert_eq!(households.len(), 3);
    assert_eq!(households.members(0), [0, 2, 5]);
    assert_eq!(households.members(1), [1, 3]);
    assert_eq!(households.torn(&column(&["a", "b", "a", "b", "a", "a"])), None);
    let torn = households.torn(&column(&["a", "b", "a", "c", "a", "d"])).unwrap();
    assert_eq!((torn.line, torn.households), (3, 2));
    let marked = households.any(&[false, false, true, false, false, false]);
    assert_eq!(marked, [true, false, false]);
    let lines = households.on_lines(&households.sizes());
    let sizes: BTreeSet<(usize, u32)> = (0..6).map(|line| (line, lines.code(line))).collect();
    assert_eq!(sizes.len(), 6);
}
