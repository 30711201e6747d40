//! Added tokens, by trying every token at every place.

use std::sync::LazyLock;

use regex::Regex;
use tessella_core::spec::AddedToken;

use super::{Outcome, Part};

static WORD: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\w").expect("a fixed pattern"));

/// Cuts out the tokens that are matched in this pass. `form` gives the content that is looked for.
pub(super) fn split(
    tokens: &[AddedToken],
    normalized: bool,
    text: &str,
    specials_as_text: bool,
    form: impl Fn(&str) -> Outcome<String>,
) -> Outcome<Vec<Part>> {
    let mut wanted: Vec<(String, &AddedToken)> = Vec::new();
    for token in tokens.iter().filter(|token| token.normalized == normalized) {
        let content = form(&token.content)?;
        // Two tokens that look the same: the one with the smaller id.
        if !content.is_empty() && wanted.iter().all(|(known, _)| *known != content) {
            wanted.push((content, token));
        }
    }
    wanted.sort_by_key(|(content, _)| std::cmp::Reverse(content.len()));
    let touches_word = |start: usize, end: usize| {
        let is_word = |c: Option<char>| c.is_some_and(|c| WORD.is_match(&c.to_string()));
        is_word(text[..start].chars().next_back()) || is_word(text[end..].chars().next())
    };
    let mut found: Vec<(usize, usize, &AddedToken)> = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let hit = wanted.iter().find(|(content, token)| {
            text[at..].starts_with(content.as_str())
                && !(specials_as_text && token.special)
                && !(token.single_word && touches_word(at, at + content.len()))
        });
        match hit {
            Some((content, token)) => {
                found.push((at, at + content.len(), token));
                at += content.len();
            }
            None => at += text[at..].chars().next().map_or(1, char::len_utf8),
        }
    }
    let mut parts = Vec::new();
    let mut done = 0;
    for (index, &(mut start, mut end, token)) in found.iter().enumerate() {
        let limit = found.get(index + 1).map_or(text.len(), |next| next.0);
        while token.lstrip && start > done {
            match text[done..start].chars().next_back() {
                Some(c) if c.is_whitespace() => start -= c.len_utf8(),
                _ => break,
            }
        }
        while token.rstrip && end < limit {
            match text[end..limit].chars().next() {
                Some(c) if c.is_whitespace() => end += c.len_utf8(),
                _ => break,
            }
        }
        if done < start {
            parts.push(Part::Text(text[done..start].to_string(), done));
        }
        parts.push(Part::Added(token.id.unwrap_or(0)));
        done = end;
    }
    if done < text.len() {
        parts.push(Part::Text(text[done..].to_string(), done));
    }
    Ok(parts)
}
