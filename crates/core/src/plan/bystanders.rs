//! People whom a plan leaves alone with their keys.
//!
//! Taking one of two records with the same keys away leaves the other one alone with them,
//! and all its values true. Such swaps are avoided among equally cheap ones. Anybody who is
//! left alone all the same is at risk from then on and is protected in a further round; that
//! may leave others alone, so the number of rounds is bounded, and who is exposed in the end
//! is listed.
//!
//! The definition is that of [`crate::verify::Learned::newly_exposed`], on cells.

use rayon::prelude::*;

use super::buckets::Marks;
use super::judge::{Change, Exchanged};
use super::{CellSwap, Goal, Pairing, Planner, SIDE_BY_SIDE};
use crate::hash::{Map, STATE, Set};
use crate::table::CellId;

/// Records of one cell whom a plan exposes to one intruder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exposed {
    /// Which intruder.
    pub intruder: usize,
    /// The cell.
    pub cell: CellId,
    /// How many records of it: all of them are like the one that is alone.
    pub records: u32,
}

/// May a swap leave somebody alone with their keys?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bystanders {
    /// Where no other swap is as good.
    Avoided,
    /// Never.
    Spared,
}

impl Planner<'_> {
    /// Lets others come to have the keys of people whom no pair parts from them. These are
    /// then shared, and the others may be people at risk who were kept out before.
    ///
    /// Law: `company-takes-nothing-away`.
    pub(super) fn give_company(&mut self) {
        self.close_cells();
        if self.task.rounds == 0 || self.open.is_empty() || self.is_full() {
            return;
        }
        self.exhausted.forget();
        let cells = self.task.joint.cells();
        for &cell in &self.open {
            let cell = cell as usize;
            let combinations = self.combinations.iter_mut();
            combinations.for_each(|keys| {
                if keys.is_at_risk(cell) {
                    keys.open_to_others(cell, cells.get(cell));
                }
            });
        }
        for &agree in &self.task.constraints.matches {
            self.look_through_slices(agree);
            self.augment(agree);
        }
    }

    /// Protects whom earlier swaps left alone, as far as the rounds go.
    pub(super) fn protect_bystanders(&mut self) {
        let mut nobody_rests = true;
        for round in 1..=self.task.rounds {
            let exposed = self.newly_exposed();
            let members = self.members_left_alone();
            let nobody = exposed.is_empty() && members.is_empty();
            if (nobody && nobody_rests) || self.is_full() {
                return;
            }
            // Whom all searches before left in need has nothing new to find but what these
            // rounds themselves set free: that is looked at in the last of them.
            nobody_rests = nobody || round == self.task.rounds;
            for cell in 0..self.resting.len() {
                self.resting[cell] = !nobody_rests && self.pool.is_open(cell);
            }
            for (intruder, cell) in members {
                let words = self.task.joint.cells().get(cell);
                self.combinations[intruder].protect_members(cell, words);
                self.want(cell);
            }
            let mut stuck: Set<(usize, u32)> = Set::with_hasher(STATE);
            for Exposed { intruder, cell, .. } in exposed {
                let cell = cell.position();
                let combinations = &mut self.combinations[intruder];
                let is_there = self.pool.others(cell) > 0 && !self.pool.is_open(cell);
                if is_there && !combinations.is_at_risk(cell) {
                    combinations.protect(cell);
                    self.want(cell);
                } else {
                    stuck.insert((intruder, combinations.of(cell)));
                }
            }
            if !stuck.is_empty() {
                self.bring_company(&stuck);
            }
            for bystanders in [Bystanders::Spared, Bystanders::Avoided] {
                self.bystanders = bystanders;
                self.cover(Goal::Part, Pairing::Greedy).expect("a greedy pairing can be had");
                if self.task.may_detach() {
                    self.cover(Goal::Detach, Pairing::Greedy).expect("and so can this one");
                }
            }
        }
    }

    /// One more record of a cell is in need.
    fn want(&mut self, cell: usize) {
        self.pool.want(cell);
        self.resting[cell] = false;
    }

    /// The cells of households without a swap in which a member is alone now, who was not before:
    /// for each intruder, those whose household is not at risk yet.
    fn members_left_alone(&self) -> Vec<(usize, usize)> {
        let cells = self.task.joint.cells();
        let mut found = Vec::new();
        let of_households =
            self.combinations.iter().enumerate().filter(|(_, one)| one.has_members());
        for (intruder, combinations) in of_households {
            let left = (0..cells.len()).filter(|&cell| {
                self.pool.others(cell) > 0
                    && !self.pool.is_open(cell)
                    && !combinations.is_at_risk(cell)
                    && combinations.leaves_a_member_alone(cells.get(cell))
            });
            found.extend(left.map(|cell| (intruder, cell)));
        }
        // A cell that two intruders find is wanted once.
        found.sort_by_key(|&(_, cell)| cell);
        found.dedup_by_key(|(_, cell)| *cell);
        found
    }

    /// Undoes the swaps that took the company of people away who cannot be protected: these are
    /// combinations of the intruders' keys.
    fn bring_company(&mut self, stuck: &Set<(usize, u32)>) {
        for intruder in 0..self.combinations.len() {
            let is_stuck = |combination| stuck.contains(&(intruder, combination));
            for cell in self.combinations[intruder].give_up(is_stuck) {
                self.given_up.put(cell, self.pool.open(cell) > 0);
                self.pool.forget_wish(cell);
            }
        }
        let is_stuck = |planner: &Self, intruder: usize, cell: usize| {
            stuck.contains(&(intruder, planner.combinations[intruder].of(cell)))
        };
        let takes = |swap: &CellSwap| {
            let [left, right] = [swap.left, swap.right].map(|taken| taken.cell.position());
            self.offers.aims().iter().enumerate().any(|(intruder, aim)| {
                (is_stuck(self, intruder, left) || is_stuck(self, intruder, right))
                    && aim.is_parted(self.differing(left, right), swap.exchanged)
            })
        };
        let (undone, kept) = self.swaps.iter().copied().partition::<Vec<CellSwap>, _>(takes);
        self.swaps = kept;
        for swap in undone {
            self.count_swap(&swap, Change::Undone);
            for taken in [swap.left, swap.right] {
                self.pool.give_back(taken);
                let cell = taken.cell.position();
                let is_one = (0..self.combinations.len()).any(|one| is_stuck(self, one, cell));
                if is_one && taken.at_risk {
                    self.given_up.put(cell, true);
                }
            }
        }
    }

    /// The records whose keys one record has now and more had before, and that record agrees
    /// with them in every sensitive value; in the order of intruders and cells.
    ///
    /// Law: `newly-exposed-are-listed`.
    pub(super) fn newly_exposed(&self) -> Vec<Exposed> {
        let cells = self.task.joint.cells();
        let mut found = Vec::new();
        for (intruder, combinations) in self.combinations.iter().enumerate() {
            let sensitive = self.task.intruders[intruder].sensitive;
            let is_alone = |&cell: &usize| combinations.is_alone_now(cell);
            let alone: Vec<usize> = (0..cells.len())
                .into_par_iter()
                .with_min_len(SIDE_BY_SIDE)
                .filter(is_alone)
                .collect();
            let exposed = |cell: usize| {
                let (cell, records) = (CellId::at(cell), self.task.joint.counts()[cell]);
                Exposed { intruder, cell, records }
            };
            // Where there is nothing to learn, it does not matter which record that is.
            if alone.is_empty() || sensitive.is_empty() {
                found.extend(alone.into_iter().map(exposed));
                continue;
            }
            // For each combination with one record now, that record: one that has stayed, or one
            // that came.
            let mut has_it: Map<u32, Vec<u64>> = Map::with_hasher(STATE);
            for &cell in alone.iter().filter(|&&cell| self.pool.is_free(cell)) {
                has_it.insert(combinations.of(cell), cells.get(cell).to_vec());
            }
            let mut left = alone.clone();
            left.retain(|&cell| !has_it.contains_key(&combinations.of(cell)));
            if !left.is_empty() {
                let wanted: Set<u32> = left.iter().map(|&cell| combinations.of(cell)).collect();
                let marks = left.iter().map(|&cell| combinations.mixed(cells.get(cell)));
                let marks = Marks::of(marks, left.len());
                has_it.extend(self.made_where(|words| {
                    let may_be_one = marks.holds(combinations.mixed(words));
                    let combination = may_be_one.then(|| combinations.find(words)).flatten()?;
                    wanted.contains(&combination).then(|| (combination, words.to_vec()))
                }));
            }
            for cell in alone {
                let now = &has_it[&combinations.of(cell)];
                let differing = cells.layout().differing(cells.get(cell), now);
                if !differing.meets(&sensitive) {
                    found.push(exposed(cell));
                }
            }
        }
        found
    }

    /// What is to be known of the cells that swaps and groups make, in their order.
    fn made_where<T: Send>(&self, known: impl Fn(&[u64]) -> Option<T> + Sync) -> Vec<T> {
        let cells = self.task.joint.cells();
        let swaps = self.swaps.par_iter().with_min_len(SIDE_BY_SIDE).flat_map_iter(|swap| {
            let [left, right] =
                [swap.left, swap.right].map(|taken| cells.get(taken.cell.position()));
            let new = Exchanged::new(cells.layout(), left, right, swap.exchanged);
            new.cells().map(&known).into_iter().flatten()
        });
        let mut all: Vec<T> = swaps.collect();
        let groups = self.groups.made.iter().flatten();
        all.extend(groups.filter_map(|(_, words)| known(words)));
        all
    }

    /// Counts the records of every combination again, from the swaps and groups.
    pub(super) fn recount(&mut self) {
        let made: Vec<Vec<u64>> = self.made_where(|words| Some(words.to_vec()));
        let cells = self.task.joint.cells();
        let taken = self.swaps.iter().flat_map(|swap| [swap.left, swap.right]);
        let taken: Vec<usize> = taken
            .chain(self.groups.made.iter().flatten().map(|(taken, _)| *taken))
            .map(|taken| taken.cell.position())
            .collect();
        for combinations in &mut self.combinations {
            combinations.reset();
            taken.iter().for_each(|&cell| combinations.leave(cell, cells.get(cell)));
            made.iter().for_each(|words| combinations.arrive(words));
        }
    }
}
