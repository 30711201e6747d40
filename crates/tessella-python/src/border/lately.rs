//! Which texts came lately.
//!
//! A text that comes a third time soon is a prompt, or one of few: the interpreter keeps the UTF-8 of it then, so that it is not
//! written each time. The second time would be too soon: the interpreter takes several times as long for it as who writes it here,
//! and many a text is read just twice. Of texts of which there are many, none is met again before others have taken its place here,
//! and none takes more memory than it had.

use std::cell::Cell;

use pyo3::prelude::*;
use pyo3::types::PyString;
use tessella_core::Narrow;

use crate::border::interpreter::length;

/// Texts of which is known that they came, at most.
const PLACES: usize = 1 << 10;
/// Texts of more characters are written each time.
const LONGEST: usize = 1 << 22;
/// Characters of a text that are looked at, for another text may lie where an earlier one lay.
const SAMPLES: usize = 5;

thread_local! {
    static CAME: [Cell<u64>; PLACES] = const { [const { Cell::new(0) }; PLACES] };
}

/// The bit of a mark that says that its text came again.
const AGAIN: u64 = 1;

/// Whether a text of these characters came twice lately; from now on it came once more.
pub fn came_twice(text: &Bound<'_, PyString>, characters: Narrow<'_>) -> bool {
    let length = length(text);
    if length > LONGEST {
        return false;
    }
    let at = |place: usize| match characters {
        Narrow::Ones(units) => units.get(place).copied().map(u32::from),
        Narrow::Twos(units) => units.get(place).copied().map(u32::from),
        Narrow::Fours(units) => units.get(place).copied(),
    };
    let samples = (0..SAMPLES).filter_map(|sample| at(length.saturating_sub(1) * sample / (SAMPLES - 1)));
    let first = text.as_ptr() as u64 ^ (length as u64).rotate_right(16);
    let mark = samples.fold(first, |mark, sample| {
        (mark ^ u64::from(sample)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
    });
    let mark = mark & !AGAIN;
    CAME.with(|places| {
        let place = &places[(mark >> AGAIN.count_ones()) as usize % PLACES];
        let before = place.get();
        place.set(if before & !AGAIN == mark { mark | AGAIN } else { mark });
        before == mark | AGAIN
    })
}
