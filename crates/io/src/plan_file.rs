//! The plan file: swaps that are decided and not yet done.
//!
//! A plan is SECRET: anyone who has it can undo the swaps. It is text of lines that end with
//! LF, and counts everything from 1:
//!
//! ```text
//! SECRET: marginswap plan. Anyone who has it can undo the swaps; do not release.
//! {"format":2,"tool":"marginswap", … ,"exchanges":[[2],[2,4]]}
//! 17 4711 2
//! 23 901 1
//! group 5 8 13 21 3:2,1,4,3
//! end 3 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
//! ```
//!
//! The first line is the banner, the second the header in JSON, then comes one line for
//! each swap: two records and the number of the set of columns they exchange, which the
//! header lists. After the swaps comes one line for each group of more records: the
//! records, and for each column that changes from which of them each takes its value. The
//! last line has the number of swaps and groups and the SHA-256 of all bytes before it.
//! `docs/plan-file.md` describes every field. Format 1 is the same without groups. Format 3
//! is a plan of format 2 with one more line, `seal` and the seal of all bytes before it.
//! Formats 4 and 5 are formats 2 and 3 of a plan in two steps: the records are households, and
//! after the line `then persons` come the swaps and groups of single lines that follow.
//!
//! Trap: the sum is no seal. It tells a damaged plan from a sound one, not a forged one:
//! anyone who may write the file may write a sum. A seal needs a key, and is looked at only by
//! a reader who has it.
//!
//! Way in: [`write_plan`], [`read_plan`], [`read_plan_sealed`], then [`PlanFile::check_input`] and
//! [`PlanFile::check_parameters`].
//!
//! Laws: `plan-files-come-back`, and `damaged-plans-are-refused`: no single byte of a plan
//! file can be changed, left out or added without the file being refused; of a sealed one
//! neither, where the key is known.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;

use crate::refusal::Code;
use marginswap_core::diagnostic::{Diagnostic, grouped};
use marginswap_core::encode::RecordId;
use marginswap_core::plan::{Plan, PlannedGroup, PlannedSwap, Unsound};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::atomic::{Overwrite, Secrecy, write_atomic};
use crate::digest::sha256_hex;
use crate::header::shown;
use crate::seal::SealKey;
use crate::source::{not_opened, open_file};

/// The first line.
const BANNER: &str =
    "SECRET: marginswap plan. Anyone who has it can undo the swaps; do not release.\n";

/// The first line of older plans.
const OLDER_BANNER: &str =
    "SECRET: marginswap plan. Whoever has it can undo the swaps; do not release.\n";

/// The format of a plan without a seal, which this version writes.
pub const PLAN_FORMAT: u64 = 2;

/// The format of a plan with a seal.
pub const SEALED_FORMAT: u64 = 3;

/// How much higher the formats of plans in two steps are. A sealed one is the newest that is read.
const IN_TWO_STEPS: u64 = 2;

/// The newest format that is read.
const NEWEST: u64 = SEALED_FORMAT + IN_TWO_STEPS;

/// The line between the households and the persons.
const THEN: &[u8] = b"then persons";

/// A plan with what it was made from.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanFile {
    /// What it was made from.
    pub header: PlanHeader,
    /// The swaps and groups.
    pub plan: Plan,
    /// Where the records are households: the swaps and groups of single lines that follow.
    pub then: Option<ThenPersons>,
}

/// The second step of a plan, between lines of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThenPersons {
    /// How many lines the file has.
    pub lines: u64,
    /// The swaps and groups.
    pub plan: Plan,
}

/// What a plan was made from.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanHeader {
    /// The version of the program that made it.
    pub version: String,
    /// The SHA-256 of the input file, as 64 digits.
    pub input_sha256: String,
    /// The length of the input file.
    pub input_bytes: u64,
    /// The number of its records.
    pub records: u64,
    /// The names of its columns.
    pub columns: Vec<String>,
    /// All that was asked for, a JSON object. The order of its keys does not matter.
    pub parameters: Value,
    /// Was it made with a seed that others know?
    pub not_for_release: bool,
    /// Counts that describe the plan.
    pub summary: Value,
}

