//! Writing the `model` section: small fields first, then the tables in id order.

use std::collections::HashSet;

use tessella_core::error::excerpt;
use tessella_core::spec::{BpeSpec, Described, Merges, ModelSpec, Tables, UnigramSpec, Vocab};
use tessella_core::{Error, Result, TokenId};

use super::components::write_fields;
use crate::concat_rank;
use crate::json::Writer;

pub(super) fn write(writer: &mut Writer, spec: &ModelSpec) -> Result<()> {
    match spec.tables() {
        Tables::Vocab(vocab) => write_plain(writer, spec, vocab),
        Tables::Merges(bpe) => write_bpe(writer, bpe),
        Tables::Scores(model) => write_unigram(writer, model),
        Tables::Pieces(_) => Err(Error::unsupported(super::expressible::SENTENCEPIECE_OBSTACLE)),
    }
}

/// A model that has a vocabulary and settings. The reference library writes the settings of WordPiece first.
fn write_plain(writer: &mut Writer, spec: &ModelSpec, vocab: &Vocab) -> Result<()> {
    let is_last = matches!(spec, ModelSpec::WordPiece(_));
    writer.begin_object();
    writer.string_field("type", spec.kind());
    if !is_last {
        write_vocab(writer, vocab);
    }
    write_fields(writer, &mut spec.clone(), false)?;
    if is_last {
        write_vocab(writer, vocab);
    }
    writer.end_object();
    Ok(())
}

/// All entries by id. Where two texts share an id the one that names it comes last, as in the vocabulary.
fn write_vocab(writer: &mut Writer, vocab: &Vocab) {
    let mut entries: Vec<(&str, TokenId)> = vocab.iter().collect();
    entries.sort_by_key(|&(text, id)| (id, vocab.text(id) == Some(text)));
    writer.key("vocab");
    writer.begin_object();
    for (text, id) in entries {
        if writer.is_full() {
            break;
        }
        writer.unsigned_field(text, id as u64);
    }
    writer.end_object();
}

fn write_bpe(writer: &mut Writer, bpe: &BpeSpec) -> Result<()> {
    let restated;
    let (pairs, ignore_merges) = match &bpe.merges {
        Merges::Pairs(pairs) => (pairs.as_slice(), bpe.ignore_merges),
        Merges::ConcatRank => {
            restated = concat_rank::pairs(bpe)?;
            (restated.as_slice(), true)
        }
    };
    writer.begin_object();
    writer.string_field("type", "BPE");
    let mut settings = ModelSpec::Bpe(BpeSpec { ignore_merges, ..bpe.clone() });
    write_fields(writer, &mut settings, false)?;
    write_vocab(writer, &bpe.vocab);
    writer.key("merges");
    writer.begin_array();
    for (left, right) in last_of_duplicates(pairs) {
        if writer.is_full() {
            break;
        }
        writer.begin_array();
        for id in [left, right] {
            match bpe.vocab.text(id) {
                Some(text) => writer.string(text),
                None => {
                    refuse!(Model, "a merge uses the id {id}, which the vocabulary does not name");
                }
            }
        }
        writer.end_array();
    }
    writer.end_array();
    writer.end_object();
    Ok(())
}

/// The last rank of a duplicate pair counts, so only that one is written.
fn last_of_duplicates(pairs: &[(TokenId, TokenId)]) -> Vec<(TokenId, TokenId)> {
    let mut seen = HashSet::with_capacity(pairs.len());
    let mut kept: Vec<_> = pairs.iter().rev().copied().filter(|pair| seen.insert(*pair)).collect();
    kept.reverse();
    kept
}

fn write_unigram(writer: &mut Writer, model: &UnigramSpec) -> Result<()> {
    writer.begin_object();
    writer.string_field("type", "Unigram");
    writer.key("unk_id");
    match model.unk_id {
        Some(id) => writer.unsigned(id as u64),
        None => writer.null(),
    }
    writer.key("vocab");
    writer.begin_array();
    for (text, score) in model.vocab.iter() {
        if writer.is_full() {
            break;
        }
        if !score.is_finite() {
            return Err(Error::unsupported(format!(
                "JSON has no way to write the score {score} of the piece `{}`",
                excerpt(text)
            )));
        }
        writer.begin_array();
        writer.string(text);
        writer.score(*score);
        writer.end_array();
    }
    writer.end_array();
    writer.bool_field("byte_fallback", model.byte_fallback);
    writer.end_object();
    Ok(())
}
