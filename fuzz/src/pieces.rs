//! Bytes to small SentencePiece models, with the normalizer that such a file brings along.

use std::collections::BTreeMap;
use std::sync::Arc;

use arbitrary::{Result, Unstructured};
use tessella_core::normalize::charsmap::build_sorted_charsmap;
use tessella_core::spec::*;

/// Pieces are made of these; all texts have others besides.
const LETTERS: &[&str] = &["▁", "a", "b", "c", "A", "1", ".", "é", "ß", "你", "🙂", "\u{301}", "(", "'"];

fn letters(u: &mut Unstructured<'_>, longest: usize) -> Result<String> {
    let mut text = String::new();
    // Most pieces begin a word.
    if u.ratio(1, 2)? {
        text.push('▁');
    }
    for _ in 0..u.int_in_range(1..=longest)? {
        text.push_str(u.choose(LETTERS)?);
    }
    Ok(text)
}

fn pieces(u: &mut Unstructured<'_>, byte_fallback: bool) -> Result<Vec<SentencePiece>> {
    let mut pieces: Vec<SentencePiece> = Vec::new();
    let mut add = |text: String, score: f32, kind: PieceKind| {
        if pieces.iter().all(|piece| piece.text != text) {
            pieces.push(SentencePiece { text, score, kind });
        }
    };
    add("<unk>".to_string(), 0.0, PieceKind::Unknown);
    add("<s>".to_string(), 0.0, PieceKind::Control);
    if byte_fallback {
        (0..=255u8).for_each(|byte| add(format!("<0x{byte:02X}>"), 0.0, PieceKind::Byte));
    }
    // Scores that tie, that nearly tie, and that do neither.
    let step = *u.choose(&[0.25f32, 0.1, 1.0, 3.7])?;
    let score =
        |u: &mut Unstructured<'_>| -> Result<f32> { Ok(-step * f32::from(u.int_in_range(0..=40u8)?)) };
    let singles: u16 = u.arbitrary()?;
    for (at, letter) in LETTERS.iter().enumerate() {
        if singles >> at & 1 == 1 {
            add((*letter).to_string(), score(u)? - 2.0, PieceKind::Normal);
        }
    }
    for _ in 0..u.int_in_range(1..=28)? {
        let kind = match u.int_in_range(0..=31)? {
            0 => PieceKind::UserDefined,
            1 => PieceKind::Unused,
            _ => PieceKind::Normal,
        };
        let longest = if u.ratio(1, 8)? { 18 } else { 4 };
        add(letters(u, longest)?, score(u)?, kind);
    }
    Ok(pieces)
}

/// Nothing, or a few rules, some of which begin others.
fn charsmap(u: &mut Unstructured<'_>) -> Result<Arc<[u8]>> {
    if u.ratio(1, 2)? {
        return Ok(Arc::new([]));
    }
    let sources = [
        "A", "é", "e\u{301}", "ﬁ", "\u{a0}", "\u{3000}", "①", "\n", "\t", "ab", "a\u{301}", "가", "\u{200b}",
    ];
    let targets = ["a", "e", "fi", " ", "", "1", "你", "é"];
    let mut rules = BTreeMap::new();
    for _ in 0..u.int_in_range(1..=8)? {
        rules.insert(*u.choose(&sources)?, *u.choose(&targets)?);
    }
    let map = build_sorted_charsmap(rules).map_err(|_| arbitrary::Error::IncorrectFormat)?;
    Ok(map.into())
}

/// A tokenizer as a `.model` file describes one. It need not build.
pub fn spec(u: &mut Unstructured<'_>) -> Result<TokenizerSpec> {
    let byte_fallback = u.ratio(1, 5)?;
    let kind = match u.int_in_range(0..=7)? {
        0 | 1 => SentencePieceKind::Bpe,
        2 => *u.choose(&[SentencePieceKind::Word, SentencePieceKind::Char])?,
        _ => SentencePieceKind::Unigram,
    };
    let pieces = pieces(u, byte_fallback)?;
    let mut user_defined: Vec<String> = pieces
        .iter()
        .filter(|piece| piece.kind == PieceKind::UserDefined)
        .map(|piece| piece.text.clone())
        .collect();
    user_defined.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    let treat_whitespace_as_suffix = u.ratio(1, 12)?;
    let mut spec = TokenizerSpec::new(ModelSpec::SentencePiece(SentencePieceSpec {
        kind,
        pieces: Arc::new(pieces),
        byte_fallback,
        treat_whitespace_as_suffix,
        wide_sums: u.ratio(1, 12)?,
        unk_surface: " ⁇ ".to_string(),
        source: None,
    }));
    spec.normalizer = Some(NormalizerSpec::SentencePiece(SentencePieceNormalizer {
        name: "of a fuzzer".to_string(),
        charsmap: charsmap(u)?,
        add_dummy_prefix: u.ratio(3, 4)?,
        remove_extra_whitespaces: u.ratio(1, 2)?,
        escape_whitespaces: u.ratio(11, 12)?,
        treat_whitespace_as_suffix,
        user_defined: user_defined.into(),
        blanks_before_words: u.ratio(1, 12)?,
    }));
    Ok(spec)
}
