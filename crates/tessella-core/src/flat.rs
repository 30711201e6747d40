//! Large tables as plain arrays, which can lie in memory of their own or in a file that is mapped.
//!
//! A [`Flat`] is a `Vec` that may borrow: what it borrows from is an [`Image`], the bytes of a file, which lives as long as
//! any array in it. Reading costs what reading a slice costs; who changes an array that is borrowed gets a copy first.
//!
//! Tables are written into [`Arrays`] one after the other, and taken off a [`Shelf`] in the same order. Arrays keep the
//! order of bytes of the machine that wrote them: whoever stores them says which it was, and refuses others.
//!
//! This file may hold `unsafe` code, like `lanes`: an array in a file is a pointer into its bytes, and mapping a file is a
//! promise that nobody else cuts it off or writes into it meanwhile. Who maps passes the promise on to whoever owns
//! the file.

#![allow(unsafe_code)]

use std::fs::File;
use std::io::Read;
use std::ops::{Deref, DerefMut, Range};
use std::sync::Arc;

use crate::error::{Error, Result};

mod ahead;
#[cfg(unix)]
mod mapped;
mod pages;
mod room;

pub use ahead::{large_pages_for, prefetch, with_large_pages};
pub use pages::{copy_of, full_of, make_room, pages_for, with_pages, zeros};
pub(crate) use room::{BYTES, LINE, Room, TwoSlots};

mod plain {
    /// Numbers and arrays of them: every pattern of bits is a value, and none of its bytes is padding.
    ///
    /// # Safety
    ///
    /// That must be so.
    pub unsafe trait Plain: Copy + Send + Sync + 'static {}
    // SAFETY: these are numbers, and an array has no padding between its elements.
    unsafe impl Plain for u8 {}
    // SAFETY: as above.
    unsafe impl Plain for u16 {}
    // SAFETY: as above.
    unsafe impl Plain for u32 {}
    // SAFETY: as above.
    unsafe impl Plain for u64 {}
    // SAFETY: as above.
    unsafe impl Plain for [u16; 2] {}
    // SAFETY: as above.
    unsafe impl Plain for [u32; 2] {}
    // SAFETY: as above.
    unsafe impl Plain for [u64; 2] {}
}
pub(crate) use plain::Plain;

/// The bytes that a value lies in.
fn bytes_of<T: Plain>(items: &[T]) -> &[u8] {
    // SAFETY: the items are initialized without padding, and the bytes are borrowed as long as they are.
    unsafe { std::slice::from_raw_parts(items.as_ptr().cast(), size_of_val(items)) }
}

/// An array in memory of its own, or in an [`Image`].
pub(crate) struct Flat<T: Plain>(Place<T>);

enum Place<T> {
    Owned(Vec<T>),
    Shared(Shared<T>),
}

/// Items in the bytes of an image, which stay where they are as long as it lives.
struct Shared<T> {
    start: *const T,
    length: usize,
    image: Arc<Image>,
}

// SAFETY: nobody writes to the bytes of an image, so threads may read them together.
unsafe impl<T: Plain> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T: Plain> Sync for Shared<T> {}

impl<T: Plain> Flat<T> {
    /// The items as a vector: a copy, if they are in an image.
    pub fn to_mut(&mut self) -> &mut Vec<T> {
        if !matches!(self.0, Place::Owned(_)) {
            self.0 = Place::Owned(self.to_vec());
        }
        match &mut self.0 {
            Place::Owned(items) => items,
            Place::Shared(_) => unreachable!("it was just copied"),
        }
    }
}

impl<T: Plain> Deref for Flat<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        match &self.0 {
            Place::Owned(items) => items,
            // SAFETY: `Shelf::take` found the place aligned and inside of the image's bytes, which live as long as `self`.
            Place::Shared(shared) => unsafe { std::slice::from_raw_parts(shared.start, shared.length) },
        }
    }
}

impl<T: Plain> DerefMut for Flat<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        self.to_mut()
    }
}

impl<T: Plain> From<Vec<T>> for Flat<T> {
    fn from(items: Vec<T>) -> Self {
        Flat(Place::Owned(items))
    }
}

impl<T: Plain> Default for Flat<T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<T: Plain> Clone for Flat<T> {
    fn clone(&self) -> Self {
        match &self.0 {
            Place::Owned(_) => self.to_vec().into(),
            Place::Shared(Shared { start, length, image }) => {
                Flat(Place::Shared(Shared { start: *start, length: *length, image: image.clone() }))
            }
        }
    }
}

impl<T: Plain> std::fmt::Debug for Flat<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let place = match self.0 {
            Place::Owned(_) => "of its own",
            Place::Shared(_) => "in an image",
        };
        write!(f, "{} items, {place}", self.len())
    }
}

