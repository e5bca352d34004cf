//! Counted cells as a data frame with a line for each record.
//!
//! Whoever counts cells elsewhere need not hand over records: what can be asked of a file can be
//! asked of the lines that its cells stand for. They are in an order that the contents alone decide,
//! whatever the order in which the cells came: cells in the order of their categories, the records of
//! one cell after each other. Households are given as kinds: the cells of the members, and how many
//! households have these. Then the members of a household follow each other, and its name is a number.
//!
//! A line costs four bytes: the columns share the cell of each line. Columns that make no cell have
//! their names and no values; who asks for them is refused.
//!
//! Way in: [`Frame::unfolded`]; [`Unfolded::place`] leads back to the cells.

use std::sync::Arc;

use marginswap_core::columns::{Column, ColumnBuilder};
use marginswap_core::diagnostic::{Diagnostic, grouped};

use super::Frame;
use crate::refusal::Code;

/// Records that are kept together: those of a cell, each alone, or the members of a household.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HouseholdKind {
    /// The cells of the members, by their place in [`Frame::by_contents`], rising.
    pub members: Vec<u32>,
    /// How many households are of this kind.
    pub households: u32,
}

/// Where a line comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellPlace {
    /// The kind of its household, by its place among [`Unfolded::kinds`]; where there are no
    /// households, its cell by its place in [`Frame::by_contents`].
    pub kind: u32,
    /// Which of the households, or of the records, of that kind it is, from 0.
    pub number: u32,
    /// Which of the members, from 0.
    pub member: u32,
}

/// The lines of counted cells.
#[derive(Debug, Clone)]
pub struct Unfolded {
    /// A line for each record.
    pub frame: Frame,
    /// The lines of the counted frame, in the order of their contents.
    pub order: Vec<u32>,
    kinds: Option<Vec<HouseholdKind>>,
    /// For each kind its first line, and one more entry.
    starts: Vec<u32>,
    /// The place of each line's cell in `order`.
    cell_of: Arc<Vec<u32>>,
}

impl Frame {
    /// Its lines in the order of their categories, a null before all of them.
    ///
    /// # Errors
    /// A column that has no categories.
    pub fn by_contents(&self) -> Result<Vec<u32>, Diagnostic> {
        let columns = self.held.columns.iter().zip(self.names()).map(|(column, name)| {
            let refuse = |refusal: &Diagnostic| {
                refusal.clone().in_file(self.label()).in_column(format!("`{name}`"))
            };
            column.as_ref().map(|column| column.clone().sorted()).map_err(refuse)
        });
        let columns: Vec<Column> = columns.collect::<Result<_, _>>()?;
        let mut order: Vec<u32> = (0..number(self.records())).collect();
        order.sort_unstable_by(|&one, &other| {
            let code = |column: &Column, line: u32| column.code(line as usize);
            let both = columns.iter().map(|column| code(column, one).cmp(&code(column, other)));
            both.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
        });
        Ok(order)
    }

    /// How many columns stay with an engine.
    #[must_use]
    pub fn columns_in_engine(&self) -> usize {
        let stays = |column: &&Result<Column, Diagnostic>| {
            column.as_ref().is_err_and(|refusal| refusal.code == Code::InEngine)
        };
        self.held.columns.iter().filter(stays).count()
    }

    /// A line for each record of these counted cells, in a table with these columns; `households`
    /// are the column that names them and their kinds.
    ///
    /// Law: `unfolded-cells-are-the-records`.
    ///
    /// # Errors
    /// More records than can be numbered, or as [`Frame::by_contents`] and [`Frame::new`].
    ///
    /// # Panics
    /// When the frame has no counts, or a column that is not among `names`.
    pub fn unfolded(
        &self,
        label: &str,
        names: &[String],
        households: Option<(&str, Vec<HouseholdKind>)>,
    ) -> Result<Unfolded, Diagnostic> {
        let order = self.by_contents()?;
        let counts = self.counts().expect("cells have counts");
        let in_order = order.iter().map(|&line| counts[line as usize]);
        let (named, kinds) = households.unzip();
        let (starts, cell_of) = match &kinds {
            None => lines(in_order.enumerate().map(|(cell, count)| ([number(cell)], count))),
            Some(kinds) => lines(kinds.iter().map(|kind| (&kind.members[..], kind.households))),
        }
        .map_err(|refusal| refusal.in_file(label))?;
        let cell_of = Arc::new(cell_of);
        let column = |name: &String| {
            if named == Some(name) {
                return Ok(names_of_households(label, kinds.as_deref().unwrap_or_default()));
            }
            let own = self.names().iter().position(|own| own == name).ok_or_else(beside)?;
            let lines = order.iter().map(|&line| line as usize);
            Ok(self.categories(own).of_records(lines).sorted().at_places(&cell_of))
        };
        let columns = names.iter().map(column).collect();
        let frame = Self::new(label, names.to_vec(), columns, cell_of.len())?;
        Ok(Unfolded { frame, order, kinds, starts, cell_of })
    }
}

