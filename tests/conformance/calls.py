"""Calls of tokenizers with settings, compared with `PreTrainedTokenizerFast` of the transformers library.

    TESSELLA_MODELS=… python -m tests.conformance.calls [--part 0.1] [--only NAME]

The matrix crosses every way of asking for padding, truncation, windows, pairs, words and tensors. Each case compares all
columns, their order and types; every seventh also all look-ups.
"""

from __future__ import annotations

import argparse
import itertools
import random
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.conformance import texts

BERT = {
    "unk_token": "[UNK]",
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "pad_token": "[PAD]",
    "mask_token": "[MASK]",
}
#: Files, and settings that the transformers library would find beside them.
SETTINGS: dict[str, dict[str, Any]] = {
    "bert-base-cased.json": BERT,
    "bert-uncased.json": {**BERT, "padding_side": "left"},
    "gpt2.json": {"pad_token": "<|endoftext|>", "truncation_side": "left"},
    "llama2.json": {"bos_token": "<s>", "pad_token": "<unk>", "padding_side": "left", "model_max_length": 9},
    "xlnet_base_cased.json": {"pad_token": "<pad>", "padding_side": "left"},
    "modernbert.json": {"pad_token": "[PAD]", "cls_token": "[CLS]", "model_max_length": 12},
    "minilm.json": {},
    "clip_base.json": {"pad_token": "<|endoftext|>"},
}

FIRST = [
    "Hello there, my naïve friend!",
    "",
    "short 日本語 text 🙂",
    "a much longer text that goes on and on: does it not? Yes it does.\n\tok",
]
SECOND = ["A question?", "why", "", "what is the reason for all of this then"]

AXES: dict[str, list[Any]] = {
    "input": ["one", "batch", "one pair", "batch of pairs"],
    "words": [False, True],
    "padding": [False, True, "max_length", "longest"],
    "truncation": [None, True, "only_first", "only_second", False],
    "max_length": [None, 8, 14],
    "stride": [0, 2],
    "overflow": [False, True],
    "tensors": [None, "np", "pt"],
    "more": [
        {},
        {
            "return_token_type_ids": True,
            "return_special_tokens_mask": True,
            "return_offsets_mapping": True,
            "return_length": True,
        },
        {"pad_to_multiple_of": 4, "padding_side": "left"},
        {"add_special_tokens": False, "return_attention_mask": False},
    ],
}
# The reference panics where this library raises; a panic is no `Exception`.
ANYTHING = BaseException


def matrix(tensors: list[Any] | None = None) -> Iterator[dict[str, Any]]:
    axes = AXES if tensors is None else {**AXES, "tensors": tensors}
    for values in itertools.product(*axes.values()):
        yield dict(zip(axes, values, strict=True))


