"""Calling a tokenizer: columns, look-ups, settings."""

import collections
import copy
import json
import os
import pickle
import random
import threading
import warnings

import numpy as np
import pytest
import tessella
from tessella import AddedToken, Tokenizer, models, pre_tokenizers
from tessella.batch import BatchEncoding, CharSpan, PretrainedTokenizer, TokenSpan
from tessella.errors import ArgumentError, HubError, TrainError, UnsupportedError
from test_chats import CHAT

from tests.conformance import calls, texts

ROLES = {"pad_token": "[PAD]", "unk_token": "<unk>", "cls_token": "[CLS]", "sep_token": "[SEP]"}


@pytest.fixture
def tokenizer(words):
    words.add_special_tokens(["[PAD]"])
    return PretrainedTokenizer(words, **ROLES)


# One call.


def test_columns_and_their_order(tokenizer):
    batch = tokenizer(
        ["the fox", "the quick fox jumps"],
        padding=True,
        return_token_type_ids=True,
        return_special_tokens_mask=True,
        return_offsets_mapping=True,
        return_length=True,
    )
    assert list(batch) == [
        "input_ids",
        "token_type_ids",
        "attention_mask",
        "special_tokens_mask",
        "offset_mapping",
        "length",
    ]
    pad = tokenizer.pad_token_id
    assert batch["input_ids"] == [[0, 3, 5, 1, pad, pad], [0, 3, 4, 5, 6, 1]]
    assert batch.attention_mask == [[1, 1, 1, 1, 0, 0], [1] * 6]
    assert batch["special_tokens_mask"][0] == [1, 0, 0, 1, 1, 1]
    assert batch["offset_mapping"][0][1:3] == [(0, 3), (4, 7)]


def test_one_text_has_no_batch_axis_unless_asked_for(tokenizer):
    assert tokenizer("the fox")["input_ids"] == [0, 3, 5, 1]
    assert tokenizer("the fox", return_tensors="np")["input_ids"].shape == (1, 4)
    assert tokenizer("the fox", return_overflowing_tokens=True)["input_ids"] == [[0, 3, 5, 1]]


def test_windows_know_their_text(tokenizer):
    batch = tokenizer(
        ["the quick fox jumps", "fox"],
        max_length=4,
        stride=1,
        truncation=True,
        return_overflowing_tokens=True,
    )
    assert batch["input_ids"] == [[0, 3, 4, 1], [0, 4, 5, 1], [0, 5, 6, 1], [0, 5, 1]]
    assert batch["overflow_to_sample_mapping"] == [0, 0, 0, 1]


def test_an_empty_batch_is_no_accident(tokenizer):
    assert tokenizer([]).data == {"input_ids": [], "attention_mask": []}
    assert tokenizer([], return_tensors="np")["input_ids"].dtype == np.int64


def test_an_empty_second_text_is_a_second_text(tokenizer):
    assert tokenizer("the", "")["input_ids"] == [0, 3, 1, 1]
    assert tokenizer("the", "")["input_ids"] == tokenizer(["the"], [""])["input_ids"][0]


def test_words(tokenizer):
    batch = tokenizer([["the", "quick fox"], ["jumps"]], is_split_into_words=True, padding=True)
    assert batch.word_ids(0) == [None, 0, 1, 1, None]
    assert batch.word_ids(1) == [None, 0, None, None, None]
    assert tokenizer(["the", "fox"], is_split_into_words=True)["input_ids"] == [0, 3, 5, 1]


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((None,), {}, "either `text` or `text_target`"),
        ((5,), {}, "must be of type `str`"),
        (([1, 2],), {}, "list of int"),
        ((np.array(["a"]),), {}, "tolist"),
        ((collections.UserList(["a"]),), {}, r"not UserList; make it a list first: list\(\.\.\.\)"),
        ((b"a",), {}, "not bytes$"),
        ((["a", "b"], ["a"]), {}, "batch length of `text`: 2"),
        (("a",), {"padding": "all"}, "'all'"),
        (("a",), {"truncation": "first"}, "'first'"),
        (("a",), {"return_tensors": "xx"}, "'xx'"),
        (("a",), {"padding": True, "padding_side": "up"}, "'up'"),
        (
            ("a",),
            {"padding": True, "truncation": True, "max_length": 7, "pad_to_multiple_of": 4},
            "not a multiple",
        ),
    ],
)
def test_wrong_arguments_are_named(tokenizer, arguments, options, message):
    with pytest.raises(ArgumentError, match=message):
        tokenizer(*arguments, **options)


