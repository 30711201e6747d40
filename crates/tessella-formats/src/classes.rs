//! The classes that folders call their tokenizers after (`BertTokenizer`, ...), as the `transformers` library knows them.
//!
//! A folder without `tokenizer.json` leaves open which special tokens there are and what stands round a text: its class says.
//! This is the one table of that. Reading bare vocabularies goes by it, and Python asks for it and knows besides what the
//! arguments of a class do (`tessella.batch.classes`).

/// Texts of special tokens by their roles.
pub type Tokens = &'static [(&'static str, &'static str)];

/// The roles of special tokens that every tokenizer may have, as settings name them.
pub const ROLES: [&str; 7] =
    ["bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"];

const BRACKETS: Tokens = &[
    ("unk_token", "[UNK]"),
    ("sep_token", "[SEP]"),
    ("pad_token", "[PAD]"),
    ("cls_token", "[CLS]"),
    ("mask_token", "[MASK]"),
];

const ANGLES: Tokens = &[
    ("bos_token", "<s>"),
    ("eos_token", "</s>"),
    ("unk_token", "<unk>"),
    ("sep_token", "</s>"),
    ("cls_token", "<s>"),
    ("pad_token", "<pad>"),
    ("mask_token", "<mask>"),
];

const END_OF_TEXT: Tokens =
    &[("unk_token", "<|endoftext|>"), ("bos_token", "<|endoftext|>"), ("eos_token", "<|endoftext|>")];

/// How the ends of texts are marked. Each way has a template, which Python knows by this name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    /// One mark in front, the other behind each text; types tell the texts of a pair apart.
    Bert,
    /// The same with two marks between the texts of a pair, which offsets and white space go around.
    Roberta,
    /// `Roberta` as a template and nothing more.
    Two,
    /// The last mark behind each text, the first one behind all.
    Behind,
    /// The last mark behind each text.
    Last,
}

impl Ends {
    /// The name of the way.
    pub fn name(self) -> &'static str {
        match self {
            Ends::Bert => "bert",
            Ends::Roberta => "roberta",
            Ends::Two => "two",
            Ends::Behind => "behind",
            Ends::Last => "last",
        }
    }
}

/// A way with the roles of the first and the last mark, without `_token`.
pub type Marks = Option<(Ends, &'static str, &'static str)>;

/// What files beside the settings a tokenizer of a class can be made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vocabulary {
    /// `vocab.txt`, with the stages of BERT.
    Words,
    /// `vocab.json` and `merges.txt`, with the stages of GPT-2.
    Merges,
    /// A SentencePiece model, or what is not known here.
    Other,
}

/// What a class says.
pub struct Class {
    /// Without `Fast`.
    pub name: &'static str,
    /// Its special tokens where the settings do not say.
    pub tokens: Tokens,
    /// How the ends of texts are marked; `None` where it takes more than a class to say.
    pub ends: Marks,
    /// What it can be made of.
    pub vocabulary: Vocabulary,
}

impl Class {
    /// The text of the special token with a role that the class has.
    pub fn token(&self, role: &str) -> Option<&'static str> {
        self.tokens.iter().find(|(other, _)| *other == role).map(|(_, text)| *text)
    }
}

const BERT: Marks = Some((Ends::Bert, "cls", "sep"));
const ROBERTA: Marks = Some((Ends::Roberta, "cls", "sep"));
const TWO: Marks = Some((Ends::Two, "bos", "eos"));

const fn row(name: &'static str, vocabulary: Vocabulary, ends: Marks, tokens: Tokens) -> Class {
    Class { name, tokens, ends, vocabulary }
}

