//! What a run reports while it works: notes, and how far it has come.
//!
//! Both are values. A door that wants to show them gives the run a watcher; the same watcher
//! can stop the run between two steps.

use std::fmt;
use std::path::PathBuf;

use marginswap_core::diagnostic::{escaped, grouped};

/// Something worth a word that stops nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// No table is kept.
    NoTables,
    /// There are more minimal separators than were listed.
    ManySeparators {
        /// How many were listed.
        listed: u64,
    },
    /// Nearly every value of some variables is different.
    IdsAmongVariables {
        /// The first of them.
        names: Vec<String>,
        /// How many there are beside these.
        more: u64,
    },
    /// Nearly every record differs in what stays.
    IdStays {
        /// The variable.
        variable: String,
        /// Its columns.
        columns: Vec<String>,
    },
    /// The first line looks like a record.
    NoHeader,
    /// A rule names a value that does not occur.
    RuleValueMissing {
        /// Which rule, from 1.
        rule: usize,
        /// The column.
        column: String,
    },
    /// Fewer records could be changed than the rate asks for.
    RateMissed {
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
    /// The name of the released file says another format than it has.
    MisleadingEnding {
        /// The format it has.
        format: &'static str,
    },
    /// The columns of the two files are in another order or not the same.
    OtherColumns,
    /// The released file has no id column.
    NoIdReleased,
    /// The released lines look like the original ones in another order.
    Reordered,
    /// Many records are to be compared one by one.
    ManyComparisons {
        /// How many at most.
        comparisons: u64,
    },
    /// The household column of targeted record swapping is not used.
    HouseholdsNotUsed,
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
                "warning: no table is kept; only each variable's own counts stay as they are",
            ),
            Self::ManySeparators { listed } => write!(
                formatter,
                "note: the margin graph has more than {} minimal separators (--max-separators).\n\
                 The pair test answers for the records that these leave open: exact, but slower.",
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
                     every swap look effective: leave it out with --id or --ignore.",
                    names.join(", ")
                )
            }
            Self::IdStays { variable, columns } => {
                let columns: Vec<String> = columns.iter().map(|column| escaped(column)).collect();
                write!(
                    formatter,
                    "warning: nearly every record differs in `{}`, which stays ({}).\n\
                     Every swap relative to it counts as effective: leave an id out with --id or --ignore.",
                    escaped(variable),
                    columns.join(", ")
                )
            }
            Self::NoHeader => formatter.write_str(
                "warning: does the file have a header line? The first line looks like a record: it was\n\
                 read as the names of the columns and is not counted among the records.",
            ),
            Self::RuleValueMissing { rule, column } => write!(
                formatter,
                "warning: rule {rule} names a value of `{column}` that does not occur in the file"
            ),
            Self::RateMissed { asked, changed } => write!(
                formatter,
                "warning: the rate asks for {asked} changed records, and {changed} could be changed"
            ),
            Self::SeedReadable { path } => write!(
                formatter,
                "warning: others can read {}, and with it repeat the choice of swaps; `chmod 600` it",
                path.display()
            ),
            Self::MisleadingEnding { format } => write!(
                formatter,
                "warning: the released file is {format} like the data, whatever its name ends in"
            ),
            Self::OtherColumns => formatter.write_str(
                "note: the columns of the released file stand in another order, or are not the same",
            ),
            Self::NoIdReleased => formatter.write_str(
                "note: the released file has not the id column; nothing is said of single records",
            ),
            Self::Reordered => formatter.write_str(
                "note: the released lines look like the original ones in another order; nothing is said \
                 of single records",
            ),
            Self::ManyComparisons { comparisons } => write!(
                formatter,
                "note: up to {} comparisons of records are ahead",
                grouped(*comparisons)
            ),
            Self::HouseholdsNotUsed => formatter.write_str(
                "note: `hid` under [trs] is not used: records are swapped one by one, not households",
            ),
            Self::PageNotWritten { path, why } => {
                write!(formatter, "warning: {} is not written: {why}", path.display())
            }
        }
    }
}

/// One run: its notes, and who is told of them.
#[derive(Default)]
pub struct Run<'a> {
    notes: Vec<Note>,
    watcher: Option<Box<dyn FnMut(&Note) + 'a>>,
}

impl<'a> Run<'a> {
    /// A run that keeps its notes and tells nobody.
    #[must_use]
    pub fn silent() -> Self {
        Self::default()
    }

    /// A run that tells of every note as it comes.
    pub fn watched(watcher: impl FnMut(&Note) + 'a) -> Self {
        Self { notes: Vec::new(), watcher: Some(Box::new(watcher)) }
    }

    /// Takes a note.
    pub fn note(&mut self, note: Note) {
        if let Some(watcher) = &mut self.watcher {
            watcher(&note);
        }
        self.notes.push(note);
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
