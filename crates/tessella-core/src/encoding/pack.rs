//! An encoding as bytes, for who stores or sends it.
//!
//! ```text
//! bytes   = VERSION record
//! record  = column * 9: ids, type ids, texts, words, offsets, special, attention, sequences, ends of texts
//!           length, the texts one after the other
//!           count, record * count                                              the windows
//! column  = count, width, numbers of so many bytes each, the lowest byte first
//! ```
//!
//! Counts and lengths are LEB128. The largest number of a column decides its width: most need a byte or two. The column of texts says
//! which of the texts at the end each token has, so that of a token stands there once; words have one more, so that none is 0; offsets are a start
//! and an end for each token, sequences their number, their first token and the one behind the last.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use super::{Encoding, EncodingParts, NO_WORD};
use crate::error::{Error, Result};
use crate::hash::hash_u64;

const VERSION: u8 = 1;

/// Bytes of a number, narrow to wide.
const WIDTHS: [usize; 4] = [1, 2, 4, 8];

/// Windows in one another, at most: those of truncation have none of their own, and each level takes room on the stack.
const DEEPEST: usize = 64;

impl Encoding {
    /// All columns and texts, windows included.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![VERSION];
        self.put(&mut bytes);
        bytes
    }

    /// The way back. Fails if these are no such bytes, or for what [`Encoding::from_parts`] refuses.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let [VERSION, rest @ ..] = bytes else {
            return Err(wrong(match bytes.first() {
                Some(version) => format!("they are of version {version}, and {VERSION} is known"),
                None => "there are none".into(),
            }));
        };
        let mut reader = Reader { rest };
        let parts = reader.record(0)?;
        match reader.rest {
            [] => Encoding::from_parts(parts),
            rest => Err(wrong(format!("{} bytes are left over", rest.len()))),
        }
    }

    fn put(&self, out: &mut Vec<u8>) {
        let (mut texts, mut ends) = (String::new(), Vec::new());
        let mut places: HashMap<(usize, usize), u32, BuildHasherDefault<Mixed>> = HashMap::default();
        let put_text = |text: &str| {
            // Told apart by where it lies: that of one token is the same one each time.
            *places.entry((text.as_ptr().addr(), text.len())).or_insert_with(|| {
                texts.push_str(text);
                ends.push(texts.len() as u64);
                ends.len() as u32 - 1
            })
        };
        let tokens: Vec<u32> = self.token_texts().map(put_text).collect();
        put_column(out, self.ids.iter().copied().map(u64::from));
        put_column(out, self.type_ids.to_vec().into_iter().map(u64::from));
        put_column(out, tokens.iter().copied().map(u64::from));
        // Of no word it is 0.
        put_column(out, self.words().iter().map(|word| u64::from(word.wrapping_add(1))));
        let offsets = self.offsets().to_vec();
        put_column(out, offsets.iter().flat_map(|&(start, end)| [start as u64, end as u64]));
        put_column(out, self.special_tokens_mask.to_vec().into_iter().map(u64::from));
        put_column(out, self.attention_mask.to_vec().into_iter().map(u64::from));
        let sequence = |(number, range): &(usize, std::ops::Range<usize>)| {
            [*number, range.start, range.end].map(|n| n as u64)
        };
        put_column(out, self.sequence_ranges.iter().flat_map(sequence));
        put_column(out, ends.iter().copied());
        put_count(out, texts.len());
        out.extend(texts.as_bytes());
        put_count(out, self.overflowing.len());
        self.overflowing.iter().for_each(|window| window.put(out));
    }
}

const _: () = assert!(NO_WORD.wrapping_add(1) == 0);

/// Hashes addresses, which nobody chooses.
#[derive(Default)]
struct Mixed(u64);

