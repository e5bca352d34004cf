//! What an exchange between two cells is worth, and whether it is allowed at all.
//!
//! Not allowed is what leaves somebody at risk who takes part unprotected, brings a protected
//! combination of keys back, makes a record break a rule that it did not break before, or
//! puts two values together that must not be seen together for the first time.

use super::bystanders::Bystanders;
use super::{CellSwap, Goal, Offer, Planner};
use crate::encode::Layout;
use crate::hash::chance;
use crate::partner::pair::exchangeable_parts;
use crate::partner::swap::exchange_into;
use crate::varset::VarSet;

/// A swap between two cells that is allowed; less is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Judgement {
    /// Is somebody only detached, not parted?
    pub(super) detaches: bool,
    pub(super) cost: u64,
    /// How many records that were not at risk it leaves alone with their keys: the one thing
    /// a swap can do to somebody who has no part in it.
    pub(super) exposed: u8,
    /// How far it moves weighted cells, where that is bounded.
    pub(super) drift: u128,
    /// How many combinations of two values it makes that nobody had.
    pub(super) never_seen: u8,
    /// How many records it gives a combination of keys that nobody has. A record that is put
    /// together from two is unique and nobody's.
    pub(super) new_uniques: u8,
    /// Is only one of the two at risk?
    pub(super) covers_one: bool,
    /// Decides between equals.
    pub(super) chance: u32,
    pub(super) exchanged: VarSet,
}

impl Judgement {
    /// How much harm it does besides its cost, as one small number.
    pub(super) fn harm(&self) -> u64 {
        let [exposed, never_seen, new] =
            [self.exposed, self.never_seen.min(7), self.new_uniques.min(7)].map(u64::from);
        exposed.min(7) * 64 + never_seen * 8 + new
    }
}

/// How much harm an exchange may do.
#[derive(Debug, Clone, Copy)]
pub(super) struct MostHarm {
    /// The most people who may be left alone with their keys.
    pub(super) exposed: u8,
    /// The most records that may come to have keys that nobody has, and the most
    /// combinations of two values that may be seen for the first time.
    pub(super) new: u8,
}

impl MostHarm {
    /// As much as it does.
    pub(super) const ANY: Self = Self { exposed: u8::MAX, new: u8::MAX };
    /// None to anybody who has no part in it.
    pub(super) const ALONE: Self = Self { exposed: 0, new: u8::MAX };
    /// None.
    pub(super) const NONE: Self = Self { exposed: 0, new: 0 };
}

/// More than any [`Judgement::harm`].
pub(super) const MOST_HARM: u64 = 512;

/// The two new cells of an exchange.
pub(super) struct Exchanged {
    few: [u64; 16],
    many: Vec<u64>,
    words: usize,
}

impl Exchanged {
    pub(super) fn new(layout: &Layout, left: &[u64], right: &[u64], exchanged: VarSet) -> Self {
        let words = layout.words();
        // Few cells need more than eight words; those that do get room of their own.
        let mut new = Self { few: [0; 16], many: Vec::new(), words };
        if 2 * words > new.few.len() {
            new.many.resize(2 * words, 0);
            exchange_into(layout, left, right, exchanged, &mut new.many);
        } else {
            exchange_into(layout, left, right, exchanged, &mut new.few[..2 * words]);
        }
        new
    }

    pub(super) fn cells(&self) -> [&[u64]; 2] {
        let all = if self.many.is_empty() { &self.few[..2 * self.words] } else { &self.many };
        let (left, right) = all.split_at(self.words);
        [left, right]
    }
}

