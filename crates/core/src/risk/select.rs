//! Which decomposable model describes the keys: a search over chordal graphs.
//!
//! | letter | meaning |
//! |---|---|
//! | a, b | the two ends of an edge |
//! | S | their common neighbours: what is given when the edge is judged |
//! | G² | 2n·I(a; b \| S): what the edge explains |
//! | df | (l_a − 1)(l_b − 1)·Π l_S: what it costs, l the numbers of levels |
//! | price | ln n for BIC, 2 for AIC |
//!
//! A step's gain is G² − df·price for an edge that is added, and the negative of that for one
//! that is removed. The search begins with the best forest (Chow & Liu: the heaviest edges
//! that close no cycle), adds edges as long as one gains, and by wish removes them too.
//!
//! An edge may be added to a chordal graph, and leaves it chordal, exactly when the common
//! neighbours of its ends part them; it may be removed exactly when they are a clique, so that
//! one clique alone holds the edge. A score depends on a, b and S alone, so only edges whose S
//! changed are scored again.
//!
//! Trap: the gain of a large table needs no counting where it cannot be positive: G² is at
//! most 2(h(S) − h(aS)), whatever b says.
//!
//! Way in: [`select`]. Slow twin: [`crate::oracle::World::best_decomposable`].
//! References: Chow & Liu (1968); Deshpande, Garofalakis & Jordan (2001).

use super::{KeyTable, Summaries};
use crate::graph::{MarginGraph, junction_tree};
use crate::hash::{Map, STATE};
use crate::varset::VarSet;

/// What a parameter of the model costs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Criterion {
    /// ln n each.
    #[default]
    Bic,
    /// 2 each: larger models.
    Aic,
}

impl Criterion {
    /// The price of one parameter in a file with this number of records.
    #[must_use]
    pub fn price(self, records: u64) -> f64 {
        match self {
            Self::Bic => (records as f64).ln(),
            Self::Aic => 2.0,
        }
    }
}

/// Where the search begins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Start {
    /// Every key by itself.
    Independence,
    /// The best forest.
    #[default]
    Forest,
    /// A chordal graph on the keys.
    Graph(MarginGraph),
}

/// Which steps the search takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Direction {
    /// None: the start is the answer.
    Stay,
    /// Edges are added.
    #[default]
    Forward,
    /// Edges are removed.
    Backward,
    /// Edges are added, then removed, until neither gains.
    Both,
}

/// Is an edge added or removed?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// It is added.
    Add,
    /// It is removed.
    Remove,
}

/// One step of the search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// What is done.
    pub action: Action,
    /// The edge, lower variable first.
    pub edge: [usize; 2],
    /// S.
    pub separator: VarSet,
    /// G² of the edge.
    pub g2: f64,
    /// Its degrees of freedom.
    pub df: f64,
    /// How much the score falls.
    pub gain: f64,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    /// The graph of the model: chordal.
    pub graph: MarginGraph,
    /// How it was reached from independence, or from the graph it began with.
    pub steps: Vec<Step>,
}

/// Searches a chordal graph on the keys.
///
/// Laws: `every-step-gains`, `forest-is-best`, `selection-ends-at-a-peak`.
///
/// # Panics
/// When the start is a graph that is not chordal, or has other vertices than the keys.
#[must_use]
pub fn select(
    summaries: &mut Summaries<'_>,
    criterion: Criterion,
    start: &Start,
    direction: Direction,
) -> Selection {
    let table = summaries.table();
    let mut search = Search::new(summaries, criterion);
    match start {
        Start::Independence => {}
        Start::Forest => search.forest(),
        Start::Graph(graph) => {
            assert!(junction_tree(graph).is_some(), "a search begins with a chordal graph");
            assert_eq!(graph.vertices(), table.keys(), "its vertices are the keys");
            search.graph = graph.clone();
        }
    }
    match direction {
        Direction::Stay => {}
        Direction::Forward => while search.add(Only::Gains) {},
        Direction::Backward => while search.remove() {},
        Direction::Both => loop {
            while search.add(Only::Gains) {}
            let before = search.steps.len();
            while search.remove() {}
            if search.steps.len() == before {
                break;
            }
        },
    }
    Selection { graph: search.graph, steps: search.steps }
}

/// Adds edges to a chordal graph on the keys and shows every graph to `judge`, beginning with
/// the given one, until it has seen enough. First come the edges that gain, then those that
/// explain most for each of their parameters.
///
/// No edge is added that explains less than chance would (G² ≤ df), and none that gives the
/// model more parameters than the file has records.
///
/// Law: `growing-adds-what-explains`.
pub fn grow(
    summaries: &mut Summaries<'_>,
    criterion: Criterion,
    start: MarginGraph,
    mut judge: impl FnMut(&MarginGraph, &[Step]) -> Seen,
) {
    let mut search = Search::new(summaries, criterion);
    let (_, parameters, _) = score(search.summaries, &start, criterion);
    search.room = search.summaries.table().records() as f64 - parameters;
    search.graph = start;
    while judge(&search.graph, &search.steps) == Seen::More && search.add(Only::All) {}
}

