//! A project in the words of the table of households.
//!
//! Where a project names person columns, the table of households has the multiset of the
//! members' values on them. Where it names what partners agree on, what rules speak of and what
//! is exchanged, only columns of households and what is counted in them make sense.

use std::collections::BTreeSet;

use marginswap_core::columns::Level;
use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::graph::{Formula, quoted};

use super::clash;
use super::together::{Together, must_be_constant};
use crate::input::Loaded;
use crate::project::{Project, Swapping, WeightDrift};
use crate::settings::{EVERYWHERE, NOWHERE, SETTINGS};

/// What an intruder knows and wants to learn, by names.
pub(super) struct Told {
    pub(super) keys: Vec<String>,
    pub(super) sensitive: Vec<String>,
    /// The variable that represents the keys of all members, where some are columns of persons.
    pub(super) members: Option<String>,
}

/// The words for what is in a file of households.
pub(super) struct Words<'a> {
    pub(super) together: &'a Together,
    pub(super) lines: &'a Loaded,
}

/// Refuses settings that mean nothing for whole households.
pub(crate) fn refuse_what_households_cannot(project: &Project) -> Result<(), Diagnostic> {
    if project.weight_drift() != WeightDrift::Exact {
        return Err(clash(
            "weighted counts of households and of their members cannot both be bounded",
            "leave out `weight_drift`: a weight of households joins every kept table then",
            "swap.weight_drift",
        ));
    }
    if !project.swap.weighted.is_empty() {
        return Err(clash(
            "with households a weight joins every kept table",
            "leave out `weighted`",
            "swap.weighted",
        ));
    }
    Ok(())
}

/// Takes the multisets that the tables and the intruders of a project ask for among the
/// variables of households.
pub(super) fn take_asked(
    together: &mut Together,
    project: &Project,
    lines: &Loaded,
) -> Result<(), Diagnostic> {
    let tables = project.kept_tables().into_iter().map(|table| (table.variables, Of::Persons));
    let risk = &project.risk;
    let named = risk.scenarios.values().flat_map(|one| [&one.keys, &one.sensitive]);
    let known = [&risk.keys, &risk.sensitive].into_iter().chain(&risk.more_keys).chain(named);
    let known = known.map(|names| (names.clone(), Of::Variables));
    for (names, of) in tables.chain(known) {
        let mut persons = BTreeSet::new();
        for name in &names {
            let position = lines.position(name)?;
            if together.level(position) == Level::Person {
                persons.insert(position);
            }
        }
        if !persons.is_empty() || of == Of::Persons {
            together.take(persons, lines);
        }
    }
    Ok(())
}

