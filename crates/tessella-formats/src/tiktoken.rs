//! tiktoken
use tessella_core::spec::{BpeSpec, Merges, Vocab};

pub(crate) fn concat_rank_bpe(vocab: Vocab) -> BpeSpec {
    BpeSpec {
        vocab: std::sync::Arc::new(vocab),
        merges: Merges::ConcatRank,
        dropout: None,
        unk_token: None,
        continuing_subword_prefix: None,
        end_of_word_suffix: None,
        fuse_unk: false,
        byte_fallback: false,
        ignore_merges: true,
    }
}
