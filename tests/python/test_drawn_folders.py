"""Folders with a SentencePiece model, drawn at random, beside transformers 5.24: see `tests.conformance.folders`."""

import pytest

from tests.conformance.folders import PLAIN, compared

pytest.importorskip("sentencepiece")
pytest.importorskip("transformers")
pytest.importorskip("google.protobuf", reason="transformers reads models with it: pip install protobuf")


@pytest.mark.parametrize("only", [None, *PLAIN])
def test_drawn_folders_give_what_transformers_gives(only):
    found, counted = compared(seed=524, count=40 if only is None else 16, texts=12, only=only)
    assert found == []
    assert counted["folders"] >= 16 and counted["tokens"] > 1000
