"""Small tokenizers that several tests use, and a look at the module that is tested."""

import json
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest
import tessella
from at_the_shell import WORDS
from tessella import Tokenizer, _tessella, models, pre_tokenizers, processors
from tessella.batch import PretrainedTokenizer


def pytest_sessionstart():
    """Of two compiled modules Python imports the one with the longer name, though the other may be newer."""
    used = Path(_tessella.__file__)
    others = [path for suffix in EXTENSION_SUFFIXES if (path := used.with_name(f"_tessella{suffix}")) != used]
    for other in others:
        if other.exists() and other.stat().st_mtime > used.stat().st_mtime:
            pytest.exit(
                f"{other.name} is newer than {used.name}, which is imported; remove {used}", returncode=3
            )


@pytest.fixture
def words():
    """Whole words, special tokens at both ends."""
    vocab = {"[CLS]": 0, "[SEP]": 1, "<unk>": 2, "the": 3, "quick": 4, "fox": 5, "jumps": 6, "é": 7}
    tokenizer = Tokenizer(models.WordLevel(vocab))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", [("[CLS]", 0), ("[SEP]", 1)]
    )
    tokenizer.add_special_tokens(["[CLS]", "[SEP]"])
    return tokenizer


@pytest.fixture
def bpe():
    """Byte-level pairs, so that every text can be encoded."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocab = {char: id for id, char in enumerate(alphabet)}
    merges = [("t", "h"), ("th", "e"), ("Ġ", "the"), ("i", "n"), ("in", "g"), ("Ġ", "a")]
    for left, right in merges:
        vocab[left + right] = len(vocab)
    tokenizer = Tokenizer(models.BPE(vocab, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    from tessella import decoders

    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


@pytest.fixture
def chatty(bpe):
    template = (
        "{% for m in messages %}<{{ m.role }}>"
        "{% if m.role == 'assistant' %}{% generation %}{{ m.content }}{% endgeneration %}"
        "{% else %}{{ m.content }}{% endif %}{{ '\\n' }}{% endfor %}"
        "{% if add_generation_prompt %}<assistant>{% endif %}"
    )
    return PretrainedTokenizer(bpe, chat_template=template)


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"{WORDS} number {n}\n" for n in range(300)]
    Path("corpus.txt").write_text("".join(lines), encoding="utf-8")
    return lines


@pytest.fixture
def trained(corpus):
    """Files that commands work on."""
    recipes = {"tokenizer.json": "gpt2", "other.json": "bert-uncased"}
    for file, recipe in recipes.items():
        tessella.recipes.get(recipe).train(iter(corpus), vocab_size=350).save(file)
    tokenizer = tessella.load("tokenizer.json")
    rows = [json.dumps({"text": line.strip(), "id": n}) for n, line in enumerate(corpus[:20])]
    Path("rows.jsonl").write_text("\n".join(rows), encoding="utf-8")
    ids = [" ".join(map(str, tokenizer.encode(line.rstrip("\n")).ids)) for line in corpus]
    Path("corpus.ids").write_text("\n".join(ids) + "\n")
    for file in ("corpus.counts", "rows.counts"):
        tessella.count_pieces(iter(corpus), tokenizer).save(file)
    return tokenizer
