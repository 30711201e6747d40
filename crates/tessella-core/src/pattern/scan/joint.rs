//! Several patterns in a row, each of which cuts the pieces of the one before, as one automaton.
//!
//! The automaton knows no piece that is left out. Where a character tells alone whether some pattern removes it, a piece goes if its
//! first character does. Patterns behind the byte-level alphabet read bytes (`bytes`).

use std::borrow::Cow;
use std::sync::Arc;

use super::ahead::{Ahead, Answers, Asked};
use super::alphabet::Alphabet;
use super::automaton::{Automaton, DEAD, Told};
use super::bytes::Bytes;
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
    /// Which of them go.
    pub removed: Removed,
}

/// What of a text is in no piece. All borders are ends of pieces where something goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // They are what they are called.
pub enum Removed {
    Nothing,
    Matches,
    Gaps,
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
        Link { rule: Rule::Expression(source, dialect), borders: Borders::ALL, removed: Removed::Nothing }
    }

    fn program(&self) -> Result<Program, String> {
        match &self.rule {
            Rule::Expression(source, dialect) => {
                let tree = parse::parse(source, *dialect)?;
                match self.borders {
                    // What matches nothing but cuts.
                    Borders::ALL if self.removed == Removed::Nothing => {
                        Program::new(tree.as_pieces().as_ref().unwrap_or(&tree))
                    }
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

/// Notes the symbols of which what goes is made. A piece is made of them altogether or not at all if each of them tells alone
/// whether it is in a match.
fn note_removed(automaton: &Automaton, removed: Removed, noted: &mut [bool]) -> Result<(), String> {
    let inevitable = automaton.inevitable();
    for (symbol, noted) in noted.iter_mut().enumerate() {
        let never = automaton.steps.iter().all(|row| row[symbol].next == DEAD);
        let next = |&start: &u32| automaton.steps[start as usize][symbol].next as usize;
        let always = automaton.starts.iter().all(|start| inevitable[next(start)]);
        match removed {
            _ if never == always => return Err("some character is removed at some places".into()),
            Removed::Nothing => {}
            Removed::Matches => *noted |= always,
            Removed::Gaps => *noted |= never,
        }
    }
    Ok(())
}

/// Patterns in a row whose matches, and the gaps between them, are pieces.
#[derive(Debug)]
pub struct Joint {
    transducer: Transducer,
    /// By symbol, whether a piece that begins with it goes; nothing, if none does.
    removed: Vec<bool>,
}

impl Joint {
    /// The patterns in their order, and behind them others that read each byte as a character that stands for it, or why they are not
    /// one automaton. Ends of pieces may be inside of characters then.
    pub fn spelled(links: &[Link<'_>], behind: &[Link<'_>], spelling: &[char; 256]) -> Result<Joint, String> {
        let programs: Vec<Program> = links.iter().map(Link::program).collect::<Result<_, _>>()?;
        let spelled: Vec<Program> = behind.iter().map(Link::program).collect::<Result<_, _>>()?;
        if links.iter().chain(behind).any(|link| link.removed != Removed::Nothing) {
            return Err("a stage that removes something beside stages behind the bytes' alphabet".into());
        }
        if programs.iter().chain(&spelled).any(|program| !program.aheads.is_empty()) {
            return Err("a look-ahead of any length beside stages behind the bytes' alphabet".into());
        }
        let bytes = Bytes::new(&spelled, spelling)?;
        let firsts = bytes.firsts();
        let sets: Vec<&CharSet> = programs
            .iter()
            .flat_map(|program| &program.sets)
            .chain(firsts.iter().map(|(_, first)| first))
            .collect();
        let (mut alphabet, mut members) = Alphabet::new(&sets)?;
        let kinds =
            bytes.of_symbols(&firsts, &members.split_off(sets.len() - firsts.len()), &mut alphabet)?;
        let alphabet = Arc::new(alphabet);
        let mut members = members.into_iter();
        let mut automata = Vec::with_capacity(links.len() + behind.len());
        for (program, link) in programs.iter().zip(links) {
            let mut own: Vec<Vec<bool>> = members.by_ref().take(program.sets.len()).collect();
            own.iter_mut().for_each(|set| set.resize(alphabet.classes, false));
            automata.push((automaton::build(program, &alphabet, &own)?, link.borders));
        }
        let mut members = bytes.members.iter();
        for (program, link) in spelled.iter().zip(behind) {
            let own = members.by_ref().take(program.sets.len());
            let own = own.map(|set| kinds.iter().map(|&kind| set[usize::from(kind)]).collect()).collect();
            automata.push((automaton::build(program, &alphabet, &own)?, link.borders));
        }
        let transducer = Transducer::new(&automata, behind.len(), &alphabet)?;
        Ok(Joint { transducer, removed: Vec::new() })
    }

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
        let removes = links.iter().any(|link| link.removed != Removed::Nothing);
        if removes && ahead.is_some() {
            return Err("a look-ahead of any length beside a stage that removes something".into());
        }
        let mut removed = vec![false; if removes { alphabet.classes } else { 0 }];
        for ((program, own), link) in programs.iter().zip(&of_programs).zip(links) {
            if let Some(ahead) = &ahead
                && !program.aheads.is_empty()
                && !automata.is_empty()
            {
                stays_in(ahead, &answers, &Transducer::new(&automata, 0, &alphabet)?)?;
            }
            let told = Told { answers: &answers, first };
            first += program.aheads.len();
            let automaton = automaton::build_told(program, &alphabet, own, told)?;
            if link.removed != Removed::Nothing {
                note_removed(&automaton, link.removed, &mut removed)?;
            }
            automata.push((automaton, link.borders));
        }
        let mut transducer = Transducer::new(&automata, 0, &alphabet)?;
        transducer.ahead = ahead;
        Ok(Joint { transducer, removed })
    }

    /// Whether some pieces are to be left out.
    pub fn removes(&self) -> bool {
        !self.removed.is_empty()
    }

    /// Whether a piece that begins at a byte of a text is one of these.
    #[inline]
    pub fn is_removed(&self, text: &str, start: usize) -> bool {
        let (class, _) = self.transducer.alphabet.at(text.as_bytes(), start);
        self.removed.get(usize::from(class)).is_some_and(|&removed| removed)
    }

    /// The pieces of a text, and what is to be left out; `None` for one of 4 GiB or more, or of [`MOST_AHEAD`] if anything looks far ahead.
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
