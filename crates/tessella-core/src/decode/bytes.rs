//! Decoders between tokens and bytes.
//!
//! Text that is on its way through [`Decoder::decode_bytes`](super::Decoder::decode_bytes) is a list of
//! [`Fragment`]s: text wherever the bytes are valid, raw bytes where they are not.

use crate::error::Result;
use crate::pretokenize::byte_alphabet::append_bytes;

/// Appends the bytes of one byte-level token: those that its characters stand for, or its own UTF-8 if one
/// of them is not of the alphabet.
pub fn append_token_bytes(token: &str, out: &mut Vec<u8>) {
    let start = out.len();
    if !append_bytes(token, out) {
        out.truncate(start);
        out.extend_from_slice(token.as_bytes());
    }
}

pub(super) fn byte_level(tokens: &[String]) -> String {
    let mut bytes = Vec::with_capacity(tokens.iter().map(String::len).sum());
    for token in tokens {
        append_token_bytes(token, &mut bytes);
    }
    super::lossy_text(bytes)
}

/// The byte that a token like `<0xE2>` names.
pub(super) fn named_byte(token: &str) -> Option<u8> {
    let digits = token.strip_prefix("<0x")?.strip_suffix('>')?;
    if digits.len() == 2 { u8::from_str_radix(digits, 16).ok() } else { None }
}

/// A run that is valid UTF-8 becomes one text; of any other run every byte becomes one U+FFFD.
pub(super) fn byte_fallback(tokens: Vec<String>) -> Vec<String> {
    let mut texts = Vec::with_capacity(tokens.len());
    let mut run = Vec::new();
    for token in tokens {
        match named_byte(&token) {
            Some(byte) => run.push(byte),
            None => {
                end_run(&mut run, &mut texts);
                texts.push(token);
            }
        }
    }
    end_run(&mut run, &mut texts);
    texts
}

/// Appends the texts of a run of byte tokens, which is empty then.
pub(super) fn end_run(run: &mut Vec<u8>, texts: &mut Vec<String>) {
    if run.is_empty() {
        return;
    }
    match String::from_utf8(std::mem::take(run)) {
        Ok(text) => texts.push(text),
        Err(broken) => {
            texts.extend(std::iter::repeat_n("\u{FFFD}".to_owned(), broken.as_bytes().len()));
        }
    }
}

/// A part of the result that is still on its way.
#[derive(Debug)]
pub(super) enum Fragment {
    Text(String),
    /// Never valid UTF-8 as a whole.
    Raw(Vec<u8>),
}

impl Fragment {
    pub(super) fn of(bytes: Vec<u8>) -> Self {
        match String::from_utf8(bytes) {
            Ok(text) => Fragment::Text(text),
            Err(broken) => Fragment::Raw(broken.into_bytes()),
        }
    }

    pub(super) fn into_text(self) -> String {
        match self {
            Fragment::Text(text) => text,
            Fragment::Raw(bytes) => super::lossy_text(bytes),
        }
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        match self {
            Fragment::Text(text) => text.as_bytes(),
            Fragment::Raw(bytes) => bytes,
        }
    }
}

pub(super) fn texts(tokens: Vec<String>) -> Vec<Fragment> {
    tokens.into_iter().map(Fragment::Text).collect()
}

pub(super) fn concat(fragments: Vec<Fragment>) -> Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(fragments.iter().map(|fragment| fragment.as_bytes().len()).sum());
    for fragment in &fragments {
        bytes.extend_from_slice(fragment.as_bytes());
    }
    Ok(bytes)
}

pub(super) fn byte_level_fragments(fragments: Vec<Fragment>) -> Vec<Fragment> {
    let mut bytes = Vec::new();
    for fragment in &fragments {
        match fragment {
            Fragment::Text(text) => append_token_bytes(text, &mut bytes),
            Fragment::Raw(raw) => bytes.extend_from_slice(raw),
        }
    }
    vec![Fragment::of(bytes)]
}

pub(super) fn byte_fallback_fragments(fragments: Vec<Fragment>) -> Vec<Fragment> {
    let mut out = Vec::with_capacity(fragments.len());
    let mut run = Vec::new();
    for fragment in fragments {
        if let Fragment::Text(text) = &fragment
            && let Some(byte) = named_byte(text)
        {
            run.push(byte);
            continue;
        }
        if !run.is_empty() {
            out.push(Fragment::of(std::mem::take(&mut run)));
        }
        out.push(fragment);
    }
    if !run.is_empty() {
        out.push(Fragment::of(run));
    }
    out
}

pub(super) fn fuse_fragments(fragments: Vec<Fragment>) -> Vec<Fragment> {
    let mut bytes = Vec::new();
    for fragment in &fragments {
        bytes.extend_from_slice(fragment.as_bytes());
    }
    vec![Fragment::of(bytes)]
}

pub(super) fn strip_fragments(
    fragments: Vec<Fragment>,
    content: char,
    start: usize,
    stop: usize,
) -> Vec<Fragment> {
    let strip = |fragment: Fragment| {
        let range = super::plain::strip(fragment.as_bytes(), content, start, stop);
        if range.len() == fragment.as_bytes().len() {
            fragment
        } else {
            Fragment::of(fragment.as_bytes()[range].to_vec())
        }
    };
    fragments.into_iter().map(strip).collect()
}

/// Replaces inside of the valid parts of each fragment.
pub(super) fn replace_fragments(
    fragments: Vec<Fragment>,
    replace: impl Fn(String) -> Result<String>,
) -> Result<Vec<Fragment>> {
    let one = |fragment: Fragment| match fragment {
        Fragment::Text(text) => Ok(Fragment::Text(replace(text)?)),
        Fragment::Raw(raw) => {
            let mut bytes = Vec::with_capacity(raw.len());
            for chunk in raw.utf8_chunks() {
                if !chunk.valid().is_empty() {
                    bytes.extend_from_slice(replace(chunk.valid().to_owned())?.as_bytes());
                }
                bytes.extend_from_slice(chunk.invalid());
            }
            Ok(Fragment::of(bytes))
        }
    };
    fragments.into_iter().map(one).collect()
}
