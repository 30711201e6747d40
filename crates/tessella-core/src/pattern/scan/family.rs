//! Families of patterns that are read by masks instead of character by character.
//!
//! A pattern belongs to a family if its automaton *is* the family's: brought to the smallest form, with accepts left
//! out that are never the last, both are equal, letter for letter and step for step. What the pattern looked like
//! does not count. The family is known by a number of 128 bits that is made from that form, and a test makes the
//! numbers anew from patterns of each family.
//!
//! What a character beyond ASCII is, the automaton says as well: each of its classes must hold an ASCII character,
//! and all that share a class share what is done with them. So tables of Unicode are the pattern's own.

use std::collections::HashMap;

use super::alphabet::Alphabet;
use super::automaton::Automaton;
use crate::error::Result;
use crate::flat::{Arrays, Shelf, misfit};
use crate::hash::hash_bytes;
use crate::lanes::ascii::{self, BLANK, EITHER, LETTER, LINE_END, QUOTE, UPPER, WHITE};
use crate::lanes::leads::{Leads, MIXED};

/// Patterns of words, numbers, marks and blanks, of which each kind of text becomes pieces in its own way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// GPT-2: a blank goes with the word, number or marks behind it.
    Gpt2,
    /// As the tiktoken library writes cl100k: any one character goes with the word behind it, numbers are cut into threes,
    /// line ends go with the marks before them, and blanks at the end of the text are one piece.
    Cl100k,
    /// The same, but blanks at the end of the text are cut behind the last line end: Llama 3.
    Llama3,
    /// The same with digits one by one: Qwen 2.
    Qwen2,
    /// As Llama 3, but a word ends before an upper-case letter behind a lower-case one, marks are letters, contractions
    /// belong to the word before them, and slashes go with the line ends behind marks.
    O200k,
    /// The same without contractions and with digits one by one: Tekken.
    Tekken,
}

impl Family {
    /// Whether upper-case letters begin words, and so on.
    pub fn is_cased(self) -> bool {
        matches!(self, Family::O200k | Family::Tekken)
    }
}

/// The numbers of the automata, by family.
const KNOWN: [(Family, [u64; 2]); 6] = [
    (Family::Gpt2, [0xe4f5_f366_33cb_d87e, 0xac38_dbab_b1b8_ddbd]),
    (Family::Cl100k, [0x173e_7d5c_5a5f_1a3c, 0x398e_a036_5066_0ed9]),
    (Family::Llama3, [0x8eba_eb43_4998_23de, 0x1552_68f0_ba03_e5b4]),
    (Family::Qwen2, [0x76eb_8721_bf02_2234, 0xef9d_1703_3368_b223]),
    (Family::O200k, [0xb674_a481_b156_75ab, 0xdea8_d540_5aa9_dd1e]),
    (Family::Tekken, [0x5f5e_0665_47e8_879a, 0xe038_2b8e_a1a5_8af5]),
];

/// How the texts of a pattern are read by masks.
#[derive(Debug)]
pub struct Reading {
    pub family: Family,
    /// What characters of a class are, in the bits of `masks`.
    pub roles: [u8; 256],
    /// What first bytes tell of characters.
    pub leads: Leads,
    /// What characters of a class are behind an apostrophe.
    pub endings: [Ending; 256],
}

/// What a letter is in the contractions `'s 't 'm 'd 're 've 'll`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ending {
    #[default]
    None,
    /// The only letter: s, t, m, d.
    Only,
    /// r or v, before e.
    BeforeE,
    E,
    L,
}

impl Reading {
    /// The reading of an automaton that is a family's.
    pub fn of(automaton: &Automaton, alphabet: &Alphabet) -> Option<Reading> {
        let number = number_of(automaton, alphabet)?;
        let &(family, _) = KNOWN.iter().find(|(_, known)| *known == number)?;
        let mut roles = [0; 256];
        let mut endings = [Ending::None; 256];
        let representative = Classes::new(automaton, alphabet)?.representative;
        for (class, &byte) in representative.iter().enumerate() {
            roles[class] = match byte {
                BEYOND => LETTER | EITHER,
                MARK => EITHER,
                b'A'..=b'Z' if family.is_cased() => ascii::role(byte) | UPPER,
                _ => ascii::role(byte),
            };
            let folded = if family == Family::Gpt2 { byte } else { byte.to_ascii_lowercase() };
            endings[class] = match folded {
                b's' | b't' | b'm' | b'd' => Ending::Only,
                b'r' | b'v' => Ending::BeforeE,
                b'e' => Ending::E,
                b'l' => Ending::L,
                _ => Ending::None,
            };
        }
        // The masks know these as single bytes, and white characters of up to three.
        let wide = |class: u8| roles[usize::from(class)];
        let fits =
            alphabet.wide_classes(0x80..CODES).all(|class| wide(class) & (LINE_END | BLANK | QUOTE) == 0)
                && alphabet.wide_classes(0x1_0000..CODES).all(|class| wide(class) & WHITE == 0)
                && (!family.is_cased()
                    || alphabet
                        .wide_classes(0x80..CODES)
                        .all(|class| representative[usize::from(class)] != b'/'));
        fits.then(|| Reading { family, roles, leads: leads(alphabet, &roles), endings })
    }
}

