//! What training counts: the pieces that a text is cut into before the model sees them.

use super::Tokenizer;
use super::segment::SegmentScratch;
use crate::error::Result;

impl Tokenizer {
    /// Hands over every piece of a text, in order: after added tokens, normalisation and pre-tokenization,
    /// exactly as encoding cuts it. The texts of added tokens are pieces too.
    pub fn for_each_piece(&self, text: &str, piece: &mut dyn FnMut(&str)) -> Result<()> {
        // Where a piece starts in the original decides whether some pre-tokenizers prepend a space, so the
        // way back is kept.
        let mut pieces = self.inner.segments(text, true, false, &mut SegmentScratch::default())?;
        if let Some(pre_tokenizer) = &self.inner.pre_tokenizer {
            pre_tokenizer.pre_tokenize(&mut pieces)?;
        }
        for one in pieces.pieces() {
            piece(pieces.str(one));
        }
        Ok(())
    }
}
