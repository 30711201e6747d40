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

use super::fresh::{Batch, Fresh, Solving};
use super::packed::{self, Placed};
use super::parts::{self, Breaks, UNCERTAIN};
use super::segment::normalize_str;
use super::short::{Room, ShortWritings};
use super::spelling::{Reading, Spelling};
use super::way::Form;
use super::word_places::WordPlaces;
use super::writings::Writings;
use crate::added::{AddedVocabulary, Segment};
use crate::error::Result;
use crate::ids::{PieceToken, TokenId};
use crate::lanes::{
    Characters, Filled, Key, Kind, LongPieces, Pieces, Rectangles, Runner, Solve, Spans, Work,
};
use crate::model::{Model, Scratch};
use crate::normalize::{AsciiFates, BesideBlanks, Normalizer};
use crate::pretokenize::{MarkedView, PreTokenizer, SplitView, Standing, TableSplit};
use crate::random::Random;
use crate::text::{AlignedText, MOST_BYTES};
use crate::unicode::categories::is_mark;

/// How a word is cut further once it is normalized.
#[derive(Debug, Clone)]
pub(super) enum Cut {
    Splits(SplitView),
    Marked(MarkedView),
}

/// The stages that a word takes.
#[derive(Debug, Clone)]
pub(super) struct Stages {
    pub normalizer: Option<Arc<Normalizer>>,
    pub cut: Cut,
    table: TableSplit,
    pub model: Arc<Model>,
}

/// What all workers share.
#[derive(Debug)]
pub(super) struct Words {
    pub stages: Stages,
    /// Made when the first worker has seen enough text.
    characters: OnceLock<Option<Characters>>,
    ascii: AsciiFates,
    /// Whether every character becomes what it becomes alone, or most do.
    by_character: bool,
    writings: Writings,
    /// Of characters that keep their places, made when somebody asks for places.
    placed: OnceLock<Writings>,
    short: ShortWritings,
    breaks: Breaks,
    fresh: Fresh,
    hash_seed: [u64; 2],
}

/// Texts of this many bytes and more take the slow way, which knows what normalization may make of them.
const LONGEST_TEXT: usize = MOST_BYTES / 8;

impl Words {
    /// `None` where words are not all that matters.
    pub fn new(
        model: &Arc<Model>,
        normalizer: Option<&Arc<Normalizer>>,
        pre_tokenizer: Option<&Arc<PreTokenizer>>,
        added: &AddedVocabulary,
    ) -> Option<Words> {
        if !model.is_deterministic() || model.remembers_parts() || added.has_normalized() {
            return None;
        }
        let pre_tokenizer = pre_tokenizer?;
        let (cut, table) = match (pre_tokenizer.split_view(), pre_tokenizer.marked_view()) {
            (Some(splits), _) => (Cut::Splits(splits.clone()), splits.only_table()?),
            (None, Some(marked)) => (Cut::Marked(marked.clone()), marked.splits().only_table()?),
            (None, None) => return None,
        };
        table.standing('a')?;
        let stages = Stages { normalizer: normalizer.cloned(), cut, table, model: model.clone() };
        let is_local = match &stages.normalizer {
            None => true,
            Some(normalizer) if stages.cuts_at_characters() => normalizer.is_local_to_characters(),
            Some(normalizer) => normalizer.is_local_to_words(|c| stages.kind(c).is_blank()),
        };
        let ascii = match (&stages.cut, &stages.normalizer) {
            // A word may have to be cut where the mark stands.
            (Cut::Marked(view), _) if view.mark().is_ascii() => AsciiFates::unknown(),
            (_, Some(normalizer)) => normalizer.ascii_fates(),
            (_, None) => AsciiFates::none(),
        };
        let tells = |normalizer: &Arc<Normalizer>| normalizer.tells_anywhere();
        let by_character = stages.is_by_character() || stages.normalizer.as_ref().is_some_and(tells);
        let mut random = Random::from_entropy();
        is_local.then(|| Words {
            stages,
            characters: OnceLock::new(),
            ascii,
            by_character,
            writings: Writings::new(),
            placed: OnceLock::new(),
            short: ShortWritings::new(),
            breaks: Breaks::default(),
            fresh: Fresh::default(),
            hash_seed: [random.next_u64(), random.next_u64()],
        })
    }

