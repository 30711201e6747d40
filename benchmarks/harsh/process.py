"""A service as a process of its own, and what it holds: memory, threads, open files (Linux)."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path


class Process:
    """A service; ``peak`` is the most memory since ``fresh``, in MB, looked at 20 times a second."""

    def __init__(self, tokenizers: dict[str, str], *options: str) -> None:
        named = [f"{name}={path}" for name, path in tokenizers.items()]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tessella", "serve", *named, "--port", "0", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "TESSELLA_SERVE_TOKEN": ""},
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            assert self.process.stderr is not None
            raise RuntimeError(self.process.stderr.read())
        self.port = int(line.rpartition(":")[2])
        self.peak = 0.0
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while self.process.poll() is None:
            self.peak = max(self.peak, self.memory())
            time.sleep(0.05)

    def _field(self, name: str) -> int:
        try:
            lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        except OSError:
            return 0
        return next((int(line.split()[1]) for line in lines if line.startswith(name + ":")), 0)

    def memory(self) -> float:
        """Megabytes in memory now."""
        return self._field("VmRSS") / 1000

    def fresh(self) -> None:
        """Begins to look for the peak anew."""
        self.peak = self.memory()

    def held(self) -> str:
        """Open files and threads."""
        files = len(os.listdir(f"/proc/{self.process.pid}/fd"))
        return f"{files} open files, {self._field('Threads')} threads"

    def files(self) -> int:
        """Open files."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def ended(self, seconds: float) -> tuple[int, str]:
        """The exit status and what it said on standard error, when it has ended by itself."""
        status = self.process.wait(seconds)
        assert self.process.stderr is not None
        return status, self.process.stderr.read()

    def kill(self) -> None:
        """Ends it in any case."""
        self.process.kill()
        self.process.communicate()
