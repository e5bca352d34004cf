//! What to exchange between two records: the least harm that serves a goal.
//!
//! A swap of E disturbs the two-way tables of a variable inside E with one outside, both
//! differing: its cost is w(E ∩ Δ̄) · w(Δ̄ ∖ E). For a given Δ̄ this is smallest where w(E)
//! is smallest or largest. To part the keys both sides need a part with a key, so the
//! cheapest is one such part alone. To detach, all parts with a key travel, and of the
//! others as many as leave enough where they are. The slow twin tries every union.
//!
//! E holds nothing that stays. E and Δ̄ ∖ E give the same records, so of the two only one is
//! offered: the one with fewer variables, where both may be exchanged.

use std::sync::{Arc, OnceLock};

use super::{Aim, Goal};
use crate::graph::MarginGraph;
use crate::hash::{Map, STATE};
use crate::partner::pair;
use crate::varset::VarSet;

/// What an exchange may touch and what it costs.
#[derive(Debug, Clone)]
pub struct Prices {
    /// The variables that never move.
    pub staying: VarSet,
    /// What disturbing each variable costs; nothing for a derived one, which is disturbed with
    /// what it follows from.
    pub weights: Vec<u64>,
}

impl Prices {
    fn weight(&self, set: VarSet) -> u64 {
        set.iter().map(|variable| self.weights[variable]).sum()
    }

    /// The cost of exchanging E between records that differ on Δ̄.
    #[must_use]
    pub fn cost(&self, differing: VarSet, exchanged: VarSet) -> u64 {
        self.weight(differing & exchanged) * self.weight(differing - exchanged)
    }

    /// No exchange between records that differ on Δ̄ costs less: its smaller side has a variable
    /// at least, and the product is smallest where that is the lightest one.
    ///
    /// Law: `no-exchange-is-cheaper-than-its-bound`.
    #[must_use]
    pub fn least_cost(&self, differing: VarSet) -> u64 {
        let all = self.weight(differing);
        let lightest = differing.iter().map(|variable| self.weights[variable]).min().unwrap_or(0);
        lightest * (all - lightest)
    }

    /// The same for each number of variables that differ, whichever they are.
    ///
    /// Law: `no-exchange-is-cheaper-than-its-bound`.
    #[must_use]
    pub fn least_costs(&self) -> Vec<u64> {
        let mut weights = self.weights.clone();
        weights.sort_unstable();
        let lightest = weights.first().copied().unwrap_or(0);
        let mut others = 0;
        let least = weights.iter().skip(1).map(|weight| {
            others += weight;
            lightest * others
        });
        [0, 0].into_iter().chain(least).collect()
    }

    /// Of E and Δ̄ ∖ E the one to be exchanged: nothing that stays, few variables. `None`
    /// when both hold something that stays.
    #[must_use]
    pub fn at_rest(&self, differing: VarSet, exchanged: VarSet) -> Option<VarSet> {
        let other = differing - exchanged;
        match (exchanged.meets(&self.staying), other.meets(&self.staying)) {
            (true, true) => None,
            (true, false) => Some(other),
            (false, true) => Some(exchanged),
            (false, false) => {
                let columns = |set: VarSet| set.iter().filter(|&one| self.weights[one] > 0).count();
                let order = |set: VarSet| (columns(set), set);
                Some(if order(exchanged) <= order(other) { exchanged } else { other })
            }
        }
    }
}

/// The cheapest exchanges for one Δ̄: all cost the same.
#[derive(Debug, Clone)]
pub struct Offer {
    /// What each of them costs.
    pub cost: u64,
    /// The sets E, inside Δ̄; fewest variables first.
    pub exchanges: Vec<VarSet>,
    /// Every exchange that serves the goal with its cost, worked out when somebody asks.
    every: OnceLock<Vec<(u64, VarSet)>>,
}

impl Offer {
    /// These exchanges, each at this cost.
    #[must_use]
    pub fn new(cost: u64, exchanges: Vec<VarSet>) -> Self {
        Self { cost, exchanges, every: OnceLock::new() }
    }
}

