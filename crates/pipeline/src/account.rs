//! Everything that a report tells, counted anew from the files.
//!
//! Nothing is taken from a plan but what only a plan can tell: how the swaps were chosen. Who
//! is at risk, who has a partner, what changed and who has other keys now is found in the
//! original and the released file.
//!
//! Way in: [`internal`], [`external`].

use std::path::{Path, PathBuf};

use marginswap_core::columns::Role;
use marginswap_core::diagnostic::{Code, Diagnostic, grouped};
use marginswap_core::encode::RecordId;
use marginswap_core::graph::{Reason, Separators};
use marginswap_core::partner::{Screening, screen};
use marginswap_core::random::Seed;
use marginswap_core::risk::rare_cells;
use marginswap_core::swap::apply_to_records;
use marginswap_core::table::{CellId, Located};
use marginswap_core::varset::VarSet;
use marginswap_core::verify::{Link, Pooled, Triples, changes, compare_tables, recount};
use marginswap_io::{PlanFile, digest_file};
use marginswap_report::margin_graph;
use marginswap_report::page::{
    ColumnFacts, ExternalReport, FileFacts, InternalReport, LeftRecord, Method, PlanFacts,
    RiskBefore, Scenario, TableWhatIf, Verdict, WatchReport,
};
use marginswap_report::pictures::waterfall::{Coverage, LeftOver};
use marginswap_report::plan::LeftOverReport;
use serde_json::Value;

use crate::answer;
use crate::compare::TwoFiles;
use crate::input::separators;
use crate::notes::Run;
use crate::prepare::risky;
use crate::project::{Project, Risky};
use crate::release::shuffled_link;

/// What a report is about.
pub struct Subject<'a> {
    pub project: &'a Project,
    pub before: &'a Path,
    pub after: &'a Path,
    pub plan: Option<(PathBuf, &'a PlanFile)>,
    /// Do the lines of the two files not correspond?
    pub shuffled: bool,
    /// The seed that the lines may have been shuffled with.
    pub seed: Option<Seed>,
}

impl Subject<'_> {
    /// Reads the two files. Where nothing tells which line is whose, the plan may: when
    /// following it gives the released file line by line, in the order of the original or in
    /// that of the seed, the lines correspond so.
    fn read(&self, run: &mut Run<'_>) -> Result<(TwoFiles, Option<PlanFacts>), Diagnostic> {
        let mut files = TwoFiles::read(self.project, self.before, self.after, self.shuffled, run)?;
        let Some((path, plan)) = &self.plan else {
            files.settle(run);
            return Ok((files, None));
        };
        let header = &plan.header;
        let digest = digest_file(self.before)?;
        let records = files.records_before.len() as u64;
        let fits_input = plan.check_input(&digest.sha256, records, files.before.names()).is_ok();
        let mut gives_release = None;
        if fits_input && files.records_after.len() as u64 == records {
            let expected =
                apply_to_records(&plan.plan, files.scope.schema(), &files.records_before);
            let gives = |files: &TwoFiles, link: &Link| {
                let found = changes(&expected, &files.records_after, link);
                found.map(|found| found.records == 0)
            };
            let by_seed = self.seed.map(|seed| shuffled_link(seed, expected.len()));
            let in_order = [files.link.clone(), Some(Link::ByPosition)];
            let links = in_order.into_iter().flatten().map(|link| (link, false));
            let mut links = links.chain(by_seed.map(|link| (link, true)));
            if let Some((link, by_seed)) = links.find(|(link, _)| gives(&files, link) == Some(true))
            {
                files.link = Some(link);
                files.shuffled_by_seed = by_seed;
                gives_release = Some(true);
            } else {
                files.settle(run);
                gives_release = match &files.link {
                    Some(link) => gives(&files, link),
                    // In some other order: are they the same records?
                    None => {
                        let all = [files.scope.schema().all()];
                        let check = recount(&expected, &files.records_after, &all);
                        Some(check[0].changed == 0)
                    }
                };
            }
        } else {
            files.settle(run);
        }
        let facts = PlanFacts {
            name: path.display().to_string(),
            tool_version: header.version.clone(),
            swaps: plan.plan.swaps().len() as u64,
            groups: plan.plan.groups().len() as u64,
            fits_input,
            gives_release,
            not_for_release: header.not_for_release,
        };
        Ok((files, Some(facts)))
    }
}

