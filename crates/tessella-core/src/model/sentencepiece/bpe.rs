//! SentencePiece's BPE: merge the two neighbours that make the best-scored piece, leftmost first.
//!
//! The sentence starts as characters and user-defined symbols; symbols never merge. A merge needs only
//! that the joined text is a piece, however its halves came about, so every split of every piece is in one
//! table of pairs, and merging compares no text.
//!
//! A sentence is not merged whole. Where two neighbouring characters are neighbours in no piece, nothing
//! can ever cross, and the parts to both sides are independent; short parts are merged by plain search and
//! long ones with an agenda, so the cost is n log n for any text. What a part became may be remembered.
//!
//! Unused pieces take part in merging and are taken apart again at the end, the way the text was last seen
//! joined *anywhere* in the sentence; models that have any are therefore merged whole. What is left of them
//! that cannot be taken apart is unknown.
//!
//! [`build`] makes the merges of the pieces, and [`tables`] is what merging looks into.

mod build;
mod tables;

use std::cell::RefCell;
use std::collections::HashMap;

use super::joints::Joints;
use super::memo::{Memo, Part, Stretch};
use super::pieces::PieceTable;
use crate::cancel::Cancel;
use crate::error::Result;
use crate::ids::TokenId;
use crate::model::agenda::Agenda;
use crate::model::derivation::{self, Derivation, MOST_SYMBOLS};
use crate::random::Random;
use tables::{Characters, Crossable, Merge, NO_SYMBOL, Neighbour, Pairs};

/// Parts of up to so many symbols are merged without an agenda.
const SHORT: usize = 24;

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// The merges of a model.
#[derive(Debug)]
pub(super) struct ScoredMerges {
    characters: Characters,
    pairs: Pairs,
    crossable: Crossable,
    /// What a symbol becomes when it is left over: its id in text.
    emitted: Vec<TokenId>,
    unused: Vec<bool>,
    has_unused: bool,
    /// Where sentences fall apart into stretches that are worth remembering; only where these are merged by the same
    /// rules wherever they stand.
    pub(super) joints: Option<Joints>,
}

impl ScoredMerges {
    /// Left, right, rank and result of every merge; of the pieces, unless characters that are none merge as well.
    pub(super) fn merges(&self) -> Option<Vec<(TokenId, TokenId, u32, TokenId)>> {
        let pieces = self.unused.len();
        let merges = self.pairs.all().map(|(left, right, merge)| (left, right, merge.rank, merge.id));
        (self.emitted.len() == pieces).then(|| merges.collect())
    }

    /// Cuts a sentence. With `dropout`, every merge that comes up is skipped with that probability. An error only
    /// if it was cancelled.
    pub(super) fn segment(
        &self,
        text: &str,
        pieces: &PieceTable,
        mut dropout: Option<(f64, &mut Random)>,
        cancel: &Cancel,
        memo: Option<&mut Memo>,
        mut edge: impl FnMut(usize, usize, TokenId),
    ) -> Result<()> {
        SCRATCH.with_borrow_mut(|scratch| {
            scratch.joined.clear();
            match (&self.joints, memo) {
                (Some(joints), Some(memo)) if dropout.is_none() => {
                    self.by_stretches(text, pieces, joints, memo, scratch, cancel, edge)
                }
                _ => self.merge_text(text, pieces, scratch, &mut dropout, cancel, &mut edge),
            }?;
            scratch.give_back();
            Ok(())
        })
    }

    /// Stretch by stretch; no merge crosses the boundary of two.
    #[allow(clippy::too_many_arguments)]
    fn by_stretches(
        &self,
        text: &str,
        pieces: &PieceTable,
        joints: &Joints,
        memo: &mut Memo,
        scratch: &mut Scratch,
        cancel: &Cancel,
        mut edge: impl FnMut(usize, usize, TokenId),
    ) -> Result<()> {
        let bytes = text.as_bytes();
        let mut watch = cancel.watch();
        let mut at = 0;
        while at < bytes.len() {
            watch.step()?;
            let end = joints.end(bytes, at);
            let stretch = Stretch::new(bytes, at, end);
            if let Some(known) = memo.get(&stretch) {
                let mut start = at;
                for part in known.parts.iter().take_while(|part| part.bytes() > 0) {
                    edge(start, start + part.bytes(), part.id());
                    start += part.bytes();
                }
            } else {
                let mut parts = std::mem::take(&mut scratch.parts);
                parts.clear();
                let mut all = stretch.can_be_kept();
                self.merge_text(&text[at..end], pieces, scratch, &mut None, cancel, &mut |from, to, id| {
                    if all {
                        let part = Part::new(id, to - from);
                        all = part.is_some();
                        parts.extend(part);
                    }
                    edge(at + from, at + to, id);
                })?;
                if all {
                    memo.insert(&stretch, f32::INFINITY, &parts);
                }
                scratch.parts = parts;
            }
            at = end;
        }
        Ok(())
    }

