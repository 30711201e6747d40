//! What the handles of all kinds of components have in common.
//!
//! A handle is private to the package: the public classes in Python hold one each and give it names, types
//! and documentation. It knows its component's fields by name, its state as JSON and, for sequences, its
//! parts.

use pyo3::exceptions::{PyAttributeError, PyIndexError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tessella_core::spec::{DecoderSpec, NormalizerSpec, PostProcessorSpec, PreTokenizerSpec};
use tessella_formats::hf::Section;

use crate::border::errors::{OrRaise, argument};
use crate::components::fields::{from_python, to_python};
use crate::components::live::{Live, MAX_DEPTH, Misfit, Node};

/// A component that Python holds.
pub trait Component: Section + Live {
    /// What Python sees besides the fields of the description.
    fn more(&self, _py: Python<'_>, _name: &str) -> PyResult<Option<Py<PyAny>>> {
        Ok(None)
    }
}

impl Component for NormalizerSpec {}
impl Component for PreTokenizerSpec {}
impl Component for PostProcessorSpec {}
impl Component for DecoderSpec {}

pub fn kind<S: Component>(node: &Node<S>) -> &'static str {
    node.peek(S::kind).unwrap_or("Sequence")
}

/// A component with these fields, of which none may be missing that has no default.
pub fn make<S: Component>(kind: &str, given: Option<&Bound<'_, PyDict>>) -> PyResult<S> {
    filled(kind, blank(kind)?, given)
}

/// A component of a kind, whose fields have their defaults.
pub fn blank<S: Component>(kind: &str) -> PyResult<S> {
    S::blank(kind).ok_or_else(|| argument(format!("no {} `{kind}`", S::TITLE)))
}

/// The component with its fields as they are given.
pub fn filled<S: Component>(kind: &str, mut spec: S, given: Option<&Bound<'_, PyDict>>) -> PyResult<S> {
    let mut used = 0;
    for field in spec.fields() {
        let name = field.name;
        let value = given.map(|given| given.get_item(name)).transpose()?.flatten();
        match value {
            Some(value) => from_python(field, &value)?,
            None if field.required => return Err(argument(format!("{kind} lacks `{name}`"))),
            None => continue,
        }
        used += 1;
    }
    if used < given.map_or(0, |given| given.len()) {
        return Err(argument(format!("{kind} has no such fields")));
    }
    spec.check().or_raise()?;
    Ok(spec)
}

pub fn get<S: Component>(node: &Node<S>, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
    let missing = || PyAttributeError::new_err(format!("{} has no attribute `{name}`", kind(node)));
    // Python's values are made of a copy: where they are made finalizers may run, and no lock is held meanwhile.
    let mut spec = node.peek(S::clone).ok_or_else(missing)?;
    if let Some(field) = spec.fields().into_iter().find(|field| field.name == name) {
        return to_python(py, field.slot)?.ok_or_else(missing);
    }
    spec.more(py, name)?.ok_or_else(missing)
}

pub fn set<S: Component>(node: &Node<S>, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    // The value is read on a copy: converting it may run Python code, and no lock is held meanwhile.
    let changed = node.peek(S::clone);
    let kind = kind(node);
    let missing = || PyAttributeError::new_err(format!("{kind} has no attribute `{name}` that can be set"));
    let mut spec = changed.ok_or_else(missing)?;
    let field = spec.fields().into_iter().find(|field| field.name == name).ok_or_else(missing)?;
    from_python(field, value)?;
    spec.check().or_raise()?;
    node.edit(|old| *old = spec);
    Ok(())
}

pub fn sequence<S: Component>(parts: Vec<Node<S>>) -> PyResult<Node<S>> {
    Node::sequence(parts).map_err(misfit::<S>)
}

fn misfit<S: Component>(why: Misfit) -> PyErr {
    match why {
        Misfit::Cycle => argument("a Sequence cannot contain itself"),
        Misfit::TooDeep => argument(format!(
            "{}s would be nested too deep: at most {MAX_DEPTH} levels are possible",
            S::TITLE
        )),
        Misfit::NoSuchPart => PyIndexError::new_err("Index not found"),
    }
}

pub fn item<S: Component>(node: &Node<S>, index: isize) -> PyResult<Node<S>> {
    let mut children = node.children();
    let at = position(index, children.len())?;
    Ok(children.swap_remove(at))
}

pub fn set_item<S: Component>(node: &Node<S>, index: isize, child: Node<S>) -> PyResult<()> {
    let at = position(index, node.children().len())?;
    node.replace_child(at, child).map_err(misfit::<S>)
}

/// Negative indices count from the end, as in a list.
fn position(index: isize, len: usize) -> PyResult<usize> {
    let at = if index < 0 { index + len as isize } else { index };
    if (0..len as isize).contains(&at) {
        Ok(at as usize)
    } else {
        Err(PyIndexError::new_err(format!("Index not found: {index} in a sequence of {len}")))
    }
}

