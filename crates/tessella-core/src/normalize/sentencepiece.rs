//! SentencePiece's whole normalizer, in one pass.
//!
//! The text is read chunk by chunk: a user-defined symbol (which stays as it is), else the longest rule of
//! the character map (which is replaced), else one character. On the way spaces are dropped where they
//! stand first, last or after another, the dummy prefix is put in front (or behind, in suffix mode) and
//! spaces become `▁`.
//!
//! Every normalized character knows where the chunk that it came from begins. Its span reaches from there
//! to where the next one's chunk begins, so that a token's span is `[begin of its first character, begin of
//! what follows it)`, which is SentencePiece's surface: dropped spaces belong to what precedes them, and of
//! the characters of one chunk only the last one has a width.

use crate::error::Result;
use crate::limits;
use crate::spec::SentencePieceNormalizer;
use crate::text::{AlignedText, Alignment};
use crate::trie::Trie;

use super::charsmap::Charsmap;
use super::{Front, Respelling};

const SPACE_SYMBOL: &str = "▁";

/// Bytes of a text between two looks at whether the result is still wanted.
const LOOK_EVERY: usize = 1 << 18;

/// A compiled SentencePiece normalizer.
#[derive(Debug, Clone)]
pub struct SentencePieceNormalization {
    map: Charsmap,
    /// User-defined symbols, if there are any.
    symbols: Option<Trie>,
    /// ASCII characters that stay whatever of ASCII follows: no space, no start of a rule over ASCII, nor of a symbol but
    /// one that is all of it.
    plain: [bool; 128],
    /// A space that is not followed by anything beyond ASCII is one, whatever follows.
    plain_space: bool,
    add_dummy_prefix: bool,
    /// Whether spaces are dropped first, last and behind others.
    pub(crate) remove_extra_whitespaces: bool,
    treat_whitespace_as_suffix: bool,
    blanks_before_words: bool,
    space: &'static str,
}

impl SentencePieceNormalization {
    /// Compiles a description.
    pub fn new(spec: &SentencePieceNormalizer) -> Result<Self> {
        let map = Charsmap::parse(&spec.charsmap)?;
        let symbols = if spec.user_defined.is_empty() {
            None
        } else {
            Some(Trie::build(spec.user_defined.iter().map(|symbol| (symbol.as_bytes(), 0)).collect())?)
        };
        let symbol = |byte: u8| symbols.as_ref().map_or(Symbol::None, |trie| symbol_at(trie, byte.into()));
        let plain = std::array::from_fn(|byte| {
            byte as u8 != b' ' && map.is_plain(byte as u8) && symbol(byte as u8) != Symbol::Longer
        });
        Ok(SentencePieceNormalization {
            plain_space: map.is_plain(b' ') && symbol(b' ') == Symbol::None,
            map,
            symbols,
            plain,
            add_dummy_prefix: spec.add_dummy_prefix,
            remove_extra_whitespaces: spec.remove_extra_whitespaces,
            treat_whitespace_as_suffix: spec.treat_whitespace_as_suffix,
            blanks_before_words: spec.blanks_before_words,
            space: if spec.escape_whitespaces { SPACE_SYMBOL } else { " " },
        })
    }

    /// What becomes of a text, if that is no more than a mark for every blank and one in front.
    pub fn respelling(&self) -> Option<Respelling> {
        let more =
            self.remove_extra_whitespaces || self.treat_whitespace_as_suffix || self.blanks_before_words;
        let none = !more && self.map.is_empty() && self.symbols.is_none();
        let to = self.space.chars().next().filter(|&to| none && to != ' ')?;
        let front = if self.add_dummy_prefix { Front::Always } else { Front::Nothing };
        Some(Respelling { from: b' ', to, front })
    }

    /// The same with blanks in place of marks. It says the same of all texts in which no mark is written but for blanks.
    pub fn with_blanks(&self) -> Option<Self> {
        let marks =
            self.space == SPACE_SYMBOL && !self.treat_whitespace_as_suffix && !self.blanks_before_words;
        marks.then(|| SentencePieceNormalization { space: " ", ..self.clone() })
    }

