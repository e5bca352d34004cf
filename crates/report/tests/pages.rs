//! The two pages: well-formed, without a reference to anything outside, readable without
//! style, and byte for byte as they were for a small case. What the external one must not
//! tell, it does not tell.
//!
//! `MARGINSWAP_BLESS=1 cargo test -p marginswap-report` writes the golden files anew.

#![allow(clippy::unwrap_used, reason = "a test stops where it is surprised")]

#[path = "support/html.rs"]
mod html;
mod support;

use marginswap_core::varset::VarSet;
use marginswap_report::Answer;
use marginswap_report::graph::{GraphReport, JunctionReport, SeparatorReport};
use marginswap_report::margin_graph::{self, GraphPicture, SeparatorPicture};
use marginswap_report::page::{
    ColumnFacts, Concern, ExternalReport, FileFacts, InternalReport, LeftRecord, Method, NotKept,
    PlanFacts, RiskBefore, Scenario, TableWhatIf, Verdict, WatchReport,
};
use marginswap_report::pictures::waterfall::{Coverage, LeftOver};
use marginswap_report::verify::{MarginReport, TwoWayReport, VariableReport, VerifyReport};
use support::assert_golden;

/// Four records, of which the first two exchanged what they have in the third variable. The
/// first two variables are in one kept table, the third is in another.
fn compared(names: [&str; 3]) -> VerifyReport {
    let list = |positions: &[usize]| positions.iter().map(|&one| names[one].to_owned()).collect();
    let margin = |positions| MarginReport { margin: list(positions), cells: 4, changed: 0 };
    let two_way = |pair: [usize; 2], kept, moved: [f64; 2], association| TwoWayReport {
        pair: pair.map(|one| names[one].to_owned()),
        kept,
        changed: if moved[0] > 0.0 { 4 } else { 0 },
        total_variation: moved[0],
        hellinger: moved[1],
        cramers_v_before: Some(association),
        cramers_v_after: Some(association),
    };
    let changed = names.iter().zip([0, 0, 2]);
    VerifyReport {
        equal: true,
        records_before: 4,
        records_after: 4,
        margins: vec![margin(&[0, 1]), margin(&[2])],
        records_changed: Some(2),
        cells_changed: Some(2),
        changed_by_variable: Some(
            changed
                .map(|(name, changed)| VariableReport { variable: (*name).to_owned(), changed })
                .collect(),
        ),
        keys: list(&[0, 2]),
        uniques_before: Some(4),
        uniques_after: Some(4),
        new_uniques: Some(0),
        emptied_uniques: Some(0),
        claims: Some(4),
        correct_claims: Some(2),
        claims_of_uniques: Some(4),
        correct_claims_of_uniques: Some(2),
        broken: Vec::new(),
        unlinked: None,
        reordered: false,
        two_way: vec![
            two_way([0, 1], true, [0.0, 0.0], 0.0),
            two_way([0, 2], false, [0.0, 0.0], 1.0),
            two_way([1, 2], false, [0.5, 0.5f64.sqrt()], 1.0),
        ],
        two_way_max: Some(0.5),
        two_way_mean: Some(0.25),
        three_way_max: None,
        three_way_mean: None,
    }
}

