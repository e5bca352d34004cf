//! From a plan to the released file: written, read back, recounted, and only then named.
//!
//! `apply` and `protect` end here; both release the same bytes for the same plan.

use std::io::Write;
use std::path::Path;

use marginswap_core::diagnostic::{Code, Diagnostic};
use marginswap_core::encode::encode_both;
use marginswap_core::graph::Scope;
use marginswap_core::plan::Plan;
use marginswap_core::random::{Random, Seed};
use marginswap_core::varset::VarSet;
use marginswap_core::verify::{Certified, Checks, Link, Triples, Verification, certify};
use marginswap_io::{
    Compression, Finished, Format, Overwrite, ReadOptions, ReleaseOptions, Secrecy, Source, Staged,
    rewrite,
};

use crate::input::Loaded;
use crate::notes::{Note, Run};
use crate::prepare::named_tables;

/// A released file that is written, recounted and found to keep every table, and not yet
/// under its name.
pub struct Release {
    finished: Finished,
    certified: Certified,
}

/// What is released beside the swaps.
pub struct ReleaseAs<'a> {
    pub target: &'a Path,
    pub overwrite: Overwrite,
    pub shuffle: Option<Seed>,
    pub drop: &'a [String],
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

/// Where each record stands in a file of this order.
fn link_of(order: &[u32]) -> Link {
    let mut place = vec![0u32; order.len()];
    for (position, &record) in (0u32..).zip(order) {
        place[record as usize] = position;
    }
    Link::ByMap(place)
}

/// Where each record stands in a file that was shuffled with this seed.
pub fn shuffled_link(seed: Seed, records: usize) -> Link {
    link_of(&shuffled_order(seed, records))
}

/// Writes the file that a plan makes, reads it back and recounts every kept table.
pub fn release(
    loaded: &Loaded,
    scope: &Scope,
    keys: VarSet,
    path: &Path,
    options: ReadOptions,
    plan: &Plan,
    release: &ReleaseAs<'_>,
    run: &mut Run<'_>,
) -> Result<Release, Diagnostic> {
    let names = loaded.names();
    let drop: Vec<usize> =
        release.drop.iter().map(|name| loaded.position(name)).collect::<Result<_, _>>()?;
    for &column in &drop {
        if scope.schema().variable_of(column).is_some() {
            return Err(Diagnostic::new(
                Code::TwoRoles,
                format!("--drop names `{}`, which takes part in the swapping", names[column]),
                "only a column that had no part in the plan, left out by --id or --ignore, can be dropped",
            ));
        }
    }
    let order = release.shuffle.map(|seed| shuffled_order(seed, loaded.records_read()));
    note_the_ending(release.target, Source::open(path, &options)?.format(), run);
    let mut staged = Staged::create(release.target, release.overwrite, Secrecy::Plain)?;
    let packing = Compression::for_target(release.target);
    let how = ReleaseOptions { order: order.clone(), drop: drop.clone(), packing };
    staged.fill(|out| rewrite(path, &options, plan, &how, out))?;
    staged.flush().map_err(|error| {
        Diagnostic::new(Code::Unwritable, error.kind().to_string(), "see that the disk has room")
            .in_file(release.target)
    })?;
    let finished = staged.finish()?;

    // From here on only the bytes that were written count.
    let source = Source::open(finished.path(), &options).map_err(ours)?;
    let kept: Vec<usize> = (0..names.len()).filter(|column| !drop.contains(column)).collect();
    let wanted: Vec<bool> = kept.iter().map(|&column| loaded.was_read(column)).collect();
    let mut table = source.read(&wanted).map_err(ours)?;
    let mut columns: Vec<_> = (0..names.len()).map(|_| None).collect();
    for (&column, read) in kept.iter().zip(&mut table.columns) {
        columns[column] = read.take();
    }
    let (before, after) = encode_both(scope.schema(), loaded.raw_columns(), &columns);
    let link = match &order {
        None => Link::ByPosition,
        Some(order) => link_of(order),
    };
    let tables = named_tables(scope);
    let checks = Checks {
        tables: &tables,
        keys,
        scenarios: &[],
        link: Some(&link),
        compared: scope.schema().all(),
        triples: Triples::Skipped,
    };
    let certified = certify(&before, after, &checks).map_err(|_| {
        Diagnostic::new(
            Code::NotKept,
            "the recount of the written file finds a kept table changed",
            "nothing is released; please report this",
        )
        .in_file(release.target)
    })?;
    Ok(Release { finished, certified })
}

/// The released file is of the data's format; a name that says otherwise misleads.
fn note_the_ending(target: &Path, format: Format, run: &mut Run<'_>) {
    let ending = target.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let (misleading, format): (&[&str], _) = match format {
        Format::Csv { .. } => (&["parquet", "pq"], "CSV"),
        Format::Parquet => (&["csv", "tsv", "txt", "gz"], "Parquet"),
    };
    if misleading.iter().any(|known| ending.eq_ignore_ascii_case(known)) {
        run.note(Note::MisleadingEnding { format });
    }
}

/// A file that was written here and cannot be read back is our fault, not the user's.
fn ours(error: Diagnostic) -> Diagnostic {
    Diagnostic::new(
        Code::NotKept,
        format!("the written file cannot be read back: {}", error.code.title()),
        "nothing is released; please report this",
    )
}

impl Release {
    /// What the recount of the written bytes found.
    pub fn verification(&self) -> &Verification {
        self.certified.verification()
    }

    /// Gives the file its name.
    pub fn publish(self) -> Result<(), Diagnostic> {
        self.finished.publish()
    }
}
