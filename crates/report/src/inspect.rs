//! What `inspect` answers: the file's columns and its cells.

use marginswap_core::text::{escaped, grouped};
use serde::Serialize;

use crate::answer::{Answer, Names, aligned, aligned_left, counted, listed, percent, shown};

/// What is in a file.
#[derive(Debug, Clone, Serialize)]
pub struct InspectReport {
    /// The file.
    pub data: String,
    /// How it is written.
    pub format: String,
    /// How many records it has.
    pub records: usize,
    /// How many columns may be exchanged.
    pub variables: usize,
    /// The columns that take part.
    pub columns: Vec<ColumnReport>,
    /// The households of the file, where a column names them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub households: Option<HouseholdColumns>,
    /// The columns that are ignored.
    pub ignored: Vec<String>,
    /// How many notes and other texts the file holds beside its records, which may name people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<usize>,
    /// How many different combinations of values occur.
    pub cells: usize,
    /// How many records are alone with their combination.
    pub sample_uniques: usize,
    /// The columns that follow from others in every record.
    pub dependencies: Vec<DependencyReport>,
    /// What the columns hold, where it was asked for: values of the data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revealed: Option<Revealed>,
}

/// A column that follows from others in every record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DependencyReport {
    /// The column.
    pub column: String,
    /// The columns that it follows from.
    pub of: Names,
    /// How: `function` of one column, or `sum`.
    pub how: &'static str,
    /// The line of a project file that links them.
    pub linked: String,
}

/// The households of a file, and which of its columns are theirs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HouseholdColumns {
    /// How many there are.
    pub households: u64,
    /// How many members the largest has.
    pub largest: u64,
    /// The columns that all members of every household have in common: these can be exchanged.
    pub of_households: Vec<String>,
    /// The columns that are counted in a household, and stay.
    pub counted: Vec<String>,
    /// The columns that vary inside households.
    pub of_persons: Vec<String>,
}

impl HouseholdColumns {
    fn tell(&self, text: &mut String) {
        text.push_str(&format!(
            "\n{}, of up to {}\n",
            counted(self.households, "household", "households"),
            counted(self.largest, "member", "members")
        ));
        for (what, columns) in [
            ("the same for all members", &self.of_households),
            ("counted in a household, stays", &self.counted),
            ("varies inside households", &self.of_persons),
        ] {
            if !columns.is_empty() {
                text.push_str(&format!("  {what}: {}\n", listed(columns)));
            }
        }
    }
}

/// What the columns of a file hold.
#[derive(Debug, Clone, Serialize)]
pub struct Revealed {
    /// The levels of each column.
    pub columns: Vec<RevealedColumn>,
    /// The columns that follow from another one.
    pub functions: Vec<FunctionReport>,
}

/// The levels of one column.
#[derive(Debug, Clone, Serialize)]
pub struct RevealedColumn {
    /// Its name.
    pub name: String,
    /// Its levels, the most frequent first.
    pub levels: Vec<LevelReport>,
    /// Those that look like codes of missing values.
    pub missing_looking: Vec<Option<String>>,
}

/// One level.
#[derive(Debug, Clone, Serialize)]
pub struct LevelReport {
    /// The value; none for a null.
    pub value: Option<String>,
    /// How many records have it.
    pub records: u64,
    /// What the file says it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// A column that follows from another one.
#[derive(Debug, Clone, Serialize)]
pub struct FunctionReport {
    /// The column.
    pub column: String,
    /// The column that it follows from.
    pub of: String,
    /// Does the other follow from it too?
    pub both_ways: bool,
    /// The line of a project file that links them.
    pub linked: String,
    /// The line that derives the column, so that the file need not hold it.
    pub derive: Option<String>,
}

/// One column.
#[derive(Debug, Clone, Serialize)]
pub struct ColumnReport {
    /// Its name.
    pub name: String,
    /// May its values be exchanged?
    pub role: ColumnRole,
    /// How it follows from others, if it is a derived variable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub derived: Option<String>,
    /// How many different values it has.
    pub levels: usize,
    /// How many of its fields are empty or null.
    pub empty: u64,
    /// Is nearly every value different?
    pub looks_like_id: bool,
    /// What the file says it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// How many of its values have a label in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_labels: Option<usize>,
}

/// What may happen to a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnRole {
    /// Its values may be exchanged.
    Variable,
    /// It stays.
    Stay,
    /// It follows from columns, and is not in the file.
    Derived,
}