/// The first two variables are tied, the third is alone.
fn graph(names: [&str; 3]) -> (GraphReport, marginswap_report::Picture) {
    let list = |positions: &[usize]| -> Vec<String> {
        positions.iter().map(|&one| names[one].to_owned()).collect()
    };
    let tables = vec![list(&[0, 1]), list(&[2])];
    let report = GraphReport {
        variables: list(&[0, 1, 2]),
        margins: tables.clone(),
        absorbed: Vec::new(),
        uncovered: Vec::new(),
        stays: Vec::new(),
        stay_margin: None,
        edges: vec![[names[0], names[1]].map(str::to_owned)],
        complete: false,
        chordal: true,
        graphical: true,
        decomposable: true,
        cliques: Some(tables.clone()),
        junction_tree: Some(vec![JunctionReport {
            from: tables[0].clone(),
            to: tables[1].clone(),
            separator: Vec::new(),
        }]),
        separators: vec![SeparatorReport { separator: Vec::new(), components: tables }],
        separators_complete: true,
    };
    let sets = vec![VarSet::from([0, 1]), VarSet::single(2)];
    let picture = margin_graph::draw(&GraphPicture {
        names: names.to_vec(),
        tables: sets.clone(),
        edges: vec![(0, 1)],
        separators: vec![SeparatorPicture { separator: VarSet::EMPTY, components: sets }],
        separators_complete: true,
        ..GraphPicture::default()
    });
    (report, picture)
}

fn internal(names: [&str; 3]) -> InternalReport {
    let (graph, graph_picture) = graph(names);
    let file = |name: &str, digit: &str| FileFacts {
        name: name.to_owned(),
        bytes: 1234,
        sha256: digit.repeat(64),
        records: 4,
    };
    InternalReport {
        class: "INTERNAL",
        tool_version: "0.0.0",
        verdict: Verdict::Decide,
        concerns: vec![
            Concern::LeftAtRisk { records: 2, without_partner: 1 },
            Concern::ManyRightClaims { right: 2, claims: 4, most_percent: 10, untreated: None },
        ],
        before: file("survey.csv", "a"),
        after: file("released.csv", "b"),
        columns: names
            .iter()
            .map(|name| ColumnFacts {
                name: (*name).to_owned(),
                role: "may be exchanged".to_owned(),
                levels: Some(4),
            })
            .collect(),
        scenario: Some(Scenario {
            keys: vec![names[0].to_owned(), names[2].to_owned()],
            rule: "records alone with their keys".to_owned(),
        }),
        graph,
        graph_picture,
        risk_before: Some(RiskBefore {
            sample_uniques: 4,
            unique_on_keys: 4,
            below_3: 4,
            below_5: 4,
        }),
        coverage: Some(Coverage {
            records: 4,
            at_risk: 4,
            swappable: 3,
            protected: 2,
            disclosed: 1,
            left_over: vec![LeftOver { reason: "no free partner".to_owned(), records: 1 }],
        }),
        disclosed_is_exact: true,
        by_larger: Some(0),
        what_if: Some(vec![TableWhatIf {
            table: vec![names[0].to_owned(), names[1].to_owned()],
            frees: 1,
        }]),
        verify: compared(names),
        watched: vec![WatchReport {
            table: names.map(str::to_owned).to_vec(),
            changed: 4,
            total_variation: 0.5,
            hellinger: 0.7,
        }],
        method: Method { parameters: vec![("pairing".to_owned(), "greedy".to_owned())] },
        plan: Some(PlanFacts {
            name: "swap.plan".to_owned(),
            tool_version: "0.0.0".to_owned(),
            swaps: 1,
            groups: 0,
            fits_input: true,
            gives_release: Some(true),
            not_for_release: false,
        }),
        replay: vec!["marginswap apply survey.csv swap.plan -o released.csv".to_owned()],
        shuffled: false,
        left_records: None,
    }
}

fn published(report: &InternalReport, demonstration: bool) -> Result<ExternalReport, NotKept> {
    let may_differ = report.columns.iter().map(|column| column.name.clone()).collect();
    ExternalReport::new(&report.verify, &report.watched, may_differ, demonstration)
}

const NAMES: [&str; 3] = ["region", "sex", "age"];

/// The version stands on the page and changes with every release.
fn without_version(page: &str) -> String {
    page.replace(env!("CARGO_PKG_VERSION"), "VERSION")
}

#[test]
fn golden_pages() {
    let report = internal(NAMES);
    html::checked(&report.html());
    assert_golden("internal.html", &report.html());
    let external = published(&report, false).unwrap();
    html::checked(&external.html());
    assert_golden("external.html", &without_version(&external.html()));
}

