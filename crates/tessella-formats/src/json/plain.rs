//! The short way through large tables: entries `"text": 5`, texts of two halves, and arrays of two texts or of a text and a number,
//! that need no decoding.
//!
//! Each of these takes a whole entry or nothing. Where anything is other than plain (an escape, a control character, a
//! number that is no small integer, a comma too many or too few, the end), the parser stays where it stood, and
//! what is asked next of it, by the rules, says what is there.

use super::parser::{MAX_DEPTH, Parser};

/// Digits of a number that is read the short way: any such number is a 32-bit integer.
const MOST_DIGITS: usize = 9;

/// What ends the plain run inside of a string: quote, backslash, control characters.
const RUN: u8 = 0x20;
/// What ends the plain half of a text: those, and the space.
const HALF: u8 = RUN + 1;

/// A text of a document, and all that comes behind it.
#[derive(Debug, Clone, Copy)]
pub struct Plain<'a> {
    rest: &'a str,
    len: usize,
}

impl<'a> Plain<'a> {
    fn new(document: &'a str, start: usize, end: usize) -> Self {
        Plain { rest: &document[start..], len: end - start }
    }

    /// The text.
    pub fn text(self) -> &'a str {
        &self.rest[..self.len]
    }

    /// The text and what is behind it, and how long the text is.
    pub fn with_rest(self) -> (&'a str, usize) {
        (self.rest, self.len)
    }
}

/// Bytes that are looked at together, for most texts end among so many, and at which of them nobody foresees.
const WORD: usize = 16;

/// A word of this byte.
const fn all(byte: u8) -> u128 {
    u128::from_ne_bytes([byte; WORD])
}

/// Marks the bytes of a word that are below a bound, a quote or a backslash, by their highest bits.
#[inline(always)]
fn marked(word: u128, below: u8) -> u128 {
    const LOW: u128 = all(0x7F);
    // What is no less than the bound, up to 128, carries into the highest bit, and nothing out of it.
    let at_least = |word: u128, bound: u8| ((word & LOW) + all(0x80 - bound)) | word;
    !(at_least(word, below) & at_least(word ^ all(b'"'), 1) & at_least(word ^ all(b'\\'), 1)) & !LOW
}

/// The place of the lowest mark.
#[inline(always)]
fn lowest(marked: u128) -> usize {
    marked.trailing_zeros() as usize / 8
}

