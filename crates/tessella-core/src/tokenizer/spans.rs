//! Offsets and words of many tokens at once, where it is known how long each of them is: running sums.
//!
//! Of byte-level pieces the ids tell the lengths ([`Lengths`]), of words the packed tokens do ([`super::packed`]). A token
//! begins where the one before it ended, or where the next piece begins, and a word ends where its piece does. Of
//! a stretch of text that is not too long, what each place stands for is written down first ([`crate::lanes::places`]), so that no
//! token waits for where the one before it led; of others, positions in characters are counted along.

use super::packed;
use super::positions::{Positions, characters};
use super::units::UnitPlaces;
use crate::encoding::{OffsetUnit, Offsets};
use crate::ids::{Span, TokenId};
use crate::lanes::abreast::{self, Columns, Numbering, Offset};
use crate::lanes::covering::{self, Covering};
use crate::lanes::ends::MANY;
use crate::lanes::places::{self, Counted, Counts, Ending, Places};
use crate::lanes::vectors::Vectors;
use crate::lanes::{Lengths, Pieces};

/// Pieces that are shorter together have tables for each place of their text.
const STRETCH: usize = 1 << 18;

/// Columns that grow.
pub(super) struct Spans<'c, 't> {
    pub offsets: &'c mut Offsets,
    pub words: &'c mut Vec<u32>,
    pub positions: &'c mut Positions<'t>,
    pub places: &'c mut Places,
    /// The number of the next word.
    pub number: u32,
    /// 1, or 0 where all have one number.
    pub step: u32,
}

/// Words that were packed, and how many of them up to each are no parts that go on others; nothing, if none goes on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packed<'p> {
    pub words: Pieces<'p>,
    pub opened: &'p [u32],
}

/// Pieces that are told one by one, where what stands otherwise is near.
const FEW: usize = 16;

/// How a text stands in the original from a byte on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stands {
    /// Where, if byte by byte.
    pub origin: Option<Origin>,
    /// Up to which byte it does so.
    pub until: u32,
}

/// Where a text stands in the original, of which the first bytes may stand elsewhere.
#[derive(Debug, Clone, Copy)]
pub(super) struct Origin {
    /// A byte of the text, and the original's for it.
    pub from: usize,
    pub at: usize,
}

impl Origin {
    /// Whether the text begins where the original does.
    pub fn is_start(self) -> bool {
        (self.from, self.at) == (0, 0)
    }

    /// The original's byte for one of the text that is not before that which is known.
    #[inline(always)]
    fn of(self, byte: usize) -> usize {
        self.at + (byte - self.from)
    }
}

/// Where tokens are in the text that pieces are of, and in which of these.
struct Walk<'p> {
    pieces: Pieces<'p>,
    piece: usize,
    at: u32,
    number: u32,
    step: u32,
}

/// A token's range, and its word.
type Token = (u32, u32, u32);

impl<'p> Walk<'p> {
    fn new(pieces: Pieces<'p>, spans: &Spans<'_, '_>) -> Self {
        let at = pieces.starts.first().copied().unwrap_or(0);
        Walk { pieces, piece: 0, at, number: spans.number, step: spans.step }
    }

    /// The next token, which ends at `end`. Without a branch, for where words end cannot be guessed.
    #[inline(always)]
    fn until(&mut self, end: u32) -> Token {
        let (start, number) = (self.at, self.number);
        let is_last = self.pieces.ends.get(self.piece) == Some(&end);
        self.piece += usize::from(is_last);
        self.number += u32::from(is_last) & self.step;
        let next = self.pieces.starts.get(self.piece).copied().unwrap_or(end);
        self.at = if is_last { next } else { end };
        (start, end, number)
    }
}

/// Whether each piece begins where the one before it ends.
fn have_no_gaps(Pieces { starts, ends, .. }: Pieces<'_>) -> bool {
    let (next, ends) = (starts.get(1..).unwrap_or_default(), &ends[..ends.len().saturating_sub(1)]);
    // Mostly they are the same numbers of one list.
    std::ptr::eq(next, ends) || next == ends
}

