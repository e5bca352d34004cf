//! A job on a thread of its own: progress, Ctrl-C, and our own bugs.
//!
//! The thread that called waits without the GIL, asks Python for signals twenty times a second and
//! passes progress on. After Ctrl-C it returns at once; the job stops before its next step, and
//! what it had made is thrown away: only the thread that called gives files their names.
//!
//! Every call has threads of its own, which end before it does: none is left that a forked process
//! would wait for and not have.
//!
//! Trap: a panic's words may hold anything. Threads of ours are known by their name, and what they
//! panic with is kept to its place.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use marginswap_core::diagnostic::Diagnostic;
use marginswap_pipeline::job::MOST_THREADS;
use marginswap_pipeline::notes::{Event, Flow, Run};
use marginswap_pipeline::refusal::Code;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::refusal::{OrRaise, in_words_of_frames, of_a_frame, raised};

/// How often Python is asked for signals.
const PATIENCE: Duration = Duration::from_millis(50);

/// What our threads are called.
const NAME: &str = "marginswap";

/// Where the last of our panics was.
static PLACE: Mutex<Option<String>> = Mutex::new(None);

/// How a job runs beside its settings.
#[derive(FromPyObject)]
pub struct How {
    /// Called with a step, how many are done, and of how many.
    #[pyo3(attribute("progress"))]
    progress: Option<Py<PyAny>>,
    /// The number of threads; the answer is the same for any number.
    #[pyo3(attribute("threads"))]
    threads: Option<NonZeroUsize>,
    /// Is the job about a table in memory?
    #[pyo3(attribute("in_memory"))]
    in_memory: bool,
}

/// Carries out a job; gives its answer and its notes.
pub fn carry_out<T: Send + 'static>(
    py: Python<'_>,
    how: &How,
    work: impl FnOnce(&mut Run<'_>) -> Result<T, Diagnostic> + Send + 'static,
) -> PyResult<(T, Vec<String>)> {
    let threads = Threads::start(how.threads).or_raise(py)?;
    let (tell, told) = mpsc::channel();
    let told = Mutex::new(told);
    let stop = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&stop);
    let job = move || {
        let mut run = Run::watched(move |event| {
            if let Event::Phase { phase, done, of } = event {
                // Nobody listens after Ctrl-C.
                let _ = tell.send((phase.to_string(), done, of));
            }
            if asked.load(Ordering::Relaxed) { Flow::Cancel } else { Flow::Continue }
        });
        let answer = threads.carry_out(|| work(&mut run));
        (answer, run.notes().iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    let worker = thread::Builder::new().name(NAME.to_owned()).spawn(job).map_err(|error| {
        let detail = format!("a thread cannot be started: {error}");
        raised(py, &Diagnostic::new(Code::TooFewThreads, detail, "end other programs"))
    })?;
    loop {
        let event = py.detach(|| {
            let told = told.lock().unwrap_or_else(PoisonError::into_inner);
            told.recv_timeout(PATIENCE)
        });
        let heard = match (event, &how.progress) {
            (Err(RecvTimeoutError::Disconnected), _) => break,
            (Ok(event), Some(progress)) => progress.call1(py, event).map(drop),
            _ => Ok(()),
        };
        if let Err(interrupted) = heard.and_then(|()| py.check_signals()) {
            stop.store(true, Ordering::Relaxed);
            return Err(interrupted);
        }
    }
    let (answer, notes) = py.detach(|| worker.join()).map_err(|_| raised(py, &own_bug()))?;
    let (answer, notes) = match how.in_memory {
        true => {
            let notes = notes.iter().map(|note| in_words_of_frames(note)).collect();
            (answer.map_err(of_a_frame), notes)
        }
        false => (answer, notes),
    };
    Ok((answer.or_raise(py)?, notes))
}

/// The threads of one call.
pub struct Threads {
    /// There until the threads are to end.
    pool: Option<ThreadPool>,
    handles: Vec<JoinHandle<()>>,
}

impl Threads {
    /// Starts this many threads; without a number as many as there are cores.
    pub fn start(threads: Option<NonZeroUsize>) -> Result<Self, Diagnostic> {
        let most = threads.map_or(0, |threads| threads.get().min(MOST_THREADS));
        let mut handles = Vec::new();
        let pool = ThreadPoolBuilder::new().num_threads(most).spawn_handler(|thread| {
            let named = thread::Builder::new().name(format!("{NAME}-{}", thread.index()));
            handles.push(named.spawn(|| thread.run())?);
            Ok(())
        });
        let pool = pool.build().map_err(|error| {
            let detail = format!("the threads cannot be started: {error}");
            Diagnostic::new(Code::TooFewThreads, detail, "give a smaller number to `threads=`")
        })?;
        Ok(Self { pool: Some(pool), handles })
    }

    /// Does some work on these threads.
    pub fn carry_out<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.pool.as_ref().expect("the threads end after their work").install(work)
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.pool = None;
        for handle in self.handles.drain(..) {
            // What a thread panicked with was said where its work was waited for.
            let _ = handle.join();
        }
    }
}

/// Keeps the words of our panics from the terminal; those of others are as before.
pub fn keep_our_panics_quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let others = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !thread::current().name().is_some_and(|name| name.starts_with(NAME)) {
                return others(panic);
            }
            let place = panic.location().map(|place| format!("{}:{}", place.file(), place.line()));
            *PLACE.lock().unwrap_or_else(PoisonError::into_inner) = place;
        }));
    });
}

fn own_bug() -> Diagnostic {
    let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner).take();
    let detail = match place {
        Some(place) => format!("a belief of the code was broken at {place}"),
        None => "a belief of the code was broken".to_owned(),
    };
    Diagnostic::new(Code::OwnBug, detail, "nothing was released; please report this")
}
