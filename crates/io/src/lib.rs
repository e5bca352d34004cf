//! Files: bytes to columns, and back.
//!
//! A data file is opened ([`Source::open`]), its header tells the columns, and the wanted
//! ones are read as categories and codes ([`Source::read`]). CSV, plain or gzip, passes
//! through a scanner of its own ([`scan`], [`csv`]); Parquet through the crate of that
//! name; a data frame of another program is one of [`Frame`]. A plan has a file of its own
//! ([`plan_file`]), which knows its input by a sum ([`digest`]); [`rewrite()`] gives the input once
//! more with the swaps done. Every file is written by way of [`staged`]: complete under a temporary
//! name, then renamed.
//!
//! Absences: no type is guessed, nothing is printed, no error shows a value of the data
//! (header names may be shown), no damaged file is read in part.

mod as_written;
pub mod atomic;
pub mod csv;
pub mod delimiter;
pub mod digest;
pub mod disk;
pub mod frame;
pub mod input_file;
pub mod leftovers;
pub mod plan_file;
pub mod published;
pub mod refusal;
pub mod rewrite;
pub mod scan;
pub mod seal;
pub mod source;
pub mod staged;

#[cfg(feature = "parquet")]
mod arrow;
mod find_bytes;
mod foreign;
mod gunzip;
mod header;
mod line_ends;
#[cfg(feature = "parquet")]
mod parquet;
mod pieces;
mod quoting;
mod reorder_csv;
mod reorder_held;
mod rewrite_csv;
#[cfg(feature = "parquet")]
mod rewrite_parquet;
mod rows;
mod sas;
mod spss;
mod stata;
#[cfg(feature = "parquet")]
mod thrift;
mod write_csv;

pub use as_written::AsWritten;
pub use atomic::{Overwrite, Secrecy, check_not_input, check_outputs, check_target, write_atomic};
pub use delimiter::Delimiter;
pub use digest::{FileDigest, Hashed, digest_file, sha256_hex};
pub use frame::Frame;
#[cfg(feature = "parquet")]
pub use frame::FrameBuilder;
pub use frame::unfolded::{HouseholdKind, Unfolded};
pub use input_file::InputFile;
pub use leftovers::{Leftover, LeftoverState, is_temporary, leftovers};
pub use plan_file::{
    PlanFile, PlanHeader, Seal, ThenPersons, plan_bytes, plan_bytes_sealed, read_plan,
    read_plan_sealed, write_plan,
};
pub use published::{PublishedFile, PublishedFormat, PublishedOptions, read_published};
pub use reorder_held::Held;
pub use rewrite::{ReleaseOptions, Renamed, RewriteCounts, rewrite, rewrite_held, rewrite_same};
pub use rows::labels::{ColumnLabels, Labels};
pub use seal::SealKey;
pub use source::{Compression, ENDINGS, Format, ReadOptions, Sample, Source, Table};
pub use staged::{
    Finished, Staged, are_named, exit_code_once_named, publish_all, remove_on_interrupt,
};

pub use write_csv::{CsvColumn, write_csv};

/// What a message says of an error of the operating system or a decompressor: its own words when
/// it comes from the system, else its kind alone, since other words may hold anything.
#[must_use]
pub fn said(error: &std::io::Error) -> String {
    match error.raw_os_error() {
        Some(_) => error.to_string(),
        None => error.kind().to_string(),
    }
}
