//! Texts that stand one after the other in one string.
//!
//! A short text costs its reader more for being a text than for its bytes. Who takes many of them at once, each ending
//! where it ends, pays that once.

/// Some texts, joined.
#[derive(Debug, Clone, Default)]
pub struct Portion {
    joined: String,
    ends: Vec<usize>,
}

/// Bytes of a text that is taken over rather than copied.
const LARGE: usize = 1 << 16;

impl Portion {
    /// All texts, one after the other.
    pub fn joined(&self) -> &str {
        &self.joined
    }

    /// Where each text ends. It begins where the one before it ends.
    pub fn ends(&self) -> &[usize] {
        &self.ends
    }

    /// Number of texts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no text, not even an empty one.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Bytes of all texts.
    pub fn bytes(&self) -> usize {
        self.joined.len()
    }

    /// The texts in their order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let mut start = 0;
        self.ends.iter().map(move |&end| &self.joined[std::mem::replace(&mut start, end)..end])
    }

    /// Adds a text.
    pub fn push(&mut self, text: &str) {
        self.joined.push_str(text);
        self.ends.push(self.joined.len());
    }

    /// The same with a text that nobody else needs.
    pub fn take(&mut self, text: String) {
        if self.joined.is_empty() && text.len() >= LARGE {
            self.joined = text;
            self.ends.push(self.joined.len());
        } else {
            self.push(&text);
        }
    }

    /// Adds the lines of a text, which ends with a line end. Each keeps its own.
    pub fn push_lines(&mut self, lines: &str) {
        let before = self.joined.len();
        self.joined.push_str(lines);
        self.ends.extend(memchr::memchr_iter(b'\n', lines.as_bytes()).map(|at| before + at + 1));
    }

    /// Forgets all texts and keeps the room.
    pub fn clear(&mut self) {
        self.joined.clear();
        self.ends.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stay_what_they_were() {
        let mut portion = Portion::default();
        for _ in 0..2 {
            assert!(portion.is_empty() && portion.iter().next().is_none());
            portion.push("");
            portion.take("é".repeat(LARGE));
            portion.push_lines("\none\n two\r\n");
            portion.take("last".to_string());
            let texts: Vec<&str> = portion.iter().collect();
            assert_eq!(texts, ["", &"é".repeat(LARGE), "\n", "one\n", " two\r\n", "last"]);
            assert_eq!((portion.len(), portion.bytes()), (6, 2 * LARGE + 15));
            portion.clear();
        }
    }
}
