//! Changing some places of a text and leaving the rest alone.
//!
//! An [`Edit`] opens its [`Rewriter`] at the first change. What lies between two changes is copied in one
//! go, and a text without any change is not copied at all: it stays borrowed.

use crate::text::{AlignedText, Alignment, Rewriter};

/// Pending changes of one text.
pub(super) struct Edit<'s> {
    source: &'s str,
    map: &'s Alignment,
    rewriter: Option<Rewriter<'s>>,
}

impl<'s> Edit<'s> {
    /// The rewriter with its cursor at byte `at`; everything from the last change up to there is kept.
    /// Places come in ascending order.
    #[inline]
    pub fn at(&mut self, at: usize) -> &mut Rewriter<'s> {
        let rewriter = self.rewriter.get_or_insert_with(|| Rewriter::new(self.source, self.map));
        let kept = at - rewriter.position();
        if kept > 0 {
            rewriter.keep(kept);
        }
        rewriter
    }

    /// The `bytes` bytes at `at` vanish.
    #[inline]
    pub fn remove(&mut self, at: usize, bytes: usize) {
        self.at(at).skip_bytes(bytes);
    }

    /// The character at `at` becomes `first`, followed by `rest`; all of them stand for it.
    #[inline]
    pub fn expand(&mut self, at: usize, first: char, rest: impl IntoIterator<Item = char>) {
        let rewriter = self.at(at);
        rewriter.replace(first);
        for c in rest {
            rewriter.insert(c);
        }
    }
}

/// Runs `change` over `text`. It gets the text as it reads now, and where to put the changes.
pub(super) fn edit<'a>(text: &mut AlignedText<'a>, change: impl for<'s> FnOnce(&'s str, &mut Edit<'s>)) {
    let written = {
        let mut edit = Edit { source: text.as_str(), map: text.map(), rewriter: None };
        change(text.as_str(), &mut edit);
        if edit.rewriter.is_some() {
            edit.at(text.as_str().len());
        }
        edit.rewriter.map(Rewriter::finish)
    };
    if let Some((string, map)) = written {
        *text = AlignedText::from_parts(string, map);
    }
}

/// Calls `visit` with the place of each character beyond ASCII; the rest is skipped in words.
#[inline]
pub(super) fn for_each_beyond_ascii(source: &str, mut visit: impl FnMut(usize, char)) {
    let bytes = source.as_bytes();
    let mut at = 0;
    loop {
        at = crate::unicode::normalization::ascii_end(bytes, at);
        let mut rest = source[at..].chars();
        let Some(mut c) = rest.next() else { return };
        // Stay here while there is no ASCII: a word's worth of look-ahead would be wasted.
        while !c.is_ascii() {
            visit(at, c);
            at += c.len_utf8();
            match rest.next() {
                Some(next) => c = next,
                None => return,
            }
        }
    }
}

/// Keeps the characters that pass, each with its own span.
pub(super) fn retain(text: &mut AlignedText<'_>, mut keep: impl FnMut(char) -> bool) {
    edit(text, |source, edit| {
        for (at, c) in source.char_indices() {
            if !keep(c) {
                edit.remove(at, c.len_utf8());
            }
        }
    });
}

/// Each character becomes another.
pub(super) fn map_chars(text: &mut AlignedText<'_>, mut map: impl FnMut(char) -> char) {
    edit(text, |source, edit| {
        for (at, c) in source.char_indices() {
            let new = map(c);
            if new != c {
                edit.at(at).replace(new);
            }
        }
    });
}
