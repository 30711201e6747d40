//! Metaspace: spaces become a visible character, which then opens a new piece.

use super::byte_level::prepend;
use super::cut::cut;
use crate::error::Result;
use crate::pattern::Matcher;
use crate::spec::{PrependScheme, SplitBehavior};
use crate::text::Pieces;

#[derive(Debug)]
pub(super) struct Metaspace {
    pub(super) replacement: char,
    pub(super) scheme: PrependScheme,
    /// Finds the replacement; `None` when pieces are not to be cut.
    pub(super) splitter: Option<Matcher>,
}

impl Metaspace {
    pub(super) fn new(replacement: char, scheme: PrependScheme, split: bool) -> Self {
        let splitter = split.then(|| Matcher::literal(replacement.encode_utf8(&mut [0; 4])));
        Metaspace { replacement, scheme, splitter }
    }

    pub(super) fn pre_tokenize(&self, pieces: &mut Pieces<'_>) -> Result<()> {
        // What a `Replace` put in place of several characters begins with the last of them in the reference library, so
        // it is not at the start there, although its span is: it reaches beyond the original's first character.
        let reach = pieces.original().and_then(|text| text.chars().next()).map_or(usize::MAX, char::len_utf8);
        pieces.rewrite(|writer, text, first| {
            let prepends = match self.scheme {
                PrependScheme::Always => true,
                PrependScheme::First => first.start == 0 && first.end <= reach,
                PrependScheme::Never => false,
            };
            let mut rest = text;
            if prepends && !text.starts_with([' ', self.replacement]) {
                let first = text.chars().next().map_or(0, char::len_utf8);
                prepend(writer, &text[..first], self.replacement);
                rest = &text[first..];
            }
            while let Some(space) = memchr::memchr(b' ', rest.as_bytes()) {
                writer.keep(space);
                writer.replace(self.replacement);
                rest = &rest[space + 1..];
            }
            writer.keep(rest.len());
        });
        match &self.splitter {
            Some(matcher) => super::split_pieces(pieces, |text, ranges| {
                cut(matcher, SplitBehavior::MergedWithNext, false, text, &mut |range| ranges.push(range))
            }),
            None => Ok(()),
        }
    }
}
