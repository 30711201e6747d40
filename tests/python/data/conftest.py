"""A small corpus and tokenizer for token files."""

import json

import pytest
from data_cases import make_tokenizer, sentence


@pytest.fixture
def tokenizer():
    return make_tokenizer()


@pytest.fixture
def rows(tmp_path):
    """JSON lines, and their texts."""
    texts = [sentence(number) for number in range(400)]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps({"id": n, "text": text}) + "\n" for n, text in enumerate(texts)))
    return path, texts
