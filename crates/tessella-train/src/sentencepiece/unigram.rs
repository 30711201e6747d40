//! Unigram by SentencePiece's rules, on the engine of [`crate::unigram`].
//!
//! Estimation is the same. What differs:
//!
//! - Seeds are the repeated substrings of the *sentences*, by occurrences times length. A substring is worth a
//!   try if what follows it somewhere begins with two different bytes (the end of a sentence is one). Pieces do not reach
//!   beyond a word, so it is enough to know, of every word, what comes next: words are counted with it, and no
//!   sentence is kept.
//! - Every round ends with a pruning, the last one too. It takes out everything that the best reading
//!   never uses, single characters too, and everything that is read in parts anyway.
//! - The share of unknown characters goes to the first entry, because the library numbers both 0.
//! - At the end the best entries are taken by score, and required characters always.
//!
//! Sums are whole numbers or have a fixed order, so the result is the same for any number of threads. The library
//! adds up single-precision numbers by thread; there, the last entries depend on the number of threads.

use std::collections::{BTreeMap, HashMap, HashSet};

use tessella_core::{Error, ErrorKind, Result};

use super::RARE;
use super::alphabet::Alphabet;
use super::ending::Ending;
use super::numbers::ByNumber;
use super::shape::Shape;
use crate::counts::PieceCounts;
use crate::progress::{Progress, Stage, check_at, report};
use crate::unigram::corpus::{Corpus, END};
use crate::unigram::estimate;
use crate::unigram::lattice::{DROPPED, Lattice, Piece, UNKNOWN};
use crate::unigram::prune::{self, Reader, Scored};
use crate::unigram::seeds::{Sorter, inner_nodes};

/// What the options say.
#[derive(Debug, Clone)]
pub(super) struct Rules {
    pub(super) vocab_size: usize,
    /// Ids that reserved pieces have.
    pub(super) reserved: usize,
    pub(super) longest: usize,
    pub(super) seed_size: usize,
    pub(super) shrinking_factor: f32,
    pub(super) sub_iterations: usize,
    pub(super) threads: usize,
}

/// Where seeds are looked for.
#[derive(Debug)]
pub(super) struct SeedUnits {
    /// Words with what follows them.
    pub(super) counts: PieceCounts,
    pub(super) ending: Ending,
}

/// The first entry of the vocabulary, which shares its number with the unknown one in the library.
const FIRST: usize = 1;

/// Texts of a seed file with their scores, or `None` to find seeds in the corpus.
pub(super) type GivenSeeds = Option<Vec<(String, f64)>>;

/// Learned pieces with their scores, best first.
pub(super) fn learn(
    words: &PieceCounts,
    seed_units: &SeedUnits,
    given: GivenSeeds,
    alphabet: &Alphabet,
    shape: &Shape,
    rules: &Rules,
    progress: &dyn Progress,
) -> Result<Vec<(String, f32)>> {
    report(progress, Stage::Prepare, 0, 0)?;
    let corpus = Corpus::new(words, progress)?;
    report(progress, Stage::Seed, 0, corpus.weights.len() as u64)?;
    let seeds = match given {
        Some(given) => with_characters(given, &corpus, rules.seed_size),
        None => {
            let mut seeds: Vec<(String, f64)> = Vec::new();
            let mut characters: Vec<(u128, char)> =
                corpus.frequency.iter().copied().zip(corpus.alphabet.iter().copied()).collect();
            characters.retain(|&(count, c)| count > 0 && c != RARE && c != '\0');
            characters.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
            seeds.extend(characters.into_iter().map(|(count, c)| (c.to_string(), count as f64)));
            seeds.extend(find_seeds(seed_units, shape, rules, progress)?);
            seeds
        }
    };
    let (mut pieces, mut lattice) = place(&corpus, &seeds, progress)?;
    drop(seeds);
    report(progress, Stage::Seed, corpus.weights.len() as u64, corpus.weights.len() as u64)?;

    let enough = (rules.vocab_size as f64 * 1.1) as usize;
    let first_size = pieces.len();
    let mut last_size = usize::MAX;
    while pieces.len() > 1 {
        for _ in 0..rules.sub_iterations {
            let (mut expected, _) =
                estimate::expectation(&corpus, &lattice, &pieces, rules.longest, rules.threads, progress)?;
            expected[FIRST] += expected[UNKNOWN as usize];
            if let Some(numbers) = estimate::maximisation(&mut pieces, &expected) {
                lattice.renumber(&numbers);
            }
            if pieces.len() == 1 {
                break;
            }
            let above = |size: usize| size.saturating_sub(enough) as u64;
            let done = above(first_size).saturating_sub(above(pieces.len()));
            report(progress, Stage::Estimate, done, above(first_size))?;
        }
        if pieces.len() == 1 {
            break;
        }
        let size = enough.max((rules.shrinking_factor * (pieces.len() - 1) as f32) as usize);
        prune_to(size, &corpus, &mut lattice, &mut pieces, rules.threads, progress)?;
        let entries = pieces.len() - 1;
        // Entries that nothing else can be read as are never dropped, however small the vocabulary should be.
        if entries <= enough || entries >= last_size {
            break;
        }
        last_size = entries;
    }
    Ok(finish(&corpus, &pieces, alphabet, rules))
}

