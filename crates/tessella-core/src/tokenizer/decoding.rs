//! Ids back to text.
//!
//! Once a tokenizer has decoded some ids, a [`Table`] of what each id adds to the text takes over, for the decoders that
//! allow one; what it leaves open goes the way of the first ids, through the chain of the decoder's stages.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use memchr::memmem;

use super::Tokenizer;
use super::joined::{DecodeRoom, Joined};
use super::placed::{Placed, PlacedTexts};
use super::starts;
use crate::cancel::Cancel;
use crate::decode::{Added, Buffer, DecodeStream, Decoder, TURN, Table, append_token_bytes, lossy_text};
use crate::error::Result;
use crate::ids::TokenId;
use crate::limits;
use crate::memory;

/// The table of a tokenizer's decoder, built when it pays: after one decoded id for every so many of the vocabulary.
#[derive(Debug, Default)]
pub(super) struct Decoding {
    table: OnceLock<Option<Table>>,
    decoded: AtomicUsize,
    placed: PlacedTexts,
}

#[cfg(test)]
impl Decoding {
    pub(super) fn is_ready(&self) -> bool {
        self.table.get().is_some()
    }
}

const VOCABULARY_PER_DECODED_ID: usize = 64;

impl Tokenizer {
    /// Unknown ids are skipped.
    pub fn decode(&self, ids: &[TokenId], skip_special_tokens: bool) -> Result<String> {
        self.decode_until(ids, skip_special_tokens, Cancel::never())
    }

    /// The same, unless it is cancelled.
    pub(super) fn decode_until(
        &self,
        ids: &[TokenId],
        skip_special_tokens: bool,
        cancel: Cancel,
    ) -> Result<String> {
        if let Some(table) = self.table(ids.len()) {
            for by_runs in [false, true] {
                let mut bytes = Buffer::default();
                if !self.by_table(table, ids, skip_special_tokens, &mut bytes, by_runs, || cancel.check())? {
                    continue;
                }
                match String::from_utf8(bytes.into_bytes()) {
                    Ok(text) => return Ok(text),
                    Err(broken) if table.is_lossy() => return Ok(lossy_text(broken.into_bytes())),
                    // Byte tokens that spell no characters: their decoder says what becomes of each.
                    Err(_) => {}
                }
            }
        }
        self.chain_until(ids, skip_special_tokens, cancel)
    }

    /// Whether ids decode by a table of what each adds, or will once it pays: then [`decode_joined`](Self::decode_joined)
    /// finds the bytes of nearly every text.
    pub fn decodes_by_table(&self) -> bool {
        match self.inner.decoding.table.get() {
            Some(table) => table.is_some(),
            None => self.inner.decoder.as_deref().is_none_or(Decoder::allows_table),
        }
    }

