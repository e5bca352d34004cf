//! `screen` and `explain` answer the same question: which records have a partner when linked
//! columns, the weight, strata, match lists and rules are respected. The slow twin tries every
//! pair of records and every exchange, from the text of the file.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;

use marginswap_pipeline::notes::Run;
use marginswap_pipeline::project::Project;
use marginswap_pipeline::questions::explain::{Partners, explain_record};
use marginswap_pipeline::questions::screen::screen;

const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % bound).unwrap()
    }

    fn set(&mut self, most: u64) -> BTreeSet<usize> {
        let size = 1 + self.below(most);
        (0..size).map(|_| self.below(5)).collect()
    }
}

/// A small project, as places of columns and as text.
#[derive(Debug, Default)]
struct Case {
    records: Vec<[usize; 5]>,
    tables: Vec<BTreeSet<usize>>,
    keys: BTreeSet<usize>,
    linked: Vec<BTreeSet<usize>>,
    weight: Option<usize>,
    strata: BTreeSet<usize>,
    lists: Vec<BTreeSet<usize>>,
    /// Each a column and a value that must not meet.
    rules: Vec<[(usize, usize); 2]>,
}

impl Case {
    fn new(numbers: &mut Numbers) -> Self {
        let mut case = Self::default();
        let records = 4 + numbers.below(7);
        case.records = (0..records).map(|_| [0; 5].map(|_| numbers.below(3))).collect();
        case.tables = (0..1 + numbers.below(2)).map(|_| numbers.set(3)).collect();
        case.keys = numbers.set(3);
        if numbers.below(3) == 0 {
            let first = numbers.below(4);
            case.linked.push(BTreeSet::from([first, first + 1]));
        }
        if numbers.below(4) == 0 {
            case.weight = Some(numbers.below(5));
        }
        if numbers.below(3) == 0 {
            case.strata = BTreeSet::from([numbers.below(5)]);
        }
        case.lists = (0..numbers.below(3)).map(|_| numbers.set(2)).collect();
        for _ in 0..numbers.below(4) {
            let left = numbers.below(4);
            let right = left + 1 + numbers.below(4 - left as u64);
            case.rules.push([(left, numbers.below(3)), (right, numbers.below(3))]);
        }
        case
    }

    fn project(&self) -> Project {
        let names = |set: &BTreeSet<usize>| -> Vec<String> {
            set.iter().map(|&place| NAMES[place].to_owned()).collect()
        };
        let mut project = Project::default();
        project.keep.tables = self.tables.iter().map(|table| names(table).join("*")).collect();
        project.risk.keys = names(&self.keys);
        project.swap.linked = self.linked.iter().map(names).collect();
        project.swap.weight = self.weight.map(|place| NAMES[place].to_owned());
        project.swap.strata = names(&self.strata);
        project.swap.matched = self.lists.iter().map(names).collect();
        let rule = |[(left, one), (right, other)]: &[(usize, usize); 2]| {
            format!("{} = {one} & {} = {other}", NAMES[*left], NAMES[*right]).parse().unwrap()
        };
        project.swap.rules = self.rules.iter().map(rule).collect();
        project
    }

    fn text(&self) -> String {
        let mut text = NAMES.join(",") + "\n";
        for record in &self.records {
            text.push_str(&record.map(|code| code.to_string()).join(","));
            text.push('\n');
        }
        text
    }

