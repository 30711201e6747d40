use std::sync::Arc;

use super::*;
use crate::error::ErrorKind;
use crate::ids::Span;
use crate::spec::{Dialect, Pattern};
use crate::text::{AlignedText, Alignment, NormalizedString, Piece};

fn regex_split(source: &str) -> PreTokenizerSpec {
    PreTokenizerSpec::Split {
        pattern: Pattern::Regex { source: source.to_string(), dialect: Dialect::Oniguruma },
        behavior: SplitBehavior::Isolated,
        invert: false,
    }
}

fn byte_level(add_prefix_space: bool, use_regex: bool) -> PreTokenizerSpec {
    PreTokenizerSpec::ByteLevel { add_prefix_space, trim_offsets: true, use_regex }
}

fn metaspace(prepend: PrependScheme) -> PreTokenizerSpec {
    PreTokenizerSpec::Metaspace { replacement: '▁', prepend, split: true }
}

/// Text and original span of every piece, added tokens in brackets.
fn run(spec: &PreTokenizerSpec, pieces: &mut Pieces<'_>) -> Vec<(String, usize, usize)> {
    PreTokenizer::new(spec).unwrap().pre_tokenize(pieces).unwrap();
    let shown = |piece: &Piece| {
        let text =
            if piece.is_text() { pieces.str(piece).to_string() } else { format!("[{}]", pieces.str(piece)) };
        let span = pieces.span(piece);
        (text, span.start, span.end)
    };
    pieces.pieces().iter().map(shown).collect()
}

/// `Hi there<s>you <s>` with both `<s>` as added tokens.
fn with_added_tokens() -> Pieces<'static> {
    let text = "Hi there<s>you <s>";
    let pieces =
        vec![Piece::text(0, 8), Piece::added(8, 11, 1), Piece::text(11, 15), Piece::added(15, 18, 1)];
    let mut pieces = Pieces::from_parts(text, Alignment::identity(0, text.len()), pieces);
    pieces.set_original(text);
    pieces
}

fn owned(list: &[(&str, usize, usize)]) -> Vec<(String, usize, usize)> {
    list.iter().map(|&(text, start, end)| (text.to_string(), start, end)).collect()
}

#[test]
fn added_tokens_are_frozen() {
    assert_eq!(
        run(&PreTokenizerSpec::FixedLength { length: 5 }, &mut with_added_tokens()),
        owned(&[("Hi th", 0, 5), ("ere", 5, 8), ("[<s>]", 8, 11), ("you ", 11, 15), ("[<s>]", 15, 18)])
    );
    assert_eq!(
        run(&byte_level(true, true), &mut with_added_tokens()),
        owned(&[
            ("ĠHi", 0, 2),
            ("Ġthere", 2, 8),
            ("[<s>]", 8, 11),
            ("Ġyou", 11, 14),
            ("Ġ", 14, 15),
            ("[<s>]", 15, 18)
        ])
    );
}

#[test]
fn first_means_byte_zero_of_the_original() {
    let prefixed = |scheme| {
        let pieces = run(&metaspace(scheme), &mut with_added_tokens());
        pieces.iter().map(|piece| piece.0.clone()).collect::<Vec<_>>().join("|")
    };
    assert_eq!(prefixed(PrependScheme::Always), "▁Hi|▁there|[<s>]|▁you|▁|[<s>]");
    assert_eq!(prefixed(PrependScheme::First), "▁Hi|▁there|[<s>]|you|▁|[<s>]");
    assert_eq!(prefixed(PrependScheme::Never), "Hi|▁there|[<s>]|you|▁|[<s>]");
    let mut later = Pieces::whole(AlignedText::borrowed("Hi", 3));
    assert_eq!(run(&metaspace(PrependScheme::First), &mut later), owned(&[("Hi", 3, 5)]));
}

#[test]
fn what_stands_for_several_characters_is_not_first() {
    for (original, taken, expected) in [("``a", 2, "\"a"), ("ﬁa", 3, "▁\"a"), ("`a", 1, "▁\"a")] {
        let mut map = Alignment::new();
        map.push_fixed(1, Span::new(0, taken));
        map.push_identity(1, taken);
        let mut pieces = Pieces::from_parts("\"a", map, vec![Piece::text(0, 2)]);
        pieces.set_original(original);
        let found = run(&metaspace(PrependScheme::First), &mut pieces);
        assert_eq!(found, owned(&[(expected, 0, taken + 1)]));
    }
}