/// Are single records named?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reveal {
    Counts,
    Records,
}

/// What the files show of how the release was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// Are the lines in another order than the original ones?
    pub shuffled: bool,
    /// The columns that the released file lacks.
    pub dropped: Vec<String>,
}

/// The page that may be published.
///
/// # Errors
/// When a file cannot be read, or there is nothing that may be told.
pub fn external(subject: &Subject<'_>, run: &mut Run<'_>) -> Result<ExternalReport, Diagnostic> {
    let (files, plan) = subject.read(run)?;
    let report = files.verify(Triples::Skipped);
    let refuse = |detail: &str| {
        Diagnostic::new(
            Code::NothingToTell,
            detail,
            "see what `marginswap verify` says, and release another file",
        )
        .in_file(subject.after)
    };
    if !report.passes() && report.equal {
        return Err(refuse("something is different that no swap can change"));
    }
    if !report.equal {
        return Err(refuse("a kept table or the number of records differs from the original"));
    }
    if let Some(plan) = &plan {
        if !plan.fits_input {
            return Err(refuse("the plan was made for another original file"));
        }
        if plan.gives_release != Some(true) {
            return Err(refuse("following the plan does not give the released file"));
        }
    }
    let exchanged = match report.records_changed {
        Some(changed) => changed > 0,
        None => files.other_records() > 0,
    };
    if !exchanged {
        return Err(refuse("nothing was exchanged: its records are those of the original"));
    }
    let watched = watched(subject.project, &files)?;
    let demonstration = plan.is_some_and(|plan| plan.not_for_release);
    let loaded = &files.before;
    let exchanged = |&(position, _): &(usize, &String)| loaded.role(position) == Role::Variable;
    let columns = loaded.names().iter().enumerate().filter(exchanged);
    let may_differ = columns.map(|(_, name)| name.clone()).collect();
    Ok(ExternalReport::new(&report, &watched, may_differ, demonstration)
        .expect("the tables are equal"))
}

/// The page for those who decide.
///
/// # Errors
/// When a file cannot be read.
pub fn internal(
    subject: &Subject<'_>,
    reveal: Reveal,
    run: &mut Run<'_>,
) -> Result<(InternalReport, Evidence), Diagnostic> {
    let project = subject.project;
    let (files, plan) = subject.read(run)?;
    let verify = files.verify(Triples::Skipped);
    let separators = separators(&files.scope, project.max_separators());
    let file = |path: &Path, records: u64| -> Result<FileFacts, Diagnostic> {
        let digest = digest_file(path)?;
        let name = path.display().to_string();
        Ok(FileFacts { name, bytes: digest.bytes, sha256: digest.sha256, records })
    };
    let before = file(subject.before, verify.records_before)?;
    let after = file(subject.after, verify.records_after)?;
    let risk = match files.keys.is_empty() {
        true => None,
        false => Some(AtRisk::count(project, &files, &separators, subject.before)?),
    };
    let parameters = match &subject.plan {
        Some((_, plan)) => parameters(&plan.header.parameters),
        None => parameters(&project.parameters()),
    };
    let evidence = Evidence {
        shuffled: subject.shuffled || files.shuffled_by_seed,
        dropped: files.dropped.clone(),
    };
    let report = InternalReport {
        class: "INTERNAL",
        tool_version: env!("CARGO_PKG_VERSION"),
        verdict: Verdict::Ready,
        concerns: Vec::new(),
        columns: columns(&files),
        scenario: risk
            .as_ref()
            .map(|_| Scenario { keys: project.risk.keys.clone(), rule: rule(project) }),
        graph: answer::graph(&files.scope, &separators),
        graph_picture: margin_graph::draw(&answer::graph_picture(&files.scope, &separators)),
        risk_before: risk.as_ref().map(AtRisk::before),
        disclosed_is_exact: risk.as_ref().is_none_or(|risk| risk.screening.disclosed_is_exact()),
        coverage: risk.as_ref().and_then(|risk| risk.coverage(&files, subject.plan.as_ref())),
        by_larger: risk.as_ref().and_then(|risk| risk.by_larger(&files)),
        what_if: risk.as_ref().and_then(|risk| risk.what_if(&files, project.max_separators())),
        left_records: match reveal {
            Reveal::Counts => None,
            Reveal::Records => risk.as_ref().and_then(|risk| risk.left(&files)),
        },
        watched: watched(project, &files)?,
        method: Method { parameters },
        replay: Vec::new(),
        shuffled: evidence.shuffled,
        verify,
        before,
        after,
        plan,
    };
    Ok((answer::judged(report), evidence))
}

