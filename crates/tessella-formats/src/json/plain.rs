//! The short way through large tables: entries `"text": 5`, and texts of two halves, that need no decoding.
//!
//! Each of these takes a whole entry or nothing. Where anything is other than plain (an escape, a control character, a
//! number that is no small integer, a comma too many or too few, the end), the parser stays where it stood, and
//! what is asked next of it, by the rules, says what is there.

use super::parser::Parser;

/// Digits of a number that is read the short way: any such number is a 32-bit integer.
const MOST_DIGITS: usize = 9;

/// What ends the plain run inside of a string: quote, backslash, control characters.
const RUN: u8 = 0x20;
/// What ends the plain half of a text: those, and the space.
const HALF: u8 = RUN + 1;

/// The first place from `at` on without white space.
#[inline]
fn past_space(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
        at += 1;
    }
    at
}

/// The first byte from `at` on that is below a bound, a quote or a backslash, and its place. Eight bytes are looked at together, for
/// most texts end among so many, and at which of them nobody foresees.
#[inline]
fn find(bytes: &[u8], mut at: usize, below: u8) -> Option<(usize, u8)> {
    const EACH: u64 = u64::MAX / 0xFF;
    const TOP: u64 = EACH << 7;
    while let Some(word) = bytes.get(at..).and_then(|bytes| bytes.first_chunk::<8>()) {
        let word = u64::from_le_bytes(*word);
        // The lowest bit that is set is right; those above may come of what was borrowed for it.
        let is_less = |word: u64, bound: u8| word.wrapping_sub(EACH * u64::from(bound)) & !word & TOP;
        let is = |byte: u8| is_less(word ^ (EACH * u64::from(byte)), 1);
        let found = is_less(word, below) | is(b'"') | is(b'\\');
        if found != 0 {
            at += found.trailing_zeros() as usize / 8;
            return Some((at, bytes[at]));
        }
        at += 8;
    }
    loop {
        let byte = *bytes.get(at)?;
        if byte < below || matches!(byte, b'"' | b'\\') {
            return Some((at, byte));
        }
        at += 1;
    }
}

