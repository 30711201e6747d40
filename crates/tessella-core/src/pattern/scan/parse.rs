//! From the text of a pattern to the tree of `syntax`.
//!
//! Accepts only what both the dialect's documentation and comparison with its engine settle; everything else
//! is an `Err` with a reason, which sends the pattern to the exact engine. Refusing is always right,
//! guessing never.

use super::class;
use super::cursor::{Parsed, Parser};
use super::fold;
use super::properties;
use super::set;
use super::syntax::{Condition, Node, Side};
use crate::spec::Dialect;

/// Groups inside groups; the tree is walked by recursion.
const MAX_DEPTH: usize = 40;
/// Counted repeats are unrolled.
const MAX_COUNT: u32 = 256;

/// Why a pattern with a look-around of more than one character has no automaton of its own.
pub const FAR: &str = "a look-around that asks about more than one character";

pub fn parse(source: &str, dialect: Dialect) -> Parsed<Node> {
    let mut parser = Parser {
        chars: source.chars().collect(),
        at: 0,
        dialect,
        ignore_case: false,
        dot_all: false,
        multi_line: false,
    };
    parser.leading_flags()?;
    let node = parser.alternation(0)?;
    if parser.at < parser.chars.len() {
        return Err("a closing parenthesis too many".into());
    }
    if dialect == Dialect::Oniguruma {
        fold::check_neighbours(&node)?;
    }
    Ok(node)
}

impl Parser {
    /// `(?i)` at the very start holds for the whole pattern in both dialects. Elsewhere they disagree on how
    /// far it reaches.
    fn leading_flags(&mut self) -> Parsed<()> {
        let start = self.at;
        if self.eat("(?") {
            let length = self.chars[self.at..].iter().take_while(|c| c.is_ascii_alphabetic()).count();
            if length > 0 && self.peek_at(length) == Some(')') {
                self.flags()?;
                self.at += 1;
                return Ok(());
            }
        }
        self.at = start;
        Ok(())
    }

    /// Letters of `(?i`, `(?i-m` and the like.
    fn flags(&mut self) -> Parsed<()> {
        let mut on = true;
        while let Some(c) = self.peek() {
            match (c, self.dialect) {
                ('-', _) if on => on = false,
                ('i', _) => self.ignore_case = on,
                ('m', Dialect::Oniguruma) | ('s', Dialect::Fancy) => self.dot_all = on,
                ('m', Dialect::Fancy) => self.multi_line = on,
                (':' | ')', _) => return Ok(()),
                _ => return Err(format!("the flag {c} is left to the engine")),
            }
            self.at += 1;
        }
        Err("a group is not closed".into())
    }

    fn alternation(&mut self, depth: usize) -> Parsed<Node> {
        if depth > MAX_DEPTH {
            return Err(format!("groups are nested deeper than {MAX_DEPTH}"));
        }
        let mut alternatives = vec![self.concatenation(depth)?];
        while self.eat("|") {
            alternatives.push(self.concatenation(depth)?);
        }
        Ok(if alternatives.len() == 1 { alternatives.remove(0) } else { Node::Alternation(alternatives) })
    }

    fn concatenation(&mut self, depth: usize) -> Parsed<Node> {
        let mut nodes = Vec::new();
        while let Some(c) = self.peek() {
            if c == '|' || c == ')' {
                break;
            }
            let atom = self.atom(c, depth)?;
            nodes.push(self.quantified(atom)?);
        }
        Ok(Node::concat(nodes))
    }

    fn atom(&mut self, c: char, depth: usize) -> Parsed<Node> {
        match c {
            '(' => return self.group(depth),
            '[' => {
                self.at += 1;
                return class::bracket(self);
            }
            '\\' => {
                self.at += 1;
                return self.escape();
            }
            '*' | '+' | '?' => return Err("a quantifier with nothing to repeat".into()),
            '{' => return Err("an opening brace that is not a quantifier".into()),
            _ => self.at += 1,
        }
        Ok(match c {
            '.' if self.dot_all => Node::class(set::any()),
            '.' => Node::class(set::negated(set::single('\n'))),
            '^' if self.is_oniguruma() => Node::Look(vec![
                Condition::before(Side::edge()),
                // Not after the last newline of the text.
                Condition { before: Side::of(set::single('\n')), after: Side::of(set::any()), ahead: None },
            ]),
            '^' if self.multi_line => Node::Look(vec![Condition::before(Side::or_edge(set::single('\n')))]),
            '^' => Node::Look(vec![Condition::before(Side::edge())]),
            '$' if self.is_oniguruma() || self.multi_line => {
                Node::Look(vec![Condition::after(Side::or_edge(set::single('\n')))])
            }
            '$' => Node::Look(vec![Condition::after(Side::edge())]),
            _ => self.literal(c)?,
        })
    }

