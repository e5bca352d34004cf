//! Phases timed round by round, and their ratios.
//!
//! Trap: on a shared machine a neighbour may slow one round down. So phases that are to be
//! compared run in the same rounds, their ratio is taken within each round, and the median
//! over the rounds is printed. The ratio of the minima is next to it: where the two are far
//! apart, the machine was too busy to tell.

use std::hint::black_box;
use std::time::Instant;

/// The seconds that one piece of work took, a number for each round.
#[derive(Default)]
pub struct Phase {
    seconds: Vec<f64>,
}

/// How two phases of the same rounds compare.
#[derive(Clone, Copy)]
pub struct Ratio {
    /// The median of the rounds' ratios.
    pub median: f64,
    /// The ratio of the two minima.
    pub of_minima: f64,
}

impl Phase {
    /// Does the work and adds what it took as the next round. What it gives back is freed
    /// by the caller, outside the clock.
    pub fn time<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = black_box(work());
        self.add(start.elapsed().as_secs_f64());
        result
    }

    /// Adds a round that was timed elsewhere.
    pub fn add(&mut self, seconds: f64) {
        self.seconds.push(seconds);
    }

    /// The phase that consists of these, one after the other.
    pub fn sum(phases: &[&Phase]) -> Phase {
        let rounds = phases.iter().map(|phase| phase.seconds.len()).min().unwrap_or(0);
        let total = |round: usize| phases.iter().map(|phase| phase.seconds[round]).sum();
        Phase { seconds: (0..rounds).map(total).collect() }
    }

    /// The middle one of the rounds.
    pub fn median(&self) -> f64 {
        median(self.seconds.clone())
    }

    /// The fastest round.
    pub fn minimum(&self) -> f64 {
        self.seconds.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// How many times as long as the other phase this one takes.
    pub fn over(&self, other: &Phase) -> Ratio {
        assert_eq!(self.seconds.len(), other.seconds.len(), "both ran in the same rounds");
        let by_round = self.seconds.iter().zip(&other.seconds);
        Ratio {
            median: median(by_round.map(|(this, other)| this / other).collect()),
            of_minima: self.minimum() / other.minimum(),
        }
    }
}

fn median(mut numbers: Vec<f64>) -> f64 {
    assert!(!numbers.is_empty(), "a phase has a round");
    numbers.sort_by(f64::total_cmp);
    let middle = numbers.len() / 2;
    if numbers.len() % 2 == 1 {
        numbers[middle]
    } else {
        f64::midpoint(numbers[middle - 1], numbers[middle])
    }
}
