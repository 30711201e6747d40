//! The scanner finds exactly what the dialect's own engine finds.
#![no_main]

use arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use tessella_core::pattern::Matcher;
use tessella_core::pattern::scan::Scanner;
use tessella_core::spec::Pattern;
use tessella_fuzz::{choose, pattern};

fn check(u: &mut Unstructured<'_>) -> Result<()> {
    let dialect = pattern::dialect(u)?;
    let source = pattern::pattern(u)?;
    let text = choose::text(u, false)?;
    let Ok(Ok(scanner)) = Scanner::compile(&source, dialect) else { return Ok(()) };
    let engine = Matcher::exact(&Pattern::Regex { source: source.clone(), dialect });
    let engine = engine.unwrap_or_else(|error| panic!("{source:?} is wrong to {dialect:?}: {error}"));
    // Backtracking engines need short texts to finish with patterns like these.
    let mut cut = text.len().min(600);
    while !text.is_char_boundary(cut) {
        cut -= 1;
    }
    let text = &text[..cut];
    let mut wanted = Vec::new();
    if engine.find_all(text, &mut wanted).is_err() {
        return Ok(());
    }
    let mut found = Vec::new();
    let mut covered = 0;
    scanner.for_each_piece(text, |start, end, is_match| {
        assert_eq!(start, covered, "{source:?} {dialect:?} on {text:?}: pieces leave a gap or overlap");
        covered = end;
        if is_match {
            found.push(start..end);
        }
    });
    if !text.is_empty() {
        assert_eq!(found, wanted, "{source:?} {dialect:?} on {text:?}");
    }
    assert_eq!(covered, text.len(), "{source:?} {dialect:?} on {text:?}: the end is missing");
    Ok(())
}

fuzz_target!(|data: &[u8]| {
    let _ = check(&mut Unstructured::new(data));
});
