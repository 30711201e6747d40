//! The BPE model: a piece becomes symbols, one per character, and adjacent symbols merge, lowest rank first,
//! leftmost first among equals, until no merge applies.
//!
//! Layers from the bottom up:
//!
//! - `symbols`: the first symbols of a piece: characters (with affixes), byte fallback, unknowns; or single
//!   bytes when the text went through the byte-level alphabet;
//! - `pairs`: the merge list as a hash table from a pair of ids to its rank and result, behind two small tables;
//! - `merge`: the merge loops: a linear scan for short pieces, a heap for long ones, and the rule of dropout;
//! - `cut`, `units`: boundaries that no merge can cross; long pieces are cut there, which changes nothing in
//!   the result and makes caching possible where no pre-tokenizer splits the text.
//!
//! Two ways of ranking merges exist, and they differ on real vocabularies: a list of pairs, and tiktoken's
//! rank of the concatenation (all pairs whose concatenation is in the vocabulary, ranked by its id; a whole
//! piece in the vocabulary is one token). Both become the same pair table.

mod cut;
mod merge;
mod pairs;
mod symbols;
mod units;

use std::sync::{Arc, OnceLock};

use crate::error::{Error, Result, excerpt};
use crate::flat::{Arrays, Shelf};
use crate::ids::{PieceToken, TokenId};
use crate::lanes;
use crate::model::derivation::{self, Derivation, MOST_SYMBOLS, Symbol};
use crate::model::length::check_length;
use crate::pretokenize::byte_alphabet::{append_bytes, bytes_to_alphabet};
use crate::random::Random;
use crate::spec::{BpeSpec, Merges, Vocab};

use cut::CutTest;
pub use merge::{MergeScratch, TakesSymbols};
use pairs::{PairTable, Pairs};
pub use symbols::Alphabet;
use symbols::{SymbolTable, is_in_no_text};
pub use units::Units;

/// Pieces longer than this many bytes are cut at uncrossable boundaries first.
const CUT_ABOVE: usize = 24;

/// So many bytes of text for each merge pay for the tables that merge pieces of characters together: a merge takes some hundred
/// nanoseconds to be put there, and a byte of new pieces ten less with them.
const BYTES_PER_MERGE: usize = 8;

/// A compiled BPE model.
#[derive(Debug)]
pub struct Bpe {
    spec: BpeSpec,
    tables: Arc<Tables>,
    /// A piece that is in the vocabulary is one token.
    whole_pieces: bool,
    unk: Option<TokenId>,
    dropout: f64,
    /// How long pieces are cut, if they may be; found out when it is first asked for. A whole piece that is a token is
    /// one whatever its merges, so under that rule nothing is cut.
    units: OnceLock<Option<Units>>,
    /// Tables for many pieces of raw bytes at once.
    lanes: lanes::Shared,
    /// The same for pieces of characters.
    together: OnceLock<Option<lanes::SymbolMerger>>,
}

/// What depends on vocabulary, merges, affixes and unknowns; shared between models that differ in other options.
#[derive(Debug)]
struct Tables {
    symbols: SymbolTable,
    pairs: Pairs,
    /// The ranks are those of concatenations, and of each token there is only the pair that it ends with.
    one_pair_each: bool,
    /// Made when it is first asked for: raw bytes are never cut.
    cut: OnceLock<CutTest>,
}

impl Bpe {
    pub fn new(spec: &BpeSpec) -> Result<Self> {
        Self::reusing(spec, None)
    }

    /// Builds the model, taking the tables over from `other` if they depend on the same things.
    pub fn reusing(spec: &BpeSpec, other: Option<&Bpe>) -> Result<Self> {
        if let Some(dropout) = spec.dropout
            && !(0.0..=1.0).contains(&dropout)
        {
            return Err(Error::value(format!("dropout is {dropout}; it must be between 0 and 1, inclusive")));
        }
        let tables = match other {
            Some(other) if other.has_tables_of(spec) => other.tables.clone(),
            _ => Arc::new(Tables::build(spec)?),
        };
        Ok(Self::with_tables(spec, tables))
    }

