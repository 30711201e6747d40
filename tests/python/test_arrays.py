"""NumPy comes with the first array; that it is missing, or that its import is interrupted, is an ordinary exception."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import sys
from tessella import Tokenizer, models

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            raise {raised}
        return None

tokenizer = Tokenizer(models.BPE())
tokenizer.add_tokens(["my", "name"])
assert tokenizer.decode(range(2)) == "my name"
assert "numpy" not in sys.modules
finder = Finder()
sys.meta_path.insert(0, finder)
for call in (lambda: tokenizer.encode_ids("my"), lambda: tokenizer.encode_ids_batch(["my"]).ids):
    try:
        call()
    except {expected} as error:
        print(type(error).__name__, error)
sys.meta_path.remove(finder)
print(tokenizer.encode_ids("my name").tolist(), tokenizer.decode(tokenizer.encode_ids("name my")))
"""


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        ("KeyboardInterrupt()", "KeyboardInterrupt"),
        ("ImportError('no such package')", "ImportError"),
    ],
)
def test_an_import_that_fails_raises_and_may_be_tried_again(raised: str, expected: str) -> None:
    program = PROGRAM.format(raised=raised, expected=expected)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines[:2]] == [expected, expected]
    assert lines[2] == "[0, 1] name my"
