//! All of a description but the model's tables, in one canonical JSON text.
//!
//! What `tokenizer.json` can say is said as there; what only this library knows gets words of its own.

use tessella_core::Result;
use tessella_core::spec::{
    DecoderSpec, Dialect, NormalizerSpec, Pattern, PreTokenizerSpec, SentencePiece, TokenizerSpec,
};

use super::nameless;
use crate::base64;
use crate::hf;
use crate::json::Writer;

fn pattern(writer: &mut Writer, pattern: &Pattern) {
    let (kind, text) = match pattern {
        Pattern::Literal(text) => ("literal", text),
        Pattern::Regex { source, dialect: Dialect::Oniguruma } => ("oniguruma", source),
        Pattern::Regex { source, dialect: Dialect::Fancy } => ("fancy", source),
    };
    writer.string_field(kind, text);
}

fn sequence<T>(writer: &mut Writer, parts: &[T], each: impl Fn(&mut Writer, &T) -> Result<()>) -> Result<()> {
    writer.begin_array();
    for part in parts {
        each(writer, part)?;
    }
    writer.end_array();
    Ok(())
}

fn normalizer(writer: &mut Writer, spec: &NormalizerSpec) -> Result<()> {
    match spec {
        NormalizerSpec::Sequence(parts) => return sequence(writer, parts, normalizer),
        NormalizerSpec::SentencePiece(spec) => {
            writer.begin_object();
            writer.string_field("charsmap", &base64::encode(&spec.charsmap));
            writer.bool_field("add_dummy_prefix", spec.add_dummy_prefix);
            writer.bool_field("remove_extra_whitespaces", spec.remove_extra_whitespaces);
            writer.bool_field("escape_whitespaces", spec.escape_whitespaces);
            writer.bool_field("treat_whitespace_as_suffix", spec.treat_whitespace_as_suffix);
            writer.key("user_defined");
            writer.begin_array();
            spec.user_defined.iter().for_each(|text| writer.string(text));
            writer.end_array();
            writer.end_object();
        }
        NormalizerSpec::Precompiled { charsmap, matching } => {
            writer.begin_object();
            writer.string_field("charsmap", &base64::encode(charsmap));
            writer.unsigned_field("matching", *matching as u64);
            writer.end_object();
        }
        NormalizerSpec::Replace { pattern: what, content } => {
            writer.begin_object();
            pattern(writer, what);
            writer.string_field("content", content);
            writer.end_object();
        }
        NormalizerSpec::Custom(custom) => {
            writer.string(&custom.import_path().ok_or_else(|| nameless("normalizer"))?)
        }
        _ => writer.string(&hf::normalizer_to_json(spec, false)?),
    }
    Ok(())
}

fn pre_tokenizer(writer: &mut Writer, spec: &PreTokenizerSpec) -> Result<()> {
    match spec {
        PreTokenizerSpec::Sequence(parts) => return sequence(writer, parts, pre_tokenizer),
        PreTokenizerSpec::Split { pattern: what, behavior, invert } => {
            writer.begin_object();
            pattern(writer, what);
            writer.unsigned_field("behavior", *behavior as u64);
            writer.bool_field("invert", *invert);
            writer.end_object();
        }
        PreTokenizerSpec::UnicodeScripts { keep_spaces: true } => writer.string("scripts with spaces"),
        PreTokenizerSpec::Custom(custom) => {
            writer.string(&custom.import_path().ok_or_else(|| nameless("pre-tokenizer"))?);
        }
        _ => writer.string(&hf::pre_tokenizer_to_json(spec, false)?),
    }
    Ok(())
}

fn decoder(writer: &mut Writer, spec: &DecoderSpec) -> Result<()> {
    match spec {
        DecoderSpec::Sequence(parts) => return sequence(writer, parts, decoder),
        DecoderSpec::Replace { pattern: what, content } => {
            writer.begin_object();
            pattern(writer, what);
            writer.string_field("content", content);
            writer.end_object();
        }
        // The pieces themselves are hashed as a table.
        DecoderSpec::SentencePiece {
            pieces: _,
            add_dummy_prefix,
            remove_extra_whitespaces,
            treat_whitespace_as_suffix,
            unk_surface,
        } => {
            writer.begin_object();
            writer.bool_field("add_dummy_prefix", *add_dummy_prefix);
            writer.bool_field("remove_extra_whitespaces", *remove_extra_whitespaces);
            writer.bool_field("treat_whitespace_as_suffix", *treat_whitespace_as_suffix);
            writer.string_field("unk_surface", unk_surface);
            writer.end_object();
        }
        DecoderSpec::Custom(custom) => {
            writer.string(&custom.import_path().ok_or_else(|| nameless("decoder"))?)
        }
        _ => writer.string(&hf::decoder_to_json(spec, false)?),
    }
    Ok(())
}

/// Tables of pieces outside of the model.
pub(super) fn piece_tables(spec: &TokenizerSpec) -> Vec<&[SentencePiece]> {
    let mut tables = Vec::new();
    let mut open: Vec<&DecoderSpec> = spec.decoder.iter().collect();
    while let Some(decoder) = open.pop() {
        match decoder {
            DecoderSpec::SentencePiece { pieces, .. } => tables.push(pieces.as_slice()),
            DecoderSpec::Sequence(parts) => open.extend(parts.iter().rev()),
            _ => {}
        }
    }
    tables
}

pub(super) fn write(writer: &mut Writer, spec: &TokenizerSpec) -> Result<()> {
    writer.begin_array();
    match &spec.normalizer {
        Some(part) => normalizer(writer, part)?,
        None => writer.null(),
    }
    match &spec.pre_tokenizer {
        Some(part) => pre_tokenizer(writer, part)?,
        None => writer.null(),
    }
    match &spec.post_processor {
        Some(part) => writer.string(&hf::post_processor_to_json(part, false)?),
        None => writer.null(),
    }
    match &spec.decoder {
        Some(part) => decoder(writer, part)?,
        None => writer.null(),
    }
    // Which added token comes first decides nothing but ids, so they count in the order of their ids.
    let mut added: Vec<_> = spec.added_tokens.iter().collect();
    added.sort_by_key(|token| token.id);
    writer.begin_array();
    for token in added {
        writer.string(&hf::added_token_to_json(token, false)?);
    }
    writer.end_array();
    writer.string(&hf::settings_to_json(spec.truncation.as_ref(), spec.padding.as_ref()));
    writer.end_array();
    Ok(())
}
