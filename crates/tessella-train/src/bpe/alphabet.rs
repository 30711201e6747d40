//! From pieces to first symbols: the alphabet, its limit, and the forms with prefix and suffix.

use std::collections::HashMap;

use tessella_core::Result;

use super::symbols::Symbols;
use super::tokens::Tokens;
use crate::counts::overflow;

/// What decides the first symbols.
#[derive(Debug, Clone, Default)]
pub(crate) struct AlphabetRules<'a> {
    pub(crate) limit: Option<usize>,
    /// Characters that are there whether they occur or not.
    pub(crate) initial: &'a [char],
    pub(crate) prefix: Option<&'a str>,
    pub(crate) suffix: Option<&'a str>,
}

/// Adds the characters of the pieces to the vocabulary, by code point.
///
/// With a limit the most frequent characters stay; of equally frequent ones the smaller code points. The given
/// initial characters count as more frequent than any other.
pub(crate) fn add_alphabet<'w>(
    tokens: &mut Tokens,
    words: impl Iterator<Item = (&'w str, u64)>,
    rules: &AlphabetRules<'_>,
) -> Result<()> {
    let mut frequency: HashMap<char, u128> = HashMap::new();
    // Most characters are ASCII: count those without hashing.
    let mut ascii = [0u128; 128];
    for (word, count) in words {
        for character in word.chars() {
            match ascii.get_mut(character as usize) {
                Some(counter) => *counter += u128::from(count),
                None => *frequency.entry(character).or_default() += u128::from(count),
            }
        }
    }
    frequency.extend((0u8..128).zip(ascii).filter(|&(_, n)| n > 0).map(|(byte, n)| (char::from(byte), n)));
    frequency.extend(rules.initial.iter().map(|&character| (character, u128::MAX)));

    let mut kept: Vec<(char, u128)> = frequency.into_iter().collect();
    if let Some(limit) = rules.limit {
        kept.sort_unstable_by_key(|&(character, count)| (std::cmp::Reverse(count), character));
        kept.truncate(limit);
    }
    kept.sort_unstable_by_key(|&(character, _)| character);
    for (character, _) in kept {
        tokens.insert(character.encode_utf8(&mut [0; 4]))?;
    }
    Ok(())
}

/// Writes words as symbols. Characters outside of the alphabet are left out; forms with a prefix (not first in
/// the word) and with a suffix (last in the word) join the vocabulary in the order in which they are met.
#[derive(Debug)]
pub(crate) struct Spelling<'a> {
    rules: AlphabetRules<'a>,
    /// By character and place in the word; `None` if the character is not in the alphabet.
    known: HashMap<u32, Option<u32>>,
    word: Vec<u32>,
    /// Occurrences of characters that were left out.
    pub(crate) dropped: u128,
}

impl<'a> Spelling<'a> {
    pub(crate) fn new(rules: AlphabetRules<'a>) -> Self {
        Spelling { rules, known: HashMap::new(), word: Vec::new(), dropped: 0 }
    }

    /// The symbols of a piece.
    pub(crate) fn spell(&mut self, tokens: &mut Tokens, piece: &str, count: u64) -> Result<&[u32]> {
        self.word.clear();
        let mut characters = piece.chars().peekable();
        let mut first = true;
        while let Some(character) = characters.next() {
            let prefix = if first { None } else { self.rules.prefix };
            let suffix = if characters.peek().is_none() { self.rules.suffix } else { None };
            first = false;
            let place = u32::from(prefix.is_some()) | u32::from(suffix.is_some()) << 1;
            let name = character as u32 | place << 24;
            let symbol = match self.known.get(&name) {
                Some(&symbol) => symbol,
                None => {
                    let mut plain = [0; 4];
                    let plain: &str = character.encode_utf8(&mut plain);
                    let symbol = match tokens.id(plain) {
                        None => None,
                        Some(_) => {
                            let form = format!("{}{plain}{}", prefix.unwrap_or(""), suffix.unwrap_or(""));
                            Some(tokens.insert(&form)?.0)
                        }
                    };
                    self.known.insert(name, symbol);
                    symbol
                }
            };
            match symbol {
                Some(symbol) => self.word.push(symbol),
                None => self.dropped += u128::from(count),
            }
        }
        Ok(&self.word)
    }
}

/// All words as one array of symbols.
pub(crate) fn spell_all<'w>(
    tokens: &mut Tokens,
    words: impl Iterator<Item = (&'w str, u64)>,
    spelling: &mut Spelling<'_>,
) -> Result<Symbols> {
    let mut symbols = Symbols::new();
    let mut total = 0u64;
    for (word, count) in words {
        let spelled = spelling.spell(tokens, word, count)?;
        // The largest sum that any pair or symbol can reach; checked once here.
        let occurrences = count.checked_mul(spelled.len() as u64).ok_or_else(|| overflow(word))?;
        total = total.checked_add(occurrences).ok_or_else(|| overflow(word))?;
        symbols.push_word(spelled, count)?;
    }
    symbols.finish();
    Ok(symbols)
}
