//! Literal and regular-expression patterns, matched exactly as the dialect's own engine does.
//!
//! Shared by normalizers, pre-tokenizers and decoders. A [`Matcher`] is one of three things, chosen when it
//! is built ([`Matcher::explain`] says which, and why):
//!
//! - a literal, found by substring search;
//! - a [`scan::Scanner`], an automaton that is proven to match as the engine does: fast and linear;
//! - the dialect's own engine, for every pattern that the scanner leaves alone.
//!
//! Matches come leftmost first and without overlap. Empty ones are included, for some behaviours of a split
//! depend on them. An empty text has no matches, not even empty ones: the reference library does not look.
//!
//! ```
//! use tessella_core::pattern::Matcher;
//! use tessella_core::spec::{Dialect, Pattern};
//!
//! let digits = Pattern::Regex { source: r"\p{N}{1,3}".into(), dialect: Dialect::Oniguruma };
//! let mut matches = Vec::new();
//! Matcher::new(&digits)?.find_all("a12345", &mut matches)?;
//! assert_eq!(matches, [1..4, 4..6]);
//! # Ok::<(), tessella_core::Error>(())
//! ```
//!
//! A pattern that does not compile is an error, and so is an engine that gives up while running
//! (its backtracking limit); both are of kind [`Regex`](crate::ErrorKind::Regex).

mod engine;
mod literal;
mod recent;
pub mod scan;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use crate::error::Result;
use crate::flat::{Arrays, Shelf};
use crate::spec::{Dialect, Pattern};

use engine::Engine;
use literal::Literal;
use scan::Scanner;

/// A compiled pattern. Immutable, shared by threads; a copy shares what was compiled.
#[derive(Debug, Clone)]
pub struct Matcher {
    /// The pattern's own text, for messages.
    source: String,
    strategy: Strategy,
    /// Why this strategy was chosen.
    reason: String,
}

#[derive(Debug, Clone)]
enum Strategy {
    Literal(Arc<Literal>),
    Scanner(Arc<Scanner>),
    Engine(Arc<Engine>, Dialect),
}

impl Matcher {
    /// Compiles a pattern to the fastest strategy that matches exactly as the dialect's engine.
    pub fn new(pattern: &Pattern) -> Result<Self> {
        if let Pattern::Regex { source, dialect } = pattern {
            return recent::get_or_compile(source, *dialect, || match Scanner::compile(source, *dialect)? {
                Ok(scanner) => Ok(Self::with_scanner(source, scanner)),
                Err(reason) => Self::with_engine(source, *dialect, reason),
            });
        }
        Self::exact(pattern)
    }

    /// Compiles a pattern for the dialect's own engine, without looking for a faster way: the oracle of
    /// [`new`](Self::new).
    pub fn exact(pattern: &Pattern) -> Result<Self> {
        match pattern {
            Pattern::Literal(text) => Ok(Self::literal(text)),
            Pattern::Regex { source, dialect } => {
                Self::with_engine(source, *dialect, "the exact engine was asked for".to_string())
            }
        }
    }

    /// A matcher of one fixed text.
    pub fn literal(text: &str) -> Self {
        Matcher {
            source: text.to_string(),
            strategy: Strategy::Literal(Arc::new(Literal::new(text))),
            reason: "the pattern is a literal".to_string(),
        }
    }

    fn with_scanner(source: &str, scanner: Scanner) -> Self {
        let engine = engine::name(scanner.dialect);
        Matcher {
            source: source.to_string(),
            strategy: Strategy::Scanner(Arc::new(scanner)),
            reason: format!("the pattern compiles to an automaton that matches as {engine}"),
        }
    }

    /// Puts the compiled pattern down, where it has a form for that: else it is compiled again when it is taken.
    pub(crate) fn put(&self, arrays: &mut Arrays) {
        let scanner = self.scanner().filter(|scanner| scanner.can_be_put());
        arrays.numbers(&[u64::from(scanner.is_some())]);
        if let Some(scanner) = scanner {
            scanner.put(arrays);
        }
    }

    /// Takes what was put of the same pattern.
    pub(crate) fn take(pattern: &Pattern, shelf: &mut Shelf) -> Result<Self> {
        match pattern {
            Pattern::Regex { source, dialect } if shelf.number()? != 0 => {
                Ok(Self::with_scanner(source, Scanner::take(*dialect, shelf)?))
            }
            Pattern::Regex { .. } => Self::new(pattern),
            Pattern::Literal(_) => {
                shelf.number()?;
                Self::new(pattern)
            }
        }
    }

