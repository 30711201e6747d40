"""How far a run of shards is: bytes and their rate, tokens, the state of its shards, the time that is left.

On a terminal a line that is drawn again and again, elsewhere a line every ten seconds; on standard error, so
that results can go elsewhere.

Example:
    >>> import io
    >>> now = [0.0]
    >>> board = Board("tokenize", io.StringIO(), clock=lambda: now[0])
    >>> board.tell({"event": "plan", "shards": 4, "done": 1, "missing": 3, "bytes": 3_000_000})
    >>> board.tell({"event": "started", "shard": 1})
    >>> board.tell({"event": "progress", "shard": 1, "bytes": 500_000, "tokens": 125_000})
    >>> now[0] = 30.0
    >>> board.line()
    'tokenize  16% of 3.0 MB, 16.7 kB/s, 125,000 tokens, shards: 1 done, 1 at work, 2 to do, 2 min 30 s left'
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TextIO

from . import terminal

#: Seconds between two lines, where the line is drawn again and where it is not.
DRAWN_EVERY = 0.1
TOLD_EVERY = 10.0
#: Columns of the bar.
WIDTH = 20


class Board:
    """Events of a run, shown.

    Args:
        stage: what is done.
        stream: where to; ``None`` shows nothing.
        clock: tells the time in seconds.
    """

    def __init__(
        self, stage: str, stream: TextIO | None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._what, self._stream, self._clock = stage, stream, clock
        self._is_drawn = stream is not None and stream.isatty()
        self._last = clock()
        self._is_shown = False
        self._start({})

    def _start(self, event: dict[str, Any]) -> None:
        """Begins a stage, of which the event says what is to be done."""
        self._stage = event.get("stage", self._what)
        self._begin = self._clock()
        self._total, self._shards, self._done_before = (
            event.get(key, 0) for key in ("bytes", "shards", "done")
        )
        self._bytes: dict[int, int] = {}
        self._tokens: dict[int, int] = {}
        self._at_work: set[int] = set()
        self._done: set[int] = set()

    def tell(self, event: dict[str, Any]) -> None:
        """Takes what happened, and shows it if it is time."""
        kind, shard = event["event"], event.get("shard", -1)
        if kind == "plan":
            self._start(event)
            if event["done"]:
                self.note(f"going on: {event['done']:,} of {event['shards']:,} shards are there")
        elif kind == "started":
            self._at_work.add(shard)
        elif kind == "retry":
            self._bytes[shard] = self._tokens[shard] = 0
            self._at_work.discard(shard)
            self.note(f"a worker ended with status {event['status']}: shard {shard} is made again")
        elif kind in ("progress", "done"):
            self._bytes[shard], self._tokens[shard] = event["bytes"], event["tokens"]
            if kind == "done":
                self._at_work.discard(shard)
                self._done.add(shard)
        self._show()

    def line(self) -> str:
        """Where the run is now."""
        seconds = max(1e-9, self._clock() - self._begin)
        done, tokens = sum(self._bytes.values()), sum(self._tokens.values())
        rate = done / seconds
        whole, at_work = self._done_before + len(self._done), len(self._at_work)
        shown = [f"{terminal.size(rate)}/s", f"{tokens:,} tokens"]
        waiting = self._shards - whole - at_work
        shown.append(f"shards: {whole:,} done, {at_work:,} at work, {max(0, waiting):,} to do")
        if self._total <= 0:
            return f"{self._stage}  {terminal.size(done)}, {', '.join(shown)}"
        if 0 < done < self._total:
            shown.append(f"{_duration((self._total - done) / rate)} left")
        part = min(1.0, done / self._total)
        filled = int(part * WIDTH)
        bar = "█" * filled + "░" * (WIDTH - filled) + " " if self._is_drawn else ""
        return f"{self._stage}  {bar}{int(part * 100)}% of {terminal.size(self._total)}, {', '.join(shown)}"

    def note(self, message: str) -> None:
        """A line of its own."""
        if self._stream is not None:
            self._clear()
            terminal.note(message)

    def end(self) -> None:
        """Nothing more will happen: takes the line away."""
        self._clear()
        self._stream = None

    def _show(self) -> None:
        every = DRAWN_EVERY if self._is_drawn else TOLD_EVERY
        if self._stream is None or self._clock() - self._last < every:
            return
        self._last = self._clock()
        if self._is_drawn:
            # A line that is longer than the terminal could not be taken away.
            self._stream.write(f"\r\x1b[2K{self.line()[: terminal.width() - 1]}")
            self._is_shown = True
        else:
            self._stream.write(self.line() + "\n")
        self._stream.flush()

    def _clear(self) -> None:
        if self._is_shown and self._stream is not None:
            self._stream.write("\r\x1b[2K")
            self._stream.flush()
            self._is_shown = False


def _duration(seconds: float) -> str:
    """Whole seconds, with the units that suit them.

    Example:
        >>> _duration(59.6), _duration(150), _duration(9000)
        ('60 s', '2 min 30 s', '2 h 30 min')
    """
    whole = round(seconds)
    if whole < 120:
        return f"{whole} s"
    if whole < 7200:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60} min"
