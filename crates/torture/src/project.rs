//! Random projects over every setting of the one table.
//!
//! A generator belongs to a kind of setting, so a new setting is tortured without anybody
//! remembering; a new kind does not compile here until it has one. A word or number of its own
//! kind is drawn from a list, or where there is none from the example in the table. Each setting
//! draws from a stream of its own, so that a new one leaves the others of a case as they are.
//!
//! Most cases are tame: columns are drawn so that settings rarely contradict each other. The
//! others are wild, and mostly refused; a refusal must leave no file.

use marginswap_core::random::{Random, Seed};
use marginswap_pipeline::settings::{Kind, SETTINGS, Setting, Topic, Value};

use crate::csv;
use crate::world::{CANARY, HOUSE, World, pick};

/// A setting with a value.
#[derive(Debug, Clone)]
pub struct Told {
    /// The setting.
    pub setting: &'static Setting,
    /// Its value.
    pub value: Value,
}

/// The files of a case, in its folder.
pub const DATA: &str = "data.csv";
/// The list of people at risk.
pub const LIST: &str = "list.txt";

/// Random settings for a file.
#[must_use]
pub fn draw(world: &World, random: &mut Random) -> Vec<Told> {
    let wild = random.below(5) == 0;
    let preset = random.below(12) == 0;
    let columns = Columns::draw(world, wild, random);
    let seed = random.seed();
    let mut told = Vec::new();
    for setting in SETTINGS {
        let random = &mut stream(seed, setting);
        if is_for_the_doors(setting) || !is_drawn(setting, world, wild, preset, random) {
            continue;
        }
        if let Some(value) = value_of(setting, world, &columns, random) {
            told.push(Told { setting, value });
        }
    }
    told
}

/// The stream of one setting.
fn stream(Seed(mut bytes): Seed, setting: &Setting) -> Random {
    for (place, byte) in setting.key().bytes().enumerate() {
        bytes[place % 32] ^= byte;
    }
    Random::new(Seed(bytes), 0)
}

/// Files that the doors name for themselves.
#[must_use]
pub fn is_for_the_doors(setting: &Setting) -> bool {
    matches!(setting.kind, Kind::Path | Kind::Files)
}

fn is_drawn(
    setting: &Setting,
    world: &World,
    wild: bool,
    preset: bool,
    random: &mut Random,
) -> bool {
    if setting.topic == Topic::Preset {
        return preset && random.below(2) == 0;
    }
    // A mechanism keeps no plan, and the doors compare plans; tests/sample.rs asks it.
    if setting.topic == Topic::Mechanism {
        return false;
    }
    let of_ten = match setting.key().as_str() {
        "risk.keys" => 10,
        // A pipe is not looked for, and a name with a comma misleads.
        "delimiter" if !wild => 9,
        "keep.tables" | "columns.id" => 9,
        "columns.ignore" | "columns.vars" | "columns.stay" => 2,
        "unit.household" if world.common.is_some() && !wild => 9,
        "keep.households" if world.common.is_some() && !wild => 7,
        "unit.then" if world.common.is_some() && !wild => 4,
        "risk.household_keys" if world.common.is_some() && !wild => 2,
        // What speaks of households is refused where none are named.
        "unit.size" | "unit.columns" | "unit.then" | "keep.households" | "risk.household_keys"
            if !wild =>
        {
            return false;
        }
        _ if wild => 3,
        // A model that is not asked for by a rule changes nothing, and many clash.
        _ if setting.topic == Topic::Model => return random.below(60) == 0,
        _ => 1,
    };
    random.below(10) < of_ten
}

/// The columns that settings draw from.
struct Columns {
    all: Vec<String>,
    /// What all members of households have in common, where there are some.
    common: Option<Vec<String>>,
    ignored: Vec<String>,
    staying: Vec<String>,
    variables: Vec<String>,
    wild: bool,
}

impl Columns {
    fn draw(world: &World, wild: bool, random: &mut Random) -> Self {
        let mut columns = Self {
            all: world.names.clone(),
            common: world.common.clone(),
            ignored: vec![],
            staying: vec![],
            variables: vec![],
            wild,
        };
        for name in world.names[1..].iter().filter(|name| *name != HOUSE) {
            match random.below(8) {
                0 => columns.ignored.push(name.clone()),
                1 => columns.staying.push(name.clone()),
                _ => columns.variables.push(name.clone()),
            }
        }
        columns
    }

