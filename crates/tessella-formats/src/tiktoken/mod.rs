//! Files of ranks: one `base64 rank` line per token (`.tiktoken`).
//!
//! Such a file is only the table. The pattern that cuts the text and the special tokens come from elsewhere:
//! from one of the [named encodings](mod@named), or from the caller. In the description the tokens are written in
//! the byte-level alphabet, and merges go by the rank of the concatenation.

pub(crate) mod beside;
mod named;
mod skipped;
mod spelled;
mod table;

use std::fmt::Write as _;

use tessella_core::error::excerpt;
use tessella_core::pretokenize::byte_alphabet::{alphabet_to_bytes, bytes_to_alphabet};
use tessella_core::spec::{
    AddedToken, BpeSpec, DecoderSpec, Dialect, Joined, Merges, ModelSpec, Pattern, PostProcessorSpec,
    PreTokenizerSpec, SplitBehavior, Vocab,
};
use tessella_core::{Error, Result, TokenId, TokenizerSpec};

use crate::{base64, concat_rank, hf};

pub use named::{NAMES, named};
pub(crate) use skipped::refuse_skipping;
use spelled::all_in_alphabet;
use table::check_size;
pub use table::{Ranks, read_ranks};

/// What a table of ranks lacks: how text is cut, and the special tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoding {
    /// In the fancy-regex dialect.
    pub pattern: String,
    /// Texts that are cut out first, with their ids.
    pub special_tokens: Vec<(String, TokenId)>,
}

/// Writes ranks in ascending order.
pub fn write_ranks(ranks: &[(Vec<u8>, TokenId)]) -> String {
    let mut sorted: Vec<&(Vec<u8>, TokenId)> = ranks.iter().collect();
    sorted.sort_by_key(|(_, rank)| *rank);
    let mut text = String::new();
    for (bytes, rank) in sorted {
        // Writing into a string cannot fail.
        let _ = writeln!(text, "{} {rank}", base64::encode(bytes));
    }
    text
}

/// A BPE model whose merges go by rank.
pub(crate) fn concat_rank_bpe(vocab: Vocab) -> BpeSpec {
    BpeSpec { ignore_merges: true, ..BpeSpec::new(vocab, Merges::ConcatRank) }
}

/// Puts a table of ranks and its encoding together.
pub fn from_ranks(table: Ranks, encoding: &Encoding) -> Result<TokenizerSpec> {
    let Ranks { bytes, ends, ranks } = table;
    check_size(bytes.len())?;
    let tokens = ranks.len();
    let (spelled, ends) = all_in_alphabet(&bytes, &ends);
    let vocab = crate::vocab_files::build_vocab(Joined::new(spelled, ends, ranks), "the table of ranks")?;
    if vocab.len() != tokens {
        return Err(Error::format(format!(
            "{} of the {tokens} tokens occur more than once; every token needs one rank",
            tokens - vocab.len(),
        )));
    }
    if vocab.named_ids() != tokens {
        let twice = vocab.iter().find(|&(token, rank)| vocab.text(rank) != Some(token));
        let rank = twice.map_or(0, |(_, rank)| rank);
        return Err(Error::format(format!("the rank {rank} is given to more than one token")));
    }
    for byte in 0..=u8::MAX {
        if vocab.id(&bytes_to_alphabet(&[byte])).is_none() {
            return Err(Error::format(format!(
                "the byte 0x{byte:02X} is no token; all 256 bytes must be, or some text could not be encoded"
            )));
        }
    }
    let added_tokens = special_tokens(&encoding.special_tokens, &vocab)?;
    let mut spec = TokenizerSpec::new(ModelSpec::Bpe(concat_rank_bpe(vocab)));
    spec.added_tokens = added_tokens;
    spec.pre_tokenizer = Some(byte_level_split(&encoding.pattern));
    spec.decoder = Some(byte_level_decoder());
    Ok(spec)
}

/// What is said of special tokens that the decoder takes for bytes, as it does with those of a `tokenizer.json`: all of
/// their letters are of the alphabet, and some stand for other bytes than their own.
pub(crate) fn decoded_as_bytes(spec: &TokenizerSpec) -> Vec<String> {
    let notice = |token: &AddedToken| {
        let bytes = alphabet_to_bytes(&token.content).filter(|bytes| bytes != token.content.as_bytes())?;
        Some(format!(
            "the special token `{}` is decoded as the bytes that its letters stand for ({:?}); \
             tessella.compat.tiktoken decodes it as it is",
            excerpt(&token.content),
            String::from_utf8_lossy(&bytes)
        ))
    };
    spec.added_tokens.iter().filter_map(notice).take(8).collect()
}

