//! What each model type learns from counted units.
//!
//! Pairs and Unigram have learners of their own ([`bpe`], [`unigram`]) and get what they need from here; words
//! and characters are the most frequent ones.

use std::collections::HashMap;

use tessella_core::{Error, Result, error::excerpt};
use tessella_formats::sentencepiece::sections::{self, TrainerSpec};

use super::alphabet::{self, Alphabet};
use super::ending::Ending;
use super::sentences::Units;
use super::shape::Shape;
use super::unigram::SeedUnits;
use super::{BOUNDARY, NEXT, RARE, bpe, coverage, unigram, wrong};
use crate::counts::PieceCounts;
use crate::progress::{Progress, Stage, report};

/// A piece and its score.
type Learned = Vec<(String, f32)>;

/// What there is to learn from, and how.
pub(super) struct Lesson<'a> {
    pub(super) spec: &'a TrainerSpec,
    pub(super) units: &'a Units,
    pub(super) alphabet: &'a Alphabet,
    /// Ids that reserved pieces have.
    pub(super) reserved: usize,
    pub(super) threads: usize,
    pub(super) progress: &'a dyn Progress,
}

impl Lesson<'_> {
    /// The learned pieces in the order of their ids.
    pub(super) fn learn(&self) -> Result<Learned> {
        match self.spec.model_type() {
            sections::BPE => self.pairs(),
            sections::UNIGRAM => self.unigram(),
            sections::WORD => self.words(),
            _ => self.characters(),
        }
    }

    /// Ids that are left for learned pieces.
    fn room(&self) -> usize {
        (self.spec.vocab_size() as usize).saturating_sub(self.reserved)
    }

    /// Ids that are left when all characters have theirs, as models of parts of words need it.
    fn room_beside_characters(&self) -> Result<usize> {
        let characters = self.alphabet.characters.len();
        if self.spec.auto_character_coverage() && self.room() == 0 {
            return Err(wrong(format!(
                "vocab_size is {}: {} reserved pieces leave no room. Ask for more",
                self.spec.vocab_size(),
                self.reserved
            )));
        }
        self.room().checked_sub(characters).ok_or_else(|| {
            wrong(format!(
                "vocab_size is {}: {} reserved pieces and {characters} characters alone are {}. Ask for more, or \
                 lower character_coverage",
                self.spec.vocab_size(),
                self.reserved,
                self.reserved + characters
            ))
        })
    }

    /// How many words or characters are wanted.
    fn at_most(&self) -> usize {
        if self.spec.use_all_vocab() { usize::MAX } else { self.room() }
    }

    /// Pairs, then characters; the score is the rank.
    fn pairs(&self) -> Result<Learned> {
        let size = self.room_beside_characters()?;
        report(self.progress, Stage::Prepare, 0, 0)?;
        let mut corpus = bpe::Corpus::default();
        in_order(&self.units.counts, self.alphabet, |unit, count| corpus.add(unit, count))?;
        let pairs = bpe::learn(corpus, &Shape::new(self.spec), size, self.progress)?;
        let pieces: Vec<String> = if self.spec.auto_character_coverage() {
            coverage::choose(&pairs, &characters_of(&self.units.counts, self.alphabet)?, size)
        } else {
            let characters = self.alphabet.characters.iter().map(|(c, _)| c.to_string());
            pairs.into_iter().map(|(text, _)| text).chain(characters).collect()
        };
        Ok(pieces.into_iter().enumerate().map(|(rank, text)| (text, -(rank as f32))).collect())
    }

    fn unigram(&self) -> Result<Learned> {
        self.room_beside_characters()?;
        if self.alphabet.characters.is_empty() {
            return Err(reserved_alone());
        }
        let spec = self.spec;
        let (words, seeds) = for_unigram(self.units, self.alphabet)?;
        let rules = unigram::Rules {
            vocab_size: spec.vocab_size() as usize,
            reserved: self.reserved,
            longest: spec.max_sentencepiece_length() as usize,
            seed_size: usize::try_from(spec.seed_sentencepiece_size()).unwrap_or(usize::MAX),
            shrinking_factor: spec.shrinking_factor(),
            sub_iterations: spec.num_sub_iterations() as usize,
            threads: self.threads,
        };
        let shape = Shape::new(spec);
        let given = given_seeds(spec, &shape)?;
        unigram::learn(&words, &seeds, given, self.alphabet, &shape, &rules, self.progress)
    }

    /// The most frequent words. Those with rare characters are none, but their occurrences count.
    fn words(&self) -> Result<Learned> {
        let (mut words, mut with_rare) = (Vec::new(), 0);
        let mut counts = PieceCounts::new();
        each(&self.units.counts, self.alphabet, |word, count| counts.add(word, count))?;
        let mut cursor = counts.cursor()?;
        while let Some((word, count)) = cursor.next()? {
            match word.contains(RARE) {
                true => with_rare += count,
                false => words.push((word.to_string(), count)),
            }
        }
        Ok(most_frequent(words, with_rare, self.at_most()))
    }

    fn characters(&self) -> Result<Learned> {
        let characters = self.alphabet.characters.iter();
        if characters.clone().all(|&(_, count)| count == 0) {
            return Err(reserved_alone());
        }
        let characters = characters.map(|&(c, count)| (c.to_string(), count));
        Ok(most_frequent(characters.collect(), 0, self.at_most()))
    }
}

