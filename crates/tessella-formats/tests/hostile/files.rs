//! Tiny valid tokenizer files of every kind, made by hand: something to break.

/// A `tokenizer.json` with a byte-level BPE and every part that such a file can have.
pub const BPE: &str = r##"{
  "version": "1.0",
  "truncation": {"direction": "Right", "max_length": 20, "strategy": "LongestFirst", "stride": 2},
  "padding": {"strategy": {"Fixed": 4}, "direction": "Right", "pad_to_multiple_of": null, "pad_id": 0, "pad_type_id": 0, "pad_token": "<pad>"},
  "added_tokens": [
    {"id": 0, "content": "<pad>", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true},
    {"id": 9, "content": "the", "single_word": true, "lstrip": true, "rstrip": true, "normalized": true, "special": false}
  ],
  "normalizer": {"type": "Sequence", "normalizers": [
    {"type": "NFC"}, {"type": "Lowercase"}, {"type": "Strip", "strip_left": true, "strip_right": false},
    {"type": "Replace", "pattern": {"Regex": "\\s+"}, "content": " "},
    {"type": "Replace", "pattern": {"String": "x"}, "content": "y"}, {"type": "Prepend", "prepend": "a"}
  ]},
  "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
    {"type": "Split", "pattern": {"Regex": "\\p{N}{1,3}|\\s?\\p{L}+"}, "behavior": "Isolated", "invert": false},
    {"type": "Digits", "individual_digits": true}, {"type": "Punctuation", "behavior": "Removed"},
    {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true}
  ]},
  "post_processor": {"type": "Sequence", "processors": [
    {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": false, "use_regex": true},
    {"type": "TemplateProcessing",
     "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
     "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
     "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}}}
  ]},
  "decoder": {"type": "Sequence", "decoders": [
    {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true},
    {"type": "Strip", "content": " ", "start": 1, "stop": 0}, {"type": "Fuse"}
  ]},
  "model": {"type": "BPE", "dropout": null, "unk_token": "<unk>", "continuing_subword_prefix": null,
    "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false, "ignore_merges": false,
    "vocab": {"<pad>": 0, "<s>": 1, "<unk>": 2, "a": 3, "b": 4, "Ġ": 5, "ab": 6, "Ġa": 7, "Ã": 8},
    "merges": [["a", "b"], ["Ġ", "a"]]}
}"##;

pub const WORD_PIECE: &str = r###"{
  "version": "1.0", "truncation": null,
  "padding": {"strategy": "BatchLongest", "direction": "Left", "pad_to_multiple_of": 8, "pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]"},
  "added_tokens": [{"id": 1, "content": "[CLS]", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true}],
  "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true},
  "pre_tokenizer": {"type": "BertPreTokenizer"},
  "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]},
  "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true},
  "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
    "vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "a": 3, "##b": 4, "ab": 5}}
}"###;

pub const UNIGRAM: &str = r#"{
  "version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
  "normalizer": {"type": "Sequence", "normalizers": [{"type": "Nmt"}, {"type": "Precompiled", "precompiled_charsmap": "AAAAAA=="}, {"type": "StripAccents"}]},
  "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
    {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true},
    {"type": "UnicodeScripts"}, {"type": "CharDelimiterSplit", "delimiter": "-"}, {"type": "Whitespace"}, {"type": "WhitespaceSplit"},
    {"type": "FixedLength", "length": 5}]},
  "post_processor": {"type": "RobertaProcessing", "sep": ["</s>", 1], "cls": ["<s>", 0], "trim_offsets": true, "add_prefix_space": true},
  "decoder": {"type": "Sequence", "decoders": [
    {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true},
    {"type": "ByteFallback"}, {"type": "BPEDecoder", "suffix": "</w>"}, {"type": "Replace", "pattern": {"String": "_"}, "content": " "},
    {"type": "CTC", "pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": true}]},
  "model": {"type": "Unigram", "unk_id": 0, "byte_fallback": false,
    "vocab": [["<unk>", 0.0], ["▁", -2.5], ["a", -1.25], ["ab", -3.0], ["b", -1e1]]}
}"#;

