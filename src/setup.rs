//! Settings as flags: what was typed becomes a project, joined with the project file.
//!
//! Every command takes the settings of its topics and finds the project file; the flags are
//! made from the table of settings, so no other file of the program knows them.
//!
//! Way in: [`Typed`] as a part of a command's arguments, then [`Typed::run`].

use std::marker::PhantomData;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches, value_parser};
use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::Overwrite;
use marginswap_pipeline::job::MOST_THREADS;
use marginswap_pipeline::notes::Run;
use marginswap_pipeline::outputs::guard;
use marginswap_pipeline::project::{Project, ProjectFile, ReleaseOrder};
use marginswap_pipeline::refusal::Code;
use marginswap_pipeline::settings::{self, Kind, SETTINGS, Setting, Topic};

use crate::args::{ForApply, ForReport, ForVerify};
use crate::output::{self, Line, Outcome};
use crate::timings;

/// Headings of what is no setting.
const PROJECT: &str = "Data";
pub const RUN: &str = "Run";

/// Which settings a command takes.
pub trait Takes {
    /// The topics that it asks for.
    const TOPICS: &'static [Topic];
    /// Does it name the data file first?
    const DATA: bool = true;
    /// Does it work on a project?
    const PROJECT: bool = true;
}

/// The settings that were typed, and how the command runs.
#[derive(Debug)]
pub struct Typed<T> {
    file: Option<PathBuf>,
    /// Is the project file left aside that is found in the folder?
    alone: bool,
    given: Vec<(&'static Setting, Vec<String>)>,
    threads: Option<NonZeroUsize>,
    /// Does the answer tell how long each step took?
    timed: bool,
    topics: PhantomData<T>,
}

/// A project as it holds for one command, and where each of its settings came from.
pub struct Setup {
    /// The settings: the project file's, overridden by the flags.
    pub project: Project,
    flags: Project,
    file: Option<ProjectFile>,
    /// Was the project file named?
    named: bool,
}

impl<T: Takes> Typed<T> {
    fn settings() -> impl Iterator<Item = &'static Setting> {
        SETTINGS.iter().filter(|setting| {
            let takes = T::TOPICS.contains(&setting.topic);
            takes && (!setting.flag.is_empty() || (setting.name == "data" && T::DATA))
        })
    }

    /// The flags alone, as a project.
    pub fn typed(&self) -> Result<Project, Diagnostic> {
        let mut flags = Project::default();
        for (setting, texts) in intruders_apart(&self.given) {
            let set = |flags: &mut Project| {
                let value = setting.typed(&texts)?;
                let code = match setting.kind {
                    Kind::Rules => Code::BadExpression,
                    _ => Code::BadFormula,
                };
                setting.set(flags, &value).map_err(|misfit| {
                    Diagnostic::new(code, misfit.refusal.detail, misfit.refusal.remedy)
                })
            };
            set(&mut flags).map_err(|refusal| typed_wrongly(setting, refusal))?;
        }
        Ok(flags)
    }

