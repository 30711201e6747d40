//! Stage 6: token texts to text.
//!
//! A decoder turns the list of token texts into a list of texts which, joined, are the result; decoders
//! chain by handing such lists on. [`plain`] holds those that work on each text alone, [`bytes`] those that
//! join tokens to bytes and bytes to characters, [`sentencepiece`] a whole foreign decoder. [`stream`]
//! decodes ids as they arrive. [`table`] holds the texts of all ids, for decoders that look at each token alone.
//!
//! [`Decoder::decode_bytes`] is the same walk, but bytes that are no valid UTF-8 stay what they are instead
//! of becoming U+FFFD.

use std::borrow::Cow;
use std::cell::Cell;
use std::sync::Arc;

use crate::error::{ErrorKind, Result};
use crate::hooks::CustomDecoder;
use crate::limits;
use crate::pattern::Matcher;
use crate::spec::{DecoderSpec, PrependScheme};

mod buffer;
mod bytes;
mod plain;
pub mod sentencepiece;
mod stream;
mod table;

pub use buffer::Buffer;
pub use bytes::append_token_bytes;
pub use stream::{Added, DecodeStream};
pub use table::{TURN, Table};

use sentencepiece::SentencePieceDecoder;

/// A compiled decoder.
#[derive(Debug)]
#[allow(missing_docs)] // Each is what compiling the variant of `DecoderSpec` gives.
pub enum Decoder {
    /// The end-of-word suffix becomes a space, and nothing in the last token.
    Bpe {
        suffix: String,
    },
    /// Tokens of the byte-level alphabet to bytes to text.
    ByteLevel,
    /// Continuation tokens lose their prefix, others get a space in front.
    WordPiece {
        prefix: String,
        cleanup: bool,
    },
    /// The replacement character becomes a space; in the first token it vanishes (`keep_first` is off).
    Metaspace {
        replacement: char,
        keep_first: bool,
    },
    /// Repeated tokens collapse, padding vanishes, delimiters become spaces.
    Ctc {
        pad_token: String,
        word_delimiter_token: String,
        cleanup: bool,
    },
    /// Matches inside of each token are replaced by the content, as it is.
    Replace {
        matcher: Matcher,
        content: String,
    },
    /// All tokens become one.
    Fuse,
    /// Up to so many copies of a character go from both ends of each token.
    Strip {
        content: char,
        start: usize,
        stop: usize,
    },
    /// Runs of tokens like `<0xE2>` become the text that their bytes spell.
    ByteFallback,
    SentencePiece(SentencePieceDecoder),
    Sequence(Vec<Decoder>),
    Custom(Arc<dyn CustomDecoder>),
}

impl Decoder {
    /// Compiles a description.
    pub fn new(spec: &DecoderSpec) -> Result<Self> {
        Ok(match spec {
            DecoderSpec::Bpe { suffix } => Decoder::Bpe { suffix: suffix.clone() },
            DecoderSpec::ByteLevel { .. } => Decoder::ByteLevel,
            DecoderSpec::WordPiece { prefix, cleanup } => {
                Decoder::WordPiece { prefix: prefix.clone(), cleanup: *cleanup }
            }
            DecoderSpec::Metaspace { replacement, prepend, split: _ } => {
                Decoder::Metaspace { replacement: *replacement, keep_first: *prepend == PrependScheme::Never }
            }
            DecoderSpec::Ctc { pad_token, word_delimiter_token, cleanup } => Decoder::Ctc {
                pad_token: pad_token.clone(),
                word_delimiter_token: word_delimiter_token.clone(),
                cleanup: *cleanup,
            },
            DecoderSpec::Replace { pattern, content } => {
                Decoder::Replace { matcher: Matcher::new(pattern)?, content: content.clone() }
            }
            DecoderSpec::Fuse => Decoder::Fuse,
            DecoderSpec::Strip { content, start, stop } => {
                Decoder::Strip { content: *content, start: *start, stop: *stop }
            }
            DecoderSpec::ByteFallback => Decoder::ByteFallback,
            DecoderSpec::SentencePiece {
                pieces,
                add_dummy_prefix,
                remove_extra_whitespaces,
                treat_whitespace_as_suffix,
                unk_surface,
            } => Decoder::SentencePiece(SentencePieceDecoder::new(
                Arc::clone(pieces),
                *add_dummy_prefix,
                *remove_extra_whitespaces,
                *treat_whitespace_as_suffix,
                unk_surface.clone(),
            )),
            DecoderSpec::Sequence(decoders) => {
                Decoder::Sequence(decoders.iter().map(Decoder::new).collect::<Result<Vec<_>>>()?)
            }
            DecoderSpec::Custom(custom) => Decoder::Custom(Arc::clone(custom)),
        })
    }

