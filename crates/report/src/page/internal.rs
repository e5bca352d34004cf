//! The internal report: everything that a reviewer decides from.
//!
//! Its class is INTERNAL. It holds counts, names of columns and hashes, no value of a record;
//! record numbers only where they were asked for. The verdict and its reasons come first.

use askama::Template;
use marginswap_core::text::grouped;
use serde::Serialize;

use super::{
    ColumnFacts, Figure, FileFacts, LeftRecord, Method, PlanFacts, RiskBefore, Style, Table,
    WatchReport, rendered, tables,
};
use crate::advice;
use crate::answer::{Answer, counted, distance, formula, percent, sentence, share, shown};
use crate::graph::GraphReport;
use crate::lettering::spoken_list;
use crate::pictures::risk::RiskPicture;
use crate::pictures::waterfall::Coverage;
use crate::pictures::{areas, change, distance, found, risk, triangle, true_values, waterfall};
use crate::plan::{Moved, MovedDistance};
use crate::protection::{Reason, ScenarioProtection, rare_or_impossible};
use crate::published::PublishedReport;
use crate::reason::reason_sentence;
use crate::sheet::Picture;
use crate::verify::{Exchanged, HouseholdsReport, VerifyReport};

/// Everything that a reviewer decides from.
#[derive(Debug, Clone, Serialize)]
pub struct InternalReport {
    /// The class of the report.
    pub class: &'static str,
    /// The version of the program.
    pub tool_version: &'static str,
    /// Everything that `verify` answers: the verdict, the comparison of the two files, what
    /// intruders learn.
    #[serde(flatten)]
    pub verify: VerifyReport,
    /// The original file.
    pub before: FileFacts,
    /// The released file.
    pub after: FileFacts,
    /// Every column of the released file, and those of the original that it does not have.
    pub columns: Vec<ColumnFacts>,
    /// Who is at risk, in words; null when no keys were named.
    pub rule: Option<String>,
    /// The graph of the kept tables.
    pub graph: GraphReport,
    /// The same as a picture.
    #[serde(skip)]
    pub graph_picture: Picture,
    /// The risk in the original file, from each intruder.
    pub risk_before: Vec<RiskBefore>,
    /// What happened to the people at risk; null when no keys were named.
    pub coverage: Option<Coverage>,
    /// The watched tables.
    pub watched: Vec<WatchReport>,
    /// How the swaps were chosen, as far as it is known.
    pub method: Method,
    /// The plan, when it was given.
    pub plan: Option<PlanFacts>,
    /// How far changed records moved, by the areas that partners were looked for in first, where
    /// the plan says so.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moved: Vec<Moved>,
    /// How far changed records moved on the map, where the plan says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<MovedDistance>,
    /// What is proved, where a mechanism took the place of a plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<crate::certificate::Certificate>,
    /// The commands that do it again.
    pub replay: Vec<String>,
    /// Are the released records in random order?
    #[serde(skip)]
    pub shuffled: bool,
    /// The people at risk who are still matched, when records are revealed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_records: Option<Vec<LeftRecord>>,
    /// The people who are newly exposed, when records are revealed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exposed_records: Option<Vec<LeftRecord>>,
}

impl InternalReport {
    /// Was it made with a demo seed, which others know?
    #[must_use]
    pub fn is_demonstration(&self) -> bool {
        self.verify.judgement.is_demonstration()
    }

    /// Is this command among those that do it again?
    fn repeats(&self, command: &str) -> bool {
        self.replay.iter().any(|line| {
            line.starts_with(&format!("marginswap {command} "))
                || *line == format!("marginswap {command}")
        })
    }

    /// Do they give the same bytes? A random order needs the seed.
    fn repeats_bytes(&self) -> bool {
        let seed = self.replay.iter().any(|line| line.contains(" --seed-file "));
        self.repeats("apply") && (!self.shuffled || seed)
    }

