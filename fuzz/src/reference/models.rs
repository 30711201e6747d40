//! Models, one piece at a time.

use tessella_core::TokenId;
use tessella_core::spec::*;

use super::{Failure, Outcome};

/// The ids of one piece.
pub fn encode_piece(model: &ModelSpec, piece: &str) -> Outcome<Vec<TokenId>> {
    if piece.is_empty() {
        return Ok(Vec::new());
    }
    match model {
        ModelSpec::Bpe(bpe) => encode_bpe(bpe, piece),
        ModelSpec::WordPiece(model) => word_piece(model, piece),
        ModelSpec::WordLevel(model) => {
            let id = model.vocab.id(piece).or(model.vocab.id(&model.unk_token));
            Ok(vec![id.ok_or(Failure::Refused)?])
        }
        ModelSpec::Unigram(model) => unigram(model, piece),
        ModelSpec::SentencePiece(_) => Err(Failure::NoAnswer),
    }
}

/// Merges the leftmost pair of the lowest rank, and looks at everything again.
fn encode_bpe(bpe: &BpeSpec, piece: &str) -> Outcome<Vec<TokenId>> {
    let whole = bpe.ignore_merges || matches!(bpe.merges, Merges::ConcatRank);
    if whole && let Some(id) = bpe.vocab.id(piece) {
        return Ok(vec![id]);
    }
    let prefix = bpe.continuing_subword_prefix.as_deref().unwrap_or("");
    let suffix = bpe.end_of_word_suffix.as_deref().unwrap_or("");
    let mut symbols = first_symbols(bpe, piece, prefix, suffix)?;
    let text = |id: TokenId| bpe.vocab.text(id).unwrap_or("");
    loop {
        let mut best: Option<(usize, usize, TokenId)> = None;
        for at in 0..symbols.len().saturating_sub(1) {
            let (left, right) = (symbols[at], symbols[at + 1]);
            let merge = match &bpe.merges {
                // Of a pair that is there twice the last rank counts.
                Merges::Pairs(pairs) => pairs.iter().rposition(|pair| *pair == (left, right)).map(|rank| {
                    let joined = format!("{}{}", text(left), &text(right)[prefix.len()..]);
                    (rank, bpe.vocab.id(&joined).expect("merges lead into the vocabulary"))
                }),
                Merges::ConcatRank => {
                    let joined = bpe.vocab.id(&format!("{}{}", text(left), text(right)));
                    joined.map(|id| (id as usize, id))
                }
            };
            if let Some((rank, id)) = merge
                && best.is_none_or(|(lowest, _, _)| rank < lowest)
            {
                best = Some((rank, at, id));
            }
        }
        let Some((_, at, id)) = best else { return Ok(symbols) };
        symbols[at] = id;
        symbols.remove(at + 1);
    }
}

fn first_symbols(bpe: &BpeSpec, piece: &str, prefix: &str, suffix: &str) -> Outcome<Vec<TokenId>> {
    let chars: Vec<char> = piece.chars().collect();
    let mut symbols = Vec::new();
    let mut after_unknown = false;
    for (index, c) in chars.iter().enumerate() {
        let before = if index > 0 { prefix } else { "" };
        let after = if index + 1 == chars.len() { suffix } else { "" };
        let spelled = format!("{before}{c}{after}");
        if let Some(id) = bpe.vocab.id(&spelled) {
            symbols.push(id);
            after_unknown = false;
            continue;
        }
        if bpe.byte_fallback {
            let bytes: Option<Vec<TokenId>> =
                spelled.bytes().map(|byte| bpe.vocab.id(&format!("<0x{byte:02X}>"))).collect();
            if let Some(bytes) = bytes {
                symbols.extend(bytes);
                after_unknown = false;
                continue;
            }
        }
        let Some(unk) = &bpe.unk_token else { continue };
        let unk = bpe.vocab.id(unk).ok_or(Failure::Refused)?;
        if !(after_unknown && bpe.fuse_unk) {
            symbols.push(unk);
        }
        after_unknown = true;
    }
    Ok(symbols)
}

/// Tries every end from the longest to the shortest.
fn word_piece(model: &WordPieceSpec, piece: &str) -> Outcome<Vec<TokenId>> {
    let unknown = || Ok(vec![model.vocab.id(&model.unk_token).ok_or(Failure::Refused)?]);
    let chars: Vec<char> = piece.chars().collect();
    if chars.len() > model.max_input_chars_per_word {
        return unknown();
    }
    let mut ids = Vec::new();
    let mut start = 0;
    while start < chars.len() {
        let hit = (start + 1..=chars.len()).rev().find_map(|end| {
            let part: String = chars[start..end].iter().collect();
            let entry = if start > 0 { format!("{}{part}", model.continuing_subword_prefix) } else { part };
            model.vocab.id(&entry).map(|id| (end, id))
        });
        let Some((end, id)) = hit else { return unknown() };
        ids.push(id);
        start = end;
    }
    Ok(ids)
}

/// The best way to each end, from all starts.
fn unigram(model: &UnigramSpec, piece: &str) -> Outcome<Vec<TokenId>> {
    let id_of = |text: &str| model.vocab.iter().rposition(|(entry, _)| entry == text);
    let ends: Vec<usize> = piece.char_indices().map(|(at, c)| at + c.len_utf8()).collect();
    let lowest = model.vocab.iter().map(|(_, score)| *score).fold(f64::INFINITY, f64::min);
    // Per end: score, start, id.
    let mut best: Vec<Option<(f64, usize, usize)>> = vec![None; piece.len() + 1];
    best[0] = Some((0.0, 0, 0));
    for (at, c) in piece.char_indices() {
        let Some((so_far, _, _)) = best[at] else { continue };
        let mut offer = |end: usize, score: f64, id: usize| {
            if best[end].is_none_or(|(known, _, _)| so_far + score > known) {
                best[end] = Some((so_far + score, at, id));
            }
        };
        let mut alone = false;
        for &end in ends.iter().filter(|end| **end > at) {
            if let Some(id) = id_of(&piece[at..end]) {
                offer(end, model.vocab[id].1, id);
                alone |= end == at + c.len_utf8();
            }
        }
        if !alone {
            offer(at + c.len_utf8(), lowest - 10.0, model.unk_id.ok_or(Failure::Refused)?);
        }
    }
    // Unknown neighbours are one.
    let mut path: Vec<(usize, usize, bool)> = Vec::new();
    let mut end = piece.len();
    while end > 0 {
        let (_, start, id) = best[end].ok_or(Failure::Refused)?;
        let unknown = Some(id) == model.unk_id;
        match path.last_mut() {
            Some(last) if unknown && last.2 => last.0 = start,
            _ => path.push((start, end, unknown)),
        }
        end = start;
    }
    let mut ids = Vec::new();
    for &(start, end, _) in path.iter().rev() {
        let text = &piece[start..end];
        if let Some(id) = id_of(text) {
            ids.push(id as TokenId);
            continue;
        }
        let bytes: Option<Vec<usize>> = text.bytes().map(|byte| id_of(&format!("<0x{byte:02X}>"))).collect();
        match bytes {
            Some(bytes) if model.byte_fallback => ids.extend(bytes.into_iter().map(|id| id as TokenId)),
            _ => ids.push(model.unk_id.ok_or(Failure::Refused)? as TokenId),
        }
    }
    Ok(ids)
}
