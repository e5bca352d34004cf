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
//! A record that is blank on a key may be anybody's there. An intruder who leaves out the records
//! with other values is left with it: it counts as agreeing on that key, and its crowd are the
//! records that are blank there as well, which no one who is looked for can part from it.
//!
//! Where there are too many parts to count, the small ones are counted and the whole: a piece
//! that is not counted counts as not crowded.

use rayon::prelude::*;

use super::super::judge::Change;
use super::super::{Intruder, Members};
use crate::encode::Layout;
use crate::hash::{Map, STATE};
use crate::table::JointTable;

/// At most this many pieces are counted of the keys of an intruder, known in any way: some 40 bytes
/// each.
const MOST_PIECES: usize = 1 << 24;

/// More keys than these make more parts than can be looked at.
const MOST_KEYS: usize = 20;

/// The names of people.
#[derive(Clone)]
pub(super) struct Names<'a> {
    /// The variable, the place and the bits of the field of each key of a record.
    fields: Vec<Field>,
    members: Option<(&'a Members, Vec<Field>)>,
    /// For each key with codes that say nothing its bit, its field and these codes in their place.
    blank: Vec<(u32, u128, Vec<u128>)>,
    known: Known<'a>,
}

/// How the keys are known: for each key the classes of its codes, where it is known roughly. Empty
/// where every key is known exactly.
pub(super) type Known<'a> = Vec<Option<&'a [u32]>>;

/// Of so many keys that may be known roughly any may be so at once; of more, one.
const MOST_ROUGH: usize = 3;

/// Every way in which an intruder may know the keys: each of them exactly or in classes. To know all
/// of them exactly comes first.
pub(super) fn ways_to_know<'a>(intruder: &Intruder<'a>) -> Vec<Known<'a>> {
    let members = intruder.members;
    let own = intruder.keys.iter().filter(|&key| members.is_none_or(|one| one.variable != key));
    let own = own.map(|key| {
        let rough = intruder.roughly.iter().find(|rough| rough.key == key);
        rough.map_or(&[][..], |rough| &rough.classes[..])
    });
    let theirs = members.into_iter().flat_map(|members| members.roughly.iter().map(|one| &one[..]));
    let keys: Vec<&[Vec<u32>]> = own.chain(theirs).collect();
    let rough = keys.iter().filter(|classes| !classes.is_empty()).count();
    let at_once = if rough > MOST_ROUGH { 1 } else { rough };
    let mut ways = vec![Vec::new()];
    for classes in keys {
        let with = |way: &Known<'a>, known| way.iter().copied().chain([known]).collect();
        let exactly = ways.iter().map(|way| with(way, None));
        let few = ways.iter().filter(|way| way.iter().flatten().count() < at_once);
        let roughly = few.flat_map(|way| classes.iter().map(move |one| with(way, Some(&one[..]))));
        ways = exactly.chain(roughly).collect();
    }
    ways[0].clear();
    ways
}

#[derive(Clone, Copy)]
struct Field {
    variable: usize,
    shift: u32,
    mask: u128,
}

