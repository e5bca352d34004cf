//! The paper's conditions for two records, counted through: every generating class on up to
//! four variables, every set of differing variables, every exchange.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;

use marginswap_core::encode::PackedCells;
use marginswap_core::graph::GeneratingClass;
use marginswap_core::oracle::{World, all_antichains};
use marginswap_core::partner::pair::{self, Kept};
use marginswap_core::partner::swap::{PrimitiveMove, exchange};
use marginswap_core::varset::VarSet;
use serde_json::Value;

/// Two records that differ on a set.
fn two_records(variables: usize, differing: VarSet) -> World {
    let right = (0..variables).map(|variable| u32::from(differing.contains(variable))).collect();
    World { levels: vec![2; variables], records: vec![vec![0; variables], right] }
}

/// Calls `check` for every set of differing variables on up to four variables.
fn for_each_pair(mut check: impl FnMut(usize, VarSet, &World)) {
    for variables in 1..=4 {
        for differing in VarSet::first(variables).subsets() {
            check(variables, differing, &two_records(variables, differing));
        }
    }
}

#[test]
fn law_effective_by_definition() {
    for_each_pair(|variables, differing, world| {
        for exchanged in VarSet::first(variables).subsets() {
            assert_eq!(
                pair::is_effective(differing, exchanged),
                world.is_effective(0, 1, exchanged)
            );
        }
    });
}

#[test]
fn law_four_conditions() {
    let mut seen = BTreeSet::new();
    for_each_pair(|variables, differing, world| {
        for exchanged in VarSet::first(variables).subsets() {
            for margin in VarSet::first(variables).subsets() {
                let why = pair::why_kept(differing, exchanged, margin);
                seen.insert(format!("{why:?}"));
                assert_eq!(why.is_some(), world.keeps(0, 1, exchanged, &[margin]));
                match why {
                    Some(Kept::Travels) => assert!(margin.is_subset(&exchanged)),
                    Some(Kept::Stays) => assert!(!margin.meets(&exchanged)),
                    Some(Kept::AgreeOnExchanged) => {
                        assert!(!(margin & exchanged).meets(&differing));
                    }
                    Some(Kept::AgreeOnOthers) => assert!(!(margin - exchanged).meets(&differing)),
                    None => {}
                }
            }
        }
    });
    assert_eq!(seen.len(), 5, "all four conditions and their failure occur: {seen:?}");
}

/// Lemma 1.
#[test]
fn law_differing_part_of_a_table_moves_as_one() {
    for_each_pair(|variables, differing, world| {
        for exchanged in VarSet::first(variables).subsets() {
            for margin in VarSet::first(variables).subsets() {
                if world.is_effective(0, 1, exchanged) {
                    assert_eq!(
                        pair::keeps(differing, exchanged, margin),
                        world.keeps(0, 1, exchanged, &[margin])
                    );
                }
            }
        }
    });
}

/// Lemma 2.
#[test]
fn law_one_table_alone() {
    for_each_pair(|variables, differing, world| {
        for margin in VarSet::first(variables).subsets() {
            assert_eq!(pair::can_keep(differing, margin), world.are_swappable(0, 1, &[margin]));
        }
    });
}

/// Calls `check` for every generating class on up to four variables and every two records.
fn for_each_class_and_pair(mut check: impl FnMut(&GeneratingClass, VarSet, &World)) {
    for variables in 1..=4 {
        for chain in all_antichains(variables) {
            let class = GeneratingClass::new(VarSet::first(variables), chain);
            for differing in VarSet::first(variables).subsets() {
                check(&class, differing, &two_records(variables, differing));
            }
        }
    }
}

/// Theorem 1, and Corollary 2 with it: the graphical classes are among those counted here.
#[test]
fn law_swappable_iff_disconnected() {
    let mut swappable = 0;
    let mut classes = 0;
    for_each_class_and_pair(|class, differing, world| {
        let graph = class.margin_graph();
        let defined = world.are_swappable(0, 1, class.margins());
        assert_eq!(pair::is_swappable(&graph, differing), defined);
        swappable += usize::from(defined);
        classes += usize::from(differing.is_empty());
    });
    // Antichains of non-empty sets: the Dedekind numbers 3, 6, 20, 168 less two each.
    assert_eq!(classes, 1 + 4 + 18 + 166);
    assert!(swappable > 0);
}

#[test]
fn law_parts_travel_alone() {
    for_each_class_and_pair(|class, differing, world| {
        let parts = pair::exchangeable_parts(&class.margin_graph(), differing);
        for part in &parts {
            assert!(world.keeps(0, 1, *part, class.margins()));
            for smaller in part.subsets().filter(|set| !set.is_empty() && set != part) {
                assert!(!world.keeps(0, 1, smaller, class.margins()), "a part does not split");
            }
        }
    });
}

