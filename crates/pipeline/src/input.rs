//! From a file's name and the options to packed records.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::refusal::Code;
use marginswap_core::columns::{
    Column, Columns, Dependency, Households, Role, Roles, dependencies, did_you_mean,
    nearly_all_differ,
};
use marginswap_core::diagnostic::{Diagnostic, grouped};
use marginswap_core::encode::{RecordId, Records, Schema, Variable};
use marginswap_core::graph::{Scope, Separators, minimal_separators};
use marginswap_core::plan::Plan;
use marginswap_core::swap;
use marginswap_core::table::Located;
use marginswap_core::varset::VarSet;
use marginswap_io::{
    AsWritten, Compression, Delimiter, FileDigest, Format, Frame, Held, InputFile, Labels,
    ReadOptions, Sample, Source,
};

use crate::derive::{Derivations, Ready, Take};
use crate::household::{HouseholdFile, Parts};
use crate::notes::{Note, Phase, Run};
use crate::project::{self, Project};

/// An opened file whose columns have their roles; derived variables are columns after the others.
pub struct Opened {
    path: PathBuf,
    source: Parts,
    names: Vec<String>,
    roles: Roles,
    derived: Derivations,
    /// The column that names the household of a line.
    household: Option<usize>,
    first_line: FirstLine,
}

/// Is the column that names the records read? It takes as much memory as all others together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ids {
    /// Records are looked up by it, or linked by it to those of another file.
    Read,
    /// Nothing asks for it.
    PassedOver,
}

/// How a file of data is opened.
#[derive(Debug, Clone, Copy)]
pub struct Reading<'a> {
    /// What parts its fields, where that is known.
    pub delimiter: Option<Delimiter>,
    /// What its first line is.
    pub first_line: FirstLine,
    /// The column that names households.
    pub household: Option<&'a str>,
}

impl<'a> Reading<'a> {
    /// As a project says.
    #[must_use]
    pub fn of(project: &'a Project) -> Self {
        let (delimiter, household) = (project.delimiter, project.unit.household.as_deref());
        Self { delimiter, first_line: FirstLine::of(project), household }
    }
}

/// What the first line of a file is, as far as the user says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirstLine {
    /// The user says nothing: one that looks like a record is refused, since its values would be
    /// shown and released as names.
    Unknown,
    /// The names of the columns, whatever it looks like.
    Header,
}

impl FirstLine {
    /// What a project says.
    #[must_use]
    pub fn of(project: &Project) -> Self {
        if project.header == Some(true) { Self::Header } else { Self::Unknown }
    }

    /// Refuses a first line that looks like a record.
    ///
    /// # Errors
    /// [`Code::NoHeaderLine`].
    pub fn check(self, looks_like_a_record: bool, path: &Path) -> Result<(), Diagnostic> {
        if self == Self::Header || !looks_like_a_record {
            return Ok(());
        }
        Err(Diagnostic::new(
            Code::NoHeaderLine,
            "the first line looks like a record, so its fields are not taken as names",
            "add a header line, or say that the first line is one",
        )
        .in_file(path))
    }
}

/// A file that has been read: its columns in memory, and the handle through which its bytes
/// can be read again; a data frame has none. In a table of households each record is a household,
/// and what is known of the bytes is known of the lines of their members.
pub struct Loaded {
    path: PathBuf,
    columns: Columns,
    file: Option<InputFile>,
    /// Questions that end with an answer do not ask for it.
    digest: Option<FileDigest>,
    format: Format,
    derived: Arc<Ready>,
    households: Option<Arc<Households>>,
    household: Option<usize>,
    records: RecordsAre,
    counts: Option<Arc<[u32]>>,
    household_file: Option<Arc<HouseholdFile>>,
    /// How the lines of a CSV file are written, where each is a record.
    written: Option<Arc<AsWritten>>,
    /// The columns of which some fields are quoted and others not, and not all as they need it.
    mixed_quotes: Arc<[String]>,
    /// What the file says about its columns, where its format has labels.
    labels: Option<Arc<Labels>>,
}

/// What a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RecordsAre {
    Lines,
    Households,
}

