//! Templates: where the sequences and special tokens go.
//!
//! Written as text, a template is pieces separated by single spaces: `[CLS] $A [SEP] $B:1 [SEP]:1`.
//!
//! | piece | means |
//! |---|---|
//! | `$A` `$a` `$` | the first sequence, type 0 |
//! | `$B` `$b` | the second sequence, type 0 |
//! | `$3` | the first sequence, type 3 |
//! | `text` | the special token `text`, type 0 |
//! | any of these and `:2` | the same with type 2 |

use std::collections::HashMap;
use std::sync::Arc;

use crate::encoding::Encoding;
use crate::error::{Error, Result, excerpt};
use crate::ids::TokenId;
use crate::limits;
use crate::spec::{Direction, Template, TemplatePiece, TemplateSpecial};

impl TemplatePiece {
    /// Reads one piece, e.g. `$B:1`.
    pub fn parse(text: &str) -> Result<Self> {
        let fail = || {
            Error::value(format!(
                "Cannot build Piece from string \"{}\": expected `$A`, `$B`, `$` and a number, or a \
                 special token without `:`, each with an optional `:` and type id",
                excerpt(text)
            ))
        };
        let (name, type_id) = match text.split_once(':') {
            None => (text, None),
            Some((name, number)) => (name, Some(number.parse::<u32>().map_err(|_| fail())?)),
        };
        let Some(sequence) = name.strip_prefix('$') else {
            return Ok(TemplatePiece::Special { id: name.to_owned(), type_id: type_id.unwrap_or(0) });
        };
        let (second, own_type) = match sequence {
            "" | "A" | "a" => (false, 0),
            "B" | "b" => (true, 0),
            number => (false, number.parse::<u32>().map_err(|_| fail())?),
        };
        Ok(TemplatePiece::Sequence { second, type_id: type_id.unwrap_or(own_type) })
    }

    /// Reads a whole template, e.g. `[CLS] $A [SEP]`.
    pub fn parse_template(text: &str) -> Result<Vec<Self>> {
        text.split(' ').map(TemplatePiece::parse).collect()
    }

    /// Reads a template given as a list of pieces.
    pub fn parse_list<S: AsRef<str>>(pieces: impl IntoIterator<Item = S>) -> Result<Vec<Self>> {
        pieces.into_iter().map(|piece| TemplatePiece::parse(piece.as_ref())).collect()
    }
}

impl TemplateSpecial {
    /// Fails if there is not one text for each id.
    pub fn new(id: String, ids: Vec<TokenId>, tokens: Vec<String>) -> Result<Self> {
        if ids.len() != tokens.len() {
            return Err(Error::value(format!(
                "SpecialToken: ids and tokens must be of the same length; `{}` has {} ids and {} tokens",
                excerpt(&id),
                ids.len(),
                tokens.len()
            )));
        }
        Ok(TemplateSpecial { id, ids, tokens })
    }

    /// The usual case: the token is its own name.
    pub fn one(token: impl Into<String>, id: TokenId) -> Self {
        let token = token.into();
        TemplateSpecial { id: token.clone(), ids: vec![id], tokens: vec![token] }
    }
}

impl Template {
    /// Checks what someone who writes a template should be told at once: the template for pairs uses both
    /// sequences, and every special token is defined.
    pub fn check(&self) -> Result<()> {
        let uses = |wanted: bool| {
            self.pair
                .iter()
                .any(|piece| matches!(piece, TemplatePiece::Sequence { second, .. } if *second == wanted))
        };
        refuse_if!(!uses(false) || !uses(true), Value, "Template for `pair` must use both sequences");
        self.check_specials()
    }

