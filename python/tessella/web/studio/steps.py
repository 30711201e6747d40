"""How a model came to its tokens: ``Tokenizer.explain`` with the probabilities of a lattice's edges."""

from __future__ import annotations

import math
from typing import Any

from .session import Known


def steps(known: Known, text: str, add_special_tokens: bool, n_best: int) -> dict[str, Any]:
    """An explanation as plain data; edges of lattices have a ``share``."""
    explained = known.tokenizer.explain(text, add_special_tokens=add_special_tokens, n_best=n_best)
    told = explained.to_dict()
    for sequence in told["sequences"]:
        for piece in sequence["pieces"]:
            derivation = piece["derivation"]
            if derivation is not None and derivation["kind"] == "Lattice":
                edges = derivation["edges"]
                found = shares([(one["start"], one["end"], one["score"]) for one in edges])
                for edge, share in zip(edges, found, strict=True):
                    edge["share"] = share
    return told


def shares(edges: list[tuple[int, int, float]]) -> list[float]:
    """Of each edge, the share of the probability of all ways that goes through it.

    Forwards and backwards sums over the lattice, in logarithms. Only ways from the first place to the last
    count.

    Example:
        >>> whole, first, second = shares([(0, 2, -1.0), (0, 1, -1.0), (1, 2, -1.0)])
        >>> round(whole, 3), round(first, 3) == round(second, 3) == round(1 - whole, 3)
        (0.731, True)
    """
    if not edges:
        return []
    last = max(end for _, end, _ in edges)
    forwards = [-math.inf] * (last + 1)
    backwards = [-math.inf] * (last + 1)
    forwards[0] = backwards[last] = 0.0
    for start, end, score in sorted(edges):
        forwards[end] = _sum(forwards[end], forwards[start] + score)
    for start, end, score in sorted(edges, key=lambda edge: -edge[1]):
        backwards[start] = _sum(backwards[start], score + backwards[end])
    total = forwards[last]
    if total == -math.inf:
        return [0.0] * len(edges)
    return [
        math.exp(min(forwards[start] + score + backwards[end] - total, 0.0)) for start, end, score in edges
    ]


def _sum(one: float, other: float) -> float:
    """The logarithm of a sum of two numbers given by theirs."""
    if one < other:
        one, other = other, one
    return one if other == -math.inf else one + math.log1p(math.exp(other - one))
