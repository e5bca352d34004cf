//! What a setting is given, before it is known what it means.
//!
//! A project file, a flag and a plan's parameters all come down to a [`Value`]. A number keeps
//! the digits it was written with, so that `0.05` is the same share everywhere. [`Word`] reads
//! one item of a setting, [`Entry`] the whole field of the project.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU16;
use std::path::PathBuf;

use marginswap_io::Delimiter;
use serde_json::Value as Json;

use crate::derive::Expression;
use crate::project::{BadValue, Rule, Written};

/// A setting as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Text.
    Text(String),
    /// A number, in its own digits.
    Number(String),
    /// `true` or `false`.
    Switch(bool),
    /// A list.
    List(Vec<Value>),
    /// Named values.
    Map(BTreeMap<String, Value>),
}

impl Value {
    /// Some text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// What it is, in words.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Number(_) => "a number",
            Self::Switch(_) => "true or false",
            Self::List(_) => "a list",
            Self::Map(_) => "a section",
        }
    }

    /// The same as JSON.
    #[must_use]
    pub fn json(&self) -> Json {
        match self {
            Self::Text(text) => text.as_str().into(),
            Self::Number(digits) => {
                digits.parse::<u64>().map_or_else(|_| digits.as_str().into(), Json::from)
            }
            Self::Switch(on) => (*on).into(),
            Self::List(list) => list.iter().map(Self::json).collect(),
            Self::Map(map) => {
                map.iter().map(|(name, value)| (name.clone(), value.json())).collect()
            }
        }
    }

    /// The value that [`Value::json`] wrote; `None` for null.
    #[must_use]
    pub fn from_json(json: &Json) -> Option<Self> {
        Some(match json {
            Json::Null => return None,
            Json::Bool(on) => Self::Switch(*on),
            Json::Number(number) => Self::Number(number.to_string()),
            Json::String(text) => Self::text(text),
            Json::Array(list) => Self::List(list.iter().filter_map(Self::from_json).collect()),
            Json::Object(map) => Self::Map(
                map.iter()
                    .filter_map(|(name, value)| Some((name.clone(), Self::from_json(value)?)))
                    .collect(),
            ),
        })
    }
}

/// A value of the wrong kind, or text that means nothing; where it is in the value, so that a
/// list can be reported item by item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// What is wrong.
    pub refusal: BadValue,
    /// The places of the items that lead to it.
    pub path: Vec<Step>,
}

/// One step into a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// An item of a list.
    Item(usize),
    /// A named value.
    Name(String),
}

impl Misfit {
    pub(crate) fn inside(mut self, step: Step) -> Self {
        self.path.insert(0, step);
        self
    }
}

impl From<BadValue> for Misfit {
    fn from(refusal: BadValue) -> Self {
        Self { refusal, path: Vec::new() }
    }
}

fn wrong_kind(expected: &str, found: &Value) -> Misfit {
    BadValue::new(
        format!("expected {expected}, found {}", found.kind()),
        "docs/settings.md says what each setting takes",
    )
    .into()
}

/// One item of a setting.
pub trait Word: Sized {
    /// Reads it.
    ///
    /// # Errors
    /// When the value is of another kind, or means nothing.
    fn read(value: &Value) -> Result<Self, Misfit>;

    /// Writes it so that it can be read again.
    fn write(&self) -> Value;
}

impl<T: Written + fmt::Display> Word for T {
    fn read(value: &Value) -> Result<Self, Misfit> {
        match value {
            Value::Text(text) => Ok(text.parse()?),
            Value::Number(digits) => {
                let whole = digits.parse().ok().and_then(T::from_number);
                match whole {
                    Some(whole) => Ok(whole),
                    None if T::TAKES_DECIMALS && digits.contains('.') => Ok(digits.parse()?),
                    None => Err(wrong_kind(T::WHAT, value)),
                }
            }
            _ => Err(wrong_kind(T::WHAT, value)),
        }
    }

    fn write(&self) -> Value {
        Value::text(self.to_string())
    }
}

impl Word for String {
    fn read(value: &Value) -> Result<Self, Misfit> {
        match value {
            Value::Text(text) => Ok(text.clone()),
            _ => Err(wrong_kind("text", value)),
        }
    }

    fn write(&self) -> Value {
        Value::text(self)
    }
}

impl Word for PathBuf {
    fn read(value: &Value) -> Result<Self, Misfit> {
        match value {
            Value::Text(text) => Ok(text.into()),
            _ => Err(wrong_kind("a path in quotes", value)),
        }
    }

    fn write(&self) -> Value {
        Value::text(self.display().to_string())
    }
}

