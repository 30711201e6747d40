"""A small corpus and tokenizer for token files, and what should come out."""

import hashlib
from pathlib import Path

from tessella import Tokenizer, models, pre_tokenizers

WORDS = ["low", "lower", "lowest", "new", "newer", "tile", "tiles", "wide", "wider", "é", "日本"]


def make_tokenizer(extra=()):
    vocab = {word: id for id, word in enumerate([*WORDS, "<unk>", *extra])}
    made = Tokenizer(models.WordLevel(vocab, "<unk>"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.add_special_tokens(["</s>"])
    return made


def sentence(number):
    """A text that depends on its number: some are empty, some long."""
    if number % 17 == 5:
        return ""
    count = 300 if number % 53 == 7 else number % 9 + 1
    return " ".join(WORDS[(number * 7 + place * (number % 5 + 1)) % len(WORDS)] for place in range(count))


def expected(tokenizer, texts, eos="</s>"):
    """The ids of documents that have tokens, each with its end."""
    end = [] if eos is None else [tokenizer.token_to_id(eos)]
    found = tokenizer.encode_ids_batch(texts, False)
    return [ids.tolist() + end for ids in found if len(ids)]


def contents(folder):
    """Every file below a folder, with its hash."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(Path(folder).rglob("*"))
        if path.is_file()
    }
