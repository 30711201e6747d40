//! What each id adds to the text, found out once: decoding becomes copying.
//!
//! Most decoders look at each token alone and then join. For those the text of every id is computed when the table is
//! built, by the decoder itself, and kept in a slot of 16 bytes: up to 15 bytes of text, and a byte with their number
//! and with marks. Decoding reads an id, copies 16 bytes whatever their number, and moves on by it.
//!
//! What depends on the place is left to the chain of stages, which also stays the slow twin of the tests: the first
//! token (Metaspace, WordPiece), the last one (BPE's suffix), and the tokens up to the first text of a SentencePiece
//! decoder. A text in which byte tokens spell no characters is joined once more, run by run.
//!
//! A decoder whose stages look at neighbours (CTC), that a user wrote, or whose patterns are more than literals, has
//! no table.

use super::{Buffer, Decoder, bytes, plain, sentencepiece};
use crate::cancel::Cancel;
use crate::error::Result;
use crate::flat::prefetch;
use crate::ids::TokenId;
use crate::limits;

const SLOT: usize = 16;
/// Where a slot holds the number of bytes (low four bits) and the marks.
const TAG: usize = SLOT - 1;
const LENGTH: u8 = 0x0F;
const SPECIAL: u8 = 0x10;
/// The text is in `long`; the slot holds its place and length, four bytes each.
const LONG: u8 = 0x20;
/// A byte token, or a token without text where there are byte tokens: these two show where runs of bytes end.
const RUN: u8 = 0x40;
/// Some of the text is not ASCII.
const WIDE: u8 = 0x80;
/// Ids whose room is reserved at a time.
const PORTION: usize = 512;
/// So many ids ahead the processor is told which slot will be read.
const AHEAD: usize = 96;
/// Ids between two pauses: about a millisecond.
pub const TURN: usize = 1 << 18;
/// A long text is copied by so many bytes at once, which are there behind its last one as well.
const STRIDE: usize = 32;
/// Beyond so many slots for each token, an id in the file is far away from all others and a table is a waste.
const MOST_HOLES: usize = 4;
/// Bytes that the texts of all ids may come to. Stages that make texts grow would make those of a whole vocabulary huge,
/// of which a call needs a few.
const MOST_TEXT: usize = 64 << 20;

/// What the texts of all ids become when they are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Join {
    /// Texts.
    Text,
    /// Bytes in any order, read as UTF-8 with U+FFFD for what is none.
    Bytes,
    /// Texts and runs of byte tokens; of a run that is no UTF-8 the chain has rules.
    Runs,
}

/// The stages of a decoder, told apart by what they look at.
#[derive(Debug)]
struct Shape<'d> {
    /// Each of these maps a token to a text, whatever its neighbours are.
    each: Vec<&'d Decoder>,
    join: Join,
    first: bool,
    last: bool,
    /// Taken off the ends of the joined text.
    strips: Vec<(char, usize, usize)>,
}

/// The texts of all ids of one tokenizer.
#[derive(Debug)]
pub struct Table {
    slots: Vec<[u8; SLOT]>,
    long: Vec<u8>,
    join: Join,
    /// Whether the first and the last token are not in the table but [`Decoder::edge`]'s.
    pub first: bool,
    /// Whether more tokens cannot come, so that nothing is held back.
    pub last: bool,
    /// Whether tokens are the chain's up to the first that has text besides a space.
    pub start: bool,
    strips: Vec<(char, usize, usize)>,
    /// Whether every id stands for the same wherever it is.
    anywhere: bool,
}

/// Whether a decoder makes so much of a token that many of them may be more than any memory holds: the chain sees to
/// that.
fn is_swollen(token: &str, text: &str) -> bool {
    text.len() > 64 + 4 * token.len()
}

/// Slots of a table of so many tokens, at most.
fn most_slots(tokens: usize) -> usize {
    tokens * MOST_HOLES + (1 << 16)
}

/// Copies `length` bytes, and what stands behind them up to a whole number of strides.
#[inline]
fn copy_by_strides(from: &[u8], to: &mut [u8], length: usize) {
    let strides = from.as_chunks::<STRIDE>().0.iter().zip(to.as_chunks_mut::<STRIDE>().0);
    for (from, to) in strides.take(length.div_ceil(STRIDE)) {
        *to = *from;
    }
}

