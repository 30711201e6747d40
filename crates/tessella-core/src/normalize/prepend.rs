//! Text put in front. It stands for the first character.

use super::edit::edit;
use crate::text::AlignedText;

/// Puts `prefix` in front; an empty text stays empty.
pub(super) fn normalize(text: &mut AlignedText<'_>, prefix: &str) {
    if prefix.is_empty() {
        return;
    }
    edit(text, |source, edit| {
        let Some(first) = source.chars().next() else { return };
        let rewriter = edit.at(0);
        let span = rewriter.source_span(0, first.len_utf8());
        rewriter.emit(prefix, span);
    });
}
