//! Files drawn from all files with the same tables: from data, or from the published tables alone.
//!
//! ```text
//! data ─ cells ─┐
//!               ├─ Tables ─ draw ─ write ─ recount ─ publish
//! published ────┘
//! ```
//!
//! What is drawn follows from the tables and the seed, so a file, a data frame, counted cells and
//! published tables give the same records. Nothing else of the data comes past [`Tables`].
//!
//! Way in: [`from_data`], [`from_tables`].
//!
//! Law: `a-sample-is-the-same-from-every-source`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use marginswap_core::columns::{Column, Roles};
use marginswap_core::decimal::Decimal;
use marginswap_core::diagnostic::{Diagnostic, grouped};
use marginswap_core::encode::{Records, Schema};
use marginswap_core::graph::{Formula, GeneratingClass, JunctionTree, Reason, Scope};
use marginswap_core::random::Random;
use marginswap_core::sample::{
    CliqueTable, Contradiction, DrawnRecords, Tables, Terms, Wish, chordal_cover, gluing_tree,
    sample,
};
use marginswap_core::table::{JointTable, Located};
use marginswap_core::varset::VarSet;
use marginswap_io::{
    Compression, CsvColumn, Delimiter, Finished, Format, Overwrite, PublishedFile, PublishedFormat,
    PublishedOptions, ReadOptions, Secrecy, Source, Staged, publish_all, read_published, write_csv,
};
use marginswap_report::certificate::{Certificate, FixedBecause, FixedTable, SampleReport};
use rayon::prelude::*;

use crate::input::Ids;
use crate::mechanism::{certificate_of, named, not_glueable};
use crate::notes::{Phase, Run};
use crate::project::Project;
use crate::refusal::Code;
use crate::release::{as_bug, check_ending};
use crate::seed::SeedFrom;
use crate::study::read_scoped;

/// What is written.
#[derive(Debug, Clone)]
pub struct Draws {
    /// The file; with a number before its ending where there are several.
    pub out: PathBuf,
    /// How many files are drawn.
    pub count: usize,
    /// May files be replaced?
    pub overwrite: Overwrite,
}

/// What is done with tables that have no junction tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoTree {
    /// They are refused.
    Refuse,
    /// The cliques of a chordal cover are kept in their place.
    Cover,
}

/// Published tables as they are given.
#[derive(Debug, Clone, Default)]
pub struct PublishedTables {
    /// The files.
    pub files: Vec<PathBuf>,
    /// The column of numbers, where it has another name than its format gives it.
    pub count: Option<String>,
    /// Columns that are no variables.
    pub ignore: Vec<String>,
    /// Codes of totals.
    pub totals: Vec<String>,
}

/// Tables to draw from, with the words for what is drawn.
struct Origin {
    tables: Tables,
    /// The names of the variables.
    names: Vec<String>,
    /// The values of each variable, sorted: a code is a place among them.
    values: Vec<Vec<Vec<u8>>>,
    /// The variables that are released, in the order of the columns.
    released: Vec<usize>,
    delimiter: Delimiter,
    certificate: Certificate,
}

/// DrawnRecords files, complete and not yet named.
pub struct Sampled {
    /// The answer.
    pub report: SampleReport,
    files: Vec<Finished>,
}

impl Sampled {
    /// Gives all files their names, or none.
    ///
    /// # Errors
    /// When a name cannot be given.
    pub fn publish(self) -> Result<SampleReport, Diagnostic> {
        publish_all(self.files)?;
        Ok(self.report)
    }
}

impl Draws {
    /// The files that are written.
    #[must_use]
    pub fn paths(&self) -> Vec<PathBuf> {
        if self.count == 1 {
            return vec![self.out.clone()];
        }
        let name = self
            .out
            .file_name()
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        // The ending of a packed file has two parts.
        let packed = ["csv.gz", "tsv.gz", "txt.gz"];
        let known = packed.iter().find_map(|ending| {
            name.strip_suffix(&format!(".{ending}")).map(|stem| (stem, *ending))
        });
        let (stem, ending) = known.or_else(|| name.rsplit_once('.')).unwrap_or((&name, ""));
        let dot = if ending.is_empty() { "" } else { "." };
        (1..=self.count)
            .map(|number| self.out.with_file_name(format!("{stem}-{number}{dot}{ending}")))
            .collect()
    }
}

