//! Moves that flip groups of variables; the pair swap is the smallest of them.
//!
//! Take disjoint groups A₁ … A_q of variables such that **no D meets all q**, with other
//! values b_t on each. The cells that flip an even number of groups lose a record, those
//! that flip an odd number gain one: 2^(q−1) records. Every D misses some group t, and
//! flipping t pairs the two sides without changing what D sees. q = 2 is the pair swap; all
//! two-way tables leave room for q = 3, all three-way tables for q = 4.
//!
//! One mechanism finds them for every q: a pivot group, then one group after the other. A
//! next group t comes with a record that flips the pivot and t; all other even flips that
//! hold t are looked up. Groups are tried by the number of variables they touch and, among
//! these, by what they disturb: Π w(A_t), the tables over one variable of each group.
//!
//! Trap: which groups no D meets depends on 𝒟, not on the margin graph.

use std::borrow::Cow;
use std::sync::OnceLock;

use super::around::{Around, Bucket};
use super::search::{Hunt, LINKING};
use super::space::subsets;
use super::{Found, Kind};
use crate::encode::ones;
use crate::partner::pair;
use crate::varset::VarSet;

/// The most ways to choose four groups over a number of variables for these groupings to be
/// listed.
const MOST_GROUPINGS: u64 = 600_000;

/// Once a move is found, the most others looked at that disturb as little.
const CHOICES: usize = 12;

/// Up to four disjoint groups and what flipping them disturbs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Groups {
    cost: u64,
    groups: [u64; 4],
}

impl Groups {
    pub(super) fn groups(&self) -> [u64; 4] {
        self.groups
    }
}

/// For each number of variables, all groupings of four that no D meets, listed once.
pub(super) struct BoxLists {
    weights: Vec<u64>,
    margins: Vec<u64>,
    lists: Vec<OnceLock<Vec<Groups>>>,
}

impl BoxLists {
    pub(super) fn new(weights: Vec<u64>, margins: Vec<u64>) -> Self {
        let lists = (0..=weights.len()).map(|_| OnceLock::new()).collect();
        Self { lists, weights, margins }
    }

    /// Over how many variables, at most, boxes of q groups are looked for.
    pub(super) fn most_variables(&self, q: usize) -> usize {
        if q < 4 {
            return self.weights.len();
        }
        (q..=self.weights.len())
            .take_while(|&size| {
                choose(self.weights.len(), size).saturating_mul(partitions(size, q))
                    <= MOST_GROUPINGS
            })
            .last()
            .unwrap_or(0)
    }

    fn weight(&self, group: u64) -> u64 {
        ones(group).map(|bit| self.weights[bit]).sum()
    }

    fn cost(&self, groups: &[u64]) -> u64 {
        groups.iter().map(|&group| self.weight(group)).product()
    }

    /// The margins that can meet q groups: those of as many variables.
    fn large(&self, q: usize) -> Vec<u64> {
        let is_large = |margin: &u64| margin.count_ones() as usize >= q;
        self.margins.iter().copied().filter(is_large).collect()
    }

    /// The groupings of four groups over this many variables in all, cheapest first.
    pub(super) fn fours(&self, variables: usize) -> &[Groups] {
        self.lists[variables].get_or_init(|| {
            let mut list = Vec::new();
            let all =
                if self.weights.len() == 64 { u64::MAX } else { (1 << self.weights.len()) - 1 };
            let large = self.large(4);
            for union in subsets(all, variables) {
                let members: Vec<u64> = ones(union).map(|bit| 1 << bit).collect();
                part(&members, 4, &mut [0; 4], 0, &mut |groups| {
                    if is_free(&large, &groups) {
                        list.push(Groups { cost: self.cost(&groups), groups });
                    }
                });
            }
            list.sort_unstable();
            list
        })
    }
}

/// Does no margin meet all of these groups?
fn is_free(margins: &[u64], groups: &[u64]) -> bool {
    !margins.iter().any(|margin| groups.iter().all(|group| group & margin != 0))
}

/// Every way to part the members into q groups, each once: a member joins a group that is
/// begun, or begins the next.
fn part(
    members: &[u64],
    q: usize,
    groups: &mut [u64; 4],
    begun: usize,
    give: &mut dyn FnMut([u64; 4]),
) {
    let Some((&member, others)) = members.split_first() else {
        if begun == q {
            give(*groups);
        }
        return;
    };
    if members.len() < q - begun {
        return;
    }
    for group in 0..q.min(begun + 1) {
        groups[group] |= member;
        part(others, q, groups, begun.max(group + 1), give);
        groups[group] &= !member;
    }
}

/// Binomial coefficient, saturating.
fn choose(n: usize, k: usize) -> u64 {
    (0..k as u64).fold(1u64, |value, step| value.saturating_mul(n as u64 - step) / (step + 1))
}