#[test]
fn law_exchanges_are_unions_of_parts() {
    for_each_class_and_pair(|class, differing, world| {
        let delta = class.delta();
        let results = |exchanges: &mut dyn Iterator<Item = VarSet>| -> BTreeSet<Vec<Vec<u32>>> {
            exchanges
                .map(|exchanged| {
                    let mut records = world.swapped(0, 1, exchanged).records;
                    records.sort();
                    records
                })
                .collect()
        };
        let parts = pair::exchangeable_parts(&class.margin_graph(), differing);
        let listed = results(&mut pair::exchanges(&parts));
        let defined = results(&mut delta.subsets().filter(|exchanged| {
            world.is_effective(0, 1, *exchanged) && world.keeps(0, 1, *exchanged, class.margins())
        }));
        assert_eq!(listed, defined);
        assert_eq!(listed.len(), pair::exchanges(&parts).count(), "each result is listed once");
        let expected = if parts.is_empty() { 0 } else { (1 << (parts.len() - 1)) - 1 };
        assert_eq!(listed.len(), expected);
    });
}

#[test]
fn law_links_bind_all_differing() {
    for_each_class_and_pair(|class, differing, world| {
        let links = pair::binding_links(class, differing);
        if differing.len() < 2 || world.are_swappable(0, 1, class.margins()) {
            assert!(links.is_empty());
            return;
        }
        assert_eq!(links.len(), differing.len() - 1);
        let mut reached = VarSet::single(differing.lowest().unwrap());
        for link in links {
            assert!(class.margins().contains(&link.margin));
            assert!(VarSet::from([link.from, link.to]).is_subset(&(link.margin & differing)));
            assert!(reached.contains(link.from) && !reached.contains(link.to));
            reached.insert(link.to);
        }
        assert_eq!(reached, differing);
    });
}

/// Corollary 1 is the theorem with the separator lemma (`law_separator_lemma`); here on
/// records: agree on S and differ in two components.
#[test]
fn law_partner_through_a_separator() {
    for_each_class_and_pair(|class, differing, world| {
        let found = marginswap_core::graph::minimal_separators(&class.margin_graph(), usize::MAX);
        let through = found.list().iter().any(|separator| {
            !separator.variables.meets(&differing)
                && separator.components.iter().filter(|part| part.meets(&differing)).count() >= 2
        });
        assert_eq!(through, world.are_swappable(0, 1, class.margins()));
    });
}

#[test]
fn law_swapping_by_definition() {
    for_each_pair(|variables, _, world| {
        let packed = world.packed();
        let cells = packed.cells();
        for exchanged in VarSet::first(variables).subsets() {
            let (left, right) = exchange(cells.layout(), cells.get(0), cells.get(1), exchanged);
            let after = world.swapped(0, 1, exchanged).packed();
            assert_eq!([&left[..], &right[..]], [after.cells().get(0), after.cells().get(1)]);
        }
    });
}

#[test]
fn law_a_swap_is_a_primitive_move() {
    for_each_pair(|variables, _, world| {
        let packed = world.packed();
        let cells = packed.cells();
        for exchanged in VarSet::first(variables).subsets() {
            let made =
                PrimitiveMove::of_swap(cells.layout(), cells.get(0), cells.get(1), exchanged);
            assert_eq!(made.is_some(), world.is_effective(0, 1, exchanged));
            if let Some(made) = made {
                // The four cells are different, so entries are +1, +1, −1, −1.
                let again = PrimitiveMove::new(made.removed().clone(), made.added().clone());
                assert_eq!(again.as_ref(), Some(&made));
            }
        }
    });
}

/// All primitive moves of a model, up to sign, each as its cells' positions.
fn primitive_moves(world: &World, tables: &[VarSet]) -> Vec<([usize; 2], [usize; 2])> {
    let cells = world.all_cells();
    let pairs: Vec<[usize; 2]> =
        (0..cells.len()).flat_map(|l| (l + 1..cells.len()).map(move |r| [l, r])).collect();
    let shadow = |pair: &[usize; 2], table: VarSet| {
        let two = World {
            levels: world.levels.clone(),
            records: pair.iter().map(|&cell| cells[cell].clone()).collect(),
        };
        two.margin_table(table)
    };
    let mut by_shadow: std::collections::BTreeMap<Vec<_>, Vec<[usize; 2]>> = Default::default();
    for pair in pairs {
        let shadows: Vec<_> = tables.iter().map(|table| shadow(&pair, *table)).collect();
        by_shadow.entry(shadows).or_default().push(pair);
    }
    let mut moves = Vec::new();
    for same in by_shadow.values() {
        for (position, removed) in same.iter().enumerate() {
            for added in &same[position + 1..] {
                if removed.iter().all(|cell| !added.contains(cell)) {
                    moves.push((*removed, *added));
                }
            }
        }
    }
    moves
}