/// Of whatever size it is in UTF-8, the mark stands where another one would.
#[test]
fn any_character_is_a_mark() {
    for prepend in [PrependScheme::Always, PrependScheme::First, PrependScheme::Never] {
        for text in ["a b", " a", "é  b ", "漢", ""] {
            let [plain, others @ ..] = ['▁', '_', 'é', '😀'].map(|replacement| {
                let spec = PreTokenizerSpec::Metaspace { replacement, prepend, split: true };
                let text = text.replace('é', "ë");
                let mut pieces = Pieces::whole(AlignedText::borrowed(&text, 0));
                pieces.set_original(&text);
                let found = run(&spec, &mut pieces).into_iter();
                found
                    .map(|(text, start, end)| (text.replace(replacement, "▁"), start, end))
                    .collect::<Vec<_>>()
            });
            assert!(others.iter().all(|other| *other == plain), "{text:?} {plain:?} {others:?}");
        }
    }
}

#[test]
fn only_what_depends_on_positions_needs_alignment() {
    let needs = |spec: &PreTokenizerSpec| PreTokenizer::new(spec).unwrap().needs_alignment();
    assert!(!needs(&metaspace(PrependScheme::Always)));
    assert!(needs(&PreTokenizerSpec::Sequence(vec![
        PreTokenizerSpec::Whitespace,
        PreTokenizerSpec::Sequence(vec![metaspace(PrependScheme::First)]),
    ])));
    assert!(needs(&PreTokenizerSpec::Custom(Arc::new(Halves))));
}

#[test]
fn nested_sequences_run_in_order() {
    let spec = PreTokenizerSpec::Sequence(vec![
        PreTokenizerSpec::Sequence(vec![
            PreTokenizerSpec::WhitespaceSplit,
            PreTokenizerSpec::Digits { individual: true },
        ]),
        PreTokenizerSpec::Sequence(Vec::new()),
        byte_level(false, false),
    ]);
    let mut pieces = Pieces::whole(AlignedText::borrowed("né 12", 0));
    assert_eq!(run(&spec, &mut pieces), owned(&[("nÃ©", 0, 3), ("1", 4, 5), ("2", 5, 6)]));
    let pre_tokenizer = PreTokenizer::new(&spec).unwrap();
    assert!(matches!(
        pre_tokenizer.stages[..],
        [
            Stage::Table(TableSplit::WhitespaceSplit),
            Stage::Table(TableSplit::Digits { .. }),
            Stage::ByteLevel { .. }
        ]
    ));
    assert_eq!(pre_tokenizer.explain().len(), 3);
}

#[test]
fn what_cannot_work_is_an_error() {
    let refused = |spec: &PreTokenizerSpec| PreTokenizer::new(spec).unwrap_err();
    assert_eq!(refused(&PreTokenizerSpec::FixedLength { length: 0 }).kind(), ErrorKind::Value);
    assert_eq!(refused(&regex_split("a(b")).kind(), ErrorKind::Regex);
    let text = "a".repeat(60);
    let mut pieces = Pieces::whole(AlignedText::borrowed(&text, 0));
    let backtracks = PreTokenizer::new(&regex_split(r"(x?)(?:a+a+)+\1[^a]")).unwrap();
    assert_eq!(backtracks.pre_tokenize(&mut pieces).unwrap_err().kind(), ErrorKind::Regex);
}

#[test]
fn the_byte_level_view_is_for_splits_before_one_byte_level() {
    let view_of = |parts: Vec<PreTokenizerSpec>| {
        let pre_tokenizer = PreTokenizer::new(&PreTokenizerSpec::Sequence(parts)).unwrap();
        pre_tokenizer.byte_level_view().map(|view| (view.add_prefix_space(), view.only_matcher().is_some()))
    };
    assert_eq!(view_of(vec![byte_level(true, true)]), Some((true, true)));
    assert_eq!(view_of(vec![byte_level(false, false)]), Some((false, false)));
    assert_eq!(view_of(vec![regex_split("a"), byte_level(false, false)]), Some((false, true)));
    assert_eq!(view_of(vec![PreTokenizerSpec::Whitespace, byte_level(false, true)]), Some((false, false)));
    assert_eq!(view_of(vec![regex_split("a"), byte_level(true, false)]), None);
    assert_eq!(view_of(vec![byte_level(false, false), byte_level(false, false)]), None);
    assert_eq!(view_of(vec![byte_level(false, false), PreTokenizerSpec::Whitespace]), None);
    assert_eq!(view_of(vec![metaspace(PrependScheme::Never), byte_level(false, false)]), None);
    assert_eq!(view_of(Vec::new()), None);
    let mut many = vec![PreTokenizerSpec::Whitespace; 10_000];
    many.push(byte_level(false, false));
    assert_eq!(view_of(many), None);
}