fn columns(files: &TwoFiles) -> Vec<ColumnFacts> {
    let loaded = &files.before;
    let read = loaded.raw_columns();
    let facts = loaded.names().iter().enumerate().map(|(position, name)| {
        let role = match loaded.role(position) {
            Role::Variable => "may be exchanged",
            Role::Stay => "released, never exchanged",
            Role::Ignored if loaded.is_id(position) => "names the record",
            Role::Ignored => "left out",
        };
        ColumnFacts {
            name: name.clone(),
            role: role.to_owned(),
            levels: read[position].as_ref().map(|column| column.dictionary().levels() as u64),
        }
    });
    facts.collect()
}

/// Who is at risk, in words.
fn rule(project: &Project) -> String {
    let risk = &project.risk;
    let model = || {
        let size = match (&risk.population, &risk.fraction) {
            (Some(people), _) => format!(", population {people}"),
            (None, Some(fraction)) => format!(", sampling fraction {fraction}"),
            (None, None) => ", population as the weights add up".to_owned(),
        };
        format!("model {}{size}", risk.model.clone().unwrap_or_default())
    };
    match project.risky() {
        Risky::Unique => "records alone with their keys".to_owned(),
        Risky::BelowK(k) => format!("records that fewer than {k} share their keys with"),
        Risky::Records(_) => "the records that a file names".to_owned(),
        Risky::Top(1) => format!("the riskiest record by an estimate ({})", model()),
        Risky::Top(number) => {
            format!("the {} riskiest records by an estimate ({})", grouped(number.into()), model())
        }
        Risky::Probability(least) => format!(
            "records alone with their keys that an estimate gives a probability of at least {least} \
             to be alone in the population too ({})",
            model()
        ),
    }
}

/// The tables that are looked at though nobody keeps them.
fn watched(project: &Project, files: &TwoFiles) -> Result<Vec<WatchReport>, Diagnostic> {
    if project.report.watch.is_empty() {
        return Ok(Vec::new());
    }
    let schema = files.scope.schema();
    let formula = marginswap_core::graph::Formula::parse(&project.report.watch)?;
    let mut tables = Vec::new();
    for table in formula.tables() {
        let mut margin = VarSet::EMPTY;
        for name in table {
            let column = files.before.position(name)?;
            let variable = schema.variable_of(column).ok_or_else(|| {
                Diagnostic::new(
                    Code::IgnoredInTable,
                    format!("--watch names `{name}`, which takes no part"),
                    "watch columns that take part",
                )
            })?;
            margin.insert(variable);
        }
        tables.push((table.clone(), margin));
    }
    let pooled = Pooled::of(&files.records_before, &files.records_after);
    let margins: Vec<VarSet> = tables.iter().map(|(_, margin)| *margin).collect();
    let found = compare_tables(&pooled, &margins);
    let report =
        |((table, _), found): ((Vec<String>, VarSet), marginswap_core::verify::TableDistance)| {
            WatchReport {
                table,
                changed: found.changed as u64,
                total_variation: found.total_variation,
                hellinger: found.hellinger,
            }
        };
    Ok(tables.into_iter().zip(found).map(report).collect())
}

