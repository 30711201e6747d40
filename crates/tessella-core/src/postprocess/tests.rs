//! Truncation, post-processing and padding against the reference library, in the order of the pipeline.

use serde_json::Value;

use super::*;
use crate::encoding::tests::{direction, encoding, parts, read_cases};
use crate::spec::{Padding, Template, TemplatePiece, TemplateSpecial, Truncation, TruncationStrategy};

fn size(value: &Value) -> usize {
    value.as_u64().unwrap() as usize
}

fn template(single: &str, pair: &str) -> Template {
    Template {
        single: TemplatePiece::parse_template(single).unwrap(),
        pair: TemplatePiece::parse_template(pair).unwrap(),
        special_tokens: vec![
            TemplateSpecial::one("[CLS]", 101),
            TemplateSpecial::one("[SEP]", 102),
            TemplateSpecial::new("[X]".into(), vec![7, 8], vec!["X1".into(), "X2".into()]).unwrap(),
        ],
    }
}

fn spec(data: &Value) -> Option<PostProcessorSpec> {
    let special = |name: &str| (data[name][0].as_str().unwrap().to_owned(), size(&data[name][1]) as u32);
    let flag = |name: &str| data[name] == true;
    Some(match data["type"].as_str().unwrap() {
        "bert" => PostProcessorSpec::Bert { sep: special("sep"), cls: special("cls") },
        "roberta" => PostProcessorSpec::Roberta {
            sep: special("sep"),
            cls: special("cls"),
            trim_offsets: flag("trim_offsets"),
            add_prefix_space: flag("add_prefix_space"),
        },
        "byte_level" => PostProcessorSpec::ByteLevel {
            trim_offsets: flag("trim_offsets"),
            add_prefix_space: flag("add_prefix_space"),
            use_regex: true,
        },
        "template" => {
            let template = template(data["single"].as_str().unwrap(), data["pair"].as_str().unwrap());
            template.check().unwrap();
            PostProcessorSpec::Template(template)
        }
        "sequence" => PostProcessorSpec::Sequence(
            data["processors"].as_array().unwrap().iter().filter_map(spec).collect(),
        ),
        _ => return None,
    })
}

fn run(case: &Value) -> Result<Encoding> {
    let processor = spec(&case["processor"]).map(|spec| PostProcessor::new(&spec).unwrap());
    let mut first = encoding(&case["first"]);
    let mut second = (!case["second"].is_null()).then(|| encoding(&case["second"]));
    let add_special = case["add_special"] == true;
    if let (Some(processor), Some(added)) = (&processor, case["added"].as_array()) {
        assert_eq!(processor.added_tokens(false), size(&added[0]));
        assert_eq!(processor.added_tokens(true), size(&added[1]));
    }
    let truncation = &case["truncation"];
    if !truncation.is_null() {
        let truncation = Truncation {
            max_length: size(&truncation["max_length"]),
            stride: size(&truncation["stride"]),
            strategy: match truncation["strategy"].as_str().unwrap() {
                "longest_first" => TruncationStrategy::LongestFirst,
                "only_first" => TruncationStrategy::OnlyFirst,
                _ => TruncationStrategy::OnlySecond,
            },
            direction: direction(&truncation["direction"]),
        };
        let reserved = match &processor {
            Some(processor) if add_special => processor.added_tokens(second.is_some()),
            _ => 0,
        };
        (first, second) = truncate(first, second, &truncation, reserved)?;
    }
    let mut result = match &processor {
        Some(processor) => processor.process(first, second, add_special)?,
        None => process_default(first, second)?,
    };
    let padding = &case["padding"];
    if !padding.is_null() {
        let padding = Padding {
            fixed_length: padding["length"].as_u64().map(|length| length as usize),
            direction: direction(&padding["direction"]),
            pad_to_multiple_of: padding["pad_to_multiple_of"].as_u64().map(|multiple| multiple as usize),
            pad_id: size(&padding["pad_id"]) as u32,
            pad_type_id: size(&padding["pad_type_id"]) as u32,
            pad_token: padding["pad_token"].as_str().unwrap().to_owned(),
        };
        pad(std::slice::from_mut(&mut result), &padding)?;
    }
    Ok(result)
}