/// Special tokens with their ids; none may stand on a rank. Two may share an id.
fn special_tokens(specials: &[(String, TokenId)], vocab: &Vocab) -> Result<Vec<AddedToken>> {
    let mut seen = std::collections::HashSet::new();
    specials
        .iter()
        .map(|(content, id)| {
            refuse_if!(content.is_empty(), Value, "the special token with the id {id} is empty");
            if vocab.text(*id).is_some() {
                return Err(Error::value(format!(
                    "the special token `{}` has the id {id}, which a token of the table has already",
                    excerpt(content)
                )));
            }
            if !seen.insert(content) {
                return Err(Error::value(format!("the special token `{}` is given twice", excerpt(content))));
            }
            Ok(AddedToken { id: Some(*id), ..AddedToken::new(content.clone(), true) })
        })
        .collect()
}

/// Pieces by pattern, then bytes as characters of the alphabet.
pub(crate) fn byte_level_split(pattern: &str) -> PreTokenizerSpec {
    PreTokenizerSpec::Sequence(vec![
        PreTokenizerSpec::Split {
            pattern: Pattern::Regex { source: pattern.to_string(), dialect: Dialect::Fancy },
            behavior: SplitBehavior::Isolated,
            invert: false,
        },
        PreTokenizerSpec::ByteLevel { add_prefix_space: false, trim_offsets: false, use_regex: false },
    ])
}

pub(crate) fn byte_level_decoder() -> DecoderSpec {
    DecoderSpec::ByteLevel { add_prefix_space: false, trim_offsets: false, use_regex: false }
}

/// An error, with what follows "cannot express" of `file`, if a tokenizer has other stages than readers of ranks have, its
/// pre-tokenizer aside.
pub(crate) fn refuse_stages(file: &str, spec: &TokenizerSpec) -> Result<()> {
    let what = match (&spec.normalizer, &spec.post_processor, &spec.decoder) {
        (Some(_), ..) => "a normalizer",
        (_, Some(PostProcessorSpec::ByteLevel { trim_offsets: false, .. }) | None, decoder) => {
            match decoder {
                Some(DecoderSpec::ByteLevel { .. }) => return Ok(()),
                _ => "a decoder other than ByteLevel",
            }
        }
        _ => "a post-processor",
    };
    Err(Error::unsupported(format!("{file} cannot express {what}")))
}

/// Reads a `.tiktoken` file. `name_or_pattern` is the name of a known encoding or a pattern; `specials` given
/// here replace those of a known encoding.
pub fn from_bytes(
    data: &[u8],
    name_or_pattern: &str,
    specials: Option<&[(String, TokenId)]>,
) -> Result<TokenizerSpec> {
    let ranks = read_ranks(data)?;
    let encoding = encoding(name_or_pattern, specials, ranks.len())?;
    from_ranks(ranks, &encoding)
}

/// Reads a table of ranks without special tokens, for the pieces that tiktoken sees: it leaves out of a text what the
/// pattern does not match. The published patterns match every character.
pub fn matches_of(data: &[u8], name_or_pattern: &str) -> Result<TokenizerSpec> {
    matches_of_ranks(read_ranks(data)?, name_or_pattern)
}

/// The same of ranks that were read already.
pub fn matches_of_ranks(ranks: Ranks, name_or_pattern: &str) -> Result<TokenizerSpec> {
    let encoding = encoding(name_or_pattern, Some(&[]), ranks.len())?;
    let mut spec = from_ranks(ranks, &encoding)?;
    if !named::is_published(&encoding.pattern)
        && let Some(PreTokenizerSpec::Sequence(stages)) = &mut spec.pre_tokenizer
        && let Some(PreTokenizerSpec::Split { behavior, invert, .. }) = stages.first_mut()
    {
        (*behavior, *invert) = (SplitBehavior::Removed, true);
    }
    Ok(spec)
}

/// A known encoding by its name, or one of the caller's own, for a table of so many ranks.
pub fn encoding(
    name_or_pattern: &str,
    specials: Option<&[(String, TokenId)]>,
    ranks: usize,
) -> Result<Encoding> {
    let mut encoding = match named(name_or_pattern, ranks) {
        Some(encoding) => encoding,
        // No useful pattern looks like a name.
        None if name_or_pattern.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') => {
            return Err(Error::value(format!(
                "unknown encoding `{}`; known: {}; or give its pattern",
                excerpt(name_or_pattern),
                NAMES.join(", ")
            )));
        }
        None => Encoding { pattern: name_or_pattern.to_string(), special_tokens: Vec::new() },
    };
    if let Some(specials) = specials {
        encoding.special_tokens = specials.to_vec();
    }
    Ok(encoding)
}

