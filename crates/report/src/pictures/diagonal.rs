//! The swap in diagonal position: Figure 1 of the paper.
//!
//! Two records lie in one slice: they agree on S. A row of the slice holds what a record has
//! in the variables that are exchanged, a column what it has in the others that differ. The
//! two records are at opposite corners; the swap puts them at the two others. Every row
//! and every column holds one record before and after, which is why the tables do not change.
//!
//! No value is shown: a row or column is named by the record it comes from.
//!
//! Way in: [`draw`].

use marginswap_core::text::grouped;

use super::chips::{self, Outline};
use crate::explain::{ChoiceReport, PairReport};
use crate::lettering::{spoken_list, width};
use crate::paint::{DASHED, INK, LINE, PARTS, QUIET, RULE, lettered, outlined, stroked};
use crate::sheet::{MARGIN, Picture, SMALL, Sheet, Twin, block};
use crate::svg::{Element, number};

const TITLE: &str = "The swap in diagonal position";
const CELL: [f64; 2] = [116.0, 52.0];
const BETWEEN: f64 = 64.0;

/// Two records and what they exchange.
#[derive(Debug, Clone)]
pub struct DiagonalPicture {
    /// The records, counted from 1.
    pub records: [u64; 2],
    /// What they agree on.
    pub agree: Vec<String>,
    /// What they exchange.
    pub exchanged: Vec<String>,
    /// In what else they differ.
    pub others: Vec<String>,
}

impl DiagonalPicture {
    /// The first exchange that a pair allows: its first part that may be exchanged. `None` when
    /// there is none. `all` are the names of all variables.
    #[must_use]
    pub fn of_pair(pair: &PairReport, all: &[String]) -> Option<Self> {
        let moves = |part: &&Vec<String>| !part.iter().any(|name| pair.stays.contains(name));
        let exchanged = pair.parts.iter().find(moves).filter(|_| pair.swappable)?.clone();
        let without = |names: &[String], taken: &[String]| -> Vec<String> {
            names.iter().filter(|name| !taken.contains(name)).cloned().collect()
        };
        Some(Self {
            records: pair.records,
            agree: without(all, &pair.differing),
            others: without(&pair.differing, &exchanged),
            exchanged,
        })
    }

    /// What Algorithm 1 chooses for a record.
    #[must_use]
    pub fn of_choice(record: u64, choice: &ChoiceReport) -> Self {
        Self {
            records: [record, choice.partner],
            agree: choice.separator.clone(),
            exchanged: choice.exchanged.clone(),
            others: choice.beta.clone(),
        }
    }
}

/// Draws two records before and after.
#[must_use]
pub fn draw(id: &str, picture: &DiagonalPicture) -> Picture {
    let [left, right] = picture.records.map(grouped);
    let heads = [format!("as in {left}"), format!("as in {right}")];
    let head = heads.iter().map(|words| width(words, SMALL)).fold(0.0, f64::max).ceil() + 12.0;
    let panel = head + 2.0 * CELL[0].max(head);
    let mut sheet = Sheet::new((2.0 * panel + BETWEEN).max(620.0));
    sheet.heading(TITLE);
    let cell = [CELL[0].max(head), CELL[1]];
    let top = sheet.y;
    let after_x = MARGIN + panel + BETWEEN;
    for (x, words, corners) in [
        (MARGIN, "before", [(0, 0), (1, 1)]),
        // The first record takes the row of the second and keeps its column.
        (after_x, "after", [(1, 0), (0, 1)]),
    ] {
        let heading = lettered(words, x + head, top + 9.0, 14.0, &INK);
        sheet.parts.push(heading.with("font-weight", "bold"));
        let grid = top + 46.0;
        for (number, words) in heads.iter().enumerate() {
            let shift = number as f64;
            let column =
                lettered(words, x + head + (shift + 0.5) * cell[0], top + 34.0, SMALL, &QUIET);
            sheet.parts.push(column.with("text-anchor", "middle"));
            let row =
                lettered(words, x + head - 8.0, grid + (shift + 0.5) * cell[1], SMALL, &QUIET);
            sheet.parts.push(row.with("text-anchor", "end"));
        }
        for row in 0..2 {
            for column in 0..2 {
                let at = [x + head + f64::from(column) * cell[0], grid + f64::from(row) * cell[1]];
                let taken = corners.iter().position(|corner| *corner == (row, column));
                let square = block(at[0] + 1.0, at[1] + 1.0, cell[0] - 2.0, cell[1] - 2.0);
                let Some(who) = taken else {
                    sheet.parts.push(outlined(square, &crate::paint::PAPER, &RULE));
                    continue;
                };
                let colour = &PARTS[who];
                sheet.parts.push(
                    outlined(square, colour, colour)
                        .with("fill-opacity", 0.25)
                        .with("stroke-width", 1.5),
                );
                let words = [&left, &right][who];
                let middle = [at[0] + cell[0] / 2.0, at[1] + cell[1] / 2.0];
                let text = lettered(words, middle[0], middle[1], 14.0, &INK);
                sheet.parts.push(text.with("text-anchor", "middle"));
            }
        }
    }
    let middle = top + 46.0 + cell[1];
    let arrow = format!(
        "M{} {}h{}m-7 -6l7 6l-7 6",
        number(MARGIN + panel + 12.0),
        number(middle),
        number(BETWEEN - 24.0)
    );
    let arrow = stroked(Element::new("path").with("d", arrow), &LINE);
    sheet.parts.push(arrow.with("stroke-width", 2.0).with("stroke-linecap", "round"));
    sheet.y = top + 46.0 + 2.0 * cell[1] + 18.0;

    for (words, names, colour, outline) in [
        ("Rows, exchanged:", &picture.exchanged, &PARTS[0], Outline::Solid),
        ("Columns, each record keeps its own:", &picture.others, &PARTS[1], Outline::Solid),
        ("The two agree on:", &picture.agree, &DASHED, Outline::Dashed),
    ] {
        sheet.small_print(words);
        chips::put(&mut sheet, names, MARGIN, colour, outline);
        sheet.y += 4.0;
    }
    sheet.small_print(
        "Each row and each column holds one record before and one after: every table is \
         unchanged that does not hold an exchanged variable together with one of the columns'.",
    );
    let words = vec![
        format!("Records {left} and {right} exchange {}.", spoken_list(&picture.exchanged)),
        format!("They agree on {}.", spoken_list(&picture.agree)),
        format!("Each keeps its own {}.", spoken_list(&picture.others)),
        "Before and after the swap each combination of the exchanged variables, and each \
         combination of the others, occurs once among the two records."
            .to_owned(),
    ];
    sheet.finish(id, "diagonal", TITLE.to_owned(), Twin::of_words(words))
}
