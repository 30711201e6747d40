//! Cutting, joining and padding encodings.

use std::ops::Range;
use std::slice::from_ref;
use std::sync::{Arc, OnceLock};

use super::{Encoding, Offsets, Places, Surfaces};
use crate::error::{Error, ErrorKind, Result};
use crate::ids::TokenId;
use crate::limits;
use crate::spec::Direction;

/// Every window of a part meets every window of the others, so parts with many, or a long one that is repeated, multiply
/// them.
fn check_size(encodings: &[Encoding]) -> Result<()> {
    let (mut rows, mut longest) = (1usize, 0usize);
    for encoding in encodings {
        let window = encoding.overflowing.iter().map(Encoding::len).max().unwrap_or(0);
        rows = rows.saturating_mul(encoding.overflowing.len() + 1);
        longest = longest.saturating_add(window.max(encoding.len()));
    }
    limits::check_tokens(rows.saturating_mul(longest), || {
        format!("joining {} parts in {rows} rows", encodings.len())
    })
}

/// Padding beyond this many tokens is refused: it is a mistake, and would exhaust the memory.
const LONGEST: usize = u32::MAX as usize;

/// What padding tokens are made of.
#[derive(Debug, Clone)]
pub(crate) struct Filler {
    pub id: TokenId,
    pub type_id: u32,
    pub text: Arc<str>,
}

impl Encoding {
    /// Tokens `range` on their own: no overflow, no sequence ranges.
    fn window(&self, range: Range<usize>) -> Encoding {
        Encoding {
            ids: self.ids[range.clone()].to_vec(),
            type_ids: self.type_ids.slice(range.clone()),
            places: Places::told(self.offsets().slice(range.clone()), self.words()[range.clone()].to_vec()),
            special_tokens_mask: self.special_tokens_mask.slice(range.clone()),
            attention_mask: self.attention_mask.slice(range.clone()),
            vocabulary: self.vocabulary.clone(),
            surfaces: self.surfaces.slice(range),
            ..Encoding::default()
        }
    }

    /// Cuts to `max_length` tokens; what is cut goes to the overflow in windows that share `stride` tokens.
    ///
    /// From the left means that the end of the text is kept, and the windows walk towards its start. The
    /// sequence ranges are lost. Cutting to 0 leaves nothing and one window with everything.
    pub fn truncate(&mut self, max_length: usize, stride: usize, direction: Direction) -> Result<()> {
        let len = self.len();
        if max_length >= len {
            return Ok(());
        }
        if max_length == 0 {
            let vocabulary = self.vocabulary.clone();
            let whole = std::mem::take(self);
            self.vocabulary = vocabulary;
            self.overflowing.push(whole);
            return Ok(());
        }
        if stride >= max_length {
            return Err(Error::new(
                ErrorKind::Truncation,
                format!(
                    "Truncation error: the stride {stride} must be smaller than the {max_length} tokens \
                     that are kept of a sequence (special tokens are not counted); use a smaller stride \
                     or a larger max_length"
                ),
            ));
        }
        let step = max_length - stride;
        let mut windows = Vec::with_capacity((len - max_length).div_ceil(step));
        for window in 1.. {
            let shift = window * step;
            let (range, last) = match direction {
                Direction::Right => (shift..len.min(shift + max_length), shift + max_length >= len),
                Direction::Left => {
                    let end = len - shift;
                    (end.saturating_sub(max_length)..end, end <= max_length)
                }
            };
            windows.push(self.window(range));
            if last {
                break;
            }
        }
        *self = match direction {
            Direction::Right => self.window(0..max_length),
            Direction::Left => self.window(len - max_length..len),
        };
        self.overflowing = windows;
        Ok(())
    }

    /// Joins encodings in order. With `growing_offsets` the offsets of each start where those of the one
    /// before ended.
    ///
    /// Overflow is combined: every window of the one part with every window of the other, and with the
    /// other part itself. Where these would be far more tokens than the parts have, it is an error.
    pub fn merge(encodings: Vec<Encoding>, growing_offsets: bool) -> Result<Encoding> {
        // About four bytes each.
        let bytes = encodings.iter().map(Encoding::tokens_with_overflow).sum::<usize>() * 4;
        let _work = limits::begin_alone(bytes);
        check_size(&encodings)?;
        let mut parts = encodings.into_iter();
        let mut joined = parts.next().unwrap_or_default();
        parts.for_each(|encoding| joined.merge_with(encoding, growing_offsets));
        Ok(joined)
    }

