//! A call into foreign code whose panic is an answer, not a crash.
//!
//! Decoders panic on some damaged files. [`quietly`] turns such a panic into `None` and
//! keeps it off the terminal: what a panic prints may hold anything.
//!
//! Trap: the panic hook belongs to the whole process. One is installed once, in front of
//! the one that was there; it is silent only for a thread that is inside [`quietly`], and
//! passes every other panic on. A program built with `panic = "abort"`, or a stack that
//! overflows, is not helped.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

static HOOK: Once = Once::new();

/// What the work gives, or `None` when it panics. The work must own what it changes: after
/// a panic nothing of it may be looked at again.
pub(crate) fn quietly<T>(work: impl FnOnce() -> T) -> Option<T> {
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !QUIET.try_with(Cell::get).unwrap_or(false) {
                before(info);
            }
        }));
    });
    let outside = QUIET.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    QUIET.set(outside);
    result.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_answer() {
        assert_eq!(quietly(|| 7), Some(7));
        assert_eq!(quietly(|| -> u8 { panic!("marker") }), None);
        assert!(!QUIET.get());
    }
}
