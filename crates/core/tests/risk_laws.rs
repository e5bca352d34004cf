//! Laws of risk: models, fits and estimates against definitions, on worlds so small that
//! everything can be tried.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use marginswap_core::encode::RecordId;
use marginswap_core::graph::{GeneratingClass, MarginGraph, junction_tree};
use marginswap_core::oracle::{World, all_antichains, all_graphs, is_chordal};
use marginswap_core::random::{Random, Seed};
use marginswap_core::risk::{
    Action, Criterion, Direction, FittedModel, KeyTable, Population, Seen, Selection, Start, Step,
    Summaries, Superpopulation, addable, anonymity, blocks, dis, fit, grow, individual_risk,
    key_sets, minimal_uniques, ranked, removable, risks, score, select, superpopulation,
    uniques_without, weighted_risks,
};
use marginswap_core::table::{CellId, Located};
use marginswap_core::varset::VarSet;
use proptest::prelude::*;

fn worlds(levels: Vec<usize>, records: std::ops::Range<usize>) -> impl Strategy<Value = World> {
    let codes: Vec<_> = levels.iter().map(|&levels| 0..u32::try_from(levels).unwrap()).collect();
    proptest::collection::vec(codes, records)
        .prop_map(move |records| World { levels: levels.clone(), records })
}

fn table(world: &World) -> KeyTable {
    let joint = Located::count(&world.packed());
    KeyTable::new(&joint, VarSet::first(world.levels.len()), &world.levels)
}

fn on(codes: &[u32], set: VarSet) -> Vec<u32> {
    set.iter().map(|variable| codes[variable]).collect()
}

fn cell_of(table: &KeyTable, record: usize) -> CellId {
    table.cell_of(RecordId::at(record))
}

/// The graph after some of the steps.
fn graph_after(keys: VarSet, selection: &Selection, steps: usize) -> MarginGraph {
    let mut graph = MarginGraph::edgeless(keys);
    for step in &selection.steps[..steps] {
        let [left, right] = step.edge;
        match step.action {
            Action::Add => graph.join_all(VarSet::from([left, right])),
            Action::Remove => graph.part(left, right),
        }
    }
    graph
}

proptest! {
    #[test]
    fn law_seen_on_some_variables(
        world in worlds(vec![2, 3, 2, 2], 1..20),
        set in proptest::collection::btree_set(0usize..4, 0..5),
    ) {
        let set: VarSet = set.into_iter().collect();
        let seen = Located::count(&world.packed()).on(set);
        let definition = world.margin_table(set);
        prop_assert_eq!(seen.len(), definition.len());
        prop_assert_eq!(seen.records(), world.records.len());
        for (record, codes) in world.records.iter().enumerate() {
            let cell = seen.cell_of(RecordId::at(record));
            prop_assert_eq!(seen.n(cell), definition[&on(codes, set)]);
            for variable in VarSet::first(4) {
                let code = if set.contains(variable) { codes[variable] } else { 0 };
                prop_assert_eq!(seen.cells().codes(cell.position())[variable], code);
            }
        }
    }
}

#[test]
fn law_addable_keeps_chordal() {
    for graph in (1..=5).flat_map(all_graphs).filter(is_chordal) {
        let mut expected = Vec::new();
        for left in graph.vertices() {
            for right in graph.vertices().iter().filter(|&right| left < right) {
                let mut more = graph.clone();
                more.join_all(VarSet::from([left, right]));
                if !graph.neighbours(left).contains(right) && is_chordal(&more) {
                    expected.push((left, right));
                }
            }
        }
        let found: Vec<_> = addable(&graph).map(|(left, right, _)| (left, right)).collect();
        assert_eq!(found, expected);
        // What is given is just what the new clique holds besides the edge.
        for (left, right, separator) in addable(&graph) {
            let mut more = graph.clone();
            more.join_all(VarSet::from([left, right]));
            let whole = separator | VarSet::from([left, right]);
            assert!(junction_tree(&more).unwrap().cliques().contains(&whole));
        }
    }
}

#[test]
fn law_removable_keeps_chordal() {
    for graph in (1..=5).flat_map(all_graphs).filter(is_chordal) {
        let expected: Vec<_> = graph
            .edges()
            .filter(|&(left, right)| {
                let mut less = graph.clone();
                less.part(left, right);
                is_chordal(&less)
            })
            .collect();
        let found: Vec<_> = removable(&graph).map(|(left, right, _)| (left, right)).collect();
        assert_eq!(found, expected);
    }
}

