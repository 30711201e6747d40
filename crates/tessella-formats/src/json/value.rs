//! The tree of a small JSON section.

/// A number, exact where it is an integer of 64 bits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// Without a sign, a point or an exponent.
    Unsigned(u64),
    /// Below zero.
    Negative(i64),
    /// Any other.
    Float(f64),
}

impl Number {
    /// The nearest number with a point.
    pub fn as_f64(self) -> f64 {
        match self {
            Number::Unsigned(number) => number as f64,
            Number::Negative(number) => number as f64,
            Number::Float(number) => number,
        }
    }

    /// The number, if it is a whole one from 0.
    pub fn as_u64(self) -> Option<u64> {
        match self {
            Number::Unsigned(number) => Some(number),
            _ => None,
        }
    }
}

/// Any JSON value. Objects keep the order of their entries.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)] // The names are JSON's.
pub enum Value {
    Null,
    Bool(bool),
    Number(Number),
    String(String),
    Array(Vec<Value>),
    Object(Vec<(String, Value)>),
}

impl Value {
    /// The value of a key; of a repeated key the last one counts.
    pub fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Value::Object(entries) => {
                entries.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// Whether it is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// The value in an error message.
    pub fn describe(&self) -> String {
        match self {
            Value::Null => "null".into(),
            Value::Bool(value) => value.to_string(),
            Value::Number(number) => match number {
                Number::Unsigned(number) => format!("the number {number}"),
                Number::Negative(number) => format!("the number {number}"),
                Number::Float(number) => format!("the number {}", super::format_real(*number)),
            },
            Value::String(text) => format!("the string `{}`", tessella_core::error::excerpt(text)),
            Value::Array(items) => format!("an array of {}", items.len()),
            Value::Object(_) => "an object".into(),
        }
    }
}
