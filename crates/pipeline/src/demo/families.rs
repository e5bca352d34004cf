//! The households of a town and its country, drawn one after the other.
//!
//! A household has a municipality, a tenure and a building, and members with a relation to its
//! head, an age that fits it (nobody has a child before eighteen), a sex, a job and a birthplace.
//! Municipalities lie in counties and these in states; a list says which, with coordinates.
//!
//! Every draw is a whole number: the same seed gives the same bytes on every platform. More
//! households begin with the same ones.
//!
//! Way in: [`families`], [`areas`].

use std::io::{self, Write};

use marginswap_core::random::{Random, Seed};

use super::town::pick;

/// How many states there are, counties in each, municipalities in each of these.
const AREAS: [usize; 3] = [4, 3, 5];

const TENURE: [&str; 4] = ["owner", "mortgage", "tenant", "free"];
const BUILDING: [&str; 4] = ["house", "row house", "small block", "large block"];
const SEX: [&str; 2] = ["female", "male"];
const JOB: [&str; 9] = [
    "none",
    "school",
    "student",
    "unemployed",
    "office",
    "service",
    "craft",
    "professional",
    "retired",
];
const BIRTHPLACE: [&str; 4] =
    ["here", "elsewhere in the country", "neighbouring country", "overseas"];

/// The columns, with the number of their levels; `None` for those that name a person or a
/// household.
pub fn columns() -> impl Iterator<Item = (&'static str, Option<usize>)> {
    [
        ("person", None),
        ("household", None),
        ("municipality", Some(AREAS.iter().product())),
        ("tenure", Some(TENURE.len())),
        ("building", Some(BUILDING.len())),
        ("relation", Some(5)),
        ("age", Some(98)),
        ("sex", Some(SEX.len())),
        ("job", Some(JOB.len())),
        ("birthplace", Some(BIRTHPLACE.len())),
    ]
    .into_iter()
}

/// Writes the municipalities with their counties, states and coordinates in kilometres.
///
/// # Errors
/// What `out` says.
pub fn areas(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "municipality,county,state,x,y")?;
    for number in 0..AREAS.iter().product() {
        let (name, county, state) = area(number);
        let (within, county_of, of) =
            (number % AREAS[2], number / AREAS[2] % AREAS[1], number / AREAS[2] / AREAS[1]);
        let x = of % 2 * 200 + county_of * 60 + within * 11;
        let y = of / 2 * 200 + county_of * 25 + within * within * 3;
        writeln!(out, "{name},{county},{state},{x},{y}")?;
    }
    Ok(())
}

fn area(number: usize) -> (String, String, String) {
    let county = number / AREAS[2];
    let state = county / AREAS[1];
    (
        format!("M{state}{}{}", county % AREAS[1], number % AREAS[2]),
        format!("C{state}{}", county % AREAS[1]),
        format!("S{state}"),
    )
}

/// Writes households of this many persons in all, or a few more, as CSV: a line for each person.
///
/// # Errors
/// What `out` says.
pub fn families(persons: usize, seed: Seed, out: &mut dyn Write) -> io::Result<()> {
    let mut random = Random::new(seed, 0);
    let names: Vec<&str> = columns().map(|(name, _)| name).collect();
    let mut lines = format!("{}\n", names.join(",")).into_bytes();
    let (mut person, mut household) = (0, 0);
    while person < persons {
        household += 1;
        let drawn = Household::draw(&mut random);
        for member in &drawn.members {
            person += 1;
            writeln!(
                lines,
                "P{person:08},H{household:07},{},{},{},{},{},{},{},{}",
                area(drawn.municipality).0,
                TENURE[drawn.tenure],
                BUILDING[drawn.building],
                member.relation,
                member.age,
                SEX[member.sex],
                JOB[member.job],
                BIRTHPLACE[member.birthplace],
            )?;
        }
        if lines.len() > 1 << 16 {
            out.write_all(&lines)?;
            lines.clear();
        }
    }
    out.write_all(&lines)
}

struct Household {
    municipality: usize,
    tenure: usize,
    building: usize,
    members: Vec<Member>,
}

struct Member {
    relation: &'static str,
    age: usize,
    sex: usize,
    job: usize,
    birthplace: usize,
}

impl Household {
    fn draw(random: &mut Random) -> Self {
        let state = pick(random, &[40, 30, 20, 10]);
        let county = pick(random, &[5, 3, 2]);
        let municipality = pick(random, &[40, 25, 18, 12, 5]);
        let urban = municipality == 0;
        let building = pick(random, if urban { &[10, 15, 35, 40] } else { &[55, 20, 18, 7] });
        let tenure = pick(random, if building < 2 { &[45, 35, 15, 5] } else { &[12, 13, 70, 5] });
        let municipality = (state * AREAS[1] + county) * AREAS[2] + municipality;
        let foreign = pick(random, if urban { &[80, 20] } else { &[93, 7] });
        let members = draw_members(random, foreign);
        Self { municipality, tenure, building, members }
    }
}

/// Who lives together: alone, a couple, a couple or a parent with children, three generations,
/// or others.
fn draw_members(random: &mut Random, foreign: usize) -> Vec<Member> {
    let kind = pick(random, &[34, 27, 24, 8, 3, 4]);
    let head_age = match kind {
        0 => 20 + pick(random, &[20, 14, 12, 12, 14, 14, 10, 4]) * 9 + random.below(9),
        2..=4 => 24 + random.below(31),
        _ => 22 + random.below(60),
    };
    let head_sex = random.below(2);
    let mut members = vec![Member::draw(random, "head", head_age, head_sex, foreign)];
    if matches!(kind, 1 | 2 | 4) {
        let age = (head_age + random.below(11)).saturating_sub(5).max(19);
        let sex = if random.below(50) == 0 { head_sex } else { 1 - head_sex };
        members.push(Member::draw(random, "partner", age, sex, foreign));
    }
    if matches!(kind, 2..=4) {
        let youngest = members.iter().map(|member| member.age).min().unwrap_or(head_age);
        let oldest_child = (youngest - 18).min(26);
        for _ in 0..=pick(random, &[45, 38, 13, 3, 1]) {
            let age = random.below(oldest_child + 1);
            let sex = random.below(2);
            members.push(Member::draw(random, "child", age, sex, foreign));
        }
    }
    if kind == 4 {
        let age = (head_age + 20 + random.below(16)).min(97);
        let sex = usize::from(random.below(10) < 3);
        members.push(Member::draw(random, "parent", age, sex, foreign));
    }
    if kind == 5 {
        for _ in 0..=random.below(3) {
            let (age, sex) = (19 + random.below(50), random.below(2));
            members.push(Member::draw(random, "other", age, sex, foreign));
        }
    }
    members
}

impl Member {
    fn draw(
        random: &mut Random,
        relation: &'static str,
        age: usize,
        sex: usize,
        foreign: usize,
    ) -> Self {
        let job = match age {
            0..6 => 0,
            6..16 => 1,
            16..25 => pick(random, &[2, 20, 35, 5, 10, 15, 12, 1, 0]),
            25..60 => pick(random, &[5, 0, 2, 6, 26, 22, 21, 17, 1]),
            60..67 => pick(random, &[4, 0, 0, 4, 15, 12, 10, 10, 45]),
            _ => pick(random, &[2, 0, 0, 0, 1, 1, 1, 1, 94]),
        };
        let birthplace = match foreign {
            0 => pick(random, &[62, 33, 4, 1]),
            _ if age < 15 => pick(random, &[70, 10, 12, 8]),
            _ => pick(random, &[5, 5, 55, 35]),
        };
        Self { relation, age, sex, job, birthplace }
    }
}