    /// The page.
    #[must_use]
    pub fn html(&self) -> String {
        let verify = &self.verify;
        let change = verify
            .changed_by_variable
            .as_ref()
            .map(|variables| change::draw("", variables, verify.records_before));
        let triangle = (!verify.two_way.is_empty()).then(|| triangle::draw(&verify.triangle()));
        let scenarios = &verify.protection.scenarios;
        let records = verify.records_before;
        rendered(&Page {
            report: self,
            style: Style,
            figures: self.figures(),
            waterfall: self.coverage.as_ref().map(|found| Figure::new(waterfall::draw("", found))),
            scenarios: (1..).zip(scenarios).map(|(number, one)| Seen::of(number, one)).collect(),
            worst_case: tables::worst_case(self).map(Table::new),
            new_pairs: tables::new_pairs(self).map(Table::new),
            revealed: tables::revealed(self).into_iter().map(Table::new).collect(),
            weighted: tables::weighted(verify).map(Table::new),
            columns: tables::columns(self, true).map(Table::new),
            held_back: tables::columns(self, false).map(Table::new),
            graph: Figure::new(self.graph_picture.clone()),
            kept: Table::new(tables::kept(verify)),
            published: tables::published(verify).map(Table::new),
            change: change.map(Figure::new),
            moved: (!self.moved.is_empty() && self.distance.is_none())
                .then(|| Figure::new(areas::draw("", &self.moved, self.exchanged()))),
            distance: self
                .distance
                .as_ref()
                .map(|moved| Figure::new(distance::draw("", moved, self.exchanged()))),
            households: verify
                .protection
                .household_fates
                .map(|found| Table::new(tables::households(&found))),
            triangle: triangle.map(Figure::new),
            two_way: tables::two_way(verify).map(Table::new),
            watched: tables::watched(self).map(Table::new),
            risk_before: self
                .risk_before
                .iter()
                .map(|risk| Table::new(tables::risk_before(risk, records)))
                .collect(),
            parameters: tables::parameters(self).map(Table::new),
            hashes: Table::new(tables::hashes(self)),
        })
    }

    /// What is exchanged as a whole.
    fn exchanged(&self) -> Exchanged {
        match self.verify.households {
            Some(_) => Exchanged::Households,
            None => Exchanged::Records,
        }
    }

    /// The numbers of the first page: a name, a number, and what it is of.
    fn figures(&self) -> Vec<[String; 3]> {
        let verify = &self.verify;
        let learned = &verify.protection;
        let mut figures: Vec<[String; 3]> = Vec::new();
        let mut push = |name: &str, number: String, of: String| {
            figures.push([name.to_owned(), number, of]);
        };
        let same = verify.margins.iter().filter(|table| table.changed == 0).count() as u64;
        let cells: u64 = verify.margins.iter().map(|table| table.cells).sum();
        push(
            "Kept tables unchanged",
            format!("{} of {}", grouped(same), grouped(verify.margins.len() as u64)),
            format!("{} recounted", counted(cells, "cell", "cells")),
        );
        if !verify.published.is_empty() {
            let tables = &verify.published;
            let sum = |count: fn(&PublishedReport) -> u64| tables.iter().map(count).sum::<u64>();
            push(
                "Published numbers changed",
                grouped(sum(|table| table.release_changes.cells)),
                format!("{} compared", counted(sum(|table| table.cells), "cell", "cells")),
            );
        }
        if !learned.scenarios.is_empty() {
            let of =
                |people: u64| format!("{} of {}", grouped(people), grouped(learned.fates.at_risk));
            push(
                "People at risk who are protected",
                percent(learned.fates.protected, learned.fates.at_risk),
                of(learned.fates.protected),
            );
            push(
                "Still matched to one record",
                percent(learned.fates.matched, learned.fates.at_risk),
                format!(
                    "{}; {} right",
                    of(learned.fates.matched),
                    grouped(learned.fates.matched_right)
                ),
            );
        }
        if let Some(found) = &learned.found {
            push(
                "Found through some of the keys",
                grouped(found.found),
                format!(
                    "{} before, {} by chance",
                    grouped(found.found_before),
                    grouped(found.found_by_chance)
                ),
            );
        }
        if let (Some(right), Some(chance)) = (learned.values_true, learned.values_true_by_chance) {
            push(
                "Values true on matched records",
                share(right),
                match learned.whose_values() {
                    None => format!("a random record gives {}", share(chance)),
                    Some(whose) => {
                        format!("{whose}, who learns most; a random record gives {}", share(chance))
                    }
                },
            );
        }
        if let Some(found) = &learned.household_fates {
            push(
                "Households at risk that are protected",
                percent(found.protected, found.at_risk),
                format!("{} of {}", grouped(found.protected), grouped(found.at_risk)),
            );
        }
        if let Some(HouseholdsReport { before, changed: Some(changed), .. }) = verify.households {
            push(
                "Households changed",
                percent(changed, before),
                format!("{} of {}", grouped(changed), grouped(before)),
            );
        }
        push(
            "Original records replaced",
            percent(verify.replaced, verify.records_before),
            format!("{} of {}", grouped(verify.replaced), grouped(verify.records_before)),
        );
        let useful = &verify.usefulness;
        if let (Some(mean), Some(max)) = (useful.moved_mean, useful.moved_max) {
            let most = useful.most_moved.as_ref().map(|most| format!(" ({})", formula(most)));
            push(
                "Usefulness: two-way tables that are not kept moved by",
                distance(mean),
                format!(
                    "of the records on average; {} at most{}",
                    distance(max),
                    most.unwrap_or_default()
                ),
            );
        }
        if let Some(most) = useful.weighted_max {
            push("Weighted counts of kept tables moved by", distance(most), "at most".to_owned());
        }
        figures
    }
}

