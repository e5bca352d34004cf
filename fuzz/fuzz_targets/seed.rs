//! Any text as a seed file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use marginswap_pipeline::seed::parse;

fuzz_target!(|text: &str| {
    if let Some(seed) = parse(text) {
        let digits: String = seed.0.iter().map(|byte| format!("{byte:02x}")).collect();
        assert!(text.to_ascii_lowercase().contains(&digits), "the seed is in the text");
    }
});