#[test]
fn a_megabyte_without_a_space_is_ordinary_input() {
    let specs = [
        PreTokenizerSpec::Bert,
        byte_level(true, true),
        PreTokenizerSpec::Digits { individual: true },
        PreTokenizerSpec::FixedLength { length: 1 },
        metaspace(PrependScheme::Always),
        PreTokenizerSpec::Punctuation { behavior: SplitBehavior::MergedWithNext },
        PreTokenizerSpec::UnicodeScripts { keep_spaces: true },
        PreTokenizerSpec::Whitespace,
        PreTokenizerSpec::Split {
            pattern: Pattern::Literal(String::new()),
            behavior: SplitBehavior::Contiguous,
            invert: false,
        },
    ];
    for text in ["a".repeat(1 << 20), "-".repeat(1 << 20), "é7".repeat(1 << 18)] {
        for spec in &specs {
            let mut pieces = Pieces::whole(AlignedText::borrowed(&text, 0));
            PreTokenizer::new(spec).unwrap().pre_tokenize(&mut pieces).unwrap();
            assert_eq!(pieces.span(pieces.pieces().last().unwrap()).end, text.len(), "{spec:?}");
        }
    }
}

/// Cuts every piece in two and writes the second half in upper case.
#[derive(Debug)]
struct Halves;

impl CustomPreTokenizer for Halves {
    fn pre_tokenize(&self, pieces: Vec<NormalizedString>) -> Result<Vec<Vec<NormalizedString>>> {
        let slice = |string: &NormalizedString, start: usize, end: usize| {
            let mut map = Alignment::new();
            map.append(string.map(), start, end);
            let text = string.normalized()[start..end].to_string();
            let range = Span::new(0, string.original().len());
            NormalizedString::from_parts(Arc::from(string.original()), range, text, map)
        };
        let halves = |string: NormalizedString| {
            let middle = string.normalized().len() / 2;
            let mut second = slice(&string, middle, string.normalized().len());
            let upper = second.normalized().to_uppercase();
            second.change(|text| text.rewrite(|rewriter| upper.chars().for_each(|c| rewriter.replace(c))));
            vec![slice(&string, 0, middle), second]
        };
        Ok(pieces.into_iter().map(halves).collect())
    }

    fn import_path(&self) -> Option<String> {
        None
    }
}

#[test]
fn a_custom_component_cuts_and_rewrites() {
    let spec = PreTokenizerSpec::Custom(Arc::new(Halves));
    assert_eq!(
        run(&spec, &mut with_added_tokens()),
        owned(&[
            ("Hi t", 0, 4),
            ("HERE", 4, 8),
            ("[<s>]", 8, 11),
            ("yo", 11, 13),
            ("U ", 13, 15),
            ("[<s>]", 15, 18)
        ])
    );
    let mut untracked = Pieces::whole(AlignedText::untracked("ab cd"));
    let spec = PreTokenizerSpec::Sequence(vec![PreTokenizerSpec::WhitespaceSplit, spec]);
    assert_eq!(run(&spec, &mut untracked), owned(&[("a", 0, 0), ("B", 0, 0), ("c", 0, 0), ("D", 0, 0)]));
}

/// Returns a list that it was not asked for.
#[derive(Debug)]
struct Answers(Vec<Vec<NormalizedString>>);

impl CustomPreTokenizer for Answers {
    fn pre_tokenize(&self, _pieces: Vec<NormalizedString>) -> Result<Vec<Vec<NormalizedString>>> {
        Ok(self.0.clone())
    }

    fn import_path(&self) -> Option<String> {
        Some("tests:Answers".to_string())
    }
}

