//! Base64 with the standard alphabet and padding (RFC 4648, section 4).

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const NONE: u8 = 0xFF;

const VALUE: [u8; 256] = {
    let mut table = [NONE; 256];
    let mut i = 0;
    while i < 64 {
        table[ALPHABET[i] as usize] = i as u8;
        i += 1;
    }
    table
};

pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = (0..3).fold(0u32, |word, i| word << 8 | *chunk.get(i).unwrap_or(&0) as u32);
        for i in 0..4 {
            if i <= chunk.len() {
                text.push(ALPHABET[(word >> (18 - 6 * i)) as usize & 63] as char);
            } else {
                text.push('=');
            }
        }
    }
    text
}

/// Decodes; the error is a phrase without a subject ("has a length that ...").
pub fn decode(text: &[u8]) -> Result<Vec<u8>, String> {
    if !text.len().is_multiple_of(4) {
        return Err(format!("has {} characters, which is no multiple of 4", text.len()));
    }
    let padding = text.iter().rev().take(2).take_while(|&&byte| byte == b'=').count();
    let body = &text[..text.len() - padding];
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for chunk in body.chunks(4) {
        let mut word = 0u32;
        for &byte in chunk {
            match VALUE[byte as usize] {
                NONE => return Err(format!("holds `{}`", (byte as char).escape_debug())),
                value => word = word << 6 | value as u32,
            }
        }
        let missing = 4 - chunk.len();
        word <<= 6 * missing;
        if word & ((1 << (8 * missing)) - 1) != 0 {
            return Err("ends in bits that no byte needs".into());
        }
        bytes.extend_from_slice(&word.to_be_bytes()[1..4 - missing]);
    }
    Ok(bytes)
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
