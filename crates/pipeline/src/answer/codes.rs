//! What `explain` answers about error codes.

use marginswap_core::diagnostic::Code;
use marginswap_report::codes::{COUNTING, CodeReport, CodesReport};

/// What one code means.
#[must_use]
pub fn code(code: Code) -> CodeReport {
    CodeReport {
        code: code.to_string(),
        title: code.title(),
        explanation: code.explanation(),
        counting: COUNTING,
        exit_code: code.exit_code(),
    }
}

/// Every code there is.
#[must_use]
pub fn codes() -> CodesReport {
    CodesReport { codes: Code::ALL.iter().map(|&one| code(one)).collect() }
}
