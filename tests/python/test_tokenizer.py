"""The tokenizer: encoding, decoding, settings, vocabulary, state."""

import asyncio
import copy
import json
import os
import pickle
import random
import stat
import time
import weakref
from pathlib import Path

import numpy as np
import pytest
from tessella import (
    AddedToken,
    Encoding,
    RaggedIds,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
)
from tessella._tessella import Stop
from tessella.errors import ArgumentError, DecodeError, TruncationError


def test_both_paths_agree(bpe):
    texts = ["the thing in the air", "", "née — 日本語 🙂", "  the\n\tking", "a" * 5000]
    for text in texts:
        ids = bpe.encode_ids(text)
        assert ids.dtype == np.uint32
        assert ids.tolist() == bpe.encode(text).ids
        assert bpe.count(text) == len(ids)
        assert bpe.decode(ids) == text
        assert bpe.decode_bytes(ids) == text.encode()
    batch = bpe.encode_ids_batch(texts, num_threads=2)
    assert batch.to_list() == [one.ids for one in bpe.encode_batch(texts)]
    assert bpe.count_batch(texts).tolist() == batch.lengths().tolist()


def test_pairs_and_words(words):
    pair = words.encode("the fox", "jumps")
    assert pair.tokens == ["[CLS]", "the", "fox", "[SEP]", "jumps", "[SEP]"]
    assert pair.type_ids == [0, 0, 0, 0, 1, 1]
    assert pair.sequence_ids == [None, 0, 0, None, 1, None]
    assert words.encode(["the", "fox"], is_pretokenized=True).offsets[1:3] == [(0, 3), (0, 3)]
    array = np.array([["the", "fox"], ["the", "fox"]])
    assert words.encode_batch(array)[0].type_ids == words.encode("the", "fox").type_ids
    assert words.encode_batch(array, is_pretokenized=True)[0].ids == [0, 3, 5, 1]
    assert words.encode(np.str_("the")).ids == [0, 3, 1]
    assert words.encode_batch([]) == []


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: t.encode(1), "TextInputSequence must be str"),
        (lambda t: t.encode("\ud800"), "TextInputSequence must be str"),
        (lambda t: t.encode_ids("\ud800"), "TextInputSequence must be str"),
        (lambda t: t.encode("a", is_pretokenized=True), "PreTokenizedInputSequence must be"),
        (lambda t: t.encode_batch("a"), "list of inputs"),
        (lambda t: t.encode_batch([1]), "TextEncodeInput must be"),
        (lambda t: t.encode_batch([("a", "b", "c")]), "TextEncodeInput must be"),
        (lambda t: t.encode_batch([1], is_pretokenized=True), "PreTokenizedEncodeInput must be"),
        (lambda t: t.encode_ids_batch("ab"), "list of texts"),
        (lambda t: t.add_tokens([1]), "Input must be a List"),
        (lambda t: t.add_tokens("ab"), "Input must be a List"),
        (lambda t: t.train("file"), "list of paths"),
        (lambda t: t.encode("a", truncation="x"), "truncation"),
        (lambda t: t.encode("a", padding={"x": 1}), "no option `x`"),
    ],
)
def test_wrong_types(words, call, message):
    with pytest.raises(TypeError, match=message):
        call(words)


def test_ids_of_any_kind(bpe):
    ids = bpe.encode("the thing").ids
    for same in (
        ids,
        tuple(ids),
        np.array(ids),
        np.array(ids, np.uint32),
        np.array(ids, np.int16),
        iter(ids),
    ):
        assert bpe.decode(same) == "the thing"
    assert bpe.decode(np.array(ids * 2, np.uint32)[::2]) == bpe.decode((ids * 2)[::2])
    with pytest.raises(OverflowError):
        bpe.decode([-1])
    with pytest.raises(OverflowError):
        bpe.decode(np.array([-1]))


