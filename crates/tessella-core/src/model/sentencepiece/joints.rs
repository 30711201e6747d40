//! Stretches of a sentence that have nothing to do with each other.
//!
//! A piece reaches over the boundary between two characters only if it holds these two as neighbours. Where no piece
//! does, both sides are cut as if the other were not there: what is merged on one side, and which of two ways through
//! it is better, does not hang on the other (a Unigram sum does, by its rounding: see [`margins`](super::margins)).
//!
//! ASCII characters and the mark of a space are told apart; all others count as one, so that a stretch ends before or
//! behind them only where it would for each of them.

use crate::model::unigram::viterbi::char_width;

/// Class of the mark; ASCII characters are their own classes.
const MARK: u8 = 128;
const OTHER: u8 = 129;
const MARK_BYTES: usize = 3;

/// Which characters are neighbours in some piece.
#[derive(Debug)]
pub(super) struct Joints {
    /// By left and right class; as many as fit a byte, so that no look-up has to be checked.
    joined: Box<[[bool; 256]; 256]>,
}

/// Whether a text starts with the mark.
#[inline]
fn is_mark(text: &[u8]) -> bool {
    matches!(text, [0xE2, 0x96, 0x81, ..])
}

/// The class of a character that begins at `at`, and its bytes.
#[inline]
fn class_at(bytes: &[u8], at: usize) -> (u8, usize) {
    let first = bytes[at];
    if first < 128 {
        (first, 1)
    } else if is_mark(&bytes[at..]) {
        (MARK, MARK_BYTES)
    } else {
        (OTHER, char_width(first))
    }
}

impl Joints {
    /// From the texts of all pieces that segmentation works with.
    pub(super) fn new<'p>(pieces: impl Iterator<Item = &'p str>) -> Self {
        let mut joined = Box::new([[false; 256]; 256]);
        for piece in pieces {
            let bytes = piece.as_bytes();
            let mut at = 0;
            let mut left = None;
            while at < bytes.len() {
                let (class, width) = class_at(bytes, at);
                if let Some(left) = left.replace(class) {
                    joined[usize::from(left)][usize::from(class)] = true;
                }
                at += width;
            }
        }
        Joints { joined }
    }

    /// Where the stretch ends that begins at byte `at` of a text.
    #[inline]
    pub(super) fn end(&self, text: &[u8], mut at: usize) -> usize {
        let (mut left, width) = class_at(text, at);
        at += width;
        while let Some(&byte) = text.get(at) {
            let (right, width) = if byte < 128 { (byte, 1) } else { class_at(text, at) };
            if !self.joined[usize::from(left)][usize::from(right)] {
                return at;
            }
            left = right;
            at += width;
        }
        at
    }
}

/// Bytes of the mark that a stretch begins with, if it does.
#[inline]
pub(super) fn mark_before(stretch: &[u8]) -> usize {
    if is_mark(stretch) { MARK_BYTES } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_end_where_no_piece_goes_on() {
        let joints = Joints::new(["▁a", "ab", "é", "éb", ".", "b.", "▁▁"].into_iter());
        let text = "▁ab▁a.é漢bb▁▁a";
        let mut stretches = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let end = joints.end(text.as_bytes(), at);
            stretches.push(&text[at..end]);
            at = end;
        }
        assert_eq!(stretches, ["▁ab", "▁a", ".", "é", "漢b", "b", "▁▁a"]);
    }
}
