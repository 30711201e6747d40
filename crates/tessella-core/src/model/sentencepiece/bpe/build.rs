//! From pieces to merges: every way to cut a piece in two symbols is one.
//!
//! A symbol is a piece, or a character that is part of one. Halves are looked up by the thousand.

use super::super::joints::Joints;
use super::super::pieces::PieceTable;
use super::ScoredMerges;
use super::tables::{Characters, Crossable, Merge, NO_SYMBOL, Neighbour, Pairs};
use crate::error::Result;
use crate::ids::TokenId;
use crate::model::unigram::viterbi::char_width;
use crate::spec::PieceKind;

/// Halves of pieces that are looked up together, and about as many as one piece has.
const PORTION: usize = 1 << 13;
const MOST_HALVES: usize = 64;

impl ScoredMerges {
    pub fn new(pieces: &PieceTable) -> Result<Self> {
        let mut characters = Characters::default();
        // What a text of these spells is the piece itself, but for unused ones, which are never made from text.
        let mut emitted: Vec<TokenId> = (0..pieces.all().len() as TokenId).collect();
        for (id, piece) in pieces.ordinary_pieces() {
            if piece.kind == PieceKind::Unused {
                emitted[id as usize] = pieces.unk_id();
            }
            if let Some(c) = only_char(&piece.text) {
                characters.set(c, id);
            }
        }
        // Characters that are no piece of their own but part of one are symbols too.
        let texts = pieces.ordinary_pieces().map(|(_, piece)| piece.text.as_str());
        for c in texts.flat_map(str::chars) {
            if characters.get(c) == NO_SYMBOL {
                characters.set(c, emitted.len() as u32);
                emitted.push(pieces.unk_id());
            }
        }

        let mut crossable = Crossable::default();
        let mut pairs = Vec::new();
        let ranks = ranks(pieces);
        // Halves to the left, and to the right, of some pieces at a time, in room that serves the next ones.
        let mut lefts: Vec<(usize, u32)> = Vec::new();
        let mut halves: Vec<(u32, &str, TokenId)> = Vec::with_capacity(PORTION + MOST_HALVES);
        for (id, piece) in pieces.ordinary_pieces() {
            let text = piece.text.as_str();
            let mut before = None;
            for c in text.chars() {
                let here = Neighbour { c, id: characters.get(c) };
                if let Some(before) = before.replace(here) {
                    crossable.add(before, here);
                }
            }
            // All halves to the left in one walk; few of them are pieces.
            lefts.clear();
            pieces.ordinary().prefixes(text.as_bytes(), |length, id| lefts.push((length, id)));
            let first = char_width(text.as_bytes()[0]);
            if lefts.first().is_none_or(|(length, _)| *length != first) {
                lefts.push((first, only_char(&text[..first]).map_or(NO_SYMBOL, |c| characters.get(c))));
            }
            let inner = lefts.iter().filter(|(length, _)| *length < text.len());
            halves.extend(inner.map(|&(length, left)| (left, &text[length..], id)));
            if halves.len() >= PORTION {
                add_pairs(pieces, &characters, &ranks, &halves, &mut pairs);
                halves.clear();
            }
        }
        add_pairs(pieces, &characters, &ranks, &halves, &mut pairs);
        Ok(ScoredMerges {
            crossable: crossable.finished(),
            pairs: Pairs::new(&pairs),
            characters,
            emitted,
            unused: pieces.all().iter().map(|piece| piece.kind == PieceKind::Unused).collect(),
            has_unused: pieces.has_unused,
            // Unused pieces look at the whole sentence, and symbols are found from its start on.
            joints: (!pieces.has_unused && !pieces.has_symbols())
                .then(|| Joints::new(pieces.ordinary_pieces().map(|(_, piece)| piece.text.as_str()))),
        })
    }
}

/// Appends the merges that halves to the left take part in: those whose other half is a symbol too.
fn add_pairs(
    pieces: &PieceTable,
    characters: &Characters,
    ranks: &[u32],
    halves: &[(u32, &str, TokenId)],
    pairs: &mut Vec<(u32, u32, Merge)>,
) {
    let mut each = halves.iter();
    pieces.ordinary_ids(
        halves.len(),
        |half| halves[half].1,
        |right| {
            let Some(&(left, text, id)) = each.next() else { return };
            let right = right.or_else(|| only_char(text).map(|c| characters.get(c)));
            if let Some(right) = right.filter(|&right| right != NO_SYMBOL) {
                pairs.push((left, right, Merge { id, rank: ranks[id as usize] }));
            }
        },
    );
}

/// Place of each piece by falling score; equal scores share a place.
fn ranks(pieces: &PieceTable) -> Vec<u32> {
    let score = |id: u32| pieces.all()[id as usize].score;
    let mut order: Vec<u32> = (0..pieces.all().len() as u32).collect();
    // No score is NaN, so any two compare.
    order.sort_by(|&a, &b| score(b).partial_cmp(&score(a)).unwrap_or(std::cmp::Ordering::Equal));
    let mut ranks = vec![0; order.len()];
    let mut rank = 0;
    for (place, &id) in order.iter().enumerate() {
        if place > 0 && score(id) != score(order[place - 1]) {
            rank += 1;
        }
        ranks[id as usize] = rank;
    }
    ranks
}

fn only_char(text: &str) -> Option<char> {
    let mut chars = text.chars();
    chars.next().filter(|_| chars.next().is_none())
}
