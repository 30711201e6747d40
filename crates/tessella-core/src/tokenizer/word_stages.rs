//! The stages that a word takes by itself, and what they tell of single characters: where each stands, and what becomes of it.

use std::ops::Range;
use std::sync::Arc;

use super::segment::normalize_str;
use super::spelling::{Reading, Spelling};
use super::way::Form;
use super::word_gaps::{Gaps, Within};
use crate::error::Result;
use crate::ids::PieceToken;
use crate::lanes::{Characters, Key, Kind};
use crate::model::{Model, Scratch};
use crate::normalize::{BesideBlanks, Normalizer, Stays};
use crate::pretokenize::{MarkedView, PreTokenizer, SplitView, Standing, TableSplit};
use crate::text::AlignedText;
use crate::unicode::categories::is_mark;

/// How a word is cut further once it is normalized.
#[derive(Debug, Clone)]
pub(super) enum Cut {
    Splits(SplitView),
    Marked(MarkedView),
    /// By all stages, of which the first one leaves out what stands between words.
    Stages(Arc<PreTokenizer>),
}

/// The stages that a word takes.
#[derive(Debug, Clone)]
pub(super) struct Stages {
    /// Without what it does around words.
    pub normalizer: Option<Arc<Normalizer>>,
    pub cut: Cut,
    between: Between,
    pub model: Arc<Model>,
}

/// What stands between words.
#[derive(Debug, Clone, PartialEq)]
enum Between {
    /// What a rule about characters drops.
    Dropped(TableSplit),
    /// Blanks, of which each opens a piece as a mark. One of them is the mark of the word behind it.
    Marks(Gaps),
    /// What the first stage leaves out.
    LeftOut(LeftOut),
}

#[derive(Debug, Clone)]
struct LeftOut(Arc<PreTokenizer>);

impl PartialEq for LeftOut {
    fn eq(&self, other: &LeftOut) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Between {
    fn standing(&self, c: char) -> Option<Standing> {
        match self {
            Between::Dropped(table) => table.standing(c),
            Between::Marks(_) if c == ' ' => Some(Standing::Between),
            Between::LeftOut(LeftOut(stages)) if stages.leaves_out(c) => Some(Standing::Between),
            Between::Marks(_) | Between::LeftOut(_) => Some(Standing::Within),
        }
    }
}

/// Whether pieces go by the hundred, as bytes.
fn has_lanes(model: &Model, pre_tokenizer: &PreTokenizer) -> bool {
    matches!(model, Model::Bpe(bpe) if bpe.alphabet().spells_all_texts())
        && pre_tokenizer.byte_level_view().is_some()
}

impl Stages {
    /// `None` where words are not all that matters to what normalizes and cuts.
    pub fn new(
        model: &Arc<Model>,
        normalizer: Option<&Arc<Normalizer>>,
        pre_tokenizer: &Arc<PreTokenizer>,
    ) -> Option<Stages> {
        // Who looks at positions sees more than a word.
        if pre_tokenizer.needs_alignment()
            || normalizer.is_some_and(|normalizer| normalizer.needs_alignment())
        {
            return None;
        }
        let mut normalizer = normalizer.cloned();
        let tells = |splits: &SplitView| splits.only_table().filter(|table| table.standing('a').is_some());
        let (splits, marked) = (pre_tokenizer.split_view(), pre_tokenizer.marked_view());
        let (cut, between) = if let Some(splits) = splits
            && let Some(table) = tells(&splits)
        {
            (Cut::Splits(splits), Between::Dropped(table))
        } else if let Some(marked) = marked.clone()
            && let Some(table) = tells(marked.splits())
        {
            (Cut::Marked(marked), Between::Dropped(table))
        } else if let Some(marked) = marked
            && marked.only_marks()
        {
            let gaps = Gaps::new(&mut normalizer, &marked)?;
            (Cut::Marked(marked), Between::Marks(gaps))
        } else if pre_tokenizer.leaves_out(' ') && !has_lanes(model, pre_tokenizer) {
            (Cut::Stages(pre_tokenizer.clone()), Between::LeftOut(LeftOut(pre_tokenizer.clone())))
        } else {
            return None;
        };
        Some(Stages { normalizer, cut, between, model: model.clone() })
    }

