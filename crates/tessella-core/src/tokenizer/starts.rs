//! Where in a decoded text the part of each id starts.
//!
//! An id that starts inside a character gets the place of that character. Where bytes spell no character, each stands for what the
//! text has in its place: a U+FFFD of its own, or one together with others.

use crate::decode::lossy_text;
use crate::error::Result;
use crate::ids::TokenId;

/// Ids that are looked at together, at most: a character is four bytes, and the ids behind them that have no text may be more.
const MOST: usize = 64;
const BROKEN: char = '\u{FFFD}';

/// Where text is nothing but bytes: the characters of `bytes`, and of each of `begins`, which ascend, the character it is in.
pub(super) fn of_bytes(bytes: Vec<u8>, begins: &[usize]) -> (String, Vec<usize>) {
    let mut starts = Vec::with_capacity(begins.len());
    let mut begins = begins.iter().peekable();
    let (mut chars, mut end) = (0, 0);
    let mut character = |length: usize| {
        end += length;
        while begins.next_if(|&&begin| begin < end).is_some() {
            starts.push(chars);
        }
        chars += 1;
    };
    for chunk in bytes.utf8_chunks() {
        chunk.valid().chars().for_each(|c| character(c.len_utf8()));
        if !chunk.invalid().is_empty() {
            character(chunk.invalid().len());
        }
    }
    starts.extend(begins.map(|_| chars));
    (lossy_text(bytes), starts)
}

/// The same for any decoder, which `decode` asks: `text` is what `ids` come to.
///
/// Ids are taken until what they come to behind the ids before them is what the text has at this place: then these stand for it. The
/// text is known, so that nothing is given out that later ids change: `<0x41>` alone is `A`, with `<0xFF>` behind it two U+FFFD.
pub(super) fn of_texts(
    ids: &[TokenId],
    text: &str,
    decode: impl Fn(&[TokenId]) -> Result<String>,
) -> Result<Vec<usize>> {
    let mut starts = Vec::with_capacity(ids.len());
    // Of the text: the bytes and characters that stand for ids that are done.
    let (mut written, mut chars) = (0, 0);
    // The ids that are done and decoded again, since what stands before an id may matter, and what they come to.
    let (mut window, mut context) = (0..0, String::new());
    while window.end < ids.len() {
        let mut end = window.end;
        let part = loop {
            end += 1;
            let together = decode(&ids[window.start..end])?;
            let new = together.strip_prefix(context.as_str());
            if let Some(new) = new.filter(|new| text[written..].starts_with(new)) {
                break new.len();
            }
            if end == ids.len() || end - window.end == MOST {
                // Of a long row of bytes that are no characters, each goes for itself.
                let is_broken = text[written..].starts_with(BROKEN);
                end = if is_broken { window.end + 1 } else { end };
                break if is_broken { BROKEN.len_utf8() } else { 0 };
            }
        };
        let stands = &text[written..written + part];
        let count = stands.chars().count();
        let is_apart = count == end - window.end && stands.chars().all(|c| c == BROKEN);
        starts.extend((window.end..end).enumerate().map(|(at, _)| chars + if is_apart { at } else { 0 }));
        written += part;
        chars += count;
        // Blanks that vanish at the start of a text: without what stands before them, those behind them would too.
        let before = decode(&ids[window.end..end])?;
        window.start =
            if before.is_empty() { window.start.max(end.saturating_sub(MOST)) } else { window.end };
        context = if before.is_empty() { decode(&ids[window.start..end])? } else { before };
        window.end = end;
    }
    Ok(starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ids below 256 are bytes that fall back, others letters.
    fn decode(ids: &[TokenId]) -> Result<String> {
        let mut text = String::new();
        for run in ids.chunk_by(|one, other| (*one < 256) == (*other < 256)) {
            let bytes: Vec<u8> = run.iter().map(|&id| id as u8).collect();
            match std::str::from_utf8(&bytes) {
                _ if run[0] >= 256 => text.extend(run.iter().filter_map(|&id| char::from_u32(id))),
                Ok(run) => text.push_str(run),
                Err(_) => text.extend(run.iter().map(|_| BROKEN)),
            }
        }
        Ok(text)
    }

    #[test]
    fn broken_bytes_are_told_one_by_one() {
        let cases: [(&[TokenId], &[usize]); 7] = [
            (&[0xE4, 0xBD, 0x3B1, 0x3B2], &[0, 1, 2, 3]),
            (&[0x3B1, 0xE4, 0xBD, 0xA0, 0x3B2], &[0, 1, 1, 1, 2]),
            (&[0x16, 0xA0], &[0, 1]),
            (&[0xE4, 0xBD, 0xA0, 0xFF, 0x3B1], &[0, 1, 2, 3, 4]),
            (&[0x41, 0x42, 0x3B1], &[0, 1, 2]),
            (&[0x0A, 0xF0, 0x9F, 0x3B1, 0x0A], &[0, 1, 2, 3, 4]),
            (&[], &[]),
        ];
        for (ids, starts) in cases {
            let text = decode(ids).unwrap();
            assert_eq!(of_texts(ids, &text, decode).unwrap(), starts, "{text:?}");
        }
    }

    #[test]
    fn a_long_row_that_the_last_byte_breaks() {
        let ids: Vec<TokenId> = std::iter::repeat_n(0x41, 500).chain([0xFF, 0x3B1]).collect();
        let text = decode(&ids).unwrap();
        assert_eq!(of_texts(&ids, &text, decode).unwrap(), (0..502).collect::<Vec<_>>());
    }

    #[test]
    fn bytes_alone() {
        let told = |bytes: &[u8], begins: &[usize]| of_bytes(bytes.to_vec(), begins).1;
        assert_eq!(told("aé漢".as_bytes(), &[0, 1, 2, 3, 4, 6]), [0, 1, 1, 2, 2, 3]);
        // One that continues nothing, the beginning of one of three, and ids without bytes at the end.
        assert_eq!(told(b"\xBDa\xE4\xBDb", &[0, 1, 2, 3, 4, 5, 5]), [0, 1, 2, 2, 3, 4, 4]);
    }
}
