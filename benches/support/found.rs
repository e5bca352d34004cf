//! What a released file betrays about people, counted from its contents by the definitions.
//!
//! A part A of the keys *leads* a person to the released records that agree with them on A. One
//! that leads to a single record is a *look-up*; it is *right* when the record has all the
//! person's sensitive values. A person is *found* when some look-up is right, and true(i) is the
//! most sensitive values that any look-up gets right. *Linked* is the share of true records
//! among those with the largest sum of −ln(share of the value) over the keys that agree.
//!
//! Trap: linkage looks at no pairs. The best sum is that of some part that leads somewhere, and
//! its records are those that agree on exactly this part.
//!
//! Way in: [`Attack::new`], [`Attack::on`]. Slow twin: [`Attack::slowly`].

use std::collections::HashMap;

use super::halves::Row;

/// What is known and what is sought.
pub struct Attack {
    keys: Vec<usize>,
    sensitive: Vec<usize>,
    /// Where each key begins in a packed number, and the bits it takes.
    bits: Vec<(u32, u64)>,
}

/// Released records, grouped by every part of the keys.
pub struct Released<'a> {
    attack: &'a Attack,
    rows: &'a [Row],
    packed: Vec<u64>,
    /// For each part: the packed values and the record, sorted.
    parts: Vec<Vec<(u64, u32)>>,
    masks: Vec<u64>,
    /// For each key, −ln of the share of each of its values.
    rarity: Vec<Vec<f64>>,
}

/// What the release tells about one person.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Learned {
    /// The most sensitive values that a look-up gets right, if there is a look-up.
    pub values_true: Option<usize>,
    pub lookups: u64,
    pub right: u64,
    pub linked: f64,
}

impl Attack {
    /// `levels` tells how many values each variable has.
    pub fn new(keys: &[usize], sensitive: &[usize], levels: &[usize]) -> Self {
        let mut start = 0;
        let bits = keys.iter().map(|&key| {
            let width = usize::BITS - levels[key].leading_zeros();
            start += width;
            (start - width, ((1_u64 << width) - 1) << (start - width))
        });
        let bits = bits.collect();
        assert!(start <= 64, "the keys of these files fit one number");
        Self { keys: keys.to_vec(), sensitive: sensitive.to_vec(), bits }
    }

    /// How many variables are sensitive.
    pub fn sought(&self) -> usize {
        self.sensitive.len()
    }

    fn packed(&self, row: &Row) -> u64 {
        let keys = self.keys.iter().zip(&self.bits);
        keys.fold(0, |sum, (&key, &(start, _))| sum | (u64::from(row[key]) << start))
    }

    /// The keys on which two packed records agree.
    fn agreeing(&self, one: u64, other: u64) -> usize {
        let differing = one ^ other;
        let keys = self.bits.iter().enumerate();
        keys.fold(0, |part, (place, &(_, mask))| {
            part | (usize::from(differing & mask == 0) << place)
        })
    }

    fn values_true(&self, person: &Row, record: &Row) -> usize {
        self.sensitive.iter().filter(|&&variable| person[variable] == record[variable]).count()
    }

    /// Groups released records by every part of the keys.
    pub fn on<'a>(&'a self, rows: &'a [Row]) -> Released<'a> {
        let packed: Vec<u64> = rows.iter().map(|row| self.packed(row)).collect();
        let masks: Vec<u64> = (0..1_usize << self.keys.len())
            .map(|part| {
                let inside = self.bits.iter().enumerate();
                inside
                    .filter(|&(key, _)| part >> key & 1 == 1)
                    .fold(0, |sum, (_, bits)| sum | bits.1)
            })
            .collect();
        let part = |&mask: &u64| {
            let mut sorted: Vec<(u64, u32)> =
                (0_u32..).zip(&packed).map(|(r, code)| (code & mask, r)).collect();
            sorted.sort_unstable();
            sorted
        };
        let parts = masks.iter().map(part).collect();
        let rarity = self.keys.iter().map(|&key| rarity(rows, key)).collect();
        Released { attack: self, rows, packed, parts, masks, rarity }
    }

    /// The same as [`Released::learned`], from every record and the definition by R(r).
    pub fn slowly(&self, person: &Row, rows: &[Row]) -> Learned {
        let agrees = |row: &Row, part: usize| {
            let mut keys = self.keys.iter().enumerate();
            keys.all(|(place, &key)| part >> place & 1 == 0 || row[key] == person[key])
        };
        let alike = |row: &Row| {
            let keys = self.keys.iter().enumerate();
            keys.fold(0_usize, |part, (place, &key)| {
                part | (usize::from(row[key] == person[key]) << place)
            })
        };
        let mut learned = Learned::default();
        for row in rows {
            let part = alike(row);
            if rows.iter().filter(|other| agrees(other, part)).count() == 1 && part != 0 {
                let values_true = self.values_true(person, row);
                learned.values_true = learned.values_true.max(Some(values_true));
            }
        }
        for part in 1..1_usize << self.keys.len() {
            let mut led = rows.iter().filter(|row| agrees(row, part));
            if let (Some(record), None) = (led.next(), led.next()) {
                learned.lookups += 1;
                learned.right += u64::from(self.values_true(person, record) == self.sought());
            }
        }
        let share = |key: usize, row: &Row| {
            rows.iter().filter(|other| other[key] == row[key]).count() as f64 / rows.len() as f64
        };
        let score = |row: &Row| -> f64 {
            let agreeing = self.keys.iter().filter(|&&key| row[key] == person[key]);
            agreeing.map(|&key| -share(key, row).ln()).sum()
        };
        let scores: Vec<f64> = rows.iter().map(score).collect();
        let best = scores.iter().copied().fold(0.0, f64::max);
        let nearest = rows.iter().zip(&scores).filter(|(_, score)| **score >= best - 1e-9);
        let (mut all, mut right) = (0.0, 0.0);
        for (row, _) in nearest {
            all += 1.0;
            right += f64::from(u8::from(self.values_true(person, row) == self.sought()));
        }
        learned.linked = right / all;
        learned
    }
}

