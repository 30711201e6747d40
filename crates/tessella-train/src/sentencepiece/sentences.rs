//! Sentences in, counted units out.
//!
//! A unit is what no piece reaches beyond: a word, or the whole sentence where pieces may hold spaces. Every
//! sentence is normalized, reserved pieces that it spells are cut out
//! (they become a boundary, which no piece may hold), and its units are counted; the sentence itself is not kept.
//!
//! With words, a unit can be followed by a NUL and the character that comes next in the sentence: whether a
//! substring is worth a try depends on what follows it (see [`super::unigram`]).

use std::io::{BufRead, BufReader};

use tessella_core::normalize::sentencepiece::SentencePieceNormalization;
use tessella_core::random::Random;
use tessella_core::sentencepiece::bytes;
use tessella_core::text::AlignedText;
use tessella_core::{Error, ErrorKind, Result, error::excerpt};
use tessella_formats::atomic::{In, io_error};
use tessella_formats::sentencepiece::sections::{self, TrainerSpec};

use super::alphabet::word_of;
use super::{BOUNDARY, NEXT, Pretokenizer, RARE, words};
use crate::counts::{CountOptions, PieceCounts, count_texts};
use crate::progress::Progress;

/// How sentences are cut.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cut {
    /// Not at all, if false.
    pub(super) words: bool,
    pub(super) as_suffix: bool,
    pub(super) runs: bool,
    /// Words are counted with what follows them.
    pub(super) with_next: bool,
}

impl Cut {
    pub(super) fn new(spec: &TrainerSpec) -> Self {
        let kind = spec.model_type();
        Cut {
            words: kind == sections::WORD || kind == sections::CHAR || spec.split_by_whitespace(),
            as_suffix: spec.treat_whitespace_as_suffix() && kind != sections::WORD,
            runs: spec.allow_whitespace_only_pieces() && kind != sections::WORD,
            with_next: kind == sections::UNIGRAM,
        }
    }

    pub(super) fn each(&self, sentence: &str, unit: &mut dyn FnMut(&str)) {
        if !self.words {
            return unit(sentence);
        }
        let (mut at, mut buffer) = (0, String::new());
        words::split(sentence, self.as_suffix, self.runs, |word| {
            at += word.len();
            match sentence[at..].chars().next().filter(|_| self.with_next) {
                Some(next) => {
                    buffer.clear();
                    buffer.push_str(word);
                    buffer.push(NEXT);
                    buffer.push(next);
                    unit(&buffer);
                }
                None => unit(word),
            }
        });
    }
}

/// What the sentences of a corpus came to.
#[derive(Debug, Default)]
pub(super) struct Units {
    /// Units, weighted by the frequencies of their sentences.
    pub(super) counts: PieceCounts,
    /// The last unit of the last sentence: nothing follows it, not even another sentence.
    pub(super) last: String,
    /// Sentences for the self test.
    pub(super) samples: Vec<String>,
}

/// A sample of fixed size in which every item seen is equally likely to be.
struct Reservoir<T> {
    size: usize,
    seen: u64,
    kept: Vec<T>,
    random: Random,
}

impl<T> Reservoir<T> {
    fn new(size: usize, seed: u64) -> Self {
        Reservoir { size, seen: 0, kept: Vec::new(), random: Random::from_seed(seed) }
    }

    fn offer(&mut self, item: T) {
        self.seen += 1;
        if self.kept.len() < self.size {
            self.kept.push(item);
        } else if self.size > 0 {
            let place = (self.random.next_f64() * self.seen as f64) as usize;
            if let Some(kept) = self.kept.get_mut(place) {
                *kept = item;
            }
        }
    }
}

/// Sentences from any source, as bytes without a line end.
pub type Sentences<'a> = dyn Iterator<Item = Result<Vec<u8>>> + 'a;

/// The lines of files, one after the other.
pub(super) fn lines(paths: Vec<String>) -> Result<impl Iterator<Item = Result<Vec<u8>>>> {
    let mut paths = paths.into_iter();
    let open = |path: String| -> Result<_> {
        let file = In::open(path.as_ref()).map_err(|error| io_error(path.as_ref(), "reading", error))?;
        Ok((BufReader::with_capacity(1 << 20, file), path))
    };
    let mut current = paths.next().map(open).transpose()?;
    Ok(std::iter::from_fn(move || {
        loop {
            let (reader, path) = current.as_mut()?;
            let mut line = Vec::new();
            match reader.read_until(b'\n', &mut line) {
                Ok(0) => match paths.next().map(open).transpose() {
                    Ok(next) => current = next,
                    Err(error) => {
                        current = None;
                        return Some(Err(error));
                    }
                },
                Ok(_) => {
                    line.pop_if(|last| *last == b'\n');
                    return Some(Ok(line));
                }
                Err(error) => {
                    let error = io_error(path.as_ref(), "reading", error);
                    current = None;
                    return Some(Err(error));
                }
            }
        }
    }))
}

fn wrong(message: String) -> Error {
    Error::new(ErrorKind::Train, message)
}

