//! Any text as a derived variable; what is read is written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use marginswap_pipeline::derive::{named, plain};

fuzz_target!(|text: &str| {
    if let Ok((name, expression)) = named(text) {
        let written = format!("{} = {expression}", plain(&name));
        let (again, same) = named(&written).expect("an expression that is written can be read");
        assert!(again == name && same == expression);
    }
});
