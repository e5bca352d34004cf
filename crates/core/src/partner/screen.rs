//! Which cells have a swap partner: all of them at once, exactly.
//!
//! A cell has a partner exactly when some minimal separator S has, in the cell's slice
//! (the cells that agree with it on S), a cell that differs from it in two components of
//! the graph without S. Three ways answer that, cheapest first, each exact in what it
//! settles:
//!
//! 1. *Glance*: compare the cell with the first few of its slice. Nearly every cell that
//!    has a partner finds one here.
//! 2. *Count*: for what is left, cnt_S(i) = n_S − Σ_c n_{V∖γc} + (m−1)·n, by hashing the
//!    slice; or, where few cells of a slice are left, by walking through it.
//! 3. *Pair test*: compare the cell with all cells by Theorem 1. Used when the separators
//!    are too many to list, or when fewer cells are left than separators.
//!
//! Trap: the second and the third way take time in proportion to the cells times the
//! separators or the open cells. What is ahead is weighed first, and refused rather than
//! begun when nobody could wait for it.
//!
//! The same search answers for keys: there only differences in keys count as different, see
//! [`screen_keys`](super::screen_keys).
//!
//! Way in: [`screen`]. Slow twin: [`crate::oracle::World::partners`].

use rayon::prelude::*;

use super::disclosed::{Disclosure, disclosed};
use super::parting::can_part;
use super::slices::Slices;
use crate::diagnostic::{Diagnostic, grouped};
use crate::encode::{PackedCells, Signer};
use crate::graph::{GeneratingClass, MarginGraph, Separator, Separators};
use crate::refusal::Code;
use crate::table::{CellId, Grouping, JointTable};
use crate::varset::VarSet;

/// For every cell: can its records be swapped, and do the tables give it away?
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Screening {
    swappable: Vec<bool>,
    disclosure: Disclosure,
}

impl Screening {
    /// Has this cell a swap partner?
    #[must_use]
    pub fn is_swappable(&self, cell: CellId) -> bool {
        self.swappable[cell.position()]
    }

    /// Do the kept tables prove that this cell is occupied by all its records?
    #[must_use]
    pub fn is_disclosed(&self, cell: CellId) -> bool {
        self.disclosure.proof(cell).is_some()
    }

    /// Is "not disclosed" certain too? Yes when 𝒟 is decomposable, or when every cell without
    /// a partner was decided; otherwise more cells may be disclosed than are counted.
    #[must_use]
    pub fn disclosed_is_exact(&self) -> bool {
        self.disclosure.is_exact()
    }

    /// What proves the disclosed cells.
    #[must_use]
    pub fn disclosure(&self) -> &Disclosure {
        &self.disclosure
    }
}

/// How much each way may cost before the next one takes over. The answer does not depend
/// on it; tests set it so that each way has to do the whole work.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effort {
    /// With how many cells of its slice a cell is compared at a glance.
    glance: usize,
    /// Over how many separators cells are only glanced at.
    glanced_separators: usize,
    /// With so few open cells for each component a slice is walked instead of counted.
    walk: usize,
    /// With so few open cells for each remaining separator the pair test takes over.
    pair_test: usize,
    /// More comparisons of two cells than this are refused.
    pub(super) comparisons: u64,
}

/// Minutes on one core, for some ten nanoseconds a comparison.
const MOST_COMPARISONS: u64 = 20_000_000_000;

impl Effort {
    /// With separators alone: the pair test never takes over.
    pub(super) fn counting_alone(self) -> Self {
        Self { pair_test: 0, ..self }
    }
}

pub(super) const EFFORT: Effort = Effort {
    glance: 16,
    glanced_separators: 8,
    walk: 4,
    pair_test: 1,
    comparisons: MOST_COMPARISONS,
};

/// Screens every cell of the joint table.
///
/// `separators` are those of the class's margin graph; when they are not complete, the
/// pair test decides what they leave open.
///
/// Law: `screening-by-definition`.
///
/// # Errors
/// When more comparisons of cells would be needed than anybody can wait for.
pub fn screen(
    joint: &JointTable,
    class: &GeneratingClass,
    separators: &Separators,
) -> Result<Screening, Diagnostic> {
    screen_announced(joint, class, separators, |_| {})
}

