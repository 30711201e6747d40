//! SentencePiece's own exchange format: one `piece<TAB>count` per line.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;

use tessella_core::error::excerpt;
use tessella_core::{Error, Result};

use super::PieceCounts;
use crate::bytes::io_error;
use crate::progress::Progress;

impl PieceCounts {
    /// Reads `piece<TAB>count` lines. The count is what follows the last tab; equal pieces add up.
    pub fn read_tsv(path: &Path) -> Result<Self> {
        let file = std::fs::File::open(path).map_err(|error| io_error(error, path))?;
        Self::read_tsv_from(file, path)
    }

    /// The same from whatever gives the bytes; `path` is what errors call it.
    pub fn read_tsv_from(reader: impl Read, path: &Path) -> Result<Self> {
        let failed = |error| io_error(error, path);
        let mut reader = BufReader::with_capacity(1 << 18, reader);
        let mut counts = Self::new();
        let (mut line, mut number) = (Vec::new(), 0u64);
        loop {
            line.clear();
            if reader.read_until(b'\n', &mut line).map_err(failed)? == 0 {
                return Ok(counts);
            }
            number += 1;
            let content = line.strip_suffix(b"\n").unwrap_or(&line);
            let content = content.strip_suffix(b"\r").unwrap_or(content);
            let wrong = |what: String| {
                Error::format(format!("{what}; expected a piece, a tab and a number"))
                    .at(format!("{}, line {number}", path.display()))
            };
            let text = std::str::from_utf8(content)
                .map_err(|error| wrong(format!("byte {} is not UTF-8", error.valid_up_to())))?;
            let Some((piece, count)) = text.rsplit_once('\t') else {
                return Err(wrong(format!("`{}` has no tab", excerpt(text))));
            };
            let count =
                count.parse::<u64>().map_err(|_| wrong(format!("`{}` is not a count", excerpt(count))))?;
            counts.add(piece, count)?;
        }
    }

    /// Writes `piece<TAB>count` lines by the pieces' bytes, atomically. A piece with a line break cannot be
    /// written and is an error.
    pub fn write_tsv(&self, path: &Path, progress: &dyn Progress) -> Result<()> {
        tessella_formats::atomic::write_with(path, |out| {
            self.walk(progress, |piece, count| {
                if piece.contains(['\n', '\r']) {
                    return Err(Error::unsupported(format!(
                        "the piece `{}` has a line break, which this format cannot hold: save the counts in \
                         their own format instead",
                        excerpt(piece)
                    )));
                }
                writeln!(out, "{piece}\t{count}")?;
                Ok(())
            })
        })
    }
}
