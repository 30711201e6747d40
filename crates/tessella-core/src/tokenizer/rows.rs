//! New words one behind the other, as a text: through all stages at once.
//!
//! Beginning the stages for a word costs more than the word. A text of words with a blank between any two comes to what each of them
//! comes to alone: that is what having words as keys rests on, whatever stands around them. So new words of which it is not told
//! character by character what they become are written into such a text, and that is normalized and cut. Which word
//! a piece is of, the blanks tell that were put between: if each of them is found behind the normalizer, where it stood and by
//! itself, and no other blank, else every word goes alone, which is the twin of this.

use std::ops::Range;

use super::segment::normalize_str;
use super::word_stages::Cut;
use crate::error::Result;
use crate::normalize::Normalizer;
use crate::pretokenize::byte_alphabet::BYTE_TO_CHAR;
use crate::pretokenize::{ByteLevelView, PreTokenizer, SplitView};
use crate::text::{AlignedText, Alignment};

/// Fewer words go alone.
const FEW: usize = 2;

/// How what the words of a row become is cut.
#[derive(Debug)]
pub(super) enum RowCut {
    /// As each word by itself.
    Alone,
    /// All at once, by stages that only cut.
    Splits(SplitView),
    /// The same before the byte-level alphabet.
    Bytes(ByteLevelView),
}

impl RowCut {
    /// For words that are cut by all stages, if these are given. `None` where words are not to be put in a row: something else is done
    /// to blanks between words.
    pub fn new(normalizer: Option<&Normalizer>, stages: Option<&PreTokenizer>) -> Option<RowCut> {
        const TEXT: &str = "a b a";
        if normalize_str(normalizer, TEXT).ok()? != TEXT {
            return None;
        }
        match stages {
            None => Some(RowCut::Alone),
            Some(cut) => cut.split_view().map(RowCut::Splits).or_else(|| {
                let is_plain = |view: &ByteLevelView| !view.add_prefix_space() && !view.cuts_inside();
                cut.byte_level_view().filter(is_plain).map(RowCut::Bytes)
            }),
        }
    }
}

/// Words that wait.
#[derive(Debug, Default)]
pub(super) struct Row {
    text: String,
    /// Where the blanks between words stand in it.
    blanks: Vec<u32>,
    /// What the words are among all new ones.
    pub numbers: Vec<usize>,
    /// What they become, where each ends in that, and its way back.
    normalized: String,
    ends: Vec<usize>,
    map: Alignment,
    /// Pieces of all words, and the number of those up to each word's last.
    pieces: Vec<Range<usize>>,
    counts: Vec<usize>,
    spelled: String,
}

impl Row {
    pub fn clear(&mut self) {
        self.text.clear();
        self.blanks.clear();
        self.numbers.clear();
    }

    /// Takes a word; false if it has to go alone.
    pub fn push(&mut self, number: usize, word: &str) -> bool {
        if word.is_empty() || word.contains(' ') {
            return false;
        }
        if !self.numbers.is_empty() {
            self.blanks.push(self.text.len() as u32);
            self.text.push(' ');
        }
        self.text.push_str(word);
        self.numbers.push(number);
        true
    }

    /// Finds the pieces of all words; false if the words have to go alone.
    pub fn find(
        &mut self,
        cut: &RowCut,
        normalizer: Option<&Normalizer>,
        is_trap: impl Fn(&str) -> bool,
    ) -> bool {
        if self.numbers.len() < FEW || !self.normalize(normalizer) || is_trap(&self.normalized) {
            return false;
        }
        self.pieces.clear();
        self.counts.clear();
        let Row { normalized, ends, pieces, counts, .. } = self;
        let mut each = |piece: Range<usize>| {
            pieces.push(piece);
            Ok(())
        };
        let outcome = match cut {
            RowCut::Alone => return true,
            RowCut::Splits(view) => view.for_each_piece(normalized, &mut each),
            RowCut::Bytes(view) => view.for_each_piece(normalized, &mut each),
        };
        let (mut count, mut start) = (0, 0);
        for &end in &*ends {
            let within = |piece: &&Range<usize>| start <= piece.start && piece.end <= end;
            count += pieces[count..].iter().take_while(within).count();
            counts.push(count);
            start = end + 1;
        }
        outcome.is_ok() && count == pieces.len()
    }

