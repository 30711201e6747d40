//! The slow tokenizer: every rule as it would be told to a person, on plain strings.
//!
//! No cache, no automaton, no cutting of long pieces, no raw bytes, no alignment. Patterns run on their dialect's
//! own engine. It reads the same descriptions as the real one and gives ids.

mod added;
mod models;
mod normalize;
mod pretokenize;

use std::cell::RefCell;
use std::rc::Rc;

use tessella_core::pattern::Matcher;
use tessella_core::spec::*;
use tessella_core::{ErrorKind, TokenId};

pub use models::encode_piece;

/// Why there are no ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// A pattern's engine gave up or refuses the pattern: nothing can be compared.
    NoAnswer,
    /// The model cannot encode the text.
    Refused,
}

pub type Outcome<T> = Result<T, Failure>;

/// A part of a text on its way to the model.
#[derive(Debug, Clone)]
enum Part {
    /// A text, and where it starts.
    Text(String, usize),
    Added(TokenId),
}

/// The ids of a text. `added` are the added tokens with their ids, in their order.
pub fn encode(
    spec: &TokenizerSpec,
    added: &[AddedToken],
    text: &str,
    add_special_tokens: bool,
    specials_as_text: bool,
) -> Outcome<Vec<TokenId>> {
    let mut parts = Vec::new();
    for part in added::split(added, false, text, specials_as_text, |content| Ok(content.to_string()))? {
        match part {
            Part::Added(id) => parts.push(Part::Added(id)),
            Part::Text(text, start) => {
                let normalize = |text: &str| match &spec.normalizer {
                    Some(normalizer) => normalize::normalize(normalizer, text),
                    None => Ok(text.to_string()),
                };
                for part in added::split(added, true, &normalize(&text)?, specials_as_text, normalize)? {
                    parts.push(match part {
                        Part::Text(text, inside) => Part::Text(text, start + inside),
                        added => added,
                    });
                }
            }
        }
    }
    let mut ids = Vec::new();
    for part in parts {
        match part {
            Part::Added(id) => ids.push(id),
            Part::Text(text, start) => {
                let at_start = spec.normalizer.is_none().then_some(start == 0);
                let mut pieces = vec![pretokenize::Piece { text, at_start }];
                if let Some(pre_tokenizer) = &spec.pre_tokenizer {
                    pieces = pretokenize::pre_tokenize(pre_tokenizer, pieces)?;
                }
                for piece in pieces {
                    ids.extend(models::encode_piece(&spec.model, &piece.text)?);
                }
            }
        }
    }
    match &spec.post_processor {
        Some(PostProcessorSpec::Template(template)) => Ok(around(template, &ids, add_special_tokens)),
        _ => Ok(ids),
    }
}

fn around(template: &Template, ids: &[TokenId], add_special_tokens: bool) -> Vec<TokenId> {
    let mut out = Vec::new();
    for piece in &template.single {
        match piece {
            TemplatePiece::Sequence { .. } => out.extend_from_slice(ids),
            TemplatePiece::Special { .. } if !add_special_tokens => {}
            TemplatePiece::Special { id, .. } => {
                let special = template.special_tokens.iter().find(|special| special.id == *id);
                out.extend(special.into_iter().flat_map(|special| special.ids.iter().copied()));
            }
        }
    }
    out
}

/// All matches, by the dialect's own engine.
fn matches(pattern: &Pattern, text: &str) -> Outcome<Vec<(usize, usize)>> {
    let regex = match pattern {
        Pattern::Literal(literal) => {
            Pattern::Regex { source: regex::escape(literal), dialect: Dialect::Fancy }
        }
        regex => regex.clone(),
    };
    // Compiling takes longer than running, and most patterns come for every piece.
    thread_local! {
        static KNOWN: RefCell<Vec<(Pattern, Rc<Matcher>)>> = const { RefCell::new(Vec::new()) };
    }
    let known = KNOWN.with_borrow(|known| {
        known.iter().find(|(pattern, _)| *pattern == regex).map(|(_, matcher)| matcher.clone())
    });
    let matcher = match known {
        Some(matcher) => matcher,
        None => {
            let matcher = Rc::new(Matcher::exact(&regex).map_err(|_| Failure::NoAnswer)?);
            KNOWN.with_borrow_mut(|known| {
                if known.len() >= 64 {
                    known.clear();
                }
                known.push((regex, matcher.clone()));
            });
            matcher
        }
    };
    all(&matcher, text)
}

fn all(matcher: &Matcher, text: &str) -> Outcome<Vec<(usize, usize)>> {
    let mut found = Vec::new();
    matcher.find_all(text, &mut found).map_err(|error| {
        assert_eq!(error.kind(), ErrorKind::Regex, "{error}");
        Failure::NoAnswer
    })?;
    Ok(found.into_iter().map(|range| (range.start, range.end)).collect())
}
