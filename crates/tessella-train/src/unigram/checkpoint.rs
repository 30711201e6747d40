//! The state between two rounds in one file, so that a stopped training goes on exactly where it was.
//!
//! ```text
//! file    = "TSLUNICK" u32 version (1) u32 CRC-32 of the payload, u64 fingerprint, u64 length of the payload, payload
//! payload = u64 rounds since the last pruning, u64 entries before it, entry*
//! entry   = u32 position, u32 length, u64 bits of the score
//! ```
//!
//! All numbers are little-endian. The fingerprint is a hash of the options and of every piece with its count.
//! Corpus and seeds are found again from the counts; an entry is known by where it stands in them.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use tessella_core::{Error, Result};

use super::lattice::{DROPPED, Lattice, Piece, UNKNOWN};
use crate::bytes::{io_error, le_u32, le_u64};

const MAGIC: &[u8; 8] = b"TSLUNICK";
const VERSION: u32 = 1;
const HEAD: usize = 32;
const ENTRY: usize = 16;

/// Where a training is, besides its entries and their scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Progressed {
    /// Rounds of estimation since the last pruning.
    pub(super) rounds: usize,
    /// Entries before the last pruning.
    pub(super) last_size: usize,
}

pub(super) fn save(path: &Path, fingerprint: u64, at: Progressed, pieces: &[Piece]) -> Result<()> {
    let mut payload = Vec::with_capacity(16 + pieces.len() * ENTRY);
    payload.extend_from_slice(&(at.rounds as u64).to_le_bytes());
    payload.extend_from_slice(&(at.last_size as u64).to_le_bytes());
    for piece in &pieces[1..] {
        payload.extend_from_slice(&piece.position.to_le_bytes());
        payload.extend_from_slice(&piece.len.to_le_bytes());
        payload.extend_from_slice(&piece.score.to_bits().to_le_bytes());
    }
    tessella_formats::atomic::write_with(path, |out| {
        out.write_all(MAGIC)?;
        out.write_all(&VERSION.to_le_bytes())?;
        out.write_all(&crc32fast::hash(&payload).to_le_bytes())?;
        out.write_all(&fingerprint.to_le_bytes())?;
        out.write_all(&(payload.len() as u64).to_le_bytes())?;
        out.write_all(&payload)?;
        Ok(())
    })
}

/// Brings freshly built entries and their lattice to the saved state, if there is one.
pub(super) fn resume(
    path: &Path,
    fingerprint: u64,
    pieces: &mut Vec<Piece>,
    lattice: &mut Lattice,
) -> Result<Option<Progressed>> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io_error(error, path)),
    };
    let damaged = |what: &str| {
        Error::format(format!(
            "the checkpoint {} cannot be used: {what}. Remove it to begin anew",
            path.display()
        ))
    };
    let Some((head, payload)) = bytes.split_at_checked(HEAD) else {
        return Err(damaged("it is cut off"));
    };
    if head[..8] != *MAGIC || le_u32(&head[8..12]) != VERSION {
        return Err(damaged("it is not a checkpoint of Unigram training that this version knows"));
    }
    if le_u64(&head[16..24]) != fingerprint {
        return Err(damaged("it belongs to other counts or other options"));
    }
    if le_u64(&head[24..]) != payload.len() as u64 || payload.len() < 16 || payload.len() % ENTRY != 0 {
        return Err(damaged("it is cut off"));
    }
    if crc32fast::hash(payload) != le_u32(&head[12..16]) {
        return Err(damaged("its checksum is wrong"));
    }
    let known: HashMap<(u32, u32), usize> =
        pieces.iter().enumerate().skip(1).map(|(at, piece)| ((piece.position, piece.len), at)).collect();
    let mut numbers = vec![DROPPED; pieces.len()];
    numbers[UNKNOWN as usize] = UNKNOWN;
    let mut restored = vec![pieces[UNKNOWN as usize]];
    for entry in payload[16..].chunks_exact(ENTRY) {
        let place = (le_u32(&entry[..4]), le_u32(&entry[4..8]));
        let number = known.get(&place).map(|&at| &mut numbers[at]);
        match number {
            Some(number) if *number == DROPPED => *number = restored.len() as u32,
            _ => return Err(damaged("its entries are not those of the corpus")),
        }
        let score = f64::from_bits(le_u64(&entry[8..]));
        restored.push(Piece { position: place.0, len: place.1, score });
    }
    *pieces = restored;
    lattice.renumber(&numbers);
    let number = |bytes: &[u8]| usize::try_from(le_u64(bytes)).map_err(|_| damaged("a number is too large"));
    Ok(Some(Progressed { rounds: number(&payload[..8])?, last_size: number(&payload[8..16])? }))
}
