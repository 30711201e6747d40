"""Files of any format through one function."""

import base64
import json

import pytest
import tessella
from tessella import models
from tessella.errors import FormatError
from tessella.words import Morphs


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


@pytest.mark.parametrize("name", ["tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"])
@pytest.mark.parametrize(
    ("content", "found"), [("[]", "an array of 0"), ("5", "the number 5"), ('"x"', "`x`"), ("null", "null")]
)
def test_settings_that_are_no_object(tmp_path, name, content, found):
    (tmp_path / "vocab.txt").write_text("[UNK]\n[CLS]\n[SEP]\nlow\n")
    assert tessella.load(tmp_path).encode("low").tokens == ["[CLS]", "low", "[SEP]"]
    (tmp_path / name).write_text(content)
    for load in (tessella.load, tessella.AutoTokenizer.from_pretrained):
        with pytest.raises(FormatError, match="expected a JSON object") as caught:
            load(tmp_path)
        assert found in str(caught.value) and str(tmp_path / name) in str(caught.value)
    (tmp_path / name).write_text("{}")
    assert tessella.load(tmp_path).encode("low").tokens == ["[CLS]", "low", "[SEP]"]


def test_vocabularies_nested_too_deeply(tmp_path):
    path = tmp_path / "vocab.json"
    path.write_text("[" * 100_000)
    with pytest.raises(FormatError, match=r"vocab\.json"):
        models.WordLevel.read_file(path)
    with pytest.raises(FormatError, match=r"Morphs\.save"):
        Morphs.load("[" * 100_000)