/// Ways to part n things into q groups (Stirling's numbers of the second kind), saturating.
fn partitions(n: usize, q: usize) -> u64 {
    match (n, q) {
        (0, 0) => 1,
        (0, _) | (_, 0) => 0,
        _ => {
            (q as u64).saturating_mul(partitions(n - 1, q)).saturating_add(partitions(n - 1, q - 1))
        }
    }
}

/// The cheapest box over q groups that takes a record out of the middle cell, if there is
/// one within the limits.
pub(super) fn cheapest_box(
    hunt: &mut Hunt<'_, '_>,
    around: &mut Around<'_, '_>,
    q: usize,
) -> Option<Found> {
    let boxes = &around.space.boxes;
    let most = boxes.most_variables(q);
    let mut best: Option<Best> = None;
    for variables in q..=most {
        // With one more variable a box disturbs at least so much.
        let least = (variables + 1 - q) as u64;
        if best.as_ref().is_some_and(|best| best.cost <= least) || hunt.is_spent() {
            break;
        }
        hunt.reach(around, variables + 2 - q);
        let list = match q {
            2 => Cow::Owned(pair_groups(hunt, around, boxes, variables)),
            3 => Cow::Owned(three_groups(hunt, around, boxes, variables)),
            _ => Cow::Borrowed(boxes.fours(variables)),
        };
        for run in list.chunk_by(|left, right| left.cost == right.cost) {
            if best.as_ref().is_some_and(|best| best.cost <= run[0].cost) {
                break;
            }
            let mut choice = Best { cost: run[0].cost, found: None, met: 0 };
            let start = hunt.below(run.len());
            for groups in run[start..].iter().chain(&run[..start]) {
                let mut joining = Joining { hunt, around, q, choice: &mut choice };
                joining.try_groups(groups);
                hunt.spend(1);
                if choice.met >= CHOICES || hunt.is_spent() {
                    break;
                }
            }
            if choice.found.is_some() {
                best = Some(choice);
                break;
            }
            if hunt.is_spent() {
                break;
            }
        }
    }
    best.and_then(|best| best.found).map(|(_, found)| found)
}

/// The groupings of a pair swap: single parts of what differs, and all parts but one.
fn pair_groups(
    hunt: &mut Hunt<'_, '_>,
    around: &Around<'_, '_>,
    boxes: &BoxLists,
    variables: usize,
) -> Vec<Groups> {
    let space = around.space;
    let mut list: Vec<Groups> = Vec::new();
    hunt.spend(around.at(variables).len() as u64 * LINKING);
    for bucket in around.at(variables) {
        let parts = pair::exchangeable_parts(&space.graph, space.bits.set(bucket.mask));
        if parts.len() < 2 {
            continue;
        }
        for part in parts {
            let part = space.bits.of(part);
            let groups = [part, bucket.mask & !part];
            debug_assert!(
                is_free(&boxes.margins, &groups),
                "a part shares no margin with the others"
            );
            list.push(Groups { cost: boxes.cost(&groups), groups: [groups[0], groups[1], 0, 0] });
        }
    }
    list.sort_unstable();
    list
}

/// The groupings of three groups for which there are cells that flip each two of them.
///
/// The three sets in which these cells differ are A ∪ B, A ∪ C and B ∪ C: each is the symmetric
/// difference of the two others. So every two sets of cells that are there are looked at, the
/// third being the largest, as long as there is work left.
fn three_groups(
    hunt: &mut Hunt<'_, '_>,
    around: &Around<'_, '_>,
    boxes: &BoxLists,
    variables: usize,
) -> Vec<Groups> {
    let large = boxes.large(3);
    let mut list: Vec<Groups> = Vec::new();
    for first in 2..variables {
        for second in first..variables {
            // Every variable lies in two of the sets.
            let Some(third) = (2 * variables).checked_sub(first + second) else { continue };
            if third < second || third >= variables {
                continue;
            }
            for one in around.at(first) {
                if !hunt.spend(around.at(second).len() as u64) {
                    return list;
                }
                for two in around.at(second) {
                    let three = one.mask ^ two.mask;
                    let is_last = (second, two.mask) < (third, three);
                    if three.count_ones() as usize != third
                        || (first, one.mask) >= (second, two.mask)
                        || !is_last
                        || around.bucket(three).is_none()
                    {
                        continue;
                    }
                    let both = one.mask & two.mask;
                    let groups = [both, one.mask & !both, two.mask & !both];
                    if is_free(&large, &groups) {
                        let [a, b, c] = groups;
                        list.push(Groups { cost: boxes.cost(&groups), groups: [a, b, c, 0] });
                    }
                }
            }
        }
    }
    list.sort_unstable();
    list
}

/// The best move of one cost.
struct Best {
    cost: u64,
    /// With its rank.
    found: Option<((u64, u64), Found)>,
    met: usize,
}

/// One grouping joined with the cells around.
struct Joining<'j, 'h, 'w, 'r, 's, 'a> {
    hunt: &'j mut Hunt<'h, 'w>,
    around: &'r Around<'s, 'a>,
    q: usize,
    choice: &'j mut Best,
}

