//! What a run reports while it works: notes, and how far it has come.
//!
//! Both are values. A door that wants to show them gives the run a watcher; the same watcher
//! can stop the run between two steps.

use std::fmt;
use std::path::PathBuf;

use crate::refusal::Code;
use crate::telltale::{How, TellTale};
use marginswap_core::diagnostic::{Diagnostic, escaped, grouped};
use marginswap_report::verify::Exchanged;

/// Something worth a word that stops nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// No table is kept.
    NoTables,
    /// No table is kept, where whole households are exchanged.
    NoTablesOfHouseholds,
    /// There are more minimal separators than were listed.
    ManySeparators {
        /// How many were listed.
        listed: u64,
    },
    /// Nearly every value of some variables is different.
    IdsAmongVariables {
        /// The first of them.
        names: Vec<String>,
        /// How many there are besides these.
        more: u64,
    },
    /// Nearly every record differs in what stays.
    IdStays {
        /// The column, or several that stay and are in no table.
        columns: Vec<String>,
    },
    /// Nearly every record has its own value in columns that are released as they are.
    IdReleased {
        /// The columns.
        columns: Vec<String>,
    },
    /// A released column that no swap touches gives swaps away.
    GivesAway(TellTale),
    /// A plan proves that the released file is the original of the other one.
    FilesExchanged,
    /// A rule names a value that does not occur.
    RuleValueMissing {
        /// Which rule, from 1.
        rule: usize,
        /// The column.
        column: String,
    },
    /// A condition compares a column with texts that do not occur in it.
    TextMissing {
        /// The derived variable.
        variable: String,
        /// The column.
        column: String,
        /// How many such texts there are.
        texts: u64,
    },
    /// Fewer records or households could be changed than the rate asks for.
    RateMissed {
        /// What is changed.
        of: Exchanged,
        /// How many it asks for.
        asked: u64,
        /// How many are changed.
        changed: u64,
    },
    /// Others can read the seed.
    SeedReadable {
        /// The file.
        path: PathBuf,
    },
    /// The columns of the two files are in another order or not the same.
    OtherColumns,
    /// The released lines look like the original ones in another order.
    Reordered,
    /// An engine counts nearly as many cells as records.
    ManyCells {
        /// How many cells.
        cells: u64,
        /// Of how many records.
        records: u64,
        /// The column that no setting names without which there are fewest, and how many.
        without: Option<(String, u64)>,
    },
    /// Many records are to be compared one by one.
    ManyComparisons {
        /// How many at most.
        comparisons: u64,
    },
    /// Next to the released file lies one that looks like another release of the same input.
    AnotherRelease {
        /// The other file.
        path: PathBuf,
    },
    /// Next to the output lies a plan for the same input.
    AnotherPlan {
        /// The plan.
        path: PathBuf,
    },
    /// Values of single persons changed places, and no setting allows it.
    PersonsExchanged,
    /// A column varies in very few households, and so counts as one of persons.
    NearlyShared {
        /// The column.
        column: String,
        /// In how many households it varies.
        households: u64,
        /// The first line that differs from its household.
        line: Option<u64>,
    },
    /// Households have another size than the column that holds it says.
    SizesDiffer {
        /// The column.
        column: String,
        /// How many.
        households: u64,
        /// The first line of such a household.
        line: Option<u64>,
    },
    /// `size` is a column that is not the number of members.
    SizeIsColumn {
        /// In how many households.
        households: u64,
    },
    /// Areas to look for partners in are named widest first.
    WidestFirst {
        /// The wider one, named first.
        wide: String,
        /// The smaller one.
        small: String,
    },
    /// An area follows from another one, and both are exchanged on their own.
    AreaFollows {
        /// The smaller one.
        small: String,
        /// The wider one.
        wide: String,
    },
    /// A column is always the number of members, and stays.
    SizeStays {
        /// The column.
        column: String,
    },
    /// Temporary files of earlier runs are in the way of nobody, and hold data.
    Leftovers {
        /// Their folder.
        folder: PathBuf,
        /// How many there are.
        files: u64,
    },
    /// The plan is sealed, and no key was given to check the seal.
    SealUnchecked,
    /// A page was not written because there is nothing to tell.
    PageNotWritten {
        /// The page.
        path: PathBuf,
        /// Why.
        why: String,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTables => formatter.write_str(
                "warning: no table is kept; only the counts of each single variable remain unchanged",
            ),
            Self::NoTablesOfHouseholds => formatter.write_str(
                "warning: no table is kept; only the number of households with each value remains unchanged",
            ),
            Self::ManySeparators { listed } => write!(
                formatter,
                "note: the margin graph has more minimal separators than are listed ({}, setting `max_separators`).\n\
                 Records that these do not decide are compared one by one: exact, but slower.",
                grouped(*listed)
            ),
            Self::IdsAmongVariables { names, more } => {
                let names: Vec<String> =
                    names.iter().map(|name| format!("`{}`", escaped(name))).collect();
                let more = match more {
                    0 => String::new(),
                    more => format!(" and {} more", grouped(*more)),
                };
                write!(
                    formatter,
                    "warning: nearly every value of {}{more} is different. An id among the variables makes\n\
                     every swap look effective. Name it as `id` or under `ignore`.",
                    names.join(", ")
                )
            }
            Self::IdStays { columns } => {
                let names: Vec<String> = columns.iter().map(|column| escaped(column)).collect();
                let what = match &names[..] {
                    [only] => format!("`{only}`, which stays"),
                    all => format!("the columns that stay ({})", all.join(", ")),
                };
                write!(
                    formatter,
                    "warning: nearly every record differs in {what}.\n\
                     Every swap therefore counts as effective. Name an id as `id` or under `ignore`.",
                )
            }
            Self::IdReleased { columns } => {
                let columns: Vec<String> =
                    columns.iter().map(|column| format!("`{}`", escaped(column))).collect();
                write!(
                    formatter,
                    "warning: nearly every record has its own value of {}, released as it is.\n\
                     Anyone who knows the value of a person finds their record. `drop` leaves it out.",
                    columns.join(", ")
                )
            }
            Self::GivesAway(tale) => {
                let [column, told] = [&tale.column, &tale.told].map(|name| escaped(name));
                match tale.how {
                    How::ByOrder => write!(
                        formatter,
                        "warning: sorted by `{column}`, which is released as it is, the records show a pattern in\n\
                         `{told}`: exchanged values are visible. Do not release `{column}`."
                    ),
                    How::ByContradiction => write!(
                        formatter,
                        "warning: `{column}`, which is released as it is, tells `{told}` for most records, and\n\
                         some released records contradict it: they were exchanged. Link the two, or do not\n\
                         release `{column}`."
                    ),
                }
            }
            Self::FilesExchanged => formatter.write_str(
                "warning: the two files are the wrong way round: a plan that was made for the second one\n\
                 gives the first one, so the second one is the original.",
            ),
            Self::RuleValueMissing { rule, column } => write!(
                formatter,
                "warning: rule {rule} names a value of `{column}` that does not occur in the file"
            ),
            Self::TextMissing { variable, column, texts } => {
                let (variable, column) = (escaped(variable), escaped(column));
                match texts {
                    1 => write!(
                        formatter,
                        "warning: `{variable}` compares `{column}` with a text that no record has: check its spelling"
                    ),
                    texts => write!(
                        formatter,
                        "warning: `{variable}` compares `{column}` with {} texts that no record has: check their spelling",
                        grouped(*texts)
                    ),
                }
            }
            Self::RateMissed { asked, changed, of } => write!(
                formatter,
                "warning: the rate asks for {asked} changed {}, but only {changed} could be changed",
                of.many()
            ),
            Self::SeedReadable { path } => write!(
                formatter,
                "warning: others can read {} and could repeat the choice of swaps; `chmod 600` protects it",
                path.display()
            ),
            Self::OtherColumns => formatter.write_str(
                "note: the released file has other columns, or the same ones in another order",
            ),
            Self::Reordered => formatter.write_str(
                "note: the released lines look like the original ones in another order, so single records \
                 are not compared",
            ),
            Self::ManyCells { cells, records, without } => {
                writeln!(
                    formatter,
                    "warning: {} records fall into {} cells, and every cell is held in memory here.",
                    grouped(*records),
                    grouped(*cells)
                )?;
                match without {
                    Some((column, left)) => write!(
                        formatter,
                        "Without {} there are {}: ignored columns stay with their records.",
                        format_args!("`{}`", escaped(column)),
                        grouped(*left)
                    ),
                    None => formatter.write_str(
                        "Every column is named by a setting; name fewer, or give keys in bands.",
                    ),
                }
            }
            Self::ManyComparisons { comparisons } => write!(
                formatter,
                "note: up to {} comparisons of records are needed",
                grouped(*comparisons)
            ),
            Self::AnotherRelease { path } => write!(
                formatter,
                "warning: {} has the same columns and length as this file: is it another release of this input?\n\
                 Two releases of one file differ exactly at their swaps: release one of them only.",
                path.display()
            ),
            Self::AnotherPlan { path } => write!(
                formatter,
                "warning: {} is another plan for this input. Two releases of one file differ exactly at\n\
                 their swaps: release one of them only.",
                path.display()
            ),
            Self::PersonsExchanged => formatter.write_str(
                "note: single persons have other values than before, although every table of persons is unchanged.\n\
                 If this release was made with `then = \"persons\"`, verify it with that setting.",
            ),
            Self::NearlyShared { column, households, line } => write!(
                formatter,
                "warning: `{}` varies inside {}{}: it counts as a column of persons, and is exchanged\n\
                 only if `vars` names it. Correct these lines. `household_columns` makes this an error.",
                escaped(column),
                many_households(*households),
                first_on(*line)
            ),
            Self::SizesDiffer { column, households, line } => write!(
                formatter,
                "warning: `{}` is not the number of members in {}{}; it stays. `size()` counts the members.",
                escaped(column),
                many_households(*households),
                first_on(*line)
            ),
            Self::SizeIsColumn { households } => write!(
                formatter,
                "warning: `size` is a column of the file, and not the number of members in {}.\n\
                 `size()` counts the members.",
                many_households(*households)
            ),
            Self::WidestFirst { wide, small } => write!(
                formatter,
                "warning: `{}` lies in `{}` and is looked at after it: name the smallest area first",
                escaped(small),
                escaped(wide)
            ),
            Self::AreaFollows { small, wide } => write!(
                formatter,
                "warning: `{wide}` follows from `{small}`, and each is exchanged on its own, so that they can\n\
                 contradict each other. `linked` exchanges them together.",
                wide = escaped(wide),
                small = escaped(small)
            ),
            Self::SizeStays { column } => write!(
                formatter,
                "note: `{}` is the number of members of every household, so it stays",
                escaped(column)
            ),
            Self::Leftovers { folder, files } => write!(
                formatter,
                "warning: {} has {} temporary {} that a killed run left behind; they hold data.\n\
                 `marginswap clean {}` lists and removes them.",
                escaped(&folder.display().to_string()),
                grouped(*files),
                if *files == 1 { "file" } else { "files" },
                escaped(&folder.display().to_string())
            ),
            Self::SealUnchecked => formatter.write_str(
                "note: the plan has a seal, which was not checked: no key is given",
            ),
            Self::PageNotWritten { path, why } => {
                write!(formatter, "warning: {} is not written: {why}", path.display())
            }
        }
    }
}

