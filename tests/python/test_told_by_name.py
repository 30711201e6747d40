"""Errors that say which of the files that were typed they are about."""

import json

import pytest
from at_the_shell import run

#: It has no entry for words that it does not know, which no file tells before such a word comes.
LACKING = {
    "version": "1.0",
    "added_tokens": [],
    "pre_tokenizer": {"type": "Whitespace"},
    "model": {"type": "WordLevel", "vocab": {"low": 0}, "unk_token": "[UNK]"},
}


@pytest.fixture
def lacking(trained):
    with open("lacking.json", "w") as file:
        json.dump(LACKING, file)


@pytest.mark.parametrize(
    "typed",
    [
        "encode lacking.json corpus.txt",
        "encode lacking.json -t lower",
        "bench lacking.json corpus.txt",
        "explain lacking.json corpus.txt",
        "audit lacking.json corpus.txt",
        "convert lacking.json tokenizer.json --prove corpus.txt",
        "compare lacking.json corpus.txt",
        "compare tokenizer.json lacking.json corpus.txt",
        "compare lacking.json lacking.json tokenizer.json corpus.txt",
        "evaluate tokenizer.json lacking.json corpus.txt",
    ],
)
def test_a_tokenizer_that_fails_at_a_text_is_named(lacking, typed):
    _, told = run(*typed.split(), status=1)
    assert told.count("lacking.json") == 1
    assert "the tokenizer 'lacking.json': WordLevel error: Missing [UNK] token" in told


def test_one_that_is_compared_with_itself_is_measured_twice(trained):
    rows = json.loads(run("compare", "tokenizer.json", "tokenizer.json", "corpus.txt", "--json")[0])
    assert [row["name"] for row in rows] == ["tokenizer.json"] * 2 and rows[0] == rows[1]
