//! An intruder with a name: what is known, and what must not be learned.

use crate::settings::{Misfit, Step, Value, Word};

use super::text::BadValue;

/// One entry of `[risk.scenarios]`: `neighbour = ["age", "sex"]`, or a section of its own with
/// `keys` and `sensitive`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamedIntruder {
    /// The columns that the intruder knows.
    pub keys: Vec<String>,
    /// The columns that the intruder must not learn; those of the project when none is named.
    pub sensitive: Vec<String>,
}

impl Word for NamedIntruder {
    fn read(value: &Value) -> Result<Self, Misfit> {
        let mut intruder = Self::default();
        match value {
            Value::List(_) => intruder.keys = Word::read(value)?,
            Value::Map(map) => {
                for (name, value) in map {
                    let list = match name.as_str() {
                        "keys" => &mut intruder.keys,
                        "sensitive" => &mut intruder.sensitive,
                        _ => {
                            let unknown = BadValue::new(
                                "an intruder has `keys` and `sensitive`, and nothing else",
                                "check the spelling",
                            );
                            return Err(Misfit::from(unknown).inside(Step::Name(name.clone())));
                        }
                    };
                    *list = Word::read(value)
                        .map_err(|misfit: Misfit| misfit.inside(Step::Name(name.clone())))?;
                }
            }
            _ => {
                return Err(BadValue::new(
                    format!("expected a list of columns or a section, found {}", value.kind()),
                    "write neighbour = [\"age\", \"sex\"]",
                )
                .into());
            }
        }
        if intruder.keys.is_empty() {
            return Err(BadValue::new(
                "an intruder who knows no column finds nobody",
                "name the columns as `keys`",
            )
            .into());
        }
        Ok(intruder)
    }

    fn write(&self) -> Value {
        let list = |names: &Vec<String>| names.write();
        match self.sensitive.is_empty() {
            true => list(&self.keys),
            false => Value::Map(
                [("keys", &self.keys), ("sensitive", &self.sensitive)]
                    .map(|(name, names)| (name.to_owned(), list(names)))
                    .into(),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(names: &[&str]) -> Value {
        Value::List(names.iter().map(|name| Value::text(*name)).collect())
    }

    #[test]
    fn both_ways_to_write_one() {
        let short = NamedIntruder::read(&list(&["age", "sex"])).unwrap();
        assert_eq!(short.keys, ["age", "sex"]);
        assert_eq!(short.write(), list(&["age", "sex"]));
        let long = Value::Map(
            [("keys".to_owned(), list(&["age"])), ("sensitive".to_owned(), list(&["income"]))]
                .into(),
        );
        let read = NamedIntruder::read(&long).unwrap();
        assert_eq!(read.sensitive, ["income"]);
        assert_eq!(read.write(), long);
    }

    #[test]
    fn what_is_no_intruder_is_told() {
        let map = |name: &str, value: Value| Value::Map([(name.to_owned(), value)].into());
        for (value, words) in [
            (Value::text("age"), "expected a list of columns or a section, found text"),
            (list(&[]), "knows no column"),
            (map("sensitive", list(&["income"])), "knows no column"),
            (map("key", list(&["age"])), "and nothing else"),
            (map("keys", Value::text("age")), "expected a list"),
        ] {
            let refused = NamedIntruder::read(&value).unwrap_err().refusal;
            assert!(refused.detail.contains(words), "{}", refused.detail);
        }
    }
}
