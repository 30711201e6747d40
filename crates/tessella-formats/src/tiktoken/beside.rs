//! What a table of ranks lacks, in a file of its own: `NAME.tiktoken.json` beside `NAME.tiktoken`.
//!
//! ```json
//! {"pattern": "\\w+|\\W", "special_tokens": {"<|end|>": 300}, "ranks_sha256": "5f3c…"}
//! ```
//!
//! Other libraries read the table as ever, and are given the rest by their callers. The checksum makes sure that the two still
//! belong together.

use std::path::{Path, PathBuf};

use tessella_core::error::excerpt;
use tessella_core::{Error, Result, TokenId, TokenizerSpec};

use super::{Encoding, NAMES, encoding, from_ranks, named, read_ranks, to_encoding};
use crate::atomic;
use crate::fingerprint::sha256_hex;
use crate::formats::Written;
use crate::json::{Layout, Node, Parser, Writer};

/// Added to the name of the table.
const ENDING: &str = ".json";
const FIELDS: [&str; 3] = ["pattern", "special_tokens", "ranks_sha256"];

fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(ENDING);
    name.into()
}

/// The encoding that the name of a file stands for, for so many ranks.
fn by_name(path: &Path, ranks: usize) -> Option<Encoding> {
    named(path.file_stem()?.to_str()?, ranks)
}

/// Reads a table with what the caller says, what stands beside it, or what its name stands for, in this order.
pub fn read(
    path: &Path,
    ranks: &[u8],
    pattern: Option<&str>,
    specials: Option<&[(String, TokenId)]>,
) -> Result<TokenizerSpec> {
    let table = read_ranks(ranks)?;
    let found = match pattern {
        Some(pattern) => encoding(pattern, specials, table.len())?,
        None => {
            let found = match read_beside(path, ranks)? {
                Some(found) => found,
                None => by_name(path, table.len()).ok_or_else(|| {
                    Error::value(format!(
                        "a table of ranks says nothing about how text is cut: give the pattern, or the name of a known \
                         encoding ({})",
                        NAMES.join(", ")
                    ))
                })?,
            };
            Encoding { special_tokens: specials.map_or(found.special_tokens, <[_]>::to_vec), ..found }
        }
    };
    from_ranks(table, &found)
}

fn read_beside(path: &Path, ranks: &[u8]) -> Result<Option<Encoding>> {
    let path = beside(path);
    if !atomic::is_there(&path) {
        return Ok(None);
    }
    let content = atomic::read(&path)?;
    parse(&content, ranks).map(Some).map_err(|error| error.at(path.display().to_string()))
}

fn parse(content: &[u8], ranks: &[u8]) -> Result<Encoding> {
    let mut parser = Parser::from_bytes(content)?;
    let value = parser.value()?;
    parser.end()?;
    let root = Node::new(&value, "$");
    root.must_be_object()?;
    let expected = root.required(FIELDS[2])?;
    if expected.str()? != sha256_hex(ranks) {
        return expected.fail(
            "this describes another table of ranks than the one beside it: get the two files that belong together, or \
             pass `pattern` and `special_tokens`",
        );
    }
    let mut special_tokens = Vec::new();
    for (text, id) in root.required(FIELDS[1])?.entries()? {
        special_tokens.push((text.to_string(), id.u32()?));
    }
    Ok(Encoding { pattern: root.string_field(FIELDS[0])?, special_tokens })
}

/// A table for a file of this name, with a second file unless the name says all.
pub fn write(path: &Path, spec: &TokenizerSpec, lines: String) -> Result<Written> {
    let Some(encoding) = to_encoding(spec) else {
        refuse!(Unsupported, "only one pattern in front of bytes can stand beside a table of ranks");
    };
    let same = |other: &Encoding| {
        let sorted = |encoding: &Encoding| {
            let mut tokens = encoding.special_tokens.clone();
            tokens.sort();
            tokens
        };
        encoding.pattern == other.pattern && sorted(&encoding) == sorted(other)
    };
    if by_name(path, lines.lines().count()).is_some_and(|known| same(&known)) {
        return Ok(Written::new(lines).with_beside(ENDING, None));
    }
    let mut writer = Writer::new(Layout::Pretty);
    writer.begin_object();
    writer.string_field(FIELDS[0], &encoding.pattern);
    writer.key(FIELDS[1]);
    writer.begin_object();
    for (text, id) in &encoding.special_tokens {
        writer.unsigned_field(text, u64::from(*id));
    }
    writer.end_object();
    writer.string_field(FIELDS[2], &sha256_hex(lines.as_bytes()));
    writer.end_object();
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let specials = match encoding.special_tokens.len() {
        0 => "the pattern is".to_string(),
        1 => format!("the pattern and the special token `{}` are", excerpt(&encoding.special_tokens[0].0)),
        many => format!("the pattern and {many} special tokens are"),
    };
    let notice = format!(
        "{name} holds ranks and nothing else: {specials} in {name}{ENDING}, where tessella.load finds what is needed; other \
         libraries must be given it"
    );
    Ok(Written::new(lines)
        .with_beside(ENDING, Some((writer.finish() + "\n").into_bytes()))
        .with_notice(notice))
}
