//! Attacks on a released CSV file by somebody who reads nothing but its bytes, and wants to know
//! which lines were changed; and by somebody who knows keys of people, and wants to know what is
//! true of them.
//!
//! The truth is told by a column that no attack looks at: it names the line of the original. An
//! attack claims some lines; it succeeds when its claims are right more often than by chance, by
//! five points, and by so much that chance would do it once in thirty thousand times.
//!
//! Who is rare is treated, so rare lines are changed more often than others. That is told, and
//! leads to nobody: for attacks on rare lines, chance is what the same attack on the original says
//! of the people whom it finds rare there.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, HashMap};
use std::fmt;

/// What an attack comes to.
#[derive(Debug, Clone)]
pub struct Attack {
    pub name: &'static str,
    /// Lines or people of whom it claims something.
    pub claims: usize,
    /// Of these, those of whom it is true.
    pub right: usize,
    /// How many are right if as many are claimed at random, or if the person was not in the file.
    pub by_chance: f64,
    /// How many there are to be found.
    pub all: usize,
}

impl Attack {
    fn share(&self, of: f64) -> f64 {
        if self.claims == 0 { 0.0 } else { of / self.claims as f64 }
    }

    pub fn precision(&self) -> f64 {
        self.share(self.right as f64)
    }

    pub fn base(&self) -> f64 {
        self.share(self.by_chance)
    }

    pub fn recall(&self) -> f64 {
        if self.all == 0 { 0.0 } else { self.right as f64 / self.all as f64 }
    }

    /// Is it more often right than by chance, by five points and four standard deviations?
    pub fn succeeds(&self) -> bool {
        let (claims, base) = (self.claims as f64, self.base());
        let deviation = (claims * base * (1.0 - base)).sqrt().max(1.0);
        let beyond = self.right as f64 - self.by_chance;
        beyond > 0.05 * claims && beyond > 4.0 * deviation
    }
}

impl fmt::Display for Attack {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, claims, right, all, .. } = self;
        let [precision, base, recall] =
            [self.precision(), self.base(), self.recall()].map(|share| 100.0 * share);
        let end = if self.succeeds() { "succeeds" } else { "" };
        write!(
            to,
            "| {name} | {claims} | {right} | {precision:.1} % | {base:.1} % | {recall:.1} % of {all} | {end} |"
        )
    }
}

/// A line with its raw fields and its end.
type Line = (Vec<String>, &'static str);

fn lines(bytes: &str) -> Vec<Line> {
    let (mut lines, mut fields, mut field, mut quoted) =
        (Vec::new(), Vec::new(), String::new(), false);
    for sign in bytes.chars() {
        quoted ^= sign == '"';
        match sign {
            ',' if !quoted => fields.push(std::mem::take(&mut field)),
            '\n' if !quoted => {
                let end = if field.ends_with('\r') { "\r\n" } else { "\n" };
                fields.push(field.trim_end_matches('\r').to_owned());
                field.clear();
                lines.push((std::mem::take(&mut fields), end));
            }
            sign => field.push(sign),
        }
    }
    lines
}

fn said(raw: &str) -> String {
    match raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"')) {
        Some(inner) => inner.replace("\"\"", "\""),
        None => raw.to_owned(),
    }
}

/// How many lines have each two values of two columns.
fn together(lines: &[Vec<u32>], [one, other]: [usize; 2]) -> HashMap<[u32; 2], usize> {
    let mut counts = HashMap::new();
    lines.iter().for_each(|codes| *counts.entry([codes[one], codes[other]]).or_default() += 1);
    counts
}

/// Two files; the first column names the lines.
pub struct Files {
    names: Vec<String>,
    raw: Vec<Line>,
    /// What the released lines say, without the name; as numbers of categories.
    codes: Vec<Vec<u32>>,
    numbers: Vec<Vec<Option<i64>>>,
    /// The same of the original line of each.
    truth: Vec<Vec<u32>>,
    levels: Vec<usize>,
}

