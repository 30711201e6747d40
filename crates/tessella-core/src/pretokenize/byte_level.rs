//! Byte level: every byte becomes a printable character, so that no text is out of vocabulary.
//!
//! Three steps, each optional but the last: a space in front of every piece that does not start with one,
//! the split of GPT-2, the alphabet. All characters that come of one character share its span.

use std::sync::{Arc, OnceLock};

use super::byte_alphabet::BYTE_TO_CHAR;
use crate::error::Result;
use crate::pattern::Matcher;
use crate::spec::{Dialect, Pattern};
use crate::text::{Pieces, Rewriter};

/// GPT-2's pattern: contractions, words, numbers, other signs (each with a space before it), blanks.
pub const GPT2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";

/// The matcher of GPT-2's pattern, compiled once per process.
pub(super) fn gpt2() -> Result<Arc<Matcher>> {
    static COMPILED: OnceLock<Arc<Matcher>> = OnceLock::new();
    if let Some(matcher) = COMPILED.get() {
        return Ok(Arc::clone(matcher));
    }
    let matcher = Arc::new(Matcher::new(&gpt2_pattern())?);
    Ok(Arc::clone(COMPILED.get_or_init(|| matcher)))
}

/// GPT-2's pattern as a description.
pub(super) fn gpt2_pattern() -> Pattern {
    Pattern::Regex { source: GPT2.to_string(), dialect: Dialect::Oniguruma }
}

/// Puts a space in front of every text piece that does not start with one; it shares the span of the
/// character after it.
pub(super) fn add_prefix_spaces(pieces: &mut Pieces<'_>) {
    let lacks = |text: &str| !text.starts_with(' ');
    if !pieces.pieces().iter().any(|piece| piece.is_text() && lacks(pieces.str(piece))) {
        return;
    }
    pieces.rewrite(|writer, text, _| {
        if lacks(text) {
            prepend(writer, text, ' ');
        } else {
            writer.keep(text.len());
        }
    });
}

/// Writes `prefix` and `text`; the prefix shares the span of the first character.
pub(super) fn prepend(writer: &mut Rewriter<'_>, text: &str, prefix: char) {
    let Some(first) = text.chars().next() else { return };
    writer.replace(prefix);
    writer.insert(first);
    writer.keep(text.len() - first.len_utf8());
}

/// Rewrites every text piece in the byte alphabet.
pub(super) fn map_bytes(pieces: &mut Pieces<'_>) {
    pieces.rewrite(|writer, text, _| {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            // Visible ASCII stands for itself.
            let run = bytes[at..].iter().take_while(|byte| byte.is_ascii_graphic()).count();
            if run > 0 {
                writer.keep(run);
                at += run;
                continue;
            }
            let mut end = at + 1;
            while !text.is_char_boundary(end) {
                end += 1;
            }
            writer.replace(BYTE_TO_CHAR[usize::from(bytes[at])]);
            for &byte in &bytes[at + 1..end] {
                writer.insert(BYTE_TO_CHAR[usize::from(byte)]);
            }
            at = end;
        }
    });
}
