//! The engine against the model's own loops, on random vocabularies and texts.

use std::collections::HashSet;
use std::sync::Arc;

use super::together::Noted;
use super::vectors::Level;
use super::{Bounds, Built, Engine, LINES_LOG2, Lengths, LongPieces, LongUnits, Pieces, Runner, Shared};
use crate::error::Result;
use crate::flat::BYTES;
use crate::ids::TokenId;
use crate::model::bpe::{Bpe, MergeScratch};
use crate::pretokenize::byte_alphabet::{BYTE_TO_CHAR, bytes_to_alphabet};
use crate::random::Random;
use crate::scale::{or_for_fuzzers, or_interpreted};
use crate::spec::{BpeSpec, Merges, Vocab};

fn below(random: &mut Random, bound: usize) -> usize {
    (random.next_u64() % bound as u64) as usize
}

fn spec(texts: &[String], merges: Merges, whole_pieces: bool) -> BpeSpec {
    BpeSpec {
        vocab: Arc::new(Vocab::from_entries(texts.iter().zip(0..)).unwrap()),
        merges,
        dropout: None,
        unk_token: None,
        continuing_subword_prefix: None,
        end_of_word_suffix: None,
        fuse_unk: false,
        byte_fallback: false,
        ignore_merges: whole_pieces,
    }
}

fn bytes(random: &mut Random) -> Vec<String> {
    let mut texts: Vec<String> = BYTE_TO_CHAR.iter().map(char::to_string).collect();
    for at in (1..texts.len()).rev() {
        texts.swap(at, below(random, at + 1));
    }
    texts
}

/// Strings over few letters in any order: many splits of one token, and tokens that merges do not reach.
fn by_concatenation(random: &mut Random) -> BpeSpec {
    let mut texts = bytes(random);
    let mut known: HashSet<String> = texts.iter().cloned().collect();
    for _ in 0..below(random, 150) {
        let longest = if below(random, 10) == 0 { 20 } else { 5 };
        let length = 2 + below(random, longest);
        let text: Vec<u8> = (0..length).map(|_| b"abc\xff"[below(random, 4)]).collect();
        let text = bytes_to_alphabet(&text);
        if known.insert(text.clone()) {
            texts.push(text);
        }
    }
    // As they are learned, parts before the whole, or in any order.
    if below(random, 2) == 0 {
        texts[BYTE_TO_CHAR.len()..].sort_by_key(|text| text.chars().count());
    }
    spec(&texts, Merges::ConcatRank, false)
}

/// A list of merges, each of two tokens there are, in any order; sometimes two make the same token.
fn by_list(random: &mut Random) -> BpeSpec {
    let mut texts = bytes(random);
    let letters: Vec<usize> = b"abc\xff"
        .iter()
        .map(|&byte| {
            texts.iter().position(|text| text.chars().eq([BYTE_TO_CHAR[usize::from(byte)]])).unwrap()
        })
        .collect();
    let mut tokens = letters;
    let mut merges = Vec::new();
    for _ in 0..below(random, 80) {
        let (left, right) = (tokens[below(random, tokens.len())], tokens[below(random, tokens.len())]);
        let whole = texts[left].clone() + &texts[right];
        if !texts.contains(&whole) {
            tokens.push(texts.len());
            texts.push(whole);
            merges.push((left as TokenId, right as TokenId));
        } else if below(random, 2) == 0 {
            merges.push((left as TokenId, right as TokenId));
        }
    }
    // In the order in which they were learned, or in any.
    if below(random, 2) == 0 {
        for at in (1..merges.len()).rev() {
            merges.swap(at, below(random, at + 1));
        }
    }
    let whole_pieces = below(random, 2) == 0;
    spec(&texts, Merges::Pairs(Arc::new(merges)), whole_pieces)
}

/// The engine of another model of the same description: the plain loops of one whose engine is built take its pairs.
fn lanes(bpe: &Bpe) -> Built {
    Bpe::new(bpe.spec()).unwrap().lanes().unwrap()
}

