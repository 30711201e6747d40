"""Writers that are killed: what each writes in turn, and how what is there is read.

Used by ``test_killed.py``. Every case names a folder's two states, ``0`` and ``1``; ``write`` makes one of them, ``read`` gives
what a user sees, which must be one of the two as ``write`` left it when it was not killed.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import tessella
from tessella import AutoTokenizer, PieceCounts, Tokenizer, decoders, models, pre_tokenizers
from tessella.batch.names import write_templates
from tessella.compat.tiktoken.load import dump_tiktoken_bpe
from tessella.embeddings import Vectors
from tessella.tracing import Trace
from tessella.trainers import BpeTrainer

#: Larger than what a disk takes in one go.
MANY = 3000


class Case(NamedTuple):
    """One writer."""

    write: Callable[[Path, int], object]
    read: Callable[[Path], object]


def tokenizer(state: int) -> Tokenizer:
    """Tokenizers of two vocabularies that share most tokens, so that a mixture would load."""
    vocab = {"a": 0, "b": 1, "ab": 2, "<s>": 3} | {f"t{state}-{number}": 4 + number for number in range(MANY)}
    return Tokenizer(models.BPE(vocab, [("a", "b")] if state else []))


def ranks(state: int) -> Tokenizer:
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocab = {one: number for number, one in enumerate(alphabet)}
    pair = (("a", "b"), ("c", "d"))[state]
    made = Tokenizer(models.BPE({**vocab, "".join(pair): 256}, [pair]))
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(tessella.Regex(("[a-z]+|[^a-z]+", "[0-9]|[^0-9]+")[state]), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens([(f"<{state}>")])
    return made


def save(folder: Path, state: int) -> None:
    tokenizer(state).save(folder / "tokenizer.json")


def save_ranks(folder: Path, state: int) -> None:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ranks(state).save(folder / "own.tiktoken")


def save_pretrained(folder: Path, state: int) -> None:
    from tessella.batch import PretrainedTokenizer

    wrapped = PretrainedTokenizer(tokenizer_object=tokenizer(state), bos_token="ab" if state else "<s>")
    wrapped.chat_template = {"default": f"{state}", "one": "one"} if state else f"{state}"
    wrapped.save_pretrained(folder)


def read_pretrained(folder: Path) -> object:
    loaded = AutoTokenizer.from_pretrained(folder)
    return loaded.get_vocab(), loaded.bos_token, loaded.chat_template


def read_model(folder: Path) -> object:
    model = models.BPE.from_file(folder / "vocab.json", folder / "merges.txt")
    return model.id_to_token(4), [token.value for token in model.tokenize("ab")]


def counts(state: int) -> PieceCounts:
    return PieceCounts({f"{state}{number}": number + 1 for number in range(MANY)})


def save_trace(folder: Path, state: int) -> None:
    trace = Trace()
    trainer = BpeTrainer(vocab_size=8 + state, show_progress=False)
    trainer.train_from_counts(PieceCounts({"abcabcabd": 2}), trace=trace)
    trace.save(folder / "steps.jsonl")


def whole(*names: str) -> Callable[[Path], object]:
    """The bytes of files."""
    return lambda folder: [(folder / name).read_bytes() for name in names]


def vectors(folder: Path, state: int) -> None:
    rows = np.full((MANY, 4), state, np.float32)
    Vectors([f"k{number}" for number in range(MANY)], rows).save(folder / "all.vec")


def encode_files(folder: Path, state: int) -> None:
    corpus = folder / f"corpus{state}.txt"
    if not corpus.exists():
        corpus.write_text("ab" * (state + 1) * MANY)
    tokenizer(state).encode_files([corpus], out=folder / "ids.bin")


CASES: dict[str, Case] = {
    "save": Case(save, lambda folder: tessella.load(folder / "tokenizer.json").get_vocab()),
    "save_folder": Case(
        lambda folder, state: tokenizer(state).save_folder(folder),
        lambda folder: tessella.load(folder).get_vocab(),
    ),
    "save_pretrained": Case(save_pretrained, read_pretrained),
    "model.save": Case(lambda folder, state: tokenizer(state).model.save(os.fspath(folder)), read_model),
    "tiktoken": Case(
        save_ranks, lambda folder: tessella.load(folder / "own.tiktoken").encode("abcd 12<0><1>").tokens
    ),
    "chat templates": Case(
        lambda folder, state: write_templates(folder, {"default": str(state) * MANY, "b": str(state)}, None),
        whole("chat_template.jinja", "additional_chat_templates/b.jinja"),
    ),
    "counts": Case(lambda folder, state: counts(state).save(folder / "counts"), whole("counts")),
    "counts as text": Case(lambda folder, state: counts(state).to_tsv(folder / "tsv"), whole("tsv")),
    "dumped ranks": Case(
        lambda folder, state: dump_tiktoken_bpe({b"%d%d" % (state, n): n for n in range(MANY)}, folder / "x"),
        whole("x"),
    ),
    "trace": Case(save_trace, whole("steps.jsonl")),
    "vectors": Case(vectors, whole("all.vec")),
    "ids of files": Case(encode_files, whole("ids.bin")),
}


def run(case: str, folder: Path) -> None:
    """Writes one state after the other, until it is killed."""
    state = 0
    while True:
        CASES[case].write(folder, state)
        state = 1 - state
