//! The lines of a `.tiktoken` file: a token in base64, a space, its rank.
//!
//! There are a hundred thousand of them and more, so the bytes of all tokens go into one arena, and a plain line is read in
//! one pass. Any other is read again by the strict rules, which know what is wrong with it.

use tessella_core::error::excerpt;
use tessella_core::{Error, Result, TokenId};

use crate::base64;

/// Tokens with their ranks, in the order of the file.
#[derive(Debug, Default)]
pub struct Ranks {
    pub(super) bytes: Vec<u8>,
    /// Where each token ends. Beyond 4 GiB no table is taken, and these are of no use.
    pub(super) ends: Vec<u32>,
    pub(super) ranks: Vec<TokenId>,
}

impl Ranks {
    /// Puts a token behind the others.
    pub fn push(&mut self, token: &[u8], rank: TokenId) {
        self.bytes.extend_from_slice(token);
        self.ends.push(self.bytes.len() as u32);
        self.ranks.push(rank);
    }

    /// Number of tokens.
    pub fn len(&self) -> usize {
        self.ranks.len()
    }

    /// Bytes of all tokens.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ranks.is_empty()
    }

    /// Tokens and ranks in order.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], TokenId)> + '_ {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let tokens = starts.zip(&self.ends).map(|(start, &end)| self.bytes.get(start as usize..end as usize));
        tokens.map(Option::unwrap_or_default).zip(self.ranks.iter().copied())
    }
}

impl<T: AsRef<[u8]>> FromIterator<(T, TokenId)> for Ranks {
    fn from_iter<I: IntoIterator<Item = (T, TokenId)>>(entries: I) -> Self {
        let mut ranks = Ranks::default();
        entries.into_iter().for_each(|(token, rank)| ranks.push(token.as_ref(), rank));
        ranks
    }
}

/// Reads the lines of a `.tiktoken` file.
pub fn read_ranks(data: &[u8]) -> Result<Ranks> {
    // Room for all bytes that there can be, which costs nothing before it is written to, and for lines of usual length.
    let mut bytes = vec![0; data.len() / 4 * 3 + size_of::<u32>()];
    let lines = data.len() / USUAL_LINE;
    let mut ranks =
        Ranks { bytes: Vec::new(), ends: Vec::with_capacity(lines), ranks: Vec::with_capacity(lines) };
    let (mut at, mut end, mut number) = (0, 0, 0);
    while at < data.len() {
        number += 1;
        let (length, rank) = match plain_line(&data[at..], &mut bytes[end..]) {
            Some((length, rank, behind)) => {
                at += behind;
                (length, rank)
            }
            None => {
                let rest = &data[at..];
                let line = &rest[..rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len())];
                at += line.len() + 1;
                let line = line.strip_suffix(b"\r").unwrap_or(line);
                let Some((token, rank)) = strict_line(line, number)? else { continue };
                bytes[end..end + token.len()].copy_from_slice(&token);
                (token.len(), rank)
            }
        };
        end += length;
        ranks.ends.push(end as u32);
        ranks.ranks.push(rank);
    }
    bytes.truncate(end);
    check_size(end)?;
    Ok(Ranks { bytes, ..ranks })
}

/// Fails where tokens have so many bytes together that places in them are no numbers of 32 bits.
pub(super) fn check_size(bytes: usize) -> Result<()> {
    refuse_if!(bytes > u32::MAX as usize, Value, "the tokens of the table exceed 4 GiB together");
    Ok(())
}

/// Bytes of a line, as files of a hundred thousand tokens have them.
const USUAL_LINE: usize = 16;

