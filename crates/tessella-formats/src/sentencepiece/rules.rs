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

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{BuildHasherDefault, Hasher};
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use tessella_core::error::excerpt;
use tessella_core::hash::hash_bytes;
use tessella_core::normalize::Normalizer;
use tessella_core::normalize::charsmap::build_sorted_charsmap;
use tessella_core::spec::NormalizerSpec;
use tessella_core::text::AlignedText;
use tessella_core::unicode::normalization::decompose;
use tessella_core::{Error, ErrorKind, Result};

use super::rules_table::{FOLDS, NEWER};

/// Sources and their targets.
pub type Rules = BTreeMap<String, String>;
/// The same while they are put together. Thousands of spellings share one target.
type Draft = HashMap<String, Rc<str>, BuildHasherDefault<TextHasher>>;

/// There are a quarter of a million rules, all of them our own: a quick hash will do.
#[derive(Default)]
struct TextHasher(u64);

impl Hasher for TextHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        // The byte that closes a text tells nothing.
        if bytes != [0xFF] {
            self.0 = hash_bytes(bytes);
        }
    }
}

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
    let rules = sorted_rules(name)?;
    let map = build_sorted_charsmap(rules.iter().map(|(source, target)| (source.as_str(), &**target)))?;
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
fn sorted_rules(name: &str) -> Result<Vec<(String, Rc<str>)>> {
    let (nmt, fold) = match name {
        "identity" => return Ok(Vec::new()),
        "nfkc" => (false, false),
        "nmt_nfkc" => (true, false),
        "nfkc_cf" => (false, true),
        "nmt_nfkc_cf" => (true, true),
        _ => return Err(unknown(name)),
    };
    let mut rules = nfkc_rules()?;
    if nmt {
        add_nmt(&mut rules);
    }
    if fold {
        add_folding(&mut rules);
    }
    let mut rules: Vec<_> = without_redundant(rules).into_iter().collect();
    rules.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    Ok(rules)
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

/// NFKD and NFKC of every character that either changes.
fn forms() -> Result<BTreeMap<char, (String, String)>> {
    let composer = Normalizer::new(&NormalizerSpec::Nfkc)?;
    let mut forms = BTreeMap::new();
    for c in '\u{1}'..=char::MAX {
        let mut decomposed = String::new();
        decompose(c, true, |part| decomposed.push(part));
        if decomposed.chars().eq([c]) {
            continue;
        }
        let source = c.to_string();
        let mut text = AlignedText::untracked(&source);
        composer.normalize(&mut text)?;
        forms.insert(c, (decomposed, text.as_str().to_string()));
    }
    for (code, decomposed, composed) in NEWER {
        if let Some(c) = char::from_u32(code) {
            forms.insert(c, (decomposed.to_string(), composed.to_string()));
        }
    }
    Ok(forms)
}

fn nfkc_rules() -> Result<Draft> {
    let forms = forms()?;
    let mut rules = Draft::default();
    // Which characters decompose to one character, by that character.
    let mut spellings: HashMap<char, Vec<char>> = HashMap::new();
    let mut sequences: BTreeSet<(&str, &str)> = BTreeSet::new();
    for (&c, (decomposed, composed)) in &forms {
        if !composed.chars().eq([c]) {
            rules.insert(c.to_string(), composed.as_str().into());
        }
        let mut parts = decomposed.chars();
        match (parts.next(), parts.next()) {
            (Some(only), None) => spellings.entry(only).or_default().push(c),
            _ if decomposed != composed => {
                sequences.insert((decomposed, composed));
            }
            _ => {}
        }
    }
    for (decomposed, composed) in sequences {
        let target: Rc<str> = composed.into();
        let mut spelled = vec![String::new()];
        for part in decomposed.chars() {
            let others = spellings.get(&part).map_or(&[][..], Vec::as_slice);
            let starts = spelled.len();
            for &other in others {
                for start in 0..starts {
                    let mut longer = String::with_capacity(spelled[start].len() + 12);
                    longer.push_str(&spelled[start]);
                    longer.push(other);
                    spelled.push(longer);
                }
            }
            spelled[..starts].iter_mut().for_each(|start| start.push(part));
        }
        for source in spelled {
            if source != composed {
                rules.insert(source, Rc::clone(&target));
            }
        }
    }
    Ok(rules)
}

/// Other characters for white space become spaces, and control characters nothing.
fn add_nmt(rules: &mut Draft) {
    const SPACES: [char; 15] = [
        '\t', '\n', '\u{c}', '\r', '\u{61c}', '\u{1680}', '\u{200b}', '\u{200c}', '\u{200e}', '\u{200f}',
        '\u{2028}', '\u{2029}', '\u{2581}', '\u{feff}', '\u{fffd}',
    ];
    for c in SPACES {
        rules.insert(c.to_string(), " ".into());
    }
    let controls = ('\u{1}'..='\u{1f}').filter(|c| !SPACES.contains(c));
    for c in controls.chain(['\u{7f}', '\u{8f}', '\u{9f}']) {
        rules.insert(c.to_string(), "".into());
    }
    // In Japanese the fullwidth and the plain tilde are two different characters.
    rules.remove("\u{ff5e}");
}

/// Simple case folding of one character.
fn fold(c: char) -> char {
    let code = c as u32;
    let after = FOLDS.partition_point(|&(first, ..)| first <= code);
    let Some(&(first, last, step, distance)) = after.checked_sub(1).and_then(|at| FOLDS.get(at)) else {
        return c;
    };
    if code > last || !(code - first).is_multiple_of(step) {
        return c;
    }
    code.checked_add_signed(distance).and_then(char::from_u32).unwrap_or(c)
}

fn add_folding(rules: &mut Draft) {
    for target in rules.values_mut() {
        if target.chars().any(|c| fold(c) != c) {
            *target = target.chars().map(fold).collect::<String>().into();
        }
    }
    for (first, last, step, _) in FOLDS {
        for c in (first..=last).step_by(step as usize).filter_map(char::from_u32) {
            rules.entry(c.to_string()).or_insert_with(|| fold(c).to_string().into());
        }
    }
}

/// Leaves out the rules that shorter rules do the work of. This is no matter of size only: text that a longer
/// rule consumes is not seen by the next one.
fn without_redundant(rules: Draft) -> Draft {
    let mut kept = Draft::with_capacity_and_hasher(rules.len(), BuildHasherDefault::default());
    let mut by_length: Vec<Vec<(String, Rc<str>)>> = Vec::new();
    for (source, target) in rules {
        let length = source.chars().count();
        if by_length.len() <= length {
            by_length.resize_with(length + 1, Vec::new);
        }
        by_length[length].push((source, target));
    }
    for (length, mut rules) in by_length.into_iter().enumerate() {
        // All of one length are looked at before any of them counts.
        if length > 1 {
            rules.retain(|(source, target)| !gives(&kept, source, length - 1, target));
        }
        kept.extend(rules);
    }
    kept
}

/// Whether a text becomes another one when sources of at most `longest` characters are replaced, leftmost and
/// longest first. Ends where they begin to differ.
fn gives(rules: &Draft, text: &str, longest: usize, expected: &str) -> bool {
    let (mut rest, mut expected) = (text, expected);
    while let Some(first) = rest.chars().next() {
        let mut end = rest.char_indices().nth(longest).map_or(rest.len(), |(at, _)| at);
        let target = loop {
            match rules.get(&rest[..end]) {
                Some(target) => break &**target,
                None if end == first.len_utf8() => break &rest[..end],
                None => end = rest[..end].char_indices().next_back().map_or(0, |(at, _)| at),
            }
        };
        match expected.strip_prefix(target) {
            Some(left) => expected = left,
            None => return false,
        }
        rest = &rest[end..];
    }
    expected.is_empty()
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
        let sizes = NAMES.map(|name| sorted_rules(name).unwrap().len());
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
