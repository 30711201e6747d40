//! Decoding, with the stretch of the decoded text that each piece stands for.

use std::borrow::Cow;

use super::{Piece, Processor, Segmentation, bytes};
use crate::decode::sentencepiece::byte_of;
use crate::ids::TokenId;
use crate::spec::{PieceKind, SentencePiece};
use crate::text::AlignedText;

const SPACE_SYMBOL: char = '▁';

impl Processor {
    pub(super) fn decode(&self, pieces: Vec<(TokenId, Vec<u8>)>) -> Segmentation {
        let mut out = Surfaces::default();
        let mut spelled: Vec<(TokenId, Vec<u8>, u8)> = Vec::new();
        let (mut at_start, mut stripped) = (true, false);
        for (id, piece) in pieces {
            let known = self.known(id);
            if known.is_some_and(|known| known.kind == PieceKind::Byte)
                && let Some(byte) = std::str::from_utf8(&piece).ok().and_then(byte_of)
            {
                spelled.push((id, piece, byte));
                continue;
            }
            out.bytes(&mut spelled);
            at_start &= !stripped && out.text.is_empty();
            let surface;
            (surface, stripped) = self.surface(known, &piece, at_start);
            let surface = surface.into_owned();
            out.push(id, piece, &surface);
        }
        out.bytes(&mut spelled);
        let mut text = out.text;
        if let Some(denormalization) = &self.denormalization {
            let spelled = bytes::spell(&text);
            let mut aligned = AlignedText::untracked(&spelled);
            // Fails on no text: the map was checked when it was loaded.
            if denormalization.normalize(&mut aligned).is_ok() {
                text = bytes::restore(aligned.as_str()).into_owned().into_bytes();
            }
        }
        Segmentation { text, pieces: out.pieces, score: None }
    }

    /// What a piece that is no byte stands for, and whether that lost its space and is the last that does. `at_start`: no text
    /// is in front of it.
    pub(super) fn surface<'p>(
        &'p self,
        known: Option<&SentencePiece>,
        piece: &'p [u8],
        at_start: bool,
    ) -> (Cow<'p, [u8]>, bool) {
        let kind = known.map_or(PieceKind::Unknown, |known| known.kind);
        let mut stripped = false;
        let surface: Cow<'p, [u8]> = match (kind, std::str::from_utf8(piece)) {
            (PieceKind::Control, _) => Cow::Borrowed(&[]),
            (PieceKind::Unknown, Ok(text)) if known.is_some_and(|known| known.text == text) => {
                self.unk_surface.as_bytes().into()
            }
            (PieceKind::Unknown, _) | (_, Err(_)) => piece.into(),
            (_, Ok(mut text)) => {
                if at_start
                    && (self.normalizer.add_dummy_prefix || self.normalizer.remove_extra_whitespaces)
                    && let Some(rest) = text.strip_prefix(SPACE_SYMBOL)
                {
                    text = rest;
                    stripped = !self.normalizer.remove_extra_whitespaces;
                }
                match text.contains(SPACE_SYMBOL) {
                    true => text.replace(SPACE_SYMBOL, " ").into_bytes().into(),
                    false => text.as_bytes().into(),
                }
            }
        };
        (surface, stripped)
    }
}

/// A decoded text that grows.
#[derive(Default)]
struct Surfaces {
    text: Vec<u8>,
    pieces: Vec<Piece>,
}

impl Surfaces {
    fn push(&mut self, id: TokenId, text: Vec<u8>, surface: &[u8]) {
        let begin = self.text.len();
        self.text.extend_from_slice(surface);
        let surface = Some(surface.to_vec());
        self.pieces.push(Piece { id, text, surface, begin, end: self.text.len() });
    }

    /// Turns bytes into characters, each at its last byte; U+FFFD for every byte that is part of none.
    fn bytes(&mut self, spelled: &mut Vec<(TokenId, Vec<u8>, u8)>) {
        if spelled.is_empty() {
            return;
        }
        let bytes: Vec<u8> = spelled.iter().map(|(_, _, byte)| *byte).collect();
        let mut pieces = spelled.drain(..);
        for chunk in bytes.utf8_chunks() {
            for c in chunk.valid().chars() {
                for (id, text, _) in pieces.by_ref().take(c.len_utf8() - 1) {
                    self.push(id, text, b"");
                }
                pieces
                    .by_ref()
                    .take(1)
                    .for_each(|(id, text, _)| self.push(id, text, c.encode_utf8(&mut [0; 4]).as_bytes()));
            }
            for (id, text, _) in pieces.by_ref().take(chunk.invalid().len()) {
                self.push(id, text, "\u{FFFD}".as_bytes());
            }
        }
    }
}