impl Planner<'_> {
    /// The best exchange between two cells among the cheapest for their difference, if one
    /// is allowed.
    pub(super) fn judge(
        &self,
        left: usize,
        right: usize,
        differing: VarSet,
        offer: &Offer,
    ) -> Option<Judgement> {
        self.judge_within(left, right, differing, offer, MostHarm::ANY)
    }

    /// The same, if one does no more harm than allowed.
    pub(super) fn judge_within(
        &self,
        left: usize,
        right: usize,
        differing: VarSet,
        offer: &Offer,
        most: MostHarm,
    ) -> Option<Judgement> {
        let judged = |exchanged| self.exchange_within(left, right, differing, exchanged, most);
        let best = offer.exchanges.iter().filter_map(|&exchanged| judged(exchanged)).min();
        if self.drift.is_none() {
            return best;
        }
        // With a weight that stays, E and what else could be exchanged are two different swaps.
        let others = offer.exchanges.iter().map(|&exchanged| self.other_side(differing, exchanged));
        best.into_iter().chain(others.filter(|set| !set.is_empty()).filter_map(judged)).min()
    }

    /// What differs and may be exchanged besides E: all parts that hold nothing of E and nothing
    /// that stays. A part that a staying variable ties to others stays as a whole.
    fn other_side(&self, differing: VarSet, exchanged: VarSet) -> VarSet {
        let fixed = exchanged | self.task.prices.staying;
        exchangeable_parts(self.offers.graph(), differing)
            .into_iter()
            .filter(|part| !part.meets(&fixed))
            .fold(VarSet::EMPTY, |all, part| all | part)
    }

    /// What one exchange between two cells is worth; `None` when it is not allowed.
    pub(super) fn judge_exchange(
        &self,
        left: usize,
        right: usize,
        differing: VarSet,
        exchanged: VarSet,
    ) -> Option<Judgement> {
        self.exchange_within(left, right, differing, exchanged, MostHarm::ANY)
    }

    /// The same; `None` too as soon as it is known to do more harm than allowed.
    fn exchange_within(
        &self,
        left: usize,
        right: usize,
        differing: VarSet,
        exchanged: VarSet,
        most: MostHarm,
    ) -> Option<Judgement> {
        if self.given_up.holds(left) || self.given_up.holds(right) {
            return None;
        }
        let cells = self.task.joint.cells();
        let (layout, old) = (cells.layout(), [cells.get(left), cells.get(right)]);
        let new = Exchanged::new(layout, old[0], old[1], exchanged);
        let new = new.cells();
        let mut detaches = false;
        let (mut exposed, mut new_uniques) = (0u8, 0u8);
        for (aim, combinations) in self.offers.aims().iter().zip(&self.combinations) {
            if aim.is_parted(differing, exchanged) {
                for cell in new {
                    let coming = combinations.coming(cell)?;
                    exposed += u8::from(coming.exposes);
                    new_uniques += u8::from(coming.is_new);
                    if exposed > most.exposed || new_uniques > most.new {
                        return None;
                    }
                }
                for (cell, old) in [left, right].into_iter().zip(old) {
                    if combinations.is_joined(cell) {
                        return None;
                    }
                    exposed += u8::from(combinations.exposes(cell, old));
                }
            } else if [left, right].iter().any(|&cell| combinations.is_at_risk(cell)) {
                // The two combinations of keys only change places, or are the same.
                let may_detach = self.offers.goal() == Goal::Detach;
                if !may_detach || !aim.is_detached(differing, exchanged) {
                    return None;
                }
                detaches = true;
            }
        }
        if exposed > most.exposed || new_uniques > most.new {
            return None;
        }
        let rules = &self.task.constraints.forbidden;
        if rules.iter().any(|rule| rule.newly_broken(layout, old, new)) {
            return None;
        }
        if self.bystanders == Bystanders::Spared && exposed > 0 {
            return None;
        }
        let mut cost = self.task.prices.cost(differing, exchanged);
        let mut drift = 0;
        if let Some(bounded) = &self.drift {
            drift = bounded.of(left, right, differing, exchanged)?;
            // Both sides cost the same, so that the drift decides between them.
            let other = self.other_side(differing, exchanged);
            if !other.is_empty() {
                cost = self.task.prices.cost(exchanged | other, exchanged);
            }
        }
        let never_seen = self.never_seen(new, differing, exchanged)?;
        if never_seen > most.new {
            return None;
        }
        Some(Judgement {
            detaches,
            cost,
            drift,
            exposed,
            never_seen,
            new_uniques,
            covers_one: !(self.pool.is_open(left) && self.pool.is_open(right)),
            chance: self.chance(left, right, exchanged),
            exchanged,
        })
    }

    /// How many combinations of two values the new cells have that nobody had; `None` when
    /// one of them is forbidden.
    fn never_seen(&self, new: [&[u64]; 2], differing: VarSet, exchanged: VarSet) -> Option<u8> {
        let (one, other) = (differing & exchanged, differing - exchanged);
        let never_new = &self.task.constraints.never_new;
        let count = |cell| self.seen.never_seen(cell, one, other, |_, _| true);
        let found: usize = new.into_iter().map(count).sum();
        let layout = self.task.joint.cells().layout();
        let is_forbidden = |cell: &[u64]| {
            let rare = |left, right| {
                self.rare.as_ref().is_some_and(|rare| rare.excuses(layout, cell, left, right))
            };
            let forbids = |left, right| never_new.forbids(left, right) && !rare(left, right);
            self.seen.never_seen(cell, one, other, forbids) > 0
        };
        if found > 0 && never_new.forbids_any() && new.into_iter().any(is_forbidden) {
            return None;
        }
        Some(u8::try_from(found).unwrap_or(u8::MAX))
    }

    /// A number that decides between exchanges that are otherwise equal: random by the seed,
    /// and the same whenever the same exchange is judged.
    fn chance(&self, left: usize, right: usize, exchanged: VarSet) -> u32 {
        let pair = (left.min(right), left.max(right), exchanged);
        let hash = chance((self.salt, pair));
        u32::try_from(hash >> 32).expect("half of the bits are left")
    }

    /// What an exchange between two cells makes, where nothing but combinations of keys of one
    /// intruder tells whether it is still worth the same. The words of combinations that have no
    /// number yet are added to `unknown`.
    pub(super) fn made_by(
        &self,
        left: usize,
        right: usize,
        differing: VarSet,
        exchanged: VarSet,
        unknown: &mut Vec<u64>,
    ) -> Option<Made> {
        let ([aim], [combinations]) = (self.offers.aims(), &self.combinations[..]) else {
            return None;
        };
        let is_simple = self.drift.is_none() && !combinations.has_members();
        (is_simple && aim.is_parted(differing, exchanged)).then(|| {
            let cells = self.task.joint.cells();
            let new = Exchanged::new(cells.layout(), cells.get(left), cells.get(right), exchanged);
            let own = [left, right].map(|cell| combinations.of(cell));
            let new = new.cells().map(|cell| {
                let found = combinations.find(cell);
                if found.is_none() {
                    unknown.extend(cell);
                }
                found
            });
            Made { own, new }
        })
    }

    /// Numbers the combinations of keys that exchanges make and that are not known yet: these are
    /// their words, in this order.
    pub(super) fn number_made<'m>(
        &mut self,
        all: impl Iterator<Item = &'m mut Made>,
        unknown: &[u64],
    ) {
        let Some(combinations) = self.combinations.first_mut().filter(|_| !unknown.is_empty())
        else {
            return;
        };
        let mut numbers = combinations.number_all(unknown).into_iter();
        for new in all.flat_map(|made| &mut made.new).filter(|new| new.is_none()) {
            *new = numbers.next();
        }
    }

    /// Makes a swap that was judged when the round began, if no other has made it worse since.
    pub(super) fn make_as_judged(
        &mut self,
        left: usize,
        right: usize,
        exchanged: VarSet,
        made: &Made,
    ) -> bool {
        if self.may_be_worse(made) {
            return false;
        }
        self.count_made(made);
        let (left, right) = (self.pool.take(left), self.pool.take(right));
        self.swaps.push(CellSwap { left, right, exchanged });
        true
    }

    /// May another swap have made an exchange worse since the round began? It is judged by the keys
    /// that two records give up, and by those that they come to have.
    pub(super) fn may_be_worse(&self, made: &Made) -> bool {
        let [combinations] = &self.combinations[..] else { return true };
        let [own, new] = made.numbers();
        own.into_iter().any(|own| combinations.is_worse_to_leave(own))
            || new.into_iter().any(|new| combinations.is_worse_to_have(new))
    }

    /// Counts a swap.
    pub(super) fn count_made(&mut self, made: &Made) {
        let [own, new] = made.numbers();
        let [combinations] = &mut self.combinations[..] else { unreachable!("one intruder looks") };
        own.into_iter().for_each(|own| combinations.leave_from(own));
        new.into_iter().for_each(|new| combinations.arrive_at(new));
    }

    /// Counts that a swap is undone.
    pub(super) fn uncount_made(&mut self, made: &Made) {
        let [own, new] = made.numbers();
        let [combinations] = &mut self.combinations[..] else { unreachable!("one intruder looks") };
        new.into_iter().for_each(|new| combinations.go_from(new));
        own.into_iter().for_each(|own| combinations.come_home_to(own));
    }

    /// Counts the keys that the records of a swap give up and come to have.
    pub(super) fn count_swap(&mut self, swap: &CellSwap, change: Change) {
        let cells = self.task.joint.cells();
        let [left, right] = [swap.left, swap.right].map(|taken| taken.cell.position());
        let differing = self.differing(left, right);
        let old = [cells.get(left), cells.get(right)];
        let new = Exchanged::new(cells.layout(), old[0], old[1], swap.exchanged);
        let new = new.cells();
        if let Some(drift) = &mut self.drift {
            drift.count([left, right], differing, swap.exchanged, change);
        }
        let aims = self.offers.aims();
        for (aim, combinations) in aims.iter().zip(&mut self.combinations) {
            if !aim.is_parted(differing, swap.exchanged) {
                continue;
            }
            match change {
                Change::Made => {
                    [left, right]
                        .iter()
                        .zip(old)
                        .for_each(|(&cell, old)| combinations.leave(cell, old));
                    new.iter().for_each(|cell| combinations.arrive(cell));
                }
                Change::Undone => {
                    new.iter().for_each(|cell| combinations.go(cell));
                    [left, right]
                        .iter()
                        .zip(old)
                        .for_each(|(&cell, old)| combinations.come_home(cell, old));
                }
            }
        }
    }
}

