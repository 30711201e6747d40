//! Room for the ids of texts, in memory that is there when they are written.

use crate::flat::{pages_for, with_large_pages};
use crate::ids::TokenId;

/// Ids of sixteen megabytes.
const MANY: usize = 4 << 20;

/// Room for the ids of so many bytes. What is never touched of it costs nothing, growing costs a copy, and every page that is
/// touched first a visit to the system; large pages are fewer, but the first of them may have to be found.
pub(super) fn room_for(bytes: usize) -> Vec<TokenId> {
    /// What the fast engine wants beyond the ids that it writes.
    const SPARE: usize = 8 << 10;
    let most = bytes / 4 * 3 + SPARE;
    if most < MANY { Vec::with_capacity(most) } else { with_large_pages(most) }
}

/// How many ids texts become, by what the last ones became.
#[derive(Debug)]
pub(super) struct Density {
    /// Of 1,024 bytes.
    ids: usize,
}

impl Density {
    /// Texts that say nothing about others.
    const FEW_BYTES: usize = 1 << 16;

    pub fn new() -> Self {
        // Fewer than texts of most languages become by most models.
        Density { ids: 160 }
    }

    /// About as many ids come of so many bytes.
    fn of(&self, bytes: usize) -> usize {
        (bytes >> 10) * self.ids
    }

    /// Room for the ids of so many bytes, whose memory the system gives before they are written.
    pub fn room(&self, bytes: usize) -> Vec<TokenId> {
        let likely = self.of(bytes);
        // Of other languages there may be more than twice as many.
        let mut ids = room_for(bytes.max(likely * 2));
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
    }
}
