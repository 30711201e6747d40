//! Decoding ids as they arrive, e.g. from a model that generates them one by one.
//!
//! A token's text depends on its neighbours (a character may be spread over several tokens, a space may
//! vanish at the start of a text), so the stream decodes a short window of ids: the *prefix*, whose text is
//! already out, and what came since. Text is held back while it ends in an incomplete character.

use crate::error::{Error, ErrorKind, Result};
use crate::ids::TokenId;

/// Ids of a broken end at most, with some in front of it: a character is at most four tokens, its bytes.
const END: usize = 8;
/// Ids that may wait for the rest of a character. Where tokens are parts of characters, every token of a long run
/// may end in the middle of one.
const MOST_HELD_BACK: usize = 1024;
/// Ids of a window at most that begins with text and goes on with blanks.
const MOST_KEPT: usize = 64;
/// Bytes that wait, where they are looked at without being decoded.
const MOST_WAITING: usize = 64;
const BROKEN: char = '\u{FFFD}';

/// What an id adds to a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added<'s> {
    /// Characters of ASCII, which the id adds to every stream whose text is all out.
    Ascii(&'s [u8]),
    /// Any characters, which it adds to every such stream.
    Own(&'s str),
    /// What ids that waited come to with this one.
    Joined(&'s str),
}

/// The state of one stream. It needs no tokenizer: each step is handed the way to decode.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DecodeStream {
    ids: Vec<TokenId>,
    /// Text of the first `prefix_len` ids, which has been given out.
    prefix: String,
    prefix_len: usize,
    /// The window was cut in the middle of a character, and its text may change where it was broken.
    cut: bool,
    /// `prefix` waits to be made until somebody asks for it. It ends with a whole character.
    unmade: bool,
}

impl DecodeStream {
    /// A stream that starts behind `ids`: their text counts as given out, unless it ends in the middle of a
    /// character.
    pub fn new(ids: Vec<TokenId>) -> Self {
        DecodeStream { ids, ..DecodeStream::default() }
    }

    /// Whether the text that is out ends with a whole character: then what comes behind it stands for itself, as far as
    /// tokens look at none of their neighbours.
    fn is_settled(&self) -> bool {
        self.unmade
            || (!self.cut
                && !self.prefix.is_empty()
                // Most texts end in ASCII.
                && (self.prefix.as_bytes().last().is_some_and(u8::is_ascii) || !self.prefix.ends_with(BROKEN)))
    }

    /// Whether, besides, the text of all ids at hand is out.
    pub(crate) fn is_even(&self) -> bool {
        self.prefix_len == self.ids.len() && self.is_settled()
    }

    /// Takes an id that adds what [`Added::Ascii`] or [`Added::Own`] told before; false, with the stream as it was, where that
    /// cannot be known.
    #[inline]
    pub fn follow(&mut self, id: TokenId) -> bool {
        // What stands here after such an id.
        if self.unmade
            && self.prefix_len == 1
            && let [only] = self.ids.as_mut_slice()
        {
            *only = id;
            return true;
        }
        let is_even = self.is_even();
        if is_even {
            self.move_behind_own(id);
        }
        is_even
    }

    /// The text that is out and will be decoded again.
    pub(crate) fn prefix(&mut self, decode: impl Fn(&[TokenId]) -> Result<String>) -> Result<&str> {
        self.make_prefix(&decode)?;
        Ok(&self.prefix)
    }

    /// To be called before ids are decoded in another way than so far.
    pub fn make_prefix(&mut self, decode: impl Fn(&[TokenId]) -> Result<String>) -> Result<()> {
        if self.unmade {
            self.prefix = decode(&self.ids[..self.prefix_len])?;
            self.unmade = false;
        }
        Ok(())
    }

    /// What [`step`](Self::step) does in an even stream where an id gives text out and keeps nothing back: the id is the
    /// whole window. `alone` is its text if nothing stands before it.
    pub(crate) fn move_behind(&mut self, id: TokenId, alone: &str) {
        self.ids.clear();
        self.ids.push(id);
        self.prefix_len = 1;
        self.prefix.clear();
        self.prefix.push_str(alone);
        self.unmade = false;
    }

    /// The same for an id of which it is known that it gives text out, and keeps nothing back, behind any other: its text alone
    /// can be made when it is asked for.
    pub(crate) fn move_behind_own(&mut self, id: TokenId) {
        self.move_behind(id, "");
        self.unmade = true;
    }

    /// What [`step`](Self::step) does where text is nothing but the bytes of the ids, `bytes_of` each: the id waits for the
    /// rest of a character, or the characters are whole and all that waited is given out. `None`, with the stream as it
    /// was, if it is neither, or much.
    pub(crate) fn step_by_bytes<'t>(
        &mut self,
        id: TokenId,
        bytes_of: impl Fn(TokenId) -> Option<&'t [u8]>,
    ) -> Option<Option<&str>> {
        if !self.is_settled() {
            return None;
        }
        let mut joined = [0; MOST_WAITING];
        let mut length = 0;
        for &one in self.ids[self.prefix_len..].iter().chain([&id]) {
            let bytes = bytes_of(one)?;
            joined.get_mut(length..length + bytes.len())?.copy_from_slice(bytes);
            length += bytes.len();
        }
        match std::str::from_utf8(&joined[..length]) {
            Ok(text) if !text.is_empty() && !text.ends_with(BROKEN) => {
                self.ids.drain(..self.prefix_len);
                self.ids.push(id);
                self.prefix_len = self.ids.len();
                self.prefix.clear();
                self.prefix.push_str(text);
                self.unmade = false;
                Some(Some(&self.prefix))
            }
            // The end of the text is the beginning of a character.
            Err(error) if error.error_len().is_none() => {
                self.ids.push(id);
                Some(None)
            }
            _ => None,
        }
    }

    /// The ids that the next step will decode again.
    #[cfg(test)]
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
        if text.len() <= self.prefix.len() || text.ends_with(BROKEN) {
            if self.ids.len() - self.prefix_len <= MOST_HELD_BACK {
                return Ok(None);
            }
            return self.let_go(decode);
        }
        self.give_out(&text, decode).map(Some)
    }

    /// So many ids without an end to a character: gives out all that can no longer change. Keeps the window, and so
    /// the cost of a step, bounded.
    fn let_go(&mut self, decode: impl Fn(&[TokenId]) -> Result<String>) -> Result<Option<String>> {
        // Many ids at once may end in a character that has only begun.
        for end in (self.ids.len() - END..self.ids.len()).rev() {
            let text = decode(&self.ids[..end])?;
            if text.len() > self.prefix.len() && !text.ends_with(BROKEN) {
                let rest = self.ids.split_off(end);
                let out = self.give_out(&text, decode)?;
                self.ids.extend(rest);
                return Ok(Some(out));
            }
        }
        let text = decode(&self.ids)?;
        let whole = text.strip_suffix(BROKEN).unwrap_or(&text);
        if whole.len() <= self.prefix.len() {
            // Ids that stand for no text.
            self.ids.drain(self.prefix_len..self.ids.len() - END);
            return Ok(None);
        }
        let out = self.new_part(whole)?.to_owned();
        self.ids.drain(..self.ids.len() - END);
        let mut text = decode(&self.ids)?;
        if text.ends_with(BROKEN) {
            text.pop();
        }
        (self.prefix, self.prefix_len, self.cut) = (text, 0, true);
        Ok(Some(out))
    }

    /// At the end of the stream: gives what has been held back, broken characters as U+FFFD.
    ///
    /// It may have been broken off inside a character, behind a byte that was a character by itself until then: that one stays as it was
    /// given out, though [`step`](Self::step) would fail.
    pub fn flush(&mut self, decode: impl Fn(&[TokenId]) -> Result<String>) -> Result<Option<String>> {
        self.catch_up(&decode)?;
        let text = decode(&self.ids)?;
        if self.ids.len() == self.prefix_len || text.len() <= self.prefix.len() {
            return Ok(None);
        }
        if let Some(new) = self.broken_behind_prefix(&text) {
            let new = new.to_owned();
            (self.prefix, self.prefix_len, self.cut) = (text, self.ids.len(), false);
            return Ok(Some(new).filter(|new| !new.is_empty()));
        }
        self.give_out(&text, decode).map(Some)
    }

    /// What of `text` is new, if bytes that were given out as characters are a U+FFFD each in it.
    fn broken_behind_prefix<'t>(&self, text: &'t str) -> Option<&'t str> {
        if self.cut || text.starts_with(self.prefix.as_str()) {
            return None;
        }
        let same = text.chars().zip(self.prefix.chars()).take_while(|(new, old)| new == old);
        let same: usize = same.map(|(c, _)| c.len_utf8()).sum();
        let given: usize =
            self.prefix[same..].chars().map(|c| if c == BROKEN { 1 } else { c.len_utf8() }).sum();
        let mut new = text[same..].chars();
        (0..given).all(|_| new.next() == Some(BROKEN)).then_some(new.as_str())
    }

    /// Without a prefix, what is here already becomes it, unless it ends in the middle of a character.
    fn catch_up(&mut self, decode: impl Fn(&[TokenId]) -> Result<String>) -> Result<()> {
        self.make_prefix(&decode)?;
        if self.prefix.is_empty() && !self.ids.is_empty() {
            let text = decode(&self.ids)?;
            if !text.ends_with(BROKEN) {
                self.prefix = text;
                self.prefix_len = self.ids.len();
                if self.prefix.is_empty() && self.prefix_len > MOST_HELD_BACK {
                    // A long row of ids that stand for no text.
                    self.ids.drain(..self.prefix_len - END);
                    self.prefix = decode(&self.ids)?;
                    self.prefix_len = END;
                }
            }
        }
        Ok(())
    }

    /// Splits the new part off `text` and moves the window behind the old prefix.
    fn give_out(&mut self, text: &str, decode: impl Fn(&[TokenId]) -> Result<String>) -> Result<String> {
        let new = self.new_part(text)?.to_owned();
        self.prefix = decode(&self.ids[self.prefix_len..])?;
        if self.prefix.is_empty() && self.prefix_len > 0 {
            // Blanks that vanish at the start of a text: without what stands before them, those behind them would too.
            if self.ids.len() > MOST_KEPT {
                self.ids.drain(END..self.ids.len() - END);
            }
            self.prefix = decode(&self.ids)?;
        } else {
            self.ids.drain(..self.prefix_len);
        }
        (self.prefix_len, self.cut) = (self.ids.len(), false);
        Ok(new)
    }

    /// What of `text` has not been given out.
    fn new_part<'t>(&self, text: &'t str) -> Result<&'t str> {
        match text.strip_prefix(self.prefix.as_str()) {
            Some(new) => Ok(new),
            None if self.cut => {
                let same = text.chars().zip(self.prefix.chars()).take_while(|(new, old)| new == old);
                Ok(&text[same.map(|(c, _)| c.len_utf8()).sum()..])
            }
            None => Err(Error::new(
                ErrorKind::Decode,
                format!(
                    "Invalid prefix encountered while decoding stream. Token ID: {}, Expected prefix: '{}', \
                     Actual string: '{text}'",
                    self.ids.last().copied().unwrap_or_default(),
                    self.prefix
                ),
            )),
        }
    }
}