/// Draws files with the kept tables of a project's data.
///
/// # Errors
/// When the data cannot be read, no table is kept, the tables have no tree, or a file cannot be
/// written.
pub fn from_data(
    project: &Project,
    no_tree: NoTree,
    seed: &SeedFrom,
    draws: &Draws,
    run: &mut Run<'_>,
) -> Result<Sampled, Diagnostic> {
    run.expect_steps(4);
    if project.unit.household.is_some() {
        return Err(Diagnostic::new(
            Code::OptionsClash,
            "a sample is of records, and a household column is named",
            "draw whole households by the mechanism `glue` with an ε of 0, which has the same law",
        )
        .about("unit.household"));
    }
    if project.keep.is_empty() {
        return Err(Diagnostic::new(
            Code::MissingSetting,
            "no table to keep is named, so there is nothing to draw from",
            "name at least one",
        )
        .about("keep.tables"));
    }
    let (_, loaded, scope) = read_scoped(project, Ids::PassedOver, run)?;
    run.begin(Phase::Counting)?;
    let (class, released) = released_class(&scope);
    let records = loaded.lines(&scope);
    let located = match loaded.counts() {
        Some(counts) => Located::counted(&records, counts.to_vec()),
        None => Located::count(&records),
    };
    let (tree, kept) = tree_of(&class, records.levels(), no_tree)
        .ok_or_else(|| not_glueable(&scope).in_file(loaded.path()))?;
    let variables = scope.schema().variables();
    let mut values = Vec::new();
    let mut codes = Vec::new();
    for variable in variables {
        let column = match variable.columns[..] {
            [only] => loaded.raw_columns()[only].as_ref(),
            _ => None,
        };
        let (sorted, code) = column.map(sorted_values).unwrap_or_default();
        values.push(sorted);
        codes.push(code);
    }
    let tables = Tables::count(tree.clone(), located.table(), &codes);
    let terms = Terms::new(&tree, &tables.sizes(), Wish::Uniform);
    let mut certificate = certificate_of(&scope, &tree, &terms, u64::from(tables.records()), seed);
    let own: VarSet = released.iter().copied().collect();
    certificate.not_released = (0..variables.len())
        .filter(|&one| variables[one].follows.is_empty() && !own.contains(one))
        .map(|one| variables[one].name.clone())
        .collect();
    let left_out: BTreeSet<&String> = certificate.not_released.iter().collect();
    certificate.fixed_too.retain(|fixed| !fixed.table.iter().any(|name| left_out.contains(name)));
    if no_tree == NoTree::Cover {
        certificate.fixed_too.extend(added(&class, &kept).map(|clique| FixedTable {
            table: named(&scope, clique),
            because: FixedBecause::Cover,
        }));
    }
    let delimiter = match loaded.format() {
        Format::Csv { delimiter, .. } => delimiter,
        _ => Delimiter::COMMA,
    };
    let names = variables.iter().map(|variable| variable.name.clone()).collect();
    // Only tables come past this place.
    drop((loaded, located, records));
    let from = Origin { tables, names, values, released, delimiter, certificate };
    draw_all(&from, seed, draws, run)
}

/// The class of the named tables alone, and the variables that are released: those of the tables,
/// and what their derived variables follow from.
fn released_class(scope: &Scope) -> (GeneratingClass, Vec<usize>) {
    let named = scope.tables().iter().filter(|table| table.reason == Reason::Named);
    let mut taken = named.fold(VarSet::EMPTY, |all, table| all | table.variables);
    for (derived, follows) in scope.schema().derived_from() {
        if taken.contains(derived) {
            taken |= follows;
        }
    }
    let margins = scope.class().margins().iter().map(|margin| *margin & taken);
    let class = GeneratingClass::new(taken, margins.filter(|margin| !margin.is_empty()));
    let own = scope.schema().own();
    let released = taken.iter().filter(|&one| own.contains(one)).collect();
    (class, released)
}

