//! Texts written at once, against the same chunk by chunk.

use super::*;
use crate::random::Random;
use crate::scale::or_interpreted;

/// What becomes blanks, vanishes, joins, and becomes more than it was.
pub const RULES: [(&str, &str); 10] = [
    ("\n", " "),
    ("\u{3000}", " "),
    ("\u{1}", ""),
    ("e\u{301}", "é"),
    ("ﬁ", "fi"),
    ("¨", " \u{308}"),
    ("<x>", "<x>"),
    ("か\u{3099}", "が"),
    ("\u{200b}a", "b  "),
    ("qu", "k"),
];

struct Table;

impl Rules for Table {
    fn fate(&self, c: char) -> (Fate, Beside) {
        let rule = RULES.iter().find(|(from, _)| from.chars().eq([c]));
        let fate = match rule {
            None if c == ' ' => Fate::Blank,
            None if c == '▁' || c == '<' => Fate::Other,
            None if c.is_ascii() || "éかfi".contains(c) => Fate::Stays,
            None => Fate::Strange,
            Some((_, " ")) => Fate::Blank,
            Some(_) => Fate::Other,
        };
        (fate, Beside::default())
    }

    fn goes_on(&self, c: char, with: &mut dyn FnMut(u8)) {
        let rests = RULES.iter().filter_map(|(from, _)| from.strip_prefix(c));
        rests.filter_map(|rest| rest.bytes().next()).for_each(with);
    }

    fn inner(&self) -> Option<Vec<char>> {
        let inner = RULES.iter().flat_map(|(from, _)| from.chars().skip(1)).filter(|c| !c.is_ascii());
        Some(inner.collect::<std::collections::BTreeSet<char>>().into_iter().collect())
    }

    fn chunk<'t>(&'t self, text: &'t str) -> Option<(usize, &'t str)> {
        let rules = RULES.iter().filter(|(from, _)| text.starts_with(from));
        let own = text.chars().next()?.len_utf8();
        let (length, chunk) = rules
            .max_by_key(|(from, _)| from.len())
            .map_or((own, &text[..own]), |(from, to)| (from.len(), *to));
        (!chunk.contains('▁')).then_some((length, chunk))
    }
}

/// Chunk by chunk, strangers as they are, and where the chunk of each character begins.
fn slowly(spacing: Spacing, text: &str) -> Option<(String, Vec<u32>)> {
    let (mut out, mut sources) = (String::new(), Vec::new());
    let mut after_blank = spacing.drops;
    let mut at = 0;
    let mut dropped = 0;
    while spacing.drops
        && let Some((length, " ")) = Table.chunk(&text[dropped..])
    {
        dropped += length;
    }
    if spacing.prepends && !text.is_empty() {
        out.push(' ');
        sources.push(dropped as u32);
    }
    while at < text.len() {
        let (length, chunk) = Table.chunk(&text[at..])?;
        let chunk = if after_blank { chunk.trim_start_matches(' ') } else { chunk };
        out.push_str(chunk);
        sources.extend(chunk.chars().map(|_| at as u32));
        after_blank = if chunk.is_empty() { after_blank } else { spacing.drops && chunk.ends_with(' ') };
        at += length;
    }
    sources.push(at as u32);
    let kept = out.trim_end_matches(' ').len();
    out.truncate(if spacing.drops { kept } else { out.len() });
    sources.truncate(out.chars().count() + 1);
    Some((out, sources))
}

#[test]
#[cfg_attr(miri, ignore = "an interpreter takes more than a minute for it")]
fn texts_are_written_as_chunk_by_chunk() {
    let parts = [
        "a",
        "bcd ",
        " ",
        "  ",
        "\n",
        "e",
        "\u{301}",
        "é",
        "ж",
        "漢",
        "か",
        "\u{3099}",
        "ﬁ",
        "¨",
        "\u{1}",
        "<x>",
        "<",
        "\u{3000}",
        "\u{200b}",
        "😀",
        "plain words that go on",
        "\u{10ffff}",
        "q",
        "qu",
        "▁",
    ];
    let strangers = Some(Strangers { usual: 2, last: 3 });
    let mut random = Random::from_seed(5);
    let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
    let mut refused = 0;
    for (prepends, drops) in [(true, true), (true, false), (false, true), (false, false)] {
        let spacing = Spacing { prepends, drops };
        let blanks = Blanks::new(&Table, spacing, strangers);
        let mut written = Written::default();
        written.tells_sources = true;
        for round in 0..or_interpreted(2000, 4) {
            let known = parts.len() - usize::from(below(20) > 0);
            let few = 1 + below(known);
            let most = if round % 9 == 0 { 400 } else { 30 };
            let text: String = (0..below(most)).map(|_| parts[(below(few) * 7 + few) % known]).collect();
            for level in Level::all() {
                let done = blanks.write(level, &Table, &text, &mut written).unwrap();
                let bytes = written.bytes();
                let strange = |c: char| Table.fate(c).0 == Fate::Strange || "\u{2}\u{3}".contains(c);
                let alike = |text: &str| text.replace(strange, "?");
                let found = alike(std::str::from_utf8(bytes).unwrap());
                match slowly(spacing, &text) {
                    Some((expected, sources)) if done => {
                        assert_eq!(found, alike(&expected), "{text:?}");
                        let begins = |at: &usize| bytes.get(*at).is_none_or(|byte| byte & 0xC0 != 0x80);
                        let places = (0..=bytes.len()).filter(begins).map(|at| written.sources()[at]);
                        assert!(expected.is_empty() || places.eq(sources), "{spacing:?} {text:?}");
                        let runs = bytes.split(|&byte| byte != 2);
                        assert!(runs.into_iter().all(|run| run.len() < Strangers::RUN));
                    }
                    Some((expected, _)) => assert!(expected.len() > 2 * text.len(), "{text:?}"),
                    None => assert!(!done),
                }
                refused += usize::from(!done);
            }
        }
    }
    assert!(refused > or_interpreted(50, 0), "{refused}");
}
