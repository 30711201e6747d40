"""Methods with a quick way: what a call by position gives, the bindings' own method gives too, which is asked by naming an argument."""

from __future__ import annotations

import copy
import ctypes
import functools
import inspect
import operator
import pickle
import random
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tessella import Tokenizer, decoders, models, pre_tokenizers
from tessella import _tessella as compiled

from tests.python.test_streams_of_ids import TOKENIZERS, spelled

TextStream = compiled.TextStream

#: The class, the method, the names of its arguments, and the first line of its page.
METHODS = [
    (TextStream, "step", "(self, /, id)", "Takes one id, or several"),
    (decoders.DecodeStream, "step", "(self, /, tokenizer, id)", "Takes one id, or several"),
    (compiled.Tokenizer, "decode", "(self, /, ids, skip_special_tokens=True)", "Ids to text."),
    (compiled.Tokenizer, "token_to_id", "(self, /, token)", "The id of a token"),
    (compiled.Tokenizer, "id_to_token", "(self, /, id)", "The token of an id"),
    (compiled.Tokenizer, "get_vocab_size", "(self, /, with_added_tokens=True)", "The number of tokens."),
    (compiled.Tokenizer, "num_special_tokens_to_add", "(self, /, is_pair)", "How many special tokens"),
    (compiled.Encoding, "token_to_sequence", "(self, /, token_index)", "The sequence of a token."),
    (compiled.Encoding, "token_to_word", "(self, /, token_index)", "The word of a token."),
    (compiled.Encoding, "token_to_chars", "(self, /, token_index)", "Where a token stands"),
    (compiled.Encoding, "char_to_token", "(self, /, char_pos, sequence_index=0)", "The token that holds"),
    (compiled.Encoding, "char_to_word", "(self, /, char_pos, sequence_index=0)", "The word that holds"),
    (
        compiled.Encoding,
        "word_to_tokens",
        "(self, /, word_index, sequence_index=0)",
        "The first and one past",
    ),
    (compiled.Encoding, "word_to_chars", "(self, /, word_index, sequence_index=0)", "Where a word stands"),
]

WEIRD_IDS: list[Any] = [
    *(0, 1, 5, 255, 2**16, 2**30 - 1, 2**30, 2**31, 2**32 - 1, 2**32, 2**63, 2**64, 2**200, -1, -(2**40)),
    *(True, False, None, 1.0, 1.5, float("nan"), "a", "", b"a", bytearray(b"a"), memoryview(b"a")),
    *([], [1, 2], (1, 2), [True], [None], ["a"], {1: 2}, {1}, range(3), [2**32], [-1], [[1]]),
    *(np.uint32(3), np.int64(5), np.int64(-5), np.bool_(True), np.float64(1), np.array([1, 2]), np.array(3)),
    *(np.array([1.5]), np.array([[1, 2]]), np.array([2**40]), object(), int, type),
]


class Index:
    """An integer to whoever asks."""

    def __index__(self) -> int:
        return 7


class Whole(int):
    """An `int` of a class of its own."""


class Listed(list[int]):
    """A list of a class of its own."""


