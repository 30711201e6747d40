//! What characters are to words: between them, a word of its own, or part of one.
//!
//! ASCII is told by two tables of sixteen entries, which vectors look bytes up in; other characters one
//! by one, by a table that is filled as they come.

use std::sync::atomic::{AtomicU8, Ordering};

use super::ascii::BLOCK;
use crate::scale::or_for_fuzzers;

/// What a character is; a blank has no bit at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Kind(u8);

impl Kind {
    /// Stands between words.
    pub const BLANK: Kind = Kind(0);
    /// Part of a word.
    pub const WORD: Kind = Kind(1);
    /// A word by itself.
    pub const ALONE: Kind = Kind(2);
    /// Part of a word, but not where it begins: something stands before it that is not [`Kind::GONE`].
    pub const LEANS: Kind = Kind(Self::LEANING | 1);
    /// None of these.
    pub const ODD: Kind = Kind(8);
    /// Part of a word, and goes before what stands beside it matters.
    pub const GONE: Kind = Kind(32 | 1);
    const LEANING: u8 = 4;
    /// Whether a character is written as it is, whatever stands around it.
    const STAYS: u8 = 16;
    /// The same between others of which the same is said, also if all of them are one cluster.
    const STAYS_AMONG: u8 = 64;

    /// The same kind, of a character that is written as it is.
    pub fn that_stays(self) -> Kind {
        Kind(self.0 | Self::STAYS)
    }

    #[inline(always)]
    pub fn stays(self) -> bool {
        self.0 & Self::STAYS != 0
    }

    /// The same kind, of a character that is written as it is between others of which the same is said, in front of ASCII, and at the ends of a
    /// word.
    pub fn that_stays_among(self) -> Kind {
        Kind(self.0 | Self::STAYS_AMONG)
    }

    #[inline(always)]
    pub fn stays_among(self) -> bool {
        self.0 & Self::STAYS_AMONG != 0
    }

    /// Whether it is not told by its kind alone whether words tell all of a text.
    #[inline(always)]
    pub fn is_rare(self) -> bool {
        self.0 & Self::RARE != 0
    }

    pub fn leans(self) -> bool {
        self.standing() == Self::LEANS
    }

    pub fn is_gone(self) -> bool {
        self.standing() == Self::GONE
    }

    /// Whether it is part of a word, and what stands behind it does not stand beside what is in front of it.
    #[inline(always)]
    pub fn holds(self) -> bool {
        self.0 & (Self::WORD.0 | Self::GONE.0) == Self::WORD.0
    }

    /// Whether it is part of a word.
    pub fn is_within(self) -> bool {
        self.0 & Self::WORD.0 != 0
    }

    /// Whether it stands between words.
    pub fn is_blank(self) -> bool {
        self.standing() == Self::BLANK
    }

    /// Without what is said about writing.
    fn standing(self) -> Kind {
        Kind(self.0 & !(Self::STAYS | Self::STAYS_AMONG))
    }

    /// One for being part of a word, one for being a word by itself, and others.
    #[inline(always)]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// The bits of [`is_rare`](Self::is_rare).
    const RARE: u8 = Self::LEANING | Self::ODD.0;

    /// All ones if the kind has a bit, else zeros.
    #[inline(always)]
    fn all_if(self, bit: u8) -> u64 {
        0u64.wrapping_sub(u64::from((self.0 / bit) & 1))
    }
}

/// Bit `i` of each mask is about byte `i` of a block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Kinds {
    pub word: u64,
    pub alone: u64,
    /// Bytes of a character behind its first.
    pub inner: u64,
    /// Bytes beyond ASCII.
    pub high: u64,
}

impl Kinds {
    #[inline(always)]
    pub fn put(&mut self, bytes: u64, kind: Kind) {
        self.word |= bytes & kind.all_if(1);
        self.alone |= bytes & kind.all_if(2);
    }
}

/// A set of ASCII characters: by the low half of a byte, a bit for each high half.
pub type Set = [u8; 16];

/// The bit of a byte's high half in a [`Set`]; none beyond ASCII.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub const HIGH_HALVES: Set = [1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0];

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sets {
    pub word: Set,
    pub alone: Set,
}

impl Sets {
    /// Whether a set has a byte.
    #[inline(always)]
    pub fn has(set: &Set, byte: u8) -> bool {
        byte < 0x80 && set[usize::from(byte & 15)] >> (byte >> 4) & 1 == 1
    }
}

/// What [`Characters::of_many`] says, in order.
#[derive(Debug)]
pub struct ManyKinds([u8; BLOCK]);

impl ManyKinds {
    /// The kind of one of the characters, by its number.
    #[inline(always)]
    pub fn kind(&self, number: usize) -> Kind {
        Kind(self.0[number % BLOCK] & !KNOWN)
    }

    /// The bits of all kinds.
    #[inline(always)]
    pub fn bits(&self) -> &[u8; BLOCK] {
        &self.0
    }
}

/// Says what a character is.
pub type Tell = Box<dyn Fn(char) -> Kind + Send + Sync>;

/// Characters below this are remembered: all that are in use but for rare ideographs.
const REMEMBERED: usize = or_for_fuzzers(0x3_0000, 0x400);
/// Set where a character was asked for before.
const KNOWN: u8 = 0x80;

