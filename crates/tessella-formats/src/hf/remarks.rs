//! What a document says in vain: keys that come twice and fields that nobody reads.
//!
//! The reference library takes the last of two values and passes over fields that it does not know, without a word;
//! both are mostly slips of the pen. So they are told, each with its path. Where that library refuses the document
//! (an unknown part at the top; a repeated field of an added token, of truncation or of padding; a repeated type of
//! the model), so is it here.

use std::collections::HashSet;

use tessella_core::error::excerpt;
use tessella_core::spec::{
    DecoderSpec, Described, ModelSpec, NormalizerSpec, PostProcessorSpec, PreTokenizerSpec,
};
use tessella_core::{Error, Result};

use super::components::field_names;
use crate::json::{Value, key_path};

/// The parts of a document.
pub(super) const PARTS: [&str; 9] = [
    "version",
    "truncation",
    "padding",
    "added_tokens",
    "normalizer",
    "pre_tokenizer",
    "post_processor",
    "decoder",
    "model",
];

/// Every field that some component reads or that files are known to carry along.
fn of_components() -> Vec<&'static str> {
    let mut names = vec!["type", "add_prefix_space", "path", "id", "ids", "str_rep", "tokens", "type_id"];
    names.extend(["Regex", "Sequence", "SpecialToken", "String"]);
    names.extend(field_names::<NormalizerSpec>());
    names.extend(field_names::<PreTokenizerSpec>());
    names.extend(field_names::<PostProcessorSpec>());
    names.extend(field_names::<DecoderSpec>());
    names.sort_unstable();
    names.dedup();
    names
}

/// The same of models, with their tables.
fn of_models() -> Vec<&'static str> {
    let mut names = vec!["type", "vocab", "merges"];
    for mut model in ModelSpec::KINDS.iter().filter_map(|kind| ModelSpec::blank(kind)) {
        names.extend(model.fields().iter().map(|field| field.name));
    }
    names.sort_unstable();
    names.dedup();
    names
}

const OF_ADDED_TOKENS: &[&str] =
    &["id", "content", "single_word", "lstrip", "rstrip", "normalized", "special"];
const OF_TRUNCATION: &[&str] = &["direction", "max_length", "strategy", "stride"];
const OF_PADDING: &[&str] =
    &["strategy", "direction", "pad_to_multiple_of", "pad_id", "pad_type_id", "pad_token", "Fixed"];

/// More are counted only: a file that is wrong in every line must not flood its reader.
const MOST: usize = 8;

/// Sentences for the reader of a document.
#[derive(Debug, Default)]
pub(super) struct Remarks {
    told: Vec<String>,
    more: usize,
}

impl Remarks {
    fn add(&mut self, sentence: String) {
        if self.told.len() < MOST {
            self.told.push(sentence);
        } else {
            self.more += 1;
        }
    }

    pub(super) fn repeated(&mut self, path: &str) {
        self.add(format!("the key {path} comes twice in the file: the last value counts"));
    }

    fn unknown(&mut self, path: &str, key: &str, known: &[&str]) {
        let meant = nearest(key, known).map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        self.add(format!("the field {path} is unknown and passed over{meant}"));
    }

    pub(super) fn into_notices(mut self) -> Vec<String> {
        if self.more > 0 {
            self.told.push(format!("{} more keys come twice or are unknown", self.more));
        }
        self.told
    }

    /// Looks through the fields of a model apart from its tables.
    pub(super) fn model(&mut self, fields: &Value, path: &str) -> Result<()> {
        if let Value::Object(fields) = fields
            && fields.iter().filter(|(key, _)| key == "type").count() > 1
        {
            return Err(twice().at(key_path(path, "type")));
        }
        self.value(fields, path, Some(&of_models()), false)
    }

    /// Looks through another part of the document.
    pub(super) fn part(&mut self, part: &str, value: &Value) -> Result<()> {
        let components;
        let (known, strict) = match part {
            "added_tokens" => (OF_ADDED_TOKENS, true),
            "truncation" => (OF_TRUNCATION, true),
            "padding" => (OF_PADDING, true),
            _ => {
                components = of_components();
                (components.as_slice(), false)
            }
        };
        self.value(value, &format!("$.{part}"), Some(known), strict)
    }

    /// Looks for keys that come twice in what may have any field.
    pub(super) fn repeated_in(&mut self, value: &Value) {
        // Only strict parts are refused for it.
        let _ = self.value(value, "$", None, false);
    }

