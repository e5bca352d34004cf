//! What a release must be, counted by the definitions.
//!
//! Nothing here calls the program's own code: the plan is parsed, followed on the rows and
//! compared with the released bytes; then every setting is held against what happened.

use std::collections::{BTreeMap, BTreeSet};

use marginswap_pipeline::settings::Value;
use serde_json::Value as Json;

use crate::{Case, csv};

/// What a run gave.
pub struct Released<'a> {
    /// The released file.
    pub bytes: &'a [u8],
    /// The plan file.
    pub plan: &'a str,
    /// The answer of the command.
    pub answer: &'a Json,
}

/// One swap or group: its records, and from which of them each takes its value in each column.
struct Exchange {
    records: Vec<usize>,
    takes: Vec<(usize, Vec<usize>)>,
}

/// Holds a release against its case; answers how many records were changed.
///
/// # Errors
/// What does not hold, in words.
pub fn check(case: &Case, released: &Released<'_>) -> Result<usize, String> {
    let (exchanges, then) = parse_plan(released.plan).ok_or("the plan cannot be parsed")?;
    let before = &case.world.rows;
    let told = Settings::of(case);
    if let Some(household) = told.household() {
        return check_households(&told, household, (&exchanges, &then), released);
    }
    let after = follow(before, &exchanges)?;
    check_bytes(case, released, &after)?;
    check_columns(&told, before, &after, &exchanges)?;
    check_tables(&told, before, &after)?;
    check_partners(&told, before, &exchanges)?;
    check_rules(&told, before, &after)?;
    check_never_new(&told, before, &after)?;
    let changed = before.iter().zip(&after).filter(|(old, new)| values(old) != values(new)).count();
    check_budget(&told, before.len(), changed)?;
    check_numbers(&told, case, &after, released.answer, changed)?;
    Ok(changed)
}

/// The exchanges of records, and those of single lines after them.
fn parse_plan(text: &str) -> Option<(Vec<Exchange>, Vec<Exchange>)> {
    let mut lines = text.lines();
    lines.next().filter(|banner| banner.starts_with("SECRET: marginswap plan"))?;
    let header: Json = serde_json::from_str(lines.next()?).ok()?;
    let number = |text: &str| text.parse::<usize>().ok()?.checked_sub(1);
    let (mut exchanges, mut first) = (Vec::new(), None);
    for line in lines {
        if line.starts_with("end ") {
            return Some(match first {
                Some(first) => (first, exchanges),
                None => (exchanges, Vec::new()),
            });
        }
        if line == "then persons" && first.is_none() {
            first = Some(std::mem::take(&mut exchanges));
            continue;
        }
        if let Some(group) = line.strip_prefix("group ") {
            let mut exchange = Exchange { records: Vec::new(), takes: Vec::new() };
            for part in group.split(' ') {
                match part.split_once(':') {
                    None => exchange.records.push(number(part)?),
                    Some((column, from)) => {
                        let from = from.split(',').map(number).collect::<Option<_>>()?;
                        exchange.takes.push((number(column)?, from));
                    }
                }
            }
            exchanges.push(exchange);
        } else {
            let parts: Vec<usize> = line.split(' ').map(number).collect::<Option<_>>()?;
            let [left, right, set] = parts[..] else { return None };
            let columns = header["exchanges"][set].as_array()?.iter();
            let columns =
                columns.map(|column| usize::try_from(column.as_u64()?).ok()?.checked_sub(1));
            let takes = columns.map(|column| Some((column?, vec![1, 0]))).collect::<Option<_>>()?;
            exchanges.push(Exchange { records: vec![left, right], takes });
        }
    }
    None
}

type Rows = Vec<Vec<Vec<u8>>>;

fn follow(before: &Rows, exchanges: &[Exchange]) -> Result<Rows, String> {
    let mut after = before.clone();
    let mut met = BTreeSet::new();
    for exchange in exchanges {
        for &record in &exchange.records {
            if record >= before.len() || !met.insert(record) {
                return Err(format!("record {} is swapped twice or not there", record + 1));
            }
        }
        for (column, from) in &exchange.takes {
            for (&record, &from) in exchange.records.iter().zip(from) {
                after[record][*column] = before[exchange.records[from]][*column].clone();
            }
        }
    }
    Ok(after)
}

