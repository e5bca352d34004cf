//! What columns look like: numbers with many values, codes of missing values, functions of others.
//!
//! Nothing is decided by it. `init` proposes classes for a column of numbers; `inspect` lists what
//! it finds, where values may be shown, together with the line of a project file that says so.

use marginswap_core::columns::{Column, looks_like_id};

use crate::derive::plain;
use marginswap_core::decimal::Decimal;

/// A column with this many different numbers is better published in classes.
const MANY: usize = 20;

/// Texts that mean a missing value in most files.
const MISSING: [&str; 12] =
    ["", "NA", "N/A", "na", "NaN", "nan", "NULL", "null", ".", "-", "?", "missing"];

/// Classes for a column of numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposedBands {
    /// The expression.
    pub expression: String,
    /// Is nearly every number different, as in an income? Then the classes are needed: without
    /// them the column looks like an id.
    pub is_needed: bool,
}

/// Classes for a column of many numbers, about ten of them; `None` for any other column, and for
/// one that numbers the records.
#[must_use]
pub fn proposed_bands(name: &str, column: &Column) -> Option<ProposedBands> {
    let is_needed = looks_like_id(column);
    let lower = name.to_lowercase();
    if is_needed && (lower.contains("weight") || ["w", "wt", "wgt"].contains(&&*lower)) {
        // A sampling weight is not published in classes.
        return None;
    }
    if column.dictionary().levels() < MANY && !is_needed {
        return None;
    }
    let missing = missing_looking(column);
    let numbers = numbers(column, &missing)?;
    if is_needed && !is_measured(&numbers, column.len()) {
        return None;
    }
    let classes = classes(&numbers);
    let codes: Vec<String> = missing
        .iter()
        .filter_map(|&code| column.dictionary().category(code))
        .map(|code| format!("\"{}\"", String::from_utf8_lossy(code)))
        .collect();
    let missing = match codes.is_empty() {
        true => String::new(),
        false => format!(", missing = [{}]", codes.join(", ")),
    };
    let expression = format!("band({}, {classes}{missing})", plain(name));
    Some(ProposedBands { expression, is_needed })
}

/// The width of classes in which a number of many values may be known to others, about two dozen of
/// them; `None` for any other column.
#[must_use]
pub fn rough_width(column: &Column) -> Option<String> {
    if column.dictionary().levels() < MANY || looks_like_id(column) {
        return None;
    }
    let numbers = numbers(column, &missing_looking(column))?;
    Some(width(quantile(&numbers, 5), quantile(&numbers, 95), 2 * CLASSES).to_string())
}

/// Are these measured, as incomes are, and no numbers of records? An id does not repeat, and its
/// numbers follow each other or have the same length.
fn is_measured(numbers: &[(Decimal, u64)], records: usize) -> bool {
    let [(least, _), .., (most, _)] = numbers else { return false };
    if numbers.iter().any(|(number, _)| !number.is_whole()) {
        return true;
    }
    let twice = Decimal::whole(2 * records as u64);
    let follow_each_other = *most < *least + twice;
    let lengths = [least, most].map(|number| number.to_string().len());
    let repeat = numbers.iter().any(|(_, records)| *records > 1);
    !follow_each_other && (lengths[0] != lengths[1] || repeat)
}

/// The width of classes that suit most records; where a few lie far out, with an open class for
/// them at either end.
fn classes(numbers: &[(Decimal, u64)]) -> String {
    let [(least, _), .., (most, _)] = numbers else { return "1".to_owned() };
    let (low, high) = (quantile(numbers, 5), quantile(numbers, 95));
    let usual = width(low, high, CLASSES);
    if usual == width(*least, *most, CLASSES) {
        return usual.to_string();
    }
    let (bottom, top) = (low.floor_to(usual), high.floor_to(usual) + usual);
    let bottom = match *least < bottom {
        true => format!(", bottom = {bottom}"),
        false => String::new(),
    };
    let top = match *most < top {
        true => String::new(),
        false => format!(", top = {top}"),
    };
    format!("{usual}{bottom}{top}")
}

/// The number that this many of a hundred records do not exceed.
fn quantile(numbers: &[(Decimal, u64)], percent: u64) -> Decimal {
    let all: u64 = numbers.iter().map(|(_, records)| records).sum();
    let mut counted = 0;
    let reached = numbers.iter().find(|(_, records)| {
        counted += records;
        counted * 100 >= all * percent
    });
    reached.or(numbers.last()).map_or(Decimal::ZERO, |(number, _)| *number)
}

