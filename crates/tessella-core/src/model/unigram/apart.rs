//! Parts of a piece that are searched apart from what stands in front of them.
//!
//! No way through a piece goes around a place that no entry of the vocabulary reaches over, so a part behind it is
//! decided by itself but for rounding: sums in the piece begin with that of what is in front, the same for all ways. In
//! a piece of at most [`MOST_BYTES`] a sum is less than that times [`MOST_WORTH`], and one addition
//! errs by half a unit in the last of its 53 places. A way through a part has no more
//! additions than bytes, [`SHORT`] at most: two ways that differ by more than [`SLACK`] do not change places.
//! What is unknown goes on in the next part as the same token, if that begins with such. So a part that does is not decided here;
//! then no unknown token reaches over its ends. But for one that begins with a character that no entry has: pieces are only cut in
//! front of such where what is before them is known alone.

use super::alone::Arrivals;
use super::arrivals::NONE;
use super::together::{Best, Steps, Unit};
use super::viterbi::{SHORT, char_width};
use super::{Unigram, Writer};
use crate::ids::{PieceToken, TokenId};

/// Bytes of a piece in which parts may be searched apart, as the model gets it.
pub const MOST_BYTES: usize = 1 << 18;
/// Scores farther from zero are not summed apart.
const MOST_WORTH: f64 = 250.0;
/// Stands for what is no piece.
const NO_PIECE: TokenId = TokenId::MAX;
/// More than two ways through a part err by, in the piece and apart.
const SLACK: f64 = 1e-6;

/// Bytes of a piece that is searched with what units are searched with.
const MOST_ALONE: usize = 1 << 12;

const _: () = assert!(SLACK > 4.0 * SHORT as f64 * (MOST_BYTES as f64 * MOST_WORTH) * (f64::EPSILON / 2.0));

/// The tokens of a part, each with the byte where it ends.
struct Apart {
    tokens: [(TokenId, usize); SHORT],
    first: usize,
    has_unknown: bool,
}

/// A unit, and what it is in its piece.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Standing<'u> {
    pub unit: &'u Unit,
    /// Whether its first byte is the mark that stands in front of a word.
    pub has_mark: bool,
    /// Whether it is a part that is not the first one.
    pub is_inner: bool,
}

impl Apart {
    fn tokens(&self) -> impl Iterator<Item = (TokenId, usize)> {
        self.tokens[self.first..].iter().copied()
    }
}

impl Unigram {
    /// The entries of the vocabulary, if parts may be searched apart.
    pub fn entries_for_parts(&self) -> Option<impl Iterator<Item = &str>> {
        let fits = |score: f64| score.abs() <= MOST_WORTH;
        let all_fit = self.scores.of_id.iter().all(|&score| fits(score)) && fits(self.scores.unknown);
        all_fit.then(|| self.vocab.iter().map(|(text, _)| text.as_str()))
    }

    /// Whether a character has an entry of its own, so that it is never unknown.
    pub fn is_known_alone(&self, byte: u8) -> bool {
        self.trie.get(&[byte]).is_some_and(|id| Some(id) != self.unk_id)
    }

    /// Whether no unknown token ends with it: it has an entry of its own, and the text of the unknown token ends otherwise.
    pub fn is_known_at_end(&self, byte: u8) -> bool {
        let unknown = self.unk_id.and_then(|id| self.vocab.get(id as usize));
        self.is_known_alone(byte) && !unknown.is_some_and(|(text, _)| text.ends_with(char::from(byte)))
    }

    /// Whether a text begins with a character that no entry has.
    pub fn begins_strange(&self, text: &str) -> bool {
        text.is_empty() || self.letters.begin_no(text)
    }

    /// For units in which the mark in front is one byte; `None` if their scores cannot be summed so, or what is unknown has
    /// no token: then it is an error where nothing else arrives behind a character, also if the best way goes around it.
    pub(crate) fn steps(&self, mark: char) -> Option<Steps> {
        self.unk_id?;
        let worth = |id: TokenId| self.scores.of_id[id as usize];
        Steps::new(&self.trie, worth, (NO_PIECE, self.scores.unknown), mark.encode_utf8(&mut [0; 4]))
    }

