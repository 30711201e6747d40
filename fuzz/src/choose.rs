//! Bytes to small tokenizers and texts.
//!
//! Everything is small: a vocabulary over a few characters, so that merges, prefixes and added tokens meet each
//! other all the time.

use std::collections::BTreeSet;
use std::sync::Arc;

use arbitrary::{Result, Unstructured};
use tessella_core::TokenId;
use tessella_core::pretokenize::byte_alphabet::{BYTE_TO_CHAR, bytes_to_alphabet};
use tessella_core::spec::*;

use crate::pattern::{dialect, pattern, published};

/// Characters and strings on which rules differ.
const PALETTE: &[&str] = &[
    "a",
    "b",
    "c",
    "A",
    "B",
    " ",
    " ",
    "  ",
    "\n",
    "\t",
    "\r\n",
    "1",
    "23",
    "٣",
    "½",
    ".",
    ",",
    "'",
    "'s",
    "!",
    "-",
    "_",
    "▁",
    "Ġ",
    "##",
    "</w>",
    "<unk>",
    "é",
    "e\u{301}",
    "\u{301}",
    "ß",
    "İ",
    "ſ",
    "Σ",
    "ﬁ",
    "①",
    "가",
    "\u{1100}\u{1161}",
    "你",
    "好",
    "。",
    "の",
    "ア",
    "🙂",
    "👩\u{200d}🚀",
    "\u{200b}",
    "\u{a0}",
    "\u{3000}",
    "\u{2028}",
    "\u{0}",
    "\u{7f}",
    "\u{ad}",
    "\u{feff}",
    "\u{fffd}",
    "<s>",
    "[CLS]",
    "ab",
    "abc",
    "the",
    "aaaaaaaaaaaaaaaa",
    "ͅ",
    "ǆ",
    "क्षि",
    "ไทย",
];

/// Texts of vocabulary entries and added tokens are made of these.
const PARTS: &[&str] = &[
    "a", "b", "c", "A", " ", "1", ".", "'", "▁", "é", "ß", "你", "🙂", "\u{301}", "\n", "<", ">", "#", "_",
    "-",
];

/// What a target may rule out.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub normalizer: bool,
}

/// A text: from the palette, or whatever UTF-8 can be read from the bytes that are left.
pub fn text(u: &mut Unstructured<'_>, palette_only: bool) -> Result<String> {
    if !palette_only && u.ratio(1, 3)? {
        let rest = u.bytes(u.len())?;
        return Ok(String::from_utf8_lossy(rest).into_owned());
    }
    let mut text = String::new();
    let palette = match u.int_in_range(0..=3)? {
        0 => PARTS,
        1 => &PARTS[..5],
        _ => PALETTE,
    };
    while !u.is_empty() && text.len() < 8192 {
        // What came once comes again: what is remembered of it is asked for.
        if u.ratio(1, 24)? && !text.is_empty() {
            let (from, count) = (u.int_in_range(0..=text.len() - 1)?, u.int_in_range(1..=96)?);
            let again: String = text.chars().skip(from).take(count).collect();
            text.push_str(&again);
            continue;
        }
        let part = *u.choose(palette)?;
        for _ in 0..if u.ratio(1, 40)? { u.int_in_range(1..=40)? } else { 1 } {
            text.push_str(part);
        }
    }
    Ok(text)
}

/// The text and shorter ones of it, with empty ones and some that come twice, as texts of one call.
pub fn parts_of(text: &str) -> Vec<&str> {
    let mut parts = vec![text, ""];
    let mut rest = text;
    for length in [1, 7, 16, 63, 64, 65, 200].into_iter().cycle().take(24) {
        let end = rest.char_indices().nth(length).map_or(rest.len(), |(at, _)| at);
        let (part, behind) = rest.split_at(end);
        parts.push(part);
        rest = behind;
    }
    parts.extend([rest, text]);
    parts
}

