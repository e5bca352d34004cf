//! Sums over every combination of keys that a model can make, without listing them.
//!
//! The fit criterion sums f(λ̂) over all cells, also the empty ones, and there may be more of
//! them than anybody can list. But f is harmless at both ends. Where λ̂ is small a polynomial
//! without its first terms replaces it, and power sums Σ λ̂ᵏ over the completions of a part of
//! a cell are messages along the tree of blocks. Where λ̂ is large, e^{−λ̂} leaves nothing. So a
//! walk through the tree opens only those parts of cells that can still be completed to a λ̂ in
//! between, and takes all others at once.
//!
//! | letter | meaning |
//! |---|---|
//! | λ̂ = N·p̂ | the fitted count of a cell in the population |
//! | top, low | the largest and smallest factor that completions of a part can bring |
//! | power k | Σ of the k-th powers of these factors |
//!
//! The walk is shared out among threads in pieces that the tree decides, and the sums of the
//! pieces are added in their order: the number of threads plays no part.
//!
//! Trap: the number of cells in between is at most N/[`SMALL`], which can still be too many.
//! Then the walk stops at a limit and there is no sum; nothing is left out silently.
//!
//! Way in: [`sum_over_all_cells`]. Slow twin: [`crate::oracle::World::all_cells`].

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::fitted::{FittedBlock, FittedModel};
use crate::table::{CellIndex, Grouping};

/// Up to this λ̂ a polynomial replaces the function.
const SMALL: f64 = 3.0;

/// Above this λ̂ the function counts as nothing: e^{−60} is 10^{−26}.
const LARGE: f64 = 60.0;

/// The polynomial goes from λ² to λ^(TERMS + 1).
pub const TERMS: usize = 16;

/// The number of pieces into which the walk is cut, roughly.
const PIECES: usize = 4096;

/// A function of λ̂ that begins with λ² and vanishes as e^{−λ}.
pub trait Smooth: Sync {
    /// How many numbers it gives at once.
    const WIDTH: usize;
    /// Adds the values at λ̂.
    fn add(&self, lambda: f64, sums: &mut [f64]);
    /// The coefficients of λ², λ³, … for each of the numbers, for λ̂ from 0 to [`SMALL`].
    fn polynomials(&self) -> Vec<[f64; TERMS]>;
}

/// The sums over all cells and how many parts of cells were opened; `None` when these are
/// more than `most`.
///
/// Law: `all-cells-are-summed`.
#[must_use]
pub fn sum_over_all_cells<F: Smooth>(
    model: &FittedModel,
    population: f64,
    function: &F,
    most: u64,
) -> Option<(Vec<f64>, u64)> {
    sum_in_pieces(model, population, function, most, PIECES)
}

/// The same, cut into about `pieces` pieces.
fn sum_in_pieces<F: Smooth>(
    model: &FittedModel,
    population: f64,
    function: &F,
    most: u64,
    pieces: usize,
) -> Option<(Vec<f64>, u64)> {
    let tree = Tree::new(model);
    let opened = AtomicU64::new(0);
    let mut walk = Walk::new(&tree, function, Limit { opened: &opened, most }, pieces);
    walk.choose(0, 0, population / model.records() as f64, None);
    walk.tell();
    let Sums { mut values, powers } = walk.sums;
    for (sum, coefficients) in values.iter_mut().zip(function.polynomials()) {
        for (power, coefficient) in powers.iter().zip(coefficients) {
            *sum += coefficient * power;
        }
    }
    let opened = opened.into_inner();
    (opened <= most).then_some((values, opened))
}

