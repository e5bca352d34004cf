//! The people of a town, drawn one after the other.
//!
//! Each trait is drawn given earlier ones: region, age, sex, marital status, education,
//! occupation, birthplace, household, income. What cannot be has weight 0 (no married
//! child, no widow and no doctorate below twenty, no pension before fifty, no child that
//! works, earns or lives alone), so these cells are empty however many records are drawn.
//! What is rare is rare enough that in a million records about two in a hundred are alone
//! with their region, sex, age, marital status, education, occupation and birthplace.
//!
//! Weights are whole numbers and every draw is a whole number below their sum: the same
//! seed gives the same bytes on every platform. More records begin with the same ones.
//!
//! Way in: [`survey`].

use std::io::{self, Write};

use marginswap_core::random::{Random, Seed};

const REGION: [&str; 10] = [
    "Old Town",
    "Harbour",
    "Station",
    "University",
    "Northfield",
    "Southfield",
    "West Hill",
    "Mill Valley",
    "Lakeside",
    "Far Meadow",
];
const SEX: [&str; 2] = ["female", "male"];
const AGE: [&str; 10] =
    ["0-4", "5-14", "15-19", "20-29", "30-39", "40-49", "50-59", "60-69", "70-79", "80+"];
const MARITAL: [&str; 4] = ["single", "married", "divorced", "widowed"];
const EDUCATION: [&str; 7] = [
    "none",
    "primary",
    "lower secondary",
    "upper secondary",
    "vocational",
    "university",
    "doctorate",
];
const OCCUPATION: [&str; 13] = [
    "none",
    "student",
    "unemployed",
    "homemaker",
    "retired",
    "manager",
    "professional",
    "technician",
    "clerk",
    "service",
    "farming",
    "craft",
    "elementary",
];
const HOUSEHOLD: [&str; 6] = ["1", "2", "3", "4", "5", "6+"];
const BIRTHPLACE: [&str; 7] = [
    "town",
    "county",
    "elsewhere in the country",
    "neighbouring country",
    "other Europe",
    "Africa or Middle East",
    "overseas",
];
const INCOME: [&str; 8] =
    ["none", "under 500", "500-999", "1000-1499", "1500-1999", "2000-2999", "3000-4499", "4500+"];

/// The columns, with the number of their levels; `None` for the one that names a record.
pub fn columns() -> impl Iterator<Item = (&'static str, Option<usize>)> {
    [
        ("person", None),
        ("region", Some(REGION.len())),
        ("sex", Some(SEX.len())),
        ("age", Some(AGE.len())),
        ("marital", Some(MARITAL.len())),
        ("education", Some(EDUCATION.len())),
        ("occupation", Some(OCCUPATION.len())),
        ("household", Some(HOUSEHOLD.len())),
        ("birthplace", Some(BIRTHPLACE.len())),
        ("income", Some(INCOME.len())),
    ]
    .into_iter()
}

/// Writes a survey of this many people as CSV.
///
/// # Errors
/// What `out` says.
pub fn survey(records: usize, seed: Seed, out: &mut dyn Write) -> io::Result<()> {
    let mut random = Random::new(seed, 0);
    let names: Vec<&str> = columns().map(|(name, _)| name).collect();
    let mut lines = format!("{}\n", names.join(",")).into_bytes();
    for number in 1..=records {
        write!(lines, "P{number:08}")?;
        for value in Person::draw(&mut random).values() {
            lines.push(b',');
            lines.extend_from_slice(value.as_bytes());
        }
        lines.push(b'\n');
        if lines.len() > 1 << 16 {
            out.write_all(&lines)?;
            lines.clear();
        }
    }
    out.write_all(&lines)
}

/// One person, as positions in the lists of levels.
struct Person {
    region: usize,
    sex: usize,
    age: usize,
    marital: usize,
    education: usize,
    occupation: usize,
    household: usize,
    birthplace: usize,
    income: usize,
}

impl Person {
    fn draw(random: &mut Random) -> Self {
        let region = pick(random, &REGION_SIZE);
        let age = pick(random, &AGE_IN[KIND[region]]);
        let sex = usize::from(random.below(1000) >= FEMALE[age]);
        let marital = pick(random, &MARITAL_AT[sex][age]);
        let education = pick(random, &EDUCATION_AT[age]);
        let occupation = draw_occupation(random, region, sex, age, education);
        let birthplace = draw_birthplace(random, region, age);
        let household = pick(random, household_weights(age, marital));
        let income = draw_income(random, sex, age, education, occupation);
        Self { region, sex, age, marital, education, occupation, household, birthplace, income }
    }

    /// The values in the order of the columns.
    fn values(&self) -> [&'static str; 9] {
        [
            REGION[self.region],
            SEX[self.sex],
            AGE[self.age],
            MARITAL[self.marital],
            EDUCATION[self.education],
            OCCUPATION[self.occupation],
            HOUSEHOLD[self.household],
            BIRTHPLACE[self.birthplace],
            INCOME[self.income],
        ]
    }
}

