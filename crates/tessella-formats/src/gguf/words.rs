//! BERT-type models as llama.cpp runs them, said with the stages of `tokenizer.json`.
//!
//! Words are made by tables of llama.cpp's own and not by BERT's rules: a vertical tab parts them, and where accents
//! go, all marks go, vowel signs of Indian scripts among them, and of a Korean syllable only its first letter
//! stays. Each word gets a `▁` in front and is cut into the longest tokens; `▁` in a text is a letter like any other,
//! so that it may begin a token there.
//!
//! The tables are those of Unicode 15.1; what was assigned later is a letter.

use std::sync::{Arc, OnceLock};

use tessella_core::normalize::charsmap::build_sorted_charsmap;
use tessella_core::spec::{
    CharsmapMatching, Dialect, NormalizerSpec, Pattern, PreTokenizerSpec, PrependScheme, SplitBehavior,
};
use tessella_core::{Error, Result};

/// Blanks that BERT drops as control characters.
const BLANKS: &str = r"[\x{b}\x{c}\x{85}]";
/// Control characters that are none to BERT, whose tables are older.
const CONTROL: &str = r"\x{890}\x{891}\x{8e2}\x{110cd}\x{13430}-\x{1343f}";
/// Marks of later versions of Unicode.
const LATER_MARKS: &str = r"\x{897}\x{10d69}-\x{10d6d}\x{10efc}\x{113b8}-\x{113c0}\x{113c2}\x{113c5}\x{113c7}-\x{113ca}\x{113cc}-\x{113d0}\x{113d2}\x{113e1}\x{113e2}\x{11f5a}\x{1611e}-\x{1612f}\x{1e5ee}\x{1e5ef}";
/// Punctuation of later versions of Unicode.
const LATER_PUNCTUATION: &str = r"\x{1b4e}\x{1b4f}\x{1b7f}\x{10d6e}\x{113d4}\x{113d5}\x{113d7}\x{113d8}\x{11be1}\x{16d6d}-\x{16d6f}\x{1e5ff}";
/// Other characters that are words by themselves: signs of ASCII, and Chinese ones.
const ALONE: &str = r"$+<=>^`|~\x{4e00}-\x{9fff}\x{3400}-\x{4dbf}\x{20000}-\x{2a6df}\x{2a700}-\x{2b73f}\x{2b740}-\x{2b81f}\x{2b920}-\x{2ceaf}\x{f900}-\x{faff}\x{2f800}-\x{2fa1f}";
const MARK: char = '▁';

fn regex(source: String) -> Pattern {
    Pattern::Regex { source, dialect: Dialect::Oniguruma }
}

/// What is a word by itself, as part of a class of characters.
fn alone() -> String {
    format!(r"[\p{{P}}&&[^{LATER_PUNCTUATION}]]{ALONE}")
}

/// Clean text: words with blanks or signs between them.
pub(super) fn normalizer(strip_accents: bool, lowercase: bool) -> Result<NormalizerSpec> {
    let replace = |pattern: String, content: &str| NormalizerSpec::Replace {
        pattern: regex(pattern),
        content: content.to_string(),
    };
    let mut stages = vec![replace(BLANKS.to_string(), " ")];
    if strip_accents {
        stages.push(NormalizerSpec::Precompiled {
            charsmap: first_letters()?,
            matching: CharsmapMatching::Grapheme,
        });
    } else if lowercase {
        // One letter there, two in Unicode.
        stages.push(NormalizerSpec::Replace {
            pattern: Pattern::Literal("İ".into()),
            content: "i".to_string(),
        });
    }
    stages.push(NormalizerSpec::Bert {
        clean_text: true,
        handle_chinese_chars: false,
        strip_accents: Some(strip_accents),
        lowercase,
    });
    stages.push(if strip_accents {
        replace(format!(r"[{CONTROL}[\p{{M}}&&[^{LATER_MARKS}]]]"), "")
    } else {
        replace(format!("[{CONTROL}]"), "")
    });
    // A word that begins with the mark gets another one in front.
    stages.push(replace(format!(r"(?<![^ {}]){MARK}", alone()), "▁▁"));
    Ok(NormalizerSpec::Sequence(stages))
}

/// Words, each with the mark in front.
pub(super) fn pre_tokenizer() -> PreTokenizerSpec {
    PreTokenizerSpec::Sequence(vec![
        PreTokenizerSpec::Split {
            pattern: regex(format!("[{}]", alone())),
            behavior: SplitBehavior::Isolated,
            invert: false,
        },
        PreTokenizerSpec::WhitespaceSplit,
        PreTokenizerSpec::Metaspace { replacement: MARK, prepend: PrependScheme::Always, split: false },
    ])
}

/// Each Korean syllable becomes its first letter. A map that is looked up by clusters of characters does that for
/// each syllable alone: what may stand in a cluster of less than six bytes with one is a mark, which goes anyway.
fn first_letters() -> Result<Arc<[u8]>> {
    static MAP: OnceLock<Arc<[u8]>> = OnceLock::new();
    if let Some(map) = MAP.get() {
        return Ok(map.clone());
    }
    const SYLLABLES: u32 = 0xAC00;
    const LETTERS: u32 = 0x1100;
    /// Syllables that share a first letter.
    const SHARING: u32 = 588;
    let mut rules = Vec::new();
    for index in 0..19 * SHARING {
        let pair = char::from_u32(SYLLABLES + index).zip(char::from_u32(LETTERS + index / SHARING));
        let (syllable, letter) = pair.ok_or_else(|| Error::model("no Korean syllable"))?;
        rules.push((syllable.to_string(), letter.to_string()));
    }
    let map = build_sorted_charsmap(rules.iter().map(|(from, to)| (from.as_str(), to.as_str())))?;
    Ok(MAP.get_or_init(|| map.into()).clone())
}