/// The appendix: with every variable in a table, a primitive move is a swap; and the other
/// way round every effective swap that keeps 𝒟 is among the moves.
#[test]
fn law_a_primitive_move_is_a_swap() {
    let world = World { levels: vec![2, 3, 2], records: Vec::new() };
    let cells = PackedCells::from_codes(&world.levels, &world.all_cells());
    let mut strangers = 0;
    for chain in all_antichains(3) {
        let class = GeneratingClass::new(VarSet::first(3), chain);
        let moves = primitive_moves(&world, class.margins());
        let mut as_swaps = 0;
        for (removed, added) in moves {
            let words = |pair: [usize; 2]| pair.map(|cell| cells.get(cell).to_vec());
            let made = PrimitiveMove::new(words(removed), words(added)).unwrap();
            match made.exchanged(cells.layout()) {
                Some(exchanged) => {
                    let differing = cells.differing(removed[0], removed[1]);
                    assert!(pair::is_effective(differing, exchanged));
                    assert!(
                        class
                            .margins()
                            .iter()
                            .all(|margin| pair::keeps(differing, exchanged, *margin))
                    );
                    as_swaps += 1;
                }
                None => {
                    assert!(!class.uncovered().is_empty(), "only an uncovered variable allows it");
                    strangers += 1;
                }
            }
        }
        // Each move up to sign is one exchange of its removed cells.
        let mut exchanges = 0;
        for left in 0..cells.len() {
            for right in left + 1..cells.len() {
                let differing = cells.differing(left, right);
                let parts = pair::exchangeable_parts(&class.margin_graph(), differing);
                exchanges += pair::exchanges(&parts).count();
            }
        }
        assert_eq!(exchanges, 2 * as_swaps, "each move is met from both its ends");
    }
    assert!(strangers > 0, "the witness of the trap occurs");
}

/// The number of primitive moves of each model, against 4ti2's bases.
#[test]
fn vectors_of_markov_bases() {
    let vectors: Value = serde_json::from_str(include_str!("vectors/markov_bases.json")).unwrap();
    let mut checked = 0;
    for model in vectors["models"].as_array().unwrap() {
        let number = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
        let levels: Vec<usize> = model["levels"].as_array().unwrap().iter().map(number).collect();
        let class = GeneratingClass::new(
            VarSet::first(levels.len()),
            model["facets"]
                .as_array()
                .unwrap()
                .iter()
                .map(|facet| facet.as_array().unwrap().iter().map(number).collect()),
        );
        let world = World { levels: levels.clone(), records: Vec::new() };
        let cells = PackedCells::from_codes(&levels, &world.all_cells());
        let graph = class.margin_graph();
        let mut exchanges = 0;
        for left in 0..cells.len() {
            for right in left + 1..cells.len() {
                let parts = pair::exchangeable_parts(&graph, cells.differing(left, right));
                exchanges += pair::exchanges(&parts).count();
            }
        }
        let name = &model["name"];
        let expected = number(&model["num_primitive_moves_all_up_to_sign"]);
        assert_eq!(exchanges, 2 * expected, "{name}");
        // 4ti2's moves of degree 2 are swaps that keep the class.
        for listed in model["moves"].as_array().into_iter().flatten() {
            let entries: Vec<i64> =
                listed.as_array().unwrap().iter().map(|entry| entry.as_i64().unwrap()).collect();
            if entries.iter().map(|entry| entry.abs()).sum::<i64>() != 4 {
                continue;
            }
            let at = |sign: i64| -> Vec<Vec<u64>> {
                (0..entries.len())
                    .filter(|&cell| entries[cell] == sign)
                    .map(|cell| cells.get(cell).to_vec())
                    .collect()
            };
            let made =
                PrimitiveMove::new(at(-1).try_into().unwrap(), at(1).try_into().unwrap()).unwrap();
            let exchanged = made.exchanged(cells.layout()).unwrap();
            let differing = cells.layout().differing(&made.removed()[0], &made.removed()[1]);
            assert!(pair::is_effective(differing, exchanged), "{name}");
            assert!(
                class.margins().iter().all(|margin| pair::keeps(differing, exchanged, *margin))
            );
            checked += 1;
        }
    }
    assert!(checked > 100, "{checked}");
}

/// The paper's introduction: with all two-way tables kept no pair can be swapped; with age
/// and occupation tied they travel together.
#[test]
fn the_papers_introduction() {
    let [sex, age, occupation, residence] = [0, 1, 2, 3];
    let all = VarSet::first(4);
    let pairs = all.subsets().filter(|set| set.len() == 2);
    let complete = GeneratingClass::new(all, pairs).margin_graph();
    assert!(!pair::is_swappable(&complete, all));
    let tied = GeneratingClass::new(
        all,
        [VarSet::single(sex), VarSet::from([age, occupation]), VarSet::single(residence)],
    );
    assert_eq!(
        pair::exchangeable_parts(&tied.margin_graph(), all),
        [VarSet::single(sex), VarSet::from([age, occupation]), VarSet::single(residence)]
    );
}
