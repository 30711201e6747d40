//! The first symbols of a piece: which id a character has, with the affixes its place asks for, and which
//! bytes stand in for a character that has none.

use crate::error::Result;
use crate::flat::{Arrays, Shelf, misfit};
use crate::ids::TokenId;
use crate::pretokenize::byte_alphabet::BYTE_TO_CHAR;
use crate::spec::Vocab;
use crate::unicode::CharTable;

const NONE: TokenId = TokenId::MAX;

/// The affixes of a character by its place: `inside + 2 * last`. Without affixes all places share the first.
fn affixes_by_place<'a>(prefix: &'a str, suffix: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let places = if prefix.is_empty() && suffix.is_empty() { 1 } else { 4 };
    let affix = |affix: &'a str, there: bool| if there { affix } else { "" };
    (0..places).map(move |place| (affix(prefix, place & 1 != 0), affix(suffix, place & 2 != 0)))
}

/// Characters and bytes to first symbols.
#[derive(Debug)]
pub(super) struct SymbolTable {
    prefix: String,
    suffix: String,
    /// By `inside + 2 * last`: with the prefix if not first, with the suffix if last. Without affixes all
    /// places share entry 0.
    places: Vec<CharTable<TokenId>>,
    /// Tokens `<0x00>` to `<0xFF>`, where present.
    fallback: [TokenId; 256],
    /// The byte-level alphabet's characters as ids, by byte.
    bytes: [TokenId; 256],
    pub(super) alphabet: Alphabet,
}

/// Which bytes are symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alphabet {
    /// All.
    Whole,
    /// All that are in any text: what a trainer saw of every script.
    OfTexts,
    /// Some of those that a text may have are none.
    Part,
    /// None is one by itself, for words have affixes.
    Affixed,
}

impl Alphabet {
    /// Whether every byte of every text is a symbol.
    pub fn spells_all_texts(self) -> bool {
        matches!(self, Alphabet::Whole | Alphabet::OfTexts)
    }

    fn of(bytes: &[TokenId; 256], is_plain: bool) -> Alphabet {
        let mut absent = (0..=u8::MAX).filter(|&byte| bytes[usize::from(byte)] == NONE);
        if !is_plain {
            Alphabet::Affixed
        } else if bytes.iter().all(|&id| id != NONE) {
            Alphabet::Whole
        } else if absent.all(is_in_no_text) {
            Alphabet::OfTexts
        } else {
            Alphabet::Part
        }
    }
}

/// Whether UTF-8 has no such byte.
pub(super) fn is_in_no_text(byte: u8) -> bool {
    matches!(byte, 0xC0 | 0xC1 | 0xF5..)
}

impl SymbolTable {
    pub(super) fn build(vocab: &Vocab, prefix: &str, suffix: &str) -> Self {
        let plain = prefix.is_empty() && suffix.is_empty();
        let mut places: Vec<CharTable<TokenId>> = Vec::new();
        for (before, after) in affixes_by_place(prefix, suffix) {
            let mut ids = CharTable::new(NONE);
            vocab.characters(before, after).for_each(|(c, id)| ids.insert(c, id));
            places.push(ids);
        }
        let fallback = std::array::from_fn(|byte| vocab.id(&format!("<0x{byte:02X}>")).unwrap_or(NONE));
        let bytes: [TokenId; 256] =
            std::array::from_fn(|byte| if plain { places[0].get(BYTE_TO_CHAR[byte]) } else { NONE });
        SymbolTable {
            prefix: prefix.to_string(),
            suffix: suffix.to_string(),
            places,
            fallback,
            alphabet: Alphabet::of(&bytes, plain),
            bytes,
        }
    }

    /// Puts the finished table down.
    pub(super) fn put(&self, arrays: &mut Arrays) {
        self.places.iter().for_each(|place| place.put(arrays));
        arrays.put(&self.fallback);
        arrays.put(&self.bytes);
    }

    /// Takes what was put, with tokens below `id_bound`, for the same affixes.
    pub(super) fn take(shelf: &mut Shelf, prefix: &str, suffix: &str, id_bound: usize) -> Result<Self> {
        let is_known = |&id: &TokenId| id == NONE || (id as usize) < id_bound;
        let places = if prefix.is_empty() && suffix.is_empty() { 1 } else { 4 };
        let places = (0..places).map(|_| CharTable::take(shelf, NONE, is_known)).collect::<Result<_>>()?;
        let (fallback, bytes) = (shelf.array::<_, 256>()?, shelf.array::<_, 256>()?);
        if !fallback.iter().chain(&bytes).all(is_known) {
            return Err(misfit());
        }
        Ok(SymbolTable {
            prefix: prefix.to_string(),
            suffix: suffix.to_string(),
            places,
            fallback,
            alphabet: Alphabet::of(&bytes, prefix.is_empty() && suffix.is_empty()),
            bytes,
        })
    }

