//! `tekken.json`: ranks like those of tiktoken, in JSON, with the special tokens in front.
//!
//! The first `default_num_special_tokens` ids are special; a token's id is its rank after them. Of the table
//! only as many tokens count as fill `default_vocab_size`. Special ids without a name are called
//! `<SPECIAL_n>`. Files of the first version name none and mean the usual ones.

use tessella_core::error::excerpt;
use tessella_core::spec::{AddedToken, ModelSpec, Vocab};
use tessella_core::{Error, Result, TokenId, TokenizerSpec};

use crate::base64;
use crate::json::{Kind, Layout, Node, Parser, Value, Writer};
use crate::tiktoken::{
    byte_level_decoder, byte_level_split, concat_rank_bpe, refuse_skipping, refuse_stages, to_encoding,
    to_ranks,
};
use tessella_core::pretokenize::byte_alphabet::bytes_to_alphabet;

/// The special tokens of files that list none.
const USUAL_SPECIALS: [&str; 20] = [
    "<unk>",
    "<s>",
    "</s>",
    "[INST]",
    "[/INST]",
    "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
    "[TOOL_CALLS]",
    "[IMG]",
    "<pad>",
    "[IMG_BREAK]",
    "[IMG_END]",
    "[PREFIX]",
    "[MIDDLE]",
    "[SUFFIX]",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "[TOOL_CONTENT]",
];

/// More special ids than this are no tokenizer's.
const MAX_SPECIALS: usize = 1 << 20;

/// Reads a document.
pub fn from_bytes(bytes: &[u8]) -> Result<TokenizerSpec> {
    let mut parser = Parser::from_bytes(bytes)?;
    if parser.peek()? != Kind::Object {
        return Err(Error::format("expected an object with `config` and `vocab`").at("$"));
    }
    let mut config = None;
    let mut specials = None;
    let mut tokens = None;
    parser.begin_object()?;
    while let Some(key) = parser.next_key()? {
        match key.as_ref() {
            "config" => config = Some(parser.value()?),
            "special_tokens" => specials = Some(parser.value()?),
            "vocab" => tokens = Some(read_tokens(&mut parser)?),
            _ => parser.skip()?,
        }
    }
    parser.end()?;
    let missing = |key: &str| Error::format(format!("the field `{key}` is missing")).at("$");
    let config = config.ok_or_else(|| missing("config"))?;
    let tokens = tokens.ok_or_else(|| missing("vocab"))?;
    build(&Node::new(&config, "$.config"), specials, tokens)
}

/// The bytes of each token by rank.
fn read_tokens(parser: &mut Parser<'_>) -> Result<Vec<(Vec<u8>, TokenId)>> {
    if parser.peek()? != Kind::Array {
        return Err(Error::format("expected an array of tokens").at("$.vocab"));
    }
    let mut tokens = Vec::new();
    parser.begin_array()?;
    while parser.next_element()? {
        let value = parser.value()?;
        let node = Node::new(&value, format!("$.vocab[{}]", tokens.len()));
        let field = node.required("token_bytes")?;
        let bytes = match base64::decode(field.str()?.as_bytes()) {
            Ok(bytes) => bytes,
            Err(reason) => return field.fail(format!("the token is not base64: it {reason}")),
        };
        let rank = node.required("rank")?;
        if rank.u32()? as usize != tokens.len() {
            return rank.fail(format!("found {}, expected the rank {}", rank.value.describe(), tokens.len()));
        }
        tokens.push((bytes, rank.u32()?));
    }
    Ok(tokens)
}