    /// Puts down the tables that follow from the description.
    pub fn put(&self, arrays: &mut Arrays) {
        let Tables { symbols, pairs, one_pair_each, cut } = &*self.tables;
        // Where texts are cut, that is known when a tokenizer is built.
        let cut = cut.get().filter(|cut| cut.useful);
        arrays.numbers(&[u64::from(*one_pair_each), u64::from(cut.is_some())]);
        symbols.put(arrays);
        pairs.put(arrays);
        if let Some(cut) = cut {
            cut.put(arrays);
        }
    }

    /// The model of the same description with the tables that were put down.
    pub fn take(spec: &BpeSpec, shelf: &mut Shelf) -> Result<Self> {
        let affix = |affix: &Option<String>| affix.clone().unwrap_or_default();
        let (prefix, suffix) = (affix(&spec.continuing_subword_prefix), affix(&spec.end_of_word_suffix));
        let id_bound = spec.vocab.id_bound();
        let [one_pair_each, is_cut] = shelf.numbers()?.map(|flag| flag != 0);
        let symbols = SymbolTable::take(shelf, &prefix, &suffix, id_bound)?;
        let pairs = Pairs::take(shelf, id_bound)?;
        let cut = match is_cut {
            true => OnceLock::from(CutTest::take(shelf, id_bound, spec.byte_fallback)?),
            false => OnceLock::new(),
        };
        let tables = Tables { symbols, pairs, one_pair_each, cut };
        Ok(Self::with_tables(spec, Arc::new(tables)))
    }

    fn with_tables(spec: &BpeSpec, tables: Arc<Tables>) -> Self {
        Bpe {
            whole_pieces: spec.ignore_merges || matches!(spec.merges, Merges::ConcatRank),
            unk: spec.unk_token.as_deref().and_then(|unk| spec.vocab.id(unk)),
            dropout: spec.dropout.unwrap_or(0.0) as f64,
            units: OnceLock::new(),
            lanes: lanes::Shared::default(),
            together: OnceLock::new(),
            spec: spec.clone(),
            tables,
        }
    }

    fn has_tables_of(&self, spec: &BpeSpec) -> bool {
        Arc::ptr_eq(&self.spec.vocab, &spec.vocab)
            && match (&self.spec.merges, &spec.merges) {
                (Merges::Pairs(a), Merges::Pairs(b)) => Arc::ptr_eq(a, b),
                // With dropout they have all pairs.
                (Merges::ConcatRank, Merges::ConcatRank) => {
                    (self.spec.dropout.unwrap_or(0.0) == 0.0) == (spec.dropout.unwrap_or(0.0) == 0.0)
                }
                _ => false,
            }
            && self.spec.continuing_subword_prefix == spec.continuing_subword_prefix
            && self.spec.end_of_word_suffix == spec.end_of_word_suffix
            && self.spec.byte_fallback == spec.byte_fallback
            && self.spec.unk_token == spec.unk_token
    }

    pub fn spec(&self) -> &BpeSpec {
        &self.spec
    }

    /// Whether equal pieces always give equal tokens.
    pub fn is_deterministic(&self) -> bool {
        self.dropout == 0.0
    }

    /// Engine and reason, for the plan.
    pub fn explain(&self) -> (String, String) {
        let engine = "BPE pair table, linear scan to 32 symbols, heap above";
        let ranking = match self.spec.merges {
            Merges::Pairs(_) => "ranks from the merge list",
            Merges::ConcatRank => "a pair's rank is the id of its concatenation",
        };
        let cutting = if self.can_cut() { "; long pieces are cut where no merge can cross" } else { "" };
        (engine.to_string(), format!("{ranking}{cutting}"))
    }

