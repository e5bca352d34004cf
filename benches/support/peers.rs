//! Other programs that read the same file, in a Python process next to this one.
//!
//! `MARGINSWAP_BENCH_PYTHON` names the interpreter, `python3` otherwise. What it cannot
//! import is left out. The process waits while it is not asked, so rounds of ours and of
//! theirs can take turns.

use std::env;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::str::FromStr;

const SCRIPT: &str = include_str!("peers.py");

/// A Python process that reads the file whenever it is asked to.
pub struct Peers {
    child: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    names: Vec<String>,
}

/// One reading of the file by a peer.
pub struct Reading {
    /// The rows that it found.
    pub rows: usize,
    /// The columns that it found.
    pub columns: usize,
    /// Wall time, taken inside the process.
    pub seconds: f64,
    /// Processor time of all its threads.
    pub processor_seconds: f64,
}

impl Peers {
    /// Starts the process; the error says why there are no peers.
    pub fn start(file: &Path) -> Result<Self, String> {
        let python =
            env::var_os("MARGINSWAP_BENCH_PYTHON").unwrap_or_else(|| OsString::from("python3"));
        let shown = python.to_string_lossy().into_owned();
        let mut child = Command::new(&python)
            .arg("-c")
            .arg(SCRIPT)
            .arg(file)
            .env("POLARS_MAX_THREADS", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("`{shown}` does not start: {error}"))?;
        let requests = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().expect("its output is a pipe"));
        let mut peers = Self { child, requests, answers, names: Vec::new() };
        let names = peers.line();
        peers.names =
            names.split('\t').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        if peers.names.is_empty() {
            return Err(format!("`{shown}` can import neither polars nor duckdb"));
        }
        Ok(peers)
    }

    /// The readers it has, with their versions.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Lets one of them read the file.
    pub fn read(&mut self, name: &str) -> Reading {
        let requests = self.requests.as_mut().expect("the process has not been ended");
        writeln!(requests, "{name}").expect("the peer takes requests");
        let answer = self.line();
        let mut parts = answer.split('\t');
        Reading {
            rows: number(parts.next()),
            columns: number(parts.next()),
            seconds: number(parts.next()),
            processor_seconds: number(parts.next()),
        }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("the peer answers");
        line.trim_end().to_owned()
    }
}

impl Drop for Peers {
    /// The end of its requests ends the process.
    fn drop(&mut self) {
        drop(self.requests.take());
        let _ended = self.child.wait();
    }
}

fn number<T: FromStr>(part: Option<&str>) -> T {
    part.and_then(|part| part.parse().ok()).expect("the peer answers with four numbers")
}
