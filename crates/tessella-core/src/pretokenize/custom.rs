//! A user's own pre-tokenizer: strings out, strings back, with their way to the original.

use std::sync::Arc;

use crate::error::{Error, ErrorKind, Result, excerpt};
use crate::hooks::CustomPreTokenizer;
use crate::text::{Alignment, NormalizedString, Piece, Pieces};

pub(super) fn pre_tokenize(hook: &dyn CustomPreTokenizer, pieces: &mut Pieces<'_>) -> Result<()> {
    let tracked = pieces.map().is_tracked();
    let source: Arc<str> = match pieces.original() {
        Some(original) if tracked => Arc::from(original),
        None if tracked => {
            return Err(Error::new(
                ErrorKind::Custom,
                "a custom pre-tokenizer needs the original text of its pieces: set it with Pieces::set_original",
            ));
        }
        // Nothing leads back: the text as it is now stands in for the original.
        _ => Arc::from(pieces.buffer()),
    };
    let texts: Vec<_> = pieces.pieces().iter().filter(|piece| piece.is_text()).collect();
    let expected = texts.len();
    let strings = texts.into_iter().map(|piece| string_of(pieces, piece, &source)).collect();
    let cut = hook.pre_tokenize(strings)?;
    if cut.len() != expected {
        return Err(Error::new(
            ErrorKind::Custom,
            format!(
                "the custom pre-tokenizer got {expected} pieces and returned {} lists of pieces; expected one \
                 list for each",
                cut.len()
            ),
        ));
    }
    gather(pieces, cut, &source)
}

/// One piece as a string of its own.
fn string_of(pieces: &Pieces<'_>, piece: &Piece, source: &Arc<str>) -> NormalizedString {
    let text = pieces.str(piece).to_string();
    if !pieces.map().is_tracked() {
        let map = Alignment::identity(piece.start, text.len());
        return NormalizedString::from_parts(
            Arc::clone(source),
            crate::Span::new(piece.start, piece.end),
            text,
            map,
        );
    }
    let mut map = Alignment::new();
    map.append(pieces.map(), piece.start, piece.end);
    NormalizedString::from_parts(Arc::clone(source), pieces.span(piece), text, map)
}

/// Puts the returned strings, in order, into a buffer of their own.
fn gather(pieces: &mut Pieces<'_>, cut: Vec<Vec<NormalizedString>>, source: &Arc<str>) -> Result<()> {
    let mut buffer = String::with_capacity(pieces.buffer().len());
    let mut map = pieces.map().like();
    let mut next = Vec::with_capacity(pieces.pieces().len());
    let mut lists = cut.into_iter();
    for piece in pieces.pieces() {
        let start = buffer.len();
        if let Some(id) = piece.added_id() {
            buffer.push_str(pieces.str(piece));
            map.append(pieces.map(), piece.start, piece.end);
            next.push(Piece::added(start, buffer.len(), id));
            continue;
        }
        for string in lists.next().into_iter().flatten() {
            let text = string.normalized();
            if text.is_empty() {
                continue;
            }
            if map.is_tracked() {
                check_spans(&string, source)?;
                map.append(string.map(), 0, text.len());
            }
            let start = buffer.len();
            buffer.push_str(text);
            next.push(Piece::text(start, buffer.len()));
        }
    }
    let original = pieces.original();
    *pieces = Pieces::from_parts(buffer, map, next);
    if let Some(original) = original {
        pieces.set_original(original);
    }
    Ok(())
}

/// A string that was not cut from the given ones may point anywhere; offsets must stay inside the text.
fn check_spans(string: &NormalizedString, source: &str) -> Result<()> {
    let (text, map) = (string.normalized(), string.map());
    let mut hint = 0;
    let inside = map.len() == text.len()
        && text.char_indices().all(|(at, _)| {
            let span = map.char_span_from(text, at, &mut hint);
            span.start <= span.end && source.is_char_boundary(span.start) && source.is_char_boundary(span.end)
        });
    if inside {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Custom,
        format!(
            "the custom pre-tokenizer returned \"{}\", whose positions lie outside of the text of {} bytes; \
             return slices of the strings that were passed in",
            excerpt(text),
            source.len()
        ),
    ))
}