/// The coefficients of 1, λ, λ², … in a polynomial of `terms` terms, at most [`TERMS`], that is
/// near e^{rate·λ} for λ from 0 to [`SMALL`]: the sum of its first Chebyshev polynomials. For
/// rates from −2 to 0 and 14 terms or more it is off by less than 10⁻⁸.
///
/// Law: `polynomials-are-near-exponentials`.
pub fn exponential(rate: f64, terms: usize) -> [f64; TERMS] {
    const NODES: usize = 2 * TERMS;
    let angle = |node: usize| (node as f64 + 0.5) * std::f64::consts::PI / NODES as f64;
    let value = |node: usize| (rate * SMALL / 2.0 * (angle(node).cos() + 1.0)).exp();
    let mut sum = [0.0; TERMS];
    // The Chebyshev polynomials on the interval, one after the other: each is twice
    // x = 2λ/SMALL − 1 times the last one, less the one before it.
    let (mut last, mut this) = ([0.0; TERMS], [0.0; TERMS]);
    this[0] = 1.0;
    for number in 0..terms {
        let terms = (0..NODES).map(|node| value(node) * (number as f64 * angle(node)).cos());
        let share = terms.sum::<f64>() / NODES as f64 * if number == 0 { 1.0 } else { 2.0 };
        for (sum, this) in sum.iter_mut().zip(&this) {
            *sum += share * this;
        }
        let twice = if number == 0 { 1.0 } else { 2.0 };
        let mut next = [0.0; TERMS];
        for place in 0..TERMS {
            let below = if place > 0 { this[place - 1] } else { 0.0 };
            next[place] = twice * (2.0 / SMALL * below - this[place]) - last[place];
        }
        (last, this) = (this, next);
    }
    sum
}

/// A cell of a block, with what its children can bring.
struct Entry {
    /// m_B / n_S; for the first block m_B itself.
    factor: f64,
    top: f64,
    low: f64,
    /// Where its children's separator cells begin in the node's list.
    children: usize,
}

/// A block made ready: its cells by separator cell, those that can bring most first.
struct Node {
    children: Vec<usize>,
    starts: Vec<usize>,
    entries: Vec<Entry>,
    child_cells: Vec<u32>,
    /// For each entry the power sums of it and all after it in its slice.
    powers: Vec<[f64; TERMS]>,
    tops: Vec<f64>,
    lows: Vec<f64>,
}

impl Node {
    /// How many entries of a slice must be opened: those that can be completed to more than
    /// [`SMALL`].
    fn cut(&self, separator: usize, factor: f64, rest: f64) -> usize {
        let slice = &self.entries[self.starts[separator]..self.starts[separator + 1]];
        slice.partition_point(|entry| factor * entry.top * rest > SMALL)
    }

    /// The power sums of a slice after its first entries.
    #[inline]
    fn rest(&self, separator: usize, first: usize) -> [f64; TERMS] {
        let place = self.starts[separator] + first;
        if place < self.starts[separator + 1] { self.powers[place] } else { [0.0; TERMS] }
    }
}

struct Tree {
    nodes: Vec<Node>,
}

impl Tree {
    fn new(model: &FittedModel) -> Self {
        let blocks = &model.blocks;
        let mut nodes: Vec<Option<Node>> = blocks.iter().map(|_| None).collect();
        // Children come after their parents.
        for place in (0..blocks.len()).rev() {
            let children: Vec<usize> = (place + 1..blocks.len())
                .filter(|&child| blocks[child].block.parent == Some(place))
                .collect();
            let node = node(place, blocks, children, &nodes);
            nodes[place] = Some(node);
        }
        let nodes = nodes.into_iter().map(|node| node.expect("every block was made ready"));
        Self { nodes: nodes.collect() }
    }
}

