"""The face of tiktoken, beside the real one."""

# Functions made in loops are called before the loop goes on.
# ruff: noqa: B023

import hashlib
import io
import pickle
import random
import shutil
from array import array
from collections import deque

import numpy
import pytest
from tessella.compat import tiktoken as ours
from tessella.compat.tiktoken.known import KNOWN
from tessella.compat.tiktoken.load import dump_tiktoken_bpe, load_tiktoken_bpe
from tessella.compat.tiktoken.merging import merge
from tessella.errors import FormatError, HubError

from tests.conformance import texts

theirs = pytest.importorskip("tiktoken")
their_load = pytest.importorskip("tiktoken.load")

BYTES = {bytes([byte]): byte for byte in range(256)}
MERGED = b"th|the| the|in|ing|an|and| and|  |\n\n|\xc3\xa9|na\xc3|0|00|hel|hello| w| wo|wor|world|'s".split(
    b"|"
)
RANKS = {**BYTES, **{token: 256 + place for place, token in enumerate(MERGED) if token not in BYTES}}
SPECIALS = {"<|endoftext|>": 1000, "<|fim|>": 1001, "<é>": 1003}
PIECES = [
    "hello", " world", "the and", "\n\n", "  ", "\t", "naïve é", "日本", "🙂", "1000", "'s", "\u0301", " !",
    "\ud83d\ude00", "\ud800", "<|endoftext|>", "<|fim|>", "<é>", "<|end", "x" * 40,
]  # fmt: skip
KINDS = [
    {},
    {"disallowed_special": ()},
    {"allowed_special": "all"},
    {"allowed_special": {"<|fim|>"}},
    {"allowed_special": {"<|fim|>"}, "disallowed_special": ()},
    {"disallowed_special": {"<é>"}},
    {"disallowed_special": ("日",)},
    {"allowed_special": {"nothing"}, "disallowed_special": ()},
]


def both(pattern=KNOWN["cl100k_base"].pattern, ranks=RANKS, specials=SPECIALS):
    parts = {"pat_str": pattern, "mergeable_ranks": ranks, "special_tokens": specials}
    return ours.Encoding("mine", **parts), theirs.Encoding("mine", **parts)


@pytest.fixture(scope="module")
def pair():
    return both()


def outcome(call):
    """A result, or the built-in kinds of the exception."""
    try:
        return call()
    except Exception as error:
        return {cls for cls in type(error).__mro__ if cls.__module__ == "builtins"}


def same(mine, real, call):
    """Ours raises what the real one raises, and maybe something more exact."""
    found, expected = outcome(lambda: call(mine)), outcome(lambda: call(real))
    return found >= expected if isinstance(expected, set) and isinstance(found, set) else found == expected


def samples(count, seed):
    chosen = random.Random(seed)
    return ["".join(chosen.choices(PIECES, k=chosen.randrange(7))) for _ in range(count)]


def compare(mine, real, count):
    for text in samples(count, 1):
        for kind in KINDS:
            assert same(mine, real, lambda e: e.encode(text, **kind)), (text, kind)
            assert same(mine, real, lambda e: e.encode_to_numpy(text, **kind).tolist()), (text, kind)
        assert mine.encode_ordinary(text) == real.encode_ordinary(text)
        ids = real.encode(text, allowed_special="all")
        for call in (
            lambda e: e.decode(ids),
            lambda e: e.decode_bytes(ids),
            lambda e: e.decode_tokens_bytes(ids),
            lambda e: e.decode_with_offsets(ids),
        ):
            assert call(mine) == call(real), text
    rows = samples(count, 2)
    assert mine.encode_ordinary_batch(rows) == real.encode_ordinary_batch(rows)
    ids = real.encode_batch(rows, allowed_special="all")
    assert mine.encode_batch(rows, allowed_special="all") == ids
    assert mine.decode_batch(ids) == real.decode_batch(ids)
    assert mine.decode_bytes_batch(ids) == real.decode_bytes_batch(ids)


def test_texts(pair):
    compare(*pair, 400)


@pytest.mark.parametrize("pattern", [r"\w+", "a", r"[^\s]+|\s+(?!\S)|\s+", "(?i:the)|."])
def test_other_patterns(pattern):
    compare(*both(pattern), 60)


def test_bytes(pair):
    mine, real = pair
    chosen = random.Random(3)
    for text in samples(150, 4):
        tail = bytes(chosen.randrange(256) for _ in range(chosen.randrange(1, 6)))
        some = text.encode("utf-8", "replace") + tail
        assert mine._encode_bytes(some) == real._encode_bytes(some), some
        assert mine._encode_single_piece(some) == real._encode_single_piece(some), some
        assert same(mine, real, lambda e: e.encode_single_token(tail[:2])), tail
        ids = [chosen.randrange(1004) for _ in range(4)]
        for errors in ("replace", "ignore", "strict"):
            assert same(mine, real, lambda e: e.decode(ids, errors)), ids


