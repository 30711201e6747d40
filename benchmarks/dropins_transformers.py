"""`tessella.AutoTokenizer` beside transformers' tokenizers: `python -m benchmarks.dropins_transformers`.

Both load the same folder, made of a `tokenizer.json` of `TESSELLA_MODELS` and the settings below, and are called with the same texts
(`TESSELLA_CORPORA`): a thousand of 100 characters, and fifty of about 5 kB where it says so. How it is measured, `dropins` says.
"""

from __future__ import annotations

import argparse
import json
import pickle
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.dropins import TURNS, Call, english, show
from tests.conformance import texts

#: The class and the special tokens of a file.
SETTINGS: dict[str, dict[str, Any]] = {
    "bert-uncased": {
        "tokenizer_class": "BertTokenizerFast",
        "unk_token": "[UNK]",
        "sep_token": "[SEP]",
        "pad_token": "[PAD]",
        "cls_token": "[CLS]",
        "mask_token": "[MASK]",
    },
    "gpt2": {
        "tokenizer_class": "GPT2TokenizerFast",
        "unk_token": "<|endoftext|>",
        "bos_token": "<|endoftext|>",
        "eos_token": "<|endoftext|>",
        "pad_token": "<|endoftext|>",
    },
    "llama2": {
        "tokenizer_class": "LlamaTokenizerFast",
        "unk_token": "<unk>",
        "bos_token": "<s>",
        "eos_token": "</s>",
        "pad_token": "</s>",
    },
}
TEMPLATE = "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}\n{% endfor %}"


def folder_of(file: Path, folder: Path) -> Path:
    """A folder as a model has it."""
    shutil.copy(file, folder / "tokenizer.json")
    settings = {"model_max_length": 512, "clean_up_tokenization_spaces": False, **SETTINGS[file.stem]}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    return folder


def both(folder: Path) -> tuple[Any, Any]:
    """The tokenizer of each library."""
    import tessella
    import transformers

    transformers.logging.set_verbosity_error()
    warnings.simplefilter("ignore")
    pair = tessella.AutoTokenizer.from_pretrained(folder), transformers.AutoTokenizer.from_pretrained(folder)
    for one in pair:
        one.chat_template = TEMPLATE
    return pair


def calls_of(folder: Path) -> list[Call]:
    """Each call, of both."""
    mine, real = both(folder)
    calls: list[Call] = []

    def add(name: str, call: Callable[..., Any], of: Callable[[Any], Any] | None = None) -> None:
        """A call of the tokenizer, or of what it made for `of`."""
        a, b = (mine, real) if of is None else (of(mine), of(real))
        calls.append((name, lambda: call(a), lambda: call(b)))

    short, long = english(1000, 100), english(50, 5000)
    words = [text.split() for text in short]
    single_calls(add, short)
    batches(add, short, long, words)
    look_ups(add, real, long)
    conversions(add, real, short, long)
    chats = [
        [{"role": "user", "content": text}, {"role": "assistant", "content": text}] for text in short[:200]
    ]
    add(
        "apply_chat_template, text", lambda k: [k.apply_chat_template(chat, tokenize=False) for chat in chats]
    )
    add("apply_chat_template, ids", lambda k: [k.apply_chat_template(chat)["input_ids"] for chat in chats])
    return calls


def single_calls(add: Callable[..., None], short: list[str]) -> None:
    """One text a call, with what calls are told."""
    add("call", lambda k: [k(text) for text in short])
    add("call, truncation", lambda k: [k(text, truncation=True, max_length=16) for text in short])
    add(
        "call, padding to max_length",
        lambda k: [k(text, padding="max_length", max_length=64, truncation=True) for text in short],
    )
    add(
        "call, offsets, mask, length",
        lambda k: [
            k(text, return_offsets_mapping=True, return_special_tokens_mask=True, return_length=True)
            for text in short
        ],
    )
    add("call, arrays", lambda k: [k(text, return_tensors="np") for text in short])
    add("call, pair", lambda k: [k(text, "And what of it?") for text in short])
    add("encode", lambda k: [k.encode(text) for text in short])
    add("tokenize", lambda k: [k.tokenize(text) for text in short])


