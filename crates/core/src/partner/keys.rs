//! Whose keys can be parted: all cells at once, exactly, and why not.
//!
//! The keys K of a cell can be parted exactly when, for some minimal separator S, a record
//! agrees with it on S and differs from it in keys of two components γ of the graph without
//! S. How many do is, with the components γ₁ … γ_m,
//!
//! ```text
//! cnt_S^K(i) = n_S(i) − Σ_c n_{S∪(K∖γc)}(i) + (m − 1)·n_{S∪K}(i)
//! ```
//!
//! With K = Δ this is what [`screen`](super::screen()) counts; the two share their search.
//!
//! Where the keys of a cell cannot be parted, the first of three reasons is given: a kept
//! table holds all keys, so the combination is published; the tables {D ∩ K : D ∈ 𝒟} prove
//! that somebody has it; no record parts it.
//!
//! Trap: the second reason is a lower bound. Tables that meet outside K may prove more than
//! their traces on K do. [`KeyScreening::proved_is_exact`] says when they do not.
//!
//! Way in: [`screen_keys`] for all cells; [`Surroundings::on_keys`] for one record. Slow
//! twins: [`crate::oracle::World::parting_partners`],
//! [`crate::oracle::World::fewest_with_keys`].

use super::disclosed::{disclosed, forest_bounds, lower_bounds};
use super::parting::{can_part, strongest_detaching};
use super::screen::{EFFORT, Effort, Open, Search};
use super::search::Surroundings;
use crate::diagnostic::Diagnostic;
use crate::graph::{GeneratingClass, MarginGraph, Separators, junction_tree};
use crate::table::{CellId, JointTable};
use crate::varset::VarSet;

/// For every cell: can its keys be parted, and why not?
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyScreening {
    keys: VarSet,
    partable: Vec<bool>,
    published_in: Option<VarSet>,
    proved: Vec<u64>,
    proved_is_exact: bool,
}

/// Why the keys of a cell cannot be parted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unpartable {
    /// All keys lie in this kept table: how many people have the combination is published.
    Published(VarSet),
    /// The kept tables, seen on the keys, prove that at least this many people have it.
    Proved(u64),
    /// No record parts them.
    NoPartner,
}

impl KeyScreening {
    /// K.
    #[must_use]
    pub fn keys(&self) -> VarSet {
        self.keys
    }

    /// Is there a record with which some exchange parts the keys of this cell?
    #[must_use]
    pub fn is_partable(&self, cell: CellId) -> bool {
        self.partable[cell.position()]
    }

    /// Why the keys of this cell cannot be parted; `None` when they can.
    #[must_use]
    pub fn why_not(&self, cell: CellId) -> Option<Unpartable> {
        if self.is_partable(cell) {
            return None;
        }
        Some(match (self.published_in, self.proved(cell)) {
            (Some(table), _) => Unpartable::Published(table),
            (None, 0) => Unpartable::NoPartner,
            (None, proved) => Unpartable::Proved(proved),
        })
    }

    /// How many records with the keys of this cell every file with the same kept tables has
    /// at least, as far as the tables {D ∩ K} tell.
    #[must_use]
    pub fn proved(&self, cell: CellId) -> u64 {
        self.proved[cell.position()]
    }

    /// Is there a file with the same kept tables that has no more of them than
    /// [`KeyScreening::proved`]? Otherwise the tables may prove more.
    ///
    /// This is certain when {D ∩ K} is decomposable and the variables outside K hang on it so
    /// that the keys around each connected piece of them lie in one kept table: any table on
    /// K then has a continuation on Δ.
    #[must_use]
    pub fn proved_is_exact(&self) -> bool {
        self.proved_is_exact
    }
}

/// Screens the keys of every cell of the joint table.
///
/// `separators` are those of the class's margin graph; when they are not complete, the
/// comparison of pairs decides what they leave open.
///
/// Laws: `key-screening-by-definition`, `all-keys-is-the-paper`, `proved-keys-are-there`.
///
/// # Errors
/// When more comparisons of cells would be needed than anybody can wait for.
pub fn screen_keys(
    joint: &JointTable,
    class: &GeneratingClass,
    separators: &Separators,
    keys: VarSet,
) -> Result<KeyScreening, Diagnostic> {
    screen_keys_announced(joint, class, separators, keys, |_| {})
}

/// As [`screen_keys`]; before pairs are compared, `announce` learns how many comparisons of
/// two cells are ahead at most.
///
/// # Errors
/// As [`screen_keys`].
pub fn screen_keys_announced(
    joint: &JointTable,
    class: &GeneratingClass,
    separators: &Separators,
    keys: VarSet,
    announce: impl FnMut(u64),
) -> Result<KeyScreening, Diagnostic> {
    screen_keys_with(joint, class, separators, keys, EFFORT, announce)
}

/// Which of these cells have a record with which some exchange parts their keys; the
/// others are not decided, and this answers no for them.
///
/// # Errors
/// As [`screen_keys`].
pub fn partable_among(
    joint: &JointTable,
    class: &GeneratingClass,
    separators: &Separators,
    keys: VarSet,
    asked: &[bool],
) -> Result<Vec<bool>, Diagnostic> {
    let task = Partable { joint, class, separators, keys };
    task.among(Open::among(asked), EFFORT, |_| {})
}

/// The kept table that holds all of the keys.
fn published_in(class: &GeneratingClass, keys: VarSet) -> Option<VarSet> {
    class.margins().iter().copied().find(|margin| keys.is_subset(margin))
}

/// The question whose keys can be parted.
struct Partable<'a> {
    joint: &'a JointTable,
    class: &'a GeneratingClass,
    separators: &'a Separators,
    keys: VarSet,
}