    pub fn token_to_id(&self, token: &str) -> Option<TokenId> {
        self.spec.vocab.id(token)
    }

    pub fn id_to_token(&self, id: TokenId) -> Option<&str> {
        self.spec.vocab.text(id)
    }

    pub fn vocab(&self) -> &Arc<Vocab> {
        &self.spec.vocab
    }

    /// Whether a long piece can be cut into units that are encoded one by one.
    pub fn can_cut(&self) -> bool {
        self.units().is_some()
    }

    fn units(&self) -> Option<&Units> {
        self.units.get_or_init(|| self.units_reading(None)).as_ref()
    }

    fn cut(&self) -> &CutTest {
        self.tables.cut.get_or_init(|| {
            let Tables { symbols, pairs, .. } = &*self.tables;
            let affix = |affix: &Option<String>| affix.as_deref().unwrap_or_default().is_empty();
            let plain = affix(&self.spec.continuing_subword_prefix) && affix(&self.spec.end_of_word_suffix);
            if !plain || matches!(self.spec.merges, Merges::ConcatRank) {
                return CutTest::never();
            }
            CutTest::build(pairs, symbols, &self.spec.vocab, self.unk, self.spec.byte_fallback)
        })
    }

    /// Finds the units of texts in which an ASCII character stands for another character. `None` if nothing
    /// may be cut.
    pub fn units_reading(&self, reading: Option<(u8, char)>) -> Option<Units> {
        if self.whole_pieces || !self.cut().useful {
            return None;
        }
        Some(Units::new(self.cut(), &self.tables.symbols, self.cut_rules(), reading))
    }

    /// The end of the unit of `text` that goes on at byte `at` behind the character `left`.
    #[inline]
    pub fn unit_end(&self, units: &Units, text: &str, left: char, at: usize) -> usize {
        units.next(self.cut(), &self.tables.symbols, text, left, at)
    }

    /// Calls `unit` for the units of a piece, in order: stretches between boundaries that no merge crosses.
    pub fn for_each_unit<'t>(
        &self,
        piece: &'t str,
        mut unit: impl FnMut(&'t str) -> Result<()>,
    ) -> Result<()> {
        let Some(units) = self.units().filter(|_| piece.len() > CUT_ABOVE) else { return unit(piece) };
        let mut start = 0;
        while let Some(first) = piece[start..].chars().next() {
            let end = self.unit_end(units, piece, first, start + first.len_utf8());
            unit(&piece[start..end])?;
            start = end;
        }
        Ok(())
    }

    fn cut_rules(&self) -> cut::UnknownRule {
        match (self.unk, self.spec.fuse_unk) {
            (None, _) => cut::UnknownRule::Vanishes,
            (Some(_), true) => cut::UnknownRule::Fuses,
            (Some(unk), false) => cut::UnknownRule::Symbol(unk),
        }
    }

    /// Tokens of one piece of characters. Offsets are bytes of the piece.
    pub fn tokenize(
        &self,
        piece: &str,
        scratch: &mut MergeScratch,
        random: &mut Random,
        out: &mut Vec<PieceToken>,
    ) -> Result<()> {
        if piece.is_empty() {
            return Ok(());
        }
        if self.whole_pieces
            && let Some(id) = self.spec.vocab.id(piece)
        {
            out.push(PieceToken::new(id, 0, piece.len()));
            return Ok(());
        }
        scratch.clear();
        self.first_symbols(piece, scratch)?;
        self.merge(scratch, random)?;
        scratch.emit(out);
        Ok(())
    }

