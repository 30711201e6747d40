//! Where the words of a text are, 64 bytes at a time: what stands between blanks, and characters that stand alone.
//!
//! Words leave gaps between them, so where they start and where they end are two lists. A word may come in parts, which
//! leave none: it is cut between ASCII characters that a relation holds for, if nothing but ASCII is beside them.

use super::CHUNK;
use super::Pieces;
use super::ascii::BLOCK;
use super::characters::{Characters, Kind, Kinds, Sets, code_point_at};
use super::rectangles::Rectangles;
use super::unfold::Unfolded;
use super::vectors::{Level, Task, Vectors};

/// From so many starts on words are handed over: more than a word that has not ended has parts, or it would wait for ever.
const MANY: usize = if CHUNK > MOST_BEFORE_CUT { CHUNK } else { MOST_BEFORE_CUT + 1 };
/// Starts of many words and of the block that makes them many, and room that a block is written into whole.
const ROOM: usize = MANY + 2 * BLOCK;
/// From so many blocks on that lie in one word it is not cut, so that the parts of a word that has not ended are few.
const MOST_UNBROKEN: u32 = 2;
/// All cuts of a word have less than so many bytes of it in front.
pub const MOST_BEFORE_CUT: usize = (MOST_UNBROKEN as usize + 1) * BLOCK;
/// From so many characters beyond ASCII on those of a block are told together.
const FEW: u32 = 6;
/// Blocks with more bytes beyond ASCII are not looked at for places to cut.
const MOST_HIGH: u32 = 16;

/// Places in order.
#[derive(Debug)]
struct Places {
    places: [u32; ROOM],
    count: usize,
}

impl Places {
    #[inline(always)]
    fn push_block<V: Vectors>(&mut self, vectors: V, bits: u64, base: u32) {
        if let Some(room) = self.places.get_mut(self.count..).and_then(|room| room.first_chunk_mut()) {
            vectors.places(bits, base, room);
            self.count += bits.count_ones() as usize;
        }
    }
}

/// Up to [`Bounds::MOST`](super::bounds::Bounds::MOST) words or parts of words, and maybe those of one more.
#[derive(Debug)]
pub struct Spans {
    starts: Places,
    ends: Places,
    /// How many of them words that have ended have.
    whole: usize,
    /// Where the last word ended that blanks were taken behind.
    taken: u32,
}

impl Default for Spans {
    fn default() -> Self {
        let places = || Places { places: [0; ROOM], count: 0 };
        Spans { starts: places(), ends: places(), whole: 0, taken: 0 }
    }
}

impl Spans {
    pub fn begin(&mut self) {
        (self.starts.count, self.ends.count, self.whole, self.taken) = (0, 0, 0, 0);
    }

    /// Drops the words, but not the start and the parts of one that goes on.
    pub fn go_on(&mut self) {
        let whole = std::mem::take(&mut self.whole);
        for Places { places, count } in [&mut self.starts, &mut self.ends] {
            places.copy_within(whole..*count, 0);
            *count -= whole;
        }
    }

    /// Gives each word that has ended the blanks before it. To be called once for each time that words are found.
    pub fn take_blanks_before(&mut self) {
        let words = self.starts.places[..self.whole].iter_mut().zip(&self.ends.places);
        words.for_each(|(start, &end)| *start = std::mem::replace(&mut self.taken, end));
    }

    /// Gives each word that has ended the blanks behind it but the last one, where several stand before the next word.
    pub fn take_blanks(&mut self, text: &str, characters: &Characters) {
        let bytes = text.as_bytes();
        for end in &mut self.ends.places[..self.whole] {
            let at = *end as usize;
            let is_word = |byte: u8| Sets::has(&characters.sets.word, byte);
            if bytes.get(at) == Some(&b' ') && bytes.get(at + 1).is_some_and(|&byte| is_word(byte)) {
                continue;
            }
            let gap = text[at..].trim_start_matches(|c| characters.is_blank(c));
            let last = text[at..text.len() - gap.len()].chars().next_back();
            if !gap.is_empty()
                && let Some(last) = last
            {
                *end = (text.len() - gap.len() - last.len_utf8()) as u32;
            }
        }
    }

    /// The words that have ended.
    pub fn of<'t>(&'t self, text: &'t [u8]) -> Pieces<'t> {
        let count = self.whole;
        Pieces { text, starts: &self.starts.places[..count], ends: &self.ends.places[..count] }
    }
}

/// What filling came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filled {
    /// There may be more words.
    More,
    /// These are the last ones.
    Last,
    /// Some character is of no kind: words cannot tell what becomes of this text.
    Odd,
}

