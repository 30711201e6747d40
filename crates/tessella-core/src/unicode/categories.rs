//! What kind of character it is, as the reference library answers.
//!
//! Its categories are frozen at old Unicode versions: a character that was assigned since is in none of
//! them. Numbers, white space and letter case follow newer versions there, and so here.

use super::{class_of, tables};

/// General category P, or an ASCII symbol such as `$` or `+`.
#[inline]
pub fn is_punctuation(c: char) -> bool {
    class_of(c).any(tables::PUNCTUATION)
}

/// General category Nd, Nl or No.
#[inline]
pub fn is_numeric(c: char) -> bool {
    class_of(c).any(tables::NUMERIC)
}

/// General category Mn, Mc or Me.
#[inline]
pub fn is_mark(c: char) -> bool {
    class_of(c).any(tables::MARK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_each() {
        assert!(is_punctuation('!') && is_punctuation('$') && is_punctuation('、') && !is_punctuation('€'));
        assert!(is_numeric('7') && is_numeric('Ⅷ') && is_numeric('½') && !is_numeric('七'));
        assert!(is_mark('\u{301}') && class_of('\u{301}').is_nonspacing_mark());
        assert!(is_mark('\u{903}') && !class_of('\u{903}').is_nonspacing_mark());
        assert!(
            ['\u{200d}', '\n'].iter().all(|&c| class_of(c).is_other_control())
                && !class_of('\u{378}').is_other_control()
        );
    }
}
