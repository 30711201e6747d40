"""What a run has made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .places import Place


@dataclass(frozen=True)
class Result:
    """A corpus in files, in numbers; it prints as a line.

    Attributes:
        path: the folder.
        documents: documents that were read, those without tokens included.
        empty: documents without tokens, which are left out.
        tokens: tokens of all documents.
        shards: shards that are there.
        is_complete: whether all are.
        manifest: all of it, as plain data.
    """

    path: str
    documents: int
    empty: int
    tokens: int
    shards: int
    is_complete: bool
    manifest: dict[str, Any]

    @classmethod
    def of(cls, place: Place, manifest: dict[str, Any]) -> Result:
        """The result of a manifest, or of a plan with the shards that are there."""
        shards = manifest["shards"]
        documents, empty, tokens = (
            sum(entry[key] for entry in shards) for key in ("documents", "empty", "tokens")
        )
        whole = len(shards) == len(manifest["plan"])
        return cls(place.path, documents, empty, tokens, len(shards), whole and "files" in manifest, manifest)

    @property
    def skipped(self) -> list[dict[str, Any]]:
        """The documents that could not be read or encoded and were left out (``on_error="skip"``): ``file``,
        ``line`` and ``byte``, or ``row``, and the ``reason`` of each. They are not among ``documents``.
        """
        return [one for entry in self.manifest["shards"] for one in entry.get("skipped", ())]

    @property
    def duplicates(self) -> int:
        """Documents that were left out since one that comes before has the same text (``dedup="exact"``).
        They are not among ``documents``.
        """
        return sum(entry.get("duplicates", 0) for entry in self.manifest["shards"])

    @property
    def padding(self) -> float:
        """The share of packed rows that holds no token, 0 where nothing is packed."""
        slots = sum(entry.get("slots", 0) for entry in self.manifest["shards"])
        return 1 - self.tokens / slots if slots else 0.0

    def __str__(self) -> str:
        settings = self.manifest["settings"]
        number = f"{self.shards:,} shard{'' if self.shards == 1 else 's'}"
        if not self.is_complete:
            number = f"{self.shards:,} of {len(self.manifest['plan']):,} shards"
        documents = f"{self.documents:,} document{'' if self.documents == 1 else 's'}"
        left_out = f" ({self.empty:,} without tokens)" if self.empty else ""
        left_out += f", {self.duplicates:,} duplicates left out" if settings.get("dedup") else ""
        skipped = len(self.skipped)
        left_out += f", {skipped:,} skipped" if skipped else ""
        packed = f", {self.padding:.2%} padding" if settings["pack"] else ""
        form = f"{settings['format']} {settings['dtype']}"
        return f"{documents}{left_out}, {self.tokens:,} tokens in {number}, {form}{packed}"