/// Declares a handle: the methods that all of them share, and those of its kind.
macro_rules! handle {
    ($handle:ident, $spec:ty, $built:ty, { $($methods:tt)* }) => {
        /// A component that Python holds, shared with every tokenizer that uses it.
        #[pyo3::pyclass(frozen, module = "tessella._tessella")]
        pub struct $handle {
            pub node: crate::components::live::Node<$spec>,
        }

        impl crate::components::live::Live for $spec {
            type Built = $built;

            fn build(&self) -> tessella_core::Result<$built> {
                <$built>::new(self)
            }
        }

        impl From<crate::components::live::Node<$spec>> for $handle {
            fn from(node: crate::components::live::Node<$spec>) -> Self {
                $handle { node }
            }
        }

        impl From<$spec> for $handle {
            fn from(spec: $spec) -> Self {
                crate::components::live::Node::new(spec).into()
            }
        }

        impl $handle {
            /// What runs the component as it is now.
            #[allow(dead_code)]
            pub fn built(&self) -> pyo3::PyResult<std::sync::Arc<$built>> {
                self.node.built().map_err(crate::border::errors::raise)
            }
        }

        #[pyo3::pymethods]
        impl $handle {
            /// A component of a kind, with its fields by name.
            #[staticmethod]
            #[pyo3(signature = (kind, **fields))]
            fn make(
                kind: &str,
                fields: Option<&pyo3::Bound<'_, pyo3::types::PyDict>>,
            ) -> pyo3::PyResult<Self> {
                crate::components::stage::make::<$spec>(kind, fields).map(Self::from)
            }

            /// The kinds of this stage, each with the names of its fields: what Python must have a class for.
            #[staticmethod]
            fn kinds() -> Vec<(&'static str, Vec<&'static str>)> {
                use tessella_core::spec::Described;
                let fields = |mut spec: $spec| spec.fields().iter().map(|field| field.name).collect();
                let kinds = <$spec>::KINDS.iter();
                kinds.map(|&kind| (kind, <$spec>::blank(kind).map_or_else(Vec::new, fields))).collect()
            }

            fn kind(&self) -> &'static str {
                crate::components::stage::kind(&self.node)
            }

            fn get(&self, py: pyo3::Python<'_>, name: &str) -> pyo3::PyResult<pyo3::Py<pyo3::PyAny>> {
                crate::components::stage::get(&self.node, py, name)
            }

            fn set(&self, name: &str, value: &pyo3::Bound<'_, pyo3::PyAny>) -> pyo3::PyResult<()> {
                crate::components::stage::set(&self.node, name, value)
            }

            /// All of it, or no more than so many entries of a table.
            #[pyo3(signature = (most = None))]
            fn to_json(&self, most: Option<usize>) -> pyo3::PyResult<String> {
                let spec = self.node.spec();
                match most {
                    Some(most) => tessella_formats::hf::component_in_brief(&spec, most),
                    None => tessella_formats::hf::component_to_json(&spec, false),
                }
                .map_err(crate::border::errors::raise)
            }

            #[staticmethod]
            #[pyo3(signature = (json, allow_custom = Vec::new()))]
            fn from_json(json: &str, allow_custom: Vec<String>) -> pyo3::PyResult<Self> {
                let resolver = crate::components::custom::Allowed(&allow_custom);
                tessella_formats::hf::component_from_json::<$spec>(json, Some(&resolver))
                    .map(Self::from)
                    .map_err(crate::border::errors::raise)
            }

            /// An independent component that does the same.
            fn copy(&self) -> Self {
                self.node.spec().into()
            }

            /// All of the component as Python data, and the import paths that it needs.
            fn pack<'py>(
                &self,
                py: pyo3::Python<'py>,
            ) -> pyo3::PyResult<(pyo3::Bound<'py, pyo3::types::PyTuple>, Vec<String>)> {
                let spec = self.node.spec();
                let mut paths = Vec::new();
                tessella_formats::packed::import_paths(&spec, &mut paths);
                let packed = tessella_formats::packed::Pack::pack(&spec).map_err(crate::border::errors::raise)?;
                Ok((crate::files::pack::part_to_python(&packed, py)?, paths))
            }

            #[staticmethod]
            fn unpack(packed: &pyo3::Bound<'_, pyo3::PyAny>, import_paths: Vec<String>) -> pyo3::PyResult<Self> {
                let packed = crate::files::pack::part_from_python(packed)?;
                let resolver = crate::components::custom::Allowed(&import_paths);
                <$spec as tessella_formats::packed::Pack>::unpack(packed, Some(&resolver))
                    .map(Self::from)
                    .map_err(crate::border::errors::raise)
            }

            #[staticmethod]
            fn sequence(parts: Vec<pyo3::Py<$handle>>) -> pyo3::PyResult<Self> {
                crate::components::stage::sequence(parts.iter().map(|part| part.get().node.clone()).collect())
                    .map(Self::from)
            }

            fn len(&self) -> usize {
                self.node.children().len()
            }

            fn item(&self, index: isize) -> pyo3::PyResult<Self> {
                crate::components::stage::item(&self.node, index).map(Self::from)
            }

            fn set_item(&self, index: isize, part: &pyo3::Bound<'_, $handle>) -> pyo3::PyResult<()> {
                crate::components::stage::set_item(&self.node, index, part.get().node.clone())
            }

            $($methods)*
        }
    };
}
pub(crate) use handle;
