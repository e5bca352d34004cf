//! A plan from counted cells is the plan of the records.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use marginswap_core::columns::ColumnBuilder;
use marginswap_core::random::{Random, Seed};
use marginswap_io::Frame;
use marginswap_pipeline::in_memory;
use marginswap_pipeline::notes::{Note, Run};
use marginswap_pipeline::on_cells::{plan, recount, weigh};
use marginswap_pipeline::project::{Project, Risky};
use marginswap_pipeline::refusal::Code;
use marginswap_pipeline::seed::SeedFrom;

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

/// Law: `cells-give-the-plan-of-records`.
#[test]
fn law_cells_give_the_plan_of_records() {
    let mut changed = 0;
    for (seed, largest) in [(1, "2"), (2, "2"), (3, "4"), (4, "4"), (5, "2")] {
        let rows = rows(seed, 90);
        let run = &mut Run::silent();
        let demo = SeedFrom::Demo(seed.into());
        // By records, with their numbers as a column that goes with them.
        let numbered: Vec<Row> = (0..)
            .zip(&rows)
            .map(|(number, row): (usize, &Row)| {
                row.iter().cloned().chain([Some(number.to_string())]).collect()
            })
            .collect();
        let mut by_records = project(largest);
        by_records.columns.ignore = vec!["number".to_owned()];
        by_records.frame = Some(frame(&["town", "sex", "age", "job", "number"], &numbered));
        let made = in_memory::protect(by_records, &demo, run).unwrap().made;
        let mut expected = vec![Vec::new(); rows.len()];
        let order = &made.takes[4].from;
        for (place, &record) in order.iter().enumerate() {
            let takes = made.takes[..4].iter();
            expected[record as usize] =
                takes.map(|take| rows[take.from[place] as usize][take.column].clone()).collect();
        }

        let (cells, counts) = counted(&rows);
        let by_cells = || Project { frame: Some(frame(&NAMES, &cells)), ..project(largest) };
        let chosen = demo.choose(run).unwrap();
        let (mut report, moves) = plan(by_cells(), &counts, chosen.seed, true, run).unwrap();
        let mut released = rows.clone();
        for (change, (&cell, &number)) in moves.cells.iter().zip(&moves.numbers).enumerate() {
            let same = rows.iter().enumerate().filter(|(_, row)| **row == cells[cell as usize]);
            let (record, _) = same.clone().nth(number as usize).unwrap();
            for (column, from) in moves.from.iter().enumerate() {
                released[record][column] = cells[from[change] as usize][column].clone();
            }
        }
        assert_eq!(released, expected);
        assert_eq!(report.records_changed, moves.cells.len() as u64);
        changed += moves.cells.len();

        let (after, after_counts) = counted(&released);
        let after = frame(&NAMES, &after);
        recount(by_cells(), &counts, &after, &after_counts, &mut report, run).unwrap();
        assert_eq!(report.equal, Some(true));
        assert_eq!(report.risk[0].at_risk, report.at_risk);
        // A released table that does not keep the tables is told from one that does.
        let mut wrong = released;
        wrong[0][1] = Some("other".to_owned());
        let (after, after_counts) = counted(&wrong);
        let after = frame(&NAMES, &after);
        recount(by_cells(), &counts, &after, &after_counts, &mut report, run).unwrap();
        assert_eq!(report.equal, Some(false));
    }
    assert!(changed > 40, "the worlds have something to swap: {changed}");
}

#[test]
fn what_needs_records_is_refused() {
    let rows = rows(7, 60);
    let (cells, counts) = counted(&rows);
    let given = || Project { frame: Some(frame(&NAMES, &cells)), ..project("2") };
    let refused = |project: Project, counts: &[u32]| {
        let seed = Seed([1; 32]);
        plan(project, counts, seed, false, &mut Run::silent()).err().unwrap().code
    };
    for rule in [Risky::Top(5), "prob:0.5".parse().unwrap(), Risky::Records("list".into())] {
        let mut project = given();
        project.risk.risky = Some(rule);
        assert_eq!(refused(project, &counts), Code::OptionsClash);
    }
    let mut project = given();
    project.swap.weight = Some("job".to_owned());
    assert_eq!(refused(project, &counts), Code::OptionsClash);
    // Cells that an engine takes for one, or counts twice.
    assert_eq!(refused(given(), &counts[1..]), Code::OptionsClash);
    let mut empty = counts;
    empty[0] = 0;
    assert_eq!(refused(given(), &empty), Code::OptionsClash);
}

#[test]
fn many_cells_are_told_before_planning() {
    let mut run = Run::silent();
    weigh(10, 100, &mut run).unwrap();
    assert!(run.notes().is_empty());
    weigh(51, 100, &mut run).unwrap();
    assert_eq!(run.notes(), [Note::ManyCells { cells: 51, records: 100 }]);
    assert_eq!(weigh(1 << 33, 1 << 34, &mut run).unwrap_err().code, Code::TooManyRecords);
}
