//! May a file be released? What the comparison, the plan and the records at risk say together.
//!
//! A broken promise stops the release. What a reviewer has to weigh (no tables, no keys,
//! records at risk that keep their keys, too many right claims) leaves the decision to them.
//!
//! Way in: [`judge`].

use marginswap_report::page::{Concern, InternalReport, PlanFacts, Verdict};
use marginswap_report::pictures::waterfall::Coverage;
use marginswap_report::verify::VerifyReport;

/// So many of a hundred claims about uniques may be right before a reviewer has to decide.
const MOST_RIGHT: u64 = 10;

/// What a verdict is made from.
#[derive(Debug, Clone, Copy)]
pub struct Weighed<'a> {
    /// The comparison of the two files.
    pub verify: &'a VerifyReport,
    /// The plan, when it was given.
    pub plan: Option<&'a PlanFacts>,
    /// Were keys named, so that risk was counted?
    pub keys_named: bool,
    /// What became of the records at risk, where that is known.
    pub coverage: Option<&'a Coverage>,
}

/// The verdict, and what is against the release, the gravest first.
#[must_use]
pub fn judge(weighed: &Weighed<'_>) -> (Verdict, Vec<Concern>) {
    let mut concerns = of_files(weighed.verify);
    concerns.extend(weighed.plan.into_iter().flat_map(of_plan));
    concerns.extend(of_risk(weighed));
    concerns.extend(right_claims(weighed.verify, weighed.coverage));
    concerns.sort_by_key(|concern| std::cmp::Reverse(gravity(concern)));
    let verdict = concerns.first().map_or(Verdict::Ready, gravity);
    (verdict, concerns)
}

/// A report with its verdict and its concerns.
#[must_use]
pub fn judged(report: InternalReport) -> InternalReport {
    let (verdict, concerns) = judge(&Weighed {
        verify: &report.verify,
        plan: report.plan.as_ref(),
        keys_named: report.scenario.is_some(),
        coverage: report.coverage.as_ref(),
    });
    InternalReport { verdict, concerns, ..report }
}

/// What a concern alone would make of a release.
fn gravity(concern: &Concern) -> Verdict {
    match concern {
        Concern::RecordNumbersDiffer
        | Concern::TableDiffers { .. }
        | Concern::IdsDisagree { .. }
        | Concern::NoSwapChanges { .. }
        | Concern::DemoSeed
        | Concern::PlanForAnotherFile
        | Concern::PlanGivesAnotherFile => Verdict::Stop,
        Concern::NoTables
        | Concern::Reordered
        | Concern::NoKeys
        | Concern::NotLinked
        | Concern::LeftAtRisk { .. }
        | Concern::ManyRightClaims { .. } => Verdict::Decide,
    }
}

fn of_files(verify: &VerifyReport) -> Vec<Concern> {
    let mut concerns = Vec::new();
    if verify.records_before != verify.records_after {
        concerns.push(Concern::RecordNumbersDiffer);
    }
    for table in verify.margins.iter().filter(|table| table.changed > 0) {
        concerns.push(Concern::TableDiffers { table: table.margin.clone(), cells: table.changed });
    }
    if let Some(why) = &verify.unlinked {
        concerns.push(Concern::IdsDisagree { why: why.clone() });
    }
    let broken = verify.broken.iter().cloned();
    concerns.extend(broken.map(|columns| Concern::NoSwapChanges { columns }));
    if verify.margins.is_empty() {
        concerns.push(Concern::NoTables);
    }
    if verify.reordered {
        concerns.push(Concern::Reordered);
    }
    concerns
}

fn of_plan(plan: &PlanFacts) -> impl Iterator<Item = Concern> {
    let found = [
        (plan.not_for_release, Concern::DemoSeed),
        (!plan.fits_input, Concern::PlanForAnotherFile),
        (plan.gives_release == Some(false), Concern::PlanGivesAnotherFile),
    ];
    found.into_iter().filter_map(|(holds, concern)| holds.then_some(concern))
}

fn of_risk(weighed: &Weighed<'_>) -> Option<Concern> {
    if !weighed.keys_named {
        return Some(Concern::NoKeys);
    }
    let Some(coverage) = weighed.coverage else { return Some(Concern::NotLinked) };
    (coverage.left() > 0).then(|| Concern::LeftAtRisk {
        records: coverage.left(),
        without_partner: coverage.without_partner(),
    })
}

/// Are too many of those who were unique found?
fn right_claims(verify: &VerifyReport, coverage: Option<&Coverage>) -> Option<Concern> {
    let (right, claims) = (verify.correct_claims_of_uniques?, verify.claims_of_uniques?);
    let untreated = verify.uniques_before.zip(coverage).and_then(|(uniques, coverage)| {
        (uniques > coverage.at_risk).then_some([uniques, coverage.at_risk])
    });
    (right * 100 > claims * MOST_RIGHT).then_some(Concern::ManyRightClaims {
        right,
        claims,
        most_percent: MOST_RIGHT,
        untreated,
    })
}
