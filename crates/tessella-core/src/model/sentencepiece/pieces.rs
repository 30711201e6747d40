//! What each piece of a SentencePiece model is, and which text has which id.
//!
//! [`Pieces`] is what is checked and looked up as soon as there is a model; [`PieceTable`] has besides what segmentation walks
//! along, which takes several times as long to make.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;

use crate::error::{Error, Result, excerpt};
use crate::ids::TokenId;
use crate::spec::{PieceKind, SentencePiece};
use crate::trie::Trie;
use crate::vocab::{Joined, Lead, Vocab};

/// The pieces of a model, checked to fit together, and found by their texts.
#[derive(Debug)]
pub(crate) struct Pieces {
    all: Arc<Vec<SentencePiece>>,
    /// A text may be a control, unknown or byte piece and another one besides; by name, the former is found.
    names: Vocab,
    /// Whether any text is.
    pub(crate) shares_names: bool,
    unk_id: TokenId,
    byte_ids: Option<Box<[TokenId; 256]>>,
    pub(crate) has_unused: bool,
}

/// The same for segmentation.
#[derive(Debug)]
pub(super) struct PieceTable {
    pieces: Arc<Pieces>,
    /// Normal, user-defined and unused pieces: those that segmentation works with.
    ordinary: Trie,
    /// User-defined symbols, if there are any.
    symbols: Option<Trie>,
}

/// Whether segmentation works with pieces of this kind.
fn is_ordinary(kind: PieceKind) -> bool {
    matches!(kind, PieceKind::Normal | PieceKind::UserDefined | PieceKind::Unused)
}

impl Pieces {
    pub(crate) fn new(all: Arc<Vec<SentencePiece>>, byte_fallback: bool) -> Result<Self> {
        let mut reserved = HashMap::new();
        let mut unk_id = None;
        for (id, piece) in all.iter().enumerate() {
            let id = id as TokenId;
            refuse_if!(piece.text.is_empty(), Model, "piece {id} is empty: every piece must have a text");
            if piece.score.is_nan() {
                refuse!(Model, "the score of piece {id} `{}` is not a number", excerpt(&piece.text));
            }
            if is_ordinary(piece.kind) {
                continue;
            }
            if let Some(other) = reserved.insert(piece.text.as_str(), id) {
                return Err(defined_twice(&piece.text, other, id));
            }
            if piece.kind == PieceKind::Unknown
                && let Some(other) = unk_id.replace(id)
            {
                refuse!(Model, "pieces {other} and {id} are both of kind unknown: there must be exactly one");
            }
            if piece.kind == PieceKind::Byte && !byte_fallback {
                return Err(Error::model(format!(
                    "piece {id} `{}` is a byte piece, but the model's byte_fallback is false",
                    excerpt(&piece.text)
                )));
            }
        }
        let unk_id =
            unk_id.ok_or_else(|| Error::model("no piece is of kind unknown: there must be exactly one"))?;
        let byte_ids = if byte_fallback { Some(byte_ids(&all)?) } else { None };
        let names = names(&all)?;
        let shares_names = names.len() < all.len();
        if shares_names {
            check_distinct(&all)?;
        }
        let has_unused = all.iter().any(|piece| piece.kind == PieceKind::Unused);
        Ok(Pieces { all, names, shares_names, unk_id, byte_ids, has_unused })
    }

    pub(crate) fn all(&self) -> &[SentencePiece] {
        &self.all
    }

    pub(crate) fn unk_id(&self) -> TokenId {
        self.unk_id
    }

    /// Ids of all 256 byte pieces, if the model falls back to bytes.
    pub(super) fn byte_ids(&self) -> Option<&[TokenId; 256]> {
        self.byte_ids.as_deref()
    }

    /// The pieces that segmentation works with, as a list of `(id, piece)`.
    pub(super) fn ordinary_pieces(&self) -> impl Iterator<Item = (TokenId, &SentencePiece)> {
        of_kinds(&self.all, is_ordinary)
    }

    pub(crate) fn id(&self, text: &str) -> Option<TokenId> {
        self.names.id(text)
    }

    /// The ids of many texts that `text` gives by their number, in order, each with its own if there is one.
    pub(crate) fn ids<'t>(
        &self,
        count: usize,
        text: impl Fn(usize) -> &'t str,
        mut found: impl FnMut(Option<TokenId>),
    ) {
        let size = self.all.len();
        self.names.ids_of(
            count,
            |number| Lead::alone(text(number).as_bytes()),
            |id| found(Some(id).filter(|&id| (id as usize) < size)),
        );
    }

    /// Bytes of all texts together.
    pub(crate) fn size(&self) -> usize {
        self.all.iter().map(|piece| piece.text.len()).sum()
    }
}

impl Deref for PieceTable {
    type Target = Pieces;

    fn deref(&self) -> &Pieces {
        &self.pieces
    }
}

