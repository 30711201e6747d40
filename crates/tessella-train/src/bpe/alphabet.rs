//! From pieces to first symbols: the alphabet, its limit, and the forms with prefix and suffix.

use std::collections::HashSet;

use tessella_core::Result;

use super::symbols::{Extent, Symbols};
use super::tokens::Tokens;
use crate::characters::ByCharacter;
use crate::counts::{Words, overflow};

/// What decides the first symbols.
#[derive(Debug, Clone, Default)]
pub(crate) struct AlphabetRules<'a> {
    pub(crate) limit: Option<usize>,
    /// Characters that are there whether they occur or not.
    pub(crate) initial: &'a [char],
    pub(crate) prefix: Option<&'a str>,
    pub(crate) suffix: Option<&'a str>,
    /// The vocabulary gets only the forms that occur (and the initial characters), by their bytes; otherwise every
    /// character of the alphabet plain, whether it occurs so or not.
    pub(crate) only_forms: bool,
}

impl AlphabetRules<'_> {
    fn prefix(&self, is_first: bool) -> &str {
        if is_first { "" } else { self.prefix.unwrap_or("") }
    }

    fn suffix(&self, is_last: bool) -> &str {
        if is_last { self.suffix.unwrap_or("") } else { "" }
    }
}

/// Adds the characters of the pieces to the vocabulary, by code point.
///
/// With a limit the most frequent characters stay; of equally frequent ones the smaller code points. The given
/// initial characters count as more frequent than any other. Tells how large the corpora are.
pub(crate) fn add_alphabet(
    tokens: &mut Tokens,
    corpora: &[Words<'_>],
    rules: &AlphabetRules<'_>,
) -> Result<Extent> {
    let mut extent = Extent::default();
    let mut frequency: ByCharacter<u128> = ByCharacter::new();
    for words in corpora {
        words.for_each(|word, count| {
            extent.words += 1;
            for character in word.chars() {
                extent.characters += 1;
                *frequency.at(character) += u128::from(count);
            }
            Ok(())
        })?;
    }
    rules.initial.iter().for_each(|&character| *frequency.at(character) = u128::MAX);

    let mut kept: Vec<(char, u128)> = frequency.iter().filter(|&(_, count)| count > 0).collect();
    if let Some(limit) = rules.limit {
        kept.sort_unstable_by_key(|&(character, count)| (std::cmp::Reverse(count), character));
        kept.truncate(limit);
    }
    kept.sort_unstable_by_key(|&(character, _)| character);
    if rules.only_forms {
        let kept: HashSet<char> = kept.into_iter().map(|(character, _)| character).collect();
        add_forms(tokens, corpora, &kept, rules)?;
        return Ok(extent);
    }
    for (character, _) in kept {
        tokens.insert(character.encode_utf8(&mut [0; 4]))?;
    }
    Ok(extent)
}

/// Adds the forms that the kept characters have in the words.
fn add_forms(
    tokens: &mut Tokens,
    corpora: &[Words<'_>],
    kept: &HashSet<char>,
    rules: &AlphabetRules<'_>,
) -> Result<()> {
    let mut met: HashSet<(char, bool, bool)> = HashSet::new();
    for words in corpora {
        words.for_each(|word, _| {
            let mut characters = word.chars().peekable();
            let mut is_first = true;
            while let Some(character) = characters.next() {
                if kept.contains(&character) {
                    met.insert((character, is_first, characters.peek().is_none()));
                }
                is_first = false;
            }
            Ok(())
        })?;
    }
    let initial = rules.initial.iter().filter(|&character| kept.contains(character)).map(char::to_string);
    let mut forms: Vec<String> = met
        .into_iter()
        .map(|(character, is_first, is_last)| {
            format!("{}{character}{}", rules.prefix(is_first), rules.suffix(is_last))
        })
        .chain(initial)
        .collect();
    forms.sort_unstable();
    for form in forms {
        tokens.insert(&form)?;
    }
    Ok(())
}

/// What is known of a character at a place in the word.
#[derive(Debug, Clone, Copy, Default)]
enum Known {
    #[default]
    NotYet,
    /// It is not in the alphabet.
    Dropped,
    Symbol(u32),
}

/// Writes words as symbols. Characters outside of the alphabet are left out; forms with a prefix (not first in
/// the word) and with a suffix (last in the word) join the vocabulary in the order in which they are met.
#[derive(Debug)]
pub(crate) struct Spelling<'a> {
    rules: AlphabetRules<'a>,
    /// By place in the word and character, once it is known.
    known: [ByCharacter<Known>; 4],
    word: Vec<u32>,
    /// Occurrences of characters that were left out.
    pub(crate) dropped: u128,
}

impl<'a> Spelling<'a> {
    pub(crate) fn new(rules: AlphabetRules<'a>) -> Self {
        Spelling { rules, known: Default::default(), word: Vec::new(), dropped: 0 }
    }

    /// The symbols of a piece.
    pub(crate) fn spell(&mut self, tokens: &mut Tokens, piece: &str, count: u64) -> Result<&[u32]> {
        self.word.clear();
        let mut characters = piece.chars().peekable();
        let mut first = true;
        while let Some(character) = characters.next() {
            let (prefix, suffix) = (self.rules.prefix(first), self.rules.suffix(characters.peek().is_none()));
            first = false;
            let place = usize::from(!prefix.is_empty()) | usize::from(!suffix.is_empty()) << 1;
            let symbol = match self.known[place].get(character) {
                Known::Symbol(symbol) => Some(symbol),
                Known::Dropped => None,
                Known::NotYet => {
                    let mut plain = [0; 4];
                    let plain: &str = character.encode_utf8(&mut plain);
                    let form = format!("{prefix}{plain}{suffix}");
                    let symbol = match (self.rules.only_forms, tokens.id(plain)) {
                        (true, _) => tokens.id(&form),
                        (false, None) => None,
                        (false, Some(_)) => Some(tokens.insert(&form)?.0),
                    };
                    *self.known[place].at(character) = symbol.map_or(Known::Dropped, Known::Symbol);
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
pub(crate) fn spell_all(
    tokens: &mut Tokens,
    words: &Words<'_>,
    extent: Extent,
    spelling: &mut Spelling<'_>,
) -> Result<Symbols> {
    let mut symbols = Symbols::with_room_for(extent);
    let mut total = 0u64;
    words.for_each(|word, count| {
        let spelled = spelling.spell(tokens, word, count)?;
        add_occurrences(&mut total, word, spelled.len(), count)?;
        symbols.push_word(spelled, count)
    })?;
    symbols.finish();
    Ok(symbols)
}

/// Words as symbols that the vocabulary has already; a word with any other symbol is left out as a whole.
pub(crate) fn spell_known(tokens: &Tokens, words: &Words<'_>, rules: &AlphabetRules<'_>) -> Result<Symbols> {
    let (mut symbols, mut spelled, mut total) = (Symbols::new(), Vec::new(), 0u64);
    let mut form = String::new();
    words.for_each(|word, count| {
        spelled.clear();
        let mut characters = word.chars().peekable();
        while let Some(character) = characters.next() {
            let (prefix, suffix) =
                (rules.prefix(spelled.is_empty()), rules.suffix(characters.peek().is_none()));
            form.clear();
            form.push(character);
            let plain = tokens.id(&form);
            form.insert_str(0, prefix);
            form.push_str(suffix);
            match plain.and_then(|_| tokens.id(&form)) {
                Some(symbol) => spelled.push(symbol),
                None => return Ok(()),
            }
        }
        add_occurrences(&mut total, word, spelled.len(), count)?;
        symbols.push_word(&spelled, count)
    })?;
    symbols.finish();
    Ok(symbols)
}

/// The sum of all occurrences of symbols, which no count of a pair or a symbol can exceed: checked once, here.
fn add_occurrences(total: &mut u64, word: &str, symbols: usize, count: u64) -> Result<()> {
    let occurrences = count.checked_mul(symbols as u64).ok_or_else(|| overflow(word))?;
    *total = total.checked_add(occurrences).ok_or_else(|| overflow(word))?;
    Ok(())
}