    /// Whether words come to the same ids in both.
    pub fn are_as_in(&self, other: &Words) -> bool {
        let same = |one: &Option<Arc<Normalizer>>, two: &Option<Arc<Normalizer>>| match (one, two) {
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            (one, two) => one.is_none() && two.is_none(),
        };
        let (one, two) = (&self.stages, &other.stages);
        Arc::ptr_eq(&one.model, &two.model)
            && same(&one.normalizer, &two.normalizer)
            && one.table == two.table
            && one.form() == two.form()
    }

    /// Whether words are sooner found out than the whole text. Where neighbours within a word matter, words beyond ASCII
    /// take all stages, each with what beginning a stage costs; many of them cost more than the text as a whole.
    fn pays_for(&self, text: &str) -> bool {
        let wide = || text.bytes().filter(|byte| !byte.is_ascii()).count();
        self.by_character || wide() <= text.len() / 8
    }

    /// What the model gets for a word whose characters become what they become anywhere: then it is one piece, or none if
    /// nothing is left.
    fn plainly<'b>(&self, word: &str, buffer: &'b mut String) -> Option<&'b str> {
        let told = |c: char, buffer: &mut String| self.writings.write(c, buffer, || self.stages.becomes(c));
        self.by_character(word, buffer, told, |_, _| true)
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
            word,
            buffer,
            |c, buffer| placed.write(c, buffer, || self.stages.becomes_in_place(c)),
            |character, end| {
                places.note(word, character, end);
                // What vanishes at a word's start is told by more than the word.
                end > 0
            },
        )
    }

    /// What a word becomes if each character is an ASCII one that becomes one, stays, or is `told`; asked for each, with its place
    /// and what is written with it, `each` may stop that.
    #[inline(always)]
    fn by_character<'b>(
        &self,
        word: &str,
        buffer: &'b mut String,
        told: impl Fn(char, &mut String) -> bool,
        mut each: impl FnMut((usize, usize), usize) -> bool,
    ) -> Option<&'b str> {
        let bytes = word.as_bytes();
        buffer.clear();
        let mut characters = None;
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            let mut length = 1;
            if byte.is_ascii() {
                match self.ascii.of(byte) {
                    Some(byte) => buffer.push(byte.into()),
                    // What is taken out, a control character, is no single byte.
                    None if self.by_character && told(byte.into(), buffer) => {}
                    None => return None,
                }
            } else {
                if characters.is_none() {
                    characters = self.characters();
                }
                let (kind, width) = characters?.at(bytes, at);
                length = width as usize;
                let character = word.get(at..at + length)?;
                if kind.stays() {
                    buffer.push_str(character);
                } else if !told(character.chars().next()?, buffer) {
                    return None;
                }
            }
            if !each((at, length), buffer.len()) {
                return None;
            }
            at += length;
        }
        self.ascii.hold_for(bytes).then_some(buffer)
    }

    /// The same for a word that is a key, with characters of up to two bytes; `None` if that cannot be told so.
    #[inline]
    fn shortly<'r>(&self, word: Key, room: &'r mut Room) -> Option<&'r str> {
        if !self.ascii.hold_for_short(word.padded()) {
            return None;
        }
        self.short.write(word, &self.ascii, room, |c| {
            let mut alone = String::new();
            self.plainly(c.encode_utf8(&mut [0; 4]), &mut alone).map(str::to_owned)
        })
    }

    /// The same for a word of ASCII characters that become one each.
    #[inline]
    fn byte_by_byte<'r>(&self, word: Key, room: &'r mut Room) -> Option<&'r str> {
        let is_told = word.is_ascii()
            && self.ascii.hold_for_short(word.padded())
            && self.ascii.write(&word.bytes(), word.len(), room.first_chunk_mut()?);
        std::str::from_utf8(room.get(..word.len())?).ok().filter(|_| is_told)
    }

    /// Where words may be cut, once there is so much text.
    pub fn breaks(&self, bytes: usize) -> Option<&Rectangles> {
        match self.stages.cut {
            Cut::Marked(_) => {
                let normalizer = self.stages.normalizer.as_deref();
                self.breaks.get(&self.stages.model, normalizer, &self.ascii, bytes)
            }
            Cut::Splits(_) => None,
        }
    }

    /// What new words are solved by together, once there is so much text.
    fn solving(&self, bytes: usize) -> Option<Solving<'_>> {
        match &self.stages.cut {
            Cut::Marked(view) => self.fresh.get(&self.stages.model, (view.mark(), view.prepends()), bytes),
            Cut::Splits(_) => None,
        }
    }

    /// What characters are; `None` if ASCII already is more than words and blanks.
    pub fn characters(&self) -> Option<&Characters> {
        let make = || {
            let stages = self.stages.clone();
            Characters::new(Box::new(move |c| stages.kind(c)))
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

impl Stages {
    /// Whether some characters are words of their own, beside which others begin.
    fn cuts_at_characters(&self) -> bool {
        self.table == TableSplit::Bert
    }

    fn is_by_character(&self) -> bool {
        self.normalizer.as_ref().is_none_or(|normalizer| normalizer.is_local_to_characters())
    }

    fn form(&self) -> Form {
        match &self.cut {
            Cut::Splits(_) => Form::Characters,
            Cut::Marked(view) => Form::Read(Reading::Marked { mark: view.mark(), prepends: view.prepends() }),
        }
    }

    /// Appends the tokens of a piece.
    fn tokenize(
        &self,
        piece: &str,
        spelling: &mut Spelling,
        scratch: &mut Scratch,
        tokens: &mut Vec<PieceToken>,
    ) -> Result<()> {
        match &self.cut {
            Cut::Splits(_) => self.model.tokenize(piece, scratch, tokens),
            Cut::Marked(view) => {
                let reading = Reading::Marked { mark: view.mark(), prepends: view.prepends() };
                self.model.tokenize(spelling.write(reading, piece), scratch, tokens)
            }
        }
    }

    /// What a character becomes within a word, if it is that beside any other.
    fn becomes(&self, c: char) -> Option<String> {
        let text = match (&self.cut, &self.normalizer) {
            // Marks may trade places with their neighbours.
            (Cut::Splits(_), _) if self.is_by_character() => {
                (!is_mark(c)).then(|| self.normalize(c).ok())??
            }
            (_, Some(normalizer)) => normalizer.anywhere(c)?,
            (_, None) => c.to_string(),
        };
        let cuts = |c: char| matches!(&self.cut, Cut::Marked(view) if view.mark() == c);
        let is_word = |c: char| self.table.standing(c) == Some(Standing::Within) && !is_mark(c) && !cuts(c);
        text.chars().all(is_word).then_some(text)
    }

    /// The same if what it becomes stands where the character stood.
    fn becomes_in_place(&self, c: char) -> Option<String> {
        let keeps_places = self.normalizer.as_ref().is_none_or(|normalizer| normalizer.keeps_places(c));
        self.becomes(c).filter(|_| keeps_places)
    }

    pub fn normalize(&self, c: char) -> Result<String> {
        normalize_str(self.normalizer.as_deref(), c.encode_utf8(&mut [0; 4]))
    }

    fn kind(&self, c: char) -> Kind {
        let Ok(text) = self.normalize(c) else { return Kind::ODD };
        let stands = |c: char| self.table.standing(c).unwrap_or(Standing::Within);
        let within = |c: Option<char>| c.is_some_and(|c| stands(c) == Standing::Within);
        let kind = if text.is_empty() || text.chars().all(|c| stands(c) == Standing::Within) {
            Kind::WORD
        } else if text.chars().all(|c| stands(c) == Standing::Between) {
            // No letter is a blank: what composes with others is something else beside them.
            if c.is_alphanumeric() { Kind::ODD } else { Kind::BLANK }
        } else if !self.cuts_at_characters() {
            Kind::WORD
        } else if within(text.chars().next()) || within(text.chars().next_back()) {
            Kind::ODD
        } else {
            Kind::ALONE
        };
        let beside = match &self.normalizer {
            Some(normalizer) if !self.cuts_at_characters() => {
                normalizer.beside_blanks(c).unwrap_or(BesideBlanks::Joins)
            }
            _ => BesideBlanks::Apart,
        };
        // Marks may trade places with their neighbours.
        let stays = text.chars().eq([c])
            && !is_mark(c)
            && !matches!(&self.cut, Cut::Marked(view) if view.mark() == c)
            && self.is_by_character();
        match (beside, kind) {
            (BesideBlanks::Apart, kind) if stays => kind.that_stays(),
            (BesideBlanks::Apart, kind) => kind,
            (BesideBlanks::Gone, Kind::WORD) => Kind::GONE,
            // A blank that leans on its word is cut out of it by the stages.
            (BesideBlanks::Leans, Kind::WORD | Kind::BLANK) => Kind::LEANS,
            (BesideBlanks::Joins | BesideBlanks::Leans | BesideBlanks::Gone, _) => Kind::ODD,
        }
    }
}

/// What one worker owns for it.
#[derive(Debug)]
pub(super) struct WordLanes {
    words: Arc<Words>,
    runner: Runner,
    spans: Spans,
    buffers: Buffers,
    /// Whether words become tokens with their places ([`packed`]) instead of ids alone.
    packs: bool,
    /// Bytes of text that came.
    bytes: usize,
    /// Words of which some do not come in the parts that were found.
    joined: Joined,
}

/// Words and parts of words.
#[derive(Debug, Default)]
struct Joined {
    starts: Vec<u32>,
    ends: Vec<u32>,
}

impl Joined {
    fn clear(&mut self) {
        self.starts.clear();
        self.ends.clear();
    }

    fn push(&mut self, pieces: Pieces<'_>) {
        self.starts.extend_from_slice(pieces.starts);
        self.ends.extend_from_slice(pieces.ends);
    }
}

#[derive(Debug, Default)]
pub(super) struct Buffers {
    pub spelling: Spelling,
    pub plain: String,
    pub places: WordPlaces,
    pub tokens: Vec<PieceToken>,
    /// What the word becomes: ids, or packed tokens.
    pub numbers: Vec<u32>,
    pub placed: Vec<Placed>,
    /// The tokens of the word that are named after what the model read there, and that.
    pub surfaces: Vec<(usize, String)>,
    fresh: Option<Box<Batch>>,
}

/// Who takes what the words of a text become.
pub(super) trait TakesWords {
    /// An added token stands between words.
    fn added(&mut self, segment: &Segment, id: TokenId) -> Result<()>;

    /// Where the numbers of words are to be appended.
    fn room(&mut self) -> &mut Vec<u32>;

    /// Some words were appended, of a text that begins at byte `origin`; false if the text must take the slow way.
    fn words(&mut self, words: Pieces<'_>, origin: usize, solver: &mut Solver<'_>) -> Result<bool>;
}

impl WordLanes {
    pub fn new(words: Arc<Words>, runner: Runner, packs: bool) -> Self {
        let (spans, buffers, joined) = Default::default();
        WordLanes { words, runner, spans, buffers, packs, bytes: 0, joined }
    }

    /// Whether this is for those words.
    pub fn are_for(&self, words: &Arc<Words>) -> bool {
        Arc::ptr_eq(&self.words, words)
    }

    /// Bytes that may come into use.
    pub fn memory(&self) -> usize {
        self.runner.memory()
    }

    /// Hands the words of a text over; false if it must take the slow way, and then some of them were.
    pub fn append(
        &mut self,
        segments: &[Segment],
        text: &str,
        scratch: &mut Scratch,
        out: &mut impl TakesWords,
    ) -> Result<bool> {
        let Some(characters) = self.words.characters() else { return Ok(false) };
        if text.len() > LONGEST_TEXT || !self.words.pays_for(text) {
            return Ok(false);
        }
        let packs = self.packs;
        self.bytes = self.bytes.saturating_add(text.len());
        let breaks = self.words.breaks(self.bytes);
        let has_parts = breaks.is_some();
        let solving = self.words.solving(self.bytes);
        let buffers = &mut self.buffers;
        let mut solver = Solver { words: &self.words, scratch, buffers, packs, has_parts, solving };
        for segment in segments {
            if let Some(id) = segment.id {
                out.added(segment, id)?;
                continue;
            }
            let text = &text[segment.range.clone()];
            let mut words = crate::lanes::Words::new(text, characters).cut_at(breaks);
            self.spans.begin();
            loop {
                let filled = words.fill(self.runner.level(), &mut self.spans);
                if filled == Filled::Odd {
                    return Ok(false);
                }
                let found = self.spans.of(text.as_bytes());
                let found = solver.words(&mut self.runner, found, out.room(), &mut self.joined)?;
                if !out.words(found, segment.range.start, &mut solver)? {
                    return Ok(false);
                }
                if filled == Filled::Last {
                    break;
                }
                self.spans.go_on();
            }
        }
        Ok(true)
    }
}

/// All stages for one word.
pub(super) struct Solver<'s> {
    pub words: &'s Words,
    pub scratch: &'s mut Scratch,
    pub buffers: &'s mut Buffers,
    packs: bool,
    /// Whether words come in parts.
    has_parts: bool,
    /// How new ones are solved together.
    solving: Option<Solving<'s>>,
}

impl Solver<'_> {
    /// Appends the numbers of words, and returns which words and parts of words these are of.
    fn words<'w>(
        &mut self,
        runner: &mut Runner,
        words: Pieces<'w>,
        out: &mut Vec<u32>,
        joined: &'w mut Joined,
    ) -> Result<Pieces<'w>> {
        let before = out.len();
        runner.solved_ids(self, words, out)?;
        if !self.has_parts || !out[before..].contains(&UNCERTAIN) {
            return Ok(words);
        }
        out.truncate(before);
        joined.clear();
        parts::few_words(words, parts::FEW, |few| {
            let before = out.len();
            runner.solved_ids(self, few, out)?;
            if !out[before..].contains(&UNCERTAIN) {
                joined.push(few);
                return Ok(());
            }
            out.truncate(before);
            parts::few_words(few, 1, |word| self.word_in_parts(runner, word, out, joined))
        })?;
        Ok(Pieces { text: words.text, starts: &joined.starts, ends: &joined.ends })
    }

    #[cold]
    fn word_in_parts(
        &mut self,
        runner: &mut Runner,
        word: Pieces<'_>,
        out: &mut Vec<u32>,
        joined: &mut Joined,
    ) -> Result<()> {
        let before = out.len();
        runner.solved_ids(self, word, out)?;
        if !out[before..].contains(&UNCERTAIN) {
            joined.push(word);
            return Ok(());
        }
        out.truncate(before);
        let Pieces { text, starts, ends } = word;
        let whole = Pieces { text, starts: &starts[..1], ends: &ends[ends.len() - 1..] };
        joined.push(whole);
        runner.solved_ids(self, whole, out)
    }

    /// Whether words come in parts.
    pub fn has_parts(&self) -> bool {
        self.has_parts
    }

    /// Puts what an inner part of a word becomes into the buffer.
    fn inner(&mut self, part: &[u8]) {
        // Words are cut at characters, so this holds.
        let text = std::str::from_utf8(part).unwrap_or_default();
        if self.packs {
            return self.packed_part(text);
        }
        let Buffers { plain, numbers, .. } = &mut *self.buffers;
        numbers.clear();
        match self.words.plainly(text, plain) {
            Some(plain) => parts::inner(&self.words.stages.model, plain, numbers),
            None => numbers.push(UNCERTAIN),
        }
    }

    /// Puts what a word becomes into the buffer.
    pub fn word(&mut self, word: &[u8]) -> Result<()> {
        self.buffers.numbers.clear();
        // Words are cut at characters, so this holds.
        let Ok(word) = std::str::from_utf8(word) else { return Ok(()) };
        if self.packs { self.packed(word) } else { self.plain_ids(word) }
    }

    /// Puts what a word or a part that is a key becomes into the buffer.
    fn alone(&mut self, key: Key) -> Result<()> {
        let (bytes, length) = (key.bytes(), key.len());
        if key.is_inner() {
            self.inner(&bytes[..length]);
        } else if self.packs || !self.short_ids(key)? {
            self.word(&bytes[..length])?;
        }
        Ok(())
    }

    /// Whether a word or a part is solved together with others.
    #[inline]
    fn joins(&mut self, batch: &mut Batch, solving: &Solving<'_>, index: usize, key: Key) -> bool {
        let mut room = [0; _];
        let bytes = key.bytes();
        let word = || std::str::from_utf8(&bytes[..key.len()]).ok();
        let Buffers { plain, places, .. } = &mut *self.buffers;
        let shortly = match self.packs {
            true => self.words.byte_by_byte(key, &mut room),
            false => self.words.shortly(key, &mut room),
        };
        let (piece, moved) = match shortly {
            Some(piece) => (Some(piece), None),
            // Words are cut at characters, so this holds.
            None if !self.packs => (word().and_then(|word| self.words.plainly(word, plain)), None),
            None => {
                let piece = word().and_then(|word| self.words.in_place(word, plain, places));
                (piece, places.moved())
            }
        };
        piece.is_some_and(|piece| batch.push(solving, (index, key.is_inner()), piece, moved))
    }

    /// Puts the ids of a word that is a key into the buffer, if characters of up to two bytes tell them; else false.
    #[inline]
    fn short_ids(&mut self, word: Key) -> Result<bool> {
        let mut room = [0; _];
        let Some(piece) = self.words.shortly(word, &mut room) else { return Ok(false) };
        let Buffers { spelling, tokens, numbers, .. } = &mut *self.buffers;
        tokens.clear();
        numbers.clear();
        if !piece.is_empty() {
            self.words.stages.tokenize(piece, spelling, self.scratch, tokens)?;
        }
        numbers.extend(tokens.iter().map(|token| token.id));
        Ok(true)
    }

    fn plain_ids(&mut self, word: &str) -> Result<()> {
        let Stages { normalizer, cut, .. } = &self.words.stages;
        let Buffers { spelling, plain, tokens, numbers, .. } = &mut *self.buffers;
        tokens.clear();
        let mut tokenize = |piece: &str| self.words.stages.tokenize(piece, spelling, self.scratch, tokens);
        if let Some(piece) = self.words.plainly(word, plain) {
            if !piece.is_empty() {
                tokenize(piece)?;
            }
        } else {
            let mut text = AlignedText::untracked(word);
            match normalizer {
                Some(normalizer) if word.len() <= Key::LONGEST => normalizer.normalize_short(&mut text)?,
                Some(normalizer) => normalizer.normalize(&mut text)?,
                None => {}
            }
            let text = text.as_str();
            match cut {
                Cut::Splits(view) => view.for_each_piece(text, &mut |range| tokenize(&text[range]))?,
                Cut::Marked(view) => view.for_each_piece(text, &mut |range| tokenize(&text[range]))?,
            }
        }
        numbers.extend(tokens.iter().map(|token| token.id));
        Ok(())
    }
}

