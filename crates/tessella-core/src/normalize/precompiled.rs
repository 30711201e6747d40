//! A SentencePiece character map as a normalizer of its own.
//!
//! There are two ways to apply the same map, and they are different functions:
//!
//! - `LongestMatch`, as SentencePiece does: the longest rule at each position.
//! - `Grapheme`, as the reference library does: a grapheme cluster of less than six bytes is looked up
//!   whole, and the *shortest* rule that it starts with replaces all of it; without a hit, and in longer
//!   clusters, each character is looked up alone.
//!
//! The alignment is the reference library's: a replacement takes over its characters one by one, surplus new
//! characters belong to the last of them, and what is deleted belongs to the character before, even
//! across rules. (Nothing stands before a deletion at the very start, so there the reference library
//! forgets it, and every later character is aligned too far to the left. Offsets must agree with it.)

use std::sync::Arc;

use unicode_segmentation::UnicodeSegmentation;

use super::charsmap::Charsmap;
use super::stays::Stays;
use crate::error::Result;
use crate::limits;
use crate::spec::CharsmapMatching;
use crate::text::{AlignedText, Rewriter};

/// Clusters of this many bytes or more are not looked up whole.
pub(crate) const LONG_CLUSTER: usize = 6;

/// A compiled character map normalizer.
#[derive(Debug, Clone)]
pub struct Precompiled {
    map: Charsmap,
    pub matching: CharsmapMatching,
    stays: Arc<Stays>,
}

impl Precompiled {
    pub fn new(charsmap: &Arc<[u8]>, matching: CharsmapMatching) -> Result<Self> {
        Ok(Precompiled { map: Charsmap::parse(charsmap)?, matching, stays: Arc::default() })
    }

    /// Bytes that no replacement has more of.
    pub fn longest_replacement(&self) -> usize {
        self.map.longest_replacement()
    }

    /// Whether a rule begins with a character.
    pub fn opens(&self, c: char) -> bool {
        let mut bytes = [0; 4];
        let c = &*c.encode_utf8(&mut bytes);
        self.map.continues(c.as_bytes()) || self.map.shortest(c).is_some()
    }

    /// Appends what a character becomes that is looked up alone.
    pub fn alone(&self, c: char, out: &mut String) {
        match self.map.shortest(c.encode_utf8(&mut [0; 4])) {
            Some(replacement) => out.push_str(replacement),
            None => out.push(c),
        }
    }

    /// Whether this holds for all clusters of several characters which are looked up whole, and for what they become; false, too, if
    /// it takes long to find them.
    pub fn all_of_clusters(&self, holds: impl FnMut(&[u8], &str) -> bool) -> bool {
        self.map.all_of_several(LONG_CLUSTER - 1, holds)
    }

    pub fn normalize(&self, text: &mut AlignedText<'_>) -> Result<()> {
        if self.plain_run(text.as_str()) == text.as_str().len() {
            return Ok(());
        }
        let most = limits::most_of_part();
        let mut outcome = Ok(());
        text.rewrite(|out| {
            let mut writer = Writer { out, pending: None, in_step: true, most };
            match self.matching {
                CharsmapMatching::Grapheme => self.by_grapheme(&mut writer),
                CharsmapMatching::LongestMatch => self.by_longest_match(&mut writer),
            }
            writer.flush();
            outcome = limits::check_part(writer.out.written(), || "a character map".to_string());
        });
        outcome
    }

    /// Bytes at the start of `text` that certainly stay: ASCII without rules, and followed by ASCII; of clusters, what else no rule
    /// is about.
    fn plain_run(&self, text: &str) -> usize {
        let bytes = text.as_bytes();
        let stop = bytes.iter().position(|&byte| byte == b'\r' || !self.map.is_plain(byte));
        match stop {
            None => bytes.len(),
            Some(at) if bytes[at].is_ascii() => at,
            // What follows may combine with the character before it.
            Some(at) => {
                let at = at.saturating_sub(1);
                match self.matching {
                    CharsmapMatching::Grapheme => at + self.stays.run(&self.map, &text[at..]),
                    CharsmapMatching::LongestMatch => at,
                }
            }
        }
    }

