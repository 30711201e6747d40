"""Ids in every form, and texts of real tokenizers beside the reference library's, once the table of decoded texts is built."""

from __future__ import annotations

import random
import sys
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


class Afar(Tensor):
    """A tensor in the memory of another device: NumPy is refused, the numbers are told."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        raise TypeError("what lies on another device has to be copied first")

    def __iter__(self) -> Any:
        raise AssertionError("number by number, each would be fetched alone")

    def tolist(self) -> list[int]:
        return list(self.values.tolist())


def words() -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel({f"w{index}": index for index in range(300)}, unk_token="w0"))
    tokenizer.decoder = decoders.Fuse()
    return tokenizer


def spelled() -> tuple[Tokenizer, dict[int, int]]:
    """A tokenizer of single bytes, and the id of each byte."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({token: index for index, token in enumerate(alphabet)}, []))
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer, {tokenizer.decode_bytes([index])[0]: index for index in range(len(alphabet))}


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
        Afar(ids),
    ]
    for form in forms:
        assert tokenizer.decode(form) == expected, type(form)  # type: ignore[arg-type]


def test_what_numpy_cannot_read_is_named_by_who_refused() -> None:
    broken = Afar([3])
    broken.tolist = None  # type: ignore[method-assign, assignment]
    for value in (Afar([3, -1]), Afar([3, 1 << 40])):
        with pytest.raises(OverflowError, match="from 0 to"):
            words().decode(value)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        words().decode(broken)  # type: ignore[arg-type]


@pytest.mark.parametrize("number", ["u4", "i8"])
@pytest.mark.parametrize("between", [1, 2, 3, 4, 8, 13])
def test_ids_that_are_a_field_of_packed_rows_are_read_where_they_lie(number: str, between: int) -> None:
    tokenizer = words()
    rows = np.zeros(5, [("other", f"V{between}"), ("id", number)])
    rows["id"] = ids = [3, 299, 7, 0, 8]
    field = rows["id"]
    expected = "w3w299w7w0w8"
    assert tokenizer.decode(field) == expected
    assert tokenizer.decode(field[::-1]) == tokenizer.decode(ids[::-1])
    assert tokenizer.decode_bytes(field) == expected.encode()
    assert tokenizer.decode_batch([field, field[1:2]]) == [expected, "w299"]
    apart = np.frombuffer(bytes(between) + np.array(ids, number).tobytes(), number, offset=between)
    assert tokenizer.decode(apart) == expected


class Listed(list[int]):
    """A list that is read item by item."""