    /// Whether a space comes in front of a text.
    pub fn prepends(&self) -> bool {
        self.add_dummy_prefix && !self.treat_whitespace_as_suffix
    }

    /// What the rule for a character alone makes of it, if there is one.
    pub fn rule(&self, c: char) -> Option<&str> {
        self.map.rule(c.encode_utf8(&mut [0; 4]))
    }

    /// Whether a rule may write a character of ASCII.
    pub fn writes(&self, byte: u8) -> bool {
        self.map.writes(byte)
    }

    /// The user-defined symbols that begin with a character.
    pub fn symbol(&self, c: char) -> Symbol {
        self.symbols.as_ref().map_or(Symbol::None, |symbols| symbol_at(symbols, c))
    }

    /// Calls with every byte that may stand behind a character in a rule.
    pub fn goes_on(&self, c: char, with: &mut dyn FnMut(u8)) {
        self.map.goes_on(c.encode_utf8(&mut [0; 4]).as_bytes(), with);
    }

    /// The characters beyond ASCII, in order, that stand behind another one in a rule; `None` if that is not known.
    pub fn inner(&self) -> Option<Vec<char>> {
        self.map.behind_others()
    }

    /// How many bytes at the start of a text become what; `None` for an empty text.
    pub fn first<'t>(&'t self, text: &'t str) -> Option<(usize, &'t str)> {
        self.chunk(text).map(|chunk| (chunk.length, chunk.text))
    }

    /// Rewrites a text.
    pub fn normalize(&self, text: &mut AlignedText<'_>) -> Result<()> {
        self.normalize_to_end(text).map(drop)
    }

    /// Normalizes, and tells where in the text the last chunk that was kept ends, which the spans say only where
    /// something was kept. `None` for a text of nothing but spaces that are dropped.
    pub fn normalize_to_end(&self, text: &mut AlignedText<'_>) -> Result<Option<usize>> {
        if text.as_str().is_empty() {
            return Ok(None);
        }
        let tracked = text.map().is_tracked();
        let (out, end) = self.written(text.as_str(), tracked)?;
        let map = match end {
            Some(end) if tracked => out.alignment(end, text.as_str(), text.map()),
            _ => text.map().like(),
        };
        *text = AlignedText::from_parts(out.text, map);
        Ok(end)
    }

    /// A normalized text, and for each of its bytes the byte at which the character begins that it comes from, with the end behind
    /// them: what the spans of [`normalize_to_end`](Self::normalize_to_end) begin with, without making these.
    pub fn normalize_with_origins(&self, text: &str) -> Result<(String, Vec<usize>)> {
        if text.is_empty() {
            return Ok(Default::default());
        }
        let (out, end) = self.written(text, true)?;
        let Some(end) = end else { return Ok((out.text, Vec::new())) };
        let mut origins = Vec::with_capacity(out.text.len() + 1);
        for (index, mark) in out.marks.iter().enumerate() {
            let stop = out.marks.get(index + 1).map_or(out.text.len(), |next| next.start);
            if !mark.own {
                origins.resize(stop, mark.source);
                continue;
            }
            let stretch = &out.text[mark.start..stop];
            if stretch.is_ascii() {
                origins.extend(mark.source..mark.source + stretch.len());
                continue;
            }
            for (at, c) in stretch.char_indices() {
                origins.extend(std::iter::repeat_n(mark.source + at, c.len_utf8()));
            }
        }
        origins.push(end);
        Ok((out.text, origins))
    }

    /// What is written for a text that is not empty, and where its last chunk ends.
    fn written(&self, text: &str, tracked: bool) -> Result<(Output, Option<usize>)> {
        let _work = limits::begin_alone(text.len());
        let mut out = Output::new(text.len(), tracked);
        let most = limits::most_of_part();
        let end = if self.blanks_before_words {
            self.write_words(text, most, &mut out)?
        } else {
            self.write(text, most, &mut out)?
        };
        limits::check_part(out.text.len(), || "the character map".to_string())?;
        Ok((out, end))
    }

    /// Writes the normalized text and returns where the last chunk ends. Stops once it has more than `most` bytes: a
    /// rule may replace one character by megabytes.
    fn write(&self, text: &str, most: usize, out: &mut Output) -> Result<Option<usize>> {
        let mut at = 0;
        let mut next_look = LOOK_EVERY;
        if self.remove_extra_whitespaces {
            while let Some(Chunk { text: " ", length, .. }) = self.chunk(&text[at..]) {
                at += length;
            }
            if at == text.len() {
                return Ok(None);
            }
        }
        if self.add_dummy_prefix && !self.treat_whitespace_as_suffix {
            out.chunk(self.space, at);
        }
        let mut after_space = self.remove_extra_whitespaces;
        while at < text.len() && out.text.len() <= most {
            if at >= next_look {
                limits::check()?;
                next_look = at + LOOK_EVERY;
            }
            let run = self.plain_run(&text.as_bytes()[at..]);
            if run > 0 {
                out.run(&text[at..at + run], at);
                after_space = false;
                at += run;
                continue;
            }
            if self.is_plain_space(&text.as_bytes()[at..]) {
                if !after_space {
                    out.chunk(self.space, at);
                    after_space = self.remove_extra_whitespaces;
                }
                at += 1;
                continue;
            }
            let Some(chunk) = self.chunk(&text[at..]) else { break };
            let kept = if after_space { chunk.text.trim_start_matches(' ') } else { chunk.text };
            if !kept.is_empty() {
                if chunk.own && kept != " " {
                    out.run(kept, at);
                } else if kept.contains(' ') {
                    for (index, part) in kept.split(' ').enumerate() {
                        if index > 0 {
                            out.chunk(self.space, at);
                        }
                        out.chunk(part, at);
                    }
                } else {
                    out.chunk(kept, at);
                }
                after_space = self.remove_extra_whitespaces && kept.ends_with(' ');
            }
            at += chunk.length;
        }
        if self.remove_extra_whitespaces {
            at = out.trim_end(self.space).unwrap_or(at);
        }
        if self.add_dummy_prefix && self.treat_whitespace_as_suffix {
            out.chunk(self.space, at);
        }
        Ok(Some(at))
    }

    /// As [`write`](Self::write), with blanks as llama.cpp writes them, which knows no suffixes.
    fn write_words(&self, text: &str, most: usize, out: &mut Output) -> Result<Option<usize>> {
        let mut prefix = self.add_dummy_prefix;
        let mut in_word = false;
        let mut at = 0;
        let mut next_look = LOOK_EVERY;
        while at < text.len() && out.text.len() <= most {
            if at >= next_look {
                limits::check()?;
                next_look = at + LOOK_EVERY;
            }
            let run = self.plain_run(&text.as_bytes()[at..]);
            let (chunk, length, own) = if run > 0 {
                (&text[at..at + run], run, true)
            } else {
                let Some(Chunk { text: chunk, length, own }) = self.chunk(&text[at..]) else { break };
                (chunk, length, own)
            };
            for (index, part) in chunk.split(' ').enumerate() {
                if index > 0 {
                    in_word = false;
                    if !self.remove_extra_whitespaces {
                        out.chunk(self.space, at);
                    }
                }
                if part.is_empty() {
                    continue;
                }
                if !in_word && (prefix || self.remove_extra_whitespaces) {
                    out.chunk(self.space, at);
                    prefix = false;
                }
                in_word = true;
                if own {
                    out.run(part, at);
                } else {
                    out.chunk(part, at);
                }
            }
            at += length;
        }
        Ok(Some(at))
    }

    /// Bytes at the start of `text` that are ASCII without any meaning. The last one before a non-ASCII
    /// character is left out: a rule may combine the two.
    #[inline]
    fn plain_run(&self, text: &[u8]) -> usize {
        let plain = |byte: u8| byte.is_ascii() && self.plain[byte as usize];
        match text.iter().position(|&byte| !plain(byte)) {
            None => text.len(),
            Some(stop) if !text[stop].is_ascii() && !self.map.is_empty() => stop.saturating_sub(1),
            Some(stop) => stop,
        }
    }

    /// Whether `text` starts with a space that no rule and no symbol takes.
    #[inline]
    fn is_plain_space(&self, text: &[u8]) -> bool {
        let alone = |next: &u8| next.is_ascii() || self.map.is_empty();
        self.plain_space && text.first() == Some(&b' ') && text.get(1).is_none_or(alone)
    }

    #[inline]
    fn chunk<'t>(&'t self, text: &'t str) -> Option<Chunk<'t>> {
        if let Some(symbols) = &self.symbols
            && let Some((length, _)) = symbols.longest_prefix(text.as_bytes())
        {
            return Some(Chunk { text: &text[..length], length, own: false });
        }
        if let Some((length, replacement)) = self.map.longest(text) {
            return Some(Chunk { text: replacement, length, own: false });
        }
        let length = text.chars().next()?.len_utf8();
        Some(Chunk { text: &text[..length], length, own: true })
    }
}