    /// Whether a word comes to the same tokens in both.
    pub fn are_as_in(&self, other: &Stages) -> bool {
        let same = match (&self.normalizer, &other.normalizer) {
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            (one, two) => one.is_none() && two.is_none(),
        };
        same && Arc::ptr_eq(&self.model, &other.model)
            && self.between == other.between
            && self.form() == other.form()
    }

    /// Whether some characters are words of their own, beside which others begin.
    pub fn cuts_at_characters(&self) -> bool {
        matches!(self.between, Between::Dropped(TableSplit::Bert | TableSplit::Whitespace))
    }

    /// Whether those that stand side by side are one word.
    pub fn joins_alone(&self) -> bool {
        matches!(self.between, Between::Dropped(table) if table.joins_alone())
    }

    /// Whether a normalized character is left out, as no mark is.
    pub fn drops(&self, c: char) -> bool {
        self.between.standing(c) == Some(Standing::Between)
    }

    /// Where a normalized character stands, and a mark.
    pub fn standing(&self, c: char) -> Standing {
        match &self.cut {
            Cut::Marked(view) if view.mark() == c => Standing::Between,
            _ => self.between.standing(c).unwrap_or(Standing::Within),
        }
    }

    /// Whether a word may be cut into pieces by stages that only they themselves can tell.
    pub fn cut_further(&self) -> bool {
        matches!(self.cut, Cut::Stages(_))
    }

    /// These stages.
    pub fn all_that_cut(&self) -> Option<&PreTokenizer> {
        match &self.cut {
            Cut::Stages(stages) => Some(stages),
            Cut::Splits(_) | Cut::Marked(_) => None,
        }
    }

    /// Whether no cluster of characters becomes blanks, marks, or nothing, where blanks are more than what goes: what each of its
    /// characters becomes says nothing of that.
    pub fn clusters_are_solid(&self) -> bool {
        let mark = match &self.cut {
            Cut::Marked(view) if self.gaps().is_some() => view.mark(),
            _ => return true,
        };
        self.normalizer.as_ref().is_none_or(|normalizer| normalizer.clusters_are_solid(mark))
    }

    /// What blanks between words come to, where they are more than what goes.
    pub fn gaps(&self) -> Option<&Gaps> {
        match &self.between {
            Between::Dropped(_) | Between::LeftOut(_) => None,
            Between::Marks(gaps) => Some(gaps),
        }
    }

    /// Whether all that is left of a normalized word with blanks in front are these, and there was more: then they are those of the
    /// word behind it.
    pub fn leaves_blanks(&self, word: &str, text: &str) -> bool {
        self.gaps().is_some_and(|gaps| {
            let is_blank = |c: char| self.normalize(c).is_ok_and(|text| !text.is_empty());
            gaps.are_all(text) && !word.chars().all(is_blank)
        })
    }

    /// Whether what the normalizer takes from the start of a text moves the places of all that is behind it: it does with some maps of
    /// characters.
    pub fn moves_what_follows(&self, start: &str) -> Result<bool> {
        let Some(normalizer) = &self.normalizer else { return Ok(false) };
        let text = format!("{start} a");
        let mut normalized = AlignedText::borrowed(&text, 0);
        normalizer.normalize(&mut normalized)?;
        let (map, last) = (normalized.map(), normalized.as_str().len().saturating_sub(1));
        let span = map.char_span(normalized.as_str(), last);
        Ok((span.start, span.end) != (text.len() - 1, text.len()))
    }

    /// What stands in front of each word as the model reads it, if blanks are all that cuts, and several are as one.
    pub fn mark_of_words(&self) -> Option<char> {
        let Cut::Marked(view) = &self.cut else { return None };
        let are_one = match &self.between {
            Between::Dropped(table) => *table == TableSplit::WhitespaceSplit,
            Between::Marks(gaps) => !gaps.are_pieces(),
            Between::LeftOut(_) => false,
        };
        (are_one && view.prepends()).then(|| view.mark())
    }

