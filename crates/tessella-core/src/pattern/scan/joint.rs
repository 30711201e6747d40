//! Several patterns in a row, each of which cuts the pieces of the one before, as one automaton.

use std::borrow::Cow;
use std::sync::Arc;

use super::alphabet::Alphabet;
use super::fourfold::Fourfold;
use super::masked::MaskedPieces;
use super::program::Program;
use super::set::CharSet;
use super::tracks::Borders;
use super::transducer::Transducer;
use super::{automaton, parse};
use crate::spec::Dialect;

/// Patterns in a row whose matches, and the gaps between them, are pieces.
#[derive(Debug)]
pub struct Joint {
    transducer: Transducer,
}

impl Joint {
    /// The patterns in their order, or why they are not one automaton.
    pub fn new<'p>(patterns: impl Iterator<Item = (Cow<'p, str>, Dialect)>) -> Result<Joint, String> {
        let programs: Vec<Program> = patterns
            .map(|(source, dialect)| Program::new(&parse::parse(&source, dialect)?))
            .collect::<Result<_, _>>()?;
        let sets: Vec<&CharSet> = programs.iter().flat_map(|program| &program.sets).collect();
        let (alphabet, members) = Alphabet::new(&sets)?;
        let mut members = members.into_iter();
        let mut automata = Vec::with_capacity(programs.len());
        for program in &programs {
            let own: Vec<Vec<bool>> = members.by_ref().take(program.sets.len()).collect();
            automata.push((automaton::build(program, &alphabet, &own)?, Borders::ALL));
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
