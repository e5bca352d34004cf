//! Tables as a user writes them: `region*sex*age + age*marital`.
//!
//! As in R's hierarchical formulas, `*` joins the variables of one table and `+` separates
//! two tables. A name that holds one of these signs is put between backticks; a backtick in it
//! is doubled. Spaces around names do not count. `all 2-way` is every table of two variables.
//!
//! Way in: [`Formula::parse`], then [`Formula::resolve`] against the file's columns.

use std::collections::BTreeSet;

use crate::columns::did_you_mean;
use crate::diagnostic::Diagnostic;
use crate::refusal::Code;

/// Tables by the names of their variables, in the order written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Formula {
    tables: Vec<Vec<String>>,
}

impl Formula {
    /// Reads several formulas, each of one or more tables.
    ///
    /// Law: `formulas-come-back`.
    ///
    /// # Errors
    /// An empty table, a variable twice in one table, an unclosed backtick or text after a
    /// closing one.
    pub fn parse<T: AsRef<str>>(texts: &[T]) -> Result<Self, Diagnostic> {
        let mut tables = Vec::new();
        for text in texts {
            parse_one(text.as_ref(), &mut tables)?;
        }
        for (number, table) in tables.iter().enumerate() {
            let mut seen = BTreeSet::new();
            if let Some(name) = table.iter().find(|name| !seen.insert(*name)) {
                return Err(Diagnostic::new(
                    Code::RepeatedVariable,
                    format!("table {} names `{name}` twice", number + 1),
                    "name each variable once",
                ));
            }
        }
        Ok(Self { tables })
    }

    /// The same with `all 2-way` in place of the tables of any two of these variables, `all 3-way`
    /// of any three, and so on; `all 2-way of region*sex*age` means the named ones alone.
    ///
    /// Law: `all-k-way-is-every-k-set`.
    ///
    /// # Errors
    /// More variables in a table than there are, or more than 10,000 tables.
    pub fn with_families(&self, variables: &[String]) -> Result<Self, Diagnostic> {
        let mut tables = Vec::new();
        for table in &self.tables {
            match family(table, variables)? {
                Some(family) => tables.extend(family),
                None => tables.push(table.clone()),
            }
        }
        Ok(Self { tables })
    }

    /// Is one of its tables a family, such as `all 2-way`?
    #[must_use]
    pub fn has_families(&self) -> bool {
        self.tables.iter().any(|table| ways(&table[0]).is_some())
    }

    /// The tables' variables, by name.
    #[must_use]
    pub fn tables(&self) -> &[Vec<String>] {
        &self.tables
    }

    /// All names, in the order they first appear.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let mut seen = BTreeSet::new();
        self.tables.iter().flatten().filter(|name| seen.insert(*name)).cloned().collect()
    }

    /// The tables as positions among `columns`.
    ///
    /// # Errors
    /// A name that is no column.
    pub fn resolve(&self, columns: &[String]) -> Result<Vec<BTreeSet<usize>>, Diagnostic> {
        let position = |table: usize, name: &String| {
            columns.iter().position(|column| column == name).ok_or_else(|| {
                let joined = [":", ","].iter().find(|sign| name.contains(**sign));
                let remedy = match joined {
                    Some(sign) => {
                        format!("variables of one table are joined with `*`, not `{sign}`")
                    }
                    None => did_you_mean(name, columns),
                };
                Diagnostic::new(
                    Code::UnknownVariable,
                    format!(
                        "table {} names `{name}`, which is not a column of the file",
                        table + 1
                    ),
                    remedy,
                )
            })
        };
        self.tables
            .iter()
            .enumerate()
            .map(|(table, names)| names.iter().map(|name| position(table, name)).collect())
            .collect()
    }
}

/// Column names as they are typed in a list: `age,sex`, with backticks around a name that holds
/// a comma.
///
/// # Errors
/// A missing name, an unclosed backtick or text after a closing one.
pub fn parse_names(text: &str) -> Result<Vec<String>, Diagnostic> {
    let mut names = Vec::new();
    let mut rest = text;
    loop {
        let (name, after) = name(rest, text, &[','])?;
        if name.is_empty() {
            return Err(Diagnostic::new(
                Code::BadFormula,
                format!("in `{text}` a name is missing at character {}", place(rest, text)),
                "write column names as `age,sex`",
            ));
        }
        names.push(name);
        match after.strip_prefix(',') {
            Some(more) => rest = more,
            None => return Ok(names),
        }
    }
}

/// How many tables `all 2-way` may stand for.
const MOST_OF_A_FAMILY: usize = 10_000;

/// The number of variables in each table of a family, and what is named after `of`.
fn ways(name: &str) -> Option<(usize, Option<&str>)> {
    let mut words = name.splitn(3, ' ');
    let (all, way) = (words.next()?, words.next()?);
    let number = way.strip_suffix("-way")?.parse().ok().filter(|_| all == "all")?;
    let rest = words.next().map(str::trim_start);
    match rest {
        None => Some((number, None)),
        Some(rest) => Some((number, Some(rest.strip_prefix("of ")?.trim()))),
    }
}

