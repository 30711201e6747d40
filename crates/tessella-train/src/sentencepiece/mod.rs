//! Training as SentencePiece does it: sentences become a `.model` file.
//!
//! From the bottom up:
//!
//! - [`options`]: options by name; [`meta`]: pieces that have their ids before anything is learned
//! - [`words`], [`sentences`]: sentences normalized, cut and counted; [`alphabet`]: the characters that stay
//! - [`shape`]: what a piece may look like
//! - [`bpe`], [`unigram`]: the learners; [`ending`]: how the corpus ends, which seeds depend on;
//!   [`coverage`]: which pairs and characters stay when nobody tells
//! - [`numbers`]: maps by numbers
//! - [`lesson`]: what each model type learns (words and characters are only counted)
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
mod coverage;
mod ending;
mod lesson;
mod meta;
mod numbers;
mod options;
mod output;
mod sentences;
mod shape;
mod unigram;
mod words;

use std::sync::Arc;

use tessella_core::normalize::sentencepiece::SentencePieceNormalization;
use tessella_core::spec::SentencePieceNormalizer;
use tessella_core::{Error, ErrorKind, Result};
use tessella_formats::atomic::Together;
use tessella_formats::sentencepiece::Model;
use tessella_formats::sentencepiece::normalizer::populated;
use tessella_formats::sentencepiece::sections::{NormalizerSection, TrainerSpec};

pub use options::split_csv;
pub use sentences::Sentences;

use crate::parallel;
use crate::progress::{Progress, Stage, report};
use alphabet::Alphabet;
use lesson::Lesson;
use meta::Meta;
use sentences::{Cut, Reader, Reserved, Units};

/// The mark that spaces become.
const SPACE: char = '▁';
/// What rare characters become; texts that have it are left out.
const RARE: char = '▅';

/// Stands where no piece may reach beyond. The library's own choice: it sorts among the characters when their
/// coverage is counted, and where a text holds it (control characters stay without the `nmt` rules) it is a
/// boundary as well.
const BOUNDARY: char = '\u{1F}';

/// Closes a word where the next character follows.
const NEXT: char = '\0';

/// Cuts a normalized sentence (with marks for spaces) into parts that no piece may reach beyond.
pub type Pretokenizer<'a> = dyn Fn(&str) -> Result<Vec<String>> + Sync + 'a;

/// A training job.
#[derive(Debug, Clone, Default)]
pub struct SentencePieceTrainer {
    /// How pieces are learned.
    pub trainer: TrainerSpec,
    /// How texts are prepared.
    pub normalizer: NormalizerSection,
    /// How decoded texts are finished.
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
        if pretokenizer.is_some() {
            self.check_pretokenizer()?;
        }
        let meta = meta::pieces(&self.trainer)?;
        let normalizer = populated(&self.normalizer, true)?;
        let denormalizer = populated(&self.denormalizer, false)?;
        let mut units = self.units(sentences, &normalizer, &meta, pretokenizer, progress)?;
        let samples = std::mem::take(&mut units.samples);
        let alphabet = Alphabet::new(&units.counts, &self.trainer)?;
        let lesson = Lesson {
            spec: &self.trainer,
            units: &units,
            alphabet: &alphabet,
            reserved: meta.len(),
            threads: self.threads(),
            progress,
        };
        let learned = lesson.learn()?;

        let mut spec = self.trainer.clone();
        if spec.use_all_vocab() {
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
        model.self_test = output::self_test(&model, samples)?;
        Ok(TrainedModel { model: model.write(), vocab })
    }

    fn threads(&self) -> usize {
        parallel::threads(0).min(self.trainer.num_threads() as usize)
    }

    /// Reads all sentences: normalizes, cuts and counts them.
    fn units(
        &self,
        sentences: &mut Sentences<'_>,
        normalizer: &NormalizerSection,
        meta: &Meta,
        pretokenizer: Option<&Pretokenizer<'_>>,
        progress: &dyn Progress,
    ) -> Result<Units> {
        let spec = &self.trainer;
        let normalization = SentencePieceNormalization::new(&SentencePieceNormalizer {
            name: normalizer.name(),
            charsmap: normalizer.precompiled_charsmap().into(),
            add_dummy_prefix: normalizer.add_dummy_prefix(),
            remove_extra_whitespaces: normalizer.remove_extra_whitespaces(),
            escape_whitespaces: true,
            treat_whitespace_as_suffix: spec.treat_whitespace_as_suffix(),
            user_defined: Arc::new([]),
            blanks_before_words: false,
        })?;
        let reader = Reader {
            normalization: &normalization,
            reserved: &Reserved::new(meta.values().map(|(text, _)| text.as_str())),
            delimiter: &spec.pretokenization_delimiter(),
            pretokenizer,
            cut: Cut::new(spec),
        };
        sentences::load(sentences, spec, &reader, self.seed, self.threads(), progress)
    }
}

impl TrainedModel {
    /// Writes `<prefix>.model` and `<prefix>.vocab`.
    pub fn save(&self, prefix: &str) -> Result<()> {
        let cut = prefix.rfind(std::path::is_separator).map_or(0, |at| at + 1);
        let (folder, name) = prefix.split_at(cut);
        let mut files = Together::new(if folder.is_empty() { "." } else { folder });
        files
            .put(format!("{name}.model"), self.model.as_slice())
            .put(format!("{name}.vocab"), self.vocab.as_bytes());
        files.write().map(drop)
    }
}
