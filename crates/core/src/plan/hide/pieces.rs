//! How many people have each piece of the keys, as the plan grows.
//!
//! A *piece* of a person's keys is what they have on some part of them. It is *crowded* when at
//! least `crowd` released people have it: who knows no more than that piece cannot tell them
//! apart. Of every part of the keys the people are counted by what they have on it, before any
//! swap and now, so that an exchange can be judged by what the file is like when it is made.
//!
//! The codes of a person on the keys are one number, their *name*, with a field for each key; a
//! piece is a name under a mask. Where records are households each member is a person, whose
//! fields beyond the household's own keys do not change.
//!
//! Where there are too many parts to count, the small ones are counted and the whole: a piece
//! that is not counted counts as not crowded.

use rayon::prelude::*;

use super::super::{Intruder, Members};
use crate::encode::Layout;
use crate::hash::{Map, STATE};
use crate::table::JointTable;

/// At most this many pieces are counted: some 40 bytes each.
const MOST_PIECES: usize = 1 << 24;

/// More keys than these make more parts than can be looked at.
const MOST_KEYS: usize = 20;

/// The names of people.
#[derive(Clone)]
pub(super) struct Names<'a> {
    /// The variable, the place and the bits of the field of each key of a record.
    fields: Vec<Field>,
    members: Option<(&'a Members, Vec<Field>)>,
}

#[derive(Clone, Copy)]
struct Field {
    variable: usize,
    shift: u32,
    mask: u128,
}

impl<'a> Names<'a> {
    /// The names for one intruder; `None` where the keys have too many values for a number.
    fn of(joint: &JointTable, intruder: &Intruder<'a>) -> Option<Self> {
        let layout = joint.cells().layout();
        let bits = |most: u32| u32::BITS - most.leading_zeros();
        let mut shift = 0;
        let mut field = |variable: usize, most: u32| {
            let own = Field { variable, shift, mask: 0 };
            shift += bits(most).max(1);
            (shift <= u128::BITS).then(|| Field { mask: ones(shift) & !ones(own.shift), ..own })
        };
        let most = |variable: usize| {
            let codes = joint.cells().iter().map(|cell| layout.code(cell, variable));
            codes.max().unwrap_or(0)
        };
        let members = intruder.members;
        let own = intruder.keys.iter().filter(|&key| members.is_none_or(|one| one.variable != key));
        let fields: Vec<Field> = own.map(|key| field(key, most(key))).collect::<Option<_>>()?;
        let members = match members {
            None => None,
            Some(members) => {
                let keys = members.values.first().map_or(0, Vec::len);
                let most = |key: usize| members.values.iter().map(|one| one[key]).max();
                let fields = (0..keys).map(|key| field(key, most(key).unwrap_or(0)));
                Some((members, fields.collect::<Option<Vec<Field>>>()?))
            }
        };
        let names = Self { fields, members };
        (1..=MOST_KEYS).contains(&names.keys()).then_some(names)
    }

    /// How many keys a person has.
    fn keys(&self) -> usize {
        self.fields.len() + self.members.as_ref().map_or(0, |(_, fields)| fields.len())
    }

    fn all_fields(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().chain(self.members.iter().flat_map(|(_, fields)| fields))
    }

    /// The fields of these keys, by bit.
    fn mask(&self, part: u32) -> u128 {
        let fields = self.all_fields().enumerate().filter(|(key, _)| part >> key & 1 == 1);
        fields.fold(0, |mask, (_, field)| mask | field.mask)
    }

    /// The keys in which two people agree.
    pub(super) fn agreeing(&self, one: u128, other: u128) -> u32 {
        let differing = one ^ other;
        let agree = self.all_fields().enumerate().filter(|(_, field)| differing & field.mask == 0);
        agree.fold(0, |part, (key, _)| part | 1 << key)
    }

    /// The keys of a record among these variables, by bit.
    pub(super) fn part(&self, variables: crate::varset::VarSet) -> u32 {
        let own = self.fields.iter().enumerate();
        let own = own.filter(|(_, field)| variables.contains(field.variable));
        own.fold(0, |part, (key, _)| part | 1 << key)
    }

