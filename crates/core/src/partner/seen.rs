//! Which two values occur together: what keeps impossible people out of a plan.
//!
//! For each pair of variables the combinations that some record of the file has, listed when
//! first asked for, or for many pairs at once before that. An exchange can only make a new one of
//! a variable that travels with one that does not, so a judgement asks about few pairs.

use std::sync::OnceLock;

use rayon::prelude::*;

use crate::hash::{STATE, Set};
use crate::table::JointTable;
use crate::varset::VarSet;

/// Up to this many combinations of a pair are a bit each; more are a set of those that occur.
const MOST_BITS: u64 = 1 << 24;

/// The combinations of two values that occur.
pub(crate) struct Seen<'a> {
    joint: &'a JointTable,
    variables: usize,
    /// For each variable, more than any of its codes.
    levels: OnceLock<Vec<u64>>,
    pairs: Vec<OnceLock<Occurring>>,
}

enum Occurring {
    Bits { width: u64, bits: Vec<u64> },
    Listed(Set<u64>),
}

impl<'a> Seen<'a> {
    pub(crate) fn new(joint: &'a JointTable) -> Self {
        let variables = joint.cells().layout().variables();
        let pairs = (0..variables * variables).map(|_| OnceLock::new()).collect();
        Self { joint, variables, levels: OnceLock::new(), pairs }
    }

    /// How many combinations of a variable in `one` with one in `other` a cell has that no
    /// record of the file has.
    ///
    /// Law: `never-seen-by-definition`.
    pub(crate) fn never_seen(
        &self,
        cell: &[u64],
        one: VarSet,
        other: VarSet,
        counts: impl Fn(usize, usize) -> bool,
    ) -> usize {
        let layout = self.joint.cells().layout();
        one.iter()
            .flat_map(|left| other.iter().map(move |right| (left.min(right), left.max(right))))
            .filter(|&(left, right)| counts(left, right))
            .filter(|&(left, right)| {
                let codes = [layout.code(cell, left), layout.code(cell, right)];
                !self.occurring(left, right).holds(codes.map(u64::from))
            })
            .count()
    }

    /// Has some record of the file these codes of two variables, the smaller variable first?
    pub(crate) fn holds(&self, left: usize, right: usize, codes: [u32; 2]) -> bool {
        self.occurring(left, right).holds(codes.map(u64::from))
    }

    /// Lists what occurs of these pairs, the smaller variable first, on all threads. A thread
    /// that asks for a pair not listed yet lists it, and others wait.
    pub(crate) fn list(&self, pairs: &[(usize, usize)]) {
        self.levels();
        pairs.par_iter().with_max_len(1).for_each(|&(left, right)| {
            self.occurring(left, right);
        });
    }

    fn levels(&self) -> &[u64] {
        self.levels.get_or_init(|| {
            let cells = self.joint.cells();
            let largest = |variable: usize| cells.iter().map(cells.layout().reader(variable)).max();
            (0..self.variables)
                .map(|variable| largest(variable).map_or(1, |code| code + 1))
                .collect()
        })
    }

    fn occurring(&self, left: usize, right: usize) -> &Occurring {
        self.pairs[left * self.variables + right].get_or_init(|| {
            let cells = self.joint.cells();
            let readers = [left, right].map(|variable| cells.layout().reader(variable));
            let codes = || cells.iter().map(|cell| readers.map(|read| read(cell)));
            let [height, width] = [left, right].map(|variable| self.levels()[variable]);
            if height * width <= MOST_BITS {
                let words = usize::try_from((height * width).div_ceil(64)).expect("few bits");
                let mut bits = vec![0u64; words];
                // Where both have few values, all combinations are soon met.
                let mut missing = height * width;
                for [left, right] in codes() {
                    let (word, bit) = place(left * width + right);
                    missing -= u64::from(bits[word] & bit == 0);
                    bits[word] |= bit;
                    if missing == 0 {
                        break;
                    }
                }
                Occurring::Bits { width, bits }
            } else {
                let mut listed = Set::with_hasher(STATE);
                listed.extend(codes().map(|[left, right]| left << 32 | right));
                Occurring::Listed(listed)
            }
        })
    }
}

impl Occurring {
    fn holds(&self, [left, right]: [u64; 2]) -> bool {
        match self {
            Self::Bits { width, bits } => {
                let (word, bit) = place(left * width + right);
                bits[word] & bit != 0
            }
            Self::Listed(listed) => listed.contains(&(left << 32 | right)),
        }
    }
}

fn place(bit: u64) -> (usize, u64) {
    (usize::try_from(bit / 64).expect("few bits"), 1 << (bit % 64))
}
