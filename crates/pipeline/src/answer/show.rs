//! What `show` answers: a plan file with names.

use marginswap_core::plan::Plan;
use marginswap_io::PlanFile;
use marginswap_report::show::{
    ExchangedColumn, RevealedGroup, RevealedSwap, RevealedTake, ShowReport, ShownStep,
};

use super::Reveal;

/// A plan in numbers and, where it is asked for, swap by swap.
#[must_use]
pub fn show(plan: PlanFile, reveal: Reveal) -> ShowReport {
    let PlanFile { header, plan, then } = plan;
    ShowReport {
        records: header.records,
        not_for_release: header.not_for_release,
        step: step(&plan, &header.columns, reveal),
        then: then.map(|then| step(&then.plan, &header.columns, reveal)),
        tool_version: header.version,
        input_sha256: header.input_sha256,
        parameters: header.parameters,
        summary: header.summary,
        columns: header.columns,
    }
}

/// The swaps and groups of one step over columns with these names.
fn step(plan: &Plan, columns: &[String], reveal: Reveal) -> ShownStep {
    let name = |column: usize| columns[column].clone();
    let mut times = vec![0u64; columns.len()];
    let in_swaps = plan.swaps().iter().map(|swap| &swap.exchanged[..]);
    for columns in in_swaps.chain(plan.groups().iter().map(|group| &group.columns[..])) {
        columns.iter().for_each(|&column| times[column] += 1);
    }
    let mut exchanged: Vec<ExchangedColumn> = (0..times.len())
        .filter(|&column| times[column] > 0)
        .map(|column| ExchangedColumn { column: name(column), swaps: times[column] })
        .collect();
    exchanged.sort_by_key(|one| std::cmp::Reverse(one.swaps));
    let swaps = || {
        plan.swaps().iter().map(|swap| RevealedSwap {
            left: swap.left.number(),
            right: swap.right.number(),
            exchanged: swap.exchanged.iter().map(|&column| name(column)).collect(),
        })
    };
    let groups = || {
        plan.groups().iter().map(|group| RevealedGroup {
            records: group.records.iter().map(|record| record.number()).collect(),
            takes: group
                .columns
                .iter()
                .zip(&group.from)
                .map(|(&column, from)| RevealedTake {
                    column: name(column),
                    from: from.iter().map(|&place| group.records[place].number()).collect(),
                })
                .collect(),
        })
    };
    let revealed = reveal == Reveal::Everything;
    ShownStep {
        swaps: plan.swaps().len() as u64,
        groups: plan.groups().len() as u64,
        exchanged,
        revealed: revealed.then(|| swaps().collect()),
        revealed_groups: revealed.then(|| groups().collect()),
    }
}