impl Partable<'_> {
    fn among(
        &self,
        mut open: Open,
        effort: Effort,
        announce: impl FnMut(u64),
    ) -> Result<Vec<bool>, Diagnostic> {
        let Self { joint, class, separators, keys } = *self;
        // Fewer than two keys, or keys in one table, are never parted.
        if keys.len() >= 2 && published_in(class, keys).is_none() {
            let graph = class.margin_graph();
            let search = Search { joint, graph: &graph, keys, agree: VarSet::EMPTY };
            search.settle_all(separators, &mut open, effort, announce)?;
        }
        Ok(open.settled())
    }
}

pub(super) fn screen_keys_with(
    joint: &JointTable,
    class: &GeneratingClass,
    separators: &Separators,
    keys: VarSet,
    effort: Effort,
    announce: impl FnMut(u64),
) -> Result<KeyScreening, Diagnostic> {
    let published_in = published_in(class, keys);
    let graph = class.margin_graph();
    let task = Partable { joint, class, separators, keys };
    let partable = task.among(Open::all(joint.len()), effort, announce)?;
    let traces = class.margins().iter().map(|margin| *margin & keys).filter(|set| !set.is_empty());
    let on_keys = GeneratingClass::new(keys, traces);
    let proved = proved(joint, &on_keys, &partable);
    let proved_is_exact = on_keys.is_decomposable() && continues(class, &graph, keys);
    Ok(KeyScreening { keys, partable, published_in, proved, proved_is_exact })
}

/// For each cell the number of people with its keys that the class on the keys proves. Where
/// sums prove fewer than there are, cells without a partner are asked for all of them.
fn proved(joint: &JointTable, on_keys: &GeneratingClass, partable: &[bool]) -> Vec<u64> {
    let keys = on_keys.delta();
    if keys.is_empty() {
        return vec![joint.records() as u64; joint.len()];
    }
    let (seen, group_of) = joint.grouped_on(keys);
    let graph = on_keys.margin_graph();
    let bounds = match junction_tree(&graph).filter(|_| on_keys.is_decomposable()) {
        Some(tree) => lower_bounds(&seen, &tree),
        None => {
            let cells: Vec<CellId> = (0..seen.len()).map(CellId::at).collect();
            let mut bounds = forest_bounds(&seen, &graph, &cells);
            let mut is_frozen = vec![true; seen.len()];
            for (&group, partable) in group_of.iter().zip(partable) {
                is_frozen[group as usize] &= !partable;
            }
            let frozen: Vec<CellId> =
                cells.into_iter().filter(|cell| is_frozen[cell.position()]).collect();
            let found = disclosed(&seen, on_keys, &frozen);
            for cell in frozen.into_iter().filter(|cell| found.proof(*cell).is_some()) {
                bounds[cell.position()] = i64::try_from(seen.n(cell)).expect("a count is small");
            }
            bounds
        }
    };
    let bound = |&group: &u32| u64::try_from(bounds[group as usize]).unwrap_or(0);
    group_of.iter().map(bound).collect()
}

/// Do the keys around each connected piece of the other variables lie in one kept table?
fn continues(class: &GeneratingClass, graph: &MarginGraph, keys: VarSet) -> bool {
    graph.components(class.delta() - keys).iter().all(|&piece| {
        let around = graph.neighbourhood(piece) & keys;
        around.is_empty() || class.margins().iter().any(|margin| around.is_subset(margin))
    })
}

/// The records that could part one record's keys, or detach its values from them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyPartners {
    /// Partners with whom some exchange parts the keys, by the set in which they differ.
    pub parting: Vec<PartingPartners>,
    /// Partners with whom no exchange does, and some exchange detaches sensitive values.
    pub detaching: Vec<DetachingPartners>,
}

/// Records that part the keys: afterwards neither record has them, and nothing is learned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartingPartners {
    /// Δ̄.
    pub differing: VarSet,
    /// How many records differ in this set.
    pub records: u64,
    /// The parts of Δ̄ that hold a key, two or more: they must not all travel together.
    pub key_parts: Vec<VarSet>,
}

/// Records that only detach: afterwards one record has the keys, with other values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DetachingPartners {
    /// Δ̄.
    pub differing: VarSet,
    /// How many records differ in this set.
    pub records: u64,
    /// What travels: the part of Δ̄ that holds the differing keys.
    pub exchanged: VarSet,
    /// The sensitive variables that would be false next to the keys, at best.
    pub made_false: VarSet,
    /// The sensitive variables that would stay true.
    pub left_true: VarSet,
}

impl KeyPartners {
    /// How many records part the keys.
    #[must_use]
    pub fn parting_records(&self) -> u64 {
        self.parting.iter().map(|partners| partners.records).sum()
    }

    /// How many records only detach.
    #[must_use]
    pub fn detaching_records(&self) -> u64 {
        self.detaching.iter().map(|partners| partners.records).sum()
    }
}

impl Surroundings {
    /// Who parts this record's keys, who only detaches, and what would be left true.
    ///
    /// Law: `key-partners-by-definition`.
    #[must_use]
    pub fn on_keys(&self, graph: &MarginGraph, keys: VarSet, sensitive: VarSet) -> KeyPartners {
        let mut found = KeyPartners { parting: Vec::new(), detaching: Vec::new() };
        for &(differing, records) in self.differences() {
            if can_part(graph, differing, keys) {
                let mut key_parts = graph.components(differing);
                key_parts.retain(|part| part.meets(&keys));
                found.parting.push(PartingPartners { differing, records, key_parts });
            } else if let Some(best) = strongest_detaching(graph, differing, keys, sensitive) {
                found.detaching.push(DetachingPartners {
                    differing,
                    records,
                    exchanged: best.exchanged,
                    made_false: best.left_behind,
                    left_true: sensitive - best.left_behind,
                });
            }
        }
        found
    }
}