/// The tree of a class, or of its cover, with the class that it is of.
fn tree_of(
    class: &GeneratingClass,
    levels: &[usize],
    no_tree: NoTree,
) -> Option<(JunctionTree, GeneratingClass)> {
    match (gluing_tree(class), no_tree) {
        (Some(tree), _) => Some((tree, class.clone())),
        (None, NoTree::Refuse) => None,
        (None, NoTree::Cover) => {
            let cover = chordal_cover(class, levels);
            gluing_tree(&cover).map(|tree| (tree, cover))
        }
    }
}

/// The tables of a cover that the class does not have.
fn added<'c>(
    class: &'c GeneratingClass,
    cover: &'c GeneratingClass,
) -> impl Iterator<Item = VarSet> + 'c {
    let known = |clique: &VarSet| class.margins().iter().any(|margin| clique.is_subset(margin));
    cover.margins().iter().copied().filter(move |clique| !known(clique))
}

/// The values of a column, sorted, and for each code its place among them. A null and an empty field
/// are one value: a CSV file cannot tell them apart.
fn sorted_values(column: &Column) -> (Vec<Vec<u8>>, Vec<u32>) {
    let dictionary = column.dictionary();
    let levels = u32::try_from(dictionary.levels()).expect("codes have 32 bits");
    let value = |code: u32| dictionary.category(code).unwrap_or_default();
    let mut sorted: Vec<&[u8]> = (0..levels).map(value).collect();
    sorted.sort_unstable();
    sorted.dedup();
    let place = |code: u32| {
        let found = sorted.binary_search(&value(code)).expect("every value is among them");
        u32::try_from(found).expect("codes have 32 bits")
    };
    let codes = (0..levels).map(place).collect();
    (sorted.into_iter().map(<[u8]>::to_vec).collect(), codes)
}

/// Draws files from published tables alone.
///
/// # Errors
/// When a table cannot be read or has a cell without a whole number, tables contradict each other or
/// have no tree, or a file cannot be written.
pub fn from_tables(
    published: &PublishedTables,
    seed: &SeedFrom,
    draws: &Draws,
    run: &mut Run<'_>,
) -> Result<Sampled, Diagnostic> {
    run.expect_steps(4);
    run.begin(Phase::Reading)?;
    let given: Vec<Given> = published
        .files
        .par_iter()
        .map(|file| Given::read(file, published))
        .collect::<Result<_, _>>()?;
    run.begin(Phase::Counting)?;
    let mut names: Vec<String> = Vec::new();
    for name in given.iter().flat_map(|table| table.columns.iter().map(|(name, _)| name)) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    let formulas: Vec<String> = given.iter().map(Given::formula).collect();
    let roles = Roles::all_variables(names.len());
    let scope = Scope::new(&names, &roles, &Formula::parse(&formulas)?)?;
    let values: Vec<Vec<Vec<u8>>> = names.iter().map(|name| values_of(name, &given)).collect();
    let Some(tree) = gluing_tree(scope.class()) else {
        return Err(not_glueable(&scope));
    };
    let place = |name: &String| names.iter().position(|other| other == name).expect("it is named");
    let tables: Vec<(VarSet, CliqueTable)> =
        given.iter().map(|table| table.counted(place, &values)).collect();
    let of_clique = |clique: &VarSet| tables.iter().position(|(own, _)| own == clique);
    let own: Vec<usize> = tree.cliques().iter().filter_map(of_clique).collect();
    assert_eq!(own.len(), tree.cliques().len(), "the cliques of a decomposable class are tables");
    // A table inside another one must be its sum.
    for (smaller, (inside, table)) in tables.iter().enumerate() {
        for &larger in own.iter().filter(|&&larger| larger != smaller) {
            let (outside, whole) = &tables[larger];
            if inside.is_subset(outside)
                && let Some((cell, counts)) = table.differs_from(&whole.on(*inside))
            {
                return Err(disagree(
                    (&given[smaller], &given[larger]),
                    (*inside, &cell),
                    counts,
                    &names,
                    &values,
                ));
            }
        }
    }
    let cliques: Vec<CliqueTable> = own.iter().map(|&one| tables[one].1.clone()).collect();
    let tables = Tables::new(tree.clone(), &cliques).map_err(|found: Contradiction| {
        let (left, right) = (&given[own[found.cliques.0]], &given[own[found.cliques.1]]);
        disagree((left, right), (found.shared, &found.cell), found.counts, &names, &values)
    })?;
    let terms = Terms::new(&tree, &tables.sizes(), Wish::Uniform);
    let certificate = certificate_of(&scope, &tree, &terms, u64::from(tables.records()), seed);
    let released = (0..names.len()).collect();
    let delimiter = Delimiter::COMMA;
    let from = Origin { tables, names, values, released, delimiter, certificate };
    draw_all(&from, seed, draws, run)
}

