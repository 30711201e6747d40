"""The pages of reports that were made, the last few of them."""

from __future__ import annotations

import threading

#: Reports that are kept.
KEPT = 8


class Reports:
    """The pages of the last reports, by what was asked."""

    def __init__(self) -> None:
        self._pages: dict[str, str] = {}
        self._lock = threading.Lock()

    def get(self, key: str) -> str | None:
        """The page of a report."""
        with self._lock:
            return self._pages.get(key)

    def put(self, key: str, page: str) -> None:
        """Keeps a page; the oldest has to go."""
        with self._lock:
            self._pages[key] = page
            while len(self._pages) > KEPT:
                del self._pages[next(iter(self._pages))]