impl PlanFile {
    /// Refuses an input that is not the one the plan was made for.
    ///
    /// # Errors
    /// [`Code::StalePlan`].
    pub fn check_input(
        &self,
        sha256: &str,
        records: u64,
        columns: &[String],
    ) -> Result<(), Diagnostic> {
        let header = &self.header;
        let detail = if header.columns != columns {
            match header.columns.iter().zip(columns).position(|(planned, found)| planned != found) {
                Some(column) => format!(
                    "the plan is for a file whose column {} is called {}; here it is {}",
                    column + 1,
                    shown(&header.columns[column]),
                    shown(&columns[column])
                ),
                None => format!(
                    "the plan is for a file of {} columns, this one has {}",
                    header.columns.len(),
                    columns.len()
                ),
            }
        } else if header.records != records {
            format!(
                "the plan is for a file of {} records, this one has {}",
                grouped(header.records),
                grouped(records)
            )
        } else if header.input_sha256 != sha256 {
            "the plan is for a file with other bytes: the SHA-256 differs".to_owned()
        } else {
            return Ok(());
        };
        Err(stale(detail))
    }

    /// Refuses parameters that are not those the plan was made with.
    ///
    /// # Errors
    /// [`Code::OtherParameters`], naming the entries that differ.
    pub fn check_parameters(&self, parameters: &Value) -> Result<(), Diagnostic> {
        let planned = &self.header.parameters;
        if planned == parameters {
            return Ok(());
        }
        let empty = Map::new();
        let planned = planned.as_object().unwrap_or(&empty);
        let given = parameters.as_object().unwrap_or(&empty);
        let mut differing: Vec<&String> = planned
            .keys()
            .chain(given.keys())
            .filter(|name| planned.get(*name) != given.get(*name))
            .collect();
        differing.sort();
        differing.dedup();
        let differing: Vec<String> = differing.iter().map(|name| shown(name)).collect();
        Err(Diagnostic::new(
            Code::OtherParameters,
            format!("the plan was made with another value of {}", differing.join(", ")),
            "make a new plan, or give the settings of this one",
        ))
    }
}

impl PlanHeader {
    /// The SHA-256 of the parameters, as 64 digits: of their JSON without blanks and with
    /// the keys of every object in the order of their bytes.
    #[must_use]
    pub fn parameters_sha256(&self) -> String {
        sha256_hex(sorted(&self.parameters).to_string().as_bytes())
    }
}

/// Writes a plan, for its owner alone.
///
/// # Errors
/// As [`write_atomic`].
///
/// # Panics
/// When the plan is of records or columns that the input does not have.
pub fn write_plan(path: &Path, overwrite: Overwrite, plan: &PlanFile) -> Result<(), Diagnostic> {
    let bytes = plan_bytes(plan);
    write_atomic(path, overwrite, Secrecy::Secret, |file| file.write_all(&bytes))
}

/// The bytes of a plan file.
#[must_use]
pub fn plan_bytes(plan: &PlanFile) -> Vec<u8> {
    plan_bytes_sealed(plan, None)
}

/// The bytes of a plan file, with a seal where there is a key.
#[must_use]
pub fn plan_bytes_sealed(plan: &PlanFile, key: Option<&SealKey>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut format = if key.is_some() { SEALED_FORMAT } else { PLAN_FORMAT };
    let mut lines = lines_of(&plan.plan);
    if let Some(then) = &plan.then {
        format += IN_TWO_STEPS;
        lines += 1 + lines_of(&then.plan);
    }
    write_body(plan, format, &mut bytes).expect("memory takes bytes");
    let sum = sha256_hex(&bytes);
    writeln!(bytes, "end {lines} {sum}").expect("memory takes bytes");
    if let Some(key) = key {
        let seal = key.seal(&bytes);
        writeln!(bytes, "{SEAL}{seal}").expect("memory takes bytes");
    }
    bytes
}

