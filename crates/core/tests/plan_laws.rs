//! Laws of planning: a plan keeps the tables, changes the keys of whom it covers, respects
//! every constraint, repeats with its seed, and covers nearly as many as can be covered.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support::setting;

use std::collections::BTreeMap;

use marginswap_core::encode::{Layout, RecordId};
use marginswap_core::graph::{GeneratingClass, MarginGraph};
use marginswap_core::oracle::{World, all_antichains};
use marginswap_core::partner::pair;
use marginswap_core::partner::parting::can_part;
use marginswap_core::plan::{
    Aim, CellPlan, CellSwap, Constraints, Forbidden, Goal, Obstacle, Pairing, Prices, Taken, Term,
    cheapest,
};
use marginswap_core::random::{Random, Seed};
use marginswap_core::risk::rare_cells;
use marginswap_core::swap::apply;
use marginswap_core::table::{JointTable, Located};
use marginswap_core::varset::VarSet;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use setting::{Made, Setting, columns};

impl Setting {
    fn plan(&self, seed: u8) -> Made {
        self.made(Pairing::Greedy, 2, seed)
    }

    /// What can be exchanged between the two so that neither record has the keys of one of
    /// them, every table is kept and nothing that stays moves.
    fn exchanges(&self, left: usize, right: usize) -> Vec<VarSet> {
        let movable = VarSet::first(self.world.levels.len()) - self.prices.staying;
        movable
            .subsets()
            .filter(|&exchanged| {
                self.world.parts(left, right, exchanged, self.keys)
                    && self.world.is_effective(left, right, exchanged)
                    && self.world.keeps(left, right, exchanged, &self.tables)
            })
            .collect()
    }

    /// Do the two agree where they must?
    fn agree(&self, left: usize, right: usize) -> bool {
        let differing = self.world.differing(left, right);
        self.constraints.matches.iter().any(|agree| !differing.meets(agree))
    }

    fn clean_exchanges(&self, left: usize, right: usize) -> Vec<VarSet> {
        let mut exchanges = self.exchanges(left, right);
        exchanges.retain(|&exchanged| {
            self.is_clean(&self.world.swapped(left, right, exchanged), &[left, right])
        });
        exchanges
    }

    /// Can the two be swapped so that both change their keys, and nothing that stays does?
    fn can_protect(&self, left: usize, right: usize) -> bool {
        self.agree(left, right) && !self.clean_exchanges(left, right).is_empty()
    }

    /// What a swap costs.
    fn cost(&self, left: usize, right: usize, exchanged: VarSet) -> u64 {
        self.prices.cost(self.world.differing(left, right), exchanged)
    }

    /// Has somebody at risk these keys, and can everybody who has them be parted from them?
    fn is_protected(&self, key: &[u32]) -> bool {
        let risky = self.risky();
        let with_key =
            || (0..risky.len()).filter(|&other| self.key(&self.world.records[other]) == key);
        let graph = self.class().margin_graph();
        let can_leave = |record: usize| {
            let differing = |other| self.world.differing(record, other);
            (0..risky.len()).any(|other| can_part(&graph, differing(other), self.keys))
        };
        with_key().any(|other| risky[other]) && with_key().all(can_leave)
    }

    /// No record comes to have the keys of somebody at risk, and none breaks a rule in a way
    /// that no record of these did.
    fn is_clean(&self, after: &World, changed: &[usize]) -> bool {
        let layout = Layout::new(&self.world.levels);
        let broken = |world: &World, rule: &Forbidden| -> BTreeMap<Vec<u32>, usize> {
            let packed = world.packed();
            let mut found = BTreeMap::new();
            for &record in changed {
                if rule.holds(&layout, packed.cells().get(record)) {
                    let codes = rule.terms.iter().map(|t| world.records[record][t.variable]);
                    *found.entry(codes.collect()).or_default() += 1;
                }
            }
            found
        };
        let is_kept = |rule: &Forbidden| {
            let before = broken(&self.world, rule);
            let after = broken(after, rule);
            after.iter().all(|(codes, count)| before.get(codes).is_some_and(|old| old >= count))
        };
        self.constraints.forbidden.iter().all(is_kept)
            && !changed.iter().any(|&record| self.is_protected(&self.key(&after.records[record])))
    }

