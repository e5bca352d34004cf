//! An expression: how the value of a derived variable follows from a record's columns.
//!
//! A value is text, as in the file. A condition is yes, no, or missing where a number that it
//! asks for is missing. What is compared as a number and what as text is visible in the
//! expression: a number without quotes and the signs `<`, `<=`, `>`, `>=` ask for numbers; text
//! between quotes is compared byte by byte.
//!
//! Way in: `FromStr`, which is in [`super::parse`]; what it means for records is in
//! [`super::evaluate`].

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use super::bands::Bands;
use marginswap_core::decimal::Decimal;

/// An expression that has been read.
#[derive(Debug, Clone)]
pub struct Expression {
    pub(super) root: Part,
}

/// A part of an expression.
#[derive(Debug, Clone)]
pub(super) struct Part {
    /// What it is.
    pub what: What,
    /// The character at which it begins, from 1.
    pub at: usize,
}

/// What a part of an expression is.
#[derive(Debug, Clone)]
pub(super) enum What {
    /// A column, or another derived variable.
    Name(String),
    /// A text.
    Text(String),
    /// A number.
    Number(Decimal),
    /// The class of a number.
    Band {
        /// The number.
        of: Box<Part>,
        /// The classes.
        bands: Bands,
        /// Codes of a missing number, in place of those that hold everywhere.
        missing: Option<Vec<String>>,
    },
    /// What a file gives for a code.
    Map {
        /// The code.
        of: Box<Part>,
        /// The file, from the folder in which the program runs.
        file: PathBuf,
        /// The file as it was written.
        written: String,
        /// The column of the file that is wanted.
        column: String,
        /// The column of the file that holds the codes.
        key: Option<String>,
    },
    /// The first characters.
    Prefix {
        /// Of what.
        of: Box<Part>,
        /// How many.
        characters: usize,
    },
    /// One of two values.
    If {
        /// Which decides.
        condition: Box<Part>,
        /// The value where it holds.
        then: Box<Part>,
        /// The value where it does not.
        otherwise: Box<Part>,
    },
    /// A comparison of two values.
    Compare {
        /// One value.
        left: Box<Part>,
        /// How they are compared.
        how: Comparison,
        /// The other value.
        right: Box<Part>,
    },
    /// Is a value among these texts and numbers, or (negated) not?
    Among {
        /// The value.
        of: Box<Part>,
        /// Texts and numbers.
        values: Vec<Part>,
        /// Is the condition met by all other values instead?
        negated: bool,
    },
    /// The contrary of a condition.
    Not(Box<Part>),
    /// All of several conditions.
    And(Vec<Part>),
    /// Any of several conditions.
    Or(Vec<Part>),
    /// What the members of a household are together; an expression is nothing else then.
    Together {
        /// What is taken of them.
        how: Together,
        /// The condition that is asked of each, or the values that are listed.
        of: Vec<Part>,
    },
}

/// What is taken of the members of a household.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Together {
    /// How many there are.
    Size,
    /// How many meet a condition.
    Count,
    /// Does any of them meet a condition?
    Any,
    /// Their values, each as often as it occurs.
    Members,
}

impl Together {
    pub(super) const ALL: [Self; 4] = [Self::Size, Self::Count, Self::Any, Self::Members];

    /// The function of this name.
    pub(super) fn function(self) -> &'static str {
        match self {
            Self::Size => "size",
            Self::Count => "count",
            Self::Any => "any",
            Self::Members => "members",
        }
    }
}

/// How two values are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    Unequal,
    Below,
    AtMost,
    Above,
    AtLeast,
}

impl Comparison {
    pub(super) fn sign(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::Unequal => "!=",
            Self::Below => "<",
            Self::AtMost => "<=",
            Self::Above => ">",
            Self::AtLeast => ">=",
        }
    }

    /// Does it ask which value is larger?
    pub(super) fn orders(self) -> bool {
        !matches!(self, Self::Equal | Self::Unequal)
    }
}