fn many_households(households: u64) -> String {
    match households {
        1 => "1 household".to_owned(),
        many => format!("{} households", grouped(many)),
    }
}

fn first_on(line: Option<u64>) -> String {
    line.map_or_else(String::new, |line| format!(" (first on line {})", grouped(line)))
}

/// The long steps of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The data are read.
    Reading,
    /// Records are packed and counted into cells, and those at risk are found.
    Counting,
    /// A model of the keys is chosen, fitted and judged.
    Modelling,
    /// Every record is screened.
    Screening,
    /// The swaps are chosen.
    Planning,
    /// The released file is written.
    Writing,
    /// It is read back and compared with the original.
    Comparing,
    /// The pages are made.
    Reporting,
}

impl fmt::Display for Phase {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Reading => "reading",
            Self::Counting => "counting",
            Self::Modelling => "modelling",
            Self::Screening => "screening",
            Self::Planning => "planning",
            Self::Writing => "writing",
            Self::Comparing => "comparing",
            Self::Reporting => "reporting",
        })
    }
}

/// What a watcher learns.
#[derive(Debug)]
pub enum Event<'e> {
    /// Something worth a word.
    Note(&'e Note),
    /// A long step begins.
    Phase {
        /// Which.
        phase: Phase,
        /// How many steps are done.
        done: usize,
        /// Of how many, as far as is known.
        of: usize,
    },
}

