//! Texts in portions: what is counted at a time.
//!
//! Whoever hands texts over one by one has them put together here; a file's lines come together as they lie in it. A large
//! text is never copied: it is a portion of its own.

use tessella_core::{Portion, Result};
use tessella_formats::corpus::Corpus;

/// Texts of one portion: about this many bytes, or this many texts.
pub(super) const BYTES: usize = 1 << 18;
const TEXTS: usize = 1 << 14;

/// Texts, read in portions.
pub(super) struct Portions<I, S> {
    texts: I,
    /// A large text, which begins the next portion.
    held: Option<S>,
    /// Adds many texts, where that costs less than one by one.
    at_hand: fn(&mut I, &mut Portion) -> Result<()>,
}

impl<S: AsRef<str> + Into<String>, I: Iterator<Item = Result<S>>> Portions<I, S> {
    pub(super) fn new(texts: I) -> Self {
        Portions { texts, held: None, at_hand: |_, _| Ok(()) }
    }

    /// The next portion, in the place of the one before; nothing where there are no more texts.
    pub(super) fn read(&mut self, portion: &mut Portion) -> Result<bool> {
        portion.clear();
        if let Some(text) = self.held.take() {
            portion.take(text.into());
        }
        while portion.bytes() < BYTES && portion.len() < TEXTS {
            let before = portion.len();
            (self.at_hand)(&mut self.texts, portion)?;
            if portion.len() > before {
                continue;
            }
            match self.texts.next().transpose()? {
                None => break,
                Some(text) if text.as_ref().len() < BYTES => portion.push(text.as_ref()),
                Some(text) if portion.is_empty() => portion.take(text.into()),
                Some(text) => {
                    self.held = Some(text);
                    break;
                }
            }
        }
        Ok(!portion.is_empty())
    }
}

impl Portions<Corpus, String> {
    /// The texts of files.
    pub(super) fn of_files(corpus: Corpus) -> Self {
        Portions { at_hand: Corpus::at_hand, ..Self::new(corpus) }
    }
}