    /// Calls `each` with the name of every person of a record with these words.
    pub(super) fn each(&self, layout: &Layout, words: &[u64], mut each: impl FnMut(u128)) {
        match &self.members {
            None => each(self.of_record(layout, words)),
            Some((members, _)) => {
                let code = layout.code(words, members.variable);
                let own = &members.of_code[code as usize];
                own.iter().for_each(|&number| each(self.member(layout, words, number)));
            }
        }
    }

    /// The name of the member with this number, of a household with these words.
    pub(super) fn member(&self, layout: &Layout, words: &[u64], number: u32) -> u128 {
        let (members, fields) = self.members.as_ref().expect("members are looked for");
        let codes = fields.iter().zip(&members.values[number as usize]);
        let own = self.of_record(layout, words);
        codes.fold(own, |name, (field, &code)| name | u128::from(code) << field.shift)
    }

    /// What a record has on its own keys.
    fn of_record(&self, layout: &Layout, words: &[u64]) -> u128 {
        let code = |field: &Field| u128::from(layout.code(words, field.variable));
        self.fields.iter().fold(0, |name, field| name | code(field) << field.shift)
    }
}

fn ones(bits: u32) -> u128 {
    u128::MAX.checked_shr(u128::BITS - bits).unwrap_or(0)
}

/// People with one piece.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Count {
    /// In the file as it was.
    pub(super) before: u32,
    /// Now.
    pub(super) now: u32,
    /// The numbers of their records, added up: where one is left, its number.
    pub(super) who: u32,
    /// People who are hidden by it.
    relied_on: u32,
}

/// The counts of every part of the keys.
///
/// Names that occur are numbered, and for each number the place of its piece is held for every
/// part: what a swap changes is then found without looking a piece up. A piece of several keys is
/// found from the piece without the last of them and the code of that one.
#[derive(Clone)]
pub(super) struct Pieces<'a> {
    pub(super) names: Names<'a>,
    crowd: u32,
    numbers: Map<u128, u32>,
    /// For each name by its number, and each counted part, the place of its piece.
    places: Vec<u32>,
    counted: Vec<Part>,
    /// By the bits of the part, which of the counted ones it is.
    parts: Vec<Option<u32>>,
}

/// The pieces of one part of the keys.
#[derive(Clone)]
struct Part {
    mask: u128,
    /// The part without its last key, among the counted ones; nothing where that is no key.
    without: Option<u32>,
    /// The last key.
    last: Field,
    pieces: Places,
    counts: Vec<Count>,
}

/// The places of the pieces of a part, by that of the piece without the last key and its code.
#[derive(Clone)]
enum Places {
    /// One for each possible piece, so many codes to a row; [`NOWHERE`] where nobody has it.
    Dense { width: usize, places: Vec<u32> },
    /// Those that occur.
    Sparse(Map<u64, u32>),
    /// All keys: each name is its own piece.
    Names,
}

const NOWHERE: u32 = u32::MAX;

/// A piece is looked up in a list of all possible ones while these are at most this many for each name.
const DENSE: usize = 4;

impl Part {
    fn code(&self, name: u128) -> usize {
        let code = (name & self.last.mask) >> self.last.shift;
        usize::try_from(code).expect("a code fits")
    }

    /// The place of the piece with this code beside the one at `without`, where somebody has it.
    fn find(&self, without: u32, name: u128) -> Option<u32> {
        let code = self.code(name);
        match &self.pieces {
            Places::Dense { width, places } => {
                let place = places.get(without as usize * width + code).copied();
                place.filter(|&place| place != NOWHERE)
            }
            Places::Sparse(places) => places.get(&key(without, code)).copied(),
            Places::Names => None,
        }
    }

    /// The same; a new place where nobody had it. `number` is that of the name.
    fn place(&mut self, without: u32, name: u128, number: u32) -> u32 {
        let next = u32::try_from(self.counts.len()).expect("there are fewer than 2^32 pieces");
        let code = self.code(name);
        let place = match &mut self.pieces {
            Places::Dense { width, places } => {
                let at = without as usize * *width + code;
                if places.len() <= at {
                    places.resize((without as usize + 1) * *width, NOWHERE);
                }
                let place = &mut places[at];
                if *place == NOWHERE {
                    *place = next;
                }
                *place
            }
            Places::Sparse(places) => *places.entry(key(without, code)).or_insert(next),
            Places::Names => number,
        };
        if place == next {
            self.counts.push(Count::default());
        }
        place
    }
}

