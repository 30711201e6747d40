//! Stage 5: the result of encoding: parallel columns of equal length, and look-ups between tokens, words and
//! characters.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use crate::error::Result;
use crate::ids::TokenId;
use crate::spec::Direction;

/// The unit of offsets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OffsetUnit {
    Byte,
    Char,
    Utf16,
}

/// Gives the text of a token; tokenizers implement it, so that an encoding need not copy strings.
pub trait TokenTexts: Debug + Send + Sync {
    fn token_text(&self, id: TokenId) -> Option<&str>;
}

/// Marks a token without a word in [`Encoding::words`].
pub const NO_WORD: u32 = u32::MAX;

/// One encoded text, or a pair joined by a post-processor.
#[derive(Debug, Clone, Default)]
pub struct Encoding {
    pub(crate) ids: Vec<TokenId>,
    pub(crate) type_ids: Vec<u32>,
    pub(crate) offsets: Vec<(usize, usize)>,
    pub(crate) words: Vec<u32>,
    pub(crate) special_tokens_mask: Vec<u32>,
    pub(crate) attention_mask: Vec<u32>,
    /// Where token texts come from, unless overridden.
    pub(crate) vocabulary: Option<Arc<dyn TokenTexts>>,
    /// Texts that differ from the vocabulary's, by ascending token index.
    pub(crate) surfaces: Vec<(usize, Box<str>)>,
    /// Token range of each sequence, by sequence id.
    pub(crate) sequence_ranges: Vec<(usize, Range<usize>)>,
    pub(crate) overflowing: Vec<Encoding>,
}

impl Encoding {
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    pub fn ids(&self) -> &[TokenId] {
        &self.ids
    }

    pub fn offsets(&self) -> &[(usize, usize)] {
        &self.offsets
    }

    /// Cuts to `max_length` tokens; what is cut goes to the overflow in windows that share `stride` tokens.
    pub fn truncate(&mut self, _max_length: usize, _stride: usize, _direction: Direction) -> Result<()> {
        unimplemented!()
    }
}
