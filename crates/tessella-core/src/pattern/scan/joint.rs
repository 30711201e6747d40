//! Several patterns in a row, each of which cuts the pieces of the one before, as one automaton.

use std::borrow::Cow;
use std::sync::Arc;

use super::alphabet::Alphabet;
use super::fourfold::Fourfold;
use super::masked::MaskedPieces;
use super::program::Program;
use super::set::{self, CharSet};
use super::syntax::Node;
use super::tracks::Borders;
use super::transducer::Transducer;
use super::{automaton, parse};
use crate::spec::Dialect;

/// One of several patterns in a row.
#[derive(Debug)]
pub struct Link<'p> {
    /// What matches.
    pub rule: Rule<'p>,
    /// Which borders of matches are ends of pieces.
    pub borders: Borders,
}

/// A rule that says what matches.
#[derive(Debug)]
pub enum Rule<'p> {
    /// A regular expression, as the scanner reads it.
    Expression(Cow<'p, str>, Dialect),
    /// Every character within one of some ranges, in order, by itself.
    Characters(&'p [(char, char)]),
}

impl<'p> Link<'p> {
    /// All matches and gaps are pieces.
    pub fn isolated(source: Cow<'p, str>, dialect: Dialect) -> Self {
        Link { rule: Rule::Expression(source, dialect), borders: Borders::ALL }
    }

    fn program(&self) -> Result<Program, String> {
        match &self.rule {
            Rule::Expression(source, dialect) => Program::new(&parse::parse(source, *dialect)?),
            Rule::Characters(ranges) => Program::new(&Node::class(set::of_ranges(ranges))),
        }
    }
}

/// Patterns in a row whose matches, and the gaps between them, are pieces.
#[derive(Debug)]
pub struct Joint {
    transducer: Transducer,
}

impl Joint {
    /// The patterns in their order, or why they are not one automaton.
    pub fn new(links: &[Link<'_>]) -> Result<Joint, String> {
        let programs: Vec<Program> = links.iter().map(Link::program).collect::<Result<_, _>>()?;
        let sets: Vec<&CharSet> = programs.iter().flat_map(|program| &program.sets).collect();
        let (alphabet, members) = Alphabet::new(&sets)?;
        let mut members = members.into_iter();
        let mut automata = Vec::with_capacity(programs.len());
        for (program, link) in programs.iter().zip(links) {
            let own: Vec<Vec<bool>> = members.by_ref().take(program.sets.len()).collect();
            automata.push((automaton::build(program, &alphabet, &own)?, link.borders));
        }
        let transducer = Transducer::new(&automata, &Arc::new(alphabet))?;
        Ok(Joint { transducer })
    }

    /// The pieces of a text; `None` for one of 4 GiB or more.
    pub fn pieces<'t>(&'t self, text: &'t str) -> Option<MaskedPieces<'t>> {
        u32::try_from(text.len()).ok()?;
        Some(MaskedPieces::Fourfold(Fourfold::new(&self.transducer, text)))
    }

    /// For people.
    pub fn describe(&self) -> String {
        self.transducer.describe()
    }
}
