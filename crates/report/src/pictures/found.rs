//! Who is found before, after and by chance, by the number of keys that is known.
//!
//! Each group of bars is somebody who knows some keys, up to this number of them: whom fewer keys
//! find is found by more.
//!
//! Edge case: with many keys the numbers that find nobody new are left out, except the last.
//!
//! Way in: [`draw`].

use marginswap_core::text::grouped;

use super::bars::{self, Fill, Piece, Row, share};
use crate::found::{FoundByKeysKnown, FoundBySomeKeys};
use crate::paint::{DONE, LEFT, STOCK};
use crate::sheet::{Picture, TextTable, Twin};

const TITLE: &str = "Found through some of the keys";

/// Three bars for each number of keys.
#[must_use]
pub fn draw(id: &str, found: &FoundBySomeKeys) -> Picture {
    let known = up_to(&found.found_by_keys_known);
    let numbers = |one: &FoundByKeysKnown| [one.before, one.after, one.by_chance];
    let most = known.iter().flat_map(numbers).max().unwrap_or(0);
    let mut rows: Vec<Row> = Vec::new();
    for one in &known {
        let names = [format!("{}: before", keys(one.keys)), "after".into(), "by chance".into()];
        let fills = [Fill::Solid(&STOCK), Fill::Solid(&LEFT), Fill::Open(&DONE)];
        for ((name, people), fill) in names.iter().zip(numbers(one)).zip(fills) {
            let piece = Piece { from: 0.0, to: share(people, most), fill };
            let pieces = if people > 0 { vec![piece] } else { Vec::new() };
            rows.push(Row::new(name, pieces, grouped(people)));
        }
    }
    let mut sheet = bars::sheet(&rows);
    sheet.heading(TITLE);
    sheet.small_print("People at risk of whom a record tells every sensitive value truly, by how");
    sheet.small_print("many keys are known; by chance: if they were not in the file");
    sheet.y += 6.0;
    let columns = bars::columns(&rows);
    bars::put(&mut sheet, &rows, &columns);

    let words = vec![format!(
        "Found through some of the keys: {} before, {} after, {} by chance.",
        grouped(found.people.found_before),
        grouped(found.people.found),
        grouped(found.people.found_by_chance)
    )];
    let cells = |one: &FoundByKeysKnown| {
        let mut cells = vec![keys(one.keys)];
        cells.extend(numbers(one).map(grouped));
        cells
    };
    let table = TextTable::new(
        TITLE,
        &["keys known", "found before", "after", "by chance"],
        known.iter().map(cells).collect(),
    );
    sheet.finish(id, "found", TITLE.to_owned(), Twin { words, table: Some(table) })
}

fn keys(number: usize) -> String {
    match number {
        0 => "no key".to_owned(),
        1 => "1 key".to_owned(),
        number => format!("up to {number} keys"),
    }
}

/// People whom this many keys or fewer find; where somebody is found whom fewer do not find, and for
/// all keys.
fn up_to(by_keys: &[FoundByKeysKnown]) -> Vec<FoundByKeysKnown> {
    let mut sum = FoundByKeysKnown::default();
    let mut all = Vec::new();
    for (place, one) in by_keys.iter().enumerate() {
        sum.keys = one.keys;
        sum.before += one.before;
        sum.after += one.after;
        sum.by_chance += one.by_chance;
        let is_new = one.before + one.after + one.by_chance > 0;
        if is_new || place + 1 == by_keys.len() {
            all.push(sum);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_keys_add_up() {
        let by_keys = |keys, after| FoundByKeysKnown { keys, after, ..Default::default() };
        let all = [by_keys(0, 0), by_keys(1, 2), by_keys(2, 0), by_keys(3, 5), by_keys(4, 0)];
        assert_eq!(up_to(&all), [by_keys(1, 2), by_keys(3, 7), by_keys(4, 7)]);
        assert_eq!(up_to(&[]), []);
    }
}
