"""The same calls on the library and on ours: results, and kinds of exceptions."""

import pickle
import random
from array import array

import numpy
import pytest
from sentencepiece_cases import outcome, sentences, train
from tessella.compat import sentencepiece as ours

library = pytest.importorskip("sentencepiece", reason="the library itself is the oracle")
library.SetMinLogLevel(4)

TEXTS = [
    "",
    " ",
    "the lower tower",
    "  two  spaces ",
    "東京タワーです 2024",
    "e\u0301x ﬁne ① ～ 🜁🜂 unknown",
    "sym<c><s>▁x\ty",
    b"bytes the low",
    b"broken \xff\xe3\x81 low",
    "\0 nul",
]
MODELS = {
    "unigram": {"model_type": "unigram", "hard_vocab_limit": False, "user_defined_symbols": ["sym", "<c>"]},
    "bytes": {"model_type": "bpe", "vocab_size": 400, "byte_fallback": True, "pad_id": 3},
    "bpe": {"model_type": "bpe", "vocab_size": 150, "bos_id": -1, "unk_surface": "?"},
    "word": {"model_type": "word", "vocab_size": 60, "treat_whitespace_as_suffix": True},
    "char": {"model_type": "char", "vocab_size": 90, "add_dummy_prefix": False},
    "as it is": {
        "model_type": "unigram",
        "hard_vocab_limit": False,
        "remove_extra_whitespaces": False,
        "normalization_rule_name": "identity",
    },
}


@pytest.fixture(scope="module", params=list(MODELS))
def pair(request):
    model = train(library, sentences(1), **MODELS[request.param])
    return library.SentencePieceProcessor(model_proto=model), ours.SentencePieceProcessor(model_proto=model)


OUT_TYPES = [int, str, bytes, "numpy", "serialized_proto", "offset_mapping"]
ENCODINGS = [
    {},
    {"add_bos": True, "add_eos": True, "reverse": True},
    {"emit_unk_piece": True, "reverse": True},
    {"add_eos": True},
]


@pytest.mark.parametrize("out_type", OUT_TYPES, ids=str)
@pytest.mark.parametrize("options", ENCODINGS, ids=lambda options: ",".join(options) or "plain")
def test_encode(pair, out_type, options):
    theirs, mine = pair
    for text in [*TEXTS, TEXTS[:7], [b"a", b"low"], []]:
        call = {"out_type": out_type, **options}
        assert outcome(mine.encode, text, **call) == outcome(theirs.encode, text, **call), text


def test_decode_what_was_encoded(pair):
    theirs, mine = pair
    for text in TEXTS:
        ids, pieces = theirs.encode(text), theirs.encode(text, out_type=str)
        values = (ids, pieces, ids[::-1], [ids, [], ids], [[], pieces], [piece.encode() for piece in pieces])
        for out_type in (str, bytes, "serialized_proto", "offset_mapping"):
            for value in values:
                expected = outcome(theirs.decode, value, out_type=out_type)
                assert outcome(mine.decode, value, out_type=out_type) == expected


def test_normalize(pair):
    theirs, mine = pair
    for text in TEXTS:
        assert mine.normalize(text) == theirs.normalize(text)
        assert mine.normalize(text, with_offsets=True) == theirs.normalize(text, with_offsets=True)


def test_nbest(pair):
    theirs, mine = pair
    for text in TEXTS[:7]:
        for options in ({}, {"nbest_size": 5}, {"nbest_size": 5, "add_eos": True, "emit_unk_piece": True}):
            for out_type in OUT_TYPES:
                call = {"out_type": out_type, **options}
                expected = outcome(theirs.nbest_encode, text, **call)
                assert outcome(mine.nbest_encode, text, **call) == expected


def test_the_vocabulary(pair):
    theirs, mine = pair
    size = len(theirs)
    assert (len(mine), mine.vocab_size(), mine.piece_size()) == (size, size, size)
    for name in ("id_to_piece", "get_score", "is_unknown", "is_control", "is_unused", "is_byte"):
        assert getattr(mine, name)(list(range(size))) == getattr(theirs, name)(list(range(size)))
    for name in ("unk_id", "bos_id", "eos_id", "pad_id"):
        assert getattr(mine, name)() == getattr(theirs, name)()
    pieces = [theirs.id_to_piece(id) for id in range(size)] + ["no such piece"]
    assert mine.piece_to_id(pieces) == theirs.piece_to_id(pieces)
    assert mine.serialized_model_proto() == theirs.serialized_model_proto()