    fn group(&mut self, depth: usize) -> Parsed<Node> {
        self.at += 1;
        let kept = (self.ignore_case, self.dot_all, self.multi_line);
        enum Kind {
            Plain,
            Atomic,
            Look { ahead: bool, wanted: bool },
        }
        let kind = if self.eat("?:") {
            Kind::Plain
        } else if self.eat("?>") {
            Kind::Atomic
        } else if self.eat("?=") {
            Kind::Look { ahead: true, wanted: true }
        } else if self.eat("?!") {
            Kind::Look { ahead: true, wanted: false }
        } else if self.eat("?<=") {
            Kind::Look { ahead: false, wanted: true }
        } else if self.eat("?<!") {
            Kind::Look { ahead: false, wanted: false }
        } else if self.eat("?") {
            self.flags()?;
            if !self.eat(":") {
                return Err("a flag that holds to the end of its group".into());
            }
            Kind::Plain
        } else if self.peek() == Some('*') {
            return Err("callouts and verbs are left to the engine".into());
        } else {
            Kind::Plain
        };
        let body = self.alternation(depth + 1)?;
        if !self.eat(")") {
            return Err("a group is not closed".into());
        }
        (self.ignore_case, self.dot_all, self.multi_line) = kept;
        Ok(match kind {
            Kind::Plain => body,
            Kind::Atomic => Node::Atomic(Box::new(body)),
            Kind::Look { ahead, wanted } => {
                let side = match ahead {
                    true => body.as_next(),
                    false => body.as_class().map(Side::of),
                };
                let Some(side) = side else { return self.far(body, ahead, wanted) };
                let side = if wanted { side } else { side.opposite() };
                Node::Look(vec![if ahead { Condition::after(side) } else { Condition::before(side) }])
            }
        })
    }

    /// A look-around that asks about more than one character.
    fn far(&self, body: Node, ahead: bool, wanted: bool) -> Parsed<Node> {
        if !ahead || body.looks_far() {
            return Err(FAR.into());
        }
        if self.is_oniguruma() {
            fold::check_neighbours(&body)?;
        }
        Ok(Node::Look(vec![Condition::ahead(body, wanted)]))
    }

    fn quantified(&mut self, atom: Node) -> Parsed<Node> {
        let Some((min, max, interval)) = self.quantifier()? else { return Ok(atom) };
        if matches!(atom, Node::Look(_) | Node::Empty) {
            return Err("a repeated anchor".into());
        }
        if max.is_some_and(|max| max < min) || max == Some(0) || min.max(max.unwrap_or(0)) > MAX_COUNT {
            return Err(format!("a repeat from {min} to {max:?} is left to the engine"));
        }
        if max != Some(1) && atom.nullable() {
            return Err("a repeat of something that can be empty".into());
        }
        let mut greedy = true;
        let mut possessive = false;
        if self.peek() == Some('?') {
            if interval && max == Some(min) {
                return Err("a lazy exact count".into());
            }
            self.at += 1;
            greedy = false;
        }
        // Oniguruma takes `{1,3}+` for a repeat of a repeat.
        let mut repeated = false;
        if self.peek() == Some('+') {
            if !greedy {
                return Err("a lazy repeat that is repeated or possessive".into());
            }
            self.at += 1;
            if interval && self.is_oniguruma() {
                repeated = true;
            } else {
                possessive = true;
            }
        }
        if matches!(self.peek(), Some('*' | '+' | '?' | '{')) {
            return Err("a quantifier after a quantifier".into());
        }
        let mut node = Node::Repeat { body: Box::new(atom), min, max, greedy };
        if repeated {
            if node.nullable() {
                return Err("a repeat of something that can be empty".into());
            }
            node = Node::Repeat { body: Box::new(node), min: 1, max: None, greedy: true };
        }
        Ok(if possessive { Node::Atomic(Box::new(node)) } else { node })
    }

    /// Least, most, and whether it is written with braces.
    fn quantifier(&mut self) -> Parsed<Option<(u32, Option<u32>, bool)>> {
        let simple = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => {
                self.at += 1;
                let min = self.number()?;
                let max = if self.eat(",") { self.number()? } else { min };
                let bounded = self.chars[self.at - 1] != ',';
                if !self.eat("}") || (min.is_none() && !bounded) || (min.is_none() && max.is_none()) {
                    return Err("an opening brace that is not a quantifier".into());
                }
                return Ok(Some((min.unwrap_or(0), if bounded { max } else { None }, true)));
            }
            _ => return Ok(None),
        };
        self.at += 1;
        Ok(Some((simple.0, simple.1, false)))
    }

    fn number(&mut self) -> Parsed<Option<u32>> {
        let mut value: Option<u32> = None;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            value = Some(value.unwrap_or(0).saturating_mul(10).saturating_add(digit));
            self.at += 1;
        }
        Ok(value)
    }

    /// After a backslash outside of brackets.
    fn escape(&mut self) -> Parsed<Node> {
        let c = self.peek().ok_or("a backslash at the end")?;
        if let Some(set) = self.class_escape(true)? {
            return Ok(Node::class(set));
        }
        let word = |parser: &Self| match parser.dialect {
            Dialect::Oniguruma => properties::oniguruma_bare_word(),
            Dialect::Fancy => set::parse(r"\w", false),
        };
        let node = match c {
            'A' => Node::Look(vec![Condition::before(Side::edge())]),
            'z' => Node::Look(vec![Condition::after(Side::edge())]),
            'b' | 'B' => {
                if self.peek_at(1) == Some('{') {
                    return Err("a named boundary".into());
                }
                let inside = Side::of(word(self)?);
                let outside = inside.opposite();
                let pair = |before: &Side, after: &Side| Condition {
                    before: before.clone(),
                    after: after.clone(),
                    ahead: None,
                };
                Node::Look(if c == 'b' {
                    vec![pair(&inside, &outside), pair(&outside, &inside)]
                } else {
                    vec![pair(&inside, &inside), pair(&outside, &outside)]
                })
            }
            _ => {
                let c = self.character_escape()?;
                return self.literal(c);
            }
        };
        self.at += 1;
        Ok(node)
    }
}
