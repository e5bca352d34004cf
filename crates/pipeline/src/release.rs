//! From a plan to the released file, complete and not yet named.
//!
//! `apply` and `protect` release the same bytes for the same plan. The input is read again through
//! the handle that it was first read with, and must have the same sum. For a data frame, the same
//! is said as row numbers: every released value is one that some record has in the same column, so
//! a door that gathers them ([`Takes`]) keeps types, categories and missing values as they are.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::codes;
use crate::refusal::Code;
use marginswap_core::columns::Role;
use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::plan::{HiddenPeople, Plan};
use marginswap_core::random::{Random, Seed};
use marginswap_core::swap;
use marginswap_core::verify::Link;
use marginswap_io::{
    Compression, ENDINGS, FileDigest, Finished, Format, Hashed, InputFile, Overwrite, PlanFile,
    ReadOptions, ReleaseOptions, Renamed, Secrecy, Staged, digest_file, is_temporary, read_plan,
    rewrite_held, rewrite_same,
};

use crate::compare::Comparison;
use crate::input::Given;
use crate::notes::{Note, Run};
use crate::pattern::Pattern;
use crate::project::{Project, ReleaseOrder};
use crate::study::Study;
use crate::view::View;

/// What is done to the records, and behind it to the lines of households.
#[derive(Debug, Clone, Copy)]
pub struct Steps<'a> {
    /// The swaps and groups of records.
    pub plan: &'a Plan,
    /// Where these are households, the swaps and groups of single lines that follow.
    pub then: Option<&'a Plan>,
    /// Who is hidden by them, where that was counted already.
    pub hidden: Option<&'a HiddenPeople>,
}

impl<'a> Steps<'a> {
    /// The steps of a plan file.
    #[must_use]
    pub fn of(file: &'a PlanFile) -> Self {
        let then = file.then.as_ref().map(|then| &then.plan);
        Self { plan: &file.plan, then, hidden: None }
    }
}

/// The number of the random stream that orders the released records.
const SHUFFLE_STREAM: u64 = 1;

/// The order in which the records are released.
fn shuffled_order(seed: Seed, records: usize) -> Vec<u32> {
    let records = u32::try_from(records).expect("a file has fewer than 2^32 records");
    let mut order: Vec<u32> = (0..records).collect();
    Random::new(seed, SHUFFLE_STREAM).shuffle(&mut order);
    order
}

/// The last records of that order, from the last one on.
pub(crate) fn last_of_order(seed: Seed, records: usize, places: usize) -> Vec<usize> {
    Random::new(seed, SHUFFLE_STREAM).last_of_shuffled(records, places)
}

/// Where each record is in a file that was shuffled with this seed.
pub(crate) fn shuffled_link(seed: Seed, records: usize) -> Link {
    let order = shuffled_order(seed, records);
    let mut place = vec![0u32; order.len()];
    for (position, &record) in (0u32..).zip(&order) {
        place[record as usize] = position;
    }
    Link::ByMap(place)
}

/// A released file that is written and not yet on disk, with that of its households.
pub(crate) struct Written {
    pub persons: Staged,
    /// The sum of what was written, where that is to be compared with what is read back.
    pub sum: Option<FileDigest>,
    pub households: Option<Finished>,
    /// The order of the records, or of the lines of households.
    pub order: Option<Vec<u32>>,
}

/// Writes the file that a plan makes in this order, and that of its households.
///
/// # Errors
/// When the input has changed or a file cannot be written.
pub(crate) fn write(
    study: &Study,
    steps: Steps<'_>,
    to: (&Path, Overwrite),
    order: Option<Vec<u32>>,
) -> Result<Written, Diagnostic> {
    let (units, loaded) = (&study.units, &study.units.loaded);
    let drop = dropped(study.people())?;
    let second = loaded.household_file();
    // The order of households is asked for again, that of lines is handed on.
    let kept = if second.is_some() { order.clone() } else { None };
    let mut how = ReleaseOptions {
        drop: second.map_or_else(|| drop.clone(), |second| second.of_persons(&drop)),
        then: steps.then.cloned(),
        packing: Compression::for_target(to.0),
        ..in_order(units, order)
    };
    let file = loaded.file().expect("data without a file are released by their door");
    let Some(second) = second else {
        let (persons, sum) = write_one(units, to, (file, loaded.digest()), (steps.plan, &how))?;
        return Ok(Written { persons, sum, households: None, order: how.order.take() });
    };
    let plan = second.plan_of_persons(steps.plan);
    let (persons, of_persons) = write_one(units, to, (file, &second.persons), (&plan, &how))?;
    let target = units.project.release.households.as_deref();
    let target = target.expect("two files are read and two are named");
    let (own, digest, format) = second.input();
    check_ending(target, format)?;
    let how_households = ReleaseOptions {
        packing: Compression::for_target(target),
        ..second.release(kept.as_deref(), renames(units), &drop)
    };
    let plan = second.plan_of_households(steps.plan);
    let (households, of_households) =
        write_one(units, (target, to.1), (own, digest), (&plan, &how_households))?;
    let households = households.finish()?;
    // The sum of two files together is none of either.
    for (path, sum) in [(persons.path(), of_persons), (households.path(), of_households)] {
        if sum.is_some() {
            check_bytes(sum.as_ref(), &digest_file(path)?, to.0)?;
        }
    }
    let (sum, households) = (None, Some(households));
    Ok(Written { persons, sum, households, order: how.order.take() })
}

