//! The reasons of a verdict in words, and as JSON: an object with the name of the reason and its
//! numbers.
//!
//! Reasons are plain data of the core; nothing is decided here.

use marginswap_core::text::grouped;
pub use marginswap_core::verdict::Reason;
use serde::Serializer;
use serde::ser::{SerializeMap, SerializeSeq};

use crate::answer::{counted, percent, sentence};
use crate::protection::rare_or_impossible;

/// The reason in words, with what is tolerated.
#[must_use]
pub fn reason_words(reason: &Reason) -> String {
    let words = words(reason);
    let tolerated = reason.numbers().into_iter().find(|(name, _)| *name == "tolerated");
    match tolerated {
        // What a table may move by is given with what it moved by.
        None | Some((_, 0)) => words,
        _ if matches!(reason, Reason::TablesMoved { .. }) => words,
        Some((_, most)) => format!("{words} (at most {} tolerated)", grouped(most)),
    }
}

/// The reason as a sentence.
pub(crate) fn reason_sentence(reason: &Reason) -> String {
    sentence(&format!("{}.", reason_words(reason)))
}

/// Reasons as JSON.
pub(crate) fn as_json<S: Serializer>(reasons: &[Reason], out: S) -> Result<S::Ok, S::Error> {
    struct One<'a>(&'a Reason);
    impl serde::Serialize for One<'_> {
        fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
            let numbers = self.0.numbers();
            let mut map = out.serialize_map(Some(numbers.len() + 1))?;
            map.serialize_entry("reason", self.0.code())?;
            for (name, number) in numbers {
                map.serialize_entry(name, &number)?;
            }
            map.end()
        }
    }
    let mut list = out.serialize_seq(Some(reasons.len()))?;
    for reason in reasons {
        list.serialize_element(&One(reason))?;
    }
    list.end()
}

