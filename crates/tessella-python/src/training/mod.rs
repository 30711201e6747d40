//! Counting pieces and learning models.
//!
//! - `texts`: texts from Python's iterators
//! - `counting`: counts, and the pieces of texts into them
//! - `learning`: trainers, from their options to what they learn; `tracing`: their steps, told
//! - `progress`: how far it is

pub mod counting;
pub mod learning;
pub mod progress;
pub mod texts;
pub mod tracing;
