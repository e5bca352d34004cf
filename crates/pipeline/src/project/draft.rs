//! A project file to start from, with a word on every entry.
//!
//! What is known of the data is filled in; what a user must decide stands as an example
//! behind `#`, with columns of the file. A draft holds names and counts, never a value of
//! the data.

use std::fmt::Write;

use marginswap_core::diagnostic::grouped;
use marginswap_core::graph::quoted;

/// What goes into a project file that is written for a user.
#[derive(Debug, Clone, Default)]
pub struct Draft {
    /// The data file, as it is found from the project file.
    pub data: String,
    /// What parts its fields, where a user had to say it.
    pub delimiter: Option<String>,
    /// The released file.
    pub out: String,
    /// How many records the data have.
    pub records: usize,
    /// The columns, in the file's order.
    pub columns: Vec<DraftColumn>,
    /// The column that names a record.
    pub id: Option<String>,
    /// The columns left out.
    pub ignore: Vec<String>,
    /// The tables to keep; without any, an example.
    pub tables: Vec<String>,
    /// What an intruder may know; without any, an example.
    pub keys: Vec<String>,
    /// Forbidden combinations; without any, an example.
    pub rules: Vec<String>,
}

/// What is said of a column.
#[derive(Debug, Clone)]
pub struct DraftColumn {
    /// Its name.
    pub name: String,
    /// How many levels it has; `None` when it was not read.
    pub levels: Option<usize>,
    /// Is nearly every value different?
    pub looks_like_id: bool,
}

impl Draft {
    /// The project file.
    #[must_use]
    pub fn text(&self) -> String {
        let mut file = File::default();
        file.word("What marginswap does with this data. Every entry may be left out, and every");
        file.word("flag of a command wins over the entry it belongs to. Keep this file inside the");
        file.word("house: it tells an intruder where to look. All entries: docs/project-file.md.");
        file.gap();
        file.word("The data; paths start at the folder of this file.");
        file.entry("data", &text(&self.data));
        file.word("What parts the fields of a CSV file, when the header line does not tell.");
        match &self.delimiter {
            Some(delimiter) => file.entry("delimiter", &text(delimiter)),
            None => file.example("delimiter", &text(",")),
        }
        self.columns(&mut file);
        self.tables_and_keys(&mut file);
        self.swapping(&mut file);
        file.part("release", "What is written.");
        file.word("The released file, and the plan (secret: it undoes the protection).");
        file.entry("out", &text(&self.out));
        file.entry("plan", &text("swap.plan"));
        file.word("The records in random order, and columns that are not released.");
        file.example("shuffle", "true");
        let dropped: Vec<String> = self.id.iter().cloned().collect();
        file.list_or_example("drop", &dropped, &[]);
        file.part("report", "What is told about it.");
        file.word("A page for those who decide (internal), and one that may be published.");
        file.example("internal", &text("report.html"));
        file.example("external", &text("public.html"));
        file.word("Tables that are not kept: the pages say how far they moved.");
        let watched: Vec<String> =
            self.variables().iter().take(2).map(|name| quoted(name)).collect();
        file.list_or_example("watch", &[], &[watched.join("*")]);
        file.0
    }

    fn columns(&self, file: &mut File) {
        file.part("columns", "What each column is.");
        file.word(&format!(
            "{} records. Columns, with the number of their levels:",
            grouped(self.records as u64)
        ));
        let width = self.columns.iter().map(|column| text(&column.name).chars().count()).max();
        for column in &self.columns {
            let name = text(&column.name);
            let levels = match column.levels {
                Some(levels) => grouped(levels as u64),
                None => "not read".to_owned(),
            };
            let note = if column.looks_like_id { "  nearly every value is different" } else { "" };
            file.word(&format!("  {name:<width$} {levels:>10}{note}", width = width.unwrap_or(0)));
        }
        file.word("The column that names a record; it has no part in anything.");
        match &self.id {
            Some(id) => file.entry("id", &text(id)),
            None => file.example("id", &text(self.columns.first().map_or("", |first| &first.name))),
        }
        let variables = self.variables();
        let some = |count: usize| -> Vec<String> {
            variables.iter().take(count).map(|&name| name.to_owned()).collect()
        };
        file.word("Left out: records that differ only there count as the same.");
        file.list_or_example("ignore", &self.ignore, &some(1));
        file.word("Released but never exchanged.");
        file.list_or_example("stay", &[], &some(1));
        file.word("Or the other way round: only these may be exchanged, the others stay.");
        file.list_or_example("vars", &[], &some(3));
    }

