//! The `pre_tokenizer` section.

use tessella_core::spec::{PreTokenizerSpec, SplitBehavior};
use tessella_core::{Error, Result};

use super::{Resolver, custom, pattern, tag, unknown_shape, unknown_tag, write_custom};
use crate::json::{Node, Writer};

const KNOWN: [&str; 13] = [
    "BertPreTokenizer",
    "ByteLevel",
    "CharDelimiterSplit",
    "Metaspace",
    "Whitespace",
    "Sequence",
    "Split",
    "Punctuation",
    "WhitespaceSplit",
    "Digits",
    "UnicodeScripts",
    "FixedLength",
    "Custom",
];

fn by_shape(node: &Node<'_>) -> Result<&'static str> {
    Ok(if node.has("replacement") {
        "Metaspace"
    } else if node.has("trim_offsets") {
        "ByteLevel"
    } else if node.has("delimiter") {
        "CharDelimiterSplit"
    } else if node.has("pretokenizers") {
        "Sequence"
    } else if node.has("pattern") && node.has("behavior") {
        "Split"
    } else if node.has("behavior") {
        "Punctuation"
    } else if node.has("individual_digits") {
        "Digits"
    } else if node.has("length") {
        "FixedLength"
    } else {
        return unknown_shape(node, &KNOWN);
    })
}

pub(super) fn read(node: &Node<'_>, resolver: Resolver<'_>) -> Result<PreTokenizerSpec> {
    let kind = match tag(node)? {
        Some(kind) => kind,
        None => by_shape(node)?,
    };
    Ok(match kind {
        "BertPreTokenizer" => PreTokenizerSpec::Bert,
        "ByteLevel" => {
            let (add_prefix_space, trim_offsets, use_regex) = pattern::read_byte_level(node)?;
            PreTokenizerSpec::ByteLevel { add_prefix_space, trim_offsets, use_regex }
        }
        "CharDelimiterSplit" | "Delimiter" => {
            PreTokenizerSpec::CharDelimiter { delimiter: node.required("delimiter")?.char()? }
        }
        "Metaspace" => {
            let (replacement, prepend, split) = pattern::read_metaspace(node)?;
            PreTokenizerSpec::Metaspace { replacement, prepend, split }
        }
        "Whitespace" => PreTokenizerSpec::Whitespace,
        "WhitespaceSplit" => PreTokenizerSpec::WhitespaceSplit,
        "UnicodeScripts" => {
            PreTokenizerSpec::UnicodeScripts { keep_spaces: node.bool_or("keep_spaces", false)? }
        }
        "Digits" => PreTokenizerSpec::Digits { individual: node.bool_field("individual_digits")? },
        "FixedLength" => PreTokenizerSpec::FixedLength {
            length: node.field("length").map_or(Ok(5), |length| length.usize())?,
        },
        "Punctuation" => PreTokenizerSpec::Punctuation {
            behavior: match node.field("behavior") {
                Some(behavior) => pattern::read_behavior(&behavior)?,
                None => SplitBehavior::Isolated,
            },
        },
        "Split" => PreTokenizerSpec::Split {
            pattern: pattern::read(&node.required("pattern")?)?,
            behavior: pattern::read_behavior(&node.required("behavior")?)?,
            invert: node.bool_field("invert")?,
        },
        "Sequence" => PreTokenizerSpec::Sequence(
            node.required("pretokenizers")?
                .items()?
                .map(|item| read(&item, resolver))
                .collect::<Result<_>>()?,
        ),
        "Custom" => {
            let (path, resolver) = custom(node, resolver)?;
            PreTokenizerSpec::Custom(resolver.pre_tokenizer(path)?)
        }
        _ => return unknown_tag(node, &KNOWN),
    })
}

pub(super) fn write(writer: &mut Writer, spec: &PreTokenizerSpec) -> Result<()> {
    match spec {
        PreTokenizerSpec::Custom(custom) => {
            return write_custom(writer, "PreTokenizer", custom.import_path());
        }
        PreTokenizerSpec::ByteLevel { add_prefix_space, trim_offsets, use_regex } => {
            pattern::write_byte_level(writer, (*add_prefix_space, *trim_offsets, *use_regex));
            return Ok(());
        }
        PreTokenizerSpec::Metaspace { replacement, prepend, split } => {
            pattern::write_metaspace(writer, *replacement, *prepend, *split);
            return Ok(());
        }
        PreTokenizerSpec::UnicodeScripts { keep_spaces: true } => {
            return Err(Error::unsupported(
                "tokenizer.json cannot express UnicodeScripts that keep leading blanks; readers of this format \
                 lose them (use keep_spaces=False to save)",
            ));
        }
        _ => {}
    }
    writer.begin_object();
    match spec {
        PreTokenizerSpec::Bert => writer.string_field("type", "BertPreTokenizer"),
        PreTokenizerSpec::Whitespace => writer.string_field("type", "Whitespace"),
        PreTokenizerSpec::WhitespaceSplit => writer.string_field("type", "WhitespaceSplit"),
        PreTokenizerSpec::UnicodeScripts { .. } => writer.string_field("type", "UnicodeScripts"),
        PreTokenizerSpec::CharDelimiter { delimiter } => {
            writer.string_field("type", "CharDelimiterSplit");
            writer.string_field("delimiter", delimiter.encode_utf8(&mut [0; 4]));
        }
        PreTokenizerSpec::Digits { individual } => {
            writer.string_field("type", "Digits");
            writer.bool_field("individual_digits", *individual);
        }
        PreTokenizerSpec::FixedLength { length } => {
            writer.string_field("type", "FixedLength");
            writer.unsigned_field("length", *length as u64);
        }
        PreTokenizerSpec::Punctuation { behavior } => {
            writer.string_field("type", "Punctuation");
            writer.string_field("behavior", pattern::behavior_name(*behavior));
        }
        PreTokenizerSpec::Split { pattern, behavior, invert } => {
            writer.string_field("type", "Split");
            writer.key("pattern");
            pattern::write(writer, pattern)?;
            writer.string_field("behavior", pattern::behavior_name(*behavior));
            writer.bool_field("invert", *invert);
        }
        PreTokenizerSpec::Sequence(parts) => {
            writer.string_field("type", "Sequence");
            writer.key("pretokenizers");
            writer.begin_array();
            for part in parts {
                write(writer, part)?;
            }
            writer.end_array();
        }
        // Written above.
        PreTokenizerSpec::ByteLevel { .. }
        | PreTokenizerSpec::Metaspace { .. }
        | PreTokenizerSpec::Custom(_) => {}
    }
    writer.end_object();
    Ok(())
}