#[test]
fn a_custom_component_that_answers_wrongly_is_an_error() {
    let foreign = NormalizedString::from_parts(
        Arc::from("elsewhere"),
        Span::new(0, 9),
        "x".to_string(),
        Alignment::identity(100, 1),
    );
    let half_a_map = NormalizedString::from_parts(
        Arc::from("ab"),
        Span::new(0, 2),
        "ab".to_string(),
        Alignment::identity(0, 1),
    );
    for (answer, complaint) in [
        (vec![], "0 lists"),
        (vec![vec![], vec![], vec![]], "3 lists"),
        (vec![vec![foreign], vec![]], "outside"),
        (vec![vec![half_a_map], vec![]], "outside"),
    ] {
        let spec = PreTokenizerSpec::Custom(Arc::new(Answers(answer)));
        let error = PreTokenizer::new(&spec).unwrap().pre_tokenize(&mut with_added_tokens()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Custom);
        assert!(error.message().contains(complaint), "{error}");
    }
    let mut nowhere = Pieces::whole(AlignedText::borrowed("ab", 0));
    let error =
        PreTokenizer::new(&PreTokenizerSpec::Custom(Arc::new(Halves))).unwrap().pre_tokenize(&mut nowhere);
    assert!(error.unwrap_err().message().contains("set_original"));
}

/// Splits behind the alphabet read bytes: what cuts raw text cuts as all stages do, inside of characters as well.
#[test]
fn splits_behind_the_alphabet_cut_bytes() {
    use crate::random::Random;
    let regex = |source: &str| Pattern::Regex { source: source.into(), dialect: Dialect::Oniguruma };
    let split =
        |source: &str, behavior| PreTokenizerSpec::Split { pattern: regex(source), behavior, invert: false };
    let byte_level =
        |use_regex| PreTokenizerSpec::ByteLevel { add_prefix_space: false, trim_offsets: true, use_regex };
    use SplitBehavior::{Contiguous, Isolated, MergedWithNext, MergedWithPrevious};
    let rows = [
        // Falcon.
        vec![
            PreTokenizerSpec::Punctuation { behavior: Contiguous },
            byte_level(true),
            PreTokenizerSpec::Digits { individual: false },
            split("[0-9][0-9][0-9]", Isolated),
        ],
        vec![byte_level(false), PreTokenizerSpec::Digits { individual: true }],
        vec![byte_level(true), split("Ġ", MergedWithNext), split("[Ã³Â²]+", Isolated)],
        vec![split(r"\p{N}{1,3}", Isolated), byte_level(false), split(r"\w+|Ċ(?!Ċ)", MergedWithPrevious)],
        vec![
            byte_level(true),
            PreTokenizerSpec::Punctuation { behavior: Isolated },
            split(r"a+|\bĠ", Contiguous),
        ],
    ];
    let parts = [
        "a", "1", "23", "456", " ", "  ", "\n", ".", "'s", "é", "²", "в", "о", "日", "𝟘", "½", "\u{3000}",
        "\u{a0}", "ó",
    ];
    let mut random = Random::from_seed(4);
    for row in rows {
        let stages = PreTokenizer::new(&PreTokenizerSpec::Sequence(row.clone())).unwrap();
        let view =
            stages.byte_level_view().unwrap_or_else(|| panic!("{row:?} {:?}", stages.why_not_in_bytes()));
        assert!(view.cuts_inside());
        for round in 0..400 {
            let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
            let few: Vec<&str> = (0..1 + below(9)).map(|_| parts[below(parts.len())]).collect();
            let text: String = (0..below([9, 90, 1500][round % 3])).map(|_| few[below(few.len())]).collect();
            let mut all = Pieces::whole(AlignedText::borrowed(&text, 0));
            stages.pre_tokenize(&mut all).unwrap();
            let expected: Vec<String> = all.pieces().iter().map(|piece| all.str(piece).to_string()).collect();
            let spell = |range: std::ops::Range<usize>| {
                super::byte_alphabet::bytes_to_alphabet(&text.as_bytes()[range])
            };
            let mut found = Vec::new();
            view.for_each_piece(&text, &mut |range| {
                found.push(spell(range));
                Ok(())
            })
            .unwrap();
            assert_eq!(found, expected, "{row:?} {text:?}");
            found.clear();
            view.for_each_spelled(&text, &mut |range| {
                found.push(spell(range));
                Ok(())
            })
            .unwrap();
            assert_eq!(found, expected, "{row:?} {text:?}");
            for level in crate::lanes::vectors::Level::all() {
                let (mut bounds, mut more, mut found) = (crate::lanes::Bounds::default(), true, Vec::new());
                let mut pieces = view.masked(&text).unwrap();
                while more {
                    bounds.go_on();
                    more = pieces.fill(level, &mut bounds);
                    let places = bounds.starts().iter().zip(bounds.ends());
                    found.extend(places.map(|(&start, &end)| spell(start as usize..end as usize)));
                }
                assert_eq!(found, expected, "{row:?} {} {text:?}", level.name());
            }
        }
    }
    // What looks far ahead, and what removes something, is left to the stages.
    for stage in [split(r"a(?=(\d{3})+\b)", Isolated), split("a", SplitBehavior::Removed)] {
        let stages = PreTokenizer::new(&PreTokenizerSpec::Sequence(vec![byte_level(true), stage])).unwrap();
        assert!(stages.byte_level_view().is_none() && stages.why_not_in_bytes().is_some());
    }
}

