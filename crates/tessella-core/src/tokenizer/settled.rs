//! Where tokens are in a text that SentencePiece's normalizer wrote and whose sums are settled.
//!
//! Pieces cover the written text, so the place behind a token is known by its id; behind an unknown one by how many
//! characters it stands for. Every written byte knows where in the original the chunk that it came from begins, and a
//! token reaches from there to where the chunk behind it begins, as the normalizer itself has it
//! ([`crate::normalize::sentencepiece`]).

use std::ops::Range;

use super::positions::{Positions, characters};
use super::spans::Spans;
use super::units::WrittenPlaces;
use crate::encoding::{GrowingSurfaces, OffsetUnit, Offsets};
use crate::ids::TokenId;
use crate::lanes::ends::MANY;
use crate::lanes::places::Counted;
use crate::lanes::vectors::{Level, Task, Vectors};
use crate::model::unigram::viterbi::char_width;

/// Longer texts know no places for each of their bytes.
pub(super) const LONGEST_TEXT: usize = 1 << 24;

impl<'t> Spans<'_, 't> {
    /// Appends what belongs to the ids of a written text, which stands for a range of the original and is one word. Unknown
    /// tokens, which are numbered from `first` on, get their texts. False, and then maybe with some of it appended, where that
    /// cannot be told.
    pub fn of_written(
        &mut self,
        written: WrittenPlaces<'_>,
        ids: &[TokenId],
        range: Range<usize>,
        first: usize,
        surfaces: &mut GrowingSurfaces,
    ) -> bool {
        let Some(segment) = self.positions.text.get(range.clone()) else { return false };
        let (unit, is_ascii) = (self.positions.unit, self.positions.is_ascii);
        let Range { start: origin, end } = range;
        let mut ends = std::mem::take(&mut self.places.opened);
        let mut counts = std::mem::take(&mut self.places.counts);
        let are_characters = unit == OffsetUnit::Char && !is_ascii;
        let counted = (are_characters && !segment.is_ascii()).then(|| counts.of(segment.as_bytes()));
        let is_told = written.ends(ids, &mut ends)
            && if is_ascii || unit == OffsetUnit::Byte {
                self.push_written(&written, &ends, |_, source| origin + source as usize)
            } else if unit != OffsetUnit::Char {
                let place =
                    |positions: &mut Positions<'_>, source| positions.convert(origin + source as usize);
                self.push_written(&written, &ends, place)
            } else {
                let begin = self.positions.convert(origin);
                let (is_told, characters) = match counted {
                    None => {
                        let place = |_: &mut Positions<'_>, source| begin + source as usize;
                        (self.push_written(&written, &ends, place), segment.len())
                    }
                    Some(counted) => {
                        let characters = counted.before(segment.len() as u32) as usize;
                        (self.push_counted(&written, &ends, counted, begin as u32), characters)
                    }
                };
                self.positions.are_at(end, begin + characters);
                is_told
            };
        if is_told {
            self.words.resize(self.words.len() + ids.len(), self.number);
            let name = |index, read: &str| surfaces.push(first + index, read);
            written.name_unknown(segment, counted, (ids, &ends), name);
        }
        (self.places.opened, self.places.counts) = (ends, counts);
        is_told
    }

    /// Appends where tokens are that end at these places; `place` tells what stands for a byte of the original.
    #[inline(always)]
    fn push_written(
        &mut self,
        written: &WrittenPlaces<'_>,
        ends: &[u32],
        place: impl Fn(&mut Positions<'t>, u32) -> usize,
    ) -> bool {
        let Some(&source) = written.sources.first() else { return ends.is_empty() };
        let mut begin = place(self.positions, source) as u32;
        // The text is short enough for pairs that are narrow, unless others of this encoding are not.
        let Offsets::Narrow(offsets) = &mut *self.offsets else { return false };
        let before = offsets.len();
        offsets.resize(before + ends.len(), [0; 2]);
        for (&end, pair) in ends.iter().zip(&mut offsets[before..]) {
            let Some(&source) = written.sources.get(end as usize) else { return false };
            let next = place(self.positions, source) as u32;
            *pair = [begin, next];
            begin = next;
        }
        true
    }

    /// The same in characters, many tokens at once.
    fn push_counted(
        &mut self,
        written: &WrittenPlaces<'_>,
        ends: &[u32],
        counted: Counted<'_>,
        begin: u32,
    ) -> bool {
        let Offsets::Narrow(offsets) = &mut *self.offsets else { return false };
        let before = offsets.len();
        offsets.resize(before + ends.len(), [0; 2]);
        let (sources, offsets) = (written.sources, &mut offsets[before..]);
        Level::best().run(Placing { sources, counted, begin, ends, offsets })
    }
}

