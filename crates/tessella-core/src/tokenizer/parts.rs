//! Words in parts, where a Unigram model tells where no token crosses.
//!
//! Much of a text comes for the first time as a word, but not in parts: `name(value)[0]`. Between two ASCII characters that
//! no token has as neighbours, and that normalization leaves alone, a word is cut, if what is unknown does not go on there. Its first
//! part comes to what it comes to as a word. A part behind it gets no mark; it comes to what it comes to anywhere, or it is *uncertain*
//! ([`apart`](crate::model::unigram::apart) says when), and then the word is solved whole.

use std::sync::OnceLock;

use crate::ids::TokenId;
use crate::lanes::{ID_BOUND, MOST_BEFORE_CUT, Pieces, Rectangles};
use crate::model::Model;
use crate::model::unigram::apart::MOST_BYTES;
use crate::normalize::{AsciiFates, Normalizer};

/// The only id of a part that is uncertain, and the first of what may be part of an added token. No vocabulary that words are cut for has it.
pub(super) const UNCERTAIN: TokenId = ID_BOUND - 1;
/// So many bytes of text, for each piece of the vocabulary, pay for finding out where words may be cut.
const BYTES_PER_PIECE: usize = 4;
/// Words that are looked at together where some of them have uncertain parts.
pub(super) const FEW: usize = 8;

/// Where words may be cut, found out when there is much text.
#[derive(Debug, Default)]
pub(super) struct Breaks(OnceLock<Option<Rectangles>>);

impl Breaks {
    /// Where, if so many bytes of text pay for it, and nowhere inside of some texts. Whoever asks first finds out, and who asks at the same time finds the
    /// same, so that none waits for another.
    pub fn get(
        &self,
        model: &Model,
        normalizer: Option<&Normalizer>,
        fates: &AsciiFates,
        bytes: usize,
        whole: &[String],
    ) -> Option<&Rectangles> {
        match (self.0.get(), model) {
            (Some(breaks), _) => breaks.as_ref(),
            (None, Model::Unigram(unigram)) if bytes >= unigram.size() * BYTES_PER_PIECE => {
                let _ = self.0.set(make(model, normalizer, fates, whole));
                self.0.get()?.as_ref()
            }
            _ => None,
        }
    }
}

#[cold]
fn make(
    model: &Model,
    normalizer: Option<&Normalizer>,
    fates: &AsciiFates,
    whole: &[String],
) -> Option<Rectangles> {
    let Model::Unigram(model) = model else { return None };
    // Half of the bytes are for the mark and the last part.
    let most = normalizer.map_or(1, Normalizer::growth).saturating_mul(MOST_BEFORE_CUT);
    if model.size() > UNCERTAIN as usize || most > MOST_BYTES / 2 {
        return None;
    }
    let mut joined = [0u128; 128];
    let mut used = 0u128;
    for entry in model.entries_for_parts()? {
        join(entry, &mut joined);
        let ascii = entry.bytes().filter(u8::is_ascii);
        used |= ascii.fold(0, |used, byte| used | 1 << byte);
    }
    let mut together = [0u128; 128];
    whole.iter().for_each(|text| join(text, &mut together));
    let set = |is_in: &dyn Fn(u8) -> bool| {
        let kept = (0..128).filter(|&byte| fates.keep(byte) && is_in(byte));
        kept.fold(0u128, |all, byte| all | 1 << byte)
    };
    let used = set(&|byte| used >> byte & 1 == 1);
    // What begins a part must be known alone, or may go on what is unknown in the part before.
    let alone = set(&|byte| model.is_known_alone(byte));
    // No entry has these. In front of such a part is what is known, or it may go on what is unknown in the part before.
    let before_strangers = set(&|byte| model.is_known_at_end(byte));
    let strangers = set(&|byte| {
        byte.is_ascii_graphic() && model.begins_strange(char::from(byte).encode_utf8(&mut [0; 4]))
    });
    let breaks = std::array::from_fn(|left| {
        let is_in = |set: u128| set >> left & 1 == 1;
        let behind_known = if is_in(before_strangers) { strangers } else { 0 };
        let breaks = if is_in(used) {
            alone & !joined[left] | behind_known
        } else if is_in(strangers) {
            alone
        } else {
            0
        };
        breaks & !together[left]
    });
    let may_be_beside = |byte: u8| (used | strangers) >> byte & 1 == 1;
    Some(Rectangles::new(&breaks, may_be_beside))
}

/// Notes which characters of ASCII stand behind which in a text.
fn join(text: &str, joined: &mut [u128; 128]) {
    for two in text.as_bytes().windows(2).filter(|two| two.is_ascii()) {
        joined[usize::from(two[0])] |= 1 << two[1];
    }
}

/// Appends the ids of an inner part, as the model gets it.
pub(super) fn inner(model: &Model, part: &str, ids: &mut Vec<TokenId>) {
    match model {
        Model::Unigram(model) if !part.is_empty() && model.solve_apart(part, ids) => {}
        _ => ids.push(UNCERTAIN),
    }
}

/// Whether some part of what words became is uncertain.
pub(super) fn some_uncertain(numbers: &[u32]) -> bool {
    // Without a branch on each of them.
    let has = |few: &[u32]| few.iter().fold(false, |found, &number| found | (number == UNCERTAIN));
    let (many, rest) = numbers.as_chunks::<64>();
    many.iter().any(|many| has(many)) || has(rest)
}

/// Takes the marks of what is uncertain out of numbers, from a place on.
pub(super) fn keep_certain(numbers: &mut Vec<u32>, from: usize) {
    let mut kept = from;
    for at in from..numbers.len() {
        let number = numbers[at];
        numbers[kept] = number;
        kept += usize::from(number != UNCERTAIN);
    }
    numbers.truncate(kept);
}

/// Calls with a few whole words at a time, of parts of words.
pub(super) fn few_words<'t, E>(
    parts: Pieces<'t>,
    few: usize,
    mut each: impl FnMut(Pieces<'t>) -> Result<(), E>,
) -> Result<(), E> {
    let count = parts.starts.len();
    let (mut first, mut words) = (0, 0);
    for end in 1..=count {
        if end < count && parts.goes_on(end) {
            continue;
        }
        words += 1;
        if words == few || end == count {
            each(parts.first(end).from(first))?;
            (first, words) = (end, 0);
        }
    }
    Ok(())
}