impl Spans<'_, '_> {
    /// Appends what belongs to the ids of some pieces, whose tokens cover them. `stands` tells where in the original stretches of
    /// their text stand, `span` what a range of it stands for.
    pub fn of_ids(
        &mut self,
        pieces: Pieces<'_>,
        ids: &[TokenId],
        lengths: &Lengths,
        stands: impl Fn(u32) -> Stands,
        span: impl Fn(usize, usize) -> Span,
    ) {
        let (mut pieces, mut ids) = (pieces, ids);
        while let (Some(&start), Some(&end)) = (pieces.starts.first(), pieces.ends.last()) {
            let Stands { origin, until } = stands(start);
            if until >= end {
                return self.of_alike(pieces, ids, lengths, origin, &span);
            }
            let count = pieces.ends.partition_point(|&end| end <= until);
            // What stands otherwise between is few bytes mostly, and a few pieces more cost no more by themselves.
            let (origin, count) =
                if count < FEW { (None, FEW.min(pieces.ends.len())) } else { (origin, count) };
            let some = pieces.first(count);
            let mut bytes: u32 = some.starts.iter().zip(some.ends).map(|(start, end)| end - start).sum();
            let others = ids.iter().position(|&id| {
                let is_other = bytes == 0;
                bytes = bytes.saturating_sub(lengths.of(id));
                is_other
            });
            let (own, others) = ids.split_at(others.unwrap_or(ids.len()));
            self.of_alike(some, own, lengths, origin, &span);
            (pieces, ids) = (pieces.from(count), others);
        }
    }

    /// Appends what belongs to a token that is a word.
    pub fn word(&mut self, span: Span) {
        self.offsets.push((self.positions.convert(span.start), self.positions.convert(span.end)));
        self.words.push(self.number);
        self.number += self.step;
    }

    /// The same for pieces whose text is the original's own, or for any.
    fn of_alike(
        &mut self,
        pieces: Pieces<'_>,
        ids: &[TokenId],
        lengths: &Lengths,
        origin: Option<Origin>,
        span: impl Fn(usize, usize) -> Span,
    ) {
        if let Some(origin) = origin
            && have_no_gaps(pieces)
            && self.of_covering(pieces, ids, lengths, origin)
        {
            return;
        }
        let mut walk = Walk::new(pieces, self);
        let tokens = ids.iter().map(|&id| walk.until(walk.at + lengths.of(id)));
        match origin {
            Some(origin) => self.of_original(pieces, origin, tokens),
            None => self.of_any(tokens, span),
        }
        debug_assert_eq!(walk.piece, pieces.ends.len(), "tokens cover their pieces");
        self.number = walk.number;
    }

    /// The same for pieces without gaps between them that are not too long together; false, with nothing appended, for
    /// others.
    fn of_covering(
        &mut self,
        pieces: Pieces<'_>,
        ids: &[TokenId],
        lengths: &Lengths,
        origin: Origin,
    ) -> bool {
        let Some(stretch) = self.stretch(pieces) else { return false };
        // The tables are lent out while the columns grow.
        let mut tables = std::mem::take(self.places);
        let origin = origin.of(word_at(pieces.starts, 0) as usize);
        let Mapped { begin, counted, .. } = self.mapped(stretch, origin, &mut tables.counts);
        let covering = Covering {
            lengths: lengths.by_value(),
            ending: tables.ends.of(pieces),
            counted,
            begin,
            at: 0,
            first: 0,
            number: self.number,
            step: self.step,
        };
        self.cover(covering, ids);
        *self.places = tables;
        self.number += pieces.ends.len() as u32 * self.step;
        true
    }

    /// Appends what belongs to ids whose tokens cover a stretch; says where in it they end.
    fn cover(&mut self, mut covering: Covering<'_>, ids: &[TokenId]) -> u32 {
        let Offsets::Narrow(offsets) = &mut *self.offsets else { return 0 };
        let (first, count) = (self.words.len(), self.words.len() + ids.len());
        offsets.resize(count, [0; 2]);
        self.words.resize(count, 0);
        let columns = covering::Columns { offsets: &mut offsets[first..], words: &mut self.words[first..] };
        covering.write(ids, columns);
        covering.at
    }

