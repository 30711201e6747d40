//! How many pairs and which characters a vocabulary holds when no coverage is told (`auto_character_coverage`).
//!
//! A character that is no piece falls into its bytes; one that is saves all but one of them, wherever it stands. A
//! pair saves one token wherever it was joined, and needs all of its characters. Of the pairs the first ones stay,
//! as many as save the most together with the characters that fit in beside them.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};

/// A learned pair's text and how often it was joined.
pub(super) type Joined = (String, u64);

/// Characters of several bytes that no pair has brought in yet, the most saving first. As pairs are added the room
/// for them only falls, so those that fit are always a beginning of the list, and its end only moves back.
struct Alone {
    /// What each saves; `None` once a pair brings it in.
    gains: Vec<Option<u128>>,
    end: usize,
    /// How many fit, and what they save.
    len: usize,
    gain: u128,
}

impl Alone {
    fn new(gains: impl Iterator<Item = u128>) -> Self {
        let gains: Vec<Option<u128>> = gains.map(Some).collect();
        let gain = gains.iter().flatten().sum();
        Alone { end: gains.len(), len: gains.len(), gain, gains }
    }

    /// Takes one out; returns what it saves.
    fn take(&mut self, rank: usize) -> u128 {
        let gain = self.gains[rank].take().unwrap_or(0);
        if rank < self.end {
            self.len -= 1;
            self.gain -= gain;
        }
        gain
    }

    fn shrink(&mut self, room: usize) {
        while self.len > room {
            self.end -= 1;
            if let Some(gain) = self.gains[self.end] {
                self.len -= 1;
                self.gain -= gain;
            }
        }
    }
}

/// The pieces in the order of their ids: pairs, their characters, and the characters that stand alone.
pub(super) fn choose(pairs: &[Joined], counts: &HashMap<char, u64>, room: usize) -> Vec<String> {
    // Counts may fill their 64 bits.
    let gain = |c: char, count: u64| u128::from(count) * (c.len_utf8() as u128 - 1);
    let mut ranked: Vec<(char, u64)> =
        counts.iter().filter(|(c, count)| gain(**c, **count) > 0).map(|(&c, &count)| (c, count)).collect();
    ranked.sort_by_key(|&(c, count)| (Reverse(gain(c, count)), Reverse(count), c));
    let ranks: HashMap<char, usize> = ranked.iter().enumerate().map(|(rank, &(c, _))| (c, rank)).collect();

    let mut alone = Alone::new(ranked.iter().map(|&(c, count)| gain(c, count)));
    let mut of_pairs = HashSet::new();
    let mut saved = 0;
    let (mut most, mut first_pairs, mut others) = (0, 0, 0);
    for number in 0..=pairs.len() {
        if number + of_pairs.len() > room {
            break;
        }
        alone.shrink(room - number - of_pairs.len());
        // Of equal gains the one with more pairs wins.
        if saved + alone.gain >= most {
            (most, first_pairs, others) = (saved + alone.gain, number, alone.len);
        }
        let Some((text, count)) = pairs.get(number) else { break };
        saved += u128::from(*count);
        for c in text.chars() {
            if of_pairs.insert(c)
                && let Some(&rank) = ranks.get(&c)
            {
                saved += alone.take(rank);
            }
        }
    }

    let chosen = &pairs[..first_pairs];
    let of_chosen: BTreeSet<char> = chosen.iter().flat_map(|(text, _)| text.chars()).collect();
    let alone = ranked.iter().map(|&(c, _)| c).filter(|c| !of_chosen.contains(c)).take(others);
    let characters = of_chosen.iter().copied().chain(alone).map(String::from);
    chosen.iter().map(|(text, _)| text.clone()).chain(characters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rule in its plainest form: every number of pairs tried, all sums made anew.
    fn plainly(pairs: &[Joined], counts: &HashMap<char, u64>, room: usize) -> u64 {
        let mut most = 0;
        for number in 0..=pairs.len() {
            let chosen = &pairs[..number];
            let needed: BTreeSet<char> = chosen.iter().flat_map(|(text, _)| text.chars()).collect();
            let Some(left) = room.checked_sub(number + needed.len()) else { continue };
            let gain = |c: &char| counts.get(c).map_or(0, |count| count * (c.len_utf8() as u64 - 1));
            let mut others: Vec<u64> = counts.keys().filter(|c| !needed.contains(*c)).map(gain).collect();
            others.sort_by_key(|&gain| Reverse(gain));
            let joined: u64 = chosen.iter().map(|(_, count)| count).sum();
            let total = joined + needed.iter().map(gain).sum::<u64>() + others.iter().take(left).sum::<u64>();
            most = most.max(total);
        }
        most
    }

    #[test]
    fn as_much_is_saved_as_can_be() {
        let letters: Vec<char> = "abcäöü東京都日本語".chars().collect();
        let counts: HashMap<char, u64> =
            letters.iter().enumerate().map(|(at, &c)| (c, (at as u64 * 7919) % 31 + 1)).collect();
        let pairs: Vec<Joined> = (0..40u64)
            .map(|at| {
                let (left, right) = ((at * 5 % 12) as usize, (at * 7 % 11) as usize);
                (format!("{}{}", letters[left], letters[right]), 60 - at)
            })
            .collect();
        for room in 0..60 {
            let pieces = choose(&pairs, &counts, room);
            assert!(pieces.len() <= room, "{room}");
            let saved: u64 = pieces
                .iter()
                .map(|piece| match pairs.iter().find(|(text, _)| text == piece) {
                    Some((_, count)) => *count,
                    None => piece.chars().map(|c| counts[&c] * (c.len_utf8() as u64 - 1)).sum(),
                })
                .sum();
            assert_eq!(saved, plainly(&pairs, &counts, room), "{room}");
        }
    }
}
