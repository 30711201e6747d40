//! Tokens of units of a text that was written, with something put in front: they cover the text, or leave bytes of a character to others.

use super::super::units::UnitPlaces;
use super::{Mapped, Spans, Token, word_at};
use crate::encoding::Offsets;
use crate::ids::TokenId;
use crate::lanes::covering::Covering;
use crate::lanes::places::Ending;
use crate::lanes::{Lengths, Pieces};

impl Spans<'_, '_> {
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
}
