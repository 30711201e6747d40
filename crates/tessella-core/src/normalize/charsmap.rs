//! SentencePiece's compiled character map: which strings are replaced by which.
//!
//! The blob is `u32 size | double array of that many bytes | replacements`, all little-endian; the
//! replacements are UTF-8 texts closed by a NUL each, and a key's value is where its replacement starts.
//! A unit of the array is 32 bits: a node has its byte in bits 0 to 7, "a key ends here" in bit 8 and the
//! distance to its children in bits 10 to 30 (times 256 if bit 9 is set); a value has bit 31 set.
//!
//! Blobs come from strangers: sizes and values are checked when one is read, every step stays inside the
//! array, and no key is followed beyond [`LONGEST_KEY`] bytes, so a circular array costs bounded time.
//!
//! [`build_sorted_charsmap`] writes such blobs.

use super::charsmap_nodes::{IS_VALUE, Siblings, width};
use crate::error::{Error, Result};
use crate::trie::Slots;

/// Keys are not followed further than this. Real ones are a few characters long.
const LONGEST_KEY: usize = 1024;
/// Bytes of sources and targets that are read back, and what a step to a node costs of them: looking for its
/// children takes as long as copying so many. The largest named rules have 5 MB of text and cost 30 MB.
const MOST_OF_RULES: usize = 128 << 20;
const COST_OF_A_NODE: usize = 32;
/// Nodes that are looked through for characters within keys. The largest named rules have 60,000.
const MOST_NODES: usize = 1 << 18;
const ENDS_KEY: u32 = 1 << 8;

/// A character map ready for look-ups.
#[derive(Debug, Clone)]
pub struct Charsmap {
    units: Vec<u32>,
    replacements: String,
    /// ASCII characters that stay what they are when ASCII (or nothing) follows.
    plain: [bool; 256],
}

impl Charsmap {
    /// Reads a blob. An empty one maps nothing.
    pub fn parse(blob: &[u8]) -> Result<Self> {
        if blob.is_empty() {
            return Ok(Charsmap {
                units: Vec::new(),
                replacements: String::new(),
                plain: std::array::from_fn(|byte| byte < 128),
            });
        }
        let Some((size, rest)) = blob.split_first_chunk::<4>() else {
            return Err(broken(format!("{} bytes hold no trie size (4 bytes)", blob.len())).at("byte 0"));
        };
        let size = u32::from_le_bytes(*size) as usize;
        if size > rest.len() {
            return Err(
                broken(format!("its trie should have {size} bytes, {} are left", rest.len())).at("byte 0")
            );
        }
        if !size.is_multiple_of(4) {
            return Err(broken(format!("its trie has {size} bytes, which is no multiple of 4")).at("byte 0"));
        }
        let (array, replacements) = rest.split_at(size);
        let units: Vec<u32> = array
            .chunks_exact(4)
            .map(|unit| u32::from_le_bytes(unit.try_into().expect("a chunk has 4 bytes")))
            .collect();
        let replacements = std::str::from_utf8(replacements)
            .map_err(|error| {
                let byte = 4 + size + error.valid_up_to();
                broken("its replacements are no valid UTF-8").at(format!("byte {byte}"))
            })?
            .to_string();
        for (index, unit) in units.iter().enumerate() {
            let value = (unit & !IS_VALUE) as usize;
            // An array's unused slots may look like anything but never have bit 31 set.
            if unit & IS_VALUE != 0 && replacements.get(value..).is_none() {
                return Err(broken(format!(
                    "a rule points to byte {value} of replacements that have {} bytes",
                    replacements.len()
                ))
                .at(format!("byte {}", 4 + 4 * index)));
            }
        }
        let mut map = Charsmap { units, replacements, plain: std::array::from_fn(|byte| byte < 128) };
        for first in 0..128u8 {
            map.plain[first as usize] =
                map.find(&[first]).is_none() && (0..128u8).all(|second| !map.continues(&[first, second]));
        }
        Ok(map)
    }

    /// Whether this is an ASCII character that stays what it is when ASCII follows.
    #[inline]
    pub fn is_plain(&self, byte: u8) -> bool {
        self.plain[byte as usize]
    }

    /// Whether the map has no rule at all.
    pub fn is_empty(&self) -> bool {
        self.units.is_empty()
    }

    fn offset(unit: u32) -> u32 {
        (unit >> 10) << ((unit & (1 << 9)) >> 6)
    }

