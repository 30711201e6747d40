//! Characters sorted into classes that no set of the pattern tells apart.
//!
//! A pattern needs 6 to 30 classes, so a class fits a byte and the automaton's rows stay short. Look-up is one
//! table of 128 entries for ASCII, and for the rest pages of 64 code points, which is what the last byte of
//! UTF-8 selects within.

use std::collections::HashMap;
use std::ops::Range;

use super::set::CharSet;
use crate::error::Result;
use crate::flat::{Arrays, Shelf, misfit};

/// Most classes of a pattern; one more symbol stands for the end of the text.
pub const MAX_CLASSES: usize = 250;

const PAGE_BITS: u32 = 6;
const PAGE: usize = 1 << PAGE_BITS;
const PAGES: usize = 0x11_0000 >> PAGE_BITS;

#[derive(Debug, Clone)]
pub struct Alphabet {
    pub classes: usize,
    ascii: [u8; 128],
    /// Code point / 64 to the start of its page in `entries`, divided by 64.
    pages: Vec<u16>,
    entries: Vec<u8>,
    inside: Option<Box<Inside>>,
}

/// Symbols of the bytes inside of characters, behind the classes of these, for who tells them apart.
#[derive(Debug, Clone)]
struct Inside {
    /// By the low bits of the byte.
    of_byte: [u8; 64],
    /// The first of them, and the one that most bytes are.
    first: u8,
    usual: u8,
}

impl Alphabet {
    /// The alphabet of some sets, and for each set which classes it holds.
    pub fn new(sets: &[&CharSet]) -> std::result::Result<(Alphabet, Vec<Vec<bool>>), String> {
        // Every code point where some set starts or stops, with the sets that change there.
        let mut changes: Vec<(u32, usize)> = Vec::new();
        for (index, set) in sets.iter().enumerate() {
            for range in set.ranges() {
                changes.push((range.start() as u32, index));
                changes.push((range.end() as u32 + 1, index));
            }
        }
        changes.sort_unstable();
        let mut signature = vec![0u64; sets.len().div_ceil(64)];
        let mut known: HashMap<Vec<u64>, u8> = HashMap::new();
        let mut members: Vec<Vec<bool>> = vec![Vec::new(); sets.len()];
        // Sorted stretches of code points of the same class.
        let mut stretches: Vec<(u32, u8)> = Vec::new();
        let mut next_change = 0;
        let mut code = 0;
        while code < 0x11_0000 {
            while let Some(&(at, index)) = changes.get(next_change)
                && at == code
            {
                signature[index / 64] ^= 1 << (index % 64);
                next_change += 1;
            }
            let class = match known.get(&signature) {
                Some(&class) => class,
                None => {
                    if known.len() == MAX_CLASSES {
                        return Err(format!("more than {MAX_CLASSES} character classes"));
                    }
                    for (index, members) in members.iter_mut().enumerate() {
                        members.push(signature[index / 64] >> (index % 64) & 1 == 1);
                    }
                    known.insert(signature.clone(), known.len() as u8);
                    known.len() as u8 - 1
                }
            };
            stretches.push((code, class));
            code = changes.get(next_change).map_or(0x11_0000, |&(at, _)| at.min(0x11_0000));
        }
        Ok((Self::tabulate(known.len(), &stretches), members))
    }

    fn tabulate(classes: usize, stretches: &[(u32, u8)]) -> Alphabet {
        let mut pages = Vec::with_capacity(PAGES);
        let mut entries: Vec<u8> = Vec::new();
        let mut seen: HashMap<[u8; PAGE], u16> = HashMap::new();
        // Most pages are of one class; those are found without hashing.
        let mut uniform: Vec<Option<u16>> = vec![None; classes];
        let mut stretch = 0;
        let mut ascii = [0; 128];
        for number in 0..PAGES as u32 {
            let first = number << PAGE_BITS;
            while stretches.get(stretch + 1).is_some_and(|&(start, _)| start <= first) {
                stretch += 1;
            }
            let class = stretches[stretch].1;
            let is_uniform =
                stretches.get(stretch + 1).is_none_or(|&(start, _)| start >= first + PAGE as u32);
            if is_uniform
                && number >= 2
                && let Some(index) = uniform[usize::from(class)]
            {
                pages.push(index);
                continue;
            }
            let mut page = [class; PAGE];
            let mut inner = stretch + 1;
            while let Some(&(start, class)) = stretches.get(inner)
                && start < first + PAGE as u32
            {
                page[(start - first) as usize..].fill(class);
                inner += 1;
            }
            if number < 2 {
                ascii[first as usize..first as usize + PAGE].copy_from_slice(&page);
            }
            let index = *seen.entry(page).or_insert_with(|| {
                entries.extend_from_slice(&page);
                (entries.len() / PAGE - 1) as u16
            });
            if is_uniform {
                uniform[usize::from(class)] = Some(index);
            }
            pages.push(index);
        }
        Alphabet { classes, ascii, pages, entries, inside: None }
    }