/// Writes one file. Of a Parquet file not every page is unpacked when it is read back, so the sum
/// of what is written is taken.
fn write_one(
    view: &View,
    (target, overwrite): (&Path, Overwrite),
    (input, digest): (&InputFile, &FileDigest),
    (plan, how): (&Plan, &ReleaseOptions),
) -> Result<(Staged, Option<FileDigest>), Diagnostic> {
    let options = ReadOptions { delimiter: view.project.delimiter };
    let variables = variables_of_columns(view);
    let held = view.loaded.held(&view.records, &variables);
    let mut staged = Staged::create(target, overwrite, Secrecy::Plain)?;
    let fill = |out: &mut (dyn Write + Send)| match &held {
        Some(held) => rewrite_held(input, digest, &options, plan, (how, held), out),
        None => rewrite_same(input, digest, &options, plan, how, out),
    };
    let mut sum = None;
    staged.fill(|out| match view.loaded.format() {
        Format::Parquet | Format::Stata | Format::Spss | Format::SasTransport => {
            let mut out = Hashed::new(out);
            let filled = fill(&mut out);
            sum = Some(out.digest());
            filled
        }
        _ => fill(out),
    })?;
    staged.flush().map_err(|error| {
        Diagnostic::new(Code::Unwritable, marginswap_io::said(&error), "make room on the disk")
            .in_file(target)
    })?;
    Ok((staged, sum))
}

/// Where the values of a released column come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Takes {
    /// The position of the column among those of the original.
    pub column: usize,
    /// For each released record, the original record whose value it has; columns in which nothing
    /// is exchanged share one list.
    pub from: Arc<[u32]>,
}

/// The released columns, in the order of the original.
pub(crate) fn takes(
    study: &Study,
    steps: Steps<'_>,
    order: Option<Vec<u32>>,
) -> Result<Vec<Takes>, Diagnostic> {
    let drop = dropped(study.people())?;
    let how = in_order(&study.units, order);
    let lines = study.people().loaded.records_read();
    let lines_in_order: Arc<[u32]> =
        how.order.as_deref().map_or_else(|| (0..).take(lines).collect(), Into::into);
    let exchanged = taken_by_lines(steps, &how, study.units.loaded.own_names().len());
    let released = exchanged.into_iter().enumerate().filter(|(column, _)| !drop.contains(column));
    let takes = released.map(|(column, exchanged)| Takes {
        column,
        from: match exchanged.is_empty() {
            true => Arc::clone(&lines_in_order),
            false => taken(&lines_in_order, &exchanged),
        },
    });
    Ok(takes.collect())
}

/// What the steps of a plan do to each column: this line takes the value of that one.
pub(crate) fn exchanged(study: &Study, steps: Steps<'_>) -> Vec<Vec<(usize, usize)>> {
    taken_by_lines(steps, &in_order(&study.units, None), study.units.loaded.own_names().len())
}

/// The same, where households are renamed too. All members of a household take what the first member
/// of another has.
fn taken_by_lines(
    steps: Steps<'_>,
    how: &ReleaseOptions,
    columns: usize,
) -> Vec<Vec<(usize, usize)>> {
    let mut exchanged = swap::takes(steps.plan, columns);
    if let Some(households) = &how.households {
        let members = |household: usize, other: usize| {
            let from = households.first(other);
            households.members(household).iter().map(move |&line| (line as usize, from))
        };
        let lines = |all: &mut Vec<(usize, usize)>| {
            *all = all.iter().flat_map(|&(household, other)| members(household, other)).collect();
        };
        exchanged.iter_mut().for_each(lines);
        if let Some(Renamed { column, from }) = &how.renamed {
            let named = from.iter().enumerate();
            exchanged[*column] =
                named.flat_map(|(household, &other)| members(household, other as usize)).collect();
        }
    }
    if let Some(then) = steps.then {
        for (all, more) in exchanged.iter_mut().zip(swap::takes(then, columns)) {
            all.extend(more);
        }
    }
    exchanged
}

