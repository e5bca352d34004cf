//! Any move within a neighbourhood, by repairing what is out of balance.
//!
//! The state is R, the records taken out (at first the one to be protected), and S, the cells
//! put in. For every D and every cell of its table the imbalance S − R is known. While
//! something is out of balance, one such table cell is chosen, the one with the fewest
//! repairs: where S lacks, a cell is put in; where S has too much, a record is taken out.
//! Depth first, with the degree m as the limit, and m rising: what is found first is
//! smallest. A branch ends when some D is further out of balance than the slots left.
//!
//! Candidates to take out are the nearest cells; candidates to put in are their *patchwork*:
//! all cells each of whose tables' cells occurs among them. Within its candidates the search
//! is exact, unless it reaches its limit of steps.
//!
//! Slow twin: [`crate::oracle::World::least_degree`].

use super::around::Around;
use super::search::Hunt;
use super::{Found, Kind};
use crate::encode::Bits;
use crate::hash::{Map, STATE};
use crate::varset::VarSet;

/// How many of the nearest cells are candidates in each round.
pub(super) const NEIGHBOURS: [usize; 4] = [20, 40, 80, 160];

/// The most cells that may be put in, the nearest ones.
const MOST_PATCHES: usize = 4096;

/// A patchwork is woven in this many steps at most.
const MOST_WOVEN: u64 = 400_000;

/// The units of work of a step of weaving, and to judge a patch; the cells sorted by their distance
/// for one unit of work.
const WEAVING: u64 = 4;
const JUDGING: u64 = 16;
const LOOKING_UP: u64 = 8;

/// The most steps for one neighbourhood and degree before the next is tried.
const STEPS: u64 = 40_000;

/// The candidates of one neighbourhood.
pub(super) struct Neighbourhood {
    /// The cells that can lose a record, the middle first, with how many records.
    out: Vec<(u32, u32)>,
    /// The cells that can gain one.
    patches: Vec<Vec<u64>>,
    /// For each cell of `out` and of `patches`, its number in each table.
    out_keys: Vec<Vec<u32>>,
    patch_keys: Vec<Vec<u32>>,
    /// For each table cell, which candidates lie in it.
    outs_of: Vec<Vec<u32>>,
    patches_of: Vec<Vec<u32>>,
    /// For each cell of `out` the patch that is the same cell.
    same: Vec<Option<u32>>,
    tables: usize,
    /// Are these all cells there are?
    pub(super) is_everything: bool,
    /// Are all patches of these cells among the candidates?
    pub(super) is_complete: bool,
    pub(super) cells: usize,
    /// The units of work that it took.
    pub(super) work: u64,
}

