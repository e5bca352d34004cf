//! A hierarchical model taken apart where the maximum likelihood estimate factors.
//!
//! Where a minimal separator S of the margin graph lies inside a generator, the fitted
//! probability is that of the two sides, divided by the observed share of S. Taken apart as
//! far as possible, a model is a tree of blocks. A block with one generator has the closed form
//! n_D / n; only the others need iterative fitting. For a decomposable model every block is a
//! clique and the tree is the junction tree.
//!
//! Way in: [`blocks`]. Reference: Lauritzen (1996), chapter 4.

use crate::graph::{GeneratingClass, junction_tree, minimal_separators};
use crate::varset::VarSet;

/// One factor of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Its variables.
    pub variables: VarSet,
    /// The generators inside it; one when it has the closed form.
    pub generators: Vec<VarSet>,
    /// The block nearer to the first one, by position; it comes before this one.
    pub parent: Option<usize>,
    /// What it shares with that block; empty for the first one and between pieces.
    pub separator: VarSet,
}

/// The largest number of minimal separators that are looked at; beyond it blocks are larger than
/// they need be.
const MOST_SEPARATORS: usize = 10_000;

/// The blocks of a model, each after its parent.
///
/// Law: `blocks-join-to-the-model`.
#[must_use]
pub fn blocks(class: &GeneratingClass) -> Vec<Block> {
    if class.is_decomposable() {
        let tree = junction_tree(&class.margin_graph()).expect("a decomposable class is chordal");
        let mut blocks: Vec<Block> = tree
            .cliques()
            .iter()
            .map(|&clique| Block {
                variables: clique,
                generators: vec![clique],
                parent: None,
                separator: VarSet::EMPTY,
            })
            .collect();
        for edge in tree.edges() {
            blocks[edge.child].parent = Some(edge.parent);
            blocks[edge.child].separator = edge.separator;
        }
        return blocks;
    }
    let mut pieces: Vec<(VarSet, Vec<VarSet>)> = Vec::new();
    let mut edges: Vec<(usize, usize, VarSet)> = Vec::new();
    let mut generators = class.margins().to_vec();
    generators.extend(class.uncovered().iter().map(VarSet::single));
    part(class.delta(), generators, &mut pieces, &mut edges);
    rooted(&pieces, &edges)
}

/// Takes a piece apart, adds what it falls into and how that hangs together.
fn part(
    variables: VarSet,
    generators: Vec<VarSet>,
    pieces: &mut Vec<(VarSet, Vec<VarSet>)>,
    edges: &mut Vec<(usize, usize, VarSet)>,
) {
    let class = GeneratingClass::new(variables, generators);
    let inside = |set: VarSet| class.margins().iter().any(|margin| set.is_subset(margin));
    let separators = minimal_separators(&class.margin_graph(), MOST_SEPARATORS);
    let cut = separators
        .list()
        .iter()
        .find(|separator| separator.variables.is_empty() || inside(separator.variables));
    let Some(cut) = cut else {
        pieces.push((variables, class.margins().to_vec()));
        return;
    };
    let separator = cut.variables;
    let one = cut.components[0] | separator;
    let sides = [one, (variables - one) | separator];
    let mut holders = Vec::new();
    for side in sides {
        let before = pieces.len();
        let own = class.margins().iter().copied().filter(|margin| margin.is_subset(&side));
        let kept = (!separator.is_empty()).then_some(separator);
        part(side, own.chain(kept).collect(), pieces, edges);
        let holder = (before..pieces.len())
            .find(|&piece| separator.is_subset(&pieces[piece].0))
            .expect("a generator lies in one piece");
        holders.push(holder);
    }
    edges.push((holders[0], holders[1], separator));
}

/// The pieces as a tree from the first one on.
fn rooted(pieces: &[(VarSet, Vec<VarSet>)], edges: &[(usize, usize, VarSet)]) -> Vec<Block> {
    let mut place = vec![None; pieces.len()];
    let mut blocks = vec![block(&pieces[0], None, VarSet::EMPTY)];
    place[0] = Some(0);
    let mut queue = vec![0];
    let mut next = 0;
    while let Some(&piece) = queue.get(next) {
        next += 1;
        for &(left, right, separator) in edges {
            let other = match (left == piece, right == piece) {
                (true, _) => right,
                (_, true) => left,
                _ => continue,
            };
            if place[other].is_none() {
                place[other] = Some(blocks.len());
                blocks.push(block(&pieces[other], place[piece], separator));
                queue.push(other);
            }
        }
    }
    assert_eq!(blocks.len(), pieces.len(), "the pieces hang together");
    blocks
}

fn block(piece: &(VarSet, Vec<VarSet>), parent: Option<usize>, separator: VarSet) -> Block {
    Block { variables: piece.0, generators: piece.1.clone(), parent, separator }
}
