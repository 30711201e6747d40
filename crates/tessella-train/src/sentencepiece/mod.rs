//! Training as SentencePiece does it: sentences become a `.model` file.
//!
//! From the bottom up:
//!
//! - [`options`]: options by name; [`meta`]: pieces that have their ids before anything is learned
//! - [`words`], [`sentences`]: sentences normalized, cut and counted; [`alphabet`]: the characters that stay
//! - [`shape`]: what a piece may look like
//! - [`bpe`], [`unigram`]: the learners (words and characters need none)
//! - [`output`]: pieces in id order, the vocabulary's text, the self test
//! - this page: the order of things
//!
//! The options are the trainer section of the file itself, so that what is written is what was asked. Everything
//! that SentencePiece leaves to chance has an order here: the same sentences give the same file, for any number
//! of threads. Sampling (`input_sentence_size`) is seeded.
//!
//! ```
//! use tessella_train::{Silent, sentencepiece::SentencePieceTrainer};
//!
//! let trainer = SentencePieceTrainer::from_line("--model_type=bpe --vocab_size=16")?;
//! let sentences = ["low lower lowest", "new newer newest"].map(|text| Ok(text.as_bytes().to_vec()));
//! let trained = trainer.train(&mut sentences.into_iter(), None, &Silent)?;
//! assert!(trained.vocab.starts_with("<unk>\t0\n<s>\t0\n</s>\t0\nwe\t-0\n"));
//! # Ok::<(), tessella_core::Error>(())
//! ```

mod alphabet;
mod bpe;
mod meta;
mod options;
mod output;
mod sentences;
mod shape;
mod unigram;
mod words;

use std::path::Path;
use std::sync::Arc;

use tessella_core::normalize::sentencepiece::SentencePieceNormalization;
use tessella_core::spec::SentencePieceNormalizer;
use tessella_core::{Error, ErrorKind, Result};
use tessella_formats::sentencepiece::Model;
use tessella_formats::sentencepiece::normalizer::populated;
use tessella_formats::sentencepiece::sections::{self, NormalizerSection, TrainerSpec};

pub use options::split_csv;
pub use sentences::Sentences;

use crate::counts::PieceCounts;
use crate::parallel;
use crate::progress::{Progress, Stage, report};
use alphabet::Alphabet;
use sentences::{Cut, NEXT, Reader, Reserved, Units};
use shape::Shape;

/// The mark that spaces become.
const SPACE: char = '▁';
/// What rare characters become; texts that have it are left out.
const RARE: char = '▅';

/// Stands where no piece may reach beyond. A noncharacter, so that no text has it.
const BOUNDARY: char = '\u{FDD1}';

/// Cuts a normalized sentence (with marks for spaces) into parts that no piece may reach beyond.
pub type Pretokenizer<'a> = dyn Fn(&str) -> Result<Vec<String>> + Sync + 'a;

/// A training job.
#[derive(Debug, Clone, Default)]
pub struct SentencePieceTrainer {
    pub trainer: TrainerSpec,
    pub normalizer: NormalizerSection,
    pub denormalizer: NormalizerSection,
    /// Decides which sentences are sampled.
    pub seed: u64,
}

/// What training gives.
#[derive(Debug, Clone)]
pub struct TrainedModel {
    /// The model file's bytes.
    pub model: Vec<u8>,
    /// The text of the `.vocab` file: one piece per line, with its score unless that was declined.
    pub vocab: String,
}

fn wrong(message: String) -> Error {
    Error::new(ErrorKind::Train, message)
}

impl SentencePieceTrainer {
    /// Trains on the files that the options name and writes `<model_prefix>.model` and `<model_prefix>.vocab`.
    pub fn train_files(
        &self,
        pretokenizer: Option<&Pretokenizer<'_>>,
        progress: &dyn Progress,
    ) -> Result<()> {
        let prefix = self.prefix()?;
        let trained = self.train_from_files(pretokenizer, progress)?;
        trained.save(&prefix)
    }

    /// Trains on the files that the options name.
    pub fn train_from_files(
        &self,
        pretokenizer: Option<&Pretokenizer<'_>>,
        progress: &dyn Progress,
    ) -> Result<TrainedModel> {
        self.check()?;
        if self.trainer.input.is_empty() {
            return Err(wrong("there is nothing to learn from: give `input` files or an iterator".into()));
        }
        self.train(&mut sentences::lines(self.trainer.input.clone())?, pretokenizer, progress)
    }