impl Neighbourhood {
    /// The `count` nearest cells that may take part, and their patchwork.
    pub(super) fn new(hunt: &Hunt<'_, '_>, around: &Around<'_, '_>, count: usize) -> Self {
        let space = around.space;
        // Other records of the middle cell may leave it too.
        let own = u32::try_from(around.own).expect("a cell's position");
        let mut out: Vec<(u32, u32)> = vec![(own, hunt.free(around, around.own, 0).max(1))];
        let mut is_everything = true;
        for &cell in around.nearest() {
            let mask = space.bits.differing(around.middle(), space.cells.get(cell as usize));
            let free = hunt.free(around, cell as usize, mask);
            if free == 0 {
                continue;
            }
            if out.len() > count {
                is_everything = false;
                break;
            }
            out.push((cell, free));
        }
        // An uncovered variable's own counts are kept too.
        let single = space.class.uncovered().iter().map(VarSet::single);
        let margins: Vec<u64> = space
            .margins
            .iter()
            .copied()
            .chain(single.map(|variable| space.bits.of(variable)))
            .filter(|margin| *margin != 0)
            .collect();
        let mut keys = Keys::new(&space.bits, space.cells.layout().words(), &margins);
        let out_keys: Vec<Vec<u32>> = out
            .iter()
            .map(|&(cell, _)| {
                let words = space.cells.get(cell as usize);
                (0..margins.len()).map(|table| keys.number(table, words)).collect()
            })
            .collect();
        let most = MOST_WOVEN.min(hunt.left() / WEAVING);
        let (cells, woven, is_complete) = patchwork(around, &out, &margins, &keys, most);
        let judged = cells.len() as u64;
        let wished = |cell: &Vec<u64>| !space.is_whole() || hunt.may_make(cell);
        let patches: Vec<Vec<u64>> =
            cells.into_iter().filter(|cell| cell != around.middle()).filter(wished).collect();
        let patch_keys: Vec<Vec<u32>> = patches
            .iter()
            .map(|words| {
                let known = |table| keys.find(table, words).expect("a patch is made of these");
                (0..margins.len()).map(known).collect()
            })
            .collect();
        let mut outs_of = vec![Vec::new(); keys.count()];
        let mut patches_of = vec![Vec::new(); keys.count()];
        for (lists, keyed) in [(&mut outs_of, &out_keys), (&mut patches_of, &patch_keys)] {
            for (candidate, keys) in (0u32..).zip(keyed) {
                for &key in keys {
                    lists[key as usize].push(candidate);
                }
            }
        }
        let mut place: Map<&[u64], u32> = Map::with_hasher(STATE);
        place.extend((0u32..).zip(&patches).map(|(place, cell)| (&cell[..], place)));
        let same = out
            .iter()
            .map(|&(cell, _)| place.get(space.cells.get(cell as usize)).copied())
            .collect();
        drop(place);
        let cells = out.len();
        let work = woven * WEAVING + judged * JUDGING + space.cells.len() as u64 / LOOKING_UP;
        Self {
            out,
            patches,
            out_keys,
            patch_keys,
            outs_of,
            patches_of,
            same,
            tables: margins.len(),
            is_everything,
            is_complete,
            cells,
            work,
        }
    }
}

/// Numbers for the cells of all tables. Where a cell takes one or two words, so does the key of
/// a table's cell, and nothing is allocated for it.
struct Keys {
    /// The bits of each table.
    masks: Vec<Vec<u64>>,
    few: Vec<Map<[u64; 2], u32>>,
    many: Vec<Map<Vec<u64>, u32>>,
    count: u32,
}

impl Keys {
    fn new(bits: &Bits, words: usize, margins: &[u64]) -> Self {
        let mask = |margin: &u64| {
            let mut mask = vec![0; words];
            bits.put(*margin, &vec![u64::MAX; words], &mut mask);
            mask
        };
        let is_few = words <= 2;
        let tables = |wanted: bool| if wanted { margins.len() } else { 0 };
        Self {
            masks: margins.iter().map(mask).collect(),
            few: (0..tables(is_few)).map(|_| Map::with_hasher(STATE)).collect(),
            many: (0..tables(!is_few)).map(|_| Map::with_hasher(STATE)).collect(),
            count: 0,
        }
    }

    fn few(&self, table: usize, cell: &[u64]) -> [u64; 2] {
        let mask = &self.masks[table];
        [cell[0] & mask[0], cell.get(1).map_or(0, |word| word & mask[1])]
    }

    fn many(&self, table: usize, cell: &[u64]) -> Vec<u64> {
        cell.iter().zip(&self.masks[table]).map(|(word, mask)| word & mask).collect()
    }

    /// The number of the table's cell that a cell falls into, a new one where there is none.
    fn number(&mut self, table: usize, cell: &[u64]) -> u32 {
        let next = self.count;
        let number = if self.many.is_empty() {
            let key = self.few(table, cell);
            *self.few[table].entry(key).or_insert(next)
        } else {
            let key = self.many(table, cell);
            *self.many[table].entry(key).or_insert(next)
        };
        self.count += u32::from(number == next);
        number
    }

    fn find(&self, table: usize, cell: &[u64]) -> Option<u32> {
        if self.many.is_empty() {
            self.few[table].get(&self.few(table, cell)).copied()
        } else {
            self.many[table].get(&self.many(table, cell)).copied()
        }
    }

    fn count(&self) -> usize {
        self.count as usize
    }
}