pub const WORD_LEVEL: &str = r#"{
  "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
  "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null, "decoder": null,
  "model": {"type": "WordLevel", "unk_token": "<unk>", "vocab": {"<unk>": 0, "a": 1, "b": 2}}
}"#;

/// The `tokenizer.json` files by name.
pub const JSON: [(&str, &str); 4] =
    [("bpe", BPE), ("word_piece", WORD_PIECE), ("unigram", UNIGRAM), ("word_level", WORD_LEVEL)];

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let bits =
            chunk.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            out.push(if place <= chunk.len() {
                ALPHABET[(bits >> (18 - 6 * place)) as usize & 63] as char
            } else {
                '='
            });
        }
    }
    out
}

/// All bytes, and two pairs.
fn tokens() -> Vec<Vec<u8>> {
    (0..=255u8).map(|byte| vec![byte]).chain([b"ab".to_vec(), b" a".to_vec()]).collect()
}

/// A table of ranks.
pub fn tiktoken() -> Vec<u8> {
    let lines: String =
        tokens().iter().enumerate().map(|(rank, token)| format!("{} {rank}\n", base64(token))).collect();
    lines.into_bytes()
}

/// A `tekken.json`.
pub fn tekken() -> Vec<u8> {
    let vocab: Vec<String> = tokens()
        .iter()
        .enumerate()
        .map(|(rank, token)| {
            format!(r#"{{"rank": {rank}, "token_bytes": "{}", "token_str": null}}"#, base64(token))
        })
        .collect();
    format!(
        r#"{{"config": {{"pattern": "\\p{{L}}+|[^\\p{{L}}]", "num_vocab_tokens": 258, "default_vocab_size": 262, "default_num_special_tokens": 4, "version": "v3"}},
"vocab": [{}],
"special_tokens": [{{"rank": 0, "token_str": "<unk>", "is_control": true}}, {{"rank": 1, "token_str": "<s>", "is_control": true}}]}}"#,
        vocab.join(",\n")
    )
    .into_bytes()
}

/// Words of a `vocab.txt`.
pub fn vocab_txt() -> Vec<u8> {
    b"[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n##b\nab\n".to_vec()
}

