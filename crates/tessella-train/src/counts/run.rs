//! The file format of counts: one sorted run of pieces.
//!
//! All numbers are little-endian; `varint` is LEB128 (seven bits a byte, low bits first, at most ten bytes).
//!
//! ```text
//! file    = head block* footer tail
//! head    = "TSLCOUNT" u32 version (1) u32 features (0); a reader refuses what it does not know in either
//! block   = u32 payload length, u32 number of entries, u32 CRC-32 of the payload, payload
//! payload = entry*          a block ends with the entry that brings its payload to 64 KiB or more
//! entry   = varint bytes shared with the piece before (0 for the first of a block)
//!           varint bytes that follow, those bytes, varint count (1 or more)
//! footer  = u64 distinct pieces, u128 sum of counts
//!           varint number of sources, then each: text name, text language, varint weight, texts, bytes
//!           varint number of blocks, then each: varint file position, text first piece
//! text    = varint length, bytes
//! tail    = u64 position of the footer, u32 CRC-32 of the footer, "TSLCEND1"
//! ```
//!
//! Pieces are UTF-8, strictly ascending by bytes through the whole file. Nothing in it depends on time, machine
//! or the way in which the counts were put together, so equal counts make equal files. A file is written beside
//! its destination and renamed, so a reader never sees half of one.
//!
//! Reading trusts nothing: lengths are checked against the file before anything is allocated, checksums before
//! anything is decoded, order and UTF-8 while decoding.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::iter::repeat;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tessella_core::{Error, Result};
use tessella_formats::atomic::{self, Replacement};

use super::source::Source;
use super::spill::SpillDir;
use crate::bytes::{self, Parser, io_error, push_text, push_varint};

/// What files of counts begin with.
pub const MAGIC: &[u8; 8] = b"TSLCOUNT";
const END: &[u8; 8] = b"TSLCEND1";
const VERSION: u32 = 1;
/// What a later version may add without changing the rest; a reader that does not know a bit cannot go on.
const FEATURES: u32 = 0;
const HEAD: u64 = 16;
const TAIL: u64 = 20;
const BLOCK_BYTES: usize = 1 << 16;
const BLOCK_HEAD: usize = 12;

/// Writes all that `walk` hands to its callback, in ascending order, as a run for our own use, without sources.
pub(super) fn write_scratch(
    path: &Path,
    walk: impl FnOnce(&mut dyn FnMut(&str, u64) -> Result<()>) -> Result<()>,
) -> Result<()> {
    bytes::write_scratch(path, |out| {
        let mut writer = RunWriter::new(out)?;
        walk(&mut |piece, count| writer.add(piece, count))?;
        writer.finish(&[])
    })
}

/// Writes all that `walk` hands to its callback, in ascending order, to a file that appears when it is complete.
pub(super) fn write(
    path: &Path,
    sources: &[Source],
    walk: impl FnOnce(&mut dyn FnMut(&str, u64) -> Result<()>) -> Result<()>,
) -> Result<()> {
    atomic::write_with(path, |out| {
        let mut writer = RunWriter::new(out)?;
        walk(&mut |piece, count| writer.add(piece, count))?;
        writer.finish(sources)
    })
}

/// Writes all that `walk` hands to its callback, in ascending order, to several files, each piece to the one that
/// `part_of` says. They appear when all are complete. The sources are noted in the first one.
pub(super) fn write_parts(
    paths: &[PathBuf],
    sources: &[Source],
    part_of: impl Fn(&str) -> usize,
    walk: impl FnOnce(&mut dyn FnMut(&str, u64) -> Result<()>) -> Result<()>,
) -> Result<()> {
    fn failed(path: &Path) -> impl Fn(std::io::Error) -> Error {
        move |error| atomic::io_error(path, "writing", error)
    }
    let (mut parts, mut outs) = (Vec::with_capacity(paths.len()), Vec::with_capacity(paths.len()));
    for path in paths {
        let part = Replacement::new(path).map_err(failed(path))?;
        outs.push(BufWriter::new(part.out().map_err(failed(path))?));
        parts.push(part);
    }
    let mut writers = Vec::with_capacity(paths.len());
    for (out, path) in outs.iter_mut().zip(paths) {
        writers.push(RunWriter::new(out).map_err(|error| atomic::named(error, path))?);
    }
    walk(&mut |piece, count| {
        let part = part_of(piece);
        writers[part].add(piece, count).map_err(|error| atomic::named(error, &paths[part]))
    })?;
    for ((writer, path), sources) in
        writers.into_iter().zip(paths).zip([sources].into_iter().chain(repeat(&[] as &[Source])))
    {
        writer.finish(sources).map_err(|error| atomic::named(error, path))?;
    }
    for (mut out, path) in outs.into_iter().zip(paths) {
        out.flush().map_err(failed(path))?;
    }
    atomic::commit_all(parts).map_err(|error| atomic::io_error(&paths[0], "writing", error))
}