/// The different numbers of a column, rising, and how many records have each; `None` when
/// something in it is neither a number nor looks like the code of a missing one, or too few are.
fn numbers(column: &Column, missing: &[u32]) -> Option<Vec<(Decimal, u64)>> {
    let mut records = vec![0u64; column.dictionary().levels()];
    column.for_each_code(|_, code| records[code as usize] += 1);
    let mut numbers: Vec<(Decimal, u64)> = Vec::new();
    for (code, category) in (0u32..).zip(categories(column)) {
        if missing.contains(&code) {
            continue;
        }
        numbers.push((Decimal::read(category?)?, records[code as usize]));
    }
    numbers.sort_unstable();
    numbers.dedup_by(|next, before| {
        let same = next.0 == before.0;
        before.1 += if same { next.1 } else { 0 };
        same
    });
    (numbers.len() >= 2).then_some(numbers)
}

fn categories(column: &Column) -> impl Iterator<Item = Option<&[u8]>> {
    let levels = column.dictionary().levels();
    let levels = u32::try_from(levels).expect("a column has fewer than 2^32 categories");
    (0..levels).map(|code| column.dictionary().category(code))
}

fn is_missing_text(category: &[u8]) -> bool {
    MISSING.iter().any(|text| text.as_bytes() == category)
}

/// How many classes are proposed for a column that is published.
const CLASSES: usize = 12;

/// The smallest of 1, 2 or 5 times a power of ten of which `classes` classes cover the numbers.
fn width(least: Decimal, most: Decimal, classes: usize) -> Decimal {
    let widths = (-3..=17).flat_map(|power| [1, 2, 5].map(|digit| format!("{digit}e{power}")));
    let widths =
        widths.map(|text| Decimal::read(text.as_bytes()).expect("it is written as a number"));
    let covers = |width: &Decimal| {
        let beyond = (0..classes).fold(least.floor_to(*width), |to, _| to + *width);
        most < beyond
    };
    let mut widths = widths.peekable();
    let first = *widths.peek().expect("there are widths");
    widths.find(covers).unwrap_or(first)
}

/// The codes of a column that look like missing values: texts such as NA or a point; among
/// numbers also -1, -9 or -99 where no other is negative, and 9, 99 or 999 where it is the
/// largest and apart from the others.
#[must_use]
pub fn missing_looking(column: &Column) -> Vec<u32> {
    let all: Vec<Option<&[u8]>> = categories(column).collect();
    let read: Vec<Option<Decimal>> =
        all.iter().map(|category| category.and_then(Decimal::read)).collect();
    let mut sorted: Vec<Decimal> = read.iter().flatten().copied().collect();
    sorted.sort_unstable();
    sorted.dedup();
    let number = |text: &str| Decimal::read(text.as_bytes());
    let negative: Vec<Decimal> = sorted.iter().copied().filter(|one| one.is_negative()).collect();
    let odd = |one: Decimal| {
        let below = ["-1", "-9", "-99", "-999"].iter().any(|text| number(text) == Some(one));
        let nines = ["9", "99", "999", "9999"].iter().any(|text| number(text) == Some(one));
        let apart = match sorted[..] {
            [.., before, last] => last == one && before < one - Decimal::ONE,
            _ => false,
        };
        (below && negative == [one]) || (nines && apart)
    };
    let looks = |code: &usize| match (all[*code], read[*code]) {
        (None, _) => true,
        (Some(_), Some(one)) => odd(one),
        (Some(category), None) => is_missing_text(category),
    };
    let code = |code: usize| u32::try_from(code).expect("a code has 32 bits");
    (0..all.len()).filter(looks).map(code).collect()
}

/// A column whose value follows from another one's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// The column, by position.
    pub column: usize,
    /// The column that it follows from.
    pub of: usize,
    /// Does the other follow from it too?
    pub both_ways: bool,
    /// How it follows, where an expression says so.
    pub expression: Option<String>,
}

