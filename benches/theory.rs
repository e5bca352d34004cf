//! Does the theory cost less than the reading?
//!
//! On a real file (`acs_dev12`, kept tables `agency_rich`): the time to screen all records
//! and to explain one, next to the time to read the file, and that next to other programs'
//! reading of it on one thread; the peak memory of `screen` next to the size of the file.
//! On graphs named by shape: the time to list their separators. On synthetic records: how
//! the time for a record grows with the records, the variables and the share of records
//! that have no partner, and what it costs when the separators are too many to list.
//!
//! Known answers are asserted before a time is printed, so that a wrong result cannot pass
//! for a fast one: a k-cycle has k(k−3)/2 minimal separators, the real file's counts are
//! in its scenario, and the synthetic classes agree with the pair theorem on small files.
//!
//! Trap: seconds are this machine's, at this hour; only ratios of one run compare.
//!
//! `cargo bench --bench theory` prints Markdown. The real file is looked for in the folder
//! `MARGINSWAP_REAL_DATA`, else `../shared/data`; peers need a Python that can import them
//! (`MARGINSWAP_BENCH_PYTHON`, else `python3`). What is missing is left out, and reported.

#![allow(clippy::print_stdout, reason = "the tables are what the benchmark is for")]

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{env, fs, thread};

use marginswap_core::columns::Roles;
use marginswap_core::diagnostic::grouped;
use marginswap_core::encode::{RecordId, Records};
use marginswap_core::graph::{Formula, GeneratingClass, Scope, Separators, minimal_separators};
use marginswap_core::partner::{Screening, Surroundings, ThroughSeparator, pair, screen};
use marginswap_core::table::{CellId, Located};
use marginswap_core::varset::VarSet;
use marginswap_io::{ReadOptions, Source, Table};
use serde_json::Value;

use support::clock::{Phase, Ratio};
use support::memory::{self, Run};
use support::peers::Peers;
use support::synthetic;

const FILE: &str = "acs_dev12";
const CLASS: &str = "agency_rich";

/// The rounds on the real file and on the graphs.
const ROUNDS: usize = 9;
/// The rounds on synthetic records.
const GROWTH_ROUNDS: usize = 5;
/// As the program's `--max-separators` by default.
const MAX_SEPARATORS: usize = 100_000;

fn main() {
    println!("# The cost of the theory\n");
    machine();
    assert_cycles();
    assert_screening();
    match RealFile::find() {
        Ok(file) => measure_file(&file),
        Err(why) => println!("## {FILE}, {CLASS}\n\nSkipped: {why}.\n"),
    }
    measure_separators();
    measure_records();
    measure_variables();
    measure_frozen();
    measure_beyond_the_limit();
}

fn machine() {
    let first = |file: &str, key: &str| {
        let text = fs::read_to_string(file).unwrap_or_default();
        let line = text.lines().find(|line| line.starts_with(key)).unwrap_or(": unknown");
        line.split_once(':').map_or("unknown", |(_, value)| value.trim()).to_owned()
    };
    let compiler = Command::new("rustc").arg("--version").output();
    let compiler = compiler.map_or_else(
        |_| "rustc unknown".to_owned(),
        |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
    );
    let cores = thread::available_parallelism().map_or(0, usize::from);
    println!(
        "Machine: {}, {cores} cores, memory {}, load {}, {compiler}.\n",
        first("/proc/cpuinfo", "model name"),
        first("/proc/meminfo", "MemTotal"),
        fs::read_to_string("/proc/loadavg").unwrap_or_default().trim(),
    );
}

/// A k-cycle has a separator for each two vertices that are not joined: k(k−3)/2.
fn assert_cycles() {
    for count in 4..=60 {
        let graph = synthetic::graph(count, &synthetic::cycle(count));
        let found = minimal_separators(&graph, MAX_SEPARATORS);
        assert_eq!(found.list().len(), count * (count - 3) / 2, "the {count}-cycle");
    }
}

