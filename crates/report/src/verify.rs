//! What `verify` answers: is every kept table as it was, what has changed, and what does the
//! released file still give away?

use marginswap_core::text::grouped;
use serde::Serialize;

use crate::answer::{Answer, Names, aligned, counted, formula, listed, percent};
use crate::pictures::triangle::{Distance, Fate, TrianglePicture};

/// How many two-way tables the text lists.
const MOST_TABLES: usize = 10;

/// A released file next to the one it was made from. Every count is exact; a number that is
/// null was not asked for, or cannot be known because the records are not linked.
#[derive(Debug, Clone, Serialize)]
pub struct VerifyReport {
    /// Has the released file as many records, and is every kept table the same?
    pub equal: bool,
    /// How many records the original file has.
    pub records_before: u64,
    /// How many the released file has.
    pub records_after: u64,
    /// The kept tables.
    pub margins: Vec<MarginReport>,
    /// Records that differ in some variable.
    pub records_changed: Option<u64>,
    /// Fields that differ.
    pub cells_changed: Option<u64>,
    /// Records that differ in each variable.
    pub changed_by_variable: Option<Vec<VariableReport>>,
    /// What an intruder may know.
    pub keys: Names,
    /// Records alone with their key combination in the original file.
    pub uniques_before: Option<u64>,
    /// Records alone with it in the released file.
    pub uniques_after: Option<u64>,
    /// Of these, those whose combination did not occur exactly once before.
    pub new_uniques: Option<u64>,
    /// Unique combinations of the original file that the released file does not have.
    pub emptied_uniques: Option<u64>,
    /// Original records whose key combination exactly one released line has.
    pub claims: Option<u64>,
    /// Those whose own line it is.
    pub correct_claims: Option<u64>,
    /// The claims about records that were unique on the keys.
    pub claims_of_uniques: Option<u64>,
    /// Those of them that are correct.
    pub correct_claims_of_uniques: Option<u64>,
    /// What no swap can change and is different all the same: sets of columns.
    pub broken: Vec<Names>,
    /// Why the records cannot be told apart by their ids, if they should be and cannot.
    pub unlinked: Option<String>,
    /// Do the lines of the released file look like those of the original in another order?
    /// Then lines of the same number are not taken for each other's.
    pub reordered: bool,
    /// Every two-way table.
    pub two_way: Vec<TwoWayReport>,
    /// The greatest total variation of the two-way tables that no kept table implies; null
    /// when there are none.
    pub two_way_max: Option<f64>,
    /// Their mean total variation.
    pub two_way_mean: Option<f64>,
    /// The greatest total variation of the three-way tables that no kept table implies.
    pub three_way_max: Option<f64>,
    /// Their mean total variation.
    pub three_way_mean: Option<f64>,
}

/// A kept table.
#[derive(Debug, Clone, Serialize)]
pub struct MarginReport {
    /// Its variables.
    pub margin: Names,
    /// Cells that hold a record in either file.
    pub cells: u64,
    /// Cells whose counts differ.
    pub changed: u64,
}

/// What changed in one variable.
#[derive(Debug, Clone, Serialize)]
pub struct VariableReport {
    /// Its name.
    pub variable: String,
    /// Records that differ in it.
    pub changed: u64,
}

/// A two-way table.
#[derive(Debug, Clone, Serialize)]
pub struct TwoWayReport {
    /// Its two variables.
    pub pair: [String; 2],
    /// Does a kept table hold both?
    pub kept: bool,
    /// Cells whose counts differ.
    pub changed: u64,
    /// Half the sum of the differences of shares.
    pub total_variation: f64,
    /// The Hellinger distance of the shares.
    pub hellinger: f64,
    /// Cramér's V in the original file; null when a variable has a single value.
    pub cramers_v_before: Option<f64>,
    /// Cramér's V in the released file.
    pub cramers_v_after: Option<f64>,
}

impl VerifyReport {
    /// The variables of the two-way tables, in their order.
    #[must_use]
    pub fn variables(&self) -> Names {
        self.triangle().names.iter().map(|&name| name.to_owned()).collect()
    }

