"""Files that are in use: edited, saved, and loaded by their own libraries with equal ids."""

import os
import zipfile
from pathlib import Path

import pytest
from tessella import edit, load, pre_tokenizers
from tessella.counting import read_texts

MODELS, CORPORA = (Path(os.environ.get(name, "")) for name in ("TESSELLA_MODELS", "TESSELLA_CORPORA"))
pytestmark = pytest.mark.skipif(
    not (os.environ.get("TESSELLA_MODELS") and os.environ.get("TESSELLA_CORPORA")),
    reason="TESSELLA_MODELS and TESSELLA_CORPORA name no folders of files and texts",
)


@pytest.fixture(scope="module")
def code():
    return [text for _, text in zip(range(800), read_texts(CORPORA / "code.txt.zst"), strict=False)]


@pytest.fixture(scope="module")
def japanese():
    with zipfile.ZipFile(CORPORA / "multilingual_by_lang.zip") as archive:
        text = archive.read("multilingual_by_lang/ja.txt").decode()
    return [line for line in text.splitlines() if line.strip()][:1200]


def theirs(tokenizer, folder):
    """What the file's own library gives for texts."""
    if type(tokenizer.model).__name__ == "SentencePiece":
        tokenizer.save(folder / "edited.model")
        return (
            pytest.importorskip("sentencepiece").SentencePieceProcessor(str(folder / "edited.model")).encode
        )
    tokenizer.save(folder / "tokenizer.json")
    reference = pytest.importorskip("tokenizers").Tokenizer.from_file(str(folder / "tokenizer.json"))
    return lambda text: reference.encode(text).ids


FILES = ["gpt2.json", "bert-uncased.json", "llama2.json", "nai-t5.model"]


@pytest.mark.parametrize("name", FILES)
def test_half_of_a_vocabulary_by_frequency_on_code(name, code, tmp_path):
    old = load(MODELS / name)
    size = old.get_vocab_size() // 2
    edited = edit.prune(old, size, code)
    assert edited.tokenizer.get_vocab_size() == size
    reference = theirs(edited.tokenizer, tmp_path)
    exact = 0
    for text in [*code[:300], "Ein Wörterbuch, 東京 und naïve Fälle 🧩"]:
        before, after = old.encode(text).ids, edited.tokenizer.encode(text).ids
        assert reference(text) == after
        if edited.id_map.is_exact_for(before):
            assert edited.id_map.apply(before) == after
            exact += 1
    assert exact > 200
    assert edited.dry_run(code[:300]).altered == 0


def test_half_of_cl100k_as_a_table_of_ranks(code, tmp_path):
    tiktoken = pytest.importorskip("tiktoken")
    from tiktoken.load import load_tiktoken_bpe

    old = load(MODELS / "cl100k_base.tiktoken")
    edited = edit.prune(old, 50_000, code)
    with pytest.warns(UserWarning, match="pattern"):
        edited.tokenizer.save(tmp_path / "half.tiktoken")
    again = load(tmp_path / "half.tiktoken")
    from tessella.compat.tiktoken.known import KNOWN

    ranks = load_tiktoken_bpe(str(tmp_path / "half.tiktoken"))
    reference = tiktoken.Encoding(
        "half", pat_str=KNOWN["cl100k_base"].pattern, mergeable_ranks=ranks, special_tokens={}
    )
    for text in code[:300]:
        ids = edited.tokenizer.encode(text).ids
        assert again.encode(text).ids == ids
        assert reference.encode(text, disallowed_special=()) == ids


@pytest.mark.parametrize("name", ["llama2.json", "nai-t5.model"])
def test_japanese_tokens(name, japanese, tmp_path):
    old = load(MODELS / name)
    splitter = pre_tokenizers.Sequence(
        [pre_tokenizers.Split("▁", "merged_with_next"), pre_tokenizers.UnicodeScripts()]
    )
    more = 300 if name == "nai-t5.model" else 1000
    edited = edit.extend(
        old, japanese[::2], old.get_vocab_size() + more, splitter=splitter if "llama" in name else None
    )
    assert list(edited.id_map)[:100] == list(range(100))
    reference = theirs(edited.tokenizer, tmp_path)
    for text in japanese[1:200:2]:
        assert reference(text) == edited.tokenizer.encode(text).ids
    effect = edited.dry_run(japanese[1::2])
    if name != "nai-t5.model":
        assert effect.altered == 0
        assert effect.tokens_per_byte_after < 0.75 * effect.tokens_per_byte_before
