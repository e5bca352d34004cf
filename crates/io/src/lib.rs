//! Bytes to columns.
//!
//! A data file is opened ([`Source::open`]), its header tells the columns, and the wanted
//! ones are read as categories and codes ([`Source::read`]). CSV, plain or gzip, passes
//! through a scanner of its own ([`scan`], [`csv`]); Parquet through the crate of that
//! name. [`write_atomic`] is the only way a file is written.
//!
//! Absences: no type is guessed, nothing is printed, no error shows a value of the data
//! (header names may be shown), no damaged file is read in part.

pub mod atomic;
pub mod csv;
pub mod delimiter;
pub mod scan;
pub mod source;

#[cfg(feature = "parquet")]
mod description;
mod gunzip;
mod header;
#[cfg(feature = "parquet")]
mod pages;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "parquet")]
mod quiet;
mod specials;
#[cfg(feature = "parquet")]
mod thrift;

pub use atomic::{Overwrite, Secrecy, check_target, write_atomic};
pub use delimiter::Delimiter;
pub use source::{Compression, Format, ReadOptions, Source, Table};

/// What is told of an error of the operating system or a decompressor: its own words when
/// it comes from the system, else its kind alone, since other words may hold anything.
fn said(error: &std::io::Error) -> String {
    match error.raw_os_error() {
        Some(_) => error.to_string(),
        None => error.kind().to_string(),
    }
}
