"""Files of any format through one function."""

import base64
import json

import pytest
import tessella
from tessella import models
from tessella.errors import FormatError


def test_tokenizer_json_and_folders(words, tmp_path):
    words.save(tmp_path / "tokenizer.json")
    for source in (tmp_path / "tokenizer.json", str(tmp_path), tmp_path):
        assert tessella.load(source).fingerprint() == words.fingerprint()


def test_ranks_need_a_pattern(tmp_path):
    ranks = [bytes([byte]) for byte in range(256)] + [b"th", b"the"]
    lines = [f"{base64.b64encode(token).decode()} {rank}" for rank, token in enumerate(ranks)]
    path = tmp_path / "mine.tiktoken"
    path.write_text("\n".join(lines))
    tokenizer = tessella.load(path, pattern=r"\w+|\s+|[^\w\s]+", special_tokens={"<|end|>": 300})
    assert tokenizer.encode_ids("the<|end|>").tolist() == [257, 300]
    assert tokenizer.decode([257]) == "the"


def test_model_files(tmp_path):
    bpe = models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")])
    paths = bpe.save(tmp_path, "mine")
    assert [path.rsplit("/", 1)[1] for path in paths] == ["mine-vocab.json", "mine-merges.txt"]
    assert models.BPE.from_file(*paths).__getstate__() == bpe.__getstate__()
    with pytest.warns(DeprecationWarning):
        assert models.BPE(*paths).__getstate__() == bpe.__getstate__()
    pieces = models.WordPiece({"[UNK]": 0, "a": 1})
    (path,) = pieces.save(tmp_path)
    assert models.WordPiece.from_file(path).__getstate__() == pieces.__getstate__()
    words = models.WordLevel({"a": 0, "<unk>": 1})
    (path,) = words.save(tmp_path)
    assert models.WordLevel.from_file(path).__getstate__() == words.__getstate__()
    (path,) = models.Unigram([("<unk>", 0.0), ("a", -1.0)], 0).save(tmp_path)
    with open(path, encoding="utf-8") as file:
        assert json.load(file)["vocab"] == [["<unk>", 0.0], ["a", -1.0]]


def test_broken_files(tmp_path):
    path = tmp_path / "x.json"
    path.write_text("[1, 2]")
    with pytest.raises(FormatError):
        tessella.load(path)
    with pytest.raises(FileNotFoundError):
        tessella.load(tmp_path / "nowhere.json")
    with pytest.raises(FormatError, match="not JSON"):
        path.write_text("{")
        models.BPE.read_file(path, path)