    fn pool(&self, setting: &Setting) -> Vec<String> {
        if self.wild {
            return self.all.clone();
        }
        if let Some(common) = &self.common {
            let taking_part = common.iter().filter(|name| !self.ignored.contains(name));
            match setting.key().as_str() {
                "unit.household" => return vec![HOUSE.to_owned()],
                "keep.households"
                | "risk.household_keys"
                | "swap.strata"
                | "swap.match"
                | "swap.near"
                | "swap.rules"
                | "swap.linked" => {
                    return taking_part.cloned().collect();
                }
                _ => {}
            }
        }
        match setting.key().as_str() {
            "columns.id" => vec![self.all[0].clone()],
            "columns.ignore" | "release.drop" => self.ignored.clone(),
            "columns.stay" => self.staying.clone(),
            "risk.keys" | "keep.tables" | "swap.strata" | "swap.match" => {
                [&self.variables[..], &self.staying].concat()
            }
            _ => self.variables.clone(),
        }
    }
}

fn value_of(
    setting: &Setting,
    world: &World,
    columns: &Columns,
    random: &mut Random,
) -> Option<Value> {
    let pool = columns.pool(setting);
    let some = |random: &mut Random| -> Vec<String> {
        let mut names = pool.clone();
        random.shuffle(&mut names);
        names.truncate(1 + random.below(3));
        names
    };
    let list = |names: Vec<String>| Value::List(names.into_iter().map(Value::Text).collect());
    if pool.is_empty() && !matches!(setting.kind, Kind::Text(_) | Kind::Switch | Kind::Path) {
        return None;
    }
    Some(match setting.kind {
        Kind::Names if setting.key() == "columns.vars" => list(columns.variables.clone()),
        Kind::Names => list(some(random)),
        Kind::Name => Value::Text(pick(&pool, random).clone()),
        Kind::Groups => Value::List((0..1 + random.below(2)).map(|_| list(some(random))).collect()),
        Kind::Tables if setting.name == "never_new" && random.below(2) == 0 => {
            Value::List(vec![Value::text(if random.below(2) == 0 { "all" } else { "none" })])
        }
        Kind::Tables if setting.key() == "keep.households" && !columns.wild => Value::List(
            (0..1 + random.below(2))
                .map(|_| of_households(columns, pick::<String>(&pool, random), random))
                .collect(),
        ),
        Kind::Tables => Value::List(
            (0..1 + random.below(3)).map(|_| Value::Text(table(&some(random)))).collect(),
        ),
        Kind::Rules => Value::List(
            (0..1 + random.below(2)).map(|_| rule(world, &some(random), random)).collect(),
        ),
        Kind::Path | Kind::Files => return None,
        Kind::NamedTables => {
            Value::Map([("Table 1".to_owned(), Value::Text(table(&some(random))))].into())
        }
        Kind::Scenarios => Value::Map([("neighbour".to_owned(), list(some(random)))].into()),
        Kind::Text(_) if setting.name == "delimiter" && !columns.wild => {
            Value::text(match world.delimiter {
                b',' => "comma",
                b';' => "semicolon",
                b'\t' => "tab",
                _ => "pipe",
            })
        }
        Kind::Text(_) => text(setting, random)?,
        Kind::Switch => Value::Switch(true),
        Kind::Codes => Value::List(["", "NA", "7"].map(Value::text).to_vec()),
        // Its name is used by no other setting: it must change nothing.
        Kind::Derived => {
            let column = format!("`{}`", pick(&pool, random).replace('`', "``"));
            let expression = match random.below(3) {
                0 => format!("prefix({column}, 1)"),
                1 => format!("{column} = \"a\""),
                _ => format!("if({column} = \"b\", {column}, \"other\")"),
            };
            Value::Map([("derived one".to_owned(), Value::Text(expression))].into())
        }
        Kind::Numbers | Kind::Widths => Value::Map(
            some(random)
                .into_iter()
                .map(|name| (name, Value::Number((1 + random.below(9)).to_string())))
                .collect(),
        ),
    })
}

/// A table as it is typed.
fn table(names: &[String]) -> String {
    let quoted = |name: &String| format!("`{}`", name.replace('`', "``"));
    names.iter().map(quoted).collect::<Vec<_>>().join("*")
}

/// A table of households as it is typed: a column, and what is counted in them.
fn of_households(columns: &Columns, column: &str, random: &mut Random) -> Value {
    let plain = |name: &&String| name.chars().all(char::is_alphabetic);
    let own: Vec<&String> = columns.variables.iter().filter(plain).collect();
    let counted = match (own.is_empty(), random.below(4)) {
        (true, _) | (_, 0) => "size".to_owned(),
        (_, 1) => format!("count({} = \"a\")", pick(&own, random)),
        (_, 2) => format!("any({} = \"b\")", pick(&own, random)),
        _ => format!("members({})", pick(&own, random)),
    };
    Value::Text(format!("`{}`*{counted}", column.replace('`', "``")))
}

