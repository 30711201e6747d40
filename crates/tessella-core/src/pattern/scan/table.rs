//! The automaton laid out for running: rows of premultiplied states, and the fused rows of the piece loop.
//!
//! The plain rows answer "where does the match end that starts here". The fused rows go further: where the
//! plain automaton would die right after an accept, the fused row goes straight to the state of the next
//! piece, so that a whole text is one chain of look-ups with a boundary flag here and there. Stretches that no
//! match covers have states of their own. Only a step that dies some characters after its last accept has to
//! leave the chain (`STOP`).

use super::alphabet::Alphabet;
use super::automaton::{Automaton, DEAD};
use super::pairs::{Layout, Pairs};
use super::rows::{ACCEPT, BOUNDARY, Rows, STOP, WAS_GAP};
use crate::error::Result;
use crate::flat::{Arrays, Shelf, misfit};

#[derive(Debug)]
pub struct Table {
    /// States are premultiplied by the length of a row, a power of two.
    pub plain: Rows,
    pub fused: Rows,
    /// The fused rows for two ASCII characters at once.
    pub pairs: Option<Pairs>,
    /// First state of a match, by the kind of the character before.
    pub starts: Vec<u32>,
    /// State inside a gap, by the kind of the character before; fused rows only.
    pub gaps: Vec<u32>,
    /// Class (or, last, the start of the text) to its kind.
    pub kinds: Vec<usize>,
    /// The premultiplied number of the first gap state.
    pub first_gap: u32,
    pub states: usize,
    /// Every non-empty text is covered by matches, without a gap.
    pub total: bool,
    /// Some match is empty.
    pub nullable: bool,
}

impl Table {
    pub fn new(automaton: &Automaton, alphabet: &Alphabet) -> Table {
        let states = automaton.steps.len();
        let kinds = automaton.starts.len();
        let layout = Layout::new(alphabet);
        let pair_columns = layout.columns(states + kinds);
        let columns = (alphabet.classes + 1).max(pair_columns.unwrap_or(0));
        let shift = columns.next_power_of_two().trailing_zeros();
        let premultiplied = |state: u32| state << shift;
        let gap_of_kind = |kind: usize| ((states + kind) as u32) << shift;
        let mut plain = Rows::new(states, shift);
        let mut fused = Rows::new(states + kinds, shift);
        let end = alphabet.classes;
        // Where the first character of a piece leads, and whether that piece is a match to be.
        let opening = |kind: usize, symbol: usize| {
            let step = automaton.steps[automaton.starts[kind] as usize][symbol];
            match step.next {
                DEAD => (gap_of_kind(automaton.kinds[symbol]), false),
                next => (premultiplied(next), true),
            }
        };
        for (state, row) in automaton.steps.iter().enumerate() {
            for (symbol, step) in row.iter().enumerate() {
                let at = (state << shift) + symbol;
                let accept = if step.accepts { ACCEPT } else { 0 };
                plain.set(at, premultiplied(step.next), accept);
                if symbol == end || step.next != DEAD {
                    fused.set(at, premultiplied(step.next), accept);
                } else if step.accepts {
                    let (next, _) = opening(automaton.kind_of_state[state], symbol);
                    fused.set(at, next, ACCEPT | BOUNDARY);
                } else {
                    fused.set(at, 0, STOP);
                }
            }
        }
        for kind in 0..kinds {
            for symbol in 0..end {
                let (next, matches) = opening(kind, symbol);
                let flags = if matches { BOUNDARY | WAS_GAP } else { 0 };
                fused.set(((states + kind) << shift) + symbol, next, flags);
            }
        }
        let pairs = pair_columns.map(|_| layout.join(alphabet, &fused, states + kinds, shift));
        Table {
            plain,
            fused,
            pairs,
            starts: automaton.starts.iter().map(|&state| premultiplied(state)).collect(),
            gaps: (0..kinds).map(gap_of_kind).collect(),
            kinds: automaton.kinds.clone(),
            first_gap: gap_of_kind(0),
            states,
            total: is_total(automaton, end),
            nullable: automaton.is_nullable(),
        }
    }
}

impl Table {
    /// Puts the finished table down.
    pub fn put(&self, arrays: &mut Arrays) {
        let [pairs, total, nullable] = [self.pairs.is_some(), self.total, self.nullable].map(u64::from);
        arrays.numbers(&[pairs, total, nullable, u64::from(self.first_gap), self.states as u64]);
        arrays.put(&self.starts);
        arrays.put(&self.gaps);
        arrays.numbers(&self.kinds.iter().map(|&kind| kind as u64).collect::<Vec<_>>());
        self.plain.put(arrays);
        self.fused.put(arrays);
        if let Some(pairs) = &self.pairs {
            pairs.put(arrays);
        }
    }

    /// Takes what was put, for the same alphabet.
    pub fn take(shelf: &mut Shelf, alphabet: &Alphabet) -> Result<Table> {
        let [pairs, total, nullable, first_gap, states] = shelf.numbers()?;
        let (starts, gaps) = (shelf.take::<u32>()?.to_vec(), shelf.take::<u32>()?.to_vec());
        let kinds: Vec<usize> = shelf.take::<u64>()?.iter().map(|&kind| kind as usize).collect();
        let columns = alphabet.classes + 1;
        let (plain, fused) = (Rows::take(shelf, columns)?, Rows::take(shelf, columns)?);
        let pairs = if pairs == 0 { None } else { Some(Pairs::take(shelf)?) };
        let is_whole = kinds.len() == columns
            && !starts.is_empty()
            && gaps.len() == starts.len()
            && kinds.iter().all(|&kind| kind < starts.len())
            && plain.hold(&starts, columns)
            && fused.hold(&starts, columns)
            && fused.hold(&gaps, columns);
        if !is_whole {
            return Err(misfit());
        }
        Ok(Table {
            plain,
            fused,
            pairs,
            starts,
            gaps,
            kinds,
            first_gap: first_gap as u32,
            states: states as usize,
            total: total != 0,
            nullable: nullable != 0,
        })
    }
}

/// Whether no text can lead from a start to a dead end without an accept on the way.
fn is_total(automaton: &Automaton, end: usize) -> bool {
    if automaton.is_nullable() {
        return false;
    }
    let mut seen = vec![false; automaton.steps.len()];
    // The end of the text right at a start is no gap, so starts are expanded without it.
    let mut stack: Vec<u32> = Vec::new();
    for &start in &automaton.starts {
        stack.extend(automaton.steps[start as usize][..end].iter().map(|step| step.next));
    }
    while let Some(state) = stack.pop() {
        if state == DEAD {
            return false;
        }
        if std::mem::replace(&mut seen[state as usize], true) {
            continue;
        }
        let row = &automaton.steps[state as usize];
        if !row[end].accepts {
            return false;
        }
        stack.extend(row[..end].iter().filter(|step| !step.accepts).map(|step| step.next));
    }
    true
}