/// Screening against the pair theorem, pair by pair, for every class of the growth tables.
fn assert_screening() {
    let pairs = synthetic::all_pairs_but(12, &MISSING);
    let grid = synthetic::grid(5, 8);
    let worlds = [
        (synthetic::two_cliques(8), synthetic::uniform(&[10, 10, 2, 2, 2, 2, 2, 2], 300)),
        (
            synthetic::two_way(12, &pairs),
            synthetic::uniform(&[3, 3, 3, 3, 3, 3, 1, 1, 1, 1, 1, 1], 300),
        ),
        (synthetic::two_way(12, &synthetic::cycle(12)), synthetic::uniform(&[2; 12], 300)),
        (synthetic::two_way(12, &synthetic::cycle(12)), synthetic::all_different(12, 300)),
        (synthetic::two_way(40, &grid), synthetic::all_different_but(40, coins(), 300)),
    ];
    for (class, records) in &worlds {
        let graph = class.margin_graph();
        let joint = Located::count(records);
        let separators = minimal_separators(&graph, 100);
        let screening = screen(&joint, class, &separators).expect("it is not too much");
        for record in (0..records.len()).map(RecordId::at) {
            let by_definition = (0..records.len())
                .map(RecordId::at)
                .any(|other| pair::is_swappable(&graph, records.differing(record, other)));
            assert_eq!(screening.is_swappable(joint.cell_of(record)), by_definition);
        }
    }
}

/// The real file, its kept tables, and the answers that others have counted.
struct RealFile {
    path: PathBuf,
    keep: Vec<String>,
    records: usize,
    columns: usize,
    sample_uniques: usize,
    swappable_uniques: usize,
}

impl RealFile {
    fn find() -> Result<Self, String> {
        let folder = env::var_os("MARGINSWAP_REAL_DATA").map_or_else(
            || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"),
            PathBuf::from,
        );
        let scenario = folder.join(FILE).join("scenario.json");
        let text = fs::read_to_string(&scenario).map_err(|error| {
            format!("{}: {error}; MARGINSWAP_REAL_DATA names the folder", scenario.display())
        })?;
        let scenario: Value = serde_json::from_str(&text).expect("a scenario is JSON");
        let class = &scenario["classes"][CLASS];
        let count = |value: &Value| {
            let count = value.as_u64().expect("a scenario has this count");
            usize::try_from(count).expect("a count fits the machine")
        };
        let table = |table: &Value| -> String {
            let names = table.as_array().expect("a table is a list").iter();
            names.map(|name| name.as_str().expect("of names")).collect::<Vec<_>>().join("*")
        };
        let tables = class["tables"].as_array().expect("a class has tables");
        Ok(Self {
            path: folder.join(FILE).join("data.csv"),
            keep: tables.iter().map(table).collect(),
            records: count(&scenario["n"]),
            columns: count(&scenario["k"]),
            sample_uniques: count(&scenario["sample_uniques"]),
            swappable_uniques: count(&class["uniques_with_a_swap_partner"]),
        })
    }

    fn bytes(&self) -> u64 {
        fs::metadata(&self.path).expect("the file stands beside its scenario").len()
    }

    fn scope(&self) -> Scope {
        let source = Source::open(&self.path, &ReadOptions::default()).expect("the file opens");
        let columns = source.columns();
        let formula = Formula::parse(&self.keep).expect("the scenario's tables are tables");
        Scope::new(columns, &Roles::all_variables(columns.len()), &formula)
            .expect("the tables are of the file's columns")
    }

    /// What the program does to read a file.
    fn read(&self) -> Table {
        let source = Source::open(&self.path, &ReadOptions::default()).expect("the file opens");
        let wanted = vec![true; source.columns().len()];
        source.read(&wanted).expect("the file can be read")
    }

    /// Runs the program itself on this file and these tables.
    fn run(&self, command: &str, more: &[&str]) -> Run {
        let mut program = Command::new(env!("CARGO_BIN_EXE_marginswap"));
        program.arg(command).arg(&self.path).arg("--json").args(more);
        for table in &self.keep {
            program.args(["--keep", table]);
        }
        memory::run(&mut program)
    }

    /// The file has a unique with or without a partner where others have counted it.
    fn assert_answers(&self, joint: &Located, screening: &Screening) {
        assert_eq!(joint.records(), self.records);
        assert_eq!(joint.sample_uniques(), self.sample_uniques);
        let swappable = (0..joint.len())
            .map(CellId::at)
            .filter(|&cell| joint.is_sample_unique(cell) && screening.is_swappable(cell))
            .count();
        assert_eq!(swappable, self.swappable_uniques);
    }
}

