//! The three answers about a release, and the reasons for them: plain data that is judged in
//! [`crate::verify`] and put into words where it is shown.
//!
//! A reason carries numbers and no words. Each is declared once, with its name, the answer it
//! leads to and its numbers; their order is that of their gravity.

/// The three answers, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Answer {
    /// Nothing speaks against releasing the file.
    Release,
    /// A reviewer must decide.
    Review,
    /// The file must not be released.
    DoNotRelease,
}

macro_rules! reasons {
    ($($(#[$what:meta])* $name:ident $code:literal => $answer:ident {
        $($(#[$means:meta])* $number:ident,)*
    })*) => {
        /// Why a file is not simply released; the gravest first.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Reason {$(
            $(#[$what])*
            $name {$(
                $(#[$means])*
                $number: u64,
            )*},
        )*}

        impl Reason {
            /// The answer that this reason alone leads to.
            #[must_use]
            pub fn answer(&self) -> Answer {
                match self {
                    $(Self::$name { .. } => Answer::$answer,)*
                }
            }

            /// Its name, which never changes its meaning.
            #[must_use]
            pub fn code(&self) -> &'static str {
                match self {
                    $(Self::$name { .. } => $code,)*
                }
            }

            /// Its numbers, each with its name.
            #[must_use]
            pub fn numbers(&self) -> Vec<(&'static str, u64)> {
                match *self {
                    $(Self::$name { $($number),* } => vec![$((stringify!($number), $number)),*],)*
                }
            }
        }
    };
}

reasons! {
    /// Ids of the two files do not agree.
    IdsDiffer "ids_differ" => DoNotRelease {}
    /// The plan was made for another file, or gives another one.
    PlanDiffers "plan_differs" => DoNotRelease {}
    /// Members of one household differ in what a household has in common.
    TornHouseholds "torn_households" => DoNotRelease {
        /// In how many households.
        households,
    }
    /// The files do not have the same number of records.
    RecordsDiffer "records_differ" => DoNotRelease {
        /// In the original.
        before,
        /// In the released file.
        after,
    }
    /// The files do not have the same number of households.
    HouseholdsDiffer "households_differ" => DoNotRelease {
        /// In the original.
        before,
        /// In the released file.
        after,
    }
    /// Kept tables differ.
    TablesDiffer "tables_differ" => DoNotRelease {
        /// How many.
        tables,
        /// Of how many.
        of,
    }
    /// Weighted counts of kept tables moved further than they may.
    WeightsDrift "weights_drift" => DoNotRelease {
        /// In how many tables.
        tables,
    }
    /// The release changes published numbers.
    PublishedChanged "published_changed" => DoNotRelease {
        /// In how many tables.
        tables,
        /// Of how many.
        of,
        /// How many numbers.
        cells,
    }
    /// One-way tables differ.
    OneWayTablesDiffer "one_way_tables_differ" => DoNotRelease {
        /// Of how many variables.
        variables,
    }
    /// Linked columns were parted.
    LinkedColumnsDiffer "linked_columns_differ" => DoNotRelease {
        /// How many groups of them.
        groups,
    }
    /// Columns that stay did not.
    StayingColumnsDiffer "staying_columns_differ" => DoNotRelease {}
    /// A demo seed was used.
    DemoSeed "demo_seed" => DoNotRelease {}
    /// Nothing was exchanged although people are at risk.
    NothingExchanged "nothing_exchanged" => DoNotRelease {
        /// How many.
        at_risk,
    }
    /// People at risk are matched with every sensitive value true.
    MatchedRight "matched_right" => DoNotRelease {
        /// How many.
        people,
        /// How many are tolerated.
        tolerated,
    }
    /// People at risk are not hidden from an intruder who knows some of the keys, and no kept table
    /// prevents it.
    NotHidden "not_hidden" => DoNotRelease {
        /// How many.
        people,
        /// Of how many at risk.
        at_risk,
        /// How many are tolerated.
        tolerated,
    }
    /// People at risk are found, or their values learned, more often than chance explains.
    FoundBeyondChance "found_beyond_chance" => DoNotRelease {
        /// How many people, in the count that differs most.
        people,
        /// How many by chance.
        by_chance,
        /// How many counts are beyond chance.
        counts,
        /// Of how many.
        of,
    }
    /// People who were not found before are found, more of them than chance explains.
    NewlyFound "newly_found" => DoNotRelease {
        /// How many.
        people,
        /// How many by chance.
        by_chance,
    }
    /// No keys were named, so no intruder was looked at.
    NoKeys "no_keys" => Review {}
    /// Keys were named and nobody is at risk, so nobody was looked up.
    NobodyChecked "nobody_checked" => Review {}
    /// People are alone with their keys and were not counted at risk, so nobody looked them
    /// up.
    AloneNotCounted "alone_not_counted" => Review {
        /// How many.
        people,
    }
    /// No tables were named, so nothing was compared.
    NoTables "no_tables" => Review {}
    /// Published tables agree with the original nowhere, so nothing was checked.
    PublishedUnchecked "published_unchecked" => Review {
        /// How many tables.
        tables,
    }
    /// The release changes cells whose original differs from what was published.
    PublishedAlsoChanged "published_also_changed" => Review {
        /// How many.
        cells,
    }
    /// Published categories occur in no record of the original.
    PublishedCategoriesMissing "published_categories_missing" => Review {
        /// How many categories.
        categories,
        /// In how many tables.
        tables,
    }
    /// Nobody at risk is protected.
    NobodyProtected "nobody_protected" => Review {
        /// How many.
        at_risk,
    }
    /// Look-ups of people at risk are less often right than chance explains, so that the opposite
    /// is right.
    FoundBelowChance "found_below_chance" => Review {
        /// How many look-ups are right, of the variable that differs most.
        people,
        /// How many by chance.
        by_chance,
        /// How many counts are below chance.
        counts,
        /// Of how many.
        of,
    }
    /// Whether people are hidden was not counted: single persons exchange values after households.
    HidingNotCounted "hiding_not_counted" => Review {}
    /// A kept table prevents people at risk from being hidden.
    CannotBeHidden "cannot_be_hidden" => Review {
        /// How many.
        people,
        /// Of how many at risk.
        at_risk,
        /// How many are tolerated.
        tolerated,
    }
    /// Everything is learned truly about people, from several records that agree.
    SharedRight "shared_right" => Review {
        /// How many people.
        people,
        /// How many are tolerated.
        tolerated,
    }
    /// People's keys are shared as they were before, or too much is learned truly about them
    /// from several records.
    SharedLearned "shared_learned" => Review {
        /// How many people.
        people,
        /// How many are tolerated.
        tolerated,
    }
    /// People at risk are still matched.
    Matched "matched" => Review {
        /// How many.
        people,
        /// Of how many at risk.
        at_risk,
        /// How many are tolerated.
        tolerated,
    }
    /// People became alone with their keys, with every sensitive value true.
    NewlyExposed "newly_exposed" => Review {
        /// How many.
        people,
        /// How many are tolerated.
        tolerated,
    }
    /// No exchange can part people at risk from their keys.
    NotSeparable "not_separable" => Review {
        /// How many of them the kept tables are known to disclose.
        disclosed,
        /// How many others.
        others,
        /// Of the others, how many the kept tables may disclose as well; 0 where this is decided.
        undecided,
        /// How many are tolerated.
        tolerated,
    }
    /// Released columns name nearly every record.
    IdsReleased "ids_released" => Review {
        /// How many.
        columns,
    }
    /// Released columns that no exchange touches give exchanges away.
    ColumnsTell "columns_tell" => Review {
        /// How many.
        columns,
    }
    /// Released columns that no exchange touches were not looked at.
    ColumnsUnchecked "columns_unchecked" => Review {
        /// How many.
        columns,
    }
    /// More records break rules than in the original.
    RulesBroken "rules_broken" => Review {
        /// In the original.
        before,
        /// In the released file.
        after,
        /// How many more are tolerated.
        tolerated,
    }
    /// Two-way combinations occur that never did.
    NewPairs "new_pairs" => Review {
        /// How many.
        combinations,
        /// Of these, how many look impossible: their values are too frequent to have missed each
        /// other by chance.
        impossible,
        /// How many are tolerated.
        tolerated,
    }
    /// Records break what every record of the original obeys: a column follows from others.
    DependenciesBroken "dependencies_broken" => Review {
        /// How many dependencies.
        dependencies,
        /// How many records break one.
        records,
        /// How many records may.
        tolerated,
    }
    /// Two-way tables that are not kept moved further than they may.
    TablesMoved "tables_moved" => Review {
        /// How many.
        tables,
        /// Of how many.
        of,
        /// By how many records the furthest moved.
        largest,
        /// Of how many records.
        records,
        /// How many records a table may move by.
        tolerated,
    }
}

/// What the gate answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The answer: the gravest that a reason leads to.
    pub answer: Answer,
    /// All reasons, the gravest first; none exactly when the answer is to release.
    pub reasons: Vec<Reason>,
}

