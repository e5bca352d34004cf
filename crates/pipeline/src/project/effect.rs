//! Settings that cannot do what they say, whatever the data are: they are refused, because the
//! user who wrote them expects something of them.
//!
//! Way in: [`check_effects`].

use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::graph::Formula;

use super::Project;
use crate::refusal::Code;
use crate::settings::{EVERYWHERE, Kind, NOWHERE, SETTINGS, Setting, Topic, Value};

/// Refuses lists that name something twice, links and pairs of a single variable, and sensitive
/// variables that are all keys.
///
/// # Errors
/// [`Code::RepeatedName`] or [`Code::NoEffect`], about the setting.
pub fn check_effects(project: &Project) -> Result<(), Diagnostic> {
    for setting in SETTINGS.iter().filter(|setting| setting.topic != Topic::Preset) {
        for list in lists(setting, project) {
            if let Some(name) = repeated(&list) {
                return Err(Diagnostic::new(
                    Code::RepeatedName,
                    format!("`{}` names `{name}` twice", setting.name),
                    "name it once; the second is often a slip for another one",
                )
                .about(format!("{}={name}", setting.key())));
            }
        }
    }
    if let Some(alone) = project.swap.linked.iter().find(|group| group.len() < 2) {
        let name = alone.first().map_or("", String::as_str);
        return Err(no_effect(
            "swap.linked",
            name,
            format!("{} is linked to no other column", told(name)),
            "name all columns of a group in one list, as `age,age_group`",
        ));
    }
    let pairs = Formula::parse(&project.swap.never_new)?;
    let words = [EVERYWHERE, NOWHERE];
    let alone = |table: &&Vec<String>| table.len() < 2 && !words.contains(&table[0].as_str());
    let nowhere = pairs.tables().iter().any(|table| *table == [NOWHERE]);
    if nowhere && pairs.tables().len() > 1 {
        return Err(no_effect(
            "swap.never_new",
            NOWHERE,
            "`none` lets any two values come together, and something else is named beside it"
                .to_owned(),
            "leave out `none`, or write it alone",
        ));
    }
    if let Some(table) = pairs.tables().iter().find(alone) {
        return Err(no_effect(
            "swap.never_new",
            &table[0],
            format!("{} is a single variable, and pairs are meant", told(&table[0])),
            "name two variables, as `age*marital`, or write `all` or `none`",
        ));
    }
    if let (None, Some(epsilon)) = (project.swap.mechanism, project.swap.epsilon) {
        return Err(no_effect(
            "swap.epsilon",
            &epsilon.to_string(),
            "an ε is what a mechanism may spend, and none is named".to_owned(),
            "name the mechanism, or leave out `epsilon`",
        ));
    }
    if let (None, Some(crowd)) = (project.crowd(), project.risk.crowd) {
        return Err(no_effect(
            "risk.crowd",
            &crowd.to_string(),
            "a crowd hides people from intruders who know part of the keys, and these know all"
                .to_owned(),
            "leave out `crowd`, or write `knows = \"any part\"`",
        ));
    }
    check_roughly(project)?;
    check_sensitive(project)
}

/// Refuses a width for a column that is nobody's key.
fn check_roughly(project: &Project) -> Result<(), Diagnostic> {
    let risk = &project.risk;
    let named = risk.scenarios.values().map(|intruder| &intruder.keys);
    let keys = [&risk.keys, &risk.household_keys].into_iter().chain(&risk.more_keys).chain(named);
    let keys: Vec<&String> = keys.flatten().collect();
    match risk.roughly.keys().find(|name| !keys.contains(name)) {
        Some(name) if !keys.is_empty() => Err(no_effect(
            "risk.roughly",
            name,
            format!("{} is not a key, so nobody knows it roughly", told(name)),
            "name a key variable, or add it to the keys",
        )),
        _ => Ok(()),
    }
}

/// Refuses sensitive variables that an intruder knows already, every one of them.
fn check_sensitive(project: &Project) -> Result<(), Diagnostic> {
    let risk = &project.risk;
    let own = [&risk.keys].into_iter().chain(&risk.more_keys).map(|keys| (keys, &risk.sensitive));
    let named = risk.scenarios.values().map(|intruder| {
        let own = Some(&intruder.sensitive).filter(|own| !own.is_empty());
        (&intruder.keys, own.unwrap_or(&risk.sensitive))
    });
    for (keys, sensitive) in own.chain(named) {
        if !sensitive.is_empty() && sensitive.iter().all(|name| keys.contains(name)) {
            return Err(no_effect(
                "risk.sensitive",
                &sensitive[0],
                "every sensitive variable is a key as well, so nothing is left to learn".to_owned(),
                "name a sensitive variable that the intruder does not know",
            ));
        }
    }
    Ok(())
}

