//! GGUF model files, of which only the tokenizer's metadata is read.
//!
//! [`metadata`] walks the key-value section at the start of the file; tensors are never touched. What the keys
//! mean is here: `tokenizer.ggml.model` names the kind of tokenizer, `tokenizer.ggml.pre` the way in which
//! byte-level tokenizers cut text ([`cuts`]).

mod control;
pub mod cuts;
mod metadata;
mod patterns;
mod words;

use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use tessella_core::error::excerpt;
use tessella_core::pretokenize::byte_alphabet::BYTE_TO_CHAR;
use tessella_core::spec::{
    AddedToken, BpeSpec, DecoderSpec, Dialect, Merges, ModelSpec, NormalizerSpec, Pattern, PieceKind,
    PostProcessorSpec, PreTokenizerSpec, PrependScheme, SentencePiece, SentencePieceKind,
    SentencePieceNormalizer, SentencePieceSpec, SplitBehavior, Vocab,
};
use tessella_core::{Error, Result, TokenId, TokenizerSpec};

use crate::atomic::{self, io_error};
use crate::sentencepiece::{kind_of_piece, user_defined};
use crate::tiktoken::byte_level_decoder;
use crate::vocab_files::{frame, word_piece};
use cuts::Spelling;
use metadata::Metadata;

/// The first bytes of every file of this format.
pub const MAGIC: &[u8; 4] = b"GGUF";

/// Reads the tokenizer of a file; only its beginning is read.
pub fn from_path(path: &Path) -> Result<TokenizerSpec> {
    let file = atomic::open(path)?;
    let length = file.metadata().map_err(|error| io_error(path, "reading", error))?.len();
    from_reader(BufReader::new(file), length)
}

/// Reads the tokenizer of a file in memory.
pub fn from_bytes(bytes: &[u8]) -> Result<TokenizerSpec> {
    from_reader(bytes, bytes.len() as u64)
}

fn from_reader(reader: impl Read, length: u64) -> Result<TokenizerSpec> {
    let data = Metadata::read(reader, length)?;
    let tokens = Tokens::read(&data)?;
    match data.required_str("tokenizer.ggml.model")? {
        "llama" => sentence_piece(&data, &tokens, SentencePieceKind::Bpe),
        "t5" => sentence_piece(&data, &tokens, SentencePieceKind::Unigram),
        "gpt2" => pairs(&data, &tokens, data.str("tokenizer.ggml.pre")?.unwrap_or("default")),
        "gemma4" => pairs(&data, &tokens, "gemma4"),
        "whitespace" => pairs(&data, &tokens, "whitespace"),
        "bert" => bert(&data, &tokens),
        "no_vocab" | "none" => Err(Error::unsupported("this GGUF file holds no tokenizer")),
        kind @ ("rwkv" | "plamo2" | "hybriddna") => Err(Error::unsupported(format!(
            "`tokenizer.ggml.model` is `{kind}`, which encodes by rules of its own that no model here follows"
        ))),
        other => Err(Error::unsupported(format!(
            "unknown `tokenizer.ggml.model` `{}`; known: llama, gpt2, bert, t5, gemma4, whitespace",
            excerpt(other)
        ))),
    }
}

/// The token tables that all kinds share.
struct Tokens<'d> {
    texts: &'d [String],
    kinds: Vec<PieceKind>,
    scores: Vec<f32>,
}

impl<'d> Tokens<'d> {
    fn read(data: &'d Metadata) -> Result<Self> {
        let texts = data.strings("tokenizer.ggml.tokens")?.ok_or_else(|| {
            Error::format("the key `tokenizer.ggml.tokens` is missing: this GGUF file holds no tokenizer")
        })?;
        let mut kinds = vec![PieceKind::Normal; texts.len()];
        if let Some(numbers) = data.integers("tokenizer.ggml.token_type")? {
            same_length("token_type", numbers.len(), texts.len())?;
            for (kind, number) in kinds.iter_mut().zip(numbers) {
                // Those of SentencePiece, and 0 for what is not told.
                *kind = match u64::try_from(*number) {
                    Ok(0) => PieceKind::Normal,
                    found => found.ok().and_then(kind_of_piece).ok_or_else(|| {
                        Error::format(format!("unknown token type {number}; known: 0 to 6"))
                    })?,
                };
            }
        }
        control::by_text(texts, &mut kinds);
        let scores = match data.floats("tokenizer.ggml.scores")? {
            Some(scores) => {
                same_length("scores", scores.len(), texts.len())?;
                scores.to_vec()
            }
            None => Vec::new(),
        };
        Ok(Tokens { texts, kinds, scores })
    }