/// Reads a line without anything odd, whose token goes into `bytes`: its length, its rank, and where the next line starts.
#[inline]
fn plain_line(data: &[u8], bytes: &mut [u8]) -> Option<(usize, TokenId, usize)> {
    let (mut at, length) = base64::decode_plain(data, bytes)?;
    if length == 0 || data.get(at) != Some(&b' ') {
        return None;
    }
    let first = at + 1;
    let (mut rank, mut number) = (0u64, first);
    while let Some(digit) = data.get(number).map(|byte| byte.wrapping_sub(b'0')).filter(|&digit| digit < 10) {
        rank = rank * 10 + u64::from(digit);
        number += 1;
        if number - first > MOST_DIGITS {
            return None;
        }
    }
    at = number + 1;
    match data.get(number) {
        Some(b'\n') | None if number > first => Some((length, rank as TokenId, at)),
        _ => None,
    }
}

/// Digits of a rank that is read without a look at what it comes to.
const MOST_DIGITS: usize = 9;

/// The same by the rules; nothing for an empty line.
fn strict_line(line: &[u8], number: usize) -> Result<Option<(Vec<u8>, TokenId)>> {
    if line.is_empty() {
        return Ok(None);
    }
    let fail = |message: String| Err(Error::format(message).at(format!("line {number}")));
    let mut parts = line.split(|&byte| byte == b' ');
    let (Some(token), Some(rank), None) = (parts.next(), parts.next(), parts.next()) else {
        return fail(format!(
            "found `{}`, expected a token in base64, one space, and its rank",
            excerpt(&String::from_utf8_lossy(line))
        ));
    };
    let bytes = match base64::decode(token) {
        Ok(bytes) if !bytes.is_empty() => bytes,
        Ok(_) => return fail("the token is empty".into()),
        Err(reason) => {
            let token = String::from_utf8_lossy(token);
            return fail(format!("the token `{}` is not base64: it {reason}", excerpt(&token)));
        }
    };
    let digits = String::from_utf8_lossy(rank);
    match digits.parse() {
        Ok(rank) if digits.bytes().all(|byte| byte.is_ascii_digit()) => Ok(Some((bytes, rank))),
        _ => fail(format!("the rank `{}` is no integer from 0 to 4294967295", excerpt(&digits))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines with a few bytes changed: the quick reader takes what the strict one takes, and gives the same.
    #[test]
    fn both_readers_agree() {
        let mut state = 3u64;
        let mut below = move |bound: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % bound
        };
        let (mut taken, mut left) = (0, 0);
        for _ in 0..20_000 {
            let token: Vec<u8> = (0..below(20)).map(|_| below(256) as u8).collect();
            let rank = if below(9) == 0 { below(1 << 40) } else { below(200_000) };
            let mut line = format!("{} {rank}", base64::encode(&token)).into_bytes();
            for _ in 0..below(3) {
                let (at, with) = (below(line.len()), b"=A+/zZ-0 9\r\xC3"[below(12)]);
                line[at] = with;
            }
            let strict = match strict_line(line.strip_suffix(b"\r").unwrap_or(&line), 1) {
                Ok(Some(entry)) => Some(entry),
                _ => None,
            };
            // With room for several groups at once, and where nothing comes behind the line.
            for (room, behind) in [(100, &b"\nAAAAAAAAAAAAAAAAAAAAAAAA"[..]), (8, b"")] {
                let mut bytes = vec![0; room];
                match plain_line(&[&line, behind].concat(), &mut bytes) {
                    Some((length, rank, next)) => {
                        let read = Some((bytes[..length].to_vec(), rank));
                        assert_eq!(read, strict, "{}", String::from_utf8_lossy(&line));
                        assert_eq!(next, line.len() + 1);
                        taken += 1;
                    }
                    None => left += 1,
                }
            }
            let read = read_ranks(&line).ok();
            let read = read.iter().flat_map(Ranks::iter).map(|(token, rank)| (token.to_vec(), rank));
            assert_eq!(read.collect::<Vec<_>>(), strict.into_iter().collect::<Vec<_>>());
        }
        assert!(taken > 3000 && left > 3000, "{taken} {left}");
    }
}
