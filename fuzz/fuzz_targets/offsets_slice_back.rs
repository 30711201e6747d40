//! Offsets lie inside of the text, between characters, in order; they cut out what the token says; and the shorter
//! ways through the stages give the same as stage after stage.
#![no_main]

use arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use std::sync::Arc;

use tessella_core::hooks::CustomPreTokenizer;
use tessella_core::spec::{ModelSpec, PreTokenizerSpec, TokenizerSpec};
use tessella_core::text::NormalizedString;
use tessella_core::{EncodeOptions, Input, OffsetUnit, Tokenizer};
use tessella_fuzz::choose::{self, Limits};
use tessella_fuzz::show::show;

/// A user's component that does nothing: no way around the stages is left.
#[derive(Debug)]
struct Nothing;

impl CustomPreTokenizer for Nothing {
    fn pre_tokenize(
        &self,
        pieces: Vec<NormalizedString>,
    ) -> tessella_core::Result<Vec<Vec<NormalizedString>>> {
        Ok(pieces.into_iter().map(|piece| vec![piece]).collect())
    }

    fn import_path(&self) -> Option<String> {
        None
    }
}

/// The same tokenizer, stage after stage and without a cache.
fn step_by_step(spec: &TokenizerSpec) -> tessella_core::Result<Tokenizer> {
    let mut spec = spec.clone();
    let stages = spec.pre_tokenizer.take().into_iter().chain([PreTokenizerSpec::Custom(Arc::new(Nothing))]);
    spec.pre_tokenizer = Some(PreTokenizerSpec::Sequence(stages.collect()));
    Tokenizer::new(spec)?.with_cache_budget(0)
}

/// The pre-tokenizer only cuts: pieces are slices of the text.
fn only_cuts(spec: &PreTokenizerSpec) -> bool {
    match spec {
        PreTokenizerSpec::ByteLevel { .. } | PreTokenizerSpec::Metaspace { .. } => false,
        PreTokenizerSpec::Sequence(stages) => stages.iter().all(only_cuts),
        _ => true,
    }
}

/// Every token's text is the text that it covers. Characters that are not in the vocabulary vanish, and what
/// stands around them may merge.
fn texts_are_slices(spec: &TokenizerSpec, text: &str) -> bool {
    let model = match &spec.model {
        ModelSpec::Bpe(bpe) => {
            !bpe.byte_fallback
                && bpe.unk_token.is_none()
                && bpe.continuing_subword_prefix.is_none()
                && bpe.end_of_word_suffix.is_none()
                && text.chars().all(|c| bpe.vocab.id(c.encode_utf8(&mut [0; 4])).is_some())
        }
        _ => false,
    };
    model && spec.normalizer.is_none() && spec.pre_tokenizer.as_ref().is_none_or(only_cuts)
}

fn check(u: &mut Unstructured<'_>) -> Result<()> {
    let spec = choose::spec(u, Limits { normalizer: true })?;
    let text = choose::text(u, false)?;
    let Ok(tokenizer) = Tokenizer::new(spec) else { return Ok(()) };
    let spec = tokenizer.spec();
    let encode = |offsets: OffsetUnit| {
        tokenizer.encode(&Input::from(text.as_str()), &EncodeOptions { offsets, ..EncodeOptions::default() })
    };
    let slow = step_by_step(spec).expect("it built before").encode(
        &Input::from(text.as_str()),
        &EncodeOptions { offsets: OffsetUnit::Byte, ..EncodeOptions::default() },
    );
    let Ok(bytes) = encode(OffsetUnit::Byte) else {
        assert!(slow.is_err(), "only the short way fails: {text:?} with {}", show(spec));
        return Ok(());
    };
    let say = || {
        format!(
            "{text:?} {:?} with {}",
            bytes.tokens().iter().zip(bytes.offsets().iter()).collect::<Vec<_>>(),
            show(spec)
        )
    };
    let texts: Vec<String> = bytes.tokens();
    let slow = slow.unwrap_or_else(|error| panic!("only the long way fails: {error}: {}", say()));
    assert_eq!(bytes.ids(), slow.ids(), "{}", say());
    // A token that covers nothing (a byte of an affix) may stand at the end of what is before it or at the start of
    // what follows.
    let covering = |offsets: &[(usize, usize)]| -> Vec<Option<(usize, usize)>> {
        offsets.iter().map(|span| Some(*span).filter(|(start, end)| start < end)).collect()
    };
    assert_eq!(covering(&bytes.offsets().to_vec()), covering(&slow.offsets().to_vec()), "{}", say());
    assert_eq!(bytes.words(), slow.words(), "{}", say());
    assert_eq!(texts, slow.tokens(), "{}", say());
    let cached = encode(OffsetUnit::Byte).unwrap_or_else(|error| panic!("{error}: {}", say()));
    assert_eq!(bytes.offsets(), cached.offsets(), "from the cache: {}", say());
    assert_eq!(texts, cached.tokens(), "from the cache: {}", say());
    let slices = texts_are_slices(spec, &text);
    let mut last = (0, 0);
    // A sequence may stand in the template twice; then order starts anew.
    let specials = bytes.special_tokens_mask();
    let twice = bytes.n_sequences() == 1 && spec.post_processor.is_some();
    for (index, (start, end)) in bytes.offsets().iter().enumerate() {
        assert!(start <= end && end <= text.len(), "{index}: {start}..{end} is outside: {}", say());
        assert!(
            text.is_char_boundary(start) && text.is_char_boundary(end),
            "{index}: {start}..{end}: {}",
            say()
        );
        if specials[index] == 1 {
            assert_eq!((start, end), (0, 0), "a special token covers text: {}", say());
            continue;
        }
        if !twice && spec.normalizer.is_none() && start < end {
            assert!(last.0 <= start && last.1 <= end, "{index}: {start}..{end} after {last:?}: {}", say());
            last = (start, end);
        }
        if slices {
            assert_eq!(texts[index], &text[start..end], "{index}: {}", say());
            assert!(
                twice || index == 0 || bytes.offsets().get(index - 1).is_some_and(|before| before.1 <= start),
                "{index} overlaps: {}",
                say()
            );
        }
    }
    // The other units say the same.
    for unit in [OffsetUnit::Char, OffsetUnit::Utf16] {
        let other = encode(unit).unwrap_or_else(|error| panic!("{unit:?}: {error}: {}", say()));
        let convert = |byte: usize| match unit {
            OffsetUnit::Char => text[..byte].chars().count(),
            _ => text[..byte].encode_utf16().count(),
        };
        for (index, (byte, found)) in bytes.offsets().iter().zip(other.offsets().iter()).enumerate() {
            assert_eq!(found, (convert(byte.0), convert(byte.1)), "{unit:?} {index}: {}", say());
        }
    }
    Ok(())
}

fuzz_target!(|data: &[u8]| {
    let _ = check(&mut Unstructured::new(data));
});