/// A position, each with a probability in proportion to its weight.
pub(super) fn pick(random: &mut Random, weights: &[usize]) -> usize {
    let mut left = random.below(weights.iter().sum());
    weights
        .iter()
        .position(|&weight| match left.checked_sub(weight) {
            Some(rest) => {
                left = rest;
                false
            }
            None => true,
        })
        .expect("the number is below the sum of the weights")
}

/// Where people live, in thousandths.
const REGION_SIZE: [usize; 10] = [95, 130, 140, 90, 170, 150, 105, 68, 36, 16];

/// The kind of each region: 0 urban, 1 suburban, 2 rural.
const KIND: [usize; 10] = [0, 0, 0, 0, 1, 1, 1, 2, 2, 2];

/// Born abroad, in thousandths, by region.
const ABROAD: [usize; 10] = [140, 210, 240, 180, 90, 120, 60, 36, 40, 20];

/// How many are of each age, by kind of region.
const AGE_IN: [[usize; 10]; 3] = [
    [46, 77, 48, 208, 180, 132, 116, 93, 67, 33],
    [58, 119, 55, 98, 144, 148, 136, 113, 85, 44],
    [44, 97, 51, 78, 101, 128, 166, 156, 114, 65],
];

/// Women in a thousand of the age.
const FEMALE: [usize; 10] = [488, 487, 486, 491, 495, 500, 503, 514, 541, 622];

/// Single, married, divorced, widowed; women, then men.
const MARITAL_AT: [[[usize; 4]; 10]; 2] = [
    [
        [1, 0, 0, 0],
        [1, 0, 0, 0],
        [992, 8, 0, 0],
        [798, 191, 12, 1],
        [380, 540, 76, 4],
        [213, 632, 146, 10],
        [130, 649, 188, 35],
        [73, 644, 170, 114],
        [60, 496, 115, 330],
        [66, 191, 58, 685],
    ],
    [
        [1, 0, 0, 0],
        [1, 0, 0, 0],
        [998, 2, 0, 0],
        [879, 116, 6, 0],
        [480, 467, 52, 2],
        [280, 610, 108, 4],
        [170, 679, 141, 11],
        [90, 754, 123, 34],
        [50, 773, 73, 105],
        [44, 611, 36, 310],
    ],
];

/// What people have finished, by age.
const EDUCATION_AT: [[usize; 7]; 10] = [
    [1, 0, 0, 0, 0, 0, 0],
    [179, 696, 125, 0, 0, 0, 0],
    [4, 60, 680, 230, 26, 0, 0],
    [2, 21, 128, 363, 265, 223, 1],
    [2, 25, 108, 200, 338, 313, 16],
    [3, 33, 123, 189, 388, 246, 20],
    [4, 46, 149, 183, 425, 177, 17],
    [6, 79, 197, 166, 420, 120, 13],
    [10, 155, 270, 137, 340, 80, 9],
    [17, 284, 324, 101, 219, 51, 6],
];

/// None, student, unemployed, homemaker, retired, at work; by age from 15, women, then men.
const STATUS_AT: [[[usize; 6]; 8]; 2] = [
    [
        [6, 800, 20, 4, 0, 170],
        [13, 253, 50, 57, 0, 628],
        [16, 24, 48, 135, 0, 778],
        [19, 7, 41, 114, 0, 820],
        [27, 3, 43, 109, 24, 795],
        [20, 1, 19, 85, 565, 310],
        [6, 1, 0, 39, 925, 30],
        [6, 0, 0, 33, 958, 4],
    ],
    [
        [7, 760, 26, 1, 0, 206],
        [15, 229, 61, 4, 0, 691],
        [18, 23, 49, 8, 0, 903],
        [22, 5, 42, 10, 0, 923],
        [32, 2, 46, 12, 30, 880],
        [25, 1, 23, 10, 545, 396],
        [6, 1, 0, 6, 935, 54],
        [6, 0, 0, 5, 982, 8],
    ],
];

/// Manager to elementary, by education; women, then men.
const WORK_WITH: [[[usize; 8]; 7]; 2] = [
    [
        [1, 1, 3, 18, 250, 14, 80, 633],
        [3, 2, 10, 46, 330, 14, 115, 480],
        [9, 6, 40, 150, 400, 12, 115, 268],
        [35, 60, 170, 320, 290, 8, 45, 72],
        [38, 85, 260, 270, 260, 9, 42, 36],
        [123, 528, 190, 105, 42, 3, 4, 6],
        [150, 805, 30, 10, 3, 1, 1, 0],
    ],
    [
        [3, 1, 4, 12, 90, 42, 410, 438],
        [6, 2, 12, 25, 120, 40, 520, 275],
        [20, 6, 45, 60, 150, 30, 555, 134],
        [75, 75, 190, 130, 165, 20, 270, 75],
        [80, 70, 210, 75, 100, 26, 400, 39],
        [227, 492, 162, 52, 26, 4, 20, 17],
        [215, 755, 20, 5, 1, 1, 1, 2],
    ],
];