/// The character beyond ASCII that begins at `at` of a text in UTF-8, and its length.
#[inline(always)]
pub fn code_point_at(text: &[u8], at: usize) -> (usize, u32) {
    let byte = |ahead: usize| usize::from(text.get(at + ahead).copied().unwrap_or(0));
    let low = |ahead: usize| byte(ahead) & 0x3F;
    let lead = byte(0);
    if lead < 0xE0 {
        ((lead & 0x1F) << 6 | low(1), 2)
    } else if lead < 0xF0 {
        ((lead & 0xF) << 12 | low(1) << 6 | low(2), 3)
    } else {
        ((lead & 7) << 18 | low(1) << 12 | low(2) << 6 | low(3), 4)
    }
}

/// The kinds of all characters.
pub struct Characters {
    tell: Tell,
    pub sets: Sets,
    /// Control characters that leave it open what becomes of a text, as the words of a set of their own, if there are any.
    pub odd: Option<Sets>,
    /// All ones if characters that stand alone are one word where they stand side by side, else zeros.
    pub joins: u64,
    /// By code point; whoever asks first finds out, and who asks at the same time finds the same.
    kinds: Box<[AtomicU8]>,
}

impl Characters {
    /// `None` if some ASCII character that is no control character is neither a blank, nor alone, nor part of a word wherever it stands. `join` says whether those
    /// that stand alone are one word where they stand side by side.
    pub fn new(tell: Tell, join: bool) -> Option<Characters> {
        let (mut sets, mut odd) = (Sets::default(), Sets::default());
        for byte in 0..0x80u8 {
            let (place, bit) = (usize::from(byte & 15), 1 << (byte >> 4));
            match tell(char::from(byte)).standing() {
                Kind::BLANK => {}
                Kind::WORD => sets.word[place] |= bit,
                Kind::ALONE => sets.alone[place] |= bit,
                _ if byte.is_ascii_control() && !byte.is_ascii_whitespace() => odd.word[place] |= bit,
                _ => return None,
            }
        }
        let odd = (odd != Sets::default()).then_some(odd);
        // ASCII is told by the sets: of it there is nothing to find out here.
        let known = |code_point| if code_point < 0x80 { KNOWN } else { 0 };
        let kinds = (0..REMEMBERED).map(|code_point| AtomicU8::new(known(code_point))).collect();
        Some(Characters { tell, sets, odd, joins: if join { !0 } else { 0 }, kinds })
    }

    /// The kind of the character beyond ASCII that begins at `at` of a text in UTF-8, and its length.
    #[inline(always)]
    pub fn at(&self, text: &[u8], at: usize) -> (Kind, u32) {
        let (code_point, length) = code_point_at(text, at);
        let known = self.kinds.get(code_point).map_or(0, |kind| kind.load(Ordering::Relaxed));
        let kind = if known == 0 { self.find_out(code_point) } else { Kind(known & !KNOWN) };
        (kind, length)
    }

    /// The kinds of some characters, of which ASCII has none. Nothing if one of them has not been asked for before, or
    /// [is rare](Kind::is_rare).
    #[inline(always)]
    pub fn of_many(&self, characters: &[u16]) -> Option<ManyKinds> {
        let mut kinds = [0; BLOCK];
        let (mut all, mut any) = (KNOWN, 0);
        for (kind, &character) in kinds.iter_mut().zip(characters) {
            *kind = self.kinds.get(usize::from(character))?.load(Ordering::Relaxed);
            (all, any) = (all & *kind, any | *kind);
        }
        (all & KNOWN != 0 && any & Kind::RARE == 0).then_some(ManyKinds(kinds))
    }

    /// The kind of a character.
    pub fn of(&self, c: char) -> Kind {
        match u8::try_from(c) {
            Ok(byte @ 0..0x80) if Sets::has(&self.sets.word, byte) => Kind::WORD,
            Ok(byte @ 0..0x80) if Sets::has(&self.sets.alone, byte) => Kind::ALONE,
            Ok(byte @ 0..0x80) if self.odd.as_ref().is_some_and(|odd| Sets::has(&odd.word, byte)) => {
                Kind::ODD
            }
            Ok(0..0x80) => Kind::BLANK,
            _ => self.at(c.encode_utf8(&mut [0; 4]).as_bytes(), 0).0,
        }
    }

    /// Whether a character stands between words.
    pub fn is_blank(&self, c: char) -> bool {
        match u8::try_from(c) {
            Ok(byte @ 0..0x80) => !Sets::has(&self.sets.word, byte) && !Sets::has(&self.sets.alone, byte),
            _ => self.at(c.encode_utf8(&mut [0; 4]).as_bytes(), 0).0.is_blank(),
        }
    }

    #[cold]
    fn find_out(&self, code_point: usize) -> Kind {
        let kind = char::from_u32(code_point as u32).map_or(Kind::ODD, &*self.tell);
        if let Some(known) = self.kinds.get(code_point) {
            known.store(kind.0 | KNOWN, Ordering::Relaxed);
        }
        kind
    }
}

impl std::fmt::Debug for Characters {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Characters").field("sets", &self.sets).finish_non_exhaustive()
    }
}