    /// A special id given by a key, with its text.
    fn special(&self, data: &Metadata, key: &str) -> Result<Option<(String, TokenId)>> {
        match data.integer(key)? {
            // Writers without such a token say -1 or leave the key out.
            None | Some(-1 | 0xFFFF_FFFF) => Ok(None),
            Some(id) => match usize::try_from(id).ok().and_then(|id| self.texts.get(id)) {
                Some(text) => Ok(Some((text.clone(), id as TokenId))),
                None => {
                    Err(Error::format(format!("`{key}` is {id}, but there are {} tokens", self.texts.len())))
                }
            },
        }
    }

    fn added(&self, which: impl Fn(PieceKind) -> Option<bool>) -> Vec<AddedToken> {
        self.texts
            .iter()
            .zip(&self.kinds)
            .zip(0..)
            .filter_map(|((text, kind), id)| {
                let special = which(*kind)?;
                Some(AddedToken { id: Some(id), normalized: false, ..AddedToken::new(text.clone(), special) })
            })
            .filter(|token| !token.content.is_empty())
            .collect()
    }

    fn vocab(&self) -> Result<Vocab> {
        Vocab::from_entries(self.texts.iter().zip(0..))
    }
}

fn same_length(what: &str, found: usize, tokens: usize) -> Result<()> {
    if found == tokens {
        return Ok(());
    }
    Err(Error::format(format!("`tokenizer.ggml.{what}` has {found} entries for {tokens} tokens")))
}

/// Which tokens are special, and which are cut out as ordinary text of their own.
fn cut_out(kind: PieceKind) -> Option<bool> {
    match kind {
        PieceKind::Control | PieceKind::Unknown => Some(true),
        PieceKind::UserDefined => Some(false),
        _ => None,
    }
}

fn framed(data: &Metadata, tokens: &Tokens<'_>, bos: bool, eos: bool) -> Result<Option<PostProcessorSpec>> {
    let pick = |key: &str, default: bool, id_key: &str| -> Result<Option<(String, TokenId)>> {
        if !data.boolean(key)?.unwrap_or(default) {
            return Ok(None);
        }
        tokens.special(data, id_key)
    };
    Ok(frame(
        pick("tokenizer.ggml.add_bos_token", bos, "tokenizer.ggml.bos_token_id")?,
        pick("tokenizer.ggml.add_eos_token", eos, "tokenizer.ggml.eos_token_id")?,
    ))
}

fn always_begun(data: &Metadata, tokens: &Tokens<'_>) -> Result<Option<PostProcessorSpec>> {
    let ends = data.boolean("tokenizer.ggml.add_eos_token")?.unwrap_or(false);
    let after = if ends { tokens.special(data, "tokenizer.ggml.eos_token_id")? } else { None };
    Ok(frame(tokens.special(data, "tokenizer.ggml.bos_token_id")?, after))
}

/// The kinds of pieces as the model has them. Some writers mark padding as unknown, but unknown text becomes one token: that of the key,
/// or the first of the kind. User-defined pieces are cut out of the text before, and then llama.cpp's BPE merges them like any other.
fn model_kinds(data: &Metadata, tokens: &Tokens<'_>, kind: SentencePieceKind) -> Result<Vec<PieceKind>> {
    let named = tokens.special(data, "tokenizer.ggml.unknown_token_id")?.map(|(_, id)| id as usize);
    let unknown = named.or_else(|| tokens.kinds.iter().position(|kind| *kind == PieceKind::Unknown));
    let one = |(id, found): (usize, &PieceKind)| match found {
        _ if Some(id) == unknown => PieceKind::Unknown,
        PieceKind::Unknown => PieceKind::Unused,
        PieceKind::UserDefined if kind == SentencePieceKind::Bpe => PieceKind::Normal,
        // Unigram knows no bytes there: such a token is never in a text.
        PieceKind::Byte if kind == SentencePieceKind::Unigram => PieceKind::Control,
        found => *found,
    };
    Ok(tokens.kinds.iter().enumerate().map(one).collect())
}