    fn with_engine(source: &str, dialect: Dialect, reason: String) -> Result<Self> {
        let engine = Engine::new(source, dialect)?;
        Ok(Matcher {
            source: source.to_string(),
            strategy: Strategy::Engine(Arc::new(engine), dialect),
            reason,
        })
    }

    /// Calls `found` for every match, leftmost first. When the engine gives up, the matches before that
    /// point have been reported already. Only the automaton is compiled into each caller: the other engines take longer for a
    /// match than a call does.
    #[inline]
    pub fn for_each(&self, text: &str, found: &mut impl FnMut(Range<usize>)) -> Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        match &self.strategy {
            Strategy::Literal(literal) => literal.for_each(text, found),
            Strategy::Scanner(scanner) => scanner.for_each_piece(text, |start, end, is_match| {
                if is_match {
                    found(start..end);
                }
            }),
            Strategy::Engine(engine, _) => return engine.for_each(&self.source, text, found),
        }
        Ok(())
    }

    /// Puts all matches into `matches`, in place of what it held.
    pub fn find_all(&self, text: &str, matches: &mut Vec<Range<usize>>) -> Result<()> {
        matches.clear();
        self.for_each(text, &mut |range| matches.push(range))
    }

    /// The fixed text, if the pattern is one.
    pub fn as_literal(&self) -> Option<&str> {
        matches!(self.strategy, Strategy::Literal(_)).then_some(&self.source)
    }

    /// The character that the pattern matches where a text begins with it, if that is all that it matches.
    pub fn as_char_at_start(&self) -> Option<char> {
        if matches!(self.strategy, Strategy::Literal(_)) {
            return None;
        }
        let mut rest = self.source.strip_prefix(r"\A")?.chars();
        let (c, None) = (rest.next()?, rest.next()) else { return None };
        (!regex_syntax::is_meta_character(c)).then_some(c)
    }

    /// Whether the pattern matches a character and all that follow it if they are equal: how many there must be at least.
    pub fn is_run_of(&self, c: char) -> Option<u32> {
        let (set, least) = scan::run_of(&self.source, self.scanner()?.dialect)?;
        let is_only = set.ranges().iter().all(|range| (range.start(), range.end()) == (c, c));
        (is_only && !set.ranges().is_empty()).then_some(least)
    }

    /// Whether the pattern matches runs of such characters and nothing else; false also where there are many of them.
    pub fn is_run_of_such(&self, such: impl Fn(char) -> bool) -> bool {
        const MANY: usize = 64;
        let run = self.scanner().and_then(|scanner| scan::run_of(&self.source, scanner.dialect));
        run.is_some_and(|(set, _)| {
            let mut all = set.ranges().iter().flat_map(|range| range.start()..=range.end());
            all.by_ref().take(MANY).all(such) && all.next().is_none()
        })
    }

    /// The automaton, if the pattern has one.
    pub fn scanner(&self) -> Option<&Scanner> {
        match &self.strategy {
            Strategy::Scanner(scanner) => Some(scanner),
            _ => None,
        }
    }

    /// The pattern as an expression. It is known to compile with the dialect's engine.
    pub fn expression(&self) -> (Cow<'_, str>, Dialect) {
        match &self.strategy {
            Strategy::Literal(_) => (Cow::Owned(regex_syntax::escape(&self.source)), Dialect::Fancy),
            Strategy::Scanner(scanner) => (Cow::Borrowed(&self.source), scanner.dialect),
            Strategy::Engine(_, dialect) => (Cow::Borrowed(&self.source), *dialect),
        }
    }

    /// Which engine runs the pattern, and why.
    pub fn explain(&self) -> (String, String) {
        let engine = match &self.strategy {
            Strategy::Literal(_) => "substring search",
            Strategy::Scanner(_) => "scanner",
            Strategy::Engine(_, dialect) => engine::name(*dialect),
        };
        let reason = match &self.strategy {
            Strategy::Scanner(scanner) => format!("{}, {}", self.reason, scanner.explain()),
            _ => self.reason.clone(),
        };
        (engine.to_string(), reason)
    }
}

#[cfg(test)]
mod tests;
