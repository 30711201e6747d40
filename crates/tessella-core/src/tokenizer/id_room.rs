//! Room for the ids of texts, in memory that is there when they are written.

use crate::flat::{pages_for, with_large_pages};
use crate::ids::TokenId;

/// Ids of sixteen megabytes.
const MANY: usize = 4 << 20;

/// What the fast engine wants beyond the ids that it writes.
const SPARE: usize = 8 << 10;

/// Room for the ids of so many bytes, of which nothing is known. What is never touched of it costs nothing, growing costs a copy, and
/// every page that is touched first a visit to the system.
pub(super) fn room_for(bytes: usize) -> Vec<TokenId> {
    room_of(bytes / 4 * 3 + SPARE)
}

/// Large pages are fewer, but the first of them may have to be found.
fn room_of(count: usize) -> Vec<TokenId> {
    if count < MANY { Vec::with_capacity(count) } else { with_large_pages(count) }
}

/// Gives back room that was not needed, if it is much: who asks for about as much next time finds a place of that size, and its memory
/// there, where a result was dropped.
pub(super) fn fit(ids: &mut Vec<TokenId>) {
    if ids.capacity() >= MANY || ids.capacity() / 2 > ids.len() {
        ids.shrink_to_fit();
    }
}

/// The next number of which there are sixteen between powers of two.
fn rounded(count: usize) -> usize {
    count.next_multiple_of((count.next_power_of_two() / 32).max(1))
}

/// How many ids texts become, by what the last ones became.
#[derive(Debug)]
pub(super) struct Density {
    /// Of 1,024 bytes.
    ids: usize,
    /// The most of late; 0 before the first text.
    most: usize,
}

impl Density {
    /// Texts that say nothing about others.
    const FEW_BYTES: usize = 1 << 16;

    pub fn new() -> Self {
        // Fewer than texts of most languages become by most models.
        Density { ids: 160, most: 0 }
    }

    /// About as many ids come of so many bytes.
    fn of(&self, bytes: usize) -> usize {
        (bytes >> 10) * self.ids
    }

    /// Room for the ids of so many bytes, whose memory the system gives before they are written.
    pub fn room(&self, bytes: usize) -> Vec<TokenId> {
        let likely = self.of(bytes);
        let mut ids = match self.most {
            // Of other languages there may be more than twice as many.
            0 => room_for(bytes.max(likely * 2)),
            // A quarter more, for texts of one kind differ by less.
            most => room_of(rounded((bytes >> 10) * most / 4 * 5 + SPARE)),
        };
        if ids.capacity() < MANY
            && let Some(room) = ids.spare_capacity_mut().get_mut(..likely)
        {
            pages_for(room);
        }
        ids
    }

    /// So many bytes became so many ids.
    pub fn note(&mut self, ids: usize, bytes: usize) {
        if bytes >= Self::FEW_BYTES {
            self.ids = ids / (bytes >> 10);
            self.most = self.ids.max(self.most - self.most / 8);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_about_as_many_ids_as_those_before_them() {
        let mut density = Density::new();
        assert!(density.of(1 << 20) < 1 << 18);
        for (ids, bytes) in [(300_000, 1_000_000), (0, 1_000_000), (70_000, 70_000), (1_000_001, 1_000_000)] {
            density.note(ids, bytes);
            let likely = density.of(bytes);
            assert!(likely.abs_diff(ids) <= ids / 50, "{likely} instead of {ids}");
        }
        // So short a text is an exception.
        density.note(Density::FEW_BYTES * 2, Density::FEW_BYTES - 1);
        assert!(density.of(1_000_000) <= 1_020_000);
        assert_eq!(density.of(1000), 0);
        assert!(density.room(1_000_000).capacity() >= 1_000_000);
        // The most of late, however few came last.
        density.note(100_000, 1_000_000);
        assert!(density.room(1_000_000).capacity() >= 800_000);
        (0..20).for_each(|_| density.note(100_000, 1_000_000));
        assert!((120_000..150_000).contains(&density.room(1_000_000).capacity()));
    }

    #[test]
    fn room_that_was_not_needed_is_given_back_if_it_is_much() {
        for (count, kept) in [(100, 100), (101, 104), (1000, 1024), (1024, 1024), (100_000, 102_400)] {
            assert_eq!(rounded(count), kept);
        }
        for (count, stays) in [(90_000, true), (10_000, false)] {
            let mut ids = Vec::with_capacity(100_000);
            ids.resize(count, 1);
            fit(&mut ids);
            assert_eq!(ids.capacity() >= 100_000, stays);
        }
    }
}
