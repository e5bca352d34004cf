//! Real files cut in two: a half that is released and people who were never in it.
//!
//! A case is a file of the folder of real data with the tables of its class `agency`, at most
//! [`MOST`] of its records drawn at random, and keys drawn at random. The first half of the
//! drawn records is released; the second is where the control group comes from.
//!
//! Trap: records, halves and keys are drawn again for each seed, so that no figure hangs on one
//! set of keys; two builds of the program get the same cases for the same seed.
//!
//! Way in: [`Case::draw`].

#![allow(clippy::unwrap_used, reason = "a benchmark fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

/// The records drawn of a file, both halves together.
pub const MOST: usize = 20_000;

/// A record: a code for each variable.
pub type Row = Vec<u32>;

/// Which people are asked about: a file, how many keys, and what is sensitive.
#[derive(Clone, Copy)]
pub struct Question {
    pub name: &'static str,
    pub folder: &'static str,
    pub keys: usize,
    /// The one sensitive variable; without it every variable that is no key.
    pub sensitive: Option<&'static str>,
}

impl Question {
    /// Five keys, and everything else is sensitive.
    pub fn is_plain(&self) -> bool {
        self.keys == 5 && self.sensitive.is_none()
    }
}

/// A file cut in two for one seed.
pub struct Case {
    pub names: Vec<String>,
    /// The text of every code of every variable.
    pub levels: Vec<Vec<String>>,
    pub keys: Vec<usize>,
    pub sensitive: Vec<usize>,
    pub tables: Vec<Vec<usize>>,
    pub released: Vec<Row>,
    pub control: Vec<Row>,
}

/// Numbers drawn from a seed (SplitMix64).
pub struct Draw(u64);

impl Draw {
    /// The draws for a name and a seed.
    pub fn of(name: &str, seed: u64) -> Self {
        let start = name.bytes().fold(seed, |sum, byte| {
            (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3).rotate_left(17)
        });
        Self(start)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below this one; the bias is below 2⁻⁴⁰ for files of a million records.
    pub fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).expect("a number of records fits 64 bits");
        usize::try_from(self.next() % end).expect("below a usize")
    }

    /// The first of these after shuffling, in the order drawn.
    pub fn some<T>(&mut self, mut all: Vec<T>, most: usize) -> Vec<T> {
        let most = most.min(all.len());
        for place in 0..most {
            let other = place + self.below(all.len() - place);
            all.swap(place, other);
        }
        all.truncate(most);
        all
    }
}

/// A file's header, lines and kept tables, read once for all seeds.
pub struct Source {
    names: Vec<String>,
    lines: Vec<String>,
    tables: Vec<Vec<usize>>,
}

impl Source {
    /// Reads a folder of the real data, if it is there.
    pub fn read(folder: &Path) -> Option<Self> {
        let scenario = fs::read_to_string(folder.join("scenario.json")).ok()?;
        let scenario: Value = serde_json::from_str(&scenario).unwrap();
        let text = fs::read_to_string(folder.join("data.csv")).unwrap();
        let mut lines = text.lines();
        let names = fields(lines.next().unwrap());
        let place =
            |name: &Value| names.iter().position(|other| other == name.as_str().unwrap()).unwrap();
        let table = |table: &Value| table.as_array().unwrap().iter().map(place).collect();
        let tables = scenario["classes"]["agency"]["tables"].as_array().unwrap();
        let tables = tables.iter().map(table).collect();
        let lines = lines.map(str::to_owned).collect();
        Some(Self { names, lines, tables })
    }
}

impl Case {
    /// Draws the records, the halves and the keys.
    pub fn draw(question: &Question, source: &Source, seed: u64) -> Self {
        let mut draw = Draw::of(question.name, seed);
        let places = draw.some((0..source.lines.len()).collect(), MOST);
        let drawn: Vec<Vec<String>> =
            places.iter().map(|&place| fields(&source.lines[place])).collect();
        let names = source.names.clone();
        let named =
            question.sensitive.map(|name| names.iter().position(|other| other == name).unwrap());
        let free = (0..names.len()).filter(|&variable| Some(variable) != named).collect();
        let mut keys = draw.some(free, question.keys);
        keys.sort_unstable();
        let others = (0..names.len()).filter(|variable| !keys.contains(variable));
        let sensitive = named.map_or_else(|| others.collect(), |variable| vec![variable]);
        let levels: Vec<Vec<String>> = (0..names.len())
            .map(|variable| {
                let texts: BTreeSet<&String> = drawn.iter().map(|row| &row[variable]).collect();
                texts.into_iter().cloned().collect()
            })
            .collect();
        let mut released = coded(&drawn, &levels);
        let control = released.split_off(drawn.len() / 2);
        Self { names, levels, keys, sensitive, tables: source.tables.clone(), released, control }
    }

    /// Writes one of the halves.
    pub fn write(&self, rows: &[Row], path: &Path) {
        let row = |row: &Row| {
            let texts = row.iter().zip(&self.levels);
            texts.map(|(&code, texts)| quoted(&texts[code as usize])).collect::<Vec<_>>().join(",")
        };
        let header = self.names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(",");
        let lines = std::iter::once(header).chain(rows.iter().map(row));
        let text: String = lines.map(|line| line + "\n").collect();
        fs::write(path, text).unwrap();
    }

    /// Reads a released file; a value that the original never had is refused.
    pub fn read(&self, path: &Path) -> Vec<Row> {
        let text = fs::read_to_string(path).unwrap();
        let mut lines = text.lines().map(fields);
        assert_eq!(lines.next().unwrap(), self.names, "the released file has the same columns");
        coded(&lines.collect::<Vec<_>>(), &self.levels)
    }

    /// Variables as the program takes them.
    pub fn named(&self, variables: &[usize], between: &str) -> String {
        let names = variables.iter().map(|&variable| format!("`{}`", self.names[variable]));
        names.collect::<Vec<_>>().join(between)
    }
}

fn coded(rows: &[Vec<String>], levels: &[Vec<String>]) -> Vec<Row> {
    let code = |(text, texts): (&String, &Vec<String>)| {
        let place = texts.binary_search(text).expect("every value is one of the original");
        u32::try_from(place).expect("a level's number fits 32 bits")
    };
    rows.iter().map(|row| row.iter().zip(levels).map(code).collect()).collect()
}

fn quoted(text: &str) -> String {
    match text.contains([',', '"']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

/// The fields of one line; no field of these files goes over two lines.
fn fields(line: &str) -> Vec<String> {
    let (mut all, mut field, mut inside) = (Vec::new(), String::new(), false);
    let mut signs = line.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '"' if inside && signs.peek() == Some(&'"') => field.extend(signs.next()),
            '"' => inside = !inside,
            ',' if !inside => all.push(std::mem::take(&mut field)),
            other => field.push(other),
        }
    }
    all.push(field);
    all
}
