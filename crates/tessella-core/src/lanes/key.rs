//! A piece of up to 15 bytes with its length in two words: equal pieces have equal keys, different ones do not.

/// Longest piece that is a key.
pub const LONGEST: usize = 15;

/// Two words one after the other, for vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(C)]
pub struct Key {
    pub low: u64,
    /// Top byte: the length, 0 for no piece at all, and whether it is a part with others in front.
    pub high: u64,
}

/// The bit of the high word that tells a part of a piece from a piece.
const INNER_BIT: u32 = 60;

/// Stands for a piece that is too long: equal to no key, as no piece has this length.
pub const LONG: Key = Key { low: 0, high: 0xFF << 56 };

/// By length: the bytes below it as two words, nothing, and what a high word has on top of its bytes. With nothing in between there
/// are as many words as a power of two, and an entry is found by a shift.
const MASKS: [[u64; 4]; LONGEST + 1] = {
    let mut masks = [[0; 4]; LONGEST + 1];
    let mut length = 1;
    while length <= LONGEST {
        let mask = u128::MAX >> (128 - 8 * length);
        masks[length] = [mask as u64, (mask >> 64) as u64, 0, (length as u64) << 56];
        length += 1;
    }
    masks
};

impl Key {
    /// Bytes of the longest piece that is a key.
    pub const LONGEST: usize = LONGEST;

    /// The key of `text[start..end]`, which is not empty.
    #[inline(always)]
    pub fn new(text: &[u8], start: usize, end: usize) -> Key {
        let found = Sixteens::of(text).key(start, end);
        found.unwrap_or_else(|| Self::near_the_end(text, start, end))
    }

    /// Of sixteen bytes, whatever the length: what lies behind the piece is masked away.
    #[inline(always)]
    fn masked(words: [u64; 2], length: usize) -> Key {
        if length > LONGEST {
            return LONG;
        }
        let [low, high, _, length] = MASKS[length];
        Key { low: words[0] & low, high: words[1] & high | length }
    }

    /// Of the bytes up to the end of the text, zeros behind them. Short texts have nothing but such pieces.
    #[cold]
    fn near_the_end(text: &[u8], start: usize, end: usize) -> Key {
        let rest = &text[start..];
        let words = match text.last_chunk() {
            Some(last) => u128::from_le_bytes(*last) >> (8 * (16 - rest.len())),
            None => u128::from_le_bytes(std::array::from_fn(|at| rest.get(at).copied().unwrap_or(0))),
        };
        Self::masked([words as u64, (words >> 64) as u64], end - start)
    }

    pub fn of(piece: &[u8]) -> Key {
        Self::new(piece, 0, piece.len())
    }

    #[inline(always)]
    pub fn is_long(self) -> bool {
        self.high >> 56 == 0xFF
    }

    #[inline(always)]
    pub fn len(self) -> usize {
        (self.high >> 56) as usize & LONGEST
    }

    /// The key of the same bytes as a part of a piece with others in front, if they are that, which is another one.
    #[inline(always)]
    pub fn inner_if(self, is_inner: bool) -> Key {
        Key { high: self.high | u64::from(is_inner) << INNER_BIT, ..self }
    }

    #[inline(always)]
    pub fn is_inner(self) -> bool {
        self.high >> INNER_BIT & 1 == 1
    }

    #[inline(always)]
    pub fn is_ascii(self) -> bool {
        (self.low | self.high & !(0xFF << 56)) & 0x8080_8080_8080_8080 == 0
    }

    /// The bytes of the piece, zeros behind it (and the top byte in the last one).
    #[inline(always)]
    pub fn bytes(self) -> [u8; 16] {
        (u128::from(self.high) << 64 | u128::from(self.low)).to_le_bytes()
    }

    /// The bytes of the piece, zeros behind it.
    #[inline(always)]
    pub fn padded(self) -> [u8; 16] {
        Key { high: self.high & !(0xFF << 56), ..self }.bytes()
    }

    /// The halves of the product of both words, each changed by what nobody knows who writes texts: all its bits hang on all of
    /// the key's.
    #[inline(always)]
    pub fn hash(self, seed: [u64; 2]) -> u64 {
        let product = u128::from(self.low ^ seed[0]) * u128::from(self.high ^ seed[1]);
        product as u64 ^ (product >> 64) as u64
    }
}

/// A text, for loops that ask for many keys of it.
#[derive(Debug, Clone, Copy)]
pub struct Sixteens<'t> {
    text: &'t [u8],
    /// So many places have sixteen bytes behind them.
    places: usize,
}

impl<'t> Sixteens<'t> {
    #[inline(always)]
    pub fn of(text: &'t [u8]) -> Self {
        Sixteens { text, places: (text.len() + 1).saturating_sub(16) }
    }

    /// The key of `text[start..end]`, unless it begins in the last fifteen bytes of the text.
    #[inline(always)]
    pub fn key(self, start: usize, end: usize) -> Option<Key> {
        if start >= self.places {
            return None;
        }
        // SAFETY: sixteen bytes are behind each of these places, and bytes ask for no alignment. Slices would be asked for both
        // ends of them.
        #[allow(unsafe_code)]
        let bytes: [[u8; 8]; 2] = unsafe { self.text.as_ptr().add(start).cast::<[[u8; 8]; 2]>().read() };
        Some(Key::masked(bytes.map(u64::from_le_bytes), end - start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_bytes_are_read_where_there_are_as_many() {
        for length in 0..40 {
            let text = vec![b'a'; length];
            for start in 0..length + 2 {
                let found = Sixteens::of(&text).key(start, start + 3);
                assert_eq!(found, (start + 16 <= length).then(|| Key::of(b"aaa")));
            }
        }
    }

    #[test]
    fn pieces_are_told_apart_wherever_they_stand() {
        let text: Vec<u8> = (0..64).map(|at| [0, 1, 255, b'a'][at * 7 % 4]).collect();
        for start in 0..text.len() {
            for end in start + 1..=text.len() {
                let key = Key::new(&text, start, end);
                if end - start > LONGEST {
                    assert!(key.is_long());
                    continue;
                }
                assert_eq!(&key.bytes()[..key.len()], &text[start..end]);
                assert_eq!(key, Key::of(&text[start..end]));
                let longer = [&text[start..end], &[0]].concat();
                assert_ne!(key, Key::of(&longer));
                // In a text of less than sixteen bytes.
                assert_eq!(key, Key::new(&text[start..end.max(start + 5).min(text.len())], 0, end - start));
            }
        }
    }
}
