//! From settings as they are typed to what they mean in a file.
//!
//! A [`Project`] is what a user typed: names that may be of no column, a list of tables to read,
//! entries that are left out. [`Resolved`] is what that means where the header of the data is known:
//! every name is a column or a derived variable, every list is read, every role is given once. Only
//! the functions here make one, and nothing edits one; a question that needs other settings changes
//! what was typed and resolves that.
//!
//! Where households are swapped, the same settings are said once more in the words of the table of
//! households, and of the persons after them: `Resolved::in_words`.
//!
//! Way in: [`open`], [`resolve`].

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;
use std::path::{Path, PathBuf};

use marginswap_core::columns::did_you_mean;
use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::graph::Formula;
use marginswap_core::text::quoted;
use serde_json::Value;

use crate::derive::{Derivations, Expression, Take};
use crate::household::Parts;
use crate::input::{Given, Opened, Reading};
use crate::project::{BadValue, Pairing, Project, WeightDrift, check_effects};
use crate::refusal::Code;
use crate::settings::{Kind, SETTINGS, Topic};

/// What the settings of a project mean in a file. It is read like a project, and never edited.
pub struct Resolved {
    typed: Project,
    meant: Project,
}

impl Deref for Resolved {
    type Target = Project;

    fn deref(&self) -> &Project {
        &self.meant
    }
}

impl Resolved {
    /// What was typed, with the lists that it names.
    #[must_use]
    pub fn typed(&self) -> &Project {
        &self.typed
    }

    /// What decides a plan, as it was typed: [`Project::parameters`].
    #[must_use]
    pub fn parameters(&self) -> Value {
        self.typed.parameters()
    }

    /// The same settings over another table that is made of the file.
    pub(crate) fn in_words(&self, meant: Project) -> Self {
        Self { typed: self.typed.clone(), meant }
    }
}

/// Opens the data of a project and resolves its settings there.
///
/// # Errors
/// When no data are named, their header cannot be read, or as [`resolve`].
pub fn open(typed: &Project, take: Take) -> Result<(Resolved, Opened), Diagnostic> {
    let typed = typed.clone().completed()?;
    let path = data_of(&typed)?;
    refuse_without_households(&typed)?;
    let given = match (&typed.frame, &typed.unit.file) {
        (Some(frame), _) => Given::Frame(frame),
        (None, Some(households)) => Given::Files { persons: &path, households },
        (None, None) => Given::File(&path),
    };
    let source = given.open(Reading::of(&typed))?;
    let (settings, derived) = resolve(typed, (&path, &source), take)?;
    let roles = (&settings.columns, Reading::of(&settings));
    let opened = Opened::new(&path, source, roles, derived)?;
    Ok((settings, opened))
}

/// What typed settings mean where the columns are known, with these of the derived variables.
///
/// # Errors
/// When a setting names a column that is not there, has two roles or cannot do what it says.
pub fn resolve(
    typed: Project,
    (path, header): (&Path, &Parts),
    take: Take,
) -> Result<(Resolved, Derivations), Diagnostic> {
    let columns = header.columns();
    let mut meant = typed.clone();
    expand_families(&mut meant, columns)?;
    add_counted(&mut meant, columns)?;
    check_effects(&meant)?;
    check_listed(&meant, columns)?;
    check_names(&meant, columns, header.looks_like_a_record())
        .map_err(|error| error.in_file(path))?;
    let derived = Derivations::of(&meant, columns, take)?;
    leave_weight_at_rest(&mut meant)?;
    Ok((Resolved { typed, meant }, derived))
}

/// The data file that a project names.
///
/// # Errors
/// [`Code::MissingSetting`].
pub fn data_of(project: &Project) -> Result<PathBuf, Diagnostic> {
    let frame = project.frame.as_ref().map(|frame| frame.label().to_owned());
    frame.or_else(|| project.data.clone()).ok_or_else(|| {
        Diagnostic::new(
            Code::MissingSetting,
            "no data file is named",
            "name it on the command line, or as `data` in the project file",
        )
    })
}

/// Puts the tables of `all 2-way` in its place: those of the columns that take part.
fn expand_families(project: &mut Project, columns: &[String]) -> Result<(), Diagnostic> {
    let told = &project.columns;
    let apart = [&told.id, &project.unit.household, &project.swap.weight];
    let part: Vec<String> = columns
        .iter()
        .filter(|name| told.vars.is_empty() || told.vars.contains(name))
        .filter(|name| !told.ignore.contains(name) && !apart.contains(&&Some((*name).clone())))
        .cloned()
        .collect();
    for text in &mut project.keep.tables {
        let formula = Formula::parse(&[&*text])?;
        if !formula.has_families() {
            continue;
        }
        let formula = formula
            .with_families(&part)
            .map_err(|refusal| refusal.about(format!("keep.tables={text}")))?;
        let table = |table: &Vec<String>| {
            table.iter().map(|name| quoted(name)).collect::<Vec<_>>().join("*")
        };
        *text = formula.tables().iter().map(table).collect::<Vec<_>>().join(" + ");
    }
    Ok(())
}