impl Words<'_> {
    fn position(&self, name: &str) -> Result<usize, Diagnostic> {
        self.lines.position(name)
    }

    /// These columns as variables of households; the multiset for those of persons. In a table
    /// that counts persons, the number of members where there is none of these.
    fn variables(&self, names: &[String], of: Of) -> Result<Vec<String>, Diagnostic> {
        let mut found = Vec::new();
        let mut persons = BTreeSet::new();
        for name in names {
            let position = self.position(name)?;
            match self.together.level(position) {
                Level::Household | Level::Composition => found.push(name.clone()),
                Level::Person => {
                    persons.insert(position);
                }
            }
        }
        if !persons.is_empty() || of == Of::Persons {
            found.push(self.together.name_of(&persons));
        }
        Ok(found)
    }

    /// The formulas of tables of persons as formulas of tables of households.
    fn formulas(&self, texts: &[String]) -> Result<Vec<String>, Diagnostic> {
        let all = Formula::parse(texts)?;
        all.tables().iter().map(|table| Ok(formula(&self.variables(table, Of::Persons)?))).collect()
    }

    /// What the intruders of a project know and want to learn, in the order of their list.
    pub(super) fn intruders(&self, project: &Project) -> Result<Vec<Told>, Diagnostic> {
        let risk = &project.risk;
        let first = Some((&risk.keys, &risk.sensitive)).filter(|(keys, _)| !keys.is_empty());
        let more = risk.more_keys.iter().map(|keys| (keys, &risk.sensitive));
        let named = risk.scenarios.values().map(|intruder| {
            let own = Some(&intruder.sensitive).filter(|own| !own.is_empty());
            (&intruder.keys, own.unwrap_or(&risk.sensitive))
        });
        let told = |(keys, sensitive): (&Vec<String>, &Vec<String>)| {
            let keys = self.variables(keys, Of::Variables)?;
            let own = |name: &&String| !self.lines.names().contains(name);
            Ok(Told {
                members: keys.iter().find(own).cloned(),
                sensitive: self.variables(sensitive, Of::Variables)?,
                keys,
            })
        };
        first.into_iter().chain(more).chain(named).map(told).collect()
    }

    /// The project over the table of households.
    pub(super) fn translated(&self, project: &Project) -> Result<Project, Diagnostic> {
        self.check_levels(project)?;
        let mut unit = project.clone();
        let keep = &mut unit.keep;
        keep.tables = self.formulas(&project.keep.tables)?;
        keep.tables.append(&mut keep.households);
        for text in keep.named.values_mut() {
            *text = self.formulas(std::slice::from_ref(text))?.join(" + ");
        }
        for table in &mut keep.listed {
            table.variables = self.variables(&table.variables, Of::Persons)?;
        }
        let risk = &mut unit.risk;
        risk.keys = self.variables(&project.risk.keys, Of::Variables)?;
        risk.sensitive = self.variables(&project.risk.sensitive, Of::Variables)?;
        for keys in &mut risk.more_keys {
            *keys = self.variables(keys, Of::Variables)?;
        }
        for intruder in risk.scenarios.values_mut() {
            intruder.keys = self.variables(&intruder.keys, Of::Variables)?;
            intruder.sensitive = self.variables(&intruder.sensitive, Of::Variables)?;
        }
        if project.unit.then.is_some() {
            self.without_persons(&mut unit.swap)?;
        }
        unit.report.watch.clear();
        Ok(unit)
    }

    /// Refuses a person column where only one of households makes sense.
    pub(super) fn check_levels(&self, project: &Project) -> Result<(), Diagnostic> {
        let alone = self.of_second_step(project)?;
        for setting in SETTINGS {
            let what = match (setting.section, setting.name) {
                ("keep", "households") => "a table of households",
                ("risk", "household_keys") => "a key of households",
                ("swap", "strata" | "match" | "near") => "what partners agree on",
                ("swap", "rules") => "a rule",
                ("swap", "linked") => "linked columns",
                ("swap", "weight") => "the weight of a household",
                ("swap", "weights") => "the cost of an exchange",
                ("swap", "never_new") => "pairs of values",
                _ => continue,
            };
            for name in setting.columns(project).iter() {
                let position = self.position(name)?;
                if self.together.level(position) == Level::Person && !alone.contains(name) {
                    must_be_constant(self.lines, position, what)?;
                }
            }
        }
        Ok(())
    }

    /// The columns of persons that occur only in rules, links, pairs and costs of persons: these
    /// hold for the step after that of households.
    fn of_second_step(&self, project: &Project) -> Result<BTreeSet<String>, Diagnostic> {
        let swap = &project.swap;
        let mut alone: BTreeSet<String> = BTreeSet::new();
        if project.unit.then.is_none() {
            return Ok(alone);
        }
        let mut mixed: BTreeSet<String> = BTreeSet::new();
        let rules = swap.rules.iter();
        let rules = rules.map(|rule| rule.terms.iter().map(|term| term.column.clone()).collect());
        let pairs = Formula::parse(&swap.never_new)?.tables().to_vec();
        let costs = swap.weights.keys().map(|name| vec![name.clone()]);
        let sets: Vec<Vec<String>> =
            rules.chain(swap.linked.iter().cloned()).chain(pairs).chain(costs).collect();
        for set in sets {
            match self.is_of_persons(&set)? {
                true => alone.extend(set),
                false => mixed.extend(set),
            }
        }
        Ok(&alone - &mixed)
    }

    /// Are all of these columns of persons?
    fn is_of_persons(&self, names: &[String]) -> Result<bool, Diagnostic> {
        for name in names {
            let is_a_word = name == EVERYWHERE || name == NOWHERE;
            if is_a_word || self.together.level(self.position(name)?) != Level::Person {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Takes what holds for persons alone out of the settings for households.
    fn without_persons(&self, swap: &mut Swapping) -> Result<(), Diagnostic> {
        let mut rules = Vec::new();
        for rule in std::mem::take(&mut swap.rules) {
            let names: Vec<String> = rule.terms.iter().map(|term| term.column.clone()).collect();
            if !self.is_of_persons(&names)? {
                rules.push(rule);
            }
        }
        swap.rules = rules;
        let mut linked = Vec::new();
        for group in std::mem::take(&mut swap.linked) {
            if !self.is_of_persons(&group)? {
                linked.push(group);
            }
        }
        swap.linked = linked;
        let mut pairs = Vec::new();
        for table in Formula::parse(&swap.never_new)?.tables() {
            if !self.is_of_persons(table)? {
                pairs.push(formula(table));
            }
        }
        // Where persons alone are named, nothing is asked of households.
        if pairs.is_empty() && !swap.never_new.is_empty() {
            pairs.push(NOWHERE.to_owned());
        }
        swap.never_new = pairs;
        Ok(())
    }
}

/// What a set of names is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    /// A table that counts persons.
    Persons,
    /// Some variables.
    Variables,
}

fn formula(names: &[String]) -> String {
    names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join("*")
}
