//! Special tokens and templates of post-processors.

use tessella_core::spec::{TemplatePiece, TemplateSpecial};
use tessella_core::{Result, TokenId};

use crate::json::{Node, Writer};

/// `["[SEP]", 102]`
pub(super) fn read_token(node: &Node<'_>) -> Result<(String, TokenId)> {
    let [token, id] = node.exactly()?;
    Ok((token.str()?.to_string(), id.u32()?))
}

pub(super) fn write_token(writer: &mut Writer, (token, id): &(String, TokenId)) {
    writer.begin_array();
    writer.string(token);
    writer.unsigned((*id).into());
    writer.end_array();
}

pub(super) fn read_pieces(node: &Node<'_>) -> Result<Vec<TemplatePiece>> {
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

pub(super) fn read_specials(node: &Node<'_>) -> Result<Vec<TemplateSpecial>> {
    node.entries()?.map(|(key, special)| read_special(key, &special)).collect()
}

/// Templates look specials up by the key of the table.
fn read_special(key: &str, node: &Node<'_>) -> Result<TemplateSpecial> {
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

pub(super) fn write_pieces(writer: &mut Writer, pieces: &[TemplatePiece]) {
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

/// By name, as the table is sorted there.
pub(super) fn write_specials(writer: &mut Writer, specials: &[TemplateSpecial]) {
    writer.begin_object();
    let mut specials: Vec<&TemplateSpecial> = specials.iter().collect();
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
