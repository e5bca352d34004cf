//! The figures of a release: what it betrays about members compared with controls, and what it
//! costs.
//!
//! Figures of several releases are summed; shares are those of the sums.
//!
//! Trap: one person makes many look-ups, so that the sampling error of a share of look-ups is
//! that of a ratio of two sums over people, not that of as many independent look-ups.
//!
//! Way in: [`Figures::count`].

use super::found::{Attack, Learned, moved, replaced, unkept_moved};
use super::halves::{Case, Row};

/// What is compared, and how many points apart members and controls may be. T is the number of
/// sensitive variables; a row with T−m counts only the cases where that is more than half.
pub const SHARES: [(&str, f64); 7] = [
    ("found", 2.0),
    ("true ≥ T−1", 2.0),
    ("true ≥ T−2", 2.0),
    ("true ≥ T−3", 2.0),
    ("true > T/2", 2.0),
    ("linked", 2.0),
    ("look-ups right", 3.0),
];

/// A sum over people divided by another, as per cent.
#[derive(Clone, Copy, Default)]
pub struct Share {
    pub over: f64,
    pub under: f64,
    /// Sums of the squares of the two and of their product, for the sampling error.
    squares: [f64; 3],
}

impl Share {
    fn add(&mut self, over: f64, under: f64) {
        let squares = [over * over, over * under, under * under];
        self.join(&Self { over, under, squares });
    }

    fn join(&mut self, other: &Self) {
        self.over += other.over;
        self.under += other.under;
        self.squares.iter_mut().zip(other.squares).for_each(|(sum, more)| *sum += more);
    }

    pub fn points(&self) -> f64 {
        100.0 * self.over / self.under
    }

    /// The variance of the points, a person with all their look-ups drawn as one.
    fn variance(&self) -> f64 {
        let ratio = self.over / self.under;
        let [over, both, under] = self.squares;
        let spread = over - 2.0 * ratio * both + ratio * ratio * under;
        spread * (100.0 / self.under).powi(2)
    }
}

/// What is reported of a group of people.
#[derive(Clone, Default)]
pub struct Group {
    people: f64,
    pub shares: [Share; SHARES.len()],
}

impl Group {
    fn add(&mut self, learned: &Learned, sought: usize) {
        let values_true = learned.values_true.unwrap_or(0);
        let [found, one, two, three, half, linked, right] = &mut self.shares;
        self.people += 1.0;
        found.add(one_if(learned.right > 0), 1.0);
        for (wrong, share) in [(1, one), (2, two), (3, three)] {
            if 2 * wrong < sought {
                share.add(one_if(values_true + wrong >= sought), 1.0);
            }
        }
        half.add(one_if(2 * values_true > sought), 1.0);
        linked.add(learned.linked, 1.0);
        right.add(learned.right as f64, learned.lookups as f64);
    }

    /// The mean number of parts of the keys that lead to a single record.
    fn lookups(&self) -> String {
        let [.., right] = &self.shares;
        format!("{:.2}", right.under / self.people)
    }

    fn join(&mut self, other: &Self) {
        self.people += other.people;
        self.shares.iter_mut().zip(&other.shares).for_each(|(sum, more)| sum.join(more));
    }
}

fn one_if(so: bool) -> f64 {
    f64::from(u8::from(so))
}

/// What one release betrays and what it cost; or the sum of several, and how many they are.
#[derive(Clone, Default)]
pub struct Figures {
    pub releases: f64,
    pub members: Group,
    pub controls: Group,
    /// Members who would be found if they were not in the file.
    if_absent: f64,
    pub hidden: Option<f64>,
    /// People not at risk: found, found if absent, found and not if absent.
    pub others: [f64; 3],
    pub replaced: f64,
    pub values: f64,
    pub moved: f64,
    pub seconds: f64,
}

impl Figures {
    /// Several releases together.
    pub fn sum<'a>(all: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut sum = Self::default();
        all.into_iter().for_each(|figures| sum.join(figures));
        sum
    }

    fn join(&mut self, other: &Self) {
        self.hidden = match self.releases {
            0.0 => other.hidden,
            _ => self.hidden.zip(other.hidden).map(|(one, other)| one + other),
        };
        self.releases += other.releases;
        self.members.join(&other.members);
        self.controls.join(&other.controls);
        self.if_absent += other.if_absent;
        for (mine, other) in self.others.iter_mut().zip(other.others) {
            *mine += other;
        }
        self.replaced += other.replaced;
        self.values += other.values;
        self.moved += other.moved;
        self.seconds += other.seconds;
    }

    /// Counts from two files what the second betrays about the people of the first.
    pub fn count(case: &Case, attack: &Attack, after: &[Row]) -> Self {
        let (original, released) = (attack.on(&case.released), attack.on(after));
        let mut figures = Self { releases: 1.0, ..Self::default() };
        for (record, person) in case.released.iter().enumerate() {
            let absent = original.found_if_absent(record);
            let learned = released.learned(person);
            if original.with_all_keys(person) == 1 {
                figures.members.add(&learned, attack.sought());
                figures.if_absent += one_if(absent);
            } else {
                let found = learned.right > 0;
                for (sum, so) in figures.others.iter_mut().zip([found, absent, found && !absent]) {
                    *sum += one_if(so);
                }
            }
        }
        for person in &case.control {
            if original.with_all_keys(person) == 0 {
                figures.controls.add(&released.learned(person), attack.sought());
            }
        }
        for table in &case.tables {
            assert!(moved(&case.released, after, table) == 0.0, "every kept table is unchanged");
        }
        figures.replaced = replaced(&case.released, after) as f64;
        figures.moved = unkept_moved(&case.released, after, &case.tables);
        figures
    }

    /// How many points the members are above the controls, and the sampling error.
    pub fn apart(&self, share: usize) -> (f64, f64) {
        let (member, control) = (self.members.shares[share], self.controls.shares[share]);
        let error = (member.variance() + control.variance()).sqrt();
        (member.points() - control.points(), error)
    }

    /// A row of the table; counts are means over the seeds.
    pub fn row(&self, case: &str, way: &str, seeds: f64) {
        let both = self.members.shares.iter().zip(&self.controls.shares);
        let both = both.map(|(member, control)| match member.points().is_nan() {
            true => "–".to_owned(),
            false => format!("{:.1} / {:.1}", member.points(), control.points()),
        });
        let each = |sum: f64| format!("{:.0}", sum / seeds);
        println!(
            "| {case} | {way} | {} | {} | {} | {} | {:.1} | {} / {} ({}) | {} | {} | {:.3} | {:.2} |",
            each(self.members.people),
            self.hidden.map_or("–".to_owned(), each),
            both.collect::<Vec<_>>().join(" | "),
            [&self.members, &self.controls].map(Group::lookups).join(" / "),
            100.0 * self.if_absent / self.members.people,
            each(self.others[0]),
            each(self.others[1]),
            each(self.others[2]),
            each(self.replaced),
            each(self.values),
            100.0 * self.moved / self.releases,
            self.seconds / seeds,
        );
    }
}

/// The head of the table that [`Figures::row`] fills.
pub fn header() {
    let shares: Vec<&str> = SHARES.iter().map(|(name, _)| *name).collect();
    println!(
        "| case | way | at risk | hidden | {} | look-ups of a person | found if absent | others found / if absent (not if absent) | records replaced | values changed | unkept two-way tables moved % | s |",
        shares.join(" | ")
    );
    println!("|---|---|{}", "---:|".repeat(SHARES.len() + 9));
}