impl PieceTable {
    pub(super) fn new(pieces: Arc<Pieces>) -> Result<Self> {
        let tree = |is_wanted: fn(PieceKind) -> bool| {
            let wanted = of_kinds(&pieces.all, is_wanted);
            let keys: Vec<(&[u8], TokenId)> = wanted.map(|(id, piece)| (piece.text.as_bytes(), id)).collect();
            (!keys.is_empty()).then(|| Trie::build(keys)).transpose()
        };
        let ordinary = match tree(is_ordinary)? {
            Some(ordinary) => ordinary,
            None => Trie::build(Vec::new())?,
        };
        let symbols = tree(|kind| kind == PieceKind::UserDefined)?;
        Ok(PieceTable { ordinary, symbols, pieces })
    }

    /// The ids of many texts that `text` gives by their number, in order, each `None` if no piece that segmentation works with has it.
    pub(super) fn ordinary_ids<'t>(
        &self,
        count: usize,
        text: impl Fn(usize) -> &'t str,
        mut found: impl FnMut(Option<TokenId>),
    ) {
        let mut number = 0;
        self.ids(count, &text, |id| {
            found(match id {
                Some(id) if is_ordinary(self.all[id as usize].kind) => Some(id),
                // By name another piece is found, which may have hidden one.
                Some(_) => self.ordinary.get(text(number).as_bytes()),
                None => None,
            });
            number += 1;
        });
    }

    pub(super) fn has_symbols(&self) -> bool {
        self.symbols.is_some()
    }

    /// The pieces that segmentation works with.
    pub(super) fn ordinary(&self) -> &Trie {
        &self.ordinary
    }

    /// The id of a stretch of text. A text that spells a control, byte or unused piece is
    /// unknown: these are never made from text.
    pub(super) fn id_in_text(&self, text: &str) -> TokenId {
        match self.ordinary.get(text.as_bytes()) {
            Some(id) if self.all[id as usize].kind != PieceKind::Unused => id,
            _ => self.unk_id,
        }
    }

    /// Bytes of the longest user-defined symbol that the text starts with.
    #[inline]
    pub(super) fn symbol_at(&self, text: &[u8]) -> Option<usize> {
        self.symbols.as_ref()?.longest_prefix(text).map(|(length, _)| length)
    }
}

/// Pieces of some kinds with their ids.
fn of_kinds(
    all: &[SentencePiece],
    is_wanted: impl Fn(PieceKind) -> bool,
) -> impl Iterator<Item = (TokenId, &SentencePiece)> {
    let numbered = all.iter().enumerate().map(|(id, piece)| (id as TokenId, piece));
    numbered.filter(move |(_, piece)| is_wanted(piece.kind))
}

/// The ids of all texts. Of two pieces with one text the one that is found by it comes last.
fn names(all: &[SentencePiece]) -> Result<Vocab> {
    let mut names = Joined::with_capacity(all.len(), all.iter().map(|piece| piece.text.len()).sum());
    for (id, piece) in of_kinds(all, is_ordinary).chain(of_kinds(all, |kind| !is_ordinary(kind))) {
        names.push(&piece.text, id);
    }
    Vocab::from_joined(names)
}

fn defined_twice(text: &str, first: TokenId, second: TokenId) -> Error {
    Error::model(format!(
        "piece `{}` is already defined: ids {first} and {second} have the same text",
        excerpt(text)
    ))
}

/// Fails if segmentation works with two pieces of one text.
fn check_distinct(all: &[SentencePiece]) -> Result<()> {
    let pieces = of_kinds(all, is_ordinary).map(|(id, piece)| (piece.text.as_bytes(), id));
    let mut sorted: Vec<(&[u8], TokenId)> = pieces.collect();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => Err(defined_twice(&String::from_utf8_lossy(pair[0].0), pair[0].1, pair[1].1)),
        None => Ok(()),
    }
}

fn byte_ids(all: &[SentencePiece]) -> Result<Box<[TokenId; 256]>> {
    let names: HashMap<String, usize> = (0..256).map(|byte| (format!("<0x{byte:02X}>"), byte)).collect();
    let mut ids = Box::new([TokenId::MAX; 256]);
    for (id, piece) in all.iter().enumerate().filter(|(_, piece)| piece.kind == PieceKind::Byte) {
        match names.get(&piece.text) {
            Some(&byte) => ids[byte] = id as TokenId,
            None => {
                return Err(Error::model(format!(
                    "byte piece {id} is `{}`: byte pieces are `<0x00>` to `<0xFF>`",
                    excerpt(&piece.text)
                )));
            }
        }
    }
    match ids.iter().position(|&id| id == TokenId::MAX) {
        Some(byte) => Err(Error::model(format!(
            "the model's byte_fallback is true, but `<0x{byte:02X}>` is missing: all 256 byte pieces are needed"
        ))),
        None => Ok(ids),
    }
}
