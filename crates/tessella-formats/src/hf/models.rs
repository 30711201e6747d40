//! The `model` section.
//!
//! `vocab` and `merges` hold nearly all of a document's bytes, so they are streamed: vocabulary entries go
//! from the text into the vocabulary's arena, merges become pairs of ids at once. Keys may come in any order;
//! merges that stand before the vocabulary are passed over and read when it is known.

use std::sync::Arc;

use tessella_core::error::excerpt;
use tessella_core::spec::{Described, Joined, Lead, Merges, ModelSpec, UnigramSpec, Vocab};
use tessella_core::{Error, Result, TokenId};

use super::components::read_setting;
use super::remarks::Remarks;
use crate::json::{Kind, Node, Parser, Plain, Value, key_path, read_score};

/// Ids up to here are accepted however small the vocabulary is; a table over all ids stays below 64 MiB.
const ALWAYS_ALLOWED_ID: u32 = 1 << 22;

/// Beyond it, the largest id per entry, so that a few bytes of input cannot ask for gigabytes.
const IDS_PER_ENTRY: u64 = 64;

/// The two shapes of a `vocab`.
enum Table {
    /// Token to id.
    Map(Vocab),
    /// Pieces with scores, in id order.
    List(Vec<(String, f64)>),
}

/// Builds a vocabulary after a look at its largest id.
pub fn build_vocab(entries: Joined, path: &str) -> Result<Vocab> {
    let largest = entries.ids().iter().copied().max().unwrap_or(0);
    if largest >= ALWAYS_ALLOWED_ID
        && largest as u64 > entries.len() as u64 * IDS_PER_ENTRY
        && let Some((text, id)) = entries.iter().max_by_key(|(_, id)| *id)
    {
        return Err(Error::format(format!(
            "the token `{}` has the id {id}, which is implausible for a vocabulary of {} entries",
            excerpt(text),
            entries.len()
        ))
        .at(path));
    }
    Vocab::from_joined(entries).map_err(|error| error.at(path))
}

pub(super) fn read_map(parser: &mut Parser<'_>, path: &str, remarks: &mut Remarks) -> Result<Vocab> {
    let start = parser.clone();
    // Room for entries of usual length, which costs nothing before it is written to.
    let mut entries = Joined::with_capacity(parser.rest() / 20, parser.rest() / 3);
    parser.begin_object()?;
    loop {
        while let Some((text, id)) = parser.plain_entry() {
            let (text, len) = text.with_rest();
            entries.push_first(text, len, id);
        }
        // The end, or an entry that is not plain.
        let Some(text) = parser.next_key()? else { break };
        let id = match parser.peek()? {
            Kind::Number => parser.number()?.as_u64().and_then(|id| TokenId::try_from(id).ok()),
            _ => None,
        };
        match id {
            Some(id) => entries.push(&text, id),
            None => {
                let message = "a token's id must be an integer from 0 to 4294967295";
                return Err(Error::format(message).at(format!("{path}[\"{}\"]", excerpt(&text))));
            }
        }
    }
    let count = entries.len();
    let vocab = build_vocab(entries, path)?;
    if vocab.len() < count {
        tell_repeated(start, path, remarks)?;
    }
    Ok(vocab)
}

/// Reads an object of numbers once more, for the keys that come twice.
fn tell_repeated(mut parser: Parser<'_>, path: &str, remarks: &mut Remarks) -> Result<()> {
    let mut seen = std::collections::HashSet::new();
    parser.begin_object()?;
    while let Some(text) = parser.next_key()? {
        parser.number()?;
        if !seen.insert(text.clone()) {
            remarks.repeated(&key_path(path, &text));
        }
    }
    Ok(())
}