    fn check_specials(&self) -> Result<()> {
        let mut missing: Vec<&str> = Vec::new();
        for piece in self.single.iter().chain(&self.pair) {
            if let TemplatePiece::Special { id, .. } = piece
                && !missing.contains(&id.as_str())
                && !self.special_tokens.iter().any(|special| special.id == *id)
            {
                missing.push(id);
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        let missing: Vec<String> = missing.into_iter().map(excerpt).collect();
        Err(Error::value(format!("Missing SpecialToken(s) with id(s) `{}`", missing.join(", "))))
    }
}

/// Ids and texts of a special token.
type Expansion = (Arc<[TokenId]>, Arc<[Arc<str>]>);

#[derive(Debug)]
enum Piece {
    Sequence { index: usize, type_id: u32 },
    Special { ids: Arc<[TokenId]>, texts: Arc<[Arc<str>]>, type_id: u32 },
}

impl Piece {
    /// Which sequence it is, if it is one.
    fn sequence(&self) -> Option<usize> {
        match self {
            Piece::Sequence { index, .. } => Some(*index),
            Piece::Special { .. } => None,
        }
    }
}

/// Tokens of an encoding and of its overflow.
fn tokens_of(encoding: &Encoding) -> usize {
    encoding.overflowing.iter().map(Encoding::len).sum::<usize>() + encoding.len()
}

/// Puts the special tokens of pieces in front of an encoding and behind it, and likewise around its windows.
fn put_specials(encoding: &mut Encoding, before: &[Piece], after: &[Piece]) {
    let mut windows = encoding.take_overflowing();
    for part in std::iter::once(&mut *encoding).chain(&mut windows) {
        let sides = before.iter().rev().map(|piece| (piece, Direction::Left));
        for (piece, side) in sides.chain(after.iter().map(|piece| (piece, Direction::Right))) {
            if let Piece::Special { ids, texts, type_id } = piece {
                part.put_specials((ids, texts), *type_id, side);
            }
        }
    }
    encoding.overflowing = windows;
}

fn check_size(pieces: &[Piece], encodings: &[Encoding], add_special: bool) -> Result<()> {
    let tokens = pieces.iter().fold(0usize, |sum, piece| {
        sum.saturating_add(match piece {
            Piece::Special { ids, .. } => ids.len() * usize::from(add_special),
            Piece::Sequence { index, .. } => encodings.get(*index).map_or(0, tokens_of),
        })
    });
    limits::check_tokens(tokens, || format!("a template of {} pieces", pieces.len()))
}

/// A template with its special tokens looked up.
#[derive(Debug)]
pub struct CompiledTemplate {
    single: Vec<Piece>,
    pair: Vec<Piece>,
}

impl CompiledTemplate {
    pub(super) fn new(template: &Template) -> Result<Self> {
        template.check_specials()?;
        let mut specials: HashMap<&str, Expansion> = HashMap::new();
        for special in &template.special_tokens {
            TemplateSpecial::new(special.id.clone(), special.ids.clone(), special.tokens.clone())?;
            let texts = special.tokens.iter().map(|token| Arc::from(token.as_str())).collect();
            specials.insert(&special.id, (special.ids.as_slice().into(), texts));
        }
        let compile = |pieces: &[TemplatePiece]| {
            let piece = |piece: &TemplatePiece| match piece {
                TemplatePiece::Sequence { second, type_id } => {
                    Some(Piece::Sequence { index: usize::from(*second), type_id: *type_id })
                }
                TemplatePiece::Special { id, type_id } => specials.get(id.as_str()).map(|(ids, texts)| {
                    Piece::Special { ids: ids.clone(), texts: texts.clone(), type_id: *type_id }
                }),
            };
            pieces.iter().filter_map(piece).collect()
        };
        Ok(CompiledTemplate { single: compile(&template.single), pair: compile(&template.pair) })
    }

    pub(super) fn added_tokens(&self, is_pair: bool) -> usize {
        let pieces = self.pieces(1 + usize::from(is_pair));
        let added = |piece: &Piece| match piece {
            Piece::Sequence { .. } => 0,
            Piece::Special { ids, .. } => ids.len(),
        };
        pieces.iter().map(added).sum()
    }

    fn pieces(&self, sequences: usize) -> &[Piece] {
        if sequences == 1 { &self.single } else { &self.pair }
    }

    /// Whether each of so many sequences comes once, in order, with special tokens around it.
    pub(super) fn is_around_each(&self, sequences: usize) -> bool {
        self.pieces(sequences).iter().filter_map(Piece::sequence).eq(0..sequences)
    }

    /// What [`apply`](Self::apply) and joining come to where the template [is around each](Self::is_around_each): what stands
    /// between two sequences goes behind the first.
    pub(super) fn put_around(&self, encodings: &mut [Encoding], add_special: bool) -> Result<()> {
        let mut pieces = self.pieces(encodings.len());
        check_size(pieces, encodings, add_special)?;
        for encoding in encodings {
            let at = pieces.iter().position(|piece| piece.sequence().is_some()).unwrap_or(0);
            let (before, rest) = pieces.split_at(at);
            let end = rest.iter().skip(1).position(|piece| piece.sequence().is_some());
            let (after, others) = rest.split_at(end.map_or(rest.len(), |end| end + 1));
            pieces = others;
            if let Some(Piece::Sequence { index, type_id }) = after.first() {
                encoding.set_type_id(*type_id);
                encoding.set_sequence_id(*index);
            }
            if add_special {
                put_specials(encoding, before, after);
            }
        }
        Ok(())
    }

    /// Replaces the sequences by one encoding for each piece.
    pub(super) fn apply(&self, encodings: &mut Vec<Encoding>, add_special: bool) -> Result<()> {
        let pieces = match encodings.len() {
            1 => &self.single,
            2 => &self.pair,
            count => {
                return Err(Error::value(format!(
                    "a template joins one or two encodings, but the post-processor before it left {count}: \
                     put the template last, and only one of them"
                )));
            }
        };
        check_size(pieces, encodings, add_special)?;
        let mut filled = Vec::with_capacity(pieces.len());
        for (at, piece) in pieces.iter().enumerate() {
            match piece {
                Piece::Special { ids, texts, type_id } => {
                    if add_special {
                        filled.push(Encoding::from_specials(ids, texts, *type_id));
                    }
                }
                Piece::Sequence { index, type_id } => {
                    let Some(encoding) = encodings.get_mut(*index) else {
                        return Err(Error::value(
                            "the template for a single sequence uses `$B`, but there is no second sequence; \
                             change the template or give a pair",
                        ));
                    };
                    encoding.set_type_id(*type_id);
                    encoding.set_sequence_id(*index);
                    let needed_again = pieces[at + 1..]
                        .iter()
                        .any(|later| matches!(later, Piece::Sequence { index: other, .. } if other == index));
                    filled.push(if needed_again { encoding.clone() } else { std::mem::take(encoding) });
                }
            }
        }
        *encodings = filled;
        Ok(())
    }
}
