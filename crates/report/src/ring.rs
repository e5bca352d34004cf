//! Places for the vertices of a graph on an oval, so that horizontal labels never meet.
//!
//! The oval has a left and a right side. On each side the vertices are in rows at equal
//! distance and their labels point outward. Two labels of one side are in different rows,
//! labels of different sides have the oval between them, and no edge leaves the oval: so
//! nothing covers a label, for any names. Only square roots are taken, which
//! every platform rounds alike.
//!
//! The order around the oval keeps the components apart and, within each, lowers the
//! number of crossings by circular sifting \[BB04\]: M. Baur, U. Brandes, *Crossing
//! reduction in circular layouts*, WG 2004.
//!
//! Trap: three vertices on the flat part of the oval are almost in line, and a straight
//! edge between the outer two seems to end at the middle one. Such an edge is bent inward.

use marginswap_core::varset::VarSet;

/// The radius of a vertex, in pixels.
pub(crate) const NODE: f64 = 8.0;

/// The least distance between two rows: a line of text and some air.
const LEAST_ROW: f64 = 26.0;

/// A point; the middle of the oval is the origin and `y` grows downward.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Point {
    pub x: f64,
    pub y: f64,
}

/// Where the label of a vertex is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

/// The vertices on the oval.
pub(crate) struct Ring {
    /// For each vertex its place.
    pub places: Vec<Point>,
    /// For each vertex its side.
    pub sides: Vec<Side>,
    /// Half the height that the places span.
    pub half_height: f64,
    /// For each vertex its slot, and for each slot its vertex.
    slot_of: Vec<usize>,
    slots: Vec<Option<usize>>,
}

impl Ring {
    /// Places the vertices of the graph with these neighbours.
    pub(crate) fn new(neighbours: &[VarSet]) -> Self {
        let around = order_with_gaps(neighbours);
        let oval = Oval::new(around.len());
        let slots = turn(&around, neighbours, &oval);

        let mut ring = Self {
            places: vec![Point { x: 0.0, y: 0.0 }; neighbours.len()],
            sides: vec![Side::Right; neighbours.len()],
            half_height: oval.half_height,
            slot_of: vec![0; neighbours.len()],
            slots,
        };
        for (slot, vertex) in ring.slots.iter().enumerate() {
            if let Some(vertex) = *vertex {
                ring.places[vertex] = oval.places[slot];
                ring.sides[vertex] = oval.sides[slot];
                ring.slot_of[vertex] = slot;
            }
        }
        ring
    }

    /// The control point of the edge between two vertices: its middle when the straight
    /// line keeps clear of the other vertices, else a point nearer to the centre.
    pub(crate) fn bend(&self, from: usize, to: usize) -> Point {
        const BENDS: [f64; 8] = [0.0, 0.12, 0.24, 0.36, 0.48, 0.6, 0.75, 0.9];
        const STEPS: u32 = 48;
        let near: Vec<Point> = [from, to]
            .into_iter()
            .flat_map(|end| self.around(end))
            .filter(|&vertex| vertex != from && vertex != to)
            .map(|vertex| self.places[vertex])
            .collect();
        let (start, end) = (self.places[from], self.places[to]);
        let control = |bend: f64| Point {
            x: (start.x + end.x) / 2.0 * (1.0 - bend),
            y: (start.y + end.y) / 2.0 * (1.0 - bend),
        };
        let clearance = NODE + 5.0;
        let clear = |bend: &&f64| {
            (1..STEPS).all(|step| {
                let on_edge =
                    on_curve(start, control(**bend), end, f64::from(step) / f64::from(STEPS));
                near.iter().all(|&place| squared_distance(on_edge, place) > clearance * clearance)
            })
        };
        control(BENDS.iter().find(clear).copied().unwrap_or(0.9))
    }

    /// The vertices at most two slots away: on a convex oval no other comes near an edge.
    fn around(&self, vertex: usize) -> impl Iterator<Item = usize> {
        let count = self.slots.len();
        let slot = self.slot_of[vertex];
        [1, 2, 2 * count - 1, 2 * count - 2]
            .into_iter()
            .filter_map(move |step| self.slots[(slot + step) % count])
    }
}

/// The empty oval: a place and a side for each slot, clockwise from the top right.
struct Oval {
    places: Vec<Point>,
    sides: Vec<Side>,
    half_height: f64,
}

impl Oval {
    fn new(slots: usize) -> Self {
        let right = slots.div_ceil(2);
        let left = slots - right;
        let row = (400.0 / right.max(1) as f64).clamp(LEAST_ROW, 92.0);
        let half_height = right.saturating_sub(1) as f64 / 2.0 * row;
        // Half a row beyond the first and last vertex the oval closes.
        let tall = half_height + row / 2.0;
        let wide = tall.max(80.0);

        let place = |side: Side, count: usize, index: usize| {
            let y = (index as f64 - count.saturating_sub(1) as f64 / 2.0) * row;
            let x = wide * (1.0 - (y / tall) * (y / tall)).max(0.0).sqrt();
            Point { x: if side == Side::Right { x } else { -x }, y }
        };
        let downward = (0..right).map(|index| (Side::Right, place(Side::Right, right, index)));
        let upward = (0..left).rev().map(|index| (Side::Left, place(Side::Left, left, index)));
        let (sides, places) = downward.chain(upward).unzip();
        Self { places, sides, half_height }
    }
}

