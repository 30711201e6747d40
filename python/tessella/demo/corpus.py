"""Text that every Python carries: the source of its own standard library."""

from __future__ import annotations

import sysconfig
from collections.abc import Iterator
from pathlib import Path

#: Bytes of source to learn from: enough for a good vocabulary in a few seconds.
TRAINING_BYTES = 6_000_000
#: Of this many files one is kept aside.
ASIDE = 10


def _root() -> Path:
    return Path(sysconfig.get_paths()["stdlib"])


def a_file() -> Path:
    """One file of it, to try commands on."""
    return _root() / "argparse.py"


def _files() -> Iterator[Path]:
    """Python files of the standard library, in a fixed order, tests aside."""
    for path in sorted(_root().rglob("*.py")):
        if not {"test", "tests", "idlelib", "lib2to3", "site-packages"} & set(
            path.relative_to(_root()).parts
        ):
            yield path


def split() -> tuple[list[str], list[str]]:
    """Texts to learn from, and texts kept aside."""
    learn: list[str] = []
    aside: list[str] = []
    size = 0
    for index, path in enumerate(_files()):
        text = path.read_text(encoding="utf-8", errors="replace")
        if index % ASIDE == 0:
            aside.append(text)
        elif size < TRAINING_BYTES:
            learn.append(text)
            size += len(text)
    return learn, aside
