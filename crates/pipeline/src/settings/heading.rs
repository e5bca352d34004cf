//! Under which heading a setting is shown: in help, in the manual and on the page of settings, in
//! the order of the work.

use std::fmt;

use super::{Setting, Topic};

/// What a first job needs to say; `-h` shows no other settings.
const FIRST_JOB: [&str; 9] = [
    "data",
    "columns.id",
    "derive",
    "unit.household",
    "keep.tables",
    "risk.keys",
    "risk.sensitive",
    "release.out",
    "report.internal",
];

/// A heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Heading {
    /// The file, and what each column is.
    Data,
    /// What must not change.
    Tables,
    /// Whom to protect, and from what.
    AtRisk,
    /// Who may be exchanged with whom.
    Partners,
    /// Whole households.
    Households,
    /// Sampling weights.
    Weights,
    /// What is checked and tolerated.
    Gate,
    /// What is written.
    Output,
    /// Random swapping with a certificate.
    Mechanism,
    /// The parameters of another program.
    Preset,
}

impl Heading {
    /// All of them, in order.
    pub const ALL: [Self; 10] = [
        Self::Data,
        Self::Tables,
        Self::AtRisk,
        Self::Partners,
        Self::Households,
        Self::Weights,
        Self::Gate,
        Self::Output,
        Self::Mechanism,
        Self::Preset,
    ];

    /// Its words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Data => "Data",
            Self::Tables => "Tables",
            Self::AtRisk => "Who is at risk",
            Self::Partners => "Partners",
            Self::Households => "Households",
            Self::Weights => "Weights",
            Self::Gate => "Gate",
            Self::Output => "Output",
            Self::Mechanism => "Random swapping with a certificate",
            Self::Preset => "Targeted record swapping",
        }
    }
}

impl fmt::Display for Heading {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.words())
    }
}

impl Setting {
    /// Where it is shown.
    #[must_use]
    pub fn heading(&self) -> Heading {
        match (self.section, self.name) {
            ("unit", _) | ("keep", "households") | ("release", "households") => {
                return Heading::Households;
            }
            ("risk", "household_keys") => return Heading::Households,
            ("swap", "weight" | "weight_drift" | "weighted") => return Heading::Weights,
            ("swap", "linked") => return Heading::Partners,
            _ => {}
        }
        match self.topic {
            Topic::Data | Topic::Columns => Heading::Data,
            Topic::Ties => Heading::Tables,
            Topic::Keys | Topic::Risk | Topic::Model => Heading::AtRisk,
            Topic::Partners | Topic::Size | Topic::Planning => Heading::Partners,
            Topic::Published | Topic::Gate => Heading::Gate,
            Topic::Plan | Topic::Release | Topic::Released | Topic::Pages | Topic::Watch => {
                Heading::Output
            }
            Topic::Mechanism => Heading::Mechanism,
            Topic::Preset => Heading::Preset,
        }
    }

    /// Does a first job need it?
    #[must_use]
    pub fn is_for_a_first_job(&self) -> bool {
        FIRST_JOB.contains(&self.key().as_str())
    }
}