fn read_list(parser: &mut Parser<'_>, path: &str) -> Result<Vec<(String, f64)>> {
    let mut pieces = Vec::new();
    let wrong = |at: usize, problem: &str| {
        Error::format(format!("{problem}, expected [piece, score]")).at(format!("{path}[{at}]"))
    };
    let score = |at: usize, number: &str| {
        let score = read_score(number);
        let is_too_large = score.is_infinite();
        if is_too_large { Err(wrong(at, "a score beyond 64-bit floating point")) } else { Ok(score) }
    };
    parser.begin_array()?;
    loop {
        while let Some((text, number)) = parser.plain_scored() {
            pieces.push((text.to_string(), score(pieces.len(), number)?));
        }
        // The end, or an entry that is not plain.
        if !parser.next_element()? {
            return Ok(pieces);
        }
        let entry = |problem: &str| Err(wrong(pieces.len(), problem));
        if parser.peek()? != Kind::Array {
            return entry("not an array");
        }
        parser.begin_array()?;
        if !parser.next_element()? || parser.peek()? != Kind::String {
            return entry("no piece");
        }
        let text = parser.string()?.into_owned();
        if !parser.next_element()? || parser.peek()? != Kind::Number {
            return entry("no score");
        }
        let score = score(pieces.len(), parser.number_text()?)?;
        if parser.next_element()? {
            return entry("more than two elements");
        }
        pieces.push((text, score));
    }
}

fn read_table(parser: &mut Parser<'_>, path: &str, remarks: &mut Remarks) -> Result<Table> {
    match parser.peek()? {
        Kind::Object => Ok(Table::Map(read_map(parser, path, remarks)?)),
        Kind::Array => Ok(Table::List(read_list(parser, path)?)),
        _ => {
            Err(Error::format("expected an object of tokens and ids, or an array of [piece, score]").at(path))
        }
    }
}

/// Takes merges, and looks up many of them at once: that takes less time.
struct Found<'a, 'v> {
    vocab: &'v Vocab,
    path: &'v str,
    merges: Vec<(TokenId, TokenId)>,
    /// Left and right in turn, of merges that are not looked up yet.
    texts: Vec<Plain<'a>>,
    /// The place of each of these merges in the array.
    places: Vec<usize>,
    ids: Vec<TokenId>,
}

impl<'a> Found<'a, '_> {
    /// Merges that are looked up together.
    const MOST: usize = 512;

    /// Takes a merge of plain texts.
    #[inline]
    fn plain(&mut self, place: usize, left: Plain<'a>, right: Plain<'a>) -> Result<()> {
        self.texts.extend([left, right]);
        self.places.push(place);
        if self.places.len() < Self::MOST { Ok(()) } else { self.resolve() }
    }

    /// Takes a merge of other texts, which are few.
    fn other(&mut self, place: usize, left: &str, right: &str) -> Result<()> {
        self.resolve()?;
        let id = |text: &str| self.vocab.id(text).ok_or_else(|| self.unknown(text, place));
        let merge = (id(left)?, id(right)?);
        self.merges.push(merge);
        Ok(())
    }

    /// Looks up what is not.
    fn resolve(&mut self) -> Result<()> {
        self.ids.clear();
        let lead = |at: usize| {
            let (text, len) = self.texts[at].with_rest();
            Lead::new(text.as_bytes(), len)
        };
        self.vocab.ids_of(self.texts.len(), lead, |id| self.ids.push(id));
        if let Some(at) = self.ids.iter().position(|&id| id == TokenId::MAX) {
            return Err(self.unknown(self.texts[at].text(), self.places[at / 2]));
        }
        self.merges.extend(self.ids.as_chunks::<2>().0.iter().map(|&[left, right]| (left, right)));
        self.texts.clear();
        self.places.clear();
        Ok(())
    }

    fn unknown(&self, text: &str, place: usize) -> Error {
        Error::model(format!("Token `{}` out of vocabulary", excerpt(text)))
            .at(format!("{}[{place}]", self.path))
    }
}