def test_merging_is_that_of_the_real_one():
    real = both()[1]
    chosen = random.Random(9)
    for _ in range(300):
        piece = b"".join(chosen.choices([*MERGED, b"h", b"e", b"t", b"n", b"i"], k=chosen.randrange(1, 9)))
        assert merge(piece, RANKS) == real._encode_single_piece(piece)


def test_text_that_is_being_typed(pair):
    mine, real = pair
    for text in [
        "",
        "a",
        "hello wor",
        "the \n",
        " x  ",
        "日本",
        "éx",
        "<|fim|>",
        "a<|fim|>",
        "na",
        " 100",
        *samples(40, 6),
    ]:
        found = outcome(lambda: mine.encode_with_unstable(text, allowed_special="all"))
        expected = outcome(lambda: real.encode_with_unstable(text, allowed_special="all"))
        if isinstance(expected, tuple):
            assert (found[0], sorted(found[1])) == (expected[0], sorted(expected[1])), text
        else:
            assert found == expected


def test_a_special_token_of_blanks_ends_what_is_being_typed():
    made = {
        "pat_str": r"\w+|\s",
        "mergeable_ranks": {bytes([byte]): byte for byte in range(256)},
        "special_tokens": {"\n": 256, "  ": 257},
    }
    mine, real = (library.Encoding("made", **made) for library in (ours, theirs))
    for text in ("\n ", "a\n ", " \n", "   ", "a  \t", "\t \t", "a"):
        found, expected = (one.encode_with_unstable(text, allowed_special="all") for one in (mine, real))
        assert (found[0], sorted(found[1])) == (expected[0], sorted(expected[1])), text


@pytest.mark.parametrize(
    "call",
    [
        lambda e: e.encode_single_token("nothing like this"),
        lambda e: e.encode_single_token("<é>"),
        lambda e: e.encode_single_token(5),
        lambda e: e.decode([999]),
        lambda e: e.decode([-1]),
        lambda e: e.decode([1 << 40]),
        lambda e: e.decode(["a"]),
        lambda e: e.decode(5),
        lambda e: e.decode_bytes("ab"),
        lambda e: e.decode_tokens_bytes([1.5]),
        lambda e: e.decode_single_token_bytes(999),
        lambda e: e.decode_single_token_bytes(-1),
        lambda e: e.encode(5),
        lambda e: e.encode(b"a"),
        lambda e: e.encode_ordinary(5),
        lambda e: e.encode_ordinary(b"a"),
        lambda e: e.encode_ordinary_batch("ab"),
        lambda e: e.encode_ordinary_batch([b"a"]),
        lambda e: e.encode_batch([b"a"]),
        lambda e: e.encode_batch(["<|fim|>"]),
        lambda e: e.encode_to_numpy("\ud800"),
        lambda e: e.encode("a", allowed_special=["a"]),
        lambda e: e.encode("ax", disallowed_special="x"),
        lambda e: e.is_special_token("a"),
        lambda e: [e.is_special_token(id) for id in range(1005)],
        lambda e: (e.n_vocab, e.max_token_value, e.eot_token, e.name, repr(e), e.special_tokens_set),
        lambda e: e.token_byte_values(),
        lambda e: pickle.loads(pickle.dumps(e)).encode("hello the"),
    ],
)
def test_the_rest(pair, call):
    assert same(*pair, call)


def test_what_does_not_fit():
    for module in (ours, theirs):
        with pytest.raises(AssertionError):
            module.Encoding(
                "x", pat_str=".", mergeable_ranks=BYTES, special_tokens={"a": 300}, explicit_n_vocab=257
            )
        with pytest.raises(ValueError):
            module.Encoding("x", pat_str="(", mergeable_ranks=BYTES, special_tokens={})
    with pytest.raises(FormatError, match="0x00"):
        ours.Encoding("x", pat_str=".", mergeable_ranks={b"b": 0}, special_tokens={})


def test_broken_text_has_offsets(pair):
    mine, _ = pair
    ids = [0xE6, 0x97, 0x61, 0xFF, 0xE6, 0x97, 0xA5]
    text, offsets = mine.decode_with_offsets(ids)
    assert text == "\ufffda\ufffd日"
    assert offsets == [0, 0, 1, 2, 3, 3, 3]


