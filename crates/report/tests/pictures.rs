//! The pictures: nothing overlaps, nothing leaves the sheet, every one has its text twin, and
//! small cases look byte for byte as they did.
//!
//! `MARGINSWAP_BLESS=1 cargo test -p marginswap-report` writes the golden files again.

#![allow(clippy::unwrap_used, reason = "a test stops where it is surprised")]

use crate::support;

use marginswap_report::Picture;
use marginswap_report::band::Band;
use marginswap_report::explain::{
    ChoiceReport, LinkReport, PairReport, RecordReport, ThroughReport, TieReason, WhatIf,
};
use marginswap_report::found::{FoundByKeysKnown, FoundBySomeKeys, FoundPeople};
use marginswap_report::frontier::{FrontierPlan, FrontierReport};
use marginswap_report::pictures::diagonal::DiagonalPicture;
use marginswap_report::pictures::risk::RiskPicture;
use marginswap_report::pictures::triangle::{Distance, Fate, TrianglePicture};
use marginswap_report::pictures::waterfall::Coverage;
use marginswap_report::pictures::{
    change, diagonal, found as found_picture, frontier, risk, triangle, true_values, waterfall, why,
};
use marginswap_report::protection::{Fates, ScenarioProtection};
use marginswap_report::verify::VariableReport;

use support::{Area, Node, assert_golden, name, read, sheet, text_area};

/// Bars, fields, chips and swatches.
fn box_area(node: &Node) -> Option<Area> {
    (node.name == "rect" && node.attribute("x").is_some()).then(|| Area {
        left: node.number("x"),
        right: node.number("x") + node.number("width"),
        top: node.number("y"),
        bottom: node.number("y") + node.number("height"),
    })
}

/// Reads a picture and asserts that no text meets another or cuts a box, that nothing leaves
/// the sheet, and that its twin says something.
fn checked(picture: &Picture, what: &str) -> Node {
    let root = read(&picture.file());
    let sheet = sheet(&root);
    let nodes = root.all();
    let mut texts: Vec<(Area, &str)> = nodes
        .iter()
        .filter(|node| node.name == "text")
        .map(|text| (text_area(text), text.text.as_str()))
        .collect();
    for (area, text) in &texts {
        assert!(area.within(&sheet), "{what}: {text:?} {area:?} leaves the sheet {sheet:?}");
    }
    let boxes: Vec<Area> = nodes.iter().filter_map(|node| box_area(node)).collect();
    for area in &boxes {
        assert!(area.within(&sheet), "{what}: {area:?} leaves the sheet {sheet:?}");
        for (text, words) in texts.iter().filter(|(text, _)| text.meets(area)) {
            let inside = text.left >= area.left && text.right <= area.right;
            assert!(inside, "{what}: {words:?} cuts a box: {text:?} {area:?}");
        }
    }
    for circle in nodes.iter().filter(|node| node.name == "circle") {
        let (x, y, r) = (circle.number("cx"), circle.number("cy"), circle.number("r"));
        let area = Area { left: x - r, right: x + r, top: y - r, bottom: y + r };
        assert!(area.within(&sheet), "{what}: a point leaves the sheet");
        for (text, words) in &texts {
            assert!(!text.meets(&area), "{what}: {words:?} covers a point: {text:?} {area:?}");
        }
    }
    // From left to right, so that only neighbours are compared.
    texts.sort_by(|(left, _), (right, _)| left.left.total_cmp(&right.left));
    for (index, (area, text)) in texts.iter().enumerate() {
        let later = texts[index + 1..].iter().take_while(|(other, _)| other.left < area.right);
        for (other, words) in later {
            assert!(!area.meets(other), "{what}: {text:?} {area:?} meets {words:?} {other:?}");
        }
    }
    assert!(!picture.title().is_empty() && !picture.twin().to_string().is_empty(), "{what}");
    root
}

const ALPHABETS: [&str; 4] = [
    "WmarItal-statusgjQ_%",
    "婚姻状況年齢地域性別職業。",
    "الحالةالاجتماعيةالعمرض",
    "👩\u{200D}🌾🏠🇩🇰👍🏽❤\u{FE0F}",
];

/// 3 to 40 variables with names of 1 to 40 characters, in four scripts.
fn for_all_names(mut test: impl FnMut(&[String], &str)) {
    for (script, alphabet) in ALPHABETS.iter().enumerate() {
        for count in 3..=40 {
            for length in (1..=40).filter(|length| (length + count + script) % 8 == 0) {
                let names: Vec<String> =
                    (0..count).map(|shift| name(alphabet, length, shift)).collect();
                test(&names, &format!("script {script}, {count} names of {length}"));
            }
        }
    }
}