/// The records in an order, where some have the value of another.
fn taken(order: &[u32], exchanged: &[(usize, usize)]) -> Arc<[u32]> {
    let number = |record: usize| u32::try_from(record).expect("records have numbers of 32 bits");
    let mut from: Vec<u32> = (0..number(order.len())).collect();
    for &(record, other) in exchanged {
        from[record] = number(other);
    }
    order.iter().map(|&record| from[record as usize]).collect()
}

/// For each column the variable of the packed records that has its codes.
fn variables_of_columns(view: &View) -> Vec<Option<usize>> {
    let schema = view.scope.schema();
    let alone = |variable: &usize| schema.variables()[*variable].columns.len() == 1;
    let columns = 0..view.loaded.own_names().len();
    columns.map(|column| schema.variable_of(column).filter(alone)).collect()
}

/// Refuses a file of which other bytes are read than were written, where their sum was taken.
pub(crate) fn check_bytes(
    written: Option<&FileDigest>,
    read: &FileDigest,
    target: &Path,
) -> Result<(), Diagnostic> {
    if written.is_none_or(|written| written == read) {
        return Ok(());
    }
    let detail = "the bytes that were read back are not those that were written";
    let remedy = "nothing is released; check the disk";
    Err(Diagnostic::new(Code::NotKept, detail, remedy).in_file(target))
}

/// Refuses a release that does not keep what it must.
pub(crate) fn check_kept(comparison: &Comparison) -> Result<(), Diagnostic> {
    let detail = match (comparison.is_exact(), comparison.drifts_too_far()) {
        (false, _) => "the recount of the written file finds a kept table changed",
        (_, true) => "the recount of the written file finds a weighted count beyond its bound",
        (true, false) => return Ok(()),
    };
    let remedy = "nothing is released; please report this";
    Err(Diagnostic::new(Code::NotKept, detail, remedy).in_file(&comparison.released.0))
}

/// The order of the released records, where it is not that of the input.
pub(crate) fn released_order(
    of: ReleaseOrder,
    seed: Option<Seed>,
    records: usize,
) -> Option<Vec<u32>> {
    let seed = seed.filter(|_| of == ReleaseOrder::Random)?;
    Some(shuffled_order(seed, records))
}

/// The lines of the released file in the order of its records. Households are released with
/// their members together; unless the id is released too, they get each other's names in the
/// order of the input, so that a name tells neither where a household was nor where it lives.
pub(crate) fn in_order(units: &View, order: Option<Vec<u32>>) -> ReleaseOptions {
    let loaded = &units.loaded;
    let Some(households) = loaded.households().filter(|_| loaded.is_of_households()) else {
        return ReleaseOptions { order, ..ReleaseOptions::default() };
    };
    let lines = order.as_ref().map(|order| {
        order.iter().flat_map(|&one| households.members(one as usize)).copied().collect()
    });
    let renamed = order.filter(|_| renames(units)).map(|order| {
        let mut from = vec![0; order.len()];
        for (place, household) in (0u32..).zip(order) {
            from[household as usize] = place;
        }
        Renamed { column: loaded.household().expect("a column names the households"), from }
    });
    ReleaseOptions {
        order: lines,
        households: Some(Arc::clone(households)),
        renamed,
        ..ReleaseOptions::default()
    }
}

/// Do households get each other's names?
fn renames(units: &View) -> bool {
    units.project.release.release_id != Some(true)
}

/// Refuses a household file that is read and not written, or the contrary; and one next to a data
/// frame, which is no file.
///
/// # Errors
/// [`Code::MissingSetting`], [`Code::OptionsClash`].
pub(crate) fn check_parts(project: &Project) -> Result<(), Diagnostic> {
    if project.frame.is_some() && project.unit.file.is_some() {
        return Err(Diagnostic::new(
            Code::OptionsClash,
            "a household file goes with a file of persons, and the persons are a data frame",
            "join the households to the data frame, or give the persons as a file",
        )
        .about("unit.file"));
    }
    let (detail, remedy, about) = match (&project.unit.file, &project.release.households) {
        (Some(_), None) => (
            "a household file is read, and no released one is named",
            "name the released household file too: both files are released together",
            "release.households",
        ),
        (None, Some(_)) => (
            "a released household file is named, and no household file is read",
            "name the household file, or leave out the released one",
            "unit.file",
        ),
        _ => return Ok(()),
    };
    Err(Diagnostic::new(Code::MissingSetting, detail, remedy).about(about))
}