    /// What the ids join to, in room that the caller keeps. `pause` is called now and then, for as long as it gives no
    /// error. Where nobody knows the text, [`decode`](Self::decode) has to be asked.
    pub fn decode_joined<'r>(
        &self,
        ids: &[TokenId],
        skip_special_tokens: bool,
        room: &'r mut DecodeRoom,
        pause: impl FnMut() -> Result<()>,
    ) -> Result<Option<Joined<'r>>> {
        room.bytes.clear();
        memory::ask(ids.len(), memory::FOR_TEXT)?;
        let Some(table) = self.table(ids.len()) else { return Ok(None) };
        if !self.by_table(table, ids, skip_special_tokens, &mut room.bytes, false, pause)? {
            return Ok(None);
        }
        Ok(Some(room.joined(table.is_lossy())))
    }

    /// The same where the table is there and needs nobody else, for at most [`TURN`] ids: it takes no longer than copying. `None`
    /// where [`decode_joined`](Self::decode_joined) has to be asked.
    pub fn decode_at_hand<'r>(
        &self,
        ids: &[TokenId],
        skip_special_tokens: bool,
        room: &'r mut DecodeRoom,
    ) -> Option<Joined<'r>> {
        let table = self.inner.decoding.table.get()?.as_ref()?;
        if table.first || table.last || table.start || ids.len() > TURN {
            return None;
        }
        room.bytes.clear();
        let settled = table.append(ids, skip_special_tokens, &mut room.bytes, || Ok(())).ok()?;
        if !settled {
            return None;
        }
        table.strip(&mut room.bytes);
        Some(room.joined(table.is_lossy()))
    }

    /// The text that one more id adds to a stream, if it completes any, where the table alone knows; `None`, with the stream
    /// as it was, where [`decode_next`](Self::decode_next) has to be asked.
    pub fn decode_at_once<'s>(
        &'s self,
        stream: &'s mut DecodeStream,
        id: TokenId,
        skip_special_tokens: bool,
    ) -> Option<Option<Added<'s>>> {
        let table = self.table(1)?;
        if stream.is_even() {
            if let Some(ascii) = table.own_ascii(id, skip_special_tokens) {
                stream.move_behind_own(id);
                return Some(Some(Added::Ascii(ascii)));
            }
            if !table.first
                && !table.start
                && let Some(text) = table.own_text(id, skip_special_tokens)
            {
                if table.stripped(text).is_empty() {
                    return None;
                }
                stream.move_behind_own(id);
                return Some(Some(Added::Own(text)));
            }
        }
        let text = stream.step_by_bytes(id, |id| table.own_bytes(id, skip_special_tokens))?;
        Some(text.map(Added::Joined))
    }

    /// The same for an id that completes text, where other tokens may have to be asked. `None`, with the stream as it was, where [`DecodeStream::step`]
    /// has to be asked.
    pub fn decode_next(
        &self,
        stream: &mut DecodeStream,
        id: TokenId,
        skip_special_tokens: bool,
    ) -> Result<Option<&str>> {
        if !stream.is_even() {
            return Ok(None);
        }
        let Some(table) = self.table(1) else { return Ok(None) };
        let Some(text) = table.own_text(id, skip_special_tokens) else { return Ok(None) };
        let decode = |ids: &[TokenId]| self.decode(ids, skip_special_tokens);
        if table.start && stream.prefix(decode)?.trim_matches(' ').is_empty() {
            return Ok(None);
        }
        if table.first || table.start {
            // What the table tells of an id is not skipped.
            let moved = self.with_alone(id, |alone| {
                // Else what comes behind would stand at the start of a text, and lose its blanks too.
                (!alone.is_empty()).then(|| stream.move_behind(id, alone))
            })?;
            return Ok(moved.map(|()| text));
        }
        let alone = table.stripped(text);
        if alone.is_empty() {
            return Ok(None);
        }
        stream.move_behind(id, alone);
        Ok(Some(text))
    }

    /// The slow twin of the table, and what it asks.
    pub(super) fn decode_by_chain(&self, ids: &[TokenId], skip_special_tokens: bool) -> Result<String> {
        self.chain_until(ids, skip_special_tokens, Cancel::never())
    }

    fn chain_until(&self, ids: &[TokenId], skip_special_tokens: bool, cancel: Cancel) -> Result<String> {
        self.ask_for_tokens(ids, skip_special_tokens)?;
        let tokens = self.decoded_tokens(ids, skip_special_tokens);
        match &self.inner.decoder {
            Some(decoder) => {
                let tokens: Vec<String> = tokens.map(str::to_string).collect();
                let _work = limits::begin(tokens.iter().map(String::len).sum(), cancel);
                decoder.decode(tokens)
            }
            None => {
                let mut text = String::new();
                for (index, token) in tokens.enumerate() {
                    if index > 0 {
                        text.push(' ');
                    }
                    text.push_str(token);
                }
                Ok(text)
            }
        }
    }

    /// Writes what the table makes of the ids, `by_runs` where byte tokens spell no characters; false where that, or the chain, has to
    /// be asked for all of them.
    fn by_table(
        &self,
        table: &Table,
        ids: &[TokenId],
        skip_special_tokens: bool,
        bytes: &mut Buffer,
        by_runs: bool,
        pause: impl FnMut() -> Result<()>,
    ) -> Result<bool> {
        let mut middle = ids;
        let mut last = None;
        if table.first || table.last {
            let shown = |&id: &TokenId| self.shown(id, skip_special_tokens).is_some();
            let (Some(from), Some(to)) = (ids.iter().position(shown), ids.iter().rposition(shown)) else {
                return Ok(false);
            };
            if from == to {
                // It is not skipped, and the chain strips what is to be stripped.
                self.with_alone(ids[from], |text| bytes.push(text.as_bytes()))??;
                return Ok(true);
            }
            middle = &ids[from + usize::from(table.first)..to + usize::from(!table.last)];
            if table.first {
                self.push_edge(ids[from], Placed::First, bytes)?;
            }
            last = table.last.then_some(ids[to]);
        } else if table.start {
            let start = table.start_len(ids, skip_special_tokens);
            if start == ids.len() {
                return Ok(false);
            }
            let (head, rest) = ids.split_at(start);
            match *head {
                // The last one of them is not skipped.
                [id] => self.with_alone(id, |text| bytes.push(text.as_bytes()))??,
                _ => bytes.push(self.decode_by_chain(head, skip_special_tokens)?.as_bytes())?,
            }
            middle = rest;
        }
        if by_runs {
            table.append_by_runs(middle, skip_special_tokens, bytes, pause)?;
        } else if !table.append(middle, skip_special_tokens, bytes, pause)? {
            return Ok(false);
        }
        if let Some(last) = last {
            self.push_edge(last, Placed::Last, bytes)?;
        }
        table.strip(bytes);
        Ok(true)
    }

    /// Hands over the text of an id that stands alone and is not skipped.
    fn with_alone<R>(&self, id: TokenId, take: impl FnOnce(&str) -> R) -> Result<R> {
        let make = || self.decode_by_chain(&[id], false);
        self.inner.decoding.placed.with(id, Placed::Alone, make, take)
    }

    /// Writes the text of an id that is the first or the last of several.
    fn push_edge(&self, id: TokenId, placed: Placed, bytes: &mut Buffer) -> Result<()> {
        let make = || {
            let token = self.id_to_decoded_token(id).unwrap_or_default();
            match &self.inner.decoder {
                Some(decoder) => decoder.edge(token, placed == Placed::First),
                None => Ok(token.to_owned()),
            }
        };
        self.inner.decoding.placed.with(id, placed, make, |text| bytes.push(text.as_bytes()))?
    }

    /// The table, where there is one; built here once enough has been decoded. Counts the ids until then.
    pub(super) fn table(&self, ids: usize) -> Option<&Table> {
        let decoding = &self.inner.decoding;
        if let Some(table) = decoding.table.get() {
            return table.as_ref();
        }
        let decoded = decoding.decoded.fetch_add(ids, Ordering::Relaxed).saturating_add(ids);
        if decoded < self.inner.spec.model.vocab_len() / VOCABULARY_PER_DECODED_ID {
            return None;
        }
        decoding.table.get_or_init(|| self.decode_table()).as_ref()
    }

    fn decode_table(&self) -> Option<Table> {
        let (added, model) = (self.inner.added(), self.inner.model());
        // By ascending id.
        let mut apart = added.tokens().iter().filter_map(|token| token.id).peekable();
        let mut ids: Vec<TokenId> = apart.clone().collect();
        self.inner.spec.model.for_each_entry(|_, id| ids.push(id));
        // The model's mostly come in order, which this way to sort sees.
        ids.sort();
        ids.dedup();
        let is_special_content = added.special_contents();
        let token = |id| {
            // Nearly all are the model's alone.
            let mut is_added = false;
            while apart.next_if_eq(&id).is_some() {
                is_added = true;
            }
            if is_added {
                return self.id_to_decoded_token(id).map(|text| (id, text, self.is_special(id)));
            }
            let text = model.id_to_token(id)?;
            Some((id, text, is_special_content(text)))
        };
        let tokens: Vec<(TokenId, &str, bool)> = ids.into_iter().filter_map(token).collect();
        Table::new(self.inner.decoder.as_deref(), &tokens)
    }

    /// The text of an id that decoding shows.
    fn shown(&self, id: TokenId, skip_special_tokens: bool) -> Option<&str> {
        if skip_special_tokens && self.is_special(id) { None } else { self.id_to_decoded_token(id) }
    }

    /// The token texts that a decoder gets.
    fn decoded_tokens<'s>(
        &'s self,
        ids: &'s [TokenId],
        skip_special_tokens: bool,
    ) -> impl Iterator<Item = &'s str> + 's {
        ids.iter().filter_map(move |&id| self.shown(id, skip_special_tokens))
    }

    /// Asks for the room that the texts of the tokens take, one by one and joined: few ids may have long ones.
    fn ask_for_tokens(&self, ids: &[TokenId], skip_special_tokens: bool) -> Result<()> {
        let each = |token: &str| token.len() + size_of::<String>();
        let bytes = self.decoded_tokens(ids, skip_special_tokens).map(each).fold(0, usize::saturating_add);
        memory::ask(bytes, 2)
    }

    /// The bytes that the ids stand for, before any lossy conversion to text.
    pub fn decode_bytes(&self, ids: &[TokenId], skip_special_tokens: bool) -> Result<Vec<u8>> {
        if let Some(table) = self.table(ids.len()) {
            let mut bytes = Buffer::default();
            // The first token, the last and the start of a SentencePiece text are written as text, where a broken byte is a U+FFFD.
            let is_as_it_was = |bytes: &[u8]| memmem::find(bytes, "\u{FFFD}".as_bytes()).is_none();
            if self.by_table(table, ids, skip_special_tokens, &mut bytes, false, || Ok(()))?
                && (table.is_lossy() || is_as_it_was(bytes.as_bytes()))
            {
                return Ok(bytes.into_bytes());
            }
        }
        self.decode_bytes_by_chain(ids, skip_special_tokens)
    }

    pub(super) fn decode_bytes_by_chain(
        &self,
        ids: &[TokenId],
        skip_special_tokens: bool,
    ) -> Result<Vec<u8>> {
        self.ask_for_tokens(ids, skip_special_tokens)?;
        match &self.inner.decoder {
            Some(decoder) => {
                let tokens: Vec<&str> = self.decoded_tokens(ids, skip_special_tokens).collect();
                decoder.decode_bytes(&tokens)
            }
            None => self.decode_by_chain(ids, skip_special_tokens).map(String::into_bytes),
        }
    }

    /// The text, and for each id the character at which its part starts. An id that starts inside a character
    /// gets that character's position.
    pub fn decode_with_offsets(
        &self,
        ids: &[TokenId],
        skip_special_tokens: bool,
    ) -> Result<(String, Vec<usize>)> {
        if self.inner.decoder.as_ref().is_some_and(|decoder| decoder.is_byte_level()) {
            self.ask_for_tokens(ids, skip_special_tokens)?;
            return Ok(self.decode_bytes_with_offsets(ids, skip_special_tokens));
        }
        let text = self.decode(ids, skip_special_tokens)?;
        let starts = starts::of_texts(ids, &text, |ids| self.decode(ids, skip_special_tokens))?;
        Ok((text, starts))
    }

    /// The same where text is nothing but the tokens' bytes.
    fn decode_bytes_with_offsets(&self, ids: &[TokenId], skip_special_tokens: bool) -> (String, Vec<usize>) {
        let mut bytes = Vec::with_capacity(ids.len() * 4);
        let mut begins = Vec::with_capacity(ids.len());
        for &id in ids {
            begins.push(bytes.len());
            if let Some(token) = self.shown(id, skip_special_tokens) {
                append_token_bytes(token, &mut bytes);
            }
        }
        starts::of_bytes(bytes, &begins)
    }
}