/// The bytes of a file, at an address that suits every item.
#[derive(Debug)]
pub struct Image(Bytes);

#[derive(Debug)]
enum Bytes {
    /// The words that hold so many bytes.
    Read(Vec<u64>, usize),
    #[cfg(unix)]
    Mapped(mapped::Mapped),
}

impl Image {
    /// Maps a file of so many bytes, which nobody may cut off or write into as long as the image lives; to put another
    /// one in its place is fine. Where files are not mapped, it is read.
    pub fn map(file: File, length: usize) -> std::io::Result<Image> {
        #[cfg(unix)]
        if length > 0 {
            // Some file systems map nothing.
            if let Some(mapped) = mapped::Mapped::file(&file, length) {
                return Ok(Image(Bytes::Mapped(mapped)));
            }
        }
        Image::read(file, length)
    }

    /// Reads so many bytes.
    pub fn read(source: impl Read, length: usize) -> std::io::Result<Image> {
        let image = Image::read_all(source.take(length as u64), length)?;
        match image.bytes().len() == length {
            true => Ok(image),
            false => Err(std::io::ErrorKind::UnexpectedEof.into()),
        }
    }

    /// Reads all that comes, which is likely to be so many bytes.
    pub fn read_all(mut source: impl Read, likely: usize) -> std::io::Result<Image> {
        let words = likely.div_ceil(size_of::<u64>());
        let (mut words, mut length) = (zeros::<u64>(words), 0);
        // SAFETY: these are bytes of the words, which any value suits.
        let place = unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast::<u8>(), likely) };
        while length < likely {
            match source.read(&mut place[length..]) {
                Ok(0) => return Ok(Image(Bytes::Read(words, length))),
                Ok(read) => length += read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let mut more = Vec::new();
        source.read_to_end(&mut more)?;
        if more.is_empty() {
            return Ok(Image(Bytes::Read(words, length)));
        }
        let all = [&*place, &more].concat();
        Image::read_all(all.as_slice(), all.len())
    }

    /// What is in the file.
    pub fn bytes(&self) -> &[u8] {
        match &self.0 {
            Bytes::Read(words, length) => &bytes_of(words)[..*length],
            #[cfg(unix)]
            Bytes::Mapped(mapped) => mapped.bytes(),
        }
    }
}

/// An array as it is written: the bytes of its items, and how many each has.
#[derive(Debug)]
pub struct Array {
    /// One item after the other.
    pub bytes: Vec<u8>,
    /// Bytes of an item.
    pub item: u32,
}

/// Tables that are written, as arrays one after the other.
#[derive(Debug, Default)]
pub struct Arrays(Vec<Array>);

impl Arrays {
    pub(crate) fn put<T: Plain>(&mut self, items: &[T]) {
        self.0.push(Array { bytes: bytes_of(items).to_vec(), item: size_of::<T>() as u32 });
    }

    /// Single numbers.
    pub fn numbers(&mut self, numbers: &[u64]) {
        self.put(numbers);
    }

    /// Bytes, of a text for one.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.put(bytes);
    }

    /// Pairs of numbers.
    pub fn pairs(&mut self, pairs: &[(u32, u32)]) {
        self.put(&pairs.iter().map(|&(left, right)| [left, right]).collect::<Vec<_>>());
    }

    /// What was put, in order.
    pub fn finish(self) -> Vec<Array> {
        self.0
    }
}

/// What is wrong with arrays that are not what their reader wrote: a sum over the bytes finds damage before.
pub(crate) fn misfit() -> Error {
    Error::format("its tables do not fit together: something else than Tessella wrote it")
}

/// Arrays in an image, taken in the order in which they were put.
#[derive(Debug)]
pub struct Shelf {
    image: Arc<Image>,
    /// Where each is, and the bytes of an item.
    places: std::vec::IntoIter<(Range<usize>, u32)>,
}

impl Shelf {
    /// The arrays at these places of an image: their bytes, and the bytes of an item.
    pub fn new(image: Image, places: Vec<(Range<usize>, u32)>) -> Shelf {
        Shelf { image: Arc::new(image), places: places.into_iter() }
    }

    pub(crate) fn take<T: Plain>(&mut self) -> Result<Flat<T>> {
        let (range, item) = self.places.next().ok_or_else(misfit)?;
        let bytes = self.image.bytes().get(range).ok_or_else(misfit)?;
        let start: *const T = bytes.as_ptr().cast();
        let size = size_of::<T>();
        if item as usize != size || bytes.len() % size != 0 || !start.is_aligned() {
            return Err(misfit());
        }
        let shared = Shared { start, length: bytes.len() / size, image: self.image.clone() };
        Ok(Flat(Place::Shared(shared)))
    }

    pub(crate) fn array<T: Plain, const N: usize>(&mut self) -> Result<[T; N]> {
        self.take::<T>()?[..].try_into().map_err(|_| misfit())
    }

