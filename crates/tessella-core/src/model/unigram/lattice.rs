//! All segmentations of a text at once: n-best lists and sampling.
//!
//! A lattice holds every edge (a piece between two positions). The n best paths come from an A* search that
//! walks backwards from the end: the best score up to a position, known from a forward pass, is an exact
//! estimate of what is still to come. Sampling goes the same way with sums instead of maxima
//! (forward filtering, backward sampling).
//!
//! Ties between paths are broken by the order of a binary heap. It is written out here, since the order is
//! visible in n-best lists and a library's heap may change.

use std::time::{Duration, Instant};

use crate::random::Random;

/// The width in which scores add up.
pub(crate) trait Score:
    Copy + PartialOrd + Default + std::ops::Add<Output = Self> + Into<f64>
{
}
impl Score for f32 {}
impl Score for f64 {}

/// The start of every path.
const BEGIN: u32 = 0;
/// The end of every path.
const END: u32 = 1;

#[derive(Debug, Clone, Copy)]
struct Edge<S> {
    start: u32,
    end: u32,
    id: u32,
    score: S,
    /// Best score from the beginning up to and with this edge.
    best: S,
}

/// An edge on a path: `(start, end, id)` in bytes.
pub(crate) type PathEdge = (usize, usize, u32);

/// All edges over one text.
#[derive(Debug)]
pub(crate) struct Lattice<S> {
    length: usize,
    edges: Vec<Edge<S>>,
    /// Edges by their end, in the order of insertion: those that end at `p` are
    /// `by_end[end_starts[p]..end_starts[p + 1]]`.
    by_end: Vec<u32>,
    end_starts: Vec<u32>,
}

/// How far the search may go. When the agenda has grown to `limit`, only the best few stay.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Agenda {
    pub limit: usize,
    pub bounds: Option<Bounds>,
}

/// When a search gives up: then the best path alone is the result.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// Hypotheses that are added to those kept before the agenda is cut down, however short it is.
    pub added: usize,
    /// Hypotheses in all.
    pub total: usize,
    /// How often the agenda is cut down.
    pub cuts: usize,
    pub time: Option<Duration>,
}

impl Agenda {
    pub(crate) const fn unbounded(limit: usize) -> Self {
        Agenda { limit, bounds: None }
    }

    /// The same with another time to search for.
    pub(crate) fn within(self, time: Option<Duration>) -> Self {
        Agenda { bounds: self.bounds.map(|bounds| Bounds { time, ..bounds }), ..self }
    }
}

impl Bounds {
    fn is_late(&self, begun: Instant) -> bool {
        self.time.is_some_and(|time| begun.elapsed() >= time)
    }
}

const KEPT: usize = 512;
/// Steps between two looks at the clock.
const LOOK_EVERY: usize = 1 << 8;

#[derive(Debug, Clone, Copy)]
struct Hypothesis<S> {
    edge: u32,
    next: u32,
    /// Score of the best complete path that ends so.
    estimate: S,
    /// Score of the edges from here to the end.
    exact: S,
}

impl<S: Score> Lattice<S> {
    /// `edges` are `(start, end, id, score)` by ascending start; every position that an edge reaches must be
    /// the start of another one or the end of the text.
    pub(crate) fn new(length: usize, edges: impl IntoIterator<Item = (usize, usize, u32, S)>) -> Self {
        let zero = S::default();
        let mut all = vec![
            Edge { start: 0, end: 0, id: u32::MAX, score: zero, best: zero },
            Edge { start: length as u32, end: u32::MAX, id: u32::MAX, score: zero, best: zero },
        ];
        all.extend(edges.into_iter().map(|(start, end, id, score)| Edge {
            start: start as u32,
            end: end as u32,
            id,
            score,
            best: zero,
        }));
        let mut end_starts = vec![0u32; length + 2];
        for (index, edge) in all.iter().enumerate() {
            if index as u32 != END {
                end_starts[edge.end as usize + 1] += 1;
            }
        }
        for position in 0..=length {
            end_starts[position + 1] += end_starts[position];
        }
        let mut cursor = end_starts.clone();
        let mut by_end = vec![0; all.len() - 1];
        for (index, edge) in all.iter().enumerate() {
            if index as u32 != END {
                let place = &mut cursor[edge.end as usize];
                by_end[*place as usize] = index as u32;
                *place += 1;
            }
        }
        let mut lattice = Lattice { length, edges: all, by_end, end_starts };
        for index in (2..lattice.edges.len() as u32).chain([END]) {
            if let Some((best, _)) = lattice.best_before(index) {
                lattice.edges[index as usize].best = best;
            }
        }
        lattice
    }