/// The refusal of two tables that disagree.
fn disagree(
    (left, right): (&Given, &Given),
    (shared, cell): (VarSet, &[u32]),
    counts: (u64, u64),
    names: &[String],
    values: &[Vec<Vec<u8>>],
) -> Diagnostic {
    let shared_names: Vec<&str> = shared.iter().map(|one| names[one].as_str()).collect();
    let sum = match shared_names[..] {
        [] => "in all".to_owned(),
        _ => format!("in one cell of {}", crate::settings::formula(&shared_names)),
    };
    let wanted: Vec<(&str, &[u8])> = shared_names
        .iter()
        .zip(shared.iter().zip(cell))
        .map(|(name, (one, &code))| (*name, &values[one][code as usize][..]))
        .collect();
    let mut refusal = Diagnostic::new(
        Code::TablesDisagree,
        format!(
            "{} counts {} records {sum}, and {} counts {}",
            right.file.display(),
            grouped(counts.1),
            left.file.display(),
            grouped(counts.0),
        ),
        "use tables that are exact and count the same people",
    )
    .in_file(&right.file);
    // The place is that of the first line of the cell.
    let line = (0..right.lines.len()).find(|&line| right.is_in(line, &wanted));
    if let Some(line) = line.filter(|_| !wanted.is_empty()) {
        refusal = right.read.at(right.lines[line].0, refusal);
    }
    refusal
}

/// A published table that was read.
struct Given {
    file: PathBuf,
    read: PublishedFile,
    /// Its variables, by name, with their place among the columns of the file.
    columns: Vec<(String, usize)>,
    /// The lines that count people, and how many.
    lines: Vec<(usize, u64)>,
}

impl Given {
    fn read(file: &Path, published: &PublishedTables) -> Result<Self, Diagnostic> {
        let options = PublishedOptions { count: published.count.clone(), suppressed: Vec::new() };
        let read = read_published(file, &options)?;
        let one_category = |column: &Column| column.dictionary().levels() < 2;
        let is_variable = |(name, column): &(String, Column)| {
            let describes = read.format != PublishedFormat::Tidy && one_category(column);
            !published.ignore.contains(name) && !describes
        };
        let columns: Vec<(String, usize)> = read
            .columns
            .iter()
            .enumerate()
            .filter(|(_, column)| is_variable(column))
            .map(|(place, (name, _))| (name.clone(), place))
            .collect();
        if columns.is_empty() {
            let detail = "no column of the table is a variable";
            let remedy = "give a table with a column for each variable and one of numbers";
            return Err(Diagnostic::new(Code::IncompleteTable, detail, remedy).in_file(file));
        }
        let mut table = Self { file: file.to_owned(), columns, lines: Vec::new(), read };
        let totals: Vec<&[u8]> = match (&published.totals[..], table.read.format) {
            ([], PublishedFormat::Sdmx) => vec![b"_T"],
            (totals, _) => totals.iter().map(|total| total.as_bytes()).collect(),
        };
        let mut seen: BTreeSet<Vec<u32>> = BTreeSet::new();
        for line in 0..table.read.numbers.len() {
            let cell: Vec<&[u8]> = table.cell(line).collect();
            if cell.iter().any(|value| totals.contains(value)) {
                continue;
            }
            let refuse = |code, detail, remedy| {
                table.read.at(line, Diagnostic::new(code, detail, remedy)).in_file(file)
            };
            let count = table.read.numbers[line].as_ref().and_then(whole).ok_or_else(|| {
                refuse(
                    Code::IncompleteTable,
                    "this cell has no whole number of records",
                    "give the table with every number, exact and not weighted",
                )
            })?;
            let codes = table.columns.iter().map(|(_, at)| table.read.columns[*at].1.code(line));
            if !seen.insert(codes.collect()) {
                return Err(refuse(
                    Code::RepeatedCell,
                    "this cell was on an earlier line already",
                    "ignore columns that are no variables, or name the codes of totals",
                ));
            }
            table.lines.push((line, count));
        }
        Ok(table)
    }

