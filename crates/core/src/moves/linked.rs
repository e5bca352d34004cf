//! Boxes that lack a record, and boxes that bring it.
//!
//! Where all tables of three variables are kept, no move has fewer than eight records, and those
//! of eight are boxes of four groups. A record whose boxes all lack another record may still be
//! freed: a second box puts one where the first lacks it. What the two come to is one move, of
//! at most sixteen records; where they share cells, of fewer. The second box may use what the
//! first puts in, and may itself lack a record that a third one brings.
//!
//! Between the boxes a cell may hold fewer records than none. Only what they come to together
//! is a move, and it is proved like any other.
//!
//! Boxes that lack a record where one can be, in occupied cells of all kept tables, come first.
//! What they lack elsewhere is put in and taken out again by two boxes, as in a ring of three
//! rows and columns.
//!
//! Way in: [`linked_boxes`]. Slow twin: every table of signs, in `tests/move_laws.rs`.

use super::around::Around;
use super::boxes::Groups;
use super::search::Hunt;
use super::space::Space;
use super::{Found, Kind};
use crate::hash::{Map, STATE};

/// Cells of more words, and more variables, are not linked.
const WORDS: usize = 2;
const MOST_VARIABLES: usize = 12;

/// The most records that the first box lacks.
const MOST_MISSING: usize = 2;

/// The most first boxes tried, those that lack fewer first.
const MOST_FIRST: usize = 1_000;

/// The most boxes tried to bring what one of them lacks.
const MOST_BRINGING: usize = 400;

/// The most boxes that follow the first.
const DEPTH: usize = 2;

type Cell = [u64; WORDS];

/// The cells of a box: its flips, by the groups that are flipped.
type Flips = [Cell; 16];

/// What linking needs to know of a piece, once for all questions.
pub(super) struct Links {
    /// The bits of each set of variables.
    masks: Vec<Cell>,
    /// The kept tables' cells that are occupied, for each table its set and its cells.
    occupied: Vec<(usize, Map<Cell, ()>)>,
    groupings: Vec<[usize; 4]>,
}

impl Links {
    /// `None` where cells or variables are too many.
    pub(super) fn new(space: &Space<'_>) -> Option<Self> {
        let variables = space.bits.len();
        let words = space.cells.layout().words();
        if variables > MOST_VARIABLES || words > WORDS {
            return None;
        }
        let full = vec![u64::MAX; words];
        let mask = |set: usize| {
            let mut mask = vec![0; words];
            space.bits.put(set as u64, &full, &mut mask);
            padded(&mask)
        };
        let masks: Vec<Cell> = (0..1usize << variables).map(mask).collect();
        let occupied = space
            .margins
            .iter()
            .map(|&margin| {
                let margin = usize::try_from(margin).expect("few variables");
                let cells = space.cells.iter().map(|cell| and(padded(cell), masks[margin]));
                let mut occupied: Map<Cell, ()> = Map::with_hasher(STATE);
                occupied.extend(cells.map(|cell| (cell, ())));
                (margin, occupied)
            })
            .collect();
        let groupings = (4..=space.boxes.most_variables(4))
            .flat_map(|variables| space.boxes.fours(variables))
            .map(|groups: &Groups| {
                groups.groups().map(|group| usize::try_from(group).expect("few variables"))
            })
            .collect();
        Some(Self { masks, occupied, groupings })
    }

    fn put(&self, cell: Cell, set: usize, from: Cell) -> Cell {
        let mask = self.masks[set];
        std::array::from_fn(|word| (cell[word] & !mask[word]) | (from[word] & mask[word]))
    }

    fn agree(&self, set: usize, left: Cell, right: Cell) -> bool {
        let mask = self.masks[set];
        (0..WORDS).all(|word| (left[word] ^ right[word]) & mask[word] == 0)
    }

    /// Is every kept table's cell occupied into which a cell falls?
    fn can_be(&self, cell: Cell) -> bool {
        let is_occupied = |(margin, cells): &(usize, Map<Cell, ()>)| {
            cells.contains_key(&and(cell, self.masks[*margin]))
        };
        self.occupied.iter().all(is_occupied)
    }