impl<'a> Names<'a> {
    /// The names for one intruder; `None` where the keys have too many values for a number.
    fn of(joint: &JointTable, intruder: &Intruder<'a>, known: &Known<'a>) -> Option<Self> {
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
        let classed = |key: usize| Some(known.get(key).copied().flatten()?.iter().max().copied());
        let members = intruder.members;
        let own = intruder.keys.iter().filter(|&key| members.is_none_or(|one| one.variable != key));
        let own = own.enumerate().map(|(place, key)| {
            field(key, classed(place).map_or_else(|| most(key), Option::unwrap_or_default))
        });
        let fields: Vec<Field> = own.collect::<Option<_>>()?;
        let members = match members {
            None => None,
            Some(members) => {
                let keys = members.values.first().map_or(0, Vec::len);
                let most = |key: usize| members.values.iter().map(|one| one[key]).max();
                let most = |key| classed(fields.len() + key).unwrap_or_else(|| most(key));
                let own = (0..keys).map(|key| field(key, most(key).unwrap_or(0)));
                Some((members, own.collect::<Option<Vec<Field>>>()?))
            }
        };
        let mut names = Self { fields, members, blank: Vec::new(), known: known.clone() };
        let none = Vec::new();
        let own = names.fields.iter().map(|field| intruder.blank.get(field.variable));
        let theirs = names.members.iter().flat_map(|(members, _)| members.blank.iter().map(Some));
        let codes = own.chain(theirs).map(|codes| codes.unwrap_or(&none));
        let blank =
            (0u32..).zip(names.all_fields()).zip(codes).filter(|(_, codes)| !codes.is_empty());
        names.blank = blank
            .map(|((key, field), codes)| {
                let told = |&code: &u32| u128::from(names.told(key as usize, code)) << field.shift;
                let placed = codes.iter().map(told);
                (1u32 << key, field.mask, placed.filter(|code| code & !field.mask == 0).collect())
            })
            .collect();
        (1..=MOST_KEYS).contains(&names.keys()).then_some(names)
    }

    /// How many people a record has at most.
    fn most_people(&self) -> u32 {
        let most = |members: &Members| members.of_code.iter().map(Vec::len).max().unwrap_or(0);
        let most = self.members.as_ref().map_or(1, |(members, _)| most(members));
        u32::try_from(most).expect("a record has few people")
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

    /// What a record holds of a person: the keys on which it agrees with them or is blank, and a
    /// name that has its piece there.
    pub(super) fn held(&self, record: u128, person: u128) -> (u32, u128) {
        let differing = record ^ person;
        let agree = self.all_fields().enumerate().filter(|(_, field)| differing & field.mask == 0);
        let part = agree.fold(0, |part, (key, _)| part | 1 << key);
        let blank = self.blank.iter().filter(|(_, mask, codes)| codes.contains(&(record & mask)));
        match part | blank.fold(0, |blank, (key, ..)| blank | key) {
            same if same == part => (part, person),
            more => (more, record),
        }
    }

    /// The keys of a record among these variables, by bit.
    pub(super) fn part(&self, variables: crate::varset::VarSet) -> u32 {
        let own = self.fields.iter().enumerate();
        let own = own.filter(|(_, field)| variables.contains(field.variable));
        own.fold(0, |part, (key, _)| part | 1 << key)
    }

    /// Calls `each` with the name of every person of a record with these words.
    pub(super) fn each(&self, layout: &Layout, words: &[u64], each: impl FnMut(u128)) {
        self.each_but(layout, words, |_| false, each);
    }

    /// The same without those members of whom this is true.
    pub(super) fn each_but(
        &self,
        layout: &Layout,
        words: &[u64],
        is_left_out: impl Fn(u32) -> bool,
        mut each: impl FnMut(u128),
    ) {
        match &self.members {
            None => each(self.of_record(layout, words)),
            Some((members, _)) => {
                let code = layout.code(words, members.variable);
                let own = members.of_code[code as usize].iter().copied();
                let own = own.filter(|&number| !is_left_out(number));
                own.for_each(|number| each(self.member(layout, words, number)));
            }
        }
    }

    /// The names of all people of some records, with the numbers of these.
    pub(super) fn people<'w>(
        &self,
        layout: &Layout,
        records: impl IntoIterator<Item = (&'w [u64], u32)>,
    ) -> Vec<(u128, u32)> {
        let mut people = Vec::with_capacity(2);
        for (words, number) in records {
            self.each(layout, words, |name| people.push((name, number)));
        }
        people
    }

    /// The name of the member with this number, of a household with these words.
    pub(super) fn member(&self, layout: &Layout, words: &[u64], number: u32) -> u128 {
        let (members, fields) = self.members.as_ref().expect("members are looked for");
        let codes = (self.fields.len()..).zip(fields).zip(&members.values[number as usize]);
        let own = self.of_record(layout, words);
        codes.fold(own, |name, ((key, field), &code)| {
            name | u128::from(self.told(key, code)) << field.shift
        })
    }

    /// What a record has on its own keys.
    fn of_record(&self, layout: &Layout, words: &[u64]) -> u128 {
        let code = |key, field: &Field| self.told(key, layout.code(words, field.variable));
        let codes = self.fields.iter().enumerate();
        codes.fold(0, |name, (key, field)| name | u128::from(code(key, field)) << field.shift)
    }

    /// What is known of a code of this key: the code, or its class.
    fn told(&self, key: usize, code: u32) -> u32 {
        let classes = self.known.get(key).copied().flatten();
        classes.map_or(code, |classes| classes[code as usize])
    }

    /// The keys that are known roughly and on which two records are in one class, by bit.
    pub(super) fn roughly_alike(&self, layout: &Layout, one: &[u64], other: &[u64]) -> u32 {
        let own = self.fields.iter().zip(&self.known).enumerate();
        let own = own.filter_map(|(key, (field, classes))| Some((key, field, (*classes)?)));
        own.fold(0, |alike, (key, field, classes)| {
            let [one, other] = [one, other].map(|words| layout.code(words, field.variable));
            alike | u32::from(classes[one as usize] == classes[other as usize]) << key
        })
    }

    /// Is some key known roughly?
    pub(super) fn is_rough(&self) -> bool {
        self.known.iter().any(Option::is_some)
    }
}

fn ones(bits: u32) -> u128 {
    u128::MAX.checked_shr(u128::BITS - bits).unwrap_or(0)
}

/// People with one piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Count {
    /// In the file as it was.
    pub(super) before: u32,
    /// Now.
    pub(super) now: u32,
    /// The numbers of their records, added up: where one is left, its number.
    pub(super) who: u32,
    /// People whose values are now in a record that has it: they are hidden by it where it is
    /// crowded.
    relied_on: u32,
    /// The last name of the file as it was that has it.
    last: u32,
}

