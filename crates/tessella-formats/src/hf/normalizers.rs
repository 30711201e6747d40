//! The `normalizer` section.

use tessella_core::spec::{CharsmapMatching, NormalizerSpec};
use tessella_core::{Error, Result};

use super::{Resolver, custom, pattern, tag, unknown_shape, unknown_tag, write_custom};
use crate::base64;
use crate::json::{Node, Writer};

const KNOWN: [&str; 15] = [
    "BertNormalizer",
    "Strip",
    "StripAccents",
    "NFC",
    "NFD",
    "NFKC",
    "NFKD",
    "Sequence",
    "Lowercase",
    "Nmt",
    "Precompiled",
    "Replace",
    "Prepend",
    "ByteLevel",
    "Custom",
];

/// What a component without `type` is, told by the fields that only it has.
fn by_shape(node: &Node<'_>) -> Result<&'static str> {
    Ok(if node.has("clean_text") {
        "BertNormalizer"
    } else if node.has("strip_left") {
        "Strip"
    } else if node.has("normalizers") {
        "Sequence"
    } else if node.has("precompiled_charsmap") {
        "Precompiled"
    } else if node.has("pattern") && node.has("content") {
        "Replace"
    } else if node.has("prepend") {
        "Prepend"
    } else {
        return unknown_shape(node, &KNOWN);
    })
}

pub(super) fn read(node: &Node<'_>, resolver: Resolver<'_>) -> Result<NormalizerSpec> {
    let kind = match tag(node)? {
        Some(kind) => kind,
        None => by_shape(node)?,
    };
    Ok(match kind {
        "BertNormalizer" | "Bert" => NormalizerSpec::Bert {
            clean_text: node.bool_field("clean_text")?,
            handle_chinese_chars: node.bool_field("handle_chinese_chars")?,
            strip_accents: node.field("strip_accents").map(|flag| flag.bool()).transpose()?,
            lowercase: node.bool_field("lowercase")?,
        },
        "Strip" | "StripNormalizer" => NormalizerSpec::Strip {
            left: node.bool_field("strip_left")?,
            right: node.bool_field("strip_right")?,
        },
        "StripAccents" => NormalizerSpec::StripAccents,
        "NFC" => NormalizerSpec::Nfc,
        "NFD" => NormalizerSpec::Nfd,
        "NFKC" => NormalizerSpec::Nfkc,
        "NFKD" => NormalizerSpec::Nfkd,
        "Lowercase" => NormalizerSpec::Lowercase,
        "Nmt" => NormalizerSpec::Nmt,
        "ByteLevel" => NormalizerSpec::ByteLevel,
        "Sequence" => NormalizerSpec::Sequence(
            node.required("normalizers")?
                .items()?
                .map(|item| read(&item, resolver))
                .collect::<Result<_>>()?,
        ),
        "Precompiled" => {
            let field = node.required("precompiled_charsmap")?;
            match base64::decode(field.str()?.as_bytes()) {
                Ok(charsmap) => NormalizerSpec::Precompiled {
                    charsmap: charsmap.into(),
                    matching: CharsmapMatching::Grapheme,
                },
                Err(reason) => return field.fail(format!("the character map is not base64: it {reason}")),
            }
        }
        "Replace" => NormalizerSpec::Replace {
            pattern: pattern::read(&node.required("pattern")?)?,
            content: node.string_field("content")?,
        },
        "Prepend" => NormalizerSpec::Prepend { prepend: node.string_field("prepend")? },
        "Custom" => {
            let (path, resolver) = custom(node, resolver)?;
            NormalizerSpec::Custom(resolver.normalizer(path)?)
        }
        _ => return unknown_tag(node, &KNOWN),
    })
}

pub(super) fn write(writer: &mut Writer, spec: &NormalizerSpec) -> Result<()> {
    let plain = |writer: &mut Writer, kind: &str| {
        writer.begin_object();
        writer.string_field("type", kind);
        writer.end_object();
        Ok(())
    };
    match spec {
        NormalizerSpec::StripAccents => return plain(writer, "StripAccents"),
        NormalizerSpec::Nfc => return plain(writer, "NFC"),
        NormalizerSpec::Nfd => return plain(writer, "NFD"),
        NormalizerSpec::Nfkc => return plain(writer, "NFKC"),
        NormalizerSpec::Nfkd => return plain(writer, "NFKD"),
        NormalizerSpec::Lowercase => return plain(writer, "Lowercase"),
        NormalizerSpec::Nmt => return plain(writer, "Nmt"),
        NormalizerSpec::ByteLevel => return plain(writer, "ByteLevel"),
        NormalizerSpec::Custom(custom) => return write_custom(writer, "Normalizer", custom.import_path()),
        NormalizerSpec::SentencePiece(_) => {
            return Err(Error::unsupported(
                "tokenizer.json cannot express SentencePiece's own normalizer (longest-match character map, \
                 trimmed and collapsed white space, protected user-defined symbols); save as a SentencePiece \
                 model instead",
            ));
        }
        NormalizerSpec::Precompiled { matching: CharsmapMatching::LongestMatch, .. } => {
            return Err(Error::unsupported(
                "tokenizer.json cannot express a character map that is applied by longest match; readers of \
                 this format apply it by grapheme",
            ));
        }
        _ => {}
    }
    writer.begin_object();
    match spec {
        NormalizerSpec::Bert { clean_text, handle_chinese_chars, strip_accents, lowercase } => {
            writer.string_field("type", "BertNormalizer");
            writer.bool_field("clean_text", *clean_text);
            writer.bool_field("handle_chinese_chars", *handle_chinese_chars);
            writer.key("strip_accents");
            match strip_accents {
                Some(flag) => writer.bool(*flag),
                None => writer.null(),
            }
            writer.bool_field("lowercase", *lowercase);
        }
        NormalizerSpec::Strip { left, right } => {
            writer.string_field("type", "Strip");
            writer.bool_field("strip_left", *left);
            writer.bool_field("strip_right", *right);
        }
        NormalizerSpec::Precompiled { charsmap, .. } => {
            writer.string_field("type", "Precompiled");
            writer.string_field("precompiled_charsmap", &base64::encode(charsmap));
        }
        NormalizerSpec::Replace { pattern, content } => {
            writer.string_field("type", "Replace");
            writer.key("pattern");
            pattern::write(writer, pattern)?;
            writer.string_field("content", content);
        }
        NormalizerSpec::Prepend { prepend } => {
            writer.string_field("type", "Prepend");
            writer.string_field("prepend", prepend);
        }
        NormalizerSpec::Sequence(parts) => {
            writer.string_field("type", "Sequence");
            writer.key("normalizers");
            writer.begin_array();
            for part in parts {
                write(writer, part)?;
            }
            writer.end_array();
        }
        // Written above.
        NormalizerSpec::StripAccents
        | NormalizerSpec::Nfc
        | NormalizerSpec::Nfd
        | NormalizerSpec::Nfkc
        | NormalizerSpec::Nfkd
        | NormalizerSpec::Lowercase
        | NormalizerSpec::Nmt
        | NormalizerSpec::ByteLevel
        | NormalizerSpec::SentencePiece(_)
        | NormalizerSpec::Custom(_) => {}
    }
    writer.end_object();
    Ok(())
}
