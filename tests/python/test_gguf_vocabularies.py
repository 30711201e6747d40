"""The vocabularies that come with the source of llama.cpp, with texts and the ids that it gives for them.

``LLAMA_CPP_VOCABULARIES`` names its folder ``models``: ``NAME.gguf``, beside it texts in ``NAME.gguf.inp`` and, a line for each,
ids in ``NAME.gguf.out``.
"""

import os
from pathlib import Path

import pytest
import tessella

FOLDER = os.environ.get("LLAMA_CPP_VOCABULARIES")
pytestmark = pytest.mark.skipif(not FOLDER, reason="LLAMA_CPP_VOCABULARIES names no folder of vocabularies")
BETWEEN = "\n__ggml_vocab_test__\n"


@pytest.mark.parametrize(
    "path", sorted(Path(FOLDER).glob("*.gguf")) if FOLDER else [], ids=lambda one: one.stem
)
def test_ids_are_those_of_llama_cpp(path):
    tokenizer = tessella.load(path)
    if not Path(f"{path}.inp").exists():
        pytest.skip("no ids come with it, but it is read")
    with open(f"{path}.inp", encoding="utf-8", newline="") as file:
        texts = file.read().split(BETWEEN)
    lines = Path(f"{path}.out").read_text().split("\n")
    # One of the files ends in a line break.
    assert len(texts) > 40 and not "".join(lines[len(texts) :])
    for text, line in zip(texts, lines, strict=False):
        assert tokenizer.encode(text, add_special_tokens=False).ids == [int(id) for id in line.split()], text
