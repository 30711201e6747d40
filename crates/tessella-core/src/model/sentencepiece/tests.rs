//! Properties of SentencePiece models: against plain versions of the same rules, and on large input.

use super::*;
use crate::lanes::Key;
use crate::spec::PieceKind;

fn model(kind: SentencePieceKind, pieces: &[(&str, f32, PieceKind)]) -> Result<SentencePieceModel> {
    let unknown = [("<unk>", 0.0, PieceKind::Unknown)];
    let pieces = unknown.iter().chain(pieces).map(|(text, score, kind)| SentencePiece {
        text: text.to_string(),
        score: *score,
        kind: *kind,
    });
    SentencePieceModel::new(&SentencePieceSpec::new(kind, pieces.collect::<Vec<_>>()))
}

fn ids(model: &SentencePieceModel, text: &str) -> Vec<TokenId> {
    let mut tokens = Vec::new();
    model.tokenize(text, &Cancel::never(), &mut tokens).unwrap();
    tokens.iter().map(|token| token.id).collect()
}

/// Merges the whole text, looking through all pairs for the best one every time.
fn plain_bpe(pieces: &[(String, f32)], text: &str) -> Vec<String> {
    let score = |text: &str| pieces.iter().find(|piece| piece.0 == text).map(|piece| piece.1);
    let mut parts: Vec<String> = text.chars().map(String::from).collect();
    loop {
        let mut best: Option<(usize, f32)> = None;
        for at in 0..parts.len().saturating_sub(1) {
            let joined = format!("{}{}", parts[at], parts[at + 1]);
            if let Some(score) = score(&joined)
                && best.is_none_or(|(_, known)| score > known)
            {
                best = Some((at, score));
            }
        }
        let Some((at, _)) = best else { return parts };
        let right = parts.remove(at + 1);
        parts[at].push_str(&right);
    }
}

#[test]
fn cut_merging_equals_merging_the_whole_text() {
    let mut random = Random::from_seed(8);
    for _ in 0..200 {
        let alphabet: Vec<char> =
            if random.next_u64().is_multiple_of(2) { "abc▁" } else { "ab世é" }.chars().collect();
        let word = |random: &mut Random, longest: u64| -> String {
            let length = 1 + random.next_u64() % longest;
            (0..length).map(|_| alphabet[random.next_u64() as usize % alphabet.len()]).collect()
        };
        let mut pieces: Vec<(String, f32)> = alphabet.iter().map(|c| (c.to_string(), -100.0)).collect();
        for _ in 0..random.next_u64() % 20 {
            let text = word(&mut random, 4);
            if pieces.iter().all(|piece| piece.0 != text) {
                pieces.push((text, -((random.next_u64() % 8) as f32)));
            }
        }
        let list: Vec<_> =
            pieces.iter().map(|(text, score)| (text.as_str(), *score, PieceKind::Normal)).collect();
        let model = model(SentencePieceKind::Bpe, &list).unwrap();
        for longest in [3, 20, 60, 200] {
            let text = word(&mut random, longest);
            let wanted: Vec<TokenId> =
                plain_bpe(&pieces, &text).iter().map(|part| model.token_to_id(part).unwrap()).collect();
            assert_eq!(ids(&model, &text), wanted, "{text:?} with {pieces:?}");
        }
    }
}

#[test]
fn a_model_must_fit_together() {
    let normal = |text| (text, -1.0, PieceKind::Normal);
    let message = |pieces: &[(&str, f32, PieceKind)]| {
        model(SentencePieceKind::Unigram, pieces).unwrap_err().message().to_string()
    };
    assert!(message(&[normal("a"), normal("a")]).contains("already defined"));
    assert!(message(&[normal("")]).contains("is empty"));
    assert!(message(&[("u", 0.0, PieceKind::Unknown)]).contains("exactly one"));
    assert!(message(&[("<0x41>", 0.0, PieceKind::Byte)]).contains("byte_fallback"));
    assert!(message(&[("a", f32::NAN, PieceKind::Normal)]).contains("not a number"));
    assert!(message(&[]).contains("no piece"));
}

