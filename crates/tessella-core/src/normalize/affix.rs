//! Text put in front or behind. It stands for the first or the last character.

use super::edit::edit;
use crate::ids::Span;
use crate::text::AlignedText;

/// Puts `prefix` in front; an empty text stays empty.
pub(super) fn prepend(text: &mut AlignedText<'_>, prefix: &str) {
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

/// Puts `suffix` behind. Behind an empty text it stands for nothing, at `origin`.
pub(super) fn append(text: &mut AlignedText<'_>, suffix: &str, origin: usize) {
    if suffix.is_empty() {
        return;
    }
    edit(text, |source, edit| {
        let rewriter = edit.at(source.len());
        let span = match source.chars().next_back() {
            Some(last) => rewriter.source_span(source.len() - last.len_utf8(), source.len()),
            None => Span::new(origin, origin),
        };
        rewriter.emit(suffix, span);
    });
}