    /// Appends the ids of a unit; false, and nothing is appended, if the unit has to be searched alone, or, where it is a part that is
    /// not the first one, if the whole piece has to tell.
    pub(crate) fn ids_of_best(
        &self,
        steps: &Steps,
        best: &Best,
        standing: Standing<'_>,
        tokens: &mut Vec<PieceToken>,
        out: &mut Vec<TokenId>,
    ) -> bool {
        let Standing { unit, has_mark, is_inner } = standing;
        if best.distance <= Self::slack(steps, is_inner) {
            return false;
        }
        let is_unknown = |id: TokenId| id == NO_PIECE || Some(id) == self.unk_id;
        if !best.ids().iter().any(|&id| is_unknown(id)) {
            out.extend_from_slice(best.ids());
            return true;
        }
        let (Some(unk_id), Ok(piece)) = (self.unk_id, std::str::from_utf8(unit.text())) else { return false };
        // What is unknown may have an id by its text, which the mark in front is not, or go on the part before.
        if is_unknown(best.ids()[0]) && (has_mark || is_inner && !self.begins_strange(piece)) {
            return false;
        }
        let edges = best.ids().iter().zip(ends(best, piece.as_bytes()));
        let edges = edges.map(|(&id, end)| (if id == NO_PIECE { unk_id } else { id }, end));
        self.write(piece, edges, tokens, out)
    }

    /// Appends the ids of a whole piece that is too long for a unit; `piece` may begin with a blank for the mark. False, and nothing is
    /// appended, if it has to be searched otherwise.
    pub(crate) fn ids_alone(
        &self,
        steps: &Steps,
        (piece, has_mark): (&str, bool),
        arrivals: &mut Arrivals,
        tokens: &mut Vec<PieceToken>,
        out: &mut Vec<TokenId>,
    ) -> bool {
        if piece.len() > MOST_ALONE {
            return false;
        }
        let word = &piece[usize::from(has_mark)..];
        let (strangers, _) = self.letters.strangers(word);
        if strangers > 0 {
            // What begins strange mostly is so as a whole, and told without any search.
            let is_told = strangers == word.len() && self.byte_ids.is_none();
            let mark = Some(steps.mark()).filter(|_| has_mark);
            return match self.unk_id {
                Some(unk_id) if is_told && mark != Some(NO_PIECE) && mark != Some(unk_id) => {
                    out.extend(mark);
                    out.push(unk_id);
                    true
                }
                _ => false,
            };
        }
        // One addition of sums of 64 bits errs by less than a thousandth of what is allowed for each character here.
        let first = out.len();
        let alone = arrivals.solve(steps, piece.as_bytes(), b' ', out);
        let is_unknown = |id: TokenId| id == NO_PIECE || Some(id) == self.unk_id;
        let ids = &out[first..];
        if alone.distance_per_character <= steps.slack_of_each() || has_mark && is_unknown(ids[0]) {
            out.truncate(first);
            return false;
        }
        if !ids.iter().any(|&id| is_unknown(id)) {
            return true;
        }
        let Some(unk_id) = self.unk_id else { return false };
        let edges = ids.iter().zip(arrivals.ends());
        let edges = edges.map(|(&id, end)| (if id == NO_PIECE { unk_id } else { id }, end));
        let is_done = self.written(piece, edges, tokens);
        out.truncate(first);
        out.extend(tokens.iter().map(|token| token.id));
        is_done
    }

    /// Whether a character is in some entry.
    pub fn knows(&self, c: char) -> bool {
        self.letters.has(c)
    }

    /// The id of the unknown token, if words may be cut into units ([`ids_of_unit`](Self::ids_of_unit)): nothing unknown is spelled in
    /// bytes, nor ever goes on the mark.
    pub(crate) fn unknown_in_units(&self, steps: &Steps) -> Option<TokenId> {
        let mark = steps.mark();
        self.unk_id.filter(|&unk_id| self.byte_ids.is_none() && mark != NO_PIECE && mark != unk_id)
    }

    /// Appends the ids of a unit of a word: what stands between two places that no entry reaches over, the first one with a blank for
    /// the mark in front. Unknown ids beside each other are one token, also with those of the unit before. False, and nothing is
    /// appended, if the word has to tell.
    pub(crate) fn ids_of_unit(
        &self,
        steps: &Steps,
        best: &Best,
        unit: &Unit,
        tokens: &mut Vec<PieceToken>,
        out: &mut Vec<TokenId>,
    ) -> bool {
        let text = unit.text();
        Self::is_sure(steps, best, text) && self.ids_in_word(text, best.ids(), ends(best, text), tokens, out)
    }

    /// The same of a unit that is too long to be solved together with others.
    pub(crate) fn ids_of_long_unit(
        &self,
        steps: &Steps,
        unit: &[u8],
        (arrivals, ids): (&mut Arrivals, &mut Vec<TokenId>),
        tokens: &mut Vec<PieceToken>,
        out: &mut Vec<TokenId>,
    ) -> bool {
        Self::solve_long_unit(steps, unit, arrivals, ids)
            && self.ids_in_word(unit, ids, arrivals.ends(), tokens, out)
    }

