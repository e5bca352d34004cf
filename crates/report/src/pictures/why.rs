//! Why, and why not: for a pair the chain of tables that ties its differences together, for
//! a record what each separator offers.
//!
//! Edge case: a pair that can be swapped has no chain; its parts are drawn in rows, each of
//! which can be exchanged by itself. A record without a partner also gets what dropping one table
//! would give it.
//!
//! Way in: [`draw_pair`], [`draw_record`].

use marginswap_core::text::grouped;

use super::bars::{self, Fill, Piece, Row, share};
use super::chips::{self, Outline, chip_width};
use crate::answer::{Answer, formula};
use crate::explain::{PairReport, RecordReport, ThroughReport};
use crate::lettering::{shorten, spoken_list, width};
use crate::paint::{DASHED, DONE, INK, LINE, PARTS, STOCK, lettered, stroked};
use crate::sheet::{MARGIN, Picture, SMALL, Sheet, TextTable, Twin};
use crate::svg::{Element, number};

/// How many separators, links or tables are drawn.
const MOST_ROWS: usize = 20;

/// The chain that ties a pair together, or the parts that can be exchanged.
#[must_use]
pub fn draw_pair(id: &str, pair: &PairReport) -> Picture {
    let [left, right] = pair.records.map(grouped);
    let title = match pair.swappable {
        true => format!("Why records {left} and {right} can be swapped"),
        false => format!("Why records {left} and {right} cannot be swapped"),
    };
    let room = 300.0;
    let links: Vec<(String, f64)> = pair
        .bound_by
        .iter()
        .take(MOST_ROWS)
        .map(|link| {
            let words = format!("{} {}", link.reason, formula(&link.table));
            let words = shorten(&words, SMALL, room);
            let wide = width(&words, SMALL);
            (words, wide)
        })
        .collect();
    let from = pair.bound_by.iter().map(|link| chip_width(&link.variables[0])).fold(0.0, f64::max);
    let to = pair.bound_by.iter().map(|link| chip_width(&link.variables[1])).fold(0.0, f64::max);
    let between = links.iter().map(|(_, wide)| *wide).fold(0.0, f64::max) + 72.0;
    let mut sheet = Sheet::new((from + between + to).max(620.0).ceil());
    sheet.heading(&title);
    if pair.swappable {
        sheet.small_print("Any of these parts can be exchanged, but not all of them at once:");
        for (number, part) in pair.parts.iter().take(MOST_ROWS).enumerate() {
            let stays = part.iter().any(|name| pair.stays.contains(name));
            sheet.y += 2.0;
            let colour = &PARTS[number % PARTS.len()];
            chips::put(&mut sheet, part, MARGIN, colour, Outline::Solid);
            if stays {
                sheet.small_print("stays in its record");
            }
        }
        if pair.parts.len() > MOST_ROWS {
            sheet.small_print(&format!("and {} more parts", pair.parts.len() - MOST_ROWS));
        }
    } else if pair.bound_by.is_empty() {
        sheet.small_print(match pair.differing.len() {
            0 => "The two have the same values: nothing would change.",
            _ => "They differ in one variable: exchanging it gives the same two records.",
        });
    } else {
        sheet.small_print("The kept tables tie all the differences together, link by link:");
        sheet.y += 4.0;
        for (link, (words, wide)) in pair.bound_by.iter().zip(&links) {
            let middle = sheet.y + chips::LINE / 2.0;
            let [first, second] = &link.variables;
            let right = MARGIN + from + between;
            chips::put_one(&mut sheet, first, MARGIN, middle, &PARTS[0], Outline::Solid);
            chips::put_one(&mut sheet, second, right, middle, &PARTS[0], Outline::Solid);
            let centre = MARGIN + from + between / 2.0;
            for (start, end) in [
                (MARGIN + chip_width(first) + 6.0, centre - wide / 2.0 - 8.0),
                (centre + wide / 2.0 + 8.0, right - 6.0),
            ] {
                let path = format!("M{} {}h{}", number(start), number(middle), number(end - start));
                let line = stroked(Element::new("path").with("d", path), &LINE);
                sheet.parts.push(line.with("stroke-width", 1.75));
            }
            let text = lettered(words, centre, middle, SMALL, &INK);
            sheet.parts.push(text.with("text-anchor", "middle"));
            sheet.y += chips::LINE;
        }
        if pair.bound_by.len() > MOST_ROWS {
            sheet.small_print(&format!("and {} more links", pair.bound_by.len() - MOST_ROWS));
        }
    }
    let words = pair.text().lines().map(|line| line.trim().to_owned()).collect();
    sheet.finish(id, "why", title, Twin::of_words(words))
}

