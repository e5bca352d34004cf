//! How far a run has come, on a terminal.
//!
//! A step that takes less than a second shows nothing: the bar is drawn by a timer. Where
//! stderr is no terminal there is no bar at all, and a program that drives this one is told
//! each step in a line.

use std::io::{self, IsTerminal};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use marginswap_pipeline::notes::Phase;

use crate::output::{is_driven, talk};

/// The bar of one run.
#[derive(Default)]
pub struct Progress {
    bar: Option<ProgressBar>,
}

/// How often the bar is drawn, and so how long a step may take before it is seen.
const TICK: Duration = Duration::from_millis(1000);

impl Progress {
    /// A long step begins.
    pub fn begin(&mut self, phase: Phase, done: usize, of: usize) {
        if is_driven() {
            talk(&format!("step: {done}/{of} {phase}"));
            return;
        }
        if !io::stderr().is_terminal() {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let bar = ProgressBar::new(0);
            let look = ProgressStyle::with_template("{bar:24} {msg} {elapsed}");
            bar.set_style(look.expect("the template is sound"));
            bar.enable_steady_tick(TICK);
            bar
        });
        bar.set_length(of as u64);
        bar.set_message(phase.to_string());
        bar.set_position(done as u64);
    }

    /// Does something while the bar is out of the way.
    pub fn aside(&self, talk: impl FnOnce()) {
        match &self.bar {
            Some(bar) => bar.suspend(talk),
            None => talk(),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
