//! Which lines of a file are one household.
//!
//! A household has all lines that share a value of one column, wherever they are in the file.
//! Households are numbered by their first line, so that the table of households, one record for
//! each, has an order that the file alone decides.
//!
//! What its members are together is a *multiset*: the combinations of their values on some
//! columns, each as often as it occurs, in no order. It is written as bytes that depend on the
//! values alone, so that the multisets of two files can be compared.
//!
//! Trap: a column may be the same for all members of every household by chance, where all
//! households are small. What is constant is found here; what it means is for others to say.
//!
//! Way in: [`Households::by`], [`Households::multiset`]. Slow twin:
//! [`crate::oracle::HouseholdWorld`].

use std::fmt;

use super::{Column, ColumnBuilder, Columns, Dictionary};
use crate::hash::{Map, STATE};

/// The households of a file: the lines of each, and the household of each line.
#[derive(Clone, PartialEq, Eq)]
pub struct Households {
    /// The household of each line.
    of: Vec<u32>,
    /// The lines of all households, one household after the other, each in file order.
    lines: Vec<u32>,
    /// Where the lines of each household begin; one entry more than there are households.
    starts: Vec<u32>,
}

/// What a column does that is not the same for all members of some household.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Torn {
    /// The first line whose value is not that of the first line of its household, from 0.
    pub line: usize,
    /// In how many households the column varies.
    pub households: u64,
}

impl Households {
    /// The households that the values of a column name.
    #[must_use]
    pub fn by(column: &Column) -> Self {
        let mut number = vec![u32::MAX; column.dictionary().levels()];
        let mut sizes: Vec<u32> = Vec::new();
        let mut of = Vec::with_capacity(column.len());
        column.for_each_code(|_, code| {
            let number = &mut number[code as usize];
            if *number == u32::MAX {
                *number = u32::try_from(sizes.len()).expect("a file has fewer than 2^32 lines");
                sizes.push(0);
            }
            sizes[*number as usize] += 1;
            of.push(*number);
        });
        let mut starts = Vec::with_capacity(sizes.len() + 1);
        let mut next = 0;
        starts.push(0);
        for size in sizes {
            next += size;
            starts.push(next);
        }
        let mut place = starts.clone();
        let mut lines = vec![0; of.len()];
        for (line, &household) in (0u32..).zip(&of) {
            let place = &mut place[household as usize];
            lines[*place as usize] = line;
            *place += 1;
        }
        Self { of, lines, starts }
    }

    /// How many households there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Is there none?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many lines there are.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.of.len()
    }

    /// The household of a line.
    ///
    /// # Panics
    /// When there is no such line.
    #[must_use]
    pub fn of(&self, line: usize) -> usize {
        self.of[line] as usize
    }

    /// The lines of a household, in file order.
    ///
    /// # Panics
    /// When there is no such household.
    #[must_use]
    pub fn members(&self, household: usize) -> &[u32] {
        &self.lines[self.starts[household] as usize..self.starts[household + 1] as usize]
    }

    /// The first line of a household.
    ///
    /// # Panics
    /// When there is no such household.
    #[must_use]
    pub fn first(&self, household: usize) -> usize {
        self.members(household)[0] as usize
    }

    /// How a column varies inside households; `None` when it is the same for all members of each.
    ///
    /// # Panics
    /// When the column has other lines.
    #[must_use]
    pub fn torn(&self, column: &Column) -> Option<Torn> {
        assert_eq!(column.len(), self.lines(), "a column has the lines of its file");
        let mut line = usize::MAX;
        let mut households = 0;
        for household in 0..self.len() {
            let own = column.code(self.first(household));
            let other = self.members(household).iter().find(|&&at| column.code(at as usize) != own);
            if let Some(&other) = other {
                households += 1;
                line = line.min(other as usize);
            }
        }
        (households > 0).then_some(Torn { line, households })
    }

    /// A column of households: the value of each one's first line.
    ///
    /// # Panics
    /// When the column has other lines.
    #[must_use]
    pub fn one_each(&self, column: &Column) -> Column {
        assert_eq!(column.len(), self.lines(), "a column has the lines of its file");
        column.of_records((0..self.len()).map(|household| self.first(household)))
    }

    /// A column of lines: the value of each one's household.
    ///
    /// # Panics
    /// When the column has other households.
    #[must_use]
    pub fn on_lines(&self, column: &Column) -> Column {
        assert_eq!(column.len(), self.len(), "a column has the households of its file");
        column.of_records(self.of.iter().map(|&household| household as usize))
    }

    /// A mark for each household: is any of its lines marked?
    ///
    /// # Panics
    /// When there is not a mark for each line.
    #[must_use]
    pub fn any(&self, marked: &[bool]) -> Vec<bool> {
        assert_eq!(marked.len(), self.lines(), "each line is marked or not");
        let mut found = vec![false; self.len()];
        for (&household, &marked) in self.of.iter().zip(marked) {
            found[household as usize] |= marked;
        }
        found
    }

    /// The number of lines of each household, as a column of households.
    #[must_use]
    pub fn sizes(&self) -> Column {
        let mut column = ColumnBuilder::default();
        for household in 0..self.len() {
            column.push(self.members(household).len().to_string().as_bytes());
        }
        column.finish()
    }

    /// The multiset of the members' values on some columns, as a column of households: two
    /// households, of one file or of two, have the same category exactly when their members have
    /// the same combinations of values equally often.
    ///
    /// Law: `multisets-by-definition`.
    ///
    /// # Panics
    /// When a column has other lines.
    #[must_use]
    pub fn multiset(&self, columns: &[&Column]) -> Column {
        let (ranks, written) = combinations(columns, self.lines());
        let mut known: Map<Vec<u32>, u32> = Map::with_hasher(STATE);
        let mut column = ColumnBuilder::default();
        let (mut members, mut bytes) = (Vec::new(), Vec::new());
        for household in 0..self.len() {
            members.clear();
            members.extend(self.members(household).iter().map(|&line| ranks[line as usize]));
            members.sort_unstable();
            let code = match known.get(&members) {
                Some(&code) => code,
                None => {
                    bytes.clear();
                    for &member in &members {
                        let member = &written[member as usize];
                        bytes.extend_from_slice(&length(member.len()));
                        bytes.extend_from_slice(member);
                    }
                    let code = column.intern(&bytes);
                    known.insert(members.clone(), code);
                    code
                }
            };
            column.push_code(code);
        }
        column.finish()
    }
}

