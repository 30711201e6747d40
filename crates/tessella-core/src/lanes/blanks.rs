//! A text as SentencePiece normalizes it, with blanks for marks: 64 bytes at a time. What stays is copied as it is, and
//! characters beyond ASCII that become one byte, or stay, are told by a table without a branch that hangs on which.
//!
//! What becomes of a character hangs on those behind it only where a rule goes on with them. So a table knows of each
//! character what it becomes, and with which bytes some rule goes on behind it ([`Follow`]); all else is left to the
//! rules themselves, chunk by chunk. The table is filled as characters come.
//!
//! Characters that a model knows nothing of are all alike to it. They are written as one ASCII character that it does
//! not know either, and every so often as another one, at which units end ([`Strangers`]).

use std::sync::atomic::{AtomicU16, Ordering};

use super::ascii::BLOCK;
use super::characters::{Sets, code_point_at};
use super::vectors::{Level, Task, Vectors};
use crate::error::Result;
use crate::limits;

/// What becomes of a character that no rule goes on behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Stays,
    Blank,
    /// It stays, and the model does not know it.
    Strange,
    /// The rules tell.
    Other,
}

/// What a text is written by.
pub trait Rules {
    fn fate(&self, c: char) -> Fate;

    /// Calls with every byte that may stand behind a character within a rule.
    fn goes_on(&self, c: char, with: &mut dyn FnMut(u8));

    /// How many bytes at the start of a text are replaced together, and by what. `None` if texts like this one are not
    /// to be written this way.
    fn chunk<'t>(&'t self, text: &'t str) -> Option<(usize, &'t str)>;
}

/// ASCII characters that stand for those that a model does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Strangers {
    pub usual: u8,
    /// Each [`Strangers::RUN`]th of them in a row. A unit ends behind it.
    pub last: u8,
}

impl Strangers {
    /// As long as a key.
    const RUN: usize = super::key::LONGEST;
}

/// How a text begins and what happens to its blanks.
#[derive(Debug, Clone, Copy)]
pub struct Spacing {
    /// A blank comes in front.
    pub prepends: bool,
    /// Blanks are dropped first, last and behind others.
    pub drops: bool,
}

/// Kinds of bytes that may follow a character: ASCII, some lead bytes which characters that join with others have, and
/// all others.
struct Follow;

impl Follow {
    const OF_BYTE: [u8; 256] = {
        let mut kinds = [0; 256];
        let mut byte = 0;
        while byte < 256 {
            kinds[byte] = match byte {
                0..=0x7F => 1,
                0xCC | 0xCD => 2,
                0xE0 => 4,
                0xE1 => 8,
                0xE2 => 16,
                0xE3 => 32,
                0xEF => 64,
                _ => 128,
            };
            byte += 1;
        }
        kinds
    };

    /// Of the byte at a place, if there is one.
    #[inline(always)]
    fn at(text: &[u8], at: usize) -> u16 {
        text.get(at).map_or(0, |&byte| u16::from(Self::OF_BYTE[usize::from(byte)]))
    }
}

/// Characters below this are remembered.
const REMEMBERED: usize = 0x3_0000;
/// In the table, above the kinds of bytes with which a rule goes on: set where a character was asked for, and its fate.
const KNOWN: u16 = 1 << 15;
const FATE: u32 = 8;

/// Bytes of a text between two looks at whether the result is still wanted.
const LOOK_EVERY: usize = 1 << 18;

/// What all workers share.
pub struct Blanks {
    spacing: Spacing,
    strangers: Option<Strangers>,
    /// ASCII characters that stay (*word*) and that become blanks (*alone*) before any other one.
    sets: Sets,
    /// What these become.
    written: [u8; 128],
    /// With which bytes a rule goes on behind ASCII characters.
    joins: [u16; 256],
    /// Filled by whoever comes first; who comes at the same time finds the same.
    characters: Box<[AtomicU16]>,
}

impl std::fmt::Debug for Blanks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Blanks").field("spacing", &self.spacing).finish_non_exhaustive()
    }
}

/// A text that is written. The buffer is longer than the text in it.
#[derive(Debug, Default)]
pub struct Written {
    bytes: Vec<u8>,
    length: usize,
}

/// Longer buffers are given back.
const MOST_KEPT: usize = 1 << 20;

impl Written {
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// Gives back what a long text took.
    pub fn rest(&mut self) {
        if self.bytes.len() > MOST_KEPT {
            *self = Written::default();
        }
    }

    #[inline(always)]
    fn push(&mut self, byte: u8) {
        self.bytes[self.length] = byte;
        self.length += 1;
    }
}

