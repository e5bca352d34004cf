//! A data file, opened once and read as often as needed.
//!
//! A name may lead to another file a moment later, so a job opens its input once and reads
//! it through this handle every time. Each reading begins at the first byte and has a place
//! of its own: bytes are read by their position, never from where another reading stopped.
//!
//! Trap: the handle does not protect against a program that writes into the same file.
//! A reader that reads twice compares the sums of both readings; one that jumps about in the
//! file (Parquet) takes the sum first, keeping what it will need, and asks
//! [`InputFile::check_unchanged`] at the end.
//!
//! Edge case: a pipe can be read only once and not by position. It is copied into a
//! temporary file without a name, which the owner alone can read and which is gone with the
//! handle.
//!
//! Way in: [`InputFile::open`], then [`Source::of`](crate::Source::of).

use std::fmt;
use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use crate::refusal::Code;
use marginswap_core::diagnostic::Diagnostic;

use crate::csv::unreadable;
use crate::digest::{FileDigest, Hashed};
use crate::source::Compression;

/// A file that was opened for reading. Copies of it share one handle.
#[derive(Clone)]
pub struct InputFile {
    opened: Arc<Opened>,
    /// Parts that were read already and need not be read again.
    kept: Arc<Vec<Part>>,
}

/// Some bytes of a file.
struct Part {
    start: u64,
    bytes: Vec<u8>,
}

struct Opened {
    path: PathBuf,
    file: File,
    state: State,
}

/// What the operating system tells of a file that is written to.
#[derive(PartialEq, Eq)]
struct State {
    length: u64,
    modified: Option<SystemTime>,
}

impl State {
    fn of(metadata: &Metadata) -> Self {
        Self { length: metadata.len(), modified: metadata.modified().ok() }
    }
}

impl InputFile {
    /// Opens a file; a pipe is read to its end.
    ///
    /// # Errors
    /// A file that is missing, a folder, or not readable.
    pub fn open(path: &Path) -> Result<Self, Diagnostic> {
        let open = || {
            let mut file = open_file(path)?;
            let mut metadata = file.metadata().map_err(|error| not_read(&error))?;
            if is_stream(&metadata) {
                file = unnamed_copy(&mut file).map_err(|error| not_copied(&error))?;
                metadata = file.metadata().map_err(|error| not_read(&error))?;
            }
            let state = State::of(&metadata);
            let opened = Arc::new(Opened { path: path.to_owned(), file, state });
            Ok(Self { opened, kept: Arc::default() })
        };
        open().map_err(|refusal: Diagnostic| refusal.in_file(path))
    }

