//! A plan from counted cells is the plan of the records.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use marginswap_core::columns::ColumnBuilder;
use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::random::{Random, Seed};
use marginswap_io::{Frame, HouseholdKind, Unfolded};
use marginswap_pipeline::job::decide;
use marginswap_pipeline::notes::{Note, Run};
use marginswap_pipeline::on_cells::{Decided, Moves, Recounted, plan, unfold, weigh};
use marginswap_pipeline::outputs::Outputs;
use marginswap_pipeline::project::{Project, Risky};
use marginswap_pipeline::questions::screen::screen;
use marginswap_pipeline::refusal::Code;
use marginswap_pipeline::seed::SeedFrom;

use marginswap_report::cells::CellsReport;
use marginswap_report::plan::ProtectReport;
use serde_json::Value;

type Row = Vec<Option<String>>;

const NAMES: [&str; 4] = ["town", "sex", "age", "job"];

fn rows(seed: u8, records: usize) -> Vec<Row> {
    let mut random = Random::new(Seed([seed; 32]), 0);
    let mut value = |levels: usize| match random.below(levels + 1) {
        0 => Some(String::new()),
        1 if levels == 3 => None,
        number => Some(number.to_string()),
    };
    (0..records).map(|_| [4, 2, 7, 3].map(&mut value).to_vec()).collect()
}

fn frame(names: &[&str], rows: &[Row]) -> Frame {
    let column = |position: usize| {
        let mut column = ColumnBuilder::default();
        for row in rows {
            match &row[position] {
                Some(value) => column.push(value.as_bytes()),
                None => column.push_null(),
            }
        }
        Ok(column.finish())
    };
    let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    let columns = (0..names.len()).map(column).collect();
    Frame::new("table", names, columns, rows.len()).unwrap()
}

fn project(max_records: &str) -> Project {
    let mut project = Project::default();
    project.keep.tables = vec!["town*sex".to_owned(), "sex*older".to_owned()];
    project
        .derive
        .insert("older".to_owned(), "if(age in ['5', '6', '7'], 'y', 'n')".parse().unwrap());
    project.risk.keys = vec!["town".to_owned(), "age".to_owned()];
    project.swap.max_records = Some(max_records.parse().unwrap());
    project
}

/// The distinct rows with their counts, as an engine gives them.
fn counted(rows: &[Row]) -> (Vec<Row>, Vec<u32>) {
    let mut cells: BTreeMap<&Row, u32> = BTreeMap::new();
    rows.iter().for_each(|row| *cells.entry(row).or_default() += 1);
    // In an order that is neither that of the records nor of the categories.
    cells.into_iter().rev().map(|(row, count)| (row.clone(), count)).unzip()
}

/// A table of counted cells, in an order that is neither that of the records nor of categories.
fn cells_of(rows: &[Row]) -> (Vec<Row>, Frame) {
    let (cells, counts) = counted(rows);
    let frame = frame(&NAMES, &cells).counted(counts.into());
    (cells, frame)
}

/// Certifies by the differences between the cells of two tables.
fn differing(decided: &Decided, before: &[Row], after: &[Row]) -> Result<CellsReport, Diagnostic> {
    let (before, counts) = counted(before);
    let mut differences: BTreeMap<Row, i64> =
        before.into_iter().zip(counts.into_iter().map(i64::from)).collect();
    let (after, counts) = counted(after);
    for (row, count) in after.into_iter().zip(counts) {
        *differences.entry(row).or_default() -= i64::from(count);
    }
    let side = |sign: i64| {
        let there = differences.iter().filter(|(_, difference)| **difference * sign > 0);
        let (rows, counts): (Vec<Row>, Vec<u32>) = there
            .map(|(row, &difference)| (row.clone(), u32::try_from(difference * sign).unwrap()))
            .unzip();
        (!rows.is_empty()).then(|| frame(&NAMES, &rows).counted(counts.into()))
    };
    let [left, came] = [1, -1].map(side);
    let (label, left, came) = ("released", left.as_ref(), came.as_ref());
    decided.certify(Recounted::Differences { label, left, came }, &mut Run::silent())
}