/// Without style and pictures the pages read from top to bottom.
#[test]
fn pages_are_readable_without_style() {
    let report = internal(NAMES);
    let text = html::plain(&html::checked(&report.html()));
    assert_golden("internal.txt", &text);
    for line in [
        "INTERNAL For those who decide on the release. Do not publish.",
        "Protection report",
        "2 records at risk have the same keys as before; 1 of them no swap of two records can change.",
        "region*sex | exactly equal | 4 | 0",
        "Two-way tables: 3. Exactly fixed by a kept table: 1. Not kept and unchanged: 1. Changed: 1.",
    ] {
        assert!(text.lines().any(|other| other == line), "{line:?} in\n{text}");
    }
    let external = published(&report, false).unwrap();
    let text = html::plain(&html::checked(&external.html()));
    assert!(
        text.contains(
            "How many records hold values of another one: an unstated part of the records."
        ),
        "{text}"
    );
    assert!(text.contains("A record is not a person."));
}

/// Every concern is a sentence on the page and in the text, and none shows a structure.
#[test]
fn every_concern_is_a_sentence_of_the_page() {
    let columns = vec!["age".to_owned()];
    let table = ["region", "sex"].map(str::to_owned).to_vec();
    let why = "record 3 has no id".to_owned();
    let untreated = Some([7, 4]);
    let cases = [
        (Concern::RecordNumbersDiffer, "different numbers of records"),
        (Concern::TableDiffers { table, cells: 2 }, "region*sex differs in 2 cells"),
        (Concern::IdsDisagree { why }, "ids of the two files do not agree: record 3 has no id."),
        (Concern::NoSwapChanges { columns }, "No swap changes the counts of"),
        (Concern::DemoSeed, "demo seed"),
        (Concern::PlanForAnotherFile, "another original"),
        (Concern::PlanGivesAnotherFile, "does not give"),
        (Concern::NoTables, "No table was named"),
        (Concern::Reordered, "in another order"),
        (Concern::NoKeys, "No keys were named"),
        (Concern::NotLinked, "not linked"),
        (Concern::LeftAtRisk { records: 1, without_partner: 0 }, "1 record at risk has the same"),
        (
            Concern::ManyRightClaims { right: 1, claims: 4, most_percent: 10, untreated },
            "1 of 4 claims about records that were alone with their keys is right (25.0 %); more \
             than 10 % is for a reviewer to decide. 7 records were alone with their keys, only 4 \
             were treated as at risk.",
        ),
    ];
    for (concern, words) in cases {
        let mut report = internal(NAMES);
        report.verdict = Verdict::Stop;
        report.concerns = vec![concern];
        assert!(report.text().contains(words), "{words}");
        let page = html::plain(&html::checked(&report.html()));
        assert!(page.contains("Do not release this file."), "{words}");
        assert!(page.contains(words), "{words} in\n{page}");
    }
}

#[test]
fn a_table_that_is_not_kept_says_so() {
    let mut report = internal(NAMES);
    assert!(!report.html().contains("DIFFERS"));
    report.verify.margins[0].changed = 2;
    assert!(html::plain(&html::checked(&report.html())).contains("DIFFERS"));
}

/// The released lines come in the same order again only with the seed: said where a plan is
/// given and the lines are shuffled, and not because a file's name looks like an option.
#[test]
fn a_random_order_is_told() {
    let words = "The released file is in random order";
    let mut report = internal(NAMES);
    report.replay = vec!["marginswap apply 'my --shuffle file.csv' swap.plan".to_owned()];
    assert!(!report.html().contains(words));
    report.shuffled = true;
    assert!(report.html().contains(words));
}

