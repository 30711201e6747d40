"""What is in a folder of token files, for people and programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .reading import open as open_corpus

if TYPE_CHECKING:
    from .._types import Path


#: Numbers of a manifest; some are there only where something was left out.
_COUNTED = ("documents", "empty", "skipped", "duplicates", "tokens")


def inspect(path: Path) -> dict[str, Any]:
    """What a folder of token files holds: settings, numbers, how long documents are, where they came from.

    Args:
        path: the folder.
    """
    corpus = open_corpus(path)
    manifest, settings = corpus.manifest, corpus.settings
    files = [*manifest["files"], *(file for entry in manifest["shards"] for file in entry["files"])]
    told: dict[str, Any] = {
        "path": corpus.path,
        "format": settings.format,
        "dtype": settings.dtype,
        "tokenizer": manifest["tokenizer"],
        **{name: getattr(settings, name) for name in ("vocab_size", "bos", "eos")},
        **{name: manifest[name] for name in _COUNTED if name in manifest},
        "shards": len(manifest["shards"]),
        "files": len(files),
        "bytes": sum(file["bytes"] for file in files),
        "inputs": len({part["file"] for shard in manifest["plan"] for part in shard}),
        "input_bytes": sum(part["end"] - part["start"] for shard in manifest["plan"] for part in shard),
    }
    if settings.pack is not None:
        rows = sum(entry["rows"] for entry in manifest["shards"])
        told |= {"pack": settings.pack, "length": settings.length, "rows": rows}
        told["padding"] = 1 - manifest["tokens"] / max(1, rows * (settings.length or 0))
    if settings.shuffle is not None:
        told["shuffle"] = settings.shuffle
    told |= _lengths(corpus)
    return told


def _lengths(corpus: Any) -> dict[str, Any]:
    import numpy as np

    if corpus.settings.pack is not None or not (
        corpus.settings.layout.holds_documents
        or corpus.settings.eos is not None
        or corpus.settings.bos is not None
    ):
        return {}
    lengths = corpus.documents.lengths()
    if not len(lengths):
        return {}
    points = np.percentile(lengths, (0, 25, 50, 75, 99, 100), method="nearest").tolist()
    names = ("shortest", "quarter", "median", "three_quarters", "of_100_99", "longest")
    return {"lengths": dict(zip(names, map(int, points), strict=True))}
