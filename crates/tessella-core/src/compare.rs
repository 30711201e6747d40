//! Several tokenizers on the same texts: how many tokens, which words are one token, where words are cut apart.
//!
//! Words are runs without blanks, looked at where they stand in the text: a word is *single* if one token stands for
//! it, with or without the blanks beside it, and nothing else; the unknown token stands for no word. Two tokenizers
//! cut a word alike if the same places inside of it are borders of their tokens, and the same characters are spread
//! over tokens.
//!
//! ```
//! use tessella_core::Comparison;
//! use tessella_core::spec::{ModelSpec, PreTokenizerSpec, Vocab, WordLevelSpec};
//! use tessella_core::{EncodeOptions, Tokenizer, TokenizerSpec};
//!
//! let vocab = Vocab::from_entries([("low", 0), ("?", 1)])?.into();
//! let mut spec = TokenizerSpec::new(ModelSpec::WordLevel(WordLevelSpec { vocab, unk_token: "?".into() }));
//! spec.pre_tokenizer = Some(PreTokenizerSpec::WhitespaceSplit);
//! let mut comparison = Comparison::new(vec![Some(1)]);
//! let tokenizer = Tokenizer::new(spec)?;
//! let (extent, found) = comparison.add(&[&tokenizer], &["low lower low"], &EncodeOptions::default())?;
//! assert_eq!((extent.words, found[0].tokens, found[0].single, found[0].unknown), (3, 3, 2, 1));
//! # Ok::<(), tessella_core::Error>(())
//! ```

use std::collections::HashMap;
use std::ops::Range;

use crate::encoding::{Encoding, OffsetUnit};
use crate::error::Result;
use crate::ids::TokenId;
use crate::tokenizer::{EncodeOptions, Input, Sequence, Tokenizer};

/// How much text there was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extent {
    pub texts: u64,
    pub bytes: u64,
    pub characters: u64,
    pub words: u64,
}

/// What one tokenizer made of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Measured {
    pub tokens: u64,
    /// Words that are one token.
    pub single: u64,
    /// Tokens that are the unknown one.
    pub unknown: u64,
}

/// A word that the tokenizers cut differently: its parts by each, and how often that occurred.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    pub count: u64,
    pub parts: Vec<Vec<String>>,
}

/// A word and the borders inside of it, by tokenizer, counted from its first byte.
type Cuts = (Box<str>, Vec<Vec<u32>>);

/// Ways of cutting that are remembered; beyond them, the rarest are forgotten.
const REMEMBERED: usize = 1 << 17;
/// Bytes of the longest word that is remembered.
const LONGEST: usize = 256;

/// Compares tokenizers portion by portion; what it holds is bounded.
#[derive(Debug, Default)]
pub struct Comparison {
    /// The unknown token of each tokenizer.
    unknown: Vec<Option<TokenId>>,
    /// Of each tokenizer the tokens that were asked about, and whether each is a part of a character.
    parts: Vec<HashMap<TokenId, bool>>,
    /// Words that all cut alike, and that they do not.
    alike: u64,
    differing: u64,
    seen: HashMap<Cuts, u64>,
    has_forgotten: bool,
}

impl Comparison {
    /// For tokenizers with these unknown tokens.
    pub fn new(unknown: Vec<Option<TokenId>>) -> Self {
        Comparison { unknown, ..Comparison::default() }
    }

