//! A combination that must not arise: `age in {0-4, 5-9} & marital != single`.
//!
//! A rule is a conjunction of terms: `name = value`, `name != value`, `name in {a, b}`,
//! `name not in {a, b}`. A name is put between backticks when it holds a sign, a value
//! between double quotes (doubled inside) when it holds one, has spaces at its ends or is
//! empty. A rule is broken by a record that meets every term.
//!
//! Trap: values are categories, compared byte by byte. There is no `<`: `9` and `10` have
//! no order here.
//!
//! Way in: `FromStr`. What the names and values are in a file is decided elsewhere.

use std::fmt;
use std::str::FromStr;

use serde_json::{Value, json};

use super::text::{BadValue, between};

/// A forbidden combination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// A record that meets them all breaks the rule.
    pub terms: Vec<Term>,
}

/// One condition on one column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// The column's name.
    pub column: String,
    /// The values, sorted, each once.
    pub values: Vec<Vec<u8>>,
    /// Is the term met by all other values instead?
    pub negated: bool,
}

/// Signs that occur in a name or a value only between quotes.
const SIGNS: [char; 9] = ['=', '!', '&', '{', '}', '<', '>', '"', '`'];

impl FromStr for Rule {
    type Err = BadValue;

    fn from_str(text: &str) -> Result<Self, BadValue> {
        let mut reader = Reader { text, rest: text.trim_start() };
        let mut terms: Vec<Term> = Vec::new();
        loop {
            let start = reader.rest;
            let term = reader.term()?;
            if terms.iter().any(|earlier| earlier.column == term.column) {
                reader.rest = start;
                return Err(reader.refuse(
                    "a column is named twice in one rule",
                    "name each column once, several values as `age in {0-4, 5-9}`",
                ));
            }
            terms.push(term);
            if reader.rest.is_empty() {
                return Ok(Self { terms });
            }
            if !reader.take("&") {
                return Err(reader.refuse("text follows a term", "join terms with `&`"));
            }
        }
    }
}

impl Rule {
    /// The rule term by term, as a plan's parameters hold it.
    #[must_use]
    pub fn json(&self) -> Value {
        let value = |value: &Vec<u8>| String::from_utf8_lossy(value).into_owned();
        let term = |term: &Term| {
            json!({
                "column": term.column,
                "negated": term.negated,
                "values": term.values.iter().map(value).collect::<Vec<_>>(),
            })
        };
        self.terms.iter().map(term).collect()
    }

    /// The rule that [`Rule::json`] wrote.
    #[must_use]
    pub fn from_json(json: &Value) -> Option<Self> {
        let term = |term: &Value| {
            let values = term["values"].as_array()?.iter();
            Some(Term {
                column: term["column"].as_str()?.to_owned(),
                values: values.map(|value| Some(value.as_str()?.into())).collect::<Option<_>>()?,
                negated: term["negated"].as_bool()?,
            })
        };
        Some(Self { terms: json.as_array()?.iter().map(term).collect::<Option<_>>()? })
    }
}

/// As it can be read again.
impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, term) in self.terms.iter().enumerate() {
            let values: Vec<String> = term
                .values
                .iter()
                .map(|value| format!("\"{}\"", String::from_utf8_lossy(value).replace('"', "\"\"")))
                .collect();
            let and = if place == 0 { "" } else { " & " };
            let how = match (term.negated, values.len()) {
                (false, 1) => format!("= {}", values[0]),
                (true, 1) => format!("!= {}", values[0]),
                (false, _) => format!("in {{{}}}", values.join(", ")),
                (true, _) => format!("not in {{{}}}", values.join(", ")),
            };
            write!(formatter, "{and}`{}` {how}", term.column.replace('`', "``"))?;
        }
        Ok(())
    }
}