fn fate(seed: usize) -> Fate {
    let distance = [0.0, 1e-7, 0.0004, 0.0123, 0.0999, 0.5, 1.0][seed % 7];
    match seed % 5 {
        0 => Fate::Fixed,
        1 => Fate::Same,
        2 => Fate::Changed(Distance::Within(Band::of(distance))),
        3 => Fate::Broken(Distance::Exact(distance)),
        _ => Fate::Changed(Distance::Exact(distance)),
    }
}

fn triangle_of(names: &[String], fate: impl Fn(usize) -> Fate) -> TrianglePicture<'_> {
    let pairs =
        (0..names.len()).flat_map(|low| (low + 1..names.len()).map(move |high| [low, high]));
    TrianglePicture {
        id: "",
        names: names.iter().map(String::as_str).collect(),
        tables: pairs.enumerate().map(|(number, pair)| (pair, fate(number))).collect(),
    }
}

#[test]
fn the_triangle_has_no_overlaps() {
    for_all_names(|names, what| {
        checked(
            &triangle::draw(&triangle_of(names, |number| fate(number * 7 + names.len()))),
            what,
        );
    });
}

#[test]
fn the_largest_triangle_is_drawn_in_part() {
    let names: Vec<String> = (0..256).map(|number| format!("variable {number}")).collect();
    let picture = triangle::draw(&triangle_of(&names, fate));
    let svg = picture.file();
    checked(&picture, "256 variables");
    assert!(svg.contains("64 of 256 variables are drawn"));
    assert!(svg.len() < 1_500_000, "{}", svg.len());
    for few in 0..3 {
        checked(&triangle::draw(&triangle_of(&names[..few], |_| Fate::Fixed)), "few");
    }
}

#[test]
fn bars_have_no_overlaps() {
    for_all_names(|names, what| {
        let variables: Vec<VariableReport> = names
            .iter()
            .enumerate()
            .map(|(number, variable)| VariableReport {
                variable: variable.clone(),
                changed: (number as u64 * 977) % 4_294_967_295,
            })
            .collect();
        checked(&change::draw("", &variables, 4_294_967_295), what);
    });
    checked(&change::draw("", &[], 0), "no variable");
}

fn pair_of(names: &[String], swappable: bool) -> PairReport {
    let parts = names.chunks(3).map(<[String]>::to_vec).collect();
    PairReport {
        records: [1, 4_294_967_295],
        swappable,
        differing: names.to_vec(),
        parts: if swappable { parts } else { vec![names.to_vec()] },
        stays: names[..1].to_vec(),
        exchanges: Some(3),
        exchange_bits: 2,
        bound_by: names
            .windows(2)
            .filter(|_| !swappable)
            .map(|ends| LinkReport {
                name: None,
                variables: [ends[0].clone(), ends[1].clone()],
                table: names[..names.len().min(5)].to_vec(),
                reason: TieReason::KeptTable,
            })
            .collect(),
    }
}

fn record_of(names: &[String], swappable: bool) -> RecordReport {
    let separators = names
        .iter()
        .enumerate()
        .map(|(number, _)| ThroughReport {
            separator: names[..number % 4].to_vec(),
            components: Vec::new(),
            agree: 1_000_000,
            same_cell: 1,
            one_side: 999_999 - if swappable { number as u64 } else { 0 },
            partners: if swappable { number as u64 } else { 0 },
            diagonals: Vec::new(),
        })
        .collect();
    RecordReport {
        hiding: None,
        restrictions: Vec::new(),
        published_tables: 0,
        record: 4_294_967_295,
        cell_count: 1,
        sample_unique: true,
        swappable,
        disclosed: None,
        proof: None,
        partners: u64::from(swappable),
        separators,
        separators_complete: true,
        separators_known: 3,
        choice: None,
        what_if: (0..usize::from(!swappable) * names.len())
            .map(|number| WhatIf {
                name: None,
                table: names[..number % 5].to_vec(),
                partners: number as u64 * 1000,
                held_by: None,
            })
            .collect(),
        partner_records: None,
        keys: vec![],
        larger: None,
    }
}

#[test]
fn why_has_no_overlaps() {
    for_all_names(|names, what| {
        for swappable in [true, false] {
            checked(&why::draw_pair("", &pair_of(names, swappable)), what);
            checked(&why::draw_record("", &record_of(names, swappable)), what);
        }
    });
    let none = RecordReport { separators: Vec::new(), ..record_of(&["a".to_owned()], false) };
    checked(&why::draw_record("", &none), "no separator");
    let same = PairReport {
        differing: Vec::new(),
        bound_by: Vec::new(),
        ..pair_of(&["a".to_owned()], false)
    };
    assert!(why::draw_pair("", &same).twin().to_string().contains("nothing would change"));
    checked(&why::draw_pair("", &same), "the same values");
}

