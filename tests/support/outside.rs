//! What an intruder learns, counted from two CSV files and the definitions alone.
//!
//! Nothing of the program takes part: the files are read, coded and counted here, the plain
//! way. Every count is by contents; the order of the lines plays no part.
//!
//! Way in: [`Files::read`].

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;

/// Two files over one coding: a number for each value of each column.
pub struct Files {
    /// The columns of the original file.
    pub names: Vec<String>,
    /// Its records.
    pub before: Vec<Vec<u32>>,
    /// The released records, their values in the original's order of columns.
    pub after: Vec<Vec<u32>>,
}

/// What became of a person at risk, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    Gone,
    Shared,
    Matched,
}

/// What one intruder learns.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    pub at_risk: u64,
    pub gone: u64,
    pub shared: u64,
    pub shared_right: u64,
    pub shared_learned: u64,
    pub protected: u64,
    pub shared_values_true: Option<f64>,
    pub shared_values_true_by_chance: Option<f64>,
    pub matched: u64,
    pub matched_right: u64,
    pub values_true: Option<f64>,
    pub values_true_by_chance: Option<f64>,
    pub matched_by_true_values: Vec<u64>,
    pub newly_exposed: u64,
    /// For each original record, if it is at risk.
    pub fates: Vec<Option<Fate>>,
    /// For each original record: is everything learned, and truly? From several records, from
    /// one, or about somebody who was not at risk.
    pub right: Vec<[bool; 3]>,
    /// For each original record that is at risk: is it shared with too much known, and is it
    /// protected?
    pub hidden: Vec<Option<[bool; 2]>>,
}

/// New combinations of two values.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct NewPairs {
    pub combinations: u64,
    pub impossible: u64,
    pub records: u64,
    pub by_pair: BTreeMap<[usize; 2], [u64; 2]>,
}

/// How far a two-way table moved.
pub struct Moved {
    pub changed: u64,
    pub total_variation: f64,
    pub hellinger: f64,
}

/// The fields of each line of a CSV text; quotes are taken off.
pub fn fields(text: &str) -> Vec<Vec<String>> {
    let (mut lines, mut line, mut field) = (Vec::new(), Vec::new(), String::new());
    let mut quoted = false;
    let mut signs = text.trim_start_matches('\u{feff}').chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '"' if quoted && signs.peek() == Some(&'"') => {
                signs.next();
                field.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => line.push(std::mem::take(&mut field)),
            '\r' if !quoted && signs.peek() == Some(&'\n') => {}
            '\n' if !quoted => {
                line.push(std::mem::take(&mut field));
                lines.push(std::mem::take(&mut line));
            }
            other => field.push(other),
        }
    }
    if !field.is_empty() || !line.is_empty() {
        line.push(field);
        lines.push(line);
    }
    lines
}

impl Files {
    /// Reads an original and a released CSV file.
    pub fn read(before: &str, after: &str) -> Self {
        let [before, after] =
            [before, after].map(|path| fields(&fs::read_to_string(path).unwrap()));
        Self::of(&before, &after)
    }

    /// Codes the lines of two files; a column that only the original has is left out.
    pub fn of(before: &[Vec<String>], after: &[Vec<String>]) -> Self {
        let names: Vec<String> =
            before[0].iter().filter(|name| after[0].contains(name)).cloned().collect();
        let mut codes: Vec<HashMap<String, u32>> = vec![HashMap::new(); names.len()];
        let mut code = |lines: &[Vec<String>]| -> Vec<Vec<u32>> {
            let places: Vec<usize> = names
                .iter()
                .map(|name| lines[0].iter().position(|other| other == name).unwrap())
                .collect();
            let value = |codes: &mut HashMap<String, u32>, text: &String| {
                let next = u32::try_from(codes.len()).unwrap();
                *codes.entry(text.clone()).or_insert(next)
            };
            lines[1..]
                .iter()
                .map(|line| {
                    codes
                        .iter_mut()
                        .zip(&places)
                        .map(|(codes, &place)| value(codes, &line[place]))
                        .collect()
                })
                .collect()
        };
        let (before, after) = (code(before), code(after));
        Self { names, before, after }
    }

    /// The places of columns.
    pub fn places<S: AsRef<str>>(&self, names: &[S]) -> Vec<usize> {
        let place = |name: &S| self.names.iter().position(|other| other == name.as_ref()).unwrap();
        names.iter().map(place).collect()
    }

    /// Every column that is no key.
    pub fn others(&self, keys: &[usize]) -> Vec<usize> {
        (0..self.names.len()).filter(|column| !keys.contains(column)).collect()
    }

    /// A table of both files.
    pub fn table(&self, columns: &[usize]) -> BTreeMap<Vec<u32>, [u64; 2]> {
        let mut table: BTreeMap<Vec<u32>, [u64; 2]> = BTreeMap::new();
        for (file, records) in [&self.before, &self.after].into_iter().enumerate() {
            for record in records {
                table.entry(part(record, columns)).or_default()[file] += 1;
            }
        }
        table
    }

