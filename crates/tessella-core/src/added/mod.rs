//! Stage 0b: special and user tokens, cut out before and after normalisation.
//!
//! Two passes. Tokens with `normalized = false` are looked for in the raw text; what lies between is
//! normalized; tokens with `normalized = true` are looked for in that, by their own normalized content. In
//! both passes matching is leftmost-longest and independent of the order of insertion. Then, for each match:
//!
//! 1. it is rejected if it is a special token and specials are to be plain text, or if it must be a single
//!    word and a word character touches it; a shorter token at the same place, or any inside, is tried next;
//! 2. `lstrip` and `rstrip` widen it over adjacent white space, never over the match before it and never into
//!    the match after it.

mod heads;
mod matcher;

use std::ops::Range;
use std::sync::OnceLock;

pub(crate) use matcher::Matcher as ContentMatcher;
use matcher::Matcher;
use memchr::memmem::Finder;

use crate::error::{Error, Result};
use crate::hash::SecretMap;
use crate::ids::TokenId;
use crate::spec::{AddedToken, ModelSpec};

/// A stretch of text: a token or what lies between tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    pub range: Range<usize>,
    pub id: Option<TokenId>,
}

/// The added tokens of a tokenizer, ready to match.
#[derive(Debug, Default)]
pub struct AddedVocabulary {
    /// By ascending id; every token has one.
    tokens: Vec<AddedToken>,
    by_id: SecretMap<TokenId, usize>,
    by_content: SecretMap<String, TokenId>,
    /// Normalized contents that differ from the original ones.
    normalized_contents: SecretMap<TokenId, String>,
    pub has_special: bool,
    raw: Option<TokenSet>,
    normalized: Option<TokenSet>,
}

/// Bytes of texts that are looked through for one byte first.
const SHORT: usize = 256;
/// Contents that are looked for one by one, which takes a few cycles for 64 bytes each.
const MOST_FINDERS: usize = 8;

/// Tokens that are looked for together.
#[derive(Debug)]
struct TokenSet {
    matcher: Matcher,
    /// The byte that all contents begin with, if it is one.
    begin: Option<u8>,
    /// Index into `tokens` by pattern.
    tokens: Vec<usize>,
    /// Shorter tokens at the place of a rejected match are found through this map, made for the first of them.
    shorter: OnceLock<SecretMap<Box<str>, usize>>,
    lengths: Vec<usize>,
    /// Each content by itself, where they are few and begin with several bytes.
    finders: Vec<Finder<'static>>,
    /// Whether any token can be rejected.
    rejects: bool,
    has_special: bool,
}

/// Gives ids to the tokens of a list: kept where given, else that of an equal text in the model, else the
/// next free one after the model's size and the largest id given so far. Empty contents are left out; of equal
/// contents the last one counts.
pub fn resolve_ids(
    mut tokens: Vec<AddedToken>,
    model: &ModelSpec,
    id_in_model: impl Fn(&str) -> Option<TokenId>,
) -> Vec<AddedToken> {
    let size = model.vocab_len() as TokenId;
    // Places in the list, and ids.
    let mut resolved: Vec<(usize, TokenId)> = Vec::with_capacity(tokens.len());
    let mut known: SecretMap<&str, usize> =
        SecretMap::with_capacity_and_hasher(tokens.len(), Default::default());
    let mut next =
        tokens.iter().filter_map(|token| token.id).max().map_or(size, |max| size.max(max.saturating_add(1)));
    for (place, token) in tokens.iter().enumerate() {
        if token.content.is_empty() {
            continue;
        }
        let before = known.get(token.content.as_str()).copied();
        let id = token
            .id
            .or_else(|| before.map(|at| resolved[at].1))
            .or_else(|| id_in_model(&token.content))
            .unwrap_or_else(|| {
                let id = next;
                next = next.saturating_add(1);
                id
            });
        match before {
            Some(at) => resolved[at] = (place, id),
            None => {
                known.insert(&token.content, resolved.len());
                resolved.push((place, id));
            }
        }
    }
    let token = |(place, id): (usize, TokenId)| {
        let content = std::mem::take(&mut tokens[place].content);
        AddedToken { id: Some(id), content, ..tokens[place].clone() }
    };
    resolved.into_iter().map(token).collect()
}