impl Count {
    const NOBODY: Self = Self { before: 0, now: 0, who: 0, relied_on: 0, last: NOWHERE };
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
    /// At most this many people go in one turn.
    most_gone: u32,
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
    /// By place, what makes a piece worth looking at: [`RELIED_ON`], [`SMALL`].
    flags: Vec<u8>,
    /// For each name of the file as it was, the next one with the same piece.
    next: Vec<u32>,
}

/// The places of the pieces of a part, by that of the piece without the last key and its code.
#[derive(Clone)]
enum Places {
    /// One for each possible piece, `width` codes to a row; [`NOWHERE`] where nobody has it.
    Dense { width: usize, places: Vec<u32> },
    /// Those that occur.
    Sparse(Map<u64, u32>),
    /// All keys: each name is its own piece.
    Names,
}

const NOWHERE: u32 = u32::MAX;

/// A piece is looked up in a list of all possible ones while these are at most this many for each
/// name.
const DENSE: usize = 4;

impl Part {
    fn code(&self, name: u128) -> usize {
        let code = (name & self.last.mask) >> self.last.shift;
        usize::try_from(code).expect("a code fits")
    }

    /// The place of the piece with this code and the one at `without`, where somebody has it.
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

    /// The names of the file as it was that have the same piece as this one.
    fn names_from(&self, number: u32) -> impl Iterator<Item = u32> {
        std::iter::successors(Some(number), |&one| self.next.get(one as usize).copied())
            .take_while(|&number| number != NOWHERE)
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
            self.counts.push(Count::NOBODY);
            self.flags.push(0);
        }
        place
    }

    /// Notes whether a piece is worth looking at, when at most this many people go at once.
    fn flag(&mut self, place: u32, most_gone: u32) {
        let count = self.counts[place as usize];
        let is_small = count.before >= 2 && count.now <= 1 + most_gone;
        self.flags[place as usize] = match (count.relied_on > 0, is_small) {
            (false, false) => 0,
            (true, false) => RELIED_ON,
            (false, true) => SMALL,
            (true, true) => RELIED_ON | SMALL,
        };
    }
}

/// Somebody is hidden by the piece.
const RELIED_ON: u8 = 1;

/// Several people had the piece and so few have it now that one turn may leave one of them.
const SMALL: u8 = 2;

