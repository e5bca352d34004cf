//! What the risk model is given: the population, and which model is fitted.

use std::fmt;
use std::str::FromStr;

use marginswap_core::graph::Formula;

use super::text::{BadValue, Written};

/// How many people the file was drawn from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeopleCount(pub u64);

impl FromStr for PeopleCount {
    type Err = BadValue;

    fn from_str(text: &str) -> Result<Self, BadValue> {
        let plain = text.trim().replace(',', "");
        let digits = !plain.is_empty() && plain.bytes().all(|byte| byte.is_ascii_digit());
        // Beyond 2⁵³ floating-point numbers are not whole any more.
        match plain.parse() {
            Ok(number) if digits && number > 0 && number <= 1 << 53 => Ok(Self(number)),
            _ => Err(BadValue::new(
                "a population is a whole number of people",
                "write it as 1000000",
            )),
        }
    }
}

impl Written for PeopleCount {
    const WHAT: &'static str = "a whole number of people";

    fn from_number(number: u64) -> Option<Self> {
        number.to_string().parse().ok()
    }
}

impl fmt::Display for PeopleCount {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.0)
    }
}

/// The share of the population that is in the file. Whether it can be one is decided where
/// the file is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fraction(pub f64);

impl FromStr for Fraction {
    type Err = BadValue;

    fn from_str(text: &str) -> Result<Self, BadValue> {
        let text = text.trim();
        let (number, whole) = match text.strip_suffix('%') {
            Some(percent) => (percent.trim_end(), 100.0),
            None => (text, 1.0),
        };
        let plain = number.bytes().all(|byte| byte.is_ascii_digit() || b".-".contains(&byte));
        match number.parse::<f64>() {
            Ok(fraction) if plain => Ok(Self(fraction / whole)),
            _ => Err(BadValue::new("not a fraction", "write it as 0.05 or 5 %")),
        }
    }
}

impl Written for Fraction {
    const WHAT: &'static str = "a fraction in quotes, as \"0.05\" or \"5 %\"";

    fn from_number(number: u64) -> Option<Self> {
        Some(Self(number as f64))
    }
}

impl fmt::Display for Fraction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.0)
    }
}

/// Which model of the keys is fitted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ModelChoice {
    /// `auto`: a search chooses a decomposable one.
    #[default]
    Auto,
    /// `independence`: every key by itself.
    Independence,
    /// `all-2way`: all pairs of keys, and no more.
    AllTwoWay,
    /// These tables of keys, as written.
    Tables(String),
}

impl FromStr for ModelChoice {
    type Err = BadValue;

    fn from_str(text: &str) -> Result<Self, BadValue> {
        match text.trim() {
            "auto" => Ok(Self::Auto),
            "independence" => Ok(Self::Independence),
            "all-2way" => Ok(Self::AllTwoWay),
            formula => {
                Formula::parse(&[formula])?;
                Ok(Self::Tables(formula.to_owned()))
            }
        }
    }
}

impl Written for ModelChoice {
    const WHAT: &'static str =
        "a model in quotes, as \"auto\", \"all-2way\" or \"sex*age + age*job\"";
}

impl fmt::Display for ModelChoice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Auto => "auto",
            Self::Independence => "independence",
            Self::AllTwoWay => "all-2way",
            Self::Tables(formula) => formula,
        })
    }
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident: $what:literal { $($(#[$each:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub enum $name {
            $($(#[$each])* $variant,)*
        }

        impl FromStr for $name {
            type Err = BadValue;

            fn from_str(text: &str) -> Result<Self, BadValue> {
                match text.trim() {
                    $($word => Ok(Self::$variant),)*
                    _ => Err(BadValue::new(concat!("unknown ", $what), {
                        let words: &[&str] = &[$($word),*];
                        format!("write {}", words.join(" or "))
                    })),
                }
            }
        }

        impl Written for $name {
            const WHAT: &'static str = concat!("a word in quotes: ", $("\"", $word, "\" ",)*);
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(match self { $(Self::$variant => $word,)* })
            }
        }
    };
}

words! {
    /// What a parameter of the model costs in the search.
    ScoreBy: "criterion" {
        /// ln n.
        #[default]
        Bic = "bic",
        /// 2: larger models.
        Aic = "aic",
    }
}

words! {
    /// Which steps the search takes.
    SearchBy: "search strategy" {
        /// The best forest alone.
        Forest = "forest",
        /// The best forest, then edges are added.
        #[default]
        Forward = "forward",
        /// All keys joined, then edges are removed.
        Backward = "backward",
        /// The best forest, then edges are added and removed until neither helps.
        Both = "both",
    }
}

words! {
    /// What the search ends by.
    SelectBy: "selection rule" {
        /// The best score.
        #[default]
        Score = "score",
        /// The fit criterion B/√V nearest to 0.
        Fit = "fit",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn populations_and_fractions() {
        assert_eq!("1,000,000".parse(), Ok(PeopleCount(1_000_000)));
        for text in ["", "0", "-3", "1e6", "1.5", "many", "99999999999999999999"] {
            assert!(text.parse::<PeopleCount>().is_err(), "{text}");
        }
        for (text, fraction) in [("0.05", 0.05), ("5 %", 0.05), ("1", 1.0), ("-2", -2.0)] {
            assert_eq!(text.parse(), Ok(Fraction(fraction)), "{text}");
            assert_eq!(Fraction(fraction).to_string().parse(), Ok(Fraction(fraction)));
        }
        for text in ["", "%", "nan", "inf", "a", "1e-3", "0.0.5"] {
            assert!(text.parse::<Fraction>().is_err(), "{text}");
        }
    }

    #[test]
    fn models_and_words_come_back() {
        for text in ["auto", "independence", "all-2way", "a*b + `c d`"] {
            assert_eq!(text.parse::<ModelChoice>().unwrap().to_string(), text);
        }
        assert!("a*".parse::<ModelChoice>().is_err());
        for text in ["forest", "forward", "backward", "both"] {
            assert_eq!(text.parse::<SearchBy>().unwrap().to_string(), text);
        }
        assert_eq!("aic".parse(), Ok(ScoreBy::Aic));
        assert_eq!("fit".parse(), Ok(SelectBy::Fit));
        let refused = "BIC".parse::<ScoreBy>().unwrap_err();
        assert_eq!(refused.remedy, "write bic or aic");
    }
}