struct Slowly<'b>(&'b Bpe);

impl Slowly<'_> {
    fn tokenize(&self, piece: &[u8]) -> Vec<TokenId> {
        let mut tokens = Vec::new();
        let (mut scratch, mut random) = (MergeScratch::default(), Random::from_seed(0));
        self.0.tokenize_bytes(piece, &mut scratch, &mut random, &mut tokens).unwrap();
        tokens.iter().map(|token| token.id).collect()
    }
}

impl LongPieces for Slowly<'_> {
    fn ids(&mut self, piece: &[u8], out: &mut Vec<TokenId>) -> Result<()> {
        out.extend(self.tokenize(piece));
        Ok(())
    }
}

impl LongUnits for Slowly<'_> {
    fn unit_ids(&mut self, unit: &[u8], out: &mut Vec<TokenId>) -> Result<()> {
        let mut tokens = Vec::new();
        let (mut scratch, mut random) = (MergeScratch::default(), Random::from_seed(0));
        self.0.merge_bytes(unit, &mut scratch, &mut random, &mut tokens)?;
        out.extend(tokens.iter().map(|token| token.id));
        Ok(())
    }
}

/// The least that a runner can live with: slots and ring are written over all the time.
const SMALL: usize = 100 << 10;

/// Whether slots have grown, long pieces were cut, and became tokens without merging.
fn check(bpe: &Bpe, engine: &Engine, random: &mut Random) -> [bool; 3] {
    let levels = Level::all();
    let (budget, long_bytes) = [(SMALL, 0), (6 * SMALL, 1 << 20)][below(random, 2)];
    let mut runner = Runner::new(budget, 0).unwrap();
    runner.begin_small();
    runner.noted = Noted { all: long_bytes, to_cut: long_bytes, alone: long_bytes };
    runner.level = levels[below(random, levels.len())];
    for _ in 0..4 {
        let letters: &[u8] = [b"abc\xff".as_slice(), b"ab", b"abcdefgh \xff\x00"][below(random, 3)];
        let text: Vec<u8> = (0..below(random, or_interpreted(6000, 200)))
            .map(|_| letters[below(random, letters.len())])
            .collect();
        let (mut starts, mut ends) = (Vec::new(), Vec::new());
        let longest = [3, 9, 16, 24, 400, 3000][below(random, 6)];
        let mut at = below(random, 3);
        while at < text.len() {
            let end = (at + 1 + below(random, longest)).min(text.len());
            starts.push(at as u32);
            ends.push(end as u32);
            // Some bytes belong to no piece.
            at = end + usize::from(below(random, 8) == 0);
        }
        let mut ids = vec![7];
        let mut expected = vec![7];
        for (starts, ends) in starts.chunks(Bounds::MOST).zip(ends.chunks(Bounds::MOST)) {
            let pieces = Pieces { text: &text, starts, ends };
            runner.ids(engine, pieces, &mut ids, &mut Slowly(bpe)).unwrap();
            for at in 0..starts.len() {
                expected.extend(Slowly(bpe).tokenize(pieces.piece(at)));
            }
        }
        assert!(ids == expected, "{:?} {}", bpe.spec().merges, String::from_utf8_lossy(&text));
    }
    let has_grown = runner.store.slots.lines().len() > 1 << LINES_LOG2.start();
    [has_grown, matches!(engine.cuts.get(), Some(Some(_))), matches!(engine.longest.get(), Some(Some(_)))]
}

