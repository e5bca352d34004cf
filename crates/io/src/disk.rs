//! The eight things that are done to a file on its way to its name.
//!
//! [`Staged`](crate::Staged) asks a [`Disk`] for each of them, so that a test can hand it
//! one that fails at the nth, runs full or writes half of what it is given. Programs use
//! the [`RealDisk`].

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use crate::atomic::Overwrite;

/// How a temporary file's name begins; the number of its process follows.
pub const TEMPORARY_PREFIX: &str = ".marginswap-";

/// What follows where the file is one that is about to be replaced.
pub(crate) const SET_ASIDE: &str = "old-";

/// How many random signs end the name.
pub(crate) const SIGNS: usize = 6;

/// What a file is made with.
pub trait Disk: Send + Sync {
    /// Makes a new, empty file with a name of its own in a folder. Its owner alone may read
    /// it, whatever the settings for new files say.
    ///
    /// # Errors
    /// What the operating system says, here and below.
    fn create(&self, folder: &Path) -> io::Result<(File, PathBuf)>;

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

    /// Lets those read a file who may read any new file in its folder.
    ///
    /// # Errors
    /// A file system that does not let it, for example.
    fn open_up(&self, path: &Path) -> io::Result<()>;

    /// Gives a file a second, temporary name in its folder, under which it can be found when
    /// its first name goes to another file. Where the system has no second names, the file
    /// loses the first one.
    ///
    /// # Errors
    /// A folder that may not be written, for example.
    fn set_aside(&self, path: &Path) -> io::Result<PathBuf>;

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
    fn create(&self, folder: &Path) -> io::Result<(File, PathBuf)> {
        let file = temporary().tempfile_in(folder)?;
        restrict(file.as_file())?;
        file.keep().map_err(|failed| failed.error)
    }

    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<usize> {
        file.write(bytes)
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        file.sync_all()
    }

    #[cfg(unix)]
    fn open_up(&self, path: &Path) -> io::Result<()> {
        fs::set_permissions(path, usual_permissions(folder_of(path))?)
    }

    #[cfg(not(unix))]
    fn open_up(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn set_aside(&self, path: &Path) -> io::Result<PathBuf> {
        let aside = || named(&OLD);
        let linked = aside().make_in(folder_of(path), |second| fs::hard_link(path, second));
        let second = match linked {
            Ok(second) => second,
            // Where there are no second names, the file is moved.
            Err(_) => aside().make_in(folder_of(path), |second| fs::rename(path, second))?,
        };
        second.into_temp_path().keep().map_err(|failed| failed.error)
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

/// The folder that a file is in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Owner only, also where the settings for new files would take that away.
#[cfg(unix)]
fn restrict(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(0o600))
}

#[cfg(not(unix))]
fn restrict(_: &File) -> io::Result<()> {
    Ok(())
}

/// What a new file in this folder gets: found by making one, since the folder may have rules
/// of its own.
#[cfg(unix)]
fn usual_permissions(folder: &Path) -> io::Result<fs::Permissions> {
    use std::os::unix::fs::PermissionsExt;
    let mut builder = temporary();
    builder.permissions(fs::Permissions::from_mode(0o666));
    Ok(builder.tempfile_in(folder)?.as_file().metadata()?.permissions())
}

static NEW: LazyLock<String> = LazyLock::new(|| prefix(""));
static OLD: LazyLock<String> = LazyLock::new(|| prefix(SET_ASIDE));

/// How the names of this process begin, by which a later one knows the files that it left.
fn prefix(what: &str) -> String {
    format!("{TEMPORARY_PREFIX}{}-{what}", std::process::id())
}

fn temporary() -> tempfile::Builder<'static, 'static> {
    named(&NEW)
}

fn named(prefix: &'static LazyLock<String>) -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix.as_str()).rand_bytes(SIGNS);
    builder
}
