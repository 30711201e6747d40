//! The protocol buffer encoding: fields of a message, read with bounds and written in order.
//!
//! A message is a sequence of fields, each a number, a wire type and a value. Nothing here knows what the
//! fields mean. Every length is checked against what is left before anything is taken, so a hostile file
//! costs no more than its size; an error says at which byte of the file it was found.

use tessella_core::{Error, Result};

/// A field's value, still in place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Payload<'b> {
    Varint(u64),
    Fixed64([u8; 8]),
    Bytes(&'b [u8]),
    Fixed32([u8; 4]),
}

/// One field of a message.
#[derive(Debug, Clone, Copy)]
pub struct Field<'b> {
    pub number: u32,
    pub value: Payload<'b>,
    /// The field as it stands in the file, key included.
    pub raw: &'b [u8],
    /// Where it starts, as a byte of the file.
    pub offset: usize,
    /// Where the value's own bytes start.
    pub value_offset: usize,
}

/// Walks over the fields of a message.
#[derive(Debug, Clone)]
pub struct Fields<'b> {
    message: &'b [u8],
    at: usize,
    /// Byte of the file at which the message starts.
    base: usize,
}

impl<'b> Fields<'b> {
    pub fn new(message: &'b [u8], base: usize) -> Self {
        Fields { message, at: 0, base }
    }

    /// The next field; `None` at the end of the message.
    #[inline]
    pub fn next_field(&mut self) -> Result<Option<Field<'b>>> {
        let start = self.at;
        if start == self.message.len() {
            return Ok(None);
        }
        let key = self.varint("a field's key")?;
        let number = key >> 3;
        if number == 0 || number >= 1 << 29 {
            return Err(self.error(start, format!("field number {number} is not allowed")));
        }
        let mut value_at = self.at;
        let value = match key & 7 {
            0 => Payload::Varint(self.varint("a number")?),
            1 => Payload::Fixed64(self.array()?),
            2 => {
                let length = self.varint("a length")?;
                value_at = self.at;
                Payload::Bytes(self.take(length)?)
            }
            5 => Payload::Fixed32(self.array()?),
            other => {
                return Err(self.error(start, format!("wire type {other} of field {number} is not known")));
            }
        };
        Ok(Some(Field {
            number: number as u32,
            value,
            raw: &self.message[start..self.at],
            offset: self.base + start,
            value_offset: self.base + value_at,
        }))
    }

    #[inline]
    fn varint(&mut self, what: &str) -> Result<u64> {
        if let Some(&byte @ 0..0x80) = self.message.get(self.at) {
            self.at += 1;
            return Ok(u64::from(byte));
        }
        self.long_varint(what)
    }

    fn long_varint(&mut self, what: &str) -> Result<u64> {
        let start = self.at;
        let mut value = 0u64;
        for shift in (0..70).step_by(7) {
            let Some(&byte) = self.message.get(self.at) else {
                return Err(self.error(start, format!("the data ends inside {what}")));
            };
            self.at += 1;
            if shift == 63 && byte > 1 {
                break;
            }
            value |= ((byte & 0x7F) as u64) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(self.error(start, format!("{what} is longer than 64 bits")))
    }

    fn take(&mut self, length: u64) -> Result<&'b [u8]> {
        let left = self.message.len() - self.at;
        if length > left as u64 {
            return Err(self.error(
                self.at,
                format!("it ends early: a value should have {length} bytes, {left} are left"),
            ));
        }
        let bytes = &self.message[self.at..self.at + length as usize];
        self.at += length as usize;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        Ok(self.take(N as u64)?.try_into().expect("as many bytes as asked for"))
    }

    fn error(&self, at: usize, message: String) -> Error {
        broken(message, self.base + at)
    }
}

/// A model file that is not what it claims to be, at a byte of it.
pub fn broken(message: impl Into<String>, offset: usize) -> Error {
    Error::format(format!("the SentencePiece model is broken: {}", message.into()))
        .at(format!("byte {offset}"))
}

impl<'b> Field<'b> {
    fn wrong(&self, expected: &str) -> Error {
        broken(format!("field {} should be {expected}", self.number), self.offset)
    }

    pub fn bytes(&self) -> Result<&'b [u8]> {
        match self.value {
            Payload::Bytes(bytes) => Ok(bytes),
            _ => Err(self.wrong("a string of bytes")),
        }
    }

    pub fn text(&self) -> Result<&'b str> {
        std::str::from_utf8(self.bytes()?).map_err(|error| {
            broken(
                format!("the text of field {} is no valid UTF-8", self.number),
                self.value_offset + error.valid_up_to(),
            )
        })
    }

    pub fn varint(&self) -> Result<u64> {
        match self.value {
            Payload::Varint(value) => Ok(value),
            _ => Err(self.wrong("a number")),
        }
    }

    pub fn float(&self) -> Result<f32> {
        match self.value {
            Payload::Fixed32(bytes) => Ok(f32::from_le_bytes(bytes)),
            _ => Err(self.wrong("a 32-bit number")),
        }
    }
}

/// Appends fields to a message.
#[derive(Debug, Default)]
pub struct Writer {
    pub bytes: Vec<u8>,
}

impl Writer {
    fn raw_varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    fn key(&mut self, number: u32, wire_type: u64) {
        self.raw_varint((number as u64) << 3 | wire_type);
    }

    pub fn varint(&mut self, number: u32, value: u64) {
        self.key(number, 0);
        self.raw_varint(value);
    }

    pub fn bytes(&mut self, number: u32, value: &[u8]) {
        self.key(number, 2);
        self.raw_varint(value.len() as u64);
        self.bytes.extend_from_slice(value);
    }

    pub fn float(&mut self, number: u32, value: f32) {
        self.key(number, 5);
        self.bytes.extend(value.to_le_bytes());
    }

    pub fn raw(&mut self, field: &[u8]) {
        self.bytes.extend_from_slice(field);
    }
}