    /// Would an exchange between the two leave somebody alone with their keys, after all others, or
    /// give a record keys that several had and nobody has now, so that it is taken for one of them?
    fn would_expose(&self, after: &World, [left, right]: [usize; 2], exchanged: VarSet) -> bool {
        let having = |world: &World, key: &[u32]| {
            world.records.iter().filter(|other| self.key(other) == key).count()
        };
        let old = [left, right].map(|record| &self.world.records[record]);
        let leaves = old.iter().any(|record| {
            let key = self.key(record);
            having(after, &key) == 2 && !self.is_protected(&key)
        });
        let mut new = old.map(Clone::clone);
        for variable in exchanged {
            (new[0][variable], new[1][variable]) = (old[1][variable], old[0][variable]);
        }
        let comes = new.iter().any(|record| {
            let key = self.key(record);
            having(after, &key) == 0 && having(&self.world, &key) >= 2
        });
        leaves || comes
    }
}

fn settings() -> impl Strategy<Value = Setting> {
    (
        2usize..6,
        proptest::collection::vec(proptest::collection::btree_set(0usize..5, 1..3), 1..4),
        proptest::collection::vec(proptest::collection::vec(0u32..3, 5), 2..12),
        proptest::collection::btree_set(0usize..5, 1..4),
        proptest::option::of(0usize..5),
        proptest::collection::vec(1u64..4, 5),
        proptest::option::of((0usize..5, 0u32..3, 0usize..5, 0u32..3, any::<bool>())),
        proptest::option::weighted(0.3, 0usize..5),
        proptest::option::weighted(0.4, proptest::collection::vec(any::<bool>(), 1..12)),
    )
        .prop_map(|(variables, tables, records, keys, stays, weights, rule, agree, marked)| {
            let delta = VarSet::first(variables);
            let cut = |set: std::collections::BTreeSet<usize>| {
                set.into_iter().collect::<VarSet>() & delta
            };
            let tables: Vec<VarSet> =
                tables.into_iter().map(cut).filter(|table| !table.is_empty()).collect();
            let keys = cut(keys);
            let forbidden = rule
                .filter(|(left, _, right, ..)| {
                    *left < variables && *right < variables && left != right
                })
                .map(|(left, left_code, right, right_code, negated)| Forbidden {
                    terms: vec![
                        Term { variable: left, codes: vec![left_code], negated },
                        Term { variable: right, codes: vec![right_code], negated: false },
                    ],
                });
            Setting {
                world: World {
                    levels: vec![3; variables],
                    records: records
                        .into_iter()
                        .map(|record| record[..variables].to_vec())
                        .collect(),
                },
                tables,
                keys: if keys.is_empty() { VarSet::single(0) } else { keys },
                sensitive: VarSet::EMPTY,
                rounds: 0,
                prices: Prices {
                    staying: stays
                        .filter(|&stays| stays < variables)
                        .map_or(VarSet::EMPTY, VarSet::single),
                    weights: weights[..variables].to_vec(),
                },
                constraints: Constraints {
                    matches: vec![agree.map_or(VarSet::EMPTY, VarSet::single) & delta],
                    forbidden: forbidden.into_iter().collect(),
                    ..Constraints::default()
                },
                limit: usize::MAX,
                marked,
            }
        })
}

