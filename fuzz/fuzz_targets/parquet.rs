//! Any bytes between the magics of Parquet: read, rewritten without a swap.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let inner = bytes.strip_prefix(b"PAR1").unwrap_or(bytes);
    let inner = inner.strip_suffix(b"PAR1").unwrap_or(inner);
    marginswap_fuzz::read_and_rewrite(&[b"PAR1", inner, b"PAR1"].concat());
});
