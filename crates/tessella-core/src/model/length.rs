//! How long a piece may be that a model takes at once.

use crate::error::{Error, ErrorKind, Result};

/// Bytes of a piece at most: positions inside of it are 32-bit. Tests have a limit that they can reach.
pub(crate) const LONGEST_PIECE: usize = if cfg!(test) { 1 << 24 } else { u32::MAX as usize - 1 };

/// Refuses a piece that is too long for one call of a model.
pub(crate) fn check_length(piece: &str) -> Result<()> {
    if piece.len() > LONGEST_PIECE {
        return Err(Error::new(
            ErrorKind::Encode,
            format!(
                "a piece of {} bytes is too long for one model call, which takes {LONGEST_PIECE}; cut the text",
                piece.len()
            ),
        ));
    }
    Ok(())
}
