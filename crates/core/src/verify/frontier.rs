//! Which of several plans to take: risk against change.
//!
//! A plan is *dominated* when another one has no more risk and no more change, and less of
//! one of them. What is not dominated is the frontier; which of its points to take is a
//! question of criteria, which the answer names.
//!
//! Edge case: two plans with the same risk and the same change do not dominate each other.
//!
//! Way in: [`undominated`], [`choose`].

/// What a plan comes to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// People at risk who are still matched.
    pub matched: u64,
    /// People at risk: the same for every plan of a file, so that a share of them ranks plans
    /// as their number does.
    pub at_risk: u64,
    /// How far the tables that are not kept moved, on average; where there is none, the share
    /// of records changed.
    pub change: f64,
    /// How many records are changed.
    pub records: u64,
}

impl Standing {
    fn dominates(&self, other: &Self) -> bool {
        let no_worse = self.matched <= other.matched && self.change <= other.change;
        no_worse && (self.matched < other.matched || self.change < other.change)
    }
}

/// For each plan: does no other one dominate it?
///
/// Law: `the-frontier-is-undominated`.
#[must_use]
pub fn undominated(plans: &[Standing]) -> Vec<bool> {
    plans.iter().map(|plan| !plans.iter().any(|other| other.dominates(plan))).collect()
}

/// By what a plan is chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Criterion {
    /// The fewest people matched; among these the least change, then the fewest records
    /// changed, then the first.
    LeastRisk,
    /// The same, of the plans that move the tables by no more than this on average.
    ChangeAtMost(f64),
    /// The least change, of the plans that leave no more than `numerator` of
    /// `denominator` of those at risk matched; then the fewest matched, then as above.
    RiskAtMost {
        /// The share's numerator.
        numerator: u64,
        /// The share's denominator.
        denominator: u64,
    },
}

/// The plan that a criterion chooses; `None` when no plan meets it.
///
/// Law: `the-chosen-plan-is-undominated`.
#[must_use]
pub fn choose(plans: &[Standing], criterion: Criterion) -> Option<usize> {
    let meets = |plan: &Standing| match criterion {
        Criterion::LeastRisk => true,
        Criterion::ChangeAtMost(most) => plan.change <= most,
        Criterion::RiskAtMost { numerator, denominator } => {
            let (matched, all) = (u128::from(plan.matched), u128::from(plan.at_risk));
            matched * u128::from(denominator) <= all * u128::from(numerator)
        }
    };
    let by_risk = |left: &Standing, right: &Standing| left.matched.cmp(&right.matched);
    let by_change = |left: &Standing, right: &Standing| left.change.total_cmp(&right.change);
    let order = |left: &Standing, right: &Standing| {
        let first = match criterion {
            Criterion::RiskAtMost { .. } => by_change(left, right).then(by_risk(left, right)),
            _ => by_risk(left, right).then(by_change(left, right)),
        };
        first.then(left.records.cmp(&right.records))
    };
    let candidates = plans.iter().enumerate().filter(|(_, plan)| meets(plan));
    candidates
        .min_by(|(one, left), (other, right)| order(left, right).then(one.cmp(other)))
        .map(|(number, _)| number)
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    fn plan(correct: u64, change: f64) -> Standing {
        Standing { matched: correct, at_risk: 100, change, records: 10 }
    }

    fn plans() -> impl Strategy<Value = Vec<Standing>> {
        let one = (0u64..6, 0u8..6, 0u64..4).prop_map(|(correct, change, records)| Standing {
            records,
            ..plan(correct, f64::from(change) / 10.0)
        });
        proptest::collection::vec(one, 1..12)
    }

    proptest! {
        /// What is not on the frontier is beaten by something that is.
        #[test]
        fn law_the_frontier_is_undominated(plans in plans()) {
            let front = undominated(&plans);
            for (number, plan) in plans.iter().enumerate() {
                let beaten_by = |other: usize| {
                    let other = &plans[other];
                    other.matched <= plan.matched
                        && other.change <= plan.change
                        && (other.matched, other.change) != (plan.matched, plan.change)
                };
                let on_front = (0..plans.len()).filter(|&other| front[other]);
                prop_assert_eq!(front[number], !(0..plans.len()).any(beaten_by));
                prop_assert!(front[number] || on_front.into_iter().any(beaten_by));
            }
        }

        #[test]
        fn law_the_chosen_plan_is_undominated(plans in plans(), most in 0u8..6, rate in 0u64..6) {
            let front = undominated(&plans);
            for criterion in [
                Criterion::LeastRisk,
                Criterion::ChangeAtMost(f64::from(most) / 10.0),
                Criterion::RiskAtMost { numerator: rate, denominator: 100 },
            ] {
                if let Some(chosen) = choose(&plans, criterion) {
                    prop_assert!(front[chosen], "{:?}", criterion);
                }
            }
        }
    }

    #[test]
    fn criteria_choose_as_they_say() {
        let plans = [plan(9, 0.1), plan(3, 0.4), plan(3, 0.3), plan(0, 0.9)];
        assert_eq!(choose(&plans, Criterion::LeastRisk), Some(3));
        assert_eq!(choose(&plans, Criterion::ChangeAtMost(0.5)), Some(2));
        assert_eq!(choose(&plans, Criterion::ChangeAtMost(0.05)), None);
        let at_most = |numerator| Criterion::RiskAtMost { numerator, denominator: 100 };
        assert_eq!(choose(&plans, at_most(3)), Some(2));
        assert_eq!(choose(&plans, at_most(9)), Some(0));
        assert_eq!(choose(&plans, at_most(0)), Some(3));
        assert_eq!(choose(&[], Criterion::LeastRisk), None);
    }
}
