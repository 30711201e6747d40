"""Many texts in one call: the interpreter keeps them one, two or four bytes wide, the engine reads UTF-8."""

from __future__ import annotations

import random
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
import tessella
from tessella import Tokenizer, decoders, models, pre_tokenizers
from tessella.errors import ArgumentError

ALPHABETS = (
    "abc def \n\0\x7f",
    "éüß\x80\xff",
    "ĀабвΩ\u07ff",
    "日本語ひ\u0800\ud7ff\ue000\uffff",
    "🙂🎉\U00010000\U0010ffff",
)


@pytest.fixture(scope="module")
def spelled() -> Tokenizer:
    """Ids are bytes, as they stand in the alphabet."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({token: index for index, token in enumerate(alphabet)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def some(choose: random.Random, length: int) -> str:
    alphabets = choose.sample(ALPHABETS, choose.randrange(1, 4))
    # Runs of one alphabet, as texts have them, and single characters of another in between.
    parts = []
    while sum(map(len, parts)) < length:
        parts.append("".join(choose.choices(choose.choice(alphabets), k=choose.choice([1, 1, 3, 40, 90]))))
    return "".join(parts)[:length]


def test_batches_are_what_single_texts_are(spelled: Tokenizer) -> None:
    choose = random.Random(8)
    for _ in range(300):
        texts = [
            some(choose, choose.choice([0, 1, 15, 16, 17, 31, 32, 33, 511, 512, 513, 1500]))
            for _ in range(20)
        ]
        found = spelled.encode_ids_batch(texts)
        assert [ids.tolist() for ids in found] == [spelled.encode(text).ids for text in texts]
        assert spelled.decode_batch(list(found)) == texts
        assert list(spelled.count_batch(texts)) == [len(text.encode()) for text in texts]


def test_texts_larger_than_a_room_and_many_of_them(spelled: Tokenizer) -> None:
    choose = random.Random(9)
    for length in (300_000, 1_500_000, 2_500_000):
        piece = some(choose, 5000)
        texts = ["é", piece * (length // 5000), "ascii", piece, piece * 60, "🙂"]
        for threads in (1, 2):
            found = spelled.encode_ids_batch(texts, num_threads=threads)
            assert spelled.decode_batch(list(found)) == texts


def test_rooms_are_each_threads_own(spelled: Tokenizer) -> None:
    def turn(seed: int) -> bool:
        choose = random.Random(seed)
        for _ in range(50):
            texts = [some(choose, choose.randrange(2000)) for _ in range(8)]
            if spelled.decode_batch(list(spelled.encode_ids_batch(texts))) != texts:
                return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(turn, range(8)))


def test_half_of_a_pair_is_refused_and_nothing_of_it_stays(spelled: Tokenizer) -> None:
    for at in (0, 15, 16, 40, 600):
        bad = "é" * at + "\ud800" + "日" * 40
        message = rf"U\+D800 at character {at} of `texts\[1\]`"
        with pytest.raises(TypeError, match=message):
            spelled.encode_ids_batch(["é", bad, "b"])
        assert spelled.decode_batch(list(spelled.encode_ids_batch(["é", "日"]))) == ["é", "日"]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_many_texts_on_threads_are_in_order_and_the_first_refused_is_named(
    spelled: Tokenizer, threads: int
) -> None:
    choose = random.Random(10)
    texts = [some(choose, choose.choice([0, 3, 70, 900, 4000])) for _ in range(700)]
    # What comes late and takes long, and what comes early and takes longest.
    texts[0] = some(choose, 200_000)
    texts[650] = some(choose, 100_000)
    found = spelled.encode_ids_batch(texts, num_threads=threads)
    assert spelled.decode_batch(list(found)) == texts
    assert list(spelled.count_batch(texts, num_threads=threads)) == [len(text.encode()) for text in texts]
    for first in (0, 13, 651):
        bad = list(texts)
        for index in (first, 660, 699):
            bad[index] = "é" * 100 + "\udfff"
        with pytest.raises(TypeError, match=rf"U\+DFFF at character 100 of `texts\[{first}\]`"):
            spelled.encode_ids_batch(bad, num_threads=threads)
    assert spelled.decode_batch(list(spelled.encode_ids_batch(texts, num_threads=threads))) == texts


def test_a_kind_of_str_is_a_text(spelled: Tokenizer) -> None:
    class Text(str):
        pass

    assert spelled.decode_batch(list(spelled.encode_ids_batch([Text("é日"), Text("a")]))) == ["é日", "a"]


@pytest.mark.parametrize("threads", [1, 2])
def test_bytes_of_utf8_are_texts(spelled: Tokenizer, threads: int) -> None:
    choose = random.Random(11)
    texts = [some(choose, choose.choice([0, 1, 15, 16, 70, 900])) for _ in range(300)]
    raw = [text.encode() if choose.random() < 0.7 else text for text in texts]
    assert spelled.decode_batch(list(spelled.encode_ids_batch(raw, num_threads=threads))) == texts
    assert list(spelled.count_batch(raw, num_threads=threads)) == [len(text.encode()) for text in texts]
    for text in texts[:40]:
        assert spelled.encode_ids(text.encode()).tolist() == spelled.encode_ids(text).tolist()
        assert spelled.count(text.encode()) == spelled.count(text)
    for at in (0, 7, 5000):
        bad = b"a" * at + b"\xed\xa0\x80"
        for call in (spelled.encode_ids, spelled.count):
            with pytest.raises(ArgumentError, match=rf"0xed at byte {at} of `text`"):
                call(bad)
        with pytest.raises(ArgumentError, match=rf"0xed at byte {at} of `texts\[299\]`"):
            spelled.encode_ids_batch([*raw[:299], bad], num_threads=threads)


def test_whole_encodings_take_no_bytes(spelled: Tokenizer) -> None:
    with pytest.raises(TypeError, match="decode bytes first"):
        spelled.encode_batch(["a", b"a"])


one_version = pytest.mark.skipif(
    sys.implementation.name != "cpython" or "abi3" in str(tessella._tessella.__file__),
    reason="known of one version of CPython at a time",
)


@one_version
def test_texts_take_no_more_memory_than_before(spelled: Tokenizer) -> None:
    few = ["".join(random.choices([letter, "b"], k=1000)) for letter in "é日🙂a"]
    many = [letter * 600 + str(at) for at in range(1500) for letter in "é日🙂"]
    for texts, times in ((few, 1), (many, 2)):
        before = [sys.getsizeof(text) for text in texts]
        for _ in range(times):
            spelled.encode_ids_batch(texts)
        # Some may find their place as they left it.
        grown = sum(sys.getsizeof(text) > size for text, size in zip(texts, before, strict=True))
        assert grown <= len(texts) // 10, (times, grown)


@one_version
@pytest.mark.parametrize("way", ["alone", "among others"])
def test_a_text_that_comes_a_third_time_soon_is_kept(spelled: Tokenizer, way: str) -> None:
    for letter in "é日🙂":
        # Texts that earlier tests made are not like this one, wherever it lies.
        length = 3000 + len(way) + 100 * "é日🙂".index(letter)
        text = "".join(random.choices([letter, "a", "b"], k=length)) + letter
        size, found = sys.getsizeof(text), []
        for turn in range(4):
            found.append(
                spelled.encode_ids(text).tolist()
                if way == "alone"
                else spelled.encode_ids_batch(["a", text])[1].tolist()
            )
            assert (sys.getsizeof(text) > size) == (turn > 1), turn
        assert found == [found[0]] * 4
        # Another text where that one lay, of the same length.
        other = text[:300] + "z" + text[301:]
        assert spelled.encode_ids(other).tolist() != found[0]
