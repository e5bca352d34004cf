//! What the exit code says is what is on the disk, and nothing slips in between.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, ExitStatus, Output, Stdio};

use marginswap_io::sha256_hex;
use serde_json::Value;
use support::{Desk, err, marginswap, out};

/// People of a town, some of them alone with their keys.
fn survey() -> String {
    let line = |n: usize| format!("p{n},{},{},{},{}\n", n % 4, n % 5, (n * n) % 7, (n / 3) % 3);
    "person,town,age,job,pay\n".to_owned() + &(0..120).map(line).collect::<String>()
}

const JOB: [&str; 6] = ["--id", "person", "--keep", "town*age", "--keys", "town,age,job"];

/// The words of a command on a data file, with the settings of the job.
fn words<'a>(command: &'a str, data: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&[command, data], &JOB[..], more].concat()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

/// The names in the folder of a desk, except the data.
fn names(desk: &Desk) -> Vec<String> {
    let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
    let all = fs::read_dir(desk.folder()).unwrap().map(|entry| name(entry.unwrap()));
    let mut names: Vec<String> = all.filter(|name| name != "data.csv").collect();
    names.sort();
    names
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_stdout_does_not_deny_a_release() {
    let desk = Desk::new();
    let data = desk.write("data.csv", &survey());
    let to_full = |arguments: &[&str]| {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_marginswap"));
        command.args(arguments).stdout(full).stderr(Stdio::piped()).output().unwrap()
    };
    let [one, other, plan] = ["one.csv", "other.csv", "a.plan"].map(|name| desk.path(name));
    let calm = marginswap(&words("protect", &data, &["--demo-seed", "1", "-o", &one]));
    let full = to_full(&words("protect", &data, &["--demo-seed", "1", "-o", &other]));
    assert_eq!(code(&full), code(&calm), "{}", err(&full));
    assert!(err(&full).contains("the files are complete"), "{}", err(&full));
    assert_eq!(fs::read(&one).unwrap(), fs::read(&other).unwrap());
    let planned = to_full(&words("plan", &data, &["--demo-seed", "1", "-o", &plan]));
    // The gate would not release what a demo seed makes.
    assert_eq!((code(&planned), fs::exists(&plan).unwrap()), (1, true), "{}", err(&planned));
    // A command that writes no file has failed.
    let asked = to_full(&["inspect", &data]);
    assert_eq!(code(&asked), 8);
    assert!(err(&asked).contains("error[E802]"), "{}", err(&asked));
}

/// The best pairing knows no budget, and says so after the seed is chosen.
#[test]
fn a_run_that_comes_to_nothing_leaves_no_seed() {
    let desk = Desk::new();
    let data = desk.write("data.csv", &survey());
    let [seed, released] = ["seed", "out.csv"].map(|name| desk.path(name));
    let more = ["--seed-file", &seed, "-o", &released];
    let failing =
        [&more[..], &["--knows", "all", "--pairing", "optimal", "--budget", "2"]].concat();
    assert_eq!(code(&marginswap(&words("protect", &data, &failing))), 7);
    assert_eq!(names(&desk), Vec::<String>::new());
    assert!(code(&marginswap(&words("protect", &data, &more))) <= 1);
    assert_eq!(names(&desk), ["out.csv", "seed"]);
    let mode = fs::metadata(&seed).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
    // Where nothing can be exchanged, nothing is written, and no seed either.
    let still = desk.write("data.csv", "person,town,age,job,pay\np1,1,1,1,1\np2,1,2,1,1\n");
    let [other, second] = ["other", "second.csv"].map(|name| desk.path(name));
    let output = marginswap(&words("protect", &still, &["--seed-file", &other, "-o", &second]));
    assert!(err(&output).contains("nothing was written"), "{}", err(&output));
    assert_eq!(names(&desk), ["out.csv", "seed"]);
}

/// Tells a running program to stop, as Ctrl-C does, and waits for its end. The signal is the one of
/// `kill`, since programs that a shell starts in the background are deaf to Ctrl-C.
fn interrupted(mut child: Child) -> ExitStatus {
    let sent = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    child.wait().unwrap()
}

/// A pipe that nobody writes into is waited for, and one whose end never comes; an interrupt ends
/// both and leaves neither a seed nor anything else.
#[test]
fn waiting_for_a_pipe_can_be_interrupted() {
    let desk = Desk::new();
    let pipe = desk.path("data.csv");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let [seed, plan, released] = ["seed", "a.plan", "out.csv"].map(|name| desk.path(name));
    let start = || {
        let more = ["--seed-file", &seed, "--plan", &plan, "-o", &released];
        let mut command = Command::new(env!("CARGO_BIN_EXE_marginswap"));
        command.args(words("protect", &pipe, &more));
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    // It may be interrupted before it has begun to listen, and then ends by the signal itself.
    let without_writer = start();
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(matches!(interrupted(without_writer).code(), None | Some(130)));
    assert_eq!(names(&desk), Vec::<String>::new());
    // A process that opens a pipe for writing waits until it is opened for reading.
    let without_end = start();
    let mut writer = fs::File::options().write(true).open(&pipe).unwrap();
    std::io::Write::write_all(&mut writer, survey().as_bytes()).unwrap();
    assert_eq!(interrupted(without_end).code(), Some(130));
    assert_eq!(names(&desk), Vec::<String>::new());
}

/// Swaps of up to sixteen records in 46 of six variables, with all tables of three kept: the
/// system ends a process that takes more than a minute of a processor.
#[test]
fn large_swaps_in_a_small_file_come_to_an_end() {
    let desk = Desk::new();
    let mut state = 7u64;
    let mut value = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % 3
    };
    let line = |_| (0..6).map(|_| value().to_string()).collect::<Vec<_>>().join(",") + "\n";
    let lines: String = (0..46).map(line).collect();
    let data = desk.write("data.csv", &format!("a,b,c,d,e,f\n{lines}"));
    let released = desk.path("out.csv");
    let shell = "ulimit -t 60 && exec \"$0\" \"$@\"";
    let names = ["a", "b", "c", "d", "e", "f"];
    let triples = (0..6).flat_map(|x| (0..x).flat_map(move |y| (0..y).map(move |z| [x, y, z])));
    let tables: Vec<String> = triples.map(|set| set.map(|one| names[one]).join("*")).collect();
    let keep = tables.join(" + ");
    let job = ["protect", &data, "--keep", &keep, "--keys", "a,b,c,d,e,f"];
    for most in ["8", "16"] {
        let more = ["--max-records", most, "--demo-seed", "1", "--force", "-o", &released];
        let mut command = Command::new("sh");
        command.args(["-c", shell, env!("CARGO_BIN_EXE_marginswap")]).args(job).args(more);
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(1), "at most {most}: {}", err(&output));
    }
}

