//! A data frame gives what a file with the same contents gives.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fs;

use marginswap_core::columns::{Column, ColumnBuilder};
use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::random::{Random, Seed};
use marginswap_io::Frame;
use marginswap_pipeline::job::{self, Decision};
use marginswap_pipeline::notes::Run;
use marginswap_pipeline::outputs::Outputs;
use marginswap_pipeline::project::{Knows, Project, ReleaseOrder, Then};
use marginswap_pipeline::refusal::Code;
use marginswap_pipeline::release::Takes;
use marginswap_pipeline::seed::SeedFrom;

type Rows = Vec<Vec<String>>;

const NAMES: [&str; 6] = ["town", "sex", "age", "job", "home", "id"];

/// Random records in households, scattered over the file, with an id; all who share a home live
/// in one town.
fn rows(seed: u8, records: usize) -> Rows {
    let mut random = Random::new(Seed([seed; 32]), 0);
    let mut row = |number: usize| {
        let mut cells: Vec<String> =
            [4, 2, 7, 3].iter().map(|&levels| random.below(levels).to_string()).collect();
        let home = number * 7 % records * 2 / 5;
        cells[0] = (home * home % 11 % 4).to_string();
        cells.push(format!("h{home}"));
        cells.push(format!("p{number}"));
        cells
    };
    (0..records).map(&mut row).collect()
}

fn column(rows: &Rows, position: usize) -> Column {
    let mut column = ColumnBuilder::default();
    rows.iter().for_each(|row| column.push(row[position].as_bytes()));
    column.finish()
}

fn frame(label: &str, rows: &Rows) -> Frame {
    let columns = (0..NAMES.len()).map(|position| Ok(column(rows, position))).collect();
    Frame::new(label, NAMES.map(str::to_owned).to_vec(), columns, rows.len()).unwrap()
}

/// Single records are swapped, or whole households and persons after them.
#[derive(Clone, Copy)]
enum Unit {
    Record,
    Household,
}

fn project_of(unit: Unit, order: ReleaseOrder) -> Project {
    let mut project = project(order);
    if matches!(unit, Unit::Household) {
        project.columns.ignore.clear();
        project.unit.household = Some("home".to_owned());
        project.unit.then = Some(Then::Persons);
        project.keep.households = vec!["town*size".to_owned()];
        project.risk.keys.push("job".to_owned());
    }
    project
}

fn project(order: ReleaseOrder) -> Project {
    let mut project = Project::default();
    project.keep.tables = vec!["town*sex".to_owned(), "sex*age".to_owned()];
    project.risk.keys = vec!["town".to_owned(), "age".to_owned()];
    project.risk.knows = Some(Knows::All);
    project.columns.id = Some("id".to_owned());
    project.columns.ignore = vec!["home".to_owned()];
    project.release.order = Some(order);
    project
}

/// The table that a door makes.
fn gathered(rows: &Rows, takes: &[Takes]) -> Frame {
    let names = takes.iter().map(|take| NAMES[take.column].to_owned()).collect();
    let columns = takes.iter().map(|take| {
        let mut column = ColumnBuilder::default();
        take.from.iter().for_each(|&from| column.push(rows[from as usize][take.column].as_bytes()));
        Ok(column.finish())
    });
    Frame::new("released", names, columns.collect(), rows.len()).unwrap()
}

/// A job decided in random order.
fn decided(project: Project, run: &mut Run<'_>) -> Result<Decision, Diagnostic> {
    job::decide(&project, &SeedFrom::Demo(1), &Outputs::default(), run)
}

