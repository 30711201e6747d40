"""Short texts are remembered whole: what comes out depends on the text, the tokenizer and the call alone."""

from __future__ import annotations

import copy
import os
import random
import subprocess
import sys

import numpy as np
import pytest
from tessella import AddedToken, Tokenizer, models, normalizers, pre_tokenizers, processors

from tests.conformance import texts

MODELS = texts.folder("TESSELLA_MODELS")


def small() -> Tokenizer:
    """A byte-level tokenizer with two merges and a special token."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: index for index, token in enumerate([*alphabet, "ab", "abab"])}
    tokenizer = Tokenizer(models.BPE(vocabulary, [("a", "b"), ("ab", "ab")]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.add_special_tokens(["<s>"])
    return tokenizer


def checked(tokenizer: Tokenizer, text: str, add: bool, as_text: bool) -> None:
    """The ids of a text by all ways are those of its whole encoding."""
    wanted = tokenizer.encode(text, add_special_tokens=add, encode_special_tokens=as_text).ids
    for _ in range(2):
        ids = tokenizer.encode_ids(text, add, encode_special_tokens=as_text)
        assert ids.tolist() == wanted, (text, add, as_text)
        assert ids.dtype == np.uint32
        # What was given away is the caller's.
        ids[:] = 7
        assert tokenizer.count(text, add, encode_special_tokens=as_text) == len(wanted)
    (batch,) = tokenizer.encode_ids_batch([text], add, encode_special_tokens=as_text)
    assert batch.tolist() == wanted


def test_what_is_remembered_is_the_tokenizers_own() -> None:
    chance = random.Random(8)
    tokenizer = small()
    changes = [
        lambda: tokenizer.add_tokens([chance.choice(["b", "aba", " a", "é"])]),
        lambda: tokenizer.add_tokens([AddedToken("bb", lstrip=True, single_word=True)]),
        lambda: setattr(tokenizer, "normalizer", chance.choice([None, normalizers.Lowercase()])),
        lambda: setattr(
            tokenizer, "pre_tokenizer", pre_tokenizers.ByteLevel(add_prefix_space=chance.random() < 0.5)
        ),
        lambda: setattr(
            tokenizer,
            "post_processor",
            chance.choice(
                [None, processors.TemplateProcessing(single="<s> $0 <s>", special_tokens=[("<s>", 258)])]
            ),
        ),
        lambda: setattr(tokenizer, "encode_special_tokens", chance.random() < 0.5),
        tokenizer.clear_cache,
    ]
    parts = ["a", "b", "ab", "A", " ", "<s>", "é", "\0", "😀"]
    known = ["".join(chance.choices(parts, k=chance.randrange(9))) for _ in range(40)]
    for _ in range(60):
        for text in chance.choices(known, k=25):
            checked(tokenizer, text, chance.random() < 0.5, chance.random() < 0.5)
            own = tokenizer.encode_special_tokens
            assert (
                tokenizer.encode_ids(text).tolist() == tokenizer.encode(text, encode_special_tokens=own).ids
            )
        chance.choice(changes)()


def test_two_tokenizers_of_one_model_do_not_share_texts() -> None:
    first, second = small(), small()
    second.model = first.model
    second.add_tokens(["ab"])
    third = copy.copy(first)
    third.add_tokens(["bab"])
    for text in ["ab", "abab", "a", "bab", "ab" * 8, "ab" * 9] * 3:
        for tokenizer in (first, second, third):
            checked(tokenizer, text, True, False)


def test_dropout_is_never_remembered() -> None:
    tokenizer = small()
    tokenizer.model = models.BPE(tokenizer.get_vocab(), [("a", "b"), ("ab", "ab")], dropout=0.5)
    assert len({tuple(tokenizer.encode_ids("abab")) for _ in range(200)}) > 1


SHORT = """
import random, sys, tessella
tokenizer = tessella.load(sys.argv[1])
chance = random.Random(3)
text = "The quick (brown) fox's 12 jumps\\n\\tover naïve 东京 <|endoftext|> [MASK] </s> ▁x don't e\\u0301 😀 "
known = [text[at : at + chance.randrange(1, 14)] for at in (chance.randrange(len(text)) for _ in range(500))]
print([tokenizer.encode_ids(one, chance.random() < 0.5).tolist() for one in chance.choices(known, k=4000)])
"""


@pytest.mark.skipif(not MODELS, reason="TESSELLA_MODELS names no folder")
@pytest.mark.parametrize(
    "name",
    [
        "gpt2.json",
        "cl100k_base.tiktoken",
        "bert-uncased.json",
        "llama2.json",
        "nai-t5.model",
        "xlnet_base_cased.json",
    ],
)
def test_short_texts_of_real_files_are_those_of_the_slow_twin(name: str) -> None:
    assert MODELS is not None
    found = {
        lanes: subprocess.run(
            [sys.executable, "-c", SHORT, str(MODELS / name)],
            env={**os.environ, "TESSELLA_LANES": lanes},
            capture_output=True,
            check=True,
            timeout=600,
        ).stdout
        for lanes in ("off", "at-once", "")
    }
    assert len(set(found.values())) == 1