impl Expression {
    /// The columns and derived variables that it names, in the order in which they first appear.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        self.root.visit(&mut |part| {
            if let What::Name(name) = &part.what
                && !names.contains(&name.as_str())
            {
                names.push(name);
            }
        });
        names
    }

    /// The character at which a name first appears, from 1.
    #[must_use]
    pub fn place_of(&self, wanted: &str) -> Option<usize> {
        let mut place = None;
        self.root.visit(&mut |part| {
            if matches!(&part.what, What::Name(name) if name == wanted) {
                place.get_or_insert(part.at);
            }
        });
        place
    }

    /// The texts that a name is compared with, each with the name.
    #[must_use]
    pub fn texts_compared(&self) -> BTreeSet<(&str, &str)> {
        let mut found = BTreeSet::new();
        self.root.visit(&mut |part| match &part.what {
            What::Compare { left, right, .. } => {
                for (one, other) in [(left, right), (right, left)] {
                    if let (Some(name), What::Text(text)) = (one.name(), &other.what) {
                        found.insert((name, text.as_str()));
                    }
                }
            }
            What::Among { of, values, .. } => {
                for value in values {
                    if let (Some(name), What::Text(text)) = (of.name(), &value.what) {
                        found.insert((name, text.as_str()));
                    }
                }
            }
            _ => {}
        });
        found
    }

    /// The names that are used as conditions: each must be a derived variable that is one.
    #[must_use]
    pub fn names_as_conditions(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.root.visit(&mut |part| {
            let conditions: Vec<&Part> = match &part.what {
                What::If { condition, .. } => vec![condition],
                What::Not(inner) => vec![inner],
                What::And(all) | What::Or(all) => all.iter().collect(),
                What::Together { how: Together::Count | Together::Any, of } => of.iter().collect(),
                _ => vec![],
            };
            names.extend(conditions.into_iter().filter_map(Part::name));
        });
        names
    }

    /// The other variable, where the expression is nothing but its name.
    #[must_use]
    pub fn alias(&self) -> Option<&str> {
        self.root.name()
    }

    /// Is it a condition, whose value is yes, no or missing? A name alone is not.
    #[must_use]
    pub fn is_condition(&self) -> bool {
        self.root.is_condition()
    }

    /// What is taken of the members of a household, and of which values of each; `None` for an
    /// expression that speaks of single records.
    #[must_use]
    pub fn together(&self) -> Option<(Together, Vec<Self>)> {
        let What::Together { how, of } = &self.root.what else { return None };
        Some((*how, of.iter().map(|part| Self { root: part.clone() }).collect()))
    }

    /// The files that it reads.
    #[must_use]
    pub fn files(&self) -> Vec<&Path> {
        let mut files = Vec::new();
        self.root.visit(&mut |part| {
            if let What::Map { file, .. } = &part.what {
                files.push(file.as_path());
            }
        });
        files
    }

    /// The same, with the files looked for from a folder.
    pub fn start_paths_at(&mut self, folder: &Path) {
        self.root.change(&mut |what| {
            if let What::Map { file, .. } = what {
                *file = folder.join(&*file);
            }
        });
    }
}

/// Expressions are equal when they are written the same way, but for spaces.
impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Eq for Expression {}

impl Part {
    pub(super) fn is_condition(&self) -> bool {
        matches!(
            self.what,
            What::Compare { .. } | What::Among { .. } | What::Not(_) | What::And(_) | What::Or(_)
        )
    }

    /// The name, where the part is nothing else.
    pub(super) fn name(&self) -> Option<&str> {
        match &self.what {
            What::Name(name) => Some(name),
            _ => None,
        }
    }

    /// This part and every part inside it, from left to right.
    pub(super) fn visit<'a>(&'a self, visit: &mut impl FnMut(&'a Self)) {
        visit(self);
        match &self.what {
            What::Name(_) | What::Text(_) | What::Number(_) => {}
            What::Band { of, .. } | What::Map { of, .. } | What::Prefix { of, .. } => {
                of.visit(visit);
            }
            What::If { condition, then, otherwise } => {
                [condition, then, otherwise].into_iter().for_each(|part| part.visit(visit));
            }
            What::Compare { left, right, .. } => {
                [left, right].into_iter().for_each(|part| part.visit(visit));
            }
            What::Among { of, .. } => of.visit(visit),
            What::Not(inner) => inner.visit(visit),
            What::And(all) | What::Or(all) | What::Together { of: all, .. } => {
                all.iter().for_each(|part| part.visit(visit));
            }
        }
    }