/// Does the judge of the graphs want to see another?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// Yes.
    More,
    /// No.
    Enough,
}

/// Which edges may be added.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Only {
    Gains,
    All,
}

#[derive(Clone, Copy)]
struct Score {
    separator: VarSet,
    /// `None` where it was not counted, because it cannot be worth its price.
    g2: Option<f64>,
    df: f64,
}

struct Search<'s, 'a> {
    summaries: &'s mut Summaries<'a>,
    price: f64,
    graph: MarginGraph,
    steps: Vec<Step>,
    scores: Map<(usize, usize), Score>,
    /// How many parameters may still be added when edges need not gain.
    room: f64,
}

impl<'s, 'a> Search<'s, 'a> {
    fn new(summaries: &'s mut Summaries<'a>, criterion: Criterion) -> Self {
        let table = summaries.table();
        Self {
            price: criterion.price(table.records()),
            graph: MarginGraph::edgeless(table.keys()),
            steps: Vec::new(),
            scores: Map::with_hasher(STATE),
            room: f64::INFINITY,
            summaries,
        }
    }

    /// The heaviest edges, as long as they gain and close no cycle.
    fn forest(&mut self) {
        let all: Vec<(usize, usize, VarSet)> = pairs(self.graph.vertices())
            .map(|(left, right)| (left, right, VarSet::EMPTY))
            .collect();
        self.score(&all, Only::Gains);
        let mut steps: Vec<Step> = all.iter().filter_map(|edge| self.step(edge)).collect();
        steps.retain(|step| step.gain > 0.0);
        steps.sort_by(|left, right| {
            right.gain.total_cmp(&left.gain).then(left.edge.cmp(&right.edge))
        });
        for step in steps {
            let [left, right] = step.edge;
            if !self.graph.component_of(left, self.graph.vertices()).contains(right) {
                self.graph.join_all(VarSet::from(step.edge));
                self.steps.push(step);
            }
        }
    }

    /// Adds the best edge; says whether there was one.
    fn add(&mut self, only: Only) -> bool {
        let candidates: Vec<(usize, usize, VarSet)> = addable(&self.graph).collect();
        self.score(&candidates, only);
        let steps: Vec<Step> = candidates.iter().filter_map(|edge| self.step(edge)).collect();
        let gains = best(steps.iter().copied().filter(|step| step.gain > 0.0));
        let explains = |step: &Step| step.g2 > step.df && step.df <= self.room;
        let chosen = match only {
            Only::Gains => gains,
            Only::All => {
                gains.filter(explains).or_else(|| most_for_each(steps.into_iter().filter(explains)))
            }
        };
        let Some(best) = chosen else { return false };
        self.room -= best.df;
        self.graph.join_all(VarSet::from(best.edge));
        self.steps.push(best);
        true
    }

    /// Removes the edge that is worth its price least; says whether there was one.
    fn remove(&mut self) -> bool {
        let candidates: Vec<(usize, usize, VarSet)> = removable(&self.graph).collect();
        self.score(&candidates, Only::All);
        let steps = candidates.iter().filter_map(|edge| self.step(edge));
        let steps = steps.map(|step| Step { action: Action::Remove, gain: -step.gain, ..step });
        match best(steps) {
            Some(best) if best.gain > 0.0 => {
                let [left, right] = best.edge;
                self.graph.part(left, right);
                self.steps.push(best);
                true
            }
            _ => false,
        }
    }