/// `vocab.json` and `merges.txt`.
pub fn vocab_and_merges() -> (Vec<u8>, Vec<u8>) {
    (r#"{"a": 0, "b": 1, "ab": 2, "Ġ": 3}"#.as_bytes().to_vec(), b"#version: 0.2\na b\n".to_vec())
}

fn gguf_text(text: &str) -> Vec<u8> {
    let mut bytes = (text.len() as u64).to_le_bytes().to_vec();
    bytes.extend(text.as_bytes());
    bytes
}

fn gguf_pair(key: &str, kind: u32, value: &[u8]) -> Vec<u8> {
    let mut bytes = gguf_text(key);
    bytes.extend(kind.to_le_bytes());
    bytes.extend(value);
    bytes
}

fn gguf_array(kind: u32, items: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = kind.to_le_bytes().to_vec();
    bytes.extend((items.len() as u64).to_le_bytes());
    bytes.extend(items.concat());
    bytes
}

/// A GGUF file of one of the models that it knows.
pub fn gguf(model: &str) -> Vec<u8> {
    let texts: &[&str] = match model {
        "bert" => &["[PAD]", "[UNK]", "[CLS]", "[SEP]", "▁a", "b"],
        _ => &["<unk>", "<s>", "a", "b", "ab", "<x>"],
    };
    let strings =
        |items: &[&str]| gguf_array(8, &items.iter().map(|item| gguf_text(item)).collect::<Vec<_>>());
    let kinds = |items: &[i32]| {
        gguf_array(5, &items.iter().map(|item| item.to_le_bytes().to_vec()).collect::<Vec<_>>())
    };
    let scores: Vec<Vec<u8>> = (0..6).map(|at| (-(at as f32)).to_le_bytes().to_vec()).collect();
    let pairs = [
        gguf_pair("general.architecture", 8, &gguf_text("llama")),
        gguf_pair("general.sizes", 9, &gguf_array(9, &[gguf_array(4, &[vec![0; 4]])])),
        gguf_pair("tokenizer.ggml.model", 8, &gguf_text(model)),
        gguf_pair("tokenizer.ggml.pre", 8, &gguf_text("llama-bpe")),
        gguf_pair("tokenizer.ggml.tokens", 9, &strings(texts)),
        gguf_pair("tokenizer.ggml.token_type", 9, &kinds(&[2, 3, 1, 1, 1, 4])),
        gguf_pair("tokenizer.ggml.scores", 9, &gguf_array(6, &scores)),
        gguf_pair("tokenizer.ggml.merges", 9, &strings(&["a b"])),
        gguf_pair("tokenizer.ggml.bos_token_id", 4, &1u32.to_le_bytes()),
        gguf_pair("tokenizer.ggml.add_bos_token", 7, &[1]),
    ];
    let mut bytes = b"GGUF".to_vec();
    bytes.extend(3u32.to_le_bytes());
    bytes.extend(0u64.to_le_bytes());
    bytes.extend((pairs.len() as u64).to_le_bytes());
    bytes.extend(pairs.concat());
    bytes
}

pub const GGUF_MODELS: [&str; 4] = ["llama", "t5", "gpt2", "bert"];

fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![number << 3 | 2];
    let mut length = bytes.len();
    while length >= 128 {
        out.push((length & 127) as u8 | 128);
        length >>= 7;
    }
    out.push(length as u8);
    out.extend(bytes);
    out
}

fn number(number: u8, value: u8) -> Vec<u8> {
    vec![number << 3, value]
}

/// A SentencePiece model; `kind` is 1 for unigram, 2 for BPE, 3 for words, 4 for characters.
pub fn sentencepiece(kind: u8) -> Vec<u8> {
    let mut model = Vec::new();
    let pieces: [(&str, f32, u8); 8] = [
        ("<unk>", 0.0, 2),
        ("<s>", 0.0, 3),
        ("</s>", 0.0, 3),
        ("▁", -1.0, 1),
        ("a", -2.0, 1),
        ("▁a", -2.5, 1),
        ("<sep>", 0.0, 4),
        ("b", -3.0, 1),
    ];
    for (text, score, kind) in pieces {
        let mut piece = field(1, text.as_bytes());
        piece.push(2 << 3 | 5);
        piece.extend(score.to_le_bytes());
        piece.extend(number(3, kind));
        model.extend(field(1, &piece));
    }
    let mut trainer = number(3, kind);
    trainer.extend(number(4, 8));
    model.extend(field(2, &trainer));
    let mut normalizer = field(1, b"identity");
    normalizer.extend(number(3, 1));
    normalizer.extend(number(4, 1));
    normalizer.extend(number(5, 1));
    model.extend(field(3, &normalizer));
    model
}

/// All files that are not JSON, by name.
pub fn binary() -> Vec<(String, Vec<u8>)> {
    let (vocab, merges) = vocab_and_merges();
    let mut files = vec![
        ("ranks.tiktoken".to_string(), tiktoken()),
        ("tekken.json".to_string(), tekken()),
        ("vocab.txt".to_string(), vocab_txt()),
        ("vocab.json".to_string(), vocab),
        ("merges.txt".to_string(), merges),
    ];
    files.extend(GGUF_MODELS.iter().map(|model| (format!("{model}.gguf"), gguf(model))));
    files.extend((1..=4).map(|kind| (format!("{kind}.model"), sentencepiece(kind))));
    files
}
