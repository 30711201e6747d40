//! Which characters the model knows: the frequent ones, until enough of the text is covered, and the required.
//! Where the trainer is to choose them itself, all are learned from and none is certain.

use tessella_core::{Error, ErrorKind, Result};
use tessella_formats::sentencepiece::sections::TrainerSpec;

use super::{BOUNDARY, NEXT, RARE};
use crate::characters::ByCharacter;
use crate::counts::PieceCounts;

/// The characters of the model with their counts, most frequent first, then by code point.
#[derive(Debug)]
pub(super) struct Alphabet {
    pub(super) characters: Vec<(char, u64)>,
    known: Characters,
}

/// A set of characters: a bit for each code point up to the highest one.
#[derive(Debug, Default)]
struct Characters {
    bits: Vec<u64>,
}

impl Characters {
    fn insert(&mut self, c: char) {
        let word = c as usize / 64;
        if self.bits.len() <= word {
            self.bits.resize(word + 1, 0);
        }
        self.bits[word] |= 1 << (c as usize % 64);
    }

    #[inline]
    fn contains(&self, c: char) -> bool {
        self.bits.get(c as usize / 64).is_some_and(|bits| bits >> (c as usize % 64) & 1 == 1)
    }
}

impl FromIterator<char> for Characters {
    fn from_iter<I: IntoIterator<Item = char>>(characters: I) -> Self {
        let mut set = Characters::default();
        characters.into_iter().for_each(|c| set.insert(c));
        set
    }
}

/// A unit without what follows it.
pub(super) fn word_of(unit: &str) -> &str {
    unit.split_once(NEXT).map_or(unit, |(word, _)| word)
}

impl Alphabet {
    pub(super) fn new(counts: &PieceCounts, spec: &TrainerSpec) -> Result<Self> {
        let mut found: ByCharacter<(bool, u64)> = ByCharacter::new();
        for c in spec.required_chars().chars().filter(|&c| c != '\0') {
            found.at(c).0 = true;
        }
        let mut all = 0u64;
        counts.for_each_unordered(&mut |unit, count| {
            for c in word_of(unit).chars().filter(|&c| c != RARE) {
                found.at(c).1 += count;
                all += count;
            }
            Ok(())
        })?;
        if all == 0 {
            return Err(Error::new(
                ErrorKind::Train,
                "there is nothing to learn from: normalization leaves no character of the sentences",
            ));
        }
        let mut sorted: Vec<(char, (bool, u64))> =
            found.iter().filter(|&(_, (required, count))| required || count > 0).collect();
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
                    refuse!(Train, "required_chars has {c:?}, which is reserved: leave it out");
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
        if self.has_all_of(text) {
            return out.push_str(text);
        }
        out.extend(text.chars().map(|c| if self.keeps(c) { c } else { RARE }));
    }

    /// Whether no character of the text is rare.
    pub(super) fn has_all_of(&self, text: &str) -> bool {
        text.chars().all(|c| self.keeps(c))
    }

    #[inline]
    fn keeps(&self, c: char) -> bool {
        c == NEXT || self.known.contains(c)
    }
}
