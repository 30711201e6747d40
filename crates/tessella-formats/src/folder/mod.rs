//! Folders in which the `transformers` library keeps a tokenizer.
//!
//! `tokenizer.json` says all where it exists; else the tokenizer is built from `tokenizer.model`,
//! `tekken.json`, `vocab.json` with `merges.txt`, or `vocab.txt`. Beside it stand settings
//! (`tokenizer_config.json`, `special_tokens_map.json`, `added_tokens.json`) and chat templates, which are
//! handed on as they are.

mod bare;
mod beside;
mod read;
mod write;

pub use read::{LoadedFolder, load};
pub use write::{Extras, save};

/// Files that are a whole tokenizer, the first of them that is there. Between the two of the engine stand the names that the
/// library gives to SentencePiece models, the usual one first.
pub const WHOLE: [&str; 7] = [
    "tokenizer.json",
    "tokenizer.model",
    "spiece.model",
    "sentencepiece.bpe.model",
    "spm.model",
    "sentencepiece.model",
    "tekken.json",
];

const VOCAB_JSON: &str = "vocab.json";
const MERGES: &str = "merges.txt";
const VOCAB_TXT: &str = "vocab.txt";
/// The files of bare vocabularies; the second one belongs to the first.
pub const BARE: [&str; 3] = [VOCAB_JSON, MERGES, VOCAB_TXT];

const CONFIG: &str = "tokenizer_config.json";
const SPECIAL_TOKENS_MAP: &str = "special_tokens_map.json";
const ADDED_TOKENS: &str = "added_tokens.json";
/// The settings of the model that the tokenizer belongs to.
const MODEL: &str = "config.json";
/// The files of settings; newer folders hold the first one only.
pub const SETTINGS: [&str; 3] = [CONFIG, SPECIAL_TOKENS_MAP, ADDED_TOKENS];

/// The default chat template, and the folder of further ones.
pub const TEMPLATE: &str = "chat_template.jinja";
/// The folder of further ones, each in a file of its name.
pub const TEMPLATES: &str = "additional_chat_templates";
/// Where older folders keep the default one.
pub const OLD_TEMPLATE: &str = "chat_template.json";

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::{Path, PathBuf};

    use crate::atomic;
    use crate::detect::{Format, load_path};
    use crate::formats::LoadOptions;
    use tessella_core::Result;
    use tessella_core::spec::{NormalizerSpec, PostProcessorSpec};

    fn fresh(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("tessella-folder-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn load_plain(folder: &Path) -> Result<LoadedFolder> {
        load(folder, &LoadOptions::default())
    }

    #[test]
    fn a_bare_vocabulary_becomes_a_saved_tokenizer() {
        let folder = fresh("bert");
        atomic::write(&folder.join("vocab.txt"), "[PAD]\n[UNK]\n[CLS]\n[SEP]\nfoo\n##bar\n".as_bytes())
            .unwrap();
        let config = br#"{"do_lower_case": false, "chat_template": [{"name": "default", "template": "D"}, {"name": "t", "template": "T"}]}"#;
        atomic::write(&folder.join("tokenizer_config.json"), config).unwrap();
        let loaded = load_plain(&folder).unwrap();
        assert!(matches!(loaded.spec.normalizer, Some(NormalizerSpec::Bert { lowercase: false, .. })));
        assert!(
            matches!(&loaded.spec.post_processor, Some(PostProcessorSpec::Bert { cls, .. }) if cls.1 == 2)
        );
        assert_eq!(loaded.chat_template.as_deref(), Some("D"));
        assert_eq!(loaded.chat_templates, [("t".to_string(), "T".to_string())]);

        let copy = folder.join("copy");
        let extras =
            Extras { config: loaded.config.clone(), chat_template: Some("X".into()), ..Extras::default() };
        let files = save(&copy, &loaded.spec, &extras).unwrap();
        assert_eq!(files.len(), 3);
        let again = load_path(&copy, &LoadOptions::default()).unwrap();
        assert_eq!(again.format, Format::Folder);
        assert_eq!(again.folder.unwrap().chat_template.as_deref(), Some("X"));
        assert_eq!(crate::fingerprint(&again.spec).unwrap(), crate::fingerprint(&loaded.spec).unwrap());
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn merges_need_a_class_that_is_known() {
        let folder = fresh("bpe");
        atomic::write(&folder.join("vocab.json"), br#"{"a":0,"b":1,"ab":2,"<s>":3,"</s>":4}"#).unwrap();
        atomic::write(&folder.join("merges.txt"), b"#version: 0.2\na b\n").unwrap();
        assert!(load_plain(&folder).is_ok());
        atomic::write(
            &folder.join("tokenizer_config.json"),
            br#"{"tokenizer_class": "RobertaTokenizerFast"}"#,
        )
        .unwrap();
        assert!(matches!(
            load_plain(&folder).unwrap().spec.post_processor,
            Some(PostProcessorSpec::Roberta { .. })
        ));
        atomic::write(&folder.join("tokenizer_config.json"), br#"{"tokenizer_class": "OddTokenizer"}"#)
            .unwrap();
        assert!(load_plain(&folder).unwrap_err().message().contains("OddTokenizer"));
        let empty = folder.join("empty");
        std::fs::create_dir(&empty).unwrap();
        assert!(load_plain(&empty).unwrap_err().message().contains("vocab.txt"));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