/// What is missing leaves no hole in the page.
#[test]
fn a_page_of_little_is_a_page() {
    let mut report = internal(NAMES);
    report.scenario = None;
    report.coverage = None;
    report.risk_before = None;
    report.what_if = None;
    report.plan = None;
    report.watched.clear();
    report.verify.claims = None;
    report.verify.records_changed = None;
    report.verify.changed_by_variable = None;
    report.verify.two_way.clear();
    report.method.parameters.clear();
    report.concerns = vec![Concern::NoKeys];
    let root = html::checked(&report.html());
    assert!(html::plain(&root).contains("No keys were named"));
}

#[test]
fn records_are_named_only_when_revealed() {
    let mut report = internal(NAMES);
    assert!(!report.html().contains("Revealed"));
    report.left_records = Some(vec![LeftRecord { record: 4711, reason: "no partner at all" }]);
    let text = html::plain(&html::checked(&report.html()));
    assert!(text.contains("4,711 | no partner at all"), "{text}");
}

#[test]
fn hostile_names_are_only_names() {
    let names = ["<script>alert(1)</script>", "شماره\u{202E}ملی\u{0}\u{FFFE}", "\"'&--></style>"];
    let report = internal(names);
    for page in [report.html(), published(&report, true).unwrap().html()] {
        let root = html::checked(&page);
        assert_eq!(root.named("script").count(), 0);
        assert!(html::plain(&root).contains("<script>alert(1)</script>"));
    }
}

/// The external report has no way to tell what it must not tell.
#[test]
fn the_external_report_tells_nothing_exact() {
    let report = internal(NAMES);
    let external = published(&report, false).unwrap();
    let told = serde_json::to_value(&external).unwrap();
    let fields: Vec<&String> = told.as_object().unwrap().keys().collect();
    let mut expected = [
        "class",
        "tool_version",
        "records",
        "tables",
        "extent",
        "variables",
        "may_differ",
        "two_way",
        "watched",
        "demonstration",
    ];
    expected.sort_unstable();
    let mut fields: Vec<&str> = fields.into_iter().map(String::as_str).collect();
    fields.sort_unstable();
    assert_eq!(fields, expected);
    // Four records are too few for any range.
    assert_eq!(told["extent"], serde_json::Value::Null);
    assert_eq!(told["watched"][0]["moved"], "not told");
    let json = told.to_string();
    for exact in ["0.5", "50.0", "aaaa", "bbbb", "swap.plan", "survey.csv"] {
        assert!(!json.contains(exact), "{exact}");
        assert!(!html::plain(&html::checked(&external.html())).contains(exact), "{exact}");
    }
    let mut broken = internal(NAMES);
    broken.verify.equal = false;
    assert_eq!(published(&broken, false).unwrap_err(), NotKept);
}

/// Swaps of two and larger ones are told apart.
#[test]
fn groups_are_told_apart_from_swaps() {
    let mut report = internal(NAMES);
    let text = |report: &InternalReport| html::plain(&html::checked(&report.html()));
    assert!(text(&report).contains("has 1 swap of two records. It was made"));
    assert!(!text(&report).contains("protected by larger swaps"));
    report.plan = Some(PlanFacts { swaps: 0, groups: 17, ..report.plan.unwrap() });
    report.by_larger = Some(17);
    let told = text(&report);
    assert!(told.contains("has 0 swaps of two records and 17 groups of more."), "{told}");
    assert!(told.contains("17 of the records at risk have no partner in a swap of two"), "{told}");
}

/// A page about a demonstration is not one to be published.
#[test]
fn a_demonstration_is_not_releasable() {
    let report = internal(NAMES);
    let page = published(&report, true).unwrap();
    let text = html::plain(&html::checked(&page.html()));
    assert!(!page.is_releasable() && !page.html().contains("RELEASABLE"), "{text}");
    assert!(!text.contains("May be published") && text.contains("NOT FOR RELEASE"), "{text}");
    assert!(page.text().starts_with("NOT FOR RELEASE"));
    assert!(published(&report, false).unwrap().is_releasable());
}
