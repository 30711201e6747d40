//! A tokenizer.json loads or is refused with an error; what loads can encode, decode and be written again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tessella_core::{EncodeOptions, Input, Tokenizer};
use tessella_formats::hf;
use tessella_formats::json::Parser;

const TEXTS: [&str; 6] = [
    "",
    "ab a",
    "The <pad> the  x\n\t1234!",
    "你好 é e\u{301} 🙂",
    "\u{0}\u{fffd}",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab",
];

fuzz_target!(|data: &[u8]| {
    if let Ok(mut parser) = Parser::from_bytes(data) {
        let skipped = parser.skip().and_then(|()| parser.end()).is_ok();
        let mut parser = Parser::from_bytes(data).expect("it was read before");
        let read = parser.value().and_then(|value| parser.end().map(|()| value));
        // Skipping is cruder than reading, never stricter.
        assert!(skipped || read.is_err(), "what can be read can be skipped");
    }
    let Ok(spec) = hf::from_bytes(data) else { return };
    if let Ok(written) = hf::to_string(&spec, false) {
        let again =
            hf::from_str(&written).unwrap_or_else(|error| panic!("{error} in what was written: {written}"));
        assert_eq!(
            hf::to_string(&again, false).ok().as_deref(),
            Some(written.as_str()),
            "writing is not stable"
        );
    }
    let Ok(tokenizer) = Tokenizer::new(spec) else { return };
    let options = EncodeOptions {
        truncation: tokenizer.spec().truncation.as_ref(),
        // A file may ask for padding to any length.
        padding: tokenizer.spec().padding.as_ref().filter(|padding| {
            padding.fixed_length.unwrap_or(0) < 1000 && padding.pad_to_multiple_of.unwrap_or(0) < 1000
        }),
        ..EncodeOptions::default()
    };
    for text in TEXTS {
        if let Ok(ids) = tokenizer.encode_ids(text, &options) {
            let _ = tokenizer.decode(&ids, true);
            let _ = tokenizer.decode_bytes(&ids, false);
        }
        let _ = tokenizer.encode(&Input::from(text), &options);
        let _ = tokenizer.encode(&Input::from((text, "b a")), &options);
    }
});
