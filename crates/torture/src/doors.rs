//! Every door, with the same case: the program as a process, and the pipeline in memory.
//!
//! The program protects with one thread and with two, plans, and follows the plan; the library
//! protects in this process. All must give the same bytes. A refusal must leave the folder as it
//! was, whatever its code, and no word of any run may show a value.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use marginswap_pipeline::codes;
use marginswap_pipeline::job::protect;
use marginswap_pipeline::notes::Run;
use marginswap_pipeline::outputs::Outputs;
use marginswap_pipeline::project::Project;
use marginswap_pipeline::seed::SeedFrom;
use serde_json::Value as Json;
use tempfile::TempDir;

use crate::project::{self, DATA, LIST};
use crate::recount::{self, Released};
use crate::world::CANARY;
use crate::{Case, Went};

/// The project file of a case.
pub const PROJECT: &str = "marginswap.toml";
/// Its seed file.
pub const SEED: &str = "seed";

/// A folder with the files of a case.
pub struct Doors {
    folder: TempDir,
    program: PathBuf,
}

/// What a command said and how it ended.
struct Said {
    code: i32,
    out: String,
    err: String,
}

impl Doors {
    /// Writes the files of a case.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn open(case: &Case, program: &Path) -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        write_case(case, folder.path())?;
        Ok(Self { folder, program: program.to_owned() })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn names(&self) -> BTreeSet<String> {
        let entries = fs::read_dir(self.folder.path()).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }

    /// Runs a command. Whatever it does, it must end as documented, show no value, and have
    /// written these files if and only if it ended with 0 or 1.
    fn command(&self, arguments: &[&str], writes: &[&str]) -> Result<Said, String> {
        let before = self.names();
        let mut command = Command::new(&self.program);
        let output = command.args(arguments).current_dir(self.folder.path()).output();
        let output = output.map_err(|error| format!("the program cannot be started: {error}"))?;
        let said = Said::of(&output);
        let what = format!("`{}` (exit {})", arguments.join(" "), said.code);
        if !(0..=8).contains(&said.code) || said.code == 6 {
            return Err(format!("{what} is no refusal:\n{}", said.err));
        }
        if said.out.contains(CANARY) || said.err.contains(CANARY) {
            return Err(format!("{what} shows a value:\n{}{}", said.out, said.err));
        }
        let mut expected = before;
        let kept = said.code <= 1 && !said.err.contains("nothing was written");
        expected.extend(writes.iter().filter(|_| kept).map(|&name| name.to_owned()));
        let found = self.names();
        if found != expected {
            return Err(format!("{what} leaves {found:?}, not {expected:?}:\n{}", said.err));
        }
        Ok(said)
    }

    /// Runs the case.
    ///
    /// # Errors
    /// What does not hold, in words.
    pub fn run(&self, case: &Case) -> Result<Went, String> {
        let protect = |threads, out, plan| {
            [
                "protect",
                "--threads",
                threads,
                "--seed-file",
                SEED,
                "-o",
                out,
                "--plan",
                plan,
                "--json",
            ]
        };
        let one = self.command(&protect("1", "one.out", "one.plan"), &["one.out", "one.plan"])?;
        let two = self.command(&protect("2", "two.out", "two.plan"), &["two.out", "two.plan"])?;
        // Advice names the files of its own run.
        let told = one.out.replace("one.out", "two.out").replace("one.plan", "two.plan");
        if (one.code, &told) != (two.code, &two.out) {
            return Err(format!(
                "one thread says {}{}, two say {}{}",
                one.code, one.out, two.code, two.out
            ));
        }
        if one.code > 1 {
            return self.same_refusal(case, &one).map(Went::Refused);
        }
        if one.err.contains("nothing was written") {
            return Ok(Went::Unchanged);
        }
        let bytes = self.read("one.out")?;
        self.same("two.out", &bytes)?;
        self.same("two.plan", &self.read("one.plan")?)?;
        self.in_steps(&bytes)?;
        self.in_memory(&bytes)?;
        let plan = String::from_utf8(self.read("one.plan")?).map_err(|_| "a plan is text")?;
        let answer: Json = serde_json::from_str(&one.out).map_err(|error| error.to_string())?;
        recount::check(case, &Released { bytes: &bytes, plan: &plan, answer: &answer })
            .map(Went::Released)
    }

