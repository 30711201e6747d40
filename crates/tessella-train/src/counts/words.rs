//! The pieces of a corpus in the order in which trainers learn from them, to be walked several times.

use tessella_core::Result;

use super::{PieceCounts, cursor::PieceCursor};

/// Walks the same pieces in the same order as often as needed; nothing is copied.
#[derive(Debug)]
pub(crate) struct Words<'c> {
    counts: &'c PieceCounts,
    /// Entries of the table by the pieces' bytes; `None` for the order that the table has.
    order: Option<Vec<u32>>,
}

impl PieceCounts {
    /// By the pieces' bytes; or in the order of appearance, if the counts still know it.
    pub(crate) fn words(&self, in_order_of_appearance: bool) -> Words<'_> {
        let appearance = in_order_of_appearance && self.knows_appearance();
        Words { counts: self, order: (!appearance).then(|| self.by_bytes()) }
    }

    /// In whatever order costs least, each piece once: for what does not depend on it.
    pub(crate) fn words_in_any_order(&self) -> Words<'_> {
        Words { counts: self, order: (!self.parts.is_empty()).then(|| self.by_bytes()) }
    }

    fn by_bytes(&self) -> Vec<u32> {
        // Where memory is bounded there may be none for keys.
        if self.budget.is_none() { self.table.sorted_by_keys() } else { self.table.sorted() }
    }
}

impl Words<'_> {
    pub(crate) fn for_each(&self, mut see: impl FnMut(&str, u64) -> Result<()>) -> Result<()> {
        let Some(order) = &self.order else {
            return self.counts.table.iter().try_for_each(|(piece, count)| see(piece, count));
        };
        let mut cursor =
            PieceCursor::in_order(&self.counts.table, order.as_slice().into(), &self.counts.parts)?;
        while let Some((piece, count)) = cursor.next()? {
            see(piece, count)?;
        }
        Ok(())
    }
}
