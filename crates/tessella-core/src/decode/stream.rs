//! Decoding ids as they arrive, e.g. from a model that generates them one by one.
//!
//! A token's text depends on its neighbours (a character may be spread over several tokens, a space may
//! vanish at the start of a text), so the stream decodes a short window of ids: the *prefix*, whose text is
//! already out, and what came since. Text is held back while it ends in an incomplete character.

use crate::error::{Error, ErrorKind, Result};
use crate::ids::TokenId;

/// Ids of one character at most: its bytes, one by one.
const LONGEST_CHARACTER: usize = 4;
/// Ids that may wait for the rest of a character.
const MOST_HELD_BACK: usize = 64;

/// The state of one stream. It needs no tokenizer: each step is handed the way to decode.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DecodeStream {
    ids: Vec<TokenId>,
    /// Text of the first `prefix_len` ids, which has been given out.
    prefix: String,
    prefix_len: usize,
}

impl DecodeStream {
    /// A stream that starts behind `ids`: their text counts as given out, unless it ends in the middle of a
    /// character.
    pub fn new(ids: Vec<TokenId>) -> Self {
        DecodeStream { ids, prefix: String::new(), prefix_len: 0 }
    }

    /// The ids that the next step will decode again.
    pub fn pending_ids(&self) -> &[TokenId] {
        &self.ids
    }

    /// Takes more ids and gives the text that they complete, if any.
    ///
    /// Fails if the text of the new ids changes what has been given out already.
    pub fn step(
        &mut self,
        ids: &[TokenId],
        decode: impl Fn(&[TokenId]) -> Result<String>,
    ) -> Result<Option<String>> {
        self.catch_up(&decode)?;
        self.ids.extend_from_slice(ids);
        let text = decode(&self.ids)?;
        if text.len() <= self.prefix.len() || text.ends_with('\u{FFFD}') {
            if self.ids.len() - self.prefix_len <= MOST_HELD_BACK {
                return Ok(None);
            }
            return self.let_go(decode);
        }
        self.give_out(&text, decode).map(Some)
    }

    /// So many ids without a complete character are broken ones or stand for no text: gives out all but the
    /// last few, which may still begin a character. Keeps the window, and so the cost of a step, bounded.
    fn let_go(&mut self, decode: impl Fn(&[TokenId]) -> Result<String>) -> Result<Option<String>> {
        let kept = self.ids.split_off(self.ids.len() - LONGEST_CHARACTER);
        let text = decode(&self.ids)?;
        let out = if text.len() > self.prefix.len() {
            Some(self.give_out(&text, decode)?)
        } else {
            self.ids.truncate(self.prefix_len);
            None
        };
        self.ids.extend(kept);
        Ok(out)
    }

    /// At the end of the stream: gives what has been held back, broken characters as U+FFFD.
    pub fn flush(&mut self, decode: impl Fn(&[TokenId]) -> Result<String>) -> Result<Option<String>> {
        self.catch_up(&decode)?;
        let text = decode(&self.ids)?;
        if self.ids.len() == self.prefix_len || text.len() <= self.prefix.len() {
            return Ok(None);
        }
        self.give_out(&text, decode).map(Some)
    }

    /// Without a prefix, what is here already becomes it, unless it ends in the middle of a character.
    fn catch_up(&mut self, decode: impl Fn(&[TokenId]) -> Result<String>) -> Result<()> {
        if self.prefix.is_empty() && !self.ids.is_empty() {
            let text = decode(&self.ids)?;
            if !text.ends_with('\u{FFFD}') {
                self.prefix = text;
                self.prefix_len = self.ids.len();
            }
        }
        Ok(())
    }

    /// Splits the new part off `text` and moves the window behind the old prefix.
    fn give_out(&mut self, text: &str, decode: impl Fn(&[TokenId]) -> Result<String>) -> Result<String> {
        let Some(new) = text.strip_prefix(self.prefix.as_str()) else {
            return Err(Error::new(
                ErrorKind::Decode,
                format!(
                    "Invalid prefix encountered while decoding stream. Token ID: {}, Expected prefix: '{}', \
                     Actual string: '{text}'",
                    self.ids.last().copied().unwrap_or_default(),
                    self.prefix
                ),
            ));
        };
        self.ids.drain(..self.prefix_len);
        self.prefix = decode(&self.ids)?;
        self.prefix_len = self.ids.len();
        Ok(new.to_owned())
    }
}
