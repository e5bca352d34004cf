//! The one table of settings.
//!
//! A setting is an entry of the project file, a flag of the commands that use it, and, where
//! it decides a plan, a parameter of the plan file. All of these come from [`SETTINGS`]: its
//! rows name the setting, say what it takes, explain it in one line and reach its field in a
//! [`Project`]. Adding a setting adds a row and the code that uses it.
//!
//! Way in: [`SETTINGS`], [`find`]. The page for users, `docs/settings.md`, is written by
//! [`page`].

mod heading;
mod page;
mod table;
pub mod topics;
mod value;

pub use heading::Heading;
pub(crate) use page::SECTIONS;
pub use page::page;
pub use table::SETTINGS;
pub use value::{Entry, Misfit, Step, Value, Word};

use std::collections::BTreeMap;

use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::graph::{Formula, parse_names, quoted};

use crate::derive::{named, plain};
use crate::project::{BadValue, ModelChoice, Project};
use crate::refusal::Code;
use marginswap_io::Delimiter;

/// One row of the table.
#[derive(Debug)]
pub struct Setting {
    /// The section of the project file; empty at its top.
    pub section: &'static str,
    /// Its name there, and in a plan's parameters.
    pub name: &'static str,
    /// Its flag without the dashes; empty where there is none.
    pub flag: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// What holds where it is not set, in words.
    pub default: &'static str,
    /// What it does, in one line.
    pub help: &'static str,
    /// Which commands ask for it.
    pub topic: Topic,
    /// Does it decide a plan?
    pub decides: bool,
    /// A value to show, where none can be made from the file's columns.
    pub example: &'static str,
    get: fn(&Project) -> Option<Value>,
    set: fn(&mut Project, &Value) -> Result<(), Misfit>,
    lay: fn(&mut Project, &Project),
}

/// What a setting takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A list of columns.
    Names,
    /// One column.
    Name,
    /// Several lists of columns.
    Groups,
    /// Tables, as `region*sex*age`.
    Tables,
    /// A table, or several, by name.
    NamedTables,
    /// Forbidden combinations.
    Rules,
    /// A file.
    Path,
    /// Several files, with what the user says about each.
    Files,
    /// A word or number of its own kind, called this in a flag's help.
    Text(&'static str),
    /// On or off.
    Switch,
    /// A number for each of some columns.
    Numbers,
    /// A width of classes for each of some columns.
    Widths,
    /// Intruders by name.
    Scenarios,
    /// Codes as they are in the file, one for each time a flag is given.
    Codes,
    /// Expressions by name.
    Derived,
}

/// What a setting is about; a command takes the settings of the topics it uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// The data file and how it is read.
    Data,
    /// What each column is.
    Columns,
    /// What every swap keeps.
    Ties,
    /// What an intruder may know.
    Keys,
    /// Who is at risk.
    Risk,
    /// How the risk is estimated.
    Model,
    /// Who may be whose partner.
    Partners,
    /// How large a single swap may be.
    Size,
    /// How partners are chosen.
    Planning,
    /// Exchanging with a certificate.
    Mechanism,
    /// Where the plan is kept.
    Plan,
    /// What is released.
    Release,
    /// The released files next to that of the records.
    Released,
    /// The pages about it.
    Pages,
    /// What the pages look at besides the kept tables.
    Watch,
    /// What a released file is checked against besides the original.
    Published,
    /// What the gate tolerates.
    Gate,
    /// Another program's parameters.
    Preset,
}

impl Setting {
    /// Its name with its section, as `risk.keys`.
    #[must_use]
    pub fn key(&self) -> String {
        if self.section.is_empty() {
            self.name.to_owned()
        } else {
            format!("{}.{}", self.section, self.name)
        }
    }