/// The lines of each household by a column, the households in the order of their first lines.
fn households(rows: &[Vec<Vec<u8>>], column: usize) -> Vec<Vec<usize>> {
    let mut found: Vec<(Vec<u8>, Vec<usize>)> = Vec::new();
    for (line, row) in rows.iter().enumerate() {
        let name = csv::value(&row[column]);
        match found.iter_mut().find(|(other, _)| *other == name) {
            Some((_, lines)) => lines.push(line),
            None => found.push((name, vec![line])),
        }
    }
    found.into_iter().map(|(_, lines)| lines).collect()
}

/// Where households are swapped: every line of one takes what the first line of another has, the
/// released households are those, under any names, and every table of persons is kept.
fn check_households(
    told: &Settings<'_>,
    household: usize,
    (exchanges, then): (&[Exchange], &[Exchange]),
    released: &Released<'_>,
) -> Result<usize, String> {
    let before = &told.case.world.rows;
    let lines = households(before, household);
    let mut after = before.clone();
    for exchange in exchanges {
        for (column, from) in &exchange.takes {
            for (&one, &from) in exchange.records.iter().zip(from) {
                let giver = lines.get(exchange.records[from]).ok_or("no such household")?[0];
                for &line in lines.get(one).ok_or("no such household")? {
                    after[line][*column] = before[giver][*column].clone();
                }
            }
        }
    }
    check_persons(told, before, &lines, then)?;
    let after = follow(&after, then)?;
    check_tables_of_households(told, before, &after, &lines)?;
    let dropped = told.dropped();
    let whole = |rows: &Rows, household: usize, dropped: &BTreeSet<usize>| {
        let kept = |line: &usize| -> Vec<Vec<u8>> {
            let fields = rows[*line].iter().enumerate();
            let kept = fields.filter(|(at, _)| !dropped.contains(at) && *at != household);
            kept.map(|(_, raw)| csv::value(raw)).collect()
        };
        counted(households(rows, household).iter().map(|lines| {
            let mut members: Vec<Vec<Vec<u8>>> = lines.iter().map(kept).collect();
            members.sort();
            members
        }))
    };
    let found = csv::rows(released.bytes, told.case.world.delimiter);
    let found: Rows = found.ok_or("the release is no CSV file")?[1..].to_vec();
    let place = household - dropped.iter().filter(|&&column| column < household).count();
    if whole(&found, place, &BTreeSet::new()) != whole(&after, household, &dropped) {
        return Err("the released households are not those that the plan makes".into());
    }
    for columns in told.tables("keep.tables") {
        if table(before, &columns) != table(&after, &columns) {
            return Err("a kept table of persons is another one".into());
        }
    }
    Ok(before.iter().zip(&after).filter(|(old, new)| values(old) != values(new)).count())
}

/// Persons exchange nothing that all members of every household have in common, and nothing where
/// only households are asked for.
fn check_persons(
    told: &Settings<'_>,
    before: &Rows,
    lines: &[Vec<usize>],
    then: &[Exchange],
) -> Result<(), String> {
    if told.text("unit.then").is_none() && !then.is_empty() {
        return Err("persons exchange though nobody asked".into());
    }
    for (column, _) in then.iter().flat_map(|exchange| &exchange.takes) {
        let value = |line: &usize| csv::value(&before[*line][*column]);
        if lines.iter().all(|members| members.iter().all(|one| value(one) == value(&members[0]))) {
            return Err("persons exchange a column of households".into());
        }
    }
    Ok(())
}