    /// The name under which it was opened.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.opened.path
    }

    /// How many bytes it had when it was opened.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.opened.state.length
    }

    /// Reads the file through and gives its sum.
    ///
    /// # Errors
    /// A file that is not readable.
    pub fn digest(&self) -> Result<FileDigest, Diagnostic> {
        let mut bytes = Hashed::new(self.bytes_from(0));
        match io::copy(&mut bytes, &mut io::sink()) {
            Ok(_) => Ok(bytes.digest()),
            Err(error) => Err(not_read(&error).in_file(self.path())),
        }
    }

    /// Reads the file through, gives its sum, and the same file with these parts of it kept in
    /// memory: a reader that jumps about in them does not read the disk again. What is kept is no
    /// more than the file, whatever the ranges (first byte and length) claim.
    ///
    /// # Errors
    /// A file that is not readable.
    #[cfg(any(test, feature = "parquet"))]
    pub(crate) fn digest_keeping(
        &self,
        ranges: &[(u64, u64)],
    ) -> Result<(FileDigest, Self), Diagnostic> {
        let mut parts: Vec<Part> = Vec::new();
        for (start, end) in apart(ranges, self.length()) {
            let room = usize::try_from(end - start).unwrap_or(0);
            parts.push(Part { start, bytes: Vec::with_capacity(room) });
        }
        let ends: Vec<u64> =
            parts.iter().map(|part| part.start + part.bytes.capacity() as u64).collect();
        let mut bytes = Hashed::new(self.bytes_from(0));
        let mut buffer = vec![0; BLOCK];
        let (mut at, mut first) = (0u64, 0);
        loop {
            let read = match bytes.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(not_read(&error).in_file(self.path())),
            };
            let end = at + read as u64;
            while first < parts.len() && ends[first] <= at {
                first += 1;
            }
            for (part, part_end) in parts[first..].iter_mut().zip(&ends[first..]) {
                let (from, to) = (part.start.max(at), (*part_end).min(end));
                if part.start >= end {
                    break;
                }
                if from < to {
                    let [from, to] = [from, to].map(|place| place_in_block(place - at));
                    part.bytes.extend_from_slice(&buffer[from..to]);
                }
            }
            at = end;
        }
        let file = Self { opened: Arc::clone(&self.opened), kept: Arc::new(parts) };
        Ok((bytes.digest(), file))
    }

    /// The bytes that are kept from this place on; none where nothing is.
    fn kept_from(&self, at: u64) -> &[u8] {
        let behind = self.kept.partition_point(|part| part.start <= at);
        let Some(part) = behind.checked_sub(1).map(|before| &self.kept[before]) else {
            return &[];
        };
        usize::try_from(at - part.start).ok().and_then(|skip| part.bytes.get(skip..)).unwrap_or(&[])
    }

    /// Refuses a file that was written to since it was opened, as far as the operating
    /// system tells: by its length and the time of its last change.
    ///
    /// # Errors
    /// [`Code::InputChanged`].
    pub fn check_unchanged(&self) -> Result<(), Diagnostic> {
        let metadata = self.opened.file.metadata();
        let metadata = metadata.map_err(|error| not_read(&error).in_file(self.path()))?;
        if State::of(&metadata) == self.opened.state {
            return Ok(());
        }
        Err(changed_meanwhile().in_file(self.path()))
    }

    /// The bytes from this place on.
    pub(crate) fn bytes_from(&self, at: u64) -> BytesFrom {
        BytesFrom { file: self.clone(), at }
    }

    /// At most this many bytes from this place on.
    pub(crate) fn piece(&self, at: u64, most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.bytes_from(at).take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

impl fmt::Debug for InputFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "InputFile({})", self.path().display())
    }
}

/// A reading of a file, with a place of its own.
pub(crate) struct BytesFrom {
    file: InputFile,
    at: u64,
}

impl Read for BytesFrom {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match self.file.kept_from(self.at) {
            [] => read_at(&self.file.opened.file, buffer, self.at)?,
            kept => {
                let length = kept.len().min(buffer.len());
                buffer[..length].copy_from_slice(&kept[..length]);
                length
            }
        };
        self.at += read as u64;
        Ok(read)
    }
}

/// How many bytes are read at once where a file is read through.
#[cfg(any(test, feature = "parquet"))]
const BLOCK: usize = 1 << 18;

#[cfg(any(test, feature = "parquet"))]
fn place_in_block(place: u64) -> usize {
    usize::try_from(place).expect("a block is short")
}

/// Ranges (first byte and length) as first byte and end, rising, apart from each other and within
/// the file.
#[cfg(any(test, feature = "parquet"))]
fn apart(ranges: &[(u64, u64)], length: u64) -> Vec<(u64, u64)> {
    let mut sorted: Vec<(u64, u64)> = ranges
        .iter()
        .map(|&(start, long)| (start.min(length), start.saturating_add(long).min(length)))
        .filter(|(start, end)| start < end)
        .collect();
    sorted.sort_unstable();
    let mut apart: Vec<(u64, u64)> = Vec::new();
    for (start, end) in sorted {
        match apart.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => apart.push((start, end)),
        }
    }
    apart
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, at)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, at)
}

#[cfg(not(any(unix, windows)))]
fn read_at(mut file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    file.seek(SeekFrom::Start(at))?;
    file.read(buffer)
}

#[cfg(unix)]
fn is_stream(metadata: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    metadata.file_type().is_fifo() || metadata.file_type().is_socket()
}

#[cfg(not(unix))]
fn is_stream(_: &Metadata) -> bool {
    false
}

fn unnamed_copy(stream: &mut File) -> io::Result<File> {
    let mut copy = tempfile::tempfile()?;
    io::copy(stream, &mut copy)?;
    copy.seek(SeekFrom::Start(0))?;
    Ok(copy)
}

