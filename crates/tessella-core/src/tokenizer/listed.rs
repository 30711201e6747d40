//! Words that come in lists, remembered with the places of their tokens.
//!
//! Who cut a text into words already pays for the way through all stages at each of them, and most of them came before. What
//! such a word became lies with the worker, in a table with one word at each place, the latest, as short texts do
//! ([`super::brief`], which says what a key is). A word with tokens that are named by something else than their ids is not kept.
//! The slow twin is the way through the stages, which is all there is without the fast engine (`TESSELLA_LANES=off`).

use super::brief::Key;
use super::columns::Columns;
use crate::encoding::Offsets;
use crate::ids::TokenId;

/// Tokens of a word that is remembered.
const MOST_TOKENS: usize = 4;
/// Words that a worker remembers at most: 450 kB.
const MOST_WORDS: usize = 8192;

#[derive(Debug, Clone, Copy, Default)]
struct Place {
    key: Key,
    count: u8,
    ids: [TokenId; MOST_TOKENS],
    /// Where each token begins and ends, in what offsets count.
    offsets: [[u8; 2]; MOST_TOKENS],
}

/// What a worker remembers.
#[derive(Debug)]
pub(super) struct Listed {
    /// None before the first word.
    places: Vec<Place>,
    /// How many there are then.
    count: usize,
}

impl Listed {
    /// Within so many bytes.
    pub fn new(budget: usize) -> Self {
        Listed { places: Vec::new(), count: MOST_WORDS.min(budget / size_of::<Place>()) }
    }

    /// Appends the tokens of a word that came before, as those of word `number` of a list.
    #[inline]
    pub fn recall(&self, key: &Key, number: u32, columns: &mut Columns) -> bool {
        let Some(place) = self.places.get(key.place(self.count.max(1))).filter(|place| place.key == *key)
        else {
            return false;
        };
        let count = usize::from(place.count) % (MOST_TOKENS + 1);
        columns.ids.extend_from_slice(&place.ids[..count]);
        for &[start, end] in &place.offsets[..count] {
            columns.offsets.push((start.into(), end.into()));
            columns.words.push(number);
        }
        true
    }

    /// Keeps the tokens from number `first` on, which a word became.
    pub fn remember(&mut self, key: Key, first: usize, columns: &Columns) {
        let Columns { ids, offsets: Offsets::Narrow(offsets), surfaces, added, .. } = columns else { return };
        let (ids, offsets) = (&ids[first..], &offsets[first..]);
        let is_named = (first..first + ids.len()).any(|token| surfaces.get(token).is_some());
        let has_added = added.last().is_some_and(|&last| last >= first);
        if self.count == 0 || ids.len() > MOST_TOKENS || is_named || has_added {
            return;
        }
        let mut place = Place { key, count: ids.len() as u8, ..Place::default() };
        place.ids[..ids.len()].copy_from_slice(ids);
        for (short, long) in place.offsets.iter_mut().zip(offsets) {
            let (Ok(start), Ok(end)) = (u8::try_from(long[0]), u8::try_from(long[1])) else { return };
            *short = [start, end];
        }
        if self.places.is_empty() {
            self.places.resize(self.count, Place::default());
        }
        self.places[key.place(self.count)] = place;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::tests::{added, added_behind, random_bpe, unigram, with_lanes};
    use super::super::worker::LanesStart;
    use super::super::{EncodeOptions, Input, Sequence};
    use crate::encoding::OffsetUnit;
    use crate::random::Random;
    use crate::spec::*;

    /// Words come again at other places of other lists, with other units and special tokens as text.
    #[test]
    fn words_of_lists_are_as_by_the_stages() {
        let parts =
            ["a", "b", "ab", "é", "漢", "😀", " ", "<s>", "<t>", "É", "x", "", "longer than it may be"];
        let (mut named, mut remembered) = (0, 0);
        for seed in 0..60 {
            let mut random = Random::from_seed(seed);
            let mut below = |bound: usize| random.next_u64() as usize % bound;
            let metaspace =
                |prepend| PreTokenizerSpec::Metaspace { replacement: '▁', prepend, split: true };
            let mut spec = match seed % 4 {
                0 => TokenizerSpec::new(unigram(seed % 8 == 0, true)),
                1 => TokenizerSpec::new(ModelSpec::Bpe(random_bpe(&mut Random::from_seed(seed)))),
                _ => {
                    let texts = ["[UNK]", "a", "##b", "b", "ab", "e", "x", "##x"];
                    let vocab = Vocab::from_entries(texts.into_iter().zip(0..)).unwrap();
                    TokenizerSpec::new(ModelSpec::WordPiece(WordPieceSpec {
                        vocab: Arc::new(vocab),
                        unk_token: "[UNK]".into(),
                        continuing_subword_prefix: "##".into(),
                        max_input_chars_per_word: 100,
                    }))
                }
            };
            spec.pre_tokenizer = match seed % 4 {
                0 => Some(metaspace(PrependScheme::Always)),
                1 => None,
                _ => Some(PreTokenizerSpec::Bert),
            };
            spec.normalizer = (seed % 6 == 2).then_some(NormalizerSpec::Lowercase);
            added(&mut spec);
            if seed % 5 == 1 {
                added_behind(&mut spec, &mut Random::from_seed(seed));
            }
            if seed % 3 == 0 {
                // Of which the model has another text.
                spec.added_tokens.push(AddedToken { id: Some(1), ..AddedToken::new("<t>", false) });
            }
            let (fast, slow) = (with_lanes(&spec, LanesStart::AtOnce), with_lanes(&spec, LanesStart::Never));
            for round in 0..60 {
                let words: Vec<String> = (0..below(9))
                    .map(|_| (0..1 + below(3)).map(|_| parts[below(parts.len())]).collect())
                    .collect();
                let offsets = [OffsetUnit::Byte, OffsetUnit::Char, OffsetUnit::Utf16][round % 3];
                let encode_special_tokens = round % 7 == 0;
                let options = EncodeOptions { offsets, encode_special_tokens, ..EncodeOptions::default() };
                let all = |tokenizer: &super::super::Tokenizer| {
                    let list = || Sequence::Words(words.iter().map(String::as_str).collect());
                    let input = Input { first: list(), second: (round % 5 == 0).then(list) };
                    let encoding = tokenizer.encode(&input, &options).unwrap();
                    let columns = (encoding.ids().to_vec(), encoding.offsets().to_vec());
                    (columns, encoding.words().to_vec(), encoding.tokens())
                };
                let (fast, slow) = (all(&fast), all(&slow));
                assert_eq!(fast, slow, "{seed} {words:?} {spec:?}");
                named += usize::from(fast.2.iter().any(|token| token == "<t>"));
            }
            fast.inner.workers.with(|worker| {
                remembered +=
                    worker.listed.places.iter().filter(|place| place.key != Default::default()).count();
            });
        }
        assert!(named > 50 && remembered > 1000, "{named} {remembered}");
    }
}