/// What an exchange makes, as numbers of combinations of keys.
#[derive(Debug, Clone, Copy)]
pub(super) struct Made {
    /// Those that the two records give up.
    own: [u32; 2],
    /// Those that they come to have, where they are known.
    new: [Option<u32>; 2],
}

impl Made {
    /// The combinations that are given up, and those that come.
    fn numbers(&self) -> [[u32; 2]; 2] {
        [self.own, self.new.map(|new| new.expect("what an exchange makes has a number"))]
    }
}

/// Is a swap made or undone?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Made,
    Undone,
}

#[cfg(test)]
mod tests {
    use super::super::combinations::Combinations;
    use super::super::effort::Level;
    use super::*;
    use crate::encode::PackedCells;
    use crate::graph::{GeneratingClass, minimal_separators};
    use crate::oracle::World;
    use crate::partner::pair::exchanges;
    use crate::partner::{Forbidden, NeverNew, Term, screen};
    use crate::plan::{Constraints, Detach, Intruder, Prices, Taken, Task, WeightBound};
    use crate::random::{Random, Seed};
    use crate::table::{CellId, JointTable};

    const SEED: Seed = Seed([7; 32]);

    /// A small file and what is asked of it.
    struct Case {
        world: World,
        class: GeneratingClass,
        joint: JointTable,
        prices: Prices,
        constraints: Constraints,
        /// Keys and sensitive variables of each intruder, and who is at risk, by cell.
        intruders: Vec<([VarSet; 2], Vec<u32>)>,
    }

