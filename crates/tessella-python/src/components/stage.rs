//! What the handles of all kinds of components have in common.
//!
//! A handle is private to the package: the public classes in Python hold one each and give it names, types
//! and documentation. It knows its component's fields by name, its state as JSON and, for sequences, its
//! parts.

use pyo3::exceptions::{PyAttributeError, PyIndexError};
use pyo3::prelude::*;

use crate::components::live::{Chain, MAX_DEPTH, Misfit, Node};

/// A description with fields that Python sees.
pub trait Component: Chain {
    /// What the kind of component is called in messages.
    const TITLE: &'static str;

    /// The name of the public class.
    fn kind(&self) -> &'static str;

    fn get(&self, py: Python<'_>, name: &str) -> PyResult<Option<Py<PyAny>>>;

    /// `None` if there is no such field.
    fn set(&mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<()>>;

    fn to_json(&self) -> tessella_core::Result<String>;

    fn from_json(json: &str, allowed: &[String]) -> tessella_core::Result<Self>;
}

pub fn kind<S: Component>(node: &Node<S>) -> &'static str {
    node.peek(S::kind).unwrap_or("Sequence")
}

pub fn get<S: Component>(node: &Node<S>, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
    node.peek(|spec| spec.get(py, name))
        .transpose()?
        .flatten()
        .ok_or_else(|| PyAttributeError::new_err(format!("{} has no attribute `{name}`", kind(node))))
}

pub fn set<S: Component>(node: &Node<S>, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    // The value is read on a copy: converting it may run Python code, and no lock is held meanwhile.
    let changed = node.peek(|spec| spec.clone());
    let kind = kind(node);
    let missing = || PyAttributeError::new_err(format!("{kind} has no attribute `{name}` that can be set"));
    let mut spec = changed.ok_or_else(missing)?;
    spec.set(name, value)?.ok_or_else(missing)?;
    node.edit(|old| *old = spec);
    Ok(())
}

pub fn sequence<S: Component>(parts: Vec<Node<S>>) -> PyResult<Node<S>> {
    Node::sequence(parts).map_err(misfit::<S>)
}

fn misfit<S: Component>(why: Misfit) -> PyErr {
    match why {
        Misfit::Cycle => crate::border::errors::argument("a Sequence cannot contain itself"),
        Misfit::TooDeep => crate::border::errors::argument(format!(
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
        Err(PyIndexError::new_err("Index not found"))
    }
}

/// Declares a handle: the methods that all of them share, and those of its kind.
macro_rules! handle {
    ($handle:ident, $spec:ty, $built:ty, { $($methods:tt)* }) => {
        /// A component that Python holds, shared with every tokenizer that uses it.
        #[pyo3::pyclass(frozen, module = "tessella._tessella")]
        pub struct $handle {
            pub node: crate::components::live::Node<$spec>,
            built: crate::components::live::Built<$built>,
        }

        impl From<crate::components::live::Node<$spec>> for $handle {
            fn from(node: crate::components::live::Node<$spec>) -> Self {
                $handle { node, built: Default::default() }
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
                self.built
                    .get(self.node.changed(), || <$built>::new(&self.node.spec()))
                    .map_err(crate::border::errors::raise)
            }
        }

        #[pyo3::pymethods]
        impl $handle {
            fn kind(&self) -> &'static str {
                crate::components::stage::kind(&self.node)
            }

            fn get(&self, py: pyo3::Python<'_>, name: &str) -> pyo3::PyResult<pyo3::Py<pyo3::PyAny>> {
                crate::components::stage::get(&self.node, py, name)
            }

            fn set(&self, name: &str, value: &pyo3::Bound<'_, pyo3::PyAny>) -> pyo3::PyResult<()> {
                crate::components::stage::set(&self.node, name, value)
            }

            fn to_json(&self) -> pyo3::PyResult<String> {
                crate::components::stage::Component::to_json(&self.node.spec()).map_err(crate::border::errors::raise)
            }

            #[staticmethod]
            #[pyo3(signature = (json, allow_custom = Vec::new()))]
            fn from_json(json: &str, allow_custom: Vec<String>) -> pyo3::PyResult<Self> {
                <$spec as crate::components::stage::Component>::from_json(json, &allow_custom)
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
                crate::files::pack::import_paths(&spec, &mut paths);
                let packed = crate::files::pack::pack(&spec).map_err(crate::border::errors::raise)?;
                Ok((packed.to_python(py)?, paths))
            }

            #[staticmethod]
            fn unpack(packed: &pyo3::Bound<'_, pyo3::PyAny>, import_paths: Vec<String>) -> pyo3::PyResult<Self> {
                let packed = crate::files::pack::Packed::from_python(packed)?;
                crate::files::pack::unpack::<$spec>(packed, &import_paths)
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