fn reserved_alone() -> Error {
    wrong("there is no character to learn: the sentences hold reserved pieces only".to_string())
}

/// Words for the estimate of a Unigram model, and words with what follows them for its seeds. A frequency is as many
/// sentences, for both.
fn for_unigram(units: &Units, alphabet: &Alphabet) -> Result<(PieceCounts, SeedUnits)> {
    let (mut words, mut seeds) = (PieceCounts::new(), PieceCounts::new());
    each(&units.counts, alphabet, |unit, count| words.add(alphabet::word_of(unit), count))?;
    let mut last = String::new();
    alphabet.without_rare(&units.last, &mut last);
    let mut ending = Ending::new(&last);
    let mut is_to_come = true;
    each(&units.counts, alphabet, |unit, mut count| {
        if !unit.contains(NEXT) {
            ending.count(unit, count);
        }
        if is_to_come && unit == last {
            // Where the corpus ends is another place than where a sentence ends. As in the library, this makes
            // the last sentence special; apart from that the order of sentences does not matter.
            count -= 1;
            seeds.add(&format!("{unit}{BOUNDARY}"), 1)?;
            is_to_come = false;
        }
        seeds.add(&unit.replacen(NEXT, "", 1), count)
    })?;
    Ok((words, SeedUnits { counts: seeds, ending: ending.counted() }))
}

/// How often each character that is not rare stands in the units.
fn characters_of(units: &PieceCounts, alphabet: &Alphabet) -> Result<HashMap<char, u64>> {
    let mut found = HashMap::new();
    each(units, alphabet, |unit, count| {
        for c in unit.chars().filter(|&c| c != RARE) {
            *found.entry(c).or_default() += count;
        }
        Ok(())
    })?;
    Ok(found)
}

/// Calls with every distinct unit, its rare characters replaced, by their bytes. Few have any: only those are counted
/// anew.
fn in_order(
    counts: &PieceCounts,
    alphabet: &Alphabet,
    mut unit: impl FnMut(&str, u64) -> Result<()>,
) -> Result<()> {
    let (mut with_rare, mut clean) = (PieceCounts::new(), String::new());
    counts.for_each_unordered(&mut |text, count| {
        if alphabet.has_all_of(text) {
            return Ok(());
        }
        alphabet.without_rare(text, &mut clean);
        with_rare.add(&clean, count)
    })?;
    let none_is_rare = with_rare.is_empty();
    let mut with_rare = with_rare.iter()?.collect::<Result<Vec<_>>>()?.into_iter().peekable();
    counts.words(false).for_each(|text, count| {
        if !none_is_rare && !alphabet.has_all_of(text) {
            return Ok(());
        }
        while let Some((before, count)) = with_rare.next_if(|(rare, _)| rare.as_str() < text) {
            unit(&before, count)?;
        }
        unit(text, count)
    })?;
    with_rare.try_for_each(|(text, count)| unit(&text, count))
}

/// Calls with every unit, its rare characters replaced.
fn each(
    counts: &PieceCounts,
    alphabet: &Alphabet,
    mut unit: impl FnMut(&str, u64) -> Result<()>,
) -> Result<()> {
    let mut clean = String::new();
    let mut cursor = counts.cursor()?;
    while let Some((text, count)) = cursor.next()? {
        alphabet.without_rare(text, &mut clean);
        unit(&clean, count)?;
    }
    Ok(())
}

/// The most frequent texts, with the logarithm of their share as score; there are `others` beside them.
fn most_frequent(mut counted: Vec<(String, u64)>, others: u64, at_most: usize) -> Vec<(String, f32)> {
    counted.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let log_sum = ((others + counted.iter().map(|(_, count)| count).sum::<u64>()) as f32).ln();
    counted.truncate(at_most);
    counted.into_iter().map(|(text, count)| (text, (count as f32).ln() - log_sum)).collect()
}

/// The pieces of a seed file: `piece<tab>count` per line. The score is occurrences times length.
fn given_seeds(spec: &TrainerSpec, shape: &Shape) -> Result<unigram::GivenSeeds> {
    let path = spec.seed_sentencepieces_file();
    if path.is_empty() {
        return Ok(None);
    }
    let text = std::fs::read_to_string(&path).map_err(|error| Error::from(error).at(path.clone()))?;
    let mut seeds = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let mut fields = line.split('\t');
        let piece = fields.next().unwrap_or_default();
        let count =
            fields.next().and_then(|count| count.trim().parse::<u64>().ok()).filter(|&count| count > 0);
        let count = count.ok_or_else(|| {
            wrong(format!(
                "a line of a seed file must be `piece<tab>count` with a count from 1 on: found `{}`",
                excerpt(line)
            ))
            .at(format!("{path}, line {}", index + 1))
        })?;
        let characters: Vec<char> = piece.chars().collect();
        if shape.fits(&characters) {
            seeds.push((piece.to_string(), count as f64 * characters.len() as f64));
        }
    }
    Ok(Some(seeds))
}