/// How many records at risk disjoint swaps can cover at most: tries every matching.
fn most_covered(setting: &Setting, risky: &[bool], used: &mut Vec<bool>, from: usize) -> usize {
    let Some(record) = (from..risky.len()).find(|&record| risky[record] && !used[record]) else {
        return 0;
    };
    used[record] = true;
    let mut best = most_covered(setting, risky, used, record + 1);
    for partner in 0..risky.len() {
        if !used[partner] && setting.can_protect(record, partner) {
            used[partner] = true;
            let gain = 1 + usize::from(risky[partner]);
            best = best.max(gain + most_covered(setting, risky, used, record + 1));
            used[partner] = false;
        }
    }
    used[record] = false;
    best
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn law_a_plan_protects_and_keeps(setting in settings(), limit in prop_oneof![Just(0), Just(usize::MAX)]) {
        let setting = Setting { limit, ..setting };
        let risky = setting.risky();
        let made = setting.plan(1);
        let released = setting.after(&made);
        for table in &setting.tables {
            prop_assert_eq!(setting.world.margin_table(*table), released.margin_table(*table));
        }
        let mut covered = 0;
        let mut changed = Vec::new();
        for swap in made.swaps() {
            let [left, right] = [swap.left, swap.right].map(RecordId::position);
            prop_assert!(risky[left] || risky[right], "a swap covers somebody");
            covered += usize::from(risky[left]) + usize::from(risky[right]);
            changed.extend([left, right]);
            prop_assert!(!setting.world.differing(left, right).meets(&setting.constraints.matches[0]));
            for record in [left, right] {
                let key = |world: &World| -> Vec<u32> {
                    setting.keys.iter().map(|variable| world.records[record][variable]).collect()
                };
                prop_assert_ne!(key(&setting.world), key(&released), "the keys change");
                for variable in setting.prices.staying {
                    prop_assert_eq!(setting.world.records[record][variable], released.records[record][variable]);
                }
            }
        }
        prop_assert!(setting.is_clean(&released, &changed), "no cell comes back, no rule is broken");
        // Nobody who could be covered by a free record is left.
        let is_free = |record: usize| !changed.contains(&record);
        for record in (0..risky.len()).filter(|&record| risky[record] && is_free(record)) {
            for partner in (0..risky.len()).filter(|&partner| is_free(partner)) {
                prop_assert!(!setting.can_protect(record, partner), "{} and {} are left", record, partner);
            }
        }
        let most = most_covered(&setting, &risky, &mut vec![false; risky.len()], 0);
        prop_assert!(covered <= most);
        // Where making room once helps nobody, no swap has two left records as the best
        // partners of its ends: at most one is left for each swap.
        prop_assert!(limit == 0 || covered * 2 >= most, "{} of {}", covered, most);
    }

    /// The exact pairing covers as many as any matching does, and costs no more than the
    /// cheapest one that covers that many.
    #[test]
    fn law_optimal_is_best(setting in settings()) {
        let risky = setting.risky();
        let covered = |plan: &Made| -> usize {
            plan.swaps()
                .iter()
                .flat_map(|swap| [swap.left, swap.right])
                .filter(|record| risky[record.position()])
                .count()
        };
        let cost = |plan: &Made| -> u64 {
            plan.swaps()
                .iter()
                .map(|swap| {
                    let differing = setting.world.differing(swap.left.position(), swap.right.position());
                    setting.prices.cost(differing, swap.exchanged)
                })
                .sum()
        };
        let best = setting.made(Pairing::Optimal, 2, 1);
        let most = most_covered(&setting, &risky, &mut vec![false; risky.len()], 0);
        prop_assert_eq!(covered(&best), most);
        let greedy = setting.plan(1);
        if covered(&greedy) == most {
            prop_assert!(cost(&best) <= cost(&greedy));
        }
    }

    /// Who is left has the obstacle that the definition gives, and nobody else is named.
    #[test]
    fn law_left_over_for_a_reason(
        setting in settings(),
        budget in proptest::option::of(0u64..4),
        second in proptest::option::of(0usize..5),
    ) {
        let mut setting = setting;
        setting.constraints.most_changed = budget;
        if let Some(second) = second.filter(|&second| second < setting.world.levels.len()) {
            setting.constraints.matches.push(VarSet::single(second));
        }
        let risky = setting.risky();
        let made = setting.plan(4);
        let swaps = made.swaps();
        let used: Vec<usize> =
            swaps.iter().flat_map(|swap| [swap.left.position(), swap.right.position()]).collect();
        let is_full = budget.is_some_and(|budget| used.len() as u64 + 2 > budget);
        let joint = Located::count(&setting.world.packed());
        let mut expected = BTreeMap::new();
        for record in (0..risky.len()).filter(|&record| risky[record] && !used.contains(&record)) {
            let others = || (0..risky.len()).filter(move |&other| other != record);
            let tables = &setting.tables;
            let has_partner = others().any(|other| {
                VarSet::first(setting.world.levels.len()).subsets().any(|exchanged| {
                    setting.world.is_effective(record, other, exchanged)
                        && setting.world.keeps(record, other, exchanged, tables)
                })
            });
            if !has_partner {
                continue;
            }
            let changes_keys = |other: &usize| !setting.exchanges(record, *other).is_empty();
            let agrees = |other: &usize| setting.agree(record, *other);
            let is_allowed = |other: &usize| setting.can_protect(record, *other);
            let is_free = |other: &usize| !used.contains(other);
            let obstacle = if !others().any(|other| changes_keys(&other)) {
                Obstacle::Keys
            } else if !others().filter(changes_keys).any(|other| agrees(&other)) {
                Obstacle::Match
            } else if !others().any(|other| is_allowed(&other)) {
                Obstacle::Rules
            } else if !others().filter(is_allowed).any(|other| is_free(&other)) {
                Obstacle::Taken
            } else {
                prop_assert!(is_full, "a free partner is left alone");
                Obstacle::Budget
            };
            let known = expected.entry(joint.cell_of(RecordId::at(record))).or_insert((0, obstacle));
            known.0 += 1;
            prop_assert_eq!(known.1, obstacle, "the records of a cell have one obstacle");
        }
        let found: BTreeMap<_, _> = made.planned.left_over.iter().map(|left| (left.cell, (left.records, left.obstacle))).collect();
        prop_assert_eq!(found, expected);
    }

    /// No two records at risk with a helper each could have taken each other for less.
    #[test]
    fn law_merging_saves(setting in settings()) {
        let risky = setting.risky();
        let singles: Vec<(usize, u64)> = setting
            .plan(5)
            .swaps()
            .iter()
            .filter_map(|swap| {
                let (left, right) = (swap.left.position(), swap.right.position());
                let cost = setting.cost(left, right, swap.exchanged);
                match (risky[left], risky[right]) {
                    (true, false) => Some((left, cost)),
                    (false, true) => Some((right, cost)),
                    _ => None,
                }
            })
            .collect();
        for (position, &(left, left_cost)) in singles.iter().enumerate() {
            for &(right, right_cost) in &singles[..position] {
                if setting.agree(left, right) {
                    for exchanged in setting.clean_exchanges(left, right) {
                        let cost = setting.cost(left, right, exchanged);
                        prop_assert!(cost >= left_cost + right_cost, "{} and {}", left, right);
                    }
                }
            }
        }
    }

    /// Each list of match variables is tried before the next: who has a swap that agrees
    /// only on a later list has no free partner on an earlier one.
    #[test]
    fn law_match_lists_in_order(setting in settings(), lists in proptest::collection::vec(0usize..5, 2..4)) {
        let mut setting = setting;
        let delta = VarSet::first(setting.world.levels.len());
        setting.constraints.matches =
            lists.into_iter().map(|list| VarSet::single(list) & delta).collect();
        let made = setting.plan(6);
        let swaps = made.swaps();
        for swap in swaps {
            prop_assert!(setting.agree(swap.left.position(), swap.right.position()));
        }
        let used: Vec<usize> =
            swaps.iter().flat_map(|swap| [swap.left.position(), swap.right.position()]).collect();
        let risky = setting.risky();
        for record in (0..risky.len()).filter(|&record| risky[record] && !used.contains(&record)) {
            for other in (0..risky.len()).filter(|other| !used.contains(other)) {
                prop_assert!(!setting.can_protect(record, other), "a later list is ignored");
            }
        }
    }

    #[test]
    fn law_plans_repeat(setting in settings()) {
        prop_assert_eq!(setting.plan(3), setting.plan(3));
    }

    #[test]
    fn law_applying_is_swapping(setting in settings()) {
        let made = setting.plan(2);
        let mut world = setting.world.clone();
        for swap in made.swaps() {
            world = world.swapped(swap.left.position(), swap.right.position(), swap.exchanged);
        }
        prop_assert_eq!(&setting.after(&made), &world);
        let category = |code: u32| format!("c{code}");
        let after = apply(&made.plan, &columns(&setting.world, category));
        for (record, codes) in world.records.iter().enumerate() {
            for (variable, &code) in codes.iter().enumerate() {
                let column = after.get(variable).unwrap();
                let found = column.dictionary().category(column.code(record));
                prop_assert_eq!(found.map(<[u8]>::to_vec), Some(category(code).into_bytes()));
            }
        }
        prop_assert_eq!(made.records_changed(), 2 * made.swaps().len() as u64);
        let cells: usize = (0..world.records.len())
            .map(|record| (0..world.levels.len()).filter(|&v| world.records[record][v] != setting.world.records[record][v]).count())
            .sum();
        prop_assert_eq!(made.planned.plan.values_changed(VarSet::first(world.levels.len())), cells as u64);
    }

    #[test]
    fn law_rare_on_the_keys(setting in settings(), k in 1u64..4) {
        let joint = Located::count(&setting.world.packed());
        let rare = rare_cells(&joint, setting.keys, k);
        let table = setting.world.margin_table(setting.keys);
        for (record, codes) in setting.world.records.iter().enumerate() {
            let key: Vec<u32> = setting.keys.iter().map(|variable| codes[variable]).collect();
            prop_assert_eq!(rare[joint.cell_of(RecordId::at(record)).position()], table[&key] < k);
        }
    }

    /// The cap holds, and a rate adds swaps up to it as far as partners go.
    #[test]
    fn a_budget_is_honoured(setting in settings(), most in 0u64..8, least in 0u64..12) {
        let capped = Setting {
            constraints: Constraints { most_changed: Some(most), ..setting.constraints.clone() },
            ..setting.clone()
        };
        prop_assert!(capped.plan(1).records_changed() <= most);
        let filled = Setting {
            constraints: Constraints { least_changed: Some(least), ..setting.constraints.clone() },
            ..setting.clone()
        };
        let changed = filled.plan(1).records_changed();
        let needed = setting.plan(1).records_changed();
        prop_assert!(changed <= needed.max(least + 1));
        if changed < least {
            let used: Vec<usize> = filled
                .plan(1)
                .swaps()
                .iter()
                .flat_map(|swap| [swap.left.position(), swap.right.position()])
                .collect();
            for left in (0..setting.world.records.len()).filter(|record| !used.contains(record)) {
                for right in (0..left).filter(|record| !used.contains(record)) {
                    let after = filled.after(&filled.plan(1));
                    let can = setting.agree(left, right)
                        && setting.clean_exchanges(left, right).into_iter().any(|exchanged| {
                            !setting.would_expose(&after, [left, right], exchanged)
                        });
                    prop_assert!(!can, "a rate is reached where it can be");
                }
            }
        }
    }
}