CALLS = {
    "a number": lambda p: p.encode(3),
    "a tuple": lambda p: p.encode(("a", "b")),
    "a list of numbers": lambda p: p.encode([1]),
    "nothing": lambda p: p.encode(None),
    "an old type": lambda p: p.encode("a", out_type="immutable_proto"),
    "an unknown type": lambda p: p.encode("a", out_type="zzz"),
    "two types": lambda p: p.encode("a", out_type=int, return_type=int),
    "return_bytes": lambda p: p.encode("a", return_bytes=True),
    "return_bytes of a mapping": lambda p: p.encode("é", out_type="offset_mapping", return_bytes=True),
    "sampling of many": lambda p: p.encode("low", enable_sampling=True, nbest_size=600),
    "the 512 best": lambda p: p.nbest_encode("low", nbest_size=512),
    "the 513 best": lambda p: p.nbest_encode("low", nbest_size=513),
    "messages of the 513 best": lambda p: p.nbest_encode("low", nbest_size=513, out_type="proto"),
    "sampling of one": lambda p: p.encode("low", enable_sampling=True, nbest_size=1),
    "threads": lambda p: p.encode("a", num_threads="3"),
    "no pool": lambda p: p.encode(["a"], thread_pool=3),
    "parallel": lambda p: p.parallel_encode("the lower tower the low", chunk_len=5, out_type=str),
    "parallel without length": lambda p: p.parallel_encode("a"),
    "parallel mapping": lambda p: p.parallel_encode("a", chunk_len=3, out_type="offset_mapping"),
    "decode nothing": lambda p: (p.decode(None), p.decode(""), p.decode([]), p.decode([[]])),
    "decode below": lambda p: p.decode([-1]),
    "decode above": lambda p: p.decode([10**6]),
    "decode huge": lambda p: p.decode([2**40]),
    "decode float": lambda p: p.decode([1.5]),
    "decode one": lambda p: (p.decode(9), p.decode("▁a"), p.decode([True]), p.decode((9, 10))),
    "decode mixed": lambda p: p.decode([1, "a"]),
    "decode mixed the other way": lambda p: p.decode(["a", 1]),
    "decode dict": lambda p: p.decode({1: 2}),
    "decode as ids": lambda p: p.decode([5], out_type=int),
    "decode as numpy": lambda p: p.decode([5], out_type="numpy"),
    "decode array": lambda p: p.decode(numpy.array([9, 10])),
    "decode rows": lambda p: p.decode(numpy.array([[9, 10], [11, 12]])),
    "decode small numbers": lambda p: p.decode(numpy.array([9], dtype=numpy.uint8)),
    "decode floats": lambda p: p.decode(numpy.array([9.0])),
    "decode mapping": lambda p: p.decode([9, 10], out_type="offset_mapping", return_bytes=True),
    "piece of a number": lambda p: p.piece_to_id(3),
    "piece of a list": lambda p: p.piece_to_id([3]),
    "pieces": lambda p: (p["▁the"], p.piece_to_id("▁the".encode()), p.piece_to_id(("▁the",))),
    "id of an array": lambda p: p.id_to_piece(numpy.array([3])),
    "id below": lambda p: p.id_to_piece(-1),
    "id of a text": lambda p: p.id_to_piece("a"),
    "id of a float": lambda p: p.get_score(1.0),
    "piece of broken bytes": lambda p: (p.piece_to_id(b"\xff"), p.piece_to_id([b"\xe3\x81", "a"])),
    "piece of a bytearray": lambda p: (p.piece_to_id(bytearray(b"a")), p.piece_to_id([bytearray(b"\xff")])),
    "piece of an empty bytearray": lambda p: p.piece_to_id(bytearray()),
    "piece of a lone surrogate": lambda p: p.piece_to_id("\ud800"),
    "pieces of a set": lambda p: p.piece_to_id({"a"}),
    "ids of a set": lambda p: p.id_to_piece({1, 2}),
    "ids of an empty set": lambda p: (p.get_score(set()), p.decode(set())),
    "ids of a dict": lambda p: p.id_to_piece({1: 2}),
    "id of an array of none": lambda p: p.id_to_piece(numpy.array(3)),
    "id of a long number": lambda p: p.id_to_piece(numpy.int64(2**40)),
    "ids of long numbers": lambda p: p.id_to_piece(numpy.array([2**40])),
    "ids of a long array": lambda p: p.id_to_piece(array("q", [2**40])),
    "decode a lone surrogate": lambda p: p.decode(["a\ud800"]),
    "decode bytearrays": lambda p: p.decode([bytearray(b"a")]),
    "load nothing": lambda p: p.Load(),
    "load two": lambda p: p.Load("a", b"b"),
    "load a missing file": lambda p: p.LoadFromFile("/does/not/exist"),
    "load text": lambda p: p.LoadFromSerializedProto("abc"),
    "load rubbish": lambda p: p.LoadFromSerializedProto(b"abc"),
}


