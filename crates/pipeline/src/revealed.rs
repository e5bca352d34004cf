//! The new combinations of two values with the values themselves: what tells a widow of five from
//! a rare trade in a small town.
//!
//! Values of a released file that the original does not have together point to swapped records,
//! so they are listed only when asked for.
//!
//! Way in: [`revealed`].

use std::collections::BTreeMap;

use marginswap_core::columns::Column;
use marginswap_core::partner::is_absent_by_rarity;
use marginswap_core::verify::{NewPair, NewPairs};
use marginswap_report::verify::RevealedPair;

use crate::input::Loaded;
use crate::view::View;

/// The new combinations of two files with their values, those that look impossible first.
#[must_use]
pub fn revealed(original: &View, after: &Loaded, found: &NewPairs) -> Vec<RevealedPair> {
    let View { loaded: before, scope, .. } = original;
    let variables = scope.schema().variables();
    let column = |file: &Loaded, variable: usize| -> Column {
        let place = variables[variable].columns[0];
        file.raw_columns()[place].clone().expect("a column that is exchanged was read")
    };
    let mut all = Vec::new();
    for NewPair { pair, .. } in &found.by_pair {
        let [old, new] = [before, after].map(|file| pair.map(|variable| column(file, variable)));
        let known = tabulated(&old, before.counts());
        let made = tabulated(&new, after.counts());
        let having = old.each_ref().map(|column| tabulated([column], before.counts()));
        let records: u64 = having[0].values().sum();
        for (values, &having_both) in made.iter().filter(|(values, _)| !known.contains_key(*values))
        {
            let has =
                |place: usize| having[place].get(&values[place..=place]).copied().unwrap_or(0);
            let text = |place: usize| {
                values[place].as_ref().map(|value| String::from_utf8_lossy(value).into_owned())
            };
            all.push(RevealedPair {
                pair: pair.map(|variable| variables[variable].name.clone()),
                values: [text(0), text(1)],
                having: [has(0), has(1)],
                impossible: !is_absent_by_rarity(has(0), has(1), records),
                records: having_both,
            });
        }
    }
    all.sort_by_key(|found| !found.impossible);
    all
}

/// How many records have each combination of categories of some columns; `counts` says how many
/// each line is, where it is not one.
pub(crate) fn tabulated<'c>(
    columns: impl IntoIterator<Item = &'c Column>,
    counts: Option<&[u32]>,
) -> BTreeMap<Vec<Option<Vec<u8>>>, u64> {
    let columns: Vec<&Column> = columns.into_iter().collect();
    let mut by_code: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
    for line in 0..columns.first().map_or(0, |column| column.len()) {
        let codes = columns.iter().map(|column| column.code(line)).collect();
        *by_code.entry(codes).or_default() += counts.map_or(1, |counts| u64::from(counts[line]));
    }
    let category =
        |(column, code): (&&Column, &u32)| column.dictionary().category(*code).map(<[u8]>::to_vec);
    let named = |codes: Vec<u32>| columns.iter().zip(&codes).map(category).collect();
    by_code.into_iter().map(|(codes, records)| (named(codes), records)).collect()
}
