//! Any bytes as an SPSS file: read, rewritten without a swap.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let inner = bytes.strip_prefix(b"$FL2@(#)").unwrap_or(bytes);
    marginswap_fuzz::read_and_rewrite(&[b"$FL2@(#)", inner].concat());
});