@pytest.mark.parametrize(
    "name", ["id_to_piece", "get_score", "is_unknown", "is_control", "is_unused", "is_byte"]
)
def test_ids_have_32_bits(pair, name):
    theirs, mine = pair
    for id in (2**31 - 1, 2**31, 2**32, 2**64, -1, -(2**31), -(2**31) - 1, True, 1.0, None):
        for value in (id, [id]):
            assert outcome(getattr(mine, name), value) == outcome(getattr(theirs, name), value), value


BROKEN = [
    [b"\xe3\x81", b"\x82"],
    [b"\xff", "a"],
    ["\u3042", b"\xff"],
    [b"<0xE3>", b"<0x81>", b"\x82"],
    ["\u2581".encode() + b"\xff", "\u2581a".encode()],
    [b"\xe2\x96", b"\x81a", b"\x81"],
    [["a"], [b"\xff"]],
    [[b"\xff"], ["a"]],
]


@pytest.mark.parametrize("out_type", [str, bytes, "serialized_proto", "offset_mapping"], ids=str)
@pytest.mark.parametrize("pieces", BROKEN, ids=repr)
def test_decoding_pieces_that_are_no_text(pair, pieces, out_type):
    theirs, mine = pair
    expected = outcome(theirs.decode, pieces, out_type=out_type)
    assert outcome(mine.decode, pieces, out_type=out_type) == expected
    if out_type is str:
        assert outcome(mine.decode_pieces, pieces) == expected


@pytest.mark.parametrize("name", CALLS)
def test_odd_calls(pair, name):
    theirs, mine = pair
    assert outcome(CALLS[name], mine) == outcome(CALLS[name], theirs)


@pytest.mark.parametrize(
    "call",
    [
        lambda p: p.encode("a"),
        lambda p: p.piece_size(),
        lambda p: p.piece_to_id("a"),
        lambda p: p.id_to_piece(0),
        lambda p: (p.unk_id(), p.bos_id(), p.eos_id(), p.pad_id()),
        lambda p: p.normalize("a"),
        lambda p: p.decode([1]),
        lambda p: p.decode("a"),
        lambda p: p.encode([]),
        lambda p: p.encode([], add_bos=True, num_threads=2),
        lambda p: [len(rows) for rows in (p.encode([], out_type="numpy"), p.encode([], out_type=str))],
        lambda p: p.id_to_piece(2**31),
        lambda p: p.id_to_piece({1, 2}),
        lambda p: p.piece_to_id(bytearray(b"a")),
        lambda p: p.decode([b"\xff"]),
        lambda p: p.serialized_model_proto(),
    ],
)
def test_without_a_model(call):
    expected = outcome(call, library.SentencePieceProcessor())
    assert outcome(call, ours.SentencePieceProcessor()) == expected


def test_the_same_names():
    for name in ("SentencePieceProcessor", "SentencePieceTrainer", "SentencePieceNormalizer"):
        theirs = {one for one in dir(getattr(library, name)) if not one.startswith("_")}
        assert theirs <= set(dir(getattr(ours, name)))
    names = {name for name in dir(library) if name[0] != "_" and callable(getattr(library, name))}
    assert names <= set(dir(ours))


def test_pickles_keep_model_and_options(pair):
    _, mine = pair
    mine = ours.SentencePieceProcessor(model_proto=mine.serialized_model_proto(), out_type=str, add_eos=True)
    again = pickle.loads(pickle.dumps(mine))
    assert again.encode("the low") == mine.encode("the low")
    assert again.encode("the low")[-1] == "</s>"


def test_messages(pair):
    _, mine = pair
    text = "the lower é"
    message = mine.encode(text, out_type="proto")
    mapping = mine.encode(text, out_type="offset_mapping", return_bytes=True)
    assert message.text == text
    assert [piece.id for piece in message.pieces] == mapping["ids"]
    assert [(piece.begin, piece.end) for piece in message.pieces] == mapping["offsets"]
    for piece in message.pieces:
        assert text.encode()[piece.begin : piece.end].decode() == piece.surface
    assert message.SerializeToString() == mine.encode(text, out_type="serialized_proto")
    again = ours.SentencePieceText()
    again.ParseFromString(message.SerializeToString())
    assert again == message == pickle.loads(pickle.dumps(message))


def test_samples_follow_the_probabilities():
    model = train(library, sentences(1), **MODELS["unigram"])
    theirs = library.SentencePieceProcessor(model_proto=model)
    mine = ours.SentencePieceProcessor(model_proto=model)
    ours.set_random_generator_seed(5)
    text, draws = "lower", 4000

    def shares(processor):
        counted: dict[tuple[str, ...], int] = {}
        for _ in range(draws):
            pieces = tuple(processor.sample_encode_as_pieces(text, -1, 0.3))
            counted[pieces] = counted.get(pieces, 0) + 1
        return {pieces: count / draws for pieces, count in counted.items()}

    expected, found = shares(theirs), shares(mine)
    for pieces in expected.keys() | found.keys():
        assert abs(expected.get(pieces, 0) - found.get(pieces, 0)) < 0.05
    ours.set_random_generator_seed(1)
    once = [mine.sample_encode_as_ids(text, -1, 0.3) for _ in range(20)]
    ours.set_random_generator_seed(1)
    assert [mine.sample_encode_as_ids(text, -1, 0.3) for _ in range(20)] == once


