//! Long calls that a keyboard interrupt can stop.
//!
//! The work runs on a thread of its own while the calling thread sleeps and asks Python now and then whether a
//! signal came in. When one did, a flag is set that the engine looks at, and the interrupt is raised once the
//! work has come to rest.
//!
//! Small work stays on the calling thread. Where it takes long all the same, the engine asks ([`listen`]) on that
//! thread.
//!
//! Signals come to the main thread alone. What another one does can be ended by a [`Stop`]: nobody waits for the result of an
//! awaitable call that was cancelled, but the loop waits for its thread when it closes.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use pyo3::prelude::*;
use tessella_core::{Error, Result, limits, threads};

use crate::border::errors::raise;

/// How often the calling thread looks for signals.
const POLL: Duration = Duration::from_millis(50);

/// Inputs up to this many bytes are encoded on the calling thread: what another one gets for its work is memory that nobody had before, a
/// tenth of the time that such a text takes.
pub const SMALL: usize = 4 << 20;

/// Inputs up to this many bytes keep the interpreter: letting go and taking it back costs more than they do.
pub const TINY: usize = 1 << 10;

thread_local! {
    /// What ends the work of this thread besides a signal.
    static STOP: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// The error of a signal, or of a [`Stop`], that came in.
pub fn wished(py: Python<'_>) -> PyResult<()> {
    py.check_signals()?;
    let is_stopped =
        |stop: &Option<Arc<AtomicBool>>| stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
    if STOP.with_borrow(is_stopped) { Err(raise(Error::interrupted())) } else { Ok(()) }
}

/// Ends a call from another thread.
#[pyclass(frozen, module = "tessella._tessella")]
#[derive(Default)]
pub struct Stop(Arc<AtomicBool>);

#[pymethods]
impl Stop {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// What `call` gives, unless it is stopped: then it raises.
    fn run<'py>(&self, call: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let before = STOP.replace(Some(Arc::clone(&self.0)));
        let given = call.call0();
        STOP.set(before);
        given
    }

    /// Ends the call that runs now.
    fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Lets the engine ask for signals on whatever thread it works; Python answers its main thread only. Short texts keep the
/// interpreter: if one takes so long that it is asked for, other threads have their turn.
pub fn listen() {
    limits::poll_with(|| {
        let asked = Python::attach(|py| {
            py.detach(|| ());
            wished(py)
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

/// As [`run_until`] for work that may be small: then the calling thread does it, since a thread costs more than a small file.
pub fn sized_until<T: Send>(
    py: Python<'_>,
    is_small: bool,
    stop: &Arc<AtomicBool>,
    work: impl FnOnce(&Arc<AtomicBool>) -> Result<T> + Send,
) -> PyResult<T> {
    if !is_small {
        return run_until(py, stop, work);
    }
    wished(py)?;
    py.detach(|| work(stop)).map_err(raise)
}

type Work<'a> = Box<dyn FnOnce(&Arc<AtomicBool>) + Send + 'a>;

fn on_a_thread(py: Python<'_>, cancel: &Arc<AtomicBool>, work: Work<'_>) -> PyResult<()> {
    wished(py)?;
    py.detach(|| {
        std::thread::scope(|scope| {
            let (done, finished) = channel::<()>();
            let thread = std::thread::Builder::new().name("tessella".into()).stack_size(8 << 20);
            let work = move || {
                // Dropped, and so signalled, on every way out.
                let _done = done;
                // Who waits here for a pipe asks as the calling thread does.
                STOP.set(Some(Arc::clone(cancel)));
                work(cancel);
            };
            let worker = threads::start(thread, scope, work).map_err(|error| raise(error.into()))?;
            let mut signal = None;
            while let Err(RecvTimeoutError::Timeout) = finished.recv_timeout(POLL) {
                if signal.is_none()
                    && let Err(error) = Python::attach(wished)
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
        // Who encodes one such text after the other may be told to stop in between.
        if bytes > ALONE {
            wished(py)?;
        }
        py.detach(|| work(None)).map_err(raise)
    } else {
        run(py, |cancel| work(Some(cancel)))
    }
}
