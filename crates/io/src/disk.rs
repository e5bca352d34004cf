//! The six things that are done to a file on its way to its name.
//!
//! [`Staged`](crate::Staged) asks a [`Disk`] for each of them, so that a test can hand it
//! one that fails at the nth, runs full or writes half of what it is given. Programs use
//! the [`RealDisk`].

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::atomic::{Overwrite, Secrecy};

/// How a temporary file's name begins.
pub const TEMPORARY_PREFIX: &str = ".marginswap-";

/// What a file is made with.
pub trait Disk: Send + Sync {
    /// Makes a new, empty file with a name of its own in a folder.
    ///
    /// # Errors
    /// What the operating system says, here and below.
    fn create(&self, folder: &Path, secrecy: Secrecy) -> io::Result<(File, PathBuf)>;

    /// Writes some of the bytes and tells how many.
    ///
    /// # Errors
    /// A full disk, for example.
    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<usize>;

    /// Forces a file to disk.
    ///
    /// # Errors
    /// A bad disk, for example.
    fn sync(&self, file: &File) -> io::Result<()>;

    /// Gives a file another name in the same folder.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] when there is a file of that name and it is not to
    /// be replaced.
    fn rename(&self, from: &Path, to: &Path, overwrite: Overwrite) -> io::Result<()>;

    /// Forces the names in a folder to disk.
    ///
    /// # Errors
    /// A bad disk, for example.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    /// A folder that may not be written any more, for example.
    fn remove(&self, path: &Path) -> io::Result<()>;
}

/// The operating system's own.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn create(&self, folder: &Path, secrecy: Secrecy) -> io::Result<(File, PathBuf)> {
        builder(secrecy).tempfile_in(folder)?.keep().map_err(|failed| failed.error)
    }

    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<usize> {
        file.write(bytes)
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        file.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path, overwrite: Overwrite) -> io::Result<()> {
        if overwrite == Overwrite::Force {
            return fs::rename(from, to);
        }
        // The crate knows for each system how to rename without replacing.
        let from = tempfile::TempPath::try_from_path(from)?;
        from.persist_noclobber(to).map_err(|failed| match failed.path.keep() {
            Ok(_) => failed.error,
            Err(kept) => kept.error,
        })
    }

    #[cfg(unix)]
    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        match File::open(folder)?.sync_all() {
            // Some file systems have no way to force a folder to disk.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
            forced => forced,
        }
    }

    #[cfg(not(unix))]
    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }
}

#[cfg(unix)]
fn builder(secrecy: Secrecy) -> tempfile::Builder<'static, 'static> {
    use std::os::unix::fs::PermissionsExt;
    let mode = match secrecy {
        Secrecy::Secret => 0o600,
        Secrecy::Plain => 0o666,
    };
    let mut builder = named();
    builder.permissions(fs::Permissions::from_mode(mode));
    builder
}

#[cfg(not(unix))]
fn builder(_: Secrecy) -> tempfile::Builder<'static, 'static> {
    named()
}

fn named() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY_PREFIX);
    builder
}
