//! One piece: its tokens out of the cache, or from the model, which the cache remembers.
//!
//! How the model reads a piece ([`Reads`]) decides which bytes are looked up: characters, raw bytes, or what is
//! [spelled](super::super::spelling) first. A piece of characters that falls into units is looked up as a whole, and then unit by unit.

use std::ops::Range;

use super::super::spelling::Reading;
use super::super::way::{Reader, Reads};
use super::Worker;
use crate::error::Result;
use crate::ids::{PieceToken, TokenId};
use crate::model::bpe::Bpe;
use crate::model::{Model, Scratch};

impl Worker {
    /// Appends the ids of a piece of a text. One of bytes may begin and end inside of characters.
    #[inline]
    pub fn ids(
        &mut self,
        reader: &Reader,
        (text, piece): (&str, Range<usize>),
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        match &reader.reads {
            Reads::Characters(model) => self.piece_ids(model, reader.remembers, &text[piece], out),
            Reads::Bytes(bpe) => self.bytes_ids(bpe, reader.remembers, &text.as_bytes()[piece], out),
            Reads::Spelled(model, reading) => self.spelled_ids(model, *reading, &text[piece], out),
        }
    }

    /// The same for a piece that others remember.
    pub fn ids_anew(&mut self, reader: &Reader, piece: &[u8], out: &mut Vec<TokenId>) -> Result<()> {
        self.unit.clear();
        let text = || std::str::from_utf8(piece).unwrap_or_default();
        let Scratch { merge, random, .. } = &mut self.scratch;
        match &reader.reads {
            Reads::Characters(model) => model.tokenize(text(), &mut self.scratch, &mut self.unit)?,
            Reads::Bytes(bpe) => bpe.tokenize_bytes(piece, merge, random, &mut self.unit)?,
            Reads::Spelled(model, reading) => {
                let text = self.spelling.write(*reading, text());
                model.tokenize(text, &mut self.scratch, &mut self.unit)?;
            }
        }
        out.extend(self.unit.iter().map(|token| token.id));
        Ok(())
    }

    /// The tokens of a piece of a text, which may be as for [`ids`](Self::ids).
    #[inline]
    pub fn tokens(&mut self, reader: &Reader, (text, piece): (&str, Range<usize>)) -> Result<&[PieceToken]> {
        match &reader.reads {
            Reads::Characters(model) => self.piece_tokens(model, reader.remembers, &text[piece]),
            Reads::Bytes(bpe) => self.bytes_tokens(bpe, reader.remembers, &text.as_bytes()[piece]),
            Reads::Spelled(model, reading) => self.spelled_tokens(model, *reading, &text[piece]),
        }
    }

    /// Ids of a piece of characters.
    fn piece_ids(&mut self, model: &Model, cached: bool, piece: &str, out: &mut Vec<TokenId>) -> Result<()> {
        if cached && self.cache.ids(piece.as_bytes(), out) {
            return Ok(());
        }
        if let Model::Bpe(bpe) = model
            && bpe.can_cut()
        {
            return bpe.for_each_unit(piece, |unit| self.unit_ids(model, cached, unit, out));
        }
        self.unit_ids(model, cached, piece, out)
    }

    fn unit_ids(&mut self, model: &Model, cached: bool, unit: &str, out: &mut Vec<TokenId>) -> Result<()> {
        if cached && self.cache.ids(unit.as_bytes(), out) {
            return Ok(());
        }
        self.unit_miss(model, cached, unit)?;
        out.extend(self.unit.iter().map(|token| token.id));
        Ok(())
    }

    /// Tokens of a unit that is not remembered.
    fn unit_miss(&mut self, model: &Model, cached: bool, unit: &str) -> Result<()> {
        self.unit.clear();
        model.tokenize(unit, &mut self.scratch, &mut self.unit)?;
        if cached {
            self.cache.insert(unit.as_bytes(), &self.unit);
        }
        Ok(())
    }

    /// Tokens of a piece of characters.
    fn piece_tokens(&mut self, model: &Model, cached: bool, piece: &str) -> Result<&[PieceToken]> {
        self.tokens.clear();
        if cached && self.cache.tokens(piece.as_bytes(), &mut self.tokens) {
            return Ok(&self.tokens);
        }
        if let Model::Bpe(bpe) = model
            && bpe.can_cut()
        {
            let mut offset = 0;
            bpe.for_each_unit(piece, |unit| {
                let before = self.tokens.len();
                self.unit_tokens(model, cached, unit)?;
                for token in &mut self.tokens[before..] {
                    token.start += offset;
                    token.end += offset;
                }
                offset += unit.len() as u32;
                Ok(())
            })?;
        } else {
            self.unit_tokens(model, cached, piece)?;
        }
        Ok(&self.tokens)
    }

