//! Plain, gzip and zstd files as one stream of bytes.
//!
//! The first bytes decide: neither gzip's nor zstd's can begin a UTF-8 text. Files of several gzip members or
//! zstd frames are read to their end, and checksums are compared. Zeros behind the last gzip member are padding.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::GzDecoder;
use tessella_core::{Error, Result, limits};
use zstd::stream::read::Decoder as ZstdDecoder;

use super::{Input, io_error};
use crate::unfetched;

/// Bytes taken from the disk, and unpacked, at a time.
const BUFFER: usize = 1 << 17;

const GZIP: [u8; 2] = [0x1F, 0x8B];
const ZSTD: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];
/// What a file of zstd frames may begin with as well: a frame to be skipped. The low half byte is free.
const ZSTD_SKIPPED: [u8; 3] = [0x2A, 0x4D, 0x18];
const PARQUET: [u8; 4] = *b"PAR1";

/// Bytes as they come: from a disk, or from whoever gives them.
pub(super) type Disk = BufReader<Counted<Box<dyn Read + Send>>>;

/// The content of a file.
#[derive(Debug)]
pub(super) struct Unpacked {
    pub(super) reader: Reader,
    packing: Option<&'static str>,
}

/// A reader behind one type, so that the rest does not care for packing.
pub(super) enum Reader {
    Plain(Disk),
    Packed(BufReader<Box<dyn Read + Send>>),
}

impl std::fmt::Debug for Reader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Reader::Plain(_) => "Plain",
            Reader::Packed(_) => "Packed",
        })
    }
}

impl Reader {
    /// A line with its end, if all of it was taken from the file already. Nothing is read, and nothing is consumed.
    pub(super) fn line_here(&self) -> Option<&[u8]> {
        let here = self.here();
        here.get(..=memchr::memchr(b'\n', here)?)
    }

    /// What was taken from the file and is still to come.
    pub(super) fn here(&self) -> &[u8] {
        match self {
            Reader::Plain(reader) => reader.buffer(),
            Reader::Packed(reader) => reader.buffer(),
        }
    }

    /// Leaves out bytes of what was taken from the file.
    pub(super) fn consume(&mut self, bytes: usize) {
        match self {
            Reader::Plain(reader) => reader.consume(bytes),
            Reader::Packed(reader) => reader.consume(bytes),
        }
    }

    /// Appends what comes up to and with the byte `end`, or up to the end of the stream. A few bytes on disk may
    /// unpack to more than any memory holds: a text of more than `longest` bytes is an error, and so is memory that
    /// is not there.
    pub(super) fn read_until(&mut self, end: u8, text: &mut Vec<u8>, longest: usize) -> io::Result<usize> {
        self.read_in_parts(text, longest, |part, text| {
            part.read_until(end, text)?;
            Ok(text.last() == Some(&end))
        })
    }

    /// The same for all that comes.
    pub(super) fn read_to_end(&mut self, text: &mut Vec<u8>, longest: usize) -> io::Result<usize> {
        self.read_in_parts(text, longest, |part, text| part.read_to_end(text).map(|_| false))
    }

    /// Leaves out what comes up to and with `end`, or up to the end of the stream where that is empty or does not come.
    /// `text` holds what was read before. Tells how many bytes were left out, and how many line ends among them.
    pub(super) fn pass_over(&mut self, end: &[u8], text: &[u8]) -> io::Result<(u64, u64)> {
        let reader: &mut dyn BufRead = match self {
            Reader::Plain(reader) => reader,
            Reader::Packed(reader) => reader,
        };
        // The last bytes of what was read, shorter than `end`.
        let kept = |bytes: &[u8]| bytes[bytes.len().saturating_sub(end.len().saturating_sub(1))..].to_vec();
        let (mut last, mut bytes, mut lines) = (kept(text), 0, 0);
        loop {
            let part = reader.fill_buf()?;
            let stop =
                end.last().and_then(|&byte| memchr::memchr(byte, part)).map_or(part.len(), |at| at + 1);
            if stop == 0 {
                return Ok((bytes, lines));
            }
            let part = &part[..stop];
            bytes += stop as u64;
            lines += memchr::memchr_iter(b'\n', part).count() as u64;
            last.extend_from_slice(part);
            let is_done = !end.is_empty() && last.ends_with(end);
            last = kept(&last);
            reader.consume(stop);
            if is_done {
                return Ok((bytes, lines));
            }
            limits::check().map_err(io::Error::other)?;
        }
    }

    /// Lets `read` read a part at a time, until it says that it is done or the stream ends.
    fn read_in_parts(
        &mut self,
        text: &mut Vec<u8>,
        longest: usize,
        read: impl Fn(&mut io::Take<&mut dyn BufRead>, &mut Vec<u8>) -> io::Result<bool>,
    ) -> io::Result<usize> {
        let reader: &mut dyn BufRead = match self {
            Reader::Plain(reader) => reader,
            Reader::Packed(reader) => reader,
        };
        let begin = text.len();
        loop {
            let shared: &mut dyn BufRead = &mut *reader;
            let mut part = Read::take(shared, PART as u64);
            let is_done = read(&mut part, text)?;
            let is_ended = part.limit() > 0;
            if text.len() > longest {
                return Err(io::Error::other(TooLong(longest)));
            }
            if is_done || is_ended {
                return Ok(text.len() - begin);
            }
            limits::check().map_err(io::Error::other)?;
            text.try_reserve(PART).map_err(|_| io::Error::other(TooLong(text.len())))?;
        }
    }
}

/// Bytes of a long text that are read at a time.
const PART: usize = 1 << 20;

