//! What partners must respect besides the kept tables, as a project says it.
//!
//! `screen`, `explain` and `plan` take it from here, so that they answer the same question.
//! Restrictions are applied in one order: linked columns and the weight, which tie variables
//! as tables do, then strata, match lists, rules, and pairs of values that must not be new.

use std::collections::BTreeSet;

use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::encode::{RecordId, Records};
use marginswap_core::graph::{
    Formula, GeneratingClass, KeptTable, Reason, Scope, Separators, minimal_separators,
};
use marginswap_core::partner::{
    Forbidden, KeyScreening, NeverNew, Restriction, Restrictions, Rules, Screening, has_few_levels,
    pair, parting, screen, screen_keys, screen_restricted,
};
use marginswap_core::table::{CellId, JointTable};
use marginswap_core::varset::VarSet;
use marginswap_report::restrictions::{RecordRestriction, RestrictedBy};

use crate::input::Loaded;
use crate::project::{Project, WeightDrift};
use crate::settings::{EVERYWHERE, NOWHERE};
use crate::view::View;

/// The restrictions of a project, in a file.
///
/// Trap: that two values may not come together for the first time is asked here only where the
/// project says so. A plan respects it in any case; to screen for it compares every two
/// cells, which a long file refuses, and nobody was found whom it leaves without a partner.
#[must_use]
pub fn restrictions(
    project: &Project,
    loaded: &Loaded,
    scope: &Scope,
    rules: &[Forbidden],
    combined: VarSet,
) -> Restrictions {
    let swap = &project.swap;
    Restrictions {
        strata: loaded.variables(scope, &swap.strata),
        matches: swap.matched.iter().map(|list| loaded.variables(scope, list)).collect(),
        rules: rules.to_vec(),
        never_new: match swap.never_new.is_empty() {
            true => NeverNew::Nowhere,
            false => never_new(project, loaded, scope, combined),
        },
    }
}

/// The variables of which a table of two tells something: columns of the file with few levels
/// against its records, and no weight.
#[must_use]
pub fn tabulated(project: &Project, loaded: &Loaded, scope: &Scope, records: &Records) -> VarSet {
    let lines: u64 = match loaded.counts() {
        Some(counts) => counts.iter().map(|&records| u64::from(records)).sum(),
        None => records.len() as u64,
    };
    let few = |&variable: &usize| has_few_levels(records.levels()[variable], lines);
    unweighted(project, loaded, scope).iter().filter(few).collect()
}

/// The variables of which two values can make an impossible person: those of a table that tells
/// something, and that are exchanged. Several columns that stay are one variable together, whose
/// values are no values of a person's.
#[must_use]
pub fn combined(project: &Project, loaded: &Loaded, scope: &Scope, records: &Records) -> VarSet {
    tabulated(project, loaded, scope, records) - scope.schema().staying()
}

/// The columns that are exchanged and have too many levels to be among those.
#[must_use]
pub fn many_levels(project: &Project, loaded: &Loaded, scope: &Scope, records: &Records) -> VarSet {
    let all = unweighted(project, loaded, scope) - scope.schema().staying();
    all - combined(project, loaded, scope, records)
}

fn unweighted(project: &Project, loaded: &Loaded, scope: &Scope) -> VarSet {
    let weight = project.swap.weight.as_slice();
    loaded.own_variables(scope) - loaded.variables(scope, weight)
}

/// Where two values may not come together for the first time; `combined` are the variables that
/// "all" means.
#[must_use]
pub fn never_new(project: &Project, loaded: &Loaded, scope: &Scope, combined: VarSet) -> NeverNew {
    let told = &project.swap.never_new;
    if told.iter().any(|text| text == NOWHERE) {
        return NeverNew::Nowhere;
    }
    if told.is_empty() || told.iter().any(|text| text == EVERYWHERE) {
        return NeverNew::Among(combined);
    }
    let formula = Formula::parse(told).expect("the setting was looked at");
    let mut pairs = BTreeSet::new();
    for table in formula.tables() {
        let variables: Vec<usize> = loaded.variables(scope, table).iter().collect();
        for (place, &left) in variables.iter().enumerate() {
            pairs.extend(variables[place + 1..].iter().map(|&right| [left, right]));
        }
    }
    NeverNew::Pairs(pairs.into_iter().collect())
}

/// What is kept, step by step: the named tables alone, then linked columns, then the weight.
/// The last one is the class of the scope.
fn classes(
    project: &Project,
    loaded: &Loaded,
    scope: &Scope,
) -> Vec<(Option<RestrictedBy>, GeneratingClass)> {
    let formula = Formula::parse(&project.keep.formulas()).expect("the tables were looked at");
    let named = formula.tables().iter().map(|table| KeptTable {
        variables: loaded.variables(scope, table),
        reason: Reason::Named,
    });
    // That columns stay and that derived variables follow from theirs is no restriction.
    let always = |table: &&KeptTable| matches!(table.reason, Reason::Stays | Reason::Derived);
    let mut tables: Vec<KeptTable> =
        named.chain(scope.tables().iter().filter(always).copied()).collect();
    let mut steps = vec![(None, scope.class_of(&tables))];
    let linked = scope.tables().iter().filter(|table| table.reason == Reason::Linked);
    let known = tables.len();
    tables.extend(linked.copied());
    if tables.len() > known {
        steps.push((Some(RestrictedBy::Linked), scope.class_of(&tables)));
    }
    if project.swap.weight.is_some() && project.weight_drift() == WeightDrift::Exact {
        steps.push((Some(RestrictedBy::Weight), scope.class().clone()));
    }
    steps
}

