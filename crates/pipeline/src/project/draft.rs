//! A project file to start from, with a line on every setting.
//!
//! What is known of the data is filled in; what a user must decide is an example after `#`,
//! with columns of the file. A draft holds names and counts, never a value of the data. Its
//! sections, entries and explanations come from the table of settings.

use std::collections::BTreeMap;
use std::fmt::Write;

use marginswap_core::diagnostic::grouped;

use marginswap_report::inspect::in_small_groups;

use super::Project;
use crate::appearance::ProposedBands;
use crate::derive::plain;
use crate::settings::{Kind, SECTIONS, SETTINGS, Setting, Topic, Value, formula};

/// What goes into a project file that is written for a user.
#[derive(Debug, Clone, Default)]
pub struct Draft {
    /// What is known already.
    pub project: Project,
    /// How many records the data have.
    pub records: usize,
    /// The columns, in the file's order.
    pub columns: Vec<DraftColumn>,
    /// Pairs of columns with frequent values that never occur together.
    pub apart: Vec<ApartColumns>,
    /// Columns that follow from others in every record.
    pub following: Vec<FollowingColumn>,
}

/// A column that follows from others in every record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FollowingColumn {
    /// Its name.
    pub column: String,
    /// The others.
    pub of: Vec<String>,
    /// Is it their sum?
    pub is_sum: bool,
}

/// Two columns with frequent values that never occur together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApartColumns {
    /// Their names.
    pub columns: [String; 2],
    /// How many combinations of theirs nobody has, though five or more would by chance.
    pub combinations: u64,
}

/// How many pairs of columns a draft lists.
const MOST_APART: usize = 20;

/// What the draft says of a column.
#[derive(Debug, Clone)]
pub struct DraftColumn {
    /// Its name.
    pub name: String,
    /// How many levels it has; `None` when it was not read.
    pub levels: Option<usize>,
    /// Is nearly every value different?
    pub looks_like_id: bool,
    /// Classes to publish it in, where it is a number with many values.
    pub bands: Option<ProposedBands>,
    /// The width of classes that it may be known in, where it is a number with many values.
    pub rough_width: Option<String>,
}

impl Draft {
    /// The project file.
    #[must_use]
    pub fn text(&self) -> String {
        let mut file = String::from(
            "# What marginswap does with this data. Every entry may be left out, and a flag of a\n\
             # command overrides its entry. INTERNAL: this file tells an intruder where to look.\n\
             # Remove the # in front of an example to use it. All settings: docs/settings.md.\n",
        );
        for (section, about) in SECTIONS {
            let rows = SETTINGS.iter().filter(|setting| setting.page_section() == section);
            let rows: Vec<&Setting> = rows.filter(|row| row.topic != Topic::Preset).collect();
            if rows.is_empty() {
                continue;
            }
            let _ = write!(file, "\n# {about}.\n");
            if !section.is_empty() {
                let _ = writeln!(file, "[{section}]");
            }
            if section == "columns" {
                self.list_columns(&mut file);
            }
            for setting in rows {
                self.entry(&mut file, setting);
            }
        }
        file
    }

    fn list_columns(&self, file: &mut String) {
        let _ = writeln!(
            file,
            "# {} records. The columns, with their number of levels:",
            grouped(self.records as u64)
        );
        let width = self.columns.iter().map(|column| text(&column.name).chars().count()).max();
        for column in &self.columns {
            let name = text(&column.name);
            let levels = match column.levels {
                Some(levels) => grouped(levels as u64),
                None => "not read".to_owned(),
            };
            let note = match (&column.bands, column.looks_like_id) {
                (Some(_), true) => "  nearly every value is different: see [derive]",
                (None, true) => "  nearly every value is different",
                (_, false) => "",
            };
            let width = width.unwrap_or(0);
            let _ = writeln!(file, "#   {name:<width$} {levels:>10}{note}");
        }
    }

    /// The setting's explanation, and its value or an example.
    fn entry(&self, file: &mut String, setting: &Setting) {
        let _ = writeln!(file, "# {}.", setting.help);
        let name = setting.name;
        match name {
            "never_new" => self.list_apart(file),
            "linked" => self.list_following(file),
            "household" if self.project.unit.household.is_none() => {
                if let Some((name, inside)) = self.household() {
                    let _ = writeln!(
                        file,
                        "# {} looks like one: few records share a value, and {} never vary inside.\n\
                         #household = {}",
                        text(name),
                        inside.iter().map(|name| text(name)).collect::<Vec<_>>().join(", "),
                        written(&Value::text(name))
                    );
                    return;
                }
            }
            _ => {}
        }
        if let (Kind::Derived, Some(Value::Map(all))) = (setting.kind, setting.get(&self.project)) {
            for (name, expression) in &all {
                let _ = writeln!(file, "{} = {}", key(name), written(expression));
            }
            return;
        }
        let _ = match setting.get(&self.project) {
            Some(value) => writeln!(file, "{name} = {}", written(&value)),
            None if setting.kind == Kind::Derived => {
                self.propose_bands(file, setting);
                Ok(())
            }
            None if setting.kind == Kind::Widths => {
                self.propose_widths(file, setting);
                Ok(())
            }
            // Its example is a proposal.
            None if name == "linked" && !self.following.is_empty() => Ok(()),
            None => writeln!(file, "#{name} = {}", self.example(setting)),
        };
    }

