"""The teaching names of `tiktoken`, beside the library: ranks, ids and bytes."""

import random

import pytest
from tessella.compat import tiktoken as ours
from tessella.compat.tiktoken import _educational as mine
from tessella.errors import ArgumentError

WORDS = r"\w+|\s+"
PATTERNS = [WORDS, r"'s|'t| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+", r"[\s\S]+"]


def lesson(module, text, pattern, size):
    encoding = module.SimpleBytePairEncoding.train(text, vocab_size=size, pat_str=pattern)
    ids = encoding.encode(text[::-1], visualise=None)
    assert encoding.encode(text[::-1], visualise="simple") == ids
    told = encoding.decode(ids), encoding.decode_bytes(ids), encoding.decode_tokens_bytes(ids)
    return encoding.mergeable_ranks, ids, told


@pytest.mark.parametrize("seed", range(12))
def test_as_the_library(seed, capsys):
    library = pytest.importorskip("tiktoken._educational", reason="the library itself is the oracle")
    draw = random.Random(seed)
    text = "".join(draw.choice("aabbcc  é日\n1") for _ in range(80))
    for pattern in PATTERNS:
        size = 256 + draw.randint(0, 12)
        assert lesson(mine, text, pattern, size) == lesson(library, text, pattern, size)


def test_from_an_encoding():
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"lo": 256, b"low": 257}
    encoding = ours.Encoding("mine", pat_str=WORDS, mergeable_ranks=ranks, special_tokens={})
    plain = mine.SimpleBytePairEncoding.from_tiktoken(encoding)
    text = "low lower, slow!"
    assert plain.encode(text, visualise=None) == encoding.encode(text)


def test_what_cannot_be_learned(capsys):
    with pytest.raises(ArgumentError, match=r"at least 256.*; it is 255"):
        mine.bpe_train("text", 255, WORDS)
    with pytest.raises(ArgumentError, match="300, but the text gives no more than 257"):
        mine.bpe_train("ab", 300, WORDS, visualise=None)
    with pytest.raises(ArgumentError, match="'colour', 'simple' or None, not 'red'"):
        mine.bpe_encode({b"a": 0}, b"a", visualise="red")


def test_what_is_shown(capsys):
    mine.visualise_tokens([b"a", b"\xff"])
    assert "a\033[48;5;" in (shown := capsys.readouterr().out) and "\ufffd\033[0m" in shown
    mine.bpe_encode({b"a": 0, b"aa": 1}, b"aa", visualise="simple")
    assert capsys.readouterr().out.splitlines() == ["[b'a', b'a']", "[b'aa']", ""]


def test_the_modules_names():
    """What is there after `import tiktoken` alone."""
    assert ours.model.MODEL_TO_ENCODING["gpt-4"] == "cl100k_base"
    assert ours.__version__.count(".") == 2
    encoding = ours.Encoding(
        "one", pat_str=".", mergeable_ranks={bytes([n]): n for n in range(256)}, special_tokens={"<s>": 256}
    )
    for call in (encoding.encode, encoding.encode_to_numpy, encoding.encode_with_unstable):
        with pytest.raises(TypeError, match="`text` must be a str, not int"):
            call(3)
