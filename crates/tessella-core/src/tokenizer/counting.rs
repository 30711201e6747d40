//! How often each piece comes: what training learns from.
//!
//! Pieces are gathered as they stand in the text and counted by the hundred ([`Tally`]); what the model reads is written
//! only for those that are told. The slow twin is [`PieceCutter`] alone, with every piece told: tests compare both, and
//! `TESSELLA_LANES=off` asks for it.

use std::ops::Range;

use super::Tokenizer;
use super::drive::{Sink, Source};
use super::pieces::{PieceCutter, Writer};
use super::way::Form;
use super::worker::LanesStart;
use crate::cancel::Cancel;
use crate::error::{Error, ErrorKind, Result};
use crate::ids::{Span, TokenId};
use crate::lanes::vectors::Level;
use crate::lanes::{Bounds, Pieces, Tally};
use crate::limits;
use crate::pattern::scan::MaskedPieces;
use crate::portion::Portion;
use crate::pretokenize::ByteLevelView;

/// Takes pieces, as the model reads them, and how often they came since they were told before.
pub type Add<'a> = dyn FnMut(&str, u64) -> Result<()> + 'a;

/// Cuts texts as one tokenizer does and counts their pieces: one for each thread.
#[derive(Debug)]
pub struct PieceCounter<'t> {
    cutter: PieceCutter<'t>,
    gathering: Option<Box<Gathering>>,
}

/// The counts and what is on its way to them.
#[derive(Debug)]
struct Gathering {
    tally: Tally,
    level: Level,
    bounds: Bounds,
    /// Pieces that wait, which may leave gaps between them.
    starts: Vec<u32>,
    ends: Vec<u32>,
    /// The first ones of these, and copies of the short texts that they are of. All others are of the text that is being
    /// cut.
    kept: usize,
    short: Vec<u8>,
}

/// Bytes of a text that is copied, so that its pieces wait for those of the next ones, and of all such texts.
const SHORT: usize = 1 << 12;
const MOST_SHORT: usize = 1 << 16;

impl Tokenizer {
    /// Counts the pieces of [`piece_cutter`](Self::piece_cutter), with at most `memory` bytes for what was not
    /// told yet.
    pub fn piece_counter(&self, memory: usize) -> PieceCounter<'_> {
        let tally = if LanesStart::may_be() { Tally::new(memory) } else { None };
        PieceCounter {
            cutter: self.piece_cutter(),
            gathering: tally.map(|tally| Box::new(Gathering::new(tally))),
        }
    }
}

impl PieceCounter<'_> {
    /// Bytes that may come into use for what was not told yet.
    pub fn memory(&self) -> usize {
        self.gathering.as_ref().map_or(0, |gathering| gathering.tally.memory())
    }

    /// Stops in the middle of a text as well.
    pub fn stop_at(&mut self, cancel: Cancel) {
        self.cutter.stop_at(cancel);
    }

    /// Counts the pieces of some texts. Each piece is told when it comes for the first time, in order; later ones now or
    /// when [`finish`](Self::finish) is called. After an error nothing is to be counted any more.
    pub fn count_each(&mut self, texts: &Portion, add: &mut Add<'_>) -> Result<()> {
        if let Some(gathering) = &mut self.gathering {
            let _work = self.cutter.begin(texts.bytes());
            if let Some((pieces, form, writer)) = self.cutter.masked_each(texts) {
                let mut all = Gathered { gathering, form, writer, add };
                return all.masked(pieces, texts.joined().as_bytes());
            }
        }
        texts.iter().try_for_each(|text| self.gather(text, add))?;
        self.flush(add)
    }

    /// Counts the pieces that wait.
    fn flush(&mut self, add: &mut Add<'_>) -> Result<()> {
        let Some(gathering) = &mut self.gathering else { return Ok(()) };
        let (form, writer) = self.cutter.writer();
        Gathered { gathering, form, writer, add }.flush(b"")
    }

    /// Counts the pieces of a text. Those of a short one may wait.
    fn gather(&mut self, text: &str, add: &mut Add<'_>) -> Result<()> {
        let Some(gathering) = &mut self.gathering else {
            let mut outcome = Ok(());
            self.cutter.cut(text, &mut |piece| {
                if outcome.is_ok() {
                    outcome = add(piece, 1);
                }
            })?;
            return outcome;
        };
        let outcome = self.cutter.drive(text, |form, writer| Gathered { gathering, form, writer, add });
        if outcome.is_err() {
            gathering.forget();
        }
        outcome
    }

    /// Tells what was not told yet.
    pub fn finish(&mut self, add: &mut Add<'_>) -> Result<()> {
        let Some(gathering) = &mut self.gathering else { return Ok(()) };
        let (form, writer) = self.cutter.writer();
        gathering.tally.tell_all(&mut |piece, count| add(writer.write(form, text_of(piece)?), count))
    }
}

