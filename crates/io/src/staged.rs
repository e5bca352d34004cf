//! A file in two steps: complete under a temporary name, then published under its own.
//!
//! [`Staged::create`] makes a temporary file in the target's folder; what is written to it
//! is forced to disk by [`Staged::finish`]. The [`Finished`] file can be read back and
//! recounted at [`Finished::path`]; [`Finished::publish`] renames it to its target and
//! forces the folder to disk. Dropped before that, either of them removes the file, so an
//! error on the way leaves the target as it was and nothing beside it.
//!
//! Trap: whether the target exists is looked at before anything is written, to save the
//! work, and once more by the renaming itself, which refuses to replace: another program
//! may have made the file in between.
//!
//! Signals: after [`remove_on_interrupt`], Ctrl-C and SIGTERM remove the temporary files
//! there are and end the program with exit code 130. SIGKILL and a power cut can be caught
//! by nobody; they leave a temporary file, whose name begins with `.marginswap-` and which
//! may be deleted, but never a half target.
//!
//! Edge case: when the folder cannot be forced to disk, the file is there and complete,
//! and an error says that a power cut may undo the renaming.
//!
//! Law: `a-fault-leaves-no-half-file`: whichever operation fails, the target is absent or
//! unchanged (or complete, when only forcing its folder to disk fails), no temporary file is
//! left, and a refusal is given.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};

use marginswap_core::diagnostic::{Code, Diagnostic};

use crate::atomic::{Overwrite, Secrecy, check_target, exists, unwritable};
use crate::disk::{Disk, RealDisk};
use crate::said;

/// A file that is being written under a temporary name.
pub struct Staged {
    // Closed before the temporary file is removed, which some systems demand.
    writer: BufWriter<Stage>,
    temporary: Temporary,
    target: Target,
}

/// A file that is complete and on disk, still under its temporary name.
pub struct Finished {
    temporary: Temporary,
    target: Target,
}

struct Target {
    path: PathBuf,
    overwrite: Overwrite,
}

impl Staged {
    /// Makes the temporary file.
    ///
    /// # Errors
    /// [`Code::OutputExists`], [`Code::IsDirectory`], or [`Code::Unwritable`] with what the
    /// operating system says.
    pub fn create(
        target: &Path,
        overwrite: Overwrite,
        secrecy: Secrecy,
    ) -> Result<Self, Diagnostic> {
        Self::create_on(Arc::new(RealDisk), target, overwrite, secrecy)
    }

    /// As [`Staged::create`], on a disk of the caller's.
    ///
    /// # Errors
    /// As [`Staged::create`].
    pub fn create_on(
        disk: Arc<dyn Disk>,
        target: &Path,
        overwrite: Overwrite,
        secrecy: Secrecy,
    ) -> Result<Self, Diagnostic> {
        check_target(target, overwrite)?;
        let target = Target { path: target.to_owned(), overwrite };
        let (file, temporary) = Temporary::create(&disk, target.folder(), secrecy)
            .map_err(|error| target.refuse(&error))?;
        let writer = BufWriter::with_capacity(1 << 16, Stage { disk, file });
        Ok(Self { writer, temporary, target })
    }

    /// Lets `content` write; a refusal that names no file yet is one of this file.
    ///
    /// # Errors
    /// What `content` refuses.
    pub fn fill<T>(
        &mut self,
        content: impl FnOnce(&mut (dyn Write + Send)) -> Result<T, Diagnostic>,
    ) -> Result<T, Diagnostic> {
        content(&mut self.writer).map_err(|refusal| match refusal.place.file {
            Some(_) => refusal,
            None => refusal.in_file(&self.target.path),
        })
    }

    /// Forces the file to disk.
    ///
    /// # Errors
    /// [`Code::Unwritable`] with what the operating system says.
    pub fn finish(mut self) -> Result<Finished, Diagnostic> {
        let flushed = self.writer.flush().and_then(|()| {
            let stage = self.writer.get_ref();
            stage.disk.sync(&stage.file)
        });
        flushed.map_err(|error| self.target.refuse(&error))?;
        Ok(Finished { temporary: self.temporary, target: self.target })
    }
}

