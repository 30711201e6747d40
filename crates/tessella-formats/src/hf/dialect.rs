//! A regular expression of the fancy-regex dialect in Oniguruma's words.
//!
//! Most of the syntax means the same in both. What does not is rewritten, or refused by name:
//!
//! | fancy-regex | Oniguruma (Ruby) |
//! |---|---|
//! | `x{1,3}+` (possessive) | is a repeated group there: `(?>x{1,3})` |
//! | `x{3}?` (exactly three) | is an optional group there: `x{3}` |
//! | `$`, `^` (ends of the text) | are ends of a line there: `\z`, `\A` |
//! | `\w`, `\b`, `\<`, `(?m)`, `(?s)`, `(?x)`, POSIX brackets, `--`, back-references, named groups | refused |
//! | `(?i:\p{Lu})`, `(?i:[\S&&[^k]])` | know case there outside of a class and in one within another: refused |

use tessella_core::error::excerpt;
use tessella_core::pattern::Matcher;
use tessella_core::spec::{Dialect, Pattern};
use tessella_core::{Error, Result};

/// Letters that case folding joins with one other character of their kind; written next to each other under
/// `(?i)` they may match a single ligature in Oniguruma.
const FOLDING_PAIRS: [&str; 5] = ["ss", "st", "ff", "fi", "fl"];

/// Properties of both dialects that hold other characters in each, without case and blanks.
const OTHER_PROPERTIES: [&str; 3] = ["word", "graph", "print"];

/// Translates, or names what cannot be translated.
pub fn fancy_to_oniguruma(source: &str) -> Result<String> {
    let out = String::with_capacity(source.len() + 16);
    let translated = Translator { source, at: 0, out, groups: Vec::new(), folded: None }.run()?;
    // What repeats nothing but a place (`(?:a|$)+`), and names that one of the two does not have.
    match Matcher::new(&Pattern::Regex { source: translated.clone(), dialect: Dialect::Oniguruma }) {
        Ok(_) => Ok(translated),
        Err(error) => Err(Error::unsupported(format!(
            "the regular expression `{}` cannot be written for readers of tokenizer.json: {}",
            excerpt(source),
            error.message()
        ))),
    }
}

struct Translator<'a> {
    source: &'a str,
    at: usize,
    out: String,
    /// Per open group: where it starts in the output, and whether case is ignored around it.
    groups: Vec<(usize, bool)>,
    /// The letter that ignores case and ends what is written, whatever groups begin and end behind it: Oniguruma
    /// takes `s(?:s)` for `ss`.
    folded: Option<char>,
}

