"""A SentencePiece ``.model`` taken apart: its pieces, and everything else byte for byte.

The file is a protocol-buffer message. Only what edits change is looked into: field 1 holds a piece each,
field 2 what the trainer was told, which also says the kind of model and the ids of four pieces. All other
fields are kept as they are, unknown ones too.

In a BPE model two neighbours are joined whenever their texts together are a piece, the piece of the highest
score first. So a piece needs every piece that can be its beginning or its end, if the rest is a piece as
well.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from .._wire import read_number, write_number
from ..errors import FormatError, UnsupportedError
from .unigram import LOWEST, by_model
from .vocabulary import Vocabulary

if TYPE_CHECKING:
    from ..models import Model

__all__ = ["BYTE", "CONTROL", "KINDS", "NORMAL", "USER_DEFINED", "Piece", "PieceFile"]

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = 1, 2, 3, 4, 5, 6
#: What errors call them.
KINDS = {1: "normal", 2: "unknown", 3: "control", 4: "user-defined", 5: "unused", 6: "byte"}
_UNIGRAM, _BPE = 1, 2
#: Fields of the trainer's section: kind of model, number of pieces, ids of four pieces and their texts.
_MODEL_TYPE, _VOCAB_SIZE = 3, 4
_IDS = {40: 0, 41: 1, 42: 2, 43: -1}
_TEXTS = {45: "<unk>", 46: "<s>", 47: "</s>", 48: "<pad>"}
_SYMBOLS = (30, 31)
#: Switches of the trainer's section that change what texts become.
_SWITCHES = {"byte_fallback": 35, "treat_whitespace_as_suffix": 24}
#: Sections of rules for texts, and their fields with defaults; names and sources of the rules say nothing.
_NORMALIZERS = {3: "normalizer", 5: "denormalizer"}
_NORMALIZING: dict[str, tuple[int, int | bytes]] = {
    "precompiled_charsmap": (2, b""),
    "add_dummy_prefix": (3, 1),
    "remove_extra_whitespaces": (4, 1),
    "escape_whitespaces": (5, 1),
}


def _fields(data: bytes) -> Iterator[tuple[int, int, int | bytes, bytes]]:
    """Field number, wire type, value, and all bytes of the field."""
    at = 0
    while at < len(data):
        start = at
        key, at = read_number(data, at)
        value: int | bytes
        if key & 7 == 0:
            value, at = read_number(data, at)
        elif key & 7 in (1, 2, 5):
            if key & 7 == 2:
                size, at = read_number(data, at)
            else:
                size = 8 if key & 7 == 1 else 4
            value, at = data[at : at + size], at + size
        else:
            raise FormatError(f"the SentencePiece model has a field of wire type {key & 7} (byte {start})")
        if at > len(data):
            raise FormatError(f"the SentencePiece model ends in the middle of a field (byte {start})")
        yield key >> 3, key & 7, value, data[start:at]


def _written(field: int, value: int | bytes | float) -> bytes:
    if isinstance(value, bytes):
        return write_number(field << 3 | 2) + write_number(len(value)) + value
    if isinstance(value, float):
        return write_number(field << 3 | 5) + struct.pack("<f", value)
    return write_number(field << 3) + write_number(value)


@dataclass(frozen=True)
class Piece:
    """One entry."""

    text: str
    score: float
    kind: int = NORMAL
    #: Fields that nobody here knows.
    more: bytes = b""

    @classmethod
    def read(cls, data: bytes) -> Piece:
        text, score, kind, more = "", 0.0, NORMAL, b""
        for number, _, value, whole in _fields(data):
            if number == 1 and isinstance(value, bytes):
                text = value.decode("utf-8", "surrogateescape")
            elif number == 2 and isinstance(value, bytes):
                (score,) = struct.unpack("<f", value)
            elif number == 3 and isinstance(value, int):
                kind = value
            else:
                more += whole
        return cls(text, score, kind, more)

    def told(self) -> bytes:
        kind = b"" if self.kind == NORMAL else _written(3, self.kind)
        text = _written(1, self.text.encode("utf-8", "surrogateescape"))
        return text + _written(2, float(self.score)) + kind + self.more


class PieceFile(Vocabulary):
    """Pieces with scores and kinds."""

    kind = "SentencePiece"
    is_dense = True

    def __init__(self, content: bytes) -> None:
        found: list[Piece] = []
        self._trainer = self._rest = b""
        for number, _, value, whole in _fields(content):
            if number == 1 and isinstance(value, bytes):
                found.append(Piece.read(value))
            elif number == 2 and isinstance(value, bytes):
                # A message that comes twice is the two joined.
                self._trainer += value
            else:
                self._rest += whole
        self.entries: dict[int, Piece] = dict(enumerate(found))
        self._said = {number: value for number, _, value, _ in _fields(self._trainer)}

    @property
    def is_unigram(self) -> bool:
        """Whether the best way through a text is taken, by scores."""
        return self._said.get(_MODEL_TYPE, _UNIGRAM) == _UNIGRAM

    @property
    def is_bpe(self) -> bool:
        """Whether neighbours are joined."""
        return self._said.get(_MODEL_TYPE, _UNIGRAM) == _BPE

    def tokens(self) -> dict[int, str]:
        return {id: piece.text for id, piece in self.entries.items()}

    def letters(self) -> set[int]:
        return {id for id, piece in self.entries.items() if piece.kind == NORMAL and len(piece.text) == 1}

    def unknown(self) -> int | None:
        return next((id for id, piece in self.entries.items() if piece.kind == UNKNOWN), None)

    def vital(self) -> dict[int, str]:
        whys = {
            UNKNOWN: "it stands for unknown text",
            CONTROL: "it is a control symbol",
            BYTE: "it spells a byte",
        }
        return {id: whys[piece.kind] for id, piece in self.entries.items() if piece.kind in whys}

    def _joins(self) -> Iterator[tuple[int, int, int]]:
        """All ways in which two pieces make a third: the third, and the two."""
        if not self.is_bpe:
            return
        by_text = {piece.text: id for id, piece in self.entries.items() if piece.kind == NORMAL}
        for text, id in by_text.items():
            for place in range(1, len(text)):
                left, right = by_text.get(text[:place]), by_text.get(text[place:])
                if left is not None and right is not None:
                    yield id, left, right

    def users(self) -> dict[int, set[int]]:
        found: dict[int, set[int]] = {}
        for made, left, right in self._joins():
            found.setdefault(left, set()).add(made)
            found.setdefault(right, set()).add(made)
        return found

    def parts(self) -> dict[int, tuple[int, int]]:
        best: dict[int, tuple[int, int]] = {}
        for made, left, right in self._joins():
            # Built last of the two that are least frequent: the way that training most likely took.
            known = best.get(made)
            if known is None or self._least(left, right) > self._least(*known):
                best[made] = (left, right)
        return best

    def _least(self, left: int, right: int) -> float:
        return min(self.entries[left].score, self.entries[right].score)

    def lowest(self) -> set[int]:
        """Ids of the lowest score."""
        normal = {id: piece.score for id, piece in self.entries.items() if piece.kind == NORMAL}
        least = min(normal.values(), default=0.0)
        return {id for id, score in normal.items() if score == least}

    def reserved(self) -> set[int]:
        named = {id for id, piece in self.entries.items() if piece.kind == USER_DEFINED}
        return named | {min(self.lowest(), default=0)} if self.is_unigram else named

    def drop(self, ids: Collection[int]) -> list[str]:
        notes = [LOWEST] if self.is_unigram and not self.lowest() - set(ids) else []
        self.entries = {id: piece for id, piece in self.entries.items() if id not in ids}
        return notes

    def renumber(self, new_ids: Mapping[int, int]) -> None:
        moved = ((new_ids[id], piece) for id, piece in self.entries.items())
        self.entries = dict(sorted(moved, key=lambda item: item[0]))

    def rename(self, old: str, new: str) -> None:
        self.entries = {
            id: replace(piece, text=new) if piece.text == old else piece for id, piece in self.entries.items()
        }
        trainer = b""
        for number, _, value, whole in _fields(self._trainer):
            is_name = number in _TEXTS or number in _SYMBOLS
            changed = is_name and value == old.encode("utf-8")
            trainer += _written(number, new.encode("utf-8")) if changed else whole
        for number, text in _TEXTS.items():
            if text == old and number not in self._said:
                trainer += _written(number, new.encode("utf-8"))
        self._trainer = trainer
        self._said = {number: value for number, _, value, _ in _fields(trainer)}

    def content(self) -> bytes:
        """The file."""
        if list(self.entries) != list(range(len(self.entries))):
            raise UnsupportedError(
                "the pieces of a SentencePiece model have the ids from 0 on, without gaps, and added tokens "
                "follow them: let the ids be compacted, in an order that keeps this"
            )
        pieces = b"".join(_written(1, piece.told()) for piece in self.entries.values())
        return pieces + _written(2, self._trainer_told()) + self._rest

    def _trainer_told(self) -> bytes:
        """The trainer's section, which repeats the number of pieces and the ids of four."""
        by_text = {piece.text: id for id, piece in self.entries.items()}
        ids: dict[int, int] = {}
        for (number, default), (text_field, text) in zip(_IDS.items(), _TEXTS.items(), strict=True):
            said = self._said.get(number, default)
            # Numbers below zero are written in ten bytes; such a piece was switched off.
            if isinstance(said, int) and 0 <= said < 1 << 31:
                named = self._said.get(text_field, text.encode())
                name = named.decode("utf-8", "surrogateescape") if isinstance(named, bytes) else text
                ids[number] = by_text.get(name, said)
        now = {**ids, _VOCAB_SIZE: len(self.entries)}
        out = b""
        for number, _, _, whole in _fields(self._trainer):
            out += _written(number, now.pop(number)) if number in now else whole
        for number, value in now.items():
            if value != _IDS.get(number):
                out += _written(number, value)
        return out

    def rules(self) -> dict[str, Any]:
        """What besides the pieces decides what texts become, by name."""
        found: dict[str, Any] = {"kind of model": self._said.get(_MODEL_TYPE, _UNIGRAM)}
        found |= {name: bool(self._said.get(number, 0)) for name, number in _SWITCHES.items()}
        for number, text in _TEXTS.items():
            found[f"the name of {text}"] = self._said.get(number, text.encode())
        sections = {number: value for number, _, value, _ in _fields(self._rest)}
        for number, section in _NORMALIZERS.items():
            value = sections.get(number, b"")
            assert isinstance(value, bytes)
            said = {number: one for number, _, one, _ in _fields(value)}
            found |= {f"{section}.{name}": said.get(*field) for name, field in _NORMALIZING.items()}
        return found

    def ranks(self) -> dict[str, float]:
        """For BPE: pieces that are made of others with their scores, those that are made first in front."""
        made = [piece for piece in self.entries.values() if piece.kind == NORMAL and len(piece.text) > 1]
        return {piece.text: piece.score for piece in sorted(made, key=lambda piece: -piece.score)}

    def rank(self, order: Sequence[str], known: Sequence[Mapping[str, float]]) -> None:
        """Gives scores that say this order of all ``ranks``; letters come last.

        Args:
            order: the pieces, those that are made first in front.
            known: scores of which the order keeps all. Of pieces with the same score the one further left in
                a text is made first, so they have the same score again.
        """
        scores: dict[str, float] = {}
        level, last = 0.0, None
        for text in order:
            if last is not None and not any(last in one and one[last] == one.get(text) for one in known):
                level -= 1
            scores[text], last = level, text
        for one in known:
            for (left, its), (right, other) in pairwise(one.items()):
                if (its == other) != (scores[left] == scores[right]):
                    raise UnsupportedError(
                        f"the pieces `{left}` and `{right}` have the same score in one model, and others "
                        "have to come between them"
                    )
        for id, piece in self.entries.items():
            if piece.kind == NORMAL:
                score = scores.setdefault(piece.text, level - 1 - len(scores))
                self.entries[id] = replace(piece, score=score)

    def told(self) -> dict[str, Any]:
        raise UnsupportedError("a SentencePiece model is a file of its own, not a part of tokenizer.json")

    def speller(self, model: Model) -> Callable[[str], tuple[int, ...]]:
        return by_model(model)
