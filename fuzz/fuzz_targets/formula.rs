//! Any text as a formula of kept tables, and as a list of names.
#![no_main]

use libfuzzer_sys::fuzz_target;
use marginswap_core::graph::{Formula, parse_names};

fuzz_target!(|text: &str| {
    let _ = Formula::parse(&[text.to_owned()]);
    let _ = parse_names(text);
});
