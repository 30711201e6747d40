//! The whole: a tokenizer in Python's hands.
//!
//! - `state`: the engine's tokenizer with the components that it was built from, swapped when one changes
//! - `face`: all that it is asked; `call`: what the caller of one encoding chose
//! - `decoding`: ids to Python's texts; `quick`: decoding short lists, and questions about one token
//! - `description`: what a tokenizer is made from
//! - `listed`: tokens and ids by the list; `ranked`: what a table of ranks is asked beside that
//! - `explaining`, `comparing`: looking inside, and at two side by side

pub mod call;
pub mod comparing;
pub mod decoding;
pub mod description;
pub mod explaining;
pub mod face;
pub mod listed;
pub mod quick;
pub mod ranked;
pub mod state;

pub use call::{ids_options, threads};
pub use description::Description;
pub use face::Tokenizer;