/// Members are together, what they have in common they still have in common, and every table of
/// households is kept.
fn check_tables_of_households(
    told: &Settings<'_>,
    before: &Rows,
    after: &Rows,
    lines: &[Vec<usize>],
) -> Result<(), String> {
    for column in 0..told.case.world.names.len() {
        let constant = |rows: &Rows| {
            let value = |line: &usize| csv::value(&rows[*line][column]);
            lines.iter().all(|members| members.iter().all(|one| value(one) == value(&members[0])))
        };
        if constant(before) && !constant(after) {
            return Err("a household is torn".into());
        }
    }
    let Some(Value::List(tables)) = told.get("keep.households") else { return Ok(()) };
    for table in tables {
        let Value::Text(text) = table else { continue };
        let [old, new] = [before, after].map(|rows| table_of_households(told, rows, lines, text));
        if old != new {
            return Err(format!("the table of households {text} is another one"));
        }
    }
    Ok(())
}

/// How many households have each value of a column with what is counted in them.
type HouseholdTable = BTreeMap<(Vec<u8>, Vec<Vec<u8>>), usize>;

/// One such table, from its text.
fn table_of_households(
    told: &Settings<'_>,
    rows: &Rows,
    lines: &[Vec<usize>],
    text: &str,
) -> HouseholdTable {
    let kinds = ["`*size", "`*count(", "`*any(", "`*members("];
    let found = kinds.iter().find_map(|kind| Some((text.rfind(kind)?, *kind)));
    let Some((at, kind)) = found else {
        // Drawn without care, as a table of columns alone.
        return BTreeMap::new();
    };
    let column = told.column(&text[1..at].replace("``", "`"));
    let rest = text[at + kind.len()..].trim_end_matches(')');
    let (name, wanted) = rest.split_once(" = ").unwrap_or((rest, ""));
    let wanted = wanted.trim_matches('"').as_bytes();
    let counted_of = |members: &Vec<usize>| -> Vec<Vec<u8>> {
        if kind == kinds[0] {
            return vec![members.len().to_string().into_bytes()];
        }
        let own = told.column(name);
        let mut all: Vec<Vec<u8>> =
            members.iter().map(|&line| csv::value(&rows[line][own])).collect();
        all.sort();
        let holding = all.iter().filter(|value| *value == wanted).count();
        match kind {
            "`*count(" => vec![holding.to_string().into_bytes()],
            "`*any(" => vec![(holding > 0).to_string().into_bytes()],
            _ => all,
        }
    };
    counted(
        lines.iter().map(|members| (csv::value(&rows[members[0]][column]), counted_of(members))),
    )
}

fn values(row: &[Vec<u8>]) -> Vec<Vec<u8>> {
    row.iter().map(|raw| csv::value(raw)).collect()
}

fn counted<T: Ord>(items: impl IntoIterator<Item = T>) -> BTreeMap<T, usize> {
    let mut counts = BTreeMap::new();
    for item in items {
        *counts.entry(item).or_default() += 1;
    }
    counts
}

/// The settings of a case as they are meant.
struct Settings<'a> {
    case: &'a Case,
}

impl<'a> Settings<'a> {
    fn of(case: &'a Case) -> Self {
        Self { case }
    }

