//! What an intruder who knows the keys finds in the released file.
//!
//! He knows the keys of every original record. Where the released file has exactly one line
//! with a record's key combination, he claims that line for it. A claim is *correct* when
//! the line is the record's own.
//!
//! Trap: counting unique key combinations after swapping overstates the risk. A combination
//! that is unique in the released file may be put together from two records; the claim it
//! invites is then wrong. Of the claims, the correct ones are the number to look at.
//!
//! Way in: [`claims`].

use super::{Link, Pooled};
use crate::varset::VarSet;

/// Claims, and how many of them are right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exposure {
    /// Original records whose key combination occurs exactly once in the released file.
    pub claims: u64,
    /// Those whose own line it is; `None` when the files are not linked.
    pub correct: Option<u64>,
}

/// The risk on a set of keys, in both files. Every number is exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claims {
    /// The variables the intruder knows.
    pub keys: VarSet,
    /// Records alone with their key combination in the original file.
    pub uniques_before: u64,
    /// Records alone with it in the released file.
    pub uniques_after: u64,
    /// Key combinations that occur once in the released file, and not once in the original.
    pub new_uniques: u64,
    /// Key combinations that occur once in the original, and not in the released file.
    pub emptied: u64,
    /// Claims about any record.
    pub all: Exposure,
    /// Claims about records that were unique on the keys in the original file.
    pub of_uniques: Exposure,
}

/// Counts the claims of an intruder who knows the keys.
///
/// Law: `claims-by-definition`.
///
/// # Panics
/// When a map leads out of the second file.
#[must_use]
pub fn claims(pooled: &Pooled, keys: VarSet, link: Option<&Link>) -> Claims {
    let groups = pooled.groups(keys);
    let counts = pooled.count(&groups);
    let mut found = Claims {
        keys,
        uniques_before: 0,
        uniques_after: 0,
        new_uniques: 0,
        emptied: 0,
        all: Exposure { claims: 0, correct: None },
        of_uniques: Exposure { claims: 0, correct: None },
    };
    for &[before, after] in &counts {
        found.uniques_before += u64::from(before == 1);
        found.uniques_after += u64::from(after == 1);
        found.new_uniques += u64::from(after == 1 && before != 1);
        found.emptied += u64::from(before == 1 && after == 0);
        if after == 1 {
            found.all.claims += u64::from(before);
            found.of_uniques.claims += u64::from(before == 1);
        }
    }
    let [before, after] = pooled.records();
    if let Some(link) = link.filter(|link| link.links(before, after)) {
        let (mut all, mut of_uniques) = (0, 0);
        for (position, &group) in groups.of[..before].iter().enumerate() {
            let [before, after] = counts[group as usize];
            // The only line with these keys is the record's own when that line has them.
            let own = || groups.of[pooled.after()[link.follow(position)] as usize];
            if after == 1 && own() == group {
                all += 1;
                of_uniques += u64::from(before == 1);
            }
        }
        found.all.correct = Some(all);
        found.of_uniques.correct = Some(of_uniques);
    }
    found
}