    fn ending_at(&self, position: u32) -> &[u32] {
        let from = self.end_starts[position as usize] as usize;
        let to = self.end_starts[position as usize + 1] as usize;
        &self.by_end[from..to]
    }

    /// The best score through an edge and the edge before it; the first of equals.
    fn best_before(&self, index: u32) -> Option<(S, u32)> {
        let edge = self.edges[index as usize];
        let mut best: Option<(S, u32)> = None;
        for &left in self.ending_at(edge.start) {
            let score = self.edges[left as usize].best + edge.score;
            if best.is_none_or(|(known, _)| score > known) {
                best = Some((score, left));
            }
        }
        best
    }

    fn path_edge(&self, index: u32) -> PathEdge {
        let edge = self.edges[index as usize];
        (edge.start as usize, edge.end as usize, edge.id)
    }

    /// The best path and its score; nothing if no path goes through.
    pub(crate) fn best(&self) -> Option<(Vec<PathEdge>, S)> {
        let mut path = Vec::new();
        let (score, mut index) = self.best_before(END)?;
        while index != BEGIN {
            path.push(self.path_edge(index));
            index = self.best_before(index)?.1;
        }
        path.reverse();
        Some((path, score))
    }

    /// The `n` best paths, the best first.
    pub(crate) fn n_best(&self, n: usize, agenda: Agenda) -> Vec<(Vec<PathEdge>, S)> {
        if n <= 1 {
            return if n == 0 { Vec::new() } else { self.best().into_iter().collect() };
        }
        let mut results = Vec::new();
        let mut hypotheses = vec![Hypothesis {
            edge: END,
            next: u32::MAX,
            estimate: self.edges[END as usize].best,
            exact: S::default(),
        }];
        let mut heap = Heap::default();
        heap.push(0, &hypotheses);
        let kept = KEPT.min(n.saturating_mul(10));
        let begun = Instant::now();
        let (mut steps, mut total, mut cuts) = (0usize, 1usize, 0usize);
        let mut most = agenda.bounds.map_or(usize::MAX, |bounds| bounds.added);
        loop {
            steps += 1;
            if let Some(bounds) = agenda.bounds
                && steps.is_multiple_of(LOOK_EVERY)
                && bounds.is_late(begun)
            {
                return self.best().into_iter().collect();
            }
            let Some(top) = heap.pop(&hypotheses) else { break };
            let Hypothesis { edge, estimate, exact, .. } = hypotheses[top as usize];
            if edge == BEGIN {
                let mut path = Vec::new();
                let mut at = hypotheses[top as usize].next;
                while hypotheses[at as usize].edge != END {
                    path.push(self.path_edge(hypotheses[at as usize].edge));
                    at = hypotheses[at as usize].next;
                }
                results.push((path, estimate));
                if results.len() == n {
                    break;
                }
                continue;
            }
            let ending = self.ending_at(self.edges[edge as usize].start);
            total += ending.len();
            for &left in ending {
                let edge = &self.edges[left as usize];
                let index = hypotheses.len() as u32;
                hypotheses.push(Hypothesis {
                    edge: left,
                    next: top,
                    estimate: edge.best + exact,
                    exact: edge.score + exact,
                });
                heap.push(index, &hypotheses);
            }
            if agenda.bounds.is_some_and(|bounds| total >= bounds.total) {
                return self.best().into_iter().collect();
            }
            if heap.len() >= agenda.limit || (heap.len() > kept && hypotheses.len() >= most) {
                if let Some(bounds) = agenda.bounds {
                    if bounds.is_late(begun) || cuts >= bounds.cuts {
                        return self.best().into_iter().collect();
                    }
                    cuts += 1;
                }
                heap.shrink(kept, &mut hypotheses);
                most = agenda.bounds.map_or(usize::MAX, |bounds| hypotheses.len() + bounds.added);
            }
        }
        results
    }

    /// One path, with probability proportional to `exp(inverse_temperature * score)`.
    pub(crate) fn sample(&self, inverse_temperature: f64, random: &mut Random) -> Option<Vec<PathEdge>> {
        // Log of the sum over all paths up to an edge's start.
        let mut before = vec![f64::NEG_INFINITY; self.edges.len()];
        before[BEGIN as usize] = 0.0;
        let weight = |index: u32, before: &[f64]| {
            before[index as usize] + inverse_temperature * self.edges[index as usize].score.into()
        };
        for index in (2..self.edges.len() as u32).chain([END]) {
            let left = self.ending_at(self.edges[index as usize].start);
            before[index as usize] = log_sum(left.iter().map(|&edge| weight(edge, &before)));
        }
        let mut path = Vec::new();
        let mut at = END;
        loop {
            let left = self.ending_at(self.edges[at as usize].start);
            let weights: Vec<f64> = left.iter().map(|&edge| weight(edge, &before)).collect();
            at = left[draw(&weights, random)?];
            if at == BEGIN {
                break;
            }
            path.push(self.path_edge(at));
        }
        path.reverse();
        Some(path)
    }

