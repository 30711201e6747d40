//! The two symbols that a text of its own ends with, before they become one token: the pair that is enough for this token.
//!
//! Ranks of pairs are kept from step to step, and only those beside the merge are looked up anew.

/// Merges the symbols of a text as far as pairs go, the lowest rank first and of equal ones the leftmost; the last two, if two are
/// left. `rank` is `none` for two symbols that become nothing, and `result` tells what a rank makes.
pub fn last_two<S: Copy, R: Copy + Ord>(
    symbols: &mut Vec<S>,
    ranks: &mut Vec<R>,
    none: R,
    rank: impl Fn(S, S) -> R,
    result: impl Fn(R) -> S,
) -> Option<(S, S)> {
    ranks.clear();
    ranks.extend(symbols.windows(2).map(|pair| rank(pair[0], pair[1])));
    while symbols.len() > 2 {
        let (at, &best) = ranks.iter().enumerate().min_by_key(|&(_, &rank)| rank)?;
        if best == none {
            return None;
        }
        let merged = result(best);
        symbols[at] = merged;
        symbols.remove(at + 1);
        ranks.remove(at);
        if at > 0 {
            ranks[at - 1] = rank(symbols[at - 1], merged);
        }
        if let Some(&next) = symbols.get(at + 1) {
            ranks[at] = rank(merged, next);
        }
    }
    match symbols.as_slice() {
        &[left, right] => Some((left, right)),
        _ => None,
    }
}