    /// Walks along `text` and calls with the length and value of every key that it starts with, shortest
    /// first, until told to stop.
    #[inline]
    fn keys(&self, text: &[u8], mut found: impl FnMut(usize, usize) -> bool) {
        let Some(&root) = self.units.first() else { return };
        let mut position = Self::offset(root);
        for (index, &byte) in text.iter().take(LONGEST_KEY).enumerate() {
            position ^= byte as u32;
            let Some(&unit) = self.units.get(position as usize) else { return };
            if unit & (IS_VALUE | 0xFF) != byte as u32 {
                return;
            }
            position ^= Self::offset(unit);
            if unit & ENDS_KEY != 0
                && let Some(&value) = self.units.get(position as usize)
                && !found(index + 1, (value & !IS_VALUE) as usize)
            {
                return;
            }
        }
    }

    /// Whether some key begins with it, or is it.
    pub fn continues(&self, text: &[u8]) -> bool {
        self.behind(text).is_some()
    }

    /// Where the children of a node stand: of the one that `text` leads to, if some key begins with it.
    fn behind(&self, text: &[u8]) -> Option<u32> {
        let start = Self::offset(*self.units.first()?);
        text.iter().try_fold(start, |position, &byte| self.child(position, byte))
    }

    #[inline]
    fn child(&self, position: u32, byte: u8) -> Option<u32> {
        let position = position ^ byte as u32;
        let unit = *self.units.get(position as usize)?;
        (unit & (IS_VALUE | 0xFF) == byte as u32).then_some(position ^ Self::offset(unit))
    }

    /// Calls with every byte with which some key goes on behind `text`.
    pub fn goes_on(&self, text: &[u8], with: &mut dyn FnMut(u8)) {
        if let Some(position) = self.behind(text) {
            (1..=u8::MAX).filter(|&byte| self.child(position, byte).is_some()).for_each(with);
        }
    }

    /// Whether a rule may write a character of ASCII.
    pub fn writes(&self, byte: u8) -> bool {
        memchr::memchr(byte, self.replacements.as_bytes()).is_some()
    }

    /// The characters beyond ASCII, in order, that stand in a key behind another one; `None` if it takes long to find them.
    pub fn behind_others(&self) -> Option<Vec<char>> {
        // Most come often: a bit for each that there may be.
        let mut found = vec![0u64; char::MAX as usize / 64 + 1];
        let siblings = Siblings::of(&self.units);
        // Where children stand, the first bytes of a character that led there, and whether it is the first one of its key.
        let mut open = vec![(Self::offset(*self.units.first().unwrap_or(&0)), [0; 4], 0, true)];
        let mut left = MOST_NODES;
        while let Some((position, before, length, is_first)) = open.pop() {
            left = left.checked_sub(1)?;
            for index in siblings.at(position) {
                let unit = self.units[index as usize];
                let (byte, child) = (unit as u8, index ^ Self::offset(unit));
                let (mut bytes, length) = (before, length + 1);
                bytes[length - 1] = byte;
                open.push(match bytes[0] {
                    first if length < width(first) => (child, bytes, length, is_first),
                    _ => (child, [0; 4], 0, false),
                });
                if !is_first && length == width(bytes[0]) && length > 1 {
                    let character = std::str::from_utf8(&bytes[..length]).ok().and_then(|c| c.chars().next());
                    character.into_iter().for_each(|c| found[c as usize / 64] |= 1 << (c as usize % 64));
                }
            }
            if open.len() > MOST_NODES {
                return None;
            }
        }
        let mut all = Vec::new();
        for (word, mut bits) in (0..).zip(found) {
            while bits != 0 {
                all.extend(char::from_u32(word * 64 + bits.trailing_zeros()));
                bits &= bits - 1;
            }
        }
        Some(all)
    }

    /// Whether this holds for the keys of several characters and at most eight bytes, and for what they are replaced by; false, too, if it
    /// takes long to find them.
    pub fn all_of_several(&self, most_bytes: usize, mut holds: impl FnMut(&[u8], &str) -> bool) -> bool {
        let Some(&root) = self.units.first() else { return true };
        let siblings = Siblings::of(&self.units);
        // Where children stand, and the bytes that led there.
        let mut open = vec![(Self::offset(root), [0u8; 8], 0)];
        let most_bytes = most_bytes.min(8);
        let mut left = MOST_NODES;
        while let Some((position, before, length)) = open.pop() {
            let Some(less) = left.checked_sub(1) else { return false };
            left = less;
            for index in siblings.at(position) {
                let unit = self.units[index as usize];
                let (child, mut key, length) = (index ^ Self::offset(unit), before, length + 1);
                key[length - 1] = unit as u8;
                let is_key = unit & ENDS_KEY != 0 && length > width(key[0]);
                let value = self.units.get(child as usize).filter(|_| is_key);
                let written = value.and_then(|value| self.replacement((value & !IS_VALUE) as usize));
                if written.is_some_and(|written| !holds(&key[..length], written)) {
                    return false;
                }
                if length < most_bytes {
                    open.push((child, key, length));
                }
            }
        }
        true
    }