impl AddedVocabulary {
    /// Builds from tokens that have ids. `normalize` gives the normalized form of a content.
    pub fn new(tokens: &[AddedToken], normalize: impl Fn(&str) -> Result<String>) -> Result<Self> {
        let mut vocabulary = AddedVocabulary { tokens: tokens.to_vec(), ..Self::default() };
        vocabulary.tokens.sort_by_key(|token| token.id);
        vocabulary.by_id.reserve(tokens.len());
        vocabulary.by_content.reserve(tokens.len());
        let mut raw = Vec::new();
        let mut normalized = Vec::new();
        for (index, token) in vocabulary.tokens.iter().enumerate() {
            let id = token.id.ok_or_else(|| {
                Error::value(format!("the added token `{}` has no id", crate::error::excerpt(&token.content)))
            })?;
            // Two tokens may share an id: each is matched by its own content, the last one names the id.
            if vocabulary.by_id.insert(id, index).is_some() {
                vocabulary.normalized_contents.remove(&id);
            }
            vocabulary.by_content.insert(token.content.clone(), id);
            vocabulary.has_special |= token.special;
            if !token.normalized {
                raw.push((token.content.clone(), index));
                continue;
            }
            let form = normalize(&token.content)?;
            // Elsewhere it is found between all characters, or ends the process.
            if form.is_empty() {
                return Err(Error::value(format!(
                    "the added token `{}` (id {id}) is nothing once it is normalized, so no text has it: give it \
                     normalized=false, which finds it in the text before that is normalized, or leave it out",
                    crate::error::excerpt(&token.content)
                )));
            }
            if form != token.content {
                vocabulary.normalized_contents.insert(id, form.clone());
            }
            normalized.push((form, index));
        }
        vocabulary.raw = TokenSet::build(raw, &vocabulary.tokens)?;
        vocabulary.normalized = TokenSet::build(normalized, &vocabulary.tokens)?;
        Ok(vocabulary)
    }

    fn matched_content(&self, index: usize) -> &str {
        let token = &self.tokens[index];
        token.id.and_then(|id| self.normalized_contents.get(&id)).map_or(&token.content, String::as_str)
    }

    /// What a token's content becomes, where it is looked for in normalized text.
    pub fn normalized(&self, content: &str) -> Option<&str> {
        let index = *self.by_id.get(&self.id(content)?)?;
        // Two tokens may share an id, which names the last one.
        let token = &self.tokens[index];
        (token.normalized && token.content == content).then(|| self.matched_content(index))
    }

    /// All tokens by ascending id.
    pub fn tokens(&self) -> &[AddedToken] {
        &self.tokens
    }

    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    pub fn id(&self, content: &str) -> Option<TokenId> {
        self.by_content.get(content).copied()
    }

    pub fn token(&self, id: TokenId) -> Option<&AddedToken> {
        self.by_id.get(&id).map(|&index| &self.tokens[index])
    }

    /// The text that decoding uses: the normalized content, so that the decoder can undo what the normalizer
    /// did.
    pub fn decoded_text(&self, id: TokenId) -> Option<&str> {
        self.by_id.get(&id).map(|&index| self.matched_content(index))
    }

    pub fn is_special(&self, id: TokenId) -> bool {
        self.token(id).is_some_and(|token| token.special)
    }

    /// Whether a special token reads so.
    pub fn is_special_content(&self, text: &str) -> bool {
        self.id(text).is_some_and(|id| self.is_special(id))
    }