def test_wrong_types_are_named(tokenizer):
    with pytest.raises(TypeError, match=r"row 1 of the batch, of type NoneType: .*`text\[1\]`"):
        tokenizer(["a", None])
    with pytest.warns(UserWarning, match="paddin"):
        tokenizer("a", paddin=True)
    with pytest.raises(TypeError, match="text_pair"):
        tokenizer(["a"], "b")


def test_a_missing_length_is_not_passed_over_in_silence(tokenizer):
    with pytest.warns(UserWarning, match="truncation=True does nothing"):
        tokenizer("the", truncation=True)
    with pytest.warns(UserWarning, match="padding='max_length' does nothing"):
        tokenizer("the", padding="max_length")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tokenizer("the", truncation=True, verbose=False)
        tokenizer.model_max_length = 3
        assert len(tokenizer("the quick fox", truncation=True)["input_ids"]) == 3
    with pytest.warns(UserWarning, match="5 tokens is longer than the 3"):
        tokenizer("the quick fox")


def test_no_padding_token(words):
    with pytest.raises(ArgumentError, match="does not have a padding token"):
        PretrainedTokenizer(words)(["the", "fox"], padding=True)


def test_labels(tokenizer):
    batch = tokenizer("the", text_target="fox jumps", max_target_length=3)
    assert batch["labels"] == [0, 5, 6, 1]
    batch = tokenizer("the", text_target="fox jumps", max_length=9, max_target_length=3, truncation=True)
    assert batch["labels"] == [0, 5, 1]


def test_special_tokens_as_text(tokenizer):
    assert tokenizer("[CLS]", add_special_tokens=False)["input_ids"] == [0]
    split = tokenizer("[CLS]", add_special_tokens=False, split_special_tokens=True)
    assert split["input_ids"] == [2, 2, 2]
    assert tokenizer.backend_tokenizer.encode_special_tokens is False


def test_a_call_leaves_nothing_behind(tokenizer):
    before = tokenizer.backend_tokenizer.to_str()
    tokenizer(["the", "the fox"], padding=True, truncation=True, max_length=3, padding_side="left")
    assert tokenizer.backend_tokenizer.to_str() == before
    assert tokenizer(["the"])["input_ids"] == [[0, 3, 1]]


