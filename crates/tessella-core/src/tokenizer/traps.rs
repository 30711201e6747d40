//! Words and texts in which an added token may stand, where such are looked for in normalized text.
//!
//! The words of a text are told before it is normalized as a whole, so an added token is not found there. But it has a part that
//! stands within one normalized word wherever the token stands, and each new word is looked through for these parts. A word with
//! one is a *trap*: its only id is [`UNCERTAIN`], and a text that has it goes the slow way, which looks for the tokens. Where a text
//! is only written in other characters, it is looked through for the tokens, written so.

use memchr::memmem::Finder;

use super::parts::UNCERTAIN;
use crate::added::AddedVocabulary;
use crate::model::Model;
use crate::pretokenize::Standing;

/// With more tokens, words would be looked through for too long.
const MOST: usize = 32;
/// The same of whole texts.
const MOST_IN_TEXTS: usize = 8;

/// Parts of added tokens.
#[derive(Debug, Default)]
pub(super) struct Traps(Vec<Finder<'static>>);

impl PartialEq for Traps {
    fn eq(&self, other: &Traps) -> bool {
        self.0.iter().map(Finder::needle).eq(other.0.iter().map(Finder::needle))
    }
}

impl Traps {
    /// One part of each token; `None` if one has none, or they are many. `standing` says of a normalized character where it
    /// stands.
    pub fn new(added: &AddedVocabulary, model: &Model, standing: impl Fn(char) -> Standing) -> Option<Traps> {
        let mut parts: Vec<&str> = Vec::new();
        for content in added.normalized_contents() {
            // Within a word, and else one that is a word by itself: then all texts with that character are meant.
            let within = content.split(|c| standing(c) != Standing::Within).max_by_key(|part| part.len());
            let alone = || content.matches(|c| standing(c) == Standing::Alone).next();
            parts.push(within.filter(|part| !part.is_empty()).or_else(alone)?);
        }
        parts.sort_unstable();
        parts.dedup();
        let tells = parts.is_empty() || model.id_to_token(UNCERTAIN).is_none() && parts.len() <= MOST;
        tells.then(|| Traps(parts.iter().map(|part| Finder::new(part).into_owned()).collect()))
    }

    /// The tokens themselves as texts are written in which `from` stands for `to`; `None` if they are many.
    pub fn written(added: &AddedVocabulary, (from, to): (u8, char)) -> Option<Traps> {
        let mut contents: Vec<String> = added
            .normalized_contents()
            .map(|content| content.replace(to, &char::from(from).to_string()))
            .collect();
        contents.sort_unstable();
        let finders = contents.iter().map(|content| Finder::new(content).into_owned());
        (contents.len() <= MOST_IN_TEXTS).then(|| Traps(finders.collect()))
    }

    /// Whether no text is a trap.
    pub fn are_none(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a normalized word, or several, may have a token in it, or a part of one.
    #[inline]
    pub fn are_in(&self, text: &str) -> bool {
        !self.are_none() && self.0.iter().any(|part| part.find(text.as_bytes()).is_some())
    }
}
