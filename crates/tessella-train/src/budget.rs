//! A vocabulary that is too small for what it must hold before anything is learned.

use std::fmt;

use tessella_core::{Error, ErrorKind};

/// Too few entries. It is the source of the error that tells it, for callers who count other entries too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Entries asked for.
    pub size: usize,
    /// Entries needed.
    pub needed: usize,
    /// What they are for.
    pub(crate) must: Must,
}

/// What a vocabulary must hold, in entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Must {
    Alphabet { initial: usize, specials: usize, alphabet: usize },
    Forced { before: usize, forced: usize },
    Characters { specials: usize, characters: usize },
}

impl Budget {
    /// Whether it is the forced tokens that do not fit.
    pub fn is_forced(&self) -> bool {
        matches!(self.must, Must::Forced { .. })
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Budget { size, needed, .. } = self;
        match self.must {
            Must::Alphabet { initial, specials, alphabet } => {
                let initial = if initial == 0 { String::new() } else { format!("{initial} initial + ") };
                write!(
                    f,
                    "a vocabulary of {size} cannot hold what it must hold: {initial}{specials} special tokens + \
                     {alphabet} characters of the alphabet = {needed}, before any merge. Ask for {needed} or more, \
                     set limit_alphabet, or strict_budget to false to keep them all and learn nothing"
                )
            }
            Must::Forced { before, forced } => write!(
                f,
                "a vocabulary of {size} cannot hold the forced tokens: they and their parts are {forced} entries \
                 beside {before} of special tokens and alphabet = {needed}. Ask for {needed} or more, or force fewer"
            ),
            Must::Characters { specials, characters } => write!(
                f,
                "a vocabulary of {size} is not large enough to contain all characters: {specials} special tokens + \
                 {characters} characters = {needed}, before any longer entry. Ask for {needed} or more, or normalise \
                 the text to fewer characters"
            ),
        }
    }
}

impl std::error::Error for Budget {}

impl From<Budget> for Error {
    fn from(budget: Budget) -> Self {
        Error::new(ErrorKind::Train, budget.to_string()).caused_by(budget)
    }
}