/// Seeds of a file and the characters of the corpus. The characters come first, and the file's first ones as far as
/// there is room, in its own order, each once, whatever their counts are.
fn with_characters(given: Vec<(String, f64)>, corpus: &Corpus, most: usize) -> Vec<(String, f64)> {
    let characters = corpus.alphabet.iter().zip(&corpus.frequency);
    let mut seeds: Vec<(String, f64)> = characters
        .filter(|(c, n)| **c != RARE && **c != '\0' && **n > 0)
        .map(|(c, n)| (c.to_string(), *n as f64))
        .collect();
    let mut known: HashSet<String> = seeds.iter().map(|(character, _)| character.clone()).collect();
    let room = most.saturating_sub(seeds.len());
    seeds.extend(given.into_iter().filter(|(seed, _)| known.insert(seed.clone())).take(room));
    seeds.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    seeds
}

/// Repeated substrings of allowed shape, with occurrences times length as their score.
fn find_seeds(
    units: &SeedUnits,
    shape: &Shape,
    rules: &Rules,
    progress: &dyn Progress,
) -> Result<Vec<(String, f64)>> {
    let corpus = Corpus::new(&units.counts, progress)?;
    let sorter = Sorter::new(&corpus, rules.longest + 1);
    let keyed = sorter.sorted(rules.threads, progress)?;
    let nodes = inner_nodes(&sorter, &keyed, rules.longest, progress)?;
    // How many occurrences the sorted suffixes before each one stand for, modulo 2^64: with large frequencies the ends
    // of units count too, and only differences are asked for, which no sum of characters exceeds.
    let mut weights = vec![0u64; corpus.cells.len()];
    for unit in 0..corpus.weights.len() {
        weights[corpus.range(unit)].fill(corpus.weights[unit]);
    }
    let mut before = Vec::with_capacity(keyed.len() + 1);
    let mut sum = 0u64;
    before.push(0);
    for &(_, position) in &keyed {
        sum = sum.wrapping_add(weights[position as usize]);
        before.push(sum);
    }
    drop(weights);
    let mut buffer = Vec::new();
    let mut best: Vec<(u64, u32, u32)> = Vec::new();
    for (number, node) in nodes.into_iter().enumerate() {
        check_at(progress, number)?;
        let position = keyed[node.left as usize].1 as usize;
        let cells = &corpus.cells[position..position + node.len as usize];
        let next = |suffix: u32| {
            let after = keyed[suffix as usize].1 as usize + node.len as usize;
            // Sorted texts are sorted bytes.
            corpus.alphabet[corpus.cells[after] as usize].encode_utf8(&mut [0; 4]).as_bytes()[0]
        };
        if next(node.left) == next(node.right) {
            continue;
        }
        buffer.clear();
        buffer.extend(cells.iter().map(|&cell| corpus.alphabet[cell as usize]));
        if shape.fits(&buffer) {
            let occurrences = before[node.right as usize + 1].wrapping_sub(before[node.left as usize]);
            let occurrences = units.ending.occurrences(&buffer, occurrences);
            best.push((occurrences.saturating_mul(u64::from(node.len)), node.left, node.len));
        }
    }
    let order = |a: &(u64, u32, u32), b: &(u64, u32, u32)| b.0.cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2)));
    // None asked for are all there are, as in the library.
    if (1..best.len()).contains(&rules.seed_size) {
        best.select_nth_unstable_by(rules.seed_size - 1, order);
        best.truncate(rules.seed_size);
    }
    best.sort_unstable_by(order);
    let text = |left: u32, len: u32| corpus.text(keyed[left as usize].1, len);
    Ok(best.into_iter().map(|(score, left, len)| (text(left, len), score as f64)).collect())
}