    fn merge_text(
        &self,
        text: &str,
        pieces: &PieceTable,
        scratch: &mut Scratch,
        dropout: &mut Option<(f64, &mut Random)>,
        cancel: &Cancel,
        edge: &mut impl FnMut(usize, usize, TokenId),
    ) -> Result<()> {
        scratch.symbols.clear();
        let bytes = text.as_bytes();
        let mut watch = cancel.watch();
        let mut at = 0;
        let mut before = Neighbour::EDGE;
        while at < bytes.len() {
            watch.step()?;
            let (next, symbol) = match pieces.symbol_at(&bytes[at..]) {
                // A user-defined symbol is a part of its own.
                Some(length) => {
                    let id = pieces.ordinary().get(&bytes[at..at + length]).unwrap_or(NO_SYMBOL);
                    (Neighbour::EDGE, Symbol::new(at, at + length, id, true))
                }
                None => {
                    let (c, width) = char_at(text, at);
                    let id = self.characters.get(c);
                    (Neighbour { c, id }, Symbol::new(at, at + width, id, false))
                }
            };
            if !self.has_unused && !self.crossable.contains(before, next) {
                self.merge(scratch, dropout, cancel)?;
                self.emit(scratch, pieces, edge);
                scratch.symbols.clear();
            }
            scratch.symbols.push(symbol);
            at = symbol.end as usize;
            before = next;
        }
        self.merge(scratch, dropout, cancel)?;
        self.emit(scratch, pieces, edge);
        Ok(())
    }

