//! What becomes of the matches of a split: the five behaviours.
//!
//! Matches cut a text into segments, by turns a gap and a match. A behaviour decides which segments stay
//! and which neighbours grow together; `invert` makes gaps of matches and matches of gaps first. Empty
//! matches are segments too: no piece comes of them, but they stand between their neighbours.

use std::ops::Range;

use crate::error::Result;
use crate::pattern::Matcher;
use crate::pattern::scan::Borders;
use crate::spec::SplitBehavior;

/// Anything that finds matches: leftmost first, without overlap.
pub(super) trait Matches {
    fn for_each(&self, text: &str, found: &mut impl FnMut(Range<usize>)) -> Result<()>;
}

impl Matches for Matcher {
    #[inline]
    fn for_each(&self, text: &str, found: &mut impl FnMut(Range<usize>)) -> Result<()> {
        Matcher::for_each(self, text, found)
    }
}

/// Which borders of matches, none of them empty, are ends of pieces; `None` where not all of a text is in some piece.
/// The other way to say what [`Joiner`] does.
pub(super) fn borders(behavior: SplitBehavior, invert: bool) -> Option<Borders> {
    let mut borders = Borders::ALL;
    match behavior {
        SplitBehavior::Isolated => {}
        SplitBehavior::Contiguous => borders.between_matches = false,
        SplitBehavior::MergedWithPrevious if invert => borders.behind_match = false,
        SplitBehavior::MergedWithPrevious => borders.before_match = false,
        SplitBehavior::MergedWithNext if invert => borders.before_match = false,
        SplitBehavior::MergedWithNext => borders.behind_match = false,
        SplitBehavior::Removed => return None,
    }
    Some(borders)
}

/// Cuts `text` at `matches` and emits the pieces, in order and none of them empty.
#[inline]
pub(super) fn cut(
    matches: &impl Matches,
    behavior: SplitBehavior,
    invert: bool,
    text: &str,
    emit: &mut impl FnMut(Range<usize>),
) -> Result<()> {
    let mut pieces = |piece: Range<usize>| {
        if piece.start < piece.end {
            emit(piece);
        }
    };
    let mut end = 0;
    match behavior {
        SplitBehavior::Removed if invert => matches.for_each(text, &mut pieces)?,
        SplitBehavior::Isolated | SplitBehavior::Removed => {
            let is_kept = matches!(behavior, SplitBehavior::Isolated);
            matches.for_each(text, &mut |found| {
                pieces(end..found.start);
                end = found.end;
                if is_kept {
                    pieces(found);
                }
            })?;
            pieces(end..text.len());
        }
        _ => return joined(matches, behavior, invert, text, &mut pieces),
    }
    Ok(())
}

/// The parts of a text as users see them who split a string: empty matches are parts too.
pub fn parts(matcher: &Matcher, behavior: SplitBehavior, text: &str) -> Result<Vec<Range<usize>>> {
    let mut parts = Vec::new();
    let mut emit = |part| parts.push(part);
    match behavior {
        SplitBehavior::Removed => cut(matcher, behavior, false, text, &mut emit)?,
        _ => joined(matcher, behavior, false, text, &mut emit)?,
    }
    Ok(parts)
}

/// [`cut`] for the behaviours that join segments, and empty ones are pieces here. They are rare: one copy of the code serves all who cut.
#[inline(never)]
fn joined(
    matches: &impl Matches,
    behavior: SplitBehavior,
    invert: bool,
    text: &str,
    emit: &mut dyn FnMut(Range<usize>),
) -> Result<()> {
    let mut joiner = Joiner { behavior, last: None };
    let mut end = 0;
    matches.for_each(text, &mut |found| {
        if end < found.start {
            joiner.segment(end..found.start, invert, emit);
        }
        end = found.end;
        joiner.segment(found, !invert, emit);
    })?;
    if end < text.len() {
        joiner.segment(end..text.len(), invert, emit);
    }
    if let Some((last, _)) = joiner.last {
        emit(last);
    }
    Ok(())
}

/// The behaviours that join segments, one segment at a time.
struct Joiner {
    behavior: SplitBehavior,
    /// What may still grow, and whether the segment that came last was a match.
    last: Option<(Range<usize>, bool)>,
}

impl Joiner {
    #[inline]
    fn segment(&mut self, segment: Range<usize>, is_match: bool, emit: &mut dyn FnMut(Range<usize>)) {
        let Some((last, was_match)) = self.last.take() else {
            self.last = Some((segment, is_match));
            return;
        };
        let joins = match self.behavior {
            // Neighbours of the same kind.
            SplitBehavior::Contiguous => is_match == was_match,
            // The first match of a run joins what stands before it.
            SplitBehavior::MergedWithPrevious => is_match && !was_match,
            // The last match of a run joins what comes after it.
            SplitBehavior::MergedWithNext => was_match && !is_match,
            SplitBehavior::Isolated | SplitBehavior::Removed => false,
        };
        let next = if joins {
            last.start..segment.end
        } else {
            emit(last);
            segment
        };
        self.last = Some((next, is_match));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(pattern: &str, behavior: SplitBehavior, invert: bool, text: &str) -> Vec<String> {
        let mut out = Vec::new();
        let matcher = Matcher::literal(pattern);
        cut(&matcher, behavior, invert, text, &mut |range| out.push(text[range].to_string())).unwrap();
        out
    }

    #[test]
    fn five_behaviours() {
        use SplitBehavior::*;
        let text = "the-final--countdown-";
        for (behavior, expected) in [
            (Removed, "the final countdown"),
            (Isolated, "the - final - - countdown -"),
            (MergedWithPrevious, "the- final- - countdown-"),
            (MergedWithNext, "the -final - -countdown -"),
            (Contiguous, "the - final -- countdown -"),
        ] {
            assert_eq!(pieces("-", behavior, false, text).join(" "), expected, "{behavior:?}");
        }
        assert_eq!(pieces("-", Removed, true, text).join(" "), "- - - -");
    }

    #[test]
    fn an_empty_pattern_cuts_everywhere() {
        assert_eq!(pieces("", SplitBehavior::Isolated, false, "aé b"), ["a", "é", " ", "b"]);
        assert!(pieces("", SplitBehavior::Removed, true, "aé b").is_empty());
    }

    #[test]
    fn no_piece_is_lost_or_doubled_unless_removed() {
        use SplitBehavior::*;
        for text in ["", "-", "--", "a-", "-a", "a--b-c", "---a"] {
            for behavior in [Isolated, MergedWithPrevious, MergedWithNext, Contiguous] {
                for invert in [false, true] {
                    assert_eq!(pieces("-", behavior, invert, text).concat(), text);
                    assert_eq!(pieces("", behavior, invert, text).concat(), text);
                }
            }
        }
    }
}