/// The user-defined symbols that begin with a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Symbol {
    /// There is none.
    None,
    /// The character is one, and none goes on behind it: it stays, whatever follows and whatever the map says of it.
    Alone,
    /// What follows tells.
    Longer,
}

fn symbol_at(symbols: &Trie, c: char) -> Symbol {
    let mut cursor = symbols.root();
    for byte in c.encode_utf8(&mut [0; 4]).bytes() {
        if symbols.step(&mut cursor, byte).is_none() {
            return Symbol::None;
        }
    }
    let goes_on = (0..=u8::MAX).any(|byte| symbols.step(&mut { cursor }, byte).is_some());
    if goes_on { Symbol::Longer } else { Symbol::Alone }
}

/// What a text starts with.
#[derive(Debug)]
struct Chunk<'t> {
    /// Its normalized form.
    text: &'t str,
    /// How many bytes of the source it stands for.
    length: usize,
    /// One character that stays what it is.
    own: bool,
}

/// Where a stretch of normalized text came from.
#[derive(Debug, Clone, Copy)]
struct Mark {
    /// First normalized byte of the stretch; it ends where the next one starts.
    start: usize,
    /// Source byte where its chunk begins.
    source: usize,
    /// Its characters are the source's own, one by one; else all of them are one chunk.
    own: bool,
}