fn build(
    config: &Node<'_>,
    specials: Option<Value>,
    mut tokens: Vec<(Vec<u8>, TokenId)>,
) -> Result<TokenizerSpec> {
    let pattern = config.required("pattern")?.str()?;
    let size = config.required("default_vocab_size")?.usize()?;
    let reserved_node = config.required("default_num_special_tokens")?;
    let reserved = reserved_node.usize()?;
    if reserved > size || reserved > MAX_SPECIALS {
        return reserved_node
            .fail(format!("{reserved} special tokens do not fit into a vocabulary of {size}"));
    }
    if tokens.len() < size - reserved {
        return config.fail(format!(
            "default_vocab_size is {size}, but {reserved} special tokens and {} others are fewer",
            tokens.len()
        ));
    }
    tokens.truncate(size - reserved);

    let mut names: Vec<Option<String>> = vec![None; reserved];
    let node =
        specials.as_ref().filter(|value| !value.is_null()).map(|value| Node::new(value, "$.special_tokens"));
    match node {
        None => {
            for (slot, name) in names.iter_mut().zip(USUAL_SPECIALS) {
                *slot = Some(name.to_string());
            }
        }
        Some(list) => {
            for special in list.items()? {
                let rank = special.required("rank")?;
                match names.get_mut(rank.usize()?) {
                    Some(slot) => *slot = Some(special.string_field("token_str")?),
                    None => return rank.fail(format!("there are only {reserved} special tokens")),
                }
            }
        }
    }

    let entries: Vec<(String, TokenId)> =
        tokens.iter().map(|(bytes, rank)| (bytes_to_alphabet(bytes), rank + reserved as TokenId)).collect();
    let vocab = Vocab::from_entries(entries)?;
    if vocab.len() != tokens.len() {
        return Err(Error::format("two tokens of the vocabulary have the same bytes").at("$.vocab"));
    }
    for byte in 0..=u8::MAX {
        if vocab.id(&bytes_to_alphabet(&[byte])).is_none() {
            return Err(Error::format(format!("the byte 0x{byte:02X} is no token; all 256 bytes must be"))
                .at("$.vocab"));
        }
    }
    let mut spec = TokenizerSpec::new(ModelSpec::Bpe(concat_rank_bpe(vocab)));
    spec.pre_tokenizer = Some(byte_level_split(pattern));
    spec.decoder = Some(byte_level_decoder());
    spec.added_tokens = names
        .into_iter()
        .zip(0..)
        .map(|(name, id)| AddedToken {
            id: Some(id),
            ..AddedToken::new(name.unwrap_or_else(|| format!("<SPECIAL_{id}>")), true)
        })
        .collect();
    Ok(spec)
}

/// The document of a tokenizer that such a file can hold: special tokens first, then ranks, each token of which has the id that its
/// reader gives it. All else must be what readers of such files do.
pub fn to_string(spec: &TokenizerSpec, pretty: bool) -> Result<String> {
    let refuse = |what: &str| Err(Error::unsupported(format!("a tekken.json cannot express {what}")));
    let ranks = to_ranks(spec)?;
    let Some(encoding) = to_encoding(spec) else {
        return refuse("a pre-tokenizer other than one pattern in front of bytes");
    };
    refuse_skipping("a tekken.json", &encoding.pattern)?;
    let reserved = spec.added_tokens.len();
    let mut specials: Vec<&AddedToken> = spec.added_tokens.iter().collect();
    specials.sort_by_key(|token| token.id);
    for (token, id) in specials.iter().zip(0..) {
        if token.id != Some(id) {
            return refuse(&format!(
                "the added token `{}` with its id: there, special tokens have the first ids, here 0 to {}",
                excerpt(&token.content),
                reserved - 1
            ));
        }
    }
    let mut sorted: Vec<&(Vec<u8>, TokenId)> = ranks.iter().collect();
    sorted.sort_by_key(|(_, id)| *id);
    for ((_, id), place) in sorted.iter().zip(reserved as TokenId..) {
        if *id != place {
            return refuse(&format!(
                "ids with gaps: the token after {reserved} special ones has the id {id}, not {place}"
            ));
        }
    }
    if sorted.iter().zip(0..=u8::MAX).any(|((bytes, _), byte)| *bytes != [byte]) {
        return refuse("bytes in another order: there, the first 256 ranks are the bytes 0 to 255 in turn");
    }
    let text = written(&encoding.pattern, &sorted, &specials, pretty);
    let again = from_bytes(text.as_bytes())?;
    // Without a normalizer, matching before or after it is the same.
    let plain = |token: &AddedToken| AddedToken { normalized: false, ..token.clone() };
    let read: Vec<AddedToken> = again.added_tokens.iter().map(plain).collect();
    if spec.truncation.is_some() || spec.padding.is_some() {
        return refuse("truncation or padding");
    }
    refuse_stages("a tekken.json", spec)?;
    match specials.iter().find(|token| !read.contains(&plain(token))) {
        Some(token) => refuse(&format!(
            "the added token `{}`: only plain special tokens stand in it",
            excerpt(&token.content)
        )),
        None => Ok(text),
    }
}

