//! Tokenizer files of every other kind load or are refused with an error; what loads can encode and decode.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tessella_core::{EncodeOptions, Input, Tokenizer, TokenizerSpec};
use tessella_formats::{detect, gguf, hf, sentencepiece, tekken, tiktoken, vocab_files};

const TEXTS: [&str; 4] = ["", "ab a  <s>", "你好 é e\u{301} 🙂\n", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"];

fn use_it(spec: TokenizerSpec) {
    let _ = hf::to_string(&spec, false);
    let Ok(tokenizer) = Tokenizer::new(spec) else { return };
    let options = EncodeOptions::default();
    for text in TEXTS {
        if let Ok(ids) = tokenizer.encode_ids(text, &options) {
            let _ = tokenizer.decode(&ids, false);
        }
        let _ = tokenizer.encode(&Input::from(text), &options);
    }
}

fuzz_target!(|data: &[u8]| {
    let _ = detect::sniff(data);
    for spec in [
        sentencepiece::read_model(data),
        gguf::from_bytes(data),
        tekken::from_bytes(data),
        tiktoken::from_bytes(data, "cl100k_base", None),
    ]
    .into_iter()
    .flatten()
    {
        use_it(spec);
    }
    let _ = vocab_files::read_vocab_txt(data);
    let _ = vocab_files::read_merges_txt(data);
    let _ = hf::read_vocab_json(data);
    let middle = data.len() / 2;
    let _ = vocab_files::read_bpe(&data[..middle], &data[middle..]);
});
