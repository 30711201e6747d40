//! Full lower-casing, character by character: no locale, no look at the neighbours.

use super::ascii::{self, AsciiMap};
use super::edit::edit;
use crate::text::AlignedText;
use crate::unicode::class_of;

pub(super) fn normalize(text: &mut AlignedText<'_>) {
    let ascii = AsciiMap::new(ascii::lower);
    edit(text, |source, edit| {
        ascii.walk(source, edit, |edit, at, c| {
            if class_of(c).changes_in_lower_case() {
                let mut lower = c.to_lowercase();
                if let Some(first) = lower.next() {
                    edit.expand(at, first, lower);
                }
            }
        });
    });
}
