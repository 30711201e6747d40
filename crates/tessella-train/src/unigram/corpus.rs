//! The corpus of Unigram training: distinct pieces as one flat array of small character numbers.

use std::collections::BTreeMap;

use tessella_core::{Error, ErrorKind, Result};

use crate::counts::PieceCounts;
use crate::progress::{Progress, check_at};

/// Ends every piece; also stands for the character NUL, which is never part of a vocabulary entry.
pub(crate) const END: u32 = 0;

#[derive(Debug)]
pub(crate) struct Corpus {
    /// Character numbers of all pieces, each piece followed by [`END`].
    pub(crate) cells: Vec<u32>,
    /// First cell of each piece; one more start closes the last piece.
    pub(crate) starts: Vec<u32>,
    pub(crate) weights: Vec<u64>,
    /// The character of each number, in the order of code points; number 0 is NUL.
    pub(crate) alphabet: Vec<char>,
    /// Occurrences of each character, weighted.
    pub(crate) frequency: Vec<u128>,
    pub(crate) has_nul: bool,
    pub(crate) total: u128,
}

impl Corpus {
    pub(crate) fn new(counts: &PieceCounts, progress: &dyn Progress) -> Result<Corpus> {
        let mut numbers: BTreeMap<char, u32> = BTreeMap::new();
        let (mut cells, mut places) = (0u64, 0u128);
        let mut cursor = counts.cursor()?;
        let mut pieces = 0;
        while let Some((piece, count)) = cursor.next()? {
            check_at(progress, pieces)?;
            pieces += 1;
            let before = cells;
            for character in piece.chars() {
                numbers.entry(character).or_insert(0);
                cells += 1;
            }
            places += u128::from(count) * u128::from(cells - before);
            cells += 1;
        }
        if cells >= u64::from(u32::MAX) || places > u128::from(u64::MAX) {
            return Err(Error::new(
                ErrorKind::Train,
                format!(
                    "the corpus has {cells} characters in distinct pieces and {places} occurrences of \
                     characters; at most {} and {} can be handled: drop rare pieces or lower the weights",
                    u32::MAX - 1,
                    u64::MAX
                ),
            ));
        }
        let has_nul = numbers.contains_key(&'\0');
        numbers.insert('\0', END);
        let mut alphabet = Vec::with_capacity(numbers.len());
        for (&character, number) in &mut numbers {
            *number = alphabet.len() as u32;
            alphabet.push(character);
        }
        let mut corpus = Corpus {
            cells: Vec::with_capacity(cells as usize),
            starts: vec![0],
            weights: Vec::new(),
            frequency: vec![0; alphabet.len()],
            alphabet,
            has_nul,
            total: counts.total(),
        };
        let mut ascii = [END; 128];
        for (slot, number) in ascii.iter_mut().enumerate() {
            *number = numbers.get(&char::from(slot as u8)).copied().unwrap_or(END);
        }
        let mut cursor = counts.cursor()?;
        while let Some((piece, count)) = cursor.next()? {
            if piece.is_empty() {
                continue;
            }
            check_at(progress, corpus.weights.len())?;
            for character in piece.chars() {
                let number = match ascii.get(character as usize) {
                    Some(&number) => number,
                    None => numbers[&character],
                };
                corpus.frequency[number as usize] += u128::from(count);
                corpus.cells.push(number);
            }
            corpus.cells.push(END);
            corpus.weights.push(count);
            corpus.starts.push(corpus.cells.len() as u32);
        }
        Ok(corpus)
    }

    /// Cells of a piece, without its end.
    pub(crate) fn range(&self, piece: usize) -> std::ops::Range<usize> {
        self.starts[piece] as usize..self.starts[piece + 1] as usize - 1
    }

    pub(crate) fn text(&self, position: u32, len: u32) -> String {
        let cells = &self.cells[position as usize..(position + len) as usize];
        cells.iter().map(|&number| self.alphabet[number as usize]).collect()
    }
}