    /// The values of a line.
    fn cell(&self, line: usize) -> impl Iterator<Item = &[u8]> {
        let value = move |at: usize| {
            let column = &self.read.columns[at].1;
            column.dictionary().category(column.code(line)).expect("a published table has no nulls")
        };
        self.columns.iter().map(move |(_, at)| value(*at))
    }

    fn formula(&self) -> String {
        let names: Vec<&str> = self.columns.iter().map(|(name, _)| name.as_str()).collect();
        crate::settings::formula(&names)
    }

    /// Has a line that counts people these values?
    fn is_in(&self, line: usize, wanted: &[(&str, &[u8])]) -> bool {
        let own: Vec<(&str, &[u8])> = self
            .columns
            .iter()
            .map(|(name, _)| name.as_str())
            .zip(self.cell(self.lines[line].0))
            .collect();
        wanted.iter().all(|one| own.contains(one))
    }

    /// Its variables, and its counts by the codes of these values.
    fn counted(
        &self,
        place: impl Fn(&String) -> usize,
        values: &[Vec<Vec<u8>>],
    ) -> (VarSet, CliqueTable) {
        let mut places: Vec<(usize, usize)> = Vec::new();
        for (at, (name, _)) in self.columns.iter().enumerate() {
            places.push((place(name), at));
        }
        places.sort_unstable();
        let own: VarSet = places.iter().map(|(variable, _)| *variable).collect();
        let cells = self.lines.iter().filter(|(_, count)| *count > 0).map(|&(line, count)| {
            let cell: Vec<&[u8]> = self.cell(line).collect();
            let code = |&(variable, at): &(usize, usize)| {
                let of = |value: &Vec<u8>| value.as_slice().cmp(cell[at]);
                let found = values[variable].binary_search_by(of).expect("every value is listed");
                u32::try_from(found).expect("codes have 32 bits")
            };
            (places.iter().map(code).collect(), count)
        });
        (own, CliqueTable::new(own, cells.collect::<Vec<_>>()))
    }
}

/// A number without decimals.
fn whole(number: &Decimal) -> Option<u64> {
    number.to_string().parse().ok()
}

/// The values of a variable for which any table counts somebody, sorted.
fn values_of(name: &str, given: &[Given]) -> Vec<Vec<u8>> {
    let mut values: BTreeSet<Vec<u8>> = BTreeSet::new();
    for table in given {
        let Some(at) = table.columns.iter().position(|(other, _)| other == name) else { continue };
        for (line, _) in table.lines.iter().filter(|(_, count)| *count > 0) {
            let value = table.cell(*line).nth(at).expect("a line has every column");
            if !values.contains(value) {
                values.insert(value.to_vec());
            }
        }
    }
    values.into_iter().collect()
}

/// The stream that the seeds of several draws come from.
const DRAWS_STREAM: u64 = 9;

fn draw_all(
    from: &Origin,
    seed: &SeedFrom,
    draws: &Draws,
    run: &mut Run<'_>,
) -> Result<Sampled, Diagnostic> {
    let paths = draws.paths();
    for path in &paths {
        check_ending(
            path,
            Format::Csv { delimiter: from.delimiter, compression: Compression::Plain },
        )?;
    }
    let chosen = seed.choose(run)?;
    run.begin(Phase::Writing)?;
    let mut seeds = Random::new(chosen.seed, DRAWS_STREAM);
    let mut files: Vec<Finished> = chosen.new_file.into_iter().collect();
    for path in &paths {
        let drawn = sample(&from.tables, seeds.seed());
        files.push(from.write(&drawn, path, draws.overwrite)?);
    }
    let columns = from.released.iter().map(|&one| from.names[one].clone()).collect();
    let report = SampleReport {
        files: paths.iter().map(|path| path.display().to_string()).collect(),
        columns,
        tables_recounted: from.tables.tree().cliques().len() as u64,
        certificate: from.certificate.clone(),
    };
    Ok(Sampled { report, files })
}

