//! Faults on the way of a file: every operation fails once, disks run full, processes are
//! killed and interrupted.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::disk::{Disk, RealDisk, TEMPORARY_PREFIX};
use marginswap_io::refusal::Code;
use marginswap_io::{Overwrite, Secrecy, Staged, publish_all};

/// A disk on which something goes wrong.
struct Faulty {
    trouble: Trouble,
    /// The operations so far.
    log: Mutex<Vec<&'static str>>,
    written: AtomicUsize,
}

#[derive(Clone, Copy)]
enum Trouble {
    /// The nth operation fails, and is not done.
    Fails(usize),
    /// The nth operation is done and fails all the same, as on a network drive.
    FailsAfterwards(usize),
    /// The disk is full after this many bytes.
    Full(usize),
    /// Every second write takes at most this many bytes, every other one is interrupted.
    Stutters(usize),
}

const FULL: i32 = 28;
const INPUT_OUTPUT: i32 = 5;

impl Faulty {
    fn new(trouble: Trouble) -> Arc<Self> {
        Arc::new(Self { trouble, log: Mutex::default(), written: AtomicUsize::new(0) })
    }

    fn operation<T>(
        &self,
        name: &'static str,
        work: impl FnOnce() -> io::Result<T>,
    ) -> io::Result<T> {
        let number = {
            let mut log = self.log.lock().unwrap();
            log.push(name);
            log.len() - 1
        };
        let failed = io::Error::from_raw_os_error(INPUT_OUTPUT);
        match self.trouble {
            Trouble::Fails(nth) if nth == number => Err(failed),
            Trouble::FailsAfterwards(nth) if nth == number => work().and(Err(failed)),
            _ => work(),
        }
    }
}

impl Faulty {
    /// An operation that tells a name: a file that is made and not told of cannot be removed by
    /// anybody, so it does not fail afterwards.
    fn operation_that_tells<T>(
        &self,
        name: &'static str,
        work: impl FnOnce() -> io::Result<T>,
    ) -> io::Result<T> {
        match self.trouble {
            Trouble::FailsAfterwards(_) => {
                self.log.lock().unwrap().push(name);
                work()
            }
            _ => self.operation(name, work),
        }
    }
}

impl Disk for Faulty {
    fn create(&self, folder: &Path) -> io::Result<(File, PathBuf)> {
        self.operation_that_tells("create", || RealDisk.create(folder))
    }

    fn open_up(&self, path: &Path) -> io::Result<()> {
        self.operation("open_up", || RealDisk.open_up(path))
    }