def arguments(case: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    first: list[Any] = FIRST
    second: list[Any] = SECOND
    if case["words"]:
        first, second = [text.split() for text in first], [text.split() for text in second]
    positional = {
        "one": (first[0],),
        "batch": (first,),
        "one pair": (first[3], second[0]),
        "batch of pairs": (first, second),
    }[case["input"]]
    named = {name: case[name] for name in ("padding", "truncation", "max_length", "stride")}
    named |= {
        "return_overflowing_tokens": case["overflow"],
        "is_split_into_words": case["words"],
        "return_tensors": case["tensors"],
        **case["more"],
    }
    return positional, named


def _comparable(value: Any) -> Any:
    """Plain lists, with the kind and type of the array that they were in."""
    if hasattr(value, "tolist"):
        return type(value).__module__, str(value.dtype), _comparable(value.tolist())
    return [_comparable(one) for one in value] if isinstance(value, list) else value


def _called(tokenizer: Any, case: dict[str, Any]) -> Any:
    positional, named = arguments(case)
    try:
        return tokenizer(*positional, **named)
    except KeyboardInterrupt:
        raise
    except ANYTHING as error:
        return error


def _lookups(batch: Any) -> list[Any]:
    found = []
    for row, encoding in enumerate(batch.encodings):
        places = range(len(encoding.ids))
        found.append(
            [
                batch.tokens(row),
                batch.word_ids(row),
                batch.sequence_ids(row),
                [batch.token_to_chars(row, place) for place in places],
                [batch.token_to_word(row, place) for place in places],
                [batch.token_to_sequence(row, place) for place in places],
                [batch.char_to_token(row, char) for char in range(12)],
                [batch.char_to_word(row, char) for char in range(12)],
                [batch.word_to_tokens(row, word) for word in range(4)],
                # The reference's own method fails for words that are not there.
                [encoding.word_to_chars(word, 0) for word in range(4)],
            ]
        )
    return found


def _same_but_window_types(found: Any, expected: Any) -> bool:
    """Whether only the type ids of windows differ: ours carry the template's (docs/differences.md, 5)."""
    samples = [int(sample) for sample in found.get("overflow_to_sample_mapping", ())]
    firsts = [place for place, sample in enumerate(samples) if place == 0 or sample != samples[place - 1]]
    odd = [key for key in found.data if _comparable(found.data[key]) != _comparable(expected.data.get(key))]
    return (
        odd == ["token_type_ids"]
        and len(samples) > len(firsts)
        and all(found.encodings[row].type_ids == expected.encodings[row].type_ids for row in firsts)
    )


def compare(ours: Any, theirs: Any, case: dict[str, Any], lookups: bool = False) -> str:
    """What came of a case: ``same``, ``both raise``, ``window types``, or what differs."""
    found, expected = _called(ours, case), _called(theirs, case)
    if isinstance(found, ANYTHING) or isinstance(expected, ANYTHING):
        if isinstance(found, ANYTHING) and isinstance(expected, ANYTHING):
            return "both raise"
        return f"one raises: {found!r} and {expected!r}"
    if list(found) != list(expected):
        return f"columns: {list(found)} and {list(expected)}"
    if _comparable(list(found.data.values())) != _comparable(list(expected.data.values())):
        if _same_but_window_types(found, expected):
            return "window types"
        return f"values: {found.data} and {expected.data}"
    if lookups and _lookups(found) != _lookups(expected):
        return "look-ups"
    return "same"


def pair(path: Path, settings: dict[str, Any]) -> tuple[Any, Any]:
    """Our tokenizer and theirs, of the same file and settings."""
    from tessella.batch import PretrainedTokenizer
    from transformers import PreTrainedTokenizerFast

    theirs = PreTrainedTokenizerFast(tokenizer_file=str(path), **settings)
    return PretrainedTokenizer(tokenizer_file=path, **settings), theirs


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="only files whose name contains this")
    parser.add_argument("--part", type=float, default=1.0, help="which part of the cases to run")
    options = parser.parse_args()
    models = texts.needed("TESSELLA_MODELS")
    warnings.simplefilter("ignore")
    chosen = random.Random(0)
    cases = mismatches = 0
    for name, settings in SETTINGS.items():
        path = models / name
        if options.only not in name or not path.exists():
            continue
        ours, theirs = pair(path, settings)
        started = time.perf_counter()
        outcomes: Counter[str] = Counter()
        for number, case in enumerate(matrix()):
            if chosen.random() >= options.part:
                continue
            outcome = compare(ours, theirs, case, number % 7 == 0)
            outcomes[outcome.partition(":")[0]] += 1
            if outcome not in ("same", "both raise", "window types"):
                mismatches += 1
                print(f"{name} {case}: {outcome}"[:2000])
        cases += outcomes.total()
        print(f"{name}: {dict(outcomes)}, {time.perf_counter() - started:.0f} s", flush=True)
    print(f"{cases} cases, {mismatches} mismatches")
    return 1 if mismatches or not cases else 0


if __name__ == "__main__":
    raise SystemExit(main())
