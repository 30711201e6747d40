//! JSON out: compact, or indented by two spaces.

use std::fmt::Write;

use super::value::{Number, Value};
use super::{write_real, write_score};

/// How a document is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// On one line.
    Compact,
    /// A line for each value, as the reference library writes it.
    Pretty,
}

/// A line's end, and blanks for eight containers in one another, which few are.
const NEW_LINE: &str = "\n                ";
const BLANKS: usize = NEW_LINE.len() - 1;

/// Writes one value. Containers are opened and closed by the caller, commas and indentation are not its worry.
#[derive(Debug)]
pub struct Writer {
    out: String,
    layout: Layout,
    /// The entries of each open container.
    open: Vec<usize>,
    /// Entries of a container, at most, where whoever writes asks.
    most: usize,
    /// A key was written, its value is due.
    after_key: bool,
}

#[allow(missing_docs)] // Each writes what its name says.
impl Writer {
    /// An empty document.
    pub fn new(layout: Layout) -> Self {
        Writer { out: String::new(), layout, open: Vec::new(), most: usize::MAX, after_key: false }
    }

    /// One of which tables show no more than so many entries.
    pub fn brief(most: usize) -> Self {
        Writer { most, ..Writer::new(Layout::Compact) }
    }

    /// Whether the innermost container shows enough.
    pub fn is_full(&self) -> bool {
        self.open.last().is_some_and(|&entries| entries >= self.most)
    }

    /// The document.
    pub fn finish(self) -> String {
        self.out
    }

    fn new_line(&mut self) {
        if self.layout == Layout::Pretty {
            let mut blanks = 2 * self.open.len();
            self.out.push_str(&NEW_LINE[..1 + blanks.min(BLANKS)]);
            while blanks > BLANKS {
                blanks -= BLANKS;
                self.out.push_str(&NEW_LINE[1..][..blanks.min(BLANKS)]);
            }
        }
    }

    /// Comma and indentation before an entry of the innermost container.
    fn separate(&mut self) {
        if std::mem::take(&mut self.after_key) {
            return;
        }
        if let Some(entries) = self.open.last_mut() {
            *entries += 1;
            if *entries > 1 {
                self.out.push(',');
            }
            self.new_line();
        }
    }

    fn close(&mut self, bracket: char) {
        if self.open.pop().is_some_and(|entries| entries > 0) {
            self.new_line();
        }
        self.out.push(bracket);
    }

    pub fn begin_object(&mut self) {
        self.separate();
        self.out.push('{');
        self.open.push(0);
    }

    pub fn end_object(&mut self) {
        self.close('}');
    }

    pub fn begin_array(&mut self) {
        self.separate();
        self.out.push('[');
        self.open.push(0);
    }

    pub fn end_array(&mut self) {
        self.close(']');
    }

    pub fn key(&mut self, key: &str) {
        self.separate();
        self.quote(key);
        self.out.push_str(if self.layout == Layout::Pretty { ": " } else { ":" });
        self.after_key = true;
    }

    pub fn null(&mut self) {
        self.separate();
        self.out.push_str("null");
    }

    pub fn bool(&mut self, value: bool) {
        self.separate();
        self.out.push_str(if value { "true" } else { "false" });
    }

    pub fn unsigned(&mut self, number: u64) {
        self.separate();
        // A `String` takes all.
        let _ = write!(self.out, "{number}");
    }

    pub fn f64(&mut self, number: f64) {
        self.separate();
        write_real(number, &mut self.out);
    }

    /// A number as readers of `tokenizer.json` read scores.
    pub fn score(&mut self, number: f64) {
        self.separate();
        write_score(number, &mut self.out);
    }

    pub fn f32(&mut self, number: f32) {
        self.separate();
        write_real(number, &mut self.out);
    }

    pub fn string(&mut self, text: &str) {
        self.separate();
        self.quote(text);
    }

    fn quote(&mut self, text: &str) {
        self.out.push('"');
        let mut rest = text;
        while let Some(at) = rest.bytes().position(|byte| byte < 0x20 || byte == b'"' || byte == b'\\') {
            self.out.push_str(&rest[..at]);
            match rest.as_bytes()[at] {
                b'"' => self.out.push_str("\\\""),
                b'\\' => self.out.push_str("\\\\"),
                8 => self.out.push_str("\\b"),
                9 => self.out.push_str("\\t"),
                10 => self.out.push_str("\\n"),
                12 => self.out.push_str("\\f"),
                13 => self.out.push_str("\\r"),
                control => self.out.push_str(&format!("\\u{control:04x}")),
            }
            rest = &rest[at + 1..];
        }
        self.out.push_str(rest);
        self.out.push('"');
    }

    // A key with its value.

    pub fn string_field(&mut self, key: &str, text: &str) {
        self.key(key);
        self.string(text);
    }

    pub fn bool_field(&mut self, key: &str, value: bool) {
        self.key(key);
        self.bool(value);
    }

    pub fn unsigned_field(&mut self, key: &str, number: u64) {
        self.key(key);
        self.unsigned(number);
    }

    /// A whole tree. Its depth is bounded by what the parser accepts.
    pub fn value(&mut self, value: &Value) {
        enum Step<'v> {
            Value(&'v Value),
            Key(&'v str),
            EndArray,
            EndObject,
        }
        let mut steps = vec![Step::Value(value)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Key(key) => self.key(key),
                Step::EndArray => self.end_array(),
                Step::EndObject => self.end_object(),
                Step::Value(Value::Null) => self.null(),
                Step::Value(Value::Bool(value)) => self.bool(*value),
                Step::Value(Value::String(text)) => self.string(text),
                Step::Value(Value::Number(Number::Unsigned(number))) => self.unsigned(*number),
                Step::Value(Value::Number(Number::Float(number))) => self.f64(*number),
                Step::Value(Value::Number(Number::Negative(number))) => {
                    self.separate();
                    self.out.push_str(&number.to_string());
                }
                Step::Value(Value::Array(items)) => {
                    self.begin_array();
                    steps.push(Step::EndArray);
                    steps.extend(items.iter().rev().map(Step::Value));
                }
                Step::Value(Value::Object(entries)) => {
                    self.begin_object();
                    steps.push(Step::EndObject);
                    for (key, value) in entries.iter().rev() {
                        steps.push(Step::Value(value));
                        steps.push(Step::Key(key));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Parser;
    use super::*;

    #[test]
    fn both_layouts_read_back() {
        let text = r#"{"a":[1,-2,0.5,[],{}],"b":{"c":"\"\\\n\u0001é"},"d":null,"e":[true,false]}"#;
        let value = Parser::new(text).value().unwrap();
        for (layout, expected) in [(Layout::Compact, Some(text)), (Layout::Pretty, None)] {
            let mut writer = Writer::new(layout);
            writer.value(&value);
            let written = writer.finish();
            assert_eq!(Parser::new(&written).value().unwrap(), value);
            if let Some(expected) = expected {
                assert_eq!(written, expected);
            }
        }
    }

    #[test]
    fn pretty_indents_by_two() {
        let mut writer = Writer::new(Layout::Pretty);
        writer.value(&Parser::new(r#"{"a":[1,[]],"b":{}}"#).value().unwrap());
        assert_eq!(writer.finish(), "{\n  \"a\": [\n    1,\n    []\n  ],\n  \"b\": {}\n}");
    }
}
