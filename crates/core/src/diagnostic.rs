//! What a user reads whose input cannot be used: place, cause, remedy.
//!
//! Every refusal has a [`Kind`], whose name never changes its meaning. Each crate declares the
//! kinds that arise in it ([`refusals!`](crate::refusals)); their numbers, exit codes and long
//! texts are given above this crate. A [`Diagnostic`] never holds a data value: it may name
//! files, lines, bytes, columns and counts, because the log it ends up in is read by more
//! people than the data. Our own bugs are panics, never diagnostics.

use std::fmt;
use std::path::PathBuf;

pub use crate::text::{escaped, grouped, is_control};

/// The name of one refusal, such as `unknown-column`. A name keeps its meaning for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind(&'static str);

impl Kind {
    /// The kind of this name.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self(name)
    }

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0)
    }
}

/// Declares the refusals of a crate as constants of a type `Code`: first the crate's own, listed
/// in `Code::ALL`, then those that it takes over from the `Code` of a crate below.
#[macro_export]
macro_rules! refusals {
    (
        own { $($name:ident $kind:literal: $what:literal;)* }
        $(from $below:ty { $($taken:ident)* })*
    ) => {
        /// The refusals that this crate knows.
        #[derive(Debug)]
        pub enum Code {}

        #[allow(non_upper_case_globals, reason = "they read as the variants of an enum")]
        impl Code {
            $(
                #[doc = concat!($what, ".")]
                pub const $name: $crate::diagnostic::Kind = $crate::diagnostic::Kind::new($kind);
            )*
            $($(
                #[doc = "Declared in a crate below."]
                pub const $taken: $crate::diagnostic::Kind = <$below>::$taken;
            )*)*

            /// The refusals that arise in this crate first.
            pub const ALL: &[$crate::diagnostic::Kind] = &[$(Self::$name),*];
        }
    };
}

/// One refusal, as a user reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Which refusal it is.
    pub code: Kind,
    /// Where the trouble is.
    pub place: Place,
    /// What was found and what was expected.
    pub detail: String,
    /// What to do about it.
    pub remedy: String,
    /// The setting that is meant, as `section.name`, where there is one; `section.name=value`
    /// where that value is to blame. Doors know where it is given.
    pub about: Option<String>,
    /// The exit code that the place of the trouble asks for, where it is not the usual one.
    pub exit: Option<u8>,
}

/// Where the trouble is, as closely as is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The file, or whatever else a door calls the place.
    pub file: Option<PathBuf>,
    /// The line, counted from 1.
    pub line: Option<u64>,
    /// The byte, counted from 0 (in the uncompressed bytes of a gzip file).
    pub byte: Option<u64>,
    /// The name or number of the column.
    pub column: Option<String>,
}

impl Diagnostic {
    /// A refusal without a place.
    pub fn new(code: Kind, detail: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            code,
            place: Place::default(),
            detail: detail.into(),
            remedy: remedy.into(),
            about: None,
            exit: None,
        }
    }

    /// The same refusal, to be laid to this setting.
    #[must_use]
    pub fn about(mut self, setting: impl Into<String>) -> Self {
        self.about = Some(setting.into());
        self
    }

    /// The same refusal, in this file.
    #[must_use]
    pub fn in_file(mut self, file: impl Into<PathBuf>) -> Self {
        self.place.file = Some(file.into());
        self
    }

    /// The same refusal, at this line and byte.
    #[must_use]
    pub fn at(mut self, line: u64, byte: u64) -> Self {
        self.place.line = Some(line);
        self.place.byte = Some(byte);
        self
    }

    /// The same refusal, in this column.
    #[must_use]
    pub fn in_column(mut self, column: impl Into<String>) -> Self {
        self.place.column = Some(column.into());
        self
    }
}

impl fmt::Display for Diagnostic {
    /// Cause and remedy. A door that knows more (a number, a flag) says more.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.place.to_string();
        if !place.is_empty() {
            writeln!(formatter, "{}", escaped(&place))?;
        }
        for line in self.detail.lines() {
            writeln!(formatter, "{}", escaped(line))?;
        }
        formatter.write_str(&escaped(&self.remedy))
    }
}

impl std::error::Error for Diagnostic {}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        if let Some(file) = &self.file {
            write!(formatter, "{}", file.display())?;
            separator = ", ";
        }
        if let Some(line) = self.line {
            write!(formatter, "{separator}line {}", grouped(line))?;
            separator = ", ";
        }
        if let Some(column) = &self.column {
            write!(formatter, "{separator}column {column}")?;
        }
        if let Some(byte) = self.byte {
            write!(formatter, " (byte {})", grouped(byte))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ODD: Kind = Kind::new("odd");

    #[test]
    fn a_hostile_name_does_not_reach_the_terminal() {
        let error = Diagnostic::new(ODD, "no `a\x1b[2J`", "did you mean `\u{202e}b`?");
        let shown = error.to_string();
        assert!(shown.contains("no `a\\u{1b}[2J`") && shown.contains("`\\u{202e}b`"), "{shown}");
        assert_eq!(escaped("Größe, 年齢"), "Größe, 年齢");
    }

    #[test]
    fn an_error_gives_place_cause_and_remedy() {
        let error = Diagnostic::new(ODD, "this line has 10 fields", "quote the comma")
            .in_file("survey.csv")
            .at(48_213, 5_912_884);
        assert_eq!(
            error.to_string(),
            "survey.csv, line 48,213 (byte 5,912,884)\nthis line has 10 fields\nquote the comma"
        );
    }
}