def test_threads_with_different_padding_do_not_see_each_other(tokenizer):
    wrong = []

    def work(length, side):
        for _ in range(200):
            batch = tokenizer(
                ["the fox", "the"],
                padding="max_length",
                max_length=length,
                truncation=True,
                padding_side=side,
                split_special_tokens=length % 2 == 0,
            )
            pad = tokenizer.pad_token_id
            for row in batch["input_ids"]:
                if len(row) != length or (row[0] == pad) != (side == "left"):
                    wrong.append((length, side, row))

    threads = [threading.Thread(target=work, args=(8 + n, ("left", "right")[n % 2])) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_plain_tokenizer_can_be_called(words):
    words.add_special_tokens(["[PAD]"])
    before = words.to_str()
    batch = words(["the fox", "the"], padding=True, return_tensors="np")
    assert batch["attention_mask"].tolist() == [[1, 1, 1, 1], [1, 1, 1, 0]]
    assert words.to_str() == before


# The result.


def test_lookups(tokenizer):
    batch = tokenizer(["the fox", "the quick fox"], ["jumps", "the"], padding=True)
    assert batch.n_sequences == 2
    assert batch.tokens(0)[:4] == ["[CLS]", "the", "fox", "[SEP]"]
    assert batch.sequence_ids(0) == [None, 0, 0, None, 1, None, None]
    assert batch.char_to_token(4) == 2
    assert batch.char_to_token(1, 0, sequence_index=1) == 5
    assert batch.char_to_token(3) is None
    assert batch.token_to_chars(0, 2) == CharSpan(4, 7)
    assert batch.token_to_chars(-1, 2) == CharSpan(4, 9)
    assert batch.token_to_word(1, -2) == 0
    assert batch.word_to_tokens(0, 1) == TokenSpan(2, 3)
    assert batch.word_to_tokens(0, -1) == TokenSpan(2, 3)
    assert batch.word_to_chars(1) == CharSpan(4, 7)
    assert batch.char_to_word(4) == 1
    assert batch.token_to_sequence(4) == 1
    assert batch.token_to_chars(99) is None
    assert batch[1].tokens == batch.tokens(1)
    with pytest.raises(IndexError, match="no row 7"):
        batch.token_to_chars(7, 0)


def test_a_batch_without_a_tokenizer():
    batch = BatchEncoding({"input_ids": [[1, 2], [3]]})
    assert batch[:1] == {"input_ids": [[1, 2]]}
    assert not batch.is_fast
    with pytest.raises(ArgumentError, match="no encodings"):
        batch.tokens()
    with pytest.raises(KeyError):
        batch[0]
    with pytest.raises(AttributeError, match="labels"):
        _ = batch.labels


def test_batches_travel(tokenizer):
    batch = tokenizer(["the", "fox"])
    for one in (pickle.loads(pickle.dumps(batch)), copy.deepcopy(batch)):
        assert one.data == batch.data
        assert one.tokens(1) == batch.tokens(1)
        assert one.n_sequences == 1


def test_no_rows_are_no_texts(tokenizer):
    for none in ([], (), np.zeros((0, 3), np.int64), {"input_ids": []}, range(0)):
        assert tokenizer.batch_decode(none) == [], type(none)
    assert tokenizer.batch_decode([[]]) == tokenizer.batch_decode(np.zeros((1, 0), np.int64)) == [""]
    assert tokenizer.batch_decode([3, 5]) == [tokenizer.decode([3, 5])]
    for one in (3, np.int64(3), np.array(3), np.array([3])):
        assert tokenizer.batch_decode(one) == [tokenizer.decode(3)], type(one)


def test_columns_of_arrow(tokenizer):
    pyarrow = pytest.importorskip("pyarrow")
    rows = [[3, 5], [6]]
    for column in (pyarrow.array(rows), pyarrow.chunked_array([rows])):
        assert tokenizer.batch_decode(column) == tokenizer.batch_decode(rows)
        assert tokenizer.decode(column[0]) == tokenizer.decode(rows[0])
    with pytest.raises(ArgumentError, match=r"convert it with .to_pylist\(\) first"):
        tokenizer(pyarrow.chunked_array([["the fox"]]))


def test_tensors(tokenizer):
    rows = ["the fox", "the quick fox"]
    assert tokenizer(rows, return_tensors="np")["input_ids"].dtype == object
    array = tokenizer(rows, padding=True, return_tensors="np")["input_ids"]
    assert (array.dtype, array.shape) == (np.int64, (2, 5))
    torch = pytest.importorskip("torch")
    batch = tokenizer(rows, padding=True, return_tensors="pt").to("cpu")
    assert batch["input_ids"].dtype == torch.int64
    assert batch["input_ids"].tolist() == array.tolist()
    with pytest.raises(ArgumentError, match="lengths 4 to 5"):
        tokenizer(rows, return_tensors="pt")


@pytest.mark.parametrize("side", ["left", "right"])
def test_padding_afterwards(tokenizer, side):
    rows = [tokenizer(text, return_offsets_mapping=True) for text in ("the", "the fox")]
    for row in rows:
        row["labels"] = list(row["input_ids"])
        row["note"] = "kept"
    padded = tokenizer.pad(rows, padding_side=side, pad_to_multiple_of=3)
    whole = tokenizer(["the", "the fox"], padding=True, padding_side=side, pad_to_multiple_of=3)
    assert padded["input_ids"] == whole["input_ids"]
    assert padded["attention_mask"] == whole["attention_mask"]
    assert {len(row) for key in ("labels", "offset_mapping") for row in padded[key]} == {6}
    assert padded["labels"][0].count(-100) == 3
    assert padded["note"] == ["kept", "kept"]
    arrays = tokenizer.pad({"input_ids": [np.array([3]), np.array([3, 5])]})
    assert arrays["input_ids"].shape == (2, 2)


def test_padding_needs_rows_that_agree(tokenizer):
    with pytest.raises(ArgumentError, match=r"row 1 .* labels"):
        tokenizer.pad([{"input_ids": [1], "labels": [1]}, {"input_ids": [1]}])
    with pytest.raises(ArgumentError, match="includes input_ids"):
        tokenizer.pad({"ids": [1]})


# Settings.


def test_roles(tokenizer):
    assert tokenizer.pad_token_id == tokenizer.get_vocab()["[PAD]"]
    assert tokenizer.bos_token is None and tokenizer.bos_token_id is None
    tokenizer.bos_token = "[CLS]"
    tokenizer.eos_token_id = 1
    assert tokenizer.eos_token == "[SEP]"
    assert tokenizer.special_tokens_map["bos_token"] == "[CLS]"
    added = tokenizer.add_special_tokens(
        {"mask_token": AddedToken("[MASK]", lstrip=True), "extra_special_tokens": ["<a>", "<b>"]}
    )
    assert added == 3
    assert tokenizer.extra_special_tokens == ["<a>", "<b>"]
    assert tokenizer.tokenize("fox  [MASK]") == ["fox", "  [MASK]"]
    assert set(tokenizer.all_special_ids) >= {tokenizer.mask_token_id, *tokenizer.extra_special_tokens_ids}
    with pytest.raises(ArgumentError, match="nonsense"):
        tokenizer.add_special_tokens({"nonsense": "x"})
    with pytest.raises(AttributeError, match="nonsense"):
        _ = tokenizer.nonsense


def test_special_tokens_mask(tokenizer):
    ids = tokenizer("the fox")["input_ids"]
    assert tokenizer.get_special_tokens_mask(ids, already_has_special_tokens=True) == [1, 0, 0, 1]
    with pytest.raises(UnsupportedError, match="already_has_special_tokens"):
        tokenizer.get_special_tokens_mask(ids)


def test_data_collators(tokenizer):
    pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    tokenizer.add_special_tokens({"mask_token": "[MASK]"})
    rows = [tokenizer("the fox"), tokenizer("the quick fox")]
    assert transformers.DataCollatorWithPadding(tokenizer)(rows)["input_ids"].shape == (2, 5)
    masked = transformers.DataCollatorForLanguageModeling(tokenizer, mlm_probability=0.9)(rows)
    special = masked["input_ids"] == tokenizer.cls_token_id
    assert special[:, 0].all() and (masked["labels"][:, 0] == -100).all()


def test_beginning_and_end(words):
    tokenizer = PretrainedTokenizer(words, bos_token="[CLS]", eos_token="[SEP]")
    tokenizer.add_bos_token = True
    assert tokenizer("the", "fox", return_token_type_ids=True).data == {
        "input_ids": [0, 3, 0, 5],
        "token_type_ids": [0, 0, 1, 1],
        "attention_mask": [1] * 4,
    }
    tokenizer.add_eos_token = True
    assert tokenizer("the")["input_ids"] == [0, 3, 1]


class Column(collections.UserList):
    """A sequence that is no list."""


def test_decoding(tokenizer):
    ids = tokenizer("the fox")["input_ids"]
    assert tokenizer.decode(ids) == "[CLS] the fox [SEP]"
    assert tokenizer.decode(np.array(ids), skip_special_tokens=True) == "the fox"
    assert tokenizer.decode([ids, ids[:2]], skip_special_tokens=True) == ["the fox", "the"]
    assert tokenizer.batch_decode([ids]) == ["[CLS] the fox [SEP]"]
    # As datasets have them: rows of several lengths in an array of arrays, and columns that are no lists.
    arrays = np.array([np.array(ids), np.array(ids[:2]), None], dtype=object)[:2]
    for rows in (arrays, Column([ids, ids[:2]]), Column([np.array(ids), np.array(ids[:2])])):
        assert tokenizer.batch_decode(rows, skip_special_tokens=True) == ["the fox", "the"]
    assert tokenizer.decode(Column(ids)) == "[CLS] the fox [SEP]"
    assert tokenizer.batch_decode(np.array([[]], dtype=object)) == [""]
    assert tokenizer.convert_ids_to_tokens(ids, skip_special_tokens=True) == ["the", "fox"]
    assert tokenizer.convert_ids_to_tokens(np.int64(3)) == "the"
    assert tokenizer.convert_tokens_to_ids(["the", "dog"]) == [3, 2]
    assert tokenizer.convert_tokens_to_ids("dog") == 2


def test_saved_and_loaded(tokenizer, tmp_path):
    tokenizer.padding_side = "left"
    tokenizer.model_max_length = 7
    tokenizer.chat_template = {"default": "a", "tool_use": "b"}
    tokenizer.add_special_tokens({"extra_special_tokens": ["<a>"]})
    files = tokenizer.save_pretrained(tmp_path / "here")
    assert {os.path.basename(file) for file in files} >= {"tokenizer.json", "tokenizer_config.json"}
    loaded = tessella.AutoTokenizer.from_pretrained(tmp_path / "here", truncation_side="left")
    assert (loaded.padding_side, loaded.truncation_side, loaded.model_max_length) == ("left", "left", 7)
    assert loaded.chat_template == tokenizer.chat_template
    assert loaded.special_tokens_map == tokenizer.special_tokens_map
    assert loaded.extra_special_tokens == ["<a>"]
    assert loaded("the <a>", padding=True).data == tokenizer("the <a>", padding=True).data
    again = tmp_path / "again"
    loaded.save_pretrained(again)
    config = json.loads((again / "tokenizer_config.json").read_text())
    first = json.loads((tmp_path / "here" / "tokenizer_config.json").read_text())
    assert config == {**first, "truncation_side": "left"}
    prefixed = tokenizer.save_pretrained(tmp_path, filename_prefix="my")
    assert str(tmp_path / "my-tokenizer.json") in prefixed


def test_a_file_alone(tokenizer, tmp_path):
    tokenizer.backend_tokenizer.save(tmp_path / "tokenizer.json")
    loaded = tessella.AutoTokenizer.from_pretrained(tmp_path / "tokenizer.json")
    assert (loaded.pad_token, loaded.cls_token, loaded.unk_token) == ("[PAD]", "[CLS]", "<unk>")
    with pytest.raises(FileNotFoundError, match=r"not/there"):
        tessella.AutoTokenizer.from_pretrained("./not/there/at/all")


def test_settings_of_a_known_class(tokenizer, tmp_path):
    folder = tmp_path
    tokenizer.backend_tokenizer.save(folder / "tokenizer.json")
    config = {
        "tokenizer_class": "BertTokenizerFast",
        "backend": "tokenizers",
        "pad_token": {"__type": "AddedToken", "content": "[PAD]", "lstrip": False},
        "extra_special_tokens": {"image_token": "<image>"},
        "add_bos_token": True,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    loaded = tessella.AutoTokenizer.from_pretrained(folder)
    assert loaded.model_input_names == ["input_ids", "token_type_ids", "attention_mask"]
    assert loaded.image_token_id == len(loaded) - 1
    assert loaded("the")["input_ids"] == [0, 3, 1]


def test_a_hub_that_is_out_of_reach(tokenizer, tmp_path, monkeypatch):
    pytest.importorskip("huggingface_hub")
    repository = tmp_path / "models--someone--tiny"
    (repository / "refs").mkdir(parents=True)
    (repository / "refs" / "main").write_text("0" * 40)
    tokenizer.save_pretrained(repository / "snapshots" / ("0" * 40))
    loaded = tessella.AutoTokenizer.from_pretrained("someone/tiny", cache_dir=tmp_path, local_files_only=True)
    assert loaded("the")["input_ids"] == [0, 3, 1]
    assert loaded.name_or_path == "someone/tiny"
    with pytest.raises(HubError, match=r"`someone/other` is neither .* local copy"):
        tessella.AutoTokenizer.from_pretrained("someone/other", cache_dir=tmp_path, local_files_only=True)


def test_a_name_on_the_hub_is_asked_for(tokenizer, tmp_path, monkeypatch):
    hub = pytest.importorskip("huggingface_hub")
    tokenizer.save_pretrained(tmp_path / "gpt2")
    asked = []

    def snapshot(name, **options):
        asked.append(name)
        if name != "gpt2":
            raise OSError("no network here")
        return str(tmp_path / "gpt2")

    monkeypatch.setattr(hub, "snapshot_download", snapshot)
    monkeypatch.chdir(tmp_path / "gpt2")
    assert tessella.load("gpt2").encode("the").ids == tokenizer.backend_tokenizer.encode("the").ids
    assert asked == ["gpt2"]
    with pytest.raises(HubError, match=r"`distilgpt2` is neither .*no network here"):
        tessella.load("distilgpt2")


def test_tokenizers_travel(tokenizer):
    for one in (pickle.loads(pickle.dumps(tokenizer)), copy.copy(tokenizer), copy.deepcopy(tokenizer)):
        one.add_special_tokens({"mask_token": "[MASK]"})
        assert one("the", padding=True).data == tokenizer("the").data
        assert tokenizer.mask_token is None and "[MASK]" not in tokenizer.get_vocab()


def test_what_was_warned_of_does_not_travel(tokenizer):
    """Data sets know by the pickle whether a tokenizer is the same: their cache would be made again."""
    tokenizer.model_max_length = 4
    before = pickle.dumps(tokenizer)
    with pytest.warns(UserWarning, match="longer than the 4"):
        tokenizer("the the the the the the")
    tokenizer.deprecation_warnings["Asking-to-pad-a-fast-tokenizer"] = False
    assert pickle.dumps(tokenizer) == before
    with warnings.catch_warnings(record=True) as again:
        tokenizer("the the the the the the")
    assert not again


def test_trained_anew(tokenizer, bpe):
    texts = [["the cat sat", "the mat"]] * 5
    made = tokenizer.train_new_from_iterator(
        texts,
        20,
        new_special_tokens=["<new>"],
        special_tokens_map={"[CLS]": "[BOS]"},
        show_progress=False,
    )
    assert made.tokenize("the cat [BOS]") == ["the", "cat", "[BOS]"]
    assert made.cls_token == "[BOS]"
    assert made.extra_special_tokens == ["<new>"]
    assert made("the").tokens() == ["[BOS]", "the", "[SEP]"]
    assert "quick" in tokenizer.get_vocab()
    again = PretrainedTokenizer(bpe).train_new_from_iterator(texts, 262, show_progress=False)
    assert len(again) == 262
    assert again.decode(again("日本 the")["input_ids"]) == "日本 the"
    likely = PretrainedTokenizer(Tokenizer(models.Unigram([("[none]", 0.0), ("a", -1.0)], 0)))
    learned = likely.train_new_from_iterator(texts, 20, show_progress=False)
    assert learned.backend_tokenizer.model.id_to_token(0) == "[none]"
    with pytest.raises(TrainError, match="cannot be trained"):

        class Strange(PretrainedTokenizer):
            pass

        odd = Strange(bpe)
        odd.__dict__["backend_tokenizer"] = type("B", (), {"model": object()})()
        odd.train_new_from_iterator(texts, 9)


# Beside the transformers library.


def _sample(pair, count, seed):
    cases = list(calls.matrix(tensors=[None, "np"]))
    outcomes = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, case in enumerate(random.Random(seed).sample(cases, count)):
            outcome = calls.compare(*pair, case, number % 7 == 0)
            assert outcome in ("same", "both raise", "window types"), (case, outcome)
            outcomes.append(outcome)
    assert outcomes.count("same") > count / 3


def test_calls_are_those_of_transformers(words, bpe, tmp_path):
    pytest.importorskip("transformers")
    words.add_special_tokens(["[PAD]"])
    for number, (backend, settings) in enumerate(((words, ROLES), (bpe, {"pad_token": "a"}))):
        path = tmp_path / f"{number}.json"
        backend.save(path)
        _sample(calls.pair(path, settings), 250, number)


@pytest.mark.parametrize("name", calls.SETTINGS)
def test_calls_of_real_tokenizers(name):
    folder = texts.folder("TESSELLA_MODELS")
    if folder is None or not (folder / name).exists():
        pytest.skip("TESSELLA_MODELS names no folder with this file")
    pytest.importorskip("transformers")
    _sample(calls.pair(folder / name, calls.SETTINGS[name]), 200, 7)


def test_pre_tokenizers_are_left_alone():
    backend = Tokenizer(models.WordLevel({"a": 0, "[UNK]": 1}, "[UNK]"))
    backend.pre_tokenizer = pre_tokenizers.Whitespace()
    made = PretrainedTokenizer(backend, unk_token="[UNK]")
    assert made.backend_tokenizer is not backend
    assert "[UNK]" not in {t.content for t in backend.get_added_tokens_decoder().values()}


def _real(name, **settings):
    folder = texts.folder("TESSELLA_MODELS")
    if folder is None or not (folder / name).exists():
        pytest.skip("TESSELLA_MODELS names no folder with this file")
    return tessella.AutoTokenizer.from_pretrained(folder / name, **settings)


def test_words_of_real_tokenizers():
    batch = _real("bert-base-cased.json")("My name is Sylvain and I work at Hugging Face in Brooklyn.")
    assert batch.word_ids() == [None, 0, 1, 2, 3, 3, 3, 3, 4, 5, 6, 7, 8, 8, 9, 10, 11, 12, None]
    words = ["EU", "rejects", "German", "call", "to", "boycott", "British", "lamb", "."]
    batch = _real("bert-uncased.json")(words, is_split_into_words=True)
    assert batch["input_ids"] == [101, 7327, 19164, 2446, 2655, 2000, 17757, 2329, 12559, 1012, 102]
    pair = _real("bert-base-cased.json")(
        "Let's test this tokenizer...", "on a pair of sentences.", return_token_type_ids=True
    )
    first = pair.tokens().index("[SEP]") + 1
    assert pair["token_type_ids"] == [0] * first + [1] * (len(pair["input_ids"]) - first)


@pytest.mark.parametrize(
    "settings",
    [
        {"model_max_length": "long"},
        {"pad_token_type_id": [1]},
        {"model_input_names": 5},
        {"model_input_names": "input_ids"},
        {"extra_special_tokens": "abc"},
        {"extra_special_tokens": 5},
    ],
)
def test_broken_settings_are_named(words, settings, tmp_path):
    with pytest.raises(ArgumentError, match=next(iter(settings))):
        PretrainedTokenizer(words, **settings)
    words.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings))
    with pytest.raises(ArgumentError, match=next(iter(settings))):
        tessella.AutoTokenizer.from_pretrained(tmp_path)


