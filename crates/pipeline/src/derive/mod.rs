//! Derived variables: what tables speak of that is not a column.
//!
//! Published tables count people by age group, region or "18 and over", while a file holds ages
//! and municipalities. A derived variable follows from columns by an [`Expression`]. It is never
//! written out and never exchanged alone: it changes with its columns, and what a swap keeps is
//! decided in `marginswap_core` by treating it as a variable that is tied to them.
//!
//! A few are *counted* from all members of a household, as `count(age < 18)` is. All lines of a
//! household have the same value of them, and no exchange of households changes it.
//!
//! [`Derivations::of`] takes those that the settings of a project name, [`resolve`] puts them in
//! order over the columns of a file, [`Ready::work_out`] makes columns of them.

mod bands;
mod evaluate;
mod expression;
mod lookup;
mod parse;

use std::collections::{BTreeMap, BTreeSet};

use marginswap_core::columns::{
    Column, ColumnBuilder, Columns, DerivedColumn, Households, Role, Roles, did_you_mean,
};
use marginswap_core::diagnostic::{Diagnostic, grouped};

pub use evaluate::{Context, MISSING, NO, Trouble, Why, YES};
pub use expression::{Expression, Together, name as plain};
use parse::DEEPEST;
pub use parse::named;

use crate::project::Project;
use crate::refusal::Code;
use crate::settings::{SETTINGS, Setting, Topic};

/// The derived variables of a project in a file, of which some become columns.
#[derive(Debug, Clone, Default)]
pub struct Derivations {
    all: Vec<Derivation>,
    /// Those that become columns, and whether they take part.
    taken: Vec<(usize, bool)>,
    missing: Vec<String>,
}

/// Which derived variables become columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Take {
    /// Those that a setting names; those that are only watched take no part.
    Named,
    /// All of them.
    All,
}

/// Derived variables whose files have been read.
pub struct Ready {
    derivations: Derivations,
    context: Context,
}

impl Derivations {
    /// The derived variables of a project over these columns.
    ///
    /// # Errors
    /// As [`resolve`].
    pub fn of(project: &Project, columns: &[String], take: Take) -> Result<Self, Diagnostic> {
        let all = resolve(&project.derive, columns).map_err(|refusal| placed(refusal, project))?;
        if let (Some(counted), None) =
            (all.iter().find(|one| one.is_counted), &project.unit.household)
        {
            return Err(Diagnostic::new(
                Code::MissingSetting,
                format!("`{}` is counted in households, and none are named", counted.name),
                "name the column that tells the households apart",
            )
            .about("unit.household"));
        }
        let (mut named, mut watched) = (BTreeSet::new(), BTreeSet::new());
        for setting in SETTINGS {
            match setting.topic {
                Topic::Preset => {}
                Topic::Watch => watched.extend(setting.columns(project)),
                // Which variables a published table has is known when its file is read.
                Topic::Published if !project.verify.published.0.is_empty() => {
                    watched.extend(project.derive.keys().cloned());
                }
                _ => named.extend(setting.columns(project)),
            }
        }
        let is_taken = |derivation: &Derivation| {
            let takes_part = take == Take::All || named.contains(&derivation.name);
            (takes_part || watched.contains(&derivation.name)).then_some(takes_part)
        };
        let taken = all.iter().enumerate();
        let taken = taken.filter_map(|(place, one)| Some((place, is_taken(one)?))).collect();
        Ok(Self { all, taken, missing: project.columns.missing.clone() })
    }

    /// Refuses a derived variable that follows from a column which takes no part.
    pub(crate) fn check_sources(&self, names: &[String], roles: &Roles) -> Result<(), Diagnostic> {
        for derivation in self.taken.iter().map(|&(place, _)| &self.all[place]) {
            let ignored = |&&source: &&usize| roles.of(source) == Role::Ignored;
            let Some(&source) = derivation.sources.iter().find(ignored) else { continue };
            let why = if roles.id() == Some(source) { "is the id" } else { "is ignored" };
            return Err(refuse(
                Code::IgnoredInTable,
                &derivation.name,
                format!("`{}` follows from `{}`, which {why}", derivation.name, names[source]),
                "let the column stay, or leave the derived variable out",
            ));
        }
        Ok(())
    }