impl Answer for InternalReport {
    fn text(&self) -> String {
        let mut text = self.verify.judgement.lines();
        for [name, number, of] in self.figures() {
            text.push_str(&format!("  {name}: {number} ({of})\n"));
        }
        text.push_str(&advice::lines(&self.verify.advice));
        text
    }
}

/// What one intruder learns, as the page shows it.
struct Seen {
    /// "Scenario 2", or its name.
    title: String,
    is_named: bool,
    keys: String,
    sensitive: String,
    table: Table,
    risk: Figure,
    true_values: Option<Figure>,
    found: Option<Figure>,
    /// What the picture does not show.
    found_table: Option<Table>,
    alone: Option<Table>,
}

impl Seen {
    fn of(number: usize, scenario: &ScenarioProtection) -> Self {
        let id = |name: &str| format!("{name}-{number}");
        let counted = scenario.fates.matched > 0 && !scenario.matched_by_true_values.is_empty();
        Self {
            title: match &scenario.name {
                None => format!("Scenario {number}"),
                Some(name) => format!("Scenario “{}”", shown(name)),
            },
            is_named: scenario.name.is_some(),
            keys: spoken_list(&scenario.keys),
            sensitive: spoken_list(&scenario.sensitive),
            table: Table::new(tables::scenario(scenario)),
            risk: Figure::new(risk::draw(&id("risk"), &RiskPicture::of_scenario(scenario))),
            true_values: counted
                .then(|| Figure::new(true_values::draw(&id("true-values"), scenario))),
            found: scenario
                .found
                .as_ref()
                .map(|found| Figure::new(found::draw(&id("found"), found))),
            found_table: scenario.found.as_ref().map(|found| Table::new(tables::found(found))),
            alone: scenario.found.as_ref().map(|found| Table::new(tables::alone(found))),
        }
    }
}

impl Page<'_> {
    fn grouped(&self, number: &u64) -> String {
        grouped(*number)
    }

    fn percent(&self, part: &u64, whole: &u64) -> String {
        percent(*part, *whole)
    }

    fn people(&self, count: &u64) -> String {
        counted(*count, "person", "people")
    }

    fn reason(&self, reason: &Reason) -> String {
        reason_sentence(reason)
    }

    fn new_pairs_are(&self) -> String {
        let found = &self.report.verify.protection;
        sentence(&rare_or_impossible(found.new_pairs, found.new_pairs_impossible))
    }

    fn exposed(&self) -> String {
        self.report.verify.protection.newly_exposed_because.words()
    }

    fn listed(&self, names: &[String]) -> String {
        spoken_list(names)
    }

    fn swaps(&self, plan: &PlanFacts) -> String {
        let words = |swaps: u64, groups: u64, many: &str| {
            let swaps = match swaps {
                1 => format!("1 swap of two {many}"),
                swaps => format!("{} swaps of two {many}", grouped(swaps)),
            };
            match groups {
                0 => swaps,
                groups => format!("{swaps} and {} of more", counted(groups, "group", "groups")),
            }
        };
        let first = words(plan.swaps, plan.groups, self.report.exchanged().many());
        match plan.then {
            None => first,
            Some(then) => format!("{first}, then {}", words(then.swaps, then.groups, "persons")),
        }
    }

    fn together(&self, households: &HouseholdsReport) -> String {
        households.line().trim_end().to_owned()
    }
}

#[derive(Template)]
#[template(path = "internal.html")]
struct Page<'a> {
    report: &'a InternalReport,
    style: Style,
    figures: Vec<[String; 3]>,
    waterfall: Option<Figure>,
    scenarios: Vec<Seen>,
    worst_case: Option<Table>,
    new_pairs: Option<Table>,
    revealed: Vec<Table>,
    weighted: Option<Table>,
    columns: Option<Table>,
    held_back: Option<Table>,
    graph: Figure,
    kept: Table,
    published: Option<Table>,
    change: Option<Figure>,
    moved: Option<Figure>,
    distance: Option<Figure>,
    households: Option<Table>,
    triangle: Option<Figure>,
    two_way: Option<Table>,
    watched: Option<Table>,
    risk_before: Vec<Table>,
    parameters: Option<Table>,
    hashes: Table,
}