    /// The box around a cell that takes the values of each group from one of four others.
    fn flips(&self, middle: Cell, groups: [usize; 4], from: [Cell; 4]) -> Flips {
        std::array::from_fn(|flipped| {
            (0..4)
                .filter(|group| flipped >> group & 1 == 1)
                .fold(middle, |cell, group| self.put(cell, groups[group], from[group]))
        })
    }
}

/// A move of at most `most` records out of several boxes that takes a record out of the middle
/// cell.
///
/// Law: `boxes-bring-what-boxes-lack`.
pub(super) fn linked_boxes(
    hunt: &mut Hunt<'_, '_>,
    around: &Around<'_, '_>,
    most: usize,
    steps: u64,
) -> Linked {
    let Some(links) = around.space.links() else { return Linked { found: None, steps: 0 } };
    let mut linking = Linking::new(hunt, around, links, most, steps);
    let mut found = None;
    let first = linking.first_boxes();
    for flips in first {
        linking.change(&flips, Middle::Loses);
        found = linking.bring(DEPTH);
        linking.change(&flips, Middle::Gains);
        if found.is_some() || linking.left == 0 {
            break;
        }
    }
    Linked { found, steps: steps - linking.left }
}

/// What the search came to, and how many steps it took.
pub(super) struct Linked {
    pub(super) found: Option<Found>,
    pub(super) steps: u64,
}

/// What a box does with the cell in its middle, and with all others an even number of flips away.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Middle {
    Loses,
    Gains,
}

struct Linking<'l, 'h, 'w, 's, 'a> {
    hunt: &'l mut Hunt<'h, 'w>,
    around: &'l Around<'s, 'a>,
    links: &'l Links,
    own: Cell,
    /// The cells whose records may take part, with how many, and the place of each.
    cells: Vec<Cell>,
    free: Vec<i32>,
    places: Map<Cell, u32>,
    /// What the boxes so far come to.
    changes: Map<Cell, i32>,
    most: usize,
    left: u64,
}

impl<'l, 'h, 'w, 's, 'a> Linking<'l, 'h, 'w, 's, 'a> {
    fn new(
        hunt: &'l mut Hunt<'h, 'w>,
        around: &'l Around<'s, 'a>,
        links: &'l Links,
        most: usize,
        steps: u64,
    ) -> Self {
        let space = around.space;
        let (mut cells, mut free) = (Vec::new(), Vec::new());
        let mut places: Map<Cell, u32> = Map::with_hasher(STATE);
        for (position, words) in space.cells.iter().enumerate() {
            let mask = space.bits.differing(around.middle(), words);
            let records = hunt.free(around, position, mask);
            let records = if mask == 0 { records.max(1) } else { records };
            if records > 0 {
                places.insert(padded(words), u32::try_from(cells.len()).expect("a place"));
                cells.push(padded(words));
                free.push(i32::try_from(records).unwrap_or(i32::MAX / 2));
            }
        }
        let left = steps.saturating_sub(space.cells.len() as u64);
        let changes = Map::with_hasher(STATE);
        let own = padded(around.middle());
        Self { hunt, around, links, own, cells, free, places, changes, most, left }
    }

    /// How many records a cell holds after the boxes so far.
    fn now(&self, cell: &Cell) -> i32 {
        let before = self.places.get(cell).map_or(0, |&place| self.free[place as usize]);
        before + self.changes.get(cell).copied().unwrap_or(0)
    }

    fn change(&mut self, flips: &Flips, middle: Middle) {
        for (flipped, cell) in flips.iter().enumerate() {
            let is_even = flipped.count_ones() % 2 == 0;
            let by = if is_even == (middle == Middle::Gains) { 1 } else { -1 };
            let change = self.changes.entry(*cell).or_default();
            *change += by;
            if *change == 0 {
                self.changes.remove(cell);
            }
        }
    }

    fn step(&mut self, steps: usize) -> bool {
        self.left = self.left.saturating_sub(steps as u64);
        self.left > 0
    }