fn key(without: u32, code: usize) -> u64 {
    u64::from(without) << u32::BITS | code as u64
}

impl<'a> Pieces<'a> {
    /// The counts of a file; the number of a record is that of its cell. `None` where there are
    /// too many keys, or too many values of them.
    pub(super) fn of(joint: &JointTable, intruder: &Intruder<'a>, crowd: u32) -> Option<Self> {
        let names = Names::of(joint, intruder)?;
        let layout = joint.cells().layout();
        let mut numbers: Map<u128, u32> = Map::with_hasher(STATE);
        let mut people: Vec<(u128, Count)> = Vec::new();
        for (cell, (words, &records)) in (0u32..).zip(joint.cells().iter().zip(joint.counts())) {
            names.each(layout, words, |name| {
                let next = u32::try_from(people.len()).expect("there are fewer than 2^32 people");
                let number = *numbers.entry(name).or_insert(next);
                if number == next {
                    people.push((name, Count::default()));
                }
                let count = &mut people[number as usize].1;
                count.now += records;
                count.who = count.who.wrapping_add(cell.wrapping_mul(records));
            });
        }
        let all = 1u32 << names.keys();
        let largest = largest_counted(names.keys(), people.len());
        let is_counted =
            |part: u32| part > 0 && (part.count_ones() as usize <= largest || part == all - 1);
        // Every part comes after the one that lacks its last key.
        let listed: Vec<u32> = (0..all).filter(|&part| is_counted(part)).collect();
        let mut parts = vec![None; all as usize];
        for (place, &part) in (0u32..).zip(&listed) {
            parts[part as usize] = Some(place);
        }
        let fields: Vec<Field> = names.all_fields().copied().collect();
        let new = |&part: &u32| {
            let last = part.ilog2();
            Part {
                mask: names.mask(part),
                without: parts[(part & !(1 << last)) as usize],
                last: fields[last as usize],
                pieces: Places::Names,
                counts: Vec::new(),
            }
        };
        let mut counted: Vec<Part> = listed.iter().map(new).collect();
        let mut lists: Vec<Vec<u32>> = vec![Vec::new(); listed.len()];
        // Parts of one size need those of the size below alone.
        for size in 1..=names.keys() {
            let due: Vec<usize> = (0..listed.len())
                .filter(|&one| listed[one].count_ones() as usize == size)
                .collect();
            let done: Vec<(Part, Vec<u32>)> = due
                .par_iter()
                .with_max_len(1)
                .map(|&one| {
                    let mut part = counted[one].clone();
                    let without = part.without.map(|place| {
                        (&lists[place as usize], counted[place as usize].counts.len())
                    });
                    if listed[one] != all - 1 {
                        let width = usize::try_from(part.last.mask >> part.last.shift).ok();
                        let width = width.map_or(usize::MAX, |most| most.saturating_add(1));
                        let cells = without.map_or(1, |(_, pieces)| pieces).saturating_mul(width);
                        part.pieces = match cells <= DENSE * people.len() {
                            true => Places::Dense { width, places: vec![NOWHERE; cells] },
                            false => Places::Sparse(Map::with_hasher(STATE)),
                        };
                    }
                    let places = (0u32..).zip(&people).map(|(number, (name, one))| {
                        let without = without.map_or(0, |(places, _)| places[number as usize]);
                        let place = part.place(without, *name, number);
                        let count = &mut part.counts[place as usize];
                        count.now += one.now;
                        count.before += one.now;
                        count.who = count.who.wrapping_add(one.who);
                        place
                    });
                    let places = places.collect();
                    (part, places)
                })
                .collect();
            for (one, (part, places)) in due.into_iter().zip(done) {
                (counted[one], lists[one]) = (part, places);
            }
        }
        let places =
            (0..people.len()).flat_map(|person| lists.iter().map(move |places| places[person]));
        let places = places.collect();
        Some(Self { names, crowd, numbers, places, counted, parts })
    }

    /// All keys.
    pub(super) fn all_keys(&self) -> u32 {
        u32::try_from(self.parts.len() - 1).expect("there are few keys")
    }