def test_settings_of_a_call_do_not_stay(words):
    words.enable_truncation(4)
    words.enable_padding(length=6, pad_token="[SEP]", pad_id=1)
    assert words.encode("the quick fox").ids == [0, 3, 4, 1, 1, 1]
    assert words.encode("the quick fox", truncation=False, padding=False).ids == [0, 3, 4, 5, 1]
    assert words.encode("the quick fox", truncation=3, padding=4).ids == [0, 3, 1, 0]
    cut = words.encode(
        "the quick fox", truncation={"max_length": 4, "stride": 1}, padding={"length": 5, "direction": "left"}
    )
    assert (cut.ids, len(cut.overflowing)) == ([0, 0, 3, 4, 1], 1)
    assert words.truncation == {
        "max_length": 4,
        "stride": 0,
        "strategy": "longest_first",
        "direction": "right",
    }
    words.enable_padding(**words.padding)
    words.enable_truncation(**words.truncation)
    words.no_padding()
    words.no_truncation()
    assert words.padding is None and words.truncation is None
    batch = words.encode_batch(["the", "the fox"], padding=True)
    assert [len(one) for one in batch] == [4, 4]


def test_impossible_settings(words):
    with pytest.raises(TruncationError, match="stride"):
        words.enable_truncation(4, stride=2)
    with pytest.raises(ValueError, match="Unknown `strategy`"):
        words.enable_truncation(4, strategy="x")
    with pytest.raises(ValueError, match="Unknown `direction`"):
        words.enable_padding(direction="x")


def test_added_tokens(words):
    token = AddedToken("[X]")
    assert words.add_special_tokens([token, "[CLS]", ""]) == 1
    assert token.special and not token.normalized
    assert words.token_to_id("[X]") == 8
    assert words.id_to_token(8) == "[X]"
    assert words.get_added_tokens_decoder()[8] == AddedToken("[X]", special=True)
    assert words.get_vocab_size() == 9 and words.get_vocab_size(False) == 8
    assert words.get_vocab()["[X]"] == 8
    assert words.decode([3, 8]) == "the"
    assert words.decode([3, 8], skip_special_tokens=False) == "the [X]"
    assert words.encode("[X]").ids == [0, 8, 1]
    words.encode_special_tokens = True
    assert 8 not in words.encode("[X]").ids


def test_added_token_is_a_value():
    token = AddedToken("a", lstrip=True)
    assert token == AddedToken("a", lstrip=True) != AddedToken("a")
    assert hash(token) == hash(AddedToken("a"))
    assert token != "a"
    assert AddedToken("a", special=True).normalized is False
    assert pickle.loads(pickle.dumps(token)) == token == copy.copy(token)
    with pytest.raises(TypeError):
        AddedToken("a", strip=True)


def test_streams(bpe):
    text = "née 日本語 the thing 🙂!"
    ids = bpe.encode_ids(text)
    stream = bpe.decode_stream()
    parts = [stream.step(int(id)) for id in ids]
    assert "".join(part or "" for part in parts) == text
    half = bpe.decode_stream()
    half.step(int(bpe.encode_ids("é")[0]))
    other = copy.copy(half)
    assert half.flush() == "\ufffd"
    assert other.step(int(bpe.encode_ids("é")[1])) == "é"
    assert decoders.DecodeStream(ids[:3].tolist()).step(bpe, ids[3:].tolist()) is not None
    with pytest.raises(TypeError, match="integer or a list of integers"):
        decoders.DecodeStream().step(bpe, "a")


def test_decode_with_offsets(bpe):
    ids = bpe.encode_ids("née the")
    text, starts = bpe.decode_with_offsets(ids)
    assert text == "née the"
    assert starts == sorted(starts) and starts[0] == 0
    assert len(starts) == len(ids)


def test_awaitables(words):
    async def all_of_it():
        one, batch, texts = await asyncio.gather(
            words.async_encode("the fox"),
            words.async_encode_batch(["the", ("the", "fox")]),
            words.async_decode_batch([[3, 5], [6]]),
        )
        with pytest.raises(TypeError):
            await words.async_encode_batch(1)
        return one.ids, [each.ids for each in batch], texts

    assert asyncio.run(all_of_it()) == ([0, 3, 5, 1], [[0, 3, 1], [0, 3, 1, 5, 1]], ["the fox", "jumps"])


class Patient(Tokenizer):
    """Encodes one text again and again, until somebody stops it or it is late."""

    def encode_batch(self, *args, **named):
        self.ended = "not yet"
        until = time.monotonic() + 20
        try:
            while time.monotonic() < until:
                self.encode("the quick fox " * 100_000)
            self.ended = "late"
        except BaseException as error:
            self.ended = type(error).__name__
            raise