/// As [`screen`]; before the pair test begins, `announce` learns how many comparisons of
/// two cells are ahead at most.
///
/// # Errors
/// As [`screen`].
pub fn screen_announced(
    joint: &JointTable,
    class: &GeneratingClass,
    separators: &Separators,
    announce: impl FnMut(u64),
) -> Result<Screening, Diagnostic> {
    screen_with(joint, class, separators, EFFORT, announce)
}

fn screen_with(
    joint: &JointTable,
    class: &GeneratingClass,
    separators: &Separators,
    effort: Effort,
    announce: impl FnMut(u64),
) -> Result<Screening, Diagnostic> {
    let graph = class.margin_graph();
    // With all variables as keys, to part them is to swap.
    let search = Search { joint, graph: &graph, keys: class.delta(), agree: VarSet::EMPTY };
    let mut open = Open::all(joint.len());
    search.settle_all(separators, &mut open, effort, announce)?;
    let swappable = open.settled();
    let frozen: Vec<CellId> =
        (0..joint.len()).filter(|&cell| !swappable[cell]).map(CellId::at).collect();
    let disclosure = disclosed(joint, class, &frozen);
    Ok(Screening { swappable, disclosure })
}

/// What is searched for: a partner that agrees with a cell on some variables and differs from
/// it in keys of two components of the graph without some minimal separator on which the two
/// agree as well.
#[derive(Clone, Copy)]
pub(super) struct Search<'a> {
    pub(super) joint: &'a JointTable,
    pub(super) graph: &'a MarginGraph,
    pub(super) keys: VarSet,
    pub(super) agree: VarSet,
}

impl Search<'_> {
    /// Closes every open cell that has such a partner.
    pub(super) fn settle_all(
        self,
        separators: &Separators,
        open: &mut Open,
        effort: Effort,
        mut announce: impl FnMut(u64),
    ) -> Result<(), Diagnostic> {
        let all_counted = self.settle_by_separators(separators, open, effort)?;
        let is_known = all_counted && separators.is_complete();
        if !is_known && !open.cells.is_empty() {
            let ahead = weigh(open.cells.len(), self.joint.len(), effort.comparisons)?;
            announce(ahead);
            self.pair_test(open);
        }
        Ok(())
    }

    /// Closes open cells that have such a partner through one of these separators. Were all of
    /// them counted, so that no other cell has one?
    pub(super) fn settle_by_separators(
        self,
        separators: &Separators,
        open: &mut Open,
        effort: Effort,
    ) -> Result<bool, Diagnostic> {
        let Self { joint, .. } = self;
        // A separator with keys on one side only parts none.
        let list: Vec<Sides> = separators
            .list()
            .iter()
            .map(|separator| self.sides(separator))
            .filter(|sides| sides.sides.len() >= 2)
            .collect();
        for sides in list.iter().take(effort.glanced_separators) {
            if open.cells.is_empty() {
                break;
            }
            Slices::on(joint, sides.agree, &sides.sides).glance(open, effort.glance);
        }
        let mut counted = 0;
        while counted < list.len() && open.cells.len() > effort.pair_test * (list.len() - counted) {
            weigh(counted, joint.len(), effort.comparisons)?;
            let sides = &list[counted];
            Slices::on(joint, sides.agree, &sides.sides).settle(sides, open, effort);
            counted += 1;
        }
        Ok(counted == list.len())
    }

    fn sides(self, separator: &Separator) -> Sides {
        let agree = separator.variables | self.agree;
        let mut sides: Vec<VarSet> =
            separator.components.iter().map(|side| (*side & self.keys) - agree).collect();
        sides.retain(|side| !side.is_empty());
        let tell_apart = self.graph.vertices().is_subset(&(agree | self.keys));
        Sides { agree, sides, tell_apart }
    }
}

/// A separator, and the keys on each side of it.
struct Sides {
    /// S, and what else partners agree on.
    agree: VarSet,
    /// The keys in each component that holds any, outside of this.
    sides: Vec<VarSet>,
    /// Do the keys tell any two cells apart that agree there?
    tell_apart: bool,
}