/// A run on its way to a file.
struct RunWriter<'a, W: Write> {
    out: &'a mut BufWriter<W>,
    /// Where the next block begins.
    position: u64,
    index: Vec<u8>,
    blocks: u64,
    payload: Vec<u8>,
    /// Entries in the payload.
    entries: u32,
    before: Vec<u8>,
    distinct: u64,
    total: u128,
}

impl<'a, W: Write> RunWriter<'a, W> {
    fn new(out: &'a mut BufWriter<W>) -> Result<Self> {
        out.write_all(MAGIC)?;
        out.write_all(&VERSION.to_le_bytes())?;
        out.write_all(&FEATURES.to_le_bytes())?;
        Ok(RunWriter {
            out,
            position: HEAD,
            index: Vec::new(),
            blocks: 0,
            payload: Vec::with_capacity(BLOCK_BYTES * 2),
            entries: 0,
            before: Vec::new(),
            distinct: 0,
            total: 0,
        })
    }

    fn add(&mut self, piece: &str, count: u64) -> Result<()> {
        let piece = piece.as_bytes();
        let shared = if self.entries == 0 {
            self.blocks += 1;
            push_varint(&mut self.index, self.position);
            push_text(&mut self.index, piece);
            0
        } else {
            piece.iter().zip(&self.before).take_while(|(a, b)| a == b).count()
        };
        push_varint(&mut self.payload, shared as u64);
        push_text(&mut self.payload, &piece[shared..]);
        push_varint(&mut self.payload, count);
        self.before.truncate(shared);
        self.before.extend_from_slice(&piece[shared..]);
        self.entries += 1;
        self.distinct += 1;
        self.total += u128::from(count);
        if self.payload.len() >= BLOCK_BYTES {
            self.end_block()?;
        }
        Ok(())
    }

    fn end_block(&mut self) -> Result<()> {
        self.position += write_block(self.out, &self.payload, self.entries)?;
        self.payload.clear();
        self.entries = 0;
        Ok(())
    }

    fn finish(mut self, sources: &[Source]) -> Result<()> {
        if self.entries > 0 {
            self.end_block()?;
        }
        let mut footer = Vec::with_capacity(self.index.len() + 256);
        footer.extend_from_slice(&self.distinct.to_le_bytes());
        footer.extend_from_slice(&self.total.to_le_bytes());
        push_varint(&mut footer, sources.len() as u64);
        for source in sources {
            push_text(&mut footer, source.name.as_bytes());
            push_text(&mut footer, source.language.as_bytes());
            push_varint(&mut footer, source.weight);
            push_varint(&mut footer, source.texts);
            push_varint(&mut footer, source.bytes);
        }
        push_varint(&mut footer, self.blocks);
        footer.extend_from_slice(&self.index);
        self.out.write_all(&footer)?;
        self.out.write_all(&self.position.to_le_bytes())?;
        self.out.write_all(&crc32fast::hash(&footer).to_le_bytes())?;
        self.out.write_all(END)?;
        Ok(())
    }
}

fn write_block(out: &mut BufWriter<impl Write>, payload: &[u8], entries: u32) -> Result<u64> {
    let len = u32::try_from(payload.len()).map_err(|_| {
        Error::value("a piece of 4 GiB or more cannot be saved: split the text before counting")
    })?;
    out.write_all(&len.to_le_bytes())?;
    out.write_all(&entries.to_le_bytes())?;
    out.write_all(&crc32fast::hash(payload).to_le_bytes())?;
    out.write_all(payload)?;
    Ok((BLOCK_HEAD + payload.len()) as u64)
}

#[derive(Debug)]
struct Block {
    position: u64,
    first: String,
}

/// An opened file: its index in memory, its pieces on disk.
///
/// The file stays open and is read at positions, so any number of readers share one handle, and counts stay
/// readable when the file is removed or another one takes its name.
#[derive(Debug)]
pub(super) struct RunFile {
    path: PathBuf,
    file: File,
    distinct: u64,
    total: u128,
    sources: Vec<Source>,
    blocks: Vec<Block>,
    /// Position of the footer: where the blocks end.
    end: u64,
    /// Keeps the folder of a spilled run alive.
    _owner: Option<Arc<SpillDir>>,
}

