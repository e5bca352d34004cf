//! Any bytes as a CSV file: read, rewritten without a swap.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| marginswap_fuzz::read_and_rewrite(bytes));
