//! Swapping with an ε that is proved, in place of a plan.
//!
//! The tree and the weights follow from the kept tables and the settings; what was drawn becomes the
//! one group of a plan, so that the file is written, read back and compared as after any other plan.
//! That plan is given to nobody. The certificate is made from [`Terms`], before anything is drawn:
//! it cannot hold what the draw did.
//!
//! Way in: [`decide`], from [`crate::job`].

use marginswap_core::columns::Role;
use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::encode::{RecordId, Schema};
use marginswap_core::graph::{JunctionTree, Reason, Scope};
use marginswap_core::partner::disclosed::lower_bounds;
use marginswap_core::plan::{Plan, PlannedGroup};
use marginswap_core::sample::{Glued, Terms, Wish, glue, gluing_tree};
use marginswap_core::varset::VarSet;
use marginswap_io::{Finished, PlanFile, PlanHeader, Secrecy};
use marginswap_report::certificate::{Certificate, FixedBecause, FixedTable, SeparatorTerms};

use crate::answer::Reveal;
use crate::compare::Comparison;
use crate::job::{Decided, Decision};
use crate::notes::{Phase, Run};
use crate::outputs::{Outputs, stage as stage_file};
use crate::pages;
use crate::prepare::refuse_ids;
use crate::project::{Amount, Epsilon, Project, ReleaseOrder};
use crate::refusal::Code;
use crate::release::{check_parts, dropped, released_order};
use crate::seed::SeedFrom;
use crate::study::Study;
use crate::view::View;

/// Draws the exchanges of a project's mechanism.
///
/// # Errors
/// When a setting leaves nothing to certify, the tables have no tree, or as
/// [`protect`](crate::job::protect).
pub fn decide(
    project: &Project,
    seed: &SeedFrom,
    outputs: &Outputs<'_>,
    run: &mut Run<'_>,
) -> Result<Decision, Diagnostic> {
    run.expect_steps(6);
    check_parts(project)?;
    refuse_what_voids(project, seed, outputs)?;
    let wish = wish(project)?;
    let original = Study::read(project, run)?;
    let units = &original.units;
    refuse_ids(units)?;
    refuse_what_travels(&original)?;
    let Some(tree) = gluing_tree(units.scope.class()) else {
        return Err(not_glueable(&units.scope).in_file(units.loaded.path()));
    };
    run.begin(Phase::Planning)?;
    let slices = Glued::slices(&units.located, &tree);
    let terms = Terms::new(&tree, &slices.sizes(), wish);
    let certificate = certificate(&original, &tree, &terms, seed);
    let seed = seed.choose(run)?;
    let glued = glue(&tree, &slices, &terms, seed.seed);
    let plan = PlanFile {
        header: header(&original),
        plan: plan_of(units.scope.schema(), &tree, &glued),
        then: None,
    };
    let decided = Decided {
        named: None,
        numbers: None,
        certificate: Some(certificate),
        plan,
        hidden: None,
        order: released_order(outputs.order, Some(seed.seed), units.loaded.records_read()),
        seed: Some(seed.seed),
        new_seed: seed.new_file,
    };
    Decision { original, decided }.checked(outputs, run)
}

/// The refusal of tables without a tree.
pub(crate) fn not_glueable(scope: &Scope) -> Diagnostic {
    let tables = scope.tables().iter().filter(|table| table.reason == Reason::Named).count();
    Diagnostic::new(
        Code::NotGlueable,
        format!(
            "the {tables} kept tables have no junction tree, so files cannot be drawn from them"
        ),
        "drop a table, or keep one that holds a circle of them",
    )
}

/// What is wished.
fn wish(project: &Project) -> Result<Wish, Diagnostic> {
    let swap = &project.swap;
    match (swap.rate, swap.epsilon) {
        (None, None) => Err(Diagnostic::new(
            Code::MissingSetting,
            "a mechanism needs a rate or an ε",
            "say which share of the records is exchanged, or what ε may be",
        )
        .about("swap.rate")),
        (Some(_), Some(_)) => Err(Diagnostic::new(
            Code::OptionsClash,
            "ε follows from the rate, and both are given",
            "leave one of them out",
        )
        .about("swap.epsilon")),
        (None, Some(Epsilon::Millionths(millionths))) => Ok(Wish::Epsilon(millionths)),
        (None, Some(Epsilon::LogOf(of))) => Ok(Wish::EpsilonLog(of)),
        (Some(Amount::Records(_)), None) => Err(Diagnostic::new(
            Code::OptionsClash,
            "a mechanism moves a share of every slice, and a number of records is given",
            "write the rate as a share, as 20%",
        )
        .about("swap.rate")),
        (Some(Amount::Share(share)), None) => {
            let (numerator, denominator) = share.parts();
            match numerator {
                0 => Err(Diagnostic::new(
                    Code::OptionsClash,
                    "a rate of 0 exchanges nothing, and no ε is large enough for it",
                    "write a share above 0",
                )
                .about("swap.rate")),
                #[allow(clippy::cast_precision_loss, reason = "it chooses λ, which is exact then")]
                _ => Ok(Wish::Rate(numerator as f64 / denominator as f64)),
            }
        }
    }
}