/// The words of a text, some at a time.
#[derive(Debug)]
pub struct Words<'t> {
    text: &'t [u8],
    characters: &'t Characters,
    at: usize,
    /// Bytes of the block, from its first on, that belong to a character that began before it, and its kind.
    begun: (u64, Kind),
    /// The block before.
    before: Kinds,
    /// Between which neighbours words are cut.
    breaks: Option<&'t Rectangles>,
    /// Blocks up to here that lie in one word.
    unbroken: u32,
    /// Whether nothing is in front of the text, so that what leans has nothing to lean on there.
    is_all: bool,
}

impl<'t> Words<'t> {
    pub fn new(text: &'t str, characters: &'t Characters) -> Self {
        Words {
            text: text.as_bytes(),
            characters,
            at: 0,
            begun: (0, Kind::BLANK),
            before: Kinds::default(),
            breaks: None,
            unbroken: 0,
            is_all: false,
        }
    }

    /// Words of a text that nothing is in front of, if `is_all`.
    pub fn of_all(self, is_all: bool) -> Self {
        Words { is_all, ..self }
    }

    /// Words in parts.
    pub fn cut_at(self, breaks: Option<&'t Rectangles>) -> Self {
        Words { breaks, ..self }
    }

    /// Where in the block the words are cut: not beside what is not ASCII, for that may change its neighbours.
    #[inline(always)]
    fn cuts<V: Vectors>(&mut self, vectors: V, kinds: &Kinds) -> u64 {
        let Some(breaks) = self.breaks else { return 0 };
        let is_long = self.unbroken >= MOST_UNBROKEN;
        self.unbroken = if kinds.word == !0 { self.unbroken + 1 } else { 0 };
        // Looking up costs more than it saves elsewhere, all the more where it takes long.
        let most_high = if V::LOOKS_UP_AT_ONCE { MOST_HIGH } else { 0 };
        let is_foreign = kinds.high.count_ones() > most_high;
        if !V::LOOKS_UP || self.at == 0 || self.unbroken >= MOST_UNBROKEN || is_foreign {
            return 0;
        }
        let (Some(left), Some(right)) =
            (self.text[self.at - 1..].first_chunk(), self.text[self.at..].first_chunk())
        else {
            return 0;
        };
        let (high, before) = (kinds.high, self.before.high);
        let next = self.text.get(self.at + BLOCK).is_some_and(|&byte| byte >= 0x80);
        let beside =
            high | after(high, before) | high << 2 | before >> 62 | high >> 1 | u64::from(next) << 63;
        let within = kinds.word & after(kinds.word, self.before.word);
        // A long word is not cut where it ends either: the sum of its first part could be anything.
        let goes_on = if is_long { kinds.word & !kinds.word.wrapping_add(1) } else { 0 };
        breaks.between(vectors, left, right) & within & !beside & !goes_on
    }

    /// Adds words until there are many.
    pub fn fill(&mut self, level: Level, spans: &mut Spans) -> Filled {
        level.run(Fill { words: self, spans })
    }

    /// As [`wide`](Self::wide) for all characters of a block together; false, and nothing was done, where that does not tell all of them.
    #[inline(always)]
    fn many<V: Vectors>(&mut self, vectors: V, kinds: &mut Kinds) -> bool {
        let (begun, kind_before) = self.begun;
        // From the first character that begins in the block to the last one that ends as far behind it.
        let from = self.at + begun.count_ones() as usize;
        let Some(bytes) = self.text.get(from..).and_then(|rest| rest.first_chunk()) else { return false };
        let mut characters = [0; BLOCK];
        let Unfolded { bytes: whole, written } = vectors.unfolded(bytes, &mut characters);
        // Characters of four bytes are told one by one.
        if whole < BLOCK - 2 {
            return false;
        }
        let firsts = !kinds.inner;
        let (count, last) = (firsts.count_ones() as usize, BLOCK - 1 - firsts.leading_zeros() as usize);
        // The last one may end behind all that was looked at.
        let told = count.min(written);
        let Some(found) = self.characters.of_many(&characters[..told]) else { return false };
        let (kind_of_last, length) = match (kinds.high >> last & 1, told == count) {
            (0, _) => (Kind::BLANK, 1),
            (_, true) => (found.kind(count - 1), code_point_at(self.text, self.at + last).1),
            (_, false) => self.characters.at(self.text, self.at + last),
        };
        debug_assert!(count <= told + 1, "behind what was looked at one character begins");
        if kind_of_last.is_rare() {
            return false;
        }
        let behind = |bytes: u64| {
            let second = bytes << 1 & kinds.inner;
            bytes | second | second << 1 & kinds.inner
        };
        let word = vectors.share(found.bits(), &[Kind::WORD.bits(); BLOCK]);
        let alone = vectors.share(found.bits(), &[Kind::ALONE.bits(); BLOCK]);
        let word = behind(vectors.spread(word, firsts) & kinds.high);
        let alone = behind(vectors.spread(alone, firsts) & kinds.high);
        kinds.word |= word;
        kinds.alone |= alone;
        kinds.put(begun, kind_before);
        let bytes = u128::from((1u64 << length) - 1) << last;
        let is_high = kinds.high >> last & 1 == 1;
        kinds.put(if is_high { bytes as u64 } else { 0 }, kind_of_last);
        self.begun = if is_high { ((bytes >> BLOCK) as u64, kind_of_last) } else { (0, Kind::BLANK) };
        true
    }