/// The kinds of endings, by the number that stands for each in a file.
const ENDINGS: [Ending; 5] = [Ending::None, Ending::Only, Ending::BeforeE, Ending::E, Ending::L];

impl Reading {
    /// Puts the reading down.
    pub fn put(&self, arrays: &mut Arrays) {
        let family = KNOWN.iter().position(|(family, _)| *family == self.family);
        arrays.numbers(&[family.map_or(u64::MAX, |family| family as u64)]);
        arrays.put(&self.roles);
        arrays.put(&self.leads);
        arrays.put(
            &self
                .endings
                .map(|ending| ENDINGS.iter().position(|one| *one == ending).map_or(0, |at| at as u8)),
        );
    }

    /// Takes what was put.
    pub fn take(shelf: &mut Shelf) -> Result<Reading> {
        let family = shelf.number()? as usize;
        let &(family, _) = KNOWN.get(family).ok_or_else(misfit)?;
        let (roles, leads) = (shelf.array()?, shelf.array()?);
        let mut endings = [Ending::None; 256];
        for (ending, number) in endings.iter_mut().zip(shelf.array::<u8, 256>()?) {
            *ending = *ENDINGS.get(usize::from(number)).ok_or_else(misfit)?;
        }
        Ok(Reading { family, roles, leads, endings })
    }
}

/// All code points are below.
const CODES: u32 = char::MAX as u32 + 1;

/// What characters are by the first of their two or three bytes: whole scripts are the same.
fn leads(alphabet: &Alphabet, roles: &[u8; 256]) -> Leads {
    let mut leads = [MIXED; 64];
    for lead in 0xC2..0xF0u32 {
        let codes = match lead {
            ..0xE0 => (lead & 0x1F) << 6..((lead & 0x1F) + 1) << 6,
            // Behind these are no characters.
            0xED => 0xD000..0xD800,
            _ => ((lead & 0x0F) << 12).max(0x800)..((lead & 0x0F) + 1) << 12,
        };
        let mut found = alphabet.wide_classes(codes).map(|class| roles[usize::from(class)]);
        if let Some(first) = found.next()
            && found.all(|role| role == first)
        {
            leads[lead as usize % 64] = first;
        }
    }
    leads
}

/// What stands for classes that are like no ASCII character: those of letters without case, and of marks.
const BEYOND: u8 = 128;
const MARK: u8 = 129;
const EXAMPLES: [(u8, &str); 2] = [(BEYOND, "ª"), (MARK, "\u{301}")];

/// Classes that the automaton treats alike, each with a character that stands for it.
struct Classes {
    /// The smallest automaton's states.
    state: Vec<u32>,
    /// By class: the first ASCII character that is treated alike, or else an example's number.
    representative: Vec<u8>,
}

/// Most states and classes of an automaton that could be a family's.
const MOST: usize = 256;

impl Classes {
    /// `None` if some class is like no ASCII character and no example.
    fn new(automaton: &Automaton, alphabet: &Alphabet) -> Option<Classes> {
        let (states, end) = (automaton.steps.len(), alphabet.classes);
        if automaton.starts.len() != 1 || states > MOST || end > MOST {
            return None;
        }
        let state = smallest(automaton);
        let inevitable = automaton.inevitable();
        let column = |class: usize| -> Vec<(u32, bool)> {
            (0..states).map(|from| step(automaton, &inevitable, &state, from, class)).collect()
        };
        let mut first: HashMap<Vec<(u32, bool)>, u8> = HashMap::new();
        let columns: Vec<Vec<(u32, bool)>> = (0..end).map(column).collect();
        for byte in 0..128u8 {
            first.entry(columns[usize::from(alphabet.of_ascii(byte))].clone()).or_insert(byte);
        }
        for (number, example) in EXAMPLES {
            let (class, _) = alphabet.at(example.as_bytes(), 0);
            first.entry(columns[usize::from(class)].clone()).or_insert(number);
        }
        let representative =
            columns.iter().map(|column| first.get(column).copied()).collect::<Option<_>>()?;
        Some(Classes { state, representative })
    }
}

/// A step among the states of the smallest automaton, with the accept only if it may be the last.
fn step(
    automaton: &Automaton,
    inevitable: &[bool],
    state: &[u32],
    from: usize,
    symbol: usize,
) -> (u32, bool) {
    let step = automaton.steps[from][symbol];
    (state[step.next as usize], step.accepts && !inevitable[step.next as usize])
}