    /// The same for many texts: hardly any has the length of a special token.
    pub fn special_contents(&self) -> impl Fn(&str) -> bool {
        let bit = |text: &str| 1_u64 << text.len().min(63);
        let specials = self.tokens.iter().filter(|token| token.special);
        let lengths = specials.fold(0, |lengths, token| lengths | bit(&token.content));
        move |text| bit(text) & lengths != 0 && self.is_special_content(text)
    }

    /// Builds what the first text would.
    pub fn get_ready(&self) {
        self.raw.iter().chain(&self.normalized).for_each(|set| set.matcher.get_ready());
    }

    pub fn has_raw(&self) -> bool {
        self.raw.is_some()
    }

    pub fn has_normalized(&self) -> bool {
        self.normalized.is_some()
    }

    /// What is looked for in normalized text.
    pub fn normalized_contents(&self) -> impl Iterator<Item = &str> {
        self.normalized.iter().flat_map(|set| set.matcher.contents().map(|(content, _)| content))
    }

    /// Whether no token of raw text stands in a text, whatever becomes of specials.
    pub fn is_absent_raw(&self, text: &str) -> bool {
        self.raw.as_ref().is_none_or(|set| set.is_absent(text) || set.matcher.find(text, 0).is_none())
    }

    /// Segments of raw text, covering it.
    pub fn split_raw(&self, text: &str, specials_as_text: bool, out: &mut Vec<Segment>) {
        self.split(self.raw.as_ref(), text, specials_as_text, out);
    }

    /// Segments of normalized text, covering it.
    pub fn split_normalized(&self, text: &str, specials_as_text: bool, out: &mut Vec<Segment>) {
        self.split(self.normalized.as_ref(), text, specials_as_text, out);
    }

    fn split(&self, set: Option<&TokenSet>, text: &str, specials_as_text: bool, out: &mut Vec<Segment>) {
        out.clear();
        let mut done = 0;
        if let Some(set) = set
            && !set.is_absent(text)
        {
            let picky = set.rejects || (specials_as_text && set.has_special);
            let mut found = set.next(self, text, 0, picky, specials_as_text);
            while let Some((range, index)) = found {
                let token = &self.tokens[index];
                found = set.next(self, text, range.end, picky, specials_as_text);
                let limit = found.as_ref().map_or(text.len(), |(next, _)| next.start);
                let (mut start, mut end) = (range.start, range.end);
                if token.lstrip {
                    start = done + text[done..start].trim_end().len();
                }
                if token.rstrip {
                    end = limit - text[end..limit].trim_start().len();
                }
                if done < start {
                    out.push(Segment { range: done..start, id: None });
                }
                out.push(Segment { range: start..end, id: token.id });
                done = end;
            }
        }
        if done < text.len() {
            out.push(Segment { range: done..text.len(), id: None });
        }
    }
}

impl TokenSet {
    fn build(patterns: Vec<(String, usize)>, tokens: &[AddedToken]) -> Result<Option<Self>> {
        let patterns: Vec<_> = patterns.into_iter().filter(|(content, _)| !content.is_empty()).collect();
        if patterns.is_empty() {
            return Ok(None);
        }
        let begin = patterns[0].0.as_bytes()[0];
        let one_begin = patterns.iter().all(|(content, _)| content.as_bytes()[0] == begin);
        let mut lengths: Vec<usize> = patterns.iter().map(|(content, _)| content.len()).collect();
        lengths.sort_unstable();
        lengths.dedup();
        let are_few = !one_begin && patterns.len() <= MOST_FINDERS;
        let finders =
            patterns.iter().filter(|_| are_few).map(|(content, _)| Finder::new(content).into_owned());
        Ok(Some(TokenSet {
            finders: finders.collect(),
            begin: one_begin.then_some(begin),
            tokens: patterns.iter().map(|(_, index)| *index).collect(),
            rejects: patterns.iter().any(|(_, index)| tokens[*index].single_word),
            has_special: patterns.iter().any(|(_, index)| tokens[*index].special),
            shorter: OnceLock::new(),
            lengths,
            matcher: Matcher::new(patterns)?,
        }))
    }