impl Translator<'_> {
    fn rest(&self) -> &str {
        &self.source[self.at..]
    }

    fn refuse<T>(&self, what: &str) -> Result<T> {
        Err(Error::unsupported(format!(
            "the regular expression `{}` cannot be written for readers of tokenizer.json: {what} at byte {} means \
             something else there",
            excerpt(self.source),
            self.at
        )))
    }

    fn take(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    fn run(mut self) -> Result<String> {
        let mut ignore_case = false;
        // Where the last atom starts in the output, if a quantifier may follow.
        let mut atom: Option<usize> = None;
        while let Some(c) = self.rest().chars().next() {
            let start = self.out.len();
            match c {
                '\\' => {
                    self.folded = None;
                    self.escape(false, ignore_case)?;
                    atom = Some(start);
                }
                '[' => {
                    self.folded = None;
                    self.class(ignore_case)?;
                    atom = Some(start);
                }
                '(' => {
                    self.groups.push((start, ignore_case));
                    ignore_case = self.open_group(ignore_case)?;
                    atom = None;
                }
                ')' => {
                    self.at += 1;
                    self.out.push(')');
                    atom = match self.groups.pop() {
                        Some((group, outer)) => {
                            ignore_case = outer;
                            Some(group)
                        }
                        None => return self.refuse("an unbalanced `)`"),
                    };
                }
                '^' => {
                    self.at += 1;
                    self.out.push_str("\\A");
                    atom = None;
                }
                '$' => {
                    self.at += 1;
                    self.out.push_str("\\z");
                    atom = None;
                }
                '|' => {
                    self.folded = None;
                    self.at += 1;
                    self.out.push('|');
                    atom = None;
                }
                '*' | '+' | '?' | '{' => {
                    let Some(from) = atom.take() else {
                        return self
                            .refuse(&format!("the quantifier `{c}`, which follows nothing that repeats,"));
                    };
                    self.quantifier(from)?;
                }
                _ => {
                    let before = self.folded.take();
                    if ignore_case {
                        self.check_folding(before, c)?;
                        self.folded = Some(c);
                    }
                    self.at += c.len_utf8();
                    self.out.push(c);
                    atom = Some(start);
                }
            }
        }
        if !self.groups.is_empty() {
            return self.refuse("a group that is not closed");
        }
        Ok(self.out)
    }

    fn check_folding(&self, before: Option<char>, c: char) -> Result<()> {
        if !c.is_ascii() {
            return self.refuse("a character beyond ASCII that ignores case");
        }
        let pair: String = before.into_iter().chain([c]).flat_map(char::to_lowercase).collect();
        if FOLDING_PAIRS.contains(&pair.as_str()) {
            return self.refuse(&format!("`{pair}` that ignores case"));
        }
        Ok(())
    }

    /// Copies a backslash and what it introduces.
    fn escape(&mut self, in_class: bool, ignore_case: bool) -> Result<()> {
        let mut chars = self.rest().chars().skip(1);
        let Some(kind) = chars.next() else {
            return self.refuse("a backslash at the end");
        };
        if ignore_case && (matches!(kind, 'x' | 'P') || (kind == 'p' && !in_class)) {
            return self.refuse(&format!("`\\{kind}` that ignores case"));
        }
        match kind {
            'p' | 'P' => {
                let length = match chars.next() {
                    Some('{') => match self.rest().find('}') {
                        Some(close) => close + 1,
                        None => return self.refuse("a property that is not closed"),
                    },
                    // A one-letter property without braces; Oniguruma wants them.
                    Some(letter) if letter.is_ascii_alphabetic() => {
                        self.out.push_str(&format!("\\{kind}{{{letter}}}"));
                        self.at += 3;
                        return Ok(());
                    }
                    _ => return self.refuse("an incomplete property"),
                };
                let name = &self.rest()[3..length - 1];
                if name.is_empty()
                    || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b' ')
                {
                    return self.refuse("a property that is no plain name");
                }
                let plain = name.replace([' ', '_'], "").to_ascii_lowercase();
                if OTHER_PROPERTIES.contains(&plain.as_str()) {
                    return self.refuse(&format!("`\\{kind}{{{name}}}`"));
                }
                let text = self.rest()[..length].to_string();
                self.out.push_str(&text);
                self.at += length;
                return Ok(());
            }
            'r' | 'n' | 't' | 'f' | 's' | 'S' | 'd' | 'D' => {}
            'v' | 'a' => {
                self.out.push_str(if kind == 'v' { "\\x0B" } else { "\\x07" });
                self.at += 2;
                return Ok(());
            }
            'A' | 'z' if !in_class => {}
            'x' => return self.hexadecimal(),
            // Ends of words.
            '<' | '>' if !in_class => return self.refuse(&format!("`\\{kind}`")),
            _ if kind.is_ascii_punctuation() || kind == ' ' => {}
            _ => return self.refuse(&format!("`\\{kind}`")),
        }
        self.at += 1 + kind.len_utf8();
        self.out.push('\\');
        self.out.push(kind);
        Ok(())
    }

    /// `\x41` or `\x{1F600}`, always written with braces (two digits are a raw byte in Oniguruma).
    fn hexadecimal(&mut self) -> Result<()> {
        let digits = &self.rest()[2..];
        let (digits, length) = match digits.strip_prefix('{') {
            Some(inner) => match inner.find('}') {
                Some(close) => (&inner[..close], close + 4),
                None => return self.refuse("a code point that is not closed"),
            },
            None => match digits.get(..2) {
                Some(digits) => (digits, 4),
                None => return self.refuse("an incomplete `\\x`"),
            },
        };
        match u32::from_str_radix(digits, 16).ok().and_then(char::from_u32) {
            Some(c) => {
                self.out.push_str(&format!("\\x{{{:X}}}", c as u32));
                self.at += length;
                Ok(())
            }
            None => self.refuse("an impossible code point"),
        }
    }

    /// Copies `[...]`, nested ones too.
    fn class(&mut self, ignore_case: bool) -> Result<()> {
        let mut depth = 0usize;
        loop {
            let Some(c) = self.rest().chars().next() else {
                return self.refuse("a character class that is not closed");
            };
            match c {
                '\\' => {
                    self.escape(true, ignore_case)?;
                    continue;
                }
                '[' => {
                    if self.rest().starts_with("[:") {
                        return self.refuse("a POSIX bracket");
                    }
                    if depth > 0 && ignore_case {
                        return self.refuse("a character class within another that ignores case");
                    }
                    depth += 1;
                    self.at += 1;
                    self.out.push('[');
                    if self.take("^") {
                        self.out.push('^');
                    }
                    if self.rest().starts_with(']') {
                        return self.refuse("`]` as the first of a character class");
                    }
                    continue;
                }
                ']' => {
                    depth -= 1;
                    self.at += 1;
                    self.out.push(']');
                    if depth == 0 {
                        return Ok(());
                    }
                    continue;
                }
                '-' if self.rest().starts_with("--") => return self.refuse("`--` in a character class"),
                '&' if ignore_case && self.rest().starts_with("&&") => {
                    return self.refuse("`&&` that ignores case");
                }
                '~' if self.rest().starts_with("~~") => return self.refuse("`~~` in a character class"),
                _ => {}
            }
            if ignore_case && !c.is_ascii() {
                return self.refuse("a character beyond ASCII that ignores case");
            }
            self.at += c.len_utf8();
            self.out.push(c);
        }
    }

    /// Copies the opening of a group; says whether case is ignored inside.
    fn open_group(&mut self, ignore_case: bool) -> Result<bool> {
        for (opening, insensitive) in [
            ("(?:", ignore_case),
            ("(?=", ignore_case),
            ("(?!", ignore_case),
            ("(?<=", ignore_case),
            ("(?<!", ignore_case),
            ("(?>", ignore_case),
            ("(?i:", true),
            ("(?-i:", false),
        ] {
            if self.take(opening) {
                self.out.push_str(opening);
                return Ok(insensitive);
            }
        }
        if self.rest().starts_with("(?") {
            // Flags for the rest of a group bind differently around alternatives.
            return self.refuse("a group that begins with `(?` in this way");
        }
        self.at += 1;
        self.out.push('(');
        Ok(ignore_case)
    }

    fn quantifier(&mut self, atom: usize) -> Result<()> {
        if !self.rest().starts_with('{') {
            // `*`, `+`, `?`, each alone, lazy or possessive: the same in both.
            self.folded = None;
            let simple = self.rest()[..1].to_string();
            self.out.push_str(&simple);
            self.at += 1;
            for mode in ["+", "?"] {
                if self.take(mode) {
                    self.out.push_str(mode);
                    return Ok(());
                }
            }
            return Ok(());
        }
        let Some(close) = self.rest().find('}') else {
            return self.refuse("a `{` that is not closed");
        };
        let bounds = self.rest()[1..close].to_string();
        let (low, high) = match bounds.split_once(',') {
            Some((low, high)) => (low, Some(high)),
            None => (bounds.as_str(), None),
        };
        let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !number(low) || !high.is_none_or(|high| high.is_empty() || number(high)) {
            return self.refuse("a `{` that is no repetition");
        }
        self.at += close + 1;
        self.out.push_str(&format!("{{{bounds}}}"));
        if !(bounds == "1" || bounds == "1,1") {
            self.folded = None;
        }
        if self.take("+") {
            self.out.insert_str(atom, "(?>");
            self.out.push(')');
        } else if self.take("?") && high.is_some() {
            self.out.push('?');
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_rewritten() {
        let cases = [
            (r"\p{N}{1,3}+", r"(?>\p{N}{1,3})"),
            (r"(?:a|[b-d]{2}+){1,}+x", r"(?>(?:a|(?>[b-d]{2})){1,})x"),
            (r"a{3}?b{2,4}?", r"a{3}b{2,4}?"),
            (r"^\s++$", r"\A\s++\z"),
            (r"'(?i:[sdmt]|ll|ve|re)", r"'(?i:[sdmt]|ll|ve|re)"),
            (r"[^\r\n\p{L}\p{N}]?+\p{L}++", r"[^\r\n\p{L}\p{N}]?+\p{L}++"),
            (r"\pL+\x41\x{e9}", r"\p{L}+\x{41}\x{E9}"),
            (r"[\r\n/]*(?!\S)", r"[\r\n/]*(?!\S)"),
            (r"(?i:[^\p{Lu}s]s|t)(?-i:ss)s(?i:s)", r"(?i:[^\p{Lu}s]s|t)(?-i:ss)s(?i:s)"),
        ];
        for (fancy, oniguruma) in cases {
            assert_eq!(fancy_to_oniguruma(fancy).unwrap(), oniguruma);
        }
    }

    #[test]
    fn what_cannot_be_said_is_refused() {
        let refused = [
            r"\w+",
            r"\bx",
            "(?m)^a",
            "(?s:.)",
            "(?x) a",
            "[[:alpha:]]",
            r"(a)\1",
            "(?<n>a)",
            "[a--b]",
            "*a",
            "a**",
            "(a",
            "a)",
            "[a",
            r"a\",
            "(?i:ß)",
            "(?i:fi)",
            "x{,3}",
            r"\p{",
            r"\x{110000}",
            r"\x4",
            "[]a]",
            // Ends of words there are a literal `<` here.
            r"\<x",
            // Repeats of a place, which Oniguruma does not compile.
            r"(?:a|$)+",
            r"(?:(?!a)b|(?<=c)){2}",
            r"\p{isGreek}",
            // Sets of the same name that are others.
            r"\p{Word}+",
            r"[^\P{p_rint}]",
            // Case is ignored there within the outermost class only.
            r"(?i:\p{Lu})",
            r"(?i:[\P{L}])",
            r"(?i:[\p{L}&&[^a-z]])",
            r"(?i:[a[^b]])",
            r"(?i:[a-z&&\p{L}])",
            // A ligature matches two letters, however they are written.
            r"(?i:\x66\x69)",
            r"(?i:[\x{df}])",
            "(?i:s(?:s))",
            "(?i:(?:f)i)",
            "(?i:s{1}t)",
        ];
        for fancy in refused {
            let error = fancy_to_oniguruma(fancy).unwrap_err();
            assert_eq!(error.kind(), tessella_core::ErrorKind::Unsupported, "{fancy}");
        }
    }
}
