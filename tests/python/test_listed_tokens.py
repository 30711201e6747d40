"""Added tokens that stand beside a tokenizer.json are those that transformers reads there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tessella
from tessella.errors import ArgumentError, FormatError
from tessella.models import WordLevel
from tessella.pre_tokenizers import Whitespace

TEXTS = ["one<x>two", "a <y> b <pad>", " <old>  <new> ", "one <x><x> two<zz>"]
_PLAIN = {"lstrip": False, "rstrip": False, "single_word": False, "normalized": False}


def _folder(path: Path, config: dict[str, Any], added: dict[str, int] | None = None) -> Path:
    tokenizer = tessella.Tokenizer(WordLevel({"[UNK]": 0, "one": 1, "two": 2, "a": 3, "<new>": 4}, "[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.add_tokens([tessella.AddedToken("<old>", normalized=True)])
    path.mkdir()
    tokenizer.save(path / "tokenizer.json")
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": "[UNK]", **config}
    (path / "tokenizer_config.json").write_text(json.dumps(settings))
    if added is not None:
        (path / "added_tokens.json").write_text(json.dumps(added))
    return path


@pytest.mark.parametrize(
    ("config", "added"),
    [
        ({"added_tokens_decoder": {"6": {"content": "<x>", "special": True, **_PLAIN}}}, None),
        (
            {
                "pad_token": "<pad>",
                "added_tokens_decoder": {
                    "5": {"content": "<old>", "special": True, **_PLAIN, "lstrip": True},
                    "4": {"content": "<new>", "special": False, **_PLAIN, "rstrip": True},
                    "7": {"content": "<y>", "special": False, **_PLAIN},
                    "6": {"content": "<pad>", "special": False, **_PLAIN},
                },
            },
            {"<zz>": 6},
        ),
        ({"pad_token": "<pad>"}, {"<zz>": 7, "<pad>": 6, "<old>": 5, "<new>": 4}),
        ({"extra_special_tokens": ["<zz>"]}, {"<zz>": 6}),
    ],
)
def test_listed_tokens_are_those_of_transformers(config, added, tmp_path):
    transformers = pytest.importorskip("transformers")
    folder = _folder(tmp_path / "folder", config, added)
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    ours = tessella.AutoTokenizer.from_pretrained(folder)
    for round_ in range(2):
        expected = {id: repr(token) for id, token in theirs.added_tokens_decoder.items()}
        assert {id: repr(token) for id, token in ours.added_tokens_decoder.items()} == expected
        assert (len(ours), ours.all_special_tokens) == (len(theirs), theirs.all_special_tokens)
        for text in TEXTS:
            ids = theirs(text).input_ids
            assert ours(text).input_ids == ids
            assert ours.decode(ids, skip_special_tokens=True) == theirs.decode(ids, skip_special_tokens=True)
        if round_ == 0:
            ours.save_pretrained(tmp_path / "saved")
            ours = tessella.AutoTokenizer.from_pretrained(tmp_path / "saved")
    assert tessella.load(folder).encode_ids(TEXTS[0]).tolist() == theirs(TEXTS[0]).input_ids


def test_ids_that_cannot_be_kept_are_told(tmp_path):
    listed = {"40": {"content": "<x>", "special": True, **_PLAIN}}
    folder = _folder(tmp_path / "folder", {"added_tokens_decoder": listed})
    with pytest.warns(UserWarning, match=r"'<x>' is listed with the id 40, but .* leaves it 6"):
        assert tessella.load(folder).token_to_id("<x>") == 6


@pytest.mark.parametrize(
    ("decoder", "message"),
    [
        ([], r"added_tokens_decoder must be an object"),
        ({"x": {"content": "<x>"}}, r"\['x'\] must have a number as its id"),
        ({"6": "<x>"}, r"\['6'\] must be an object with the `content`"),
        ({"6": {"content": "<x>", "special": "no"}}, r"\['6'\]\.special must be true or false, not 'no'"),
    ],
)
def test_what_is_no_list_of_tokens_is_an_error(decoder, message, tmp_path):
    folder = _folder(tmp_path / "folder", {"added_tokens_decoder": decoder})
    with pytest.raises(FormatError, match=message):
        tessella.load(folder)


def test_misspelled_flags_are_told(tmp_path):
    folder = _folder(tmp_path / "folder", {"added_tokens_decoder": {"6": {"content": "<x>", "specal": True}}})
    with pytest.warns(UserWarning, match="`specal`"):
        tessella.load(folder)


@pytest.mark.parametrize("named", [1, True, 1.5, "<x>"])
def test_further_special_tokens_that_are_no_list(named, tmp_path):
    """The tokenizer is there; who reads the settings is told that they are wrong."""
    folder = _folder(tmp_path / "x", {"extra_special_tokens": named}, {"<x>": 6})
    loaded = tessella.load(folder)
    assert loaded.token_to_id("<x>") is not None
    assert not loaded.get_added_tokens_decoder()[loaded.token_to_id("<x>")].special
    with pytest.raises(ArgumentError, match="must be a list"):
        tessella.AutoTokenizer.from_pretrained(folder)