    fn find(&self, text: &[u8]) -> Option<usize> {
        let mut value = None;
        self.keys(text, |length, at| {
            if length == text.len() {
                value = Some(at);
            }
            true
        });
        value
    }

    /// What exactly this text is replaced by.
    pub fn rule(&self, text: &str) -> Option<&str> {
        self.find(text.as_bytes()).and_then(|value| self.replacement(value))
    }

    fn replacement(&self, value: usize) -> Option<&str> {
        let rest = self.replacements.get(value..)?;
        Some(rest.split_once('\0').map_or(rest, |(text, _)| text))
    }

    /// Bytes that no replacement has more of.
    pub fn longest_replacement(&self) -> usize {
        self.replacements.split('\0').map(str::len).max().unwrap_or(0)
    }

    /// All rules, sources ascending. Sources and targets that are no valid UTF-8 are left out, and so are
    /// sources of more than [`LONGEST_KEY`] bytes: none of them can ever match.
    ///
    /// Nodes are shared, so a small array may hold any number of rules, a circular one without end: more than
    /// [`MOST_OF_RULES`] bytes of them are an error.
    pub fn rules(&self) -> Result<Vec<(String, String)>> {
        let mut rules = Vec::new();
        let Some(&root) = self.units.first() else { return Ok(rules) };
        let mut left = MOST_OF_RULES;
        let mut pay = |bytes: usize| {
            left = left.checked_sub(bytes).ok_or_else(|| {
                broken(format!("it holds more than {} MB of rules, or it is circular", MOST_OF_RULES >> 20))
            })?;
            Ok::<(), Error>(())
        };
        let mut key: Vec<u8> = Vec::new();
        let mut open: Vec<(u32, usize, u8)> =
            (1..=255).rev().map(|byte| (Self::offset(root), 0, byte)).collect();
        while let Some((position, depth, byte)) = open.pop() {
            key.truncate(depth);
            let position = position ^ byte as u32;
            let Some(&unit) = self.units.get(position as usize) else { continue };
            if unit & (IS_VALUE | 0xFF) != byte as u32 {
                continue;
            }
            pay(COST_OF_A_NODE)?;
            key.push(byte);
            let position = position ^ Self::offset(unit);
            if unit & ENDS_KEY != 0
                && let Some(&value) = self.units.get(position as usize)
                && let (Ok(source), Some(target)) =
                    (std::str::from_utf8(&key), self.replacement((value & !IS_VALUE) as usize))
            {
                pay(source.len() + target.len())?;
                rules.push((source.to_string(), target.to_string()));
            }
            if key.len() < LONGEST_KEY {
                open.extend((1..=255).rev().map(|byte| (position, key.len(), byte)));
            }
        }
        Ok(rules)
    }

    /// The longest key that `text` starts with: its length in bytes and its replacement.
    #[inline]
    pub fn longest(&self, text: &str) -> Option<(usize, &str)> {
        let mut longest = None;
        self.keys(text.as_bytes(), |length, value| {
            if text.is_char_boundary(length) {
                longest = Some((length, value));
            }
            true
        });
        let (length, value) = longest?;
        Some((length, self.replacement(value)?))
    }

    /// The replacement of the *shortest* key that `text` starts with.
    #[inline]
    pub fn shortest(&self, text: &str) -> Option<&str> {
        let mut shortest = None;
        self.keys(text.as_bytes(), |_, value| {
            shortest = Some(value);
            false
        });
        self.replacement(shortest?)
    }
}

fn broken(what: impl std::fmt::Display) -> Error {
    Error::format(format!("the precompiled character map is broken: {what}"))
}

