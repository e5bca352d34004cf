//! A list of the tables that an office publishes, as a CSV file.
//!
//! | column | what it says | without it |
//! |---|---|---|
//! | `name` | what the table is called | the table has no name |
//! | `variables` | `region*sex`, or `region, sex` | required |
//! | `where` | the people it counts, as `age >= 18` | everybody |
//! | `unit` | `person` | persons |
//! | `weighted` | `yes`: the weight joins the table | `no` |
//! | `published` | `yes`: it is never suggested for dropping | `no` |
//!
//! A condition becomes a derived variable, called as it is written, and joins the table: the
//! table of everybody by the condition holds the table of those who meet it.
//!
//! Way in: [`Project::completed`].

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use marginswap_core::columns::did_you_mean;
use marginswap_core::diagnostic::{Diagnostic, Kind};
use marginswap_core::graph::{Formula, parse_names, quoted};
use marginswap_io::{ReadOptions, Source};

use super::{BadValue, Project};
use crate::areas::{Areas, group_column, group_sizes};
use crate::derive::{Expression, Together, plain};
use crate::refusal::Code;

/// A table of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedTable {
    /// What it is called.
    pub name: Option<String>,
    /// Its variables, the condition and the weight included.
    pub variables: Vec<String>,
    /// Is it published, so that nobody may drop it?
    pub published: bool,
    /// The line of the list.
    pub line: u64,
}

impl ListedTable {
    /// The table as a formula.
    #[must_use]
    pub fn formula(&self) -> String {
        let names: Vec<String> = self.variables.iter().map(|name| quoted(name)).collect();
        names.join("*")
    }
}

/// What the columns of a list are called.
const HEADS: [&str; 6] = ["name", "variables", "where", "unit", "weighted", "published"];

/// A line of the list, not yet looked at.
struct Row {
    fields: [String; 6],
    line: u64,
}

impl Project {
    /// This project with the tables of its list, and with their conditions, and those of published
    /// tables, among its derived variables. A project that is completed comes back as it is.
    ///
    /// # Errors
    /// A list that cannot be read, or a line of it that says no table.
    pub fn completed(self) -> Result<Self, Diagnostic> {
        self.with_list()?.with_areas()
    }

    /// The project with near areas as those of its file of areas are.
    fn with_areas(mut self) -> Result<Self, Diagnostic> {
        let Some(path) = self.swap.areas.clone().filter(|_| self.swap.area_groups.is_empty())
        else {
            return Ok(self);
        };
        let areas = Areas::read(&path)?;
        let column = plain(&areas.column);
        let file = path.display().to_string().replace('"', "\"\"");
        let sizes = group_sizes(areas.len());
        let groups: Vec<String> =
            sizes.iter().map(|size| format!("group of {size} areas")).collect();
        let mut near = vec![areas.column.clone()];
        near.extend_from_slice(&groups);
        if !self.swap.near.is_empty() && self.swap.near != near {
            return Err(refuse(
                Code::OptionsClash,
                "near areas are named and a file of areas is given",
                "leave out one of them",
            )
            .about("swap.areas"));
        }
        for (size, name) in sizes.into_iter().zip(&groups) {
            let text = format!("map({column}, \"{file}\", \"{}\")", group_column(size));
            let expression = text.parse().map_err(|bad: BadValue| {
                refuse(Code::BadLookup, bad.detail, bad.remedy).in_file(&path)
            })?;
            self.derive.insert(name.clone(), expression);
        }
        (self.swap.near, self.swap.area_groups) = (near, groups);
        Ok(self)
    }