/// Data as a door gives them: a file, or a data frame that another program holds.
#[derive(Debug, Clone, Copy)]
pub enum Given<'a> {
    /// A file.
    File(&'a Path),
    /// A data frame.
    Frame(&'a Frame),
    /// A file of persons and one of their households.
    Files {
        /// The persons.
        persons: &'a Path,
        /// The households.
        households: &'a Path,
    },
}

impl<'a> Given<'a> {
    /// What messages call it.
    #[must_use]
    pub fn path(self) -> &'a Path {
        match self {
            Self::File(path) | Self::Files { persons: path, .. } => path,
            Self::Frame(frame) => frame.label(),
        }
    }

    /// Can it be looked at twice? A pipe cannot.
    #[must_use]
    pub fn lasts(self) -> bool {
        match self {
            Self::File(path) => path.is_file(),
            Self::Files { persons, households } => persons.is_file() && households.is_file(),
            Self::Frame(_) => true,
        }
    }

    /// Opens it.
    ///
    /// # Errors
    /// When a file cannot be opened or its header cannot be read.
    pub fn open(self, how: Reading<'_>) -> Result<Parts, Diagnostic> {
        let open = |path| open_data(path, how);
        match self {
            Self::File(path) => open(path).map(Parts::of),
            Self::Frame(frame) => {
                let source = Source::of_frame(frame);
                how.first_line.check(source.is_without_header(), frame.label())?;
                Ok(Parts::of(source))
            }
            Self::Files { persons, households } => Parts::joined(open(persons)?, households, how),
        }
    }
}

/// Opens a data file whose first line is a header. What is known only when the file has been
/// read is checked again then.
///
/// # Errors
/// As [`Source::open`], and [`Code::NoHeaderLine`].
pub(crate) fn open_data(path: &Path, how: Reading<'_>) -> Result<Source, Diagnostic> {
    let source = Source::open(path, &ReadOptions { delimiter: how.delimiter })?;
    how.first_line.check(source.is_without_header(), path)?;
    Ok(source)
}

impl<'a> From<&'a Path> for Given<'a> {
    fn from(path: &'a Path) -> Self {
        Self::File(path)
    }
}

impl<'a> From<&'a PathBuf> for Given<'a> {
    fn from(path: &'a PathBuf) -> Self {
        Self::File(path)
    }
}

impl<'a> From<&'a Frame> for Given<'a> {
    fn from(frame: &'a Frame) -> Self {
        Self::Frame(frame)
    }
}