/// A step in the tree of entries: from a node along a character.
type Steps = ByNumber<u32>;

/// Entries with logarithms of their shares as scores, and everywhere that they match. An entry that occurs
/// nowhere is left out; it has its share none the less.
fn place(corpus: &Corpus, seeds: &[(String, f64)], progress: &dyn Progress) -> Result<(Vec<Piece>, Lattice)> {
    let numbers: HashMap<char, u32> = corpus.alphabet.iter().copied().zip(0u32..).collect();
    let log_sum = seeds.iter().map(|seed| seed.1).sum::<f64>().ln();
    // Node 0 is the root; an entry's node has its number.
    let mut steps = Steps::default();
    let mut entry_at: Vec<u32> = vec![UNKNOWN];
    let mut pieces = vec![Piece { position: u32::MAX, len: 1, score: f64::NAN }];
    for (number, (text, score)) in seeds.iter().enumerate() {
        check_at(progress, number)?;
        let Some(cells) = text.chars().map(|c| numbers.get(&c).copied()).collect::<Option<Vec<u32>>>() else {
            continue;
        };
        let mut node = 0u32;
        for &cell in &cells {
            let fresh = entry_at.len() as u32;
            node = *steps.entry(u64::from(node) << 32 | u64::from(cell)).or_insert(fresh);
            if node == fresh {
                entry_at.push(UNKNOWN);
            }
        }
        if entry_at[node as usize] == UNKNOWN {
            entry_at[node as usize] = pieces.len() as u32;
            pieces.push(Piece { position: u32::MAX, len: cells.len() as u32, score: score.ln() - log_sum });
        }
    }
    let mut first = Vec::with_capacity(corpus.cells.len() + 1);
    let mut entries: Vec<u32> = Vec::with_capacity(corpus.cells.len() * 3);
    first.push(0);
    for position in 0..corpus.cells.len() {
        check_at(progress, position)?;
        let start = entries.len();
        entries.push(UNKNOWN);
        let mut node = 0u32;
        for (length, &cell) in corpus.cells[position..].iter().enumerate() {
            if cell == END {
                break;
            }
            match steps.get(&(u64::from(node) << 32 | u64::from(cell))) {
                Some(&next) => node = next,
                None => break,
            }
            let entry = entry_at[node as usize];
            if entry == UNKNOWN {
                continue;
            }
            let piece = &mut pieces[entry as usize];
            piece.position = piece.position.min(position as u32);
            match length {
                0 => entries[start] = entry,
                _ => entries.push(entry),
            }
        }
        if entries.len() >= u32::MAX as usize {
            return Err(Error::new(
                ErrorKind::Train,
                "the seeds match at more than 4 billion places: lower seed_sentencepiece_size or \
                 input_sentence_size",
            ));
        }
        first.push(entries.len() as u32);
    }
    let mut lattice = Lattice { first, entries };
    let mut renumbered = vec![DROPPED; pieces.len()];
    renumbered[UNKNOWN as usize] = UNKNOWN;
    let mut kept = 1;
    for entry in 1..pieces.len() {
        if pieces[entry].position != u32::MAX {
            renumbered[entry] = kept as u32;
            kept += 1;
        }
    }
    lattice.keep(&mut pieces, &renumbered, kept);
    Ok((pieces, lattice))
}

