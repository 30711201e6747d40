//! A value for each character, without hashing: pages of 256 code points, made when they are needed.
//!
//! Text of any language keeps to few pages, so what is asked for again and again lies close together.

const PAGE: usize = 256;

/// Values by character; what was never set is the default.
#[derive(Debug, Clone, Default)]
pub(crate) struct ByCharacter<T> {
    /// Empty where nothing was set.
    pages: Vec<Vec<T>>,
}

impl<T: Copy + Default> ByCharacter<T> {
    pub(crate) fn new() -> Self {
        ByCharacter { pages: Vec::new() }
    }

    #[inline]
    pub(crate) fn get(&self, c: char) -> T {
        let (page, place) = (c as usize / PAGE, c as usize % PAGE);
        self.pages.get(page).and_then(|page| page.get(place)).copied().unwrap_or_default()
    }

    #[inline]
    pub(crate) fn at(&mut self, c: char) -> &mut T {
        let (page, place) = (c as usize / PAGE, c as usize % PAGE);
        if self.pages.get(page).is_none_or(|page| page.is_empty()) {
            self.add_page(page);
        }
        &mut self.pages[page][place]
    }

    #[cold]
    fn add_page(&mut self, page: usize) {
        if self.pages.len() <= page {
            self.pages.resize(page + 1, Vec::new());
        }
        self.pages[page] = vec![T::default(); PAGE];
    }

    /// All characters of the pages that there are, by code point.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (char, T)> + '_ {
        self.pages.iter().enumerate().flat_map(|(page, values)| {
            let codes = (page * PAGE) as u32..;
            codes.zip(values).filter_map(|(code, &value)| Some((char::from_u32(code)?, value)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_set_is_there_and_nothing_else() {
        let mut values = ByCharacter::<u32>::new();
        let set = ['\0', 'a', 'ÿ', 'Ā', '漢', '\u{d7ff}', '\u{e000}', '😀', char::MAX];
        for (number, c) in (1..).zip(set) {
            *values.at(c) += number;
        }
        assert_eq!((values.get('b'), values.get('\u{fffff}')), (0, 0));
        let found: Vec<(char, u32)> = values.iter().filter(|&(_, value)| value > 0).collect();
        assert!(found.iter().copied().eq(set.into_iter().zip(1..)));
        assert!(set.iter().zip(1..).all(|(&c, number)| values.get(c) == number));
    }
}