fn damaged(path: &Path, position: u64, what: &str) -> Error {
    Error::format(format!(
        "{} is not a usable file of piece counts: {what}. Count again, or take an undamaged copy",
        path.display()
    ))
    .at(format!("byte {position}"))
}

fn newer(path: &Path, version: u32, features: u32) -> Error {
    Error::format(format!(
        "{} holds piece counts in a form that this Tessella does not know: version {version} with features \
         {features:#x}, known is version {VERSION} with {FEATURES:#x}. Read it with a newer Tessella, or count \
         again",
        path.display()
    ))
    .at("byte 8")
}

/// Fills `buffer` from a position. What ends too early has lost its end: a whole file is as long as it says.
fn read_exact_at(path: &Path, file: &File, buffer: &mut [u8], position: u64) -> Result<()> {
    bytes::read_exact_at(file, buffer, position).map_err(|error| match error.kind() {
        std::io::ErrorKind::UnexpectedEof => damaged(path, position, "it is cut off"),
        _ => io_error(error, path),
    })
}

impl RunFile {
    pub(super) fn open(path: &Path, owner: Option<Arc<SpillDir>>) -> Result<RunFile> {
        let failed = |error| io_error(error, path);
        if atomic::is_special(path) {
            return Err(Error::value(format!(
                "{} is a pipe or a device, and counts are read from ordinary files: write them to a file first",
                path.display()
            )));
        }
        let file = File::open(path).map_err(failed)?;
        let len = file.metadata().map_err(failed)?.len();
        if len < HEAD + TAIL {
            return Err(damaged(path, len, &format!("it has {len} bytes, fewer than an empty one has")));
        }
        let mut head = [0u8; HEAD as usize];
        read_exact_at(path, &file, &mut head, 0)?;
        if head[..8] != *MAGIC {
            return Err(damaged(path, 0, "it does not begin with `TSLCOUNT`"));
        }
        let (version, features) = (bytes::le_u32(&head[8..12]), bytes::le_u32(&head[12..16]));
        if (version, features) != (VERSION, FEATURES) {
            return Err(newer(path, version, features));
        }
        let mut tail = [0u8; TAIL as usize];
        read_exact_at(path, &file, &mut tail, len - TAIL)?;
        if tail[12..] != *END {
            return Err(damaged(path, len - 8, "it does not end with `TSLCEND1`; it may be cut off"));
        }
        let end = bytes::le_u64(&tail[..8]);
        if end < HEAD || end > len - TAIL {
            return Err(damaged(path, len - TAIL, &format!("its footer cannot be at {end}")));
        }
        let mut footer = vec![0u8; (len - TAIL - end) as usize];
        read_exact_at(path, &file, &mut footer, end)?;
        if crc32fast::hash(&footer) != bytes::le_u32(&tail[8..12]) {
            return Err(damaged(path, end, "the checksum of its footer is wrong"));
        }
        let mut run = RunFile {
            path: path.to_path_buf(),
            file,
            distinct: 0,
            total: 0,
            sources: Vec::new(),
            blocks: Vec::new(),
            end,
            _owner: owner,
        };
        let mut parser = Parser::new(&footer);
        match run.read_footer(&mut parser) {
            Some(()) if parser.is_at_end() => Ok(run),
            _ => Err(damaged(path, end + parser.position() as u64, "its footer is malformed")),
        }
    }

    fn read_footer(&mut self, parser: &mut Parser<'_>) -> Option<()> {
        self.distinct = parser.u64()?;
        self.total = parser.u128()?;
        for _ in 0..parser.varint()? {
            self.sources.push(Source {
                name: parser.text()?.to_string(),
                language: parser.text()?.to_string(),
                weight: parser.varint()?,
                texts: parser.varint()?,
                bytes: parser.varint()?,
            });
        }
        let mut least = HEAD;
        for _ in 0..parser.varint()? {
            let (position, first) = (parser.varint()?, parser.text()?.to_string());
            let in_order = self.blocks.last().is_none_or(|last| last.first < first);
            if position < least || position.checked_add(BLOCK_HEAD as u64)? > self.end || !in_order {
                return None;
            }
            least = position + BLOCK_HEAD as u64;
            self.blocks.push(Block { position, first });
        }
        Some(())
    }

    pub(super) fn distinct(&self) -> u64 {
        self.distinct
    }

    pub(super) fn total(&self) -> u128 {
        self.total
    }

    pub(super) fn sources(&self) -> &[Source] {
        &self.sources
    }

    pub(super) fn memory(&self) -> usize {
        self.blocks.iter().map(|block| size_of::<Block>() + block.first.capacity()).sum()
    }

