//! The best segmentation of a text, in one pass and with memory for one word at a time.
//!
//! For every character boundary the pass keeps the best path that ends there. A boundary that no edge
//! crosses is on every path, so the part before it is settled: it is handed out and forgotten, and only its
//! score goes on. Scores are never reset, since rounding makes results depend on what was summed before.
//!
//! Of two candidates for one boundary the later one must be strictly better; they come by ascending start,
//! so a tie keeps the longer last piece.

use crate::error::Error;
use crate::limits;
use crate::trie::Trie;

/// Characters between two questions whether the caller still wants the result: some milliseconds.
const CHECK_EVERY: u32 = 1 << 16;

/// How scores add up and compare: the arithmetic of the library whose results are reproduced.
pub(crate) trait Scoring {
    /// The width of all sums.
    type Score: Copy + Default + PartialOrd;

    /// The score of a path that goes on with this piece; `None` if the piece may not be used.
    fn with_piece(&self, id: u32, bytes: usize, before: Self::Score) -> Option<Self::Score>;
    fn with_unknown(&self, before: Self::Score) -> Self::Score;

    /// The score less `base`, if sums that have come to `base` are to be counted from there.
    fn counted_from(&self, _score: Self::Score, _base: Self::Score) -> Option<Self::Score> {
        None
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Node<S> {
    score: S,
    /// Bytes of the path's last piece, 0 where no path has arrived.
    length: u32,
    id: u32,
}

/// Buffers that a thread reuses from text to text.
#[derive(Debug, Default)]
pub(crate) struct Window<S> {
    /// Best paths from the last settled boundary on.
    nodes: Vec<Node<S>>,
    path: Vec<(usize, usize, u32)>,
}

/// Why a search has no path.
#[derive(Debug)]
pub(crate) enum NoPath {
    /// Nothing covers a character, and there is no id for what is unknown.
    NoUnknown,
    /// The caller wants it no more.
    Stopped(Error),
}

/// Bytes of the character that starts with `first`.
#[inline]
pub(crate) fn char_width(first: u8) -> usize {
    match first {
        0..=0x7F => 1,
        0x80..=0xDF => 2,
        0xE0..=0xEF => 3,
        _ => 4,
    }
}

/// Walks the best path and hands out its edges in order as `(start, end, id)`. `score` is what the text before it came
/// to; the sum at the end is returned.
pub(crate) fn best_path<S: Scoring>(
    text: &str,
    trie: &Trie,
    scoring: &S,
    unknown: Option<u32>,
    score: S::Score,
    window: &mut Window<S::Score>,
    mut edge: impl FnMut(usize, usize, u32),
) -> Result<S::Score, NoPath> {
    let bytes = text.as_bytes();
    let Window { nodes, path } = window;
    nodes.clear();
    nodes.push(Node { score, ..Node::default() });
    let mut settled = 0;
    let mut reach = 0;
    let mut at = 0;
    let mut unchecked = CHECK_EVERY;
    while at < bytes.len() {
        unchecked -= 1;
        if unchecked == 0 {
            unchecked = CHECK_EVERY;
            limits::check().map_err(NoPath::Stopped)?;
        }
        if at == reach && at > settled {
            let score = nodes[at - settled].score;
            hand_out(nodes, path, settled, at, &mut edge);
            nodes.clear();
            nodes.push(Node { score, ..Node::default() });
            settled = at;
        }
        let mut before = nodes[at - settled].score;
        if let Some(zero) = scoring.counted_from(before, before) {
            for node in &mut nodes[at - settled..] {
                node.score = scoring.counted_from(node.score, before).unwrap_or(node.score);
            }
            before = zero;
        }
        let width = char_width(bytes[at]);
        let mut covered = false;
        let mut cursor = trie.root();
        for (index, &byte) in bytes[at..].iter().enumerate() {
            let Some(value) = trie.step(&mut cursor, byte) else { break };
            let Some(id) = value else { continue };
            let length = index + 1;
            let Some(candidate) = scoring.with_piece(id, length, before) else { continue };
            covered |= length == width;
            let end = at + length;
            reach = reach.max(end);
            let node = node_at(nodes, end - settled);
            if node.length == 0 || candidate > node.score {
                *node = Node { score: candidate, length: length as u32, id };
            }
        }
        if !covered {
            let candidate = scoring.with_unknown(before);
            let end = at + width;
            reach = reach.max(end);
            let node = node_at(nodes, end - settled);
            if node.length == 0 || candidate > node.score {
                let id = unknown.ok_or(NoPath::NoUnknown)?;
                *node = Node { score: candidate, length: width as u32, id };
            }
        }
        at += width;
    }
    hand_out(nodes, path, settled, bytes.len(), &mut edge);
    let score = nodes[bytes.len() - settled].score;
    // A hostile text without any settled boundary must not keep its memory for ever.
    if nodes.capacity() > 1 << 20 {
        *nodes = Vec::new();
        *path = Vec::new();
    }
    Ok(score)
}

/// Bytes of a text whose nodes have places of their own from the start.
pub(crate) const SHORT: usize = 31;

/// The same for a text of up to [`SHORT`] bytes and sums that are never counted from elsewhere: most words are such, and
/// for them settling what is behind costs more than remembering it.
pub(crate) fn best_short_path<S: Scoring>(
    text: &str,
    trie: &Trie,
    scoring: &S,
    unknown: Option<u32>,
    score: S::Score,
    mut edge: impl FnMut(usize, usize, u32),
) -> Result<S::Score, NoPath> {
    let bytes = text.as_bytes();
    debug_assert!(bytes.len() <= SHORT);
    let mut nodes = [Node::<S::Score>::default(); SHORT + 1];
    nodes[0].score = score;
    let is_better = |node: &Node<S::Score>, score| (node.length == 0) | (score > node.score);
    let mut at = 0;
    while at < bytes.len() {
        let before = nodes[at].score;
        let width = char_width(bytes[at]);
        let mut covered = false;
        let mut cursor = trie.root();
        let mut arrive = |end: usize, id: u32, candidate: S::Score| {
            let new = Node { score: candidate, length: (end - at) as u32, id };
            nodes[end] = if is_better(&nodes[end], candidate) { new } else { nodes[end] };
        };
        for (end, &byte) in (at + 1..).zip(&bytes[at..]) {
            let Some(value) = trie.step(&mut cursor, byte) else { break };
            let Some(id) = value else { continue };
            let Some(candidate) = scoring.with_piece(id, end - at, before) else { continue };
            covered |= end - at == width;
            arrive(end, id, candidate);
        }
        if !covered {
            let candidate = scoring.with_unknown(before);
            match unknown {
                Some(id) => arrive(at + width, id, candidate),
                // Only what would be taken has to have an id.
                None if is_better(&nodes[at + width], candidate) => return Err(NoPath::NoUnknown),
                None => {}
            }
        }
        at += width;
    }
    // What is taken, from its end.
    let mut path = [0u8; SHORT + 1];
    let mut first = path.len();
    while at > 0 {
        first -= 1;
        path[first] = at as u8;
        at -= nodes[at].length as usize;
    }
    for &end in &path[first..] {
        let Node { length, id, .. } = nodes[usize::from(end)];
        edge(usize::from(end) - length as usize, usize::from(end), id);
    }
    Ok(nodes[bytes.len()].score)
}

#[inline]
fn node_at<S: Copy + Default>(nodes: &mut Vec<Node<S>>, index: usize) -> &mut Node<S> {
    if index >= nodes.len() {
        nodes.resize(index + 1, Node::default());
    }
    &mut nodes[index]
}

fn hand_out<S>(
    nodes: &[Node<S>],
    path: &mut Vec<(usize, usize, u32)>,
    from: usize,
    to: usize,
    edge: &mut impl FnMut(usize, usize, u32),
) {
    path.clear();
    let mut end = to;
    while end > from {
        let node = &nodes[end - from];
        let start = end - node.length as usize;
        path.push((start, end, node.id));
        end = start;
    }
    for &(start, end, id) in path.iter().rev() {
        edge(start, end, id);
    }
}