fn json(answer: &impl serde::Serialize) -> Value {
    serde_json::to_value(answer).unwrap()
}

/// What an answer says that does not depend on which record is which.
fn contents(answer: Value) -> Value {
    let Value::Object(mut all) = answer else { panic!("an answer is an object") };
    for name in ["changed_by_variable", "released", "reordered", "advice", "cells", "not_known"] {
        all.remove(name);
    }
    Value::Object(all)
}

/// The answer for records in memory, whose released table is made here.
fn by_records(rows: &[Row], project: Project, demo: &SeedFrom) -> (Vec<Row>, ProtectReport) {
    let run = &mut Run::silent();
    let project = Project { frame: Some(frame(&NAMES, rows)), ..project };
    let outputs = Outputs::default();
    let job = decide(&project, demo, &outputs, run).unwrap();
    let takes = job.takes().unwrap();
    let value = |column: usize, place: usize| {
        rows[takes[column].from[place] as usize][takes[column].column].clone()
    };
    let released: Vec<Row> = (0..rows.len())
        .map(|place| (0..NAMES.len()).map(|column| value(column, place)).collect())
        .collect();
    let release = job.gathered(&frame(&NAMES, &released), &outputs, run).unwrap();
    (released, release.answer().unwrap())
}

/// Law: `cells-give-the-plan-of-records`.
#[test]
fn law_cells_give_the_plan_of_records() {
    let (mut changed, mut verdicts) = (0, BTreeMap::new());
    let rules = ["unique", "k:3"];
    for (seed, largest) in [(1, "2"), (2, "2"), (3, "4"), (4, "4"), (5, "2"), (6, "2")] {
        let rows = rows(seed, 60 + 60 * usize::from(seed % 3));
        let run = &mut Run::silent();
        let demo = SeedFrom::Demo(seed.into());
        let mut asked = project(largest);
        asked.risk.risky = Some(rules[usize::from(seed % 2)].parse().unwrap());
        asked.risk.more_keys = vec![vec!["sex".to_owned(), "job".to_owned()]];
        asked.swap.near = vec!["sex".to_owned()];
        asked.swap.rules = vec!["sex=1 & job=2".parse().unwrap()];
        let (expected, answer) = by_records(&rows, asked.clone(), &demo);

        let (cells, counted_cells) = cells_of(&rows);
        let by_cells = Project { frame: Some(counted_cells), ..asked };
        let chosen = demo.choose(run).unwrap();
        let decided = plan(by_cells, chosen.seed, true, 0, run).unwrap();
        let moves = &decided.moves;
        let mut released = rows.clone();
        for (change, (&cell, &number)) in moves.cells.iter().zip(&moves.numbers).enumerate() {
            let same = rows.iter().enumerate().filter(|(_, row)| **row == cells[cell as usize]);
            let (record, _) = same.clone().nth(number as usize).unwrap();
            for (column, from) in moves.from.iter().enumerate() {
                released[record][column] = cells[from[change] as usize][column].clone();
            }
        }
        // The same records, and everything that can be known of their contents.
        assert_eq!(counted(&released), counted(&expected));
        let whole = cells_of(&released).1;
        let found: CellsReport = decided.certify(Recounted::Cells(&whole), run).unwrap();
        assert_eq!(contents(json(&found)), contents(json(&answer)));
        // What differs from the original says the same.
        let same = differing(&decided, &rows, &released).unwrap();
        assert_eq!(contents(json(&same)), contents(json(&found)));
        assert_eq!(found.protect.plan.records_changed, moves.cells.len() as u64);
        assert!(found.not_known.is_empty());
        changed += moves.cells.len();
        let fates = found.protect.verify.protection.fates;
        *verdicts.entry((fates.gone > 0, fates.shared > 0, fates.matched > 0)).or_insert(0) += 1;

        // A released table that does not keep the tables is distinguished from one that does.
        let mut wrong = released.clone();
        wrong[0][1] = Some("other".to_owned());
        let whole = |rows: &[Row]| {
            let cells = cells_of(rows).1;
            decided.certify(Recounted::Cells(&cells), &mut Run::silent()).err().unwrap().code
        };
        let by_differences =
            |rows_after: &[Row]| differing(&decided, &rows, rows_after).err().unwrap().code;
        assert_eq!([whole(&wrong), by_differences(&wrong)], [Code::NotKept; 2]);
        wrong.pop();
        assert_eq!([whole(&wrong), by_differences(&wrong)], [Code::NotKept; 2]);
        // So is one whose differences are those of another table.
        let others: Vec<Row> = rows.iter().chain(&rows).cloned().collect();
        assert_eq!(differing(&decided, &others, &released).err().unwrap().code, Code::NotKept);
    }
    assert!(changed > 40, "the worlds have something to swap: {changed}");
    assert!(verdicts.len() > 1, "and do not all come to the same: {verdicts:?}");
}