/// The blob for rules in any order; of equal sources the last counts.
#[cfg(test)]
pub fn build_charsmap(rules: &[(Vec<char>, Vec<char>)]) -> Result<Vec<u8>> {
    let text = |characters: &[char]| characters.iter().collect::<String>();
    let map: std::collections::BTreeMap<String, String> =
        rules.iter().map(|(source, target)| (text(source), text(target))).collect();
    build_sorted_charsmap(map.iter().map(|(source, target)| (source.as_str(), target.as_str())))
}

/// Writes the blob for rules `source -> target`, as [`Charsmap::parse`] and SentencePiece read it. They come in the order of
/// their sources, each source once; an empty target deletes.
///
/// Fails on an empty source, on U+0000 (which closes texts in the blob), and on more rules than the format
/// can address (about two million characters of distinct prefixes).
pub fn build_sorted_charsmap<'a>(rules: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Vec<u8>> {
    // Equal replacements are stored once.
    let mut replacements = String::new();
    let mut known = std::collections::HashMap::new();
    let mut keys: Vec<(&[u8], u32)> = Vec::new();
    for (source, target) in rules {
        if source.is_empty() {
            return Err(Error::value("a normalization rule has an empty source: it must have a character"));
        }
        if source.contains('\0') || target.contains('\0') {
            return Err(Error::value("a normalization rule has U+0000, which the format cannot hold"));
        }
        if keys.last().is_some_and(|&(before, _)| before >= source.as_bytes()) {
            refuse!(Value, "the normalization rule for `{source}` is not in order: sources must ascend");
        }
        let value = *known.entry(target).or_insert_with(|| {
            let start = replacements.len() as u32;
            replacements.push_str(target);
            replacements.push('\0');
            start
        });
        refuse_if!(value >= IS_VALUE, Value, "the replacements of the normalization rules exceed 2 GiB");
        keys.push((source.as_bytes(), value));
    }
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let units = double_array(&keys)?;
    let mut blob = Vec::with_capacity(4 + 4 * units.len() + replacements.len());
    blob.extend((4 * units.len() as u32).to_le_bytes());
    blob.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
    blob.extend(replacements.as_bytes());
    Ok(blob)
}

/// A node's children by label, ascending. Under label 0 there is the value of the key that ends here.
type Children = Vec<(u8, u32)>;

/// The smallest automaton for sorted, distinct keys without NUL: nodes from which the same keys lead to the same values
/// are one. The last node is the root.
///
/// Keys come in order, so what a key does not share with the next one is final: from its end upwards, each node is
/// either known already or new.
fn automaton(keys: &[(&[u8], u32)]) -> Vec<Children> {
    let mut nodes: Vec<Children> = Vec::new();
    let mut known: std::collections::HashMap<Children, u32> = std::collections::HashMap::new();
    let mut finish = |node: Children| {
        *known.entry(node).or_insert_with_key(|node| {
            nodes.push(node.clone());
            nodes.len() as u32 - 1
        })
    };
    // The nodes along the last key; the last child of each but the last is not final.
    let mut path: Vec<Children> = vec![Vec::new()];
    let mut before: &[u8] = &[];
    for &(key, value) in keys {
        let shared = key.iter().zip(before).take_while(|(a, b)| a == b).count();
        for depth in (shared..before.len()).rev() {
            let node = path.pop().map(&mut finish).unwrap_or_default();
            path[depth].push((before[depth], node));
        }
        path.resize_with(key.len() + 1, Vec::new);
        path[key.len()].push((0, value));
        before = key;
    }
    for depth in (0..before.len()).rev() {
        let node = path.pop().map(&mut finish).unwrap_or_default();
        path[depth].push((before[depth], node));
    }
    path.pop().map(&mut finish);
    nodes
}