# Names, positions and messages that users of the transformers library know.


def test_options_by_position(tokenizer, chatty):
    chatty.pad_token = "a"
    assert tokenizer.encode("fox", None, False) == [5]
    row = tokenizer.encode("fox", None, True, "max_length", True, 5, 0, "left", "np")
    assert row.tolist() == [[8, 8, 0, 5, 1]]
    template = "{{ messages[0].content }}"
    row = chatty.apply_chat_template(
        CHAT, None, None, template, False, False, True, False, "max_length", True, 1
    )
    assert len(row["input_ids"]) == 1
    with pytest.raises(UnsupportedError):
        chatty.apply_chat_template(CHAT, None, None, template, False, False, True, True)


def test_keywords_without_effect_here(tokenizer, tmp_path):
    padded = tokenizer("fox", tokenizer_kwargs={"padding": "max_length", "max_length": 4})
    assert padded["input_ids"] == [0, 5, 1, 8]
    assert tokenizer.decode([5], spaces_between_special_tokens=False) == "fox"
    assert tokenizer.batch_decode([[5]], spaces_between_special_tokens=True) == ["fox"]
    tokenizer.save_pretrained(tmp_path, save_format="hf")
    with pytest.raises(UnsupportedError, match="mistral"):
        tokenizer.save_pretrained(tmp_path, save_format="mistral")
    with pytest.raises(UnsupportedError, match="README"):
        tokenizer.push_to_hub("a/b", tags=["x"])