fn node(
    place: usize,
    blocks: &[FittedBlock],
    children: Vec<usize>,
    nodes: &[Option<Node>],
) -> Node {
    let block = &blocks[place];
    let ready = |child: usize| nodes[child].as_ref().expect("children are ready first");
    let (members, starts) = Grouping::of(&block.cells, block.block.separator).sorted();
    // n_S: the fitted counts of a block add up to the observed ones of its separator.
    let wholes: Vec<f64> = match place {
        0 => vec![1.0],
        _ => starts
            .windows(2)
            .map(|slice| {
                members[slice[0]..slice[1]].iter().map(|&cell| block.fitted[cell as usize]).sum()
            })
            .collect(),
    };
    let found: Vec<CellIndex> = children
        .iter()
        .map(|&child| {
            let cells = &blocks[child].cells;
            CellIndex::new(cells, blocks[child].block.separator, vec![1; cells.len()])
        })
        .collect();
    let mut node = Node {
        children,
        starts: vec![0],
        entries: Vec::with_capacity(members.len()),
        child_cells: Vec::with_capacity(members.len() * found.len()),
        powers: Vec::new(),
        tops: Vec::with_capacity(wholes.len()),
        lows: Vec::with_capacity(wholes.len()),
    };
    for (separator, slice) in starts.windows(2).enumerate() {
        let begin = node.entries.len();
        for &cell in &members[slice[0]..slice[1]] {
            let fitted = block.fitted[cell as usize];
            if fitted <= 0.0 {
                continue;
            }
            let mut entry = Entry {
                factor: fitted / wholes[separator],
                top: 1.0,
                low: 1.0,
                children: node.child_cells.len(),
            };
            for (&child, found) in node.children.iter().zip(&found) {
                let own = found
                    .find(block.cells.get(cell as usize))
                    .expect("a separator's cell has completions on both sides");
                node.child_cells.push(own);
                entry.top *= ready(child).tops[own as usize];
                entry.low *= ready(child).lows[own as usize];
            }
            entry.top *= entry.factor;
            entry.low *= entry.factor;
            node.entries.push(entry);
        }
        let entries = &mut node.entries[begin..];
        entries.sort_by(|left, right| right.top.total_cmp(&left.top));
        node.tops.push(entries.first().map_or(0.0, |entry| entry.top));
        node.lows.push(entries.iter().map(|entry| entry.low).fold(f64::INFINITY, f64::min));
        node.starts.push(node.entries.len());
    }
    node.powers = vec![[0.0; TERMS]; node.entries.len()];
    for slice in node.starts.windows(2) {
        let mut sums = [0.0; TERMS];
        for place in (slice[0]..slice[1]).rev() {
            let entry = &node.entries[place];
            let mut own = powers(entry.factor);
            for (number, &child) in node.children.iter().enumerate() {
                let cell = node.child_cells[entry.children + number] as usize;
                let below = ready(child).rest(cell, 0);
                for (own, below) in own.iter_mut().zip(below) {
                    *own *= below;
                }
            }
            for (sum, own) in sums.iter_mut().zip(own) {
                *sum += own;
            }
            node.powers[place] = sums;
        }
    }
    node
}

/// The second and higher powers of a number.
fn powers(number: f64) -> [f64; TERMS] {
    let square = number * number;
    let fourth = square * square;
    let mut powers = [0.0; TERMS];
    powers[..4].copy_from_slice(&[square, square * number, fourth, fourth * number]);
    for place in 4..TERMS {
        powers[place] = powers[place - 4] * fourth;
    }
    powers
}

/// A block that is still to be chosen from after others, and what it and those below it can
/// bring.
struct Pending<'p> {
    node: usize,
    separator: usize,
    top: f64,
    low: f64,
    powers: [f64; TERMS],
    below: Option<&'p Pending<'p>>,
}

impl<'p> Pending<'p> {
    fn new(tree: &Tree, node: usize, separator: usize, below: Option<&'p Self>) -> Self {
        let own = &tree.nodes[node];
        let mut pending = Self {
            node,
            separator,
            top: own.tops[separator],
            low: own.lows[separator],
            powers: own.rest(separator, 0),
            below,
        };
        if let Some(below) = below {
            pending.top *= below.top;
            pending.low *= below.low;
            for (own, below) in pending.powers.iter_mut().zip(&below.powers) {
                *own *= below;
            }
        }
        pending
    }
}

/// How many parts were opened by all walks, and how many may be.
#[derive(Clone, Copy)]
struct Limit<'a> {
    opened: &'a AtomicU64,
    most: u64,
}

/// What a walk has met: the values where they were opened, Σ λ̂ᵏ of all others.
struct Sums {
    values: Vec<f64>,
    powers: [f64; TERMS],
}

struct Walk<'a, F> {
    tree: &'a Tree,
    function: &'a F,
    limit: Limit<'a>,
    /// Into how many pieces it may still be cut.
    pieces: usize,
    sums: Sums,
    opened: u64,
    stopped: bool,
}

/// The number of parts after which a walk tells the others how far it is.
const OFTEN: u64 = 1 << 14;