    /// Keeps what certainly stays; elsewhere `change` writes what becomes of the beginning, and says how many bytes that is.
    #[inline]
    fn walk(&self, writer: &mut Writer<'_, '_>, change: impl Fn(&str, &mut Writer<'_, '_>) -> usize) {
        let text = writer.out.rest();
        let mut at = 0;
        while at < text.len() && !writer.is_full() {
            let rest = &text[at..];
            let run = self.plain_run(rest);
            if run > 0 {
                writer.keep(&rest[..run]);
                at += run;
                continue;
            }
            match change(rest, writer) {
                0 => break,
                bytes => at += bytes,
            }
        }
    }

    fn by_grapheme(&self, writer: &mut Writer<'_, '_>) {
        self.walk(writer, |rest, writer| {
            let cluster = first_cluster(rest).unwrap_or_default();
            self.look_up(cluster, writer);
            cluster.len()
        });
    }

    fn look_up(&self, cluster: &str, writer: &mut Writer<'_, '_>) {
        if cluster.len() < LONG_CLUSTER
            && let Some(replacement) = self.map.shortest(cluster)
        {
            writer.replace(cluster, replacement);
            return;
        }
        let mut bytes = [0; 4];
        for c in cluster.chars() {
            let part = &*c.encode_utf8(&mut bytes);
            match self.map.shortest(part) {
                Some(replacement) => writer.replace(part, replacement),
                None => writer.change(c, 0),
            }
        }
    }

    fn by_longest_match(&self, writer: &mut Writer<'_, '_>) {
        self.walk(writer, |rest, writer| {
            if let Some((length, replacement)) = self.map.longest(rest) {
                writer.replace(&rest[..length], replacement);
                return length;
            }
            let Some(c) = rest.chars().next() else { return 0 };
            writer.change(c, 0);
            c.len_utf8()
        });
    }
}

/// The first grapheme cluster. Between two ASCII characters there is always a border, except in CR LF.
#[inline]
fn first_cluster(text: &str) -> Option<&str> {
    match *text.as_bytes() {
        [first, second, ..] if first.is_ascii() && second.is_ascii() && first != b'\r' => text.get(..1),
        _ => text.graphemes(true).next(),
    }
}

/// Hands changes on, one late: a deletion changes what was said about the character before.
struct Writer<'w, 's> {
    out: &'w mut Rewriter<'s>,
    pending: Option<(char, isize)>,
    /// The text read and the cursor are at the same place; lost for good after a deletion at the start.
    in_step: bool,
    /// Bytes that may be written. A rule may replace one character by megabytes.
    most: usize,
}

impl Writer<'_, '_> {
    fn is_full(&self) -> bool {
        self.out.written() > self.most
    }

    fn change(&mut self, c: char, change: isize) {
        self.flush();
        self.pending = Some((c, change));
    }

    fn flush(&mut self) {
        if let Some(change) = self.pending.take() {
            self.out.apply([change]);
        }
    }

    /// What stays.
    fn keep(&mut self, run: &str) {
        if !self.in_step {
            run.chars().for_each(|c| self.change(c, 0));
            return;
        }
        self.flush();
        let mut all_but_one = run.chars();
        let last = all_but_one.next_back();
        self.out.keep(all_but_one.as_str().len());
        self.pending = last.map(|last| (last, 0));
    }

