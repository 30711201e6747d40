//! The cursor over a pattern's text, and what one character or one escape at it means by the dialect.

use super::fold;
use super::properties;
use super::set::{self, CharSet};
use super::syntax::Node;
use crate::spec::Dialect;

/// What was read, or why the pattern is left to the engine.
pub type Parsed<T> = Result<T, String>;

pub(super) struct Parser {
    pub(super) chars: Vec<char>,
    pub(super) at: usize,
    pub(super) dialect: Dialect,
    pub(super) ignore_case: bool,
    /// The dot matches newlines too.
    pub(super) dot_all: bool,
    /// fancy-regex only: `^` and `$` match at lines.
    pub(super) multi_line: bool,
}

impl Parser {
    pub(super) fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = text.chars().enumerate().all(|(i, c)| self.peek_at(i) == Some(c));
        if found {
            self.at += text.chars().count();
        }
        found
    }

    pub(super) fn is_oniguruma(&self) -> bool {
        self.dialect == Dialect::Oniguruma
    }

    pub(super) fn literal(&self, c: char) -> Parsed<Node> {
        if !self.ignore_case {
            return Ok(Node::class(set::single(c)));
        }
        let set = set::folded(set::single(c));
        if self.is_oniguruma() && fold::has_sequence(&set) {
            return Err(format!("{c:?} without case also matches a sequence"));
        }
        Ok(Node::Class { set, folded: Some(c) })
    }

    /// A class escape at the cursor (after the backslash): `\s`, `\p{L}`. Leaves the cursor if it is none.
    /// `bare` outside of brackets, where Oniguruma has another idea of a word.
    pub(super) fn class_escape(&mut self, bare: bool) -> Parsed<Option<CharSet>> {
        let Some(c) = self.peek() else { return Ok(None) };
        if matches!(c, 'p' | 'P') {
            return self.property(bare).map(Some);
        }
        if !matches!(c, 's' | 'S' | 'd' | 'D' | 'w' | 'W' | 'h' | 'H') {
            return Ok(None);
        }
        self.at += 1;
        let set = match (c.to_ascii_lowercase(), self.dialect) {
            ('h', _) => properties::oniguruma_posix("xdigit")?,
            ('s', Dialect::Oniguruma) => properties::oniguruma_posix("space")?,
            ('d', Dialect::Oniguruma) => properties::oniguruma_posix("digit")?,
            (_, Dialect::Oniguruma) if bare => properties::oniguruma_bare_word()?,
            (_, Dialect::Oniguruma) => properties::oniguruma_posix("word")?,
            (_, Dialect::Fancy) => set::parse(&format!("\\{}", c.to_ascii_lowercase()), self.ignore_case)?,
        };
        Ok(Some(if c.is_ascii_uppercase() { set::negated(set) } else { set }))
    }

    /// `\p{name}`, `\P{name}`, `\p{^name}`, and `\pL` where the dialect has it.
    fn property(&mut self, bare: bool) -> Parsed<CharSet> {
        let mut negative = self.peek() == Some('P');
        self.at += 1;
        if !self.eat("{") {
            let name = self.peek().filter(|c| c.is_ascii_alphabetic() && !self.is_oniguruma());
            let name = name.ok_or("a property without braces")?;
            self.at += 1;
            let set = set::parse(&format!("\\p{name}"), self.ignore_case)?;
            return Ok(if negative { set::negated(set) } else { set });
        }
        if self.is_oniguruma() && self.eat("^") {
            negative = !negative;
        }
        let start = self.at;
        while self.peek().is_some_and(|c| c != '}') {
            self.at += 1;
        }
        let name: String = self.chars[start..self.at].iter().collect();
        if !self.eat("}") {
            return Err("a property name is not closed".into());
        }
        let set = match self.dialect {
            Dialect::Oniguruma => properties::oniguruma(&name, bare)?,
            Dialect::Fancy => properties::fancy(&name, self.ignore_case)?,
        };
        Ok(if negative { set::negated(set) } else { set })
    }

    /// One character written with an escape; the cursor stands after the backslash.
    pub(super) fn character_escape(&mut self) -> Parsed<char> {
        let c = self.peek().ok_or("a backslash at the end")?;
        self.at += 1;
        Ok(match c {
            't' => '\t',
            'n' => '\n',
            'r' => '\r',
            'f' => '\u{C}',
            'v' => '\u{B}',
            'a' => '\u{7}',
            'e' => '\u{1B}',
            'x' | 'u' => return self.hexadecimal(c),
            c if c.is_ascii_punctuation() || c == ' ' => {
                // Word edges in fancy-regex.
                if matches!(c, '<' | '>') && !self.is_oniguruma() {
                    return Err(format!("the escape \\{c} is left to the engine"));
                }
                c
            }
            _ => return Err(format!("the escape \\{c} is left to the engine")),
        })
    }

    /// `\xHH`, `\x{H..}`, `\uHHHH`; fancy-regex also has `\u{H..}`.
    fn hexadecimal(&mut self, kind: char) -> Parsed<char> {
        let wrong = || "a character code that is not plain".to_string();
        let braced = self.peek() == Some('{') && (kind == 'x' || !self.is_oniguruma());
        self.at += usize::from(braced);
        let most = if braced {
            8
        } else if kind == 'x' {
            2
        } else {
            4
        };
        let start = self.at;
        while self.at - start < most && self.peek().is_some_and(|c| c.is_ascii_hexdigit()) {
            self.at += 1;
        }
        let digits: String = self.chars[start..self.at].iter().collect();
        if digits.is_empty() || (!braced && digits.len() != most) || (braced && !self.eat("}")) {
            return Err(wrong());
        }
        let code = u32::from_str_radix(&digits, 16).map_err(|_| wrong())?;
        // Two digits above 7F are a raw byte of UTF-8 to Oniguruma.
        if kind == 'x' && !braced && code > 0x7F && self.is_oniguruma() {
            return Err("an escape for a raw byte".into());
        }
        char::from_u32(code).ok_or_else(wrong)
    }
}
