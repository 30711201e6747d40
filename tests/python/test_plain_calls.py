"""Calls with plain arguments, which the engine answers at once, beside their slow twins, which ask step by step."""

# Functions made in loops are called before the loop goes on.
# ruff: noqa: B023

import base64
import copy
import pickle
import random
from bisect import bisect_left

import numpy
import pytest
from tessella import Tokenizer, _tessella, models, pre_tokenizers
from tessella.batch import PretrainedTokenizer
from tessella.compat import tiktoken
from tessella.compat.tiktoken.load import load_tiktoken_bpe
from tessella.compat.tiktoken.merging import merge

from tests.conformance import texts

BYTES = {bytes([byte]): byte for byte in range(256)}
MERGED = b"th|the| the|in|ing|an|and| and|  |\n\n|\xc3\xa9|na\xc3|0|00|hel|hello| w| wo|wor|world|'s".split(
    b"|"
)
LONG = {b"h" * 15: 300, b"h" * 16: 301, b"\xc3\xa9" * 9: 302}
RANKS = {**BYTES, **{token: 256 + place for place, token in enumerate(MERGED) if token not in BYTES}, **LONG}
SPECIALS = {"<|end|>": 1000, "<|fim|>": 1001, "<é>": 1003, "the": 5000}
PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
PIECES = [
    "hello", " world", "the and", "\n\n", "  ", "\t", "naïve é", "日本", "🙂", "1000", "'s", "\u0301", " !",
    "\ud83d\ude00", "\ud800", "<|end|>", "<|fim|>", "<é>", "<|end", "h" * 40, "é" * 20, "\x1c", "\x85", "",
]  # fmt: skip


class Step:
    """What leaves everything to the steps in Python."""

    def __init__(self, encoding):
        self.encoding = encoding

    def __getattr__(self, name):
        return lambda *arguments: None

    def ways(self, tail):
        """The ways to go on from these bytes, one after the other."""
        ranks = self.encoding._mergeable_ranks
        tokens = sorted(ranks)

        def beginning_with(start):
            place = bisect_left(tokens, start)
            while place < len(tokens) and tokens[place].startswith(start):
                yield tokens[place]
                place += 1

        found = dict.fromkeys((ranks[token],) for token in beginning_with(tail))
        for cut in range(1, len(tail)):
            for token in beginning_with(tail[cut:]):
                possible = tail[:cut] + token
                try:
                    ids = self.encoding.encode_ordinary(possible.decode("utf-8"))
                except UnicodeDecodeError:
                    ids = merge(possible, ranks)
                length = 0
                for count, id in enumerate(ids, 1):
                    length += len(self.encoding._bytes[id])
                    if length >= len(tail):
                        ids = ids[:count]
                        break
                found[tuple(ids)] = None
        try:
            last = tail.decode("utf-8")[-1:]
        except UnicodeDecodeError:
            last = ""
        head = tail[: len(tail) - len(last.encode("utf-8"))]
        # Unlike Python, Rust has no blanks among the separators of ASCII.
        if head and last.isspace() and last not in "\x1c\x1d\x1e\x1f":
            found[(*merge(head, ranks), *merge(tail[len(head) :], ranks))] = None
        return [list(ids) for ids in found]


def both(ranks=RANKS, specials=SPECIALS, pattern=PATTERN):
    plain, steps = (
        tiktoken.Encoding("mine", pat_str=pattern, mergeable_ranks=ranks, special_tokens=specials)
        for _ in range(2)
    )
    steps._ranked = Step(steps)
    return plain, steps


def outcome(call, of):
    """What comes back, as it is written with its types, or the error and its words."""
    try:
        found = call(of)
        return type(found), repr(found)
    except Exception as error:
        return type(error), str(error)


def same(pair, call, *what):
    plain, steps = (outcome(call, one) for one in pair)
    assert plain == steps, what


def ids_of(chosen):
    numbers = [*range(256), *range(256, 279), *LONG.values(), 1000, 1003, 5000]
    kind = chosen.randrange(6)
    ids = chosen.choices(numbers, k=chosen.randrange(12))
    if kind == 0:
        ids.append(chosen.choice([279, 999, 1002, 4999, 5001, 1 << 31, (1 << 32) - 1, 1 << 32, -1, 1 << 70]))
    if kind == 1:
        ids.append(chosen.choice([97.0, True, "a", None, numpy.int64(97), numpy.uint8(5), b"a"]))
    if kind == 2:
        return chosen.choice([tuple, set, numpy.array, iter, str])(ids)
    if kind == 3:
        return numpy.array(ids, chosen.choice([numpy.uint32, numpy.int64, numpy.int16, float]))
    return ids