/// Every command that writes, with every file of the project as its output.
#[test]
fn no_output_replaces_a_file_of_the_project() {
    let desk = Desk::new();
    desk.write("data.csv", &survey());
    desk.write("list.txt", "p3\np4\n");
    desk.write("key", "k");
    desk.write(
        "marginswap.toml",
        "data = \"data.csv\"\n[columns]\nid = \"person\"\n[keep]\ntables = [\"town*age\"]\n\
         [risk]\nkeys = [\"town\", \"age\", \"job\"]\nrisky = \"records:list.txt\"\n\
         [release]\nout = \"out.csv\"\nplan = \"a.plan\"\n[report]\ninternal = \"in.html\"\n",
    );
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_marginswap"));
        command.args(arguments).current_dir(desk.folder()).output().unwrap()
    };
    let done = run(&["protect", "--seed-file", "seed"]);
    assert!(code(&done) <= 1, "{}", err(&done));
    let files = ["data.csv", "marginswap.toml", "list.txt", "seed", "out.csv", "a.plan", "in.html"];
    let content = || files.map(|file| fs::read(desk.path(file)).unwrap());
    let before = content();
    let mut refused = 0;
    for file in files {
        let reports: &[&str] = if file == "in.html" { &["--external"] } else { &[] };
        let commands: [&[&str]; 9] = [
            &[&["report", "--seed-file", "seed", "-o", file], reports].concat(),
            &["verify", "--svg", file],
            &["graph", "--svg", file],
            &["explain", "--record", "p3", "--svg", file],
            &["risk", "--population", "1000", "--out", file],
            &["screen", "--out", file],
            &["frontier", "--seed-file", "seed", "--svg", file],
            &["plan", "--seed-file", "seed", "--svg", file],
            &["init", "data.csv", "-o", file],
        ];
        for command in commands {
            // A project file is there to be written again; `init` knows no other file.
            if command[0] == "init" && file != "data.csv" {
                continue;
            }
            // The seed is an input of those that are given it.
            if file == "seed" && !command.contains(&"--seed-file") {
                continue;
            }
            let output = run(&[command, &["--force"]].concat());
            assert_eq!(code(&output), 8, "{command:?}: {}", err(&output));
            assert!(err(&output).contains("E80"), "{command:?}: {}", err(&output));
            assert_eq!(content(), before, "{command:?}");
            refused += 1;
        }
    }
    assert!(refused > 45, "{refused}");
    // A town does not replace somebody's own survey.
    desk.write("survey.csv", "own");
    let output = run(&["demo", ".", "--records", "50", "--force"]);
    assert_eq!(code(&output), 8);
    assert!(err(&output).contains("E804"), "{}", err(&output));
    assert_eq!((content(), desk.read("survey.csv")), (before, "own".to_owned()));
}