/// Which sentences count, before anything is done with them.
struct Selection<'a, 'b> {
    sentences: &'a mut Sentences<'b>,
    with_frequency: bool,
    longest: usize,
    /// Stop after so many.
    at_most: u64,
    taken: u64,
    samples: Reservoir<Vec<u8>>,
}

impl Selection<'_, '_> {
    fn parse(&self, line: Vec<u8>) -> Result<(Vec<u8>, u64)> {
        if !self.with_frequency {
            return Ok((line, 1));
        }
        let shown = || excerpt(&String::from_utf8_lossy(&line));
        let mut fields = line.split(|&byte| byte == b'\t');
        let (Some(sentence), Some(count), None) = (fields.next(), fields.next(), fields.next()) else {
            return Err(wrong(format!(
                "a line of tsv input must be `sentence<tab>frequency`: found `{}`",
                shown()
            )));
        };
        let count = std::str::from_utf8(count).ok().and_then(|count| count.trim().parse::<i64>().ok());
        match count {
            Some(count) if count >= 1 => Ok((sentence.to_vec(), count as u64)),
            _ => Err(wrong(format!(
                "a frequency of tsv input must be a number from 1 on: found `{}`",
                shown()
            ))),
        }
    }
}

impl Iterator for Selection<'_, '_> {
    type Item = Result<(Vec<u8>, u64)>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut rare = [0; 4];
        let rare = RARE.encode_utf8(&mut rare).as_bytes();
        while self.at_most == 0 || self.taken < self.at_most {
            let (sentence, count) = match self.sentences.next()?.and_then(|line| self.parse(line)) {
                Ok(parsed) => parsed,
                Err(error) => return Some(Err(error)),
            };
            let reserved = sentence.windows(rare.len()).any(|window| window == rare);
            if sentence.is_empty() || sentence.len() > self.longest || reserved {
                continue;
            }
            self.taken += 1;
            if self.samples.size > 0 {
                self.samples.offer(sentence.clone());
            }
            return Some(Ok((sentence, count)));
        }
        None
    }
}

/// Normalizes sentences and cuts them into units.
pub(super) struct Reader<'a> {
    pub(super) normalization: &'a SentencePieceNormalization,
    pub(super) reserved: &'a Reserved,
    /// Is not part of the text, but no piece may reach beyond it; may be empty.
    pub(super) delimiter: &'a str,
    pub(super) pretokenizer: Option<&'a Pretokenizer<'a>>,
    pub(super) cut: Cut,
}

impl Reader<'_> {
    fn read(&self, sentence: &str, unit: &mut dyn FnMut(&str)) -> Result<()> {
        let mut text = AlignedText::untracked(sentence);
        self.normalization.normalize(&mut text)?;
        let mut text = bytes::restore(text.as_str()).into_owned();
        if text.contains(' ') {
            return Err(wrong(format!(
                "the normalized sentence `{}` has a space: a normalization rule or a symbol makes one",
                excerpt(&text)
            )));
        }
        if text.contains(NEXT) {
            // Never part of a piece, as little as a rare character.
            text = text.replace(NEXT, RARE.encode_utf8(&mut [0; 4]));
        }
        text = self.reserved.cut_out(text);
        let mut buffer = [0; 4];
        let boundary: &str = BOUNDARY.encode_utf8(&mut buffer);
        if let Some(pretokenizer) = self.pretokenizer {
            text = pretokenizer(&text)?.join(boundary);
        } else if !self.delimiter.is_empty() {
            text = text.replace(self.delimiter, boundary);
        }
        self.cut.each(&text, unit);
        Ok(())
    }
}

/// Pieces that are never learned from, because they have their ids already.
#[derive(Debug)]
pub(super) struct Reserved {
    /// By first byte, the longest first.
    texts: Vec<Vec<String>>,
    /// Bytes that one of them begins with.
    begins: [bool; 256],
}

impl Reserved {
    pub(super) fn new<'a>(reserved: impl Iterator<Item = &'a str>) -> Self {
        let mut texts = vec![Vec::new(); 256];
        for text in reserved {
            if let Some(&first) = text.as_bytes().first() {
                texts[usize::from(first)].push(text.to_string());
            }
        }
        texts
            .iter_mut()
            .for_each(|texts: &mut Vec<String>| texts.sort_by_key(|text| usize::MAX - text.len()));
        let begins = std::array::from_fn(|byte| !texts[byte].is_empty());
        Reserved { texts, begins }
    }

    /// A boundary in place of each of them.
    fn cut_out(&self, text: String) -> String {
        let bytes = text.as_bytes();
        if !bytes.iter().any(|&byte| self.begins[usize::from(byte)]) {
            return text;
        }
        let (mut out, mut from, mut at) = (String::new(), 0, 0);
        while at < bytes.len() {
            let here = self.texts[usize::from(bytes[at])].iter();
            match here.map(|text| text.as_bytes()).find(|reserved| bytes[at..].starts_with(reserved)) {
                Some(reserved) => {
                    out.push_str(&text[from..at]);
                    out.push(BOUNDARY);
                    at += reserved.len();
                    from = at;
                }
                None => at += 1,
            }
        }
        if from == 0 {
            return text;
        }
        out.push_str(&text[from..]);
        out
    }
}

