"""Settings files: values of the wrong kind are errors, doubled keys and names that mean nothing are told."""

import json
import os

import pytest
import tessella
from tessella import AutoTokenizer, Tokenizer, models
from tessella.batch import PretrainedTokenizer
from tessella.errors import ArgumentError, FormatError
from warned import told


@pytest.fixture
def folder(tmp_path):
    tokenizer = Tokenizer(models.WordLevel({"a": 0, "b": 1}, "a"))
    tokenizer.save(tmp_path / "tokenizer.json")
    return tmp_path


SWITCHES = ("split_special_tokens", "add_prefix_space", "clean_up_tokenization_spaces", "add_bos_token")


@pytest.mark.parametrize("name", [*SWITCHES, "add_eos_token", "do_lower_case", "strip_accents"])
@pytest.mark.parametrize("value", ["false", "no", 0, 1, [True]])
def test_a_switch_is_true_or_false(name, value, folder):
    (folder / "tokenizer_config.json").write_text(json.dumps({name: value}))
    with pytest.raises(FormatError) as caught:
        AutoTokenizer.from_pretrained(folder)
    assert f"tokenizer_config.json: `{name}` must be true or false, found {value!r}" in str(caught.value)
    (folder / "tokenizer_config.json").write_text(json.dumps({name: None}))
    AutoTokenizer.from_pretrained(folder)
    with pytest.raises(ArgumentError, match=f"`{name}` must be True or False"):
        AutoTokenizer.from_pretrained(folder, **{name: value})
    with pytest.raises(ArgumentError, match=f"`{name}` must be True or False"):
        PretrainedTokenizer(tessella.load(folder / "tokenizer.json"), **{name: value})


def test_a_switch_that_is_set_is_a_bool(folder):
    tokenizer = AutoTokenizer.from_pretrained(folder)
    for name in ("add_bos_token", "add_eos_token"):
        with pytest.raises(ArgumentError, match=name):
            setattr(tokenizer, name, "no")


def test_switches_of_a_bare_vocabulary(tmp_path):
    (tmp_path / "vocab.txt").write_text("[UNK]\na\n")
    (tmp_path / "tokenizer_config.json").write_text('{"do_lower_case": "false"}')
    with pytest.raises(FormatError, match=r"tokenizer_config.json: \$.do_lower_case"):
        tessella.load(tmp_path)


def test_flags_of_tokens_in_settings(folder):
    (folder / "tokenizer_config.json").write_text('{"eos_token": {"content": "b", "lstrip": "no"}}')
    with pytest.raises(FormatError, match=r"tokenizer_config.json: `eos_token.lstrip` must be true or false"):
        AutoTokenizer.from_pretrained(folder)


DOUBLED = {
    "tokenizer_config.json": ('{"padding_side":"left","padding_side":"right"}', "$.padding_side"),
    "special_tokens_map.json": ('{"eos_token":"a","eos_token":"b"}', "$.eos_token"),
}


@pytest.mark.parametrize("file", DOUBLED)
def test_doubled_keys_of_settings_are_told(file, folder):
    text, key = DOUBLED[file]
    (folder / file).write_text(text)
    tokenizer, notes = told(lambda: AutoTokenizer.from_pretrained(folder))
    assert notes == [f"{file}: the key {key} comes twice in the file: the last value counts"]
    assert (tokenizer.padding_side, tokenizer.eos_token) in (("right", None), ("right", "b"))


def test_doubled_keys_of_vocabularies_are_told(tmp_path):
    vocab, merges = tmp_path / "vocab.json", tmp_path / "merges.txt"
    vocab.write_text('{"a": 0, "b": 1, "a": 2}')
    merges.write_text("")
    folder, notes = told(lambda: tessella.load(tmp_path))
    assert folder.token_to_id("a") == 2
    assert notes == ["vocab.json: the key $.a comes twice in the file: the last value counts"]
    for read in (
        lambda: models.BPE.from_file(vocab, merges),
        lambda: models.WordLevel.from_file(vocab),
        lambda: models.WordLevel(models.WordLevel.read_file(vocab)),
    ):
        model, notes = told(read)
        assert model.token_to_id("a") == 2
        assert notes == ["vocab.json: the key 'a' comes twice in the file: the last value counts"]
    (tmp_path / "added_tokens.json").write_text('{"z": 3, "z": 4}')
    folder, notes = told(lambda: tessella.load(tmp_path))
    assert folder.token_to_id("z") == 4 and any("added_tokens.json: the key $.z" in note for note in notes)


def test_names_that_mean_nothing_are_told(folder):
    config = {
        "split_special_token": True,
        "my_own_token": True,
        "image_token": "a",
        "eos_token": {"content": "b", "lstripp": True, "__type": "AddedToken"},
        "model_input_names": ["input_idss", "attention_mask", "bbox"],
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    _, notes = told(lambda: AutoTokenizer.from_pretrained(folder))
    file = "tokenizer_config.json"
    assert sorted(notes) == sorted(
        [
            f"{file} has `split_special_token`, which means nothing; did you mean 'split_special_tokens'?",
            f"{file} has `my_own_token`, which is no known setting, and True is no token",
            f"{file}: `eos_token` has the field `lstripp`, which means nothing; did you mean 'lstrip'?",
            f"{file}: `model_input_names` holds 'input_idss', which no column has; did you mean 'input_ids'?",
            f"{file}: `model_input_names` holds 'bbox', which no column has",
        ]
    )
    (folder / "tokenizer_config.json").unlink()
    _, notes = told(lambda: AutoTokenizer.from_pretrained(folder, split_special_token=True, image_token="a"))
    assert len(notes) == 1 and "did you mean 'split_special_tokens'?" in notes[0]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
@pytest.mark.parametrize(
    "name", ["tokenizer_config.json", "special_tokens_map.json", "chat_template.jinja", "tokenizer.json"]
)
def test_a_pipe_among_the_files_of_a_folder_is_refused(name, folder):
    path = folder / name
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    with pytest.raises(ArgumentError, match=f"{name} is a pipe or a device"):
        AutoTokenizer.from_pretrained(folder)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_a_pipe_for_a_vocabulary_is_told_as_one(tmp_path):
    pipe, merges = tmp_path / "vocab.json", tmp_path / "merges.txt"
    os.mkfifo(pipe)
    merges.write_text("")
    with pytest.raises(ArgumentError) as caught:
        models.BPE.from_file(pipe, merges)
    assert "is a pipe or a device" in str(caught.value) and "JSON" not in str(caught.value)
