//! Bytes to numbers and back for our own files: varints, bounds-checked parsing.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use tessella_core::{Error, Result};
use tessella_formats::atomic;

pub(crate) fn le_u32(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte))
}

pub(crate) fn le_u64(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

pub(crate) fn push_varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// A length as varint, then the bytes.
pub(crate) fn push_text(out: &mut Vec<u8>, text: &[u8]) {
    push_varint(out, text.len() as u64);
    out.extend_from_slice(text);
}

/// Reads from a slice; `None` wherever the bytes are not what was asked for.
#[derive(Debug)]
pub(crate) struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Parser { bytes, at: 0 }
    }

    pub(crate) fn position(&self) -> usize {
        self.at
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.at == self.bytes.len()
    }

    pub(crate) fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let bytes = self.bytes.get(self.at..self.at.checked_add(len)?)?;
        self.at += len;
        Some(bytes)
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.take(8).map(le_u64)
    }

    pub(crate) fn u128(&mut self) -> Option<u128> {
        let low = self.u64()?;
        Some(u128::from(self.u64()?) << 64 | u128::from(low))
    }

    pub(crate) fn varint(&mut self) -> Option<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = *self.bytes.get(self.at)?;
            self.at += 1;
            let bits = u64::from(byte & 0x7F);
            if shift == 63 && bits > 1 {
                return None;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    pub(crate) fn bytes_with_length(&mut self) -> Option<&'a [u8]> {
        let len = usize::try_from(self.varint()?).ok()?;
        self.take(len)
    }

    pub(crate) fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes_with_length()?).ok()
    }
}

/// Fills `buffer` from a position of the file, whatever other readers do with the handle.
#[cfg(unix)]
pub(crate) fn read_exact_at(file: &File, buffer: &mut [u8], position: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, position)
}

/// Fills `buffer` from a position of the file, whatever other readers do with the handle.
#[cfg(windows)]
pub(crate) fn read_exact_at(file: &File, mut buffer: &mut [u8], mut position: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, buffer, position) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => {
                buffer = &mut buffer[read..];
                position += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// An error of the system about a file.
pub(crate) fn io_error(error: io::Error, path: &Path) -> Error {
    Error::from(error).at(path.display().to_string())
}

/// Writes a file of our own that nobody else looks for: in place, and not forced to the disk.
pub(crate) fn write_scratch(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<()>,
) -> Result<()> {
    let failed = |error| io_error(error, path);
    let file = File::options().write(true).create_new(true).open(path).map_err(failed)?;
    let mut out = BufWriter::with_capacity(1 << 18, file);
    write(&mut out).map_err(|error| atomic::named(error, path))?;
    out.into_inner().map_err(|error| failed(error.into_error()))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_at_the_edges() {
        for number in [0, 1, 127, 128, 1 << 14, (1 << 63) - 1, 1 << 63, u64::MAX] {
            let mut out = Vec::new();
            push_varint(&mut out, number);
            let mut parser = Parser::new(&out);
            assert_eq!(parser.varint(), Some(number));
            assert!(parser.is_at_end());
        }
        assert_eq!(Parser::new(&[0xFF; 10]).varint(), None);
        assert_eq!(Parser::new(&[0x80]).varint(), None);
    }
}