def test_names():
    from tiktoken import model

    assert ours.list_encoding_names() == theirs.list_encoding_names()
    names = [*model.MODEL_TO_ENCODING, *(f"{prefix}x" for prefix in model.MODEL_PREFIX_TO_ENCODING)]
    assert len(names) > 60
    for name in names:
        assert ours.encoding_name_for_model(name) == theirs.encoding_name_for_model(name)
    with pytest.raises(KeyError, match="get_encoding"):
        ours.encoding_for_model("nobody")
    with pytest.raises(ValueError, match="known: gpt2"):
        ours.get_encoding("nobody")


def test_a_file_that_cannot_be_fetched(tmp_path, monkeypatch):
    def unreachable(address, timeout):
        raise OSError("no network here")

    monkeypatch.setattr("urllib.request.urlopen", unreachable)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    with pytest.raises(HubError, match=r"no network here.*p50k_base\.tiktoken.*TIKTOKEN_CACHE_DIR"):
        ours.get_encoding("p50k_edit")
    (tmp_path / "p50k_base.tiktoken").write_bytes(b"YQ== 0\n")
    with pytest.raises(FormatError, match="not the file that was asked for"):
        ours.get_encoding("p50k_base")


@pytest.fixture
def published(tmp_path, monkeypatch):
    """A small table at an address, a cache, and what was fetched."""
    content = tmp_path / "published"
    dump_tiktoken_bpe(RANKS, content)
    fetched = []

    def opened(address, timeout=None):
        fetched.append(address)
        return io.BytesIO(content.read_bytes())

    monkeypatch.setattr("urllib.request.urlopen", opened)
    monkeypatch.setattr(their_load, "read_file", lambda path: opened(path).getvalue())
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "cache"))
    return "https://host.invalid/small.tiktoken", hashlib.sha256(content.read_bytes()).hexdigest(), fetched


def test_the_cache_is_shared(published, tmp_path, monkeypatch):
    address, checksum, fetched = published
    assert load_tiktoken_bpe(address, checksum) == RANKS
    assert their_load.load_tiktoken_bpe(address, checksum) == RANKS
    assert fetched == [address]
    [kept] = (tmp_path / "cache").iterdir()
    # The other way around, and in the folder of the older variable.
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR")
    monkeypatch.setenv("DATA_GYM_CACHE_DIR", str(tmp_path / "older"))
    assert their_load.load_tiktoken_bpe(address, checksum) == RANKS
    assert load_tiktoken_bpe(address, checksum) == RANKS
    assert len(fetched) == 2
    assert [path.name for path in (tmp_path / "older").iterdir()] == [kept.name]


def test_a_bad_file_in_the_cache_is_fetched_again(published, tmp_path):
    address, checksum, fetched = published
    load_tiktoken_bpe(address, checksum)
    [kept] = (tmp_path / "cache").iterdir()
    kept.write_bytes(b"YQ== 0\n")
    assert load_tiktoken_bpe(address, checksum) == RANKS
    assert len(fetched) == 2 and hashlib.sha256(kept.read_bytes()).hexdigest() == checksum
    with pytest.raises(ValueError, match="not the file that was asked for"):
        load_tiktoken_bpe(address, "0" * 64)


def test_a_cache_can_be_switched_off(published, tmp_path, monkeypatch):
    address, checksum, fetched = published
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    for _ in range(2):
        assert load_tiktoken_bpe(address, checksum) == RANKS
    assert len(fetched) == 2 and not (tmp_path / "cache").exists()


def test_addresses_are_those_of_the_library(monkeypatch):
    from tiktoken_ext import openai_public

    asked = {}

    def load(address, expected_hash):
        asked[address] = expected_hash
        return {}

    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", load)
    for name in theirs.list_encoding_names():
        if name != "gpt2":
            openai_public.ENCODING_CONSTRUCTORS[name]()
            assert asked[KNOWN[name].file.address] == KNOWN[name].file.sha256


def test_files(tmp_path):
    path = tmp_path / "mine.tiktoken"
    dump_tiktoken_bpe(RANKS, path)
    assert load_tiktoken_bpe(path) == RANKS
    path.write_bytes(b"YQ== 0\n????\n")
    with pytest.raises(FormatError, match="line 2"):
        load_tiktoken_bpe(path)


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_harmony"])
def test_real_encodings(name, tmp_path, monkeypatch):
    folder = texts.folder("TESSELLA_MODELS")
    file = KNOWN[name].file
    if folder is None or not (folder / f"{file.stem}.tiktoken").exists():
        pytest.skip("TESSELLA_MODELS names no folder with this file")
    shutil.copy(folder / f"{file.stem}.tiktoken", tmp_path / hashlib.sha1(file.address.encode()).hexdigest())
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    mine, real = ours.get_encoding(name), theirs.get_encoding(name)
    assert mine is ours.get_encoding(name)
    assert mine._special_tokens == real._special_tokens
    assert pickle.loads(pickle.dumps(mine)).encode("hello") == real.encode("hello")
    compare(mine, real, 60)


