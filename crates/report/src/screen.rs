//! What `screen` answers: how many records are swappable, and how many the kept tables already
//! disclose.

use marginswap_core::text::grouped;
use serde::Serialize;

use crate::answer::{Answer, Names, aligned, formula, listed, percent};
use crate::keys::{KeyScreening, all_lines, keys_by_scenario};
use crate::protection::any_part;
use crate::restrictions::{self, Restriction};
use crate::verify::Exchanged;
use crate::what_if::{self, AreasReport, WhatIfReport};

/// Totals over all records. Every number is exact, except `disclosed` where
/// `disclosed_is_exact` is false: then it is a lower bound.
#[derive(Debug, Clone, Serialize)]
pub struct ScreenReport {
    /// How many records there are: households, where these are swapped.
    pub records: u64,
    /// How many persons they have, where records are households.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persons: Option<u64>,
    /// How many different cells they fall into.
    pub cells: u64,
    /// Records alone in their cell.
    pub sample_uniques: u64,
    /// Records that can be swapped with some other one when every setting is respected.
    pub swappable: u64,
    /// Of the sample uniques, those that can be swapped.
    pub swappable_uniques: u64,
    /// Of the sample uniques, those that have no partner.
    pub not_swappable_uniques: u64,
    /// Records whose cells the kept tables prove to be occupied by all of them.
    pub disclosed: u64,
    /// Of the sample uniques, those.
    pub disclosed_uniques: u64,
    /// Is every disclosed record found? Yes when the tables are decomposable, or when every
    /// record without a partner was decided.
    pub disclosed_is_exact: bool,
    /// How many minimal separators were used.
    pub separators: u64,
    /// Are these all? Otherwise pairs were tested one by one.
    pub separators_complete: bool,
    /// Variables in which nearly every record has a value of its own; several columns
    /// that stay may be one together.
    /// Exchanging one of them always changes a record.
    pub looks_like_id: Names,
    /// The variables of no named table, whose one-way tables every swap keeps; the proof
    /// that a cell is occupied uses these tables too.
    pub disclosed_also_uses: Names,
    /// The columns that stay, where one of them is in a table: the proof uses their joint table
    /// too.
    pub disclosed_uses_stay_margin: Option<Names>,
    /// Swappable records by the kept tables alone, then with one setting after the other.
    pub restrictions: Vec<Restriction>,
    /// What publishing more tables would change: each alone, then all together.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub what_if: Vec<WhatIfReport>,
    /// The disclosed records of each area, where a variable is named for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<AreasReport>,
    /// For each intruder, whose keys can be separated.
    #[serde(flatten, serialize_with = "keys_by_scenario")]
    pub keys: Vec<KeyScreening>,
    /// Who at risk can be hidden, where somebody is to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hiding: Option<HidingReport>,
}

/// Who at risk can be hidden from anyone who knows any part of their keys by a swap of two records,
/// each person asked for alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HidingReport {
    /// How many people share each piece of the keys of somebody who is hidden.
    pub crowd: u64,
    /// Keys that the intruder may know only roughly; absent where none may.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub known_roughly: Names,
    /// People at risk: households with one, where these are swapped.
    pub at_risk: u64,
    /// Of these, those for whom there is a swap that hides them.
    pub can_be_hidden: u64,
    /// Of these, those whose keys no such swap cuts: their sensitive values are replaced.
    pub by_replaced_values: u64,
    /// Those whom a kept table keeps from being hidden.
    pub cannot_be_hidden: u64,
    /// These tables, with how many people each.
    pub prevented: Vec<Prevented>,
    /// Those for whom no such swap was found, and no table prevents it.
    pub no_swap_found: u64,
}

/// A kept table, and how many people it keeps from being hidden.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Prevented {
    /// The table.
    pub table: Names,
    /// How many people.
    pub people: u64,
}

