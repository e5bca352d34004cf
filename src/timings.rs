//! How long each step of a run took, where that is asked for.
//!
//! A step lasts until the next one begins; what comes before the first is `starting`. Next to the
//! time on the clock is the time of all processors, which tells how many were at work. Times are
//! printed on stderr, in JSON as `timings` of the answer: they are no part of what was found, and
//! differ from run to run.
//!
//! Way in: [`start`], [`begin`], [`take`].

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;

/// One step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Timing {
    /// What was done.
    pub phase: String,
    /// How long it took.
    pub seconds: f64,
    /// How long processors worked for it, all threads together; `null` where the operating
    /// system does not tell.
    pub cpu_seconds: Option<f64>,
}

/// The times of a run so far.
struct Clock {
    /// The step that goes on.
    phase: String,
    since: Moment,
    done: Vec<Timing>,
}

#[derive(Clone, Copy)]
struct Moment {
    wall: Instant,
    cpu: Option<Duration>,
}

impl Moment {
    fn now() -> Self {
        Self { wall: Instant::now(), cpu: cpu_time() }
    }

    fn to(self, end: Self, phase: String) -> Timing {
        let cpu = end.cpu.zip(self.cpu).map(|(end, begin)| end.saturating_sub(begin));
        Timing {
            phase,
            seconds: (end.wall - self.wall).as_secs_f64(),
            cpu_seconds: cpu.map(|cpu| cpu.as_secs_f64()),
        }
    }
}

/// The clock of this process, if it was started.
static CLOCK: Mutex<Option<Clock>> = Mutex::new(None);

/// Starts the clock.
pub fn start() {
    let clock = Clock { phase: "starting".to_owned(), since: Moment::now(), done: Vec::new() };
    *CLOCK.lock().unwrap_or_else(PoisonError::into_inner) = Some(clock);
}

/// Another step begins.
pub fn begin(phase: &str) {
    if let Some(clock) = CLOCK.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
        let now = Moment::now();
        let phase = std::mem::replace(&mut clock.phase, phase.to_owned());
        clock.done.push(clock.since.to(now, phase));
        clock.since = now;
    }
}

/// Stops the clock: all steps, if it was started.
pub fn take() -> Option<Vec<Timing>> {
    let clock = CLOCK.lock().unwrap_or_else(PoisonError::into_inner).take()?;
    let Clock { phase, since, mut done } = clock;
    done.push(since.to(Moment::now(), phase));
    Some(done)
}

/// The steps and their sum as lines.
pub fn text(timings: &[Timing]) -> String {
    let seconds = timings.iter().map(|one| one.seconds).sum();
    let cpu_seconds = timings.iter().map(|one| one.cpu_seconds).sum();
    let total = Timing { phase: "total".to_owned(), seconds, cpu_seconds };
    let mut lines = format!("{:<12}{:>10}{:>10}", "", "seconds", "cpu");
    for Timing { phase, seconds, cpu_seconds } in timings.iter().chain([&total]) {
        let cpu = cpu_seconds.map_or("?".to_owned(), |cpu| format!("{cpu:.3}"));
        lines.push_str(&format!("\n{phase:<12}{seconds:>10.3}{cpu:>10}"));
    }
    lines
}

#[cfg(unix)]
fn cpu_time() -> Option<Duration> {
    use rustix::time::{ClockId, clock_gettime};
    let spent = clock_gettime(ClockId::ProcessCPUTime);
    let nanoseconds = u32::try_from(spent.tv_nsec).ok()?;
    Some(Duration::new(u64::try_from(spent.tv_sec).ok()?, nanoseconds))
}

#[cfg(not(unix))]
fn cpu_time() -> Option<Duration> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_follow_each_other_and_add_up() {
        begin("nobody asked");
        assert_eq!(take(), None);
        start();
        begin("reading");
        begin("counting");
        let timings = take().expect("the clock was started");
        let phases: Vec<&str> = timings.iter().map(|one| one.phase.as_str()).collect();
        assert_eq!(phases, ["starting", "reading", "counting"]);
        assert_eq!(text(&timings).lines().count(), 5);
        assert_eq!(take(), None);
    }
}