NORMALIZERS = [
    {},
    {"rule_name": "foo"},
    {"rule_tsv": "/does/not/exist"},
    {"model_file": "/does/not/exist"},
    {"model_proto": b"abc"},
    {"norm_map": [("", "b")]},
    {"norm_map": [("a", "b"), ("ab", ""), ("é", "e")]},
    *({"rule_name": name} for name in ("nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity")),
    {"rule_name": "nfkc", "add_dummy_prefix": False, "escape_whitespaces": False},
    {"rule_name": "nfkc", "remove_extra_whitespaces": False},
]


@pytest.mark.parametrize("options", NORMALIZERS, ids=str)
def test_normalizers(options):
    def results(module):
        normalizer = module.SentencePieceNormalizer(**options)
        normalizer = pickle.loads(pickle.dumps(normalizer))
        texts = [*TEXTS, "Straße ǅ Σς ẞ Ⅷ ㍿ か\u3099 \ufeff\u200b\ufffd", TEXTS[:3]]
        return [
            normalizer.normalize(text, with_offsets=offsets) for text in texts for offsets in (False, True)
        ]

    assert outcome(results, ours) == outcome(results, library)


@pytest.mark.parametrize("name", ["nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf"])
def test_named_rules_are_the_library_s(name):
    mine = ours.SentencePieceNormalizer(rule_name=name).decompile()
    assert mine == sorted(library.SentencePieceNormalizer(rule_name=name).decompile())


def test_rules_of_models_of_either_maker_are_read_whole():
    """The library's maps share nodes; ours do too, so that models have the size they have there."""
    both = (ours, library)
    models = [one.SentencePieceNormalizer(rule_name="nmt_nfkc").serialized_model_proto() for one in both]
    assert len(models[0]) < 1.1 * len(models[1])
    for model in models:
        mine, theirs = (one.SentencePieceNormalizer(model_proto=model).decompile() for one in both)
        assert len(mine) == 225_276
        assert mine == sorted(theirs)


@pytest.mark.parametrize("name", ["nmt_nfkc", "nfkc_cf", "identity"])
def test_blanks_that_vanish_keep_their_place(name):
    """Where blanks and spelled out blanks meet, down to texts of which nothing is left."""
    choice = random.Random(7)
    switches = ("add_dummy_prefix", "escape_whitespaces", "remove_extra_whitespaces")
    for _ in range(40):
        options = {switch: choice.random() < 0.7 for switch in switches}
        mine, theirs = (
            module.SentencePieceNormalizer(rule_name=name, **options) for module in (ours, library)
        )
        texts = ["".join(choice.choices(" ▁\u3000aé\tﬁ", k=choice.randrange(7))) for _ in range(40)]
        for text in [*texts, " ▁", "▁ ", "\u3000▁", "  ▁ ", b" \xe2\x96\x81\xff"]:
            found, expected = (one.normalize(text, with_offsets=True) for one in (mine, theirs))
            assert found == expected, (options, text)


def test_rule_files(tmp_path):
    rules = tmp_path / "rules.tsv"
    rules.write_text("41\t61\t# a comment\nU+42 43\t\n3042\t30A2\n20 20\t20\n", encoding="utf-8")
    results = [
        module.SentencePieceNormalizer(rule_tsv=str(rules)).normalize("ABC あ  B")
        for module in (library, ours)
    ]
    assert results[0] == results[1]


@pytest.mark.parametrize("room", ["_processor", "_trainer", "_normalizer", "_settings", ""])
def test_examples(room):
    import doctest
    import importlib

    name = "tessella.compat.sentencepiece" + ("." + room if room else "")
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_messages_to_read(pair):
    """They are printed as protocol buffers are: indented, in double quotes, floats with nine digits."""
    theirs, mine = pair
    for text in ("the lower", "a\"b'c\\ \n\t é 🜁 \x01\x7f", ""):
        assert str(mine.encode_as_proto(text)) == str(theirs.encode_as_proto(text))
    assert str(mine.decode_ids_as_proto([5, 6])) == str(theirs.decode_ids_as_proto([5, 6]))
    said = outcome(lambda: str(theirs.nbest_encode_as_proto("the lower", 3)))
    assert outcome(lambda: str(mine.nbest_encode_as_proto("the lower", 3))) == said