impl Files {
    pub fn of(before: &str, after: &str) -> Self {
        let (before, mut raw) = (lines(before), lines(after));
        let names = raw.remove(0).0.iter().skip(1).map(|name| said(name)).collect::<Vec<_>>();
        let mut known: Vec<HashMap<String, u32>> = vec![HashMap::new(); names.len()];
        let mut coded = |line: &Line| -> Vec<u32> {
            let fields = line.0.iter().skip(1).zip(&mut known);
            fields
                .map(|(raw, known)| {
                    let next = u32::try_from(known.len()).unwrap();
                    *known.entry(said(raw)).or_insert(next)
                })
                .collect()
        };
        let codes: Vec<Vec<u32>> = raw.iter().map(&mut coded).collect();
        let own: HashMap<String, Vec<u32>> =
            before[1..].iter().map(|line| (said(&line.0[0]), coded(line))).collect();
        let truth = raw.iter().map(|line| own[&said(&line.0[0])].clone()).collect();
        let number = |raw: &String| said(raw).parse().ok();
        let numbers = raw.iter().map(|line| line.0.iter().skip(1).map(number).collect()).collect();
        let levels = known.iter().map(HashMap::len).collect();
        Self { names, raw, codes, numbers, truth, levels }
    }

    fn columns(&self) -> std::ops::Range<usize> {
        0..self.names.len()
    }

    fn pairs(&self) -> impl Iterator<Item = [usize; 2]> {
        self.columns()
            .flat_map(|one| self.columns().map(move |other| [one, other]))
            .filter(|[one, other]| one != other)
    }

    pub fn records(&self) -> usize {
        self.codes.len()
    }

    /// How many released lines say that the third column is not the sum of the first two.
    pub fn wrong_sums(&self, columns: [&str; 3]) -> usize {
        let place = columns.map(|name| self.names.iter().position(|other| other == name).unwrap());
        let wrong = |line: &&Vec<Option<i64>>| {
            let [one, other, total] = place.map(|column| line[column].unwrap());
            one + other != total
        };
        self.numbers.iter().filter(wrong).count()
    }

    pub fn changed(&self) -> usize {
        (0..self.codes.len()).filter(|&line| self.codes[line] != self.truth[line]).count()
    }

    /// All attacks; people are those who are alone with these keys in the original.
    pub fn attacks(&self, keys: &[&str]) -> Vec<Attack> {
        let keys: Vec<usize> = keys
            .iter()
            .map(|key| self.names.iter().position(|name| name == key).unwrap())
            .collect();
        let mut found = vec![
            self.claiming("order", &self.order()),
            self.claiming("layout", &self.layout()),
            self.claiming("quotes", &self.quotes()),
            self.claiming("first appearance", &self.first_appearance()),
            self.claiming_rare("rare pairs", |codes| self.rare_pairs(codes)),
            self.claiming("broken functions", &self.functions()),
            self.claiming("broken sums", &self.sums()),
            self.claiming_rare("least typical", |codes| self.least_typical(codes)),
        ];
        found.extend(self.people(&keys));
        found
    }

    fn claiming(&self, name: &'static str, claimed: &[bool]) -> Attack {
        let all = self.changed();
        let claims = claimed.iter().filter(|claimed| **claimed).count();
        let right = (0..claimed.len())
            .filter(|&line| claimed[line] && self.codes[line] != self.truth[line])
            .count();
        let by_chance = claims as f64 * all as f64 / self.codes.len() as f64;
        Attack { name, claims, right, by_chance, all }
    }

    /// The same with the chance of lines that are as rare in the original.
    fn claiming_rare(
        &self,
        name: &'static str,
        attack: impl Fn(&[Vec<u32>]) -> Vec<bool>,
    ) -> Attack {
        let found = self.claiming(name, &attack(&self.codes));
        let rare = self.claiming(name, &attack(&self.truth));
        let by_chance = rare.precision().max(found.base()) * found.claims as f64;
        Attack { by_chance, ..found }
    }

    /// Lines that differ in a column from both neighbours, which agree.
    fn order(&self) -> Vec<bool> {
        let near = |line: usize| {
            line > 0
                && line + 1 < self.codes.len()
                && self.columns().any(|column| {
                    let [before, own, after] =
                        [line - 1, line, line + 1].map(|line| self.codes[line][column]);
                    before == after && own != before
                })
        };
        (0..self.codes.len()).map(near).collect()
    }

    /// Lines that end as few do, or have a field with a blank at an end or a zero before it in a
    /// column where few have.
    fn layout(&self) -> Vec<bool> {
        let few = |holds: Vec<bool>| -> Vec<bool> {
            let share = holds.iter().filter(|holds| **holds).count() * 4;
            if share < holds.len() { holds } else { holds.iter().map(|holds| !holds).collect() }
        };
        let ends = few(self.raw.iter().map(|line| line.1 == "\r\n").collect());
        let odd: Vec<Vec<bool>> = self
            .columns()
            .map(|column| {
                let said = self.raw.iter().map(|line| said(&line.0[column + 1]));
                let odd = said.map(|said| {
                    said.trim() != said
                        || (said.len() > 1 && said.starts_with('0') && said.parse::<i64>().is_ok())
                });
                few(odd.collect())
            })
            .collect();
        let all = |list: &[bool]| list.iter().all(|holds| *holds);
        (0..self.raw.len())
            .map(|line| (!all(&ends) && ends[line]) || odd.iter().any(|odd| !all(odd) && odd[line]))
            .collect()
    }