/// One by one a plan may cover half of what the best one covers; over many it comes near.
#[test]
fn greedy_comes_near_the_best() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut covered, mut most, mut cost, mut best_cost) = (0, 0, 0, 0);
    for _ in 0..1500 {
        let setting = settings().new_tree(&mut runner).unwrap().current();
        let risky = setting.risky();
        let count = |plan: &Made| {
            let records = plan.swaps().iter().flat_map(|swap| [swap.left, swap.right]);
            records.filter(|record| risky[record.position()]).count()
        };
        let price = |plan: &Made| -> u64 {
            let swaps = plan.swaps().iter();
            swaps.map(|s| setting.cost(s.left.position(), s.right.position(), s.exchanged)).sum()
        };
        let (greedy, best) = (setting.plan(7), setting.made(Pairing::Optimal, 2, 7));
        covered += count(&greedy);
        most += count(&best);
        if count(&greedy) == count(&best) {
            cost += price(&greedy);
            best_cost += price(&best);
        }
    }
    assert!(covered * 1000 >= most * 985, "{covered} of {most} are covered");
    assert!(cost * 100 <= best_cost * 108, "a cost of {cost} where {best_cost} is enough");
}

/// The cheapest exchange, against trying every union of parts, for every class on up to
/// four variables, every difference, every set of keys and every goal.
#[test]
fn law_cheapest_exchange() {
    for variables in 2..=4 {
        let delta = VarSet::first(variables);
        let prices = [
            Prices { staying: VarSet::EMPTY, weights: vec![1; variables] },
            Prices { staying: VarSet::EMPTY, weights: (1..=variables as u64).collect() },
            Prices { staying: VarSet::single(variables - 1), weights: vec![2; variables] },
        ];
        for chain in all_antichains(variables) {
            let graph = GeneratingClass::new(delta, chain).margin_graph();
            for (keys, differing) in delta
                .subsets()
                .flat_map(|keys| delta.subsets().map(move |differing| (keys, differing)))
            {
                for (prices, goal) in prices.iter().flat_map(|prices| {
                    [Goal::Part, Goal::Detach, Goal::Any].map(|goal| (prices, goal))
                }) {
                    for needed in 1..=2 {
                        let aim = Aim { keys, sensitive: delta - keys, needed };
                        check_cheapest(&graph, prices, goal, aim, differing);
                    }
                }
            }
        }
    }
}