    impl Case {
        fn new(world: World, tables: Vec<VarSet>, asked: &[[VarSet; 2]]) -> Self {
            let variables = world.levels.len();
            let class = GeneratingClass::new(VarSet::first(variables), tables);
            let joint = JointTable::count(&world.packed());
            let alone = |keys: VarSet| {
                let codes = (0..joint.len()).map(|cell| joint.cells().codes(cell));
                codes.map(|codes| u32::from(having(&world.records, &codes, keys) == 1)).collect()
            };
            let intruders = asked.iter().map(|&sets| (sets, alone(sets[0]))).collect();
            let weights = (1..).take(variables).collect();
            let prices = Prices { staying: VarSet::EMPTY, weights };
            Self { world, class, joint, prices, constraints: Constraints::default(), intruders }
        }

        /// Shows a planner at its beginning.
        fn planned<T>(&self, seed: Seed, look: impl FnOnce(&mut Planner<'_>) -> T) -> T {
            let graph = self.class.margin_graph();
            let separators = minimal_separators(&graph, usize::MAX);
            let screening = screen(&self.joint, &self.class, &separators).unwrap();
            let intruder = |([keys, sensitive], at_risk): &'_ ([VarSet; 2], Vec<u32>)| {
                (*keys, *sensitive, at_risk.clone())
            };
            let owned: Vec<_> = self.intruders.iter().map(intruder).collect();
            let intruders: Vec<Intruder<'_>> = owned
                .iter()
                .map(|(keys, sensitive, at_risk)| Intruder {
                    keys: *keys,
                    sensitive: *sensitive,
                    detach: Detach::Every,
                    at_risk,
                    screening: None,
                    members: None,
                    blank: &[],
                    roughly: &[],
                })
                .collect();
            let at_risk: Vec<u32> = (0..self.joint.len())
                .map(|cell| owned.iter().map(|(.., at_risk)| at_risk[cell]).max().unwrap())
                .collect();
            let task = Task {
                joint: &self.joint,
                class: &self.class,
                derived: &[],
                separators: &separators,
                screening: &screening,
                prices: &self.prices,
                constraints: &self.constraints,
                intruders: &intruders,
                at_risk: &at_risk,
                rounds: 0,
                larger: None,
                crowd: None,
                effort: Level::default(),
            };
            look(&mut Planner::new(task, &graph, seed))
        }

        /// Two cells as codes, before and after an exchange.
        fn codes(&self, left: usize, right: usize, exchanged: VarSet) -> [[Vec<u32>; 2]; 2] {
            let old = [left, right].map(|cell| self.joint.cells().codes(cell));
            let mut new = old.clone();
            for variable in exchanged {
                new[0][variable] = old[1][variable];
                new[1][variable] = old[0][variable];
            }
            [old, new]
        }