/// Special and user-defined tokens are cut out of the text, longer ones first, and what follows them begins anew, with a blank in front
/// if the model wants one.
fn sentence_piece(data: &Metadata, tokens: &Tokens<'_>, kind: SentencePieceKind) -> Result<TokenizerSpec> {
    same_length("scores", tokens.scores.len(), tokens.texts.len())?;
    let kinds = model_kinds(data, tokens, kind)?;
    let pieces: Arc<Vec<SentencePiece>> = Arc::new(
        tokens
            .texts
            .iter()
            .zip(&tokens.scores)
            .zip(kinds)
            .map(|((text, score), kind)| SentencePiece { text: text.clone(), score: *score, kind })
            .collect(),
    );
    let unigram = kind == SentencePieceKind::Unigram;
    let byte_fallback = !unigram && tokens.kinds.contains(&PieceKind::Byte);
    let add_dummy_prefix = data.boolean("tokenizer.ggml.add_space_prefix")?.unwrap_or(true);
    let remove_extra_whitespaces = data.boolean("tokenizer.ggml.remove_extra_whitespaces")?.unwrap_or(false);
    let user_defined = user_defined(&pieces);
    let unk_surface = " \u{2047} ".to_string();
    let mut spec = TokenizerSpec::new(ModelSpec::SentencePiece(SentencePieceSpec {
        kind,
        pieces: pieces.clone(),
        byte_fallback,
        treat_whitespace_as_suffix: false,
        wide_sums: unigram,
        unk_surface: unk_surface.clone(),
        source: None,
    }));
    spec.normalizer = Some(NormalizerSpec::SentencePiece(SentencePieceNormalizer {
        name: if unigram { "nmt_nfkc".into() } else { "identity".into() },
        charsmap: data.bytes("tokenizer.ggml.precompiled_charsmap")?.unwrap_or_default().into(),
        add_dummy_prefix,
        remove_extra_whitespaces,
        escape_whitespaces: true,
        treat_whitespace_as_suffix: false,
        user_defined: user_defined.into(),
        blanks_before_words: unigram,
    }));
    // SentencePiece has no text for special tokens; llama.cpp writes them as they are, where they are not to be left out.
    let shown = pieces.iter().cloned().map(|piece| match piece.kind {
        PieceKind::Control | PieceKind::Unknown => SentencePiece { kind: PieceKind::UserDefined, ..piece },
        _ => piece,
    });
    spec.decoder = Some(DecoderSpec::SentencePiece {
        pieces: Arc::new(shown.collect()),
        add_dummy_prefix,
        remove_extra_whitespaces,
        treat_whitespace_as_suffix: false,
        unk_surface,
    });
    spec.added_tokens = tokens.added(cut_out);
    if data.str("general.name")?.is_some_and(takes_blanks_after) {
        for token in spec.added_tokens.iter_mut() {
            token.rstrip = !WITHOUT_BLANKS.contains(&token.content.as_str());
        }
    }
    spec.post_processor = framed(data, tokens, !unigram, unigram)?;
    Ok(spec)
}

/// Tokens of Phi-3 that do not take the blanks after them.
const WITHOUT_BLANKS: [&str; 3] = ["<unk>", "<s>", "<|endoftext|>"];

/// Whether special tokens of the model of this name take the blanks after them; files do not say so themselves.
fn takes_blanks_after(name: &str) -> bool {
    let name = name.to_lowercase();
    name.contains("phi-3") || name.contains("phi3")
}

/// The merges, each two tokens with a space between them; the first token may begin with one.
fn merges(data: &Metadata, vocab: &Vocab, may_lack: bool) -> Result<Vec<(TokenId, TokenId)>> {
    let lines = match data.strings("tokenizer.ggml.merges")? {
        Some(lines) => lines,
        None if may_lack => &[],
        None => {
            let what = "the key `tokenizer.ggml.merges` is missing, without which BPE cannot run";
            return Err(Error::format(what));
        }
    };
    let mut merges = Vec::with_capacity(lines.len());
    for (at, line) in lines.iter().enumerate() {
        let first = line.chars().next().map_or(0, char::len_utf8);
        let middle = line[first..].find(' ').map(|middle| first + middle);
        let pair =
            middle.and_then(|middle| Some((vocab.id(&line[..middle])?, vocab.id(&line[middle + 1..])?)));
        match pair {
            Some(pair) => merges.push(pair),
            None => {
                return Err(Error::model(format!(
                    "the merge `{}` must be two tokens of the vocabulary with one space between them",
                    excerpt(line)
                ))
                .at(format!("tokenizer.ggml.merges[{at}]")));
            }
        }
    }
    Ok(merges)
}

/// A byte without a token vanishes from a text, and what stood round it is not joined.
fn part_at_missing(tokens: &Tokens<'_>, spec: &mut TokenizerSpec) {
    let mut missing = String::new();
    for byte in possible_bytes() {
        let letter = BYTE_TO_CHAR[byte as usize];
        if !tokens.texts.iter().any(|text| text.contains(letter)) {
            missing.push_str(&format!(r"\x{{{:x}}}", letter as u32));
        }
    }
    if missing.is_empty() {
        return;
    }
    if let Some(PreTokenizerSpec::Sequence(stages)) = &mut spec.pre_tokenizer {
        stages.push(PreTokenizerSpec::Split {
            pattern: Pattern::Regex { source: format!("[{missing}]"), dialect: Dialect::Oniguruma },
            behavior: SplitBehavior::Removed,
            invert: false,
        });
    }
}