#[test]
fn the_pipeline_is_that_of_the_reference() {
    let mut windows = 0;
    for (number, case) in read_cases("postprocess/pipeline").iter().enumerate() {
        let expected = &case["expected"];
        let mut found = match run(case) {
            Ok(encoding) => encoding.to_parts(),
            Err(error) => {
                assert!(expected.is_null(), "case {number}: {error}\n{case}");
                continue;
            }
        };
        assert!(!expected.is_null(), "case {number} should fail\n{case}");
        let mut expected = parts(expected);
        for (found, expected) in found.overflowing.iter_mut().zip(&mut expected.overflowing) {
            windows += 1;
            found.overflowing.clear();
            if case["skip_window_types"] == true {
                expected.type_ids.clone_from(&found.type_ids);
            }
            if case["skip_window_ranges"] == true {
                // Without a processor the reference forgets which sequence a window is of.
                expected.sequence_ranges.clone_from(&found.sequence_ranges);
            }
        }
        assert_eq!(found, expected, "case {number}\n{case}");
    }
    assert!(windows > 10, "only {windows} windows");
}

/// Calls `[CLS]` what templates call it, and `[SEP]` otherwise.
#[derive(Debug)]
struct Names;

impl crate::encoding::TokenTexts for Names {
    fn token_text(&self, id: TokenId) -> Option<&str> {
        ["a", "\u{120}b", "c\u{120}"].get(id as usize).copied().or((id == 101).then_some("[CLS]"))
    }
}

/// What is put around sequences where they stand is what joining them with their special tokens gives, with windows, names of
/// tokens and padding that was there.
#[test]
fn sequences_in_place_are_as_if_they_were_joined() {
    use crate::encoding::{Offsets, Surfaces};
    use crate::spec::Direction;
    let mut random = crate::random::Random::from_seed(17);
    let mut below = |bound: usize| random.next_u64() as usize % bound;
    let (mut in_place, mut windows) = (0, 0);
    for round in 0..4000 {
        let specials = ["[CLS]", "[SEP]:1", "[X]:2", "[X]"];
        let mut pieces: Vec<&str> = (0..below(4)).map(|_| specials[below(4)]).collect();
        pieces.insert(below(pieces.len() + 1), ["$A", "$A:3"][below(2)]);
        if below(8) == 0 {
            pieces.push("$A:1");
        }
        let mut of_pair: Vec<&str> = (0..below(4)).map(|_| specials[below(4)]).collect();
        of_pair.insert(below(of_pair.len() + 1), "$A");
        of_pair.insert(below(of_pair.len() + 1), ["$B:1", "$B"][below(2)]);
        let template = || PostProcessorSpec::Template(template(&pieces.join(" "), &of_pair.join(" ")));
        let special = |id: u32| (["[CLS]", "<s>"][id as usize % 2].to_string(), 101 + id);
        let byte_level = || PostProcessorSpec::ByteLevel {
            add_prefix_space: round % 3 == 0,
            trim_offsets: round % 2 == 0,
            use_regex: true,
        };
        let bert = || PostProcessorSpec::Bert { sep: special(1), cls: special(0) };
        let spec = match below(9) {
            0 | 1 => template(),
            2 => PostProcessorSpec::Sequence(vec![byte_level(), template()]),
            3 => PostProcessorSpec::Sequence(vec![template(), byte_level()]),
            4 => bert(),
            5 => PostProcessorSpec::Sequence(vec![bert(), template()]),
            6 => PostProcessorSpec::Sequence(vec![bert(), byte_level(), bert()]),
            7 => PostProcessorSpec::Roberta {
                sep: special(0),
                cls: special(1),
                trim_offsets: round % 2 == 0,
                add_prefix_space: false,
            },
            _ => PostProcessorSpec::Sequence(vec![byte_level(), byte_level()]),
        };
        let mut sequence = || {
            let count = below(9);
            let mut surfaces = Surfaces::new();
            (0..count).filter(|_| below(3) == 0).for_each(|index| surfaces.push(index, "own"));
            let far = [0, 1 << 33][usize::from(below(6) == 0)];
            let offsets = (0..count).map(|at| (far + at, far + at + 1)).collect::<Vec<_>>();
            let ids = (0..count).map(|_| below(4) as u32).collect();
            let mut encoding = Encoding::from_tokens(
                ids,
                Offsets::from(offsets),
                (0..count as u32).collect(),
                0,
                Arc::new(Names),
                surfaces,
            );
            match below(3) {
                0 => {
                    encoding
                        .truncate(1 + below(4), 0, [Direction::Left, Direction::Right][below(2)])
                        .unwrap();
                }
                1 => encoding
                    .pad(below(10), 3, 1, "pad", [Direction::Left, Direction::Right][below(2)])
                    .unwrap(),
                _ => {}
            }
            encoding
        };
        let (first, other) = (sequence(), sequence());
        let second = (round % 2 == 0).then_some(other);
        let processor = PostProcessor::new(&spec).unwrap();
        let add_special = below(4) > 0;
        let mut list: Vec<Encoding> = std::iter::once(first.clone()).chain(second.clone()).collect();
        list.iter_mut().enumerate().for_each(|(number, encoding)| begin(encoding, number));
        in_place += usize::from(processor.leaves_as_many(list.len()));
        let expected = processor.apply_and_join(list, add_special).unwrap().to_parts();
        let found = processor.process(first, second, add_special).unwrap().to_parts();
        assert_eq!(found, expected, "{spec:?} {add_special}");
        windows += found.overflowing.len();
    }
    assert!(in_place > 2500 && windows > 1000, "{in_place} {windows}");
}

