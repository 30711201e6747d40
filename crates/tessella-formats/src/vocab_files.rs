//! Bare vocabularies: `vocab.txt` (one token per line) and `vocab.json` with `merges.txt`.

use std::fmt::Write as _;
use std::sync::Arc;

use tessella_core::error::excerpt;
use tessella_core::spec::{
    AddedToken, BpeSpec, DecoderSpec, Merges, ModelSpec, NormalizerSpec, PostProcessorSpec, PreTokenizerSpec,
    Tables, Template, TemplatePiece, TemplateSpecial, Vocab, WordPieceSpec,
};
use tessella_core::{Error, Result, TokenId, TokenizerSpec};

use crate::json::{Layout, Writer};

pub use crate::hf::{build_vocab, read_vocab_json};

fn utf8<'a>(bytes: &'a [u8], what: &str) -> Result<&'a str> {
    std::str::from_utf8(bytes).map_err(|error| {
        Error::format(format!("{what} must be UTF-8")).at(format!("byte {}", error.valid_up_to()))
    })
}

/// Reads `vocab.txt`: the token is the line without white space at its end, the id is the line's number from
/// 0 on. Of equal tokens the last one counts.
pub fn read_vocab_txt(bytes: &[u8]) -> Result<Vocab> {
    let text = utf8(bytes, "vocab.txt")?;
    Vocab::from_entries(text.lines().map(str::trim_end).zip(0..))
}

/// A WordPiece model with the usual settings.
pub fn word_piece(vocab: Vocab) -> WordPieceSpec {
    WordPieceSpec {
        vocab: Arc::new(vocab),
        unk_token: "[UNK]".into(),
        continuing_subword_prefix: "##".into(),
        max_input_chars_per_word: 100,
    }
}

/// Reads `merges.txt`: two tokens with one space between them per line; lines that start with `#version` are
/// passed over wherever they stand.
pub fn read_merges_txt(bytes: &[u8]) -> Result<Vec<(String, String)>> {
    let text = utf8(bytes, "merges.txt")?;
    let mut merges = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.starts_with("#version") {
            continue;
        }
        let mut parts = line.split(' ');
        match (parts.next(), parts.next(), parts.next()) {
            (Some(left), Some(right), None) => merges.push((left.to_string(), right.to_string())),
            _ => {
                return Err(Error::format(format!(
                    "Merges text file invalid at line {}: found `{}`, expected two tokens with one space between them",
                    number + 1,
                    excerpt(line)
                ))
                .at(format!("line {}", number + 1)));
            }
        }
    }
    Ok(merges)
}

/// Merges as pairs of ids.
pub fn resolve_merges<S: AsRef<str>>(vocab: &Vocab, merges: &[(S, S)]) -> Result<Vec<(TokenId, TokenId)>> {
    let id = |text: &str, at: usize| {
        vocab.id(text).ok_or_else(|| {
            Error::model(format!("Token `{}` out of vocabulary", excerpt(text))).at(format!("merge {at}"))
        })
    };
    merges
        .iter()
        .enumerate()
        .map(|(at, (left, right))| Ok((id(left.as_ref(), at)?, id(right.as_ref(), at)?)))
        .collect()
}

/// Reads `vocab.json` and `merges.txt` into a BPE model without further settings; tells what deserves a warning.
pub fn read_bpe(vocab_json: &[u8], merges_txt: &[u8]) -> Result<(BpeSpec, Vec<String>)> {
    let (vocab, notices) = read_vocab_json(vocab_json)?;
    let merges = resolve_merges(&vocab, &read_merges_txt(merges_txt)?)?;
    Ok((BpeSpec::new(vocab, Merges::Pairs(Arc::new(merges))), notices))
}

