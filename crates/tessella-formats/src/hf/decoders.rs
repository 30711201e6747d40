//! The `decoder` section.

use tessella_core::spec::DecoderSpec;
use tessella_core::{Error, Result};

use super::{Resolver, custom, pattern, tag, unknown_shape, unknown_tag, write_custom};
use crate::json::{Node, Writer};

const KNOWN: [&str; 11] = [
    "BPEDecoder",
    "ByteLevel",
    "WordPiece",
    "Metaspace",
    "CTC",
    "Sequence",
    "Replace",
    "Fuse",
    "Strip",
    "ByteFallback",
    "Custom",
];

fn by_shape(node: &Node<'_>) -> Result<&'static str> {
    Ok(if node.has("suffix") {
        "BPEDecoder"
    } else if node.has("replacement") {
        "Metaspace"
    } else if node.has("trim_offsets") {
        "ByteLevel"
    } else if node.has("pad_token") {
        "CTC"
    } else if node.has("prefix") && node.has("cleanup") {
        "WordPiece"
    } else if node.has("decoders") {
        "Sequence"
    } else if node.has("pattern") && node.has("content") {
        "Replace"
    } else if node.has("content") && node.has("start") {
        "Strip"
    } else {
        return unknown_shape(node, &KNOWN);
    })
}

pub(super) fn read(node: &Node<'_>, resolver: Resolver<'_>) -> Result<DecoderSpec> {
    let kind = match tag(node)? {
        Some(kind) => kind,
        None => by_shape(node)?,
    };
    Ok(match kind {
        "BPEDecoder" => DecoderSpec::Bpe { suffix: node.string_field("suffix")? },
        "ByteLevel" => {
            let (add_prefix_space, trim_offsets, use_regex) = pattern::read_byte_level(node)?;
            DecoderSpec::ByteLevel { add_prefix_space, trim_offsets, use_regex }
        }
        "WordPiece" => DecoderSpec::WordPiece {
            prefix: node.string_field("prefix")?,
            cleanup: node.bool_field("cleanup")?,
        },
        "Metaspace" => {
            let (replacement, prepend, split) = pattern::read_metaspace(node)?;
            DecoderSpec::Metaspace { replacement, prepend, split }
        }
        "CTC" => DecoderSpec::Ctc {
            pad_token: node.string_field("pad_token")?,
            word_delimiter_token: node.string_field("word_delimiter_token")?,
            cleanup: node.bool_field("cleanup")?,
        },
        "Replace" => DecoderSpec::Replace {
            pattern: pattern::read(&node.required("pattern")?)?,
            content: node.string_field("content")?,
        },
        "Fuse" => DecoderSpec::Fuse,
        "Strip" => DecoderSpec::Strip {
            content: node.required("content")?.char()?,
            start: node.required("start")?.usize()?,
            stop: node.required("stop")?.usize()?,
        },
        "ByteFallback" => DecoderSpec::ByteFallback,
        "Sequence" => DecoderSpec::Sequence(
            node.required("decoders")?.items()?.map(|item| read(&item, resolver)).collect::<Result<_>>()?,
        ),
        "Custom" => {
            let (path, resolver) = custom(node, resolver)?;
            DecoderSpec::Custom(resolver.decoder(path)?)
        }
        _ => return unknown_tag(node, &KNOWN),
    })
}

pub(super) fn write(writer: &mut Writer, spec: &DecoderSpec) -> Result<()> {
    match spec {
        DecoderSpec::Custom(custom) => return write_custom(writer, "Decoder", custom.import_path()),
        DecoderSpec::SentencePiece { .. } => {
            return Err(Error::unsupported(
                "tokenizer.json cannot express SentencePiece's own decoding (by the type of each piece); save \
                 as a SentencePiece model instead",
            ));
        }
        DecoderSpec::ByteLevel { add_prefix_space, trim_offsets, use_regex } => {
            pattern::write_byte_level(writer, (*add_prefix_space, *trim_offsets, *use_regex));
            return Ok(());
        }
        DecoderSpec::Metaspace { replacement, prepend, split } => {
            pattern::write_metaspace(writer, *replacement, *prepend, *split);
            return Ok(());
        }
        _ => {}
    }
    writer.begin_object();
    match spec {
        DecoderSpec::Fuse => writer.string_field("type", "Fuse"),
        DecoderSpec::ByteFallback => writer.string_field("type", "ByteFallback"),
        DecoderSpec::Bpe { suffix } => {
            writer.string_field("type", "BPEDecoder");
            writer.string_field("suffix", suffix);
        }
        DecoderSpec::WordPiece { prefix, cleanup } => {
            writer.string_field("type", "WordPiece");
            writer.string_field("prefix", prefix);
            writer.bool_field("cleanup", *cleanup);
        }
        DecoderSpec::Ctc { pad_token, word_delimiter_token, cleanup } => {
            writer.string_field("type", "CTC");
            writer.string_field("pad_token", pad_token);
            writer.string_field("word_delimiter_token", word_delimiter_token);
            writer.bool_field("cleanup", *cleanup);
        }
        DecoderSpec::Replace { pattern, content } => {
            writer.string_field("type", "Replace");
            writer.key("pattern");
            pattern::write(writer, pattern)?;
            writer.string_field("content", content);
        }
        DecoderSpec::Strip { content, start, stop } => {
            writer.string_field("type", "Strip");
            writer.string_field("content", content.encode_utf8(&mut [0; 4]));
            writer.unsigned_field("start", *start as u64);
            writer.unsigned_field("stop", *stop as u64);
        }
        DecoderSpec::Sequence(parts) => {
            writer.string_field("type", "Sequence");
            writer.key("decoders");
            writer.begin_array();
            for part in parts {
                write(writer, part)?;
            }
            writer.end_array();
        }
        // Written above.
        DecoderSpec::ByteLevel { .. }
        | DecoderSpec::Metaspace { .. }
        | DecoderSpec::SentencePiece { .. }
        | DecoderSpec::Custom(_) => {}
    }
    writer.end_object();
    Ok(())
}
