//! SentencePiece models by SentencePiece's own rules.
//!
//! The model gets a whole normalized sentence. From the bottom up: [`pieces`] says what each piece is and
//! finds ids; [`unigram`] and [`bpe`] cut a sentence into pieces (words and characters are cut here), stretch by
//! stretch where [`joints`] shows that no piece reaches from one to the next, so that [`memo`] can keep what a stretch
//! became (for Unigram as long as [`margins`] say that it would become the same again);
//! [`sums`] is the same for units that go by the hundred. [`Tokens`] makes tokens of the cuts: unknown neighbours are one token, or, with byte fallback, every
//! unknown piece is spelled in bytes. Of these bytes the last one covers the piece and the others nothing.
//!
//! What differs from the Unigram and BPE models of the reference library: scores are 32-bit and rounded at
//! every step, BPE merges by the score of the result, user-defined symbols are found first, bytes stand for
//! one unknown piece and not for a run of them.

use std::sync::Arc;
use std::time::Duration;

use crate::cancel::Cancel;
use crate::error::{Error, ErrorKind, Result};
use crate::ids::{PieceToken, TokenId};
use crate::lanes::{ByRank, Spelled, SpelledParts};
use crate::model::derivation::{Derivation, Edge, MOST_SYMBOLS, different};
use crate::model::length::check_length;
use crate::model::unigram::viterbi::char_width;
use crate::random::Random;
use crate::spec::{SentencePiece, SentencePieceKind, SentencePieceSpec};

mod added;
mod bpe;
mod joints;
mod margins;
mod memo;
mod pieces;
mod sums;
mod unigram;

use bpe::ScoredMerges;
pub(crate) use memo::Memo;
use pieces::PieceTable;
pub(crate) use pieces::Pieces;
pub(crate) use sums::{Progress, Settled, SumScratch, Sums};
use unigram::ScoredPieces;

const SPACE_SYMBOL: &str = "▁";
/// More segmentations than this are never listed, or drawn from.
const MOST_NBEST: usize = 1024;
const MOST_SAMPLED: i32 = 512;

/// A compiled SentencePiece model.
#[derive(Debug)]
pub struct SentencePieceModel {
    pieces: PieceTable,
    algorithm: Algorithm,
}

#[derive(Debug)]
enum Algorithm {
    Unigram(ScoredPieces),
    Bpe(Box<ScoredMerges>),
    Word,
    Char,
}

impl SentencePieceModel {
    /// Compiles a description.
    pub fn new(spec: &SentencePieceSpec) -> Result<Self> {
        Self::of(spec, Self::pieces(spec)?)
    }

    /// The first half of it: the pieces, with all that is wrong in a description. Of those that are not too many for any table
    /// [`of`](Self::of) makes a model without an error.
    pub(crate) fn pieces(spec: &SentencePieceSpec) -> Result<Arc<Pieces>> {
        let pieces = Pieces::new(Arc::clone(&spec.pieces), spec.byte_fallback)?;
        if spec.kind == SentencePieceKind::Unigram && pieces.ordinary_pieces().next().is_none() {
            return Err(Error::model("the model has no piece to segment with: it needs one of kind normal"));
        }
        Ok(Arc::new(pieces))
    }

    /// The second half: all that segmentation needs.
    pub(crate) fn of(spec: &SentencePieceSpec, pieces: Arc<Pieces>) -> Result<Self> {
        let pieces = PieceTable::new(pieces)?;
        let algorithm = match spec.kind {
            SentencePieceKind::Unigram => Algorithm::Unigram(ScoredPieces::new(&pieces, spec.wide_sums)),
            SentencePieceKind::Bpe => Algorithm::Bpe(Box::new(ScoredMerges::new(&pieces)?)),
            SentencePieceKind::Word => Algorithm::Word,
            SentencePieceKind::Char => Algorithm::Char,
        };
        Ok(SentencePieceModel { pieces, algorithm })
    }

    /// Whether [`tokenize_with`](Self::tokenize_with) makes use of a memo.
    pub(crate) fn remembers_parts(&self) -> bool {
        match &self.algorithm {
            Algorithm::Unigram(model) => model.joints.is_some(),
            Algorithm::Bpe(model) => model.joints.is_some(),
            Algorithm::Word | Algorithm::Char => false,
        }
    }

