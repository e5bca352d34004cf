//! Graphs named by shape, and records made from a seed.
//!
//! The same numbers come out everywhere: the generator is SplitMix64, and a code is the
//! high part of a product, without floating point.

use marginswap_core::encode::Records;
use marginswap_core::graph::{GeneratingClass, MarginGraph};
use marginswap_core::varset::VarSet;

/// The path 0 – 1 – … – `count` − 1.
pub fn path(count: usize) -> Vec<(usize, usize)> {
    (1..count).map(|vertex| (vertex - 1, vertex)).collect()
}

/// The cycle through `count` vertices.
pub fn cycle(count: usize) -> Vec<(usize, usize)> {
    let mut edges = path(count);
    edges.push((0, count - 1));
    edges
}

/// The grid of `rows` rows and `columns` columns; its vertices are numbered row by row.
pub fn grid(rows: usize, columns: usize) -> Vec<(usize, usize)> {
    let place = |row: usize, column: usize| row * columns + column;
    let mut edges = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            if column + 1 < columns {
                edges.push((place(row, column), place(row, column + 1)));
            }
            if row + 1 < rows {
                edges.push((place(row, column), place(row + 1, column)));
            }
        }
    }
    edges
}

/// All pairs of `count` vertices but these.
pub fn all_pairs_but(count: usize, missing: &[(usize, usize)]) -> Vec<(usize, usize)> {
    (0..count)
        .flat_map(|left| (left + 1..count).map(move |right| (left, right)))
        .filter(|pair| !missing.contains(pair))
        .collect()
}

/// The graph of these edges.
pub fn graph(variables: usize, edges: &[(usize, usize)]) -> MarginGraph {
    MarginGraph::from_edges(variables, edges)
}

/// The class of the two-way tables that are the edges of a graph.
pub fn two_way(variables: usize, edges: &[(usize, usize)]) -> GeneratingClass {
    let tables = edges.iter().map(|&(left, right)| VarSet::from([left, right]));
    GeneratingClass::new(VarSet::first(variables), tables)
}

/// The class of the two tables that hold all variables but the first, and all but the
/// second: records swap only with records that agree on all the others.
pub fn two_cliques(variables: usize) -> GeneratingClass {
    let all = VarSet::first(variables);
    GeneratingClass::new(all, [all - VarSet::single(0), all - VarSet::single(1)])
}

/// Records whose variables are drawn independently, each code of a variable alike.
pub fn uniform(levels: &[usize], count: usize) -> Records {
    let mut random = SplitMix(1);
    from_codes(levels, count, |_, variable| random.below(levels[variable]))
}

/// Records of which each two differ in every variable.
pub fn all_different(variables: usize, count: usize) -> Records {
    from_codes(&vec![count; variables], count, |record, _| code(record))
}

/// Records of which each two differ in every variable outside `coins`; on `coins` each has
/// one of two codes.
pub fn all_different_but(variables: usize, coins: VarSet, count: usize) -> Records {
    let mut random = SplitMix(1);
    let levels = |variable| if coins.contains(variable) { 2 } else { count };
    let levels: Vec<usize> = (0..variables).map(levels).collect();
    from_codes(&levels, count, |record, variable| {
        if coins.contains(variable) { random.below(2) } else { code(record) }
    })
}

fn from_codes(
    levels: &[usize],
    count: usize,
    mut code: impl FnMut(usize, usize) -> u32,
) -> Records {
    let mut codes = Vec::with_capacity(count * levels.len());
    for record in 0..count {
        codes.extend((0..levels.len()).map(|variable| code(record, variable)));
    }
    let records: Vec<&[u32]> = codes.chunks(levels.len()).collect();
    Records::from_codes(levels, &records)
}

fn code(number: usize) -> u32 {
    u32::try_from(number).expect("a synthetic file has few records")
}

struct SplitMix(u64);

impl SplitMix {
    fn below(&mut self, bound: usize) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        let scaled = (u128::from(mixed) * bound as u128) >> 64;
        u32::try_from(scaled).expect("a variable has few levels")
    }
}
