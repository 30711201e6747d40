//! A value together with its JSON path: reading content, with complaints that say where.

use tessella_core::error::excerpt;
use tessella_core::{Error, Result};

use super::value::Value;

/// A value in a tree, and how it was reached.
#[derive(Debug, Clone)]
pub struct Node<'v> {
    /// The value.
    pub value: &'v Value,
    path: String,
}

/// The path of a field: `parent.key`, or `parent["key"]` where the key is no plain name.
pub fn key_path(parent: &str, key: &str) -> String {
    if !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        format!("{parent}.{key}")
    } else {
        format!("{parent}[\"{}\"]", excerpt(key))
    }
}

impl<'v> Node<'v> {
    /// A value and the path to it.
    pub fn new(value: &'v Value, path: impl Into<String>) -> Self {
        Node { value, path: path.into() }
    }

    /// The path from the document's root, `$.model.vocab`.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// An error about this value.
    pub fn fail<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(Error::format(message).at(&self.path))
    }

    fn expected<T>(&self, what: &str) -> Result<T> {
        self.fail(format!("found {}, expected {what}", self.value.describe()))
    }

    /// The value is none of the known names.
    pub fn unknown<T>(&self, known: &[&str]) -> Result<T> {
        match self.value {
            Value::String(text) => {
                self.fail(format!("unknown value `{}`; known: {}", excerpt(text), known.join(", ")))
            }
            _ => self.expected(&format!("one of {}", known.join(", "))),
        }
    }

    /// The field, if present and not null.
    pub fn field(&self, key: &str) -> Option<Node<'v>> {
        match self.value.get(key) {
            None | Some(Value::Null) => None,
            Some(value) => Some(Node { value, path: key_path(&self.path, key) }),
        }
    }

    /// A field that must be there.
    pub fn required(&self, key: &str) -> Result<Node<'v>> {
        match self.value.get(key) {
            Some(value) => Ok(Node { value, path: key_path(&self.path, key) }),
            None => self.fail(format!("the field `{key}` is missing")),
        }
    }

    /// Whether there is such a field.
    pub fn has(&self, key: &str) -> bool {
        self.value.get(key).is_some()
    }

    /// The items of an array.
    pub fn items(&self) -> Result<impl Iterator<Item = Node<'v>> + use<'v>> {
        match self.value {
            Value::Array(items) => {
                let path = self.path.clone();
                Ok(items
                    .iter()
                    .enumerate()
                    .map(move |(i, value)| Node { value, path: format!("{path}[{i}]") }))
            }
            _ => self.expected("an array"),
        }
    }

    /// The elements of an array of known length.
    pub fn exactly<const N: usize>(&self) -> Result<[Node<'v>; N]> {
        let items: Vec<Node<'v>> = self.items()?.collect();
        match items.try_into() {
            Ok(items) => Ok(items),
            Err(_) => self.expected(&format!("an array of {N}")),
        }
    }

    /// The fields of an object.
    pub fn entries(&self) -> Result<impl Iterator<Item = (&'v str, Node<'v>)> + use<'v>> {
        match self.value {
            Value::Object(entries) => {
                let path = self.path.clone();
                Ok(entries
                    .iter()
                    .map(move |(key, value)| (key.as_str(), Node { value, path: key_path(&path, key) })))
            }
            _ => self.expected("an object"),
        }
    }

    /// An error for anything but an object.
    pub fn must_be_object(&self) -> Result<()> {
        match self.value {
            Value::Object(_) => Ok(()),
            _ => self.expected("an object"),
        }
    }

    /// A string.
    pub fn str(&self) -> Result<&'v str> {
        match self.value {
            Value::String(text) => Ok(text),
            _ => self.expected("a string"),
        }
    }

    /// A string of one character.
    pub fn char(&self) -> Result<char> {
        let mut chars = self.str()?.chars();
        match (chars.next(), chars.next()) {
            (Some(c), None) => Ok(c),
            _ => self.expected("a string of exactly one character"),
        }
    }

    /// True or false.
    pub fn bool(&self) -> Result<bool> {
        match self.value {
            Value::Bool(value) => Ok(*value),
            _ => self.expected("true or false"),
        }
    }

    /// A whole number of 32 bits.
    pub fn u32(&self) -> Result<u32> {
        self.whole("an integer from 0 to 4294967295")
    }

    /// A whole number.
    pub fn usize(&self) -> Result<usize> {
        self.whole("a non-negative integer")
    }

    fn whole<T: TryFrom<u64>>(&self, expected: &str) -> Result<T> {
        let number = if let Value::Number(number) = self.value { number.as_u64() } else { None };
        number.and_then(|number| T::try_from(number).ok()).map_or_else(|| self.expected(expected), Ok)
    }

    /// A number.
    pub fn f64(&self) -> Result<f64> {
        match self.value {
            Value::Number(number) => Ok(number.as_f64()),
            _ => self.expected("a number"),
        }
    }

    /// A field with a string.
    pub fn string_field(&self, key: &str) -> Result<String> {
        Ok(self.required(key)?.str()?.to_string())
    }

    /// A field with true or false.
    pub fn bool_field(&self, key: &str) -> Result<bool> {
        self.required(key)?.bool()
    }

    /// A field with true or false, which may be missing.
    pub fn bool_or(&self, key: &str, default: bool) -> Result<bool> {
        self.field(key).map_or(Ok(default), |node| node.bool())
    }

    /// One of a few names, each with its meaning.
    pub fn one_of<T: Copy>(&self, known: &[(&str, T)]) -> Result<T> {
        if let Value::String(text) = self.value
            && let Some((_, meaning)) = known.iter().find(|(name, _)| name == text)
        {
            return Ok(*meaning);
        }
        self.unknown(&known.iter().map(|(name, _)| *name).collect::<Vec<_>>())
    }
}