/// What a door does that gives lines to a job and has an engine move the values.
fn through_an_engine(
    names: &[&str],
    unfolded: &Unfolded,
    (cells, counted_cells): (&[Row], &Frame),
    project: Project,
    demo: &SeedFrom,
) -> (Vec<Row>, ProtectReport) {
    let run = &mut Run::silent();
    let project = Project { frame: Some(unfolded.frame.clone()), ..project };
    let outputs = Outputs { by_engine: true, ..Outputs::default() };
    let job = decide(&project, demo, &outputs, run).unwrap();
    let moves = Moves::of_lines(&job.exchanged(), counted_cells, unfolded);
    let lines = u32::try_from(unfolded.frame.records()).unwrap();
    let cell = |line: u32| cells[unfolded.cell_of(line) as usize].clone();
    let mut released: Vec<Row> = (0..lines).map(cell).collect();
    for change in 0..moves.cells.len() {
        let homes = moves.homes.as_ref();
        let found = (0..lines).find(|&line| {
            let place = unfolded.place(line);
            let same = place.number == moves.numbers[change];
            same && match homes {
                None => unfolded.cell_of(line) == moves.cells[change],
                Some(homes) => {
                    (place.kind, place.member) == (homes.kinds[change], homes.members[change])
                }
            }
        });
        let released = &mut released[found.unwrap() as usize];
        for (column, from) in moves.from.iter().enumerate() {
            released[column] = cells[from[change] as usize][column].clone();
        }
    }
    let changes = moves.changes(counted_cells);
    // Households keep their lines together.
    let with_homes: Vec<Row> = (0..lines)
        .zip(&released)
        .map(|(line, row)| {
            let place = unfolded.place(line);
            let home = format!("{} {}", place.kind, place.number);
            row.iter().cloned().chain([Some(home)]).take(names.len()).collect()
        })
        .collect();
    let release = job.gathered(&frame(names, &with_homes), &outputs, run).unwrap();
    let mut answer = release.answer().unwrap();
    // Which records changed is known by the plan alone.
    answer.verify.records_changed = Some(changes.records);
    answer.verify.cells_changed = Some(changes.values);
    assert_eq!(changes.homes.unwrap_or(changes.records), answer.plan.records_changed);
    assert!(changes.values >= changes.records);
    (released, answer)
}

