"""Transcripts of speech models beside the transformers library."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
import tessella
from tessella import models, pre_tokenizers
from tessella.compat.transformers import WhisperTokenizer

_FIRST = ["<|endoftext|>", "<|startoftranscript|>", "<|en|>", "<|transcribe|>", "<|startofprev|>"]
_SPECIAL = [*_FIRST, "<|notimestamps|>"]
_MARKS = [f"<|{number * 0.02:.2f}|>" for number in range(60)]


def _folder(path: Path) -> Path:
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = tessella.Tokenizer(models.BPE({letter: id for id, letter in enumerate(alphabet)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tessella.decoders.ByteLevel()
    tokenizer.add_special_tokens(_SPECIAL)
    tokenizer.add_tokens([tessella.AddedToken(mark, normalized=False) for mark in _MARKS])
    tokenizer.save(path / "tokenizer.json")
    roles = dict.fromkeys(["bos_token", "eos_token", "pad_token", "unk_token"], "<|endoftext|>")
    config = {"tokenizer_class": "WhisperTokenizer", **roles, "additional_special_tokens": _SPECIAL}
    (path / "tokenizer_config.json").write_text(json.dumps(config))
    return path


def test_marks_of_time_are_no_part_of_what_was_said(tmp_path):
    tokenizer = tessella.AutoTokenizer.from_pretrained(_folder(tmp_path))
    ids = tokenizer.backend_tokenizer.encode("<|0.00|> hi there<|0.50|><|0.50|> you<|1.00|>").ids
    assert tokenizer.decode(ids) == " hi there you"
    assert tokenizer.decode(ids, skip_special_tokens=True) == " hi there you"
    assert tokenizer.batch_decode([ids, ids]) == [" hi there you"] * 2
    assert tokenizer.decode(ids, decode_with_timestamps=True).startswith("<|0.00|> hi there<|0.50|>")
    assert isinstance(tokenizer, WhisperTokenizer)


def test_what_is_decoded_is_what_transformers_decodes(tmp_path):
    transformers = pytest.importorskip("transformers")
    folder = _folder(tmp_path)
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    ours = tessella.AutoTokenizer.from_pretrained(folder)
    draw = random.Random(1)
    special = [ours.convert_tokens_to_ids(token) for token in _SPECIAL]
    marks = [ours.convert_tokens_to_ids(mark) for mark in _MARKS]
    words = ours.backend_tokenizer.encode("what was said").ids
    for _ in range(200):
        ids = [draw.choice(draw.choice([special, marks, words])) for _ in range(draw.randrange(12))]
        if draw.random() < 0.3:
            ids = [ours.convert_tokens_to_ids("<|startofprev|>"), *ids]
        for skip in (False, True):
            for timed in (False, True):
                wanted = theirs.decode(ids, skip_special_tokens=skip, decode_with_timestamps=timed)
                got = ours.decode(ids, skip_special_tokens=skip, decode_with_timestamps=timed)
                assert got == wanted, (ids, skip, timed)
    again = WhisperTokenizer.from_pretrained(folder)
    assert again.decode(marks[0]) == theirs.decode(marks[0]) == ""
