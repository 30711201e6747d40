//! What Python hears of a training while it runs, and what it may forbid.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tessella_core::Result;
use tessella_core::pattern::Matcher;
use tessella_core::spec::{Dialect, Pattern};
use tessella_train::Ending;
use tessella_train::bpe::{MergeFilter, TraceOptions, TracePair, TraceStep};
use tessella_train::unigram::UnigramStep;

use crate::border::errors::{OrRaise, from_python};
use crate::components::regex::Regex;

/// A function of Python that hears of every step: its kind, and what there is to tell.
#[derive(FromPyObject)]
pub struct Listener(Py<PyAny>, usize, usize);

/// Left, right, count, score.
type Pair = (String, String, u64, Option<f64>);

fn pair(pair: TracePair) -> Pair {
    (pair.left, pair.right, pair.count, pair.score)
}

impl Listener {
    /// How much each step tells. The second number of the listener is the largest corpus that is told.
    pub fn options(&self) -> TraceOptions {
        TraceOptions { corpus_up_to: self.1 }
    }

    fn tell<A>(&self, kind: &str, told: A) -> Result<()>
    where
        A: for<'py> IntoPyObject<'py, Target = PyTuple, Error = PyErr>,
    {
        Python::attach(|py| self.0.call1(py, (kind, told)).map(drop)).map_err(from_python)
    }

    pub fn merged(&self, step: TraceStep) -> Result<()> {
        let sizes = (step.vocab_size, step.distinct_symbols, step.symbols);
        self.tell("merge", (pair(step.pair), step.merged, step.runner_up.map(pair), sizes, step.corpus))
    }

    pub fn estimated(&self, step: UnigramStep) -> Result<()> {
        match step {
            UnigramStep::Estimated { entries, loss } => self.tell("estimate", (entries, loss)),
            UnigramStep::Pruned { entries, mut dropped } => {
                let number = dropped.len();
                dropped.truncate(self.2);
                self.tell("prune", (entries, number, dropped))
            }
        }
    }

    pub fn ended(&self, ending: Ending) -> Result<()> {
        self.tell("end", (ending.explain(),))
    }
}

/// Merges are made if the whole new token matches.
#[derive(Debug)]
struct Matching {
    matcher: Matcher,
    source: String,
}

impl MergeFilter for Matching {
    fn allows(&self, _left: &str, _right: &str, merged: &str, _count: u64) -> Result<bool> {
        let mut found = false;
        self.matcher.for_each(merged, &mut |_| found = true)?;
        Ok(found)
    }

    fn name(&self) -> String {
        self.source.clone()
    }
}

/// Merges are made if a function of Python says so.
#[derive(Debug)]
struct Asking(Py<PyAny>);

impl MergeFilter for Asking {
    fn allows(&self, left: &str, right: &str, merged: &str, count: u64) -> Result<bool> {
        Python::attach(|py| self.0.call1(py, (left, right, merged, count))?.is_truthy(py))
            .map_err(from_python)
    }
}

/// A filter from a `Regex`, a function, or `None`.
pub fn filter(value: &Bound<'_, PyAny>) -> PyResult<Option<Arc<dyn MergeFilter>>> {
    if value.is_none() {
        return Ok(None);
    }
    Ok(Some(match value.cast::<Regex>() {
        Ok(regex) => {
            let source = format!(r"\A(?:{})\z", regex.get().source);
            let pattern = Pattern::Regex { source: source.clone(), dialect: Dialect::Oniguruma };
            Arc::new(Matching { matcher: Matcher::new(&pattern).or_raise()?, source })
        }
        Err(_) => Arc::new(Asking(value.clone().unbind())),
    }))
}