impl Table {
    /// The table of a decoder over the texts of `tokens` (id, text, whether decoding may skip it); `None` where the
    /// decoder allows none. Without a decoder tokens are joined by spaces.
    pub fn new(decoder: Option<&Decoder>, tokens: &[(TokenId, &str, bool)]) -> Option<Table> {
        let bound = tokens.iter().map(|(id, ..)| *id as usize + 1).max().unwrap_or(0);
        if bound > most_slots(tokens.len()) {
            return None;
        }
        let _work = limits::begin(tokens.iter().map(|(_, text, _)| text.len()).sum(), Cancel::never());
        let (shape, start) = match decoder {
            None => {
                (Shape { each: vec![], join: Join::Text, first: true, last: false, strips: vec![] }, false)
            }
            Some(decoder) => match decoder.as_sentencepiece() {
                Some(_) => (
                    Shape { each: vec![], join: Join::Runs, first: false, last: false, strips: vec![] },
                    true,
                ),
                None => (decoder.shape()?, false),
            },
        };
        let mut table = Table {
            slots: vec![[0; SLOT]; bound],
            long: Vec::new(),
            join: shape.join,
            first: shape.first,
            last: shape.last,
            start,
            anywhere: !(shape.first || shape.last || start) && shape.strips.is_empty(),
            strips: shape.strips,
        };
        if let Some(sentencepiece) = decoder.and_then(Decoder::as_sentencepiece) {
            for &(id, text, special) in tokens {
                match sentencepiece.byte(text) {
                    Some(byte) => table.set(id, &[byte], special, true)?,
                    None => {
                        let surface = sentencepiece.surface(text);
                        if is_swollen(text, &surface) {
                            return None;
                        }
                        table.set(id, surface.as_bytes(), special, false)?;
                    }
                }
            }
            return Some(table);
        }
        let mut spelled = Vec::new();
        if shape.each.is_empty() {
            let mut spaced = String::new();
            for &(id, token, special) in tokens {
                let text = match decoder {
                    Some(_) => token,
                    None => {
                        spaced.clear();
                        spaced.push(' ');
                        spaced.push_str(token);
                        &spaced
                    }
                };
                table.set_text(id, text, special, &mut spelled)?;
            }
            return Some(table);
        }
        // One token in front and one behind all: what the chain gives for the others depends on no place.
        let mut texts: Vec<String> = Vec::with_capacity(tokens.len() + 2);
        texts.push("x".into());
        texts.extend(tokens.iter().map(|(_, text, _)| (*text).to_owned()));
        texts.push("x".into());
        for stage in shape.each {
            let size: usize = texts.iter().map(String::len).sum();
            if (size + texts.len()).saturating_mul(stage.most_growth()) > MOST_TEXT {
                return None;
            }
            texts = stage.decode_chain(texts).ok()?;
        }
        for (&(id, token, special), text) in tokens.iter().zip(texts.iter().skip(1)) {
            if is_swollen(token, text) {
                return None;
            }
            table.set_text(id, text, special, &mut spelled)?;
        }
        Some(table)
    }

