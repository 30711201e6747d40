"""Ids to text as they arrive, one by one, some at once, drawn from an iterator: the same text, as soon, by each way."""

from __future__ import annotations

import copy
import gc
import itertools
import random
import signal
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import tessella
from tessella import Tokenizer, decoders, models, pre_tokenizers

from tests.conformance import texts

MODELS = texts.folder("TESSELLA_MODELS")

ALPHABET = sorted(pre_tokenizers.ByteLevel.alphabet())


def spelled() -> Tokenizer:
    """Single bytes, some of them joined, a special token and one that is longer than what a table holds in place."""
    vocab = {token: index for index, token in enumerate([*ALPHABET, "th", "æĹ", "æĹ¥", "the", "é", "Ã©Ã©"])}
    tokenizer = Tokenizer(models.BPE(vocab, []))
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_tokens(["a token of more than fifteen bytes"])
    tokenizer.add_special_tokens(["<end>"])
    return tokenizer


def written(decoder: Any) -> Tokenizer:
    vocab = {
        "[UNK]": 0,
        "a": 1,
        "##b": 2,
        "▁c": 3,
        "<0xC3>": 4,
        "<0xA9>": 5,
        "<0x41>": 6,
        "": 7,
        "é</w>": 8,
        " ": 9,
    }
    tokenizer = Tokenizer(models.WordLevel(vocab, unk_token="[UNK]"))
    tokenizer.decoder = decoder
    tokenizer.add_special_tokens(["[X]"])
    return tokenizer


TOKENIZERS = {
    "byte level": spelled,
    "none": lambda: written(None),
    "fuse": lambda: written(decoders.Fuse()),
    "word pieces": lambda: written(decoders.WordPiece()),
    "metaspace": lambda: written(decoders.Metaspace()),
    "suffix": lambda: written(decoders.BPEDecoder()),
    "ctc": lambda: written(decoders.CTC()),
    "bytes": lambda: written(
        decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    ),
    "start": lambda: written(decoders.Sequence([decoders.Fuse(), decoders.Strip(" ", 1, 0)])),
    "end": lambda: written(decoders.Sequence([decoders.Fuse(), decoders.Strip("a", 0, 2)])),
}


def one_by_one(tokenizer: Tokenizer, ids: list[int], skip: bool, at_once: bool) -> list[str | None] | str:
    """What each step gives, and the end. Ids in lists go another way than ids alone."""
    stream = decoders.DecodeStream(skip_special_tokens=skip)
    try:
        steps = [stream.step(tokenizer, id if at_once else [id]) for id in ids]
        return [*steps, stream.flush(tokenizer)]
    except tessella.errors.TessellaError as error:
        return str(error)


@pytest.mark.parametrize("name", TOKENIZERS)
def test_all_ways_give_the_same_as_soon(name: str) -> None:
    tokenizer, choose = TOKENIZERS[name](), random.Random(name)
    # So that a table of texts is built where there can be one.
    tokenizer.decode(list(range(9)) * 9)
    size = tokenizer.get_vocab_size()
    for _ in range(300):
        some = [choose.randrange(size + 2) for _ in range(8)]
        ids = [choose.choice(some) for _ in range(choose.randrange(30))]
        for skip in (False, True):
            wanted = one_by_one(tokenizer, ids, skip, at_once=False)
            assert one_by_one(tokenizer, ids, skip, at_once=True) == wanted, ids
            stream = tokenizer.decode_stream(skip)
            if isinstance(wanted, str):
                with pytest.raises(tessella.errors.TessellaError):
                    list(tokenizer.decode_iter(ids, skip))
                continue
            assert [stream.step(id) for id in ids] + [stream.flush()] == wanted
            assert list(tokenizer.decode_iter(ids, skip)) == [text for text in wanted if text is not None]


def test_ids_that_share_a_place_keep_their_texts() -> None:
    """More ids than texts are kept, in streams of which one leaves out what the other shows."""
    vocab = {f"t{number}": number for number in range(70_000)}
    tokenizer = Tokenizer(models.WordLevel(vocab, unk_token="t0"))
    tokenizer.decoder = decoders.Fuse()
    tokenizer.add_special_tokens(["t5", "t16389"])
    tokenizer.decode(list(range(9)) * 1000)
    choose = random.Random(7)
    near = [place + (number << 14) for place in (5, 6, 7) for number in range(4)]
    for _ in range(100):
        ids = [choose.choice(near) for _ in range(30)]
        for skip in (False, True):
            wanted = [None if skip and id in (5, 16389) else f"t{id}" for id in ids]
            stream = tokenizer.decode_stream(skip)
            assert [stream.step(id) for id in ids] == wanted
            assert list(tokenizer.decode_iter(ids, skip)) == [text for text in wanted if text]


