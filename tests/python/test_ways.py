"""Environment variables by which the engine is asked for another of its ways."""

import os
import subprocess
import sys

import pytest


@pytest.mark.parametrize(("name", "known"), [("TESSELLA_VECTORS", "plain"), ("TESSELLA_LANES", "off")])
def test_a_way_that_there_is_not_is_told(name, known):
    for value, times in ((known, 0), ("", 0), ("nonsense", 1)):
        program = [sys.executable, "-c", "import tessella"]
        done = subprocess.run(
            program, env={**os.environ, name: value}, capture_output=True, text=True, check=True
        )
        assert done.stderr.count(f"{name} is 'nonsense', which asks for nothing: it may be") == times
