//! What a text is written by ([`blanks`](super::blanks)): what becomes of each character, and where its neighbours matter.

use std::ops::Range;

/// What becomes of a character that no rule goes on behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Stays,
    Blank,
    /// It stays, and the model does not know it. Beyond ASCII it may also become several of that kind.
    Strange,
    /// It becomes another character, of ASCII.
    Becomes(u8),
    /// It is not written.
    Gone,
    /// The rules tell.
    Other,
}

/// Beside which others it is not told of a character alone what it becomes, where a word is looked up by its clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Beside {
    /// It may be looked up together with one behind it that joins with it and has two bytes, or more.
    pub goes_on: (bool, bool),
    /// It joins with what is in front, and has two bytes, or more.
    pub is_inner: (bool, bool),
    /// It becomes a blank.
    pub is_blank: bool,
    /// It becomes nothing.
    pub vanishes: bool,
}

/// A word of a text that is written as a whole.
#[derive(Debug)]
pub struct WholeWord {
    /// Where it stands.
    pub range: Range<usize>,
    /// What it becomes, with blanks where it is cut.
    pub text: String,
    /// Where in the text each character of that came from, if that was asked for.
    pub spans: Vec<[u32; 2]>,
}

/// What a text is written by.
pub trait Rules {
    /// Whether words are normalized apart, so that [`word`](Self::word) tells what [`alone`](Self::alone) leaves open.
    const BY_WORDS: bool = false;

    /// What becomes of a character, and what it is to its neighbours besides what [`goes_on`](Self::goes_on) and
    /// [`inner`](Self::inner) tell.
    fn fate(&self, c: char) -> (Fate, Beside);

    /// Appends what a character becomes beside all others of which [`fate`](Self::fate) does not say otherwise; false, and nothing
    /// is appended, if its word has to tell. For texts whose words are normalized apart, instead of [`chunk`](Self::chunk).
    fn alone(&self, _c: char, _out: &mut String) -> bool {
        false
    }

    /// The word around a place of which characters do not tell what they become.
    fn word(&self, _text: &str, _at: usize) -> Option<WholeWord> {
        None
    }

    /// Calls with every byte that may stand behind a character within a rule.
    fn goes_on(&self, c: char, with: &mut dyn FnMut(u8));

    /// The characters beyond ASCII, in order, that stand behind another one within a rule; `None` if any may.
    fn inner(&self) -> Option<Vec<char>>;

    /// How many bytes at the start of a text are replaced together, and by what. `None` if texts like this one are not
    /// to be written this way.
    fn chunk<'t>(&'t self, text: &'t str) -> Option<(usize, &'t str)>;
}

/// ASCII characters that stand for those that a model does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Strangers {
    pub usual: u8,
    /// Each [`Strangers::RUN`]th of them in a row. A unit ends behind it.
    pub last: u8,
}

impl Strangers {
    /// Whether a byte of a written text stands for another character.
    #[inline(always)]
    pub fn has(self, byte: u8) -> bool {
        (byte == self.usual) | (byte == self.last)
    }

    /// As long as a key.
    pub(super) const RUN: usize = super::key::LONGEST;
}

/// How a text begins and what happens to its blanks.
#[derive(Debug, Clone, Copy)]
pub struct Spacing {
    /// A blank comes in front.
    pub prepends: bool,
    /// Blanks are dropped first, last and behind others.
    pub drops: bool,
}