    /// How many cells of a table occur, and in how many the files differ.
    pub fn cells_and_changes(&self, columns: &[usize]) -> [u64; 2] {
        let table = self.table(columns);
        let changed = table.values().filter(|[before, after]| before != after).count();
        [table.values().filter(|[before, _]| *before > 0).count() as u64, changed as u64]
    }

    /// What an intruder with these keys learns about those who are alone with them.
    pub fn seen(&self, keys: &[usize], sensitive: &[usize]) -> Seen {
        self.seen_below(2, keys, sensitive)
    }

    /// The same about those with whom fewer than this many share their keys, themselves included.
    pub fn seen_below(&self, fewer: usize, keys: &[usize], sensitive: &[usize]) -> Seen {
        let by_keys = |records: &[Vec<u32>]| {
            let mut found: HashMap<Vec<u32>, Vec<usize>> = HashMap::new();
            for (place, record) in records.iter().enumerate() {
                found.entry(part(record, keys)).or_default().push(place);
            }
            found
        };
        let (mine, theirs) = (by_keys(&self.before), by_keys(&self.after));
        let frequency: Vec<HashMap<u32, u64>> = sensitive
            .iter()
            .map(|&column| {
                let mut counts = HashMap::new();
                for record in &self.after {
                    *counts.entry(record[column]).or_default() += 1;
                }
                counts
            })
            .collect();
        let mut seen =
            Seen { matched_by_true_values: vec![0; sensitive.len() + 1], ..Seen::default() };
        // Without a list of sensitive variables half of the others must stay hidden.
        let named = keys.len() + sensitive.len() < self.names.len();
        let needed = if named { sensitive.len() } else { sensitive.len().div_ceil(2) }.max(1);
        let mut shared = [0u64; 3];
        let (mut correct, mut by_chance) = (0u64, 0u64);
        for record in &self.before {
            let key = part(record, keys);
            let found: Vec<&Vec<u32>> =
                theirs.get(&key).into_iter().flatten().map(|&place| &self.after[place]).collect();
            // True is what every record with the keys says of the person.
            let correct_now = sensitive
                .iter()
                .filter(|&&column| found.iter().all(|other| other[column] == record[column]))
                .count();
            let all_true = !found.is_empty() && correct_now == sensitive.len();
            let at_risk = mine[&key].len() < fewer;
            let newly_exposed = mine[&key].len() > 1 && found.len() == 1 && all_true;
            seen.newly_exposed += u64::from(newly_exposed);
            let mut right = [false, false, newly_exposed];
            let mut hidden = [false, true];
            let fate = at_risk.then_some(match found.len() {
                0 => Fate::Gone,
                1 => Fate::Matched,
                _ => Fate::Shared,
            });
            seen.at_risk += u64::from(at_risk);
            match fate {
                None => {}
                Some(Fate::Gone) => seen.gone += 1,
                Some(Fate::Shared) => {
                    seen.shared += 1;
                    seen.shared_right += u64::from(all_true);
                    right[0] = all_true;
                    let file = |records: &[Vec<u32>], places: &[usize]| {
                        let mut parts: Vec<Vec<u32>> =
                            places.iter().map(|&place| part(&records[place], sensitive)).collect();
                        parts.sort_unstable();
                        parts
                    };
                    let as_before =
                        file(&self.before, &mine[&key]) == file(&self.after, &theirs[&key]);
                    let too_much = as_before || sensitive.len() - correct_now < needed;
                    hidden = [too_much && !all_true, !too_much && !all_true];
                    for (&column, counts) in sensitive.iter().zip(&frequency) {
                        let agreed = found.iter().all(|other| other[column] == found[0][column]);
                        if agreed {
                            let own = counts.get(&record[column]).copied().unwrap_or(0);
                            shared[0] += 1;
                            shared[1] += u64::from(found[0][column] == record[column]);
                            shared[2] += own;
                        }
                    }
                }
                Some(Fate::Matched) => {
                    seen.matched += 1;
                    seen.matched_right += u64::from(all_true);
                    right[1] = all_true;
                    hidden[1] = false;
                    seen.matched_by_true_values[correct_now] += 1;
                    correct += correct_now as u64;
                    by_chance += sensitive
                        .iter()
                        .zip(&frequency)
                        .map(|(&column, counts)| counts.get(&record[column]).copied().unwrap_or(0))
                        .sum::<u64>();
                }
            }
            seen.fates.push(fate);
            seen.right.push(right);
            seen.hidden.push(at_risk.then_some(hidden));
            seen.shared_learned += u64::from(at_risk && hidden[0]);
            seen.protected += u64::from(at_risk && hidden[1]);
        }
        let values = seen.matched * sensitive.len() as u64;
        if values > 0 {
            seen.values_true = Some(correct as f64 / values as f64);
            seen.values_true_by_chance =
                Some(by_chance as f64 / (values as f64 * self.after.len() as f64));
        }
        if shared[0] > 0 {
            seen.shared_values_true = Some(shared[1] as f64 / shared[0] as f64);
            seen.shared_values_true_by_chance =
                Some(shared[2] as f64 / (shared[0] as f64 * self.after.len() as f64));
        }
        seen
    }