    fn tables_and_keys(&self, file: &mut File) {
        let variables = self.variables();
        file.part("keep", "The tables that must not change: those published, no more.");
        let table =
            |names: &[&str]| names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join("*");
        let examples: Vec<String> = match variables[..] {
            [first, second, third, fourth, ..] => {
                vec![table(&[first, second, third]), table(&[third, fourth])]
            }
            _ => vec![table(&variables)],
        };
        file.list_or_example("tables", &self.tables, &examples);
        file.part("risk", "Who is to be protected.");
        file.word("What an intruder may know of a person.");
        let examples: Vec<String> = variables.iter().take(3).map(|&name| name.to_owned()).collect();
        file.list_or_example("keys", &self.keys, &examples);
        file.word(
            "\"unique\": nobody else has the same keys. \"k:3\": fewer than 3 records have them.",
        );
        file.word("\"records:FILE\": those that the file names, one on a line.");
        file.word(
            "\"top:50\", \"prob:0.2\": by the estimated probability to be alone in the population,",
        );
        file.word("which needs its size, or the share of it that is in the file.");
        file.entry("risky", "\"unique\"");
        file.example("population", "1000000");
        file.example("fraction", "\"5 %\"");
        file.word(
            "The model behind that: \"auto\", \"independence\", \"all-2way\", or tables of keys.",
        );
        file.entry("model", "\"auto\"");
        file.word("How \"auto\" searches: by \"bic\" or \"aic\"; \"forest\", \"forward\", \"backward\" or \"both\";");
        file.word("from these tables on; to the best \"score\", or to where it may \"fit\" best.");
        file.example("criterion", "\"bic\"");
        file.example("search", "\"forward\"");
        file.list_or_example("start", &[], &[table(&variables[..variables.len().min(2)])]);
        file.example("select", "\"score\"");
    }

    fn swapping(&self, file: &mut File) {
        let variables = self.variables();
        let name =
            |position: usize| (*variables.get(position).unwrap_or(&"another column")).to_owned();
        let pair = |names: &[String]| {
            format!("[{}]", names.iter().map(|name| text(name)).collect::<Vec<_>>().join(", "))
        };
        file.part("swap", "How records are swapped.");
        file.word("Columns that only travel together, as an age and its age group.");
        file.example("linked", &format!("[{}]", pair(&[name(0), name(1)])));
        file.word("Partners agree on these columns; the first list that gives a partner counts.");
        file.example(
            "match",
            &format!("[{}, {}, []]", pair(&[name(0), name(1)]), pair(&[name(0)])),
        );
        file.word("Partners always agree on these.");
        file.example("strata", &pair(&[name(0)]));
        file.word("The column of weights: weighted tables stay exact too, with fewer partners.");
        file.example("weight", &text(&name(variables.len().saturating_sub(1))));
        file.word("Combinations that no swap may create.");
        let column = |position| format!("`{}`", name(position).replace('`', "``"));
        let rule = format!("{} = value & {} in {{one, other}}", column(0), column(1));
        file.list_or_example("rules", &self.rules, &[rule]);
        file.word("No more records than this are changed, and random swaps up to this.");
        file.example("budget", "\"5 %\"");
        file.example("rate", "\"2 %\"");
        file.word("\"greedy\", or \"optimal\" for an exact matching where it fits.");
        file.entry("pairing", "\"greedy\"");
        file.word("Where a record has no partner: swaps of up to so many records, 4 or 8.");
        file.example("max_records", "4");
        file.word("What it costs to disturb a variable: a whole number, 1 where none is given.");
        file.example("weights", &format!("{{ {} = 3 }}", text(&name(0))));
    }

    /// Columns for examples: those that take part.
    fn variables(&self) -> Vec<&str> {
        self.columns
            .iter()
            .filter(|column| column.levels.is_some())
            .map(|column| column.name.as_str())
            .filter(|name| self.id.as_deref() != Some(name))
            .filter(|name| !self.ignore.iter().any(|ignored| ignored == name))
            .collect()
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

#[derive(Default)]
struct File(String);

impl File {
    fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    fn gap(&mut self) {
        self.line("");
    }

    fn word(&mut self, word: &str) {
        self.line(&format!("# {word}"));
    }

    fn part(&mut self, name: &str, word: &str) {
        self.gap();
        self.word(word);
        self.line(&format!("[{name}]"));
    }

    fn entry(&mut self, name: &str, value: &str) {
        self.line(&format!("{name} = {value}"));
    }

    /// An entry to take the `#` away from.
    fn example(&mut self, name: &str, value: &str) {
        self.line(&format!("#{name} = {value}"));
    }

    fn list_or_example(&mut self, name: &str, list: &[String], example: &[String]) {
        let written = |list: &[String]| {
            let texts: Vec<String> = list.iter().map(|item| text(item)).collect();
            let line = format!("[{}]", texts.join(", "));
            if line.len() <= 80 { line } else { format!("[\n    {},\n]", texts.join(",\n    ")) }
        };
        if list.is_empty() {
            let texts: Vec<String> = example.iter().map(|item| text(item)).collect();
            self.example(name, &format!("[{}]", texts.join(", ")));
        } else {
            self.entry(name, &written(list));
        }
    }
}
