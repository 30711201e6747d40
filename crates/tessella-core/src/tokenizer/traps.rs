//! Words and texts in which an added token may stand, where such are looked for in normalized text.
//!
//! The words of a text are told before it is normalized as a whole, so an added token is not found there. But it has a part that
//! stands within one normalized word wherever the token stands, and each new word is looked through for these parts. A word with
//! one is a *trap*: [`UNCERTAIN`] stands in front of what it becomes. A text that has one is normalized and looked through for the
//! tokens: if it has any it goes the slow way, and otherwise its words tell. Where a text is only written in other characters, it
//! is looked through for the tokens, written so.

use std::sync::OnceLock;

use memchr::memmem::Finder;

use super::parts::UNCERTAIN;
use crate::added::{AddedVocabulary, ContentMatcher};
use crate::model::Model;
use crate::pretokenize::Standing;

/// So many are looked for one by one.
const FEW: usize = 8;

/// Parts of added tokens, or whole ones.
#[derive(Debug, Default)]
pub(super) struct Traps {
    /// The tokens as normalized text has them, where they are known.
    contents: Option<Vec<String>>,
    whole: Together,
    /// In order, each once.
    parts: Vec<String>,
    finders: Vec<Finder<'static>>,
    /// All at once, where they are many.
    matcher: Together,
}

/// What looks for several contents at once, made when it is first asked: who adds tokens one by one makes new traps each time.
/// Nobody waits for another thread, which a process that was forked meanwhile would do for ever.
#[derive(Debug, Default)]
struct Together(OnceLock<Option<ContentMatcher>>);

impl Together {
    /// Whether a text has one of the contents, or nobody can tell.
    fn may_be_in(&self, text: &str, contents: &[String]) -> bool {
        let make = || {
            let contents = contents.iter().map(|content| (content.clone(), ())).collect();
            ContentMatcher::new(contents).ok()
        };
        let made = match self.0.get() {
            Some(made) => made,
            None => {
                let made = make();
                self.0.get_or_init(|| made)
            }
        };
        made.as_ref().is_none_or(|matcher| matcher.find(text, 0).is_some())
    }
}

impl PartialEq for Traps {
    fn eq(&self, other: &Traps) -> bool {
        self.contents == other.contents && self.parts == other.parts
    }
}

/// How few texts have a part of a token, roughly: long words are rarer than brackets, short ones are not.
fn rarity(part: &str) -> usize {
    match part.as_bytes() {
        b"." | b"," | b"'" | b"\"" | b"-" | b"!" | b"?" | b":" | b";" | b"(" | b")" | b"/" => 1,
        [byte] if byte.is_ascii_punctuation() => 5,
        bytes => bytes.len(),
    }
}

impl Traps {
    fn of(mut parts: Vec<String>) -> Traps {
        parts.sort_unstable();
        parts.dedup();
        let are_few = parts.len() <= FEW;
        let finders = parts.iter().filter(|_| are_few).map(|part| Finder::new(part).into_owned()).collect();
        Traps { parts, finders, ..Traps::default() }
    }

    /// One part of each token; `None` if one has none. `standing` says of a normalized character where it
    /// stands.
    pub fn new(added: &AddedVocabulary, model: &Model, standing: impl Fn(char) -> Standing) -> Option<Traps> {
        let mut parts = Vec::new();
        for content in added.normalized_contents() {
            // Within a word, or a word by itself: the one that the fewest texts have.
            let within = content.split(|c| standing(c) != Standing::Within);
            let alone = content.matches(|c| standing(c) == Standing::Alone);
            let rarest = within.chain(alone).filter(|part| !part.is_empty()).max_by_key(|part| rarity(part));
            parts.push(rarest?.to_string());
        }
        if !parts.is_empty() && model.id_to_token(UNCERTAIN).is_some() {
            return None;
        }
        let contents = added.normalized_contents().map(String::from).collect();
        Some(Traps { contents: Some(contents), ..Self::of(parts) })
    }

    /// The tokens themselves, as texts are written in which `from` stands for `to`.
    pub fn written(added: &AddedVocabulary, (from, to): (u8, char)) -> Traps {
        let from = char::from(from).to_string();
        Self::of(added.normalized_contents().map(|content| content.replace(to, &from)).collect())
    }

    /// The tokens as normalized text has them.
    pub fn contents(&self) -> &[String] {
        self.contents.as_deref().unwrap_or_default()
    }

    /// Whether no text is a trap.
    pub fn are_none(&self) -> bool {
        self.parts.is_empty()
    }

    /// Whether a normalized text has a token.
    pub fn has_token(&self, text: &str) -> bool {
        self.contents.as_deref().is_none_or(|contents| self.whole.may_be_in(text, contents))
    }

    /// Whether a normalized word, or several, may have a token in it, or a part of one.
    #[inline]
    pub fn are_in(&self, text: &str) -> bool {
        !self.are_none()
            && match &*self.finders {
                [] => self.matcher.may_be_in(text, &self.parts),
                finders => finders.iter().any(|part| part.find(text.as_bytes()).is_some()),
            }
    }
}