fn word(u: &mut Unstructured<'_>, parts: &[&str], longest: usize) -> Result<String> {
    let mut word = String::new();
    for _ in 0..u.int_in_range(1..=longest)? {
        word.push_str(u.choose(parts)?);
    }
    Ok(word)
}

/// A whole tokenizer. It need not build.
pub fn spec(u: &mut Unstructured<'_>, limits: Limits) -> Result<TokenizerSpec> {
    let byte_level = u.ratio(1, 3)?;
    let model = if byte_level { byte_level_bpe(u)? } else { model(u)? };
    let mut spec = TokenizerSpec::new(model);
    if limits.normalizer && u.ratio(1, 3)? {
        spec.normalizer = Some(normalizer(u, 0)?);
    }
    spec.pre_tokenizer = if byte_level {
        Some(byte_level_pre_tokenizer(u)?)
    } else if u.ratio(2, 3)? {
        Some(pre_tokenizer(u, 0)?)
    } else {
        None
    };
    if u.ratio(1, 3)? {
        as_published(u, limits, &mut spec)?;
    }
    spec.added_tokens = added_tokens(u)?;
    if u.ratio(1, 4)? {
        spec.post_processor = Some(template(u)?);
    }
    Ok(spec)
}

/// The stages that published tokenizers put around models with a mark for blanks: ways of their own lead through
/// them.
fn as_published(u: &mut Unstructured<'_>, limits: Limits, spec: &mut TokenizerSpec) -> Result<()> {
    let mark = *u.choose(&['▁', '▁', '_', 'a'])?;
    if limits.normalizer && matches!(spec.model, ModelSpec::Bpe(_)) && u.ratio(2, 3)? {
        let from = *u.choose(&[" ", " ", "b", "1"])?;
        let replace = NormalizerSpec::Replace {
            pattern: Pattern::Literal(from.to_string()),
            content: mark.to_string(),
        };
        let prefix = if u.ratio(1, 6)? { from.to_string() } else { mark.to_string() };
        let prepend = NormalizerSpec::Prepend { prepend: prefix };
        let split = PreTokenizerSpec::Split {
            pattern: Pattern::Literal(from.to_string()),
            behavior: behavior(u)?,
            invert: u.ratio(1, 8)?,
        };
        spec.pre_tokenizer = u.ratio(1, 4)?.then_some(split);
        spec.normalizer = Some(match u.int_in_range(0..=3)? {
            0 => replace,
            1 => NormalizerSpec::Sequence(vec![replace, prepend]),
            _ => NormalizerSpec::Sequence(vec![prepend, replace]),
        });
        return Ok(());
    }
    let metaspace = PreTokenizerSpec::Metaspace {
        replacement: mark,
        prepend: *u.choose(&[PrependScheme::Always, PrependScheme::First, PrependScheme::Never])?,
        split: u.ratio(5, 6)?,
    };
    spec.normalizer = match u.int_in_range(0..=3)? {
        0 | 1 => None,
        2 => spec.normalizer.take(),
        _ if !limits.normalizer => None,
        // What is done about blanks, before and behind other stages.
        _ => {
            let blanks = |u: &mut Unstructured<'_>| {
                Ok(match u.int_in_range(0..=2)? {
                    0 => NormalizerSpec::Strip { left: u.arbitrary()?, right: u.arbitrary()? },
                    1 => normalizer(u, 2)?,
                    _ => NormalizerSpec::Replace {
                        pattern: Pattern::Regex {
                            source: u.choose(&[" {2,}", " +", "  +"])?.to_string(),
                            dialect: dialect(u)?,
                        },
                        content: if u.arbitrary()? { mark.to_string() } else { " ".to_string() },
                    },
                })
            };
            let count = u.int_in_range(1..=3)?;
            Some(NormalizerSpec::Sequence((0..count).map(|_| blanks(u)).collect::<Result<_>>()?))
        }
    };
    spec.pre_tokenizer = Some(match u.int_in_range(0..=2)? {
        0 => metaspace,
        1 => PreTokenizerSpec::Sequence(vec![PreTokenizerSpec::WhitespaceSplit, metaspace]),
        _ => PreTokenizerSpec::Sequence(vec![pre_tokenizer(u, 2)?, metaspace]),
    });
    Ok(())
}

