//! Base64 with the standard alphabet and padding (RFC 4648, section 4).

use ::base64::engine::general_purpose::STANDARD;
use ::base64::{DecodeError, Engine as _};

pub fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// What no character of the alphabet stands for: a bit that is in no decoded group.
const NONE: u32 = 1 << 24;
/// What each byte is worth at each of the four places of a group: its six bits where they lie in the group's three bytes, the first
/// byte lowest.
static WORTH: [[u32; 256]; 4] = {
    let mut table = [[NONE; 256]; 4];
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bits = 0;
    while bits < 64 {
        let byte = alphabet[bits] as usize;
        let mut place = 0;
        while place < 4 {
            let [_, first, second, third] = ((bits as u32) << (18 - 6 * place)).to_be_bytes();
            table[place][byte] = u32::from_le_bytes([first, second, third, 0]);
            place += 1;
        }
        bits += 1;
    }
    table
};

/// Decodes what `text` begins with, up to the first character that does not belong to it, into `bytes`, and tells how many characters and
/// bytes that was. Some of `bytes` behind them may be written to as well. `None` where [`decode`] has to say what it is,
/// and where there is no room.
#[inline]
pub fn decode_plain(text: &[u8], bytes: &mut [u8]) -> Option<(usize, usize)> {
    let (mut at, mut end) = (0, 0);
    // Most tokens are short, and of what length nobody foresees: some groups are decoded whether they belong to it or not.
    while let (Some(block), Some(room)) = (
        text.get(at..).and_then(|text| text.first_chunk::<AHEAD>()),
        bytes.get_mut(end..).and_then(|bytes| bytes.first_chunk_mut::<AHEAD>()),
    ) {
        let mut ends = 1 << TOGETHER;
        for (number, group) in block.as_chunks::<4>().0.iter().enumerate() {
            let together = (0..4).fold(0, |all, place| all | WORTH[place][usize::from(group[place])]);
            ends |= u32::from(together >= NONE) << number;
            room[3 * number..3 * number + 4].copy_from_slice(&together.to_le_bytes());
        }
        let groups = ends.trailing_zeros() as usize;
        (at, end) = (at + 4 * groups, end + 3 * groups);
        if groups == TOGETHER {
            continue;
        }
        let last: [u8; 4] = std::array::from_fn(|place| block[4 * groups + place]);
        let (length, value) = last_group(last);
        if value >= 1 << (8 * length) {
            return None;
        }
        room[3 * groups..3 * groups + 4].copy_from_slice(&value.to_le_bytes());
        return Some((at + 4 * usize::from(length > 0), end + length));
    }
    while let Some(&group) = text[at..].first_chunk::<4>() {
        let together = (0..4).fold(0, |all, place| all | WORTH[place][usize::from(group[place])]);
        if together < NONE {
            *bytes.get_mut(end..)?.first_chunk_mut()? = together.to_le_bytes();
            (at, end) = (at + 4, end + 3);
            continue;
        }
        let (length, value) = last_group(group);
        if value >= 1 << (8 * length) {
            return None;
        }
        bytes.get_mut(end..)?.get_mut(..length)?.copy_from_slice(&value.to_le_bytes()[..length]);
        return Some((at + 4 * usize::from(length > 0), end + length));
    }
    Some((at, end))
}

/// Groups that are decoded together.
const TOGETHER: usize = 4;
/// Their characters. As many bytes may be written to.
const AHEAD: usize = 4 * TOGETHER;

/// How many bytes a group holds that is no whole one, none if it does not belong to the token, and the bytes. Where the group is
/// none of a token either, the value is too large for them.
#[inline(always)]
fn last_group(group: [u8; 4]) -> (usize, u32) {
    let worth = |place: usize| WORTH[place][usize::from(group[place])];
    let is_padded = |place: usize| group[place] == b'=';
    // One byte needs two characters, two need three. There are no bits that belong to none.
    let (length, third) = if is_padded(2) { (1, 0) } else { (2, worth(2)) };
    let value = worth(0) | worth(1) | third | if is_padded(3) { 0 } else { NONE };
    if worth(0) >= NONE { (0, 0) } else { (length, value) }
}

/// Decodes; the error is a phrase without a subject ("has a length that ...").
pub fn decode(text: &[u8]) -> Result<Vec<u8>, String> {
    if !text.len().is_multiple_of(4) {
        return Err(format!("has {} characters, which is no multiple of 4", text.len()));
    }
    STANDARD.decode(text).map_err(|error| match error {
        DecodeError::InvalidByte(_, byte) => format!("holds `{}`", (byte as char).escape_debug()),
        DecodeError::InvalidLastSymbol { .. } => "ends in bits that no byte needs".into(),
        _ => "does not end as base64 does".into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        for length in 0..70 {
            let bytes: Vec<u8> = (0..length).map(|i| (i * 37 + length) as u8).collect();
            assert_eq!(decode(encode(&bytes).as_bytes()).unwrap(), bytes);
        }
        assert_eq!(encode(b"ab"), "YWI=");
    }

    #[test]
    fn what_is_not_base64() {
        for bad in ["YWI", "YW=I", "Y===", "YW J", "YWJ=", "====", "YWI=YWI="] {
            assert!(decode(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
