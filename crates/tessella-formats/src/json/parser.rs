//! The pull parser: strict JSON (RFC 8259), one token at a time.
//!
//! A caller asks for what it expects (`begin_object`, `next_key`, `string`, ...). A string without escapes is
//! borrowed from the input. The parser keeps one flag instead of a stack: whether the container that was
//! opened last still waits for its first entry; commas are taken by `next_key` and `next_element`.

use std::borrow::Cow;

use tessella_core::{Error, Result};

use super::value::{Number, Value};

/// Deepest nesting of arrays and objects that is read.
pub const MAX_DEPTH: usize = 128;

/// What the next value is, judged by its first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // The names are JSON's.
pub enum Kind {
    Null,
    Bool,
    Number,
    String,
    Array,
    Object,
}

/// Reads JSON from a text.
#[derive(Debug, Clone)]
pub struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) depth: usize,
    /// The innermost container has just been opened: no comma is due.
    pub(super) fresh: bool,
}

/// Bytes that are looked at together.
const WORD: usize = 8;

/// A word of this byte.
const fn all(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; WORD])
}

/// Marks the bytes of a word that end the plain run inside of a string, which are a quote, a backslash and control
/// characters, by their highest bits. The lowest mark is right; above it there may be some too many, by a borrow.
fn ends_of_run(word: u64) -> u64 {
    let below = |word: u64, limit: u8| word.wrapping_sub(all(limit)) & !word & all(0x80);
    below(word, 0x20) | below(word ^ all(b'"'), 1) | below(word ^ all(b'\\'), 1)
}

impl<'a> Parser<'a> {
    /// Begins at the start of a document.
    pub fn new(text: &'a str) -> Self {
        // A byte order mark is not JSON, but editors write it and nothing else can be meant by it.
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Parser { text, at, depth: 0, fresh: false }
    }

    /// As [`Parser::new`], after checking that the bytes are UTF-8.
    pub fn from_bytes(bytes: &'a [u8]) -> Result<Self> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Self::new(text)),
            Err(error) => Err(Error::format("JSON must be UTF-8, but this is not")
                .at(format!("byte {}", error.valid_up_to()))),
        }
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.byte(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    /// A syntax error at the current position.
    fn fail<T>(&self, message: impl Into<String>) -> Result<T> {
        self.fail_at(self.at, message)
    }

    fn fail_at<T>(&self, at: usize, message: impl Into<String>) -> Result<T> {
        let before = &self.text.as_bytes()[..at.min(self.text.len())];
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
        let column = String::from_utf8_lossy(&before[line_start..]).chars().count() + 1;
        Err(Error::format(format!("invalid JSON: {}", message.into()))
            .at(format!("line {line}, column {column}")))
    }

    fn unexpected<T>(&self, expected: &str) -> Result<T> {
        match self.text[self.at..].chars().next() {
            None => self.fail(format!("the text ends where {expected} was expected")),
            Some(found) => {
                self.fail(format!("found `{}` where {expected} was expected", found.escape_debug()))
            }
        }
    }

    /// What comes next, without taking it.
    pub fn peek(&mut self) -> Result<Kind> {
        self.skip_space();
        Ok(match self.byte() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => Kind::String,
            Some(b't' | b'f') => Kind::Bool,
            Some(b'n') => Kind::Null,
            Some(b'-' | b'0'..=b'9') => Kind::Number,
            _ => return self.unexpected("a value"),
        })
    }

    fn open(&mut self, bracket: u8, expected: &str) -> Result<()> {
        self.skip_space();
        if self.byte() != Some(bracket) {
            return self.unexpected(expected);
        }
        if self.depth == MAX_DEPTH {
            return self.fail(format!("nested deeper than {MAX_DEPTH} levels"));
        }
        self.at += 1;
        self.depth += 1;
        self.fresh = true;
        Ok(())
    }

    /// Takes the comma that is due, or the closing bracket (then false).
    fn more(&mut self, close: u8) -> Result<bool> {
        self.skip_space();
        if self.byte() == Some(close) {
            self.at += 1;
            self.depth = self.depth.saturating_sub(1);
            self.fresh = false;
            return Ok(false);
        }
        if self.fresh {
            self.fresh = false;
        } else if self.byte() == Some(b',') {
            self.at += 1;
            self.skip_space();
        } else {
            return self.unexpected(if close == b'}' { "`,` or `}`" } else { "`,` or `]`" });
        }
        Ok(true)
    }