    /// The section under which it is written: derived variables have one of their own.
    pub(crate) fn page_section(&self) -> &'static str {
        if self.kind == Kind::Derived { self.name } else { self.section }
    }

    /// May it name a derived variable in place of a column? What is done to a column itself, or
    /// taken from it, cannot be set for a derived variable.
    #[must_use]
    pub fn takes_derived(&self) -> bool {
        !matches!(
            (self.section, self.name),
            ("columns" | "unit" | "release" | "trs", _) | ("swap", "weight" | "weights" | "linked")
        )
    }

    /// What a project gives it.
    #[must_use]
    pub fn get(&self, project: &Project) -> Option<Value> {
        (self.get)(project)
    }

    /// Gives it a value.
    ///
    /// # Errors
    /// When the value is of another kind, or means nothing.
    pub fn set(&self, project: &mut Project, value: &Value) -> Result<(), Misfit> {
        self.check(value)?;
        (self.set)(project, value)
    }

    /// Lays what one project says over what another says.
    pub fn lay(&self, under: &mut Project, over: &Project) {
        (self.lay)(under, over);
    }

    /// Tables are looked at before they are taken: each text must be a formula.
    fn check(&self, value: &Value) -> Result<(), Misfit> {
        let tables: Vec<(Step, &Value)> = match (self.kind, value) {
            (Kind::Tables, Value::List(tables)) => {
                tables.iter().enumerate().map(|(place, one)| (Step::Item(place), one)).collect()
            }
            (Kind::NamedTables, Value::Map(tables)) => {
                tables.iter().map(|(name, one)| (Step::Name(name.clone()), one)).collect()
            }
            _ => return Ok(()),
        };
        for (step, table) in tables {
            if let Value::Text(text) = table {
                Formula::parse(&[text]).map_err(|refusal| Misfit {
                    refusal: BadValue::from(refusal),
                    path: vec![step],
                })?;
            }
        }
        Ok(())
    }

    /// The value that a flag gives which was typed once or several times.
    ///
    /// # Errors
    /// When a list of names cannot be read.
    pub fn typed(&self, texts: &[String]) -> Result<Value, Diagnostic> {
        let names = |texts: &[String]| -> Result<Vec<Value>, Diagnostic> {
            Ok(names_in(texts)?.into_iter().map(Value::Text).collect())
        };
        let list = || texts.iter().map(Value::text).collect();
        let first = || texts.first().cloned().unwrap_or_default();
        Ok(match self.kind {
            Kind::Names => Value::List(names(texts)?),
            Kind::Groups => {
                let groups = texts.iter().map(|text| names(std::slice::from_ref(text)));
                Value::List(groups.map(|group| group.map(Value::List)).collect::<Result<_, _>>()?)
            }
            Kind::Name => match &names(&[first()])?[..] {
                [one] => one.clone(),
                _ => return Err(one_column(self)),
            },
            Kind::Tables => {
                Formula::parse(texts)?;
                Value::List(list())
            }
            Kind::Rules | Kind::Codes | Kind::Files => Value::List(list()),
            Kind::Derived => {
                let mut all = BTreeMap::new();
                for text in texts {
                    let (name, expression) = named(text).map_err(|bad| {
                        Diagnostic::new(Code::BadExpression, bad.detail, bad.remedy)
                    })?;
                    if all.insert(name.clone(), Value::text(expression.to_string())).is_some() {
                        return Err(Diagnostic::new(
                            Code::RepeatedName,
                            format!("two derived variables are called `{name}`"),
                            "give each a name of its own",
                        ));
                    }
                }
                Value::Map(all)
            }
            Kind::Path | Kind::Text(_) => {
                // A delimiter that is none has an error of its own.
                if self.name == "delimiter" {
                    Delimiter::parse(&first())?;
                }
                Value::Text(first())
            }
            Kind::Switch => Value::Switch(true),
            Kind::Widths => Value::Map(widths_in(texts)?),
            Kind::Numbers | Kind::Scenarios | Kind::NamedTables => Value::Map(Default::default()),
        })
    }

    /// What must be typed for its flag to give a project's value, once for each text.
    #[must_use]
    pub fn retyped(&self, project: &Project) -> Vec<String> {
        let word = |value: &Value| match value {
            Value::Text(text) | Value::Number(text) => text.clone(),
            _ => String::new(),
        };
        let names = |list: &[Value]| {
            let names = list.iter().map(|name| listed(&word(name)));
            names.collect::<Vec<_>>().join(",")
        };
        match (self.kind, self.get(project)) {
            (_, None)
            | (Kind::Numbers | Kind::Scenarios | Kind::NamedTables, _)
            | (Kind::Switch, Some(Value::Switch(false))) => vec![],
            (Kind::Switch, _) => vec![String::new()],
            (Kind::Name, Some(name)) => vec![listed(&word(&name))],
            (Kind::Names, Some(Value::List(list))) => vec![names(&list)],
            (Kind::Groups, Some(Value::List(groups))) => groups
                .iter()
                .map(|group| match group {
                    Value::List(list) => names(list),
                    _ => String::new(),
                })
                .collect(),
            (Kind::Derived, Some(_)) => {
                let all = project.derive.iter();
                all.map(|(name, expression)| format!("{} = {expression}", plain(name))).collect()
            }
            (Kind::Widths, Some(_)) => {
                let all = project.risk.roughly.iter();
                all.map(|(name, width)| format!("{}={width}", listed(name))).collect()
            }
            (Kind::Rules, Some(_)) => project.swap.rules.iter().map(ToString::to_string).collect(),
            (_, Some(Value::List(list))) => list.iter().map(word).collect(),
            (_, Some(value)) => vec![word(&value)],
        }
    }

    /// The columns that a project names in it.
    #[must_use]
    pub fn columns(&self, project: &Project) -> Vec<String> {
        fn texts(value: &Value, found: &mut Vec<String>) {
            match value {
                Value::Text(text) => found.push(text.clone()),
                Value::List(list) => list.iter().for_each(|item| texts(item, found)),
                Value::Map(map) => found.extend(map.keys().cloned()),
                Value::Number(_) | Value::Switch(_) => {}
            }
        }
        let mut found = Vec::new();
        match self.kind {
            Kind::Names | Kind::Name | Kind::Groups | Kind::Numbers | Kind::Widths => {
                if let Some(value) = self.get(project) {
                    texts(&value, &mut found);
                }
            }
            Kind::Tables => {
                if let Some(value) = self.get(project) {
                    let mut formulas = Vec::new();
                    texts(&value, &mut formulas);
                    found = Formula::parse(&formulas).map_or(vec![], |formula| formula.names());
                    if self.name == "never_new" {
                        found.retain(|name| name != EVERYWHERE && name != NOWHERE);
                    }
                }
            }
            Kind::NamedTables => {
                let formulas: Vec<&String> = project.keep.named.values().collect();
                found = Formula::parse(&formulas).map_or(vec![], |formula| formula.names());
            }
            Kind::Path if self.name == "list" => {
                let mut names: Vec<&String> =
                    project.keep.listed.iter().flat_map(|table| &table.variables).collect();
                names.sort_unstable();
                names.dedup();
                found = names.into_iter().cloned().collect();
            }
            Kind::Rules => {
                let terms = project.swap.rules.iter().flat_map(|rule| &rule.terms);
                found.extend(terms.map(|term| term.column.clone()));
            }
            Kind::Text(_) => {
                if let ("model", Some(ModelChoice::Tables(text))) = (self.name, &project.risk.model)
                {
                    found = Formula::parse(&[text]).map_or(vec![], |formula| formula.names());
                }
            }
            Kind::Scenarios => {
                for intruder in project.risk.scenarios.values() {
                    found.extend(intruder.keys.iter().chain(&intruder.sensitive).cloned());
                }
            }
            Kind::Path | Kind::Files | Kind::Switch | Kind::Codes | Kind::Derived => {}
        }
        found
    }
}