    /// Looks at what has these fields, or any. Values are nested as deeply as the parser allows, and no deeper.
    fn value(&mut self, value: &Value, path: &str, known: Option<&[&str]>, strict: bool) -> Result<()> {
        match value {
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    // Most elements are texts and numbers, whose paths nobody needs.
                    if matches!(item, Value::Array(_) | Value::Object(_)) {
                        self.value(item, &format!("{path}[{index}]"), known, strict)?;
                    }
                }
            }
            Value::Object(entries) => {
                // A component of the user's own has fields of its own.
                let any = value.get("type").and_then(Value::as_str) == Some("Custom");
                let mut seen = HashSet::new();
                for (key, inner) in entries {
                    let here = key_path(path, key);
                    if !seen.insert(key) {
                        if strict {
                            return Err(twice().at(here));
                        }
                        self.repeated(&here);
                    }
                    match (known, key.as_str(), inner) {
                        (Some(_), ..) if any => {}
                        (Some(known), name, _) if !known.contains(&name) => self.unknown(&here, key, known),
                        (Some(known), "special_tokens", Value::Object(tokens)) => {
                            self.tokens(tokens, &here, known)?;
                        }
                        _ => self.value(inner, &here, known, strict)?,
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// An object whose keys are texts of tokens.
    fn tokens(&mut self, tokens: &[(String, Value)], path: &str, known: &[&str]) -> Result<()> {
        let mut seen = HashSet::new();
        for (token, inner) in tokens {
            let here = key_path(path, token);
            if !seen.insert(token) {
                self.repeated(&here);
            }
            self.value(inner, &here, Some(known), false)?;
        }
        Ok(())
    }
}

fn twice() -> Error {
    Error::format("the field comes twice; leave one of them out")
}

/// The refusal of a part that no document has.
pub(super) fn unknown_part<T>(key: &str) -> Result<T> {
    let meant = nearest(key, &PARTS).map_or_else(
        || format!("a document has {}", PARTS.join(", ")),
        |near| format!("did you mean `{near}`?"),
    );
    Err(Error::format(format!("the field `{}` is unknown; {meant}", excerpt(key))).at(key_path("$", key)))
}

/// The known name that differs least, if that is by no more than a third of its letters.
fn nearest<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    // Comparing takes the product of the lengths.
    if name.len() > 64 {
        return None;
    }
    let near = known.iter().map(|known| (distance(name, known), *known)).min()?;
    (near.0 * 3 <= near.1.len().max(3)).then_some(near.1)
}

/// Letters to insert, delete, replace or swap with their neighbour to get from one to the other.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let mut least = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    least = least.min(rows[i - 2][j - 2] + 1);
                }
                least
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_near() {
        for (name, near) in [
            ("dropuot", Some("dropout")),
            ("unk_tokne", Some("unk_token")),
            ("fuse_unkk", Some("fuse_unk")),
            ("vocabulary", None),
            ("zzz", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, &of_models()), near, "{name}");
        }
        assert_eq!(nearest("normaliser", &PARTS), Some("normalizer"));
    }

    fn read(text: &str) -> Value {
        crate::json::Parser::new(text).value().unwrap()
    }

    #[test]
    fn slips_of_a_part() {
        let mut remarks = Remarks::default();
        let strip = read(r#"{"type":"Strip","strip_left":true,"strip_left":false,"strip_rigth":{"a":1}}"#);
        remarks.part("normalizer", &strip).unwrap();
        remarks.part("normalizer", &read(r#"{"type":"Custom","mine":{"mine":1}}"#)).unwrap();
        let told = [
            "the key $.normalizer.strip_left comes twice in the file: the last value counts",
            "the field $.normalizer.strip_rigth is unknown and passed over; did you mean `strip_right`?",
        ];
        assert_eq!(remarks.into_notices(), told);
    }

    #[test]
    fn keys_of_settings_that_come_twice() {
        let mut remarks = Remarks::default();
        remarks.repeated_in(&read(r#"{"a":1,"b":[{"c":1,"c":2}],"a":2}"#));
        let told = ["$.b[0].c", "$.a"]
            .map(|key| format!("the key {key} comes twice in the file: the last value counts"));
        assert_eq!(remarks.into_notices(), told);
    }

    #[test]
    fn slips_that_are_refused() {
        let mut remarks = Remarks::default();
        let error = remarks.part("added_tokens", &read(r#"[{"id":1,"id":2}]"#)).unwrap_err();
        assert!(error.to_string().contains("$.added_tokens[0].id"), "{error}");
        let error = remarks.model(&read(r#"{"type":"BPE","type":"BPE"}"#), "$.model").unwrap_err();
        assert!(error.to_string().contains("$.model.type"), "{error}");
    }
}