/// Stages that remove something are one automaton with others where a character tells alone whether it goes.
#[test]
fn what_is_removed_is_told_by_its_first_character() {
    use crate::random::Random;
    let regex = |source: &str| Pattern::Regex { source: source.into(), dialect: Dialect::Oniguruma };
    let split =
        |source: &str, behavior, invert| PreTokenizerSpec::Split { pattern: regex(source), behavior, invert };
    let removed = |source, invert| split(source, SplitBehavior::Removed, invert);
    const CLIP: &str =
        r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+";
    let rows = [
        (true, vec![removed(CLIP, true), byte_level(false, true)]),
        (true, vec![PreTokenizerSpec::WhitespaceSplit, byte_level(false, true)]),
        (
            true,
            vec![
                PreTokenizerSpec::WhitespaceSplit,
                PreTokenizerSpec::Digits { individual: true },
                byte_level(false, false),
            ],
        ),
        (
            true,
            vec![
                regex_split("a+"),
                removed(r"\s+", false),
                removed(r"[a-z]+|\P{L}", true),
                byte_level(false, true),
            ],
        ),
        (true, vec![PreTokenizerSpec::CharDelimiter { delimiter: '_' }, byte_level(false, true)]),
        (
            true,
            vec![PreTokenizerSpec::Punctuation { behavior: SplitBehavior::Removed }, byte_level(false, true)],
        ),
        // Not here: a quote goes or not by what is around it, and of what matches nothing all goes.
        (false, vec![removed(r"'s|\p{L}+", true), byte_level(false, true)]),
        (false, vec![removed("a?", true), byte_level(false, true)]),
        (false, vec![removed(r"a(?=(\d{3})+\b)|b", false), byte_level(false, true)]),
    ];
    let parts = [
        "a",
        "b",
        "1",
        "23",
        " ",
        "  ",
        "\n",
        ".",
        "'s",
        "'",
        "é",
        "_",
        "<|endoftext|>",
        "<|",
        "в",
        "日",
        "\u{3000}",
        "\u{a0}",
    ];
    let mut random = Random::from_seed(5);
    for (is_joint, row) in rows {
        let stages = PreTokenizer::new(&PreTokenizerSpec::Sequence(row.clone())).unwrap();
        let view = stages.byte_level_view().unwrap();
        assert_eq!(
            view.explain_joint().is_some_and(|joint| joint.is_ok()),
            is_joint,
            "{row:?} {:?}",
            view.explain_joint()
        );
        assert!(view.masked("a text").is_none(), "pieces do not cover the text");
        for round in 0..400 {
            let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
            let few: Vec<&str> = (0..1 + below(9)).map(|_| parts[below(parts.len())]).collect();
            let text: String = (0..below([9, 90, 1500][round % 3])).map(|_| few[below(few.len())]).collect();
            let mut all = Pieces::whole(AlignedText::borrowed(&text, 0));
            stages.pre_tokenize(&mut all).unwrap();
            let expected: Vec<String> = all.pieces().iter().map(|piece| all.str(piece).to_string()).collect();
            let mut found = Vec::new();
            let spell = |range: std::ops::Range<usize>| {
                super::byte_alphabet::bytes_to_alphabet(&text.as_bytes()[range])
            };
            view.for_each_piece(&text, &mut |range| {
                found.push(spell(range));
                Ok(())
            })
            .unwrap();
            assert_eq!(found, expected, "{row:?} {text:?}");
        }
    }
}
