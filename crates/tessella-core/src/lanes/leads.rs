//! What the characters beyond ASCII of 64 bytes are, as far as their first bytes tell.

use super::ascii::{BLOCK, DIGIT, EITHER, LETTER, UPPER, WHITE};

/// What all characters are that begin with a byte, by its low six bits, in the bits of [`super::ascii::role`]; or all of these,
/// where they differ.
pub type Leads = [u8; 64];

/// Bits at first bytes alone; all five of a character whose first byte does not tell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Led {
    pub letter: u64,
    pub digit: u64,
    pub white: u64,
    pub upper: u64,
    pub either: u64,
}

impl Led {
    /// Of the characters that begin at `firsts`, of any processor.
    #[inline(always)]
    pub fn one_by_one(bytes: &[u8; BLOCK], mut firsts: u64, leads: &Leads) -> Led {
        let mut led = Led::default();
        while firsts != 0 {
            let bit = firsts.trailing_zeros();
            firsts &= firsts - 1;
            led.put(bit, leads[usize::from(bytes[bit as usize % BLOCK] & 63)]);
        }
        led
    }

    /// What a character is that begins at a bit.
    #[inline(always)]
    pub fn put(&mut self, bit: u32, role: u8) {
        for (kind, mask) in self.masks_mut() {
            *mask |= u64::from(role & kind != 0) << bit;
        }
    }

    /// Forgets the characters that begin at some bits.
    #[inline(always)]
    pub fn forget(&mut self, firsts: u64) {
        self.masks_mut().into_iter().for_each(|(_, mask)| *mask &= !firsts);
    }

    /// The role of the character that begins at a bit.
    #[inline(always)]
    pub fn role(mut self, bit: u32) -> u8 {
        self.masks_mut().into_iter().fold(0, |role, (kind, mask)| role | kind * (*mask >> bit & 1) as u8)
    }

    #[inline(always)]
    fn masks_mut(&mut self) -> [(u8, &mut u64); 5] {
        let Led { letter, digit, white, upper, either } = self;
        [(LETTER, letter), (DIGIT, digit), (WHITE, white), (UPPER, upper), (EITHER, either)]
    }
}
