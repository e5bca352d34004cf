//! The cells of one piece of Δ, ready to be searched.
//!
//! A piece is searched as a file of its own: its distinct cells (the variables outside are
//! blank), an index of them, and the margins to keep. Sets of its variables are numbers of
//! 64 bits here, one bit for each variable that has two values or more.

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

use super::blocks::Blocks;
use super::boxes::BoxLists;
use super::linked::Links;
use crate::encode::{Bits, PackedCells};
use crate::graph::{GeneratingClass, MarginGraph};
use crate::table::{CellId, CellIndex, Grouping, JointTable};
use crate::varset::VarSet;

/// The most variables with two values or more that may take part in larger moves.
pub const MOST_TIED: usize = Bits::MOST;

/// There are more variables than larger moves are looked for in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManyTied {
    /// How many there are.
    pub variables: usize,
}

impl fmt::Display for TooManyTied {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} variables take part; swaps of more than two records are looked for among at most {MOST_TIED}",
            self.variables
        )
    }
}

impl std::error::Error for TooManyTied {}

/// One piece of Δ with its cells.
pub(super) struct Space<'a> {
    pub(super) class: GeneratingClass,
    pub(super) graph: MarginGraph,
    pub(super) cells: Cow<'a, PackedCells>,
    pub(super) index: CellIndex,
    /// The cells of the file for each cell here; `None` when they are the same.
    members: Option<Members>,
    /// Every t variables lie in a common margin: no move has fewer than 2^t records.
    pub(super) strength: usize,
    pub(super) bits: Bits,
    /// The margins as bits.
    pub(super) margins: Vec<u64>,
    pub(super) boxes: BoxLists,
    pub(super) blocks: Blocks,
    links: OnceLock<Option<Links>>,
}

struct Members {
    /// The cell here of each cell of the file.
    of_file: Vec<u32>,
    list: Vec<u32>,
    starts: Vec<usize>,
}

impl<'a> Space<'a> {
    pub(super) fn new(
        joint: &'a JointTable,
        whole: VarSet,
        class: GeneratingClass,
        weights: &[u64],
    ) -> Result<Self, TooManyTied> {
        let layout = joint.cells().layout();
        let bits =
            Bits::new(layout, class.delta()).map_err(|variables| TooManyTied { variables })?;
        let (cells, members) = if class.delta() == whole {
            (Cow::Borrowed(joint.cells()), None)
        } else {
            let grouping = Grouping::of(joint.cells(), class.delta());
            let (list, starts) = grouping.sorted();
            let mask = layout.mask(class.delta());
            let mut cells = PackedCells::new(layout.clone());
            let mut words = vec![0; layout.words()];
            for &start in &starts[..grouping.groups()] {
                let first = joint.cells().get(list[start] as usize);
                for ((word, first), mask) in words.iter_mut().zip(first).zip(mask.words()) {
                    *word = first & mask;
                }
                cells.push(&words);
            }
            let of_file = grouping.into_group_of();
            (Cow::Owned(cells), Some(Members { of_file, list, starts }))
        };
        let index = CellIndex::new(&cells, class.delta(), (0..cells.len()).map(|_| 1));
        let margins: Vec<u64> = class.margins().iter().map(|margin| bits.of(*margin)).collect();
        let boxes = BoxLists::new(bits.weights(weights), margins.clone());
        let graph = class.margin_graph();
        Ok(Self {
            strength: strength(&bits, &margins),
            graph,
            cells,
            index,
            members,
            bits,
            margins,
            boxes,
            blocks: Blocks::new(),
            links: OnceLock::new(),
            class,
        })
    }

    /// Are boxes, all of which are looked for, the only moves of this many records?
    ///
    /// Law: `smallest-moves-are-boxes`.
    pub(super) fn has_only_boxes(&self, records: usize) -> bool {
        records == 1 << self.strength
            && self.boxes.most_variables(self.strength + 1) == self.bits.len()
    }

    /// What linking boxes needs to know; `None` where cells are too large for it.
    pub(super) fn links(&self) -> Option<&Links> {
        self.links.get_or_init(|| Links::new(self)).as_ref()
    }

    /// Is this the whole of Δ?
    pub(super) fn is_whole(&self) -> bool {
        self.members.is_none()
    }

    /// The cell here of a cell of the file.
    pub(super) fn position(&self, cell: CellId) -> usize {
        self.members
            .as_ref()
            .map_or(cell.position(), |members| members.of_file[cell.position()] as usize)
    }

    /// The cells of the file for a cell here.
    pub(super) fn cells_of_file(&self, position: usize) -> impl Iterator<Item = CellId> + '_ {
        let (list, own) = match &self.members {
            Some(members) => {
                (&members.list[members.starts[position]..members.starts[position + 1]], None)
            }
            None => (&[][..], Some(CellId::at(position))),
        };
        list.iter().map(|&cell| CellId(cell)).chain(own)
    }
}

/// The largest t, up to 4, for which every t variables lie in a common margin.
fn strength(bits: &Bits, margins: &[u64]) -> usize {
    let all = bits.all();
    let held = |set: u64| margins.iter().any(|margin| set & !margin == 0);
    (1..=4usize)
        .take_while(|&size| size < bits.len() && subsets(all, size).all(held))
        .last()
        // Every single variable's own counts are kept.
        .unwrap_or(1)
}

/// Every subset of `size` members, by rising value (Gosper).
pub(super) fn subsets(of: u64, size: usize) -> impl Iterator<Item = u64> {
    let members: Vec<u64> = (0..64).map(|bit| 1u64 << bit).filter(|bit| of & bit != 0).collect();
    let count = members.len();
    let mut chosen: Option<Vec<usize>> = (size <= count).then(|| (0..size).collect());
    std::iter::from_fn(move || {
        let places = chosen.as_mut()?;
        let set = places.iter().fold(0, |set, &place| set | members[place]);
        match (0..size).rev().find(|&at| places[at] < count - size + at) {
            Some(at) => {
                places[at] += 1;
                for behind in at + 1..size {
                    places[behind] = places[behind - 1] + 1;
                }
            }
            None => chosen = None,
        }
        Some(set)
    })
}
