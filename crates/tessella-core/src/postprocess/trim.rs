//! Offsets without the blanks that byte-level tokens carry.

use crate::encoding::Encoding;

/// Takes leading and trailing blanks of each token's text out of its offsets.
///
/// A pre-tokenizer may have put one space in front of the text (`add_prefix_space`). No character of the
/// original stands for it, so a first token with exactly one leading blank keeps its start. First is the
/// token 0, and every token that starts at 0: the words of an already split input each do.
pub(super) fn trim_offsets(encoding: &mut Encoding, add_prefix_space: bool) {
    let mut windows = encoding.take_overflowing();
    for part in std::iter::once(&mut *encoding).chain(&mut windows) {
        part.change_offsets(|index, text, (start, end)| {
            let leading = text.chars().take_while(is_blank).count();
            let trailing = text.chars().rev().take_while(is_blank).count();
            let is_prefix = add_prefix_space && leading == 1 && (index == 0 || *start == 0);
            if leading > 0 && !is_prefix {
                *start = (*start + leading).min(*end);
            }
            if trailing > 0 && *end >= trailing {
                *end = (*end - trailing).max(*start);
            }
        });
    }
    encoding.overflowing = windows;
}

/// White space, or the character that stands for the space byte.
fn is_blank(c: &char) -> bool {
    *c == 'Ġ' || c.is_whitespace()
}
