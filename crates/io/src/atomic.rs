//! A file that appears complete or not at all.
//!
//! The bytes go to a temporary file in the target's folder, which is forced to disk and
//! then renamed; on Unix the folder is forced to disk too. An error, a full disk included,
//! leaves nothing behind.
//!
//! Trap: whether the target exists is looked at before anything is written, to save the
//! work, and once more by the renaming itself, which refuses to replace: another program
//! may have made the file in between.
//!
//! Edge cases: a symbolic link counts as the file it is; it is replaced, not what it leads
//! to. A device or a pipe is never replaced. A process that is killed leaves its temporary
//! file, whose name begins with `.marginswap-`.
//!
//! Way in: [`write_atomic`].

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use marginswap_core::diagnostic::{Code, Diagnostic};

use crate::said;

/// What happens to a file that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overwrite {
    /// It stays, and the writing is refused.
    Refuse,
    /// It is replaced.
    Force,
}

impl Overwrite {
    /// What `--force`, given or not, means.
    #[must_use]
    pub fn from_force(force: bool) -> Self {
        if force { Self::Force } else { Self::Refuse }
    }
}

/// Who may read the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secrecy {
    /// Its owner alone (mode 0600 on Unix, also when it replaces a file that others may
    /// read).
    Secret,
    /// Whoever the system's settings for new files allow.
    Plain,
}

/// Writes a file with what `content` writes, or leaves no trace.
///
/// # Errors
/// [`Code::OutputExists`], [`Code::IsDirectory`], or [`Code::Unwritable`] with what the
/// operating system says.
pub fn write_atomic(
    path: &Path,
    overwrite: Overwrite,
    secrecy: Secrecy,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Diagnostic> {
    check_target(path, overwrite)?;
    write(path, overwrite, secrecy, content).map_err(|refusal| refusal.in_file(path))
}

/// Looks whether a file may be written under this name, before the work for it is done.
///
/// # Errors
/// As [`write_atomic`], as far as it can be foreseen.
pub fn check_target(path: &Path, overwrite: Overwrite) -> Result<(), Diagnostic> {
    look_at_target(path, overwrite).map_err(|refusal| refusal.in_file(path))
}

fn look_at_target(path: &Path, overwrite: Overwrite) -> Result<(), Diagnostic> {
    let Ok(metadata) = fs::symlink_metadata(path) else { return Ok(()) };
    let kind = metadata.file_type();
    if kind.is_dir() {
        return Err(Diagnostic::new(
            Code::IsDirectory,
            "the output is a folder",
            "name a file in it",
        ));
    }
    if overwrite == Overwrite::Refuse {
        return Err(exists());
    }
    if !kind.is_file() && !kind.is_symlink() {
        return Err(Diagnostic::new(
            Code::Unwritable,
            "the output is a device or a pipe",
            "name a file",
        ));
    }
    Ok(())
}

fn write(
    path: &Path,
    overwrite: Overwrite,
    secrecy: Secrecy,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Diagnostic> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut temporary = builder(secrecy).tempfile_in(folder).map_err(|error| unwritable(&error))?;
    let mut writer = BufWriter::with_capacity(1 << 16, temporary.as_file_mut());
    content(&mut writer)
        .and_then(|()| writer.flush())
        .and_then(|()| writer.get_ref().sync_all())
        .map_err(|error| unwritable(&error))?;
    drop(writer);
    let renamed = match overwrite {
        Overwrite::Refuse => temporary.persist_noclobber(path),
        Overwrite::Force => temporary.persist(path),
    };
    renamed.map_err(|failed| match failed.error.kind() {
        io::ErrorKind::AlreadyExists if overwrite == Overwrite::Refuse => exists(),
        _ => unwritable(&failed.error),
    })?;
    force_folder(folder).map_err(|error| {
        Diagnostic::new(
            Code::Unwritable,
            format!("the file is complete, but its folder is not forced to disk: {}", said(&error)),
            "see that the file is there after a restart",
        )
    })
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
    builder.prefix(".marginswap-");
    builder
}

#[cfg(unix)]
fn force_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder)?.sync_all() {
        // Some file systems have no way to force a folder to disk.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        forced => forced,
    }
}

#[cfg(not(unix))]
fn force_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

fn exists() -> Diagnostic {
    Diagnostic::new(
        Code::OutputExists,
        "there is a file of this name",
        "name another file, or give --force to replace it",
    )
}

fn unwritable(error: &io::Error) -> Diagnostic {
    Diagnostic::new(Code::Unwritable, said(error), "see that the folder can be written")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn an_existing_file_is_replaced_only_by_force() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        let write = |overwrite, text: &'static str| {
            write_atomic(&path, overwrite, Secrecy::Plain, |w| w.write_all(text.as_bytes()))
        };
        write(Overwrite::Refuse, "first").unwrap();
        let refusal = write(Overwrite::Refuse, "second").unwrap_err();
        assert_eq!(refusal.code, Code::OutputExists);
        assert_eq!(refusal.place.file.as_deref(), Some(path.as_path()));
        assert_eq!(fs::read_to_string(&path).unwrap(), "first");
        write(Overwrite::Force, "third").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "third");
        assert_eq!(names(folder.path()), ["out.csv"]);
    }

    /// Witness for the second look: the file appears while the content is written.
    #[test]
    fn a_file_that_appears_meanwhile_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        let refusal = write_atomic(&path, Overwrite::Refuse, Secrecy::Plain, |w| {
            fs::write(&path, "theirs")?;
            w.write_all(b"ours")
        });
        assert_eq!(refusal.unwrap_err().code, Code::OutputExists);
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
        assert_eq!(names(folder.path()), ["out.csv"]);
    }

    #[test]
    fn an_error_leaves_nothing_behind_and_shows_no_value() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        let refusal = write_atomic(&path, Overwrite::Force, Secrecy::Secret, |w| {
            w.write_all(b"half")?;
            Err(io::Error::other("marker"))
        })
        .unwrap_err();
        assert_eq!(refusal.code, Code::Unwritable);
        assert!(!format!("{refusal} {refusal:?}").contains("marker"));
        assert_eq!(names(folder.path()), Vec::<String>::new());
    }

    #[test]
    fn what_is_no_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &Path| {
            write_atomic(path, Overwrite::Force, Secrecy::Plain, |_| Ok(())).unwrap_err().code
        };
        assert_eq!(write(folder.path()), Code::IsDirectory);
        assert_eq!(write(&folder.path().join("missing").join("out.csv")), Code::Unwritable);
        #[cfg(unix)]
        assert_eq!(write(Path::new("/dev/null")), Code::Unwritable);
    }

    #[cfg(unix)]
    #[test]
    fn a_secret_is_the_owners_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plan");
        let mode = |secrecy| {
            write_atomic(&path, Overwrite::Force, secrecy, |_| Ok(())).unwrap();
            fs::metadata(&path).unwrap().permissions().mode() & 0o777
        };
        let plain = mode(Secrecy::Plain);
        assert_ne!(plain & 0o044, 0, "the tests run with a common umask");
        assert_eq!(mode(Secrecy::Secret), 0o600);
    }
}
