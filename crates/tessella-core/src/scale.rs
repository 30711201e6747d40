//! From how much on something pays, and with how much room tables begin.
//!
//! What is fast for much text begins where there is much. A fuzzer's texts are small: where the crate is compiled for one
//! (`--cfg fuzzing`, as `cargo fuzz` does), tables begin small and are soon full, and what pays later begins early, so that all of it is
//! compared with its slow twins. So they do under an interpreter (`make miri`), which is some thousand times as slow. What comes out hangs
//! on none of these numbers.

/// The number that is ordinary, or the one for fuzzers and interpreters.
pub(crate) const fn or_for_fuzzers(ordinary: usize, small: usize) -> usize {
    if cfg!(any(fuzzing, miri)) { small } else { ordinary }
}

/// How often a test tries something: the ordinary number, or one that an interpreter of the program gets through in some seconds.
pub(crate) const fn or_interpreted(ordinary: usize, interpreted: usize) -> usize {
    if cfg!(miri) { interpreted } else { ordinary }
}
