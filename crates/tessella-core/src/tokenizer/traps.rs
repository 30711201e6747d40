//! Words and texts in which an added token may stand, where such are looked for in normalized text.
//!
//! The words of a text are told before it is normalized as a whole, so an added token is not found there. But it has a part that
//! stands within one normalized word wherever the token stands, and each new word is looked through for these parts. A word with
//! one is a *trap*: [`UNCERTAIN`] stands in front of what it becomes. A text that has one is normalized and looked through for the
//! tokens: if it has any it goes the slow way, and otherwise its words tell. Where a text is only written in other characters, it
//! is looked through for the tokens, written so.

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
    /// The tokens as normalized text has them.
    contents: Vec<String>,
    whole: Option<ContentMatcher>,
    /// In order, each once.
    parts: Vec<String>,
    finders: Vec<Finder<'static>>,
    /// All at once, where they are many.
    matcher: Option<ContentMatcher>,
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
    fn of(mut parts: Vec<String>) -> Option<Traps> {
        parts.sort_unstable();
        parts.dedup();
        let (mut finders, mut matcher) = (Vec::new(), None);
        if parts.len() <= FEW {
            finders = parts.iter().map(|part| Finder::new(part).into_owned()).collect();
        } else {
            let contents: Vec<(String, ())> = parts.iter().map(|part| (part.clone(), ())).collect();
            matcher = Some(ContentMatcher::new(&contents).ok()?);
        }
        Some(Traps { parts, finders, matcher, ..Traps::default() })
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
        let contents: Vec<String> = added.normalized_contents().map(String::from).collect();
        let whole = contents.iter().map(|content| (content.clone(), ())).collect::<Vec<_>>();
        let whole = ContentMatcher::new(&whole).ok()?;
        Some(Traps { contents, whole: Some(whole), ..Self::of(parts)? })
    }

    /// The tokens themselves, as texts are written in which `from` stands for `to`.
    pub fn written(added: &AddedVocabulary, (from, to): (u8, char)) -> Option<Traps> {
        let from = char::from(from).to_string();
        Self::of(added.normalized_contents().map(|content| content.replace(to, &from)).collect())
    }

    /// The tokens as normalized text has them.
    pub fn contents(&self) -> &[String] {
        &self.contents
    }

    /// Whether no text is a trap.
    pub fn are_none(&self) -> bool {
        self.parts.is_empty()
    }

    /// Whether a normalized text has a token.
    pub fn has_token(&self, text: &str) -> bool {
        self.whole.as_ref().is_none_or(|whole| whole.find(text, 0).is_some())
    }

    /// Whether a normalized word, or several, may have a token in it, or a part of one.
    #[inline]
    pub fn are_in(&self, text: &str) -> bool {
        !self.are_none()
            && match &self.matcher {
                Some(matcher) => matcher.find(text, 0).is_some(),
                None => self.finders.iter().any(|part| part.find(text.as_bytes()).is_some()),
            }
    }
}