    /// Looks at further texts with the tokenizers, which are the same each time. Special tokens of templates are
    /// left out, as are truncation and padding.
    pub fn add(
        &mut self,
        tokenizers: &[&Tokenizer],
        texts: &[&str],
        options: &EncodeOptions<'_>,
    ) -> Result<(Extent, Vec<Measured>)> {
        let words: Vec<Vec<Range<usize>>> = texts.iter().map(|text| words(text)).collect();
        let extent = Extent {
            texts: texts.len() as u64,
            bytes: texts.iter().map(|text| text.len() as u64).sum(),
            characters: texts.iter().map(|text| text.chars().count() as u64).sum(),
            words: words.iter().map(|words| words.len() as u64).sum(),
        };
        let plain = EncodeOptions {
            add_special_tokens: false,
            offsets: OffsetUnit::Byte,
            truncation: None,
            padding: None,
            ..options.clone()
        };
        let inputs: Vec<Input<'_>> =
            texts.iter().map(|text| Input { first: Sequence::Text(text), second: None }).collect();
        let mut measured = Vec::with_capacity(tokenizers.len());
        self.parts.resize_with(tokenizers.len(), HashMap::new);
        // By tokenizer and text.
        let mut borders: Vec<Vec<Vec<usize>>> = Vec::with_capacity(tokenizers.len());
        for (place, tokenizer) in tokenizers.iter().enumerate() {
            let unknown = self.unknown.get(place).copied().flatten();
            let mut own = Measured::default();
            let encodings = tokenizer.encode_batch(inputs.as_slice(), &plain)?;
            let stretches: Vec<Vec<Stretch>> =
                encodings.iter().zip(texts).map(|(one, text)| stretches(tokenizer, one, text)).collect();
            for ((encoding, own_stretches), words) in encodings.iter().zip(&stretches).zip(&words) {
                own.tokens += encoding.len() as u64;
                own.unknown += encoding.ids().iter().filter(|&&id| Some(id) == unknown).count() as u64;
                own.single += singles(own_stretches, words, unknown);
            }
            if tokenizers.len() > 1 {
                let known = &mut self.parts[place];
                let mut is_part = |id| {
                    // Asked for few tokens, each once: its bytes by themselves are no text.
                    *known.entry(id).or_insert_with(|| {
                        tokenizer
                            .decode_bytes(&[id], false)
                            .is_ok_and(|bytes| std::str::from_utf8(&bytes).is_err())
                    })
                };
                borders.push(stretches.into_iter().map(|one| borders_of(one, &mut is_part)).collect());
            }
            measured.push(own);
        }
        if tokenizers.len() > 1 {
            for (index, (text, words)) in texts.iter().zip(&words).enumerate() {
                let of_text: Vec<&[usize]> = borders.iter().map(|texts| texts[index].as_slice()).collect();
                self.compare(text, words, &of_text);
            }
        }
        self.forget();
        Ok((extent, measured))
    }

    /// Occurrences of words that all tokenizers cut alike, and of those that they do not.
    pub fn shares(&self) -> (u64, u64) {
        (self.alike, self.differing)
    }

    /// Whether so many ways of cutting were seen that rare ones were forgotten: counts are then the least that
    /// may be true.
    pub fn has_forgotten(&self) -> bool {
        self.has_forgotten
    }

    /// The words that are cut differently, the most frequent first.
    pub fn differences(&self, most: usize) -> Vec<Difference> {
        let mut found: Vec<(&Cuts, u64)> = self.seen.iter().map(|(cuts, &count)| (cuts, count)).collect();
        found.sort_unstable_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(other.0)));
        found.truncate(most);
        let difference = |((word, cuts), count): (&Cuts, u64)| Difference {
            count,
            parts: cuts.iter().map(|cuts| parts(word, cuts)).collect(),
        };
        found.into_iter().map(difference).collect()
    }

    fn compare(&mut self, text: &str, words: &[Range<usize>], borders: &[&[usize]]) {
        let mut next = vec![0; borders.len()];
        for word in words {
            let mut inside: Vec<&[usize]> = Vec::with_capacity(borders.len());
            for (borders, next) in borders.iter().zip(&mut next) {
                *next += borders[*next..].iter().take_while(|&&border| border <= word.start).count();
                let number = borders[*next..].iter().take_while(|&&border| border < word.end).count();
                inside.push(&borders[*next..*next + number]);
                *next += number;
            }
            if inside.iter().all(|borders| *borders == inside[0]) {
                self.alike += 1;
                continue;
            }
            self.differing += 1;
            if word.len() <= LONGEST {
                let relative =
                    |borders: &&[usize]| borders.iter().map(|at| (at - word.start) as u32).collect();
                let cuts = inside.iter().map(relative).collect();
                *self.seen.entry((text[word.clone()].into(), cuts)).or_default() += 1;
            }
        }
    }

    /// Keeps the more frequent half of what is remembered once that is too much.
    fn forget(&mut self) {
        if self.seen.len() <= REMEMBERED {
            return;
        }
        let mut counts: Vec<u64> = self.seen.values().copied().collect();
        let middle = counts.len() / 2;
        let (_, &mut least, _) = counts.select_nth_unstable(middle);
        self.seen.retain(|_, count| *count > least);
        self.has_forgotten = true;
    }
}

/// The runs without blanks, as bytes.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut begun = None;
    for (at, character) in text.char_indices() {
        match (character.is_whitespace(), begun) {
            (true, Some(start)) => {
                words.push(start..at);
                begun = None;
            }
            (false, None) => begun = Some(at),
            _ => {}
        }
    }
    words.extend(begun.map(|start| start..text.len()));
    words
}

/// A token that stands for something, and for which bytes of the text.
type Stretch = (usize, usize, TokenId);

/// The tokens that stand for something. A mark for a blank that was put in front of a text stands for nothing in it,
/// though its offsets are those of the character behind it.
fn stretches(tokenizer: &Tokenizer, encoding: &Encoding, text: &str) -> Vec<Stretch> {
    const MARKS: [char; 3] = [' ', '▁', 'Ġ'];
    let is_mark =
        |id| tokenizer.id_to_token(id).is_some_and(|token| token.chars().all(|one| MARKS.contains(&one)));
    let has_blank = |own: &str| own.chars().any(|one| one.is_whitespace() || MARKS.contains(&one));
    encoding
        .offsets()
        .iter()
        .zip(encoding.ids())
        .map(|((start, end), &id)| (start, end, id))
        .filter(|&(start, end, id)| {
            start < end && (text.get(start..end).is_some_and(has_blank) || !is_mark(id))
        })
        .collect()
}

