//! SentencePiece models: units, stretches and what is remembered of them give what the search over whole sentences gives.
#![no_main]

use arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use tessella_core::{EncodeOptions, Input, Tokenizer};
use tessella_fuzz::show::show;
use tessella_fuzz::{choose, pieces};

fn check(u: &mut Unstructured<'_>) -> Result<()> {
    let spec = pieces::spec(u)?;
    let options = EncodeOptions { threads: *u.choose(&[1, 1, 1, 2])?, ..EncodeOptions::default() };
    let budget = *u.choose(&[600, 6000, 60_000, 1 << 20])?;
    let text = choose::text(u, false)?;
    let Ok(tokenizer) = Tokenizer::new(spec.clone()).and_then(|built| built.with_cache_budget(budget)) else {
        return Ok(());
    };
    let whole = tokenizer.with_cache_budget(0).expect("it built before");
    let texts = choose::parts_of(&text);
    let say = |text: &str| format!("{text:?} with {} bytes remembered {}", budget, show(&spec));
    let mut all = Vec::new();
    for text in &texts {
        let wanted =
            whole.encode(&Input::from(*text), &options).expect("every character is known or unknown");
        for way in ["fresh", "remembered"] {
            let found = tokenizer.encode_ids(text, &options).expect("the slow way did it");
            assert_eq!(found, wanted.ids(), "{way}: {}", say(text));
        }
        let found = whole.encode_ids(text, &options).expect("the slow way did it");
        assert_eq!(found, wanted.ids(), "whole: {}", say(text));
        let aligned = tokenizer.encode(&Input::from(*text), &options).expect("the slow way did it");
        assert_eq!(aligned.ids(), wanted.ids(), "aligned: {}", say(text));
        assert_eq!(aligned.offsets(), wanted.offsets(), "{}", say(text));
        all.push(wanted.ids().to_vec());
    }
    let ragged = tokenizer.encode_ids_batch(texts.as_slice(), &options).expect("each was encoded");
    assert_eq!(ragged.ids, all.concat(), "in a batch: {}", say(&text));
    let starts = all.iter().scan(0, |end, ids| {
        *end += ids.len() as i64;
        Some(*end)
    });
    assert!(ragged.offsets.iter().copied().eq([0].into_iter().chain(starts)), "{}", say(&text));
    Ok(())
}

fuzz_target!(|data: &[u8]| {
    let _ = check(&mut Unstructured::new(data));
});
