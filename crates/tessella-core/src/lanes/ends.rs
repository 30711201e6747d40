//! Where sixteen tokens stand of which each is told by one number.
//!
//! A number tells in its lowest bits where in its word the token ends, or that the word ends with it; a token begins where the
//! one before it ended, or where the next word begins.

/// Tokens that are looked at together.
pub const MANY: usize = 16;

/// Bytes behind the last one of a table that sixteen places are asked about at once: four bytes are read of each.
pub const BEHIND: usize = 3;

/// Bits that tell an end.
pub const END_BITS: u32 = 4;
/// Instead of its end: the token is the last one of its word.
pub const TO_THE_END: u32 = (1 << END_BITS) - 1;

/// Sixteen tokens: where each starts and ends in the text of the words, and how many words ended before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sixteen {
    pub starts: [u32; MANY],
    pub ends: [u32; MANY],
    pub ended: [u32; MANY],
}

/// What of the tokens before them matters to the next ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Before {
    /// Words that have ended.
    pub ended: u32,
    /// Where in its word the next token begins.
    pub at: u32,
}

/// The step of all vectors but those that have their own.
#[inline(always)]
pub fn one_by_one(
    numbers: &[u32; MANY],
    starts: &[u32; MANY],
    ends: &[u32; MANY],
    mut at: u32,
    out: &mut Sixteen,
) -> Before {
    let mut ended = 0;
    for (lane, &number) in numbers.iter().enumerate() {
        let (first, last) = (starts[ended as usize % MANY], ends[ended as usize % MANY]);
        let told = number & TO_THE_END;
        let is_last = (told + 1) >> END_BITS;
        let goes_on = is_last.wrapping_sub(1);
        let start = first.wrapping_add(at);
        let end = first.wrapping_add(told) & goes_on | last & !goes_on;
        out.starts[lane] = start;
        out.ends[lane] = end.max(start.wrapping_add(1));
        out.ended[lane] = ended;
        at = told & goes_on;
        ended += is_last;
    }
    Before { ended, at }
}