impl Unfolded {
    /// The kinds of households, where there are any.
    #[must_use]
    pub fn kinds(&self) -> Option<&[HouseholdKind]> {
        self.kinds.as_deref()
    }

    /// The cell of a line, as a line of the counted frame.
    #[must_use]
    pub fn cell_of(&self, line: u32) -> u32 {
        self.order[self.cell_of[line as usize] as usize]
    }

    /// Where a line comes from.
    #[must_use]
    pub fn place(&self, line: u32) -> CellPlace {
        let kind = self.starts.partition_point(|&start| start <= line) - 1;
        let size = self.kinds.as_ref().map_or(1, |kinds| number(kinds[kind].members.len()));
        let within = line - self.starts[kind];
        CellPlace { kind: number(kind), number: within / size, member: within % size }
    }
}

/// For each kind of records its first line, and the cell of every line.
fn lines<C: AsRef<[u32]>>(
    kinds: impl Iterator<Item = (C, u32)> + Clone,
) -> Result<(Vec<u32>, Vec<u32>), Diagnostic> {
    let (mut starts, mut all) = (vec![0], 0u32);
    for (members, count) in kinds.clone() {
        let size = u32::try_from(members.as_ref().len()).ok();
        let more = size.and_then(|size| size.checked_mul(count));
        all = more.and_then(|more| all.checked_add(more)).ok_or_else(too_many)?;
        starts.push(all);
    }
    let mut cell_of = Vec::with_capacity(all as usize);
    for (members, count) in kinds {
        (0..count).for_each(|_| cell_of.extend_from_slice(members.as_ref()));
    }
    Ok((starts, cell_of))
}

fn too_many() -> Diagnostic {
    let detail = format!("the table has more than {} records", grouped(u32::MAX.into()));
    Diagnostic::new(Code::TooManyRecords, detail, "split the table")
}

/// The name of each line's household: what the table is called, and a number from 1. So no household
/// of one table is taken for one of another.
fn names_of_households(label: &str, kinds: &[HouseholdKind]) -> Column {
    let (mut names, mut household) = (ColumnBuilder::default(), 0u32);
    for kind in kinds {
        for _ in 0..kind.households {
            household += 1;
            let code = names.intern(format!("{label} {household}").as_bytes());
            kind.members.iter().for_each(|_| names.push_code(code));
        }
    }
    names.finish()
}

/// The refusal of a column whose values stay with the engine.
fn beside() -> Diagnostic {
    Diagnostic::new(
        Code::InEngine,
        "an engine holds this column, and nothing was counted by it",
        "let it take part, or ask where the file fits in memory",
    )
}