/// The number of comparisons of `times` cells or separators with all cells, if it is not
/// beyond the limit.
pub(super) fn weigh(times: usize, cells: usize, limit: u64) -> Result<u64, Diagnostic> {
    let comparisons = (times as u64).saturating_mul(cells as u64);
    if comparisons <= limit {
        return Ok(comparisons);
    }
    Err(Diagnostic::new(
        Code::TooManyComparisons,
        format!(
            "{} comparisons of records would be needed, at most {} are made",
            grouped(comparisons),
            grouped(limit)
        ),
        "list more separators, keep fewer tables, or let fewer variables take part",
    ))
}

/// The fewest cells that are worth another thread.
const AT_ONCE: usize = 1 << 10;

/// The cells whose answer is not yet known.
pub(super) struct Open {
    cells: Vec<u32>,
    swappable: Vec<bool>,
}

impl Open {
    pub(super) fn all(cells: usize) -> Self {
        let numbers = u32::try_from(cells).expect("there are fewer than 2^32 cells");
        Self { cells: (0..numbers).collect(), swappable: vec![false; cells] }
    }

    /// Some of the cells; the others have no partner.
    pub(super) fn among(wanted: &[bool]) -> Self {
        let mut open = Self::all(wanted.len());
        open.cells.retain(|&cell| wanted[cell as usize]);
        open
    }

    /// For each cell: was a partner found?
    pub(super) fn settled(self) -> Vec<bool> {
        self.swappable
    }

    pub(super) fn cells(&self) -> &[u32] {
        &self.cells
    }

    /// Closes the cells for which a partner is found, each looked at by itself, on all cores.
    pub(super) fn settle(&mut self, has_partner: impl Fn(usize) -> bool + Sync) {
        let cells = self.cells.par_iter().with_min_len(AT_ONCE);
        let found: Vec<bool> = cells.map(|&cell| has_partner(cell as usize)).collect();
        self.close(&found);
    }

    /// Closes those of the open cells for which a partner was found.
    pub(super) fn close(&mut self, found: &[bool]) {
        let swappable = &mut self.swappable;
        let mut found = found.iter();
        self.cells.retain(|&cell| {
            let found = *found.next().expect("every open cell was looked at");
            swappable[cell as usize] = found;
            !found
        });
    }
}

impl Slices<'_> {
    /// Is one of these cells of its slice a partner for the cell?
    fn partner_among(&self, cell: usize, others: &[u32]) -> bool {
        let cells = self.joint().cells();
        let own = cells.get(cell);
        others.iter().any(|&other| self.are_diagonal(own, cells.get(other as usize)))
    }

    fn glance(&self, open: &mut Open, glance: usize) {
        open.settle(|cell| {
            let slice = self.slice(self.slice_of(cell));
            self.partner_among(cell, &slice[..glance.min(slice.len())])
        });
    }

    /// Decides for every open cell whether this separator gives it a partner.
    fn settle(&self, sides: &Sides, open: &mut Open, effort: Effort) {
        let mut open_in = vec![0usize; self.len()];
        for &cell in &open.cells {
            open_in[self.slice_of(cell as usize)] += 1;
        }
        let walks = |slice: usize| open_in[slice] <= effort.walk * sides.sides.len();
        let counted = |slice: &usize| open_in[*slice] > 0 && !walks(*slice);
        let has_partner = self.count_slices((0..self.len()).filter(counted).collect(), sides);
        open.settle(|cell| {
            let slice = self.slice_of(cell);
            match walks(slice) {
                true => self.partner_among(cell, self.slice(slice)),
                false => has_partner[cell],
            }
        });
    }

    /// cnt_S(i) > 0 for every cell of these slices, by counting; no for all others.
    fn count_slices(&self, slices: Vec<usize>, sides: &Sides) -> Vec<bool> {
        let mut has_partner = vec![false; self.joint().len()];
        let counted: Vec<(usize, Vec<bool>)> = slices
            .into_par_iter()
            .map(|slice| {
                let counts = partner_counts(self.joint(), self.slice(slice), sides);
                (slice, counts.into_iter().map(|count| count > 0).collect())
            })
            .collect();
        for (slice, found) in counted {
            for (&member, found) in self.slice(slice).iter().zip(found) {
                has_partner[member as usize] = found;
            }
        }
        has_partner
    }
}

