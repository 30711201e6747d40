//! SentencePiece's own decoding.
//!
//! Each token becomes its surface: control tokens nothing, the unknown token a fixed text, byte tokens the
//! characters that they spell (at the last byte of each; U+FFFD for every byte that spells none), texts that
//! are no piece themselves, and all others their text with spaces for `▁`.
//!
//! At the start of the text the space of the dummy prefix goes: one `▁` of the first token that has any
//! text, or one of each token until then if the model removes extra spaces.

use std::collections::HashMap;
use std::sync::Arc;

use crate::error::Result;
use crate::limits;
use crate::spec::{PieceKind, SentencePiece, Vocab};

const SPACE_SYMBOL: char = '▁';

/// A compiled SentencePiece decoder.
#[derive(Debug)]
pub struct SentencePieceDecoder {
    /// Pieces that do not decode as their text.
    special: HashMap<String, Special>,
    /// All the others.
    ordinary: Vocab,
    strips_start: bool,
    strips_until_text: bool,
    unk_surface: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Special {
    Control,
    Unknown,
    Byte(u8),
}

/// What one token comes to, or several that are bytes.
enum Part<'p> {
    Text(String),
    Bytes(&'p [u8]),
}

impl SentencePieceDecoder {
    /// `treat_whitespace_as_suffix` changes nothing here: SentencePiece strips the start, and only the start,
    /// in that mode too.
    pub fn new(
        pieces: Arc<Vec<SentencePiece>>,
        add_dummy_prefix: bool,
        remove_extra_whitespaces: bool,
        _treat_whitespace_as_suffix: bool,
        unk_surface: String,
    ) -> Self {
        let mut special = HashMap::new();
        for piece in pieces.iter() {
            let kind = match piece.kind {
                PieceKind::Control => Special::Control,
                PieceKind::Unknown => Special::Unknown,
                PieceKind::Byte => match byte_of(&piece.text) {
                    Some(byte) => Special::Byte(byte),
                    None => continue,
                },
                PieceKind::Normal | PieceKind::UserDefined | PieceKind::Unused => continue,
            };
            special.insert(piece.text.clone(), kind);
        }
        let ordinary = pieces
            .iter()
            .filter(|piece| !matches!(piece.kind, PieceKind::Control | PieceKind::Unknown | PieceKind::Byte))
            .enumerate()
            .map(|(index, piece)| (piece.text.as_str(), index as u32));
        SentencePieceDecoder {
            special,
            // Fails only beyond 2^28 pieces or 4 GiB of text, which no model file can hold.
            ordinary: Vocab::from_entries(ordinary).unwrap_or_default(),
            strips_start: add_dummy_prefix || remove_extra_whitespaces,
            strips_until_text: remove_extra_whitespaces,
            unk_surface,
        }
    }

    /// One text per token; joined they are the result.
    pub fn decode_chain(&self, tokens: Vec<String>) -> Result<Vec<String>> {
        let mut surfaces = Vec::with_capacity(tokens.len());
        self.each(tokens, |part| match part {
            Part::Text(text) => surfaces.push(text),
            Part::Bytes(bytes) => spell(bytes, &mut surfaces),
        })?;
        Ok(surfaces)
    }

    /// The same with the bytes that byte tokens stand for, whatever they spell.
    pub(super) fn decode_bytes(&self, tokens: Vec<String>) -> Result<Vec<u8>> {
        let mut joined = Vec::new();
        self.each(tokens, |part| match part {
            Part::Text(text) => joined.extend_from_slice(text.as_bytes()),
            Part::Bytes(bytes) => joined.extend_from_slice(bytes),
        })?;
        Ok(joined)
    }

