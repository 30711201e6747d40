//! Snapshots: a tokenizer with its finished tables, ready to run when the file is mapped.
//!
//! Other formats tell what a tokenizer is, and reading them means making its tables: the index of its vocabulary, its merges, the
//! automaton of its pattern. A snapshot holds those as they lie in memory, behind a description of all the rest. So it belongs to
//! the release that wrote it and to machines with the same order of bytes, and is refused by all others. It is no format to keep
//! a tokenizer in, but one to start with.
//!
//! The first 64 bytes never change their meaning. Numbers in them begin with their lowest byte, except the third field:
//!
//! | bytes | what |
//! |---|---|
//! | 0 to 7 | [`MAGIC`], which a transfer as text would spoil |
//! | 8 to 11 | the [`LAYOUT`] of what follows |
//! | 12 to 15 | [`ORDER`], in the order of bytes of the machine that wrote it, like all behind the first 64 bytes |
//! | 16 to 19 | how many arrays there are |
//! | 20 to 23 | CRC-32 of all behind the first 64 bytes |
//! | 24 to 31 | length of the file |
//! | 32 to 59 | the release that wrote it, filled up with zeros |
//! | 60 to 63 | CRC-32 of the bytes before |
//!
//! Then come four numbers of 64 bits for each array (its first byte, its length, the bytes of an item, and a zero), and the arrays,
//! each at a multiple of 64 bytes: what stood beside the tokenizer, the description in parts, the vocabulary and the merges, and
//! what [`Tokenizer::put`] puts. Models and stages that have no form of their own there are made again from the
//! description.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use tessella_core::flat::{Arrays, Image, Shelf};
use tessella_core::spec::{Merges, ModelSpec, Vocab};
use tessella_core::{Error, Result, Tokenizer, TokenizerSpec};

use crate::atomic::{self, io_error};
use crate::hf::Resolver;
use crate::packed::{Packed, Whole};

/// The first bytes of every snapshot.
pub const MAGIC: &[u8] = b"\x89TSNAP\r\n";
/// Counts changes of what follows the first 64 bytes, of the tables in the core as well.
const LAYOUT: u32 = 4;
const ORDER: u32 = 0x0A0B_0C0D;
const RELEASE: &str = env!("CARGO_PKG_VERSION");
const _: () = assert!(RELEASE.len() <= 28, "it has this much room in the header");
/// Bytes of the beginning, and what arrays begin at a multiple of: a line of the processor's cache.
const HEADER: usize = 64;
const ENTRY: usize = 4 * size_of::<u64>();

/// What a tokenizer has beside it, as a folder has it in files: two settings as JSON, a chat template, and named ones.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
#[allow(missing_docs)] // They are named as their files are.
pub struct Beside {
    pub config: Option<String>,
    pub special_tokens_map: Option<String>,
    pub chat_template: Option<String>,
    pub chat_templates: Vec<(String, String)>,
}

/// A tokenizer that is ready to run.
#[derive(Debug)]
pub struct Snapshot {
    /// The tokenizer.
    pub tokenizer: Tokenizer,
    /// What it had beside it.
    pub beside: Beside,
}

/// The content of a snapshot.
pub fn to_bytes(spec: &TokenizerSpec, beside: &Beside) -> Result<Vec<u8>> {
    let mut arrays = Arrays::default();
    put_beside(beside, &mut arrays);
    let mut bare = spec.clone();
    let vocab = bare.model.vocab_mut().map(std::mem::take);
    let merges = match &mut bare.model {
        ModelSpec::Bpe(model) => match &mut model.merges {
            Merges::Pairs(merges) => Some(std::mem::take(merges)),
            Merges::ConcatRank => None,
        },
        _ => None,
    };
    put_whole(&Whole::of(&bare)?, &mut arrays);
    arrays.numbers(&[vocab.is_some().into(), merges.is_some().into()]);
    if let Some(vocab) = vocab {
        vocab.put(&mut arrays);
    }
    if let Some(merges) = merges {
        arrays.pairs(&merges);
    }
    Tokenizer::new(spec.clone())?.put(&mut arrays);
    Ok(joined(arrays))
}

/// Maps a snapshot. As long as the tokenizer lives, the file must not be cut off or written into; to put another in its place, as
/// writing one does, is fine.
pub fn from_path(path: &Path, resolver: Resolver<'_>) -> Result<Snapshot> {
    let file: File = atomic::open(path)?;
    let failed = |error| io_error(path, "reading", error);
    let length = usize::try_from(file.metadata().map_err(failed)?.len()).map_err(|_| too_long())?;
    read(Image::map(file, length).map_err(failed)?, resolver)
}

/// Reads a snapshot from memory.
pub fn from_bytes(bytes: &[u8], resolver: Resolver<'_>) -> Result<Snapshot> {
    read(Image::read(bytes, bytes.len())?, resolver)
}