    fn get(&self, key: &str) -> Option<&'a Value> {
        self.case.told.iter().find(|told| told.setting.key() == key).map(|told| &told.value)
    }

    fn text(&self, key: &str) -> Option<&'a str> {
        match self.get(key) {
            Some(Value::Text(text) | Value::Number(text)) => Some(text),
            _ => None,
        }
    }

    fn is_on(&self, key: &str) -> bool {
        self.get(key) == Some(&Value::Switch(true))
    }

    fn column(&self, name: &str) -> usize {
        let names = &self.case.world.names;
        names.iter().position(|other| other == name).expect("a released project names columns")
    }

    fn list(&self, value: &Value) -> Vec<usize> {
        match value {
            Value::List(names) => names.iter().flat_map(|name| self.list(name)).collect(),
            Value::Text(name) => vec![self.column(name)],
            _ => vec![],
        }
    }

    fn names(&self, key: &str) -> Vec<usize> {
        self.get(key).map(|value| self.list(value)).unwrap_or_default()
    }

    fn groups(&self, key: &str) -> Vec<Vec<usize>> {
        match self.get(key) {
            Some(Value::List(groups)) => groups.iter().map(|group| self.list(group)).collect(),
            Some(Value::Map(groups)) => groups.values().map(|group| self.list(group)).collect(),
            _ => vec![],
        }
    }

    /// Tables, each name between backticks.
    fn tables(&self, key: &str) -> Vec<Vec<usize>> {
        let tables: Vec<&Value> = match self.get(key) {
            Some(Value::List(tables)) => tables.iter().collect(),
            Some(Value::Map(tables)) => tables.values().collect(),
            _ => return vec![],
        };
        let table = |value: &Value| match value {
            Value::Text(text) if text != "all" => {
                let names = text.split("`*`").map(|name| name.trim_matches('`').replace("``", "`"));
                Some(names.map(|name| self.column(&name)).collect())
            }
            _ => None,
        };
        tables.into_iter().filter_map(table).collect()
    }

    /// A number of records, or a share of them rounded down.
    fn amount(&self, key: &str, of: usize) -> Option<usize> {
        let text = self.text(key)?;
        Some(match text.strip_suffix('%') {
            Some(percent) => of * percent.trim().parse::<usize>().ok()? / 100,
            None => text.parse().ok()?,
        })
    }

    /// The column of households, where these are swapped.
    fn household(&self) -> Option<usize> {
        let told = self.text("unit.household").or_else(|| self.text("trs.hid"));
        told.map(|name| self.column(name))
    }

    fn has_preset(&self) -> bool {
        self.case.told.iter().any(|told| told.setting.section == "trs")
    }

    /// The columns that are not released.
    fn dropped(&self) -> BTreeSet<usize> {
        let mut dropped: BTreeSet<usize> = self.names("release.drop").into_iter().collect();
        if !self.is_on("release.release_id") {
            dropped.extend(self.names("columns.id"));
        }
        dropped
    }
}

/// The released bytes are those rows, without the columns that are dropped, in their order or
/// in another one; nothing else. Of columns in which some fields are quoted and others not, the
/// values are those.
fn check_bytes(case: &Case, released: &Released<'_>, after: &Rows) -> Result<(), String> {
    let world = &case.world;
    let told = Settings::of(case);
    let dropped = told.dropped();
    let kept = |row: &Vec<Vec<u8>>| -> Vec<Vec<u8>> {
        let fields = row.iter().enumerate().filter(|(column, _)| !dropped.contains(column));
        let mut fields: Vec<Vec<u8>> = fields.map(|(_, field)| field.clone()).collect();
        // An empty field alone on its line would be no record: it is written between quotes.
        if let [only] = &mut fields[..]
            && only.is_empty()
        {
            only.extend(b"\"\"");
        }
        fields
    };
    let found = csv::rows(released.bytes, world.delimiter).ok_or("the release is no CSV file")?;
    let forms = |column: usize| -> BTreeSet<bool> {
        world.rows.iter().map(|row| row[column].starts_with(b"\"")).collect()
    };
    let released_columns = (0..world.names.len()).filter(|column| !dropped.contains(column));
    let mixed: Vec<bool> = released_columns.map(|column| forms(column).len() > 1).collect();
    let told_apart = |row: Vec<Vec<u8>>| -> Vec<Vec<u8>> {
        let fields = row.into_iter().zip(&mixed);
        fields.map(|(raw, &mixed)| if mixed { csv::value(&raw) } else { raw }).collect()
    };
    let expected: Rows = after.iter().map(|row| told_apart(kept(row))).collect();
    if found.len() != expected.len() + 1 {
        return Err(format!("{} records became {}", expected.len(), found.len() - 1));
    }
    let header = csv::rows(&world.bytes(), world.delimiter).ok_or("the input is no CSV file")?;
    if found[0] != kept(&header[0]) {
        return Err("the header is another one".into());
    }
    let found: Rows = found.into_iter().skip(1).map(told_apart).collect();
    let in_order = told.text("release.order") == Some("input");
    if in_order && found != expected {
        return Err("with the order of the input a line is not what the plan makes".into());
    }
    if counted(&found) != counted(&expected) {
        return Err("the released records are not those that the plan makes".into());
    }
    if released.bytes.starts_with("\u{feff}".as_bytes()) != world.mark {
        return Err("the byte order mark came or went".into());
    }
    let ends = |bytes: &[u8]| bytes.windows(2).filter(|pair| *pair == b"\r\n").count();
    let inside = |rows: &Rows| rows.iter().flatten().map(|field| ends(field)).sum::<usize>();
    let lines = ends(released.bytes) - inside(&expected);
    if (world.end == "\r\n") != (lines > 0) {
        return Err("lines end otherwise".into());
    }
    Ok(())
}

