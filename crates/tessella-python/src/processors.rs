//! Handles of post-processors.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use tessella_core::postprocess::PostProcessor;
use tessella_core::spec::{PostProcessorSpec as Spec, Template, TemplatePiece, TemplateSpecial};
use tessella_train::again::{Renamed, renumbered};

use crate::encoding::Encoding;
use crate::errors::OrRaise;
use crate::live::Chain;
use crate::place::Place;
use crate::stage::{Component, handle};
use crate::tokenizer::Tokenizer;

impl Chain for Spec {
    fn chain(parts: Vec<Self>) -> Self {
        Spec::Sequence(parts)
    }

    fn unchain(self) -> Result<Vec<Self>, Self> {
        match self {
            Spec::Sequence(parts) => Ok(parts),
            other => Err(other),
        }
    }
}

impl Component for Spec {
    const TITLE: &'static str = "PostProcessor";

    fn kind(&self) -> &'static str {
        match self {
            Spec::Bert { .. } => "BertProcessing",
            Spec::Roberta { .. } => "RobertaProcessing",
            Spec::ByteLevel { .. } => "ByteLevel",
            Spec::Template(_) => "TemplateProcessing",
            Spec::Sequence(_) => "Sequence",
        }
    }

    fn get(&self, py: Python<'_>, name: &str) -> PyResult<Option<Py<PyAny>>> {
        let value = match (self, name) {
            (Spec::Bert { sep, .. } | Spec::Roberta { sep, .. }, "sep") => sep.clone().into_py_any(py),
            (Spec::Bert { cls, .. } | Spec::Roberta { cls, .. }, "cls") => cls.clone().into_py_any(py),
            (Spec::Roberta { trim_offsets, .. } | Spec::ByteLevel { trim_offsets, .. }, "trim_offsets") => {
                trim_offsets.into_py_any(py)
            }
            (
                Spec::Roberta { add_prefix_space, .. } | Spec::ByteLevel { add_prefix_space, .. },
                "add_prefix_space",
            ) => add_prefix_space.into_py_any(py),
            (Spec::ByteLevel { use_regex, .. }, "use_regex") => use_regex.into_py_any(py),
            (Spec::Template(template), "single") => written(&template.single).into_py_any(py),
            (Spec::Template(template), "pair") => written(&template.pair).into_py_any(py),
            (Spec::Template(template), "special_tokens") => specials_to_python(py, template),
            _ => return Ok(None),
        };
        value.map(Some)
    }

    fn set(&mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<()>> {
        match (self, name) {
            (Spec::Bert { sep, .. } | Spec::Roberta { sep, .. }, "sep") => *sep = value.extract()?,
            (Spec::Bert { cls, .. } | Spec::Roberta { cls, .. }, "cls") => *cls = value.extract()?,
            (Spec::Roberta { trim_offsets, .. } | Spec::ByteLevel { trim_offsets, .. }, "trim_offsets") => {
                *trim_offsets = value.extract()?;
            }
            (
                Spec::Roberta { add_prefix_space, .. } | Spec::ByteLevel { add_prefix_space, .. },
                "add_prefix_space",
            ) => *add_prefix_space = value.extract()?,
            (Spec::ByteLevel { use_regex, .. }, "use_regex") => *use_regex = value.extract()?,
            (Spec::Template(template), "single" | "pair" | "special_tokens") => {
                match name {
                    "single" => template.single = pieces(value)?,
                    "pair" => template.pair = pieces(value)?,
                    _ => template.special_tokens = specials(value)?,
                }
                template.check().or_raise()?;
            }
            _ => return Ok(None),
        }
        Ok(Some(()))
    }

    fn to_json(&self) -> tessella_core::Result<String> {
        crate::wire::post_processor_to_json(self)
    }

    fn from_json(json: &str, _allowed: &[String]) -> tessella_core::Result<Self> {
        crate::wire::post_processor_from_json(json)
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
    if let Some(advice) = crate::inputs::without_order(value) {
        return Err(crate::place::wrong_type(
            Place::Argument("special_tokens"),
            value,
            "expected a list of special tokens",
            advice,
        ));
    }
    value
        .try_iter()?
        .map(|special| {
            let special = special?;
            if let Ok((token, id)) = special.extract::<(String, u32)>() {
                return Ok(TemplateSpecial::one(token, id));
            }
            if let Ok((id, token)) = special.extract::<(u32, String)>() {
                return Ok(TemplateSpecial::one(token, id));
            }
            let Ok(fields) = special.cast::<PyDict>() else {
                return Err(pyo3::exceptions::PyTypeError::new_err(
                    "a special token of a template is a (token, id) tuple or a dict with `id`, `ids` and `tokens`",
                ));
            };
            let field = |name: &str| {
                fields.get_item(name)?.ok_or_else(|| {
                    crate::errors::argument(format!("`{name}` must be specified"))
                })
            };
            TemplateSpecial::new(field("id")?.extract()?, field("ids")?.extract()?, field("tokens")?.extract()?)
                .or_raise()
        })
        .collect()
}

fn specials_to_python(py: Python<'_>, template: &Template) -> PyResult<Py<PyAny>> {
    let list = template
        .special_tokens
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

type Special = (String, u32);

handle!(PostProcessorHandle, Spec, PostProcessor, {
    #[staticmethod]
    fn bert(sep: Special, cls: Special) -> Self {
        Spec::Bert { sep, cls }.into()
    }

    #[staticmethod]
    fn roberta(sep: Special, cls: Special, trim_offsets: bool, add_prefix_space: bool) -> Self {
        Spec::Roberta { sep, cls, trim_offsets, add_prefix_space }.into()
    }

    #[staticmethod]
    fn byte_level(add_prefix_space: bool, trim_offsets: bool, use_regex: bool) -> Self {
        Spec::ByteLevel { add_prefix_space, trim_offsets, use_regex }.into()
    }

    #[staticmethod]
    fn template(
        single: &Bound<'_, PyAny>,
        pair: &Bound<'_, PyAny>,
        special_tokens: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let template = Template {
            single: pieces(single)?,
            pair: pieces(pair)?,
            special_tokens: specials(special_tokens)?,
        };
        template.check().or_raise()?;
        Ok(Spec::Template(template).into())
    }

    /// What puts in the same tokens, under new names, with their ids in a tokenizer.
    fn renumbered(&self, renamed: Renamed, tokenizer: &Bound<'_, Tokenizer>) -> PyResult<Self> {
        let value = tokenizer.get().value()?;
        renumbered(&self.node.spec(), &renamed, &|token| value.core.token_to_id(token))
            .or_raise()
            .map(Self::from)
    }

    fn num_special_tokens_to_add(&self, is_pair: bool) -> PyResult<usize> {
        Ok(self.built()?.added_tokens(is_pair))
    }

    fn process(
        &self,
        encoding: &Bound<'_, Encoding>,
        pair: Option<&Bound<'_, Encoding>>,
        add_special_tokens: bool,
    ) -> PyResult<Encoding> {
        let first = encoding.get().copy();
        let second = pair.map(|pair| pair.get().copy());
        self.built()?.process(first, second, add_special_tokens).or_raise().map(Encoding::from)
    }
});
