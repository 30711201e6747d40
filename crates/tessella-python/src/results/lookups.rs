//! The quick ways of an encoding's look-ups, which are called for every token or character of a text, and whose call takes longer than
//! all that is done.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use tessella_core::Encoding as Core;

use crate::border::interpreter::plain_id;
use crate::border::interpreter::quick::{Answer, Quick, Twin, Unnamed, quicken};
use crate::results::encoding::Encoding;

/// A place, and the sequence that it is in, which is the first where none is given.
fn places(arguments: Unnamed<'_, '_>) -> Option<(u32, usize)> {
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

fn answer<'py, T: IntoPyObject<'py>>(py: Python<'py>, found: Option<T>) -> Answer<'py> {
    match found.map(|found| found.into_bound_py_any(py)) {
        None => Some(Ok(None)),
        Some(made) => Some(made.map(Some)),
    }
}

/// The types of methods, with what each finds for its arguments.
macro_rules! lookups {
    ($($method:ident $name:literal, $read:ident, |$row:ident, $at:pat_param| $found:expr;)*) => {
        $(
            struct $method;

            impl Quick for $method {
                type Of = Encoding;
                const NAME: &'static str = $name;

                #[inline(always)]
                fn quick<'py>(this: &Encoding, arguments: Unnamed<'_, 'py>) -> Answer<'py> {
                    let $at = $read(arguments)?;
                    let found = this.read(|$row: &Core| $found);
                    answer(arguments.py(), found)
                }

                fn twin() -> &'static Twin {
                    static TWIN: Twin = Twin::new();
                    &TWIN
                }
            }
        )*

        /// Puts all of them before the bindings' own.
        pub fn quicken_lookups(py: Python<'_>) -> PyResult<()> {
            $(quicken::<$method>(py)?;)*
            Ok(())
        }
    };
}

lookups! {
    TokenToSequence "token_to_sequence", token, |row, token| row.token_to_sequence(token);
    TokenToWord "token_to_word", token, |row, token| row.token_to_word(token).map(|(_, word)| word);
    TokenToChars "token_to_chars", token, |row, token| row.token_to_chars(token).map(|(_, chars)| chars);
    CharToToken "char_to_token", places, |row, (char, sequence)| row.char_to_token(char as usize, sequence);
    CharToWord "char_to_word", places, |row, (char, sequence)| row.char_to_word(char as usize, sequence);
    WordToTokens "word_to_tokens", places, |row, (word, sequence)| row.word_to_tokens(word, sequence);
    WordToChars "word_to_chars", places, |row, (word, sequence)| row.word_to_chars(word, sequence);
}