impl Hasher for Mixed {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_usize(byte.into()));
    }

    fn write_usize(&mut self, number: usize) {
        self.0 = hash_u64(self.0 ^ number as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

fn put_count(out: &mut Vec<u8>, mut count: usize) {
    while count >= 0x80 {
        out.push(count as u8 | 0x80);
        count >>= 7;
    }
    out.push(count as u8);
}

fn put_column(out: &mut Vec<u8>, numbers: impl Iterator<Item = u64> + Clone) {
    let (count, all) = numbers.clone().fold((0, 0), |(count, all), number| (count + 1, all | number));
    let bits = 64 - u64::leading_zeros(all) as usize;
    let width = WIDTHS.into_iter().find(|width| bits <= 8 * width).unwrap_or(8);
    put_count(out, count);
    out.push(width as u8);
    out.reserve(width * count);
    match width {
        1 => out.extend(numbers.map(|number| number as u8)),
        2 => numbers.for_each(|number| out.extend((number as u16).to_le_bytes())),
        4 => numbers.for_each(|number| out.extend((number as u32).to_le_bytes())),
        _ => numbers.for_each(|number| out.extend(number.to_le_bytes())),
    }
}

fn wrong(why: String) -> Error {
    Error::format(format!("these bytes are no encoding: {why}"))
}

struct Reader<'b> {
    rest: &'b [u8],
}

impl<'b> Reader<'b> {
    fn take(&mut self, count: usize) -> Result<&'b [u8]> {
        let (taken, rest) = self
            .rest
            .split_at_checked(count)
            .ok_or_else(|| wrong(format!("{count} bytes were to follow where {} do", self.rest.len())))?;
        self.rest = rest;
        Ok(taken)
    }

    fn count(&mut self) -> Result<usize> {
        let mut count = 0usize;
        for shift in (0..usize::BITS).step_by(7) {
            let byte = self.take(1)?[0];
            count |= usize::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Ok(count);
            }
        }
        Err(wrong("a count has no end".into()))
    }

    /// The numbers of a column, of which a kind of numbers says what they may be.
    fn column<T: TryFrom<u64>>(&mut self, name: &str) -> Result<Vec<T>> {
        let count = self.count()?;
        let width = usize::from(self.take(1)?[0]);
        if !WIDTHS.contains(&width) {
            return Err(wrong(format!("`{name}` has numbers of {width} bytes")));
        }
        let bytes = count.checked_mul(width).ok_or_else(|| wrong(format!("`{name}` has {count} numbers")))?;
        let bytes = self.take(bytes)?;
        let too_large = |number: u64| wrong(format!("`{name}` has the number {number}"));
        let number = |number: u64| T::try_from(number).map_err(|_| too_large(number));
        match width {
            1 => bytes.iter().map(|&byte| number(byte.into())).collect(),
            2 => bytes.as_chunks().0.iter().map(|&bytes| number(u16::from_le_bytes(bytes).into())).collect(),
            4 => bytes.as_chunks().0.iter().map(|&bytes| number(u32::from_le_bytes(bytes).into())).collect(),
            _ => bytes.as_chunks().0.iter().map(|&bytes| number(u64::from_le_bytes(bytes))).collect(),
        }
    }

    fn record(&mut self, depth: usize) -> Result<EncodingParts> {
        if depth > DEEPEST {
            return Err(wrong(format!("windows lie in windows more than {DEEPEST} times")));
        }
        let (ids, type_ids, tokens) =
            (self.column("ids")?, self.column("type_ids")?, self.column::<usize>("tokens")?);
        let words = self.column::<u64>("words")?;
        let offsets = self.column::<usize>("offsets")?;
        let (special_tokens_mask, attention_mask) =
            (self.column("special_tokens_mask")?, self.column("attention_mask")?);
        let sequences = self.column::<usize>("sequence_ranges")?;
        let (texts, windows) = (self.texts()?, self.count()?);
        let text = |place: usize| {
            let missing = || wrong(format!("a token has the text {place} of {}", texts.len()));
            texts.get(place).cloned().ok_or_else(missing)
        };
        let word = |word: u64| match word.checked_sub(1).map(u32::try_from) {
            None => Ok(None),
            Some(Ok(word)) => Ok(Some(word)),
            Some(Err(_)) => Err(wrong(format!("`words` has the number {word}"))),
        };
        let (pairs, triples) = (offsets.as_chunks(), sequences.as_chunks());
        if !(pairs.1.is_empty() && triples.1.is_empty()) {
            return Err(wrong("a place has no end".into()));
        }
        Ok(EncodingParts {
            ids,
            type_ids,
            tokens: tokens.into_iter().map(text).collect::<Result<_>>()?,
            words: words.into_iter().map(word).collect::<Result<_>>()?,
            offsets: pairs.0.iter().map(|&[start, end]| (start, end)).collect(),
            special_tokens_mask,
            attention_mask,
            sequence_ranges: triples.0.iter().map(|&[number, start, end]| (number, start..end)).collect(),
            overflowing: (0..windows).map(|_| self.record(depth + 1)).collect::<Result<_>>()?,
        })
    }

    fn texts(&mut self) -> Result<Vec<Arc<str>>> {
        let ends = self.column::<usize>("ends")?;
        let length = self.count()?;
        let texts = std::str::from_utf8(self.take(length)?)
            .map_err(|error| wrong(format!("the texts are not UTF-8 at byte {}", error.valid_up_to())))?;
        let mut start = 0;
        let text = |end| {
            let text = texts.get(start..end).ok_or_else(|| wrong(format!("no text ends at {end}")))?;
            start = end;
            Ok(text.into())
        };
        ends.into_iter().map(text).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Numbers of all widths, in windows as well.
    fn parts(random: &mut Random, depth: usize) -> EncodingParts {
        let mut below = |bound: u64| random.next_u64() % bound;
        let count = below(12) as usize;
        let most = [1, 200, 70_000, u64::from(u32::MAX)][below(4) as usize];
        let texts: Vec<Arc<str>> =
            (0..count).map(|_| ["", "a", "né", "\0\u{10FFFF}"][below(4) as usize].into()).collect();
        let mut number = || below(most) as u32;
        let mut numbers = || (0..count).map(|_| number()).collect::<Vec<u32>>();
        let (ids, type_ids, words) = (numbers(), numbers(), numbers());
        let (special_tokens_mask, attention_mask) = (numbers(), numbers());
        let offsets = numbers().into_iter().map(|place| (place as usize, place as usize + 1)).collect();
        let ranges = [(0, 0..count / 2), (3, count / 2..count)];
        EncodingParts {
            ids,
            type_ids,
            tokens: texts,
            words: words.into_iter().map(|word| (word % 3 > 0).then_some(word)).collect(),
            offsets,
            special_tokens_mask,
            attention_mask,
            sequence_ranges: ranges.into_iter().take(count % 3).collect(),
            overflowing: (0..depth).map(|_| parts(random, depth - 1)).collect(),
        }
    }

    #[test]
    fn what_is_put_down_comes_back() {
        let mut random = Random::from_seed(4);
        for round in 0..400 {
            let parts = parts(&mut random, round % 3);
            let encoding = Encoding::from_parts(parts.clone()).unwrap();
            let again = Encoding::from_bytes(&encoding.to_bytes()).unwrap();
            assert_eq!(again.to_parts(), parts);
            assert_eq!(again.to_bytes(), encoding.to_bytes());
        }
    }

    /// Those that an earlier version wrote are read, so the same are written: a column is as wide as its largest number.
    #[test]
    fn columns_are_as_wide_as_their_largest_number() {
        let of = |place: usize| EncodingParts {
            ids: vec![7],
            type_ids: vec![0],
            tokens: vec!["é".into()],
            words: vec![None],
            offsets: vec![(0, place)],
            special_tokens_mask: vec![1],
            attention_mask: vec![1],
            ..EncodingParts::default()
        };
        let widths =
            [(0, 1), (0xFF, 1), (0x100, 2), (0xFFFF, 2), (0x1_0000, 4), (0xFFFF_FFFF, 4), (1 << 32, 8)];
        for (place, width) in widths {
            let mut wanted = vec![VERSION, 1, 1, 7, 1, 1, 0, 1, 1, 0, 1, 1, 0];
            wanted.extend([2, width as u8]);
            wanted.extend(vec![0; width].iter().chain(&(place as u64).to_le_bytes()[..width]));
            wanted.extend([1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 2, 2, 0xC3, 0xA9, 0]);
            assert_eq!(Encoding::from_parts(of(place)).unwrap().to_bytes(), wanted);
        }
    }

    #[test]
    fn windows_lie_in_one_another_as_deep_as_is_told() {
        let of = |depth: usize| {
            let nested = (0..depth).fold(EncodingParts::default(), |inner, _| EncodingParts {
                overflowing: vec![inner],
                ..EncodingParts::default()
            });
            Encoding::from_bytes(&Encoding::from_parts(nested).unwrap().to_bytes())
        };
        assert!(of(DEEPEST).is_ok());
        assert!(of(DEEPEST + 1).unwrap_err().to_string().contains("more than 64 times"));
    }

    /// Bytes that are cut, changed or too many give an encoding or an error, and take no more memory than there are bytes.
    #[test]
    fn other_bytes_are_told() {
        let mut random = Random::from_seed(8);
        let mut refused = 0;
        for round in 0..3000 {
            let mut bytes = Encoding::from_parts(parts(&mut random, round % 3)).unwrap().to_bytes();
            let mut below = |bound: usize| random.next_u64() as usize % bound;
            match round % 3 {
                0 => bytes.truncate(below(bytes.len())),
                1 => {
                    let (at, byte) = (below(bytes.len()), below(256) as u8);
                    bytes[at] = byte;
                }
                _ => bytes.push(0),
            }
            match Encoding::from_bytes(&bytes) {
                Ok(_) => assert!(round % 3 == 1, "{bytes:?}"),
                Err(error) => {
                    refused += 1;
                    assert!(error.to_string().contains("encoding"), "{error}");
                }
            }
        }
        assert!(refused > 2200, "{refused}");
        let endless = [&[VERSION][..], &[0xFF; 12]].concat();
        assert!(Encoding::from_bytes(&endless).is_err());
    }
}