/// A text that is longer than this many bytes, which are those that it may have, or that there is memory for.
#[derive(Debug)]
struct TooLong(usize);

impl std::fmt::Display for TooLong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "it has more than {} bytes", self.0)
    }
}

impl std::error::Error for TooLong {}

impl Unpacked {
    pub(super) fn open(input: Input, position: &Arc<AtomicU64>) -> Result<Unpacked> {
        let name = input.name();
        // A stream may be named after the packed file that whoever gives it unpacks.
        let is_file = matches!(input, Input::File(_));
        let inner: Box<dyn Read + Send> = match input {
            Input::File(path) => Box::new(File::open(&path).map_err(|error| io_error(error, &path))?),
            Input::Stream { reader, .. } => reader,
        };
        let counted = Counted { inner, position: position.clone() };
        let mut disk = BufReader::with_capacity(BUFFER, counted);
        let head = disk.fill_buf().map_err(|error| io_error(error, &name))?;
        if head.starts_with(&PARQUET) {
            return Err(Error::unsupported(format!(
                "{} is a Parquet file, which is not read as a stream: give it by its name to \
                 tessella.count_pieces, Tokenizer.encode_files or a command, which read its columns",
                name.display()
            )));
        }
        if is_file {
            unfetched::refuse_pointer(&name, head)?;
            check_packing(&name, head)?;
        }
        let packing = packing(head);
        let reader: Box<dyn Read + Send> = match packing {
            Some("gzip") => Box::new(Members::new(disk)),
            // All frames, one after the other; those that are to be skipped are, checksums are compared.
            Some(_) => Box::new(ZstdDecoder::with_buffer(disk).map_err(|error| io_error(error, &name))?),
            None => return Ok(Unpacked { reader: Reader::Plain(disk), packing }),
        };
        Ok(Unpacked { reader: Reader::Packed(BufReader::with_capacity(BUFFER, reader)), packing })
    }

    pub(super) fn is_packed(&self) -> bool {
        self.packing.is_some()
    }

    /// What a failed read means: the system's own errors as they are, all others are damage. `ending` says what to do about the end
    /// of a text that is too long.
    pub(super) fn failed(&self, error: io::Error, ending: &str, path: &Path, line: u64) -> Error {
        let error = match error.downcast::<Error>() {
            Ok(stopped) => return stopped,
            Err(error) => error,
        };
        match self.packing {
            _ if is_too_long(&error) => {
                let unpacked = if self.is_packed() { ", unpacked" } else { "" };
                Error::format(format!(
                    "a text of {} is too long: {error}{unpacked}; {ending}, give more memory if there is a budget, and \
                     unpack the file first if it is packed and there is none",
                    path.display()
                ))
                .at(format!("line {line}"))
            }
            Some(packing) if error.raw_os_error().is_none() => {
                Error::format(format!("{} is damaged or cut off ({packing}: {error})", path.display()))
                    .caused_by(error)
            }
            _ => io_error(error, path),
        }
    }
}

/// Whether it was the length of a text that ended the reading.
pub(super) fn is_too_long(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<TooLong>())
}

fn is_zstd(head: &[u8]) -> bool {
    let is_skipped =
        head.first().is_some_and(|byte| byte & 0xF0 == 0x50) && head[1..].starts_with(&ZSTD_SKIPPED);
    head.starts_with(&ZSTD) || is_skipped
}

/// What packed files end in, and how such a file is packed.
pub const PACKED: [(&str, &str); 3] = [(".gz", "gzip"), (".zst", "zstd"), (".zstd", "zstd")];

/// How a file is packed, by its first bytes; `None` for one that is not.
pub fn packing(head: &[u8]) -> Option<&'static str> {
    if head.starts_with(&GZIP) { Some("gzip") } else { is_zstd(head).then_some("zstd") }
}

/// Refuses a file whose name says that it is packed when its first bytes, four or more, say that it is not.
pub fn check_packing(name: &Path, head: &[u8]) -> Result<()> {
    let Some(packing) = promised(name, head) else { return Ok(()) };
    Err(Error::format(format!(
        "{} is named like a {packing} file, but its first bytes are not those of one: unpack it again, or give it a \
         name without that ending if it is text",
        name.display()
    )))
}

/// How a file is packed by its name, where its first bytes are those of no packed file. An empty one holds no text.
fn promised(name: &Path, head: &[u8]) -> Option<&'static str> {
    if head.is_empty() || packing(head).is_some() {
        return None;
    }
    let ending = name.extension()?.to_str()?.to_ascii_lowercase();
    PACKED.iter().find_map(|(end, packing)| (end[1..] == ending).then_some(*packing))
}

/// Counts what is read.
#[derive(Debug)]
pub(super) struct Counted<R> {
    inner: R,
    position: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.position.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// The members of a gzip file, one after the other.
struct Members {
    /// Nothing once all is read.
    current: Option<GzDecoder<Disk>>,
}

impl Members {
    fn new(disk: Disk) -> Members {
        Members { current: Some(GzDecoder::new(disk)) }
    }
}

impl Read for Members {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.current {
            let read = member.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            // Archives on tape are padded to the size of a block.
            let Some(mut disk) = self.current.take().map(GzDecoder::into_inner) else { break };
            loop {
                let content = disk.fill_buf()?;
                if content.is_empty() {
                    return Ok(0);
                }
                let zeros = content.iter().take_while(|&&byte| byte == 0).count();
                if zeros == 0 {
                    break;
                }
                disk.consume(zeros);
            }
            self.current = Some(GzDecoder::new(disk));
        }
        Ok(0)
    }
}