    fn tokens_with_overflow(&self) -> usize {
        self.len() + self.overflowing.iter().map(Encoding::tokens_with_overflow).sum::<usize>()
    }

    /// Appends another encoding; see [`merge`](Self::merge).
    fn merge_with(&mut self, other: Encoding, growing_offsets: bool) {
        let mut windows = self.take_overflowing();
        if other.overflowing.is_empty() {
            for window in &mut windows {
                window.append(&other, growing_offsets);
            }
        } else {
            let mut combined = Vec::with_capacity((windows.len() + 1) * (other.overflowing.len() + 1) - 1);
            let mut combine = |left: &Encoding, right: &Encoding| {
                let mut window = left.window(0..left.len());
                window.sequence_ranges.clone_from(&left.sequence_ranges);
                window.append(right, growing_offsets);
                combined.push(window);
            };
            for window in &windows {
                combine(window, &other);
                for right in &other.overflowing {
                    combine(window, right);
                }
            }
            for right in &other.overflowing {
                combine(self, right);
            }
            windows = combined;
        }
        self.take_in(other, growing_offsets);
        self.overflowing = windows;
    }

    fn reserve(&mut self, additional: usize) {
        self.ids.reserve(additional);
        self.places.reserve(additional);
    }

    /// Appends the columns of another encoding, and nothing of its overflow.
    fn append(&mut self, other: &Encoding, growing_offsets: bool) {
        self.append_all_but_places(other);
        let (mut offsets, mut words) = self.places.take(&self.ids);
        self.ids.extend_from_slice(&other.ids);
        words.extend_from_slice(other.words());
        let last = offsets.iter().next_back().map_or(0, |(_, end)| end);
        offsets.append(other.offsets(), if growing_offsets { last } else { 0 });
        self.places = Places::told(offsets, words);
    }

    /// The same where the other one is not needed any more: the longer columns of both are kept, and the shorter ones copied.
    fn take_in(&mut self, mut other: Encoding, growing_offsets: bool) {
        if growing_offsets || other.len() <= self.len() {
            return self.append(&other, growing_offsets);
        }
        self.append_all_but_places(&other);
        let (mut offsets, mut words) = self.places.take(&self.ids);
        let (later, mut later_words) = other.places.take(&other.ids);
        put_in_front(&mut other.ids, &mut self.ids);
        put_in_front(&mut later_words, &mut words);
        match (&mut offsets, later) {
            (Offsets::Narrow(offsets), Offsets::Narrow(mut later)) => put_in_front(&mut later, offsets),
            (offsets, later) => offsets.append(&later, 0),
        }
        self.places = Places::told(offsets, words);
    }

    /// Appends what is not one number for each token, while the numbers of both are what they were.
    fn append_all_but_places(&mut self, other: &Encoding) {
        let at = self.len();
        self.append_texts(other, at);
        self.type_ids.append(&other.type_ids);
        self.special_tokens_mask.append(&other.special_tokens_mask);
        self.attention_mask.append(&other.attention_mask);
        for (sequence, range) in &other.sequence_ranges {
            self.set_sequence_range(*sequence, at + range.start..at + range.end);
        }
        self.order = OnceLock::new();
    }

    /// Texts come from one vocabulary; those that another one knows are written out.
    fn append_texts(&mut self, other: &Encoding, at: usize) {
        let same = match (&self.vocabulary, &other.vocabulary) {
            (Some(ours), Some(theirs)) => std::ptr::addr_eq(Arc::as_ptr(ours), Arc::as_ptr(theirs)),
            (None, None) => true,
            (None, Some(theirs)) => {
                if self.surfaces.covered() < self.len() {
                    self.surfaces = self.written_out();
                }
                self.vocabulary = Some(Arc::clone(theirs));
                true
            }
            (Some(_), None) => false,
        };
        if same || other.surfaces.covered() == other.len() {
            self.surfaces.append(&other.surfaces, at);
        } else {
            self.surfaces.append(&other.written_out(), at);
        }
    }

    fn written_out(&self) -> Surfaces {
        let mut surfaces = Surfaces::new();
        for (index, text) in self.token_texts().enumerate() {
            surfaces.push(index, text);
        }
        surfaces
    }

    /// Fills up to `length` tokens, those of the overflow too. Longer ones stay as they are.
    pub fn pad(
        &mut self,
        length: usize,
        pad_id: TokenId,
        pad_type_id: u32,
        pad_token: &str,
        direction: Direction,
    ) -> Result<()> {
        self.fill(length, &Filler { id: pad_id, type_id: pad_type_id, text: pad_token.into() }, direction)
    }

