//! Every class that the scanner knows, walked over all code points with the engine.
//!
//! Long stretches of one kind (ideographs, syllables, private and unassigned code points) are looked at in steps;
//! `TESSELLA_SCAN_STEP=1` looks at each. So are characters that fold.

use super::super::properties::{CATEGORIES, LONG_CATEGORIES, POSIX, PROPERTIES};
use super::super::{fold, set};
use super::*;

/// First and last code points of the stretches that are looked at in steps.
const LONG: [(u32, u32); 6] = [
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xAC00, 0xD7A3),
    (0xE000, 0xF8FF),
    (0x20000, 0xDFFFF),
    (0xE0200, 0x10_FFFF),
];

fn step() -> u32 {
    setting("TESSELLA_SCAN_STEP", 61) as u32
}

fn every_character() -> String {
    let step = step();
    // The ends of planes and of stretches are looked at, whatever the step.
    let wanted = |point: &u32| {
        let (before, after) = (point.saturating_sub(2), point + 2);
        let inside = |&(first, last): &(u32, u32)| first <= before && after <= last;
        point.is_multiple_of(step) || before >> 16 != after >> 16 || !LONG.iter().any(inside)
    };
    (0..=0x10_FFFF).filter(wanted).filter_map(char::from_u32).collect()
}

fn compare(all: &str, source: &str, dialect: Dialect) -> Option<String> {
    let scanner = match Scanner::compile(source, dialect).unwrap() {
        Ok(scanner) => scanner,
        Err(reason) => return Some(format!("{source}: {reason}")),
    };
    let engine = Engine::new(source, dialect).unwrap();
    let (found, wanted) = (pieces(&scanner, all), engine.pieces(all).unwrap());
    if found == wanted {
        return None;
    }
    Some(format!("{source}: {}", differences(all, &found, &wanted)))
}

#[test]
fn classes_hold_what_the_engines_hold() {
    let all = every_character();
    let mut wrong = Vec::new();
    for escape in ["s", "S", "d", "D", "w", "W", "h", "H"] {
        for dialect in [Dialect::Oniguruma, Dialect::Fancy] {
            wrong.extend(compare(&all, &format!("\\{escape}+"), dialect));
            wrong.extend(compare(&all, &format!("[\\{escape}]+"), dialect));
            wrong.extend(compare(&all, &format!("[^\\{escape}.]+"), dialect));
            wrong.extend(
                compare(&all, &format!("(?i:[\\{escape}.])"), dialect)
                    .filter(|error| !error.contains("sequences")),
            );
        }
    }
    for name in POSIX {
        wrong.extend(compare(&all, &format!("[[:{name}:]]+"), Dialect::Oniguruma));
        wrong.extend(compare(&all, &format!("\\p{{{name}}}+"), Dialect::Oniguruma));
        wrong.extend(compare(&all, &format!("[\\P{{{name}}}]+"), Dialect::Oniguruma));
        wrong.extend(compare(&all, &format!("[^[:{name}:]]+"), Dialect::Oniguruma));
        wrong.extend(compare(&all, &format!("[[:^{name}:]]+"), Dialect::Fancy));
    }
    for name in [CATEGORIES, LONG_CATEGORIES, PROPERTIES].into_iter().flatten() {
        wrong.extend(compare(&all, &format!("\\p{{{name}}}+"), Dialect::Oniguruma));
    }
    // The sets of fancy-regex are those of its own library; a few stand for all.
    for name in ["L", "Lu", "M", "N", "P", "Cn", "Han", "Greek", "White_Space"] {
        wrong.extend(compare(&all, &format!("[^\\P{{{name}}}]+"), Dialect::Fancy));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// `(?i:c)` for every character that folds, over all that it could match.
#[test]
fn folds_are_those_of_the_engines() {
    let mut wrong = Vec::new();
    let mut compared = 0;
    let step = if step() == 1 { 1 } else { 4 };
    let mut index = 0;
    for c in (0x80..=0x10_FFFF).filter_map(char::from_u32).chain("!@AKSZ[]aksz{}".chars()) {
        if c.to_lowercase().eq([c]) && c.to_uppercase().eq([c]) && !fold::has_sequence(&set::single(c)) {
            continue;
        }
        let folded = set::folded(set::single(c));
        let alone = folded.ranges().len() == 1 && folded.ranges()[0].start() == folded.ranges()[0].end();
        if alone && !fold::has_sequence(&folded) {
            continue;
        }
        index += 1;
        if index % step != 0 {
            continue;
        }
        let escaped = regex_syntax::escape(&c.to_string());
        let mut text: String = folded.ranges().iter().flat_map(|range| range.start()..=range.end()).collect();
        text.push_str("xßẞssfiﬁ'");
        for dialect in [Dialect::Oniguruma, Dialect::Fancy] {
            for source in
                [format!("(?i:{escaped})"), format!("(?i:[{escaped}é])"), format!("(?i:[^{escaped}é])")]
            {
                let Ok(scanner) = Scanner::compile(&source, dialect).unwrap() else { continue };
                compared += 1;
                let engine = Engine::new(&source, dialect).unwrap();
                if let Err(error) = check(&source, &scanner, &engine, &text) {
                    wrong.push(error);
                }
            }
        }
    }
    assert!(compared > 10_000 / step, "{compared}");
    assert!(wrong.is_empty(), "{} of {compared}: {:#?}", wrong.len(), &wrong[..wrong.len().min(20)]);
}

/// The first code points that only one side matches.
fn differences(all: &str, found: &[Piece], wanted: &[Piece]) -> String {
    let covered = |pieces: &[Piece]| {
        let mut set = set::CharSet::empty();
        for &(start, end, is_match) in pieces {
            if is_match {
                let mut chars = all[start..end].chars();
                let first = chars.next().unwrap();
                set.union(&set::range(first, chars.next_back().unwrap_or(first)));
            }
        }
        set
    };
    let (mut extra, mut missing) = (covered(found), covered(wanted));
    let found = extra.clone();
    extra.difference(&missing);
    missing.difference(&found);
    let shown = |set: &set::CharSet| {
        format!(
            "{:04X?}",
            set.ranges().iter().take(30).map(|r| (r.start() as u32, r.end() as u32)).collect::<Vec<_>>()
        )
    };
    format!("only the scanner: {}, only the engine: {}", shown(&extra), shown(&missing))
}
