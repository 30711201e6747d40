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
    /// Where each token ends.
    pub(super) ends: Vec<usize>,
    pub(super) ranks: Vec<TokenId>,
}

impl Ranks {
    /// Puts a token behind the others.
    pub fn push(&mut self, token: &[u8], rank: TokenId) {
        self.bytes.extend_from_slice(token);
        self.end(rank);
    }

    /// All bytes behind the last token are one more.
    fn end(&mut self, rank: TokenId) {
        self.ends.push(self.bytes.len());
        self.ranks.push(rank);
    }

    /// Number of tokens.
    pub fn len(&self) -> usize {
        self.ranks.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ranks.is_empty()
    }

    /// Tokens and ranks in order.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], TokenId)> + '_ {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let tokens = starts.zip(&self.ends).map(|(start, &end)| &self.bytes[start..end]);
        tokens.zip(self.ranks.iter().copied())
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
    // Lines of some tokens of usual length; what is longer finds its room.
    let mut ranks = Ranks { bytes: Vec::with_capacity(data.len() / 2), ..Ranks::default() };
    let (mut at, mut number) = (0, 0);
    while at < data.len() {
        number += 1;
        let before = ranks.bytes.len();
        if let Some((rank, next)) = plain_line(data, at, &mut ranks.bytes) {
            ranks.end(rank);
            at = next;
            continue;
        }
        ranks.bytes.truncate(before);
        let rest = &data[at..];
        let line = &rest[..rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len())];
        at += line.len() + 1;
        if let Some((token, rank)) = strict_line(line.strip_suffix(b"\r").unwrap_or(line), number)? {
            ranks.push(&token, rank);
        }
    }
    Ok(ranks)
}

/// Reads a line without anything odd, whose token goes behind `bytes`; its rank, and where the next line starts.
#[inline]
fn plain_line(data: &[u8], at: usize, bytes: &mut Vec<u8>) -> Option<(TokenId, usize)> {
    let before = bytes.len();
    let mut at = at + base64::append_plain(&data[at..], bytes)?;
    if bytes.len() == before || data.get(at) != Some(&b' ') {
        return None;
    }
    let mut rank: TokenId = 0;
    let first = at + 1;
    loop {
        at += 1;
        match data.get(at) {
            Some(&digit @ b'0'..=b'9') => {
                rank = rank.checked_mul(10)?.checked_add(TokenId::from(digit - b'0'))?;
            }
            Some(b'\n') | None if at > first => return Some((rank, at + 1)),
            _ => return None,
        }
    }
}

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
            let token: Vec<u8> = (0..below(9)).map(|_| below(256) as u8).collect();
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
            let mut bytes = Vec::new();
            match plain_line(&line, 0, &mut bytes) {
                Some((rank, next)) => {
                    assert_eq!(Some((bytes, rank)), strict, "{}", String::from_utf8_lossy(&line));
                    assert_eq!(next, line.len() + 1);
                    taken += 1;
                }
                None => left += 1,
            }
            let read = read_ranks(&line).ok();
            let read = read.iter().flat_map(Ranks::iter).map(|(token, rank)| (token.to_vec(), rank));
            assert_eq!(read.collect::<Vec<_>>(), strict.into_iter().collect::<Vec<_>>());
        }
        assert!(taken > 3000 && left > 3000, "{taken} {left}");
    }
}