def test_examples():
    import doctest
    import importlib

    tried = 0
    for name in ("", ".known", ".merging", ".registry"):
        module = importlib.import_module(f"tessella.compat.tiktoken{name}")
        result = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
        assert result.failed == 0
        tried += result.attempted
    assert tried >= 8


@pytest.mark.parametrize(
    "ids",
    [
        {1: 2}, {97, 98}, iter([97]), (one for one in [97]), {97: 1}.keys(), {}, "", "ab", b"ab", None, 97,
        [97.0], [97.5], ["a"], [None], [True], (97, 98), range(97, 99), bytearray(b"ab"), [],
        numpy.array([97, 98]), numpy.array([97.0]), numpy.array([True]), [numpy.int64(97)], [numpy.float64(97)],
        [numpy.array(97)], [numpy.array([97])], array("i", [97]), array("d", [97.0]), deque([97]), [5000],
    ],
    ids=lambda one: type(one).__name__ if hasattr(one, "__next__") else repr(one),
)  # fmt: skip
def test_what_ids_are(pair, ids):
    mine, real = pair
    for name in ("decode", "decode_bytes"):
        assert outcome(lambda: getattr(mine, name)(ids)) == outcome(lambda: getattr(real, name)(ids))


@pytest.mark.parametrize("name", ["encode", "encode_to_numpy", "encode_with_unstable", "encode_batch"])
def test_which_tokens_may_be_special(pair, name):
    text = ["a<é>"] if name == "encode_batch" else "a<é>"
    for tokens in (
        {""},
        ("",),
        ["", "x"],
        frozenset({"", "a"}),
        {"": 1},
        [1],
        (),
        ["x"],
        {"<é>"},
        "x",
        "all",
    ):
        for kinds in ({"disallowed_special": tokens}, {"allowed_special": tokens, "disallowed_special": ()}):
            found, expected = (outcome(lambda: getattr(one, name)(text, **kinds)) for one in pair)
            assert numpy.array_equal(found, expected) or found == expected, kinds


def test_the_tables_of_models():
    import tiktoken.model
    from tessella.compat.tiktoken import model

    assert model.MODEL_TO_ENCODING == tiktoken.model.MODEL_TO_ENCODING
    assert model.MODEL_PREFIX_TO_ENCODING == tiktoken.model.MODEL_PREFIX_TO_ENCODING
    assert model.encoding_for_model is ours.encoding_for_model
    assert model.encoding_name_for_model is ours.encoding_name_for_model


def test_tables_that_change_behind_an_encoding():
    """An encoding is what it was made of, for every way to ask."""
    told = []
    for library in (theirs, ours):
        ranks = {bytes([byte]): byte for byte in range(256)} | {b"he": 256}
        special = {"<|x|>": 300}
        encoding = library.Encoding("mine", pat_str=r"\w+|\W+", mergeable_ranks=ranks, special_tokens=special)
        ranks[b"zz"] = 400
        special["<|y|>"] = 401
        del ranks[b"he"]
        calls = [
            lambda encoding=encoding: encoding.encode_single_token(b"zz"),
            lambda encoding=encoding: encoding.encode_single_token(b"he"),
            lambda encoding=encoding: encoding.encode_single_token("<|y|>"),
            lambda encoding=encoding: encoding.decode_single_token_bytes(numpy.int64(400)),
            lambda encoding=encoding: encoding.decode_bytes((400,)),
            lambda encoding=encoding: encoding.decode((256, 300)),
            lambda encoding=encoding: encoding.decode_tokens_bytes((256,)),
            lambda encoding=encoding: encoding._encode_single_piece(b"zz"),
            lambda encoding=encoding: encoding.token_byte_values()[-2:],
            lambda encoding=encoding: encoding.n_vocab,
        ]
        told.append([])
        for call in calls:
            try:
                told[-1].append(call())
            except KeyError as error:
                told[-1].append(type(error))
    assert told[0] == told[1]


@pytest.mark.parametrize("blank", ["\x1c", "\x1d", "\x1e", "\x1f", "\x85", "\xa0", "\u3000", "\t"])
def test_blanks_at_the_end_may_be_cut_off(blank):
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"  ": 256, b" " + blank.encode(): 257}
    both = [
        library.Encoding("mine", pat_str=r"\w+|\W+", mergeable_ranks=ranks, special_tokens={})
        for library in (theirs, ours)
    ]
    for text in ("the a  " + blank, "a " + blank, blank, "a" + blank):
        (stable, ways), (our_stable, our_ways) = (one.encode_with_unstable(text) for one in both)
        assert (stable, sorted(ways)) == (our_stable, sorted(our_ways))
