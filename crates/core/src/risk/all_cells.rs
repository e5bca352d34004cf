//! Sums over every combination of keys that a model can make, without listing them.
//!
//! The fit criterion sums f(λ̂) over all cells, also the empty ones, and there may be more of
//! them than anybody can list. But f is harmless at both ends. Where λ̂ is small it is a power
//! series without its first terms, and power sums Σ λ̂ᵏ over the completions of a part of a cell
//! are messages along the tree of blocks. Where λ̂ is large, e^{−λ̂} leaves nothing. So a walk
//! through the tree opens only those parts of cells that can still be completed to a λ̂ in
//! between, and takes all others at once.
//!
//! | letter | meaning |
//! |---|---|
//! | λ̂ = N·p̂ | the fitted count of a cell in the population |
//! | top, low | the largest and smallest factor that completions of a part can bring |
//! | power k | Σ of the k-th powers of these factors |
//!
//! Trap: the number of cells in between is at most N/[`SMALL`], which can still be too many.
//! Then the walk stops at a limit and there is no sum; nothing is left out silently.
//!
//! Way in: [`sum_over_all_cells`]. Slow twin: [`crate::oracle::World::all_cells`].

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::fitted::{FittedBlock, FittedModel};
use crate::table::{CellIndex, Grouping};

/// Below this λ̂ the series stands for the function.
pub const SMALL: f64 = 0.5;

/// Above this λ̂ the function counts as nothing: e^{−60} is 10^{−26}.
const LARGE: f64 = 60.0;

/// The series goes from λ² to λ^(TERMS + 1).
pub const TERMS: usize = 12;

/// A function of λ̂ that begins with λ², vanishes as e^{−λ}, and has this series.
pub trait Smooth: Sync {
    /// How many numbers it gives at once.
    const WIDTH: usize;
    /// Adds the values at λ̂.
    fn add(&self, lambda: f64, sums: &mut [f64]);
    /// The coefficients of λ², λ³, … for each of the numbers.
    fn series(&self) -> Vec<[f64; TERMS]>;
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
    let tree = Tree::new(model);
    let scale = population / model.records() as f64;
    let series = function.series();
    let opened = AtomicU64::new(0);
    let root = &tree.nodes[0];
    // The parts of the first block that are opened, in pieces of a fixed size.
    let cut = root.cut(0, scale, 1.0);
    opened.fetch_add(cut as u64, Ordering::Relaxed);
    let pieces: Vec<Option<Vec<f64>>> = (0..cut.div_ceil(PIECE))
        .into_par_iter()
        .map(|piece| {
            let mut walk = Walk {
                tree: &tree,
                function,
                series: &series,
                stack: Vec::new(),
                sums: vec![0.0; F::WIDTH],
                opened: 0,
                all_opened: &opened,
                most,
                stopped: false,
            };
            for entry in piece * PIECE..cut.min((piece + 1) * PIECE) {
                walk.open(0, entry, scale);
            }
            walk.tell();
            (!walk.stopped).then_some(walk.sums)
        })
        .collect();
    let mut sums = vec![0.0; F::WIDTH];
    for piece in pieces {
        for (sum, part) in sums.iter_mut().zip(piece?) {
            *sum += part;
        }
    }
    add_series(&series, scale, &root.rest(0, cut), &[1.0; TERMS], &mut sums);
    let opened = opened.into_inner();
    (opened <= most).then_some((sums, opened))
}

const PIECE: usize = 64;

/// A cell of a block, with what its children can bring.
struct Entry {
    /// m_B / n_S; for the first block m_B itself.
    factor: f64,
    top: f64,
    low: f64,
    /// Where its children's separator cells stand in the node's list.
    children: usize,
}

/// A block made ready: its cells by separator cell, those that can bring most first.
struct Node {
    children: Vec<usize>,
    starts: Vec<usize>,
    entries: Vec<Entry>,
    child_cells: Vec<u32>,
    /// For each entry the power sums of it and all behind it in its slice.
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

    /// The power sums of a slice behind its first entries.
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
        // Children stand behind their parents.
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
    let mut powers = [0.0; TERMS];
    let mut power = number;
    for place in &mut powers {
        power *= number;
        *place = power;
    }
    powers
}

