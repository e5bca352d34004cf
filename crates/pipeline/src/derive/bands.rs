//! Classes of a number: of one width, or between given bounds.
//!
//! A class holds its lower bound and not its upper one. Where every bound is a whole number a
//! class is called by its first and last whole number: 29.5 belongs to `20-29`, as an age in
//! completed years does. Otherwise it is called `0.5 to under 1`.
//!
//! The names depend on the bounds alone, never on the data: both files of a comparison have the
//! same.

use std::fmt;

use marginswap_core::decimal::Decimal;

/// How a number is put into classes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bands {
    /// Classes of one width that begin at its multiples, with a class for everything below
    /// `bottom` and one for `top` and over, where they are given.
    Width {
        /// The width, above zero.
        width: Decimal,
        /// Everything below is one class.
        bottom: Option<Decimal>,
        /// This and everything above is one class.
        top: Option<Decimal>,
    },
    /// Classes between rising bounds, one below the first and one from the last on; their names,
    /// where given, are one more than there are bounds.
    Bounds {
        /// The bounds, rising.
        bounds: Vec<Decimal>,
        /// The names of the classes, or none.
        names: Vec<String>,
    },
}

impl Bands {
    /// The name of the class of a number.
    #[must_use]
    pub fn class_of(&self, number: Decimal) -> String {
        match self {
            Self::Bounds { bounds, names } => {
                let below = bounds.partition_point(|bound| *bound <= number);
                match names.get(below) {
                    Some(name) => name.clone(),
                    None => class(
                        below.checked_sub(1).map(|at| bounds[at]),
                        bounds.get(below).copied(),
                        bounds.iter().all(|bound| bound.is_whole()),
                    ),
                }
            }
            Self::Width { width, bottom, top } => {
                let whole = [Some(*width), *bottom, *top].iter().flatten().all(|n| n.is_whole());
                if let Some(bottom) = bottom.filter(|bottom| number < *bottom) {
                    return class(None, Some(bottom), whole);
                }
                if let Some(top) = top.filter(|top| number >= *top) {
                    return class(Some(top), None, whole);
                }
                let from = number.floor_to(*width);
                let to = from + *width;
                let from = bottom.map_or(from, |bottom| from.max(bottom));
                let to = top.map_or(to, |top| to.min(top));
                class(Some(from), Some(to), whole)
            }
        }
    }
}

/// The name of the class from one bound up to another.
fn class(from: Option<Decimal>, to: Option<Decimal>, whole: bool) -> String {
    match (from, to) {
        (None, None) => "all".to_owned(),
        (None, Some(to)) => format!("under {to}"),
        (Some(from), None) => format!("{from} and over"),
        (Some(from), Some(to)) if !whole => format!("{from} to under {to}"),
        (Some(from), Some(to)) => {
            let last = to - Decimal::ONE;
            match (from == last, from.is_negative()) {
                (true, _) => from.to_string(),
                (false, false) => format!("{from}-{last}"),
                (false, true) => format!("{from} to {last}"),
            }
        }
    }
}

/// As arguments.
impl fmt::Display for Bands {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Width { width, bottom, top } => {
                write!(formatter, "{width}")?;
                if let Some(bottom) = bottom {
                    write!(formatter, ", bottom = {bottom}")?;
                }
                if let Some(top) = top {
                    write!(formatter, ", top = {top}")?;
                }
                Ok(())
            }
            Self::Bounds { bounds, names } => {
                let bounds = bounds.iter().map(ToString::to_string);
                let names = names.iter().map(|name| super::expression::text(name));
                formatter.write_str(&bounds.chain(names).collect::<Vec<_>>().join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Decimal {
        Decimal::read(text.as_bytes()).unwrap()
    }

    #[test]
    fn classes_are_called_by_their_bounds() {
        let width = |width: &str, bottom: Option<&str>, top: Option<&str>| Bands::Width {
            width: number(width),
            bottom: bottom.map(number),
            top: top.map(number),
        };
        let bounds = |bounds: &[&str]| Bands::Bounds {
            bounds: bounds.iter().map(|bound| number(bound)).collect(),
            names: vec![],
        };
        for (bands, text, class) in [
            (width("10", None, None), "29.99", "20-29"),
            (width("10", None, None), "30", "30-39"),
            (width("10", None, None), "-1", "-10 to -1"),
            (width("1", None, None), "17", "17"),
            (width("0.5", None, None), "0.75", "0.5 to under 1"),
            (width("10", Some("16"), Some("85")), "15", "under 16"),
            (width("10", Some("16"), Some("85")), "16", "16-19"),
            (width("10", Some("16"), Some("85")), "84", "80-84"),
            (width("10", Some("16"), Some("85")), "85", "85 and over"),
            (bounds(&["0", "10000", "20000"]), "-3", "under 0"),
            (bounds(&["0", "10000", "20000"]), "0", "0-9999"),
            (bounds(&["0", "10000", "20000"]), "20000", "20000 and over"),
            (bounds(&["0", "0.5"]), "0.25", "0 to under 0.5"),
        ] {
            assert_eq!(bands.class_of(number(text)), class, "{text} in {bands}");
        }
    }
}
