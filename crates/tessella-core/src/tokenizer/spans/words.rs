//! Tokens of words, packed as one number each: where they stand in their word, and whether they end it.

use super::super::packed;
use super::places::{Characters, Moved};
use super::{Mapped, Origin, Spans, Walk, word_at};
use crate::encoding::Offsets;
use crate::ids::TokenId;
use crate::lanes::Pieces;
use crate::lanes::abreast::{self, Columns, Numbering};

/// Words that were packed, and how many of them up to each are no parts that go on others; nothing, if none goes on.
#[derive(Debug, Clone, Copy)]
pub struct Packed<'p> {
    pub words: Pieces<'p>,
    pub opened: &'p [u32],
}

impl Spans<'_, '_> {
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
}