    /// Appends what belongs to the ids of some units of a written text, which stands for the original's from byte `origin` on,
    /// behind the bytes that were put in front. All of them are of one word. False where that cannot be told, and then what was
    /// appended counts for nothing.
    pub fn of_units(
        &mut self,
        units: Pieces<'_>,
        ids: &[TokenId],
        (told, put): (UnitPlaces<'_>, u32),
        origin: usize,
    ) -> bool {
        let (from, UnitPlaces { lengths, ends_cover, .. }) = (word_at(units.starts, 0), told);
        let lead = if from < put { put } else { 0 };
        let to = units.ends.last().copied().unwrap_or(from);
        let stretch = Pieces { starts: &[from + lead], ends: &[to], ..units };
        let Some(stretch) = self.stretch(stretch).filter(|stretch| !stretch.is_empty()) else { return false };
        let origin = origin + (from.max(put) - put) as usize;
        if ends_cover && !stretch.is_ascii() {
            let all: u32 = ids.iter().map(|&id| lengths.of(id)).sum();
            if stretch.len() as u32 + lead != all {
                return false;
            }
            self.of_closed(stretch, origin, (ids, lengths, lead));
            return true;
        }
        self.of_open(stretch, origin, (ids, lengths, lead, ends_cover)) as usize == stretch.len()
    }

    /// Appends tokens that cover a stretch of the original from byte `origin` on, behind `lead` bytes that were put in front; says where
    /// in it they end.
    fn of_open(
        &mut self,
        stretch: &[u8],
        origin: usize,
        (ids, lengths, lead, ends_cover): (&[TokenId], &Lengths, u32, bool),
    ) -> u32 {
        let mut counts = std::mem::take(&mut self.places.counts);
        let Mapped { begin, counted, .. } = self.mapped(stretch, origin, &mut counts);
        let (lengths, ending, number) = (lengths.by_value(), Ending::default(), self.number);
        let mut covering = Covering { lengths, ending, counted, begin, at: 0, first: 0, number, step: 0 };
        let mut ids = ids;
        if lead > 0
            && let Some((&id, rest)) = ids.split_first()
        {
            // What was put in front shares the place of the first character, or stands for nothing.
            let inside = stretch.iter().skip(1).take_while(|&&byte| byte & 0xC0 == 0x80);
            let first = if ends_cover { 0 } else { inside.count() as u32 + 1 };
            let Some(end) = lengths.of(id).checked_sub(lead) else { return u32::MAX };
            let place = if end == 0 { first } else { end };
            let (count, inside) = counted.map_or((place, 0), |counted| counted.at(place));
            self.offsets.push((begin as usize, (begin + count) as usize));
            self.words.push(number);
            (covering.at, covering.first) = (end, if end == 0 { 0 } else { count - inside });
            ids = rest;
        }
        let end = self.cover(covering, ids);
        self.places.counts = counts;
        end
    }

    /// Appends what words become whose tokens follow one another, packed as one number each. A token that ends where it
    /// begins is a mark with the place of the character there. Their text is the
    /// original's from byte `origin` on, if not all of it is `mapped`. Of words in parts it is told how many are
    /// [opened](Pieces::note_opened). Returns the number of words, or parts.
    pub fn of_packed(
        &mut self,
        words: Packed<'_>,
        numbers: &[u32],
        ids: &mut Vec<TokenId>,
        origin: usize,
        mapped: Option<Mapped<'_>>,
    ) -> usize {
        let (first, number, step) = (self.words.len(), self.number, self.step);
        let Packed { words, opened } = words;
        let (Some(&before), None) = (opened.first(), mapped) else {
            return match mapped {
                Some(mapped) => self.of_mapped(words, opened, numbers, ids, mapped),
                None => self.of_unmapped(words, numbers, ids, origin),
            };
        };
        // Parts are numbered first.
        (self.number, self.step) = (0, 1);
        let count = self.of_unmapped(words, numbers, ids, origin);
        let of_part = |part: u32| number + (word_at(opened, part as usize).wrapping_sub(before)) * step;
        self.words[first..].iter_mut().for_each(|word| *word = of_part(*word));
        (self.number, self.step) = (number, step);
        self.pass(opened, count);
        count
    }

    /// Some words have ended, of which the last one may be one of parts.
    fn pass(&mut self, opened: &[u32], count: usize) {
        let words = match (opened.first(), count.checked_sub(1).and_then(|last| opened.get(last))) {
            (Some(before), Some(last)) => last - before + 1,
            (Some(_), None) => 0,
            (None, _) => count as u32,
        };
        self.number += words * self.step;
    }

    fn of_unmapped(
        &mut self,
        words: Pieces<'_>,
        numbers: &[u32],
        ids: &mut Vec<TokenId>,
        origin: usize,
    ) -> usize {
        ids.extend(numbers.iter().map(|&number| packed::id(number)));
        let count = numbers.iter().filter(|&&number| packed::is_last(number)).count();
        let words = words.first(count);
        let mut walk = Walk::new(words, self);
        let tokens = numbers.iter().map(|&number| {
            let (start, end) = (word_at(words.starts, walk.piece), word_at(words.ends, walk.piece));
            walk.until(packed::end(number, start, end))
        });
        self.of_original(words, Origin { from: 0, at: origin }, tokens);
        self.number = walk.number;
        count
    }

    fn of_mapped(
        &mut self,
        words: Pieces<'_>,
        opened: &[u32],
        numbers: &[u32],
        ids: &mut Vec<TokenId>,
        mapped: Mapped<'_>,
    ) -> usize {
        let Offsets::Narrow(offsets) = &mut *self.offsets else { return 0 };
        let (first, count) = (ids.len(), ids.len() + numbers.len());
        ids.resize(count, 0);
        offsets.resize(count, [0; 2]);
        self.words.resize(count, 0);
        let columns = Columns {
            ids: &mut ids[first..],
            offsets: &mut offsets[first..],
            words: &mut self.words[first..],
        };
        let numbering = Numbering { first: self.number, step: self.step, opened };
        let Mapped { from, begin, counted } = mapped;
        let ended = match counted {
            None => abreast::place(numbers, words, numbering, Moved(begin.wrapping_sub(from)), columns),
            Some(counted) => {
                abreast::place(numbers, words, numbering, Characters { counted, from, begin }, columns)
            }
        };
        self.pass(opened, ended);
        ended
    }

    /// Where the places of some pieces are, if each of them is to be looked up.
    pub fn map<'m>(
        &mut self,
        pieces: Pieces<'_>,
        origin: usize,
        counts: &'m mut Counts,
    ) -> Option<Mapped<'m>> {
        let (stretch, from) = (self.stretch(pieces)?, word_at(pieces.starts, 0));
        let mapped = self.mapped(stretch, origin + from as usize, counts);
        Some(Mapped { from, ..mapped })
    }

    fn mapped<'m>(&mut self, stretch: &[u8], origin: usize, counts: &'m mut Counts) -> Mapped<'m> {
        let begin = self.positions.convert(origin);
        let is_plain = self.positions.is_ascii || stretch.is_ascii();
        let counted = (!is_plain).then(|| counts.of(stretch));
        let length = stretch.len() as u32;
        let count = counted.map_or(length, |counted| counted.before(length));
        self.positions.are_at(origin + stretch.len(), begin + count as usize);
        Mapped { from: 0, begin: begin as u32, counted }
    }

    /// The text from the first piece to the last if each place of it is to be looked up.
    fn stretch<'p>(&self, pieces: Pieces<'p>) -> Option<&'p [u8]> {
        let (from, to) = (*pieces.starts.first()?, *pieces.ends.last()?);
        let stretch = pieces.text.get(from as usize..to as usize)?;
        let begins_inside = stretch.first().is_some_and(|byte| byte & 0xC0 == 0x80);
        let are_characters = self.positions.unit == OffsetUnit::Char && !begins_inside;
        let fits = stretch.len() < STRETCH
            && (self.positions.is_ascii || are_characters)
            && u32::try_from(self.positions.text.len()).is_ok()
            && matches!(self.offsets, Offsets::Narrow(_));
        fits.then_some(stretch)
    }

    /// As [`of_open`](Self::of_open) where ends cover, but a byte inside of a character covers nothing, and its last one covers
    /// it.
    fn of_closed(
        &mut self,
        stretch: &[u8],
        origin: usize,
        (ids, lengths, lead): (&[TokenId], &Lengths, u32),
    ) {
        let begin = self.positions.convert(origin);
        let before = begin as u32;
        let mut counts = std::mem::take(&mut self.places.counts);
        let counted = counts.of(stretch);
        let (mut at, number, lengths) = (0, self.number, lengths.by_value());
        let tokens = ids.iter().map(|&id| {
            let start = at;
            at += lengths.of(id);
            (start.max(lead) - lead, at - lead, number)
        });
        self.push(tokens, move |start, end| {
            let is_open = stretch.get(end as usize).is_some_and(|byte| byte & 0xC0 == 0x80);
            let first = (before + counted.before(start + 1)).wrapping_sub(1);
            [first, before + counted.before(end) - u32::from(is_open)]
        });
        self.positions.are_at(origin + stretch.len(), begin + counted.before(stretch.len() as u32) as usize);
        self.places.counts = counts;
    }

    /// Appends tokens, whose offsets do not hang on what was converted before.
    #[inline(always)]
    fn push(
        &mut self,
        tokens: impl ExactSizeIterator<Item = Token>,
        mut offset: impl FnMut(u32, u32) -> [u32; 2],
    ) {
        let Offsets::Narrow(offsets) = &mut *self.offsets else { return };
        let (first, count) = (self.words.len(), tokens.len());
        self.words.resize(first + count, 0);
        offsets.resize(first + count, [0; 2]);
        let columns = self.words[first..].iter_mut().zip(&mut offsets[first..]);
        for ((word, pair), (start, end, number)) in columns.zip(tokens) {
            *word = number;
            *pair = offset(start, end);
        }
    }

    #[inline(always)]
    fn of_original(
        &mut self,
        pieces: Pieces<'_>,
        origin: Origin,
        tokens: impl ExactSizeIterator<Item = Token>,
    ) {
        let Pieces { text, starts, ends } = pieces;
        if self.positions.is_ascii {
            return self.append(tokens, |_, start, end| (origin.of(start), origin.of(end.max(start + 1))));
        }
        if self.positions.unit != OffsetUnit::Char {
            return self.of_any(tokens, |start, end| {
                let Span { start, end } = whole_characters(text, start, end.max(start + 1));
                Span::new(origin.of(start), origin.of(end))
            });
        }
        let (Some(&from), Some(&to)) = (starts.first(), ends.last()) else { return };
        let (from, to) = (from as usize, to as usize);
        if text.get(from..to).is_some_and(<[u8]>::is_ascii) {
            let before = self.positions.convert(origin.of(from));
            self.append(tokens, |_, start, end| (before + start - from, before + end.max(start + 1) - from));
            return self.positions.are_at(origin.of(to), before + to - from);
        }
        // Characters that begin before a byte.
        let (mut at, mut count) = (usize::MAX, 0);
        self.append(tokens, |positions, start, end| {
            if start != at {
                count = match text.get(at..start) {
                    Some(gap) if gap.len() <= 8 => count + characters_near(text, at, start),
                    _ => positions.convert(origin.of(start)),
                };
            }
            // A byte inside of a character stands for all of it.
            let begins_inside = text.get(start).is_some_and(|byte| byte & 0xC0 == 0x80);
            let first = count - usize::from(begins_inside);
            count += characters_near(text, start, end);
            at = end;
            (first, count.max(first + 1))
        });
        if at != usize::MAX {
            self.positions.are_at(origin.of(at), count);
        }
    }

    #[inline(always)]
    fn of_any(&mut self, tokens: impl ExactSizeIterator<Item = Token>, span: impl Fn(usize, usize) -> Span) {
        self.append(tokens, |positions, start, end| {
            let span = span(start, end);
            (positions.convert(span.start), positions.convert(span.end))
        });
    }

    #[inline(always)]
    fn append(
        &mut self,
        tokens: impl ExactSizeIterator<Item = Token>,
        mut offset: impl FnMut(&mut Positions<'_>, usize, usize) -> (usize, usize),
    ) {
        self.offsets.reserve(tokens.len());
        self.words.reserve(tokens.len());
        for (start, end, number) in tokens {
            let (start, end) = (start as usize, end as usize);
            self.offsets.push(offset(self.positions, start, end));
            self.words.push(number);
        }
    }
}

