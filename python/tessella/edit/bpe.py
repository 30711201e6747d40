"""BPE taken apart: tokens, and merges in the order in which they are made.

A token may go if no merge that stays has it as a part: a *leaf*. Then no text passes through it on the way to
another token, so that only texts in which it stands are encoded differently. The same holds for a set of
tokens with all that is made of them, which is what ``with_users`` gives.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from .._vocabulary import BYTE_TOKENS
from .vocabulary import BYTES, TokenTable

if TYPE_CHECKING:
    from ..models import Model


Merge = tuple[str, str]


def joined(symbols: Sequence[str], ranks: Mapping[Merge, int], made: Callable[[str, str], str]) -> list[str]:
    """Symbols after all merges that apply: the one of the least rank first, the leftmost of several.

    For single tokens: slow and plain.

    Example:
        >>> joined("abb", {("a", "b"): 0}, lambda left, right: left + right)
        ['ab', 'b']
    """
    parts = list(symbols)
    while len(parts) > 1:
        pairs = list(pairwise(parts))
        best = min(range(len(pairs)), key=lambda place: ranks.get(pairs[place], len(ranks)))
        if pairs[best] not in ranks:
            break
        parts[best : best + 2] = [made(*pairs[best])]
    return parts


class BpeVocabulary(TokenTable):
    """Tokens and merges."""

    kind = "BPE"

    def __init__(self, state: dict[str, Any]) -> None:
        super().__init__(state)
        pairs = (merge.split(" ", 1) if isinstance(merge, str) else merge for merge in state["merges"])
        self.merges: list[Merge] = [(left, right) for left, right in pairs]
        self.prefix: str = state.get("continuing_subword_prefix") or ""
        self.suffix: str = state.get("end_of_word_suffix") or ""

    def made(self, left: str, right: str) -> str:
        """What a merge makes: the mark of continuation inside is dropped."""
        return left + right[len(self.prefix) :] if self.prefix else left + right

    def bare(self, token: str) -> str:
        if self.prefix and token.startswith(self.prefix) and len(token) > len(self.prefix):
            token = token[len(self.prefix) :]
        if self.suffix and token.endswith(self.suffix) and len(token) > len(self.suffix):
            token = token[: -len(self.suffix)]
        return token

    def unknown(self) -> int | None:
        token = self._state.get("unk_token")
        return None if token is None else self.vocab.get(token)

    @property
    def falls_back(self) -> bool:
        """Whether unknown characters are spelled with tokens for their bytes, all of which are there."""
        return bool(self._state.get("byte_fallback")) and self.vocab.keys() >= BYTES

    def vital(self) -> dict[int, str]:
        found: dict[int, str] = {}
        unknown = self.unknown()
        if unknown is not None:
            found[unknown] = "it stands for unknown text"
        if self._state.get("byte_fallback"):
            found |= {self.vocab[token]: "it spells a byte" for token in BYTES if token in self.vocab}
        if unknown is None and not self.falls_back:
            why = "text with it would vanish, since the model has no token for unknown text"
            found |= dict.fromkeys(self.letters(), why)
        return found

    def users(self) -> dict[int, set[int]]:
        found: dict[int, set[int]] = {}
        vocab = self.vocab
        for left, right in self.merges:
            made = vocab[self.made(left, right)]
            found.setdefault(vocab[left], set()).add(made)
            found.setdefault(vocab[right], set()).add(made)
        return found

    def parts(self) -> dict[int, tuple[int, int]]:
        found: dict[int, tuple[int, int]] = {}
        vocab = self.vocab
        for left, right in self.merges:
            found.setdefault(vocab[self.made(left, right)], (vocab[left], vocab[right]))
        return found

    def drop(self, ids: Collection[int]) -> list[str]:
        gone = {token for token, id in self.vocab.items() if id in ids}
        self.merges = [
            (left, right)
            for left, right in self.merges
            if not (left in gone or right in gone or self.made(left, right) in gone)
        ]
        self.vocab = {token: id for token, id in self.vocab.items() if token not in gone}
        return []

    def told(self) -> dict[str, Any]:
        return {**self._state, "vocab": self.vocab, "merges": [list(merge) for merge in self.merges]}

    def symbols(self, token: str) -> list[str]:
        """The first symbols of a token's text, as they stand in the place that its marks tell."""
        bare = self.bare(token)
        begins = not (self.prefix and token.startswith(self.prefix) and bare != token)
        ends = bool(self.suffix) and token.endswith(self.suffix)
        last = len(bare) - 1
        return [
            ("" if place == 0 and begins else self.prefix)
            + character
            + (self.suffix if place == last and ends else "")
            for place, character in enumerate(bare)
        ]

    def speller(self, model: Model) -> Callable[[str], tuple[int, ...]]:
        del model
        ranks = {merge: rank for rank, merge in enumerate(self.merges)}
        unknown, falls_back = self.unknown(), self.falls_back

        def spelled(token: str) -> tuple[int, ...]:
            known: list[str | None] = []
            for symbol in self.symbols(token):
                if symbol in self.vocab:
                    known.append(symbol)
                elif falls_back:
                    known += [BYTE_TOKENS[byte] for byte in symbol.encode("utf-8")]
                else:
                    known.append(None)
            # Nothing is merged across what is unknown.
            ids: list[int] = []
            run: list[str] = []
            for one in [*known, None]:
                if one is not None:
                    run.append(one)
                    continue
                ids += [self.vocab[part] for part in joined(run, ranks, self.made)]
                run = []
                if unknown is not None:
                    ids.append(unknown)
            return tuple(ids if unknown is None else ids[:-1])

        return spelled
