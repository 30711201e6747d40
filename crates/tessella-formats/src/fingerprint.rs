//! What makes two descriptions the same, in 64 hexadecimal digits.
//!
//! Everything that decides ids, offsets or decoded text goes into SHA-256 under a name of its own, with its
//! length, so that no two descriptions write the same bytes. Large tables go in id order, whatever the order
//! in which they were built. A component written by a user counts by its import path; one without a path has
//! no identity that another process could check, and is an error.

use tessella_core::spec::{Merges, ModelSpec, SentencePiece, TokenizerSpec, Vocab};
use tessella_core::{Error, Result};

use sha2::{Digest, Sha256};

use crate::json::{Layout, Writer};

mod small_parts;

/// Feeds parts into the hash, each with its length.
struct Feed(Sha256);

impl Feed {
    fn bytes(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    fn number(&mut self, number: u64) {
        self.0.update(number.to_le_bytes());
    }

    fn vocab(&mut self, vocab: &Vocab) {
        let mut entries: Vec<(&str, u32)> = vocab.iter().collect();
        // Of texts that share an id, the one that names it comes last.
        entries.sort_unstable_by_key(|&(text, id)| (id, vocab.text(id) == Some(text), text));
        self.number(entries.len() as u64);
        for (text, id) in entries {
            self.number(id as u64);
            self.bytes(text.as_bytes());
        }
    }

    fn pieces(&mut self, pieces: &[SentencePiece]) {
        self.number(pieces.len() as u64);
        for piece in pieces {
            self.bytes(piece.text.as_bytes());
            self.number(piece.score.to_bits() as u64);
            self.number(piece.kind as u64);
        }
    }

    fn model(&mut self, model: &ModelSpec) {
        match model {
            ModelSpec::Bpe(model) => {
                self.bytes(b"bpe");
                self.vocab(&model.vocab);
                match &model.merges {
                    Merges::ConcatRank => self.bytes(b"ranks"),
                    Merges::Pairs(pairs) => {
                        self.bytes(b"pairs");
                        self.number(pairs.len() as u64);
                        for &(left, right) in pairs.iter() {
                            self.number((left as u64) << 32 | right as u64);
                        }
                    }
                }
                // No dropout and a dropout of zero are the same.
                self.number(model.dropout.filter(|dropout| *dropout != 0.0).map_or(0, f32::to_bits) as u64);
                for text in [&model.unk_token, &model.continuing_subword_prefix, &model.end_of_word_suffix] {
                    self.number(text.is_some() as u64);
                    self.bytes(text.as_deref().unwrap_or_default().as_bytes());
                }
                for flag in [model.fuse_unk, model.byte_fallback, model.ignore_merges] {
                    self.number(flag as u64);
                }
            }
            ModelSpec::WordPiece(model) => {
                self.bytes(b"wordpiece");
                self.vocab(&model.vocab);
                self.bytes(model.unk_token.as_bytes());
                self.bytes(model.continuing_subword_prefix.as_bytes());
                self.number(model.max_input_chars_per_word as u64);
            }
            ModelSpec::WordLevel(model) => {
                self.bytes(b"wordlevel");
                self.vocab(&model.vocab);
                self.bytes(model.unk_token.as_bytes());
            }
            ModelSpec::Unigram(model) => {
                self.bytes(b"unigram");
                self.number(model.vocab.len() as u64);
                for (text, score) in model.vocab.iter() {
                    self.bytes(text.as_bytes());
                    self.number(score.to_bits());
                }
                self.number(model.unk_id.map_or(u64::MAX, |id| id as u64));
                self.number(model.byte_fallback as u64);
                self.number(model.alpha.unwrap_or(0.0).to_bits());
                self.number(model.nbest_size.map_or(u64::MAX, |size| size as u64));
            }
            ModelSpec::SentencePiece(model) => {
                self.bytes(b"sentencepiece");
                self.number(model.kind as u64);
                self.pieces(&model.pieces);
                self.number(model.byte_fallback as u64);
                self.number(model.treat_whitespace_as_suffix as u64);
                self.bytes(model.unk_surface.as_bytes());
                if model.wide_sums {
                    self.bytes(b"wide sums");
                }
            }
        }
    }
}

/// The fingerprint of a description.
pub fn fingerprint(spec: &TokenizerSpec) -> Result<String> {
    let mut feed = Feed(Sha256::new());
    feed.bytes(b"tessella 1");
    let mut writer = Writer::new(Layout::Compact);
    small_parts::write(&mut writer, spec)?;
    feed.bytes(writer.finish().as_bytes());
    feed.model(&spec.model);
    for pieces in small_parts::piece_tables(spec) {
        feed.pieces(pieces);
    }
    Ok(hex(&feed.0.finalize()))
}

/// The SHA-256 of some bytes in hexadecimal digits.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// An error for a component that has no import path.
fn nameless(kind: &str) -> Error {
    Error::unsupported(format!(
        "a tokenizer with a custom {kind} that has no import path has no fingerprint; define its class at the top \
         level of an importable module"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tessella_core::spec::{AddedToken, NormalizerSpec, WordLevelSpec};

    fn spec(entries: &[(&str, u32)]) -> TokenizerSpec {
        let vocab = Vocab::from_entries(entries.iter().copied()).unwrap().into();
        TokenizerSpec::new(ModelSpec::WordLevel(WordLevelSpec { vocab, unk_token: "a".into() }))
    }

    #[test]
    fn published_example() {
        assert_eq!(sha256_hex(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn order_of_building_does_not_matter_and_content_does() {
        let one = spec(&[("a", 0), ("b", 1)]);
        let print = fingerprint(&one).unwrap();
        assert_eq!(print.len(), 64);
        assert_eq!(print, fingerprint(&spec(&[("b", 1), ("a", 0)])).unwrap());
        assert_ne!(print, fingerprint(&spec(&[("b", 0), ("a", 1)])).unwrap());
        let mut other = one.clone();
        other.normalizer = Some(NormalizerSpec::Nfc);
        assert_ne!(print, fingerprint(&other).unwrap());
        let mut other = one.clone();
        other.added_tokens = vec![AddedToken::new("a", true)];
        assert_ne!(print, fingerprint(&other).unwrap());
    }
}
