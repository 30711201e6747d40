//! The engine's errors as Python exceptions.
//!
//! The classes live in `tessella.errors`; the kind of an error decides which one is raised. What a user's own
//! component raised travels through the engine inside the error and comes out as the cause.

use pyo3::exceptions::{
    PyException, PyFileNotFoundError, PyIsADirectoryError, PyKeyboardInterrupt, PyMemoryError, PyOSError,
    PyPermissionError,
};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyModule;
use tessella_core::{Error, ErrorKind};

static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();

fn class_of(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Value => "ArgumentError",
        ErrorKind::Format => "FormatError",
        ErrorKind::Regex => "RegexError",
        ErrorKind::Model => "ModelError",
        ErrorKind::Encode => "EncodeError",
        ErrorKind::Decode => "DecodeError",
        ErrorKind::Truncation => "TruncationError",
        ErrorKind::Unsupported => "UnsupportedError",
        ErrorKind::Train => "TrainError",
        ErrorKind::Custom => "CustomComponentError",
        _ => "TessellaError",
    }
}

/// An exception of the class `name` in `tessella.errors`.
pub fn new(py: Python<'_>, name: &str, message: &str) -> PyErr {
    let build = || -> PyResult<PyErr> {
        let module = MODULE.get_or_try_init(py, || py.import("tessella.errors").map(Bound::unbind))?;
        Ok(PyErr::from_value(module.bind(py).getattr(name)?.call1((message,))?))
    };
    build().unwrap_or_else(|error| error)
}

/// An argument outside of what is allowed.
pub fn argument(message: impl AsRef<str>) -> PyErr {
    Python::attach(|py| new(py, "ArgumentError", message.as_ref()))
}

/// The exception for an engine error.
pub fn raise(error: Error) -> PyErr {
    Python::attach(|py| raise_in(py, error))
}

fn raise_in(py: Python<'_>, error: Error) -> PyErr {
    let kind = error.kind();
    let message = error.to_string();
    match kind {
        // What a signal handler raised, if one of Python's own did.
        ErrorKind::Interrupted => match error.into_source().map(|source| source.downcast::<PyErr>()) {
            Some(Ok(original)) => *original,
            _ => PyKeyboardInterrupt::new_err(()),
        },
        ErrorKind::Memory => PyMemoryError::new_err(message),
        ErrorKind::Io => {
            let path = error.location().map(str::to_string);
            match error.into_source().map(|source| source.downcast::<std::io::Error>()) {
                Some(Ok(io)) => io_error(&io, message, path),
                _ => PyOSError::new_err(message),
            }
        }
        ErrorKind::Custom => match error.into_source().map(|source| source.downcast::<PyErr>()) {
            Some(Ok(original)) => wrap_custom(py, *original),
            _ => new(py, class_of(kind), &message),
        },
        ErrorKind::Train => train_error(py, error, &message),
        _ => new(py, class_of(kind), &message),
    }
}

/// Where a vocabulary is too small, the exception has the numbers.
fn train_error(py: Python<'_>, error: Error, message: &str) -> PyErr {
    let raised = new(py, class_of(ErrorKind::Train), message);
    if let Some(Ok(budget)) = error.into_source().map(|source| source.downcast::<tessella_train::Budget>()) {
        let value = raised.value(py);
        let told = value
            .setattr("vocab_size", budget.size)
            .and_then(|()| value.setattr("needed", budget.needed))
            .and_then(|()| value.setattr("is_forced", budget.is_forced()));
        if let Err(error) = told {
            return error;
        }
    }
    raised
}

/// A missing file is a `FileNotFoundError` with its `errno`, and so on; where the error says at which path, the
/// exception has it as its `filename`.
fn io_error(io: &std::io::Error, message: String, path: Option<String>) -> PyErr {
    let Some(errno) = io.raw_os_error() else { return refused(io.kind(), message) };
    match path {
        Some(path) => {
            let reason = io.to_string();
            let reason = reason.split(" (os error").next().unwrap_or_default().to_string();
            PyOSError::new_err((errno, reason, path))
        }
        None => PyOSError::new_err((errno, message)),
    }
}

/// What we refuse ourselves, as the exception that a system's refusal would be.
fn refused(kind: std::io::ErrorKind, message: String) -> PyErr {
    match kind {
        std::io::ErrorKind::NotFound => PyFileNotFoundError::new_err(message),
        std::io::ErrorKind::PermissionDenied => PyPermissionError::new_err(message),
        std::io::ErrorKind::IsADirectory => PyIsADirectoryError::new_err(message),
        _ => PyOSError::new_err(message),
    }
}

/// What a user's component raised, named, with the original as its cause. Things that are not `Exception`s
/// (a keyboard interrupt, an exit) pass through untouched.
fn wrap_custom(py: Python<'_>, original: PyErr) -> PyErr {
    if !original.is_instance_of::<PyException>(py) {
        return original;
    }
    let name = original.get_type(py).name().map(|name| name.to_string()).unwrap_or_default();
    let error = new(py, "CustomComponentError", &format!("{name}: {}", original.value(py)));
    error.set_cause(py, Some(original));
    error
}

/// Turns what Python raised inside a component into an engine error.
pub fn from_python(error: PyErr) -> Error {
    Error::new(ErrorKind::Custom, "a component written in Python raised").caused_by(error)
}

/// Shorthand for `map_err(raise)`.
pub trait OrRaise<T> {
    fn or_raise(self) -> PyResult<T>;
}

impl<T> OrRaise<T> for tessella_core::Result<T> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(raise)
    }
}