    /// One of the `n` best paths, with probability proportional to `exp(inverse_temperature * score)`.
    pub(crate) fn sample_n_best(
        &self,
        n: usize,
        agenda: Agenda,
        inverse_temperature: f64,
        random: &mut Random,
    ) -> Option<Vec<PathEdge>> {
        let mut paths = self.n_best(n, agenda);
        let weights: Vec<f64> =
            paths.iter().map(|(_, score)| inverse_temperature * (*score).into()).collect();
        let index = draw(&weights, random)?;
        Some(paths.swap_remove(index).0)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.length == 0
    }
}

/// `ln(sum(exp(x)))` without overflow.
fn log_sum(logs: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = logs.clone().fold(f64::NEG_INFINITY, f64::max);
    if !largest.is_finite() {
        return largest;
    }
    largest + logs.map(|log| (log - largest).exp()).sum::<f64>().ln()
}

/// An index with probability proportional to `exp` of its weight; nothing to draw from gives nothing.
fn draw(log_weights: &[f64], random: &mut Random) -> Option<usize> {
    let largest = log_weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if !largest.is_finite() {
        return (!log_weights.is_empty()).then_some(0);
    }
    let total: f64 = log_weights.iter().map(|log| (log - largest).exp()).sum();
    let mut left = random.next_f64() * total;
    for (index, log) in log_weights.iter().enumerate() {
        left -= (log - largest).exp();
        if left < 0.0 {
            return Some(index);
        }
    }
    // Rounding can leave a crumb; it belongs to the last one that has any weight.
    log_weights.iter().rposition(|log| *log > f64::NEG_INFINITY)
}

/// A binary heap of hypotheses by estimate, largest first. A hole is moved to the bottom along the larger
/// children (of equals the right one) and then up again: the textbook way that compares least.
#[derive(Debug, Default)]
struct Heap {
    items: Vec<u32>,
}

impl Heap {
    fn len(&self) -> usize {
        self.items.len()
    }

    fn push<S: Score>(&mut self, item: u32, all: &[Hypothesis<S>]) {
        self.items.push(item);
        self.rise(self.items.len() - 1, item, all);
    }

    fn rise<S: Score>(&mut self, mut hole: usize, item: u32, all: &[Hypothesis<S>]) {
        while hole > 0 {
            let parent = (hole - 1) / 2;
            if all[self.items[parent] as usize].estimate < all[item as usize].estimate {
                self.items[hole] = self.items[parent];
                hole = parent;
            } else {
                break;
            }
        }
        self.items[hole] = item;
    }

    fn pop<S: Score>(&mut self, all: &[Hypothesis<S>]) -> Option<u32> {
        let item = self.items.pop()?;
        let Some(&top) = self.items.first() else { return Some(item) };
        let mut hole = 0;
        loop {
            let right = 2 * hole + 2;
            let child = if right < self.items.len() {
                let (left_item, right_item) = (self.items[right - 1], self.items[right]);
                if all[right_item as usize].estimate < all[left_item as usize].estimate {
                    right - 1
                } else {
                    right
                }
            } else if right == self.items.len() {
                right - 1
            } else {
                break;
            };
            self.items[hole] = self.items[child];
            hole = child;
        }
        self.rise(hole, item, all);
        Some(top)
    }