/// How many words are one token.
fn singles(stretches: &[Stretch], words: &[Range<usize>], unknown: Option<TokenId>) -> u64 {
    // Tokens of each word; a token that is no good for being the only one counts twice.
    let mut tokens = vec![0u8; words.len()];
    let mut first = 0;
    for &(start, end, id) in stretches {
        // Offsets go up, but for the few normalizers that change the order of marks.
        if first > 0 && words[first - 1].end > start {
            first = words.partition_point(|word| word.end <= start);
        }
        while words.get(first).is_some_and(|word| word.end <= start) {
            first += 1;
        }
        let touched = words[first..].iter().take_while(|word| word.start < end).count();
        let weight = if touched == 1 && Some(id) != unknown { 1 } else { 2 };
        for count in &mut tokens[first..first + touched] {
            *count = count.saturating_add(weight);
        }
    }
    tokens.iter().filter(|&&count| count == 1).count() as u64
}

/// Where tokens begin and end, ascending, each place once.
///
/// Tokens that share a character, each having some of its bytes, have all of it in their offsets: the border between
/// them is told one byte behind the beginning of the character, which is no border of characters. Others share one
/// that normalization has made several of: there is no border between them.
fn borders_of(mut spans: Vec<Stretch>, is_part: &mut impl FnMut(TokenId) -> bool) -> Vec<usize> {
    // They are in order but for the few normalizers that change the order of marks.
    spans.sort_by_key(|&(start, end, _)| (start, end));
    let mut borders = Vec::with_capacity(spans.len() + 1);
    let mut last: Option<(usize, TokenId)> = None;
    for (start, end, id) in spans {
        let mut reach = end;
        match last {
            Some((before, other)) if start < before => {
                if is_part(id) || is_part(other) {
                    borders.push(start + 1);
                }
                reach = reach.max(before);
            }
            _ => borders.extend(last.map(|(before, _)| before).into_iter().chain([start])),
        }
        last = Some((reach, id));
    }
    borders.extend(last.map(|(before, _)| before));
    borders.sort_unstable();
    borders.dedup();
    borders
}

