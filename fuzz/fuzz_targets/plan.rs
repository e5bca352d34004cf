//! Any bytes as a plan file, with its sum mended so that the fuzzer gets past it. A plan that is
//! read is written to the same bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use marginswap_io::{SealKey, plan_bytes_sealed, read_plan, read_plan_sealed, sha256_hex};

fuzz_target!(|bytes: &[u8]| {
    marginswap_fuzz::with_file(bytes, |path| {
        let _ = read_plan(path);
    });
    let end = bytes.windows(4).rposition(|window| window == b"end ").unwrap_or(bytes.len());
    let body = &bytes[..end];
    let lines = body.iter().filter(|&&byte| byte == b'\n').count();
    let last = format!("end {} {}\n", lines.saturating_sub(2), sha256_hex(body));
    marginswap_fuzz::with_file(&[body, last.as_bytes()].concat(), |path| {
        let Ok(plan) = read_plan(path) else { return };
        let key = SealKey::new([9; 32]);
        marginswap_fuzz::with_another_file(&plan_bytes_sealed(&plan, Some(&key)), |path| {
            let (again, _) = read_plan_sealed(path, Some(&key)).expect("a sealed plan is read");
            assert_eq!(again, plan);
        });
    });
});