impl Opened {
    /// An opened file whose columns have these roles, with these derived variables.
    ///
    /// # Errors
    /// When a column has two roles, none takes part, or a derived variable follows from one that
    /// takes no part.
    pub fn new(
        path: &Path,
        source: Parts,
        (told, how): (&project::Columns, Reading<'_>),
        derived: Derivations,
    ) -> Result<Self, Diagnostic> {
        let names = source.columns();
        // What names households is no property of theirs.
        let mut ignore = told.ignore.clone();
        let household = how.household.map(str::to_owned);
        ignore.extend(household.filter(|name| !told.ignore.contains(name)));
        let roles = Roles::assign(names, &told.vars, &told.stay, &ignore, told.id.as_ref())
            .map_err(|error| error.in_file(path))?;
        derived.check_sources(names, &roles)?;
        let roles = roles.with_derived(derived.columns());
        let place = |name| {
            let found = position_of(names, name);
            found.map_err(|error| error.in_file(path).about(format!("unit.household={name}")))
        };
        let household = how.household.map(place).transpose()?;
        let names = names.iter().chain(derived.names()).cloned().collect();
        let (path, first_line) = (path.to_owned(), how.first_line);
        Ok(Self { path, source, names, roles, derived, household, first_line })
    }

    /// The same, where nothing is planned or compared and so no sum of the file is asked for; a
    /// file of households is known by the sum of both.
    #[must_use]
    pub fn without_sum(mut self) -> Self {
        if self.source.households.is_none() {
            self.source.source = self.source.source.without_sum();
        }
        self
    }

    /// The names of all columns, derived ones last.
    pub fn columns(&self) -> &[String] {
        &self.names
    }

    /// Is this a derived variable that is only looked at?
    pub fn is_only_watched(&self, name: &str) -> bool {
        let position = self.names.iter().position(|other| other == name);
        position.is_some_and(|column| {
            self.roles.sources(column).is_some() && self.roles.of(column) == Role::Ignored
        })
    }

    /// Its columns, what may happen to them, and where they are.
    pub(crate) fn header(&self) -> (&[String], &Roles, &Path) {
        (&self.names, &self.roles, &self.path)
    }

    /// The roles of all columns.
    pub fn roles(&self) -> &Roles {
        &self.roles
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The position of a column.
    pub fn position(&self, name: &str) -> Result<usize, Diagnostic> {
        position_of(self.columns(), name).map_err(|error| error.in_file(&self.path))
    }

    /// How the file is written.
    pub fn format(&self) -> String {
        match self.source.source.format() {
            Format::Csv { delimiter, compression } => {
                let delimiter = match delimiter.byte() {
                    b'\t' => "tab".to_owned(),
                    byte => format!("`{}`", char::from(byte)),
                };
                let packed = if compression == Compression::Gzip { ", gzip" } else { "" };
                format!("CSV, {delimiter}{packed}")
            }
            format => format.name().to_owned(),
        }
    }

    /// The names of the columns that are left out.
    pub fn ignored(&self) -> Vec<String> {
        let names = self.source.columns().iter().enumerate();
        names
            .filter(|(column, _)| self.roles.of(*column) == Role::Ignored)
            .map(|(_, name)| name.clone())
            .collect()
    }

    /// Reads the columns that take part, and the one that names the records if it is asked for.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read(self, ids: Ids, run: &mut Run<'_>) -> Result<Loaded, Diagnostic> {
        let (id, roles) = (self.roles.id(), &self.roles);
        let wanted: Vec<bool> = (0..roles.own())
            .map(|column| {
                roles.of(column) != Role::Ignored
                    || (ids == Ids::Read && id == Some(column))
                    || self.household == Some(column)
            })
            .collect();
        self.read_these(&wanted, run)
    }

    /// Reads the columns that take part, the one that names the records, and of all others every
    /// `step`-th record.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read_sampling(
        self,
        step: usize,
        run: &mut Run<'_>,
    ) -> Result<(Loaded, Vec<(String, Column)>), Diagnostic> {
        let (id, roles) = (self.roles.id(), &self.roles);
        let wanted: Vec<bool> = (0..roles.own())
            .map(|column| {
                roles.of(column) != Role::Ignored || [id, self.household].contains(&Some(column))
            })
            .collect();
        let sample = Sample { columns: wanted.iter().map(|wanted| !wanted).collect(), step };
        self.read_with(&wanted, &sample, run)
    }

    fn read_these(self, wanted: &[bool], run: &mut Run<'_>) -> Result<Loaded, Diagnostic> {
        let none = Sample { columns: vec![false; wanted.len()], step: 1 };
        Ok(self.read_with(wanted, &none, run)?.0)
    }