    /// The project with the tables of its list.
    fn with_list(mut self) -> Result<Self, Diagnostic> {
        for place in 0..self.verify.published.0.len() {
            if let Some(condition) = self.verify.published.0[place].condition.clone() {
                let folder = PathBuf::from(&self.verify.published.0[place].file);
                self.condition(&folder, condition.trim())?;
            }
        }
        let Some(path) = self
            .keep
            .list
            .clone()
            .filter(|_| self.keep.listed.is_empty() && self.keep.listed_households == 0)
        else {
            return Ok(self);
        };
        let rows = rows(&path)?;
        let mut names: BTreeSet<String> = self.keep.named.keys().cloned().collect();
        for row in rows {
            let line = row.line;
            let of_households = self.counts_households(&row.fields[3]);
            let of_households = of_households.map_err(|refusal| placed(refusal, &path, line))?;
            let found = self.listed(&path, row).and_then(|tables| {
                match tables.first().and_then(|table| table.name.clone()) {
                    Some(name) if !names.insert(name.clone()) => Err(refuse(
                        Code::BadTableList,
                        format!("an earlier table is called `{name}` too"),
                        "give each table a name of its own",
                    )
                    .in_column("`name`")),
                    _ => Ok(tables),
                }
            });
            let found = found.map_err(|refusal| placed(refusal, &path, line))?;
            match of_households {
                false => self.keep.listed.extend(found),
                true => {
                    self.keep.listed_households += found.len();
                    self.keep.households.extend(found.iter().map(ListedTable::formula));
                }
            }
        }
        Ok(self)
    }

    /// This project as it was before it was completed.
    #[must_use]
    pub fn as_written(mut self) -> Self {
        self.keep.listed.clear();
        let of_households = std::mem::take(&mut self.keep.listed_households);
        let own = self.keep.households.len() - of_households;
        self.keep.households.truncate(own);
        for condition in std::mem::take(&mut self.keep.conditions) {
            self.derive.remove(&condition);
        }
        self.without_area_groups()
    }

    /// This project without what a file of areas expands to: that only says who is preferred.
    #[must_use]
    pub(super) fn without_area_groups(mut self) -> Self {
        if !self.swap.area_groups.is_empty() {
            for group in std::mem::take(&mut self.swap.area_groups) {
                self.derive.remove(&group);
            }
            self.swap.near.clear();
        }
        self
    }

    /// Does a table of this unit count each household once?
    fn counts_households(&self, unit: &str) -> Result<bool, Diagnostic> {
        match unit.trim().to_ascii_lowercase().as_str() {
            "" | "person" | "persons" | "record" => Ok(false),
            "household" | "households" if self.unit.household.is_some() => Ok(true),
            "household" | "households" => Err(refuse(
                Code::NoHouseholds,
                "the table counts households, and no column names them",
                "name the household column, or leave the table out of the list",
            )
            .in_column("`unit`")),
            _ => Err(refuse(Code::BadTableList, "unknown unit", "write `person` or `household`")
                .in_column("`unit`")),
        }
    }

    /// The tables of one line: more than one where its formula has several.
    fn listed(&mut self, list: &Path, row: Row) -> Result<Vec<ListedTable>, Diagnostic> {
        let [name, variables, condition, _, weighted, published] = row.fields;
        let mut more: Vec<String> = Vec::new();
        more.extend(self.condition(list, condition.trim())?);
        if yes(&weighted, "weighted")? {
            more.push(self.swap.weight.clone().ok_or_else(|| {
                refuse(
                    Code::MissingSetting,
                    "the table is weighted, and no column of weights is named",
                    "name the column of weights",
                )
                .about("swap.weight")
            })?);
        }
        let published = yes(&published, "published")?;
        let tables = match variables.contains(',') && !variables.contains('*') {
            true => vec![parse_names(&variables)?],
            false => Formula::parse(&[&variables])?.tables().to_vec(),
        };
        let name = Some(name.trim().to_owned()).filter(|name| !name.is_empty());
        let table = |mut variables: Vec<String>| {
            for one in &more {
                if !variables.contains(one) {
                    variables.push(one.clone());
                }
            }
            ListedTable { name: name.clone(), variables, published, line: row.line }
        };
        Ok(tables.into_iter().map(table).collect())
    }