        /// What an exchange is worth, from plain records: those of the file, and those there are
        /// `now`. Detaching, cost, exposed, never seen, new.
        fn counted(
            &self,
            now: &[Vec<u32>],
            pair: [usize; 2],
            exchanged: VarSet,
            (goal, bystanders): (Goal, Bystanders),
        ) -> Option<(bool, u64, usize, usize, usize)> {
            let [old, new] = self.codes(pair[0], pair[1], exchanged);
            let file = &self.world.records;
            let differ = |variable: &usize| old[0][*variable] != old[1][*variable];
            let differing: VarSet = (0..self.world.levels.len()).filter(differ).collect();
            let same =
                |one: &[u32], other: &[u32], on: VarSet| on.iter().all(|v| one[v] == other[v]);
            let (mut detaches, mut exposed, mut fresh) = (false, 0, 0);
            for ([keys, sensitive], at_risk) in &self.intruders {
                let is_parted = !old.iter().any(|old| same(old, &new[0], *keys));
                if is_parted {
                    let protected = |codes: &[u32]| having(file, codes, *keys) == 1;
                    if new.iter().any(|new| protected(new)) {
                        return None;
                    }
                    for old in &old {
                        exposed += usize::from(having(now, old, *keys) == 2 && !protected(old));
                    }
                    for new in &new {
                        let nobody = having(now, new, *keys) == 0;
                        exposed += usize::from(nobody && having(file, new, *keys) >= 2);
                        fresh += usize::from(nobody);
                    }
                } else if pair.iter().any(|&cell| at_risk[cell] > 0) {
                    // Both records that have the keys afterwards carry other sensitive values.
                    let carrier = usize::from(!same(&old[0], &new[0], *keys));
                    let has_false = sensitive.iter().all(|v| old[0][v] != new[carrier][v])
                        && !sensitive.is_empty();
                    let keys_differ = differing.meets(keys);
                    if goal != Goal::Detach || !keys_differ || !has_false {
                        return None;
                    }
                    detaches = true;
                }
            }
            for rule in &self.constraints.forbidden {
                let holds = |codes: &[u32]| {
                    rule.terms.iter().all(|t| t.codes.contains(&codes[t.variable]) != t.negated)
                };
                let on: VarSet = rule.terms.iter().map(|term| term.variable).collect();
                if new.iter().any(|n| holds(n) && !old.iter().any(|old| same(old, n, on))) {
                    return None;
                }
            }
            if bystanders == Bystanders::Spared && exposed > 0 {
                return None;
            }
            let mut never_seen = 0;
            for one in differing & exchanged {
                for other in differing - exchanged {
                    for new in &new {
                        if !file.iter().any(|r| same(r, new, VarSet::from([one, other]))) {
                            never_seen += 1;
                            if self.constraints.never_new.forbids(one.min(other), one.max(other)) {
                                return None;
                            }
                        }
                    }
                }
            }
            let weight = |set: VarSet| set.iter().map(|v| self.prices.weights[v]).sum::<u64>();
            let cost = weight(differing & exchanged) * weight(differing - exchanged);
            Some((detaches, cost, exposed, never_seen, fresh))
        }
    }

    impl Case {
        /// Does somebody come to have keys that several had and nobody has `now`?
        fn comes_alone(&self, now: &[Vec<u32>], pair: [usize; 2], exchanged: VarSet) -> bool {
            let [_, new] = self.codes(pair[0], pair[1], exchanged);
            let file = &self.world.records;
            self.intruders.iter().any(|([keys, _], _)| {
                let is_left = |new| having(now, new, *keys) == 0 && having(file, new, *keys) >= 2;
                new.iter().any(|new| is_left(new))
            })
        }
    }

    /// How many records have these values on these variables.
    fn having(records: &[Vec<u32>], codes: &[u32], on: VarSet) -> usize {
        records.iter().filter(|record| on.iter().all(|v| record[v] == codes[v])).count()
    }

    fn some(random: &mut Random, variables: usize) -> VarSet {
        (0..variables).filter(|_| random.below(2) == 0).collect()
    }

    fn drawn(random: &mut Random) -> Case {
        let variables = 3 + random.below(2);
        let records = 3 + random.below(8);
        let mut code = || u32::try_from(random.below(3)).unwrap();
        let records = (0..records).map(|_| (0..variables).map(|_| code()).collect()).collect();
        let world = World { levels: vec![3; variables], records };
        let tables =
            (0..random.below(3)).map(|_| some(random, variables)).filter(|t| !t.is_empty());
        let tables = tables.collect();
        let asked: Vec<[VarSet; 2]> = (0..=random.below(2))
            .map(|_| {
                let keys = some(random, variables) | VarSet::single(random.below(variables));
                [keys, some(random, variables) - keys]
            })
            .collect();
        let mut case = Case::new(world, tables, &asked);
        let term = |random: &mut Random| Term {
            variable: random.below(variables),
            codes: vec![u32::try_from(random.below(3)).unwrap()],
            negated: random.below(2) == 0,
        };
        if random.below(3) == 0 {
            case.constraints.forbidden =
                vec![Forbidden { terms: vec![term(random), term(random)] }];
        }
        case.constraints.never_new = match random.below(6) {
            0 => NeverNew::Everywhere,
            1 => NeverNew::Pairs(vec![[0, 1], [1, 2]]),
            _ => NeverNew::Nowhere,
        };
        case
    }

    /// Every exchange between any two cells of many small files, at the beginning, after each of
    /// a few swaps, and after each of them is undone.
    #[test]
    fn every_judgement_is_counted() {
        let random = &mut Random::new(SEED, 1);
        let mut met = [0usize; 8];
        for _ in 0..600 {
            let case = drawn(random);
            let goal = [Goal::Part, Goal::Detach][random.below(2)];
            let bystanders = [Bystanders::Avoided, Bystanders::Spared][random.below(2)];
            case.planned(SEED, |planner| {
                planner.set_goal(goal);
                planner.bystanders = bystanders;
                let mut files = vec![case.world.records.clone()];
                let mut made: Vec<CellSwap> = Vec::new();
                for _ in 0..3 {
                    look_at_all(&case, planner, files.last().unwrap(), &mut met);
                    let Some((swap, file)) = one_more(&case, planner, &files, random) else {
                        break;
                    };
                    planner.count_swap(&swap, Change::Made);
                    made.push(swap);
                    files.push(file);
                }
                while let Some(swap) = made.pop() {
                    look_at_all(&case, planner, &files.pop().unwrap(), &mut met);
                    planner.count_swap(&swap, Change::Undone);
                    look_at_all(&case, planner, files.last().unwrap(), &mut met);
                    let [one, other] = [swap.left, swap.right].map(|taken| taken.cell.position());
                    let given_up = planner.given_up.holds(one);
                    planner.given_up.put(one, true);
                    let differing = case.joint.cells().differing(one, other);
                    for (one, other) in [(one, other), (other, one)] {
                        let judged = planner.judge_exchange(one, other, differing, swap.exchanged);
                        assert_eq!(judged, None, "one of them is given up");
                    }
                    planner.given_up.put(one, given_up);
                }
            });
        }
        assert!(met.iter().all(|&met| met > 50), "{met:?}");
    }

