"""Pointers of Git LFS and web pages where files should be: they are text, and would be read as words, templates or a corpus."""

from __future__ import annotations

from pathlib import Path

import pytest
import tessella
from tessella import Tokenizer, models
from tessella.edit.safetensors import read_header
from tessella.errors import FormatError

POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'a5' * 32}\nsize 6204808\n"
PAGE = "<!DOCTYPE html>\n<html><body>Not found</body></html>\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of a tokenizer with everything beside it."""
    tokenizer = Tokenizer(models.WordPiece({"[UNK]": 0, "a": 1}))
    tokenizer.save(tmp_path / "tokenizer.json")
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "PreTrainedTokenizerFast"}')
    return tmp_path


@pytest.mark.parametrize("content", [POINTER, PAGE], ids=["pointer", "page"])
@pytest.mark.parametrize(
    "name",
    [
        "tokenizer.json",
        "tokenizer_config.json",
        "special_tokens_map.json",
        "chat_template.jinja",
        "config.json",
    ],
)
def test_a_folder_with_a_place_holder_is_refused(folder: Path, name: str, content: str) -> None:
    assert tessella.AutoTokenizer.from_pretrained(folder).encode("a", add_special_tokens=False) == [1]
    (folder / name).write_text(content)
    with pytest.raises(FormatError, match=r"not the file itself.*" + name.replace(".", r"\.")):
        tessella.AutoTokenizer.from_pretrained(folder)


@pytest.mark.parametrize(
    "name",
    ["vocab.txt", "tokenizer.model", "spiece.model", "tekken.json", "ranks.tiktoken", "words", "model.gguf"],
)
def test_a_file_that_is_a_pointer_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(POINTER)
    with pytest.raises(FormatError, match=r"pointer of Git LFS.*which has 6204808 bytes.*`git lfs pull`"):
        tessella.load(tmp_path / name)
    if name in {"vocab.txt", "tokenizer.model", "spiece.model", "tekken.json"}:
        with pytest.raises(FormatError, match="pointer of Git LFS"):
            tessella.load(tmp_path)


def test_merges_and_their_vocabulary_are_no_pointers(tmp_path: Path) -> None:
    (tmp_path / "vocab.json").write_text('{"a": 0, "b": 1, "ab": 2}')
    (tmp_path / "merges.txt").write_text("#version: 0.2\na b\n")
    assert tessella.load(tmp_path).encode("ab", add_special_tokens=False).ids == [2]
    for name in ("vocab.json", "merges.txt"):
        before = (tmp_path / name).read_text()
        (tmp_path / name).write_text(POINTER)
        with pytest.raises(FormatError, match="pointer of Git LFS"):
            tessella.load(tmp_path)
        with pytest.raises(FormatError, match="pointer of Git LFS"):
            models.BPE.from_file(str(tmp_path / "vocab.json"), str(tmp_path / "merges.txt"))
        (tmp_path / name).write_text(before)


@pytest.mark.parametrize("name", ["corpus.txt", "corpus.jsonl", "corpus.txt.gz", "corpus.parquet"])
def test_no_corpus_is_a_pointer(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(POINTER)
    tokenizer = Tokenizer(models.WordPiece({"[UNK]": 0, "a": 1}))
    with pytest.raises(FormatError, match="pointer of Git LFS"):
        tessella.count_pieces([path], tokenizer)
    with pytest.raises(FormatError, match="pointer of Git LFS"):
        list(tokenizer.encode_files([path]))


def test_a_corpus_that_begins_with_a_pointer_is_one(tmp_path: Path) -> None:
    """Of source code, say, with a pointer among its files."""
    tokenizer = Tokenizer(models.WordPiece({"[UNK]": 0, "a": 1}))
    (tmp_path / "corpus.txt").write_text(POINTER + "a\n" * 1000)
    [row] = tokenizer.encode_files([tmp_path / "corpus.txt"])
    assert row.tolist() == [0]


def test_weights_that_are_a_pointer_are_told_as_such(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_text(POINTER)
    with pytest.raises(FormatError, match="pointer of Git LFS"):
        read_header(str(tmp_path / "model.safetensors"))


def test_a_corpus_of_pages_is_one(tmp_path: Path) -> None:
    (tmp_path / "page.txt").write_text(PAGE)
    tokenizer = Tokenizer(models.WordPiece({"[UNK]": 0, "a": 1}))
    assert len(list(tokenizer.encode_files([tmp_path / "page.txt"]))) > 0