fn not_copied(error: &io::Error) -> Diagnostic {
    Diagnostic::new(
        Code::Unreadable,
        format!("the pipe cannot be copied into a temporary file: {}", crate::said(error)),
        "store the data in a file first, or set TMPDIR to a folder with room",
    )
}

/// Opens a file for reading; a folder is none.
pub(crate) fn open_file(path: &Path) -> Result<File, Diagnostic> {
    let (file, is_folder) = match File::open(path) {
        Ok(file) => {
            let metadata = file.metadata().map_err(|error| not_read(&error))?;
            (file, metadata.is_dir())
        }
        Err(_) if path.is_dir() => return Err(folder()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(Diagnostic::new(
                Code::FileMissing,
                "there is no file of this name",
                "check the spelling and the folder",
            ));
        }
        Err(error) => return Err(not_read(&error)),
    };
    if is_folder { Err(folder()) } else { Ok(file) }
}

fn folder() -> Diagnostic {
    Diagnostic::new(Code::IsDirectory, "this is a folder", "name the data file in it")
}

pub(crate) fn not_read(error: &io::Error) -> Diagnostic {
    unreadable(error, Compression::Plain)
}

/// The refusal of a file that is not the same the second time.
pub(crate) fn changed_meanwhile() -> Diagnostic {
    Diagnostic::new(
        Code::InputChanged,
        "another program changed or replaced the file during the run",
        "start again when the file is complete",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::fs;

    use crate::digest::sha256_hex;

    #[test]
    fn a_handle_stays_with_the_file_it_opened() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("data"), folder.path().join("other"));
        fs::write(&path, "first").unwrap();
        fs::write(&other, "second, longer").unwrap();
        let file = InputFile::open(&path).unwrap();
        let copy = file.clone();
        let mut reading = copy.bytes_from(2);
        fs::rename(&other, &path).unwrap();
        assert_eq!(file.digest().unwrap().sha256, sha256_hex(b"first"));
        assert_eq!(file.digest().unwrap().bytes, 5, "the second reading begins at the first byte");
        let mut rest = String::new();
        reading.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "rst", "another reading moves no place but its own");
        file.check_unchanged().unwrap();
    }

    /// What is kept is what the file had, wherever a reading begins and whatever was claimed.
    #[test]
    fn kept_parts_are_those_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data");
        let bytes: Vec<u8> = (0..700_000u32).map(|place| (place * 7 % 251) as u8).collect();
        fs::write(&path, &bytes).unwrap();
        let file = InputFile::open(&path).unwrap();
        let claimed = [(600_000, u64::MAX), (5, 10), (10, 300_000), (400_000, 0), (900_000, 4)];
        let (digest, kept) = file.digest_keeping(&claimed).unwrap();
        assert_eq!(digest, file.digest().unwrap());
        let held: usize = kept.kept.iter().map(|part| part.bytes.len()).sum();
        assert_eq!(held, 300_005 + 100_000);
        for at in [0, 4, 5, 9, 300_009, 300_010, 399_999, 599_990, 600_000, 699_999] {
            let piece = kept.piece(at, 20_000).unwrap();
            let at = usize::try_from(at).unwrap();
            assert_eq!(piece, bytes[at..bytes.len().min(at + 20_000)], "{at}");
        }
    }

    #[test]
    fn a_file_that_is_written_to_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data");
        fs::write(&path, "first").unwrap();
        let file = InputFile::open(&path).unwrap();
        fs::write(&path, "longer than before").unwrap();
        let refusal = file.check_unchanged().unwrap_err();
        assert_eq!(refusal.code, Code::InputChanged);
        assert_eq!(refusal.place.file.as_deref(), Some(path.as_path()));
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_read_as_often_as_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let writer = {
            let path = path.clone();
            std::thread::spawn(move || fs::write(path, vec![b'x'; 200_000]).unwrap())
        };
        let file = InputFile::open(&path).unwrap();
        writer.join().unwrap();
        for _ in 0..2 {
            assert_eq!(file.digest().unwrap().sha256, sha256_hex(&[b'x'; 200_000]));
        }
        assert_eq!(file.length(), 200_000);
    }
}
