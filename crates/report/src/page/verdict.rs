//! The verdict on a release and what is against it, in words.
//!
//! Both are plain data: who weighs the evidence decides, and not this file. The JSON of a
//! concern is its sentence.

use std::fmt;

use marginswap_core::text::grouped;
use serde::{Serialize, Serializer};

use crate::answer::{Names, counted, formula, percent};
use crate::lettering::spoken_list;

/// May the file be released? The worse, the greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Every gate is met.
    Ready,
    /// Every table is kept, and something is left to be decided.
    Decide,
    /// A promise is broken.
    Stop,
}

impl Verdict {
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Ready => "Nothing stands against releasing this file.",
            Self::Decide => "The tables are kept; a reviewer has to decide on what is left.",
            Self::Stop => "Do not release this file.",
        }
    }

    pub(super) fn sign(self) -> &'static str {
        match self {
            Self::Ready => "✓",
            Self::Decide => "?",
            Self::Stop => "✕",
        }
    }

    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Decide => "decide",
            Self::Stop => "stop",
        }
    }
}

/// One thing that is against releasing a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Concern {
    /// The two files have different numbers of records.
    RecordNumbersDiffer,
    /// A kept table is not as it was.
    TableDiffers {
        /// Its variables.
        table: Names,
        /// How many of its cells differ.
        cells: u64,
    },
    /// The ids of the two files do not agree.
    IdsDisagree {
        /// How.
        why: String,
    },
    /// Something differs that no swap changes.
    NoSwapChanges {
        /// The columns whose counts differ.
        columns: Names,
    },
    /// Others know the seed of the plan.
    DemoSeed,
    /// The plan was made for another original file.
    PlanForAnotherFile,
    /// Following the plan does not give the released file.
    PlanGivesAnotherFile,
    /// No table was named that must be kept.
    NoTables,
    /// The released lines look like the original ones in another order.
    Reordered,
    /// No keys were named.
    NoKeys,
    /// The records of the two files are not linked.
    NotLinked,
    /// Records at risk have the same keys as before.
    LeftAtRisk {
        /// How many.
        records: u64,
        /// How many of them no swap of two records can change.
        without_partner: u64,
    },
    /// Too many claims about records that were unique are right.
    ManyRightClaims {
        /// The right ones.
        right: u64,
        /// All of them.
        claims: u64,
        /// So many of a hundred may be right.
        most_percent: u64,
        /// The records that were unique and those treated as at risk, when these are fewer.
        untreated: Option<[u64; 2]>,
    },
}

impl fmt::Display for Concern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RecordNumbersDiffer => {
                formatter.write_str("The two files have different numbers of records.")
            }
            Self::TableDiffers { table, cells } => {
                let cells = counted(*cells, "cell", "cells");
                write!(formatter, "The kept table {} differs in {cells}.", formula(table))
            }
            Self::IdsDisagree { why } => {
                write!(formatter, "The ids of the two files do not agree: {why}.")
            }
            Self::NoSwapChanges { columns } => {
                let names = spoken_list(columns);
                write!(formatter, "No swap changes the counts of {names}, and here they differ.")
            }
            Self::DemoSeed => {
                formatter.write_str("The plan was made with a demo seed that others know.")
            }
            Self::PlanForAnotherFile => {
                formatter.write_str("The plan was made for another original file.")
            }
            Self::PlanGivesAnotherFile => {
                formatter.write_str("Following the plan does not give the released file.")
            }
            Self::NoTables => formatter.write_str("No table was named that must be kept."),
            Self::Reordered => formatter.write_str(
                "The released lines look like the original ones in another order, and neither an id \
                 nor a plan tells which is whose.",
            ),
            Self::NoKeys => formatter.write_str("No keys were named, so no risk was counted."),
            Self::NotLinked => formatter.write_str(
                "The records of the two files are not linked, so it is not known how many claims \
                 of an intruder are right.",
            ),
            Self::LeftAtRisk { records, without_partner } => write!(
                formatter,
                "{} at risk {} the same keys as before; {} of them no swap of two records can change.",
                counted(*records, "record", "records"),
                if *records == 1 { "has" } else { "have" },
                grouped(*without_partner)
            ),
            Self::ManyRightClaims { right, claims, most_percent, untreated } => {
                write!(
                    formatter,
                    "{} of {} about records that were alone with their keys {} right ({}); more \
                     than {most_percent} % is for a reviewer to decide.",
                    grouped(*right),
                    counted(*claims, "claim", "claims"),
                    if *right == 1 { "is" } else { "are" },
                    percent(*right, *claims)
                )?;
                match untreated.map(|numbers| numbers.map(grouped)) {
                    Some([uniques, treated]) => write!(
                        formatter,
                        " {uniques} records were alone with their keys, only {treated} were \
                         treated as at risk."
                    ),
                    None => Ok(()),
                }
            }
        }
    }
}

impl Serialize for Concern {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
