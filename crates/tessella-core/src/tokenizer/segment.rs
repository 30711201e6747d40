//! Raw text to pieces: added tokens out, normalisation, added tokens again.
//!
//! What comes out still has to be pre-tokenized: the aligned path and the ids-only path do that in their own
//! ways.

use std::borrow::Cow;

use super::Inner;
use crate::added::Segment;
use crate::error::{Error, Result};
use crate::normalize::Normalizer;
use crate::text::{AlignedText, Alignment, MOST_BYTES, Piece, Pieces};

/// Reusable buffers.
#[derive(Debug, Default)]
pub(super) struct SegmentScratch {
    pub raw: Vec<Segment>,
    pub normalized: Vec<Segment>,
    /// The first unit of a text with the character that a normalizer puts in front.
    pub prefixed: String,
}

pub(super) fn normalize_str(normalizer: Option<&Normalizer>, text: &str) -> Result<String> {
    let mut aligned = AlignedText::borrowed(text, 0);
    if let Some(normalizer) = normalizer {
        normalizer.normalize(&mut aligned)?;
    }
    Ok(aligned.into_parts().0.into_owned())
}

impl Inner {
    /// The text cut at added tokens, and normalized in between, with the way back.
    pub(super) fn segments<'t>(
        &self,
        text: &'t str,
        specials_as_text: bool,
        scratch: &mut SegmentScratch,
    ) -> Result<Pieces<'t>> {
        self.added().split_raw(text, specials_as_text, &mut scratch.raw);
        self.segments_of_split(text, true, specials_as_text, scratch)
    }

    /// The same for a text whose raw segments are in the scratch; only with `tracked` the way back is kept.
    pub(super) fn segments_of_split<'t>(
        &self,
        text: &'t str,
        tracked: bool,
        specials_as_text: bool,
        scratch: &mut SegmentScratch,
    ) -> Result<Pieces<'t>> {
        let added = self.added();
        let SegmentScratch { raw, normalized, .. } = scratch;
        let aligned = |start: usize, end: usize| {
            let part = &text[start..end];
            if tracked { AlignedText::borrowed(part, start) } else { AlignedText::untracked(part) }
        };
        if self.normalizer.is_none() {
            let mut pieces = Vec::with_capacity(raw.len());
            for segment in raw.iter() {
                let start = segment.range.start;
                match segment.id {
                    Some(id) => pieces.push(Piece::added(start, segment.range.end, id)),
                    None => {
                        added.split_normalized(&text[segment.range.clone()], specials_as_text, normalized);
                        push_segments(normalized, start, &mut pieces);
                    }
                }
            }
            let map = if tracked { Alignment::identity(0, text.len()) } else { Alignment::untracked() };
            return finish(Pieces::from_parts(text, map, pieces), text);
        }
        let normalize = |text: &mut AlignedText<'t>| match &self.normalizer {
            Some(normalizer) => normalizer.normalize(text),
            None => Ok(()),
        };
        if let [only] = raw.as_slice()
            && only.id.is_none()
        {
            let mut part = aligned(0, text.len());
            normalize(&mut part)?;
            let mut pieces = Vec::new();
            added.split_normalized(part.as_str(), specials_as_text, normalized);
            push_segments(normalized, 0, &mut pieces);
            let (buffer, map) = part.into_parts();
            return finish(Pieces::from_parts(buffer, map, pieces), text);
        }
        let mut buffer = String::with_capacity(text.len() + 16);
        let mut map = if tracked { Alignment::new() } else { Alignment::untracked() };
        let mut pieces = Vec::with_capacity(raw.len());
        for segment in raw.iter() {
            let start = buffer.len();
            let range = segment.range.clone();
            match segment.id {
                Some(id) => {
                    buffer.push_str(&text[range.clone()]);
                    map.push_identity(range.len(), range.start);
                    pieces.push(Piece::added(start, buffer.len(), id));
                }
                None => {
                    let mut part = aligned(range.start, range.end);
                    normalize(&mut part)?;
                    added.split_normalized(part.as_str(), specials_as_text, normalized);
                    push_segments(normalized, start, &mut pieces);
                    buffer.push_str(part.as_str());
                    map.append(part.map(), 0, part.as_str().len());
                }
            }
        }
        finish(Pieces::from_parts(Cow::Owned::<str>(buffer), map, pieces), text)
    }
}

fn finish<'t>(mut pieces: Pieces<'t>, original: &'t str) -> Result<Pieces<'t>> {
    if pieces.buffer().len() > MOST_BYTES {
        return Err(Error::value(format!(
            "the text has {} bytes when normalized, more than one text may have ({MOST_BYTES}); cut it into \
             documents",
            pieces.buffer().len()
        )));
    }
    pieces.set_original(original);
    Ok(pieces)
}

fn push_segments(segments: &[Segment], offset: usize, pieces: &mut Vec<Piece>) {
    for segment in segments {
        let (start, end) = (offset + segment.range.start, offset + segment.range.end);
        pieces.push(match segment.id {
            Some(id) => Piece::added(start, end, id),
            None => Piece::text(start, end),
        });
    }
}
