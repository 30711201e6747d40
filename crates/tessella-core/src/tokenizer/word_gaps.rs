//! What blanks between words come to where each of them is written as a mark, and a mark opens a piece.
//!
//! One blank is the mark of the word behind it, and a word gets a mark where it has no blank: so the blank need not be looked at.
//! Any more are pieces of their own, unless the normalizer makes one of several ([`Blanks`]). They are handed over with the word
//! in front of them, which takes all stages then, as one word with blanks in it. Where places are wanted, blanks are those of the
//! mark, and all of them go with the word behind them. At the ends of a text a blank is such a piece or
//! goes with all white space there. A text whose ends do not tell which takes the slow way.

use std::ops::Range;
use std::sync::Arc;

use super::segment::normalize_str;
use crate::lanes::Characters;
use crate::normalize::{Blanks, Normalizer};
use crate::pretokenize::MarkedView;
use crate::text::AlignedText;

/// What blanks come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Gaps {
    blanks: Blanks,
    mark: char,
    /// The ASCII characters that go at the ends of a text, and those that stay there, by bits.
    white: u128,
    solid: u128,
    /// Whether these two become something else side by side, and blanks are counted.
    line_ends_differ: bool,
    /// How many of their bytes are behind what they become side by side: a map of characters puts one in the place of the first.
    behind_line_end: u32,
}

/// The only blanks that are one cluster.
const LINE_END: &str = "\r\n";

/// A text by what its blanks come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Within {
    /// Blanks of which each is a mark and nothing else.
    pub before: Range<usize>,
    /// Words and the blanks between them; of those in front of the first word at most one.
    pub words: Range<usize>,
    pub behind: Range<usize>,
}

impl Within {
    /// All of a text, where blanks are what goes.
    pub fn all(text: &str) -> Self {
        Within { before: 0..0, words: 0..text.len(), behind: text.len()..text.len() }
    }
}

fn is_white(normalizer: Option<&Normalizer>, c: char) -> bool {
    normalizer.map_or(c.is_whitespace(), |normalizer| normalizer.is_white(c))
}

fn is_solid(normalizer: Option<&Normalizer>, c: char) -> bool {
    normalizer.map_or(!c.is_whitespace(), |normalizer| normalizer.is_solid(c))
}

fn becomes_nothing(normalizer: Option<&Normalizer>, c: char) -> bool {
    normalize_str(normalizer, c.encode_utf8(&mut [0; 4])).is_ok_and(|text| text.is_empty())
}

impl Gaps {
    /// `None` if words get no mark, or it cannot be told what the normalizer does with blanks; else it is one of words.
    pub fn new(normalizer: &mut Option<Arc<Normalizer>>, view: &MarkedView) -> Option<Gaps> {
        let mark = view.mark();
        if !view.prepends() || mark == ' ' {
            return None;
        }
        let mut blanks = Blanks { join: false, strips: (false, false) };
        let (mut line_ends_differ, mut behind_line_end) = (false, 0);
        if let Some(normalizer) = normalizer {
            let (of_words, of_blanks) = normalizer.of_words(mark)?;
            blanks = of_blanks;
            let normalize = |text| normalize_str(Some(&of_words), text).ok();
            let apart = LINE_END.split_inclusive('\r').map(normalize).collect::<Option<String>>();
            line_ends_differ = !blanks.join && normalize(LINE_END) != apart;
            let mut aligned = AlignedText::borrowed(LINE_END, 0);
            of_words.normalize(&mut aligned).ok()?;
            if let Some(last) = aligned.as_str().char_indices().next_back() {
                behind_line_end =
                    (LINE_END.len() - aligned.map().char_span(aligned.as_str(), last.0).end) as u32;
            }
            *normalizer = Arc::new(of_words);
        }
        let normalizer = normalizer.as_deref();
        let all = |is: fn(Option<&Normalizer>, char) -> bool| {
            let ascii = (0..0x80u8).filter(|&byte| is(normalizer, byte.into()));
            ascii.fold(0u128, |all, byte| all | 1 << byte)
        };
        Some(Gaps {
            blanks,
            mark,
            white: all(is_white),
            solid: all(is_solid),
            line_ends_differ,
            behind_line_end,
        })
    }

    /// Whether a character may be part of a word or of what stands between words, by what it becomes alone.
    pub fn allow(&self, text: &str) -> bool {
        if text.contains(self.mark) {
            return false;
        }
        let is_blank = !text.is_empty() && text.bytes().all(|byte| byte == b' ');
        match (is_blank, self.blanks.join) {
            (true, true) => true,
            (true, false) => text == " ",
            // Blanks at the end of a word join with those behind it, those at its start with those before it.
            (false, true) => !text.ends_with(' '),
            // What becomes nothing is no word, and then the blanks on both of its sides are one gap.
            (false, false) => !text.is_empty() && !text.starts_with(' ') && !text.ends_with(' '),
        }
    }

    /// Whether a normalized text is blanks and marks alone.
    pub fn are_all(&self, text: &str) -> bool {
        text.chars().all(|c| c == ' ' || c == self.mark)
    }

    /// Where what blanks become ends, which stand in front of a byte of a text.
    #[inline]
    pub fn end_of_mark(&self, text: &[u8], end: u32) -> u32 {
        let has_line_end = || text.get(..end as usize).is_some_and(|gap| gap.ends_with(LINE_END.as_bytes()));
        if self.behind_line_end > 0 && has_line_end() { end - self.behind_line_end } else { end }
    }

    /// Whether each blank between two words but one is a piece.
    pub fn are_pieces(&self) -> bool {
        !self.blanks.join
    }

    /// Looks at the ends of a text; `None` if they do not tell what becomes of the blanks there.
    pub fn within(
        &self,
        text: &str,
        normalizer: Option<&Normalizer>,
        characters: &Characters,
    ) -> Option<Within> {
        let is_white = |c: char| match c.is_ascii() {
            true => self.white >> u32::from(c) & 1 == 1,
            false => is_white(normalizer, c),
        };
        let is_solid = |c: char| match c.is_ascii() {
            true => self.solid >> u32::from(c) & 1 == 1,
            false => is_solid(normalizer, c),
        };
        let (left, right) = self.blanks.strips;
        let text = if right { text.trim_end_matches(is_white) } else { text };
        let start = if left { text.len() - text.trim_start_matches(is_white).len() } else { 0 };
        let text = &text[start..];
        if text.is_empty() {
            return Some(Within::all(text));
        }
        let is_blank = |c: char| characters.is_blank(c);
        let words = text.trim_end_matches(is_blank);
        let behind = &text[words.len()..];
        let stays = |c: char| is_solid(c) || !becomes_nothing(normalizer, c);
        if self.line_ends_differ && memchr::memmem::find(text.as_bytes(), LINE_END.as_bytes()).is_some() {
            return None;
        }
        let tells_end = match (right, self.blanks.join) {
            // A blank that is no white space may be stripped or not.
            (true, _) => words.ends_with(is_solid) && behind.is_empty(),
            // What becomes nothing does not end the blanks before it.
            (false, true) => words.is_empty() || words.ends_with(stays),
            (false, false) => true,
        };
        if !tells_end || left && !words.starts_with(is_solid) {
            return None;
        }
        let first = words.len() - words.trim_start_matches(is_blank).len();
        let last_blank = words[..first].chars().next_back().map_or(0, char::len_utf8);
        // Several are one, and nothing is in front of the first word but its mark.
        let first = start + if self.blanks.join { 0 } else { first - last_blank };
        let (end, last) = (start + words.len(), start + text.len());
        Some(Within { before: start..first, words: first..end, behind: end..last })
    }
}
