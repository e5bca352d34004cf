//! Tables as a user writes them: `region*sex*age + age*marital`.
//!
//! As in R's hierarchical formulas, `*` joins the variables of one table and `+` separates
//! two tables. A name that holds one of these signs is put between backticks; a backtick in it
//! is doubled. Spaces around names do not count.
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

        #[test]
        fn no_text_breaks_the_reader(text in "[ab*+` é]{0,12}") {
            let _ = Formula::parse(&[text]);
        }
    }
}