@pytest.mark.parametrize(
    "pair",
    [
        both(),
        # An id far from all others, the empty token, a special token on a rank's id, and ids that are none.
        both(specials={**SPECIALS, "far": 4_000_000_000}),
        both({**RANKS, b"": 700}, {"<|end|>": 97, "<|fim|>": 700, "<é>": -5, "the": 1 << 40}),
        both(specials={"": 900}),
        both(specials={}),
        both({**RANKS, b"odd": numpy.int64(800)}),
    ],
)
def test_a_table_of_ranks(pair):
    chosen = random.Random(1)
    kinds = [
        {}, {"disallowed_special": ()}, {"allowed_special": "all"}, {"allowed_special": {"<|fim|>"}},
        {"allowed_special": {"<|fim|>"}, "disallowed_special": ()}, {"disallowed_special": {"<é>"}},
        {"allowed_special": ["<é>"]}, {"allowed_special": "the"}, {"disallowed_special": "the"},
        {"disallowed_special": []}, {"allowed_special": {"nothing"}},
    ]  # fmt: skip
    for _ in range(400):
        text = "".join(chosen.choices(PIECES, k=chosen.randrange(7)))
        for kind in kinds:
            same(pair, lambda e: e.encode(text, **kind), text, kind)
        same(pair, lambda e: e.encode_ordinary(text), text)
        same(pair, lambda e: e.encode_with_unstable(text[:12], disallowed_special=()), text)
        some = text.encode("utf-8", "replace")[chosen.randrange(3) :] + chosen.randbytes(chosen.randrange(3))
        same(pair, lambda e: e._encode_bytes(some), some)
        same(pair, lambda e: list(map(int, e._encode_single_piece(some))), some)
        if some:
            same(pair, lambda e: [list(map(int, way)) for way in e._ranked.ways(some[-6:])], some)
        same(pair, lambda e: e.encode_single_token(some[:3]), some)
        ids = ids_of(chosen)
        if not hasattr(ids, "__next__"):
            for errors in ("replace", "strict", "ignore", "nothing"):
                same(pair, lambda e: e.decode(ids, errors), ids, errors)
            same(pair, lambda e: e.decode_bytes(ids), ids)
            same(pair, lambda e: e.decode_tokens_bytes(ids), ids)
            same(pair, lambda e: e.decode_with_offsets(ids), ids)
            same(pair, lambda e: e.decode_batch([ids, [97]]), ids)
        for id in list(ids)[:2] if not isinstance(ids, str) else ids[:2]:
            same(pair, lambda e: e.decode_single_token_bytes(id), id)