/// A plan with its sum mended after a change.
fn forged(plan: &str, from: &str, to: &str) -> String {
    let changed = plan.replacen(from, to, 1);
    assert_ne!(changed, plan, "{from}");
    let body = changed.rsplit_once("end ").unwrap().0;
    let lines = body.lines().count() - 2;
    format!("{body}end {lines} {}\n", sha256_hex(body.as_bytes()))
}

#[test]
fn an_edited_plan_is_held_to_its_parameters() {
    let desk = Desk::new();
    let data = desk.write("data.csv", &survey());
    let plan_of = |name: &str, more: &[&str]| -> String {
        let path = desk.path(name);
        let output =
            marginswap(&words("plan", &data, &[&["--demo-seed", "1", "-o", &path], more].concat()));
        assert!(code(&output) <= 1, "{}", err(&output));
        desk.read(name)
    };
    let apply = |text: &str| {
        let plan = desk.write("forged.plan", text);
        let released = desk.path("out.csv");
        let output = marginswap(&["apply", &data, &plan, "-o", &released]);
        assert!(!fs::exists(&released).unwrap() || code(&output) <= 1);
        let _ = fs::remove_file(&released);
        output
    };
    let refused = |text: &str, why: &str| {
        let output = apply(text);
        assert_eq!(code(&output), 5, "{why}: {}", err(&output));
        assert!(err(&output).contains("E501") && err(&output).contains(why), "{}", err(&output));
    };
    let sound = plan_of("sound.plan", &[]);
    assert!(code(&apply(&sound)) <= 1);
    // The first set of columns: the id comes along.
    let at = sound.find("\"exchanges\":[[").unwrap() + "\"exchanges\":[[".len();
    let sets = format!("\"exchanges\":[[{}", &sound[at..at + 1]);
    refused(&forged(&sound, &sets, &sets.replace("[[", "[[1,")), "may not be exchanged");
    // A budget that is too small for what the plan does.
    let header: Value = serde_json::from_str(sound.lines().nth(1).unwrap()).unwrap();
    assert!(header["parameters"]["budget"].is_null());
    let with = |changed: &dyn Fn(&mut Value)| {
        let mut header = header.clone();
        changed(&mut header["parameters"]);
        let parameters = header["parameters"].to_string();
        let old = sound.lines().nth(1).unwrap();
        let old_parameters =
            &old[old.find("\"parameters\":").unwrap()..old.find(",\"parameters_sha256\"").unwrap()];
        let old_sum = header["parameters_sha256"].as_str().unwrap();
        let new = old
            .replacen(old_parameters, &format!("\"parameters\":{parameters}"), 1)
            .replacen(old_sum, &sha256_hex(parameters.as_bytes()), 1);
        forged(&sound, old, &new)
    };
    refused(&with(&|told| told["budget"] = 2.into()), "budget");
    refused(&with(&|told| told["match"] = serde_json::json!([["town", "age", "job"]])), "match");
    refused(&with(&|told| told["strata"] = serde_json::json!(["town", "age", "job"])), "match");
    let any = serde_json::json!(["town in {0, 1, 2, 3} & job in {0, 1, 2, 4}"]);
    refused(&with(&|told| told["rules"] = any.clone()), "rules");
    let stay = serde_json::json!(["town", "age", "job"]);
    refused(&with(&|told| told["stay"] = stay.clone()), "may not be exchanged");
    // The parameters of a project that is named must be the plan's.
    let project =
        desk.write("p.toml", "[keep]\ntables = [\"town*age\"]\n[risk]\nkeys = [\"job\"]\n");
    let [plan, released] = ["sound.plan", "out.csv"].map(|name| desk.path(name));
    let output = marginswap(&["apply", &data, &plan, "--project", &project, "-o", &released]);
    assert!(err(&output).contains("E502"), "{}", err(&output));
}

