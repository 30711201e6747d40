//! The `post_processor` section.

use tessella_core::spec::{PostProcessorSpec, Template, TemplatePiece, TemplateSpecial};
use tessella_core::{Result, TokenId};

use super::{pattern, tag, unknown_shape, unknown_tag};
use crate::json::{Node, Writer};

const KNOWN: [&str; 5] =
    ["BertProcessing", "RobertaProcessing", "ByteLevel", "TemplateProcessing", "Sequence"];

fn by_shape(node: &Node<'_>) -> Result<&'static str> {
    Ok(if node.has("sep") && node.has("trim_offsets") {
        "RobertaProcessing"
    } else if node.has("sep") {
        "BertProcessing"
    } else if node.has("trim_offsets") {
        "ByteLevel"
    } else if node.has("single") {
        "TemplateProcessing"
    } else if node.has("processors") {
        "Sequence"
    } else {
        return unknown_shape(node, &KNOWN);
    })
}

/// `["[SEP]", 102]`
fn read_special(node: &Node<'_>) -> Result<(String, TokenId)> {
    let [token, id] = node.exactly()?;
    Ok((token.str()?.to_string(), id.u32()?))
}

pub(super) fn read(node: &Node<'_>) -> Result<PostProcessorSpec> {
    let kind = match tag(node)? {
        Some(kind) => kind,
        None => by_shape(node)?,
    };
    Ok(match kind {
        "BertProcessing" => PostProcessorSpec::Bert {
            sep: read_special(&node.required("sep")?)?,
            cls: read_special(&node.required("cls")?)?,
        },
        // The tag decides, also where a file leaves the two flags out.
        "RobertaProcessing" => PostProcessorSpec::Roberta {
            sep: read_special(&node.required("sep")?)?,
            cls: read_special(&node.required("cls")?)?,
            trim_offsets: node.bool_or("trim_offsets", true)?,
            add_prefix_space: node.bool_or("add_prefix_space", true)?,
        },
        "ByteLevel" => {
            let (add_prefix_space, trim_offsets, use_regex) = pattern::read_byte_level(node)?;
            PostProcessorSpec::ByteLevel { add_prefix_space, trim_offsets, use_regex }
        }
        "TemplateProcessing" => PostProcessorSpec::Template(Template {
            single: read_pieces(&node.required("single")?)?,
            pair: read_pieces(&node.required("pair")?)?,
            special_tokens: node
                .required("special_tokens")?
                .entries()?
                .map(|(key, special)| read_template_special(key, &special))
                .collect::<Result<_>>()?,
        }),
        "Sequence" => PostProcessorSpec::Sequence(
            node.required("processors")?.items()?.map(|item| read(&item)).collect::<Result<_>>()?,
        ),
        _ => return unknown_tag(node, &KNOWN),
    })
}

fn read_pieces(node: &Node<'_>) -> Result<Vec<TemplatePiece>> {
    node.items()?.map(|item| read_piece(&item)).collect()
}

fn read_piece(node: &Node<'_>) -> Result<TemplatePiece> {
    let mut entries = node.entries()?;
    match (entries.next(), entries.next()) {
        (Some(("Sequence", piece)), None) => Ok(TemplatePiece::Sequence {
            second: piece.required("id")?.one_of(&[("A", false), ("B", true)])?,
            type_id: piece.required("type_id")?.u32()?,
        }),
        (Some(("SpecialToken", piece)), None) => Ok(TemplatePiece::Special {
            id: piece.string_field("id")?,
            type_id: piece.required("type_id")?.u32()?,
        }),
        _ => node.fail(
            "expected a template piece: {\"Sequence\": {\"id\", \"type_id\"}} or {\"SpecialToken\": {\"id\", \
             \"type_id\"}}",
        ),
    }
}

/// Templates look specials up by the key of the table.
fn read_template_special(key: &str, node: &Node<'_>) -> Result<TemplateSpecial> {
    node.required("id")?.str()?;
    Ok(TemplateSpecial {
        id: key.to_string(),
        ids: node.required("ids")?.items()?.map(|id| id.u32()).collect::<Result<_>>()?,
        tokens: node
            .required("tokens")?
            .items()?
            .map(|token| Ok(token.str()?.to_string()))
            .collect::<Result<_>>()?,
    })
}

fn write_special(writer: &mut Writer, key: &str, special: &(String, TokenId)) {
    writer.key(key);
    writer.begin_array();
    writer.string(&special.0);
    writer.unsigned(special.1 as u64);
    writer.end_array();
}

fn write_pieces(writer: &mut Writer, key: &str, pieces: &[TemplatePiece]) {
    writer.key(key);
    writer.begin_array();
    for piece in pieces {
        let (kind, id, type_id) = match piece {
            TemplatePiece::Sequence { second, type_id } => {
                ("Sequence", if *second { "B" } else { "A" }, type_id)
            }
            TemplatePiece::Special { id, type_id } => ("SpecialToken", id.as_str(), type_id),
        };
        writer.begin_object();
        writer.key(kind);
        writer.begin_object();
        writer.string_field("id", id);
        writer.unsigned_field("type_id", *type_id as u64);
        writer.end_object();
        writer.end_object();
    }
    writer.end_array();
}

fn write_template(writer: &mut Writer, template: &Template) {
    write_pieces(writer, "single", &template.single);
    write_pieces(writer, "pair", &template.pair);
    writer.key("special_tokens");
    writer.begin_object();
    let mut specials: Vec<&TemplateSpecial> = template.special_tokens.iter().collect();
    specials.sort_by(|a, b| a.id.cmp(&b.id));
    for special in specials {
        writer.key(&special.id);
        writer.begin_object();
        writer.string_field("id", &special.id);
        writer.key("ids");
        writer.begin_array();
        special.ids.iter().for_each(|&id| writer.unsigned(id as u64));
        writer.end_array();
        writer.key("tokens");
        writer.begin_array();
        special.tokens.iter().for_each(|token| writer.string(token));
        writer.end_array();
        writer.end_object();
    }
    writer.end_object();
}

pub(super) fn write(writer: &mut Writer, spec: &PostProcessorSpec) {
    if let PostProcessorSpec::ByteLevel { add_prefix_space, trim_offsets, use_regex } = spec {
        pattern::write_byte_level(writer, (*add_prefix_space, *trim_offsets, *use_regex));
        return;
    }
    writer.begin_object();
    match spec {
        PostProcessorSpec::Bert { sep, cls } => {
            writer.string_field("type", "BertProcessing");
            write_special(writer, "sep", sep);
            write_special(writer, "cls", cls);
        }
        PostProcessorSpec::Roberta { sep, cls, trim_offsets, add_prefix_space } => {
            writer.string_field("type", "RobertaProcessing");
            write_special(writer, "sep", sep);
            write_special(writer, "cls", cls);
            writer.bool_field("trim_offsets", *trim_offsets);
            writer.bool_field("add_prefix_space", *add_prefix_space);
        }
        PostProcessorSpec::Template(template) => {
            writer.string_field("type", "TemplateProcessing");
            write_template(writer, template);
        }
        PostProcessorSpec::Sequence(parts) => {
            writer.string_field("type", "Sequence");
            writer.key("processors");
            writer.begin_array();
            parts.iter().for_each(|part| write(writer, part));
            writer.end_array();
        }
        // Written above.
        PostProcessorSpec::ByteLevel { .. } => {}
    }
    writer.end_object();
}
