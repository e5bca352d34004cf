//! Maximum weight matching in a general graph, exactly.
//!
//! Edmonds' blossom method with dual variables: vertices and blossoms (odd cycles shrunk to
//! one node) grow alternating trees; where no tight edge is left the duals move until one
//! is tight, a blossom opens, or no heavier matching exists. Dense: O(n³) time and O(n²)
//! memory, for graphs of a few hundred vertices.
//!
//! | word | meaning |
//! |---|---|
//! | node | a vertex 1 … n, or a blossom n+1 …; 0 means none |
//! | top | the outermost blossom that holds a node |
//! | even, odd | the place of a top node in an alternating tree |
//! | slack | of an edge: dual(u) + dual(v) − 2·weight, never negative |
//!
//! Way in: [`maximum_weight_matching`]. Slow twin: every matching, in the tests.
//! References: Edmonds (1965), Galil (1986).

use std::collections::VecDeque;

/// For each vertex the one it is matched with, such that the weights of the matched edges
/// add up to as much as possible. Edges with a weight of 0 or less are not used.
///
/// Law: `heaviest-matching`.
#[must_use]
pub fn maximum_weight_matching(
    vertices: usize,
    edges: &[(usize, usize, i64)],
) -> Vec<Option<usize>> {
    let mut search = Search::new(vertices, edges);
    while search.augment_once() {}
    (1..=vertices).map(|node| search.mate[node].checked_sub(1)).collect()
}

/// An edge by its vertices; a blossom's edge remembers the vertex inside.
#[derive(Clone, Copy, Default)]
struct Edge {
    from: usize,
    to: usize,
    weight: i64,
}

/// Where a top node is in the alternating trees.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Label {
    Outside,
    Even,
    Odd,
}

struct Search {
    vertices: usize,
    /// The highest number of a node that was ever used.
    highest: usize,
    /// How many nodes there may be.
    room: usize,
    edges: Vec<Edge>,
    dual: Vec<i64>,
    mate: Vec<usize>,
    /// For each top node a vertex of an even node with the least slack to it.
    nearest: Vec<usize>,
    top: Vec<usize>,
    parent: Vec<usize>,
    label: Vec<Label>,
    /// For a blossom and a vertex inside: the child of the blossom that holds the vertex.
    child_of: Vec<usize>,
    children: Vec<Vec<usize>>,
    seen: Vec<usize>,
    round: usize,
    queue: VecDeque<usize>,
}

impl Search {
    fn new(vertices: usize, edges: &[(usize, usize, i64)]) -> Self {
        let room = vertices + vertices / 2 + 2;
        let mut search = Self {
            vertices,
            highest: vertices,
            room,
            edges: vec![Edge::default(); room * room],
            dual: vec![0; room],
            mate: vec![0; room],
            nearest: vec![0; room],
            top: (0..room).map(|node| if node <= vertices { node } else { 0 }).collect(),
            parent: vec![0; room],
            label: vec![Label::Outside; room],
            child_of: vec![0; room * (vertices + 1)],
            children: vec![Vec::new(); room],
            seen: vec![0; room],
            round: 0,
            queue: VecDeque::new(),
        };
        for from in 1..=vertices {
            for to in 1..=vertices {
                search.edges[from * room + to] = Edge { from, to, weight: 0 };
            }
            search.child_of[from * (vertices + 1) + from] = from;
        }
        let mut heaviest = 0;
        for &(left, right, weight) in edges {
            let (left, right) = (left + 1, right + 1);
            let weight = weight.max(search.edge(left, right).weight);
            search.edges[left * room + right].weight = weight;
            search.edges[right * room + left].weight = weight;
            heaviest = heaviest.max(weight);
        }
        search.dual[1..=vertices].fill(heaviest);
        search
    }

    fn edge(&self, from: usize, to: usize) -> Edge {
        self.edges[from * self.room + to]
    }

    fn slack(&self, edge: Edge) -> i64 {
        self.dual[edge.from] + self.dual[edge.to] - 2 * self.edge(edge.from, edge.to).weight
    }