    /// The tables that take many units of a text at once, in which the first of two characters stands for the second,
    /// or why this model has none.
    pub(crate) fn spelled(&self, read: (u8, char)) -> std::result::Result<Spelled, &'static str> {
        let Algorithm::Bpe(model) = &self.algorithm else {
            return Err("the model does not merge");
        };
        if model.joints.is_none() {
            return Err("unused pieces or user-defined symbols look at the whole text");
        }
        let only_char = |text: &str| text.chars().next().filter(|c| c.len_utf8() == text.len());
        let pieces = self.pieces.ordinary_pieces();
        let bytes = self.pieces.byte_ids().ok_or("unknown neighbours become one token")?;
        let merges = model.merges().ok_or("characters that are no pieces merge")?;
        Spelled::new(SpelledParts {
            merges: ByRank::new(merges.len(), merges.into_iter()),
            characters: pieces.filter_map(|(id, piece)| Some((only_char(&piece.text)?, id))).collect(),
            bytes: *bytes,
            read,
            text: &|id| self.piece(id).map_or("", |piece| piece.text.as_str()),
        })
    }

    /// Appends the tokens of a normalized sentence.
    pub fn tokenize(&self, normalized: &str, cancel: &Cancel, out: &mut Vec<PieceToken>) -> Result<()> {
        self.tokenize_with(normalized, cancel, None, out)
    }

    /// The same with a memo, which is of this model alone.
    pub(crate) fn tokenize_with(
        &self,
        normalized: &str,
        cancel: &Cancel,
        memo: Option<&mut Memo>,
        out: &mut Vec<PieceToken>,
    ) -> Result<()> {
        check_length(normalized)?;
        let mut tokens = Tokens::new(&self.pieces, normalized, out);
        match &self.algorithm {
            Algorithm::Unigram(model) => {
                model.segment(normalized, &self.pieces, cancel, memo, |start, end, id| {
                    tokens.push(start, end, id);
                })?
            }
            Algorithm::Bpe(model) => {
                model.segment(normalized, &self.pieces, None, cancel, memo, |start, end, id| {
                    tokens.push(start, end, id);
                })?
            }
            Algorithm::Word => {
                let mut start = 0;
                let ends = normalized.match_indices(SPACE_SYMBOL).map(|(at, _)| at).chain([normalized.len()]);
                for end in ends.filter(|&end| end > 0) {
                    tokens.push(start, end, self.pieces.id_in_text(&normalized[start..end]));
                    start = end;
                }
            }
            Algorithm::Char => {
                let bytes = normalized.as_bytes();
                let mut start = 0;
                while start < bytes.len() {
                    let symbol = self.pieces.symbol_at(&bytes[start..]);
                    let end = start + symbol.unwrap_or_else(|| char_width(bytes[start]));
                    tokens.push(start, end, self.pieces.id_in_text(&normalized[start..end]));
                    start = end;
                }
            }
        }
        Ok(())
    }

    /// How a normalized sentence comes to its tokens.
    pub fn derive(&self, normalized: &str, n_best: usize) -> Result<Derivation> {
        Ok(match &self.algorithm {
            Algorithm::Bpe(model) => model.derive(normalized, &self.pieces),
            Algorithm::Unigram(_) if normalized.chars().nth(MOST_SYMBOLS).is_some() => Derivation::Plain,
            Algorithm::Unigram(model) => {
                let edges = model.edges(normalized, &self.pieces).into_iter();
                let edges =
                    edges.map(|(start, end, id, score)| Edge { start, end, id, score: f64::from(score) });
                let paths = different(n_best.max(1), |n| self.nbest(normalized, n, None))?;
                Derivation::Lattice { edges: edges.collect(), paths }
            }
            Algorithm::Word | Algorithm::Char => Derivation::Plain,
        })
    }

    /// The `n` best segmentations with their scores, the best first. Only Unigram models have them; at most
    /// 1024 are given. A list of one has the score 0, as SentencePiece gives it. A search that is not done
    /// within `time`, or grows too large, gives the best segmentation alone.
    pub fn nbest(
        &self,
        normalized: &str,
        n: usize,
        time: Option<Duration>,
    ) -> Result<Vec<(Vec<PieceToken>, f32)>> {
        let Algorithm::Unigram(model) = &self.algorithm else {
            return Err(Error::unsupported(
                "n-best lists need a Unigram model: a SentencePiece model of another type has one segmentation",
            ));
        };
        check_length(normalized)?;
        let n = n.clamp(1, MOST_NBEST);
        if n == 1 || normalized.is_empty() {
            let mut tokens = Vec::new();
            self.tokenize(normalized, &Cancel::never(), &mut tokens)?;
            return Ok(vec![(tokens, 0.0)]);
        }
        let lattice = model.lattice(normalized, &self.pieces);
        let lists = lattice.n_best(n, unigram::AGENDA.within(time)).into_iter();
        Ok(lists.map(|(path, score)| (self.tokens_of(normalized, path), score)).collect())
    }

    /// Appends a random segmentation.
    ///
    /// Unigram: among the `nbest_size` best, 0 and 1 meaning the best, a negative number all of them, with
    /// probability proportional to `exp(alpha * score)`. BPE: every merge is skipped with probability
    /// `alpha`. Other models have one segmentation only, which is an error here.
    pub fn sample(
        &self,
        normalized: &str,
        nbest_size: i32,
        alpha: f32,
        time: Option<Duration>,
        random: &mut Random,
        out: &mut Vec<PieceToken>,
    ) -> Result<()> {
        if nbest_size > MOST_SAMPLED {
            return Err(Error::value(format!(
                "nbest_size is {nbest_size}: it must be at most {MOST_SAMPLED}, or negative for all"
            )));
        }
        check_length(normalized)?;
        match &self.algorithm {
            Algorithm::Unigram(_) if nbest_size == 0 || nbest_size == 1 || normalized.is_empty() => {
                self.tokenize(normalized, &Cancel::never(), out)
            }
            Algorithm::Unigram(model) => {
                let lattice = model.lattice(normalized, &self.pieces);
                let path = match usize::try_from(nbest_size) {
                    Ok(n) => lattice.sample_n_best(n, unigram::AGENDA.within(time), alpha as f64, random),
                    Err(_) => lattice.sample(alpha as f64, random),
                };
                out.extend(self.tokens_of(normalized, path.unwrap_or_default()));
                Ok(())
            }
            Algorithm::Bpe(model) => {
                let mut tokens = Tokens::new(&self.pieces, normalized, out);
                let dropout = Some((alpha as f64, random));
                model.segment(normalized, &self.pieces, dropout, &Cancel::never(), None, |start, end, id| {
                    tokens.push(start, end, id);
                })
            }
            Algorithm::Word | Algorithm::Char => Err(Error::new(
                ErrorKind::Unsupported,
                "sampling needs a Unigram or BPE model: word and character models have one segmentation",
            )),
        }
    }

    fn tokens_of(&self, normalized: &str, path: Vec<(usize, usize, u32)>) -> Vec<PieceToken> {
        let mut out = Vec::with_capacity(path.len());
        let mut tokens = Tokens::new(&self.pieces, normalized, &mut out);
        path.into_iter().for_each(|(start, end, id)| tokens.push(start, end, id));
        out
    }

    /// The piece's id; control, unknown and byte pieces first if a text is both.
    pub fn token_to_id(&self, token: &str) -> Option<TokenId> {
        self.pieces.id(token)
    }

    /// The text of an id.
    pub fn id_to_token(&self, id: TokenId) -> Option<&str> {
        self.piece(id).map(|piece| piece.text.as_str())
    }

    /// Text, score and kind of a piece.
    pub fn piece(&self, id: TokenId) -> Option<&SentencePiece> {
        self.pieces.all().get(id as usize)
    }

    /// How many pieces there are.
    pub(crate) fn size(&self) -> usize {
        self.pieces.all().len()
    }

    /// The id of the one piece of kind [`crate::spec::PieceKind::Unknown`].
    pub fn unk_id(&self) -> TokenId {
        self.pieces.unk_id()
    }
}

