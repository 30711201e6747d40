"""What a check finds, and the patient that checks look at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

#: An error gives wrong results or is refused by a reader; a warning may do so; a note is good to know.
Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True)
class Finding:
    """Something that is wrong or odd."""

    #: A short name of the fault, always the same.
    code: str
    severity: Severity
    #: The file, and the place in it.
    where: str
    message: str
    #: What to do.
    advice: str
    #: Does that, where it can be done without asking.
    mend: Callable[[], None] | None = field(default=None, repr=False, compare=False)

    @property
    def can_be_mended(self) -> bool:
        """Whether the fixed file has it mended."""
        return self.mend is not None

    def __str__(self) -> str:
        mended = " [can be mended]" if self.mend else ""
        return f"{self.severity}: {self.code} ({self.where}): {self.message}; {self.advice}{mended}"


@dataclass
class Patient:
    """Files as data, which checks read and mends change."""

    #: ``tokenizer.json``.
    file: dict[str, Any]
    #: Other JSON files of the folder, by name.
    beside: dict[str, Any] = field(default_factory=dict)
    #: Files that are plain text, by name: a chat template, lists of words and of merges.
    plain: dict[str, str] = field(default_factory=dict)

    @property
    def model(self) -> dict[str, Any]:
        """The model."""
        found: dict[str, Any] = self.file["model"]
        return found

    def vocab(self) -> dict[str, int]:
        """Tokens of the model by text."""
        vocab = self.model.get("vocab")
        if isinstance(vocab, dict):
            return vocab
        return {row[0]: id for id, row in enumerate(vocab or []) if isinstance(row, list) and row}

    def added(self) -> list[dict[str, Any]]:
        """Added tokens."""
        return [one for one in self.file.get("added_tokens") or [] if isinstance(one, dict)]

    def ids(self) -> dict[str, int]:
        """All tokens by text. The model's id counts."""
        return {**{str(one.get("content")): one.get("id", -1) for one in self.added()}, **self.vocab()}

    def next_id(self) -> int:
        """An id that nothing has."""
        known = [id for id in self.ids().values() if isinstance(id, int) and 0 <= id < 1 << 31]
        return max(known, default=-1) + 1

    def stages(self, name: str) -> list[dict[str, Any]]:
        """The parts of a stage, sequences taken apart."""
        keys = ("normalizers", "pretokenizers", "processors", "decoders")

        def flat(part: Any) -> list[dict[str, Any]]:
            if not isinstance(part, dict):
                return []
            inner = next((part[key] for key in keys if isinstance(part.get(key), list)), None)
            return [part] if inner is None else [one for each in inner for one in flat(each)]

        return flat(self.file.get(name))