#[test]
fn the_diagonal_has_no_overlaps() {
    for_all_names(|names, what| {
        let pair = PairReport {
            differing: names[..3].to_vec(),
            stays: Vec::new(),
            ..pair_of(names, true)
        };
        let picture = DiagonalPicture::of_pair(&pair, names).unwrap();
        checked(&diagonal::draw("", &picture), what);
        let choice = ChoiceReport {
            separator: Vec::new(),
            alpha: names[..2].to_vec(),
            beta: names[1..].to_vec(),
            partner: 12,
            exchanged: names[..1].to_vec(),
        };
        checked(&diagonal::draw("", &DiagonalPicture::of_choice(7, &choice)), what);
    });
}

/// A value that stays is never drawn as exchanged.
#[test]
fn the_diagonal_exchanges_what_may_travel() {
    let names = ["a", "b", "c", "d"].map(str::to_owned);
    let pair = PairReport {
        parts: vec![vec!["a".to_owned()], vec!["b".to_owned()]],
        differing: vec!["a".to_owned(), "b".to_owned()],
        ..pair_of(&names, true)
    };
    let picture = DiagonalPicture::of_pair(&pair, &names).unwrap();
    assert_eq!((picture.exchanged, picture.others), (vec!["b".to_owned()], vec!["a".to_owned()]));
    assert_eq!(picture.agree, ["c", "d"]);
    assert!(DiagonalPicture::of_pair(&pair_of(&names, false), &names).is_none());
}

/// Of those at risk these are separable, shared and matched; every third match is right.
fn coverage(records: u64, at_risk: u64, separable: u64, shared: u64, matched: u64) -> Coverage {
    Coverage {
        records,
        at_risk,
        separable: Some(separable),
        gone: at_risk - shared - matched,
        shared,
        matched,
        matched_right: matched.div_ceil(3),
    }
}

fn found(coverage: &Coverage, values: Option<[f64; 2]>) -> RiskPicture {
    RiskPicture {
        at_risk: coverage.at_risk,
        gone: coverage.gone,
        shared: coverage.shared,
        matched: coverage.matched,
        matched_right: coverage.matched_right,
        values_true: values.map(|[right, _]| right),
        values_true_by_chance: values.map(|[_, chance]| chance),
    }
}

/// An intruder to whom so many people are found by 0, 1, 2, … keys, and no fewer.
fn found_by_keys(people: &[u64]) -> FoundBySomeKeys {
    let by_keys = (0..).zip(people).map(|(keys, &before)| FoundByKeysKnown {
        keys,
        before,
        after: before / 2,
        by_chance: before / 3,
    });
    let sum = |share: u64| people.iter().map(|people| people / share).sum();
    FoundBySomeKeys {
        people: FoundPeople {
            found_before: sum(1),
            found: sum(2),
            found_by_chance: sum(3),
            ..FoundPeople::default()
        },
        found_by_keys_known: by_keys.collect(),
        exact_up_to: people.len(),
        ..FoundBySomeKeys::default()
    }
}

/// An intruder with this histogram of true values.
fn scenario(histogram: &[u64]) -> ScenarioProtection {
    let matched = histogram.iter().sum();
    ScenarioProtection {
        name: None,
        keys: vec!["age".to_owned()],
        sensitive: (1..histogram.len()).map(|number| format!("variable {number}")).collect(),
        fates: Fates {
            at_risk: matched + 5,
            gone: 3,
            shared: 2,
            matched,
            matched_right: histogram.last().copied().unwrap_or(0),
            shared_right: 0,
            shared_learned: 0,
            protected: 5,
            newly_exposed: 0,
        },
        values_true: Some(0.4),
        values_true_by_chance: Some(0.314),
        shared_values_true: None,
        shared_values_true_by_chance: None,
        matched_by_true_values: histogram.to_vec(),
        found: None,
    }
}

