//! A file in two steps: complete under a temporary name, then published under its own.
//!
//! [`Staged::create`] makes a temporary file in the target's folder, which its owner alone
//! may read until it has its name; what is written to it is forced to disk by [`Staged::finish`],
//! or by [`Staged::finish_while`] it is read back and recounted. The [`Finished`] file is at
//! [`Finished::path`]. [`publish_all`] gives several of them their names, all or none;
//! [`Finished::publish`] does so for one. Dropped before that, either of them removes the file, so
//! an error on the way leaves the target as it was and nothing next to it.
//!
//! Trap: whether the target exists is looked at before anything is written, to save the
//! work, and once more by the renaming itself, which refuses to replace: another program
//! may have made the file in between.
//!
//! [`publish_all`]: what a target replaces gets a second name first. When something fails, the
//! files that have their names already lose them again, and what they replaced comes back.
//! An interrupt waits until all have their names or none has.
//!
//! Signals: after [`remove_on_interrupt`], Ctrl-C and SIGTERM remove the temporary files
//! there are and end the program with exit code 130: nothing was written. Once all outputs
//! have their names that would be a lie; a program that says with [`exit_code_once_named`]
//! how it will end is ended with that code instead. SIGKILL and a power cut can be caught
//! by nobody; they leave a temporary file, whose name begins with `.marginswap-` and which
//! [`leftovers`](crate::leftovers()) finds, but never a half target.
//!
//! Edge cases: a folder that cannot be forced to disk is a failure too. Where taking a name
//! back fails as well, the refusal says which file is left. Where what was replaced cannot be
//! removed after all went well, it stays under its temporary name.
//!
//! Law: `a-fault-leaves-no-half-file`: whichever operation fails, the target is absent or
//! unchanged, no temporary file is left, and a refusal is given.
//! Law: `outputs-appear-together`: whichever operation fails while several files are written
//! and named, either all targets are complete or all are as they were before.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};

#[cfg(doc)]
use crate::refusal::Code;
use marginswap_core::diagnostic::Diagnostic;