/// What happens to the real file, phase by phase.
#[derive(Default)]
struct FilePhases {
    reading: Phase,
    encoding: Phase,
    joint: Phase,
    separators: Phase,
    screening: Phase,
    explaining: Phase,
    screen_program: Phase,
    explain_program: Phase,
    /// The highest memory that `screen` took in any round, in bytes.
    peak: Option<u64>,
}

impl FilePhases {
    fn round(&mut self, file: &RealFile, scope: &Scope) {
        let class = scope.class();
        let table = self.reading.time(|| file.read());
        let records = self.encoding.time(|| Records::encode(scope.schema(), &table.columns));
        drop(table);
        let joint = self.joint.time(|| Located::count(&records));
        let separators =
            self.separators.time(|| minimal_separators(&class.margin_graph(), MAX_SEPARATORS));
        let screening =
            self.screening.time(|| screen(&joint, class, &separators)).expect("it is not too much");
        file.assert_answers(&joint, &screening);

        let record = RecordId::at(file.records / 2);
        let offered = self.explaining.time(|| explain(file, scope, record));
        let cell = joint.cell_of(record);
        for through in &offered {
            assert_eq!(through.same, joint.n(cell));
            assert_eq!(through.agree, through.same + through.one_side + through.partners);
        }
        let has_partner = offered.iter().any(|through| through.partners > 0);
        assert_eq!(has_partner, screening.is_swappable(cell));
        drop((records, joint));

        let run = file.run("screen", &[]);
        let answer: Value = serde_json::from_slice(&run.output).expect("the answer is JSON");
        assert_eq!(answer["swappable_uniques"], file.swappable_uniques);
        self.screen_program.add(run.seconds);
        self.peak = self.peak.max(run.peak);
        let run = file.run("explain", &["--record", &record.number().to_string()]);
        let answer: Value = serde_json::from_slice(&run.output).expect("the answer is JSON");
        assert_eq!(answer["swappable"], has_partner);
        self.explain_program.add(run.seconds);
    }
}

/// Everything about one record, from the file's bytes on.
fn explain(file: &RealFile, scope: &Scope, record: RecordId) -> Vec<ThroughSeparator> {
    let table = file.read();
    let records = Records::encode(scope.schema(), &table.columns);
    drop(table);
    let separators = minimal_separators(&scope.class().margin_graph(), MAX_SEPARATORS);
    let surroundings = Surroundings::of(&records, record);
    separators.list().iter().map(|separator| surroundings.through(separator)).collect()
}

/// A peer's reading of the real file.
struct PeerPhase {
    name: String,
    wall: Phase,
    processor: Phase,
}

impl PeerPhase {
    fn round(&mut self, peers: &mut Peers, file: &RealFile) {
        let reading = peers.read(&self.name);
        let shape = (reading.rows, reading.columns);
        assert_eq!(shape, (file.records, file.columns), "{} reads every field", self.name);
        self.wall.add(reading.seconds);
        self.processor.add(reading.processor_seconds);
    }
}

fn measure_file(file: &RealFile) {
    let scope = file.scope();
    println!("## {FILE}, {CLASS}\n");
    println!(
        "{} records, {} variables, {} bytes, {} minimal separators; {ROUNDS} rounds, one thread.\n",
        grouped(file.records as u64),
        scope.schema().variables().len(),
        grouped(file.bytes()),
        minimal_separators(&scope.class().margin_graph(), MAX_SEPARATORS).list().len(),
    );
    let mut peers = Peers::start(&file.path);
    let mut peer_phases = Vec::new();
    match &mut peers {
        Ok(peers) => {
            for name in peers.names().to_vec() {
                let (wall, processor) = Default::default();
                peers.read(&name);
                peer_phases.push(PeerPhase { name, wall, processor });
            }
        }
        Err(why) => println!("No peers: {why}.\n"),
    }
    FilePhases::default().round(file, &scope);

    let mut ours = FilePhases::default();
    for round in 0..ROUNDS {
        // Every second round the peers go first.
        if round % 2 == 0 {
            ours.round(file, &scope);
        }
        for phase in &mut peer_phases {
            phase.round(peers.as_mut().expect("a peer has a process"), file);
        }
        if round % 2 == 1 {
            ours.round(file, &scope);
        }
    }
    tell_goals(file, &ours, &peer_phases);
    tell_phases(&ours, &peer_phases);
}