    /// Scores the edges whose separator is another one than when they were scored last.
    fn score(&mut self, edges: &[(usize, usize, VarSet)], only: Only) {
        let stale: Vec<(usize, usize, VarSet)> = edges
            .iter()
            .copied()
            .filter(|&(left, right, separator)| match self.scores.get(&(left, right)) {
                Some(score) => {
                    score.separator != separator || (only == Only::All && score.g2.is_none())
                }
                None => true,
            })
            .collect();
        let with = |set: VarSet, variable: usize| set | VarSet::single(variable);
        self.summaries.count(stale.iter().flat_map(|&(left, right, separator)| {
            [separator, with(separator, left), with(separator, right)]
        }));
        let df = |summaries: &Summaries<'_>, left: usize, right: usize, separator: VarSet| {
            let table = summaries.table();
            let free = |variable: usize| table.levels(variable) as f64 - 1.0;
            free(left) * free(right) * table.combinations(separator)
        };
        let mut worth: Vec<(usize, usize, VarSet)> = Vec::new();
        for &(left, right, separator) in &stale {
            let df = df(self.summaries, left, right, separator);
            let h = self.summaries.of(separator).n_log_n;
            let most = |variable: usize, summaries: &mut Summaries<'_>| {
                2.0 * (h - summaries.of(with(separator, variable)).n_log_n)
            };
            let most = most(left, self.summaries).min(most(right, self.summaries));
            if only == Only::All || most > df * self.price {
                worth.push((left, right, separator));
            } else {
                self.scores.insert((left, right), Score { separator, g2: None, df });
            }
        }
        self.summaries.count(
            worth.iter().map(|&(left, right, separator)| with(with(separator, left), right)),
        );
        for (left, right, separator) in worth {
            let summaries = &mut *self.summaries;
            let mut h = |set: VarSet| summaries.of(set).n_log_n;
            let g2 = 2.0
                * ((h(with(with(separator, left), right)) - h(with(separator, left)))
                    - (h(with(separator, right)) - h(separator)));
            let df = df(self.summaries, left, right, separator);
            // Rounding may leave a little less than nothing.
            let score = Score { separator, g2: Some(g2.max(0.0)), df };
            self.scores.insert((left, right), score);
        }
    }

    /// The step that adds an edge, if it was worth counting.
    fn step(&self, &(left, right, _): &(usize, usize, VarSet)) -> Option<Step> {
        let score = self.scores[&(left, right)];
        let g2 = score.g2?;
        Some(Step {
            action: Action::Add,
            edge: [left, right],
            separator: score.separator,
            g2,
            df: score.df,
            gain: g2 - score.df * self.price,
        })
    }
}

/// The step with the largest gain; of equal ones that of the lowest edge.
fn best(steps: impl Iterator<Item = Step>) -> Option<Step> {
    steps.max_by(|left, right| left.gain.total_cmp(&right.gain).then(right.edge.cmp(&left.edge)))
}

/// The step that explains most for each degree of freedom; of equal ones the lowest edge.
fn most_for_each(steps: impl Iterator<Item = Step>) -> Option<Step> {
    let rate = |step: &Step| step.g2 / step.df.max(1.0);
    steps.max_by(|left, right| rate(left).total_cmp(&rate(right)).then(right.edge.cmp(&left.edge)))
}

/// The pairs of a set, lower one first, in rising order.
fn pairs(set: VarSet) -> impl Iterator<Item = (usize, usize)> {
    set.iter().flat_map(move |left| {
        set.iter().filter(move |&right| left < right).map(move |right| (left, right))
    })
}

/// The edges whose addition leaves a chordal graph chordal, and their separators.
///
/// Law: `addable-keeps-chordal`.
pub fn addable(graph: &MarginGraph) -> impl Iterator<Item = (usize, usize, VarSet)> + '_ {
    pairs(graph.vertices()).filter_map(|(left, right)| {
        if graph.neighbours(left).contains(right) {
            return None;
        }
        let separator = graph.neighbours(left) & graph.neighbours(right);
        let reached = graph.component_of(left, graph.vertices() - separator);
        (!reached.contains(right)).then_some((left, right, separator))
    })
}

/// The edges whose removal leaves a chordal graph chordal, and what is given then.
///
/// Law: `removable-keeps-chordal`.
pub fn removable(graph: &MarginGraph) -> impl Iterator<Item = (usize, usize, VarSet)> + '_ {
    graph.edges().filter_map(|(left, right)| {
        let separator = graph.neighbours(left) & graph.neighbours(right);
        graph.is_clique(separator).then_some((left, right, separator))
    })
}

/// −2 ln L of the closed form of a chordal graph's model, its number of free parameters, and
/// its score: −2 ln L + parameters·price.
///
/// # Panics
/// When the graph is not chordal.
pub fn score(
    summaries: &mut Summaries<'_>,
    graph: &MarginGraph,
    criterion: Criterion,
) -> (f64, f64, f64) {
    let table: &KeyTable = summaries.table();
    let tree = junction_tree(graph).expect("the graph of a decomposable model is chordal");
    let mut log_likelihood = -summaries.of(VarSet::EMPTY).n_log_n;
    let mut parameters = -1.0;
    for &clique in tree.cliques() {
        log_likelihood += summaries.of(clique).n_log_n;
        parameters += table.combinations(clique);
    }
    for edge in tree.edges() {
        log_likelihood -= summaries.of(edge.separator).n_log_n;
        parameters -= table.combinations(edge.separator);
    }
    let price = criterion.price(table.records());
    (-2.0 * log_likelihood, parameters, parameters * price - 2.0 * log_likelihood)
}