/// Makes tokens of a sentence's cuts, in order.
struct Tokens<'a> {
    pieces: &'a PieceTable,
    normalized: &'a [u8],
    after_unknown: bool,
    out: &'a mut Vec<PieceToken>,
}

impl<'a> Tokens<'a> {
    fn new(pieces: &'a PieceTable, normalized: &'a str, out: &'a mut Vec<PieceToken>) -> Self {
        Tokens { pieces, normalized: normalized.as_bytes(), after_unknown: false, out }
    }

    #[inline]
    fn push(&mut self, start: usize, end: usize, id: TokenId) {
        if id != self.pieces.unk_id() {
            self.after_unknown = false;
            self.out.push(PieceToken::new(id, start, end));
            return;
        }
        if let Some(byte_ids) = self.pieces.byte_ids() {
            for at in start..end {
                let covered = if at + 1 == end { end } else { start };
                self.out.push(PieceToken::new(byte_ids[self.normalized[at] as usize], start, covered));
            }
            return;
        }
        match self.out.last_mut() {
            Some(last) if self.after_unknown => last.end = end as u32,
            _ => self.out.push(PieceToken { surface: true, ..PieceToken::new(id, start, end) }),
        }
        self.after_unknown = true;
    }
}

#[cfg(test)]
mod tests;
