//! The Unigram model: the segmentation with the highest sum of log-probabilities.
//!
//! From the bottom up: the trie finds the pieces that start at a position, [`viterbi`] the best way through
//! them in one pass, [`lattice`] the n best ways or a random one. This file knows what becomes of the path:
//! neighbouring unknown characters are one token, spelled in byte tokens if the vocabulary has all of them.
//!
//! Scores are 64-bit. An unknown character costs ten more than the worst piece, and is offered only where no
//! piece covers exactly that character.
//!
//! Encoding fails only if the text has an unknown character and the model no unknown token.

use std::cell::RefCell;
use std::sync::Arc;

use crate::error::{Error, ErrorKind, Result};
use crate::ids::{PieceToken, TokenId};
use crate::limits;
use crate::model::derivation::{Derivation, Edge, MOST_SYMBOLS, different};
use crate::model::length::check_length;
use crate::random::Random;
use crate::spec::UnigramSpec;
use crate::trie::Trie;

pub(crate) mod alone;
pub(crate) mod apart;
pub(crate) mod arrivals;
pub(crate) mod lattice;
mod strangers;
pub(crate) mod together;
pub(crate) mod viterbi;

use lattice::{Agenda, Lattice, PathEdge};
use strangers::Letters;
use viterbi::{NoPath, SHORT, Scoring, Window, best_path, best_short_path};

/// Bytes between two questions whether the caller still wants the result.
const CHECK_EVERY: usize = 1 << 18;
/// How much more an unknown character costs than the worst piece.
const UNKNOWN_PENALTY: f64 = 10.0;
/// The reference library lets its agenda outgrow this before it shrinks it.
const AGENDA: Agenda = Agenda::unbounded(100_001);

thread_local! {
    static WINDOW: RefCell<Window<f64>> = RefCell::default();
}

/// A compiled Unigram model.
#[derive(Debug)]
pub struct Unigram {
    vocab: Arc<Vec<(String, f64)>>,
    trie: Trie,
    scores: Scores,
    letters: Letters,
    unk_id: Option<TokenId>,
    /// The id of the empty piece, which no trie holds.
    empty_id: Option<TokenId>,
    /// Ids of `<0x00>` to `<0xFF>`, if the model falls back to bytes.
    byte_ids: Option<Box<[Option<TokenId>; 256]>>,
    alpha: Option<f64>,
    nbest_size: Option<usize>,
}

#[derive(Debug)]
struct Scores {
    of_id: Vec<f64>,
    unknown: f64,
}

impl Scoring for Scores {
    type Score = f64;

    #[inline]
    fn with_piece(&self, id: u32, _bytes: usize, before: f64) -> Option<f64> {
        Some(self.of_id[id as usize] + before)
    }

    #[inline]
    fn with_unknown(&self, before: f64) -> f64 {
        self.unknown + before
    }
}

impl Unigram {
    pub fn new(spec: &UnigramSpec) -> Result<Self> {
        let vocab = Arc::clone(&spec.vocab);
        if let Some(unk_id) = spec.unk_id {
            if vocab.is_empty() {
                return Err(Error::model("The vocabulary is empty but at least <unk> is needed"));
            }
            if unk_id >= vocab.len() {
                return Err(Error::model("The `unk_id` is larger than vocabulary size"));
            }
        }
        let keys = vocab.iter().enumerate().map(|(id, (text, _))| (text.as_bytes(), id as u32)).collect();
        let trie = Trie::build(keys)?;
        let mut lowest = f64::INFINITY;
        for (_, score) in vocab.iter() {
            if *score < lowest {
                lowest = *score;
            }
        }
        let byte_ids = spec
            .byte_fallback
            .then(|| Box::new(std::array::from_fn(|byte| trie.get(format!("<0x{byte:02X}>").as_bytes()))));
        Ok(Unigram {
            scores: Scores {
                of_id: vocab.iter().map(|(_, score)| *score).collect(),
                unknown: lowest - UNKNOWN_PENALTY,
            },
            letters: Letters::of(vocab.iter().map(|(text, _)| text.as_str())),
            unk_id: spec.unk_id.map(|id| id as TokenId),
            empty_id: vocab.iter().rposition(|(text, _)| text.is_empty()).map(|id| id as TokenId),
            byte_ids,
            alpha: spec.alpha,
            nbest_size: spec.nbest_size,
            trie,
            vocab,
        })
    }