impl Blanks {
    /// For such rules; the same are to be given whenever a text is written.
    pub fn new(rules: &impl Rules, spacing: Spacing, strangers: Option<Strangers>) -> Blanks {
        let characters = (0..REMEMBERED).map(|_| AtomicU16::new(0)).collect();
        let mut blanks = Blanks {
            spacing,
            strangers,
            sets: Sets::default(),
            written: [b' '; 128],
            joins: [0; 256],
            characters,
        };
        for byte in 0..0x80u8 {
            let known = blanks.character(rules, byte.into());
            let place = usize::from(byte & 15);
            let bit = 1 << (byte >> 4);
            blanks.joins[usize::from(byte)] = known & 0xFF;
            if known & 1 == 0 {
                match Self::fate(known) {
                    Fate::Stays => {
                        blanks.sets.word[place] |= bit;
                        blanks.written[usize::from(byte)] = byte;
                    }
                    Fate::Blank => blanks.sets.alone[place] |= bit,
                    Fate::Strange | Fate::Other => {}
                }
            }
        }
        blanks
    }

    fn fate(known: u16) -> Fate {
        match known >> FATE & 3 {
            0 => Fate::Stays,
            1 => Fate::Blank,
            2 => Fate::Strange,
            _ => Fate::Other,
        }
    }

    /// What is known of a character.
    #[inline(always)]
    fn character(&self, rules: &impl Rules, code_point: usize) -> u16 {
        match self.characters.get(code_point).map_or(0, |known| known.load(Ordering::Relaxed)) {
            0 => self.find_out(rules, code_point),
            known => known,
        }
    }

    #[cold]
    fn find_out(&self, rules: &impl Rules, code_point: usize) -> u16 {
        let c = char::from_u32(code_point as u32);
        let fate = match c.map_or(Fate::Other, |c| rules.fate(c)) {
            Fate::Stays => 0,
            Fate::Blank => 1,
            Fate::Strange if self.strangers.is_some() && code_point >= 0x80 => 2,
            Fate::Strange => 0,
            Fate::Other => 3,
        };
        let mut known = KNOWN | fate << FATE;
        if let Some(c) = c {
            rules.goes_on(c, &mut |byte| known |= u16::from(Follow::OF_BYTE[usize::from(byte)]));
        }
        if let Some(place) = self.characters.get(code_point) {
            place.store(known, Ordering::Relaxed);
        }
        known
    }

    /// Writes a text; false if it is not to be written this way.
    pub fn write(&self, level: Level, rules: &impl Rules, text: &str, out: &mut Written) -> Result<bool> {
        level.run(Writing { blanks: self, rules, text, out, after_blank: self.spacing.drops, strange: 0 })
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
        let room = most_written(text.len()) + 2 * BLOCK;
        if self.out.bytes.len() < room {
            self.out.bytes.resize(room, 0);
        }
        self.out.length = 0;
        let Spacing { prepends, drops } = self.blanks.spacing;
        if text.is_empty() {
            return Ok(true);
        }
        if prepends {
            self.out.push(b' ');
        }
        let mut at = 0;
        let mut next_look = LOOK_EVERY;
        while at < text.len() {
            if at >= next_look {
                limits::check()?;
                next_look = at + LOOK_EVERY;
            }
            let taken = self.block(vectors, at);
            at += taken;
            if taken < BLOCK && at < text.len() {
                match self.characters(at) {
                    Some(next) => at = next,
                    None => return Ok(false),
                }
            }
            if self.out.length > most_written(text.len()) {
                return Ok(false);
            }
        }
        if drops {
            while self.out.length > 0 && self.out.bytes[self.out.length - 1] == b' ' {
                self.out.length -= 1;
            }
        }
        Ok(true)
    }
}