def batches(add: Callable[..., None], short: list[str], long: list[str], words: list[list[str]]) -> None:
    """Many texts a call, as `datasets` hands them over."""
    add("batch", lambda k: k(short))
    add("batch, long", lambda k: k(long))
    add(
        "batch, padding, truncation, arrays",
        lambda k: k(short, padding=True, truncation=True, max_length=32, return_tensors="np"),
    )
    add("batch, offsets, long", lambda k: k(long, return_offsets_mapping=True))
    add(
        "batch, windows, long",
        lambda k: k(
            long,
            truncation=True,
            max_length=128,
            stride=32,
            return_overflowing_tokens=True,
            return_offsets_mapping=True,
        ),
    )
    add(
        "batch, words",
        lambda k: [(b := k(words, is_split_into_words=True)), *map(b.word_ids, range(len(words)))][1:],
    )
    add("pickle of a batch", lambda b: pickle.loads(pickle.dumps(b))["input_ids"], lambda k: k(short))


def look_ups(add: Callable[..., None], real: Any, long: list[str]) -> None:
    """What a batch is asked."""
    asked = real(long[:20])
    rows, places = range(20), range(0, 1000, 3)
    # Of a word that is not there, transformers has no span to give.
    words = [range(max(number for number in asked.word_ids(row) if number is not None) + 1) for row in rows]

    def batch(k: Any) -> Any:
        return k(long[:20])

    def look(b: Any, name: str) -> list[Any]:
        method = getattr(b, name)
        if name.startswith("word"):
            return [method(row, word) for row in rows for word in words[row]]
        return [method(row, place) for row in rows for place in places]

    for name in (
        "char_to_token",
        "token_to_chars",
        "token_to_word",
        "char_to_word",
        "word_to_tokens",
        "word_to_chars",
    ):
        add(name, lambda b, name=name: look(b, name), batch)
    add("tokens(row)", lambda b: [b.tokens(row) for row in rows], batch)
    add("word_ids(row)", lambda b: [b.word_ids(row) for row in rows], batch)
    add("sequence_ids(row)", lambda b: [b.sequence_ids(row) for row in rows], batch)


def conversions(add: Callable[..., None], real: Any, short: list[str], long: list[str]) -> None:
    """Ids, tokens and texts; padding; the tokens that have roles."""
    ids, many = real(short)["input_ids"], real(long)["input_ids"]
    tokens, array = (
        [real.convert_ids_to_tokens(one) for one in many],
        real(short, padding=True, return_tensors="np"),
    )
    again = range(1000)
    add("decode", lambda k: [k.decode(one, skip_special_tokens=True) for one in ids])
    add("decode, clean_up", lambda k: [k.decode(one, clean_up_tokenization_spaces=True) for one in ids])
    add("batch_decode", lambda k: k.batch_decode(ids, skip_special_tokens=True))
    add("batch_decode, long", lambda k: k.batch_decode(many))
    add("batch_decode, array", lambda k: k.batch_decode(array["input_ids"], skip_special_tokens=True))
    add("convert_ids_to_tokens", lambda k: [k.convert_ids_to_tokens(one) for one in many])
    add(
        "convert_ids_to_tokens, skipping",
        lambda k: [k.convert_ids_to_tokens(one, skip_special_tokens=True) for one in many],
    )
    add("convert_tokens_to_ids", lambda k: [k.convert_tokens_to_ids(one) for one in tokens])
    add("convert_tokens_to_string", lambda k: [k.convert_tokens_to_string(one) for one in tokens])
    listed = [{"input_ids": one, "attention_mask": [1] * len(one)} for one in ids]
    add("pad, rows", lambda k: k.pad([dict(row) for row in listed], padding=True))
    add("pad, columns, arrays", lambda k: k.pad({"input_ids": ids}, padding=True, return_tensors="np"))
    add(
        "get_special_tokens_mask",
        lambda k: [k.get_special_tokens_mask(one, already_has_special_tokens=True) for one in ids],
    )
    add("pad_token_id, unk_token", lambda k: [(k.pad_token_id, k.unk_token) for _ in again])
    add(
        "all_special_ids, all_special_tokens",
        lambda k: [(sorted(k.all_special_ids), sorted(k.all_special_tokens)) for _ in again],
    )
    add("len, vocab_size", lambda k: [(len(k), k.vocab_size) for _ in again])
    add("get_vocab", lambda k: k.get_vocab())
    add("pickle", lambda k: len(pickle.loads(pickle.dumps(k))))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", default=",".join(SETTINGS))
    parser.add_argument("--turns", type=int, default=TURNS)
    arguments = parser.parse_args()
    models, status = texts.needed("TESSELLA_MODELS"), 0
    for name in arguments.files.split(","):
        with tempfile.TemporaryDirectory() as folder:
            calls = calls_of(folder_of(models / f"{name}.json", Path(folder)))
            status |= show(name, "transformers", calls, arguments.turns)
    return status


if __name__ == "__main__":
    sys.exit(main())