/// Merges as pairs, or in the older way as two texts with a space between them; never mixed.
fn read_merges(parser: &mut Parser<'_>, vocab: &Vocab, path: &str) -> Result<Vec<(TokenId, TokenId)>> {
    let (merges, texts, places, ids) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut found = Found { vocab, path, merges, texts, places, ids };
    let read = each_merge(parser, &mut found);
    // An unknown token is told before what is wrong behind it.
    found.resolve()?;
    read.map(|()| found.merges)
}

/// What a line begins with that is no merge. There is no space in it.
const HEADER: &str = "#version";

/// Has each merge of an array taken.
fn each_merge<'a>(parser: &mut Parser<'a>, found: &mut Found<'a, '_>) -> Result<()> {
    let path = found.path;
    if parser.peek()? != Kind::Array {
        return Err(Error::format("expected an array of merges").at(path));
    }
    let mut first_kind = None;
    let mut index = 0usize;
    parser.begin_array()?;
    loop {
        if first_kind.is_none_or(|kind| kind == Kind::String) {
            while let Some((left, right)) = parser.plain_halves() {
                first_kind = Some(Kind::String);
                if !left.text().starts_with(HEADER) {
                    found.plain(index, left, right)?;
                }
                index += 1;
            }
        }
        if first_kind.is_none_or(|kind| kind == Kind::Array) {
            while let Some((left, right)) = parser.plain_pair() {
                first_kind = Some(Kind::Array);
                found.plain(index, left, right)?;
                index += 1;
            }
        }
        // The end, or a merge that is not plain.
        if !parser.next_element()? {
            return Ok(());
        }
        let fail = |message: String| Err(Error::format(message).at(format!("{path}[{index}]")));
        let kind = parser.peek()?;
        if *first_kind.get_or_insert(kind) != kind {
            return fail("pairs and strings are mixed; all merges must have one form".into());
        }
        match kind {
            Kind::Array => {
                let expected = "expected a merge: [left, right]";
                parser.begin_array()?;
                if !parser.next_element()? || parser.peek()? != Kind::String {
                    return fail(expected.into());
                }
                let left = parser.string()?;
                if !parser.next_element()? || parser.peek()? != Kind::String {
                    return fail(expected.into());
                }
                let right = parser.string()?;
                if parser.next_element()? {
                    return fail(expected.into());
                }
                found.other(index, &left, &right)?;
            }
            Kind::String => {
                let line = parser.string()?;
                if !line.starts_with(HEADER) {
                    let Some((left, right)) = halves(&line) else {
                        return fail(format!(
                            "the merge `{}` must be two tokens with one space between them",
                            excerpt(&line)
                        ));
                    };
                    found.other(index, &line[..left], &line[right..])?;
                }
            }
            _ => return fail("expected a merge: [left, right] or \"left right\"".into()),
        }
        index += 1;
    }
}

/// Where the first half of a line with one space ends, and where the second begins.
fn halves(line: &str) -> Option<(usize, usize)> {
    let mut spaces = line.bytes().enumerate().filter(|(_, byte)| *byte == b' ').map(|(at, _)| at);
    match (spaces.next(), spaces.next()) {
        (Some(at), None) => Some((at, at + 1)),
        _ => None,
    }
}

/// Reads a model; `path` is where it stands.
pub(super) fn read(parser: &mut Parser<'_>, path: &str, remarks: &mut Remarks) -> Result<ModelSpec> {
    if parser.peek()? != Kind::Object {
        return Err(Error::format("expected an object").at(path));
    }
    let vocab_path = format!("{path}.vocab");
    let merges_path = format!("{path}.merges");
    let mut fields: Vec<(String, Value)> = Vec::new();
    let mut table = None;
    let mut merges = None;
    // Where the merges stand: they can be read only when it is known of which vocabulary.
    let mut merges_at = None;
    parser.begin_object()?;
    while let Some(key) = parser.next_key()? {
        if (key == "vocab" && table.is_some()) || (key == "merges" && merges_at.is_some()) {
            remarks.repeated(&format!("{path}.{key}"));
        }
        match key.as_ref() {
            "vocab" => {
                table = Some(read_table(parser, &vocab_path, remarks)?);
                // Those read before are of another vocabulary.
                merges = None;
            }
            "merges" => {
                merges_at = Some(parser.clone());
                match &table {
                    Some(Table::Map(vocab)) => merges = Some(read_merges(parser, vocab, &merges_path)?),
                    _ => parser.skip()?,
                }
            }
            _ => fields.push((key.into_owned(), parser.value()?)),
        }
    }
    if merges.is_none()
        && let (Some(mut there), Some(Table::Map(vocab))) = (merges_at, &table)
    {
        merges = Some(read_merges(&mut there, vocab, &merges_path)?);
    }
    let fields = Value::Object(fields);
    remarks.model(&fields, path)?;
    build(&Node::new(&fields, path), table, merges)
}

