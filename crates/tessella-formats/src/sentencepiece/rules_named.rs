//! The rules of SentencePiece's named sets, a quarter of a million each, worked out from Unicode's decompositions.
//!
//! Most of them replace a sequence of characters by its NFKC, in every spelling that the sequence has: each of its
//! characters can be any that decomposes to it. Sources of two or more characters lie in one array ([`Long`]); no two
//! are the same, because every character decomposes in one way only.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;
use std::rc::Rc;

use tessella_core::Result;
use tessella_core::hash::hash_u64;
use tessella_core::normalize::Normalizer;
use tessella_core::spec::NormalizerSpec;
use tessella_core::text::AlignedText;
use tessella_core::unicode::normalization::decompose;

use super::rules_table::{FOLDS, NEWER};

/// Rules in the order of their sources.
#[derive(Debug, Default)]
pub(super) struct Sorted {
    /// All sources, one after the other.
    text: String,
    rules: Vec<(Range<usize>, Rc<str>)>,
}

impl Sorted {
    /// Sources and targets.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.rules.iter().map(|(source, target)| (&self.text[source.clone()], &**target))
    }
}

/// Rules for single characters.
type Short = BTreeMap<char, Rc<str>>;

/// Rules for sequences of characters. Thousands of spellings share one target.
#[derive(Debug, Default)]
struct Long {
    characters: Vec<char>,
    rules: Vec<Rule>,
    targets: Vec<Rc<str>>,
}

/// A source among the characters, and the number of its target.
#[derive(Debug, Clone, Copy)]
struct Rule {
    start: u32,
    len: u32,
    target: u32,
}

impl Long {
    fn source(&self, rule: Rule) -> &[char] {
        &self.characters[rule.start as usize..][..rule.len as usize]
    }

    fn target(&self, rule: Rule) -> &str {
        &self.targets[rule.target as usize]
    }
}

/// The rules of NFKC, with those of NMT or folded to lower case.
pub(super) fn sorted(nmt: bool, fold: bool) -> Result<Sorted> {
    let forms = forms()?;
    let mut short = Short::new();
    for (&c, (_, composed)) in &forms {
        if !composed.chars().eq([c]) {
            short.insert(c, composed.as_str().into());
        }
    }
    let mut long = spellings(&forms);
    if nmt {
        add_nmt(&mut short);
    }
    if fold {
        add_folding(&mut short, &mut long);
    }
    leave_out_redundant(&short, &mut long);
    Ok(in_order(&short, &long))
}

/// NFKD and NFKC of every character that either changes.
fn forms() -> Result<BTreeMap<char, (String, String)>> {
    let composer = Normalizer::new(&NormalizerSpec::Nfkc)?;
    let mut forms = BTreeMap::new();
    let mut decomposed = String::new();
    for c in '\u{1}'..=char::MAX {
        decomposed.clear();
        decompose(c, true, |part| decomposed.push(part));
        if decomposed.chars().eq([c]) {
            continue;
        }
        let source = c.to_string();
        let mut text = AlignedText::untracked(&source);
        composer.normalize(&mut text)?;
        forms.insert(c, (decomposed.clone(), text.as_str().to_string()));
    }
    for (code, decomposed, composed) in NEWER {
        if let Some(c) = char::from_u32(code) {
            forms.insert(c, (decomposed.to_string(), composed.to_string()));
        }
    }
    Ok(forms)
}

/// Every spelling of every sequence that NFKC composes.
fn spellings(forms: &BTreeMap<char, (String, String)>) -> Long {
    // Which characters decompose to one character, by that character, which is the first of them.
    let mut ways: BTreeMap<char, Vec<char>> = BTreeMap::new();
    let mut sequences: BTreeMap<&str, &str> = BTreeMap::new();
    for (&c, (decomposed, composed)) in forms {
        let mut parts = decomposed.chars();
        match (parts.next(), parts.next()) {
            (Some(only), None) => ways.entry(only).or_insert_with(|| vec![only]).push(c),
            _ if decomposed != composed => drop(sequences.insert(decomposed, composed)),
            _ => {}
        }
    }
    let mut long = Long::default();
    let mut spelled: Vec<char> = Vec::new();
    for (decomposed, composed) in sequences {
        let target = long.targets.len() as u32;
        long.targets.push(composed.into());
        let parts: Vec<char> = decomposed.chars().collect();
        let ways: Vec<&[char]> = parts
            .iter()
            .map(|part| ways.get(part).map_or(std::slice::from_ref(part), Vec::as_slice))
            .collect();
        let count: usize = ways.iter().map(|ways| ways.len()).product();
        for number in 0..count {
            // The number's digits, each to the base of its place, say which way each part is spelled.
            let mut digits = number;
            spelled.clear();
            for ways in &ways {
                spelled.push(ways[digits % ways.len()]);
                digits /= ways.len();
            }
            if spelled.iter().copied().eq(composed.chars()) {
                continue;
            }
            let start = long.characters.len() as u32;
            long.characters.extend_from_slice(&spelled);
            long.rules.push(Rule { start, len: spelled.len() as u32, target });
        }
    }
    long
}