/// What a watcher answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Continue,
    /// Stop before the next step; nothing is released.
    Cancel,
}

/// Who learns of everything, and can stop the run.
type Watcher<'a> = Box<dyn FnMut(Event<'_>) -> Flow + Send + 'a>;

/// One run: its notes, how far it has come, and who learns of both.
#[derive(Default)]
pub struct Run<'a> {
    notes: Vec<Note>,
    done: usize,
    steps: usize,
    watcher: Option<Watcher<'a>>,
}

impl<'a> Run<'a> {
    /// A run that keeps its notes and tells nobody.
    #[must_use]
    pub fn silent() -> Self {
        Self::default()
    }

    /// A run that tells of everything as it comes.
    pub fn watched(watcher: impl FnMut(Event<'_>) -> Flow + Send + 'a) -> Self {
        Self { watcher: Some(Box::new(watcher)), ..Self::default() }
    }

    /// Takes a note; one that was taken already is not repeated.
    pub fn note(&mut self, note: Note) {
        if self.notes.contains(&note) {
            return;
        }
        if let Some(watcher) = &mut self.watcher {
            watcher(Event::Note(&note));
        }
        self.notes.push(note);
    }

    /// Says that this many more long steps are ahead.
    pub fn expect_steps(&mut self, steps: usize) {
        self.steps += steps;
    }

    /// Begins a long step.
    ///
    /// # Errors
    /// [`Code::Cancelled`] when the watcher wants no more.
    pub fn begin(&mut self, phase: Phase) -> Result<(), Diagnostic> {
        let (done, of) = (self.done, self.steps.max(self.done + 1));
        self.done += 1;
        let flow = match &mut self.watcher {
            Some(watcher) => watcher(Event::Phase { phase, done, of }),
            None => Flow::Continue,
        };
        match flow {
            Flow::Continue => Ok(()),
            Flow::Cancel => Err(Diagnostic::new(
                Code::Cancelled,
                format!("stopped before {phase}"),
                "nothing was released; run it again when you are ready",
            )),
        }
    }

    /// All notes so far.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }
}

impl fmt::Debug for Run<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Run").field("notes", &self.notes).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_tells_counts_and_stops() {
        let mut seen = Vec::new();
        let mut run = Run::watched(|event| {
            if let Event::Phase { phase, done, of } = event {
                seen.push((phase, done, of));
            }
            if seen.len() == 2 { Flow::Cancel } else { Flow::Continue }
        });
        run.expect_steps(3);
        assert!(run.begin(Phase::Reading).is_ok());
        run.note(Note::NoTables);
        let stopped = run.begin(Phase::Planning).unwrap_err();
        assert_eq!(stopped.code, Code::Cancelled);
        assert_eq!(run.notes(), [Note::NoTables]);
        drop(run);
        assert_eq!(seen, [(Phase::Reading, 0, 3), (Phase::Planning, 1, 3)]);
        let mut silent = Run::silent();
        assert!(silent.begin(Phase::Writing).is_ok());
    }
}
