"""What the settings files of a folder come to together, where they say the same thing twice or say it differently."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tessella
from tessella.errors import ArgumentError
from tessella.models import WordLevel
from tessella.pre_tokenizers import Whitespace

_MARK = {"content": "<m>", "lstrip": True, "rstrip": False, "normalized": False, "single_word": False}


def _folder(
    path: Path,
    config: dict[str, Any],
    older: dict[str, Any] | None = None,
    added: dict[str, int] | None = None,
) -> Path:
    tokenizer = tessella.Tokenizer(WordLevel({"[UNK]": 0, "one": 1, "two": 2}, "[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.add_tokens([tessella.AddedToken("<end>", normalized=False), "<turn>"])
    tokenizer.save(path / "tokenizer.json")
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": "[UNK]", **config}
    (path / "tokenizer_config.json").write_text(json.dumps(settings))
    for name, part in (("special_tokens_map.json", older), ("added_tokens.json", added)):
        if part is not None:
            (path / name).write_text(json.dumps(part))
    return path


@pytest.mark.parametrize("given", [{}, {"pad_token": "<end>"}, {"additional_special_tokens": ["<g>"]}])
@pytest.mark.parametrize(
    ("config", "older", "added"),
    [
        # Published so: the end of a turn is an ordinary token of the file and has a role all the same.
        ({"eos_token": "<end>"}, None, None),
        ({"eos_token": {"__type": "AddedToken", **_MARK, "content": "<end>"}}, {"pad_token": "<turn>"}, None),
        ({"turn_token": "<turn>"}, {"eos_token": {**_MARK, "content": "<end>"}}, None),
        ({"additional_special_tokens": ["<end>"]}, None, None),
        # Two names of one list, a list and an object, lists of both files.
        ({"extra_special_tokens": {"b_token": "<b>", "a_token": "<a>"}, "a_token": "<a>"}, None, None),
        (
            {"extra_special_tokens": {"b_token": "<b>"}, "additional_special_tokens": ["<x>", "<y>"]},
            None,
            None,
        ),
        ({"extra_special_tokens": [], "additional_special_tokens": ["<x>"]}, None, None),
        ({"extra_special_tokens": None, "additional_special_tokens": ["<x>"]}, None, None),
        ({"additional_special_tokens": ["<x>"]}, {"additional_special_tokens": ["<y>"]}, None),
        ({"extra_special_tokens": ["<x>"]}, {"extra_special_tokens": ["<y>", "<x>", _MARK]}, None),
        ({"extra_special_tokens": ["<x>"]}, {"extra_special_tokens": {"c_token": "<c>"}}, None),
        ({"model_specific_special_tokens": {"b_token": "<b>"}, "c_token": _MARK}, None, None),
        # Ids that the file has given to others.
        ({"eos_token": "<end>"}, None, {"<new>": 3, "<newer>": 5}),
        ({}, None, {"<end>": 7, "<turn>": 2}),
        # A setting that ends like a role and is none.
        ({"image_token": 5, "video_token": ["<v>"]}, None, None),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_settings_come_to_what_they_come_to_in_transformers(config, older, added, given, tmp_path):
    transformers = pytest.importorskip("transformers")
    if "c_token" in config:
        config = {**config, "c_token": {"__type": "AddedToken", **config["c_token"]}}
    folder = _folder(tmp_path, config, older, added)
    theirs = transformers.AutoTokenizer.from_pretrained(folder, **given)
    ours = tessella.AutoTokenizer.from_pretrained(folder, **given)
    assert ours.special_tokens_map == {key: str(token) for key, token in theirs.special_tokens_map.items()}
    assert ours.all_special_tokens == theirs.all_special_tokens
    assert ours.get_added_vocab() == theirs.get_added_vocab()
    flags = {id: repr(token) for id, token in theirs.added_tokens_decoder.items()}
    assert {id: repr(token) for id, token in ours.added_tokens_decoder.items()} == flags
    text = "one <end>two<turn> <x><y> one <m>"
    ids = theirs(text).input_ids
    assert ours(text).input_ids == ids
    assert ours.decode(ids, skip_special_tokens=True) == theirs.decode(ids, skip_special_tokens=True)
    plain = theirs(text, split_special_tokens=True).input_ids
    assert ours(text, split_special_tokens=True).input_ids == plain


def test_a_token_with_a_role_is_special_also_for_load(tmp_path):
    folder = _folder(tmp_path, {"eos_token": "<end>"})
    loaded = tessella.load(folder)
    assert loaded.decode(loaded.encode("one <end> <turn>").ids, skip_special_tokens=True) == "one <turn>"


def test_an_id_that_another_token_has_is_told(tmp_path):
    folder = _folder(tmp_path, {}, None, {"<new>": 3})
    with pytest.warns(UserWarning, match="gives '<new>' the id 3, which is that of '<end>'"):
        assert tessella.load(folder).token_to_id("<new>") is None


def test_a_role_that_a_caller_takes_away_is_gone(tmp_path):
    folder = _folder(tmp_path, {}, {"pad_token": "<end>"})
    assert tessella.AutoTokenizer.from_pretrained(folder).pad_token == "<end>"
    assert tessella.AutoTokenizer.from_pretrained(folder, pad_token=None).pad_token is None


def test_roles_of_a_models_own_that_are_no_object(tmp_path):
    folder = _folder(tmp_path, {"model_specific_special_tokens": 5})
    with pytest.raises(ArgumentError, match="`model_specific_special_tokens` must be an object"):
        tessella.AutoTokenizer.from_pretrained(folder)
