//! marginswap.
fn main() {}