/// A point of the quadratic curve, `at` between 0 and 1.
pub(crate) fn on_curve(start: Point, control: Point, end: Point, at: f64) -> Point {
    let (a, b, c) = ((1.0 - at) * (1.0 - at), 2.0 * at * (1.0 - at), at * at);
    Point { x: a * start.x + b * control.x + c * end.x, y: a * start.y + b * control.y + c * end.y }
}

fn squared_distance(left: Point, right: Point) -> f64 {
    let (x, y) = (left.x - right.x, left.y - right.y);
    x * x + y * y
}

fn distance(left: Point, right: Point) -> f64 {
    squared_distance(left, right).sqrt()
}

/// The vertices in their order around the oval; `None` is a gap between two components.
/// The isolated vertices are together.
fn order_with_gaps(neighbours: &[VarSet]) -> Vec<Option<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut isolated: Vec<usize> = Vec::new();
    let mut seen = VarSet::EMPTY;
    for start in 0..neighbours.len() {
        if neighbours[start].is_empty() {
            isolated.push(start);
        } else if !seen.contains(start) {
            let component = depth_first(start, neighbours);
            seen |= component.iter().copied().collect();
            groups.push(sift(component, neighbours));
        }
    }
    if !isolated.is_empty() {
        groups.push(isolated);
    }
    let gaps = groups.len() > 1;
    let mut around = Vec::new();
    for group in groups {
        around.extend(group.into_iter().map(Some));
        if gaps {
            around.push(None);
        }
    }
    around
}

fn depth_first(start: usize, neighbours: &[VarSet]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut seen = VarSet::EMPTY;
    let mut stack = vec![start];
    while let Some(vertex) = stack.pop() {
        if seen.contains(vertex) {
            continue;
        }
        seen.insert(vertex);
        order.push(vertex);
        let unseen: Vec<usize> = (neighbours[vertex] - seen).iter().collect();
        stack.extend(unseen.into_iter().rev());
    }
    order
}