    fn is_top(&self, node: usize) -> bool {
        self.top[node] == node
    }

    fn child_holding(&self, blossom: usize, vertex: usize) -> usize {
        self.child_of[blossom * (self.vertices + 1) + vertex]
    }

    fn remember_nearest(&mut self, vertex: usize, node: usize) {
        let known = self.nearest[node];
        if known == 0 || self.slack(self.edge(vertex, node)) < self.slack(self.edge(known, node)) {
            self.nearest[node] = vertex;
        }
    }

    fn find_nearest(&mut self, node: usize) {
        self.nearest[node] = 0;
        for vertex in 1..=self.vertices {
            let top = self.top[vertex];
            if self.edge(vertex, node).weight > 0 && top != node && self.label[top] == Label::Even {
                self.remember_nearest(vertex, node);
            }
        }
    }

    fn enqueue(&mut self, node: usize) {
        if node <= self.vertices {
            self.queue.push_back(node);
        } else {
            for child in self.children[node].clone() {
                self.enqueue(child);
            }
        }
    }

    fn set_top(&mut self, node: usize, top: usize) {
        self.top[node] = top;
        if node > self.vertices {
            for child in self.children[node].clone() {
                self.set_top(child, top);
            }
        }
    }

    /// The place of a child in its blossom, counted the way round that makes it even.
    fn even_place(&mut self, blossom: usize, child: usize) -> usize {
        let children = &mut self.children[blossom];
        let place = children
            .iter()
            .position(|&other| other == child)
            .expect("a child stands in its blossom");
        if place % 2 == 0 {
            return place;
        }
        children[1..].reverse();
        children.len() - place
    }

    fn set_mate(&mut self, node: usize, other: usize) {
        let edge = self.edge(node, other);
        self.mate[node] = edge.to;
        if node > self.vertices {
            let child = self.child_holding(node, edge.from);
            let place = self.even_place(node, child);
            for position in 0..place {
                let (one, two) = (self.children[node][position], self.children[node][position ^ 1]);
                self.set_mate(one, two);
            }
            self.set_mate(child, other);
            self.children[node].rotate_left(place);
        }
    }

    /// Turns matched into unmatched and back along the tree path up from `node`.
    fn flip_path(&mut self, mut node: usize, mut other: usize) {
        loop {
            let next = self.top[self.mate[node]];
            self.set_mate(node, other);
            if next == 0 {
                return;
            }
            let up = self.top[self.parent[next]];
            self.set_mate(next, up);
            (node, other) = (up, next);
        }
    }

    /// Where the tree paths of two even nodes meet; 0 when they are in two trees.
    fn meeting(&mut self, mut left: usize, mut right: usize) -> usize {
        self.round += 1;
        while left != 0 || right != 0 {
            if left != 0 {
                if self.seen[left] == self.round {
                    return left;
                }
                self.seen[left] = self.round;
                left = self.top[self.mate[left]];
                if left != 0 {
                    left = self.top[self.parent[left]];
                }
            }
            std::mem::swap(&mut left, &mut right);
        }
        0
    }