impl Gathering {
    fn new(tally: Tally) -> Self {
        let room = || Vec::with_capacity(Bounds::MOST);
        Gathering {
            tally,
            level: Level::best(),
            bounds: Bounds::default(),
            starts: room(),
            ends: room(),
            short: Vec::new(),
            kept: 0,
        }
    }

    fn forget(&mut self) {
        self.starts.clear();
        self.ends.clear();
        self.short.clear();
        self.kept = 0;
    }
}

/// Pieces are cut between characters.
fn text_of(piece: &[u8]) -> Result<&str> {
    std::str::from_utf8(piece).map_err(|error| {
        Error::new(ErrorKind::Train, "a piece was cut inside of a character; please report this")
            .caused_by(error)
    })
}

/// The sink that counts pieces.
struct Gathered<'s, 'a> {
    gathering: &'s mut Gathering,
    form: Form,
    writer: &'s mut Writer,
    add: &'s mut Add<'a>,
}

impl Gathered<'_, '_> {
    /// Counts the pieces that wait.
    fn flush(&mut self, text: &[u8]) -> Result<()> {
        let Gathered { gathering, form, writer, add } = self;
        let Gathering { tally, starts, ends, kept, short, .. } = &mut **gathering;
        let all = [(&**short, 0..*kept), (text, *kept..starts.len())];
        for (text, range) in all {
            let pieces = Pieces { text, starts: &starts[range.clone()], ends: &ends[range] };
            tally.count(pieces, &mut |piece, count| add(writer.write(*form, text_of(piece)?), count))?;
        }
        gathering.forget();
        limits::check()
    }

    /// Counts pieces that are found by masks.
    fn masked(&mut self, mut pieces: MaskedPieces<'_>, text: &[u8]) -> Result<()> {
        self.flush(b"")?; // They came before.
        let Gathered { gathering, form, writer, add } = self;
        let Gathering { tally, level, bounds, .. } = &mut **gathering;
        bounds.begin(0);
        loop {
            let more = pieces.fill(*level, bounds);
            let pieces = Pieces::within(bounds, text);
            tally.count(pieces, &mut |piece, count| add(writer.write(*form, text_of(piece)?), count))?;
            if !more {
                return Ok(());
            }
            limits::check()?;
            bounds.go_on();
        }
    }

    /// All pieces of a stretch of the source wait.
    fn wait_for_all(&mut self, mut pieces: MaskedPieces<'_>, source: &Source<'_>, begin: u32) -> Result<()> {
        self.gathering.bounds.begin(0);
        loop {
            let Gathering { level, bounds, starts, .. } = &mut *self.gathering;
            let more = pieces.fill(*level, bounds);
            if starts.len() + bounds.starts().len() > Bounds::MOST {
                self.flush(source.buffer.as_bytes())?;
            }
            let Gathering { bounds, starts, ends, .. } = &mut *self.gathering;
            starts.extend(bounds.starts().iter().map(|start| begin + start));
            ends.extend(bounds.ends().iter().map(|end| begin + end));
            if !more {
                return Ok(());
            }
            bounds.go_on();
        }
    }

    #[inline]
    fn wait(&mut self, text: &[u8], piece: Range<usize>) -> Result<()> {
        let Gathering { starts, ends, .. } = &mut *self.gathering;
        starts.push(piece.start as u32);
        ends.push(piece.end as u32);
        if starts.len() < Bounds::MOST { Ok(()) } else { self.flush(text) }
    }
}

impl Sink for Gathered<'_, '_> {
    #[inline]
    fn word(&mut self) {}

    #[inline]
    fn part(&mut self, source: &Source<'_>, range: Range<usize>) -> Result<()> {
        // No key stands for nothing, and places are of 32 bits.
        if range.is_empty() || u32::try_from(range.end).is_err() {
            self.flush(source.buffer.as_bytes())?;
            return (self.add)(self.writer.write(self.form, &source.buffer[range]), 1);
        }
        self.wait(source.buffer.as_bytes(), range)
    }