def test_an_awaitable_that_is_cancelled_ends_its_work():
    """Else the thread goes on for nobody, and the loop waits for it when it closes."""
    patient = Patient(models.WordLevel({"the": 0, "fox": 1, "?": 2}, unk_token="?"))
    patient.pre_tokenizer = pre_tokenizers.Whitespace()

    async def given_up():
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(patient.async_encode_batch([]), 0.2)
        await asyncio.get_running_loop().shutdown_default_executor()

    asyncio.run(given_up())
    assert patient.ended == "KeyboardInterrupt"
    # The next call is nobody's to stop.
    assert asyncio.run(patient.async_encode("the fox")).ids == [0, 1]


def test_a_stop_is_for_its_own_call(words):
    stop, text = Stop(), "the fox " * 200_000
    assert stop.run(lambda: len(words.encode(text))) == 400_002
    stop.stop()

    def within():
        with pytest.raises(KeyboardInterrupt):
            stop.run(lambda: words.encode(text))
        return len(words.encode(text))

    assert within() == Stop().run(within) == 400_002


class Mine(Tokenizer):
    def shout(self):
        return "!"


def test_state(words, tmp_path):
    words.save(tmp_path / "tokenizer.json")
    loaded = Mine.from_file(tmp_path / "tokenizer.json")
    assert (loaded.shout(), type(loaded)) == ("!", Mine)
    for same in (
        pickle.loads(pickle.dumps(loaded)),
        copy.deepcopy(loaded),
        Tokenizer.from_str(words.to_str()),
    ):
        assert same.to_str() == words.to_str()
        assert same.fingerprint() == words.fingerprint()
    assert type(copy.copy(loaded)) is Mine
    reference = weakref.ref(loaded)
    del loaded
    assert reference() is None
    words.add_tokens(["new"])
    assert Tokenizer.from_str(words.to_str()).fingerprint() == words.fingerprint()
    assert Tokenizer.from_file(tmp_path / "tokenizer.json").fingerprint() != words.fingerprint()


def test_errors_of_files(tmp_path):
    from tessella.errors import FormatError

    with pytest.raises(FileNotFoundError):
        Tokenizer.from_file(tmp_path / "none.json")
    with pytest.raises(FormatError, match="Model missing"):
        Tokenizer.from_str("{}")
    with pytest.raises(FormatError):
        Tokenizer.from_buffer(b"\xff{")


def test_plan_is_readable(bpe):
    plan = bpe.explain_plan()
    assert plan and all(step.stage and step.engine and step.reason for step in plan)
    assert str(plan[0]).startswith(plan[0].stage)


@pytest.mark.parametrize("given", range(16))
def test_plan_tells_of_the_stages_that_there_are_and_of_no_others(given):
    """In the order of the stages."""
    tokenizer = Tokenizer(models.WordLevel({"<unk>": 0, "a": 1}, unk_token="<unk>"))
    parts = {
        "added tokens": lambda: tokenizer.add_tokens(["<x>"]),
        "normalizer": lambda: setattr(tokenizer, "normalizer", normalizers.Lowercase()),
        "pre-tokenizer": lambda: setattr(tokenizer, "pre_tokenizer", pre_tokenizers.Digits()),
        "post-processor": lambda: setattr(
            tokenizer,
            "post_processor",
            processors.TemplateProcessing(single="$A a", special_tokens=[("a", 1)]),
        ),
    }
    chosen = [stage for at, stage in enumerate(parts) if given >> at & 1]
    for stage in chosen:
        parts[stage]()
    plan = tokenizer.explain_plan()
    told = [stage for step in plan for stage in [*parts, "model"] if step.stage.startswith(stage)]
    behind = [stage for stage in chosen if stage == "post-processor"]
    assert list(dict.fromkeys(told)) == [*chosen[: len(chosen) - len(behind)], "model", *behind]


@pytest.mark.parametrize(
    ("normalized", "when"),
    [
        ([], None),
        ([False], "1 token, matched before normalisation, leftmost-longest"),
        ([True], "1 token, matched after normalisation, leftmost-longest"),
        ([True, False, True], "3 tokens, matched before and after normalisation, leftmost-longest"),
    ],
)
def test_plan_tells_when_added_tokens_are_looked_for(normalized, when):
    tokenizer = Tokenizer(models.WordLevel({"<unk>": 0}, unk_token="<unk>"))
    tokenizer.add_tokens([AddedToken(f"<{at}>", normalized=one) for at, one in enumerate(normalized)])
    told = [step.reason for step in tokenizer.explain_plan() if step.stage == "added tokens"]
    assert told == ([when] if when else [])