    fn shrink(&mut self, left: usize, meeting: usize, right: usize) {
        let blossom = (self.vertices + 1..=self.highest)
            .find(|&node| self.top[node] == 0)
            .unwrap_or(self.highest + 1);
        self.highest = self.highest.max(blossom);
        self.dual[blossom] = 0;
        self.label[blossom] = Label::Even;
        self.mate[blossom] = self.mate[meeting];
        self.children[blossom] = vec![meeting];
        for (side, end) in [left, right].into_iter().enumerate() {
            let mut node = end;
            while node != meeting {
                self.children[blossom].push(node);
                let odd = self.top[self.mate[node]];
                self.children[blossom].push(odd);
                self.enqueue(odd);
                node = self.top[self.parent[odd]];
            }
            if side == 0 {
                self.children[blossom][1..].reverse();
            }
        }
        self.set_top(blossom, blossom);
        for node in 1..=self.highest {
            self.edges[blossom * self.room + node].weight = 0;
            self.edges[node * self.room + blossom].weight = 0;
        }
        let width = self.vertices + 1;
        self.child_of[blossom * width..(blossom + 1) * width].fill(0);
        for child in self.children[blossom].clone() {
            for node in 1..=self.highest {
                let known = self.edge(blossom, node);
                let offered = self.edge(child, node);
                if known.weight == 0 || self.slack(offered) < self.slack(known) {
                    self.edges[blossom * self.room + node] = offered;
                    self.edges[node * self.room + blossom] = self.edge(node, child);
                }
            }
            for vertex in 1..=self.vertices {
                if self.child_holding(child, vertex) != 0 {
                    self.child_of[blossom * width + vertex] = child;
                }
            }
        }
        self.find_nearest(blossom);
    }

    fn open_blossom(&mut self, blossom: usize) {
        for child in self.children[blossom].clone() {
            self.set_top(child, child);
        }
        let entry = self.edge(blossom, self.parent[blossom]).from;
        let first = self.child_holding(blossom, entry);
        let place = self.even_place(blossom, first);
        let children = self.children[blossom].clone();
        for position in (0..place).step_by(2) {
            let (odd, even) = (children[position], children[position + 1]);
            self.parent[odd] = self.edge(even, odd).from;
            self.label[odd] = Label::Odd;
            self.label[even] = Label::Even;
            self.nearest[odd] = 0;
            self.find_nearest(even);
            self.enqueue(even);
        }
        self.label[first] = Label::Odd;
        self.parent[first] = self.parent[blossom];
        for &child in &children[place + 1..] {
            self.label[child] = Label::Outside;
            self.find_nearest(child);
        }
        self.top[blossom] = 0;
    }

    /// Uses a tight edge from an even node; says whether the matching grew.
    fn use_edge(&mut self, edge: Edge) -> bool {
        let (from, to) = (self.top[edge.from], self.top[edge.to]);
        match self.label[to] {
            Label::Outside => {
                self.parent[to] = edge.from;
                self.label[to] = Label::Odd;
                let next = self.top[self.mate[to]];
                self.nearest[to] = 0;
                self.nearest[next] = 0;
                self.label[next] = Label::Even;
                self.enqueue(next);
                false
            }
            Label::Even => match self.meeting(from, to) {
                0 => {
                    self.flip_path(from, to);
                    self.flip_path(to, from);
                    true
                }
                meeting => {
                    self.shrink(from, meeting, to);
                    false
                }
            },
            Label::Odd => false,
        }
    }

    /// One phase: grows trees from all unmatched nodes until the matching grows; `false` when
    /// none heavier exists.
    fn augment_once(&mut self) -> bool {
        self.label.fill(Label::Outside);
        self.nearest.fill(0);
        self.queue.clear();
        for node in 1..=self.highest {
            if self.is_top(node) && self.mate[node] == 0 {
                self.parent[node] = 0;
                self.label[node] = Label::Even;
                self.enqueue(node);
            }
        }
        if self.queue.is_empty() {
            return false;
        }
        loop {
            while let Some(vertex) = self.queue.pop_front() {
                if self.label[self.top[vertex]] == Label::Odd {
                    continue;
                }
                for other in 1..=self.vertices {
                    let edge = self.edge(vertex, other);
                    if edge.weight > 0 && self.top[vertex] != self.top[other] {
                        if self.slack(edge) == 0 {
                            if self.use_edge(edge) {
                                return true;
                            }
                        } else {
                            self.remember_nearest(vertex, self.top[other]);
                        }
                    }
                }
            }
            if !self.move_duals() {
                return false;
            }
            for node in 1..=self.highest {
                let nearest = self.nearest[node];
                if self.is_top(node) && nearest != 0 && self.top[nearest] != node {
                    let edge = self.edge(nearest, node);
                    if self.slack(edge) == 0 && self.use_edge(edge) {
                        return true;
                    }
                }
            }
            for blossom in self.vertices + 1..=self.highest {
                let is_flat = self.label[blossom] == Label::Odd && self.dual[blossom] == 0;
                if self.is_top(blossom) && is_flat {
                    self.open_blossom(blossom);
                }
            }
        }
    }