fn separator_name(through: &ThroughReport) -> String {
    match through.separator.is_empty() {
        true => "nothing".to_owned(),
        false => through.separator.join(", "),
    }
}

/// What each separator offers a record, as a bar of those that agree on it.
#[must_use]
pub fn draw_record(id: &str, record: &RecordReport) -> Picture {
    let title = format!(
        "Why record {} {} be swapped in a pair",
        grouped(record.record),
        if record.swappable { "can" } else { "cannot" }
    );
    let mut order: Vec<&ThroughReport> = record.separators.iter().collect();
    order.sort_by_key(|through| std::cmp::Reverse(through.partners));
    let rows: Vec<Row> = order
        .iter()
        .take(MOST_ROWS)
        .map(|through| {
            let ThroughReport { agree, same_cell, one_side, partners, .. } = **through;
            let mut pieces = Vec::new();
            let mut from = 0;
            for (count, fill) in [
                (partners, Fill::Solid(&DONE)),
                (one_side, Fill::Solid(&STOCK)),
                (same_cell, Fill::Open(&STOCK)),
            ] {
                if count > 0 {
                    let to = from + count;
                    pieces.push(Piece { from: share(from, agree), to: share(to, agree), fill });
                    from = to;
                }
            }
            let figure = format!("{} of {}", grouped(partners), grouped(agree));
            Row::new(&separator_name(through), pieces, figure)
        })
        .collect();
    let best = record.what_if.iter().map(|what_if| what_if.partners).max().unwrap_or(0);
    let what_if: Vec<Row> = record
        .what_if
        .iter()
        .take(MOST_ROWS)
        .map(|what_if| {
            let bar =
                Piece { from: 0.0, to: share(what_if.partners, best), fill: Fill::Open(&DASHED) };
            let pieces = if what_if.partners > 0 { vec![bar] } else { Vec::new() };
            Row::new(
                &format!("without {}", formula(&what_if.table)),
                pieces,
                grouped(what_if.partners),
            )
        })
        .collect();
    let mut sheet = bars::sheet(&rows);
    let other = bars::sheet(&what_if);
    sheet.content = sheet.content.max(other.content);
    sheet.heading(&title);
    if rows.is_empty() {
        sheet.small_print(match record.separators_complete {
            true => "The kept tables tie every variable to every other: no separator parts them.",
            false => "There are too many separators to list, so every pair was tested instead.",
        });
    } else {
        sheet.small_print(
            "For each separator, the records that agree with this one on it; those that differ on \
             two sides are partners",
        );
        sheet.y += 6.0;
        let columns = bars::columns(&rows);
        bars::put(&mut sheet, &rows, &columns);
        if order.len() > MOST_ROWS {
            sheet.small_print(&format!("and {} more separators", order.len() - MOST_ROWS));
        }
        bars::legend(
            &mut sheet,
            &[
                (Fill::Solid(&DONE), "differ on two sides: partners"),
                (Fill::Solid(&STOCK), "differ on one side"),
                (Fill::Open(&STOCK), "have the same values"),
            ],
        );
    }
    if !what_if.is_empty() {
        sheet.y += 12.0;
        sheet.subheading("Partners it would have if one table were not kept");
        let columns = bars::columns(&what_if);
        bars::put(&mut sheet, &what_if, &columns);
    }

    let mut words = vec![match record.swappable {
        true => format!(
            "Record {} can be swapped with {} others.",
            grouped(record.record),
            grouped(record.partners)
        ),
        false => {
            format!("Record {} cannot be swapped with any other in a pair.", grouped(record.record))
        }
    }];
    if let Some(larger) = &record.larger {
        words[0] = format!("{} {}", words[0], larger.sentence());
    }
    let mut cells: Vec<Vec<String>> = order
        .iter()
        .take(MOST_ROWS)
        .map(|through| {
            let counts = [through.agree, through.one_side, through.partners].map(grouped);
            [vec![format!("agree on {}", spoken_list(&through.separator))], counts.to_vec()]
                .concat()
        })
        .collect();
    cells.extend(record.what_if.iter().take(MOST_ROWS).map(|what_if| {
        let name = format!("without {}", formula(&what_if.table));
        vec![name, String::new(), String::new(), grouped(what_if.partners)]
    }));
    let heads = ["condition", "agree", "differ on one side", "partners"];
    let table = (!cells.is_empty()).then(|| TextTable::new(title.clone(), &heads, cells));
    sheet.finish(id, "why", title, Twin { words, table })
}
