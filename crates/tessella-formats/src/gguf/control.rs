//! Tokens that llama.cpp takes for control tokens because of their text, whatever their type.

use tessella_core::spec::PieceKind;

/// Ends of turns and texts, and the marks for filling in the middle.
const CONTROL: [&str; 57] = [
    "<|eot_id|>",
    "<|im_end|>",
    "<|end|>",
    "<end_of_turn>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<EOT>",
    "_<EOT>",
    "[EOT]",
    "<｜end▁of▁sentence｜>",
    "<end_of_utterance>",
    "<|eom_id|>",
    "<|fim_prefix|>",
    "<fim-prefix>",
    "<fim_prefix>",
    "<｜fim▁begin｜>",
    "<PRE>",
    "▁<PRE>",
    "<|code_prefix|>",
    "<|prefix|>",
    "<|fim_suffix|>",
    "<fim-suffix>",
    "<fim_suffix>",
    "<｜fim▁hole｜>",
    "<SUF>",
    "▁<SUF>",
    "<|code_suffix|>",
    "<|suffix|>",
    "<|fim_middle|>",
    "<fim-middle>",
    "<fim_middle>",
    "<｜fim▁end｜>",
    "<MID>",
    "▁<MID>",
    "<|code_middle|>",
    "<|middle|>",
    "<|fim_pad|>",
    "<fim-pad>",
    "<fim_pad>",
    "<PAD>",
    "[PAD]",
    "<|fim_repo|>",
    "<|repo_name|>",
    "<fim-repo>",
    "<REPO>",
    "<reponame>",
    "<|file_sep|>",
    "<|return|>",
    "<|call|>",
    "<|flush|>",
    "<|calls|>",
    "</s>",
    "[EOS]",
    "<eos>",
    "<turn|>",
    "<|tool_response>",
    "[e~[",
];

/// Where one of the first is there, the second is an ordinary token.
const ORDINARY: [(&str, &str); 2] = [("<|tool_response>", "</s>"), ("<|plamo:eos|>", "</s>")];

/// Gives tokens the kind that their texts mean.
pub(super) fn by_text(texts: &[String], kinds: &mut [PieceKind]) {
    let has = |wanted: &str| texts.iter().any(|text| text == wanted);
    for (text, kind) in texts.iter().zip(kinds) {
        let text = text.as_str();
        if let Some((_, _)) = ORDINARY.iter().find(|(mark, ordinary)| *ordinary == text && has(mark)) {
            *kind = PieceKind::Normal;
        } else if matches!(kind, PieceKind::Normal | PieceKind::UserDefined) && CONTROL.contains(&text) {
            *kind = PieceKind::Control;
        }
    }
}