def test_further_names(tokenizer, chatty, tmp_path):
    assert tokenizer._tokenizer is tokenizer.backend_tokenizer
    assert tokenizer.decoder is None and chatty.decoder is not None
    assert tokenizer.SPECIAL_TOKENS_ATTRIBUTES[:2] == ["bos_token", "eos_token"]
    assert (tokenizer.backend, tokenizer.verbose, tokenizer.add_prefix_space) == ("tokenizers", False, False)
    assert (tokenizer.files_loaded, tokenizer.deprecation_warnings) == ([], {})
    assert tokenizer.slow_tokenizer_class is None and not tokenizer.can_save_slow_tokenizer
    assert tokenizer.vocab_files_names["tokenizer_file"] == "tokenizer.json"
    assert PretrainedTokenizer.padding_side == PretrainedTokenizer.truncation_side == "right"
    assert PretrainedTokenizer.model_input_names == ["input_ids", "attention_mask"]
    assert tokenizer.clean_up_tokenization("a , b") == "a, b"
    (file,) = tokenizer.save_vocabulary(tmp_path, "mine")
    assert os.path.basename(file).startswith("mine-")
    with pytest.raises(NotADirectoryError):
        tokenizer.save_vocabulary(tmp_path / "nowhere")
    token = AddedToken("<x>", lstrip=True)
    written = tokenizer.convert_added_tokens({"a": [token]}, save=True)
    assert written["a"][0]["__type"] == "AddedToken"
    assert tokenizer.convert_added_tokens(written)["a"][0].lstrip
    tokenizer.set_truncation_and_padding("max_length", "longest_first", 4, 0, None, "left")
    assert tokenizer.backend_tokenizer.encode("fox").ids == [8, 0, 5, 1]
    tokenizer.set_truncation_and_padding("do_not_pad", "do_not_truncate", 4, 0, None, None)
    assert tokenizer.backend_tokenizer.encode("fox").ids == [0, 5, 1]
    chatty.chat_template = {"default": "d", "tools": "t"}
    config, files = chatty.save_chat_templates(tmp_path, {"chat_template": "old"}, None, True)
    assert config == {} and [os.path.basename(file) for file in files] == [
        "chat_template.jinja",
        "tools.jinja",
    ]
    config, files = chatty.save_chat_templates(tmp_path, {}, None, save_jinja_files=False)
    assert config["chat_template"][1] == {"name": "tools", "template": "t"} and files == []
    chatty.chat_template = {"../x": "t"}
    with pytest.raises(ArgumentError, match="no name of a file"):
        chatty.save_chat_templates(tmp_path, {})


