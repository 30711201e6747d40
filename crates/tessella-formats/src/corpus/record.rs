//! One JSON line: the text under one key.

use tessella_core::{Error, Result};

use crate::json::{Kind, Parser};

/// What a line holds.
pub(super) enum Record {
    Text(String),
    /// `null` in place of a text.
    Null,
    /// Nothing but blanks.
    Blank,
}

/// What a line holds; of a repeated key the last counts.
///
/// `unescaped` is a buffer that serves many lines.
pub(super) fn text(line: &str, field: &str, unescaped: &mut String) -> Result<Record> {
    if line.trim_matches(['\u{feff}', ' ', '\t', '\r', '\n']).is_empty() {
        return Ok(Record::Blank);
    }
    let mut parser = Parser::new(line);
    let kind = parser.peek()?;
    if kind != Kind::Object {
        refuse!(Format, "the line holds {}, expected an object with the key `{field}`", describe(kind));
    }
    let (mut found, mut text, mut others) = (false, None, Vec::new());
    parser.begin_object()?;
    while let Some(key) = parser.next_key()? {
        if key != field {
            if !found && others.len() < SHOWN {
                others.push(format!("`{key}`"));
            }
            parser.skip()?;
            continue;
        }
        found = true;
        text = match parser.peek()? {
            Kind::String => Some(match parser.string_in(unescaped)? {
                Some(text) => text.to_string(),
                None => unescaped.clone(),
            }),
            Kind::Null => {
                parser.skip()?;
                None
            }
            kind => {
                let found = describe(kind);
                return Err(Error::format(format!("the value of `{field}` is {found}, expected a string")));
            }
        };
    }
    parser.end()?;
    if !found {
        let keys = if others.is_empty() { "no keys".to_string() } else { others.join(", ") };
        refuse!(Format, "the line has no `{field}`, it has {keys}: name the key that holds the text");
    }
    Ok(text.map_or(Record::Null, Record::Text))
}

/// Keys that an error message tells.
const SHOWN: usize = 8;

fn describe(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Bool => "true or false",
        Kind::Number => "a number",
        Kind::String => "a string",
        Kind::Array => "an array",
        Kind::Object => "an object",
    }
}