/// Law: `unfolded-cells-give-the-job-of-records`.
#[test]
fn law_unfolded_cells_give_the_job_of_records() {
    let mut changed = 0;
    for (seed, largest) in [(1, "2"), (2, "4"), (3, "2"), (4, "4")] {
        let rows = rows(seed, 60 + 60 * usize::from(seed % 3));
        let demo = SeedFrom::Demo(seed.into());
        let asked = project(largest);
        let (expected, answer) = by_records(&rows, asked.clone(), &demo);
        let (cells, counted_cells) = cells_of(&rows);
        let names = NAMES.map(str::to_owned);
        let unfolded = unfold(&counted_cells, "table", &names, None).unwrap();
        let counted_by = (&cells[..], &counted_cells);
        let (released, found) =
            through_an_engine(&NAMES, &unfolded, counted_by, asked.clone(), &demo);
        assert_eq!(counted(&released), counted(&expected));
        assert_eq!(contents(json(&found)), contents(json(&answer)));
        changed += found.plan.records_changed;

        let mut both = [frame(&NAMES, &rows), unfolded.frame.clone()].into_iter().map(|one| {
            let project = Project { frame: Some(one), ..asked.clone() };
            json(&screen(&project, &mut Run::silent()).unwrap().report)
        });
        assert_eq!(both.next(), both.next());
    }
    assert!(changed > 20, "the worlds have something to swap: {changed}");
}

/// Households of the same law: town is theirs, the rest their members'.
#[test]
fn households_are_swapped_by_kinds() {
    let rows = rows(5, 90);
    let mut homes: Vec<Vec<Row>> = Vec::new();
    let mut persons = rows.iter();
    for size in [1, 2, 3, 2].into_iter().cycle() {
        let members: Vec<&Row> = persons.by_ref().take(size).collect();
        let Some(first) = members.first() else { break };
        let town = first[0].clone();
        let moved = |row: &&Row| [vec![town.clone()], row[1..].to_vec()].concat();
        let mut members: Vec<Row> = members.iter().map(moved).collect();
        members.sort();
        homes.push(members);
    }
    let lines: Vec<Row> = homes
        .iter()
        .enumerate()
        .flat_map(|(home, rows)| {
            rows.iter().map(move |row| {
                row.iter().cloned().chain([Some(format!("h{home:03}"))]).collect::<Row>()
            })
        })
        .collect();
    let mut asked = project("2");
    asked.derive.clear();
    asked.unit.household = Some("home".to_owned());
    asked.keep.tables = vec!["town*sex".to_owned()];
    asked.keep.households = vec!["town*size".to_owned()];
    asked.risk.keys = vec!["town".to_owned(), "age".to_owned(), "sex".to_owned()];
    let names = ["town", "sex", "age", "job", "home"];
    let demo = SeedFrom::Demo(4);
    let run = &mut Run::silent();
    let in_memory = Project { frame: Some(frame(&names, &lines)), ..asked.clone() };
    let outputs = Outputs { by_engine: true, ..Outputs::default() };
    let job = decide(&in_memory, &demo, &outputs, run).unwrap();
    let mut expected = lines.clone();
    for (column, takes) in job.exchanged().into_iter().enumerate() {
        takes
            .iter()
            .for_each(|&(line, other)| expected[line][column] = lines[other][column].clone());
    }

    let all: Vec<Row> = homes.concat();
    let (cells, counted_cells) = cells_of(&all);
    let place = |row: &Row| {
        let order = counted_cells.by_contents().unwrap();
        let found = order.iter().position(|&line| cells[line as usize] == *row);
        u32::try_from(found.unwrap()).unwrap()
    };
    let mut kinds: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
    homes.iter().for_each(|rows| {
        let mut members: Vec<u32> = rows.iter().map(place).collect();
        members.sort_unstable();
        *kinds.entry(members).or_default() += 1;
    });
    let kinds: Vec<HouseholdKind> = kinds
        .into_iter()
        .rev()
        .map(|(members, households)| HouseholdKind { members, households })
        .collect();
    let every: Vec<String> = names.map(str::to_owned).to_vec();
    let unfolded = unfold(&counted_cells, "table", &every, Some(("home", kinds.clone()))).unwrap();
    let counted_by = (&cells[..], &counted_cells);
    let (released, found) = through_an_engine(&names, &unfolded, counted_by, asked, &demo);
    let plain: Vec<Row> = expected.iter().map(|row| row[..4].to_vec()).collect();
    assert_eq!(counted(&released), counted(&plain));
    assert!(found.plan.records_changed > 0);
    assert!(found.verify.equal);

    // Households that are not those of the counted records.
    let mut wrong = kinds;
    wrong[0].households += 1;
    let refused = unfold(&counted_cells, "table", &every, Some(("home", wrong)));
    assert_eq!(refused.unwrap_err().code, Code::NotKept);
}

