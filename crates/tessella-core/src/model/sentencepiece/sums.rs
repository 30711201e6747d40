//! A Unigram model for the units of a text, which go by the hundred: what a unit becomes, as numbers, and when it does.
//!
//! A unit becomes the same pieces wherever the sum in front of it is near enough to zero ([`margins`](super::margins)).
//! That goes with its pieces into one list of numbers of 24 bits: the ids, and behind them a *seal* with two things, how
//! far from zero the sum may be and by how much the unit moves it. Both are rounded to the safe side. Unknown characters
//! in a row, which become one token, are one number that tells how many there are.
//!
//! Here are the tables. [`seal`] makes the numbers of a unit, and [`settle`] makes tokens of those of a text.

mod seal;
mod settle;

use super::added::{SEAL, Scores};
use super::margins::Margins;
use super::unigram::ScoredPieces;
use super::{Algorithm, SentencePieceModel};
use crate::ids::TokenId;
use crate::lanes::{Boundaries, Lengths, Strangers};
use crate::model::unigram::alone::Arrivals;
use crate::model::unigram::together::{Steps, Together, Unit};
use crate::model::unigram::viterbi::Window;
use crate::spec::{PieceKind, SentencePiece};
use crate::trie::Trie;
use crate::unicode::CharTable;

pub(crate) use settle::{Progress, Settled};

/// Parts of one that sums are bounded in.
const STEPS: f32 = 16.0;
/// Longer units are not solved on their own.
const LONGEST_SOLVED: usize = 1 << 12;

/// The model's part in it, shared by all workers.
#[derive(Debug)]
pub(crate) struct Sums {
    pub boundaries: Boundaries,
    /// What each piece adds to a sum; less than anything for one that may not be used, and for what is none, which is
    /// the last.
    worth: Vec<f32>,
    /// Pieces.
    size: u32,
    /// The largest of them, without its sign.
    most_worth: f64,
    pub(crate) unk: TokenId,
    /// What a mark is written as, and the mark.
    blank: u8,
    mark: char,
    /// Characters of pieces.
    known: CharTable<bool>,
    /// How unknown characters are written, and whether the model knows one.
    pub(crate) strangers: Option<Strangers>,
    /// For units that are keys; `None` if those are solved as others are.
    steps: Option<Steps>,
    /// Bytes of a text, with blanks for marks, that each piece stands for, and none for what is unknown; `None` where
    /// that cannot be told.
    pub(crate) lengths: Option<Lengths>,
}

/// Buffers of one worker.
#[derive(Debug, Default)]
pub(crate) struct SumScratch {
    margins: Margins,
    arrivals: Arrivals,
    window: Window<f32>,
    ids: Vec<TokenId>,
    together: Box<Together>,
    units: Vec<Unit>,
    numbers: Vec<u32>,
}

impl SentencePieceModel {
    /// Whether a Unigram model is at work.
    pub(crate) fn sums_scores(&self) -> bool {
        self.unigram().is_some()
    }