impl HidingReport {
    fn lines(&self, exchanged: Exchanged) -> String {
        let who = match exchanged {
            Exchanged::Records => "people at risk",
            Exchanged::Households => "households with somebody at risk",
        };
        let row = |label: String, number: u64| {
            vec![label, grouped(number), percent(number, self.at_risk)]
        };
        let mut rows = vec![
            vec![who.to_owned(), grouped(self.at_risk), String::new()],
            row("  can be hidden".to_owned(), self.can_be_hidden),
        ];
        let replaced = "    only by replacing sensitive values".to_owned();
        rows.extend((self.by_replaced_values > 0).then(|| row(replaced, self.by_replaced_values)));
        rows.push(row("  cannot be hidden".to_owned(), self.cannot_be_hidden));
        let tables = self.prevented.iter();
        rows.extend(
            tables.map(|one| row(format!("    because of {}", formula(&one.table)), one.people)),
        );
        rows.push(row("  no swap found that hides them".to_owned(), self.no_swap_found));
        format!(
            "\nHidden from anyone who knows {}, each asked for alone:\n{}",
            any_part(&self.known_roughly),
            aligned(&rows)
        )
    }
}

impl Answer for ScreenReport {
    fn text(&self) -> String {
        let row = |label: &str, number: u64, whole: Option<u64>, remark: &str| {
            let share = whole.map_or_else(String::new, |whole| percent(number, whole));
            let label =
                if remark.is_empty() { label.to_owned() } else { format!("{label} ({remark})") };
            vec![label, grouped(number), share]
        };
        let certainty = if self.disclosed_is_exact { "" } else { "at least" };
        let uniques = Some(self.sample_uniques);
        let exchanged = match self.persons {
            Some(_) => Exchanged::Households,
            None => Exchanged::Records,
        };
        let rows = [
            row(exchanged.many(), self.records, None, ""),
            row("  swappable", self.swappable, Some(self.records), ""),
            row("  already disclosed", self.disclosed, Some(self.records), certainty),
            row("distinct cells", self.cells, None, ""),
            row("sample uniques", self.sample_uniques, Some(self.records), ""),
            row("  swappable", self.swappable_uniques, uniques, ""),
            row("  not swappable", self.not_swappable_uniques, uniques, ""),
            row("  already disclosed", self.disclosed_uniques, uniques, certainty),
        ];
        let mut text = aligned(&rows);
        text.push_str(&restrictions::lines(&self.restrictions, self.records, exchanged));
        text.push_str(&all_lines(&self.keys, KeyScreening::lines));
        text.push_str(&self.hiding.as_ref().map_or_else(String::new, |one| one.lines(exchanged)));
        text.push_str(&what_if::lines(&self.what_if));
        if let Some(by) = &self.by {
            text.push_str(&by.lines());
        }
        text.push_str(
            "\nAlready disclosed: the kept tables, the one-way tables of all other variables and the columns\n\
             that stay prove that the cell is occupied. No swap of any number of records can empty it.\n",
        );
        if self.disclosed > 0 && !self.disclosed_also_uses.is_empty() {
            text.push_str(&format!(
                "The proof also uses the one-way tables of: {}\n",
                listed(&self.disclosed_also_uses)
            ));
        }
        if let (1.., Some(margin)) = (self.disclosed, &self.disclosed_uses_stay_margin) {
            text.push_str(&format!("The proof also uses the table {}\n", formula(margin)));
        }
        if !self.looks_like_id.is_empty() {
            text.push_str(&format!(
                "Nearly every record has a value of its own in: {}\n\
                 Exchanging such values always changes a record, so `swappable` says little.\n",
                listed(&self.looks_like_id)
            ));
        }
        if !self.disclosed_is_exact {
            text.push_str(
                "For some records without a partner neither a proof nor its opposite was found, so more records\n\
                 than these may be disclosed. All other counts are exact.\n",
            );
        } else {
            text.push_str("All counts are exact.\n");
        }
        text
    }
}
