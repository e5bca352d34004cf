//! How the lines of a file end: mostly alike, so runs of them are held.
//!
//! Way in: [`LineEnds`].

use std::ops::Range;

/// How a line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineEnd {
    Nothing,
    Lf,
    CrLf,
}

impl LineEnd {
    /// By the number of its bytes.
    pub(crate) fn of_length(length: usize) -> Self {
        match length {
            0 => Self::Nothing,
            1 => Self::Lf,
            _ => Self::CrLf,
        }
    }

    pub(crate) fn bytes(self) -> &'static [u8] {
        match self {
            Self::Nothing => b"",
            Self::Lf => b"\n",
            Self::CrLf => b"\r\n",
        }
    }
}

/// How all lines end: mostly alike, so runs of them.
#[derive(Debug, Default)]
pub(crate) struct LineEnds {
    /// Where each run ends, and how its lines do.
    runs: Vec<(usize, LineEnd)>,
}

impl LineEnds {
    fn len(&self) -> usize {
        self.runs.last().map_or(0, |(end, _)| *end)
    }

    /// Adds the next line's.
    pub(crate) fn push(&mut self, line_end: LineEnd) {
        self.push_many(line_end, 1);
    }

    fn push_many(&mut self, line_end: LineEnd, lines: usize) {
        let end = self.len() + lines;
        match self.runs.last_mut() {
            Some(last) if last.1 == line_end => last.0 = end,
            _ => self.runs.push((end, line_end)),
        }
    }

    /// Adds those of the lines that follow.
    pub(crate) fn append(&mut self, other: &Self) {
        for run in other.runs() {
            self.push_many(run.1, run.0.len());
        }
    }

    fn runs(&self) -> impl Iterator<Item = (Range<usize>, LineEnd)> {
        let starts = std::iter::once(0).chain(self.runs.iter().map(|(end, _)| *end));
        starts.zip(&self.runs).map(|(start, &(end, line_end))| (start..end, line_end))
    }

    /// The line ends from this place on.
    pub(crate) fn from(&self, place: usize) -> impl Iterator<Item = LineEnd> {
        let first = self.runs.partition_point(|(end, _)| *end <= place);
        let mut at = place;
        self.runs[first..].iter().flat_map(move |&(end, line_end)| {
            let lines = end - at;
            at = end;
            std::iter::repeat_n(line_end, lines)
        })
    }
}
