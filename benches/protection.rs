//! What do released files betray about people to anybody who knows some of their keys?
//!
//! Real files, each cut at random into a half that is released and a half of people who were
//! never in it. Members are the people of the released half who are alone with their keys;
//! controls are people of the other half whose keys nobody in the released half has. What a
//! release betrays about a member beyond what it tells of a control is what it gives away.
//! Three ways to release: hidden from anybody who knows any part of the keys, parted from all of
//! the keys together, and random swaps of as many records as the first way changed.
//!
//! Everything is counted here from the two files, by [`support::found`]; from the program come
//! only the number of people it calls hidden, the values it changed and the seconds it took.
//! Before anything counts, the measures must agree with their slow twins, and the original,
//! released as it is, must betray every member and move nothing. Kept tables are recounted.
//!
//! Words after the command choose cases by parts of their names. Settings, all optional:
//!
//! - `MARGINSWAP_BIN`: the program to judge, any build of it; else the one just compiled. One
//!   without `--knows` is judged by the second and third way.
//! - `MARGINSWAP_REAL_DATA`: the folder of real files; else `../shared/data`.
//! - `MARGINSWAP_SEEDS`: how many seeds (3).
//! - `MARGINSWAP_WAYS`: of `any-part,all,random` those to run; random needs another before it.
//! - `MARGINSWAP_MORE`: more arguments for the first way, between blanks.
//! - `MARGINSWAP_FILES`: a folder that keeps both halves, released files, answers and commands.
//! - `MARGINSWAP_BY_SEED`: set to anything, a row for each seed too.

#![allow(clippy::print_stdout, reason = "a benchmark prints its table")]
#![allow(clippy::unwrap_used, reason = "a benchmark fails by panicking")]
#![allow(missing_docs, reason = "a program, not a library")]

mod support;

use std::env;
use std::fs;
use std::iter;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use serde_json::Value;
use support::figures::{Figures, SHARES, header};
use support::found::{Attack, Learned, moved, replaced};
use support::halves::{Case, Draw, Question, Row, Source};

const fn five(name: &'static str) -> Question {
    Question { name, folder: name, keys: 5, sensitive: None }
}

const QUESTIONS: [Question; 11] = [
    five("adult8"),
    five("sd2011_8"),
    five("kdd12"),
    five("acs_dev12"),
    five("german7"),
    five("income_esl9"),
    five("yrbss9"),
    five("paperlike_adult"),
    five("eusilc6"),
    Question {
        name: "acs_dev12, income alone",
        folder: "acs_dev12",
        keys: 5,
        sensitive: Some("INC50K"),
    },
    Question { name: "kdd12, eight keys", folder: "kdd12", keys: 8, sensitive: None },
];

/// How a file is released.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    AnyPart,
    All,
    Random,
}

impl Way {
    const EVERY: [Self; 3] = [Self::AnyPart, Self::All, Self::Random];

    fn name(self) -> &'static str {
        match self {
            Self::AnyPart => "any-part",
            Self::All => "all",
            Self::Random => "random",
        }
    }
}

/// The program, and where its files go.
struct Program {
    path: String,
    knows: bool,
    more: Vec<String>,
    folder: PathBuf,
}

impl Program {
    fn new(folder: PathBuf) -> Self {
        let path = env::var("MARGINSWAP_BIN");
        let path = path.unwrap_or_else(|_| env!("CARGO_BIN_EXE_marginswap").to_owned());
        let help = Command::new(&path).args(["protect", "--help"]).output().unwrap();
        let knows = String::from_utf8(help.stdout).unwrap().contains("--knows");
        let more = env::var("MARGINSWAP_MORE").unwrap_or_default();
        Self { path, knows, more: more.split_whitespace().map(str::to_owned).collect(), folder }
    }

