//! The scanner finds exactly what the dialect's own engine finds.
#![no_main]

use arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use tessella_core::pattern::Matcher;
use tessella_core::pattern::scan::Scanner;
use tessella_core::spec::Pattern;
use tessella_fuzz::{choose, pattern};

/// Compiling a pattern costs far more than running it, and backtracking engines need short texts to finish: one
/// pattern runs on many short parts of the text.
const PART: usize = 48;

fn check(u: &mut Unstructured<'_>) -> Result<()> {
    let dialect = pattern::dialect(u)?;
    let source = pattern::pattern(u)?;
    let text = choose::text(u, false)?;
    let Ok(Ok(scanner)) = Scanner::compile(&source, dialect) else { return Ok(()) };
    let engine = Matcher::exact(&Pattern::Regex { source: source.clone(), dialect });
    let engine = engine.unwrap_or_else(|error| panic!("{source:?} is wrong to {dialect:?}: {error}"));
    let chars: Vec<char> = text.chars().collect();
    for part in chars.chunks(PART).chain(chars.chunks(PART * 12)).take(120) {
        compare(&source, &scanner, &engine, &part.iter().collect::<String>());
    }
    Ok(())
}

fn compare(source: &str, scanner: &Scanner, engine: &Matcher, text: &str) {
    let mut wanted = Vec::new();
    if engine.find_all(text, &mut wanted).is_err() {
        return;
    }
    let say = || format!("{source:?} ({}) on {text:?}", engine.explain().0);
    let mut found = Vec::new();
    let mut covered = 0;
    scanner.for_each_piece(text, |start, end, is_match| {
        assert_eq!(start, covered, "pieces leave a gap or overlap: {}", say());
        covered = end;
        if is_match {
            found.push(start..end);
        }
    });
    if !text.is_empty() {
        assert_eq!(found, wanted, "{}", say());
    }
    assert_eq!(covered, text.len(), "the end is missing: {}", say());
}

fuzz_target!(|data: &[u8]| {
    let _ = check(&mut Unstructured::new(data));
});