    fn set_aside(&self, path: &Path) -> io::Result<PathBuf> {
        self.operation_that_tells("set_aside", || RealDisk.set_aside(path))
    }

    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<usize> {
        self.operation("write", || match self.trouble {
            Trouble::Full(size) => {
                let room = size - self.written.load(Ordering::Relaxed);
                if room == 0 {
                    return Err(io::Error::from_raw_os_error(FULL));
                }
                let written = RealDisk.write(file, &bytes[..bytes.len().min(room)])?;
                self.written.fetch_add(written, Ordering::Relaxed);
                Ok(written)
            }
            Trouble::Stutters(size) => {
                if self.written.fetch_add(1, Ordering::Relaxed).is_multiple_of(2) {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                RealDisk.write(file, &bytes[..bytes.len().min(size)])
            }
            _ => RealDisk.write(file, bytes),
        })
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        self.operation("sync", || RealDisk.sync(file))
    }

    fn rename(&self, from: &Path, to: &Path, overwrite: Overwrite) -> io::Result<()> {
        // A run that is killed before leaves nothing that others may read.
        #[cfg(unix)]
        if !from.display().to_string().contains("-old-") {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(from)?.permissions().mode();
            assert_eq!(mode & 0o077, 0, "a temporary file is its owner's");
        }
        self.operation("rename", || RealDisk.rename(from, to, overwrite))
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        self.operation("sync_folder", || RealDisk.sync_folder(folder))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.operation("remove", || RealDisk.remove(path))
    }
}

/// The content: several writes, some longer than any buffer.
fn content() -> Vec<u8> {
    (0..200_000u32).flat_map(u32::to_le_bytes).collect()
}

/// Writes the content in pieces, as a release is written.
fn release(disk: &Arc<Faulty>, target: &Path, overwrite: Overwrite) -> Result<(), Diagnostic> {
    let disk: Arc<dyn Disk> = Arc::clone(disk) as Arc<dyn Disk>;
    let mut staged = Staged::create_on(disk, target, overwrite, Secrecy::Plain)?;
    staged.fill(|out| {
        for piece in content().chunks(70_001) {
            out.write_all(piece).map_err(|error| {
                assert!(error.raw_os_error().is_some());
                Diagnostic::new(Code::Unwritable, error.to_string(), "")
            })?;
        }
        Ok(())
    })?;
    let complete = |path: &Path| fs::read(path).unwrap() == content();
    let (finished, was_complete) = staged.finish_while(complete)?;
    assert!(was_complete && complete(finished.path()), "what is read back is complete");
    finished.publish()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// The temporary files in a folder.
fn temporary(folder: &Path) -> Vec<String> {
    names(folder).into_iter().filter(|name| name.starts_with(TEMPORARY_PREFIX)).collect()
}

/// The state that a fault may leave: the target complete, or with a refusal as before; nothing
/// next to it, but for what was replaced and could not be removed.
fn check(folder: &Path, before: Option<&[u8]>, outcome: &Result<(), Diagnostic>, log: &[&str]) {
    let target = folder.join("out.csv");
    let after = fs::read(&target).ok();
    match outcome {
        Ok(()) => assert!(after.as_deref() == Some(&content()[..]), "{log:?}"),
        Err(refusal) => {
            assert!([Code::Unwritable, Code::OutputExists].contains(&refusal.code), "{refusal}");
            assert_eq!(refusal.place.file.as_deref(), Some(target.as_path()));
            assert!(after.as_deref() == before, "{log:?}");
        }
    }
    let may_be_left = usize::from(outcome.is_ok() && log.last() == Some(&"remove"));
    assert!(temporary(folder).len() <= may_be_left, "{:?} after {log:?}", temporary(folder));
}

#[test]
fn law_a_fault_leaves_no_half_file() {
    for before in [None, Some(&b"what was there"[..])] {
        let overwrite = if before.is_some() { Overwrite::Force } else { Overwrite::Refuse };
        let run = |trouble| {
            let folder = tempfile::tempdir().unwrap();
            let target = folder.path().join("out.csv");
            if let Some(before) = before {
                fs::write(&target, before).unwrap();
            }
            let disk = Faulty::new(trouble);
            let outcome = release(&disk, &target, overwrite);
            let log = disk.log.lock().unwrap().clone();
            check(folder.path(), before, &outcome, &log);
            (outcome, log)
        };
        for trouble in [Trouble::Fails, Trouble::FailsAfterwards] {
            let mut failed = Vec::new();
            for nth in 0.. {
                let (outcome, log) = run(trouble(nth));
                if nth >= log.len() {
                    outcome.unwrap();
                    break;
                }
                // Making the file is the one thing that cannot fail after it is done.
                if let Err(refusal) = outcome {
                    assert_eq!(refusal.code, Code::Unwritable);
                    failed.push(log[nth]);
                }
            }
            failed.dedup();
            let set_aside = match (before, trouble(0)) {
                (Some(_), Trouble::Fails(_)) => &["set_aside"][..],
                _ => &[],
            };
            let expected =
                [&["write", "sync"], set_aside, &["rename", "open_up", "sync_folder"]].concat();
            assert!(failed.ends_with(&expected), "{failed:?}");
        }
        for size in (0..content().len()).step_by(50_000) {
            let refusal = run(Trouble::Full(size)).0.unwrap_err();
            let full = io::Error::from_raw_os_error(FULL).to_string();
            assert!(refusal.detail.contains(&full), "{refusal}");
        }
        for size in [1_000, 65_536, 65_537, 1 << 20] {
            run(Trouble::Stutters(size)).0.unwrap();
        }
    }
}

/// Three outputs of one run, the last of which replaces nothing or something too.
fn outputs(folder: &Path) -> [(PathBuf, Secrecy); 3] {
    [
        (folder.join("plan"), Secrecy::Secret),
        (folder.join("page.html"), Secrecy::Plain),
        (folder.join("out.csv"), Secrecy::Plain),
    ]
}

fn release_all(disk: &Arc<Faulty>, folder: &Path, overwrite: Overwrite) -> Result<(), Diagnostic> {
    let mut finished = Vec::new();
    for (target, secrecy) in outputs(folder) {
        let disk: Arc<dyn Disk> = Arc::clone(disk) as Arc<dyn Disk>;
        let mut staged = Staged::create_on(disk, &target, overwrite, secrecy)?;
        staged.fill(|out| {
            out.write_all(b"new").map_err(|_| Diagnostic::new(Code::Unwritable, "", ""))
        })?;
        finished.push(staged.finish()?);
    }
    publish_all(finished)
}

/// Every operation fails once, for every combination of targets that are there before.
#[test]
fn law_outputs_appear_together() {
    for there_before in 0..8u32 {
        let overwrite = if there_before == 0 { Overwrite::Refuse } else { Overwrite::Force };
        for trouble in [Trouble::Fails, Trouble::FailsAfterwards] {
            let mut refused = 0;
            for nth in 0.. {
                let folder = tempfile::tempdir().unwrap();
                let targets = outputs(folder.path());
                let mut before = Vec::new();
                for (place, (target, _)) in targets.iter().enumerate() {
                    if there_before >> place & 1 == 1 {
                        fs::write(target, "old").unwrap();
                    }
                    before.push(fs::read(target).ok());
                }
                let disk = Faulty::new(trouble(nth));
                let outcome = release_all(&disk, folder.path(), overwrite);
                let log = disk.log.lock().unwrap().clone();
                let after: Vec<_> =
                    targets.iter().map(|(target, _)| fs::read(target).ok()).collect();
                match &outcome {
                    Ok(()) => assert!(after.iter().all(|bytes| bytes.as_deref() == Some(b"new"))),
                    Err(refusal) => {
                        assert_eq!(after, before, "{refusal} after {log:?}");
                        assert_eq!(refusal.code, Code::Unwritable);
                        refused += 1;
                    }
                }
                let left = temporary(folder.path()).len();
                let removal_failed = outcome.is_ok() && log.get(nth) == Some(&"remove");
                assert!(left <= usize::from(removal_failed), "{log:?}");
                if nth >= log.len() {
                    outcome.unwrap();
                    break;
                }
            }
            assert!(refused >= 12, "{refused}");
        }
    }
}

/// Witness for the order: when the last name is taken, the first ones are given back.
#[test]
fn a_last_target_that_appears_takes_all_names_back() {
    let folder = tempfile::tempdir().unwrap();
    let finished: Vec<_> = outputs(folder.path())
        .iter()
        .map(|(target, secrecy)| {
            Staged::create(target, Overwrite::Refuse, *secrecy).unwrap().finish().unwrap()
        })
        .collect();
    assert_eq!(finished[2].target(), folder.path().join("out.csv"));
    fs::write(folder.path().join("out.csv"), "theirs").unwrap();
    let refusal = publish_all(finished).unwrap_err();
    assert_eq!(refusal.code, Code::OutputExists);
    assert_eq!(refusal.place.file, Some(folder.path().join("out.csv")));
    assert_eq!(names(folder.path()), ["out.csv"]);
    assert_eq!(fs::read_to_string(folder.path().join("out.csv")).unwrap(), "theirs");
}

/// A target that turns into a folder while the others are written.
#[test]
fn a_target_that_turns_into_a_folder_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let finished: Vec<_> = outputs(folder.path())
        .iter()
        .map(|(target, secrecy)| {
            Staged::create(target, Overwrite::Force, *secrecy).unwrap().finish().unwrap()
        })
        .collect();
    fs::create_dir(folder.path().join("out.csv")).unwrap();
    assert_eq!(publish_all(finished).unwrap_err().code, Code::Unwritable);
    assert_eq!(names(folder.path()), ["out.csv"]);
}

/// What others may read is theirs to read only under its own name.
#[cfg(unix)]
#[test]
fn a_file_is_the_owners_alone_until_it_has_its_name() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let folder = tempfile::tempdir().unwrap();
    let usual = folder.path().join("usual");
    fs::write(&usual, "").unwrap();
    for (target, secrecy) in outputs(folder.path()) {
        let finished =
            Staged::create(&target, Overwrite::Refuse, secrecy).unwrap().finish().unwrap();
        assert_eq!(mode(finished.path()), 0o600);
        finished.publish().unwrap();
        let expected = if secrecy == Secrecy::Secret { 0o600 } else { mode(&usual) };
        assert_eq!(mode(&target), expected);
    }
}

