//! What is not written by the block: what rules make of a stretch, of a character by itself, or of the word around it.

use super::super::rules::{Rules, WholeWord};
use super::super::told::{BLANK, fate};
use super::super::written::Written;
use super::Writing;

impl<R: Rules> Writing<'_, R> {
    /// Writes what the rules make of the start of the rest.
    #[inline(never)]
    pub(super) fn chunk(&mut self, at: usize, joins: bool) -> Option<usize> {
        let drops = self.blanks.spacing.drops;
        if R::BY_WORDS {
            return self.alone(at, joins);
        }
        let (length, chunk) = self.rules.chunk(self.text.get(at..)?)?;
        let kept = if self.after_blank { chunk.trim_start_matches(' ') } else { chunk };
        if !kept.is_empty() {
            self.out.note(kept.len(), |_| at);
            let Written { bytes, length: written, .. } = &mut *self.out;
            bytes.get_mut(*written..*written + kept.len())?.copy_from_slice(kept.as_bytes());
            *written += kept.len();
            self.after_blank = drops && kept.ends_with(' ');
            self.strange = 0;
        }
        Some(length)
    }

    /// Writes what the character at a place becomes, or the word around it.
    fn alone(&mut self, at: usize, joins: bool) -> Option<usize> {
        let c = self.text.get(at..)?.chars().next()?;
        self.told.clear();
        if joins || !self.rules.alone(c, &mut self.told) {
            return self.whole_word(at);
        }
        if !self.told.is_empty() {
            self.out.note(self.told.len(), |_| at);
            let Written { bytes, length, .. } = &mut *self.out;
            bytes.get_mut(*length..*length + self.told.len())?.copy_from_slice(self.told.as_bytes());
            *length += self.told.len();
            (self.after_blank, self.strange) = (false, 0);
        }
        Some(c.len_utf8())
    }

    /// Writes the word around a place as a whole, in the place of what is written of it; says how many bytes behind the place it ends.
    #[cold]
    pub(super) fn whole_word(&mut self, at: usize) -> Option<usize> {
        let WholeWord { range, text, spans } = self.rules.word(self.text, at)?;
        let is_blank = |c: char| fate(self.blanks.character(self.rules, c as usize)) == BLANK;
        if self.text.get(range.start..at)?.contains(is_blank) {
            return None;
        }
        let out = &mut *self.out;
        // So only what stands in front of the word became a blank.
        out.length = out.bytes[..out.length].iter().rposition(|&byte| byte == b' ')? + 1;
        (self.after_blank, self.strange) = (self.blanks.spacing.drops, 0);
        for (number, c) in text.chars().enumerate() {
            let mut bytes = [0; 4];
            let bytes = c.encode_utf8(&mut bytes).as_bytes();
            let is_blank = c == ' ';
            if !(is_blank && self.after_blank) {
                match spans.get(number) {
                    Some(&span) => self.out.note_span(bytes.len(), span),
                    None => self.out.note(bytes.len(), |_| range.start),
                }
                let Written { bytes: room, length, .. } = &mut *self.out;
                room.get_mut(*length..*length + bytes.len())?.copy_from_slice(bytes);
                *length += bytes.len();
            }
            self.after_blank = is_blank && self.blanks.spacing.drops;
        }
        range.end.checked_sub(at)
    }
}
