"""Long texts without a blank, beside SentencePiece: its 32-bit sums are counted from zero again now and then."""

from __future__ import annotations

import io
import random

import pytest
import tessella

sentencepiece = pytest.importorskip("sentencepiece")


def test_sums_far_from_zero(tmp_path):
    rng = random.Random(5)
    lines = ["".join(rng.choices("abcdefgh", [8, 7, 6, 5, 4, 3, 2, 1], k=200)) for _ in range(300)]
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=model,
        vocab_size=400,
        model_type="unigram",
        minloglevel=2,
        max_sentencepiece_length=6,
    )
    path = tmp_path / "long.model"
    path.write_bytes(model.getvalue())
    theirs = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    ours = tessella.load(str(path))
    text = "".join(rng.choices("abcdefgh", [8, 7, 6, 5, 4, 3, 2, 1], k=200_000))
    want = theirs.encode(text)
    assert sum(theirs.get_score(id) for id in want) < -200_000
    assert ours.encode_ids(text).tolist() == want