#[test]
fn counts_of_any_size_fit() {
    const MOST: u64 = 4_294_967_295;
    for numbers in [
        [0, 0, 0, 0, 0],
        [1, 1, 1, 0, 0],
        [1, 1, 0, 0, 1],
        [1_000_000, 17, 17, 0, 1],
        [MOST, MOST, 3_000_000_000, 1_000_000_000, 1_000_000_000],
        [10, 10, 0, 10, 0],
    ] {
        let [records, at_risk, separable, shared, matched] = numbers;
        let coverage = coverage(records, at_risk, separable, shared, matched);
        checked(&waterfall::draw("", &coverage), &format!("{numbers:?}"));
        let unknown = Coverage { separable: None, ..coverage };
        let picture = waterfall::draw("", &unknown);
        checked(&picture, &format!("{numbers:?}, separable not known"));
        assert!(!picture.file().contains("artable"));
        for values in [None, Some([0.0, 0.0]), Some([1.0, 0.000_1]), Some([0.99999, 1.0])] {
            checked(
                &risk::draw("", &found(&coverage, values)),
                &format!("{numbers:?}, {values:?}"),
            );
        }
    }
    for histogram in [vec![], vec![3], vec![0, 0], vec![MOST, 1, 0, 7], vec![9; 41], vec![1; 256]] {
        checked(&true_values::draw("", &scenario(&histogram)), &format!("{histogram:?}"));
    }
    for people in [vec![], vec![0], vec![0, 0, 0], vec![MOST; 3], vec![0, 1, MOST], vec![1; 60]] {
        checked(&found_picture::draw("", &found_by_keys(&people)), &format!("{people:?}"));
    }
}

#[test]
#[should_panic(expected = "everybody at risk is counted once")]
fn a_waterfall_adds_up() {
    let wrong = Coverage { gone: 5, ..coverage(20, 10, 8, 2, 2) };
    let _ = waterfall::draw("", &wrong);
}

/// The words of the pictures say the numbers that are drawn.
#[test]
fn the_twins_say_what_an_intruder_finds() {
    let coverage = coverage(400, 17, 15, 2, 3);
    let words = waterfall::draw("", &coverage).twin().to_string();
    assert!(words.contains("17 people are at risk. Of these 12 are gone, 2 are shared and 3 are"));
    assert!(words.contains("1 is matched with every sensitive value true"), "{words}");
    let words = risk::draw("", &found(&coverage, Some([0.4, 0.25]))).twin().to_string();
    assert!(words.contains("3 are still matched, 1 with every sensitive value true"), "{words}");
    assert!(words.contains("matched records: 40.0 %; on a random record: 25.0 %"), "{words}");
    let words = true_values::draw("", &scenario(&[5, 4, 1])).twin().to_string();
    assert!(words.contains("all 2 true: people matched 1, share 10.0 %."), "{words}");
    assert!(words.contains("would have 0.6 of 2 true on average."), "{words}");
    let words = found_picture::draw("", &found_by_keys(&[0, 4, 20])).twin().to_string();
    assert!(words.contains("24 before, 12 after, 7 by chance."), "{words}");
    assert!(words.contains("up to 2 keys: found before 24, after 12, by chance 7."), "{words}");
}

fn plans(count: usize) -> FrontierReport {
    let plan = |number: usize| FrontierPlan {
        number: number + 1,
        budget: (!number.is_multiple_of(4)).then(|| format!("{} %", number % 4)),
        seed: number / 4 + 1,
        records_changed: 10 * number as u64,
        gone: 988 - (count - number) as u64 * 2,
        shared: 0,
        matched: 12 + (count - number) as u64 * 2,
        matched_right: (count - number) as u64 / 2,
        newly_exposed: 0,
        change: 0.0001 * (number % 9) as f64,
        two_way_mean: 0.0001 * (number % 9) as f64,
        two_way_max: 0.01,
        undominated: number.is_multiple_of(2),
    };
    FrontierReport {
        records: 100_000,
        at_risk: 1000,
        not_separable: 12,
        disclosed: 3,
        larger_swaps: false,
        by_two_way: true,
        criterion: "the fewest matched, then the least change".to_owned(),
        chosen: count.checked_sub(1),
        plans: (0..count).map(plan).collect(),
        not_for_release: false,
    }
}

#[test]
fn the_frontier_has_no_overlaps() {
    for count in [0, 1, 2, 3, 12, 60, 400] {
        checked(&frontier::draw("", &plans(count)), &format!("{count} plans"));
    }
    let mut same = plans(40);
    for plan in &mut same.plans {
        (plan.matched, plan.change, plan.undominated) = (0, 0.0, true);
    }
    same.not_separable = 0;
    checked(&frontier::draw("", &same), "all at one point");
}