/// The table of ranks of a description, for [`write_ranks`]; the pattern and the special tokens are not in it. A list
/// of merges is written as ranks if it says no more than they do.
pub fn to_ranks(spec: &TokenizerSpec) -> Result<Vec<(Vec<u8>, TokenId)>> {
    let ModelSpec::Bpe(bpe) = &spec.model else {
        return Err(Error::unsupported("only a BPE model can be written as a table of ranks"));
    };
    let restated;
    let vocab = match &bpe.merges {
        Merges::ConcatRank => {
            concat_rank::as_read(bpe)?;
            &*bpe.vocab
        }
        Merges::Pairs(merges) => {
            let special = spec.added_tokens.iter().map(|token| token.content.as_str()).collect();
            restated = concat_rank::ranks(bpe, merges, &special)?;
            &restated
        }
    };
    vocab
        .iter()
        .map(|(text, id)| match alphabet_to_bytes(text) {
            Some(bytes) => Ok((bytes, id)),
            None => Err(Error::unsupported(format!(
                "the token `{}` is not written in the byte-level alphabet, so it is no string of bytes",
                excerpt(text)
            ))),
        })
        .collect()
}

/// The pattern and special tokens of a description that is no more than these and ranks.
pub fn to_encoding(spec: &TokenizerSpec) -> Option<Encoding> {
    let pattern = match spec.pre_tokenizer.as_ref()? {
        PreTokenizerSpec::ByteLevel { add_prefix_space: false, use_regex: true, .. } => {
            named("gpt2", 0)?.pattern
        }
        PreTokenizerSpec::Sequence(parts) => match parts.as_slice() {
            [
                PreTokenizerSpec::Split {
                    pattern: Pattern::Regex { source, dialect },
                    behavior: SplitBehavior::Isolated,
                    invert: false,
                },
                PreTokenizerSpec::ByteLevel { add_prefix_space: false, use_regex: false, .. },
            ] if *dialect == Dialect::Fancy || means_the_same(source) => source.clone(),
            _ => return None,
        },
        _ => return None,
    };
    let special_tokens = spec
        .added_tokens
        .iter()
        .filter(|token| token.special)
        .filter_map(|token| Some((token.content.clone(), token.id?)))
        .collect();
    Some(Encoding { pattern, special_tokens })
}

/// Whether an expression is matched alike in both dialects.
fn means_the_same(source: &str) -> bool {
    hf::fancy_to_oniguruma(source).is_ok_and(|translated| translated == source)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_bytes() -> Vec<(Vec<u8>, TokenId)> {
        (0..=255u8).map(|byte| (vec![byte], byte as TokenId)).collect()
    }

    #[test]
    fn ranks_there_and_back() {
        let mut ranks = all_bytes();
        ranks.push((b"ab".to_vec(), 300));
        let text = write_ranks(&ranks);
        let read = read_ranks(text.as_bytes()).unwrap();
        assert_eq!(read.iter().map(|(bytes, rank)| (bytes.to_vec(), rank)).collect::<Vec<_>>(), ranks);
        let spec = from_bytes(text.as_bytes(), "cl100k_base", None).unwrap();
        assert_eq!(write_ranks(&to_ranks(&spec).unwrap()), text);
        assert_eq!(to_encoding(&spec), named("cl100k_base", 0));
    }

    #[test]
    fn bad_lines_are_named() {
        for (text, line) in [
            ("YQ== 1\nYg==\n", "line 2"),
            ("YQ== 1 2", "line 1"),
            ("YQ= 1", "line 1"),
            (" 1", "line 1"),
            ("YQ== -1", "line 1"),
            ("YQ== +1", "line 1"),
            ("YQ== 99999999999", "line 1"),
        ] {
            assert_eq!(read_ranks(text.as_bytes()).unwrap_err().location(), Some(line), "{text}");
        }
    }

    #[test]
    fn tables_that_do_not_fit() {
        let with = |extra: (Vec<u8>, TokenId)| {
            let mut ranks = all_bytes();
            ranks.push(extra);
            let ranks = ranks.into_iter().collect();
            from_ranks(ranks, &encoding("gpt2", Some(&[]), 0).unwrap()).unwrap_err().message().to_string()
        };
        assert!(with((b"a".to_vec(), 300)).contains("more than once"));
        assert!(with((b"ab".to_vec(), 97)).contains("rank 97"));
        assert!(with((b"ab".to_vec(), u32::MAX)).contains("implausible"));
        let without_one = all_bytes().into_iter().skip(1).collect();
        let missing = from_ranks(without_one, &encoding("gpt2", None, 255).unwrap()).unwrap_err();
        assert!(missing.message().contains("0x00"));
        let clash = [("<s>".to_string(), 5)];
        let all = all_bytes().into_iter().collect();
        assert!(from_ranks(all, &encoding("gpt2", Some(&clash), 256).unwrap()).is_err());
        assert!(encoding("cl100k", None, 0).unwrap_err().message().contains("o200k_base"));
    }
}