    /// The names of those that become columns.
    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        self.taken.iter().map(|&(place, _)| &self.all[place].name)
    }

    /// The columns that they become.
    pub(crate) fn columns(&self) -> Vec<DerivedColumn> {
        let column = |&(place, takes_part): &(usize, bool)| DerivedColumn {
            // No exchange of households changes what is counted in them.
            sources: match self.all[place].is_counted {
                true => BTreeSet::new(),
                false => self.all[place].sources.clone(),
            },
            takes_part,
        };
        self.taken.iter().map(column).collect()
    }

    /// Those that become columns, and those that they follow from.
    fn needed(&self) -> BTreeSet<usize> {
        let mut needed = BTreeSet::new();
        let mut next: Vec<usize> = self.taken.iter().map(|&(place, _)| place).collect();
        while let Some(place) = next.pop() {
            if needed.insert(place) {
                let used = self.all[place].expression.names();
                let named = |one: &Derivation| used.contains(&one.name.as_str());
                next.extend((0..self.all.len()).filter(|&other| named(&self.all[other])));
            }
        }
        needed
    }

    /// The columns by which the derived variable that becomes the nth column counts members of
    /// households; `None` where it counts none.
    fn counted_by(&self, nth: usize) -> Option<&BTreeSet<usize>> {
        let derivation = &self.all[self.taken[nth].0];
        derivation.is_counted.then_some(&derivation.sources)
    }

    /// The same, where these codes are missing numbers too.
    #[must_use]
    pub fn with_missing(mut self, codes: impl IntoIterator<Item = String>) -> Self {
        self.missing.extend(codes);
        self
    }

    /// Reads the files of groups.
    ///
    /// # Errors
    /// When one cannot be read.
    pub fn ready(self) -> Result<Ready, Diagnostic> {
        let needed = self.needed();
        let expressions = needed.iter().map(|&place| &self.all[place].expression);
        let context = Context::new(expressions, &self.missing)?;
        Ok(Ready { derivations: self, context })
    }
}

impl Ready {
    /// The expression of a derived variable; none for what households are together without
    /// being asked for.
    #[must_use]
    pub fn expression(&self, name: &str) -> Option<&Expression> {
        let all = &self.derivations.all;
        all.iter().find(|one| one.name == name).map(|one| &one.expression)
    }

    /// The derived variables that compare a column with texts which no record has: the variable,
    /// the column, and how many such texts.
    pub(crate) fn unmatched(&self, columns: &Columns) -> Vec<(String, String, u64)> {
        let mut found: BTreeMap<(String, String), u64> = BTreeMap::new();
        for place in self.derivations.needed() {
            let Derivation { name, expression, .. } = &self.derivations.all[place];
            for (column, text) in expression.texts_compared() {
                let read = columns.position(column).and_then(|position| columns.get(position));
                if read.is_some_and(|read| read.dictionary().find(text.as_bytes()).is_none()) {
                    *found.entry((name.clone(), column.to_owned())).or_default() += 1;
                }
            }
        }
        found.into_iter().map(|((name, column), texts)| (name, column, texts)).collect()
    }

    /// The columns that a derived variable follows from, by position, whether or not it is used.
    pub(crate) fn sources(&self) -> BTreeSet<usize> {
        self.derivations.all.iter().flat_map(|one| &one.sources).copied().collect()
    }

