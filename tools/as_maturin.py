"""Run a command of cargo in the environment that maturin gives it: tools/as_maturin.py cargo …

What the bindings are built for is told to their build scripts by variables, and whatever was built under other values
is built again. With the values of maturin one set of artefacts serves the module, the tests of the crates and the
lints, and the module is compiled while pip still fetches maturin. Were maturin to tell it otherwise one day, this
would cost time and nothing else.
"""

from __future__ import annotations

import os
import struct
import sys
from pathlib import Path

PYTHON = Path(__file__).resolve().parent.parent / ".venv" / "bin" / "python"


def environment() -> dict[str, str]:
    version = sys.version_info
    return {
        "PYO3_BUILD_EXTENSION_MODULE": "1",
        "PYO3_ENVIRONMENT_SIGNATURE": (
            f"{sys.implementation.name}-{version.major}.{version.minor}-{8 * struct.calcsize('P')}bit"
        ),
        "PYO3_PYTHON": str(PYTHON),
        "PYTHON_SYS_EXECUTABLE": str(PYTHON),
    }


if __name__ == "__main__":
    os.environ.update(environment())
    os.execvp(sys.argv[1], sys.argv[1:])