    /// What is counted of the piece that a person has on a part, where that is counted.
    pub(super) fn count(&self, part: u32, name: u128) -> Option<Count> {
        let part = self.parts[part as usize]? as usize;
        let place = match self.numbers.get(&name) {
            Some(&number) => Some(self.places_of(number)[part]),
            None => self.find(part, name),
        };
        Some(place.map_or(Count::default(), |place| self.counted[part].counts[place as usize]))
    }

    /// The place of the piece of a name that has no number, key by key.
    fn find(&self, part: usize, name: u128) -> Option<u32> {
        let part = &self.counted[part];
        let without = match part.without {
            Some(without) => self.find(without as usize, name)?,
            None => 0,
        };
        part.find(without, name)
    }

    fn places_of(&self, number: u32) -> &[u32] {
        let parts = self.counted.len();
        &self.places[number as usize * parts..][..parts]
    }

    /// Have enough people the piece that a person has on a part? Everybody has the empty one.
    pub(super) fn is_crowded(&self, part: u32, name: u128) -> bool {
        part == 0 || self.count(part, name).is_some_and(|count| count.now >= self.crowd)
    }

    /// Had enough people the piece that a person has on a part, before any swap?
    pub(super) fn was_crowded(&self, part: u32, name: u128) -> bool {
        part == 0 || self.count(part, name).is_some_and(|count| count.before >= self.crowd)
    }

    /// The number of a name, which may be new.
    fn number(&mut self, name: u128) -> u32 {
        let next = u32::try_from(self.numbers.len()).expect("there are fewer than 2^32 names");
        let number = *self.numbers.entry(name).or_insert(next);
        if number == next {
            let first = self.places.len();
            for part in &mut self.counted {
                let without = part.without.map_or(0, |one| self.places[first + one as usize]);
                self.places.push(part.place(without, name, number));
            }
        }
        number
    }

    /// A person of the record with this number comes, or goes.
    pub(super) fn change(&mut self, name: u128, record: u32, comes: bool) {
        let number = self.number(name);
        let parts = self.counted.len();
        let places = &self.places[number as usize * parts..][..parts];
        for (part, &place) in self.counted.iter_mut().zip(places) {
            let count = &mut part.counts[place as usize];
            if comes {
                count.now += 1;
                count.who = count.who.wrapping_add(record);
            } else {
                count.now = count.now.checked_sub(1).expect("a person who goes was there");
                count.who = count.who.wrapping_sub(record);
            }
        }
    }

    /// Somebody is hidden by the piece that they have on a part, where it is crowded.
    pub(super) fn rely(&mut self, part: u32, name: u128) {
        let Some(place) = self.parts[part as usize] else { return };
        let Some(&number) = self.numbers.get(&name) else { return };
        let (part, crowd) = (place as usize, self.crowd);
        let place = self.places_of(number)[part] as usize;
        let count = &mut self.counted[part].counts[place];
        count.relied_on += u32::from(count.now >= crowd);
    }

    /// Do too few people have a piece of this name by which somebody is hidden?
    pub(super) fn is_one_too_few(&self, name: u128) -> bool {
        let number = self.numbers.get(&name);
        let places = number.map_or(&[][..], |&number| self.places_of(number));
        self.counted.iter().zip(places).any(|(part, &place)| {
            let count = part.counts[place as usize];
            count.relied_on > 0 && count.now < self.crowd
        })
    }

    /// The pieces of this name that one record alone has now and that several people had, with the
    /// part and the number of that record.
    pub(super) fn left_alone(&self, name: u128) -> impl Iterator<Item = (u128, u32)> {
        let number = self.numbers.get(&name);
        let places = number.map_or(&[][..], |&number| self.places_of(number));
        self.counted.iter().zip(places).filter_map(|(part, &place)| {
            let count = part.counts[place as usize];
            (count.now == 1 && count.before >= 2).then_some((part.mask, count.who))
        })
    }
}

/// Parts of up to this many keys are counted.
fn largest_counted(keys: usize, people: usize) -> usize {
    let mut left = MOST_PIECES / people.max(1);
    let mut parts = 1usize;
    for size in 1..=keys {
        parts = parts * (keys + 1 - size) / size;
        match left.checked_sub(parts) {
            Some(rest) => left = rest,
            None => return size - 1,
        }
    }
    keys
}