/// What a ratio is to be.
#[derive(Clone, Copy)]
enum Goal {
    AtMost(f64),
    Under(f64),
    /// Printed for comparison alone.
    None,
}

fn tell_goals(file: &RealFile, ours: &FilePhases, peers: &[PeerPhase]) {
    let screening = Phase::sum(&[&ours.joint, &ours.separators, &ours.screening]);
    let with_encoding = Phase::sum(&[&ours.encoding, &screening]);
    println!("| ratio | median of rounds | of minima | goal | |");
    println!("|---|---:|---:|---|---|");
    let tell = |what: &str, Ratio { median, of_minima }: Ratio, goal: Goal| {
        let (goal, is_met) = match goal {
            Goal::AtMost(most) => (format!("≤ {most}"), Some(median <= most)),
            Goal::Under(bound) => (format!("< {bound}"), Some(median < bound)),
            Goal::None => (String::new(), None),
        };
        let verdict = is_met.map_or("", |is_met| if is_met { "met" } else { "missed" });
        println!("| {what} | {median:.2} | {of_minima:.2} | {goal} | {verdict} |");
    };
    tell("screening ÷ reading", screening.over(&ours.reading), Goal::AtMost(1.0));
    tell("encoding and screening ÷ reading", with_encoding.over(&ours.reading), Goal::None);
    let explaining = ours.explaining.over(&ours.reading);
    tell("explaining one record, reading included ÷ reading", explaining, Goal::Under(2.0));
    for peer in peers {
        let name = &peer.name;
        let goal = if name.starts_with("polars") { Goal::AtMost(1.0) } else { Goal::None };
        tell(&format!("reading ÷ {name} reading"), ours.reading.over(&peer.wall), goal);
        let by_processor = ours.reading.over(&peer.processor);
        tell(&format!("reading ÷ processor time of {name} reading"), by_processor, Goal::None);
    }
    match ours.peak {
        Some(peak) => {
            let highest = as_float(peak) / as_float(file.bytes());
            let ratio = Ratio { median: highest, of_minima: highest };
            tell("highest memory of `screen` ÷ size of the file", ratio, Goal::Under(4.0));
        }
        None => println!("| highest memory of `screen` | not told by this system | | | |"),
    }
    println!();
}

fn tell_phases(ours: &FilePhases, peers: &[PeerPhase]) {
    println!("| phase | median | minimum |");
    println!("|---|---:|---:|");
    let tell = |what: &str, phase: &Phase| {
        println!(
            "| {what} | {} | {} |",
            milliseconds(phase.median()),
            milliseconds(phase.minimum())
        );
    };
    tell("reading", &ours.reading);
    tell("encoding", &ours.encoding);
    tell("joint table", &ours.joint);
    tell("separators", &ours.separators);
    tell("screening of the cells", &ours.screening);
    tell("explaining one record, reading included", &ours.explaining);
    tell("the program `screen`", &ours.screen_program);
    tell("the program `explain`", &ours.explain_program);
    for peer in peers {
        tell(&format!("{} reads", peer.name), &peer.wall);
    }
    println!();
}

fn measure_separators() {
    println!("## Separators of graphs\n");
    println!("{ROUNDS} rounds.\n");
    println!("| graph | separators | median | minimum |");
    println!("|---|---:|---:|---:|");
    for (name, variables, edges, expected) in [
        ("path of 40", 40, synthetic::path(40), 38),
        ("cycle of 40", 40, synthetic::cycle(40), 740),
        ("grid 5×5", 25, synthetic::grid(5, 5), 617),
        ("grid 5×8", 40, synthetic::grid(5, 8), 9_231),
    ] {
        let graph = synthetic::graph(variables, &edges);
        let mut listing = Phase::default();
        for _ in 0..ROUNDS {
            let found = listing.time(|| minimal_separators(&graph, MAX_SEPARATORS));
            assert_eq!(found.list().len(), expected, "{name}");
            assert!(found.is_complete());
        }
        println!(
            "| {name} | {} | {} | {} |",
            grouped(expected as u64),
            milliseconds(listing.median()),
            milliseconds(listing.minimum()),
        );
    }
    println!();
}

