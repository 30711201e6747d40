//! Where the texts of a stream end.

use std::io;

use super::unpack::Reader;

/// What ends a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Cut {
    /// A line end, which belongs to the text: how trainers read.
    #[default]
    Lines,
    /// A line end, `\n` or `\r\n`, which does not.
    BareLines,
    /// A separator, which does not belong to the text either. After the last one there is a text only if anything
    /// is there. An empty separator is never found.
    At(String),
    /// Nothing: each file is one text.
    Never,
}

/// What one text took from the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Taken {
    pub(super) bytes: u64,
    /// Line ends among them.
    pub(super) lines: u64,
}

impl Cut {
    /// What to do where a text does not end in time.
    pub(super) fn missing_end(&self) -> &'static str {
        match self {
            Cut::Lines | Cut::BareLines => "see whether the file has line ends",
            Cut::At(_) => "see whether the separator stands in the file",
            Cut::Never => {
                "where no separator is named, all of a file is one text: name one (separator='\\n')"
            }
        }
    }

    /// A line without its end where that does not belong to the text.
    pub(super) fn without_end<'a>(&self, line: &'a str) -> &'a str {
        match line.strip_suffix('\n') {
            Some(bare) if *self == Cut::BareLines => bare.strip_suffix('\r').unwrap_or(bare),
            _ => line,
        }
    }

    /// Leaves out what is left of a text that is too long, of which `text` was read; tells what all of it took.
    pub(super) fn pass_over(&self, reader: &mut Reader, text: &[u8]) -> io::Result<Taken> {
        let end: &[u8] = match self {
            Cut::Lines | Cut::BareLines => b"\n",
            Cut::At(separator) => separator.as_bytes(),
            Cut::Never => b"",
        };
        // Its end may be what was read last.
        let is_ended = !end.is_empty() && text.ends_with(end);
        let (bytes, line_ends) = if is_ended { (0, 0) } else { reader.pass_over(end, text)? };
        Ok(Taken { bytes: text.len() as u64 + bytes, lines: lines(text) + line_ends })
    }

    /// Puts the next text into `text`, which is empty; nothing at the end of the stream. A text of more than `longest`
    /// bytes is an error. `is_given` is for the cut
    /// to remember that it gave a text of this stream.
    pub(super) fn next(
        &self,
        reader: &mut Reader,
        longest: usize,
        text: &mut Vec<u8>,
        is_given: &mut bool,
    ) -> io::Result<Option<Taken>> {
        match self {
            Cut::Lines | Cut::BareLines => {
                let bytes = reader.read_until(b'\n', text, longest)? as u64;
                if bytes == 0 {
                    return Ok(None);
                }
                let is_ended = text.last() == Some(&b'\n');
                if *self == Cut::BareLines && is_ended {
                    text.pop();
                    if text.last() == Some(&b'\r') {
                        text.pop();
                    }
                }
                Ok(Some(Taken { bytes, lines: u64::from(is_ended) }))
            }
            Cut::At(separator) if !separator.is_empty() => {
                let separator = separator.as_bytes();
                let last = separator[separator.len() - 1];
                let mut is_found = false;
                while !is_found && reader.read_until(last, text, longest)? > 0 {
                    is_found = text.ends_with(separator);
                }
                if text.is_empty() {
                    return Ok(None);
                }
                let taken = Taken { bytes: text.len() as u64, lines: lines(text) };
                if is_found {
                    text.truncate(text.len() - separator.len());
                }
                Ok(Some(taken))
            }
            Cut::At(_) | Cut::Never => {
                if *is_given {
                    return Ok(None);
                }
                *is_given = true;
                reader.read_to_end(text, longest)?;
                Ok(Some(Taken { bytes: text.len() as u64, lines: lines(text) }))
            }
        }
    }
}

/// Line ends in a text.
pub(super) fn lines(text: &[u8]) -> u64 {
    text.iter().filter(|&&byte| byte == b'\n').count() as u64
}
