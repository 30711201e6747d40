//! The quick ways of an encoding's look-ups, which are called for every token or character of a text, and whose call takes longer than
//! all that is done.

use pyo3::prelude::*;

use crate::border::interpreter::plain_id;
use crate::border::interpreter::quick::{Unnamed, answer, quick_methods};
use crate::results::encoding::Encoding;

/// A place, and the sequence that it is in, which is the first where none is given.
fn place(arguments: Unnamed<'_, '_>) -> Option<(u32, usize)> {
    if let Some([place]) = arguments.all() {
        return Some((plain_id(place)?, 0));
    }
    let [place, sequence] = arguments.all()?;
    Some((plain_id(place)?, plain_id(sequence)? as usize))
}

/// The place of a token, which is in whatever sequence it is.
fn token(arguments: Unnamed<'_, '_>) -> Option<usize> {
    let [token] = arguments.all()?;
    plain_id(token).map(|token| token as usize)
}

quick_methods! {
    quicken_lookups, Encoding:
    TokenToSequence "token_to_sequence" |this, arguments| {
        let token = token(arguments)?;
        answer(arguments.py(), this.read(|row| row.token_to_sequence(token)))
    };
    TokenToWord "token_to_word" |this, arguments| {
        let token = token(arguments)?;
        answer(arguments.py(), this.read(|row| row.token_to_word(token)).map(|(_, word)| word))
    };
    TokenToChars "token_to_chars" |this, arguments| {
        let token = token(arguments)?;
        answer(arguments.py(), this.read(|row| row.token_to_chars(token)).map(|(_, chars)| chars))
    };
    CharToToken "char_to_token" |this, arguments| {
        let (char, sequence) = place(arguments)?;
        answer(arguments.py(), this.read(|row| row.char_to_token(char as usize, sequence)))
    };
    CharToWord "char_to_word" |this, arguments| {
        let (char, sequence) = place(arguments)?;
        answer(arguments.py(), this.read(|row| row.char_to_word(char as usize, sequence)))
    };
    WordToTokens "word_to_tokens" |this, arguments| {
        let (word, sequence) = place(arguments)?;
        answer(arguments.py(), this.read(|row| row.word_to_tokens(word, sequence)))
    };
    WordToChars "word_to_chars" |this, arguments| {
        let (word, sequence) = place(arguments)?;
        answer(arguments.py(), this.read(|row| row.word_to_chars(word, sequence)))
    };
}