    #[inline]
    pub(super) fn of_char(&self, c: char, first: bool, last: bool) -> Option<TokenId> {
        let place = if self.places.len() == 1 { 0 } else { (!first) as usize + 2 * last as usize };
        Some(self.places[place].get(c)).filter(|&id| id != NONE)
    }

    /// The id of a character where no affixes exist.
    #[inline]
    pub(super) fn of_plain_char(&self, c: char) -> Option<TokenId> {
        Some(self.places[0].get(c)).filter(|&id| id != NONE)
    }

    /// Spells a character (with its affixes) in byte tokens, if all of its bytes have one. `emit` gets each
    /// id and the bytes of the piece that it covers: one for a byte of the character, none for an affix.
    pub(super) fn fallback(
        &self,
        c: char,
        first: bool,
        last: bool,
        mut emit: impl FnMut(TokenId, usize),
    ) -> bool {
        let mut buffer = [0; 4];
        let own = c.encode_utf8(&mut buffer).as_bytes();
        let before = if first { "" } else { &self.prefix }.as_bytes();
        let after = if last { &self.suffix } else { "" }.as_bytes();
        if [before, own, after].into_iter().flatten().any(|&byte| self.fallback[byte as usize] == NONE) {
            return false;
        }
        for &byte in before {
            emit(self.fallback[byte as usize], 0);
        }
        for &byte in own {
            emit(self.fallback[byte as usize], 1);
        }
        for &byte in after {
            emit(self.fallback[byte as usize], 0);
        }
        true
    }

    /// First and last byte token of a character's spelling, where no affixes exist.
    pub(super) fn fallback_ends(&self, c: char) -> Option<(TokenId, TokenId)> {
        let mut buffer = [0; 4];
        let bytes = c.encode_utf8(&mut buffer).as_bytes();
        if bytes.iter().any(|&byte| self.fallback[byte as usize] == NONE) {
            return None;
        }
        Some((self.fallback[bytes[0] as usize], self.fallback[bytes[bytes.len() - 1] as usize]))
    }

    /// All tokens of one character, with the affixes of its place.
    pub(super) fn single<'a>(&'a self, vocab: &'a Vocab) -> impl Iterator<Item = TokenId> + 'a {
        affixes_by_place(&self.prefix, &self.suffix)
            .flat_map(move |(before, after)| vocab.characters(before, after).map(|(_, id)| id))
    }

    pub(super) fn fallback_ids(&self) -> impl Iterator<Item = TokenId> + '_ {
        self.fallback.iter().copied().filter(|&id| id != NONE)
    }

    /// The symbols of ASCII, as characters and in the byte-level alphabet, letters first.
    pub(super) fn of_ascii(&self) -> impl Iterator<Item = TokenId> + '_ {
        let letters_first = (b'a'..=b'z').chain((0..128u8).filter(|byte| !byte.is_ascii_lowercase()));
        letters_first
            .flat_map(|byte| [self.places[0].get(byte as char), self.bytes[usize::from(byte)]])
            .filter(|&id| id != NONE)
    }

    /// The symbol of a byte that is one.
    #[inline]
    pub(super) fn of_byte(&self, byte: u8) -> TokenId {
        self.bytes[byte as usize]
    }

    /// Bytes that are none.
    pub(super) fn no_symbols(&self) -> impl Iterator<Item = u8> + '_ {
        (0..=u8::MAX).filter(|&byte| self.of_byte(byte) == NONE)
    }

    /// Whether every byte of a piece is a symbol.
    #[inline]
    pub(super) fn spells(&self, piece: &[u8]) -> bool {
        self.alphabet == Alphabet::Whole || piece.iter().all(|&byte| self.bytes[usize::from(byte)] != NONE)
    }

    /// The token that a whole byte-level piece is, if it is one.
    pub(super) fn whole_byte_piece(&self, piece: &[u8], vocab: &Vocab) -> Option<TokenId> {
        if let &[byte] = piece
            && self.of_byte(byte) != NONE
        {
            return Some(self.of_byte(byte));
        }
        vocab.id(&crate::pretokenize::byte_alphabet::bytes_to_alphabet(piece))
    }
}