/// The tables of a family; nothing where it is none, also where a variable has such a name.
fn family(table: &[String], variables: &[String]) -> Result<Option<Vec<Vec<String>>>, Diagnostic> {
    let Some((number, first)) = ways(&table[0]).filter(|_| !variables.contains(&table[0])) else {
        return Ok(None);
    };
    let refused =
        |detail: String, remedy: &str| Err(Diagnostic::new(Code::BadFormula, detail, remedy));
    let text = table.join("*");
    let among: Vec<String> = match first {
        Some(first) => std::iter::once(first.to_owned()).chain(table[1..].to_vec()).collect(),
        None if table.len() > 1 => {
            let remedy = "write `all 2-way of region*sex*age`, and join other tables with `+`";
            return refused(
                format!("`{text}` names variables behind the tables that it stands for"),
                remedy,
            );
        }
        None => variables.to_vec(),
    };
    if number == 0 || number > among.len() {
        let detail = format!("`{text}`: there are {} variables", among.len());
        return refused(detail, "name a number of variables that there are, as `all 2-way`");
    }
    let mut chosen: Vec<usize> = (0..number).collect();
    let mut tables = Vec::new();
    loop {
        tables.push(chosen.iter().map(|&place| among[place].clone()).collect());
        if tables.len() > MOST_OF_A_FAMILY {
            let detail = format!("`{text}` stands for more than {MOST_OF_A_FAMILY} tables");
            return refused(detail, "name fewer variables, as `all 2-way of region*sex*age`");
        }
        // The next set in the order of the variables.
        let last = among.len() - number;
        let Some(place) = (0..number).rev().find(|&place| chosen[place] < last + place) else {
            return Ok(Some(tables));
        };
        let next = chosen[place] + 1;
        for (step, chosen) in chosen[place..].iter_mut().enumerate() {
            *chosen = next + step;
        }
    }
}

fn parse_one(text: &str, tables: &mut Vec<Vec<String>>) -> Result<(), Diagnostic> {
    let mut rest = text;
    let mut table = Vec::new();
    loop {
        let (name, after) = name(rest, text, &['*', '+'])?;
        if name.is_empty() {
            return Err(Diagnostic::new(
                Code::EmptyTable,
                format!("in `{text}` a name is missing at character {}", place(rest, text)),
                "write a table as `region*sex*age`, several as `region*sex + sex*age`",
            ));
        }
        table.push(name);
        let mut signs = after.chars();
        match signs.next() {
            Some('*') => {}
            Some('+') => tables.push(std::mem::take(&mut table)),
            _ => break,
        }
        rest = signs.as_str();
    }
    tables.push(table);
    Ok(())
}

/// Where a name ends that is not quoted: at the first sign outside parentheses, as in
/// `members(age, sex), region`. Parentheses that never close are letters of the name.
fn end_of_name(text: &str, signs: &[char]) -> usize {
    let (mut depth, mut quoted) = (0usize, false);
    for (at, letter) in text.char_indices() {
        match letter {
            '"' if depth > 0 => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth = depth.saturating_sub(1),
            _ if depth == 0 && signs.contains(&letter) => return at,
            _ => {}
        }
    }
    if depth == 0 { text.len() } else { text.find(signs).unwrap_or(text.len()) }
}

/// The next name up to one of the signs, and the text from that sign on.
fn name<'a>(rest: &'a str, text: &str, signs: &[char]) -> Result<(String, &'a str), Diagnostic> {
    let start = rest.trim_start();
    let Some(mut inner) = start.strip_prefix('`') else {
        let end = end_of_name(start, signs);
        let name = start[..end].trim_end();
        if name.contains('`') {
            return Err(Diagnostic::new(
                Code::BadFormula,
                format!(
                    "in `{text}` a backtick is inside a name, before character {}",
                    place(&start[end..], text)
                ),
                "put the whole name between backticks and double the one inside",
            ));
        }
        return Ok((name.to_owned(), &start[end..]));
    };
    let mut name = String::new();
    loop {
        let Some(end) = inner.find('`') else {
            return Err(Diagnostic::new(
                Code::BadFormula,
                format!(
                    "in `{text}` the backtick at character {} is not closed",
                    place(start, text)
                ),
                "close it after the name",
            ));
        };
        name.push_str(&inner[..end]);
        inner = &inner[end + 1..];
        match inner.strip_prefix('`') {
            Some(after) => {
                name.push('`');
                inner = after;
            }
            None => break,
        }
    }
    let after = inner.trim_start();
    if !after.is_empty() && !after.starts_with(signs) {
        return Err(Diagnostic::new(
            Code::BadFormula,
            format!(
                "in `{text}` text follows a closing backtick at character {}",
                place(after, text)
            ),
            format!(
                "put {} between two names",
                signs.iter().map(|sign| format!("`{sign}`")).collect::<Vec<_>>().join(" or ")
            ),
        ));
    }
    Ok((name, after))
}

