//! Every part of the keys, and the groups of people and records that agree on it.
//!
//! The parts form a tree: below each comes the same with one more key, of those after its last
//! one. A group is cut by the codes of that key, so nothing is hashed. A group that the one who
//! looks calls settled is not cut further: all that lies below it has been seen.
//!
//! A key may be seen in several ways, exactly or in classes; a part takes one of them.

use std::borrow::Cow;

use rayon::prelude::*;

/// One way of seeing a key.
pub(super) struct View<'a> {
    /// The class of each combination of key values.
    pub classes: Cow<'a, [u32]>,
    /// How many classes there are at most.
    pub number: usize,
}

impl View<'_> {
    /// The same view.
    pub(super) fn borrowed(&self) -> View<'_> {
        View { classes: Cow::Borrowed(&self.classes), number: self.number }
    }
}

/// A part of the keys.
#[derive(Clone, Copy, Default)]
pub(super) struct Part {
    /// How many keys it holds.
    pub size: usize,
    /// Their places, as far as these are below 64.
    pub keys: u64,
}

/// Who looks at the groups.
pub(super) trait Looks: Sync {
    /// What one thread finds.
    type Found: Default + Send;

    /// Looks at the combinations that agree on a part. Is there more to see in parts of them?
    fn look(&self, part: Part, group: &[u32], found: &mut Self::Found) -> bool;

    /// Joins what two threads found.
    fn join(&self, into: &mut Self::Found, other: Self::Found);
}

/// Groups that are not settled.
#[derive(Default)]
struct Open {
    members: Vec<u32>,
    ends: Vec<usize>,
}

/// Shows all groups of the parts of at most `most` keys.
pub(super) fn walk<L: Looks>(
    looks: &L,
    combinations: usize,
    keys: &[Vec<View<'_>>],
    most: usize,
) -> L::Found {
    let mut found = L::Found::default();
    let all: Vec<u32> = (0u32..).take(combinations).collect();
    if looks.look(Part::default(), &all, &mut found) {
        let ends = vec![all.len()];
        descend(looks, Part::default(), &Open { members: all, ends }, 0, keys, most, &mut found);
    }
    found
}

/// Fewer combinations than this are seen on one thread.
const ON_ONE_THREAD: usize = 1 << 12;

fn descend<L: Looks>(
    looks: &L,
    part: Part,
    open: &Open,
    next: usize,
    keys: &[Vec<View<'_>>],
    most: usize,
    found: &mut L::Found,
) {
    if open.members.is_empty() || part.size == most {
        return;
    }
    let children: Vec<(usize, &View<'_>)> =
        (next..keys.len()).flat_map(|key| keys[key].iter().map(move |view| (key, view))).collect();
    let visit = |&(key, view): &(usize, &View<'_>), found: &mut L::Found| {
        let bit = if key < 64 { 1 << key } else { 0 };
        let part = Part { size: part.size + 1, keys: part.keys | bit };
        let open = cut(looks, part, open, view, found);
        descend(looks, part, &open, key + 1, keys, most, found);
    };
    if open.members.len() < ON_ONE_THREAD {
        children.iter().for_each(|child| visit(child, found));
    } else {
        let all: Vec<L::Found> = children
            .par_iter()
            .with_max_len(1)
            .map(|child| {
                let mut found = L::Found::default();
                visit(child, &mut found);
                found
            })
            .collect();
        all.into_iter().for_each(|one| looks.join(found, one));
    }
}

/// Cuts every group by the classes of a key, looks at what comes of it and keeps what is open.
fn cut<L: Looks>(
    looks: &L,
    part: Part,
    open: &Open,
    view: &View<'_>,
    found: &mut L::Found,
) -> Open {
    let mut next = Open::default();
    let mut sorted: Vec<u64> = Vec::new();
    let mut group: Vec<u32> = Vec::new();
    let mut counts: Vec<usize> = Vec::new();
    let class = |member: u32| view.classes[member as usize];
    let mut start = 0;
    let mut give = |group: &[u32], found: &mut L::Found| {
        if looks.look(part, group, found) {
            next.members.extend_from_slice(group);
            next.ends.push(next.members.len());
        }
    };
    for &end in &open.ends {
        let members = &open.members[start..end];
        start = end;
        if members.len() > 64 && view.number <= 4 * members.len() {
            // Many: each goes to the place of its class.
            counts.clear();
            counts.resize(view.number + 1, 0);
            members.iter().for_each(|&member| counts[class(member) as usize + 1] += 1);
            for at in 1..counts.len() {
                counts[at] += counts[at - 1];
            }
            group.clear();
            group.resize(members.len(), 0);
            for &member in members {
                let place = &mut counts[class(member) as usize];
                group[*place] = member;
                *place += 1;
            }
            // Each count is now the end of its class.
            let mut first = 0;
            for &last in &counts[..view.number] {
                if last > first {
                    give(&group[first..last], found);
                }
                first = last;
            }
        } else {
            sorted.clear();
            let keyed = |&member: &u32| u64::from(class(member)) << 32 | u64::from(member);
            sorted.extend(members.iter().map(keyed));
            sorted.sort_unstable();
            for run in sorted.chunk_by(|one, other| one >> 32 == other >> 32) {
                group.clear();
                let member = |keyed: &u64| u32::try_from(keyed & 0xffff_ffff).expect("32 bits");
                group.extend(run.iter().map(member));
                give(&group, found);
            }
        }
    }
    next
}

/// Up to how many keys parts are looked at: all, as long as the parts times the combinations are
/// no more than this.
const WORK: u128 = 1 << 31;

/// The greatest size of parts that can be looked at, where each key is seen in some number of
/// `ways`.
pub(super) fn greatest_size(ways: &[usize], combinations: usize) -> usize {
    // How many parts have each number of keys: the coefficients of Π (1 + ways·x).
    let mut parts = vec![1u128];
    for &ways in ways {
        parts.push(0);
        for at in (1..parts.len()).rev() {
            parts[at] = parts[at].saturating_add(parts[at - 1].saturating_mul(ways as u128));
        }
    }
    let mut work = 0u128;
    let mut fits = |&parts: &u128| {
        work = work.saturating_add(parts.saturating_mul(combinations as u128));
        work <= WORK
    };
    let sizes = parts.iter().take_while(|parts| fits(parts)).count();
    sizes.saturating_sub(1).max(1).min(ways.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_follow_the_work() {
        assert_eq!(greatest_size(&[1; 5], 1_000_000), 5);
        assert_eq!(greatest_size(&[1; 8], 600_000), 8);
        assert_eq!(greatest_size(&[], 600_000), 0);
        // 1 + 30 + 435 + 4,060 parts of 30 keys, and 27,405 more.
        assert_eq!(greatest_size(&[1; 30], 100_000), 3);
        assert_eq!(greatest_size(&[1; 200], 50_000_000), 1);
        // A key seen in three ways: 1 + 5 + 7 + 3 parts.
        assert_eq!(greatest_size(&[3, 1, 1], 1 << 27), 3);
        assert_eq!(greatest_size(&[3, 1, 1], 1 << 28), 1);
    }
}