impl Answer for InspectReport {
    fn text(&self) -> String {
        let records = self.records as u64;
        let mut text = format!(
            "{} ({}): {}, {}\n\n",
            escaped(&self.data),
            self.format,
            counted(records, "record", "records"),
            counted(self.variables as u64, "variable", "variables"),
        );
        let mut rows = vec![["column", "levels", "empty", ""].map(str::to_owned).to_vec()];
        for column in self.columns.iter().filter(|column| column.derived.is_none()) {
            let mut remarks = Vec::new();
            if column.role == ColumnRole::Stay {
                remarks.push("stays".to_owned());
            }
            if column.looks_like_id {
                remarks.push("looks like an id".to_owned());
            }
            if let Some(labels) = column.value_labels.filter(|&labels| labels > 0) {
                remarks.push(counted(labels as u64, "value label", "value labels"));
            }
            if let Some(label) = &column.label {
                remarks.push(escaped(label));
            }
            rows.push(vec![
                shown(&column.name),
                grouped(column.levels as u64),
                grouped(column.empty),
                remarks.join(", "),
            ]);
        }
        text.push_str(&aligned(&rows));
        if !self.ignored.is_empty() {
            text.push_str(&format!("  ignored: {}\n", listed(&self.ignored)));
        }
        if let Some(notes) = self.notes.filter(|&notes| notes > 0) {
            let notes = counted(notes as u64, "note or attribute", "notes and attributes");
            text.push_str(&format!("  {notes} in the file, released as they are\n"));
        }
        let derived =
            self.columns.iter().filter_map(|column| Some((column, column.derived.as_ref()?)));
        let mut rows = vec![vec!["derived variable".to_owned(), "levels".to_owned()]];
        for (column, expression) in derived {
            let levels = grouped(column.levels as u64);
            rows.push(vec![shown(&column.name), format!("{levels:>6}"), escaped(expression)]);
        }
        if rows.len() > 1 {
            text.push('\n');
            text.push_str(&aligned_left(&rows));
        }
        text.push_str(&format!(
            "\n{}, {} ({} of the records)\n",
            counted(self.cells as u64, "distinct cell", "distinct cells"),
            counted(self.sample_uniques as u64, "sample unique", "sample uniques"),
            percent(self.sample_uniques as u64, records),
        ));
        match &self.households {
            Some(households) => households.tell(&mut text),
            None => self.tell_of_a_household(&mut text),
        }
        if !self.dependencies.is_empty() {
            text.push_str(
                "\nIn every record. Where some of the columns are exchanged without the others, a \
                 record that\nno longer obeys was exchanged; to link them, write under [swap]:\n",
            );
            let row = |found: &DependencyReport| {
                let column = shown(&found.column);
                let follows = match found.how {
                    "sum" => format!("{column} is the sum of {}", listed(&found.of)),
                    _ => format!("{column} follows from {}", listed(&found.of)),
                };
                vec![follows, escaped(&found.linked)]
            };
            let rows: Vec<Vec<String>> = self.dependencies.iter().map(row).collect();
            text.push_str(&aligned_left(&rows));
        }
        if let Some(revealed) = &self.revealed {
            revealed.tell(&mut text);
        }
        text
    }
}

impl InspectReport {
    /// Names a column that looks like that of households: few records share a value, and something
    /// never varies inside.
    fn tell_of_a_household(&self, text: &mut String) {
        for column in &self.columns {
            let inside: Vec<String> = self
                .dependencies
                .iter()
                .filter(|found| found.how == "function" && found.of == [column.name.clone()])
                .map(|found| found.column.clone())
                .collect();
            let small = !column.looks_like_id && in_small_groups(column.levels, self.records);
            if inside.is_empty() || !small {
                continue;
            }
            text.push_str(&format!(
                "\n{} looks like a column of households: few records share a value, and {} never \
                 {} inside one.\nWhole households are swapped with --household.\n",
                shown(&column.name),
                listed(&inside),
                if inside.len() == 1 { "varies" } else { "vary" }
            ));
            return;
        }
    }
}

/// Do few records share a value, as in a column of households: ten at most, on average? Whether
/// nearly every record has its own, and what varies inside, is asked elsewhere.
#[must_use]
pub fn in_small_groups(levels: usize, records: usize) -> bool {
    levels * 10 >= records
}

/// Levels of one column that are listed in words.
const MOST_LEVELS: usize = 30;

impl Revealed {
    fn tell(&self, text: &mut String) {
        text.push_str("\nValues of the data follow: this is as secret as the file.\n");
        for column in &self.columns {
            let levels = counted(column.levels.len() as u64, "level", "levels");
            text.push_str(&format!("\n{} ({levels}):\n", shown(&column.name)));
            let has_labels = column.levels.iter().any(|level| level.label.is_some());
            let rows: Vec<Vec<String>> = column
                .levels
                .iter()
                .take(MOST_LEVELS)
                .map(|level| {
                    let mut row = vec![value(level.value.as_ref()), grouped(level.records)];
                    if has_labels {
                        row.push(level.label.as_deref().map(escaped).unwrap_or_default());
                    }
                    row
                })
                .collect();
            text.push_str(&aligned(&rows));
            if column.levels.len() > MOST_LEVELS {
                let more = (column.levels.len() - MOST_LEVELS) as u64;
                let more = counted(more, "more level", "more levels");
                text.push_str(&format!("  and {more}; --json lists all\n"));
            }
            if !column.missing_looking.is_empty() {
                let codes: Vec<String> =
                    column.missing_looking.iter().map(|code| value(code.as_ref())).collect();
                text.push_str(&format!("  may be missing: {}\n", codes.join(", ")));
            }
        }
        for function in &self.functions {
            let (column, of) = (shown(&function.column), shown(&function.of));
            let each = if function.both_ways { ", and the other way round" } else { "" };
            text.push_str(&format!(
                "\n{column} follows from {of}{each}. If both are exchanged, write under [swap]:\n  {}\n",
                escaped(&function.linked)
            ));
            if let Some(derive) = &function.derive {
                text.push_str(&format!(
                    "or, without {column} in the file, under [derive]:\n  {}\n",
                    escaped(derive)
                ));
            }
        }
    }
}

fn value(value: Option<&String>) -> String {
    value.map_or("null".to_owned(), |value| format!("\"{}\"", escaped(value)))
}