    /// How many bytes are still to come.
    pub fn rest(&self) -> usize {
        self.text.len().saturating_sub(self.at)
    }

    /// Steps into an object.
    pub fn begin_object(&mut self) -> Result<()> {
        self.open(b'{', "an object")
    }

    /// The next key of the object, or `None` at its end. The caller takes the value.
    pub fn next_key(&mut self) -> Result<Option<Cow<'a, str>>> {
        if !self.more(b'}')? {
            return Ok(None);
        }
        if self.byte() != Some(b'"') {
            return self.unexpected("a key in quotes");
        }
        let key = self.string()?;
        self.skip_space();
        if self.byte() != Some(b':') {
            return self.unexpected("`:`");
        }
        self.at += 1;
        Ok(Some(key))
    }

    /// Steps into an array.
    pub fn begin_array(&mut self) -> Result<()> {
        self.open(b'[', "an array")
    }

    /// Whether another element follows. The caller takes it.
    pub fn next_element(&mut self) -> Result<bool> {
        if !self.more(b']')? {
            return Ok(false);
        }
        if self.byte() == Some(b']') {
            return self.unexpected("a value");
        }
        Ok(true)
    }

    /// Only white space may be left.
    pub fn end(&mut self) -> Result<()> {
        self.skip_space();
        if self.at < self.text.len() { self.unexpected("the end of the text") } else { Ok(()) }
    }

    fn word(&mut self, word: &str) -> Result<()> {
        if !self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            return self.unexpected("a value (null, true, false, a number, a string, an array or an object)");
        }
        self.at += word.len();
        Ok(())
    }

    /// Takes a string.
    pub fn string(&mut self) -> Result<Cow<'a, str>> {
        let mut unescaped = String::new();
        Ok(match self.string_in(&mut unescaped)? {
            Some(text) => Cow::Borrowed(text),
            None => Cow::Owned(unescaped),
        })
    }

    /// Takes a string: as it lies in the input, or, if it has escapes, put into `unescaped` in the place of what that
    /// held, so that one buffer can serve many strings.
    pub fn string_in(&mut self, unescaped: &mut String) -> Result<Option<&'a str>> {
        self.skip_space();
        if self.byte() != Some(b'"') {
            return self.unexpected("a string");
        }
        self.at += 1;
        let start = self.at;
        self.skip_plain_run();
        if self.byte() == Some(b'"') {
            let text = &self.text[start..self.at];
            self.at += 1;
            return Ok(Some(text));
        }
        unescaped.clear();
        unescaped.push_str(&self.text[start..self.at]);
        loop {
            match self.byte() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(None);
                }
                Some(b'\\') => unescaped.push(self.escape()?),
                Some(control) => {
                    return self.fail(format!("a string holds the raw control character U+{control:04X}"));
                }
                None => return self.fail("the text ends inside of a string"),
            }
            let run = self.at;
            self.skip_plain_run();
            unescaped.push_str(&self.text[run..self.at]);
        }
    }

    fn skip_plain_run(&mut self) {
        let bytes = self.text.as_bytes();
        let (words, rest) = bytes[self.at..].as_chunks::<WORD>();
        for word in words {
            let ends = ends_of_run(u64::from_le_bytes(*word));
            if ends != 0 {
                self.at += (ends.trailing_zeros() / 8) as usize;
                return;
            }
            self.at += WORD;
        }
        let is_end = |&byte: &u8| byte < 0x20 || byte == b'"' || byte == b'\\';
        self.at += rest.iter().position(is_end).unwrap_or(rest.len());
    }

    /// Takes a backslash and what belongs to it.
    fn escape(&mut self) -> Result<char> {
        let start = self.at;
        self.at += 1;
        let c = match self.byte() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.unicode_escape(start);
            }
            None => return self.fail("the text ends inside of a string"),
            Some(_) => {
                return self.fail_at(start, "unknown escape; known: \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u");
            }
        };
        self.at += 1;
        Ok(c)
    }

    fn unicode_escape(&mut self, start: usize) -> Result<char> {
        let lone = "a lone half of a surrogate pair is not a character";
        let unit = self.four_hex_digits()?;
        let code = match unit {
            0xDC00..=0xDFFF => return self.fail_at(start, lone),
            0xD800..=0xDBFF => {
                if !self.text.as_bytes()[self.at..].starts_with(b"\\u") {
                    return self.fail_at(start, lone);
                }
                self.at += 2;
                let low = self.four_hex_digits()?;
                if !(0xDC00..=0xDFFF).contains(&low) {
                    return self.fail_at(start, lone);
                }
                0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00)
            }
            code => code,
        };
        match char::from_u32(code) {
            Some(c) => Ok(c),
            None => self.fail_at(start, lone),
        }
    }

    fn four_hex_digits(&mut self) -> Result<u32> {
        let mut unit = 0;
        for _ in 0..4 {
            match self.byte().and_then(|byte| (byte as char).to_digit(16)) {
                Some(digit) => unit = unit << 4 | digit,
                None => return self.unexpected("four hexadecimal digits"),
            }
            self.at += 1;
        }
        Ok(unit)
    }

    /// Takes a number as it is written.
    pub fn number_text(&mut self) -> Result<&'a str> {
        self.number_token().map(|(token, _)| token)
    }

    /// Takes a number as written, and whether it is an integer.
    fn number_token(&mut self) -> Result<(&'a str, bool)> {
        self.skip_space();
        let start = self.at;
        let negative = self.byte() == Some(b'-');
        if negative {
            self.at += 1;
        }
        match self.byte() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits(),
            _ => return self.unexpected("a digit"),
        }
        let mut integer = true;
        if self.byte() == Some(b'.') {
            integer = false;
            self.at += 1;
            self.some_digits()?;
        }
        if matches!(self.byte(), Some(b'e' | b'E')) {
            integer = false;
            self.at += 1;
            if matches!(self.byte(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.some_digits()?;
        }
        Ok((&self.text[start..self.at], integer))
    }

    /// Takes a number.
    pub fn number(&mut self) -> Result<Number> {
        self.skip_space();
        let start = self.at;
        let (token, integer) = self.number_token()?;
        if integer {
            if let Ok(number) = token.parse::<u64>() {
                return Ok(Number::Unsigned(number));
            }
            if let Ok(number) = token.parse::<i64>() {
                // The sign of a negative zero would be lost in an integer.
                return Ok(if number == 0 { Number::Float(-0.0) } else { Number::Negative(number) });
            }
        }
        match token.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Number::Float(number)),
            _ => self.fail_at(start, "the number is too large for 64-bit floating point"),
        }
    }

    fn digits(&mut self) {
        while matches!(self.byte(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
    }

    fn some_digits(&mut self) -> Result<()> {
        if !matches!(self.byte(), Some(b'0'..=b'9')) {
            return self.unexpected("a digit");
        }
        self.digits();
        Ok(())
    }

    /// Takes a value that is no container.
    fn scalar(&mut self) -> Result<Value> {
        Ok(match self.peek()? {
            Kind::String => Value::String(self.string()?.into_owned()),
            Kind::Number => Value::Number(self.number()?),
            Kind::Null => {
                self.word("null")?;
                Value::Null
            }
            Kind::Bool if self.byte() == Some(b't') => {
                self.word("true")?;
                Value::Bool(true)
            }
            Kind::Bool => {
                self.word("false")?;
                Value::Bool(false)
            }
            Kind::Array | Kind::Object => return self.unexpected("a plain value"),
        })
    }

    /// Takes a whole value as a tree.
    pub fn value(&mut self) -> Result<Value> {
        enum Open {
            Array(Vec<Value>),
            /// The entries, and the key whose value is being read.
            Object(Vec<(String, Value)>, String),
        }
        let mut open: Vec<Open> = Vec::new();
        loop {
            let mut done = match self.peek()? {
                Kind::Array => {
                    self.begin_array()?;
                    if self.next_element()? {
                        open.push(Open::Array(Vec::new()));
                        continue;
                    }
                    Value::Array(Vec::new())
                }
                Kind::Object => {
                    self.begin_object()?;
                    if let Some(key) = self.next_key()? {
                        open.push(Open::Object(Vec::new(), key.into_owned()));
                        continue;
                    }
                    Value::Object(Vec::new())
                }
                _ => self.scalar()?,
            };
            loop {
                match open.pop() {
                    None => return Ok(done),
                    Some(Open::Array(mut items)) => {
                        items.push(done);
                        if self.next_element()? {
                            open.push(Open::Array(items));
                            break;
                        }
                        done = Value::Array(items);
                    }
                    Some(Open::Object(mut entries, key)) => {
                        entries.push((key, done));
                        if let Some(key) = self.next_key()? {
                            open.push(Open::Object(entries, key.into_owned()));
                            break;
                        }
                        done = Value::Object(entries);
                    }
                }
            }
        }
    }

    /// Checks and drops a whole value.
    pub fn skip(&mut self) -> Result<()> {
        let mut open: Vec<Kind> = Vec::new();
        loop {
            match self.peek()? {
                Kind::Array => {
                    self.begin_array()?;
                    open.push(Kind::Array);
                }
                Kind::Object => {
                    self.begin_object()?;
                    open.push(Kind::Object);
                }
                Kind::String => drop(self.string()?),
                _ => drop(self.scalar()?),
            }
            loop {
                let more = match open.last() {
                    None => return Ok(()),
                    Some(Kind::Array) => self.next_element()?,
                    Some(_) => self.next_key()?.is_some(),
                };
                if more {
                    break;
                }
                open.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Value> {
        let mut parser = Parser::new(text);
        let value = parser.value()?;
        parser.end()?;
        Ok(value)
    }

    #[test]
    fn values_of_every_kind() {
        let value = read(
            r#" {"a":[1,-2,2.5e3,-0,18446744073709551615],"b":{"":null},"c":[],"d":{},"e":[true,false]} "#,
        );
        let value = value.unwrap();
        let a = value.get("a").unwrap();
        let expected = [
            Number::Unsigned(1),
            Number::Negative(-2),
            Number::Float(2500.0),
            Number::Float(-0.0),
            Number::Unsigned(u64::MAX),
        ];
        assert_eq!(a, &Value::Array(expected.map(Value::Number).to_vec()));
        assert_eq!(value.get("b").unwrap().get(""), Some(&Value::Null));
        assert_eq!(value.get("e"), Some(&Value::Array(vec![Value::Bool(true), Value::Bool(false)])));
    }

    /// Whatever stands at whatever place of the words that are looked at together.
    #[test]
    fn runs_end_where_they_must() {
        for size in 0..20 {
            for at in 0..size {
                for byte in 0..=0x7F_u8 {
                    let mut inside = vec![b'~'; size];
                    inside[at] = byte;
                    // What is behind the end must not change where it is.
                    for behind in ["", "\"\u{1}", "\\!\u{1f}\u{20}#[]\""] {
                        let text = format!("{}{behind}", String::from_utf8_lossy(&inside));
                        let mut parser = Parser::new(&text);
                        parser.skip_plain_run();
                        let end = |c: char| c < ' ' || c == '"' || c == '\\';
                        assert_eq!(parser.at, text.find(end).unwrap_or(text.len()), "{text:?}");
                    }
                }
            }
        }
        assert_eq!(ends_of_run(u64::from_ne_bytes("éü東ß".as_bytes()[..8].try_into().unwrap())), 0);
    }

    #[test]
    fn escapes_and_surrogate_pairs() {
        let text = read(r#""a\u0120\ud83d\ude00\n\"\\\/é""#).unwrap();
        assert_eq!(text, Value::String("aĠ😀\n\"\\/é".into()));
        for bad in [r#""\ud83d""#, r#""\ude00""#, r#""\ud83dx""#, r#""\ud83d\u0041""#, r#""\x""#, r#""\u12"#]
        {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_is_not_json() {
        let bad = [
            "",
            " ",
            "[1,]",
            "{\"a\":1,}",
            "[1 2]",
            "{a:1}",
            "01",
            "1.",
            ".5",
            "1e",
            "+1",
            "nul",
            "tru",
            "NaN",
            "[",
            "{",
            "\"a",
            "\"\t\"",
            "[]]",
            "{\"a\"}",
            "1e999",
            "[,1]",
            "{,}",
            "'a'",
        ];
        for text in bad {
            assert!(read(text).is_err(), "{text}");
            assert!(
                {
                    let mut parser = Parser::new(text);
                    parser.skip().and_then(|()| parser.end()).is_err()
                },
                "{text}"
            );
        }
    }

    #[test]
    fn depth_is_limited_and_named() {
        let deep = |n: usize| "[".repeat(n) + &"]".repeat(n);
        assert!(read(&deep(MAX_DEPTH)).is_ok());
        assert!(read(&deep(MAX_DEPTH + 1)).unwrap_err().message().contains("128"));
        assert!(Parser::new(&"[".repeat(1_000_000)).skip().is_err());
    }

    #[test]
    fn syntax_errors_say_line_and_column() {
        let error = read("{\n  \"é\": tru\n}").unwrap_err();
        assert_eq!(error.location(), Some("line 2, column 8"));
    }
}