    /// Planning and following the plan give what protecting gives.
    fn in_steps(&self, bytes: &[u8]) -> Result<(), String> {
        let plan = ["plan", "--seed-file", SEED, "-o", "steps.plan"];
        self.command(&plan, &["steps.plan"])?;
        let apply = ["apply", DATA, "steps.plan", "--seed-file", SEED, "-o", "steps.out"];
        let said = self.command(&apply, &["steps.out"])?;
        if said.code > 1 {
            return Err(format!("a plan that was just made is refused:\n{}", said.err));
        }
        self.same("steps.out", bytes)
    }

    /// The library gives the same bytes.
    fn in_memory(&self, bytes: &[u8]) -> Result<(), String> {
        let project = Project::load(&self.path(PROJECT)).map_err(|error| error.to_string())?;
        let project = project.expanded();
        let outputs = Outputs::released(&self.path("memory.out"), project.order());
        let seed = SeedFrom::File(self.path(SEED));
        let release = protect(&project, &seed, &outputs, &mut Run::silent());
        let mut release = release.map_err(|error| format!("the library refuses: {error}"))?;
        release.publish(&mut Run::silent()).map_err(|error| error.to_string())?;
        self.same("memory.out", bytes)
    }

    /// What the program refuses the library refuses too, for the same reason.
    fn same_refusal(&self, case: &Case, said: &Said) -> Result<String, String> {
        let project = match Project::load(&self.path(PROJECT)) {
            Err(refusal) => return self.compare(&refusal, said),
            Ok(project) => project.expanded(),
        };
        let outputs = Outputs::released(&self.path("memory.out"), project.order());
        let seed = SeedFrom::File(self.path(SEED));
        match protect(&project, &seed, &outputs, &mut Run::silent()) {
            Err(refusal) => self.compare(&refusal, said),
            Ok(_) => Err(format!(
                "the program refuses what the library does:\n{}{}",
                said.err,
                project::toml(&case.told)
            )),
        }
    }

    fn compare(
        &self,
        refusal: &marginswap_core::diagnostic::Diagnostic,
        said: &Said,
    ) -> Result<String, String> {
        let code = codes::entry(refusal.code).to_string();
        match said.err.contains(&format!("error[{code}]")) {
            true => Ok(code),
            false => {
                Err(format!("the library refuses with {code}, the program says:\n{}", said.err))
            }
        }
    }

    fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        fs::read(self.path(name)).map_err(|error| format!("{name}: {error}"))
    }

    fn same(&self, name: &str, bytes: &[u8]) -> Result<(), String> {
        match self.read(name)? == bytes {
            true => Ok(()),
            false => Err(format!("{name} has other bytes")),
        }
    }
}

impl Said {
    fn of(output: &Output) -> Self {
        Self {
            // A program that a signal ended has no code.
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// Writes the files of a case into a folder.
///
/// # Errors
/// A folder that cannot be written.
pub fn write_case(case: &Case, folder: &Path) -> io::Result<()> {
    fs::write(folder.join(DATA), case.world.bytes())?;
    fs::write(folder.join(PROJECT), project::toml(&case.told))?;
    let digits: String = case.seed.iter().map(|byte| format!("{byte:02x}")).collect();
    fs::write(folder.join(SEED), format!("SECRET\n{digits}\n"))?;
    let named = |&record: &usize| match has_id(case) {
        true => {
            let id = crate::csv::value(&case.world.rows[record][0]);
            format!("{}\n", String::from_utf8_lossy(&id))
        }
        false => format!("{}\n", record + 1),
    };
    let list: String = case.listed.iter().map(named).collect();
    fs::write(folder.join(LIST), list)
}

/// Does the project name records by an id?
fn has_id(case: &Case) -> bool {
    case.told.iter().any(|told| told.setting.key() == "columns.id")
}