/// The columns that follow from another column, each from the one with the fewest levels. A
/// column of which most values occur once or twice tells nothing and is not looked at.
#[must_use]
pub fn functions(names: &[&str], columns: &[&Column]) -> Vec<Function> {
    let levels = |column: usize| columns[column].dictionary().levels();
    let mut found = Vec::new();
    for column in 0..columns.len() {
        let tells = |&of: &usize| {
            of != column
                && levels(of) >= levels(column)
                && levels(column) > 1
                && levels(of) * 3 <= columns[of].len()
        };
        let mut candidates: Vec<usize> = (0..columns.len()).filter(tells).collect();
        candidates.sort_by_key(|&of| (levels(of), of));
        let Some(of) = candidates.into_iter().find(|&of| follows(columns[column], columns[of]))
        else {
            continue;
        };
        let both_ways = levels(of) == levels(column);
        // Of two that follow from each other one is named.
        if both_ways && of > column {
            continue;
        }
        let expression = expression(names[of], columns[column], columns[of]);
        found.push(Function { column, of, both_ways, expression });
    }
    found
}

/// Does every category of one column come with a single category of another?
fn follows(column: &Column, of: &Column) -> bool {
    let mut seen = vec![None; of.dictionary().levels()];
    (0..of.len()).all(|record| {
        let code = column.code(record);
        *seen[of.code(record) as usize].get_or_insert(code) == code
    })
}

