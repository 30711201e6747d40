"""Folders that saving makes go again where it fails, and those that were there stay as they were."""

import contextlib
import os
import sys

import pytest
import tessella
from tessella import models
from tessella.batch import PretrainedTokenizer
from tessella.errors import TessellaError

LONG = "a" * 300


@pytest.fixture
def tokenizer():
    tokenizer = tessella.Tokenizer(models.BPE())
    tokenizer.add_tokens(["a"])
    tokenizer.chat_template = "{{ messages }}"
    return tokenizer


def everything(folder):
    return sorted(
        os.path.relpath(os.path.join(where, name), folder)
        for where, folders, files in os.walk(folder)
        for name in [*folders, *files]
    )


@contextlib.contextmanager
def no_room():
    """Files of more than ten bytes are refused by the system; no longer than for a save, for pytest may write to a file too."""
    resource = pytest.importorskip("resource")
    signal = pytest.importorskip("signal")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)


@pytest.mark.parametrize("template", ["tab\tin it", LONG, "a/b"])
def test_names_that_no_file_can_have(tokenizer, tmp_path, template):
    tokenizer._chat_templates = ((template, "x"),)
    with pytest.raises((OSError, TessellaError)):
        tokenizer.save_folder(tmp_path / "outer" / "inner")
    assert everything(tmp_path) == []


@pytest.mark.parametrize("files", [True, False])
def test_a_full_disk(tokenizer, tmp_path, files):
    wrapped = PretrainedTokenizer(tokenizer, chat_template={"default": "x", "tools": "y"})
    for save in (
        lambda folder: tokenizer.save_folder(folder),
        lambda folder: wrapped.save_pretrained(folder, save_jinja_files=files),
        lambda folder: tokenizer.save(folder, format="folder"),
    ):
        with no_room(), pytest.raises(OSError):
            save(tmp_path / "outer" / "inner")
        assert everything(tmp_path) == []


def test_what_was_there_stays(tokenizer, tmp_path):
    (tmp_path / "empty").mkdir()
    tokenizer.save_folder(tmp_path / "saved")
    there = everything(tmp_path)
    tokenizer._chat_templates = ((LONG, "x"),)
    for name in ("empty", "saved", "saved/../empty/new"):
        with pytest.raises(OSError):
            tokenizer.save_folder(tmp_path / name)
        assert everything(tmp_path) == there
    # What failed is no obstacle to who comes next.
    tokenizer._chat_templates = ()
    tokenizer.save_folder(tmp_path / "saved")
    assert tessella.load(tmp_path / "saved").chat_template == "{{ messages }}"


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_folder_behind_a_link(tokenizer, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    tokenizer.save_folder(tmp_path / "link" / "made")
    assert tessella.load(tmp_path / "real" / "made").chat_template == "{{ messages }}"
    (tmp_path / "dangling").symlink_to("nowhere")
    with pytest.raises(OSError):
        tokenizer.save_folder(tmp_path / "dangling")
    assert not (tmp_path / "nowhere").exists()


def test_models_still_need_their_folder(tokenizer, tmp_path):
    with pytest.raises(FileNotFoundError):
        tokenizer.model.save(tmp_path / "missing")
    assert everything(tmp_path) == []