    pub(super) fn reader(self: &Arc<Self>) -> RunReader {
        RunReader {
            run: self.clone(),
            next_block: 0,
            payload: Vec::new(),
            at: 0,
            left: 0,
            piece: String::new(),
            bytes: Vec::new(),
            count: 0,
            read: 0,
            total: 0,
        }
    }

    /// The count of a piece, read from the one block that can hold it.
    pub(super) fn get(self: &Arc<Self>, piece: &str) -> Result<Option<u64>> {
        let after = self.blocks.partition_point(|block| block.first.as_str() <= piece);
        if after == 0 {
            return Ok(None);
        }
        let mut reader = self.reader();
        reader.next_block = after - 1;
        reader.read_block()?;
        while reader.left > 0 {
            reader.decode()?;
            match reader.piece.as_str().cmp(piece) {
                std::cmp::Ordering::Less => continue,
                std::cmp::Ordering::Equal => return Ok(Some(reader.count)),
                std::cmp::Ordering::Greater => return Ok(None),
            }
        }
        Ok(None)
    }
}

/// Reads a run from its beginning, a block at a time.
#[derive(Debug)]
pub(super) struct RunReader {
    run: Arc<RunFile>,
    next_block: usize,
    payload: Vec<u8>,
    /// Position in the payload, and entries left in it.
    at: usize,
    left: u32,
    piece: String,
    bytes: Vec<u8>,
    count: u64,
    /// Entries and occurrences read so far.
    read: u64,
    total: u128,
}

impl RunReader {
    pub(super) fn piece(&self) -> &str {
        &self.piece
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Steps to the next entry; false at the end.
    pub(super) fn advance(&mut self) -> Result<bool> {
        if self.left == 0 {
            if self.next_block == self.run.blocks.len() {
                if (self.read, self.total) != (self.run.distinct, self.run.total) {
                    let what = format!(
                        "it holds {} pieces with {} occurrences, but declares {} and {}",
                        self.read, self.total, self.run.distinct, self.run.total
                    );
                    return Err(damaged(&self.run.path, self.run.end, &what));
                }
                return Ok(false);
            }
            self.read_block()?;
        }
        self.decode()?;
        self.read += 1;
        self.total += u128::from(self.count);
        Ok(true)
    }

    fn read_block(&mut self) -> Result<()> {
        let run = self.run.clone();
        let position = run.blocks[self.next_block].position;
        let end = run.blocks.get(self.next_block + 1).map_or(run.end, |block| block.position);
        let bad = |what: &str| damaged(&run.path, position, what);
        let mut head = [0u8; BLOCK_HEAD];
        read_exact_at(&run.path, &run.file, &mut head, position)?;
        let len = bytes::le_u32(&head[..4]);
        if position + BLOCK_HEAD as u64 + u64::from(len) != end {
            return Err(bad("a block does not end where the next begins"));
        }
        self.payload.resize(len as usize, 0);
        read_exact_at(&run.path, &run.file, &mut self.payload, position + BLOCK_HEAD as u64)?;
        if crc32fast::hash(&self.payload) != bytes::le_u32(&head[8..]) {
            return Err(bad("the checksum of a block is wrong"));
        }
        self.left = bytes::le_u32(&head[4..8]);
        if self.left == 0 {
            return Err(bad("a block is empty"));
        }
        self.at = 0;
        self.bytes.clear();
        self.next_block += 1;
        Ok(())
    }

    fn decode(&mut self) -> Result<()> {
        let mut parser = Parser::new(&self.payload[self.at..]);
        let decoded = (|| {
            let shared = usize::try_from(parser.varint()?).ok().filter(|&n| n <= self.bytes.len())?;
            let rest = parser.bytes_with_length()?;
            let count = parser.varint().filter(|&count| count > 0)?;
            self.bytes.truncate(shared);
            self.bytes.extend_from_slice(rest);
            let piece = std::str::from_utf8(&self.bytes).ok()?;
            // The first entry that a reader sees has no predecessor; it may be the empty piece.
            let is_first = self.read == 0 && self.at == 0;
            if !is_first && piece <= self.piece.as_str() {
                return None;
            }
            self.piece.clear();
            self.piece.push_str(piece);
            Some(count)
        })();
        let used = parser.position();
        self.left -= 1;
        let at = self.at;
        self.at += used;
        match decoded {
            Some(count) if self.left > 0 || self.at == self.payload.len() => {
                self.count = count;
                Ok(())
            }
            _ => {
                let position = self.run.blocks[self.next_block - 1].position + (BLOCK_HEAD + at) as u64;
                Err(damaged(&self.run.path, position, "an entry is malformed or out of order"))
            }
        }
    }
}