#[test]
fn lanes_give_what_the_plain_loops_give() {
    let mut random = Random::from_seed(8);
    let (mut taken, mut left, mut grown, mut cut, mut longest) = (0, 0, 0, 0, [0; 2]);
    for round in 0..or_interpreted(160, 4) {
        let spec = if round % 2 == 0 { by_concatenation(&mut random) } else { by_list(&mut random) };
        let bpe = Bpe::new(&spec).unwrap();
        match lanes(&bpe) {
            Ok(engine) => {
                taken += 1;
                let [has_grown, was_cut, by_longest] = check(&bpe, &engine, &mut random);
                grown += usize::from(has_grown);
                cut += usize::from(was_cut);
                longest[round % 2] += usize::from(by_longest);
            }
            Err(reason) => {
                left += 1;
                assert_eq!(reason, "two merges of the list make the same token");
            }
        }
    }
    if !cfg!(miri) {
        assert!(taken > 90 && left > 1 && grown > 9 && cut > 9, "{taken} {left} {grown} {cut}");
        assert!(longest.iter().all(|&count| count > 5), "{longest:?}");
    }
}

/// The plain loops find the same in the engine's pairs as in their own table, in short pieces and in long ones.
#[test]
fn plain_loops_need_no_table_beside_the_engine() {
    let mut random = Random::from_seed(18);
    let (mut listed, mut by_ids) = (0, 0);
    for round in 0..or_interpreted(200, 4) {
        let spec = if round % 4 == 0 { by_concatenation(&mut random) } else { by_list(&mut random) };
        let (plain, bpe) = (Bpe::new(&spec).unwrap(), Bpe::new(&spec).unwrap());
        let Ok(engine) = bpe.lanes().unwrap() else { continue };
        by_ids += usize::from(engine.merges_ids());
        listed += usize::from(!bpe.has_table());
        for _ in 0..or_interpreted(30, 2) {
            let longest = [4, 30, 300][below(&mut random, 3)];
            let piece: Vec<u8> =
                (0..1 + below(&mut random, longest)).map(|_| b"abc\xff"[below(&mut random, 4)]).collect();
            assert_eq!(Slowly(&bpe).tokenize(&piece), Slowly(&plain).tokenize(&piece), "{piece:?}");
        }
        assert!(plain.has_table() && (bpe.has_table() || engine.merges_ids()));
    }
    if !cfg!(miri) {
        assert!(listed > 20 && by_ids > listed, "{listed} {by_ids}");
    }
}

/// Who comes while it is built gets nothing, and who comes later what was built, how many there may be at once.
#[test]
fn an_engine_is_built_once_and_nobody_waits_for_it() {
    let bpe = Bpe::new(&by_concatenation(&mut Random::from_seed(19))).unwrap();
    let shared = Shared::default();
    let again = || -> std::result::Result<Engine, &'static str> { panic!("it was built") };
    assert!(shared.built().is_none() && !shared.is_there());
    let built = shared.get(|| {
        assert!(shared.get(again).is_none() && shared.built().is_none());
        lanes(&bpe).map(|engine| Arc::into_inner(engine).unwrap())
    });
    let built = built.unwrap().unwrap();
    std::thread::scope(|threads| {
        for _ in 0..or_interpreted(8, 2) {
            threads.spawn(|| {
                for _ in 0..or_interpreted(1000, 3) {
                    assert!(Arc::ptr_eq(&shared.get(again).unwrap().unwrap(), &built));
                    assert!(std::ptr::eq(shared.built().unwrap(), &*built));
                }
            });
        }
    });
}

/// Lengths that are added up from those of bytes are those of texts.
#[test]
fn lengths_come_to_the_same_by_merges_and_by_texts() {
    let mut random = Random::from_seed(17);
    let (mut told, mut out_of_order) = (0, 0);
    for round in 0..or_interpreted(400, 4) {
        let spec = if round % 2 == 0 { by_concatenation(&mut random) } else { by_list(&mut random) };
        let size = spec.vocab.len() as TokenId;
        let Ok(engine) = Bpe::new(&spec).unwrap().lanes().unwrap() else { continue };
        let by = |merges: bool| {
            let lengths = Lengths::new(&engine.tokens, &engine.merger, merges)?;
            Some((0..size).map(|id| lengths.of(id)).collect::<Vec<u32>>())
        };
        assert_eq!(by(true), by(false));
        told += usize::from(by(true).is_some());
        out_of_order += usize::from(engine.merger.pairs.iter().any(|(left, right, result)| {
            let is_byte = |symbol| engine.merger.of_byte.contains(&symbol);
            [left, right].into_iter().any(|part| part > result && !is_byte(part))
        }));
    }
    if !cfg!(miri) {
        assert!(told > 100 && out_of_order > 9, "{told} {out_of_order}");
    }
}