    /// A text without what the normalizer strips at its ends, and the blanks behind its words; `None` if blanks in front are pieces, or it
    /// cannot be told.
    pub fn without_ends(&self, text: &str, characters: &Characters) -> Option<(Range<usize>, Range<usize>)> {
        let Within { before, words, behind } = match self.gaps() {
            Some(gaps) => gaps.within(text, self.normalizer.as_deref(), characters)?,
            None => Within::all(text),
        };
        before.is_empty().then_some((words, behind))
    }

    /// Normalizes a word, which stands in the text by itself.
    pub fn normalize_word(&self, word: &mut AlignedText<'_>) -> Result<()> {
        match self.normalizer.as_deref() {
            Some(normalizer) if word.as_str().len() <= Key::LONGEST => normalizer.normalize_short(word),
            Some(normalizer) => normalizer.normalize(word),
            None => Ok(()),
        }
    }

    /// A word as the normalizer makes it, with blanks where it is cut; `None` if it is to be cut elsewhere, or there is an error.
    pub fn written(&self, word: &str) -> Option<String> {
        let mut text = AlignedText::untracked(word);
        self.normalize_word(&mut text).ok()?;
        self.with_blanks(text.as_str())
    }

    /// The same with where in the word each character came from, if what begins the word is part of that; `is_first` says that
    /// nothing is in front of it.
    pub fn written_with_places(&self, word: &str, is_first: bool) -> Option<(String, Vec<[u32; 2]>)> {
        let mut text = AlignedText::borrowed(word, 0);
        self.normalize_word(&mut text).ok()?;
        let (map, text) = (text.map(), text.as_str());
        let span = |at: usize| {
            let span = map.char_span(text, at);
            [span.start as u32, span.end as u32]
        };
        let begins_itself = !text.is_empty()
            && span(0)[0] == 0
            && self.normalize(word.chars().next()?).is_ok_and(|text| !text.is_empty());
        let is_told = begins_itself || is_first && !text.is_empty() && !self.moves_what_follows(word).ok()?;
        if !is_told {
            return None;
        }
        Some((self.with_blanks(text)?, text.char_indices().map(|(at, _)| span(at)).collect()))
    }

    /// A normalized text with blanks where it is cut; `None` if it is to be cut elsewhere.
    pub fn with_blanks(&self, text: &str) -> Option<String> {
        let mark = self.mark_of_words()?;
        let written = |c: char| match self.between.standing(c) {
            _ if c == mark => None,
            Some(Standing::Between) => Some(' '),
            _ => Some(c),
        };
        text.chars().map(written).collect()
    }

    /// Whether each character becomes what it becomes alone, in texts without an odd one.
    pub fn is_by_character(&self) -> bool {
        let is_local = |normalizer: &Normalizer| normalizer.is_local_to_characters();
        self.normalizer
            .as_deref()
            .is_none_or(|normalizer| is_local(normalizer) || self.must_be_apart(normalizer))
    }

    /// Whether those are odd that change with what stands before them. Who cuts by blanks alone leaves a word with such to the
    /// stages; here it would have to be known first where that ends.
    fn must_be_apart(&self, normalizer: &Normalizer) -> bool {
        self.cuts_at_characters()
            && !normalizer.is_local_to_characters()
            && normalizer.is_local_to_those_apart()
    }

    fn form(&self) -> Form {
        match &self.cut {
            Cut::Splits(_) | Cut::Stages(_) => Form::Characters,
            Cut::Marked(view) => Form::Read(Reading::Marked { mark: view.mark(), prepends: view.prepends() }),
        }
    }

    /// Appends the tokens of a piece.
    pub fn tokenize(
        &self,
        piece: &str,
        spelling: &mut Spelling,
        scratch: &mut Scratch,
        tokens: &mut Vec<PieceToken>,
    ) -> Result<()> {
        self.model.tokenize(self.read(piece, spelling), scratch, tokens)
    }

    /// A piece as the model reads it.
    pub fn read<'p>(&self, piece: &'p str, spelling: &'p mut Spelling) -> &'p str {
        match &self.cut {
            Cut::Splits(_) | Cut::Stages(_) => piece,
            Cut::Marked(view) => {
                let reading = Reading::Marked { mark: view.mark(), prepends: view.prepends() };
                spelling.write(reading, piece)
            }
        }
    }

