//! Bytes to columns.