    /// Token texts to the texts that, joined, are the result.
    pub fn decode_chain(&self, tokens: Vec<String>) -> Result<Vec<String>> {
        let _work = limits::begin_alone(tokens.iter().map(String::len).sum());
        let texts = self.chain(tokens)?;
        limits::check_growth(texts.iter().map(String::len).sum(), || "a decoder".to_string())?;
        Ok(texts)
    }

    fn chain(&self, tokens: Vec<String>) -> Result<Vec<String>> {
        match self {
            Decoder::Bpe { suffix } => Ok(plain::bpe(tokens, suffix)),
            Decoder::ByteLevel => Ok(vec![bytes::byte_level(&tokens)]),
            Decoder::WordPiece { prefix, cleanup } => Ok(plain::word_piece(tokens, prefix, *cleanup)),
            Decoder::Metaspace { replacement, keep_first } => {
                Ok(plain::metaspace(tokens, *replacement, *keep_first))
            }
            Decoder::Ctc { pad_token, word_delimiter_token, cleanup } => {
                Ok(plain::ctc(tokens, pad_token, word_delimiter_token, *cleanup))
            }
            Decoder::Replace { matcher, content } => {
                let sum = Sum::default();
                tokens
                    .into_iter()
                    .map(|token| sum.add(plain::replace(token, matcher, content, sum.get())?))
                    .collect()
            }
            Decoder::Fuse => Ok(vec![tokens.concat()]),
            Decoder::Strip { content, start, stop } => Ok(tokens
                .into_iter()
                .map(|token| {
                    let range = plain::strip(token.as_bytes(), *content, *start, *stop);
                    if range.len() == token.len() { token } else { token[range].to_owned() }
                })
                .collect()),
            Decoder::ByteFallback => Ok(bytes::byte_fallback(tokens)),
            Decoder::SentencePiece(decoder) => decoder.decode_chain(tokens),
            Decoder::Sequence(decoders) => in_turn(decoders, tokens, |decoder, tokens| {
                let texts = decoder.chain(tokens)?;
                let bytes = texts.iter().map(String::len).sum();
                Ok((texts, bytes))
            }),
            Decoder::Custom(custom) => custom.decode_chain(tokens),
        }
    }

    /// The text of tokens.
    pub fn decode(&self, tokens: Vec<String>) -> Result<String> {
        let _work = limits::begin_alone(tokens.iter().map(String::len).sum());
        let mut texts = self.decode_chain(tokens)?;
        Ok(if texts.len() == 1 { texts.swap_remove(0) } else { texts.concat() })
    }

    /// The bytes that the tokens stand for, before those that are no valid UTF-8 are given up for U+FFFD.
    ///
    /// Byte-level and byte-fallback decoders and SentencePiece's give their bytes; what comes after them in a chain works on
    /// bytes too as far as it can (fusing, stripping, replacing inside of the valid parts). A later decoder
    /// that needs text gets the lossy one. Every other decoder gives the UTF-8 of its text.
    pub fn decode_bytes<S: AsRef<str>>(&self, tokens: &[S]) -> Result<Vec<u8>> {
        let tokens: Vec<String> = tokens.iter().map(|token| token.as_ref().to_owned()).collect();
        let _work = limits::begin_alone(tokens.iter().map(String::len).sum());
        bytes::concat(self.decode_fragments(bytes::texts(tokens))?)
    }

