"""Ids in every form, and texts of real tokenizers beside the reference library's, once the table of decoded texts is built."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import tessella
from tessella import Tokenizer, decoders, models, pre_tokenizers

from tests.conformance import texts

MODELS = texts.folder("TESSELLA_MODELS")


class Tensor:
    """What tensors of other libraries have in common: they give their memory to NumPy."""

    ndim = 1

    def __init__(self, values: list[int]) -> None:
        self.values = np.array(values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return self.values


def words() -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel({f"w{index}": index for index in range(300)}, unk_token="w0"))
    tokenizer.decoder = decoders.Fuse()
    return tokenizer


def test_ids_are_taken_in_every_form() -> None:
    tokenizer = words()
    ids = [3, 299, 7] * 50
    expected = "w3w299w7" * 50
    array = np.array(ids)
    forms = [
        ids,
        tuple(ids),
        iter(ids),
        [np.int64(id) for id in ids],
        array,
        array.astype(np.uint32),
        np.repeat(array, 2)[::2],
        np.array(ids, dtype=np.int16),
        Tensor(ids),
    ]
    for form in forms:
        assert tokenizer.decode(form) == expected, type(form)  # type: ignore[arg-type]


class Listed(list[int]):
    """A list that is read item by item."""


def test_plain_lists_are_read_as_others_are() -> None:
    chance = random.Random(4)
    tokenizer = words()
    odd: list[Any] = [
        0,
        299,
        300,
        2**30,
        2**31 - 1,
        2**31,
        2**32 - 1,
        2**32,
        -1,
        2**63,
        -(2**63),
        2**64,
        True,
        1.0,
    ]
    odd += [None, "1", np.int64(5), np.uint8(5)]
    for _ in range(300):
        ids: list[Any] = [chance.randrange(310) for _ in range(chance.randrange(40))]
        for _ in range(chance.randrange(3)):
            ids.insert(chance.randrange(len(ids) + 1), chance.choice(odd))
        found = []
        for form in (ids, Listed(ids)):
            try:
                found.append(tokenizer.decode(form))
            except (TypeError, OverflowError) as error:
                found.append(f"{type(error).__name__} {error}")
        assert found[0] == found[1], ids


def test_bytes_that_are_no_text_are_replaced_in_short_and_in_long_lists_alike() -> None:
    """Short lists become text by the interpreter's own rule for such bytes, long ones by the engine's."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({token: index for index, token in enumerate(alphabet)}, []))
    tokenizer.decoder = decoders.ByteLevel()
    rng = random.Random(5)
    # Bytes that begin or continue characters stand next to each other more often than by chance.
    high = [index for index, token in enumerate(alphabet) if tokenizer.decode_bytes([index]) >= b"\x80"]
    letter = tokenizer.token_to_id("A")
    lists = []
    while sum(map(len, lists)) <= 1 << 17:
        lists.append([*rng.choices(high, k=rng.randrange(1, 9)), letter])
    one = tokenizer.decode([index for ids in lists for index in ids])
    assert one == "".join(map(tokenizer.decode, lists))
    assert one.count("\ufffd") > 10_000 and one.count("A") >= len(lists)
    for broken, text in {
        b"\xf0\x9f\x92A": "\ufffdA",
        b"\xe2\x82\xe2\x82\xac": "\ufffd€",
        b"\xc0\xaf": "\ufffd" * 2,
        b"\xed\xa0\x80": "\ufffd" * 3,
        b"\xf4\x90\x80\x80": "\ufffd" * 4,
    }.items():
        ids = [next(i for i in range(256) if tokenizer.decode_bytes([i])[0] == byte) for byte in broken]
        assert tokenizer.decode(ids) == tokenizer.decode(np.array(ids)) == text


def test_batches_and_streams_give_what_single_calls_give() -> None:
    chance = random.Random(5)
    vocab = {chr(0x100 + n): n for n in range(68)} | {chr(n): n for n in range(161, 256)}
    tokenizer = Tokenizer(models.BPE(vocab, []))
    tokenizer.decoder = decoders.ByteLevel()
    for _ in range(30):
        lists = [[chance.randrange(270) for _ in range(chance.randrange(60))] for _ in range(20)]
        texts_of_lists = [tokenizer.decode(ids) for ids in lists]
        assert tokenizer.decode_batch(lists) == texts_of_lists
        assert tokenizer.decode_batch([np.array(ids, dtype=np.uint32) for ids in lists]) == texts_of_lists
        for ids, text in zip(lists, texts_of_lists, strict=True):
            stream = decoders.DecodeStream()
            parts = [stream.step(tokenizer, id) for id in ids] + [stream.flush(tokenizer)]
            assert "".join(part for part in parts if part) == text


@pytest.mark.parametrize("bad", [-1, 2**32, 2**70])
def test_an_id_out_of_range_is_named(bad: int) -> None:
    tokenizer = words()
    for form in ([1] * 9 + [bad], np.array([1] * 9 + [bad])):
        with pytest.raises(OverflowError, match=rf"ids\[9\].*{bad}"):
            tokenizer.decode(form)


@pytest.mark.skipif(not MODELS, reason="TESSELLA_MODELS names no folder")
@pytest.mark.parametrize("name", ["gpt2", "llama2", "bert-uncased", "xlnet_base_cased", "clip_base"])
def test_random_ids_of_real_files_are_the_reference_librarys_text(name: str) -> None:
    assert MODELS is not None
    path = MODELS / f"{name}.json"
    tokenizers = pytest.importorskip("tokenizers")
    ours, theirs = tessella.load(path), tokenizers.Tokenizer.from_file(str(path))
    choose = random.Random(5)
    size = theirs.get_vocab_size()
    ours.decode(list(range(min(size, 5000))))
    for _ in range(400):
        ids = [choose.randrange(size + 20) for _ in range(choose.choice([0, 1, 2, 9, 60]))]
        if choose.random() < 0.5:
            ids = [choose.choice([*ids, *range(3, 260)]) for _ in ids]
        for skip in (False, True):
            assert ours.decode(ids, skip_special_tokens=skip) == theirs.decode(
                ids, skip_special_tokens=skip
            ), ids
