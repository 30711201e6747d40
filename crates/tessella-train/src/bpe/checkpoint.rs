//! The whole state of a BPE training in one file, so that a stopped run goes on exactly where it was.
//!
//! ```text
//! file    = "TSLBPECK" u32 version (2) u32 0, u64 fingerprint, section*
//! section = u64 length of the payload, u32 CRC-32 of the payload, payload
//! ```
//!
//! Sections, in order: report, token texts, cells, word starts, weights, pairs, occurrences, segment lengths, segment
//! contents, queue, merges. All numbers are little-endian. The fingerprint is a hash of the options and of every
//! piece with its count: a checkpoint is only ever continued with what it was begun with. Files are written
//! atomically; what is read is checked completely before it is used.

use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};

use tessella_core::hash::{hash_bytes, hash_u64};
use tessella_core::{Error, Result};

use super::learner::{Learner, Merge, Rules};
use super::pairs::{Occurrences, Pair, Pairs};
use super::symbols::{SEPARATOR, Symbols};
use super::tokens::Tokens;
use crate::bytes::{Parser, io_error, le_u32, le_u64, push_text, push_varint};
use crate::counts::Words;
use crate::outcome::TrainReport;

const MAGIC: &[u8; 8] = b"TSLBPECK";
const VERSION: u32 = 2;

/// Where and how often the state is saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// If the file exists, training goes on from it; it is removed when training is complete. A training that is
    /// stopped through its progress listener saves its state before it ends.
    pub file: PathBuf,
    /// Merges between two savings. (Unigram training saves its state after every round of estimation.)
    pub every: usize,
}

impl Checkpoint {
    /// Saves every 5000 merges.
    pub fn new(file: impl Into<PathBuf>) -> Self {
        Checkpoint { file: file.into(), every: 5000 }
    }

    /// Removes the file, if it is there.
    pub(crate) fn forget(&self) -> Result<()> {
        match std::fs::remove_file(&self.file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(io_error(error, &self.file)),
            _ => Ok(()),
        }
    }
}

/// A hash of what a training depends on.
pub(crate) fn fingerprint(options: &str, words: &Words<'_>) -> Result<u64> {
    let mut state = hash_u64(hash_bytes(options.as_bytes()));
    words.for_each(|word, count| {
        state = hash_u64(hash_u64(state ^ hash_bytes(word.as_bytes())).wrapping_add(count));
        Ok(())
    })?;
    Ok(state)
}

fn numbers<T>(items: impl IntoIterator<Item = T>, write: impl Fn(&mut Vec<u8>, T)) -> Vec<u8> {
    let mut payload = Vec::new();
    items.into_iter().for_each(|item| write(&mut payload, item));
    payload
}

fn push_u32(out: &mut Vec<u8>, number: u32) {
    out.extend_from_slice(&number.to_le_bytes());
}

fn push_u64(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(&number.to_le_bytes());
}

/// Writes the state.
pub(super) fn save(path: &Path, fingerprint: u64, learner: &Learner, report: &TrainReport) -> Result<()> {
    tessella_formats::atomic::write_with(path, |out| {
        out.write_all(MAGIC)?;
        out.write_all(&VERSION.to_le_bytes())?;
        out.write_all(&[0; 4])?;
        out.write_all(&fingerprint.to_le_bytes())?;
        let mut section = |payload: Vec<u8>| -> Result<()> {
            out.write_all(&(payload.len() as u64).to_le_bytes())?;
            out.write_all(&crc32fast::hash(&payload).to_le_bytes())?;
            out.write_all(&payload)?;
            Ok(())
        };
        let mut summary = Vec::new();
        push_varint(&mut summary, report.special_tokens as u64);
        push_varint(&mut summary, report.alphabet as u64);
        push_varint(&mut summary, report.distinct_pieces);
        summary.extend_from_slice(&report.total_pieces.to_le_bytes());
        summary.extend_from_slice(&report.dropped_characters.to_le_bytes());
        section(summary)?;
        section(numbers(learner.tokens.iter(), |out, (text, _)| push_text(out, text.as_bytes())))?;
        section(numbers(learner.symbols.cells.iter().copied(), push_u32))?;
        section(numbers(learner.symbols.starts.iter().copied(), push_u32))?;
        section(numbers(learner.symbols.weights.iter().copied(), push_u64))?;
        section(numbers(&learner.pairs.pairs, |out, pair| {
            push_u64(out, pair.key);
            push_u64(out, pair.count);
            push_u32(out, pair.newest);
            push_u32(out, u32::from(pair.recreated));
        }))?;
        section(numbers(&learner.pairs.occurrences, |out, entry| {
            // Where an empty list begins means nothing, and its segment may be gone.
            let start = if entry.len == 0 { 0 } else { entry.start };
            [entry.pair, entry.segment, start, entry.len].iter().for_each(|&number| push_u32(out, number));
        }))?;
        section(numbers(&learner.pairs.segments, |out, segment| push_u32(out, segment.len() as u32)))?;
        section(numbers(
            learner.pairs.segments.iter().flat_map(|segment| segment.iter().copied()),
            push_u32,
        ))?;
        section(numbers(learner.queue.iter(), |out, (count, entry)| {
            push_u64(out, count);
            push_u32(out, entry);
        }))?;
        section(numbers(&learner.merges, |out, merge| {
            [merge.left, merge.right, merge.merged].iter().for_each(|&id| push_u32(out, id));
            push_u64(out, merge.count);
        }))
    })
}

