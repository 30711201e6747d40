//! Added tokens between Python and the engine.
//!
//! The public class lives in Python. Anything that has its attributes is accepted, so that the tokens of
//! other libraries can be handed over.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString};
use tessella_core::spec::AddedToken;

use crate::border::arrays::has_no_dimension;
use crate::border::inputs::{ONE_VALUE, without_order};

static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// Tokens from a list of `str` and token objects. `special` says what a `str` becomes, and makes token objects
/// special, as adding special tokens does.
pub fn tokens(list: &Bound<'_, PyAny>, special: bool) -> PyResult<Vec<AddedToken>> {
    if list.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err("Input must be a List[Union[str, AddedToken]], not one str"));
    }
    if list.is_instance_of::<PyDict>() {
        // Walking it would add the names of the roles.
        return Err(PyTypeError::new_err(
            "Input must be a List[Union[str, AddedToken]], not a dict: a tokenizer of tessella.AutoTokenizer, or \
             tessella.batch.PretrainedTokenizer(tokenizer, pad_token='[PAD]'), knows roles",
        ));
    }
    let advice = if has_no_dimension(list) { Some(ONE_VALUE) } else { without_order(list) };
    if let Some(advice) = advice {
        let found = crate::border::place::shown(list);
        return Err(PyTypeError::new_err(format!(
            "Input must be a List[Union[str, AddedToken]], found {found}; {advice}"
        )));
    }
    let walks = list.hasattr("__iter__")?;
    let tokens = list.try_iter().map_err(|error| {
        let found = || crate::border::place::shown(list);
        let refused = || format!("Input must be a List[Union[str, AddedToken]], found {}", found());
        if walks { error } else { PyTypeError::new_err(refused()) }
    })?;
    tokens.map(|token| self::token(&token?, special)).collect()
}

fn token(token: &Bound<'_, PyAny>, special: bool) -> PyResult<AddedToken> {
    if let Ok(content) = token.cast::<PyString>() {
        return Ok(AddedToken::new(content.to_str()?, special));
    }
    if !token.hasattr("content")? {
        return Err(PyTypeError::new_err(format!(
            "Input must be a List[Union[str, AddedToken]], found {} in it",
            token.repr()?
        )));
    }
    if special {
        token.setattr("special", true)?;
    }
    Ok(AddedToken {
        id: None,
        content: token.getattr("content")?.extract()?,
        single_word: token.getattr("single_word")?.extract()?,
        lstrip: token.getattr("lstrip")?.extract()?,
        rstrip: token.getattr("rstrip")?.extract()?,
        normalized: token.getattr("normalized")?.extract()?,
        special: token.getattr("special")?.extract()?,
    })
}

/// The public object for a token.
pub fn to_python<'py>(py: Python<'py>, token: &AddedToken) -> PyResult<Bound<'py, PyAny>> {
    let class = CLASS.get_or_try_init(py, || -> PyResult<Py<PyAny>> {
        Ok(py.import("tessella.tokens")?.getattr("AddedToken")?.unbind())
    })?;
    let AddedToken { content, single_word, lstrip, rstrip, normalized, special, .. } = token;
    class.bind(py).call1((content, *single_word, *lstrip, *rstrip, *normalized, *special))
}