impl Word for bool {
    fn read(value: &Value) -> Result<Self, Misfit> {
        match value {
            Value::Switch(on) => Ok(*on),
            _ => Err(wrong_kind("true or false", value)),
        }
    }

    fn write(&self) -> Value {
        Value::Switch(*self)
    }
}

impl Word for u32 {
    fn read(value: &Value) -> Result<Self, Misfit> {
        const EXPECTED: &str = "a whole number from 0 to 4,294,967,295";
        match value {
            Value::Number(digits) => digits.parse().map_err(|_| wrong_kind(EXPECTED, value)),
            // A flag gives text.
            Value::Text(digits) => digits.parse().map_err(|_| {
                BadValue::new(format!("expected {EXPECTED}"), "write it in digits").into()
            }),
            _ => Err(wrong_kind(EXPECTED, value)),
        }
    }

    fn write(&self) -> Value {
        Value::Number(self.to_string())
    }
}

impl Word for NonZeroU16 {
    fn read(value: &Value) -> Result<Self, Misfit> {
        let number = match value {
            Value::Number(digits) => digits.parse().ok(),
            _ => None,
        };
        number.ok_or_else(|| wrong_kind("a whole number from 1 to 65,535", value))
    }

    fn write(&self) -> Value {
        Value::Number(self.to_string())
    }
}

impl Word for Delimiter {
    fn read(value: &Value) -> Result<Self, Misfit> {
        match value {
            Value::Text(text) => {
                Self::parse(text).map_err(|refusal| BadValue::from(refusal).into())
            }
            _ => Err(wrong_kind("a delimiter in quotes", value)),
        }
    }

    fn write(&self) -> Value {
        Value::text(self.to_string())
    }
}

impl Word for Rule {
    fn read(value: &Value) -> Result<Self, Misfit> {
        match value {
            Value::Text(text) => Ok(text.parse()?),
            // As a plan's parameters hold it: the terms one by one.
            Value::List(_) => Self::from_json(&value.json())
                .ok_or_else(|| wrong_kind("the terms of a rule", value)),
            _ => Err(wrong_kind("a rule in quotes", value)),
        }
    }

    fn write(&self) -> Value {
        Value::text(self.to_string())
    }
}

impl Word for Expression {
    fn read(value: &Value) -> Result<Self, Misfit> {
        match value {
            Value::Text(text) => Ok(text.parse()?),
            _ => Err(wrong_kind("an expression in quotes", value)),
        }
    }

    fn write(&self) -> Value {
        Value::text(self.to_string())
    }
}

impl<T: Word> Word for Vec<T> {
    fn read(value: &Value) -> Result<Self, Misfit> {
        let Value::List(list) = value else { return Err(wrong_kind("a list", value)) };
        let items = list
            .iter()
            .enumerate()
            .map(|(place, item)| T::read(item).map_err(|misfit| misfit.inside(Step::Item(place))));
        items.collect()
    }

    fn write(&self) -> Value {
        Value::List(self.iter().map(Word::write).collect())
    }
}

/// A field of the project that a setting fills.
pub trait Entry: Sized + Default {
    /// Reads the field.
    ///
    /// # Errors
    /// As [`Word::read`].
    fn read(value: &Value) -> Result<Self, Misfit>;

    /// The value of the field; `None` when it is not set.
    fn value(&self) -> Option<Value>;

    /// This field with another one laid over it.
    #[must_use]
    fn under(self, over: Self) -> Self {
        if over.value().is_some() { over } else { self }
    }
}

impl<T: Word> Entry for Option<T> {
    fn read(value: &Value) -> Result<Self, Misfit> {
        T::read(value).map(Some)
    }

    fn value(&self) -> Option<Value> {
        self.as_ref().map(Word::write)
    }
}

impl<T: Word> Entry for Vec<T> {
    fn read(value: &Value) -> Result<Self, Misfit> {
        Word::read(value)
    }

    fn value(&self) -> Option<Value> {
        (!self.is_empty()).then(|| self.write())
    }
}

/// Named values are merged name by name.
impl<T: Word> Entry for BTreeMap<String, T> {
    fn read(value: &Value) -> Result<Self, Misfit> {
        let Value::Map(map) = value else {
            return Err(wrong_kind("a section with entries of its own", value));
        };
        let items = map.iter().map(|(name, item)| match T::read(item) {
            Ok(item) => Ok((name.clone(), item)),
            Err(misfit) => Err(misfit.inside(Step::Name(name.clone()))),
        });
        items.collect()
    }

    fn value(&self) -> Option<Value> {
        let map = self.iter().map(|(name, item)| (name.clone(), item.write())).collect();
        (!self.is_empty()).then_some(Value::Map(map))
    }

    fn under(mut self, over: Self) -> Self {
        self.extend(over);
        self
    }
}