fn add_series(
    series: &[[f64; TERMS]],
    factor: f64,
    one: &[f64; TERMS],
    other: &[f64; TERMS],
    sums: &mut [f64],
) {
    let factors = powers(factor);
    for (sum, coefficients) in sums.iter_mut().zip(series) {
        for term in 0..TERMS {
            *sum += coefficients[term] * factors[term] * one[term] * other[term];
        }
    }
}

/// A block that is still to be chosen from, and what it and those below it on the stack can
/// bring.
#[derive(Clone, Copy)]
struct Pending {
    node: usize,
    separator: usize,
    top: f64,
    low: f64,
    powers: [f64; TERMS],
}

struct Walk<'a, F> {
    tree: &'a Tree,
    function: &'a F,
    series: &'a [[f64; TERMS]],
    stack: Vec<Pending>,
    sums: Vec<f64>,
    opened: u64,
    all_opened: &'a AtomicU64,
    most: u64,
    stopped: bool,
}

/// The walks tell each other how far they are whenever they have opened so many parts.
const OFTEN: u64 = 1 << 14;

impl<F: Smooth> Walk<'_, F> {
    /// Adds what was opened here to what was opened everywhere, and stops beyond the limit.
    fn tell(&mut self) {
        let all = self.all_opened.fetch_add(self.opened, Ordering::Relaxed) + self.opened;
        self.opened = 0;
        self.stopped |= all > self.most;
    }

    /// Chooses an entry of a node, and goes on with its children and what is pending.
    fn open(&mut self, node: usize, entry: usize, factor: f64) {
        let tree = self.tree;
        let own = &tree.nodes[node];
        let entry = &own.entries[entry];
        let below = self.stack.len();
        for (number, &child) in own.children.iter().enumerate() {
            let separator = own.child_cells[entry.children + number] as usize;
            self.push(child, separator);
        }
        self.choose(factor * entry.factor);
        self.stack.truncate(below);
    }

    fn push(&mut self, node: usize, separator: usize) {
        let own = &self.tree.nodes[node];
        let mut pending = Pending {
            node,
            separator,
            top: own.tops[separator],
            low: own.lows[separator],
            powers: own.rest(separator, 0),
        };
        if let Some(below) = self.stack.last() {
            pending.top *= below.top;
            pending.low *= below.low;
            for (own, below) in pending.powers.iter_mut().zip(&below.powers) {
                *own *= below;
            }
        }
        self.stack.push(pending);
    }

    /// Goes through the cells of the pending block.
    fn choose(&mut self, factor: f64) {
        let Some(pending) = self.stack.pop() else {
            self.function.add(factor, &mut self.sums);
            return;
        };
        if self.opened > OFTEN {
            self.tell();
        }
        if factor * pending.low < LARGE && !self.stopped {
            let node = &self.tree.nodes[pending.node];
            let below = self.stack.last();
            let (top, powers) =
                below.map_or((1.0, [1.0; TERMS]), |below| (below.top, below.powers));
            let cut = node.cut(pending.separator, factor, top);
            self.opened += cut as u64;
            let start = node.starts[pending.separator];
            if node.children.is_empty() && self.stack.is_empty() {
                for entry in &node.entries[start..start + cut] {
                    self.function.add(factor * entry.factor, &mut self.sums);
                }
            } else {
                for entry in start..start + cut {
                    self.open(pending.node, entry, factor);
                }
            }
            let rest = node.rest(pending.separator, cut);
            add_series(self.series, factor, &rest, &powers, &mut self.sums);
        }
        self.stack.push(pending);
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

        fn series(&self) -> Vec<[f64; TERMS]> {
            let mut series = [1.0; TERMS];
            for power in 1..TERMS {
                series[power] = -series[power - 1] / power as f64;
            }
            vec![series]
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

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// A small population keeps every λ̂ in the series, a large one makes some vanish.
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
            let (sums, opened) =
                sum_over_all_cells(&model, population, &Square, u64::MAX).unwrap();
            let direct: f64 = world
                .all_cells()
                .iter()
                .map(|codes| probability(&model, &world, codes) * population)
                .map(|lambda| lambda * lambda * (-lambda).exp())
                .sum();
            prop_assert!((sums[0] - direct).abs() <= 1e-6 * (1.0 + direct), "{sums:?} {direct}");
            prop_assert!(opened == 0 || sum_over_all_cells(&model, population, &Square, 0).is_none());
        }
    }
}
