//! Pages of memory, asked of the system before they are written to.
//!
//! The system gives a page when somebody first touches it. Whoever does that in the middle of other work waits, and finds the
//! processor's nearest caches full of the page that was cleared and of what the system keeps about it: within the engine's loops a
//! page costs up to twice as much as one that is asked for beforehand along with its neighbours.

use std::mem::MaybeUninit;

/// Bytes of the smallest pages that there are. Where they are larger, some are asked about more than once.
#[cfg(all(target_os = "linux", not(miri)))]
const PAGE: usize = 4 << 10;
/// Pages that are worth asking for: to ask costs about what one costs.
#[cfg(all(target_os = "linux", not(miri)))]
const FEW: usize = 8;
/// Pages that are asked about together.
#[cfg(all(target_os = "linux", not(miri)))]
const TOGETHER: usize = 256;

/// Has the system give the pages that lie whole in some room, as far as it has not given them yet. A wish: whatever becomes of it, the room
/// is the same.
pub fn pages_for<T>(room: &mut [MaybeUninit<T>]) {
    give(room.as_mut_ptr().cast::<u8>(), size_of_val(room));
}

/// The same for zeros that nobody touched yet.
pub fn pages_of<T>(zeros: &mut [T]) {
    give(zeros.as_mut_ptr().cast::<u8>(), size_of_val(zeros));
}

/// An empty vector with room that will be filled.
pub fn with_pages<T>(capacity: usize) -> Vec<T> {
    let mut vector = Vec::with_capacity(capacity);
    pages_for(vector.spare_capacity_mut());
    vector
}

/// As many zeros, or what is as good as zero, all over which something will be written.
pub fn zeros<T: Copy + Default>(count: usize) -> Vec<T> {
    let mut zeros = vec![T::default(); count];
    pages_of(&mut zeros);
    zeros
}

/// A vector with a value at all of its places.
pub fn full_of<T: Copy>(value: T, count: usize) -> Vec<T> {
    let mut vector = with_pages(count);
    vector.resize(count, value);
    vector
}

/// A copy that takes no more memory than it needs, and `more` room behind it.
#[inline]
pub fn copy_of<T: Copy>(values: &[T], more: usize) -> Vec<T> {
    let mut copy = Vec::with_capacity(values.len() + more);
    if size_of_val(values) >= LARGE_COPY {
        pages_for(copy.spare_capacity_mut());
    }
    copy.extend_from_slice(values);
    copy
}

/// Bytes of a copy so large that to ask for its pages does not delay it where they are there.
const LARGE_COPY: usize = 64 << 10;

/// Makes room for `more` behind what a vector holds, which will never be more than `most` together or hardly more. A small one doubles
/// as any vector; then it moves once, to where all of it has room, and its memory comes by the step.
#[inline]
pub fn make_room<T: Copy>(vector: &mut Vec<T>, more: usize, most: usize) {
    let step = STEP / size_of::<T>();
    let (length, end) = (vector.len(), vector.len() + more);
    if end > vector.capacity() && end > step / 2 && most > step {
        let mut larger = Vec::with_capacity(most.max(end + step));
        some_pages_for(&mut larger, end + step);
        larger.extend_from_slice(vector);
        *vector = larger;
    } else if end / step > length / step {
        some_pages_for(vector, more + step);
    }
}

/// Bytes that are asked for together for who needs more and more.
const STEP: usize = 128 << 10;

/// For the first of the places that a vector has room for.
#[cold]
fn some_pages_for<T>(vector: &mut Vec<T>, count: usize) {
    let room = vector.spare_capacity_mut();
    let count = count.min(room.len());
    pages_for(&mut room[..count]);
}

/// Of memory that its caller owns.
fn give(start: *mut u8, length: usize) {
    // Who interprets the program has no pages.
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        let skipped = start.align_offset(PAGE).min(length);
        let pages = (length - skipped) / PAGE;
        if pages < FEW {
            return;
        }
        for first in (0..pages).step_by(TOGETHER) {
            let some = TOGETHER.min(pages - first);
            ask(start.wrapping_add(skipped + first * PAGE), some);
        }
    }
    #[cfg(any(not(target_os = "linux"), miri))]
    let _ = (start, length);
}