    /// Moves the duals as far as they may go; `false` when an unmatched vertex reaches 0.
    fn move_duals(&mut self) -> bool {
        let mut step = i64::MAX;
        for blossom in self.vertices + 1..=self.highest {
            if self.is_top(blossom) && self.label[blossom] == Label::Odd {
                step = step.min(self.dual[blossom] / 2);
            }
        }
        for node in 1..=self.highest {
            if self.is_top(node) && self.nearest[node] != 0 {
                let slack = self.slack(self.edge(self.nearest[node], node));
                match self.label[node] {
                    Label::Outside => step = step.min(slack),
                    Label::Even => step = step.min(slack / 2),
                    Label::Odd => {}
                }
            }
        }
        let is_even = |vertex: &usize| self.label[self.top[*vertex]] == Label::Even;
        if (1..=self.vertices).filter(is_even).any(|vertex| self.dual[vertex] <= step) {
            return false;
        }
        for vertex in 1..=self.vertices {
            match self.label[self.top[vertex]] {
                Label::Even => self.dual[vertex] -= step,
                Label::Odd => self.dual[vertex] += step,
                Label::Outside => {}
            }
        }
        for blossom in self.vertices + 1..=self.highest {
            if self.is_top(blossom) {
                match self.label[blossom] {
                    Label::Even => self.dual[blossom] += 2 * step,
                    Label::Odd => self.dual[blossom] -= 2 * step,
                    Label::Outside => {}
                }
            }
        }
        self.queue.clear();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    fn heaviest(vertices: usize, edges: &[(usize, usize, i64)]) -> i64 {
        fn extend(edges: &[(usize, usize, i64)], used: u32) -> i64 {
            let Some((&(left, right, weight), rest)) = edges.split_first() else { return 0 };
            let without = extend(rest, used);
            if used & (1 << left | 1 << right) != 0 {
                return without;
            }
            without.max(weight + extend(rest, used | 1 << left | 1 << right))
        }
        assert!(vertices <= 32);
        extend(edges, 0)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        #[test]
        fn law_heaviest_matching(
            vertices in 1usize..9,
            drawn in proptest::collection::vec((0usize..9, 0usize..9, 0i64..8), 0..22),
        ) {
            let mut edges: Vec<(usize, usize, i64)> = Vec::new();
            for (left, right, weight) in drawn {
                let (left, right) = (left % vertices, right % vertices);
                if left != right && !edges.iter().any(|&(l, r, _)| (l, r) == (left, right) || (r, l) == (left, right)) {
                    edges.push((left, right, weight));
                }
            }
            let mates = maximum_weight_matching(vertices, &edges);
            let mut total = 0;
            for (vertex, &mate) in mates.iter().enumerate() {
                let Some(mate) = mate else { continue };
                prop_assert_eq!(mates[mate], Some(vertex));
                let edge = edges.iter().find(|&&(l, r, _)| (l, r) == (vertex, mate) || (r, l) == (vertex, mate));
                prop_assert!(edge.is_some(), "only edges are matched");
                total += edge.unwrap().2;
            }
            prop_assert_eq!(total / 2, heaviest(vertices, &edges));
        }
    }

    /// Two 5-cycles joined by an edge: blossoms must be shrunk and opened again.
    #[test]
    fn witness_blossoms() {
        let mut edges: Vec<(usize, usize, i64)> = Vec::new();
        for base in [0, 5] {
            edges.extend((0..5).map(|vertex| (base + vertex, base + (vertex + 1) % 5, 10)));
        }
        edges.push((2, 7, 9));
        let mates = maximum_weight_matching(10, &edges);
        assert!(mates.iter().all(Option::is_some));
    }
}