@pytest.mark.parametrize(
    ("use", "kind", "message"),
    [
        (lambda t: t.add_special_tokens(["a"]), TypeError, "dict of tokens by role"),
        (lambda t: t("a", return_tensors=["np"]), ArgumentError, "`return_tensors`"),
        (lambda t: t("a", max_length=-1), ArgumentError, "`max_length`"),
        (lambda t: t("a", padding=True, pad_to_multiple_of=-1), ArgumentError, "`pad_to_multiple_of`"),
        (lambda t: t("a", truncation=True, max_length=4, stride=-1), ArgumentError, "`stride`"),
        (lambda t: t.pad(t("a"), pad_to_multiple_of=-1), ArgumentError, "`pad_to_multiple_of`"),
        (lambda t: t.apply_chat_template(CHAT, chat_template=5), TypeError, "`chat_template`"),
        (lambda t: t.decode({"x": 1}), ArgumentError, "`input_ids`"),
        (lambda t: t.convert_tokens_to_string("sub"), TypeError, "list of tokens"),
        (
            lambda t: t.apply_chat_template(CHAT, chat_template="x", documents=["x"]),
            TypeError,
            "document 0 is of type str",
        ),
    ],
)
def test_wrong_values_are_named(tokenizer, use, kind, message):
    with pytest.raises(kind, match=message):
        use(tokenizer)
    assert tokenizer.add_special_tokens([]) == tokenizer.add_special_tokens({}) == 0


