"""Run a long command with a line that tells what is being done and for how long: tools/step.py WHAT LOG COMMAND...

On a terminal one line is drawn over and over; elsewhere, and with SIDE_BY_SIDE in the environment, a line is
written now and then. What the command prints goes into LOG, of which the line shows the last row; when the
command fails, the whole of it is shown, and the exit status is the command's.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

#: Seconds between two looks at the log, and between two lines where there is no terminal.
LOOK = 0.2
LINE = 15.0
#: Bytes at the end of the log that the last row is looked for in.
TAIL = 2_000

_STYLES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def last_row(log: Path) -> str:
    """What the command said last."""
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - TAIL))
        rows = file.read().decode("utf-8", "replace").replace("\r", "\n").split("\n")
    said = (_STYLES.sub("", row).strip() for row in reversed(rows))
    return next((row for row in said if row), "")


def run(what: str, log: Path, command: list[str]) -> int:
    log.parent.mkdir(parents=True, exist_ok=True)
    # Steps that run side by side would draw their lines over each other.
    terminal = sys.stdout.isatty() and not os.environ.get("SIDE_BY_SIDE")
    started = shown = time.monotonic()
    print(f"{what} …", end="" if terminal else "\n", flush=True)
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        while True:
            try:
                status = process.wait(LOOK)
                break
            except subprocess.TimeoutExpired:
                now = time.monotonic()
            except KeyboardInterrupt:
                # The command was interrupted too: it is given the time to end.
                status = process.wait()
                break
            line = f"{what} … {now - started:.0f} s  {last_row(log)}"
            if terminal:
                print(f"\r\x1b[K{line[: shutil.get_terminal_size().columns - 1]}", end="", flush=True)
            elif now - shown >= LINE:
                shown = now
                print(line, flush=True)
    seconds = time.monotonic() - started
    start = "\r\x1b[K" if terminal else ""
    if status == 0:
        print(f"{start}{what}: {seconds:.0f} s", flush=True)
        return 0
    print(f"{start}{what} failed after {seconds:.0f} s: {' '.join(command)}", flush=True)
    sys.stdout.buffer.write(log.read_bytes())
    sys.stdout.flush()
    # A signal is told as a shell tells it.
    return status if status > 0 else 128 - status


def main() -> int:
    if len(sys.argv) < 4:
        print(__doc__, file=sys.stderr)
        return 2
    what, log, *command = sys.argv[1:]
    if shutil.which(command[0]) is None:
        print(
            f"{what} needs `{command[0]}`, which is not on the path ({os.environ.get('PATH', '')})",
            file=sys.stderr,
        )
        return 127
    return run(what, Path(log), command)


if __name__ == "__main__":
    raise SystemExit(main())