/// All cells each of whose tables' cells occurs among the candidates, nearest first; with the steps
/// that it took, at most `most`, and whether these are all.
fn patchwork(
    around: &Around<'_, '_>,
    out: &[(u32, u32)],
    margins: &[u64],
    keys: &Keys,
    most: u64,
) -> (Vec<Vec<u64>>, u64, bool) {
    let space = around.space;
    let bits = &space.bits;
    let count = bits.len();
    // The cells that first show each other value of a variable.
    let mut values: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (bit, values) in values.iter_mut().enumerate() {
        for &(cell, _) in out {
            let words = space.cells.get(cell as usize);
            let known = |&other: &u32| bits.agree(1 << bit, words, space.cells.get(other as usize));
            if !values.iter().any(known) {
                values.push(cell);
            }
        }
    }
    // A table is looked at as soon as its last variable is there.
    let mut ends: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (table, margin) in margins.iter().enumerate() {
        ends[63 - margin.leading_zeros() as usize].push(table);
    }
    let mut weaver = Weaver { around, keys, values, ends, found: Vec::new(), left: most };
    let mut cell = around.middle().to_vec();
    for farthest in 1..=count {
        // Cells at just this distance: the nearer ones were found before.
        weaver.weave(0, farthest, &mut cell);
        if weaver.found.len() >= MOST_PATCHES || weaver.left == 0 {
            let kept = weaver.found.len().min(MOST_PATCHES);
            weaver.found.truncate(kept);
            return (weaver.found, most - weaver.left, false);
        }
    }
    (weaver.found, most - weaver.left, true)
}

struct Weaver<'w, 's, 'a> {
    around: &'w Around<'s, 'a>,
    keys: &'w Keys,
    values: Vec<Vec<u32>>,
    ends: Vec<Vec<usize>>,
    found: Vec<Vec<u64>>,
    left: u64,
}

impl Weaver<'_, '_, '_> {
    /// Sets the variables from `bit` on; exactly `differ` of them differ from the middle.
    fn weave(&mut self, bit: usize, differ: usize, cell: &mut Vec<u64>) {
        if self.left == 0 || self.found.len() >= MOST_PATCHES {
            return;
        }
        self.left -= 1;
        if bit == self.values.len() {
            if differ == 0 {
                self.found.push(cell.clone());
            }
            return;
        }
        let space = self.around.space;
        for place in 0..self.values[bit].len() {
            let from = space.cells.get(self.values[bit][place] as usize);
            // The middle is the first candidate, so the first value is its own.
            let differs = usize::from(place > 0);
            let ahead = self.values.len() - bit - 1;
            if differs > differ || differ - differs > ahead {
                continue;
            }
            space.bits.put(1 << bit, from, cell);
            let occurs = self.ends[bit].iter().all(|&table| self.keys.find(table, cell).is_some());
            if occurs {
                self.weave(bit + 1, differ - differs, cell);
            }
        }
        space.bits.put(1 << bit, self.around.middle(), cell);
    }
}

/// What a search of one degree in one neighbourhood ends with.
pub(super) enum Repaired {
    Found(Box<Found>),
    /// There is none among these candidates.
    None,
    /// The limit of steps was reached.
    Spent,
}

/// Looks for a move of at most `degree` records.
pub(super) fn repair(
    hunt: &mut Hunt<'_, '_>,
    around: &Around<'_, '_>,
    near: &Neighbourhood,
    degree: usize,
) -> Repaired {
    let mut state = Repair {
        near,
        degree,
        imbalance: vec![0; near.outs_of.len()],
        surplus: vec![0; near.tables],
        deficit: vec![0; near.tables],
        taken: vec![0; near.out.len()],
        put: vec![0; near.patches.len()],
        outs: Vec::new(),
        ins: Vec::new(),
        left: STEPS,
    };
    state.take(0);
    match state.go(hunt, around) {
        Some(found) => Repaired::Found(Box::new(found)),
        None if state.left == 0 || hunt.is_spent() => Repaired::Spent,
        None => Repaired::None,
    }
}

struct Repair<'n> {
    near: &'n Neighbourhood,
    degree: usize,
    /// S − R for each table cell.
    imbalance: Vec<i32>,
    /// For each table, the sum of what S has too much, and of what it lacks.
    surplus: Vec<u32>,
    deficit: Vec<u32>,
    taken: Vec<u32>,
    put: Vec<u32>,
    outs: Vec<u32>,
    ins: Vec<u32>,
    left: u64,
}