impl fmt::Debug for Households {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Households({} of {} lines)", self.len(), self.lines())
    }
}

/// The combination of values of each line, by its rank among all, and what each is written as.
fn combinations(columns: &[&Column], lines: usize) -> (Vec<u32>, Vec<Vec<u8>>) {
    let mut combinations = Dictionary::default();
    let mut numbers = Vec::with_capacity(lines);
    let mut bytes = Vec::with_capacity(columns.len() * 4);
    for line in 0..lines {
        bytes.clear();
        for column in columns {
            bytes.extend_from_slice(&column.code(line).to_be_bytes());
        }
        numbers.push(combinations.code(&bytes));
    }
    let write = |number: u32| {
        let codes = combinations.category(number).expect("a combination is no null");
        let mut written = Vec::new();
        for (column, code) in columns.iter().zip(codes.chunks_exact(4)) {
            let code = u32::from_be_bytes(code.try_into().expect("a code has four bytes"));
            match column.dictionary().category(code) {
                Some(value) => {
                    written.extend_from_slice(&length(value.len() + 1));
                    written.extend_from_slice(value);
                }
                None => written.extend_from_slice(&length(0)),
            }
        }
        written
    };
    let mut written: Vec<(Vec<u8>, u32)> =
        (0..).take(combinations.levels()).map(|number| (write(number), number)).collect();
    written.sort_unstable();
    let mut ranks = vec![0u32; written.len()];
    for (rank, (_, number)) in (0u32..).zip(&written) {
        ranks[*number as usize] = rank;
    }
    for number in &mut numbers {
        *number = ranks[*number as usize];
    }
    (numbers, written.into_iter().map(|(bytes, _)| bytes).collect())
}

fn length(bytes: usize) -> [u8; 4] {
    u32::try_from(bytes).expect("the values of a line have fewer than 2^32 bytes").to_be_bytes()
}

/// What the columns of a file are in its table of households.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// The same for all members: a column of households, which may be exchanged.
    Household,
    /// Counted from the members: a column of households that stays.
    Composition,
    /// It varies inside households, or is to be taken for a column of persons.
    Person,
}

impl Columns {
    /// The table of households, one record for each: the columns in their places with one value
    /// for each household, and after them those of its members together, which stay. The
    /// column that names the households is the id.
    ///
    /// An exchange between two households keeps a table of persons exactly when it keeps the
    /// table of households by the same columns of households and the multiset of the members'
    /// values on its columns of persons.
    ///
    /// Law: `person-tables-are-tables-of-households`.
    ///
    /// # Panics
    /// When there is not a level for each column, or no column can be exchanged.
    #[must_use]
    pub fn of_households(
        &self,
        households: &Households,
        levels: &[Level],
        id: usize,
        together: Vec<(String, Column)>,
    ) -> Self {
        let roles = self.roles.of_households(levels, id, together.len());
        let (more, columns): (Vec<String>, Vec<Column>) = together.into_iter().unzip();
        let own = self.columns.iter().enumerate().map(|(position, column)| {
            let used = roles.of(position) != super::Role::Ignored || position == id;
            let column = column.as_ref().filter(|_| used)?;
            let column = households.one_each(column);
            Some(if position == id { column } else { column.sorted() })
        });
        let together = columns.into_iter().map(|column| Some(column.sorted()));
        Self {
            names: self.names.iter().cloned().chain(more).collect(),
            columns: own.chain(together).collect(),
            roles,
        }
    }
}