/// Not published, not there: neither half written nor finished.
#[test]
fn what_is_dropped_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("plan");
    let create = || Staged::create(&target, Overwrite::Refuse, Secrecy::Secret).unwrap();
    let mut staged = create();
    staged.write_all(&content()).unwrap();
    assert_eq!(names(folder.path()).len(), 1);
    drop(staged);
    assert!(names(folder.path()).is_empty());
    let mut staged = create();
    staged.write_all(b"text").unwrap();
    let finished = staged.finish().unwrap();
    assert_eq!(fs::read(finished.path()).unwrap(), b"text");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(finished.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    drop(finished);
    assert!(names(folder.path()).is_empty());
}

/// Witness for the second look: the target appears between writing and publishing.
#[test]
fn a_target_that_appears_meanwhile_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out.csv");
    let finished =
        Staged::create(&target, Overwrite::Refuse, Secrecy::Plain).unwrap().finish().unwrap();
    fs::write(&target, "theirs").unwrap();
    assert_eq!(finished.publish().unwrap_err().code, Code::OutputExists);
    assert_eq!(fs::read_to_string(&target).unwrap(), "theirs");
    assert_eq!(names(folder.path()), ["out.csv"]);
}

#[cfg(unix)]
mod processes {
    use super::*;

    use std::process::{Child, Command, Stdio};
    use std::thread;
    use std::time::{Duration, Instant};