    /// Runs a command on its threads: finds the project, and lays what is wrong with a setting
    /// to the place where it was given.
    pub fn run(
        &self,
        command: impl FnOnce(&Setup, &mut Run<'_>) -> Result<Outcome, Diagnostic> + Send,
    ) -> Result<Outcome, Diagnostic> {
        self.run_with(Project::default(), command)
    }

    /// The same, with settings that the command names in its own way.
    pub fn run_with(
        &self,
        own: Project,
        command: impl FnOnce(&Setup, &mut Run<'_>) -> Result<Outcome, Diagnostic> + Send,
    ) -> Result<Outcome, Diagnostic> {
        if self.timed {
            timings::start();
        }
        let flags = self.typed()?.merge(own);
        let file = match &self.file {
            Some(path) => Some(ProjectFile::load(path)?),
            None if self.alone => None,
            None => ProjectFile::find()?.filter(|file| is_of(file, &flags)),
        };
        let base = file.as_ref().map(|file| file.project.clone()).unwrap_or_default();
        let project = base.merge(flags.clone()).expanded();
        let completed = project.clone().completed();
        let mut setup = Setup { project, flags, file, named: self.file.is_some() };
        setup.project = completed.map_err(|refusal| setup.blame(refusal))?;
        on_threads(self.threads, || {
            let run = &mut output::run();
            command(&setup, run).map_err(|refusal| setup.blame(refusal))
        })?
    }
}

/// Is a project file that was found in the folder that of the data file that was typed? The
/// settings and outputs of one file are not those of another, unless `--project` says so.
fn is_of(file: &ProjectFile, flags: &Project) -> bool {
    let (Some(own), Some(typed)) = (&file.project.data, &flags.data) else { return true };
    let place = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if place(own) == place(typed) {
        return true;
    }
    let path = file.path.display();
    output::talk(&format!(
        "note: {path} is the project file of {} and is not applied to {} (--project {path} applies it)",
        own.display(),
        typed.display()
    ));
    false
}

/// What was typed, where keys given a second time are what another intruder knows.
fn intruders_apart(
    given: &[(&'static Setting, Vec<String>)],
) -> Vec<(&'static Setting, Vec<String>)> {
    let (mut apart, mut others) = (given.to_vec(), Vec::new());
    for (setting, texts) in &mut apart {
        if setting.key() == "risk.keys" && texts.len() > 1 {
            others = texts.split_off(1);
        }
    }
    if others.is_empty() {
        return apart;
    }
    let more = settings::find("risk", "more_keys").expect("keys come with more keys");
    match apart.iter_mut().find(|(setting, _)| setting.key() == more.key()) {
        Some((_, texts)) => {
            texts.splice(0..0, others);
        }
        None => apart.push((more, others)),
    }
    apart
}

/// Runs something on this many threads, or on as many as there are cores.
pub fn on_threads<R: Send>(
    threads: Option<NonZeroUsize>,
    work: impl FnOnce() -> R + Send,
) -> Result<R, Diagnostic> {
    let Some(threads) = threads else { return Ok(work()) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get().min(MOST_THREADS));
    let pool = pool.build().map_err(|error| {
        Diagnostic::new(
            Code::TooFewThreads,
            format!("the threads cannot be started: {error}"),
            "give a smaller number to --threads",
        )
    })?;
    Ok(pool.install(work))
}

impl Setup {
    /// The project file, if there is one.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_ref().map(|file| file.path.as_path())
    }

    /// What the project file says.
    pub fn file_project(&self) -> &Project {
        static NOTHING: LazyLock<Project> = LazyLock::new(Project::default);
        self.file.as_ref().map_or(&NOTHING, |file| &file.project)
    }

    /// Was the project file named on the command line?
    pub fn is_named(&self) -> bool {
        self.named
    }

    /// What was typed.
    pub fn flags(&self) -> &Project {
        &self.flags
    }

    /// The setup of a project file that was just written.
    pub fn of_file(path: &Path) -> Result<Self, Diagnostic> {
        let file = ProjectFile::load(path)?;
        let project = file.project.clone().expanded().completed()?;
        Ok(Self { project, flags: Project::default(), file: Some(file), named: true })
    }

    /// The data file.
    pub fn data(&self) -> Result<PathBuf, Diagnostic> {
        marginswap_pipeline::resolve::data_of(&self.project)
    }

    /// The released file.
    pub fn released(&self) -> Result<PathBuf, Diagnostic> {
        let out = self.project.release.out.clone().ok_or_else(|| {
            output::missing(
                "no released file is named",
                "name it on the command line, or as `out` under [release] in the project file",
            )
        })?;
        if out == Path::new("-") {
            return Err(output::missing(
                "`-` names no file: a release is read back before it gets its name",
                "name a file",
            ));
        }
        Ok(out)
    }

    /// Refuses to go on without a file of the project that an earlier command makes.
    pub fn made_by(&self, path: &Path, commands: &str) -> Result<(), Diagnostic> {
        let known = self.file_project();
        let own = [&known.release.plan, &known.release.out].into_iter().flatten();
        if path.exists() || !own.into_iter().any(|file| file == path) {
            return Ok(());
        }
        let remedy = format!("run {commands} first");
        Err(Diagnostic::new(Code::FileMissing, "this file is not made yet", remedy).in_file(path))
    }

    /// The command that follows the plan of a project.
    pub fn apply_line(&self, project: &Project, seed: Option<&Path>) -> String {
        let known = self.file_project();
        let typed = (&project.data, &project.release.plan) != (&known.data, &known.release.plan);
        let files = [project.data.as_deref(), project.release.plan.as_deref()];
        let files = files.map(|file| file.unwrap_or(Path::new("FILE")));
        let mut line =
            self.line_with("apply", if typed { &files } else { &[] }, ForApply::TOPICS, project);
        if let (ReleaseOrder::Random, Some(seed)) = (project.order(), seed) {
            line.option("--seed-file", &seed.display().to_string());
        }
        if project.release.out.is_none() {
            line.option("-o", "released.csv");
        }
        line.to_string()
    }

    /// The command that compares the released file of a project with the original.
    pub fn verify_line(&self, project: &Project) -> String {
        let (known, mut project) = (self.file_project(), project.clone());
        let typed = (&project.data, &project.release.out) != (&known.data, &known.release.out);
        let files = [project.data.as_deref(), project.release.out.as_deref()];
        let files = files.map(|file| file.unwrap_or(Path::new("FILE")).to_owned());
        let files = [files[0].as_path(), files[1].as_path()];
        // An id that is not released cannot link the files; then the lines do.
        let drop = project.dropped();
        let dropped = project.columns.id.clone().filter(|id| drop.contains(id));
        if known.columns.id.is_none() && dropped.is_some() {
            project.columns.id = None;
            project.columns.ignore.extend(dropped);
        }
        let files = if typed { &files[..] } else { &[] };
        self.line_with("verify", files, ForVerify::TOPICS, &project).to_string()
    }

    /// The command that writes the report of a project's released file.
    pub fn report_line(&self, project: &Project) -> Line {
        let known = self.file_project();
        let typed = (&project.data, &project.release.out) != (&known.data, &known.release.out);
        let files = [project.data.as_deref(), project.release.out.as_deref()];
        let files = files.map(|file| file.unwrap_or(Path::new("FILE")));
        self.line_with("report", if typed { &files } else { &[] }, ForReport::TOPICS, project)
    }

    /// Refuses to go on when no table is to be kept.
    pub fn tables_are_named(&self) -> Result<(), Diagnostic> {
        if !self.project.keep.is_empty() {
            return Ok(());
        }
        Err(Diagnostic::new(Code::MissingSetting, "no table to keep is named", "name at least one")
            .about("keep.tables"))
    }

    /// The project, where records are named by number from now on: the column that would name
    /// them is only left out.
    pub fn by_number(&self) -> Project {
        let mut project = self.project.clone();
        if let (Some(_), Some(id)) = (&self.flags.columns.id, project.columns.id.take()) {
            project.columns.ignore.push(id);
        }
        project
    }

    /// Looks at all files before any work is done: each output may be written, and is neither
    /// an input nor another file of the project. `own` are the settings that name outputs of
    /// this command, `inputs` the files that it reads besides those that settings name.
    ///
    /// # Errors
    /// As [`guard`].
    pub fn guard(
        &self,
        outputs: &[Option<&Path>],
        own: &[&str],
        inputs: &[Option<&Path>],
        overwrite: Overwrite,
        run: &mut Run<'_>,
    ) -> Result<(), Diagnostic> {
        let projects = [&self.project, self.file_project()];
        let inputs: Vec<Option<&Path>> = inputs.iter().copied().chain([self.file()]).collect();
        guard(&projects, outputs, own, &inputs, overwrite, run)
    }

    /// A command of this program on the same project, with the settings of these topics.
    /// Where the project file says a setting, it is not repeated.
    pub fn line(&self, command: &str, topics: &[Topic]) -> Line {
        self.line_for(command, topics, &self.project)
    }

    /// The same for a changed project.
    pub fn line_for(&self, command: &str, topics: &[Topic], project: &Project) -> Line {
        let known = self.file_project();
        let data = project.data.as_deref().unwrap_or(Path::new("DATA"));
        let typed = project.data != known.data || known.data.is_none();
        let files = if typed { vec![data] } else { vec![] };
        self.line_with(command, &files, topics, project)
    }

    /// A command on these files, with the settings that the project file does not say.
    fn line_with(
        &self,
        command: &str,
        files: &[&Path],
        topics: &[Topic],
        project: &Project,
    ) -> Line {
        let mut line = Line::new(command);
        for file in files {
            line.file(file);
        }
        if let (true, Some(file)) = (self.named, self.file()) {
            line.option("--project", &file.display().to_string());
        }
        // What the preset sets is in the file.
        let known = self.file_project().clone().expanded().with_defaults();
        let project = &project.clone().as_written().with_defaults();
        for setting in SETTINGS.iter().filter(|setting| topics.contains(&setting.topic)) {
            // Rules and codes hold categories, and a line ends up in logs. Derived variables may,
            // and the line means nothing without them.
            let secret = match setting.kind {
                Kind::Rules => true,
                Kind::Codes => setting.topic != Topic::Published,
                _ => false,
            };
            if setting.flag.is_empty() || setting.get(project) == setting.get(&known) {
                continue;
            }
            if secret {
                line.leave_out(format!("--{}", setting.flag));
                continue;
            }
            for text in setting.retyped(project) {
                let flag = match setting.flag {
                    "out" => "-o".to_owned(),
                    flag => format!("--{flag}"),
                };
                match setting.kind {
                    Kind::Switch => line.flag(&flag),
                    _ => line.option(&flag, &text),
                };
            }
        }
        line
    }

    /// Lays a refusal that is about a setting to the place where it was given: a line of the
    /// project file, or a flag.
    fn blame(&self, mut refusal: Diagnostic) -> Diagnostic {
        let Some(about) = &refusal.about else { return refusal };
        let Some((key, text)) = about.split_once('=') else { return refusal };
        let (section, name) = key.split_once('.').unwrap_or(("", key));
        let Some(setting) = settings::find(section, name) else { return refusal };
        let typed = setting.get(&self.flags).is_some();
        match &self.file {
            Some(file) if !typed => {
                refusal.place.file = Some(file.path.clone());
                refusal.place.line = file.line(setting, text);
                refusal.exit = Some(4);
            }
            _ => return typed_wrongly(setting, refusal),
        }
        refusal
    }
}

/// A number of threads as it is typed.
pub fn threads(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "expected a whole number from 1".to_owned())
}

/// A demo seed as it is typed.
pub fn demo_seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "expected a whole number from 0 to 18446744073709551615".to_owned())
}