    /// Gives bytes inside of characters symbols of their own, behind the classes: the byte with these low bits is of one of some kinds.
    pub fn tell_inside(&mut self, kinds: &[u8; 64]) -> std::result::Result<(), String> {
        let (first, most) = (self.classes, kinds.iter().max().map_or(0, |&kind| usize::from(kind) + 1));
        self.widen(first + most)?;
        let bytes_of = |kind: u8| kinds.iter().filter(|&&of| of == kind).count();
        let usual = (0..most as u8).max_by_key(|&kind| bytes_of(kind)).unwrap_or(0);
        let symbol = |kind: u8| first as u8 + kind;
        let of_byte = kinds.map(symbol);
        self.inside = Some(Box::new(Inside { of_byte, first: first as u8, usual: symbol(usual) }));
        Ok(())
    }

    /// The symbol of most bytes inside of characters: where they are not told apart, that for the end of the text.
    pub fn inner(&self) -> u8 {
        self.inside.as_ref().map_or(self.end(), |inside| inside.usual)
    }

    /// Symbols from here on are of bytes inside of characters.
    pub fn first_inner(&self) -> usize {
        self.inside.as_ref().map_or(self.classes, |inside| usize::from(inside.first))
    }

    /// The symbols of bytes inside of characters by their low bits, if they differ.
    pub fn told_inside(&self) -> Option<&[u8; 64]> {
        let inside = self.inside.as_deref()?;
        inside.of_byte.iter().any(|&symbol| symbol != inside.usual).then_some(&inside.of_byte)
    }

    /// Makes room for symbols that are none of its classes: some characters at some places.
    pub fn widen(&mut self, symbols: usize) -> std::result::Result<(), String> {
        if symbols > MAX_CLASSES {
            return Err(format!("more than {MAX_CLASSES} characters that are told apart"));
        }
        self.classes = symbols;
        Ok(())
    }

    /// Puts the finished alphabet down.
    pub fn put(&self, arrays: &mut Arrays) {
        arrays.numbers(&[self.classes as u64]);
        arrays.put(&self.ascii);
        arrays.put(&self.pages);
        arrays.put(&self.entries);
    }

    /// Takes what was put.
    pub fn take(shelf: &mut Shelf) -> Result<Alphabet> {
        let classes = shelf.number()? as usize;
        let ascii = shelf.array()?;
        let (pages, entries) = (shelf.take::<u16>()?.to_vec(), shelf.take::<u8>()?.to_vec());
        let is_class = |&class: &u8| usize::from(class) < classes;
        let is_whole = classes <= MAX_CLASSES
            && pages.len() == PAGES
            && pages.iter().all(|&page| (usize::from(page) + 1) * PAGE <= entries.len())
            && ascii.iter().chain(&entries).all(is_class);
        if is_whole { Ok(Alphabet { classes, ascii, pages, entries, inside: None }) } else { Err(misfit()) }
    }

    /// The classes of some code points, from a multiple of 64 to another, each at least once.
    pub fn wide_classes(&self, codes: Range<u32>) -> impl Iterator<Item = u8> + '_ {
        let [from, to] = [codes.start, codes.end].map(|code| (code >> PAGE_BITS) as usize);
        let mut pages = self.pages[from..to].to_vec();
        // Neighbours are mostly of the same page.
        pages.dedup();
        pages.sort_unstable();
        pages.dedup();
        pages.into_iter().flat_map(|page| {
            let start = usize::from(page) << PAGE_BITS;
            self.entries[start..start + PAGE].iter().copied()
        })
    }

    /// The symbol for the end of the text; the class numbers end just below it.
    pub fn end(&self) -> u8 {
        self.classes as u8
    }

    /// The classes of ASCII characters.
    pub fn ascii(&self) -> &[u8; 128] {
        &self.ascii
    }

    #[inline(always)]
    pub fn of_ascii(&self, byte: u8) -> u8 {
        self.ascii[usize::from(byte & 127)]
    }

    /// The class and the length in bytes of the character that starts at `at`, which is not ASCII.
    #[inline(always)]
    pub fn of_wide(&self, bytes: &[u8], at: usize) -> (u8, usize) {
        let four = match bytes.get(at..).and_then(|rest| rest.first_chunk::<4>()) {
            Some(four) => *four,
            None => last_four(bytes, at),
        };
        let byte = |offset: usize| u32::from(four[offset]);
        let lead = byte(0);
        let (page, low, length) = if lead < 0xE0 {
            (lead & 0x1F, byte(1), 2)
        } else if lead < 0xF0 {
            ((lead & 0x0F) << 6 | byte(1) & 63, byte(2), 3)
        } else {
            ((lead & 0x07) << 12 | (byte(1) & 63) << 6 | byte(2) & 63, byte(3), 4)
        };
        let start = usize::from(self.pages.get(page as usize).copied().unwrap_or(0)) << PAGE_BITS;
        (self.entries[start | (low & 63) as usize], length)
    }

    /// The class and length of the character at `at`; the end symbol with length 0 at the end.
    #[inline(always)]
    pub fn at(&self, bytes: &[u8], at: usize) -> (u8, usize) {
        match bytes.get(at) {
            None => (self.end(), 0),
            Some(&byte) if byte < 128 => (self.of_ascii(byte), 1),
            Some(_) => self.of_wide(bytes, at),
        }
    }
}

/// Four bytes near the end of a text. It is valid UTF-8, so what is needed is there, and the rest is zero.
#[cold]
fn last_four(bytes: &[u8], at: usize) -> [u8; 4] {
    std::array::from_fn(|offset| bytes.get(at + offset).copied().unwrap_or(0))
}