    /// Tokens of one piece of raw bytes, read through the byte-level alphabet. Offsets are raw bytes.
    pub fn tokenize_bytes(
        &self,
        piece: &[u8],
        scratch: &mut MergeScratch,
        random: &mut Random,
        out: &mut Vec<PieceToken>,
    ) -> Result<()> {
        if piece.is_empty() {
            return Ok(());
        }
        if self.whole_pieces
            && let Some(id) = self.tables.symbols.whole_byte_piece(piece, &self.spec.vocab)
        {
            out.push(PieceToken::new(id, 0, piece.len()));
            return Ok(());
        }
        if !self.tables.symbols.spells(piece) {
            return self.tokenize_partial_alphabet(piece, scratch, random, out);
        }
        self.merge_bytes(piece, scratch, random, out)
    }

    /// The same without a look whether there is a token for the whole, where every byte is a symbol.
    pub fn merge_bytes(
        &self,
        piece: &[u8],
        scratch: &mut MergeScratch,
        random: &mut Random,
        out: &mut Vec<PieceToken>,
    ) -> Result<()> {
        scratch.clear();
        for &byte in piece {
            scratch.push(self.tables.symbols.of_byte(byte), 1);
        }
        // Where the engine has the pairs there is no need for another table of them.
        let engine = if self.tables.pairs.has_table() { None } else { self.lanes.built() };
        match engine.filter(|engine| engine.merges_ids()) {
            Some(engine) => merge::merge_all(scratch, engine)?,
            None => self.merge(scratch, random)?,
        }
        scratch.emit(out);
        Ok(())
    }

    /// Which bytes are symbols.
    pub fn alphabet(&self) -> Alphabet {
        self.tables.symbols.alphabet
    }

    /// Whether [`lanes`](Self::lanes) has its answer already.
    pub fn lanes_are_there(&self) -> bool {
        self.lanes.is_there()
    }

    /// Whether the table of pairs is made, for which the engine's may stand.
    #[cfg(test)]
    pub fn has_table(&self) -> bool {
        self.tables.pairs.has_table()
    }

    /// The engine that takes many pieces of raw bytes at once, or why this model has none; `None` while another
    /// thread builds it.
    pub fn lanes(&self) -> Option<lanes::Built> {
        self.lanes.get(|| {
            let Tables { symbols, pairs, .. } = &*self.tables;
            if !self.is_deterministic() {
                return Err("dropout is on");
            }
            if symbols.alphabet == Alphabet::Affixed {
                return Err("tokens differ by their places in words");
            }
            let by_concatenation = matches!(self.spec.merges, Merges::ConcatRank);
            if by_concatenation && !self.tables.one_pair_each {
                return Err("by the ranks of concatenations some tokens need more than one pair");
            }
            let vocab = self.spec.vocab.clone();
            let mut of_byte = std::array::from_fn(|byte| symbols.of_byte(byte as u8));
            let mut id_bound = vocab.id_bound();
            // Bytes without a token get ids that no token has, which never come out: texts with them go another way.
            let mut absent = Vec::new();
            for byte in symbols.no_symbols() {
                if id_bound >= lanes::ID_BOUND as usize {
                    return Err("the vocabulary is too large");
                }
                of_byte[usize::from(byte)] = id_bound as TokenId;
                absent.push(byte);
                id_bound += 1;
            }
            let in_texts: Vec<u8> = absent.iter().copied().filter(|&byte| !is_in_no_text(byte)).collect();
            let tokens = move |but: &lanes::Known, each: &mut dyn FnMut(&[u8], TokenId)| {
                let mut bytes = Vec::new();
                let places = (0..).zip(vocab.ids()).filter(|&(_, &id)| !but.has(id));
                for (text, id) in places.map(|(place, _)| vocab.entry(place)) {
                    bytes.clear();
                    // What is not written in the alphabet stands for no bytes.
                    if append_bytes(text, &mut bytes) {
                        each(&bytes, id);
                    }
                }
                for (&byte, id) in
                    absent.iter().zip(vocab.id_bound() as TokenId..).filter(|&(_, id)| !but.has(id))
                {
                    each(&[byte], id);
                }
            };
            let mut random = Random::from_entropy();
            lanes::Engine::new(lanes::Parts {
                of_byte,
                absent: lanes::Absent::of(in_texts),
                merges: pairs.ranked(),
                count: pairs.len(),
                id_bound,
                by_concatenation,
                whole_pieces: self.whole_pieces,
                tokens: Box::new(tokens),
                hash_seed: [random.next_u64(), random.next_u64()],
            })
        })
    }

