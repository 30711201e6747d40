//! The classes that folders call their tokenizers after (`BertTokenizer`, ...), as the `transformers` library knows them.
//!
//! A folder without `tokenizer.json` leaves open which special tokens there are and what stands round a text: its class says.
//! This is the one table of that. Reading bare vocabularies goes by it, and Python asks for it and knows besides what the
//! arguments of a class do (`tessella.batch.classes`).

/// The roles of special tokens that every tokenizer may have, as settings name them.
pub const ROLES: [&str; 7] =
    ["bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"];

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
    /// Its special tokens where the settings do not say: role, text, role, text, ...
    tokens: &'static str,
    /// How the ends of texts are marked; `None` where it takes more than a class to say.
    pub ends: Marks,
    /// What it can be made of.
    pub vocabulary: Vocabulary,
}

impl Class {
    /// Its special tokens where the settings do not say, by role.
    pub fn tokens(&self) -> impl Iterator<Item = (String, &'static str)> {
        let mut words = self.tokens.split(' ');
        std::iter::from_fn(move || Some((format!("{}_token", words.next()?), words.next()?)))
    }

    /// The text of the special token with a role that the class has.
    pub fn token(&self, role: &str) -> Option<&'static str> {
        self.tokens().find(|(other, _)| other == role).map(|(_, text)| text)
    }
}

const BERT: Marks = Some((Ends::Bert, "cls", "sep"));
const ROBERTA: Marks = Some((Ends::Roberta, "cls", "sep"));
const TWO: Marks = Some((Ends::Two, "bos", "eos"));

const BRACKETS: &str = "unk [UNK] sep [SEP] pad [PAD] cls [CLS] mask [MASK]";
const ANGLES: &str = "bos <s> eos </s> unk <unk> sep </s> cls <s> pad <pad> mask <mask>";
const END_OF_TEXT: &str = "unk <|endoftext|> bos <|endoftext|> eos <|endoftext|>";

const fn row(name: &'static str, vocabulary: Vocabulary, ends: Marks, tokens: &'static str) -> Class {
    Class { name, tokens, ends, vocabulary }
}

/// A class that is not made of a bare vocabulary.
const fn other(name: &'static str, ends: Marks, tokens: &'static str) -> Class {
    row(name, Vocabulary::Other, ends, tokens)
}

