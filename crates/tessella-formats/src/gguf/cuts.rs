//! The ways in which tokenizers of GGUF files cut text, by the name in `tokenizer.ggml.pre`.

use tessella_core::error::excerpt;
use tessella_core::pretokenize::GPT2;
use tessella_core::spec::{Dialect, Pattern, PreTokenizerSpec, SplitBehavior};
use tessella_core::{Error, Result};

use super::patterns::*;

/// How the pieces are spelled in the vocabulary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling {
    /// Each byte as a printable character.
    Bytes,
    /// As they stand in the text; what has no token is spelled in tokens of bytes, `<0x61>`.
    Plain,
    /// The same, and blanks are `▁`.
    Marked,
}

/// One way.
pub struct Cut {
    /// Names that mean it; the first is the one that is written.
    pub names: &'static [&'static str],
    /// Applied one after the other, each to the pieces of the one before.
    pub patterns: &'static [&'static str],
    /// How pieces are spelled.
    pub spelling: Spelling,
    /// A piece that is in the vocabulary is one token.
    pub whole_pieces: bool,
    /// Whether the beginning token goes in front unless the file says otherwise.
    pub adds_bos: bool,
}

impl Cut {
    const fn new(names: &'static [&'static str], patterns: &'static [&'static str]) -> Self {
        Cut { names, patterns, spelling: Spelling::Bytes, whole_pieces: false, adds_bos: false }
    }

    const fn whole_pieces(self) -> Self {
        Cut { whole_pieces: true, ..self }
    }

    const fn adds_bos(self) -> Self {
        Cut { adds_bos: true, ..self }
    }

    const fn spelled(self, spelling: Spelling) -> Self {
        Cut { spelling, ..self }
    }

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
        if self.spelling == Spelling::Bytes {
            stages.push(PreTokenizerSpec::ByteLevel {
                add_prefix_space: false,
                trim_offsets: false,
                use_regex: false,
            });
        }
        PreTokenizerSpec::Sequence(stages)
    }
}

