"""Tokenizers as text, as copies, as pickles and as files, whatever they were loaded from."""

import base64
import copy
import errno
import json
import multiprocessing
import os
import pickle
import random
import struct
import sys
import types

import pytest
import tessella
from tessella import (
    AddedToken,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)
from tessella.errors import TrainError, UnsupportedError

TEXTS = ["the cat, the  hat", " thé\t☃ 100%", "<s>the</s>", "", "ab<|end|>ab", "the [SEP] fox"]
PATTERN = r"\w+|\s+|[^\w\s]+"


def _varint(number):
    out = b""
    while number > 0x7F:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def _field(number, data):
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _flag(number, value):
    return _varint(number << 3) + _varint(value)


def _model(kind=1, **normalizer):
    """A small model: 1 unigram, 2 BPE."""
    pieces = [("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("</s>", 0.0, 3), ("[SEP]", 0.0, 4)]
    pieces += [(f"<0x{byte:02X}>", 0.0, 6) for byte in range(256)]
    words = ["▁", "t", "h", "e", "c", "a", ",", "th", "▁t", "▁th", "▁the", "at", "▁c", "▁cat", "he"]
    pieces += [(word, -float(at) - 1, 1) for at, word in enumerate(words)]
    data = b"".join(
        _field(1, _field(1, text.encode()) + b"\x15" + struct.pack("<f", score) + _flag(3, type))
        for text, score, type in pieces
    )
    data += _field(2, _flag(3, kind) + _flag(35, 1))
    fields = _field(1, b"identity")
    for number, name in ((3, "add_dummy_prefix"), (4, "remove_extra_whitespaces"), (5, "escape_whitespaces")):
        fields += _flag(number, normalizer.get(name, 1))
    return data + _field(3, fields)


@pytest.fixture(params=[1, 2], ids=["unigram", "bpe"])
def sentencepiece(request, tmp_path):
    path = tmp_path / "source.model"
    path.write_bytes(_model(request.param))
    return tessella.load(path)


@pytest.fixture
def ranks(tmp_path):
    tokens = [bytes([byte]) for byte in range(256)] + [b"th", b"the", b" the"]
    lines = [f"{base64.b64encode(token).decode()} {rank}" for rank, token in enumerate(tokens)]
    path = tmp_path / "source.tiktoken"
    path.write_text("\n".join(lines) + "\n")
    return tessella.load(path, pattern=PATTERN, special_tokens={"<|end|>": 300, "<s>": 310})


@pytest.fixture(params=["sentencepiece", "ranks", "words", "bpe", "vocab_txt"])
def any_format(request, tmp_path):
    if request.param == "sentencepiece":
        path = tmp_path / "any.model"
        path.write_bytes(_model())
        return tessella.load(path)
    if request.param == "vocab_txt":
        # An added token far behind the vocabulary, as such folders have them.
        (tmp_path / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\ncat\n##s\n")
        (tmp_path / "added_tokens.json").write_text('{"<extra>": 90}')
        (tmp_path / "tokenizer_config.json").write_text('{"do_lower_case": true}')
        return tessella.load(tmp_path)
    return request.getfixturevalue(request.param)


def same(one, other):
    assert [e.ids for e in one.encode_batch(TEXTS)] == [e.ids for e in other.encode_batch(TEXTS)]
    assert [e.offsets for e in one.encode_batch(TEXTS)] == [e.offsets for e in other.encode_batch(TEXTS)]
    for text in TEXTS:
        ids = one.encode(text).ids
        assert one.decode(ids) == other.decode(ids)
        assert one.decode(ids, skip_special_tokens=False) == other.decode(ids, skip_special_tokens=False)
    assert one.get_vocab() == other.get_vocab()
    assert one.truncation == other.truncation
    assert one.padding == other.padding


def test_every_format_prints_copies_and_pickles(any_format):
    any_format.add_special_tokens(["<new>"])
    any_format.add_tokens([AddedToken("q", single_word=True, normalized=False)])
    any_format.enable_truncation(7, stride=1)
    any_format.enable_padding(pad_token="<pad>", pad_id=1)
    assert repr(any_format).startswith("Tokenizer(")
    assert str(any_format).startswith("Tokenizer(")
    for made in (copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))):
        again = made(any_format)
        same(any_format, again)
        assert repr(again) == repr(any_format)
        assert again.fingerprint() == any_format.fingerprint()


def test_copies_are_independent(words):
    words.normalizer = normalizers.BertNormalizer(lowercase=False)
    words.config = {"note": ["x"]}
    for made, shared in ((copy.copy, True), (copy.deepcopy, False)):
        again = made(words)
        assert (again.config is words.config) == shared
        again.normalizer.lowercase = True
        assert again.encode_ids("THE").tolist() != words.encode_ids("THE").tolist()
        again.add_tokens(["another"])
        assert words.token_to_id("another") is None
        part = made(words.normalizer)
        part.lowercase = True
        assert not words.normalizer.lowercase


def test_a_copy_keeps_how_special_tokens_are_read(words):
    words.encode_special_tokens = True
    for again in (copy.copy(words), pickle.loads(pickle.dumps(words))):
        assert again.encode_special_tokens
        same(words, again)


def test_a_sentencepiece_tokenizer_prints_what_it_is(sentencepiece):
    kind = sentencepiece.model.kind
    assert f'SentencePiece(kind="{kind}", vocab_size=275, byte_fallback=True)' in repr(sentencepiece)
    assert "custom" not in repr(sentencepiece)
    assert isinstance(sentencepiece.model, models.SentencePiece)
    assert isinstance(sentencepiece.normalizer, normalizers.SentencePiece)
    assert isinstance(sentencepiece.decoder, decoders.SentencePiece)
    assert repr(sentencepiece.normalizer).startswith('SentencePiece(name="identity", add_dummy_prefix=True')
    for module, name in ((models, "Model"), (normalizers, "Normalizer"), (decoders, "Decoder")):
        assert "SentencePiece" in module.__all__ and name in module.__all__
    with pytest.raises(AttributeError, match="vocab_size"):
        sentencepiece.model.vocab_size = 3


def test_parts_of_a_sentencepiece_tokenizer_pickle(sentencepiece):
    other = pickle.loads(pickle.dumps(sentencepiece))
    for name in ("model", "normalizer", "decoder"):
        setattr(other, name, pickle.loads(pickle.dumps(getattr(sentencepiece, name))))
    same(sentencepiece, other)
    # Parts of one model in another tokenizer do not take their own file's place.
    other.normalizer = normalizers.Sequence([normalizers.Lowercase(), sentencepiece.normalizer])
    other.decoder = None
    again = pickle.loads(pickle.dumps(other))
    same(other, again)
    assert again.decoder is None


def test_what_json_cannot_express_pickles():
    tokenizer = Tokenizer(models.Unigram([("<unk>", 0.0), ("a", -1.0)], 0))
    tokenizer.pre_tokenizer = pre_tokenizers.UnicodeScripts(keep_spaces=True)
    with pytest.raises(UnsupportedError):
        tokenizer.to_str()
    assert "UnicodeScripts" in repr(tokenizer)
    same(tokenizer, pickle.loads(pickle.dumps(tokenizer)))


def _encode(tokenizer):
    return tokenizer.encode_ids("the cat<|end|>").tolist()


def test_spawned_processes_get_every_format(sentencepiece, ranks, words):
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        tokenizers = [sentencepiece, ranks, words]
        assert pool.map(_encode, tokenizers) == [_encode(one) for one in tokenizers]


class Shout:
    def normalize(self, text):
        text.uppercase()


def test_importable_components_unpickle(words, monkeypatch):
    module = types.ModuleType("components_of_mine")
    module.Shout = type("Shout", (Shout,), {"__module__": "components_of_mine", "__qualname__": "Shout"})
    monkeypatch.setitem(sys.modules, "components_of_mine", module)
    words.normalizer = normalizers.Sequence([normalizers.Normalizer.custom(module.Shout())])
    again = pickle.loads(pickle.dumps(words))
    assert again.normalizer.normalize_str("the") == "THE"
    same(words, again)
    part = pickle.loads(pickle.dumps(words.normalizer))
    assert part.normalize_str("the") == "THE"

    class Local(Shout):
        pass

    words.normalizer = normalizers.Normalizer.custom(Local())
    assert copy.copy(words).normalizer.normalize_str("the") == "THE"
    with pytest.raises(UnsupportedError, match="import path"):
        pickle.dumps(words)


def test_json_files(words, tmp_path):
    for name in ("tokenizer.json", "without_suffix", "odd-2024.05"):
        words.save(tmp_path / name)
        assert (tmp_path / name).read_text(encoding="utf-8") == words.to_str(True)
        same(words, tessella.load(tmp_path / name))
    words.save(str(tmp_path / "flat.json"), pretty=False)
    assert (tmp_path / "flat.json").read_text(encoding="utf-8") == words.to_str()
    with pytest.raises(ValueError, match="promises a SentencePiece model"):
        words.save(tmp_path / "a.model", format="json")
    assert not (tmp_path / "a.model").exists()
    with pytest.raises(ValueError, match="'folder'"):
        words.save(tmp_path / "x", format="yaml")


def test_model_files(sentencepiece, words, tmp_path):
    sentencepiece.save(tmp_path / "again.model")
    assert (tmp_path / "again.model").read_bytes() == (tmp_path / "source.model").read_bytes()
    same(sentencepiece, tessella.load(tmp_path / "again.model"))
    with pytest.raises(UnsupportedError, match="SentencePiece"):
        sentencepiece.save(tmp_path / "tokenizer.json")
    assert not (tmp_path / "tokenizer.json").exists()
    with pytest.raises(UnsupportedError, match="SentencePiece"):
        words.save(tmp_path / "words.model")


@pytest.mark.parametrize(
    ("change", "obstacle"),
    [
        (lambda t: t.add_special_tokens(["<s>"]), "`<s>`"),
        (lambda t: t.enable_truncation(5), "truncation"),
        (lambda t: t.enable_padding(), "padding"),
        (lambda t: setattr(t, "decoder", None), "decoder"),
        (lambda t: setattr(t, "normalizer", None), "normalizer"),
        (lambda t: setattr(t, "pre_tokenizer", pre_tokenizers.Whitespace()), "pre-tokenizer"),
        (lambda t: setattr(t, "post_processor", processors.ByteLevel()), "post-processor"),
    ],
)
def test_obstacles_to_model_files_are_named(change, obstacle, tmp_path):
    path = tmp_path / "x.model"
    path.write_bytes(_model())
    tokenizer = tessella.load(path)
    change(tokenizer)
    with pytest.raises(UnsupportedError, match=obstacle):
        tokenizer.save(tmp_path / "y.model")
    assert sorted(tmp_path.iterdir()) == [path]


def test_tables_of_ranks(ranks, bpe, tmp_path):
    assert "model=BPE(by_rank=True, vocab_size=259)" in repr(ranks)
    path = tmp_path / "again.tiktoken"
    ranks.save(path)
    assert path.read_bytes() == (tmp_path / "source.tiktoken").read_bytes()
    same(ranks, tessella.load(path, pattern=PATTERN, special_tokens={"<|end|>": 300, "<s>": 310}))
    # What `\\w` matches differs between the dialects.
    with pytest.raises(UnsupportedError, match="regular expression"):
        ranks.save(tmp_path / "ranks.json")
    simple = tessella.load(path, pattern="[a-z]+|[^a-z]+", special_tokens={"<|end|>": 300})
    simple.save(tmp_path / "ranks.json")
    again = tessella.load(tmp_path / "ranks.json")
    assert [again.encode(text).ids for text in TEXTS] == [simple.encode(text).ids for text in TEXTS]
    ranks.add_tokens(["plain"])
    with pytest.raises(UnsupportedError, match="`plain`"):
        ranks.save(path)


def test_a_trained_list_of_merges_is_written_as_ranks_where_ranks_say_the_same(tmp_path):
    tiktoken = pytest.importorskip("tiktoken")
    chance = random.Random(3)
    text = ["".join(chance.choice("abc dé🙂") for _ in range(60)) for _ in range(200)]
    for size in (257, 280, 400):
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        tokenizer.train_from_iterator(
            text, trainers.BpeTrainer(vocab_size=size, special_tokens=["<s>"], initial_alphabet=alphabet)
        )
        path = tmp_path / "trained.tiktoken"
        tokenizer.save(path)
        same(tokenizer, tessella.load(path, pattern="gpt2", special_tokens={"<s>": 0}))
        lines = [line.split() for line in path.read_bytes().splitlines()]
        theirs = tiktoken.Encoding(
            "trained",
            pat_str=r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
            mergeable_ranks={base64.b64decode(token): int(rank) for token, rank in lines},
            special_tokens={"<s>": 0},
        )
        for line in [*text, *TEXTS]:
            assert theirs.encode(line, allowed_special="all") == tokenizer.encode_ids(line).tolist()


def test_what_ranks_cannot_say(tmp_path):
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocab = {char: id for id, char in enumerate(alphabet)}
    vocab |= {"ab": 256, "bc": 257, "abc": 258}

    def tokenizer(merges, **options):
        made = Tokenizer(models.BPE(vocab, merges, **options))
        made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        made.decoder = decoders.ByteLevel()
        return made

    good = [("a", "b"), ("b", "c"), ("ab", "c")]
    tokenizer(good).save(tmp_path / "x.tiktoken")
    # Never taken, so it says nothing.
    tokenizer([*good, ("a", "bc")]).save(tmp_path / "x.tiktoken")
    for merges, options, obstacle in [
        ([("a", "b"), ("ab", "c"), ("b", "c")], {}, "order of merges"),
        ([("b", "c"), ("a", "b"), ("ab", "c")], {}, "no merges lead to the token `abc`"),
        ([("a", "b"), ("b", "c")], {}, "no merges lead to the token `abc`"),
        (good, {"dropout": 0.5}, "dropout"),
    ]:
        with pytest.raises(UnsupportedError, match=obstacle):
            tokenizer(merges, **options).save(tmp_path / "y.tiktoken")
    for change in (
        lambda made: setattr(made, "normalizer", normalizers.NFC()),
        lambda made: setattr(made, "pre_tokenizer", pre_tokenizers.ByteLevel(add_prefix_space=True)),
        lambda made: setattr(made, "decoder", decoders.Fuse()),
    ):
        made = tokenizer(good)
        change(made)
        with pytest.raises(UnsupportedError, match="table of ranks"):
            made.save(tmp_path / "y.tiktoken")
    with pytest.raises(UnsupportedError, match="only a BPE model"):
        Tokenizer(models.WordLevel({"a": 0})).save(tmp_path / "y.tiktoken")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.tiktoken", "x.tiktoken.json"]


def test_folders(words, sentencepiece, tmp_path):
    words.config = {"tokenizer_class": "X", "model_max_length": 12, "ü": [1.5, None]}
    words.chat_template = "{{ messages }}"
    for target in (tmp_path / "one", tmp_path / "two"):
        if target.name == "one":
            words.save(target, format="folder")
        else:
            files = words.save_folder(target)
            names = ["tokenizer.json", "tokenizer_config.json", "chat_template.jinja"]
            assert files == [str(target / name) for name in names]
        again = tessella.load(target)
        same(words, again)
        assert (again.config, again.chat_template) == (words.config, words.chat_template)
    for held in (copy.copy(again), copy.deepcopy(again), pickle.loads(pickle.dumps(again))):
        assert (held.config, held.chat_template) == (words.config, words.chat_template)
    sentencepiece.save_folder(tmp_path / "three")
    same(sentencepiece, tessella.load(tmp_path / "three"))
    assert tessella.load(tmp_path / "three").config is None
    with pytest.raises(ValueError, match="would be read instead"):
        sentencepiece.save_folder(tmp_path / "one")


def test_folders_keep_what_stood_beside(words, tmp_path):
    words.save_folder(tmp_path / "a")
    templates = [{"name": "default", "template": "D"}, {"name": "tools", "template": "T"}]
    (tmp_path / "a/tokenizer_config.json").write_text(json.dumps({"chat_template": templates}))
    (tmp_path / "a/special_tokens_map.json").write_text('{"cls_token": "[CLS]"}')
    loaded = tessella.load(tmp_path / "a")
    assert loaded.chat_template == "D"
    loaded.save_folder(tmp_path / "b")
    assert json.loads((tmp_path / "b/special_tokens_map.json").read_text()) == {"cls_token": "[CLS]"}
    assert (tmp_path / "b/additional_chat_templates/tools.jinja").read_text() == "T"
    again = tessella.load(tmp_path / "b")
    assert again.chat_template == "D"
    again.chat_template = None
    again.save_folder(tmp_path / "c")
    assert tessella.load(tmp_path / "c").chat_template is None


def test_a_failed_save_leaves_the_old_file(ranks, words, tmp_path):
    path = tmp_path / "tokenizer.json"
    words.save(path)
    before = path.read_bytes()
    words.normalizer = normalizers.Normalizer.custom(type("Hidden", (Shout,), {})())
    with pytest.raises(UnsupportedError):
        words.save(path)
    assert path.read_bytes() == before
    with pytest.raises(FileNotFoundError):
        ranks.save(tmp_path / "missing" / "x.tiktoken")
    assert sorted(tmp_path.iterdir()) == sorted([path, tmp_path / "source.tiktoken"])


def test_a_sentencepiece_model_is_not_trained_in_place(sentencepiece):
    with pytest.raises(TrainError, match="SentencePiece"):
        sentencepiece.model.get_trainer()
    with pytest.raises(TrainError, match="SentencePiece"):
        sentencepiece.train_from_iterator(["the cat"])
    assert isinstance(sentencepiece.model, models.SentencePiece)


def test_scores_are_written_as_the_library_writes_them():
    reference = pytest.importorskip("tokenizers")
    random.seed(20)
    scores = [0.0, -0.0, -1.08768463134765625, 1e300, -2.5e-300, 1e16, 1e15, 1e-5, 1e-6, 5e-324, 123456789.0]
    scores += [
        -round(random.random() * 10 ** random.randint(-8, 8), random.randint(0, 7)) for _ in range(500)
    ]
    vocabulary = [(f"{place}", score) for place, score in enumerate(scores)]

    def written(library):
        saved = library.Tokenizer(library.models.Unigram(vocabulary, 0, False)).to_str()
        return json.loads(saved, parse_float=str)["model"]["vocab"]

    assert written(tessella) == written(reference)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is always full")
def test_a_full_disk_is_told_with_the_file(tmp_path):
    import numpy as np
    from tessella import edit, prove
    from tessella.embeddings import Vectors

    (tmp_path / "ids").write_bytes(np.zeros(9000, "<u2").tobytes())
    tokenizer = tessella.recipes.get("gpt2").train(["low lower lowest"] * 9, vocab_size=262)
    writers = (
        lambda: edit.IdMap([0]).save("/dev/full"),
        lambda: edit.IdMap([0]).apply_file(tmp_path / "ids", "/dev/full"),
        lambda: prove.record(tokenizer, ["low"]).save("/dev/full"),
        lambda: Vectors(["low"], [[1.0]]).save("/dev/full"),
        lambda: tokenizer.save("/dev/full", format="gguf"),
        lambda: tokenizer.save("/dev/full", format="json"),
    )
    for write in writers:
        with pytest.raises(OSError, match="No space left on device: '/dev/full'") as caught:
            write()
        assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, "/dev/full")