    /// Appends the tokens of one piece: the best segmentation, or a random one if the model samples.
    pub fn tokenize(&self, piece: &str, random: &mut Random, out: &mut Vec<PieceToken>) -> Result<()> {
        match self.alpha {
            Some(alpha) if !self.is_deterministic() => self.sample(piece, alpha, random, out),
            _ => self.tokenize_best(piece, out),
        }
    }

    fn tokenize_best(&self, piece: &str, out: &mut Vec<PieceToken>) -> Result<()> {
        check_length(piece)?;
        let mut writer = Writer { model: self, piece, run: None, failed: false, out };
        let (mut at, mut sum, mut unchecked) = (0, 0.0, CHECK_EVERY);
        while at < piece.len() {
            if at > unchecked {
                limits::check()?;
                unchecked = at + CHECK_EVERY;
            }
            let (strangers, count) = self.letters.strangers(&piece[at..]);
            if count > 0 {
                writer.edge(at, at + strangers, self.unk_id.ok_or_else(missing_unk)?);
                sum = (0..count).fold(sum, |sum, _| self.scores.with_unknown(sum));
                at += strangers;
            }
            let stretch = &piece[at..][..self.letters.known(&piece[at..])];
            if !stretch.is_empty() {
                sum = self.search(stretch, sum, |start, end, id| writer.edge(at + start, at + end, id))?;
                at += stretch.len();
            }
        }
        writer.finish()
    }

    /// Hands out the best way through a text, behind others that came to `sum`, and returns what they come to with it.
    fn search(&self, text: &str, sum: f64, edge: impl FnMut(usize, usize, TokenId)) -> Result<f64> {
        let (trie, scores) = (&self.trie, &self.scores);
        let found = if text.len() <= SHORT {
            best_short_path(text, trie, scores, self.unk_id, sum, edge)
        } else {
            WINDOW.with_borrow_mut(|window| best_path(text, trie, scores, self.unk_id, sum, window, edge))
        };
        found.map_err(|reason| match reason {
            NoPath::NoUnknown => missing_unk(),
            NoPath::Stopped(error) => error,
        })
    }

    fn sample(&self, piece: &str, alpha: f64, random: &mut Random, out: &mut Vec<PieceToken>) -> Result<()> {
        let lattice = self.lattice(piece)?;
        if lattice.is_empty() {
            return Ok(());
        }
        let path = match self.nbest_size {
            Some(n) if n > 0 => lattice.sample_n_best(n, AGENDA, alpha, random),
            _ => lattice.sample(alpha, random),
        };
        self.write_path(piece, &path.unwrap_or_default(), out)
    }

    /// The `n` best segmentations of a piece with their scores, the best first.
    pub fn nbest(&self, piece: &str, n: usize) -> Result<Vec<(Vec<PieceToken>, f64)>> {
        let lattice = self.lattice(piece)?;
        let mut results = Vec::new();
        for (path, score) in lattice.n_best(n, AGENDA) {
            let mut tokens = Vec::with_capacity(path.len());
            self.write_path(piece, &path, &mut tokens)?;
            results.push((tokens, score));
        }
        Ok(results)
    }

    /// All tokens that fit into a piece, and its best segmentations.
    pub fn derive(&self, piece: &str, n_best: usize) -> Result<Derivation> {
        if piece.chars().nth(MOST_SYMBOLS).is_some() {
            return Ok(Derivation::Plain);
        }
        let edges = self.edges(piece)?.into_iter();
        let edges = edges.map(|(start, end, id, score)| Edge { start, end, id, score }).collect();
        let paths = different(n_best, |n| self.nbest(piece, n))?;
        Ok(Derivation::Lattice { edges, paths })
    }