#[test]
fn a_sealed_plan_needs_its_key() {
    let desk = Desk::new();
    let data = desk.write("data.csv", &survey());
    let [plan, key, other, released] =
        ["a.plan", "key", "other", "out.csv"].map(|name| desk.path(name));
    let seal = ["--demo-seed", "1", "--seal-file", &key];
    let made = marginswap(&words("plan", &data, &[&seal[..], &["-o", &plan]].concat()));
    assert_eq!(code(&made), 1, "{}", err(&made));
    assert!(desk.read("key").starts_with("SECRET: marginswap seal key."));
    assert_eq!(fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    let apply = |more: &[&str]| {
        let _ = fs::remove_file(&released);
        marginswap(&[&["apply", &data, &plan, "-o", &released, "--force"], more].concat())
    };
    assert_eq!(code(&apply(&["--seal-file", &key])), 1);
    assert!(!err(&apply(&["--seal-file", &key])).contains("not checked"));
    let unchecked = apply(&[]);
    assert!(code(&unchecked) == 1 && err(&unchecked).contains("not checked"));
    assert_eq!(code(&marginswap(&["show", &plan, "--seal-file", &key])), 0);
    // A forged plan has a right sum and a wrong seal.
    let text = desk.read("a.plan");
    let body = text.rsplit_once("seal ").unwrap().0;
    let swap = text.lines().nth(2).unwrap();
    let changed = forged(body, &format!("{swap}\n"), "");
    let seal_line = text.lines().last().unwrap();
    desk.write("a.plan", &format!("{changed}{seal_line}\n"));
    assert_eq!(code(&apply(&[])), 1, "without the key nobody can tell");
    for output in [apply(&["--seal-file", &key]), marginswap(&["show", &plan, "--seal-file", &key])]
    {
        assert_eq!(code(&output), 5);
        assert!(err(&output).contains("error[E505]"), "{}", err(&output));
    }
    assert!(!fs::exists(&released).unwrap());
    // Another key; a plan without a seal; no key at all; a seed in place of a key.
    desk.write("a.plan", &text);
    let seal = ["--demo-seed", "1", "--seal-file", &other];
    let third = desk.path("third.plan");
    assert_eq!(code(&marginswap(&words("plan", &data, &[&seal[..], &["-o", &third]].concat()))), 1);
    assert!(err(&apply(&["--seal-file", &other])).contains("E505"));
    let missing = desk.path("missing");
    assert!(err(&apply(&["--seal-file", &missing])).contains("E201"));
    let plain = ["--demo-seed", "1", "-o", &plan, "--force"];
    assert_eq!(code(&marginswap(&words("plan", &data, &plain))), 1);
    assert!(err(&apply(&["--seal-file", &key])).contains("E505"));
    let seed = desk.path("seed");
    let seeded = ["--seed-file", &seed, "-o", &plan, "--force"];
    // A new seed: the gate may or may not be content with the plan, which is written.
    assert!([0, 1].contains(&code(&marginswap(&words("plan", &data, &seeded)))));
    assert!(err(&apply(&["--seal-file", &seed])).contains("E115"));
    // A seal without a plan to put it on is a mistake.
    let lost = words("protect", &data, &["--seal-file", &key, "-o", &released]);
    assert_eq!(code(&marginswap(&lost)), 2);
    // `protect` seals the plan that it keeps, and `report` looks at the seal.
    let kept =
        ["--demo-seed", "1", "--seal-file", &key, "-o", &released, "--plan", &plan, "--force"];
    assert_eq!(code(&marginswap(&words("protect", &data, &kept))), 1);
    let page = desk.path("page.html");
    let report = |key: &str| {
        marginswap(&[
            "report",
            &data,
            &released,
            "--plan",
            &plan,
            "--demo-seed",
            "1",
            "--seal-file",
            key,
            "-o",
            &page,
            "--force",
        ])
    };
    assert_eq!(code(&report(&key)), 1, "{}", err(&report(&key)));
    assert!(err(&report(&other)).contains("E505"));
}

/// No process has this number: Linux gives none above 2^22.
const NOBODY: &str = "4194305";

#[test]
fn leftovers_are_reported_and_removed() {
    let desk = Desk::new();
    let data = desk.write("data.csv", &survey());
    let released = desk.path("out.csv");
    let protect = ["--demo-seed", "1", "-o", &released, "--force"];
    let calm = marginswap(&words("protect", &data, &protect));
    assert!(!err(&calm).contains("temporary"), "{}", err(&calm));
    let left = desk.write(&format!(".marginswap-{NOBODY}-a1B2c3"), "half a file");
    let theirs = desk.write(".marginswap-notes", "not ours");
    let next = marginswap(&words("protect", &data, &protect));
    assert_eq!(code(&next), code(&calm));
    assert!(err(&next).contains("1 temporary file that a killed run left"), "{}", err(&next));
    let folder = desk.folder().to_str().unwrap();
    // Nobody can be asked here, so nothing is removed.
    let listed = marginswap(&["clean", folder]);
    assert_eq!(code(&listed), 1, "{}", err(&listed));
    assert!(err(&listed).contains("a1B2c3  11 bytes, left behind"), "{}", err(&listed));
    assert!(fs::exists(&left).unwrap());
    let cleaned = marginswap(&["clean", folder, "--force", "--json"]);
    assert_eq!(code(&cleaned), 0);
    let answer: Value = serde_json::from_str(&out(&cleaned)).unwrap();
    assert_eq!(answer["removed"], 1);
    assert_eq!(answer["files"][0]["state"], "abandoned");
    assert!(!fs::exists(&left).unwrap() && fs::exists(&theirs).unwrap());
    assert_eq!(code(&marginswap(&["clean", folder])), 0);
    assert_eq!(code(&marginswap(&["clean", &desk.path("nowhere")])), 8);
}

#[test]
fn a_demo_seed_marks_every_picture_and_page() {
    let desk = Desk::new();
    let data = desk.write("data.csv", &survey());
    let mark = "NOT FOR RELEASE";
    let [released, plan, svg, page, seed] =
        ["out.csv", "a.plan", "a.svg", "in.html", "seed"].map(|name| desk.path(name));
    for (given, marked) in [(["--demo-seed", "1"], true), (["--seed-file", &seed], false)] {
        fn with<'a>(given: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
            [given, more, &["--force"]].concat()
        }
        let outputs = ["-o", &released, "--plan", &plan, "--svg", &svg, "--report", &page];
        marginswap(&words("protect", &data, &with(&given, &outputs)));
        assert_eq!(desk.read("a.svg").contains(mark), marked, "protect --svg");
        assert_eq!(desk.read("in.html").contains(mark), marked, "protect --report");
        let again = ["report", &data, &released, "--plan", &plan, "-o", &page];
        marginswap(&[&again[..], &with(&given, &[])].concat());
        assert_eq!(desk.read("in.html").contains(mark), marked, "report");
        marginswap(&words("plan", &data, &with(&given, &["-o", &plan, "--svg", &svg])));
        assert_eq!(desk.read("a.svg").contains(mark), marked, "plan --svg");
        marginswap(&words("frontier", &data, &with(&given, &["--seeds", "1", "--svg", &svg])));
        assert_eq!(desk.read("a.svg").contains(mark), marked, "frontier --svg");
        let project = format!(
            "data = \"{data}\"\n[columns]\nignore = [\"person\"]\n[keep]\ntables = [\"town*age\"]\n\
             [risk]\nkeys = [\"town\"]\n[release]\nout = \"{released}\"\nplan = \"{plan}\"\n"
        );
        let project = desk.write("p.toml", &project);
        marginswap(&["verify", "--project", &project, "--svg", &svg, "--force"]);
        assert_eq!(desk.read("a.svg").contains(mark), marked, "verify --svg");
    }
}