    /// After a swap, whatever it has not made worse is worth no less than before; and it is
    /// counted, and counted no more, as any other swap. So too where keys are open to others: whom
    /// somebody has joined may not leave, and nobody may come to have keys that are gone.
    #[test]
    fn what_is_not_made_worse_is_worth_no_less() {
        let random = &mut Random::new(SEED, 2);
        let (mut unchanged, mut changed, mut better) = (0, 0, 0);
        let (mut joined, mut gone) = (0, 0);
        for _ in 0..900 {
            let case = drawn(random);
            case.planned(SEED, |planner| {
                let opens = random.below(2) == 0;
                for cell in 0..case.joint.len() {
                    let [combinations] = &mut planner.combinations[..] else { break };
                    if opens && combinations.is_at_risk(cell) && random.below(2) == 0 {
                        combinations.open_to_others(cell, case.joint.cells().get(cell));
                    }
                }
                let (mut all, mut unknown) = (Vec::new(), Vec::new());
                each_exchange(&case, planner, |pair, differing, exchanged| {
                    let judged = planner.judge_exchange(pair[0], pair[1], differing, exchanged);
                    if judged.is_none() {
                        return;
                    }
                    let [left, right] = pair;
                    let made = planner.made_by(left, right, differing, exchanged, &mut unknown);
                    if let (Some(judged), Some(made)) = (judged, made) {
                        all.push((pair, differing, judged, made));
                    }
                });
                if all.is_empty() {
                    return;
                }
                planner.number_made(all.iter_mut().map(|(.., made)| made), &unknown);
                planner.combinations.iter_mut().for_each(Combinations::begin_round);
                let swap = |pair: [usize; 2], exchanged| {
                    let taken = |cell| Taken { cell: CellId::at(cell), at_risk: false };
                    CellSwap { left: taken(pair[0]), right: taken(pair[1]), exchanged }
                };
                let (pair, _, first, _) = all[random.below(all.len())];
                planner.count_swap(&swap(pair, first.exchanged), Change::Made);
                for (pair, differing, judged, made) in all {
                    let (mut fast, mut slow) = (planner.clone(), planner.clone());
                    if fast.may_be_worse(&made) {
                        changed += 1;
                        let [combinations] = &fast.combinations[..] else { unreachable!() };
                        joined +=
                            usize::from(pair.iter().any(|&cell| combinations.is_joined(cell)));
                        let new = case.codes(pair[0], pair[1], judged.exchanged)[1].clone();
                        let levels = &case.world.levels;
                        let new = PackedCells::from_codes(levels, &new);
                        gone += usize::from(new.iter().any(|new| combinations.is_protected(new)));
                        continue;
                    }
                    unchanged += 1;
                    let exchanged = judged.exchanged;
                    let again = planner.judge_exchange(pair[0], pair[1], differing, exchanged);
                    let again = again.expect("it is still allowed");
                    assert!(again.cost == judged.cost && again.harm() <= judged.harm());
                    better += usize::from(again.harm() < judged.harm());
                    fast.count_made(&made);
                    slow.count_swap(&swap(pair, exchanged), Change::Made);
                    assert_eq!(had(&fast), had(&slow));
                    let [left, right] = pair;
                    let again = fast.made_by(left, right, differing, exchanged, &mut vec![]);
                    let again = again.unwrap();
                    assert_eq!(again.numbers(), made.numbers());
                    fast.uncount_made(&again);
                    if !opens {
                        assert_eq!(had(&fast), had(planner));
                        continue;
                    }
                    // Keys that were open and gone for a while stay closed.
                    for (after, before) in had(&fast).into_iter().zip(had(planner)) {
                        assert!(after.0 == before.0 && after.1 >= before.1);
                    }
                }
            });
        }
        assert!(unchanged > 300 && changed > 1000 && better > 30, "{unchanged} {changed} {better}");
        assert!(joined > 30 && gone > 30, "{joined} {gone}");
    }

