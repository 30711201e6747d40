//! Unicode tables, pinned per source of truth, each with the recipe that generates it.

pub mod categories;
pub mod scripts;
mod scripts_table;
pub mod word;
mod word_table;
