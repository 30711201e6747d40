//! What a training leaves of the tokenizer that was there.

use tessella_core::spec::ModelSpec;

/// What training leaves of the model that was there: the settings that are not learned.
pub fn replace_trained(old: &ModelSpec, new: ModelSpec) -> ModelSpec {
    match (old, new) {
        (ModelSpec::Bpe(old), ModelSpec::Bpe(mut new)) => {
            new.dropout = old.dropout;
            new.unk_token = old.unk_token.clone();
            new.fuse_unk = old.fuse_unk;
            new.byte_fallback = old.byte_fallback;
            new.ignore_merges = old.ignore_merges;
            ModelSpec::Bpe(new)
        }
        (ModelSpec::WordPiece(old), ModelSpec::WordPiece(mut new)) => {
            new.unk_token = old.unk_token.clone();
            new.max_input_chars_per_word = old.max_input_chars_per_word;
            ModelSpec::WordPiece(new)
        }
        (ModelSpec::WordLevel(old), ModelSpec::WordLevel(mut new)) => {
            new.unk_token = old.unk_token.clone();
            ModelSpec::WordLevel(new)
        }
        (ModelSpec::Unigram(old), ModelSpec::Unigram(mut new)) => {
            new.byte_fallback = old.byte_fallback;
            new.alpha = old.alpha;
            new.nbest_size = old.nbest_size;
            ModelSpec::Unigram(new)
        }
        (_, new) => new,
    }
}
