//! JSON, read and written without a detour.
//!
//! Two ways in: [`Parser`] pulls one value after the other out of a text (large tables are never built as
//! trees), and [`Value`] is the tree for small sections. [`Node`] walks a tree and knows its JSON path, so
//! that every complaint about content says where: `$.pre_tokenizer.pretokenizers[1].behavior`. Complaints
//! about syntax carry line and column. What large tables mostly hold has a short way (`plain`) within the parser. [`Writer`] is the way out, compact or indented.
//!
//! Nothing here recurses on the input's depth; deeper nesting than [`MAX_DEPTH`] is refused.

mod node;
mod number;
mod parser;
mod plain;
mod value;
mod writer;

pub use node::{Node, key_path};
pub use number::read_score;
use number::{format_real, write_real, write_score};
pub use parser::{Kind, MAX_DEPTH, Parser};
pub use plain::Plain;
pub use value::{Number, Value};
pub use writer::{Layout, Writer};
