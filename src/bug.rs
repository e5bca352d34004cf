//! Our own bugs: a panic becomes a numbered error.
//!
//! What a panic says may hold a value of the data, so it is not shown: only the place in
//! the source is. The stack is unwound, so that a file half-written goes away.

use std::panic::{self, AssertUnwindSafe, Location};
use std::process::ExitCode;

use marginswap_io::are_named;
use marginswap_pipeline::codes;
use marginswap_pipeline::refusal::Code;

use crate::output::talk;

/// Runs the program. Should it panic, says where, and ends with the exit code for a bug.
pub fn guarded(program: impl FnOnce() -> ExitCode) -> ExitCode {
    panic::set_hook(Box::new(|info| talk(&report(info.location()))));
    let done = panic::catch_unwind(AssertUnwindSafe(|| {
        // A door for the test of this file; programs that are released do not have it.
        if cfg!(debug_assertions) && std::env::var_os("MARGINSWAP_TEST_PANIC").is_some() {
            panic!("CANARY");
        }
        program()
    }));
    done.unwrap_or_else(|_| ExitCode::from(codes::entry(Code::OwnBug).exit))
}

fn report(place: Option<&Location<'_>>) -> String {
    let code = codes::entry(Code::OwnBug);
    let place = place.map_or_else(
        || "an unknown place".to_owned(),
        |place| format!("{}:{}", place.file(), place.line()),
    );
    let written = if are_named() { "the files are complete" } else { "nothing was written" };
    format!(
        "error[{code}]: {}; {written}\n  --> {place}\n  \
         please report this place; `marginswap explain {code}` says more",
        code.title
    )
}