/// The refusal of a setting beside a mechanism.
fn voids(setting: &str, why: &str) -> Diagnostic {
    let remedy = "leave it out, or leave the mechanism out";
    Diagnostic::new(Code::VoidsTheClaim, why, remedy).about(setting)
}

/// Refuses everything that leaves nothing to certify.
fn refuse_what_voids(
    project: &Project,
    seed: &SeedFrom,
    outputs: &Outputs<'_>,
) -> Result<(), Diagnostic> {
    let (swap, risk) = (&project.swap, &project.risk);
    let aims = "a mechanism aims at nobody: whom it moves may not depend on who is at risk";
    let partners = "a mechanism moves a record to any place of its slice, near or far";
    let rules = "a result that is refused because of a rule makes the others likelier";
    let chosen = "the weights of a mechanism decide how many records move, and nothing else may";
    let shown = "it shows which released record was which";
    let settings = [
        ("risk.risky", risk.risky.is_some(), aims),
        ("risk.knows", risk.knows.is_some(), aims),
        ("risk.crowd", risk.crowd.is_some(), aims),
        ("swap.detach", swap.detach.is_some(), aims),
        ("swap.near", !swap.near.is_empty(), partners),
        ("swap.areas", swap.areas.is_some(), partners),
        ("swap.match", !swap.matched.is_empty(), partners),
        ("swap.strata", !swap.strata.is_empty(), partners),
        ("swap.rules", !swap.rules.is_empty(), rules),
        ("swap.never_new", !swap.never_new.is_empty(), rules),
        ("swap.weight_drift", swap.weight_drift.is_some(), rules),
        ("swap.budget", swap.budget.is_some(), chosen),
        ("swap.pairing", swap.pairing.is_some(), chosen),
        ("swap.max_records", swap.max_records.is_some(), chosen),
        ("swap.effort", swap.effort.is_some(), chosen),
        ("swap.weights", !swap.weights.is_empty(), chosen),
        ("unit.then", project.unit.then.is_some(), chosen),
        ("release.order", outputs.order == ReleaseOrder::Input, shown),
        ("release.release_id", project.release.release_id == Some(true), shown),
        (
            "release.plan",
            outputs.plan.is_some(),
            "a plan holds what was moved, which nobody may know",
        ),
    ];
    if let Some((setting, _, why)) = settings.iter().find(|(_, is_set, _)| *is_set) {
        return Err(voids(setting, why));
    }
    if matches!(seed, SeedFrom::Demo(_)) {
        let why = "others know a demo seed, and can undo what was drawn with it";
        return Err(Diagnostic::new(Code::VoidsTheClaim, why, "draw with a seed of your own"));
    }
    Ok(())
}

/// Refuses released columns that play no part: they would stay with some of the values of their
/// record, which no table says.
fn refuse_what_travels(original: &Study) -> Result<(), Diagnostic> {
    let lines = &original.people().loaded;
    let drop = dropped(original.people())?;
    let released = (0..lines.own_names().len()).filter(|column| !drop.contains(column));
    let mut others = released
        .filter(|&column| lines.role(column) == Role::Ignored && lines.household() != Some(column));
    match others.next() {
        None => Ok(()),
        Some(column) => Err(Diagnostic::new(
            Code::VoidsTheClaim,
            format!(
                "`{}` plays no part and is released with its record",
                lines.own_names()[column]
            ),
            "let it stay, so that it is a table of its own, or drop it",
        )
        .about("columns.ignore")),
    }
}

/// Refuses a mechanism where a plan is made or several are compared.
///
/// # Errors
/// [`Code::VoidsTheClaim`].
pub fn refuse_plans(project: &Project) -> Result<(), Diagnostic> {
    match project.swap.mechanism {
        None => Ok(()),
        Some(_) => Err(voids(
            "swap.mechanism",
            "a mechanism draws once and keeps no plan; to choose among plans or results voids it",
        )),
    }
}

/// The plan that glues the records so: one group, in which columns that stay are where they were.
fn plan_of(schema: &Schema, tree: &JunctionTree, glued: &Glued) -> Plan {
    let records = glued.from(0).len();
    let clique_of = |variable: usize| {
        let found = tree.cliques().iter().position(|clique| clique.contains(variable));
        found.expect("every variable is in a clique")
    };
    // Released records have no numbers: they are numbered by what stays.
    let staying = schema.staying() & schema.own();
    let holds = |clique: &VarSet| staying.is_subset(clique);
    let staying = tree.cliques().iter().position(holds).expect("what stays is tied together");
    let mut place = vec![0usize; records];
    for (record, &from) in glued.from(staying).iter().enumerate() {
        place[from as usize] = record;
    }
    let mut columns: Vec<(usize, Vec<usize>)> = Vec::new();
    for variable in schema.own() - schema.staying() {
        let from = glued.from(clique_of(variable));
        let from: Vec<usize> = place.iter().map(|&record| from[record] as usize).collect();
        if from.iter().enumerate().any(|(record, &from)| record != from) {
            let own = schema.columns_of(VarSet::single(variable));
            columns.extend(own.into_iter().map(|column| (column, from.clone())));
        }
    }
    columns.sort_by_key(|(column, _)| *column);
    if columns.is_empty() {
        return Plan::default();
    }
    let (columns, from) = columns.into_iter().unzip();
    let records = (0..records).map(RecordId::at).collect();
    Plan::new(Vec::new(), vec![PlannedGroup { records, columns, from }])
        .expect("one group of all records, in which something moves")
}

