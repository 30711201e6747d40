//! Making encodings equally long.

use crate::encoding::{Encoding, Filler};
use crate::error::{Error, Result};
use crate::spec::Padding;

/// Pads encodings (and their overflow) to one length: the fixed one or that of the longest, rounded up to
/// the multiple asked for. Longer ones stay as they are.
pub fn pad(encodings: &mut [Encoding], padding: &Padding) -> Result<()> {
    let longest = || encodings.iter().map(Encoding::len).max().unwrap_or(0);
    let length = padding.fixed_length.unwrap_or_else(longest);
    let length = match padding.pad_to_multiple_of {
        Some(multiple) if multiple > 0 => length.checked_next_multiple_of(multiple).ok_or_else(|| {
            Error::value(format!("cannot pad {length} tokens to a multiple of {multiple}: too large"))
        })?,
        _ => length,
    };
    let filler =
        Filler { id: padding.pad_id, type_id: padding.pad_type_id, text: padding.pad_token.as_str().into() };
    for encoding in encodings {
        encoding.fill(length, &filler, padding.direction)?;
    }
    Ok(())
}
