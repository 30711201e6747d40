//! A text as SentencePiece normalizes it, with blanks for marks: 64 bytes at a time. What stays is copied as it is, and
//! characters beyond ASCII that become one byte, or stay, are told by a table without a branch that hangs on which.
//!
//! What becomes of a character hangs on those behind it only where a rule goes on with them. So a table knows of each
//! character what it becomes, whether a rule goes on behind it, and whether it stands behind others in a rule
//! ([`super::told`]); what is left is left to the rules themselves, chunk by chunk. The table is filled as characters come.
//!
//! Characters that a model knows nothing of are all alike to it. They are written as one ASCII character that it does
//! not know either, and every so often as another one, at which units end ([`Strangers`]).

mod whole;

use std::sync::atomic::{AtomicU8, AtomicU16, Ordering, fence};

use super::ascii::BLOCK;
use super::characters::{Kinds, Sets, code_point_at};
use super::rules::{Beside, Fate, Rules, Spacing, Strangers};
use super::told::{
    BECOMES, BEFORE, BLANK, GOES_ON, GOES_ON_IN_ASCII, GOES_ON_SHORT, GONE, IN_ASCII, INNER, INNER_SHORT,
    KNOWN, OTHER, STAYS, STRANGE, VANISHES, fate, go_on,
};
use super::unfold::Unfolded;
use super::vectors::{Level, Task, Vectors};
use super::written::Written;
use crate::error::Result;
use crate::limits;
use crate::scale::or_for_fuzzers;

/// Characters below this are remembered: all of 16 bits at least.
const REMEMBERED: usize = or_for_fuzzers(0x3_0000, 0x1_0000);

/// Bytes of a text between two looks at whether the result is still wanted.
const LOOK_EVERY: usize = 1 << 18;

/// What all workers share.
pub struct Blanks {
    spacing: Spacing,
    strangers: Option<Strangers>,
    /// ASCII characters that stay (*word*) and that become blanks (*alone*) before any other one.
    sets: Sets,
    /// What ASCII characters become, those too that stay only where no rule goes on.
    written: [u8; 128],
    /// The characters that stand behind another one in a rule.
    inner: Option<Vec<char>>,
    /// Filled by whoever comes first; who comes at the same time finds the same.
    characters: Box<[AtomicU16]>,
    /// What those become that become another one of ASCII.
    becomes: Box<[AtomicU8]>,
}

impl std::fmt::Debug for Blanks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Blanks").field("spacing", &self.spacing).finish_non_exhaustive()
    }
}

impl Blanks {
    /// For such rules; the same are to be given whenever a text is written.
    pub fn new<R: Rules>(rules: &R, spacing: Spacing, strangers: Option<Strangers>) -> Blanks {
        let characters = (0..REMEMBERED).map(|_| AtomicU16::new(0)).collect();
        let mut blanks = Blanks {
            spacing,
            strangers,
            sets: Sets::default(),
            written: [b' '; 128],
            inner: rules.inner(),
            characters,
            becomes: (0..if R::BY_WORDS { REMEMBERED } else { 0 }).map(|_| AtomicU8::new(0)).collect(),
        };
        for byte in 0..0x80u8 {
            let known = blanks.character(rules, byte.into());
            let place = usize::from(byte & 15);
            let bit = 1 << (byte >> 4);
            let is_alone = known & (GOES_ON_IN_ASCII | GONE) == 0;
            match fate(known) {
                STRANGE | OTHER => {}
                BLANK => blanks.sets.alone[place] |= if is_alone { bit } else { 0 },
                _ => {
                    blanks.sets.word[place] |= if is_alone { bit } else { 0 };
                    blanks.written[usize::from(byte)] = match rules.fate(byte.into()).0 {
                        Fate::Becomes(other) => other,
                        _ => byte,
                    };
                }
            }
        }
        blanks
    }

