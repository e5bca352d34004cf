//! Making the swaps of a plan, and nothing else.
//!
//! Columns or packed records are changed exactly as the plan says. The swaps and groups of a
//! plan are disjoint, so their order does not matter.

use crate::columns::Columns;
use crate::encode::{PackedCells, RecordId, Records, Schema};
use crate::hash::{Map, STATE};
use crate::partner::swap::exchange_into;
use crate::plan::{Plan, taken};
use crate::varset::VarSet;

/// The columns after a plan. Those that nothing is exchanged in are shared with the columns
/// before, and all share their categories. Derived columns are to be derived again.
///
/// Laws: `applying-is-swapping`, `applying-a-plan-is-making-its-groups`.
///
/// # Panics
/// When a column that is exchanged was not read, or there is no such record.
#[must_use]
pub fn apply(plan: &Plan, columns: &Columns) -> Columns {
    let takes = takes(plan, columns.names().len());
    let changed = takes.iter().enumerate().filter(|(_, takes)| !takes.is_empty());
    let changed = changed.map(|(position, takes)| {
        let column = columns.get(position).expect("a column that is exchanged was read");
        (position, column.with_exchanged(takes))
    });
    columns.with_columns(changed.collect()).without_derived()
}

/// What a plan does to each of `columns` columns: this record takes the value of that one.
#[must_use]
pub fn takes(plan: &Plan, columns: usize) -> Vec<Vec<(usize, usize)>> {
    let mut takes: Vec<Vec<(usize, usize)>> = vec![Vec::new(); columns];
    for swap in plan.swaps() {
        let (left, right) = (swap.left.position(), swap.right.position());
        for &column in swap.exchanged.iter() {
            takes[column].extend([(left, right), (right, left)]);
        }
    }
    for group in plan.groups() {
        for (&column, from) in group.columns.iter().zip(&group.from) {
            let record = |place: usize| group.records[place].position();
            let moved = from.iter().enumerate().filter(|(place, from)| place != *from);
            takes[column].extend(moved.map(|(place, &from)| (record(place), record(from))));
        }
    }
    takes
}

/// The packed records after a plan: those of the columns after it. A column of no variable
/// has no part in them. Derived variables follow, as far as the plan keeps them
/// together with what they follow from.
///
/// Laws: `packed-records-follow-the-columns`, `plans-carry-derived-variables-along`.
///
/// # Panics
/// When there is no such record.
#[must_use]
pub fn apply_to_records(plan: &Plan, schema: &Schema, records: &Records) -> Records {
    let mut after = records.apart();
    for_each_changed(plan, schema, records, |record, cell| after.replace(record, cell));
    after
}

/// The records that a plan gives other values, or the same ones from another record, and their
/// packed cells after it: where [`apply_to_records`] puts another cell.
///
/// # Panics
/// When there is no such record.
#[must_use]
pub fn replaced_cells(
    plan: &Plan,
    schema: &Schema,
    records: &Records,
) -> (Vec<RecordId>, PackedCells) {
    let mut replaced = Vec::new();
    let mut cells = PackedCells::new(records.cells().layout().clone());
    for_each_changed(plan, schema, records, |record, cell| {
        replaced.push(record);
        cells.push(cell);
    });
    (replaced, cells)
}

/// Calls `visit` with each record of a plan and its packed cell after it.
fn for_each_changed(
    plan: &Plan,
    schema: &Schema,
    records: &Records,
    mut visit: impl FnMut(RecordId, &[u64]),
) {
    let layout = records.cells().layout();
    let mut sets: Map<&[usize], VarSet> = Map::with_hasher(STATE);
    let has_derived = !schema.derived().is_empty();
    let words = layout.words();
    let mut new = vec![0; 2 * words];
    for swap in plan.swaps() {
        let columns = &*swap.exchanged;
        let mut exchanged = *sets.entry(columns).or_insert_with(|| schema.variables_of(columns));
        let (left, right) = (records.get(swap.left), records.get(swap.right));
        if has_derived {
            exchanged = schema.followed(exchanged, layout.differing(left, right));
        }
        exchange_into(layout, left, right, exchanged, &mut new);
        visit(swap.left, &new[..words]);
        visit(swap.right, &new[words..]);
    }
    for group in plan.groups() {
        let before: Vec<&[u64]> = group.records.iter().map(|&record| records.get(record)).collect();
        let cells = group.cells_after(layout, schema, &before);
        let cells = cells.unwrap_or_else(|| taken(layout, &before, group.takes(schema)));
        for (&record, cell) in group.records.iter().zip(cells) {
            visit(record, &cell);
        }
    }
}