/// The positions of the columns that are not released.
pub(crate) fn dropped(people: &View) -> Result<Vec<usize>, Diagnostic> {
    let mut drop = Vec::new();
    for name in &people.project.dropped() {
        let column = people.loaded.position(name)?;
        if people.loaded.household() == Some(column) {
            return Err(Diagnostic::new(
                Code::TwoRoles,
                format!("`drop` names `{name}`, which keeps the members of households together"),
                "release it; households get new names unless the id is released",
            )
            .about(format!("release.drop={name}")));
        }
        if people.scope.schema().variable_of(column).is_some() {
            return Err(Diagnostic::new(
                Code::TwoRoles,
                format!("`drop` names `{name}`, which takes part in swapping"),
                "drop only the id and ignored columns",
            )
            .about(format!("release.drop={name}")));
        }
        drop.push(column);
    }
    Ok(drop)
}

/// Refuses the order of the input where it gives swaps away: where the neighbours of a record
/// tell what a column that may be exchanged should hold.
pub(crate) fn refuse_order(study: &Study) -> Result<(), Diagnostic> {
    let of_units = study.units.loaded.columns().filter(|(_, role, _)| *role == Role::Variable);
    let of_units = of_units.map(|(name, _, column)| (name, column));
    // In the order of the input, persons are neighbours too.
    let lines = &study.people().loaded;
    let of_persons = study.then().iter().filter_map(|&column| {
        Some((lines.names()[column].as_str(), lines.raw_columns()[column].as_ref()?))
    });
    for (name, column) in of_units.chain(of_persons) {
        let Some(pattern) = Pattern::of(column) else { continue };
        return Err(Diagnostic::new(
            Code::OrderGivesAway,
            format!("`{name}` {pattern}: an exchanged value is visible among its neighbours"),
            "release the records in random order, or do not sort the file by an exchanged column",
        )
        .in_file(lines.path())
        .about("release.order=input"));
    }
    Ok(())
}

/// Endings of formats in which no data are written.
const OTHER_FORMATS: &[&str] = &[
    "xlsx", "xls", "xlsm", "ods", "por", "sas7bdat", "rds", "rda", "rdata", "feather", "arrow",
    "json", "html", "htm", "pdf", "docx", "svg", "zip", "plan", "toml",
];

/// A page or a picture is of one format: refuses a name with the ending of another one.
///
/// # Errors
/// [`Code::OptionsClash`].
pub fn check_page_ending(target: &Path, what: &str, endings: &[&str]) -> Result<(), Diagnostic> {
    let ending = target.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let is = |known: &&str| ending.eq_ignore_ascii_case(known);
    let known = ["csv", "txt", "md", "png", "jpg", "jpeg", "eps", "ps", "parquet"];
    if endings.iter().any(is) || !known.iter().chain(OTHER_FORMATS).any(is) {
        return Ok(());
    }
    Err(Diagnostic::new(
        Code::OptionsClash,
        format!("{what}, but its name ends in `.{ending}`"),
        format!("choose a name that ends in `.{}`", endings[0]),
    )
    .in_file(target))
}

/// The released file is of the data's format: refuses a name that says otherwise.
///
/// # Errors
/// [`Code::OptionsClash`].
pub fn check_ending(target: &Path, format: Format) -> Result<(), Diagnostic> {
    let ending = target.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let is = |known: &&str| ending.eq_ignore_ascii_case(known);
    let known = ENDINGS.iter().chain(OTHER_FORMATS);
    if format.endings().is_empty()
        || format.endings().iter().any(is)
        || !known.copied().any(|one| is(&one))
    {
        return Ok(());
    }
    let endings = match format {
        Format::Csv { .. } => "`.csv` or `.csv.gz`".to_owned(),
        format => format!("`.{}`", format.endings()[0]),
    };
    let format = format.name();
    Err(Diagnostic::new(
        Code::OptionsClash,
        format!("the released file is {format} like the data, but its name ends in `.{ending}`"),
        format!("choose a name that ends in {endings}, or convert the data first"),
    )
    .in_file(target))
}

/// A file that was written here and cannot be read back is our fault, not the user's.
pub(crate) fn as_bug(error: Diagnostic) -> Diagnostic {
    // An id that is released and names two records was so in the original.
    if error.code == Code::NotLinked {
        return error;
    }
    Diagnostic::new(
        Code::NotKept,
        format!("the written file cannot be read back: {}", codes::entry(error.code).title),
        "nothing is released; please report this",
    )
}