/// For each state its number in the smallest automaton that does the same: states are told apart as long as some
/// symbol leads them to different ones.
fn smallest(automaton: &Automaton) -> Vec<u32> {
    let inevitable = automaton.inevitable();
    let mut state = vec![0u32; automaton.steps.len()];
    let mut count = 1;
    loop {
        let mut numbers: HashMap<Vec<(u32, bool)>, u32> = HashMap::new();
        let refined: Vec<u32> = (0..state.len())
            .map(|from| {
                let symbols = 0..automaton.steps[from].len();
                let row = symbols.map(|symbol| step(automaton, &inevitable, &state, from, symbol)).collect();
                let next = numbers.len() as u32;
                *numbers.entry(row).or_insert(next)
            })
            .collect();
        if numbers.len() == count {
            return state;
        }
        (state, count) = (refined, numbers.len());
    }
}

/// A number for what the automaton does with ASCII characters and the examples. All others are like one of them.
pub fn number_of(automaton: &Automaton, alphabet: &Alphabet) -> Option<[u64; 2]> {
    let Classes { state, representative } = Classes::new(automaton, alphabet)?;
    let inevitable = automaton.inevitable();
    let of_byte = |byte: u8| representative[usize::from(alphabet.of_ascii(byte))];
    let mut symbols: Vec<u8> = (0..128).map(of_byte).collect();
    let mut form: Vec<u32> = symbols.iter().map(|&byte| u32::from(byte)).collect();
    for (number, _) in EXAMPLES.iter().filter(|(number, _)| representative.contains(number)) {
        form.push(u32::from(*number));
        symbols.push(*number);
    }
    symbols.sort_unstable();
    symbols.dedup();
    let class_of = |symbol: u8| match EXAMPLES.iter().find(|(number, _)| *number == symbol) {
        Some((_, example)) => alphabet.at(example.as_bytes(), 0).0,
        None => alphabet.of_ascii(symbol),
    };
    let symbols: Vec<usize> =
        (symbols.iter().map(|&symbol| usize::from(class_of(symbol)))).chain([alphabet.classes]).collect();
    // States in the order in which they are come to.
    let mut order: HashMap<u32, u32> = HashMap::new();
    let mut waiting = vec![automaton.starts[0] as usize];
    order.insert(state[waiting[0]], 0);
    let mut at = 0;
    while at < waiting.len() {
        for &symbol in &symbols {
            let (to, accepts) = step(automaton, &inevitable, &state, waiting[at], symbol);
            let next = order.len() as u32;
            let number = *order.entry(to).or_insert_with(|| {
                waiting.push(automaton.steps[waiting[at]][symbol].next as usize);
                next
            });
            form.push(number << 1 | u32::from(accepts));
        }
        at += 1;
    }
    let bytes = |salt: u32| -> Vec<u8> {
        std::iter::once(&salt).chain(&form).flat_map(|word| word.to_le_bytes()).collect()
    };
    Some([hash_bytes(&bytes(1)), hash_bytes(&bytes(2))])
}

#[cfg(test)]
mod tests {
    use super::super::{automaton, parse, program::Program};
    use super::*;
    use crate::spec::Dialect;

    const BOTH: &[Dialect] = &[Dialect::Fancy, Dialect::Oniguruma];
    const PATTERNS: &[(Family, &[Dialect], &str)] = &[
        (Family::Gpt2, BOTH, r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"),
        (
            Family::Gpt2,
            BOTH,
            r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
        ),
        (
            Family::Cl100k,
            &[Dialect::Fancy],
            r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
        ),
        // The same where `{1,3}+` repeats and `$` stands before any line end.
        (
            Family::Cl100k,
            &[Dialect::Oniguruma],
            r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|(?>\p{N}{1,3})| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++\z|\s*[\r\n]|\s+(?!\S)|\s",
        ),
        (
            Family::Llama3,
            BOTH,
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        ),
        (
            Family::Qwen2,
            BOTH,
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        ),
        (
            Family::O200k,
            BOTH,
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        ),
        (
            Family::Tekken,
            BOTH,
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        ),
    ];

    fn compiled(source: &str, dialect: Dialect) -> (Automaton, Alphabet) {
        let program = Program::new(&parse::parse(source, dialect).unwrap()).unwrap();
        let (alphabet, members) = Alphabet::new(&program.sets.iter().collect::<Vec<_>>()).unwrap();
        (automaton::build(&program, &alphabet, &members).unwrap(), alphabet)
    }

    #[test]
    fn patterns_are_of_the_family_that_does_the_same() {
        let mut wrong = Vec::new();
        for &(family, dialects, source) in PATTERNS {
            for &dialect in dialects {
                let (automaton, alphabet) = compiled(source, dialect);
                if Reading::of(&automaton, &alphabet).map(|reading| reading.family) != Some(family) {
                    wrong.push((family, number_of(&automaton, &alphabet), dialect, source));
                }
            }
        }
        assert!(wrong.is_empty(), "these have other numbers: {wrong:#x?}");
        for other in [
            r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+",
            r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\d+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
            r"'s|'t|'re|'ve|'m|'ll| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,2}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
            r"\s+|\S+",
        ] {
            let (automaton, alphabet) = compiled(other, Dialect::Fancy);
            assert!(Reading::of(&automaton, &alphabet).is_none(), "{other}");
        }
    }
}
