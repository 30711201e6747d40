//! Asking for memory in time: the processor for what will be read soon, the system for large pages.

use crate::scale::or_interpreted;

/// Begins to bring an entry of a table into the nearest cache. It changes nothing but speed; on other processors
/// than these it does nothing.
#[inline(always)]
pub fn prefetch<T>(table: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing that the program sees and never faults, whatever the address.
        #[allow(unsafe_code)]
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(table.as_ptr().wrapping_add(index).cast());
        }
    }
    // The standard library has no stable name for it here, and who interprets the program no such instruction.
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    {
        let address = table.as_ptr().wrapping_add(index);
        // SAFETY: as above.
        #[allow(unsafe_code)]
        unsafe {
            std::arch::asm!("prfm pldl1keep, [{0}]", in(reg) address, options(nostack, preserves_flags, readonly));
        }
    }
    #[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", not(miri)))))]
    let _ = (table, index);
}

/// Bytes of a large page. Who interprets the program has none: what is for large tables is for small ones then.
pub const LARGE_PAGE: usize = or_interpreted(2 << 20, 4 << 10);

/// Asks the system to back memory that nobody has touched yet by large pages, so that looking at random places of it
/// does not wait for the tables of pages as well. A wish: whatever becomes of it, the memory is the same.
pub fn want_large_pages(words: &mut [u64]) {
    if words.as_ptr().align_offset(LARGE_PAGE) == 0 {
        advise(words.as_mut_ptr().cast(), size_of_val(words));
    }
}

/// An empty vector with room that is backed by large pages as far as they fit in there.
pub fn with_large_pages<T>(capacity: usize) -> Vec<T> {
    let mut vector = Vec::with_capacity(capacity);
    large_pages_for(&mut vector);
    vector
}

/// Wants large pages for the room of a vector that nothing was put into yet.
pub fn large_pages_for<T>(vector: &mut Vec<T>) {
    let room = vector.spare_capacity_mut();
    let (address, length) = (room.as_mut_ptr().cast::<u8>(), size_of_val(room));
    let skipped = address.align_offset(LARGE_PAGE);
    if skipped < length {
        let length = (length - skipped) / LARGE_PAGE * LARGE_PAGE;
        advise(address.wrapping_add(skipped), length);
    }
}

/// Of memory that its caller owns, from a multiple of [`LARGE_PAGE`] on.
fn advise(address: *mut u8, length: usize) {
    #[cfg(target_os = "linux")]
    {
        use rustix::mm::{Advice, madvise};
        // Who interprets the program has no pages.
        if length < LARGE_PAGE || cfg!(miri) {
            return;
        }
        // SAFETY: the callers, all of this page, own the range, and it is aligned to pages; the advice changes how it is
        // backed, not what it holds. An error means that the system is older than the wish.
        #[allow(unsafe_code)]
        let _ = unsafe { madvise(address.cast(), length, Advice::LinuxHugepage) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (address, length);
}
