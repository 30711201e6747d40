//! All of a description but the model's tables, in one canonical JSON text.
//!
//! What `tokenizer.json` can say is said as there; what only this library knows gets words of its own.

use tessella_core::Result;
use tessella_core::spec::described::Slot;
use tessella_core::spec::{DecoderSpec, Dialect, Pattern, SentencePiece, TokenizerSpec};

use super::nameless;
use crate::base64;
use crate::hf::{self, Section};
use crate::json::Writer;

fn pattern(writer: &mut Writer, pattern: &Pattern) {
    let (kind, text) = match pattern {
        Pattern::Literal(text) => ("literal", text),
        Pattern::Regex { source, dialect: Dialect::Oniguruma } => ("oniguruma", source),
        Pattern::Regex { source, dialect: Dialect::Fancy } => ("fancy", source),
    };
    writer.string_field(kind, text);
}

/// A component, or `null`; `what` is for the message about one without a name.
fn stage<S: Section>(writer: &mut Writer, spec: Option<&S>, what: &str) -> Result<()> {
    let Some(spec) = spec else {
        writer.null();
        return Ok(());
    };
    if let Some(path) = spec.import_path() {
        writer.string(&path.ok_or_else(|| nameless(what))?);
        return Ok(());
    }
    match spec.clone().parts() {
        Ok(parts) => {
            writer.begin_array();
            parts.iter().try_for_each(|part| stage(writer, Some(part), what))?;
            writer.end_array();
        }
        Err(mut own) => match own_words(&mut own) {
            OwnWords::None => writer.string(&hf::component_to_json(spec, false)?),
            OwnWords::Spaces => writer.string("scripts with spaces"),
            OwnWords::Fields => fields(writer, &mut own),
        },
    }
    Ok(())
}

/// What tells components apart that are the same in `tokenizer.json`, or cannot be there.
enum OwnWords {
    None,
    Spaces,
    Fields,
}

fn own_words<S: Section>(spec: &mut S) -> OwnWords {
    for field in spec.fields() {
        match field.slot {
            Slot::Pattern(_) | Slot::Bytes(_) | Slot::Pieces(_) => return OwnWords::Fields,
            Slot::Flag(true) if field.name == "keep_spaces" => return OwnWords::Spaces,
            _ => {}
        }
    }
    OwnWords::None
}

/// The names are those of the first fingerprints, which must stay.
fn fields<S: Section>(writer: &mut Writer, spec: &mut S) {
    writer.begin_object();
    for field in spec.fields() {
        let name = field.name.trim_start_matches("precompiled_");
        match field.slot {
            Slot::Pattern(what) => pattern(writer, what),
            // It came later: what does not have it is what it was.
            Slot::Flag(false) if name == "blanks_before_words" => {}
            Slot::Flag(flag) => writer.bool_field(name, *flag),
            Slot::Bytes(bytes) => writer.string_field(name, &base64::encode(bytes)),
            Slot::Behavior(behavior) => writer.unsigned_field(name, *behavior as u64),
            Slot::Matching(matching) => writer.unsigned_field(name, *matching as u64),
            Slot::Texts(texts) => {
                writer.key(name);
                writer.begin_array();
                texts.iter().for_each(|text| writer.string(text));
                writer.end_array();
            }
            // The rules count, and not what they are called.
            Slot::Text(text) if name != "name" => writer.string_field(name, text),
            // The pieces themselves are hashed as a table.
            _ => {}
        }
    }
    writer.end_object();
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
    stage(writer, spec.normalizer.as_ref(), "normalizer")?;
    stage(writer, spec.pre_tokenizer.as_ref(), "pre-tokenizer")?;
    match &spec.post_processor {
        Some(part) => writer.string(&hf::component_to_json(part, false)?),
        None => writer.null(),
    }
    stage(writer, spec.decoder.as_ref(), "decoder")?;
    // Which added token comes first decides nothing but ids, so they count in the order of their ids.
    let mut added: Vec<_> = spec.added_tokens.iter().collect();
    added.sort_by_key(|token| token.id);
    writer.begin_array();
    for token in added {
        writer.string(&hf::added_token_to_json(token)?);
    }
    writer.end_array();
    writer.string(&hf::settings_to_json(spec.truncation.as_ref(), spec.padding.as_ref()));
    writer.end_array();
    Ok(())
}
