//! Stage 5: the result of encoding: parallel columns of equal length, and look-ups between tokens, words and
//! characters.
//!
//! From the bottom up: [`Surfaces`] holds the few token texts that are not the vocabulary's; [`Offsets`] and `Runs` are
//! columns that take little room, and `places` has some made when they are read; `combine` cuts, joins and pads; `trim`
//! takes blanks out of offsets, by what `blanks` remembers of each token; `lookup` answers questions about positions;
//! `parts` is the same as plain data, and `pack` as bytes, for storing. Token texts are looked up in the tokenizer when
//! asked for, so an encoding holds numbers only.
//!
//! *Sequences.* An encoding may join several inputs. Each has an id and a range of tokens; special tokens
//! and padding lie outside of the ranges. An encoding without ranges is one sequence, number 0.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use smallvec::SmallVec;

use crate::ids::TokenId;

mod blanks;
mod combine;
mod lookup;
mod offsets;
mod pack;
mod parts;
mod places;
mod runs;
mod surfaces;
mod trim;

pub(crate) use blanks::Blanks;
pub(crate) use combine::Filler;
pub use offsets::Offsets;
pub use parts::EncodingParts;
use places::Places;
pub(crate) use places::Untold;
use runs::Runs;
pub(crate) use surfaces::GrowingSurfaces;
pub use surfaces::Surfaces;

/// The unit of offsets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OffsetUnit {
    /// Bytes of UTF-8.
    Byte,
    /// Unicode code points, which Python counts.
    Char,
    /// Units of UTF-16, which JavaScript counts.
    Utf16,
}

/// Gives the text of a token; tokenizers implement it, so that an encoding need not copy strings.
pub trait TokenTexts: Debug + Send + Sync {
    fn token_text(&self, id: TokenId) -> Option<&str>;

    /// A number that no others have, if what is told of an id may be remembered under it.
    fn number(&self) -> Option<u64> {
        None
    }

    /// Where it is remembered how many blanks texts begin and end with.
    #[doc(hidden)]
    fn blanks(&self) -> Option<&Blanks> {
        None
    }
}

/// Marks a token without a word in [`Encoding::words`].
pub const NO_WORD: u32 = u32::MAX;

/// One encoded text, or a pair joined by a post-processor.
#[derive(Debug, Clone, Default)]
pub struct Encoding {
    pub(crate) ids: Vec<TokenId>,
    pub(crate) type_ids: Runs,
    places: Places,
    pub(crate) special_tokens_mask: Runs,
    pub(crate) attention_mask: Runs,
    /// Where token texts come from, unless overridden.
    pub(crate) vocabulary: Option<Arc<dyn TokenTexts>>,
    /// Texts that differ from the vocabulary's.
    pub(crate) surfaces: Surfaces,
    /// Token range of each sequence, by ascending sequence id. Mostly there is one.
    pub(crate) sequence_ranges: SmallVec<[(usize, Range<usize>); 1]>,
    pub(crate) overflowing: Vec<Encoding>,
    /// Which columns may be searched by halving; found out at the first look-up.
    order: OnceLock<lookup::Order>,
}

impl Encoding {
    /// The tokens of one text: all of one type, none special, none padding.
    ///
    /// `words` holds the word of each token, [`NO_WORD`] for none. Columns of unequal length are cut to the
    /// shortest.
    pub fn from_tokens(
        mut ids: Vec<TokenId>,
        mut offsets: Offsets,
        mut words: Vec<u32>,
        type_id: u32,
        vocabulary: Arc<dyn TokenTexts>,
        surfaces: Surfaces,
    ) -> Self {
        let len = ids.len().min(offsets.len()).min(words.len());
        ids.truncate(len);
        offsets.truncate(len);
        words.truncate(len);
        Encoding::from_places(ids, Places::told(offsets, words), type_id, vocabulary, surfaces)
    }

    /// The same, with columns that are made when they are read.
    pub(crate) fn from_untold(
        ids: Vec<TokenId>,
        untold: Arc<dyn Untold>,
        type_id: u32,
        vocabulary: Arc<dyn TokenTexts>,
        surfaces: Surfaces,
    ) -> Self {
        Encoding::from_places(ids, Places::untold(untold), type_id, vocabulary, surfaces)
    }

    fn from_places(
        ids: Vec<TokenId>,
        places: Places,
        type_id: u32,
        vocabulary: Arc<dyn TokenTexts>,
        surfaces: Surfaces,
    ) -> Self {
        let len = ids.len();
        Encoding {
            type_ids: Runs::of(type_id, len),
            special_tokens_mask: Runs::of(0, len),
            attention_mask: Runs::of(1, len),
            ids,
            places,
            vocabulary: Some(vocabulary),
            surfaces,
            ..Encoding::default()
        }
    }

    /// Special tokens that stand for no text: offsets (0, 0), no word.
    pub fn from_specials(ids: &[TokenId], texts: &[Arc<str>], type_id: u32) -> Self {
        let len = ids.len().min(texts.len());
        let mut surfaces = Surfaces::new();
        for (index, text) in texts[..len].iter().enumerate() {
            surfaces.push(index, Arc::clone(text));
        }
        Encoding {
            ids: ids[..len].to_vec(),
            type_ids: Runs::of(type_id, len),
            places: Places::told(Offsets::Narrow(vec![[0, 0]; len]), vec![NO_WORD; len]),
            special_tokens_mask: Runs::of(1, len),
            attention_mask: Runs::of(1, len),
            surfaces,
            ..Encoding::default()
        }
    }