    /// The cells with records after the boxes so far, by the set in which they differ from one.
    fn buckets(&mut self, middle: Cell) -> Vec<Vec<Cell>> {
        let space = self.around.space;
        let words = space.cells.layout().words();
        let mut buckets: Vec<Vec<Cell>> = vec![Vec::new(); self.links.masks.len()];
        let differing = |cell: &Cell| {
            let set = space.bits.differing(&middle[..words], &cell[..words]);
            usize::try_from(set).expect("few variables")
        };
        for (cell, &free) in self.cells.iter().zip(&self.free) {
            if free + self.changes.get(cell).copied().unwrap_or(0) > 0 {
                buckets[differing(cell)].push(*cell);
            }
        }
        let is_new =
            |(cell, change): &(&Cell, &i32)| **change > 0 && !self.places.contains_key(*cell);
        let mut new: Vec<Cell> =
            self.changes.iter().filter(is_new).map(|(cell, _)| *cell).collect();
        new.sort_unstable();
        for cell in new {
            buckets[differing(&cell)].push(cell);
        }
        self.step(self.cells.len() / 4);
        buckets
    }

    /// The boxes that take a record out of the middle and lack one or two others, fewest first.
    fn first_boxes(&mut self) -> Vec<Flips> {
        let links = self.links;
        let buckets = self.buckets(self.own);
        self.step(links.groupings.len());
        let mut found: [Vec<Flips>; MOST_MISSING + 1] = std::array::from_fn(|_| Vec::new());
        // Those that lack records where none can be come last.
        for groups in &links.groupings {
            for pivot in 0..4 {
                let mut order = [0, 1, 2, 3];
                order.swap(0, pivot);
                let groups = order.map(|group| groups[group]);
                let [one, two, three] = [1, 2, 3].map(|other| &buckets[groups[0] | groups[other]]);
                if one.is_empty() || two.is_empty() || three.is_empty() {
                    continue;
                }
                let agree = |left: Cell, right: Cell| links.agree(groups[0], left, right);
                for &one in one {
                    for &two in two.iter().filter(|two| agree(one, **two)) {
                        for &three in three.iter().filter(|three| agree(one, **three)) {
                            if !self.step(1) {
                                return found.into_iter().flatten().take(MOST_FIRST).collect();
                            }
                            if let Some((rank, flips)) =
                                self.first_box(groups, order, [one, two, three])
                                && found[rank].len() < MOST_FIRST
                            {
                                found[rank].push(flips);
                            }
                        }
                    }
                }
            }
        }
        found.into_iter().flatten().take(MOST_FIRST).collect()
    }

    /// The box around the middle with these three flips of the first group and another one, if
    /// it lacks one or two records; and its rank: one less than it lacks where records can be, 2
    /// where none can. `order` says which groups these are.
    fn first_box(
        &self,
        groups: [usize; 4],
        order: [usize; 4],
        [one, two, three]: [Cell; 3],
    ) -> Option<(usize, Flips)> {
        let links = self.links;
        let lacks = |cell: &Cell| !self.places.contains_key(cell);
        let pair = |left: usize, from: Cell, right: usize, other: Cell| {
            lacks(&links.put(links.put(self.own, groups[left], from), groups[right], other))
        };
        let apart = [pair(2, two, 3, three), pair(1, one, 3, three), pair(1, one, 2, two)];
        let pairs = apart.iter().filter(|lacks| **lacks).count();
        // From a group before this one with which nothing is lacking the box was found already.
        let is_later = |other: usize| {
            let lacks_with = (0..3).filter(|&place| place + 1 != other).any(|place| apart[place]);
            order[other] < order[0] && !lacks_with
        };
        if pairs > MOST_MISSING || (1..4).any(is_later) {
            return None;
        }
        let flips = links.flips(self.own, groups, [one, one, two, three]);
        let missing = pairs + usize::from(lacks(&flips[15]));
        let even = (0..16usize).filter(|flipped| flipped.count_ones() % 2 == 0);
        if !(1..=MOST_MISSING).contains(&missing) {
            return None;
        }
        let can_be = even.map(|at| flips[at]).all(|cell| !lacks(&cell) || links.can_be(cell));
        Some((if can_be { missing - 1 } else { MOST_MISSING }, flips))
    }