impl<'a, F: Smooth> Walk<'a, F> {
    fn new(tree: &'a Tree, function: &'a F, limit: Limit<'a>, pieces: usize) -> Self {
        let sums = Sums { values: vec![0.0; F::WIDTH], powers: [0.0; TERMS] };
        Self { tree, function, limit, pieces, sums, opened: 0, stopped: false }
    }

    /// Adds what was opened here to what was opened everywhere, and stops beyond the limit.
    fn tell(&mut self) {
        let all = self.limit.opened.fetch_add(self.opened, Ordering::Relaxed) + self.opened;
        self.opened = 0;
        self.stopped |= all > self.limit.most;
    }

    /// Goes through the cells of a block that a part of a cell leaves to choose from.
    fn choose(&mut self, node: usize, separator: usize, factor: f64, below: Option<&Pending<'_>>) {
        if self.opened > OFTEN {
            self.tell();
        }
        let own = &self.tree.nodes[node];
        let (top, low) = below.map_or((1.0, 1.0), |below| (below.top, below.low));
        if factor * own.lows[separator] * low >= LARGE || self.stopped {
            return;
        }
        let cut = own.cut(separator, factor, top);
        self.opened += cut as u64;
        let start = own.starts[separator];
        if own.children.is_empty() && below.is_none() {
            for entry in &own.entries[start..start + cut] {
                self.function.add(factor * entry.factor, &mut self.sums.values);
            }
        } else if self.pieces > 1 && cut > 1 {
            self.share(node, start, cut, factor, below);
        } else {
            for entry in start..start + cut {
                self.open(node, entry, factor, below);
            }
        }
        let mut rest = powers(factor);
        for (power, own) in rest.iter_mut().zip(own.rest(separator, cut)) {
            *power *= own;
        }
        if let Some(below) = below {
            for (power, below) in rest.iter_mut().zip(&below.powers) {
                *power *= below;
            }
        }
        for (sum, power) in self.sums.powers.iter_mut().zip(rest) {
            *sum += power;
        }
    }

    /// Opens entries of a node on all threads, in pieces that follow from their number alone.
    fn share(
        &mut self,
        node: usize,
        start: usize,
        cut: usize,
        factor: f64,
        below: Option<&Pending<'_>>,
    ) {
        self.tell();
        let size = cut.div_ceil(self.pieces);
        let pieces = cut.div_ceil(size);
        let sums: Vec<Sums> = (0..pieces)
            .into_par_iter()
            .map(|piece| {
                let left = self.pieces / pieces;
                let mut walk = Walk::new(self.tree, self.function, self.limit, left);
                walk.tell();
                for entry in piece * size..cut.min((piece + 1) * size) {
                    walk.open(node, start + entry, factor, below);
                }
                walk.tell();
                walk.sums
            })
            .collect();
        for part in sums {
            for (sum, part) in self.sums.values.iter_mut().zip(part.values) {
                *sum += part;
            }
            for (sum, part) in self.sums.powers.iter_mut().zip(part.powers) {
                *sum += part;
            }
        }
    }

    /// Chooses an entry of a node, and goes on with its children and what is pending.
    fn open(&mut self, node: usize, entry: usize, factor: f64, below: Option<&Pending<'_>>) {
        let own = &self.tree.nodes[node];
        let entry = &own.entries[entry];
        let cells = &own.child_cells[entry.children..][..own.children.len()];
        self.go_on(&own.children, cells, factor * entry.factor, below);
    }

