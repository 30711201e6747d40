//! Case-insensitive matching where one character folds to several.
//!
//! Oniguruma matches `(?i:ss)` against U+00DF and the other way round. Such patterns are left to it: this
//! module only finds them. Simple foldings (one to one) are resolved into sets by the parser.

use super::fold_table::SEQUENCES;
use super::set::{self, CharSet};
use super::syntax::Node;

/// The longest sequence that one character folds to.
const LONGEST: usize = 3;

/// Whether some character of the set folds to a sequence.
pub fn has_sequence(set: &CharSet) -> bool {
    SEQUENCES.iter().any(|(c, _)| set::contains(set, *c))
}

/// Refuses neighbouring case-insensitive letters that together fold like one character.
pub fn check_neighbours(root: &Node) -> Result<(), String> {
    let mut run = Vec::new();
    walk(root, &mut run)?;
    check_run(&mut run)
}

fn walk(node: &Node, run: &mut Vec<char>) -> Result<(), String> {
    match node {
        Node::Class { folded: Some(c), .. } => run.push(*c),
        Node::Concat(nodes) => {
            for node in nodes {
                walk(node, run)?;
            }
        }
        Node::Repeat { body, max, .. } => {
            // Repeated letters may be unrolled into neighbours of themselves. The neighbours outside are
            // separate strings to the engine, unless the repetition is trivial.
            let copies = if is_letters(body) { max.unwrap_or(LONGEST as u32).min(LONGEST as u32) } else { 1 };
            let trivial = matches!(node, Node::Repeat { min: 1, max: Some(1), .. });
            if !trivial {
                check_run(run)?;
            }
            for _ in 0..copies {
                walk(body, run)?;
            }
            if !trivial {
                check_run(run)?;
            }
        }
        Node::Alternation(nodes) => {
            check_run(run)?;
            for node in nodes {
                walk(node, run)?;
                check_run(run)?;
            }
        }
        Node::Atomic(body) => {
            check_run(run)?;
            walk(body, run)?;
            check_run(run)?;
        }
        Node::Empty => {}
        Node::Class { .. } | Node::Look(_) => check_run(run)?,
    }
    Ok(())
}

/// A plain string: only such a body is unrolled into its neighbours.
fn is_letters(node: &Node) -> bool {
    match node {
        Node::Class { folded, .. } => folded.is_some(),
        Node::Concat(nodes) => nodes.iter().all(is_letters),
        _ => false,
    }
}

/// Checks and clears a stretch of neighbouring letters.
fn check_run(run: &mut Vec<char>) -> Result<(), String> {
    for start in 0..run.len() {
        for end in start + 2..=run.len().min(start + LONGEST) {
            let part: Vec<CharSet> = run[start..end].iter().map(|&c| set::folded(set::single(c))).collect();
            let joined = SEQUENCES.iter().any(|(_, sequence)| {
                sequence.chars().count() == part.len()
                    && sequence.chars().zip(&part).all(|(c, set)| set::contains(set, c))
            });
            if joined {
                let text: String = run[start..end].iter().collect();
                return Err(format!("\"{text}\" without case also matches a single character"));
            }
        }
    }
    run.clear();
    Ok(())
}
