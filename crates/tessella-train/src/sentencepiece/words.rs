//! Sentences cut at the space mark.

use super::SPACE;

/// Calls with every word: a mark begins a word, or ends it where it is a suffix. If pieces of spaces only are
/// allowed, a run of marks stays together and with its word.
pub(super) fn split<'t>(text: &'t str, as_suffix: bool, runs: bool, mut word: impl FnMut(&'t str)) {
    let mut start = 0;
    let mut before = None;
    for (at, c) in text.char_indices() {
        let marks = (before == Some(SPACE), c == SPACE);
        let cut = match (as_suffix, runs) {
            (false, false) => marks.1,
            (false, true) => marks == (false, true),
            (true, false) => marks.0,
            (true, true) => marks == (true, false),
        };
        if cut && at > start {
            word(&text[start..at]);
            start = at;
        }
        before = Some(c);
    }
    if start < text.len() {
        word(&text[start..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_words_begin() {
        let cases = [
            ((false, false), "▁a▁▁bc", "▁a|▁|▁bc"),
            ((false, true), "▁a▁▁bc▁▁", "▁a|▁▁bc|▁▁"),
            ((true, false), "▁a▁▁bc▁", "▁|a▁|▁|bc▁"),
            ((true, true), "▁▁a▁▁bc", "▁▁|a▁▁|bc"),
            ((false, false), "", ""),
        ];
        for ((as_suffix, runs), text, expected) in cases {
            let mut words = Vec::new();
            split(text, as_suffix, runs, |word| words.push(word));
            assert_eq!(words.join("|"), expected, "{text} {as_suffix} {runs}");
        }
    }
}