/// Law: `frames-give-what-files-give`.
#[test]
fn law_frames_give_what_files_give() {
    let folder = tempfile::tempdir().unwrap();
    let cases = [
        (1, ReleaseOrder::Random, Unit::Record),
        (2, ReleaseOrder::Input, Unit::Record),
        (3, ReleaseOrder::Random, Unit::Record),
        (4, ReleaseOrder::Random, Unit::Household),
        (5, ReleaseOrder::Input, Unit::Household),
        (6, ReleaseOrder::Random, Unit::Household),
    ];
    let mut after_households = 0;
    for (seed, order, unit) in cases {
        let rows = rows(seed, 60);
        let [data, out] =
            ["data", "out"].map(|name| folder.path().join(format!("{name}{seed}.csv")));
        let mut lines = vec![NAMES.join(",")];
        lines.extend(rows.iter().map(|row| row.join(",")));
        fs::write(&data, lines.join("\n") + "\n").unwrap();
        let outputs = Outputs::released(&out, order);
        let demo = SeedFrom::Demo(seed.into());
        let run = &mut Run::silent();
        let by_file = Project { data: Some(data), ..project_of(unit, order) };
        let mut job = job::protect(&by_file, &demo, &outputs, run).unwrap();
        let plan = (job.plan.plan.clone(), job.plan.then.as_ref().map(|then| then.plan.clone()));
        let persons = plan.1.as_ref().map(|then| then.swaps().len() + then.groups().len());
        assert!(plan.0.swaps().len() + plan.0.groups().len() > 0, "something is swapped");
        assert_eq!(persons.is_some(), matches!(unit, Unit::Household));
        after_households += persons.unwrap_or(0);
        job.publish(run).unwrap();

        let whole = frame("survey", &rows);
        let in_frame = || Project { frame: Some(whole.clone()), ..project_of(unit, order) };
        let outputs = Outputs { order, ..Outputs::default() };
        let job = job::decide(&in_frame(), &demo, &outputs, run).unwrap();
        let takes = job.takes().unwrap();
        assert_eq!(job.plan().plan, plan.0, "the same swaps");
        assert_eq!(job.plan().then.as_ref().map(|then| then.plan.clone()), plan.1);
        let written = fs::read_to_string(&out).unwrap();
        let mut released: Vec<Vec<&str>> =
            written.lines().skip(1).map(|line| line.split(',').collect()).collect();
        let first = &takes[0].from;
        assert_eq!(first.len(), released.len());
        for (place, row) in released.drain(..).enumerate() {
            let taken = takes.iter();
            let values: Vec<&str> =
                taken.map(|take| rows[take.from[place] as usize][take.column].as_str()).collect();
            assert_eq!(values, row, "the same released values in the same order");
        }
        let made = gathered(&rows, &takes);
        let release = job.gathered(&made, &outputs, run).unwrap();
        assert!(release.comparison.is_exact());

        // A plan that was made before gives the same, for these contents and no others.
        let follow = |project, run: &mut Run<'_>| {
            job::follow(&project, (None, release.plan.clone()), &demo, &outputs, run)
        };
        let applied = follow(in_frame(), run).unwrap();
        assert!(applied.gathered(&made, &outputs, run).unwrap().comparison.is_exact());
        let mut others = rows.clone();
        others[0][3].push('x');
        let other = Project { frame: Some(frame("survey", &others)), ..project_of(unit, order) };
        let refused = follow(other, run).err().unwrap();
        assert_eq!(refused.code, Code::StalePlan);
    }
    assert!(after_households > 0, "persons exchange something after households");
}

#[test]
fn a_frame_that_was_made_wrongly_is_no_release() {
    let rows = rows(4, 60);
    let run = &mut Run::silent();
    let given = Project { frame: Some(frame("survey", &rows)), ..project(ReleaseOrder::Random) };
    let job = decided(given, run).unwrap();
    let mut wrong = rows.clone();
    wrong[5][0] = "elsewhere".to_owned();
    let made = gathered(&wrong, &job.takes().unwrap());
    let refused = job.gathered(&made, &Outputs::default(), run);
    assert_eq!(refused.err().unwrap().code, Code::NotKept);
}

/// The sum is that of the contents, however the codes were given out.
#[test]
fn the_sum_of_a_frame_is_that_of_its_contents() {
    let run = &mut Run::silent();
    let plan_of = |rows: &Rows, run: &mut Run<'_>| {
        let given = Project { frame: Some(frame("survey", rows)), ..project(ReleaseOrder::Random) };
        decided(given, run).unwrap().plan().header.input_sha256.clone()
    };
    let rows = rows(5, 40);
    let sum = plan_of(&rows, run);
    assert_eq!(sum, plan_of(&rows, run));
    let mut seen = BTreeMap::from([(sum, "itself")]);
    let mut moved = rows.clone();
    moved.swap(0, 1);
    assert_eq!(seen.insert(plan_of(&moved, run), "two records in another order"), None);
    let mut changed = rows;
    changed[7][2] = "8".to_owned();
    assert_eq!(seen.insert(plan_of(&changed, run), "one value"), None);
}

#[test]
fn a_column_that_cannot_be_used_is_refused_when_it_is_wanted() {
    let rows = rows(6, 60);
    let refusal = || Diagnostic::new(Code::FloatColumn, "numbers", "band them");
    let mut columns: Vec<Result<Column, Diagnostic>> =
        (0..NAMES.len()).map(|position| Ok(column(&rows, position))).collect();
    columns[3] = Err(refusal());
    let names = NAMES.map(str::to_owned).to_vec();
    let given = Frame::new("survey", names, columns, rows.len()).unwrap();
    let run = &mut Run::silent();
    let mut wanted = Project { frame: Some(given), ..project(ReleaseOrder::Random) };
    let refused = decided(wanted.clone(), run).err().unwrap();
    assert_eq!(refused.code, Code::FloatColumn);
    assert_eq!(refused.place.to_string(), "survey, column 4 `job`");
    wanted.columns.ignore = vec!["job".to_owned()];
    assert!(decided(wanted, run).is_ok());
}

/// A household file has no place next to a data frame.
#[test]
fn a_household_file_beside_a_frame_is_refused() {
    let run = &mut Run::silent();
    let survey = frame("survey", &rows(7, 60));
    let mut given =
        Project { frame: Some(survey), ..project_of(Unit::Household, ReleaseOrder::Random) };
    given.unit.file = Some("households.csv".into());
    let refused = decided(given, run).err().unwrap();
    assert_eq!(refused.code, Code::OptionsClash);
}