/// Circular sifting \[BB04\]: each vertex in turn travels once around and settles where
/// the crossings are fewest, until a whole round changes nothing.
fn sift(mut order: Vec<usize>, neighbours: &[VarSet]) -> Vec<usize> {
    const ROUNDS: usize = 8;
    let mut travellers = order.clone();
    travellers.sort_unstable();
    for _ in 0..ROUNDS {
        let mut changed = false;
        for &traveller in &travellers {
            let at = order.iter().position(|&vertex| vertex == traveller).unwrap_or(0);
            let others: Vec<usize> = order[at + 1..].iter().chain(&order[..at]).copied().collect();
            let (mut change, mut best, mut passed_at_best) = (0i64, 0i64, 0);
            for passed in 0..others.len() {
                change += change_by_passing(traveller, passed, &others, neighbours);
                if change < best {
                    (best, passed_at_best) = (change, passed + 1);
                }
            }
            if passed_at_best > 0 {
                order = others;
                order.insert(passed_at_best, traveller);
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    order
}

/// How the number of crossings changes when `traveller`, which is just before
/// `others[passed]` on the circle, steps over it.
///
/// With u before v, the chords u–x and v–y cross exactly when x comes before y on the way
/// on from v; after the step, exactly when y comes before x.
fn change_by_passing(
    traveller: usize,
    passed: usize,
    others: &[usize],
    neighbours: &[VarSet],
) -> i64 {
    let mine = neighbours[traveller];
    let theirs = neighbours[others[passed]];
    let (mut mine_so_far, mut theirs_so_far, mut change) = (0i64, 0i64, 0i64);
    for &vertex in others[passed + 1..].iter().chain(&others[..passed]) {
        let (is_mine, is_theirs) = (mine.contains(vertex), theirs.contains(vertex));
        if is_theirs {
            change -= mine_so_far;
        }
        if is_mine {
            change += theirs_so_far;
        }
        mine_so_far += i64::from(is_mine);
        theirs_so_far += i64::from(is_theirs);
    }
    change
}

/// Turns and mirrors the order so that the edges are longest, which opens the small cycles
/// that would be flat along one side; among equals, so that the first variable is near the
/// top left.
fn turn(around: &[Option<usize>], neighbours: &[VarSet], oval: &Oval) -> Vec<Option<usize>> {
    let count = around.len();
    let home = around.iter().position(|vertex| *vertex == Some(0)).unwrap_or(0);
    let mut starts: Vec<usize> = (0..count).collect();
    starts.sort_by(|&left, &right| {
        let key = |slot: usize| (oval.places[slot].y, oval.places[slot].x);
        let (left, right) = (key(left), key(right));
        left.0.total_cmp(&right.0).then(left.1.total_cmp(&right.1))
    });
    // A dense graph looks the same from all sides.
    let dense = neighbours.iter().map(VarSet::len).sum::<usize>() > 400;
    let mut best: Option<(f64, Vec<Option<usize>>)> = None;
    for start in starts {
        for mirrored in [true, false] {
            let mut slots = vec![None; count];
            for step in 0..count {
                let slot = if mirrored { start + count - step } else { start + step };
                slots[slot % count] = around[(home + step) % count];
            }
            let length = total_length(&slots, neighbours, oval);
            if best.as_ref().is_none_or(|(most, _)| length > most + 1e-6) {
                best = Some((length, slots));
            }
        }
        if dense {
            break;
        }
    }
    best.map(|(_, slots)| slots).unwrap_or_default()
}

fn total_length(slots: &[Option<usize>], neighbours: &[VarSet], oval: &Oval) -> f64 {
    let mut places = vec![Point { x: 0.0, y: 0.0 }; neighbours.len()];
    for (slot, vertex) in slots.iter().enumerate() {
        if let Some(vertex) = *vertex {
            places[vertex] = oval.places[slot];
        }
    }
    let mut length = 0.0;
    for (vertex, near) in neighbours.iter().enumerate() {
        for neighbour in near.iter().filter(|&neighbour| neighbour > vertex) {
            length += distance(places[vertex], places[neighbour]);
        }
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(count: usize, edges: &[(usize, usize)]) -> Vec<VarSet> {
        let mut neighbours = vec![VarSet::EMPTY; count];
        for &(from, to) in edges {
            neighbours[from].insert(to);
            neighbours[to].insert(from);
        }
        neighbours
    }

    fn complete(count: usize) -> Vec<VarSet> {
        (0..count).map(|vertex| VarSet::first(count) - VarSet::single(vertex)).collect()
    }

    /// Crossings of the chords, counted from the definition.
    fn crossings(order: &[usize], edges: &[(usize, usize)]) -> usize {
        let at = |vertex: usize| order.iter().position(|&other| other == vertex);
        let mut count = 0;
        for (index, &(a, b)) in edges.iter().enumerate() {
            for &(c, d) in &edges[..index] {
                let between = |x: usize| (at(x) > at(a).min(at(b))) && (at(x) < at(a).max(at(b)));
                let apart = ![a, b].contains(&c) && ![a, b].contains(&d);
                count += usize::from(apart && between(c) != between(d));
            }
        }
        count
    }

    #[test]
    fn passing_changes_the_crossings_as_counted() {
        let edges = [(0, 2), (0, 3), (1, 3), (1, 4), (2, 4), (2, 5), (0, 4), (3, 5)];
        let neighbours = graph(6, &edges);
        let others = [1, 2, 3, 4, 5];
        for passed in 0..5 {
            let order = |place: usize| {
                let mut order = others.to_vec();
                order.insert(place, 0);
                crossings(&order, &edges) as i64
            };
            let change = change_by_passing(0, passed, &others, &neighbours);
            assert_eq!(change, order(passed + 1) - order(passed), "past {}", others[passed]);
        }
    }

    /// The smallest order that sifting must change: a square whose sides cross.
    #[test]
    fn a_crossed_square_is_uncrossed() {
        let edges = [(0, 1), (1, 2), (2, 3), (3, 0)];
        let order = sift(vec![0, 2, 1, 3], &graph(4, &edges));
        assert_eq!(crossings(&order, &edges), 0);
    }

    #[test]
    fn every_vertex_has_a_place_of_its_own() {
        for count in 0..60 {
            for neighbours in [complete(count), vec![VarSet::EMPTY; count]] {
                let ring = Ring::new(&neighbours);
                for (index, &place) in ring.places.iter().enumerate() {
                    for &other in &ring.places[..index] {
                        assert!(distance(place, other) >= 2.0 * NODE + 2.0, "{count} vertices");
                    }
                }
            }
        }
    }

    #[test]
    fn no_edge_runs_through_a_vertex() {
        for count in (2..42).chain([50, 64, 80, 100]) {
            let ring = Ring::new(&complete(count));
            for to in 0..count {
                for from in 0..to {
                    let control = ring.bend(from, to);
                    for step in 1..60 {
                        let (start, end) = (ring.places[from], ring.places[to]);
                        let at = on_curve(start, control, end, f64::from(step) / 60.0);
                        for (vertex, &place) in ring.places.iter().enumerate() {
                            assert!(
                                vertex == from || vertex == to || distance(at, place) > NODE + 1.5,
                                "{count} vertices: {from}-{to} meets {vertex}"
                            );
                        }
                    }
                }
            }
        }
    }
}