impl Verdict {
    /// The verdict that these reasons lead to.
    #[must_use]
    pub fn of(mut reasons: Vec<Reason>) -> Self {
        reasons.sort_unstable();
        let answer = reasons.iter().map(Reason::answer).max().unwrap_or(Answer::Release);
        Self { answer, reasons }
    }

    /// The reasons without those that another one, at least as grave, says already: where
    /// everybody who is matched is matched rightly, that they are matched; where nothing was
    /// exchanged or everybody is matched, that nobody is protected.
    #[must_use]
    pub fn told(&self) -> Vec<Reason> {
        let said = |reason: &Reason| {
            self.reasons.iter().any(|other| match (*reason, *other) {
                (Reason::Matched { people, .. }, Reason::MatchedRight { people: right, .. }) => {
                    people == right
                }
                (Reason::NobodyProtected { .. }, Reason::NothingExchanged { .. }) => true,
                (
                    Reason::NobodyProtected { at_risk },
                    Reason::MatchedRight { people, .. } | Reason::Matched { people, .. },
                ) => people == at_risk,
                _ => false,
            })
        };
        self.reasons.iter().filter(|reason| !said(reason)).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_has_its_name_and_its_numbers() {
        let reason = Reason::Matched { people: 2, at_risk: 4, tolerated: 1 };
        assert_eq!((reason.code(), reason.answer()), ("matched", Answer::Review));
        assert_eq!(reason.numbers(), [("people", 2), ("at_risk", 4), ("tolerated", 1)]);
        assert!(Reason::DemoSeed {}.numbers().is_empty());
    }

    #[test]
    fn nothing_is_told_twice() {
        let right = Reason::MatchedRight { people: 17, tolerated: 0 };
        let matched = |people| Reason::Matched { people, at_risk: 17, tolerated: 0 };
        let nobody = Reason::NobodyProtected { at_risk: 17 };
        let told = |reasons: &[Reason]| Verdict::of(reasons.to_vec()).told();
        assert_eq!(told(&[matched(17), nobody, right]), [right]);
        assert_eq!(told(&[matched(17), nobody]), [matched(17)]);
        assert_eq!(told(&[matched(18), right]), [right, matched(18)]);
        assert_eq!(told(&[matched(3), nobody]), [nobody, matched(3)]);
        let nothing = Reason::NothingExchanged { at_risk: 17 };
        assert_eq!(told(&[nothing, nobody]), [nothing]);
    }
}