    /// Keeps the best `count`, and of all hypotheses only those that they lead through.
    fn shrink<S: Score>(&mut self, count: usize, all: &mut Vec<Hypothesis<S>>) {
        let mut moved = vec![u32::MAX; all.len()];
        let mut kept: Vec<Hypothesis<S>> = Vec::new();
        let mut smaller = Heap::default();
        for _ in 0..count {
            let Some(top) = self.pop(all) else { break };
            let mut at = top;
            // The link to patch: an index into `kept`.
            let mut from: Option<usize> = None;
            while at != u32::MAX {
                let known = moved[at as usize];
                let new = if known == u32::MAX { kept.len() as u32 } else { known };
                if let Some(from) = from {
                    kept[from].next = new;
                }
                if known != u32::MAX {
                    break;
                }
                moved[at as usize] = new;
                kept.push(all[at as usize]);
                from = Some(new as usize);
                at = all[at as usize].next;
            }
            smaller.push(moved[top as usize], &kept);
        }
        *all = kept;
        *self = smaller;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_what_is_nothing_are_nothing() {
        let nothing = f64::NEG_INFINITY;
        for logs in [vec![], vec![nothing], vec![nothing; 3]] {
            assert_eq!(log_sum(logs.into_iter()), nothing);
        }
        assert_eq!(log_sum([nothing, -2.0].into_iter()), -2.0);
        assert!((log_sum([-1000.0, -1000.0].into_iter()) - (-1000.0 + 2f64.ln())).abs() < 1e-9);
        assert_eq!(log_sum([f64::INFINITY, 0.0].into_iter()), f64::INFINITY);
    }

    /// Every path of a small lattice by brute force.
    fn all_paths(length: usize, edges: &[(usize, usize, u32, f64)]) -> Vec<(Vec<PathEdge>, f64)> {
        let mut done = Vec::new();
        let mut open = vec![(Vec::new(), 0.0, 0)];
        while let Some((path, score, at)) = open.pop() {
            if at == length {
                done.push((path, score));
                continue;
            }
            for edge in edges.iter().filter(|edge| edge.0 == at) {
                let mut longer: Vec<PathEdge> = path.clone();
                longer.push((edge.0, edge.1, edge.2));
                open.push((longer, score + edge.3, edge.1));
            }
        }
        done.sort_by(|a, b| b.1.total_cmp(&a.1));
        done
    }

    fn random_lattice(random: &mut Random) -> (usize, Vec<(usize, usize, u32, f64)>) {
        let length = 1 + random.next_u64() as usize % 7;
        let mut edges = Vec::new();
        for start in 0..length {
            for end in start + 1..=length {
                if end == start + 1 || random.next_u64().is_multiple_of(2) {
                    edges.push((start, end, edges.len() as u32, -5.0 * random.next_f64()));
                }
            }
        }
        (length, edges)
    }

    #[test]
    fn n_best_is_the_sorted_list_of_all_paths() {
        let mut random = Random::from_seed(3);
        for _ in 0..300 {
            let (length, edges) = random_lattice(&mut random);
            let lattice = Lattice::new(length, edges.clone());
            let wanted = all_paths(length, &edges);
            let found = lattice.n_best(1000, Agenda::unbounded(100_000));
            assert_eq!(found.len(), wanted.len());
            for (a, b) in found.iter().zip(&wanted) {
                assert_eq!(a.0, b.0);
                assert!((a.1 - b.1).abs() < 1e-9);
            }
            assert_eq!(lattice.best().unwrap().0, wanted[0].0);
            // A tiny agenda still finds the best path.
            assert_eq!(lattice.n_best(2, Agenda::unbounded(4))[0].0, wanted[0].0);
        }
    }

    #[test]
    fn a_search_that_gives_up_has_the_best_path() {
        let edges: Vec<_> =
            (0..200).flat_map(|at| [(at, at + 1, 0, -1.0), (at, (at + 2).min(200), 1, -2.0)]).collect();
        let lattice = Lattice::new(200, edges);
        let bounds = Bounds { added: usize::MAX, total: usize::MAX, cuts: usize::MAX, time: None };
        let n_best = |limit, bounds| lattice.n_best(600, Agenda { limit, bounds: Some(bounds) });
        assert_eq!(n_best(10_000, bounds).len(), 600);
        let best = vec![lattice.best().unwrap()];
        assert_eq!(n_best(10_000, Bounds { total: 500, ..bounds }), best);
        assert_eq!(n_best(1_000, Bounds { cuts: 1, ..bounds }), best);
        assert_eq!(n_best(10_000, Bounds { added: 600, cuts: 0, ..bounds }), best);
        assert_eq!(n_best(10_000, Bounds { time: Some(Duration::ZERO), ..bounds }), best);
    }

    #[test]
    fn samples_follow_the_distribution() {
        let mut random = Random::from_seed(11);
        let (length, edges) =
            (3, vec![(0, 1, 0, -1.0), (0, 2, 1, -1.5), (1, 2, 2, -0.5), (1, 3, 3, -2.0), (2, 3, 4, -0.7)]);
        let lattice = Lattice::new(length, edges.clone());
        let paths = all_paths(length, &edges);
        for temperature in [0.2, 1.0, 2.0] {
            let total: f64 = paths.iter().map(|(_, score)| (temperature * score).exp()).sum();
            let draws = 40_000;
            let mut counts = vec![[0; 2]; paths.len()];
            for _ in 0..draws {
                let path = lattice.sample(temperature, &mut random).unwrap();
                counts[paths.iter().position(|known| known.0 == path).unwrap()][0] += 1;
                let path =
                    lattice.sample_n_best(100, Agenda::unbounded(1000), temperature, &mut random).unwrap();
                counts[paths.iter().position(|known| known.0 == path).unwrap()][1] += 1;
            }
            for ((_, score), count) in paths.iter().zip(counts) {
                let expected = (temperature * score).exp() / total;
                for count in count {
                    assert!((count as f64 / draws as f64 - expected).abs() < 0.015);
                }
            }
        }
    }
}