    /// Whether no other way through a unit is too near the best one.
    #[inline]
    fn is_sure(steps: &Steps, best: &Best, unit: &[u8]) -> bool {
        best.distance > Self::slack(steps, !unit.starts_with(b" "))
    }

    /// Finds the best way through a long unit; false if that is not told, or another one is too near.
    fn solve_long_unit(steps: &Steps, unit: &[u8], arrivals: &mut Arrivals, ids: &mut Vec<TokenId>) -> bool {
        if unit.len() > MOST_ALONE {
            return false;
        }
        ids.clear();
        let alone = arrivals.solve(steps, unit, b' ', ids);
        // How near others are is told for each character in front, of which there is at least one.
        let slack = steps.slack_of_each() + if unit.starts_with(b" ") { 0.0 } else { SLACK };
        alone.distance_per_character > slack
    }

    /// Appends the ids of the best way through a unit.
    fn ids_in_word(
        &self,
        unit: &[u8],
        ids: &[TokenId],
        ends: impl Iterator<Item = usize>,
        tokens: &mut Vec<PieceToken>,
        out: &mut Vec<TokenId>,
    ) -> bool {
        if !self.have_unknown(ids) {
            out.extend_from_slice(ids);
            return true;
        }
        let is_done = self.with_unknown(unit, ids, ends, tokens);
        out.extend(tokens.iter().map(|token| token.id));
        is_done
    }

    /// As [`ids_of_unit`](Self::ids_of_unit), with the end of each token in the unit.
    pub(crate) fn tokens_of_unit(
        &self,
        steps: &Steps,
        best: &Best,
        unit: &Unit,
        tokens: &mut Vec<PieceToken>,
        each: impl FnMut(TokenId, usize),
    ) -> bool {
        let text = unit.text();
        Self::is_sure(steps, best, text)
            && self.tokens_in_word(text, best.ids(), ends(best, text), tokens, each)
    }

    /// The same of a unit that is too long to be solved together with others.
    pub(crate) fn tokens_of_long_unit(
        &self,
        steps: &Steps,
        unit: &[u8],
        (arrivals, ids): (&mut Arrivals, &mut Vec<TokenId>),
        tokens: &mut Vec<PieceToken>,
        each: impl FnMut(TokenId, usize),
    ) -> bool {
        Self::solve_long_unit(steps, unit, arrivals, ids)
            && self.tokens_in_word(unit, ids, arrivals.ends(), tokens, each)
    }

    fn tokens_in_word(
        &self,
        unit: &[u8],
        ids: &[TokenId],
        ends: impl Iterator<Item = usize>,
        tokens: &mut Vec<PieceToken>,
        mut each: impl FnMut(TokenId, usize),
    ) -> bool {
        if !self.have_unknown(ids) {
            ids.iter().zip(ends).for_each(|(&id, end)| each(id, end));
            return true;
        }
        let is_done = self.with_unknown(unit, ids, ends, tokens);
        tokens.iter().for_each(|token| each(token.id, token.end as usize));
        is_done
    }

    fn have_unknown(&self, ids: &[TokenId]) -> bool {
        ids.iter().any(|&id| id == NO_PIECE || Some(id) == self.unk_id)
    }

    /// The tokens of the best way through a unit with unknown ones; false, and none, if the word has to tell.
    fn with_unknown(
        &self,
        unit: &[u8],
        ids: &[TokenId],
        ends: impl Iterator<Item = usize>,
        tokens: &mut Vec<PieceToken>,
    ) -> bool {
        tokens.clear();
        let is_unknown = |id: TokenId| id == NO_PIECE || Some(id) == self.unk_id;
        let (Some(unk_id), Ok(piece)) = (self.unk_id, std::str::from_utf8(unit)) else { return false };
        let edges = ids.iter().zip(ends);
        let edges = edges.map(|(&id, end)| (if id == NO_PIECE { unk_id } else { id }, end));
        if !self.written(piece, edges, tokens) {
            return false;
        }
        // What is unknown may have an id by its text, unless it goes on in the unit beside it.
        let is_open = |id: Option<&TokenId>, token: Option<&PieceToken>| {
            id.is_some_and(|&id| is_unknown(id)) && token.is_some_and(|token| token.id != unk_id)
        };
        let is_done = !is_open(ids.first(), tokens.first()) && !is_open(ids.last(), tokens.last());
        if !is_done {
            tokens.clear();
        }
        is_done
    }

