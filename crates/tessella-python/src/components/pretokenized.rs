//! `PreTokenizedString`: a text on its way through the pre-tokenizers, as Python sees it.

use std::sync::Mutex;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use tessella_core::Encoding as CoreEncoding;
use tessella_core::pretokenize::PreTokenizer;
use tessella_core::text::NormalizedString as Text;

use crate::border::errors::{OrRaise, from_python};
use crate::border::values::CharCounter;
use crate::components::live::lock;
use crate::components::strings::{NormalizedString, cut, lend};
use crate::results::encoding::Encoding;
use crate::results::token::Token;

/// One piece, the tokens that it became, and the piece of the callback's input that it came from.
#[derive(Clone)]
pub struct Split {
    pub text: Text,
    pub tokens: Option<Vec<Token>>,
    pub parent: usize,
}

/// A text cut into pieces.
///
/// `split`, `normalize` and `tokenize` visit the pieces that have no tokens yet.
///
/// Args:
///     sequence: the text.
///
/// Example:
///     >>> from tessella import PreTokenizedString
///     >>> text = PreTokenizedString("a b")
///     >>> text.split(lambda index, piece: piece.split(" ", "removed"))
///     >>> text.get_splits()
///     [('a', (0, 1), None), ('b', (2, 3), None)]
#[pyclass(frozen, module = "tessella", name = "PreTokenizedString")]
pub struct PreTokenizedString {
    /// `None` once the callback that it was made for has returned.
    splits: Mutex<Option<Vec<Split>>>,
}

fn dead() -> PyErr {
    crate::border::errors::argument("Cannot use a PreTokenizedStringRefMut outside `pre_tokenize`")
}

impl PreTokenizedString {
    pub fn of(texts: Vec<Text>) -> Self {
        let splits = texts
            .into_iter()
            .enumerate()
            .map(|(parent, text)| Split { text, tokens: None, parent })
            .collect();
        PreTokenizedString { splits: Mutex::new(Some(splits)) }
    }

    fn copy(&self) -> PyResult<Vec<Split>> {
        lock(&self.splits).clone().ok_or_else(dead)
    }

    pub fn take(&self) -> PyResult<Vec<Split>> {
        lock(&self.splits).take().ok_or_else(dead)
    }

    fn put(&self, splits: Vec<Split>) -> PyResult<()> {
        let mut guard = lock(&self.splits);
        if guard.is_none() {
            return Err(dead());
        }
        *guard = Some(splits);
        Ok(())
    }

    /// Replaces every piece without tokens by what `cut` makes of it; empty pieces are dropped.
    fn cut(&self, mut cut: impl FnMut(usize, Text) -> PyResult<Vec<Text>>) -> PyResult<()> {
        let mut next = Vec::new();
        for (index, split) in self.copy()?.into_iter().enumerate() {
            if split.tokens.is_some() {
                next.push(split);
                continue;
            }
            let parent = split.parent;
            next.extend(
                cut(index, split.text)?
                    .into_iter()
                    .filter(|text| !text.normalized().is_empty())
                    .map(|text| Split { text, tokens: None, parent }),
            );
        }
        self.put(next)
    }

    pub fn pre_tokenize(&self, pre_tokenizer: &PreTokenizer) -> PyResult<()> {
        self.cut(|_, text| cut(&text, pre_tokenizer).or_raise())
    }
}

#[pymethods]
impl PreTokenizedString {
    #[new]
    fn new(sequence: &str) -> Self {
        Self::of(vec![Text::new(sequence)])
    }

    /// Replaces each piece by the list that `func(index, piece)` returns. To keep the offsets, the strings
    /// returned should come from `split` or `slice` of the piece.
    #[pyo3(name = "split")]
    fn split_with(&self, func: &Bound<'_, PyAny>) -> PyResult<()> {
        if !func.is_callable() {
            return Err(PyTypeError::new_err(
                "`split` expect a callable with the signature: \
                 `fn(index: int, normalized: NormalizedString) -> List[NormalizedString]`",
            ));
        }
        self.cut(|index, text| {
            let parts: Vec<Py<NormalizedString>> =
                func.call1((index, NormalizedString::from(text)))?.extract()?;
            parts.iter().map(|part| part.get().copy()).collect()
        })
    }

    /// Changes each piece in place with `func(piece)`.
    fn normalize(&self, func: &Bound<'_, PyAny>) -> PyResult<()> {
        if !func.is_callable() {
            return Err(PyTypeError::new_err(
                "`normalize` expect a callable with the signature: `fn(normalized: NormalizedString)`",
            ));
        }
        let mut splits = self.copy()?;
        for split in splits.iter_mut().filter(|split| split.tokens.is_none()) {
            lend(func.py(), &mut split.text, |text| func.call1((text,)).map(drop)).or_raise()?;
        }
        self.put(splits)
    }

