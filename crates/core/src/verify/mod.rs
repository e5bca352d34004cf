//! What a released file keeps, what it changes and what it still gives away.
//!
//! Everything is counted again from the records of the two files; no plan is read, and
//! nothing is shared with the way they were made but the counting of tables. Both files come
//! over one coding: [`encode_both`](crate::encode::encode_both), or the records of one file
//! and a changed copy of them.
//!
//! | file | what it answers |
//! |---|---|
//! | [`Listed`] | the cells of both files in one list, and the place of every record |
//! | [`Pooled`] | the listed cells with the records that either file has: what all others work on |
//! | [`recount`] | is every kept table the same, cell by cell? |
//! | [`changes`], [`link_by_id`] | how many records and fields are different? |
//! | [`compare_pairs`], [`compare_triples`], [`compare_tables`] | how far are the other tables from what they were? |
//! | [`learned`], [`worst_case`] | what does an intruder who knows the keys learn? |
//! | [`found`], [`found_by_any`] | who is found by anybody who knows some of the keys? |
//! | [`new_pairs`] | which two values occur together that never did? |
//! | [`compare_published`] | are the numbers that were published still true? |
//! | [`weighted`](weighted()) | how far did weighted cells of tables move? |
//! | [`judge`] | may the file be released? |
//! | [`undominated`], [`choose`] | which of several plans to take? |
//!
//! Way in: [`verify`]. What decides equality is whole numbers. Distances are floating-point
//! numbers whose bits depend on the two files alone: neither on the order of their records
//! nor on the number of threads.

mod change;
mod found;
mod frontier;
mod gate;
mod learned;
mod listed;
mod new_pairs;
mod pooled;
mod published;
mod recount;
mod utility;
mod weighted;

pub use change::{Changes, File, Link, LinkError, changes, link_by_id};
pub use found::{
    Against, Alone, Beside, BeyondChance, FEW, Found, FoundByAny, Level, Question, Rough,
    SharesBeside, found, found_by_any,
};
pub use frontier::{Criterion, Standing, choose, undominated};
pub use gate::{Findings, HiddenFindings, PublishedFindings, Thresholds, judge};
pub use learned::{
    AtRisk, Fate, Learned, Outcome, Scenario, Share, Values, WorstCase, learned, records_at_risk,
    worst_case,
};
pub use listed::{Guess, Listed};
pub use new_pairs::{NewCells, NewPair, NewPairs, new_pairs};
pub use pooled::Pooled;
pub use published::{
    Absent, Differences, Entry, FoundCell, PublishedCheck, PublishedTable, Side, compare_published,
};
pub use recount::{TableCheck, recount};
pub use utility::{
    Distances, TableDistance, TwoWay, compare_pairs, compare_tables, compare_triples,
};

pub use weighted::{WeightedCheck, Weights, weighted};

use crate::encode::Records;
use crate::varset::VarSet;

/// What is asked about two files.
#[derive(Debug, Clone, Copy)]
pub struct Checks<'a> {
    /// The tables that must not have changed.
    pub tables: &'a [VarSet],
    /// The intruders to look at, each with what they know and whose records are at risk.
    pub scenarios: &'a [Scenario<'a>],
    /// What is asked about who is found, by the same intruders or by some of them.
    pub questions: &'a [Question<'a>],
    /// Which record became which, if that is known.
    pub link: Option<&'a Link>,
    /// The variables whose fields are counted and whose two-way tables are compared: those that
    /// are columns of the file.
    pub compared: VarSet,
    /// Those of them whose new combinations count.
    pub combined: VarSet,
    /// Are their three-way tables compared as well?
    pub triples: Triples,
}

/// Are three-way tables compared? There are many: 84 for 9 variables, 161,700 for 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Triples {
    /// No.
    Skipped,
    /// Yes.
    Compared,
}

/// All that is known about a released file, next to the one it was made from.
#[derive(Debug, Clone, PartialEq)]
pub struct Verification {
    /// How many records the first file has.
    pub records_before: usize,
    /// How many the second one has.
    pub records_after: usize,
    /// The kept tables, in the order they were given.
    pub tables: Vec<TableCheck>,
    /// What is different in the records; `None` when they are not linked.
    pub changes: Option<Changes>,
    /// How many records of the first file the second one no longer has, counted with
    /// repetition: 0 exactly when the files hold the same records, in any order, or the
    /// second one has more.
    pub replaced: u64,
    /// What each intruder learns, in the order of the scenarios.
    pub learned: Vec<Learned>,
    /// The worst of all scenarios for every person; `None` without a scenario.
    pub worst_case: Option<WorstCase>,
    /// Who is found, in the order of the questions; `None` where nothing is sensitive.
    pub found: Vec<Option<Found>>,
    /// Who is found by any of these intruders; `None` without one.
    pub found_by_any: Option<FoundByAny>,
    /// Two-way combinations of the combined variables that only the second file has.
    pub new_pairs: NewPairs,
    /// Every two-way table of the compared variables.
    pub two_way: Vec<TwoWay>,
    /// The two-way tables that no kept table implies, summed up.
    pub two_way_others: Distances,
    /// The three-way tables that no kept table implies, when asked for.
    pub three_way_others: Option<Distances>,
}

impl Verification {
    /// Has the second file as many records as the first, and is every kept table the same?
    ///
    /// Law: `equal-iff-every-table-is-kept`.
    #[must_use]
    pub fn is_equal(&self) -> bool {
        self.records_before == self.records_after
            && self.tables.iter().all(|table| table.changed == 0)
    }
}

/// Compares two files in every way that was asked for.
///
/// Laws: `verify-is-blind-to-order`, `verify-is-blind-to-threads`.
///
/// # Panics
/// When the files were not encoded together, or the link is not one between them.
#[must_use]
pub fn verify(before: &Records, after: &Records, checks: &Checks<'_>) -> Verification {
    let changes = checks.link.and_then(|link| changes(before, after, link));
    verify_changed(&Pooled::of(before, after), changes, checks)
}

/// As [`verify`], for two files that are counted already, and of which it is known what is
/// different in linked records.
#[must_use]
pub fn verify_changed(
    pooled: &Pooled,
    changes: Option<Changes>,
    checks: &Checks<'_>,
) -> Verification {
    let ((learned, found), (tables, (two_way, new_pairs))) = rayon::join(
        || {
            let scenarios = checks.scenarios.iter();
            let learned: Vec<Learned> =
                scenarios.map(|scenario| learned(pooled, scenario)).collect();
            let questions = checks.questions.iter();
            let found: Vec<Option<Found>> =
                questions.map(|question| found(pooled, question)).collect();
            (learned, found)
        },
        || {
            rayon::join(
                || pooled.recount(checks.tables),
                || {
                    let two_way = compare_pairs(pooled, checks.compared, checks.tables);
                    let new_pairs = new_pairs(pooled, &two_way, checks.combined);
                    (two_way, new_pairs)
                },
            )
        },
    );
    let changes = changes.map(|all| all.counting(checks.compared));
    let three_way_others = (checks.triples == Triples::Compared)
        .then(|| compare_triples(pooled, checks.compared, checks.tables));
    let [records_before, records_after] = pooled.records();
    Verification {
        records_before,
        records_after,
        tables,
        changes,
        replaced: pooled.replaced(),
        worst_case: worst_case(&learned),
        learned,
        found_by_any: found_by_any(&found),
        found,
        new_pairs,
        two_way_others: Distances::of_pairs(&two_way),
        two_way,
        three_way_others,
    }
}
