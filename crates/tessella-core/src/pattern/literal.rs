//! A literal as a pattern: plain substring search.
//!
//! An empty literal matches at every character boundary, both ends included, because the reference library
//! compiles literals to regular expressions and an empty expression does that.

use std::ops::Range;

use memchr::memmem::Finder;

#[derive(Debug)]
pub(super) struct Literal {
    /// `None` for the empty literal.
    finder: Option<Finder<'static>>,
}

impl Literal {
    pub(super) fn new(text: &str) -> Self {
        Literal { finder: (!text.is_empty()).then(|| Finder::new(text).into_owned()) }
    }

    pub(super) fn for_each(&self, text: &str, found: &mut dyn FnMut(Range<usize>)) {
        let Some(finder) = &self.finder else {
            for (at, _) in text.char_indices() {
                found(at..at);
            }
            return found(text.len()..text.len());
        };
        // Both are valid UTF-8, so a match of bytes starts and ends between characters.
        let length = finder.needle().len();
        for start in finder.find_iter(text.as_bytes()) {
            found(start..start + length);
        }
    }
}