/// Reads all sentences.
pub(super) fn load(
    sentences: &mut Sentences<'_>,
    spec: &TrainerSpec,
    reader: &Reader<'_>,
    seed: u64,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Units> {
    let (size, shuffled) = (spec.input_sentence_size(), spec.shuffle_input_sentence());
    let mut selection = Selection {
        sentences,
        with_frequency: spec.input_format() == "tsv",
        longest: spec.max_sentence_length() as usize,
        at_most: if shuffled { 0 } else { size },
        taken: 0,
        samples: Reservoir::new(spec.self_test_sample_size() as usize, seed ^ 1),
    };
    let sampled = if size > 0 && shuffled {
        let mut reservoir = Reservoir::new(usize::try_from(size).unwrap_or(usize::MAX), seed);
        for sentence in &mut selection {
            reservoir.offer(sentence?);
        }
        Some(reservoir.kept)
    } else {
        None
    };
    let mut units = Units::default();
    let mut privacy = Privacy::new(spec, seed);
    let weighted = selection.with_frequency || privacy.is_some();
    let source: Box<dyn Iterator<Item = Result<(Vec<u8>, u64)>> + '_> = match sampled {
        Some(kept) => Box::new(kept.into_iter().map(Ok)),
        None => Box::new(&mut selection),
    };
    let mut last = Vec::new();
    if weighted {
        let mut occurrences = Occurrences(0);
        for item in source {
            let (sentence, mut count) = item?;
            if let Some(privacy) = &mut privacy {
                count = privacy.disturbed(count);
            }
            if count == 0 {
                continue;
            }
            let mut counted = Ok(());
            reader.read(&bytes::spell(&sentence), &mut |unit| {
                if counted.is_ok() {
                    counted =
                        occurrences.add(unit, count, &sentence).and_then(|()| units.counts.add(unit, count));
                }
            })?;
            counted?;
            last = sentence;
        }
    } else {
        let options = CountOptions { threads, ..CountOptions::default() };
        let texts = source.map(|item| {
            item.map(|(sentence, _)| {
                last.clone_from(&sentence);
                spelled(sentence)
            })
        });
        let split = |text: &str, unit: &mut dyn FnMut(&str)| reader.read(text, unit);
        units.counts = count_texts(texts, &split, &options, progress)?;
    }
    reader.read(&bytes::spell(&last), &mut |unit| units.last = unit.to_string())?;
    if selection.taken == 0 {
        return Err(wrong(format!(
            "there is no sentence to learn from: all are empty, longer than max_sentence_length ({} bytes) or \
             hold the reserved character {RARE}",
            spec.max_sentence_length()
        )));
    }
    let samples = std::mem::take(&mut selection.samples.kept);
    units.samples = samples.iter().map(|sample| String::from_utf8_lossy(sample).into_owned()).collect();
    Ok(units)
}

/// Occurrences of characters in a corpus with frequencies. Whatever is counted of a corpus, characters, pairs or
/// words, adds up to no more, so that one check is enough for all sums.
struct Occurrences(u64);

impl Occurrences {
    fn add(&mut self, unit: &str, count: u64, sentence: &[u8]) -> Result<()> {
        let characters = word_of(unit).chars().count() as u64;
        let sum = characters.checked_mul(count).and_then(|more| self.0.checked_add(more));
        self.0 = sum.ok_or_else(|| {
            wrong(format!(
                "the frequencies are too large: with `{}` ({count} times) characters occur more than {} times. \
                 Divide all frequencies by the same number",
                excerpt(&String::from_utf8_lossy(sentence)),
                u64::MAX
            ))
        })?;
        Ok(())
    }
}

/// Frequencies with noise, so that no single sentence shows in the result.
struct Privacy {
    deviation: f64,
    threshold: u64,
    random: Random,
}

impl Privacy {
    fn new(spec: &TrainerSpec, seed: u64) -> Option<Self> {
        spec.enable_differential_privacy().then(|| Privacy {
            deviation: f64::from(spec.differential_privacy_noise_level()).max(0.0),
            threshold: spec.differential_privacy_clipping_threshold(),
            random: Random::from_seed(seed ^ 2),
        })
    }

    /// The frequency with normally distributed noise; 0 if it is below the threshold then.
    fn disturbed(&mut self, count: u64) -> u64 {
        let mut count = count;
        if self.deviation > 0.0 {
            // Box and Muller; the first number must not be 0.
            let (a, b) = (1.0 - self.random.next_f64(), self.random.next_f64());
            let noise = (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos();
            count = (count as f64 + noise * self.deviation).max(0.0).round() as u64;
        }
        if count < self.threshold { 0 } else { count }
    }
}

fn spelled(sentence: Vec<u8>) -> String {
    String::from_utf8(sentence).unwrap_or_else(|error| bytes::spell(error.as_bytes()).into_owned())
}
