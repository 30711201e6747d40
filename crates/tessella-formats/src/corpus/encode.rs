//! Texts to ids where some of the texts may be such that they cannot be encoded.

use tessella_core::{EncodeOptions, Error, ErrorKind, RaggedIds, Result, Tokenizer};

use super::{Skipped, Spot};

/// The ids of texts, and those texts, at most `skips`, that the tokenizer cannot encode: they have a piece that the
/// model does not know, or ask for more than the limits allow.
pub fn encode_most(
    tokenizer: &Tokenizer,
    texts: &[&str],
    spots: &[Spot],
    options: &EncodeOptions<'_>,
    skips: usize,
) -> Result<(RaggedIds, Vec<Skipped>)> {
    match tokenizer.encode_ids_batch(texts, options) {
        Ok(ids) => return Ok((ids, Vec::new())),
        Err(error) if is_of_the_text(&error) => {}
        Err(error) => return Err(error),
    }
    // One of them, at least: each for itself.
    let mut all = RaggedIds { ids: Vec::new(), offsets: vec![0] };
    let mut skipped = Vec::new();
    for (text, &spot) in texts.iter().zip(spots) {
        match tokenizer.encode_ids_batch(std::slice::from_ref(text), options) {
            Ok(found) => {
                all.ids.extend_from_slice(&found.ids);
                all.offsets.push(all.ids.len() as i64);
            }
            Err(error) if is_of_the_text(&error) && skipped.len() < skips => {
                skipped.push(Skipped { spot, reason: error.message().to_string() });
            }
            Err(error) => return Err(error),
        }
    }
    Ok((all, skipped))
}

/// Whether another text may do well: nobody asked to stop, and what raised is not the caller's own.
fn is_of_the_text(error: &Error) -> bool {
    !matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::Memory | ErrorKind::Io | ErrorKind::Custom)
}
