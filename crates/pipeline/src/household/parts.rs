//! A file of persons and a file of their households, read together and released together.
//!
//! Both have the column that names the households. In memory the columns of the household file
//! come after those of the persons, on every line of a household; written, each file gets back
//! what is its own. So a plan speaks of one list of columns, and everything else of one file.
//!
//! Trap: households are numbered by their first person, and come in another order in their file.
//!
//! Way in: [`Parts::of`], [`Parts::joined`].

use std::path::{Path, PathBuf};
use std::sync::Arc;

use marginswap_core::columns::{Column, Households};
use marginswap_core::diagnostic::{Diagnostic, grouped};
use marginswap_core::encode::RecordId;
use marginswap_core::plan::Plan;
use marginswap_io::{
    FileDigest, Format, InputFile, ReleaseOptions, Renamed, Sample, Source, sha256_hex,
};

use crate::input::{FirstLine, Reading, line_of, open_data, position_of};
use crate::refusal::Code;

/// An opened file, and where it is one of persons that of their households.
pub struct Parts {
    pub(crate) source: Source,
    pub(crate) households: Option<HouseholdSource>,
    names: Vec<String>,
}

/// An opened file of households.
pub(crate) struct HouseholdSource {
    path: PathBuf,
    source: Source,
    /// The column that names them.
    household: usize,
}

/// A file of households that was read.
#[derive(Clone)]
pub struct HouseholdFile {
    path: PathBuf,
    file: InputFile,
    digest: FileDigest,
    format: Format,
    /// The sum of the file of persons alone.
    pub(crate) persons: FileDigest,
    /// How many columns the file of persons has; those after them are of this file.
    behind: usize,
    /// The places that these have here.
    columns: Vec<usize>,
    /// The column that names the households.
    household: usize,
    /// Its lines, each a household.
    lines: Arc<Households>,
    /// The line of each household, by the household's number.
    line_of: Vec<u32>,
}

/// What a file of households adds to the lines of persons.
pub(crate) struct Joined {
    pub(crate) columns: Vec<Option<Column>>,
    pub(crate) samples: Vec<Option<Column>>,
    /// For each column: are its fields quoted otherwise than they need it?
    pub(crate) mixed_quotes: Vec<bool>,
    pub(crate) file: HouseholdFile,
}

impl Parts {
    /// A file that is all there is.
    #[must_use]
    pub fn of(source: Source) -> Self {
        let names = source.columns().to_vec();
        Self { source, households: None, names }
    }

    /// A file of persons with that of their households.
    ///
    /// # Errors
    /// When the second cannot be opened, has no column that names households, or shares another
    /// column with the first.
    pub fn joined(source: Source, path: &Path, how: Reading<'_>) -> Result<Self, Diagnostic> {
        let other = open_data(path, how)?;
        let household = how.household.unwrap_or_default();
        let position = position_of(other.columns(), household)
            .map_err(|error| error.in_file(path).about(format!("unit.household={household}")))?;
        let mut names = source.columns().to_vec();
        for name in other.columns().iter().filter(|name| *name != household) {
            if names.contains(name) {
                return Err(Diagnostic::new(
                    Code::SharedColumn,
                    format!("`{name}` is a column of the household file and of the person file"),
                    "leave it out of one of them, or give it another name there",
                )
                .in_file(path));
            }
            names.push(name.clone());
        }
        let path = path.to_owned();
        let households = Some(HouseholdSource { path, source: other, household: position });
        Ok(Self { source, households, names })
    }

    /// The names of all columns, those of the household file last.
    #[must_use]
    pub fn columns(&self) -> &[String] {
        &self.names
    }

    /// Does a first line look like a record?
    #[must_use]
    pub fn looks_like_a_record(&self) -> bool {
        let households = self.households.as_ref();
        self.source.looks_like_a_record()
            || households.is_some_and(|part| part.source.looks_like_a_record())
    }
}

