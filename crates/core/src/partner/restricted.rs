//! Which cells keep a partner when strata, match lists and rules are respected.
//!
//! A partner must agree on the strata and on one of the match lists, so its differences lie
//! outside M, the union of the two. Counting through separators does the same with S ∪ M in
//! the place of S. A rule is a condition on the values of two cells. An exchange that splits
//! the variables of no rule breaks none, and that is swappability in the margin graph with
//! every rule as one more table: it settles nearly all cells. The others walk through their
//! slices until a partner allows an exchange.
//!
//! The restrictions are applied one after the other, so that the first that leaves a cell
//! without a partner can be named.
//!
//! Way in: [`screen_restricted`]. Slow twin: [`crate::oracle::World::restricted_partners`].

use rayon::prelude::*;

use super::rule::{Forbidden, NeverNew, Rules};
use super::screen::{EFFORT, Effort, Open, Search, weigh};
use super::slices::Slices;
use crate::diagnostic::Diagnostic;
use crate::graph::{GeneratingClass, Separators, minimal_separators};
use crate::table::{CellId, JointTable};
use crate::varset::VarSet;

/// What a partner must respect besides the kept tables.
#[derive(Debug, Clone, Default)]
pub struct Restrictions {
    /// The variables on which any two partners agree.
    pub strata: VarSet,
    /// Two partners agree on one of these sets too, where there are any.
    pub matches: Vec<VarSet>,
    /// Combinations that no record may newly have.
    pub rules: Vec<Forbidden>,
    /// Pairs of variables of which no combination may be made that nobody had.
    pub never_new: NeverNew,
}

impl Restrictions {
    /// Is there anything to respect?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list().is_empty()
    }

    /// Those that are given, in the order in which they are applied.
    #[must_use]
    pub fn list(&self) -> Vec<Restriction> {
        let given = [
            (!self.strata.is_empty(), Restriction::Strata),
            (!self.matches.is_empty(), Restriction::Match),
            (!self.rules.is_empty(), Restriction::Rules),
            (self.never_new.forbids_any(), Restriction::NeverNew),
        ];
        given.into_iter().filter_map(|(is_given, one)| is_given.then_some(one)).collect()
    }

    /// This one and those that are applied before it.
    #[must_use]
    pub fn until(&self, last: Restriction) -> Self {
        let mut some = self.clone();
        if last < Restriction::NeverNew {
            some.never_new = NeverNew::Nowhere;
        }
        if last < Restriction::Rules {
            some.rules.clear();
        }
        if last < Restriction::Match {
            some.matches.clear();
        }
        some
    }

    /// The sets on which partners agree: one of them is enough.
    #[must_use]
    pub fn agreements(&self) -> Vec<VarSet> {
        match self.matches.is_empty() {
            true => vec![self.strata],
            false => self.matches.iter().map(|list| *list | self.strata).collect(),
        }
    }
}

/// A restriction, in the order in which they are applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Restriction {
    /// Partners agree on the strata.
    Strata,
    /// Partners agree on a match list.
    Match,
    /// No exchange breaks a rule.
    Rules,
    /// No exchange puts two values together that nobody had together.
    NeverNew,
}

/// For every cell: which restriction leaves it without a partner?
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restricted {
    /// After each restriction: is a partner left to the cell?
    after: [Vec<bool>; 4],
}

impl Restricted {
    /// Has this cell a partner when all restrictions are respected?
    #[must_use]
    pub fn is_allowed(&self, cell: CellId) -> bool {
        self.is_left(cell, Restriction::NeverNew)
    }

    /// Has this cell a partner when this restriction and those before it are respected?
    #[must_use]
    pub fn is_left(&self, cell: CellId, after: Restriction) -> bool {
        self.after[after as usize][cell.position()]
    }
}

/// Screens the cells that have a partner by the tables alone, `among`, for one that parts
/// the keys and respects the restrictions. With all variables as keys, any partner counts.
///
/// Law: `restricted-screening-by-definition`.
///
/// # Errors
/// When more comparisons of cells would be needed than anybody can wait for.
pub fn screen_restricted(
    joint: &JointTable,
    class: &GeneratingClass,
    separators: &Separators,
    keys: VarSet,
    among: &[bool],
    restrictions: &Restrictions,
) -> Result<Restricted, Diagnostic> {
    let task = Task { joint, class, separators, keys, effort: EFFORT };
    task.screen(among, restrictions)
}

struct Task<'a> {
    joint: &'a JointTable,
    class: &'a GeneratingClass,
    separators: &'a Separators,
    keys: VarSet,
    effort: Effort,
}

