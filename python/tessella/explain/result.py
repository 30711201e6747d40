"""What an explanation consists of: plain data, that can be looked through, shown and written."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from .model import Derivation


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text at some stage. ``start`` and ``end`` are characters of the original text."""

    text: str
    start: int
    end: int
    #: The id of the added token that it is, if it is one.
    added: int | None = None


@dataclass(frozen=True, slots=True)
class Stage:
    """What a stage made of the text."""

    name: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class TokenView:
    """A token. ``start`` and ``end`` are characters of the original text, and ``text`` is what they hold."""

    id: int
    token: str
    start: int
    end: int
    text: str
    #: Put in by the post-processor or by padding, and not from the text.
    special: bool
    #: Which of the sequences it is from, if any.
    sequence: int | None
    type_id: int


#: What pages say of a piece that has no derivation and is no added token.
UNTOLD = "too long to show how, or a rule without steps"


@dataclass(frozen=True, slots=True)
class ModelPiece:
    """A piece as the model got it, its tokens, and how it came to them.

    ``derivation`` is ``None`` for added tokens, for pieces that are too long to be told about, and for models
    whose rule has no steps to tell.
    """

    piece: Piece
    tokens: tuple[TokenView, ...]
    derivation: Derivation | None


@dataclass(frozen=True, slots=True)
class SequenceSteps:
    """One text on its way to tokens."""

    text: str
    stages: tuple[Stage, ...]
    pieces: tuple[ModelPiece, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """A text, or a pair, on its way to ids.

    ``print`` shows it, in colours where the terminal has them (``NO_COLOR`` switches them off,
    ``FORCE_COLOR`` on); a notebook shows it as a page.
    """

    #: The kind of the model.
    model: str
    sequences: tuple[SequenceSteps, ...]
    #: All tokens as ``encode`` gives them, special ones too.
    tokens: tuple[TokenView, ...]
    #: What the stories of the model leave out: dropout, or sampling.
    chance: str | None

    @property
    def ids(self) -> list[int]:
        """The ids, those of ``encode``."""
        return [token.id for token in self.tokens]

    # `Any`: lists, dicts, texts and numbers, whatever the stages said.
    def to_dict(self) -> dict[str, Any]:
        """Everything as dicts, lists, texts and numbers, ready for JSON."""
        made: dict[str, Any] = _plain(asdict(self))
        for sequence, steps in zip(made["sequences"], self.sequences, strict=True):
            for piece, told in zip(sequence["pieces"], steps.pieces, strict=True):
                if told.derivation is not None:
                    piece["derivation"] = {"kind": type(told.derivation).__name__, **piece["derivation"]}
        return {**made, "ids": self.ids}

    def render(self, color: bool | None = None, width: int | None = None) -> str:
        """The text for a terminal.

        Args:
            color: whether to use colours; ``None`` looks at the terminal, ``NO_COLOR`` and ``FORCE_COLOR``.
            width: columns of a line; ``None`` asks the terminal.
        """
        from .terminal import render

        return render(self, color, width)

    def to_html(self) -> str:
        """A fragment of HTML that needs no scripts.

        As on a terminal, what would be too much to look at is counted instead of shown; ``to_dict`` has it.
        """
        from .page import render

        return render(self)

    def _repr_html_(self) -> str:
        return self.to_html()

    def __str__(self) -> str:
        return self.render()


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, (list, tuple)) else value