    /// The table of ids that stand for bytes wherever they are, the last ones of those that come twice; `None` where ids are
    /// far apart.
    pub fn of_bytes<'b>(tokens: impl Iterator<Item = (TokenId, &'b [u8])> + Clone) -> Option<Table> {
        let bound = tokens.clone().map(|(id, _)| id as usize + 1).max().unwrap_or(0);
        if bound > most_slots(tokens.clone().count()) {
            return None;
        }
        let mut table = Table {
            slots: vec![[0; SLOT]; bound],
            long: Vec::new(),
            join: Join::Bytes,
            first: false,
            last: false,
            start: false,
            strips: Vec::new(),
            anywhere: true,
        };
        for (id, bytes) in tokens {
            table.set(id, bytes, false, false)?;
        }
        Some(table)
    }

    /// What a token adds, of which the stages have made a text. Its bytes are `spelled`, whatever that held before.
    fn set_text(&mut self, id: TokenId, text: &str, special: bool, spelled: &mut Vec<u8>) -> Option<()> {
        match self.join {
            Join::Text => self.set(id, text.as_bytes(), special, false),
            Join::Bytes => {
                spelled.clear();
                bytes::append_token_bytes(text, spelled);
                self.set(id, spelled, special, false)
            }
            Join::Runs => match bytes::named_byte(text) {
                Some(byte) => self.set(id, &[byte], special, true),
                None => self.set(id, text.as_bytes(), special, false),
            },
        }
    }

    /// Fails beyond 4 GiB of long texts.
    fn set(&mut self, id: TokenId, text: &[u8], special: bool, byte: bool) -> Option<()> {
        let slot = &mut self.slots[id as usize];
        let mut tag = if special { SPECIAL } else { 0 };
        if !text.is_ascii() {
            tag |= WIDE;
        }
        if text.len() <= LENGTH as usize {
            slot[..text.len()].copy_from_slice(text);
            tag |= text.len() as u8;
            if self.join == Join::Runs && (byte || text.is_empty()) {
                tag |= RUN;
            }
        } else {
            slot[..4].copy_from_slice(&u32::try_from(self.long.len()).ok()?.to_le_bytes());
            slot[4..8].copy_from_slice(&u32::try_from(text.len()).ok()?.to_le_bytes());
            self.long.extend_from_slice(text);
            self.long.resize(self.long.len().next_multiple_of(STRIDE), 0);
            tag |= LONG;
        }
        slot[TAG] = tag;
        Some(())
    }

    /// Whether the bytes that [`append`](Self::append) appends may be no UTF-8 without the chain being asked: then text is made of them
    /// with U+FFFD.
    pub fn is_lossy(&self) -> bool {
        self.join == Join::Bytes
    }

    /// For a decoder that treats the start apart: how many ids the chain has to decode. What comes behind them follows
    /// a token with text.
    pub fn start_len(&self, ids: &[TokenId], skip_special: bool) -> usize {
        let ends_start = |id: &TokenId| match self.slots.get(*id as usize) {
            Some(slot) if slot[TAG] & RUN != 0 || (skip_special && slot[TAG] & SPECIAL != 0) => false,
            Some(slot) if slot[TAG] & LONG != 0 => true,
            // A space may be taken off, and an unknown id has no text.
            Some(slot) => slot[TAG] & LENGTH > 1 || (slot[TAG] & LENGTH == 1 && slot[0] != b' '),
            None => false,
        };
        ids.iter().position(ends_start).map_or(ids.len(), |at| at + 1)
    }

    /// Appends what the ids stand for. `out` holds only what came before them. False, with `out` in any state, where byte
    /// tokens stand on both sides of a token without text: [`append_by_runs`](Self::append_by_runs) has to be asked. Calls
    /// `pause` after every [`TURN`].
    pub fn append(
        &self,
        ids: &[TokenId],
        skip_special: bool,
        out: &mut Buffer,
        mut pause: impl FnMut() -> Result<()>,
    ) -> Result<bool> {
        let skipped = if skip_special { SPECIAL } else { 0 };
        let mut run_end = usize::MAX;
        let mut marks = 0;
        for (number, portion) in ids.chunks(PORTION).enumerate() {
            if number > 0 && number.is_multiple_of(TURN / PORTION) {
                pause()?;
            }
            out.reserve(portion.len() * SLOT)?;
            let mut at = out.len();
            let mut room = out.room();
            // Other work has mostly come between two calls for short lists, and the slots are no longer near.
            for &first in portion.iter().take(AHEAD) {
                prefetch(&self.slots, first as usize);
            }
            for (index, &id) in portion.iter().enumerate() {
                if let Some(&next) = portion.get(index + AHEAD) {
                    prefetch(&self.slots, next as usize);
                }
                let Some(slot) = self.slots.get(id as usize) else { continue };
                let tag = slot[TAG];
                if tag & (LONG | RUN | skipped) != 0 {
                    if tag & skipped != 0 {
                        continue;
                    }
                    marks |= tag;
                    if tag & LONG != 0 {
                        let (from, length) = self.long_place(slot);
                        out.set_len(at);
                        out.reserve(length + STRIDE + (portion.len() - index) * SLOT)?;
                        room = out.room();
                        copy_by_strides(&self.long[from..], &mut room[at..], length);
                        at += length;
                        continue;
                    }
                    if tag & LENGTH == 0 {
                        if at == run_end {
                            return Ok(false);
                        }
                        continue;
                    }
                    run_end = at + 1;
                }
                marks |= tag;
                // Two arrays: one load and one store.
                if let Some(place) = room[at..].first_chunk_mut() {
                    *place = *slot;
                }
                at += (tag & LENGTH) as usize;
            }
            out.set_len(at);
        }
        out.note(marks & WIDE == 0);
        Ok(true)
    }

    /// The same where byte tokens spell no characters, or stand on both sides of a token without text: what they become is told run by
    /// run, as the chain has it, in those parts of the ids where there are such.
    pub fn append_by_runs(
        &self,
        mut ids: &[TokenId],
        skip_special: bool,
        out: &mut Buffer,
        mut pause: impl FnMut() -> Result<()>,
    ) -> Result<()> {
        while !ids.is_empty() {
            pause()?;
            let ends_run = |id: &TokenId| self.shown(*id, skip_special).is_some_and(|(_, in_run)| !in_run);
            let behind = ids.iter().skip(PORTION).position(ends_run);
            let (part, rest) = ids.split_at(behind.map_or(ids.len(), |behind| PORTION + behind));
            ids = rest;
            let before = out.len();
            let is_told = self.append(part, skip_special, out, || Ok(()))?;
            if is_told && std::str::from_utf8(&out.as_bytes()[before..]).is_ok() {
                continue;
            }
            out.set_len(before);
            let mut run = Vec::new();
            for (text, in_run) in part.iter().filter_map(|&id| self.shown(id, skip_special)) {
                if in_run && !text.is_empty() {
                    run.extend_from_slice(text);
                    continue;
                }
                self.end_run(&mut run, out)?;
                out.push(text)?;
            }
            self.end_run(&mut run, out)?;
        }
        Ok(())
    }

    /// The text of an id that is not skipped, and whether it is a byte token's, or none.
    fn shown(&self, id: TokenId, skip_special: bool) -> Option<(&[u8], bool)> {
        let slot = self.slots.get(id as usize)?;
        let tag = slot[TAG];
        let text = if tag & LONG != 0 { self.long_text(slot) } else { &slot[..(tag & LENGTH) as usize] };
        let in_run = tag & RUN != 0;
        // Nobody's id has no text and no mark.
        let is_shown = (tag & SPECIAL == 0 || !skip_special) && (in_run || !text.is_empty());
        is_shown.then_some((text, in_run))
    }

    fn end_run(&self, run: &mut Vec<u8>, out: &mut Buffer) -> Result<()> {
        if std::str::from_utf8(run).is_ok() {
            out.push(run)?;
        } else {
            let mut texts = Vec::new();
            if self.start {
                sentencepiece::spell(run, &mut texts);
            } else {
                bytes::end_run(run, &mut texts);
            }
            texts.iter().try_for_each(|text| out.push(text.as_bytes()))?;
        }
        run.clear();
        Ok(())
    }

    /// The text of an id, if it is ASCII, some of it at least, wherever the id stands.
    #[inline]
    pub fn own_ascii(&self, id: TokenId, skip_special: bool) -> Option<&[u8]> {
        let slot = self.slots.get(id as usize)?;
        let (tag, skipped) = (slot[TAG], if skip_special { SPECIAL } else { 0 });
        let length = (tag & LENGTH) as usize;
        let known = self.anywhere && tag & (LONG | RUN | WIDE | skipped) == 0 && length > 0;
        known.then(|| &slot[..length])
    }

    /// The text of an id that is neither the first nor the last, if it is whole characters whatever stands around it. None
    /// also where the joined text loses something at its end.
    pub fn own_text(&self, id: TokenId, skip_special: bool) -> Option<&str> {
        let slot = self.slots.get(id as usize)?;
        let tag = slot[TAG];
        if self.last
            || self.strips.iter().any(|&(_, _, stop)| stop > 0)
            || tag & RUN != 0
            || (skip_special && tag & SPECIAL != 0)
        {
            return None;
        }
        let bytes = if tag & LONG != 0 { self.long_text(slot) } else { &slot[..(tag & LENGTH) as usize] };
        let text = std::str::from_utf8(bytes).ok()?;
        let whole = !text.is_empty() && (tag & WIDE == 0 || !text.ends_with('\u{FFFD}'));
        whole.then_some(text)
    }

    /// The bytes that an id adds wherever it stands; none if it is skipped or unknown. `None` where text is more than the
    /// bytes of all ids.
    pub fn own_bytes(&self, id: TokenId, skip_special: bool) -> Option<&[u8]> {
        if self.join != Join::Bytes || !self.anywhere {
            return None;
        }
        Some(match self.slots.get(id as usize) {
            Some(slot) if slot[TAG] & SPECIAL == 0 || !skip_special => match slot[TAG] {
                tag if tag & LONG != 0 => self.long_text(slot),
                tag => &slot[..(tag & LENGTH) as usize],
            },
            _ => &[],
        })
    }

    /// What the last stages leave of the joined text `text`, where they take nothing off its end.
    pub fn stripped<'t>(&self, mut text: &'t str) -> &'t str {
        for &(content, start, stop) in &self.strips {
            text = &text[plain::strip(text.as_bytes(), content, start, stop)];
        }
        text
    }

    fn long_text(&self, slot: &[u8; SLOT]) -> &[u8] {
        let (from, length) = self.long_place(slot);
        &self.long[from..from + length]
    }

    /// Where a long text begins, and how many bytes it has.
    fn long_place(&self, slot: &[u8; SLOT]) -> (usize, usize) {
        let number =
            |at: usize| u32::from_le_bytes([slot[at], slot[at + 1], slot[at + 2], slot[at + 3]]) as usize;
        (number(0), number(4))
    }

    /// Takes off the joined text what the last stages strip.
    pub fn strip(&self, out: &mut Buffer) {
        for &(content, start, stop) in &self.strips {
            out.keep(plain::strip(out.as_bytes(), content, start, stop));
        }
    }
}

