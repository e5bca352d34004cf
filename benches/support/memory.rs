//! The peak memory of a child process.
//!
//! Linux keeps the highest resident size of a process (`VmHWM`) while it lives. It is asked
//! for again and again until the child ends; since it never falls, only a peak in the last
//! millisecond could be missed. Elsewhere there is no answer.

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// What a run of a program printed and took.
pub struct Run {
    /// Its standard output.
    pub output: Vec<u8>,
    /// Wall time from start to end.
    pub seconds: f64,
    /// The highest resident size in bytes, where the system tells it.
    pub peak: Option<u64>,
}

/// Runs a program to its end. Its answer must fit a pipe, which it is read from only then.
pub fn run(command: &mut Command) -> Run {
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let status = format!("/proc/{}/status", child.id());
    let mut peak = None;
    while child.try_wait().expect("a child can be waited for").is_none() {
        peak = peak.max(fs::read_to_string(&status).ok().as_deref().and_then(high_water));
        thread::sleep(Duration::from_micros(500));
    }
    let seconds = start.elapsed().as_secs_f64();
    let output = child.wait_with_output().expect("the child's answer can be read");
    // 1 means that it finished and a gate is not met.
    assert!(matches!(output.status.code(), Some(0 | 1)), "the program ends well");
    Run { output: output.stdout, seconds, peak }
}

fn high_water(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
