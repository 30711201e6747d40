//! Which language comes next: the one that is served worst.

use std::collections::VecDeque;

/// How a language is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ParityVariant {
    /// Always the one that is served worst.
    #[default]
    Base,
    /// As before, but none that was chosen too often of late.
    Window,
}

/// How well each language is served.
pub(super) enum Served<'a> {
    /// The more tokens, the worse.
    Lengths(&'a [u128]),
    /// The lower the compression so far in relation to the ratio that is wanted, the worse.
    Rates { begun: &'a [u128], now: &'a [u128], ratio: &'a [f64] },
}

impl Served<'_> {
    /// True if language `a` is served worse than `b`, or `b` is none. A language without text has no rate: it is
    /// never served badly.
    fn is_worse(&self, a: usize, b: Option<usize>) -> bool {
        match (self, b) {
            (Served::Lengths(_), None) => true,
            (Served::Lengths(lengths), Some(b)) => lengths[a] > lengths[b],
            (Served::Rates { .. }, b) => self.rate(a) < b.map_or(f64::INFINITY, |b| self.rate(b)),
        }
    }

    fn rate(&self, language: usize) -> f64 {
        match self {
            Served::Lengths(_) => 0.0,
            Served::Rates { begun, now, ratio } => {
                begun[language] as f64 / now[language] as f64 / ratio[language]
            }
        }
    }
}

/// Remembers what was chosen.
#[derive(Debug)]
pub(super) struct Chooser {
    variant: ParityVariant,
    /// Nothing is left to learn there.
    used_up: Vec<bool>,
    window: VecDeque<usize>,
    /// How often each language is in the window.
    chosen: Vec<usize>,
    window_size: usize,
    /// The share of the window that a language may have.
    share: f64,
}

impl Chooser {
    pub(super) fn new(variant: ParityVariant, languages: usize, window_size: usize, alpha: f64) -> Self {
        Chooser {
            variant,
            used_up: vec![false; languages],
            window: VecDeque::new(),
            chosen: vec![0; languages],
            window_size,
            share: alpha / languages as f64,
        }
    }

    pub(super) fn used_up(&mut self, language: usize) {
        self.used_up[language] = true;
    }

    /// The next language; `None` if all are used up. It may be one that is used up: the caller asks again.
    pub(super) fn choose(&mut self, served: &Served<'_>) -> Option<usize> {
        let first_left = self.used_up.iter().position(|&used_up| !used_up)?;
        // Where no language left has a rate there is nothing to compare.
        let comparable = self.worst(served, &vec![true; self.used_up.len()]);
        if comparable.is_none() {
            return Some(first_left);
        }
        if self.variant == ParityVariant::Base {
            return comparable;
        }
        let language = self.choose_in_window(served).unwrap_or(first_left);
        self.window.push_back(language);
        self.chosen[language] += 1;
        if self.window.len() > self.window_size
            && let Some(oldest) = self.window.pop_front()
        {
            self.chosen[oldest] -= 1;
        }
        Some(language)
    }

    /// The first of those served worst, of the languages that are left and allowed.
    fn worst(&self, served: &Served<'_>, allowed: &[bool]) -> Option<usize> {
        let mut worst = None;
        for (language, (&used_up, &allowed)) in self.used_up.iter().zip(allowed).enumerate() {
            if !used_up && allowed && served.is_worse(language, worst) {
                worst = Some(language);
            }
        }
        worst
    }

    /// As the reference trainer: a language that had its share is set aside, and if none is left that is not used
    /// up, the first language is taken even if it is, which makes the window move on. `None` where the reference
    /// trainer would go on for ever.
    fn choose_in_window(&self, served: &Served<'_>) -> Option<usize> {
        let mut allowed = vec![true; self.used_up.len()];
        loop {
            let worst = self.worst(served, &allowed);
            let language = worst.unwrap_or(0);
            if self.chosen[language] as f64 / self.window_size as f64 <= self.share {
                return Some(language);
            }
            if worst.is_none() && !allowed[language] {
                return None;
            }
            allowed[language] = false;
            if allowed.iter().all(|allowed| !allowed) {
                return Some(language);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_of_those_left() {
        let mut chooser = Chooser::new(ParityVariant::Base, 3, 100, 2.0);
        let lengths = [5, 9, 9];
        assert_eq!(chooser.choose(&Served::Lengths(&lengths)), Some(1));
        chooser.used_up(1);
        assert_eq!(chooser.choose(&Served::Lengths(&lengths)), Some(2));
        chooser.used_up(2);
        chooser.used_up(0);
        assert_eq!(chooser.choose(&Served::Lengths(&lengths)), None);
    }

    #[test]
    fn the_furthest_from_its_ratio() {
        let mut chooser = Chooser::new(ParityVariant::Base, 3, 100, 2.0);
        let (begun, now) = ([40, 40, 0], [40, 20, 0]);
        let mut next =
            |ratio: &[f64]| chooser.choose(&Served::Rates { begun: &begun, now: &now, ratio }).unwrap();
        assert_eq!(next(&[1.0, 1.0, 1.0]), 0);
        assert_eq!(next(&[1.0, 3.0, 1.0]), 1);
        chooser.used_up(0);
        chooser.used_up(1);
        let nothing = Served::Rates { begun: &begun, now: &now, ratio: &[1.0; 3] };
        assert_eq!(chooser.choose(&nothing), Some(2), "a language without text has no rate");
    }

    #[test]
    fn a_window_always_ends() {
        let mut chooser = Chooser::new(ParityVariant::Window, 3, 4, 0.5);
        let lengths = [9, 5, 1];
        chooser.used_up(1);
        chooser.used_up(2);
        // Only the first language is left, and it soon has more than its share.
        for _ in 0..50 {
            assert_eq!(chooser.choose(&Served::Lengths(&lengths)), Some(0));
        }
    }
}