#[test]
fn dropout_of_one_leaves_characters_and_of_nothing_the_best() {
    let model = model(
        SentencePieceKind::Bpe,
        &[("a", -3.0, PieceKind::Normal), ("b", -3.0, PieceKind::Normal), ("ab", -1.0, PieceKind::Normal)],
    )
    .unwrap();
    let sample = |alpha| {
        let mut tokens = Vec::new();
        model.sample("abab", -1, alpha, None, &mut Random::from_seed(3), &mut tokens).unwrap();
        tokens.iter().map(|token| token.id).collect::<Vec<_>>()
    };
    assert_eq!(sample(1.0), [1, 2, 1, 2]);
    assert_eq!(sample(0.0), [3, 3]);
}

#[test]
fn megabytes_without_a_space_take_no_time() {
    let pieces = [
        ("a", -3.0, PieceKind::Normal),
        ("aa", -1.0, PieceKind::Normal),
        ("aaaa", -2.0, PieceKind::Normal),
        ("b", -3.0, PieceKind::Normal),
        ("ab", -1.5, PieceKind::Unused),
    ];
    let text = "a".repeat(2_000_000);
    for kind in
        [SentencePieceKind::Unigram, SentencePieceKind::Bpe, SentencePieceKind::Word, SentencePieceKind::Char]
    {
        for count in [4, 5] {
            let tokens = ids(&model(kind, &pieces[..count]).unwrap(), &text);
            assert!(!tokens.is_empty());
        }
    }
}

/// What stretches became is used again: the ids, spans and surfaces must be those of whole sentences. Scores are chosen
/// so that many ways through a word differ by little or nothing, and sentences are long enough for the sums to lose
/// their last digits, and to be counted from zero again.
#[test]
fn remembered_stretches_change_nothing() {
    let mut random = Random::from_seed(12);
    let mut below = |n: usize| (random.next_u64() % n as u64) as usize;
    let mut without_limits = 0;
    for round in 0..24 {
        let alphabet: Vec<char> = ["abc▁", "ab.▁", "ab世é▁"][round % 3].chars().collect();
        let kind = if round % 4 == 3 { SentencePieceKind::Bpe } else { SentencePieceKind::Unigram };
        let step = [0.5, 0.01, 0.001][below(3)];
        let mut pieces: Vec<(String, f32, PieceKind)> = Vec::new();
        // One character may be unknown.
        let known = alphabet.len() - below(2);
        for c in &alphabet[..known] {
            pieces.push((c.to_string(), -9.0 - below(5) as f32 * step, PieceKind::Normal));
        }
        for _ in 0..4 + below(24) {
            let length = 2 + below(5);
            let text: String = (0..length)
                .map(|_| {
                    let known = alphabet.len() - below(2);
                    alphabet[below(known)]
                })
                .collect();
            // Marks stand in front, and in one round of eight anywhere.
            let text = if round % 8 == 7 {
                text
            } else {
                let plain = text.replace('▁', "");
                if text.starts_with('▁') { format!("▁{plain}") } else { plain }
            };
            if !text.is_empty() && pieces.iter().all(|piece| piece.0 != text) {
                let length = text.chars().count() as f32;
                let kind = match below(12) {
                    0 if round % 5 == 0 => PieceKind::UserDefined,
                    1 if round % 7 == 0 => PieceKind::Unused,
                    _ => PieceKind::Normal,
                };
                pieces.push((text, -9.0 * length + below(9) as f32 * step, kind));
            }
        }
        let list: Vec<_> = pieces.iter().map(|(text, score, kind)| (text.as_str(), *score, *kind)).collect();
        let model = model(kind, &list).unwrap();
        let mut memo = Memo::within([4 << 20, 70 << 10][below(2)]).unwrap();
        for length in [1, 5, 40, 400, 4000, 30_000] {
            let text: String = (0..length).map(|_| alphabet[below(alphabet.len())]).collect();
            let (mut whole, mut parts) = (Vec::new(), Vec::new());
            model.tokenize(&text, &Cancel::never(), &mut whole).unwrap();
            model.tokenize_with(&text, &Cancel::never(), Some(&mut memo), &mut parts).unwrap();
            assert!(whole == parts, "{kind:?} {pieces:?}");
            // The same from zero, stretch by stretch: what came of it without any limit.
            if let Algorithm::Unigram(unigram) = &model.algorithm
                && length == 30_000
            {
                let mut ids = Vec::new();
                let mut alone = Memo::within(4 << 20).unwrap();
                for stretch in unigram.stretches(&text) {
                    let mut found = Vec::new();
                    model.tokenize_with(stretch, &Cancel::never(), Some(&mut alone), &mut found).unwrap();
                    ids.extend(found.iter().map(|token| token.id));
                }
                without_limits += usize::from(!whole.iter().map(|token| token.id).eq(ids));
            }
        }
    }
    assert!(without_limits > 3, "the sums in front never mattered: {without_limits}");
}

