//! Every way to encode gives the ids that the slow reference gives.
#![no_main]

use arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use tessella_core::spec::{NormalizerSpec, PreTokenizerSpec};
use tessella_core::{EncodeOptions, Input, Tokenizer};
use tessella_fuzz::choose::{self, Limits};
use tessella_fuzz::reference::{self, Failure};
use tessella_fuzz::show::show;

fn check(u: &mut Unstructured<'_>) -> Result<()> {
    let spec = choose::spec(u, Limits { normalizer: true })?;
    let options = EncodeOptions {
        add_special_tokens: u.arbitrary()?,
        encode_special_tokens: u.ratio(1, 4)?,
        // Several may share one text.
        threads: *u.choose(&[1, 1, 1, 2])?,
        ..EncodeOptions::default()
    };
    let batch = u.ratio(1, 8)?;
    // Tables of different Unicode versions differ on what is newer than the older one.
    let palette_only = spec.normalizer.as_ref().is_some_and(uses_tables)
        || spec.pre_tokenizer.as_ref().is_some_and(has_punctuation);
    let text = choose::text(u, palette_only)?;
    let text: String = text.chars().take(1000).collect();
    let Ok(tokenizer) = Tokenizer::new(spec.clone()) else { return Ok(()) };
    let wanted = reference::encode(
        &spec,
        tokenizer.added_tokens(),
        &text,
        options.add_special_tokens,
        options.encode_special_tokens,
    );
    let fresh = tokenizer.encode_ids(&text, &options);
    let cached = tokenizer.encode_ids(&text, &options);
    let aligned =
        tokenizer.encode(&Input::from(text.as_str()), &options).map(|encoding| encoding.ids().to_vec());
    let say = || format!("{text:?} with {}\n  {options:?}", show(&spec));
    match wanted {
        Ok(wanted) => {
            for (way, found) in [("fresh", &fresh), ("cached", &cached), ("aligned", &aligned)] {
                match found {
                    Ok(found) => assert_eq!(found, &wanted, "{way}: {}", say()),
                    Err(error) => panic!("{way} fails with {error}: {}", say()),
                }
            }
            let words =
                tokenizer.clone().with_cache_budget(0).and_then(|bare| bare.encode_ids(&text, &options));
            assert_eq!(words.ok().as_ref(), Some(&wanted), "without a cache: {}", say());
            if batch && !text.is_empty() {
                check_batch(&tokenizer, &text, &wanted, &options);
            }
        }
        Err(Failure::Refused) => {
            assert!(fresh.is_err() && cached.is_err() && aligned.is_err(), "no error: {}", say());
        }
        Err(Failure::NoAnswer) => {
            // The engine that gave up may be one of ours; if none did, all ways agree with each other.
            if let (Ok(fresh), Ok(cached), Ok(aligned)) = (fresh, cached, aligned) {
                assert_eq!(fresh, cached, "{}", say());
                assert_eq!(fresh, aligned, "{}", say());
            }
        }
    }
    Ok(())
}

/// The text and parts of it in one call, on several threads.
fn check_batch(tokenizer: &Tokenizer, text: &str, wanted: &[u32], options: &EncodeOptions<'_>) {
    let options = EncodeOptions { threads: 2, ..options.clone() };
    // A part may be refused though the whole is not: normalized by itself it may be of other characters.
    let mut texts = choose::parts_of(text);
    texts.retain(|text| tokenizer.encode_ids(text, &options).is_ok());
    let ragged = tokenizer.encode_ids_batch(texts.as_slice(), &options).expect("each could be encoded");
    assert_eq!(ragged.offsets.len(), texts.len() + 1);
    let inputs: Vec<Input<'_>> = texts.iter().map(|text| Input::from(*text)).collect();
    let encodings = tokenizer.encode_batch(inputs.as_slice(), &options).expect("each could be encoded");
    let parts = ragged.offsets.windows(2).map(|bounds| &ragged.ids[bounds[0] as usize..bounds[1] as usize]);
    for ((text, found), encoding) in texts.iter().zip(parts).zip(&encodings) {
        let alone = tokenizer.encode_ids(text, &options).expect("it was encoded in a batch");
        assert_eq!(found, alone, "{text:?} in a batch with {}", show(tokenizer.spec()));
        assert_eq!(found, encoding.ids(), "{text:?} in a batch, aligned, with {}", show(tokenizer.spec()));
    }
    assert_eq!(encodings[0].ids(), wanted);
}

fn uses_tables(spec: &NormalizerSpec) -> bool {
    match spec {
        NormalizerSpec::Nfc
        | NormalizerSpec::Nfd
        | NormalizerSpec::Nfkc
        | NormalizerSpec::Nfkd
        | NormalizerSpec::StripAccents => true,
        NormalizerSpec::Sequence(steps) => steps.iter().any(uses_tables),
        _ => false,
    }
}

fn has_punctuation(spec: &PreTokenizerSpec) -> bool {
    match spec {
        PreTokenizerSpec::Bert | PreTokenizerSpec::Punctuation { .. } | PreTokenizerSpec::Whitespace => true,
        PreTokenizerSpec::Sequence(stages) => stages.iter().any(has_punctuation),
        _ => false,
    }
}

fuzz_target!(|data: &[u8]| {
    let _ = check(&mut Unstructured::new(data));
});