/// How many lines its swaps and groups have.
fn lines_of(plan: &Plan) -> usize {
    plan.swaps().len() + plan.groups().len()
}

/// How the line of a seal begins.
const SEAL: &str = "seal ";

/// What is known of a plan's seal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seal {
    /// It has none.
    Missing,
    /// It has one that nobody looked at, for want of a key.
    Unchecked,
    /// It is sealed with the key that was given.
    Right,
}

/// Reads a plan and checks all that can be checked without its input.
///
/// # Errors
/// [`Code::NewerPlan`], [`Code::NoPlan`], or a file that is missing or not readable.
pub fn read_plan(path: &Path) -> Result<PlanFile, Diagnostic> {
    read_plan_sealed(path, None).map(|(plan, _)| plan)
}

/// As [`read_plan`], and with a key only a plan that was sealed with it.
///
/// # Errors
/// As [`read_plan`]; [`Code::WrongSeal`].
pub fn read_plan_sealed(
    path: &Path,
    key: Option<&SealKey>,
) -> Result<(PlanFile, Seal), Diagnostic> {
    let read = || {
        let file = open_file(path)?;
        let mut bytes = Vec::new();
        // What is no plan may be long.
        let mut first = file.take(BANNER.len() as u64);
        first.read_to_end(&mut bytes).map_err(|error| not_opened(&error))?;
        behind_banner(&bytes)?;
        first.into_inner().read_to_end(&mut bytes).map_err(|error| not_opened(&error))?;
        let (body, seal) = check_seal(&bytes, key)?;
        parse(body).map(|plan| (plan, seal))
    };
    read().map_err(|refusal| refusal.in_file(path))
}

/// The second line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HeaderLine {
    format: u64,
    tool: String,
    version: String,
    input_sha256: String,
    input_bytes: u64,
    records: u64,
    /// How many lines the file has, where the records are households and lines are swapped too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lines: Option<u64>,
    columns: Vec<String>,
    parameters: Value,
    parameters_sha256: String,
    not_for_release: bool,
    summary: Value,
    exchanges: Vec<Vec<usize>>,
}

/// The program that writes plans.
const TOOL: &str = "marginswap";

fn write_body(plan: &PlanFile, format: u64, out: &mut dyn Write) -> io::Result<()> {
    let header = &plan.header;
    let mut body = Body::default();
    body.add(&plan.plan);
    if let Some(then) = &plan.then {
        body.lines.push_str("then persons\n");
        body.add(&then.plan);
    }
    let Body { exchanges, lines, .. } = body;
    let steps = Some((header.records, &plan.plan)).into_iter();
    let steps = steps.chain(plan.then.as_ref().map(|then| (then.lines, &then.plan)));
    for (records, plan) in steps {
        if let Some(trouble) = trouble(header.columns.len(), records, &exchanges, plan) {
            panic!("a plan is sound: {trouble}");
        }
    }
    let line = HeaderLine {
        format,
        tool: TOOL.to_owned(),
        version: header.version.clone(),
        input_sha256: header.input_sha256.clone(),
        input_bytes: header.input_bytes,
        records: header.records,
        lines: plan.then.as_ref().map(|then| then.lines),
        columns: header.columns.clone(),
        parameters: sorted(&header.parameters),
        parameters_sha256: header.parameters_sha256(),
        not_for_release: header.not_for_release,
        summary: sorted(&header.summary),
        exchanges,
    };
    out.write_all(BANNER.as_bytes())?;
    serde_json::to_writer(&mut *out, &line)?;
    writeln!(out)?;
    out.write_all(lines.as_bytes())
}

/// The lines of swaps and groups, and the sets of columns that they number.
#[derive(Default)]
struct Body<'p> {
    numbers: BTreeMap<&'p [usize], usize>,
    exchanges: Vec<Vec<usize>>,
    lines: String,
}

