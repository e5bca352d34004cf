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
use crate::partner::pair::{exchangeable_parts, is_swappable};
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
    /// that differs in three components is in three diagonals.
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
    /// S.
    pub separator: VarSet,
    /// γα, the component that is exchanged.
    pub alpha: VarSet,
    /// γβ.
    pub beta: VarSet,
    /// j.
    pub partner: RecordId,
    /// E = γα ∩ Δ̄: exchanging the rest of γα too changes nothing.
    pub exchanged: VarSet,
}

impl Choice {
    /// The choice of these two components; of the two the one whose differences hold
    /// nothing that stays is exchanged. Columns that stay lie in one table, so they are
    /// never in both.
    fn of(
        separator: VarSet,
        sides: (VarSet, VarSet),
        partner: RecordId,
        differing: VarSet,
        staying: VarSet,
    ) -> Self {
        let (first, second) = sides;
        let first_stays = (first & differing).meets(&staying);
        let (alpha, beta) = if first_stays { (second, first) } else { (first, second) };
        Self { separator, alpha, beta, partner, exchanged: alpha & differing }
    }
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
    /// `staying`, the two components change their roles. `None` when no separator in the
    /// list offers one.
    ///
    /// Law: `algorithm-1`.
    #[must_use]
    pub fn choose(
        &self,
        records: &Records,
        separators: &[Separator],
        staying: VarSet,
    ) -> Option<Choice> {
        separators.iter().find_map(|separator| {
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
            let sides = (components[alpha], components[beta]);
            Some(Choice::of(separator.variables, sides, partner, differing, staying))
        })
    }

    /// Algorithm 1 without a list of separators: the first record that the pair test finds,
    /// and a minimal separator on which the two agree. `None` when there is no partner.
    ///
    /// Let α and β be two parts of Δ̄ and γβ the component of β in G^𝒟 without the
    /// neighbours of α. Then S, the neighbours of γβ, are all neighbours of α too: S is a
    /// minimal separator, and disjoint from Δ̄.
    ///
    /// Law: `a-choice-without-a-list`.
    #[must_use]
    pub fn choose_by_pair_test(
        &self,
        records: &Records,
        graph: &MarginGraph,
        staying: VarSet,
    ) -> Option<Choice> {
        let swappable = self.by_difference(|differing| is_swappable(graph, differing));
        let partner = self.records_where(records, |differing| swappable[&differing]).next()?;
        let differing = records.differing(self.record, partner);
        let parts = exchangeable_parts(graph, differing);
        let start = |part: usize| parts[part].lowest().expect("a part holds a variable");
        let around_first = graph.neighbourhood(parts[0]);
        let second = graph.component_of(start(1), graph.vertices() - around_first);
        let separator = graph.neighbourhood(second);
        let first = graph.component_of(start(0), graph.vertices() - separator);
        Some(Choice::of(separator, (first, second), partner, differing, staying))
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