    fn read_with(
        self,
        wanted: &[bool],
        sample: &Sample,
        run: &mut Run<'_>,
    ) -> Result<(Loaded, Vec<(String, Column)>), Diagnostic> {
        let Self { path, source, names, roles, derived, household, first_line } = self;
        run.begin(Phase::Reading)?;
        let Parts { source, households: of_households, .. } = source;
        let labels = source.labels().cloned().map(Arc::new);
        let derived = Arc::new(derived.with_missing(missing_codes(labels.as_deref())).ready()?);
        let (file, format) = (source.file().cloned(), source.format());
        let counts = source.counts().cloned();
        let behind = source.columns().len();
        let first = Sample { columns: sample.columns[..behind].to_vec(), step: sample.step };
        let mut table = source.read_sampling(&wanted[..behind], &first)?;
        first_line.check(table.looks_like_a_record, &path)?;
        let written = table.written.as_ref();
        let is_mixed = |column| written.is_some_and(|written| written.is_mixed(column));
        let mut mixed: Vec<bool> = (0..behind).map(is_mixed).collect();
        let household_file = match of_households {
            None => None,
            Some(part) => {
                let place = household.filter(|&place| place < behind);
                let place = place.expect("persons have a column that names their households");
                let named = table.columns[place].as_ref().expect("that column was read");
                let second = Sample { columns: sample.columns[behind..].to_vec(), ..*sample };
                let sum = table.digest.as_ref().expect("the sum of two files is taken");
                let persons = (&*path, file.as_ref(), format, sum);
                let joined =
                    part.read(named, &wanted[behind..], &second, persons, behind, first_line)?;
                table.columns.extend(joined.columns);
                table.samples.extend(joined.samples);
                mixed.extend(joined.mixed_quotes);
                table.digest = Some(joined.file.digest_of_both());
                Some(Arc::new(joined.file))
            }
        };
        let written = table.written.filter(|_| household_file.is_none()).map(Arc::new);
        let mixed = names.iter().zip(mixed).filter(|(_, is_mixed)| *is_mixed);
        let mixed_quotes = mixed.map(|(name, _)| name.clone()).collect();
        let samples = names.iter().zip(table.samples);
        let samples = samples.filter_map(|(name, sample)| Some((name.clone(), sample?))).collect();
        let columns = Columns::new(names, roles, table.columns);
        let place = (&*path, file.as_ref());
        let households = match household {
            Some(household) => Some(Arc::new(households(&columns, household, place, format)?)),
            None => None,
        };
        let columns = work_out(&derived, columns, households.as_deref(), place, format)?;
        for (variable, column, texts) in derived.unmatched(&columns) {
            run.note(Note::TextMissing { variable, column, texts });
        }
        let (digest, records) = (table.digest, RecordsAre::Lines);
        let loaded = Loaded {
            path,
            columns,
            file,
            digest,
            format,
            derived,
            households,
            household,
            records,
            counts,
            household_file,
            written,
            mixed_quotes,
            labels,
        };
        Ok((loaded, samples))
    }
}

/// The names of missing numbers in files that have labels: `.`, `.a` to `.z`, and in SAS `._` and
/// capitals.
fn missing_codes(labels: Option<&Labels>) -> Vec<String> {
    if labels.is_none() {
        return Vec::new();
    }
    let letters = ('a'..='z').chain('A'..='Z').chain(['_']);
    [".".to_owned()].into_iter().chain(letters.map(|letter| format!(".{letter}"))).collect()
}

/// The households that a column names.
fn households(
    columns: &Columns,
    position: usize,
    (path, file): (&Path, Option<&InputFile>),
    format: Format,
) -> Result<Households, Diagnostic> {
    let column = columns.get(position).expect("the column of households was read");
    let (mut first, mut lines) = (None, 0u64);
    column.for_each_code(|line, code| {
        if column.dictionary().is_blank(code) {
            first.get_or_insert(line);
            lines += 1;
        }
    });
    let Some(line) = first else { return Ok(Households::by(column)) };
    let detail = match lines {
        1 => "1 line has no household".to_owned(),
        lines => format!("{} lines have no household", grouped(lines)),
    };
    let remedy = "give every line its household, or leave these lines out";
    let mut refusal = Diagnostic::new(Code::NotAHousehold, detail, remedy)
        .in_file(path)
        .in_column(format!("`{}`", columns.names()[position]));
    refusal.place.line = file.and_then(|file| line_of(file, format, line));
    Err(refusal)
}

/// The columns with those that are derived from them.
fn work_out(
    derived: &Ready,
    columns: Columns,
    households: Option<&Households>,
    (path, file): (&Path, Option<&InputFile>),
    format: Format,
) -> Result<Columns, Diagnostic> {
    match derived.work_out(&columns, households) {
        Ok(found) => Ok(columns.with_derived(found)),
        Err((mut refusal, record)) => {
            refusal.place.line = file.and_then(|file| line_of(file, format, record));
            Err(refusal.in_file(path))
        }
    }
}

/// The line of a record, counted from 0, in a file of lines.
pub(crate) fn line_of(file: &InputFile, format: Format, record: usize) -> Option<u64> {
    let Format::Csv { delimiter, .. } = format else { return None };
    let mut lines =
        Source::of(file, &ReadOptions { delimiter: Some(delimiter) }).ok()?.into_csv()?;
    for _ in 0..record {
        lines.next_record().ok()??;
    }
    lines.next_record().ok()?.map(|found| found.line())
}

