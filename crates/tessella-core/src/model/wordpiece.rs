//! The WordPiece model: the longest entry that begins the word, then the longest continuation of what is
//! left, and so on. If nothing fits somewhere, the whole word is one unknown token.
//!
//! A continuation is an entry that begins with the prefix (`##`). The vocabulary becomes two byte
//! tries: all entries as they are, for the beginning of a word (so a word that itself begins with `##` is
//! looked up like any other), and the continuations without their prefix. Entries are valid UTF-8, so a match
//! that starts at a character boundary ends at one.
//!
//! Cost: a word of n bytes takes at most n times the longest entry's length, and close to n in practice: a walk
//! rarely goes past the end of the match. Nothing is allocated.

use std::sync::Arc;

use super::wordlevel::missing_unknown;
use crate::error::{Error, Result};
use crate::flat::{Arrays, Shelf};
use crate::ids::{PieceToken, TokenId};
use crate::spec::{Vocab, WordPieceSpec};
use crate::trie::Trie;

/// A compiled WordPiece model.
#[derive(Debug)]
pub struct WordPiece {
    vocab: Arc<Vocab>,
    unk_token: String,
    /// Missing only matters once a word is unknown.
    unk_id: Option<TokenId>,
    max_chars: usize,
    /// Both tries give the position of the entry in the vocabulary.
    initial: Trie,
    continuation: Trie,
    /// The id of each entry, unless it is the position itself, as in every vocabulary read from lines.
    ids: Option<Vec<TokenId>>,
}

impl WordPiece {
    pub fn new(spec: &WordPieceSpec) -> Result<Self> {
        let prefix = spec.continuing_subword_prefix.as_str();
        let entries = || (0u32..).zip(spec.vocab.iter().map(|(text, _)| text));
        let whole = entries().map(|(at, text)| (text.as_bytes(), at)).collect();
        let rests = entries().filter_map(|(at, text)| Some((text.strip_prefix(prefix)?.as_bytes(), at)));
        Ok(Self::with_tries(spec, Trie::build(whole)?, Trie::build(rests.collect())?))
    }

    /// Puts the tries down.
    pub fn put(&self, arrays: &mut Arrays) {
        self.initial.put(arrays);
        self.continuation.put(arrays);
    }

    /// The model of the same description with the tries that were put down.
    pub fn take(spec: &WordPieceSpec, shelf: &mut Shelf) -> Result<Self> {
        let entries = spec.vocab.len();
        Ok(Self::with_tries(spec, Trie::take(shelf, entries)?, Trie::take(shelf, entries)?))
    }

    fn with_tries(spec: &WordPieceSpec, initial: Trie, continuation: Trie) -> Self {
        let in_order = spec.vocab.ids().iter().zip(0u32..).all(|(&id, at)| at == id);
        WordPiece {
            vocab: Arc::clone(&spec.vocab),
            unk_token: spec.unk_token.clone(),
            unk_id: spec.vocab.id(&spec.unk_token),
            max_chars: spec.max_input_chars_per_word,
            initial,
            continuation,
            ids: (!in_order).then(|| spec.vocab.ids().to_vec()),
        }
    }

    /// Appends the tokens of one word. Fails if the word is unknown and so is the unknown token.
    pub fn tokenize(&self, piece: &str, out: &mut Vec<PieceToken>) -> Result<()> {
        if piece.len() > self.max_chars && piece.chars().count() > self.max_chars {
            return self.unknown(piece, out);
        }
        let bytes = piece.as_bytes();
        let first = out.len();
        let mut start = 0;
        let mut trie = &self.initial;
        while start < bytes.len() {
            let Some((length, entry)) = trie.longest_prefix(&bytes[start..]) else {
                out.truncate(first);
                return self.unknown(piece, out);
            };
            let id = self.ids.as_ref().map_or(entry, |ids| ids[entry as usize]);
            out.push(PieceToken::new(id, start, start + length));
            start += length;
            trie = &self.continuation;
        }
        Ok(())
    }

    fn unknown(&self, piece: &str, out: &mut Vec<PieceToken>) -> Result<()> {
        let Some(id) = self.unk_id else {
            return Err(missing_unknown("WordPiece", &self.unk_token));
        };
        if piece.len() > u32::MAX as usize {
            return Err(Error::value(format!("a word of {} bytes is too long: at most 4 GiB", piece.len())));
        }
        out.push(PieceToken::new(id, 0, piece.len()));
        Ok(())
    }

    /// All ids are below.
    pub fn id_bound(&self) -> usize {
        self.vocab.id_bound()
    }

    pub fn token_to_id(&self, token: &str) -> Option<TokenId> {
        self.vocab.id(token)
    }

    pub fn id_to_token(&self, id: TokenId) -> Option<&str> {
        self.vocab.text(id)
    }
}

#[cfg(test)]
mod tests;
