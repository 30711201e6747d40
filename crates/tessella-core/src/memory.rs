//! Whether there is room for the work on much text, asked before the work begins.
//!
//! Where memory is limited (`ulimit -v`, a system that promises no more than it has), a vector that cannot grow ends the process: Rust's
//! vectors know no other way out, and there are too many of them, deep inside of stages, to ask each. So whoever takes in much text asks for
//! about as much as the work will take, in pieces that nobody touches and that go back at once. What is refused is an error then, with
//! nothing begun. It is no promise: other threads take memory meanwhile, and some texts need more.

use crate::error::{Error, ErrorKind, Result};

/// Bytes for each byte of text where ids alone are wanted: 3.3 to 4 were seen, less what the text itself takes.
pub(crate) const FOR_IDS: usize = 4;
/// The same of many texts, which several threads encode and hand over.
pub(crate) const FOR_IDS_OF_MANY: usize = 6;
/// The same where all columns are: 7 to 13 were seen. Who has more room than this and less than needed is not helped.
pub(crate) const FOR_COLUMNS: usize = 9;
/// Bytes for each id that is decoded: four or five, and the same once more where they grow.
pub const FOR_TEXT: usize = 12;

/// From so many bytes on it is asked. A smaller piece that goes back would teach the C library of Linux to keep pieces of its size.
const LARGE: usize = (32 << 20) + 1;

const PIECES: usize = 8;

/// Asks for the room that `amount` bytes of text, or ids, will take.
#[inline]
pub fn ask(amount: usize, each: usize) -> Result<()> {
    let bytes = amount.saturating_mul(each);
    if bytes < LARGE { Ok(()) } else { room(bytes) }
}

#[cold]
fn room(bytes: usize) -> Result<()> {
    // Not one piece: some systems refuse a request for more than the machine has, and grant several of less.
    let pieces = (bytes / LARGE).clamp(1, PIECES);
    let size = bytes.div_ceil(pieces);
    let held: std::result::Result<Vec<Vec<u8>>, _> = (0..pieces)
        .map(|_| {
            let mut piece = Vec::new();
            piece.try_reserve_exact(size).map(|()| piece)
        })
        .collect();
    // Nobody is to find out that they are not used.
    std::hint::black_box(&held).as_ref().map(|_| ()).map_err(|_| {
        Error::new(
            ErrorKind::Memory,
            format!("not enough memory: the work would take about {} MB", bytes.div_ceil(1_000_000)),
        )
    })
}

/// Bytes of the room that whoever writes a text keeps for the next one, at most: memory that nobody had before takes a tenth of the time in
/// which a text is encoded. As much of it is in use as the longest text there had.
pub const KEPT: usize = 8 << 20;

/// Room for a text of so many bytes where another one was, which is no longer meant: nothing of that is copied. There is a little
/// more than that, so that it serves others of about the length.
pub fn reserve(room: &mut String, bytes: usize) -> Result<()> {
    room.clear();
    if room.capacity() < bytes {
        *room = String::new();
        room.try_reserve_exact(bytes.saturating_add(bytes / 8)).map_err(|_| too_little(bytes))?;
    }
    Ok(())
}

/// Room for so many bytes behind others, and no more than these.
pub(crate) fn reserve_exact(room: &mut Vec<u8>, bytes: usize) -> Result<()> {
    room.try_reserve_exact(bytes).map_err(|_| too_little(room.len().saturating_add(bytes)))
}

fn too_little(bytes: usize) -> Error {
    Error::new(ErrorKind::Memory, format!("not enough memory for a text of {} MB", bytes.div_ceil(1_000_000)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_machine_has_is_refused_and_little_is_not_asked_for() {
        assert!(ask(1 << 20, FOR_IDS).is_ok());
        assert!(ask(LARGE, 1).is_ok());
        for (amount, each) in [(usize::MAX / 4, 1), (usize::MAX, FOR_COLUMNS)] {
            assert_eq!(ask(amount, each).unwrap_err().kind(), ErrorKind::Memory);
        }
        assert_eq!(reserve(&mut String::new(), usize::MAX / 2).unwrap_err().kind(), ErrorKind::Memory);
    }
}
