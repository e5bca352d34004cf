//! What to exchange between two records: the least harm that changes the keys.
//!
//! A swap of E disturbs the two-way tables of a variable inside E with one outside, both
//! differing: its cost is w(E ∩ Δ̄) · w(Δ̄ ∖ E). For a given Δ̄ this is smallest where w(E)
//! is smallest or largest, so among all unions of parts it is enough to look at single
//! parts and at all parts but one. The slow twin tries every union.
//!
//! E must touch a key (otherwise the record keeps its own key combination) and nothing that
//! stays.

use crate::graph::MarginGraph;
use crate::hash::{Map, STATE};
use crate::partner::pair;
use crate::varset::VarSet;

/// What an exchange may touch and what it costs.
#[derive(Debug, Clone)]
pub struct Prices {
    /// The variables an intruder may know.
    pub keys: VarSet,
    /// The variables that never move.
    pub staying: VarSet,
    /// What disturbing each variable costs.
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

    /// Does E touch a key and nothing that stays?
    #[must_use]
    pub fn allows(&self, exchanged: VarSet) -> bool {
        exchanged.meets(&self.keys) && !exchanged.meets(&self.staying)
    }
}

/// The cheapest exchanges for one Δ̄: all cost the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// What each of them costs.
    pub cost: u64,
    /// The sets E, inside Δ̄; fewest variables first.
    pub exchanges: Vec<VarSet>,
}

/// The cheapest exchanges between records that differ on Δ̄; `None` when no exchange keeps
/// the tables, changes a key and leaves alone what stays.
///
/// Law: `cheapest-exchange`.
#[must_use]
pub fn cheapest(graph: &MarginGraph, prices: &Prices, differing: VarSet) -> Option<Offer> {
    let parts = pair::exchangeable_parts(graph, differing);
    if parts.len() < 2 {
        return None;
    }
    let mut offer: Option<Offer> = None;
    for part in parts {
        for exchanged in [part, differing - part] {
            if !prices.allows(exchanged) {
                continue;
            }
            let cost = prices.cost(differing, exchanged);
            match &mut offer {
                Some(best) if best.cost < cost => {}
                Some(best) if best.cost == cost => best.exchanges.push(exchanged),
                _ => offer = Some(Offer { cost, exchanges: vec![exchanged] }),
            }
        }
    }
    if let Some(offer) = &mut offer {
        offer.exchanges.sort();
        offer.exchanges.dedup();
    }
    offer
}

/// [`cheapest`], remembered for each Δ̄.
#[derive(Debug)]
pub struct Offers<'a> {
    graph: &'a MarginGraph,
    prices: &'a Prices,
    known: Map<VarSet, Option<Offer>>,
}

impl<'a> Offers<'a> {
    /// Nothing is remembered yet.
    #[must_use]
    pub fn new(graph: &'a MarginGraph, prices: &'a Prices) -> Self {
        Self { graph, prices, known: Map::with_hasher(STATE) }
    }

    /// The margin graph they come from.
    #[must_use]
    pub fn graph(&self) -> &'a MarginGraph {
        self.graph
    }

    /// The cheapest exchanges for Δ̄.
    pub fn get(&mut self, differing: VarSet) -> Option<&Offer> {
        // With many variables nearly every pair differs in a set of its own.
        const MOST_REMEMBERED: usize = 1 << 20;
        if self.known.len() > MOST_REMEMBERED {
            self.known.clear();
        }
        let Self { graph, prices, known } = self;
        known.entry(differing).or_insert_with(|| cheapest(graph, prices, differing)).as_ref()
    }
}