    /// Lines of which some fields are quoted and others not, of columns with both and no need.
    fn quotes(&self) -> Vec<bool> {
        let is_quoted = |line: &Line, column: usize| line.0[column + 1].starts_with('"');
        let is_free = |line: &Line, column: usize| {
            !said(&line.0[column + 1]).contains([',', '"', '\n', '\r'])
        };
        let both: Vec<usize> = self
            .columns()
            .filter(|&column| {
                let free = || self.raw.iter().filter(|line| is_free(line, column));
                free().any(|line| is_quoted(line, column))
                    && free().any(|line| !is_quoted(line, column))
            })
            .collect();
        let mixed = |line: &Line| {
            let free: Vec<bool> = both
                .iter()
                .filter(|&&column| is_free(line, column))
                .map(|&column| is_quoted(line, column))
                .collect();
            free.contains(&true) && free.contains(&false)
        };
        self.raw.iter().map(mixed).collect()
    }

    /// Lines in which a category appears for the first time, behind the first tenth.
    fn first_appearance(&self) -> Vec<bool> {
        let mut seen: Vec<Vec<bool>> =
            self.levels.iter().map(|&levels| vec![false; levels]).collect();
        let mut claimed = vec![false; self.codes.len()];
        for (line, codes) in self.codes.iter().enumerate() {
            for (seen, &code) in seen.iter_mut().zip(codes) {
                let first = !std::mem::replace(&mut seen[code as usize], true);
                claimed[line] |= first && line * 10 > self.codes.len();
            }
        }
        claimed
    }

    fn counts(&self, lines: &[Vec<u32>], column: usize) -> Vec<usize> {
        let mut counts = vec![0; self.levels[column]];
        lines.iter().for_each(|codes| counts[codes[column] as usize] += 1);
        counts
    }

    /// Lines with two values that are frequent and come together once.
    fn rare_pairs(&self, lines: &[Vec<u32>]) -> Vec<bool> {
        let counts: Vec<Vec<usize>> =
            self.columns().map(|column| self.counts(lines, column)).collect();
        let mut claimed = vec![false; lines.len()];
        for pair in self.pairs().filter(|[one, other]| one < other) {
            let together = together(lines, pair);
            for (claimed, codes) in claimed.iter_mut().zip(lines) {
                let values = pair.map(|column| codes[column]);
                let [one, other] = [0, 1].map(|side| counts[pair[side]][values[side] as usize]);
                *claimed |= together[&values] == 1 && one * other >= 5 * lines.len();
            }
        }
        claimed
    }

    /// Lines that contradict what 95 of a hundred say: the value of one column by that of another.
    fn functions(&self) -> Vec<bool> {
        let mut claimed = vec![false; self.codes.len()];
        for pair in self.pairs() {
            let mut most: BTreeMap<u32, (usize, u32)> = BTreeMap::new();
            for (values, count) in together(&self.codes, pair) {
                let own = most.entry(values[0]).or_default();
                *own = (*own).max((count, values[1]));
            }
            let agree: usize = most.values().map(|(count, _)| count).sum();
            let mode = self.counts(&self.codes, pair[1]).into_iter().max().unwrap_or(0);
            let repeats = self.codes.len() > 2 * most.len();
            if repeats && agree * 100 >= self.codes.len() * 95 && mode * 100 < self.codes.len() * 80
            {
                for (claimed, codes) in claimed.iter_mut().zip(&self.codes) {
                    *claimed |= most[&codes[pair[0]]].1 != codes[pair[1]];
                }
            }
        }
        claimed
    }

    /// Lines in which a sum is wrong that is right in six of ten, and in no less by chance.
    fn sums(&self) -> Vec<bool> {
        let numeric: Vec<usize> = self
            .columns()
            .filter(|&column| {
                self.levels[column] > 1 && self.numbers.iter().all(|line| line[column].is_some())
            })
            .collect();
        let mut claimed = vec![false; self.codes.len()];
        for (place, &one) in numeric.iter().enumerate() {
            for &other in &numeric[place + 1..] {
                for &total in numeric.iter().filter(|&&total| total != one && total != other) {
                    let wrong = |line: &Vec<Option<i64>>| {
                        line[one].unwrap() + line[other].unwrap() != line[total].unwrap()
                    };
                    let broken = self.numbers.iter().filter(|line| wrong(line)).count();
                    if broken * 10 < self.numbers.len() * 4 {
                        for (claimed, line) in claimed.iter_mut().zip(&self.numbers) {
                            *claimed |= wrong(line);
                        }
                    }
                }
            }
        }
        claimed
    }