    /// The kinds of characters beyond ASCII; false if one of them leaves it open what becomes of the text.
    #[inline(always)]
    fn wide(&mut self, kinds: &mut Kinds) -> bool {
        let (bytes, kind) = std::mem::take(&mut self.begun);
        kinds.put(bytes, kind);
        // The character before, and where it ends in the block, if that is not ASCII.
        let (mut before, mut end) = (kind, if bytes == 0 { BLOCK as u32 } else { bytes.count_ones() });
        let mut firsts = kinds.high & !kinds.inner;
        while firsts != 0 {
            let bit = firsts.trailing_zeros();
            firsts &= firsts - 1;
            let at = self.at + bit as usize;
            let (kind, length) = self.characters.at(self.text, at);
            let leans_on = || bit == end && before.holds() || self.stays_before(at);
            if kind.is_rare() && !(kind.leans() && leans_on()) {
                return false;
            }
            (before, end) = (kind, bit + length);
            let bytes = u128::from((1u64 << length) - 1) << bit;
            kinds.put(bytes as u64, kind);
            self.begun = ((bytes >> 64) as u64, kind);
        }
        true
    }

    /// Whether a part of the word that ends at a place stays, or nothing is in front of that word at all.
    #[cold]
    fn stays_before(&self, mut at: usize) -> bool {
        while let Some(before) = self.text[..at].iter().rposition(|byte| byte & 0xC0 != 0x80) {
            at = before;
            let byte = self.text[at];
            if byte < 0x80 {
                return Sets::has(&self.characters.sets.word, byte);
            }
            let (kind, _) = self.characters.at(self.text, at);
            if !kind.is_gone() {
                return kind.is_within();
            }
        }
        self.is_all
    }
}

struct Fill<'f, 't> {
    words: &'f mut Words<'t>,
    spans: &'f mut Spans,
}

/// The bits one byte further on, for what stands before it.
#[inline(always)]
fn after(bits: u64, before: u64) -> u64 {
    bits << 1 | before >> 63
}