/// A rule over one or two columns, with values that occur.
fn rule(world: &World, names: &[String], random: &mut Random) -> Value {
    let mut terms = Vec::new();
    for name in &names[..names.len().min(2)] {
        let column = world.names.iter().position(|other| other == name).expect("a column");
        let mut values: Vec<String> = Vec::new();
        for _ in 0..1 + random.below(2) {
            let raw = &pick(&world.rows, random)[column];
            // A canary in a rule would be shown with the settings, which is no leak.
            let text = String::from_utf8(csv::value(raw)).ok().filter(|text| text != CANARY);
            values.extend(text.map(|text| format!("\"{}\"", text.replace('"', "\"\""))));
        }
        if values.is_empty() {
            values.push("\"none\"".to_owned());
        }
        let sign = if random.below(2) == 0 { "in" } else { "not in" };
        let name = format!("`{}`", name.replace('`', "``"));
        terms.push(format!("{name} {sign} {{{}}}", values.join(", ")));
    }
    Value::Text(terms.join(" & "))
}

/// A word or number of the setting's own kind.
fn text(setting: &Setting, random: &mut Random) -> Option<Value> {
    let known = words(&setting.key());
    if known.is_empty() {
        return example(setting);
    }
    Some(Value::text(*pick(known, random)))
}

/// The example of the table as a value.
fn example(setting: &Setting) -> Option<Value> {
    let example = setting.example;
    let text = example.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    match text {
        Some(text) => Some(Value::text(text)),
        None if example.is_empty() => None,
        None => Some(Value::Number(example.to_owned())),
    }
}

/// Words for the settings that take one.
fn words(key: &str) -> &'static [&'static str] {
    match key {
        "unit.then" => &["persons"],
        "keep.max_separators" => &["0", "1", "2", "100000"],
        "risk.risky" => {
            &["unique", "k:0", "k:1", "k:2", "k:3", "k:5", "records:list.txt", "top:3", "prob:0.2"]
        }
        "risk.population" => &["1000", "100", "1"],
        "risk.fraction" => &["0.05", "5 %", "1"],
        "risk.model" => &["auto", "independence", "all-2way"],
        "risk.criterion" => &["bic", "aic"],
        "risk.search" => &["forest", "forward", "backward", "both"],
        "risk.select" => &["score", "fit"],
        "swap.detach" => &["0", "1", "2", "9"],
        "swap.max_records" => &["2", "3", "4", "5"],
        "swap.budget" => &["0", "2", "3", "7", "10 %", "50 %", "100 %"],
        "swap.rate" => &["0", "2", "5", "10 %", "50 %", "100 %"],
        "swap.pairing" => &["slices", "greedy", "optimal"],
        "swap.effort" => &["quick", "normal", "long"],
        "release.order" => &["random", "input"],
        "trs.k_anonymity" => &["0", "2", "3"],
        "trs.swaprate" => &["0", "5 %", "50 %"],
        // Mostly a wrong one, which is refused.
        "delimiter" => &["comma", "semicolon", "tab", "pipe", "#"],
        _ if key.starts_with("gate.") => &["0", "1", "50 %", "100 %"],
        _ => &[],
    }
}

/// The settings as a project file.
#[must_use]
pub fn toml(told: &[Told]) -> String {
    let mut text = format!("data = {}\n", quoted(DATA));
    let mut section = "";
    for Told { setting, value } in told {
        if setting.section != section {
            section = setting.section;
            text.push_str(&format!("[{section}]\n"));
        }
        text.push_str(&format!("{} = {}\n", setting.name, written(value)));
    }
    text
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

fn written(value: &Value) -> String {
    match value {
        Value::Text(text) => quoted(text),
        Value::Number(digits) => digits.clone(),
        Value::Switch(on) => on.to_string(),
        Value::List(list) => {
            format!("[{}]", list.iter().map(written).collect::<Vec<_>>().join(", "))
        }
        Value::Map(map) => {
            let entry =
                |(name, value): (&String, &Value)| format!("{} = {}", quoted(name), written(value));
            format!("{{{}}}", map.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::Case;

    #[test]
    fn every_setting_has_a_stream_of_its_own() {
        let first = |setting| stream(Seed([7; 32]), setting).bits();
        let all: BTreeSet<u64> = SETTINGS.iter().map(first).collect();
        assert_eq!(all.len(), SETTINGS.len());
    }

    /// Every setting that no door names is drawn: a new one too. A mechanism is asked for elsewhere.
    #[test]
    fn every_setting_is_tortured() {
        let mut drawn = BTreeSet::new();
        for number in 0..3000 {
            drawn.extend(Case::draw(1, number).told.iter().map(|told| told.setting.key()));
        }
        let all = SETTINGS
            .iter()
            .filter(|setting| !is_for_the_doors(setting) && setting.topic != Topic::Mechanism);
        let missing: Vec<String> =
            all.map(Setting::key).filter(|key| !drawn.contains(key)).collect();
        assert!(missing.is_empty(), "no generator draws {missing:?}");
    }
}