    /// The fiftieth part of the lines whose pairs of values are the least frequent, compared with
    /// what their values alone make likely.
    fn least_typical(&self, lines: &[Vec<u32>]) -> Vec<bool> {
        let counts: Vec<Vec<usize>> =
            self.columns().map(|column| self.counts(lines, column)).collect();
        let mut typical = vec![0.0f64; lines.len()];
        for pair in self.pairs().filter(|[one, other]| one < other) {
            let together = together(lines, pair);
            for (typical, codes) in typical.iter_mut().zip(lines) {
                let values = pair.map(|column| codes[column]);
                let [one, other] = [0, 1].map(|side| counts[pair[side]][values[side] as usize]);
                let expected = one as f64 * other as f64 / lines.len() as f64;
                *typical += (together[&values] as f64 / expected).ln();
            }
        }
        let mut order: Vec<usize> = (0..typical.len()).collect();
        order.sort_by(|&one, &other| typical[one].total_cmp(&typical[other]));
        let mut claimed = vec![false; typical.len()];
        order.iter().take(typical.len() / 50).for_each(|&line| claimed[line] = true);
        claimed
    }

    /// Of people who are alone with their keys: the value of each other column, read off the only
    /// line with all keys but one, and off the lines that agree on most keys. By chance: the same
    /// without the line of the person.
    fn people(&self, keys: &[usize]) -> [Attack; 2] {
        let key_of =
            |codes: &Vec<u32>| -> Vec<u32> { keys.iter().map(|&key| codes[key]).collect() };
        let mut alone: HashMap<Vec<u32>, Vec<usize>> = HashMap::new();
        for (line, codes) in self.truth.iter().enumerate() {
            alone.entry(key_of(codes)).or_default().push(line);
        }
        let mut people: Vec<usize> =
            alone.into_values().filter(|lines| lines.len() == 1).map(|lines| lines[0]).collect();
        people.sort_unstable();
        people.truncate(1_000);
        let others: Vec<usize> = self.columns().filter(|column| !keys.contains(column)).collect();
        let mut part =
            Attack { name: "part of the keys", claims: 0, right: 0, by_chance: 0.0, all: 0 };
        let mut nearest = Attack { name: "nearest match", ..part.clone() };
        for &person in &people {
            let own = key_of(&self.truth[person]);
            let agree: Vec<Vec<bool>> = self
                .codes
                .iter()
                .map(|codes| keys.iter().zip(&own).map(|(&key, own)| codes[key] == *own).collect())
                .collect();
            let best = |without: Option<usize>| -> Vec<usize> {
                let lines = (0..agree.len()).filter(|&line| Some(line) != without);
                let many = |line: usize| agree[line].iter().filter(|agrees| **agrees).count();
                let most = lines.clone().map(many).max().unwrap_or(0);
                lines.filter(|&line| many(line) == most).collect()
            };
            let but_one = |lacking: usize, without: Option<usize>| -> Vec<usize> {
                let all = |line: &usize| {
                    Some(*line) != without
                        && agree[*line]
                            .iter()
                            .enumerate()
                            .all(|(key, agrees)| *agrees || key == lacking)
                };
                (0..agree.len()).filter(all).collect()
            };
            for &column in &others {
                let share = |lines: &[usize]| {
                    let right = lines
                        .iter()
                        .filter(|&&line| self.codes[line][column] == self.truth[person][column]);
                    right.count() as f64 / lines.len().max(1) as f64
                };
                nearest.all += 1;
                nearest.claims += 1;
                nearest.right += usize::from(share(&best(None)) > 0.5);
                nearest.by_chance += f64::from(u8::from(share(&best(Some(person))) > 0.5));
            }
            for lacking in 0..keys.len() {
                let [only] = but_one(lacking, None)[..] else { continue };
                let without = best(Some(only));
                for &column in &others {
                    part.claims += 1;
                    part.right +=
                        usize::from(self.codes[only][column] == self.truth[person][column]);
                    let right = without
                        .iter()
                        .filter(|&&line| self.codes[line][column] == self.truth[person][column]);
                    part.by_chance += right.count() as f64 / without.len().max(1) as f64;
                }
            }
        }
        part.all = people.len() * keys.len() * others.len();
        [part, nearest]
    }
}
