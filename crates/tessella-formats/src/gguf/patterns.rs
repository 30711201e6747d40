//! The expressions by which llama.cpp cuts texts, as its code does it.
//!
//! They are not always those of the models' first files: there, contractions ignore case the Unicode way (`'ſ` is one), combining marks
//! count as letters, and words are cut where the case changes beyond ASCII too. What a GGUF file does is what its library does with it.

/// English contractions in both cases.
macro_rules! contractions {
    () => {
        r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
    };
}

/// What ends most expressions: line ends with the blanks before them, and blanks but for the one that belongs to a word.
macro_rules! blanks {
    () => {
        r"|\s*[\r\n]+|\s+(?!\S)|\s+"
    };
}

/// Signs, with a blank before them and line ends behind.
macro_rules! signs {
    () => {
        r"| ?[^\s\p{L}\p{N}]+[\r\n]*"
    };
}

/// Words whose letters are small after the first ones; `$letter` is a class of letters without brackets.
macro_rules! cased_words {
    ($letter:literal, $end:expr) => {
        concat!(
            r"[^\r\n\p{L}\p{N}]?[",
            $letter,
            r"&&[^a-z]]*[",
            $letter,
            r"&&[^A-Z]]+",
            $end,
            r"|[^\r\n\p{L}\p{N}]?[",
            $letter,
            r"&&[^a-z]]+[",
            $letter,
            r"&&[^A-Z]]*",
            $end
        )
    };
}

/// Numbers in groups from the right, the first one with all that stands before it.
pub const DIGITS_FROM_RIGHT: &str = r"\P{N}*\p{N}{1,3}(?=(?:\p{N}{3})*+(?!\p{N}))";

pub const THREE_DIGITS: &str =
    concat!(contractions!(), r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}", signs!(), blanks!());

pub const ONE_DIGIT: &str = concat!(contractions!(), r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}", signs!(), blanks!());

pub const ALL_DIGITS: &str =
    concat!(contractions!(), r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}+", signs!(), blanks!());

pub const NO_CONTRACTIONS: &str = concat!(r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}", signs!(), blanks!());

pub const MARKS_IN_WORDS: &str = concat!(
    contractions!(),
    r"|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*",
    blanks!()
);

pub const BLANKS_BY_POWERS: &str = concat!(
    contractions!(),
    r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}",
    signs!(),
    r"|\s*[\r\n]+|\s{512}(?!\S)|\s{256}(?!\S)|\s{128}(?!\S)|\s{64}(?!\S)|\s{32}(?!\S)|\s{16}(?!\S)|\s{8}(?!\S)|\s{4}(?!\S)",
    r"|\s{1,2}(?!\S)|\s{1}"
);