    /// How many tokens there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is no token.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The ids.
    pub fn ids(&self) -> &[TokenId] {
        &self.ids
    }

    /// Which sequence of a pair each token is of, as models want to be told.
    pub fn type_ids(&self) -> Vec<u32> {
        self.type_ids.to_vec()
    }

    /// Where each token stands in its text, in the unit that was asked for.
    pub fn offsets(&self) -> &Offsets {
        self.places.offsets(&self.ids)
    }

    /// The offsets, if they are there.
    pub fn offsets_there(&self) -> Option<&Offsets> {
        self.places.offsets_there()
    }

    /// Writes the offsets to as many pairs as there are tokens, without a column of them where nobody has asked for one.
    pub fn write_offsets(&self, out: &mut [[i64; 2]]) {
        self.places.write_offsets(&self.ids, out);
    }

    /// The word of each token, [`NO_WORD`] for none.
    pub fn words(&self) -> &[u32] {
        self.places.words(&self.ids)
    }

    /// The words, if they are there.
    pub fn words_there(&self) -> Option<&[u32]> {
        self.places.words_there()
    }

    /// Writes the words, -1 for none, as [`write_offsets`](Self::write_offsets) does offsets.
    pub fn write_words(&self, out: &mut [i64]) {
        self.places.write_words(&self.ids, out);
    }

    /// The word that each token is of; none for special tokens.
    pub fn word_ids(&self) -> Vec<Option<u32>> {
        self.words().iter().map(|&word| (word != NO_WORD).then_some(word)).collect()
    }

    /// 1 for tokens that the post-processor put in.
    pub fn special_tokens_mask(&self) -> Vec<u32> {
        self.special_tokens_mask.to_vec()
    }

    /// 0 for padding.
    pub fn attention_mask(&self) -> Vec<u32> {
        self.attention_mask.to_vec()
    }

    /// The windows that truncation cut off.
    pub fn overflowing(&self) -> &[Encoding] {
        &self.overflowing
    }

    /// The windows that truncation cut off, which the encoding gives away.
    pub fn take_overflowing(&mut self) -> Vec<Encoding> {
        std::mem::take(&mut self.overflowing)
    }

    /// The texts of all tokens, in order; empty where nobody knows one.
    pub fn token_texts(&self) -> impl ExactSizeIterator<Item = &str> {
        let mut cursor = None;
        self.ids.iter().enumerate().map(move |(index, &id)| {
            self.surfaces.get_from(index, &mut cursor).unwrap_or_else(|| self.vocabulary_text(id))
        })
    }

    /// The texts of the tokens.
    pub fn tokens(&self) -> Vec<String> {
        self.token_texts().map(str::to_owned).collect()
    }

    /// The id of each token, and its text if that is not the vocabulary's.
    pub fn surfaces(&self) -> impl ExactSizeIterator<Item = (TokenId, Option<&str>)> {
        let mut cursor = None;
        self.ids.iter().enumerate().map(move |(index, &id)| (id, self.surfaces.get_from(index, &mut cursor)))
    }

    /// The number under which the vocabulary's texts may be remembered.
    pub fn vocabulary_number(&self) -> Option<u64> {
        self.vocabulary.as_deref().and_then(TokenTexts::number)
    }

    /// What the vocabulary calls an id.
    pub fn vocabulary_text(&self, id: TokenId) -> &str {
        self.vocabulary.as_deref().and_then(|vocabulary| vocabulary.token_text(id)).unwrap_or("")
    }

    /// How many sequences are joined here, at least 1.
    pub fn n_sequences(&self) -> usize {
        self.sequence_ranges.len().max(1)
    }

    /// The sequence of each token; none for special tokens and padding.
    pub fn sequence_ids(&self) -> Vec<Option<usize>> {
        if self.sequence_ranges.is_empty() {
            let masks = self.attention_mask.to_vec();
            return masks.into_iter().map(|mask| (mask != 0).then_some(0)).collect();
        }
        let mut sequences = vec![None; self.len()];
        for sequence in 0..self.n_sequences() {
            sequences[self.sequence_range(sequence)].fill(Some(sequence));
        }
        sequences
    }

    /// All tokens belong to this sequence from here on.
    pub fn set_sequence_id(&mut self, sequence: usize) {
        self.set_sequence_range(sequence, 0..self.len());
    }

    pub(crate) fn set_sequence_range(&mut self, sequence: usize, range: Range<usize>) {
        self.order = OnceLock::new();
        match self.sequence_ranges.binary_search_by_key(&sequence, |(id, _)| *id) {
            Ok(index) => self.sequence_ranges[index].1 = range,
            Err(index) => self.sequence_ranges.insert(index, (sequence, range)),
        }
    }

    /// The tokens of a sequence; all of them if the sequence is not known.
    fn sequence_range(&self, sequence: usize) -> Range<usize> {
        match self.sequence_ranges.binary_search_by_key(&sequence, |(id, _)| *id) {
            Ok(index) => self.sequence_ranges[index].1.clone(),
            Err(_) => 0..self.len(),
        }
    }

    /// Gives all tokens, those of the overflow too, one type.
    pub(crate) fn set_type_id(&mut self, type_id: u32) {
        self.type_ids.fill(type_id);
        for window in &mut self.overflowing {
            window.type_ids.fill(type_id);
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