/// How often that work is found in each kind of region, as a factor.
const WORK_IN: [[usize; 8]; 3] =
    [[5, 6, 5, 5, 5, 0, 3, 5], [5, 4, 5, 5, 4, 1, 5, 4], [4, 2, 4, 3, 4, 40, 7, 4]];

const NONE: usize = 0;
const STUDENT: usize = 1;
const UNEMPLOYED: usize = 2;
const HOMEMAKER: usize = 3;
const RETIRED: usize = 4;
const FIRST_WORK: usize = 5;

fn draw_occupation(
    random: &mut Random,
    region: usize,
    sex: usize,
    age: usize,
    education: usize,
) -> usize {
    let Some(adult) = age.checked_sub(2) else { return NONE };
    let status = pick(random, &STATUS_AT[sex][adult]);
    if status < FIRST_WORK {
        return status;
    }
    let mut weights = WORK_WITH[sex][education];
    for (weight, factor) in weights.iter_mut().zip(WORK_IN[KIND[region]]) {
        *weight *= factor;
    }
    FIRST_WORK + pick(random, &weights)
}

/// Town, county, elsewhere; by kind of region.
const BORN_NEAR: [[usize; 3]; 3] = [[480, 180, 340], [560, 220, 220], [690, 220, 90]];

/// From the neighbouring country to overseas, by region.
const BORN_FAR: [[usize; 4]; 10] = [
    [300, 440, 160, 100],
    [140, 530, 280, 50],
    [90, 468, 400, 42],
    [220, 350, 110, 320],
    [260, 575, 135, 30],
    [200, 568, 212, 20],
    [380, 450, 70, 100],
    [420, 525, 36, 19],
    [480, 460, 28, 32],
    [620, 360, 13, 7],
];

/// How often that happened at each age, as a factor in tenths.
const ABROAD_AT: [usize; 10] = [3, 4, 7, 11, 12, 11, 9, 8, 6, 4];

fn draw_birthplace(random: &mut Random, region: usize, age: usize) -> usize {
    if random.below(10_000) < ABROAD[region] * ABROAD_AT[age] {
        BORN_NEAR[0].len() + pick(random, &BORN_FAR[region])
    } else {
        pick(random, &BORN_NEAR[KIND[region]])
    }
}

/// One person to six and more.
fn household_weights(age: usize, marital: usize) -> &'static [usize; 6] {
    match (age, MARITAL[marital]) {
        (0..=1, _) => &[0, 70, 270, 400, 180, 80],
        (2, "single") => &[15, 110, 290, 360, 155, 70],
        (3, "single") => &[400, 290, 160, 100, 35, 15],
        (4..=6, "single") => &[560, 250, 110, 55, 18, 7],
        (_, "single") => &[740, 180, 50, 20, 7, 3],
        (0..=3, "married") => &[10, 270, 310, 280, 95, 35],
        (4..=5, "married") => &[12, 200, 240, 370, 130, 48],
        (6..=7, "married") => &[15, 610, 210, 115, 36, 14],
        (_, "married") => &[25, 860, 75, 26, 10, 4],
        (0..=6, "divorced") => &[430, 270, 180, 85, 25, 10],
        (_, "divorced") => &[760, 170, 45, 17, 6, 2],
        _ => &[780, 140, 45, 20, 10, 5],
    }
}

/// Where the incomes of an occupation lie, as a position among the bands.
const INCOME_OF: [usize; 13] = [1, 1, 2, 1, 3, 5, 5, 4, 3, 3, 3, 4, 2];

/// Two bands lower to two higher.
const SPREAD: [usize; 5] = [70, 240, 400, 220, 70];

fn draw_income(
    random: &mut Random,
    sex: usize,
    age: usize,
    education: usize,
    occupation: usize,
) -> usize {
    if age < 2 {
        return 0;
    }
    match occupation {
        NONE | HOMEMAKER => return pick(random, &[620, 190, 120, 45, 15, 7, 2, 1]),
        STUDENT => return pick(random, &[330, 410, 200, 45, 12, 3, 0, 0]),
        UNEMPLOYED => return pick(random, &[120, 180, 480, 180, 35, 5, 0, 0]),
        _ => {}
    }
    let mut centre = INCOME_OF[occupation];
    centre += usize::from(education >= 5) + usize::from(education == 6);
    centre += usize::from(occupation != RETIRED && (4..=7).contains(&age));
    // Less at the start, without school, and in part-time work.
    let less = usize::from(age <= 2) + usize::from(education <= 1);
    let part_time = usize::from(sex == 0 && random.below(1000) < 380);
    centre = centre.saturating_sub(less + part_time) + pick(random, &SPREAD);
    centre.saturating_sub(SPREAD.len() / 2).clamp(1, INCOME.len() - 1)
}