    /// For texts in which `read.0` stands for `read.1`; an error says why the model goes another way.
    pub(crate) fn sums(&self, read: (u8, char)) -> std::result::Result<Sums, &'static str> {
        let Algorithm::Unigram(model) = &self.algorithm else {
            return Err("the model does not sum scores");
        };
        if model.joints.is_none() || self.pieces.byte_ids().is_some() {
            return Err(
                "scores are not finite, sums are of 64 bits, or unknown characters are spelled in bytes",
            );
        }
        if self.size() + LONGEST_SOLVED >= SEAL as usize {
            return Err("the vocabulary is too large");
        }
        let (from, to) = read;
        let written = |c: char| if c == to { from as char } else { c };
        let mut known = CharTable::new(false);
        let mut pairs = Vec::new();
        for (_, piece) in self.pieces.ordinary_pieces() {
            let mut left = None;
            for c in piece.text.chars().map(written) {
                known.insert(c, true);
                pairs.extend(left.replace(c).map(|left| (left, c)));
            }
        }
        let mut strange = (1..0x80u8).filter(|&byte| byte != from && !known.get(byte.into()));
        let strangers = strange.next().zip(strange.next());
        let strangers = strangers.map(|(usual, last)| Strangers { usual, last });
        if let Some(Strangers { usual, last }) = strangers {
            pairs.extend([usual, last].map(|right| (usual.into(), right.into())));
        }
        let lengths =
            self.pieces.ordinary_pieces().try_fold(vec![0; self.size()], |mut lengths, (id, piece)| {
                let marks = piece.text.matches(to).count();
                let bytes = piece.text.len() - marks * (to.len_utf8() - 1);
                lengths[id as usize] = u16::try_from(bytes).ok()?;
                Some(lengths)
            });
        let worth = |(id, piece): (u32, &SentencePiece)| match piece.kind {
            PieceKind::Unused => f32::NEG_INFINITY,
            _ => model.worth(id, piece.text.len()),
        };
        let worth: Vec<f32> = (0..).zip(self.pieces.all()).map(worth).collect();
        let finite = worth.iter().map(|worth| f64::from(worth.abs())).filter(|worth| worth.is_finite());
        let most_worth = finite.fold(0.0, f64::max);
        let of_id = |id: TokenId| f64::from(worth[id as usize]);
        let steps = self.steps(read, of_id)?;
        Ok(Sums {
            most_worth,
            boundaries: Boundaries::new(pairs.into_iter())
                .ok_or("too many characters are neighbours in pieces")?,
            worth,
            size: self.size() as u32,
            unk: self.unk_id(),
            blank: from,
            mark: to,
            known,
            strangers,
            steps,
            lengths: lengths.map(Lengths::from),
        })
    }

    /// For units in which `read.0` stands for `read.1`, by what pieces add to a sum.
    fn steps(
        &self,
        (blank, mark): (u8, char),
        worth: impl Fn(TokenId) -> f64,
    ) -> std::result::Result<Option<Steps>, &'static str> {
        let unknown = (self.unk_id(), worth(self.unk_id()));
        let blank = char::from(blank);
        let is_plain = |text: &str| !text.contains(blank) && !text.chars().skip(1).any(|c| c == mark);
        if !self.pieces.has_unused && self.pieces.ordinary_pieces().all(|(_, piece)| is_plain(&piece.text)) {
            let mark = mark.encode_utf8(&mut [0; 4]).to_owned();
            return Ok(Steps::new(self.pieces.ordinary(), worth, unknown, &mark));
        }
        let used = self.pieces.ordinary_pieces().filter(|(_, piece)| piece.kind != PieceKind::Unused);
        // No text has such a blank as it is.
        let used = used.filter(|(_, piece)| !piece.text.contains(blank));
        let mut written = [0; 4];
        let blank = &*blank.encode_utf8(&mut written);
        let keys: Vec<(String, u32)> =
            used.map(|(id, piece)| (piece.text.replace(mark, blank), id)).collect();
        let trie = Trie::build(keys.iter().map(|(key, id)| (key.as_bytes(), *id)).collect());
        Ok(Steps::new(&trie.map_err(|_| "the vocabulary is too large")?, worth, unknown, blank))
    }

    fn unigram(&self) -> Option<&ScoredPieces> {
        match &self.algorithm {
            Algorithm::Unigram(model) => Some(model),
            _ => None,
        }
    }
}

impl Sums {
    pub(crate) fn knows(&self, c: char) -> bool {
        self.known.get(c)
    }

    /// Numbers from the size of the vocabulary on are runs of unknown characters.
    #[inline(always)]
    fn is_unknown(&self, number: u32) -> bool {
        number == self.unk || number >= self.size
    }

    /// Characters that such a number stands for.
    #[inline(always)]
    fn unknown_characters(&self, number: u32) -> u32 {
        if number == self.unk { 1 } else { number - self.size }
    }

    /// What numbers add to a sum.
    fn scores(&self) -> Scores<'_> {
        Scores { worth: &self.worth, size: self.size, most: self.most_worth as f32, unk: self.unk }
    }
}
