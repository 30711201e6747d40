//! Long calls that a keyboard interrupt can stop.
//!
//! The work runs on a thread of its own while the calling thread sleeps and asks Python now and then whether a
//! signal came in. When one did, a flag is set that the engine looks at, and the interrupt is raised once the
//! work has come to rest.
//!
//! Small work stays on the calling thread. Where it takes long all the same, the engine asks ([`listen`]) on that
//! thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use pyo3::prelude::*;
use tessella_core::{Error, Result, limits, threads};

use crate::border::errors::raise;

/// How often the calling thread looks for signals.
const POLL: Duration = Duration::from_millis(50);

/// Inputs up to this many bytes are encoded on the calling thread.
pub const SMALL: usize = 1 << 20;

/// Inputs up to this many bytes keep the interpreter: letting go and taking it back costs more than they do.
pub const TINY: usize = 1 << 10;

/// Lets the engine ask for signals on whatever thread it works; Python answers its main thread only. Short texts keep the
/// interpreter: if one takes so long that it is asked for, other threads have their turn.
pub fn listen() {
    limits::poll_with(|| {
        let asked = Python::attach(|py| {
            py.detach(|| ());
            py.check_signals()
        });
        asked.map_err(|error| Error::interrupted().caused_by(error))
    });
}

/// Runs `work` on a thread of its own, interruptibly. Its stack is the size a main thread usually has.
pub fn run<T: Send>(py: Python<'_>, work: impl FnOnce(&Arc<AtomicBool>) -> Result<T> + Send) -> PyResult<T> {
    run_until(py, &Arc::default(), work)
}

/// The same for work that others may end as well, by a flag that an interrupt sets for all of them.
pub fn run_until<T: Send>(
    py: Python<'_>,
    stop: &Arc<AtomicBool>,
    work: impl FnOnce(&Arc<AtomicBool>) -> Result<T> + Send,
) -> PyResult<T> {
    // What is made for each kind of result is this much, the threads are made once.
    let mut result = Err(Error::interrupted());
    let slot = &mut result;
    on_a_thread(py, stop, Box::new(move |cancel| *slot = work(cancel)))?;
    result.map_err(raise)
}

type Work<'a> = Box<dyn FnOnce(&Arc<AtomicBool>) + Send + 'a>;

fn on_a_thread(py: Python<'_>, cancel: &Arc<AtomicBool>, work: Work<'_>) -> PyResult<()> {
    py.detach(|| {
        std::thread::scope(|scope| {
            let (done, finished) = channel::<()>();
            let thread = std::thread::Builder::new().name("tessella".into()).stack_size(8 << 20);
            let work = move || {
                // Dropped, and so signalled, on every way out.
                let _done = done;
                work(cancel);
            };
            let worker = threads::start(thread, scope, work).map_err(|error| raise(error.into()))?;
            let mut signal = None;
            while let Err(RecvTimeoutError::Timeout) = finished.recv_timeout(POLL) {
                if signal.is_none()
                    && let Err(error) = Python::attach(|py| py.check_signals())
                {
                    cancel.store(true, Ordering::Relaxed);
                    signal = Some(error);
                }
            }
            if let Err(panic) = worker.join() {
                std::panic::resume_unwind(panic);
            }
            signal.map_or(Ok(()), Err)
        })
    })
}

/// Batches up to this many bytes are worked on by the calling thread alone.
pub const ALONE: usize = 64 << 10;

/// As [`sized`], for work that other threads may share: then the calling thread must be free to look for signals.
pub fn shared<T: Send>(
    py: Python<'_>,
    bytes: usize,
    threads: usize,
    work: impl FnOnce(Option<&Arc<AtomicBool>>) -> Result<T> + Send,
) -> PyResult<T> {
    if bytes > ALONE && threads != 1 { run(py, |cancel| work(Some(cancel))) } else { sized(py, bytes, work) }
}

/// Runs `work` in the way that suits an input of `bytes` bytes.
pub fn sized<T: Send>(
    py: Python<'_>,
    bytes: usize,
    work: impl FnOnce(Option<&Arc<AtomicBool>>) -> Result<T> + Send,
) -> PyResult<T> {
    if bytes <= TINY {
        work(None).map_err(raise)
    } else if bytes <= SMALL {
        py.detach(|| work(None)).map_err(raise)
    } else {
        run(py, |cancel| work(Some(cancel)))
    }
}
