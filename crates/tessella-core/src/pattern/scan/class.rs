//! Bracketed classes, by dialect.
//!
//! fancy-regex hands its brackets on to `regex-syntax` almost as written, so here they take the same way.
//! Oniguruma's are read here: ranges, nesting, POSIX brackets and `&&`. A hyphen in an odd place is left to
//! the engine.

use super::cursor::{Parsed, Parser};
use super::fold;
use super::properties;
use super::set::{self, CharSet};
use super::syntax::Node;
use crate::spec::Dialect;

/// Brackets inside brackets.
const MAX_NESTING: usize = 8;

/// The cursor stands after the opening bracket.
pub fn bracket(parser: &mut Parser) -> Parsed<Node> {
    match parser.dialect {
        Dialect::Fancy => fancy(parser).map(Node::class),
        Dialect::Oniguruma => oniguruma(parser),
    }
}

fn oniguruma(parser: &mut Parser) -> Parsed<Node> {
    let (set, negative) = oniguruma_set(parser, 0)?;
    if !parser.ignore_case {
        return Ok(Node::class(if negative { set::negated(set) } else { set }));
    }
    if !negative
        && let [only] = set.ranges()
        && only.start() == only.end()
    {
        // The engine takes a class of one character for the character itself.
        return parser.literal(only.start());
    }
    // The engine folds the positive content of the outermost bracket, then negates.
    let set = set::folded(set);
    if fold::has_sequence(&set) {
        return Err("a class without case that also matches sequences".into());
    }
    Ok(Node::class(if negative { set::negated(set) } else { set }))
}

/// The content of a bracket, and whether it is negated.
fn oniguruma_set(parser: &mut Parser, nesting: usize) -> Parsed<(CharSet, bool)> {
    if nesting > MAX_NESTING {
        return Err(format!("brackets are nested deeper than {MAX_NESTING}"));
    }
    let negative = parser.eat("^");
    if parser.peek() == Some(']') {
        return Err("a bracket that starts with a closing bracket".into());
    }
    let mut met: Option<CharSet> = None;
    let mut set = CharSet::empty();
    let mut fresh = true;
    loop {
        let c = parser.peek().ok_or("a bracket is not closed")?;
        if parser.eat("]") {
            break;
        }
        if parser.eat("&&") {
            if fresh {
                return Err("an empty side of &&".into());
            }
            met = Some(meet(met, &set));
            set = CharSet::empty();
            fresh = true;
            continue;
        }
        let first_in_class = fresh;
        fresh = false;
        if c == '[' {
            parser.at += 1;
            if parser.eat(":") {
                set.union(&posix(parser)?);
            } else {
                let (inner, negated) = oniguruma_set(parser, nesting + 1)?;
                set.union(&if negated { set::negated(inner) } else { inner });
            }
            not_a_range(parser)?;
            continue;
        }
        if c == '\\' {
            parser.at += 1;
            if let Some(class) = parser.class_escape(false)? {
                set.union(&class);
                not_a_range(parser)?;
                continue;
            }
        }
        let hyphen = c == '-';
        let first = character(parser, c)?;
        let range_follows = parser.peek() == Some('-') && parser.peek_at(1) != Some(']');
        if hyphen && !((first_in_class && !range_follows) || parser.peek() == Some(']')) {
            return Err("a hyphen in the middle of a bracket".into());
        }
        if !range_follows {
            set.union(&set::single(first));
            continue;
        }
        parser.at += 1;
        let c = parser.peek().ok_or("a bracket is not closed")?;
        if matches!(c, '[' | '-' | '&') {
            return Err("an odd end of a range".into());
        }
        if c == '\\' {
            parser.at += 1;
            if parser.class_escape(false)?.is_some() {
                return Err("a range that ends in a class".into());
            }
        }
        let last = character(parser, c)?;
        if last < first {
            return Err("a range that runs backwards".into());
        }
        set.union(&set::range(first, last));
        not_a_range(parser)?;
    }
    if fresh {
        return Err("an empty bracket".into());
    }
    Ok((meet(met, &set), negative))
}

fn meet(so_far: Option<CharSet>, set: &CharSet) -> CharSet {
    match so_far {
        None => set.clone(),
        Some(mut met) => {
            met.intersect(set);
            met
        }
    }
}

/// After a class or a range a hyphen is literal, at the end of the bracket only without doubt.
fn not_a_range(parser: &Parser) -> Parsed<()> {
    if parser.peek() == Some('-') && parser.peek_at(1) != Some(']') {
        return Err("a hyphen in the middle of a bracket".into());
    }
    Ok(())
}

/// One character; `c` is what stood at the cursor, whose backslash (if it is one) is already eaten.
fn character(parser: &mut Parser, c: char) -> Parsed<char> {
    if c != '\\' {
        parser.at += 1;
        return Ok(c);
    }
    if parser.peek() == Some('b') {
        return Err("the escape \\b in a bracket".into());
    }
    parser.character_escape()
}

fn posix(parser: &mut Parser) -> Parsed<CharSet> {
    let negative = parser.eat("^");
    let start = parser.at;
    while parser.peek().is_some_and(|c| c.is_ascii_alphabetic()) {
        parser.at += 1;
    }
    let name: String = parser.chars[start..parser.at].iter().collect();
    if !parser.eat(":]") {
        return Err("a POSIX bracket is not closed".into());
    }
    let set = properties::oniguruma_posix(&name)?;
    Ok(if negative { set::negated(set) } else { set })
}

/// Copies the bracket for `regex-syntax`, with the escapes that it does not share rewritten.
fn fancy(parser: &mut Parser) -> Parsed<CharSet> {
    let mut source = String::from("[");
    let mut open = 1;
    if parser.eat("^") {
        source.push('^');
    }
    if parser.peek() == Some(']') {
        return Err("a bracket that starts with a closing bracket".into());
    }
    while open > 0 {
        let c = parser.peek().ok_or("a bracket is not closed")?;
        parser.at += 1;
        match c {
            '[' => {
                open += 1;
                source.push('[');
                if parser.eat("^") {
                    source.push('^');
                }
                if parser.peek() == Some(']') {
                    return Err("a bracket that starts with a closing bracket".into());
                }
            }
            ']' => {
                open -= 1;
                source.push(']');
            }
            '\\' => {
                let start = parser.at;
                if parser.class_escape(false)?.is_some() {
                    match parser.chars[start] {
                        'h' => source.push_str("[0-9A-Fa-f]"),
                        'H' => source.push_str("[^0-9A-Fa-f]"),
                        _ => {
                            source.push('\\');
                            let written: String = parser.chars[start..parser.at].iter().collect();
                            source.push_str(&lower_property(&written));
                        }
                    }
                } else {
                    let c = parser.character_escape()?;
                    source.push_str(&regex_syntax::escape(&c.to_string()));
                }
            }
            c => source.push(c),
        }
    }
    set::parse(&source, parser.ignore_case)
}

/// Property names are looked up in lower case.
fn lower_property(written: &str) -> String {
    match written.find('{') {
        Some(at) => format!("{}{}", &written[..at], written[at..].to_lowercase()),
        None => written.to_string(),
    }
}
