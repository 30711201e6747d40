//! Fields of components between Python and their descriptions, by the type of each.

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use tessella_core::spec::described::{Field, Slot};
use tessella_core::spec::{CharsmapMatching, TemplatePiece, TemplateSpecial};

use crate::border::errors::{OrRaise, argument};
use crate::border::place::{Place, wrong_type};
use crate::border::values::{
    behavior, behavior_name, character, pattern, prepend_scheme, prepend_scheme_name, whole, whole_or_none,
};

/// The largest length that Python knows.
const LARGEST: u64 = isize::MAX as u64;

/// A field's value; nothing for what only a description holds.
pub fn to_python(py: Python<'_>, slot: Slot<'_>) -> PyResult<Option<Py<PyAny>>> {
    match slot {
        Slot::Flag(flag) => (*flag).into_py_any(py),
        Slot::MaybeFlag(flag) => (*flag).into_py_any(py),
        Slot::Number(number) => (*number).into_py_any(py),
        Slot::MaybeNumber(number) => (*number).into_py_any(py),
        Slot::Probability(number) => (*number).into_py_any(py),
        Slot::MaybeReal(number) => (*number).into_py_any(py),
        Slot::Text(text) => text.clone().into_py_any(py),
        Slot::MaybeText(text) => text.clone().into_py_any(py),
        Slot::Character(character) => (*character).into_py_any(py),
        Slot::Behavior(behavior) => behavior_name(*behavior).into_py_any(py),
        Slot::Scheme(scheme) => prepend_scheme_name(*scheme).into_py_any(py),
        Slot::Matching(matching) => match matching {
            CharsmapMatching::Grapheme => "grapheme",
            CharsmapMatching::LongestMatch => "longest_match",
        }
        .into_py_any(py),
        Slot::Token(token) => token.clone().into_py_any(py),
        Slot::Template(pieces) => written(pieces).into_py_any(py),
        Slot::Specials(specials) => specials_to_python(py, specials),
        Slot::Bytes(_) | Slot::Texts(_) | Slot::Pattern(_) | Slot::Pieces(_) => return Ok(None),
    }
    .map(Some)
}

/// Sets a field. A value of another type is told with the field's name and what it expects.
pub fn from_python(field: Field<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let (name, expected) = (field.name, expected(&field.slot));
    read(field, value).map_err(|error| match expected {
        Some(expected) if is_about_the_type(&error, value.py()) => {
            wrong_type(Place::Argument(name), value, &format!("expected {expected}"), "")
        }
        _ => error,
    })
}

