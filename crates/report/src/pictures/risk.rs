//! People at risk before and after the release: what an intruder finds who knows their keys,
//! and how much of what is read off the matched records is true.
//!
//! Trap: the number of unique records after swapping is no measure of risk, so it is not
//! drawn. A match may lead to a record put together from two; how many of its values are true
//! is the measure, and chance is drawn next to it.
//!
//! Way in: [`draw`].

use marginswap_core::text::grouped;

use super::bars::{self, Fill, Piece, Row, share};
use crate::answer::{counted, percent, share as shown_share};
use crate::paint::{DONE, LEFT, STOCK};
use crate::protection::{Fates, Protection, ScenarioProtection, values_true_words};
use crate::sheet::{Picture, TextTable, Twin};

const TITLE: &str = "Risk before and after";

/// What an intruder finds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RiskPicture {
    /// People at risk in the original file.
    pub at_risk: u64,
    /// Of these, no released record has their keys.
    pub gone: u64,
    /// Two or more have them.
    pub shared: u64,
    /// Exactly one has them.
    pub matched: u64,
    /// Matched, with every sensitive value true.
    pub matched_right: u64,
    /// The share of the sensitive values on matched records that are true.
    pub values_true: Option<f64>,
    /// The share that a record drawn at random would give.
    pub values_true_by_chance: Option<f64>,
}

impl RiskPicture {
    /// What one intruder finds.
    #[must_use]
    pub fn of_scenario(scenario: &ScenarioProtection) -> Self {
        Self::of(&scenario.fates, scenario.values_true, scenario.values_true_by_chance)
    }

    /// What the worst of all intruders finds.
    #[must_use]
    pub fn of_worst_case(worst: &Protection) -> Self {
        Self::of(&worst.fates, worst.values_true, worst.values_true_by_chance)
    }

    fn of(fates: &Fates, values_true: Option<f64>, values_true_by_chance: Option<f64>) -> Self {
        let Fates { at_risk, gone, shared, matched, matched_right, .. } = *fates;
        Self { at_risk, gone, shared, matched, matched_right, values_true, values_true_by_chance }
    }
}

/// Two bars of people, before and after; and below, where anybody is matched, the share of true
/// values next to chance.
///
/// # Panics
/// When the numbers do not add up.
#[must_use]
pub fn draw(id: &str, found: &RiskPicture) -> Picture {
    let RiskPicture { at_risk, gone, shared, matched, matched_right, .. } = *found;
    assert_eq!(gone + shared + matched, at_risk, "everybody at risk is counted once");
    let mut from = 0;
    let mut after = Vec::new();
    for (people, fill) in [
        (matched_right, Fill::Solid(&LEFT)),
        (matched - matched_right, Fill::Open(&LEFT)),
        (shared, Fill::Open(&DONE)),
        (gone, Fill::Solid(&DONE)),
    ] {
        if people > 0 {
            let to = share(from + people, at_risk);
            after.push(Piece { from: share(from, at_risk), to, fill });
        }
        from += people;
    }
    let before = Piece { from: 0.0, to: 1.0, fill: Fill::Solid(&STOCK) };
    let before = if at_risk > 0 { vec![before] } else { Vec::new() };
    let rows = [
        Row::new("before", before, format!("{} at risk", grouped(at_risk))),
        Row::new(
            "after",
            after,
            format!("{} matched ({})", grouped(matched), percent(matched, at_risk)),
        ),
    ];
    let mut sheet = bars::sheet(&rows);
    sheet.heading(TITLE);
    sheet.small_print("People at risk, by how many released records have their keys");
    sheet.y += 6.0;
    let columns = bars::columns(&rows);
    bars::put(&mut sheet, &rows, &columns);
    bars::legend(
        &mut sheet,
        &[
            (Fill::Solid(&LEFT), "matched, every sensitive value true"),
            (Fill::Open(&LEFT), "matched"),
            (Fill::Open(&DONE), "shared"),
            (Fill::Solid(&DONE), "gone"),
        ],
    );
    let values = value_rows(found);
    if !values.is_empty() {
        sheet.y += 12.0;
        sheet.subheading("Sensitive values on matched records that are true");
        let columns = bars::columns(&values);
        bars::put(&mut sheet, &values, &columns);
    }
    sheet.finish(id, "risk", TITLE.to_owned(), twin(found))
}

fn value_rows(found: &RiskPicture) -> Vec<Row> {
    let row = |name: &str, value: Option<f64>, colour| {
        value.map(|value| {
            let bar = Piece { from: 0.0, to: value.clamp(0.0, 1.0), fill: Fill::Solid(colour) };
            let pieces = if value > 0.0 { vec![bar] } else { Vec::new() };
            Row::new(name, pieces, shown_share(value))
        })
    };
    let rows = [
        row("matched records", found.values_true, &LEFT),
        row("a record drawn at random", found.values_true_by_chance, &STOCK),
    ];
    if found.values_true.is_none() { Vec::new() } else { rows.into_iter().flatten().collect() }
}

fn twin(found: &RiskPicture) -> Twin {
    let RiskPicture { at_risk, gone, shared, matched, matched_right, .. } = *found;
    let mut words = vec![format!(
        "Before, {} at risk. After, {} still matched, {} with every sensitive value true.",
        counted(at_risk, "person is", "people are"),
        counted(matched, "is", "are"),
        grouped(matched_right)
    )];
    words.extend(values_true_words(found.values_true, found.values_true_by_chance, None));
    let cells =
        |name: &str, people: u64| vec![name.to_owned(), grouped(people), percent(people, at_risk)];
    let table = TextTable::new(
        TITLE,
        &["people at risk", "count", "share"],
        vec![
            cells("before: all", at_risk),
            cells("after: gone", gone),
            cells("after: shared", shared),
            cells("after: matched", matched),
            cells("after: matched, every sensitive value true", matched_right),
        ],
    );
    Twin { words, table: Some(table) }
}
