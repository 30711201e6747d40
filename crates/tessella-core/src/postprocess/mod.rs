//! Stage 4: special tokens around the sequences, truncation, padding.
//!
//! In the order in which they run: [`truncate`] cuts the sequences so that the special tokens will fit,
//! [`PostProcessor::process`] (or [`process_default`]) puts those around them and joins the pair, [`pad`]
//! makes a batch equally long.
//!
//! A processor works on a *list* of encodings: one or two sequences at first, then whatever the processor
//! before it made of them (a template leaves one encoding for each of its pieces). The list is joined at
//! the end. Windows of the overflow travel inside their encodings and get everything that those get. Where nobody behind a template
//! would see its list, as nearly everywhere, its special tokens are put around the sequences instead, and no list is made of them.

use std::sync::Arc;

use crate::encoding::Encoding;
use crate::error::Result;
use crate::ids::TokenId;
use crate::spec::PostProcessorSpec;

mod padding;
mod template;
mod truncation;

pub use padding::pad;
pub use truncation::truncate;

/// A special token: its text and its id.
type Special = (Arc<str>, TokenId);

/// A compiled post-processor.
#[derive(Debug)]
#[allow(missing_docs)] // Each is what compiling the variant of `PostProcessorSpec` gives.
pub enum PostProcessor {
    /// `CLS A SEP`, and for a pair `CLS A SEP B SEP` with type 1 for the second part.
    Bert {
        sep: Special,
        cls: Special,
    },
    /// `CLS A SEP`, and for a pair `CLS A SEP SEP B SEP`, all of type 0.
    Roberta {
        sep: Special,
        cls: Special,
        trim_offsets: bool,
        add_prefix_space: bool,
    },
    /// No tokens; offsets lose the blanks that byte-level tokens begin and end with.
    ByteLevel {
        trim_offsets: bool,
        add_prefix_space: bool,
    },
    Template(template::CompiledTemplate),
    Sequence(Vec<PostProcessor>),
}

impl PostProcessor {
    /// Fails if a template names a special token that it does not define.
    pub fn new(spec: &PostProcessorSpec) -> Result<Self> {
        let special = |(text, id): &(String, TokenId)| (Arc::from(text.as_str()), *id);
        Ok(match spec {
            PostProcessorSpec::Bert { sep, cls } => {
                PostProcessor::Bert { sep: special(sep), cls: special(cls) }
            }
            PostProcessorSpec::Roberta { sep, cls, trim_offsets, add_prefix_space } => {
                PostProcessor::Roberta {
                    sep: special(sep),
                    cls: special(cls),
                    trim_offsets: *trim_offsets,
                    add_prefix_space: *add_prefix_space,
                }
            }
            PostProcessorSpec::ByteLevel { add_prefix_space, trim_offsets, use_regex: _ } => {
                PostProcessor::ByteLevel { trim_offsets: *trim_offsets, add_prefix_space: *add_prefix_space }
            }
            PostProcessorSpec::Template(template) => {
                PostProcessor::Template(template::CompiledTemplate::new(template)?)
            }
            PostProcessorSpec::Sequence(processors) => PostProcessor::Sequence(
                processors.iter().map(PostProcessor::new).collect::<Result<Vec<_>>>()?,
            ),
        })
    }

    /// How many special tokens [`process`](Self::process) adds.
    pub fn added_tokens(&self, is_pair: bool) -> usize {
        match self {
            PostProcessor::Bert { .. } => 2 + usize::from(is_pair),
            PostProcessor::Roberta { .. } => 2 + 2 * usize::from(is_pair),
            PostProcessor::ByteLevel { .. } => 0,
            PostProcessor::Template(template) => template.added_tokens(is_pair),
            PostProcessor::Sequence(processors) => {
                processors.iter().map(|processor| processor.added_tokens(is_pair)).sum()
            }
        }
    }

    /// Joins the sequence, or the pair, into one encoding.
    pub fn process(
        &self,
        mut first: Encoding,
        second: Option<Encoding>,
        add_special: bool,
    ) -> Result<Encoding> {
        begin(&mut first, 0);
        let Some(mut second) = second else {
            if self.leaves_as_many(1) {
                self.apply_in_place(std::slice::from_mut(&mut first), add_special)?;
                return Ok(first);
            }
            return self.apply_and_join(vec![first], add_special);
        };
        begin(&mut second, 1);
        let mut pair = vec![first, second];
        if self.leaves_as_many(2) {
            self.apply_in_place(&mut pair, add_special)?;
            return Encoding::merge(pair, false);
        }
        self.apply_and_join(pair, add_special)
    }

    fn apply_and_join(&self, mut encodings: Vec<Encoding>, add_special: bool) -> Result<Encoding> {
        self.apply(&mut encodings, add_special)?;
        join(encodings)
    }

