//! The two pages: well-formed, without a reference to anything outside, readable without
//! style, and byte for byte as they were for a small case. What the external one must not
//! tell, it does not tell.
//!
//! `MARGINSWAP_BLESS=1 cargo test -p marginswap-report` writes the golden files anew.

#![allow(clippy::unwrap_used, reason = "a test stops where it is surprised")]

#[path = "support/html.rs"]
mod html;
mod support;

use marginswap_core::encode::Records;
use marginswap_core::graph::{Formula, Scope, minimal_separators};
use marginswap_core::varset::VarSet;
use marginswap_core::verify::{Checks, Link, Triples, verify};
use marginswap_report::Answer;
use marginswap_report::graph::{GraphReport, picture};
use marginswap_report::margin_graph;
use marginswap_report::page::{
    ColumnFacts, ExternalReport, FileFacts, InternalReport, LeftRecord, Method, NotKept, PlanFacts,
    RiskBefore, Scenario, TableWhatIf, Verdict, WatchReport,
};
use marginswap_report::pictures::waterfall::{Coverage, LeftOver};
use marginswap_report::verify::VerifyReport;
use support::assert_golden;

const BEFORE: [[u32; 3]; 4] = [[0, 0, 0], [0, 1, 1], [1, 0, 2], [1, 1, 3]];
/// The first two records exchange what they have in the third variable.
const SWAPPED: [[u32; 3]; 4] = [[0, 0, 1], [0, 1, 0], [1, 0, 2], [1, 1, 3]];

fn formula(names: [&str; 3]) -> Formula {
    let quoted = names.map(|name| format!("`{}`", name.replace('`', "``")));
    Formula::parse(&[format!("{}*{} + {}", quoted[0], quoted[1], quoted[2])]).unwrap()
}

fn compared(names: [&str; 3], after: &[[u32; 3]]) -> (Scope, VerifyReport) {
    let scope = Scope::of_tables(&formula(names)).unwrap();
    let records = |codes: &[[u32; 3]]| Records::from_codes(&[3, 2, 4], codes);
    let tables = [VarSet::from([0, 1]), VarSet::single(2)];
    let checks = Checks {
        tables: &tables,
        keys: VarSet::from([0, 2]),
        scenarios: &[],
        link: Some(&Link::ByPosition),
        compared: VarSet::first(3),
        triples: Triples::Skipped,
    };
    let found = verify(&records(&BEFORE), &records(after), &checks);
    let report = VerifyReport::new(scope.schema(), &found);
    (scope, report)
}

fn internal(names: [&str; 3], after: &[[u32; 3]]) -> InternalReport {
    let (scope, verify) = compared(names, after);
    let separators = minimal_separators(&scope.class().margin_graph(), 100);
    let file = |name: &str, digit: &str| FileFacts {
        name: name.to_owned(),
        bytes: 1234,
        sha256: digit.repeat(64),
        records: 4,
    };
    InternalReport {
        class: "INTERNAL",
        tool_version: "0.0.0",
        verdict: Verdict::Ready,
        concerns: Vec::new(),
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
        graph: GraphReport::new(&scope, &separators),
        graph_picture: margin_graph::draw(&picture(&scope, &separators)),
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
        verify,
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
        left_records: None,
    }
    .judged()
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
    let report = internal(NAMES, &SWAPPED);
    html::checked(&report.html());
    assert_golden("internal.html", &report.html());
    let external = published(&report, false).unwrap();
    html::checked(&external.html());
    assert_golden("external.html", &without_version(&external.html()));
}

