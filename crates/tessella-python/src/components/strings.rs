//! `NormalizedString`: a text, what it reads after normalisation, and the way between.
//!
//! The same class serves callbacks: the object that a user's component is handed *dies* when the callback
//! returns, and says so when it is used later. No lock is held while a Python function runs.

use std::sync::Mutex;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PySlice, PyString};
use tessella_core::Span;
use tessella_core::normalize::Normalizer;
use tessella_core::pattern::Matcher;
use tessella_core::pretokenize::{PreTokenizer, parts};
use tessella_core::spec::{NormalizerSpec, Pattern};
use tessella_core::text::{AlignedText, Alignment, NormalizedString as Text, Pieces, Rewriter};

use crate::border::errors::{OrRaise, from_python, raise};
use crate::border::values::{behavior, pattern};
use crate::components::live::lock;

/// A text that remembers its original while it is changed.
///
/// Every method that changes the text keeps the alignment between the two.
///
/// Args:
///     sequence: the text.
///
/// Example:
///     >>> from tessella import NormalizedString
///     >>> text = NormalizedString("Hello")
///     >>> text.lowercase()
///     >>> text.normalized, text.original
///     ('hello', 'Hello')
#[pyclass(frozen, module = "tessella", name = "NormalizedString")]
pub struct NormalizedString {
    /// `None` once the callback that it was made for has returned.
    text: Mutex<Option<Text>>,
}

impl From<Text> for NormalizedString {
    fn from(text: Text) -> Self {
        NormalizedString { text: Mutex::new(Some(text)) }
    }
}

fn dead() -> PyErr {
    crate::border::errors::argument("Cannot use a NormalizedStringRefMut outside `normalize`")
}

impl NormalizedString {
    pub fn with<R>(&self, look: impl FnOnce(&Text) -> R) -> PyResult<R> {
        lock(&self.text).as_ref().map(look).ok_or_else(dead)
    }

    /// Takes the text out; the object is dead from here on.
    pub fn take(&self) -> PyResult<Text> {
        lock(&self.text).take().ok_or_else(dead)
    }

    pub fn copy(&self) -> PyResult<Text> {
        self.with(Text::clone)
    }

    /// Changes a copy and puts it back, so that `change` may call into Python.
    fn update<R>(&self, change: impl FnOnce(&mut Text) -> PyResult<R>) -> PyResult<R> {
        let mut text = self.copy()?;
        let result = change(&mut text)?;
        let mut guard = lock(&self.text);
        if guard.is_none() {
            return Err(dead());
        }
        *guard = Some(text);
        Ok(result)
    }

    pub fn normalize(&self, normalizer: &Normalizer) -> PyResult<()> {
        self.update(|text| text.change(|aligned| normalizer.normalize(aligned)).map_err(raise))
    }

    fn run(&self, spec: NormalizerSpec) -> PyResult<()> {
        self.normalize(&Normalizer::new(&spec).or_raise()?)
    }

    /// Rewrites character by character; `step` may fail, and then nothing changes.
    fn each(&self, mut step: impl FnMut(&mut Rewriter<'_>, char) -> PyResult<()>) -> PyResult<()> {
        self.update(|text| {
            let chars: Vec<char> = text.normalized().chars().collect();
            let mut result = Ok(());
            text.change(|aligned| {
                aligned.rewrite(|rewriter| {
                    for c in chars {
                        result = step(rewriter, c);
                        if result.is_err() {
                            return;
                        }
                    }
                });
            });
            result
        })
    }
}

/// The part of a string's normalized side, by bytes.
pub fn slice_bytes(text: &Text, start: usize, end: usize) -> Text {
    let span = text.map().span(text.normalized(), start, end);
    let mut map = Alignment::new();
    map.append(text.map(), start, end);
    text.part(span, text.normalized()[start..end].to_string(), map)
}

/// Cuts a string with a built-in pre-tokenizer.
pub fn cut(text: &Text, cutter: &PreTokenizer) -> tessella_core::Result<Vec<Text>> {
    let aligned = AlignedText::from_parts(text.normalized(), text.map().clone());
    let mut pieces = Pieces::whole(aligned);
    pieces.set_original(text.source());
    cutter.pre_tokenize(&mut pieces)?;
    Ok(pieces
        .pieces()
        .iter()
        .map(|piece| {
            let mut map = Alignment::new();
            map.append(pieces.map(), piece.start, piece.end);
            text.part(pieces.span(piece), pieces.str(piece).to_string(), map)
        })
        .collect())
}

/// Carries a part of a string to where it came from.
trait Part {
    fn part(&self, span: Span, text: String, map: Alignment) -> Text;
}

impl Part for Text {
    fn part(&self, span: Span, text: String, map: Alignment) -> Text {
        Text::from_parts(self.source().clone(), span, text, map)
    }
}

/// Unlike in components, the empty text matches nowhere in a string.
fn is_nothing(pattern: &Pattern) -> bool {
    matches!(pattern, Pattern::Literal(text) if text.is_empty())
}

fn callable(function: &Bound<'_, PyAny>, message: &'static str) -> PyResult<()> {
    if function.is_callable() { Ok(()) } else { Err(PyTypeError::new_err(message)) }
}

#[pymethods]
impl NormalizedString {
    #[new]
    fn new(sequence: &str) -> Self {
        Text::new(sequence).into()
    }

