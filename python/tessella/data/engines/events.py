"""What engines tell of: plain data, the same whoever makes the shards.

``started``, ``progress`` (bytes of the shard's inputs and tokens so far), ``done``, and ``retry`` where a
worker was lost and its shard is made again.
"""

from __future__ import annotations

from typing import Any

from ..plan import Shard


def started(shard: Shard) -> dict[str, Any]:
    """A worker has begun with a shard."""
    return {"event": "started", "shard": shard.index}


def progress(shard: int, done: int, tokens: int) -> dict[str, Any]:
    """How far a shard is."""
    return {"event": "progress", "shard": shard, "bytes": done, "tokens": tokens}


def done(shard: Shard, entry: dict[str, Any]) -> dict[str, Any]:
    """A shard is there."""
    told = {key: entry[key] for key in ("shard", "documents", "tokens")}
    skipped = {"skipped": len(entry["skipped"])} if entry.get("skipped") else {}
    return {"event": "done", **told, **skipped, "bytes": shard.size}