/// What is left of a rule's text; never begins with a space.
struct Reader<'a> {
    text: &'a str,
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn term(&mut self) -> Result<Term, BadValue> {
        let column = self.name()?;
        if self.take("!=") {
            return Ok(Term { column, values: vec![self.value(&[])?], negated: true });
        }
        if self.take("=") {
            return Ok(Term { column, values: vec![self.value(&[])?], negated: false });
        }
        let negated = self.take_word("not");
        if !self.take_word("in") {
            return Err(self.refuse(
                "behind a column's name `=`, `!=` or `in {…}` is expected",
                "write a rule as `age in {0-4, 5-9} & marital != single`",
            ));
        }
        Ok(Term { column, values: self.set()?, negated })
    }

    /// A name between backticks, or up to a sign or the word `in` or `not in` before `{`.
    fn name(&mut self) -> Result<String, BadValue> {
        let name = if self.rest.starts_with('`') {
            self.between('`')?
        } else {
            let end = self.rest.find(SIGNS).unwrap_or(self.rest.len());
            let mut name = self.rest[..end].trim_end();
            if self.rest[end..].starts_with('{') {
                for word in ["in", "not"] {
                    let before = name.strip_suffix(word).unwrap_or(name);
                    if before.ends_with(char::is_whitespace) {
                        name = before.trim_end();
                    }
                }
            }
            self.skip(name.len());
            name.to_owned()
        };
        if name.is_empty() {
            return Err(self.refuse(
                "the name of a column is expected",
                "write a rule as `age in {0-4, 5-9} & marital != single`",
            ));
        }
        Ok(name)
    }

    fn set(&mut self) -> Result<Vec<Vec<u8>>, BadValue> {
        if !self.take("{") {
            return Err(
                self.refuse("behind `in` a `{` is expected", "write the values as {0-4, 5-9}")
            );
        }
        let mut values = Vec::new();
        loop {
            values.push(self.value(&[','])?);
            if self.take("}") {
                break;
            }
            if !self.take(",") {
                return Err(self.refuse("a `{` is not closed", "write the values as {0-4, 5-9}"));
            }
        }
        values.sort();
        values.dedup();
        Ok(values)
    }

    /// A value between double quotes, or up to a sign.
    fn value(&mut self, ends: &[char]) -> Result<Vec<u8>, BadValue> {
        if self.rest.starts_with('"') {
            return self.between('"').map(String::into_bytes);
        }
        let ends = |sign: char| SIGNS.contains(&sign) || ends.contains(&sign);
        let end = self.rest.find(ends).unwrap_or(self.rest.len());
        let value = self.rest[..end].trim_end();
        if value.is_empty() {
            return Err(self.refuse(
                "a value is expected",
                "put an empty value, or one that begins with a sign, between double quotes",
            ));
        }
        self.skip(value.len());
        Ok(value.into())
    }

    /// What is between two of these signs; a doubled one is the sign itself.
    fn between(&mut self, sign: char) -> Result<String, BadValue> {
        if let Some((inner, rest)) = between(self.rest, sign) {
            self.rest = rest.trim_start();
            return Ok(inner);
        }
        Err(self.refuse(
            &format!("a `{sign}` is not closed").replace("```", "backtick"),
            "close it; one that belongs to the text is doubled",
        ))
    }

    fn take(&mut self, sign: &str) -> bool {
        let found = self.rest.starts_with(sign);
        if found {
            self.skip(sign.len());
        }
        found
    }

    fn take_word(&mut self, word: &str) -> bool {
        let behind = self.rest.strip_prefix(word);
        behind.is_some_and(|behind| {
            behind.starts_with(|sign: char| sign.is_whitespace() || sign == '{')
        }) && self.take(word)
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest[bytes..].trim_start();
    }

    /// Says where, never what: a rule holds values.
    fn refuse(&self, detail: &str, remedy: &str) -> BadValue {
        let place = self.text[..self.text.len() - self.rest.len()].chars().count() + 1;
        BadValue::new(format!("{detail}, at character {place} of the rule"), remedy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(text: &str) -> Vec<(String, Vec<String>, bool)> {
        let rule: Rule = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        let text = |value| String::from_utf8(value).unwrap();
        rule.terms
            .into_iter()
            .map(|term| (term.column, term.values.into_iter().map(text).collect(), term.negated))
            .collect()
    }

    fn term(column: &str, values: &[&str], negated: bool) -> (String, Vec<String>, bool) {
        (column.to_owned(), values.iter().map(|&value| value.to_owned()).collect(), negated)
    }

    #[test]
    fn rules_are_read() {
        for (text, terms) in [
            ("age = 0-17", vec![term("age", &["0-17"], false)]),
            (
                " age=0-17&marital = married ",
                vec![term("age", &["0-17"], false), term("marital", &["married"], false)],
            ),
            ("sex != female", vec![term("sex", &["female"], true)]),
            ("sex!=female", vec![term("sex", &["female"], true)]),
            ("age in {5-9, 0-4,5-9}", vec![term("age", &["0-4", "5-9"], false)]),
            ("age in{0-4}", vec![term("age", &["0-4"], false)]),
            ("age not in {0-4}", vec![term("age", &["0-4"], true)]),
            (
                "marital status = never married",
                vec![term("marital status", &["never married"], false)],
            ),
            ("marital status in {a b}", vec![term("marital status", &["a b"], false)]),
            ("in = 3", vec![term("in", &["3"], false)]),
            ("born in = 3", vec![term("born in", &["3"], false)]),
            ("`born in` in {3}", vec![term("born in", &["3"], false)]),
            ("margin in {3}", vec![term("margin", &["3"], false)]),
            (
                "`a&b` = \"c & d\" & e = f",
                vec![term("a&b", &["c & d"], false), term("e", &["f"], false)],
            ),
            ("`a``b` = \"c\"\"d\"", vec![term("a`b", &["c\"d"], false)]),
            ("a = \"\"", vec![term("a", &[""], false)]),
            ("a = \" x \"", vec![term("a", &[" x "], false)]),
            ("a = x, y", vec![term("a", &["x, y"], false)]),
            ("a in {\"x, y\", z}", vec![term("a", &["x, y", "z"], false)]),
            ("größe = 5", vec![term("größe", &["5"], false)]),
        ] {
            assert_eq!(rule(text), terms, "{text}");
        }
    }

    #[test]
    fn slips_are_refused_without_showing_a_value() {
        for text in [
            "",
            " ",
            "age",
            "CANARY",
            "= CANARY",
            "age =",
            "age = & sex = f",
            "age = CANARY &",
            "& age = CANARY",
            "age == CANARY",
            "age < CANARY",
            "age <= CANARY",
            "age => CANARY",
            "age = CANARY = 3",
            "age in CANARY",
            "age in {",
            "age in {}",
            "age in {CANARY",
            "age in {CANARY,}",
            "age in {CANARY} CANARY",
            "age in {a} sex = f",
            "age = \"CANARY",
            "age = \"CANARY\" b",
            "`age = CANARY",
            "`` = CANARY",
            "`age` CANARY",
            "age ! CANARY",
            "age = CANARY & age = b",
            "age not = CANARY {",
            "age not {CANARY}",
            "in {a}",
            "age = 1 && sex = 2",
            "age = {a}",
        ] {
            let error = text.parse::<Rule>().expect_err(text).to_string();
            assert!(!error.contains("CANARY"), "{error}");
        }
        let error = "größe = 5 & größe = 6".parse::<Rule>().unwrap_err();
        assert_eq!(
            error.detail,
            "a column is named twice in one rule, at character 13 of the rule"
        );
    }
}
