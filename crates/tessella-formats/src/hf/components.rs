//! Components as sections of the document, read and written by their [descriptions](tessella_core::spec::described).
//!
//! What the document has no words for has an *obstacle*, which writing tells. Pickles need words for it all the same: in the *exact*
//! form, which nobody else reads, components of SentencePiece's rules and patterns of another dialect are written too.

use tessella_core::error::excerpt;
use tessella_core::spec::described::{Field, Slot};
use tessella_core::spec::{Described, PieceKind, PrependScheme, SentencePiece, SplitBehavior};
use tessella_core::{Error, Result};

use super::{CustomResolver, Reading, Resolver, pattern, template};
use crate::base64;
use crate::json::{Node, Writer};

/// Finds a component of a user's own by its import path.
pub type Find<S> = fn(&str, &dyn CustomResolver) -> Result<S>;

/// What the document says about a stage besides its components' descriptions.
pub trait Stage: Described {
    /// What a sequence calls its parts.
    const PARTS: &'static str;
    /// Old files leave `type` out: fields that tell the kind, of which the first fit counts.
    const SHAPES: &'static [(&'static [&'static str], &'static str)];
    /// How users' own components are found, where the stage has such.
    const CUSTOM: Option<Find<Self>>;

    /// Why the document cannot hold this component.
    fn obstacle(&self) -> Option<&'static str>;
}

/// The kind that the document does not know, in any stage.
const OURS: &str = "SentencePiece";
/// Fields that only the exact form writes; readers of the document do what the defaults say.
const OUR_FIELDS: [&str; 2] = ["matching", "keep_spaces"];

/// What the document calls a field.
fn called(name: &'static str) -> &'static str {
    match name {
        "left" => "strip_left",
        "right" => "strip_right",
        name => name,
    }
}

/// The names of all fields of a stage.
pub(super) fn field_names<S: Stage>() -> Vec<&'static str> {
    let known = S::KINDS.iter().filter(|&&kind| kind != OURS).filter_map(|kind| S::blank(kind));
    let mut names: Vec<&str> = known
        .flat_map(|mut spec| spec.fields().iter().map(|field| called(field.name)).collect::<Vec<_>>())
        .filter(|&name| name != OUR_FIELDS[0])
        .collect();
    names.push(S::PARTS);
    names
}

fn known<S: Stage>() -> Vec<&'static str> {
    let kinds = S::KINDS.iter().copied().filter(|&kind| kind != OURS);
    kinds.chain(["Sequence"]).chain(S::CUSTOM.map(|_| "Custom")).collect()
}

