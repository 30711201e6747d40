"""Small tokenizers that several tests use, and a look at the module that is tested."""

from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest
from tessella import Tokenizer, _tessella, models, pre_tokenizers, processors


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