fn key(without: u32, code: usize) -> u64 {
    u64::from(without) << u32::BITS | code as u64
}

impl<'a> Pieces<'a> {
    /// The counts of a file, with the keys known in one of so many ways; the number of a record is
    /// that of its cell. `None` where there are too many keys, or too many values of them.
    pub(super) fn of(
        joint: &JointTable,
        intruder: &Intruder<'a>,
        (known, ways): (&Known<'a>, usize),
        crowd: u32,
    ) -> Option<Self> {
        let names = Names::of(joint, intruder, known)?;
        let layout = joint.cells().layout();
        let mut numbers: Map<u128, u32> = Map::with_hasher(STATE);
        let mut people: Vec<(u128, Count)> = Vec::new();
        for (cell, (words, &records)) in (0u32..).zip(joint.cells().iter().zip(joint.counts())) {
            names.each(layout, words, |name| {
                let next = u32::try_from(people.len()).expect("there are fewer than 2^32 people");
                let number = *numbers.entry(name).or_insert(next);
                if number == next {
                    people.push((name, Count::NOBODY));
                }
                let count = &mut people[number as usize].1;
                count.now += records;
                count.who = count.who.wrapping_add(cell.wrapping_mul(records));
            });
        }
        let most_gone = 2 * names.most_people();
        let all = 1u32 << names.keys();
        let largest = largest_counted(names.keys(), people.len() * ways);
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
                flags: Vec::new(),
                next: Vec::with_capacity(people.len()),
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
                        part.next.push(std::mem::replace(&mut count.last, number));
                        place
                    });
                    let places = places.collect();
                    (0u32..).take(part.counts.len()).for_each(|place| part.flag(place, most_gone));
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
        Some(Self { names, crowd, numbers, places, counted, parts, most_gone })
    }

    /// The number of a name that occurs.
    pub(super) fn name_number(&self, name: u128) -> u32 {
        self.numbers[&name]
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
        Some(place.map_or(Count::NOBODY, |place| self.counted[part].counts[place as usize]))
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

    /// The number of a name that comes in a turn, which may be new.
    fn number(&mut self, name: u128, turn: &Turn) -> u32 {
        if let Some(&number) = self.numbers.get(&name) {
            return number;
        }
        let number = u32::try_from(self.numbers.len()).expect("there are fewer than 2^32 names");
        let mut places = Vec::with_capacity(self.counted.len());
        self.list_places(name, turn, &mut places);
        self.numbers.insert(name, number);
        for one in 0..places.len() {
            if places[one] == NOWHERE {
                let part = &mut self.counted[one];
                let without = part.without.map_or(0, |without| places[without as usize]);
                places[one] = part.place(without, name, number);
            }
        }
        self.places.append(&mut places);
        number
    }

    /// People go and come, or those who went are back.
    pub(super) fn count_turn(&mut self, turn: &Turn, change: Change) {
        let made = change == Change::Made;
        let gone = turn.gone.iter().map(|person| (person, !made));
        for (&(name, record), comes) in gone.chain(turn.come.iter().map(|person| (person, made))) {
            let number = self.number(name, turn);
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
                part.flag(place, self.most_gone);
            }
        }
    }

    /// Will enough people have the piece that a person has on a part, after this turn? Everybody
    /// has the empty one.
    pub(super) fn will_be_crowded(&self, part: u32, name: u128, turn: &Turn) -> bool {
        part == 0
            || self.parts[part as usize].zip(self.count(part, name)).is_some_and(
                |(place, count)| {
                    let mask = self.counted[place as usize].mask;
                    turn.after(count, mask, name).now >= self.crowd
                },
            )
    }

    /// Somebody relies on the piece that they have on a part, or no longer.
    pub(super) fn rely(&mut self, part: u32, name: u128, change: Change) {
        let Some(place) = self.parts[part as usize] else { return };
        let Some(&number) = self.numbers.get(&name) else { return };
        let part = place as usize;
        let place = self.places_of(number)[part];
        let count = &mut self.counted[part].counts[place as usize];
        match change {
            Change::Made => count.relied_on += 1,
            Change::Undone => count.relied_on -= 1,
        }
        self.counted[part].flag(place, self.most_gone);
    }

    /// Does a turn leave enough people with every piece by which somebody is hidden, and no record
    /// alone with a piece that several people had, unless this is true: of the numbers of all names
    /// that had it, and of that of the record?
    pub(super) fn is_harmless(
        &self,
        turn: &Turn,
        mut may_be_alone: impl FnMut(&mut dyn Iterator<Item = u32>, u32) -> bool,
    ) -> bool {
        let mut is_harmless = |part: &Part, place: u32, name: u128, watched: u8| {
            let flags = part.flags.get(place as usize).map_or(0, |flags| flags & watched);
            flags == 0 || {
                let count = part.counts[place as usize];
                let after = turn.after(count, part.mask, name);
                let uncrowded = count.now >= self.crowd && after.now < self.crowd;
                !(flags & RELIED_ON != 0 && uncrowded)
                    && (flags & SMALL == 0
                        || after.now != 1
                        || may_be_alone(&mut part.names_from(count.last), after.who))
            }
        };
        let gone = turn.gone.iter().filter_map(|(name, _)| Some((*name, *self.numbers.get(name)?)));
        let gone: Vec<(u128, &[u32])> =
            gone.map(|(name, number)| (name, self.places_of(number))).collect();
        let stays = gone.iter().all(|&(name, places)| {
            let mut each = self.counted.iter().zip(places);
            each.all(|(part, &place)| is_harmless(part, place, name, RELIED_ON | SMALL))
        });
        let mut places = Vec::with_capacity(self.counted.len());
        stays
            && turn.come.iter().all(|&(name, _)| {
                self.list_places(name, turn, &mut places);
                self.counted.iter().zip(&places).enumerate().all(|(one, (part, &place))| {
                    // What somebody who goes has as well was asked about.
                    gone.iter().any(|(_, places)| places[one] == place)
                        || is_harmless(part, place, name, SMALL)
                })
            })
    }

    /// The place of each piece of a name that goes or comes in a turn, [`NOWHERE`] where nobody
    /// ever had it.
    fn list_places(&self, name: u128, turn: &Turn, places: &mut Vec<u32>) {
        places.clear();
        if let Some(&number) = self.numbers.get(&name) {
            places.extend_from_slice(self.places_of(number));
            return;
        }
        // What it has in common with somebody who goes has the same place.
        let known = |&(gone, _): &(u128, u32)| {
            let number = self.numbers.get(&gone)?;
            Some((name ^ gone, self.places_of(*number)))
        };
        let known: Vec<(u128, &[u32])> = turn.gone.iter().filter_map(known).collect();
        for (one, part) in self.counted.iter().enumerate() {
            let same = known.iter().find(|(differing, _)| differing & part.mask == 0);
            let without = part.without.map_or(0, |without| places[without as usize]);
            places.push(match same {
                Some((_, places)) => places[one],
                None if without == NOWHERE => NOWHERE,
                None => part.find(without, name).unwrap_or(NOWHERE),
            });
        }
    }
}

/// People who go and people who come when an exchange is made: their names, and the numbers of
/// their records.
pub(super) struct Turn {
    pub(super) gone: Vec<(u128, u32)>,
    pub(super) come: Vec<(u128, u32)>,
}

impl Turn {
    /// The way back.
    pub(super) fn back(&self) -> Self {
        Self { gone: self.come.clone(), come: self.gone.clone() }
    }

    /// What is counted of the piece that a name has under a mask, afterwards.
    fn after(&self, mut count: Count, mask: u128, name: u128) -> Count {
        for (other, record) in &self.come {
            if (other ^ name) & mask == 0 {
                count.now += 1;
                count.who = count.who.wrapping_add(*record);
            }
        }
        for (other, record) in &self.gone {
            if (other ^ name) & mask == 0 {
                count.now = count.now.checked_sub(1).expect("a person who goes was there");
                count.who = count.who.wrapping_sub(*record);
            }
        }
        count
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