/// A byte-level BPE that covers all bytes, or nearly.
pub fn byte_level_bpe(u: &mut Unstructured<'_>) -> Result<ModelSpec> {
    let missing = if u.ratio(1, 8)? { Some(u.arbitrary::<u8>()?) } else { None };
    let mut texts: Vec<String> = (0..=255u8)
        .filter(|byte| Some(*byte) != missing)
        .map(|byte| BYTE_TO_CHAR[byte as usize].to_string())
        .collect();
    let useful: Vec<TokenId> = " abcA1.'\n\u{c3}\u{a9}"
        .bytes()
        .chain("é你🙂".bytes())
        .filter_map(|byte| texts.iter().position(|text| *text == bytes_to_alphabet(&[byte])))
        .map(|at| at as TokenId)
        .collect();
    let merges = merges(u, &mut texts, &useful, 0)?;
    let unk = missing.is_some() && u.arbitrary()?;
    bpe(u, texts, merges, unk, false)
}

/// Merges that build on each other. New tokens go into `texts`.
fn merges(
    u: &mut Unstructured<'_>,
    texts: &mut Vec<String>,
    useful: &[TokenId],
    prefix: usize,
) -> Result<Vec<(TokenId, TokenId)>> {
    let mut pairs = Vec::new();
    let mut pool: Vec<TokenId> = useful.to_vec();
    for _ in 0..u.int_in_range(0..=24)? {
        if pool.is_empty() {
            break;
        }
        let (left, right) = (*u.choose(&pool)?, *u.choose(&pool)?);
        let Some(rest) = texts[right as usize].get(prefix..) else { continue };
        let joined = format!("{}{rest}", texts[left as usize]);
        if joined.len() > 64 {
            continue;
        }
        let id = match texts.iter().position(|text| *text == joined) {
            Some(id) => id,
            None => {
                texts.push(joined);
                texts.len() - 1
            }
        };
        pool.push(id as TokenId);
        pairs.push((left, right));
    }
    // Ranks need not follow the order in which tokens came to be.
    if u.ratio(1, 3)? && !pairs.is_empty() {
        let by = u.int_in_range(0..=pairs.len() - 1)?;
        pairs.rotate_left(by);
    }
    Ok(pairs)
}

fn vocab(u: &mut Unstructured<'_>, texts: Vec<String>) -> Result<Arc<Vocab>> {
    // Ids with holes, or another order.
    let (step, offset) = if u.ratio(1, 6)? { (3, 5) } else { (1, 0) };
    let entries = texts.into_iter().zip(0u32..).map(|(text, id)| (text, id * step + offset));
    Vocab::from_entries(entries).map(Arc::new).map_err(|_| arbitrary::Error::IncorrectFormat)
}

fn bpe(
    u: &mut Unstructured<'_>,
    texts: Vec<String>,
    merges: Vec<(TokenId, TokenId)>,
    unk: bool,
    affixes: bool,
) -> Result<ModelSpec> {
    let unk_token = if unk { Some(u.choose(&texts)?.clone()) } else { None };
    let merges: Vec<(String, String)> = merges
        .into_iter()
        .map(|(left, right)| (texts[left as usize].clone(), texts[right as usize].clone()))
        .collect();
    let vocab = vocab(u, texts)?;
    let id = |text: &str| vocab.id(text).unwrap_or(0);
    let pairs: Vec<_> = merges.iter().map(|(left, right)| (id(left), id(right))).collect();
    let concat = !affixes && u.ratio(1, 6)?;
    Ok(ModelSpec::Bpe(BpeSpec {
        unk_token,
        fuse_unk: u.arbitrary()?,
        byte_fallback: !concat && u.ratio(1, 4)?,
        ignore_merges: concat || u.ratio(1, 6)?,
        ..BpeSpec::new(vocab, if concat { Merges::ConcatRank } else { Merges::Pairs(Arc::new(pairs)) })
    }))
}