/// Other characters for white space become spaces, and control characters nothing.
fn add_nmt(rules: &mut Short) {
    const SPACES: [char; 15] = [
        '\t', '\n', '\u{c}', '\r', '\u{61c}', '\u{1680}', '\u{200b}', '\u{200c}', '\u{200e}', '\u{200f}',
        '\u{2028}', '\u{2029}', '\u{2581}', '\u{feff}', '\u{fffd}',
    ];
    rules.extend(SPACES.map(|c| (c, " ".into())));
    let controls = ('\u{1}'..='\u{1f}').filter(|c| !SPACES.contains(c));
    rules.extend(controls.chain(['\u{7f}', '\u{8f}', '\u{9f}']).map(|c| (c, "".into())));
    // In Japanese the fullwidth and the plain tilde are two different characters.
    rules.remove(&'\u{ff5e}');
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

fn add_folding(short: &mut Short, long: &mut Long) {
    for target in short.values_mut().chain(&mut long.targets) {
        if target.chars().any(|c| fold(c) != c) {
            *target = target.chars().map(fold).collect::<String>().into();
        }
    }
    for (first, last, step, _) in FOLDS {
        for c in (first..=last).step_by(step as usize).filter_map(char::from_u32) {
            if let Entry::Vacant(place) = short.entry(c) {
                place.insert(fold(c).to_string().into());
            }
        }
    }
}

/// Sequences that have a rule, by a hash of their characters.
struct Kept<'a> {
    short: &'a Short,
    long: &'a Long,
    /// Upper half: of the hash. Lower half: one more than the rule's number; 0 where nothing is.
    slots: Vec<u64>,
}

impl Kept<'_> {
    fn insert(&mut self, rule: usize) {
        let hash = self.long.source(self.long.rules[rule]).iter().fold(0, |hash, &c| longer(hash, c));
        let mut slot = self.first_slot(hash);
        while self.slots[slot] != 0 {
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        self.slots[slot] = hash >> 32 << 32 | (rule as u64 + 1);
    }

    fn first_slot(&self, hash: u64) -> usize {
        hash as usize & (self.slots.len() - 1)
    }

    /// The target of a source of two or more characters.
    fn get(&self, hash: u64, source: &[char]) -> Option<&str> {
        let mut slot = self.first_slot(hash);
        loop {
            let found = self.slots[slot];
            if found == 0 {
                return None;
            }
            if found >> 32 == hash >> 32 {
                let rule = self.long.rules[(found as u32 - 1) as usize];
                if self.long.source(rule) == source {
                    return Some(self.long.target(rule));
                }
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }

    /// Whether a source becomes its target when shorter sources are replaced in it, leftmost and longest first. Ends
    /// where they begin to differ.
    fn do_the_work_of(&self, rule: Rule, hashes: &mut Vec<u64>) -> bool {
        let (mut rest, mut expected) = (self.long.source(rule), self.long.target(rule));
        let longest = rest.len() - 1;
        while let Some(&first) = rest.first() {
            hashes.clear();
            hashes.extend(rest[..longest.min(rest.len())].iter().scan(0, |hash, &c| {
                *hash = longer(*hash, c);
                Some(*hash)
            }));
            let several = (2..=hashes.len()).rev();
            let found =
                several.into_iter().find_map(|len| Some((len, self.get(hashes[len - 1], &rest[..len])?)));
            let mut buffer = [0; 4];
            let (len, target) = match found {
                Some(found) => found,
                None => match self.short.get(&first) {
                    Some(target) => (1, &**target),
                    None => (1, &*first.encode_utf8(&mut buffer)),
                },
            };
            match expected.strip_prefix(target) {
                Some(left) => expected = left,
                None => return false,
            }
            rest = &rest[len..];
        }
        expected.is_empty()
    }
}

/// The hash of a sequence that goes on with a character.
fn longer(hash: u64, c: char) -> u64 {
    hash_u64(hash ^ u64::from(c))
}

/// Leaves out the rules that shorter rules do the work of. This is no matter of size only: text that a longer
/// rule consumes is not seen by the next one.
fn leave_out_redundant(short: &Short, long: &mut Long) {
    let mut by_length: Vec<Vec<usize>> = Vec::new();
    for (number, rule) in long.rules.iter().enumerate() {
        let len = rule.len as usize;
        if by_length.len() <= len {
            by_length.resize_with(len + 1, Vec::new);
        }
        by_length[len].push(number);
    }
    let slots = (long.rules.len() * 2).next_power_of_two();
    let mut kept = Kept { short, long, slots: vec![0; slots] };
    let (mut rules, mut hashes) = (Vec::new(), Vec::new());
    for mut numbers in by_length {
        // All of one length are looked at before any of them counts.
        numbers.retain(|&number| !kept.do_the_work_of(long.rules[number], &mut hashes));
        numbers.iter().for_each(|&number| kept.insert(number));
        rules.extend(numbers.iter().map(|&number| long.rules[number]));
    }
    long.rules = rules;
}

/// By the sources' bytes, whose order is that of the characters.
fn in_order(short: &Short, long: &Long) -> Sorted {
    // Six characters of 21 bits decide nearly always.
    let key = |source: &[char]| {
        (0..6).fold(0u128, |key, at| key << 21 | source.get(at).map_or(0, |&c| u128::from(c as u32)))
    };
    let mut order: Vec<(u128, Rule)> =
        long.rules.iter().map(|&rule| (key(long.source(rule)), rule)).collect();
    order.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| long.source(a.1).cmp(long.source(b.1))));
    let mut sorted = Sorted::default();
    let mut add = |source: &[char], target: &Rc<str>| {
        let start = sorted.text.len();
        sorted.text.extend(source);
        sorted.rules.push((start..sorted.text.len(), Rc::clone(target)));
    };
    let mut short = short.iter().peekable();
    for (_, rule) in order {
        let source = long.source(rule);
        // What one character begins comes after it.
        while let Some((c, target)) = short.next_if(|(c, _)| **c <= source[0]) {
            add(&[*c], target);
        }
        add(source, &long.targets[rule.target as usize]);
    }
    short.for_each(|(c, target)| add(&[*c], target));
    sorted
}