/// cnt_S^K(i) = n_S − Σ_c n_{S∪(K∖γc)} + (m−1)·n_{S∪K} for the members of one slice of S: how
/// many of its records differ from i in keys on two sides or more. The members agree on S, so
/// the keys alone tell them apart.
fn partner_counts(joint: &JointTable, members: &[u32], sides: &Sides) -> Vec<i64> {
    let count = |member: u32| i64::from(joint.counts()[member as usize]);
    let mut slice = PackedCells::with_room(joint.cells().layout().clone(), members.len());
    for &member in members {
        slice.push(joint.cells().get(member as usize));
    }
    let all: i64 = members.iter().map(|&member| count(member)).sum();
    let mut partners = vec![all; members.len()];
    let mut add = |agree: VarSet, times: i64| {
        let grouping = Grouping::of(&slice, agree);
        let mut sums = vec![0i64; grouping.groups()];
        for (&group, &member) in grouping.group_of().iter().zip(members) {
            sums[group as usize] += count(member);
        }
        for (partners, &group) in partners.iter_mut().zip(grouping.group_of()) {
            *partners += times * sums[group as usize];
        }
    };
    let keys = sides.sides.iter().fold(VarSet::EMPTY, |all, side| all | *side);
    for side in &sides.sides {
        add(keys - *side, -1);
    }
    let others = i64::try_from(sides.sides.len()).expect("there are few sides") - 1;
    if sides.tell_apart {
        for (partners, &member) in partners.iter_mut().zip(members) {
            *partners += others * count(member);
        }
    } else {
        add(keys, others);
    }
    partners
}

impl Search<'_> {
    /// The theorem for keys, which is Theorem 1 when all variables are keys, against every cell
    /// that agrees where it has to.
    fn pair_test(self, open: &mut Open) {
        let cells = self.joint.cells();
        let signer = Signer::of(cells.layout());
        let slices = Slices::on(self.joint, self.agree, &[]);
        let found: Vec<bool> = open
            .cells
            .par_iter()
            .map_init(
                || Remembered::new(&signer),
                |remembered, &cell| {
                    let own = cells.get(cell as usize);
                    slices.slice(slices.slice_of(cell as usize)).iter().any(|&other| {
                        let other = cells.get(other as usize);
                        remembered.can_part(self.graph, self.keys, own, other)
                    })
                },
            )
            .collect();
        open.close(&found);
    }
}

/// The last answers of the theorem, each in the one slot its set of differences falls into.
/// Few variables differ in few ways, so that most answers are found; with many variables
/// nearly every pair differs in a way of its own, and a slot is overwritten.
struct Remembered<'a> {
    signer: &'a Signer,
    signature: Vec<u64>,
    signatures: Vec<u64>,
    answers: Vec<bool>,
}

impl<'a> Remembered<'a> {
    const SLOT_BITS: u32 = 12;

    fn new(signer: &'a Signer) -> Self {
        let slots = 1 << Self::SLOT_BITS;
        // Two equal cells have the signature 0, and nothing to part: true of every slot.
        Self {
            signer,
            signature: vec![0; signer.words()],
            signatures: vec![0; slots * signer.words()],
            answers: vec![false; slots],
        }
    }

    fn can_part(&mut self, graph: &MarginGraph, keys: VarSet, left: &[u64], right: &[u64]) -> bool {
        let mut hash = 0u64;
        for (word, (&left, &right)) in left.iter().zip(right).enumerate() {
            let bits = self.signer.word(word, left, right);
            self.signature[word] = bits;
            hash = (hash.rotate_left(29) ^ bits).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        let slot = usize::try_from(hash >> (64 - Self::SLOT_BITS)).expect("a slot has few bits");
        let words = self.signature.len();
        let known = &mut self.signatures[slot * words..][..words];
        if *known != self.signature[..] {
            known.copy_from_slice(&self.signature);
            self.answers[slot] = can_part(graph, self.signer.variables(&self.signature), keys);
        }
        self.answers[slot]
    }
}

/// Nothing is glanced at or walked through: everything is counted.
#[cfg(test)]
pub(super) const NOTHING: Effort =
    Effort { glance: 0, glanced_separators: 0, walk: 0, pair_test: 0, ..EFFORT };

/// Every cell is compared with all others.
#[cfg(test)]
pub(super) const PAIRS_ALONE: Effort = Effort { pair_test: 1000, ..NOTHING };

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::minimal_separators;
    use crate::oracle::World;
    use crate::partner::Unpartable;
    use crate::partner::keys::screen_keys_with;
    use crate::random::{Random, Seed};