fn char_bpe(u: &mut Unstructured<'_>) -> Result<ModelSpec> {
    let prefix = if u.ratio(1, 6)? { *u.choose(&["##", "_"])? } else { "" };
    let suffix = if u.ratio(1, 6)? { *u.choose(&["</w>", "_"])? } else { "" };
    let mut texts: Vec<String> = Vec::new();
    let mut add = |text: String| {
        if !texts.contains(&text) {
            texts.push(text);
        }
    };
    let bits: u32 = u.arbitrary()?;
    for (index, part) in PARTS.iter().enumerate() {
        if bits >> index & 1 == 1 {
            add(part.to_string());
            if !prefix.is_empty() {
                add(format!("{prefix}{part}"));
            }
            if !suffix.is_empty() {
                add(format!("{part}{suffix}"));
                add(format!("{prefix}{part}{suffix}"));
            }
        }
    }
    let singles = texts.len();
    match u.int_in_range(0..=3)? {
        0 => (0..=255u8).for_each(|byte| texts.push(format!("<0x{byte:02X}>"))),
        1 => "你a\u{301}".bytes().for_each(|byte| {
            let text = format!("<0x{byte:02X}>");
            if !texts.contains(&text) {
                texts.push(text);
            }
        }),
        _ => {}
    }
    texts.push("<unk>".to_string());
    let useful: Vec<TokenId> = (0..singles as TokenId).chain([texts.len() as TokenId - 1]).collect();
    let useful = if u.ratio(1, 8)? { (0..texts.len() as TokenId).collect() } else { useful };
    let merges = merges(u, &mut texts, &useful, prefix.len())?;
    let unk = u.arbitrary()?;
    let affixes = !(prefix.is_empty() && suffix.is_empty());
    let mut model = bpe(u, texts, merges, unk, affixes)?;
    if let ModelSpec::Bpe(bpe) = &mut model {
        bpe.continuing_subword_prefix = (!prefix.is_empty()).then(|| prefix.to_string());
        bpe.end_of_word_suffix = (!suffix.is_empty()).then(|| suffix.to_string());
    }
    Ok(model)
}

fn words(u: &mut Unstructured<'_>) -> Result<BTreeSet<String>> {
    let mut words = BTreeSet::new();
    for _ in 0..u.int_in_range(1..=24)? {
        words.insert(word(u, PARTS, 4)?);
    }
    Ok(words)
}