/// Screening of synthetic records: the phases, and how many records have no partner.
struct Growth {
    joint: Phase,
    separators: Phase,
    screening: Phase,
    records: usize,
    cells: usize,
    listed: usize,
    frozen: usize,
}

impl Growth {
    fn measure(records: &Records, class: &GeneratingClass, limit: usize, rounds: usize) -> Self {
        let [mut joint_phase, mut separators_phase, mut screening_phase]: [Phase; 3] =
            Default::default();
        let mut last: Option<(Located, Separators, Screening)> = None;
        for _ in 0..rounds {
            let joint = joint_phase.time(|| Located::count(records));
            let separators =
                separators_phase.time(|| minimal_separators(&class.margin_graph(), limit));
            let screening = screening_phase
                .time(|| screen(&joint, class, &separators))
                .expect("it is not too much");
            last = Some((joint, separators, screening));
        }
        let (joint, separators, screening) = last.expect("there is a round");
        let frozen = (0..joint.records())
            .filter(|&record| !screening.is_swappable(joint.cell_of(RecordId::at(record))))
            .count();
        Self {
            joint: joint_phase,
            separators: separators_phase,
            screening: screening_phase,
            records: joint.records(),
            cells: joint.len(),
            listed: separators.list().len(),
            frozen,
        }
    }

    fn total(&self) -> Phase {
        Phase::sum(&[&self.joint, &self.separators, &self.screening])
    }

    fn head(first: &str) {
        println!(
            "| {first} | records | cells | separators | frozen \
             | time: joint table | separators | screening of the cells | all, by record |"
        );
        println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    }

    fn tell(&self, first: &str) {
        let [records, cells, listed, frozen] =
            [self.records, self.cells, self.listed, self.frozen].map(|count| count as u64);
        println!(
            "| {first} | {} | {} | {} | {} ({:.1} %) | {} | {} | {} | {} ns |",
            grouped(records),
            grouped(cells),
            grouped(listed),
            grouped(frozen),
            as_float(frozen) / as_float(records) * 100.0,
            milliseconds(self.joint.median()),
            milliseconds(self.separators.median()),
            milliseconds(self.screening.median()),
            nanoseconds(self.total().median() / as_float(records)),
        );
    }
}

fn measure_records() {
    println!("## Growth with the records\n");
    println!("12 variables in a cycle of two-way tables; medians of {GROWTH_ROUNDS} rounds.\n");
    Growth::head("data");
    let class = synthetic::two_way(12, &synthetic::cycle(12));
    for (name, levels) in [
        ("few cells", [2, 2, 3, 2, 2, 3, 2, 2, 3, 2, 2, 2]),
        ("most cells unique", [23, 15, 2, 5, 2, 8, 8, 25, 7, 18, 7, 2]),
    ] {
        for count in [100_000, 300_000, 1_000_000] {
            let records = synthetic::uniform(&levels, count);
            let growth = Growth::measure(&records, &class, MAX_SEPARATORS, GROWTH_ROUNDS);
            assert_eq!(growth.listed, 12 * 9 / 2);
            growth.tell(name);
        }
    }
    println!();
}

fn measure_variables() {
    println!("## Growth with the variables\n");
    println!(
        "A cycle of two-way tables. With independent variables nearly every record finds a\n\
         partner at once; when each two records differ everywhere none has one, and every\n\
         separator has to be asked. Medians of {GROWTH_ROUNDS} rounds.\n"
    );
    Growth::head("variables");
    for count in [4, 8, 12, 20, 30, 40] {
        let class = synthetic::two_way(count, &synthetic::cycle(count));
        let records = synthetic::uniform(&vec![4; count], 200_000);
        let growth = Growth::measure(&records, &class, MAX_SEPARATORS, GROWTH_ROUNDS);
        assert_eq!(growth.listed, count * (count - 3) / 2);
        growth.tell(&format!("{count}, independent"));
    }
    for count in [4, 8, 12, 20, 30, 40] {
        let class = synthetic::two_way(count, &synthetic::cycle(count));
        let records = synthetic::all_different(count, 20_000);
        let growth = Growth::measure(&records, &class, MAX_SEPARATORS, GROWTH_ROUNDS);
        assert_eq!(growth.frozen, growth.records, "a connected difference has no partner");
        growth.tell(&format!("{count}, all different"));
    }
    println!();
}

