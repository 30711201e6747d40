//! Normalizers on plain strings.

use std::sync::LazyLock;

use regex::Regex;
use tessella_core::pretokenize::byte_alphabet::bytes_to_alphabet;
use tessella_core::spec::NormalizerSpec;
use unicode_normalization::UnicodeNormalization;

use super::{Failure, Outcome, matches};

static MARK: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\p{M}").expect("a fixed pattern"));

pub(super) fn normalize(spec: &NormalizerSpec, text: &str) -> Outcome<String> {
    Ok(match spec {
        NormalizerSpec::Nfc => text.nfc().collect(),
        NormalizerSpec::Nfd => text.nfd().collect(),
        NormalizerSpec::Nfkc => text.nfkc().collect(),
        NormalizerSpec::Nfkd => text.nfkd().collect(),
        NormalizerSpec::Lowercase => text.chars().flat_map(char::to_lowercase).collect(),
        NormalizerSpec::Strip { left, right } => {
            let text = if *left { text.trim_start() } else { text };
            if *right { text.trim_end().to_string() } else { text.to_string() }
        }
        NormalizerSpec::StripAccents => text.chars().filter(|c| !MARK.is_match(&c.to_string())).collect(),
        NormalizerSpec::Prepend { .. } if text.is_empty() => String::new(),
        NormalizerSpec::Prepend { prepend } => format!("{prepend}{text}"),
        NormalizerSpec::Replace { pattern, content } => {
            let mut out = String::new();
            let mut done = 0;
            for (start, end) in matches(pattern, text)? {
                out.push_str(&text[done..start]);
                out.push_str(content);
                done = end;
            }
            out.push_str(&text[done..]);
            out
        }
        NormalizerSpec::ByteLevel => bytes_to_alphabet(text.as_bytes()),
        NormalizerSpec::Sequence(steps) => {
            let mut text = text.to_string();
            for step in steps {
                text = normalize(step, &text)?;
            }
            text
        }
        _ => return Err(Failure::NoAnswer),
    })
}
