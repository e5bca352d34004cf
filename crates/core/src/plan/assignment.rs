//! The cheapest assignment of rows to columns, with its proof.
//!
//! By shortest augmenting paths (Jonker & Volgenant): every row without a column looks for the
//! nearest free one through rows that give theirs up. Rows whose own column costs nothing begin
//! with it, so that only the others cost work: O(k·n²) for k of them.
//!
//! The duals u, v prove the answer: u_r + v_c ≤ cost(r, c) everywhere, with equality where a
//! row has its column, so no other assignment is cheaper than Σu + Σv.
//!
//! Way in: [`assign`]. Slow twin: every permutation, in the tests, and `pathfinding`'s
//! Kuhn–Munkres.

/// A cost that is never paid where any other assignment exists.
pub const FORBIDDEN: i64 = 1 << 58;

/// Which column each row has, and why no assignment is cheaper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// The column of each row.
    pub column_of: Vec<usize>,
    /// u: what each row adds to the bound.
    pub rows: Vec<i64>,
    /// v: what each column adds to it.
    pub columns: Vec<i64>,
}

impl Assignment {
    /// What no assignment falls below: Σu + Σv.
    #[must_use]
    pub fn bound(&self) -> i64 {
        self.rows.iter().chain(&self.columns).sum()
    }

    /// Do the duals prove it for these costs?
    #[must_use]
    pub fn is_proved(&self, costs: &[i64]) -> bool {
        let n = self.rows.len();
        let below = |row: usize| {
            let of_row = &costs[row * n..(row + 1) * n];
            of_row.iter().zip(&self.columns).all(|(cost, column)| self.rows[row] + column <= *cost)
        };
        let total: i64 = (0..n).map(|row| costs[row * n + self.column_of[row]]).sum();
        (0..n).all(below) && total == self.bound()
    }
}

const NONE: usize = usize::MAX;

/// The cheapest assignment for these costs, row by row; none is below 0, and a row's own column
/// (of the same number) is never forbidden.
///
/// Law: `an-assignment-is-best`.
///
/// # Panics
/// When the costs are not as many as rows times columns.
#[must_use]
pub fn assign(costs: &[i64], n: usize) -> Assignment {
    assert_eq!(costs.len(), n * n, "a cost for every row and column");
    let mut found = Assignment { column_of: vec![NONE; n], rows: vec![0; n], columns: vec![0; n] };
    let mut row_of = vec![NONE; n];
    for row in (0..n).filter(|&row| costs[row * n + row] == 0) {
        found.column_of[row] = row;
        row_of[row] = row;
    }
    let mut search = Search { nearest: vec![0; n], from: vec![NONE; n], seen: vec![false; n] };
    for row in 0..n {
        if found.column_of[row] == NONE {
            search.augment(costs, row, &mut found, &mut row_of);
        }
    }
    found
}

struct Search {
    /// The shortest way to each column.
    nearest: Vec<i64>,
    /// The row from which it comes.
    from: Vec<usize>,
    seen: Vec<bool>,
}

impl Search {
    /// Gives one more row a column (Dijkstra on reduced costs).
    fn augment(
        &mut self,
        costs: &[i64],
        start: usize,
        found: &mut Assignment,
        row_of: &mut [usize],
    ) {
        let n = row_of.len();
        self.nearest.fill(i64::MAX);
        self.from.fill(start);
        self.seen.fill(false);
        let (mut row, mut way) = (start, 0);
        let end = loop {
            let of_row = &costs[row * n..(row + 1) * n];
            let mut next = (i64::MAX, NONE);
            for (column, cost) in of_row.iter().enumerate() {
                if self.seen[column] {
                    continue;
                }
                let reached = way + cost - found.rows[row] - found.columns[column];
                if reached < self.nearest[column] {
                    self.nearest[column] = reached;
                    self.from[column] = row;
                }
                if (self.nearest[column], column) < next {
                    next = (self.nearest[column], column);
                }
            }
            let column = next.1;
            way = next.0;
            self.seen[column] = true;
            if row_of[column] == NONE {
                break column;
            }
            row = row_of[column];
        };
        found.rows[start] += way;
        for column in (0..n).filter(|&column| self.seen[column] && column != end) {
            let shorter = way - self.nearest[column];
            found.columns[column] -= shorter;
            found.rows[row_of[column]] += shorter;
        }
        let mut column = end;
        loop {
            let row = self.from[column];
            row_of[column] = row;
            std::mem::swap(&mut found.column_of[row], &mut column);
            if row == start {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use pathfinding::prelude::{Matrix, kuhn_munkres_min};
    use proptest::prelude::*;

    /// The cheapest of all permutations.
    fn by_trying(costs: &[i64], n: usize, row: usize, used: u32) -> i64 {
        let free = (0..n).filter(|column| used >> column & 1 == 0);
        free.map(|column| {
            costs[row * n + column] + by_trying(costs, n, row + 1, used | 1 << column)
        })
        .min()
        .unwrap_or(0)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn law_an_assignment_is_best(
            n in 1usize..7,
            drawn in proptest::collection::vec(prop_oneof![0i64..3, 0i64..1000, Just(FORBIDDEN)], 36),
            own in proptest::collection::vec(0i64..5, 6),
        ) {
            let mut costs = drawn[..n * n].to_vec();
            for row in 0..n {
                costs[row * n + row] = own[row];
            }
            let found = assign(&costs, n);
            let mut columns = found.column_of.clone();
            columns.sort_unstable();
            prop_assert_eq!(columns, (0..n).collect::<Vec<_>>());
            prop_assert!(found.is_proved(&costs));
            prop_assert_eq!(found.bound(), by_trying(&costs, n, 0, 0));
            let matrix = Matrix::from_vec(n, n, costs).unwrap();
            prop_assert_eq!(found.bound(), kuhn_munkres_min(&matrix).0);
        }

        #[test]
        fn large_assignments_agree_with_another_library(
            n in 20usize..60,
            seed in any::<u64>(),
        ) {
            let mixed = |place: usize| (seed ^ place as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
            let costs: Vec<i64> = (0..n * n)
                .map(|place| if place % (n + 1) == 0 { 0 } else { mixed(place) as i64 % 50 })
                .enumerate()
                .map(|(place, cost)| cost + i64::from(place % (n + 1) == 0 && mixed(place) % 3 == 0) * 40)
                .collect();
            let found = assign(&costs, n);
            prop_assert!(found.is_proved(&costs));
            let matrix = Matrix::from_vec(n, n, costs).unwrap();
            prop_assert_eq!(found.bound(), kuhn_munkres_min(&matrix).0);
        }
    }

    #[test]
    fn a_wrong_proof_is_told() {
        let costs = [1, 0, 0, 1];
        let mut found = assign(&costs, 2);
        assert!(found.is_proved(&costs) && found.column_of == [1, 0]);
        found.rows[0] += 1;
        assert!(!found.is_proved(&costs));
        assert!(!assign(&[0, 0, 0, 0], 2).is_proved(&[1, 1, 1, 1]));
    }
}