    /// The text as it reads now.
    #[getter]
    fn normalized(&self) -> PyResult<String> {
        self.with(|text| text.normalized().to_string())
    }

    /// The text as it was given.
    #[getter]
    fn original(&self) -> PyResult<String> {
        self.with(|text| text.original().to_string())
    }

    /// Canonical decomposition.
    fn nfd(&self) -> PyResult<()> {
        self.run(NormalizerSpec::Nfd)
    }

    /// Compatibility decomposition.
    fn nfkd(&self) -> PyResult<()> {
        self.run(NormalizerSpec::Nfkd)
    }

    /// Canonical composition.
    fn nfc(&self) -> PyResult<()> {
        self.run(NormalizerSpec::Nfc)
    }

    /// Compatibility composition.
    fn nfkc(&self) -> PyResult<()> {
        self.run(NormalizerSpec::Nfkc)
    }

    /// Lower-cases every character, without regard to locale or position.
    fn lowercase(&self) -> PyResult<()> {
        self.run(NormalizerSpec::Lowercase)
    }

    /// Upper-cases every character, without regard to locale or position.
    fn uppercase(&self) -> PyResult<()> {
        self.each(|rewriter, c| {
            for (index, upper) in c.to_uppercase().enumerate() {
                if index == 0 { rewriter.replace(upper) } else { rewriter.insert(upper) }
            }
            Ok(())
        })
    }

    /// Puts a text in front; it stands for the first character.
    fn prepend(&self, s: &str) -> PyResult<()> {
        self.run(NormalizerSpec::Prepend { prepend: s.to_string() })
    }

    /// Puts a text behind; it stands for the last character.
    fn append(&self, s: &str) -> PyResult<()> {
        self.update(|text| {
            let end = text.normalized().len();
            // Behind nothing it stands for nothing: an empty span where the string ends.
            let last = match end {
                0 => Span::new(text.range().end, text.range().end),
                end => text.map().span(text.normalized(), end - 1, end),
            };
            text.change(|aligned| {
                aligned.rewrite(|rewriter| {
                    rewriter.keep(end);
                    rewriter.emit(s, last);
                });
            });
            Ok(())
        })
    }

    /// Removes white space in front.
    fn lstrip(&self) -> PyResult<()> {
        self.run(NormalizerSpec::Strip { left: true, right: false })
    }

    /// Removes white space behind.
    fn rstrip(&self) -> PyResult<()> {
        self.run(NormalizerSpec::Strip { left: false, right: true })
    }

    /// Removes white space in front and behind.
    fn strip(&self) -> PyResult<()> {
        self.run(NormalizerSpec::Strip { left: true, right: true })
    }

    /// Removes everything.
    fn clear(&self) -> PyResult<()> {
        self.each(|rewriter, _| {
            rewriter.skip(1);
            Ok(())
        })
    }

    /// Keeps the characters for which `func(char)` is true.
    fn filter(&self, func: &Bound<'_, PyAny>) -> PyResult<()> {
        callable(func, "`filter` expect a callable with the signature: `fn(char) -> bool`")?;
        self.each(|rewriter, c| {
            if func.call1((c,))?.extract()? {
                rewriter.keep(c.len_utf8())
            } else {
                rewriter.skip(1)
            }
            Ok(())
        })
    }

    /// Calls `func(char)` for every character.
    fn for_each(&self, func: &Bound<'_, PyAny>) -> PyResult<()> {
        callable(func, "`for_each` expect a callable with the signature: `fn(char)`")?;
        let text = self.normalized()?;
        text.chars().try_for_each(|c| func.call1((c,)).map(drop))
    }

