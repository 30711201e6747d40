//! `{"String": ...}` and `{"Regex": ...}`; in the exact form `{"Fancy": ...}` too, for the dialect of tables of ranks.

use tessella_core::Result;
use tessella_core::spec::{CharsmapMatching, Dialect, Pattern};

use super::dialect::fancy_to_oniguruma;
use crate::json::{Node, Writer};

pub(super) const MATCHINGS: [(&str, CharsmapMatching); 2] =
    [("grapheme", CharsmapMatching::Grapheme), ("longest_match", CharsmapMatching::LongestMatch)];

pub(super) fn read(node: &Node<'_>, exact: bool) -> Result<Pattern> {
    let mut entries = node.entries()?;
    match (entries.next(), entries.next()) {
        (Some(("String", text)), None) => Ok(Pattern::Literal(text.str()?.to_string())),
        (Some(("Regex", text)), None) => {
            Ok(Pattern::Regex { source: text.str()?.to_string(), dialect: Dialect::Oniguruma })
        }
        (Some(("Fancy", text)), None) if exact => {
            Ok(Pattern::Regex { source: text.str()?.to_string(), dialect: Dialect::Fancy })
        }
        _ => node.fail("expected a pattern: {\"String\": text} or {\"Regex\": expression}"),
    }
}

pub(super) fn write(writer: &mut Writer, pattern: &Pattern, exact: bool) -> Result<()> {
    writer.begin_object();
    match pattern {
        Pattern::Literal(text) => writer.string_field("String", text),
        Pattern::Regex { source, dialect: Dialect::Oniguruma } => writer.string_field("Regex", source),
        Pattern::Regex { source, dialect: Dialect::Fancy } if exact => writer.string_field("Fancy", source),
        Pattern::Regex { source, dialect: Dialect::Fancy } => {
            writer.string_field("Regex", &fancy_to_oniguruma(source)?);
        }
    }
    writer.end_object();
    Ok(())
}
