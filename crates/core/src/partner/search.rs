//! Everything about one record: the paper's Algorithm 1, and its reasons.
//!
//! One pass over the file sorts all records by the set in which they differ from the given
//! one. There are few such sets, and every question (partners, slices of a separator,
//! diagonal positions, what another graph would allow) is a sum over them.
//!
//! Way in: [`Surroundings::of`]. Slow twin: [`crate::oracle::World::partners`].

use crate::encode::{RecordId, Records};
use crate::graph::{MarginGraph, Separator};
use crate::hash::{Map, STATE};
use crate::partner::pair::is_swappable;
use crate::varset::VarSet;

/// How all records of a file differ from one of them.
#[derive(Debug, Clone)]
pub struct Surroundings {
    record: RecordId,
    /// Each set of differing variables with the number of records, in the order of the sets.
    differences: Vec<(VarSet, u64)>,
}

/// What one separator offers a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThroughSeparator {
    /// n_S(i_S): the records that agree on S, the record itself included.
    pub agree: u64,
    /// Of these, the ones that agree everywhere: n(i).
    pub same: u64,
    /// Of these, the ones that differ in a single component: no partners through S.
    pub one_side: u64,
    /// Of these, the ones that differ in two components or more: partners.
    pub partners: u64,
    /// The partners in diagonal position, for every two components that have any. A record
    /// that differs in three components stands in three diagonals.
    pub diagonals: Vec<Diagonal>,
}

/// Partners that differ in these two components of the graph without S.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagonal {
    /// γα, by its position among the separator's components.
    pub alpha: usize,
    /// γβ.
    pub beta: usize,
    /// The records with j_S = i_S that differ from i in both.
    pub partners: u64,
}

/// What Algorithm 1 chooses for a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The separator, by its position in the list.
    pub separator: usize,
    /// γα by its position among the components of that separator.
    pub alpha: usize,
    /// γβ.
    pub beta: usize,
    /// j.
    pub partner: RecordId,
    /// E: what of γα differs, or what else differs when γα stays.
    pub exchanged: VarSet,
}

impl Surroundings {
    /// Looks at every record of the file once.
    #[must_use]
    pub fn of(records: &Records, record: RecordId) -> Self {
        let layout = records.cells().layout();
        let own = records.get(record);
        let mut counts: Map<VarSet, u64> = Map::with_hasher(STATE);
        for cell in records.cells().iter() {
            *counts.entry(layout.differing(own, cell)).or_default() += 1;
        }
        let mut differences: Vec<(VarSet, u64)> = counts.into_iter().collect();
        differences.sort_unstable();
        Self { record, differences }
    }

    /// n(i): the records in the same cell, the record itself included.
    #[must_use]
    pub fn same_cell(&self) -> u64 {
        self.differences.first().map_or(
            0,
            |(differing, count)| {
                if differing.is_empty() { *count } else { 0 }
            },
        )
    }

    /// The sets in which other records differ from this one, each with its count.
    #[must_use]
    pub fn differences(&self) -> &[(VarSet, u64)] {
        &self.differences
    }

    /// How many records it can be swapped with.
    ///
    /// Law: `partners-by-definition`.
    #[must_use]
    pub fn partners(&self, graph: &MarginGraph) -> u64 {
        self.differences
            .iter()
            .filter(|(differing, _)| is_swappable(graph, *differing))
            .map(|(_, count)| count)
            .sum()
    }

    /// The records it can be swapped with, in file order.
    #[must_use]
    pub fn partner_records(&self, records: &Records, graph: &MarginGraph) -> Vec<RecordId> {
        let swappable: Map<VarSet, bool> =
            self.by_difference(|differing| is_swappable(graph, differing));
        self.records_where(records, |differing| swappable[&differing]).collect()
    }

    /// What a separator offers: Corollaries 1 and 2, and the diagonal lemma as a count.
    ///
    /// Laws: `partner-through-a-separator`, `diagonal-count`.
    #[must_use]
    pub fn through(&self, separator: &Separator) -> ThroughSeparator {
        let mut answer =
            ThroughSeparator { agree: 0, same: 0, one_side: 0, partners: 0, diagonals: Vec::new() };
        let mut diagonals: Map<(usize, usize), u64> = Map::with_hasher(STATE);
        for &(differing, count) in &self.differences {
            if differing.meets(&separator.variables) {
                continue;
            }
            let sides: Vec<usize> = (0..separator.components.len())
                .filter(|&side| separator.components[side].meets(&differing))
                .collect();
            answer.agree += count;
            match sides[..] {
                [] => answer.same += count,
                [_] => answer.one_side += count,
                _ => answer.partners += count,
            }
            for (position, &alpha) in sides.iter().enumerate() {
                for &beta in &sides[position + 1..] {
                    *diagonals.entry((alpha, beta)).or_default() += count;
                }
            }
        }
        answer.diagonals = diagonals
            .into_iter()
            .map(|((alpha, beta), partners)| Diagonal { alpha, beta, partners })
            .collect();
        answer.diagonals.sort_unstable_by_key(|diagonal| (diagonal.alpha, diagonal.beta));
        answer
    }

    /// Algorithm 1: the first separator and the first two components with a record in
    /// diagonal position, the first such record, and E = γα; where γα holds a variable of
    /// `staying`, E is its complement, which gives the same two records. `None` when no
    /// separator in the list offers one.
    ///
    /// Law: `algorithm-1`.
    #[must_use]
    pub fn choose(
        &self,
        records: &Records,
        separators: &[Separator],
        staying: VarSet,
    ) -> Option<Choice> {
        separators.iter().enumerate().find_map(|(position, separator)| {
            let offered = self.through(separator);
            let Diagonal { alpha, beta, .. } = *offered.diagonals.first()?;
            let components = &separator.components;
            let partner = self
                .records_where(records, |differing| {
                    !differing.meets(&separator.variables)
                        && differing.meets(&components[alpha])
                        && differing.meets(&components[beta])
                })
                .next()?;
            let differing = records.differing(self.record, partner);
            let inside = components[alpha] & differing;
            let exchanged = if inside.meets(&staying) { differing - inside } else { inside };
            Some(Choice { separator: position, alpha, beta, partner, exchanged })
        })
    }

    fn by_difference<T>(&self, answer: impl Fn(VarSet) -> T) -> Map<VarSet, T> {
        let mut answers = Map::with_hasher(STATE);
        answers
            .extend(self.differences.iter().map(|&(differing, _)| (differing, answer(differing))));
        answers
    }

    fn records_where(
        &self,
        records: &Records,
        wanted: impl Fn(VarSet) -> bool,
    ) -> impl Iterator<Item = RecordId> {
        let layout = records.cells().layout();
        let own = records.get(self.record);
        records
            .cells()
            .iter()
            .enumerate()
            .filter(move |(_, cell)| wanted(layout.differing(own, cell)))
            .map(|(position, _)| RecordId::at(position))
    }
}
