//! The growing vocabulary of a BPE training: texts and ids, both ways.

use tessella_core::Result;
use tessella_core::spec::Vocab;

use super::symbols::ID_LIMIT;

/// Bytes for one token of the usual length, with its share of the tables.
pub(crate) const TOKEN: usize = 32;

/// Ids are handed out in order: 0, 1, 2, …
#[derive(Debug, Clone, Default)]
pub(crate) struct Tokens {
    vocab: Vocab,
}

impl Tokens {
    pub(crate) fn len(&self) -> usize {
        self.vocab.len()
    }

    /// Bytes in use.
    pub(crate) fn memory(&self) -> usize {
        self.vocab.memory()
    }

    /// Empty if there is no such token.
    pub(crate) fn text(&self, id: u32) -> &str {
        self.vocab.text(id).unwrap_or("")
    }

    pub(crate) fn id(&self, text: &str) -> Option<u32> {
        self.vocab.id(text)
    }

    /// The id of a text, a new one if the text is new; and whether it is new.
    pub(crate) fn insert(&mut self, text: &str) -> Result<(u32, bool)> {
        if let Some(id) = self.id(text) {
            return Ok((id, false));
        }
        let id = self.vocab.len() as u32;
        refuse_if!(id >= ID_LIMIT.min(1 << 28), Train, "a vocabulary holds at most {} tokens", 1 << 28);
        self.vocab.insert(text, id)?;
        Ok((id, true))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, u32)> + '_ {
        self.vocab.iter()
    }

    pub(crate) fn into_vocab(self) -> Vocab {
        self.vocab
    }
}