/// Writes `vocab.txt`. Line numbers are ids, so ids must have no gaps and tokens no line breaks.
pub fn write_vocab_txt(vocab: &Vocab) -> Result<String> {
    let mut text = String::new();
    for (expected, (id, token)) in vocab.iter_by_id().enumerate() {
        if id as usize != expected {
            return Err(Error::unsupported(format!(
                "vocab.txt has one line per id, but no token has the id {expected}; save as tokenizer.json instead"
            )));
        }
        if token.contains(['\n', '\r']) || token.trim_end() != token {
            return Err(Error::unsupported(format!(
                "vocab.txt cannot hold the token `{}`: white space at the end of a line is lost; save as \
                 tokenizer.json instead",
                excerpt(token)
            )));
        }
        text.push_str(token);
        text.push('\n');
    }
    Ok(text)
}

/// Writes `vocab.json`, by id.
pub fn write_vocab_json(vocab: &Vocab) -> String {
    let mut writer = Writer::new(Layout::Compact);
    writer.begin_object();
    for (id, token) in vocab.iter_by_id() {
        writer.unsigned_field(token, id as u64);
    }
    writer.end_object();
    writer.finish()
}

/// Writes `merges.txt` with its version line.
pub fn write_merges_txt(bpe: &BpeSpec) -> Result<String> {
    let Merges::Pairs(pairs) = &bpe.merges else {
        return Err(Error::unsupported("merges.txt cannot hold ranks; save as a table of ranks instead"));
    };
    let mut text = String::from("#version: 0.2\n");
    for &(left, right) in pairs.iter() {
        let (Some(left), Some(right)) = (bpe.vocab.text(left), bpe.vocab.text(right)) else {
            refuse!(Model, "the merge ({left}, {right}) uses an id that the vocabulary does not name");
        };
        if let Some(token) = [left, right].into_iter().find(|token| token.contains([' ', '\n', '\r'])) {
            return Err(Error::unsupported(format!(
                "merges.txt cannot hold the token `{}`, for spaces and line breaks separate tokens there; save as \
                 tokenizer.json instead",
                excerpt(token)
            )));
        }
        // Writing into a string cannot fail.
        let _ = writeln!(text, "{left} {right}");
    }
    Ok(text)
}

/// The files of a bare model: name and content of each, as `model.save(folder)` writes them.
pub fn model_files(model: &ModelSpec) -> Result<Vec<(&'static str, String)>> {
    Ok(match model.tables() {
        // By lines where that is the custom, else by ids.
        Tables::Vocab(vocab) if matches!(model, ModelSpec::WordPiece(_)) => {
            vec![("vocab.txt", write_vocab_txt(vocab)?)]
        }
        Tables::Vocab(vocab) => vec![("vocab.json", write_vocab_json(vocab))],
        Tables::Merges(bpe) => {
            vec![("vocab.json", write_vocab_json(&bpe.vocab)), ("merges.txt", write_merges_txt(bpe)?)]
        }
        Tables::Scores(_) => vec![("unigram.json", crate::hf::component_to_json(model, true)?)],
        Tables::Pieces(_) => {
            return Err(Error::unsupported(
                "a SentencePiece model has no bare vocabulary file; save it as a .model file",
            ));
        }
    })
}

/// What a WordPiece vocabulary leaves open.
#[derive(Debug, Clone)]
pub struct BertConfig {
    /// In front of every text.
    pub cls: String,
    /// Behind every text.
    pub sep: String,
    /// Special tokens that stand round no text.
    pub others: [String; 3],
    /// Texts are lower-cased.
    pub lowercase: bool,
    /// Each Chinese character is a word.
    pub handle_chinese_chars: bool,
    /// Accents are dropped; `None` does what `lowercase` says.
    pub strip_accents: Option<bool>,
}

impl Default for BertConfig {
    fn default() -> Self {
        BertConfig {
            cls: "[CLS]".into(),
            sep: "[SEP]".into(),
            others: ["[PAD]".into(), "[UNK]".into(), "[MASK]".into()],
            lowercase: true,
            handle_chinese_chars: true,
            strip_accents: None,
        }
    }
}