impl Task for Fill<'_, '_> {
    type Output = Filled;

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) -> Filled {
        let Fill { words, spans } = self;
        let length = words.text.len();
        while words.at < length {
            if spans.starts.count >= MANY {
                return Filled::More;
            }
            let rest = &words.text[words.at..];
            let sets = &words.characters.sets;
            let mut room = [b' '; BLOCK];
            let (bytes, there) = match rest.first_chunk() {
                Some(bytes) => (bytes, !0),
                None => {
                    room[..rest.len()].copy_from_slice(rest);
                    (&room, (1 << rest.len()) - 1)
                }
            };
            let mut kinds = vectors.kinds(bytes, sets);
            if let Some(odd) = &words.characters.odd
                && vectors.kinds(bytes, odd).word != 0
            {
                return Filled::Odd;
            }
            if kinds.high != 0 {
                let firsts = (kinds.high & !kinds.inner).count_ones();
                let are_told = V::TELLS && firsts >= FEW && words.many(vectors, &mut kinds);
                if !are_told && !words.wide(&mut kinds) {
                    return Filled::Odd;
                }
            }
            kinds.word &= there;
            kinds.alone &= there;
            let Kinds { word, alone, inner, .. } = kinds;
            let before = &words.before;
            let (after_word, after_alone) = (after(word, before.word), after(alone, before.alone));
            let joins = words.characters.joins;
            let starts = (word & !after_word | alone & !(after_alone & joins)) & !inner;
            let ends = (after_alone & !(alone & joins) | after_word & !word) & !inner;
            let cuts = words.cuts(vectors, &kinds);
            let base = words.at as u32;
            spans.starts.push_block(vectors, starts | cuts, base);
            spans.ends.push_block(vectors, ends | cuts, base);
            if ends != 0 {
                // Behind the last end.
                let goes_on = cuts & !(!0 >> ends.leading_zeros());
                spans.whole = spans.ends.count - goes_on.count_ones() as usize;
            }
            words.before = kinds;
            words.at += BLOCK;
        }
        // A word up to the very end of a text of whole blocks.
        if spans.starts.count > spans.ends.count {
            spans.ends.places[spans.ends.count] = length as u32;
            spans.ends.count += 1;
        }
        spans.whole = spans.ends.count;
        debug_assert!(spans.ends.count <= MANY + BLOCK);
        Filled::Last
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::scale::or_interpreted;

    fn kind(c: char) -> Kind {
        match c {
            ' ' | '\n' | '\u{a0}' | '\u{3000}' => Kind::BLANK,
            '.' | '!' | '…' | '漢' | '𠀀' => Kind::ALONE,
            '\u{200d}' => Kind::LEANS,
            '\u{93e}' => Kind::GONE,
            '¨' => Kind::ODD,
            _ => Kind::WORD,
        }
    }

    /// Character by character.
    fn slowly(text: &str, join: bool, is_all: bool) -> Option<Vec<&str>> {
        let mut words = Vec::new();
        let mut start = None;
        let mut alone: Option<usize> = None;
        for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
            let kind = kind(c);
            if kind == Kind::ODD {
                return None;
            }
            let goes_on = [Kind::WORD, Kind::LEANS, Kind::GONE].contains(&kind);
            if !goes_on && let Some(start) = start.take() {
                words.push(&text[start..at]);
            }
            match (kind == Kind::ALONE, alone) {
                (true, None) if join => alone = Some(at),
                (true, None) => words.push(&text[at..at + c.len_utf8()]),
                (true, Some(_)) => {}
                (false, _) => words.extend(alone.take().map(|start| &text[start..at])),
            }
            if goes_on {
                start.get_or_insert(at);
            }
        }
        let leans = |word: &&str| {
            let is_first = is_all && word.as_ptr() == text.as_ptr();
            word.trim_start_matches('\u{93e}').starts_with('\u{200d}') && !is_first
        };
        (!words.iter().any(leans)).then_some(words)
    }

    #[test]
    fn words_are_found_wherever_they_stand() {
        let parts = [
            "a",
            "bc",
            " ",
            "  ",
            "\n",
            ".",
            "!",
            "…",
            "漢",
            "𠀀",
            "é",
            "Ж",
            "ह\u{93e}",
            "ह\u{93e}\u{200d}\u{93e}ह",
            "\u{a0}",
            "\u{3000}",
            "😀",
            "longer than most",
            "\u{93e}",
            "\u{200d}",
            "¨",
        ];
        let both = [false, true].map(|join| Characters::new(Box::new(kind), join).unwrap());
        let mut random = Random::from_seed(5);
        let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
        let (mut odd, mut long) = (0, 0);
        for round in 0..or_interpreted(4000, 21) {
            let (join, is_all) = (below(2) == 1, below(2) == 1);
            let characters = &both[usize::from(join)];
            let most = if round % 20 == 0 { or_interpreted(2000, 300) } else { 90 };
            let known = parts.len() - if below(4) == 0 { 0 } else { 3 };
            let few = 1 + below(known);
            let text: String = (0..below(most)).map(|_| parts[known - 1 - below(few)]).collect();
            for level in Level::all() {
                let mut spans = Spans::default();
                let mut words = Words::new(&text, characters).of_all(is_all);
                let mut found = Vec::new();
                let mut chunks = 0;
                let filled = loop {
                    let filled = words.fill(level, &mut spans);
                    chunks += 1;
                    let Pieces { starts, ends, .. } = spans.of(text.as_bytes());
                    let bounds = starts.iter().zip(ends);
                    found.extend(bounds.map(|(&start, &end)| &text[start as usize..end as usize]));
                    if filled != Filled::More {
                        break filled;
                    }
                    spans.go_on();
                };
                match slowly(&text, join, is_all) {
                    Some(expected) => assert!(filled == Filled::Last && found == expected, "{text:?}"),
                    None => assert_eq!(filled, Filled::Odd, "{text:?}"),
                }
                odd += usize::from(filled == Filled::Odd);
                long += usize::from(chunks > 2);
            }
        }
        assert!(cfg!(miri) || odd > 99 && long > 9, "{odd} {long}");
    }

    /// One character of each rare kind, at each place of three blocks, behind one and two of their bytes that begin a block, among others
    /// that are told together.
    #[test]
    fn one_rare_character_is_found_wherever_it_stands() {
        let characters = Characters::new(Box::new(kind), false).unwrap();
        for rare in ["¨", "\u{200d}", " \u{200d}", "𠀀", "\u{a0}"] {
            for (before, behind) in [("é", "é"), ("Жa", "漢"), ("ह", "é"), ("aह", "Ж a")] {
                for count in 0..or_interpreted(100, 40) {
                    let text = format!("{}{rare}{}", before.repeat(count), behind.repeat(70));
                    for level in Level::all() {
                        let mut spans = Spans::default();
                        let filled = Words::new(&text, &characters).fill(level, &mut spans);
                        let Pieces { starts, ends, .. } = spans.of(text.as_bytes());
                        let bounds = starts.iter().zip(ends);
                        let found: Vec<_> =
                            bounds.map(|(&start, &end)| &text[start as usize..end as usize]).collect();
                        match slowly(&text, false, false) {
                            Some(expected) => assert_eq!((filled, found), (Filled::Last, expected)),
                            None => assert_eq!(filled, Filled::Odd, "{text:?}"),
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn parts_are_those_of_whole_words() {
        // Between a letter and a sign.
        let letters = 1u128 << b'a' | 1 << b'b';
        let signs = 1u128 << b'(' | 1 << b')';
        let holds: [u128; 128] = std::array::from_fn(|left| match 1u128 << left {
            left if left & letters != 0 => signs,
            left if left & signs != 0 => letters,
            _ => 0,
        });
        let breaks = Rectangles::new(&holds, |byte| (letters | signs) >> byte & 1 == 1);
        let characters = Characters::new(Box::new(kind), false).unwrap();
        let mut random = Random::from_seed(8);
        let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
        let mut cuts = 0;
        for round in 0..or_interpreted(600, 3) {
            let blanks = [3, 40, 4000][round % 3];
            let mut part = || match (below(blanks), below(30)) {
                (0, _) => " ",
                (_, 0) => "é",
                (_, other) => ["a", "b", "(", ")"][other % 4],
            };
            let text: String = (0..or_interpreted(1500, 250)).map(|_| part()).collect();
            for level in Level::all() {
                let mut spans = Spans::default();
                let mut words = Words::new(&text, &characters).cut_at(Some(&breaks));
                let (mut joined, mut last) = (Vec::<String>::new(), usize::MAX);
                loop {
                    let filled = words.fill(level, &mut spans);
                    let Pieces { starts, ends, .. } = spans.of(text.as_bytes());
                    for (at, (&start, &end)) in starts.iter().zip(ends).enumerate() {
                        let (start, end) = (start as usize, end as usize);
                        if start == last {
                            assert!(at > 0, "a word goes on in the next chunk");
                            assert!(joined.last().unwrap().len() < MOST_BEFORE_CUT);
                            cuts += 1;
                            let beside = &text.as_bytes()[start - 2..text.len().min(start + 2)];
                            assert!(beside.is_ascii() && holds[usize::from(beside[1])] >> beside[2] & 1 == 1);
                            joined.last_mut().unwrap().push_str(&text[start..end]);
                        } else {
                            joined.push(text[start..end].to_string());
                        }
                        last = end;
                    }
                    if filled == Filled::Last {
                        break;
                    }
                    spans.go_on();
                }
                assert_eq!(joined, text.split_ascii_whitespace().collect::<Vec<_>>());
            }
        }
        // Where processors look up many bytes at once.
        assert!(cuts > or_interpreted(1000, 0) || Level::all().len() < 3, "{cuts}");
    }

    #[test]
    fn ascii_that_is_not_plain_is_refused() {
        assert!(
            Characters::new(Box::new(|c| if c == '\'' { Kind::ODD } else { Kind::WORD }), false).is_none()
        );
        let odd = |c| if c == '\u{1}' { Kind::ODD } else { kind(c) };
        let characters = Characters::new(Box::new(odd), false).unwrap();
        for (text, expected) in [("a b", Filled::Last), ("\0\u{2}", Filled::Last), ("a \u{1}", Filled::Odd)] {
            for text in [text.to_string(), "x".repeat(70) + text, text.to_string() + &"x".repeat(70)] {
                for level in Level::all() {
                    let filled = Words::new(&text, &characters).fill(level, &mut Spans::default());
                    assert_eq!(filled, expected, "{text:?}");
                }
            }
        }
        let sets = Characters::new(Box::new(kind), false).unwrap().sets;
        assert!(Sets::has(&sets.alone, b'.') && Sets::has(&sets.word, 0x7F) && !Sets::has(&sets.word, b' '));
    }
}