fn words(reason: &Reason) -> String {
    match reason {
        Reason::HouseholdsDiffer { before, after } => format!(
            "the original has {}, the released file {}",
            counted(*before, "household", "households"),
            grouped(*after)
        ),
        Reason::RecordsDiffer { before, after } => format!(
            "the original has {}, the released file {}",
            counted(*before, "record", "records"),
            grouped(*after)
        ),
        Reason::TablesDiffer { tables, of } => format!(
            "{} of {} {}",
            grouped(*tables),
            counted(*of, "kept table", "kept tables"),
            if *tables == 1 { "differs" } else { "differ" }
        ),
        Reason::PublishedChanged { tables, of, cells } => format!(
            "the release changes {} in {} of {}",
            counted(*cells, "published number", "published numbers"),
            grouped(*tables),
            counted(*of, "published table", "published tables")
        ),
        Reason::PublishedUnchecked { tables } => format!(
            "{} with the original in no cell, so the release was not checked against {}",
            counted(*tables, "published table agrees", "published tables agree"),
            if *tables == 1 { "it" } else { "them" }
        ),
        Reason::PublishedCategoriesMissing { categories, tables } => format!(
            "{} of {} in no record of the original",
            counted(*categories, "published category", "published categories"),
            match (tables, categories) {
                (1, 1) => "1 table occurs".to_owned(),
                (1, _) => "1 table occur".to_owned(),
                (tables, _) => format!("{} tables occur", grouped(*tables)),
            }
        ),
        Reason::PublishedAlsoChanged { cells } => format!(
            "the release changes {} of published tables in which the original already differs \
             from the published number",
            counted(*cells, "cell", "cells")
        ),
        Reason::OneWayTablesDiffer { variables } => format!(
            "the counts of {}, although no swap can change them",
            counted(*variables, "variable differ", "variables differ")
        ),
        Reason::LinkedColumnsDiffer { groups } => format!(
            "{} of linked columns no longer {} together",
            counted(*groups, "group", "groups"),
            if *groups == 1 { "belongs" } else { "belong" }
        ),
        Reason::StayingColumnsDiffer {} => {
            "columns that must stay were changed against each other".to_owned()
        }
        Reason::PlanDiffers {} => {
            "the plan does not lead from the original to the released file".to_owned()
        }
        Reason::WeightsDrift { tables } => format!(
            "weighted counts of {} moved further than they may",
            counted(*tables, "kept table", "kept tables")
        ),
        Reason::TornHouseholds { households } => format!(
            "{} torn: members differ in what a household has in common",
            counted(*households, "household is", "households are")
        ),
        Reason::IdsDiffer {} => "the ids of the two files do not agree".to_owned(),
        Reason::DemoSeed {} => "the seed is a demo seed, which others know".to_owned(),
        Reason::NothingExchanged { at_risk } => format!(
            "nothing was exchanged although {} at risk",
            counted(*at_risk, "person is", "people are")
        ),
        Reason::MatchedRight { people, .. } => format!(
            "{} still matched, with every sensitive value true",
            counted(*people, "person at risk is", "people at risk are")
        ),
        Reason::NotHidden { people, at_risk, .. } => format!(
            "{} of {} at risk {} not hidden from anyone who knows some of the keys",
            grouped(*people),
            grouped(*at_risk),
            if *people == 1 { "is" } else { "are" }
        ),
        Reason::FoundBeyondChance { people, by_chance, counts, of } => format!(
            "people at risk are found more often than by chance: {}, by chance {} (too high in {} of \
             {})",
            grouped(*people),
            grouped(*by_chance),
            grouped(*counts),
            counted(*of, "count", "counts"),
        ),
        Reason::NewlyFound { people, by_chance } => format!(
            "{} newly found through some of the keys, by chance {}",
            counted(*people, "person is", "people are"),
            grouped(*by_chance),
        ),
        Reason::FoundBelowChance { people, by_chance, counts, of } => format!(
            "look-ups of people at risk are less often right than by chance, which also tells: {}, by \
             chance {} (too low in {} of {})",
            grouped(*people),
            grouped(*by_chance),
            grouped(*counts),
            counted(*of, "count", "counts"),
        ),
        Reason::HidingNotCounted {} => "who is hidden was not counted: single persons exchange \
                                        values after their households"
            .to_owned(),
        Reason::CannotBeHidden { people, at_risk, .. } => format!(
            "{} of {} at risk cannot be hidden by swapping: a kept table prevents it",
            grouped(*people),
            grouped(*at_risk),
        ),
        Reason::NoKeys {} => "no keys were named, so no risk was measured".to_owned(),
        Reason::NobodyChecked {} => {
            "nobody is at risk with these keys, so no protection was tested".to_owned()
        }
        Reason::AloneNotCounted { people } => format!(
            "{} unique on the keys and not counted at risk, so they were not checked",
            counted(*people, "person is", "people are")
        ),
        Reason::NoTables {} => "no tables to keep were named, so none were compared".to_owned(),
        Reason::NobodyProtected { at_risk } => match at_risk {
            1 => "the only person at risk is not protected".to_owned(),
            people => format!("none of the {} people at risk is protected", grouped(*people)),
        },
        Reason::SharedRight { people, .. } => format!(
            "every sensitive value of {} is learned from records that share their keys",
            counted(*people, "person at risk", "people at risk")
        ),
        Reason::SharedLearned { people, .. } => format!(
            "{} shared by the same records as before, or by records that agree truly on \
             too many sensitive values",
            match people {
                1 => "the keys of 1 person at risk are".to_owned(),
                people => format!("the keys of {} people at risk are", grouped(*people)),
            }
        ),
        Reason::Matched { people, at_risk, .. } => format!(
            "{} of {} at risk {} still matched",
            grouped(*people),
            counted(*at_risk, "person", "people"),
            if *people == 1 { "is" } else { "are" }
        ),
        Reason::NewlyExposed { people, .. } => {
            format!("the release newly exposes {}", counted(*people, "person", "people"))
        }
        Reason::NotSeparable { disclosed, others, undecided, .. } => format!(
            "no swap of two records separates {} from their keys{}",
            counted(disclosed + others, "person at risk", "people at risk"),
            match (*disclosed, *undecided) {
                (0, 0) => String::new(),
                (0, _) => "; whether the kept tables disclose them is not decided".to_owned(),
                (some, 0) => format!("; the kept tables disclose {} of these", grouped(some)),
                (some, _) =>
                    format!("; the kept tables disclose at least {} of these", grouped(some)),
            }
        ),
        Reason::IdsReleased { columns } => format!(
            "{} nearly every record",
            counted(*columns, "released column names", "released columns name")
        ),
        Reason::ColumnsTell { columns } => format!(
            "{} swaps away",
            counted(
                *columns,
                "released column that is not exchanged gives",
                "released columns that are not exchanged give"
            )
        ),
        Reason::ColumnsUnchecked { columns } => format!(
            "whether {} swaps away was not checked",
            counted(
                *columns,
                "released column that is not exchanged gives",
                "released columns that are not exchanged give"
            )
        ),
        Reason::RulesBroken { before, after, .. } => format!(
            "{} a rule in the released file, {} in the original",
            counted(*after, "record breaks", "records break"),
            grouped(*before)
        ),
        Reason::TablesMoved { tables, of, largest, records, tolerated } => format!(
            "{} of {} not kept {} by more than {} of the records, {} at most",
            grouped(*tables),
            counted(*of, "two-way table", "two-way tables"),
            if *tables == 1 { "moves" } else { "move" },
            percent(*tolerated, *records),
            percent(*largest, *records)
        ),
        Reason::DependenciesBroken { dependencies, records, .. } => format!(
            "{} what every original record obeys: {} others",
            counted(*records, "released record breaks", "released records break"),
            counted(*dependencies, "column follows from", "columns follow from")
        ),
        Reason::NewPairs { combinations, impossible, .. } => format!(
            "{} never {} in the original: {}",
            counted(
                *combinations,
                "combination of two values in the released file",
                "combinations of two values in the released file"
            ),
            if *combinations == 1 { "occurs" } else { "occur" },
            rare_or_impossible(*combinations, *impossible)
        ),
    }
}
