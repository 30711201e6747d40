//! Values that only threads at the interpreter reach: where one at a time is, nobody else has to see to it.
//!
//! A lock that is free costs two instructions that wait for all before them, which is a third of a stream's step. The
//! interpreter's own lock does the same for nothing.

use std::ops::DerefMut;

#[cfg(not(Py_GIL_DISABLED))]
use std::cell::RefCell;
#[cfg(Py_GIL_DISABLED)]
use std::sync::Mutex;

use pyo3::prelude::*;

#[cfg(not(Py_GIL_DISABLED))]
type Lock<T> = RefCell<T>;
#[cfg(Py_GIL_DISABLED)]
type Lock<T> = Mutex<T>;

/// A value that is lent to one at a time.
pub struct Guarded<T>(Lock<T>);

// SAFETY: the value, and the count of who has it, are reached by who proves to be attached to the interpreter, and only one
// thread is at a time. What is lent ends with the proof, and cannot be handed to other threads (it is not `Send`), so not to what
// runs while the thread is not attached. Where that happens while it is lent, others find it lent. There is one interpreter: the
// bindings let the module into no second one.
#[cfg(not(Py_GIL_DISABLED))]
#[allow(unsafe_code)]
unsafe impl<T: Send> Sync for Guarded<T> {}

impl<T> Guarded<T> {
    pub fn new(value: T) -> Self {
        Guarded(Lock::new(value))
    }

    /// The value, for the caller alone; `None` if somebody has it who waits for the interpreter.
    #[cfg(not(Py_GIL_DISABLED))]
    #[inline(always)]
    pub fn lend<'a>(&'a self, _: Python<'a>) -> Option<impl DerefMut<Target = T> + use<'a, T>> {
        self.0.try_borrow_mut().ok()
    }

    /// The same where threads run side by side, and wait for each other.
    #[cfg(Py_GIL_DISABLED)]
    pub fn lend<'a>(&'a self, _: Python<'a>) -> Option<impl DerefMut<Target = T> + use<'a, T>> {
        Some(self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }
}