#[test]
fn what_cells_do_not_show_is_said() {
    let rows = rows(3, 90);
    let run = &mut Run::silent();
    let by_cells = Project { frame: Some(cells_of(&rows).1), ..project("2") };
    let decided = plan(by_cells, Seed([1; 32]), false, 2, run).unwrap();
    // The cells of the original keep every table; nobody is parted.
    let found = decided.certify(Recounted::Cells(&cells_of(&rows).1), run).unwrap();
    assert_eq!(found.not_known.len(), 1);
    let reasons = serde_json::to_value(&found).unwrap()["reasons"].to_string();
    assert!(reasons.contains("columns_unchecked") && reasons.contains("nothing_exchanged"));
}

#[test]
fn what_needs_records_is_refused() {
    let rows = rows(7, 60);
    let (_, cells) = cells_of(&rows);
    let given = || Project { frame: Some(cells.clone()), ..project("2") };
    let refused = |project: Project| {
        plan(project, Seed([1; 32]), false, 0, &mut Run::silent()).err().unwrap().code
    };
    for rule in [Risky::Top(5), "prob:0.5".parse().unwrap(), Risky::Records("list".into())] {
        let mut project = given();
        project.risk.risky = Some(rule);
        assert_eq!(refused(project), Code::OptionsClash);
    }
    let mut project = given();
    project.swap.weight = Some("job".to_owned());
    assert_eq!(refused(project), Code::OptionsClash);
    // Cells that an engine takes for one, counts twice or counts without a record.
    let (mut lines, mut counts) = counted(&rows);
    counts[0] = 0;
    let empty = frame(&NAMES, &lines).counted(counts.clone().into());
    assert_eq!(refused(Project { frame: Some(empty), ..given() }), Code::OptionsClash);
    (lines[0], counts[0]) = (lines[1].clone(), 1);
    let twice = frame(&NAMES, &lines).counted(counts.into());
    assert_eq!(refused(Project { frame: Some(twice), ..given() }), Code::OptionsClash);
}

#[test]
fn many_cells_are_told_before_planning() {
    let rows = rows(7, 60);
    let (lines, _) = counted(&rows);
    let weighed = |count: u32, project: Project| {
        let mut run = Run::silent();
        let cells = frame(&NAMES, &lines).counted(vec![count; lines.len()].into());
        let told = weigh(&Project { frame: Some(cells), ..project }, &mut run);
        told.map(|()| run.notes().to_vec())
    };
    assert!(weighed(2, project("2")).unwrap().is_empty());
    // `job` is the one column that no setting names.
    let jobs: BTreeMap<&[Option<String>], u32> = lines.iter().map(|row| (&row[..3], 1)).collect();
    let (cells, left) = (lines.len() as u64, jobs.len() as u64);
    let note = |without| Note::ManyCells { cells, records: cells, without };
    assert_eq!(weighed(1, project("2")).unwrap(), [note(Some(("job".to_owned(), left)))]);
    let mut named = project("2");
    named.risk.sensitive = vec!["job".to_owned()];
    assert_eq!(weighed(1, named).unwrap(), [note(None)]);
    assert_eq!(weighed(u32::MAX, project("2")).unwrap_err().code, Code::TooManyRecords);
}
