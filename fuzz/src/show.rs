//! A tokenizer on a few lines, for the message of a failure.

use tessella_core::spec::{Merges, ModelSpec, TokenizerSpec};

/// What a person needs to build the tokenizer again.
pub fn show(spec: &TokenizerSpec) -> String {
    let mut entries = Vec::new();
    spec.model.for_each_entry(|text, id| {
        // The bytes and the alphabet fill pages and tell nothing.
        if !(text.starts_with("<0x") && text.ends_with('>')) {
            entries.push(format!("{text:?}:{id}"));
        }
    });
    if entries.len() > 200 {
        entries.drain(..200);
    }
    let model = match &spec.model {
        ModelSpec::Bpe(bpe) => {
            let text = |id: u32| bpe.vocab.text(id).unwrap_or("?");
            let merges: Vec<String> = match &bpe.merges {
                Merges::Pairs(pairs) => pairs
                    .iter()
                    .map(|(left, right)| format!("{:?}+{:?}", text(*left), text(*right)))
                    .collect(),
                Merges::ConcatRank => vec!["by rank".to_string()],
            };
            format!(
                "BPE merges {} unk {:?} prefix {:?} suffix {:?} fuse {} fallback {} whole {}",
                merges.join(" "),
                bpe.unk_token,
                bpe.continuing_subword_prefix,
                bpe.end_of_word_suffix,
                bpe.fuse_unk,
                bpe.byte_fallback,
                bpe.ignore_merges
            )
        }
        ModelSpec::WordPiece(model) => format!(
            "WordPiece unk {:?} prefix {:?} longest {}",
            model.unk_token, model.continuing_subword_prefix, model.max_input_chars_per_word
        ),
        ModelSpec::WordLevel(model) => format!("WordLevel unk {:?}", model.unk_token),
        ModelSpec::Unigram(model) => {
            format!("Unigram unk {:?} fallback {} {:?}", model.unk_id, model.byte_fallback, model.vocab)
        }
        ModelSpec::SentencePiece(model) => format!("SentencePiece {:?}", model.kind),
    };
    format!(
        "\n  added {:?}\n  normalizer {:?}\n  pre-tokenizer {:?}\n  {model}\n  vocabulary {}\n  post {:?}",
        spec.added_tokens,
        spec.normalizer,
        spec.pre_tokenizer,
        entries.join(" "),
        spec.post_processor.is_some()
    )
}