    use marginswap_io::{are_named, exit_code_once_named, remove_on_interrupt};

    const TARGET: &str = "MARGINSWAP_TEST_TARGET";
    const ENDS_WITH: &str = "MARGINSWAP_TEST_ENDS_WITH";

    /// No test of its own: a child that has done its work and only talks about it.
    #[test]
    fn child_that_is_done() {
        let Some(target) = std::env::var_os(TARGET) else { return };
        let Ok(code) = std::env::var(ENDS_WITH) else { return };
        remove_on_interrupt();
        let target = PathBuf::from(target);
        let mut staged = Staged::create(&target, Overwrite::Refuse, Secrecy::Plain).unwrap();
        staged.write_all(&content()).unwrap();
        exit_code_once_named(code.parse().unwrap());
        assert!(!are_named());
        staged.finish().unwrap().publish().unwrap();
        assert!(are_named());
        loop {
            thread::sleep(Duration::from_secs(1));
        }
    }

    /// An interrupt after the last name does not say that nothing was written.
    #[test]
    fn an_interrupt_after_the_names_ends_as_the_work_did() {
        for code in ["0", "1"] {
            let folder = tempfile::tempdir().unwrap();
            let target = folder.path().join("out.csv");
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args(["--exact", "faults::processes::child_that_is_done", "--nocapture"]);
            command.env(TARGET, &target).env(ENDS_WITH, code);
            let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            let start = Instant::now();
            while !target.exists() {
                assert!(start.elapsed() < Duration::from_secs(60), "the child begins");
                thread::sleep(Duration::from_millis(1));
            }
            let number = child.id().to_string();
            assert!(Command::new("kill").args(["-TERM", &number]).status().unwrap().success());
            assert_eq!(child.wait().unwrap().code(), Some(code.parse().unwrap()));
            assert_eq!(names(folder.path()), ["out.csv"]);
            assert!(is_absent_or_complete(&target));
        }
    }

    /// No test of its own: what the children of the tests below do until they are ended.
    #[test]
    fn child() {
        let Some(target) = std::env::var_os(TARGET) else { return };
        remove_on_interrupt();
        let target = PathBuf::from(target);
        loop {
            let mut staged = Staged::create(&target, Overwrite::Force, Secrecy::Plain).unwrap();
            for piece in content().chunks(10_000) {
                staged.write_all(piece).unwrap();
            }
            staged.finish().unwrap().publish().unwrap();
        }
    }

    /// A child that has begun to write.
    fn start(target: &Path) -> Child {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "faults::processes::child", "--nocapture"]).env(TARGET, target);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let start = Instant::now();
        while names(target.parent().unwrap()).is_empty() {
            assert!(start.elapsed() < Duration::from_secs(60), "the child begins");
            thread::sleep(Duration::from_millis(1));
        }
        child
    }

    fn is_absent_or_complete(target: &Path) -> bool {
        fs::read(target).map_or(true, |bytes| bytes == content())
    }

    #[test]
    fn a_killed_process_leaves_no_half_target() {
        let mut temporary = 0;
        for round in 0..25u64 {
            let folder = tempfile::tempdir().unwrap();
            let target = folder.path().join("out.csv");
            let mut child = start(&target);
            thread::sleep(Duration::from_micros(round * 373));
            child.kill().unwrap();
            child.wait().unwrap();
            assert!(is_absent_or_complete(&target));
            for name in names(folder.path()) {
                assert!(name == "out.csv" || name.starts_with(TEMPORARY_PREFIX), "{name}");
                temporary += usize::from(name != "out.csv");
            }
        }
        assert!(temporary > 0, "some child is killed while it writes");
    }

    #[test]
    fn an_interrupted_process_leaves_nothing_beside_its_target() {
        for round in 0..20u64 {
            let folder = tempfile::tempdir().unwrap();
            let target = folder.path().join("out.csv");
            let mut child = start(&target);
            thread::sleep(Duration::from_micros(round * 373));
            let number = child.id().to_string();
            let send = |signal: &str| {
                assert!(Command::new("kill").args([signal, &number]).status().unwrap().success());
            };
            if round % 2 == 0 {
                send("-INT");
                // Where this test runs in the background, its children ignore that signal.
                let ended = (0..40).any(|_| {
                    thread::sleep(Duration::from_millis(25));
                    child.try_wait().unwrap().is_some()
                });
                if !ended {
                    send("-TERM");
                }
            } else {
                send("-TERM");
            }
            assert_eq!(child.wait().unwrap().code(), Some(130));
            assert!(is_absent_or_complete(&target));
            let left: Vec<String> =
                names(folder.path()).into_iter().filter(|name| name != "out.csv").collect();
            assert!(left.is_empty(), "{left:?}");
        }
    }
}