    fn unit_tokens(&mut self, model: &Model, cached: bool, unit: &str) -> Result<()> {
        if cached && self.cache.tokens(unit.as_bytes(), &mut self.tokens) {
            return Ok(());
        }
        self.unit_miss(model, cached, unit)?;
        self.tokens.extend_from_slice(&self.unit);
        Ok(())
    }

    /// Ids of a byte-level piece, given as raw bytes.
    #[inline]
    pub fn bytes_ids(&mut self, bpe: &Bpe, cached: bool, piece: &[u8], out: &mut Vec<TokenId>) -> Result<()> {
        if cached && self.cache.ids(piece, out) {
            return Ok(());
        }
        self.bytes_miss(bpe, cached, piece)?;
        out.extend(self.unit.iter().map(|token| token.id));
        Ok(())
    }

    /// Tokens of a byte-level piece, given as raw bytes.
    fn bytes_tokens(&mut self, bpe: &Bpe, cached: bool, piece: &[u8]) -> Result<&[PieceToken]> {
        self.tokens.clear();
        if cached && self.cache.tokens(piece, &mut self.tokens) {
            return Ok(&self.tokens);
        }
        self.bytes_miss(bpe, cached, piece)?;
        Ok(&self.unit)
    }

    /// Ids of a piece that the model reads by a rule; only for models whose results may be remembered.
    #[inline]
    fn spelled_ids(
        &mut self,
        model: &Model,
        reading: Reading,
        piece: &str,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        if !self.cache.ids(piece.as_bytes(), out) {
            self.spelled_miss(model, reading, piece)?;
            out.extend(self.unit.iter().map(|token| token.id));
        }
        Ok(())
    }

    /// Tokens of a piece that the model reads by a rule.
    #[inline]
    fn spelled_tokens(&mut self, model: &Model, reading: Reading, piece: &str) -> Result<&[PieceToken]> {
        self.tokens.clear();
        if self.cache.tokens(piece.as_bytes(), &mut self.tokens) {
            return Ok(&self.tokens);
        }
        self.spelled_miss(model, reading, piece)?;
        Ok(&self.unit)
    }

    #[cold]
    fn spelled_miss(&mut self, model: &Model, reading: Reading, piece: &str) -> Result<()> {
        self.unit.clear();
        model.tokenize(self.spelling.write(reading, piece), &mut self.scratch, &mut self.unit)?;
        self.spelling.translate(&mut self.unit);
        self.cache.insert(piece.as_bytes(), &self.unit);
        Ok(())
    }

    /// Calls `name` for every token of a piece that is named after the text that the model read: with its number
    /// among the piece's tokens, and that text.
    #[cold]
    pub fn for_each_surface(
        &mut self,
        reader: &Reader,
        piece: &str,
        mut name: impl FnMut(usize, &str),
    ) -> Result<()> {
        let (tokens, text) = match &reader.reads {
            Reads::Spelled(model, reading) => {
                self.unit.clear();
                let text = self.spelling.write(*reading, piece);
                model.tokenize(text, &mut self.scratch, &mut self.unit)?;
                (self.unit.as_slice(), text)
            }
            Reads::Characters(_) | Reads::Bytes(_) => (self.tokens.as_slice(), piece),
        };
        for (index, token) in tokens.iter().enumerate().filter(|(_, token)| token.surface) {
            name(index, &text[token.start as usize..token.end as usize]);
        }
        Ok(())
    }

    /// Ids of a byte-level unit, merged although there may be a token for a whole piece of these bytes.
    #[cold]
    pub fn merged_ids(&mut self, bpe: &Bpe, unit: &[u8], out: &mut Vec<TokenId>) -> Result<()> {
        self.unit.clear();
        bpe.merge_bytes(unit, &mut self.scratch.merge, &mut self.scratch.random, &mut self.unit)?;
        out.extend(self.unit.iter().map(|token| token.id));
        Ok(())
    }

    #[cold]
    fn bytes_miss(&mut self, bpe: &Bpe, cached: bool, piece: &[u8]) -> Result<()> {
        self.unit.clear();
        bpe.tokenize_bytes(piece, &mut self.scratch.merge, &mut self.scratch.random, &mut self.unit)?;
        if cached {
            self.cache.insert(piece, &self.unit);
        }
        Ok(())
    }
}