def test_cache_size(bpe):
    before = bpe.encode_ids("the thing in the ring").tolist()
    bpe.set_cache_size(0)
    assert bpe.cache_size == 0
    assert bpe.encode_ids("the thing in the ring").tolist() == before
    bpe.clear_cache()


def test_model_cannot_be_none(words):
    with pytest.raises(TypeError):
        words.model = None
    words.model = models.WordLevel({"the": 9, "<unk>": 0})
    assert words.encode_ids("the", add_special_tokens=False).tolist() == [9]


def test_encodings_are_plain_values(words):
    encoding = words.encode("the quick fox", "jumps")
    again = pickle.loads(pickle.dumps(encoding))
    assert isinstance(again, Encoding)
    for column in ("ids", "tokens", "offsets", "word_ids", "sequence_ids", "type_ids"):
        assert getattr(again, column) == getattr(encoding, column)
    assert encoding.char_to_token(4) == 2
    assert encoding.word_to_chars(1) == (4, 9)
    encoding.pad(10, pad_token="x")
    assert (len(encoding), encoding.tokens[-1]) == (10, "x")
    with pytest.raises(ValueError, match="Unknown `direction`"):
        encoding.pad(12, direction="x")
    merged = Encoding.merge([words.encode("the"), words.encode("fox")], growing_offsets=False)
    assert len(merged) == 6


def test_encodings_as_bytes(words):
    encodings = [words.encode(""), words.encode("the quick fox the", "the jumps")]
    encodings[1].truncate(4, stride=1)
    encodings[1].pad(9, pad_token="\x00π")
    columns = ("ids", "tokens", "offsets", "word_ids", "sequence_ids", "type_ids", "attention_mask")
    for encoding in encodings:
        state = encoding.__getstate__()
        again = Encoding()
        again.__setstate__(state)
        assert again.__getstate__() == state
        assert all(getattr(again, column) == getattr(encoding, column) for column in columns)
        assert [window.tokens for window in again.overflowing] == [w.tokens for w in encoding.overflowing]
        for wrong in (b"", b"\x02" + state[1:], state[:-1], state + b"\x00"):
            with pytest.raises(ValueError, match="these bytes are no encoding"):
                again.__setstate__(wrong)
        with pytest.raises(TypeError, match="is bytes"):
            again.__setstate__({})
        # Nothing was lost on the way.
        assert again.__getstate__() == state


def test_tokens_one_by_one_are_those_of_a_list(words):
    tokens = [
        "fo",
        "quick",
        AddedToken("the", single_word=True),
        "quick fo",
        AddedToken("UI", normalized=False),
    ]
    tokens += [AddedToken("jum", lstrip=True), "fo", ""] + [f"token{number}" for number in range(30)]
    at_once, one_by_one = copy.copy(words), copy.copy(words)
    count = at_once.add_tokens(tokens)
    assert sum(one_by_one.add_tokens([token]) for token in tokens) == count
    assert one_by_one.to_str() == at_once.to_str()
    for text in ("the quick fox jumps", "THE QUICK FOthe token7 token70", "UIquick", "", "a  jumps fo"):
        encodings = [one.encode(text) for one in (at_once, one_by_one)]
        assert encodings[0].ids == encodings[1].ids
        assert encodings[0].offsets == encodings[1].offsets


def test_ragged_ids(words):
    batch = words.encode_ids_batch(["the fox", "", "fox"], add_special_tokens=False)
    assert isinstance(batch, RaggedIds)
    assert batch.to_list() == [[3, 5], [], [5]]
    assert (batch.ids.dtype, batch.offsets.dtype) == (np.uint32, np.int64)
    assert batch[-1].tolist() == [5]
    assert batch[0].base is not None
    assert batch[1:].to_list() == [[], [5]]
    assert [one.tolist() for one in batch] == batch.to_list()
    with pytest.raises(IndexError):
        batch[3]
    assert len(words.encode_ids_batch([])) == 0


def test_arrow_capsules_can_be_dropped(words):
    import gc

    from tessella import _arrow

    batch = words.encode_ids_batch(["the fox", "fox"])
    capsules = batch.__arrow_c_array__()
    assert ["PyCapsule" in repr(type(one)) for one in capsules] == [True, True]
    assert _arrow._alive
    del capsules
    gc.collect()
    assert not _arrow._alive


