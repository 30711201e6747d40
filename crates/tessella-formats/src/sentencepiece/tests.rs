//! Model files: what is read, what is written again, what is refused.

use tessella_core::random::Random;

use super::*;

fn model(pieces: &[(&str, f32, u64)], trainer: &TrainerSpec, normalizer: &NormalizerSection) -> Vec<u8> {
    let mut writer = Writer::default();
    for (text, score, kind) in pieces {
        let mut piece = Writer::default();
        piece.bytes(PIECE_TEXT, text.as_bytes());
        piece.float(PIECE_SCORE, *score);
        piece.varint(PIECE_KIND, *kind);
        writer.bytes(PIECES, &piece.bytes);
    }
    writer.bytes(TRAINER, &trainer.write());
    writer.bytes(NORMALIZER, &normalizer.write());
    // A field of a later version.
    writer.bytes(300, b"kept");
    writer.bytes
}

fn small() -> Vec<u8> {
    let trainer = TrainerSpec {
        model_type: Some(sections::BPE),
        input: vec!["a.txt".into(), "b.txt".into()],
        pad_id: Some(-1),
        character_coverage: Some(0.5),
        unknown: vec![0xC0, 0x0C, 7],
        ..TrainerSpec::default()
    };
    let normalizer = NormalizerSection { add_dummy_prefix: Some(false), ..NormalizerSection::default() };
    model(&[("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("▁a", -1.5, 1), ("<x>", 0.0, 4)], &trainer, &normalizer)
}

#[test]
fn a_model_is_read_and_written_unchanged() {
    let bytes = small();
    let spec = read_model(&bytes).unwrap();
    assert_eq!(write_model(&spec).unwrap(), bytes);
    let ModelSpec::SentencePiece(model) = &spec.model else { panic!("model") };
    assert_eq!(model.kind, SentencePieceKind::Bpe);
    assert_eq!(model.pieces[2], SentencePiece { text: "▁a".into(), score: -1.5, kind: PieceKind::Normal });
    assert_eq!(model.unk_surface, " \u{2047} ");
    let trainer = trainer_spec(model).unwrap();
    assert_eq!((trainer.pad_id, trainer.input.len(), trainer.unknown), (Some(-1), 2, vec![0xC0, 0x0C, 7]));
    let Some(NormalizerSpec::SentencePiece(normalizer)) = &spec.normalizer else { panic!("normalizer") };
    assert!(!normalizer.add_dummy_prefix && normalizer.remove_extra_whitespaces);
    assert_eq!(*normalizer.user_defined, ["<x>".to_string()]);
    assert!(spec.added_tokens.is_empty());
}

#[test]
fn changes_reach_the_file_and_the_rest_stays() {
    let mut spec = read_model(&small()).unwrap();
    let Some(NormalizerSpec::SentencePiece(normalizer)) = &mut spec.normalizer else { panic!("normalizer") };
    normalizer.escape_whitespaces = false;
    let ModelSpec::SentencePiece(model) = &mut spec.model else { panic!("model") };
    Arc::make_mut(&mut model.pieces)[2].score = -2.0;
    Arc::make_mut(&mut model.pieces).push(SentencePiece {
        text: "b".into(),
        score: -3.0,
        kind: PieceKind::Unused,
    });
    let bytes = write_model(&spec).unwrap();
    let again = read_model(&bytes).unwrap();
    let ModelSpec::SentencePiece(changed) = &again.model else { panic!("model") };
    assert_eq!((changed.pieces.len(), changed.pieces[2].score), (5, -2.0));
    assert_eq!(changed.pieces[4].kind, PieceKind::Unused);
    assert_eq!(normalizer_spec(changed).unwrap().escape_whitespaces, Some(false));
    assert_eq!(trainer_spec(changed).unwrap().input.len(), 2);
    assert!(bytes.windows(4).any(|window| window == b"kept"));
}

#[test]
fn a_description_without_a_file_can_be_written() {
    let mut spec = read_model(&small()).unwrap();
    let ModelSpec::SentencePiece(model) = &mut spec.model else { panic!("model") };
    model.source = None;
    let again = read_model(&write_model(&spec).unwrap()).unwrap();
    let ModelSpec::SentencePiece(model) = &again.model else { panic!("model") };
    assert_eq!(model.kind, SentencePieceKind::Bpe);
    let Some(NormalizerSpec::SentencePiece(normalizer)) = &again.normalizer else { panic!("normalizer") };
    assert!(!normalizer.add_dummy_prefix);
}

#[test]
fn what_the_format_cannot_express_is_named() {
    let message = |change: &dyn Fn(&mut TokenizerSpec)| {
        let mut spec = read_model(&small()).unwrap();
        change(&mut spec);
        write_model(&spec).unwrap_err().message().to_string()
    };
    use tessella_core::spec::{AddedToken, PreTokenizerSpec};
    assert!(message(&|spec| spec.normalizer = Some(NormalizerSpec::Nfc)).contains("a normalizer other"));
    assert!(
        message(&|spec| spec.pre_tokenizer = Some(PreTokenizerSpec::Whitespace)).contains("pre-tokenizer")
    );
    assert!(message(&|spec| spec.decoder = Some(DecoderSpec::Fuse)).contains("a decoder other"));
    assert!(message(&|spec| spec.added_tokens.push(AddedToken::new("<new>", true))).contains("`<new>`"));
}

#[test]
fn errors_say_at_which_byte() {
    let located = |bytes: &[u8]| read_model(bytes).unwrap_err().location().unwrap().to_string();
    assert_eq!(located(&[0x0A, 0x05, 1]), "byte 2");
    assert_eq!(located(&[0x0A, 0x04, 0x0A, 0x02, b'a', 0xFF]), "byte 5");
    assert_eq!(located(&[0x0F]), "byte 0");
    assert_eq!(located(&[0x0A, 0x02, 0x18, 9]), "byte 2");
    assert!(read_model(&[]).is_err());
    let many = [0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01];
    assert_eq!(located(&many), "byte 1");
}

#[test]
fn hostile_bytes_never_panic() {
    let good = small();
    for length in 0..good.len() {
        let _ = read_model(&good[..length]);
    }
    let mut random = tessella_core::random::Random::from_seed(4);
    for _ in 0..20_000 {
        let mut bytes = good.clone();
        for _ in 0..1 + random.next_u64() % 4 {
            let at = random.next_u64() as usize % bytes.len();
            bytes[at] = random.next_u64() as u8;
        }
        if let Ok(spec) = read_model(&bytes) {
            let again = write_model(&spec).unwrap();
            assert!(read_model(&again).is_ok());
        }
    }
}

/// A piece in the usual form is what the walk over its fields says, and whatever is broken or written otherwise is left to that.
#[test]
fn usual_pieces_are_read_as_all_others() {
    let mut random = Random::from_seed(5);
    let mut usual = 0;
    for round in 0..20_000u32 {
        let kind =
            [PieceKind::Normal, PieceKind::Unknown, PieceKind::Byte, PieceKind::Unused][round as usize % 4];
        let text =
            ["", "a", "▁é", "漢字"][random.next_u64() as usize % 4].repeat(random.next_u64() as usize % 20);
        let score = f32::from_bits(random.next_u64() as u32);
        let mut writer = Writer::default();
        write_piece(&SentencePiece { text, score, kind }, &mut writer);
        let mut field = Fields::new(&writer.bytes, 0);
        let mut bytes = field.next_field().unwrap().unwrap().bytes().unwrap().to_vec();
        for _ in 0..random.next_u64() % 3 {
            let at = random.next_u64() as usize % bytes.len();
            match random.next_u64() % 3 {
                0 => bytes[at] = random.next_u64() as u8,
                1 => bytes.truncate(at.max(1)),
                _ => bytes.push(random.next_u64() as u8),
            }
        }
        if let Some(piece) = read_usual_piece(&bytes) {
            usual += 1;
            let slow = read_piece(&bytes, 0).unwrap();
            assert_eq!(
                (&piece.text, piece.score.to_bits(), piece.kind),
                (&slow.text, slow.score.to_bits(), slow.kind)
            );
        }
    }
    assert!(usual > 5000, "{usual}");
}