impl<R: Rules> Writing<'_, R> {
    /// Writes the characters from a place on up to the end of a block that nothing but the table is asked for; says how
    /// many bytes of them.
    #[inline(always)]
    fn block<V: Vectors>(&mut self, vectors: V, at: usize) -> usize {
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
        let mut found = Found { taken: (!told).trailing_zeros(), blanks: kinds.alone, dropped: 0, row: 0 };
        let mut bytes_written = [0; BLOCK];
        vectors.looked_up(bytes, written, 0, &mut bytes_written);
        let high_behind = rest.get(BLOCK).is_some_and(|&byte| byte >= 0x80);
        if kinds.high != 0 || high_behind {
            for (written, &byte) in bytes_written.iter_mut().zip(bytes) {
                *written |= byte & 0u8.wrapping_sub(byte >> 7);
            }
            self.wide((at, kinds.high & !kinds.inner), &mut found, &mut bytes_written);
        }
        let Found { taken, blanks, mut dropped, row } = found;
        if taken == 0 {
            return 0;
        }
        self.strange = row;
        let all = !0u64 >> (BLOCK as u32 - taken);
        if spacing.drops {
            dropped |= blanks & (blanks << 1 | u64::from(self.after_blank));
        }
        let kept = all & !dropped;
        let out = &mut *self.out;
        if let Some(room) = out.bytes[out.length..].first_chunk_mut() {
            if kept == all {
                *room = bytes_written;
            } else {
                vectors.kept(&bytes_written, kept, room);
            }
        }
        out.length += kept.count_ones() as usize;
        self.after_blank = spacing.drops && blanks >> (taken - 1) & 1 == 1;
        taken as usize
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
            let joins_before = match bit.checked_sub(1) {
                Some(before) => {
                    blanks.joins[usize::from(text[at + before as usize])] & Follow::at(text, here)
                }
                None => 0,
            };
            let fate = known >> FATE & 3;
            if known & Follow::at(text, here + length as usize) | joins_before != 0
                || fate == 3
                || end > BLOCK as u32
            {
                found.taken = if joins_before != 0 { bit - 1 } else { bit };
                break;
            }
            let bytes = (!0u64 >> (BLOCK as u32 - length)) << bit;
            let (is_blank, is_strange) = (fate == 1, fate == 2);
            let changed = 0u64.wrapping_sub(u64::from(fate != 0));
            found.dropped |= bytes & (bytes - 1) & changed;
            found.blanks |= bytes & 0u64.wrapping_sub(u64::from(is_blank));
            let row = if bit == end_of_strange { strange + 1 } else { 1 };
            let is_last = row == Strangers::RUN;
            let stands_for = if is_last { usual.last } else { usual.usual };
            let place = &mut written[bit as usize % BLOCK];
            *place = if is_strange { stands_for } else { *place };
            *place = if is_blank { b' ' } else { *place };
            strange = if is_last | !is_strange { 0 } else { row };
            end_of_strange = end;
        }
        // An ASCII character at the block's end that may join with what is behind it.
        if found.taken == BLOCK as u32 {
            let last = text[at + BLOCK - 1];
            let joins = blanks.joins[usize::from(last)] & Follow::at(text, at + BLOCK);
            found.taken -= u32::from(last < 0x80 && joins != 0);
        }
        found.row = if end_of_strange == found.taken { strange } else { 0 };
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
            let fate = if known & Follow::at(text, next) == 0 { Blanks::fate(known) } else { Fate::Other };
            match (fate, self.blanks.strangers) {
                (Fate::Strange, Some(strangers)) => {
                    self.strange += 1;
                    let ends = self.strange == Strangers::RUN;
                    self.out.push(if ends { strangers.last } else { strangers.usual });
                    self.strange = if ends { 0 } else { self.strange };
                    self.after_blank = false;
                    at = next;
                }
                (Fate::Stays, _) => {
                    // As many bytes whatever their number: what is too much is written over.
                    let four = match text[at..].first_chunk::<4>() {
                        Some(four) => *four,
                        None => std::array::from_fn(|ahead| text.get(at + ahead).copied().unwrap_or(0)),
                    };
                    if let Some(room) = self.out.bytes[self.out.length..].first_chunk_mut() {
                        *room = four;
                    }
                    self.out.length += length as usize;
                    (self.after_blank, self.strange) = (false, 0);
                    at = next;
                }
                (Fate::Blank, _) => {
                    if !self.after_blank {
                        self.out.push(b' ');
                    }
                    (self.after_blank, self.strange) = (self.blanks.spacing.drops, 0);
                    at = next;
                }
                (Fate::Other | Fate::Strange, _) => {
                    at += self.chunk(at)?;
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

    /// Writes what the rules make of the start of the rest.
    #[inline(never)]
    fn chunk(&mut self, at: usize) -> Option<usize> {
        let drops = self.blanks.spacing.drops;
        let (length, chunk) = self.rules.chunk(self.text.get(at..)?)?;
        let kept = if self.after_blank { chunk.trim_start_matches(' ') } else { chunk };
        let Written { bytes, length: written } = &mut *self.out;
        if !kept.is_empty() {
            bytes.get_mut(*written..*written + kept.len())?.copy_from_slice(kept.as_bytes());
            *written += kept.len();
            self.after_blank = drops && kept.ends_with(' ');
            self.strange = 0;
        }
        Some(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    const RULES: [(&str, &str); 9] = [
        ("\n", " "),
        ("\u{3000}", " "),
        ("\u{1}", ""),
        ("e\u{301}", "é"),
        ("ﬁ", "fi"),
        ("¨", " \u{308}"),
        ("<x>", "<x>"),
        ("か\u{3099}", "が"),
        ("\u{200b}a", "b  "),
    ];

    struct Table;

    impl Rules for Table {
        fn fate(&self, c: char) -> Fate {
            let rule = RULES.iter().find(|(from, _)| from.chars().eq([c]));
            match rule {
                None if c == ' ' => Fate::Blank,
                None if c == '▁' || c == '<' => Fate::Other,
                None if c.is_ascii() || "éかfi".contains(c) => Fate::Stays,
                None => Fate::Strange,
                Some((_, " ")) => Fate::Blank,
                Some(_) => Fate::Other,
            }
        }

        fn goes_on(&self, c: char, with: &mut dyn FnMut(u8)) {
            let rests = RULES.iter().filter_map(|(from, _)| from.strip_prefix(c));
            rests.filter_map(|rest| rest.bytes().next()).for_each(with);
        }

        fn chunk<'t>(&'t self, text: &'t str) -> Option<(usize, &'t str)> {
            let rules = RULES.iter().filter(|(from, _)| text.starts_with(from));
            let own = text.chars().next()?.len_utf8();
            let (length, chunk) = rules
                .max_by_key(|(from, _)| from.len())
                .map_or((own, &text[..own]), |(from, to)| (from.len(), *to));
            (!chunk.contains('▁')).then_some((length, chunk))
        }
    }

    /// Chunk by chunk, strangers as they are.
    fn slowly(spacing: Spacing, text: &str) -> Option<String> {
        let mut out = String::from(if spacing.prepends && !text.is_empty() { " " } else { "" });
        let mut after_blank = spacing.drops;
        let mut at = 0;
        while at < text.len() {
            let (length, chunk) = Table.chunk(&text[at..])?;
            let chunk = if after_blank { chunk.trim_start_matches(' ') } else { chunk };
            out.push_str(chunk);
            after_blank = if chunk.is_empty() { after_blank } else { spacing.drops && chunk.ends_with(' ') };
            at += length;
        }
        let kept = out.trim_end_matches(' ').len();
        out.truncate(if spacing.drops { kept } else { out.len() });
        Some(out)
    }

    #[test]
    fn texts_are_written_as_chunk_by_chunk() {
        let parts = [
            "a",
            "bcd ",
            " ",
            "  ",
            "\n",
            "e",
            "\u{301}",
            "é",
            "ж",
            "漢",
            "か",
            "\u{3099}",
            "ﬁ",
            "¨",
            "\u{1}",
            "<x>",
            "<",
            "\u{3000}",
            "\u{200b}",
            "😀",
            "plain words that go on",
            "\u{10ffff}",
            "▁",
        ];
        let strangers = Some(Strangers { usual: 2, last: 3 });
        let mut random = Random::from_seed(5);
        let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
        let mut refused = 0;
        for (prepends, drops) in [(true, true), (true, false), (false, true), (false, false)] {
            let spacing = Spacing { prepends, drops };
            let blanks = Blanks::new(&Table, spacing, strangers);
            let mut written = Written::default();
            for round in 0..2000 {
                let known = parts.len() - usize::from(below(20) > 0);
                let few = 1 + below(known);
                let most = if round % 9 == 0 { 400 } else { 30 };
                let text: String = (0..below(most)).map(|_| parts[(below(few) * 7 + few) % known]).collect();
                for level in Level::all() {
                    let done = blanks.write(level, &Table, &text, &mut written).unwrap();
                    let bytes = written.bytes();
                    let strange = |c: char| Table.fate(c) == Fate::Strange || "\u{2}\u{3}".contains(c);
                    let alike = |text: &str| text.replace(strange, "?");
                    let found = alike(std::str::from_utf8(bytes).unwrap());
                    match slowly(spacing, &text) {
                        Some(expected) if done => {
                            assert_eq!(found, alike(&expected), "{text:?}");
                            let runs = bytes.split(|&byte| byte != 2);
                            assert!(runs.into_iter().all(|run| run.len() < Strangers::RUN));
                        }
                        Some(expected) => assert!(expected.len() > 2 * text.len(), "{text:?}"),
                        None => assert!(!done),
                    }
                    refused += usize::from(!done);
                }
            }
        }
        assert!(refused > 50, "{refused}");
    }
}