/// All classes whose special tokens are known.
pub static TABLE: [Class; 34] = [
    row("BertTokenizer", Vocabulary::Words, BERT, BRACKETS),
    row("DistilBertTokenizer", Vocabulary::Words, BERT, BRACKETS),
    row("ElectraTokenizer", Vocabulary::Words, BERT, BRACKETS),
    row("DPRQuestionEncoderTokenizer", Vocabulary::Words, BERT, BRACKETS),
    row("DPRContextEncoderTokenizer", Vocabulary::Words, BERT, BRACKETS),
    row(
        "MPNetTokenizer",
        Vocabulary::Words,
        ROBERTA,
        "bos <s> eos </s> unk [UNK] sep </s> cls <s> pad <pad> mask <mask>",
    ),
    row("GPT2Tokenizer", Vocabulary::Merges, None, END_OF_TEXT),
    other("GPTNeoXTokenizer", None, "unk <|endoftext|> bos <|endoftext|> eos <|endoftext|> pad <|padding|>"),
    row("RobertaTokenizer", Vocabulary::Merges, ROBERTA, ANGLES),
    row("BartTokenizer", Vocabulary::Merges, ROBERTA, ANGLES),
    other("XLMRobertaTokenizer", TWO, ANGLES),
    other("CamembertTokenizer", TWO, ANGLES),
    other("T5Tokenizer", Some((Ends::Last, "eos", "eos")), "eos </s> unk <unk> pad <pad>"),
    other("LlamaTokenizer", None, "bos <s> eos </s> unk <unk>"),
    other("GemmaTokenizer", None, "bos <bos> eos <eos> unk <unk> pad <pad> mask <mask>"),
    other("Qwen2Tokenizer", None, "eos <|endoftext|> unk <|endoftext|> pad <|endoftext|>"),
    other(
        "CLIPTokenizer",
        Some((Ends::Roberta, "bos", "eos")),
        "unk <|endoftext|> bos <|startoftext|> eos <|endoftext|> pad <|endoftext|>",
    ),
    other("AlbertTokenizer", None, "bos [CLS] eos [SEP] unk <unk> sep [SEP] pad <pad> cls [CLS] mask [MASK]"),
    other(
        "XLNetTokenizer",
        Some((Ends::Behind, "cls", "sep")),
        "bos <s> eos </s> unk <unk> sep <sep> pad <pad> cls <cls> mask <mask>",
    ),
    other(
        "DebertaV2Tokenizer",
        BERT,
        "unk [UNK] sep [SEP] pad [PAD] cls [CLS] mask [MASK] bos [CLS] eos [SEP]",
    ),
    other("WhisperTokenizer", None, END_OF_TEXT),
    // Of these the table tells nothing but the tokens: what stands round a text is in their files.
    other("BlenderbotTokenizer", None, ANGLES),
    other("CodeGenTokenizer", None, END_OF_TEXT),
    other(
        "CohereTokenizer",
        None,
        "bos <BOS_TOKEN> eos <|END_OF_TURN_TOKEN|> unk <UNK> sep <SEP> pad <PAD> cls <CLS> mask <MASK_TOKEN>",
    ),
    other(
        "DebertaTokenizer",
        None,
        "bos [CLS] eos [SEP] unk [UNK] sep [SEP] pad [PAD] cls [CLS] mask [MASK]",
    ),
    other("FunnelTokenizer", None, "bos <s> eos </s> unk <unk> sep <sep> pad <pad> cls <cls> mask <mask>"),
    other("HerbertTokenizer", None, "unk <unk> sep </s> pad <pad> cls <s> mask <mask>"),
    other("LayoutLMv2Tokenizer", None, BRACKETS),
    other("MarkupLMTokenizer", None, ANGLES),
    other("NougatTokenizer", None, "bos <s> eos </s> unk <unk> pad <pad>"),
    other("OpenAIGPTTokenizer", None, "unk <unk>"),
    other("Qwen3_5Tokenizer", None, "eos <|endoftext|> unk <|endoftext|> pad <|endoftext|>"),
    other("RoFormerTokenizer", None, BRACKETS),
    other("Siglip2Tokenizer", None, "bos <bos> eos <eos> unk <unk> pad <pad> mask <mask>"),
];

/// Names under which other libraries give out a class of another name, which is what counts.
pub static SAME: [(&str, &str); 9] = [
    ("ConvBertTokenizer", "BertTokenizer"),
    ("LayoutLMTokenizer", "BertTokenizer"),
    ("LxmertTokenizer", "BertTokenizer"),
    ("MobileBertTokenizer", "BertTokenizer"),
    ("SqueezeBertTokenizer", "BertTokenizer"),
    ("LEDTokenizer", "RobertaTokenizer"),
    ("LongformerTokenizer", "RobertaTokenizer"),
    ("MvpTokenizer", "RobertaTokenizer"),
    ("Phi3Tokenizer", "LlamaTokenizer"),
];

/// Classes of folders whose bare vocabulary is read as that of another class.
const READ_AS: [(&str, &str); 3] = [
    ("GPTNeoXTokenizer", "GPT2Tokenizer"),
    ("LayoutLMv2Tokenizer", "BertTokenizer"),
    ("OPTTokenizer", "GPT2Tokenizer"),
];

/// The class of a name, with and without `Fast`, that reads a bare vocabulary.
pub fn reading(name: &str) -> Option<&'static Class> {
    let mut plain = name.strip_suffix("Fast").unwrap_or(name);
    for (other, class) in SAME.iter().chain(&READ_AS) {
        if *other == plain {
            plain = class;
        }
    }
    TABLE.iter().find(|class| class.name == plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_marked_with_tokens_that_the_class_has() {
        for class in &TABLE {
            for (role, _) in class.tokens() {
                assert!(ROLES.contains(&role.as_str()), "{}: {role}", class.name);
            }
            if let Some((_, first, last)) = class.ends {
                for role in [first, last] {
                    assert!(class.token(&format!("{role}_token")).is_some(), "{}: {role}", class.name);
                }
            }
        }
        for (name, class) in SAME.into_iter().chain(READ_AS) {
            assert_eq!(reading(&format!("{name}Fast")).map(|class| class.name), Some(class));
        }
    }
}