/// Which cells have a partner when one restriction after the other is respected.
#[derive(Debug)]
pub struct Step {
    /// The restriction that is new; none where the tables alone decide.
    pub by: Option<RestrictedBy>,
    /// For each cell: is it swappable?
    pub swappable: Vec<bool>,
    /// For each intruder, for each cell: can its keys be parted?
    pub partable: Vec<Vec<bool>>,
}

/// Screens every cell, restriction by restriction: the first step is by the tables alone, the
/// last respects all. `screening` and `on_keys` are those of the whole scope.
///
/// # Errors
/// When deciding would take too long.
pub fn steps(
    project: &Project,
    loaded: &Loaded,
    scope: &Scope,
    joint: &JointTable,
    (known, screening, on_keys): (&Separators, &Screening, &[KeyScreening]),
    restrictions: &Restrictions,
) -> Result<Vec<Step>, Diagnostic> {
    let cells = || (0..joint.len()).map(CellId::at);
    let parted = |keys: &KeyScreening| cells().map(|cell| keys.is_partable(cell)).collect();
    let mut steps = Vec::new();
    let mut classes = classes(project, loaded, scope);
    let (by, class) = classes.pop().expect("there is a first step");
    assert!(class == *scope.class(), "the last step keeps what the scope keeps");
    for (by, class) in classes {
        let listed = minimal_separators(&class.margin_graph(), project.max_separators());
        let loose = screen(joint, &class, &listed)?;
        let mut partable = Vec::new();
        for whole in on_keys {
            partable.push(parted(&screen_keys(joint, &class, &listed, whole.keys())?));
        }
        let swappable = cells().map(|cell| loose.is_swappable(cell)).collect();
        steps.push(Step { by, swappable, partable });
    }
    let swappable: Vec<bool> = cells().map(|cell| screening.is_swappable(cell)).collect();
    let partable: Vec<Vec<bool>> = on_keys.iter().map(parted).collect();
    let restricted = |keys: VarSet, among: &[bool]| {
        screen_restricted(joint, &class, known, keys, among, restrictions)
    };
    let on_all = restricted(class.delta(), &swappable)?;
    let on_keys = partable.iter().zip(on_keys);
    let on_keys: Vec<_> =
        on_keys.map(|(among, keys)| restricted(keys.keys(), among)).collect::<Result<_, _>>()?;
    steps.push(Step { by, swappable, partable });
    steps.extend(restrictions.list().into_iter().map(|restriction| {
        Step {
            by: Some(named(restriction)),
            swappable: cells().map(|cell| on_all.is_left(cell, restriction)).collect(),
            partable: on_keys
                .iter()
                .map(|found| cells().map(|cell| found.is_left(cell, restriction)).collect())
                .collect(),
        }
    }));
    Ok(steps)
}

fn named(restriction: Restriction) -> RestrictedBy {
    match restriction {
        Restriction::Strata => RestrictedBy::Strata,
        Restriction::Match => RestrictedBy::Match,
        Restriction::Rules => RestrictedBy::Rules,
        Restriction::NeverNew => RestrictedBy::NeverNew,
    }
}

/// How many partners of one record are left when one restriction after the other is respected,
/// beginning with those by the tables alone; and whom an exchange with them parts.
#[must_use]
pub fn partners_left(view: &View, record: RecordId) -> Vec<RecordRestriction> {
    let View { project, loaded, scope, located, intruders, forbidden, .. } = view;
    let restrictions = restrictions(project, loaded, scope, forbidden, view.combined());
    let own = located.cell_of(record);
    let cells = located.cells();
    let all = || (0..located.len()).filter(|&cell| cell != own.position());
    let count = |holds: &dyn Fn(usize, VarSet) -> bool| -> u64 {
        let holds = |&cell: &usize| holds(cell, cells.differing(own.position(), cell));
        all().filter(holds).map(|cell| located.n(CellId::at(cell))).sum()
    };
    let mut left = Vec::new();
    for (by, class) in classes(project, loaded, scope) {
        let graph = class.margin_graph();
        let parts = |keys| count(&|_, differing| parting::can_part(&graph, differing, keys));
        left.push(RecordRestriction {
            setting: by,
            partners: count(&|_, differing| pair::is_swappable(&graph, differing)),
            separating: intruders.iter().map(|intruder| parts(intruder.keys)).collect(),
        });
    }
    let graph = scope.class().margin_graph();
    for restriction in restrictions.list() {
        let some = restrictions.until(restriction);
        let rules = Rules::new(located, &some.rules, &some.never_new);
        let agreements = some.agreements();
        let allowed = |on: VarSet| {
            count(&|cell, differing| {
                let pair = [own.position(), cell].map(|cell| cells.get(cell));
                agreements.iter().any(|agree| !differing.meets(agree))
                    && rules.allowed_exchange(&graph, on, cells.layout(), pair).is_some()
            })
        };
        left.push(RecordRestriction {
            setting: Some(named(restriction)),
            partners: allowed(scope.schema().all()),
            separating: intruders.iter().map(|intruder| allowed(intruder.keys)).collect(),
        });
    }
    left
}
