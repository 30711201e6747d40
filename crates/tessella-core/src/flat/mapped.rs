//! Parts of the address space that the system gives: a file to be read, or zeros that nobody has touched.
//!
//! Zeros of the allocator may be memory that somebody else had before. Then it clears all of them, however few will be
//! used; and what a program frees while it reads its files makes that likely even for many megabytes. Zeros of the system
//! cost what is touched of them.

/// A part of the address space, given back when it is dropped.
#[derive(Debug)]
pub struct Mapped {
    start: *mut std::ffi::c_void,
    length: usize,
}

// SAFETY: it is memory that belongs to no thread, and is written to by whoever has it for himself.
unsafe impl Send for Mapped {}
// SAFETY: as above.
unsafe impl Sync for Mapped {}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: this is what `mmap` gave, and whoever reads it borrows this or keeps it. There is nothing to do about an
        // error.
        let _ = unsafe { rustix::mm::munmap(self.start, self.length) };
    }
}

impl Mapped {
    /// So many bytes of a file, at least one, which nobody may cut off or write into meanwhile. `None` where it is not mapped.
    pub fn file(file: &std::fs::File, length: usize) -> Option<Mapped> {
        use rustix::mm::{MapFlags, ProtFlags, mmap};
        // All of it will be looked at, so that its pages may be there at once.
        #[cfg(target_os = "linux")]
        let flags = MapFlags::PRIVATE | MapFlags::POPULATE;
        #[cfg(not(target_os = "linux"))]
        let flags = MapFlags::PRIVATE;
        // SAFETY: the place is the system's choice, so nothing else is there.
        let start = unsafe { mmap(std::ptr::null_mut(), length, ProtFlags::READ, flags, file, 0) };
        Some(Mapped { start: start.ok()?, length })
    }

    pub fn bytes(&self) -> &[u8] {
        // SAFETY: so many bytes are mapped until this is dropped; whoever mapped a file promised that they stay.
        unsafe { std::slice::from_raw_parts(self.start.cast(), self.length) }
    }
}

/// So many words, all of them zero at first.
#[derive(Debug)]
pub struct Zeros(Mapped);

impl Zeros {
    /// `None` if the system gives none, or none were asked for.
    pub fn new(words: usize) -> Option<Zeros> {
        use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous};
        let length = words.checked_mul(size_of::<u64>())?;
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: the place is the system's choice, so nothing else is there.
        let start = unsafe { mmap_anonymous(std::ptr::null_mut(), length, protection, MapFlags::PRIVATE) };
        Some(Zeros(Mapped { start: start.ok()?, length }))
    }

    #[inline(always)]
    pub fn words(&self) -> &[u64] {
        let Mapped { start, length } = self.0;
        // SAFETY: so many bytes were mapped for this alone, as zeros, and pages are aligned to words.
        unsafe { std::slice::from_raw_parts(start.cast(), length / size_of::<u64>()) }
    }

    #[inline(always)]
    pub fn words_mut(&mut self) -> &mut [u64] {
        let Mapped { start, length } = self.0;
        // SAFETY: as above; whoever has them to write has this for himself.
        unsafe { std::slice::from_raw_parts_mut(start.cast(), length / size_of::<u64>()) }
    }
}
