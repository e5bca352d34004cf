//! Attacks marginswap for a while: `marginswap-torture --seconds 600 --seed 7`.
//!
//! The program is taken from the folder of this one unless it is named. A failing case is made
//! smaller, kept in a folder, and printed with the command that shows it again; then the exit code
//! is 1.

#![allow(clippy::print_stdout, reason = "it is a program that talks")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use marginswap_torture::doors::write_case;
use marginswap_torture::shrink::shrink;
use marginswap_torture::{Case, Went, attack};

/// Random files and projects against marginswap, recounted from the definitions.
#[derive(Parser)]
struct Options {
    /// How long to go on, unless --cases ends it earlier
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// How many cases to run at most; with a seed, every run is the same
    #[arg(long)]
    cases: Option<u64>,
    /// Where to begin; printed, so that a run can be repeated [default: a new one]
    #[arg(long)]
    seed: Option<u64>,
    /// Run this one case of the seed alone
    #[arg(long)]
    case: Option<u64>,
    /// Write the files of --case to this folder and run nothing
    #[arg(long, requires = "case")]
    write: Option<PathBuf>,
    /// The program to attack [default: the one in the same folder]
    #[arg(long)]
    program: Option<PathBuf>,
    /// Folder for cases that fail
    #[arg(long, default_value = "torture-failures")]
    keep: PathBuf,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let beside = || {
        let own = std::env::current_exe().unwrap_or_default();
        own.with_file_name(format!("marginswap{}", std::env::consts::EXE_SUFFIX))
    };
    let program = options.program.clone().unwrap_or_else(beside);
    if !program.is_file() {
        println!(
            "there is no program {}; build it first, or name it with --program",
            program.display()
        );
        return ExitCode::from(2);
    }
    let program = fs::canonicalize(&program).unwrap_or(program);
    let seed = options.seed.unwrap_or_else(new_seed);
    println!("seed {seed}");
    if let (Some(folder), Some(number)) = (&options.write, options.case) {
        let case = Case::draw(seed, number);
        let written = fs::create_dir_all(folder).and_then(|()| write_case(&case, folder));
        return ExitCode::from(u8::from(written.is_err()));
    }
    let start = Instant::now();
    let (mut released, mut changed, mut unchanged) = (0u64, 0usize, 0u64);
    let mut refused: BTreeMap<String, u64> = BTreeMap::new();
    let mut failures = 0u64;
    let most = options.cases.unwrap_or(u64::MAX);
    let cases = options.case.map_or(0..most, |case| case..case + 1);
    for number in cases {
        if start.elapsed() > Duration::from_secs(options.seconds) {
            break;
        }
        let case = Case::draw(seed, number);
        match attack(&case, &program) {
            Ok(Went::Released(records)) => {
                released += 1;
                changed += records;
            }
            Ok(Went::Unchanged) => unchanged += 1,
            Ok(Went::Refused(code)) => *refused.entry(code).or_default() += 1,
            Err(why) => {
                failures += 1;
                show(case, why, seed, number, &program, &options.keep);
                if failures == MOST_FAILURES {
                    break;
                }
            }
        }
    }
    let refused_in_all: u64 = refused.values().sum();
    println!(
        "{} cases in {} s: {released} released ({changed} records changed), {unchanged} unchanged, \
         {refused_in_all} refused {refused:?}, {failures} failed",
        released + unchanged + refused_in_all + failures,
        start.elapsed().as_secs()
    );
    ExitCode::from(u8::from(failures > 0))
}

/// A run ends after this many failures: they are mostly one.
const MOST_FAILURES: u64 = 5;

/// Makes a failing case smaller, keeps it and says how to see it again.
fn show(case: Case, why: String, seed: u64, number: u64, program: &Path, keep: &Path) {
    println!("case {number} fails: {why}");
    let (case, why) = shrink(case, why, program);
    let folder = keep.join(format!("{seed}-{number}"));
    println!("made smaller: {why}");
    match fs::create_dir_all(&folder).and_then(|()| write_case(&case, &folder)) {
        Ok(()) => println!(
            "see it with: cd {} && {} protect --seed-file seed -o out.csv --plan swap.plan --json",
            folder.display(),
            program.display()
        ),
        Err(error) => println!("{} cannot be written: {error}", folder.display()),
    }
    println!("or again with: --seed {seed} --case {number}");
    println!("{}", String::from_utf8_lossy(&case.world.bytes()));
    println!("{}", marginswap_torture::project::toml(&case.told));
}

/// A seed from the operating system.
fn new_seed() -> u64 {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).expect("the operating system has random numbers");
    u64::from_le_bytes(bytes) % 1_000_000_000
}