/// What a field expects, where reading it does not tell so by itself.
fn expected(slot: &Slot<'_>) -> Option<&'static str> {
    Some(match slot {
        Slot::Flag(_) => "a bool",
        Slot::MaybeFlag(_) => "a bool or None",
        Slot::Probability(_) | Slot::MaybeReal(_) => "a number or None",
        Slot::Text(_) | Slot::Scheme(_) | Slot::Matching(_) => "a str",
        Slot::MaybeText(_) => "a str or None",
        Slot::Texts(_) => "a list of str",
        Slot::Character(_) => "a str of one character",
        Slot::Bytes(_) => "bytes",
        Slot::Pattern(_) => "a str or a tessella.Regex",
        Slot::Token(_) => "a tuple of a token and its id, like ('[SEP]', 102)",
        Slot::Template(_) => "a template, a str or a list of str",
        Slot::Number(_) | Slot::MaybeNumber(_) | Slot::Behavior(_) | Slot::Specials(_) | Slot::Pieces(_) => {
            return None;
        }
    })
}

/// Whether a value could not be read since it is none of the type: Python's own errors, and no class of ours.
fn is_about_the_type(error: &PyErr, py: Python<'_>) -> bool {
    let class = error.get_type(py);
    class.is(py.get_type::<PyTypeError>())
        || class.is(py.get_type::<PyOverflowError>())
        || class.is(py.get_type::<PyValueError>())
}

fn read(field: Field<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let name = || format!("`{}`", field.name);
    match field.slot {
        Slot::Flag(flag) => *flag = value.extract()?,
        Slot::MaybeFlag(flag) => *flag = value.extract()?,
        Slot::Number(number) => match whole(value, &name(), LARGEST)? {
            0 if field.name == "length" => return Err(argument("`length` must be at least 1, not 0")),
            new => *number = new,
        },
        Slot::MaybeNumber(number) => *number = whole_or_none(value, &name(), LARGEST)?,
        Slot::Probability(number) => *number = probability(value.extract()?)?,
        Slot::MaybeReal(number) => *number = value.extract()?,
        Slot::Text(text) => *text = value.extract()?,
        Slot::MaybeText(text) => *text = value.extract()?,
        Slot::Texts(texts) => *texts = value.extract::<Vec<String>>()?.into(),
        Slot::Character(old) => *old = character(value.extract()?, field.name)?,
        Slot::Bytes(bytes) => *bytes = value.extract::<Vec<u8>>()?.into(),
        Slot::Pattern(old) => *old = pattern(value)?,
        Slot::Behavior(old) => *old = behavior(value)?,
        Slot::Scheme(scheme) => *scheme = prepend_scheme(value.extract()?)?,
        Slot::Matching(old) => *old = matching(value.extract()?)?,
        Slot::Token(token) => *token = value.extract()?,
        Slot::Template(template) => *template = pieces(value)?,
        Slot::Specials(old) => *old = specials(value)?,
        Slot::Pieces(_) => return Err(argument(format!("{} comes with a model", name()))),
    }
    Ok(())
}

/// A share of merges that are skipped.
fn probability(value: Option<f32>) -> PyResult<Option<f32>> {
    match value {
        Some(p) if !(0.0..=1.0).contains(&p) => {
            Err(argument(format!("Dropout should be between 0 and 1, inclusive, not {p}")))
        }
        value => Ok(value),
    }
}

fn matching(name: &str) -> PyResult<CharsmapMatching> {
    match name {
        "grapheme" => Ok(CharsmapMatching::Grapheme),
        "longest_match" => Ok(CharsmapMatching::LongestMatch),
        other => Err(argument(format!("unknown matching `{other}`: use `grapheme` or `longest_match`"))),
    }
}

/// A template as a list of its pieces, each the way one writes it.
fn written(template: &[TemplatePiece]) -> Vec<String> {
    template
        .iter()
        .map(|piece| match piece {
            TemplatePiece::Sequence { second, type_id } => {
                format!("${}:{type_id}", if *second { "B" } else { "A" })
            }
            TemplatePiece::Special { id, type_id } => format!("{id}:{type_id}"),
        })
        .collect()
}

/// A template from a text, cut at single spaces, or from a list of pieces.
fn pieces(value: &Bound<'_, PyAny>) -> PyResult<Vec<TemplatePiece>> {
    if let Ok(text) = value.cast::<PyString>() {
        return TemplatePiece::parse_template(text.to_str()?).or_raise();
    }
    let list: Vec<String> = value.extract()?;
    TemplatePiece::parse_list(&list).or_raise()
}

/// Special tokens from `(token, id)`, `(id, token)` or a dict with `id`, `ids` and `tokens`.
fn specials(value: &Bound<'_, PyAny>) -> PyResult<Vec<TemplateSpecial>> {
    if let Some(advice) = crate::border::inputs::without_order(value) {
        let place = Place::Argument("special_tokens");
        return Err(wrong_type(place, value, "expected a list of special tokens", advice));
    }
    let list = value.try_iter().map_err(|_| {
        wrong_type(Place::Argument("special_tokens"), value, "expected a list of special tokens", "")
    })?;
    list.map(|special| {
        let special = special?;
        if let Ok((token, id)) = special.extract::<(String, u32)>() {
            return Ok(TemplateSpecial::one(token, id));
        }
        if let Ok((id, token)) = special.extract::<(u32, String)>() {
            return Ok(TemplateSpecial::one(token, id));
        }
        let Ok(fields) = special.cast::<PyDict>() else {
            let one = "expected a (token, id) tuple or a dict with `id`, `ids` and `tokens`";
            return Err(wrong_type(Place::Argument("special_tokens"), &special, one, ""));
        };
        let field = |name: &str| {
            fields
                .get_item(name)?
                .ok_or_else(|| crate::border::errors::argument(format!("`{name}` must be specified")))
        };
        let (id, ids, tokens) = (field("id")?, field("ids")?, field("tokens")?);
        match (id.extract(), ids.extract(), tokens.extract()) {
            (Ok(id), Ok(ids), Ok(tokens)) => TemplateSpecial::new(id, ids, tokens).or_raise(),
            _ => {
                let one = "expected `id`, a str, `ids`, a list of int, and `tokens`, a list of str";
                Err(wrong_type(Place::Argument("special_tokens"), &special, one, ""))
            }
        }
    })
    .collect()
}

fn specials_to_python(py: Python<'_>, specials: &[TemplateSpecial]) -> PyResult<Py<PyAny>> {
    let list = specials
        .iter()
        .map(|special| {
            let fields = PyDict::new(py);
            fields.set_item("id", &special.id)?;
            fields.set_item("ids", &special.ids)?;
            fields.set_item("tokens", &special.tokens)?;
            Ok(fields)
        })
        .collect::<PyResult<Vec<_>>>()?;
    list.into_py_any(py)
}