    fn decode_fragments(&self, fragments: Vec<bytes::Fragment>) -> Result<Vec<bytes::Fragment>> {
        match self {
            Decoder::Sequence(decoders) => in_turn(decoders, fragments, |decoder, fragments| {
                let fragments = decoder.decode_fragments(fragments)?;
                let bytes = fragments.iter().map(|fragment| fragment.as_bytes().len()).sum();
                Ok((fragments, bytes))
            }),
            Decoder::ByteLevel => Ok(bytes::byte_level_fragments(fragments)),
            Decoder::ByteFallback => Ok(bytes::byte_fallback_fragments(fragments)),
            Decoder::Fuse => Ok(bytes::fuse_fragments(fragments)),
            Decoder::Strip { content, start, stop } => {
                Ok(bytes::strip_fragments(fragments, *content, *start, *stop))
            }
            Decoder::Replace { matcher, content } => {
                let sum = Sum::default();
                bytes::replace_fragments(fragments, |text| {
                    sum.add(plain::replace(text, matcher, content, sum.get())?)
                })
            }
            Decoder::SentencePiece(decoder) => {
                let tokens = fragments.into_iter().map(bytes::Fragment::into_text).collect();
                Ok(vec![bytes::Fragment::of(decoder.decode_bytes(tokens)?)])
            }
            _ => {
                let tokens = fragments.into_iter().map(bytes::Fragment::into_text).collect();
                Ok(bytes::texts(self.chain(tokens)?))
            }
        }
    }

    fn as_sentencepiece(&self) -> Option<&SentencePieceDecoder> {
        match self {
            Decoder::SentencePiece(decoder) => Some(decoder),
            _ => None,
        }
    }

    /// Whether decoding is nothing but joining the bytes of the tokens ([`append_token_bytes`]) and reading
    /// them as UTF-8 (lossily): then a table of bytes by id replaces the chain.
    pub fn is_byte_level(&self) -> bool {
        match self {
            Decoder::ByteLevel => true,
            Decoder::Sequence(decoders) => match decoders.as_slice() {
                [first, rest @ ..] => {
                    first.is_byte_level() && rest.iter().all(|decoder| matches!(decoder, Decoder::Fuse))
                }
                [] => false,
            },
            _ => false,
        }
    }
}

/// Runs decoders one after the other; `run` also tells how many bytes there are. Between two of them somebody may
/// stop, and the text may not have grown beyond its limit.
fn in_turn<T>(
    decoders: &[Decoder],
    start: T,
    mut run: impl FnMut(&Decoder, T) -> Result<(T, usize)>,
) -> Result<T> {
    decoders.iter().enumerate().try_fold(start, |now, (index, decoder)| {
        let name = || format!("decoder {} of {}", index + 1, decoders.len());
        if index > 0 {
            limits::check()?;
        }
        let (next, bytes) = run(decoder, now).map_err(|error| match error.kind() {
            ErrorKind::Value => error.at(name()),
            _ => error,
        })?;
        limits::check_growth(bytes, name)?;
        Ok(next)
    })
}

/// Bytes that one decoder has written so far.
#[derive(Debug, Default)]
struct Sum(Cell<usize>);

impl Sum {
    fn get(&self) -> usize {
        self.0.get()
    }

    fn add(&self, text: String) -> Result<String> {
        self.0.set(self.0.get().saturating_add(text.len()));
        Ok(text)
    }
}

/// The text of bytes, with U+FFFD for what is not valid; no copy if all is valid.
pub fn lossy_text(bytes: Vec<u8>) -> String {
    match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => match String::from_utf8_lossy(error.as_bytes()) {
            Cow::Borrowed(text) => text.to_owned(),
            Cow::Owned(text) => text,
        },
    }
}

#[cfg(test)]
mod tests;
