//! Files built by hand, whole and broken.

use super::*;

/// One key and its value, as they stand in a file.
fn pair(key: &str, kind: u32, value: &[u8]) -> Vec<u8> {
    let mut bytes = (key.len() as u64).to_le_bytes().to_vec();
    bytes.extend(key.as_bytes());
    bytes.extend(kind.to_le_bytes());
    bytes.extend(value);
    bytes
}

fn text(text: &str) -> Vec<u8> {
    let mut bytes = (text.len() as u64).to_le_bytes().to_vec();
    bytes.extend(text.as_bytes());
    bytes
}

fn array(kind: u32, items: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = kind.to_le_bytes().to_vec();
    bytes.extend((items.len() as u64).to_le_bytes());
    bytes.extend(items.concat());
    bytes
}

fn file(pairs: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(3u32.to_le_bytes());
    bytes.extend(0u64.to_le_bytes());
    bytes.extend((pairs.len() as u64).to_le_bytes());
    bytes.extend(pairs.concat());
    bytes
}

fn strings(items: &[&str]) -> Vec<u8> {
    array(8, &items.iter().map(|item| text(item)).collect::<Vec<_>>())
}

fn kinds(items: &[i32]) -> Vec<u8> {
    array(5, &items.iter().map(|item| item.to_le_bytes().to_vec()).collect::<Vec<_>>())
}

fn gpt2(pre: &str) -> Vec<u8> {
    file(&[
        pair("general.architecture", 8, &text("llama")),
        pair("general.sizes", 9, &array(9, &[array(4, &[vec![0; 4]])])),
        pair("tokenizer.ggml.model", 8, &text("gpt2")),
        pair("tokenizer.ggml.pre", 8, &text(pre)),
        pair("tokenizer.ggml.tokens", 9, &strings(&["a", "b", "ab", "<s>", "<x>"])),
        pair("tokenizer.ggml.token_type", 9, &kinds(&[1, 1, 1, 3, 4])),
        pair("tokenizer.ggml.merges", 9, &strings(&["a b"])),
        pair("tokenizer.ggml.bos_token_id", 4, &3u32.to_le_bytes()),
    ])
}

#[test]
fn byte_level_bpe() {
    let spec = from_bytes(&gpt2("llama-bpe")).unwrap();
    let ModelSpec::Bpe(bpe) = &spec.model else { panic!("not BPE") };
    assert!(bpe.ignore_merges && bpe.vocab.id("ab") == Some(2));
    let added: Vec<_> =
        spec.added_tokens.iter().map(|token| (token.content.as_str(), token.special)).collect();
    assert_eq!(added, [("<s>", true), ("<x>", false)]);
    assert!(matches!(&spec.post_processor, Some(PostProcessorSpec::Template(t)) if t.single.len() == 2));
    let error = from_bytes(&gpt2("no-such-cut")).unwrap_err();
    assert!(error.message().contains("no-such-cut") && error.message().contains("qwen2"));
}

#[test]
fn sentence_pieces_and_words() {
    let scores = array(6, &[0.0f32, -1.0, -2.5].map(|score| score.to_le_bytes().to_vec()));
    let llama = file(&[
        pair("tokenizer.ggml.model", 8, &text("llama")),
        pair("tokenizer.ggml.tokens", 9, &strings(&["<unk>", "▁", "a"])),
        pair("tokenizer.ggml.scores", 9, &scores),
        pair("tokenizer.ggml.token_type", 9, &kinds(&[2, 1, 1])),
    ]);
    let spec = from_bytes(&llama).unwrap();
    let ModelSpec::SentencePiece(model) = &spec.model else { panic!("not SentencePiece") };
    assert_eq!((model.kind, model.pieces[2].score), (SentencePieceKind::Bpe, -2.5));
    let bert = file(&[
        pair("tokenizer.ggml.model", 8, &text("bert")),
        pair("tokenizer.ggml.tokens", 9, &strings(&["[PAD]", "[UNK]", "[CLS]", "[SEP]", "▁foo", "bar"])),
    ]);
    let spec = from_bytes(&bert).unwrap();
    let ModelSpec::WordPiece(model) = &spec.model else { panic!("not WordPiece") };
    assert_eq!((model.vocab.id("▁foo"), model.vocab.id("bar")), (Some(4), Some(5)));
    assert!(matches!(&spec.post_processor, Some(PostProcessorSpec::Bert { cls, .. }) if cls.1 == 2));
}

#[test]
fn every_cut_and_every_absurd_length_is_an_error() {
    let whole = gpt2("gpt-2");
    for end in 0..whole.len() {
        assert!(from_bytes(&whole[..end]).is_err(), "cut at {end}");
    }
    // Wherever eight bytes stand, an immense length instead of them never leads to a panic or to its allocation.
    for at in 0..whole.len() - 8 {
        for length in [u64::MAX, 1 << 40, u64::MAX / 8 + 1] {
            let mut bytes = whole.clone();
            bytes[at..at + 8].copy_from_slice(&length.to_le_bytes());
            let _ = from_bytes(&bytes);
        }
    }
    let mut big_endian = whole.clone();
    big_endian[4..8].copy_from_slice(&3u32.to_be_bytes());
    assert!(from_bytes(&big_endian).unwrap_err().message().contains("big-endian"));
}

#[test]
fn every_cut_pattern_compiles_and_every_name_stands_once() {
    let mut names: Vec<&str> = cuts::CUTS.iter().flat_map(|cut| cut.names.iter().copied()).collect();
    for name in &names {
        let stages = cuts::by_name(name).unwrap().pre_tokenizer();
        tessella_core::pretokenize::PreTokenizer::new(&stages).unwrap();
    }
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
}
