//! Ids of much text by its words, as they stand in it.
//!
//! Where blanks and single characters are all that cuts a text, and the normalizer makes of each word what it is
//! whatever stands around it, the *raw* word is a key for its ids: nothing is normalized or written but words that
//! come for the first time. Words are found by masks and go by the hundred ([`crate::lanes`]); a new one takes
//! all stages by itself.
//!
//! What a character is, the stages themselves say: it is normalized alone and looked at. A text with a character that
//! tells more than that (white space and a letter at once, a mark that would join with a blank) takes the slow
//! way as a whole, which is also the twin that this one is tested against.

use std::sync::{Arc, OnceLock};

use super::fresh::{Fresh, Solving};
use super::parts::{Breaks, UNCERTAIN};
use super::rows::RowCut;
use super::short::{Room, ShortWritings};
use super::traps::Traps;
use super::word_blanks::BlanksInFront;
use super::word_places::WordPlaces;
use super::word_stages::{Cut, Stages};
use super::writings::Writings;
use super::written_tables::Writing;
use crate::added::AddedVocabulary;
use crate::error::Result;
use crate::lanes::{Characters, Key, Rectangles};
use crate::model::Model;
use crate::normalize::{AsciiFates, Normalizer};
use crate::pretokenize::PreTokenizer;
use crate::random::Random;
use crate::text::{AlignedText, MOST_BYTES};

/// What all workers share.
#[derive(Debug)]
pub(super) struct Words {
    pub stages: Stages,
    /// Made when the first worker has seen enough text.
    characters: OnceLock<Option<Characters>>,
    ascii: AsciiFates,
    /// Whether every character becomes what it becomes alone, or most do.
    by_character: bool,
    blanks_in_front: Option<BlanksInFront>,
    writings: Writings,
    /// Of characters that keep their places, made when somebody asks for places.
    placed: OnceLock<Writings>,
    short: ShortWritings,
    breaks: Breaks,
    fresh: Fresh,
    /// How texts are written that are mostly beyond ASCII.
    pub writing: Writing,
    /// How new words are put in a row.
    row_cut: Option<RowCut>,
    pub traps: Traps,
    pub hash_seed: [u64; 2],
}

/// Texts of this many bytes and more take the slow way, which knows what normalization may make of them.
pub(super) const LONGEST_TEXT: usize = MOST_BYTES / 8;

impl Words {
    /// `None` where words are not all that matters.
    pub fn new(
        model: &Arc<Model>,
        normalizer: Option<&Arc<Normalizer>>,
        pre_tokenizer: Option<&Arc<PreTokenizer>>,
        added: &AddedVocabulary,
    ) -> Option<Words> {
        // What a word becomes is kept where larger ids have no room.
        let is_kept = model.id_bound() <= UNCERTAIN as usize;
        if !is_kept || !model.is_deterministic() || model.remembers_parts() {
            return None;
        }
        let stages = Stages::new(model, normalizer, pre_tokenizer?)?;
        let traps = Traps::new(added, model, |c| stages.standing(c))?;
        let is_local = match &stages.normalizer {
            None => true,
            Some(_) if stages.cuts_at_characters() => stages.is_by_character(),
            Some(normalizer) => {
                normalizer.is_local_to_words(|c| stages.kind(c).is_blank(), |c| stages.drops(c))
            }
        };
        let ascii = match (&stages.cut, &stages.normalizer) {
            // A word may have to be cut where the mark stands.
            (Cut::Marked(view), _) if view.mark().is_ascii() => AsciiFates::unknown(),
            (_, Some(normalizer)) => normalizer.ascii_fates(),
            (_, None) => AsciiFates::none(),
        };
        // With one in it, a word is more than a piece.
        let ascii = if stages.gaps().is_some() { ascii.but(b' ') } else { ascii };
        let tells = |normalizer: &Arc<Normalizer>| normalizer.tells_anywhere();
        let by_character = stages.is_by_character() || stages.normalizer.as_ref().is_some_and(tells);
        let mut random = Random::from_entropy();
        let blanks_in_front = BlanksInFront::new(&stages);
        is_local.then(|| Words {
            blanks_in_front,
            row_cut: RowCut::new(stages.normalizer.as_deref(), stages.all_that_cut()),
            stages,
            characters: OnceLock::new(),
            ascii,
            by_character,
            writings: Writings::new(),
            placed: OnceLock::new(),
            short: ShortWritings::new(),
            breaks: Breaks::default(),
            fresh: Fresh::default(),
            writing: Writing::default(),
            traps,
            hash_seed: [random.next_u64(), random.next_u64()],
        })
    }

