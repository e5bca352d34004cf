//! One system call after another fails, for every command that writes: what the exit code says
//! is what is on the disk.
//!
//! The failures are injected by `strace`, where it is there and may trace; else the test says
//! that it was skipped. Every third failure is tried, every one with `MARGINSWAP_ALL_FAULTS=1`.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, reason = "a test says what it skipped")]

use crate::support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use support::Desk;

/// A command, and the files that it writes.
struct Job {
    words: &'static str,
    outputs: &'static [&'static str],
}

impl Job {
    /// The outputs that have their names, all together, before the others are begun.
    fn first(&self) -> &'static [&'static str] {
        if self.words.starts_with("demo") { &self.outputs[..2] } else { &[] }
    }
}

/// The settings of all jobs are in a project file; `seed` and `new` are files of the desk.
const JOBS: &[Job] = &[
    Job { words: "graph --svg a.svg", outputs: &["a.svg"] },
    Job { words: "screen --out a.csv", outputs: &["a.csv"] },
    Job { words: "risk --population 1000 --out a.csv", outputs: &["a.csv"] },
    Job { words: "explain --record 1 --svg a.svg", outputs: &["a.svg"] },
    Job { words: "init data.csv -o a.toml", outputs: &["a.toml"] },
    Job { words: "plan --seed-file seed -o a.plan --svg a.svg", outputs: &["a.plan", "a.svg"] },
    Job {
        words: "frontier --seed-file seed --seeds 1 --plan a.plan --svg a.svg",
        outputs: &["a.plan", "a.svg"],
    },
    Job {
        words: "protect --seed-file seed -o a.csv --plan a.plan --report a.html --external-report b.html --svg a.svg",
        outputs: &["a.csv", "a.plan", "a.html", "b.html", "a.svg"],
    },
    Job { words: "apply data.csv old.plan --seed-file seed -o a.csv", outputs: &["a.csv"] },
    Job {
        words: "report data.csv old.csv --plan old.plan --seed-file seed -o a.html",
        outputs: &["a.html"],
    },
    Job { words: "verify data.csv old.csv --svg a.svg", outputs: &["a.svg"] },
];

/// A job whose outputs are new each time: a seed and a key are made.
const RANDOM: Job = Job {
    words: "protect --seed-file new --seal-file key -o a.csv --plan a.plan",
    outputs: &["a.csv", "a.plan", "new", "key"],
};

/// A town is made in a folder of its own: its survey and its project file, then the release.
const DEMO: Job = Job {
    words: "demo . --records 60",
    outputs: &["survey.csv", "marginswap.toml", "released.csv", "swap.plan"],
};

/// The manual pages, of which two are named here.
const MAN: Job = Job { words: "man --out .", outputs: &["marginswap.1", "marginswap-verify.1"] };

/// System calls that fail together, and how: one of them, or with a plus that one and all after it,
/// as on a disk that stays full.
const FAULTS: &[(&str, &str)] = &[
    ("write,pwrite64,writev", "ENOSPC"),
    ("write,pwrite64,writev", "ENOSPC+"),
    ("open,openat,creat", "ENOSPC"),
    ("read,pread64,readv,preadv", "EIO"),
    ("fsync,fdatasync", "EIO"),
    ("fsync,fdatasync", "ENOSPC"),
    ("rename,renameat,renameat2,link,linkat", "EIO"),
    ("rename,renameat,renameat2,link,linkat", "ENOSPC"),
    ("chmod,fchmod,fchmodat", "EPERM"),
    ("unlink,unlinkat", "EACCES"),
];

/// The exit code of a full disk.
const FULL: i32 = 8;

/// No job makes more calls of one kind than are tried.
const MOST: usize = 400;