/// The lists of columns that a setting holds.
fn lists(setting: &Setting, project: &Project) -> Vec<Vec<String>> {
    fn names(value: &Value) -> Vec<String> {
        let Value::List(list) = value else { return vec![] };
        let name = |item: &Value| match item {
            Value::Text(name) => Some(name.clone()),
            _ => None,
        };
        list.iter().filter_map(name).collect()
    }
    match (setting.kind, setting.get(project)) {
        (Kind::Names, Some(list)) => vec![names(&list)],
        (Kind::Groups, Some(Value::List(groups))) => groups.iter().map(names).collect(),
        (Kind::Scenarios, Some(_)) => {
            let all = project.risk.scenarios.values();
            all.flat_map(|intruder| [intruder.keys.clone(), intruder.sensitive.clone()]).collect()
        }
        _ => vec![],
    }
}

fn repeated(list: &[String]) -> Option<&String> {
    list.iter().enumerate().find(|(place, name)| list[..*place].contains(name)).map(|(_, it)| it)
}

fn told(name: &str) -> String {
    if name.is_empty() { "an empty list".to_owned() } else { format!("`{name}`") }
}

/// The refusal of a setting that cannot do what it says.
pub(crate) fn no_effect(setting: &str, value: &str, detail: String, remedy: &str) -> Diagnostic {
    Diagnostic::new(Code::NoEffect, detail, remedy).about(format!("{setting}={value}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::settings::Word;

    fn refused(change: impl FnOnce(&mut Project)) -> Diagnostic {
        let mut project = Project::default();
        assert!(check_effects(&project).is_ok());
        change(&mut project);
        check_effects(&project).unwrap_err()
    }

    fn names(text: &str) -> Vec<String> {
        text.split(',').map(str::to_owned).collect()
    }

    #[test]
    fn each_is_laid_to_its_setting() {
        let found = refused(|project| project.risk.keys = names("age,sex,age"));
        assert_eq!(
            (found.code, found.about.as_deref()),
            (Code::RepeatedName, Some("risk.keys=age"))
        );
        let found = refused(|project| project.risk.more_keys = vec![names("a,b"), names("c,c")]);
        assert_eq!(found.about.as_deref(), Some("risk.more_keys=c"));
        let found = refused(|project| project.swap.linked = vec![names("a,b"), names("c")]);
        assert_eq!((found.code, found.about.as_deref()), (Code::NoEffect, Some("swap.linked=c")));
        let found = refused(|project| project.swap.linked = vec![vec![]]);
        assert!(found.detail.contains("an empty list"), "{found}");
        let found = refused(|project| project.swap.never_new = names("a*b,age"));
        assert_eq!(found.about.as_deref(), Some("swap.never_new=age"));
        let found = refused(|project| project.swap.never_new = names("a*b,none"));
        assert_eq!(found.about.as_deref(), Some("swap.never_new=none"));
        let found = refused(|project| {
            project.risk.keys = names("a,b");
            project.risk.sensitive = names("b");
        });
        assert_eq!(found.about.as_deref(), Some("risk.sensitive=b"));
        let found = refused(|project| {
            project.risk.keys = names("a,b");
            let width = Word::read(&Value::text("5")).unwrap();
            project.risk.roughly.insert("c".to_owned(), width);
        });
        assert_eq!((found.code, found.about.as_deref()), (Code::NoEffect, Some("risk.roughly=c")));
    }

    #[test]
    fn what_does_something_is_let_through() {
        let mut project = Project::default();
        project.risk.keys = names("a,b");
        project.risk.sensitive = names("b,c");
        project.swap.linked = vec![names("a,b"), names("a,c")];
        project.swap.never_new = names("all,a*b");
        assert!(check_effects(&project).is_ok());
        project.swap.never_new = names("none");
        project.swap.matched = vec![names("a,b"), names("a"), vec![]];
        assert!(check_effects(&project).is_ok());
    }
}
