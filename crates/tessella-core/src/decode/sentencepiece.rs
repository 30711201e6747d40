//! SentencePiece's own decoding.

use std::sync::Arc;

use crate::spec::SentencePiece;

#[derive(Debug)]
pub struct SentencePieceDecoder {}

impl SentencePieceDecoder {
    pub fn new(
        _pieces: Arc<Vec<SentencePiece>>,
        _add_dummy_prefix: bool,
        _remove_extra_whitespaces: bool,
        _treat_whitespace_as_suffix: bool,
        _unk_surface: String,
    ) -> Self {
        SentencePieceDecoder {}
    }

    pub fn decode_chain(&self, tokens: Vec<String>) -> Vec<String> {
        tokens
    }
}