fn header(original: &Study) -> PlanHeader {
    let units = &original.units;
    let digest = units.loaded.digest();
    PlanHeader {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        input_sha256: digest.sha256.clone(),
        input_bytes: digest.bytes,
        records: units.records.len() as u64,
        columns: units.loaded.own_names().to_vec(),
        parameters: original.people().project.parameters(),
        not_for_release: false,
        summary: serde_json::Value::Null,
    }
}

fn certificate(
    original: &Study,
    tree: &JunctionTree,
    terms: &Terms,
    seed: &SeedFrom,
) -> Certificate {
    let View { scope, located, .. } = &original.units;
    // A bound above 0 holds in every file with these tables, so the sum follows from them.
    let bounds = lower_bounds(located, tree);
    let disclosed = bounds.into_iter().filter_map(|bound| u64::try_from(bound).ok()).sum();
    Certificate {
        unit: if original.households.is_some() { "household" } else { "record" },
        disclosed: Some(disclosed),
        ..certificate_of(scope, tree, terms, located.records() as u64, seed)
    }
}

/// The certificate of these terms.
pub(crate) fn certificate_of(
    scope: &Scope,
    tree: &JunctionTree,
    terms: &Terms,
    records: u64,
    seed: &SeedFrom,
) -> Certificate {
    let names = |set: VarSet| named(scope, set);
    let separators = terms.edges().iter().map(|edge| SeparatorTerms {
        separator: names(edge.edge.separator),
        clique: names(tree.cliques()[edge.edge.child]),
        slices: edge.slices,
        largest_slice: edge.largest_slice.into(),
        lambda: edge.lambda.value(),
        epsilon: (edge.lambda.epsilon() * 1e6).ceil() / 1e6,
    });
    let because = |reason: Reason| match reason {
        Reason::Named => None,
        Reason::Stays => Some(FixedBecause::Stay),
        Reason::Linked => Some(FixedBecause::Linked),
        Reason::Derived => Some(FixedBecause::Derived),
    };
    let tied = scope.tables().iter().filter_map(|table| {
        Some(FixedTable { table: names(table.variables), because: because(table.reason)? })
    });
    let alone = scope.class().uncovered().iter().map(|variable| FixedTable {
        table: names(VarSet::single(variable)),
        because: FixedBecause::InNoTable,
    });
    let tables = scope.tables().iter().filter(|table| table.reason == Reason::Named);
    let epsilon = terms.epsilon();
    Certificate {
        verdict: Certificate::VERDICT,
        mechanism: "glue",
        unit: "record",
        records,
        epsilon,
        epsilon_for_one_swap: 2.0 * epsilon,
        separators: separators.collect(),
        tables: tables.map(|table| names(table.variables)).collect(),
        fixed_too: tied.chain(alone).collect(),
        not_released: Vec::new(),
        random_source: match seed {
            SeedFrom::System => "ChaCha20, a seed of 256 bits from the operating system",
            SeedFrom::File(_) => "ChaCha20, a seed of 256 bits from a file that must stay secret",
            SeedFrom::Demo(_) => "ChaCha20, a demo seed, which others know",
        },
        disclosed: None,
        not_for_release: matches!(seed, SeedFrom::Demo(_)),
    }
}

/// The names of some variables.
pub(crate) fn named(scope: &Scope, set: VarSet) -> Vec<String> {
    scope.schema().names(set).into_iter().map(str::to_owned).collect()
}

/// The pages beside the released file: the certificate alone is for everybody.
pub(crate) fn stage(
    certificate: &Certificate,
    outputs: &Outputs<'_>,
    comparison: &Comparison,
    run: &mut Run<'_>,
) -> Result<Vec<Finished>, Diagnostic> {
    let mut staged = Vec::new();
    if outputs.internal.is_some() || outputs.external.is_some() {
        run.begin(Phase::Reporting)?;
    }
    if let Some(path) = &outputs.internal {
        let mut page = pages::internal(comparison, None, Reveal::Counts)?;
        page.certificate = Some(certificate.clone());
        page.replay = outputs.replay.map_or_else(Vec::new, |replay| replay(comparison));
        staged.push(stage_file(path, outputs.overwrite, Secrecy::Secret, page.html().as_bytes())?);
    }
    if let Some(path) = &outputs.external {
        let page = certificate.html();
        staged.push(stage_file(path, outputs.overwrite, Secrecy::Plain, page.as_bytes())?);
    }
    Ok(staged)
}
