//! A user's own normalizer, and the text that it is handed.
//!
//! It gets a [`NormalizedString`]: the text as it came in, what it reads now, and the map between them.
//! The map inside counts from the start of that text, tracked whether or not the caller wants offsets, so
//! that a component sees the same either way. Afterwards the caller's own map is put in front of it.

use std::sync::Arc;

use crate::error::Result;
use crate::hooks::CustomNormalizer;
use crate::ids::Span;
use crate::text::{AlignedText, Alignment, NormalizedString};

/// Runs `normalize` on a text whose map counts from its own start, then restores the way to the original.
pub(super) fn in_own_coordinates<'a>(
    text: &mut AlignedText<'a>,
    normalize: impl FnOnce(&Arc<str>, &mut AlignedText<'static>) -> Result<()>,
) -> Result<()> {
    let source: Arc<str> = Arc::from(text.as_str());
    let mut local = AlignedText::from_parts(source.to_string(), Alignment::identity(0, source.len()));
    normalize(&source, &mut local)?;
    let (result, local_map) = local.into_parts();
    let mut map = text.map().like();
    if map.is_tracked() {
        let outer = text.map();
        let (mut inner_hint, mut outer_hint) = (0, 0);
        for (at, c) in result.char_indices() {
            let Span { start, end } = local_map.char_span_from(&result, at, &mut inner_hint);
            // A component may hand back a string of its own making: its spans mean nothing here.
            let (start, end) = (start.min(source.len()), end.min(source.len()));
            let span = outer.span_from(&source, start, end, &mut outer_hint);
            let is_own = local_map.is_own(at, &mut inner_hint) && outer.is_own(start, &mut outer_hint);
            map.push_char_for(c.len_utf8(), span, is_own);
        }
    }
    *text = AlignedText::from_parts(result, map);
    Ok(())
}

/// Hands `text` to the component. `source` is what the map of `text` counts in.
pub(super) fn normalize(
    component: &dyn CustomNormalizer,
    source: &Arc<str>,
    text: &mut AlignedText<'static>,
) -> Result<()> {
    let (now, map) = std::mem::replace(text, AlignedText::untracked("")).into_parts();
    let range = Span::new(0, source.len());
    let mut string = NormalizedString::from_parts(source.clone(), range, now.into_owned(), map);
    component.normalize(&mut string)?;
    let (now, map) = string.into_text();
    *text = AlignedText::from_parts(now, map);
    Ok(())
}