impl<'p> Body<'p> {
    fn add(&mut self, plan: &'p Plan) {
        let Self { numbers, exchanges, lines } = self;
        for swap in plan.swaps() {
            let number = *numbers.entry(&swap.exchanged).or_insert_with(|| {
                exchanges.push(swap.exchanged.iter().map(|column| column + 1).collect());
                exchanges.len()
            });
            let (left, right) = (swap.left.number(), swap.right.number());
            lines.push_str(&format!("{left} {right} {number}\n"));
        }
        for group in plan.groups() {
            lines.push_str("group");
            for record in &group.records {
                lines.push_str(&format!(" {}", record.number()));
            }
            for (column, from) in group.columns.iter().zip(&group.from) {
                let from: Vec<String> = from.iter().map(|place| (place + 1).to_string()).collect();
                lines.push_str(&format!(" {}:{}", column + 1, from.join(",")));
            }
            lines.push('\n');
        }
    }
}

/// What comes after the first line.
fn behind_banner(bytes: &[u8]) -> Result<&[u8], Diagnostic> {
    [BANNER, OLDER_BANNER]
        .iter()
        .find_map(|banner| bytes.strip_prefix(banner.as_bytes()))
        .ok_or_else(|| damaged("the file does not begin as a plan does", 1))
}

/// The header, of a format that is known.
fn parse_header(bytes: &[u8]) -> Result<(Value, u64), Diagnostic> {
    let header = behind_banner(bytes)?.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let header: Value =
        serde_json::from_slice(header).map_err(|_| damaged("the header is not JSON", 2))?;
    // A newer format may end otherwise, so this comes before the sum.
    match header.get("format").and_then(Value::as_u64) {
        Some(format) if format > NEWEST => Err(Diagnostic::new(
            Code::NewerPlan,
            format!("the plan has format {format}, this program knows up to {NEWEST}"),
            "use the version that made the plan, or make a new plan",
        )),
        Some(format @ 1..=NEWEST) => Ok((header, format)),
        _ => Err(damaged("the header names no format", 2)),
    }
}

/// Takes the seal off a plan; with a key it must be there and right.
fn check_seal<'b>(bytes: &'b [u8], key: Option<&SealKey>) -> Result<(&'b [u8], Seal), Diagnostic> {
    let wrong = |detail: &str| {
        Diagnostic::new(
            Code::WrongSeal,
            detail,
            "get the plan again from the one who made it, or make a new plan",
        )
    };
    let (_, format) = parse_header(bytes)?;
    if ![SEALED_FORMAT, SEALED_FORMAT + IN_TWO_STEPS].contains(&format) {
        return match key {
            None => Ok((bytes, Seal::Missing)),
            Some(_) => Err(wrong("the plan has no seal, and a key to check one is given")),
        };
    }
    let lines = memchr::memchr_iter(b'\n', bytes).count() as u64;
    let unsealed = || damaged("the plan does not end with its seal", lines.max(1));
    let without_end = bytes.strip_suffix(b"\n").ok_or_else(unsealed)?;
    let start = memchr::memrchr(b'\n', without_end).map_or(0, |end| end + 1);
    let (body, last) = without_end.split_at(start);
    let seal = last.strip_prefix(SEAL.as_bytes()).ok_or_else(unsealed)?;
    let is_digit = |sign: &u8| sign.is_ascii_digit() || (b'a'..=b'f').contains(sign);
    if seal.len() != 64 || !seal.iter().all(is_digit) {
        return Err(unsealed());
    }
    match key {
        None => Ok((body, Seal::Unchecked)),
        Some(key) if key.is_seal(body, seal) => Ok((body, Seal::Right)),
        Some(_) => Err(wrong("the seal is not that of the key: another key, or a changed plan")),
    }
}