    /// Releases the case, and counts.
    fn release(&self, case: &Case, attack: &Attack, job: &Job<'_>) -> (Figures, f64) {
        let file = |end: &str| self.folder.join(format!("{}{end}", job.label));
        let (input, out) = (file(".csv"), file(&format!("-{}.csv", job.way.name())));
        case.write(&case.released, &input);
        case.write(&case.control, &file("-control.csv"));
        let tables: Vec<String> = case.tables.iter().map(|table| case.named(table, "*")).collect();
        let mut command = Command::new(&self.path);
        command.arg("protect").arg(&input).args(["--keep", &tables.join(" + ")]);
        command.args(["--keys", &case.named(&case.keys, ",")]);
        if job.sensitive_named {
            command.args(["--sensitive", &case.named(&case.sensitive, ",")]);
        }
        if self.knows {
            let knows = if job.way == Way::AnyPart { "any-part" } else { "all" };
            command.args(["--knows", knows]);
        }
        match job.way {
            Way::AnyPart => {
                command.args(&self.more);
            }
            Way::All => {}
            Way::Random => {
                fs::write(file(".nobody"), "").unwrap();
                let nobody = format!("records:{}", file(".nobody").to_str().unwrap());
                command.args(["--risky", &nobody, "--rate", &job.rate.to_string()]);
            }
        }
        command.arg("-o").arg(&out).args(["--demo-seed", &job.seed.to_string()]);
        command.args(["--force", "--json"]);
        let start = Instant::now();
        let output = command.output().unwrap();
        let seconds = start.elapsed().as_secs_f64();
        // 1 means that it finished and a gate is not met.
        assert!(
            matches!(output.status.code(), Some(0 | 1)),
            "{command:?}\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
        fs::write(file(&format!("-{}.json", job.way.name())), &output.stdout).unwrap();
        fs::write(file(&format!("-{}.sh", job.way.name())), format!("{command:?}\n")).unwrap();
        let said: Value = serde_json::from_slice(&output.stdout).unwrap();
        let after = case.read(&out);
        let mut figures = Figures::count(case, attack, &after);
        figures.seconds = seconds;
        let hidden = ["hidden", "values_replaced"].map(|name| said["hidden"][name].as_f64());
        figures.hidden = hidden[0].zip(hidden[1]).map(|(blind, aware)| blind + aware);
        figures.values = said["cells_changed"].as_f64().unwrap_or(f64::NAN);
        let told = said["replaced"].as_f64().unwrap_or(figures.replaced);
        assert!(told == figures.replaced, "as many records are replaced as the program says");
        let changed = said["records_changed"].as_f64().unwrap_or(figures.replaced);
        (figures, changed)
    }
}

/// One release to make.
struct Job<'a> {
    label: &'a str,
    way: Way,
    seed: u64,
    sensitive_named: bool,
    /// The records that random swaps are to change.
    rate: f64,
}

/// Small worlds, where coincidences are common, against the slow twin.
fn known_answers() {
    for world in 0..300 {
        let mut draw = Draw::of("worlds", world);
        let levels = [2, 3, 4, 2, 3];
        let mut rows = |count: usize| -> Vec<Row> {
            let row = |draw: &mut Draw| {
                levels.iter().map(|&most| u32::try_from(draw.below(most)).unwrap()).collect()
            };
            (0..count).map(|_| row(&mut draw)).collect()
        };
        let (released, people) = (rows(9), rows(9));
        let attack = Attack::new(&[0, 1, 2], &[3, 4], &levels);
        let fast = attack.on(&released);
        for person in people.iter().chain(&released) {
            agree(&fast.learned(person), &attack.slowly(person, &released));
        }
        for (record, person) in released.iter().enumerate() {
            let mut without = released.clone();
            without.remove(record);
            let right = attack.slowly(person, &without).right;
            assert_eq!(fast.found_if_absent(record), right > 0, "found if absent");
        }
    }
    let rows = |text: &str| -> Vec<Row> {
        text.split(' ')
            .map(|row| row.bytes().map(|sign| u32::from(sign - b'0')).collect())
            .collect()
    };
    let (one, other) = (rows("00 11 11"), rows("01 10 11"));
    assert_eq!((replaced(&one, &one), replaced(&one, &other)), (0, 2));
    assert!((moved(&one, &other, &[0, 1]) - 2.0 / 3.0).abs() < 1e-9);
    assert!(moved(&one, &other, &[0]) == 0.0 && moved(&one, &one, &[0, 1]) == 0.0);
}

fn agree(fast: &Learned, slow: &Learned) {
    assert!((fast.linked - slow.linked).abs() < 1e-9, "{fast:?} {slow:?}");
    assert_eq!(Learned { linked: 0.0, ..fast.clone() }, Learned { linked: 0.0, ..slow.clone() });
}