def outcome(call: Callable[..., str | None], *args: Any) -> str | tuple[str] | None:
    """What a call gives, or what it says."""
    try:
        return call(*args)
    except tessella.errors.DecodeError as error:
        return (str(error),)


@pytest.mark.parametrize("name", TOKENIZERS)
def test_ways_taken_in_turns_give_the_same(name: str) -> None:
    """A stream that goes from one way to the other, and is copied on its way."""
    tokenizer, choose = TOKENIZERS[name](), random.Random(name)
    tokenizer.decode(list(range(9)) * 9)
    size = tokenizer.get_vocab_size()
    for _ in range(500):
        some = [choose.randrange(size) for _ in range(8)]
        plain, mixed = decoders.DecodeStream(), decoders.DecodeStream()
        for _ in range(choose.randrange(25)):
            id = choose.choice(some)
            if choose.random() < 0.2:
                mixed = copy.copy(mixed)
            wanted = outcome(plain.step, tokenizer, [id])
            assert outcome(mixed.step, tokenizer, id if choose.random() < 0.7 else [id]) == wanted
            if choose.random() < 0.1:
                ended = outcome(copy.copy(plain).flush, tokenizer)
                assert outcome(copy.copy(mixed).flush, tokenizer) == ended


def test_no_id_is_drawn_too_early() -> None:
    tokenizer, drawn = spelled(), []

    def ids() -> Iterator[int]:
        for letter in "née the":
            for byte in letter.encode():
                drawn.append(byte)
                yield tokenizer.token_to_id(tessella_byte(byte))

    for seen, text in enumerate(tokenizer.decode_iter(ids())):
        assert text == "née the"[seen]
        assert bytes(drawn).decode() == "née the"[: seen + 1]
    assert bytes(drawn).decode() == "née the"