/// Asks for those of some pages that are not there, and for what lies between them. Memory that was in use before mostly is.
#[cfg(all(target_os = "linux", not(miri)))]
fn ask(start: *mut u8, pages: usize) {
    let Some(first) = missing(start, pages) else { return };
    let (start, length) = (start.wrapping_add(first.start * PAGE), first.len() * PAGE);
    // SAFETY: the caller owns the range, which is aligned to pages; the advice changes which of them are there, not what they hold. An
    // error means that the system is older than the wish.
    #[allow(unsafe_code)]
    let _ = unsafe { rustix::mm::madvise(start.cast(), length, rustix::mm::Advice::LinuxPopulateWrite) };
}

/// From the first page that the system has not given to the last one; nothing where all are there, or it does not say.
#[cfg(all(target_os = "linux", not(miri)))]
fn missing(start: *mut u8, pages: usize) -> Option<std::ops::Range<usize>> {
    let mut there = [1u8; TOGETHER];
    let there = there.get_mut(..pages)?;
    // SAFETY: the system writes a byte for each page, of which there are as many; the range is the caller's, and is not read.
    #[allow(unsafe_code)]
    let said = unsafe { libc::mincore(start.cast(), pages * PAGE, there.as_mut_ptr().cast()) };
    if said != 0 {
        return None;
    }
    let is_missing = |&byte: &u8| byte & 1 == 0;
    let first = there.iter().position(is_missing)?;
    let last = there.iter().rposition(is_missing)?;
    Some(first..last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(all(target_os = "linux", not(miri)))]
    fn pages_are_there_and_hold_what_they_held() {
        use crate::flat::mapped::Zeros;
        const PAGES: usize = 2 * TOGETHER + 9;
        let words = PAGE / size_of::<u64>();
        let mut zeros = Zeros::new(PAGES * words).unwrap();
        let memory = zeros.words_mut();
        let start = memory.as_mut_ptr();
        let page = |number: usize| start.wrapping_add(number * words).cast::<u8>();
        memory[5 * words + 3] = 7;
        assert_eq!(missing(page(4), 3), Some(0..3));
        assert_eq!(missing(page(5), 1), None);
        let mut room: Vec<MaybeUninit<u64>> = Vec::new();
        pages_for(&mut room);
        // SAFETY: numbers that are there are numbers that may not be.
        #[allow(unsafe_code)]
        let room = unsafe { std::slice::from_raw_parts_mut(start.cast::<MaybeUninit<u64>>(), memory.len()) };
        pages_for(&mut room[..FEW * words - 1]);
        assert_eq!(missing(page(0), FEW), Some(0..FEW));
        // Neither the page that it begins in nor the one that it ends in is whole.
        let last = PAGES - 1;
        pages_for(&mut room[1..last * words + 1]);
        assert_eq!(missing(page(0), 1), Some(0..1));
        for first in (1..last).step_by(TOGETHER) {
            assert_eq!(missing(page(first), TOGETHER.min(last - first)), None);
        }
        assert_eq!(missing(page(last), 1), Some(0..1));
        let words_there: Vec<u64> = zeros.words().to_vec();
        assert_eq!(words_there.iter().sum::<u64>(), 7);
        assert_eq!(words_there[5 * words + 3], 7);
    }

    #[test]
    fn what_grows_moves_once_when_it_is_large() {
        for (most, more) in [(10, 3), (1 << 20, 1), (1 << 20, 1000), (1 << 17, 1 << 18)] {
            let mut numbers: Vec<u32> = Vec::new();
            let mut moves = 0;
            let mut expected = 0;
            while numbers.len() + more <= most.max(more) {
                let (before, place) = (numbers.len() * size_of::<u32>(), numbers.as_ptr());
                make_room(&mut numbers, more, most);
                numbers.extend(expected..expected + more as u32);
                expected += more as u32;
                moves += usize::from(before >= STEP && numbers.as_ptr() != place);
            }
            assert!(moves <= 1, "{moves} times");
            assert!(numbers.iter().zip(0..).all(|(&number, at)| number == at));
        }
    }

    #[test]
    fn room_of_any_length_is_taken() {
        for length in [0, 1, 5000, 100_000, 3_000_000] {
            let mut room: Vec<u32> = Vec::with_capacity(length);
            pages_for(room.spare_capacity_mut());
            room.resize(length, 3);
            assert!(room.iter().all(|&number| number == 3));
            for more in [0, 7] {
                let copy = copy_of(&room, more);
                assert!(copy == room && copy.capacity() >= length + more);
            }
        }
    }
}