    fn lattice(&self, piece: &str) -> Result<Lattice<f64>> {
        Ok(Lattice::new(piece.len(), self.edges(piece)?))
    }

    fn edges(&self, piece: &str) -> Result<Vec<(usize, usize, TokenId, f64)>> {
        check_length(piece)?;
        let bytes = piece.as_bytes();
        let mut edges = Vec::new();
        for (start, c) in piece.char_indices() {
            let mut covered = false;
            self.trie.prefixes(&bytes[start..], |length, id| {
                edges.push((start, start + length, id, self.scores.of_id[id as usize]));
                covered |= length == c.len_utf8();
            });
            if !covered {
                let unk_id = self.unk_id.ok_or_else(missing_unk)?;
                edges.push((start, start + c.len_utf8(), unk_id, self.scores.unknown));
            }
        }
        Ok(edges)
    }

    fn write_path(&self, piece: &str, path: &[PathEdge], out: &mut Vec<PieceToken>) -> Result<()> {
        let mut writer = Writer { model: self, piece, run: None, failed: false, out };
        for &(start, end, id) in path {
            writer.edge(start, end, id);
        }
        writer.finish()
    }

    /// Whether equal pieces always give equal tokens.
    pub fn is_deterministic(&self) -> bool {
        self.alpha.is_none_or(|alpha| alpha == 0.0)
    }

    /// Entries of the vocabulary.
    pub fn size(&self) -> usize {
        self.vocab.len()
    }

    pub fn token_to_id(&self, token: &str) -> Option<TokenId> {
        if token.is_empty() { self.empty_id } else { self.trie.get(token.as_bytes()) }
    }

    pub fn id_to_token(&self, id: TokenId) -> Option<&str> {
        self.vocab.get(id as usize).map(|(text, _)| text.as_str())
    }
}

/// Turns the edges of a path into tokens; unknown neighbours become one run.
struct Writer<'a> {
    model: &'a Unigram,
    piece: &'a str,
    run: Option<(usize, usize)>,
    /// An unknown run met a model without an unknown token.
    failed: bool,
    out: &'a mut Vec<PieceToken>,
}

impl Writer<'_> {
    #[inline]
    fn edge(&mut self, start: usize, end: usize, id: TokenId) {
        if Some(id) == self.model.unk_id {
            self.run = Some((self.run.map_or(start, |(first, _)| first), end));
            return;
        }
        if self.run.is_some() {
            self.end_run();
        }
        self.out.push(PieceToken::new(id, start, end));
    }

    /// The run's own text may be a piece (that of the unknown token itself, or one that scored worse than
    /// its characters apart); then bytes, if the vocabulary has all of them; else it is unknown.
    fn end_run(&mut self) {
        let Some((start, end)) = self.run.take() else { return };
        let text = &self.piece.as_bytes()[start..end];
        if let Some(id) = self.model.trie.get(text) {
            self.out.push(PieceToken::new(id, start, end));
            return;
        }
        if let Some(byte_ids) = &self.model.byte_ids {
            let first = self.out.len();
            for &byte in text {
                let Some(id) = byte_ids[byte as usize] else { break };
                self.out.push(PieceToken::new(id, start, end));
            }
            if self.out.len() - first == text.len() {
                return;
            }
            self.out.truncate(first);
        }
        match self.model.unk_id {
            Some(id) => self.out.push(PieceToken { surface: true, ..PieceToken::new(id, start, end) }),
            None => self.failed = true,
        }
    }

    fn finish(mut self) -> Result<()> {
        self.end_run();
        if self.failed { Err(missing_unk()) } else { Ok(()) }
    }
}

fn missing_unk() -> Error {
    Error::new(ErrorKind::Encode, "Encountered an unknown token but `unk_id` is missing")
}

#[cfg(test)]
mod tests;
