//! White space off the ends; combining marks out of the middle.

use std::borrow::Cow;

use super::edit::{edit, for_each_beyond_ascii};
use crate::text::AlignedText;
use crate::unicode::categories::is_mark;

/// Removes Unicode White_Space from the ends asked for. What stays keeps its spans.
pub(super) fn strip(text: &mut AlignedText<'_>, left: bool, right: bool) {
    let whole = text.as_str();
    let start = if left { whole.len() - whole.trim_start().len() } else { 0 };
    let end = if right { start + whole[start..].trim_end().len() } else { whole.len() };
    if start == 0 && end == whole.len() {
        return;
    }
    let (whole, map) = std::mem::replace(text, AlignedText::untracked("")).into_parts();
    let mut kept = map.like();
    kept.append(&map, start, end);
    let whole = match whole {
        Cow::Borrowed(whole) => Cow::Borrowed(&whole[start..end]),
        Cow::Owned(mut whole) => {
            whole.truncate(end);
            whole.drain(..start);
            Cow::Owned(whole)
        }
    };
    *text = AlignedText::from_parts(whole, kept);
}

/// Removes characters of general category M. Nothing is decomposed: a composed accent stays.
pub(super) fn strip_accents(text: &mut AlignedText<'_>) {
    edit(text, |source, edit| {
        for_each_beyond_ascii(source, |at, c| {
            if is_mark(c) {
                edit.remove(at, c.len_utf8());
            }
        });
    });
}