    fn raw_bytes(&mut self, source: &Source<'_>, range: Range<usize>, view: &ByteLevelView) -> Result<()> {
        debug_assert_eq!(self.gathering.starts.len(), self.gathering.kept, "all that waits is of one source");
        let text = &source.buffer[range.clone()];
        match view.masked(text) {
            Some(pieces) if text.len() > SHORT => return self.masked(pieces, text.as_bytes()),
            Some(pieces) => self.wait_for_all(pieces, source, range.start as u32)?,
            None => view.for_each_piece(text, &mut |piece| {
                self.part(source, range.start + piece.start..range.start + piece.end)
            })?,
        }
        self.pause(source)
    }

    /// The source goes away. What is short is copied, so that its pieces are counted with others.
    fn pause(&mut self, source: &Source<'_>) -> Result<()> {
        let Gathering { starts, ends, kept, short, .. } = &mut *self.gathering;
        let (Some(&first), Some(&end)) = (starts.get(*kept), ends.last()) else { return Ok(()) };
        let buffer = source.buffer.as_bytes();
        if (end - first) as usize > SHORT || short.len() > MOST_SHORT {
            return self.flush(buffer);
        }
        let moved = (short.len() as u32).wrapping_sub(first);
        starts[*kept..]
            .iter_mut()
            .chain(&mut ends[*kept..])
            .for_each(|place| *place = place.wrapping_add(moved));
        short.extend_from_slice(&buffer[first as usize..end as usize]);
        *kept = starts.len();
        Ok(())
    }