pub(crate) fn position_of(names: &[String], name: &str) -> Result<usize, Diagnostic> {
    names.iter().position(|other| other == name).ok_or_else(|| {
        Diagnostic::new(
            Code::UnknownColumn,
            format!("`{name}` is not a column of the file"),
            did_you_mean(name, names),
        )
    })
}

impl Loaded {
    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The handle of the file; a data frame has none.
    pub fn file(&self) -> Option<&InputFile> {
        self.file.as_ref()
    }

    /// What is in memory of a CSV file, with its records packed for the variables of this schema;
    /// it names for each column the variable that holds its codes.
    pub fn held<'a>(
        &'a self,
        records: &'a Records,
        variables: &'a [Option<usize>],
    ) -> Option<Held<'a>> {
        let written = self.written.as_deref()?;
        Some(Held { columns: self.raw_columns(), records, variables, written })
    }

    /// The same file with the columns of this scope by cell instead of by record.
    #[must_use]
    pub fn folded(self, scope: &Scope, located: &Located) -> Self {
        let variables = scope.schema().variables().iter();
        let columns = variables.flat_map(|variable| variable.columns.iter().copied()).collect();
        Self { columns: located.folded(self.columns, &columns), ..self }
    }

    /// The file of households, where it is another one than that of the persons.
    pub fn household_file(&self) -> Option<&HouseholdFile> {
        self.household_file.as_deref()
    }

    /// The sum of the bytes that were read, of both files where there are two.
    ///
    /// # Panics
    /// When the file was [read without it](Opened::without_sum).
    pub fn digest(&self) -> &FileDigest {
        self.digest.as_ref().expect("who plans, releases or compares has the sum taken")
    }

    /// What every record obeys: columns that follow from other columns of the file.
    pub fn dependencies(&self) -> Vec<Dependency> {
        let own = self.own_names().len();
        let takes_part = |column: usize| column < own && self.role(column) != Role::Ignored;
        let columns = self.raw_columns().iter().enumerate();
        let columns: Vec<Option<&Column>> =
            columns.map(|(position, one)| one.as_ref().filter(|_| takes_part(position))).collect();
        dependencies(&columns)
    }

    /// The columns of which some fields are quoted and others not, and not all as they need it.
    pub fn mixed_quotes(&self) -> &[String] {
        &self.mixed_quotes
    }

    /// How the file is written.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Its columns, what may happen to them, and where they are.
    pub(crate) fn header(&self) -> (&[String], &Roles, &Path) {
        (self.names(), self.columns.roles(), &self.path)
    }

    /// What the file says about its columns, where its format has labels.
    pub fn labels(&self) -> Option<&Labels> {
        self.labels.as_deref()
    }

    /// The columns in memory.
    pub fn in_memory(&self) -> &Columns {
        &self.columns
    }

    /// The names of all columns, derived ones last.
    pub fn names(&self) -> &[String] {
        self.columns.names()
    }

    /// The names of the file's columns.
    pub fn own_names(&self) -> &[String] {
        self.columns.own_names()
    }

    /// The derived variables, each with its expression and whether it takes part.
    pub fn derived(&self) -> impl Iterator<Item = (&str, String, Role)> {
        let own = self.own_names().len();
        let all = self.names()[own..].iter().enumerate();
        all.filter_map(move |(place, name)| {
            let expression = self.derived.expression(name)?.to_string();
            Some((name.as_str(), expression, self.role(own + place)))
        })
    }

    /// The columns by which a derived column counts members of households; `None` where it
    /// counts none.
    pub fn counted_by(&self, column: usize) -> Option<&BTreeSet<usize>> {
        self.derived.counted_by(column.checked_sub(self.own_names().len())?)
    }

    /// The households of its lines, where a column names them.
    pub fn households(&self) -> Option<&Arc<Households>> {
        self.households.as_ref()
    }

    /// The column that names them.
    pub fn household(&self) -> Option<usize> {
        self.household
    }

    /// The variables that are columns of the file, where records are its lines: what is only
    /// counted in a household is derived, whether it follows from a variable or not.
    pub fn own_variables(&self, scope: &Scope) -> VarSet {
        let own = scope.schema().own();
        match self.is_of_households() {
            true => own,
            false => own & scope.schema().standing_for(self.own_names().len()),
        }
    }

    /// The record that a line of the file belongs to: itself, or its household.
    pub fn record_of_line(&self, line: RecordId) -> RecordId {
        match (self.records, &self.households) {
            (RecordsAre::Households, Some(all)) => RecordId::at(all.of(line.position())),
            _ => line,
        }
    }

    /// How many people each record is, where it is a household.
    pub(crate) fn members(&self) -> Vec<u32> {
        let all = self.households.iter().filter(|_| self.is_of_households());
        let sizes = all.flat_map(|all| (0..all.len()).map(|one| all.members(one).len()));
        sizes.map(|size| u32::try_from(size).expect("a household is small")).collect()
    }

    /// Is each record a household?
    pub fn is_of_households(&self) -> bool {
        self.records == RecordsAre::Households
    }

    /// The same file as a table of households, with these columns.
    #[must_use]
    pub fn of_households(&self, columns: Columns) -> Self {
        Self {
            path: self.path.clone(),
            columns,
            file: self.file.clone(),
            digest: self.digest.clone(),
            format: self.format,
            derived: Arc::clone(&self.derived),
            households: self.households.clone(),
            household: self.household,
            records: RecordsAre::Households,
            counts: None,
            household_file: self.household_file.clone(),
            written: None,
            mixed_quotes: Arc::clone(&self.mixed_quotes),
            labels: self.labels.clone(),
        }
    }

    /// These lines, where all members of a household have what it has in these columns.
    #[must_use]
    pub fn with_columns_of_households<'c>(
        &self,
        changed: impl Iterator<Item = (usize, &'c Column)>,
    ) -> Self {
        let households = self.households.as_ref().expect("the lines have households");
        let changed = changed.map(|(position, column)| (position, households.on_lines(column)));
        let columns = self.columns.with_columns(changed.collect()).without_derived();
        Self { records: RecordsAre::Lines, ..self.of_households(columns) }
    }

    /// These lines after a plan for single ones, without what is derived.
    #[must_use]
    pub fn after(&self, plan: &Plan) -> Self {
        let columns = swap::apply(plan, &self.columns);
        Self { records: RecordsAre::Lines, ..self.of_households(columns) }
    }

    /// The same lines with the roles and the derived variables that another project gives them.
    ///
    /// # Errors
    /// When a derived variable cannot be worked out.
    pub fn told_again(&self, project: &Project) -> Result<Self, Diagnostic> {
        let names = self.own_names();
        let told = &project.columns;
        let derived = Derivations::of(project, names, Take::Named)?;
        let roles = Roles::assign(names, &told.vars, &told.stay, &told.ignore, told.id.as_ref())?;
        let roles = roles.with_derived(derived.columns());
        let all = names.iter().chain(derived.names()).cloned().collect();
        let own = self.columns.as_read()[..names.len()].to_vec();
        let derived = derived.with_missing(missing_codes(self.labels.as_deref()));
        let derived = Arc::new(derived.ready()?);
        let columns = Columns::new(all, roles, own);
        let lines = Self { records: RecordsAre::Lines, ..self.of_households(columns) };
        Self { derived, ..lines }.derived_again()
    }

    /// The line of the file that a line read from it is on, counted from 0.
    pub fn line_of(&self, line: usize) -> Option<u64> {
        self.file.as_ref().and_then(|file| line_of(file, self.format, line))
    }

    /// What may happen to a column.
    pub fn role(&self, column: usize) -> Role {
        self.columns.role(column)
    }

    /// Does this column name the records?
    pub fn is_id(&self, column: usize) -> bool {
        self.columns.id() == Some(column)
    }

    /// The position of a column.
    pub fn position(&self, name: &str) -> Result<usize, Diagnostic> {
        position_of(self.names(), name).map_err(|error| error.in_file(&self.path))
    }

    /// Does a derived variable follow from this column?
    pub fn is_source(&self, name: &str) -> bool {
        self.columns
            .position(name)
            .is_some_and(|position| self.derived.sources().contains(&position))
    }

    /// Is this a derived variable that is only looked at?
    pub fn is_only_watched(&self, name: &str) -> bool {
        let position = self.columns.position(name);
        position.is_some_and(|column| {
            self.columns.roles().sources(column).is_some() && self.role(column) == Role::Ignored
        })
    }

    /// The columns of these names alone, each a variable; `None` when one of them is unknown or
    /// was not read.
    pub fn schema_of(&self, names: &[String]) -> Option<Schema> {
        let columns: Option<BTreeSet<usize>> =
            names.iter().map(|name| self.columns.position(name)).collect();
        let columns = columns.filter(|all| all.iter().all(|&column| self.was_read(column)))?;
        Some(Schema::of_columns(self.names(), &columns))
    }

    /// The columns as they were read.
    pub fn raw_columns(&self) -> &[Option<Column>] {
        self.columns.as_read()
    }

    /// Was this column read?
    pub fn was_read(&self, column: usize) -> bool {
        self.columns.get(column).is_some()
    }

    /// How many records the file has; of counted cells, how many of these.
    pub fn records_read(&self) -> usize {
        self.columns.records()
    }

    /// How many records each line is, in a table of counted cells.
    pub fn counts(&self) -> Option<&[u32]> {
        self.counts.as_deref()
    }

    /// The column that names the records, if there is one.
    pub fn id_column(&self) -> Option<&Column> {
        self.columns.id_column()
    }

    /// The variables that represent columns of these names, which are known to be there.
    pub fn variables(&self, scope: &Scope, names: &[String]) -> VarSet {
        names.iter().map(|name| self.variable_and_column(scope, name).0).collect()
    }

    /// The variable and the column of a name that is known to be there and to take part.
    pub fn variable_and_column(&self, scope: &Scope, name: &str) -> (usize, &Column) {
        let column = self.columns.position(name).expect("the name was looked up");
        let variable = scope.schema().variable_of(column).expect("the column takes part");
        (variable, self.columns.get(column).expect("a column that takes part was read"))
    }

    /// The same columns in the places that another file gives them, by name; the name of a
    /// column that one file has read and the other does not, otherwise.
    pub fn in_the_order_of(self, other: &Self) -> Result<Self, String> {
        let columns = self.columns.in_the_order_of(&other.columns)?;
        let household = other.household;
        Ok(Self { columns, household, derived: Arc::clone(&other.derived), ..self })
    }

    /// The same with its derived variables worked out again from its own columns.
    pub fn derived_again(self) -> Result<Self, Diagnostic> {
        let Self { derived, columns, households, file, format, path, .. } = &self;
        let place = (&**path, file.as_ref());
        let columns = work_out(derived, columns.clone(), households.as_deref(), place, *format)?;
        Ok(Self { columns, ..self })
    }

    /// For looking many records up.
    pub fn finder(&self) -> Finder<'_> {
        let ids = self.id_column();
        let mut places = Vec::new();
        if let Some(ids) = ids {
            places = vec![Place::Nowhere; ids.dictionary().levels()];
            ids.for_each_code(|record, code| {
                let place = &mut places[code as usize];
                *place = match *place {
                    Place::Nowhere => Place::Once(record),
                    Place::Once(_) => Place::Often(2),
                    Place::Often(times) => Place::Often(times + 1),
                };
            });
        }
        Finder { loaded: self, places }
    }

    /// The records, packed for the scope of tables in this file.
    pub fn records(&self, scope: &Scope, run: &mut Run<'_>) -> Records {
        self.encode(scope.schema(), run)
    }

    /// The lines of a table of households, packed: what holds of them holds of
    /// the households.
    pub fn lines(&self, scope: &Scope) -> Records {
        Records::of(scope.schema(), &self.columns)
    }

    /// The records, packed without any table in mind.
    pub fn plain_records(&self, run: &mut Run<'_>) -> Records {
        self.encode(&Schema::new(self.names(), self.columns.roles(), &BTreeSet::new()), run)
    }

    fn encode(&self, schema: &Schema, run: &mut Run<'_>) -> Records {
        let records = Records::of(schema, &self.columns);
        self.note_ids(schema, &records, run);
        records
    }

    /// The columns by name, as far as they were read.
    pub fn columns(&self) -> impl Iterator<Item = (&str, Role, &Column)> {
        self.columns.iter()
    }

    /// The record that a user names: by number from 1, or by its value in the id column.
    pub fn find(&self, text: &str) -> Result<RecordId, Diagnostic> {
        self.finder().find(text)
    }

    fn note_ids(&self, schema: &Schema, records: &Records, run: &mut Run<'_>) {
        const NAMED: usize = 5;
        let found = ids(schema, records, self);
        let (staying, exchanged): (Vec<&Variable>, Vec<&Variable>) =
            found.iter().map(|&id| &schema.variables()[id]).partition(|variable| variable.stays);
        if !exchanged.is_empty() {
            let names: Vec<String> =
                exchanged.iter().take(NAMED).map(|variable| variable.name.clone()).collect();
            let more = (exchanged.len() - names.len()) as u64;
            run.note(Note::IdsAmongVariables { names, more });
        }
        // That no two households are alike is no sign of an id.
        let staying = if self.is_of_households() { Vec::new() } else { staying };
        for variable in staying {
            let columns = variable.columns.iter().map(|&column| self.names()[column].clone());
            run.note(Note::IdStays { columns: columns.collect() });
        }
    }
}