/// Keeps what cannot be read in another way, and of the others those whose loss would be greatest, `size` in all.
fn prune_to(
    size: usize,
    corpus: &Corpus,
    lattice: &mut Lattice,
    pieces: &mut Vec<Piece>,
    threads: usize,
    progress: &dyn Progress,
) -> Result<()> {
    let scored = Scored::all(pieces);
    let mut frequency = prune::frequencies(corpus, lattice, &scored, threads, progress)?;
    frequency[FIRST] += frequency[UNKNOWN as usize];
    frequency[UNKNOWN as usize] = frequency[FIRST];
    let sum: f64 = frequency[FIRST..].iter().map(|&n| n as f64).sum();
    let occurrences = corpus.total as f64;

    let mut numbers = vec![DROPPED; pieces.len()];
    numbers[UNKNOWN as usize] = UNKNOWN;
    let mut kept = 1;
    let mut candidates: Vec<(u32, f32)> = Vec::new();
    let mut reader = Reader::default();
    for (entry, piece) in pieces.iter().enumerate().skip(FIRST) {
        check_at(progress, entry)?;
        let used = frequency[entry] as f64;
        if frequency[entry] == 0 {
            continue;
        }
        let other = match piece.len {
            1 => None,
            len => reader.read(lattice, &scored, piece.position as usize, len as usize, true),
        };
        match other {
            None => {
                numbers[entry] = kept as u32;
                kept += 1;
            }
            Some(score) if score > piece.score => {}
            Some(_) => {
                let parts = reader.entries(&scored).count();
                let loss = used / occurrences * reader.loss(&scored, &frequency, used, sum, parts);
                candidates.push((entry as u32, loss as f32));
            }
        }
    }
    candidates.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    for &(entry, _) in candidates.iter().take((size + 1).saturating_sub(kept)) {
        numbers[entry as usize] = kept as u32;
        kept += 1;
    }
    lattice.keep(pieces, &numbers, kept);
    Ok(())
}

/// Required characters, then the best entries, by score.
fn finish(corpus: &Corpus, pieces: &[Piece], alphabet: &Alphabet, rules: &Rules) -> Vec<(String, f32)> {
    const PENALTY: f32 = 0.0001;
    let mut entries: Vec<(String, f32)> = pieces[FIRST..]
        .iter()
        .map(|piece| (corpus.text(piece.position, piece.len), piece.score as f32))
        .collect();
    entries.sort_by(best_first);
    let known: HashMap<&str, f32> = entries.iter().map(|(text, score)| (text.as_str(), *score)).collect();
    let least = entries.last().map_or(0.0, |entry| entry.1);
    let mut penalty = 0.0;
    let mut chosen: BTreeMap<String, f32> = BTreeMap::new();
    for (c, _) in &alphabet.characters {
        let text = c.to_string();
        let score = known.get(text.as_str()).copied().unwrap_or_else(|| {
            penalty += PENALTY;
            least + (penalty - PENALTY)
        });
        chosen.insert(text, score);
    }
    let room = rules.vocab_size.saturating_sub(rules.reserved);
    for (text, score) in &entries {
        if chosen.len() >= room {
            break;
        }
        chosen.entry(text.clone()).or_insert(*score);
    }
    let mut chosen: Vec<(String, f32)> = chosen.into_iter().collect();
    chosen.sort_by(best_first);
    chosen
}

fn best_first(a: &(String, f32), b: &(String, f32)) -> std::cmp::Ordering {
    b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0))
}
