//! Any bytes as a Stata file: read, rewritten without a swap.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let beginning: &[u8] = match bytes.first() {
        Some(b'<') => b"<stata_dta>",
        _ => &[115, 2, 1, 0],
    };
    let inner = bytes.strip_prefix(beginning).unwrap_or(bytes);
    marginswap_fuzz::read_and_rewrite(&[beginning, inner].concat());
});