/// Where `rest`, a tail of `text`, begins: counted in characters from 1.
fn place(rest: &str, text: &str) -> usize {
    text[..text.len() - rest.len()].chars().count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::text::quoted;

    use proptest::prelude::*;

    fn tables(text: &str) -> Vec<Vec<String>> {
        Formula::parse(&[text]).unwrap().tables
    }

    #[test]
    fn stars_join_and_pluses_part() {
        assert_eq!(
            tables("region*sex * age + age*marital"),
            [vec!["region", "sex", "age"], vec!["age", "marital"]]
        );
        assert_eq!(tables("marital-status"), [vec!["marital-status"]]);
        assert_eq!(tables("marital status*age"), [vec!["marital status", "age"]]);
        assert_eq!(tables("`a*b` * `c``d`"), [vec!["a*b", "c`d"]]);
    }

    #[test]
    fn slips_are_refused() {
        for (text, code) in [
            ("", Code::EmptyTable),
            ("a + ", Code::EmptyTable),
            ("a**b", Code::EmptyTable),
            ("*a", Code::EmptyTable),
            ("a + + b", Code::EmptyTable),
            ("``", Code::EmptyTable),
            ("a*`b", Code::BadFormula),
            ("`a`b", Code::BadFormula),
            ("a`b", Code::BadFormula),
            ("a*b*a", Code::RepeatedVariable),
        ] {
            assert_eq!(Formula::parse(&[text]).unwrap_err().code, code, "{text}");
        }
    }

    #[test]
    fn a_family_is_no_column_and_no_end() {
        let names: Vec<String> = (0..100).map(|place| format!("v{place}")).collect();
        let of =
            |text: &str, names: &[String]| Formula::parse(&[text]).unwrap().with_families(names);
        for text in ["all 0-way", "all 3-way", "all 2-way*v1"] {
            assert_eq!(of(text, &names[..2]).unwrap_err().code, Code::BadFormula, "{text}");
        }
        assert_eq!(of("all 3-way", &names).unwrap_err().code, Code::BadFormula);
        assert_eq!(of("all 2-way + v7", &names).unwrap().tables.len(), 100 * 99 / 2 + 1);
        let column = ["all 2-way".to_owned()];
        assert_eq!(of("all 2-way", &column).unwrap().tables, [["all 2-way"]]);
        assert!(!Formula::parse(&["all 2-wheel"]).unwrap().has_families());
    }

    #[test]
    fn lists_of_names() {
        assert_eq!(parse_names("age, sex").unwrap(), ["age", "sex"]);
        assert_eq!(parse_names("`a,b`,c*d").unwrap(), ["a,b", "c*d"]);
        for text in ["", "a,", ",a", "`a"] {
            assert_eq!(parse_names(text).unwrap_err().code, Code::BadFormula, "{text}");
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_a_near_one() {
        let columns = ["region".to_owned(), "sex".to_owned()];
        let error = |text| Formula::parse(&[text]).unwrap().resolve(&columns).unwrap_err();
        assert_eq!(error("regoin*sex").remedy, "did you mean `region`?");
        assert_eq!(
            error("region:sex").remedy,
            "variables of one table are joined with `*`, not `:`"
        );
        assert_eq!(error("region*sex + income").code, Code::UnknownVariable);
    }

    proptest! {
        #[test]
        fn law_formulas_come_back(
            tables in proptest::collection::vec(
                proptest::collection::btree_set("[ab*+` é]{0,4}[ab]", 1..4), 1..4),
        ) {
            let tables: Vec<Vec<String>> = tables.into_iter().map(|table| table.into_iter().collect()).collect();
            let text = tables
                .iter()
                .map(|table| table.iter().map(|name| quoted(name)).collect::<Vec<_>>().join("*"))
                .collect::<Vec<_>>()
                .join(" + ");
            prop_assert_eq!(Formula::parse(&[text]).unwrap().tables, tables);
        }

        /// The sets of k of n variables, against all subsets counted through.
        #[test]
        fn law_all_k_way_is_every_k_set(size in 1usize..7, number in 1usize..7) {
            let names: Vec<String> = (0..size).map(|place| format!("v{place}")).collect();
            let formula = Formula::parse(&[format!("all {number}-way")]).unwrap();
            let named = Formula::parse(&[format!("all {number}-way of {}", names.join("*"))]).unwrap();
            if number > size {
                prop_assert_eq!(formula.with_families(&names).unwrap_err().code, Code::BadFormula);
                return Ok(());
            }
            let found = formula.with_families(&names).unwrap().tables;
            prop_assert_eq!(&named.with_families(&[]).unwrap().tables, &found);
            let found: BTreeSet<Vec<String>> = found.into_iter().collect();
            let subsets = (0u32..1 << size).filter(|set| set.count_ones() as usize == number);
            let expected = subsets.map(|set| {
                (0..size).filter(|place| set >> place & 1 == 1).map(|place| names[place].clone()).collect()
            });
            prop_assert_eq!(found, expected.collect());
        }

        #[test]
        fn no_text_breaks_the_reader(text in "[ab*+` é]{0,12}") {
            let _ = Formula::parse(&[text]);
        }
    }
}
