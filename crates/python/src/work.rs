//! A job on a thread of its own: progress, Ctrl-C, and our own bugs.
//!
//! The thread that called waits without the GIL, asks Python for signals twenty times a second and
//! passes progress on. After Ctrl-C it returns at once; the job stops before its next step, and
//! what it had made is thrown away: only the thread that called gives files their names.
//!
//! Trap: a panic's words may hold anything. Threads of ours are known by their name, and what they
//! panic with is kept to its place.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, Once, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use marginswap_core::diagnostic::Diagnostic;
use marginswap_pipeline::notes::{Event, Flow, Run};
use marginswap_pipeline::pipeline::MOST_THREADS;
use marginswap_pipeline::refusal::Code;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::refusal::{OrRaise, raised};

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
}

/// Carries out a job; gives its answer and its notes.
pub fn carry_out<T: Send + 'static>(
    py: Python<'_>,
    how: &How,
    work: impl FnOnce(&mut Run<'_>) -> Result<T, Diagnostic> + Send + 'static,
) -> PyResult<(T, Vec<String>)> {
    let pool = pool(how.threads).or_raise(py)?;
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
        let answer = pool.install(|| work(&mut run));
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
    Ok((answer.or_raise(py)?, notes))
}

/// So many threads of ours; without a number as many as there are cores, always the same.
pub fn pool(threads: Option<NonZeroUsize>) -> Result<Arc<ThreadPool>, Diagnostic> {
    static USUAL: OnceLock<Arc<ThreadPool>> = OnceLock::new();
    if let (None, Some(pool)) = (threads, USUAL.get()) {
        return Ok(Arc::clone(pool));
    }
    let named = ThreadPoolBuilder::new().thread_name(|number| format!("{NAME}-{number}"));
    let pool = named.num_threads(threads.map_or(0, |threads| threads.get().min(MOST_THREADS))).build();
    let pool = pool.map(Arc::new).map_err(|error| {
        let detail = format!("the threads cannot be started: {error}");
        Diagnostic::new(Code::TooFewThreads, detail, "give a smaller number to `threads=`")
    })?;
    match threads {
        None => Ok(Arc::clone(USUAL.get_or_init(|| pool))),
        Some(_) => Ok(pool),
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