    /// The derived columns, in the order of their names; a refusal with the number of a record
    /// otherwise, counted from 0.
    ///
    /// # Errors
    /// When a value is no number or a code has no row.
    ///
    /// # Panics
    /// When one is counted in households and none are given.
    pub fn work_out(
        &self,
        columns: &Columns,
        households: Option<&Households>,
    ) -> Result<Vec<Column>, (Diagnostic, usize)> {
        let Derivations { all, taken, .. } = &self.derivations;
        let mut found: BTreeMap<usize, Column> = BTreeMap::new();
        for place in self.derivations.needed() {
            let derivation = &all[place];
            let column = |name: &str| match all.iter().position(|one| one.name == name) {
                Some(other) => &found[&other],
                None => {
                    let position = columns.position(name).expect("the name was looked up");
                    columns.get(position).expect("what something follows from was read")
                }
            };
            let derived = match derivation.expression.together() {
                Some((how, of)) => {
                    let households = households.expect("what is counted has households");
                    self.counted(how, &of, households, column)
                }
                None => self.context.evaluate(&derivation.expression, column),
            };
            let derived = derived.map_err(|trouble| refusal(derivation, &trouble))?;
            found.insert(place, derived);
        }
        Ok(taken.iter().map(|(place, _)| found[place].clone()).collect())
    }

    /// The columns by which the derived variable of the nth column counts members of households;
    /// `None` where it counts none.
    pub(crate) fn counted_by(&self, nth: usize) -> Option<&BTreeSet<usize>> {
        self.derivations.counted_by(nth)
    }

    /// What is taken of the members of each household, on all of its lines.
    fn counted<'c>(
        &self,
        how: Together,
        of: &[Expression],
        households: &Households,
        column: impl Fn(&str) -> &'c Column,
    ) -> Result<Column, Trouble> {
        let values: Vec<Column> =
            of.iter().map(|one| self.context.evaluate(one, &column)).collect::<Result<_, _>>()?;
        let found = match how {
            Together::Size => households.sizes(),
            Together::Members => households.multiset(&values.iter().collect::<Vec<_>>()),
            Together::Count | Together::Any => {
                let answer = |text: &str| values[0].dictionary().find(text.as_bytes());
                let (yes, missing) = (answer(YES), answer(MISSING));
                let mut found = ColumnBuilder::default();
                for household in 0..households.len() {
                    let members = households.members(household).iter();
                    let answers = members.map(|&line| Some(values[0].code(line as usize)));
                    let (mut holds, mut open) = (0u64, false);
                    for answer in answers {
                        holds += u64::from(answer == yes);
                        open |= answer == missing;
                    }
                    match (how, holds > 0, open) {
                        (Together::Count, ..) => found.push(holds.to_string().as_bytes()),
                        (_, true, _) => found.push(YES.as_bytes()),
                        (_, false, true) => found.push(MISSING.as_bytes()),
                        (_, false, false) => found.push(NO.as_bytes()),
                    }
                }
                found.finish()
            }
        };
        Ok(households.on_lines(&found))
    }
}

/// Tells why a derived variable has no value for a record.
fn refusal(derivation: &Derivation, trouble: &Trouble) -> (Diagnostic, usize) {
    let Derivation { name, .. } = derivation;
    let refusal = match &trouble.why {
        Why::NotANumber { variable, decimal_comma, empty } => {
            let what = match (decimal_comma, empty) {
                (true, _) => "this one has a decimal comma",
                (_, true) => "the field is empty",
                _ => "the value is not one",
            };
            let detail = format!("`{name}` needs a number in record {}, but {what}", {
                grouped(trouble.record as u64 + 1)
            });
            let remedy = match decimal_comma {
                true => "write numbers with a decimal point",
                false => "correct the value, or name the code of a missing number",
            };
            let refusal = Diagnostic::new(Code::NotANumber, detail, remedy);
            match variable {
                Some(variable) => refusal.in_column(format!("`{variable}`")),
                None => refusal,
            }
        }
        Why::NoRow { file, codes } => Diagnostic::new(
            Code::NoRow,
            format!(
                "`{name}`: {} no row in {}, first in record {}",
                match codes {
                    1 => "1 code of the data has".to_owned(),
                    codes => format!("{} codes of the data have", grouped(*codes as u64)),
                },
                file.display(),
                grouped(trouble.record as u64 + 1)
            ),
            "add the rows that are missing; codes are compared byte by byte",
        ),
    };
    (refusal, trouble.record)
}