    /// What is known of a character.
    #[inline(always)]
    fn character(&self, rules: &impl Rules, code_point: usize) -> u16 {
        match self.characters.get(code_point).map_or(0, |known| known.load(Ordering::Relaxed)) {
            0 => self.find_out(rules, code_point),
            known => known,
        }
    }

    /// What is known of the character that begins at a place, if there is one.
    #[inline(always)]
    fn at(&self, rules: &impl Rules, text: &[u8], at: usize) -> u16 {
        match text.get(at) {
            Some(0..0x80) => KNOWN | IN_ASCII,
            Some(_) => self.character(rules, code_point_at(text, at).0),
            None => KNOWN,
        }
    }

    #[cold]
    fn find_out(&self, rules: &impl Rules, code_point: usize) -> u16 {
        let c = char::from_u32(code_point as u32);
        let (fate, beside) = c.map_or((Fate::Other, Beside::default()), |c| rules.fate(c));
        let mut known = match fate {
            Fate::Stays => KNOWN,
            Fate::Becomes(_) if code_point < 0x80 => KNOWN,
            Fate::Becomes(byte) => match self.becomes.get(code_point) {
                Some(place) => {
                    place.store(byte, Ordering::Relaxed);
                    // Who sees that it becomes one sees which.
                    fence(Ordering::Release);
                    KNOWN | BECOMES
                }
                None => KNOWN | OTHER,
            },
            Fate::Blank => KNOWN | BLANK,
            Fate::Strange if self.strangers.is_some() && code_point >= 0x80 => KNOWN | STRANGE,
            Fate::Strange => KNOWN,
            Fate::Gone => KNOWN | GONE,
            Fate::Other => KNOWN | OTHER,
        };
        if let Some(c) = c {
            rules.goes_on(c, &mut |byte| known |= if byte < 0x80 { GOES_ON_IN_ASCII } else { GOES_ON });
            let is_inner = |inner: &Vec<char>| inner.binary_search(&c).is_ok();
            known |= match c {
                '\0'..'\u{80}' => IN_ASCII,
                _ if self.inner.as_ref().is_none_or(is_inner) => INNER,
                _ => 0,
            };
            let Beside { goes_on, is_inner, is_blank, vanishes } = beside;
            let bits = |is: bool, bits: u16| if is { bits } else { 0 };
            known |= bits(goes_on.0, GOES_ON_SHORT) | bits(goes_on.1, GOES_ON) | bits(is_blank, BEFORE);
            known |= bits(is_inner.0, INNER_SHORT) | bits(is_inner.1, INNER) | bits(vanishes, VANISHES);
        }
        if let Some(place) = self.characters.get(code_point) {
            place.store(known, Ordering::Relaxed);
        }
        known
    }

    /// What a character becomes of which it is known that it is one of ASCII.
    #[inline(always)]
    fn becomes(&self, code_point: usize) -> u8 {
        fence(Ordering::Acquire);
        self.becomes.get(code_point).map_or(b' ', |byte| byte.load(Ordering::Relaxed))
    }

    /// Writes a text; false if it is not to be written this way.
    pub fn write(&self, level: Level, rules: &impl Rules, text: &str, out: &mut Written) -> Result<bool> {
        let told = String::new();
        level.run(Writing {
            blanks: self,
            rules,
            text,
            out,
            after_blank: self.spacing.drops,
            strange: 0,
            told,
        })
    }
}

/// A text on its way.
struct Writing<'w, R> {
    blanks: &'w Blanks,
    rules: &'w R,
    text: &'w str,
    out: &'w mut Written,
    /// Blanks that come now are dropped.
    after_blank: bool,
    /// Strangers in a row, less those before the last that ends a unit.
    strange: usize,
    /// What a character becomes.
    told: String,
}

/// What is found of a block.
struct Found {
    /// Bytes that the table tells all of.
    taken: u32,
    /// Those of characters that become blanks.
    blanks: u64,
    /// Those that are not written.
    dropped: u64,
    /// Strangers in a row at the end.
    row: usize,
    /// Whether nothing but the end of the block keeps the next character from being taken.
    is_cut: bool,
}

