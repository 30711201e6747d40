//! The tokens of one word with their places in it, as slots remember them ([`super::packed`]).
//!
//! Where each character of a word becomes what it becomes anywhere, where it stood, the places follow from what each becomes
//! ([`WordPlaces`]). Other words take all stages, which keep the way back, and are the twin of this.

use std::ops::Range;

use super::packed::{self, Packing, Placed, Text};
use super::parts::UNCERTAIN;
use super::rows::{Row, RowCut};
use super::spelling::Spelling;
use super::word_places::WordPlaces;
use super::word_solver::{Buffers, Solver};
use super::word_stages::{Cut, Stages};
use crate::error::Result;
use crate::ids::PieceToken;
use crate::lanes::Key;
use crate::model::cache::PieceCache;
use crate::model::{Model, Scratch};
use crate::text::{AlignedText, Pieces};

/// Pieces of a word on their way to tokens.
struct Tokenizing<'t> {
    stages: &'t Stages,
    scratch: &'t mut Scratch,
    spelling: &'t mut Spelling,
    tokens: &'t mut Vec<PieceToken>,
    placed: &'t mut Vec<Placed>,
    surfaces: &'t mut Vec<(usize, String)>,
    cache: &'t mut PieceCache,
    /// Whether a piece has no tokens, which is a word all the same.
    is_odd: bool,
}

impl Tokenizing<'_> {
    /// Appends the tokens of a piece, where `place` says that bytes of it are.
    fn piece(&mut self, piece: &str, place: impl FnMut(usize, usize) -> Range<usize>) -> Result<()> {
        let Stages { cut, model, .. } = self.stages;
        self.tokens.clear();
        let read = self.stages.read(piece, self.spelling);
        model.tokenize(read, self.scratch, self.tokens)?;
        for (index, token) in self.tokens.iter().enumerate().filter(|(_, token)| token.surface) {
            let text = &read[token.start as usize..token.end as usize];
            self.surfaces.push((self.placed.len() + index, text.to_string()));
        }
        if let Cut::Marked(_) = cut {
            self.spelling.translate(self.tokens);
        }
        self.place(place);
        Ok(())
    }

    /// The same for a piece of raw bytes, of which only BPE can tell.
    fn bytes(&mut self, piece: &str, place: impl FnMut(usize, usize) -> Range<usize>) -> Result<()> {
        let piece = piece.as_bytes();
        self.tokens.clear();
        if !self.cache.tokens(piece, self.tokens)
            && let Model::Bpe(bpe) = &*self.stages.model
        {
            let Scratch { merge, random, .. } = &mut *self.scratch;
            bpe.tokenize_bytes(piece, merge, random, self.tokens)?;
            self.cache.insert(piece, self.tokens);
        }
        self.place(place);
        Ok(())
    }

    /// Appends the tokens of a piece where they stand.
    fn place(&mut self, mut place: impl FnMut(usize, usize) -> Range<usize>) {
        self.is_odd |= self.tokens.is_empty();
        for (index, token) in self.tokens.iter().enumerate() {
            let range = place(token.start as usize, token.end as usize);
            self.placed.push(Placed {
                id: token.id,
                start: range.start as u32,
                end: range.end as u32,
                opens: index == 0,
                text: if token.surface { Text::Read } else { Text::Vocabulary },
                is_last: false,
            });
        }
    }

    /// Says of the tokens of a word that is one piece which texts are told by their places, if all are.
    fn tell(&mut self, word: &str, piece: &str, places: &WordPlaces) {
        let is_told = |(index, text): &(usize, String)| {
            self.tokens
                .get(*index)
                .is_some_and(|token| tells(places, word, token) && piece.get(token.range()) == Some(text))
        };
        if !self.surfaces.iter().all(is_told) {
            return;
        }
        for (index, text) in &*self.surfaces {
            if let Some(token) = self.placed.get_mut(*index) {
                token.text = by_place(word, token.start as usize..token.end as usize, text);
            }
        }
    }
}

