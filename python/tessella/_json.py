"""Small JSON files that Python reads itself."""

from __future__ import annotations

import os
from typing import Any

from ._notices import warn
from .errors import FormatError


# `Any`: any JSON.
def read_object(path: str | os.PathLike[str], expected: str) -> dict[str, Any]:
    """The JSON object in an ordinary file; of a key that comes twice the last value counts, with a warning.

    Args:
        path: the file.
        expected: what the file must hold, such as ``a JSON object``.
    """
    # Imported late: reading files is not what every program does.
    import json
    from collections import Counter

    from ._files import _read_file

    content = _read_file(path)
    repeated: dict[str, None] = {}

    def entries(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            counts = Counter(key for key, _ in pairs)
            repeated.update((key, None) for key, times in counts.items() if times > 1)
        return found

    try:
        read = json.loads(content, object_pairs_hook=entries)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{os.fspath(path)} is not JSON: {error}") from error
    if not isinstance(read, dict):
        raise FormatError(f"{os.fspath(path)} must hold {expected}, not {read!r:.60}")
    keys = list(repeated)
    told = [f"the key {key!r:.60} comes twice in the file: the last value counts" for key in keys[:8]]
    if len(keys) > 8:
        told.append(f"{len(keys) - 8} more keys come twice")
    warn(*(f"{os.path.basename(os.fspath(path))}: {notice}" for notice in told))
    return read