    /// Replaces every character by `func(char)`, which returns one character.
    fn map(&self, func: &Bound<'_, PyAny>) -> PyResult<()> {
        let signature = "`map` expect a callable with the signature: `fn(char) -> char`";
        callable(func, signature)?;
        self.each(|rewriter, c| {
            let mapped = func.call1((c,))?;
            let said = || format!("{signature}; of {c:?} it makes {}", crate::border::place::shown(&mapped));
            let text = mapped.cast::<PyString>().map_err(|_| PyTypeError::new_err(said()))?;
            let mut characters = text.to_str()?.chars();
            match (characters.next(), characters.next()) {
                (Some(one), None) => rewriter.replace(one),
                _ => return Err(crate::border::errors::argument(said())),
            }
            Ok(())
        })
    }

    /// Replaces every match of a `str` or `Regex` by `content`.
    #[pyo3(name = "replace")]
    fn replace_matches(&self, pattern: &Bound<'_, PyAny>, content: String) -> PyResult<()> {
        let pattern = self::pattern(pattern)?;
        if is_nothing(&pattern) { Ok(()) } else { self.run(NormalizerSpec::Replace { pattern, content }) }
    }

    /// Splits at the matches of a `str` or `Regex`.
    ///
    /// Args:
    ///     behavior: what becomes of the matches: `removed`, `isolated`, `merged_with_previous`,
    ///         `merged_with_next` or `contiguous`.
    #[pyo3(signature = (pattern, behavior))]
    fn split(
        &self,
        pattern: &Bound<'_, PyAny>,
        behavior: &Bound<'_, PyAny>,
    ) -> PyResult<Vec<NormalizedString>> {
        let (pattern, behavior) = (self::pattern(pattern)?, self::behavior(behavior)?);
        let text = self.copy()?;
        if text.normalized().is_empty() || is_nothing(&pattern) {
            return Ok(vec![text.into()]);
        }
        let parts = parts(&Matcher::new(&pattern).or_raise()?, behavior, text.normalized()).or_raise()?;
        Ok(parts.into_iter().map(|part| slice_bytes(&text, part.start, part.end).into()).collect())
    }

    /// A part, by characters of the normalized side: an index, a pair or a slice. `None` outside.
    fn slice(&self, range: &Bound<'_, PyAny>) -> PyResult<Option<NormalizedString>> {
        let text = self.copy()?;
        let chars = text.normalized().chars().count();
        let (start, end) = if let Ok(slice) = range.cast::<PySlice>() {
            let indices = slice.indices(chars as isize)?;
            if indices.step != 1 {
                return Err(crate::border::errors::argument("a slice of a NormalizedString has no step"));
            }
            (indices.start.max(0) as usize, indices.stop.max(0) as usize)
        } else if let Ok((start, end)) = range.extract::<(usize, usize)>() {
            (start, end)
        } else {
            let index: isize = range.extract()?;
            if index >= 0 {
                (index as usize, index as usize + 1)
            } else if index.unsigned_abs() <= chars {
                let index = chars - index.unsigned_abs();
                (index, index + 1)
            } else {
                return Err(crate::border::errors::argument(format!(
                    "{} is bigger than max len",
                    index.unsigned_abs()
                )));
            }
        };
        // What begins in the string may end behind it.
        if start >= chars && (chars, end) != (0, 0) {
            return Ok(None);
        }
        let byte = |position: usize| {
            text.normalized().char_indices().nth(position).map_or(text.normalized().len(), |(byte, _)| byte)
        };
        let first = byte(start);
        Ok(Some(slice_bytes(&text, first, byte(end.max(start)).max(first)).into()))
    }

    fn __getitem__(&self, range: &Bound<'_, PyAny>) -> PyResult<Option<NormalizedString>> {
        self.slice(range)
    }

    fn __repr__(&self) -> PyResult<String> {
        self.with(|text| {
            format!(
                "NormalizedString(original=\"{}\", normalized=\"{}\")",
                text.original(),
                text.normalized()
            )
        })
    }

    fn __str__(&self) -> PyResult<String> {
        self.normalized()
    }
}

/// Hands a string to a Python function and takes it back: the object dies afterwards.
pub fn lend<'py>(
    py: Python<'py>,
    text: &mut Text,
    function: impl FnOnce(&Bound<'py, NormalizedString>) -> PyResult<()>,
) -> tessella_core::Result<()> {
    let lent = Bound::new(py, NormalizedString::from(text.clone())).map_err(from_python)?;
    let result = function(&lent);
    let returned = lent.get().take();
    result.map_err(from_python)?;
    *text = returned.map_err(from_python)?;
    Ok(())
}