/// Tells of plans for the same input in the folder of a file: two releases of one input differ
/// exactly at their swaps.
pub fn note_other_plans(beside: &Path, plan: &PlanFile, own: Option<&Path>, run: &mut Run<'_>) {
    for path in other_plans(beside, &plan.header.input_sha256, own) {
        run.note(Note::AnotherPlan { path });
    }
}

/// Plans for the same input in the folder of a file.
fn other_plans(beside: &Path, input_sha256: &str, own: Option<&Path>) -> Vec<PathBuf> {
    let name = |path: Option<&Path>| path.and_then(Path::file_name).map(ToOwned::to_owned);
    let mut found = files_beside(beside);
    found.retain(|path| {
        path.extension().is_some_and(|ending| ending == "plan")
            && name(Some(path)) != name(own)
            && read_plan(path).is_ok_and(|plan| plan.header.input_sha256 == input_sha256)
    });
    found
}

/// Tells of files beside a released CSV file that look like another release of its input: the
/// same names, and as many bytes. Exchanged values change places, so releases of one file are
/// equally long.
pub fn note_other_releases(comparison: &Comparison, run: &mut Run<'_>) {
    let released = &comparison.released.0;
    let original = comparison.original.units.loaded.path();
    let length =
        |path: &Path| fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|of| of.len());
    let same =
        |path: &Path, other: &Path| fs::canonicalize(path).ok() == fs::canonicalize(other).ok();
    let Some((own, head)) = length(released).zip(first_line(released)) else { return };
    for path in files_beside(released) {
        if length(&path) == Some(own)
            && !same(&path, released)
            && !same(&path, original)
            && first_line(&path).as_ref() == Some(&head)
        {
            run.note(Note::AnotherRelease { path });
        }
    }
}

/// The files in the folder of a file, by name; none that a run has only for a while.
fn files_beside(file: &Path) -> Vec<PathBuf> {
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = files.map(|entry| entry.path());
    let mut found: Vec<PathBuf> = paths.filter(|path| !is_temporary(path)).collect();
    found.sort();
    found
}

/// The first line of a text file; none of a file that does not begin with one.
fn first_line(path: &Path) -> Option<Vec<u8>> {
    const LONGEST: u64 = 1 << 20;
    let mut line = Vec::new();
    let mut file = BufReader::new(fs::File::open(path).ok()?).take(LONGEST);
    file.read_until(b'\n', &mut line).ok()?;
    (line.last() == Some(&b'\n')).then_some(line)
}

/// The plans for an original that were made with a demo seed: the one that its project names,
/// and those beside it and beside a released file.
#[must_use]
pub fn demo_plans(units: &View, released: Given<'_>) -> Vec<PlanFile> {
    let View { project, loaded, .. } = units;
    let sha256 = &loaded.digest().sha256;
    let named = project.release.plan.iter().cloned();
    // A data frame lies in no folder.
    let released = match released {
        Given::File(path) | Given::Files { persons: path, .. } => Some(path),
        Given::Frame(_) => None,
    };
    let original = loaded.file().map(|_| loaded.path());
    let beside = [released, original].into_iter().flatten();
    let beside = beside.flat_map(|file| other_plans(file, sha256, None));
    let mut paths: Vec<PathBuf> = named.chain(beside).collect();
    paths.sort();
    paths.dedup();
    let plans = paths.iter().filter_map(|path| read_plan(path).ok());
    plans.filter(|plan| plan.header.not_for_release).collect()
}

/// The plans beside a released file that were made for it, as if it were an original.
pub(crate) fn plans_for(released: Given<'_>, digest: &FileDigest) -> Vec<PlanFile> {
    let Given::File(path) = released else { return Vec::new() };
    let paths = other_plans(path, &digest.sha256, None);
    paths.iter().filter_map(|path| read_plan(path).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where the sum of what was written was taken, other bytes and another length are refused.
    #[test]
    fn other_bytes_than_were_written_are_refused() {
        let sum = |sha256: &str, bytes| FileDigest { sha256: sha256.into(), bytes };
        let (written, target) = (sum("ab", 7), Path::new("out.parquet"));
        assert!(check_bytes(None, &written, target).is_ok());
        assert!(check_bytes(Some(&written), &written, target).is_ok());
        for read in [sum("ac", 7), sum("ab", 8)] {
            let refusal = check_bytes(Some(&written), &read, target).unwrap_err();
            assert_eq!(refusal.code, Code::NotKept);
            assert_eq!(refusal.place.file.as_deref(), Some(target));
        }
    }
}
