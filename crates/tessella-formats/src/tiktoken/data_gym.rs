//! The first form of GPT-2's vocabulary: merges in `vocab.bpe`, ids in `encoder.json`, both in the byte-level
//! alphabet.
//!
//! Ranks follow from the merges alone: the 256 bytes first, printable ones before the others, then one token
//! per merge. `encoder.json` must say the same; two special tokens that it also lists are passed over.

use std::collections::HashMap;

use tessella_core::error::excerpt;
use tessella_core::pretokenize::byte_alphabet::{BYTE_TO_CHAR, alphabet_to_bytes};
use tessella_core::{Error, Result, TokenId, TokenizerSpec};

use super::{Encoding, from_ranks};
use crate::json::{Node, Parser};

/// Tokens of `encoder.json` that are no ranks.
const NOT_RANKS: [&str; 2] = ["<|endoftext|>", "<|startoftext|>"];

/// Reads both files.
pub fn read_ranks(vocab_bpe: &[u8], encoder_json: &[u8]) -> Result<Vec<(Vec<u8>, TokenId)>> {
    let text = std::str::from_utf8(vocab_bpe).map_err(|error| {
        Error::format("vocab.bpe must be UTF-8").at(format!("byte {}", error.valid_up_to()))
    })?;
    // Printable bytes stand for themselves; the others follow in ascending order.
    let printable = |byte: &u8| BYTE_TO_CHAR[*byte as usize] as u32 == *byte as u32;
    let bytes = (0..=u8::MAX).filter(printable).chain((0..=u8::MAX).filter(|byte| !printable(byte)));
    let mut ranks: Vec<(Vec<u8>, TokenId)> = bytes.map(|byte| vec![byte]).zip(0..).collect();
    for (number, line) in text.lines().enumerate().skip(1) {
        if line.is_empty() {
            continue;
        }
        let bytes = match line.split_once(' ') {
            Some((left, right)) if !right.contains(' ') => alphabet_to_bytes(&format!("{left}{right}")),
            _ => None,
        };
        match bytes {
            Some(bytes) => ranks.push((bytes, ranks.len() as TokenId)),
            None => {
                return Err(Error::format(format!(
                    "found `{}`, expected two tokens of the byte-level alphabet with one space between them",
                    excerpt(line)
                ))
                .at(format!("vocab.bpe line {}", number + 1)));
            }
        }
    }
    check(&ranks, encoder_json)?;
    Ok(ranks)
}

/// Compares the ranks with what `encoder.json` says.
fn check(ranks: &[(Vec<u8>, TokenId)], encoder_json: &[u8]) -> Result<()> {
    let mut parser = Parser::from_bytes(encoder_json)?;
    let value = parser.value()?;
    parser.end()?;
    let mut known: HashMap<&[u8], TokenId> = ranks.iter().map(|(bytes, rank)| (&bytes[..], *rank)).collect();
    for (text, node) in Node::new(&value, "encoder.json").entries()? {
        let id = node.u32()?;
        if NOT_RANKS.contains(&text) {
            continue;
        }
        let rank = alphabet_to_bytes(text).and_then(|bytes| known.remove(&bytes[..]));
        if rank != Some(id) {
            return node.fail(match rank {
                Some(rank) => format!("the id is {id}, but the merges of vocab.bpe give {rank}"),
                None => "no merge of vocab.bpe makes this token".to_string(),
            });
        }
    }
    match known.values().min() {
        None => Ok(()),
        Some(rank) => {
            Err(Error::format(format!("encoder.json lacks {} tokens, the first of rank {rank}", known.len())))
        }
    }
}

/// Reads both files into a description.
pub fn from_bytes(vocab_bpe: &[u8], encoder_json: &[u8], encoding: &Encoding) -> Result<TokenizerSpec> {
    from_ranks(&read_ranks(vocab_bpe, encoder_json)?.into_iter().collect(), encoding)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merges_and_ids_agree() {
        let bytes: Vec<u8> = (33..=126u8).chain(161..=172).chain(174..=255).collect();
        let rest: Vec<u8> = (0..=255u8).filter(|byte| !bytes.contains(byte)).collect();
        let mut entries: Vec<String> = Vec::new();
        for (id, byte) in bytes.iter().chain(&rest).enumerate() {
            let text = BYTE_TO_CHAR[*byte as usize].to_string().replace('\\', "\\\\").replace('"', "\\\"");
            entries.push(format!("\"{text}\":{id}"));
        }
        entries.push("\"Ġt\":256".into());
        entries.push("\"<|endoftext|>\":257".into());
        let encoder = format!("{{{}}}", entries.join(","));
        let ranks = read_ranks("#version: 0.2\nĠ t\n".as_bytes(), encoder.as_bytes()).unwrap();
        assert_eq!(ranks.last(), Some(&(b" t".to_vec(), 256)));
        for (bpe, encoder) in [
            ("#version: 0.2\nĠ t\nĠ a\n", encoder.clone()),
            ("#version: 0.2\nĠt\n", encoder.clone()),
            ("#version: 0.2\nĠ t\n", encoder.replace(":256", ":300")),
            ("#version: 0.2\nĠ t\n", encoder.replace("Ġt", "Ġtt")),
        ] {
            assert!(read_ranks(bpe.as_bytes(), encoder.as_bytes()).is_err());
        }
    }
}
