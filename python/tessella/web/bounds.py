"""How much of everything an application allows. What is over a bound is refused, with the bound's name."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields

from ..errors import OutOfRangeError


@dataclass(frozen=True)
class Bounds:
    """The bounds of an application.

    Example:
        >>> Bounds(body=0)
        Traceback (most recent call last):
            ...
        tessella.errors.OutOfRangeError: `body` must be 1 or more, found 0
    """

    #: Bytes of one request.
    body: int = 4 << 20
    #: Bytes of all requests that are being read or worked on.
    bodies: int = 64 << 20
    #: Texts, or lists of ids, in one request.
    batch: int = 4096
    #: Requests at a time, being worked on or answered; one more is told to come back (429).
    concurrency: int = 64
    #: Connections at a time, waiting ones too.
    connections: int = 1000
    #: Threads that work.
    threads: int = os.cpu_count() or 1
    #: Seconds that a sender has for a whole request, and a reader for each 64 KiB of an answer.
    patience: float = 15.0
    #: Seconds of work on one request.
    seconds: float = 30.0
    #: Seconds that requests have to end when the server is told to stop.
    grace: float = 10.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            least = 0.001 if field.type == "float" else 1
            if not value >= least:
                raise OutOfRangeError(f"`{field.name}` must be {least} or more, found {value}")