def test_arrow(words):
    pyarrow = pytest.importorskip("pyarrow")
    batch = words.encode_ids_batch(["the fox", "fox"])
    array = pyarrow.array(batch)
    assert array.to_pylist() == batch.to_list()
    assert array.type == pyarrow.large_list(pyarrow.field("item", pyarrow.uint32(), False))


@pytest.mark.parametrize("separator", [None, "\n", "<s>"])
def test_files(words, tmp_path, separator):
    paths = [tmp_path / "a.txt", tmp_path / "b.txt"]
    paths[0].write_text("the fox\nfox<s>the\n", encoding="utf-8", newline="")
    paths[1].write_text("jumps é", encoding="utf-8")
    texts = []
    for path in paths:
        text = path.read_bytes().decode()
        parts = [text] if separator is None else text.split(separator)
        texts += parts[:-1] if separator and not parts[-1] else parts
    expected = words.encode_ids_batch(texts)
    assert words.encode_files(paths, separator) == expected
    mapped = words.encode_files(paths, separator, out=tmp_path / "ids.bin")
    assert mapped == expected
    assert np.fromfile(tmp_path / "ids.bin", "<u4").tolist() == expected.ids.tolist()


@pytest.mark.parametrize("out", ["a.txt", "b", "link"])
def test_ids_of_files_never_replace_their_texts(words, tmp_path, monkeypatch, out):
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("the fox")
    Path("b.offsets").write_text("fox")
    os.link("a.txt", "link")
    with pytest.raises(ArgumentError, match="is one of the files that are read"):
        words.encode_files(["a.txt", "b.offsets"], out=out)
    assert (Path("a.txt").read_text(), Path("b.offsets").read_text()) == ("the fox", "fox")
    assert len(words.encode_files(["a.txt"], out="b")) == 1


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_encoded_files_leave_permissions_alone(words, tmp_path, monkeypatch):
    def umask(_):
        raise AssertionError("the mask belongs to all threads")

    source, out = tmp_path / "a.txt", tmp_path / "ids.bin"
    source.write_text("the fox")
    out.touch(0o600)
    monkeypatch.setattr(os, "umask", umask)
    words.encode_files(source, out=out)
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    new = tmp_path / "new"
    new.touch()
    assert (tmp_path / "ids.bin.offsets").stat().st_mode == new.stat().st_mode
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "ids.bin", "ids.bin.offsets", "new"]


def test_stream_errors_have_a_class():
    assert issubclass(DecodeError, ValueError)


def test_ids_alone_take_the_reading_of_special_tokens():
    tokenizer = Tokenizer(models.WordLevel({"<s>": 0, "s": 1, "<": 2, ">": 3}, "s"))
    tokenizer.pre_tokenizer = pre_tokenizers.Punctuation()
    tokenizer.add_special_tokens(["<s>"])
    texts = ["<s>", "<s>s"]
    for own in (False, True):
        tokenizer.encode_special_tokens = own
        for asked in (None, False, True):
            as_text = own if asked is None else asked
            expected = [[2, 1, 3], [2, 1, 3, 1]] if as_text else [[0], [0, 1]]
            assert [
                tokenizer.encode_ids(text, encode_special_tokens=asked).tolist() for text in texts
            ] == expected
            assert [tokenizer.count(text, encode_special_tokens=asked) for text in texts] == [
                len(ids) for ids in expected
            ]
            assert tokenizer.encode_ids_batch(texts, encode_special_tokens=asked).to_list() == expected
            assert tokenizer.count_batch(texts, encode_special_tokens=asked).tolist() == [
                len(ids) for ids in expected
            ]


def test_scores_come_back_exactly():
    chance = random.Random(5)
    scores = [0.0, -0.0, -1e-9, -123.456, -3.9131507873535156, -5e-324, -1.7e300]
    scores += [-chance.random() * 20 for _ in range(5000)]
    pieces = [(f"p{place}", score) for place, score in enumerate(scores)]
    tokenizer = Tokenizer(models.Unigram(pieces, 0))
    for again in (Tokenizer.from_str(tokenizer.to_str()), pickle.loads(pickle.dumps(tokenizer))):
        written = json.loads(again.to_str())["model"]["vocab"]
        assert [score.hex() for _, score in written] == [score.hex() for score in scores]
        assert again.to_str() == tokenizer.to_str()
