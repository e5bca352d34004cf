//! Does a plan obey the settings it was made with?
//!
//! [`Plan::prove`] proves what must hold for any plan: every kept table stays, and nothing
//! moves that may not. This is about what one plan promised besides: the budget, rules,
//! combinations that must not be new, partners that agree, no groups where pairs were asked
//! for. A plan that was edited after it was made is refused here, whatever its sum says.
//!
//! Way in: [`Plan::obey`].

use std::collections::BTreeMap;
use std::fmt;

use super::cell_plan::taken;
use super::constraint::Constraints;
use super::on_columns::Plan;
use crate::encode::{Layout, Records, Schema};
use crate::partner::seen::Seen;
use crate::partner::swap::exchange;
use crate::partner::{Exempt, Forbidden, is_absent_by_rarity};
use crate::table::JointTable;
use crate::varset::VarSet;

/// What a plan does that its settings do not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disobeyed {
    /// It changes more records than the budget has.
    Budget,
    /// It makes a combination that a rule forbids.
    Rule,
    /// It brings two values together that nobody had together.
    NeverNew,
    /// It swaps records that do not agree where partners must.
    Partners,
    /// It has groups of more than two records.
    Groups,
}

impl fmt::Display for Disobeyed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Budget => "the plan changes more records than its budget allows",
            Self::Rule => "the plan makes a combination that one of its rules forbids",
            Self::NeverNew => "the plan brings values together that its settings keep apart",
            Self::Partners => {
                "the plan swaps records that do not agree on its match lists or strata"
            }
            Self::Groups => {
                "the plan swaps more than two records at once, which its settings do not allow"
            }
        })
    }
}

impl std::error::Error for Disobeyed {}

impl Plan {
    /// Proves that the plan obeys its constraints, with swaps of up to `records` records and new
    /// combinations of exempt values.
    ///
    /// Law: `a-plan-obeys-its-settings`.
    ///
    /// # Errors
    /// The first thing that it does not obey.
    ///
    /// # Panics
    /// When the plan is not proved: it names a record that is not there.
    pub fn obey(
        &self,
        schema: &Schema,
        records: &Records,
        joint: &JointTable,
        constraints: &Constraints,
        largest: usize,
        exempt: Exempt,
    ) -> Result<(), Disobeyed> {
        if largest <= 2 && !self.groups().is_empty() {
            return Err(Disobeyed::Groups);
        }
        let layout = records.cells().layout();
        let seen = Seen::new(joint);
        let rare = match exempt == Exempt::Rare && constraints.never_new.forbids_any() {
            true => Some(Rarity::of(joint)),
            false => None,
        };
        let mut changed = 0;
        let mut look_at = |before: &[&[u64]], after: &[Vec<u64>]| {
            changed += before.iter().zip(after).filter(|(old, new)| *old != *new).count() as u64;
            obeys(layout, (&seen, rare.as_ref()), constraints, before, after)
        };
        for swap in self.swaps() {
            let before = [swap.left, swap.right].map(|record| records.get(record));
            let exchanged = schema.variables_of(&swap.exchanged);
            let (left, right) = exchange(layout, before[0], before[1], exchanged);
            look_at(&before, &[left, right])?;
        }
        for group in self.groups() {
            let before: Vec<&[u64]> =
                group.records.iter().map(|&record| records.get(record)).collect();
            let after = taken(layout, &before, group.takes(schema));
            look_at(&before, &after)?;
        }
        match constraints.most_changed {
            Some(most) if changed > most => Err(Disobeyed::Budget),
            _ => Ok(()),
        }
    }
}

/// Looks at the records of one swap, before and after.
fn obeys(
    layout: &Layout,
    (seen, rare): (&Seen<'_>, Option<&Rarity>),
    constraints: &Constraints,
    before: &[&[u64]],
    after: &[Vec<u64>],
) -> Result<(), Disobeyed> {
    let differs = |variable: &usize| {
        before.iter().any(|cell| layout.code(cell, *variable) != layout.code(before[0], *variable))
    };
    let all = VarSet::first(layout.variables());
    let differing: VarSet = all.iter().filter(differs).collect();
    if !constraints.matches.iter().any(|agree| !differing.meets(agree)) {
        return Err(Disobeyed::Partners);
    }
    if constraints.forbidden.iter().any(|rule| is_newly_broken(rule, layout, before, after)) {
        return Err(Disobeyed::Rule);
    }
    let never_new = &constraints.never_new;
    let is_new = |cell: &Vec<u64>| {
        let excused =
            |left, right| rare.is_some_and(|rare| rare.excuses(layout, cell, left, right));
        let forbids = |left: usize, right: usize| {
            left != right && never_new.forbids(left, right) && !excused(left, right)
        };
        seen.never_seen(cell, all, all, forbids) > 0
    };
    match never_new.forbids_any() && after.iter().any(is_new) {
        true => Err(Disobeyed::NeverNew),
        false => Ok(()),
    }
}

/// How many records have each code of each variable.
pub(super) struct Rarity {
    counts: Vec<Vec<u64>>,
    records: u64,
}

impl Rarity {
    pub(super) fn of(joint: &JointTable) -> Self {
        let layout = joint.cells().layout();
        let mut counts = vec![Vec::new(); layout.variables()];
        for (cell, &records) in joint.cells().iter().zip(joint.counts()) {
            for (variable, counts) in counts.iter_mut().enumerate() {
                let code = layout.code(cell, variable) as usize;
                if counts.len() <= code {
                    counts.resize(code + 1, 0);
                }
                counts[code] += u64::from(records);
            }
        }
        Self { counts, records: joint.records() as u64 }
    }

    /// Are the two values of a cell so rare that nobody need have both?
    pub(super) fn excuses(&self, layout: &Layout, cell: &[u64], left: usize, right: usize) -> bool {
        let [one, other] = [left, right]
            .map(|variable| self.counts[variable][layout.code(cell, variable) as usize]);
        is_absent_by_rarity(one, other, self.records)
    }
}

/// Has some forbidden combination more records than before?
fn is_newly_broken(
    rule: &Forbidden,
    layout: &Layout,
    before: &[&[u64]],
    after: &[Vec<u64>],
) -> bool {
    let combination = |cell: &[u64]| -> Option<Vec<u32>> {
        let codes = rule.terms.iter().map(|term| layout.code(cell, term.variable));
        rule.holds(layout, cell).then(|| codes.collect())
    };
    let mut more: BTreeMap<Vec<u32>, isize> = BTreeMap::new();
    for combination in after.iter().filter_map(|cell| combination(cell)) {
        *more.entry(combination).or_default() += 1;
    }
    for combination in before.iter().filter_map(|cell| combination(cell)) {
        *more.entry(combination).or_default() -= 1;
    }
    more.values().any(|more| *more > 0)
}