struct Output {
    text: String,
    tracked: bool,
    marks: Vec<Mark>,
}

impl Output {
    fn new(source_length: usize, tracked: bool) -> Self {
        // A space becomes three bytes; English has one in six.
        let text = String::with_capacity(source_length + source_length / 2 + 16);
        Output { text, tracked, marks: Vec::new() }
    }

    fn mark(&mut self, source: usize, own: bool) {
        if self.tracked {
            self.marks.push(Mark { start: self.text.len(), source, own });
        }
    }

    /// Characters that are the source's own from `source` on.
    fn run(&mut self, run: &str, source: usize) {
        let goes_on = self
            .marks
            .last()
            .is_some_and(|mark| mark.own && mark.source + (self.text.len() - mark.start) == source);
        if !goes_on {
            self.mark(source, true);
        }
        self.text.push_str(run);
    }

    /// Text that stands for a chunk beginning at `source`.
    fn chunk(&mut self, text: &str, source: usize) {
        if !text.is_empty() {
            self.mark(source, false);
            self.text.push_str(text);
        }
    }

    /// Drops spaces from the end; returns where the first of them came from.
    fn trim_end(&mut self, space: &str) -> Option<usize> {
        let kept = self.text.trim_end_matches(space).len();
        if kept == self.text.len() {
            return None;
        }
        self.text.truncate(kept);
        let mut source = 0;
        while let Some(mark) = self.marks.pop() {
            source = mark.source;
            if mark.start < kept {
                // Only the end of this stretch was space.
                source += if mark.own { kept - mark.start } else { 0 };
                self.marks.push(mark);
            }
            if mark.start <= kept {
                break;
            }
        }
        Some(source)
    }