/// Bytes that a text can have.
fn possible_bytes() -> impl Iterator<Item = u8> {
    (0..=0xF4).filter(|byte| !matches!(byte, 0xC0 | 0xC1))
}

/// BPE, most often of bytes; `name` says how texts are cut.
fn pairs(data: &Metadata, tokens: &Tokens<'_>, name: &str) -> Result<TokenizerSpec> {
    let cut = cuts::by_name(name)?;
    let vocab = tokens.vocab()?;
    let merges = merges(data, &vocab, name == "kimi-k2")?;
    let mut spec = TokenizerSpec::new(ModelSpec::Bpe(BpeSpec {
        ignore_merges: cut.whole_pieces,
        byte_fallback: cut.spelling != Spelling::Bytes,
        ..BpeSpec::new(vocab, Merges::Pairs(Arc::new(merges)))
    }));
    spec.pre_tokenizer = Some(cut.pre_tokenizer());
    if cut.spelling == Spelling::Bytes {
        part_at_missing(tokens, &mut spec);
    }
    let literal = |text: &str| Pattern::Literal(text.to_string());
    match cut.spelling {
        Spelling::Bytes => spec.decoder = Some(byte_level_decoder()),
        Spelling::Plain => {
            spec.decoder = Some(DecoderSpec::Sequence(vec![DecoderSpec::ByteFallback, DecoderSpec::Fuse]));
        }
        Spelling::Marked => {
            spec.normalizer = Some(NormalizerSpec::Replace { pattern: literal(" "), content: "▁".into() });
            let blank = DecoderSpec::Replace { pattern: literal("▁"), content: " ".into() };
            spec.decoder =
                Some(DecoderSpec::Sequence(vec![blank, DecoderSpec::ByteFallback, DecoderSpec::Fuse]));
        }
    }
    if data.str("tokenizer.ggml.model")? == Some("whitespace") {
        // Blanks are dropped, not spelled.
        spec.pre_tokenizer = Some(PreTokenizerSpec::WhitespaceSplit);
        if data.boolean("tokenizer.ggml.normalizer.lowercase")?.unwrap_or(false) {
            spec.normalizer = Some(NormalizerSpec::Lowercase);
        }
    }
    spec.added_tokens = tokens.added(cut_out);
    // These models begin with their token whatever the file says.
    let always = cut.names.contains(&"gemma4");
    spec.post_processor =
        if always { always_begun(data, tokens)? } else { framed(data, tokens, cut.adds_bos, false)? };
    Ok(spec)
}

/// Tokens that begin words stand with a `▁` in front, and all tokens are as in the file.
fn bert(data: &Metadata, tokens: &Tokens<'_>) -> Result<TokenizerSpec> {
    let mut model = word_piece(tokens.vocab()?);
    model.continuing_subword_prefix = String::new();
    // No word is too long there.
    model.max_input_chars_per_word = u32::MAX as usize;
    let special = |key: &str, usual: &str| -> Result<Option<(String, TokenId)>> {
        Ok(tokens.special(data, key)?.or_else(|| model.vocab.id(usual).map(|id| (usual.to_string(), id))))
    };
    let unknown = special("tokenizer.ggml.unknown_token_id", "[UNK]")?;
    let before = match tokens.special(data, "tokenizer.ggml.cls_token_id")? {
        Some(cls) => Some(cls),
        None => special("tokenizer.ggml.bos_token_id", "[CLS]")?,
    };
    let after = special("tokenizer.ggml.seperator_token_id", "[SEP]")?;
    if let Some((text, _)) = unknown {
        model.unk_token = text;
    }
    let mut spec = TokenizerSpec::new(ModelSpec::WordPiece(model));
    let lowercase = data.boolean("tokenizer.ggml.normalizer.lowercase")?.unwrap_or(true);
    let strip_accents = data.boolean("tokenizer.ggml.normalizer.strip_accents")?.unwrap_or(lowercase);
    spec.normalizer = Some(words::normalizer(strip_accents, lowercase)?);
    spec.pre_tokenizer = Some(words::pre_tokenizer());
    spec.decoder = Some(DecoderSpec::Sequence(vec![
        DecoderSpec::Metaspace { replacement: '▁', prepend: PrependScheme::Always, split: false },
        DecoderSpec::WordPiece { prefix: String::new(), cleanup: true },
    ]));
    if let (Some(cls), Some(sep)) = (before, after) {
        spec.post_processor = Some(PostProcessorSpec::Bert { sep, cls });
    }
    spec.added_tokens = tokens.added(cut_out);
    Ok(spec)
}

#[cfg(test)]
mod tests;