impl Joining<'_, '_, '_, '_, '_, '_> {
    fn try_groups(&mut self, groups: &Groups) {
        let q = self.q;
        let groups = &groups.groups[..q];
        // Every two groups need a cell that flips just them.
        let mut sizes = [[0usize; 4]; 4];
        for left in 0..q {
            for right in left + 1..q {
                let Some(bucket) = self.around.bucket(groups[left] | groups[right]) else { return };
                sizes[left][right] = bucket.len();
                sizes[right][left] = bucket.len();
            }
        }
        let work = |pivot: usize| -> usize {
            (0..q)
                .filter(|&other| other != pivot)
                .fold(1, |work: usize, other| work.saturating_mul(sizes[pivot][other]))
        };
        let pivot = (0..q).min_by_key(|&pivot| work(pivot)).expect("there are groups");
        let mut order: Vec<usize> = (0..q).filter(|&other| other != pivot).collect();
        order.sort_by_key(|&other| sizes[pivot][other]);
        order.insert(0, pivot);
        let groups: Vec<u64> = order.iter().map(|&group| groups[group]).collect();
        let mut flipped = self.around.middle().to_vec();
        self.extend(&groups, 1, &mut flipped);
    }

    /// Adds the group at `next` in every way; the groups before it are placed, and `flipped`
    /// holds their other values.
    fn extend(&mut self, groups: &[u64], next: usize, flipped: &mut Vec<u64>) {
        if next == groups.len() {
            self.judge(groups, flipped);
            return;
        }
        let around = self.around;
        let space = around.space;
        let bits = &space.bits;
        let bucket: &Bucket = around.bucket(groups[0] | groups[next]).expect("it was looked at");
        let cells = around.cells(bucket);
        let start = if next == 1 { self.hunt.below(cells.len()) } else { 0 };
        let before = flipped.clone();
        for &cell in cells[start..].iter().chain(&cells[..start]) {
            if self.choice.met >= CHOICES || !self.hunt.step() {
                return;
            }
            let words = space.cells.get(cell as usize);
            if next > 1 && !bits.agree(groups[0], words, &before) {
                continue;
            }
            flipped.copy_from_slice(&before);
            bits.put(groups[next] | if next == 1 { groups[0] } else { 0 }, words, flipped);
            // The other even flips with this group: an odd number of those before it.
            let mut all_there = true;
            for others in 1u64..1 << next {
                if others == 1 || others.count_ones() % 2 == 0 {
                    continue;
                }
                let flip = self.flip(groups, others | 1 << next, flipped);
                let there = space.index.find(&flip).is_some_and(|found| {
                    let mask = union(groups, others | 1 << next);
                    self.hunt.is_usable(around, found as usize, mask)
                });
                if !there {
                    all_there = false;
                    break;
                }
            }
            if all_there {
                self.extend(groups, next + 1, flipped);
            }
        }
        flipped.copy_from_slice(&before);
    }

    /// The middle cell with some groups flipped.
    fn flip(&self, groups: &[u64], chosen: u64, flipped: &[u64]) -> Vec<u64> {
        let mut cell = self.around.middle().to_vec();
        self.around.space.bits.put(union(groups, chosen), flipped, &mut cell);
        cell
    }

    fn judge(&mut self, groups: &[u64], flipped: &[u64]) {
        let space = self.around.space;
        let mut removed: Vec<u32> =
            vec![u32::try_from(self.around.own).expect("a cell's position")];
        let mut added: Vec<Vec<u64>> = Vec::new();
        for chosen in 1u64..1 << groups.len() {
            let cell = self.flip(groups, chosen, flipped);
            if chosen.count_ones() % 2 == 0 {
                removed.push(space.index.find(&cell).expect("it was looked up"));
            } else {
                added.push(cell);
            }
        }
        let sets: Vec<VarSet> = groups.iter().map(|&group| space.bits.set(group)).collect();
        if let Some(found) = self.hunt.judge(self.around, &removed, added, Kind::Box(sets)) {
            self.choice.met += 1;
            let rank = self.hunt.rank(&found);
            if self.choice.found.as_ref().is_none_or(|(best, _)| rank < *best) {
                self.choice.found = Some((rank, found));
            }
        }
    }
}

fn union(groups: &[u64], chosen: u64) -> u64 {
    ones(chosen).fold(0, |all, group| all | groups[group])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groupings_are_counted() {
        let lists = BoxLists::new(vec![1; 8], Vec::new());
        for variables in 4..=8 {
            let ways = choose(8, variables) * partitions(variables, 4);
            assert_eq!(lists.fours(variables).len() as u64, ways);
        }
        assert_eq!(lists.fours(5).len(), 56 * 10);
        assert_eq!(choose(12, 5), 792);
        assert_eq!(lists.most_variables(3), 8);
    }
}