    /// Appends the ids of edges, each with its end; false, and nothing is appended, if there are none.
    fn write(
        &self,
        piece: &str,
        edges: impl Iterator<Item = (TokenId, usize)>,
        tokens: &mut Vec<PieceToken>,
        out: &mut Vec<TokenId>,
    ) -> bool {
        let is_done = self.written(piece, edges, tokens);
        out.extend(tokens.iter().map(|token| token.id));
        is_done
    }

    /// The tokens of edges; false, and none, if there are none.
    fn written(
        &self,
        piece: &str,
        edges: impl Iterator<Item = (TokenId, usize)>,
        tokens: &mut Vec<PieceToken>,
    ) -> bool {
        tokens.clear();
        let mut writer = Writer { model: self, piece, run: None, failed: false, out: tokens };
        let mut start = 0;
        for (id, end) in edges {
            writer.edge(start, end, id);
            start = end;
        }
        let is_done = writer.finish().is_ok();
        if !is_done {
            tokens.clear();
        }
        is_done
    }

    /// More than what distances err by.
    fn slack(steps: &Steps, is_inner: bool) -> f64 {
        steps.slack() + if is_inner { SLACK } else { 0.0 }
    }

    /// Whether a unit has these tokens, all of them entries of the vocabulary that mean no unknown text; `is_inner` if it is a
    /// part that is not the first one.
    pub(crate) fn is_certain(&self, steps: &Steps, best: &Best, is_inner: bool) -> bool {
        let is_unknown = |id: TokenId| id == NO_PIECE || Some(id) == self.unk_id;
        best.distance > Self::slack(steps, is_inner) && !best.ids().iter().any(|&id| is_unknown(id))
    }

    /// Appends the ids of a part that is not the first one; false, and nothing is appended, if the whole piece has to
    /// tell.
    pub fn solve_apart(&self, part: &str, out: &mut Vec<TokenId>) -> bool {
        let Some(apart) = self.searched_apart(part) else { return false };
        if !apart.has_unknown {
            out.extend(apart.tokens().map(|(id, _)| id));
            return true;
        }
        self.write(part, apart.tokens(), &mut Vec::new(), out)
    }

    /// The tokens of a part that is not the first one; false, and none, if the whole piece has to tell.
    pub(crate) fn tokens_apart(&self, part: &str, tokens: &mut Vec<PieceToken>) -> bool {
        tokens.clear();
        self.searched_apart(part).is_some_and(|apart| self.written(part, apart.tokens(), tokens))
    }

    /// The best way through a part that is not the first one; `None` if the whole piece has to tell.
    fn searched_apart(&self, part: &str) -> Option<Apart> {
        let bytes = part.as_bytes();
        if bytes.len() > SHORT {
            return None;
        }
        let mut nodes = [NONE; SHORT + 1];
        nodes[0].best = 0.0;
        let mut at = 0;
        while at < bytes.len() {
            let width = char_width(bytes[at]);
            let before = nodes[at].best;
            let mut covered = false;
            let mut cursor = self.trie.root();
            for (end, &byte) in (at + 1..).zip(&bytes[at..]) {
                let Some(value) = self.trie.step(&mut cursor, byte) else { break };
                let Some(id) = value else { continue };
                covered |= end - at == width;
                nodes[end].take(self.scores.of_id[id as usize] + before, id, at);
            }
            if !covered {
                nodes[at + width].take(self.scores.unknown + before, self.unk_id?, at);
            }
            at += width;
        }
        let mut tokens = [(0, 0); SHORT];
        let mut first = tokens.len();
        let mut margin = f64::INFINITY;
        let mut has_unknown = false;
        while at > 0 {
            let node = &nodes[at];
            margin = margin.min(node.best - node.second);
            let is_unknown = self.unk_id == Some(node.id);
            has_unknown |= is_unknown;
            if is_unknown && node.from == 0 && !self.begins_strange(part) {
                return None;
            }
            first -= 1;
            tokens[first] = (node.id, at);
            at = node.from as usize;
        }
        (margin > SLACK).then_some(Apart { tokens, first, has_unknown })
    }
}

