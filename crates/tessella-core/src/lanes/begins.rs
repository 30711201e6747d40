//! How pieces begin that are to be merged ([`super::merge`]): their first symbols, and what each makes with the one behind it, in a lane
//! of their own or among sixteen ([`super::sixteen`]). Here for pieces of bytes; those whose symbols the model tells are in
//! [`super::firsts`].

use super::bytes::Bytes;
use super::pairs::{NEVER, PairHash, Symbol};
use super::rows::{Group, LANES};
use super::symbols::{Ids, Merger, Wide};
use super::vectors::Vectors;

/// What pieces of some kind are merged by.
pub trait Merges<const N: usize> {
    /// A piece of less than `N` symbols.
    type Piece<'p>: Copy;

    fn pairs(&self) -> &PairHash;

    fn ids(&self) -> &Ids;

    fn nothing<'p>() -> Self::Piece<'p>;

    /// As many symbols as a piece has at most.
    fn length(piece: &Self::Piece<'_>) -> usize;

    /// Writes the symbols of a piece from the second place on, what each and the one behind it become beside them, and returns how
    /// many there are. All places merge with nothing before.
    fn begin_lane(
        &self,
        piece: &Self::Piece<'_>,
        symbols: &mut [Symbol; N],
        ranks: &mut [Symbol; N],
    ) -> usize;

    /// Writes pieces into a group.
    fn begin_group<V: Vectors>(&self, vectors: V, group: &mut Group<N>, pieces: &[Self::Piece<'_>; LANES]);
}

impl Merger {
    /// The symbol table of a piece that has other characters than ASCII, where symbols are characters.
    #[inline(always)]
    fn wide_for(&self, piece: &[u8]) -> Option<&Wide> {
        self.wide.as_deref().filter(|_| !piece.is_ascii())
    }
}

impl<const N: usize> Merges<N> for Merger {
    type Piece<'p> = Bytes<N>;

    #[inline(always)]
    fn pairs(&self) -> &PairHash {
        &self.pairs
    }

    #[inline(always)]
    fn ids(&self) -> &Ids {
        &self.ids
    }

    #[inline(always)]
    fn nothing<'p>() -> Self::Piece<'p> {
        Bytes { bytes: [0; N], length: 0 }
    }

    #[inline(always)]
    fn length(piece: &Bytes<N>) -> usize {
        piece.length
    }

    #[inline(always)]
    fn begin_lane(&self, piece: &Bytes<N>, symbols: &mut [Symbol; N], ranks: &mut [Symbol; N]) -> usize {
        let Bytes { bytes, length } = piece;
        if let Some(bytes) = bytes.get(..*length)
            && let Some(wide) = self.wide_for(bytes)
        {
            return begin_wide(self, wide, bytes, symbols, ranks);
        }
        let mut before = 0;
        let places = symbols[1..].iter_mut().zip(&mut *ranks);
        for ((symbol, rank), &byte) in places.zip(bytes).take(*length) {
            *symbol = self.of_byte[usize::from(byte)];
            *rank = self.of_two[before << 8 | usize::from(byte)];
            before = usize::from(byte);
        }
        // Of the border and the first one.
        ranks[0] = NEVER;
        *length
    }

    #[inline(always)]
    fn begin_group<V: Vectors>(&self, vectors: V, group: &mut Group<N>, pieces: &[Bytes<N>; LANES]) {
        let wide_of = |piece: &Bytes<N>| self.wide_for(&piece.bytes[..piece.length]);
        let length = |piece: &Bytes<N>| if wide_of(piece).is_some() { 0 } else { piece.length as u32 };
        let lengths = pieces.each_ref().map(length);
        let rows = pieces.iter().fold(0, |most, piece| most.max(piece.length));
        let mut columns = [[0; LANES]; N];
        // The row behind the last one is looked at.
        for (some, part) in columns.as_chunks_mut::<LANES>().0.iter_mut().zip(0..=rows / LANES) {
            let bytes = pieces.each_ref().map(|piece| piece.bytes.as_chunks::<LANES>().0[part]);
            *some = vectors.turned(&bytes);
        }
        vectors.begin_group(group, &self.of_byte, &self.of_two, (&columns, &lengths, rows));
        if self.wide.is_some() {
            for (lane, piece) in pieces.iter().enumerate() {
                if let Some(wide) = wide_of(piece) {
                    begin_wide_among(group, self, wide, lane, &piece.bytes[..piece.length]);
                }
            }
        }
    }
}

/// A piece with other characters than ASCII in a lane.
fn begin_wide<const N: usize>(
    merger: &Merger,
    wide: &Wide,
    piece: &[u8],
    symbols: &mut [Symbol; N],
    ranks: &mut [Symbol; N],
) -> usize {
    let mut count = 0;
    wide.each_symbol(merger, piece, |symbol| {
        count += 1;
        symbols[count % N] = symbol;
    });
    for at in 1..count {
        ranks[at] = merger.pairs.get(symbols[at], symbols[at + 1]);
    }
    count
}

/// The same among others. Its lane is empty, and it has no more symbols than there are rows in use.
#[cold]
fn begin_wide_among<const N: usize>(
    group: &mut Group<N>,
    merger: &Merger,
    wide: &Wide,
    lane: usize,
    piece: &[u8],
) {
    let mut row = 0;
    let mut above = NEVER;
    wide.each_symbol(merger, piece, |symbol| {
        if row > 0 {
            group.ranks[row - 1].0[lane] = merger.pairs.get(above, symbol);
        }
        group.symbols[row].0[lane] = symbol;
        above = symbol;
        row += 1;
    });
}