impl Write for Staged {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.writer.write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl Finished {
    /// The temporary name, under which the file can be read back.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.temporary.path
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// [`Code::OutputExists`] when the target has appeared meanwhile and is not to be
    /// replaced, or [`Code::Unwritable`] with what the operating system says.
    pub fn publish(self) -> Result<(), Diagnostic> {
        let Self { temporary, target } = self;
        let disk = Arc::clone(&temporary.disk);
        temporary.rename(&target.path, target.overwrite).map_err(|error| target.refuse(&error))?;
        disk.sync_folder(target.folder()).map_err(|error| {
            Diagnostic::new(
                Code::Unwritable,
                format!(
                    "the file is complete, but its folder is not forced to disk: {}",
                    said(&error)
                ),
                "see that the file is there after a restart",
            )
            .in_file(&target.path)
        })
    }
}

impl Target {
    fn folder(&self) -> &Path {
        match self.path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        }
    }

    fn refuse(&self, error: &io::Error) -> Diagnostic {
        let refusal = match (error.kind(), self.overwrite) {
            (io::ErrorKind::AlreadyExists, Overwrite::Refuse) => exists(),
            _ => unwritable(error),
        };
        refusal.in_file(&self.path)
    }
}

/// The bytes' way to the disk.
struct Stage {
    disk: Arc<dyn Disk>,
    file: File,
}

impl Write for Stage {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.disk.write(&mut self.file, bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A temporary file: removed when dropped, unless it was renamed.
struct Temporary {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    is_there: bool,
}

/// The temporary files of this process. Whoever makes, renames or removes one holds the
/// lock meanwhile; the handler of an interrupt never gives it back.
static THERE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn there() -> MutexGuard<'static, Vec<PathBuf>> {
    THERE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Temporary {
    fn create(disk: &Arc<dyn Disk>, folder: &Path, secrecy: Secrecy) -> io::Result<(File, Self)> {
        let mut there = there();
        let (file, path) = disk.create(folder, secrecy)?;
        there.push(path.clone());
        Ok((file, Self { disk: Arc::clone(disk), path, is_there: true }))
    }

    fn rename(mut self, to: &Path, overwrite: Overwrite) -> io::Result<()> {
        let mut there = there();
        let renamed = self.disk.rename(&self.path, to, overwrite);
        if renamed.is_ok() {
            self.is_there = false;
            there.retain(|path| *path != self.path);
        }
        // Else it is removed, which takes the lock again.
        drop(there);
        renamed
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if self.is_there {
            let mut there = there();
            // What cannot be removed stays, under a name that tells what it is.
            let _ = self.disk.remove(&self.path);
            there.retain(|path| *path != self.path);
        }
    }
}

/// From now on Ctrl-C and SIGTERM (on Unix also SIGHUP) remove the temporary files there
/// are and end the program with exit code 130; on Unix, writing more than the system allows
/// one file is an error like a full disk and no longer kills. A signal that is ignored, as
/// `nohup` and a shell's `&` ask for, stays ignored. For programs; a library has no business
/// with signals.
///
/// Where no signal can be caught the program goes on: what it leaves when it is killed is a
/// temporary file, whose name tells what it is.
pub fn remove_on_interrupt() {
    static ONCE: Once = Once::new();
    ONCE.call_once(catch_signals);
}

#[cfg(unix)]
fn catch_signals() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    let ignored = ignored_signals();
    let caught = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| !ignored.contains(signal));
    if let Ok(mut signals) = signal_hook::iterator::Signals::new(caught) {
        std::thread::spawn(move || {
            if signals.forever().next().is_some() {
                clean_up_and_leave();
            }
        });
    }
    // The flag is never read: any handler turns the signal into an error of the write.
    let _ = signal_hook::flag::register(SIGXFSZ, std::sync::Arc::default());
}

#[cfg(not(unix))]
fn catch_signals() {
    let _ = ctrlc::try_set_handler(clean_up_and_leave);
}

/// The signals that whoever started the program wants ignored, where the system tells: Linux
/// does, as a mask.
#[cfg(unix)]
fn ignored_signals() -> Vec<i32> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    (1..=64).filter(|signal| mask >> (signal - 1) & 1 == 1).collect()
}

fn clean_up_and_leave() {
    let there = there();
    for path in there.iter() {
        let _ = RealDisk.remove(path);
    }
    std::process::exit(130);
}