/// The original as a release: it betrays every member, moves nothing, and tells of a few of the
/// controls what the slow twin says.
fn original(case: &Case, attack: &Attack) -> Figures {
    let figures = Figures::count(case, attack, &case.released);
    for (place, share) in figures.members.shares.iter().enumerate() {
        let all = share.under == 0.0 || (share.points() - 100.0).abs() < 1e-6;
        assert!(all, "the original betrays everybody: {}", SHARES[place].0);
    }
    assert!(figures.others[0] == 0.0 && figures.moved == 0.0 && figures.replaced == 0.0);
    let fast = attack.on(&case.released);
    for person in case.control.iter().take(2) {
        agree(&fast.learned(person), &attack.slowly(person, &case.released));
    }
    figures
}

/// What one way did to one case, for each seed.
struct Done {
    question: Question,
    way: &'static str,
    seeds: Vec<Figures>,
}

fn by<'a>(done: &[&'a Done], way: &str) -> Vec<&'a Done> {
    done.iter().copied().filter(|done| done.way == way).collect()
}

fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

/// The mean over cases and seeds of the points apart, by the members' people or look-ups.
fn apart_within(done: &[&Done], share: usize) -> f64 {
    let (mut sum, mut weights) = (0.0, 0.0);
    for figures in done.iter().flat_map(|done| &done.seeds) {
        let (points, weight) = (figures.apart(share).0, figures.members.shares[share].under);
        if !points.is_nan() {
            sum += points * weight;
            weights += weight;
        }
    }
    sum / weights
}

/// The goals: pooled over the cases, means of the seeds.
fn goals(title: &str, done: &[&Done]) {
    let (any_part, all) = (by(done, Way::AnyPart.name()), by(done, Way::All.name()));
    let Some(first) = any_part.first() else { return };
    let said = |met: bool| if met { "met" } else { "NOT MET" };
    let seeds = 0..first.seeds.len();
    let by_seed: Vec<Figures> =
        seeds.map(|seed| Figures::sum(any_part.iter().map(|done| &done.seeds[seed]))).collect();
    println!("\n{title}, any-part, members above controls:\n");
    println!("| | points | each seed | sampling error | within cases | goal | |");
    println!("|---|---:|---:|---:|---:|---:|---|");
    for (place, (name, most)) in SHARES.into_iter().enumerate() {
        let points: Vec<f64> = by_seed.iter().map(|figures| figures.apart(place).0).collect();
        let each: Vec<String> = points.iter().map(|points| format!("{points:+.1}")).collect();
        let mean = mean(&points);
        if !mean.is_nan() {
            println!(
                "| {name} | {mean:+.2} | {} | {:.2} | {:+.2} | ±{most} | {} |",
                each.join(", "),
                Figures::sum(&by_seed).apart(place).1,
                apart_within(&any_part, place),
                said(mean.abs() <= most),
            );
        }
    }
    let [found, absent, beyond] = Figures::sum(&by_seed).others;
    let met = said(found <= absent);
    println!(
        "\nOthers found {found}, if absent {absent}, found and not if absent {beyond}: {met}."
    );
    let [mine, before] = [any_part, all].map(|done| {
        let moved = done.iter().flat_map(|done| done.seeds.iter().map(|figures| figures.moved));
        100.0 * mean(&moved.collect::<Vec<_>>())
    });
    if !before.is_nan() {
        let met = said(mine <= before);
        println!("Unkept two-way tables move {mine:.3} %, with all keys {before:.3} %: {met}.");
    }
}

/// Single cases beyond the goals, with the sampling error.
fn beyond(done: &[&Done]) {
    println!("\nSingle cases beyond the goals, any-part (points, sampling error):\n");
    for this in by(done, Way::AnyPart.name()) {
        let sum = Figures::sum(&this.seeds);
        let mut said = Vec::new();
        for (place, (share, most)) in SHARES.into_iter().enumerate() {
            let (points, error) = sum.apart(place);
            if points.abs() > most {
                said.push(format!("{share} {points:+.1} ({error:.1})"));
            }
        }
        if sum.others[0] > sum.others[1] {
            said.push(format!("others found {} / {}", sum.others[0], sum.others[1]));
        }
        let all = by(done, Way::All.name());
        let before = all.into_iter().find(|done| done.question.name == this.question.name);
        if let Some(before) = before.map(|done| Figures::sum(&done.seeds)) {
            let [mine, before] = [&sum, &before].map(|sum| 100.0 * sum.moved / sum.releases);
            if mine > before {
                said.push(format!("moved {mine:.3} % against {before:.3} %"));
            }
        }
        if !said.is_empty() {
            println!("- {}: {}", this.question.name, said.join("; "));
        }
    }
}