/// Two offers for one Δ̄ are the same when their cheapest exchanges are.
impl PartialEq for Offer {
    fn eq(&self, other: &Self) -> bool {
        (self.cost, &self.exchanges) == (other.cost, &other.exchanges)
    }
}

impl Eq for Offer {}

/// The cheapest exchanges between records that differ on Δ̄; `None` when no exchange keeps
/// the tables, serves the goal for some aim and leaves alone what stays.
///
/// Law: `cheapest-exchange`.
#[must_use]
pub fn cheapest(
    graph: &MarginGraph,
    prices: &Prices,
    goal: Goal,
    aims: &[Aim],
    differing: VarSet,
) -> Option<Offer> {
    let parts = pair::exchangeable_parts(graph, differing);
    if parts.len() < 2 {
        return None;
    }
    let mut offer: Option<Offer> = None;
    for exchanged in candidates(&parts, goal, aims, differing) {
        if !goal.is_served(aims, differing, exchanged) {
            continue;
        }
        let Some(exchanged) = prices.at_rest(differing, exchanged) else { continue };
        let cost = prices.cost(differing, exchanged);
        match &mut offer {
            Some(best) if best.cost < cost => {}
            Some(best) if best.cost == cost => best.exchanges.push(exchanged),
            _ => offer = Some(Offer::new(cost, vec![exchanged])),
        }
    }
    if let Some(offer) = &mut offer {
        offer.exchanges.sort_unstable();
        offer.exchanges.dedup();
    }
    offer
}

/// Sets E among which the cheapest is.
fn candidates(parts: &[VarSet], goal: Goal, aims: &[Aim], differing: VarSet) -> Vec<VarSet> {
    let mut found = parts.to_vec();
    if goal == Goal::Detach {
        for aim in aims {
            detaching(parts, aim, &mut found);
        }
    }
    found.retain(|exchanged| pair::is_effective(differing, *exchanged));
    found
}

/// With few other parts every union of them that stays where it is, otherwise all of them, those
/// with a sensitive variable, and each alone.
fn detaching(parts: &[VarSet], aim: &Aim, found: &mut Vec<VarSet>) {
    const FEW: usize = 6;
    let others: Vec<VarSet> = parts.iter().copied().filter(|part| !part.meets(&aim.keys)).collect();
    let union = |chosen: &mut dyn Iterator<Item = VarSet>| {
        chosen.fold(VarSet::EMPTY, |all, part| all | part)
    };
    if others.len() <= FEW {
        let chosen = VarSet::first(others.len()).subsets();
        found.extend(chosen.map(|chosen| union(&mut chosen.iter().map(|part| others[part]))));
    } else {
        found.push(union(&mut others.iter().copied()));
        found.push(union(&mut others.iter().copied().filter(|part| part.meets(&aim.sensitive))));
    }
}

/// [`cheapest`], remembered for each Δ̄.
#[derive(Debug, Clone)]
pub struct Offers<'a> {
    graph: &'a MarginGraph,
    prices: &'a Prices,
    goal: Goal,
    aims: Vec<Aim>,
    known: Worked,
}

/// What was worked out for each Δ̄.
pub(super) type Worked = Map<VarSet, Option<Arc<Offer>>>;

/// With many variables nearly every pair differs in a set of its own: more are not remembered.
const MOST_REMEMBERED: usize = 1 << 14;

/// [`Offers`] that only look at what they share, and remember for themselves what is new.
pub(super) struct OffersView<'o> {
    offers: &'o Offers<'o>,
    own: Worked,
    worked_out: usize,
}

impl OffersView<'_> {
    /// The cheapest exchanges for Δ̄.
    pub(super) fn get(&mut self, differing: VarSet) -> Option<&Arc<Offer>> {
        let Self { offers, own, worked_out } = self;
        if let Some(known) = offers.known.get(&differing) {
            return known.as_ref();
        }
        remembered(own, differing, || {
            *worked_out += 1;
            cheapest(offers.graph, offers.prices, offers.goal, &offers.aims, differing)
        })
    }

    /// How many were not remembered and had to be worked out.
    pub(super) fn worked_out(&self) -> usize {
        self.worked_out
    }

    /// What was worked out, to be remembered.
    pub(super) fn into_own(self) -> Worked {
        self.own
    }
}

