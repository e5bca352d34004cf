//! When an exchange parts a person from their keys, and when it only detaches the values.
//!
//! | letter | meaning |
//! |---|---|
//! | K | `keys`: what the intruder knows |
//! | Δ̄ | `differing`: the variables in which the two records differ |
//! | E | `exchanged`: the variables whose values change place |
//!
//! Exchanging E and exchanging Δ̄ ∖ E give the same released records. One of the two has i on
//! E and j elsewhere, the other the reverse. So i's key combination is gone from both exactly
//! when K ∩ Δ̄ meets E and Δ̄ ∖ E: the exchange *parts the keys*. If all differing keys travel
//! together, one record still has i's whole key combination. It carries j's values on what
//! does not travel with the keys: the exchange *detaches* these values.
//!
//! Columns that stay need no care: they lie in one kept table, so their differences lie in
//! one part of Δ̄, and either E or Δ̄ ∖ E leaves them alone ([`at_rest`]).
//!
//! Way in: [`can_part`], [`parting_exchanges`], [`detaching_exchanges`]. Slow twin:
//! [`crate::oracle::World::parts`].

use super::pair::{exchangeable_parts, exchanges};
use crate::graph::MarginGraph;
use crate::varset::VarSet;

/// Does exchanging E leave neither record with the keys that one of them had?
///
/// Law: `parted-by-definition`.
#[must_use]
pub fn parts_keys(differing: VarSet, exchanged: VarSet, keys: VarSet) -> bool {
    let at_stake = differing & keys;
    at_stake.meets(&exchanged) && !at_stake.is_subset(&exchanged)
}

/// The theorem for keys: some exchange keeps every table and parts the keys exactly when the
/// differing keys meet two components of the margin graph on Δ̄. With all variables as keys
/// it is Theorem 1.
///
/// Law: `parted-iff-keys-meet-two-components`.
#[must_use]
pub fn can_part(graph: &MarginGraph, differing: VarSet, keys: VarSet) -> bool {
    let at_stake = differing & keys;
    at_stake
        .lowest()
        .is_some_and(|start| !at_stake.is_subset(&graph.component_of(start, differing)))
}

/// Every exchange of these parts of Δ̄ that parts the keys, each result once.
///
/// Law: `parting-and-detaching-exchanges`.
///
/// # Panics
/// With more than 64 parts: nobody could wait for the answer.
pub fn parting_exchanges(parts: &[VarSet], keys: VarSet) -> impl Iterator<Item = VarSet> + '_ {
    let differing = union(parts);
    exchanges(parts).filter(move |&exchanged| parts_keys(differing, exchanged, keys))
}

/// An exchange after which one record has i's keys and j's values on `left_behind`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Detaching {
    /// E: all differing keys, and what travels with them.
    pub exchanged: VarSet,
    /// The sensitive variables in Δ̄ ∖ E: what is read as the person's there is false.
    pub left_behind: VarSet,
}

/// Every exchange of these parts of Δ̄ in which all differing keys, at least one, travel
/// together and a sensitive value stays, each result once.
///
/// Law: `parting-and-detaching-exchanges`.
///
/// # Panics
/// With more than 64 parts: nobody could wait for the answer.
pub fn detaching_exchanges(
    parts: &[VarSet],
    keys: VarSet,
    sensitive: VarSet,
) -> impl Iterator<Item = Detaching> + '_ {
    let differing = union(parts);
    let at_stake = differing & keys;
    exchanges(parts).filter_map(move |exchanged| {
        let exchanged = if exchanged.meets(&at_stake) { exchanged } else { differing - exchanged };
        let left_behind = sensitive & (differing - exchanged);
        let detaches =
            !at_stake.is_empty() && at_stake.is_subset(&exchanged) && !left_behind.is_empty();
        detaches.then_some(Detaching { exchanged, left_behind })
    })
}

/// The exchange that leaves most sensitive values where they are: the parts with a key
/// travel, and nothing else. `None` when nothing can be detached.
///
/// Law: `parting-and-detaching-exchanges`.
#[must_use]
pub fn strongest_detaching(
    graph: &MarginGraph,
    differing: VarSet,
    keys: VarSet,
    sensitive: VarSet,
) -> Option<Detaching> {
    let exchanged = exchangeable_parts(graph, differing)
        .iter()
        .filter(|part| part.meets(&keys))
        .fold(VarSet::EMPTY, |all, part| all | *part);
    let left_behind = sensitive & (differing - exchanged);
    let detaches = !exchanged.is_empty() && !left_behind.is_empty();
    detaches.then_some(Detaching { exchanged, left_behind })
}

/// The same released records, with nothing exchanged that stays: E, or Δ̄ ∖ E when E holds a
/// variable that stays and is one of Δ̄.
///
/// Law: `keys-part-while-columns-stay`.
#[must_use]
pub fn at_rest(differing: VarSet, exchanged: VarSet, staying: VarSet) -> VarSet {
    let exchanged = exchanged & differing;
    if exchanged.meets(&staying) { differing - exchanged } else { exchanged }
}

fn union(parts: &[VarSet]) -> VarSet {
    parts.iter().fold(VarSet::EMPTY, |all, part| all | *part)
}