/// Names from a file are only names, in every picture and twin.
#[test]
fn hostile_names_are_only_names() {
    let long = "a_very_long_name_".repeat(12);
    let names = [
        "<script>alert(1)</script>",
        "\"&'",
        "]]>",
        "\u{0}\u{1}\u{7f}\u{FFFE}",
        "شماره\u{202E}ملی",
        "",
        "two\nlines\tand a tab",
        &long,
        "--><!--",
        "</desc></svg>",
    ]
    .map(str::to_owned);
    let variables = names.clone().map(|variable| VariableReport { variable, changed: 3 });
    let choice = DiagonalPicture {
        records: [1, 2],
        agree: names.to_vec(),
        exchanged: names.to_vec(),
        others: names.to_vec(),
    };
    for picture in [
        triangle::draw(&triangle_of(&names, fate)),
        change::draw("a\"b", &variables, 10),
        why::draw_pair("", &pair_of(&names, false)),
        why::draw_record("", &record_of(&names, false)),
        diagonal::draw("", &choice),
    ] {
        let root = checked(&picture, picture.title());
        assert!(root.all().iter().all(|node| node.name != "script"), "{}", picture.title());
        assert!(picture.file().contains("&lt;script&gt;alert(1)"), "{}", picture.title());
    }
}

#[test]
fn golden_pictures() {
    let names = ["region", "sex", "age", "marital"].map(str::to_owned);
    let variables: Vec<VariableReport> = names
        .iter()
        .zip([0, 12, 3, 40])
        .map(|(name, changed)| VariableReport { variable: name.clone(), changed })
        .collect();
    let pair = PairReport {
        records: [48, 1203],
        differing: names[1..].to_vec(),
        parts: vec![names[1..2].to_vec(), names[2..].to_vec()],
        stays: Vec::new(),
        ..pair_of(&names, true)
    };
    let triangle_picture = triangle_of(&names, |number| {
        [
            Fate::Fixed,
            Fate::Fixed,
            Fate::Changed(Distance::Exact(0.0123)),
            Fate::Same,
            Fate::Changed(Distance::Exact(0.0004)),
            Fate::Changed(Distance::Exact(0.08)),
        ][number]
    });
    let coverage = coverage(400, 17, 15, 2, 3);
    for (name, picture) in [
        ("triangle.svg", triangle::draw(&triangle_picture)),
        ("change.svg", change::draw("", &variables, 400)),
        ("risk.svg", risk::draw("", &found(&coverage, Some([0.45, 0.314])))),
        ("true_values.svg", true_values::draw("", &scenario(&[12, 30, 22, 9, 4, 0, 1]))),
        ("found.svg", found_picture::draw("", &found_by_keys(&[0, 4, 21, 160]))),
        ("waterfall.svg", waterfall::draw("", &coverage)),
        ("why_not_a_pair.svg", why::draw_pair("", &pair_of(&names, false))),
        ("why_not_a_record.svg", why::draw_record("", &record_of(&names, false))),
        ("diagonal.svg", diagonal::draw("", &DiagonalPicture::of_pair(&pair, &names).unwrap())),
        ("frontier.svg", frontier::draw("", &plans(8))),
    ] {
        checked(&picture, name);
        let inline = read(&picture.inline().to_string());
        assert!(inline.all().iter().all(|node| !["style", "desc"].contains(&node.name.as_str())));
        assert_golden(name, &picture.file());
    }
}

/// The axes name what was measured, and the floor is what is known of it.
#[test]
fn the_frontier_says_what_it_measures() {
    let pairs = frontier::draw("", &plans(6)).file();
    assert!(pairs.contains("Mean total variation") && pairs.contains("no swap of two records"));
    let other = FrontierReport { larger_swaps: true, by_two_way: false, ..plans(6) };
    let larger = frontier::draw("", &other).file();
    assert!(larger.contains("every two-way table is kept"), "{larger}");
    assert!(larger.contains("3 people at risk whose keys no swap can part"), "{larger}");
    let text = marginswap_report::Answer::text(&other);
    assert!(text.contains("Larger swaps may separate those who are not disclosed."), "{text}");
    assert!(text.lines().any(|line| line.ends_with("frontier, chosen")), "{text}");
}

/// A range that is told of a table that is not kept does not say whether it changed.
#[test]
fn free_tables_are_told_by_range() {
    let bands = [0.0, 0.03, 0.2].map(|distance| Fate::Free(Band::told(distance, 400)));
    let tables = [[0, 1], [0, 2], [1, 2]].into_iter().zip(bands).collect();
    let picture = triangle::draw(&TrianglePicture { id: "", names: vec!["a", "b", "c"], tables });
    checked(&picture, "free tables");
    let words = picture.twin().words.join(" ");
    assert_eq!(words, "Two-way tables: 3. Kept exactly: 0. Not kept: 3.");
    let file = picture.file();
    assert!(file.contains("below 5 %") && file.contains("5 % or more"), "{file}");
    assert!(!file.contains("unchanged") && !file.contains("that changed"), "{file}");
}
