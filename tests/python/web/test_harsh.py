"""Clients that are slow, wrong, greedy, or gone in the middle, all at once: `benchmarks.serving_harshly` with few of each."""

import asyncio
import os
import sys

import pytest

from benchmarks.harsh.process import Process
from benchmarks.serving_harshly import cases, ending, heavy, run

from .conftest import CORPUS

# How the service treats each kind of client by itself, `test_guard` looks at; here the clock of the machine counts.
pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="looks at what a process holds as Linux tells it"),
    pytest.mark.skipif(
        not os.environ.get("TESSELLA_HARSH"), reason="needs a machine at leisure: set TESSELLA_HARSH=1"
    ),
]


def test_harsh_clients_get_right_answers_or_refusals(tokenizers, tmp_path):
    files = {}
    for name, tokenizer in tokenizers.items():
        files[name] = str(tmp_path / f"{name}.json")
        tokenizer.save(files[name])
    some = cases(tokenizers, [*CORPUS[:3], "a\x00b", "\u202e\u0301", " ", "lower " * 500], 40)
    service = Process(files, "--patience", "0.5", "--concurrency", "8")
    try:
        tally = asyncio.run(run(service, some, heavy(tokenizers, 100_000), 15, 0.5))
        assert tally["greedy: 413"] == 2 and tally["slow body: 408"] == 5 and tally["heavy: 200"] == 1
        tally, seconds, status, said = asyncio.run(ending(service, some, 8))
        assert status == 0 and seconds < 30 and "Traceback" not in said
        assert tally["right"] and not tally["WRONG"] + tally["CUT OFF"] + tally["429 ALONE"]
    finally:
        service.kill()
