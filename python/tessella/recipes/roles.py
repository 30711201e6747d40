"""What the special tokens of the recipes are for, in the words of ``tokenizer_config.json``."""

from __future__ import annotations

_BERT = {
    "unk_token": "[UNK]",
    "sep_token": "[SEP]",
    "pad_token": "[PAD]",
    "cls_token": "[CLS]",
    "mask_token": "[MASK]",
}
_ALBERT = {**_BERT, "bos_token": "[CLS]", "eos_token": "[SEP]", "unk_token": "<unk>", "pad_token": "<pad>"}
_ENDS = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}
_ROBERTA = {
    **_ENDS,
    "sep_token": "</s>",
    "pad_token": "<pad>",
    "cls_token": "<s>",
    "mask_token": "<mask>",
}
_TEXT_ENDS = {"bos_token": "<|endoftext|>", "eos_token": "<|endoftext|>"}

#: By the name of the recipe.
ROLES: dict[str, dict[str, str]] = {
    "albert": _ALBERT,
    "bert-cased": _BERT,
    "bert-uncased": _BERT,
    "camembert": _ROBERTA,
    "cl100k": _TEXT_ENDS,
    "clip": {
        "bos_token": "<|startoftext|>",
        "eos_token": "<|endoftext|>",
        "unk_token": "<|endoftext|>",
        "pad_token": "<|endoftext|>",
    },
    "fnet": _ALBERT,
    "galactica": {**_ENDS, "pad_token": "<pad>"},
    "gpt2": {**_TEXT_ENDS, "unk_token": "<|endoftext|>"},
    "llama2": _ENDS,
    "llama3": {
        "bos_token": "<|begin_of_text|>",
        "eos_token": "<|end_of_text|>",
        "pad_token": "<|finetune_right_pad_id|>",
    },
    "o200k": _TEXT_ENDS,
    "roberta": _ROBERTA,
    "starcoder2": {**_TEXT_ENDS, "unk_token": "<|endoftext|>"},
    "t5": {"eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"},
    "transformer-xl": {"eos_token": "<eos>", "unk_token": "<unk>"},
    "xlnet": {**_ROBERTA, "sep_token": "<sep>", "cls_token": "<cls>"},
}