/// The name for the number of members.
pub(crate) const SIZE: &str = "size";

/// Adds what a project names that is counted in households, such as `size` or `count(age < 18)`, to
/// its derived variables.
fn add_counted(project: &mut Project, columns: &[String]) -> Result<(), Diagnostic> {
    if project.unit.household.is_none() {
        return Ok(());
    }
    let settings = SETTINGS.iter().filter(|setting| setting.topic != Topic::Preset);
    let named: BTreeMap<String, String> = settings
        .flat_map(|setting| {
            let names = setting.columns(project).into_iter();
            names.map(|name| (name, setting.key())).collect::<Vec<_>>()
        })
        .collect();
    for (name, setting) in named {
        if columns.contains(&name) || project.derive.contains_key(&name) {
            continue;
        }
        let text = if name == SIZE { "size()" } else { name.as_str() };
        let counts = ["size(", "count(", "any(", "members("];
        if !counts.iter().any(|begins| text.starts_with(begins)) {
            continue;
        }
        let expression: Expression = text.parse().map_err(|bad: BadValue| {
            Diagnostic::new(Code::BadFormula, bad.detail, bad.remedy)
                .about(format!("{setting}={name}"))
        })?;
        if expression.together().is_some() {
            project.derive.insert(name, expression);
        }
    }
    Ok(())
}

/// Refuses settings of households where records are swapped.
fn refuse_without_households(project: &Project) -> Result<(), Diagnostic> {
    if project.unit.household.is_some() {
        return Ok(());
    }
    let told = [
        ("keep_households", !project.keep.households.is_empty()),
        ("household_keys", !project.risk.household_keys.is_empty()),
        ("columns", !project.unit.columns.is_empty()),
        ("size", project.unit.size.is_some()),
        ("then", project.unit.then.is_some()),
        ("file", project.unit.file.is_some()),
        ("households", project.release.households.is_some()),
    ];
    match told.iter().find(|(_, told)| *told) {
        None => Ok(()),
        Some((name, _)) => Err(Diagnostic::new(
            Code::MissingSetting,
            format!("`{name}` speaks of households, and no household column is named"),
            "name the column that tells the households apart",
        )
        .about("unit.household")),
    }
}

/// A weight that joins no table stays with its line.
fn leave_weight_at_rest(project: &mut Project) -> Result<(), Diagnostic> {
    let swap = &project.swap;
    let clash = |detail: &str, remedy: &str, about: &str| {
        Err(Diagnostic::new(Code::OptionsClash, detail, remedy).about(about))
    };
    if swap.weight.is_none() && (swap.weight_drift.is_some() || !swap.weighted.is_empty()) {
        let detail = "`weight_drift` and `weighted` speak of a weight, and none is named";
        return clash(detail, "name the column of weights", "swap.weight");
    }
    let kept = Formula::parse(&project.keep.formulas())?;
    let sets = |formula: &Formula| -> Vec<BTreeSet<String>> {
        formula.tables().iter().map(|table| table.iter().cloned().collect()).collect()
    };
    let known = sets(&kept);
    if !sets(&Formula::parse(&swap.weighted)?).iter().all(|table| known.contains(table)) {
        let detail = "`weighted` names a table that is not kept";
        return clash(detail, "name tables as they are kept", "swap.weighted");
    }
    let (Some(weight), true) = (&swap.weight, project.weight_drift() != WeightDrift::Exact) else {
        return Ok(());
    };
    if project.columns.vars.contains(weight) {
        let detail = "the weight is among the variables that are exchanged";
        return clash(detail, "let it stay with its line", "columns.vars");
    }
    if matches!(project.weight_drift(), WeightDrift::Within(_))
        && (project.max_records().get() > 2 || project.pairing() == Pairing::Optimal)
    {
        let detail = "a bound on weighted counts is respected by greedy swaps of two records only";
        return clash(detail, "leave out `max_records` and `pairing`", "swap.weight_drift");
    }
    let weight = weight.clone();
    if !project.columns.stay.contains(&weight) {
        project.columns.stay.push(weight);
    }
    Ok(())
}

/// Refuses a listed table that names a column which is not there, at its line of the list.
fn check_listed(project: &Project, columns: &[String]) -> Result<(), Diagnostic> {
    let Some(list) = &project.keep.list else { return Ok(()) };
    let is_known = |name: &String| columns.contains(name) || project.derive.contains_key(name);
    for table in &project.keep.listed {
        let conditions =
            table.variables.iter().filter(|name| project.keep.conditions.contains(name));
        let named = conditions.filter_map(|condition| project.derive.get(condition));
        let in_where: Vec<String> = named.flat_map(Expression::names).map(str::to_owned).collect();
        if let Some(name) = table.variables.iter().chain(&in_where).find(|name| !is_known(name)) {
            let mut refusal = Diagnostic::new(
                Code::UnknownVariable,
                format!("`{name}` is not a column of the file"),
                did_you_mean(name, columns),
            )
            .in_file(list);
            refusal.place.line = Some(table.line);
            return Err(refusal);
        }
    }
    Ok(())
}

