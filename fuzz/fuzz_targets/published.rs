//! Any bytes as a published table: tidy CSV, SDMX-CSV or JSON-stat 2.
#![no_main]

use libfuzzer_sys::fuzz_target;
use marginswap_io::{PublishedOptions, read_published};

fuzz_target!(|bytes: &[u8]| {
    marginswap_fuzz::with_file(bytes, |path| {
        let Ok(file) = read_published(path, &PublishedOptions::default()) else { return };
        for (_, column) in &file.columns {
            assert_eq!(column.len(), file.numbers.len(), "a category for each number");
        }
        let numbers = file.numbers.iter().flatten();
        assert!(numbers.clone().all(|number| !number.is_negative()), "no debt is read");
    });
});