    /// Whether words come to the same ids in both.
    pub fn are_as_in(&self, other: &Words) -> bool {
        self.stages.are_as_in(&other.stages) && self.traps == other.traps
    }

    /// Whether words are sooner found out than the whole text. Where neighbours within a word matter, words beyond ASCII
    /// take all stages, each with what beginning a stage costs; many of them cost more than the text as a whole.
    pub fn pays_for(&self, text: &str) -> bool {
        let wide = || text.bytes().filter(|byte| !byte.is_ascii()).count();
        self.by_character || wide() <= text.len() / 8
    }

    /// How new words are put in a row, where their characters do not tell what most of them become.
    pub fn row_cut(&self) -> Option<&RowCut> {
        self.row_cut.as_ref().filter(|_| !self.by_character || self.stages.cut_further())
    }

    /// What the model gets for a word whose characters become what they become anywhere: then it is one piece, or none if
    /// nothing is left.
    pub fn plainly<'b>(&self, word: &str, buffer: &'b mut String) -> Option<&'b str> {
        let told = |c: char, buffer: &mut String| self.writings.write(c, buffer, || self.stages.becomes(c));
        self.by_character((word, None), buffer, told, |_, _| true)
    }

    /// Whether texts may be written as the model reads them.
    pub fn may_be_written(&self) -> bool {
        matches!(&*self.stages.model, Model::Unigram(_))
            && self.traps.are_none()
            && self.stages.mark_of_words().is_some()
    }

    /// What a character of ASCII becomes, if that is one, where no literal is replaced.
    pub fn ascii_of(&self, byte: u8) -> Option<u8> {
        self.ascii.of(byte)
    }

    /// Whether a word vanishes, or what begins it does, and leaves its place to the blank before it or to the word, as they stand
    /// together: `first` is where the first character of the normalized word comes from. Only where each character is by itself such a
    /// place is the word's, and where nothing is before it.
    pub fn begin_with_nothing(&self, word: &str, normalized: &str, first: usize) -> Result<bool> {
        let Some(c) = word.chars().next() else { return Ok(false) };
        let is_marked = matches!(self.stages.cut, Cut::Marked(_));
        if !is_marked && self.stages.is_by_character() {
            return Ok(false);
        }
        if normalized.is_empty() || first != 0 {
            return Ok(true);
        }
        let becomes_one = u8::try_from(c).is_ok_and(|byte| byte.is_ascii() && self.ascii.of(byte).is_some());
        Ok(!becomes_one && self.stages.normalize(c)?.is_empty())
    }

    /// Whether a text has no literal that is replaced.
    pub fn has_no_literal(&self, text: &str) -> bool {
        self.ascii.hold_for_text(text.as_bytes())
    }

    /// The same for a word whose characters keep their places, with where they stand.
    #[inline]
    pub fn in_place<'b>(
        &self,
        word: &str,
        buffer: &'b mut String,
        places: &mut WordPlaces,
    ) -> Option<&'b str> {
        if self.placed.get().is_none() {
            // By every thread that needs it and has not got it yet, so that none waits for another.
            let _ = self.placed.set(Writings::new());
        }
        let placed = self.placed.get()?;
        places.begin();
        self.by_character(
            (word, self.blanks_in_front.as_ref()),
            buffer,
            |c, buffer| placed.write(c, buffer, || self.stages.becomes_in_place(c)),
            |character, end| {
                places.note(word, character, end);
                // What vanishes at a word's start is told by more than the word.
                end > 0
            },
        )
    }

    /// What a word becomes if each character is an ASCII one that becomes one, stays, or is `told`, and there may be `blanks` in front;
    /// asked for each, with its place and what is written with it, `each` may stop that.
    #[inline(always)]
    fn by_character<'b>(
        &self,
        (word, blanks): (&str, Option<&BlanksInFront>),
        buffer: &'b mut String,
        told: impl Fn(char, &mut String) -> bool,
        mut each: impl FnMut((usize, usize), usize) -> bool,
    ) -> Option<&'b str> {
        if self.stages.cut_further() {
            return None;
        }
        let bytes = word.as_bytes();
        buffer.clear();
        let mut characters = None;
        // What stays is written together; that from byte `from` on is not yet.
        let mut at = blanks.map_or(Some(0), |blanks| blanks.length(bytes))?;
        let mut from = at;
        if at > 0 {
            buffer.push(' ');
            if !each((0, at), buffer.len()) {
                return None;
            }
        }
        // Whether the character before stays among others, and whether that is all that is known of it.
        let (mut is_among, mut is_only_among) = (true, false);
        while let Some(&byte) = bytes.get(at) {
            let (mut length, mut among) = (1, false);
            let stays;
            let mut fate = None;
            if byte.is_ascii() {
                fate = self.ascii.of(byte);
                stays = fate == Some(byte) || at == 0 && byte == b' ' && blanks.is_some();
            } else {
                if characters.is_none() {
                    characters = self.characters();
                }
                let (kind, width) = characters?.at(bytes, at);
                (length, stays, among) = (width as usize, kind.stays(), kind.stays_among());
            }
            let only_among = among && is_among && !stays;
            // A cluster ends in front of what is ASCII.
            if is_only_among && !among && !byte.is_ascii() {
                return None;
            }
            (is_among, is_only_among) = (among, only_among);
            let mut end = buffer.len() + at + length - from;
            if !stays && !only_among {
                buffer.push_str(word.get(from..at)?);
                from = at + length;
                match fate {
                    Some(fate) => buffer.push(fate.into()),
                    // What is taken out, a control character, is no single byte.
                    None if byte.is_ascii() && !self.by_character => return None,
                    None if !told(word.get(at..)?.chars().next()?, buffer) => return None,
                    None => {}
                }
                end = buffer.len();
            }
            if !each((at, length), end) {
                return None;
            }
            at += length;
        }
        buffer.push_str(word.get(from..)?);
        self.ascii.hold_for(bytes).then_some(buffer)
    }

    /// The same for a word that is a key, with characters of up to two bytes; `None` if that cannot be told so.
    #[inline]
    pub fn shortly<'r>(&self, word: Key, room: &'r mut Room) -> Option<&'r str> {
        if self.stages.cut_further() || !self.ascii.hold_for_short(word.padded()) {
            return None;
        }
        self.short.write(word, &self.ascii, room, |c| {
            let mut alone = String::new();
            self.plainly(c.encode_utf8(&mut [0; 4]), &mut alone).map(str::to_owned)
        })
    }

    /// The same for a word of ASCII characters that become one each.
    #[inline]
    pub fn byte_by_byte<'r>(&self, word: Key, room: &'r mut Room) -> Option<&'r str> {
        let is_told = word.is_ascii()
            && self.ascii.hold_for_short(word.padded())
            && self.ascii.write(&word.bytes(), word.len(), room.first_chunk_mut()?);
        std::str::from_utf8(room.get(..word.len())?).ok().filter(|_| is_told)
    }

    /// Whether an added token that is looked for in normalized text may be in what stands between those of raw text.
    #[cold]
    pub fn may_have_added(&self, stretch: &str) -> Result<bool> {
        // Some of what is written there has been taken out of the normalizer.
        if self.stages.gaps().is_some() {
            return Ok(true);
        }
        let mut text = AlignedText::untracked(stretch);
        if let Some(normalizer) = &self.stages.normalizer {
            normalizer.normalize(&mut text)?;
        }
        Ok(self.traps.has_token(text.as_str()))
    }

    /// Where words may be cut, once there is so much text. Parts of a word have no gap between them; where other words have
    /// none either, they could not be told from these.
    /// Nor are there parts where places are wanted of words with blanks in front.
    pub fn breaks(&self, bytes: usize, packs: bool) -> Option<&Rectangles> {
        match self.stages.cut {
            // What has blanks behind it is no part.
            Cut::Marked(_)
                if !self.stages.cuts_at_characters()
                    && !self.stages.gaps().is_some_and(|gaps| packs || gaps.are_pieces()) =>
            {
                let normalizer = self.stages.normalizer.as_deref();
                self.breaks.get(&self.stages.model, normalizer, &self.ascii, bytes, self.traps.contents())
            }
            Cut::Marked(_) | Cut::Splits(_) | Cut::Stages(_) => None,
        }
    }

    /// What new words are solved by together, once there is so much text.
    pub fn solving(&self, bytes: usize) -> Option<Solving<'_>> {
        match &self.stages.cut {
            Cut::Marked(view) => self.fresh.get(&self.stages.model, (view.mark(), view.prepends()), bytes),
            Cut::Splits(_) | Cut::Stages(_) => None,
        }
    }

    /// What characters are; `None` if ASCII already is more than words and blanks, or several characters may become blanks.
    pub fn characters(&self) -> Option<&Characters> {
        let make = || {
            if !self.stages.clusters_are_solid() {
                return None;
            }
            let stages = self.stages.clone();
            let join = stages.joins_alone();
            Characters::new(Box::new(move |c| stages.kind(c)), join)
        };
        match self.characters.get() {
            Some(characters) => characters.as_ref(),
            None => {
                // By every thread that needs it and has not got it yet, so that none waits for another.
                let _ = self.characters.set(make());
                self.characters.get()?.as_ref()
            }
        }
    }
}
