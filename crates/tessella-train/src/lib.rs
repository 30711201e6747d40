//! Training: a corpus becomes the description of a model.
//!
//! Reading order:
//!
//! 1. [`counts`]: texts to [`PieceCounts`], the artefact that every trainer learns from
//! 2. [`bpe`], [`wordpiece`], [`wordlevel`], [`unigram`]: counts to [`Trained`], which holds the
//!    plain-data description of a model
//! 3. [`again`]: what stays of a tokenizer whose model is trained anew
//! 4. [`progress`]: how a long job talks to its caller, and how it is stopped
//!
//! Every trainer gives the same bytes for the same counts, whatever the number of threads, shards or runs; every
//! tie has a written order.

#![deny(missing_docs)]

#[macro_use(refuse, refuse_if)]
extern crate tessella_core;

mod budget;
mod bytes;
mod characters;
mod outcome;
mod parallel;

pub mod progress;

// 1. Texts to counts.
pub mod counts;

// 2. Counts to a model.
pub mod bpe;
pub mod sentencepiece;
pub mod unigram;
pub mod wordlevel;
pub mod wordpiece;

// 3. Beside a tokenizer that is there.
pub mod again;

pub use budget::Budget;
pub use counts::{CountOptions, PieceCounts, Source, count_files, count_texts};
pub use outcome::{Ending, TrainReport, Trained};
pub use progress::{CancelFlag, Progress, Silent, Stage};
