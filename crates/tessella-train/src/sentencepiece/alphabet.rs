//! Which characters the model knows: the frequent ones, until enough of the text is covered, and the required.
//! Where the trainer is to choose them itself, all are learned from and none is certain.

use std::collections::{HashMap, HashSet};

use tessella_core::{Error, ErrorKind, Result};
use tessella_formats::sentencepiece::sections::TrainerSpec;

use super::{BOUNDARY, NEXT, RARE};
use crate::counts::PieceCounts;

/// The characters of the model with their counts, most frequent first, then by code point.
#[derive(Debug)]
pub(super) struct Alphabet {
    pub(super) characters: Vec<(char, u64)>,
    known: HashSet<char>,
}

/// A unit without what follows it.
pub(super) fn word_of(unit: &str) -> &str {
    unit.split_once(NEXT).map_or(unit, |(word, _)| word)
}

impl Alphabet {
    pub(super) fn new(counts: &PieceCounts, spec: &TrainerSpec) -> Result<Self> {
        let mut found: HashMap<char, (bool, u64)> = HashMap::new();
        for c in spec.required_chars().chars().filter(|&c| c != '\0') {
            found.entry(c).or_default().0 = true;
        }
        let mut all = 0u64;
        let mut cursor = counts.cursor()?;
        while let Some((unit, count)) = cursor.next()? {
            for c in word_of(unit).chars().filter(|&c| c != RARE) {
                found.entry(c).or_default().1 += count;
                all += count;
            }
        }
        let mut sorted: Vec<(char, (bool, u64))> = found.into_iter().collect();
        sorted.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        if spec.auto_character_coverage() {
            let known = sorted.into_iter().map(|(c, _)| c).filter(|&c| c != BOUNDARY).collect();
            return Ok(Alphabet { characters: Vec::new(), known });
        }
        let (mut characters, mut covered) = (Vec::new(), 0u64);
        for (c, (_, count)) in sorted {
            // In single precision, as the option is.
            let coverage = (covered as f64 / all as f64) as f32;
            if !spec.use_all_vocab() && coverage >= spec.character_coverage() {
                break;
            }
            covered += count;
            match c {
                BOUNDARY => {}
                ' ' | RARE => {
                    return Err(Error::new(
                        ErrorKind::Train,
                        format!("required_chars has {c:?}, which is reserved: leave it out"),
                    ));
                }
                _ => characters.push((c, count)),
            }
        }
        characters.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        let known = characters.iter().map(|&(c, _)| c).collect();
        Ok(Alphabet { characters, known })
    }

    /// The text with [`RARE`] for every character that is none of these; [`NEXT`] stays.
    pub(super) fn without_rare(&self, text: &str, out: &mut String) {
        out.clear();
        let keep = |c: char| if c == NEXT || self.known.contains(&c) { c } else { RARE };
        out.extend(text.chars().map(keep));
    }
}