/// The records at risk in the original file, and who of them has a partner.
struct AtRisk {
    joint: Located,
    risky: Vec<bool>,
    screening: Screening,
    keys: VarSet,
}

/// Why a record at risk keeps its keys.
const NO_PARTNER: &str = "no partner at all";
const NOT_TAKEN: &str = "none was taken";

impl AtRisk {
    fn count(
        project: &Project,
        files: &TwoFiles,
        separators: &Separators,
        path: &Path,
    ) -> Result<Self, Diagnostic> {
        let joint = Located::count(&files.records_before);
        let levels = files.records_before.levels();
        let risky = risky(project, &files.before, &files.scope, &joint, levels)?;
        let screening =
            screen(&joint, files.scope.class(), separators).map_err(|error| error.in_file(path))?;
        Ok(Self { joint, risky, screening, keys: files.keys })
    }

    fn cell(&self, record: usize) -> CellId {
        self.joint.cell_of(RecordId::at(record))
    }

    fn before(&self) -> RiskBefore {
        let rare = |k: u64| -> u64 {
            let rare = rare_cells(&self.joint, self.keys, k);
            let counts = self.joint.counts().iter().zip(rare);
            counts.filter(|(_, rare)| *rare).map(|(&count, _)| u64::from(count)).sum()
        };
        RiskBefore {
            sample_uniques: self.joint.counts().iter().filter(|&&count| count == 1).count() as u64,
            unique_on_keys: rare(2),
            below_3: rare(3),
            below_5: rare(5),
        }
    }

    /// The records at risk whose keys are as they were; `None` when nobody knows.
    fn kept_keys(&self, files: &TwoFiles) -> Option<Vec<usize>> {
        let link = files.link.as_ref()?;
        let (before, after) = (files.records_before.cells(), files.records_after.cells());
        if before.len() != after.len() {
            return None;
        }
        let layout = before.layout();
        let same = |record: &usize| {
            let line = match link {
                Link::ByPosition => *record,
                Link::ByMap(map) => map[*record] as usize,
            };
            !layout.differing(before.get(*record), after.get(line)).meets(&self.keys)
        };
        let at_risk = (0..self.risky.len()).filter(|&record| self.risky[record]);
        Some(at_risk.filter(same).collect())
    }

    fn coverage(&self, files: &TwoFiles, plan: Option<&(PathBuf, &PlanFile)>) -> Option<Coverage> {
        let kept = self.kept_keys(files)?;
        let at_risk = self.risky.iter().filter(|risky| **risky).count() as u64;
        let stuck = kept.iter().filter(|&&record| !self.screening.is_swappable(self.cell(record)));
        let disclosed =
            kept.iter().filter(|&&record| self.screening.is_disclosed(self.cell(record)));
        let swappable = at_risk - stuck.count() as u64;
        let protected = at_risk - kept.len() as u64;
        let left = swappable - protected;
        Some(Coverage {
            records: self.risky.len() as u64,
            at_risk,
            swappable,
            protected,
            disclosed: disclosed.count() as u64,
            left_over: reasons(left, plan.map(|(_, plan)| &plan.header.summary)),
        })
    }

    /// The records at risk without a partner in a swap of two that have other keys all the
    /// same: larger swaps gave them those.
    fn by_larger(&self, files: &TwoFiles) -> Option<u64> {
        let kept = self.kept_keys(files)?;
        let stuck = |record: &usize| !self.screening.is_swappable(self.cell(*record));
        let at_risk = (0..self.risky.len()).filter(|&record| self.risky[record]);
        let all = at_risk.filter(stuck).count() as u64;
        Some(all - kept.into_iter().filter(stuck).count() as u64)
    }