pub fn model(u: &mut Unstructured<'_>) -> Result<ModelSpec> {
    Ok(match u.int_in_range(0..=5)? {
        0..=2 => char_bpe(u)?,
        3 => {
            let prefix = if u.ratio(1, 4)? { word(u, PARTS, 2)? } else { "##".to_string() };
            let mut texts = words(u)?;
            let rests: Vec<String> = texts.iter().map(|text| format!("{prefix}{text}")).collect();
            let bits: u32 = u.arbitrary()?;
            texts.extend(
                rests.into_iter().enumerate().filter(|(at, _)| bits >> (at % 32) & 1 == 1).map(|(_, t)| t),
            );
            let unk_token = if u.ratio(1, 6)? { "[UNK]".to_string() } else { word(u, PARTS, 1)? };
            if u.ratio(5, 6)? {
                texts.insert(unk_token.clone());
            }
            ModelSpec::WordPiece(WordPieceSpec {
                vocab: vocab(u, texts.into_iter().collect())?,
                unk_token,
                continuing_subword_prefix: prefix,
                max_input_chars_per_word: u.int_in_range(0..=20)?,
            })
        }
        4 => {
            let texts = words(u)?;
            ModelSpec::WordLevel(WordLevelSpec {
                vocab: vocab(u, texts.into_iter().collect())?,
                unk_token: "a".into(),
            })
        }
        _ => {
            let mut pieces: Vec<(String, f64)> = Vec::new();
            for text in words(u)? {
                pieces.push((text, -f64::from(u.int_in_range(0u8..=40)?) / 4.0));
            }
            if u.ratio(1, 3)? {
                (0..=255u8).for_each(|byte| pieces.push((format!("<0x{byte:02X}>"), 0.0)));
            }
            if u.ratio(1, 8)? {
                // The same text once more: the later entry counts.
                pieces.push((pieces[0].0.clone(), -1.5));
            }
            let unk_id = if u.ratio(5, 6)? { Some(u.int_in_range(0..=pieces.len() - 1)?) } else { None };
            ModelSpec::Unigram(UnigramSpec {
                vocab: Arc::new(pieces),
                unk_id,
                byte_fallback: u.arbitrary()?,
                alpha: None,
                nbest_size: None,
            })
        }
    })
}

fn a_pattern(u: &mut Unstructured<'_>) -> Result<Pattern> {
    Ok(if u.ratio(1, 3)? {
        Pattern::Literal(if u.ratio(1, 12)? { String::new() } else { word(u, PARTS, 2)? })
    } else {
        Pattern::Regex { source: pattern(u)?, dialect: dialect(u)? }
    })
}

fn behavior(u: &mut Unstructured<'_>) -> Result<SplitBehavior> {
    use SplitBehavior::*;
    u.choose(&[Isolated, Isolated, Removed, MergedWithPrevious, MergedWithNext, Contiguous]).copied()
}

pub fn normalizer(u: &mut Unstructured<'_>, depth: usize) -> Result<NormalizerSpec> {
    Ok(match u.int_in_range(0..=12)? {
        0 => NormalizerSpec::Nfc,
        1 => NormalizerSpec::Nfd,
        2 => NormalizerSpec::Nfkc,
        3 => NormalizerSpec::Nfkd,
        4 => NormalizerSpec::Lowercase,
        5 => NormalizerSpec::Strip { left: u.arbitrary()?, right: u.arbitrary()? },
        6 => NormalizerSpec::StripAccents,
        7 => NormalizerSpec::Prepend { prepend: word(u, &["▁", "a", " ", "é"], 2)? },
        8 | 9 => NormalizerSpec::Replace {
            pattern: a_pattern(u)?,
            content: if u.ratio(1, 4)? { String::new() } else { word(u, PARTS, 2)? },
        },
        10 => NormalizerSpec::ByteLevel,
        _ if depth < 2 => {
            let count = u.int_in_range(0..=3)?;
            NormalizerSpec::Sequence((0..count).map(|_| normalizer(u, depth + 1)).collect::<Result<_>>()?)
        }
        _ => NormalizerSpec::Lowercase,
    })
}

pub fn pre_tokenizer(u: &mut Unstructured<'_>, depth: usize) -> Result<PreTokenizerSpec> {
    Ok(match u.int_in_range(0..=14)? {
        0 => PreTokenizerSpec::Bert,
        1 => PreTokenizerSpec::Whitespace,
        2 => PreTokenizerSpec::WhitespaceSplit,
        3 => PreTokenizerSpec::CharDelimiter { delimiter: *u.choose(&['a', ' ', '▁', '你'])? },
        4 => PreTokenizerSpec::Digits { individual: u.arbitrary()? },
        5 => PreTokenizerSpec::FixedLength { length: u.int_in_range(1..=5)? },
        6 => PreTokenizerSpec::Punctuation { behavior: behavior(u)? },
        7 => PreTokenizerSpec::Metaspace {
            replacement: *u.choose(&['▁', '▁', '_', 'a'])?,
            prepend: if u.arbitrary()? { PrependScheme::Always } else { PrependScheme::Never },
            split: u.arbitrary()?,
        },
        8..=10 => {
            PreTokenizerSpec::Split { pattern: a_pattern(u)?, behavior: behavior(u)?, invert: u.ratio(1, 4)? }
        }
        11 => PreTokenizerSpec::ByteLevel {
            add_prefix_space: u.arbitrary()?,
            trim_offsets: false,
            use_regex: u.arbitrary()?,
        },
        _ if depth < 2 => {
            let count = u.int_in_range(0..=3)?;
            PreTokenizerSpec::Sequence(
                (0..count).map(|_| pre_tokenizer(u, depth + 1)).collect::<Result<_>>()?,
            )
        }
        _ => PreTokenizerSpec::WhitespaceSplit,
    })
}