    /// What a character becomes within a word, if it is that beside any other.
    pub fn becomes(&self, c: char) -> Option<String> {
        let text = match (&self.cut, &self.normalizer) {
            // Marks may trade places with their neighbours.
            (Cut::Splits(_), _) if self.is_by_character() => {
                (!is_mark(c)).then(|| self.normalize(c).ok())??
            }
            (_, Some(normalizer)) => normalizer.anywhere(c)?,
            (_, None) => c.to_string(),
        };
        let cuts = |c: char| matches!(&self.cut, Cut::Marked(view) if view.mark() == c);
        let is_word = |c: char| self.between.standing(c) == Some(Standing::Within) && !is_mark(c) && !cuts(c);
        text.chars().all(is_word).then_some(text)
    }

    /// The same if what it becomes stands where the character stood.
    pub fn becomes_in_place(&self, c: char) -> Option<String> {
        let keeps_places = self.normalizer.as_ref().is_none_or(|normalizer| normalizer.keeps_places(c));
        self.becomes(c).filter(|_| keeps_places)
    }

    pub fn normalize(&self, c: char) -> Result<String> {
        normalize_str(self.normalizer.as_deref(), c.encode_utf8(&mut [0; 4]))
    }

    pub fn kind(&self, c: char) -> Kind {
        let changes_with =
            |normalizer: &Normalizer| self.must_be_apart(normalizer) && !normalizer.is_apart(c);
        if self.normalizer.as_deref().is_some_and(changes_with) {
            return Kind::ODD;
        }
        let Ok(text) = self.normalize(c) else { return Kind::ODD };
        let stands = |c: char| self.between.standing(c).unwrap_or(Standing::Within);
        if text.is_empty() && self.joins_alone() {
            // Between two that stand alone it would join them.
            return Kind::LEANS;
        }
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
        if self.gaps().is_some_and(|gaps| !gaps.allow(&text)) {
            return Kind::ODD;
        }
        // Marks may trade places with their neighbours.
        let stays = text.chars().eq([c])
            && !is_mark(c)
            && !matches!(&self.cut, Cut::Marked(view) if view.mark() == c)
            && self.is_by_character();
        let kind = self.beside(c, kind);
        let told = self.stays(c);
        let kind = if stays || told.anywhere && kind.is_within() { kind.that_stays() } else { kind };
        if told.among && kind.is_within() { kind.that_stays_among() } else { kind }
    }

    /// Where a character stays as it is, of a word that is cut nowhere.
    fn stays(&self, c: char) -> Stays {
        match (&self.cut, &self.normalizer) {
            (Cut::Marked(view), Some(normalizer))
                if view.mark() != c
                    && !self.cuts_at_characters()
                    && self.between.standing(c) == Some(Standing::Within) =>
            {
                let Stays { anywhere, among } = normalizer.stays(c);
                Stays { anywhere: anywhere && !is_mark(c), among }
            }
            _ => Stays::default(),
        }
    }

    /// The kind of a character if that is one among others, where blanks beside it are looked at.
    fn beside(&self, c: char, kind: Kind) -> Kind {
        let beside = match &self.normalizer {
            Some(normalizer) if !self.cuts_at_characters() => {
                normalizer.beside_blanks(c).unwrap_or(BesideBlanks::Joins)
            }
            _ => BesideBlanks::Apart,
        };
        match (beside, kind) {
            (BesideBlanks::Apart, kind) => kind,
            (BesideBlanks::Gone, Kind::WORD) => Kind::GONE,
            (BesideBlanks::Leans, Kind::WORD) => Kind::LEANS,
            // A blank that leans on its word is cut out of it by the stages, where it is no mark.
            (BesideBlanks::Leans, Kind::BLANK) if self.gaps().is_none() => Kind::LEANS,
            (BesideBlanks::Joins | BesideBlanks::Leans | BesideBlanks::Gone, _) => Kind::ODD,
        }
    }
}