/// Where the places of a stretch of text are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mapped<'m> {
    /// Where the stretch begins in the text of its pieces.
    from: u32,
    /// Characters before it.
    begin: u32,
    /// What begins before each place; `None` where bytes are characters.
    counted: Option<Counted<'m>>,
}

/// Offsets where bytes are characters: places, moved.
struct Moved(u32);

impl Offset for Moved {
    #[inline(always)]
    fn of<V: Vectors>(&self, _: V, starts: &[u32; MANY], ends: &[u32; MANY]) -> [[u32; MANY]; 2] {
        [starts, ends].map(|places| places.map(|place| place.wrapping_add(self.0)))
    }

    #[inline(always)]
    fn moved(&self, _: u32, _: u32) -> Option<u32> {
        Some(self.0)
    }
}

/// Offsets where they are not, as [`Mapped`] has it.
struct Characters<'m> {
    counted: Counted<'m>,
    from: u32,
    begin: u32,
}

impl Characters<'_> {
    /// What is before places that are moved by so many bytes, less as many. No closure: it would be compiled for no vectors.
    #[inline(always)]
    fn before_moved<V: Vectors>(&self, vectors: V, places: &[u32; MANY], moved: u32) -> [u32; MANY] {
        let places = places.map(|place| place.wrapping_add(moved).wrapping_sub(self.from));
        let (counts, _) = self.counted.at_all(vectors, &places);
        counts.map(|count| count.wrapping_add(self.begin).wrapping_sub(moved))
    }
}

