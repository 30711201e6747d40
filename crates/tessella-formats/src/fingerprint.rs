//! What makes two descriptions the same, in 64 hexadecimal digits.
//!
//! Everything that decides ids, offsets or decoded text goes into SHA-256 under a name of its own, with its
//! length, so that no two descriptions write the same bytes. Large tables go in id order, whatever the order
//! in which they were built. A component written by a user counts by its import path; one without a path has
//! no identity that another process could check, and is an error.

use tessella_core::spec::described::Slot;
use tessella_core::spec::{Described, Merges, ModelSpec, SentencePiece, Tables, TokenizerSpec, Vocab};
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

    /// Tables, then settings.
    fn model(&mut self, model: &ModelSpec) {
        self.bytes(model.kind().to_ascii_lowercase().as_bytes());
        if let Some(vocab) = model.vocab() {
            self.vocab(vocab);
        }
        match model.tables() {
            Tables::Vocab(_) => {}
            Tables::Merges(model) => match &model.merges {
                Merges::ConcatRank => self.bytes(b"ranks"),
                Merges::Pairs(pairs) => {
                    self.bytes(b"pairs");
                    self.number(pairs.len() as u64);
                    for &(left, right) in pairs.iter() {
                        self.number((left as u64) << 32 | right as u64);
                    }
                }
            },
            Tables::Scores(model) => {
                self.number(model.vocab.len() as u64);
                for (text, score) in model.vocab.iter() {
                    self.bytes(text.as_bytes());
                    self.number(score.to_bits());
                }
            }
            Tables::Pieces(model) => {
                self.number(model.kind as u64);
                self.pieces(&model.pieces);
            }
        }
        for field in model.clone().fields() {
            self.setting(field.slot);
        }
        if let ModelSpec::SentencePiece(model) = model {
            self.number(model.treat_whitespace_as_suffix as u64);
            self.bytes(model.unk_surface.as_bytes());
            if model.wide_sums {
                self.bytes(b"wide sums");
            }
        }
    }

    fn setting(&mut self, slot: Slot<'_>) {
        match slot {
            Slot::Flag(flag) => self.number(*flag as u64),
            Slot::MaybeFlag(flag) => self.number(flag.map_or(u64::MAX, u64::from)),
            Slot::Number(number) => self.number(*number as u64),
            Slot::MaybeNumber(number) => self.number(number.map_or(u64::MAX, |number| number as u64)),
            // None and zero are the same: nothing is left to chance.
            Slot::Probability(share) => {
                self.number(share.filter(|share| *share != 0.0).map_or(0, f32::to_bits) as u64);
            }
            Slot::MaybeReal(number) => self.number(number.unwrap_or(0.0).to_bits()),
            Slot::Text(text) => self.bytes(text.as_bytes()),
            Slot::MaybeText(text) => {
                self.number(text.is_some() as u64);
                self.bytes(text.as_deref().unwrap_or_default().as_bytes());
            }
            Slot::Character(character) => self.number(u64::from(*character)),
            Slot::Pieces(pieces) => self.pieces(pieces),
            // What only other stages have; a model that gets one says here what of it counts.
            Slot::Texts(_) | Slot::Bytes(_) | Slot::Pattern(_) | Slot::Behavior(_) | Slot::Scheme(_) => {
                unreachable!("no model has such a setting")
            }
            Slot::Matching(_) | Slot::Token(_) | Slot::Template(_) | Slot::Specials(_) => {
                unreachable!("no model has such a setting")
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
         level of an importable module, and without attributes of its own"
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
