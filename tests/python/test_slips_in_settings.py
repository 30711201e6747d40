"""Settings of a tokenizer that calls are made with, set to what they cannot be."""

import pytest
import tessella
from tessella import AutoTokenizer, models
from tessella.batch import PretrainedTokenizer
from tessella.errors import ArgumentError


@pytest.fixture
def tokenizer():
    backend = tessella.Tokenizer(models.WordLevel({"[PAD]": 0, "low": 1}))
    return PretrainedTokenizer(backend, pad_token="[PAD]")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("padding_side", "up", "`padding_side` must be 'left' or 'right', not 'up'"),
        ("truncation_side", None, "`truncation_side` must be 'left' or 'right', not None"),
        ("model_max_length", "many", "`model_max_length` must be a whole number, not 'many'"),
        ("model_max_length", -1, "`model_max_length` must be 0 or more, found -1"),
    ],
)
def test_refused_where_it_is_set(tokenizer, name, value, message):
    before = getattr(tokenizer, name)
    with pytest.raises(ArgumentError, match=message):
        setattr(tokenizer, name, value)
    assert getattr(tokenizer, name) == before


def test_what_they_can_be(tokenizer):
    tokenizer.padding_side, tokenizer.truncation_side, tokenizer.model_max_length = "left", "left", 7
    assert tokenizer("low", padding="max_length")["input_ids"] == [0] * 6 + [1]
    assert (tokenizer.padding_side, tokenizer.truncation_side, tokenizer.model_max_length) == (
        "left",
        "left",
        7,
    )


def test_names_of_folders(tokenizer, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ArgumentError, match="`save_directory` is empty"):
        tokenizer.save_pretrained("")
    with pytest.raises(TypeError, match=r"`save_directory` must be a folder.* not int 3"):
        tokenizer.save_pretrained(3)
    assert list(tmp_path.iterdir()) == []
    for kind in (AutoTokenizer, PretrainedTokenizer):
        with pytest.raises(
            TypeError, match=r"`pretrained_model_name_or_path` must be a folder.* not NoneType"
        ):
            kind.from_pretrained(None)


def test_no_conversation(tokenizer):
    pytest.importorskip("jinja2")
    with pytest.raises(TypeError, match="a conversation must be a list of messages, not int 3"):
        tokenizer.apply_chat_template(3, chat_template="{{ messages }}")