fn parse(bytes: &[u8]) -> Result<PlanFile, Diagnostic> {
    let (header, _) = parse_header(bytes)?;
    let swaps = check_sum(bytes)?;
    let line: HeaderLine = serde_json::from_value(header)
        .map_err(|_| damaged("the header does not have the fields of a plan", 2))?;
    let header = PlanHeader {
        version: line.version,
        input_sha256: line.input_sha256,
        input_bytes: line.input_bytes,
        records: line.records,
        columns: line.columns,
        parameters: line.parameters,
        not_for_release: line.not_for_release,
        summary: line.summary,
    };
    if line.tool != TOOL || line.parameters_sha256 != header.parameters_sha256() {
        return Err(damaged("the header does not agree with itself", 2));
    }
    let body = bytes.split(|&byte| byte == b'\n').skip(2).take(swaps);
    let lines: Vec<&[u8]> = body.collect();
    let in_two_steps = line.format >= PLAN_FORMAT + IN_TWO_STEPS;
    let first = match in_two_steps {
        true => lines.iter().position(|line| *line == THEN),
        false => None,
    };
    if in_two_steps != first.is_some() || in_two_steps != line.lines.is_some() {
        return Err(damaged("the plan has two steps and does not say where, or the contrary", 2));
    }
    let (households, persons) = lines.split_at(first.unwrap_or(lines.len()));
    let columns = header.columns.len();
    let step = |lines: &[&[u8]], behind: usize, records: u64| {
        let place = 3 + behind as u64;
        let plan = parse_step(lines, place, line.format, &line.exchanges)?;
        match trouble(columns, records, &line.exchanges, &plan) {
            Some(trouble) => Err(damaged(trouble, 2)),
            None => Ok(plan),
        }
    };
    let plan = step(households, 0, header.records)?;
    let then = match (first, line.lines) {
        (Some(first), Some(records)) => {
            let plan = step(&persons[1..], first + 1, records)?;
            Some(ThenPersons { lines: records, plan })
        }
        _ => None,
    };
    Ok(PlanFile { header, plan, then })
}

/// The swaps and groups of these lines, of which the first has this number in the file.
fn parse_step(
    lines: &[&[u8]],
    first: u64,
    format: u64,
    exchanges: &[Vec<usize>],
) -> Result<Plan, Diagnostic> {
    let pairs = lines.iter().take_while(|line| !line.starts_with(GROUP)).count();
    let (pairs, grouped) = lines.split_at(pairs);
    let swaps = parse_swaps(pairs, first, exchanges)?;
    let behind = first + pairs.len() as u64;
    if format == 1 && !grouped.is_empty() {
        return Err(damaged("a plan of format 1 has no groups", behind));
    }
    let groups = (behind..)
        .zip(grouped)
        .map(|(number, line)| {
            parse_group(line).ok_or_else(|| damaged("the line is not a group", number))
        })
        .collect::<Result<Vec<_>, _>>()?;
    Plan::new(swaps, groups).map_err(|unsound| damaged(&unsound_words(unsound), 2))
}

/// Compares the last line with what comes before it; gives the number of swaps.
fn check_sum(bytes: &[u8]) -> Result<usize, Diagnostic> {
    let lines = memchr::memchr_iter(b'\n', bytes).count();
    let wrong = |detail: &str| Err(damaged(detail, (lines as u64).max(1)));
    let Some(without_end) = bytes.strip_suffix(b"\n") else {
        return wrong("the plan ends in the middle of a line");
    };
    let start = memchr::memrchr(b'\n', without_end).map_or(0, |end| end + 1);
    let (body, last) = without_end.split_at(start);
    let Some(swaps) = lines.checked_sub(3) else { return wrong("the plan has no last line") };
    // Only one text is right, so no change of it is overlooked.
    if last == format!("end {swaps} {}", sha256_hex(body)).as_bytes() {
        Ok(swaps)
    } else {
        wrong("the plan does not agree with the sum on its last line")
    }
}

/// How the line of a group begins.
const GROUP: &[u8] = b"group ";