    /// A move, once every cell has the records that leave it; at most `boxes` more boxes bring
    /// what is lacking.
    fn bring(&mut self, boxes: usize) -> Option<Found> {
        let lacking =
            self.changes.iter().filter(|(cell, change)| **change < 0 && self.now(cell) < 0);
        let Some(lacking) = lacking.map(|(cell, _)| *cell).min() else { return self.judge() };
        if boxes == 0 || self.left == 0 {
            return None;
        }
        for flips in self.bringing(lacking, if boxes > 1 { MOST_MISSING } else { 0 }) {
            self.change(&flips, Middle::Gains);
            let keeps_going = self.changes.get(&self.own).is_some_and(|&change| change < 0);
            let found = if keeps_going && self.step(16) { self.bring(boxes - 1) } else { None };
            self.change(&flips, Middle::Loses);
            if found.is_some() || self.left == 0 {
                return found;
            }
        }
        None
    }

    /// The boxes that put a record into a cell and lack at most `most_missing`, fewest first.
    fn bringing(&mut self, cell: Cell, most_missing: usize) -> Vec<Flips> {
        let links = self.links;
        let buckets = self.buckets(cell);
        self.step(links.groupings.len());
        let mut found: [Vec<Flips>; MOST_MISSING + 1] = std::array::from_fn(|_| Vec::new());
        'all: for &groups in &links.groupings {
            let [first, second, third, fourth] = groups.map(|group| &buckets[group]);
            if groups.iter().any(|&group| buckets[group].is_empty()) {
                continue;
            }
            for &one in first {
                for &two in second {
                    let both = links.put(one, groups[1], two);
                    for &three in third {
                        if !self.step(1) || found[0].len() == MOST_BRINGING {
                            break 'all;
                        }
                        let lacks = |cell: Cell| usize::from(self.now(&cell) <= 0);
                        let begun = lacks(links.put(both, groups[2], three));
                        if begun > most_missing {
                            continue;
                        }
                        let others = [
                            both,
                            links.put(one, groups[2], three),
                            links.put(two, groups[2], three),
                        ];
                        for &four in fourth {
                            let missing = others.iter().fold(begun, |missing, &cell| {
                                if missing > most_missing {
                                    return missing;
                                }
                                missing + lacks(links.put(cell, groups[3], four))
                            });
                            if missing <= most_missing && found[missing].len() < MOST_BRINGING {
                                let from = [one, two, three, four];
                                found[missing].push(links.flips(cell, groups, from));
                            }
                        }
                        self.left = self.left.saturating_sub(fourth.len() as u64);
                    }
                }
            }
        }
        found.into_iter().flatten().take(MOST_BRINGING).collect()
    }

    /// The move that the boxes come to, if it is small enough and every wish allows it.
    fn judge(&mut self) -> Option<Found> {
        let mut changes: Vec<(Cell, i32)> =
            self.changes.iter().map(|(cell, change)| (*cell, *change)).collect();
        let records: i32 = changes.iter().map(|(_, change)| (*change).max(0)).sum();
        let leaves = self.changes.get(&self.own).is_some_and(|&change| change < 0);
        if usize::try_from(records).ok()? > self.most || !leaves {
            return None;
        }
        // The middle first.
        changes.sort_unstable_by_key(|(cell, _)| (*cell != self.own, *cell));
        let space = self.around.space;
        let words = space.cells.layout().words();
        let (mut removed, mut added) = (Vec::new(), Vec::new());
        for (cell, change) in changes {
            let words = &cell[..words];
            let times = change.unsigned_abs() as usize;
            if change > 0 {
                added.extend(std::iter::repeat_n(words.to_vec(), times));
            } else {
                let position = space.index.find(words).expect("a cell with records is there");
                removed.extend(std::iter::repeat_n(position, times));
            }
        }
        let before = self.hunt.judging();
        let found = self.hunt.judge(self.around, &removed, added, Kind::Linked);
        self.left = self.left.saturating_sub(self.hunt.judging() - before);
        found
    }
}

fn padded(words: &[u64]) -> Cell {
    std::array::from_fn(|word| words.get(word).copied().unwrap_or(0))
}

fn and(left: Cell, right: Cell) -> Cell {
    std::array::from_fn(|word| left[word] & right[word])
}