/// Without style and pictures the pages read from top to bottom.
#[test]
fn pages_are_readable_without_style() {
    let report = internal(NAMES, &SWAPPED);
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

#[test]
fn the_verdict_follows_what_is_found() {
    let ready = |mut report: InternalReport| {
        report.coverage = Some(Coverage {
            swappable: 4,
            protected: 4,
            disclosed: 0,
            left_over: Vec::new(),
            ..report.coverage.unwrap()
        });
        report.verify.correct_claims_of_uniques = Some(0);
        report
    };
    let good = ready(internal(NAMES, &SWAPPED));
    assert_eq!(good.clone().judged().verdict, Verdict::Ready);
    assert!(good.clone().judged().concerns.is_empty());
    assert!(good.text().contains("2 of 2"));

    let plan = good.plan.clone().unwrap();
    type Change = fn(&mut InternalReport, PlanFacts);
    let cases: [(Verdict, &str, Change); 9] = [
        (Verdict::Stop, "demo seed", |report, plan| {
            report.plan = Some(PlanFacts { not_for_release: true, ..plan });
        }),
        (Verdict::Stop, "another original", |report, plan| {
            report.plan = Some(PlanFacts { fits_input: false, ..plan });
        }),
        (Verdict::Stop, "does not give", |report, plan| {
            report.plan = Some(PlanFacts { gives_release: Some(false), ..plan });
        }),
        (Verdict::Stop, "ids of the two files", |report, _| {
            report.verify.unlinked = Some("record 3 has no id".to_owned());
        }),
        (Verdict::Stop, "No swap changes", |report, _| {
            report.verify.broken = vec![vec!["age".to_owned()]];
        }),
        (Verdict::Decide, "No keys", |report, _| report.scenario = None),
        (Verdict::Decide, "not linked", |report, _| report.coverage = None),
        (Verdict::Decide, "in another order", |report, _| report.verify.reordered = true),
        (Verdict::Decide, "1 of 4 claims about records", |report, _| {
            report.verify.correct_claims_of_uniques = Some(1);
        }),
    ];
    for (verdict, words, change) in cases {
        let mut report = good.clone();
        change(&mut report, plan.clone());
        let report = report.judged();
        assert_eq!(report.verdict, verdict, "{words}");
        assert!(report.concerns.iter().any(|concern| concern.contains(words)), "{words}");
        html::checked(&report.html());
    }
    let broken = internal(NAMES, &[[0, 0, 1], [0, 1, 0], [1, 0, 2], [2, 1, 2]]);
    assert_eq!(broken.verdict, Verdict::Stop);
    assert!(broken.concerns[0].contains("region*sex differs in 2 cells"), "{:?}", broken.concerns);
    assert!(html::plain(&html::checked(&broken.html())).contains("DIFFERS"));
}

/// What is missing leaves no hole in the page.
#[test]
fn a_page_of_little_is_a_page() {
    let mut report = internal(NAMES, &SWAPPED);
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
    let root = html::checked(&report.judged().html());
    assert!(html::plain(&root).contains("No keys were named"));
}

#[test]
fn records_are_named_only_when_revealed() {
    let mut report = internal(NAMES, &SWAPPED);
    assert!(!report.html().contains("Revealed"));
    report.left_records = Some(vec![LeftRecord { record: 4711, reason: "no partner at all" }]);
    let text = html::plain(&html::checked(&report.html()));
    assert!(text.contains("4,711 | no partner at all"), "{text}");
}

#[test]
fn hostile_names_are_only_names() {
    let names = ["<script>alert(1)</script>", "شماره\u{202E}ملی\u{0}\u{FFFE}", "\"'&--></style>"];
    let report = internal(names, &SWAPPED);
    for page in [report.html(), published(&report, true).unwrap().html()] {
        let root = html::checked(&page);
        assert_eq!(root.named("script").count(), 0);
        assert!(html::plain(&root).contains("<script>alert(1)</script>"));
    }
}

/// The external report has no way to tell what it must not tell.
#[test]
fn the_external_report_tells_nothing_exact() {
    let report = internal(NAMES, &SWAPPED);
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
    let broken = internal(NAMES, &[[0, 0, 1], [0, 1, 0], [1, 0, 2], [2, 1, 2]]);
    assert_eq!(published(&broken, false).unwrap_err(), NotKept);
}

/// Swaps of two and larger ones are told apart.
#[test]
fn groups_are_told_apart_from_swaps() {
    let mut report = internal(NAMES, &SWAPPED);
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
    let report = internal(NAMES, &SWAPPED);
    let page = published(&report, true).unwrap();
    let text = html::plain(&html::checked(&page.html()));
    assert!(!page.is_releasable() && !page.html().contains("RELEASABLE"), "{text}");
    assert!(!text.contains("May be published") && text.contains("NOT FOR RELEASE"), "{text}");
    assert!(page.text().starts_with("NOT FOR RELEASE"));
    assert!(published(&report, false).unwrap().is_releasable());
}
