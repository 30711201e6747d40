//! SentencePiece's normalization rules: which text becomes which.
//!
//! Five rule sets have names. They are computed here from Unicode's decompositions, never read from a file:
//!
//! - `identity` has no rules
//! - `nfkc`: every character whose NFKC differs, and every sequence of characters that NFKC composes
//! - `nmt_nfkc`: the same, with control characters dropped, more kinds of white space made spaces, and the
//!   fullwidth tilde left alone
//! - `nfkc_cf`, `nmt_nfkc_cf`: the same again, with results folded to lower case
//!
//! A user's own rules come from a text file ([`parse_rules`]). [`compile`] makes the character map of a model
//! from either, [`decompile`](tessella_core::normalize::charsmap::Charsmap::rules) goes back.
//!
//! The sets are those of SentencePiece 0.2.3 (Unicode 17.0), rule for rule.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use tessella_core::error::excerpt;
use tessella_core::normalize::charsmap::build_sorted_charsmap;
use tessella_core::{Error, ErrorKind, Result};

use super::rules_named;

/// Sources and their targets.
pub type Rules = BTreeMap<String, String>;

/// The named rule sets, in the order of this page.
pub const NAMES: [&str; 5] = ["identity", "nfkc", "nmt_nfkc", "nfkc_cf", "nmt_nfkc_cf"];

/// A text may not begin with so many rules: SentencePiece looks at fewer.
const MOST_PREFIXES: usize = 32;

/// The compiled character map of a named rule set. Computed once per process.
pub fn named_charsmap(name: &str) -> Result<Arc<[u8]>> {
    static COMPUTED: [OnceLock<Arc<[u8]>>; 5] = [const { OnceLock::new() }; 5];
    let place = NAMES.iter().position(|known| *known == name).ok_or_else(|| unknown(name))?;
    if let Some(map) = COMPUTED[place].get() {
        return Ok(Arc::clone(map));
    }
    let map = build_sorted_charsmap(rules_of(name)?.iter())?;
    let map: Arc<[u8]> = map.into();
    Ok(Arc::clone(COMPUTED[place].get_or_init(|| map)))
}

fn unknown(name: &str) -> Error {
    Error::new(
        ErrorKind::Unsupported,
        format!("there are no normalization rules named `{name}`: the named ones are {}", NAMES.join(", ")),
    )
}

/// The rules of a named set in the order of their sources.
fn rules_of(name: &str) -> Result<rules_named::Sorted> {
    let (nmt, fold) = match name {
        "identity" => return Ok(rules_named::Sorted::default()),
        "nfkc" => (false, false),
        "nmt_nfkc" => (true, false),
        "nfkc_cf" => (false, true),
        "nmt_nfkc_cf" => (true, true),
        _ => return Err(unknown(name)),
    };
    rules_named::sorted(nmt, fold)
}

/// The character map of rules, as models hold it. No rules are an empty map.
pub fn compile(rules: &Rules) -> Result<Vec<u8>> {
    let mut open: Vec<&str> = Vec::new();
    for (source, target) in rules {
        if source == target {
            return Err(Error::value(format!(
                "the normalization rule for `{}` gives the same text back: leave it out",
                excerpt(source)
            )));
        }
        while open.last().is_some_and(|prefix| !source.starts_with(prefix)) {
            open.pop();
        }
        open.push(source);
        if open.len() >= MOST_PREFIXES {
            return Err(Error::new(
                ErrorKind::Train,
                format!(
                    "{} normalization rules begin each other, up to the rule for `{source}`: there must be \
                     fewer than {MOST_PREFIXES}",
                    open.len()
                ),
            ));
        }
    }
    build_sorted_charsmap(rules.iter().map(|(source, target)| (source.as_str(), target.as_str())))
}

