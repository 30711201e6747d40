//! Ids back to text.

use super::Tokenizer;
use crate::cancel::Cancel;
use crate::decode::{DecodeStream, Decoder, append_token_bytes, lossy_text};
use crate::error::Result;
use crate::ids::TokenId;
use crate::limits;

impl Tokenizer {
    /// Unknown ids are skipped.
    pub fn decode(&self, ids: &[TokenId], skip_special_tokens: bool) -> Result<String> {
        self.decode_until(ids, skip_special_tokens, Cancel::never())
    }

    /// The same, unless it is cancelled.
    pub(super) fn decode_until(
        &self,
        ids: &[TokenId],
        skip_special_tokens: bool,
        cancel: Cancel,
    ) -> Result<String> {
        let tokens = self.decoded_tokens(ids, skip_special_tokens);
        match &self.inner.decoder {
            Some(decoder) => {
                let tokens: Vec<String> = tokens.map(str::to_string).collect();
                let _work = limits::begin(tokens.iter().map(String::len).sum(), cancel);
                decoder.decode(tokens)
            }
            None => {
                let mut text = String::new();
                for (index, token) in tokens.enumerate() {
                    if index > 0 {
                        text.push(' ');
                    }
                    text.push_str(token);
                }
                Ok(text)
            }
        }
    }

    /// The token texts that a decoder gets.
    fn decoded_tokens<'s>(
        &'s self,
        ids: &'s [TokenId],
        skip_special_tokens: bool,
    ) -> impl Iterator<Item = &'s str> + 's {
        ids.iter()
            .filter(move |&&id| !(skip_special_tokens && self.is_special(id)))
            .filter_map(|&id| self.id_to_decoded_token(id))
    }

    /// The bytes that the ids stand for, before any lossy conversion to text.
    pub fn decode_bytes(&self, ids: &[TokenId], skip_special_tokens: bool) -> Result<Vec<u8>> {
        match &self.inner.decoder {
            Some(decoder) => {
                let tokens: Vec<&str> = self.decoded_tokens(ids, skip_special_tokens).collect();
                decoder.decode_bytes(&tokens)
            }
            None => self.decode(ids, skip_special_tokens).map(String::into_bytes),
        }
    }

    /// The text, and for each id the character at which its part starts. An id that starts inside a character
    /// gets that character's position.
    pub fn decode_with_offsets(
        &self,
        ids: &[TokenId],
        skip_special_tokens: bool,
    ) -> Result<(String, Vec<usize>)> {
        if self.inner.decoder.as_ref().is_some_and(|decoder| decoder.is_byte_level()) {
            return Ok(self.decode_bytes_with_offsets(ids, skip_special_tokens));
        }
        let text = self.decode(ids, skip_special_tokens)?;
        let mut stream = DecodeStream::new(Vec::new());
        let decode = |ids: &[TokenId]| self.decode(ids, skip_special_tokens);
        let mut starts = Vec::with_capacity(ids.len());
        let mut written = 0;
        for &id in ids {
            starts.push(written);
            if let Some(part) = stream.step(&[id], decode)? {
                written += part.chars().count();
            }
        }
        Ok((text, starts))
    }

    /// The same where text is nothing but the tokens' bytes: characters start at bytes that continue none.
    fn decode_bytes_with_offsets(&self, ids: &[TokenId], skip_special_tokens: bool) -> (String, Vec<usize>) {
        let mut bytes = Vec::with_capacity(ids.len() * 4);
        let mut starts = Vec::with_capacity(ids.len());
        let mut chars = 0;
        for &id in ids {
            let from = bytes.len();
            if !(skip_special_tokens && self.is_special(id))
                && let Some(token) = self.id_to_decoded_token(id)
            {
                append_token_bytes(token, &mut bytes);
            }
            let token = &bytes[from..];
            let continues = |byte: &u8| byte & 0xC0 == 0x80;
            starts.push(chars - usize::from(chars > 0 && token.first().is_some_and(continues)));
            chars += token.iter().filter(|byte| !continues(byte)).count();
        }
        (lossy_text(bytes), starts)
    }

    /// The decoder, if there is one.
    pub fn decoder(&self) -> Option<&Decoder> {
        self.inner.decoder.as_deref()
    }
}