    /// How many have the keys of each possible record, and may nobody come to have them?
    fn had(planner: &Planner<'_>) -> Vec<(u32, bool)> {
        let [combinations] = &planner.combinations[..] else { unreachable!("one intruder looks") };
        let levels = planner.task.joint.cells().layout().variables();
        let all = (0..3usize.pow(u32::try_from(levels).unwrap())).map(|number| {
            let code = |place: u32| u32::try_from(number / 3usize.pow(place) % 3).unwrap();
            (0..u32::try_from(levels).unwrap()).map(code).collect::<Vec<u32>>()
        });
        let all = PackedCells::from_codes(&vec![3; levels], &all.collect::<Vec<_>>());
        all.iter().map(|cell| combinations.told(cell)).collect()
    }

    /// A swap that is allowed between two records that have none yet, and the file with it.
    fn one_more(
        case: &Case,
        planner: &Planner<'_>,
        files: &[Vec<Vec<u32>>],
        random: &mut Random,
    ) -> Option<(CellSwap, Vec<Vec<u32>>)> {
        let (first, now) = (files.first()?, files.last()?);
        let untouched = |cell: usize| {
            let codes = case.joint.cells().codes(cell);
            (0..first.len()).find(|&record| first[record] == codes && now[record] == codes)
        };
        let mut found = Vec::new();
        each_exchange(case, planner, |pair, differing, exchanged| {
            let judged = planner.judge_exchange(pair[0], pair[1], differing, exchanged);
            if let (Some(_), [Some(left), Some(right)]) = (judged, pair.map(untouched)) {
                found.push((pair, [left, right], exchanged));
            }
        });
        if found.is_empty() {
            return None;
        }
        let (pair, records, exchanged) = found[random.below(found.len())];
        let [left, right] = pair.map(|cell| Taken { cell: CellId::at(cell), at_risk: false });
        let mut file = now.clone();
        let [_, new] = case.codes(pair[0], pair[1], exchanged);
        records.into_iter().zip(new).for_each(|(record, new)| file[record] = new);
        Some((CellSwap { left, right, exchanged }, file))
    }

    /// Any two cells, and every union of their parts.
    fn each_exchange(
        case: &Case,
        planner: &Planner<'_>,
        mut look: impl FnMut([usize; 2], VarSet, VarSet),
    ) {
        for left in 0..case.joint.len() {
            for right in (0..case.joint.len()).filter(|&right| right != left) {
                let differing = case.joint.cells().differing(left, right);
                let parts = exchangeable_parts(planner.offers.graph(), differing);
                exchanges(&parts).for_each(|exchanged| look([left, right], differing, exchanged));
            }
        }
    }

    fn look_at_all(case: &Case, planner: &mut Planner<'_>, now: &[Vec<u32>], met: &mut [usize; 8]) {
        let asked = (planner.offers.goal(), planner.bystanders);
        each_exchange(case, planner, |pair, differing, exchanged| {
            let judged = planner.judge_exchange(pair[0], pair[1], differing, exchanged);
            let counted = case.counted(now, pair, exchanged, asked);
            met[0] += usize::from(counted.is_none());
            let Some(judged) = judged else {
                assert_eq!(counted, None, "{exchanged:?} between {pair:?} is refused");
                return;
            };
            let told = [judged.exposed, judged.never_seen, judged.new_uniques].map(usize::from);
            let found = (judged.detaches, judged.cost, told[0], told[1], told[2]);
            assert_eq!(Some(found), counted, "{exchanged:?} between {pair:?}");
            let both = pair.iter().all(|&cell| planner.task.at_risk[cell] > 0);
            assert_eq!((judged.covers_one, judged.exchanged), (!both, exchanged));
            assert_eq!(judged.drift, 0);
            let back = planner.judge_exchange(pair[1], pair[0], differing, exchanged);
            assert_eq!(back, Some(judged), "two cells in the other order");
            let came_alone = told[0] > 0 && case.comes_alone(now, pair, exchanged);
            let is_met = [
                judged.detaches,
                told[0] > 0,
                told[0] > 1,
                told[1] > 0,
                told[2] > 0,
                both,
                came_alone,
            ];
            is_met.iter().zip(&mut met[1..]).for_each(|(&is, met)| *met += usize::from(is));
        });
        // The best of an offer is the least of its judgements.
        for left in 0..case.joint.len() {
            for right in 0..left {
                let differing = case.joint.cells().differing(left, right);
                let Some(offer) = planner.offers.get(differing).cloned() else { continue };
                let each = offer.exchanges.iter();
                let least = each
                    .filter_map(|&set| planner.judge_exchange(left, right, differing, set))
                    .min();
                assert_eq!(planner.judge(left, right, differing, &offer), least);
            }
        }
    }

    /// Harm counts exposed people first, then new pairs of values, then new combinations.
    #[test]
    fn harm_is_one_small_number() {
        let harm = |exposed, never_seen, new_uniques| {
            let (detaches, cost, drift, covers_one) = (false, 5, 6, false);
            let (chance, exchanged) = (7, VarSet::single(0));
            Judgement {
                detaches,
                cost,
                exposed,
                drift,
                never_seen,
                new_uniques,
                covers_one,
                chance,
                exchanged,
            }
            .harm()
        };
        assert_eq!(harm(0, 0, 0), 0);
        assert_eq!(harm(2, 3, 1), 153);
        assert_eq!(harm(9, 200, 9), MOST_HARM - 1);
        assert!(harm(1, 0, 0) > harm(0, 7, 7) && harm(0, 1, 0) > harm(0, 0, 7));
    }

