//! The growing vocabulary of a BPE training: texts and ids, both ways.

use std::collections::HashMap;

use tessella_core::{Error, ErrorKind, Result};

use super::symbols::ID_LIMIT;

/// Bytes for one token, its texts included, as measured.
pub(crate) const TOKEN: usize = 200;

#[derive(Debug, Clone, Default)]
pub(crate) struct Tokens {
    texts: Vec<Box<str>>,
    ids: HashMap<Box<str>, u32>,
}

impl Tokens {
    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }

    /// Bytes in use: every text stands in a list and in a table, in blocks of its own.
    pub(crate) fn memory(&self) -> usize {
        self.texts.len() * TOKEN
    }

    /// Empty if there is no such token.
    pub(crate) fn text(&self, id: u32) -> &str {
        self.texts.get(id as usize).map_or("", |text| text)
    }

    pub(crate) fn id(&self, text: &str) -> Option<u32> {
        self.ids.get(text).copied()
    }

    /// The id of a text, a new one if the text is new; and whether it is new.
    pub(crate) fn insert(&mut self, text: &str) -> Result<(u32, bool)> {
        if let Some(id) = self.id(text) {
            return Ok((id, false));
        }
        let id = self.texts.len() as u32;
        if id >= ID_LIMIT.min(1 << 28) {
            return Err(Error::new(
                ErrorKind::Train,
                format!("a vocabulary holds at most {} tokens", 1 << 28),
            ));
        }
        self.texts.push(text.into());
        self.ids.insert(text.into(), id);
        Ok((id, true))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, u32)> + '_ {
        self.texts.iter().zip(0u32..).map(|(text, id)| (&**text, id))
    }
}