def test_plain_lists_are_read_as_others_are() -> None:
    chance = random.Random(4)
    tokenizer = words()
    odd: list[Any] = [
        0,
        299,
        300,
        2**15,
        2**30 - 1,
        2**30,
        2**30 + 5,
        -(2**30),
        2**60 + 5,
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
        # Of long lists what is read later is asked for before.
        most = chance.choice([40, 40, 700])
        ids: list[Any] = [chance.randrange(310) for _ in range(chance.randrange(most))]
        for _ in range(chance.randrange(3)):
            ids.insert(chance.randrange(len(ids) + 1), chance.choice(odd))
        found = []
        for form in (ids, Listed(ids)):
            try:
                found.append(tokenizer.decode(form))
            except (TypeError, OverflowError) as error:
                found.append(f"{type(error).__name__} {error}")
        assert found[0] == found[1], ids


def test_bytes_that_are_no_text_are_replaced_by_both_rules_alike() -> None:
    """Decoded ids become text by the interpreter's own rule for such bytes, ids with offsets by the engine's."""
    tokenizer, id_of = spelled()
    rng = random.Random(5)
    # Bytes that begin or continue characters stand next to each other more often than by chance.
    high = [id_of[byte] for byte in range(0x80, 0x100)]
    letter = id_of[ord("A")]
    lists = [[*rng.choices(high, k=rng.randrange(1, 9)), letter] for _ in range(20_000)]
    ids = [index for ids in lists for index in ids]
    one = tokenizer.decode(ids)
    assert one == "".join(map(tokenizer.decode, lists)) == tokenizer.decode_with_offsets(ids)[0]
    assert one.count("\ufffd") > 10_000 and one.count("A") == len(lists)
    for broken, text in {
        b"\xf0\x9f\x92A": "\ufffdA",
        b"\xe2\x82\xe2\x82\xac": "\ufffd€",
        b"\xc0\xaf": "\ufffd" * 2,
        b"\xed\xa0\x80": "\ufffd" * 3,
        b"\xf4\x90\x80\x80": "\ufffd" * 4,
    }.items():
        ids = [id_of[byte] for byte in broken]
        assert tokenizer.decode(ids) == tokenizer.decode(np.array(ids)) == text


def test_texts_are_kept_as_the_interpreter_keeps_its_own() -> None:
    """Characters of one, two or four bytes: what is kept wider than it need be would be equal to no other text."""
    tokenizer, id_of = spelled()
    chance = random.Random(6)
    letters = ["ab cd", "é ü ÿ\x80", "жя Ω \u0100", "漢字 กข \uffff", "😀 \U00010000\U0010ffff", "\x00 \x7f"]
    seen = set()
    for _ in range(1500):
        few = chance.sample(letters, chance.randrange(1, 4))
        size = chance.choice([0, 1, 2, 5, 40, 70, 400])
        text = "".join(chance.choice(chance.choice(few)) for _ in range(size))
        ids = [id_of[byte] for byte in text.encode()]
        for form in (ids, np.array(ids, dtype=np.uint32), np.array(ids, dtype=np.int64)):
            found = tokenizer.decode(form)
            assert found == text
            assert (hash(found), sys.getsizeof(found)) == (hash(text), sys.getsizeof(text)), text
            assert {text: 1}[found] == 1 and found.encode() == text.encode()
        seen.add(max(map(ord, text), default=0).bit_length())
    assert seen >= {0, 7, 8, 16, 17, 21}


def test_broken_text_is_told_by_the_interpreters_rule_whatever_stands_around_it() -> None:
    tokenizer, id_of = spelled()
    chance = random.Random(7)
    for _ in range(1500):
        text = "".join(chance.choice("ab é漢😀") for _ in range(chance.randrange(100)))
        spelling = bytearray(text.encode())
        for _ in range(chance.randrange(1, 4)):
            spelling.insert(chance.randrange(len(spelling) + 1), chance.randrange(0x80, 0x100))
        del spelling[: chance.randrange(2)]
        ids = [id_of[byte] for byte in spelling]
        wanted = bytes(spelling).decode("utf-8", "replace")
        assert tokenizer.decode(ids) == wanted
        assert tokenizer.decode_batch([ids, np.array(ids)]) == [wanted, wanted]
        stream = decoders.DecodeStream()
        parts = [stream.step(tokenizer, one) for one in ids] + [stream.flush(tokenizer)]
        assert "".join(filter(None, parts)) == wanted


def test_more_ids_than_one_turn_decode_as_their_parts() -> None:
    tokenizer, id_of = spelled()
    text = "some text, é and 漢字. " * 30_000
    ids = np.array([id_of[byte] for byte in text.encode()])
    for form in (ids, ids.astype(np.uint32), ids.tolist(), np.repeat(ids, 2)[::2]):
        assert len(form) > 1 << 19
        assert tokenizer.decode(form) == text


def test_a_stream_follows_a_tokenizer_that_changes() -> None:
    tokenizer, id_of = spelled()
    letter = id_of[ord("a")]
    stream = decoders.DecodeStream(skip_special_tokens=True)
    assert [stream.step(tokenizer, letter) for _ in range(9)][-1] == "a"
    tokenizer.add_special_tokens(["<end>"])
    assert stream.step(tokenizer, len(id_of)) is None
    assert stream.step(tokenizer, letter) == "a"
    other, _ = spelled()
    other.decoder = decoders.Sequence([decoders.Replace("a", "b"), decoders.Fuse()])
    assert other.decode([letter] * 9) == "b" * 9
    assert stream.step(other, letter) == "b"
    tokenizer.decoder = decoders.Fuse()
    assert tokenizer.decode([letter] * 9) == "a" * 9
    assert stream.step(tokenizer, letter) == "a"


def test_the_first_and_the_last_token_are_told_from_the_others_every_time() -> None:
    """Texts that depend on the place are remembered; the same id stands in all places here."""
    vocab = {"[UNK]": 0, "a": 1, "##b": 2, "n't": 3, ".": 4, "</w>": 5, "c</w>": 6}
    for decoder in (decoders.WordPiece(), decoders.BPEDecoder(), decoders.Metaspace(), None):
        tokenizer = Tokenizer(models.WordLevel(vocab, unk_token="[UNK]"))
        # Its decoder is changed between calls, so that nothing is remembered.
        slow = Tokenizer(models.WordLevel(vocab, unk_token="[UNK]"))
        if decoder is not None:
            tokenizer.decoder = decoder
        for first in range(8):
            for last in range(8):
                for middle in ([], [1], [2, 3], [4, 6, 5]):
                    ids = [first, *middle, last]
                    slow.decoder = decoders.Fuse()
                    if decoder is not None:
                        slow.decoder = decoder
                    else:
                        slow.decoder = None
                    wanted = slow.decode(ids)
                    assert tokenizer.decode(ids) == tokenizer.decode(ids) == wanted, (decoder, ids)


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