pub const CASED_WORDS: &str =
    concat!(cased_words!(r"\p{L}", ""), r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*", blanks!());

pub const CASED_WORDS_CONTRACTED: &str = concat!(
    cased_words!(r"\p{L}", concat!(contractions!(), "?")),
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*",
    blanks!()
);

pub const CASED_WORDS_AND_MARKS: &str = concat!(
    cased_words!(r"[\p{L}\p{M}]", concat!(contractions!(), "?")),
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*",
    blanks!()
);

pub const WORDS_ONE_DIGIT: &str = concat!(
    r"[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+",
    contractions!(),
    r"?|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*",
    blanks!()
);

pub const WORDS_THREE_DIGITS: &str = concat!(
    r"[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+",
    contractions!(),
    r"?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*",
    blanks!()
);

pub const SIGNS_OR_WORDS: &str = concat!(
    r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+|"##,
    r" ?[\p{P}\p{S}]+[\r\n]*",
    blanks!()
);

pub const SIGNS_OR_WORDS_OR_LINES: &str = concat!(
    r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+|"##,
    r" ?[\p{P}\p{S}]+|[\r\n]|\s+(?!\S)|\s+"
);

pub const ANY_CONTRACTION: &str = concat!(
    r"'(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}",
    signs!(),
    r"|\s*[\r\n]|\s+(?!\S)|\s+"
);

pub const SIGNS_WITHOUT_LINES: &str =
    concat!(contractions!(), r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1}| ?[^\s\p{L}\p{N}\r\n]+", blanks!());

pub const PHRASES: &str = concat!(
    contractions!(),
    r"|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+"
);

/// Chinese characters by the blocks that llama.cpp lists.
macro_rules! han {
    () => {
        concat!(
            r"\x{4E00}-\x{9FFF}\x{3400}-\x{4DBF}\x{20000}-\x{2A6DF}\x{2A700}-\x{2B73F}\x{2B740}-\x{2B81F}",
            r"\x{2B820}-\x{2CEAF}\x{2CEB0}-\x{2EBEF}\x{F900}-\x{FAFF}\x{2F800}-\x{2FA1F}"
        )
    };
}

pub const HAN_APART: &str = concat!(
    "[",
    han!(),
    r"]+|[^\r\n\p{L}\p{N}]?[\p{L}&&[^",
    han!(),
    "]]+",
    contractions!(),
    r"?|\p{N}{1,3}",
    signs!(),
    blanks!()
);

/// Words up to a blank or one of a few signs.
pub const UP_TO_SIGNS: &str = r" ?[^(\s|.,!?\x{2026}\x{3002}\x{FF0C}\x{3001}\x{964}\x{6D4}\x{60C})]+";

pub const PUNCTUATION: &str = r"[\p{P}\$\+<=>\^~\|]+";

pub const PUNCTUATION_OR_GRAVE: &str = r"[\p{P}\$\+<=>\^~\|`]+";

pub const LINES: &str = r"[^\n]+|[\n]+";

/// Letters that have a case, in the Unicode of their day. In this and the next classes, no blank stands for itself: llama.cpp has made
/// all of them alike before.
pub const CASED_LETTERS: &str = concat!(
    r"\s?[",
    r"A-Za-z\x{B5}\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{1BA}\x{1BC}-\x{1BF}\x{1C4}-\x{293}",
    r"\x{295}-\x{2AF}\x{370}-\x{373}\x{376}\x{377}\x{37B}-\x{37D}\x{37F}\x{386}\x{388}-\x{38A}",
    r"\x{38C}\x{38E}-\x{3A1}\x{3A3}-\x{3F5}\x{3F7}-\x{481}\x{48A}-\x{52F}\x{531}-\x{556}",
    r"\x{10A0}-\x{10C5}\x{13A0}-\x{13F5}\x{13F8}-\x{13FD}\x{1C90}-\x{1CBA}\x{1CBD}-\x{1CBF}",
    r"\x{1D00}-\x{1D2B}\x{1D6B}-\x{1D77}\x{1D79}-\x{1D9A}\x{1E00}-\x{1F15}\x{1F18}-\x{1F1D}",
    r"\x{1F20}-\x{1F45}\x{1F48}-\x{1F4D}\x{1F50}-\x{1F57}\x{1F59}\x{1F5B}\x{1F5D}",
    r"\x{1F5F}-\x{1F7D}\x{1F80}-\x{1FB4}\x{1FB6}-\x{1FBC}\x{1FBE}\x{1FC2}-\x{1FC4}",
    r"\x{1FC6}-\x{1FCC}\x{1FD0}-\x{1FD3}\x{1FD6}-\x{1FDB}\x{1FE0}-\x{1FEC}\x{1FF2}-\x{1FF4}",
    r"\x{1FF6}-\x{1FFC}\x{2102}\x{2107}\x{210A}-\x{2113}\x{2115}\x{2119}-\x{211D}\x{2124}",
    r"\x{2126}\x{2128}\x{212A}-\x{212D}\x{212F}-\x{2134}\x{2139}\x{213C}-\x{213F}",
    r"\x{2145}-\x{2149}\x{214E}\x{2183}\x{2184}\x{2C00}-\x{2C7B}\x{2C7E}-\x{2CE4}",
    r"\x{2CEB}-\x{2CEE}\x{2CF2}\x{2CF3}\x{A640}-\x{A66D}\x{A680}-\x{A69B}\x{A722}-\x{A76F}",
    r"\x{A771}-\x{A787}\x{A78B}-\x{A78E}\x{AB70}-\x{ABBF}\x{FB00}-\x{FB06}\x{FB13}-\x{FB17}",
    r"\x{FF21}-\x{FF3A}\x{FF41}-\x{FF5A}\x{10400}-\x{1044F}\x{104B0}-\x{104D3}",
    r"\x{104D8}-\x{104FB}\x{10C80}-\x{10CB2}\x{10CC0}-\x{10CF2}\x{118A0}-\x{118DF}",
    r"\x{1E900}-\x{1E943}",
    "]+"
);

pub const WIDE_SIGNS: &str =
    r"\s?[!-/:-~\x{FF01}-\x{FF0F}\x{FF1A}-\x{FF5E}\x{2018}-\x{201F}\x{3001}\x{3002}]+";

pub const CHINESE_OR_KOREAN: &str = r"[\x{4E00}-\x{9FA5}\x{800}-\x{4E00}\x{AC00}-\x{D7FF}&&[^\s]]+";

pub const CHINESE_OR_KANA: &str = r"[\x{4E00}-\x{9FA5}\x{3040}-\x{309F}\x{30A0}-\x{30FF}]+";

pub const KOREAN_OR_SIGNS: &str = concat!(
    r"[\x{AC00}-\x{D7A3}\x{3131}-\x{318E}]+|",
    r"[\x{FF01}\x{2026}\x{201C}\x{201D}\x{2018}\x{2019}\x{2014}\x{FF1A}\x{FF1B}\x{FF0C}\x{3001}-\x{303F}\x{FE30}-\x{FE4F}]+|",
    r"[\x{3105}-\x{312F}]+|[\x{4E00}-\x{9FA5}\x{3040}-\x{309F}\x{30A0}-\x{30FF}]+"
);

pub const ASIAN_SCRIPTS: &str = concat!(
    r"[\x{4E00}-\x{9FFF}\x{3400}-\x{4DBF}\x{8C48}-\x{FAFF}\x{3040}-\x{309F}\x{30A0}-\x{30FF}\x{FF65}-\x{FF9F}\x{2F00}-\x{2FDF}",
    r"\x{E40}-\x{E7F}\x{E80}-\x{EFF}\x{1780}-\x{17FF}\x{1000}-\x{109F}\x{AA60}-\x{AA7F}\x{A9E0}-\x{A9FF}\x{AC00}-\x{D7AF}",
    r"\x{1100}-\x{11FF}]+"
);