/// A derived variable over the columns of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Derivation {
    /// Its name.
    pub name: String,
    /// How it follows from others.
    pub expression: Expression,
    /// The columns of the file that it follows from in the end, by position.
    pub sources: BTreeSet<usize>,
    /// How many derived variables lead to it, itself among them.
    pub steps: usize,
    /// Is it yes, no or missing?
    pub is_condition: bool,
    /// Is it counted from all members of a household, or does it follow from what is?
    pub is_counted: bool,
}

/// The derived variables over these columns, each after those that it follows from.
///
/// # Errors
/// A name that is taken or unknown, a circle, an expression without a column, or a name in place
/// of a condition that is none.
pub fn resolve(
    derive: &BTreeMap<String, Expression>,
    columns: &[String],
) -> Result<Vec<Derivation>, Diagnostic> {
    if let Some(name) = derive.keys().find(|name| columns.contains(name)) {
        return Err(refuse(
            Code::DerivedClash,
            name,
            format!("the file has a column `{name}` already"),
            "give the derived variable another name",
        ));
    }
    let mut resolved: Vec<Derivation> = Vec::new();
    let mut path = Vec::new();
    for name in derive.keys() {
        add(name, derive, columns, &mut resolved, &mut path)?;
    }
    Ok(resolved)
}

/// Adds a derived variable after those that it follows from; `path` leads to it.
fn add<'a>(
    name: &'a str,
    derive: &'a BTreeMap<String, Expression>,
    columns: &[String],
    resolved: &mut Vec<Derivation>,
    path: &mut Vec<&'a str>,
) -> Result<(), Diagnostic> {
    if resolved.iter().any(|derivation| derivation.name == name) {
        return Ok(());
    }
    if let Some(start) = path.iter().position(|other| *other == name) {
        let circle: Vec<String> =
            path[start..].iter().chain([&name]).map(|name| format!("`{name}`")).collect();
        return Err(refuse(
            Code::DerivedCycle,
            name,
            format!("a derived variable follows from itself: {}", circle.join(" from ")),
            "let each follow from columns in the end",
        ));
    }
    let too_many_steps = || {
        refuse(
            Code::BadDerived,
            name,
            format!("more than {DEEPEST} derived variables follow from one another"),
            "let them follow from columns in fewer steps",
        )
    };
    if path.len() == DEEPEST {
        return Err(too_many_steps());
    }
    path.push(name);
    let expression = &derive[name];
    let together = expression.together().map(|(how, _)| how);
    let mut sources = BTreeSet::new();
    let (mut counted, mut single, mut steps) = (together.is_some(), false, 1);
    for used in expression.names() {
        if let Some(column) = columns.iter().position(|column| column == used) {
            sources.insert(column);
            single = true;
        } else if let Some((used, _)) = derive.get_key_value(used) {
            add(used, derive, columns, resolved, path)?;
            let used = of(resolved, used);
            sources.extend(&used.sources);
            steps = steps.max(used.steps + 1);
            counted |= used.is_counted;
            single |= !used.is_counted;
        } else {
            let known: Vec<String> = columns.iter().chain(derive.keys()).cloned().collect();
            let detail = format!(
                "`{name}` follows from `{used}`{}, which is neither a column nor a derived variable",
                at(expression, used)
            );
            return Err(refuse(Code::UnknownColumn, name, detail, &did_you_mean(used, &known)));
        }
    }
    path.pop();
    // Others may have been resolved before, so that the path was short.
    if steps > DEEPEST {
        return Err(too_many_steps());
    }
    if counted && single && together.is_none() {
        return Err(refuse(
            Code::BadDerived,
            name,
            format!("`{name}` mixes what is counted in a household with values of single lines"),
            "let it follow from the one or from the other",
        ));
    }
    if sources.is_empty() && together != Some(Together::Size) && !counted {
        return Err(refuse(
            Code::BadDerived,
            name,
            format!("`{name}` follows from no column"),
            "name a column in the expression; a text goes between quotes, a name does not",
        ));
    }
    let is_condition = |used: &str| derive.contains_key(used) && of(resolved, used).is_condition;
    if let Some(used) =
        expression.names_as_conditions().into_iter().find(|used| !is_condition(used))
    {
        return Err(refuse(
            Code::BadDerived,
            name,
            format!("in `{name}`, `{used}`{} is not a condition", at(expression, used)),
            "compare it with something, as in `age >= 18` or `sex = \"f\"`",
        ));
    }
    let is_condition = expression.is_condition()
        || together == Some(Together::Any)
        || expression.alias().is_some_and(is_condition);
    let (name, expression) = (name.to_owned(), expression.clone());
    let is_counted = counted;
    resolved.push(Derivation { name, expression, sources, steps, is_condition, is_counted });
    Ok(())
}

