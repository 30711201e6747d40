//! How many blanks the texts of tokens begin and end with, which is found out once for each.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU16, Ordering};

use crate::ids::TokenId;

/// What is known of ids, two bytes for each: how many blanks it begins with, and above them how many it ends with.
#[derive(Debug, Default)]
pub struct Blanks {
    of_id: OnceLock<Box<[AtomicU16]>>,
    /// Ids that are remembered: those below, as many as there are tokens.
    ids: usize,
}

/// More ids are not remembered, and neither are more blanks than fit.
const MOST_IDS: usize = 1 << 22;
const MOST: u32 = 127;
/// Is set where something was written.
const KNOWN: u16 = 1 << 7;

impl Blanks {
    /// For ids of about so many tokens.
    pub fn of(tokens: usize) -> Self {
        Blanks { of_id: OnceLock::new(), ids: tokens.min(MOST_IDS) }
    }

    /// Who tells the blanks of ids, whose texts `text` gives.
    pub(super) fn look<'t>(&self, text: impl Fn(TokenId) -> &'t str) -> impl Fn(TokenId) -> [u32; 2] {
        let of_id = self.of_id.get_or_init(|| (0..self.ids).map(|_| AtomicU16::new(0)).collect());
        move |id| {
            let place = of_id.get(id as usize);
            // Whoever finds it out at the same time writes the same.
            let known = place.map_or(0, |place| place.load(Ordering::Relaxed));
            if known & KNOWN != 0 {
                return [u32::from(known) & MOST, u32::from(known >> 8)];
            }
            let blanks = blanks(text(id));
            if let (Some(place), true) = (place, blanks.iter().all(|&count| count <= MOST)) {
                place.store(blanks[0] as u16 | KNOWN | (blanks[1] as u16) << 8, Ordering::Relaxed);
            }
            blanks
        }
    }
}

/// How many blanks a text begins and ends with; all of them twice where there is nothing else.
pub(super) fn blanks(text: &str) -> [u32; 2] {
    let leading = text.chars().take_while(is_blank).count();
    let trailing = text.chars().rev().take_while(is_blank).count();
    // Texts of tokens are shorter than 4 GiB.
    [leading, trailing].map(|count| count as u32)
}

/// White space, or the character that stands for the space byte.
fn is_blank(c: &char) -> bool {
    *c == 'Ġ' || c.is_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_is_what_texts_say() {
        let texts: Vec<String> = (0..300)
            .map(|at| match at % 6 {
                0 => "a".into(),
                1 => "Ġa".into(),
                2 => format!("{}b\u{3000}", " ".repeat(at)),
                3 => "Ġ".repeat(at),
                4 => String::new(),
                _ => format!("Ġ\t{at}{}", "Ġ".repeat(at / 2)),
            })
            .collect();
        let known = Blanks::of(250);
        let look = known.look(|id| texts.get(id as usize).map_or("", String::as_str));
        for _ in 0..2 {
            for (id, text) in texts.iter().enumerate() {
                assert_eq!(look(id as TokenId), blanks(text), "{text}");
            }
            assert_eq!(look(TokenId::MAX), [0, 0]);
        }
    }
}