    /// Gives each piece the tokens that `func(text)` returns, a list of `Token`.
    fn tokenize(&self, func: &Bound<'_, PyAny>) -> PyResult<()> {
        if !func.is_callable() {
            return Err(PyTypeError::new_err(
                "`tokenize` expect a callable with the signature: `fn(str) -> List[Token]`",
            ));
        }
        let mut splits = self.copy()?;
        for split in splits.iter_mut().filter(|split| split.tokens.is_none()) {
            let tokens: Vec<Py<Token>> = func.call1((split.text.normalized(),))?.extract()?;
            split.tokens = Some(tokens.iter().map(|token| token.get().clone()).collect());
        }
        self.put(splits)
    }

    /// The encoding of the tokens. Every piece must have been tokenized.
    ///
    /// Args:
    ///     type_id: the type id of every token.
    ///     word_idx: the word of every token, instead of the index of its piece.
    #[pyo3(signature = (type_id = 0, word_idx = None))]
    fn to_encoding(&self, type_id: u32, word_idx: Option<u32>) -> PyResult<Encoding> {
        let splits = self.copy()?;
        let mut columns = crate::results::encoding::Columns::default();
        let source = splits.first().map(|split| split.text.source().clone());
        let mut chars = CharCounter::new(source.as_deref().unwrap_or(""));
        for (index, split) in splits.iter().enumerate() {
            let Some(tokens) = &split.tokens else {
                return Err(crate::border::errors::argument(
                    "Split has not been tokenized, call `PreTokenizedString::tokenize` first",
                ));
            };
            for token in tokens {
                let (start, end) = token.offsets;
                let text = split.text.normalized();
                if start > end || end > text.len() {
                    return Err(crate::border::errors::argument(format!(
                        "the offsets ({start}, {end}) of token `{}` do not lie in its piece of {} bytes",
                        token.value,
                        text.len()
                    )));
                }
                let span = split.text.map().span(text, start, end);
                columns.push(
                    token.id,
                    token.value.clone(),
                    type_id,
                    (chars.at(span.start), chars.at(span.end)),
                    word_idx.unwrap_or(index as u32),
                );
            }
        }
        let encoding: CoreEncoding = columns.build().or_raise()?;
        Ok(encoding.into())
    }

    /// The pieces as `(text, offsets, tokens)`; `tokens` is `None` until the piece is tokenized.
    ///
    /// Args:
    ///     offset_referential: `original` or `normalized`: which text the offsets count in.
    ///     offset_type: `char` or `byte`: what they count.
    #[pyo3(signature = (offset_referential = None, offset_type = None))]
    #[allow(clippy::type_complexity)]
    fn get_splits(
        &self,
        offset_referential: Option<&Bound<'_, PyAny>>,
        offset_type: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<(String, (usize, usize), Option<Vec<Token>>)>> {
        let original = choice(
            offset_referential,
            ["original", "normalized"],
            "Wrong value for OffsetReferential, expected one of `original, normalized`",
        )?;
        let bytes =
            choice(offset_type, ["byte", "char"], "Wrong value for OffsetType, expected one of `byte, char`");
        let bytes = if offset_type.is_some() { bytes? } else { false };
        let splits = self.copy()?;
        let source = splits.first().map(|split| split.text.source().clone());
        let mut chars = CharCounter::new(source.as_deref().unwrap_or(""));
        let mut position = 0;
        Ok(splits
            .into_iter()
            .map(|split| {
                let text = split.text.normalized();
                let offsets = if original {
                    let span = split.text.range();
                    if bytes { (span.start, span.end) } else { (chars.at(span.start), chars.at(span.end)) }
                } else {
                    let start = position;
                    position += if bytes { text.len() } else { text.chars().count() };
                    (start, position)
                };
                (text.to_string(), offsets, split.tokens)
            })
            .collect())
    }
}

/// Whether the first of two names was given; the first is also the default.
fn choice(value: Option<&Bound<'_, PyAny>>, names: [&str; 2], message: &'static str) -> PyResult<bool> {
    let Some(value) = value else { return Ok(true) };
    let value = if value.is_instance_of::<pyo3::types::PyString>() {
        value.clone()
    } else {
        value.getattr("value")?
    };
    let name: String = value.extract()?;
    match names.iter().position(|known| *known == name) {
        Some(index) => Ok(index == 0),
        None => Err(crate::border::errors::argument(message)),
    }
}

/// Hands pieces to a Python function and takes back what they became, grouped by the piece they came from.
pub fn lend_pieces<'py>(
    py: Python<'py>,
    pieces: Vec<Text>,
    function: impl FnOnce(&Bound<'py, PreTokenizedString>) -> PyResult<()>,
) -> tessella_core::Result<Vec<Vec<Text>>> {
    let mut groups: Vec<Vec<Text>> = pieces.iter().map(|_| Vec::new()).collect();
    let lent = Bound::new(py, PreTokenizedString::of(pieces)).map_err(from_python)?;
    let result = function(&lent);
    let splits = lent.get().take();
    result.map_err(from_python)?;
    for split in splits.map_err(from_python)? {
        if split.tokens.is_some() {
            return Err(tessella_core::Error::value(
                "a pre-tokenizer written in Python gave tokens to a piece; only the model does that",
            ));
        }
        groups[split.parent].push(split.text);
    }
    Ok(groups)
}