/// No column moves that may not, and linked columns move together.
fn check_columns(
    told: &Settings<'_>,
    before: &Rows,
    after: &Rows,
    exchanges: &[Exchange],
) -> Result<(), String> {
    let mut still: BTreeSet<usize> =
        ["columns.id", "columns.ignore", "columns.stay", "swap.weight"]
            .iter()
            .flat_map(|key| told.names(key))
            .collect();
    // A weight stays only where it joins a kept table.
    if let Some(weight) = told.names("swap.weight").first() {
        let named = ["columns.id", "columns.ignore", "columns.stay"];
        if !named.iter().any(|key| told.names(key).contains(weight)) {
            still.remove(weight);
        }
    }
    let vars = told.names("columns.vars");
    if !vars.is_empty() {
        still.extend((0..told.case.world.names.len()).filter(|column| !vars.contains(column)));
    }
    for exchange in exchanges {
        if let Some((column, _)) = exchange.takes.iter().find(|(column, _)| still.contains(column))
        {
            return Err(format!("column {} is exchanged and stays", column + 1));
        }
        for group in told.groups("swap.linked") {
            // Where partners agree on one of them, exchanging the others does the same.
            let there = |rows: &Rows| -> BTreeMap<Vec<Vec<u8>>, usize> {
                let rows = exchange.records.iter().map(|&record| &rows[record]);
                counted(rows.map(|row| {
                    group.iter().map(|&column| csv::value(&row[column])).collect::<Vec<_>>()
                }))
            };
            if there(before) != there(after) {
                return Err("linked columns move apart".into());
            }
        }
    }
    Ok(())
}

fn table(rows: &Rows, columns: &[usize]) -> BTreeMap<Vec<Vec<u8>>, usize> {
    counted(
        rows.iter()
            .map(|row| columns.iter().map(|&column| csv::value(&row[column])).collect::<Vec<_>>()),
    )
}

/// Every kept table and every single column has the counts it had.
fn check_tables(told: &Settings<'_>, before: &Rows, after: &Rows) -> Result<(), String> {
    let mut tables = told.tables("keep.tables");
    tables.extend(told.tables("keep.named"));
    if let Some(weight) = told.names("swap.weight").first() {
        tables.iter_mut().for_each(|table| table.push(*weight));
    }
    tables.extend((0..told.case.world.names.len()).map(|column| vec![column]));
    tables.extend(told.groups("swap.linked"));
    for columns in tables {
        if table(before, &columns) != table(after, &columns) {
            return Err(format!("the table of columns {columns:?} (from 0) has changed"));
        }
    }
    Ok(())
}

/// The records of a swap agree on the strata, and on one of the match lists.
fn check_partners(
    told: &Settings<'_>,
    before: &Rows,
    exchanges: &[Exchange],
) -> Result<(), String> {
    let strata = told.names("swap.strata");
    let lists = told.groups("swap.match");
    for exchange in exchanges {
        let agrees = |columns: &Vec<usize>| {
            columns.iter().all(|&column| {
                let first = csv::value(&before[exchange.records[0]][column]);
                exchange.records.iter().all(|&record| csv::value(&before[record][column]) == first)
            })
        };
        if !agrees(&strata) {
            return Err("partners differ on the strata".into());
        }
        if !lists.is_empty() && !lists.iter().any(agrees) {
            return Err("partners agree on no match list".into());
        }
    }
    // Permutations in slices, which are the default, are swaps of any number of records.
    if told.text("swap.pairing").is_some_and(|how| how != "slices")
        && told.text("swap.max_records").is_none_or(|most| most == "2")
        && exchanges.iter().any(|exchange| exchange.records.len() > 2)
    {
        return Err("a swap has more than two records".into());
    }
    Ok(())
}

