"""Whether encoding takes time in proportion to the text, for tokenizers of every kind.

Run as ``python -m benchmarks.linear [--largest MB] [FILE...]``; without files, one of each kind from the folder that
``TESSELLA_MODELS`` names. The work is done by the Rust example ``linear`` (no Python in the way), built in release mode.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

KINDS = [
    "gpt2.json",
    "cl100k_base.tiktoken",
    "llama2.json",
    "llama2.model",
    "bert-uncased.json",
    "xlnet_base_cased.json",
    "nai-t5.model",
]


def main() -> int:
    """Runs the example; gives its exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", default="8", help="size of the largest text, in megabytes")
    parser.add_argument("files", nargs="*", help="tokenizers of any format")
    arguments = parser.parse_args()
    files = arguments.files
    if not files:
        folder = os.environ.get("TESSELLA_MODELS")
        if folder is None:
            parser.error("name files, or set TESSELLA_MODELS to a folder that holds them")
        files = [str(path) for name in KINDS if (path := Path(folder) / name).exists()]
    command = ["cargo", "run", "--release", "--quiet", "-p", "tessella-formats", "--example", "linear", "--"]
    return subprocess.run(
        [*command, "--largest", arguments.largest, *files], cwd=ROOT, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
