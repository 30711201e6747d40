"""The example runs, and learns."""

import runpy
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[3] / "examples" / "tag_entities.py"


def test_the_tagger_learns(capsys):
    pytest.importorskip("seqeval")
    names = runpy.run_path(str(EXAMPLE))
    assert names["main"]() > 0.95
    shown = capsys.readouterr().out
    assert "PER" in shown and "F1 0.9" in shown
