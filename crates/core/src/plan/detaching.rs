//! Detaching by a group: whom no swap parts from their keys may still be given false values.
//!
//! A record comes to have the keys of the person only with enough of the sensitive values
//! false; all else is as for any group. The definition is that of
//! [`Aim::is_detached`](super::Aim::is_detached), applied to a cell that a group makes.
//!
//! Law: `groups-detach-too`.

use super::Planner;
use super::combinations::Combinations;
use super::groups::Snapshot;
use super::intruder::Aim;
use crate::moves::{Found, Wishes};
use crate::table::CellId;
use crate::varset::VarSet;

/// The wishes of a snapshot, where the keys of one cell may come back with other values.
pub(super) struct Detaching<'a> {
    pub(super) snapshot: &'a Snapshot<'a>,
    pub(super) planner: &'a Planner<'a>,
    pub(super) own: CellId,
}

impl Detaching<'_> {
    /// Do the intruders who find somebody of the own cell at risk learn nothing from a record
    /// with this cell, and does it bring back the keys of nobody else?
    fn tells_nothing(&self, cell: &[u64]) -> bool {
        let own = self.own.position();
        let cells = self.planner.task.joint.cells();
        let tells = |(aim, keys): (&Aim, &Combinations)| {
            if keys.is_at_risk(own) && keys.find(cell) == Some(keys.of(own)) {
                let differing = cells.layout().differing(cells.get(own), cell);
                (differing & aim.sensitive).len() < aim.needed
            } else {
                keys.is_protected(cell)
            }
        };
        !self.planner.offers.aims().iter().zip(&self.planner.combinations).any(tells)
    }
}

impl Wishes for Detaching<'_> {
    fn free(&self, cell: CellId) -> u32 {
        self.snapshot.free(cell)
    }

    fn may_make(&self, cell: &[u64]) -> bool {
        self.tells_nothing(cell) && self.snapshot.rules.allows(cell)
    }

    fn keys(&self) -> VarSet {
        self.snapshot.keys()
    }

    fn staying(&self) -> VarSet {
        self.snapshot.staying()
    }

    fn agree(&self) -> VarSet {
        self.snapshot.agree()
    }

    fn wants_out(&self, cell: CellId) -> bool {
        self.snapshot.wants_out(cell)
    }

    fn rank(&self, found: &Found) -> u64 {
        self.snapshot.rank(found)
    }
}