fn check_cheapest(graph: &MarginGraph, prices: &Prices, goal: Goal, aim: Aim, differing: VarSet) {
    let parts = pair::exchangeable_parts(graph, differing);
    let serves = |exchanged: &VarSet| {
        let at_stake = differing & aim.keys;
        let behind = differing - *exchanged;
        let parted = at_stake.meets(exchanged) && at_stake.meets(&behind);
        let detached = !at_stake.is_empty()
            && at_stake.is_subset(exchanged)
            && (behind & aim.sensitive).len() >= aim.needed;
        match goal {
            Goal::Part => parted,
            Goal::Detach => parted || detached,
            Goal::Any => !at_stake.is_empty(),
        }
    };
    let both = |exchanged: VarSet| [exchanged, differing - exchanged];
    let all: Vec<VarSet> = pair::exchanges(&parts)
        .filter(|&exchanged| both(exchanged).iter().any(serves))
        .flat_map(both)
        .filter(|exchanged| !exchanged.meets(&prices.staying))
        .collect();
    let cheapest_cost = all.iter().map(|exchanged| prices.cost(differing, *exchanged)).min();
    let offer = cheapest(graph, prices, goal, &[aim], differing);
    assert_eq!(offer.as_ref().map(|offer| offer.cost), cheapest_cost);
    for exchanged in offer.into_iter().flat_map(|offer| offer.exchanges) {
        assert!(all.contains(&exchanged));
        assert_eq!(Some(prices.cost(differing, exchanged)), cheapest_cost);
    }
}

