//! Options by name, as command lines and keyword arguments spell them, and what they may be.

use tessella_core::{Error, ErrorKind, Result, error::excerpt};
use tessella_formats::sentencepiece::sections::{self, NormalizerSection};

use super::SentencePieceTrainer;

/// Where a value belongs; tried in this order.
enum Known {
    Taken,
    /// The names that there are.
    Unknown(&'static [&'static str]),
}

fn not_a(value: &str, kind: &str, name: &str) -> Error {
    Error::value(format!("cannot read `{}` as {kind}, the value of `{name}`", excerpt(value)))
}

fn number<T: std::str::FromStr>(name: &str, value: &str) -> Result<T> {
    value.trim().parse().map_err(|_| not_a(value, "a number in range", name))
}

fn flag(name: &str, value: &str) -> Result<bool> {
    match value.to_ascii_lowercase().as_str() {
        "" | "1" | "t" | "true" | "y" | "yes" => Ok(true),
        "0" | "f" | "false" | "n" | "no" => Ok(false),
        _ => Err(not_a(value, "true or false", name)),
    }
}

fn model_type(value: &str) -> Result<i32> {
    match value.to_ascii_lowercase().as_str() {
        "unigram" => Ok(sections::UNIGRAM),
        "bpe" => Ok(sections::BPE),
        "word" => Ok(sections::WORD),
        "char" => Ok(sections::CHAR),
        _ => Err(Error::value(format!(
            "model_type is `{}`: it must be unigram, bpe, word or char",
            excerpt(value)
        ))),
    }
}

/// The fields of one line of comma-separated values; `""` inside of quotes is a quote.
pub fn split_csv(line: &str) -> Vec<String> {
    let mut fields = Vec::new();
    let mut rest = line;
    while !rest.is_empty() {
        let mut field = String::new();
        if let Some(quoted) = rest.strip_prefix('"') {
            rest = quoted;
            while let Some(at) = rest.find('"') {
                field.push_str(&rest[..at]);
                rest = &rest[at + 1..];
                match rest.strip_prefix('"') {
                    Some(more) => {
                        field.push('"');
                        rest = more;
                    }
                    None => break,
                }
            }
            rest = rest.find(',').map_or("", |at| &rest[at + 1..]);
        } else {
            let (value, more) = rest.split_once(',').unwrap_or((rest, ""));
            field.push_str(value);
            rest = more;
        }
        fields.push(field);
    }
    fields
}

/// Sets a field of a section whose name is one of the listed.
macro_rules! by_name {
    ($section:expr, $name:expr, $value:expr; $($read:ident { $($field:ident)* })*) => {
        match $name {
            $($(stringify!($field) => {
                by_name!(@$read $section.$field, $name, $value);
                Known::Taken
            })*)*
            _ => Known::Unknown(&[$($(stringify!($field)),*),*]),
        }
    };
    (@list $place:expr, $name:expr, $value:expr) => { $place.extend(split_csv($value)) };
    (@text $place:expr, $name:expr, $value:expr) => { $place = Some($value.to_string()) };
    (@number $place:expr, $name:expr, $value:expr) => { $place = Some(number($name, $value)?) };
    (@flag $place:expr, $name:expr, $value:expr) => { $place = Some(flag($name, $value)?) };
}

/// The options that are more than one field of a section.
const SET_BY_NAME: [&str; 5] =
    ["normalization_rule_name", "denormalization_rule_tsv", "random_seed", "minloglevel", "model_type"];

impl SentencePieceTrainer {
    /// Options from one line: `--name=value --name=value`. Values cannot have spaces.
    pub fn from_line(line: &str) -> Result<Self> {
        let mut trainer = SentencePieceTrainer::default();
        if line.is_empty() {
            return Ok(trainer);
        }
        let mut seen = std::collections::HashSet::new();
        for argument in line.split(' ') {
            let argument = argument.strip_prefix("--").unwrap_or(argument);
            let (name, value) = argument.split_once('=').unwrap_or((argument, ""));
            // Of an option that is given twice the first counts.
            if seen.insert(name) {
                trainer.set(name, value)?;
            }
        }
        Ok(trainer)
    }

    /// Sets one option from its text. An unknown name is an error of kind `Unsupported`, a value that cannot be
    /// read one of kind `Value`.
    pub fn set(&mut self, name: &str, value: &str) -> Result<()> {
        match name {
            "normalization_rule_name" => self.normalizer.name = Some(value.to_string()),
            "denormalization_rule_tsv" => {
                self.denormalizer = NormalizerSection {
                    normalization_rule_tsv: Some(value.to_string()),
                    add_dummy_prefix: Some(false),
                    remove_extra_whitespaces: Some(false),
                    escape_whitespaces: Some(false),
                    ..NormalizerSection::default()
                };
            }
            "random_seed" => self.seed = number(name, value)?,
            // There are no log lines to choose from.
            "minloglevel" => {
                number::<i32>(name, value).map_err(|error| Error::new(ErrorKind::Train, error.message()))?;
            }
            "model_type" => self.trainer.model_type = Some(model_type(value)?),
            _ => {
                if let Known::Unknown(of_trainer) = self.set_trainer(name, value)?
                    && let Known::Unknown(of_normalizer) = set_normalizer(&mut self.normalizer, name, value)?
                {
                    let mut names = [of_trainer, of_normalizer, &SET_BY_NAME].concat();
                    names.sort_unstable();
                    return Err(Error::unsupported(format!(
                        "unknown option `{}`; the options are {}",
                        excerpt(name),
                        names.join(", ")
                    )));
                }
            }
        }
        Ok(())
    }

