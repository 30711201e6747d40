"""Find a Chromium for the tests of pages, or install one: python tools/browser.py.

The tests take what stands under one of these names. Where there is none, Debian's headless shell is installed, which
needs root and ``apt-get``; elsewhere the way to get one is told, and the exit status is 1.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.chromium import NAMES, chromium

PACKAGE = "chromium-headless-shell"


def install() -> None:
    """Debian's, without what it merely recommends."""
    apt = ["apt-get", "--quiet", "--yes"]
    quiet = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run([*apt, "update"], check=True, env=quiet)
    subprocess.run([*apt, "install", "--no-install-recommends", PACKAGE], check=True, env=quiet)


def main() -> int:
    if chromium() is None and shutil.which("apt-get") and os.geteuid() == 0:
        try:
            install()
        except subprocess.CalledProcessError as error:
            print(error, file=sys.stderr)
    found = chromium()
    print(found or f"no Chromium: install one of {', '.join(NAMES)}, or run `playwright install chromium`")
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
