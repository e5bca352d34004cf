//! `show`: what is in a plan.

use std::fmt::Write;

use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::{PlanFile, Seal, read_plan_sealed};
use marginswap_pipeline::notes::Note;
use marginswap_pipeline::project::{Project, Release};
use marginswap_pipeline::seal::SealFrom;
use marginswap_report::Answer;
use serde::Serialize;
use serde_json::Value;

use crate::args::ShowArgs;
use crate::output::{Outcome, give, missing, next};

/// A plan in numbers, and with `--reveal` swap by swap.
#[derive(Serialize)]
struct ShowReport {
    tool_version: String,
    input_sha256: String,
    records: u64,
    columns: Vec<String>,
    parameters: Value,
    not_for_release: bool,
    summary: Value,
    swaps: usize,
    groups: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    revealed: Option<Vec<RevealedSwap>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    revealed_groups: Option<Vec<RevealedGroup>>,
}

#[derive(Serialize)]
struct RevealedSwap {
    left: u64,
    right: u64,
    exchanged: Vec<String>,
}

#[derive(Serialize)]
struct RevealedGroup {
    records: Vec<u64>,
    takes: Vec<RevealedTake>,
}

/// From which record each record of the group takes its value in a column.
#[derive(Serialize)]
struct RevealedTake {
    column: String,
    from: Vec<u64>,
}

/// Prints counts only, unless the swaps are asked for.
pub fn run(args: &ShowArgs) -> Result<Outcome, Diagnostic> {
    let own = Project {
        release: Release { plan: args.plan.clone(), ..Release::default() },
        ..Project::default()
    };
    args.settings.run_with(own, |setup, run| {
        let path = setup.project.release.plan.clone().ok_or_else(|| {
            missing(
                "no plan file is named",
                "name it on the command line, or as `plan` under [release] in the project file",
            )
        })?;
        let key = SealFrom(args.seal_file.clone()).for_reading()?;
        let (plan, seal) = read_plan_sealed(&path, key.as_ref())?;
        if seal == Seal::Unchecked {
            run.note(Note::SealUnchecked);
        }
        give(&report(plan, args.reveal), args.answer.json)?;
        next(&setup.apply_line(&setup.project, None));
        Ok(Outcome::Done)
    })
}

fn report(plan: PlanFile, reveal: bool) -> ShowReport {
    let columns = plan.header.columns;
    let revealed = reveal.then(|| {
        plan.plan
            .swaps()
            .iter()
            .map(|swap| RevealedSwap {
                left: swap.left.number(),
                right: swap.right.number(),
                exchanged: swap.exchanged.iter().map(|&column| columns[column].clone()).collect(),
            })
            .collect()
    });
    let revealed_groups = reveal.then(|| {
        plan.plan
            .groups()
            .iter()
            .map(|group| RevealedGroup {
                records: group.records.iter().map(|record| record.number()).collect(),
                takes: group
                    .columns
                    .iter()
                    .zip(&group.from)
                    .map(|(&column, from)| RevealedTake {
                        column: columns[column].clone(),
                        from: from.iter().map(|&place| group.records[place].number()).collect(),
                    })
                    .collect(),
            })
            .collect()
    });
    ShowReport {
        tool_version: plan.header.version,
        input_sha256: plan.header.input_sha256,
        records: plan.header.records,
        parameters: plan.header.parameters,
        not_for_release: plan.header.not_for_release,
        summary: plan.header.summary,
        swaps: plan.plan.swaps().len(),
        groups: plan.plan.groups().len(),
        columns,
        revealed,
        revealed_groups,
    }
}

impl Answer for ShowReport {
    fn text(&self) -> String {
        let groups = match self.groups {
            0 => String::new(),
            count => format!(" and {count} groups of more records"),
        };
        let mut text = format!(
            "A plan of {} swaps{} for a file of {} records, made by marginswap {}\n\
             input SHA-256 {}\n",
            self.swaps, groups, self.records, self.tool_version, self.input_sha256
        );
        for part in [&self.summary, &self.parameters] {
            text.push('\n');
            for (name, value) in part.as_object().into_iter().flatten() {
                let is_empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
                if !is_empty {
                    let _ = writeln!(text, "  {name}: {value}");
                }
            }
        }
        if self.not_for_release {
            text.push_str("\nNOT FOR RELEASE: made with a demo seed that others know.\n");
        }
        if let Some(groups) = &self.revealed_groups {
            for group in groups {
                let records: Vec<String> = group.records.iter().map(u64::to_string).collect();
                let _ = writeln!(text, "\n  group {}", records.join(" "));
                for take in &group.takes {
                    let from: Vec<String> = take.from.iter().map(u64::to_string).collect();
                    let _ = writeln!(text, "    {} from {}", take.column, from.join(" "));
                }
            }
        }
        if let Some(swaps) = &self.revealed {
            text.push('\n');
            for swap in swaps {
                let _ =
                    writeln!(text, "  {} {}  {}", swap.left, swap.right, swap.exchanged.join(", "));
            }
        }
        text
    }
}