    /// What the picture of all two-way tables shows.
    #[must_use]
    pub fn triangle(&self) -> TrianglePicture<'_> {
        let (first, count) = match self.two_way.first() {
            None => (None, 0),
            Some(table) => {
                let count =
                    self.two_way.iter().take_while(|other| other.pair[0] == table.pair[0]).count();
                (Some(table.pair[0].as_str()), count)
            }
        };
        let others = self.two_way[..count].iter().map(|table| table.pair[1].as_str());
        let names: Vec<&str> = first.into_iter().chain(others).collect();
        let pairs =
            (0..names.len()).flat_map(|low| (low + 1..names.len()).map(move |high| [low, high]));
        let fate = |table: &TwoWayReport| match (table.kept, table.changed) {
            (true, 0) => Fate::Fixed,
            (false, 0) => Fate::Same,
            (true, _) => Fate::Broken(Distance::Exact(table.total_variation)),
            (false, _) => Fate::Changed(Distance::Exact(table.total_variation)),
        };
        assert_eq!(self.two_way.len(), names.len() * names.len().saturating_sub(1) / 2);
        TrianglePicture {
            id: "",
            tables: pairs.zip(self.two_way.iter().map(fate)).collect(),
            names,
        }
    }

    /// The same, with what else a swap cannot have done.
    #[must_use]
    pub fn with_breaks(self, broken: Vec<Names>, unlinked: Option<String>) -> Self {
        Self { broken, unlinked, ..self }
    }

    /// The same, with what is known of the order of the lines.
    #[must_use]
    pub fn with_order(self, reordered: bool) -> Self {
        Self { reordered, ..self }
    }

    /// May the file be released, as far as this comparison goes?
    #[must_use]
    pub fn passes(&self) -> bool {
        self.equal && self.broken.is_empty() && self.unlinked.is_none()
    }

    /// The first lines: does the file keep what it promised?
    fn verdict(&self) -> String {
        let cells: u64 = self.margins.iter().map(|table| table.cells).sum();
        let changed: u64 = self.margins.iter().map(|table| table.changed).sum();
        let differing: Vec<&MarginReport> =
            self.margins.iter().filter(|table| table.changed > 0).collect();
        let tables = counted(self.margins.len() as u64, "table", "tables");
        let cells = counted(cells, "cell", "cells");
        let mut text = String::new();
        if self.records_before != self.records_after {
            text.push_str(&format!(
                "The number of records differs: {} in the original file, {} in the released one.\n",
                grouped(self.records_before),
                grouped(self.records_after)
            ));
        }
        if self.margins.is_empty() {
            text.push_str("No table was named, so none was compared.\n");
        } else if differing.is_empty() {
            text.push_str(&format!("Every kept table is unchanged: {tables}, {cells}.\n"));
        } else {
            let verb = if differing.len() == 1 { "differs" } else { "differ" };
            text.push_str(&format!(
                "{} of {tables} {verb}: {} of {cells}.\n",
                grouped(differing.len() as u64),
                grouped(changed)
            ));
            let rows: Vec<Vec<String>> = differing
                .iter()
                .map(|table| {
                    let cells = counted(table.cells, "cell", "cells");
                    vec![formula(&table.margin), format!("{} of {cells}", grouped(table.changed))]
                })
                .collect();
            text.push_str(&aligned(&rows));
        }
        for columns in &self.broken {
            text.push_str(&format!(
                "No swap changes the counts of {}, and here they differ.\n",
                listed(columns)
            ));
        }
        if let Some(why) = &self.unlinked {
            text.push_str(&format!("The ids of the two files do not match: {why}.\n"));
        }
        text
    }

    fn changes(&self) -> String {
        let (Some(records), Some(cells), Some(variables)) =
            (self.records_changed, self.cells_changed, &self.changed_by_variable)
        else {
            let why = if self.reordered {
                "The released lines look like the original ones in another order. Name an id column, or\n\
                 report with the plan, to know which is whose.\n"
            } else {
                ""
            };
            return format!(
                "\nThe records of the two files are not linked: how many changed cannot be said.\n{why}"
            );
        };
        let fields = self.records_before * variables.len() as u64;
        let row = |label: &str, number: u64, whole: u64| {
            vec![label.to_owned(), grouped(number), percent(number, whole)]
        };
        let mut rows = vec![
            row("records changed", records, self.records_before),
            row("fields changed", cells, fields),
        ];
        rows.extend(variables.iter().filter(|variable| variable.changed > 0).map(|found| {
            row(&format!("  {}", found.variable), found.changed, self.records_before)
        }));
        format!("\n{}", aligned(&rows))
    }

    fn risk(&self) -> String {
        let (Some(before), Some(after), Some(new), Some(claims), Some(of_uniques)) = (
            self.uniques_before,
            self.uniques_after,
            self.new_uniques,
            self.claims,
            self.claims_of_uniques,
        ) else {
            return "\nNo keys were named, so no risk was counted.\n".to_owned();
        };
        let mut text = format!("\nRisk from an intruder who knows {}:\n", listed(&self.keys));
        let row = |label: &str, number: u64, share: String| {
            vec![label.to_owned(), grouped(number), share]
        };
        let mut rows = vec![
            row("unique on the keys, before", before, percent(before, self.records_before)),
            row("unique on the keys, after", after, percent(after, self.records_after)),
            row("  new among these", new, percent(new, after)),
            row("claims of the intruder", claims, String::new()),
        ];
        if let Some(correct) = self.correct_claims {
            rows.push(row("  correct", correct, percent(correct, claims)));
        }
        rows.push(row("claims about uniques", of_uniques, String::new()));
        if let Some(correct) = self.correct_claims_of_uniques {
            rows.push(row("  correct", correct, percent(correct, of_uniques)));
        }
        text.push_str(&aligned(&rows));
        text.push_str(
            "A claim: exactly one released line has the keys of an original record, and the intruder\n\
             takes it for that record's own. Unique records after swapping (and k-anonymity counts\n\
             with them) overstate the risk, because such a line may be put together from two records.\n",
        );
        text.push_str(if self.correct_claims.is_some() {
            "The share of correct claims is the number to look at.\n"
        } else {
            "The share of correct claims would be the number to look at; it cannot be counted, because\n\
             the records of the two files are not linked.\n"
        });
        text
    }

    fn utility(&self) -> String {
        let mut others: Vec<&TwoWayReport> =
            self.two_way.iter().filter(|table| !table.kept).collect();
        let kept = (self.two_way.len() - others.len()) as u64;
        let changed = others.iter().filter(|table| table.changed > 0).count();
        if self.two_way.is_empty() {
            return String::new();
        }
        let mut text = format!(
            "\n{}: {} inside a kept table, {} of the other {} changed.\n",
            counted(self.two_way.len() as u64, "two-way table", "two-way tables"),
            grouped(kept),
            grouped(changed as u64),
            grouped(others.len() as u64)
        );
        let broken =
            self.two_way.iter().filter(|table| table.kept && table.changed > 0).count() as u64;
        if broken > 0 {
            text.push_str(&format!(
                "{} inside a kept table changed as well, because that table is not what it was.\n",
                grouped(broken)
            ));
        }
        for (what, max, mean) in [
            ("those not kept", self.two_way_max, self.two_way_mean),
            ("the three-way tables not kept", self.three_way_max, self.three_way_mean),
        ] {
            if let (Some(max), Some(mean)) = (max, mean) {
                text.push_str(&format!(
                    "Total variation of {what}: at most {}, {} on average.\n",
                    distance(max),
                    distance(mean)
                ));
            }
        }
        others.retain(|table| table.changed > 0);
        if others.is_empty() {
            return text;
        }
        others.sort_by(|left, right| right.total_variation.total_cmp(&left.total_variation));
        let heads = ["most changed", "total variation", "Hellinger", "Cramér's V before", "after"];
        let mut rows = vec![heads.map(str::to_owned).to_vec()];
        let association = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), distance);
        rows.extend(others.iter().take(MOST_TABLES).map(|table| {
            vec![
                formula(&table.pair),
                distance(table.total_variation),
                distance(table.hellinger),
                association(table.cramers_v_before),
                association(table.cramers_v_after),
            ]
        }));
        text.push_str(&aligned(&rows));
        if others.len() > MOST_TABLES {
            let more = (others.len() - MOST_TABLES) as u64;
            text.push_str(&format!("  and {} that changed less\n", grouped(more)));
        }
        text
    }
}

impl Answer for VerifyReport {
    fn text(&self) -> String {
        [self.verdict(), self.changes(), self.risk(), self.utility()].concat()
    }
}

/// A distance with four places. Only none is 0.
fn distance(value: f64) -> String {
    if value > 0.0 && value < 0.00005 { "<0.0001".to_owned() } else { format!("{value:.4}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_no_distance_is_zero() {
        assert_eq!(distance(0.0), "0.0000");
        assert_eq!(distance(1e-9), "<0.0001");
        assert_eq!(distance(0.123_46), "0.1235");
    }
}
