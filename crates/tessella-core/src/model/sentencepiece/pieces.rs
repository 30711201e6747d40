//! What each piece of a SentencePiece model is, and which text has which id.

use std::collections::HashMap;
use std::sync::Arc;

use crate::error::{Error, Result, excerpt};
use crate::ids::TokenId;
use crate::spec::{PieceKind, SentencePiece};
use crate::trie::Trie;

/// The pieces of a model, checked to fit together.
#[derive(Debug)]
pub(super) struct PieceTable {
    all: Arc<Vec<SentencePiece>>,
    /// Normal, user-defined and unused pieces: those that segmentation works with.
    ordinary: Trie,
    /// Control, unknown and byte pieces. A text may be here and above; by name, this one is found.
    reserved: HashMap<String, TokenId>,
    /// User-defined symbols, if there are any.
    symbols: Option<Trie>,
    unk_id: TokenId,
    byte_ids: Option<Box<[TokenId; 256]>>,
    pub(super) has_unused: bool,
}

/// Whether segmentation works with pieces of this kind.
fn is_ordinary(kind: PieceKind) -> bool {
    matches!(kind, PieceKind::Normal | PieceKind::UserDefined | PieceKind::Unused)
}

impl PieceTable {
    pub(super) fn new(all: Arc<Vec<SentencePiece>>, byte_fallback: bool) -> Result<Self> {
        let mut reserved = HashMap::new();
        let mut ordinary = Vec::new();
        let mut symbols = Vec::new();
        let mut unk_id = None;
        for (id, piece) in all.iter().enumerate() {
            let id = id as TokenId;
            refuse_if!(piece.text.is_empty(), Model, "piece {id} is empty: every piece must have a text");
            if piece.score.is_nan() {
                refuse!(Model, "the score of piece {id} `{}` is not a number", excerpt(&piece.text));
            }
            if is_ordinary(piece.kind) {
                ordinary.push((piece.text.as_bytes(), id));
                if piece.kind == PieceKind::UserDefined {
                    symbols.push((piece.text.as_bytes(), id));
                }
                continue;
            }
            if let Some(other) = reserved.insert(piece.text.clone(), id) {
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
        check_distinct(&ordinary)?;
        Ok(PieceTable {
            ordinary: Trie::build(ordinary)?,
            symbols: if symbols.is_empty() { None } else { Some(Trie::build(symbols)?) },
            has_unused: all.iter().any(|piece| piece.kind == PieceKind::Unused),
            all,
            reserved,
            unk_id,
            byte_ids,
        })
    }

    pub(super) fn all(&self) -> &[SentencePiece] {
        &self.all
    }

    pub(super) fn unk_id(&self) -> TokenId {
        self.unk_id
    }

    /// Ids of all 256 byte pieces, if the model falls back to bytes.
    pub(super) fn byte_ids(&self) -> Option<&[TokenId; 256]> {
        self.byte_ids.as_deref()
    }

    pub(super) fn has_symbols(&self) -> bool {
        self.symbols.is_some()
    }

    /// The pieces that segmentation works with.
    pub(super) fn ordinary(&self) -> &Trie {
        &self.ordinary
    }

    /// The same as a list of `(id, piece)`.
    pub(super) fn ordinary_pieces(&self) -> impl Iterator<Item = (TokenId, &SentencePiece)> {
        self.all
            .iter()
            .enumerate()
            .filter(|(_, piece)| is_ordinary(piece.kind))
            .map(|(id, piece)| (id as TokenId, piece))
    }

    pub(super) fn id(&self, text: &str) -> Option<TokenId> {
        self.reserved.get(text).copied().or_else(|| self.ordinary.get(text.as_bytes()))
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

fn defined_twice(text: &str, first: TokenId, second: TokenId) -> Error {
    Error::model(format!(
        "piece `{}` is already defined: ids {first} and {second} have the same text",
        excerpt(text)
    ))
}

fn check_distinct(pieces: &[(&[u8], TokenId)]) -> Result<()> {
    let mut sorted = pieces.to_vec();
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
