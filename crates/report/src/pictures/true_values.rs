//! How many sensitive values are true on the records that match people at risk.
//!
//! Edge case: with many sensitive variables neighbouring numbers share a bar; that every value
//! is true always has a bar of its own, because those people are re-identified with everything.
//!
//! Way in: [`draw`].

use std::ops::Range;

use marginswap_core::text::grouped;

use super::bars::{self, Fill, Piece, Row, share};
use crate::answer::{counted, percent};
use crate::paint::LEFT;
use crate::protection::ScenarioProtection;
use crate::sheet::{Picture, TextTable, Twin};

const TITLE: &str = "True values among the matched";

/// At most this number of bars, and the one for every value.
const MOST_BARS: usize = 12;

/// A bar for each number of true values.
#[must_use]
pub fn draw(id: &str, scenario: &ScenarioProtection) -> Picture {
    let counts = &scenario.matched_by_true_values;
    let values = counts.len().saturating_sub(1);
    let bins = bins(counts.len());
    let people = |bin: &Range<usize>| counts[bin.clone()].iter().sum::<u64>();
    let most = bins.iter().map(people).max().unwrap_or(0);
    let name = |bin: &Range<usize>| {
        let last = bin.end - 1;
        match (bin.start == values, bin.start == last) {
            (true, _) if values > 1 => format!("all {values} true"),
            (_, true) => format!("{last} of {values} true"),
            _ => format!("{} to {last} of {values} true", bin.start),
        }
    };
    let rows: Vec<Row> = bins
        .iter()
        .map(|bin| {
            let all = bin.start == values;
            let fill = if all { Fill::Solid(&LEFT) } else { Fill::Open(&LEFT) };
            let bar = Piece { from: 0.0, to: share(people(bin), most), fill };
            let pieces = if people(bin) > 0 { vec![bar] } else { Vec::new() };
            Row::new(&name(bin), pieces, grouped(people(bin)))
                .of(percent(people(bin), scenario.fates.matched))
        })
        .collect();
    let mut sheet = bars::sheet(&rows);
    sheet.heading(TITLE);
    sheet.small_print(
        "Matched people, by how many sensitive values on the matching record are true",
    );
    if let Some(words) = by_chance(scenario, values) {
        sheet.small_print(&words);
    }
    sheet.y += 6.0;
    let columns = bars::columns(&rows);
    bars::put(&mut sheet, &rows, &columns);

    let right = counts.last().copied().unwrap_or(0);
    let mut words = vec![format!(
        "{} matched; on the matching records every sensitive value is true for {}.",
        counted(scenario.fates.matched, "person is", "people are"),
        grouped(right)
    )];
    words.extend(by_chance(scenario, values).map(|words| format!("{words}.")));
    let cells = |bin: &Range<usize>| {
        vec![name(bin), grouped(people(bin)), percent(people(bin), scenario.fates.matched)]
    };
    let table = TextTable::new(
        TITLE,
        &["sensitive values", "people matched", "share"],
        bins.iter().map(cells).collect(),
    );
    let twin = Twin { words, table: Some(table) };
    sheet.finish(id, "true-values", TITLE.to_owned(), twin)
}

#[allow(clippy::cast_precision_loss, reason = "a number to be shown")]
fn by_chance(scenario: &ScenarioProtection, values: usize) -> Option<String> {
    let chance = scenario.values_true_by_chance?;
    Some(format!(
        "A record drawn at random would have {:.1} of {values} true on average",
        chance * values as f64
    ))
}

/// Numbers of true values that share a bar; the last has one of its own.
fn bins(numbers: usize) -> Vec<Range<usize>> {
    let Some(last) = numbers.checked_sub(1) else { return Vec::new() };
    let step = last.div_ceil(MOST_BARS).max(1);
    let below = (0..last).step_by(step).map(|start| start..(start + step).min(last));
    below.chain(std::iter::once(last..numbers)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_in_one_bar_and_the_last_alone() {
        for numbers in 0..300 {
            let bins = bins(numbers);
            assert!(bins.len() <= MOST_BARS + 1, "{numbers}");
            let all: Vec<usize> = bins.iter().cloned().flatten().collect();
            assert_eq!(all, (0..numbers).collect::<Vec<_>>());
            assert!(numbers == 0 || bins.last().is_some_and(|bin| bin.len() == 1), "{numbers}");
        }
    }
}
