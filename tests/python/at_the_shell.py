"""The command line, as people type it: commands in processes of their own."""

import os
import subprocess
import sys
from pathlib import Path

import tessella

PACKAGE = str(Path(tessella.__file__).resolve().parents[1])
WORDS = "low lower lowest newer wider tiles, naïve café — 東京"


def environment(**more):
    inherited = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR")}
    path = os.pathsep.join([PACKAGE, *filter(None, [inherited.get("PYTHONPATH")])])
    return {**inherited, "PYTHONPATH": path, **more}


def tessella_command(*arguments):
    return [sys.executable, "-m", "tessella", *map(str, arguments)]


def run(*arguments, input=None, status=0, env=None):
    done = subprocess.run(
        tessella_command(*arguments),
        input=input,
        capture_output=True,
        env=environment(**(env or {})),
        timeout=120,
    )
    assert done.returncode == status, done.stderr.decode()
    assert b"Traceback" not in done.stderr
    return done.stdout.decode(), done.stderr.decode()