/// Tokens of which each begins where the one before it ended, by how many characters begin before each place of the original.
struct Placing<'p> {
    sources: &'p [u32],
    counted: Counted<'p>,
    /// Characters in front of the original.
    begin: u32,
    /// Where each ends in the written text.
    ends: &'p [u32],
    offsets: &'p mut [[u32; 2]],
}

impl Task for Placing<'_> {
    /// False if one of them is not told.
    type Output = bool;

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) -> bool {
        let Placing { sources, counted, begin, ends, offsets } = self;
        let Some(&source) = sources.first() else { return ends.is_empty() };
        // Each ends behind the one before it.
        if ends.last().is_some_and(|&last| last as usize >= sources.len()) {
            return false;
        }
        let mut last = begin + counted.before(source);
        let ((ends, few_ends), (offsets, few_offsets)) =
            (ends.as_chunks::<MANY>(), offsets.as_chunks_mut::<MANY>());
        for (ends, offsets) in ends.iter().zip(offsets) {
            let (counts, _) = counted.at_all(vectors, &vectors.numbers_at(sources, ends));
            for (lane, pair) in offsets.iter_mut().enumerate() {
                let start = if lane == 0 { last } else { begin + counts[lane - 1] };
                *pair = [start, begin + counts[lane]];
            }
            last = begin + counts[MANY - 1];
        }
        for (&end, pair) in few_ends.iter().zip(few_offsets) {
            let next = begin + counted.before(sources[end as usize]);
            *pair = [last, next];
            last = next;
        }
        true
    }
}

/// The place behind so many characters of a written text.
fn behind(text: &[u8], at: usize, characters: u32) -> Option<usize> {
    let mut end = at + characters as usize;
    // Mostly others stand for them.
    if text.get(at..end)?.is_ascii() {
        return Some(end);
    }
    end = at;
    for _ in 0..characters {
        end += char_width(*text.get(end)?);
    }
    (end <= text.len()).then_some(end)
}