#[test]
fn windows_of_the_overflow_get_the_types_of_the_template() {
    let state = serde_json::json!({
        "ids": [1, 2, 3], "type_ids": [0, 0, 0], "tokens": ["a", "b", "c"], "words": [0, 1, 2],
        "offsets": [[0, 1], [1, 2], [2, 3]], "special_tokens_mask": [0, 0, 0], "attention_mask": [1, 1, 1],
        "overflowing": [], "sequence_ranges": {},
    });
    let mut first = encoding(&state);
    first.truncate(2, 0, crate::spec::Direction::Right).unwrap();
    let processor =
        PostProcessor::new(&PostProcessorSpec::Template(template("[CLS]:4 $A:5", "$A $B"))).unwrap();
    let result = processor.process(first, None, true).unwrap();
    assert_eq!(result.type_ids(), [4, 5, 5]);
    assert_eq!(result.overflowing()[0].type_ids(), [4, 5]);
}

#[test]
fn template_pieces() {
    let piece = |text: &str| TemplatePiece::parse(text);
    let sequence = |second, type_id| TemplatePiece::Sequence { second, type_id };
    for (text, expected) in [
        ("$", sequence(false, 0)),
        ("$a", sequence(false, 0)),
        ("$B:1", sequence(true, 1)),
        ("$3", sequence(false, 3)),
        ("$3:4", sequence(false, 4)),
        ("[SEP]:1", TemplatePiece::Special { id: "[SEP]".into(), type_id: 1 }),
        ("", TemplatePiece::Special { id: String::new(), type_id: 0 }),
    ] {
        assert_eq!(piece(text).unwrap(), expected, "{text}");
    }
    for text in ["$C", "$A:", "$A:x", "a:b", "a:1:2", "$-1", "$A:4294967296"] {
        let message = piece(text).unwrap_err().to_string();
        assert!(message.starts_with(&format!("Cannot build Piece from string \"{text}\"")), "{message}");
    }
}