    /// Whether a text is known to have none of the contents sooner than a matcher is asked: a short one has not even the byte that
    /// all begin with, and in a longer one a few contents that begin with several bytes, which a matcher would stop at, are not
    /// found one by one.
    #[inline]
    fn is_absent(&self, text: &str) -> bool {
        // Without a way out of the loop, so that many bytes are compared at once.
        let has = |begin: u8| text.bytes().fold(false, |found, byte| found | (byte == begin));
        match self.begin {
            Some(begin) => text.len() <= SHORT && !has(begin),
            None => {
                !self.finders.is_empty()
                    && self.finders.iter().all(|finder| finder.find(text.as_bytes()).is_none())
            }
        }
    }

    fn shorter(&self) -> &SecretMap<Box<str>, usize> {
        if let Some(shorter) = self.shorter.get() {
            return shorter;
        }
        // As with the matcher, nobody waits for others.
        let index = |(content, pattern): (&str, usize)| (content.into(), self.tokens[pattern]);
        let made = self.matcher.contents().map(index).collect();
        self.shorter.get_or_init(|| made)
    }

    /// The next accepted match at or after `from`.
    fn next(
        &self,
        vocabulary: &AddedVocabulary,
        text: &str,
        mut from: usize,
        picky: bool,
        specials_as_text: bool,
    ) -> Option<(Range<usize>, usize)> {
        loop {
            let (found, pattern) = self.matcher.find(text, from)?;
            let index = self.tokens[pattern];
            if !picky {
                return Some((found, index));
            }
            let accepted = |index: usize, range: &Range<usize>| {
                let token = &vocabulary.tokens[index];
                !(specials_as_text && token.special || token.single_word && touches_word(text, range))
            };
            if accepted(index, &found) {
                return Some((found, index));
            }
            // Shorter tokens at the same place, longest first.
            let start = found.start;
            for &length in self.lengths.iter().rev().filter(|&&length| length < found.len()) {
                let range = start..start + length;
                if let Some(&index) = text.get(range.clone()).and_then(|part| self.shorter().get(part))
                    && accepted(index, &range)
                {
                    return Some((range, index));
                }
            }
            from = start + text[start..].chars().next().map_or(1, char::len_utf8);
        }
    }
}