/// A WordPiece model with the stages of BERT around it.
pub fn bert(model: ModelSpec, config: &BertConfig) -> TokenizerSpec {
    let mut spec = TokenizerSpec::new(model);
    spec.normalizer = Some(NormalizerSpec::Bert {
        clean_text: true,
        handle_chinese_chars: config.handle_chinese_chars,
        strip_accents: config.strip_accents,
        lowercase: config.lowercase,
    });
    spec.pre_tokenizer = Some(PreTokenizerSpec::Bert);
    spec.decoder = Some(DecoderSpec::WordPiece { prefix: "##".into(), cleanup: true });
    let id =
        |text: &str| spec.model.vocab().and_then(|vocab| vocab.id(text)).map(|id| (text.to_string(), id));
    if let (Some(cls), Some(sep)) = (id(&config.cls), id(&config.sep)) {
        spec.post_processor = Some(PostProcessorSpec::Bert { sep, cls });
    }
    let [pad, unknown, mask] = &config.others;
    for text in [pad, unknown, &config.cls, &config.sep, mask] {
        let known = spec.added_tokens.iter().any(|token| token.content == *text);
        if let Some(id) = spec.model.vocab().and_then(|vocab| vocab.id(text))
            && !known
        {
            spec.added_tokens.push(AddedToken { id: Some(id), ..AddedToken::new(text, true) });
        }
    }
    spec
}

/// Beginning and end tokens around each sequence.
pub(crate) fn frame(
    before: Option<(String, TokenId)>,
    after: Option<(String, TokenId)>,
) -> Option<PostProcessorSpec> {
    if before.is_none() && after.is_none() {
        return None;
    }
    let special = |token: &Option<(String, TokenId)>, type_id: u32| {
        token.as_ref().map(|(text, _)| TemplatePiece::Special { id: text.clone(), type_id })
    };
    let around = |second: bool| {
        let type_id = second as u32;
        special(&before, type_id)
            .into_iter()
            .chain([TemplatePiece::Sequence { second, type_id }])
            .chain(special(&after, type_id))
            .collect::<Vec<_>>()
    };
    let single = around(false);
    let pair = single.iter().cloned().chain(around(true)).collect();
    let mut special_tokens: Vec<TemplateSpecial> = Vec::new();
    for (text, id) in before.into_iter().chain(after) {
        if special_tokens.iter().all(|known| known.id != text) {
            special_tokens.push(TemplateSpecial { id: text.clone(), ids: vec![id], tokens: vec![text] });
        }
    }
    Some(PostProcessorSpec::Template(Template { single, pair, special_tokens }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_piece_lines() {
        let vocab = read_vocab_txt(b"[UNK]\na \n##b\r\na\n").unwrap();
        assert_eq!((vocab.id("[UNK]"), vocab.id("a"), vocab.id("##b")), (Some(0), Some(3), Some(2)));
        assert!(write_vocab_txt(&vocab).unwrap_err().message().contains("the id 1"));
        let vocab = read_vocab_txt("[UNK]\né\n".as_bytes()).unwrap();
        assert_eq!(write_vocab_txt(&vocab).unwrap(), "[UNK]\né\n");
    }

    #[test]
    fn merges_there_and_back() {
        let vocab = br#"{"a":0,"b":1,"ab":2,"abb":3}"#;
        let merges = b"#version: 0.2\na b\n#version: again\nab b\n";
        let (bpe, _) = read_bpe(vocab, merges).unwrap();
        assert_eq!(write_merges_txt(&bpe).unwrap(), "#version: 0.2\na b\nab b\n");
        assert_eq!(write_vocab_json(&bpe.vocab).as_bytes(), vocab);
        for bad in ["a  b\n", "a b c\n", "\n", "ab\n", "x b\n"] {
            assert!(read_bpe(vocab, bad.as_bytes()).is_err(), "{bad:?}");
        }
    }
}