#[test]
fn templates_are_checked_when_they_are_made() {
    let text = |template: Template| template.check().unwrap_err().to_string();
    assert_eq!(text(template("$A", "$A")), "Template for `pair` must use both sequences");
    assert_eq!(text(template("[Y] $A [Z]", "$A $B [Y]")), "Missing SpecialToken(s) with id(s) `[Y], [Z]`");
    let missing = PostProcessorSpec::Template(template("$A [Y]", ""));
    assert!(PostProcessor::new(&missing).is_err());
    assert!(TemplateSpecial::new("x".into(), vec![1], vec![]).is_err());
}

#[test]
fn truncation_that_cannot_work_says_so() {
    let of = |max_length, stride, strategy| Truncation {
        max_length,
        stride,
        strategy,
        direction: crate::spec::Direction::Right,
    };
    let longest = TruncationStrategy::LongestFirst;
    let message = truncate(Encoding::default(), None, &of(1, 0, longest), 2).unwrap_err().to_string();
    assert!(message.contains("max_length is 1") && message.contains("are 2"), "{message}");

    let many = || {
        let len = 1 << 13;
        let specials: Vec<std::sync::Arc<str>> = vec!["x".into(); len];
        Encoding::from_specials(&vec![0; len], &specials, 0)
    };
    let message = truncate(many(), Some(many()), &of(2, 0, longest), 0).unwrap_err().to_string();
    assert!(message.contains("combinations of windows"), "{message}");
    let error = truncate(many(), None, &of(2, 0, TruncationStrategy::OnlySecond), 0).unwrap_err();
    assert_eq!(error.message(), "Truncation error: Second sequence not provided");
    let error = truncate(many(), Some(many()), &of(2, 0, TruncationStrategy::OnlyFirst), 0).unwrap_err();
    assert_eq!(
        error.message(),
        "Truncation error: Sequence to truncate too short to respect the provided max_length"
    );
}

/// What is as long as it may be is left alone, whatever was to be cut if it were longer.
#[test]
fn what_fits_is_not_cut() {
    use TruncationStrategy::{LongestFirst, OnlyFirst, OnlySecond};
    let of = |len: usize| Encoding::from_specials(&vec![1; len], &vec!["x".into(); len], 0);
    for strategy in [LongestFirst, OnlyFirst, OnlySecond] {
        for (first, second) in [(4, None), (0, Some(4)), (4, Some(0)), (0, Some(0))] {
            let direction = crate::spec::Direction::Right;
            let truncation = Truncation { max_length: 5, stride: 3, strategy, direction };
            let (first, second) = truncate(of(first), second.map(of), &truncation, 1).unwrap();
            let parts = || std::iter::once(&first).chain(&second);
            assert!(parts().all(|part| part.overflowing().is_empty()));
            assert!(matches!(parts().map(Encoding::len).sum(), 0 | 4));
        }
    }
}

#[test]
fn a_batch_is_padded_to_its_longest_rounded_up() {
    let of = |len: usize| Encoding::from_specials(&vec![1; len], &vec!["x".into(); len], 0);
    let padding = |fixed_length, pad_to_multiple_of| Padding {
        fixed_length,
        direction: crate::spec::Direction::Left,
        pad_to_multiple_of,
        pad_id: 9,
        pad_type_id: 2,
        pad_token: "[PAD]".into(),
    };
    let lengths = |padding: &Padding| {
        let mut batch = [of(2), of(5), of(0)];
        pad(&mut batch, padding).unwrap();
        assert!(batch.iter().all(|encoding| encoding.tokens().len() == encoding.attention_mask().len()));
        batch.map(|encoding| encoding.len())
    };
    assert_eq!(lengths(&padding(None, None)), [5, 5, 5]);
    assert_eq!(lengths(&padding(None, Some(4))), [8, 8, 8]);
    assert_eq!(lengths(&padding(Some(3), None)), [3, 5, 3]);
    assert!(pad(&mut [of(1)], &padding(Some(usize::MAX), Some(8))).is_err());
    assert!(pad(&mut [], &padding(None, None)).is_ok());
}