impl HouseholdSource {
    /// Reads the file and gives every person what the household has. `wanted` and `sample` are of
    /// its own columns, `names` the households of the persons.
    pub(crate) fn read(
        self,
        names: &Column,
        wanted: &[bool],
        sample: &Sample,
        persons: (&Path, Option<&InputFile>, Format, &FileDigest),
        behind: usize,
        first_line: FirstLine,
    ) -> Result<Joined, Diagnostic> {
        let Self { path, source, household } = self;
        let file = source.file().cloned().expect("a file of households is a file");
        let format = source.format();
        let all = vec![true; source.columns().len()];
        let columns: Vec<usize> = (0..all.len()).filter(|&column| column != household).collect();
        let mut table = source.read(&all)?;
        first_line.check(table.looks_like_a_record, &path)?;
        let own = table.columns[household].take().expect("every column was read");
        let refuse = |code, detail: String, remedy: &str, place: (&Path, Option<u64>)| {
            let mut refusal = Diagnostic::new(code, detail, remedy).in_file(place.0);
            refusal.place.line = place.1;
            Err(refusal)
        };
        let lines = Households::by(&own);
        if lines.len() < lines.lines() {
            let twice = (0..lines.lines()).find(|&line| lines.first(lines.of(line)) != line);
            let detail = "the household of this line has a line before";
            let line = twice.and_then(|line| line_of(&file, format, line));
            let remedy = "keep one line for each household";
            return refuse(Code::HouseholdTwice, detail.to_owned(), remedy, (&path, line));
        }
        let mut first = vec![0usize; own.dictionary().levels()];
        own.for_each_code(|row, code| first[code as usize] = row);
        let mut row_of: Vec<Option<usize>> = vec![None; names.dictionary().levels()];
        let mut met: Vec<bool> = vec![false; lines.len()];
        for (code, row) in (0u32..).zip(&mut row_of) {
            let value = names.dictionary().category(code);
            let found = value.and_then(|value| own.dictionary().find(value));
            *row = found.map(|found| first[found as usize]);
        }
        let (mut without, mut many) = (None, 0u64);
        names.for_each_code(|line, code| match row_of[code as usize] {
            Some(row) => met[row] = true,
            None if names.dictionary().is_blank(code) => {}
            None => {
                without.get_or_insert(line);
                many += 1;
            }
        });
        if let Some(line) = without {
            let (path, file, format, _) = persons;
            let line = file.and_then(|file| line_of(file, format, line));
            let detail = match many {
                1 => "1 person has a household that the household file does not have".to_owned(),
                many => format!(
                    "{} persons have a household that the household file does not have",
                    grouped(many)
                ),
            };
            let remedy = "add the household to its file, or leave these persons out";
            return refuse(Code::NoHousehold, detail, remedy, (path, line));
        }
        if let Some(empty) = met.iter().position(|met| !met) {
            let detail = match met.iter().filter(|met| !**met).count() as u64 {
                1 => "1 household has no person in the person file".to_owned(),
                many => format!("{} households have no person in the person file", grouped(many)),
            };
            let remedy = "leave households without persons out, or add their persons";
            let line = line_of(&file, format, empty);
            return refuse(Code::NoPerson, detail, remedy, (&path, line));
        }
        // A line without a household is refused by the code that asks for the households of lines.
        let row = |line: usize| row_of[names.code(line) as usize].unwrap_or(0);
        let on_lines = |column: &Column, step: usize| {
            column.of_records((0..names.len()).step_by(step).map(row))
        };
        let all = columns.iter().map(|&column| table.columns[column].as_ref());
        let all: Vec<&Column> = all.map(|column| column.expect("every column was read")).collect();
        let taken = all.iter().zip(wanted);
        let taken = taken.map(|(column, wanted)| wanted.then(|| on_lines(column, 1))).collect();
        let samples = all.iter().zip(&sample.columns);
        let samples =
            samples.map(|(column, asked)| asked.then(|| on_lines(column, sample.step))).collect();
        let written = table.written.as_ref();
        let is_mixed = |&column: &usize| written.is_some_and(|written| written.is_mixed(column));
        let mixed_quotes = columns.iter().map(is_mixed).collect();
        let persons_together = Households::by(names);
        let line_of = (0..persons_together.len()).map(|one| row(persons_together.first(one)));
        let line_of = line_of.map(|row| u32::try_from(row).expect("lines have numbers of 32 bits"));
        let file = HouseholdFile {
            path,
            file,
            digest: table.digest.expect("the sum of two files is taken"),
            format,
            persons: persons.3.clone(),
            behind,
            columns,
            household,
            line_of: line_of.collect(),
            lines: Arc::new(lines),
        };
        Ok(Joined { columns: taken, samples, mixed_quotes, file })
    }
}

impl HouseholdFile {
    /// The sum of both files.
    #[must_use]
    pub fn digest_of_both(&self) -> FileDigest {
        let both = format!("{}{}", self.persons.sha256, self.digest.sha256);
        FileDigest {
            sha256: sha256_hex(both.as_bytes()),
            bytes: self.persons.bytes + self.digest.bytes,
        }
    }

    /// The file, its sum and its format.
    #[must_use]
    pub fn input(&self) -> (&InputFile, &FileDigest, Format) {
        (&self.file, &self.digest, self.format)
    }

    /// The part of a plan for households that the file of persons holds.
    #[must_use]
    pub fn plan_of_persons(&self, plan: &Plan) -> Plan {
        plan.part(|column| (column < self.behind).then_some(column), |record| record)
    }

    /// The part of a plan for households that this file holds, by its own lines.
    #[must_use]
    pub fn plan_of_households(&self, plan: &Plan) -> Plan {
        plan.part(
            |column| Some(self.columns[column.checked_sub(self.behind)?]),
            |household| RecordId(self.line_of[household.position()]),
        )
    }

    /// How this file is released, where the households are released in this order.
    #[must_use]
    pub fn release(&self, order: Option<&[u32]>, renames: bool, drop: &[usize]) -> ReleaseOptions {
        let line = |household: &u32| self.line_of[*household as usize];
        let renamed = order.filter(|_| renames).map(|order| {
            let mut from = vec![0; order.len()];
            for (place, household) in (0u32..).zip(order) {
                from[line(household) as usize] = line(&place);
            }
            Renamed { column: self.household, from }
        });
        ReleaseOptions {
            order: order.map(|order| order.iter().map(line).collect()),
            households: renamed.is_some().then(|| Arc::clone(&self.lines)),
            renamed,
            drop: drop
                .iter()
                .filter_map(|column| Some(self.columns[column.checked_sub(self.behind)?]))
                .collect(),
            ..ReleaseOptions::default()
        }
    }

    /// Which of these columns the file of persons holds.
    #[must_use]
    pub fn of_persons(&self, columns: &[usize]) -> Vec<usize> {
        columns.iter().copied().filter(|&column| column < self.behind).collect()
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}