fn number(count: usize) -> u32 {
    u32::try_from(count).expect("a frame has fewer than 2^32 lines")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    type Row = [Option<u8>; 2];

    fn frame(cells: &[(Row, u32)]) -> Frame {
        let columns = [0, 1].map(|column| {
            let mut values = ColumnBuilder::default();
            for (row, _) in cells {
                match row[column] {
                    Some(value) => values.push(&[value]),
                    None => values.push_null(),
                }
            }
            Ok(values.finish())
        });
        let counts: Vec<u32> = cells.iter().map(|(_, count)| *count).collect();
        let names = ["a", "b"].map(str::to_owned).to_vec();
        Frame::new("cells", names, columns.into(), cells.len()).unwrap().counted(counts.into())
    }

    fn row(frame: &Frame, line: usize, columns: [usize; 2]) -> Row {
        columns.map(|column| {
            let column = frame.categories(column);
            column.dictionary().category(column.code(line)).map(|value| value[0])
        })
    }

    fn names() -> Vec<String> {
        ["id", "b", "a", "home"].map(str::to_owned).to_vec()
    }

    fn a_row() -> impl Strategy<Value = Row> {
        let value = || proptest::option::weighted(0.8, 0u8..4);
        [value(), value()]
    }

    proptest! {
        /// Law: `unfolded-cells-are-the-records`.
        #[test]
        fn law_unfolded_cells_are_the_records(
            cells in proptest::collection::btree_map(a_row(), 1u32..5, 1..20),
            homes in proptest::collection::btree_map(
                proptest::collection::vec(a_row(), 1..4), 1u32..4, 1..6),
        ) {
            let given: Vec<(Row, u32)> = cells.clone().into_iter().collect();
            let turned: Vec<(Row, u32)> = given.iter().rev().copied().collect();
            let [one, other] = [&given, &turned].map(|cells| {
                frame(cells).unfolded("table", &names(), None).unwrap()
            });
            let rows: Vec<Row> =
                (0..one.frame.records()).map(|line| row(&one.frame, line, [2, 1])).collect();
            // Each cell as often as it was counted, in the order of the contents.
            let expected: Vec<Row> = cells.iter()
                .flat_map(|(row, &count)| (0..count).map(|_| *row)).collect();
            prop_assert_eq!(&rows, &expected);
            for line in 0..one.frame.records() {
                prop_assert_eq!(row(&other.frame, line, [2, 1]), expected[line]);
                let place = other.place(number(line));
                prop_assert_eq!(turned[other.cell_of(number(line)) as usize].0, expected[line]);
                let first = expected.iter().position(|row| *row == expected[line]).unwrap();
                prop_assert_eq!((place.number as usize, place.member), (line - first, 0));
            }

            // Households: the members of each together, and the way back to them.
            let mut homes: Vec<(Vec<Row>, u32)> = homes.into_iter().collect();
            homes.iter_mut().for_each(|(members, _)| members.sort_unstable());
            let mut counts: BTreeMap<Row, u32> = BTreeMap::new();
            for (members, count) in &homes {
                members.iter().for_each(|member| *counts.entry(*member).or_default() += count);
            }
            let cells: Vec<(Row, u32)> = counts.into_iter().collect();
            let place_of = |row: &Row| cells.iter().position(|(cell, _)| cell == row).unwrap();
            let kinds = homes.iter().map(|(members, households)| HouseholdKind {
                members: members.iter().map(|row| number(place_of(row))).collect(),
                households: *households,
            });
            let made =
                frame(&cells).unfolded("table", &names(), Some(("home", kinds.collect()))).unwrap();
            let mut line = 0;
            for (kind, (members, households)) in homes.iter().enumerate() {
                for household in 0..*households {
                    for (member, expected) in members.iter().enumerate() {
                        prop_assert_eq!(row(&made.frame, line, [2, 1]), *expected);
                        let place = CellPlace {
                            kind: number(kind), number: household, member: number(member)
                        };
                        prop_assert_eq!(made.place(number(line)), place);
                        line += 1;
                    }
                }
            }
            prop_assert_eq!(line, made.frame.records());
            let homes_named = made.frame.categories(3).dictionary().levels();
            prop_assert_eq!(homes_named, homes.iter().map(|(_, count)| *count as usize).sum::<usize>());
        }
    }

    #[test]
    fn more_records_than_numbers_are_refused() {
        let many = frame(&[([Some(1), None], u32::MAX), ([Some(2), None], 1)]);
        let refused = many.unfolded("table", &names(), None);
        assert_eq!(refused.unwrap_err().code, Code::TooManyRecords);
        let kind = HouseholdKind { members: vec![0, 1], households: u32::MAX };
        let refused = many.unfolded("table", &names(), Some(("home", vec![kind])));
        assert_eq!(refused.unwrap_err().code, Code::TooManyRecords);
    }

    #[test]
    fn a_column_that_makes_no_cell_is_refused_when_it_is_asked_for() {
        let made = frame(&[([Some(1), None], 2)]).unfolded("table", &names(), None).unwrap();
        let asked = |wanted: [bool; 4]| {
            let sample = crate::Sample { columns: vec![false; 4], step: 1 };
            made.frame.read(&wanted, &sample).map(|table| table.records)
        };
        assert_eq!(asked([false, true, true, false]).unwrap(), 2);
        assert_eq!(asked([true, true, true, false]).unwrap_err().code, Code::InEngine);
    }
}