    /// Whether so many encodings need not become a list of other length, for nobody behind it sees it.
    fn leaves_as_many(&self, count: usize) -> bool {
        match self {
            PostProcessor::Template(template) => template.is_around_each(count),
            PostProcessor::Sequence(processors) => processors.split_last().is_none_or(|(last, before)| {
                last.leaves_as_many(count) && !before.iter().any(PostProcessor::has_template)
            }),
            _ => true,
        }
    }

    /// Whether what comes behind it gets a list that may be longer.
    fn has_template(&self) -> bool {
        match self {
            PostProcessor::Template(_) => true,
            PostProcessor::Sequence(processors) => processors.iter().any(PostProcessor::has_template),
            _ => false,
        }
    }

    /// What [`apply`](Self::apply) comes to, once joined, where it [leaves as many](Self::leaves_as_many).
    fn apply_in_place(&self, encodings: &mut [Encoding], add_special: bool) -> Result<()> {
        match self {
            PostProcessor::Template(template) => template.put_around(encodings, add_special),
            PostProcessor::Sequence(processors) => {
                processors.iter().try_for_each(|processor| processor.apply_in_place(encodings, add_special))
            }
            _ => {
                self.apply_to_each(encodings, add_special);
                Ok(())
            }
        }
    }

    fn apply(&self, encodings: &mut Vec<Encoding>, add_special: bool) -> Result<()> {
        match self {
            PostProcessor::Template(template) => template.apply(encodings, add_special),
            PostProcessor::Sequence(processors) => {
                processors.iter().try_for_each(|processor| processor.apply(encodings, add_special))
            }
            _ => {
                self.apply_to_each(encodings, add_special);
                Ok(())
            }
        }
    }

    /// What is done to each encoding for itself. Templates and sequences do more.
    fn apply_to_each(&self, encodings: &mut [Encoding], add_special: bool) {
        match self {
            PostProcessor::Bert { sep, cls } => {
                if add_special {
                    for (index, encoding) in encodings.iter_mut().enumerate() {
                        let (before, type_id) = if index == 0 { (Some(cls), 0) } else { (None, 1) };
                        surround(encoding, before, sep, type_id, index.min(1));
                    }
                }
            }
            PostProcessor::Roberta { sep, cls, trim_offsets, add_prefix_space } => {
                for (index, encoding) in encodings.iter_mut().enumerate() {
                    if *trim_offsets {
                        encoding.trim_offsets(*add_prefix_space);
                    }
                    encoding.set_type_id(0);
                    if add_special {
                        let before = if index == 0 { cls } else { sep };
                        surround(encoding, Some(before), sep, 0, index.min(1));
                    }
                }
            }
            PostProcessor::ByteLevel { add_prefix_space, trim_offsets } => {
                for (index, encoding) in encodings.iter_mut().enumerate() {
                    if *trim_offsets {
                        encoding.trim_offsets(*add_prefix_space);
                    }
                    encoding.set_sequence_id(index);
                }
            }
            PostProcessor::Template(_) | PostProcessor::Sequence(_) => {}
        }
    }
}

/// What happens without a post-processor: the sequences one after the other. Types stay as they are; the
/// sequences of a pair are numbered.
pub fn process_default(first: Encoding, second: Option<Encoding>) -> Result<Encoding> {
    let Some(second) = second else {
        return Ok(first);
    };
    let mut pair = vec![first, second];
    for (sequence, encoding) in pair.iter_mut().enumerate() {
        set_sequence(encoding, sequence);
    }
    join(pair)
}

fn join(mut encodings: Vec<Encoding>) -> Result<Encoding> {
    match encodings.len() {
        1 => Ok(encodings.remove(0)),
        _ => Encoding::merge(encodings, false),
    }
}

/// What the first of processors gets.
fn begin(encoding: &mut Encoding, sequence: usize) {
    set_sequence(encoding, sequence);
    encoding.set_type_id(sequence as u32);
}

fn set_sequence(encoding: &mut Encoding, sequence: usize) {
    encoding.set_sequence_id(sequence);
    for window in &mut encoding.overflowing {
        window.set_sequence_id(sequence);
    }
}

fn surround(
    encoding: &mut Encoding,
    before: Option<&Special>,
    after: &Special,
    type_id: u32,
    sequence: usize,
) {
    let mut windows = encoding.take_overflowing();
    for part in std::iter::once(&mut *encoding).chain(&mut windows) {
        let before = before.map(|(text, id)| (text, *id));
        part.surround(before, (&after.0, after.1), type_id, sequence);
    }
    encoding.overflowing = windows;
}

#[cfg(test)]
mod tests;