/// The units for sorted, distinct keys without NUL.
fn double_array(keys: &[(&[u8], u32)]) -> Result<Vec<u32>> {
    const REACH: u32 = 1 << 21;
    let nodes = automaton(keys);
    let mut slots = Slots::new();
    let mut units = vec![0u32; slots.len()];
    // Where the children of each node stand, once they do. Twice only if a parent is too far away from the first place.
    let mut bases: Vec<Option<u32>> = vec![None; nodes.len()];
    let mut open = vec![(0u32, nodes.len() - 1)];
    while let Some((slot, node)) = open.pop() {
        let children = &nodes[node];
        let ends = if children[0].0 == 0 { ENDS_KEY } else { 0 };
        if let Some(base) = bases[node].filter(|base| slot ^ base < REACH) {
            units[slot as usize] |= (slot ^ base) << 10 | ends;
            continue;
        }
        let labels: Vec<u8> = children.iter().map(|(label, _)| *label).collect();
        let base = slots.place(&labels)?;
        units.resize(slots.len(), 0);
        if slot ^ base >= REACH {
            return Err(Error::value(
                "too many normalization rules: the compiled map addresses at most 2 million nodes",
            ));
        }
        bases[node] = Some(base);
        units[slot as usize] |= (slot ^ base) << 10 | ends;
        for &(label, to) in children {
            let child = base ^ label as u32;
            if label == 0 {
                units[child as usize] = to | IS_VALUE;
            } else {
                units[child as usize] = label as u32;
                open.push((child, to as usize));
            }
        }
    }
    slots.for_each_free(|slot, byte| units[slot] = byte as u32);
    Ok(units)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn rules(list: &[(&str, &str)]) -> Vec<(Vec<char>, Vec<char>)> {
        list.iter().map(|(from, to)| (from.chars().collect(), to.chars().collect())).collect()
    }

    #[test]
    fn built_maps_answer_for_their_rules() {
        let mut random = Random::from_seed(1);
        for count in [1, 5, 100, 3000] {
            let word = |random: &mut Random| -> Vec<char> {
                let length = 1 + random.next_u64() % 3;
                let of = |number: u64| match number % 8 {
                    0 => 0x1F600 + (number >> 8) % 0x40,
                    1 => 0x4E00 + (number >> 8) % 0x40,
                    _ => 1 + (number >> 8) % 0x900,
                };
                (0..length).map(|_| char::from_u32(of(random.next_u64()) as u32).unwrap()).collect()
            };
            let mut expected = std::collections::BTreeMap::new();
            let list: Vec<_> = (0..count).map(|_| (word(&mut random), word(&mut random))).collect();
            for (from, to) in &list {
                expected.insert(from.iter().collect::<String>(), to.iter().collect::<String>());
            }
            let map = Charsmap::parse(&build_charsmap(&list).unwrap()).unwrap();
            for (from, to) in &expected {
                assert_eq!(map.longest(from), Some((from.len(), to.as_str())));
            }
            assert_eq!(map.rules().unwrap(), expected.clone().into_iter().collect::<Vec<_>>());
            let inner = expected.keys().flat_map(|from| from.chars().skip(1)).filter(|c| !c.is_ascii());
            let inner: std::collections::BTreeSet<char> = inner.collect();
            assert_eq!(map.behind_others(), Some(inner.into_iter().collect()));
            for most in 1..6 {
                let is_short =
                    |(from, _): &(&String, &String)| from.len() <= most && from.chars().count() > 1;
                let mut several: Vec<&str> = expected.iter().filter(is_short).map(|(_, to)| &**to).collect();
                several.sort();
                let mut found = Vec::new();
                let noted = map.all_of_several(most, |from, to| {
                    assert_eq!(expected[std::str::from_utf8(from).unwrap()], to);
                    found.push(to.to_string());
                    true
                });
                found.sort();
                assert!(noted && found == several);
                assert_eq!(map.all_of_several(most, |_, _| false), several.is_empty());
            }
            for _ in 0..2000 {
                let text: String = word(&mut random).into_iter().collect();
                let prefixes = |text: &str| -> Vec<usize> {
                    (1..=text.len())
                        .filter(|&n| text.is_char_boundary(n) && expected.contains_key(&text[..n]))
                        .collect()
                };
                let longest = prefixes(&text).last().map(|&n| (n, expected[&text[..n]].as_str()));
                assert_eq!(map.longest(&text), longest);
                let shortest = prefixes(&text).first().map(|&n| expected[&text[..n]].as_str());
                assert_eq!(map.shortest(&text), shortest);
                assert_eq!(map.rule(&text), expected.get(&text).map(String::as_str));
            }
        }
    }

    #[test]
    fn rules_come_back_from_shared_nodes() {
        // Every pair of 60 characters becomes one of two texts: 3,600 rules, a few nodes.
        let letters: Vec<char> = ('а'..'я').chain('A'..='\u{5c}').collect();
        let list: Vec<(Vec<char>, Vec<char>)> = letters
            .iter()
            .flat_map(|&a| letters.iter().map(move |&b| (vec![a, b], vec![if a < 'Z' { 'x' } else { 'y' }])))
            .collect();
        let blob = build_charsmap(&list).unwrap();
        assert!(blob.len() < 4 * 4 * 256, "{}", blob.len());
        let map = Charsmap::parse(&blob).unwrap();
        let mut expected: Vec<(String, String)> =
            list.iter().map(|(from, to)| (from.iter().collect(), to.iter().collect())).collect();
        expected.sort();
        assert_eq!(map.rules().unwrap(), expected);
    }

    #[test]
    fn a_circular_map_has_no_list_of_rules() {
        // A root whose child `a` is a key and leads to itself, and whose child `b` does too.
        let mut units = vec![0u32; 256];
        let base = 1u32;
        units[0] = base << 10;
        units[base as usize] = IS_VALUE;
        for byte in *b"ab" {
            let slot = base ^ u32::from(byte);
            units[slot as usize] = u32::from(byte) | ENDS_KEY | (slot ^ base) << 10;
        }
        let mut blob = (4 * units.len() as u32).to_le_bytes().to_vec();
        blob.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
        blob.extend(b"x\0");
        let map = Charsmap::parse(&blob).unwrap();
        assert_eq!(map.longest("abc"), Some((2, "x")));
        assert!(map.rules().unwrap_err().message().contains("circular"));
    }

    #[test]
    fn keys_without_end_are_not_all_looked_at() {
        // Each byte leads back to the root's children, so that there are 253 times as many keys with each byte more.
        let base = 1u32;
        let mut units = vec![base << 10; 256];
        for slot in 2..256u32 {
            units[slot as usize] = (slot ^ base) | ENDS_KEY | (slot ^ base) << 10;
        }
        units[base as usize] = IS_VALUE;
        let mut blob = (4 * units.len() as u32).to_le_bytes().to_vec();
        blob.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
        blob.extend(b"x\0");
        let map = Charsmap::parse(&blob).unwrap();
        assert!(map.all_of_several(2, |_, _| true));
        let mut looks = 0;
        let counted = map.all_of_several(4, |_, _| {
            looks += 1;
            looks < 300 * MOST_NODES
        });
        assert!(!counted && looks < 300 * MOST_NODES, "{looks}");
        assert_eq!(map.behind_others(), None);
    }

    #[test]
    fn plain_characters_are_those_without_rules() {
        let map =
            Charsmap::parse(&build_charsmap(&rules(&[("a", "b"), ("c\u{301}", "ć"), ("de", "f")])).unwrap())
                .unwrap();
        let plain: Vec<bool> = b"abcde".iter().map(|&byte| map.is_plain(byte)).collect();
        assert_eq!(plain, [false, true, true, false, true]);
        assert!(Charsmap::parse(&[]).unwrap().is_plain(b'a'));
    }

    #[test]
    fn bad_rules_and_blobs_are_errors() {
        assert!(build_charsmap(&rules(&[("", "b")])).is_err());
        assert!(build_charsmap(&rules(&[("a", "\0")])).is_err());
        assert!(build_charsmap(&[]).unwrap().is_empty());
        assert!(build_sorted_charsmap([("b", "x"), ("a", "y")]).is_err());
        let good = build_charsmap(&rules(&[("a", "b"), ("ab", "é")])).unwrap();
        assert!(Charsmap::parse(&good[..3]).is_err());
        assert!(Charsmap::parse(&good[..100]).is_err());
        let error = Charsmap::parse(&good[..good.len() - 4]).unwrap_err();
        assert!(error.message().contains("points to byte"), "{error}");
        let mut broken = good.clone();
        *broken.last_mut().unwrap() = 0xFF;
        assert!(Charsmap::parse(&broken).unwrap_err().message().contains("UTF-8"));
    }

    #[test]
    fn hostile_arrays_neither_panic_nor_hang() {
        let mut random = Random::from_seed(9);
        let text = "abcdé\u{301}a\u{1}".repeat(200);
        for _ in 0..3000 {
            let units = 1 + random.next_u64() as usize % 300;
            let mut blob = (4 * units as u32).to_le_bytes().to_vec();
            for _ in 0..units {
                // Small offsets and likely bytes make long walks.
                let unit = (random.next_u64() as u32 & 0x0003_FFFF) | b'a' as u32;
                blob.extend(unit.to_le_bytes());
            }
            blob.extend(b"x\0y\0");
            let Ok(map) = Charsmap::parse(&blob) else { continue };
            for (at, _) in text.char_indices() {
                let _ = (map.longest(&text[at..]), map.shortest(&text[at..]));
            }
            let _ = (map.behind_others(), map.all_of_several(5, |_, _| true));
        }
    }
}
