//! What killed runs left: temporary files that nobody will name any more.
//!
//! Nothing can be done when a process is killed, so its temporary files stay. They hold data;
//! the next run in the same folder reports them, and they can be removed.
//!
//! A temporary file is known by its name: `.marginswap-`, the number of the process that made
//! it, six signs. A file that a run was about to replace has `old-` before the signs: while it
//! is the only name of that file it is never removed.
//!
//! Trap: a run that is still working has such files too. On Linux the system tells which
//! processes there are; elsewhere only those of this process are known to be in use. A link is
//! none of ours, whatever its name.
//!
//! Way in: [`leftovers`], then [`Leftover::remove`].

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use crate::disk::{SET_ASIDE, SIGNS, TEMPORARY_PREFIX};

/// A temporary file that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leftover {
    /// The file.
    pub path: PathBuf,
    /// How long it is.
    pub bytes: u64,
    /// Whether it may be removed.
    pub state: LeftoverState,
}

/// What is known of a temporary file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftoverState {
    /// No process has it any more.
    Abandoned,
    /// The process that made it is running.
    InUse,
    /// The only copy of a file that a run was about to replace.
    OnlyCopy,
}

/// The temporary files in a folder, by name. What cannot be looked at is passed over.
///
/// # Errors
/// A folder that cannot be read.
pub fn leftovers(folder: &Path) -> io::Result<Vec<Leftover>> {
    let mut found: Vec<Leftover> =
        fs::read_dir(folder)?.flatten().filter_map(|entry| look_at(entry.path())).collect();
    found.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(found)
}

/// Has a file the name of a temporary one?
#[must_use]
pub fn is_temporary(file: &Path) -> bool {
    let name = file.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| Name::parse(name).is_some())
}

impl Leftover {
    /// Removes the file, if it still is what it was.
    ///
    /// # Errors
    /// What the operating system says; a file that may not be removed.
    pub fn remove(&self) -> io::Result<()> {
        match look_at(self.path.clone()) {
            Some(now) if now.state == LeftoverState::Abandoned => fs::remove_file(&self.path),
            _ => Err(io::ErrorKind::PermissionDenied.into()),
        }
    }
}

fn look_at(path: PathBuf) -> Option<Leftover> {
    let name = Name::parse(path.file_name()?.to_str()?)?;
    let metadata = fs::symlink_metadata(&path).ok().filter(|metadata| metadata.is_file())?;
    let state = if is_running(name.process) {
        LeftoverState::InUse
    } else if name.set_aside && !has_another_name(&metadata) {
        LeftoverState::OnlyCopy
    } else {
        LeftoverState::Abandoned
    };
    Some(Leftover { path, bytes: metadata.len(), state })
}

/// What the name of a temporary file tells.
struct Name {
    process: u32,
    set_aside: bool,
}

impl Name {
    fn parse(name: &str) -> Option<Self> {
        let (process, rest) = name.strip_prefix(TEMPORARY_PREFIX)?.split_once('-')?;
        let (set_aside, signs) = match rest.strip_prefix(SET_ASIDE) {
            Some(signs) => (true, signs),
            None => (false, rest),
        };
        let ours = signs.len() == SIGNS && signs.bytes().all(|sign| sign.is_ascii_alphanumeric());
        let process = process.bytes().all(|sign| sign.is_ascii_digit()).then_some(process)?;
        ours.then_some(Self { process: process.parse().ok()?, set_aside })
    }
}

fn is_running(process: u32) -> bool {
    let listed = cfg!(target_os = "linux") && Path::new("/proc").join(process.to_string()).exists();
    process == std::process::id() || listed
}

#[cfg(unix)]
fn has_another_name(metadata: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(metadata) > 1
}

#[cfg(not(unix))]
fn has_another_name(_: &Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No process has this number: Linux gives none above 2^22.
    const NOBODY: u32 = 4_194_305;

    fn names(folder: &Path) -> Vec<String> {
        let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| name(entry.unwrap())).collect();
        names.sort();
        names
    }

    #[test]
    fn only_files_of_ours_are_leftovers() {
        let folder = tempfile::tempdir().unwrap();
        let ours = format!(".marginswap-{NOBODY}-a1B2c3");
        fs::write(folder.path().join(&ours), "half").unwrap();
        let others = [
            "marginswap.toml".to_owned(),
            ".marginswap-".to_owned(),
            ".marginswap-notes.txt".to_owned(),
            format!(".marginswap-{NOBODY}-a1B2c3d"),
            format!(".marginswap-{NOBODY}-a1B2.3"),
            ".marginswap-+5-a1B2c3".to_owned(),
            format!("x.marginswap-{NOBODY}-a1B2c3"),
        ];
        for name in &others {
            fs::write(folder.path().join(name), "theirs").unwrap();
        }
        fs::create_dir(folder.path().join(format!(".marginswap-{NOBODY}-folder"))).unwrap();
        let found = leftovers(folder.path()).unwrap();
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].path, folder.path().join(&ours));
        assert_eq!((found[0].bytes, found[0].state), (4, LeftoverState::Abandoned));
        found[0].remove().unwrap();
        assert_eq!(names(folder.path()).len(), others.len() + 1);
        assert!(!folder.path().join(&ours).exists());
    }

    #[test]
    fn what_is_in_use_stays() {
        let folder = tempfile::tempdir().unwrap();
        let name = format!(".marginswap-{}-a1B2c3", std::process::id());
        fs::write(folder.path().join(&name), "being written").unwrap();
        let found = leftovers(folder.path()).unwrap();
        assert_eq!(found[0].state, LeftoverState::InUse);
        assert!(found[0].remove().is_err());
        assert_eq!(names(folder.path()), [name]);
    }

    #[cfg(unix)]
    #[test]
    fn the_only_copy_stays_and_a_link_is_none_of_ours() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let aside = path(&format!(".marginswap-{NOBODY}-old-a1B2c3"));
        fs::write(&aside, "the file that was there").unwrap();
        let found = leftovers(folder.path()).unwrap();
        assert_eq!(found[0].state, LeftoverState::OnlyCopy);
        assert!(found[0].remove().is_err() && aside.exists());
        fs::hard_link(&aside, path("released.csv")).unwrap();
        let found = leftovers(folder.path()).unwrap();
        assert_eq!(found[0].state, LeftoverState::Abandoned);
        // A file that was looked at may have become a link to another one since.
        fs::rename(&aside, path("elsewhere")).unwrap();
        std::os::unix::fs::symlink(path("elsewhere"), &aside).unwrap();
        assert!(found[0].remove().is_err());
        assert!(leftovers(folder.path()).unwrap().is_empty());
        assert_eq!(fs::read_to_string(path("elsewhere")).unwrap(), "the file that was there");
    }
}
