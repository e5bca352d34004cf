//! What `screen` answers about tables that are not published yet, and area by area.

use marginswap_core::text::{escaped, grouped};
use serde::Serialize;

use crate::answer::{aligned, counted, percent, shown};

/// What publishing more tables would change.
#[derive(Debug, Clone, Serialize)]
pub struct WhatIfReport {
    /// The tables, as formulas.
    pub tables: Vec<String>,
    /// Records that would be already disclosed.
    pub disclosed: u64,
    /// How many more these are than now.
    pub disclosed_more: u64,
    /// Is every disclosed record found, now and then? Otherwise both are lower bounds.
    pub disclosed_is_exact: bool,
    /// Records that could still be swapped.
    pub swappable: u64,
    /// How many fewer these are than now.
    pub swappable_fewer: u64,
    /// People at risk who could still be hidden, where somebody is to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub can_be_hidden: Option<u64>,
    /// How many fewer these are than now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub can_be_hidden_fewer: Option<u64>,
}

/// The disclosed records of each area.
#[derive(Debug, Clone, Serialize)]
pub struct AreasReport {
    /// The variable whose values are the areas.
    pub variable: String,
    /// How many areas there are.
    pub areas: u64,
    /// The areas by their share of disclosed records, from none to all.
    pub by_share: Vec<AreaShare>,
    /// Each area, most disclosed first; only where values may be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub each: Option<Vec<Area>>,
}

/// The areas with a share of disclosed records within some bounds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AreaShare {
    /// The bounds in words.
    pub share: &'static str,
    /// How many areas have such a share.
    pub areas: u64,
    /// How many records these hold.
    pub records: u64,
    /// How many of them are disclosed.
    pub disclosed: u64,
}

/// One area.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Area {
    /// Its value; null for a missing one.
    pub value: Option<String>,
    /// How many records it has.
    pub records: u64,
    /// How many of them are disclosed.
    pub disclosed: u64,
}

/// The classes of shares, lowest first.
const SHARES: [&str; 6] =
    ["none", "below 25 %", "25 % to 50 %", "50 % to 75 %", "75 % to 100 %", "all"];

impl AreasReport {
    /// Sorts areas into classes. `reveal`: are they listed, with their values?
    #[must_use]
    pub fn new(variable: String, mut areas: Vec<Area>, reveal: bool) -> Self {
        let mut by_share: Vec<AreaShare> = SHARES
            .iter()
            .map(|share| AreaShare { share, areas: 0, records: 0, disclosed: 0 })
            .collect();
        for area in &areas {
            let class = match (area.disclosed, area.records) {
                (0, _) => 0,
                (disclosed, records) if disclosed == records => 5,
                (disclosed, records) => 1 + usize::try_from(4 * disclosed / records).unwrap_or(3),
            };
            let found = &mut by_share[class];
            found.areas += 1;
            found.records += area.records;
            found.disclosed += area.disclosed;
        }
        let count = areas.len() as u64;
        // By share without rounding, then by size, then by value.
        areas.sort_by(|one, other| {
            let share =
                |area: &Area, whole: &Area| u128::from(area.disclosed) * u128::from(whole.records);
            share(other, one)
                .cmp(&share(one, other))
                .then(other.records.cmp(&one.records))
                .then(one.value.cmp(&other.value))
        });
        Self { variable, areas: count, by_share, each: reveal.then_some(areas) }
    }

    /// How many areas the text lists.
    const LISTED: usize = 20;

    pub(crate) fn lines(&self) -> String {
        let mut text = format!(
            "\nAlready disclosed by {} ({}):\n",
            shown(&self.variable),
            counted(self.areas, "area", "areas")
        );
        let mut rows =
            vec![["share disclosed", "areas", "records", "disclosed"].map(str::to_owned).to_vec()];
        rows.extend(self.by_share.iter().map(|class| {
            vec![
                class.share.to_owned(),
                grouped(class.areas),
                grouped(class.records),
                grouped(class.disclosed),
            ]
        }));
        text.push_str(&aligned(&rows));
        if let Some(each) = &self.each {
            let mut rows = vec![
                [self.variable.as_str(), "records", "disclosed", ""].map(str::to_owned).to_vec(),
            ];
            rows.extend(each.iter().take(Self::LISTED).map(|area| {
                vec![
                    area.value.as_deref().map_or_else(|| "(missing)".to_owned(), escaped),
                    grouped(area.records),
                    grouped(area.disclosed),
                    percent(area.disclosed, area.records),
                ]
            }));
            text.push('\n');
            text.push_str(&aligned(&rows));
            if each.len() > Self::LISTED {
                let more = grouped((each.len() - Self::LISTED) as u64);
                text.push_str(&format!("  … and {more} more; --json lists all\n"));
            }
        }
        text
    }
}

/// What publishing more tables would change, line by line.
pub(crate) fn lines(what_ifs: &[WhatIfReport]) -> String {
    if what_ifs.is_empty() {
        return String::new();
    }
    let mut head = vec!["if published too", "disclosed", "more", "swappable", "fewer"];
    if what_ifs.iter().any(|one| one.can_be_hidden.is_some()) {
        head.extend(["can be hidden", "fewer"]);
    }
    let mut rows = vec![head.into_iter().map(str::to_owned).collect()];
    rows.extend(what_ifs.iter().map(|one| {
        let at_least = if one.disclosed_is_exact { "" } else { "≥ " };
        let mut row = vec![
            one.tables.iter().map(|table| escaped(table)).collect::<Vec<_>>().join(" + "),
            format!("{at_least}{}", grouped(one.disclosed)),
            grouped(one.disclosed_more),
            grouped(one.swappable),
            grouped(one.swappable_fewer),
        ];
        row.extend([one.can_be_hidden, one.can_be_hidden_fewer].into_iter().flatten().map(grouped));
        row
    }));
    format!("\n{}", aligned(&rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_sorted_into_classes() {
        let area = |value: &str, records, disclosed| Area {
            value: Some(value.to_owned()),
            records,
            disclosed,
        };
        let areas = vec![
            area("a", 4, 0),
            area("b", 4, 1),
            area("c", 8, 1),
            area("d", 4, 3),
            area("e", 4, 4),
            area("f", 3, 2),
        ];
        let report = AreasReport::new("block".to_owned(), areas, true);
        let areas: Vec<u64> = report.by_share.iter().map(|class| class.areas).collect();
        assert_eq!(areas, [1, 1, 1, 1, 1, 1]);
        assert_eq!(report.by_share[1].records, 8);
        let order: Vec<&str> =
            report.each.iter().flatten().filter_map(|area| area.value.as_deref()).collect();
        assert_eq!(order, ["e", "d", "f", "b", "c", "a"]);
        assert!(report.lines().contains("75 % to 100 %"));
        let quiet = AreasReport::new("block".to_owned(), vec![area("SECRET", 1, 1)], false);
        assert!(quiet.each.is_none() && !quiet.lines().contains("SECRET"));
    }
}