fn by_shape<S: Stage>(node: &Node<'_>) -> Result<&'static str> {
    match S::SHAPES.iter().find(|(fields, _)| fields.iter().all(|field| node.has(field))) {
        Some((_, kind)) => Ok(kind),
        None => node.fail(format!(
            "the component has no `type` and its fields fit none of those that may leave it out; known types: {}",
            known::<S>().join(", ")
        )),
    }
}

pub(super) fn read<S: Stage>(node: &Node<'_>, reading: Reading<'_>) -> Result<S> {
    node.must_be_object()?;
    let kind = match node.field("type") {
        Some(tag) => tag.str()?,
        None => by_shape::<S>(node)?,
    };
    match (kind, S::CUSTOM) {
        ("Sequence", _) => {
            let parts = node.required(S::PARTS)?.items()?;
            return Ok(S::sequence(parts.map(|item| read(&item, reading)).collect::<Result<_>>()?));
        }
        ("Custom", Some(find)) => return custom(node, reading.resolver, find),
        _ => {}
    }
    let Some(mut spec) = S::blank(kind).filter(|_| reading.exact || kind != OURS) else {
        return node.required("type")?.unknown(&known::<S>());
    };
    for field in spec.fields() {
        if reading.exact || field.name != OUR_FIELDS[0] {
            read_field(node, field, reading)?;
        }
    }
    Ok(spec)
}

/// The import path in `{"type": "Custom", "path": ...}` leads to the component.
fn custom<S>(node: &Node<'_>, resolver: Resolver<'_>, find: Find<S>) -> Result<S> {
    let path = node.required("path")?.str()?;
    match resolver {
        Some(resolver) => find(path, resolver),
        None => node.fail(format!(
            "the custom component `{}` can only be loaded where it can be imported; load the file with a \
             resolver for custom components",
            excerpt(path)
        )),
    }
}

/// A setting of a model.
pub(super) fn read_setting(node: &Node<'_>, field: Field<'_>) -> Result<()> {
    read_field(node, field, Reading { exact: false, resolver: None })
}

fn read_field(node: &Node<'_>, field: Field<'_>, reading: Reading<'_>) -> Result<()> {
    let key = called(field.name);
    if let Slot::Scheme(scheme) = field.slot {
        *scheme = read_scheme(node)?;
        return Ok(());
    }
    let Some(value) = (if field.required { Some(node.required(key)?) } else { node.field(key) }) else {
        return Ok(());
    };
    match field.slot {
        Slot::Flag(flag) => *flag = value.bool()?,
        Slot::MaybeFlag(flag) => *flag = Some(value.bool()?),
        Slot::Number(number) => *number = value.usize()?,
        Slot::Text(text) => *text = value.str()?.to_string(),
        Slot::Texts(texts) => {
            *texts = value.items()?.map(|text| Ok(text.str()?.to_string())).collect::<Result<_>>()?
        }
        Slot::Character(character) => *character = value.char()?,
        Slot::Bytes(bytes) => match base64::decode(value.str()?.as_bytes()) {
            Ok(decoded) => *bytes = decoded.into(),
            Err(reason) => return value.fail(format!("the character map is not base64: it {reason}")),
        },
        Slot::Pattern(what) => *what = pattern::read(&value, reading.exact)?,
        Slot::Behavior(behavior) => *behavior = value.one_of(&BEHAVIORS)?,
        Slot::Matching(matching) => *matching = value.one_of(&pattern::MATCHINGS)?,
        Slot::Token(token) => *token = template::read_token(&value)?,
        Slot::Template(pieces) => *pieces = template::read_pieces(&value)?,
        Slot::Specials(specials) => *specials = template::read_specials(&value)?,
        Slot::Pieces(pieces) => {
            *pieces =
                std::sync::Arc::new(value.items()?.map(|piece| read_piece(&piece)).collect::<Result<_>>()?);
        }
        Slot::Scheme(_) => {}
        Slot::MaybeNumber(number) => *number = Some(value.usize()?),
        Slot::MaybeReal(number) => *number = Some(value.f64()?),
        Slot::MaybeText(text) => *text = Some(value.str()?.to_string()),
        Slot::Probability(share) => {
            let found = value.f64()?;
            if !(0.0..=1.0).contains(&found) {
                let message = format!("the {} {found} must be between 0 and 1, inclusive", field.name);
                return value.fail(message);
            }
            *share = Some(found as f32);
        }
    }
    Ok(())
}

const BEHAVIORS: [(&str, SplitBehavior); 5] = [
    ("Removed", SplitBehavior::Removed),
    ("Isolated", SplitBehavior::Isolated),
    ("MergedWithPrevious", SplitBehavior::MergedWithPrevious),
    ("MergedWithNext", SplitBehavior::MergedWithNext),
    ("Contiguous", SplitBehavior::Contiguous),
];
const SCHEMES: [(&str, PrependScheme); 3] =
    [("always", PrependScheme::Always), ("first", PrependScheme::First), ("never", PrependScheme::Never)];

/// Files of 2020 to 2022 say `add_prefix_space` instead of naming a scheme.
fn read_scheme(node: &Node<'_>) -> Result<PrependScheme> {
    let named = node.field("prepend_scheme").map(|scheme| scheme.one_of(&SCHEMES)).transpose()?;
    Ok(match node.bool_or("add_prefix_space", true)? {
        true => named.unwrap_or(PrependScheme::Always),
        false => PrependScheme::Never,
    })
}

fn name_of<T: PartialEq>(names: &[(&'static str, T)], value: &T) -> &'static str {
    names.iter().find(|(_, known)| known == value).map_or("", |(name, _)| name)
}

const PIECE_KINDS: [PieceKind; 6] = [
    PieceKind::Normal,
    PieceKind::Unknown,
    PieceKind::Control,
    PieceKind::UserDefined,
    PieceKind::Unused,
    PieceKind::Byte,
];

/// A text, the bits of its score, its kind.
fn read_piece(node: &Node<'_>) -> Result<SentencePiece> {
    let [text, score, kind] = node.exactly()?;
    match PIECE_KINDS.get(kind.usize()?) {
        Some(&known) => Ok(SentencePiece {
            text: text.str()?.to_string(),
            score: f32::from_bits(score.u32()?),
            kind: known,
        }),
        None => kind.fail("there are six kinds of pieces, from 0 to 5"),
    }
}

pub(super) fn write<S: Stage>(writer: &mut Writer, spec: &S, exact: bool) -> Result<()> {
    match (spec.import_path(), spec.obstacle()) {
        (Some(path), _) => return write_custom(writer, S::TITLE, path),
        (None, Some(obstacle)) if !exact => return Err(Error::unsupported(obstacle)),
        _ => {}
    }
    writer.begin_object();
    writer.string_field("type", spec.kind());
    match spec.clone().parts() {
        Ok(parts) => {
            writer.key(S::PARTS);
            writer.begin_array();
            parts.iter().try_for_each(|part| write(writer, part, exact))?;
            writer.end_array();
        }
        Err(mut spec) => write_fields(writer, &mut spec, exact)?,
    }
    writer.end_object();
    Ok(())
}

/// The fields of a component, or the settings of a model.
pub(super) fn write_fields<S: Described>(writer: &mut Writer, spec: &mut S, exact: bool) -> Result<()> {
    spec.fields().into_iter().try_for_each(|field| write_field(writer, field, exact))
}

fn write_field(writer: &mut Writer, field: Field<'_>, exact: bool) -> Result<()> {
    if !exact && OUR_FIELDS.contains(&field.name) {
        return Ok(());
    }
    writer.key(called(field.name));
    match field.slot {
        Slot::Flag(flag) | Slot::MaybeFlag(Some(flag)) => writer.bool(*flag),
        Slot::Number(number) | Slot::MaybeNumber(Some(number)) => writer.unsigned(*number as u64),
        Slot::Probability(Some(number)) => writer.f32(*number),
        Slot::MaybeReal(Some(number)) => writer.f64(*number),
        Slot::Text(text) | Slot::MaybeText(Some(text)) => writer.string(text),
        Slot::MaybeFlag(None) | Slot::MaybeNumber(None) | Slot::Probability(None) => writer.null(),
        Slot::MaybeReal(None) | Slot::MaybeText(None) => writer.null(),
        Slot::Texts(texts) => {
            writer.begin_array();
            texts.iter().for_each(|text| writer.string(text));
            writer.end_array();
        }
        Slot::Character(character) => writer.string(character.encode_utf8(&mut [0; 4])),
        Slot::Bytes(bytes) => writer.string(&base64::encode(bytes)),
        Slot::Pattern(what) => pattern::write(writer, what, exact)?,
        Slot::Behavior(behavior) => writer.string(name_of(&BEHAVIORS, behavior)),
        Slot::Scheme(scheme) => writer.string(name_of(&SCHEMES, scheme)),
        Slot::Matching(matching) => writer.string(name_of(&pattern::MATCHINGS, matching)),
        Slot::Token(token) => template::write_token(writer, token),
        Slot::Template(pieces) => template::write_pieces(writer, pieces),
        Slot::Specials(specials) => template::write_specials(writer, specials),
        Slot::Pieces(pieces) => {
            writer.begin_array();
            for piece in pieces.iter() {
                writer.begin_array();
                writer.string(&piece.text);
                writer.unsigned(piece.score.to_bits().into());
                writer.unsigned(piece.kind as u64);
                writer.end_array();
            }
            writer.end_array();
        }
    }
    Ok(())
}

fn write_custom(writer: &mut Writer, kind: &str, import_path: Option<String>) -> Result<()> {
    let Some(path) = import_path else {
        return Err(Error::unsupported(format!(
            "Custom {kind} cannot be serialized: it has no import path; define its class at the top level of \
             an importable module (not in `__main__` or inside of a function), and without attributes of its own, \
             so that it can be made again"
        )));
    };
    writer.begin_object();
    writer.string_field("type", "Custom");
    writer.string_field("path", &path);
    writer.end_object();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hf::{Section, component_to_json, exact, from_exact};
    use tessella_core::spec::{DecoderSpec, NormalizerSpec, PostProcessorSpec, PreTokenizerSpec};

    /// Every kind comes back from the exact form, and from the document's unless that says why it cannot hold it.
    fn comes_back<S: Stage + Section + PartialEq + std::fmt::Debug>() {
        for kind in S::KINDS {
            let mut spec = S::blank(kind).unwrap();
            assert_eq!(spec.kind(), *kind);
            let again: S = from_exact(&exact(&spec).unwrap(), None).unwrap();
            assert_eq!(again, spec);
            if spec.obstacle().is_none() {
                let read: S =
                    crate::hf::component_from_json(&component_to_json(&spec, true).unwrap(), None).unwrap();
                assert_eq!(read, spec);
            }
            let names: std::collections::HashSet<&str> =
                spec.fields().iter().map(|field| field.name).collect();
            assert_eq!(names.len(), spec.fields().len(), "{kind} has two fields of one name");
        }
    }

    #[test]
    fn every_component_that_is_described_comes_back() {
        comes_back::<NormalizerSpec>();
        comes_back::<PreTokenizerSpec>();
        comes_back::<PostProcessorSpec>();
        comes_back::<DecoderSpec>();
    }
}
