"""Conversations and their loss masks."""

import gzip
import json

import pytest
import tessella.data
from tessella.batch import PretrainedTokenizer
from tessella.errors import ArgumentError, FormatError

pytest.importorskip("jinja2", reason="needs jinja2")
TEMPLATE = (
    "{% for m in messages %}{% if m.role == 'assistant' %}{% generation %}{{ m.content }}{% endgeneration %}"
    "{% else %}{{ m.content }} {% endif %}{% endfor %}"
)


def test_the_assistant_is_marked(tmp_path, tokenizer):
    chat = PretrainedTokenizer(tokenizer_object=tokenizer)
    chat.chat_template = TEMPLATE
    row = {
        "messages": [{"role": "user", "content": "low new"}, {"role": "assistant", "content": "tile wide"}]
    }
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress((json.dumps(row) + "\n").encode() * 300))
    for format in ("megatron", "datatrove", "numpy"):
        out = tmp_path / format
        made = tessella.data.tokenize_corpus(path, chat, out, format=format, mask="assistant", workers=1)
        corpus = tessella.data.open(out)
        assert (made.documents, made.manifest["settings"]["eos"]) == (300, None)
        assert corpus.documents[299].tolist() == [0, 3, 5, 7]
        assert corpus.documents.mask(299).tolist() == [0, 0, 1, 1]
    (tmp_path / "b.jsonl").write_text(json.dumps(row) + "\n{broken\n")
    with pytest.raises(FormatError, match=r"b\.jsonl: line 2 is not JSON"):
        tessella.data.tokenize_corpus(tmp_path / "b.jsonl", chat, tmp_path / "x", mask="assistant", workers=1)
    with pytest.raises(ArgumentError, match="needs a tokenizer with a chat template"):
        tessella.data.tokenize_corpus(path, tokenizer, tmp_path / "y", mask="assistant", workers=1)
