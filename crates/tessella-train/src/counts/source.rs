//! Notes about where counts came from.

use tessella_core::{Error, Result};

/// One corpus behind the counts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Source {
    /// A name of the caller's choice; empty if none was given.
    pub name: String,
    /// A language tag of the caller's choice; empty if none was given.
    pub language: String,
    /// How many times each occurrence was counted.
    pub weight: u64,
    /// Texts read (before weighting).
    pub texts: u64,
    /// Bytes of text read (before weighting).
    pub bytes: u64,
}

impl Source {
    pub(super) fn weighted(&self, weight: u64) -> Result<Source> {
        let weight = self
            .weight
            .checked_mul(weight)
            .ok_or_else(|| Error::value(format!("the weight {} x {weight} exceeds 64 bits", self.weight)))?;
        Ok(Source { weight, ..self.clone() })
    }

    fn key(&self) -> (&str, &str, u64) {
        (&self.name, &self.language, self.weight)
    }
}

/// Adds a note to the ordered list.
pub(super) fn note(sources: &mut Vec<Source>, source: Source) -> Result<()> {
    match sources.binary_search_by(|known| known.key().cmp(&source.key())) {
        Ok(at) => {
            let too_many = || Error::value("the number of texts or bytes of a source exceeds 64 bits");
            let known = &mut sources[at];
            known.texts = known.texts.checked_add(source.texts).ok_or_else(too_many)?;
            known.bytes = known.bytes.checked_add(source.bytes).ok_or_else(too_many)?;
        }
        Err(at) => sources.insert(at, source),
    }
    Ok(())
}