    /// Where to write, if the options say so.
    pub fn prefix(&self) -> Result<String> {
        match self.trainer.model_prefix() {
            prefix if prefix.is_empty() => {
                Err(wrong("there is nowhere to write: give `model_prefix` or a writer".into()))
            }
            prefix => Ok(prefix),
        }
    }

    /// Trains on sentences, given as bytes without line ends.
    pub fn train(
        &self,
        sentences: &mut Sentences<'_>,
        pretokenizer: Option<&Pretokenizer<'_>>,
        progress: &dyn Progress,
    ) -> Result<TrainedModel> {
        self.check()?;
        let mut spec = self.trainer.clone();
        let meta = meta::pieces(&spec)?;
        let normalizer = populated(&self.normalizer, true)?;
        let denormalizer = populated(&self.denormalizer, false)?;
        let threads = parallel::threads(0).min(spec.num_threads() as usize);
        let delimiter = spec.pretokenization_delimiter();
        let kind = spec.model_type();
        let cut = Cut {
            words: kind == sections::WORD || kind == sections::CHAR || spec.split_by_whitespace(),
            as_suffix: spec.treat_whitespace_as_suffix() && kind != sections::WORD,
            runs: spec.allow_whitespace_only_pieces() && kind != sections::WORD,
            with_next: kind == sections::UNIGRAM,
        };
        let normalization = SentencePieceNormalization::new(&SentencePieceNormalizer {
            name: normalizer.name(),
            charsmap: normalizer.precompiled_charsmap().into(),
            add_dummy_prefix: normalizer.add_dummy_prefix(),
            remove_extra_whitespaces: normalizer.remove_extra_whitespaces(),
            escape_whitespaces: true,
            treat_whitespace_as_suffix: spec.treat_whitespace_as_suffix(),
            user_defined: Arc::new([]),
        })?;
        let reserved = Reserved::new(meta.values().map(|(text, _)| text.as_str()));
        let reader = Reader {
            normalization: &normalization,
            reserved: &reserved,
            delimiter: &delimiter,
            pretokenizer,
            cut,
        };
        let units = sentences::load(sentences, &spec, &reader, self.seed, threads, progress)?;
        let alphabet = Alphabet::new(&units.counts, &spec)?;
        let subwords = kind == sections::UNIGRAM || kind == sections::BPE;
        let least = alphabet.characters.len() + meta.len();
        if subwords && least > spec.vocab_size() as usize {
            return Err(wrong(format!(
                "vocab_size is {}: {} reserved pieces and {} characters alone are {least}. Ask for more, or lower \
                 character_coverage",
                spec.vocab_size(),
                meta.len(),
                alphabet.characters.len()
            )));
        }
        let room = (spec.vocab_size() as usize).saturating_sub(meta.len());
        let learned = match kind {
            sections::BPE => {
                let mut corpus = PieceCounts::new();
                each(&units.counts, &alphabet, |unit, count| corpus.add(unit, count))?;
                let size = room.saturating_sub(alphabet.characters.len());
                let pieces = bpe::learn(&corpus, &Shape::new(&spec), size, progress)?;
                let characters = alphabet.characters.iter().map(|(c, _)| c.to_string());
                let numbered = pieces.into_iter().chain(characters).enumerate();
                numbered.map(|(rank, text)| (text, -(rank as f32))).collect()
            }
            sections::UNIGRAM => {
                let (words, seeds) = for_unigram(&units, &alphabet, spec.input_format() == "tsv")?;
                let rules = unigram::Rules {
                    vocab_size: spec.vocab_size() as usize,
                    reserved: meta.len(),
                    longest: spec.max_sentencepiece_length() as usize,
                    seed_size: spec.seed_sentencepiece_size().max(0) as usize,
                    shrinking_factor: spec.shrinking_factor(),
                    sub_iterations: spec.num_sub_iterations() as usize,
                    threads,
                };
                let shape = Shape::new(&spec);
                let given = given_seeds(&spec, &shape)?;
                unigram::learn(&words, &seeds, given, &alphabet, &shape, &rules, progress)?
            }
            sections::WORD => {
                let at_most = if spec.use_all_vocab() { usize::MAX } else { room };
                words(&units, &alphabet, at_most)?
            }
            _ => {
                let at_most = if spec.use_all_vocab() { usize::MAX } else { room };
                let characters = alphabet.characters.iter().map(|&(c, count)| (c.to_string(), count));
                most_frequent(characters.collect(), 0, at_most)
            }
        };
        if !subwords && spec.use_all_vocab() {
            spec.vocab_size = Some((learned.len() + meta.len()) as i32);
        }
        let pieces = output::numbered(&meta, learned, &mut spec)?;
        report(progress, Stage::Finish, pieces.len() as u64, pieces.len() as u64)?;
        let vocab = output::vocab_file(&pieces, spec.vocabulary_output_piece_score());
        let has_denormalizer = denormalizer.normalization_rule_tsv.is_some();
        let mut model = Model {
            pieces,
            trainer: spec,
            normalizer,
            denormalizer: has_denormalizer.then_some(denormalizer),
            self_test: Vec::new(),
        };
        model.self_test = output::self_test(&model, units.samples)?;
        Ok(TrainedModel { model: model.write(), vocab })
    }
}