/// Lays a refusal to a flag.
fn typed_wrongly(setting: &Setting, mut refusal: Diagnostic) -> Diagnostic {
    refusal.place.file = Some(format!("--{}", setting.flag).into());
    refusal.exit = Some(2);
    refusal
}

impl<T: Takes> clap::Args for Typed<T> {
    fn augment_args(command: Command) -> Command {
        let mut command = command;
        // Headings are shown in the order in which they first come.
        let mut settings: Vec<&'static Setting> = Self::settings().collect();
        settings.sort_by_key(|setting| setting.heading());
        for setting in settings {
            command = command.arg(flag(setting));
        }
        if !T::PROJECT {
            return command;
        }
        command
            .arg(
                Arg::new("project")
                    .long("project")
                    .value_name("FILE")
                    .value_parser(value_parser!(PathBuf))
                    .help_heading(PROJECT)
                    .hide_short_help(true)
                    .conflicts_with("no-project")
                    .help("Project file [default: marginswap.toml, if it is here and of this data file]"),
            )
            .arg(
                Arg::new("no-project")
                    .long("no-project")
                    .action(ArgAction::SetTrue)
                    .help_heading(PROJECT)
                    .hide_short_help(true)
                    .help("Leave aside the project file that is here"),
            )
            .arg(Arg::new("threads").long("threads").value_name("N").value_parser(threads).help_heading(RUN).hide_short_help(true).help(
                "Number of threads, at most 1,024; the answer is the same for any number [default: all cores]",
            ))
            .arg(
                Arg::new("timings")
                    .long("timings")
                    .action(ArgAction::SetTrue)
                    .help_heading(RUN)
                    .hide_short_help(true)
                    .help("Tell how long each step took, on the clock and on all processors"),
            )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// The flag of a setting.
fn flag(setting: &'static Setting) -> Arg {
    let id = setting.flag;
    if setting.name == "data" {
        return Arg::new("data")
            .value_name("DATA")
            .help(format!("{} [default: `data` in the project file]", setting.help));
    }
    let arg = Arg::new(id).long(id).help(match setting.default {
        "none" => setting.help.to_owned(),
        default => format!("{} [default: {default}]", setting.help),
    });
    let arg = arg.help_heading(setting.heading().words());
    let arg = arg.hide_short_help(!setting.is_for_a_first_job());
    let arg = if id == "out" { arg.short('o') } else { arg };
    let arg = if id == "population" { arg.conflicts_with("fraction") } else { arg };
    match setting.kind {
        Kind::Switch => arg.action(ArgAction::SetTrue),
        Kind::Files => arg.value_name("FILE").action(ArgAction::Append),
        Kind::Names | Kind::Groups => arg.value_name("A,B,…").action(ArgAction::Append),
        Kind::Tables => arg.value_name("TABLES").action(ArgAction::Append),
        Kind::Rules | Kind::Derived | Kind::Codes => {
            let name = match setting.kind {
                Kind::Rules => "RULE",
                Kind::Codes => "CODE",
                _ => "NAME = …",
            };
            arg.value_name(name).action(ArgAction::Append).allow_hyphen_values(true)
        }
        Kind::Widths => arg.value_name("COLUMN=WIDTH").action(ArgAction::Append),
        Kind::Name => arg.value_name("COLUMN"),
        Kind::Path => arg.value_name("FILE"),
        Kind::Text(name) => {
            let parser = move |text: &str| checked(setting, text);
            // A delimiter that is none has an error of its own.
            let arg = arg.value_name(name).allow_hyphen_values(true);
            if id == "delimiter" { arg } else { arg.value_parser(parser) }
        }
        Kind::Numbers | Kind::Scenarios | Kind::NamedTables => unreachable!("it has no flag"),
    }
}

/// The text, if the setting takes it.
fn checked(setting: &Setting, text: &str) -> Result<String, String> {
    let value = setting.typed(&[text.to_owned()]);
    let value = value.map_err(|refusal| format!("{}; {}", refusal.detail, refusal.remedy))?;
    match setting.set(&mut Project::default(), &value) {
        Ok(()) => Ok(text.to_owned()),
        Err(misfit) => Err(misfit.refusal.to_string()),
    }
}

impl<T: Takes> FromArgMatches for Typed<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut given = Vec::new();
        for setting in Self::settings() {
            let id = if setting.name == "data" { "data" } else { setting.flag };
            if setting.kind == Kind::Switch {
                if matches.get_flag(id) {
                    given.push((setting, vec![]));
                }
            } else if let Some(texts) = matches.get_many::<String>(id) {
                given.push((setting, texts.cloned().collect()));
            }
        }
        Ok(Self {
            file: matches.try_get_one("project").ok().flatten().cloned(),
            alone: matches.try_get_one("no-project").ok().flatten().copied().unwrap_or(false),
            given,
            threads: matches.try_get_one("threads").ok().flatten().copied(),
            timed: matches.try_get_one("timings").ok().flatten().copied().unwrap_or(false),
            topics: PhantomData,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