fn rarity(rows: &[Row], key: usize) -> Vec<f64> {
    let mut counts: Vec<f64> = Vec::new();
    for row in rows {
        let code = row[key] as usize;
        if counts.len() <= code {
            counts.resize(code + 1, 0.0);
        }
        counts[code] += 1.0;
    }
    counts
        .iter()
        .map(|count| if *count > 0.0 { -(count / rows.len() as f64).ln() } else { 0.0 })
        .collect()
}

impl Released<'_> {
    fn start(&self, part: usize, code: u64) -> usize {
        let sought = code & self.masks[part];
        self.parts[part].partition_point(|entry| entry.0 < sought)
    }

    /// The records that a part of the keys leads to, `most` of them at most.
    fn led(&self, part: usize, code: u64, most: usize) -> &[(u64, u32)] {
        let (sought, sorted) = (code & self.masks[part], &self.parts[part]);
        let start = self.start(part, code);
        let length =
            sorted[start..].iter().take(most).take_while(|entry| entry.0 == sought).count();
        &sorted[start..start + length]
    }

    /// How many records have all the person's keys, counted up to two.
    pub fn with_all_keys(&self, person: &Row) -> usize {
        self.led(self.masks.len() - 1, self.attack.packed(person), 2).len()
    }

    fn is_true(&self, person: &Row, record: u32) -> bool {
        self.attack.values_true(person, &self.rows[record as usize]) == self.attack.sought()
    }

    /// What the release tells about a person.
    pub fn learned(&self, person: &Row) -> Learned {
        let code = self.attack.packed(person);
        let mut learned = Learned::default();
        let mut sums = vec![0.0; self.masks.len()];
        let (mut best, mut leading) = (0.0, vec![0]);
        for part in 1..self.masks.len() {
            let lowest = part.trailing_zeros() as usize;
            let value = person[self.attack.keys[lowest]] as usize;
            sums[part] = sums[part & (part - 1)] + self.rarity[lowest].get(value).unwrap_or(&0.0);
            let led = self.led(part, code, 2);
            if let [(_, record)] = led {
                let values_true = self.attack.values_true(person, &self.rows[*record as usize]);
                learned.values_true = learned.values_true.max(Some(values_true));
                learned.lookups += 1;
                learned.right += u64::from(values_true == self.attack.sought());
            }
            if !led.is_empty() && sums[part] >= best - 1e-9 {
                best = f64::max(best, sums[part]);
                leading.push(part);
            }
        }
        let (mut all, mut right) = (0.0, 0.0);
        for part in leading.into_iter().filter(|&part| sums[part] >= best - 1e-9) {
            for &(_, record) in self.led(part, code, self.rows.len()) {
                if self.attack.agreeing(code, self.packed[record as usize]) == part {
                    all += 1.0;
                    right += f64::from(u8::from(self.is_true(person, record)));
                }
            }
        }
        learned.linked = right / all;
        learned
    }

    /// Is somebody of this file found once their own record is taken out of it?
    pub fn found_if_absent(&self, record: usize) -> bool {
        let (person, code) = (&self.rows[record], self.packed[record]);
        (1..self.masks.len()).any(|part| {
            let led = self.led(part, code, 3);
            led.len() == 2 && led.iter().all(|&(_, other)| self.is_true(person, other))
        })
    }
}

/// The records of one file that the other does not have, counted with their multiplicity.
pub fn replaced(before: &[Row], after: &[Row]) -> u64 {
    let mut counts: HashMap<&Row, i64> = HashMap::new();
    before.iter().for_each(|row| *counts.entry(row).or_default() += 1);
    after.iter().for_each(|row| *counts.entry(row).or_default() -= 1);
    counts.values().filter(|count| **count > 0).map(|count| count.unsigned_abs()).sum()
}

/// The share of the records that would have to move between the cells of a table.
pub fn moved(before: &[Row], after: &[Row], table: &[usize]) -> f64 {
    let mut counts: HashMap<Vec<u32>, i64> = HashMap::new();
    let cell = |row: &Row| table.iter().map(|&variable| row[variable]).collect::<Vec<u32>>();
    before.iter().for_each(|row| *counts.entry(cell(row)).or_default() += 1);
    after.iter().for_each(|row| *counts.entry(cell(row)).or_default() -= 1);
    let apart: u64 = counts.values().map(|count| count.unsigned_abs()).sum();
    apart as f64 / 2.0 / before.len() as f64
}

/// The mean movement of the two-way tables that no kept table holds.
pub fn unkept_moved(before: &[Row], after: &[Row], tables: &[Vec<usize>]) -> f64 {
    let variables = before[0].len();
    let kept = |pair: &[usize]| tables.iter().any(|table| pair.iter().all(|v| table.contains(v)));
    let pairs = (0..variables).flat_map(|one| (one + 1..variables).map(move |other| [one, other]));
    let moves: Vec<f64> =
        pairs.filter(|pair| !kept(pair)).map(|pair| moved(before, after, &pair)).collect();
    moves.iter().sum::<f64>() / moves.len() as f64
}