impl Offset for Characters<'_> {
    /// A byte inside of a character stands for all of it.
    #[inline(always)]
    fn of<V: Vectors>(&self, vectors: V, starts: &[u32; MANY], ends: &[u32; MANY]) -> [[u32; MANY]; 2] {
        [self.before_moved(vectors, starts, 1), self.before_moved(vectors, ends, 0)]
    }

    #[inline(always)]
    fn moved(&self, start: u32, end: u32) -> Option<u32> {
        let before = |place: u32| self.counted.before(place - self.from);
        let (first, last) = (before(start), before(end));
        (last - first == end - start).then(|| (self.begin + first).wrapping_sub(start))
    }
}

impl Mapped<'_> {
    /// What begins before a boundary between characters, at a byte of the pieces' text.
    pub fn before(self, place: u32) -> usize {
        let place = place - self.from;
        (self.begin + self.counted.map_or(place, |counted| counted.before(place))) as usize
    }
}

/// Where a word starts or ends; 0 behind the last one.
#[inline(always)]
fn word_at(places: &[u32], word: usize) -> u32 {
    places.get(word).copied().unwrap_or(0)
}

/// The characters that have a byte of a range.
fn whole_characters(text: &[u8], mut start: usize, mut end: usize) -> Span {
    let inside = |at: usize| text.get(at).is_some_and(|byte| byte & 0xC0 == 0x80);
    while inside(start) {
        start -= 1;
    }
    while inside(end) {
        end += 1;
    }
    Span::new(start, end)
}

/// How many characters begin in a range that is mostly short and not empty.
#[inline(always)]
fn characters_near(text: &[u8], start: usize, end: usize) -> usize {
    let length = end - start;
    match text.get(start..).and_then(|rest| rest.first_chunk()) {
        Some(&bytes) if length.wrapping_sub(1) < 8 => {
            let begins = places::begins(u64::from_le_bytes(bytes)) & u64::MAX >> (64 - 8 * length);
            begins.count_ones() as usize
        }
        _ => characters(text.get(start..end).unwrap_or_default()),
    }
}