    /// Lets all but the last of some blocks wait, and chooses from that one; without any, from
    /// the one that has waited least.
    fn go_on(&mut self, nodes: &[usize], cells: &[u32], factor: f64, below: Option<&Pending<'_>>) {
        match (nodes, cells, below) {
            ([node], [cell], _) => self.choose(*node, *cell as usize, factor, below),
            ([node, nodes @ ..], [cell, cells @ ..], _) => {
                let pending = Pending::new(self.tree, *node, *cell as usize, below);
                self.go_on(nodes, cells, factor, Some(&pending));
            }
            (_, _, Some(next)) => self.choose(next.node, next.separator, factor, next.below),
            (_, _, None) => self.function.add(factor, &mut self.sums.values),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::PackedCells;
    use crate::graph::GeneratingClass;
    use crate::oracle::World;
    use crate::risk::KeyTable;
    use crate::varset::VarSet;
    use proptest::prelude::*;

    /// λ²e^{−λ}.
    struct Square;

    impl Smooth for Square {
        const WIDTH: usize = 1;

        fn add(&self, lambda: f64, sums: &mut [f64]) {
            sums[0] += lambda * lambda * (-lambda).exp();
        }

        fn polynomials(&self) -> Vec<[f64; TERMS]> {
            vec![exponential(-1.0, TERMS)]
        }
    }

    /// p̂ of any cell, from the blocks' tables: Π m_B/n_S.
    fn probability(model: &FittedModel, world: &World, codes: &[u32]) -> f64 {
        let cell = PackedCells::from_codes(&world.levels, &[codes]);
        let agree = |other: &[u64], set: VarSet| !cell.layout().mask(set).parts(cell.get(0), other);
        let share = |block: &FittedBlock| {
            let sum = |set: VarSet| -> f64 {
                let cells = block.cells.iter().zip(&block.fitted);
                cells.filter(|(other, _)| agree(other, set)).map(|(_, fitted)| fitted).sum()
            };
            let whole = sum(block.block.separator);
            if whole > 0.0 { sum(block.block.variables) / whole } else { 0.0 }
        };
        model.blocks.iter().map(share).product()
    }

    #[test]
    fn law_polynomials_are_near_exponentials() {
        for rate in [-2.0, -1.0, -0.5, 0.0] {
            for terms in TERMS - 2..=TERMS {
                let coefficients = exponential(rate, terms);
                assert!(coefficients[terms..].iter().all(|&none| none == 0.0));
                for step in 0..=1000 {
                    let lambda = SMALL * f64::from(step) / 1000.0;
                    let value = coefficients.iter().rev().fold(0.0, |sum, own| sum * lambda + own);
                    let off = value - (rate * lambda).exp();
                    assert!(off.abs() < 1e-8, "{rate} {terms} {lambda} {off}");
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// A small population keeps every λ̂ in the polynomial, a large one makes some vanish.
        #[test]
        fn law_all_cells_are_summed(
            records in proptest::collection::vec(proptest::collection::vec(0u32..3, 5), 1..40),
            class in 0usize..6,
            log_population in 0.0f64..12.0,
        ) {
            let world = World { levels: vec![3; 5], records };
            let sets: [&[&[usize]]; 6] = [
                &[],
                &[&[0, 1], &[1, 2], &[2, 3], &[3, 4]],
                &[&[0, 1, 2], &[1, 2, 3], &[4]],
                &[&[0, 1], &[0, 2], &[0, 3], &[0, 4]],
                &[&[0, 1], &[1, 2], &[0, 2], &[2, 3]],
                &[&[0, 1, 2, 3, 4]],
            ];
            let tables: Vec<VarSet> =
                sets[class].iter().map(|set| set.iter().copied().collect()).collect();
            let class = GeneratingClass::new(VarSet::first(5), tables.iter().copied());
            let joint = crate::table::Located::count(&world.packed());
            let table = KeyTable::new(&joint, VarSet::first(5), &world.levels);
            let model = FittedModel::fit(&table, &class);
            let n = world.records.len() as f64;
            let population = n + log_population.exp();
            let direct: f64 = world
                .all_cells()
                .iter()
                .map(|codes| probability(&model, &world, codes) * population)
                .map(|lambda| lambda * lambda * (-lambda).exp())
                .sum();
            // On one thread alone, in pieces of several entries, in pieces of one.
            for pieces in [1, 2, 7, PIECES] {
                let sum = |most| sum_in_pieces(&model, population, &Square, most, pieces);
                let (sums, opened) = sum(u64::MAX).unwrap();
                let near = (sums[0] - direct).abs() <= 1e-7 * (1.0 + direct);
                prop_assert!(near, "{sums:?} {direct} {pieces}");
                prop_assert!(sum(opened).is_some());
                prop_assert!(opened == 0 || sum(opened - 1).is_none());
            }
        }
    }
}
