//! The ways in which byte-level tokenizers of GGUF files cut text, by the name in `tokenizer.ggml.pre`.

use tessella_core::error::excerpt;
use tessella_core::pretokenize::GPT2;
use tessella_core::spec::{Dialect, Pattern, PreTokenizerSpec, SplitBehavior};
use tessella_core::{Error, Result};

use crate::tiktoken::O200K;

/// One way.
pub struct Cut {
    /// Applied one after the other, each to the pieces of the one before.
    pub patterns: &'static [&'static str],
    /// A piece that is in the vocabulary is one token.
    pub whole_pieces: bool,
    /// Whether the beginning token goes in front unless the file says otherwise.
    pub adds_bos: bool,
}

impl Cut {
    /// The stages: a split for each pattern, then bytes as characters.
    pub fn pre_tokenizer(&self) -> PreTokenizerSpec {
        let mut stages: Vec<PreTokenizerSpec> = self
            .patterns
            .iter()
            .map(|source| PreTokenizerSpec::Split {
                pattern: Pattern::Regex { source: source.to_string(), dialect: Dialect::Oniguruma },
                behavior: SplitBehavior::Isolated,
                invert: false,
            })
            .collect();
        stages.push(PreTokenizerSpec::ByteLevel {
            add_prefix_space: false,
            trim_offsets: false,
            use_regex: false,
        });
        PreTokenizerSpec::Sequence(stages)
    }
}

const THREE_DIGITS: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

const ONE_DIGIT: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

const CASED_WORDS: &str = concat!(
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|",
    r"\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
);

const SIGNS_OR_WORDS: &str = concat!(
    r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+|"##,
    r" ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
);

const fn plain(patterns: &'static [&'static str]) -> Cut {
    Cut { patterns, whole_pieces: false, adds_bos: false }
}

/// The names in groups that cut alike.
const KNOWN: [(&[&str], Cut); 10] = [
    (&["default"], plain(&[r"[\p{P}\$\+<=>\^~\|]+", GPT2, r"\p{N}+", r"[0-9][0-9][0-9]"])),
    (
        &["gpt-2", "gpt2", "phi-2", "mpt", "olmo", "jais", "trillion", "roberta-bpe", "granite-docling"],
        plain(&[GPT2]),
    ),
    (
        &["llama3", "llama-v3", "llama-bpe", "falcon3"],
        Cut { patterns: &[THREE_DIGITS], whole_pieces: true, adds_bos: true },
    ),
    (&["dbrx", "smaug-bpe", "glm4", "chatglm-bpe"], plain(&[THREE_DIGITS])),
    (&["qwen2", "stablelm2", "deepseek-r1-qwen", "hunyuan", "megrez"], plain(&[ONE_DIGIT])),
    (
        &["starcoder", "refact", "command-r", "smollm", "codeshell", "exaone", "minerva-7b"],
        plain(&[r"\p{N}", GPT2]),
    ),
    (&["deepseek-coder"], plain(&[r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", "[一-龥ࠀ-一가-퟿]+", r"\p{N}"])),
    (&["deepseek-v3"], plain(&[r"\p{N}{1,3}", "[一-龥぀-ゟ゠-ヿ]+", SIGNS_OR_WORDS])),
    (&["tekken"], Cut { patterns: &[CASED_WORDS], whole_pieces: true, adds_bos: true }),
    (&["gpt-4o", "llama4"], plain(&[O200K])),
];

/// The way of a name.
pub fn by_name(name: &str) -> Result<&'static Cut> {
    static TABLE: [(&[&str], Cut); 10] = KNOWN;
    match TABLE.iter().find(|(names, _)| names.contains(&name)) {
        Some((_, cut)) => Ok(cut),
        None => {
            let known: Vec<&str> = TABLE.iter().flat_map(|(names, _)| names.iter().copied()).collect();
            Err(Error::unsupported(format!(
                "unknown `tokenizer.ggml.pre` `{}`, so the way in which text is cut is not known; known: {}",
                excerpt(name),
                known.join(", ")
            )))
        }
    }
}
