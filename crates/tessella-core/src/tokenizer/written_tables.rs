//! What all workers share to write texts as a Unigram model reads them ([`written_words`](super::written_words)).

use std::sync::OnceLock;

use super::writings::Writings;
use crate::ids::TokenId;
use crate::lanes::{Blanks, Boundaries, Strangers};

/// Made when there was much text of that kind.
#[derive(Debug, Default)]
pub(super) struct Writing(OnceLock<Option<Box<Tables>>>);

#[derive(Debug)]
pub(super) struct Tables {
    pub boundaries: Boundaries,
    pub told: Told,
    /// The same where places are asked for, if these are told.
    pub placed: OnceLock<Option<Box<Told>>>,
    pub unk: TokenId,
    /// What stands for characters that no entry has.
    pub strangers: Option<Strangers>,
    /// Whether some of these are written as one although they become several.
    pub are_joined: bool,
}

/// What is known of characters.
#[derive(Debug)]
pub(super) struct Told {
    pub blanks: Blanks,
    /// What those become that the writer does not tell.
    pub writings: Writings,
}

impl Writing {
    /// If they are there, or it pays. Whoever asks first makes them, and who asks at the same time makes the same, so that none waits for
    /// another.
    pub fn get(&self, pays: bool, make: impl FnOnce() -> Option<Tables>) -> Option<&Tables> {
        if pays && self.0.get().is_none() {
            let _ = self.0.set(make().map(Box::new));
        }
        self.0.get()?.as_deref()
    }
}

impl Tables {
    /// Whether a written word may be something else than what it was written for.
    pub fn is_open(&self, word: &[u8]) -> bool {
        let has = |Strangers { usual, last }| word.iter().any(|&byte| byte == usual || byte == last);
        self.are_joined && self.strangers.is_some_and(has)
    }
}