def test_texts_and_ids_of_all_sizes():
    pair = both()
    chosen = random.Random(2)
    for size in (15, 16, 17, 900, 1023, 1025, 5000, 70_000, 1_100_000):
        text = "".join(chosen.choices([one for one in PIECES if "\ud800" not in one], k=size // 4))
        text = text.replace("\ud83d\ude00", "🙂")[:size]
        same(pair, lambda e: e.encode(text, disallowed_special=()), size)
        ids = pair[0].encode(text, disallowed_special=())
        same(pair, lambda e: e.decode(ids), size)
        same(pair, lambda e: e.decode_bytes(ids), size)
        if size < 10_000:
            same(pair, lambda e: e.decode_with_offsets(ids), size)
            same(pair, lambda e: e._encode_single_piece(text), size)


def test_copies():
    plain, _ = both()
    for made in (copy.copy(plain), copy.deepcopy(plain), pickle.loads(pickle.dumps(plain))):
        assert made.encode("hello the", allowed_special="all") == [*plain.encode("hello "), 5000]
        assert made.decode_bytes([1001, 300]) == b"<|fim|>" + b"h" * 15


def test_what_is_no_table():
    for ranks in (
        {"a": 0},
        {b"a": "0"},
        {b"a": -1},
        {b"a": 1 << 40},
        {b"a": 0, b"b": 0},
        {1: 1},
        {b"a": None},
    ):
        ranks = {**BYTES, **ranks}
        with pytest.raises(Exception) as mine:
            tiktoken.Encoding("x", pat_str=".", mergeable_ranks=ranks, special_tokens={})
        with pytest.raises(Exception) as by_lines:
            max(ranks.values())
            lines = b"".join(b"%s %d\n" % (base64.b64encode(token), rank) for token, rank in ranks.items())
            _tessella.Description.from_ranks(lines, ".")
        assert (mine.type, str(mine.value)) == (by_lines.type, str(by_lines.value))


@pytest.mark.parametrize(
    "lines",
    [
        b"YQ== 1\nYg== 2\n", b"YQ== 1\r\nYg== 2", b"YQ== 1\n\nYg== 2\n", b"YQ==  1\n", b"YQ==\t1\n", b"YQ== +1\n",
        b"YQ== 007\n", b"YQ== 1\nYQ== 2\n", b"YR== 1\n", b"YQ== 99999999999\n", b"YQ= 1\n", b"YQ== 1 2\n", b" 1\n",
        b"YQ== 1\rYg== 2\n", b"YQ== 1_0\n", b"YQ== -1\n", b"", b"\n", b"YQ== 1\x0bYg== 2", b"Y\xe9== 1\n",
    ],
)  # fmt: skip
def test_lines_of_ranks(lines, tmp_path, monkeypatch):
    (tmp_path / "ranks").write_bytes(lines)
    plain = outcome(load_tiktoken_bpe, tmp_path / "ranks")
    monkeypatch.setattr(_tessella, "read_ranks", lambda lines: None)
    assert plain == outcome(load_tiktoken_bpe, tmp_path / "ranks")


# Tokens and ids by the list.


def pretrained(**roles):
    names = ["<unk>", "a", "b", "é", "日本", "a" * 14, "a" * 15, "a" * 16, "", "▁the", "\n", "[X]"]
    backend = Tokenizer(models.WordLevel({name: place * 3 for place, name in enumerate(names)}, "<unk>"))
    backend.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return names, PretrainedTokenizer(backend, **roles)


@pytest.mark.parametrize("roles", [{}, {"unk_token": "<unk>"}, {"unk_token": "gone", "pad_token": "[X]"}])
def test_tokens_and_ids(roles, monkeypatch):
    names, tokenizer = pretrained(**roles)
    chosen = random.Random(3)
    cases = []
    for _ in range(300):
        ids = chosen.choices([*range(0, 40), 1000], k=chosen.randrange(8))
        tokens = chosen.choices([*names, "nothing", "gone"], k=chosen.randrange(8))
        if chosen.randrange(4) == 0:
            ids.append(chosen.choice([-1, 1 << 40, True, 1.5, "a", None, numpy.int64(3), numpy.array(3)]))
            tokens.append(chosen.choice([1, None, b"a", "\ud800", numpy.str_("a")]))
        kind = chosen.choice([list, list, list, tuple, numpy.array])
        cases.append((kind(ids) if kind is not numpy.array or set(map(type, ids)) <= {int} else ids, tokens))

    def answers():
        for ids, tokens in cases:
            yield outcome(lambda k: k.convert_ids_to_tokens(ids), tokenizer)
            yield outcome(lambda k: k.convert_ids_to_tokens(ids, skip_special_tokens=True), tokenizer)
            yield outcome(lambda k: k.convert_tokens_to_ids(tokens), tokenizer)
            yield outcome(lambda k: k.convert_tokens_to_string(tokens), tokenizer)
            yield outcome(
                lambda k: k.get_special_tokens_mask(ids, already_has_special_tokens=True), tokenizer
            )
            yield outcome(
                lambda k: k.pad([{"input_ids": ids}, {"input_ids": [1]}], padding="max_length", max_length=9),
                tokenizer,
            )
            yield outcome(lambda k: k.pad({"input_ids": [ids, [1]], "labels": [ids, [2]]}), tokenizer)
            yield outcome(
                lambda k: (k.all_special_ids, k.pad_token_id, k.unk_token_id, k.cls_token), tokenizer
            )

    plain = list(answers())
    from tessella.batch import padding, special
    from tessella.batch import tokenizer as whole

    for module, name in (
        (special, "tokens_of"), (whole, "text_of_tokens"), (special, "ids_of"), (special, "mask_of"), (padding, "copy_of_numbers"),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, lambda *arguments: None)
    assert plain == list(answers())


def test_rows_that_were_padded_are_new():
    _, tokenizer = pretrained(pad_token="[X]")
    row, labels = [1, 2], [3]
    made = tokenizer.pad({"input_ids": [row, [1]], "other": [labels, [4]]})
    made["input_ids"][0].append(5)
    made["other"][0].append(5)
    assert (row, labels) == ([1, 2], [3])


def test_texts_of_tokens_come_again():
    names, tokenizer = pretrained()
    wide = ["a" * length for length in range(1, 40)] + ["é" * length for length in range(1, 20)]
    many = {text: place for place, text in enumerate(dict.fromkeys([*wide, *map(str, range(30_000))]))}
    backend = Tokenizer(models.WordLevel(many, "a"))
    backend.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    text = " ".join(random.Random(4).choices(list(many), k=50_000))
    for _ in range(2):
        assert backend.encode(text).tokens == text.split()
        assert [backend.id_to_token(id) for id in range(len(many))] == list(many)
    assert tokenizer.backend_tokenizer.encode(" ".join(filter(None, names))).tokens


# Calls of one text.


def test_one_text_is_a_batch_of_one():
    _, tokenizer = pretrained(pad_token="[X]", unk_token="<unk>", model_max_length=50)
    kinds = [
        {}, {"truncation": True, "max_length": 2}, {"padding": "max_length", "max_length": 6}, {"padding": True},
        {"padding": True, "pad_to_multiple_of": 4}, {"return_offsets_mapping": True, "return_length": True},
        {"return_special_tokens_mask": True, "return_token_type_ids": True}, {"return_attention_mask": False},
        {"truncation": True, "max_length": 3, "stride": 1, "return_overflowing_tokens": True}, {"max_length": 1},
    ]  # fmt: skip
    for text in ("", "a", "a b", "a b é 日本 a nothing\n", "b " * 40):
        for kind in kinds:
            one, many = tokenizer(text, **kind), tokenizer([text], **kind)
            wanted = {
                key: value[0] if isinstance(value[0], list) and "overflow" not in str(kind) else value
                for key, value in many.items()
            }
            assert dict(one) == wanted, (text, kind)
            assert list(one) == list(many)
            if "overflow" not in str(kind):
                arrays = tokenizer(text, return_tensors="np", **kind)
                for key, value in many.items():
                    wanted = numpy.asarray(value)
                    wanted = wanted.astype(numpy.int64) if wanted.size == 0 else wanted
                    assert arrays[key].dtype == numpy.int64
                    assert arrays[key].shape == wanted.shape
                    assert (arrays[key] == wanted).all()
        assert tokenizer.encode(text) == tokenizer(text)["input_ids"]
        assert tokenizer.tokenize(text) == tokenizer(text, add_special_tokens=False).tokens()
    for call in (tokenizer, tokenizer.encode, tokenizer.tokenize):
        with pytest.raises(TypeError, match="row 0 of the batch"):
            call("a \ud800")


def test_rows_of_arrays():
    _, tokenizer = pretrained(pad_token="[X]")
    rows = ["a b", "a", "b é a"]
    options = {
        "return_offsets_mapping": True,
        "return_special_tokens_mask": True,
        "return_token_type_ids": True,
    }
    lists = tokenizer(rows, padding=True, **options)
    arrays = tokenizer(rows, padding=True, return_tensors="np", **options)
    assert {key: value.tolist() for key, value in arrays.items() if key != "offset_mapping"} == {
        key: value for key, value in lists.items() if key != "offset_mapping"
    }
    assert (arrays["offset_mapping"] == numpy.array(lists["offset_mapping"])).all()
    uneven = tokenizer(rows, return_tensors="np")
    assert uneven["input_ids"].dtype == object
    assert tokenizer([], return_tensors="np")["input_ids"].shape == (0,)


def test_real_tables():
    folder = texts.folder("TESSELLA_MODELS")
    if folder is None or not (folder / "cl100k_base.tiktoken").exists():
        pytest.skip("TESSELLA_MODELS names no folder with this file")
    ranks = load_tiktoken_bpe(folder / "cl100k_base.tiktoken")
    pair = both(ranks, {"<|endoftext|>": 100257})
    chosen = random.Random(5)
    for _ in range(300):
        ids = chosen.choices(range(100_258), k=chosen.randrange(40))
        same(pair, lambda e: e.decode(ids), ids)
        same(pair, lambda e: e.decode_with_offsets(ids), ids)
        same(pair, lambda e: e.encode(e.decode(ids)), ids)
        some = pair[0].decode_bytes(ids)[:30]
        same(pair, lambda e: e._encode_single_piece(some), some)
    for tail in (b" wor", b"\xe6\x97", b"  ", b"\n ", b"hel", b" x1", "日本".encode()):
        same(pair, lambda e: e._ranked.ways(tail), tail)