    fn replace(&mut self, old: &str, new: &str) {
        let (old, count) = (old.chars().count() as isize, new.chars().count() as isize);
        let surplus = count - old;
        for (index, c) in new.chars().enumerate() {
            self.change(c, (index as isize >= old) as isize);
        }
        if surplus < 0 {
            match &mut self.pending {
                Some((_, change)) => *change += surplus,
                None => self.in_step = false,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::charsmap::build_charsmap;
    use super::*;
    use crate::random::Random;

    fn normalize(
        rules: &[(&str, &str)],
        matching: CharsmapMatching,
        text: &str,
    ) -> Vec<(char, usize, usize)> {
        let rules: Vec<_> =
            rules.iter().map(|(from, to)| (from.chars().collect(), to.chars().collect())).collect();
        let blob: Arc<[u8]> = build_charsmap(&rules).unwrap().into();
        let mut aligned = AlignedText::borrowed(text, 0);
        Precompiled::new(&blob, matching).unwrap().normalize(&mut aligned).unwrap();
        let result = aligned.as_str().to_string();
        let spans = result.char_indices().map(|(at, c)| {
            let span = aligned.span(at, at + c.len_utf8());
            (c, span.start, span.end)
        });
        spans.collect()
    }

    #[test]
    fn an_expansion_followed_by_a_deletion() {
        let rules = [("™", "TM"), ("\u{1e}", "")];
        let found = normalize(&rules, CharsmapMatching::Grapheme, "™\u{1e}g");
        assert_eq!(found.iter().map(|entry| entry.0).collect::<String>(), "TMg");
    }

    #[test]
    fn the_two_ways_differ_on_combining_characters() {
        let rules = [("ｅ", "e"), ("ｅ\u{301}", "é")];
        let text = "ｅ\u{301}";
        let by = |matching| normalize(&rules, matching, text).iter().map(|entry| entry.0).collect::<String>();
        assert_eq!(by(CharsmapMatching::Grapheme), "e");
        assert_eq!(by(CharsmapMatching::LongestMatch), "é");
    }

    #[test]
    fn ascii_clusters_are_as_the_segmentation_has_them() {
        for first in 0..128u8 {
            for second in (0..128u8).map(char::from).chain(['\u{301}', 'é', '\u{200d}', '\u{600}']) {
                for third in ["", "a", "\u{301}"] {
                    let text = format!("{}{second}{third}", first as char);
                    assert_eq!(first_cluster(&text), text.graphemes(true).next(), "{text:?}");
                }
            }
        }
    }

    /// Texts of all kinds of characters at the bounds of clusters, by rules about some of them, their neighbours and parts of them.
    #[test]
    fn stretches_that_stay_are_those_of_their_clusters() {
        let mut random = Random::from_seed(41);
        let mut below = |n: usize| random.next_u64() as usize % n;
        let characters: Vec<char> = "ab \r\néя漢語กำ한글\u{1100}\u{1161}\u{11A8}\u{300}\u{301}\u{200D}\u{FE0F}\u{915}\u{94D}\u{937}\u{93E}\u{903}\u{600}\u{1F1E6}\u{1F1E7}\u{1F600}\u{1F3FB}\u{E0020}\u{2_0000}\u{10FFFF}"
            .chars()
            .collect();
        let (mut kept, mut changed) = (0, 0);
        for round in 0..400 {
            let mut text = |most: usize, of: usize| -> Vec<char> {
                (0..1 + below(most)).map(|_| characters[(below(of) + round) % characters.len()]).collect()
            };
            // About any characters, and about those that stand side by side in the texts.
            let rules: Vec<_> =
                (0..round % 12).map(|rule| (text(3, [40, 3][rule % 2]), text(3, 40))).collect();
            let mut rules: std::collections::BTreeMap<_, _> = rules.into_iter().collect();
            // What goes at the start of a text moves all that comes behind it.
            rules.values_mut().step_by(3).for_each(Vec::clear);
            let blob: Arc<[u8]> = build_charsmap(&rules.into_iter().collect::<Vec<_>>()).unwrap().into();
            let precompiled = Precompiled::new(&blob, CharsmapMatching::Grapheme).unwrap();
            for most in [4, 12, 12, 60, 200] {
                let text: String = text(most, [3, 40][round % 2]).into_iter().collect();
                let mut expected = AlignedText::borrowed(&text, 0);
                expected.rewrite(|out| {
                    let mut writer = Writer { out, pending: None, in_step: true, most: usize::MAX };
                    text.graphemes(true).for_each(|cluster| precompiled.look_up(cluster, &mut writer));
                    writer.flush();
                });
                let mut found = AlignedText::borrowed(&text, 0);
                precompiled.normalize(&mut found).unwrap();
                assert_eq!(found.as_str(), expected.as_str(), "{text:?}");
                for (at, c) in found.as_str().char_indices() {
                    let end = at + c.len_utf8();
                    assert_eq!(found.span(at, end), expected.span(at, end), "{text:?}");
                }
                if found.as_str() == text { kept += 1 } else { changed += 1 }
            }
        }
        assert!(kept > 100 && changed > 100, "{kept} {changed}");
    }

    #[test]
    fn untouched_text_is_not_copied() {
        let blob: Arc<[u8]> = build_charsmap(&[(vec!['é'], vec!['e'])]).unwrap().into();
        let mut text = AlignedText::borrowed("plain text", 0);
        Precompiled::new(&blob, CharsmapMatching::Grapheme).unwrap().normalize(&mut text).unwrap();
        assert!(matches!(text.into_parts().0, std::borrow::Cow::Borrowed(_)));
    }
}