/// How a column follows from another: its first characters, or classes of its numbers.
fn expression(name: &str, column: &Column, of: &Column) -> Option<String> {
    let mut given: Vec<Option<u32>> = vec![None; of.dictionary().levels()];
    (0..of.len()).for_each(|record| given[of.code(record) as usize] = Some(column.code(record)));
    let pairs: Vec<(&[u8], u32)> = categories(of)
        .zip(&given)
        .filter_map(|(category, code)| Some((category?, (*code)?)))
        .collect();
    let of_code = |code: u32| column.dictionary().category(code);
    let lengths: Vec<usize> =
        pairs.iter().filter_map(|pair| Some(of_code(pair.1)?.len())).collect();
    if let Some(&length) = lengths.first()
        && length > 0
        && pairs
            .iter()
            .all(|(whole, code)| of_code(*code) == whole.get(..length) && whole.is_ascii())
    {
        return Some(format!("prefix({}, {length})", plain(name)));
    }
    let mut numbers: Vec<(Decimal, u32)> = Vec::new();
    for (category, code) in &pairs {
        numbers.push((Decimal::read(category)?, *code));
    }
    numbers.sort_unstable();
    let mut bounds: Vec<Decimal> = Vec::new();
    let mut met = vec![numbers.first()?.1];
    for pair in numbers.windows(2) {
        if pair[0].1 != pair[1].1 {
            if met.contains(&pair[1].1) {
                return None;
            }
            met.push(pair[1].1);
            bounds.push(pair[1].0);
        }
    }
    let bounds: Vec<String> = bounds.iter().map(ToString::to_string).collect();
    // A class for every number is none.
    let classes = bounds.len() > 1 && bounds.len() + 1 < numbers.len();
    classes.then(|| format!("band({}, {})", plain(name), bounds.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(values: &[&str]) -> Column {
        values.iter().map(|value| value.as_bytes()).collect()
    }

    fn cycled(values: impl Iterator<Item = String>) -> Column {
        let values: Vec<String> = values.collect();
        values.iter().map(|value| value.as_bytes()).collect()
    }

    #[test]
    fn many_numbers_are_proposed_in_about_ten_classes() {
        let of =
            |from: u32, to: u32, step: usize| {
                cycled((0..1_000usize).map(|record| {
                    (from as usize + record * step % (to - from) as usize).to_string()
                }))
            };
        for (column, expected) in [
            (of(0, 98, 1), Some("band(age, 10)")),
            (of(18, 66, 1), Some("band(age, 5)")),
            (of(0, 90_000, 450), Some("band(age, 10000)")),
            (of(0, 9, 1), None),
        ] {
            let found = proposed_bands("age", &column);
            assert_eq!(found.as_ref().map(|found| found.expression.as_str()), expected);
            assert!(found.is_none_or(|found| !found.is_needed));
        }
        let ages = cycled((0..1_000).map(|record| (18 + record % 73).to_string()));
        assert_eq!(rough_width(&ages).as_deref(), Some("5"));
        let texts = cycled((0..1_000).map(|record| format!("a{}", record % 50)));
        assert_eq!(rough_width(&texts), None);
        assert_eq!(proposed_bands("age", &texts), None);
        let ids = cycled((0..1_000).map(|record| record.to_string()));
        assert_eq!(proposed_bands("age", &ids), None);
        let odd = cycled((0..1_000).map(|record| match record % 50 {
            0 => "NA".to_owned(),
            number => number.to_string(),
        }));
        let found = proposed_bands("the age", &odd).unwrap();
        assert_eq!(found.expression, "band(`the age`, 5, missing = [\"NA\"])");
    }

    /// Incomes are proposed in classes that suit most of them, though nearly all differ; numbers of
    /// records are not.
    #[test]
    fn measured_numbers_are_told_from_ids() {
        let incomes = (0..400u32).map(|record| match record {
            0 => "2500000".to_owned(),
            1 => "NA".to_owned(),
            record => (9_000 + u64::from(record * 7919 % 400) * 137).to_string(),
        });
        let found = proposed_bands("income", &cycled(incomes)).unwrap();
        assert!(found.is_needed);
        assert_eq!(
            found.expression,
            "band(income, 5000, bottom = 10000, top = 65000, missing = [\"NA\"])"
        );
        let shares = cycled((0..400u32).map(|record| format!("{}.{:03}", record % 5, record)));
        assert!(proposed_bands("share", &shares).is_some_and(|found| found.is_needed));
        assert_eq!(proposed_bands("hh_weight", &shares), None);
        for first in [1, 100_000, 7_400_000_000u64] {
            let serial = cycled((0..400).map(|record| (first + record).to_string()));
            assert_eq!(proposed_bands("id", &serial), None);
        }
        let persons =
            cycled((0..400u64).map(|record| {
                (1_000_000_000 + record * 2_654_435_761 % 9_000_000_000).to_string()
            }));
        assert_eq!(proposed_bands("person", &persons), None);
    }

    #[test]
    fn missing_codes_are_known_by_their_looks() {
        let looking = |values: &[&str]| {
            let column = column(values);
            let text = |code| String::from_utf8_lossy(column.dictionary().category(code).unwrap());
            missing_looking(&column).into_iter().map(|code| text(code).into_owned()).collect()
        };
        let check = |values: &[&str], expected: &[&str]| {
            let found: Vec<String> = looking(values);
            assert_eq!(found, expected, "{values:?}");
        };
        check(&["f", "m", "", "NA"], &["", "NA"]);
        check(&["1", "2", "3", "9"], &["9"]);
        check(&["1", "2", "8", "9"], &[]);
        check(&["17", "42", "97", "99"], &["99"]);
        check(&["17", "42", "98", "99"], &[]);
        check(&["0", "12", "-1"], &["-1"]);
        check(&["-5", "12", "-1"], &[]);
        check(&["1.5", "2", "."], &["."]);
    }

    #[test]
    fn functions_of_other_columns_are_found_with_their_line() {
        let ages: Vec<String> = (0..400).map(|record| (record * 7 % 90).to_string()).collect();
        let group = |age: &String| match age.parse::<u32>().unwrap() {
            0..18 => "young",
            18..65 => "middle",
            _ => "old",
        };
        let towns: Vec<String> =
            (0..400).map(|record| format!("{}", 11 + record * 3 % 29)).collect();
        let columns = [
            cycled(ages.iter().cloned()),
            cycled(ages.iter().map(|age| group(age).to_owned())),
            cycled(towns.iter().cloned()),
            cycled(towns.iter().map(|town| town[..1].to_owned())),
            cycled((0..400).map(|record| (record % 7).to_string())),
            cycled(towns.iter().map(|town| format!("T{town}"))),
        ];
        let names = ["age", "group", "town", "area", "free", "label"];
        let found = functions(&names, &columns.iter().collect::<Vec<_>>());
        let told: Vec<(usize, usize, bool, Option<&str>)> = found
            .iter()
            .map(|one| (one.column, one.of, one.both_ways, one.expression.as_deref()))
            .collect();
        assert_eq!(
            told,
            [
                (1, 0, false, Some("band(age, 18, 65)")),
                (3, 2, false, Some("prefix(town, 1)")),
                (5, 2, true, None),
            ]
        );
    }
}
