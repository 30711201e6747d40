//! The one public error of the workspace.
//!
//! A message names the thing, the value found, what was expected and the next step. Callers branch on
//! [`ErrorKind`]; the text is for people.

use std::fmt;

/// What may go wrong here does so as an [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong, coarse enough to branch on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An argument or option outside of what is allowed.
    Value,
    /// A file or buffer that is not what it claims to be.
    Format,
    /// A regular expression that cannot be compiled, or that gave up while running.
    Regex,
    /// The tokenizer's parts do not fit together (a missing unknown token, a merge out of vocabulary).
    Model,
    /// Text that a model cannot encode under its settings.
    Encode,
    /// Ids that cannot be decoded.
    Decode,
    /// Truncation that cannot be satisfied.
    Truncation,
    /// Something that the target format cannot express.
    Unsupported,
    /// Training that cannot go on.
    Train,
    /// Reading or writing failed.
    Io,
    /// There is no memory for the result.
    Memory,
    /// The caller asked to stop.
    Interrupted,
    /// A user's own component raised; the binding keeps the original exception.
    Custom,
}

/// An error with its kind, its message and, for files, where it happened.
pub struct Error {
    kind: ErrorKind,
    message: String,
    /// JSON path, line or byte offset, e.g. `$.model.vocab[3]` or `byte 1042`.
    location: Option<String>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// An error of a kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error { kind, message: message.into(), location: None, source: None }
    }

    /// An argument that cannot be.
    pub fn value(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Value, message)
    }

    /// Data that breaks the rules of its format.
    pub fn format(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Format, message)
    }

    /// A model that contradicts itself.
    pub fn model(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Model, message)
    }

    /// What is right but cannot be done here.
    pub fn unsupported(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unsupported, message)
    }

    /// The caller's wish to stop, which was heeded.
    pub fn interrupted() -> Self {
        Self::new(ErrorKind::Interrupted, "interrupted")
    }

    /// Where it happened; an outer location goes in front of an inner one.
    pub fn at(mut self, location: impl Into<String>) -> Self {
        let outer = location.into();
        self.location = Some(match self.location.take() {
            Some(inner) => format!("{outer}: {inner}"),
            None => outer,
        });
        self
    }

    /// Keeps the error below, for who wants to look at it.
    pub fn caused_by(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// What callers branch on.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What went wrong, without the place.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Where: a path in a document, a line, a byte, a file.
    pub fn location(&self) -> Option<&str> {
        self.location.as_deref()
    }

    /// Takes the underlying error out, so that a binding can raise the original exception again.
    pub fn into_source(self) -> Option<Box<dyn std::error::Error + Send + Sync>> {
        self.source
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.location {
            Some(location) => write!(f, "{} (at {location})", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.kind)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|e| e as &(dyn std::error::Error + 'static))
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        // What ended a wait comes through a writer.
        match error.downcast::<Error>() {
            Ok(ended) => ended,
            Err(error) => Error::new(ErrorKind::Io, error.to_string()).caused_by(error),
        }
    }
}

/// Leaves with an error of a kind, whose message is written as by `format!`.
#[macro_export]
macro_rules! refuse {
    ($kind:ident, $($message:tt)+) => {
        return Err($crate::Error::new($crate::ErrorKind::$kind, format!($($message)+)))
    };
}

/// The same where something holds that must not.
#[macro_export]
macro_rules! refuse_if {
    ($wrong:expr, $kind:ident, $($message:tt)+) => {
        if $wrong {
            $crate::refuse!($kind, $($message)+);
        }
    };
}

/// A text for an error message: control characters escaped, the middle of a long one left out.
pub fn excerpt(text: &str) -> String {
    const SHOWN: usize = 60;
    let escaped = |part: String| part.chars().flat_map(char::escape_debug).collect::<String>();
    let chars = text.chars().count();
    if chars <= SHOWN {
        return escaped(text.to_string());
    }
    let head: String = text.chars().take(SHOWN / 2).collect();
    format!("{}… ({chars} characters)", escaped(head))
}
