"""Golden files: what a tokenizer gave for texts, kept, and compared with what it gives now.

A golden file is JSON, one text on a line, so that it reads well in a version control system. It holds ids,
offsets and decoded text of each text, the fingerprint of the tokenizer, where the tokenizer is, seen from the
file, and how many texts there are, so that none gets lost without a word.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .._chance import chance_of
from .._files import _read_file, _replacing
from .._fingerprint import fingerprint_of
from ..errors import ArgumentError, FormatError, TessellaError
from .probes import GENERAL

if TYPE_CHECKING:
    from .._types import Path
    from ..tokenizer import Tokenizer


#: What files end in that pytest and the command line know by their names.
ENDING = ".golden.json"
_KIND = "tessella golden"
_VERSION = 1


@dataclass(frozen=True)
class Case:
    """A text and what came of it."""

    text: str
    ids: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]
    decoded: str


@dataclass(frozen=True)
class Mismatch:
    """A text that gives something else than it should."""

    text: str
    #: What differs first: ``ids``, ``offsets`` or ``decoded``.
    what: str
    expected: object
    found: object

    def __str__(self) -> str:
        from .._shown import quoted

        return f"{quoted(self.text)}: {self.what} {_short(self.found)}, expected {_short(self.expected)}"


def _short(value: Any) -> str:
    text = repr(list(value) if isinstance(value, tuple) else value)
    return text if len(text) <= 200 else f"{text[:199]}…"


@dataclass
class Verification:
    """How many texts were tried, and those that came out otherwise. It is true if there are none."""

    texts: int = 0
    #: Texts that came out otherwise; the first of them are kept.
    wrong: int = 0
    mismatches: list[Mismatch] = field(default_factory=list)
    #: What it was compared with.
    against: str = ""
    #: What should be known besides.
    notes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.wrong == 0

    def __str__(self) -> str:
        lines = [f"{self.texts - self.wrong:,} of {self.texts:,} texts as {self.against}"]
        lines += [f"  {one}" for one in self.mismatches]
        if self.wrong > len(self.mismatches):
            lines.append(f"  and {self.wrong - len(self.mismatches):,} more")
        return "\n".join([*lines, *(f"note: {one}" for one in self.notes)])

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {**vars(self), "mismatches": [dict(vars(one)) for one in self.mismatches], "ok": bool(self)}


@dataclass(frozen=True)
class Golden:
    """Texts, and what a tokenizer gave for them."""

    cases: tuple[Case, ...]
    #: Of the tokenizer; ``None`` where it has none.
    fingerprint: str | None = None
    #: Where the tokenizer is, seen from the file.
    tokenizer: str | None = None

    def check(self, tokenizer: Tokenizer, *, examples: int = 5) -> Verification:
        """Whether a tokenizer still gives what is kept.

        Args:
            tokenizer: the tokenizer.
            examples: how many texts that differ are told.

        Example:
            >>> from tessella import Tokenizer, models, prove
            >>> tokenizer = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))
            >>> golden = prove.record(tokenizer, ["ab", "ba"])
            >>> bool(golden.check(tokenizer))
            True
            >>> tokenizer.model = models.BPE({"a": 0, "b": 1, "ab": 2}, [])
            >>> print(golden.check(tokenizer))
            1 of 2 texts as the golden file
              "ab": ids [0, 1], expected [2]
            note: the tokenizer is not the one that was recorded: its fingerprint is another
        """
        done = Verification(against="the golden file")
        for wanted in self.cases:
            done.texts += 1
            try:
                found = _case(tokenizer, wanted.text)
            except TessellaError as error:
                done.wrong += 1
                if len(done.mismatches) < examples:
                    told = f"{type(error).__name__}: {error}"
                    done.mismatches.append(Mismatch(wanted.text, "ids", wanted.ids, told))
                continue
            if found == wanted:
                continue
            done.wrong += 1
            if len(done.mismatches) < examples:
                for what in ("ids", "offsets", "decoded"):
                    one, other = getattr(wanted, what), getattr(found, what)
                    if one != other:
                        done.mismatches.append(Mismatch(wanted.text, what, one, other))
                        break
        if self.fingerprint is not None and fingerprint_of(tokenizer) != self.fingerprint:
            done.notes = ("the tokenizer is not the one that was recorded: its fingerprint is another",)
        return done

    def save(self, path: Path, tokenizer: Path | None = None) -> None:
        """Writes the file.

        Args:
            path: where; names that end in ``.golden.json`` are found by the pytest plug-in.
            tokenizer: the tokenizer's file or folder, which is noted as seen from ``path``.
        """
        target = os.fspath(path)
        place = self.tokenizer
        if tokenizer is not None:
            folder = os.path.dirname(os.path.abspath(target))
            place = os.path.relpath(os.path.abspath(os.fspath(tokenizer)), folder).replace(os.sep, "/")
        head = {"kind": _KIND, "version": _VERSION, "tokenizer": place, "fingerprint": self.fingerprint}
        head["texts"] = len(self.cases)
        rows = [json.dumps(vars(one), ensure_ascii=False) for one in self.cases]
        text = json.dumps(head, ensure_ascii=False)[:-1] + ', "cases": [\n' + ",\n".join(rows) + "\n]}\n"
        with _replacing(target) as file:
            file.write(text.encode("utf-8"))

    @classmethod
    def load(cls, path: Path) -> Golden:
        """Reads what ``save`` wrote."""
        name = os.fspath(path)
        try:
            said = json.loads(_read_file(path))
            if said["kind"] != _KIND or said["version"] != _VERSION:
                raise ValueError(f"its kind is {said['kind']!r}, version {said['version']!r}")
            cases = tuple(map(_read_case, said["cases"]))
            # Older files do not tell.
            if (number := said.get("texts", len(cases))) != len(cases):
                raise ValueError(f"it says that it has {number!r} texts, and has {len(cases)}")
            where = [_a(str, said[name], optional=True) for name in ("fingerprint", "tokenizer")]
            found = cls(cases, *where)
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise FormatError(f"{name} is no golden file ({type(error).__name__}: {error})") from error
        if not found.cases:
            raise FormatError(f"{name} holds no texts, so that it proves nothing")
        return found


def _a(kind: type, value: Any, *, optional: bool = False) -> Any:
    """A value of this kind; ids that become others by being read would be no proof."""
    if type(value) is not kind and not (optional and value is None):
        raise ValueError(f"found {value!r:.80} where {kind.__name__} was expected")
    return value


def _read_case(said: Any) -> Case:
    return Case(
        _a(str, said["text"]),
        tuple(_a(int, id) for id in _a(list, said["ids"])),
        tuple((_a(int, start), _a(int, end)) for start, end in _a(list, said["offsets"])),
        _a(str, said["decoded"]),
    )


def _case(tokenizer: Tokenizer, text: str) -> Case:
    found = tokenizer.encode(text)
    offsets = tuple((start, end) for start, end in found.offsets)
    return Case(text, tuple(found.ids), offsets, tokenizer.decode(found.ids, skip_special_tokens=False))


def record(tokenizer: Tokenizer, texts: Iterable[str] | None = None) -> Golden:
    """Keeps what a tokenizer gives for texts.

    Args:
        tokenizer: the tokenizer.
        texts: by default texts that are known to tell tokenizers apart, and its added tokens, but those that
            the tokenizer refuses.
    """
    if isinstance(texts, str):
        raise TypeError("`texts` must be a list of texts, not one str")
    if (chance := chance_of(tokenizer.model)) is not None:
        raise ArgumentError(
            f"the tokenizer draws its tokens by chance ({chance}), so that it gives others each time: switch "
            "that off first"
        )
    is_general = texts is None
    if texts is None:
        added = [one.content for one in tokenizer.get_added_tokens_decoder().values()]
        texts = [*GENERAL, *(f"a {content} b" for content in added)]
    cases: list[Case] = []
    for text in dict.fromkeys(texts):
        try:
            cases.append(_case(tokenizer, text))
        except TessellaError:
            if not is_general:
                raise
    if not cases:
        raise ArgumentError("there are no texts to keep, so that nothing would be proven")
    return Golden(tuple(cases), fingerprint_of(tokenizer))