    /// A column that looks like that of households, and what never varies inside one.
    fn household(&self) -> Option<(&str, Vec<&String>)> {
        let mut found = self.columns.iter().filter_map(|column| {
            let small = !column.looks_like_id && in_small_groups(column.levels?, self.records);
            let inside = self.following.iter().filter(|found| !found.is_sum);
            let inside: Vec<&String> = inside
                .filter(|found| found.of == [column.name.clone()])
                .map(|found| &found.column)
                .collect();
            (small && !inside.is_empty()).then_some((column.name.as_str(), inside))
        });
        found.next()
    }

    /// The pairs of columns in which values never occur together, the most of them first.
    fn list_apart(&self, file: &mut String) {
        if self.apart.is_empty() {
            return;
        }
        let _ = writeln!(
            file,
            "# In these pairs of columns frequent values never occur together, in so many\n\
             # combinations. No swap makes one, unless `none` is written here. Where a combination\n\
             # is impossible for other values too, write a rule."
        );
        let mut apart: Vec<&ApartColumns> = self.apart.iter().collect();
        apart.sort_by_key(|pair| std::cmp::Reverse(pair.combinations));
        for pair in apart.iter().take(MOST_APART) {
            let names = formula(&pair.columns.each_ref().map(String::as_str));
            let _ = writeln!(file, "#   {}  {}", text(&names), grouped(pair.combinations));
        }
        if apart.len() > MOST_APART {
            let more = grouped((apart.len() - MOST_APART) as u64);
            let _ = writeln!(file, "#   and {more} more pairs of columns");
        }
    }

    /// The columns that follow from others, each with the entry that keeps them together.
    fn list_following(&self, file: &mut String) {
        if self.following.is_empty() {
            return;
        }
        let _ = writeln!(
            file,
            "# Every record obeys these. Where some of the columns are exchanged without the others, a\n\
             # record that no longer does was exchanged: link them, leave one out, or let them stay."
        );
        for found in &self.following {
            let names: Vec<String> = found.of.iter().map(|name| text(name)).collect();
            let column = text(&found.column);
            let _ = match found.is_sum {
                true => writeln!(file, "#   {} = {column}", names.join(" + ")),
                false => writeln!(file, "#   {column} follows from {}", names.join(", ")),
            };
        }
        let groups = self.following.iter().map(|found| {
            let names = found.of.iter().chain([&found.column]);
            Value::List(names.map(|name| Value::text(name.as_str())).collect())
        });
        // A long list takes several lines, and all of them are an example.
        let groups = written(&Value::List(groups.collect())).replace('\n', "\n#");
        let _ = writeln!(file, "#linked = {groups}");
    }

    /// A line for each column of many numbers, or an example.
    fn propose_bands(&self, file: &mut String, setting: &Setting) {
        let proposed: Vec<(&DraftColumn, &ProposedBands)> = self
            .columns
            .iter()
            .filter_map(|column| Some((column, column.bands.as_ref()?)))
            .collect();
        if proposed.is_empty() {
            let _ = writeln!(file, "#group = {}", self.example(setting));
            return;
        }
        let _ = writeln!(
            file,
            "# These columns are numbers with many values. If they are published in classes, name\n\
             # the classes in the tables to keep: the exact values can then be exchanged."
        );
        for (column, bands) in proposed {
            let name = key(&format!("{}_band", column.name));
            // Without its classes a column in which nearly all values differ looks like an id.
            let mark = if bands.is_needed { "" } else { "#" };
            let _ = writeln!(file, "{mark}{name} = {}", text(&bands.expression));
        }
    }

    /// Widths for the columns of many numbers, of which some may become keys; or an example.
    fn propose_widths(&self, file: &mut String, setting: &Setting) {
        let name = setting.name;
        let proposed: BTreeMap<String, Value> = self
            .columns
            .iter()
            .filter_map(|column| {
                Some((column.name.clone(), Value::Number(column.rough_width.clone()?)))
            })
            .collect();
        if proposed.is_empty() {
            let _ = writeln!(file, "#{name} = {}", self.example(setting));
            return;
        }
        let keys = &self.project.risk.keys;
        let of_keys: BTreeMap<String, Value> =
            proposed.clone().into_iter().filter(|(name, _)| keys.contains(name)).collect();
        let (mark, widths) = match of_keys.is_empty() {
            true => ("#", proposed),
            false => ("", of_keys),
        };
        let _ = writeln!(
            file,
            "# These widths are a proposal, about two dozen classes each; name the keys only."
        );
        let _ = writeln!(file, "{mark}{name} = {}", written(&Value::Map(widths)));
    }

