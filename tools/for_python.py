"""Run a command of cargo as if for another Python: tools/for_python.py 3.14t cargo clippy …

The bindings compile differently for each version of Python, for free-threaded ones and for the stable ABI. Reading the sources for one needs no such
Python at hand, only its description.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

BUILD = Path(__file__).resolve().parent.parent / "build"


def description(version: str) -> str:
    """What the build script of the bindings would find out by asking the interpreter."""
    number = version.removesuffix("t")
    flags = "Py_GIL_DISABLED" if version != number else ""
    return (
        f"implementation=CPython\nversion={number}\nshared=true\nabi3=false\npointer_width=64\n"
        f"build_flags={flags}\nsuppress_build_script_link_lines=false\n"
    )


if __name__ == "__main__":
    # In one place, so that what was compiled for a version is found again.
    file = BUILD / f"python-{sys.argv[1]}.txt"
    BUILD.mkdir(exist_ok=True)
    if not file.exists() or file.read_text() != description(sys.argv[1]):
        file.write_text(description(sys.argv[1]))
    os.environ["PYO3_CONFIG_FILE"] = str(file)
    os.execvp(sys.argv[2], sys.argv[2:])
