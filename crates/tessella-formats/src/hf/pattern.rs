//! `{"String": ...}` and `{"Regex": ...}`, and the names of split behaviours and prepend schemes.

use tessella_core::Result;
use tessella_core::spec::{Dialect, Pattern, PrependScheme, SplitBehavior};

use super::dialect::fancy_to_oniguruma;
use crate::json::{Node, Writer};

pub(super) fn read(node: &Node<'_>) -> Result<Pattern> {
    let mut entries = node.entries()?;
    match (entries.next(), entries.next()) {
        (Some(("String", text)), None) => Ok(Pattern::Literal(text.str()?.to_string())),
        (Some(("Regex", text)), None) => {
            Ok(Pattern::Regex { source: text.str()?.to_string(), dialect: Dialect::Oniguruma })
        }
        _ => node.fail("expected a pattern: {\"String\": text} or {\"Regex\": expression}"),
    }
}

pub(super) fn write(writer: &mut Writer, pattern: &Pattern) -> Result<()> {
    writer.begin_object();
    match pattern {
        Pattern::Literal(text) => writer.string_field("String", text),
        Pattern::Regex { source, dialect: Dialect::Oniguruma } => writer.string_field("Regex", source),
        Pattern::Regex { source, dialect: Dialect::Fancy } => {
            writer.string_field("Regex", &fancy_to_oniguruma(source)?);
        }
    }
    writer.end_object();
    Ok(())
}

const BEHAVIORS: [(&str, SplitBehavior); 5] = [
    ("Removed", SplitBehavior::Removed),
    ("Isolated", SplitBehavior::Isolated),
    ("MergedWithPrevious", SplitBehavior::MergedWithPrevious),
    ("MergedWithNext", SplitBehavior::MergedWithNext),
    ("Contiguous", SplitBehavior::Contiguous),
];

pub(super) fn read_behavior(node: &Node<'_>) -> Result<SplitBehavior> {
    node.one_of(&BEHAVIORS)
}

pub(super) fn behavior_name(behavior: SplitBehavior) -> &'static str {
    match behavior {
        SplitBehavior::Removed => "Removed",
        SplitBehavior::Isolated => "Isolated",
        SplitBehavior::MergedWithPrevious => "MergedWithPrevious",
        SplitBehavior::MergedWithNext => "MergedWithNext",
        SplitBehavior::Contiguous => "Contiguous",
    }
}

const SCHEMES: [(&str, PrependScheme); 3] =
    [("always", PrependScheme::Always), ("first", PrependScheme::First), ("never", PrependScheme::Never)];

/// The three fields of a metaspace: replacement, scheme, split.
///
/// Files of 2020 to 2022 say `add_prefix_space` instead of naming a scheme.
pub(super) fn read_metaspace(node: &Node<'_>) -> Result<(char, PrependScheme, bool)> {
    let replacement = node.required("replacement")?.char()?;
    let named = node.field("prepend_scheme").map(|scheme| scheme.one_of(&SCHEMES)).transpose()?;
    let prepend = if node.bool_or("add_prefix_space", true)? {
        named.unwrap_or(PrependScheme::Always)
    } else {
        PrependScheme::Never
    };
    Ok((replacement, prepend, node.bool_or("split", true)?))
}

pub(super) fn write_metaspace(writer: &mut Writer, replacement: char, prepend: PrependScheme, split: bool) {
    writer.begin_object();
    writer.string_field("type", "Metaspace");
    writer.string_field("replacement", replacement.encode_utf8(&mut [0; 4]));
    let scheme = match prepend {
        PrependScheme::Always => "always",
        PrependScheme::First => "first",
        PrependScheme::Never => "never",
    };
    writer.string_field("prepend_scheme", scheme);
    writer.bool_field("split", split);
    writer.end_object();
}

/// The three flags of a byte-level component: prefix space, trimmed offsets, expression.
pub(super) fn read_byte_level(node: &Node<'_>) -> Result<(bool, bool, bool)> {
    Ok((
        node.bool_field("add_prefix_space")?,
        node.bool_field("trim_offsets")?,
        node.bool_or("use_regex", true)?,
    ))
}

pub(super) fn write_byte_level(writer: &mut Writer, flags: (bool, bool, bool)) {
    writer.begin_object();
    writer.string_field("type", "ByteLevel");
    writer.bool_field("add_prefix_space", flags.0);
    writer.bool_field("trim_offsets", flags.1);
    writer.bool_field("use_regex", flags.2);
    writer.end_object();
}