    fn added(&mut self, text: &str, _: impl FnOnce() -> Span, _: TokenId) -> Result<()> {
        self.flush(b"")?;
        if text.is_empty() { Ok(()) } else { (self.add)(text, 1) }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::random::Random;
    use crate::spec::{
        AddedToken, Dialect, ModelSpec, NormalizerSpec, Pattern, PreTokenizerSpec, PrependScheme,
        SplitBehavior, TokenizerSpec, Vocab, WordLevelSpec,
    };

    const GPT2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";
    const CL100K: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

    fn pre_tokenizers() -> Vec<Option<PreTokenizerSpec>> {
        let byte_level = |add_prefix_space, use_regex| PreTokenizerSpec::ByteLevel {
            add_prefix_space,
            use_regex,
            trim_offsets: true,
        };
        let split = |source: &str, behavior| PreTokenizerSpec::Split {
            pattern: Pattern::Regex { source: source.into(), dialect: Dialect::Oniguruma },
            behavior,
            invert: false,
        };
        let raw = |source: &str, behavior| {
            Some(PreTokenizerSpec::Sequence(vec![split(source, behavior), byte_level(false, false)]))
        };
        let metaspace = |prepend, split| PreTokenizerSpec::Metaspace { replacement: '▁', prepend, split };
        vec![
            None,
            Some(PreTokenizerSpec::Bert),
            Some(PreTokenizerSpec::WhitespaceSplit),
            Some(byte_level(false, true)),
            Some(byte_level(true, true)),
            Some(byte_level(true, false)),
            raw(GPT2, SplitBehavior::Isolated),
            raw(CL100K, SplitBehavior::Isolated),
            raw(r"\d", SplitBehavior::Isolated),
            // Gaps between pieces, and a pattern for the exact engine.
            raw(r"\s+", SplitBehavior::Removed),
            raw(r"(\w)\1", SplitBehavior::MergedWithNext),
            Some(split(r"[aeiou]", SplitBehavior::Isolated)),
            Some(metaspace(PrependScheme::Always, true)),
            Some(metaspace(PrependScheme::First, true)),
            Some(metaspace(PrependScheme::Never, false)),
        ]
    }

    fn text(random: &mut Random) -> String {
        const PARTS: &[&str] = &[
            " ",
            " ",
            " the",
            " a",
            "low",
            "er",
            "'s",
            "'LL",
            "\n",
            "\r\n",
            "  \t",
            "12345",
            "Ünïcode",
            "漢字",
            "😀",
            "e\u{301}",
            "\u{0}",
            "\u{85}",
            "▁",
            "<x>",
            "<s>",
            "...",
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            "ﬁ",
            "\u{a0}",
        ];
        let parts = [3, 40, 2000][(random.next_u64() % 3) as usize];
        (0..random.next_u64() % parts)
            .map(|_| PARTS[(random.next_u64() % PARTS.len() as u64) as usize])
            .collect()
    }

    /// Sums and the order of first appearance are those of every piece told, whatever cuts, and whatever there is room for.
    #[test]
    fn like_telling_every_piece() {
        let mut random = Random::from_seed(8);
        let vocab = Vocab::from_entries([("<x>", 0), ("<s>", 1), ("a", 2)]).unwrap();
        for pre_tokenizer in pre_tokenizers() {
            for normalizer in [None, Some(NormalizerSpec::Nfkc), Some(NormalizerSpec::Lowercase)] {
                let model = WordLevelSpec { vocab: vocab.clone().into(), unk_token: "<x>".into() };
                let mut spec = TokenizerSpec::new(ModelSpec::WordLevel(model));
                spec.normalizer = normalizer;
                spec.pre_tokenizer = pre_tokenizer.clone();
                spec.added_tokens = vec![
                    AddedToken { id: Some(0), ..AddedToken::new("<x>", true) },
                    AddedToken { id: Some(1), ..AddedToken::new("<s>", false) },
                ];
                let tokenizer = Tokenizer::new(spec).unwrap();
                let (mut cutter, mut counter) = (tokenizer.piece_cutter(), tokenizer.piece_counter(80 << 10));
                assert!((64 << 10..=80 << 10).contains(&counter.memory()), "nothing is gathered");
                let (mut expected, mut told) = (Counts::default(), Counts::default());
                for _ in 0..12 {
                    let mut texts = Portion::default();
                    for _ in 0..1 + random.next_u64() % 4 {
                        texts.push(&text(&mut random));
                    }
                    texts.iter().for_each(|text| {
                        cutter.cut(text, &mut |piece| expected.add(piece, 1)).unwrap();
                    });
                    let mut add = |piece: &str, count| {
                        told.add(piece, count);
                        Ok(())
                    };
                    match random.next_u64() % 3 {
                        0 => {
                            texts.iter().for_each(|text| counter.count_each(&alone(text), &mut add).unwrap());
                        }
                        _ => counter.count_each(&texts, &mut add).unwrap(),
                    }
                }
                counter
                    .finish(&mut |piece, count| {
                        told.add(piece, count);
                        Ok(())
                    })
                    .unwrap();
                assert_eq!(told.order, expected.order, "{pre_tokenizer:?}");
                assert_eq!(told.sums, expected.sums, "{pre_tokenizer:?}");
            }
        }
    }

    fn alone(text: &str) -> Portion {
        let mut portion = Portion::default();
        portion.push(text);
        portion
    }

    #[derive(Default)]
    struct Counts {
        order: Vec<String>,
        sums: HashMap<String, u64>,
    }

    impl Counts {
        fn add(&mut self, piece: &str, count: u64) {
            let sum = self.sums.entry(piece.to_string()).or_insert_with(|| {
                self.order.push(piece.to_string());
                0
            });
            *sum += count;
        }
    }

    #[test]
    fn errors_and_the_wish_to_stop_end_the_count() {
        use std::sync::Arc;
        use std::sync::atomic::AtomicBool;
        let vocab = Vocab::from_entries([("<x>", 0)]).unwrap();
        let model = WordLevelSpec { vocab: vocab.into(), unk_token: "<x>".into() };
        let mut spec = TokenizerSpec::new(ModelSpec::WordLevel(model));
        for pre_tokenizer in pre_tokenizers().into_iter().flatten() {
            spec.pre_tokenizer = Some(pre_tokenizer);
            let tokenizer = Tokenizer::new(spec.clone()).unwrap();
            let mut counter = tokenizer.piece_counter(1 << 20);
            let error =
                counter.count_each(&alone("a b c"), &mut |_, _| Err(Error::value("no more"))).unwrap_err();
            assert_eq!(error.message(), "no more");
            let stop = Arc::new(AtomicBool::new(true));
            counter.stop_at(Cancel::new(Some(&stop)));
            let error = counter.count_each(&alone(&"ab 1 ".repeat(10_000)), &mut |_, _| Ok(())).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Interrupted);
        }
    }
}