impl<'a> Parser<'a> {
    /// Where the text begins that comes next in the container, behind the comma that is due and the quote.
    #[inline]
    fn next_text(&self) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut at = past_space(bytes, self.at);
        if !self.fresh {
            if *bytes.get(at)? != b',' {
                return None;
            }
            at = past_space(bytes, at + 1);
        }
        (*bytes.get(at)? == b'"').then_some(at + 1)
    }

    /// Takes the next entry of an object, if it is a plain text and a plain integer.
    #[inline]
    pub fn plain_entry(&mut self) -> Option<(&'a str, u32)> {
        let (text, bytes) = (self.text, self.text.as_bytes());
        let start = self.next_text()?;
        let (end, b'"') = find(bytes, start, RUN)? else { return None };
        let colon = past_space(bytes, end + 1);
        if *bytes.get(colon)? != b':' {
            return None;
        }
        let first = past_space(bytes, colon + 1);
        let (mut count, mut number) = (0, 0u64);
        while let Some(digit) = bytes.get(first + count).filter(|byte| byte.is_ascii_digit())
            && count <= MOST_DIGITS
        {
            (count, number) = (count + 1, number * 10 + u64::from(digit - b'0'));
        }
        let is_plain = (1..=MOST_DIGITS).contains(&count) && (count == 1 || bytes[first] != b'0');
        // What would go on with the number, or is no JSON at all, is left to the rules.
        let is_over = matches!(bytes.get(first + count)?, b',' | b'}' | b' ' | b'\n' | b'\r' | b'\t');
        if !(is_plain && is_over) {
            return None;
        }
        self.at = first + count;
        self.fresh = false;
        Some((&text[start..end], number as u32))
    }

    /// Takes the next element of an array, if it is a plain text with one space in it: what is before it and behind.
    #[inline]
    pub fn plain_halves(&mut self) -> Option<(&'a str, &'a str)> {
        let (text, bytes) = (self.text, self.text.as_bytes());
        let start = self.next_text()?;
        let (space, b' ') = find(bytes, start, HALF)? else { return None };
        let (end, b'"') = find(bytes, space + 1, HALF)? else { return None };
        self.at = end + 1;
        self.fresh = false;
        Some((&text[start..space], &text[space + 1..end]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Number;

    /// What the short way takes is what the rules take, and they go on from the same place.
    fn agree(object: &str) {
        let (mut short, mut strict) = (Parser::new(object), Parser::new(object));
        short.begin_object().unwrap();
        strict.begin_object().unwrap();
        while let Some((text, id)) = short.plain_entry() {
            assert_eq!(strict.next_key().unwrap().as_deref(), Some(text), "{object}");
            assert_eq!(strict.number().unwrap(), Number::Unsigned(id.into()), "{object}");
        }
        let rest = |parser: &mut Parser<'_>| match parser.next_key() {
            Ok(key) => {
                Ok((key.map(|key| key.into_owned()), parser.value().map_err(|error| error.to_string())))
            }
            Err(error) => Err(error.to_string()),
        };
        assert_eq!(rest(&mut short), rest(&mut strict), "{object}");
    }

    #[test]
    fn entries_are_those_of_the_rules() {
        for object in [
            "{}",
            r#"{"a":1,"b":20 ,"é" : 3 }"#,
            "{\n  \"a\": 999999999,\n  \"b\": 0\n}",
            r#"{"a":1,}"#,
            r#"{,"a":1}"#,
            r#"{"a":1 "b":2}"#,
            r#"{"a":1,"b":1234567890}"#,
            r#"{"a":1,"b":99999999999}"#,
            r#"{"a":1,"b":01}"#,
            r#"{"a":1,"b":1.0}"#,
            r#"{"a":1,"b":1e3}"#,
            r#"{"a":1,"b":-1}"#,
            r#"{"a":1,"b":"1"}"#,
            r#"{"a":1,"b":}"#,
            r#"{"a":1,"b"}"#,
            r#"{"a":1,"b\n":2,"c":3}"#,
            "{\"a\":1,\"b\n\":2}",
            r#"{"a":1,"b":2]"#,
            r#"{"a":1,"b":2x}"#,
            r#"{"a":1,"b":2"#,
            r#"{"a":1,"b"#,
        ] {
            agree(object);
            for end in (1..=object.len()).filter(|&end| object.is_char_boundary(end)) {
                agree(&object[..end]);
            }
        }
    }

    #[test]
    fn what_ends_a_run_is_found_wherever_it_stands() {
        let mut bytes = [b'x'; 20];
        for byte in 0..=u8::MAX {
            for at in 0..bytes.len() {
                bytes[at] = byte;
                // What follows may be told for one that ends a run as well.
                for behind in [b'x', b'!', b'#', b']', 0xFF] {
                    bytes[(at + 1) % 20] = behind;
                    for (below, ends) in [(RUN, byte < 0x20), (HALF, byte <= 0x20)] {
                        let ends = ends || matches!(byte, b'"' | b'\\');
                        assert_eq!(find(&bytes, 0, below), ends.then_some((at, byte)), "{byte} at {at}");
                    }
                    bytes[(at + 1) % 20] = b'x';
                }
                bytes[at] = b'x';
            }
        }
    }

    #[test]
    fn only_texts_with_one_space_have_plain_halves() {
        let mut parser = Parser::new(r#"["a b", "é é" ,"a","c d"]"#);
        parser.begin_array().unwrap();
        assert_eq!(parser.plain_halves(), Some(("a", "b")));
        assert_eq!(parser.plain_halves(), Some(("é", "é")));
        assert_eq!(parser.plain_halves(), None);
        assert!(parser.next_element().unwrap());
        assert_eq!(parser.string().unwrap(), "a");
        assert_eq!(parser.plain_halves(), Some(("c", "d")));
        assert_eq!(parser.plain_halves(), None);
        assert!(!parser.next_element().unwrap());
        for odd in [
            r#"["a  b"]"#,
            r#"["a b c"]"#,
            r#"["a\u0020b"]"#,
            r#"["a \n"]"#,
            "[\"a \n\"]",
            r#"["a b]"#,
            r#"[5]"#,
            "[]",
        ] {
            let mut parser = Parser::new(odd);
            parser.begin_array().unwrap();
            assert_eq!(parser.plain_halves(), None, "{odd}");
        }
        let mut parser = Parser::new(r#"["a b","c d"]"#);
        assert_eq!(parser.plain_halves(), None, "the array is not opened");
    }
}