use crate::atomic::{Overwrite, Secrecy, check_target, exists, unwritable};
use crate::disk::{Disk, RealDisk, folder_of};

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
    secrecy: Secrecy,
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
        let target = Target { path: target.to_owned(), overwrite, secrecy };
        let (file, temporary) = Temporary::create(&disk, folder_of(&target.path))
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

    /// The temporary name, under which the file is complete once it is flushed.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.temporary.path
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

    /// Forces the file to disk while `meanwhile` does something else, to which the file under its
    /// temporary name is complete: a disk is waited for, and a processor is not needed for that.
    ///
    /// # Errors
    /// As [`Staged::finish`], whatever came of the other.
    pub fn finish_while<T>(
        mut self,
        meanwhile: impl FnOnce(&Path) -> T,
    ) -> Result<(Finished, T), Diagnostic> {
        self.writer.flush().map_err(|error| self.target.refuse(&error))?;
        let Stage { disk, file } = self.writer.get_ref();
        let (forced, done) = std::thread::scope(|scope| {
            let forcing = scope.spawn(|| disk.sync(file));
            let done = meanwhile(&self.temporary.path);
            (forcing.join(), done)
        });
        let forced = forced.unwrap_or_else(|panicked| std::panic::resume_unwind(panicked));
        forced.map_err(|error| self.target.refuse(&error))?;
        Ok((Finished { temporary: self.temporary, target: self.target }, done))
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

    /// The name that it will have.
    #[must_use]
    pub fn target(&self) -> &Path {
        &self.target.path
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// As [`publish_all`].
    pub fn publish(self) -> Result<(), Diagnostic> {
        publish_all(vec![self])
    }
}

/// Gives all files their names, in this order, or none of them. What must not be there without
/// the others comes last.
///
/// # Errors
/// [`Code::OutputExists`] when a target has appeared meanwhile and is not to be replaced, or
/// [`Code::Unwritable`] with what the operating system says. Every target is then as it was
/// before; where even that fails, the refusal names the file.
pub fn publish_all(files: Vec<Finished>) -> Result<(), Diagnostic> {
    // An interrupt waits for the lock.
    let mut there = there();
    let mut named: Vec<Named> = Vec::new();
    for file in &files {
        match name(file, &mut there) {
            Ok(done) => named.push(done),
            Err((undone, refusal)) => {
                named.extend(undone);
                let refusal = take_back(&named, &mut there, refusal);
                drop(there);
                return Err(refusal);
            }
        }
    }
    for Named { disk, before, .. } in &named {
        if let Some(before) = before {
            // What cannot be removed stays, under a name that tells what it is.
            let _ = disk.remove(before);
        }
    }
    there.retain(|path| named.iter().all(|named| named.before.as_ref() != Some(path)));
    ON_INTERRUPT.store(ONCE_NAMED.load(Ordering::Relaxed), Ordering::Relaxed);
    drop(there);
    Ok(())
}

/// The exit code of a program that is interrupted.
const INTERRUPTED: i32 = 130;

/// How an interrupt ends the program now, and how it does once outputs have their names. Both
/// change under the lock of the temporary files alone.
static ON_INTERRUPT: AtomicI32 = AtomicI32::new(INTERRUPTED);
static ONCE_NAMED: AtomicI32 = AtomicI32::new(INTERRUPTED);

/// Says how the program will end once the outputs that come next have their names: this is
/// the point after which everything is done. An interrupt after it ends the program with
/// this code. For programs, as [`remove_on_interrupt`].
pub fn exit_code_once_named(code: u8) {
    let _there = there();
    ONCE_NAMED.store(code.into(), Ordering::Relaxed);
}

/// Have the last outputs of this program got their names?
#[must_use]
pub fn are_named() -> bool {
    ON_INTERRUPT.load(Ordering::Relaxed) != INTERRUPTED
}

/// A target that has its file.
struct Named {
    disk: Arc<dyn Disk>,
    target: PathBuf,
    /// The second name of what was there before.
    before: Option<PathBuf>,
    has_new_file: bool,
}

/// Gives one file its name. With an error comes what must be taken back.
fn name(file: &Finished, there: &mut Vec<PathBuf>) -> Result<Named, (Option<Named>, Diagnostic)> {
    let Finished { temporary, target } = file;
    let disk = &temporary.disk;
    let refuse = |error: io::Error| (None, target.refuse(&error));
    // What is there may have turned into something that is not replaced, as a folder.
    check_target(&target.path, target.overwrite).map_err(|refusal| (None, refusal))?;
    let mut named = Named {
        disk: Arc::clone(disk),
        target: target.path.clone(),
        before: None,
        has_new_file: false,
    };
    if target.overwrite == Overwrite::Force && target.path.symlink_metadata().is_ok() {
        let before = disk.set_aside(&target.path).map_err(refuse)?;
        there.push(before.clone());
        named.before = Some(before);
    }
    let renamed = disk.rename(&temporary.path, &target.path, target.overwrite);
    // A network drive may do what it says it could not.
    named.has_new_file = renamed.is_ok() || temporary.path.symlink_metadata().is_err();
    if named.has_new_file {
        there.retain(|path| *path != temporary.path);
    }
    // Under its temporary name nobody else reads it, whenever the run is killed.
    let opened = renamed.and_then(|()| match target.secrecy {
        Secrecy::Plain => disk.open_up(&target.path),
        Secrecy::Secret => Ok(()),
    });
    match opened.and_then(|()| disk.sync_folder(folder_of(&target.path))) {
        Ok(()) => Ok(named),
        Err(error) => Err((Some(named), target.refuse(&error))),
    }
}

/// Makes every target what it was before, the last one first.
fn take_back(named: &[Named], there: &mut Vec<PathBuf>, mut refusal: Diagnostic) -> Diagnostic {
    for Named { disk, target, before, has_new_file } in named.iter().rev() {
        let done = match before {
            Some(before) => disk.rename(before, target, Overwrite::Force),
            None if *has_new_file => disk.remove(target),
            None => Ok(()),
        };
        let _ = disk.sync_folder(folder_of(target));
        match (done, before) {
            (Ok(()), Some(before)) => {
                // Two names of one file: renaming does nothing, and the second one stays.
                let _ = std::fs::remove_file(before);
                there.retain(|path| path != before);
            }
            (Ok(()), None) => {}
            (Err(_), Some(before)) => {
                there.retain(|path| path != before);
                refusal.detail.push_str(&format!(
                    "\nthe file that {} replaced could not be put back; it is {}",
                    target.display(),
                    before.display()
                ));
            }
            (Err(_), None) => refusal.detail.push_str(&format!(
                "\n{} could not be removed again; do not release it",
                target.display()
            )),
        }
    }
    refusal
}

impl Target {
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

/// A temporary file: removed when dropped, unless it has another name by then.
struct Temporary {
    disk: Arc<dyn Disk>,
    path: PathBuf,
}

/// The temporary files of this process. A thread that makes, renames or removes one holds the
/// lock meanwhile; the handler of an interrupt never gives it back.
static THERE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn there() -> MutexGuard<'static, Vec<PathBuf>> {
    THERE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Temporary {
    fn create(disk: &Arc<dyn Disk>, folder: &Path) -> io::Result<(File, Self)> {
        let mut there = there();
        let (file, path) = disk.create(folder)?;
        there.push(path.clone());
        Ok((file, Self { disk: Arc::clone(disk), path }))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if self.path.symlink_metadata().is_ok() {
            let mut there = there();
            // What cannot be removed stays, under a name that tells what it is.
            let _ = self.disk.remove(&self.path);
            there.retain(|path| *path != self.path);
        }
    }
}

/// From now on Ctrl-C and SIGTERM (on Unix also SIGHUP) remove the temporary files there
/// are and end the program with exit code 130, or as [`exit_code_once_named`] says; on Unix,
/// writing more than the system allows one file is an error like a full disk and no longer kills. A
/// signal that is ignored, as `nohup` and a shell's `&` ask for, stays ignored. For programs; a
/// library has no business with signals.
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

/// The signals that the caller of the program wants ignored, where the system tells: Linux
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
    std::process::exit(ON_INTERRUPT.load(Ordering::Relaxed));
}