impl TrainedModel {
    /// Writes `<prefix>.model` and `<prefix>.vocab`.
    pub fn save(&self, prefix: &str) -> Result<()> {
        for (ending, bytes) in [("model", self.model.as_slice()), ("vocab", self.vocab.as_bytes())] {
            let path = format!("{prefix}.{ending}");
            tessella_formats::atomic::write(Path::new(&path), bytes)?;
        }
        Ok(())
    }
}

/// Words for the estimate of a Unigram model, and words with what follows them for its seeds. A sentence of tsv
/// input is looked at twice, so that all of its substrings are repeated ones.
fn for_unigram(units: &Units, alphabet: &Alphabet, twice: bool) -> Result<(PieceCounts, PieceCounts)> {
    let (mut words, mut seeds) = (PieceCounts::new(), PieceCounts::new());
    each(&units.counts, alphabet, |unit, count| words.add(alphabet::word_of(unit), count))?;
    let source = units.unweighted.as_ref().unwrap_or(&units.counts);
    let times = 1 + u64::from(twice);
    let mut last = String::new();
    alphabet.without_rare(&units.last, &mut last);
    each(source, alphabet, |unit, count| {
        let mut count = count * times;
        if unit == last && !last.contains(NEXT) {
            // Where the corpus ends is another place than where a sentence ends.
            count -= 1;
            seeds.add(&format!("{unit}{BOUNDARY}"), 1)?;
            last.clear();
        }
        seeds.add(&unit.replacen(NEXT, "", 1), count)
    })?;
    Ok((words, seeds))
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

/// The most frequent words. Those with rare characters are none, but their occurrences count.
fn words(units: &Units, alphabet: &Alphabet, at_most: usize) -> Result<Vec<(String, f32)>> {
    let (mut words, mut with_rare) = (Vec::new(), 0);
    let mut counts = PieceCounts::new();
    each(&units.counts, alphabet, |word, count| counts.add(word, count))?;
    let mut cursor = counts.cursor()?;
    while let Some((word, count)) = cursor.next()? {
        match word.contains(RARE) {
            true => with_rare += count,
            false => words.push((word.to_string(), count)),
        }
    }
    Ok(most_frequent(words, with_rare, at_most))
}

/// The most frequent texts, with the logarithm of their share as score; there are `others` beside them.
fn most_frequent(mut counted: Vec<(String, u64)>, others: u64, at_most: usize) -> Vec<(String, f32)> {
    counted.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let log_sum = ((others + counted.iter().map(|(_, count)| count).sum::<u64>()) as f32).ln();
    counted.truncate(at_most);
    counted.into_iter().map(|(text, count)| (text, (count as f32).ln() - log_sum)).collect()
}

/// The pieces of a seed file: `piece<tab>count` per line.
fn given_seeds(spec: &TrainerSpec, shape: &Shape) -> Result<unigram::GivenSeeds> {
    let path = spec.seed_sentencepieces_file();
    if path.is_empty() {
        return Ok(None);
    }
    let text = std::fs::read_to_string(&path).map_err(|error| Error::from(error).at(path.clone()))?;
    let mut seeds = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let count = line.split('\t').nth(1).and_then(|count| count.trim().parse::<i64>().ok());
        let (Some(piece), Some(count)) = (line.split('\t').next(), count) else {
            return Err(wrong("a line of a seed file must be `piece<tab>count`".into())
                .at(format!("{path}, line {}", index + 1)));
        };
        let characters: Vec<char> = piece.chars().collect();
        if shape.fits(&characters) {
            seeds.push((piece.to_string(), (count * characters.len() as i64) as f64));
        }
    }
    Ok(Some(seeds))
}
