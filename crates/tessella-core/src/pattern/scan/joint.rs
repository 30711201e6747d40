//! Several patterns in a row, each of which cuts the pieces of the one before, as one automaton.

use std::borrow::Cow;
use std::sync::Arc;

use super::ahead::{Ahead, Answers, Asked};
use super::alphabet::Alphabet;
use super::automaton::Told;
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
            Rule::Expression(source, dialect) => {
                let tree = parse::parse(source, *dialect)?;
                match self.borders {
                    // What matches nothing but cuts.
                    Borders::ALL => Program::new(tree.as_pieces().as_ref().unwrap_or(&tree)),
                    _ => Program::new(&tree),
                }
            }
            Rule::Characters(ranges) => Program::new(&Node::class(set::of_ranges(ranges))),
        }
    }
}

/// A run of characters of which none says what it is before the end comes takes some 12 bytes for each: a text of digits alone may
/// take half a gigabyte, and no more.
const MOST_AHEAD: usize = 48 << 20;

/// Refuses look-aheads of a stage to which what stages before it cut is not as the end of a text.
fn stays_in(ahead: &Ahead, answers: &Answers, before: &Transducer) -> Result<(), String> {
    let symbols = answers.class_of.len();
    let class = |symbol: usize| usize::from(answers.class_of[symbol]);
    let looks_out = |(one, other): (usize, usize)| {
        before.may_cut(one, other) && !ahead.stays_in(answers, class(one), class(other))
    };
    let mut pairs = (0..symbols).flat_map(|one| (0..symbols).map(move |other| (one, other)));
    if pairs.any(looks_out) { Err("a look-ahead that looks out of its piece".into()) } else { Ok(()) }
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
        let aheads: Vec<&Program> =
            programs.iter().flat_map(|program| program.aheads.iter().map(|(_, ahead)| ahead)).collect();
        let sets: Vec<&CharSet> =
            programs.iter().chain(aheads.iter().copied()).flat_map(|program| &program.sets).collect();
        let (mut alphabet, members) = Alphabet::new(&sets)?;
        let mut members = members.into_iter();
        let mut own = |program: &Program| members.by_ref().take(program.sets.len()).collect();
        let mut of_programs: Vec<Vec<Vec<bool>>> = programs.iter().map(&mut own).collect();
        let asked: Vec<Asked<'_>> = aheads.iter().map(|&program| (program, own(program))).collect();
        let (ahead, answers) = match asked.is_empty() {
            true => (None, Answers::default()),
            false => {
                let (ahead, answers) = Ahead::new(&asked, &alphabet)?;
                alphabet.widen(answers.class_of.len())?;
                for holds in of_programs.iter_mut().flatten() {
                    *holds = answers.class_of.iter().map(|&class| holds[usize::from(class)]).collect();
                }
                (Some(Box::new(ahead)), answers)
            }
        };
        let alphabet = Arc::new(alphabet);
        let mut automata = Vec::with_capacity(programs.len());
        let mut first = 0;
        for ((program, own), link) in programs.iter().zip(&of_programs).zip(links) {
            if let Some(ahead) = &ahead
                && !program.aheads.is_empty()
                && !automata.is_empty()
            {
                stays_in(ahead, &answers, &Transducer::new(&automata, &alphabet)?)?;
            }
            let told = Told { answers: &answers, first };
            first += program.aheads.len();
            automata.push((automaton::build_told(program, &alphabet, own, told)?, link.borders));
        }
        let mut transducer = Transducer::new(&automata, &alphabet)?;
        transducer.ahead = ahead;
        Ok(Joint { transducer })
    }

    /// The pieces of a text; `None` for one of 4 GiB or more, or of [`MOST_AHEAD`] if anything looks far ahead.
    pub fn pieces<'t>(&'t self, text: &'t str) -> Option<MaskedPieces<'t>> {
        u32::try_from(text.len()).ok()?;
        if self.transducer.ahead.is_some() && text.len() >= MOST_AHEAD {
            return None;
        }
        Some(MaskedPieces::Fourfold(Fourfold::new(&self.transducer, text)))
    }

    /// For people.
    pub fn describe(&self) -> String {
        self.transducer.describe()
    }
}