/// All classes whose special tokens are known.
pub static TABLE: [Class; 19] = [
    row("BertTokenizer", Vocabulary::Words, BERT, BRACKETS),
    row("DistilBertTokenizer", Vocabulary::Words, BERT, BRACKETS),
    row("ElectraTokenizer", Vocabulary::Words, BERT, BRACKETS),
    row(
        "MPNetTokenizer",
        Vocabulary::Other,
        ROBERTA,
        &[
            ("bos_token", "<s>"),
            ("eos_token", "</s>"),
            ("unk_token", "[UNK]"),
            ("sep_token", "</s>"),
            ("cls_token", "<s>"),
            ("pad_token", "<pad>"),
            ("mask_token", "<mask>"),
        ],
    ),
    row("GPT2Tokenizer", Vocabulary::Merges, None, END_OF_TEXT),
    row(
        "GPTNeoXTokenizer",
        Vocabulary::Other,
        None,
        &[
            ("unk_token", "<|endoftext|>"),
            ("bos_token", "<|endoftext|>"),
            ("eos_token", "<|endoftext|>"),
            ("pad_token", "<|padding|>"),
        ],
    ),
    row("RobertaTokenizer", Vocabulary::Merges, ROBERTA, ANGLES),
    row("BartTokenizer", Vocabulary::Merges, ROBERTA, ANGLES),
    row("XLMRobertaTokenizer", Vocabulary::Other, TWO, ANGLES),
    row("CamembertTokenizer", Vocabulary::Other, TWO, ANGLES),
    row(
        "T5Tokenizer",
        Vocabulary::Other,
        Some((Ends::Last, "eos", "eos")),
        &[("eos_token", "</s>"), ("unk_token", "<unk>"), ("pad_token", "<pad>")],
    ),
    row(
        "LlamaTokenizer",
        Vocabulary::Other,
        None,
        &[("bos_token", "<s>"), ("eos_token", "</s>"), ("unk_token", "<unk>")],
    ),
    row(
        "GemmaTokenizer",
        Vocabulary::Other,
        None,
        &[
            ("bos_token", "<bos>"),
            ("eos_token", "<eos>"),
            ("unk_token", "<unk>"),
            ("pad_token", "<pad>"),
            ("mask_token", "<mask>"),
        ],
    ),
    row(
        "Qwen2Tokenizer",
        Vocabulary::Other,
        None,
        &[("eos_token", "<|endoftext|>"), ("unk_token", "<|endoftext|>"), ("pad_token", "<|endoftext|>")],
    ),
    row(
        "CLIPTokenizer",
        Vocabulary::Other,
        Some((Ends::Roberta, "bos", "eos")),
        &[
            ("unk_token", "<|endoftext|>"),
            ("bos_token", "<|startoftext|>"),
            ("eos_token", "<|endoftext|>"),
            ("pad_token", "<|endoftext|>"),
        ],
    ),
    row(
        "AlbertTokenizer",
        Vocabulary::Other,
        None,
        &[
            ("bos_token", "[CLS]"),
            ("eos_token", "[SEP]"),
            ("unk_token", "<unk>"),
            ("sep_token", "[SEP]"),
            ("pad_token", "<pad>"),
            ("cls_token", "[CLS]"),
            ("mask_token", "[MASK]"),
        ],
    ),
    row(
        "XLNetTokenizer",
        Vocabulary::Other,
        Some((Ends::Behind, "cls", "sep")),
        &[
            ("bos_token", "<s>"),
            ("eos_token", "</s>"),
            ("unk_token", "<unk>"),
            ("sep_token", "<sep>"),
            ("pad_token", "<pad>"),
            ("cls_token", "<cls>"),
            ("mask_token", "<mask>"),
        ],
    ),
    row(
        "DebertaV2Tokenizer",
        Vocabulary::Other,
        BERT,
        &[
            ("unk_token", "[UNK]"),
            ("sep_token", "[SEP]"),
            ("pad_token", "[PAD]"),
            ("cls_token", "[CLS]"),
            ("mask_token", "[MASK]"),
            ("bos_token", "[CLS]"),
            ("eos_token", "[SEP]"),
        ],
    ),
    row("WhisperTokenizer", Vocabulary::Other, None, END_OF_TEXT),
];

/// Classes of folders whose bare vocabulary is read as that of another class.
const READ_AS: [(&str, &str); 4] = [
    ("GPTNeoXTokenizer", "GPT2Tokenizer"),
    ("OPTTokenizer", "GPT2Tokenizer"),
    ("LongformerTokenizer", "RobertaTokenizer"),
    ("LEDTokenizer", "RobertaTokenizer"),
];

/// The class of a name, with and without `Fast`, that reads a bare vocabulary.
pub fn reading(name: &str) -> Option<&'static Class> {
    let plain = name.strip_suffix("Fast").unwrap_or(name);
    let plain = READ_AS.iter().find(|(other, _)| *other == plain).map_or(plain, |(_, class)| class);
    TABLE.iter().find(|class| class.name == plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_marked_with_tokens_that_the_class_has() {
        for class in &TABLE {
            for (role, _) in class.tokens {
                assert!(ROLES.contains(role), "{}: {role}", class.name);
            }
            if let Some((_, first, last)) = class.ends {
                for role in [first, last] {
                    assert!(class.token(&format!("{role}_token")).is_some(), "{}: {role}", class.name);
                }
            }
        }
        for (name, class) in READ_AS {
            assert_eq!(reading(&format!("{name}Fast")).map(|class| class.name), Some(class));
        }
    }
}
