//! What `explain` answers about error codes.

use marginswap_report::codes::{COUNTING, CodeReport, CodesReport};

use crate::codes::{ENTRIES, Entry};

/// What one code means.
#[must_use]
pub fn code(entry: &Entry) -> CodeReport {
    CodeReport {
        code: entry.to_string(),
        title: entry.title,
        explanation: entry.text,
        counting: COUNTING,
        exit_code: entry.exit,
    }
}

/// Every code there is.
#[must_use]
pub fn codes() -> CodesReport {
    CodesReport { codes: ENTRIES.iter().map(code).collect() }
}