/// What a broken planner would do is caught.
#[test]
fn law_a_plan_keeps_every_table() {
    let world =
        World { levels: vec![2, 2], records: vec![vec![0, 0], vec![1, 1], vec![0, 1], vec![1, 0]] };
    let located = Located::count(&world.packed());
    let free = GeneratingClass::new(VarSet::first(2), [VarSet::single(0)]);
    let tied = GeneratingClass::new(VarSet::first(2), [VarSet::first(2)]);
    let taken = |record| Taken { cell: located.cell_of(RecordId(record)), at_risk: true };
    let swap =
        |left, right, exchanged| CellSwap { left: taken(left), right: taken(right), exchanged };
    let joint: &JointTable = &located;
    let fails = |class: &GeneratingClass, swaps: Vec<CellSwap>| {
        let made = || CellPlan::new(joint, &[1; 4], class, swaps, Vec::new());
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(made)).is_err()
    };
    assert!(!fails(&free, vec![swap(1, 0, VarSet::single(0)), swap(2, 3, VarSet::single(1))]));
    assert!(fails(&tied, vec![swap(0, 1, VarSet::single(0))]), "it changes a table");
    assert!(fails(&free, vec![swap(0, 1, VarSet::first(2))]), "it has no effect");
    assert!(fails(&free, vec![swap(0, 2, VarSet::single(0))]), "nothing differs there");
    let twice = vec![swap(0, 1, VarSet::single(0)), swap(1, 0, VarSet::single(0))];
    assert!(fails(&free, twice), "a cell of one record gives two");
    let mut other = swap(0, 1, VarSet::single(0));
    other.left.at_risk = false;
    assert!(fails(&free, vec![other]), "all of the cell are at risk");
}

/// A swap is proved by itself, not by the one before it.
#[test]
fn every_swap_of_a_plan_is_proved() {
    // Each cell has one record at risk, and another one.
    let cells = [[0, 0], [1, 1], [0, 1], [1, 0]];
    let records = [cells, cells].concat().iter().map(|cell| cell.to_vec()).collect();
    let located = Located::count(&World { levels: vec![2, 2], records }.packed());
    let class = GeneratingClass::new(VarSet::first(2), [VarSet::single(0)]);
    let fails = |swaps: Vec<CellSwap>| {
        let made = || CellPlan::new(&located, &[1; 4], &class, swaps, Vec::new());
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(made)).is_err()
    };
    let swap = |[left, right]: [u32; 2], at_risk, exchanged| {
        let taken = |record| Taken { cell: located.cell_of(RecordId(record)), at_risk };
        CellSwap { left: taken(left), right: taken(right), exchanged }
    };
    let good = swap([1, 0], true, VarSet::single(0));
    assert!(!fails(vec![good]));
    assert!(!fails(vec![good, swap([0, 1], false, VarSet::single(1))]));
    let no_effect = swap([2, 3], true, VarSet::first(2));
    assert!(fails(vec![good, no_effect]), "another exchange");
    let nothing_differs = swap([0, 2], false, VarSet::single(0));
    assert!(fails(vec![good, nothing_differs]), "another difference");
    let twice = swap([0, 1], true, VarSet::single(0));
    assert!(fails(vec![good, twice]), "one record of a cell is at risk");
    let other = swap([0, 1], false, VarSet::single(0));
    assert!(fails(vec![other, other]), "one record of a cell is not at risk");
}

