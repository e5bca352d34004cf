//! The key that plans are sealed with.
//!
//! Planning makes the key file when it is not there; anyone who applies the plan needs it. A seed
//! is no key: the file says in its first line what it is.
//!
//! Way in: [`SealFrom::for_planning`], [`SealFrom::for_reading`].

use std::path::{Path, PathBuf};

use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::{Finished, SealKey};

use crate::refusal::Code;
use crate::seed::{fresh, parse, read_text, stage_secret};

/// The first line of a key file.
const BANNER: &str = "SECRET: marginswap seal key. Whoever has it can seal a changed plan.";

/// The file of a key, if one is named.
#[derive(Debug, Clone, Default)]
pub struct SealFrom(pub Option<PathBuf>);

/// A key for planning, and its file where it is new: complete and not yet named.
pub struct Sealing {
    /// The key, if there is one.
    pub key: Option<SealKey>,
    /// Its file, if it is new.
    pub new_file: Option<Finished>,
}

impl SealFrom {
    /// The file.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        self.0.as_deref()
    }

    /// The key for plans that are made; a file that is not there is staged with a new one.
    ///
    /// # Errors
    /// When the file cannot be read or written, or holds no key.
    pub fn for_planning(&self) -> Result<Sealing, Diagnostic> {
        match &self.0 {
            Some(path) if !path.exists() => {
                let secret = fresh()?;
                let new_file = Some(stage_secret(path, BANNER, secret)?);
                Ok(Sealing { key: Some(SealKey::new(secret.0)), new_file })
            }
            _ => Ok(Sealing { key: self.for_reading()?, new_file: None }),
        }
    }

    /// The key for plans that are read.
    ///
    /// # Errors
    /// When the file is missing, cannot be read, or holds no key.
    pub fn for_reading(&self) -> Result<Option<SealKey>, Diagnostic> {
        let Some(path) = &self.0 else { return Ok(None) };
        let text = read_text(path)?;
        let secret = parse(&text).filter(|_| text.lines().next() == Some(BANNER));
        let secret = secret.ok_or_else(|| {
            Diagnostic::new(
                Code::BadSeed,
                "this is not the key of a seal",
                "name the key file that was written when the plan was made",
            )
            .in_file(path)
        })?;
        Ok(Some(SealKey::new(secret.0)))
    }
}