/// Judging a pair by rules takes as long as this many comparisons.
const WALKED: usize = 50;

/// More separators of the graph with rules than this are not listed.
const MOST_TIED_SEPARATORS: usize = 1_000;

impl Task<'_> {
    fn screen(
        &self,
        among: &[bool],
        restrictions: &Restrictions,
    ) -> Result<Restricted, Diagnostic> {
        let in_stratum = match restrictions.strata.is_empty() {
            true => among.to_vec(),
            false => self.agreeing(among, &[restrictions.strata])?,
        };
        let agreements = restrictions.agreements();
        let matching = match restrictions.matches.is_empty() {
            true => in_stratum.clone(),
            false => self.agreeing(&in_stratum, &agreements)?,
        };
        let allowed = match restrictions.rules.is_empty() {
            true => matching.clone(),
            false => {
                let rules = Rules::new(self.joint, &restrictions.rules, &NeverNew::Nowhere);
                self.allowed(&matching, &agreements, &rules)?
            }
        };
        let all = match restrictions.never_new.forbids_any() {
            false => allowed.clone(),
            true => {
                let rules = Rules::new(self.joint, &restrictions.rules, &restrictions.never_new);
                self.allowed(&allowed, &agreements, &rules)?
            }
        };
        Ok(Restricted { after: [in_stratum, matching, allowed, all] })
    }

    /// The cells with a partner that agrees with them on one of these sets.
    fn agreeing(&self, among: &[bool], agreements: &[VarSet]) -> Result<Vec<bool>, Diagnostic> {
        let graph = self.class.margin_graph();
        let mut open = Open::among(among);
        for &agree in agreements {
            let search = Search { joint: self.joint, graph: &graph, keys: self.keys, agree };
            search.settle_all(self.separators, &mut open, self.effort, |_| {})?;
        }
        Ok(open.settled())
    }

    /// The cells with such a partner and an exchange that breaks no rule.
    fn allowed(
        &self,
        among: &[bool],
        agreements: &[VarSet],
        rules: &Rules<'_>,
    ) -> Result<Vec<bool>, Diagnostic> {
        let mut open = Open::among(among);
        for &agree in agreements {
            self.untouched_by_rules(agree, rules, &mut open)?;
        }
        for &agree in agreements {
            self.walk(agree, rules, &mut open)?;
        }
        Ok(open.settled())
    }

    /// Closes the cells with an exchange that splits the variables of no rule.
    fn untouched_by_rules(
        &self,
        agree: VarSet,
        rules: &Rules<'_>,
        open: &mut Open,
    ) -> Result<(), Diagnostic> {
        let tied = rules
            .ties(self.class.delta())
            .into_iter()
            .map(|tie| tie - agree)
            .filter(|set| set.len() > 1);
        let margins = self.class.margins().iter().copied().chain(tied);
        let graph = GeneratingClass::new(self.class.delta(), margins).margin_graph();
        let separators = minimal_separators(&graph, MOST_TIED_SEPARATORS);
        let search = Search { joint: self.joint, graph: &graph, keys: self.keys, agree };
        search.settle_by_separators(&separators, open, self.effort.counting_alone())?;
        Ok(())
    }

    /// Closes the cells of which a partner allows an exchange: every partner agrees with the
    /// cell on a separator, so that only slices are looked at.
    fn walk(&self, agree: VarSet, rules: &Rules<'_>, open: &mut Open) -> Result<(), Diagnostic> {
        let graph = self.class.margin_graph();
        let everywhere = [VarSet::EMPTY];
        let known: Vec<VarSet> = self.separators.list().iter().map(|one| one.variables).collect();
        let slicings = if self.separators.is_complete() { &known[..] } else { &everywhere[..] };
        let cells = self.joint.cells();
        let mut compared = 0;
        for &separator in slicings {
            if open.cells().is_empty() {
                break;
            }
            let slices = Slices::on(self.joint, separator | agree, &[]);
            let members = |cell: u32| slices.slice(slices.slice_of(cell as usize));
            compared += open.cells().iter().map(|&cell| members(cell).len()).sum::<usize>();
            weigh(compared, WALKED, self.effort.comparisons)?;
            let found: Vec<bool> = open
                .cells()
                .par_iter()
                .map(|&cell| {
                    let own = cells.get(cell as usize);
                    members(cell).iter().any(|&other| {
                        let pair = [own, cells.get(other as usize)];
                        rules.allowed_exchange(&graph, self.keys, cells.layout(), pair).is_some()
                    })
                })
                .collect();
            open.close(&found);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::World;
    use crate::partner::Term;
    use crate::partner::screen::{NOTHING, PAIRS_ALONE};
    use crate::table::Located;

    use proptest::collection::{btree_set, vec};
    use proptest::prelude::*;

    /// Each way of settling cells, made to do the whole work; and the separators cut short.
    const WAYS: [(Effort, usize); 4] =
        [(EFFORT, usize::MAX), (NOTHING, usize::MAX), (EFFORT, 1), (PAIRS_ALONE, usize::MAX)];

    fn restrictions() -> impl Strategy<Value = Restrictions> {
        let set = |most| btree_set(0usize..5, 0..most).prop_map(|set| set.into_iter().collect());
        let term = (0usize..5, 0u32..3, any::<bool>()).prop_map(|(variable, code, negated)| Term {
            variable,
            codes: vec![code],
            negated,
        });
        let rule = vec(term, 1..4).prop_map(|terms| Forbidden { terms });
        let pair = (0usize..4, 1usize..5).prop_map(|(left, more)| [left, (left + more).min(4)]);
        let never_new = prop_oneof![
            3 => Just(NeverNew::Nowhere),
            1 => vec(pair, 1..3).prop_map(NeverNew::Pairs),
            1 => set(5).prop_map(NeverNew::Among),
            1 => Just(NeverNew::Everywhere),
        ];
        (set(2), vec(set(4), 0..3), vec(rule, 0..4), never_new).prop_map(
            |(strata, matches, rules, never_new)| Restrictions {
                strata,
                matches,
                rules,
                never_new,
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]

        #[test]
        fn law_restricted_screening_by_definition(
            tables in vec(btree_set(0usize..5, 1..4), 0..4),
            records in vec(vec(0u32..3, 5), 1..14),
            keys in btree_set(0usize..5, 0..6),
            restrictions in restrictions(),
        ) {
            let delta = VarSet::first(5);
            // Every other time all variables are keys: then any partner counts.
            let keys = match keys.len() % 2 {
                0 => delta,
                _ => keys.into_iter().collect(),
            };
            let tables: Vec<VarSet> =
                tables.into_iter().map(|table| table.into_iter().collect()).collect();
            let world = World { levels: vec![3; 5], records };
            let class = GeneratingClass::new(delta, tables.iter().copied());
            let joint = Located::count(&world.packed());
            let all = [
                Restriction::Strata,
                Restriction::Match,
                Restriction::Rules,
                Restriction::NeverNew,
            ];
            for (effort, limit) in WAYS {
                let separators = minimal_separators(&class.margin_graph(), limit);
                let task =
                    Task { joint: &joint, class: &class, separators: &separators, keys, effort };
                let found = task.screen(&vec![true; joint.len()], &restrictions).unwrap();
                let asked = restrictions.list();
                for record in 0..world.records.len() {
                    let cell = joint.cell_of(crate::encode::RecordId::at(record));
                    for after in all {
                        if asked.iter().all(|&one| one > after) {
                            continue;
                        }
                        let some = restrictions.until(after);
                        let partners = world.restricted_partners(record, &tables, keys, &some);
                        prop_assert_eq!(found.is_left(cell, after), !partners.is_empty());
                    }
                }
            }
        }
    }

    /// Three parts, and a rule that each exchange of one part breaks: two of four cells make
    /// an exchange of two parts together the only one that is allowed.
    #[test]
    fn witness_two_parts_together() {
        let world = World { levels: vec![2; 4], records: vec![vec![0; 4], vec![1; 4]] };
        let class = GeneratingClass::new(VarSet::first(4), []);
        let term = |variable, code| Term { variable, codes: vec![code], negated: false };
        // Forbidden: one variable of another record than the three others.
        let rules: Vec<Forbidden> = (0..4)
            .map(|alone| Forbidden {
                terms: (0..4).map(|place| term(place, u32::from(place == alone))).collect(),
            })
            .collect();
        let joint = Located::count(&world.packed());
        let separators = minimal_separators(&class.margin_graph(), usize::MAX);
        let restrictions = Restrictions { rules, ..Restrictions::default() };
        let keys = VarSet::first(4);
        let found = screen_restricted(&joint, &class, &separators, keys, &[true; 2], &restrictions);
        assert!(found.unwrap().is_allowed(CellId::at(0)));
        let rules = Rules::new(&joint, &restrictions.rules, &NeverNew::Nowhere);
        let cells = joint.cells();
        let pair = [cells.get(0), cells.get(1)];
        let exchanged =
            rules.allowed_exchange(&class.margin_graph(), keys, cells.layout(), pair).unwrap();
        assert_eq!(exchanged.len(), 2);
    }
}