/// Whether what a token of a word stands for is told by the characters at its place.
fn tells(places: &WordPlaces, word: &str, token: &PieceToken) -> bool {
    let Range { start, end } = token.range();
    places.divide(word, start) && places.divide(word, end)
}

/// How a text is told by its place.
fn by_place(word: &str, place: Range<usize>, text: &str) -> Text {
    if word.get(place) == Some(text) { Text::Stands } else { Text::Told }
}

impl Solver<'_> {
    /// Puts the tokens of a word with their places into the buffer. `is_first` says that nothing at all is in front of it.
    pub fn packed(&mut self, word: &str, is_first: bool) -> Result<()> {
        let stages = &self.words.stages;
        let Buffers { spelling, plain, places, tokens, numbers, placed, surfaces, cache, .. } =
            &mut *self.buffers;
        placed.clear();
        surfaces.clear();
        let scratch = &mut *self.scratch;
        let mut pieces =
            Tokenizing { stages, scratch, spelling, tokens, placed, surfaces, cache, is_odd: false };
        let mut begins_with_nothing = false;
        if let Some(piece) = self.words.in_place(word, plain, places) {
            if stages.leaves_blanks(word, piece) {
                packed::pack_odd(numbers);
                return Ok(());
            }
            if self.words.traps.are_in(piece) {
                numbers.push(packed::TRAP);
            }
            pieces.piece(piece, |start, end| places.of(word, start..end))?;
            pieces.tell(word, piece, places);
        } else {
            let mut aligned = AlignedText::borrowed(word, 0);
            stages.normalize_word(&mut aligned)?;
            let (map, text) = (aligned.map(), aligned.as_str());
            if stages.leaves_blanks(word, text) {
                packed::pack_odd(numbers);
                return Ok(());
            }
            if self.words.traps.are_in(text) {
                numbers.push(packed::TRAP);
            }
            if !is_first {
                begins_with_nothing =
                    self.words.begin_with_nothing(word, text, map.char_span(text, 0).start)?;
            }
            let mut hint = 0;
            let mut each = |piece: Range<usize>| {
                pieces.piece(&text[piece.clone()], |start, end| {
                    let bytes = (piece.start + start, piece.start + end);
                    let span = map.span_in_piece(text, bytes, &piece, &mut hint);
                    span.start..span.end
                })
            };
            match &stages.cut {
                Cut::Splits(view) => view.for_each_piece(text, &mut each)?,
                Cut::Marked(view) => view.for_each_piece(text, &mut each)?,
                Cut::Stages(all) => {
                    let mut cut = Pieces::whole(aligned);
                    all.pre_tokenize(&mut cut)?;
                    let (map, text, mut hint) = (cut.map(), cut.buffer(), 0);
                    for piece in cut.pieces() {
                        pieces.piece(cut.str(piece), |start, end| {
                            let bytes = (piece.start + start, piece.start + end);
                            let span = map.span_in_piece(text, bytes, &piece.range(), &mut hint);
                            span.start..span.end
                        })?;
                    }
                }
            }
        }
        let is_odd = pieces.is_odd || begins_with_nothing;
        if is_odd {
            packed::pack_odd(numbers)
        } else {
            packed::pack(placed, Packing::of(word, false), numbers)
        }
        Ok(())
    }

    /// The same for a word of a row, which the stages have cut with the others; false if it has to go alone.
    pub fn packed_in_row(&mut self, row: &mut Row, cut: &RowCut, at: usize) -> Result<bool> {
        let stages = &self.words.stages;
        let Buffers { spelling, tokens, numbers, placed, surfaces, cache, .. } = &mut *self.buffers;
        let word = row.raw_word(at);
        if self.words.begin_with_nothing(word, row.word(at), row.begins(at))? {
            return Ok(false);
        }
        let of = Packing::of(word, false);
        numbers.clear();
        placed.clear();
        surfaces.clear();
        let scratch = &mut *self.scratch;
        let mut pieces =
            Tokenizing { stages, scratch, spelling, tokens, placed, surfaces, cache, is_odd: false };
        row.for_each_placed(at, |piece, place| match cut {
            RowCut::Bytes(_) => pieces.bytes(piece, place),
            RowCut::Alone | RowCut::Splits(_) => pieces.piece(piece, place),
        })?;
        if pieces.is_odd {
            return Ok(false);
        }
        packed::pack(placed, of, numbers);
        Ok(true)
    }

    /// The same for a word that is a key, if it has nothing but ASCII, of which each byte becomes one, and its tokens follow one
    /// another; else false.
    #[inline]
    pub fn packed_shortly(&mut self, word: Key) -> Result<bool> {
        let stages = &self.words.stages;
        let Cut::Splits(_) = stages.cut else { return Ok(false) };
        if stages.cut_further() || stages.gaps().is_some() {
            return Ok(false);
        }
        let mut room = [0; _];
        let Some(piece) = self.words.byte_by_byte(word, &mut room) else { return Ok(false) };
        if self.words.traps.are_in(piece) {
            return Ok(false);
        }
        let Buffers { tokens, numbers, .. } = &mut *self.buffers;
        tokens.clear();
        numbers.clear();
        stages.model.tokenize(piece, self.scratch, tokens)?;
        Ok(packed::pack_row(tokens, piece.len(), numbers))
    }

    /// The same for an inner part of a word, which may be uncertain.
    pub fn packed_part(&mut self, part: &str) {
        if self.placed_part(part).is_none() {
            return self.buffers.numbers.push(UNCERTAIN);
        }
        let Buffers { numbers, placed, .. } = &mut *self.buffers;
        packed::pack(placed, Packing::of(part, true), numbers);
    }

    /// Puts the tokens of an inner part into the buffer; `None` if the whole word has to tell.
    fn placed_part(&mut self, part: &str) -> Option<()> {
        let Buffers { plain, places, numbers, placed, tokens, .. } = &mut *self.buffers;
        numbers.clear();
        placed.clear();
        let Model::Unigram(model) = &*self.words.stages.model else { return None };
        let piece = self.words.in_place(part, plain, places).filter(|piece| !piece.is_empty())?;
        if self.words.traps.are_in(piece) || !model.tokens_apart(piece, tokens) {
            return None;
        }
        for (index, token) in tokens.iter().enumerate() {
            let place = places.of(part, token.range());
            let text = match token.surface {
                false => Text::Vocabulary,
                true if tells(places, part, token) => {
                    by_place(part, place.clone(), piece.get(token.range())?)
                }
                true => return None,
            };
            let (start, end) = (place.start as u32, place.end as u32);
            placed.push(Placed { id: token.id, start, end, opens: index == 0, text, is_last: false });
        }
        Some(())
    }

    /// What a word with which the text begins becomes, with places.
    pub fn first_word(&mut self, word: &[u8]) -> Result<&[u32]> {
        self.buffers.numbers.clear();
        // Words are cut at characters, so this holds.
        let word = std::str::from_utf8(word).unwrap_or_default();
        if self.words.stages.moves_what_follows(word)? {
            packed::pack_odd(&mut self.buffers.numbers);
        } else {
            self.packed(word, true)?;
        }
        Ok(&self.buffers.numbers)
    }

    /// What the characters of a place become, of a word whose characters tell that.
    pub fn told(&mut self, place: &str) -> Option<&str> {
        let Buffers { plain, places, .. } = &mut *self.buffers;
        self.words.in_place(place, plain, places)
    }

    /// The tokens of a word that are named after what the model read there: their numbers, and that text.
    pub fn surfaces(&mut self, word: &[u8]) -> Result<&[(usize, String)]> {
        self.word(word)?;
        Ok(&self.buffers.surfaces)
    }
}