fn joined(arrays: Arrays) -> Vec<u8> {
    let arrays = arrays.finish();
    let mut places = Vec::with_capacity(arrays.len());
    let mut end = (HEADER + arrays.len() * ENTRY).next_multiple_of(HEADER);
    for array in &arrays {
        places.push(end);
        end = (end + array.bytes.len()).next_multiple_of(HEADER);
    }
    let mut content = vec![0; end];
    for (number, (array, &place)) in arrays.iter().zip(&places).enumerate() {
        let entry = [place as u64, array.bytes.len() as u64, array.item.into(), 0];
        for (at, word) in (HEADER + number * ENTRY..).step_by(size_of::<u64>()).zip(entry) {
            content[at..at + size_of::<u64>()].copy_from_slice(&word.to_ne_bytes());
        }
        content[place..place + array.bytes.len()].copy_from_slice(&array.bytes);
    }
    content[..8].copy_from_slice(MAGIC);
    content[8..12].copy_from_slice(&LAYOUT.to_le_bytes());
    content[12..16].copy_from_slice(&ORDER.to_ne_bytes());
    content[16..20].copy_from_slice(&(arrays.len() as u32).to_le_bytes());
    let sum = crc32fast::hash(&content[HEADER..]);
    content[20..24].copy_from_slice(&sum.to_le_bytes());
    content[24..32].copy_from_slice(&(end as u64).to_le_bytes());
    content[32..32 + RELEASE.len()].copy_from_slice(RELEASE.as_bytes());
    let sum = crc32fast::hash(&content[..60]);
    content[60..64].copy_from_slice(&sum.to_le_bytes());
    content
}

fn again(what: impl std::fmt::Display) -> Error {
    Error::format(format!("{what}; write it again with `save_snapshot`, from the tokenizer's own file"))
}

fn too_long() -> Error {
    again("this snapshot is longer than this machine can address")
}

/// The arrays of a snapshot, once all that can be wrong with it is looked for.
fn shelf(image: Image) -> Result<Shelf> {
    let content = image.bytes();
    if !content.starts_with(MAGIC) {
        return Err(Error::format("this is no snapshot: it does not begin with the byte 0x89 and `TSNAP`"));
    }
    let Some(header) = content.first_chunk::<HEADER>() else {
        return Err(again(format!("this snapshot is cut off: it has {} bytes", content.len())));
    };
    let word = |at: usize| [header[at], header[at + 1], header[at + 2], header[at + 3]];
    let number = |at: usize| u32::from_le_bytes(word(at));
    let sum = crc32fast::hash(&header[..60]);
    if sum != number(60) {
        return Err(again(format!(
            "the first 64 bytes of this snapshot are damaged: their check sum is {sum:08x} instead of {:08x}",
            number(60)
        )));
    }
    let release = String::from_utf8_lossy(&header[32..60]);
    let release = release.trim_end_matches('\0');
    if number(8) != LAYOUT || release != RELEASE {
        return Err(again(format!(
            "this snapshot was written by Tessella {release} (layout {}) and is of no use to Tessella {RELEASE} (layout {LAYOUT}), \
             for it holds tables as they lie in memory",
            number(8)
        )));
    }
    if word(12) != ORDER.to_ne_bytes() {
        return Err(again("this snapshot was written on a machine with another order of bytes"));
    }
    let length = u64::from(number(24)) | u64::from(number(28)) << 32;
    if content.len() as u64 != length {
        let what = if (content.len() as u64) < length { "is cut off" } else { "goes on behind its end" };
        return Err(again(format!("this snapshot {what}: it has {} of {length} bytes", content.len())));
    }
    let sum = crc32fast::hash(&content[HEADER..]);
    if sum != number(20) {
        return Err(again(format!(
            "this snapshot is damaged: the check sum of its tables is {sum:08x} instead of {:08x}",
            number(20)
        )));
    }
    let entry = |number: usize| {
        let mut words = content.get(HEADER + number * ENTRY..)?.get(..ENTRY)?.chunks_exact(size_of::<u64>());
        let mut word = || words.next().and_then(|word| Some(u64::from_ne_bytes(word.try_into().ok()?)));
        let (start, length) = (usize::try_from(word()?).ok()?, usize::try_from(word()?).ok()?);
        Some((start..start.checked_add(length)?, u32::try_from(word()?).ok()?))
    };
    let places = (0..number(16) as usize).map(entry).collect::<Option<Vec<_>>>();
    let places = places.ok_or_else(|| again("this snapshot is damaged: its list of tables does not end"))?;
    Ok(Shelf::new(image, places))
}