/// From so many characters beyond ASCII on they are told together.
const FEW: u32 = 6;

/// Of strangers among the first `taken` characters of a block, each of which is one written byte, behind `row` others: those
/// that end a unit, and how many stand in a row at the end.
#[inline(always)]
fn rows_of_strangers(strange: u64, taken: u32, row: usize) -> (u64, usize) {
    // Where fifteen begin.
    const { assert!(Strangers::RUN == 15) };
    let twos = strange & strange >> 1;
    let fours = twos & twos >> 2;
    let eights = fours & fours >> 4;
    let is_long = eights & eights >> 7 != 0 || row + strange.trailing_ones() as usize >= Strangers::RUN;
    if !is_long {
        let last = (strange << (BLOCK as u32 - taken)).leading_ones();
        return (0, last as usize + if last == taken { row } else { 0 });
    }
    let (mut lasts, mut row) = (0, row);
    for at in 0..taken {
        row = if strange >> at & 1 == 1 { row + 1 } else { 0 };
        let is_last = row == Strangers::RUN;
        lasts |= u64::from(is_last) << at;
        row = if is_last { 0 } else { row };
    }
    (lasts, row)
}

/// Characters that the table tells all of, in a row: by the block again.
const MANY_TOLD: u32 = 8;

/// Texts that become longer than this take the other way.
fn most_written(bytes: usize) -> usize {
    2 * bytes + BLOCK
}

impl<R: Rules> Task for Writing<'_, R> {
    type Output = Result<bool>;

    #[inline(always)]
    fn run<V: Vectors>(mut self, vectors: V) -> Result<bool> {
        let text = self.text.as_bytes();
        self.out.begin(most_written(text.len()) + 2 * BLOCK);
        let Spacing { prepends, drops } = self.blanks.spacing;
        self.out.ended_with_blanks = false;
        if text.is_empty() {
            return Ok(true);
        }
        if prepends {
            self.out.push(b' ', 0);
        }
        let mut at = 0;
        // What would join with others in front is not told without such.
        if R::BY_WORDS && self.blanks.at(self.rules, text, 0) & (INNER | INNER_SHORT | VANISHES) != 0 {
            let Some(next) = self.whole_word(0) else { return Ok(false) };
            at = next;
        }
        let mut next_look = LOOK_EVERY;
        while at < text.len() {
            if at >= next_look {
                limits::check()?;
                next_look = at + LOOK_EVERY;
            }
            let (taken, is_done) = self.block(vectors, at);
            at += taken;
            if !is_done && at < text.len() {
                match self.characters(at) {
                    Some(next) => at = next,
                    None => return Ok(false),
                }
            }
            if self.out.length > most_written(text.len()) {
                return Ok(false);
            }
        }
        let written = self.out.length;
        if drops {
            while self.out.length > 0 && self.out.bytes[self.out.length - 1] == b' ' {
                self.out.length -= 1;
            }
        }
        // What was taken back at the end says where it came from already.
        let is_whole = self.out.length == written;
        self.out.ended_with_blanks = !is_whole;
        let first = if prepends { Some(self.dropped_first()) } else { None };
        self.out.note_ends(first, is_whole.then_some(text.len()));
        Ok(true)
    }
}

