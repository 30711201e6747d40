//! The encodings that are known by name: their patterns and special tokens, as published.

use tessella_core::TokenId;

use super::Encoding;

/// All names, older first.
pub const NAMES: [&str; 8] =
    ["gpt2", "r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base", "o200k_harmony", "llama3"];

const R50K: &str = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s";

const CL100K: &str = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s";

const O200K: &str = concat!(
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
    r"\p{N}{1,3}|",
    r" ?[^\s\p{L}\p{N}]+[\r\n/]*|",
    r"\s*[\r\n]+|",
    r"\s+(?!\S)|",
    r"\s+",
);

const LLAMA3: &str = concat!(
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}",
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
);

const END_OF_TEXT: &str = "<|endoftext|>";
const END_OF_PROMPT: &str = "<|endofprompt|>";

/// Whether a pattern is one of those of known encodings.
pub fn is_published(pattern: &str) -> bool {
    [R50K, CL100K, O200K, LLAMA3].contains(&pattern)
}

/// The encoding of a name, for a table of so many ranks: special tokens have the ids that were published, or, in Llama 3, those behind
/// the table.
pub fn named(name: &str, ranks: usize) -> Option<Encoding> {
    let fim = |first: TokenId| {
        ["<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>"].into_iter().zip(first..).collect::<Vec<_>>()
    };
    let (pattern, specials): (&str, Vec<(&str, TokenId)>) = match name {
        "gpt2" | "r50k_base" | "p50k_base" => (R50K, vec![(END_OF_TEXT, 50256)]),
        "p50k_edit" => {
            let mut specials = vec![(END_OF_TEXT, 50256)];
            specials.extend(fim(50281));
            (R50K, specials)
        }
        "cl100k_base" => {
            let mut specials = vec![(END_OF_TEXT, 100257)];
            specials.extend(fim(100258));
            specials.push((END_OF_PROMPT, 100276));
            (CL100K, specials)
        }
        "o200k_base" => (O200K, vec![(END_OF_TEXT, 199999), (END_OF_PROMPT, 200018)]),
        "o200k_harmony" => return Some(harmony()),
        "llama3" => return Some(llama3(ranks)),
        _ => return None,
    };
    Some(Encoding {
        pattern: pattern.to_string(),
        special_tokens: specials.into_iter().map(|(text, id)| (text.to_string(), id)).collect(),
    })
}

/// Named tokens with reserved ones between and after them. The published table gives the id 200018 twice, to
/// `<|endofprompt|>` and to a reserved token; both are kept, the named one last.
fn harmony() -> Encoding {
    const NAMED: [(TokenId, &str); 9] = [
        (199998, "<|startoftext|>"),
        (199999, END_OF_TEXT),
        (200002, "<|return|>"),
        (200003, "<|constrain|>"),
        (200005, "<|channel|>"),
        (200006, "<|start|>"),
        (200007, "<|end|>"),
        (200008, "<|message|>"),
        (200012, "<|call|>"),
    ];
    let mut special_tokens: Vec<(String, TokenId)> = (199998..201088)
        .map(|id| match NAMED.iter().find(|(named, _)| *named == id) {
            Some((_, text)) => (text.to_string(), id),
            None => (format!("<|reserved_{id}|>"), id),
        })
        .collect();
    special_tokens.push((END_OF_PROMPT.to_string(), 200018));
    Encoding { pattern: O200K.to_string(), special_tokens }
}

/// A few tokens with a meaning, and reserved ones, 256 in all.
fn llama3(ranks: usize) -> Encoding {
    const NAMED: [&str; 11] = [
        "<|begin_of_text|>",
        "<|end_of_text|>",
        "<|reserved_special_token_0|>",
        "<|reserved_special_token_1|>",
        "<|finetune_right_pad_id|>",
        "<|reserved_special_token_2|>",
        "<|start_header_id|>",
        "<|end_header_id|>",
        "<|eom_id|>",
        "<|eot_id|>",
        "<|python_tag|>",
    ];
    let reserved = (3..248).map(|number| format!("<|reserved_special_token_{number}|>"));
    let tokens = NAMED.into_iter().map(String::from).chain(reserved);
    // A table has fewer ranks than there are ids.
    let first = TokenId::try_from(ranks).unwrap_or(TokenId::MAX - 256);
    Encoding { pattern: LLAMA3.to_string(), special_tokens: tokens.zip(first..).collect() }
}
