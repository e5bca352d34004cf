//! A column that grows while its file is read: coded, or listed where nearly all values differ.
//!
//! Which of the two it is changes between rounds of parts, never while one is read; see
//! [`GrowingColumn::settle`]. The finished column is the same either way.
//!
//! Edge case: values that differ at first and come again later, as in a file of two years. A listed
//! column is looked at whenever it is four times as long as before, and coded again if need be.

use super::uncoded::UncodedColumn;
use super::{Column, ColumnBuilder, ColumnPart, nearly_all_differ};

/// A column that is being read.
pub enum GrowingColumn {
    /// Every record has a code.
    Coded(ColumnBuilder),
    /// Every record has its category.
    Listed(GrowingList),
}

/// Records of a column that are read apart from others, as the column is at that time.
pub enum GrowingPart {
    /// See [`ColumnBuilder::append`].
    Coded(ColumnPart),
    /// They come after those of the list.
    Listed(UncodedColumn),
}

/// The list of a column, and how long it is when it is next looked at.
pub struct GrowingList {
    list: UncodedColumn,
    look_at: usize,
}

/// A column with more categories is listed if nearly all differ: the table in which they are looked
/// up no longer fits the caches.
const MANY: usize = 1 << 16;

impl Default for GrowingColumn {
    fn default() -> Self {
        Self::Coded(ColumnBuilder::default())
    }
}

impl GrowingColumn {
    /// Records that come after those of this column, none yet.
    #[must_use]
    pub fn part(&self) -> GrowingPart {
        match self {
            Self::Coded(builder) => GrowingPart::Coded(builder.part()),
            Self::Listed(_) => GrowingPart::Listed(UncodedColumn::default()),
        }
    }

    /// Adds the records of a part. Parts come in the order of their records.
    ///
    /// # Panics
    /// When the column has settled since the part was begun.
    pub fn append(&mut self, part: GrowingPart) {
        match (self, part) {
            (Self::Coded(builder), GrowingPart::Coded(part)) => builder.append(part),
            (Self::Listed(growing), GrowingPart::Listed(part)) => growing.list.append(&part),
            _ => panic!("no column settles while a part of it is read"),
        }
    }

    /// Looks at the column while no part of it is read: is it coded or listed from here on?
    pub fn settle(&mut self) {
        match self {
            Self::Coded(builder)
                if builder.levels() > MANY
                    && nearly_all_differ(builder.levels(), builder.len()) =>
            {
                let list = std::mem::take(builder).into_listed();
                let look_at = list.len().saturating_mul(4);
                *self = Self::Listed(GrowingList { list, look_at });
            }
            Self::Listed(GrowingList { list, look_at }) if list.len() >= *look_at => {
                *look_at = list.len().saturating_mul(4);
                if !nearly_all_differ(list.levels(), list.len()) {
                    *self = Self::Coded(ColumnBuilder::of_listed(std::mem::take(list)));
                }
            }
            Self::Coded(_) | Self::Listed(_) => {}
        }
    }

    /// The column, with its categories in the order of first appearance.
    #[must_use]
    pub fn finish(self) -> Column {
        match self {
            Self::Coded(builder) => builder.finish(),
            Self::Listed(growing) => ColumnBuilder::of_listed(growing.list).finish(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads values in rounds of two parts each.
    fn read(values: &[String]) -> (GrowingColumn, usize) {
        let (mut column, mut changes) = (GrowingColumn::default(), 0);
        for round in values.chunks(50_000) {
            let parts: Vec<GrowingPart> = round
                .chunks(30_000)
                .map(|values| {
                    let mut part = column.part();
                    for value in values {
                        match (&column, &mut part) {
                            (GrowingColumn::Coded(column), GrowingPart::Coded(part)) => {
                                column.push_beside(part, value.as_bytes(), 0..value.len());
                            }
                            (_, GrowingPart::Listed(part)) => part.push(value.as_bytes()),
                            (GrowingColumn::Listed(_), GrowingPart::Coded(_)) => unreachable!(),
                        }
                    }
                    part
                })
                .collect();
            parts.into_iter().for_each(|part| column.append(part));
            let before = std::mem::discriminant(&column);
            column.settle();
            changes += usize::from(std::mem::discriminant(&column) != before);
        }
        (column, changes)
    }

    /// Witness for both changes: values that all differ, and the same again and again.
    #[test]
    fn a_column_is_the_same_coded_or_listed() {
        let different: Vec<String> = (0..150_000).map(|value| format!("P{value}")).collect();
        let mut again = different.clone();
        again.extend(different.iter().rev().cycle().take(400_000).cloned());
        for (values, expected) in [(different, 1), (again, 2)] {
            let (column, changes) = read(&values);
            assert_eq!(changes, expected);
            let column = column.finish();
            let twin: Column = values.iter().map(|value| value.as_bytes()).collect();
            assert_eq!(column.dictionary().levels(), twin.dictionary().levels());
            assert_eq!(column.len(), twin.len());
            for (record, value) in values.iter().enumerate() {
                assert_eq!(column.code(record), twin.code(record));
                let category = column.dictionary().category(column.code(record));
                assert_eq!(category, Some(value.as_bytes()));
            }
        }
    }
}