/// `group 5 8 13 21 3:2,1,4,3`, written in no other way.
fn parse_group(line: &[u8]) -> Option<PlannedGroup> {
    // Only one text is right for a number, so that each plan has one text.
    let number = |text: &str| -> Option<usize> {
        let number: u32 = text.parse().ok()?;
        (number.to_string() == text).then_some(())?;
        number.checked_sub(1).map(|number| number as usize)
    };
    let text = std::str::from_utf8(line.strip_prefix(GROUP)?).ok()?;
    let mut group = PlannedGroup { records: Vec::new(), columns: Vec::new(), from: Vec::new() };
    for part in text.split(' ') {
        match part.split_once(':') {
            None if group.columns.is_empty() => group.records.push(RecordId::at(number(part)?)),
            None => return None,
            Some((column, from)) => {
                group.columns.push(number(column)?);
                group.from.push(from.split(',').map(number).collect::<Option<_>>()?);
            }
        }
    }
    Some(group)
}

fn parse_swaps(
    lines: &[&[u8]],
    first: u64,
    exchanges: &[Vec<usize>],
) -> Result<Vec<PlannedSwap>, Diagnostic> {
    let exchanges: Option<Vec<Arc<[usize]>>> = exchanges
        .iter()
        .map(|columns| columns.iter().map(|column| column.checked_sub(1)).collect())
        .collect();
    let exchanges = exchanges.ok_or_else(|| damaged("a column is counted from 0", 2))?;
    let mut swaps = Vec::with_capacity(lines.len());
    for (line, number) in lines.iter().zip(first..) {
        let swap = || {
            let mut parts = std::str::from_utf8(line).ok()?.split(' ');
            let mut next = || {
                let text = parts.next()?;
                let number: u32 = text.parse().ok()?;
                number.checked_sub(1)
            };
            let (left, right, exchange) = (next()?, next()?, next()?);
            let exchanged = Arc::clone(exchanges.get(exchange as usize)?);
            let swap = PlannedSwap { left: RecordId(left), right: RecordId(right), exchanged };
            parts.next().is_none().then_some(swap)
        };
        swaps.push(swap().ok_or_else(|| damaged("the line is not a swap", number))?);
    }
    Ok(swaps)
}

/// What is wrong with a plan for an input of this size, if something is.
fn trouble(
    columns: usize,
    records: u64,
    exchanges: &[Vec<usize>],
    plan: &Plan,
) -> Option<&'static str> {
    for exchange in exchanges {
        let is_rising = exchange.windows(2).all(|pair| pair[0] < pair[1]);
        if exchange.is_empty() || !is_rising || exchange.last().is_some_and(|&c| c > columns) {
            return Some("a set of columns is empty, out of order or out of range");
        }
    }
    if plan.last_column().is_some_and(|last| last >= columns) {
        return Some("a group exchanges a column that the input does not have");
    }
    let beyond = |last: RecordId| last.number() > records;
    plan.records()
        .max()
        .is_some_and(beyond)
        .then_some("a swap is of a record that the input does not have")
}

fn unsound_words(unsound: Unsound) -> String {
    match unsound {
        Unsound::Columns => "a set of columns is empty or out of order".to_owned(),
        Unsound::Group => "a group is empty, out of order or no exchange".to_owned(),
        Unsound::Twice(record) => format!("record {} is swapped twice", grouped(record.number())),
    }
}

/// The same value, with the keys of every object in the order of their bytes.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(values) => values.iter().map(sorted).collect(),
        Value::Object(entries) => {
            let mut entries: Vec<(&String, &Value)> = entries.iter().collect();
            entries.sort_by_key(|(name, _)| *name);
            entries.into_iter().map(|(name, value)| (name.clone(), sorted(value))).collect()
        }
        value => value.clone(),
    }
}

/// The refusal of an input that is not, or no longer, the plan's.
pub(crate) fn stale(detail: impl Into<String>) -> Diagnostic {
    Diagnostic::new(
        Code::StalePlan,
        detail,
        "make a new plan for this file, or name the file the plan was made for",
    )
}

fn damaged(detail: &str, line: u64) -> Diagnostic {
    let mut refusal =
        Diagnostic::new(Code::NoPlan, detail, "make the plan again, or fetch an undamaged copy");
    refusal.place.line = Some(line);
    refusal
}
