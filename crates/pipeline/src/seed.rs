//! Where a run's randomness comes from: the operating system, a file, or a demo number.

use std::fs;
use std::path::{Path, PathBuf};

use crate::refusal::Code;
use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::random::Seed;
use marginswap_io::{Overwrite, Secrecy, write_atomic};

use crate::notes::{Note, Run};

/// A seed, and whether others know it.
#[derive(Debug, Clone, Copy)]
pub struct Chosen {
    /// The seed.
    pub seed: Seed,
    /// Do others know it?
    pub not_for_release: bool,
}

/// Where the seed of a run comes from.
#[derive(Debug, Clone)]
pub enum SeedFrom {
    /// A number that others know.
    Demo(u64),
    /// A file; it is made with a new seed when it is not there.
    File(PathBuf),
    /// The operating system.
    System,
}

impl SeedFrom {
    /// What the flags ask for.
    pub fn flags(file: Option<&Path>, demo: Option<u64>) -> Self {
        match (demo, file) {
            (Some(number), _) => Self::Demo(number),
            (None, Some(path)) => Self::File(path.to_owned()),
            (None, None) => Self::System,
        }
    }

    /// The file it is read from or written to.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            _ => None,
        }
    }

    /// The seed. Ask for it after everything else was looked at: it may write a file.
    ///
    /// # Errors
    /// When a seed file cannot be read or written, or holds no seed.
    pub fn choose(&self, run: &mut Run<'_>) -> Result<Chosen, Diagnostic> {
        let seed = match self {
            Self::Demo(number) => {
                let mut bytes = [0; 32];
                bytes[..8].copy_from_slice(&number.to_le_bytes());
                return Ok(Chosen { seed: Seed(bytes), not_for_release: true });
            }
            Self::File(path) if path.exists() => {
                note_if_others_can_read(path, run);
                read(path)?
            }
            Self::File(path) => {
                let seed = fresh()?;
                write(path, seed)?;
                seed
            }
            Self::System => fresh()?,
        };
        Ok(Chosen { seed, not_for_release: false })
    }
}

/// A seed from the operating system.
fn fresh() -> Result<Seed, Diagnostic> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| {
        Diagnostic::new(
            Code::Unreadable,
            format!("the operating system gives no random numbers: {error}"),
            "name a seed file",
        )
    })?;
    Ok(Seed(bytes))
}

/// A seed that others can read is no secret; the run goes on, since it may be known to be so.
fn note_if_others_can_read(path: &Path, run: &mut Run<'_>) {
    #[cfg(unix)]
    if let Ok(metadata) = fs::metadata(path) {
        use std::os::unix::fs::PermissionsExt;
        if metadata.permissions().mode() & 0o077 != 0 {
            run.note(Note::SeedReadable { path: path.to_owned() });
        }
    }
}

const BANNER: &str = "SECRET: marginswap seed. Anyone who has it can repeat the choice of swaps.";

fn write(path: &Path, seed: Seed) -> Result<(), Diagnostic> {
    let digits: String = seed.0.iter().map(|byte| format!("{byte:02x}")).collect();
    write_atomic(path, Overwrite::Refuse, Secrecy::Secret, |file| {
        writeln!(file, "{BANNER}\n{digits}")
    })
}

fn read(path: &Path) -> Result<Seed, Diagnostic> {
    let refuse = |detail: &str| {
        Diagnostic::new(Code::BadSeed, detail, "name a seed file that this program has written")
            .in_file(path)
    };
    let text = fs::read_to_string(path).map_err(|error| {
        Diagnostic::new(Code::Unreadable, error.kind().to_string(), "check that it can be read")
            .in_file(path)
    })?;
    let digits = text.lines().last().unwrap_or_default().trim().as_bytes();
    if digits.len() != 64 {
        return Err(refuse("its last line does not have 64 hexadecimal digits"));
    }
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let digit =
            |sign: u8| char::from(sign).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        match (digit(pair[0]), digit(pair[1])) {
            (Some(high), Some(low)) => *byte = high << 4 | low,
            _ => return Err(refuse("its last line does not have 64 hexadecimal digits")),
        }
    }
    Ok(Seed(bytes))
}
