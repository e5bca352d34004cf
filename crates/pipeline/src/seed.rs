//! Where a run's randomness comes from: the operating system, a file, or a demo number.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use crate::refusal::Code;
use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::random::Seed;
use marginswap_io::{Finished, Overwrite, Secrecy};

use crate::notes::{Note, Run};
use crate::outputs::stage;

/// A seed, and whether others know it.
pub struct Chosen {
    /// The seed.
    pub seed: Seed,
    /// Do others know it?
    pub not_for_release: bool,
    /// The seed file, where it is new: complete, and named together with what the seed is for.
    /// A run that comes to nothing leaves no seed.
    pub new_file: Option<Finished>,
}

impl fmt::Debug for Chosen {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Chosen(secret)")
    }
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

    /// The seed. Ask for it after everything else was looked at: it may stage a file.
    ///
    /// # Errors
    /// When a seed file cannot be read or written, or holds no seed.
    pub fn choose(&self, run: &mut Run<'_>) -> Result<Chosen, Diagnostic> {
        let mut new_file = None;
        let seed = match self {
            Self::Demo(number) => {
                return Ok(Chosen { seed: demo(*number), not_for_release: true, new_file });
            }
            Self::File(path) if path.exists() => {
                note_if_others_can_read(path, run);
                read(path)?
            }
            Self::File(path) => {
                let seed = fresh()?;
                new_file = Some(stage_secret(path, BANNER, seed)?);
                seed
            }
            Self::System => fresh()?,
        };
        Ok(Chosen { seed, not_for_release: false, new_file })
    }
}

/// The seed of a number that others know.
pub(crate) fn demo(number: u64) -> Seed {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&number.to_le_bytes());
    Seed(bytes)
}

/// A seed from the operating system.
pub(crate) fn fresh() -> Result<Seed, Diagnostic> {
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

/// The first line of a seed file.
const BANNER: &str = "SECRET: marginswap seed. Anyone who has it can repeat the choice of swaps.";

/// A file of one secret, complete and not yet named.
pub(crate) fn stage_secret(
    path: &Path,
    banner: &str,
    secret: Seed,
) -> Result<Finished, Diagnostic> {
    let digits: String = secret.0.iter().map(|byte| format!("{byte:02x}")).collect();
    let text = format!("{banner}\n{digits}\n");
    stage(path, Overwrite::Refuse, Secrecy::Secret, text.as_bytes())
}

/// The text of a file of one secret.
pub(crate) fn read_text(path: &Path) -> Result<String, Diagnostic> {
    fs::read_to_string(path).map_err(|error| {
        let code = match error.kind() {
            std::io::ErrorKind::NotFound => Code::FileMissing,
            _ => Code::Unreadable,
        };
        Diagnostic::new(code, marginswap_io::said(&error), "check that it can be read")
            .in_file(path)
    })
}

fn read(path: &Path) -> Result<Seed, Diagnostic> {
    parse(&read_text(path)?).ok_or_else(|| {
        Diagnostic::new(
            Code::BadSeed,
            "its last line does not have 64 hexadecimal digits",
            "name a seed file that this program has written",
        )
        .in_file(path)
    })
}

/// The secret on the last line of a text, if there is one.
#[must_use]
pub fn parse(text: &str) -> Option<Seed> {
    let digits = text.lines().last().unwrap_or_default().trim().as_bytes();
    if digits.len() != 64 {
        return None;
    }
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let digit =
            |sign: u8| char::from(sign).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(Seed(bytes))
}