    pub(crate) fn fill(&mut self, length: usize, filler: &Filler, direction: Direction) -> Result<()> {
        refuse_if!(length > LONGEST, Value, "cannot pad to {length} tokens: at most {LONGEST} are possible");
        for window in &mut self.overflowing {
            window.fill(length, filler, direction)?;
        }
        let len = self.len();
        if len >= length {
            return Ok(());
        }
        let count = length - len;
        self.order = OnceLock::new();
        let no_memory = |error| {
            Error::new(ErrorKind::Memory, format!("not enough memory to pad with {count} tokens"))
                .caused_by(error)
        };
        self.ids.try_reserve_exact(count).map_err(no_memory)?;
        self.places.try_reserve(&self.ids, count).map_err(no_memory)?;
        match direction {
            Direction::Right => {
                self.ids.resize(length, filler.id);
                self.surfaces.push_run(len..length, Arc::clone(&filler.text));
            }
            Direction::Left => {
                self.ids.splice(0..0, std::iter::repeat_n(filler.id, count));
                self.surfaces.prepend(count, Arc::clone(&filler.text));
                for (_, range) in &mut self.sequence_ranges {
                    *range = range.start + count..range.end + count;
                }
            }
        }
        self.places.surround(count, direction);
        let columns = [&mut self.type_ids, &mut self.special_tokens_mask, &mut self.attention_mask];
        for (column, value) in columns.into_iter().zip([filler.type_id, 1, 0]) {
            match direction {
                Direction::Right => column.push(value, count),
                Direction::Left => column.prepend(value, count),
            }
        }
        Ok(())
    }

    /// Puts special tokens in front of all or behind it, which joining with [`from_specials`](Self::from_specials) comes to as
    /// well, and nothing in the overflow.
    pub(crate) fn put_specials(&mut self, (ids, texts): SpecialTokens<'_>, type_id: u32, side: Direction) {
        let count = ids.len().min(texts.len());
        let ids = &ids[..count];
        self.order = OnceLock::new();
        self.name_specials((ids, texts), side);
        match side {
            Direction::Left => {
                self.ids.splice(0..0, ids.iter().copied());
                for (_, range) in &mut self.sequence_ranges {
                    *range = range.start + count..range.end + count;
                }
            }
            Direction::Right => self.ids.extend_from_slice(ids),
        }
        self.places.surround(count, side);
        let columns = [&mut self.type_ids, &mut self.special_tokens_mask, &mut self.attention_mask];
        for (column, value) in columns.into_iter().zip([type_id, 1, 1]) {
            match side {
                Direction::Left => column.prepend(value, count),
                Direction::Right => column.push(value, count),
            }
        }
    }

    /// Notes the texts of special tokens that the vocabulary calls otherwise.
    fn name_specials(&mut self, (ids, texts): SpecialTokens<'_>, side: Direction) {
        let (at, later) = match side {
            Direction::Left => (0, std::mem::take(&mut self.surfaces)),
            Direction::Right => (self.len(), Surfaces::new()),
        };
        for (index, (&id, text)) in ids.iter().zip(texts).enumerate() {
            if self.vocabulary_text(id) != &**text {
                self.surfaces.push(at + index, Arc::clone(text));
            }
        }
        if !later.is_empty() {
            self.surfaces.append(&later, ids.len());
        }
    }

    /// Puts special tokens around a sequence and forgets what was special in it: `before` and `after` of
    /// type `type_id`, the tokens between them sequence `sequence`.
    pub(crate) fn surround(
        &mut self,
        before: Option<(&Arc<str>, TokenId)>,
        (text, id): (&Arc<str>, TokenId),
        type_id: u32,
        sequence: usize,
    ) {
        let (len, first) = (self.len(), before.iter().len());
        self.reserve(2);
        self.special_tokens_mask.fill(0);
        self.attention_mask.fill(1);
        self.sequence_ranges.clear();
        if let Some((text, id)) = before {
            self.put_specials((&[id], from_ref(text)), type_id, Direction::Left);
        }
        self.put_specials((&[id], from_ref(text)), type_id, Direction::Right);
        self.set_sequence_range(sequence, first..first + len);
    }
}

/// The ids of special tokens, and what they are called.
pub(crate) type SpecialTokens<'s> = (&'s [TokenId], &'s [Arc<str>]);

/// Has all of a column where the front of it is.
fn put_in_front<T: Copy>(later: &mut Vec<T>, front: &mut Vec<T>) {
    later.splice(0..0, front.iter().copied());
    std::mem::swap(later, front);
}
