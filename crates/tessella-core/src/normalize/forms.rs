//! NFC, NFD, NFKC and NFKD.

use super::edit::edit;
use crate::text::AlignedText;
use crate::unicode::normalization::{Form, Scratch};

/// Brings `text` into a normalization form. Only stretches where something can happen are looked at
/// closely; a text that is in the form already stays as it is.
pub(super) fn normalize(form: Form, text: &mut AlignedText<'_>) {
    edit(text, |source, edit| {
        let mut scratch = Scratch::default();
        let mut from = 0;
        while let Some(stretch) = form.next_unsafe(source, from) {
            from = stretch.end;
            let part = &source[stretch.clone()];
            form.changes(part, &mut scratch);
            let unchanged = scratch.changes.iter().all(|&(_, change)| change == 0)
                && part.chars().eq(scratch.changes.iter().map(|&(c, _)| c));
            if !unchanged {
                edit.at(stretch.start).apply(scratch.changes.iter().copied());
            }
        }
    });
}
