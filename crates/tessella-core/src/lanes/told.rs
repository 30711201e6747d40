//! What a table of characters tells of those of a block together: what becomes of each, and whether a rule may go on from
//! it with the one behind it.

use super::ascii::BLOCK;

/// A rule goes on behind the character in ASCII, or in other characters.
pub const GOES_ON_IN_ASCII: u16 = 1;
pub const GOES_ON: u16 = 2;
/// The same with characters of two bytes, where these two are told apart; and one that becomes a blank.
pub const GOES_ON_SHORT: u16 = 4;
pub const BEFORE: u16 = 8;
/// How far to the left the same bits tell with what a rule goes on that goes on with this character.
const AS_NEXT: u32 = 4;
/// A character of ASCII, and another that stands behind one in a rule.
pub const IN_ASCII: u16 = GOES_ON_IN_ASCII << AS_NEXT;
pub const INNER: u16 = GOES_ON << AS_NEXT;
/// One of two bytes that stands behind another in a rule, and one that becomes nothing: what is behind it stands behind the blank then.
pub const INNER_SHORT: u16 = GOES_ON_SHORT << AS_NEXT;
pub const VANISHES: u16 = BEFORE << AS_NEXT;
const NEXT: u16 = GOES_ON_IN_ASCII | GOES_ON | GOES_ON_SHORT | BEFORE;
/// What vectors that ask two at a time ask of the second.
#[cfg(target_arch = "x86_64")]
pub const SECOND: u16 = NEXT << AS_NEXT;
/// What becomes of it: it stays, becomes a blank, is one that a model does not know, or the rules tell.
pub const STAYS: u16 = 0;
pub const BLANK: u16 = 1 << 8;
pub const STRANGE: u16 = 2 << 8;
pub const OTHER: u16 = 3 << 8;
/// It is not written at all, if it would stay else.
pub const GONE: u16 = 1 << 10;
/// It becomes a character of ASCII, if it would stay else.
pub const BECOMES: u16 = 1 << 11;
/// Set where a character was asked for.
pub const KNOWN: u16 = 1 << 15;

/// What becomes of a character.
#[inline(always)]
pub fn fate(known: u16) -> u16 {
    known & OTHER
}

/// Whether a rule may go on from one character with the next one.
#[inline(always)]
pub fn go_on(known: u16, next: u16) -> bool {
    known & next >> AS_NEXT & NEXT != 0
}

/// Bit `i` of each mask is about character `i` of a block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Told {
    /// A rule may go on from it with the next one.
    pub joins: u64,
    pub blank: u64,
    pub strange: u64,
    pub other: u64,
    pub gone: u64,
    pub becomes: u64,
}

/// Of what is known of the characters of a block and the one behind them.
#[inline(always)]
pub fn told_one_by_one(known: &[u16; BLOCK + 1]) -> Told {
    let mut told = Told::default();
    for (at, pair) in known.windows(2).enumerate() {
        let bit = |set: bool| u64::from(set) << at;
        told.joins |= bit(go_on(pair[0], pair[1]));
        told.blank |= bit(fate(pair[0]) == BLANK);
        told.strange |= bit(fate(pair[0]) == STRANGE);
        told.other |= bit(fate(pair[0]) == OTHER);
        told.gone |= bit(pair[0] & GONE != 0);
        told.becomes |= bit(pair[0] & BECOMES != 0);
    }
    told
}

/// The lowest bits, each at the place of one of `over`, in order.
#[inline(always)]
pub fn spread_one_by_one(mut bits: u64, mut over: u64) -> u64 {
    let mut spread = 0;
    while over != 0 {
        spread |= (over & over.wrapping_neg()) * (bits & 1);
        over &= over - 1;
        bits >>= 1;
    }
    spread
}

/// Without the bits at some places, the others closed up.
#[inline(always)]
pub fn without_one_by_one(mut bits: u64, mut places: u64) -> u64 {
    while places != 0 {
        // From the last one on, so that those before it stay where they are.
        let place = 63 - places.leading_zeros();
        let below = (1u64 << place) - 1;
        bits = bits & below | bits >> 1 & !below;
        places &= below;
    }
    bits
}

/// Puts a byte where a bit is set.
#[inline(always)]
pub fn put_one_by_one(bytes: &mut [u8; BLOCK], mut bits: u64, byte: u8) {
    while bits != 0 {
        bytes[bits.trailing_zeros() as usize] = byte;
        bits &= bits - 1;
    }
}