    /// Original records that the released file no longer has, with repetition.
    pub fn replaced(&self) -> u64 {
        let all: Vec<usize> = (0..self.names.len()).collect();
        self.table(&all).values().map(|[before, after]| before.saturating_sub(*after)).sum()
    }

    /// Combinations of two values that only the released file has, of columns whose values have
    /// five original records or more on average.
    pub fn new_pairs(&self) -> NewPairs {
        let mut found = NewPairs::default();
        let mut marked: BTreeSet<usize> = BTreeSet::new();
        let having = |column: usize, code: u32| {
            self.before.iter().filter(|record| record[column] == code).count()
        };
        let few = |column: &usize| {
            let levels: BTreeSet<u32> = self.before.iter().map(|record| record[*column]).collect();
            self.before.len() as f64 / levels.len() as f64 >= 5.0
        };
        let columns: Vec<usize> = (0..self.names.len()).filter(few).collect();
        for &left in &columns {
            for &right in columns.iter().filter(|&&right| left < right) {
                let old: BTreeSet<[u32; 2]> =
                    self.before.iter().map(|record| [record[left], record[right]]).collect();
                let mut new: BTreeMap<[u32; 2], u64> = BTreeMap::new();
                for (place, record) in self.after.iter().enumerate() {
                    let pair = [record[left], record[right]];
                    if !old.contains(&pair) {
                        *new.entry(pair).or_default() += 1;
                        marked.insert(place);
                    }
                }
                if !new.is_empty() {
                    let frequent = new.keys().filter(|[one, other]| {
                        let both = having(left, *one) * having(right, *other);
                        both as f64 / self.before.len() as f64 >= 5.0
                    });
                    found.impossible += frequent.count() as u64;
                    found.combinations += new.len() as u64;
                    found.by_pair.insert([left, right], [new.len() as u64, new.values().sum()]);
                }
            }
        }
        found.records = marked.len() as u64;
        found
    }

    /// How far a two-way table moved.
    pub fn moved(&self, pair: [usize; 2]) -> Moved {
        let table = self.table(&pair);
        let [before, after] = [&self.before, &self.after].map(|records| records.len() as f64);
        let shares =
            || table.values().map(|count| (count[0] as f64 / before, count[1] as f64 / after));
        Moved {
            changed: table.values().filter(|[before, after]| before != after).count() as u64,
            total_variation: shares().map(|(left, right)| (left - right).abs()).sum::<f64>() / 2.0,
            hellinger: (shares()
                .map(|(left, right)| (left.sqrt() - right.sqrt()).powi(2))
                .sum::<f64>()
                / 2.0)
                .sqrt(),
        }
    }

    /// For each original record at risk: can some exchange with one other record part its keys?
    /// The pair's differing columns fall into components where two columns of one kept table
    /// are neighbours; the keys can be parted when the differing ones lie in two components.
    /// Tries every other record.
    pub fn partable(&self, tables: &[Vec<usize>], keys: &[usize]) -> Vec<Option<bool>> {
        let counts = self.table(keys);
        let columns = self.names.len();
        let mut neighbours = vec![0u32; columns];
        for table in tables {
            for &left in table {
                for &right in table {
                    neighbours[left] |= 1 << right;
                }
            }
        }
        let key_bits: u32 = keys.iter().map(|&key| 1 << key).sum();
        let parts = |differing: u32| {
            let wanted = differing & key_bits;
            if wanted == 0 {
                return false;
            }
            let mut reached = 1 << wanted.trailing_zeros();
            loop {
                let next = (0..columns)
                    .filter(|column| reached >> column & 1 == 1)
                    .fold(reached, |all, column| all | neighbours[column] & differing);
                if next == reached {
                    return wanted & !reached != 0;
                }
                reached = next;
            }
        };
        let known: Vec<bool> = (0..1u32 << columns).map(parts).collect();
        let cells: BTreeSet<&Vec<u32>> = self.before.iter().collect();
        let differing = |left: &[u32], right: &[u32]| -> usize {
            left.iter().zip(right).enumerate().map(|(at, (l, r))| usize::from(l != r) << at).sum()
        };
        self.before
            .iter()
            .map(|record| {
                let alone = counts[&part(record, keys)][0] == 1;
                alone.then(|| cells.iter().any(|other| known[differing(record, other)]))
            })
            .collect()
    }
}

fn part(record: &[u32], columns: &[usize]) -> Vec<u32> {
    columns.iter().map(|&column| record[column]).collect()
}