/// A rule: for each column its values, and whether all others are meant.
fn parse_rule(text: &str) -> Option<Vec<(String, Vec<String>, bool)>> {
    let mut terms = Vec::new();
    let mut rest = text;
    loop {
        let (name, behind) = until_quote(rest.trim_start().strip_prefix('`')?, '`')?;
        let behind = behind.trim_start();
        let (negated, behind) = match behind.strip_prefix("not in {") {
            Some(behind) => (true, behind),
            None => (false, behind.strip_prefix("in {")?),
        };
        let mut values = Vec::new();
        let mut inside = behind;
        loop {
            let (value, behind) = until_quote(inside.strip_prefix('"')?, '"')?;
            values.push(value);
            match behind.strip_prefix(", ") {
                Some(next) => inside = next,
                None => {
                    rest = behind.strip_prefix('}')?;
                    break;
                }
            }
        }
        terms.push((name, values, negated));
        match rest.trim_start().strip_prefix('&') {
            Some(next) => rest = next,
            None => return rest.is_empty().then_some(terms),
        }
    }
}

/// What is before the closing quote, which is doubled inside, and what is after it.
fn until_quote(text: &str, quote: char) -> Option<(String, &str)> {
    let (mut found, mut rest) = (String::new(), text);
    loop {
        let (before, behind) = rest.split_once(quote)?;
        found.push_str(before);
        match behind.strip_prefix(quote) {
            Some(next) => {
                found.push(quote);
                rest = next;
            }
            None => return Some((found, behind)),
        }
    }
}

/// No forbidden combination has more records than before.
fn check_rules(told: &Settings<'_>, before: &Rows, after: &Rows) -> Result<(), String> {
    let Some(Value::List(rules)) = told.get("swap.rules") else { return Ok(()) };
    for rule in rules {
        let Value::Text(text) = rule else { return Err("a rule is text".into()) };
        let terms = parse_rule(text).ok_or_else(|| format!("a rule cannot be parsed: {text}"))?;
        let breaking = |rows: &Rows| {
            let combination = |row: &Vec<Vec<u8>>| -> Option<Vec<Vec<u8>>> {
                let value = |name: &str| csv::value(&row[told.column(name)]);
                let holds = terms.iter().all(|(name, values, negated)| {
                    let listed = values.iter().any(|listed| listed.as_bytes() == value(name));
                    listed != *negated
                });
                holds.then(|| terms.iter().map(|(name, ..)| value(name)).collect())
            };
            counted(rows.iter().filter_map(combination))
        };
        let old = breaking(before);
        for (combination, count) in breaking(after) {
            if count > old.get(&combination).copied().unwrap_or(0) {
                return Err(format!("a swap makes what a rule forbids: {text}"));
            }
        }
    }
    Ok(())
}

/// No two values come together that nobody had together: of pairs that are named, and of columns
/// with few levels where nothing is set; there two values may that are absent by rarity.
fn check_never_new(told: &Settings<'_>, before: &Rows, after: &Rows) -> Result<(), String> {
    let value = told.get("swap.never_new");
    let is = |word: &str| value == Some(&Value::List(vec![Value::text(word)]));
    if is("none") {
        return Ok(());
    }
    let everywhere = value.is_none() || is("all");
    let tables = match everywhere {
        true => vec![watched(told, before)],
        false => told.tables("swap.never_new"),
    };
    let rare = everywhere || told.get("risk.knows") == Some(&Value::text("any-part"));
    let having = |column: usize, value: &[u8]| {
        before.iter().filter(|row| csv::value(&row[column]) == value).count()
    };
    for columns in tables {
        for (place, &left) in columns.iter().enumerate() {
            for &right in &columns[place + 1..] {
                let old = table(before, &[left, right]);
                let is_new = |pair: &&Vec<Vec<u8>>| {
                    let both = having(left, &pair[0]) * having(right, &pair[1]);
                    let is_excused = rare && both < 5 * before.len();
                    !old.contains_key(*pair) && !is_excused
                };
                if table(after, &[left, right]).keys().any(|pair| is_new(&pair)) {
                    return Err(format!("columns {left} and {right} (from 0) have a new pair"));
                }
            }
        }
    }
    Ok(())
}

