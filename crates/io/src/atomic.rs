//! A file that appears complete or not at all.
//!
//! [`write_atomic`] is a [`Staged`] file that is published without being read back. An
//! error, a full disk included, leaves no file.
//!
//! Edge cases: a symbolic link counts as the file it is; it is replaced, not what it leads
//! to. A device or a pipe is never replaced.
//!
//! Way in: [`write_atomic`].

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use crate::refusal::Code;
use marginswap_core::diagnostic::Diagnostic;

use crate::disk::folder_of;
use crate::said;
use crate::staged::Staged;

/// What happens to a file that is there already.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Overwrite {
    /// It stays, and the writing is refused.
    #[default]
    Refuse,
    /// It is replaced.
    Force,
}

impl Overwrite {
    /// Whether an existing file is replaced.
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
    /// Anyone whom the system's settings for new files allow; its owner alone until it has its
    /// name.
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
    let mut staged = Staged::create(path, overwrite, secrecy)?;
    staged.fill(|writer| content(writer).map_err(|error| unwritable(&error)))?;
    staged.finish()?.publish()
}

/// Refuses to write over a file that is read, under whatever name.
///
/// # Errors
/// [`Code::OutputIsInput`].
pub fn check_not_input(target: &Path, input: &Path) -> Result<(), Diagnostic> {
    if is_same(target, input) {
        return Err(Diagnostic::new(
            Code::OutputIsInput,
            "this file is an input, or another file of the project",
            "name another file",
        )
        .in_file(target));
    }
    Ok(())
}

/// Looks at all files that a run writes and reads, before any work is done: each output may be
/// written, is none of the inputs, and no two have one name.
///
/// # Errors
/// As [`check_target`] and [`check_not_input`]; [`Code::OutputExists`] for one name for two
/// outputs.
pub fn check_outputs(
    outputs: &[&Path],
    inputs: &[&Path],
    overwrite: Overwrite,
) -> Result<(), Diagnostic> {
    for (number, output) in outputs.iter().enumerate() {
        for input in inputs {
            check_not_input(output, input)?;
        }
        if outputs[..number].iter().any(|other| is_same(output, other)) {
            return Err(Diagnostic::new(
                Code::OutputExists,
                "two outputs have this name",
                "name two different files",
            )
            .in_file(*output));
        }
        check_target(output, overwrite)?;
    }
    Ok(())
}

/// Do two names lead to one file, there or not yet there?
fn is_same(left: &Path, right: &Path) -> bool {
    let found = |path: &Path| {
        fs::canonicalize(path).ok().or_else(|| {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let folder = fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
            Some(folder.join(path.file_name()?))
        })
    };
    left == right || found(left).is_some_and(|left| found(right) == Some(left))
}

/// Looks whether a file may be written under this name, before the work for it is done.
///
/// # Errors
/// As [`write_atomic`], as far as it can be foreseen; [`Code::NoFolder`].
pub fn check_target(path: &Path, overwrite: Overwrite) -> Result<(), Diagnostic> {
    look_at_target(path, overwrite).map_err(|refusal| refusal.in_file(path))
}

fn look_at_target(path: &Path, overwrite: Overwrite) -> Result<(), Diagnostic> {
    let Ok(metadata) = fs::symlink_metadata(path) else { return check_folder(folder_of(path)) };
    let kind = metadata.file_type();
    if kind.is_dir() {
        return Err(Diagnostic::new(
            Code::Unwritable,
            "the output is a folder",
            "name a file in it",
        ));
    }
    if overwrite == Overwrite::Refuse {
        return Err(exists());
    }
    // A rename would put the file in the place of the link, not where it leads: not even where
    // that is a file, as /dev/stdout may.
    if kind.is_symlink() {
        return Err(Diagnostic::new(
            Code::Unwritable,
            "the output is a link to another place",
            "name the file that it leads to",
        ));
    }
    if !kind.is_file() {
        return Err(Diagnostic::new(
            Code::Unwritable,
            "the output is a device or a pipe",
            "name a file",
        ));
    }
    Ok(())
}

/// Refuses a folder that is not there.
fn check_folder(folder: &Path) -> Result<(), Diagnostic> {
    let is_missing = match fs::metadata(folder) {
        Ok(metadata) => !metadata.is_dir(),
        Err(error) => {
            matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
        }
    };
    if !is_missing {
        return Ok(());
    }
    Err(Diagnostic::new(
        Code::NoFolder,
        format!("there is no folder {}", folder.display()),
        "create the folder first, or name another one",
    ))
}

pub(crate) fn exists() -> Diagnostic {
    Diagnostic::new(
        Code::OutputExists,
        "a file of this name exists",
        "name another file, or ask for this one to be replaced",
    )
}

pub(crate) fn unwritable(error: &io::Error) -> Diagnostic {
    Diagnostic::new(Code::Unwritable, said(error), "check that the folder can be written")
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
        assert_eq!(write(folder.path()), Code::Unwritable);
        let missing = folder.path().join("missing");
        assert_eq!(write(&missing.join("out.csv")), Code::NoFolder);
        fs::write(folder.path().join("file"), "").unwrap();
        assert_eq!(write(&folder.path().join("file").join("out.csv")), Code::NoFolder);
        let said = check_target(&missing.join("out.csv"), Overwrite::Refuse).unwrap_err();
        assert!(said.detail.ends_with("missing") && said.place.file.is_some(), "{said}");
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
        let usual = folder.path().join("usual");
        fs::write(&usual, "").unwrap();
        let usual = fs::metadata(&usual).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(Secrecy::Plain), usual);
        assert_eq!(mode(Secrecy::Secret), 0o600);
    }
}