/// A word in parts. A character that is spread over two stands in the first, and the second begins with two dots, as
/// the studio shows it.
fn parts(word: &str, cuts: &[u32]) -> Vec<String> {
    let mut parts = Vec::with_capacity(cuts.len() + 1);
    let (mut part, mut cuts) = (String::new(), cuts.iter().map(|&cut| cut as usize).peekable());
    for (at, character) in word.char_indices() {
        if cuts.next_if_eq(&at).is_some() {
            parts.push(std::mem::take(&mut part));
        }
        part.push(character);
        let end = at + character.len_utf8();
        while cuts.next_if(|&cut| cut < end).is_some() {
            parts.push(std::mem::replace(&mut part, "\u{2025}".into()));
        }
    }
    parts.push(part);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{BpeSpec, Merges, ModelSpec, PreTokenizerSpec, TokenizerSpec, Vocab, WordLevelSpec};

    fn bpe(pre_tokenizer: Option<PreTokenizerSpec>, merges: &[(TokenId, TokenId)]) -> Tokenizer {
        let entries = ["a", "b", "ab", " ", " a", " ab", "é"].into_iter().zip(0..);
        let mut spec = TokenizerSpec::new(ModelSpec::Bpe(BpeSpec::new(
            Vocab::from_entries(entries).unwrap(),
            Merges::Pairs(merges.to_vec().into()),
        )));
        spec.pre_tokenizer = pre_tokenizer;
        Tokenizer::new(spec).unwrap()
    }

    #[test]
    fn a_word_is_looked_at_where_it_stands() {
        // " ab" is one token with its blank; "ab" at the beginning is one by itself.
        let whole = bpe(None, &[(0, 1), (3, 0), (3, 2)]);
        let split = bpe(Some(PreTokenizerSpec::WhitespaceSplit), &[(0, 1)]);
        let letters = bpe(Some(PreTokenizerSpec::WhitespaceSplit), &[]);
        let mut comparison = Comparison::new(vec![None, None, None]);
        let all = [&whole, &split, &letters];
        let texts = ["ab ab  b", "", "é abab ab"];
        let (extent, found) = comparison.add(&all, &texts, &EncodeOptions::default()).unwrap();
        assert_eq!(extent, Extent { texts: 3, bytes: 18, characters: 17, words: 6 });
        let single: Vec<u64> = found.iter().map(|one| one.single).collect();
        assert_eq!(single, [5, 5, 2]);
        assert_eq!(comparison.shares(), (2, 4));
        let differences = comparison.differences(1);
        assert_eq!(differences[0].count, 3);
        let parts = [vec!["ab"], vec!["ab"], vec!["a", "b"]];
        assert!(differences[0].parts.iter().eq(parts.iter()));
        assert!(!comparison.has_forgotten());
    }

    #[test]
    fn unknown_words_and_tokens_over_several_words_are_not_single() {
        let vocab = Vocab::from_entries([("a", 0), ("?", 1), ("a b", 2)]).unwrap();
        let spec = WordLevelSpec { vocab: vocab.into(), unk_token: "?".into() };
        let whole = Tokenizer::new(TokenizerSpec::new(ModelSpec::WordLevel(spec))).unwrap();
        let mut comparison = Comparison::new(vec![Some(1)]);
        let texts = ["a", "a b", "c"];
        let (extent, found) = comparison.add(&[&whole], &texts, &EncodeOptions::default()).unwrap();
        assert_eq!(extent.words, 4);
        assert_eq!(found, [Measured { tokens: 3, single: 1, unknown: 1 }]);
    }

    /// Bytes of characters as tokens, joined or not: `é` is two, and no cut beside it hides the one in it.
    #[test]
    fn characters_that_are_spread_over_tokens_are_cut() {
        let vocab = ["a", "Ã", "©", "aÃ", "©b", "b", "Ã©"].into_iter().zip(0..);
        let bytes = |merges: &[(TokenId, TokenId)]| {
            let vocab = Vocab::from_entries(vocab.clone()).unwrap();
            let mut spec = TokenizerSpec::new(ModelSpec::Bpe(BpeSpec::new(
                vocab,
                Merges::Pairs(merges.to_vec().into()),
            )));
            let plain =
                PreTokenizerSpec::ByteLevel { add_prefix_space: false, trim_offsets: true, use_regex: false };
            spec.pre_tokenizer = Some(plain);
            spec.decoder = Some(crate::spec::DecoderSpec::ByteLevel {
                add_prefix_space: true,
                trim_offsets: true,
                use_regex: true,
            });
            Tokenizer::new(spec).unwrap()
        };
        let shown = |merges: &[(TokenId, TokenId)], other: &[(TokenId, TokenId)], text: &str| {
            let (one, other) = (bytes(merges), bytes(other));
            let mut comparison = Comparison::new(vec![None, None]);
            comparison.add(&[&one, &other], &[text], &EncodeOptions::default()).unwrap();
            let parts = comparison.differences(1).into_iter().flat_map(|one| one.parts);
            (comparison.shares(), parts.map(|parts| parts.join("|")).collect::<Vec<_>>())
        };
        let letters: &[(TokenId, TokenId)] = &[(1, 2)];
        assert_eq!(shown(letters, &[], "é"), ((0, 1), vec!["é".into(), "é|\u{2025}".into()]));
        let parts = vec!["a|é|b".into(), "aé|\u{2025}b".into()];
        assert_eq!(shown(letters, &[(0, 1), (2, 5)], "aéb"), ((0, 1), parts));
        assert_eq!(shown(&[], &[], "aéb é"), ((2, 0), vec![]));
        assert_eq!(shown(letters, letters, "aéb é"), ((2, 0), vec![]));
        // A mark that is put in front has the place of what it stands before, and cuts nothing.
        let mut spec = TokenizerSpec::new(ModelSpec::Bpe(BpeSpec::new(
            Vocab::from_entries([("▁", 0), ("é", 1)]).unwrap(),
            Merges::Pairs(vec![].into()),
        )));
        spec.normalizer = Some(crate::spec::NormalizerSpec::Prepend { prepend: "▁".into() });
        let marked = Tokenizer::new(spec).unwrap();
        let mut comparison = Comparison::new(vec![None, None]);
        let given = ["é", "▁é"];
        let (_, found) =
            comparison.add(&[&marked, &bytes(letters)], &given, &EncodeOptions::default()).unwrap();
        // A mark that the text has is a part of the word.
        assert_eq!((comparison.shares(), found[0].tokens, found[0].single), ((2, 0), 5, 1));
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut comparison = Comparison::new(vec![None, None]);
        for word in 0..=REMEMBERED as u32 {
            let cuts = (word.to_string().into(), vec![vec![1], vec![]]);
            comparison.seen.insert(cuts, u64::from(word) / 1000 + 1);
        }
        comparison.forget();
        assert!(comparison.has_forgotten() && comparison.seen.len() <= REMEMBERED / 2 + 1000);
        assert_eq!(comparison.differences(1)[0].count, REMEMBERED as u64 / 1000 + 1);
    }
}
