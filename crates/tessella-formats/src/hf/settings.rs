//! Truncation, padding and added tokens.

use tessella_core::Result;
use tessella_core::spec::{AddedToken, Direction, Padding, Truncation, TruncationStrategy};

use crate::json::{Node, Writer};

const DIRECTIONS: [(&str, Direction); 2] = [("Left", Direction::Left), ("Right", Direction::Right)];

const STRATEGIES: [(&str, TruncationStrategy); 3] = [
    ("LongestFirst", TruncationStrategy::LongestFirst),
    ("OnlyFirst", TruncationStrategy::OnlyFirst),
    ("OnlySecond", TruncationStrategy::OnlySecond),
];

fn direction_name(direction: Direction) -> &'static str {
    match direction {
        Direction::Left => "Left",
        Direction::Right => "Right",
    }
}

pub(super) fn read_truncation(node: &Node<'_>) -> Result<Truncation> {
    Ok(Truncation {
        max_length: node.required("max_length")?.usize()?,
        stride: node.required("stride")?.usize()?,
        strategy: node.required("strategy")?.one_of(&STRATEGIES)?,
        direction: match node.field("direction") {
            Some(direction) => direction.one_of(&DIRECTIONS)?,
            None => Direction::Right,
        },
    })
}

/// Both settings, as fields of the document.
pub(super) fn write(writer: &mut Writer, truncation: Option<&Truncation>, padding: Option<&Padding>) {
    writer.key("truncation");
    match truncation {
        Some(truncation) => write_truncation(writer, truncation),
        None => writer.null(),
    }
    writer.key("padding");
    match padding {
        Some(padding) => write_padding(writer, padding),
        None => writer.null(),
    }
}

fn write_truncation(writer: &mut Writer, truncation: &Truncation) {
    writer.begin_object();
    writer.string_field("direction", direction_name(truncation.direction));
    writer.unsigned_field("max_length", truncation.max_length as u64);
    let strategy = match truncation.strategy {
        TruncationStrategy::LongestFirst => "LongestFirst",
        TruncationStrategy::OnlyFirst => "OnlyFirst",
        TruncationStrategy::OnlySecond => "OnlySecond",
    };
    writer.string_field("strategy", strategy);
    writer.unsigned_field("stride", truncation.stride as u64);
    writer.end_object();
}

pub(super) fn read_padding(node: &Node<'_>) -> Result<Padding> {
    let strategy = node.required("strategy")?;
    let fixed_length = match strategy.field("Fixed") {
        Some(length) => Some(length.usize()?),
        None if strategy.value.as_str() == Some("BatchLongest") => None,
        None => return strategy.unknown(&["\"BatchLongest\"", "{\"Fixed\": length}"]),
    };
    Ok(Padding {
        fixed_length,
        direction: node.required("direction")?.one_of(&DIRECTIONS)?,
        pad_to_multiple_of: node.field("pad_to_multiple_of").map(|multiple| multiple.usize()).transpose()?,
        pad_id: node.required("pad_id")?.u32()?,
        pad_type_id: node.required("pad_type_id")?.u32()?,
        pad_token: node.string_field("pad_token")?,
    })
}

fn write_padding(writer: &mut Writer, padding: &Padding) {
    writer.begin_object();
    writer.key("strategy");
    match padding.fixed_length {
        None => writer.string("BatchLongest"),
        Some(length) => {
            writer.begin_object();
            writer.unsigned_field("Fixed", length as u64);
            writer.end_object();
        }
    }
    writer.string_field("direction", direction_name(padding.direction));
    writer.key("pad_to_multiple_of");
    match padding.pad_to_multiple_of {
        None => writer.null(),
        Some(multiple) => writer.unsigned(multiple as u64),
    }
    writer.unsigned_field("pad_id", padding.pad_id as u64);
    writer.unsigned_field("pad_type_id", padding.pad_type_id as u64);
    writer.string_field("pad_token", &padding.pad_token);
    writer.end_object();
}

/// An added token; its id may be missing where it stands alone.
pub(super) fn read_added_token(node: &Node<'_>) -> Result<AddedToken> {
    node.must_be_object()?;
    Ok(AddedToken {
        id: node.field("id").map(|id| id.u32()).transpose()?,
        content: node.string_field("content")?,
        single_word: node.bool_field("single_word")?,
        lstrip: node.bool_field("lstrip")?,
        rstrip: node.bool_field("rstrip")?,
        normalized: node.bool_field("normalized")?,
        special: node.bool_field("special")?,
    })
}

/// The list of a document, where every token has an id.
pub(super) fn read_added_tokens(node: &Node<'_>) -> Result<Vec<AddedToken>> {
    node.items()?
        .map(|item| {
            item.required("id")?.u32()?;
            read_added_token(&item)
        })
        .collect()
}

pub(super) fn write_added_token(writer: &mut Writer, token: &AddedToken) {
    writer.begin_object();
    if let Some(id) = token.id {
        writer.unsigned_field("id", id as u64);
    }
    writer.string_field("content", &token.content);
    writer.bool_field("single_word", token.single_word);
    writer.bool_field("lstrip", token.lstrip);
    writer.bool_field("rstrip", token.rstrip);
    writer.bool_field("normalized", token.normalized);
    writer.bool_field("special", token.special);
    writer.end_object();
}
