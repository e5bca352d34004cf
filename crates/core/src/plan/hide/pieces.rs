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
        let put = |name, field: &Field, code: u32| name | u128::from(code) << field.shift;
        let own = self.fields.iter();
        let own = own.fold(0, |name, one| put(name, one, layout.code(words, one.variable)));
        match &self.members {
            None => each(own),
            Some((members, fields)) => {
                let code = layout.code(words, members.variable);
                for &number in &members.of_code[code as usize] {
                    let codes = &members.values[number as usize];
                    let fields = fields.iter().zip(codes);
                    each(fields.fold(own, |name, (field, &code)| put(name, field, code)));
                }
            }
        }
    }

    /// The name of the member with this number, of a household with these words.
    pub(super) fn member(&self, layout: &Layout, words: &[u64], number: u32) -> u128 {
        let (members, fields) = self.members.as_ref().expect("members are looked for");
        let own = self.fields.iter();
        let own = own.fold(0u128, |name, field| {
            name | u128::from(layout.code(words, field.variable)) << field.shift
        });
        let codes = fields.iter().zip(&members.values[number as usize]);
        codes.fold(own, |name, (field, &code)| name | u128::from(code) << field.shift)
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
}

/// The counts of every part of the keys.
///
/// Names that occur are numbered, and for each number the place of its piece is held for every
/// part: what a swap changes is then found without looking a piece up.
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
    pieces: Map<u128, u32>,
    counts: Vec<Count>,
}

impl Part {
    fn place(&mut self, name: u128) -> u32 {
        let next = u32::try_from(self.counts.len()).expect("there are fewer than 2^32 pieces");
        let place = *self.pieces.entry(name & self.mask).or_insert(next);
        if place == next {
            self.counts.push(Count::default());
        }
        place
    }
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
        let listed: Vec<u32> = (0..all).filter(|&part| is_counted(part)).collect();
        let count = |&part: &u32| {
            let (mask, pieces) = (names.mask(part), Map::with_hasher(STATE));
            let mut counted = Part { mask, pieces, counts: Vec::new() };
            let count = |(name, one): &(u128, Count)| {
                let place = counted.place(*name);
                let count = &mut counted.counts[place as usize];
                count.now += one.now;
                count.before += one.now;
                count.who = count.who.wrapping_add(one.who);
                place
            };
            let places: Vec<u32> = people.iter().map(count).collect();
            (counted, places)
        };
        let counted: Vec<(Part, Vec<u32>)> = listed.par_iter().with_max_len(1).map(count).collect();
        let places = (0..people.len())
            .flat_map(|person| counted.iter().map(move |(_, places)| places[person]));
        let places = places.collect();
        let mut parts = vec![None; all as usize];
        for (place, part) in (0u32..).zip(listed) {
            parts[part as usize] = Some(place);
        }
        let counted = counted.into_iter().map(|(part, _)| part).collect();
        Some(Self { names, crowd, numbers, places, counted, parts })
    }

    /// All keys.
    pub(super) fn all_keys(&self) -> u32 {
        u32::try_from(self.parts.len() - 1).expect("there are few keys")
    }

    /// What is counted of the piece that a person has on a part, where that is counted.
    pub(super) fn count(&self, part: u32, name: u128) -> Option<Count> {
        let part = self.parts[part as usize]?;
        let counted = &self.counted[part as usize];
        let place = match self.numbers.get(&name) {
            Some(&number) => Some(self.places_of(number)[part as usize]),
            None => counted.pieces.get(&(name & counted.mask)).copied(),
        };
        Some(place.map_or(Count::default(), |place| counted.counts[place as usize]))
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

    /// A person of the record with this number comes, or goes.
    pub(super) fn change(&mut self, name: u128, record: u32, comes: bool) {
        let next = u32::try_from(self.numbers.len()).expect("there are fewer than 2^32 names");
        let number = *self.numbers.entry(name).or_insert(next);
        if number == next {
            self.places.extend(self.counted.iter_mut().map(|part| part.place(name)));
        }
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