/// Where the tokens of the best way through a unit end.
#[inline]
fn ends(best: &Best, unit: &[u8]) -> impl Iterator<Item = usize> {
    best.starts()[1..].iter().map(|&end| end.into()).chain([unit.len()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::spec::UnigramSpec;
    use std::sync::Arc;

    #[test]
    fn parts_that_are_certain_are_those_of_the_whole() {
        let mut random = Random::from_seed(14);
        let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
        let letters = ["a", "b", "é", "漢", "x"];
        let (mut certain, mut uncertain, mut with_unknown) = (0, 0, 0);
        for round in 0..4000 {
            let mut word = |least: usize, most: usize| -> String {
                (0..least + below(most)).map(|_| letters[below(4)]).collect()
            };
            // Sums that tie, nearly tie and do not.
            let score = |at: usize| -[0.1, 0.2, 0.3, 1.7, 3.1][at % 5] * (1 + at % 3) as f64;
            let vocab: Vec<(String, f64)> = (0..1 + round % 40).map(|at| (word(1, 4), score(at))).collect();
            let spec = UnigramSpec {
                vocab: Arc::new(vocab),
                unk_id: Some(0),
                byte_fallback: false,
                alpha: None,
                nbest_size: None,
            };
            let model = Unigram::new(&spec).unwrap();
            let (front, part) = (word(1, 8), word(1, 6));
            let reaches_over = |entry: &str| {
                (1..entry.len()).any(|at| {
                    entry.is_char_boundary(at)
                        && front.ends_with(&entry[..at])
                        && part.starts_with(&entry[at..])
                        || entry.is_char_boundary(at) && entry.contains(&part) && !part.is_empty()
                })
            };
            if model.entries_for_parts().unwrap().any(reaches_over) || model.begins_strange(&part) {
                continue;
            }
            let (mut apart, mut tokens) = (Vec::new(), Vec::new());
            if !model.solve_apart(&part, &mut apart) {
                uncertain += 1;
                assert!(apart.is_empty() && !model.tokens_apart(&part, &mut tokens) && tokens.is_empty());
                continue;
            }
            certain += 1;
            assert!(model.tokens_apart(&part, &mut tokens));
            let mut at = 0;
            for token in &tokens {
                let text = &part[at..token.end as usize];
                assert!(token.surface || model.vocab[token.id as usize].0 == *text);
                assert_eq!(token.start as usize, at);
                at = token.end as usize;
                with_unknown += usize::from(token.surface);
            }
            assert_eq!(at, part.len());
            assert!(tokens.iter().map(|token| token.id).eq(apart.iter().copied()));
            let ids = |text: &str| -> Vec<TokenId> {
                let mut tokens = Vec::new();
                model.tokenize(text, &mut Random::from_seed(0), &mut tokens).unwrap();
                tokens.iter().map(|token| token.id).collect()
            };
            assert_eq!(ids(&(front.clone() + &part)), [ids(&front), apart].concat(), "{front:?} {part:?}");
        }
        assert!(
            certain > 100 && uncertain > 100 && with_unknown > 30,
            "{certain} {uncertain} {with_unknown}"
        );
    }

    /// Between letters that are entries, what no entry has is a part of its own.
    #[test]
    fn strangers_between_what_is_known_are_told_alone() {
        let mut random = Random::from_seed(15);
        let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
        let letters = ["a", "b", "é", "漢"];
        for round in 0..2000 {
            let mut word = |least: usize, most: usize| -> String {
                (0..least + below(most)).map(|_| letters[below(4)]).collect()
            };
            let mut vocab = vec![("<unk>".to_string(), -3.0)];
            vocab.extend(letters.iter().map(|letter| (letter.to_string(), -2.0 - (round % 5) as f64)));
            vocab.extend((0..round % 30).map(|at| (word(2, 4), -0.3 * (1 + at % 7) as f64)));
            let with_bytes = round % 3 == 0;
            if with_bytes {
                vocab.extend((0..=u8::MAX).map(|byte| (format!("<0x{byte:02X}>"), -9.0)));
            }
            let spec = UnigramSpec {
                vocab: Arc::new(vocab),
                unk_id: Some(0),
                byte_fallback: with_bytes,
                alpha: None,
                nbest_size: None,
            };
            let model = Unigram::new(&spec).unwrap();
            let ids = |text: &str| -> Vec<TokenId> {
                let mut tokens = Vec::new();
                model.tokenize(text, &mut Random::from_seed(0), &mut tokens).unwrap();
                tokens.iter().map(|token| token.id).collect()
            };
            let (front, strangers, behind) =
                (word(1, 6), "{~\u{0E01}"[..1 + round % 2].to_string(), word(1, 5));
            let whole = ids(&format!("{front}{strangers}{behind}"));
            let (mut three, mut two) = (ids(&front), ids(&front));
            if model.solve_apart(&strangers, &mut three) && model.solve_apart(&behind, &mut three) {
                assert_eq!(three, whole, "{front} {strangers} {behind}");
                // Or no cut behind them.
                assert!(model.solve_apart(&format!("{strangers}{behind}"), &mut two));
                assert_eq!(two, whole, "{front} {strangers} {behind}");
            } else {
                // Ways that tie.
                assert!(!model.tokens_apart(&behind, &mut Vec::new()));
            }
        }
    }
}
