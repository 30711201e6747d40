"""Slips that once said nothing: unknown settings and options, lengths that are none, what is no batch."""

import json

import numpy as np
import pytest
import tessella
from tessella import AutoTokenizer, Tokenizer, models
from tessella.batch import PretrainedTokenizer
from tessella.compat.transformers import BertTokenizer, PreTrainedTokenizerFast
from tessella.errors import ArgumentError
from warned import told


@pytest.fixture
def words():
    tokenizer = Tokenizer(models.WordLevel({"a": 0, "b": 1, "[PAD]": 2}, "a"))
    tokenizer.add_special_tokens(["[PAD]"])
    return tokenizer


@pytest.fixture
def folder(words, tmp_path):
    words.config = {"model_max_length": 512, "of_mine": 3, "pad_token": "[PAD]"}
    words.save_folder(tmp_path)
    return tmp_path


def test_unknown_settings_are_told_with_the_near_name(folder):
    tokenizer, notes = told(lambda: AutoTokenizer.from_pretrained(folder, junk=1, pading_side="left"))
    assert len(notes) == 1
    assert "`junk`" in notes[0] and "`pading_side`; did you mean 'padding_side'?" in notes[0]
    assert tokenizer.init_kwargs["junk"] == 1
    known = {"padding_side": "left", "of_mine": 4, "image_token": "a", "use_fast": True, "_commit_hash": "x"}
    assert told(lambda: AutoTokenizer.from_pretrained(folder, **known))[1] == []


def test_slips_in_a_settings_file_are_told(folder):
    path = folder / "tokenizer_config.json"
    path.write_text(json.dumps({"truncation_sid": "left", "bos_token_id": 1, "whatever": {}}))
    _, notes = told(lambda: AutoTokenizer.from_pretrained(folder))
    assert notes == [
        "tokenizer_config.json has `truncation_sid`, which means nothing; did you mean 'truncation_side'?"
    ]


def test_unknown_options_of_a_call_are_told(folder, words):
    tokenizer = AutoTokenizer.from_pretrained(folder)
    for call in (tokenizer, words):
        batch, notes = told(lambda call=call: call(["a", "b"], paddingg=True))
        assert batch["input_ids"] == [[0], [1]]
        assert notes == ["__call__ has no option `paddingg`; did you mean 'padding'? (it is left out)"]
    assert told(lambda: tokenizer.encode("a", paddingg=True))[0] == [0]
    assert told(lambda: tokenizer(["a"], padding=True))[1] == []
    with pytest.raises(TypeError, match="multiple values"):
        tokenizer("a", text="b")


@pytest.mark.parametrize("length", [-5, 1.5, True, "many", [1]])
def test_lengths_that_are_none_are_refused_at_load(folder, length):
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": length}))
    with pytest.raises(ArgumentError, match="`model_max_length` must be"):
        AutoTokenizer.from_pretrained(folder)
    with pytest.raises(ArgumentError, match="`model_max_length` must be"):
        PretrainedTokenizer(tessella.load(folder / "tokenizer.json"), model_max_length=length)


def test_no_limit_is_a_large_number(folder):
    (folder / "tokenizer_config.json").write_text('{"model_max_length": 1e30}')
    assert AutoTokenizer.from_pretrained(folder).model_max_length == int(1e30)


@pytest.mark.parametrize("batch", [{"a", "b"}, frozenset("ab"), {"a": "b"}])
def test_what_has_no_order_is_no_batch(words, batch):
    for call in (words.encode_batch, words.encode_ids_batch, words.encode_batch_fast):
        with pytest.raises(TypeError, match=r"found (set|frozenset|dict) .*(no order|by its keys)"):
            call(batch)
    with pytest.raises(TypeError):
        words.decode_batch({(0, 1)})
    with pytest.raises(ArgumentError):
        words(batch)
    assert words.encode_ids_batch(dict.fromkeys("ab").keys()).to_list() == [[0], [1]]


@pytest.mark.parametrize(
    "ids",
    [b"\x00", bytearray(b"\x01"), [True, False], (0, True), np.array([True]), {0}, {0: 1}, iter([True])],
)
def test_what_is_no_list_of_ids(words, ids):
    with pytest.raises(TypeError, match=r"expected a list of ids|an id must be an int"):
        words.decode(ids)


def test_masks_are_no_ids(words):
    tokenizer = PretrainedTokenizer(words)
    for ids in (True, b"\x00", {0}, [True], [[True]]):
        with pytest.raises(TypeError):
            tokenizer.decode(ids)
    with pytest.raises(TypeError, match="integer"):
        words.decode_stream().step(True)
    assert words.decode([0, 1]) == tokenizer.decode([0, 1]) == "a b"
    assert words.decode(np.array([0, 1])) == "a b"


@pytest.mark.parametrize("prefix", ["../x", "a/b", "a\\b", "\0"])
def test_prefixes_stay_in_the_folder(words, tmp_path, prefix):
    folder = tmp_path / "inner"
    folder.mkdir()
    tokenizer = PretrainedTokenizer(words, chat_template="{{ messages }}")
    for save in (
        lambda: tokenizer.save_pretrained(folder, filename_prefix=prefix),
        lambda: tokenizer.save_vocabulary(folder, prefix),
        lambda: tokenizer.save_chat_templates(folder, {}, prefix),
        lambda: words.model.save(folder, prefix),
    ):
        with pytest.raises(ArgumentError, match="without separators of folders"):
            save()
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["inner"]
    with pytest.raises(TypeError, match="must be a str"):
        words.model.save(folder, 5)
    assert tokenizer.save_pretrained(folder, filename_prefix="mine")
    assert all(path.name.startswith("mine-") for path in folder.iterdir())


@pytest.mark.parametrize("kind", [PretrainedTokenizer, PreTrainedTokenizerFast, BertTokenizer])
def test_settings_given_to_a_class_are_looked_at_too(words, kind):
    made, notes = told(lambda: kind(tokenizer_object=words, pading_side="left", junk=1, pad_token="[PAD]"))
    assert len(notes) == 1 and notes[0].startswith(f"{kind.__name__} knows no setting")
    assert "`junk`" in notes[0] and "`pading_side`; did you mean 'padding_side'?" in notes[0]
    assert made.init_kwargs["junk"] == 1
    assert told(lambda: kind(tokenizer_object=words, padding_side="left", image_token="a"))[1] == []


def test_settings_are_told_once(folder):
    tokenizer, notes = told(lambda: AutoTokenizer.from_pretrained(folder, junk=1))
    assert len(notes) == 1
    assert told(lambda: tokenizer.save_pretrained(folder))[1] == []
    assert told(lambda: AutoTokenizer.from_pretrained(folder))[1] == []
    assert told(lambda: tokenizer.train_new_from_iterator(["a b"], 5, show_progress=False))[1] == []


@pytest.mark.parametrize("name", ["decode", "batch_decode"])
def test_unknown_options_of_decoding_are_told(folder, name):
    tokenizer = AutoTokenizer.from_pretrained(folder)
    text, notes = told(lambda: getattr(tokenizer, name)([0, 1], skip_special_token=True))
    assert text in ("a b", ["a b"])
    assert notes == [
        f"{name} has no option `skip_special_token`; did you mean 'skip_special_tokens'? (it is left out)"
    ]
    assert told(lambda: getattr(tokenizer, name)([0, 1], spaces_between_special_tokens=False))[1] == []


def test_padding_refuses_unknown_options(folder):
    with pytest.raises(TypeError, match="padding_sid"):
        AutoTokenizer.from_pretrained(folder).pad({"input_ids": [0]}, padding_sid="left")
