//! What an intruder who knows the keys claims, before and after, and how many of his claims
//! are right.
//!
//! Trap: the number of unique records after swapping is no measure of risk, so it is not
//! drawn. A claim that leads to the wrong person is a claim all the same.
//!
//! Way in: [`draw`].

use marginswap_core::text::grouped;

use super::bars::{self, Fill, Piece, Row, share};
use crate::answer::percent;
use crate::paint::{LEFT, STOCK};
use crate::sheet::{Picture, TextTable, Twin};

const TITLE: &str = "Risk before and after";

/// The claims of an intruder.
#[derive(Debug, Clone, Copy)]
pub struct RiskPicture {
    /// Claims in the original file; there each of them is right.
    pub before: u64,
    /// Claims in the released file.
    pub after: u64,
    /// Of these, the right ones; `None` when the files are not linked.
    pub right: Option<u64>,
}

/// Two bars: the claims before, and those after, right and wrong ones apart.
#[must_use]
pub fn draw(id: &str, claims: &RiskPicture) -> Picture {
    let RiskPicture { before, after, right } = *claims;
    let whole = before.max(after);
    let piece =
        |from: u64, to: u64, fill| Piece { from: share(from, whole), to: share(to, whole), fill };
    let mut pieces = Vec::new();
    let figure = match right {
        Some(right) => {
            if right > 0 {
                pieces.push(piece(0, right, Fill::Solid(&LEFT)));
            }
            if after > right {
                pieces.push(piece(right, after, Fill::Open(&STOCK)));
            }
            format!(
                "{} claims, {} right ({})",
                grouped(after),
                grouped(right),
                percent(right, after)
            )
        }
        None => {
            pieces.push(piece(0, after, Fill::Open(&STOCK)));
            format!("{} claims", grouped(after))
        }
    };
    let all = if before > 0 { vec![piece(0, before, Fill::Solid(&LEFT))] } else { Vec::new() };
    let rows = [
        Row::new("before", all, format!("{} claims, all right", grouped(before))),
        Row::new("after", pieces, figure),
    ];
    let mut sheet = bars::sheet(&rows);
    sheet.heading(TITLE);
    sheet.small_print(
        "A claim: exactly one line has the keys of a person, and the intruder takes it for that \
         person's own",
    );
    sheet.y += 6.0;
    let columns = bars::columns(&rows);
    bars::put(&mut sheet, &rows, &columns);
    let open = if right.is_some() { "wrong" } else { "right or wrong: not known" };
    bars::legend(&mut sheet, &[(Fill::Solid(&LEFT), "right"), (Fill::Open(&STOCK), open)]);

    let words = match right {
        Some(right) => format!(
            "Before, all of {} claims are right. After, {} of {} claims are right.",
            grouped(before),
            grouped(right),
            grouped(after)
        ),
        None => format!(
            "Before, all of {} claims are right. After there are {} claims; how many are right is \
             not known, because the records are not linked.",
            grouped(before),
            grouped(after)
        ),
    };
    let table = TextTable::new(
        TITLE,
        &["file", "claims", "right", "correct-claim rate"],
        vec![
            vec!["before".to_owned(), grouped(before), grouped(before), percent(before, before)],
            vec![
                "after".to_owned(),
                grouped(after),
                right.map_or_else(|| "not known".to_owned(), grouped),
                right.map_or_else(|| "not known".to_owned(), |right| percent(right, after)),
            ],
        ],
    );
    sheet.finish(id, "risk", TITLE.to_owned(), Twin { words: vec![words], table: Some(table) })
}