    /// Cells of one word, of as many as there is room for, and of more.
    #[test]
    fn long_cells_are_exchanged_too() {
        for (variables, words) in [(4, 1), (12, 3), (32, 8), (33, 9), (70, 18)] {
            let levels = vec![1 << 16; variables];
            let codes = [3u32, 60_000].map(|code| vec![code; variables]);
            let cells = PackedCells::from_codes(&levels, &codes);
            assert_eq!(cells.layout().words(), words);
            let exchanged: VarSet = (0..variables).step_by(3).collect();
            let new = Exchanged::new(cells.layout(), cells.get(0), cells.get(1), exchanged);
            for (side, cell) in new.cells().into_iter().enumerate() {
                assert_eq!(cell.len(), words);
                let is_right = |variable: usize| {
                    let from = if exchanged.contains(variable) { 1 - side } else { side };
                    cells.layout().code(cell, variable) == codes[from][variable]
                };
                assert!((0..variables).all(is_right));
            }
        }
    }

    /// Four cells without a table: six pairs, each with several exchanges that cost the same.
    #[test]
    fn chance_is_the_seeds() {
        let records = (0..4).map(|code| vec![code; 4]).collect();
        let world = World { levels: vec![4; 4], records };
        let case = Case::new(world, vec![], &[[VarSet::first(4), VarSet::EMPTY]]);
        let chances = |seed| {
            case.planned(seed, |planner| {
                let mut chances = Vec::new();
                each_exchange(&case, planner, |[left, right], _, exchanged| {
                    let chance = planner.chance(left, right, exchanged);
                    assert_eq!(chance, planner.chance(right, left, exchanged));
                    chances.push(chance);
                });
                chances.sort_unstable();
                chances.dedup();
                chances
            })
        };
        let (one, other) = (chances(SEED), chances(Seed([8; 32])));
        assert!(one.len() >= 42 && other.len() == one.len(), "{}", one.len());
        assert!(one.iter().all(|chance| !other.contains(chance)));
        // All bits are used.
        assert!(
            one.iter().any(|chance| *chance > 1 << 31)
                && one.iter().any(|chance| *chance < 1 << 31)
        );
    }

    /// With a weight that stays, the side that moves less of it is taken, and both cost the same.
    #[test]
    fn of_two_sides_the_one_that_drifts_less_is_taken() {
        // 0 and 1 are tied and in two bounded tables, 2 is in none, 3 is the weight, which stays.
        let records = vec![vec![0, 0, 0, 0], vec![1, 1, 1, 1]];
        let world = World { levels: vec![2; 4], records };
        let keys = [VarSet::first(4), VarSet::EMPTY];
        let mut case = Case::new(world, vec![VarSet::from([0, 1])], &[keys]);
        case.prices.staying = VarSet::single(3);
        let bound = |share| WeightBound {
            variable: 3,
            weights: vec![10, 13],
            tables: vec![VarSet::from([0, 1]), VarSet::single(0)],
            share,
        };
        let [tied, free, differing] = [VarSet::from([0, 1]), VarSet::single(2), VarSet::first(4)];
        case.constraints.drift = Some(bound([1, 1]));
        case.planned(SEED, |planner| {
            assert_eq!(planner.other_side(differing, tied), free);
            assert_eq!(planner.other_side(differing, free), tied);
            assert_eq!(planner.other_side(differing, tied | free), VarSet::EMPTY);
            let judged = |set| planner.judge_exchange(0, 1, differing, set).unwrap();
            // Two tables move by 3; the weights of 0 and 1 are 1 and 2, that of 2 is 3.
            assert_eq!((judged(tied).drift, judged(free).drift), (6, 0));
            assert_eq!((judged(tied).cost, judged(free).cost), (9, 9));
            // Nothing is left to be exchanged but the weight.
            assert_eq!(judged(tied | free).cost, 6 * 4);
            let offer = Offer::new(9, vec![tied]);
            assert_eq!(planner.judge(0, 1, differing, &offer), Some(judged(free)));
            let offer = Offer::new(9, vec![free]);
            assert_eq!(planner.judge(0, 1, differing, &offer), Some(judged(free)));
            let offer = Offer::new(9, vec![tied | free]);
            assert_eq!(planner.judge(0, 1, differing, &offer), Some(judged(tied | free)));
        });
        case.constraints.drift = Some(bound([1, 10]));
        case.planned(SEED, |planner| {
            assert_eq!(planner.judge_exchange(0, 1, differing, tied), None, "3 is more than 1");
            let offer = Offer::new(9, vec![tied]);
            let free = planner.judge_exchange(0, 1, differing, free);
            assert!(free.is_some());
            assert_eq!(planner.judge(0, 1, differing, &offer), free);
        });
    }
}
