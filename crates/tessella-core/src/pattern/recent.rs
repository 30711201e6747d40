//! Patterns that were compiled last: a component of a user's own splits every text by the same expression, and compiling one takes
//! longer than splitting a short text by it.

use std::sync::Mutex;

use super::Matcher;
use crate::error::Result;
use crate::spec::Dialect;

/// Patterns that are kept, at most.
const MOST: usize = 16;

/// The one that came last stands last.
static RECENT: Mutex<Vec<(Dialect, Matcher)>> = Mutex::new(Vec::new());

/// A pattern that was compiled before, or is now.
///
/// Nobody waits for another thread, which a process that was forked meanwhile would do for ever: it compiles.
pub(super) fn get_or_compile(
    source: &str,
    dialect: Dialect,
    compile: impl FnOnce() -> Result<Matcher>,
) -> Result<Matcher> {
    if let Ok(mut recent) = RECENT.try_lock()
        && let Some(at) = recent.iter().rposition(|(of, matcher)| *of == dialect && matcher.source == source)
    {
        recent[at..].rotate_left(1);
        return Ok(recent[recent.len() - 1].1.clone());
    }
    let matcher = compile()?;
    // What falls out is dropped behind the lock.
    let mut oldest = None;
    if let Ok(mut recent) = RECENT.try_lock() {
        if recent.len() == MOST {
            oldest = Some(recent.remove(0));
        }
        recent.push((dialect, matcher.clone()));
    }
    drop(oldest);
    Ok(matcher)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::Strategy;
    use super::*;
    use crate::spec::Pattern;

    fn compiled(source: &str, dialect: Dialect) -> Matcher {
        Matcher::new(&Pattern::Regex { source: source.into(), dialect }).unwrap()
    }

    /// Other tests compile patterns meanwhile, so that now and then one is gone sooner.
    fn is_shared(again: impl Fn() -> (Matcher, Matcher)) -> bool {
        (0..100).any(|_| match again() {
            (
                Matcher { strategy: Strategy::Scanner(one), .. },
                Matcher { strategy: Strategy::Scanner(other), .. },
            ) => Arc::ptr_eq(&one, &other),
            _ => false,
        })
    }

    #[test]
    fn a_pattern_that_was_compiled_is_not_compiled_again() {
        let pattern = r"recent \d+";
        assert!(is_shared(|| (compiled(pattern, Dialect::Oniguruma), compiled(pattern, Dialect::Oniguruma))));
        assert!(!is_shared(|| (compiled(pattern, Dialect::Oniguruma), compiled(pattern, Dialect::Fancy))));
        let others = || {
            let first = compiled(pattern, Dialect::Oniguruma);
            (0..3 * MOST).for_each(|at| drop(compiled(&format!(r"recent {at}"), Dialect::Oniguruma)));
            (first, compiled(pattern, Dialect::Oniguruma))
        };
        assert!(!is_shared(others), "not all are kept");
    }

    #[test]
    fn one_that_does_not_compile_stays_an_error() {
        for _ in 0..2 {
            let pattern = Pattern::Regex { source: "recent (".into(), dialect: Dialect::Oniguruma };
            assert!(Matcher::new(&pattern).is_err());
        }
    }
}