impl WrittenPlaces<'_> {
    /// Where each token ends in the written text; false if they are not those of the text.
    fn ends(&self, ids: &[TokenId], ends: &mut Vec<u32>) -> bool {
        let lengths = self.lengths.by_value();
        let mut runs = self.runs.iter();
        let mut at = 0;
        ends.clear();
        ends.resize(ids.len(), 0);
        for (&id, place) in ids.iter().zip(ends) {
            let mut end = at + lengths.of(id) as usize;
            if end == at {
                let after = runs.next().and_then(|&run| behind(self.text, at, run));
                let Some(after) = after.filter(|_| id == self.unk) else { return false };
                end = after;
            }
            *place = end as u32;
            at = end;
        }
        at == self.text.len()
    }

    /// Hands over what the model read where tokens are unknown, each with its number. Where it is counted, characters need not be.
    fn name_unknown(
        &self,
        original: &str,
        counted: Option<Counted<'_>>,
        (ids, ends): (&[TokenId], &[u32]),
        mut name: impl FnMut(usize, &str),
    ) {
        let mut read = Vec::new();
        for (index, _) in ids.iter().enumerate().filter(|&(_, &id)| id == self.unk) {
            let start = index.checked_sub(1).map_or(0, |before| ends[before]) as usize;
            let range = start..ends[index] as usize;
            if let Some(stands) = self.stands(original, counted, range.clone()) {
                name(index, stands);
                continue;
            }
            read.clear();
            self.read(original, range, &mut read);
            // The model reads whole characters, so this holds.
            name(index, str::from_utf8(&read).unwrap_or_default());
        }
    }

    /// Whether a byte of the written text stands for a character that the model does not know.
    #[inline(always)]
    fn stands_for_another(&self, byte: u8) -> bool {
        self.strangers.is_some_and(|strangers| strangers.has(byte))
    }

    /// The original's text for a range in which every byte stands for another character, one after the other.
    fn stands<'o>(
        &self,
        original: &'o str,
        counted: Option<Counted<'_>>,
        range: Range<usize>,
    ) -> Option<&'o str> {
        let (begin, end) = (*self.sources.get(range.start)?, *self.sources.get(range.end)?);
        let stands = original.get(begin as usize..end as usize)?;
        let are_others = self.text.get(range.clone())?.iter().all(|&byte| self.stands_for_another(byte));
        let length = || match counted {
            Some(counted) => (counted.before(end) - counted.before(begin)) as usize,
            None => characters(stands.as_bytes()),
        };
        (are_others && length() == range.len()).then_some(stands)
    }

    /// Appends what the model read from one place of the written text to another, which an unknown token stands for.
    fn read(&self, original: &str, range: Range<usize>, read: &mut Vec<u8>) {
        let mut mark = [0; 4];
        let mark = self.mark.encode_utf8(&mut mark).as_bytes();
        let places = self
            .text
            .get(range.clone())
            .unwrap_or_default()
            .iter()
            .zip(self.sources.get(range.start..).unwrap_or_default());
        for (&byte, &source) in places {
            if self.stands_for_another(byte) {
                let own = original.as_bytes().get(source as usize..).unwrap_or_default();
                let width = own.first().map_or(0, |&first| char_width(first));
                read.extend_from_slice(own.get(..width).unwrap_or_default());
            } else if byte == b' ' {
                read.extend_from_slice(mark);
            } else {
                read.push(byte);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::columns::Columns;
    use super::super::tests::with_lanes;
    use super::super::unit_lanes::UnitLanes;
    use super::super::units::Telling;
    use super::super::worker::LanesStart;
    use super::super::{EncodeOptions, Input, Tokenizer};
    use super::*;
    use crate::lanes::places::{Counts, Places};
    use crate::lanes::{Runner, WRITING_RULES};
    use crate::model::Scratch;
    use crate::normalize::charsmap::build_charsmap;
    use crate::random::Random;
    use crate::spec::{
        AddedToken, ModelSpec, NormalizerSpec, PieceKind, SentencePiece, SentencePieceKind,
        SentencePieceNormalizer, SentencePieceSpec, TokenizerSpec,
    };

    const PARTS: &[&str] = &[
        "a", "b", "ab", " ", "  ", "\n", "e", "\u{301}", "é", "ж", "漢", "か", "\u{3099}", "ﬁ", "¨", "\u{1}",
        "\u{2}", "\u{3000}", "\u{200b}", "😀", "Ǆ", "<x>", "<s>", "▁", "f", "i", "字字", "abc bca ",
    ];

    fn spec(random: &mut Random, strange_rule: bool) -> TokenizerSpec {
        let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
        let mut pieces = vec![
            ("<unk>".to_owned(), 0.0, PieceKind::Unknown),
            ("<s>".to_owned(), 0.0, PieceKind::Control),
            ("▁".to_owned(), -3.0, PieceKind::Normal),
        ];
        let letters = ["a", "b", "c", "é", "f", "i", "漢", "が", "\u{308}", "D"];
        let few = 3 + below(letters.len() - 2);
        for at in 0..30 {
            let mark = ["▁", "", ""][below(3)];
            let letters: String = (0..1 + below(4)).map(|_| letters[below(few)]).collect();
            let piece = format!("{mark}{letters}");
            if pieces.iter().all(|(known, ..)| *known != piece) {
                let kind = if below(20) == 0 { PieceKind::UserDefined } else { PieceKind::Normal };
                pieces.push((piece, -[0.5, 1.0, 2.5, 7.1][at % 4], kind));
            }
        }
        let pieces: Vec<SentencePiece> =
            pieces.into_iter().map(|(text, score, kind)| SentencePiece { text, score, kind }).collect();
        let symbols = pieces.iter().filter(|piece| piece.kind == PieceKind::UserDefined);
        let user_defined = symbols.map(|piece| piece.text.clone()).collect();
        let mut rules: Vec<_> = WRITING_RULES.to_vec();
        if strange_rule {
            // What would stand for characters that the model does not know.
            rules.push(("Ж", "\u{1}"));
        }
        let rules: Vec<_> =
            rules.iter().map(|(from, to)| (from.chars().collect(), to.chars().collect())).collect();
        let model = SentencePieceSpec::new(SentencePieceKind::Unigram, pieces);
        let mut spec = TokenizerSpec::new(ModelSpec::SentencePiece(model));
        spec.normalizer = Some(NormalizerSpec::SentencePiece(SentencePieceNormalizer {
            name: "test".into(),
            charsmap: build_charsmap(&rules).unwrap().into(),
            add_dummy_prefix: below(3) > 0,
            remove_extra_whitespaces: below(3) > 0,
            escape_whitespaces: true,
            treat_whitespace_as_suffix: false,
            user_defined,
            blanks_before_words: false,
        }));
        spec.added_tokens = vec![AddedToken { normalized: false, ..AddedToken::new("<s>", true) }];
        spec
    }

    fn offsets_of(round: usize) -> OffsetUnit {
        [OffsetUnit::Char, OffsetUnit::Byte, OffsetUnit::Utf16][round / 3 % 3]
    }

    /// By all vectors, each token reaches to where the next one begins.
    #[test]
    fn many_are_as_one_by_one() {
        let mut random = Random::from_seed(9);
        let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
        let mut counts = Counts::default();
        for round in 0..200 {
            let original: String = (0..below(90)).map(|_| ["a", "é", "漢", "😀"][below(4)]).collect();
            let counted = counts.of(original.as_bytes());
            // What is written begins a character of the original, or goes on in one.
            let mut sources: Vec<u32> = (0..=below(150)).map(|_| below(original.len() + 1) as u32).collect();
            sources.sort_unstable();
            let mut ends: Vec<u32> = (0..sources.len() as u32).filter(|_| below(3) > 0).collect();
            ends.extend((round % 9 == 0).then_some(sources.len() as u32));
            let place = |end: u32| Some(4 + counted.before(*sources.get(end as usize)?));
            let starts = std::iter::once(0).chain(ends.iter().copied());
            let expected: Option<Vec<[u32; 2]>> =
                starts.zip(&ends).map(|(start, &end)| Some([place(start)?, place(end)?])).collect();
            for level in Level::all() {
                let mut offsets = vec![[0; 2]; ends.len()];
                let (sources, ends, room) = (&*sources, &*ends, &mut *offsets);
                let is_told = level.run(Placing { sources, counted, begin: 4, ends, offsets: room });
                assert_eq!(is_told, expected.is_some());
                assert!(!is_told || Some(&offsets) == expected.as_ref(), "{} {original:?}", level.name());
            }
        }
    }

    #[test]
    fn places_are_those_of_the_stages() {
        let (mut unknown, mut told) = (0, 0);
        for seed in 0..60 {
            let mut random = Random::from_seed(seed);
            let strange_rule = seed % 10 == 9;
            let spec = spec(&mut random, strange_rule);
            let (fast, slow) = (with_lanes(&spec, LanesStart::AtOnce), with_lanes(&spec, LanesStart::Never));
            let units = fast.inner.plan.units.clone().unwrap();
            assert_eq!(matches!(units.places(), Some(Telling::All)), !strange_rule);
            let mut lanes = UnitLanes::new(units.clone(), Runner::new(1 << 20, 0).unwrap());
            let mut scratch = Scratch::default();
            let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
            for round in 0..60 {
                let few: Vec<&str> = (0..1 + below(9)).map(|_| PARTS[below(PARTS.len())]).collect();
                let most = [4, 30, 900][round % 3];
                let text: String = (0..below(most)).map(|_| few[below(few.len())]).collect();
                let offsets = offsets_of(round);
                let options = EncodeOptions { offsets, ..EncodeOptions::default() };
                let columns = |tokenizer: &Tokenizer| {
                    let found = tokenizer.encode(&Input::from(text.as_str()), &options).unwrap();
                    let (ids, words) = (found.ids().to_vec(), found.words().to_vec());
                    (ids, found.offsets().to_vec(), words, found.tokens())
                };
                let expected = columns(&slow);
                assert_eq!(columns(&fast), expected, "{seed} {offsets:?} {text:?}");
                unknown += expected.0.iter().filter(|&&id| id == 0).count();
                let text = text.replace("<s>", "");
                let (mut columns, mut places) = (Columns::default(), Places::default());
                let Columns { ids, offsets, words, surfaces, .. } = &mut columns;
                let positions = &mut Positions::new(&text, offsets_of(round));
                let mut spans = Spans { offsets, words, positions, places: &mut places, number: 0, step: 0 };
                let is_told = lanes.append_all(&text, &options, &mut scratch, ids, |written, ids| {
                    spans.of_written(written, ids, 0..text.len(), 0, surfaces)
                });
                told += usize::from(is_told.unwrap() && !strange_rule);
            }
        }
        assert!(unknown > 10_000 && told > 2_000, "{unknown} {told}");
    }
}