    /// The tables that take many units of a text at once, which has the first of two characters for the second, or why
    /// this model has none.
    pub fn spelled(&self, read: (u8, char)) -> std::result::Result<lanes::Spelled, &'static str> {
        let Tables { symbols, pairs, .. } = &*self.tables;
        if !self.is_deterministic() {
            return Err("dropout is on");
        }
        if self.whole_pieces || !self.cut().useful {
            return Err("texts of this model may not be cut");
        }
        if self.spec.vocab.named_ids() != self.spec.vocab.len() {
            return Err("two texts have one id, and a pair of either makes it");
        }
        let fallback: Vec<TokenId> = symbols.fallback_ids().collect();
        let bytes = fallback.try_into().ok().filter(|_| self.spec.byte_fallback);
        let only_char = |text: &str| text.chars().next().filter(|c| c.len_utf8() == text.len());
        let vocab = &self.spec.vocab;
        lanes::Spelled::new(lanes::SpelledParts {
            merges: lanes::ByRank::new(pairs.len(), pairs.ranked()),
            characters: vocab.iter().filter_map(|(text, id)| Some((only_char(text)?, id))).collect(),
            bytes: bytes.ok_or("characters without a token are not spelled in bytes")?,
            read,
            text: &|id| vocab.text(id).unwrap_or_default(),
        })
    }

    /// The tables that take many pieces of characters at once, whose [first symbols](Self::first_symbols) are known, if this model has
    /// such, and so many bytes of text pay for them. Whoever asks first makes them, and who asks at the same time makes the same, so
    /// that none waits for another.
    pub fn merges_together(&self, bytes: usize) -> Option<&lanes::SymbolMerger> {
        if self.together.get().is_none() {
            if bytes < self.tables.pairs.len().saturating_mul(BYTES_PER_MERGE) {
                return None;
            }
            let _ = self.together.set(self.symbol_merger().ok());
        }
        self.together.get()?.as_ref()
    }

    fn symbol_merger(&self) -> std::result::Result<lanes::SymbolMerger, &'static str> {
        let Tables { symbols, pairs, .. } = &*self.tables;
        if !self.is_deterministic() {
            return Err("dropout is on");
        }
        if self.whole_pieces {
            return Err("a whole piece may be a token that no merge makes");
        }
        let mut firsts: Vec<TokenId> = symbols.single(&self.spec.vocab).collect();
        firsts.extend(self.unk);
        if self.spec.byte_fallback {
            firsts.extend(symbols.fallback_ids());
        }
        lanes::SymbolMerger::new(pairs.ranked(), pairs.len(), &firsts, self.spec.vocab.id_bound())
    }

    /// Some bytes have no token of their own: spell the piece in the alphabet's characters, where the rules
    /// for unknowns apply, and translate the offsets back to raw bytes.
    fn tokenize_partial_alphabet(
        &self,
        piece: &[u8],
        scratch: &mut MergeScratch,
        random: &mut Random,
        out: &mut Vec<PieceToken>,
    ) -> Result<()> {
        let spelled = bytes_to_alphabet(piece);
        let before = out.len();
        self.tokenize(&spelled, scratch, random, out)?;
        let mut at = 0;
        let mut chars = 0;
        let mut to_raw = |byte: u32| {
            let byte = (byte as usize).min(spelled.len());
            if byte < at {
                (at, chars) = (0, 0);
            }
            chars += spelled.as_bytes()[at..byte].iter().filter(|b| (**b & 0xC0) != 0x80).count();
            at = byte;
            chars as u32
        };
        for token in &mut out[before..] {
            // A byte token may stand for half a character of the alphabet; it covers the whole.
            let inside = !spelled.is_char_boundary(token.start as usize);
            token.start = to_raw(token.start) - inside as u32;
            token.end = to_raw(token.end);
        }
        Ok(())
    }

    /// How a piece of characters comes to its tokens, dropout left out.
    pub fn derive(&self, piece: &str) -> Result<Derivation> {
        if self.whole_pieces
            && let Some(id) = self.spec.vocab.id(piece)
        {
            return Ok(Derivation::Whole(id));
        }
        let mut scratch = MergeScratch::default();
        self.first_symbols(piece, &mut scratch)?;
        let mut first = Vec::new();
        scratch.emit(&mut first);
        if first.len() > MOST_SYMBOLS {
            return Ok(Derivation::Plain);
        }
        let line = first.iter().map(|token| token.id).collect();
        let steps = derivation::merges(line, |left, right| {
            let merge = self.tables.pairs.table().get(left, right)?;
            Some((merge.rank, merge.result, merge.result))
        });
        let symbols = first.iter().map(|token| Symbol {
            id: token.id,
            start: token.start as usize,
            end: token.end as usize,
        });
        Ok(Derivation::Merges { symbols: symbols.collect(), steps })
    }

    fn merge(&self, scratch: &mut MergeScratch, random: &mut Random) -> Result<()> {
        if self.dropout > 0.0 {
            merge::merge_with_dropout(scratch, self.tables.pairs.table(), self.dropout, random)
        } else {
            merge::merge_all(scratch, self.tables.pairs.table())
        }
    }

    /// Hands over the symbols that a piece of characters is before anything is merged.
    pub fn first_symbols(&self, piece: &str, scratch: &mut impl TakesSymbols) -> Result<()> {
        check_length(piece)?;
        let table = &self.tables.symbols;
        // Unknown characters waiting to be written as one symbol: their bytes.
        let mut unknown = 0usize;
        let mut chars = piece.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let last = chars.peek().is_none();
            let len = c.len_utf8();
            if let Some(id) = table.of_char(c, at == 0, last) {
                self.flush_unknown(&mut unknown, scratch)?;
                scratch.push(id, len);
                continue;
            }
            if self.spec.byte_fallback
                && table.fallback(c, at == 0, last, |id, covered| {
                    // A waiting unknown comes first: text order.
                    if unknown > 0
                        && let Some(unk) = self.unk
                    {
                        scratch.push(unk, unknown);
                    }
                    unknown = 0;
                    scratch.push(id, covered);
                })
            {
                continue;
            }
            if self.spec.unk_token.is_none() {
                // The character vanishes; its bytes count for offsets, so that what follows stays in place.
                scratch.push_gap(len);
                continue;
            }
            if unknown > 0 && !self.spec.fuse_unk {
                self.flush_unknown(&mut unknown, scratch)?;
            }
            if self.unk.is_none() {
                return Err(self.missing_unk());
            }
            unknown += len;
        }
        self.flush_unknown(&mut unknown, scratch)
    }

    fn flush_unknown(&self, unknown: &mut usize, scratch: &mut impl TakesSymbols) -> Result<()> {
        if *unknown > 0 {
            scratch.push(self.unk.ok_or_else(|| self.missing_unk())?, *unknown);
            *unknown = 0;
        }
        Ok(())
    }

    fn missing_unk(&self) -> Error {
        let unk = self.spec.unk_token.as_deref().unwrap_or_default();
        Error::model(format!(
            "The `{}` token is out of the vocabulary: text with unknown characters cannot be encoded. Add it \
             to the vocabulary or set unk_token to one of its tokens",
            excerpt(unk)
        ))
    }
}