/// What `never_new` says for all pairs of variables with few levels.
pub const EVERYWHERE: &str = "all";

/// What `never_new` says where any two values may come together.
pub const NOWHERE: &str = "none";

/// The setting of a section and a name.
#[must_use]
pub fn find(section: &str, name: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.section == section && setting.name == name)
}

/// A name as it is typed in a list of names.
fn listed(name: &str) -> String {
    let plain = !name.contains([',', '`']) && name.trim() == name;
    if plain { name.to_owned() } else { format!("`{}`", name.replace('`', "``")) }
}

/// A table as it is typed.
#[must_use]
pub fn formula(names: &[&str]) -> String {
    names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join("*")
}

/// The names in texts as they are typed, with commas between them. An empty text has none: a last
/// match list that asks for nothing.
///
/// # Errors
/// When a quoted name has no end.
pub fn names_in(texts: &[String]) -> Result<Vec<String>, Diagnostic> {
    let texts = texts.iter().filter(|text| !text.is_empty());
    Ok(texts.map(|text| parse_names(text)).collect::<Result<Vec<_>, _>>()?.concat())
}

/// Columns with widths as they are typed: `age=5`, one in each text.
fn widths_in(texts: &[String]) -> Result<BTreeMap<String, Value>, Diagnostic> {
    let mut all = BTreeMap::new();
    for text in texts {
        let refusal = || {
            Diagnostic::new(
                Code::BadFormula,
                "a column, `=` and the width of its classes are expected",
                "write `age=5`, and give the flag again for another column",
            )
        };
        let (name, width) = text.rsplit_once('=').ok_or_else(refusal)?;
        let [name] = &parse_names(name.trim())?[..] else { return Err(refusal()) };
        if all.insert(name.clone(), Value::text(width.trim())).is_some() {
            return Err(Diagnostic::new(
                Code::RepeatedName,
                format!("`roughly` names `{name}` twice"),
                "give each column one width",
            ));
        }
    }
    Ok(all)
}

fn one_column(setting: &Setting) -> Diagnostic {
    Diagnostic::new(
        Code::BadFormula,
        format!("`{}` names more than one column", setting.name),
        "name one; put a name that contains a comma between backticks",
    )
}