impl<R: Rules> Writing<'_, R> {
    /// Bytes of blanks that are dropped before all else.
    fn dropped_first(&self) -> usize {
        if !self.out.tells_sources || !self.blanks.spacing.drops {
            return 0;
        }
        let mut at = 0;
        while let Some((length, " ")) = self.text.get(at..).and_then(|rest| self.rules.chunk(rest)) {
            at += length;
        }
        at
    }

    /// Writes the characters from a place on up to the end of a block that nothing but the table is asked for; says how
    /// many bytes of them, and whether these are all that are whole.
    #[inline(always)]
    fn block<V: Vectors>(&mut self, vectors: V, at: usize) -> (usize, bool) {
        let Blanks { sets, written, spacing, .. } = self.blanks;
        let text = self.text.as_bytes();
        let rest = &text[at..];
        let mut end = [0; BLOCK];
        let (bytes, there) = match rest.first_chunk() {
            Some(bytes) => (bytes, !0),
            None => {
                end[..rest.len()].copy_from_slice(rest);
                (&end, (1u64 << rest.len()) - 1)
            }
        };
        let kinds = vectors.kinds(bytes, sets);
        let told = (kinds.word | kinds.alone | kinds.high) & there;
        let taken = (!told).trailing_zeros();
        let mut found = Found { taken, blanks: kinds.alone, dropped: 0, row: 0, is_cut: false };
        let mut bytes_written = [0; BLOCK];
        vectors.looked_up(bytes, written, 0, &mut bytes_written);
        let high_behind = rest.get(BLOCK).is_some_and(|&byte| byte >= 0x80);
        if kinds.high != 0 || high_behind {
            for (written, &byte) in bytes_written.iter_mut().zip(bytes) {
                *written |= byte & 0u8.wrapping_sub(byte >> 7);
            }
            let firsts = kinds.high & !kinds.inner;
            let is_told = V::TELLS
                && firsts.count_ones() >= FEW
                && self.many(vectors, (at, bytes), kinds, &mut found, &mut bytes_written);
            if !is_told {
                self.wide((at, firsts), &mut found, &mut bytes_written);
            }
        }
        let Found { taken, blanks, mut dropped, row, is_cut } = found;
        if taken == 0 {
            return (0, false);
        }
        self.strange = row;
        let all = !0u64 >> (BLOCK as u32 - taken);
        if spacing.drops {
            dropped |= blanks & (blanks << 1 | u64::from(self.after_blank));
        }
        let kept = all & !dropped;
        let out = &mut *self.out;
        out.note_kept(vectors, at, kept, kept == all);
        if let Some(room) = out.bytes[out.length..].first_chunk_mut() {
            if kept == all {
                *room = bytes_written;
            } else {
                vectors.kept(&bytes_written, kept, room);
            }
        }
        out.length += kept.count_ones() as usize;
        self.after_blank = spacing.drops && blanks >> (taken - 1) & 1 == 1;
        (taken as usize, is_cut || taken == BLOCK as u32)
    }

    /// The same as [`wide`](Self::wide) for all characters of a block together, if the table tells of all of them; else
    /// false, and nothing was done.
    #[inline(always)]
    fn many<V: Vectors>(
        &self,
        vectors: V,
        (at, bytes): (usize, &[u8; BLOCK]),
        kinds: Kinds,
        found: &mut Found,
        written: &mut [u8; BLOCK],
    ) -> bool {
        let blanks = self.blanks;
        let mut characters = [0; BLOCK];
        let Unfolded { bytes: whole, written: count, .. } = vectors.unfolded(bytes, &mut characters);
        // Characters of four bytes are told one by one.
        if whole < BLOCK - 2 {
            return false;
        }
        let mut known = [0; BLOCK + 1];
        let mut all = KNOWN;
        for (known, &character) in known.iter_mut().zip(&characters[..count]) {
            *known = blanks.characters[usize::from(character)].load(Ordering::Relaxed);
            all &= *known;
        }
        if all & KNOWN == 0 {
            return false;
        }
        known[count % (BLOCK + 1)] = blanks.at(self.rules, self.text.as_bytes(), at + whole);
        let told = vectors.told(&known);
        let firsts = !kinds.inner;
        let ends = (told.joins | told.other) & !0 >> (BLOCK - count);
        let stop = match ends {
            0 => whole as u32,
            _ => vectors.spread(ends & ends.wrapping_neg(), firsts).trailing_zeros(),
        };
        found.is_cut = ends == 0 && stop < found.taken;
        found.taken = found.taken.min(stop);
        if found.taken == 0 {
            return true;
        }
        let taken = (firsts & !0 >> (BLOCK as u32 - found.taken)).count_ones();
        let strange = told.strange & !(!0u64).checked_shl(taken).unwrap_or(0);
        let strange_bytes = vectors.spread(strange, firsts);
        let blank_bytes = vectors.spread(told.blank, firsts) & kinds.high;
        let behind = |bytes: u64| {
            let second = bytes << 1 & kinds.inner;
            second | second << 1 & kinds.inner
        };
        found.dropped |= behind(strange_bytes | blank_bytes);
        let gone = told.gone & !(!0u64).checked_shl(taken).unwrap_or(0);
        if gone != 0 {
            let gone_bytes = vectors.spread(gone, firsts) & kinds.high;
            found.dropped |= gone_bytes | behind(gone_bytes);
        }
        found.blanks |= blank_bytes | behind(blank_bytes);
        let usual = blanks.strangers.map_or(Strangers { usual: 0, last: 0 }, |strangers| strangers);
        vectors.put(written, strange_bytes, usual.usual);
        vectors.put(written, blank_bytes, b' ');
        let mut becomes = told.becomes & !(!0u64).checked_shl(taken).unwrap_or(0);
        if becomes != 0 {
            let mut bytes = vectors.spread(becomes, firsts);
            found.dropped |= behind(bytes);
            while becomes != 0 {
                let (number, bit) = (becomes.trailing_zeros() as usize, bytes.trailing_zeros() as usize);
                written[bit % BLOCK] = blanks.becomes(characters[number % BLOCK].into());
                becomes &= becomes - 1;
                bytes &= bytes - 1;
            }
        }
        // What is not written does not end a row.
        let kept = vectors.without(strange, gone);
        let (lasts, row) = match taken - gone.count_ones() {
            0 => (0, self.strange),
            taken => rows_of_strangers(kept, taken, self.strange),
        };
        found.row = row;
        if lasts != 0 {
            let lasts = if gone == 0 { lasts } else { vectors.spread(lasts, !gone) };
            vectors.put(written, vectors.spread(lasts, firsts), usual.last);
        }
        true
    }

    /// Looks at the characters beyond ASCII that begin at the bits of a block, up to the first that the table does not tell
    /// all of: what is taken ends there. What becomes of them is written in the place of their first bytes.
    #[inline(always)]
    fn wide(&self, (at, firsts): (usize, u64), found: &mut Found, written: &mut [u8; BLOCK]) {
        let (blanks, text) = (self.blanks, self.text.as_bytes());
        let usual = blanks.strangers.map_or(Strangers { usual: 0, last: 0 }, |strangers| strangers);
        let (mut strange, mut end_of_strange) = (self.strange, 0);
        let mut rest = firsts & !(!0u64).checked_shl(found.taken).unwrap_or(0);
        while rest != 0 {
            let bit = rest.trailing_zeros();
            rest &= rest - 1;
            let here = at + bit as usize;
            let (code_point, length) = code_point_at(text, here);
            let known = blanks.character(self.rules, code_point);
            let end = bit + length;
            // What stands before it was a character of the block before, or had its own look.
            let joins_before = bit > 0 && self.joins(text[at + bit as usize - 1], known);
            let fate = fate(known);
            let is_whole = end <= BLOCK as u32;
            let joins = is_whole && go_on(known, blanks.at(self.rules, text, here + length as usize));
            if joins | joins_before | (fate == OTHER) | !is_whole {
                found.taken = if joins_before { bit - 1 } else { bit };
                found.is_cut = !is_whole && !joins_before;
                break;
            }
            let bytes = (!0u64 >> (BLOCK as u32 - length)) << bit;
            let (is_blank, is_strange, is_gone) = (fate == BLANK, fate == STRANGE, known & GONE != 0);
            let becomes = known & BECOMES != 0;
            let changed = 0u64.wrapping_sub(u64::from(is_blank | is_strange | becomes));
            found.dropped |= bytes & (bytes - 1) & changed | bytes & 0u64.wrapping_sub(u64::from(is_gone));
            found.blanks |= bytes & 0u64.wrapping_sub(u64::from(is_blank));
            let row = if bit == end_of_strange { strange + 1 } else { 1 };
            let is_last = row == Strangers::RUN;
            let stands_for = if is_last { usual.last } else { usual.usual };
            let place = &mut written[bit as usize % BLOCK];
            *place = if is_strange { stands_for } else { *place };
            *place = if is_blank { b' ' } else { *place };
            if becomes {
                *place = blanks.becomes(code_point);
            }
            let (strange_before, goes_on) = (strange, bit == end_of_strange);
            strange = if is_last | !is_strange { 0 } else { row };
            strange = if is_gone & goes_on { strange_before } else { strange };
            end_of_strange = end;
        }
        // An ASCII character at the block's end that may join with what is behind it.
        if found.taken == BLOCK as u32 {
            let behind = blanks.at(self.rules, text, at + BLOCK);
            found.taken -= u32::from(self.joins(text[at + BLOCK - 1], behind));
        }
        found.row = if end_of_strange == found.taken { strange } else { 0 };
    }

    /// Whether a rule may go on from an ASCII character, if the byte is one, with what is known of the next.
    #[inline(always)]
    fn joins(&self, byte: u8, next: u16) -> bool {
        byte < 0x80 && go_on(self.blanks.character(self.rules, byte.into()), next)
    }

    /// Writes characters one by one, at least one, up to where ASCII or what the table tells begins again, or the text ends;
    /// says where. `None` if the text is not to be written this way.
    #[inline(always)]
    fn characters(&mut self, mut at: usize) -> Option<usize> {
        let text = self.text.as_bytes();
        let most = most_written(text.len());
        let mut told = 0;
        loop {
            told += 1;
            let byte = text[at];
            let (code_point, length) =
                if byte < 0x80 { (usize::from(byte), 1) } else { code_point_at(text, at) };
            let known = self.blanks.character(self.rules, code_point);
            let next = at + length as usize;
            let joins = go_on(known, self.blanks.at(self.rules, text, next));
            match (if joins { OTHER } else { fate(known) }, self.blanks.strangers) {
                (STRANGE, Some(strangers)) => {
                    self.strange += 1;
                    let ends = self.strange == Strangers::RUN;
                    self.out.push(if ends { strangers.last } else { strangers.usual }, at);
                    self.strange = if ends { 0 } else { self.strange };
                    self.after_blank = false;
                    at = next;
                }
                (STAYS, _) if known & GONE != 0 => at = next,
                (STAYS, _) if known & BECOMES != 0 => {
                    self.out.push(self.blanks.becomes(code_point), at);
                    (self.after_blank, self.strange) = (false, 0);
                    at = next;
                }
                (STAYS, _) => {
                    // As many bytes whatever their number: what is too much is written over.
                    let mut four = match text[at..].first_chunk::<4>() {
                        Some(four) => *four,
                        None => std::array::from_fn(|ahead| text.get(at + ahead).copied().unwrap_or(0)),
                    };
                    if length == 1 {
                        four[0] = self.blanks.written[usize::from(byte) % 128];
                    }
                    if let Some(room) = self.out.bytes[self.out.length..].first_chunk_mut() {
                        *room = four;
                    }
                    self.out.note(length as usize, |byte| at + byte);
                    self.out.length += length as usize;
                    (self.after_blank, self.strange) = (false, 0);
                    at = next;
                }
                (BLANK, _) => {
                    if !self.after_blank {
                        self.out.push(b' ', at);
                    }
                    (self.after_blank, self.strange) = (self.blanks.spacing.drops, 0);
                    at = next;
                }
                _ => {
                    at += self.chunk(at, joins)?;
                    told = 0;
                }
            }
            let is_ascii = |at: usize| text.get(at).is_none_or(|&byte| byte < 0x80);
            let is_over = at >= text.len() || self.out.length > most || told == MANY_TOLD;
            if is_over || is_ascii(at) && is_ascii(at + 1) {
                return Some(at);
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