    fn set_trainer(&mut self, name: &str, value: &str) -> Result<Known> {
        Ok(by_name!(self.trainer, name, value;
            list { input accept_language control_symbols user_defined_symbols }
            text {
                input_format model_prefix pretokenization_delimiter required_chars unk_piece bos_piece eos_piece
                pad_piece unk_surface seed_sentencepieces_file
            }
            number {
                vocab_size self_test_sample_size character_coverage input_sentence_size seed_sentencepiece_size
                shrinking_factor max_sentence_length num_threads num_sub_iterations max_sentencepiece_length
                unk_id bos_id eos_id pad_id differential_privacy_noise_level
                differential_privacy_clipping_threshold
            }
            flag {
                shuffle_input_sentence split_by_unicode_script split_by_number split_by_whitespace split_digits
                treat_whitespace_as_suffix allow_whitespace_only_pieces byte_fallback hard_vocab_limit
                vocabulary_output_piece_score train_extremely_large_corpus use_all_vocab
                enable_differential_privacy
            }
        ))
    }

    /// Whether the options fit together; what they mean for a corpus is found out later.
    pub(super) fn check(&self) -> Result<()> {
        let spec = &self.trainer;
        fn wrong(message: String) -> Result<()> {
            Err(Error::new(ErrorKind::Train, message))
        }
        fn range<T: PartialOrd + std::fmt::Display>(name: &str, value: T, least: T, most: T) -> Result<()> {
            if value >= least && value <= most {
                return Ok(());
            }
            wrong(format!("{name} is {value}: it must lie between {least} and {most}"))
        }
        let kind = spec.model_type();
        if spec.vocab_size() <= 0 {
            return wrong(format!("vocab_size is {}: it must be above 0", spec.vocab_size()));
        }
        let subwords = kind == sections::UNIGRAM || kind == sections::BPE;
        if subwords && spec.use_all_vocab() {
            return wrong("use_all_vocab is for word and character models only: leave it out".into());
        }
        if kind != sections::UNIGRAM && !spec.seed_sentencepieces_file().is_empty() {
            return wrong("seed_sentencepieces_file is for Unigram models only: leave it out".into());
        }
        // The bounds are single-precision numbers rounded up and down, as the option is one.
        if !(0.98..=1.0).contains(&f64::from(spec.character_coverage())) {
            return wrong(format!(
                "character_coverage is {}: it must lie between 0.98 and 1",
                spec.character_coverage()
            ));
        }
        range("max_sentencepiece_length", spec.max_sentencepiece_length(), 1, 512)?;
        range("num_sub_iterations", spec.num_sub_iterations(), 1, 10)?;
        range("num_threads", spec.num_threads(), 1, 1024)?;
        range("self_test_sample_size", spec.self_test_sample_size(), 0, i32::MAX)?;
        if !(0.5..=0.95).contains(&f64::from(spec.shrinking_factor())) {
            return wrong(format!(
                "shrinking_factor is {}: it must lie between 0.5 and 0.95",
                spec.shrinking_factor()
            ));
        }
        range("max_sentence_length", spec.max_sentence_length(), 10, 1 << 30)?;
        if (1..=100).contains(&spec.input_sentence_size()) {
            return wrong(format!(
                "input_sentence_size is {}: it must be 0, for all sentences, or above 100",
                spec.input_sentence_size()
            ));
        }
        for (name, piece) in [
            ("unk_piece", spec.unk_piece()),
            ("bos_piece", spec.bos_piece()),
            ("eos_piece", spec.eos_piece()),
            ("pad_piece", spec.pad_piece()),
        ] {
            if piece.is_empty() {
                return wrong(format!("{name} is empty: every piece must have a text"));
            }
        }
        if !subwords && !spec.pretokenization_delimiter().is_empty() {
            return wrong(
                "pretokenization_delimiter is for Unigram and BPE models only: leave it out".into(),
            );
        }
        if !matches!(spec.input_format().as_str(), "" | "text" | "tsv") {
            return wrong(format!("input_format is `{}`: it must be text or tsv", spec.input_format()));
        }
        if !self.normalizer.escape_whitespaces() {
            return wrong("escape_whitespaces is false: training needs the mark that it makes".into());
        }
        Ok(())
    }
}

impl SentencePieceTrainer {
    /// Whether the options go with a pretokenizer.
    pub(super) fn check_pretokenizer(&self) -> Result<()> {
        let wrong = |message: &str| Err(Error::new(ErrorKind::Train, message));
        if !matches!(self.trainer.model_type(), sections::UNIGRAM | sections::BPE) {
            return wrong("a pretokenizer is for Unigram and BPE models only: leave it out");
        }
        if !self.trainer.pretokenization_delimiter().is_empty() {
            return wrong(
                "both a pretokenizer and pretokenization_delimiter are given: leave one of them out",
            );
        }
        Ok(())
    }
}

/// Sets one option of a normalizer section; see [`SentencePieceTrainer::set`].
fn set_normalizer(section: &mut NormalizerSection, name: &str, value: &str) -> Result<Known> {
    Ok(by_name!(section, name, value;
        text { name normalization_rule_tsv }
        flag { add_dummy_prefix remove_extra_whitespaces escape_whitespaces }
    ))
}
