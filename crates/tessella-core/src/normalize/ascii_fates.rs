//! What becomes of each ASCII character in words, as a table, where a normalizer that runs on words tells that one by one.

use memchr::memmem;

use super::{Normalizer, Step};
use crate::text::AlignedText;

/// What is no ASCII character.
const NO_FATE: u8 = 0xFF;

/// What becomes of the ASCII characters of a word.
#[derive(Debug, Clone)]
pub struct AsciiFates {
    /// Where one of these stands, nothing is known.
    literals: Box<[Box<str>]>,
    fates: [u8; 256],
}

impl AsciiFates {
    /// Nothing is known.
    pub fn unknown() -> Self {
        AsciiFates { literals: Box::default(), fates: [NO_FATE; 256] }
    }

    /// Nothing changes.
    pub fn none() -> Self {
        let fate = |byte: usize| if byte < 0x80 { byte as u8 } else { NO_FATE };
        AsciiFates { literals: Box::default(), fates: std::array::from_fn(fate) }
    }

    /// Nothing is known of those that become a character.
    pub fn but(mut self, byte: u8) -> Self {
        self.fates.iter_mut().filter(|fate| **fate == byte).for_each(|fate| *fate = NO_FATE);
        self
    }

    /// What a character becomes, if that is known and one character.
    #[inline]
    pub fn of(&self, byte: u8) -> Option<u8> {
        let fate = self.fates[usize::from(byte)];
        (fate != NO_FATE).then_some(fate)
    }

    /// Whether a character with ASCII on both sides is what it was.
    pub fn keep(&self, byte: u8) -> bool {
        self.of(byte) == Some(byte) && !self.literals.iter().any(|literal| literal.as_bytes().contains(&byte))
    }

    /// Writes what the first characters of a word of up to sixteen ASCII bytes become; false if that is not known of all of them.
    #[inline]
    pub fn write(&self, word: &[u8; 16], length: usize, room: &mut [u8; 16]) -> bool {
        *room = word.map(|byte| self.fates[usize::from(byte)]);
        let unknown = u128::from_le_bytes(*room) & u128::from_le_bytes([0x80; 16]);
        unknown.trailing_zeros() as usize >= 8 * length
    }

    /// Whether a word has none of the literals that would change it.
    #[inline]
    pub fn hold_for(&self, word: &[u8]) -> bool {
        self.literals.iter().all(|literal| match *literal.as_bytes() {
            [first, second] => !word.windows(2).any(|two| (two[0] == first) & (two[1] == second)),
            ref literal => memmem::find(word, literal).is_none(),
        })
    }

    /// The same for a text of any length.
    pub fn hold_for_text(&self, text: &[u8]) -> bool {
        self.literals.iter().all(|literal| memmem::find(text, literal.as_bytes()).is_none())
    }

    /// The same for a word of less than sixteen bytes, with zeros behind it: whether some byte is the first one of a literal and
    /// the byte behind it the second one, of all bytes at once.
    #[inline]
    pub fn hold_for_short(&self, word: [u8; 16]) -> bool {
        let bytes = u128::from_le_bytes(word);
        let are = |byte: u8| {
            let low = u128::from_le_bytes([0x7F; 16]);
            let differ = bytes ^ u128::from_le_bytes([byte; 16]);
            !(((differ & low) + low) | differ | low)
        };
        self.literals.iter().all(|literal| match *literal.as_bytes() {
            [first, second] => are(first) & (are(second) >> 8) == 0,
            ref literal => memmem::find(&word, literal).is_none(),
        })
    }
}