    /// How many of those without a partner would have one if a table were not kept; `None`
    /// when that would take too long.
    fn what_if(&self, files: &TwoFiles, most: usize) -> Option<Vec<TableWhatIf>> {
        let kept = self.kept_keys(files)?;
        let stuck: Vec<CellId> = kept
            .into_iter()
            .map(|record| self.cell(record))
            .filter(|&cell| !self.screening.is_swappable(cell))
            .collect();
        let mut found = Vec::new();
        for (position, table) in files.scope.tables().iter().enumerate() {
            if stuck.is_empty() || table.reason != Reason::Named {
                continue;
            }
            let class = files.scope.class_without(position);
            let separators =
                marginswap_core::graph::minimal_separators(&class.margin_graph(), most);
            let screening = screen(&self.joint, &class, &separators).ok()?;
            let frees = stuck.iter().filter(|&&cell| screening.is_swappable(cell)).count() as u64;
            let names = files.scope.schema().names(table.variables);
            let table = names.into_iter().map(str::to_owned).collect();
            found.push(TableWhatIf { table, frees });
        }
        found.sort_by_key(|what_if| std::cmp::Reverse(what_if.frees));
        Some(found)
    }

    fn left(&self, files: &TwoFiles) -> Option<Vec<LeftRecord>> {
        let left = self.kept_keys(files)?.into_iter().map(|record| LeftRecord {
            record: RecordId::at(record).number(),
            reason: match self.screening.is_swappable(self.cell(record)) {
                true => NOT_TAKEN,
                false => NO_PARTNER,
            },
        });
        Some(left.collect())
    }
}

/// Why records that have partners keep their keys: as the plan says, where that is as many as
/// are found in the files.
fn reasons(left: u64, summary: Option<&Value>) -> Vec<LeftOver> {
    if left == 0 {
        return Vec::new();
    }
    let said = summary.map(|summary| {
        let because = |name: &str| summary["left_over_because"][name].as_u64().unwrap_or(0);
        LeftOverReport {
            keys: because("keys"),
            no_match: because("no_match"),
            not_allowed: because("not_allowed"),
            taken: because("taken"),
            budget: because("budget"),
            not_searched: because("not_searched"),
        }
    });
    let told = said.map(|said| said.coverage()).unwrap_or_default();
    if told.iter().map(|left| left.records).sum::<u64>() == left {
        told
    } else {
        vec![LeftOver { reason: NOT_TAKEN.to_owned(), records: left }]
    }
}

/// Parameters as they are told: those that are set; of rules only the columns, since rules
/// hold categories.
fn parameters(all: &Value) -> Vec<(String, String)> {
    fn words(value: &Value) -> String {
        match value {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            Value::Array(list) => list.iter().map(words).collect::<Vec<_>>().join(", "),
            Value::Object(map) => {
                // What is not set is left out.
                let set = map.iter().map(|(name, value)| (name, words(value)));
                let set = set.filter(|(_, words)| !words.is_empty());
                set.map(|(name, words)| format!("{name}: {words}")).collect::<Vec<_>>().join(", ")
            }
            other => other.to_string(),
        }
    }
    let rule = |rule: &Value| {
        let columns = rule.as_array().into_iter().flatten().map(|term| words(&term["column"]));
        format!("a combination of {}", columns.collect::<Vec<_>>().join(" and "))
    };
    let mut told = Vec::new();
    for (name, value) in all.as_object().into_iter().flatten() {
        let text = match (name.as_str(), value) {
            ("rules", Value::Array(rules)) => rules.iter().map(rule).collect::<Vec<_>>().join("; "),
            (_, Value::Null) => continue,
            (_, value) => words(value),
        };
        if !text.is_empty() {
            told.push((name.clone(), text));
        }
    }
    told.sort();
    told
}