/// A stream is read once; a job on it is the job on the file.
#[test]
fn a_stream_is_protected_like_a_file() {
    let desk = Desk::new();
    let data = desk.write("data.csv", &survey());
    let [one, other] = ["one.csv", "other.csv"].map(|name| desk.path(name));
    marginswap(&words("protect", &data, &["--demo-seed", "1", "-o", &one]));
    let mut command = Command::new(env!("CARGO_BIN_EXE_marginswap"));
    command.args(words("protect", "/dev/stdin", &["--demo-seed", "1", "-o", &other]));
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), survey().as_bytes()).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert_eq!(fs::read(one).unwrap(), fs::read(other).unwrap());
}

#[test]
fn weights_without_a_sum_are_refused_as_weights() {
    let desk = Desk::new();
    let lines: String = (0..9).map(|n| format!("{},{},1e308\n", n % 2, n % 3)).collect();
    let data = desk.write("data.csv", &format!("a,b,w\n{lines}"));
    let output = marginswap(&["risk", &data, "--keys", "a,b", "--weight", "w"]);
    assert_eq!(code(&output), 3);
    assert!(err(&output).contains("error[E305]"), "{}", err(&output));
}

#[cfg(target_os = "linux")]
#[test]
fn threads_that_cannot_be_started_are_too_many() {
    let desk = Desk::new();
    let data = desk.write("data.csv", &survey());
    let shell = "ulimit -v 400000 && exec \"$0\" inspect \"$1\" --threads 1000";
    let mut command = Command::new("sh");
    command.args(["-c", shell, env!("CARGO_BIN_EXE_marginswap"), &data]);
    let output = command.output().unwrap();
    assert_eq!(code(&output), 7, "{}", err(&output));
    assert!(err(&output).contains("error[E707]"), "{}", err(&output));
}

