//! What a call is given, and gives back.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::encoding::OffsetUnit;
use crate::error::{Error, Result};
use crate::spec::{Padding, Truncation};

/// What is encoded as one sequence.
#[derive(Debug, Clone)]
pub enum Sequence<'a> {
    /// A text.
    Text(&'a str),
    /// Already split into words; offsets are relative to each word.
    Words(Vec<&'a str>),
}

/// A sequence or a pair.
#[derive(Debug, Clone)]
pub struct Input<'a> {
    /// The text, or the first of a pair.
    pub first: Sequence<'a>,
    /// The other one.
    pub second: Option<Sequence<'a>>,
}

impl<'a> From<&'a str> for Input<'a> {
    fn from(text: &'a str) -> Self {
        Input { first: Sequence::Text(text), second: None }
    }
}

impl<'a> From<(&'a str, &'a str)> for Input<'a> {
    fn from((first, second): (&'a str, &'a str)) -> Self {
        Input { first: Sequence::Text(first), second: Some(Sequence::Text(second)) }
    }
}

impl Input<'_> {
    /// Bytes of text.
    pub(super) fn size(&self) -> usize {
        let of = |sequence: &Sequence<'_>| match sequence {
            Sequence::Text(text) => text.len(),
            Sequence::Words(words) => words.iter().map(|word| word.len()).sum(),
        };
        of(&self.first) + self.second.as_ref().map_or(0, of)
    }
}

/// The settings of one call. Nothing of it stays in the tokenizer.
#[derive(Debug, Clone)]
pub struct EncodeOptions<'a> {
    /// Whether the post-processor puts in its tokens.
    pub add_special_tokens: bool,
    /// What offsets count.
    pub offsets: OffsetUnit,
    /// Special tokens in the text are ordinary text.
    pub encode_special_tokens: bool,
    /// Truncation and padding of this call (the tokenizer's own are only data in its description; the
    /// caller passes them here when they should apply).
    pub truncation: Option<&'a Truncation>,
    /// Fills the row, or all rows of a batch to one length.
    pub padding: Option<&'a Padding>,
    /// Worker threads of a batch; 0 means one per available core.
    pub threads: usize,
    /// Set from elsewhere to make the call return [`crate::ErrorKind::Interrupted`] soon.
    pub cancel: Option<&'a Arc<AtomicBool>>,
}

impl Default for EncodeOptions<'_> {
    fn default() -> Self {
        EncodeOptions {
            add_special_tokens: true,
            offsets: OffsetUnit::Char,
            encode_special_tokens: false,
            truncation: None,
            padding: None,
            threads: 0,
            cancel: None,
        }
    }
}

impl EncodeOptions<'_> {
    pub(super) fn check_cancelled(&self) -> Result<()> {
        match self.cancel {
            Some(flag) if flag.load(Ordering::Relaxed) => Err(Error::interrupted()),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Tokenizer;
    use super::super::tests::unigram;
    use super::*;
    use crate::error::ErrorKind;
    use crate::spec::TokenizerSpec;

    #[test]
    fn what_is_cancelled_already_does_nothing() {
        let tokenizer = Tokenizer::new(TokenizerSpec::new(unigram(false, true))).unwrap();
        let flag = Arc::new(AtomicBool::new(false));
        let texts = ["ab", "a"];
        for threads in [1, 2] {
            let options = EncodeOptions { cancel: Some(&flag), threads, ..EncodeOptions::default() };
            let outcomes = || {
                [
                    tokenizer.encode_ids_batch(texts.as_slice(), &options).map(drop),
                    tokenizer.encode_batch(texts.map(Input::from).as_slice(), &options).map(drop),
                ]
            };
            flag.store(false, Ordering::Relaxed);
            outcomes().into_iter().for_each(|outcome| outcome.unwrap());
            flag.store(true, Ordering::Relaxed);
            for outcome in outcomes() {
                assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Interrupted);
            }
        }
    }
}
