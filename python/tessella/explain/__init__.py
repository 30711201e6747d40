"""Following a text through a tokenizer: what every stage made of it, and how the model chose its tokens.

``tokenizer.explain(text)`` gives an ``Explanation``. It prints in a terminal, shows itself in a notebook,
and becomes plain data with ``to_dict()``.

- ``result``: what an explanation consists of
- ``model``: how the model came to the tokens of a piece: merges, longest matches, a lattice
- ``build``: making an explanation; ``terminal`` and ``page``: showing it

Example:
    >>> from tessella import Tokenizer, models
    >>> tokenizer = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))
    >>> print(tokenizer.explain("abb").render(color=False))
    text
      "abb"  0:3
    model BPE
      "abb"  0:3
        a b b
        1. a + b -> ab  rank 0
        = ab b
    tokens
      2  "ab"  0:2  "ab"
      1  "b"  2:3  "b"
"""

from __future__ import annotations

from .build import explain
from .model import Candidate, Edge, Lattice, LongestMatch, Lookup, Match, Merge, Merges, Path
from .result import Explanation, ModelPiece, Piece, SequenceSteps, Stage, TokenView

__all__ = [
    "Candidate",
    "Edge",
    "Explanation",
    "Lattice",
    "LongestMatch",
    "Lookup",
    "Match",
    "Merge",
    "Merges",
    "ModelPiece",
    "Path",
    "Piece",
    "SequenceSteps",
    "Stage",
    "TokenView",
    "explain",
]