fn can_trace() -> bool {
    let mut command = Command::new("strace");
    command.args(["-e", "inject=fsync:error=EIO", "true"]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn run(folder: &Path, words: &str, fault: Option<(&str, &str, usize)>) -> (i32, String, bool) {
    let mut command = match fault {
        None => Command::new(env!("CARGO_BIN_EXE_marginswap")),
        Some((calls, error, number)) => {
            let mut command = Command::new("strace");
            command.args(["-f", "-qq", "-o", "../strace.log"]);
            command.args(["-e", &format!("trace={calls}")]);
            let what = if error == "KILL" { "signal" } else { "error" };
            let (error, on) = error.strip_suffix('+').map_or((error, ""), |error| (error, "+"));
            command.args(["-e", &format!("inject={calls}:{what}={error}:when={number}{on}")]);
            command.arg(env!("CARGO_BIN_EXE_marginswap"));
            command
        }
    };
    // Calls are counted thread by thread, so that one thread does the work.
    command.args(words.split(' ')).current_dir(folder).env("RAYON_NUM_THREADS", "1");
    let output = command.output().expect("the program starts");
    let log = fs::read_to_string(folder.join("../strace.log")).unwrap_or_default();
    let was_injected = ["INJECTED", "killed by SIGKILL"].iter().any(|word| log.contains(word));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code().unwrap_or(-1), said, was_injected)
}

/// The content of a folder by name.
fn content(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    entries
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
        .collect()
}

fn set_up(folder: &Path, files: &BTreeMap<String, Vec<u8>>) {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir(folder).unwrap();
    for (name, bytes) in files {
        fs::write(folder.join(name), bytes).unwrap();
    }
}

/// The files that the jobs begin with.
fn beginning(desk: &Desk) -> BTreeMap<String, Vec<u8>> {
    let folder = desk.folder().join("first");
    let line = |n: usize| format!("p{n},{},{},{}\n", n % 3, n % 4, (n * n) % 5);
    let data = "person,town,age,job\n".to_owned() + &(0..40).map(line).collect::<String>();
    let project = "data = \"data.csv\"\n[columns]\nignore = [\"person\"]\n[keep]\n\
                   tables = [\"town*age\"]\n[risk]\nkeys = [\"town\", \"age\", \"job\"]\n";
    let seed = format!("SECRET\n{}\n", "07".repeat(32));
    let files = [("data.csv", data), ("marginswap.toml", project.to_owned()), ("seed", seed)];
    set_up(&folder, &files.map(|(name, text)| (name.to_owned(), text.into_bytes())).into());
    let words = "protect --seed-file seed -o old.csv --plan old.plan";
    let (code, said, _) = run(&folder, words, None);
    assert!(code <= 1, "{said}");
    content(&folder)
}

/// Tries a job with every fault; answers how many failures were injected.
fn torture(desk: &Desk, files: &BTreeMap<String, Vec<u8>>, job: &Job, force: bool) -> usize {
    let folder = desk.folder().join("desk");
    let mut files = files.clone();
    let mut words = job.words.to_owned();
    if force {
        // Manual pages are always replaced.
        if !words.starts_with("man") {
            words.push_str(" --force");
        }
        for output in job.outputs {
            files.insert((*output).to_owned(), b"what was there before".to_vec());
        }
    }
    set_up(&folder, &files);
    let (calm, said, _) = run(&folder, &words, None);
    assert!(calm <= 1, "{words}: {said}");
    let complete = content(&folder);
    let step = if std::env::var_os("MARGINSWAP_ALL_FAULTS").is_some() { 1 } else { 3 };
    let mut injected = 0;
    for &(calls, error) in FAULTS {
        // The few calls that give and take names are all tried.
        let many = ["write", "read", "open"].iter().any(|call| calls.starts_with(call));
        let step = if many { step } else { 1 };
        for number in (1..MOST).step_by(step) {
            set_up(&folder, &files);
            let (code, said, was_injected) = run(&folder, &words, Some((calls, error, number)));
            if !was_injected {
                break;
            }
            injected += 1;
            let mut found = content(&folder);
            let what = format!("{words}, {calls} {number} (exit {code}): {said}");
            let left: Vec<String> =
                found.keys().filter(|name| name.starts_with(".marginswap-")).cloned().collect();
            assert!(left.is_empty() || calls.starts_with("unlink"), "{what} leaves {left:?}");
            found.retain(|name, _| !name.starts_with(".marginswap-"));
            let mut begun = files.clone();
            for &name in job.first() {
                begun.insert(name.to_owned(), complete[name].clone());
            }
            match code {
                0 | 1 if job.outputs.contains(&"new") => {
                    assert!(job.outputs.iter().all(|name| found.contains_key(*name)), "{what}");
                }
                0 | 1 => assert!(found == complete, "{what}"),
                // The loader of programs opens files too, and then it is the loader's code.
                _ if error.starts_with("ENOSPC") && !calls.starts_with("open") && code != FULL => {
                    panic!("{what}: a full disk is exit code {FULL}")
                }
                _ => assert!(found == files || found == begun, "{what} changes the folder"),
            }
        }
    }
    injected
}

#[test]
fn every_exit_code_says_what_is_on_the_disk() {
    if !can_trace() {
        println!("skipped: there is no strace that may trace");
        return;
    }
    let desk = Desk::new();
    let files = beginning(&desk);
    let mut injected = 0;
    for job in JOBS {
        injected += torture(&desk, &files, job, false);
    }
    injected += torture(&desk, &files, &RANDOM, false);
    let empty = BTreeMap::new();
    injected += torture(&desk, &empty, &DEMO, false);
    injected += torture(&desk, &empty, &MAN, false);
    injected += torture(&desk, &empty, &MAN, true);
    for job in JOBS.iter().filter(|job| job.outputs.len() > 1) {
        injected += torture(&desk, &files, job, true);
    }
    println!("{injected} failures were injected");
    assert!(injected > 300, "{injected}");
}

/// Whenever a run is killed, what it leaves is its owner's alone, and `clean` removes all of it.
#[test]
fn what_a_killed_run_leaves_is_secret_and_removed() {
    use std::os::unix::fs::PermissionsExt;

    if !can_trace() {
        println!("skipped: there is no strace that may trace");
        return;
    }
    let desk = Desk::new();
    let files = beginning(&desk);
    let folder = desk.folder().join("desk");
    let words = "protect --seed-file seed -o a.csv --plan a.plan --report a.html";
    let calls =
        ["chmod,fchmod,fchmodat", "fsync,fdatasync", "rename,renameat,renameat2,link,linkat"];
    let (mut killed, mut left) = (0, 0);
    for calls in calls {
        for number in 1..MOST {
            set_up(&folder, &files);
            if !run(&folder, words, Some((calls, "KILL", number))).2 {
                break;
            }
            killed += 1;
            for entry in fs::read_dir(&folder).unwrap().map(Result::unwrap) {
                if !entry.file_name().to_string_lossy().starts_with(".marginswap-") {
                    continue;
                }
                left += 1;
                // An empty one only finds out what others may do with a new file.
                let metadata = entry.metadata().unwrap();
                let open = metadata.permissions().mode() & 0o077;
                assert!(open == 0 || metadata.len() == 0, "{calls} {number}: {open:o}");
            }
            let (code, said, _) = run(&folder, "clean . --force", None);
            assert_eq!(code, 0, "{calls} {number}: {said}");
            let found = content(&folder);
            assert!(found.keys().all(|name| !name.starts_with(".marginswap-")), "{calls} {number}");
        }
    }
    assert!(killed >= 10 && left >= 10, "{killed} killed, {left} files left");
}