fn damaged(path: &Path, what: &str) -> Error {
    Error::format(format!(
        "the checkpoint {} cannot be used: {what}. Remove it to begin anew",
        path.display()
    ))
}

struct Sections<'a> {
    path: &'a Path,
    file: BufReader<std::fs::File>,
    left: u64,
}

impl Sections<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<()> {
        self.file.read_exact(buffer).map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => damaged(self.path, "it is cut off"),
            _ => io_error(error, self.path),
        })
    }

    fn next(&mut self) -> Result<Vec<u8>> {
        let mut head = [0u8; 12];
        self.read(&mut head)?;
        let len = le_u64(&head[..8]);
        self.left = self
            .left
            .checked_sub(12)
            .and_then(|left| left.checked_sub(len))
            .ok_or_else(|| damaged(self.path, "a section is longer than the file"))?;
        let mut payload = vec![0u8; len as usize];
        self.read(&mut payload)?;
        if crc32fast::hash(&payload) != le_u32(&head[8..]) {
            return Err(damaged(self.path, "a checksum is wrong"));
        }
        Ok(payload)
    }

    /// A section of records of one size.
    fn records<T>(&mut self, size: usize, read: impl Fn(&[u8]) -> T) -> Result<Vec<T>> {
        let payload = self.next()?;
        if payload.len() % size != 0 {
            return Err(damaged(self.path, "a section ends inside of a record"));
        }
        Ok(payload.chunks_exact(size).map(read).collect())
    }
}

/// Reads the state, if there is one.
pub(super) fn load(
    path: &Path,
    fingerprint: u64,
    rules: Rules,
    report: &mut TrainReport,
) -> Result<Option<Learner>> {
    let Some(mut sections) = open(path, fingerprint)? else { return Ok(None) };
    read_report(&sections.next()?, report).ok_or_else(|| damaged(path, "its report is malformed"))?;
    let saved = Saved::read(&mut sections)?;
    // A checksum tells accidents, not intentions: nothing is used before every reference was looked at.
    if !saved.is_sound() {
        return Err(damaged(path, "its parts do not fit together"));
    }
    let Saved { tokens, mut symbols, pairs, occurrences, segments, candidates, merges } = saved;
    symbols.finish();
    let pairs = Pairs::from_parts(pairs, occurrences, segments);
    Ok(Some(Learner::from_parts(rules, tokens, symbols, pairs, &candidates, merges)))
}

/// The sections of a checkpoint of this training, if the file is there.
fn open(path: &Path, fingerprint: u64) -> Result<Option<Sections<'_>>> {
    let file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io_error(error, path)),
    };
    let left = file.metadata().map_err(|error| io_error(error, path))?.len();
    let mut sections = Sections { path, file: BufReader::with_capacity(1 << 18, file), left };
    let mut head = [0u8; 24];
    sections.read(&mut head)?;
    sections.left = sections.left.saturating_sub(24);
    if head[..8] != *MAGIC || le_u32(&head[8..12]) != VERSION {
        return Err(damaged(path, "it is not a checkpoint of BPE training that this version knows"));
    }
    if le_u64(&head[16..]) != fingerprint {
        return Err(damaged(path, "it belongs to other counts or other options"));
    }
    Ok(Some(sections))
}

fn read_report(summary: &[u8], report: &mut TrainReport) -> Option<()> {
    let mut parser = Parser::new(summary);
    report.special_tokens = parser.varint()? as usize;
    report.alphabet = parser.varint()? as usize;
    report.distinct_pieces = parser.varint()?;
    report.total_pieces = parser.u128()?;
    report.dropped_characters = parser.u128()?;
    Some(())
}

/// The parts of a learner, as the file has them.
struct Saved {
    tokens: Tokens,
    symbols: Symbols,
    pairs: Vec<Pair>,
    occurrences: Vec<Occurrences>,
    segments: Vec<Box<[u32]>>,
    candidates: Vec<(u64, u32)>,
    merges: Vec<Merge>,
}

