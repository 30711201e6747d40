//! Byte-level BPE: decoding what was encoded gives the text back, whole, as bytes, or piece by piece.
#![no_main]

use arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use tessella_core::decode::DecodeStream;
use tessella_core::spec::{AddedToken, DecoderSpec, PreTokenizerSpec, TokenizerSpec};
use tessella_core::{EncodeOptions, Tokenizer};
use tessella_fuzz::choose;

fn check(u: &mut Unstructured<'_>) -> Result<()> {
    let mut spec = TokenizerSpec::new(choose::byte_level_bpe(u)?);
    spec.pre_tokenizer = Some(PreTokenizerSpec::ByteLevel {
        add_prefix_space: false,
        trim_offsets: false,
        use_regex: u.arbitrary()?,
    });
    spec.decoder =
        Some(DecoderSpec::ByteLevel { add_prefix_space: false, trim_offsets: false, use_regex: true });
    if u.arbitrary()? {
        spec.added_tokens = ["<s>", "the", "ab"]
            .into_iter()
            .zip(5000..)
            // Ids of their own: a vocabulary with holes has no other free ones.
            .map(|(content, id)| AddedToken {
                id: Some(id),
                normalized: false,
                ..AddedToken::new(content, content == "<s>")
            })
            .collect();
    }
    let text = choose::text(u, false)?;
    let Ok(tokenizer) = Tokenizer::new(spec) else { return Ok(()) };
    if (0..=255u8).any(|byte| {
        let text = tessella_core::pretokenize::byte_alphabet::bytes_to_alphabet(&[byte]);
        tokenizer.token_to_id(&text).is_none()
    }) {
        return Ok(());
    }
    let options = EncodeOptions::default();
    let ids = tokenizer.encode_ids(&text, &options).expect("every byte has a token");
    assert_eq!(tokenizer.decode(&ids, false).expect("all ids are known"), text, "{ids:?}");
    assert_eq!(tokenizer.decode_bytes(&ids, false).expect("all ids are known"), text.as_bytes(), "{ids:?}");
    let decode = |ids: &[u32]| tokenizer.decode(ids, false);
    // A replacement character in the text looks like half a character to a stream.
    if !text.contains('\u{fffd}') {
        let mut stream = DecodeStream::new(Vec::new());
        let mut joined = String::new();
        for id in &ids {
            joined.extend(stream.step(&[*id], decode).expect("a byte-level stream cannot change its mind"));
        }
        joined.extend(stream.flush(decode).expect("a byte-level stream cannot change its mind"));
        assert_eq!(joined, text, "{ids:?}");
        let (whole, starts) = tokenizer.decode_with_offsets(&ids, false).expect("all ids are known");
        assert_eq!(whole, text);
        assert!(
            starts.is_sorted() && starts.last().is_none_or(|last| *last <= text.chars().count()),
            "{starts:?}"
        );
    }
    // Ids that no text gives: lossy, and the same both ways.
    let some: Vec<u32> = ids.iter().step_by(2).copied().collect();
    let bytes = tokenizer.decode_bytes(&some, false).expect("all ids are known");
    assert_eq!(tokenizer.decode(&some, false).expect("all ids are known"), String::from_utf8_lossy(&bytes));
    Ok(())
}

fuzz_target!(|data: &[u8]| {
    let _ = check(&mut Unstructured::new(data));
});