/// Large enough that the cells of one set are cut into several pieces, and that not all cells look
/// for partners at once: with nearly everybody at risk and swaps for a share of the file, and with
/// few.
#[test]
fn law_plans_are_blind_to_threads() {
    let random = &mut Random::new(Seed([5; 32]), 0);
    let levels = vec![12usize, 10, 9, 8, 7, 6];
    let codes = |random: &mut Random| -> Vec<u32> {
        // Small codes are common, as categories are.
        let code = |levels: usize, random: &mut Random| {
            u32::try_from(random.below(levels).min(random.below(levels))).unwrap()
        };
        levels.iter().map(|&levels| code(levels, random)).collect()
    };
    let records = (0..36_000).map(|_| codes(random)).collect();
    let world = World { levels: levels.clone(), records };
    // Enough cells, and cells at risk, for keys to be numbered in several shares.
    let joint = Located::count(&world.packed());
    let alone = joint.counts().iter().filter(|&&count| count == 1).count();
    assert!(joint.len() + alone >= 1 << 15);
    let tables = vec![VarSet::from([0, 1]), VarSet::from([1, 2]), VarSet::from([3, 4])];
    let prices = Prices { staying: VarSet::EMPTY, weights: vec![1; levels.len()] };
    let everybody = VarSet::first(levels.len());
    let few = VarSet::from([0, 1, 2, 3]);
    let mut swaps = Vec::new();
    for (keys, least) in [(everybody, Some(33_000)), (few, None)] {
        let setting = Setting {
            world: world.clone(),
            tables: tables.clone(),
            prices: prices.clone(),
            keys,
            sensitive: everybody - keys,
            rounds: 2,
            constraints: Constraints { least_changed: least, ..Constraints::default() },
            limit: usize::MAX,
            marked: None,
        };
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| setting.plan(3))
        };
        let one = with(1);
        assert_eq!(one, with(2));
        assert_eq!(one, with(3));
        swaps.push(one.swaps().len());
    }
    assert!(swaps[0] > 4_500 && swaps[1] > 300, "{swaps:?}");
}

/// Two people at risk who are alike find the same two partners, through a slice: both take one of
/// them where that harms nobody, and one of each where the second would leave somebody alone.
#[test]
fn what_suits_one_record_suits_others_that_are_alike() {
    // 0 and 1 are parted by 2, on which nobody else agrees with them and their partners. With so
    // many others no round of near cells is worth its reading.
    for (company, with_one) in [(5, true), (3, false)] {
        let people = [([0, 0, 0], 2), ([1, 1, 0], company), ([2, 2, 0], company)];
        let near = people.into_iter().flat_map(|(codes, many)| vec![codes.to_vec(); many]);
        let records: Vec<Vec<u32>> = near.chain((1..3000).map(|area| vec![0, 0, area])).collect();
        let mut marked = vec![false; records.len()];
        marked[..2].fill(true);
        let setting = Setting {
            world: World { levels: vec![3, 3, 3000], records },
            tables: vec![VarSet::from([0, 2]), VarSet::from([1, 2])],
            prices: Prices { staying: VarSet::EMPTY, weights: vec![1; 3] },
            keys: VarSet::first(3),
            sensitive: VarSet::EMPTY,
            rounds: 0,
            constraints: Constraints::default(),
            limit: usize::MAX,
            marked: Some(marked),
        };
        for seed in 0..20 {
            let made = setting.plan(seed);
            let [one, other] = made.planned.plan.swaps() else { panic!("two swaps: {made:?}") };
            assert_eq!(one.right.cell == other.right.cell, with_one, "{company} {seed}");
            assert_eq!(made.planned.exposed, []);
        }
    }
}