#[test]
fn sums_beyond_all_numbers_are_certain_of_nothing() {
    for scores in [[f32::MAX, f32::MAX], [f32::MIN, f32::MIN], [f32::MAX, f32::MIN], [-1e38, -1e38]] {
        let pieces = [("a", scores[0], PieceKind::Normal), ("b", scores[1], PieceKind::Normal)];
        let model = model(SentencePieceKind::Unigram, &pieces).unwrap();
        let Ok(sums) = model.sums((b' ', '▁')) else { continue };
        let mut numbers = Vec::new();
        model.seal(&sums, &"ab".repeat(40), &mut SumScratch::default(), &mut numbers);
        assert_eq!(numbers.len(), 1, "{scores:?}");
        let keys = [Key::of(b"abababab")];
        let seal = |_, numbers: &[u32]| assert_eq!(numbers.len(), 1, "{scores:?}");
        model.seal_keys(&sums, &keys, &mut SumScratch::default(), seal).unwrap();
    }
}

#[test]
fn units_that_are_keys_are_sealed_as_others() {
    let mut random = Random::from_seed(12);
    let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
    let letters = ["a", "b", "é", "漢", "▁", " ", "z"];
    let (mut alike, mut never, mut unknown) = (0, 0, 0);
    for round in 0..300 {
        let mut word = |few: usize, most: usize| -> String {
            (0..1 + below(most)).map(|_| letters[below(few)]).collect()
        };
        let mut pieces: Vec<(String, f32, PieceKind)> = Vec::new();
        for at in 0..30 {
            let piece = word([4, 5, 6][round % 3], 4);
            let kind = match (round % 2, at % 7) {
                (1, 0) => PieceKind::Unused,
                (_, 1) => PieceKind::UserDefined,
                _ => PieceKind::Normal,
            };
            if pieces.iter().all(|(known, ..)| *known != piece) {
                // Sums that tie, nearly tie and do not.
                pieces.push((piece, -[0.1, 0.2, 0.3, 1.7, 3.1][at % 5] * (1 + at % 3) as f32, kind));
            }
        }
        pieces.push(("y".into(), -3.0, PieceKind::Normal));
        let list: Vec<_> = pieces.iter().map(|(text, score, kind)| (text.as_str(), *score, *kind)).collect();
        let model = model(SentencePieceKind::Unigram, &list).unwrap();
        let Ok(sums) = model.sums((b' ', '▁')) else { continue };
        let texts: Vec<String> = (0..200).map(|_| word(5, 9)).collect();
        let blanks = |text: &String| text.replace('▁', " ");
        let short = |text: &&String| blanks(text).len() <= Key::LONGEST;
        let texts: Vec<&String> = texts.iter().filter(short).collect();
        let keys: Vec<Key> = texts.iter().map(|text| Key::of(blanks(text).as_bytes())).collect();
        let mut scratch = SumScratch::default();
        let mut found = vec![Vec::new(); keys.len()];
        model.seal_keys(&sums, &keys, &mut scratch, |at, numbers| found[at] = numbers.to_vec()).unwrap();
        for (text, found) in texts.iter().zip(found) {
            let mut numbers = Vec::new();
            model.seal(&sums, text, &mut scratch, &mut numbers);
            // A way that is hardly better than another is not certain, by a little more where numbers are whole.
            if found.len() == 1 || numbers.len() == 1 {
                never += 1;
                continue;
            }
            let [(ids, _), (others, _)] = [&found, &numbers].map(|all| all.split_at(all.len() - 1));
            assert_eq!(ids, others, "{text:?} with {pieces:?}");
            alike += 1;
            unknown += usize::from(ids.iter().any(|&id| id == 0 || id as usize > pieces.len()));
        }
    }
    assert!(alike > 10_000 && never > 100 && unknown > 100, "{alike} {never} {unknown}");
}
