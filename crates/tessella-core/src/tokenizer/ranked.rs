//! A table of ranks as those see it who read it with a pattern: tokens are bytes, and an id stands for its bytes wherever it is.
//!
//! A [`Ranked`] has a byte-level tokenizer for all that is text, and tells besides what this one has no word for: the ids of bytes that
//! are no text, what the ids of *further* tokens stand for, which the tokenizer does not find in texts, whether an id is none, and
//! what a text may still become (`ways`). Its tables are made when they are first asked for.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use super::{DecodeRoom, Joined, Tokenizer};
use crate::added::ContentMatcher as Matcher;
use crate::decode::Table;
use crate::error::{Error, Result};
use crate::ids::TokenId;
use crate::model::Model;
use crate::model::bpe::{Alphabet, Bpe};
use crate::pretokenize::byte_alphabet::append_bytes;
use crate::spec::ModelSpec;

mod ways;

const BITS: usize = u64::BITS as usize;

/// A table of ranks and further tokens.
#[derive(Debug)]
pub struct Ranked {
    tokenizer: Tokenizer,
    bpe: Arc<Bpe>,
    /// Tokens beside the table, and what they stand for.
    further: Vec<(TokenId, Box<[u8]>)>,
    /// Texts that are not to be read as ordinary ones.
    names: Vec<(String, ())>,
    meanings: OnceLock<Meanings>,
    /// The ids of the table in order of their bytes.
    sorted: OnceLock<Vec<TokenId>>,
    matcher: OnceLock<Option<Matcher>>,
}

/// What ids stand for.
#[derive(Debug)]
enum Meanings {
    Table(Table, Known),
    /// Where ids are far apart.
    Sparse(HashMap<TokenId, Box<[u8]>>),
}

/// Which ids there are, a bit for each.
#[derive(Debug, Default)]
struct Known(Vec<u64>);

impl Known {
    fn set(&mut self, id: TokenId) {
        let place = id as usize / BITS;
        if self.0.len() <= place {
            self.0.resize(place + 1, 0);
        }
        self.0[place] |= 1 << (id as usize % BITS);
    }

    #[inline]
    fn has(&self, id: TokenId) -> bool {
        self.0.get(id as usize / BITS).is_some_and(|bits| bits >> (id as usize % BITS) & 1 != 0)
    }
}

impl Ranked {
    /// Of a tokenizer that reads bytes by their ranks. `further` are tokens beside the table, whose ids give way to the table's;
    /// `names` are texts to look for.
    pub fn new(tokenizer: Tokenizer, further: Vec<(TokenId, Box<[u8]>)>, names: Vec<String>) -> Result<Self> {
        let bpe = match tokenizer.model() {
            Model::Bpe(bpe) if bpe.alphabet() == Alphabet::Whole && bpe.is_deterministic() => bpe.clone(),
            _ => return Err(Error::unsupported("only a byte-level BPE model has a table of ranks")),
        };
        Ok(Ranked {
            tokenizer,
            bpe,
            further,
            names: names.into_iter().map(|name| (name, ())).collect(),
            meanings: OnceLock::new(),
            sorted: OnceLock::new(),
            matcher: OnceLock::new(),
        })
    }

    /// What texts are encoded with.
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// Whether one of the names is in a text.
    pub fn names_any(&self, text: &str) -> bool {
        let matcher = self.matcher.get_or_init(|| {
            let names = &self.names;
            (!names.is_empty()).then(|| Matcher::new(names.clone()).ok()).flatten()
        });
        match matcher {
            Some(matcher) => matcher.find(text, 0).is_some(),
            // Too many for a matcher: each by itself.
            None => self.names.iter().any(|(name, ())| text.contains(name.as_str())),
        }
    }

    /// Appends the ids of bytes that nothing cuts.
    pub fn append_piece(&self, piece: &[u8], out: &mut Vec<TokenId>) -> Result<()> {
        self.tokenizer.inner.workers.with(|worker| worker.bytes_ids(&self.bpe, true, piece, out))
    }

    /// What an id stands for; `None` if there is no such id.
    pub fn bytes_of(&self, id: TokenId) -> Option<&[u8]> {
        match self.meanings() {
            Meanings::Table(table, known) => known.has(id).then(|| table.own_bytes(id, false)).flatten(),
            Meanings::Sparse(bytes) => bytes.get(&id).map(|bytes| &**bytes),
        }
    }

    /// What ids join to, in room that the caller keeps; `None` if one of them is none. `pause` is called now and then, for as long
    /// as it gives no error.
    pub fn join<'r>(
        &self,
        ids: &[TokenId],
        room: &'r mut DecodeRoom,
        pause: impl FnMut() -> Result<()>,
    ) -> Result<Option<Joined<'r>>> {
        room.bytes.clear();
        match self.meanings() {
            Meanings::Table(table, known) => {
                if !ids.iter().all(|&id| known.has(id))
                    || !table.append(ids, false, &mut room.bytes, pause)?
                {
                    return Ok(None);
                }
            }
            Meanings::Sparse(bytes) => {
                for id in ids {
                    match bytes.get(id) {
                        Some(bytes) => room.bytes.push(bytes)?,
                        None => return Ok(None),
                    }
                }
            }
        }
        Ok(Some(room.joined(true)))
    }

    /// Of ids that join to a text, the character in which each starts; `None` if an id is none or stands for nothing.
    pub fn starts(&self, ids: &[TokenId]) -> Option<Vec<usize>> {
        let goes_on = |byte: &u8| byte & 0xC0 == 0x80;
        let mut characters = 0;
        let starts = ids.iter().map(|&id| {
            let bytes = self.bytes_of(id)?;
            let start = characters - usize::from(goes_on(bytes.first()?));
            characters += bytes.iter().filter(|byte| !goes_on(byte)).count();
            Some(start)
        });
        starts.collect()
    }

    fn meanings(&self) -> &Meanings {
        self.meanings.get_or_init(|| {
            let further = self.further.iter().map(|(id, bytes)| (*id, &**bytes));
            let (mut arena, mut places) = (Vec::new(), Vec::new());
            self.for_each_token(|id, bytes| {
                let start = arena.len();
                arena.extend_from_slice(bytes);
                places.push((id, start..arena.len()));
            });
            let tokens = || further.clone().chain(places.iter().map(|(id, at)| (*id, &arena[at.clone()])));
            let mut known = Known::default();
            match Table::of_bytes(tokens()) {
                Some(table) => {
                    tokens().for_each(|(id, _)| known.set(id));
                    Meanings::Table(table, known)
                }
                None => Meanings::Sparse(tokens().map(|(id, bytes)| (id, bytes.into())).collect()),
            }
        })
    }

    /// The tokens of the table.
    fn for_each_token(&self, mut each: impl FnMut(TokenId, &[u8])) {
        let ModelSpec::Bpe(spec) = &self.tokenizer.spec().model else { return };
        let mut bytes = Vec::new();
        for (text, id) in spec.vocab.iter() {
            bytes.clear();
            // What is not written in the alphabet stands for no bytes.
            if append_bytes(text, &mut bytes) {
                each(id, &bytes);
            }
        }
    }
}