/// The word at a place, if the bytes are so many.
#[inline(always)]
fn word_at(bytes: &[u8], at: usize) -> Option<u128> {
    Some(u128::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// The first place from `at` on without white space.
#[inline]
fn past_space(bytes: &[u8], mut at: usize) -> usize {
    loop {
        match bytes.get(at) {
            // Lines are indented.
            Some(b'\n') => {
                at += 1;
                if let Some(spaces) = bytes.get(at..).and_then(|bytes| bytes.first_chunk::<8>()) {
                    let others = u64::from_le_bytes(*spaces) ^ u64::from_le_bytes([b' '; 8]);
                    at += others.trailing_zeros() as usize / 8;
                }
            }
            Some(b' ' | b'\r' | b'\t') => at += 1,
            _ => return at,
        }
    }
}

/// The first byte from `at` on that is below a bound, a quote or a backslash, and its place.
#[inline]
fn find(bytes: &[u8], mut at: usize, below: u8) -> Option<(usize, u8)> {
    while let Some(word) = word_at(bytes, at) {
        let found = marked(word, below);
        if found != 0 {
            at += lowest(found);
            return Some((at, bytes[at]));
        }
        at += WORD;
    }
    loop {
        let byte = *bytes.get(at)?;
        if byte < below || matches!(byte, b'"' | b'\\') {
            return Some((at, byte));
        }
        at += 1;
    }
}

/// The first two such bytes, if they are so near that they are found at once, or however far they are.
#[inline]
fn find_two(bytes: &[u8], at: usize, below: u8) -> Option<[(usize, u8); 2]> {
    if let Some(word) = word_at(bytes, at) {
        let first = marked(word, below);
        let second = first & first.wrapping_sub(1);
        if second != 0 {
            return Some([first, second].map(|found| at + lowest(found)).map(|at| (at, bytes[at])));
        }
    }
    let first = find(bytes, at, below)?;
    Some([first, find(bytes, first.0 + 1, below)?])
}

/// The place behind a byte, if it is there.
#[inline]
fn behind(bytes: &[u8], at: usize, byte: u8) -> Option<usize> {
    (*bytes.get(at)? == byte).then_some(at + 1)
}

impl<'a> Parser<'a> {
    /// The place behind a byte that comes next in the container, behind the comma that is due.
    #[inline]
    fn next(&self, byte: u8) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut at = past_space(bytes, self.at);
        if !self.fresh {
            at = past_space(bytes, behind(bytes, at, b',')?);
        }
        behind(bytes, at, byte)
    }

    /// Takes the next entry of an object, if it is a plain text and a plain integer.
    #[inline]
    pub fn plain_entry(&mut self) -> Option<(Plain<'a>, u32)> {
        let (text, bytes) = (self.text, self.text.as_bytes());
        let start = self.next(b'"')?;
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
        Some((Plain::new(text, start, end), number as u32))
    }

    /// Takes the next element of an array, if it is a plain text with one space in it: what is before it and behind.
    #[inline]
    pub fn plain_halves(&mut self) -> Option<(Plain<'a>, Plain<'a>)> {
        let text = self.text;
        let start = self.next(b'"')?;
        let [(space, b' '), (end, b'"')] = find_two(text.as_bytes(), start, HALF)? else { return None };
        self.at = end + 1;
        self.fresh = false;
        Some((Plain::new(text, start, space), Plain::new(text, space + 1, end)))
    }

    /// Takes the next element of an array, if it is an array of two plain texts.
    #[inline]
    pub fn plain_pair(&mut self) -> Option<(Plain<'a>, Plain<'a>)> {
        let (text, bytes) = (self.text, self.text.as_bytes());
        let (first, end) = self.plain_first()?;
        let second = behind(bytes, past_space(bytes, behind(bytes, end, b',')?), b'"')?;
        let (last, b'"') = find(bytes, second, RUN)? else { return None };
        self.at = behind(bytes, past_space(bytes, last + 1), b']')?;
        self.fresh = false;
        Some((first, Plain::new(text, second, last)))
    }

    /// Takes the next element of an array, if it is an array of a plain text and a number that is written with digits, a point and a
    /// sign: the text, and the number as it is written.
    #[inline]
    pub fn plain_scored(&mut self) -> Option<(&'a str, &'a str)> {
        let (text, bytes) = (self.text, self.text.as_bytes());
        let (first, end) = self.plain_first()?;
        let number = past_space(bytes, behind(bytes, end, b',')?);
        let digits = number + usize::from(*bytes.get(number)? == b'-');
        let many = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let whole = many(digits);
        let mut behind_number = digits + whole;
        if bytes.get(behind_number) == Some(&b'.') {
            let part = many(behind_number + 1);
            behind_number += 1 + part;
            if part == 0 {
                return None;
            }
        }
        if whole == 0 || whole > 1 && bytes[digits] == b'0' {
            return None;
        }
        // What would go on with the number is left to the rules.
        self.at = behind(bytes, past_space(bytes, behind_number), b']')?;
        self.fresh = false;
        Some((first.text(), &text[number..behind_number]))
    }

    /// The plain text that the next element begins with, which is an array, and the place behind it.
    #[inline]
    fn plain_first(&self) -> Option<(Plain<'a>, usize)> {
        let bytes = self.text.as_bytes();
        let inner = self.next(b'[').filter(|_| self.depth < MAX_DEPTH)?;
        let start = behind(bytes, past_space(bytes, inner), b'"')?;
        let (end, b'"') = find(bytes, start, RUN)? else { return None };
        Some((Plain::new(self.text, start, end), past_space(bytes, end + 1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Number;

    fn halves<'a>(parser: &mut Parser<'a>) -> Option<(&'a str, &'a str)> {
        parser.plain_halves().map(|(left, right)| (left.text(), right.text()))
    }

    fn pair<'a>(parser: &mut Parser<'a>) -> Option<(&'a str, &'a str)> {
        parser.plain_pair().map(|(left, right)| (left.text(), right.text()))
    }

    /// What the short way takes is what the rules take, and they go on from the same place.
    fn agree(object: &str) {
        let (mut short, mut strict) = (Parser::new(object), Parser::new(object));
        short.begin_object().unwrap();
        strict.begin_object().unwrap();
        while let Some((text, id)) = short.plain_entry() {
            assert_eq!(strict.next_key().unwrap().as_deref(), Some(text.text()), "{object}");
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
    fn two_ends_are_found_wherever_they_stand() {
        let mut bytes = [b'x'; 40];
        for first in 0..bytes.len() {
            for second in first + 1..bytes.len() {
                (bytes[first], bytes[second]) = (b' ', b'"');
                assert_eq!(find_two(&bytes, 0, HALF), Some([(first, b' '), (second, b'"')]));
                assert_eq!(find_two(&bytes, first + 1, HALF), None);
                (bytes[first], bytes[second]) = (b'x', b'x');
            }
        }
    }

    #[test]
    fn lines_may_be_indented_by_anything() {
        for space in ["", "\n", "\r\n", "\n \t ", " \n\n  \n"] {
            for indent in 0..40 {
                let text = format!("x{space}{}y", " ".repeat(indent));
                assert_eq!(past_space(text.as_bytes(), 1), text.len() - 1);
                assert_eq!(past_space(&text.as_bytes()[..text.len() - 1], 1), text.len() - 1);
            }
        }
    }

    #[test]
    fn only_texts_with_one_space_have_plain_halves() {
        let mut parser = Parser::new(r#"["a b", "é é" ,"a","c d"]"#);
        parser.begin_array().unwrap();
        assert_eq!(halves(&mut parser), Some(("a", "b")));
        assert_eq!(halves(&mut parser), Some(("é", "é")));
        assert_eq!(halves(&mut parser), None);
        assert!(parser.next_element().unwrap());
        assert_eq!(parser.string().unwrap(), "a");
        assert_eq!(halves(&mut parser), Some(("c", "d")));
        assert_eq!(halves(&mut parser), None);
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
            assert_eq!(halves(&mut parser), None, "{odd}");
        }
        let mut parser = Parser::new(r#"["a b","c d"]"#);
        assert_eq!(halves(&mut parser), None, "the array is not opened");
    }

    /// What the short ways take of an array of arrays is what the rules take, and they go on from the same place.
    fn agree_on_arrays(array: &str) -> [usize; 2] {
        let mut taken = [0, 0];
        for scored in [false, true] {
            let (mut short, mut strict) = (Parser::new(array), Parser::new(array));
            short.begin_array().unwrap();
            strict.begin_array().unwrap();
            while let Some((first, second)) = if scored { short.plain_scored() } else { pair(&mut short) } {
                assert!(strict.next_element().unwrap(), "{array}");
                strict.begin_array().unwrap();
                assert!(strict.next_element().unwrap(), "{array}");
                assert_eq!(strict.string().unwrap(), first, "{array}");
                assert!(strict.next_element().unwrap(), "{array}");
                if scored {
                    assert_eq!(strict.number_text().unwrap(), second, "{array}");
                } else {
                    assert_eq!(strict.string().unwrap(), second, "{array}");
                }
                assert!(!strict.next_element().unwrap(), "{array}");
                taken[usize::from(scored)] += 1;
            }
            let rest = |parser: &mut Parser<'_>| match parser.next_element() {
                Ok(true) => parser.value().map(Some).map_err(|error| error.to_string()),
                Ok(false) => Ok(None),
                Err(error) => Err(error.to_string()),
            };
            assert_eq!(rest(&mut short), rest(&mut strict), "{array}");
        }
        taken
    }

    #[test]
    fn arrays_are_those_of_the_rules() {
        for (array, taken) in [
            ("[]", [0, 0]),
            (r#"[["a","b"],["é" , "c"] ]"#, [2, 0]),
            ("[\n  [\n    \"a\",\n    \"\"\n  ]\n]", [1, 0]),
            (r#"[["a",-1.5],["b",0],["c",0.25] , [ "d" , -12 ]]"#, [0, 4]),
            (r#"[["a",1.],["b",0]]"#, [0, 0]),
            (r#"[["a",.5]]"#, [0, 0]),
            (r#"[["a",01]]"#, [0, 0]),
            (r#"[["a",-]]"#, [0, 0]),
            (r#"[["a",1e5]]"#, [0, 0]),
            (r#"[["a",1.5e-5]]"#, [0, 0]),
            (r#"[["a","b","c"]]"#, [0, 0]),
            (r#"[["a",1,2]]"#, [0, 0]),
            (r#"[["a"]]"#, [0, 0]),
            (r#"[["a",]]"#, [0, 0]),
            (r#"[["a" "b"]]"#, [0, 0]),
            (r#"[[,"a","b"]]"#, [0, 0]),
            (r#"[,["a","b"]]"#, [0, 0]),
            (r#"[["a","b"],]"#, [1, 0]),
            (r#"[["a","b"]["a","b"]]"#, [1, 0]),
            (r#"[["a","b\n"]]"#, [0, 0]),
            (r#"[["a\u0020",1]]"#, [0, 0]),
            ("[[\"a\n\",1]]", [0, 0]),
            (r#"["a b",["a","b"]]"#, [0, 0]),
            (r#"[["a","b"}]"#, [0, 0]),
            (r#"[["a",5}]"#, [0, 0]),
        ] {
            assert_eq!(agree_on_arrays(array), taken, "{array}");
            for end in (1..array.len()).filter(|&end| array.is_char_boundary(end)) {
                agree_on_arrays(&array[..end]);
            }
        }
    }

    #[test]
    fn nothing_is_nested_too_deep_in_short() {
        let deep = "[".repeat(MAX_DEPTH) + r#"["a","b"]"#;
        let mut parser = Parser::new(&deep);
        (0..MAX_DEPTH).for_each(|_| parser.begin_array().unwrap());
        assert_eq!((pair(&mut parser), parser.plain_scored()), (None, None));
    }
}
