//! SentencePiece model files.

use tessella_core::{Error, Result, TokenizerSpec};

/// Reads a serialized model.
pub fn read_model(_bytes: &[u8]) -> Result<TokenizerSpec> {
    Err(Error::unsupported("SentencePiece models are not part of this build"))
}

/// Writes a serialized model.
pub fn write_model(_spec: &TokenizerSpec) -> Result<Vec<u8>> {
    Err(Error::unsupported("SentencePiece models are not part of this build"))
}
