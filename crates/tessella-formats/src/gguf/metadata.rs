//! The key-value section of a GGUF file.
//!
//! Little-endian: magic, version (2 or 3), tensor count, pair count, pairs. Only keys of the tokenizer are
//! kept. Every length is checked against what is left of the file before memory is set aside for it.

use std::collections::HashMap;
use std::io::{self, Read};

use tessella_core::error::excerpt;
use tessella_core::{Error, Result};

use super::MAGIC;

/// Longest key; the format's own limit.
const MAX_KEY: u64 = 65_535;

/// Arrays of arrays deeper than this are refused; no writer nests at all.
const MAX_NESTING: u32 = 4;

#[derive(Debug)]
enum Entry {
    Integer(i64),
    Bool(bool),
    String(String),
    Strings(Vec<String>),
    Integers(Vec<i64>),
    Floats(Vec<f32>),
    /// Passed over.
    Other,
}

/// The tokenizer's keys.
#[derive(Debug)]
pub(super) struct Metadata {
    values: HashMap<String, Entry>,
}

struct Cursor<R> {
    reader: R,
    at: u64,
    left: u64,
}

impl<R: Read> Cursor<R> {
    fn fail<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(Error::format(message).at(format!("byte {}", self.at)))
    }

    /// Takes `length` bytes off the budget of the file.
    fn claim(&mut self, length: u64) -> Result<()> {
        if length > self.left {
            return self.fail(format!(
                "the file ends early: {length} more bytes are announced, {} are left",
                self.left
            ));
        }
        self.left -= length;
        self.at += length;
        Ok(())
    }

    fn io<T>(&self, result: io::Result<T>) -> Result<T> {
        result.map_err(|error| {
            Error::new(tessella_core::ErrorKind::Io, format!("reading GGUF metadata failed: {error}"))
                .at(format!("byte {}", self.at))
                .caused_by(error)
        })
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N]> {
        self.claim(N as u64)?;
        let mut buffer = [0; N];
        let result = self.reader.read_exact(&mut buffer);
        self.io(result)?;
        Ok(buffer)
    }

    fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.bytes()?))
    }

    fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.bytes()?))
    }

    fn skip(&mut self, length: u64) -> Result<()> {
        self.claim(length)?;
        let result = io::copy(&mut (&mut self.reader).take(length), &mut io::sink());
        let skipped = self.io(result)?;
        if skipped < length { self.fail("the file ends here") } else { Ok(()) }
    }

    fn string(&mut self) -> Result<String> {
        let length = self.u64()?;
        self.claim(length)?;
        let mut buffer = Vec::new();
        let result = (&mut self.reader).take(length).read_to_end(&mut buffer);
        if (self.io(result)? as u64) < length {
            return self.fail("the file ends here");
        }
        match String::from_utf8(buffer) {
            Ok(text) => Ok(text),
            Err(error) => {
                // Tokens of byte-wise vocabularies may be cut inside of a character.
                Ok(String::from_utf8_lossy(error.as_bytes()).into_owned())
            }
        }
    }

    /// A number of any type as an integer.
    fn integer(&mut self, kind: u32) -> Result<i64> {
        Ok(match kind {
            0 => u8::from_le_bytes(self.bytes()?) as i64,
            1 => i8::from_le_bytes(self.bytes()?) as i64,
            2 => u16::from_le_bytes(self.bytes()?) as i64,
            3 => i16::from_le_bytes(self.bytes()?) as i64,
            4 => self.u32()? as i64,
            5 => i32::from_le_bytes(self.bytes()?) as i64,
            10 => i64::try_from(self.u64()?).unwrap_or(i64::MAX),
            11 => i64::from_le_bytes(self.bytes()?),
            _ => return self.fail(format!("the value type {kind} is no integer")),
        })
    }

    fn scalar(&mut self, kind: u32) -> Result<Entry> {
        Ok(match kind {
            6 | 12 => {
                self.pass(kind, 0)?;
                Entry::Other
            }
            7 => Entry::Bool(self.bytes::<1>()?[0] != 0),
            8 => Entry::String(self.string()?),
            _ => Entry::Integer(self.integer(kind)?),
        })
    }

    fn array(&mut self) -> Result<Entry> {
        let kind = self.u32()?;
        let length = self.u64()?;
        let size = size_of_type(kind);
        // A string is at least its length field.
        let least = size.unwrap_or(8);
        if length.checked_mul(least).is_none_or(|bytes| bytes > self.left) {
            return self.fail(format!(
                "the file ends early: an array of {length} elements is announced, {} bytes are left",
                self.left
            ));
        }
        Ok(match kind {
            8 => Entry::Strings((0..length).map(|_| self.string()).collect::<Result<_>>()?),
            6 => Entry::Floats(
                (0..length).map(|_| Ok(f32::from_le_bytes(self.bytes()?))).collect::<Result<_>>()?,
            ),
            0..=5 | 10 | 11 => {
                Entry::Integers((0..length).map(|_| self.integer(kind)).collect::<Result<_>>()?)
            }
            7 | 12 => {
                self.skip(length * least)?;
                Entry::Other
            }
            _ => return self.fail(format!("unknown value type {kind} of a tokenizer's array")),
        })
    }

    /// Passes over a value that nobody asks for.
    fn pass(&mut self, kind: u32, nesting: u32) -> Result<()> {
        match (size_of_type(kind), kind) {
            (Some(size), _) => self.skip(size),
            (None, 8) => {
                let length = self.u64()?;
                self.skip(length)
            }
            (None, 9) if nesting < MAX_NESTING => {
                let inner = self.u32()?;
                let length = self.u64()?;
                if let Some(size) = size_of_type(inner) {
                    return match length.checked_mul(size) {
                        Some(bytes) => self.skip(bytes),
                        None => self.fail(format!("an array of {length} elements is announced")),
                    };
                }
                // Each element takes bytes of the file, so this ends with it.
                for _ in 0..length {
                    self.pass(inner, nesting + 1)?;
                }
                Ok(())
            }
            _ => self.fail(format!("unknown value type {kind}")),
        }
    }
}