impl Tables {
    fn build(spec: &BpeSpec) -> Result<Self> {
        let prefix = spec.continuing_subword_prefix.as_deref().unwrap_or("");
        let suffix = spec.end_of_word_suffix.as_deref().unwrap_or("");
        let symbols = SymbolTable::build(&spec.vocab, prefix, suffix);
        let one_each = match &spec.merges {
            Merges::ConcatRank if needs_one_pair_each(spec) => {
                PairTable::one_for_each_token(&spec.vocab, |c| symbols.of_plain_char(c))
            }
            _ => None,
        };
        let one_pair_each = one_each.is_some();
        let mut pairs = match (&spec.merges, one_each) {
            (_, Some(pairs)) => pairs.into(),
            (Merges::Pairs(pairs), None) => Pairs::from_list(pairs, &spec.vocab, prefix.len())?,
            (Merges::ConcatRank, None) => PairTable::from_ranks(&spec.vocab)?.into(),
        };
        pairs.bring_near(symbols.of_ascii(), spec.vocab.id_bound());
        Ok(Tables { symbols, pairs, one_pair_each, cut: OnceLock::new() })
    }
}

/// Whether under the rule of concatenation one pair for each token is enough: no merge is left out by chance, and
/// symbols say what text they stand for (there are no affixes, no spelled bytes, no symbol for what is unknown, and
/// no two texts of one id).
fn needs_one_pair_each(spec: &BpeSpec) -> bool {
    spec.dropout.unwrap_or(0.0) == 0.0
        && spec.continuing_subword_prefix.is_none()
        && spec.end_of_word_suffix.is_none()
        && spec.unk_token.is_none()
        && !spec.byte_fallback
        && spec.vocab.named_ids() == spec.vocab.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that have no token are spelled in the alphabet, whose characters may be spelled in bytes again.
    #[test]
    fn half_a_character_of_the_alphabet_covers_the_whole_byte() {
        let texts = ["a".to_string()].into_iter().chain((0..=255u8).map(|byte| format!("<0x{byte:02X}>")));
        let vocab = Vocab::from_entries(texts.zip(0..)).unwrap();
        let bpe =
            Bpe::new(&BpeSpec { byte_fallback: true, ..BpeSpec::new(vocab, Merges::default()) }).unwrap();
        let mut tokens = Vec::new();
        let (mut scratch, mut random) = (MergeScratch::default(), Random::from_seed(1));
        bpe.tokenize_bytes("aéa".as_bytes(), &mut scratch, &mut random, &mut tokens).unwrap();
        let spans: Vec<(u32, u32)> = tokens.iter().map(|token| (token.start, token.end)).collect();
        // é is two bytes, each of them a character of two bytes in the alphabet.
        assert_eq!(spans, [(0, 1), (1, 2), (1, 2), (2, 3), (2, 3), (3, 4)]);
    }

    /// Unknown characters in a row are one token, so that few tokens may have any number of bytes.
    #[test]
    fn a_piece_with_places_that_are_not_told_is_refused() {
        use crate::model::length::LONGEST_PIECE;
        let vocab = Vocab::from_entries([("<unk>", 0), ("a", 1)]).unwrap();
        let unk_token = Some("<unk>".to_string());
        let spec = BpeSpec { unk_token, fuse_unk: true, ..BpeSpec::new(vocab, Merges::default()) };
        let bpe = Bpe::new(&spec).unwrap();
        let tokens = |piece: &str| {
            let (mut tokens, mut random) = (Vec::new(), Random::from_seed(1));
            bpe.tokenize(piece, &mut MergeScratch::default(), &mut random, &mut tokens).map(|()| tokens)
        };
        let longest = "b".repeat(LONGEST_PIECE);
        assert_eq!(tokens(&longest).unwrap(), [PieceToken::new(0, 0, LONGEST_PIECE)]);
        let error = tokens(&(longest + "b")).unwrap_err();
        assert!(
            error.message().starts_with("a piece of 16777217 bytes is too long for one model"),
            "{error}"
        );
    }
}