fn close(left: f64, right: f64) -> bool {
    (left - right).abs() <= 1e-7 * (1.0 + left.abs().max(right.abs()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn law_every_step_gains(world in worlds(vec![2, 3, 2, 4, 2], 2..60), both in any::<bool>()) {
        let table = table(&world);
        let mut summaries = Summaries::new(&table);
        let direction = if both { Direction::Both } else { Direction::Forward };
        for criterion in [Criterion::Bic, Criterion::Aic] {
            for start in [Start::Independence, Start::Forest] {
                let selection = select(&mut summaries, criterion, &start, direction);
                let price = criterion.price(table.records());
                for step in 0..selection.steps.len() {
                    let [before, after] =
                        [step, step + 1].map(|step| graph_after(table.keys(), &selection, step));
                    prop_assert!(is_chordal(&after));
                    let gain = world.model_score(&before, price) - world.model_score(&after, price);
                    prop_assert!(selection.steps[step].gain > 0.0);
                    prop_assert!(close(gain, selection.steps[step].gain), "{gain}");
                }
                let last = graph_after(table.keys(), &selection, selection.steps.len());
                prop_assert_eq!(&last, &selection.graph);
                let (_, _, own) = score(&mut summaries, &last, criterion);
                prop_assert!(close(own, world.model_score(&last, price)));
            }
        }
    }

    /// Whatever order the records have.
    #[test]
    fn law_forest_is_best(world in worlds(vec![2, 3, 2, 3, 2], 2..60)) {
        let table = table(&world);
        let mut summaries = Summaries::new(&table);
        let forest = select(&mut summaries, Criterion::Bic, &Start::Forest, Direction::Stay);
        let price = Criterion::Bic.price(table.records());
        let (_, best) = world.best_decomposable(price);
        prop_assert!(close(world.model_score(&forest.graph, price), best));
        let turned = World {
            records: world.records.iter().rev().cloned().collect(),
            levels: world.levels.clone(),
        };
        let turned = self::table(&turned);
        let again =
            select(&mut Summaries::new(&turned), Criterion::Bic, &Start::Forest, Direction::Forward);
        let first = select(&mut summaries, Criterion::Bic, &Start::Forest, Direction::Forward);
        prop_assert_eq!(again, first);
    }

    /// No edge that may be added or removed helps, and no model of all is better where the
    /// search says so.
    #[test]
    fn law_selection_ends_at_a_peak(world in worlds(vec![2, 2, 3, 2, 2], 2..80)) {
        let table = table(&world);
        let mut summaries = Summaries::new(&table);
        let price = Criterion::Aic.price(table.records());
        let (best, _) = world.best_decomposable(price);
        for (direction, removes) in [(Direction::Forward, false), (Direction::Both, true)] {
            let found = select(&mut summaries, Criterion::Aic, &Start::Forest, direction);
            let own = world.model_score(&found.graph, price);
            prop_assert!(own >= best - 1e-7 * best.abs());
            for (left, right, _) in addable(&found.graph) {
                let mut more = found.graph.clone();
                more.join_all(VarSet::from([left, right]));
                prop_assert!(world.model_score(&more, price) >= own - 1e-6);
            }
            for (left, right, _) in removable(&found.graph).filter(|_| removes) {
                let mut less = found.graph.clone();
                less.part(left, right);
                prop_assert!(world.model_score(&less, price) >= own - 1e-6);
            }
        }
    }
}

/// On files with real structure the greedy search is compared with trying every decomposable
/// model of five variables: it finds the best one in at least nine of ten, and is never far.
#[test]
fn greedy_search_against_every_model() {
    let mut random = Random::new(Seed([4; 32]), 0);
    let (mut same, mut worst) = (0, 0.0f64);
    let files = 30;
    for _ in 0..files {
        let world = structured(&mut random, 400);
        let table = table(&world);
        let price = Criterion::Bic.price(table.records());
        let found =
            select(&mut Summaries::new(&table), Criterion::Bic, &Start::Forest, Direction::Both);
        let (best, _) = world.best_decomposable(price);
        let own = world.model_score(&found.graph, price);
        same += usize::from(own <= best + 1e-6);
        worst = worst.max((own - best) / best);
    }
    assert!(same * 10 >= files * 9, "{same} of {files}");
    assert!(worst < 0.01, "{worst}");
}

/// Five variables in a random order, each like one or two before it or drawn again.
fn structured(random: &mut Random, records: usize) -> World {
    let levels = vec![2, 3, 2, 3, 2];
    let parents: Vec<Vec<usize>> = (0..levels.len())
        .map(|variable| (0..variable).filter(|_| random.below(5) < 2).collect())
        .collect();
    let draw = |random: &mut Random| {
        let mut codes: Vec<u32> = Vec::new();
        for (variable, &levels) in levels.iter().enumerate() {
            let from = &parents[variable];
            let code = if !from.is_empty() && random.below(4) > 0 {
                codes[from[random.below(from.len())]]
            } else {
                u32::try_from(random.below(levels * 2)).unwrap() / 2
            };
            codes.push(code % u32::try_from(levels).unwrap());
        }
        codes
    };
    let records = (0..records).map(|_| draw(random)).collect();
    World { levels: levels.clone(), records }
}

/// Every class over three variables, and many over four.
fn classes() -> Vec<(usize, Vec<VarSet>)> {
    let three = all_antichains(3).into_iter().map(|class| (3, class));
    three.chain(all_antichains(4).into_iter().map(|class| (4, class))).collect()
}

#[test]
fn law_blocks_join_to_the_model() {
    for (variables, margins) in classes() {
        let class = GeneratingClass::new(VarSet::first(variables), margins.iter().copied());
        let blocks = blocks(&class);
        let union = blocks.iter().fold(VarSet::EMPTY, |all, block| all | block.variables);
        assert_eq!(union, class.delta());
        for (place, block) in blocks.iter().enumerate() {
            assert_eq!(block.parent.is_none(), place == 0);
            if let Some(parent) = block.parent {
                assert!(parent < place);
                assert_eq!(block.variables & blocks[parent].variables, block.separator);
                // Nothing outside the separator comes back before this block.
                let before = blocks[..place].iter().fold(VarSet::EMPTY, |all, b| all | b.variables);
                assert_eq!(block.variables & before, block.separator);
            }
            assert!(block.generators.iter().all(|set| set.is_subset(&block.variables)));
        }
        for margin in class.margins() {
            assert!(blocks.iter().any(|block| block.generators.contains(margin)), "{margins:?}");
        }
        if class.is_decomposable() {
            assert!(blocks.iter().all(|block| block.generators == [block.variables]));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn law_closed_form_by_definition(
        world in worlds(vec![2, 3, 2, 2], 1..30),
        class in proptest::sample::select(classes()),
    ) {
        let (variables, margins) = class;
        let world = World {
            levels: world.levels[..variables].to_vec(),
            records: world.records.iter().map(|codes| codes[..variables].to_vec()).collect(),
        };
        let table = table(&world);
        let class = GeneratingClass::new(VarSet::first(variables), margins.iter().copied());
        let model = FittedModel::fit(&table, &class);
        let closed = model.fitting().is_none();
        prop_assert_eq!(closed, class.is_decomposable());
        let fitted = world.iterated(&margins, if closed { 10 } else { 2000 });
        let n = world.records.len() as f64;
        let by_cell: BTreeMap<Vec<u32>, f64> = world.all_cells().into_iter().zip(fitted).collect();
        let mut log_likelihood = 0.0;
        for (record, codes) in world.records.iter().enumerate() {
            let own = model.log_probability(cell_of(&table, record));
            prop_assert!(own.is_finite());
            log_likelihood += own;
            let slow = model.fitting().is_some_and(|fitting| !fitting.converged);
            let bound = if closed { 1e-9 } else if slow { 0.05 } else { 1e-3 };
            prop_assert!((own - (by_cell[codes] / n).ln()).abs() < bound, "{own} {by_cell:?}");
        }
        prop_assert!(close(-2.0 * log_likelihood, model.deviance_of_probabilities()));
        if closed {
            let mut summaries = Summaries::new(&table);
            let graph = class.margin_graph();
            let (deviance, parameters, _) = score(&mut summaries, &graph, Criterion::Bic);
            prop_assert!(close(deviance, model.deviance_of_probabilities()));
            prop_assert_eq!(parameters, model.parameters());
        }
    }

    /// Four keys in a circle, and all pairs of four: no closed form.
    #[test]
    fn law_fitted_margins_are_observed(world in worlds(vec![2, 3, 2, 3], 10..60)) {
        let table = table(&world);
        let circle = [[0, 1], [1, 2], [2, 3], [0, 3]].map(VarSet::from);
        let all = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]].map(VarSet::from);
        for margins in [&circle[..], &all] {
            let class = GeneratingClass::new(VarSet::first(4), margins.iter().copied());
            let model = FittedModel::fit(&table, &class);
            let fitting = model.fitting().unwrap();
            prop_assert!(!fitting.on_observed_cells);
            let fitted = world.iterated(margins, 1000);
            for &margin in margins {
                let mut sums: BTreeMap<Vec<u32>, f64> = BTreeMap::new();
                for (cell, value) in world.all_cells().iter().zip(&fitted) {
                    *sums.entry(on(cell, margin)).or_default() += value;
                }
                for (key, count) in world.margin_table(margin) {
                    prop_assert!((sums[&key] - count as f64).abs() < 0.01);
                }
            }
            // On the cells that hold records alone, the fitted counts are no smaller in sum.
            let few = FittedModel::fit_within(&table, &class, margins.len());
            prop_assert!(few.fitting().unwrap().on_observed_cells);
            let sum = |model: &FittedModel| -> f64 {
                (0..table.joint().len()).map(|cell| model.log_probability(CellId::at(cell)).exp()).sum()
            };
            prop_assert!((sum(&few) - 1.0).abs() < 0.01 && sum(&model) < 1.0 + 1e-6);
        }
    }

    #[test]
    fn law_criterion_by_definition(
        world in worlds(vec![2, 3, 2, 3], 2..40),
        class in proptest::sample::select(classes()),
        extra in 0.0f64..8.0,
    ) {
        let (variables, margins) = class;
        let world = World {
            levels: world.levels[..variables].to_vec(),
            records: world.records.iter().map(|codes| codes[..variables].to_vec()).collect(),
        };
        let table = table(&world);
        let class = GeneratingClass::new(VarSet::first(variables), margins.iter().copied());
        let model = FittedModel::fit(&table, &class);
        prop_assume!(model.fitting().is_none_or(|fitting| fitting.converged));
        let n = world.records.len() as f64;
        let population = Population::new(table.records(), n + extra.exp()).unwrap();
        let found = fit(&table, &model, population, u64::MAX);
        let counts = world.margin_table(VarSet::first(variables));
        let rounds = if model.fitting().is_some() { 3000 } else { 10 };
        let p = n / population.size();
        let (mut bias, mut variance) = (0.0, 0.0);
        for (cell, fitted) in world.all_cells().iter().zip(world.iterated(&margins, rounds)) {
            let lambda = fitted / p;
            let f = counts.get(cell).map_or(0.0, |&count| count as f64);
            let a = (1.0 - p) * lambda * (-lambda).exp();
            let b = (1.0 - p).powi(2) * lambda * (-lambda).exp() / (2.0 * p);
            bias += a * (f - p * lambda) + b * ((f - p * lambda).powi(2) - f);
            variance += a * a * p * lambda + 2.0 * b * b * (p * lambda).powi(2);
        }
        let Some(found) = found else {
            prop_assert!(variance < 1e-40, "{} is enough to judge by", variance);
            return Ok(());
        };
        let exact = if model.fitting().is_some() { 1e-3 } else { 1e-6 };
        prop_assert!((found.bias - bias).abs() <= exact * (1.0 + bias.abs()), "{found:?} {bias}");
        prop_assert!((found.variance - variance).abs() <= exact * (1.0 + variance), "{found:?} {variance}");
    }
}

/// Σ g(k)·P(Poisson(x) = k).
fn poisson(x: f64, g: impl Fn(f64) -> f64) -> f64 {
    let (mut term, mut sum) = ((-x).exp(), 0.0);
    for k in 0..400 {
        sum += g(f64::from(k)) * term;
        term *= x / f64::from(k + 1);
    }
    sum
}

proptest! {
    #[test]
    fn law_risk_by_definition(world in worlds(vec![3, 3, 2], 2..25), extra in 0.0f64..300.0) {
        let table = table(&world);
        let class = GeneratingClass::new(table.keys(), [VarSet::from([0, 1])]);
        let model = FittedModel::fit(&table, &class);
        let n = world.records.len() as f64;
        let population = Population::new(table.records(), n + extra).unwrap();
        let risks = risks(&table, &model, population);
        let (mut tau1, mut tau2) = (0.0, 0.0);
        for (record, codes) in world.records.iter().enumerate() {
            let cell = cell_of(&table, record);
            let own = risks.cells[cell.position()];
            let count = |set: VarSet| world.margin_table(set)[&on(codes, set)] as f64;
            let p = count(VarSet::from([0, 1])) * count(VarSet::single(2)) / (n * n);
            prop_assert!(close(own.probability, p) && close(own.expected, p * population.size()));
            if count(VarSet::first(3)) == 1.0 {
                // F is 1 plus everybody like it outside the file.
                let others = extra * p;
                prop_assert!(close(own.unique, poisson(others, |k| f64::from(u8::from(k == 0.0)))));
                prop_assert!((own.claim - poisson(others, |k| 1.0 / (1.0 + k))).abs() < 1e-9);
                prop_assert!((own.unique - (1.0 - p).powf(extra)).abs() < 0.6 * p);
                tau1 += own.unique;
                tau2 += own.claim;
            } else {
                prop_assert_eq!((own.unique, own.claim), (0.0, 0.0));
            }
        }
        prop_assert!(close(risks.tau1, tau1) && close(risks.tau2, tau2));
        let ranked = ranked(&table, &risks);
        prop_assert_eq!(ranked.len(), table.joint().sample_uniques());
        prop_assert!(ranked.is_sorted_by(|left, right| left.1 >= right.1));
    }

    #[test]
    fn law_all_of_the_population_is_certain(world in worlds(vec![3, 3, 2], 1..25)) {
        let table = table(&world);
        let model = FittedModel::fit(&table, &GeneratingClass::new(table.keys(), []));
        let population = Population::new(table.records(), world.records.len() as f64).unwrap();
        let found = risks(&table, &model, population);
        let uniques = table.joint().sample_uniques() as f64;
        prop_assert_eq!((found.tau1, found.tau2), (uniques, uniques));
        prop_assert_eq!(fit(&table, &model, population, u64::MAX), None);
        for estimate in superpopulation(&table, population) {
            prop_assert!((estimate.unique - 1.0).abs() < 1e-9, "{:?}", estimate);
        }
        prop_assert_eq!(Population::new(table.records(), world.records.len() as f64 - 0.5), None);
        prop_assert_eq!(Population::new(table.records(), f64::NAN), None);
    }

    #[test]
    fn law_individual_risk_by_definition(f in 1u64..60, weight in 1.0f64..40.0) {
        let p = 1.0 / weight;
        // Σ C(F − 1, f − 1)·p^f·q^(F − f)/F over F ≥ f.
        let count = f as f64;
        let (mut term, mut sum) = (count * p.ln(), 0.0);
        for size in f..200_000 {
            let size = size as f64;
            sum += term.exp() / size;
            term += (size / (size - count + 1.0)).ln() + (1.0 - p).ln();
        }
        let found = individual_risk(f, count * weight);
        prop_assert!((found - sum).abs() < 1e-8 * sum.max(1e-3), "{f} {weight} {found} {sum}");
        if f == 1 && p < 1.0 {
            prop_assert!(close(found, p / (1.0 - p) * (1.0 / p).ln()));
        }
        prop_assert!(close(individual_risk(f, count / 2.0), 1.0 / count));
        prop_assert!(individual_risk(f, count * 1e9) > 0.0);
    }

    /// The weights of a combination are added up, and the risks of all its records.
    #[test]
    fn weights_are_summed_by_combination(world in worlds(vec![3, 2], 1..25)) {
        let table = table(&world);
        let weights: Vec<f64> = (0..world.records.len()).map(|record| 1.5 + record as f64).collect();
        let found = weighted_risks(&table, &weights);
        let mut claims = 0.0;
        for (record, codes) in world.records.iter().enumerate() {
            let same = (0..world.records.len()).filter(|&other| world.records[other] == *codes);
            let sum: f64 = same.clone().map(|other| weights[other]).sum();
            let risk = individual_risk(same.count() as u64, sum);
            prop_assert!(close(found.cells[cell_of(&table, record).position()], risk));
            claims += risk;
        }
        prop_assert!(close(found.expected_reidentifications, claims));
        prop_assert!(close(found.population, weights.iter().sum()));
    }

    #[test]
    fn law_superpopulations_are_probabilities(world in worlds(vec![4, 4, 3], 2..40)) {
        let table = table(&world);
        let n = world.records.len() as f64;
        let uniques = table.joint().sample_uniques() as f64;
        let at = |size: f64| superpopulation(&table, Population::new(table.records(), size).unwrap());
        let (near, far) = (at(n * 3.0), at(n * 30.0));
        for (near, far) in near.iter().zip(&far) {
            prop_assert!(near.model == far.model && near.unique >= far.unique - 1e-9);
            prop_assert!((0.0..=1.0).contains(&far.unique), "{:?}", far);
            prop_assert!((far.sample_uniques - far.unique * uniques).abs() < 1e-9);
        }
        // Zayatz from the definition: cells of the population sized as those of the file.
        if let Some(zayatz) = near.iter().find(|found| found.model == Superpopulation::Zayatz) {
            let (size, n) = (n * 3.0, n);
            let once = |j: f64| {
                // One of j is drawn, and n − 1 of the N − j others.
                let mut chance = j * n / size;
                let mut step = 0.0;
                while step < j - 1.0 {
                    chance *= ((size - n - step) / (size - 1.0 - step)).max(0.0);
                    step += 1.0;
                }
                chance
            };
            let all: f64 = table.cells_by_count().iter().map(|&(j, s)| s as f64 * once(j as f64)).sum();
            prop_assert!(close(zayatz.unique, uniques * once(1.0) / all));
        }
    }

    #[test]
    fn law_minimal_uniques_by_definition(world in worlds(vec![3, 2, 4, 2, 2], 1..30)) {
        let table = table(&world);
        for largest in [2, 5] {
            let found = minimal_uniques(&table, largest);
            let by_cell: BTreeMap<CellId, &Vec<VarSet>> =
                found.found.iter().map(|(cell, sets)| (*cell, sets)).collect();
            let scores = found.scores();
            for record in 0..world.records.len() {
                let mut expected = world.minimal_uniques(record);
                expected.retain(|set| set.len() <= largest);
                let cell = cell_of(&table, record);
                let own = by_cell.get(&cell).map_or(vec![], |sets| (*sets).clone());
                prop_assert_eq!(&own, &expected);
                if let Some(place) = found.found.iter().position(|(other, _)| *other == cell) {
                    let factorial = |m: usize| (1..=5 - m).product::<usize>() as f64;
                    let score: f64 = expected.iter().map(|set| factorial(set.len())).sum();
                    prop_assert!(close(scores[place], score));
                }
            }
            let sizes: u64 = found.by_size().iter().sum();
            prop_assert_eq!(sizes, found.found.iter().map(|(_, sets)| sets.len() as u64).sum::<u64>());
        }
        let population = Population::new(table.records(), 1000.0).unwrap();
        let (n1, n2) = table.cells_by_count().iter().fold((0.0, 0.0), |(one, two), &(j, s)| match j {
            1 => (s as f64, two),
            2 => (one, s as f64),
            _ => (one, two),
        });
        let p = world.records.len() as f64 / 1000.0;
        match dis(&table, population) {
            None => prop_assert_eq!(n1, 0.0),
            Some(dis) => {
                prop_assert!(close(dis, p * n1 / (p * n1 + 2.0 * (1.0 - p) * n2)));
                prop_assert_eq!(minimal_uniques(&table, table.keys().len() - 1).scaled(dis), None);
            }
        }
    }

    #[test]
    fn law_scaled_scores_have_the_mean(world in worlds(vec![3, 2, 4, 2], 1..30), dis in 0.0..1.0f64) {
        let table = table(&world);
        let found = minimal_uniques(&table, table.keys().len());
        prop_assert_eq!(found.found.len(), table.joint().sample_uniques());
        let (scores, scaled) = (found.scores(), found.scaled(dis).unwrap());
        let sum: f64 = scaled.iter().sum();
        prop_assert!((sum - dis * scaled.len() as f64).abs() < 1e-9, "{sum}");
        prop_assert!(scaled.iter().all(|share| (0.0..=1.0).contains(share)));
        for (one, share) in scores.iter().zip(&scaled) {
            for (other, less) in scores.iter().zip(&scaled) {
                prop_assert!(one < other || share + 1e-12 >= *less, "a higher score is no less");
            }
        }
    }

    #[test]
    fn law_growing_adds_what_explains(world in worlds(vec![2, 3, 2, 4, 2], 2..60)) {
        let table = table(&world);
        let mut summaries = Summaries::new(&table);
        for criterion in [Criterion::Bic, Criterion::Aic] {
            let start = MarginGraph::edgeless(table.keys());
            let mut seen: Vec<(MarginGraph, Vec<Step>)> = Vec::new();
            grow(&mut summaries, criterion, start, |graph, steps| {
                seen.push((graph.clone(), steps.to_vec()));
                Seen::More
            });
            for (place, (graph, steps)) in seen.iter().enumerate() {
                prop_assert!(is_chordal(graph));
                prop_assert_eq!(steps.len(), place);
                prop_assert!(steps.iter().all(|step| step.g2 > step.df));
                let (_, parameters, _) = score(&mut summaries, graph, criterion);
                prop_assert!(place == 0 || parameters <= table.records() as f64);
            }
        }
    }

    #[test]
    fn law_anonymity_by_definition(world in worlds(vec![3, 2, 4], 1..30)) {
        let table = table(&world);
        let whole = world.margin_table(VarSet::first(3));
        for found in anonymity(&table, &[2, 3, 5]) {
            let below = world.records.iter().filter(|codes| whole[*codes] < found.k).count();
            prop_assert_eq!(found.records_below, below as u64);
        }
    }

    #[test]
    fn law_key_sets_by_definition(world in worlds(vec![3, 2, 4, 2], 1..30)) {
        let table = table(&world);
        let mut summaries = Summaries::new(&table);
        prop_assert!(key_sets(&mut summaries, 2, 9).is_none());
        let found = key_sets(&mut summaries, 2, 10).unwrap();
        prop_assert_eq!(found.len(), 10);
        prop_assert!(found.is_sorted_by(|left, right| left.uniques >= right.uniques));
        for set in found {
            let counts = world.margin_table(set.keys);
            let below = |k: u64| counts.values().filter(|&&count| count < k).sum::<u64>();
            prop_assert_eq!((set.cells, set.uniques, set.below_3), (counts.len() as u64, below(2), below(3)));
        }
    }

    #[test]
    fn law_uniques_without_a_key(world in worlds(vec![3, 2, 4, 2], 1..30)) {
        let table = table(&world);
        let found = uniques_without(&mut Summaries::new(&table));
        prop_assert!(found.len() == 4 && found.is_sorted_by(|left, right| left.1 <= right.1));
        for (key, uniques) in found {
            let others = VarSet::first(4) - VarSet::single(key);
            let counts = world.margin_table(others);
            let expected = counts.values().filter(|&&count| count == 1).count();
            prop_assert_eq!(uniques, expected as u64);
        }
    }

    #[test]
    fn law_risk_is_blind_to_threads(world in worlds(vec![3, 2, 4, 2, 3], 2..80)) {
        let run = |threads| {
            let pool = rayon_pool(threads);
            pool.install(|| {
                let table = table(&world);
                let mut summaries = Summaries::new(&table);
                let found = select(&mut summaries, Criterion::Aic, &Start::Forest, Direction::Both);
                let tree = junction_tree(&found.graph).unwrap();
                let class = GeneratingClass::new(table.keys(), tree.cliques().iter().copied());
                let model = FittedModel::fit(&table, &class);
                let population = Population::new(table.records(), 500.0).unwrap();
                let fit = fit(&table, &model, population, u64::MAX);
                (found, risks(&table, &model, population), fit, minimal_uniques(&table, 4))
            })
        };
        let one = run(1);
        prop_assert_eq!(&one, &run(2));
        prop_assert_eq!(&one, &run(7));
    }
}

fn rayon_pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

/// Populations that are known, and files drawn from them: how far is τ₁ from the truth?
///
/// A hundred times 20,000 people with four keys are drawn, and a file of 2,000 of them. With the
/// true probabilities τ₁ counts the population uniques among the sample uniques, and
/// τ₁ ± 1.96·√Σ p(1 − p) holds their true number as often as it should. A fitted model brings its
/// own error: τ̂₁ of the selected one is within 15 % on average, nearer than that of
/// independence; the interval leaves that error out and covers less.
#[test]
fn law_tau_is_near_the_truth() {
    let mut random = Random::new(Seed([9; 32]), 1);
    let levels = [20usize, 12, 12, 10];
    let code = |number: usize| u32::try_from(number).unwrap();
    // Level l of L has the probability (2l + 1)/L²: some are rare.
    let skewed = |random: &mut Random, levels: usize| {
        let drawn = random.below(levels * levels);
        (0..levels).find(|level| drawn < (level + 1) * (level + 1)).unwrap()
    };
    let mass =
        |level: u32, levels: usize| (2.0 * f64::from(level) + 1.0) / (levels * levels) as f64;
    let like = |one: u32, other: u32, levels: usize| {
        2.0 / 3.0 * f64::from(u8::from(one == other)) + mass(other, levels) / 3.0
    };
    let probability = |codes: &[u32]| {
        mass(codes[0], 20)
            * like(codes[0] * 12 / 20, codes[1], 12)
            * like(codes[1], codes[2], 12)
            * mass(codes[3], 10)
    };
    let (files, people, drawn) = (100, 20_000, 2_000);
    let (mut right, mut known, mut estimated, mut naive) = (0.0, 0.0, 0.0, 0.0);
    let (mut covered, mut covered_by_fit) = (0, 0);
    for _ in 0..files {
        let draw = |random: &mut Random| {
            let a = skewed(random, 20);
            let b = if random.below(3) > 0 { a * 12 / 20 } else { skewed(random, 12) };
            let c = if random.below(3) > 0 { b } else { skewed(random, 12) };
            vec![code(a), code(b), code(c), code(skewed(random, 10))]
        };
        let everybody: Vec<Vec<u32>> = (0..people).map(|_| draw(&mut random)).collect();
        let everybody = World { levels: levels.to_vec(), records: everybody };
        let truths = everybody.margin_table(VarSet::first(4));
        // They were drawn one like the other, so the first ones are a random sample.
        let records = everybody.records[..drawn].to_vec();
        let world = World { levels: levels.to_vec(), records };
        let table = table(&world);
        let size = Population::new(drawn as u64, f64::from(people)).unwrap();
        let mut summaries = Summaries::new(&table);
        let found = select(&mut summaries, Criterion::Bic, &Start::Forest, Direction::Forward);
        let tree = junction_tree(&found.graph).unwrap();
        let class = GeneratingClass::new(table.keys(), tree.cliques().iter().copied());
        let risks_of = |class| risks(&table, &FittedModel::fit(&table, class), size);
        let fitted = risks_of(&class);
        let uniques = (0..drawn)
            .filter(|&record| table.joint().is_sample_unique(cell_of(&table, record)))
            .map(|record| &world.records[record]);
        let truth = uniques.clone().filter(|codes| truths[*codes] == 1).count() as f64;
        let others = f64::from(people) - drawn as f64;
        let own: Vec<f64> = uniques.map(|codes| (-others * probability(codes)).exp()).collect();
        let within = |unique: &[f64]| {
            let spread: f64 = unique.iter().map(|p| p * (1.0 - p)).sum();
            usize::from((unique.iter().sum::<f64>() - truth).abs() <= 1.96 * spread.sqrt())
        };
        covered += within(&own);
        let by_fit: Vec<f64> = fitted.cells.iter().map(|cell| cell.unique).collect();
        covered_by_fit += within(&by_fit);
        right += truth;
        known += own.iter().sum::<f64>();
        estimated += fitted.tau1;
        naive += risks_of(&GeneratingClass::new(table.keys(), [])).tau1;
    }
    assert!((known / right - 1.0).abs() < 0.01, "{known} {right}");
    assert!(covered * 100 >= files * 89, "{covered} of {files}");
    assert!((estimated / right - 1.0).abs() < 0.15, "{estimated} {right}");
    assert!((naive - right).abs() > (estimated - right).abs(), "{naive} {estimated} {right}");
    // These are the numbers that docs/THEORY.md tells.
    let told = [known / right, estimated / right, naive / right].map(|part| (part * 100.0).round());
    assert_eq!((told, covered, covered_by_fit), ([100.0, 91.0, 121.0], 95, 28));
}