def test_ids_have_no_other_type(tokenizer):
    torch = pytest.importorskip("torch")
    with pytest.raises(TypeError, match=r"torch\.float16"):
        tokenizer("fox", return_tensors="pt").to(torch.float16)


def test_padding_without_a_length_warns(tokenizer):
    with pytest.warns(UserWarning, match="does nothing"):
        tokenizer.pad(tokenizer("fox"), padding="max_length")


def test_a_limit_that_is_none_is_handed_on(tokenizer):
    """As in `max_length=tokenizer.model_max_length`, where no file told one."""
    plain = tokenizer("the fox")["input_ids"]
    for options in ({"truncation": True}, {"padding": "max_length"}):
        with pytest.warns(UserWarning, match="does nothing"):
            assert tokenizer("the fox", max_length=int(1e30), **options)["input_ids"] == plain
    assert (
        tokenizer("the fox", max_length=np.int64(3), truncation=True)["input_ids"] == plain[:2] + plain[-1:]
    )
    for name, value in (("max_length", np.int64(-1)), ("stride", -1), ("pad_to_multiple_of", np.int8(-1))):
        with pytest.raises(ArgumentError, match=f"`{name}` must be a whole number"):
            tokenizer("the fox", **{"max_length": 9, "truncation": True, name: value})
    for name in ("max_length", "stride", "pad_to_multiple_of"):
        with pytest.raises(TypeError, match=f"`{name}` must be an int or None, not float"):
            tokenizer("the fox", **{"max_length": 9, "truncation": True, name: 1.5})


def test_odd_settings_files(words, tmp_path):
    words.save(str(tmp_path / "tokenizer.json"))
    config = tmp_path / "tokenizer_config.json"
    config.write_text('{"tokenizer_object": 1, "self": 2, "pad_token": "[CLS]"}')
    assert tessella.AutoTokenizer.from_pretrained(tmp_path).pad_token == "[CLS]"
    with pytest.raises(TypeError, match="tokenizer_object"):
        tessella.AutoTokenizer.from_pretrained(tmp_path, tokenizer_object=words)
    config.write_text("5")
    with pytest.raises(ValueError, match="tokenizer_config"):
        tessella.AutoTokenizer.from_pretrained(tmp_path)


def test_settings_without_roles_leave_them_to_the_names(words, tmp_path):
    words.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "tokenizer_config.json").write_text('{"model_max_length": 9}')
    made = tessella.AutoTokenizer.from_pretrained(tmp_path)
    assert (made.cls_token, made.sep_token, made.model_max_length) == ("[CLS]", "[SEP]", 9)