/// Splits and then the alphabet.
pub fn byte_level_pre_tokenizer(u: &mut Unstructured<'_>) -> Result<PreTokenizerSpec> {
    let last = PreTokenizerSpec::ByteLevel {
        add_prefix_space: u.ratio(1, 3)?,
        trim_offsets: false,
        use_regex: u.ratio(2, 3)?,
    };
    if u.ratio(1, 3)? {
        return Ok(last);
    }
    if u.ratio(1, 2)? {
        // As published: one Split stage or several that isolate their matches, and the alphabet alone.
        let mut stages = Vec::new();
        for _ in 0..*u.choose(&[1, 1, 1, 2, 3])? {
            let pattern = Pattern::Regex { source: published(u)?.to_string(), dialect: dialect(u)? };
            stages.push(PreTokenizerSpec::Split {
                pattern,
                behavior: SplitBehavior::Isolated,
                invert: false,
            });
        }
        stages.push(PreTokenizerSpec::ByteLevel {
            add_prefix_space: false,
            trim_offsets: false,
            use_regex: false,
        });
        return Ok(PreTokenizerSpec::Sequence(stages));
    }
    let mut stages = Vec::new();
    for _ in 0..u.int_in_range(1..=2)? {
        stages.push(pre_tokenizer(u, 2)?);
    }
    stages.push(last);
    Ok(PreTokenizerSpec::Sequence(stages))
}

pub fn added_tokens(u: &mut Unstructured<'_>) -> Result<Vec<AddedToken>> {
    let mut tokens = Vec::new();
    if u.ratio(1, 2)? {
        return Ok(tokens);
    }
    for _ in 0..u.int_in_range(1..=5)? {
        let content = if u.ratio(1, 3)? {
            u.choose(&["<s>", "[CLS]", "the", "ab", "abc"])?.to_string()
        } else {
            word(u, PARTS, 3)?
        };
        tokens.push(AddedToken {
            id: None,
            content,
            single_word: u.ratio(1, 4)?,
            lstrip: u.ratio(1, 4)?,
            rstrip: u.ratio(1, 4)?,
            normalized: u.arbitrary()?,
            special: u.arbitrary()?,
        });
    }
    Ok(tokens)
}

fn template(u: &mut Unstructured<'_>) -> Result<PostProcessorSpec> {
    let sequence = || TemplatePiece::Sequence { second: false, type_id: 0 };
    let special = || TemplatePiece::Special { id: "x".into(), type_id: 0 };
    let single = match u.int_in_range(0..=3)? {
        0 => vec![special(), sequence(), special()],
        1 => vec![sequence(), special()],
        2 => vec![special(), sequence(), special(), sequence()],
        _ => vec![sequence()],
    };
    Ok(PostProcessorSpec::Template(Template {
        pair: vec![sequence(), TemplatePiece::Sequence { second: true, type_id: 1 }],
        single,
        special_tokens: vec![TemplateSpecial {
            id: "x".into(),
            ids: vec![7001, 7002],
            tokens: vec!["x".into(), "y".into()],
        }],
    }))
}