    /// Has a record a partner with whom some exchange is allowed and gives up its values on
    /// these columns? Tries everything.
    fn has_partner(&self, record: usize, on: &BTreeSet<usize>) -> bool {
        let everywhere: Vec<usize> = (0..5).collect();
        let mut kept = self.tables.clone();
        kept.iter_mut().for_each(|table| table.extend(self.weight));
        kept.extend(self.linked.iter().cloned());
        let own = self.records[record];
        let others = self.records.iter().enumerate().filter(|(place, _)| *place != record);
        others.map(|(_, other)| *other).any(|other| {
            let agree = |set: &BTreeSet<usize>| set.iter().all(|&place| own[place] == other[place]);
            let matches = self.lists.is_empty() || self.lists.iter().any(agree);
            agree(&self.strata)
                && matches
                && (0..1 << 5).any(|bits: usize| {
                    let mut new = [own, other];
                    for &place in everywhere.iter().filter(|&&place| bits >> place & 1 == 1) {
                        new[0][place] = other[place];
                        new[1][place] = own[place];
                    }
                    let pair = |two: [[usize; 5]; 2], set: &BTreeSet<usize>| {
                        let mut two = two
                            .map(|codes| set.iter().map(|&place| codes[place]).collect::<Vec<_>>());
                        two.sort();
                        two
                    };
                    let old = [own, other];
                    let keeps = kept.iter().all(|table| pair(old, table) == pair(new, table));
                    let gone = new.iter().all(|codes| on.iter().any(|&key| codes[key] != own[key]));
                    let breaks = self.rules.iter().any(|[(left, one), (right, two)]| {
                        new.iter().any(|codes| {
                            let same = |old: &[usize; 5]| {
                                old[*left] == codes[*left] && old[*right] == codes[*right]
                            };
                            codes[*left] == *one && codes[*right] == *two && !old.iter().any(same)
                        })
                    });
                    keeps && gone && !breaks
                })
        })
    }
}

#[test]
fn screening_is_explaining_every_record() {
    let folder = tempfile::tempdir().unwrap();
    let mut numbers = Numbers(7);
    let mut restricted = 0;
    for number in 0..150 {
        let case = Case::new(&mut numbers);
        let path = folder.path().join(format!("{number}.csv"));
        fs::write(&path, case.text()).unwrap();
        let project = Project { data: Some(path), ..case.project() };
        let screened = screen(&project, &mut Run::silent()).unwrap();
        let mut list = Vec::new();
        screened.write_records(&mut list).unwrap();
        let list = String::from_utf8(list).unwrap();
        let mut lines = list.lines();
        let head: Vec<&str> = lines.next().unwrap().split(',').collect();
        let place = |name: &str| head.iter().position(|head| *head == name);
        let (swappable, partable) = (place("swappable").unwrap(), place("separable").unwrap());
        let mut counts = [0, 0];
        for (record, line) in lines.enumerate() {
            let fields: Vec<&str> = line.split(',').collect();
            let found = [swappable, partable].map(|field| fields[field] == "1");
            let all = (0..5).collect();
            let defined = [case.has_partner(record, &all), case.has_partner(record, &case.keys)];
            assert_eq!(found, defined, "record {} of {case:?}\n{list}", record + 1);
            let number = (record + 1).to_string();
            let explained =
                explain_record(&project, &number, Partners::Count, &mut Run::silent()).unwrap();
            let last = explained.restrictions.last().unwrap();
            let left = [last.partners > 0, last.separating[0] > 0];
            assert_eq!(found, left, "record {number} of {case:?}");
            // The setting in the way is the first that leaves none, in both answers.
            let step = explained.restrictions.iter().find(|step| step.partners == 0);
            let by = step.and_then(|step| step.setting).map_or("", |by| by.code());
            assert_eq!(place("restricted_by").map_or("", |place| fields[place]), by);
            restricted += usize::from(!by.is_empty());
            counts[0] += u64::from(found[0]);
            counts[1] += u64::from(found[1]);
        }
        let report = &screened.report;
        let keys = report.keys.first().unwrap();
        assert_eq!([report.swappable, keys.separable], counts);
        let last = report.restrictions.last().unwrap();
        assert_eq!([last.swappable, last.separable[0]], counts);
        let falling = |steps: &[marginswap_report::restrictions::Restriction]| {
            steps[0].swappable >= steps[1].swappable && steps[0].separable >= steps[1].separable
        };
        assert!(report.restrictions.windows(2).all(falling), "{:?}", report.restrictions);
    }
    assert!(restricted > 100, "{restricted} records lose their last partner to a setting");
}