/// Bytes of a value of fixed size.
fn size_of_type(kind: u32) -> Option<u64> {
    match kind {
        0 | 1 | 7 => Some(1),
        2 | 3 => Some(2),
        4..=6 => Some(4),
        10..=12 => Some(8),
        _ => None,
    }
}

/// The value of a key, if it is there; it must be of this kind.
macro_rules! typed {
    ($metadata:ident, $key:ident, $kind:ident($entry:ident) => $value:expr, $expected:literal) => {
        match $metadata.values.get($key) {
            None => Ok(None),
            Some(Entry::$kind($entry)) => Ok(Some($value)),
            Some(_) => Self::wrong($key, $expected),
        }
    };
}

impl Metadata {
    /// Reads from the start of a file of `length` bytes.
    pub fn read(reader: impl Read, length: u64) -> Result<Metadata> {
        let mut cursor = Cursor { reader, at: 0, left: length };
        let magic: [u8; 4] = cursor.bytes()?;
        if magic != *MAGIC {
            return Err(Error::format("this is no GGUF file: it does not begin with `GGUF`").at("byte 0"));
        }
        let version = cursor.u32()?;
        if !matches!(version, 2 | 3) {
            return cursor.fail(match version.swap_bytes() {
                2 | 3 => "the file is big-endian; only little-endian files are read".to_string(),
                _ => format!("GGUF version {version} is not read; known: 2 and 3"),
            });
        }
        cursor.u64()?;
        let pairs = cursor.u64()?;
        let mut values = HashMap::new();
        for _ in 0..pairs {
            let key_length = cursor.u64()?;
            if key_length > MAX_KEY {
                return cursor.fail(format!("a key of {key_length} bytes; the limit is {MAX_KEY}"));
            }
            cursor.claim(key_length)?;
            let mut key = vec![0; key_length as usize];
            let result = cursor.reader.read_exact(&mut key);
            cursor.io(result)?;
            let key = String::from_utf8_lossy(&key).into_owned();
            let kind = cursor.u32()?;
            if !key.starts_with("tokenizer.") && key != "general.name" {
                cursor.pass(kind, 0)?;
                continue;
            }
            let value = if kind == 9 { cursor.array() } else { cursor.scalar(kind) };
            values.insert(key.clone(), value.map_err(|error| error.at(excerpt(&key)))?);
        }
        Ok(Metadata { values })
    }

    fn wrong<T>(key: &str, expected: &str) -> Result<T> {
        Err(Error::format(format!("the key `{key}` must be {expected}")))
    }

    pub fn str(&self, key: &str) -> Result<Option<&str>> {
        typed!(self, key, String(text) => text, "a string")
    }

    pub fn required_str(&self, key: &str) -> Result<&str> {
        self.str(key)?.ok_or_else(|| {
            Error::format(format!("the key `{key}` is missing: this GGUF file holds no tokenizer"))
        })
    }

    pub fn boolean(&self, key: &str) -> Result<Option<bool>> {
        typed!(self, key, Bool(value) => *value, "true or false")
    }

    pub fn integer(&self, key: &str) -> Result<Option<i64>> {
        typed!(self, key, Integer(number) => *number, "an integer")
    }

    pub fn strings(&self, key: &str) -> Result<Option<&[String]>> {
        typed!(self, key, Strings(texts) => texts, "an array of strings")
    }

    pub fn integers(&self, key: &str) -> Result<Option<&[i64]>> {
        typed!(self, key, Integers(numbers) => numbers, "an array of integers")
    }

    pub fn floats(&self, key: &str) -> Result<Option<&[f32]>> {
        typed!(self, key, Floats(numbers) => numbers, "an array of 32-bit floating point numbers")
    }

    /// An array of integers that are all bytes.
    pub fn bytes(&self, key: &str) -> Result<Option<Vec<u8>>> {
        let Some(numbers) = self.integers(key)? else { return Ok(None) };
        // Signed bytes hold the same bits.
        let byte =
            |number: &i64| u8::try_from(*number).ok().or_else(|| i8::try_from(*number).ok().map(|n| n as u8));
        match numbers.iter().map(byte).collect() {
            Some(bytes) => Ok(Some(bytes)),
            None => Self::wrong(key, "an array of bytes"),
        }
    }
}
