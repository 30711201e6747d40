//! What the characters beyond ASCII of 64 bytes are, by their first bytes where these tell.

use super::ascii::{BLOCK, DIGIT, EITHER, LETTER, UPPER, WHITE};

/// What all characters are that begin with a byte, by its low six bits; [`MIXED`] where they differ.
pub type Leads = [u8; 64];

/// No role: all bits are never set at once.
pub const MIXED: u8 = u8::MAX;

/// Fewer characters are asked about one by one where that is quicker.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub const FEW: u32 = 8;

/// Bits at first bytes alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Led {
    pub letter: u64,
    pub digit: u64,
    pub white: u64,
    pub upper: u64,
    pub either: u64,
}

impl Led {
    /// As [`super::vectors::Vectors::led`], of any processor.
    #[inline(always)]
    pub fn one_by_one(
        bytes: &[u8; BLOCK],
        mut firsts: u64,
        leads: &Leads,
        look_up: impl Fn(usize) -> u8,
    ) -> Led {
        let mut led = Led::default();
        while firsts != 0 {
            let bit = firsts.trailing_zeros();
            firsts &= firsts - 1;
            let at = bit as usize % BLOCK;
            let role = match leads[usize::from(bytes[at] & 63)] {
                MIXED => look_up(at),
                role => role,
            };
            led.put(bit, role);
        }
        led
    }

    /// From the masks of each role, told of all bytes together, and from those whose lead is [`MIXED`].
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    #[inline(always)]
    pub fn of_masks(of: impl Fn(u8) -> u64, mut mixed: u64, look_up: impl Fn(usize) -> u8) -> Led {
        let mut led = Led {
            letter: of(LETTER),
            digit: of(DIGIT),
            white: of(WHITE),
            upper: of(UPPER),
            either: of(EITHER),
        };
        while mixed != 0 {
            let bit = mixed.trailing_zeros();
            mixed &= mixed - 1;
            led.put(bit, look_up(bit as usize));
        }
        led
    }

    /// What begins at a bit has this role.
    #[inline(always)]
    pub fn put(&mut self, bit: u32, role: u8) {
        let of = |kind: u8| u64::from((role / kind) & 1) << bit;
        self.letter |= of(LETTER);
        self.digit |= of(DIGIT);
        self.white |= of(WHITE);
        self.upper |= of(UPPER);
        self.either |= of(EITHER);
    }

    /// The role of the character that begins at a bit.
    #[inline(always)]
    pub fn role(self, bit: u32) -> u8 {
        let Led { letter, digit, white, upper, either } = self;
        let kinds = [(LETTER, letter), (DIGIT, digit), (WHITE, white), (UPPER, upper), (EITHER, either)];
        kinds.into_iter().fold(0, |role, (kind, mask)| role | (kind * (mask >> bit & 1) as u8))
    }
}