/// The pairs of variables in no table when all other two-way tables are kept.
const MISSING: [(usize, usize); 3] = [(0, 1), (2, 3), (4, 5)];

fn measure_frozen() {
    println!("## Growth with the share of frozen records\n");
    println!(
        "*Two cliques*: 8 variables, the tables of all but the first and of all but the second\n\
         (decomposable). *All pairs but 3*: 12 variables, all two-way tables but three (not\n\
         decomposable, so frozen cells are tried for a certificate). The more combinations the\n\
         other six variables have, the fewer records agree there. Medians of {GROWTH_ROUNDS} rounds.\n"
    );
    Growth::head("class, levels of the other six");
    let class = synthetic::two_cliques(8);
    for levels in [2, 4, 6, 8, 10, 12, 16] {
        let records = synthetic::uniform(&[&[10; 2][..], &[levels; 6]].concat(), 300_000);
        let growth = Growth::measure(&records, &class, MAX_SEPARATORS, GROWTH_ROUNDS);
        assert_eq!(growth.listed, 1);
        growth.tell(&format!("two cliques, {levels}"));
    }
    let class = synthetic::two_way(12, &synthetic::all_pairs_but(12, &MISSING));
    for levels in [1, 2, 3, 4, 6] {
        let records = synthetic::uniform(&[&[4; 6][..], &[levels; 6]].concat(), 100_000);
        let growth = Growth::measure(&records, &class, MAX_SEPARATORS, GROWTH_ROUNDS);
        assert_eq!(growth.listed, 3);
        growth.tell(&format!("all pairs but 3, {levels}"));
    }
    println!();
}

/// In the grid 5×8 the rows 1 and 3 with the vertex between them at the left are connected
/// and next to every other vertex. So a set that holds all of these is connected, whatever
/// else it holds.
fn coins() -> VarSet {
    (0..40).filter(|vertex| ![1, 3].contains(&(vertex / 8)) && *vertex != 2 * 8).collect()
}

fn measure_beyond_the_limit() {
    const CELLS: usize = 5_000;
    const LIMIT: usize = 100;
    println!("## Beyond the limit of separators\n");
    println!(
        "The grid 5×8 as two-way tables, {} cells, the separators cut at {LIMIT}: what these leave\n\
         open is compared pair by pair. *One difference*: each two records differ in all variables.\n\
         *Many differences*: in one of 2²³ connected sets. Medians of 3 rounds.\n",
        grouped(CELLS as u64)
    );
    Growth::head("data");
    let class = synthetic::two_way(40, &synthetic::grid(5, 8));
    for (name, records, frozen) in [
        ("independent", synthetic::uniform(&[4; 40], CELLS), 0),
        ("one difference", synthetic::all_different(40, CELLS), CELLS),
        ("many differences", synthetic::all_different_but(40, coins(), CELLS), CELLS),
    ] {
        let growth = Growth::measure(&records, &class, LIMIT, 3);
        assert_eq!((growth.cells, growth.listed, growth.frozen), (CELLS, LIMIT, frozen), "{name}");
        growth.tell(name);
    }
    println!();
}

fn milliseconds(seconds: f64) -> String {
    let milliseconds = seconds * 1e3;
    if milliseconds < 1.0 {
        format!("{milliseconds:.3} ms")
    } else {
        format!("{milliseconds:.1} ms")
    }
}

fn nanoseconds(seconds: f64) -> String {
    let nanoseconds = Duration::from_secs_f64(seconds).as_nanos();
    grouped(u64::try_from(nanoseconds).expect("a phase is shorter than 500 years"))
}

fn as_float(count: u64) -> f64 {
    f64::from(u32::try_from(count).expect("a count of this benchmark is below 2^32"))
}