impl Saved {
    fn read(sections: &mut Sections<'_>) -> Result<Self> {
        let path = sections.path;
        let texts = sections.next()?;
        let (mut tokens, mut parser) = (Tokens::default(), Parser::new(&texts));
        while !parser.is_at_end() {
            let text = parser.text().ok_or_else(|| damaged(path, "a token is malformed"))?;
            if !tokens.insert(text)?.1 {
                return Err(damaged(path, "a token is there twice"));
            }
        }
        let symbols = Symbols {
            cells: sections.records(4, le_u32)?,
            starts: sections.records(4, le_u32)?,
            weights: sections.records(8, le_u64)?,
            word_of_block: Vec::new(),
        };
        let pairs = sections.records(24, |record| Pair {
            key: le_u64(&record[..8]),
            count: le_u64(&record[8..16]),
            newest: le_u32(&record[16..20]),
            recreated: le_u32(&record[20..]) != 0,
        })?;
        let occurrences = sections.records(16, |record| Occurrences {
            pair: le_u32(&record[..4]),
            segment: le_u32(&record[4..8]),
            start: le_u32(&record[8..12]),
            len: le_u32(&record[12..]),
        })?;
        let lengths = sections.records(4, le_u32)?;
        let positions = sections.records(4, le_u32)?;
        let segments = cut(&positions, &lengths).ok_or_else(|| damaged(path, "its positions are too few"))?;
        let candidates = sections.records(12, |record| (le_u64(&record[..8]), le_u32(&record[8..])))?;
        let merges = sections.records(20, |record| Merge {
            left: le_u32(&record[..4]),
            right: le_u32(&record[4..8]),
            merged: le_u32(&record[8..12]),
            count: le_u64(&record[12..]),
        })?;
        Ok(Saved { tokens, symbols, pairs, occurrences, segments, candidates, merges })
    }

    /// Whether every reference leads to something that is there.
    fn is_sound(&self) -> bool {
        let ids = self.tokens.len() as u32;
        let is_id = |id: u32| id < ids;
        let is_list = |entry: u32| (entry as usize) < self.occurrences.len();
        let cells = self.symbols.cells.len() as u64;
        self.symbols.is_sound(ids)
            && self.segments.iter().flatten().all(|&position| u64::from(position) + 1 < cells)
            && self.pairs.iter().all(|pair| {
                let known = is_list(pair.newest) || pair.newest == u32::MAX;
                is_id(super::pairs::left(pair.key)) && is_id(super::pairs::right(pair.key)) && known
            })
            && self.occurrences.iter().all(|entry| {
                let end = entry.start as usize + entry.len as usize;
                let fits =
                    self.segments.get(entry.segment as usize).is_some_and(|segment| end <= segment.len());
                fits && (entry.pair as usize) < self.pairs.len()
            })
            && self.candidates.iter().all(|&(_, entry)| is_list(entry))
            && self.merges.iter().all(|merge| is_id(merge.left) && is_id(merge.right) && is_id(merge.merged))
    }
}

/// Numbers in segments of these lengths, if there are enough of them.
fn cut(numbers: &[u32], lengths: &[u32]) -> Option<Vec<Box<[u32]>>> {
    let mut rest = numbers;
    lengths
        .iter()
        .map(|&len| {
            let (segment, after) = rest.split_at_checked(len as usize)?;
            rest = after;
            Some(segment.into())
        })
        .collect()
}

impl Symbols {
    /// True if every word can be walked and holds only ids below `ids`.
    fn is_sound(&self, ids: u32) -> bool {
        if self.cells.first() != Some(&SEPARATOR) || self.weights.len() != self.starts.len() {
            return false;
        }
        let mut at = 1u64;
        for &start in &self.starts {
            if u64::from(start) != at {
                return false;
            }
            let Some(len) = self.cells[start as usize..].iter().position(|&cell| cell == SEPARATOR) else {
                return false;
            };
            let end = start + len as u32;
            let mut position = start;
            while position < end {
                let (id, span) = (self.cells[position as usize], self.span(position));
                if id >= ids || span == 0 || span > end - position {
                    return false;
                }
                let next = position + span;
                if span > 1 && self.previous(next) != position || span == 1 && self.previous(next) != next - 1
                {
                    return false;
                }
                if (position + 1..next).any(|inner| self.cells[inner as usize] < 1 << 31) {
                    return false;
                }
                position = next;
            }
            if len == 0 {
                return false;
            }
            at = u64::from(end) + 1;
            if at > self.cells.len() as u64
                || (at == self.cells.len() as u64 && self.cells.last() != Some(&SEPARATOR))
            {
                return false;
            }
        }
        at == self.cells.len() as u64
    }
}