    /// An example with columns of the file.
    fn example(&self, setting: &Setting) -> String {
        if !setting.example.is_empty() {
            return setting.example.to_owned();
        }
        let variables = self.variables();
        let name = |place: usize| *variables.get(place).unwrap_or(&"another column");
        let names = |count: usize| {
            Value::List(variables.iter().take(count).map(|&name| Value::text(name)).collect())
        };
        let tables =
            |tables: Vec<String>| Value::List(tables.into_iter().map(Value::Text).collect());
        written(&match (setting.kind, setting.name) {
            (Kind::Name, "weight") => Value::text(*variables.last().unwrap_or(&"weight")),
            (Kind::Name, _) => {
                Value::text(self.columns.first().map_or("", |column| column.name.as_str()))
            }
            (Kind::Groups, "match") => Value::List(vec![names(2), names(1), names(0)]),
            (Kind::Groups, _) => Value::List(vec![names(2)]),
            (Kind::Names, "keys" | "vars") => names(3),
            (Kind::Names, _) => names(1),
            (Kind::Tables, "tables") => match variables[..] {
                [first, second, third, fourth, ..] => {
                    tables(vec![formula(&[first, second, third]), formula(&[third, fourth])])
                }
                _ => tables(vec![formula(&variables)]),
            },
            (Kind::NamedTables, _) => Value::Map(
                [(
                    "Table 3".to_owned(),
                    Value::Text(formula(&variables[..variables.len().min(2)])),
                )]
                .into(),
            ),
            (Kind::Tables, _) => tables(vec![formula(&variables[..variables.len().min(2)])]),
            (Kind::Rules, _) => {
                let column = |place| format!("`{}`", name(place).replace('`', "``"));
                let rule = format!("{} = value & {} in {{one, other}}", column(0), column(1));
                tables(vec![rule])
            }
            (Kind::Numbers | Kind::Widths, _) => {
                Value::Map([(name(0).to_owned(), Value::Number("3".to_owned()))].into())
            }
            (Kind::Scenarios, _) => Value::Map([("neighbour".to_owned(), names(2))].into()),
            (Kind::Derived, _) => Value::text(format!("band({}, 10)", plain(name(0)))),
            (Kind::Path | Kind::Files | Kind::Text(_), _) => Value::text(""),
            (Kind::Codes, _) => Value::List(vec![]),
            (Kind::Switch, _) => Value::Switch(true),
        })
    }

    /// Columns for examples: those that take part.
    fn variables(&self) -> Vec<&str> {
        let columns = &self.project.columns;
        self.columns
            .iter()
            .filter(|column| column.levels.is_some())
            .map(|column| column.name.as_str())
            .filter(|name| columns.id.as_deref() != Some(name))
            .filter(|name| !columns.ignore.iter().any(|ignored| ignored == name))
            .collect()
    }
}

/// A value as TOML writes it; a long list takes a line for each item.
pub(crate) fn written(value: &Value) -> String {
    match value {
        Value::Text(plain) => text(plain),
        Value::Number(digits) => digits.clone(),
        Value::Switch(on) => on.to_string(),
        Value::List(list) => {
            let items: Vec<String> = list.iter().map(written).collect();
            let line = format!("[{}]", items.join(", "));
            if line.len() <= 80 { line } else { format!("[\n    {},\n]", items.join(",\n    ")) }
        }
        Value::Map(map) => {
            let items: Vec<String> = map
                .iter()
                .map(|(name, value)| format!("{} = {}", text(name), written(value)))
                .collect();
            format!("{{ {} }}", items.join(", "))
        }
    }
}

/// A name as TOML writes it before `=`.
pub(crate) fn key(name: &str) -> String {
    let bare = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '_' | '-');
    match !name.is_empty() && name.chars().all(bare) {
        true => name.to_owned(),
        false => text(name),
    }
}

/// A text as TOML writes it, on one line whatever it holds.
fn text(plain: &str) -> String {
    let mut text = String::from("\"");
    for sign in plain.chars() {
        match sign {
            '"' | '\\' => text.extend(['\\', sign]),
            // Line ends of every kind would end a comment or an entry.
            sign if sign.is_control() || ['\u{2028}', '\u{2029}'].contains(&sign) => {
                write!(text, "\\u{:04X}", u32::from(sign)).expect("a string takes every text");
            }
            sign => text.push(sign),
        }
    }
    text.push('"');
    text
}