    /// As many numbers as are asked for.
    pub fn numbers<const N: usize>(&mut self) -> Result<[u64; N]> {
        self.array()
    }

    /// However many numbers there are.
    pub fn all_numbers(&mut self) -> Result<Vec<u64>> {
        Ok(self.take::<u64>()?.to_vec())
    }

    /// One number.
    pub fn number(&mut self) -> Result<u64> {
        self.numbers::<1>().map(|[number]| number)
    }

    /// Bytes.
    pub fn bytes(&mut self) -> Result<Vec<u8>> {
        Ok(self.take::<u8>()?.to_vec())
    }

    /// A text.
    pub fn text(&mut self) -> Result<String> {
        String::from_utf8(self.bytes()?).map_err(|_| misfit())
    }

    /// Pairs of numbers.
    pub fn pairs(&mut self) -> Result<Vec<(u32, u32)>> {
        Ok(self.take::<[u32; 2]>()?.iter().map(|&[left, right]| (left, right)).collect())
    }

    /// Fails if something is left.
    pub fn end(mut self) -> Result<()> {
        if self.places.next().is_none() { Ok(()) } else { Err(misfit()) }
    }
}

#[cfg(test)]
mod tests {
    use super::ahead::LARGE_PAGE;
    use super::*;

    /// A shelf of what was put, in an image that was read.
    pub(crate) fn shelf_of(arrays: Arrays) -> Shelf {
        let mut bytes = Vec::new();
        let places = arrays.finish().into_iter().map(|array| {
            bytes.resize(bytes.len().next_multiple_of(8), 0);
            let start = bytes.len();
            bytes.extend_from_slice(&array.bytes);
            (start..bytes.len(), array.item)
        });
        let places = places.collect();
        let length = bytes.len();
        Shelf::new(Image::read(bytes.as_slice(), length).unwrap(), places)
    }

    #[test]
    fn what_is_put_is_taken() {
        let mut arrays = Arrays::default();
        arrays.put(&[1u16, 2, 3]);
        arrays.numbers(&[7]);
        arrays.bytes("é".as_bytes());
        arrays.pairs(&[(1, 2), (3, 4)]);
        let mut shelf = shelf_of(arrays);
        let mut items: Flat<u16> = shelf.take().unwrap();
        let same = items.clone();
        items.to_mut().push(4);
        items[0] = 9;
        assert_eq!((&items[..], &same[..]), ([9, 2, 3, 4].as_slice(), [1, 2, 3].as_slice()));
        assert_eq!(shelf.number().unwrap(), 7);
        assert_eq!(shelf.text().unwrap(), "é");
        assert_eq!(shelf.pairs().unwrap(), [(1, 2), (3, 4)]);
        shelf.end().unwrap();
    }

    #[test]
    fn a_source_is_read_whole_whatever_was_thought_of_its_length() {
        for length in [0, 5, 1000, LARGE_PAGE - 1, LARGE_PAGE / 2 * 3] {
            let bytes: Vec<u8> = (0..length).map(|at| (at * 7 % 251) as u8).collect();
            for likely in [0, 5, length, length + 1, LARGE_PAGE] {
                assert_eq!(Image::read_all(bytes.as_slice(), likely).unwrap().bytes(), bytes);
                assert_eq!(Image::read(bytes.as_slice(), likely).is_ok(), likely <= length);
            }
        }
    }

    #[test]
    fn what_is_something_else_is_refused() {
        let mut arrays = Arrays::default();
        arrays.put(&[1u16, 2, 3]);
        arrays.put(&[1u64, 2]);
        arrays.bytes(&[0xFF]);
        let mut shelf = shelf_of(arrays);
        assert!(shelf.take::<u32>().is_err());
        assert!(shelf.number().is_err());
        assert!(shelf.text().is_err());
        assert!(shelf.number().is_err());
    }

    #[cfg(unix)]
    #[test]
    #[cfg_attr(miri, ignore = "an interpreter maps no files")]
    fn a_mapped_file_outlives_its_name() {
        let path = std::env::temp_dir().join(format!("tessella-flat-{}", std::process::id()));
        std::fs::write(&path, 5u64.to_ne_bytes()).unwrap();
        let image = Image::map(File::open(&path).unwrap(), 8).unwrap();
        std::fs::remove_file(&path).unwrap();
        let mut shelf = Shelf::new(image, vec![(0..8, 8), (4..12, 8), (1..9, 8)]);
        let numbers: Flat<u64> = shelf.take().unwrap();
        // Beyond the end, and at no address for such numbers.
        assert!(shelf.take::<u64>().is_err());
        assert!(shelf.take::<u64>().is_err());
        drop(shelf);
        assert_eq!(numbers[..], [5]);
    }
}
