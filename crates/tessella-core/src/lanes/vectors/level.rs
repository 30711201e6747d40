//! Which vectors the processor at hand has, asked once, and code that is run with them.

use std::sync::OnceLock;

#[cfg(target_arch = "aarch64")]
use super::super::neon::Neon;
#[cfg(target_arch = "x86_64")]
use super::super::{
    x86::{Avx512, has_avx512},
    x86_avx2::{Avx2, has_avx2},
};
use super::Task;
use super::plain::Plain;

/// A kind of vectors that this processor has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Level(Kind);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Plain,
    #[cfg(target_arch = "aarch64")]
    Neon,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Level {
    /// The environment variable that asks for less than there is.
    pub const VARIABLE: &str = "TESSELLA_VECTORS";
    /// The names of all levels, of all processors.
    pub const NAMES: &[&str] = &["plain", "neon", "avx2", "avx512"];

    /// The best that there is, unless the environment asks for less.
    pub fn best() -> Level {
        static BEST: OnceLock<Level> = OnceLock::new();
        *BEST.get_or_init(|| {
            let wanted = std::env::var(Self::VARIABLE).unwrap_or_default();
            let all = Self::all();
            let named = all.iter().find(|level| level.name() == wanted);
            named.or(all.last()).copied().unwrap_or(Level(Kind::Plain))
        })
    }

    /// All that this processor has, the plain one first.
    pub fn all() -> Vec<Level> {
        #[allow(unused_mut)]
        let mut all = vec![Level(Kind::Plain)];
        #[cfg(target_arch = "aarch64")]
        all.push(Level(Kind::Neon));
        #[cfg(target_arch = "x86_64")]
        {
            if has_avx2() {
                all.push(Level(Kind::Avx2));
                if has_avx512() {
                    all.push(Level(Kind::Avx512));
                }
            }
        }
        all
    }

    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Plain => "plain",
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => "neon",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => "avx512",
        }
    }

    /// Whether these vectors read UTF-8 faster than it is read one character after the other.
    pub fn unfolds(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        if self.0 == Kind::Avx512 {
            return true;
        }
        false
    }

    #[inline]
    pub fn run<T: Task>(self, task: T) -> T::Output {
        match self.0 {
            Kind::Plain => task.run(Plain),
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => Neon::run(task),
            // A level is made only where the processor has its vectors.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => Avx2::run(task),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => Avx512::run(task),
        }
    }
}
