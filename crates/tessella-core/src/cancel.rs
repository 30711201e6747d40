//! A flag that another thread sets when a caller no longer wants the result.
//!
//! Long loops look at it now and then; short ones never do. What was cut short is not used: the caller gets
//! the error of [`Error::interrupted`].

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Result};

/// Steps of a loop between two looks at the flag: some milliseconds.
const CHECK_EVERY: u32 = 1 << 16;

/// The flag, if there is one to look at.
#[derive(Debug, Default, Clone)]
pub struct Cancel(Option<Arc<AtomicBool>>);

impl Cancel {
    /// Nothing ever cancels.
    pub const fn never() -> Self {
        Cancel(None)
    }

    /// A wish that is told by a flag, or by nothing.
    pub fn new(flag: Option<&Arc<AtomicBool>>) -> Self {
        Cancel(flag.cloned())
    }

    /// The flag itself.
    pub(crate) fn flag(&self) -> Option<&Arc<AtomicBool>> {
        self.0.as_ref()
    }

    /// An error if the caller wants no result any more.
    pub fn check(&self) -> Result<()> {
        match &self.0 {
            Some(flag) if flag.load(Ordering::Relaxed) => Err(Error::interrupted()),
            _ => Ok(()),
        }
    }

    /// Sets the flag: whoever else looks at it stops as well.
    pub(crate) fn cancel(&self) {
        if let Some(flag) = &self.0 {
            flag.store(true, Ordering::Relaxed);
        }
    }

    /// Counts the steps of one loop.
    pub(crate) fn watch(&self) -> Watch<'_> {
        Watch { cancel: self, left: CHECK_EVERY }
    }
}

/// The countdown to the next look.
#[derive(Debug)]
pub(crate) struct Watch<'a> {
    cancel: &'a Cancel,
    left: u32,
}

impl Watch<'_> {
    #[inline]
    pub(crate) fn step(&mut self) -> Result<()> {
        self.left -= 1;
        if self.left > 0 {
            return Ok(());
        }
        self.left = CHECK_EVERY;
        self.cancel.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_flag_ends_a_loop() {
        let flag = Arc::new(AtomicBool::new(false));
        let cancel = Cancel::new(Some(&flag));
        let mut watch = cancel.watch();
        assert!((0..3 * CHECK_EVERY).all(|_| watch.step().is_ok()));
        flag.store(true, Ordering::Relaxed);
        let steps = (0..3 * CHECK_EVERY).take_while(|_| watch.step().is_ok()).count();
        assert!(steps < CHECK_EVERY as usize);
        assert!((0..3 * CHECK_EVERY).all(|_| Cancel::never().watch().step().is_ok()));
    }
}