/// The file's text, for tokens and special tokens in the order of their ids.
fn written(pattern: &str, sorted: &[&(Vec<u8>, TokenId)], specials: &[&AddedToken], pretty: bool) -> String {
    let mut writer = Writer::new(if pretty { Layout::Pretty } else { Layout::Compact });
    writer.begin_object();
    writer.key("config");
    writer.begin_object();
    writer.key("pattern");
    writer.string(pattern);
    for (key, number) in [
        ("num_vocab_tokens", sorted.len()),
        ("default_vocab_size", sorted.len() + specials.len()),
        ("default_num_special_tokens", specials.len()),
    ] {
        writer.key(key);
        writer.unsigned(number as u64);
    }
    writer.key("version");
    writer.string("v3");
    writer.end_object();
    writer.key("vocab");
    writer.begin_array();
    for ((bytes, _), rank) in sorted.iter().zip(0..) {
        writer.begin_object();
        writer.key("rank");
        writer.unsigned(rank);
        writer.key("token_bytes");
        writer.string(&base64::encode(bytes));
        writer.key("token_str");
        match std::str::from_utf8(bytes) {
            Ok(text) => writer.string(text),
            Err(_) => writer.null(),
        }
        writer.end_object();
    }
    writer.end_array();
    writer.key("special_tokens");
    writer.begin_array();
    for (token, rank) in specials.iter().zip(0..) {
        writer.begin_object();
        writer.key("rank");
        writer.unsigned(rank);
        writer.key("token_str");
        writer.string(&token.content);
        writer.key("is_control");
        writer.bool(true);
        writer.end_object();
    }
    writer.end_array();
    writer.end_object();
    writer.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(extra: &str, config: &str) -> String {
        let mut vocab: Vec<String> = (0..=255u8)
            .map(|byte| {
                format!(r#"{{"rank":{byte},"token_bytes":"{}","token_str":null}}"#, base64::encode(&[byte]))
            })
            .collect();
        vocab.push(format!(r#"{{"rank":256,"token_bytes":"{}"}}"#, base64::encode(b"ab")));
        vocab.push(format!(r#"{{"rank":257,"token_bytes":"{}"}}"#, base64::encode(b"cd")));
        format!(
            r#"{{{extra}"vocab":[{}],"config":{{"pattern":"\\p{{L}}+|\\P{{L}}",{config}}}}}"#,
            vocab.join(",")
        )
    }

    #[test]
    fn specials_come_first() {
        let text = document(
            r#""special_tokens":[{"rank":1,"token_str":"<s>","is_control":true}],"#,
            r#""default_vocab_size":260,"default_num_special_tokens":3"#,
        );
        let spec = from_bytes(text.as_bytes()).unwrap();
        let ModelSpec::Bpe(bpe) = &spec.model else { panic!("not BPE") };
        assert_eq!((bpe.vocab.id("ab"), bpe.vocab.id("cd"), bpe.vocab.id("a")), (Some(259), None, Some(100)));
        let names: Vec<_> = spec.added_tokens.iter().map(|token| token.content.as_str()).collect();
        assert_eq!(names, ["<SPECIAL_0>", "<s>", "<SPECIAL_2>"]);
    }

    #[test]
    fn there_and_back() {
        let text = document(
            r#""special_tokens":[{"rank":1,"token_str":"<s>","is_control":true}],"#,
            r#""default_vocab_size":261,"default_num_special_tokens":3"#,
        );
        let spec = from_bytes(text.as_bytes()).unwrap();
        let written = to_string(&spec, false).unwrap();
        let again = from_bytes(written.as_bytes()).unwrap();
        assert_eq!(again.added_tokens, spec.added_tokens);
        assert_eq!(to_ranks(&again).unwrap(), to_ranks(&spec).unwrap());
        assert_eq!(again.pre_tokenizer, spec.pre_tokenizer);
        let mut behind = spec.clone();
        behind.added_tokens.push(AddedToken { id: Some(300), ..AddedToken::new("<e>", true) });
        assert!(to_string(&behind, false).unwrap_err().message().contains("`<e>`"));
        let mut normalized = spec.clone();
        normalized.normalizer = Some(tessella_core::spec::NormalizerSpec::Lowercase);
        assert!(to_string(&normalized, false).unwrap_err().message().contains("a normalizer"));
    }

    #[test]
    fn numbers_that_do_not_fit() {
        for config in [
            r#""default_vocab_size":1000,"default_num_special_tokens":3"#,
            r#""default_vocab_size":2,"default_num_special_tokens":3"#,
            r#""default_vocab_size":18446744073709551615,"default_num_special_tokens":18446744073709551615"#,
            r#""default_vocab_size":260"#,
        ] {
            assert!(from_bytes(document("", config).as_bytes()).is_err(), "{config}");
        }
    }
}