fn read(image: Image, resolver: Resolver<'_>) -> Result<Snapshot> {
    let mut shelf = shelf(image)?;
    let beside = take_beside(&mut shelf)?;
    let mut spec = take_whole(&mut shelf)?.spec(resolver)?;
    let [has_vocab, has_merges] = shelf.numbers()?;
    if has_vocab != 0 {
        let vocab = Vocab::take(&mut shelf)?;
        *spec.model.vocab_mut().ok_or_else(strange)? = Arc::new(vocab);
    }
    if has_merges != 0 {
        let ModelSpec::Bpe(model) = &mut spec.model else { return Err(strange()) };
        model.merges = Merges::Pairs(Arc::new(shelf.pairs()?));
    }
    let tokenizer = Tokenizer::taking(spec, &mut shelf)?;
    shelf.end()?;
    Ok(Snapshot { tokenizer, beside })
}

fn strange() -> Error {
    again("the parts of this snapshot do not fit together")
}

/// Some texts: their lengths, and then all in one.
fn put_texts<'t>(texts: impl IntoIterator<Item = &'t str>, arrays: &mut Arrays) {
    let (mut lengths, mut all) = (Vec::new(), Vec::new());
    for text in texts {
        lengths.push(text.len() as u64);
        all.extend_from_slice(text.as_bytes());
    }
    arrays.numbers(&lengths);
    arrays.bytes(&all);
}

fn take_texts(shelf: &mut Shelf) -> Result<Vec<String>> {
    let lengths = shelf.all_numbers()?;
    let all = shelf.text()?;
    let mut rest = all.as_str();
    let mut texts = Vec::with_capacity(lengths.len());
    for length in lengths {
        let at = usize::try_from(length).map_err(|_| strange())?;
        let (text, behind) = rest.split_at_checked(at).ok_or_else(strange)?;
        texts.push(text.to_string());
        rest = behind;
    }
    Ok(texts)
}

fn put_beside(beside: &Beside, arrays: &mut Arrays) {
    let single = [&beside.config, &beside.special_tokens_map, &beside.chat_template];
    arrays.numbers(&single.map(|text| u64::from(text.is_some())));
    put_texts(single.into_iter().flatten().map(String::as_str), arrays);
    put_texts(beside.chat_templates.iter().flat_map(|(name, text)| [name.as_str(), text]), arrays);
}

fn take_beside(shelf: &mut Shelf) -> Result<Beside> {
    let is_there = shelf.numbers::<3>()?;
    let mut single = take_texts(shelf)?.into_iter();
    let mut text = |there: u64| match there {
        0 => Ok(None),
        _ => single.next().map(Some).ok_or_else(strange),
    };
    let [config, special_tokens_map, chat_template] =
        [text(is_there[0])?, text(is_there[1])?, text(is_there[2])?];
    let named = take_texts(shelf)?;
    let (pairs, odd) = named.as_chunks::<2>();
    if single.next().is_some() || !odd.is_empty() {
        return Err(strange());
    }
    let chat_templates = pairs.iter().map(|[name, template]| (name.clone(), template.clone())).collect();
    Ok(Beside { config, special_tokens_map, chat_template, chat_templates })
}

/// A description without its tables: what kind each part is of, its bytes, and the lists.
fn put_whole(whole: &Whole, arrays: &mut Arrays) {
    let optional = [&whole.normalizer, &whole.pre_tokenizer, &whole.post_processor, &whole.decoder];
    for part in [Some(&whole.model)].into_iter().chain(optional.map(Option::as_ref)) {
        let (kind, bytes): (u64, &[u8]) = match part {
            None => (0, &[]),
            Some(Packed::Json(json)) => (1, json.as_bytes()),
            Some(Packed::SentencePiece(bytes)) => (2, bytes),
            Some(Packed::WideSums(bytes)) => (3, bytes),
            Some(Packed::Own) => (4, &[]),
            Some(Packed::Ranks(json)) => (5, json.as_bytes()),
        };
        arrays.numbers(&[kind]);
        arrays.bytes(bytes);
    }
    put_texts(whole.added_tokens.iter().map(String::as_str), arrays);
    put_texts([whole.settings.as_str()], arrays);
    put_texts(whole.import_paths.iter().map(String::as_str), arrays);
}

fn take_whole(shelf: &mut Shelf) -> Result<Whole> {
    let part = |shelf: &mut Shelf| -> Result<Option<Packed>> {
        let kind = shelf.number()?;
        Ok(Some(match kind {
            0 => {
                shelf.bytes()?;
                return Ok(None);
            }
            1 => Packed::Json(shelf.text()?),
            2 => Packed::SentencePiece(shelf.bytes()?),
            3 => Packed::WideSums(shelf.bytes()?),
            4 => {
                shelf.bytes()?;
                Packed::Own
            }
            5 => Packed::Ranks(shelf.text()?),
            _ => return Err(strange()),
        }))
    };
    Ok(Whole {
        model: part(shelf)?.ok_or_else(strange)?,
        normalizer: part(shelf)?,
        pre_tokenizer: part(shelf)?,
        post_processor: part(shelf)?,
        decoder: part(shelf)?,
        added_tokens: take_texts(shelf)?,
        settings: take_texts(shelf)?.pop().ok_or_else(strange)?,
        import_paths: take_texts(shelf)?,
    })
}
