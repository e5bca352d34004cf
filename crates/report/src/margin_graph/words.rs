//! The margin graph in words: the text twin of the picture.
//!
//! One sentence per line and every name in full. Trap: a name written from right to left
//! would reorder the sentence around it, so it gets a direction of its own.

use marginswap_core::varset::VarSet;

use super::{BANNER, GraphPicture, LISTED, SeparatorPicture, is_complete, neighbours};
use crate::lettering::spoken;

/// The picture in words: one sentence per line, every name in full.
#[must_use]
pub fn describe(picture: &GraphPicture<'_>) -> String {
    let neighbours = neighbours(picture);
    let all = VarSet::first(picture.names.len());
    let mut lines = vec![match picture.names.len() {
        0 => "The margin graph has no variables.".to_owned(),
        1 => format!("The margin graph has one variable, {}.", listed(picture, all)),
        count => format!("The margin graph has {count} variables: {}.", listed(picture, all)),
    }];
    for table in &picture.tables {
        match table.len() {
            0 => lines.push("A kept table counts the records.".to_owned()),
            1 => lines.push(format!("A kept table counts {} alone.", listed(picture, *table))),
            _ => lines.push(format!("A kept table ties {} together.", listed(picture, *table))),
        }
    }
    if picture.tables.is_empty() {
        for (vertex, near) in neighbours.iter().enumerate() {
            let later: VarSet = near.iter().filter(|&other| other > vertex).collect();
            if !later.is_empty() {
                let name = spoken(picture.names[vertex]);
                lines.push(format!("{name} is tied to {}.", listed(picture, later)));
            }
        }
    }
    let alone: VarSet = all.iter().filter(|&vertex| neighbours[vertex].is_empty()).collect();
    match alone.len() {
        _ if picture.names.len() < 2 => {}
        0 => {}
        1 => lines.push(format!("{} is tied to no other variable.", listed(picture, alone))),
        _ => lines.push(format!("{} are tied to no other variable.", listed(picture, alone))),
    }
    match picture.stays.len() {
        0 => {}
        1 => lines.push(format!("{} stays in its record.", listed(picture, picture.stays))),
        _ => lines.push(format!("{} stay in their records.", listed(picture, picture.stays))),
    }
    if is_complete(&neighbours) {
        lines.push(BANNER.to_owned());
    }
    for SeparatorPicture { separator, components } in picture.separators.iter().take(LISTED) {
        let parts: Vec<String> =
            components.iter().map(|part| format!("({})", listed(picture, *part))).collect();
        let parts = parts.join(", ");
        lines.push(if separator.is_empty() {
            format!(
                "The graph is not connected: two records that differ in at least two of \
                 the parts {parts} can exchange one of them."
            )
        } else {
            format!(
                "Two records that agree on {} and differ in at least two of the parts {parts} \
                 can exchange one of them.",
                listed(picture, *separator)
            )
        });
    }
    lines.extend(more_separators(picture));
    lines.join("\n")
}

/// What the list of separators leaves out.
pub(super) fn more_separators(picture: &GraphPicture<'_>) -> Option<String> {
    let more = picture.separators.len().saturating_sub(LISTED);
    match (more, picture.separators_complete) {
        (0, true) => None,
        (more, true) => Some(format!("And {more} more.")),
        (0, false) => Some("The search stopped at its limit; there may be more.".to_owned()),
        (more, false) => {
            Some(format!("And at least {more} more: the search stopped at its limit."))
        }
    }
}

fn listed(picture: &GraphPicture<'_>, set: VarSet) -> String {
    let names: Vec<String> = set.iter().map(|variable| spoken(picture.names[variable])).collect();
    match names.split_last() {
        None => "nothing".to_owned(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}