    fn alignment(&self, end: usize, source_text: &str, source: &Alignment) -> Alignment {
        let mut map = source.like();
        let mut hint = 0;
        for (index, mark) in self.marks.iter().enumerate() {
            let next = self.marks.get(index + 1);
            let stop = next.map_or(self.text.len(), |next| next.start);
            let until = next.map_or(end, |next| next.source);
            let stretch = &self.text[mark.start..stop];
            let last = stretch.chars().next_back().map_or(0, char::len_utf8);
            let before = stretch.len() - last;
            if mark.own {
                let last_at = mark.source + before;
                map.append(source, mark.source, last_at);
                if until == last_at + last {
                    map.append(source, last_at, until);
                } else {
                    map.push_char(last, source.span_from(source_text, last_at, until, &mut hint));
                }
            } else {
                let here = source.span_from(source_text, mark.source, mark.source, &mut hint);
                map.push_fixed(before, here);
                let span = source.span_from(source_text, mark.source, until, &mut hint);
                map.push_char(last, span);
            }
        }
        map
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::charsmap::build_charsmap;
    use super::*;
    use crate::ids::Span;

    fn spec() -> SentencePieceNormalizer {
        let rules = [("ﬁ", "fi"), ("\u{3000}", " "), ("\u{1}", ""), ("e\u{301}", "é")]
            .map(|(from, to)| (from.chars().collect(), to.chars().collect()));
        SentencePieceNormalizer {
            name: "test".into(),
            charsmap: build_charsmap(&rules).unwrap().into(),
            add_dummy_prefix: true,
            remove_extra_whitespaces: true,
            escape_whitespaces: true,
            treat_whitespace_as_suffix: false,
            user_defined: Arc::new(["e\u{301}x".to_string()]),
            blanks_before_words: false,
        }
    }

    /// Normalized text, and for each character where its span begins.
    fn normalize(spec: &SentencePieceNormalizer, text: &str) -> (String, Vec<(usize, usize)>) {
        let normalization = SentencePieceNormalization::new(spec).unwrap();
        let mut plain = AlignedText::untracked(text);
        normalization.normalize(&mut plain).unwrap();
        let mut aligned = AlignedText::borrowed(text, 0);
        normalization.normalize(&mut aligned).unwrap();
        let result = aligned.as_str().to_string();
        assert_eq!(plain.as_str(), result);
        let spans = result.char_indices().map(|(at, c)| aligned.span(at, at + c.len_utf8()));
        let spans = spans.map(|span| (span.start, span.end)).collect();
        (result, spans)
    }

    #[test]
    fn spans_reach_to_what_follows() {
        let (text, spans) = normalize(&spec(), "  ﬁx  a\u{1}b  ");
        assert_eq!(text, "▁fix▁ab");
        assert_eq!(spans, [(2, 2), (2, 2), (2, 5), (5, 6), (6, 8), (8, 10), (10, 11)]);
    }

    #[test]
    fn symbols_pass_unchanged() {
        assert_eq!(normalize(&spec(), "e\u{301}y e\u{301}x").0, "▁éy▁e\u{301}x");
    }

    #[test]
    fn suffix_mode_and_plain_spaces() {
        let spec =
            SentencePieceNormalizer { treat_whitespace_as_suffix: true, escape_whitespaces: false, ..spec() };
        let (text, spans) = normalize(&spec, "a\u{3000} b ");
        assert_eq!(text, "a b ");
        assert_eq!(spans, [(0, 1), (1, 5), (5, 6), (6, 6)]);
    }

    #[test]
    fn nothing_but_spaces_is_nothing() {
        assert_eq!(normalize(&spec(), " \u{3000}\u{1} ").0, "");
        assert_eq!(normalize(&spec(), "").0, "");
        let kept = SentencePieceNormalizer { remove_extra_whitespaces: false, ..spec() };
        assert_eq!(normalize(&kept, "  ").0, "▁▁▁");
    }

    #[test]
    fn blanks_before_words_are_those_of_llama_cpp() {
        let by_words = SentencePieceNormalizer { blanks_before_words: true, ..spec() };
        let cases =
            [("  a  b ", "▁a▁b"), ("▁", "▁▁"), ("a▁ ", "▁a▁"), ("\u{3000}ﬁ\u{1} x", "▁fi▁x"), ("  ", "")];
        for (text, wanted) in cases {
            assert_eq!(normalize(&by_words, text).0, wanted, "{text:?}");
        }
        let (_, spans) = normalize(&by_words, "  ab c");
        assert_eq!(spans, [(2, 2), (2, 3), (3, 5), (5, 5), (5, 6)]);
        let kept = SentencePieceNormalizer { remove_extra_whitespaces: false, ..by_words.clone() };
        for (text, wanted) in [("  a  b ", "▁▁▁a▁▁b▁"), ("  ", "▁▁"), ("a", "▁a")] {
            assert_eq!(normalize(&kept, text).0, wanted, "{text:?}");
        }
        let bare = SentencePieceNormalizer { add_dummy_prefix: false, ..kept };
        assert_eq!(normalize(&bare, "a  b").0, "a▁▁b");
        // There, words have a blank in front even without the prefix.
        let merged = SentencePieceNormalizer { add_dummy_prefix: false, ..by_words };
        assert_eq!(normalize(&merged, "a  b").0, "▁a▁b");
    }

    #[test]
    fn the_end_is_told_where_all_spaces_were_trimmed() {
        let normalization = SentencePieceNormalization::new(&spec()).unwrap();
        let end = |text: &str| {
            let mut aligned = AlignedText::borrowed(text, 0);
            let end = normalization.normalize_to_end(&mut aligned).unwrap();
            (aligned.as_str().to_string(), end)
        };
        assert_eq!(end("  a "), ("▁a".into(), Some(3)));
        assert_eq!(end("  ▁"), (String::new(), Some(2)));
        assert_eq!(end("  "), (String::new(), None));
        assert_eq!(end(""), (String::new(), None));
    }

    /// As SentencePiece has it: what is left of the symbol begins where the symbol did, and so does what is dropped of it.
    #[test]
    fn a_symbol_loses_the_mark_that_it_ends_with() {
        let spec = SentencePieceNormalizer { user_defined: Arc::new(["x▁".to_string()]), ..spec() };
        for text in ["ax▁ ", "ax▁", "ax▁▁ "] {
            let mut aligned = AlignedText::borrowed(text, 0);
            let end = SentencePieceNormalization::new(&spec).unwrap().normalize_to_end(&mut aligned).unwrap();
            assert_eq!((aligned.as_str(), end), ("▁ax", Some(1)));
            assert_eq!(normalize(&spec, text).1, [(0, 0), (0, 1), (1, 1)]);
        }
    }

    #[test]
    fn works_on_an_already_changed_text() {
        let mut text = AlignedText::from_parts("b c", {
            let mut map = Alignment::new();
            map.push_char(1, Span::new(0, 3));
            map.push_identity(2, 3);
            map
        });
        SentencePieceNormalization::new(&spec()).unwrap().normalize(&mut text).unwrap();
        assert_eq!(text.as_str(), "▁b▁c");
        assert_eq!(text.span(3, 4), Span::new(0, 3));
        assert_eq!(text.span(4, 8), Span::new(3, 5));
    }

    /// Spans are the slow twin of origins.
    #[test]
    fn origins_are_where_spans_begin() {
        let mut random = crate::random::Random::from_seed(3);
        let letters = [" ", " ", "a", "b", "é", "ﬁ", "漢", "▁", "x▁", "\u{FDD0}", "e\u{301}", "Ⅷ"];
        for round in 0..3000 {
            let normalization = SentencePieceNormalization::new(&SentencePieceNormalizer {
                add_dummy_prefix: round % 2 == 0,
                remove_extra_whitespaces: round % 3 == 0,
                treat_whitespace_as_suffix: round % 5 == 0,
                user_defined: if round % 7 == 0 { ["x▁".to_string()].into() } else { [].into() },
                ..spec()
            })
            .unwrap();
            let count = random.next_u64() % 12;
            let text: String =
                (0..count).map(|_| letters[random.next_u64() as usize % letters.len()]).collect();
            let mut aligned = AlignedText::borrowed(&text, 0);
            let end = normalization.normalize_to_end(&mut aligned).unwrap();
            let mut wanted = Vec::new();
            for (at, c) in aligned.as_str().char_indices() {
                let start = aligned.span(at, at + c.len_utf8()).start;
                wanted.extend(std::iter::repeat_n(start, c.len_utf8()));
            }
            wanted.extend(end);
            let (found, origins) = normalization.normalize_with_origins(&text).unwrap();
            assert_eq!((found.as_str(), &origins), (aligned.as_str(), &wanted), "{text:?}");
        }
    }
}
