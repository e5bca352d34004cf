//! Where a run's randomness comes from: the operating system, a file, or a demo number.

use std::fs;
use std::path::Path;

use marginswap_core::diagnostic::{Code, Diagnostic};
use marginswap_core::random::Seed;
use marginswap_io::{Overwrite, Secrecy, write_atomic};

/// A seed, and whether others know it.
#[derive(Debug, Clone, Copy)]
pub struct Chosen {
    pub seed: Seed,
    pub not_for_release: bool,
}

/// The seed of a run: a demo number, a file (made with a new seed when it is not there), or
/// the operating system's randomness.
pub fn choose(file: Option<&Path>, demo: Option<u64>) -> Result<Chosen, Diagnostic> {
    if let Some(number) = demo {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&number.to_le_bytes());
        return Ok(Chosen { seed: Seed(bytes), not_for_release: true });
    }
    let seed = match file {
        Some(path) if path.exists() => read(path)?,
        Some(path) => {
            let seed = fresh()?;
            write(path, seed)?;
            seed
        }
        None => fresh()?,
    };
    Ok(Chosen { seed, not_for_release: false })
}

/// A seed from the operating system.
fn fresh() -> Result<Seed, Diagnostic> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| {
        Diagnostic::new(
            Code::Unreadable,
            format!("the operating system gives no random numbers: {error}"),
            "give a seed with --seed-file",
        )
    })?;
    Ok(Seed(bytes))
}

const BANNER: &str = "SECRET: marginswap seed. Whoever has it can repeat the choice of swaps.";

fn write(path: &Path, seed: Seed) -> Result<(), Diagnostic> {
    let digits: String = seed.0.iter().map(|byte| format!("{byte:02x}")).collect();
    write_atomic(path, Overwrite::Refuse, Secrecy::Secret, |file| {
        writeln!(file, "{BANNER}\n{digits}")
    })
}

fn read(path: &Path) -> Result<Seed, Diagnostic> {
    let refuse = |detail: &str| {
        Diagnostic::new(Code::BadSeed, detail, "name a file that --seed-file has written")
            .in_file(path)
    };
    let text = fs::read_to_string(path).map_err(|error| {
        Diagnostic::new(Code::Unreadable, error.kind().to_string(), "see that it can be read")
            .in_file(path)
    })?;
    let digits = text.lines().last().unwrap_or_default().trim().as_bytes();
    if digits.len() != 64 {
        return Err(refuse("its last line has not 64 hexadecimal digits"));
    }
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let digit =
            |sign: u8| char::from(sign).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        match (digit(pair[0]), digit(pair[1])) {
            (Some(high), Some(low)) => *byte = high << 4 | low,
            _ => return Err(refuse("its last line has not 64 hexadecimal digits")),
        }
    }
    Ok(Seed(bytes))
}
