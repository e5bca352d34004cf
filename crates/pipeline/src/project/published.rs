//! Published tables to check against, as a project names them.
//!
//! The short form is a file. The long form says how the file speaks of the data: which of its
//! columns is which, the code of a total, what a cell that is missing means.
//!
//! ```toml
//! [verify]
//! published = ["table1.csv", "table2.json"]
//!
//! # or, in its place, with names:
//! [verify.published."Table 3"]
//! file = "table3.csv"
//! columns = { SEX = "sex", AGE = "age" }
//! total = ["_T", "TOTAL"]
//! ```

use std::collections::BTreeMap;
use std::path::PathBuf;

use marginswap_core::columns::did_you_mean;

use super::text::BadValue;
use crate::settings::{Entry, Misfit, Step, Value, Word};

/// One published table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PublishedEntry {
    /// What it is called; its file, unless set.
    pub name: Option<String>,
    /// Where its numbers are.
    pub file: PathBuf,
    /// Which column of the file is which column of the data, where the names differ.
    pub columns: BTreeMap<String, String>,
    /// The column of numbers, where it has another name than usual.
    pub count: Option<String>,
    /// Codes that mean the total; those of the project, where none is given.
    pub total: Vec<String>,
    /// Are cells that the file leaves out zero?
    pub absent_is_zero: bool,
    /// Only the lines that have these codes.
    pub only: BTreeMap<String, String>,
    /// Columns of the file that are no variables.
    pub ignore: Vec<String>,
    /// Signs of a suppressed number, besides the usual ones.
    pub suppressed: Vec<String>,
    /// The column of weights, where the numbers are sums of weights.
    pub weight: Option<String>,
    /// The people it counts, as a condition; everybody unless set.
    pub condition: Option<String>,
}

/// The published tables of a project, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PublishedEntries(pub Vec<PublishedEntry>);

impl PublishedEntry {
    /// What it is called.
    #[must_use]
    pub fn title(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.file.display().to_string())
    }

    fn read(value: &Value) -> Result<Self, Misfit> {
        match value {
            Value::Text(file) => Ok(Self { file: file.into(), ..Self::default() }),
            Value::Map(map) => Self::read_map(map),
            _ => Err(BadValue::new(
                format!("expected a file or a section, found {}", value.kind()),
                EXPLAINED,
            )
            .into()),
        }
    }

    fn read_map(map: &BTreeMap<String, Value>) -> Result<Self, Misfit> {
        let mut entry = Self::default();
        for (name, value) in map {
            entry.take(name, value).map_err(|misfit| misfit.inside(Step::Name(name.clone())))?;
        }
        if entry.file.as_os_str().is_empty() {
            return Err(BadValue::new("no `file` is named", EXPLAINED).into());
        }
        Ok(entry)
    }

    fn take(&mut self, name: &str, value: &Value) -> Result<(), Misfit> {
        match name {
            "name" => self.name = Word::read(value).map(Some)?,
            "file" => self.file = Word::read(value)?,
            "columns" => self.columns = Entry::read(value)?,
            "count" => self.count = Word::read(value).map(Some)?,
            "total" => self.total = one_or_more(value)?,
            "only" => self.only = Entry::read(value)?,
            "ignore" => self.ignore = one_or_more(value)?,
            "suppressed" => self.suppressed = one_or_more(value)?,
            "weight" => self.weight = Word::read(value).map(Some)?,
            "where" => self.condition = Word::read(value).map(Some)?,
            "absent" => {
                let text: String = Word::read(value)?;
                self.absent_is_zero = match text.as_str() {
                    "zero" => true,
                    "unpublished" => false,
                    _ => {
                        let detail = "this is neither `zero` nor `unpublished`";
                        return Err(BadValue::new(detail, EXPLAINED).into());
                    }
                };
            }
            _ => {
                let known: Vec<String> = KNOWN.map(str::to_owned).to_vec();
                let meant = did_you_mean(name, &known);
                let remedy =
                    if meant.starts_with("did you mean") { meant } else { EXPLAINED.to_owned() };
                let detail = format!("unknown entry; known here: {}", KNOWN.join(", "));
                return Err(BadValue::new(detail, remedy).into());
            }
        }
        Ok(())
    }

    /// As it can be read again; the short form where it says everything.
    fn write(&self) -> Value {
        let short = Self { file: self.file.clone(), ..Self::default() };
        if *self == short {
            return self.file.write();
        }
        let list = |list: &Vec<String>| (!list.is_empty()).then(|| Word::write(list));
        let text = |text: &Option<String>| text.as_ref().map(Value::text);
        let all = [
            ("name", text(&self.name)),
            ("file", Some(self.file.write())),
            ("columns", self.columns.value()),
            ("count", text(&self.count)),
            ("total", list(&self.total)),
            ("absent", self.absent_is_zero.then(|| Value::text("zero"))),
            ("only", self.only.value()),
            ("ignore", list(&self.ignore)),
            ("suppressed", list(&self.suppressed)),
            ("weight", text(&self.weight)),
            ("where", text(&self.condition)),
        ];
        let set = all.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        Value::Map(set.collect())
    }
}