def tessella_byte(byte: int) -> str:
    """A byte as byte-level vocabularies write it."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    return chr(byte) if byte in shown else chr(256 + [b for b in range(256) if b not in shown].index(byte))


def test_ids_come_from_whatever_can_be_walked_through() -> None:
    tokenizer = spelled()
    ids = [tokenizer.token_to_id(tessella_byte(byte)) for byte in "née".encode()]
    for form in (ids, tuple(ids), iter(ids), np.array(ids), np.array(ids, np.uint16), [ids[:2], ids[2:]]):
        assert "".join(tokenizer.decode_iter(form)) == "née"
    assert list(tokenizer.decode_iter([])) == []
    assert list(tokenizer.decode_iter(ids[1:2])) == ["\ufffd"]
    for bad in (5, None):
        with pytest.raises(TypeError, match="not iterable"):
            tokenizer.decode_iter(bad)  # type: ignore[arg-type]
    for bad in ("ab", [True], [None], [1.5]):
        with pytest.raises(TypeError, match="integer or a list of integers"):
            list(tokenizer.decode_iter(bad))  # type: ignore[arg-type]


def test_what_the_ids_raise_comes_out_and_nothing_is_lost() -> None:
    tokenizer = spelled()
    letter, half = tokenizer.token_to_id("a"), tokenizer.token_to_id("Ã")

    class Ids:
        """A source that can be asked again."""

        rest = iter([letter, half, ZeroDivisionError(), half, letter])

        def __iter__(self) -> Ids:
            return self

        def __next__(self) -> int:
            one = next(self.rest)
            if isinstance(one, Exception):
                raise one
            return one

    texts_of = tokenizer.decode_iter(Ids())
    assert next(texts_of) == "a"
    with pytest.raises(ZeroDivisionError):
        next(texts_of)
    assert "".join(texts_of) == "\ufffd\ufffda"


def test_an_iterator_in_a_circle_is_collected() -> None:
    class Source(list[Any]):
        pass

    def made() -> weakref.ref[Source]:
        source = Source([1, 2])
        source.append(spelled().decode_iter(source))
        return weakref.ref(source)

    source = made()
    gc.collect()
    assert source() is None


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers of the system")
def test_a_tokenizer_that_keeps_its_stream_is_collected() -> None:
    class Streaming(Tokenizer):
        """Has attributes of its own."""

    tokenizer = Streaming(models.WordLevel({"a": 0}))
    tokenizer.stream = tokenizer.decode_stream()  # type: ignore[attr-defined]
    assert tokenizer.stream.step(0) == "a"  # type: ignore[attr-defined]
    gone = weakref.ref(tokenizer)
    del tokenizer
    gc.collect()
    assert gone() is None


def test_ids_without_text_can_be_interrupted() -> None:
    tokenizer = spelled()
    silent = tokenizer.token_to_id("<end>")

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(TimeoutError):
            next(tokenizer.decode_iter(itertools.repeat(silent)))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.skipif(not MODELS, reason="TESSELLA_MODELS names no folder")
@pytest.mark.parametrize("name", ["gpt2", "llama2", "bert-uncased", "xlnet_base_cased", "clip_base"])
def test_streams_of_real_files_are_the_reference_librarys(name: str) -> None:
    assert MODELS is not None
    path = MODELS / f"{name}.json"
    tokenizers = pytest.importorskip("tokenizers")
    ours, theirs = tessella.load(path), tokenizers.Tokenizer.from_file(str(path))
    choose = random.Random(6)
    size = theirs.get_vocab_size()
    ours.decode(list(range(min(size, 5000))))
    sample = ours.encode_ids("The née 日本語 snowman ☃, isn't it? 🙂🙂 ok", add_special_tokens=False).tolist()
    for _ in range(300):
        ids = choose.choice([sample, [choose.randrange(size) for _ in range(30)]])
        for skip in (False, True):
            stream = tokenizers.decoders.DecodeStream(skip_special_tokens=skip)
            try:
                wanted = [stream.step(theirs, id) for id in ids]
            except Exception:  # The reference library has no class of its own for this.
                with pytest.raises(tessella.errors.DecodeError):
                    list(ours.decode_iter(ids, skip))
                continue
            found = ours.decode_stream(skip)
            assert [found.step(id) for id in ids] == wanted, ids


@pytest.mark.parametrize("blanks", [1, 2, 3, 7, 8, 9, 63, 64, 65, 200])
@pytest.mark.parametrize("step", [1, 2, 5, 300])
def test_blanks_that_vanish_at_the_start_are_kept_in_the_middle(blanks: int, step: int) -> None:
    """The window of a stream begins in the middle of the text, where a decoder must take nothing away."""
    tokenizer = Tokenizer(models.WordLevel({"a": 0, " ": 1, "é": 2}, unk_token="a"))
    tokenizer.decoder = decoders.Sequence([decoders.Fuse(), decoders.Strip(" ", 1000, 0)])
    ids = [1, 1, 0, *[1] * blanks, 2, *[1] * blanks, 0, 1, 1]
    expected = tokenizer.decode(ids)
    assert expected == "a" + " " * blanks + "é" + " " * blanks + "a  "
    parts = [ids[at : at + step] for at in range(0, len(ids), step)]
    assert "".join(tokenizer.decode_iter(parts)) == expected
    stream, plain = tokenizer.decode_stream(), decoders.DecodeStream()
    given = [stream.step(part) or "" for part in parts]
    assert given == [plain.step(tokenizer, part) or "" for part in parts]
    assert "".join(given) == expected
    if step == 1:
        assert len(given) == len(ids) and all(given[2:]), "nothing is held back"


def test_a_deep_copy_goes_on_by_itself() -> None:
    tokenizer = spelled()
    stream = tokenizer.decode_stream()
    assert stream.step(ALPHABET.index("Ã")) is None
    memo: dict[int, Any] = {}
    other = copy.deepcopy(stream, memo)
    assert memo[id(tokenizer)] is not tokenizer
    tokenizer.decoder = decoders.Fuse()
    assert other.step(ALPHABET.index("©")) == "é"
    assert other.flush() is None
    assert copy.deepcopy([stream, tokenizer])[0].step(ALPHABET.index("a")) == stream.step(ALPHABET.index("a"))