impl Normalizer {
    /// What becomes of ASCII characters in words, if that can be told one by one.
    pub fn ascii_fates(&self) -> AsciiFates {
        let is_literal = |step: &&Step| matches!(step, Step::Replace(_));
        let count = self.word_steps().take_while(is_literal).count();
        let (first, rest) = (self.word_steps().take(count), self.word_steps().skip(count));
        let literals = first.map(|step| match step {
            Step::Replace(replace) => replace.literal(),
            _ => None,
        });
        let Some(literals) = literals.collect::<Option<Vec<_>>>() else { return AsciiFates::unknown() };
        // Two ASCII characters never come to be one cluster or one character within a word; a later literal may be
        // made of several.
        if rest.clone().any(|step| is_literal(&step)) {
            return AsciiFates::unknown();
        }
        let fate = |byte: u8| {
            // With a line feed behind it this one is a cluster.
            if byte == b'\r' {
                return NO_FATE;
            }
            let before = char::from(byte).to_string();
            let mut text = AlignedText::untracked(&before);
            let mut fate = byte;
            for step in rest.clone() {
                match (step.run(&mut text), text.as_str().as_bytes()) {
                    (Ok(()), &[only]) if only.is_ascii() => fate = only,
                    _ => return NO_FATE,
                }
            }
            fate
        };
        AsciiFates {
            literals: literals.into_iter().map(Box::from).collect(),
            fates: std::array::from_fn(|byte| if byte < 0x80 { fate(byte as u8) } else { NO_FATE }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::charsmap::build_charsmap;
    use super::*;
    use crate::random::Random;
    use crate::spec::{CharsmapMatching, NormalizerSpec, Pattern};

    /// A text may be cut on both sides of a character that is said to be kept.
    #[test]
    fn what_is_kept_stands_between_texts_of_their_own() {
        let replace = |from: &str, to: &str| NormalizerSpec::Replace {
            pattern: Pattern::Literal(from.into()),
            content: to.into(),
        };
        let rules: Vec<(Vec<char>, Vec<char>)> = [("a", "B"), ("`", "b"), ("b'", "'")]
            .map(|(from, to)| (from.chars().collect(), to.chars().collect()))
            .into();
        let map = NormalizerSpec::Precompiled {
            charsmap: build_charsmap(&rules).unwrap().into(),
            matching: CharsmapMatching::Grapheme,
        };
        let mut random = Random::from_seed(3);
        let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
        for (steps, count) in [
            (vec![], 127),
            (vec![NormalizerSpec::Lowercase], 101),
            (vec![replace("``", "\""), replace("''", "\""), NormalizerSpec::Nfkd], 125),
            (vec![replace("ab", "b"), NormalizerSpec::Lowercase], 99),
            (vec![map.clone()], 125),
            (vec![replace("`'", "b"), map], 124),
        ] {
            let normalizer = Normalizer::new(&NormalizerSpec::Sequence(steps.clone())).unwrap();
            let fates = normalizer.ascii_fates();
            let become_of = |text: &str| {
                let mut text = AlignedText::untracked(text);
                normalizer.normalize(&mut text).unwrap();
                text.as_str().to_owned()
            };
            let kept: Vec<u8> = (0..=255).filter(|&byte| fates.keep(byte)).collect();
            assert_eq!(kept.len(), count, "{steps:?}");
            for byte in kept {
                for _ in 0..50 {
                    let mut text =
                        || (0..below(4)).map(|_| char::from(b"aAb`'"[below(5)])).collect::<String>();
                    let (before, behind, middle) = (text(), text(), char::from(byte));
                    let expected = format!("{}{middle}{}", become_of(&before), become_of(&behind));
                    assert_eq!(become_of(&format!("{before}{middle}{behind}")), expected, "{byte} {steps:?}");
                }
            }
        }
    }

    #[test]
    fn literals_are_found_in_all_bytes_at_once() {
        let mut random = Random::from_seed(2);
        let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
        let letters = ['a', 'b', '`', '\u{1}', '\u{7f}', 'é', 'ё'];
        let mut held = 0;
        for _ in 0..5000 {
            let mut text = |count: usize| (0..count).map(|_| letters[below(7)]).collect::<String>();
            let literals = [text(2), text(2), text(1), text(3)].map(String::into_boxed_str);
            let fates = AsciiFates { literals: Box::new(literals), ..AsciiFates::none() };
            let word = text(7);
            let mut bytes = [0; 16];
            bytes[..word.len()].copy_from_slice(word.as_bytes());
            assert_eq!(fates.hold_for_short(bytes), fates.hold_for(word.as_bytes()), "{word:?}");
            held += usize::from(fates.hold_for_short(bytes));
        }
        assert!((100..4900).contains(&held), "{held}");
    }
}