/// More threads than anybody has cores for give the answer of one.
#[test]
fn ten_thousand_threads_come_to_an_end() {
    let desk = Desk::new();
    let data = desk.write("data.csv", &survey());
    let [one, many] = ["one.csv", "many.csv"].map(|name| desk.path(name));
    for (released, threads) in [(&one, "1"), (&many, "10000")] {
        let more = ["--demo-seed", "1", "-o", released, "--threads", threads];
        assert_eq!(code(&marginswap(&words("protect", &data, &more))), 1, "{threads} threads");
    }
    assert_eq!(fs::read(one).unwrap(), fs::read(many).unwrap());
}

/// A mask that takes every permission away: a release is made, secrets stay the owner's, and what
/// others might read nobody may, until somebody allows it.
#[test]
fn a_mask_that_forbids_everything_does_not_stop_a_release() {
    let desk = Desk::new();
    let data = desk.write("data.csv", &survey());
    let [seed, released, plan] = ["seed", "out.csv", "a.plan"].map(|name| desk.path(name));
    let mut command = Command::new("sh");
    command.args(["-c", "umask 0777 && exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_marginswap")]);
    let more = ["--seed-file", &seed, "-o", &released, "--plan", &plan];
    command.args(words("protect", &data, &more));
    let output = command.output().unwrap();
    assert!(code(&output) <= 1, "{}", err(&output));
    assert_eq!(names(&desk), ["a.plan", "out.csv", "seed"]);
    let modes = [&seed, &plan, &released].map(|file| fs::metadata(file).unwrap().permissions());
    assert_eq!(modes.map(|mode| mode.mode() & 0o777), [0o600, 0o600, 0]);
}