def outcome(call: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """What a call gives, or what it says."""
    try:
        return call(*args, **named)
    except Exception as error:
        return type(error), str(error)


def ready(name: str = "byte level") -> Tokenizer:
    tokenizer = TOKENIZERS[name]()
    # So that a table of texts is built where there can be one.
    tokenizer.decode(list(range(9)) * 9)
    return tokenizer


@pytest.mark.parametrize("made", METHODS, ids=lambda made: f"{made[0].__name__}.{made[1]}")
def test_a_method_is_shown_as_before(made: tuple[type, str, str, str]) -> None:
    of, name, signature, page = made
    method = getattr(of, name)
    assert type(method) is type(str.join)
    assert method is of.__dict__[name]
    assert (method.__name__, method.__qualname__) == (name, f"{of.__name__}.{name}")
    assert method.__objclass__ is of
    assert str(inspect.signature(method)) == signature
    assert method.__doc__.startswith(page) and "--" not in method.__doc__
    assert repr(method).startswith(f"<method '{name}' of '")
    assert pickle.loads(pickle.dumps(method)) is method


@pytest.mark.skipif(
    sys.implementation.name != "cpython", reason="only CPython promises a method instances of its class"
)
@pytest.mark.parametrize("made", METHODS, ids=lambda made: f"{made[0].__name__}.{made[1]}")
def test_the_quick_way_is_there(made: tuple[type, str, str, str]) -> None:
    """The bindings keep what they made of a class's methods in one row, and a method with a quick way stands elsewhere."""
    behind_names = object.__basicsize__ + 3 * ctypes.sizeof(ctypes.c_void_p)

    def described(method: Any) -> int:
        return ctypes.c_void_p.from_address(id(method) + behind_names).value or 0

    of, name, *_ = made
    quick = {name for other, name, *_ in METHODS if other is of}
    others = [
        described(one)
        for other, one in vars(of).items()
        if type(one) is type(str.join) and other not in quick
    ]
    # One entry is a name, a function, flags and a page; the method's own may be the first or the last.
    entry = 4 * ctypes.sizeof(ctypes.c_void_p)
    row = range(min(others) - entry, max(others) + entry + 1)
    assert len(row) < 1 << 16 and described(getattr(of, name)) not in row


def test_a_step_by_position_is_a_step_by_name() -> None:
    """One stream goes one way, and one the other, with whatever can be handed over."""
    tokenizer, choose = ready(), random.Random(3)
    ids = [
        *range(tokenizer.get_vocab_size() + 2),
        *WEIRD_IDS,
        Index(),
        Whole(3),
        Whole(2**70),
        Listed([1, 2]),
    ]
    for _ in range(60):
        for skip in (False, True):
            here, there = tokenizer.decode_stream(skip), tokenizer.decode_stream(skip)
            plain, named = decoders.DecodeStream(skip_special_tokens=skip), decoders.DecodeStream(None, skip)
            for _ in range(40):
                id = choose.choice(ids)
                wanted = outcome(there.step, id=id)
                assert outcome(here.step, id) == wanted, id
                assert outcome(plain.step, tokenizer, id) == wanted, id
                assert outcome(named.step, tokenizer, id=id) == wanted, id
            assert here.flush() == there.flush() == plain.flush(tokenizer) == named.flush(tokenizer)


def test_questions_about_a_token_by_position_are_those_by_name() -> None:
    tokenizer = ready()
    tokens = [*tokenizer.get_vocab(), *WEIRD_IDS, "", "nothing", "\ud800", "é", type("Text", (str,), {})("a")]
    given = {
        "token_to_id": ("token", tokens),
        "id_to_token": ("id", [*range(300), *WEIRD_IDS, Index(), Whole(3), Whole(2**70)]),
        "get_vocab_size": ("with_added_tokens", WEIRD_IDS),
        "num_special_tokens_to_add": ("is_pair", WEIRD_IDS),
    }

    def compare() -> None:
        for name, (argument, values) in given.items():
            method = getattr(tokenizer, name)
            for value in values:
                assert outcome(method, value) == outcome(method, **{argument: value}), (name, value)

    compare()
    tokenizer.add_tokens(["nothing", "a"])
    tokenizer.add_special_tokens(["[S]"])
    assert (tokenizer.token_to_id("nothing"), tokenizer.get_vocab_size(True)) != (
        None,
        tokenizer.get_vocab_size(False),
    )
    compare()


def test_look_ups_by_position_are_those_by_name() -> None:
    choose = random.Random(5)
    tokenizer = Tokenizer(models.WordLevel({"a": 0, "b": 1, "c": 2, "<": 3}, "<"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.add_special_tokens(["[S]"])
    names = {
        name: list(inspect.signature(getattr(compiled.Encoding, name)).parameters)[1:]
        for of, name, *_ in METHODS
        if of is compiled.Encoding
    }
    places = [*range(14), *WEIRD_IDS, Index(), Whole(3), Whole(2**70)]
    for _ in range(40):
        rows = [" ".join(choose.choices("abc", k=choose.randrange(6))) for _ in range(2)]
        made = tokenizer.encode(*rows[: choose.choice([1, 2])])
        if choose.randrange(3) == 0:
            made.pad(9, direction=choose.choice(["left", "right"]))
        if choose.randrange(3) == 0:
            made.set_sequence_id(choose.randrange(3))
        for name, arguments in names.items():
            method = getattr(made, name)
            for place in places:
                wanted = outcome(method, **{arguments[0]: place})
                assert outcome(method, place) == wanted, (name, place)
                if len(arguments) == 2:
                    for sequence in (0, 1, 2, choose.choice(places)):
                        wanted = outcome(method, place, **{arguments[1]: sequence})
                        assert outcome(method, place, sequence) == wanted, (name, place, sequence)
            assert outcome(method) == outcome(method, **{}), name
            assert outcome(method, 0, 0, 0)[0] is TypeError


@pytest.mark.parametrize("name", TOKENIZERS)
def test_steps_of_every_decoder_by_position_are_those_by_name(name: str) -> None:
    tokenizer, choose = ready(name), random.Random(name)
    size = tokenizer.get_vocab_size()
    for _ in range(200):
        ids = [choose.randrange(size + 2) for _ in range(20)]
        here, there = tokenizer.decode_stream(), tokenizer.decode_stream()
        for id in ids:
            wanted = outcome(there.step, id=id)
            assert outcome(here.step, id) == wanted, ids
        assert outcome(here.flush) == outcome(there.flush)


@pytest.mark.parametrize("name", TOKENIZERS)
def test_decoding_by_position_is_decoding_by_name(name: str) -> None:
    tokenizer, choose = ready(name), random.Random(name)
    size = tokenizer.get_vocab_size()
    lists: list[Any] = [
        [
            choose.randrange(size + 2)
            for _ in range(choose.choice([0, 1, 2, 5, 20, 100, 1023, 1024, 1025, 3000]))
        ]
        for _ in range(150)
    ]
    lists += (
        [[1, id] for id in [*WEIRD_IDS, Index(), Whole(3)]] + WEIRD_IDS + [Listed([1, 2]), (1, 2), iter(())]
    )
    for ids in lists:
        wanted = outcome(tokenizer.decode, ids=ids)
        assert outcome(tokenizer.decode, ids) == wanted, ids
        for skip in (True, False, 1, 0, None, "yes", np.bool_(True)):
            wanted = outcome(tokenizer.decode, ids, skip_special_tokens=skip)
            assert outcome(tokenizer.decode, ids, skip) == wanted, (ids, skip)


def test_wrong_arguments_are_refused_as_before() -> None:
    tokenizer = ready()
    stream, plain = tokenizer.decode_stream(), decoders.DecodeStream()
    step: Any = stream.step
    for call, said in [
        (lambda: step(), r"TextStream.step\(\) missing 1 required positional argument: 'id'"),
        (lambda: step(1, 2), r"TextStream.step\(\) takes 1 positional arguments but 2 were given"),
        (lambda: step(ids=1), r"TextStream.step\(\) got an unexpected keyword argument 'ids'"),
        (lambda: step(1, id=1), r"TextStream.step\(\) got multiple values for argument 'id'"),
        (lambda: step(1, **{"é\0": 2}), r"TextStream.step\(\) got an unexpected keyword argument"),
        (lambda: step(**{3: 1}), r"keywords must be strings"),
        (lambda: TextStream.step(), r"unbound method TextStream.step\(\) needs an argument"),
        (
            lambda: TextStream.step(3, 1),
            r"descriptor 'step' for '.*TextStream' objects doesn't apply to a 'int' object",
        ),
        (lambda: TextStream.step(plain, 1), r"doesn't apply to a '.*DecodeStream' object"),
        (
            lambda: decoders.DecodeStream.step(stream, tokenizer, 1),
            r"doesn't apply to a '.*TextStream' object",
        ),
        (
            lambda: plain.step(tokenizer),
            r"DecodeStream.step\(\) missing 1 required positional argument: 'id'",
        ),
        (
            lambda: plain.step(1, 1),
            r"'int' object is not an instance of 'Tokenizer'\nwhile processing 'tokenizer'",
        ),
        (
            lambda: plain.step(None, 1),
            r"'None' is not an instance of 'Tokenizer'\nwhile processing 'tokenizer'",
        ),
        (
            lambda: plain.step(stream, 1),
            r"'TextStream' object is not an instance of 'Tokenizer'\nwhile processing 'tokenizer'",
        ),
        (lambda: tokenizer.decode(), r"Tokenizer.decode\(\) missing 1 required positional argument: 'ids'"),
        (lambda: tokenizer.decode([1], True, 1), r"takes from 1 to 2 positional arguments but 3 were given"),
        (
            lambda: tokenizer.decode([1], 1),
            r"'int' object is not an instance of 'bool'\nwhile processing 'skip_special_tokens'",
        ),
        (lambda: compiled.Tokenizer.decode(stream, [1]), r"doesn't apply to a '.*TextStream' object"),
    ]:
        with pytest.raises(TypeError, match=said):
            call()
    # And nothing of it is in the stream.
    assert stream.flush() is None
    assert step(ord("a") - 33) == spelled().decode([ord("a") - 33])


def test_whatever_calls_a_method_gets_the_same() -> None:
    tokenizer = ready()
    ids = [tokenizer.token_to_id(letter) for letter in "abc"]

    class Own(Tokenizer):
        """Says what it decodes."""

        def decode(self, ids: Any, skip_special_tokens: bool = True) -> str:
            return "<" + super().decode(ids, skip_special_tokens) + ">"

    own = Own(models.WordLevel({"a": 0, "b": 1}))
    assert own.decode([0, 1]) == "<a b>"
    assert Tokenizer.decode(own, [0, 1]) == "a b"
    stream = tokenizer.decode_stream()
    for steps in (
        list(map(stream.step, ids)),
        list(map(functools.partial(stream.step), ids)),
        [operator.methodcaller("step", id)(stream) for id in ids],
        [stream.step(*[id]) for id in ids],
        [stream.step(**{"id": id}) for id in ids],
        [TextStream.step(stream, id) for id in ids],
        [TextStream.step.__get__(stream)(id) for id in ids],
        [TextStream.step(*(stream, id)) for id in ids],
        [stream.step.__call__(id) for id in ids],
        [copy.copy(stream).step(id) for id in ids],
    ):
        assert steps == ["a", "b", "c"]


def test_references_are_given_up_as_often_as_taken() -> None:
    tokenizer = ready()
    letter, end = tokenizer.token_to_id("a"), tokenizer.token_to_id("<end>")
    stream, plain, ids = tokenizer.decode_stream(), decoders.DecodeStream(), [letter] * 5
    text = stream.step(letter)
    held = [text, letter, ids, tokenizer, stream, plain, None, True]

    def counts() -> list[int]:
        return [sys.getrefcount(one) for one in held]

    before = counts()
    for _ in range(100):
        stream.step(letter)
        stream.step(end)
        plain.step(tokenizer, letter)
        plain.step(tokenizer, end)
        tokenizer.decode(ids)
        tokenizer.decode(ids, True)
        outcome(stream.step, 2**40)
        outcome(plain.step, None, letter)  # type: ignore[arg-type]
        outcome(tokenizer.decode, ids, 1)  # type: ignore[arg-type]
    # Streams keep none of what they are handed; objects that never die count nothing.
    assert all(abs(now - then) < 20 for now, then in zip(counts(), before, strict=True))


def test_a_tokenizer_that_changes_is_noticed() -> None:
    tokenizer = ready()
    letter = tokenizer.token_to_id("a")
    here, there = tokenizer.decode_stream(), tokenizer.decode_stream()
    bytes_again = decoders.Sequence([decoders.ByteLevel(), decoders.Fuse()])
    for decoder, text in [
        (bytes_again, "a"),
        (decoders.Replace("a", "bb"), "bb"),
        (None, " a"),
        (bytes_again, "a"),
    ]:
        tokenizer.decoder = decoder
        assert tokenizer.decode([letter] * 2) == tokenizer.decode(ids=[letter] * 2) == (text * 2).strip()
        # A stream goes on, or says that what is out is another text now.
        wanted = [outcome(there.step, id=letter) for _ in range(3)]
        assert [outcome(here.step, letter) for _ in range(3)] == wanted
        assert tokenizer.decode_stream().step(letter) == text.strip()


class Doubled:
    """A decoder of a user's own."""

    #: What it does besides.
    besides: Callable[[], None] = staticmethod(lambda: None)

    def decode_chain(self, tokens: list[str]) -> list[str]:
        self.besides()
        return [token * 2 for token in tokens]


def test_users_own_decoders_are_asked() -> None:
    tokenizer = ready()
    tokenizer.decoder = decoders.Decoder.custom(Doubled())
    letter = tokenizer.token_to_id("a")
    stream = tokenizer.decode_stream()
    assert [stream.step(letter), stream.step(letter), tokenizer.decode([letter])] == ["aa", "aa", "aa"]

    class Fails(Doubled):
        def decode_chain(self, tokens: list[str]) -> list[str]:
            raise ZeroDivisionError

    tokenizer.decoder = decoders.Decoder.custom(Fails())
    for call in (lambda: stream.step(letter), lambda: tokenizer.decode([letter])):
        assert isinstance(outcome(call), tuple)
    tokenizer.decoder = decoders.ByteLevel()
    assert tokenizer.decode_stream().step(letter) == tokenizer.decode([letter]) == "a"


def test_threads_that_share_a_stream_lose_no_step() -> None:
    """Each step is whole: of letters that stand for themselves as many come out as go in."""
    tokenizer = ready()
    stream, plain = tokenizer.decode_stream(), decoders.DecodeStream()
    ids = [tokenizer.token_to_id(letter) for letter in "abcdefgh"]
    given: list[list[str | None]] = [[] for _ in ids]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)

    def work(number: int) -> None:
        for _ in range(3000):
            given[number].append(stream.step(ids[number]))
            given[number].append(plain.step(tokenizer, ids[number]))
            given[number].append(tokenizer.decode([ids[number]]))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(ids))]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert [set(texts) for texts in given] == [{letter} for letter in "abcdefgh"]
    assert stream.flush() is None and plain.flush(tokenizer) is None


def test_a_stream_that_is_stepped_by_its_own_decoder_goes_on() -> None:
    tokenizer = ready()
    letter = tokenizer.token_to_id("a")
    custom = Doubled()
    tokenizer.decoder = decoders.Decoder.custom(custom)
    stream = tokenizer.decode_stream()
    said: list[Any] = []

    def besides() -> None:
        custom.besides = lambda: None  # type: ignore[method-assign]
        said.append(outcome(stream.step, letter))

    custom.besides = besides  # type: ignore[method-assign]
    assert stream.step(letter) == "aa"
    assert said == ["aa"]