impl LongPieces for Solver<'_> {
    fn ids(&mut self, piece: &[u8], out: &mut Vec<TokenId>) -> Result<()> {
        self.word(piece)?;
        out.extend_from_slice(&self.buffers.numbers);
        Ok(())
    }
}

impl Solve for Solver<'_> {
    #[inline(always)]
    fn hash_seed(&self) -> [u64; 2] {
        self.words.hash_seed
    }

    #[inline(always)]
    fn has_parts(&self) -> bool {
        self.has_parts
    }

    fn long_inner(&mut self, part: &[u8], out: &mut Vec<TokenId>) {
        self.inner(part);
        out.extend_from_slice(&self.buffers.numbers);
    }

    #[inline(never)]
    fn solve(
        &mut self,
        _: &mut Work,
        pieces: &[Key],
        mut found: impl FnMut(usize, &[TokenId]),
    ) -> Result<()> {
        let Some(solving) = self.solving else {
            for (index, key) in pieces.iter().enumerate() {
                self.alone(*key)?;
                found(index, &self.buffers.numbers);
            }
            return Ok(());
        };
        let mut batch = self.buffers.fresh.take().unwrap_or_default();
        batch.clear();
        for (index, key) in pieces.iter().enumerate() {
            if !self.joins(&mut batch, &solving, index, *key) {
                self.alone(*key)?;
                found(index, &self.buffers.numbers);
            }
        }
        let outcome = match self.packs {
            true => batch.solve_with_places(&solving, |index, tokens| {
                let Buffers { numbers, placed, .. } = &mut *self.buffers;
                match tokens {
                    Some((tokens, moved)) => {
                        packed::pack_in_a_row(pieces[index], tokens, moved, placed, numbers);
                    }
                    None => self.alone(pieces[index])?,
                }
                found(index, &self.buffers.numbers);
                Ok(())
            }),
            false => batch.solve(&solving, |index, ids| {
                match ids {
                    Some(ids) => found(index, ids),
                    None => {
                        self.alone(pieces[index])?;
                        found(index, &self.buffers.numbers);
                    }
                }
                Ok(())
            }),
        };
        self.buffers.fresh = Some(batch);
        outcome
    }
}