/// The releases of one case for one seed, the original first.
fn releases(
    program: &Program,
    question: &Question,
    source: &Source,
    seed: u64,
    ways: &[Way],
) -> Vec<Figures> {
    let case = Case::draw(question, source, seed);
    let levels: Vec<usize> = case.levels.iter().map(Vec::len).collect();
    let attack = Attack::new(&case.keys, &case.sensitive, &levels);
    let label = format!("{}-{seed}", question.name.replace([' ', ','], "_"));
    let mut all = vec![original(&case, &attack)];
    let mut rate = 0.0;
    for &way in ways {
        let sensitive_named = question.sensitive.is_some();
        let job = Job { label: &label, way, seed, sensitive_named, rate };
        let (figures, changed) = program.release(&case, &attack, &job);
        if rate == 0.0 {
            rate = changed;
        }
        all.push(figures);
    }
    all
}

fn main() {
    known_answers();
    let real = env::var_os("MARGINSWAP_REAL_DATA");
    let real = real.map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data")),
        PathBuf::from,
    );
    let chosen: Vec<String> = env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let seeds = env::var("MARGINSWAP_SEEDS").map_or(3, |text| text.parse().unwrap());
    let rows_by_seed = env::var_os("MARGINSWAP_BY_SEED").is_some();
    let temporary = tempfile::tempdir().unwrap();
    let folder = env::var_os("MARGINSWAP_FILES");
    let folder = folder.map_or_else(|| temporary.path().to_owned(), PathBuf::from);
    fs::create_dir_all(&folder).unwrap();
    let program = Program::new(folder);
    let wanted = env::var("MARGINSWAP_WAYS").unwrap_or_else(|_| "any-part,all,random".to_owned());
    let mut ways = Way::EVERY.to_vec();
    ways.retain(|way| wanted.split(',').any(|name| name == way.name()));
    ways.retain(|way| program.knows || *way != Way::AnyPart);
    let names: Vec<&'static str> =
        iter::once("original").chain(ways.iter().map(|way| way.name())).collect();
    header();
    let mut done: Vec<Done> = Vec::new();
    for question in QUESTIONS {
        let named = |part: &String| question.name.contains(part.as_str());
        if !chosen.is_empty() && !chosen.iter().any(named) {
            continue;
        }
        let Some(source) = Source::read(&real.join(question.folder)) else {
            println!("skipped: {} is not there", question.folder);
            continue;
        };
        let mut of_ways: Vec<Vec<Figures>> = vec![Vec::new(); names.len()];
        for seed in 1..=seeds {
            let figures = releases(&program, &question, &source, seed, &ways);
            of_ways.iter_mut().zip(figures).for_each(|(seeds, figures)| seeds.push(figures));
        }
        for (way, of_way) in names.iter().zip(of_ways) {
            if rows_by_seed {
                for (seed, figures) in (1..).zip(&of_way) {
                    figures.row(&format!("{}, seed {seed}", question.name), way, 1.0);
                }
            }
            Figures::sum(&of_way).row(question.name, way, seeds as f64);
            done.push(Done { question, way, seeds: of_way });
        }
    }
    let all: Vec<&Done> = done.iter().collect();
    let plain = all.iter().copied().filter(|done| done.question.is_plain()).collect();
    let pools = [("files, five keys", plain), ("all cases", all)];
    for (title, done) in &pools {
        for way in &names {
            let sum = Figures::sum(by(done, way).iter().flat_map(|done| &done.seeds));
            if sum.releases > 0.0 {
                sum.row(&format!("**{title}**"), way, seeds as f64);
            }
        }
    }
    for (title, done) in &pools {
        goals(title, done);
    }
    beyond(&pools[1].1);
}