    use proptest::prelude::*;

    /// Each way of settling cells, made to do the whole work; and the separators cut short.
    const WAYS: [(Effort, usize); 5] = [
        (EFFORT, usize::MAX),
        (NOTHING, usize::MAX),
        (Effort { walk: 1000, ..NOTHING }, usize::MAX),
        (PAIRS_ALONE, usize::MAX),
        (Effort { glance: 1, glanced_separators: 1, ..NOTHING }, 1),
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn law_screening_by_definition(
            variables in 1usize..6,
            tables in proptest::collection::vec(proptest::collection::btree_set(0usize..5, 1..4), 1..6),
            records in proptest::collection::vec(proptest::collection::vec(0u32..3, 5), 1..14),
        ) {
            let delta = VarSet::first(variables);
            let tables: Vec<VarSet> = tables
                .into_iter()
                .map(|table| table.into_iter().collect::<VarSet>() & delta)
                .filter(|table| !table.is_empty())
                .collect();
            let world = World {
                levels: vec![3; variables],
                records: records.into_iter().map(|record| record[..variables].to_vec()).collect(),
            };
            let class = GeneratingClass::new(delta, tables.iter().copied());
            let joint = crate::table::Located::count(&world.packed());
            for (effort, limit) in WAYS {
                let separators = minimal_separators(&class.margin_graph(), limit);
                let screening = screen_with(&joint, &class, &separators, effort, |_| {}).unwrap();
                for record in 0..world.records.len() {
                    let cell = joint.cell_of(crate::encode::RecordId::at(record));
                    let partners = world.partners(record, &tables);
                    prop_assert_eq!(screening.is_swappable(cell), !partners.is_empty());
                    prop_assert!(!(screening.is_disclosed(cell) && screening.is_swappable(cell)));
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn law_key_screening_by_definition(
            variables in 1usize..6,
            tables in proptest::collection::vec(proptest::collection::btree_set(0usize..5, 1..4), 0..6),
            records in proptest::collection::vec(proptest::collection::vec(0u32..3, 5), 1..14),
            keys in proptest::collection::btree_set(0usize..5, 0..6),
        ) {
            let delta = VarSet::first(variables);
            let keys = keys.into_iter().collect::<VarSet>() & delta;
            let tables: Vec<VarSet> = tables
                .into_iter()
                .map(|table| table.into_iter().collect::<VarSet>() & delta)
                .filter(|table| !table.is_empty())
                .collect();
            let world = World {
                levels: vec![3; variables],
                records: records.into_iter().map(|record| record[..variables].to_vec()).collect(),
            };
            let class = GeneratingClass::new(delta, tables.iter().copied());
            let joint = crate::table::Located::count(&world.packed());
            let published = tables.iter().any(|table| keys.is_subset(table));
            for (effort, limit) in WAYS {
                let separators = minimal_separators(&class.margin_graph(), limit);
                let found =
                    screen_keys_with(&joint, &class, &separators, keys, effort, |_| {}).unwrap();
                for record in 0..world.records.len() {
                    let cell = joint.cell_of(crate::encode::RecordId::at(record));
                    let partners = world.parting_partners(record, &tables, keys);
                    prop_assert_eq!(found.is_partable(cell), !partners.is_empty());
                    match found.why_not(cell) {
                        None => prop_assert!(found.is_partable(cell) && !published),
                        Some(Unpartable::Published(table)) => {
                            prop_assert!(published && keys.is_subset(&table));
                            prop_assert!(class.margins().contains(&table));
                            let own = &world.records[record];
                            let same = |other: &&Vec<u32>| keys.iter().all(|key| own[key] == other[key]);
                            prop_assert_eq!(found.proved(cell), world.records.iter().filter(same).count() as u64);
                        }
                        Some(Unpartable::Proved(people)) => {
                            prop_assert!(!published && people == found.proved(cell) && people > 0);
                        }
                        Some(Unpartable::NoPartner) => {
                            prop_assert!(!published && found.proved(cell) == 0);
                        }
                    }
                }
            }
        }
    }

    /// A key combination that only the count finds: the cells in front differ from it in one
    /// key, or in no key at all.
    #[test]
    fn witness_keys_beyond_the_glance() {
        // Keys 0 and 1 in a graph without an edge; 2 is no key.
        let mut records: Vec<Vec<u32>> = (0..20).map(|code| vec![0, 0, code]).collect();
        records.extend((0..20).map(|code| vec![1, 0, code]));
        let class = GeneratingClass::new(VarSet::first(3), []);
        let separators = minimal_separators(&class.margin_graph(), usize::MAX);
        let keys = VarSet::from([0, 1]);
        let partable = |records: &Vec<Vec<u32>>| {
            let joint = JointTable::count(
                &World { levels: vec![2, 2, 20], records: records.clone() }.packed(),
            );
            assert!(screen(&joint, &class, &separators).unwrap().is_swappable(CellId::at(0)));
            let found =
                screen_keys_with(&joint, &class, &separators, keys, EFFORT, |_| {}).unwrap();
            (0..joint.len()).filter(|&cell| found.is_partable(CellId::at(cell))).count()
        };
        assert_eq!(partable(&records), 0);
        records.push(vec![1, 1, 0]);
        assert_eq!(partable(&records), 21, "the last one parts the keys of the first twenty");
    }

    /// A record that only the count finds: sixteen cells that differ from it on one side
    /// come before the one that differs on both.
    #[test]
    fn witness_beyond_the_glance() {
        let mut records: Vec<Vec<u32>> = (0..20).map(|code| vec![0, 0, code]).collect();
        records.push(vec![1, 0, 20]);
        let world = World { levels: vec![2, 1, 21], records };
        let class =
            GeneratingClass::new(VarSet::first(3), [VarSet::from([0, 1]), VarSet::from([1, 2])]);
        let separators = minimal_separators(&class.margin_graph(), usize::MAX);
        let joint = JointTable::count(&world.packed());
        let screening = screen(&joint, &class, &separators).unwrap();
        assert!((0..21).all(|cell| screening.is_swappable(CellId::at(cell))));
    }

    /// The work ahead is announced, and refused when it is too much; either way nothing hangs.
    #[test]
    fn too_many_comparisons_are_refused() {
        // Tied on a path, and frozen: every record differs from every other on both sides.
        let records: Vec<Vec<u32>> = (0..30).map(|code| vec![code, code, code]).collect();
        let world = World { levels: vec![30; 3], records };
        let class =
            GeneratingClass::new(VarSet::first(3), [VarSet::from([0, 1]), VarSet::from([1, 2])]);
        let joint = JointTable::count(&world.packed());
        let none = minimal_separators(&class.margin_graph(), 0);
        assert!(!none.is_complete());
        let mut told = Vec::new();
        let enough = Effort { comparisons: 900, ..NOTHING };
        let screening =
            screen_with(&joint, &class, &none, enough, |ahead| told.push(ahead)).unwrap();
        assert_eq!(told, [900]);
        assert!((0..30).all(|cell| !screening.is_swappable(CellId::at(cell))));
        let short = Effort { comparisons: 899, ..NOTHING };
        let error = screen_with(&joint, &class, &none, short, |_| {}).unwrap_err();
        assert_eq!(error.code, Code::TooManyComparisons);
        assert!(error.detail.contains("900 comparisons"), "{}", error.detail);
        // Counting through separators is weighed too.
        let all = minimal_separators(&class.margin_graph(), usize::MAX);
        let mut many = Effort { comparisons: 29, ..NOTHING };
        assert!(screen_with(&joint, &class, &all, many, |_| {}).is_ok(), "the first one is free");
        many.pair_test = 1000;
        assert!(screen_with(&joint, &class, &all, many, |_| {}).is_err());
    }

    /// The pair test takes over when there are `pair_test` open cells or fewer for each separator
    /// that is left.
    #[test]
    fn the_pair_test_takes_over_when_few_are_left() {
        // A path of five variables with three separators, and cells that agree nowhere.
        let tables = (0..4).map(|first| VarSet::from([first, first + 1]));
        let class = GeneratingClass::new(VarSet::first(5), tables);
        let separators = minimal_separators(&class.margin_graph(), usize::MAX);
        assert_eq!(separators.list().len(), 3);
        let compared = |cells: u32, pair_test: usize| {
            let records: Vec<Vec<u32>> = (0..cells).map(|code| vec![code; 5]).collect();
            let joint = JointTable::count(&World { levels: vec![10; 5], records }.packed());
            let mut told = Vec::new();
            let effort = Effort { pair_test, ..NOTHING };
            let screening =
                screen_with(&joint, &class, &separators, effort, |ahead| told.push(ahead)).unwrap();
            assert!((0..joint.len()).all(|cell| !screening.is_swappable(CellId::at(cell))));
            told
        };
        assert_eq!(compared(6, 2), [36], "two for each of three");
        assert_eq!(compared(7, 2), [], "seven are more, and stay more than for two and for one");
        assert_eq!(compared(1, 0), [], "without a pair test everything is counted");
    }

    /// A Latin square of 20 by 20: no two records differ in two parts of a triangle, no sum proves
    /// a record, and the file is too large to try all tables.
    #[test]
    fn witness_of_what_is_left_open() {
        let records = (0..400).map(|n| vec![n / 20, n % 20, (n / 20 + n % 20) % 20]).collect();
        let world = World { levels: vec![20; 3], records };
        let edges = [[0, 1], [1, 2], [0, 2]].map(VarSet::from);
        let class = GeneratingClass::new(VarSet::first(3), edges);
        let separators = minimal_separators(&class.margin_graph(), usize::MAX);
        let joint = JointTable::count(&world.packed());
        let screening = screen(&joint, &class, &separators).unwrap();
        let answer = |cell| (screening.is_swappable(cell), screening.is_disclosed(cell));
        assert!((0..400).all(|cell| answer(CellId::at(cell)) == (false, false)));
        assert!(!screening.disclosed_is_exact());
    }

    /// Every set of differences is asked about several times, in any order, with more sets than
    /// slots: cells of one word and of three.
    #[test]
    fn a_remembered_answer_is_the_theorems() {
        for (variables, levels, words) in [(16, 2, 1), (12, 1 << 16, 3)] {
            let path = (2..variables).map(|last| VarSet::from([last - 2, last]));
            let graph = GeneratingClass::new(VarSet::first(variables), path).margin_graph();
            let keys = VarSet::first(variables - 2);
            let codes = |set: VarSet| -> Vec<u32> {
                (0..variables).map(|variable| u32::from(set.contains(variable))).collect()
            };
            let sets: Vec<VarSet> = VarSet::first(variables).subsets().collect();
            let all: Vec<Vec<u32>> = sets.iter().map(|set| codes(*set)).collect();
            let cells = PackedCells::from_codes(&vec![levels; variables], &all);
            let none = sets.iter().position(VarSet::is_empty).unwrap();
            let answers: Vec<bool> = sets.iter().map(|set| can_part(&graph, *set, keys)).collect();
            let parted = answers.iter().filter(|answer| **answer).count();
            assert!(parted > sets.len() / 4 && parted < sets.len());
            let signer = Signer::of(cells.layout());
            let mut remembered = Remembered::new(&signer);
            assert_eq!(remembered.signature.len(), words);
            let random = &mut Random::new(Seed([3; 32]), 0);
            for _ in 0..200_000 {
                let asked = random.below(sets.len());
                let found = remembered.can_part(&graph, keys, cells.get(none), cells.get(asked));
                assert_eq!(found, answers[asked], "{:?}", sets[asked]);
            }
        }
    }
}