/// Refuses a setting that names a column which is not there.
fn check_names(
    project: &Project,
    columns: &[String],
    looks_like_a_record: bool,
) -> Result<(), Diagnostic> {
    // What else the pages look at is looked up when they are made.
    let settings = SETTINGS.iter().filter(|setting| setting.topic != Topic::Preset);
    for setting in settings {
        let derived = |name: &String| project.derive.contains_key(name);
        let takes_derived = setting.takes_derived();
        if let Some(name) = setting.columns(project).iter().find(|name| derived(name))
            && !takes_derived
            && !columns.contains(name)
        {
            return Err(Diagnostic::new(
                Code::UnknownColumn,
                format!("`{name}` is a derived variable, not a column of the file"),
                "name the column that it follows from",
            )
            .about(format!("{}={name}", setting.key())));
        }
        let there = |name: &&String| !columns.contains(name) && !derived(name);
        if let Some(name) = setting.columns(project).iter().find(there) {
            let code = match setting.kind {
                Kind::Tables | Kind::Text(_) => Code::UnknownVariable,
                _ => Code::UnknownColumn,
            };
            let detail = format!("`{name}` is not a column of the file");
            // Where the first line is a record, the names are somebody's values.
            let remedy = match looks_like_a_record {
                true => {
                    "the first line of the file looks like a record: add a header line".to_owned()
                }
                false if name.trim_start().starts_with('~') && setting.kind == Kind::Tables => {
                    "leave out the `~`, and join the variables of a table with `*`".to_owned()
                }
                false if is_several(name, columns) => match setting.kind {
                    Kind::Tables => "join the variables of a table with `*`".to_owned(),
                    _ => "put commas between the names of several columns".to_owned(),
                },
                false if takes_derived => {
                    let known: Vec<String> =
                        columns.iter().chain(project.derive.keys()).cloned().collect();
                    did_you_mean(name, &known)
                }
                false => did_you_mean(name, columns),
            };
            return Err(
                Diagnostic::new(code, detail, remedy).about(format!("{}={name}", setting.key()))
            );
        }
    }
    check_roles(project)
}

/// Is this not one name, but names of several columns with other signs between them?
fn is_several(name: &str, columns: &[String]) -> bool {
    let mut words =
        name.split([' ', ',', ';', ':', '*', '+', '\t']).filter(|word| !word.is_empty());
    let is_column = |word: &str| columns.iter().any(|column| column == word);
    words.clone().count() > 1 && words.all(is_column)
}

/// Refuses a setting that needs a column to take part which another one leaves out, and `drop`
/// for a column that takes part.
fn check_roles(project: &Project) -> Result<(), Diagnostic> {
    let told = &project.columns;
    let household = project.unit.household.as_ref();
    if let Some(name) = household.filter(|name| told.id.as_ref() == Some(name)) {
        return Err(Diagnostic::new(
            Code::TwoRoles,
            format!("column `{name}` names the records and the households"),
            "name two columns; a file with one line for each household needs no household column",
        )
        .about(format!("unit.household={name}")));
    }
    let left_out = |name: &&String| {
        told.ignore.contains(name) || [told.id.as_ref(), household].contains(&Some(*name))
    };
    let taking_part = SETTINGS.iter().filter(|setting| {
        matches!(setting.section, "keep" | "swap")
            || matches!(
                (setting.section, setting.name),
                ("risk", "keys" | "more_keys" | "household_keys" | "sensitive") | ("unit", "size")
            )
    });
    for setting in taking_part {
        let named = setting.columns(project);
        let Some(name) = named.iter().find(left_out) else { continue };
        let why = match Some(name) {
            name if name == told.id.as_ref() => "is the id",
            name if name == household => "names the households",
            _ => "is ignored",
        };
        return Err(Diagnostic::new(
            Code::IgnoredInTable,
            format!("`{}` names `{name}`, which {why}", setting.name),
            "take the name out there, or let the column stay",
        )
        .about(format!("{}={name}", setting.key())));
    }
    let roles = [("vars", "a variable", &told.vars), ("stay", "a column that stays", &told.stay)];
    for (role, word, names) in roles {
        if let Some(name) = names.iter().find(left_out) {
            let other = match Some(name) {
                name if name == told.id.as_ref() => "the id",
                name if name == household => "the name of a household",
                _ => "an ignored column",
            };
            return Err(Diagnostic::new(
                Code::TwoRoles,
                format!("column `{name}` is named as {word} and as {other}"),
                "give it one role",
            )
            .about(format!("columns.{role}={name}")));
        }
    }
    if let Some(name) = project.release.drop.iter().find(|name| told.vars.contains(name)) {
        return Err(Diagnostic::new(
            Code::TwoRoles,
            format!("`drop` names `{name}`, which takes part in swapping"),
            "drop only the id and ignored columns",
        )
        .about(format!("release.drop={name}")));
    }
    Ok(())
}
