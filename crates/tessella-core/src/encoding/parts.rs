//! An encoding as plain data, independent of any tokenizer.

use std::ops::Range;
use std::sync::Arc;

use super::{Encoding, NO_WORD, Places, Surfaces};
use crate::error::{Error, Result};
use crate::ids::TokenId;

/// All columns of an encoding, texts included.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[allow(missing_docs)] // Each is what the method of this name gives.
pub struct EncodingParts {
    pub ids: Vec<TokenId>,
    pub type_ids: Vec<u32>,
    /// Equal texts may be one.
    pub tokens: Vec<Arc<str>>,
    pub words: Vec<Option<u32>>,
    pub offsets: Vec<(usize, usize)>,
    pub special_tokens_mask: Vec<u32>,
    pub attention_mask: Vec<u32>,
    pub sequence_ranges: Vec<(usize, Range<usize>)>,
    pub overflowing: Vec<EncodingParts>,
}

impl Encoding {
    /// All columns.
    #[cfg(test)]
    pub(crate) fn to_parts(&self) -> EncodingParts {
        EncodingParts {
            ids: self.ids.clone(),
            type_ids: self.type_ids.to_vec(),
            tokens: self.token_texts().map(Arc::from).collect(),
            words: self.word_ids(),
            offsets: self.offsets().to_vec(),
            special_tokens_mask: self.special_tokens_mask.to_vec(),
            attention_mask: self.attention_mask.to_vec(),
            sequence_ranges: self.sequence_ranges.to_vec(),
            overflowing: self.overflowing.iter().map(Encoding::to_parts).collect(),
        }
    }

    /// An encoding of such columns. Fails if the columns differ in length or a sequence lies outside of them.
    pub fn from_parts(parts: EncodingParts) -> Result<Self> {
        let len = parts.ids.len();
        let columns = [
            ("type_ids", parts.type_ids.len()),
            ("tokens", parts.tokens.len()),
            ("words", parts.words.len()),
            ("offsets", parts.offsets.len()),
            ("special_tokens_mask", parts.special_tokens_mask.len()),
            ("attention_mask", parts.attention_mask.len()),
        ];
        for (name, found) in columns {
            if found != len {
                return Err(Error::format(format!(
                    "the encoding's `{name}` has {found} entries, but its `ids` has {len}: all columns must \
                     be of equal length"
                )));
            }
        }
        let mut surfaces = Surfaces::new();
        for (index, text) in parts.tokens.into_iter().enumerate() {
            surfaces.push(index, text);
        }
        let words = parts.words.into_iter().map(|word| word.unwrap_or(NO_WORD));
        let mut encoding = Encoding {
            ids: parts.ids,
            type_ids: parts.type_ids.into(),
            places: Places::told(parts.offsets.into(), words.collect()),
            special_tokens_mask: parts.special_tokens_mask.into(),
            attention_mask: parts.attention_mask.into(),
            surfaces,
            overflowing: parts
                .overflowing
                .into_iter()
                .map(Encoding::from_parts)
                .collect::<Result<Vec<_>>>()?,
            ..Encoding::default()
        };
        for (sequence, range) in parts.sequence_ranges {
            if range.start > range.end || range.end > len {
                return Err(Error::format(format!(
                    "sequence {sequence} of the encoding covers tokens {}..{}, but there are {len}",
                    range.start, range.end
                )));
            }
            encoding.set_sequence_range(sequence, range);
        }
        Ok(encoding)
    }
}