#[test]
fn the_plain_loops_keep_what_lanes_cannot_do() {
    let mut random = Random::from_seed(9);
    let mut dropout = by_concatenation(&mut random);
    dropout.dropout = Some(0.1);
    assert_eq!(Bpe::new(&dropout).unwrap().lanes().unwrap().unwrap_err(), "dropout is on");
    let few = spec(&["a".into(), "b".into()], Merges::ConcatRank, false);
    assert!(!Bpe::new(&few).unwrap().lanes().unwrap().unwrap().knows(Level::best(), b"abc"));
    assert!(Runner::new(or_for_fuzzers(1000, 100), 0).is_none());
}

/// Tokens of 16 to 63 bytes that stand in the vocabulary without a merge that makes them are whole pieces all the same, among
/// pieces of all lengths that come once, twice and often.
#[test]
fn whole_pieces_of_middle_length_are_tokens() {
    let mut random = Random::from_seed(12);
    let mut texts = bytes(&mut random);
    let mut wholes: Vec<Vec<u8>> = Vec::new();
    for length in (14..70).chain([16, 40, 63]) {
        let token: Vec<u8> = (0..length).map(|_| b"ab\xff"[below(&mut random, 3)]).collect();
        texts.push(bytes_to_alphabet(&token));
        wholes.push(token);
    }
    let byte = |letter: u8| {
        texts.iter().position(|text| text.chars().eq([BYTE_TO_CHAR[usize::from(letter)]])).unwrap() as TokenId
    };
    let merges = Merges::Pairs(Arc::new(vec![(byte(b'a'), byte(b'b')), (byte(b'b'), byte(b'a'))]));
    texts.extend(["ab".to_owned(), "ba".to_owned()]);
    let bpe = Bpe::new(&spec(&texts, merges, true)).unwrap();
    let engine = lanes(&bpe).unwrap();
    for level in Level::all() {
        let mut runner = Runner::new(6 * SMALL, 0).unwrap();
        runner.level = level;
        let mut found = 0;
        for _ in 0..or_interpreted(40, 2) {
            let (mut text, mut starts, mut ends) = (Vec::new(), Vec::new(), Vec::new());
            for _ in 0..or_interpreted(Bounds::MOST, 60) {
                starts.push(text.len() as u32);
                match below(&mut random, 3) {
                    0 => text.extend_from_slice(&wholes[below(&mut random, wholes.len())]),
                    _ => {
                        text.extend((0..1 + below(&mut random, 70)).map(|_| b"ab\xff"[below(&mut random, 3)]))
                    }
                }
                ends.push(text.len() as u32);
            }
            let pieces = Pieces { text: &text, starts: &starts, ends: &ends };
            let (mut ids, mut expected) = (Vec::new(), Vec::new());
            runner.ids(&engine, pieces, &mut ids, &mut Slowly(&bpe)).unwrap();
            for at in 0..starts.len() {
                expected.extend(Slowly(&bpe).tokenize(pieces.piece(at)));
            }
            assert_eq!(ids, expected);
            found += usize::from(engine.wholes.get().is_some());
        }
        assert!(found > or_interpreted(30, 0), "{found}");
    }
}