    /// Changes this part and every part inside it.
    fn change(&mut self, change: &mut impl FnMut(&mut What)) {
        change(&mut self.what);
        match &mut self.what {
            What::Name(_) | What::Text(_) | What::Number(_) => {}
            What::Band { of, .. } | What::Map { of, .. } | What::Prefix { of, .. } => {
                of.change(change);
            }
            What::If { condition, then, otherwise } => {
                [condition, then, otherwise].into_iter().for_each(|part| part.change(change));
            }
            What::Compare { left, right, .. } => {
                [left, right].into_iter().for_each(|part| part.change(change));
            }
            What::Among { of, .. } => of.change(change),
            What::Not(inner) => inner.change(change),
            What::And(all) | What::Or(all) | What::Together { of: all, .. } => {
                all.iter_mut().for_each(|part| part.change(change));
            }
        }
    }
}

/// A text between quotes, as it can be read again.
pub(super) fn text(plain: &str) -> String {
    format!("\"{}\"", plain.replace('"', "\"\""))
}

/// A name as it can be read again.
#[must_use]
pub fn name(plain: &str) -> String {
    let mut signs = plain.chars();
    let begins = signs.next().is_some_and(begins_name);
    let word = ["and", "or", "not", "in"].contains(&plain);
    match begins && signs.all(continues_name) && !word {
        true => plain.to_owned(),
        false => format!("`{}`", plain.replace('`', "``")),
    }
}

/// May a name without backticks begin with it?
pub(super) fn begins_name(sign: char) -> bool {
    sign.is_alphabetic() || sign == '_'
}

/// May a name without backticks go on with it? There is no subtraction: `marital-status` is one
/// name.
pub(super) fn continues_name(sign: char) -> bool {
    sign.is_alphanumeric() || matches!(sign, '_' | '.' | '-')
}

/// As it can be read again.
impl fmt::Display for Expression {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.root)
    }
}

impl fmt::Display for Part {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.what {
            What::Name(plain) => formatter.write_str(&name(plain)),
            What::Text(plain) => formatter.write_str(&text(plain)),
            What::Number(number) => write!(formatter, "{number}"),
            What::Band { of, bands, missing } => {
                write!(formatter, "band({of}, {bands}")?;
                if let Some(codes) = missing {
                    let codes: Vec<String> = codes.iter().map(|code| text(code)).collect();
                    write!(formatter, ", missing = [{}]", codes.join(", "))?;
                }
                formatter.write_str(")")
            }
            What::Map { of, written, column, key, .. } => {
                write!(formatter, "map({of}, {}, {}", text(written), text(column))?;
                if let Some(key) = key {
                    write!(formatter, ", key = {}", text(key))?;
                }
                formatter.write_str(")")
            }
            What::Prefix { of, characters } => write!(formatter, "prefix({of}, {characters})"),
            What::If { condition, then, otherwise } => {
                write!(formatter, "if({condition}, {then}, {otherwise})")
            }
            What::Compare { left, how, right } => {
                write!(formatter, "{} {} {}", left.inner(), how.sign(), right.inner())
            }
            What::Among { of, values, negated } => {
                let values: Vec<String> = values.iter().map(ToString::to_string).collect();
                let not = if *negated { "not " } else { "" };
                write!(formatter, "{} {not}in {{{}}}", of.inner(), values.join(", "))
            }
            What::Not(inner) => match inner.what {
                What::Not(_) => write!(formatter, "not {inner}"),
                _ => write!(formatter, "not {}", inner.inner()),
            },
            What::And(all) => formatter.write_str(&joined(all, " and ")),
            What::Or(all) => formatter.write_str(&joined(all, " or ")),
            What::Together { how, of } => {
                let of: Vec<String> = of.iter().map(ToString::to_string).collect();
                write!(formatter, "{}({})", how.function(), of.join(", "))
            }
        }
    }
}

impl Part {
    /// Between parentheses where it is a condition of several words.
    fn inner(&self) -> String {
        if self.is_condition() { format!("({self})") } else { self.to_string() }
    }
}

fn joined(parts: &[Part], word: &str) -> String {
    let part = |part: &Part| match part.what {
        What::And(_) | What::Or(_) => format!("({part})"),
        _ => part.to_string(),
    };
    parts.iter().map(part).collect::<Vec<_>>().join(word)
}
