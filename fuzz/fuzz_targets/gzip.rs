//! Any bytes after the magic of gzip: read, rewritten without a swap.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut file = b"\x1f\x8b".to_vec();
    file.extend_from_slice(bytes.strip_prefix(b"\x1f\x8b").unwrap_or(bytes));
    marginswap_fuzz::read_and_rewrite(&file);
});