const KNOWN: [&str; 11] = [
    "name",
    "file",
    "columns",
    "count",
    "total",
    "absent",
    "only",
    "ignore",
    "suppressed",
    "weight",
    "where",
];

const EXPLAINED: &str = "docs/published-tables.md says how a published table is named";

fn one_or_more(value: &Value) -> Result<Vec<String>, Misfit> {
    match value {
        Value::Text(text) => Ok(vec![text.clone()]),
        _ => Word::read(value),
    }
}

impl Entry for PublishedEntries {
    fn read(value: &Value) -> Result<Self, Misfit> {
        let named = |map: &BTreeMap<String, Value>| {
            let entries = map.iter().map(|(name, value)| {
                let entry = PublishedEntry::read(value)
                    .map_err(|misfit| misfit.inside(Step::Name(name.clone())))?;
                Ok(PublishedEntry { name: entry.name.clone().or(Some(name.clone())), ..entry })
            });
            entries.collect::<Result<Vec<_>, Misfit>>()
        };
        let entries = match value {
            Value::List(list) => {
                let entries = list.iter().enumerate().map(|(place, value)| {
                    PublishedEntry::read(value).map_err(|misfit| misfit.inside(Step::Item(place)))
                });
                entries.collect::<Result<Vec<_>, Misfit>>()?
            }
            Value::Map(map) if matches!(map.get("file"), Some(Value::Text(_))) => {
                vec![PublishedEntry::read_map(map)?]
            }
            Value::Map(map) => named(map)?,
            other => vec![PublishedEntry::read(other)?],
        };
        Ok(Self(entries))
    }

    fn value(&self) -> Option<Value> {
        let list = self.0.iter().map(PublishedEntry::write).collect();
        (!self.0.is_empty()).then_some(Value::List(list))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(entries: &[(&str, Value)]) -> Value {
        let entries = entries.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        Value::Map(entries.collect())
    }

    #[test]
    fn every_form_comes_back() {
        let long = map(&[
            ("file", Value::text("t.csv")),
            ("columns", map(&[("SEX", Value::text("sex"))])),
            ("total", Value::text("_T")),
            ("absent", Value::text("zero")),
            ("weight", Value::text("w")),
        ]);
        for value in [
            Value::text("t.csv"),
            Value::List(vec![Value::text("t.csv"), long.clone()]),
            long.clone(),
            map(&[("Table 3", long.clone()), ("Table 4", Value::text("u.csv"))]),
        ] {
            let entries = PublishedEntries::read(&value).unwrap();
            let again = PublishedEntries::read(&entries.value().unwrap()).unwrap();
            assert_eq!(entries, again);
        }
        let named = PublishedEntries::read(&map(&[("Table 3", long)])).unwrap();
        assert_eq!(named.0[0].title(), "Table 3");
        assert!(named.0[0].absent_is_zero);
        assert_eq!(named.0[0].total, ["_T"]);
    }

    #[test]
    fn what_is_no_entry_is_refused_at_its_place() {
        let typo = map(&[("file", Value::text("t.csv")), ("totl", Value::text("_T"))]);
        let misfit = PublishedEntries::read(&Value::List(vec![typo])).unwrap_err();
        assert_eq!(misfit.path, [Step::Item(0), Step::Name("totl".into())]);
        assert!(misfit.refusal.remedy.contains("`total`"), "{}", misfit.refusal.remedy);
        for bad in [
            Value::Switch(true),
            map(&[("Table 3", map(&[("total", Value::text("_T"))]))]),
            map(&[("Table 3", map(&[("file", Value::text("t")), ("absent", Value::text("no"))]))]),
        ] {
            assert!(PublishedEntries::read(&bad).is_err(), "{bad:?}");
        }
    }
}