    /// Hands over the text of each token, and of byte tokens in a row their bytes.
    fn each(&self, tokens: Vec<String>, mut take: impl FnMut(Part<'_>)) -> Result<()> {
        let mut bytes = Vec::new();
        let mut at_start = true;
        let mut has_text = false;
        let mut stripped = false;
        // A model says what unknown tokens become, in as many bytes as it likes.
        let mut unknown = 0usize;
        for token in tokens {
            let special = self.special.get(&token);
            if let Some(Special::Byte(byte)) = special {
                bytes.push(*byte);
                continue;
            }
            has_text |= !bytes.is_empty();
            take(Part::Bytes(&bytes));
            bytes.clear();
            at_start &= !(stripped || has_text);
            stripped = false;
            if let Some(Special::Unknown) = special {
                unknown = unknown.saturating_add(self.unk_surface.len());
                limits::check_growth(unknown, || "the surface of unknown tokens".to_string())?;
            }
            let surface = match token.strip_prefix(SPACE_SYMBOL) {
                Some(rest)
                    if at_start
                        && self.strips_start
                        && special.is_none()
                        && self.ordinary.id(&token).is_some() =>
                {
                    stripped = !self.strips_until_text;
                    rest.replace(SPACE_SYMBOL, " ")
                }
                _ => self.surface(&token),
            };
            has_text |= !surface.is_empty();
            take(Part::Text(surface));
        }
        take(Part::Bytes(&bytes));
        Ok(())
    }

    /// The byte that a byte token stands for.
    pub(super) fn byte(&self, token: &str) -> Option<u8> {
        match self.special.get(token) {
            Some(Special::Byte(byte)) => Some(*byte),
            _ => None,
        }
    }

    /// The text of a token that is no byte token, anywhere but at the start.
    pub(super) fn surface(&self, token: &str) -> String {
        match self.special.get(token) {
            Some(Special::Control) => String::new(),
            Some(_) => self.unk_surface.clone(),
            None if self.ordinary.id(token).is_none() => token.to_owned(),
            None => token.replace(SPACE_SYMBOL, " "),
        }
    }
}

/// The byte that `<0x41>` stands for.
pub(crate) fn byte_of(text: &str) -> Option<u8> {
    let digits = text.strip_prefix("<0x")?.strip_suffix('>')?;
    let upper = digits.len() == 2 && digits.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'A'..=b'F'));
    upper.then(|| u8::from_str_radix(digits, 16).ok()).flatten()
}

/// Appends one text per byte: a character at its last byte, nothing at the others.
pub(super) fn spell(bytes: &[u8], out: &mut Vec<String>) {
    let mut at = 0;
    while at < bytes.len() {
        let window = &bytes[at..(at + 4).min(bytes.len())];
        let character = match std::str::from_utf8(window) {
            Ok(text) => text.chars().next(),
            Err(error) => {
                std::str::from_utf8(&window[..error.valid_up_to()]).ok().and_then(|text| text.chars().next())
            }
        };
        match character {
            Some(c) => {
                out.extend(std::iter::repeat_n(String::new(), c.len_utf8() - 1));
                out.push(c.to_string());
                at += c.len_utf8();
            }
            None => {
                out.push(char::REPLACEMENT_CHARACTER.to_string());
                at += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoder(add_dummy_prefix: bool, remove_extra_whitespaces: bool) -> SentencePieceDecoder {
        let kinds = [
            ("<unk>", PieceKind::Unknown),
            ("<s>", PieceKind::Control),
            ("▁a", PieceKind::Normal),
            ("▁", PieceKind::Normal),
            ("b", PieceKind::UserDefined),
        ];
        let mut pieces: Vec<SentencePiece> =
            kinds.map(|(text, kind)| SentencePiece { text: text.into(), score: 0.0, kind }).into();
        pieces.extend((0..=255u8).map(|byte| SentencePiece {
            text: format!("<0x{byte:02X}>"),
            score: 0.0,
            kind: PieceKind::Byte,
        }));
        SentencePieceDecoder::new(
            Arc::new(pieces),
            add_dummy_prefix,
            remove_extra_whitespaces,
            false,
            " ⁇ ".into(),
        )
    }

    fn decode(decoder: &SentencePieceDecoder, tokens: &[&str]) -> Vec<String> {
        decoder.decode_chain(tokens.iter().map(|token| token.to_string()).collect()).unwrap()
    }

    #[test]
    fn the_space_at_the_start() {
        let tokens = ["<s>", "▁", "▁a", "▁a"];
        assert_eq!(decode(&decoder(true, true), &tokens).concat(), "a a");
        assert_eq!(decode(&decoder(true, false), &tokens).concat(), " a a");
        assert_eq!(decode(&decoder(false, false), &tokens).concat(), "  a a");
    }

    #[test]
    fn unknown_and_bytes() {
        let decoder = decoder(true, true);
        assert_eq!(decode(&decoder, &["<unk>", "▁x", "b"]), [" ⁇ ", "▁x", "b"]);
        let bytes = ["<0xC3>", "<0xA9>", "<0xC3>", "b", "<0xF0>", "<0x41>"];
        assert_eq!(decode(&decoder, &bytes), ["", "é", "\u{FFFD}", "b", "\u{FFFD}", "A"]);
        let raw = decoder.decode_bytes(bytes.map(String::from).into()).unwrap();
        assert_eq!(raw, b"\xC3\xA9\xC3b\xF0A");
    }
}