impl<'a> Offers<'a> {
    /// Nothing is remembered yet.
    #[must_use]
    pub fn new(graph: &'a MarginGraph, prices: &'a Prices, goal: Goal, aims: Vec<Aim>) -> Self {
        Self { graph, prices, goal, aims, known: Map::with_hasher(STATE) }
    }

    /// The margin graph they come from.
    #[must_use]
    pub fn graph(&self) -> &'a MarginGraph {
        self.graph
    }

    /// What they are for.
    #[must_use]
    pub fn goal(&self) -> Goal {
        self.goal
    }

    /// What each intruder asks for.
    #[must_use]
    pub fn aims(&self) -> &[Aim] {
        &self.aims
    }

    /// The same for another goal.
    #[must_use]
    pub fn with_goal(&self, goal: Goal) -> Self {
        Self::new(self.graph, self.prices, goal, self.aims.clone())
    }

    /// The cheapest exchanges for Δ̄.
    pub fn get(&mut self, differing: VarSet) -> Option<&Arc<Offer>> {
        let Self { graph, prices, goal, aims, known } = self;
        remembered(known, differing, || cheapest(graph, prices, *goal, aims, differing))
    }

    /// A view that others may have at the same time.
    pub(super) fn view(&self) -> OffersView<'_> {
        OffersView { offers: self, own: Map::with_hasher(STATE), worked_out: 0 }
    }

    /// Remembers what was worked out in such a view, as long as there is room for it.
    pub(super) fn remember(&mut self, own: Worked) {
        if self.known.len() + own.len() <= MOST_REMEMBERED {
            self.known.extend(own);
        }
    }

    /// All exchanges for Δ̄ that serve the goal and leave alone what stays, cheapest first; none
    /// where there are two parts, of which the cheapest are all, or more than can be tried.
    pub(super) fn every<'o>(&self, differing: VarSet, offer: &'o Offer) -> &'o [(u64, VarSet)] {
        // 2⁵ − 1 unions are tried at most.
        const MOST_PARTS: usize = 6;
        offer.every.get_or_init(|| {
            let parts = pair::exchangeable_parts(self.graph, differing);
            if parts.len() <= 2 || parts.len() > MOST_PARTS {
                return Vec::new();
            }
            let mut every: Vec<(u64, VarSet)> = pair::exchanges(&parts)
                .filter(|exchanged| self.goal.is_served(&self.aims, differing, *exchanged))
                .filter_map(|exchanged| self.prices.at_rest(differing, exchanged))
                .map(|exchanged| (self.prices.cost(differing, exchanged), exchanged))
                .collect();
            every.sort_unstable();
            every
        })
    }
}

/// What is known for Δ̄, or worked out now; everything is forgotten where that is too much.
fn remembered(
    known: &mut Worked,
    differing: VarSet,
    work_out: impl FnOnce() -> Option<Offer>,
) -> Option<&Arc<Offer>> {
    if known.len() > MOST_REMEMBERED {
        known.clear();
    }
    known.entry(differing).or_insert_with(|| work_out().map(Arc::new)).as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every exchange between records that differ on five variables or fewer.
    #[test]
    fn law_no_exchange_is_cheaper_than_its_bound() {
        for weights in [[1, 1, 1, 1, 1], [3, 1, 4, 1, 5], [0, 2, 7, 0, 1], [9, 9, 2, 9, 9]] {
            let prices = Prices { staying: VarSet::EMPTY, weights: weights.to_vec() };
            for differing in VarSet::first(5).subsets().filter(|set| set.len() > 1) {
                let sides = differing.subsets().filter(|side| pair::is_effective(differing, *side));
                let least = sides.map(|side| prices.cost(differing, side)).min();
                assert_eq!(Some(prices.least_cost(differing)), least);
                let of_as_many = VarSet::first(5).subsets();
                let of_as_many = of_as_many.filter(|set| set.len() == differing.len());
                let lowest = of_as_many.map(|set| prices.least_cost(set)).min();
                assert_eq!(Some(prices.least_costs()[differing.len()]), lowest);
            }
        }
    }
}
