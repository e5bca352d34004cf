//! Any text as a rule; what is read is written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use marginswap_pipeline::project::Rule;

fuzz_target!(|text: &str| {
    if let Ok(rule) = text.parse::<Rule>() {
        let again: Rule = rule.to_string().parse().expect("a rule that is written can be read");
        assert_eq!(again, rule);
    }
});