/// Reads a rule file: one rule per line, hexadecimal code points (`41`, `U+41` or `0x41`) with spaces between them, a
/// tab, and the target's. A line without a target deletes; what follows a second tab is a comment.
pub fn parse_rules(text: &str) -> Result<Rules> {
    let mut rules = Rules::new();
    for (index, line) in text.lines().enumerate() {
        let wrong = |what: String| {
            Error::new(ErrorKind::Train, format!("a normalization rule is broken: {what}"))
                .at(format!("line {}", index + 1))
        };
        let mut fields = line.split('\t');
        let mut side = || -> Result<String> {
            let codes = fields.next().unwrap_or_default().split(' ').filter(|code| !code.is_empty());
            codes
                .map(|code| {
                    let digits =
                        ["U+", "0x", "0X"].iter().find_map(|mark| code.strip_prefix(mark)).unwrap_or(code);
                    let value = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
                    value.filter(|&c| c != '\0').ok_or_else(|| {
                        wrong(format!(
                            "`{code}` is no code point: write hexadecimal digits, for example 3042"
                        ))
                    })
                })
                .collect()
        };
        let (source, target) = (side()?, side()?);
        if source.is_empty() {
            return Err(wrong("it has no source: write the code points to replace before the tab".into()));
        }
        rules.insert(source, target);
    }
    Ok(rules)
}

#[cfg(test)]
mod tests {
    use tessella_core::normalize::charsmap::Charsmap;

    use super::*;

    fn normalize(map: &Charsmap, text: &str) -> String {
        let (mut out, mut rest) = (String::new(), text);
        while let Some(first) = rest.chars().next() {
            let (length, target) =
                map.longest(rest).map_or((first.len_utf8(), None), |(n, to)| (n, Some(to)));
            out.push_str(target.unwrap_or(&rest[..length]));
            rest = &rest[length..];
        }
        out
    }

    #[test]
    fn named_rules_have_the_library_s_size() {
        let sizes = NAMES.map(|name| rules_of(name).unwrap().iter().count());
        assert_eq!(sizes, [0, 225_232, 225_276, 226_640, 226_684]);
    }

    #[test]
    fn what_they_do() {
        let cases = [
            ("nfkc", "ﬁ①Ａ か\u{3099}\t～", "fi1A が\t~"),
            ("nmt_nfkc", "ﬁ①Ａ か\u{3099}\t～\u{7f}", "fi1A が ～"),
            ("nfkc_cf", "ΣίσυφοςSS İ Ａ", "σίσυφοσss İ a"),
            ("nmt_nfkc_cf", "A\u{300}\u{200b}", "à "),
        ];
        for (name, text, expected) in cases {
            let map = Charsmap::parse(&named_charsmap(name).unwrap()).unwrap();
            assert_eq!(normalize(&map, text), expected, "{name}");
        }
        assert!(named_charsmap("identity").unwrap().is_empty());
        assert!(named_charsmap("nfc").unwrap_err().message().contains("nmt_nfkc_cf"));
    }

    #[test]
    fn compiled_rules_can_be_read_back() {
        let rules = parse_rules("41\t61\tcapital a\nU+42 43\t\n3042\tU+30A2 30A2\n44").unwrap();
        let expected = [("A", "a"), ("BC", ""), ("D", ""), ("あ", "アア")];
        assert!(rules.iter().map(|(a, b)| (a.as_str(), b.as_str())).eq(expected));
        let map = Charsmap::parse(&compile(&rules).unwrap()).unwrap();
        assert_eq!(map.rules().unwrap().into_iter().collect::<Rules>(), rules);
        for broken in ["", "\t41", "xyz\t41", "0\t41", "D800\t41"] {
            let error = parse_rules(&format!("41\t61\n{broken}\n")).unwrap_err();
            assert_eq!(error.location(), Some("line 2"), "{broken}");
        }
    }

    #[test]
    fn too_many_rules_that_begin_each_other() {
        let rules = |n| (1..n).map(|n| ("a".repeat(n), String::new())).collect::<Rules>();
        assert!(compile(&rules(32)).is_ok());
        assert!(compile(&rules(33)).unwrap_err().message().contains("fewer than 32"));
    }
}