/// The columns that are exchanged, are no weight, and have five records for each value on average.
fn watched(told: &Settings<'_>, before: &Rows) -> Vec<usize> {
    let out = ["columns.id", "columns.ignore", "columns.stay", "swap.weight"];
    let out: BTreeSet<usize> = out.iter().flat_map(|key| told.names(key)).collect();
    let exchanged = told.names("columns.vars");
    let few = |column: &usize| {
        let levels: BTreeSet<Vec<u8>> =
            before.iter().map(|row| csv::value(&row[*column])).collect();
        levels.len() * 5 <= before.len()
    };
    (0..told.case.world.names.len())
        .filter(|column| !out.contains(column))
        .filter(|column| exchanged.is_empty() || exchanged.contains(column))
        .filter(few)
        .collect()
}

fn check_budget(told: &Settings<'_>, records: usize, changed: usize) -> Result<(), String> {
    match told.amount("swap.budget", records) {
        Some(most) if changed > most => Err(format!("{changed} records are changed, not {most}")),
        _ => Ok(()),
    }
}

/// The numbers of the answer: who is at risk, and what becomes of them.
fn check_numbers(
    told: &Settings<'_>,
    case: &Case,
    after: &Rows,
    answer: &Json,
    changed: usize,
) -> Result<(), String> {
    let compare = |what: &str, found: &Json, counted: usize| match found.as_u64() {
        Some(found) if found == counted as u64 => Ok(()),
        _ => Err(format!("{what} is {found} in the answer, {counted} by the definition")),
    };
    compare("records", &answer["records"], case.world.rows.len())?;
    // A swap of records that are equal changes nothing; the plan counts it all the same.
    if answer["records_changed"].as_u64() < Some(changed as u64) {
        return Err("the answer tells of fewer changed records than there are".into());
    }
    if told.has_preset() {
        return Ok(());
    }
    let before = &case.world.rows;
    let all_keys: Vec<Vec<usize>> = std::iter::once(told.names("risk.keys"))
        .filter(|keys| !keys.is_empty())
        .chain(told.groups("risk.more_keys"))
        .chain(told.groups("risk.scenarios"))
        .collect();
    let rule = told.text("risk.risky").unwrap_or("unique");
    for (number, keys) in all_keys.iter().enumerate() {
        let (old, new) = (table(before, keys), table(after, keys));
        let key = |row: &Vec<Vec<u8>>| -> Vec<Vec<u8>> {
            keys.iter().map(|&column| csv::value(&row[column])).collect()
        };
        let fewer = |k: usize| -> Vec<usize> {
            (0..before.len()).filter(|&record| old[&key(&before[record])] < k).collect()
        };
        let at_risk: Vec<usize> = match rule.split_once(':') {
            None => fewer(2),
            Some(("k", k)) => fewer(k.parse().map_err(|_| "k is a number")?),
            Some(("records", _)) => case.listed.clone(),
            // A model chooses; for the other intruders those who are alone are at risk.
            Some(_) if number == 0 => continue,
            Some(_) => fewer(2),
        };
        let there = |record: usize| new.get(&key(&before[record])).copied().unwrap_or(0);
        let count = |wanted: fn(usize) -> bool| {
            at_risk.iter().filter(|&&record| wanted(there(record))).count()
        };
        let found = &answer["scenarios"][number];
        compare("at_risk", &found["at_risk"], at_risk.len())?;
        compare("gone", &found["gone"], count(|there| there == 0))?;
        compare("shared", &found["shared"], count(|there| there > 1))?;
        compare("matched", &found["matched"], count(|there| there == 1))?;
    }
    Ok(())
}
