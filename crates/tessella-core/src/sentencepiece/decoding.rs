//! Decoding to text alone: a table of what each piece adds, and the pieces at the start one by one.
//!
//! The table is the one that [`decode`](crate::decode) makes of a SentencePiece decoder, and is made once it pays. Its slow twin
//! is [`surfaces`](super::surfaces), which is asked for what the table leaves open: texts that are changed as a whole when they are
//! decoded, bytes that spell no characters, and models in which one text is a control, unknown or
//! byte piece and another one besides, which a decoder of texts does not tell apart.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Processor;
use crate::decode::sentencepiece::byte_of;
use crate::decode::{Buffer, Decoder, Table};
use crate::error::Result;
use crate::ids::TokenId;
use crate::spec::PieceKind;
use crate::tokenizer::{DecodeRoom, Joined};

/// The table, made after one decoded id for every so many pieces.
#[derive(Debug, Default)]
pub(super) struct Decoding {
    table: OnceLock<Option<Table>>,
    decoded: AtomicUsize,
}

const PIECES_PER_DECODED_ID: usize = 16;

impl Processor {
    /// What ids join to, in room that the caller keeps, with texts that are no pieces in between: each stands in front of the id of
    /// its number. `pause` is called now and then. `None` where [`decode_ids`](Self::decode_ids) has to be asked, or
    /// [`decode_pieces`](Self::decode_pieces), and where an id is none.
    pub fn decode_joined<'r>(
        &self,
        ids: &[TokenId],
        between: &[(usize, &str)],
        room: &'r mut DecodeRoom,
        mut pause: impl FnMut() -> Result<()>,
    ) -> Result<Option<Joined<'r>>> {
        let Some(table) = self.table(ids.len()) else { return Ok(None) };
        let size = self.vocab_size();
        if !ids.iter().all(|&id| (id as usize) < size) || between.iter().any(|(_, text)| text.is_empty()) {
            return Ok(None);
        }
        room.bytes.clear();
        let mut begun = false;
        let mut from = 0;
        for (to, text) in between.iter().copied().chain([(ids.len(), "")]) {
            let mut part = &ids[from..to];
            if !begun {
                let (start, rest) = part.split_at(table.start_len(part, false));
                if !self.push_start(start, &mut room.bytes)? {
                    return Ok(None);
                }
                begun = !rest.is_empty();
                part = rest;
            }
            if !table.append(part, false, &mut room.bytes, &mut pause)? {
                return Ok(None);
            }
            room.bytes.push(text.as_bytes())?;
            begun |= !text.is_empty();
            from = to;
        }
        Ok(Some(room.joined(table.is_lossy())))
    }

    /// Writes what the pieces at the start of a text stand for; false where bytes stand on both sides of a piece without text: they
    /// are not read together.
    fn push_start(&self, ids: &[TokenId], out: &mut Buffer) -> Result<bool> {
        let (mut at_start, mut stripped) = (true, false);
        let mut run_end = usize::MAX;
        let mut after_byte = false;
        for &id in ids {
            let Some(known) = self.known(id) else { return Ok(false) };
            if known.kind == PieceKind::Byte
                && let Some(byte) = byte_of(&known.text)
            {
                if !after_byte && out.as_bytes().len() == run_end {
                    return Ok(false);
                }
                out.push(&[byte])?;
                (run_end, after_byte) = (out.as_bytes().len(), true);
                continue;
            }
            after_byte = false;
            at_start &= !stripped && out.as_bytes().is_empty();
            let surface;
            (surface, stripped) = self.surface(Some(known), known.text.as_bytes(), at_start);
            out.push(&surface)?;
        }
        Ok(true)
    }

    /// The table, where there is one; made here once enough has been decoded. Counts the ids until then.
    fn table(&self, ids: usize) -> Option<&Table> {
        let Decoding { table, decoded } = &self.decoding;
        if let Some(table) = table.get() {
            return table.as_ref();
        }
        let decoded = decoded.fetch_add(ids, Ordering::Relaxed).saturating_add(ids);
        if decoded < self.vocab_size() / PIECES_PER_DECODED_ID {
            return None;
        }
        let made = self.decode_table();
        table.get_or_init(|| made).as_ref()
    }

    fn decode_table(&self) -> Option<Table> {
        if self.denormalization.is_some() || self.pieces.shares_names {
            return None;
        }
        let decoder = Decoder::new(self.spec.decoder.as_ref()?).ok()?;
        let numbered = (0..).zip(self.pieces.all());
        let tokens: Vec<(TokenId, &str, bool)> =
            numbered.map(|(id, piece)| (id, piece.text.as_str(), false)).collect();
        Table::new(Some(&decoder), &tokens)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::sentencepiece::Description;
    use crate::spec::{
        DecoderSpec, ModelSpec, NormalizerSpec, SentencePiece, SentencePieceKind, SentencePieceNormalizer,
        SentencePieceSpec, TokenizerSpec,
    };

    /// A model of a few pieces of every kind, among them spaces, one of them long, and all bytes.
    fn processor(dummy: bool, remove: bool, doubled: bool) -> Processor {
        let mut pieces: Vec<(String, PieceKind)> = vec![
            ("<unk>".into(), PieceKind::Unknown),
            ("<s>".into(), PieceKind::Control),
            ("▁".into(), PieceKind::Normal),
            ("▁▁".into(), PieceKind::Normal),
            ("▁a".into(), PieceKind::Normal),
            ("é".into(), PieceKind::UserDefined),
            ("b▁c".into(), PieceKind::Unused),
            ("▁long and long and longer".into(), PieceKind::Normal),
        ];
        if doubled {
            pieces.push(("<s>".into(), PieceKind::Normal));
        }
        pieces.extend((0..=255u8).map(|byte| (format!("<0x{byte:02X}>"), PieceKind::Byte)));
        let pieces =
            pieces.into_iter().map(|(text, kind)| SentencePiece { text, score: -1.0, kind }).collect();
        let pieces = std::sync::Arc::new(pieces);
        let mut spec = TokenizerSpec::new(ModelSpec::SentencePiece(SentencePieceSpec {
            kind: SentencePieceKind::Unigram,
            pieces: std::sync::Arc::clone(&pieces),
            byte_fallback: true,
            treat_whitespace_as_suffix: false,
            wide_sums: false,
            unk_surface: " ⁇ ".into(),
            source: None,
        }));
        spec.normalizer = Some(NormalizerSpec::SentencePiece(SentencePieceNormalizer {
            name: "identity".into(),
            charsmap: [].into(),
            add_dummy_prefix: dummy,
            remove_extra_whitespaces: remove,
            escape_whitespaces: true,
            treat_whitespace_as_suffix: false,
            user_defined: ["é".to_string()].into(),
            blanks_before_words: false,
        }));
        spec.decoder = Some(DecoderSpec::SentencePiece {
            pieces,
            add_dummy_prefix: dummy,
            remove_extra_whitespaces: remove,
            treat_whitespace_as_suffix: false,
            unk_surface: " ⁇ ".into(),
        });
        let named = ["<unk>", "<s>", "</s>", "<pad>"].map(String::from);
        Processor::new(Description { spec, denormalizer: None, named, self_test: vec![] }).unwrap()
    }

    #[test]
    fn the_table_says_what_surfaces_say() {
        let mut random = Random::from_seed(11);
        let mut room = DecodeRoom::default();
        let mut settled = 0;
        for (dummy, remove) in [(true, true), (true, false), (false, true), (false, false)] {
            let processor = processor(dummy, remove, false);
            for round in 0..4000 {
                let below = [6, 9, 140, 264][round % 4];
                let mut draw = |most: u64| random.next_u64() % most;
                let ids: Vec<TokenId> = (0..draw(9)).map(|_| draw(below) as TokenId).collect();
                let mut places: Vec<usize> =
                    (0..draw(3)).map(|_| draw(ids.len() as u64 + 1) as usize).collect();
                places.sort_unstable();
                let texts = ["▁x", "z", "é é", ""];
                let between: Vec<(usize, &str)> =
                    places.into_iter().map(|place| (place, texts[draw(16) as usize % 4])).collect();
                let mut pieces: Vec<&[u8]> = Vec::new();
                let mut others = between.iter().peekable();
                for number in 0..=ids.len() {
                    while let Some((_, text)) = others.next_if(|(place, _)| *place == number) {
                        pieces.push(text.as_bytes());
                    }
                    pieces.extend(ids.get(number).map(|&id| processor.piece(id).unwrap().text.as_bytes()));
                }
                let wanted = processor.decode_pieces(pieces.iter().copied()).text;
                if between.is_empty() {
                    assert_eq!(processor.decode_ids(&ids).unwrap().text, wanted);
                }
                let bytes = match processor.decode_joined(&ids, &between, &mut room, || Ok(())).unwrap() {
                    Some(Joined::Ascii(bytes)) => bytes,
                    Some(Joined::Unsettled(bytes)) if std::str::from_utf8(bytes).is_ok() => bytes,
                    Some(Joined::Replaced(_)) => panic!("the table is of texts"),
                    _ => continue,
                };
                settled += 1;
                assert_eq!(
                    String::from_utf8_lossy(bytes),
                    String::from_utf8_lossy(&wanted),
                    "{ids:?} {between:?} {dummy} {remove}"
                );
            }
        }
        assert!(settled > 6000, "{settled}");
    }

    #[test]
    fn what_a_table_cannot_know() {
        let mut room = DecodeRoom::default();
        let ids: Vec<TokenId> = vec![4; 400];
        let doubled = processor(true, true, true);
        assert!(doubled.decode_joined(&ids, &[], &mut room, || Ok(())).unwrap().is_none());
        let known = processor(true, true, false);
        assert!(known.decode_joined(&ids, &[], &mut room, || Ok(())).unwrap().is_some());
        assert!(known.decode_joined(&[4, 10_000], &[], &mut room, || Ok(())).unwrap().is_none());
    }
}