    /// The merges of a sentence, without taking unused pieces apart again.
    pub(super) fn derive(&self, text: &str, pieces: &PieceTable) -> Derivation {
        let bytes = text.as_bytes();
        let mut first = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let (length, id, frozen) = match pieces.symbol_at(&bytes[at..]) {
                Some(length) => {
                    (length, pieces.ordinary().get(&bytes[at..at + length]).unwrap_or(NO_SYMBOL), true)
                }
                None => {
                    let (c, width) = char_at(text, at);
                    (width, self.characters.get(c), false)
                }
            };
            first.push(Symbol::new(at, at + length, id, frozen));
            at += length;
        }
        if first.len() > MOST_SYMBOLS {
            return Derivation::Plain;
        }
        let steps = derivation::merges(first.clone(), |left, right| {
            let merge = self.pair(&left, &right)?;
            let joined = Symbol { end: right.end, id: merge.id, ..left };
            Some((merge.rank, merge.id, joined))
        });
        let symbols = first.iter().map(|symbol| derivation::Symbol {
            id: self.emitted_id(symbol.id, pieces),
            start: symbol.start as usize,
            end: symbol.end as usize,
        });
        Derivation::Merges { symbols: symbols.collect(), steps }
    }

    fn merge(
        &self,
        scratch: &mut Scratch,
        dropout: &mut Option<(f64, &mut Random)>,
        cancel: &Cancel,
    ) -> Result<()> {
        let count = scratch.symbols.len();
        if count < 2 {
            return Ok(());
        }
        if count <= SHORT && dropout.is_none() && !self.has_unused {
            self.merge_short(scratch);
            Ok(())
        } else {
            self.merge_long(scratch, dropout, cancel)
        }
    }

    #[inline]
    fn pair(&self, left: &Symbol, right: &Symbol) -> Option<Merge> {
        if left.frozen || right.frozen { None } else { self.pairs.get(left.id, right.id) }
    }

    /// Searches for the best pair again after every merge.
    fn merge_short(&self, scratch: &mut Scratch) {
        let symbols = &mut scratch.symbols;
        let mut count = symbols.len();
        let mut merges = [Merge::NONE; SHORT];
        for at in 0..count - 1 {
            merges[at] = self.pair(&symbols[at], &symbols[at + 1]).unwrap_or(Merge::NONE);
        }
        while count > 1 {
            let mut best = 0;
            for at in 1..count - 1 {
                if merges[at].rank < merges[best].rank {
                    best = at;
                }
            }
            let merge = merges[best];
            if merge.rank == u32::MAX {
                break;
            }
            symbols[best].end = symbols[best + 1].end;
            symbols[best].id = merge.id;
            symbols.copy_within(best + 2..count, best + 1);
            merges.copy_within(best + 1..count - 1, best);
            count -= 1;
            merges[count - 1] = Merge::NONE;
            if best > 0 {
                merges[best - 1] = self.pair(&symbols[best - 1], &symbols[best]).unwrap_or(Merge::NONE);
            }
            if best + 1 < count {
                merges[best] = self.pair(&symbols[best], &symbols[best + 1]).unwrap_or(Merge::NONE);
            }
        }
        symbols.truncate(count);
    }

    fn merge_long(
        &self,
        scratch: &mut Scratch,
        dropout: &mut Option<(f64, &mut Random)>,
        cancel: &Cancel,
    ) -> Result<()> {
        let mut watch = cancel.watch();
        let Scratch { symbols, links, agenda, joined, .. } = scratch;
        let count = symbols.len();
        agenda.clear();
        links.clear();
        links.extend((0..count as u32).map(|at| (at.wrapping_sub(1), at + 1)));
        let size = |symbols: &[Symbol], left: u32, right: u32| {
            let length = |at: u32| symbols[at as usize].end - symbols[at as usize].start;
            length(left) + length(right)
        };
        let mut consider = |symbols: &[Symbol], agenda: &mut Agenda<_>, left: u32, right: u32| {
            let Some(merge) = self.pair(&symbols[left as usize], &symbols[right as usize]) else { return };
            agenda.push(merge.rank, left, (right, size(symbols, left, right), merge.id));
            if self.unused[merge.id as usize] {
                joined.insert(merge.id, [symbols[left as usize], symbols[right as usize]]);
            }
        };
        for at in 1..count as u32 {
            watch.step()?;
            consider(symbols, agenda, at - 1, at);
        }
        while let Some((_, left, (right, expected, id))) = agenda.pop() {
            watch.step()?;
            // An empty symbol has gone into another; a changed size means that one of the two has grown.
            let gone = |at: u32| symbols[at as usize].start == symbols[at as usize].end;
            if gone(left) || gone(right) || size(symbols, left, right) != expected {
                continue;
            }
            if let Some((probability, random)) = dropout
                && (*probability >= 1.0 || (*probability > 0.0 && random.next_f64() < *probability))
            {
                continue;
            }
            let end = symbols[right as usize].end;
            symbols[left as usize].end = end;
            symbols[left as usize].id = id;
            symbols[right as usize].start = end;
            let after = links[right as usize].1;
            links[left as usize].1 = after;
            if (after as usize) < count {
                links[after as usize].0 = left;
            }
            let before = links[left as usize].0;
            if before != u32::MAX {
                consider(symbols, agenda, before, left);
            }
            if (after as usize) < count {
                consider(symbols, agenda, left, after);
            }
        }
        symbols.retain(|symbol| symbol.start < symbol.end);
        Ok(())
    }

    fn emit(&self, scratch: &mut Scratch, pieces: &PieceTable, edge: &mut impl FnMut(usize, usize, TokenId)) {
        let Scratch { symbols, open, joined, .. } = scratch;
        for symbol in symbols.iter() {
            if !self.has_unused || symbol.id == NO_SYMBOL || !self.is_unused(symbol.id) {
                edge(symbol.start as usize, symbol.end as usize, self.emitted_id(symbol.id, pieces));
                continue;
            }
            open.clear();
            open.push(*symbol);
            while let Some(symbol) = open.pop() {
                let parts = if self.is_unused(symbol.id) { joined.get(&symbol.id) } else { None };
                let Some([left, right]) = parts else {
                    edge(symbol.start as usize, symbol.end as usize, self.emitted_id(symbol.id, pieces));
                    continue;
                };
                // The parts were seen somewhere; here they stand at this symbol's place.
                let middle = symbol.start + (left.end - left.start);
                open.push(Symbol { start: middle, end: symbol.end, ..*right });
                open.push(Symbol { start: symbol.start, end: middle, ..*left });
            }
        }
    }

    fn is_unused(&self, symbol: u32) -> bool {
        self.unused.get(symbol as usize).copied().unwrap_or(false)
    }

    fn emitted_id(&self, symbol: u32, pieces: &PieceTable) -> TokenId {
        self.emitted.get(symbol as usize).copied().unwrap_or(pieces.unk_id())
    }
}

#[inline]
fn char_at(text: &str, at: usize) -> (char, usize) {
    let first = text.as_bytes()[at];
    if first < 128 {
        return (first as char, 1);
    }
    let c = text[at..].chars().next().unwrap_or(char::REPLACEMENT_CHARACTER);
    (c, c.len_utf8())
}

#[derive(Debug, Clone, Copy)]
struct Symbol {
    start: u32,
    end: u32,
    id: u32,
    frozen: bool,
}

impl Symbol {
    fn new(start: usize, end: usize, id: u32, frozen: bool) -> Self {
        Symbol { start: start as u32, end: end as u32, id, frozen }
    }
}

#[derive(Debug, Default)]
struct Scratch {
    symbols: Vec<Symbol>,
    /// Previous and next symbol; the ends are `u32::MAX` and the number of symbols.
    links: Vec<(u32, u32)>,
    /// With each left symbol: right one, bytes of both, id of the result.
    agenda: Agenda<(u32, u32, u32)>,
    /// The halves that an unused piece was last joined from.
    joined: HashMap<u32, [Symbol; 2]>,
    open: Vec<Symbol>,
    /// What the stretch at hand became.
    parts: Vec<Part>,
}

impl Scratch {
    /// A text that could not be cut must not keep its memory for ever.
    fn give_back(&mut self) {
        if self.symbols.capacity() > 1 << 20 {
            *self = Scratch::default();
        }
    }
}
