//! A table by characters, of those that have a value.

use crate::error::Result;
use crate::flat::{Arrays, Plain, Shelf, misfit};

/// A value for each character that has one: pages of 256 characters, the page of defaults shared.
#[derive(Debug)]
pub struct CharTable<T> {
    /// Page of a character, by its code point over 256.
    page: Vec<u16>,
    values: Vec<T>,
    default: T,
}

const PAGE: usize = 256;

impl<T: Copy> CharTable<T> {
    pub fn new(default: T) -> Self {
        CharTable { page: vec![0; (char::MAX as usize + 1) / PAGE], values: vec![default; PAGE], default }
    }

    pub fn insert(&mut self, c: char, value: T) {
        let page = &mut self.page[c as usize / PAGE];
        if *page == 0 {
            *page = (self.values.len() / PAGE) as u16;
            self.values.resize(self.values.len() + PAGE, self.default);
        }
        self.values[*page as usize * PAGE + c as usize % PAGE] = value;
    }

    /// Puts the table down.
    pub(crate) fn put(&self, arrays: &mut Arrays)
    where
        T: Plain,
    {
        arrays.put(&self.page);
        arrays.put(&self.values);
    }

    /// Takes what was put; each value must be a `valid` one.
    pub(crate) fn take(shelf: &mut Shelf, default: T, valid: impl Fn(&T) -> bool) -> Result<Self>
    where
        T: Plain,
    {
        let (page, values) = (shelf.take::<u16>()?.to_vec(), shelf.take::<T>()?.to_vec());
        let is_whole = page.len() == (char::MAX as usize + 1) / PAGE
            && page.iter().all(|&page| (usize::from(page) + 1) * PAGE <= values.len())
            && values.iter().all(valid);
        if is_whole { Ok(CharTable { page, values, default }) } else { Err(misfit()) }
    }

    /// The character's value, or the default.
    #[inline]
    pub fn get(&self, c: char) -> T {
        self.of_code_point(c as usize)
    }

    /// The same by a number, which need not be a character's.
    #[inline]
    pub fn of_code_point(&self, code_point: usize) -> T {
        match self.page.get(code_point / PAGE) {
            Some(&page) => self.values[usize::from(page) * PAGE + code_point % PAGE],
            None => self.default,
        }
    }
}
