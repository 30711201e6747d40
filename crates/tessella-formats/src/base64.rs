//! Base64 with the standard alphabet and padding (RFC 4648, section 4).

use ::base64::engine::general_purpose::STANDARD;
use ::base64::{DecodeError, Engine as _};

pub fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// What no character of the alphabet stands for.
const NONE: u8 = 64;
const SIX_BITS: [u8; 256] = {
    let mut table = [NONE; 256];
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut at = 0;
    while at < alphabet.len() {
        table[alphabet[at] as usize] = at as u8;
        at += 1;
    }
    table
};

/// Decodes what `text` begins with, up to the first character that does not belong to it, and tells how much that was.
/// `None`, with anything behind `bytes`, where [`decode`] has to say what it is.
#[inline]
pub fn append_plain(text: &[u8], bytes: &mut Vec<u8>) -> Option<usize> {
    let mut at = 0;
    loop {
        let Some(&[a, b, c, d]) = text[at..].first_chunk::<4>() else { return Some(at) };
        let [x, y, z, w] = [a, b, c, d].map(|byte| SIX_BITS[usize::from(byte)]);
        if x | y | z | w < NONE {
            bytes.extend_from_slice(&[x << 2 | y >> 4, y << 4 | z >> 2, z << 6 | w]);
            at += 4;
            continue;
        }
        if x == NONE {
            return Some(at);
        }
        // The end of a token: no more than one byte or two, and no bits that belong to none.
        let (padded, stray) = if c == b'=' { (1, y & 15) } else { (2, z & 3) };
        if d != b'=' || y == NONE || (padded == 2 && z == NONE) || stray != 0 {
            return None;
        }
        bytes.extend_from_slice(&[x << 2 | y >> 4, y << 4 | z >> 2][..padded]);
        return Some(at + 4);
    }
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