/// Which model the fields describe; old files leave the type out.
fn kind(node: &Node<'_>, table: &Option<Table>, has_merges: bool) -> Result<&'static str> {
    if let Some(tag) = node.field("type") {
        return tag.one_of(&ModelSpec::KINDS.iter().map(|&name| (name, name)).collect::<Vec<_>>());
    }
    match table {
        Some(Table::List(_)) => Ok("Unigram"),
        Some(Table::Map(_)) if has_merges => Ok("BPE"),
        Some(Table::Map(_))
            if node.has("continuing_subword_prefix") && node.has("max_input_chars_per_word") =>
        {
            Ok("WordPiece")
        }
        Some(Table::Map(_)) if node.has("unk_token") => Ok("WordLevel"),
        _ => node.fail(format!(
            "the model has no `type` and its fields fit none of those that may leave it out; known types: {}",
            ModelSpec::KINDS.join(", ")
        )),
    }
}

fn build(
    node: &Node<'_>,
    table: Option<Table>,
    merges: Option<Vec<(TokenId, TokenId)>>,
) -> Result<ModelSpec> {
    let kind = kind(node, &table, merges.is_some())?;
    let vocab = match (table, kind) {
        (None, _) => return node.fail("the field `vocab` is missing"),
        (Some(Table::List(pieces)), "Unigram") => return unigram(node, pieces),
        (Some(Table::Map(_)), "Unigram") => {
            return node.fail("the `vocab` of Unigram must be an array of [piece, score], found an object");
        }
        (Some(Table::List(_)), _) => {
            return node
                .fail(format!("the `vocab` of {kind} must be an object of tokens and ids, found an array"));
        }
        (Some(Table::Map(vocab)), _) => Arc::new(vocab),
    };
    let unread = || node.fail(format!("models of the type {kind} are not read"));
    let Some(mut model) = ModelSpec::blank(kind) else { return unread() };
    match model.vocab_mut() {
        Some(place) => *place = vocab,
        None => return unread(),
    }
    if let ModelSpec::Bpe(bpe) = &mut model {
        let Some(merges) = merges else {
            return node.fail("the field `merges` is missing");
        };
        bpe.merges = Merges::Pairs(Arc::new(merges));
    }
    model.fields().into_iter().try_for_each(|field| read_setting(node, field))?;
    Ok(model)
}

fn unigram(node: &Node<'_>, pieces: Vec<(String, f64)>) -> Result<ModelSpec> {
    let unk_id = match node.field("unk_id") {
        None => None,
        Some(field) => {
            let id = field.usize()?;
            if pieces.is_empty() {
                return field.fail("The vocabulary is empty but at least <unk> is needed");
            }
            if id >= pieces.len() {
                return field.fail(format!(
                    "The `unk_id` is larger than vocabulary size: {id}, but there are {} pieces",
                    pieces.len()
                ));
            }
            Some(id)
        }
    };
    Ok(ModelSpec::Unigram(UnigramSpec {
        vocab: Arc::new(pieces),
        unk_id,
        byte_fallback: node.bool_or("byte_fallback", false)?,
        alpha: None,
        nbest_size: None,
    }))
}
