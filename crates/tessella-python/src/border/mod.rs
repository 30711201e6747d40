//! What crosses the border, in both directions.
//!
//! - `values`, `inputs`, `options`: from Python, checked; `place` is where in the arguments something stands
//! - `texts`: many texts, as UTF-8 where they lie or written side by side; `lately`: which of them came before; `recurring`: Python's texts
//!   of tokens, one table for all vocabularies; `token_texts`: a table for each that has its own
//! - `arrays`: to NumPy without a copy; `interpreter`: lists of integers, text of bytes and
//!   methods called for each id, quickly
//! - `errors`: errors of the engine as the package's exceptions
//! - `interrupt`: letting go of the interpreter, and Ctrl-C; `limits`: what one text may cost

pub mod arrays;
pub mod errors;
pub mod inputs;
pub mod interpreter;
pub mod interrupt;
pub mod lately;
pub mod limits;
pub mod options;
pub mod place;
pub mod recurring;
pub mod texts;
pub mod token_texts;
pub mod values;