impl Decoder {
    /// Whether a table can stand for it, unless its texts would be huge.
    pub fn allows_table(&self) -> bool {
        self.as_sentencepiece().is_some() || self.shape().is_some()
    }

    /// The shape of a decoder that a table can stand for.
    fn shape(&self) -> Option<Shape<'_>> {
        let mut stages = Vec::new();
        self.flatten(&mut stages);
        let mut shape = Shape { each: vec![], join: Join::Text, first: false, last: false, strips: vec![] };
        // Whether tokens have been joined: to one text, or to runs of bytes between tokens.
        let (mut one, mut runs) = (false, false);
        for stage in stages {
            match stage {
                Decoder::Fuse => (one, runs) = (true, false),
                Decoder::Strip { content, start, stop } if one && shape.join != Join::Bytes => {
                    shape.strips.push((*content, *start, *stop));
                }
                _ if one || runs => return None,
                Decoder::ByteLevel => (shape.join, one) = (Join::Bytes, true),
                Decoder::ByteFallback => (shape.join, runs) = (Join::Runs, true),
                Decoder::Replace { matcher, .. } if matcher.as_literal().is_some() => shape.each.push(stage),
                Decoder::Strip { .. } => shape.each.push(stage),
                Decoder::Metaspace { keep_first, .. } => {
                    shape.first |= !keep_first;
                    shape.each.push(stage);
                }
                Decoder::WordPiece { .. } => {
                    shape.first = true;
                    shape.each.push(stage);
                }
                Decoder::Bpe { .. } => {
                    shape.last = true;
                    shape.each.push(stage);
                }
                _ => return None,
            }
        }
        // A first or last token that is a byte token would have to be taken into a run.
        let edges = shape.first || shape.last;
        (!edges || shape.join == Join::Text).then_some(shape)
    }

    /// The text of a first or last token of several, as the stages make it that look at each token alone.
    pub fn edge(&self, token: &str, first: bool) -> Result<String> {
        let stages = self.shape().map(|shape| shape.each).unwrap_or_default();
        let other = "x".to_owned();
        let _work = limits::begin(token.len() + other.len(), Cancel::never());
        let texts = if first { vec![token.to_owned(), other] } else { vec![other, token.to_owned()] };
        let mut texts = stages.into_iter().try_fold(texts, |texts, stage| stage.decode_chain(texts))?;
        Ok(texts.swap_remove(usize::from(!first)))
    }

    /// How many times as long a stage may make texts that have one more byte each.
    fn most_growth(&self) -> usize {
        match self {
            Decoder::Replace { matcher, content } => {
                content.len().div_ceil(matcher.as_literal().map_or(1, str::len).max(1)).max(1)
            }
            // An empty suffix is found between all characters.
            Decoder::Bpe { .. } => 2,
            _ => 1,
        }
    }

    fn flatten<'d>(&'d self, stages: &mut Vec<&'d Decoder>) {
        match self {
            Decoder::Sequence(decoders) => decoders.iter().for_each(|decoder| decoder.flatten(stages)),
            stage => stages.push(stage),
        }
    }
}
