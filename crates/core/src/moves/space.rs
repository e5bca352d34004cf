//! The cells of one piece of Δ, ready to be searched.
//!
//! A piece is searched as a file of its own: its distinct cells (the variables outside are
//! blank), an index of them, and the margins to keep. Sets of its variables are numbers of
//! 64 bits here, one bit for each variable that has two values or more.

use std::borrow::Cow;
use std::fmt;

use super::boxes::BoxLists;
use crate::encode::{Layout, PackedCells, Signer};
use crate::graph::{GeneratingClass, MarginGraph};
use crate::table::{CellId, CellIndex, Grouping, JointTable};
use crate::varset::VarSet;

/// So many variables with two values or more may take part in larger moves.
pub const MOST_TIED: usize = 64;

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
    /// The cells of the file behind each cell here; `None` when they are the same.
    members: Option<Members>,
    /// Every t variables lie in a common margin: no move has fewer than 2^t records.
    pub(super) strength: usize,
    pub(super) bits: Bits,
    /// The margins as bits.
    pub(super) margins: Vec<u64>,
    pub(super) boxes: BoxLists,
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
        let bits = Bits::new(layout, class.delta())?;
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
            class,
        })
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

    /// The cells of the file behind a cell here.
    pub(super) fn behind(&self, position: usize) -> impl Iterator<Item = CellId> + '_ {
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

/// Every subset of so many members, by rising value (Gosper).
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

/// The variables of a piece that have two values or more, as bits.
pub(super) struct Bits {
    signer: Signer,
    /// The bit of each top bit of a signature, 64 entries a word.
    of_top: Vec<u8>,
    variables: Vec<usize>,
    /// Where each lies in a packed cell.
    fields: Vec<(usize, u64)>,
}

impl Bits {
    fn new(layout: &Layout, variables: VarSet) -> Result<Self, TooManyTied> {
        let mut bits = Self {
            signer: Signer::of(layout),
            of_top: vec![0; layout.words() * 64],
            variables: Vec::new(),
            fields: Vec::new(),
        };
        for variable in variables {
            let mask = layout.mask(VarSet::single(variable));
            let Some(word) = mask.words().iter().position(|&bits| bits != 0) else { continue };
            let top = 63 - mask.words()[word].leading_zeros() as usize;
            bits.of_top[word * 64 + top] =
                u8::try_from(bits.variables.len()).expect("there are at most 256 variables");
            bits.variables.push(variable);
            bits.fields.push((word, mask.words()[word]));
        }
        if bits.variables.len() > MOST_TIED {
            return Err(TooManyTied { variables: bits.variables.len() });
        }
        Ok(bits)
    }

    pub(super) fn len(&self) -> usize {
        self.variables.len()
    }

    /// All of them.
    pub(super) fn all(&self) -> u64 {
        if self.len() == 64 { u64::MAX } else { (1 << self.len()) - 1 }
    }

    fn weights(&self, weights: &[u64]) -> Vec<u64> {
        self.variables.iter().map(|&variable| weights[variable]).collect()
    }

    /// A set of variables as bits; others do not count.
    pub(super) fn of(&self, set: VarSet) -> u64 {
        (0..self.len())
            .filter(|&bit| set.contains(self.variables[bit]))
            .fold(0, |bits, bit| bits | 1 << bit)
    }

    /// Bits as a set of variables.
    pub(super) fn set(&self, bits: u64) -> VarSet {
        ones(bits).map(|bit| self.variables[bit]).collect()
    }

    /// In how many variables two cells of the piece differ.
    pub(super) fn distance(&self, left: &[u64], right: &[u64]) -> u32 {
        let words = left.iter().zip(right).enumerate();
        words.map(|(word, (&left, &right))| self.signer.word(word, left, right).count_ones()).sum()
    }

    /// The variables in which two cells of the piece differ.
    pub(super) fn differing(&self, left: &[u64], right: &[u64]) -> u64 {
        let mut bits = 0;
        for (word, (&left, &right)) in left.iter().zip(right).enumerate() {
            for top in ones(self.signer.word(word, left, right)) {
                bits |= 1 << self.of_top[word * 64 + top];
            }
        }
        bits
    }

    /// Puts the values that one cell has on some variables into another cell.
    pub(super) fn put(&self, bits: u64, from: &[u64], into: &mut [u64]) {
        for bit in ones(bits) {
            let (word, mask) = self.fields[bit];
            into[word] = (into[word] & !mask) | (from[word] & mask);
        }
    }

    /// Do two cells agree on some variables?
    pub(super) fn agree(&self, bits: u64, left: &[u64], right: &[u64]) -> bool {
        ones(bits).all(|bit| {
            let (word, mask) = self.fields[bit];
            (left[word] ^ right[word]) & mask == 0
        })
    }
}

/// The places of the ones of a number.
pub(super) fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (bits != 0).then(|| {
            let bit = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            bit
        })
    })
}