    /// Writes what the words become; false if that does not tell where each of them ends.
    fn normalize(&mut self, normalizer: Option<&Normalizer>) -> bool {
        self.normalized.clear();
        self.ends.clear();
        let mut text = AlignedText::borrowed(&self.text, 0);
        if normalizer.is_some_and(|normalizer| normalizer.normalize_short(&mut text).is_err()) {
            return false;
        }
        let (written, map, mut hint) = (text.as_str(), text.map(), 0);
        let mut blanks = self.blanks.iter();
        for at in memchr::memchr_iter(b' ', written.as_bytes()) {
            let origin = map.char_span_from(written, at, &mut hint);
            let stood = blanks.next().map(|&blank| blank as usize);
            if stood != Some(origin.start) || origin.end != origin.start + 1 {
                return false;
            }
            self.ends.push(at);
        }
        self.ends.push(written.len());
        self.normalized.push_str(written);
        self.map = text.into_parts().1;
        blanks.next().is_none()
    }

    /// Where a word begins, by its place in the row.
    fn start(&self, at: usize) -> usize {
        at.checked_sub(1).map_or(0, |before| self.blanks[before] as usize + 1)
    }

    /// A word as it came.
    pub fn raw_word(&self, at: usize) -> &str {
        let end = self.blanks.get(at).map_or(self.text.len(), |&blank| blank as usize);
        &self.text[self.start(at)..end]
    }

    /// Where in the word the first character comes from of what it becomes.
    pub fn begins(&self, at: usize) -> usize {
        let first = at.checked_sub(1).map_or(0, |before| self.ends[before] + 1);
        self.map.char_span(&self.normalized, first).start.saturating_sub(self.start(at))
    }

    /// Calls with each piece of a word, of which the stages cut all at once, and with what tells where in the word bytes of the piece
    /// come from.
    pub fn for_each_placed(
        &self,
        at: usize,
        mut each: impl FnMut(&str, &mut dyn FnMut(usize, usize) -> Range<usize>) -> Result<()>,
    ) -> Result<()> {
        let Row { pieces, counts, normalized, map, .. } = self;
        let (first, start) = (at.checked_sub(1).map_or(0, |before| counts[before]), self.start(at));
        let mut hint = 0;
        for piece in &pieces[first..counts[at]] {
            each(&normalized[piece.clone()], &mut |from, to| {
                let bytes = (piece.start + from, piece.start + to);
                let span = map.span_in_piece(normalized, bytes, piece, &mut hint);
                span.start - start..span.end - start
            })?;
        }
        Ok(())
    }

    /// What a word becomes, by its place in the row.
    pub fn word(&self, at: usize) -> &str {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before] + 1);
        &self.normalized[start..self.ends[at]]
    }

    /// Calls with each piece of a word. Where the stages did not cut all words at once, this one is cut by `alone`.
    pub fn for_each_piece(
        &mut self,
        cut: &RowCut,
        alone: &Cut,
        at: usize,
        mut each: impl FnMut(&str) -> Result<()>,
    ) -> Result<()> {
        match (cut, alone) {
            (RowCut::Alone, Cut::Splits(view)) => {
                let word = self.word(at);
                return view.for_each_piece(word, &mut |range| each(&word[range]));
            }
            (RowCut::Alone, Cut::Marked(view)) => {
                let word = self.word(at);
                return view.for_each_piece(word, &mut |range| each(&word[range]));
            }
            _ => {}
        }
        let Row { pieces, counts, normalized, spelled, .. } = self;
        let first = at.checked_sub(1).map_or(0, |before| counts[before]);
        for piece in &pieces[first..counts[at]] {
            let piece = &normalized[piece.clone()];
            if let RowCut::Bytes(_) = cut {
                spelled.clear();
                spelled.extend(piece.bytes().map(|byte| BYTE_TO_CHAR[usize::from(byte)]));
                each(spelled)?;
            } else {
                each(piece)?;
            }
        }
        Ok(())
    }
}
