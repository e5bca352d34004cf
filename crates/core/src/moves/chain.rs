//! Another pair swaps first, and the record gets a partner.
//!
//! Where the margin graph is not chordal, a record without a partner may have one after two
//! others swap: in the 4-cycle, (a,b,c,d) has none among (a′,b′,c,d′) and (a,b′,c′,d′); after
//! these exchange the variables 0 and 2, it can be swapped with (a,b′,c,d′). Together the two
//! swaps are one move of three records.
//!
//! Where every two variables share a table no pair can be swapped, and there are no chains.

use super::around::Around;
use super::search::Hunt;
use super::{Found, Kind};
use crate::hash::{Map, STATE};
use crate::partner::pair;

/// How many of the nearest cells the first pair is looked for among.
const NEAREST: usize = 160;

/// Two cells with more parts than this to exchange are not tried in every way.
const MOST_PARTS: usize = 5;

/// A chain of two swaps that takes a record out of the middle cell.
pub(super) fn shortest_chain(hunt: &mut Hunt<'_, '_>, around: &Around<'_, '_>) -> Option<Found> {
    let space = around.space;
    let bits = &space.bits;
    let near: Vec<u32> = around
        .nearest()
        .iter()
        .copied()
        .filter(|&cell| {
            let mask = bits.differing(around.middle(), space.cells.get(cell as usize));
            hunt.is_usable(around, cell as usize, mask)
        })
        .take(NEAREST)
        .collect();
    let mut known: Map<u64, Vec<u64>> = Map::with_hasher(STATE);
    let mut parts = |mask: u64| -> Vec<u64> {
        known
            .entry(mask)
            .or_insert_with(|| {
                let parts = pair::exchangeable_parts(&space.graph, bits.set(mask));
                parts.into_iter().map(|part| bits.of(part)).collect()
            })
            .clone()
    };
    let own = u32::try_from(around.own).expect("a cell's position");
    for (place, &left) in near.iter().enumerate() {
        for &right in &near[..place] {
            if !hunt.step() {
                return None;
            }
            let cells = [left, right].map(|cell| space.cells.get(cell as usize));
            let first = parts(bits.differing(cells[0], cells[1]));
            if first.len() < 2 || first.len() > MOST_PARTS {
                continue;
            }
            // The first part stays: exchanging the others is the same exchange.
            for chosen in 1u64..1 << (first.len() - 1) {
                let exchanged =
                    crate::encode::ones(chosen).fold(0, |all, part| all | first[part + 1]);
                for (taker, giver) in [(0, 1), (1, 0)] {
                    let mut partner = cells[taker].to_vec();
                    bits.put(exchanged, cells[giver], &mut partner);
                    let mut other = cells[giver].to_vec();
                    bits.put(exchanged, cells[taker], &mut other);
                    let second = parts(bits.differing(around.middle(), &partner));
                    if second.len() < 2 {
                        continue;
                    }
                    for part in second {
                        let mut new = around.middle().to_vec();
                        bits.put(part, &partner, &mut new);
                        let mut rest = partner.clone();
                        bits.put(part, around.middle(), &mut rest);
                        let added = vec![new, rest, other.clone()];
                        let found = hunt.judge(around, &[own, left, right], added, Kind::Chain);
                        if found.is_some() {
                            return found;
                        }
                    }
                }
            }
        }
    }
    None
}