    /// The derived variable of a condition; none where everybody is counted.
    fn condition(&mut self, list: &Path, text: &str) -> Result<Option<String>, Diagnostic> {
        if text.is_empty() {
            return Ok(None);
        }
        let bad = |detail: String, remedy: String| {
            refuse(Code::BadTableList, detail, remedy).in_column("`where`")
        };
        if self.derive.contains_key(text) {
            return Ok(Some(text.to_owned()));
        }
        let mut expression: Expression =
            text.parse().map_err(|error: super::BadValue| bad(error.detail, error.remedy))?;
        let is_any = expression.together().is_some_and(|(how, _)| how == Together::Any);
        if !expression.is_condition() && !is_any {
            return Err(bad(
                "this is not a condition".to_owned(),
                "compare a column with something, as in `age >= 18`".to_owned(),
            ));
        }
        expression.start_paths_at(list.parent().unwrap_or(Path::new("")));
        self.derive.insert(text.to_owned(), expression);
        self.keep.conditions.push(text.to_owned());
        Ok(Some(text.to_owned()))
    }
}

/// The lines of a list, their fields in the order of [`HEADS`].
fn rows(path: &Path) -> Result<Vec<Row>, Diagnostic> {
    let source = Source::open(path, &ReadOptions::default())?;
    let Some(mut reader) = source.into_csv() else {
        return Err(refuse(Code::ForeignFile, "a list of tables is a CSV file", "store it as CSV")
            .in_file(path));
    };
    let places = places(reader.columns()).map_err(|refusal| placed(refusal, path, 1))?;
    let mut rows = Vec::new();
    let mut scratch = Vec::new();
    while let Some(record) = reader.next_record()? {
        let mut fields: [String; 6] = Default::default();
        for (field, place) in fields.iter_mut().zip(places) {
            let Some(place) = place else { continue };
            let bytes = record.content(place, &mut scratch);
            let text = std::str::from_utf8(bytes).map_err(|_| {
                let refusal =
                    refuse(Code::BadTableList, "the line is not UTF-8", "save the list as UTF-8");
                placed(refusal, path, record.line())
            })?;
            *field = text.to_owned();
        }
        rows.push(Row { fields, line: record.line() });
    }
    if rows.is_empty() {
        let refusal =
            refuse(Code::NoRecords, "the list names no table", "write one line for each table");
        return Err(refusal.in_file(path));
    }
    Ok(rows)
}

/// Where each column of a list is.
fn places(columns: &[String]) -> Result<[Option<usize>; 6], Diagnostic> {
    if let Some(other) = columns.iter().find(|column| !HEADS.contains(&column.as_str())) {
        let known = HEADS.map(str::to_owned);
        let meant = did_you_mean(other, &known);
        return Err(refuse(
            Code::BadTableList,
            format!("`{other}` is not a column of a list of tables; they are {}", HEADS.join(", ")),
            if meant.starts_with("did you mean") { meant } else { "remove the column".to_owned() },
        ));
    }
    let place = |head: &str| columns.iter().position(|column| column == head);
    if place("variables").is_none() {
        return Err(refuse(
            Code::BadTableList,
            "the list has no column `variables`",
            "begin the list with the line `name,variables`",
        ));
    }
    Ok(HEADS.map(place))
}

fn yes(text: &str, column: &str) -> Result<bool, Diagnostic> {
    match text.trim().to_ascii_lowercase().as_str() {
        "" | "no" | "false" | "0" => Ok(false),
        "yes" | "true" | "1" => Ok(true),
        _ => Err(refuse(Code::BadTableList, "this is neither yes nor no", "write `yes` or `no`")
            .in_column(format!("`{column}`"))),
    }
}

fn refuse(code: Kind, detail: impl Into<String>, remedy: impl Into<String>) -> Diagnostic {
    Diagnostic::new(code, detail, remedy)
}

fn placed(mut refusal: Diagnostic, path: &Path, line: u64) -> Diagnostic {
    refusal.place.file = Some(PathBuf::from(path));
    refusal.place.line = Some(line);
    refusal
}
