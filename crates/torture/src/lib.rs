//! The program attacked by itself: random files, random projects, an independent recount.
//!
//! A [`Case`] is a small file of odd bytes ([`world`]) with a project over every setting of the
//! one table ([`project`]). It is run through every door ([`doors`]), and what comes out is
//! counted again by the definitions ([`recount`]), without a line of the program's own code. A
//! case that fails is made smaller ([`shrink`]) and shown as a file and a command.
//!
//! Way in: [`attack`].

pub mod csv;
pub mod doors;
pub mod project;
pub mod recount;
pub mod shrink;
pub mod world;

use std::path::Path;

use marginswap_core::random::{Random, Seed};

use doors::Doors;
use project::Told;
use world::World;

/// A file, what is asked for, and the seed of the swaps.
#[derive(Debug, Clone)]
pub struct Case {
    /// The file.
    pub world: World,
    /// The settings.
    pub told: Vec<Told>,
    /// The records that a list of people at risk names.
    pub listed: Vec<usize>,
    /// The seed of the swaps.
    pub seed: [u8; 32],
}

impl Case {
    /// The nth case of a seed.
    #[must_use]
    pub fn draw(seed: u64, number: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let random = &mut Random::new(Seed(bytes), number);
        let world = World::draw(random);
        let told = project::draw(&world, random);
        let listed = (0..world.rows.len()).filter(|_| random.below(4) == 0).collect();
        let mut seed = [0; 32];
        seed.iter_mut().for_each(|byte| *byte = u8::try_from(random.below(256)).expect("a byte"));
        Self { world, told, listed, seed }
    }
}

/// How a case went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Went {
    /// A file was released, with this many records changed.
    Released(usize),
    /// Nothing could be exchanged, and nothing was written.
    Unchanged,
    /// It was refused with this code.
    Refused(String),
}

/// Runs a case through every door and counts again.
///
/// # Errors
/// What does not hold, in words.
pub fn attack(case: &Case, program: &Path) -> Result<Went, String> {
    let doors = Doors::open(case, program).map_err(|error| format!("no folder: {error}"))?;
    doors.run(case)
}