/// Where a value of the id column is.
#[derive(Clone, Copy)]
enum Place {
    Nowhere,
    Once(usize),
    Often(usize),
}

/// Finds records by what a user calls them.
pub struct Finder<'a> {
    loaded: &'a Loaded,
    places: Vec<Place>,
}

impl Finder<'_> {
    /// The record of this number from 1, or with this value in the id column.
    pub fn find(&self, text: &str) -> Result<RecordId, Diagnostic> {
        let refuse = |detail: String, remedy: &str| {
            Diagnostic::new(Code::NoSuchRecord, detail, remedy).in_file(&self.loaded.path)
        };
        let Some((ids, column)) = self.loaded.id_column().zip(self.loaded.columns.id()) else {
            let records = self.loaded.records_read();
            return match text.parse::<usize>() {
                Ok(number) if (1..=records).contains(&number) => Ok(RecordId::at(number - 1)),
                Ok(_) => Err(refuse(
                    format!("the file has the records 1 to {}", grouped(records as u64)),
                    "give one of these numbers",
                )),
                Err(_) => Err(refuse(
                    "a record is named by its number from 1".to_owned(),
                    "give a number, or name the id column",
                )),
            };
        };
        let name = &self.loaded.names()[column];
        let refuse = |detail: String, remedy| refuse(detail, remedy).in_column(format!("`{name}`"));
        let place = ids.dictionary().find(text.as_bytes()).map(|code| self.places[code as usize]);
        match place {
            Some(Place::Once(record)) => Ok(RecordId::at(record)),
            Some(Place::Often(times)) => Err(refuse(
                format!("{} records have the given value there", grouped(times as u64)),
                "name the record by its number, without an id column",
            )),
            Some(Place::Nowhere) | None => Err(refuse(
                "no record has the given value there".to_owned(),
                "write it as in the file",
            )),
        }
    }
}

/// The variables in which nearly every record has a value of its own; several that stay may be one
/// together. A
/// column from which a derived variable follows is a number or a code, and no id.
pub fn ids(schema: &Schema, records: &Records, loaded: &Loaded) -> Vec<usize> {
    let sources = loaded.derived.sources();
    let variables = schema.variables();
    let counted = |counts: &[u32]| counts.iter().map(|&count| count as usize).sum();
    let people = loaded.counts().map_or(records.len(), counted);
    let used = variables.iter().fold(schema.derived(), |all, variable| all | variable.follows);
    (0..variables.len())
        .filter(|&variable| nearly_all_differ(records.levels()[variable], people))
        .filter(|&variable| !used.contains(variable))
        .filter(|&variable| !variables[variable].columns.iter().any(|one| sources.contains(one)))
        .collect()
}

/// The minimal separators of a scope's graph.
pub fn separators(scope: &Scope, limit: usize) -> Separators {
    minimal_separators(&scope.class().margin_graph(), limit)
}

/// Notes that the separators are too many to list.
pub fn note_many(separators: &Separators, run: &mut Run<'_>) {
    if !separators.is_complete() {
        run.note(Note::ManySeparators { listed: separators.list().len() as u64 });
    }
}
