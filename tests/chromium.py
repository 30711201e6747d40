"""The Chromium of this system, for tests and pictures of pages."""

from __future__ import annotations

import shutil

#: As the systems call it; the headless shell is the smallest of them.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def chromium() -> str | None:
    """Where it is."""
    return next(filter(None, map(shutil.which, NAMES)), None)