/// A refusal of what is counted in a household, at the setting that it is in.
pub(crate) fn placed(refusal: Diagnostic, project: &Project) -> Diagnostic {
    let name = refusal.about.as_ref().and_then(|about| about.strip_prefix("derive="));
    // Its name is the expression itself.
    let written_there = name.filter(|name| name.contains('('));
    let Some(name) = written_there.map(str::to_owned) else { return refusal };
    let names_it = |setting: &&Setting| setting.columns(project).contains(&name);
    match SETTINGS.iter().find(names_it) {
        Some(setting) => refusal.about(format!("{}={name}", setting.key())),
        None => refusal,
    }
}

fn of<'a>(resolved: &'a [Derivation], name: &str) -> &'a Derivation {
    let found = resolved.iter().find(|derivation| derivation.name == name);
    found.expect("what a derived variable follows from comes before it")
}

fn at(expression: &Expression, name: &str) -> String {
    let place = expression.place_of(name);
    place.map_or(String::new(), |place| format!(" (character {place} of the expression)"))
}

fn refuse(
    code: marginswap_core::diagnostic::Kind,
    name: &str,
    detail: String,
    remedy: &str,
) -> Diagnostic {
    Diagnostic::new(code, detail, remedy).about(format!("derive={name}"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn expressions(all: &[(&str, &str)]) -> BTreeMap<String, Expression> {
        all.iter().map(|(name, text)| ((*name).to_owned(), text.parse().unwrap())).collect()
    }

    fn column(values: &[&str]) -> Column {
        values.iter().map(|value| value.as_bytes()).collect()
    }

    fn values(column: &Column) -> Vec<String> {
        let category = |record| column.dictionary().category(column.code(record));
        let text = |bytes: Option<&[u8]>| String::from_utf8_lossy(bytes.unwrap()).into_owned();
        (0..column.len()).map(|record| text(category(record))).collect()
    }

    /// The derived values of records with these columns.
    fn derived(text: &str, columns: &[(&str, Column)], missing: &[&str]) -> Vec<String> {
        let expression: Expression = text.parse().unwrap();
        let missing: Vec<String> = missing.iter().map(|&code| code.to_owned()).collect();
        let context = Context::new([&expression], &missing).unwrap();
        let find = |name: &str| &columns.iter().find(|(other, _)| *other == name).unwrap().1;
        values(&context.evaluate(&expression, find).unwrap())
    }

    #[test]
    fn expressions_have_the_values_they_say() {
        let columns = [
            ("age", column(&["17", "18", "NA", "65", "018"])),
            ("sex", column(&["f", "m", "f", "f", ""])),
            ("job", column(&["none", "cook", "cook", "nurse", "nurse"])),
            ("nuts", column(&["DE111", "DE112", "FR1", "D", "ÄÖÜ12"])),
        ];
        let check = |text: &str, expected: [&str; 5]| {
            assert_eq!(derived(text, &columns, &["NA"]), expected, "{text}");
        };
        check("band(age, 10)", ["10-19", "10-19", "missing", "60-69", "10-19"]);
        check("band(age, 18, 65)", ["under 18", "18-64", "missing", "65 and over", "18-64"]);
        check("band(age, 18, 'child', 'adult')", ["child", "adult", "missing", "adult", "adult"]);
        check("age >= 18", ["no", "yes", "missing", "yes", "yes"]);
        check("age = 18", ["no", "yes", "missing", "no", "yes"]);
        check("age = \"18\"", ["no", "yes", "no", "no", "no"]);
        check("age in {17, 65}", ["yes", "no", "missing", "yes", "no"]);
        check("sex not in {'f'}", ["no", "yes", "no", "no", "yes"]);
        check("age >= 18 and sex = 'm'", ["no", "yes", "no", "no", "no"]);
        check("age >= 18 and sex = 'f'", ["no", "no", "missing", "yes", "no"]);
        check("age >= 18 or sex = 'f'", ["yes", "yes", "yes", "yes", "yes"]);
        check("not age >= 18", ["yes", "no", "missing", "no", "no"]);
        check("if(age >= 18, job, 'child')", ["child", "cook", "missing", "nurse", "nurse"]);
        check("if(18 <= age < 65, sex, job)", ["none", "m", "missing", "nurse", ""]);
        check("prefix(nuts, 3)", ["DE1", "DE1", "FR1", "D", "ÄÖÜ"]);
        check(
            "band(age, 10, missing = ['NA', '65'])",
            ["10-19", "10-19", "missing", "missing", "10-19"],
        );
        check("sex = job", ["no"; 5]);
    }

    /// A number is read where it is asked for and nowhere else: what comes after a condition that
    /// decides is not looked at.
    #[test]
    fn a_number_is_read_only_where_it_decides() {
        let columns = [("age", column(&["17", "unknown", "65"]))];
        let guarded = "age != 'unknown' and age >= 18";
        assert_eq!(derived(guarded, &columns, &[]), ["no", "no", "yes"]);
    }

    #[test]
    fn an_expression_is_worked_out_once_for_each_combination() {
        let columns =
            [("a", column(&["1", "2", "1", "x", "1"])), ("b", column(&["1", "1", "1", "9", "2"]))];
        assert_eq!(derived("if(b = 9, 'out', b)", &columns, &[]), ["1", "1", "1", "out", "2"]);
        assert_eq!(derived("if(b = '9', 'no', a)", &columns, &[]), ["1", "2", "1", "no", "1"]);
    }

    #[test]
    fn trouble_names_the_first_record_and_the_variable() {
        let of = |text: &str, values: &[&str]| {
            let expression: Expression = text.parse().unwrap();
            let (context, column) = (Context::new([&expression], &[]).unwrap(), column(values));
            context.evaluate(&expression, |_| &column).unwrap_err()
        };
        let why = |decimal_comma: bool, empty: bool| Why::NotANumber {
            variable: Some("age".to_owned()),
            decimal_comma,
            empty,
        };
        let text = "band(age, 10)";
        assert_eq!(of(text, &["1", "2", "x"]), Trouble { why: why(false, false), record: 2 });
        assert_eq!(of(text, &["1", "2,5", "x"]), Trouble { why: why(true, false), record: 1 });
        assert_eq!(of(text, &["1", "", "x"]), Trouble { why: why(false, true), record: 1 });
        assert_eq!(
            of("band(prefix(age, 1), 10)", &["1", "x"]).why,
            Why::NotANumber { variable: None, decimal_comma: false, empty: false }
        );
    }

    #[test]
    fn groups_come_from_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            path.display().to_string().replace('\\', "/")
        };
        let geo = write("geo.csv", "code,town,region\n1,A,north\n2,B,south\n3,C,south\n");
        let columns =
            [("town", column(&["A", "C", "B", "A"])), ("t", column(&["1", "3", "1", "1"]))];
        let regions = ["north", "south", "south", "north"];
        assert_eq!(derived(&format!("map(town, '{geo}', 'region')"), &columns, &[]), regions);
        let by_first = format!("map(t, '{geo}', 'region')");
        assert_eq!(derived(&by_first, &columns, &[]), ["north", "south", "north", "north"]);
        let by_key = format!("map(town, '{geo}', 'code', key = 'town')");
        assert_eq!(derived(&by_key, &columns, &[]), ["1", "3", "2", "1"]);

        let few = write("few.csv", "town,region\nA,north\n");
        let expression: Expression = format!("map(town, '{few}', 'region')").parse().unwrap();
        let context = Context::new([&expression], &[]).unwrap();
        let trouble = context.evaluate(&expression, |_| &columns[0].1).unwrap_err();
        assert_eq!((trouble.why, trouble.record), (Why::NoRow { file: few.into(), codes: 2 }, 1));

        let refused = |text: &str| {
            let expression: Expression = text.parse().unwrap();
            Context::new([&expression], &[]).err().unwrap()
        };
        let twice = write("twice.csv", "town,region\nA,north\nB,south\nA,north\nB,CANARY\n");
        let error = refused(&format!("map(town, '{twice}', 'region')"));
        assert_eq!(error.code, Code::BadLookup);
        assert!(error.detail.contains("row 4") && !error.to_string().contains("CANARY"));
        let error = refused(&format!("map(town, '{geo}', 'regio')"));
        assert_eq!((error.code, &*error.remedy), (Code::BadLookup, "did you mean `region`?"));
        assert_eq!(refused("map(town, 'none.csv', 'region')").code, Code::FileMissing);
    }

    #[test]
    fn each_comes_behind_those_it_follows_from() {
        let columns: Vec<String> = ["age", "sex", "job"].map(str::to_owned).to_vec();
        let all = expressions(&[
            ("a_worker", "if(z_adult, job, 'none')"),
            ("z_adult", "age >= 18"),
            ("grown", "z_adult"),
            ("women", "grown and sex = 'f'"),
        ]);
        let resolved = resolve(&all, &columns).unwrap();
        let names: Vec<&str> = resolved.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["z_adult", "a_worker", "grown", "women"]);
        assert_eq!(resolved[1].sources, BTreeSet::from([0, 2]));
        assert_eq!(resolved[3].sources, BTreeSet::from([0, 1]));
        let conditions: Vec<bool> = resolved.iter().map(|one| one.is_condition).collect();
        assert_eq!(conditions, [true, false, true, true]);
    }

    #[test]
    fn what_means_nothing_is_refused() {
        let columns: Vec<String> = ["age", "sex"].map(str::to_owned).to_vec();
        let refused = |all: &[(&str, &str)]| resolve(&expressions(all), &columns).unwrap_err();
        for (all, code, detail) in [
            (
                &[("sex", "age >= 18")][..],
                Code::DerivedClash,
                "the file has a column `sex` already",
            ),
            (&[("a", "agee >= 18")], Code::UnknownColumn, "`agee` (character 1 of the expression)"),
            (
                &[("a", "b >= 1"), ("b", "prefix(a, 1)")],
                Code::DerivedCycle,
                "`a` from `b` from `a`",
            ),
            (&[("a", "a >= 1")], Code::DerivedCycle, "`a` from `a`"),
            (&[("a", "3 = 3")], Code::BadDerived, "`a` follows from no column"),
            (&[("a", "if(age, 1, 2)")], Code::BadDerived, "`age` (character 4 of the expression)"),
            (&[("a", "b and c"), ("b", "age = 1"), ("c", "sex")], Code::BadDerived, "in `a`, `c`"),
        ] {
            let error = refused(all);
            assert_eq!(error.code, code, "{all:?}");
            assert!(error.detail.contains(detail), "{}", error.detail);
        }
    }
}