/// All ways.
pub static CUTS: [Cut; 34] = [
    Cut::new(&["default"], &[PUNCTUATION, GPT2, r"\p{N}+", "[0-9][0-9][0-9]"]),
    Cut::new(
        &[
            "gpt-2",
            "gpt2",
            "phi-2",
            "mpt",
            "olmo",
            "jais",
            "trillion",
            "roberta-bpe",
            "granite-docling",
            "jina-es",
            "jina-de",
            "gigachat",
            "jina-v1-en",
            "jina-v2-code",
            "jina-v2-es",
            "jina-v2-de",
            "a.x-4.0",
            "mellum",
            "modern-bert",
            "exaone4",
        ],
        &[GPT2],
    ),
    Cut::new(
        &[
            "llama-bpe",
            "llama3",
            "llama-v3",
            "falcon3",
            "falcon-h1",
            "pixtral",
            "midm-2.0",
            "lfm2",
            "jina-v5-nano",
        ],
        &[THREE_DIGITS],
    )
    .whole_pieces()
    .adds_bos(),
    Cut::new(&["glm4", "glm5"], &[THREE_DIGITS]).whole_pieces(),
    Cut::new(&["dbrx", "smaug-bpe", "chatglm-bpe"], &[THREE_DIGITS]),
    Cut::new(
        &[
            "qwen2",
            "stablelm2",
            "deepseek-r1-qwen",
            "hunyuan",
            "megrez",
            "kormo",
            "f2llmv2",
            "grok-2",
            "solar-open",
        ],
        &[ONE_DIGIT],
    ),
    Cut::new(&["qwen35"], &[MARKS_IN_WORDS]),
    Cut::new(
        &["starcoder", "refact", "command-r", "smollm", "codeshell", "exaone", "minerva-7b", "mellum2"],
        &[r"\p{N}", GPT2],
    ),
    Cut::new(&["falcon"], &[PUNCTUATION_OR_GRAVE, GPT2, "[0-9][0-9][0-9]"]),
    Cut::new(
        &["deepseek-llm"],
        &[r"[\r\n]", CASED_LETTERS, WIDE_SIGNS, r"\s+$", CHINESE_OR_KOREAN, r"\p{N}+"],
    ),
    Cut::new(&["deepseek-coder"], &[r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", CHINESE_OR_KOREAN, r"\p{N}"]),
    Cut::new(
        &["deepseek-v3", "hunyuan-dense", "joyai-llm", "hy_v4"],
        &[r"\p{N}{1,3}", CHINESE_OR_KANA, SIGNS_OR_WORDS],
    ),
    Cut::new(&["spark2_5"], &[r"\p{N}{1,3}", CHINESE_OR_KANA, SIGNS_OR_WORDS_OR_LINES, r"\p{N}"]),
    Cut::new(&["youtu"], &[KOREAN_OR_SIGNS, WORDS_ONE_DIGIT]).whole_pieces(),
    Cut::new(&["tekken"], &[CASED_WORDS]).whole_pieces().adds_bos(),
    Cut::new(&["gpt-4o", "llama4", "kanana2", "talkie", "minimax-m2"], &[CASED_WORDS_CONTRACTED]),
    Cut::new(&["granite-embed-multi-97m"], &[CASED_WORDS_AND_MARKS]).whole_pieces(),
    Cut::new(&["tiny_aya", "cohere2moe"], &[DIGITS_FROM_RIGHT, WORDS_THREE_DIGITS]),
    Cut::new(&["afmoe"], &[DIGITS_FROM_RIGHT, ASIAN_SCRIPTS, SIGNS_OR_WORDS]),
    Cut::new(&["jais-2"], &[BLANKS_BY_POWERS]),
    Cut::new(&["bloom", "poro-chat", "gpt3-finnish"], &[UP_TO_SIGNS]),
    Cut::new(&["viking"], &[UP_TO_SIGNS, r"\p{N}"]),
    Cut::new(
        &["chameleon"],
        &[
            "<sentinel:[0-9]+>",
            "(IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z",
            r"([\t\n]|    |  )",
            r"\p{N}",
            r"[\p{P}!-/:-@\[-`{-~]",
            GPT2,
        ],
    )
    .adds_bos(),
    Cut::new(&["superbpe"], &[r"\p{N}+", r"(?=([0-9]{3})+(?![0-9]))"]),
    Cut::new(&["bailingmoe", "bailingmoe2", "llada-moe"], &[ANY_CONTRACTION]),
    Cut::new(&["seed-coder"], &[SIGNS_WITHOUT_LINES]),
    Cut::new(&["ufakzeka"], &[NO_CONTRACTIONS]),
    Cut::new(&["laguna"], &[LINES, ONE_DIGIT]),
    Cut::new(&["exaone-moe"], &[PHRASES]),
    Cut::new(&["kimi-k2"], &[HAN_APART]),
    Cut::new(&["minicpm5"], &[r"\p{N}{1,3}", ALL_DIGITS]).whole_pieces(),
    Cut::new(&["gemma4", "granite-embed-multi-311m"], &[LINES]).spelled(Spelling::Marked).adds_bos(),
    Cut::new(&["sarvam-moe"], &[LINES]).spelled(Spelling::Marked),
    Cut::new(&["whitespace"], &[r"\S+"]).spelled(Spelling::Plain),
];

/// The way of a name.
pub fn by_name(name: &str) -> Result<&'static Cut> {
    match CUTS.iter().find(|cut| cut.names.contains(&name)) {
        Some(cut) => Ok(cut),
        None => {
            let known: Vec<&str> = CUTS.iter().flat_map(|cut| cut.names.iter().copied()).collect();
            Err(Error::unsupported(format!(
                "unknown `tokenizer.ggml.pre` `{}`, so the way in which text is cut is not known; known: {}",
                excerpt(name),
                known.join(", ")
            )))
        }
    }
}
