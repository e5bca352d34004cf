//! Any bytes as a SAS transport file: read, rewritten without a swap.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let inner = bytes.strip_prefix(b"HEADER RECORD*******LIB").unwrap_or(bytes);
    marginswap_fuzz::read_and_rewrite(&[b"HEADER RECORD*******LIB", inner].concat());
});