impl Origin {
    /// Writes a drawn file, and counts the tables again from its bytes.
    fn write(
        &self,
        drawn: &DrawnRecords,
        path: &Path,
        overwrite: Overwrite,
    ) -> Result<Finished, Diagnostic> {
        let column = |&variable: &usize| CsvColumn {
            name: &self.names[variable],
            categories: self.values[variable].iter().map(Vec::as_slice).collect(),
            codes: drawn.codes(&self.tables, variable).expect("released variables are in a table"),
        };
        let columns: Vec<CsvColumn<'_>> = self.released.iter().map(column).collect();
        let mut staged = Staged::create(path, overwrite, Secrecy::Plain)?;
        let packing = Compression::for_target(path);
        staged.fill(|out| write_csv(&columns, self.delimiter, packing, out))?;
        drop(columns);
        let (finished, recounted) = staged.finish_while(|written| self.recount(written))?;
        recounted?;
        Ok(finished)
    }

    /// Counts the tables of a written file, as far as they are of its columns.
    fn recount(&self, written: &Path) -> Result<(), Diagnostic> {
        let options = ReadOptions { delimiter: Some(self.delimiter) };
        let source = Source::open(written, &options).map_err(as_bug)?.without_sum();
        let columns = source.columns().to_vec();
        let read = source.read(&vec![true; columns.len()]).map_err(as_bug)?;
        let all: BTreeSet<usize> = (0..columns.len()).collect();
        let records = Records::encode(&Schema::of_columns(&columns, &all), &read.columns);
        let joint = JointTable::count(&records);
        let mut place = vec![None; self.names.len()];
        for (at, &variable) in self.released.iter().enumerate() {
            place[variable] = Some(at);
        }
        let codes: Vec<Vec<u32>> = self
            .released
            .iter()
            .zip(&read.columns)
            .map(|(&variable, column)| {
                let (sorted, codes) = sorted_values(column.as_ref().expect("every column is read"));
                let of = |value: &Vec<u8>| self.values[variable].binary_search(value).ok();
                let known: Vec<Option<usize>> = sorted.iter().map(of).collect();
                let code = |code: u32| known[code as usize].and_then(|one| u32::try_from(one).ok());
                codes.into_iter().map(|one| code(one).unwrap_or(u32::MAX)).collect()
            })
            .collect();
        let layout = joint.cells().layout();
        for clique in self.tables.tree().cliques() {
            let own: VarSet = clique.iter().filter(|&one| place[one].is_some()).collect();
            let at: VarSet = own.iter().filter_map(|one| place[one]).collect();
            let on = joint.on(at);
            let cells = on.cells().iter().zip(on.counts()).map(|(cell, &count)| {
                let code = |at: usize| codes[at][layout.code(cell, at) as usize];
                (own.iter().filter_map(|one| place[one]).map(code).collect(), u64::from(count))
            });
            if CliqueTable::new(own, cells.collect::<Vec<_>>()) != self.tables.on(own) {
                return Err(Diagnostic::new(
                    Code::NotKept,
                    "the recount of the written file finds a kept table changed",
                    "nothing is released; please report this",
                )
                .in_file(written));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_draws_have_numbers_before_their_ending() {
        let names = |out: &str, count| {
            let draws = Draws { out: out.into(), count, overwrite: Overwrite::Refuse };
            draws.paths().iter().map(|path| path.display().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(names("a/draw.csv", 1), ["a/draw.csv"]);
        assert_eq!(names("a/draw.csv", 2), ["a/draw-1.csv", "a/draw-2.csv"]);
        assert_eq!(names("draw.csv.gz", 2), ["draw-1.csv.gz", "draw-2.csv.gz"]);
        assert_eq!(names("draw", 2), ["draw-1", "draw-2"]);
    }
}