impl Repair<'_> {
    fn take(&mut self, out: u32) {
        self.outs.push(out);
        self.taken[out as usize] += 1;
        self.shift(Side::Out, out, -1);
    }

    fn give_back(&mut self) {
        let out = self.outs.pop().expect("something was taken");
        self.taken[out as usize] -= 1;
        self.shift(Side::Out, out, 1);
    }

    fn put(&mut self, patch: u32) {
        self.ins.push(patch);
        self.put[patch as usize] += 1;
        self.shift(Side::In, patch, 1);
    }

    fn unput(&mut self) {
        let patch = self.ins.pop().expect("something was put in");
        self.put[patch as usize] -= 1;
        self.shift(Side::In, patch, -1);
    }

    fn shift(&mut self, side: Side, candidate: u32, by: i32) {
        let near = self.near;
        let keys = match side {
            Side::Out => &near.out_keys[candidate as usize],
            Side::In => &near.patch_keys[candidate as usize],
        };
        for (table, &key) in keys.iter().enumerate() {
            let before = self.imbalance[key as usize];
            let after = before + by;
            self.imbalance[key as usize] = after;
            let (surplus, deficit) = (&mut self.surplus[table], &mut self.deficit[table]);
            *surplus = *surplus + positive(after) - positive(before);
            *deficit = *deficit + positive(-after) - positive(-before);
        }
    }

    /// Can what is out of balance still be repaired with the slots that are left?
    fn is_hopeless(&self) -> bool {
        let slots_out = self.degree - self.outs.len();
        let slots_in = self.degree - self.ins.len();
        self.surplus.iter().any(|&surplus| surplus as usize > slots_out)
            || self.deficit.iter().any(|&deficit| deficit as usize > slots_in)
    }

    fn go(&mut self, hunt: &mut Hunt<'_, '_>, around: &Around<'_, '_>) -> Option<Found> {
        if self.left == 0 || !hunt.step() {
            return None;
        }
        self.left -= 1;
        let near = self.near;
        // The table cell out of balance with the fewest repairs.
        let mut chosen: Option<(usize, u32)> = None;
        let outs = self.outs.iter().map(|&out| &near.out_keys[out as usize]);
        let ins = self.ins.iter().map(|&patch| &near.patch_keys[patch as usize]);
        for keys in outs.chain(ins) {
            for &key in keys {
                let repairs = match self.imbalance[key as usize] {
                    0 => continue,
                    lacks if lacks < 0 => near.patches_of[key as usize].len(),
                    _ => near.outs_of[key as usize].len(),
                };
                if chosen.is_none_or(|(fewest, _)| repairs < fewest) {
                    chosen = Some((repairs, key));
                }
            }
        }
        let Some((_, key)) = chosen else {
            return self.judge(hunt, around);
        };
        if self.imbalance[key as usize] < 0 {
            for &patch in &near.patches_of[key as usize] {
                // A cell that loses a record does not gain one.
                let loses = self.outs.iter().any(|&out| near.same[out as usize] == Some(patch));
                if loses {
                    continue;
                }
                self.put(patch);
                let found = if self.is_hopeless() { None } else { self.go(hunt, around) };
                self.unput();
                if found.is_some() || self.left == 0 {
                    return found;
                }
            }
        } else {
            for &out in &near.outs_of[key as usize] {
                let gains =
                    near.same[out as usize].is_some_and(|patch| self.put[patch as usize] > 0);
                if gains || self.taken[out as usize] >= near.out[out as usize].1 {
                    continue;
                }
                self.take(out);
                let found = if self.is_hopeless() { None } else { self.go(hunt, around) };
                self.give_back();
                if found.is_some() || self.left == 0 {
                    return found;
                }
            }
        }
        None
    }

    fn judge(&self, hunt: &mut Hunt<'_, '_>, around: &Around<'_, '_>) -> Option<Found> {
        let removed: Vec<u32> =
            self.outs.iter().map(|&out| self.near.out[out as usize].0).collect();
        let added = self.ins.iter().map(|&patch| self.near.patches[patch as usize].clone());
        hunt.judge(around, &removed, added.collect(), Kind::Repair)
    }
}

#[derive(Clone, Copy)]
enum Side {
    Out,
    In,
}

fn positive(number: i32) -> u32 {
    u32::try_from(number).unwrap_or(0)
}