/// What stands between two cuts may have the bytes of a token that is there for whole pieces alone: it is merged, whatever its
/// length, while the same bytes as a piece are that token.
#[test]
fn units_with_the_bytes_of_whole_tokens_are_merged() {
    let mut random = Random::from_seed(16);
    let mut texts = bytes(&mut random);
    let wholes: Vec<Vec<u8>> = [2, 5, 12, 15, 16, 17, 40, 63, 64, 100, 900]
        .map(|length| (0..length).map(|at| b"abbaa"[at * at % 5]).collect())
        .into();
    texts.extend(wholes.iter().map(|token| bytes_to_alphabet(token)));
    let byte = |letter: u8| {
        texts.iter().position(|text| text.chars().eq([BYTE_TO_CHAR[usize::from(letter)]])).unwrap() as TokenId
    };
    let merges = Merges::Pairs(Arc::new(vec![(byte(b'b'), byte(b'a')), (byte(0xC3), byte(0xA9))]));
    texts.extend(["ba".to_owned(), bytes_to_alphabet("é".as_bytes())]);
    let bpe = Bpe::new(&spec(&texts, merges, true)).unwrap();
    let engine = lanes(&bpe).unwrap();
    engine.get_ready();
    for level in Level::all() {
        let mut runner = Runner::new(6 * SMALL, 0).unwrap();
        runner.level = level;
        runner.noted = Noted { all: 1 << 20, to_cut: 1 << 20, alone: [0, 1 << 20][below(&mut random, 2)] };
        for round in 0..or_interpreted(60, 2) {
            let (mut text, mut starts, mut ends) = (Vec::new(), Vec::new(), Vec::new());
            for _ in 0..or_interpreted(40, 4) {
                starts.push(text.len() as u32);
                // Whole tokens as pieces, and some of them in a row with a character between them, or at an end.
                let count = [1, 1, 2, 3, 4, 30][below(&mut random, 6)];
                for at in 0..count {
                    if at > 0 || below(&mut random, 3) == 0 {
                        text.extend_from_slice("é".as_bytes());
                    }
                    text.extend_from_slice(&wholes[below(&mut random, wholes.len())]);
                }
                ends.push(text.len() as u32);
            }
            let pieces = Pieces { text: &text, starts: &starts, ends: &ends };
            let (mut ids, mut expected) = (Vec::new(), Vec::new());
            runner.ids(&engine, pieces, &mut ids, &mut Slowly(&bpe)).unwrap();
            for at in 0..starts.len() {
                expected.extend(Slowly(&bpe).tokenize(pieces.piece(at)));
            }
            assert!(ids == expected, "{} {round}", level.name());
        }
    }
    assert!(matches!(engine.cuts.get(), Some(Some(_))));
}

/// Whoever knew the seed could have all pieces share a line: they push out one another, and their ids stay right.
#[test]
fn pieces_that_share_a_line_are_right() {
    let mut random = Random::from_seed(14);
    let bpe = Bpe::new(&by_concatenation(&mut random)).unwrap();
    let engine = lanes(&bpe).unwrap();
    for level in Level::all() {
        let mut runner = Runner::new(6 * SMALL, 0).unwrap();
        runner.level = level;
        let lines = runner.store.slots.lines();
        let (mut text, mut starts, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        while starts.len() < 40 {
            let piece: Vec<u8> =
                (0..1 + below(&mut random, 14)).map(|_| b"abc\xff"[below(&mut random, 4)]).collect();
            // The first line, or the one beside it.
            if lines.place_of(super::Key::of(&piece).hash(engine.hash_seed)) <= BYTES {
                starts.push(text.len() as u32);
                text.extend_from_slice(&piece);
                ends.push(text.len() as u32);
            }
        }
        let expected: Vec<TokenId> = starts
            .iter()
            .zip(&ends)
            .flat_map(|(&start, &end)| Slowly(&bpe).tokenize(&text[start as usize..end as usize]))
            .collect();
        let pieces = Pieces { text: &text, starts: &starts, ends: &ends };
        for _ in 0..or_interpreted(20, 3) {
            let mut ids = Vec::new();
            runner.ids(&engine, pieces, &mut ids, &mut Slowly(&bpe)).unwrap();
            assert_eq!(ids, expected);
        }
    }
}
