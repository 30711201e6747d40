//! Base64 with the standard alphabet and padding (RFC 4648, section 4).

use ::base64::engine::general_purpose::STANDARD;
use ::base64::{DecodeError, Engine as _};

pub fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
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