/// Whether a word character stands right before or right after the range.
fn touches_word(text: &str, range: &Range<usize>) -> bool {
    let is_word = |c: char| regex_syntax::try_is_word_character(c).unwrap_or_else(|_| c.is_alphanumeric());
    text[..range.start].chars().next_back().is_some_and(is_word)
        || text[range.end..].chars().next().is_some_and(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary(tokens: Vec<AddedToken>) -> AddedVocabulary {
        let tokens: Vec<_> = tokens
            .into_iter()
            .enumerate()
            .map(|(id, token)| AddedToken { id: Some(id as TokenId), ..token })
            .collect();
        AddedVocabulary::new(&tokens, |content| Ok(content.to_lowercase())).unwrap()
    }

    fn raw(content: &str) -> AddedToken {
        AddedToken::new(content, true)
    }

    fn split(
        vocabulary: &AddedVocabulary,
        text: &str,
        specials_as_text: bool,
    ) -> Vec<(String, Option<TokenId>)> {
        let mut segments = Vec::new();
        vocabulary.split_raw(text, specials_as_text, &mut segments);
        assert_eq!(segments.iter().map(|s| s.range.len()).sum::<usize>(), text.len());
        segments.into_iter().map(|s| (text[s.range].to_string(), s.id)).collect()
    }

    fn owned(parts: &[(&str, Option<TokenId>)]) -> Vec<(String, Option<TokenId>)> {
        parts.iter().map(|(text, id)| (text.to_string(), *id)).collect()
    }

    #[test]
    fn the_longest_token_wins_whatever_the_order() {
        let tokens = vocabulary(vec![raw("ab"), raw("abc"), raw("bcd")]);
        assert_eq!(
            split(&tokens, "xabcdab", false),
            owned(&[("x", None), ("abc", Some(1)), ("d", None), ("ab", Some(0))])
        );
    }

    /// With a content of another beginning, texts are not looked through for the one byte first.
    #[test]
    fn short_texts_without_the_first_byte_are_one_segment() {
        let contents = ["<s>", "<e>", "<sé>"].map(raw);
        let (one, several) =
            (vocabulary(contents.to_vec()), vocabulary([&contents[..], &[raw("|")]].concat()));
        let mut random = crate::random::Random::from_seed(9);
        let mut below = |bound: usize| random.next_u64() as usize % bound;
        let (mut absent, mut found) = (0, 0);
        for _ in 0..3000 {
            let length = below(5) * below(90);
            let mut text: String = (0..length).map(|_| ["a", "é", "s>", " "][below(4)]).collect();
            (0..below(3)).for_each(|_| text.push_str(["<s>", "<", "<sé>a"][below(3)]));
            let (fast, slow) = (split(&one, &text, false), split(&several, &text, false));
            assert_eq!(fast, slow, "{text:?}");
            absent += usize::from(!text.contains('<'));
            found += usize::from(fast.iter().any(|(_, id)| id.is_some()));
        }
        assert!(absent > 300 && found > 300, "{absent} {found}");
    }

    #[test]
    fn a_rejected_match_does_not_hide_shorter_ones() {
        let whole = AddedToken { single_word: true, ..raw("cat") };
        let tokens = vocabulary(vec![whole, raw("ca"), raw("t")]);
        assert_eq!(split(&tokens, "cat", false), owned(&[("cat", Some(0))]));
        assert_eq!(split(&tokens, "cats", false), owned(&[("ca", Some(1)), ("t", Some(2)), ("s", None)]));
        assert_eq!(split(&tokens, "catca", true), owned(&[("catca", None)]));
    }

    /// At each place, from left to right, the longest token that counts there, whatever the order in which they were added.
    #[test]
    fn tokens_are_found_by_their_definition() {
        let mut random = crate::random::Random::from_seed(31);
        let mut below = |bound: usize| random.next_u64() as usize % bound;
        let mut behind_rejected = 0;
        for _ in 0..3000 {
            let mut word = |most: usize| -> String {
                (0..1 + below(most)).map(|_| ["a", "a", "a", "é", " "][below(5)]).collect()
            };
            let contents: std::collections::BTreeSet<String> = (0..7).map(|_| word(5)).collect();
            let text = word(24);
            let mut tokens: Vec<AddedToken> = contents
                .iter()
                .map(|content| AddedToken {
                    single_word: below(2) == 0,
                    special: below(3) == 0,
                    ..raw(content)
                })
                .collect();
            (1..tokens.len()).for_each(|at| tokens.swap(at, below(at + 1)));
            let tokens = vocabulary(tokens);
            let as_text = below(2) == 0;
            let (mut expected, mut open, mut at) = (Vec::new(), String::new(), 0);
            while let Some(c) = text[at..].chars().next() {
                let here = tokens.tokens.iter().filter(|token| text[at..].starts_with(&token.content));
                let counts = here.clone().filter(|token| {
                    !(as_text && token.special
                        || token.single_word && touches_word(&text, &(at..at + token.content.len())))
                });
                let length = |token: &&AddedToken| token.content.len();
                let Some(token) = counts.max_by_key(length) else {
                    open.push(c);
                    at += c.len_utf8();
                    continue;
                };
                behind_rejected +=
                    usize::from(here.map(|token| token.content.len()).max() > Some(length(&token)));
                if !open.is_empty() {
                    expected.push((std::mem::take(&mut open), None));
                }
                expected.push((token.content.clone(), token.id));
                at += token.content.len();
            }
            if !open.is_empty() {
                expected.push((open, None));
            }
            assert_eq!(split(&tokens, &text, as_text), expected, "{text:?} {as_text} {:?}", tokens.tokens);
        }
        assert!(behind_rejected > 100, "{behind_rejected}");
    }

    #[test]
    fn stripping_stays_between_its_neighbours() {
        let right = AddedToken { rstrip: true, ..raw("X") };
        let tokens = vocabulary(vec![right, raw(" Y")]);
        assert_eq!(split(&tokens, "X   Y", false), owned(&[("X  ", Some(0)), (" Y", Some(1))]));
        let left = AddedToken { lstrip: true, ..raw("L") };
        let tokens = vocabulary(vec![left]);
        assert_eq!(
            split(&tokens, "a \t L L", false),
            owned(&[("a", None), (" \t L", Some(0)), (" L", Some(0))])
        );
    }

    #[test]
    fn normalized_tokens_match_by_their_normalized_content() {
        let token = AddedToken { normalized: true, special: false, ..raw("[FOO]") };
        let tokens = vocabulary(vec![token]);
        let mut segments = Vec::new();
        tokens.split_normalized("a [foo]", false, &mut segments);
        assert_eq!(segments[1], Segment { range: 2..7, id: Some(0) });
        assert_eq!(tokens.decoded_text(0), Some("[foo]"));
        assert_eq!((tokens.normalized("[FOO]"), tokens.normalized("[foo]")), (Some("[foo]"), None));
        assert_eq!(vocabulary(vec![raw("[FOO]")]).normalized("[FOO]"), None);
    }

    #[test]
    fn of_tokens_that_share_an_id_the_last_one_names_it() {
        let plain = |content: &str, normalized| AddedToken { normalized, id: Some(7), ..raw(content) };
        for (last, is_normalized) in [("b", true), ("B", false)] {
            let tokens = [plain("A", true), plain(last, is_normalized)];
            let shared = AddedVocabulary::new(&tokens, |content| Ok(content.to_lowercase())).unwrap();
            assert_eq!(shared.decoded_text(7), Some(last));
            assert_eq!(shared.normalized("A"), None);
            assert_eq!(shared.normalized(last), is_normalized.then_some(last));
        }
    }

    /// Two tokens may look the same once normalized; the one with the smaller id stands for both, also where it
    /// is found behind a longer token that was rejected.
    #[test]
    fn of_equal_contents_the_first_one_counts() {
        let plain = |content: &str| AddedToken::new(content, false);
        let whole = AddedToken { single_word: true, ..plain("ab") };
        let tokens = vocabulary(vec![plain("a"), plain("A"), whole]);
        let mut segments = Vec::new();
        for (text, id) in [("a", 0), ("ab", 2), ("abc", 0)] {
            tokens.split_normalized(text, false, &mut segments);
            assert_eq!(segments[0].id, Some(id), "{text}");
        }
    }

    #[test]
    fn ids_follow_model_size_and_largest_id() {
        let model = ModelSpec::WordLevel(crate::spec::WordLevelSpec {
            vocab: crate::spec::Vocab::from_entries([("a", 0), ("b", 1)]).unwrap().into(),
            unk_token: "a".into(),
        });
        let given = AddedToken { id: Some(9), ..raw("z") };
        let resolved = resolve_ids(vec![raw("x"), raw("b"), given, raw("y"), raw("x")], &model, |t| {
            (t == "b").then_some(1)
        });
        let ids: Vec<_> = resolved.iter().map(|t| (t.content.as_str(), t.id.unwrap())).collect();
        assert_eq!(ids, [("x", 10), ("b", 1), ("z", 9), ("y", 11)]);
        // No id is larger than the largest.
        let given = AddedToken { id: Some(TokenId::MAX), ..raw("z") };
        let resolved = resolve_ids(vec![given, raw("x"), raw("y")], &model, |_| None);
        assert!(resolved.iter().all(|token| token.id == Some(TokenId::MAX)));
    }
}
