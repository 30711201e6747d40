//! What comes out: pieces in id order, the vocabulary as text, a self test.

use std::collections::HashSet;

use tessella_core::Result;
use tessella_core::cancel::Cancel;
use tessella_core::sentencepiece::{Piece, Processor};
use tessella_core::spec::{PieceKind, SentencePiece};
use tessella_formats::sentencepiece::sections::{self, TrainerSpec};
use tessella_formats::sentencepiece::{Model, read_description};

use super::meta::Meta;
use super::wrong;

/// All pieces in id order. Checks the vocabulary's size, and sets it where it is only a wish.
pub(super) fn numbered(
    meta: &Meta,
    learned: Vec<(String, f32)>,
    spec: &mut TrainerSpec,
) -> Result<Vec<SentencePiece>> {
    let mut pieces: Vec<SentencePiece> = Vec::with_capacity(meta.len() + learned.len());
    let mut learned = learned.into_iter();
    // The size may be far above what there is.
    let last_reserved = meta.keys().next_back().copied().unwrap_or(0);
    for id in 0..spec.vocab_size() {
        if id > last_reserved && learned.len() == 0 {
            break;
        }
        if let Some((text, kind)) = meta.get(&id) {
            if pieces.len() != id as usize {
                return Err(wrong(format!(
                    "`{text}` should have id {id}, but only {} pieces were found before it: lower the id",
                    pieces.len()
                )));
            }
            pieces.push(SentencePiece { text: text.clone(), score: 0.0, kind: *kind });
        } else if let Some((text, score)) = learned.next() {
            pieces.push(SentencePiece { text, score, kind: PieceKind::Normal });
        }
    }
    let mut seen = HashSet::new();
    for piece in &pieces {
        if piece.text.is_empty() {
            return Err(wrong("a symbol is empty: every piece must have a text".into()));
        }
        if !seen.insert(piece.text.as_str()) {
            return Err(wrong(format!("`{}` is already defined: it would be two pieces", piece.text)));
        }
    }
    if learned.next().is_some() {
        return Err(wrong("the pieces do not fit into vocab_size: ask for more".into()));
    }
    if !spec.hard_vocab_limit() || spec.model_type() == sections::CHAR {
        spec.vocab_size = Some(pieces.len() as i32);
    } else if pieces.len() != spec.vocab_size() as usize {
        return Err(wrong(format!(
            "vocab_size is {}, but the text has only {} pieces to offer: ask for {} or less, or set \
             hard_vocab_limit to false",
            spec.vocab_size(),
            pieces.len(),
            pieces.len()
        )));
    }
    Ok(pieces)
}

/// One piece per line.
pub(super) fn vocab_file(pieces: &[SentencePiece], with_scores: bool) -> String {
    let mut lines = String::new();
    for piece in pieces {
        lines.push_str(&piece.text);
        if with_scores {
            lines.push('\t');
            lines.push_str(&six_digits(piece.score));
        }
        lines.push('\n');
    }
    lines
}

/// What the model makes of the samples.
pub(super) fn self_test(model: &Model, samples: Vec<String>) -> Result<Vec<(String, String)>> {
    if samples.is_empty() {
        return Ok(Vec::new());
    }
    let plain = Model { denormalizer: None, ..model.clone() };
    let processor = Processor::new(read_description(&plain.write())?)?;
    samples
        .into_iter()
        .map(|sample| {
            let pieces = processor.encode(sample.as_bytes(), &Cancel::never())?.pieces;
            let expected = pieces.iter().map(Piece::as_text).collect::<Vec<_>>().join(" ");
            Ok((sample, expected))
        })
        .collect()
}

/// A number with six digits, as C prints it with `%g`.
fn six_digits(number: f32) -> String {
    if number == 0.0 || !number.is_finite() {
        return number.to_string();
    }
    let scientific = format!("{number:.5e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let short = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text.to_string(),
    };
    if (-4..6).contains(&exponent) {
        short(&format!("{number:.*}", (5 - exponent) as usize))
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{}e{sign}{:02}", short(digits), exponent.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_c_prints_them() {
        let cases = [
            (0.0, "0"),
            (-0.0, "-0"),
            (-12.0, "-12"),
            (-2.141_592_7, "-2.14159"),
            (-10.5, "-10.5"),
            (-123_456.7, "-123457"),
            (1_234_567.0, "1.23457e+06"),
            (-0.000_012_345, "-1.2345e-05"),
            (0.000_1, "0.0001"),
            (-9.999_999, "-10"),
        ];
        for (number, expected) in cases {
            assert_eq!(six_digits(number), expected);
        }
    }
}
